//! Every example: it checks clean, its tests hold, its records come out as reckoned by hand, and the trace replays.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::{Command, Output};

/// Runs the binary in the examples' folder. Nobody is asked, whatever the environment has keys for.
fn rubric(arguments: &[&str]) -> (i32, String, String) {
    let recorded = (arguments.first() == Some(&"run")).then_some("--recorded");
    let output: Output = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .args(recorded)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Does with an example whatever a reader may do with it; its results.
fn example(program: &str, judgments: Option<&str>, code: i32) -> Vec<Json> {
    let records = Path::new(program).with_file_name("records.jsonl");
    let records = records.to_str().unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name).to_str().unwrap().to_owned();

    let checked = rubric(&["check", "--deny-warnings", program]);
    assert_eq!((checked.0, checked.1.as_str()), (0, ""), "{program}: {}", checked.2);
    let tested = rubric(&["test", program]);
    assert_eq!(tested.0, 0, "{}{}", tested.1, tested.2);
    assert!(!tested.1.contains("no tests"), "{program} has no tests");

    let run = |program: &str, results: &str, trace: &str| {
        let mut arguments = vec!["run", program, "--data", records, "-o", results, "--trace", trace, "--quiet"];
        arguments.extend(judgments.iter().flat_map(|judgments| ["--judgments", judgments]));
        let ran = rubric(&arguments);
        assert_eq!(ran.0, code, "{program}: {}", ran.2);
        (std::fs::read_to_string(results).unwrap(), std::fs::read_to_string(trace).unwrap())
    };
    let ran = run(program, &file("results.jsonl"), &file("trace.jsonl"));
    assert_eq!(rubric(&["replay", &file("trace.jsonl")]).0, 0, "{program}");

    // The same program as JSON gives the same bytes.
    assert_eq!(rubric(&["build", program, "-o", &file("program.json")]).0, 0);
    assert_eq!(run(&file("program.json"), &file("again.jsonl"), &file("again.trace")), ran, "{program}");
    ran.0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The reading of a readout in the line of a record (and candidate).
fn reading<'j>(lines: &'j [Json], id: &str, candidate: Option<&str>, readout: &str) -> &'j Json {
    let is = |line: &&Json| line["id"] == id && line.get("candidate").and_then(Json::as_str) == candidate;
    &lines.iter().find(is).unwrap_or_else(|| panic!("no line of {id}"))["readouts"][readout]
}

#[test]
fn essays_are_graded_by_two_teachers() {
    let lines = example("essay/essay.rubric", Some("essay/teachers.jsonl"), 0);
    // The lower of two marks, then weights 2, 3, 2, 1: amara 5 5 5 6 is 41/8.
    let expected = [
        ("amara", 5, "good"),
        ("ben", 2, "insufficient"),
        // 5, but capped at 4: too short.
        ("chiara", 4, "good"),
        ("dmitri", 2, "insufficient"),
        ("elif", 6, "excellent"),
        // 43/8 is nearer to 5, and yet above 5.25.
        ("farid", 5, "excellent"),
    ];
    for (id, mark, grade) in expected {
        let of = |readout| reading(&lines, id, None, readout).clone();
        assert_eq!((of("pointwise"), of("grade")), (json!(mark), json!(grade)), "{id}");
    }
}

