//! `rubric why`: why a record came out as it did, and what would have changed it.

use super::{CommandResult, FAILED, output, program, record};
use crate::graph::{Mode, Program};
use crate::number::Number;
use crate::run::engine::Engine;
use crate::run::replay::Replay;
use crate::why::flip::{Effort, Flip};
use crate::why::slots::{How, Slot};
use crate::why::{Explanation, NodeWhy, ReadoutWhy, Wanted, explain, json};
use miette::miette;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Slots and nodes that are shown one by one.
const MOST_SLOTS: usize = 14;
const MOST_NODES: usize = 40;

/// Say why a record came out as it did: which gates fired, what each judgment contributed, what would have changed it
///
/// Exit code: 0 it is explained, 2 the trace, the record or the program could not be read, 4 the record had failed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The trace that `rubric run --trace` wrote; `-` for standard input
    trace: PathBuf,
    /// The record's id
    #[arg(long)]
    id: String,
    /// One of its candidates
    #[arg(long)]
    candidate: Option<String>,
    /// Another program: what it would have said on the same judgments, and why
    #[arg(long)]
    program: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// How long the smallest change is looked for: nodes that are computed, in millions
    #[arg(long, default_value_t = 20, value_name = "MILLIONS")]
    effort: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// From the readouts down
    Human,
    /// One JSON object (`grammar/why.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric why trace.jsonl --id r17
  rubric why trace.jsonl --id r17 --candidate b --format json
  rubric why trace.jsonl --id r17 --program stricter.rubric";

