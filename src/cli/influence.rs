//! `rubric influence`: how far each judgment of a program reaches.

use super::{CommandResult, output, program};
use crate::graph::Program;
use crate::graph::text::Phrases;
use crate::number::Number;
use crate::types::{Type, Value};
use crate::why::influence::{Decides, Influence, Options, Reach, influence};
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Say how far each judgment reaches: how much it can move the score, what it can decide, which gates silence it
///
/// Exit code: 0 it is told, 1 the program has errors, 2 it could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A program (`.rubric` or JSON), `-` for standard input
    file: PathBuf,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Criteria that are looked at at the most; where there are more, a sample of them
    #[arg(long, default_value_t = 300, value_name = "N")]
    most: usize,
    /// Another sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds after which nothing new is begun
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table, what moves most first
    Human,
    /// One JSON object (`grammar/influence.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric influence essay.rubric
  rubric influence essay.rubric --format json";

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let options = Options { most: args.most, seed: args.seed, time: Duration::from_secs(args.time) };
    let found = influence(&ready.program, &options);
    let text = match args.format {
        Format::Human => human(&ready.program, &found),
        Format::Json => format!("{:#}\n", as_json(&ready.program, &found)),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn human(program: &Program, found: &Influence) -> String {
    let phrases = Phrases::new(program);
    let mut reaches: Vec<&Reach> = found.reaches.iter().collect();
    reaches.sort_by(|a, b| b.at_most.cmp(&a.at_most).then_with(|| b.at_least.cmp(&a.at_least)));
    let sink = program.node(program.sink).map_or("the sink", |node| &*node.name);
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["judgment".to_owned(), format!("moves {sink} by"), "decides".into(), "silenced by".into()]);
    for reach in reaches {
        table.add_row([
            phrases.of(reach.node),
            moves(reach),
            decides(program, reach),
            listed(&reach.silenced, &phrases),
        ]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for list in &found.lists {
        let name = format!("{} (all items)", phrases.of(list.node));
        table.add_row([name, moves(list), decides(program, list), listed(&list.silenced, &phrases)]);
    }
    let mut out = format!("{table}\n");
    if found.reaches.is_empty() && found.lists.is_empty() {
        out = "no criterion to look at\n".to_owned();
    }
    let idle: Vec<String> = found.reaches.iter().filter(|r| r.never_matters()).map(|r| phrases.of(r.node)).collect();
    if !idle.is_empty() {
        out.push_str(&format!("never matters to any readout: {}\n", idle.join(", ")));
    }
    for list in &found.lists {
        out.push_str(&format!(
            "{}: its items come with each record, so only all of them together are looked at; one item has the share that \
             its points have in its record\n",
            phrases.of(list.node)
        ));
    }
    if found.reaches.len() < found.criteria {
        let why = if found.timed_out { "the time ran out (`--time`)" } else { "a sample (`--most`, `--seed`)" };
        out.push_str(&format!("{} of {} were looked at: {why}\n", found.reaches.len(), found.criteria));
    }
    out
}

fn moves(reach: &Reach) -> String {
    if reach.is_exact() {
        return reach.at_least.to_string();
    }
    format!("{} to {}", reach.at_least, reach.at_most)
}

fn decides(program: &Program, reach: &Reach) -> String {
    let keys = |wanted: Decides| -> Vec<&str> {
        program.readouts.iter().zip(&reach.decides).filter(|(_, d)| **d == wanted).map(|(r, _)| r.key()).collect()
    };
    let (yes, unknown) = (keys(Decides::Yes), keys(Decides::NotFound));
    let mut text = if yes.is_empty() { String::new() } else { yes.join(", ") };
    if !unknown.is_empty() {
        let separator = if text.is_empty() { "" } else { "; " };
        text.push_str(&format!("{separator}not seen: {}", unknown.join(", ")));
    }
    if text.is_empty() { "nothing".to_owned() } else { text }
}

fn listed(nodes: &[crate::catalog::NodeId], phrases: &Phrases<'_>) -> String {
    nodes.iter().map(|id| phrases.of(*id)).collect::<Vec<_>>().join(", ")
}

fn as_json(program: &Program, found: &Influence) -> Json {
    let number = |n: &Number| Value::Number(n.clone()).json_exact(&Type::UNIT);
    let name = |id: crate::catalog::NodeId| program.node(id).map_or("", |node| &*node.name).to_owned();
    let reach = |reach: &Reach| {
        let decides: Map<String, Json> = program
            .readouts
            .iter()
            .zip(&reach.decides)
            .map(|(readout, decides)| {
                let word = match decides {
                    Decides::Yes => "yes",
                    Decides::Never => "never",
                    Decides::NotFound => "not_found",
                };
                (readout.key().to_owned(), word.into())
            })
            .collect();
        json!({
            "judgment": name(reach.node),
            "moves": { "at_least": number(&reach.at_least), "at_most": number(&reach.at_most), "exact": reach.is_exact() },
            "decides": decides,
            "silenced_by": reach.silenced.iter().map(|id| name(*id)).collect::<Vec<_>>(),
        })
    };
    json!({
        "format": "rubric-influence/1",
        "program": &*program.name,
        "sink": name(program.sink),
        "criteria": found.criteria,
        "timed_out": found.timed_out,
        "judgments": found.reaches.iter().map(reach).collect::<Vec<_>>(),
        "lists": found.lists.iter().map(reach).collect::<Vec<_>>(),
    })
}
