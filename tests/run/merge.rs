//! A run that is shared out, and put together again.

use crate::{GRADES, Place};
use serde_json::json;
use std::collections::BTreeSet;

fn place() -> Place {
    let place = Place::new(&[("grades.rubric", GRADES)]);
    let record = |n: u32| {
        let judgments = json!({"accurate": n % 5 + 1, "complete": 0.5, "harmful": n.is_multiple_of(3), "serious": true,
            "care.asks": true, "care.blames": false});
        json!({"id": format!("r{n}"), "question": "q", "minor": false, "answer": "a b c", "judgments": judgments})
            .to_string()
            + "\n"
    };
    let mut records: String = (0..40).map(record).collect();
    records += "{\"id\": \"bad\"}\nnonsense\n";
    place.write("data.jsonl", records);
    place
}

fn sorted(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn shards_are_the_whole_and_merge_into_it() {
    let place = place();
    let whole = place.rubric("run grades.rubric --data data.jsonl -o whole.jsonl --trace whole-trace.jsonl");
    assert_eq!(whole.code, 4, "{}", whole.err);
    for n in 1..=3 {
        let ran = place
            .rubric(&format!("run grades.rubric --data data.jsonl --shard {n}/3 -o {n}.jsonl --trace {n}-trace.jsonl"));
        assert!(ran.code == 0 || ran.code == 4, "{}", ran.err);
        assert!((4..30).contains(&place.read(&format!("{n}.jsonl")).lines().count()));
    }
    let merged = place.rubric("merge 1.jsonl 2.jsonl 3.jsonl -o merged.jsonl");
    assert_eq!(merged.code, 0, "{}", merged.err);
    assert!(merged.err.contains("42 records in results of 3 files"), "{}", merged.err);
    assert_eq!(place.read("merged.jsonl"), place.read("whole.jsonl"));
    // Whatever the order of the files, and if one of them stands there twice or the whole beside it is from elsewhere.
    assert_eq!(place.rubric("merge 3.jsonl 2.jsonl 1.jsonl 2.jsonl -o merged.jsonl").code, 0);
    assert_eq!(place.read("merged.jsonl"), place.read("whole.jsonl"));
    let lines: Vec<serde_json::Value> = place.lines("2.jsonl");
    crate::assert_valid("result", &lines);
    assert!(lines.iter().all(|line| line["line"].is_u64()), "{lines:?}");
    let merged = place.rubric("merge 2.jsonl whole.jsonl -o merged.jsonl");
    assert!(merged.code == 0 && merged.err.contains("stood there twice"), "{}", merged.err);
    assert_eq!(sorted(&place.read("merged.jsonl")), sorted(&place.read("whole.jsonl")));
    // A trace of parts is a trace: every check holds, every value comes out again.
    let merged = place.rubric("merge 3-trace.jsonl 1-trace.jsonl 2-trace.jsonl 1-trace.jsonl -o merged-trace.jsonl");
    assert_eq!(merged.code, 0, "{}", merged.err);
    assert!(merged.err.contains("stood there twice"), "{}", merged.err);
    let replayed = place.rubric("replay merged-trace.jsonl");
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
    assert_eq!(place.read("merged-trace.jsonl"), place.read("whole-trace.jsonl"));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = place();
    place.write("other.rubric", GRADES.replace("at: 0.25", "at: 0.5"));
    place.rubric("run grades.rubric --data data.jsonl -o a.jsonl --trace a-trace.jsonl");
    place.rubric("run other.rubric --data data.jsonl -o b.jsonl --trace b-trace.jsonl");
    for files in ["a.jsonl b.jsonl", "a-trace.jsonl b-trace.jsonl"] {
        let ran = place.rubric(&format!("merge {files} -o out.jsonl"));
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("different programs") && !place.path("out.jsonl").exists(), "{}", ran.err);
    }
    let ran = place.rubric("merge a.jsonl a-trace.jsonl -o out.jsonl");
    assert!(ran.code == 1 && ran.err.contains("another kind"), "{}", ran.err);
    let ran = place.rubric("merge a.jsonl none.jsonl -o out.jsonl");
    assert!(ran.code == 2 && ran.err.contains("none.jsonl"), "{}", ran.err);
    let trace = place.read("a-trace.jsonl");
    place.write("cut.jsonl", &trace[..trace.len() - 40]);
    let ran = place.rubric("merge cut.jsonl -o out.jsonl");
    assert!(ran.code == 1 && ran.err.contains("cut off"), "{}", ran.err);
    let without_end: Vec<&str> = trace.lines().collect();
    place.write("cut.jsonl", without_end[..without_end.len() - 1].join("\n"));
    let ran = place.rubric("merge cut.jsonl -o out.jsonl");
    assert!(ran.code == 1 && ran.err.contains("cut off"), "{}", ran.err);
    place.write("changed.jsonl", trace.replacen("0.5", "0.6", 1));
    let ran = place.rubric("merge changed.jsonl -o out.jsonl");
    assert!(ran.code == 1 && ran.err.contains("changed"), "{}", ran.err);
    let before = place.read("a.jsonl");
    assert_eq!(place.rubric("merge a.jsonl -o a.jsonl").code, 2);
    assert_eq!(place.read("a.jsonl"), before);
}

#[test]
fn of_one_record_the_better_known_is_taken_and_a_contradiction_is_refused() {
    let place = place();
    let judgments = json!({"accurate": 4, "complete": 0.5, "harmful": null, "serious": true, "care.asks": true, "care.blames": false});
    let record = |judgments: &serde_json::Value| {
        json!({"id": "r", "question": "q", "minor": false, "answer": "a", "judgments": judgments}).to_string()
    };
    let with = |key: &str, value: serde_json::Value| {
        let mut all = judgments.clone();
        all[key] = value;
        record(&all)
    };
    let all =
        [("open", record(&judgments)), ("yes", with("harmful", json!(true))), ("no", with("harmful", json!(false)))];
    for (name, text) in &all {
        place.write(&format!("{name}-data.jsonl"), text);
        place.rubric(&format!("run grades.rubric --data {name}-data.jsonl -o {name}.jsonl --trace {name}-trace.jsonl"));
    }
    for kind in ["", "-trace"] {
        for order in [["open", "yes"], ["yes", "open"]] {
            let [a, b] = order;
            let ran = place.rubric(&format!("merge {a}{kind}.jsonl {b}{kind}.jsonl -o out.jsonl"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(ran.err.contains("1 records") && ran.err.contains("leaves less open"), "{}", ran.err);
            assert_eq!(place.read("out.jsonl"), place.read(&format!("yes{kind}.jsonl")));
        }
        let ran = place.rubric(&format!("merge yes{kind}.jsonl no{kind}.jsonl -o refused.jsonl"));
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("the record `r`") && !place.path("refused.jsonl").exists(), "{}", ran.err);
    }
}

#[test]
fn a_shard_that_is_none_is_refused() {
    let place = place();
    for shard in ["0/3", "4/3", "x", "1", "1/0"] {
        let ran = place.rubric(&format!("run grades.rubric --data data.jsonl --shard {shard}"));
        assert!(ran.code == 2 && ran.err.contains("first of four parts"), "{shard}: {}", ran.err);
    }
}
