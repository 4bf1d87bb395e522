//! `rubric man`: manual pages, made of the same words as `--help`.

use super::{CommandResult, output};
use clap::CommandFactory as _;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric man | man -l -                                     reads the page of `rubric`
  rubric man -o ~/.local/share/man/man1                     then `man rubric-run`";

/// Write manual pages: that of `rubric`, or into a folder one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder that takes the pages of all commands; it is made where there is none. Without it, the page of `rubric` is
    /// printed
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let command = super::Cli::command().disable_help_subcommand(true);
    let Some(folder) = &args.output else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|error| output::failed(None, error))?;
        output::print(&String::from_utf8_lossy(&page))?;
        return Ok(ExitCode::SUCCESS);
    };
    let failed = |error| output::failed(Some(folder), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    output::note(&format!("wrote the pages of all commands to `{}`", folder.display()));
    Ok(ExitCode::SUCCESS)
}
