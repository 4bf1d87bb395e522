//! Proving requirements: the programs that intervals alone do not decide, and one over 100,000 criteria.
//!
//! `cargo bench --bench prove`. Each of the hard ones is to be proved within 100 ms, all requirements together, the one of sixty
//! items within a second.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may fail")]

mod generated;
#[path = "../tests/support/rubrics.rs"]
mod rubrics;

use divan::Bencher;
use rubric_lang::graph::Program;
use rubric_lang::project;
use rubric_lang::prove::{Budget, prove};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn main() {
    divan::main();
}

fn open(text: String) -> Arc<Program> {
    let opened = project::open_text("bench.rubric", Path::new("."), text);
    opened.program.expect("the program has no errors")
}

fn all(bencher: Bencher, program: &Program) {
    let budget = Budget { boxes: u64::MAX, time: Duration::from_secs(60) };
    bencher.bench_local(|| {
        for require in &program.requires {
            assert!(prove(program, require, &budget).is_proved(), "{}", require.text);
        }
    });
}

#[divan::bench(args = 0..rubrics::HARD.len(), sample_count = 10)]
fn hard(bencher: Bencher, which: usize) {
    let (_, text) = rubrics::HARD[which];
    all(bencher, &open(text()));
}

/// One weighted mean over so many criteria.
#[divan::bench(args = [1_000, 100_000], sample_count = 3, sample_size = 1)]
fn flat(bencher: Bencher, criteria: usize) {
    let text = generated::flat(criteria);
    all(bencher, &open(format!("{text}require increasing(c0)\nrequire {{ when quality >= 0.5: pointwise >= 3 }}\n")));
}
