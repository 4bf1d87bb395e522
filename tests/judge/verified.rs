//! Verifiers: run each time, unless their owner says that they always say the same.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![cfg(unix)]

use super::*;

const VERIFIED: &str = r#"
rubric verified
candidate answer: text
criterion long: bool { ask "Is it long?" judge verifier("long") }
readout pointwise = long
"#;

/// Writes a line into `runs` whenever it runs.
const SCRIPT: &str = r#"
read input
echo run >> runs
case "$input" in *"number 3"*) echo '{"value": "perhaps"}' ;; *) cat value.json ;; esac
"#;

fn place(more: &str) -> (Server, Place) {
    let server = Server::start(|_| panic!("nobody asks a model"));
    let place = Place::new(&server, 0, "");
    place.write("verified.rubric", VERIFIED);
    place.write("check.sh", SCRIPT);
    place.write("value.json", "{\"value\": true}\n");
    let record = |n| json!({"id": format!("r{n}"), "answer": format!("It is number {n}.")}).to_string() + "\n";
    place.write("data.jsonl", (0..5).map(record).collect::<String>());
    place.write("rubric.toml", format!("[verifiers.long]\ncommand = [\"sh\", \"check.sh\"]\nallow = true\n{more}\n"));
    (server, place)
}

/// How often it ran since the last time that this was asked.
fn runs(place: &Place, code: i32) -> usize {
    let ran = place.rubric("run verified.rubric --data data.jsonl -o out.jsonl --trace trace.jsonl");
    assert_eq!(ran.code, code, "{}", ran.err);
    let text = std::fs::read_to_string(place.path("runs")).unwrap_or_default();
    let _ = std::fs::remove_file(place.path("runs"));
    text.lines().count()
}

#[test]
fn a_verifier_runs_each_time() {
    let (_server, place) = place("");
    assert_eq!((runs(&place, 5), runs(&place, 5)), (5, 5));
    let why = place.rubric("store why verified.rubric --data data.jsonl --id r0");
    assert!(why.out.contains("runs each time"), "{}{}", why.out, why.err);
}

#[test]
fn one_that_always_says_the_same_is_stored_until_something_changes() {
    let (_server, place) = place("store = true\nreads = [\"value.json\"]");
    // The answer that is none is not stored.
    assert_eq!((runs(&place, 5), runs(&place, 5)), (5, 1));
    let first = place.read("out.jsonl");
    let trace = place.lines("trace.jsonl");
    let call = &trace[2]["candidates"][0]["leaves"][0]["recorded"][0]["calls"][0];
    assert_eq!(call["model"], "verifier long", "{}", trace[2]);
    let plan = place.rubric("plan verified.rubric --data data.jsonl");
    assert!(plan.out.contains("runs 1 times; 4 of its answers are stored"), "{}{}", plan.out, plan.err);
    let why = |id: &str| place.rubric(&format!("store why verified.rubric --data data.jsonl --id {id}")).out;
    assert!(why("r0").contains("stored just now"), "{}", why("r0"));
    // Files that it reads, its script, its command.
    place.write("value.json", "{\"value\": false}\n");
    assert!(why("r0").contains("differs in a file that the verifier runs or reads"), "{}", why("r0"));
    assert_eq!((runs(&place, 5), runs(&place, 5)), (5, 1));
    assert_ne!(place.read("out.jsonl"), first);
    place.write("check.sh", format!("{SCRIPT}# another\n"));
    assert_eq!((runs(&place, 5), runs(&place, 5)), (5, 1));
    let toml = place.read("rubric.toml").replace("\"check.sh\"]", "\"check.sh\", \"-x\"]");
    place.write("rubric.toml", &toml);
    assert_eq!((runs(&place, 5), runs(&place, 5)), (5, 1));
    place.write("rubric.toml", toml.replace("value.json", "lost.json"));
    assert_eq!(runs(&place, 5), 0);
    assert!(place.read("out.jsonl").contains("lost.json"), "{}", place.read("out.jsonl"));
}

#[test]
fn several_runs_ask_one_whose_answers_are_stored_once() {
    // The answer that is none is not stored, so each run asks for it.
    for (more, planned, asked) in [("", 15, 15), ("store = true\nreads = [\"value.json\"]", 5, 7)] {
        let (_server, place) = place(more);
        let plan = place.rubric("plan verified.rubric --data data.jsonl --runs 3");
        assert!(plan.out.contains(&format!("runs {planned} times")), "{}{}", plan.out, plan.err);
        let ran = place.rubric("run verified.rubric --data data.jsonl --runs 3 -o out.jsonl");
        assert_eq!((ran.code, place.read("runs").lines().count()), (5, asked), "{}", ran.err);
        assert_eq!(place.lines("out.jsonl").len(), 15);
    }
}
