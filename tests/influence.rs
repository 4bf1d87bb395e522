//! `rubric influence`: exact where it can be reckoned by hand, and as a user runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn rubric(arguments: &[&str], stdin: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn reaches(program: &str) -> Json {
    let (code, out, err) = rubric(&["influence", "-", "--format", "json"], program);
    assert_eq!(code, 0, "{err}");
    let json: Json = serde_json::from_str(&out).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/influence.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{json:#}");
    json
}

fn of<'j>(json: &'j Json, name: &str) -> &'j Json {
    json["judgments"].as_array().unwrap().iter().find(|j| j["judgment"] == name).unwrap()
}

const GATED: &str = r#"
rubric gated
candidate answer: text
criterion accuracy: int[1..5] "?"
criterion tone: score[0..1] "?"
criterion harmful: bool "?"
criterion tiebreak: bool "?"
reduce quality = weighted_mean(normalize(accuracy) weight 3, tone weight 1)
gate safe = cap(quality, at: 0.25) when harmful
gate final = veto(safe, to: 0) when harmful and accuracy <= 2
readout pointwise = pass(final, at: 0.9)
readout pointwise score = final
readout pairwise = prefer(final, tie: by(tiebreak))
"#;

#[test]
fn what_can_be_reckoned_by_hand_is_exact() {
    let json = reaches(GATED);
    let moves = |name: &str| of(&json, name)["moves"].clone();
    let exact = |n: Json| json!({"at_least": n, "at_most": n, "exact": true});
    assert_eq!(moves("accuracy"), exact(json!(0.75)));
    assert_eq!(moves("tone"), exact(json!(0.25)));
    // From 1 down to the cap.
    assert_eq!(moves("harmful"), exact(json!(0.75)));
    assert_eq!(moves("tiebreak"), exact(json!(0)));
    assert_eq!(of(&json, "tone")["decides"], json!({"pointwise": "yes", "score": "yes", "pairwise": "yes"}));
    assert_eq!(of(&json, "tiebreak")["decides"], json!({"pointwise": "never", "score": "never", "pairwise": "yes"}));
    assert_eq!(of(&json, "tone")["silenced_by"], json!(["safe", "final"]));
    assert_eq!(of(&json, "tiebreak")["silenced_by"], json!([]));
}

#[test]
fn a_small_weight_never_decides_a_coarse_readout() {
    let json = reaches(
        "rubric r\ncandidate a: text\ncriterion big: bool \"?\"\ncriterion small: bool \"?\"\n\
         reduce s = weighted_mean(normalize(big) weight 9, normalize(small) weight 1)\nreadout pointwise = pass(s, at: 0.5)\n",
    );
    assert_eq!(of(&json, "small")["decides"], json!({"pointwise": "never"}));
    assert_eq!(of(&json, "small")["moves"]["at_most"], json!(0.1));
    let (_, out, _) = rubric(
        &["influence", "-"],
        "rubric r\ncandidate a: text\ncriterion big: score[0..1] \"?\"\ncriterion small: score[0..1] \"?\"\n\
         transform low: score[0..1] = rescale(big, to: score[0..0.5])\n\
         transform high: score[0..1] = rescale(small, to: score[0.5..1])\nreduce s = min(low, high)\nreadout pointwise = s\n",
    );
    assert!(out.contains("never matters to any readout: small"), "{out}");
}

#[test]
fn a_product_moves_by_what_the_others_let_it() {
    let json = reaches(
        "rubric r\ncandidate a: text\ncriterion x: score[0..1] \"?\"\ncriterion y: score[0..1] \"?\"\n\
         reduce s = product(x, y)\nreadout pointwise = s\n",
    );
    assert_eq!(of(&json, "x")["moves"], json!({"at_least": 1, "at_most": 1, "exact": true}));
}

/// Items come with each record: all of a list are one row, between what was seen and what is proved.
#[test]
fn a_list_of_items_is_looked_at_as_a_whole() {
    let program = r#"
        rubric items
        reference rules: json
        candidate answer: text
        criterion tone: int[1..5] "?"
        criterion harmful: bool "?"
        checklist extra from rules
        reduce s = points(extra)
        reduce q = weighted_mean(clamp(s, to: score[0..1]) weight 3, normalize(tone) weight 1)
        gate g = cap(q, at: 0.6) when harmful
        readout pointwise = quantize(g, to: int[1..5])
        readout pointwise plain = g
    "#;
    let json = reaches(program);
    let [list] = json["lists"].as_array().unwrap().as_slice() else { panic!("{json:#}") };
    assert_eq!(list["judgment"], "extra");
    assert_eq!(list["moves"], json!({"at_least": 0.75, "at_most": 0.75, "exact": true}));
    assert_eq!(list["decides"], json!({"pointwise": "yes", "plain": "yes"}));
    assert!(json["judgments"].as_array().unwrap().iter().all(|j| j["judgment"] != "extra"));
    let (code, out, _) = rubric(&["influence", "-"], program);
    assert!(code == 0 && out.contains("extra (all items)") && out.contains("come with each record"), "{out}");
    // Points that nothing holds to an interval move as far as the sink goes.
    let wide = program.replace("clamp(s, to: score[0..1])", "normalize(clamp(s, to: score[-3..1]))");
    let moved = reaches(&wide)["lists"][0]["moves"]["at_most"].as_f64().unwrap();
    assert!(moved >= 0.75 - 1e-9, "{moved}");
}

#[test]
fn ordinals_count_in_ranks_and_bad_input_is_told() {
    let json =
        reaches("rubric r\ncandidate a: text\ncriterion o: ordinal(bad < fair < good) \"?\"\nreadout pointwise = o\n");
    assert_eq!(of(&json, "o")["moves"], json!({"at_least": 2, "at_most": 2, "exact": true}));
    assert_eq!(rubric(&["influence", "-"], "rubric r\n").0, 1);
    assert_eq!(rubric(&["influence", "/no/such.rubric"], "").0, 2);
    let (code, out, _) = rubric(&["influence", "-", "--most", "1"], GATED);
    assert!(code == 0 && out.contains("1 of 4 were looked at"), "{out}");
}
