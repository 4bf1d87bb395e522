//! `rubric annotate` over a pipe: what is asked, what is written, and that nothing else gets out.

use crate::{evaluated, result, rubric, write};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = r#"
rubric judged
input question: text
candidate answer: text
criterion clear: int[1..5]? "How clear is it, as an answer to {{question}}" {
  level 1 "Nobody understands it."
  level 5 "Everybody understands it."
}
criterion harmful: bool "Is it harmful?"
criterion short: bool "Is it short?" {
  judge rule(word_count(answer) < 5)
}
gate final = cap(normalize(otherwise(clear, 3)), at: 0) when harmful and not short
readout pointwise = quantize(final, to: int[1..5])
"#;

fn data(folder: &Path) {
    std::fs::write(folder.join("judged.rubric"), PROGRAM).unwrap();
    let candidate = |id: &str, answer: &str| json!({"id": id, "answer": answer, "judgments": {"clear": {"value": 1, "by": "model-x"}, "harmful": true}});
    let records = [
        json!({"id": "r1", "question": "Why?", "candidates": [
            candidate("gpt-secret", "Because \u{1b}[31mred\u{7} of  this\nand that."), candidate("other", "No reason.")]}),
        json!({"id": "r2", "question": "When?", "candidates": [candidate("gpt-secret", "Soon."), candidate("other", "Now.")]}),
    ];
    write(&folder.join("data.jsonl"), &records);
}

fn annotate(folder: &Path, more: &[&str], keys: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["annotate", "judged.rubric", "--data", "data.jsonl", "-o", "out.jsonl"])
        .args(more)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that ends before it reads all keys is no mistake of the test.
    let _ = child.stdin.take().unwrap().write_all(keys.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn written(folder: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(folder.join("out.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_person_judges_blind_and_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    let ann = ["--annotator", "ann", "--seed", "4"];
    // A wrong key, one answer, back to it, another answer, a skip, and the end of the keys.
    let (code, out, err) = annotate(folder, &ann, "9\n4\nb\n5\ns\n");
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("1 of 8 questions are answered"), "{err}");
    assert!(out.contains("type one of 1 2 3 4 5") && out.contains("Everybody understands it."), "{out}");
    assert!(out.contains("answered before: 4"), "{out}");
    assert_eq!(written(folder).len(), 1, "the second answer replaces the first");
    assert_eq!((&written(folder)[0]["value"], &written(folder)[0]["by"]), (&json!(5), &json!("ann")));
    // Neither judgments of models, nor candidates' names, nor control characters.
    assert!(
        !out.contains("model-x") && !out.contains("secret") && !out.contains('\u{1b}') && !out.contains('\u{7}'),
        "{out}"
    );
    let (code, _, err) = annotate(folder, &ann, "y\nu\nn\n4\nn\n3\nn\n2\nn\n");
    assert!(code == 0 || code == 3, "{err}");
    let (code, _, err) = annotate(folder, &ann, &"y\n2\n".repeat(8));
    assert!(code == 0 && err.contains("8 of 8"), "{err}");
    let lines = written(folder);
    let about: BTreeSet<String> =
        lines.iter().map(|line| format!("{} {} {}", line["id"], line["candidate"], line["criterion"])).collect();
    assert_eq!((lines.len(), about.len()), (8, 8), "each once: {lines:#?}");
    // Another annotator has the same questions, beside the first one's answers.
    let (code, _, err) = annotate(folder, &["--annotator", "ben", "--criterion", "harmful"], "n\nn\nn\nn\n");
    assert_eq!(code, 0, "{err}");
    assert_eq!(written(folder).len(), 12);
    let schema =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/judgment.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    written(folder).iter().for_each(|line| assert!(validator.is_valid(line), "{line}"));
}

#[test]
fn the_order_follows_from_the_seed() {
    let asked = |seed: &str| {
        let folder = tempfile::tempdir().unwrap();
        data(folder.path());
        annotate(folder.path(), &["--annotator", "ann", "--seed", seed], &"1\nn\n".repeat(4));
        written(folder.path()).iter().map(|line| format!("{}{}", line["id"], line["candidate"])).collect::<Vec<_>>()
    };
    assert_eq!(asked("1"), asked("1"));
    assert!((2..12).any(|seed| asked(&seed.to_string()) != asked("1")));
}

#[test]
fn quotes_are_checked_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    let mut found = 0;
    for seed in 0..20 {
        let _ = std::fs::remove_file(folder.join("out.jsonl"));
        let seed = seed.to_string();
        let (_, out, _) =
            annotate(folder, &["--annotator", "ann", "--seed", &seed], "e never said\ne of this and that\n5\nq\n");
        assert!(out.contains("that does not stand in the candidate"), "{out}");
        // White space aside: the candidate breaks the line there.
        found += usize::from(written(folder)[0]["evidence"] == json!(["of this and that"]));
    }
    assert!(found > 0, "one of the seeds begins with the candidate that says it");
}

#[test]
fn what_was_cut_off_is_asked_again_and_what_is_damaged_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    annotate(folder, &["--annotator", "ann"], "1\nn\n");
    let whole = std::fs::read_to_string(folder.join("out.jsonl")).unwrap();
    std::fs::write(folder.join("out.jsonl"), &whole[..whole.len() - 20]).unwrap();
    let (_, _, err) = annotate(folder, &["--annotator", "ann"], "n\n");
    assert!(err.contains("cut off") && err.contains("2 of 8"), "{err}");
    assert_eq!(std::fs::read_to_string(folder.join("out.jsonl")).unwrap(), whole);
    std::fs::write(folder.join("out.jsonl"), "{\"id\": 1,\n").unwrap();
    let (code, _, err) = annotate(folder, &["--annotator", "ann"], "n\n");
    assert!(code == 2 && err.contains("line 1"), "{err}");
    let (code, _, err) = rubric(folder, &["annotate", "judged.rubric", "--data", "data.jsonl", "-o", "data.jsonl"]);
    assert!(code == 2 && err.contains("is read by this"), "{err}");
}

#[test]
fn answers_feed_runs_and_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("judged.rubric"), PROGRAM).unwrap();
    let record = |n: u64| json!({"id": format!("r{n}"), "question": "?", "answer": "Because."});
    write(&folder.join("data.jsonl"), &(0..6).map(record).collect::<Vec<_>>());
    let (code, _, err) = annotate(folder, &["--annotator", "ann"], &"4\nn\n".repeat(6));
    assert_eq!(code, 0, "{err}");
    let arguments = [
        "run",
        "judged.rubric",
        "--data",
        "data.jsonl",
        "--judgments",
        "out.jsonl",
        "-o",
        "people.jsonl",
        "--recorded",
    ];
    let (code, _, err) = rubric(folder, &arguments);
    assert_eq!(code, 0, "{err}");
    let results: Vec<Json> = (0..6).map(|n| result(&format!("r{n}"), &json!(4), &json!({}))).collect();
    write(&folder.join("results.jsonl"), &results);
    let by_results = evaluated(folder, &["results.jsonl", "--labels", "people.jsonl"]);
    let by_judgments = evaluated(folder, &["results.jsonl", "--labels", "out.jsonl", "--criterion", "clear"]);
    for json in [by_results, by_judgments] {
        assert_eq!(crate::of(&json["runs"][0]["figures"], "exact_agreement", "")["value"], 1.0);
    }
}
