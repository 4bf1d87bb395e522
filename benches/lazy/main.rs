//! How many judgments a lazy run leaves out, on recorded judgments of real models and people, and how many could be left out.
//!
//! `cargo bench --bench lazy` (with words behind `--`: sets whose names hold one). For each set: the judgments of an eager run, those that a lazy run asks for and the share that
//! it saves, and the share that would be saved by asking for the floor, the fewest judgments that fix each record's readouts,
//! found with hindsight (`≥` where the search for fewer ended at its budget). Sets are those with gates,
//! weights, votes or thresholds; each shows the score itself, and, where the set names a threshold or ours is marked, the
//! verdict alone. The data stands beside the project and is no part of it; a set that is absent is named and left out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark that panics is a benchmark that fails"
)]

#[path = "../../tests/support/hbqrs.rs"]
mod hbqrs;
mod sets;

use rubric_lang::graph::{NodeKind, Procedure, Program};
use rubric_lang::project;
use rubric_lang::run::driver::{Driver, Prepared, Programs, Ready};
use rubric_lang::run::engine::Engine;
use rubric_lang::run::lazy::hindsight::{asked, floor};
use rubric_lang::run::lazy::{Lazy, Want};
use rubric_lang::run::record::{DataFormat, Records};
use serde_json::Value as Json;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sets of judgments that are tried per record in the search for the floor.
const BUDGET: usize = 1_500;

/// Programs with their records.
pub struct Set {
    pub name: String,
    /// A program's text, the readout that is kept, and records with their judgments.
    pub parts: Vec<(String, &'static str, Vec<Json>)>,
}

#[derive(Default)]
struct Count {
    records: usize,
    all: usize,
    asked: usize,
    fewest: usize,
    inexact: usize,
    time: Duration,
}

fn main() {
    println!(
        "{:<44} {:>7} {:>9} {:>9} {:>7} {:>10} {:>12}",
        "set", "records", "judgments", "asked", "saved", "at floor", "µs per ask"
    );
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for set in sets::all().filter(|set| wanted.is_empty() || wanted.iter().any(|word| set.name.contains(word))) {
        let mut count = Count::default();
        for (text, readout, records) in &set.parts {
            one(text, readout, records, &mut count);
        }
        let percent = |n: usize| 100.0 * (count.all - n) as f64 / count.all.max(1) as f64;
        println!(
            "{:<44} {:>7} {:>9} {:>9} {:>6.1}% {:>2}{:>6.1}% {:>12.0}",
            set.name,
            count.records,
            count.all,
            count.asked,
            percent(count.asked),
            if count.inexact > 0 { "≥" } else { "" },
            percent(count.fewest),
            count.time.as_secs_f64() * 1e6 / count.asked.max(1) as f64
        );
    }
}

/// The program without its other readouts, which would want judgments of their own.
fn with_readout(text: &str, readout: &str) -> Program {
    let opened = project::open_text("set.rubric", Path::new("."), text.to_owned());
    let program = opened.program.unwrap_or_else(|| panic!("the program of a set has faults:\n{text}"));
    let mut program = Arc::unwrap_or_clone(program);
    program.readouts.retain(|r| r.key() == readout);
    program.observed.clear();
    assert_eq!(program.readouts.len(), 1, "{readout}");
    program
}

fn one(text: &str, readout: &str, records: &[Json], count: &mut Count) {
    let engine = Arc::new(Engine::new(Arc::new(with_readout(text, readout))));
    let lazy = Lazy::new(&engine.program, |_| 1.0);
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let records = Records::from_reader(Box::new(Cursor::new(lines)), Some(DataFormat::Jsonl)).unwrap();
    let mut driver = Driver::new(Programs::One(Arc::clone(&engine)), records, None);
    while let Some(prepared) = driver.next_prepared().unwrap() {
        match prepared {
            Prepared::Ready(ready) => record(&engine, &lazy, &ready, count),
            Prepared::Failed(fault, _) => panic!("{}", fault.reason),
        }
    }
}

fn record(engine: &Engine, lazy: &Lazy, ready: &Ready, count: &mut Count) {
    let program = &engine.program;
    let asks = |want: &Want| match program.node(want.node).map(|node| &node.kind) {
        Some(NodeKind::Criterion(criterion)) => !matches!(criterion.procedure, Procedure::Rule(_)),
        kind => kind.is_some(),
    };
    let ids = vec![""; ready.judged.own.len()];
    let began = Instant::now();
    let found = asked(lazy, engine, &ready.record.id, &ids, &ready.judged, &asks).unwrap();
    count.time += began.elapsed();
    let least = floor(engine, &ready.record.id, &ids, &ready.judged, &asks, &found.wants, BUDGET).unwrap();
    count.records += 1;
    count.all += found.all;
    count.asked += found.wants.len();
    count.fewest += least.fewest;
    count.inexact += usize::from(!least.exact);
}
