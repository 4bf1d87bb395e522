//! `rubric export`: a program as a file of another tool, or every reason why it cannot be one.

use super::{CommandResult, FAULTS, output, program};
use crate::export::{Refusal, healthbench, promptfoo};
use crate::graph;
use crate::import::format::Holds;
use crate::import::rows::Rows;
use clap::ValueEnum;
use miette::{IntoDiagnostic, miette};
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a program for another tool
///
/// What the other format cannot express is an error that names it. Exit code: 0 written, 1 the program has faults or cannot be
/// expressed (nothing is written), 2 a file could not be read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A `.rubric` file or a JSON program; `-` is standard input
    file: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: To,
    /// Where to write it; `-` is standard output
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Records that become rows or tests (JSON lines, CSV, TSV)
    #[arg(long)]
    data: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// The canonical JSON program, as `rubric build` writes it
    Program,
    /// A configuration of promptfoo, as JSON
    Promptfoo,
    /// Rows of HealthBench, as JSON lines
    Healthbench,
}

const EXAMPLES: &str = "\
Examples:
  rubric export care.rubric --to healthbench --data records.jsonl -o rows.jsonl
  rubric export reply.rubric --to promptfoo --data records.jsonl -o promptfooconfig.json
  rubric export reply.rubric --to program -o reply.json";

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let records = args.data.as_deref().map(records).transpose()?;
    let text = match args.to {
        To::Program => graph::json::write(&ready.program),
        To::Healthbench => match healthbench::rows(&ready.program) {
            Err(refused) => return Ok(told(args, &refused)),
            Ok(rows) => {
                let mut out = String::new();
                let all = records.as_ref().map_or_else(|| vec![None], |list| list.iter().map(Some).collect());
                for (n, record) in all.into_iter().enumerate() {
                    let row = rows.row(record, n as u64 + 1).map_err(|fault| misfit(n, &fault))?;
                    out.push_str(&format!("{row}\n"));
                }
                out
            }
        },
        To::Promptfoo => match promptfoo::default_test(&ready.program) {
            Err(refused) => return Ok(told(args, &refused)),
            Ok(default) => {
                let mut tests = Vec::new();
                for (n, record) in records.iter().flatten().enumerate() {
                    tests.push(promptfoo::test(&ready.program, record).map_err(|fault| misfit(n, &fault))?);
                }
                if records.is_none() {
                    tests.push(json!({}));
                }
                let file = json!({"description": ready.program.name.as_ref(), "defaultTest": default, "tests": tests});
                serde_json::to_string_pretty(&file).into_diagnostic()? + "\n"
            }
        },
    };
    output::write(Some(&args.output), &text)?;
    Ok(ExitCode::SUCCESS)
}

/// All records of a file.
fn records(path: &Path) -> miette::Result<Vec<Map<String, Json>>> {
    let unreadable = |fault: String| miette!("`{}` cannot be read: {fault}", path.display());
    let mut rows = Rows::open(path, Holds::Rows).map_err(unreadable)?;
    let mut records = Vec::new();
    while let Some(found) = rows.next_row().into_diagnostic()? {
        match found.content {
            Ok(Json::Object(record)) => records.push(record),
            Ok(_) => return Err(unreadable(format!("{}: a record is a JSON object", found.place))),
            Err(fault) => return Err(unreadable(format!("{}: {fault}", found.place))),
        }
    }
    Ok(records)
}

fn misfit(n: usize, fault: &str) -> miette::Report {
    miette!("record {}: {fault}", n + 1)
}

fn told(args: &Args, refused: &[Refusal]) -> ExitCode {
    for refusal in refused {
        output::note(&format!("{}: error: {refusal}", args.file.display()));
    }
    let name = args.to.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    output::note(&format!("the program cannot be expressed as {name}; nothing was written"));
    ExitCode::from(FAULTS)
}
