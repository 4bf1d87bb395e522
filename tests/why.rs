//! `rubric why` as a user runs it: on traces of the examples and of small programs, with good and bad input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Place(tempfile::TempDir);

impl Place {
    /// Runs a program over records; the trace.
    fn trace(program: &str, records: &str) -> (Place, PathBuf) {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::write(place.0.path().join("p.rubric"), program).unwrap();
        std::fs::write(place.0.path().join("r.jsonl"), records).unwrap();
        let (code, _, err) = place.rubric(&["run", "p.rubric", "--data", "r.jsonl", "--trace", "t.jsonl", "--quiet"]);
        assert!(matches!(code, 0 | 3 | 4), "{err}");
        let trace = place.0.path().join("t.jsonl");
        (place, trace)
    }

    fn rubric(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("RUBRIC_STORE")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> Json {
        let mut all = vec!["why", "t.jsonl", "--format", "json", "--id"];
        all.extend(arguments);
        let (code, out, err) = self.rubric(&all);
        assert_eq!(code, 0, "{err}");
        let json: Json = serde_json::from_str(&out).unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/why.schema.json");
        let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&json).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:#?}\n{json:#}");
        json
    }
}

const GATED: &str = r#"
rubric gated
candidate answer: text
criterion accuracy: int[1..5] { ask "?" judge human }
criterion harmful: bool { ask "?" judge human }
checklist care {
  +5 a "?" { judge human }
  +3 b "?" { judge human }
  -2 c "?" { judge human }
}
reduce quality = weighted_mean(normalize(accuracy) weight 3, clamp(points(care), to: score[0..1]) weight 1)
gate final = cap(quality, at: 0.25) when harmful
readout pointwise verdict = pass(final, at: 0.5)
readout pointwise = final
readout pairwise = prefer(final)
"#;

fn readout<'j>(json: &'j Json, key: &str) -> &'j Json {
    json["readouts"].as_array().unwrap().iter().find(|r| r["readout"] == key).unwrap()
}

fn node<'j>(json: &'j Json, name: &str) -> &'j Json {
    json["candidates"][0]["nodes"].as_array().unwrap().iter().find(|n| n["node"] == name).unwrap()
}

#[test]
fn gates_contributions_and_the_smallest_change() {
    let record = r#"{"id": "r1", "answer": "x", "judgments": {"accuracy": 2, "harmful": true, "care.a": true, "care.b": false, "care.c": true}}"#;
    let (place, _) = Place::trace(GATED, record);
    let json = place.json(&["r1"]);
    assert_eq!(node(&json, "final")["fired"], true);
    // points: (5 - 2) / 8; quality: 3/4 · 1/4 + 1/4 · 3/8
    assert_eq!(node(&json, "quality")["value"], json!(0.28125));
    let contributions: Vec<&Json> =
        node(&json, "quality")["slots"].as_array().unwrap().iter().map(|s| &s["contribution"]).collect();
    assert_eq!(contributions, [&json!(0.1875), &json!(0.09375)]);
    // Both the gate and the accuracy keep it down.
    let flip = &readout(&json, "verdict")["flip"];
    assert_eq!(flip["smallest"], true);
    let names: Vec<&str> =
        flip["changes"].as_array().unwrap().iter().map(|c| c["judgment"].as_str().unwrap()).collect();
    assert_eq!(names, ["accuracy", "harmful"]);
    assert_eq!(flip["outcome"], true);
    // A number has no flip: every change changes it.
    assert!(readout(&json, "pointwise").get("flip").is_none());

    let (code, out, _) = place.rubric(&["why", "t.jsonl", "--id", "r1"]);
    assert_eq!(code, 0);
    assert!(out.contains("2 judgments would make it true; no fewer would"), "{out}");
    assert!(out.contains("FIRED: 0.28125 became 0.25"), "{out}");
    assert!(out.contains("care.a = true   gives 0.625 (weight 5)"), "{out}");
}

