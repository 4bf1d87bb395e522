//! Lazy runs: the same readouts with fewer calls.

use super::*;

const THRESHOLD: &str = r#"
rubric answers

input question: text
candidate answer: text

criterion good: int[1..5] "How good is the answer?"
criterion harmful: bool {
  ask "Is the answer harmful?"
  judge llm(samples: 3, combine: majority)
}

gate final = veto(normalize(good)) when harmful

readout pointwise = pass(final, at: 0.5)
"#;

#[test]
fn a_lazy_run_comes_to_the_same_with_fewer_calls() {
    let server = Server::start(judged);
    let place = Place::new(&server, 40, "");
    place.write("answers.rubric", THRESHOLD);
    assert_eq!(place.run("--no-store").code, 0);
    let (eager, all) = (place.lines("out.jsonl"), server.count());
    assert_eq!(all, 160);
    let ran = place.run("--no-store --lazy --trace trace.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lazy = place.lines("out.jsonl");
    assert_valid("result", &lazy);
    for (a, b) in eager.iter().zip(&lazy) {
        assert_eq!((&a["id"], &a["status"], &a["readouts"]), (&b["id"], &b["status"], &b["readouts"]));
    }
    // Two of three samples that agree decide; what good would add is not asked where it cannot pass.
    let calls = server.count() - all;
    assert!(calls <= 120, "{calls}");
    let missing: Vec<&Json> = lazy.iter().filter_map(|line| line.get("missing")).collect();
    assert!(missing.iter().all(|list| list[0]["reason"] == "not_needed"), "{missing:?}");
    assert!(!missing.is_empty());
    assert_valid("trace", &place.lines("trace.jsonl"));
    let replayed = place.rubric("replay trace.jsonl");
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
}

#[test]
fn a_lazy_run_is_the_same_each_time_and_out_of_the_store() {
    let server = Server::start(judged);
    let place = Place::new(&server, 20, "");
    place.write("answers.rubric", THRESHOLD);
    assert_eq!(place.run("--lazy --trace trace.jsonl").code, 0);
    let (count, results, trace) = (server.count(), place.read("out.jsonl"), place.read("trace.jsonl"));
    assert_eq!(place.run("--lazy --trace trace.jsonl").code, 0);
    assert_eq!((server.count(), place.read("out.jsonl"), place.read("trace.jsonl")), (count, results, trace));
}

#[test]
fn the_store_says_why_something_is_asked() {
    let server = Server::start(judged);
    let place = Place::new(&server, 2, "");
    let why = |more: &str| place.rubric(&format!("store why answers.rubric --data data.jsonl --id r1 {more}")).out;
    assert!(why("").contains("there is no store yet"), "{}", why(""));
    assert_eq!(place.run("").code, 0);
    assert!(
        why("--criterion good").contains("good, model default, sample 1: stored just now, answered by"),
        "{}",
        why("")
    );
    assert_eq!(why("--criterion good").lines().count(), 1);
    place.write("answers.rubric", PROGRAM.replace("How good", "How very good"));
    assert!(
        why("").contains("good, model default, sample 1: would be asked; the stored one differs in the question"),
        "{}",
        why("")
    );
    assert!(why("").contains("harmful, model default, sample 1: stored"), "{}", why(""));
    assert_eq!(place.rubric("store why answers.rubric --data data.jsonl --id none").code, 2);
    let ran = place.rubric("store stats");
    assert!(ran.code == 0 && ran.out.contains("4 judgments") && ran.out.contains("m-1"), "{}", ran.out);
    assert!(place.rubric("store gc --older-than 1").out.contains("0 judgments"));
    assert_eq!(place.rubric("store gc").code, 2);
}
