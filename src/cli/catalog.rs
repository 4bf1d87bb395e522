//! `rubric catalog`: types, operators, procedures and readouts, from the one table.

use super::{CommandResult, output};
use crate::catalog::render;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric catalog                              all of the language, to read
  rubric catalog --format json                for programs that write rubrics";

/// Print the catalogue of types, operators, procedures and readouts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How it is printed; `grammar/catalog.schema.json` describes the JSON
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Where to write it; `-` is standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Markdown,
    Json,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let text = match args.format {
        Format::Markdown => render::markdown(),
        Format::Json => render::json(),
    };
    output::write(args.output.as_deref(), &text)?;
    Ok(ExitCode::SUCCESS)
}
