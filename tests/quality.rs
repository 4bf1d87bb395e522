//! `rubric quality` and `rubric tags` as a user runs them, against the server of the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "support/faults/mod.rs"]
mod faults;

use faults::{Behaviour, Request, Server};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn rubric(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rubric")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn folder(server: &Server) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "[models.default]\ndialect = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m-1\"\nretries = 0\n",
        server.url
    );
    std::fs::write(folder.path().join("rubric.toml"), config).unwrap();
    folder
}

fn validated(schema: &str, json: &str) -> Json {
    let json: Json = serde_json::from_str(json).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(schema);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{json:#}");
    json
}

/// The numbers and texts of a block of the request.
fn block(request: &Request, name: &str) -> Vec<(usize, String)> {
    let prompt = request.prompt();
    let open = format!("[[[ {name} ");
    let from = prompt.rfind(&open).unwrap();
    let lines = prompt[from..].lines().skip(1).take_while(|line| !line.starts_with("[[[ end of"));
    let entry = |line: &str| {
        let (number, text) = line.split_once(". ").unwrap();
        (number.parse().unwrap(), text.to_owned())
    };
    lines.map(entry).collect()
}

/// Two criteria check the same if they end in the same word; what ends in "noise" is worth nothing.
fn verdicts(request: &Request) -> Json {
    let last = |text: &str| text.rsplit(' ').next().unwrap().to_owned();
    let others = block(request, "OTHERS");
    let entries: Vec<Json> = block(request, "CRITERIA")
        .into_iter()
        .map(|(n, text)| {
            let by: Vec<usize> =
                others.iter().filter(|(_, other)| last(other) == last(&text)).map(|(n, _)| *n).collect();
            let mut entry = json!({"n": n, "why": "because", "by": by});
            if request.prompt().contains("\"valuable\"") {
                entry["valuable"] = json!(last(&text) != "noise");
            }
            entry
        })
        .collect();
    json!({ "verdicts": entries })
}

fn judging(request: &Request) -> Behaviour {
    request.answer(&verdicts(request).to_string())
}

/// Three of ours, twelve of the experts'.
fn lists(folder: &Path) {
    let ours = json!([{"criterion": "Names the dose", "points": 5}, "Asks after liver", "Adds some noise"]);
    std::fs::write(folder.join("ours.json"), ours.to_string()).unwrap();
    let experts: Vec<String> = (1..=10)
        .map(|n| format!("Says thing{n}"))
        .chain(["States the dose".into(), "Checks the liver".into()])
        .collect();
    std::fs::write(folder.join("experts.txt"), experts.join("\n")).unwrap();
}

const QUALITY: [&str; 6] = ["quality", "ours.json", "--experts", "experts.txt", "--format", "json"];

#[test]
fn both_directions_are_judged_in_batches_and_nothing_twice() {
    let server = Server::start(judging);
    let folder = folder(&server);
    lists(folder.path());
    let (code, out, err) = rubric(folder.path(), &["quality", "ours.json", "--experts", "experts.txt", "--plan"]);
    assert!(code == 0 && out.starts_with("3 calls to `default`, and 0 that are stored"), "{out}{err}");
    assert!(out.contains("tokens are sent\n"), "{out}");
    assert_eq!(server.count(), 0);
    let with = [&QUALITY[..], &["--question", "What dose may a child take?"]].concat();
    let (code, out, err) = rubric(folder.path(), &with);
    assert_eq!(code, 0, "{err}");
    let json = validated("quality.schema.json", &out);
    assert_eq!(json["coverage"], json!(2.0 / 12.0));
    assert_eq!(json["uniqueness"], json!(1.0 / 3.0));
    assert_eq!(json["valuable"], json!(0.0));
    let question = &json["questions"][0];
    assert_eq!(question["experts"][10]["covered"]["by"], json!([1]));
    assert_eq!(question["criteria"][2]["covered"], json!({"by": [], "why": "because", "valuable": false}));
    // "dose" of {names, dose} stands in the question.
    assert_eq!(question["criteria"][0]["implicitness"], json!(0.5));
    assert_eq!(server.count(), 3);
    let (_, again, err) = rubric(folder.path(), &with);
    assert_eq!((server.count(), again), (3, out), "{err}");
    let (code, out, err) = rubric(
        folder.path(),
        &["quality", "ours.json", "--experts", "experts.txt", "--question", "What dose may a child take?"],
    );
    assert!(code == 0 && out.contains("Unique to ours and not worth having\n- Adds some noise"), "{out}");
    assert!(err.contains("asked: 0 calls, 3 from the store"), "{err}");
}

#[test]
fn what_does_not_conform_is_put_again_and_then_is_no_verdict() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        let mut json = verdicts(request);
        if count.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            json["verdicts"].as_array_mut().unwrap().pop();
        }
        request.answer(&json.to_string())
    });
    let folder = folder(&server);
    lists(folder.path());
    let (code, out, err) = rubric(folder.path(), &[&QUALITY[..], &["--batch", "100"]].concat());
    assert_eq!((code, server.count()), (0, 4), "{err}");
    assert_eq!(validated("quality.schema.json", &out)["coverage"], json!(2.0 / 12.0));

    let server = Server::start(|request| request.answer("I would rather not."));
    let folder = self::folder(&server);
    lists(folder.path());
    let (code, out, err) = rubric(folder.path(), &QUALITY);
    assert_eq!(code, 5, "{err}");
    assert!(err.contains("3 of 3 calls gave no verdicts"), "{err}");
    let json = validated("quality.schema.json", &out);
    assert_eq!((&json["coverage"], &json["questions"][0]["criteria"][0]["covered"]), (&json!(null), &json!(null)));
    assert!(json["specificity"]["criteria"].is_f64());
}

