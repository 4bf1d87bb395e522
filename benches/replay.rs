//! Node evaluations a second of a whole replay: trace lines are read, verified, joined, computed, written and compared.
//!
//! `cargo bench --bench replay`. The trace is of 200 records of a clinical program with some sixty judgments each; divan
//! prints items (all nodes of the program, for each record) per second. `engine` computes the same from judgments
//! that were already read, and `json` only parses the lines, so that it can be seen where the time goes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may fail")]

mod generated;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rubric_lang::graph::Program;
use rubric_lang::project;
use rubric_lang::run::driver::{Driver, Programs, write_trace};
use rubric_lang::run::engine::Engine;
use rubric_lang::run::judgment::Judged;
use rubric_lang::run::record::{DataFormat, Records};
use rubric_lang::run::replay::{Replay, Step};
use rubric_lang::run::trace::Writer;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

fn main() {
    divan::main();
}

const RECORDS: usize = 200;

fn program(text: &str) -> Arc<Program> {
    let opened = project::open_text("clinical.rubric", Path::new("."), text.to_owned());
    assert!(opened.diagnostics.is_empty(), "{:#?}", opened.diagnostics.first());
    opened.program.expect("it has no errors")
}

fn driver() -> Driver {
    let programs = Programs::One(Arc::new(Engine::new(program(&generated::clinical()))));
    let data = Box::new(Cursor::new(generated::records(RECORDS).into_bytes()));
    Driver::new(programs, Records::from_reader(data, Some(DataFormat::Jsonl)).expect("readable"), None)
}

/// The trace of a run.
fn trace() -> Vec<u8> {
    let mut trace = Vec::new();
    let mut writer = Writer::new(&mut trace).expect("writable");
    let mut driver = driver();
    while let Some(done) = driver.next_record().expect("readable") {
        assert!(done.outcome.is_ok(), "{:?}", done.outcome.err());
        write_trace(&mut writer, &done).expect("writable");
    }
    writer.end().expect("writable");
    drop(writer);
    trace
}

fn nodes() -> ItemsCount {
    ItemsCount::new(program(&generated::clinical()).nodes.len() * RECORDS)
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn replay(bencher: Bencher) {
    let trace = trace();
    let program = program(&generated::clinical());
    // The program of the trace is opened once however long the trace is; that is not what is measured.
    let open = |_: &str| Ok(Arc::clone(&program));
    bencher.counter(nodes()).bench_local(|| {
        let mut replay = Replay::new(black_box(&trace[..]), &open);
        while let Some(step) = replay.next_step().expect("readable") {
            assert!(matches!(step, Step::Record { .. }), "{step:?}");
        }
        assert_eq!(replay.records(), RECORDS as u64);
    });
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn engine(bencher: Bencher) {
    let engine = Engine::new(program(&generated::clinical()));
    let mut driver = driver();
    let mut judged: Vec<Judged> = Vec::new();
    while let Some(done) = driver.next_record().expect("readable") {
        judged.extend(done.outcome.ok().map(|finished| finished.judged));
    }
    assert_eq!(judged.len(), RECORDS);
    bencher.counter(nodes()).bench_local(|| {
        for one in black_box(&judged) {
            let _ = black_box(engine.outcomes("r", &[""], one));
        }
    });
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn json(bencher: Bencher) {
    let text = String::from_utf8(trace()).expect("a trace is text");
    bencher.counter(nodes()).bench_local(|| {
        for line in black_box(&text).lines() {
            let _ = black_box(serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
        }
    });
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn run(bencher: Bencher) {
    bencher.counter(nodes()).with_inputs(driver).bench_local_values(|mut driver| {
        while let Some(done) = driver.next_record().expect("readable") {
            let _ = black_box(done.outcome.is_ok());
        }
    });
}
