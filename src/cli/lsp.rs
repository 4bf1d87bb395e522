//! `rubric lsp`: the language server.

use super::CommandResult;
use crate::lsp;
use std::io::{self, BufReader};
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric lsp                                  an editor starts it; docs/editors.md sets up several";

/// Serve an editor over standard input and output (Language Server Protocol)
///
/// Editors start this themselves; `docs/editors.md` says how. Exit code: 0 the editor said `shutdown` before `exit`, 1 it did not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Taken and ignored: there is no other way
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let _ = args.stdio;
    Ok(if lsp::serve(BufReader::new(io::stdin()), io::stdout()) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