#[test]
fn a_preference_flips_by_judgments_of_either() {
    let record = r#"{"id": "p", "candidates": [
        {"id": "one", "answer": "x", "judgments": {"accuracy": 5, "harmful": false, "care.a": true, "care.b": true, "care.c": false}},
        {"id": "two", "answer": "y", "judgments": {"accuracy": 4, "harmful": false, "care.a": true, "care.b": true, "care.c": false}}]}"#
        .replace('\n', " ");
    let (place, _) = Place::trace(GATED, &record);
    let json = place.json(&["p"]);
    let flip = &readout(&json, "pairwise")["flip"];
    assert_eq!((&flip["smallest"], flip["changes"].as_array().unwrap().len()), (&json!(true), 1));
    assert_eq!(readout(&json, "pairwise")["outcome"], json!({"winner": "one"}));
    // With one candidate only its own way is told.
    let json = place.json(&["p", "--candidate", "two"]);
    assert_eq!(json["candidates"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_missing_is_named_with_what_it_would_decide() {
    let record =
        r#"{"id": "r", "answer": "x", "judgments": {"accuracy": 5, "care.a": true, "care.b": true, "care.c": false}}"#;
    let (place, _) = Place::trace(GATED, record);
    let json = place.json(&["r"]);
    let verdict = readout(&json, "verdict");
    let missing = &verdict["missing"][0];
    assert_eq!((&missing["judgment"], &missing["decides_alone"]), (&json!("harmful"), &json!(true)));
    assert!(verdict.get("flip").is_none());
    let (_, out, _) = place.rubric(&["why", "t.jsonl", "--id", "r"]);
    assert!(
        out.contains("missing harmful (pending): decides it, whatever it is") || out.contains("missing harmful"),
        "{out}"
    );
}

#[test]
fn what_nothing_can_change_is_proved() {
    let program = "rubric r\ncandidate a: text\ncriterion q: bool { ask \"?\" judge human }\n\
                   criterion w: bool { ask \"?\" judge rule(word_count(a) <= 3) }\n\
                   gate final = veto(q, to: false) unless w\nreadout pointwise = final\n";
    // The rule is no judgment, and it vetoes.
    let (place, _) = Place::trace(program, r#"{"id": "r", "a": "one two three four", "judgments": {"q": true}}"#);
    let json = place.json(&["r"]);
    assert_eq!(readout(&json, "pointwise")["flip"], json!({"never": true}));
    let (_, out, _) = place.rubric(&["why", "t.jsonl", "--id", "r"]);
    assert!(out.contains("no change of what was judged would make it anything else"), "{out}");
}

#[test]
fn a_long_checklist_has_an_exact_answer() {
    let items: String = (0..45).map(|n| format!("  +{} i{n} \"?\" {{ judge human }}\n", n % 5 + 1)).collect();
    let program = format!(
        "rubric r\ncandidate a: text\nchecklist c {{\n{items}}}\nreduce s = points(c)\nreadout pointwise ok = pass(s, at: 0.5)\n\
         readout pointwise = s\n"
    );
    let judgments: String = (0..45).map(|n| format!("\"c.i{n}\": {}", n % 3 == 0)).collect::<Vec<_>>().join(", ");
    let (place, _) =
        Place::trace(&program, &format!("{{\"id\": \"r\", \"a\": \"x\", \"judgments\": {{{judgments}}}}}"));
    let json = place.json(&["r"]);
    let flip = &readout(&json, "ok")["flip"];
    // 135 points, half is 67.5; met are those of 0, 3, 6, …: three rounds of 1 4 2 5 3, 45 points. 23 more with items of at
    // most 5 take 5.
    assert_eq!((&flip["smallest"], flip["changes"].as_array().unwrap().len()), (&json!(true), 5), "{flip:#}");
}

#[test]
fn items_of_the_record_are_judgments_too() {
    let program = "rubric r\ninput list: json\ncandidate a: text\nchecklist c from list { judge human }\n\
                   transform s = clamp(points(c), to: score[0..1])\nreadout pointwise ok = pass(s, at: 0.5)\n\
                   readout pointwise = s\n";
    let record = r#"{"id": "r", "a": "x", "list": [{"criterion": "one", "points": 4, "id": "one"}, {"criterion": "two", "points": 3}], "judgments": {"c.one": false, "c.2": true}}"#;
    let (place, _) = Place::trace(program, record);
    let json = place.json(&["r"]);
    let flip = &readout(&json, "ok")["flip"];
    assert_eq!(flip["changes"], json!([{"judgment": "c.one", "from": false, "to": true}]));
    assert_eq!(flip["smallest"], true);
}

#[test]
fn another_program_on_the_same_judgments() {
    let record = r#"{"id": "r1", "answer": "x", "judgments": {"accuracy": 5, "harmful": true, "care.a": true, "care.b": true, "care.c": false}}"#;
    let (place, _) = Place::trace(GATED, record);
    let lenient = GATED.replace("at: 0.25", "at: 0.75");
    std::fs::write(place.0.path().join("q.rubric"), lenient).unwrap();
    let json = place.json(&["r1", "--program", "q.rubric"]);
    assert_eq!(readout(&json, "verdict")["outcome"], true);
    assert_eq!(readout(&place.json(&["r1"]), "verdict")["outcome"], false);
}

#[test]
fn bad_input_is_told_in_words() {
    let records = "{\"id\": \"r1\", \"answer\": \"x\", \"judgments\": {\"accuracy\": 5, \"harmful\": true}}\n\
                   {\"id\": \"bad\", \"answer\": 3}\n";
    let (place, trace) = Place::trace(GATED, records);
    let (code, _, err) = place.rubric(&["why", "t.jsonl", "--id", "r2"]);
    assert!(code == 2 && err.contains("has no record `r2`") && err.contains("`r1`"), "{code} {err}");
    let (code, _, err) = place.rubric(&["why", "t.jsonl", "--id", "bad"]);
    assert!(code == 4 && err.contains("failed when it was run"), "{code} {err}");
    let (code, _, err) = place.rubric(&["why", "t.jsonl", "--id", "r1", "--candidate", "a"]);
    assert!(code == 2 && err.contains("no candidate `a`"), "{code} {err}");
    let (code, _, err) = place.rubric(&["why", "r.jsonl", "--id", "r1"]);
    assert!(code == 2 && err.contains("no trace"), "{code} {err}");
    let (code, _, err) = place.rubric(&["why", "nowhere.jsonl", "--id", "r1"]);
    assert!(code == 2 && err.contains("cannot be read"), "{code} {err}");
    // A judgment that was changed afterwards is not explained.
    let text = std::fs::read_to_string(&trace).unwrap().replacen("\"value\":5", "\"value\":4", 1);
    std::fs::write(&trace, text).unwrap();
    let (code, _, err) = place.rubric(&["why", "t.jsonl", "--id", "r1"]);
    assert!(code == 2 && err.contains("changed"), "{code} {err}");
}
