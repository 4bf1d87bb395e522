//! `rubric plan`: what a run would ask, and what it would cost. Asks nobody.

use super::run::judging::{Asking, Opener, money};
use super::run::{DATA_HELP, open_data, open_programs};
use super::{CommandResult, output};
use crate::judge::schedule::{self, Judges, Line, Planned, REPLY};
use crate::judge::store::look::Look;
use crate::number::Number;
use crate::run::driver::{Driver, Prepared, Shard};
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use indexmap::IndexMap;
use miette::miette;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Say what a run would ask of whom, what of it is stored already, and what the rest would cost. Asks nobody
///
/// Tokens of requests are estimated at four bytes each; those of replies from what the store knows of the model. Exit code: 0
/// planned, 1 the program has faults, 2 something could not be read, or the program cannot be asked as it is configured.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    of: Option<Of>,
    /// The program (`.rubric` or JSON), or a folder of programs of which each record names its own in `rubric`
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// The records: JSON lines, a CSV table or Parquet; `-` for standard input
    #[arg(long, required = true)]
    data: Option<PathBuf>,
    /// More recorded judgments, one JSON line each
    #[arg(long)]
    judgments: Option<PathBuf>,
    /// Only a part of the records, such as 2/4
    #[arg(long, value_name = "I/N", value_parser = super::run::shard)]
    shard: Option<Shard>,
    /// Of a run that is made so often over the records, as `rubric run --runs` does
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    #[command(flatten)]
    asking: Asking,
}

const EXAMPLES: &str = "\
Examples:
  rubric plan reply.rubric --data replies.jsonl
  rubric plan reply.rubric --data replies.jsonl --config cheap/rubric.toml
  rubric plan expand questions.jsonl --single
  rubric plan compile policy.md --explain";

/// Rows of the table by criterion that are shown.
const MOST_ROWS: usize = 40;

/// Commands besides `run` whose calls can be planned. They take the options that they have themselves.
#[derive(Debug, clap::Subcommand)]
enum Of {
    /// What `rubric compile` would ask
    Compile(Box<super::compile::Args>),
    /// What `rubric expand` would ask
    Expand(Box<super::expand::Args>),
}

pub(crate) fn run(args: &Args) -> CommandResult {
    match &args.of {
        Some(Of::Compile(args)) => return super::compile::plan(args),
        Some(Of::Expand(args)) => return super::expand::plan(args),
        None => {}
    }
    let (Some(file), Some(data)) = (&args.file, &args.data) else {
        return Err(miette!("name the program and, after `--data`, the records"));
    };
    let programs = open_programs(file)?;
    let records = open_data(data, None)?;
    let judgments = super::run::open_judgments(args.judgments.as_deref())?;
    let mut driver = Driver::new(programs, records, judgments).only(args.shard);
    let mut opener = Opener::new(&args.asking, None, file, data);
    let mut planned = Planned::default();
    let mut failed = 0_u64;
    loop {
        let next = driver.next_prepared().map_err(|error| {
            miette!(help = DATA_HELP, "the records `{}` cannot be read any further: {error}", data.display())
        })?;
        match next {
            None => break,
            Some(Prepared::Failed(..)) => failed += 1,
            Some(Prepared::Ready(ready)) if !schedule::lacks(&ready) => planned.without(),
            Some(Prepared::Ready(ready)) => match opener.open(&ready.engine)? {
                None => planned.without(),
                Some(Judges { judging, asker, .. }) => {
                    for run in 0..u32::from(args.runs) {
                        planned
                            .add(&ready, &judging, &asker.of_run(run), run == 0)?
                            .map_err(|why| miette!("the records cannot be asked about: {why}"))?;
                    }
                }
            },
        }
    }
    let store = opener.opened().and_then(|judging| judging.store.as_ref()).map(|store| store.path().to_owned());
    let replies = match &store {
        Some(path) => replies(&Look::open(path)?)?,
        None => HashMap::new(),
    };
    let title = if args.runs > 1 { format!("{} runs over ", args.runs) } else { String::new() };
    output::print(&(title + &text(&planned, failed, &replies)))?;
    Ok(ExitCode::SUCCESS)
}

/// The mean tokens of a reply, by model, as stored.
fn replies(look: &Look) -> miette::Result<HashMap<String, u64>> {
    let models = look.models()?.into_iter();
    Ok(models.map(|model| (model.model, model.output.div_ceil(model.judgments.max(1)))).collect())
}

fn text(planned: &Planned, failed: u64, replies: &HashMap<String, u64>) -> String {
    let mut text = format!("{} records, of which {} lack nothing", planned.records, planned.complete);
    if failed > 0 {
        text += &format!("; {failed} more cannot be run (`rubric run` says why)");
    }
    text.push('\n');
    let mut by_model: IndexMap<&str, Line> = IndexMap::new();
    let mut by_criterion: IndexMap<&str, Line> = IndexMap::new();
    for ((alias, about), line) in &planned.lines {
        by_model.entry(alias).or_default().join(line);
        by_criterion.entry(about).or_default().join(line);
    }
    if planned.lines.is_empty() {
        text += "No model is asked.\n";
    } else {
        text += &table("model", by_model.iter(), replies);
        text += &table("criterion", by_criterion.iter().take(MOST_ROWS), replies);
        if by_criterion.len() > MOST_ROWS {
            text += &format!("and {} more\n", by_criterion.len() - MOST_ROWS);
        }
    }
    for (name, (runs, stored)) in &planned.verifiers {
        text += &match stored {
            0 => format!("The verifier `{name}` runs {runs} times.\n"),
            _ => format!("The verifier `{name}` runs {} times; {stored} of its answers are stored.\n", runs - stored),
        };
    }
    let total: Option<Vec<Number>> = by_model.values().map(|line| line.likely(reply(line, replies))).collect();
    let most: Option<Vec<Number>> =
        by_model.values().filter(|line| line.open() > 0).map(|line| line.most.clone()).collect();
    let sum = |all: Vec<Number>| all.iter().fold(Number::ZERO, |sum, n| &sum + n);
    match (total, most) {
        _ if planned.lines.is_empty() => {}
        (Some(likely), Some(most)) => {
            text += &format!(
                "About {}; at most {}, if every reply were as long as it may be.\n",
                money(&sum(likely)),
                money(&sum(most))
            );
        }
        _ => text += "What it costs is not known: a model has no `price` in rubric.toml.\n",
    }
    if planned.more {
        text += "Answers may bring more calls (the second judge of a cascade, the parts of an `each`), which are not counted here.\n";
    }
    text
}

fn reply(line: &Line, replies: &HashMap<String, u64>) -> u64 {
    let known = line.alias.as_ref().and_then(|alias| replies.get(&alias.model));
    known.copied().unwrap_or(REPLY)
}

fn table<'a>(
    what: &str,
    lines: impl Iterator<Item = (&'a &'a str, &'a Line)>,
    replies: &HashMap<String, u64>,
) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([what, "calls", "stored", "to ask", "input tokens", "cost, about", "at most"]);
    for (name, line) in lines {
        let amount = |amount: Option<Number>| amount.map_or_else(|| "?".to_owned(), |amount| money(&amount));
        let counts = [line.calls, line.stored, line.open(), line.input].map(|n| n.to_string());
        let [calls, stored, open, input] = counts;
        let most = if line.open() == 0 { Some(Number::ZERO) } else { line.most.clone() };
        table.add_row([
            (*name).to_owned(),
            calls,
            stored,
            open,
            input,
            amount(line.likely(reply(line, replies))),
            amount(most),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
