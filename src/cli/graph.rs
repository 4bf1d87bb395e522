//! `rubric graph`.

use super::{CommandResult, FAILED, output, program, record};
use crate::graph::{Program, draw};
use crate::run::engine::Engine;
use crate::run::replay::Replay;
use crate::why::way;
use clap::ValueEnum;
use miette::miette;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLES: &str = "Examples:
  rubric graph essay.rubric                   a tree in words
  rubric graph essay.rubric --format mermaid  for Markdown
  rubric graph essay.rubric --format svg -o essay.svg
  rubric graph essay.rubric --format svg --trace trace.jsonl --id r17 -o r17.svg";

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
    /// A trace of `rubric run --trace`: show in the picture what one of its records came to under this program. Boxes say
    /// values in place of types; the way that decided it stands out, and gates that fired.
    #[arg(long, requires = "id")]
    trace: Option<PathBuf>,
    /// The record.
    #[arg(long, requires = "trace")]
    id: Option<String>,
    /// Which of its candidates, where it has several.
    #[arg(long, requires = "trace")]
    candidate: Option<String>,
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
    if let (Some(trace), Some(id)) = (&args.trace, &args.id) {
        return of_record(args, ready.program, trace, id);
    }
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

/// The picture of what a record came to.
fn of_record(args: &Args, program: Arc<Program>, trace: &Path, id: &str) -> CommandResult {
    if args.format != Format::Svg {
        return Err(miette!(
            help = "add `--format svg`; `rubric why` says it in words",
            "only a picture shows a record"
        ));
    }
    let engine = Engine::new(program);
    let mut replay = Replay::new(super::replay::open(trace)?, &record::open_program);
    let Some(located) = record::find(&mut replay, trace, id, Some(&engine))? else {
        return Ok(ExitCode::from(FAILED));
    };
    let place = match (&args.candidate, located.candidates.as_slice()) {
        (Some(name), _) => record::candidate(&located, id, name)?,
        (None, [_]) => 0,
        (None, several) => {
            let names: Vec<&str> = several.iter().flatten().map(String::as_str).collect();
            return Err(miette!(
                help = "name one with `--candidate`",
                "record `{id}` has several candidates: {}",
                names.join(", ")
            ));
        }
    };
    let nodes = way::ways(&engine, &located.judged, &[place]).pop().map_or_else(Vec::new, |(_, nodes)| nodes);
    let said = way::pictured(&engine, id, &located.candidates, &located.outcomes, (place, &nodes));
    output::write(Some(&args.output), &draw::svg_of_record(&engine.program, &said))?;
    Ok(ExitCode::SUCCESS)
}
