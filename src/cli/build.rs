//! `rubric build`.

use super::CommandResult;
use std::path::PathBuf;

/// Write a program as JSON, or a JSON program as text.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to read.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    Err(miette::miette!("not built yet: {}", args.file.display()))
}
