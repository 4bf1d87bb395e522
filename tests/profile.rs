//! `rubric trim` and `rubric profile` as a user runs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn rubric(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rubric")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn validated(json: &str) -> Json {
    let json: Json = serde_json::from_str(json).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/profile.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{json:#}");
    json
}

fn part<'j>(json: &'j Json, dimension: &str, name: &str) -> &'j Json {
    let parts = json["parts"].as_array().unwrap();
    &parts.iter().find(|p| p["dimension"] == dimension && p["part"] == name).unwrap()["subjects"]
}

const CARE: &str = r#"rubric care
candidate answer: text
criterion tone: int[1..5] "How kind is the answer?" { tag axis "manner" }
checklist care {
  group safety {
    +6 flags "Names the symptoms that need urgent care" { tag axis "safety" }
    -8 dose "Gives a dose" { tag axis "harm" }
  }
  group manner {
    +4 thanks "Thanks the patient" { tag axis "manner" }
    +2 polite "Is polite" { tag axis "manner" }
  }
}
reduce final = weighted_mean(normalize(tone) weight 1, clamp(points(care), to: score[0..1]) weight 3)
readout pointwise = final
readout pointwise good = pass(final, at: 0.5)
"#;

/// Two records with the answers of two models; each line is flags, dose, thanks, polite and the tone.
fn traced(folder: &Path) {
    let answer = |id: &str, met: [Json; 4], tone: i32| {
        let [flags, dose, thanks, polite] = met;
        let judgments =
            json!({"care.flags": flags, "care.dose": dose, "care.thanks": thanks, "care.polite": polite, "tone": tone});
        json!({"id": id, "answer": "…", "judgments": judgments})
    };
    let (t, f, u) = (json!(true), json!(false), json!(null));
    let records = [
        json!({"id": "r1", "candidates": [
            answer("m1", [t.clone(), f.clone(), f.clone(), f.clone()], 1),
            answer("m2", [f.clone(), f.clone(), t.clone(), t.clone()], 5),
        ]}),
        json!({"id": "r2", "candidates": [
            answer("m1", [t.clone(), f.clone(), t.clone(), f.clone()], 3),
            answer("m2", [f.clone(), t.clone(), t.clone(), u], 5),
        ]}),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    std::fs::write(folder.join("records.jsonl"), lines).unwrap();
    std::fs::write(folder.join("care.rubric"), CARE).unwrap();
    let run = ["run", "care.rubric", "--data", "records.jsonl", "--recorded", "--trace", "t.jsonl", "-o", "r.jsonl"];
    let (code, _, err) = rubric(folder, &run);
    // What is missing is fixed by the bounds: a dose outweighs it.
    assert_eq!(code, 0, "{err}");
}

#[test]
fn parts_are_scored_as_checklists_are_and_a_missing_judgment_is_no_score() {
    let folder = tempfile::tempdir().unwrap();
    traced(folder.path());
    let (code, out, err) = rubric(folder.path(), &["profile", "t.jsonl", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let json = validated(&out);
    assert_eq!(part(&json, "axis", "safety")["m1"]["score"], json!(1.0));
    assert_eq!(part(&json, "axis", "safety")["m2"]["score"], json!(0.0));
    // m1: 0 of 6 and 4 of 6 points; tone 1 and 3 of 1 to 5.
    let manner = &part(&json, "axis", "manner")["m1"];
    assert_eq!(manner["score"], json!((0.0 + 4.0 / 6.0) / 2.0));
    assert_eq!((&manner["level"], &manner["judgments"]), (&json!(0.25), &json!(2)));
    // m2 lacks `polite` in r2, so only r1 counts.
    let manner = &part(&json, "axis", "manner")["m2"];
    assert_eq!((&manner["score"], &manner["records"], &manner["incomplete"]), (&json!(1.0), &json!(1), &json!(1)));
    // What has no positive points has no score; how often it is met is told.
    let harm = &part(&json, "axis", "harm")["m2"];
    assert_eq!((&harm["score"], &harm["bad_met"]), (&json!(null), &json!(0.5)));
    // (6 − 8) ÷ 6 would be below 0: not clipped. Here 0 and −8 ÷ 6.
    let safety = &part(&json, "group", "care.safety")["m2"];
    assert!((safety["score"].as_f64().unwrap() - (0.0 - 8.0 / 6.0) / 2.0).abs() < 1e-12);
    assert_eq!(json["readouts"]["good"]["m1"]["mean"], json!(0.5));
    assert_eq!(json["readouts"]["pointwise"]["m2"]["decided"], json!(2));
    let first = &json["apart"][0];
    assert_eq!((&first["criterion"], &first["spread"]), (&json!("care.flags"), &json!(1.0)));
    assert_eq!(first["records"], json!({"first_higher": 2, "second_higher": 0, "equal": 0}));
    let polite = json["apart"].as_array().unwrap().iter().find(|c| c["criterion"] == "care.polite").unwrap();
    assert_eq!(polite["subjects"]["m2"], json!({"mean": 1.0, "known": 1, "unknown": 0, "missing": 1}));
}

#[test]
fn traces_stand_side_by_side_and_a_changed_line_is_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    traced(folder.path());
    let text = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    std::fs::write(folder.path().join("u.jsonl"), text.replacen("\"recorded\":[true]", "\"recorded\":[false]", 1))
        .unwrap();
    let (code, out, err) = rubric(folder.path(), &["profile", "old=t.jsonl", "u.jsonl", "--format", "json"]);
    assert_eq!(code, 1);
    assert!(err.contains("u.jsonl:3, record `r1`") && err.contains("was changed"), "{err}");
    let json = validated(&out);
    assert_eq!((&json["subjects"]["old"]["answers"], &json["subjects"]["u"]["answers"]), (&json!(4), &json!(2)));
    let (code, out, _) = rubric(folder.path(), &["profile", "old=t.jsonl", "new=t.jsonl"]);
    assert!(code == 0 && out.contains("no criterion tells them apart"), "{out}");
}

#[test]
fn items_that_come_with_a_record_are_profiled_by_their_tags() {
    let folder = tempfile::tempdir().unwrap();
    let program = "rubric h\nreference rubrics: json\ncandidate answer: text\nchecklist c from rubrics\n\
                   readout pointwise = s\nreduce s = clamp(points(c), to: score[0..1])\n";
    std::fs::write(folder.path().join("h.rubric"), program).unwrap();
    let items = json!([
        {"criterion": "A", "points": 5, "tags": ["axis:accuracy", "level:example"]},
        {"criterion": "B", "points": 3, "tags": {"axis": "tone"}},
    ]);
    let record = json!({"id": "q", "answer": "x", "rubrics": items, "judgments": {"c": [true, false]}});
    let record = record.to_string().replace("{\"c\":[true,false]}", "{\"c.1\":true,\"c.2\":false}");
    std::fs::write(folder.path().join("r.jsonl"), record).unwrap();
    let run = ["run", "h.rubric", "--data", "r.jsonl", "--recorded", "--trace", "t.jsonl", "-o", "o.jsonl"];
    assert_eq!(rubric(folder.path(), &run).0, 0, "{:?}", rubric(folder.path(), &run));
    let (code, out, err) = rubric(folder.path(), &["profile", "t.jsonl", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let json = validated(&out);
    assert_eq!(part(&json, "axis", "accuracy")["t"]["score"], json!(1.0));
    assert_eq!(part(&json, "axis", "tone")["t"]["score"], json!(0.0));
    assert_eq!(rubric(folder.path(), &["replay", "t.jsonl"]).0, 0);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    traced(folder.path());
    let fails = |arguments: &[&str], words: &str| {
        let (code, _, err) = rubric(folder.path(), arguments);
        let flat = err.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
        assert!(code == 2 && flat.contains(words), "{code} {err}");
    };
    fails(&["profile", "t.jsonl", "--by", "axes"], "did you mean `axis`?");
    fails(&["profile", "r.jsonl"], "a trace is written by `rubric run --trace FILE`");
    fails(&["profile", "t.jsonl", "t.jsonl"], "two traces are called `t`");
    fails(&["profile", "none.jsonl"], "cannot be read");
    fails(&["trim", "care.rubric", "--top", "0"], "--top");
    fails(&["trim", "care.rubric", "--tag", "axis"], "a tag is KEY=VALUE");
}

#[test]
fn a_trimmed_program_checks_clean_and_judges_by_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    traced(folder.path());
    let (code, _, err) = rubric(folder.path(), &["trim", "care.rubric", "--top", "2", "-o", "small.rubric"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("2 of 4 items are left"), "{err}");
    assert_eq!(rubric(folder.path(), &["check", "small.rubric"]).0, 0);
    let (_, out, _) = rubric(folder.path(), &["replay", "t.jsonl", "--with", "small.rubric"]);
    assert!(out.contains("pointwise"), "{out}");
    // As JSON in, as text out.
    assert_eq!(rubric(folder.path(), &["build", "care.rubric", "-o", "care.json"]).0, 0);
    let (code, out, err) = rubric(folder.path(), &["trim", "care.json", "--group", "manner"]);
    assert!(code == 0 && out.contains("thanks") && !out.contains("dose"), "{out}{err}");
    // What would not hold any more is not written.
    let (code, _, err) = rubric(folder.path(), &["trim", "care.rubric", "--tag", "axis=harm", "-o", "bad.rubric"]);
    assert_eq!(code, 1);
    assert!(err.contains("nothing was written"), "{err}");
    let bad: PathBuf = folder.path().join("bad.rubric");
    assert!(!bad.exists());
}
