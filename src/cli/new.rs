//! `rubric new`.

use super::CommandResult;
use std::path::PathBuf;

/// Start a new program.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to read.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    Err(miette::miette!("not built yet: {}", args.file.display()))
}
