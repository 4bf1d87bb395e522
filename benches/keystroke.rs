//! What a keystroke costs in the editor: checking the text after it, and what the editor then asks.
//!
//! `cargo bench --bench keystroke`. A program of 1,000 criteria in one weighted mean; a check must stay under 20 ms.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may fail")]

mod generated;

use divan::{Bencher, black_box};
use rubric_lang::ide::{Snapshot, colour, complete, names};
use rubric_lang::project::{self, Opened};
use rubric_lang::source::files::{Files, Overlay};
use std::path::Path;

fn main() {
    divan::main();
}

fn checked(text: &str) -> Opened {
    let (files, file) = Files::over(Path::new("/nowhere/bench.rubric"), text, Overlay::default());
    project::check_files(files, file)
}

/// The text with one letter more in the middle of it, as somebody types it.
fn typed() -> String {
    let text = generated::flat(1_000);
    let at = text.len() / 2 + text[text.len() / 2..].find(" \"").expect("a question") + 2;
    format!("{}x{}", &text[..at], &text[at..])
}

#[divan::bench]
fn check(bencher: Bencher) {
    let text = typed();
    assert!(checked(&text).program.is_some());
    bencher.bench_local(|| checked(black_box(&text)));
}

/// While a word is half written there is an error, and no program.
#[divan::bench]
fn check_broken(bencher: Bencher) {
    let text = typed().replacen("criterion", "criterio", 500);
    assert!(checked(&text).has_errors());
    bencher.bench_local(|| checked(black_box(&text)));
}

fn snapshot() -> Snapshot {
    Snapshot::new(checked(&typed()), None)
}

#[divan::bench]
fn trees(bencher: Bencher) {
    let opened = checked(&typed());
    bencher.bench_local(|| Snapshot::new(black_box(&opened).clone(), None));
}

#[divan::bench]
fn completion(bencher: Bencher) {
    let snapshot = snapshot();
    let end = u32::try_from(typed().len()).expect("small");
    bencher.bench_local(|| complete::complete(black_box(&snapshot), end));
}

#[divan::bench]
fn semantic_tokens(bencher: Bencher) {
    let snapshot = snapshot();
    bencher.bench_local(|| colour::colours(black_box(&snapshot)));
}

#[divan::bench]
fn references(bencher: Bencher) {
    let snapshot = snapshot();
    bencher.bench_local(|| names::occurrences(black_box(&snapshot)));
}
