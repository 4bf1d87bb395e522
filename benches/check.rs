//! Checking, from the text to the program, beside a strict JSON parser over as many bytes.
//!
//! `cargo bench --bench check`. `flat` is 10,000 and 100,000 short criteria in one weighted mean (20,001 and 200,001 nodes),
//! `prose` one megabyte dense with declarations, `long` one megabyte of which most is questions and levels. divan prints
//! bytes per second; the ratio of a row to the `json` row of the same size
//! says what the rest of the language costs on top of reading, whatever the machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may fail")]

mod generated;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use rubric_lang::check::{Checked, check};
use rubric_lang::diagnostics::Sink;
use rubric_lang::source::files::Files;
use rubric_lang::syntax;
use std::path::Path;

fn main() {
    divan::main();
}

fn checked(text: &str) -> Checked {
    let (mut files, file) = Files::text("bench.rubric", Path::new("."), text.to_owned());
    check(&mut files, file)
}

/// The whole way, of a text that must be without any mistake.
fn whole(bencher: Bencher, text: &str) {
    let first = checked(text);
    assert!(first.program.is_some() && first.diagnostics.is_empty(), "{:#?}", first.diagnostics.first());
    bencher.counter(BytesCount::of_str(text)).bench_local(|| checked(black_box(text)));
}

/// Only the tree.
fn parse(bencher: Bencher, text: &str) {
    let (files, file) = Files::text("bench.rubric", Path::new("."), text.to_owned());
    let source = files.get(file).expect("the file was just added");
    bencher.counter(BytesCount::of_str(text)).bench_local(|| syntax::parse(black_box(source), &mut Sink::new()));
}

/// As many bytes of JSON into `serde_json::Value`.
fn json(bencher: Bencher, bytes: usize) {
    let text = generated::json(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| serde_json::from_str::<serde_json::Value>(black_box(&text)).expect("it is JSON"));
}

mod flat {
    use super::{Bencher, generated};

    const SIZES: [usize; 2] = [10_000, 100_000];

    #[divan::bench(args = SIZES, sample_count = 12, sample_size = 1)]
    fn check(bencher: Bencher, criteria: usize) {
        super::whole(bencher, &generated::flat(criteria));
    }

    #[divan::bench(args = SIZES, sample_count = 12, sample_size = 1)]
    fn parse(bencher: Bencher, criteria: usize) {
        super::parse(bencher, &generated::flat(criteria));
    }

    #[divan::bench(args = SIZES, sample_count = 12, sample_size = 1)]
    fn json(bencher: Bencher, criteria: usize) {
        super::json(bencher, generated::flat(criteria).len());
    }
}

mod prose {
    use super::{Bencher, generated};

    const BYTES: usize = 1_000_000;

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn check(bencher: Bencher) {
        super::whole(bencher, &generated::prose(BYTES));
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn parse(bencher: Bencher) {
        super::parse(bencher, &generated::prose(BYTES));
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn json(bencher: Bencher) {
        super::json(bencher, BYTES);
    }
}

mod long {
    use super::{Bencher, generated};

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn check(bencher: Bencher) {
        super::whole(bencher, &generated::long(1_000_000));
    }
}
