//! Results do not depend on who answers first, on how many are asked at once, or on where an answer comes from.

use super::*;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Answers late, each request by another time.
fn scrambled(request: &Request) -> Behaviour {
    let mut hasher = DefaultHasher::new();
    request.body.hash(&mut hasher);
    judged(request).after(Duration::from_millis(hasher.finish() % 40))
}

#[test]
fn results_and_traces_are_the_same_whatever_the_order_of_answers() {
    let server = Server::start(scrambled);
    let mut seen = Vec::new();
    for concurrency in [1, 64] {
        let place = Place::new(&server, 60, &format!("concurrency = {concurrency}"));
        let ran = place.run("--trace trace.jsonl");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ids: Vec<String> =
            place.lines("out.jsonl").iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids, (0..60).map(|n| format!("r{n}")).collect::<Vec<_>>());
        let results = place.read("out.jsonl");
        // The same again, out of the store.
        let (before, trace) = (server.count(), place.read("trace.jsonl"));
        assert_eq!(place.run("--trace trace.jsonl").code, 0);
        assert_eq!(
            (server.count(), place.read("out.jsonl"), place.read("trace.jsonl")),
            (before, results.clone(), trace)
        );
        assert_eq!(place.rubric("replay trace.jsonl").code, 0);
        seen.push(results);
    }
    assert_eq!(seen[0], seen[1]);
    assert!(server.most_at_once() > 8);
}

#[test]
fn a_trace_says_who_answered_what_to_which_question() {
    let server = Server::start(judged);
    let place = Place::new(&server, 1, "");
    assert_eq!(place.run("--trace trace.jsonl").code, 0);
    let trace = place.lines("trace.jsonl");
    assert_valid("trace", &trace);
    let leaf = &trace[2]["candidates"][0]["leaves"][0]["recorded"][0];
    let call = &leaf["calls"][0];
    let exported: Vec<Json> =
        place.rubric("store export").out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stored: BTreeMap<&str, &Json> =
        exported.iter().map(|line| (line["criterion"].as_str().unwrap(), line)).collect();
    assert_eq!(call["question"], stored["good"]["key"], "{leaf}");
    assert_eq!(call["model"], stored["good"]["answered"]);
    assert!(call["answer"].as_str().unwrap().starts_with("b3:"));
}

#[test]
fn two_processes_with_one_store_pay_once() {
    let server = Server::start(scrambled);
    let place = Place::new(&server, 60, "");
    let other = place.command("run answers.rubric --data data.jsonl -o other.jsonl").spawn().unwrap();
    let ran = place.run("");
    let other = super::ran(other.wait_with_output().unwrap());
    assert_eq!((ran.code, other.code), (0, 0), "{}{}", ran.err, other.err);
    assert_eq!(place.read("out.jsonl"), place.read("other.jsonl"));
    let requests = server.requests();
    let different: BTreeSet<String> = requests.iter().map(wanted).collect();
    assert_eq!((requests.len(), different.len()), (120, 120));
}

#[test]
fn one_question_that_many_records_put_is_asked_once() {
    let server = Server::start(scrambled);
    let place = Place::new(&server, 0, "");
    let record = |n| json!({"id": format!("r{n}"), "question": "Why?", "answer": "It is number 5."}).to_string() + "\n";
    place.write("data.jsonl", (0..20).map(record).collect::<String>());
    assert_eq!(place.run("").code, 0);
    assert_eq!(server.count(), 2);
    assert_eq!(place.lines("out.jsonl").len(), 20);
    // Records that wait for another's answer do not keep it from its turn in the budget.
    std::fs::remove_dir_all(place.path(".rubric")).unwrap();
    assert_eq!(place.run("--max-calls 2").code, 0);
    assert_eq!(server.count(), 4);
}

#[test]
fn shards_ask_their_own_and_merge() {
    let server = Server::start(judged);
    let place = Place::new(&server, 30, "");
    assert_eq!(place.run("").code, 0);
    std::fs::remove_dir_all(place.path(".rubric")).unwrap();
    let before = server.count();
    for n in 1..=2 {
        let ran = place.rubric(&format!("run answers.rubric --data data.jsonl --shard {n}/2 -o {n}.jsonl"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    assert_eq!(server.count() - before, 60);
    assert_eq!(place.rubric("merge 1.jsonl 2.jsonl -o merged.jsonl").code, 0);
    assert_eq!(place.read("merged.jsonl"), place.read("out.jsonl"));
}

#[test]
fn what_programs_asked_that_are_no_more_is_taken_out() {
    let server = Server::start(judged);
    let place = Place::new(&server, 3, "");
    assert_eq!(place.run("").code, 0);
    // Another question about the same records; its program is then gone.
    std::fs::create_dir(place.path("old")).unwrap();
    place.write("old/other.rubric", super::PROGRAM.replace("How good is", "How very good is"));
    assert_eq!(
        place.rubric("run old/other.rubric --data data.jsonl --config rubric.toml --store .rubric/store.sqlite").code,
        0
    );
    let gc = |arguments: &str| place.rubric(&format!("store gc {arguments}"));
    assert_eq!(gc("--keep-programs answers.rubric old --dry-run").out, "0 judgments would be taken out\n");
    assert_eq!(gc("--keep-programs answers.rubric --dry-run").out, "3 judgments would be taken out\n");
    assert_eq!(gc("--keep-programs answers.rubric --model m-2 --dry-run").out, "0 judgments would be taken out\n");
    // What cannot be read keeps everything: its judgments would be lost.
    place.write("old/broken.rubric", "rubric broken\ncriterion");
    for lost in ["old", "old/broken.rubric", "none.rubric", ".rubric"] {
        let ran = gc(&format!("--keep-programs answers.rubric {lost}"));
        assert!(
            ran.code != 0 && ran.out.is_empty() && !ran.err.is_empty(),
            "{lost}: {} {}{}",
            ran.code,
            ran.out,
            ran.err
        );
    }
    assert_eq!(gc("--keep-programs answers.rubric").out, "3 judgments taken out\n");
    let before = server.count();
    assert_eq!(place.run("").code, 0);
    assert_eq!(server.count(), before);
}
