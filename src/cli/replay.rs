//! `rubric replay`: computes a trace again, or asks what another program would have said.

use super::{CommandResult, FAULTS, output, program};
use crate::project;
use crate::run::columns;
use crate::run::engine::Engine;
use crate::run::replay::other::{Change, Next};
use crate::run::replay::{Fault, Replay, Step};
use comfy_table::{Table, presets::UTF8_FULL_CONDENSED};
use indexmap::IndexMap;
use miette::miette;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Faults and changes that are shown one by one.
const MOST: usize = 20;

/// Compute everything of a trace again from its recorded judgments, and compare
///
/// Exit code: 0 everything comes out as recorded (with --with: no outcome changes), 1 something differs or was changed,
/// 2 the trace or the program could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The trace that `rubric run --trace` wrote; `-` for standard input
    trace: PathBuf,
    /// Another program: what it would have said on the same judgments
    #[arg(long)]
    with: Option<PathBuf>,
    /// With --with: where every change goes, one JSON line each; `-` for standard output
    #[arg(short, long, requires = "with")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rubric replay trace.jsonl                             computes everything again and compares
  rubric replay trace.jsonl --with stricter.rubric      what would change under another program
  rubric replay trace.jsonl --with stricter.rubric -o changes.jsonl";

pub(crate) fn run(args: &Args) -> CommandResult {
    let reader = open(&args.trace)?;
    let open_program = |json: &str| {
        let opened = project::open_text("the program in the trace", Path::new("."), json.to_owned());
        match (opened.program, opened.diagnostics.iter().find(|diagnostic| diagnostic.is_error())) {
            (Some(program), None) => Ok(program),
            (_, Some(error)) => Err(error.headline.clone()),
            (None, None) => Err("it is no program".to_owned()),
        }
    };
    let replay = Replay::new(reader, &open_program);
    match &args.with {
        None => same(replay, &args.trace),
        Some(path) => with(replay, args, &Engine::new(Arc::clone(&program::require(path)?.program))),
    }
}

pub(super) fn open(path: &Path) -> miette::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    if path.is_dir() {
        return Err(miette!(
            help = "name the file that `rubric run --trace` wrote",
            "`{}` is a folder",
            path.display()
        ));
    }
    let unread = |why: String| {
        miette!(
            help = "name the file that `rubric run --trace` wrote",
            "the trace `{}` cannot be read: {why}",
            path.display()
        )
    };
    let mut file = File::open(path).map_err(|error| unread(crate::source::in_words(&error)))?;
    if columns::is_parquet(&mut file).map_err(|error| unread(crate::source::in_words(&error)))? {
        return Err(unread("it is Parquet, and a trace is lines".to_owned()));
    }
    Ok(Box::new(BufReader::with_capacity(256 * 1024, file)))
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> miette::Report {
    miette!(
        help = "a trace is written by `rubric run --trace FILE`",
        "the trace `{}` cannot be read: {error}",
        path.display()
    )
}

