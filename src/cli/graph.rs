//! `rubric graph`.

use super::{CommandResult, output, program};
use crate::graph::draw;
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  rubric graph essay.rubric                   a tree in words
  rubric graph essay.rubric --format mermaid  for Markdown
  rubric graph essay.rubric --format svg -o essay.svg";

/// Draw a program: what is asked, how the answers are composed, and what comes out.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A `.rubric` file or a JSON program; `-` is standard input.
    file: PathBuf,
    /// How to draw it.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Where to write it; `-` is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An indented tree, in words.
    Text,
    /// Boxes and arrows as JSON, without a layout.
    Json,
    /// For Graphviz: `rubric graph x.rubric --format dot | dot -Tsvg`.
    Dot,
    /// For Markdown viewers.
    Mermaid,
    /// A picture, laid out: for browsers, reports and editors.
    Svg,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let text = match args.format {
        Format::Text => draw::text(&ready.program),
        Format::Json => draw::json(&ready.program),
        Format::Dot => draw::dot(&ready.program),
        Format::Mermaid => draw::mermaid(&ready.program),
        Format::Svg => draw::svg(&ready.program),
    };
    output::write(Some(&args.output), &text)?;
    Ok(ExitCode::SUCCESS)
}
