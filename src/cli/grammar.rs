//! `rubric grammar`: the language as a grammar for decoding that is bound to it.

use super::{CommandResult, output};
use crate::compile::grammar::{self, Notation};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  rubric grammar --format gbnf -o rubric.gbnf     llama-cli --grammar-file rubric.gbnf …
  rubric grammar --format lark -o rubric.lark     llguidance; vLLM with `structured_outputs: {grammar: …}`
  rubric grammar --format ebnf                    to read";

/// Print the language as a grammar, for models whose replies a server can bind to one
///
/// What such a model writes can be parsed; `rubric check` says whether it is a program.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The notation
    #[arg(long, value_enum, default_value_t = Notation::Ebnf)]
    format: Notation,
    /// Where to write it; `-` is standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    output::write(args.output.as_deref(), &grammar::text(args.format))?;
    Ok(ExitCode::SUCCESS)
}
