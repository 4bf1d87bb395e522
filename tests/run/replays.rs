//! Traces: the same again, changed bytes found and named, another program on the same judgments.

use crate::{GRADES, Place};
use rubric_lang::project;
use rubric_lang::run::replay::{Fault, Replay, Step};
use std::path::Path;

const RECORDS: &str = r#"{"id": "one", "question": "q", "minor": false, "answer": "x", "judgments": {"accurate": {"values": [4, 5, 3]}, "complete": 0.7, "harmful": false, "serious": true, "care.asks": true, "care.2": false}}
{"id": "two", "question": "q", "minor": true, "judgments": {"serious": true}, "candidates": [{"id": "a", "answer": "x", "judgments": {"accurate": 5, "complete": 1, "harmful": true, "care.asks": true, "care.blames": false}}, {"id": "b", "answer": "y", "judgments": {"accurate": 4, "complete": "unknown", "harmful": false, "care.asks": true}}]}
{"id": "bad"}
"#;

fn traced() -> (Place, String) {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", RECORDS)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl --trace t.jsonl").code, 4);
    let trace = place.read("t.jsonl");
    (place, trace)
}

/// The faults of a trace; an error where it is none.
fn faults(trace: &[u8]) -> Result<Vec<Fault>, String> {
    let open = |json: &str| {
        let opened = project::open_text("trace", Path::new("."), json.to_owned());
        opened.program.filter(|_| !opened.diagnostics.iter().any(|d| d.is_error())).ok_or_else(|| "faulty".to_owned())
    };
    let mut replay = Replay::new(trace, &open);
    let mut faults = Vec::new();
    loop {
        match replay.next_step() {
            Ok(Some(Step::Fault(fault))) => faults.push(fault),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(faults),
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[test]
fn a_replay_comes_out_the_same() {
    let (place, trace) = traced();
    let ran = place.rubric("replay t.jsonl");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "3 records (1 of them had failed): everything comes out as recorded\n")
    );
    assert_eq!(faults(trace.as_bytes()), Ok(Vec::new()));
}

#[test]
fn changed_bytes_are_found() {
    let (_, trace) = traced();
    let bytes = trace.as_bytes();
    let line_of = |at: usize| 1 + bytes[..at].iter().filter(|b| **b == b'\n').count() as u64;
    // Places all over the trace, fewer in the long line of the program; the chain's own test changes every byte.
    let program = trace.lines().next().unwrap().len()..trace.lines().take(2).map(|line| line.len() + 1).sum::<usize>();
    for at in (0..bytes.len()).filter(|at| !program.contains(at) || at % 97 == 0).step_by(29) {
        let mut changed = bytes.to_vec();
        changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
        let Ok(found) = faults(&changed) else {
            assert_eq!(line_of(at), 1, "only a changed head makes it no trace");
            continue;
        };
        assert!(found.iter().any(|fault| fault.line == line_of(at)), "byte {at}: {found:?}");
    }
}

#[test]
fn the_node_that_differs_is_named() {
    let (_, trace) = traced();
    let change = |from: &str, to: &str| {
        assert!(trace.contains(from), "{from} is not in\n{trace}");
        faults(trace.replacen(from, to, 1).as_bytes()).unwrap()
    };
    let found = change(r#""values":[4,5,3]"#, r#""values":[4,5,5]"#);
    let difference = found[0].difference.clone().unwrap();
    assert_eq!((found[0].line, found[0].record.as_deref()), (3, Some("one")));
    assert_eq!(
        (difference.place.as_str(), difference.recorded.as_str(), difference.computed.as_str()),
        ("criterion accurate", "4", "5")
    );
    let found =
        change(r#"{"node":"quality.1","in":{"x":[4]},"out":0.75}"#, r#"{"node":"quality.1","in":{"x":[4]},"out":0.5}"#);
    let difference = found[0].difference.clone().unwrap();
    assert_eq!(
        (difference.place.as_str(), difference.recorded.as_str(), difference.computed.as_str()),
        ("node quality.1", "0.5", "0.75")
    );
}

#[test]
fn lines_that_are_gone_are_missed() {
    let (_, trace) = traced();
    let without = |n: usize| {
        let kept = trace.lines().enumerate().filter(|(at, _)| *at != n);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    assert!(!faults(without(2).as_bytes()).unwrap().is_empty());
    let cut = faults(without(5).as_bytes()).unwrap();
    assert!(cut[0].what.contains("the end is missing"), "{cut:?}");
    let torn = faults(&trace.as_bytes()[..trace.len() - 100]).unwrap();
    assert!(torn.iter().any(|fault| fault.what.contains("cut off")), "{torn:?}");
}

#[test]
fn another_program_on_the_same_judgments() {
    let (place, _) = traced();
    let same = place.rubric("replay t.jsonl --with p.rubric");
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    place.write("q.rubric", GRADES.replace("cap(quality, at: 0.25)", "cap(quality, at: 0.9)"));
    let ran = place.rubric("replay t.jsonl --with q.rubric -o changes.jsonl");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let changes = place.lines("changes.jsonl");
    let pointwise = changes.iter().find(|change| change["readout"] == "pointwise").unwrap();
    assert_eq!((pointwise["id"].as_str(), pointwise["candidate"].as_str()), (Some("two"), Some("a")));
    assert_eq!(
        (pointwise["before"].to_string(), pointwise["after"].to_string()),
        ("0.25".to_owned(), "0.9".to_owned())
    );
    // A rule that is written differently cannot be computed without the fields.
    place.write("q.rubric", GRADES.replace("word_count(answer) <= 5", "word_count(answer) <= 6"));
    let ran = place.rubric("replay t.jsonl --with q.rubric");
    assert!(ran.code == 1 && ran.out.contains("open"), "{}", ran.out);
}