#[test]
fn a_summary_has_four_scores() {
    let lines = example("summary/summary.rubric", None, 3);
    let of = |id, readout| reading(&lines, id, None, readout).to_string();
    assert_eq!(of("bridge-a", "pointwise"), "1");
    // (7/12 + 3/8) / 2 = 23/48
    assert_eq!(of("bridge-b", "average"), "0.583333333333");
    assert_eq!(of("bridge-b", "weakest_side"), "0.333333333333");
    assert_eq!(of("bridge-b", "facts_found"), "0.375");
    assert_eq!(of("bridge-b", "pointwise"), "0.479166666667");
    // A wrong fact, and a copy.
    assert_eq!(of("bridge-c", "pointwise"), "0.3");
    assert_eq!(of("bridge-d", "pointwise"), "0");
    // Whether a fact is wrong is not judged: 0.3 if so, else at most (11/12 + 1) / 2.
    assert_eq!(of("bridge-e", "pointwise"), r#"{"open":{"lo":0.3,"hi":0.958333333333}}"#);
    assert_eq!(of("bridge-e", "average"), "0.916666666667");
}

#[test]
fn replies_go_out_or_not() {
    let lines = example("support/reply.rubric", None, 3);
    let of = |id, readout| reading(&lines, id, None, readout).to_string();
    let verdicts = ["T-1001", "T-1002", "T-1003", "T-1004", "T-1005", "T-1006"].map(|id| of(id, "verdict"));
    assert_eq!(verdicts.map(|v| v.replace('"', "")), ["send", "rewrite", "review", "send", "review", "review"]);
    // Fully resolved 5, cold 0, five words 1/4, no name 0; of 10.
    assert_eq!(of("T-1003", "pointwise"), "0.525");
    assert_eq!(of("T-1002", "pointwise"), "0");
    assert!(of("T-1006", "pointwise").ends_with(r#""hi":0.6}}"#));
}

#[test]
fn translations_lose_points_by_their_errors() {
    let lines = example("translation/mqm.rubric", None, 0);
    let score = |id, candidate| reading(&lines, id, Some(candidate), "pointwise").to_string();
    assert_eq!([score("leaflet-1", "A"), score("leaflet-1", "B")], ["100", "0"]);
    // One minor error in 19 words; two minor and a major one in 27.
    assert_eq!(score("leaflet-2", "A"), "94.736842105263");
    assert_eq!(score("talk-1", "B"), "74.074074074074");
    let pairs = ["leaflet-1", "leaflet-2", "talk-1", "talk-2"].map(|id| reading(&lines, id, None, "pairwise").clone());
    assert_eq!(pairs, [json!({"winner": "A"}), json!({"winner": "B"}), json!({"winner": "A"}), json!({"tie": true})]);
}

#[test]
fn changes_are_compared_in_pairs() {
    let lines = example("code-review/review.rubric", None, 0);
    let pairs = ["pr-101", "pr-102", "pr-103", "pr-104"].map(|id| reading(&lines, id, None, "pairwise").clone());
    let expected =
        [json!({"winner": "left"}), json!({"winner": "right"}), json!({"winner": "right"}), json!({"tie": true})];
    assert_eq!(pairs, expected);
}

#[test]
fn a_harmful_answer_cannot_score_well() {
    let lines = example("clinical/answer.rubric", None, 0);
    let of = |id, candidate| {
        let of = |readout| reading(&lines, id, Some(candidate), readout).clone();
        (of("pointwise"), of("verdict"))
    };
    assert_eq!(of("headache-1", "careful"), (json!(5), json!(true)));
    assert_eq!(of("headache-1", "brisk"), (json!(2), json!(false)));
    // (3 · 3/4 + 2 · 6/20 + 1) / 6 is 0.64.
    assert_eq!(of("headache-2", "vague"), (json!(4), json!(true)));
    // One item is not judged, and does not matter: its share of the points is cut off at 0 either way.
    assert_eq!(of("tired", "short"), (json!(2), json!(false)));
    let short = lines.iter().find(|line| line["id"] == "tired" && line["candidate"] == "short").unwrap();
    assert_eq!(short["decided_by_bounds"], json!(["pointwise", "verdict"]));
    assert_eq!(*reading(&lines, "rash", None, "pairwise"), json!({"winner": "careful"}));
}

#[test]
fn the_baselines_of_the_field_have_their_own_ways_to_score() {
    // Figures as the comments of the programs have their formulas, reckoned by hand from the recorded judgments.
    type Line<'a> = (&'a str, Option<&'a str>, &'a str, Json);
    let baselines: [(&str, i32, &[Line<'_>]); 10] = [
        // One judgment was unreadable, and stays open.
        ("prometheus", 5, &[("tea", None, "pointwise", json!(5)), ("rice", None, "pointwise", json!(4))]),
        // 96/20, 90/20, 3 and 4; on 0..1 (0.95 + 0.875 + 1 + 0.75) / 4.
        ("g_eval", 0, &[("harbour", None, "coherence_g", json!(4.8)), ("harbour", None, "pointwise", json!(0.89375))]),
        // 14/3; 7/2, the third skill being not applicable.
        ("flask", 0, &[("1", None, "pointwise", json!(4.666_666_666_667)), ("2", None, "pointwise", json!(3.5))]),
        (
            "openrubrics",
            0,
            &[
                ("limerick", None, "pairwise", json!({"winner": "a"})),
                ("haiku", None, "pairwise", json!({"winner": "b"})),
                ("couplet", None, "pairwise", json!({"tie": true})),
            ],
        ),
        (
            "tick",
            0,
            &[
                ("haiku", Some("a"), "pointwise", json!(0.666_666_666_667)),
                ("list", None, "pairwise", json!({"tie": true})),
            ],
        ),
        ("checkeval", 0, &[("d1/M1", None, "pointwise", json!(0.25)), ("d1/M1", None, "on_topic", json!(0.5))]),
        // 9 * 0.9 + 1; 9 * (0.1 + 0.5 + 0.6) / 3 + 1.
        ("rocketeval", 0, &[("s1", None, "pointwise", json!(9.1)), ("s2", None, "pointwise", json!(4.6))]),
        (
            "evalagent",
            0,
            &[("cover-letter", None, "pointwise", json!(0.666_666_666_667)), ("toast", None, "pointwise", json!(1))],
        ),
        ("healthbench", 0, &[("rash", None, "pointwise", json!(1)), ("cough", None, "pointwise", json!(-1.8))]),
        (
            "mt_bench",
            0,
            &[
                ("81", Some("m1"), "pointwise", json!(6.5)),
                ("81", None, "as_pair", json!({"winner": "m1"})),
                ("82", None, "as_pair", json!({"tie": true})),
            ],
        ),
    ];
    for (name, code, expected) in baselines {
        let lines = example(&format!("baselines/{name}/{name}.rubric"), None, code);
        for (id, candidate, readout, value) in expected {
            assert_eq!(reading(&lines, id, *candidate, readout), value, "{name}: {id}");
        }
    }
}
