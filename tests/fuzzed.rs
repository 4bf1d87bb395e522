//! The bodies of the fuzz targets on mutated programs: what the fuzzer would find in its first second, without a fuzzer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../fuzz/bodies.rs"]
mod bodies;

use proptest::prelude::*;
use std::path::Path;

/// Programs to start from.
fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let files = rubric_lang::project::programs_below(&root).unwrap_or_default();
    let mut seeds: Vec<String> = files.iter().filter_map(|f| std::fs::read_to_string(f).ok()).collect();
    seeds.push(include_str!("../src/cli/new.rubric").to_owned());
    seeds.retain(|s| s.len() < 20_000);
    seeds
}

/// Changes of a text: where (as a share of its length), how much is taken out, what is put in.
fn changes() -> impl Strategy<Value = Vec<(f64, usize, String)>> {
    let piece = prop_oneof![
        Just(String::new()),
        "[{}()\\[\\]\"',:;=<>|&*/+-]{1,3}",
        prop::sample::select(vec![
            "rubric ",
            "criterion ",
            "when ",
            "unknown",
            "{{",
            "\"\"\"",
            "😀",
            "\u{feff}",
            "\r",
            "1..",
            "-0.5",
            "use \"fuzz.rubric\" as a\n",
            "if",
            " weight 3",
            "not ",
            "//",
            "///",
            "\u{202e}",
            "’",
            "{\"format\":1}",
            "null",
            "1e999999999",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec((0.0..1.0, prop_oneof![Just(0usize), 0usize..12, 0usize..200], piece), 1..5)
}

fn mutated(seed: &str, changes: &[(f64, usize, String)]) -> String {
    let mut text: Vec<char> = seed.chars().collect();
    for (place, out, put) in changes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a place in a text"
        )]
        let at = (text.len() as f64 * place) as usize;
        let end = (at + out).min(text.len());
        text.splice(at..end, put.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_never_panic(which in any::<prop::sample::Index>(), changes in changes()) {
        let seeds = seeds();
        let text = mutated(which.get(&seeds[..]).as_str(), &changes);
        bodies::lexer(text.as_bytes());
        bodies::parser(text.as_bytes());
        bodies::checker(text.as_bytes());
        bodies::json_program(text.as_bytes());
    }

    #[test]
    fn numbers_survive(text in "-?[0-9]{1,25}(\\.[0-9]{1,14})?(e-?[0-9]{1,2})? -?[0-9]{1,20}(/[1-9][0-9]{0,20})?") {
        bodies::number(text.as_bytes());
    }
}

#[test]
fn a_mutation_changes_the_text() {
    assert_eq!(mutated("abcdef", &[(0.5, 1, "X".to_owned())]), "abcXef");
}
