//! `rubric explain`.

use super::CommandResult;
use std::path::PathBuf;

/// Explain a diagnostic code.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to read.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    Err(miette::miette!("not built yet: {}", args.file.display()))
}