#[test]
fn a_ceiling_holds_and_what_was_answered_is_kept() {
    let server = Server::start(judging);
    let folder = folder(&server);
    lists(folder.path());
    let (code, _, err) = rubric(folder.path(), &[&QUALITY[..], &["--max-calls", "1"]].concat());
    assert_eq!((code, server.count()), (6, 1), "{err}");
    let (code, _, err) = rubric(folder.path(), &QUALITY);
    assert_eq!((code, server.count()), (0, 3), "{err}");
}

#[test]
fn questions_are_paired_by_their_ids() {
    let server = Server::start(judging);
    let folder = folder(&server);
    let lines = |ids: &[&str]| -> String {
        ids.iter()
            .map(|id| format!("{}\n", json!({"id": id, "question": "Q", "criteria": [format!("Names {id}")]})))
            .collect()
    };
    std::fs::write(folder.path().join("a.jsonl"), lines(&["q1", "q2", "q3"])).unwrap();
    std::fs::write(folder.path().join("b.jsonl"), lines(&["q3", "q1", "q4"])).unwrap();
    let (code, out, err) = rubric(folder.path(), &["quality", "a.jsonl", "--experts", "b.jsonl", "--format", "json"]);
    assert_eq!(code, 1, "{err}");
    let json = validated("quality.schema.json", &out);
    assert_eq!((&json["coverage"], &json["alone"]), (&json!(1.0), &json!(["q2", "q4"])));
    let (code, _, _) = rubric(folder.path(), &["quality", "a.jsonl", "--experts", "b.jsonl", "--computed"]);
    assert_eq!((code, server.count()), (1, 4));
    std::fs::write(folder.path().join("c.jsonl"), lines(&["x", "y"])).unwrap();
    let (code, _, err) = rubric(folder.path(), &["quality", "a.jsonl", "--experts", "c.jsonl", "--computed"]);
    assert!(code == 2 && err.contains("no question stands in both files"), "{err}");
}