pub(crate) fn run(args: &Args) -> CommandResult {
    let reader = super::replay::open(&args.trace)?;
    let other = match &args.program {
        Some(path) => Some(Engine::new(Arc::clone(&program::require(path)?.program))),
        None => None,
    };
    let mut replay = Replay::new(reader, &record::open_program);
    let Some(located) = record::find(&mut replay, &args.trace, &args.id, other.as_ref())? else {
        return Ok(ExitCode::from(FAILED));
    };
    let Some(engine) = other.as_ref().or_else(|| replay.program_of(&located)) else {
        return Err(miette!("the program of record `{}` is not in the trace", args.id));
    };
    let candidate = match &args.candidate {
        None => None,
        Some(name) => Some(record::candidate(&located, &args.id, name)?),
    };
    let effort = Effort { work: args.effort.saturating_mul(1_000_000), ..Effort::default() };
    let wanted = Wanted { candidate, effort: Some(effort) };
    let explained = explain(engine, &args.id, &located.candidates, &located.judged, wanted);
    let text = match args.format {
        Format::Human => human(&engine.program, &args.id, &located.candidates, &explained),
        Format::Json => {
            format!("{:#}\n", json::whole(&engine.program, &args.id, &located.candidates, &explained))
        }
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn human(program: &Program, id: &str, ids: &[Option<String>], explained: &Explanation) -> String {
    let names: Vec<&str> = ids.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let mut out = format!("Record {id} ({})\n", program.name);
    for why in &explained.readouts {
        readout(program, &names, explained, why, &mut out);
    }
    for (place, nodes) in &explained.ways {
        out.push('\n');
        if let Some(name) = names.get(*place).filter(|name| !name.is_empty()) {
            let _ = writeln!(out, "Candidate {name}");
        }
        // What stands inside its reader is shown where it puts several judgments together.
        let several = |node: &NodeWhy| node.slots.iter().filter(|slot| slot.source.is_some()).count() > 1;
        let shown: Vec<&NodeWhy> =
            nodes.iter().filter(|node| !node.whole.is_empty() && (node.named || several(node))).collect();
        for node in shown.iter().take(MOST_NODES) {
            operator(program, nodes, node, &mut out);
        }
        if shown.len() > MOST_NODES {
            let _ = writeln!(out, "  and {} more; `--format json` has all", shown.len() - MOST_NODES);
        }
    }
    out
}

/// A readout, what would flip it, and what it lacks.
fn readout(program: &Program, names: &[&str], explained: &Explanation, why: &ReadoutWhy, out: &mut String) {
    let Some(entry) = program.readouts.get(why.target.readout) else { return };
    let whose = why.target.candidate.and_then(|place| names.get(place)).filter(|name| !name.is_empty());
    let whose = whose.map_or(String::new(), |name| format!(" of {name}"));
    let by_bounds = if why.reading.decided_by_bounds { ", whatever the missing judgments are" } else { "" };
    let _ = writeln!(out, "\n{}{whose}: {}{by_bounds}", entry.key(), why.reading.outcome.text(&entry.ty, names));
    let called = |variable: usize| {
        let Some(judgment) = explained.variables.get(variable) else { return String::new() };
        let whose = judgment.of.candidate.and_then(|place| names.get(place)).filter(|name| !name.is_empty());
        match whose {
            Some(name) if why.target.candidate.is_none() => format!("{} of {name}", judgment.name),
            _ => judgment.name.clone(),
        }
    };
    match &why.flip {
        Flip::Found { changes, outcome, least, at_least } => {
            let count = match changes.len() {
                1 => "one judgment".to_owned(),
                n => format!("{n} judgments"),
            };
            let only = match (*least, changes.len()) {
                (true, 1) => String::new(),
                (true, _) => "; no fewer would".to_owned(),
                (false, _) => format!("; perhaps fewer would, but at least {at_least}"),
            };
            let _ = writeln!(out, "  {count} would make it {}{only}:", outcome.text(&entry.ty, names));
            for (variable, to) in changes {
                let Some(of) = explained.variables.get(*variable) else { continue };
                let from = of.of.value.as_ref().map_or_else(|| "missing".to_owned(), |value| value.text(&of.of.ty));
                let _ = writeln!(out, "    {}: {} instead of {from}", called(*variable), to.text(&of.of.ty));
            }
        }
        Flip::Never => out.push_str("  no change of what was judged would make it anything else\n"),
        Flip::Unfound { at_least } => {
            let _ = writeln!(out, "  no change was found that makes it anything else; it takes at least {at_least}");
        }
        Flip::NotAsked => {}
    }
    if why.reading.is_open() {
        for lacking in why.lacking.iter().take(MOST_SLOTS) {
            let what = match (lacking.always, lacking.decides.first()) {
                (true, _) => "decides it, whatever it is".to_owned(),
                (false, Some((value, outcome))) => {
                    let ty = explained.variables.get(lacking.variable).map(|j| &j.of.ty);
                    let value = ty.map_or(String::new(), |ty| value.text(ty));
                    format!("would decide it, for example as {value}: {}", outcome.text(&entry.ty, names))
                }
                (false, None) => "does not decide it alone".to_owned(),
            };
            let reason = lacking.reason.map_or(String::new(), |r| format!(" ({})", r.word().replace('_', " ")));
            let _ = writeln!(out, "  missing {}{reason}: {what}", called(lacking.variable));
        }
        if why.lacking.len() > MOST_SLOTS {
            let _ = writeln!(out, "  and {} more are missing", why.lacking.len() - MOST_SLOTS);
        }
    }
    if entry.mode != Mode::Pointwise {
        return;
    }
    if let Some(node) = program.node(entry.source) {
        let value = explained
            .ways
            .iter()
            .filter(|(place, _)| Some(*place) == why.target.candidate)
            .find_map(|(_, nodes)| nodes.iter().find(|n| n.node == entry.source))
            .map_or(String::new(), said);
        let _ = writeln!(out, "  it reads {} = {value}", node.name);
    }
}

/// A node's value, or what it may be.
fn said(node: &NodeWhy) -> String {
    node.bounds.clone()
}

/// An operator with its slots.
fn operator(program: &Program, nodes: &[NodeWhy], node: &NodeWhy, out: &mut String) {
    let fired = match node.gate {
        Some(Some(true)) => match node.slots.iter().find(|slot| slot.port == "base") {
            Some(base) if base.value != node.value => {
                format!("   FIRED: {} became {}", value_of(program, base), said(node))
            }
            _ => "   fired, and changed nothing".to_owned(),
        },
        Some(Some(false)) => "   did not fire".to_owned(),
        Some(None) => "   not known whether it fires".to_owned(),
        None => String::new(),
    };
    let _ = writeln!(out, "  {} = {}{fired}", node.name, said(node));
    if !node.whole.is_empty() && node.whole != node.name {
        let _ = writeln!(out, "      {}", shortened(&node.whole));
    }
    if node.gate.is_some() {
        return;
    }
    let mut slots: Vec<&Slot> = node.slots.iter().filter(|slot| slot.source.is_some()).collect();
    if node.how == How::Summands {
        slots.sort_by_key(|slot| std::cmp::Reverse(slot.contribution.as_ref().map(Number::abs)));
    } else {
        slots.sort_by_key(|slot| !slot.decides);
    }
    for slot in slots.iter().take(MOST_SLOTS) {
        let source = slot.source.and_then(|id| nodes.iter().find(|n| n.node == id));
        let name = source.map_or(String::new(), |source| shortened(&source.name));
        let value = source.map_or(String::new(), said);
        let note = match (&slot.contribution, node.how) {
            _ if slot.left_out => "   left out".to_owned(),
            (Some(part), _) => {
                let weight = slot.weight.as_ref().map_or(String::new(), |w| format!(" (weight {})", w.exact()));
                format!("   gives {part}{weight}")
            }
            (None, How::Decides) if slot.decides => "   decides".to_owned(),
            _ => String::new(),
        };
        let stands = slot.stand_in.as_ref().map_or(String::new(), |v| {
            let ty = slot.source.and_then(|id| program.node(id)).map(|n| &n.ty);
            format!(", counted as {}", ty.map_or(String::new(), |ty| v.text(ty)))
        });
        let _ = writeln!(out, "        {name} = {value}{stands}{note}");
    }
    if slots.len() > MOST_SLOTS {
        let _ = writeln!(out, "        and {} more", slots.len() - MOST_SLOTS);
    }
}

fn value_of(program: &Program, slot: &Slot) -> String {
    let ty = slot.source.and_then(|id| program.node(id)).map(|n| &n.ty);
    match (&slot.value, ty) {
        (Some(value), Some(ty)) => crate::run::bounds::Bounds::exactly(value).text(ty),
        _ => "?".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}
