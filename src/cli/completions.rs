//! `rubric completions`: what a shell needs to complete commands, options and their values.

use super::{CommandResult, output};
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric completions bash > ~/.local/share/bash-completion/completions/rubric
  rubric completions zsh > ~/.zfunc/_rubric                 a folder of $fpath
  rubric completions fish > ~/.config/fish/completions/rubric.fish
  rubric completions powershell >> $PROFILE";

/// Write the completions of a shell: commands, options, and the words that options take
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "rubric", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