const CARE: &str = r#"rubric care
candidate answer: text
criterion tone: int[1..5] "How kind is it?"
checklist care {
  group g { +6 flags "Names the symptoms" }
  -8 dose "Gives a dose" { tag topic "old" }
  +1 "Cites its sources"
}
reduce final = mean(normalize(tone), clamp(points(care), to: score[0..1]))
readout pointwise = final
"#;

fn tagging(request: &Request) -> Behaviour {
    let tags = |text: &str| match text.rsplit(' ').next().unwrap() {
        "it?" => json!(["Tone"]),
        "symptoms" => json!(["patient_safety", "completeness"]),
        "dose" => json!(["safety"]),
        _ => json!(["source quality"]),
    };
    let entries: Vec<Json> =
        block(request, "CRITERIA").iter().map(|(n, text)| json!({"n": n, "tags": tags(text)})).collect();
    request.answer(&json!({ "criteria": entries }).to_string())
}

#[test]
fn tags_are_clustered_and_written_into_the_program() {
    let server = Server::start(tagging);
    let folder = folder(&server);
    std::fs::write(folder.path().join("care.rubric"), CARE).unwrap();
    let tags = ["tags", "care.rubric", "--batch", "3", "-o", "tagged.rubric", "--format", "json"];
    let (code, out, err) = rubric(folder.path(), &tags);
    assert_eq!((code, server.count()), (0, 2), "{err}");
    let json = validated("tags.schema.json", &out);
    assert_eq!(json["dimensions"][0], json!({"name": "safety", "count": 2, "tags": ["safety", "patient safety"]}));
    assert_eq!(json["criteria"][1]["dimensions"], json!(["safety", "completeness"]));
    let text = std::fs::read_to_string(folder.path().join("tagged.rubric")).unwrap();
    // A program that was laid out stays so.
    let flags =
        "    +6 flags \"Names the symptoms\" {\n      tag topic \"safety\"\n      tag topic \"completeness\"\n    }\n";
    assert!(text.contains(flags), "{text}");
    assert!(text.contains("{\n    tag topic \"safety\"\n    tag topic \"old\"\n  }\n"), "{text}");
    assert_eq!(rubric(folder.path(), &["fmt", "--check", "tagged.rubric"]).0, 0);
    let (code, out, err) = rubric(folder.path(), &["check", "tagged.rubric"]);
    assert_eq!(code, 0, "{out}{err}");
    // A folder of programs is clustered as one.
    std::fs::create_dir(folder.path().join("all")).unwrap();
    std::fs::write(folder.path().join("all/a.rubric"), CARE).unwrap();
    std::fs::write(folder.path().join("all/b.rubric"), CARE.replacen("rubric care", "rubric other", 1)).unwrap();
    std::fs::copy(folder.path().join("rubric.toml"), folder.path().join("all/rubric.toml")).unwrap();
    let (code, out, err) = rubric(folder.path(), &["tags", "all", "-o", "out"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("8 criteria, 4 dimensions"), "{out}");
    assert!(folder.path().join("out/a.rubric").is_file() && folder.path().join("out/b.rubric").is_file());
}

#[test]
fn without_tags_for_all_nothing_is_written() {
    let server = Server::start(|request| request.answer(&json!({"criteria": []}).to_string()));
    let folder = folder(&server);
    std::fs::write(folder.path().join("care.rubric"), CARE).unwrap();
    let (code, _, err) = rubric(folder.path(), &["tags", "care.rubric", "-o", "tagged.rubric"]);
    assert_eq!(code, 5, "{err}");
    assert!(err.contains("nothing is written") && err.contains("0 entries; there are 4 criteria"), "{err}");
    assert!(!folder.path().join("tagged.rubric").exists());
    let (code, out, _) = rubric(folder.path(), &["tags", "care.rubric", "--plan"]);
    assert!(code == 0 && out.starts_with("1 call to `default`"), "{out}");
}