/// Computes the trace again and compares.
fn same<R: BufRead>(mut replay: Replay<'_, R>, path: &Path) -> CommandResult {
    let (mut faults, mut failed) = (0_usize, 0_u64);
    while let Some(step) = replay.next_step().map_err(|error| unreadable(path, &error))? {
        match step {
            Step::Record { .. } => {}
            Step::Failed { .. } => failed += 1,
            Step::Fault(fault) => tell(path, &fault, &mut faults),
        }
    }
    let records = replay.records();
    let s = if records == 1 { "record" } else { "records" };
    let had_failed = if failed > 0 { format!(" ({failed} of them had failed)") } else { String::new() };
    if faults == 0 {
        output::print(&format!("{records} {s}{had_failed}: everything comes out as recorded\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines = if faults == 1 { "1 line does not hold".to_owned() } else { format!("{faults} lines do not hold") };
    output::print(&format!("{records} {s}{had_failed}: {lines}\n"))?;
    Ok(ExitCode::from(FAULTS))
}

/// Shows a fault, unless there were many.
fn tell(path: &Path, fault: &Fault, faults: &mut usize) {
    *faults += 1;
    if *faults > MOST {
        return;
    }
    let record = fault.record.as_ref().map_or(String::new(), |id| format!(", record `{id}`"));
    let mut text = format!("{}, line {}{record}: {}", path.display(), fault.line, fault.what);
    if let Some(difference) = &fault.difference {
        let candidate = difference.candidate.as_ref().map_or(String::new(), |id| format!("candidate `{id}`, "));
        let (recorded, computed) = (&difference.recorded, &difference.computed);
        text.push_str(&format!("\n  {candidate}{}: recorded {recorded}, computed {computed}", difference.place));
    }
    output::note(&text);
}

/// How a readout's outcomes moved.
#[derive(Default)]
struct Moved {
    same: u64,
    changed: u64,
    moves: IndexMap<(String, String), u64>,
}

/// Runs another program on the same judgments and shows what changes.
fn with<R: BufRead>(mut replay: Replay<'_, R>, args: &Args, other: &Engine) -> CommandResult {
    let (mut faults, mut shown) = (0_usize, 0_usize);
    let mut readouts: IndexMap<String, Moved> = IndexMap::new();
    let mut lines = args.output.as_deref().map(|path| output::stream(Some(path))).transpose()?;
    let to_stdout = args.output.as_deref().is_some_and(|path| output::is_stdout(Some(path)));
    while let Some(next) = replay.next_compared(other).map_err(|error| unreadable(&args.trace, &error))? {
        let compared = match next {
            Next::Compared(compared) => compared,
            Next::Failed => continue,
            Next::Fault(fault) => {
                tell(&args.trace, &fault, &mut faults);
                continue;
            }
        };
        for change in &compared.changes {
            let moved = readouts.entry(change.readout.clone()).or_default();
            if change.is_same() {
                moved.same += 1;
                continue;
            }
            moved.changed += 1;
            let key = (said(change.before.as_ref()), said(change.after.as_ref()));
            if moved.moves.contains_key(&key) || moved.moves.len() < 1000 {
                *moved.moves.entry(key).or_default() += 1;
            }
            if let Some(out) = &mut lines {
                writeln!(out, "{}", line(&compared.id, change))
                    .map_err(|error| output::failed(args.output.as_deref(), error))?;
            } else if shown < MOST {
                shown += 1;
                let candidate = change.candidate.as_ref().map_or(String::new(), |id| format!(" / {id}"));
                let (before, after) = (said(change.before.as_ref()), said(change.after.as_ref()));
                output::print(&format!("{}{candidate}: {} {before} -> {after}\n", compared.id, change.readout))?;
            }
        }
    }
    if let Some(out) = &mut lines {
        out.flush().map_err(|error| output::failed(args.output.as_deref(), error))?;
    }
    let changed: u64 = readouts.values().map(|moved| moved.changed).sum();
    let text = changes_table(&readouts, changed, shown, replay.records());
    if to_stdout {
        output::note(text.trim_end())
    } else {
        output::print(&text)?
    }
    Ok(if changed > 0 || faults > 0 { ExitCode::from(FAULTS) } else { ExitCode::SUCCESS })
}

fn changes_table(readouts: &IndexMap<String, Moved>, changed: u64, shown: usize, records: u64) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(["readout", "same", "changed", "most frequent change"]);
    for (key, moved) in readouts {
        let most = moved.moves.iter().max_by_key(|(_, n)| **n);
        let most = most.map_or(String::new(), |((before, after), n)| format!("{before} -> {after} ({n})"));
        table.add_row([key.clone(), moved.same.to_string(), moved.changed.to_string(), most]);
    }
    let more = usize::try_from(changed).unwrap_or(usize::MAX).saturating_sub(shown);
    let more =
        if more > 0 && shown > 0 { format!("and {more} more changes; `-o FILE` lists all\n") } else { String::new() };
    let s = if records == 1 { "record" } else { "records" };
    format!("{more}{records} {s}, {changed} outcome{} changed\n{table}\n", if changed == 1 { "" } else { "s" })
}

/// An outcome in words.
fn said(outcome: Option<&serde_json::Value>) -> String {
    match outcome {
        None => "(no such readout)".to_owned(),
        Some(serde_json::Value::Null) => "abstained".to_owned(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(json) => match json.get("winner").and_then(serde_json::Value::as_str) {
            Some(id) => format!("{id} wins"),
            None if json.get("tie").is_some() => "tie".to_owned(),
            None if json.get("open").is_some() => "open".to_owned(),
            None => json.to_string(),
        },
    }
}

fn line(id: &str, change: &Change) -> serde_json::Value {
    let mut map = serde_json::Map::new();
    map.insert("id".to_owned(), id.into());
    if let Some(candidate) = &change.candidate {
        map.insert("candidate".to_owned(), candidate.as_str().into());
    }
    map.insert("readout".to_owned(), change.readout.as_str().into());
    for (key, outcome) in [("before", &change.before), ("after", &change.after)] {
        if let Some(outcome) = outcome {
            map.insert(key.to_owned(), outcome.clone());
        }
    }
    serde_json::Value::Object(map)
}
