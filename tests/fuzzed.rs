//! The bodies of the fuzz targets on mutated programs: what the fuzzer would find in its first second, without a fuzzer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../fuzz/bodies.rs"]
mod bodies;
#[path = "../fuzz/replies.rs"]
mod replies;

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

/// A whole reply of a dialect to the `which`-th thing that is asked, with its two bytes before it; only the right ones are taken.
fn reply(dialect: usize, which: u8) -> String {
    let answer =
        ["4", "true", "\"unknown\"", "\"warm\"", "[\"a\"]", "0.5", "[{\"label\": \"slip\", \"quote\": \"The sky\"}]"];
    let nonce = replies::NONCE;
    let answer = match which {
        5 => format!("{{\"nonce\": \"{nonce}\", \"quotes\": [\"water is wet\"], \"reason\": \"r\", \"answer\": 0.5}}"),
        7 => format!(
            "{{\"nonce\": \"{nonce}\", \"answers\": {{\"1\": {{\"reason\": \"r\", \"answer\": true}}, \"2\": {{\"reason\": \"r\", \"answer\": false}}}}}}"
        ),
        n => format!("{{\"nonce\": \"{nonce}\", \"reason\": \"r\", \"answer\": {}}}", answer[usize::from(n)]),
    };
    let text = serde_json::Value::from(answer);
    let body = match dialect {
        0 => format!("{{\"choices\": [{{\"finish_reason\": \"stop\", \"message\": {{\"content\": {text}}}}}]}}"),
        1 => format!("{{\"stop_reason\": \"end_turn\", \"content\": [{{\"type\": \"text\", \"text\": {text}}}]}}"),
        2 => format!(
            "{{\"candidates\": [{{\"finishReason\": \"STOP\", \"content\": {{\"parts\": [{{\"text\": {text}}}]}}}}]}}"
        ),
        3 => format!("{{\"done\": true, \"done_reason\": \"stop\", \"message\": {{\"content\": {text}}}}}"),
        4 => format!(
            "{{\"model\": \"m\", \"usage\": {{\"input_tokens\": 1, \"output_tokens\": 1}}, \"answers\": {{\"q0_{nonce}\": {{\"type\": \
             \"score\", \"score\": 3.9, \"confidence\": 0.8, \"legend\": {{\"0\": \"1\", \"1\": \"2\", \"2\": \"3\", \"3\": \"4\", \"4\": \"5\"}}, \
             \"probabilities\": {{\"0\": 0, \"1\": 0, \"2\": 0, \"3\": 0.1, \"4\": 0.9}}}}, \
             \"q1_{nonce}\": {{\"type\": \"noul\", \"noul\": 0.9}}, \
             \"q2_{nonce}\": {{\"type\": \"choice\", \"choice\": \"true\", \"confidence\": 0.5, \"probabilities\": {{\"true\": 0.7, \"false\": 0.2, \
             \"unknown\": 0.1}}}}, \
             \"q3_{nonce}\": {{\"type\": \"choice\", \"choice\": \"cold\", \"confidence\": 0.5, \"probabilities\": {{\"warm\": 0.2, \"cold\": 0.8}}}}, \
             \"q4_{nonce}_0\": {{\"type\": \"noul\", \"noul\": 0.1}}, \"q4_{nonce}_1\": {{\"type\": \"noul\", \"noul\": 0.6}}}}}}"
        ),
        _ => format!(
            "{{\"answers\": [{{\"type\": \"score\", \"name\": \"q0_{nonce}\", \"score\": 3.9, \"confidence\": 0.8, \"probabilities\": [{{\"value\": \
             0, \"label\": \"1\", \"probability\": 0}}, {{\"value\": 1, \"label\": \"2\", \"probability\": 0}}, {{\"value\": 2, \"label\": \"3\", \
             \"probability\": 0}}, {{\"value\": 3, \"label\": \"4\", \"probability\": 0.1}}, {{\"value\": 4, \"label\": \"5\", \"probability\": 0.9}}]}}, \
             {{\"type\": \"predicate\", \"name\": \"q1_{nonce}\", \"probability\": 0.9}}, \
             {{\"type\": \"choice\", \"name\": \"q2_{nonce}\", \"choice\": \"true\", \"confidence\": 0.5, \"probabilities\": [{{\"value\": \"true\", \
             \"probability\": 1}}, {{\"value\": \"false\", \"probability\": 0}}, {{\"value\": \"unknown\", \"probability\": 0}}]}}, \
             {{\"type\": \"choice\", \"name\": \"q3_{nonce}\", \"choice\": \"warm\", \"confidence\": 0.5, \"probabilities\": [{{\"value\": \"warm\", \
             \"probability\": 1}}, {{\"value\": \"cold\", \"probability\": 0}}]}}, \
             {{\"type\": \"predicate\", \"name\": \"q4_{nonce}_0\", \"probability\": 0.9}}, {{\"type\": \"predicate\", \"name\": \"q4_{nonce}_1\", \
             \"probability\": 0.2}}]}}"
        ),
    };
    format!("{}{}{body}", char::from(u8::try_from(dialect).unwrap()), char::from(which))
}

#[test]
fn whole_replies_are_taken() {
    for dialect in 0..6 {
        for which in 0..if dialect < 4 { 8 } else { 1 } {
            let reply = reply(dialect, which);
            assert!(replies::read(reply.as_bytes()), "{dialect} {which}: {reply:?}");
            let foreign = reply.replace(replies::NONCE, "fedcba9876543210");
            assert!(!replies::read(foreign.as_bytes()), "{foreign:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn mutated_replies_are_answers_or_none(dialect in 0..6usize, which in 0..8u8, changes in changes()) {
        let which = if dialect < 4 { which } else { 0 };
        let reply = reply(dialect, which);
        let (head, body) = reply.split_at(2);
        replies::read(format!("{head}{}", mutated(body, &changes)).as_bytes());
    }
}

#[test]
fn a_mutation_changes_the_text() {
    assert_eq!(mutated("abcdef", &[(0.5, 1, "X".to_owned())]), "abcXef");
}
