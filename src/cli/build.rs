//! `rubric build`.

use super::{CommandResult, output, program};
use crate::{graph, project};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a program as JSON, or a JSON program as text.
///
/// A text becomes a JSON program and a JSON program a text, unless the ending of OUT or `--to` says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A `.rubric` file or a JSON program; `-` is standard input.
    file: PathBuf,
    /// Where to write it; `-` is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    to: Option<To>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// The canonical JSON program.
    Json,
    /// Canonical `.rubric` text.
    Rubric,
}

const EXAMPLES: &str = "\
Examples:
  rubric build essay.rubric -o essay.json               the canonical JSON program
  rubric build essay.json -o essay.rubric               text again
  rubric build essay.rubric --to rubric                 the text, in its canonical form";

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let is_json = ready.files.get(ready.file).is_some_and(|source| project::is_json(source.text()));
    let text = match args.to.or_else(|| by_ending(&args.output)).unwrap_or(if is_json { To::Rubric } else { To::Json })
    {
        To::Json => graph::json::write(&ready.program),
        To::Rubric => graph::text::write(&ready.program),
    };
    output::write(Some(&args.output), &text)?;
    Ok(ExitCode::SUCCESS)
}

fn by_ending(path: &Path) -> Option<To> {
    match path.extension()?.to_str()? {
        "json" => Some(To::Json),
        "rubric" => Some(To::Rubric),
        _ => None,
    }
}
