//! Bad input, as a user would hand it over: each gets a clear word that names the place and what to do, the exit code that
//! `docs/cli.md` promises, and never a panic. Records that are bad fail alone; the run goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "rubric sample\n\ninput question: text\ncandidate answer: text\n\n\
    criterion tone: int[1..5] \"How friendly is the answer?\"\n\
    criterion sharp: score[0..1]? \"How precise is it?\"\n\n\
    reduce final = mean(normalize(tone), sharp, unknown: skip)\n\nreadout pointwise = final\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Exit code and everything that was said.
    fn rubric(&self, args: &[&str]) -> (i32, String) {
        // Nobody is asked, whatever the environment has keys for.
        let recorded = (args.first() == Some(&"run")).then_some("--recorded");
        let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
        let output = command.args(args).args(recorded).current_dir(self.0.path()).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(!said.contains("panicked"), "rubric {args:?}: {said}");
        (output.status.code().unwrap_or_else(|| panic!("rubric {args:?} was killed: {said}")), said)
    }

    fn check(&self, name: &str, text: impl AsRef<[u8]>) -> (i32, String) {
        let path = self.file(name, text);
        self.rubric(&["check", "--format", "concise", path.to_str().unwrap()])
    }

    /// Runs the sample program over the lines; exit code, result lines, what was said.
    fn run(&self, records: impl AsRef<[u8]>) -> (i32, Vec<Json>, String) {
        self.file("sample.rubric", PROGRAM);
        self.file("records.jsonl", records);
        let (code, said) = self.rubric(&["run", "sample.rubric", "--data", "records.jsonl", "-o", "results.jsonl"]);
        (code, lines(&self.0.path().join("results.jsonl")), said)
    }
}

fn lines(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap_or_default().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn good(id: &str) -> Json {
    json!({"id": id, "question": "q", "answer": "a", "judgments": {"tone": 3, "sharp": 0.5}})
}

/// Asserts exit code and that all of `words` were said.
fn says((code, said): (i32, String), expected: i32, words: &[&str]) {
    assert_eq!(code, expected, "{said}");
    for word in words {
        assert!(said.contains(word), "`{word}` was not said: {said}");
    }
}

#[test]
fn files_that_cannot_be_read() {
    let f = Folder::new();
    says(f.check("empty.rubric", ""), 2, &["empty.rubric", "empty"]);
    says(f.check("latin.rubric", b"rubric x\n\ninput caf\xe9: text\n"), 2, &["latin.rubric", "line 3", "UTF-8"]);
    says(f.rubric(&["check", "nowhere.rubric"]), 2, &["nowhere.rubric", "does not exist"]);
    fs::create_dir(f.0.path().join("folder.rubric")).unwrap();
    for command in ["build", "graph", "test"] {
        says(f.rubric(&[command, "folder.rubric"]), 2, &["folder.rubric"]);
    }
    says(f.rubric(&["replay", "folder.rubric"]), 2, &["folder.rubric"]);
    says(f.rubric(&["run", "nowhere.rubric", "--data", "x.jsonl"]), 2, &["nowhere.rubric"]);
    f.file("sample.rubric", PROGRAM);
    says(f.rubric(&["run", "sample.rubric", "--data", "nothing.jsonl"]), 2, &["nothing.jsonl"]);
    says(f.rubric(&["build", "sample.rubric", "-o", "no/such/folder/out.json"]), 2, &["no/such/folder/out.json"]);
}

#[test]
fn files_that_are_too_much() {
    let f = Folder::new();
    says(f.check("comments.rubric", format!("{}{PROGRAM}", "// a comment\n".repeat(100_000))), 0, &[]);
    says(f.check("only.rubric", "// nothing else\n".repeat(100_000)), 1, &["R0110"]);
    let deep = format!("{PROGRAM}\ntransform deep = {}tone{}\n", "(".repeat(10_000), ")".repeat(10_000));
    says(f.check("deep.rubric", deep), 1, &["deep.rubric:"]);
    let groups = format!(
        "rubric g\ncandidate a: text\nchecklist c {{ {} +1 \"x\" {} }}\nreadout pointwise = points(c)\n",
        "group g { ".repeat(10_000),
        "}".repeat(10_000)
    );
    says(f.check("groups.rubric", groups), 1, &["groups.rubric:"]);
    let nots = format!("{PROGRAM}\ntransform no = {} tone > 3\n", "not ".repeat(10_000));
    says(f.check("nots.rubric", nots), 1, &["nots.rubric:"]);
    let sum = format!("{PROGRAM}\nreduce all = {}tone\nobserve all\n", "tone + ".repeat(100_000));
    says(f.check("sum.rubric", sum), 1, &["sum.rubric:"]);
    let json = format!("{{\"format\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    says(f.check("deep.json", json), 1, &["deep.json:"]);
}

#[test]
fn a_hundred_thousand_criteria() {
    let f = Folder::new();
    let mut text = String::from("rubric many\ncandidate answer: text\n");
    let mut slots = String::new();
    for n in 0..100_000 {
        text.push_str(&format!("criterion c{n}: bool \"Is point {n} met?\"\n"));
        slots.push_str(&format!("c{n},"));
    }
    text.push_str(&format!("reduce all_of_them = fraction({slots})\nreadout pointwise = all_of_them\n"));
    says(f.check("many.rubric", text), 0, &[]);
}

#[test]
fn windows_and_emoji_do_not_move_the_place() {
    let f = Folder::new();
    let text = "rubric x\n\ncandidate answer: text\n\n/* 🙂 */\n".replace("/* 🙂 */", "// 🙂🙂");
    let fault = format!("{text}criterion tone: int[1..5] \"🙂 How?\" {{ level 9 \"🙂\" }}\nreadout pointwise = tone\n");
    let (code, unix) = f.check("place.rubric", &fault);
    assert_eq!(code, 1);
    assert!(unix.contains("place.rubric:6:44: error[R0503]"), "{unix}");
    let (_, windows) = f.check("place.rubric", fault.replace('\n', "\r\n"));
    let (_, marked) = f.check("place.rubric", format!("\u{feff}{fault}"));
    assert_eq!(unix, windows);
    assert_eq!(unix, marked);
}

#[test]
fn libraries_cannot_lead_out_or_round_and_round() {
    let f = Folder::new();
    f.file("rubric.toml", "");
    let program = |path: &str| format!("rubric x\nuse \"{path}\" as lib\n{}", PROGRAM.split_once('\n').unwrap().1);
    says(f.check("a.rubric", program("../../etc/passwd")), 1, &["a.rubric:2:"]);
    says(f.check("a.rubric", program("/etc/passwd")), 1, &["a.rubric:2:"]);
    says(f.check("a.rubric", program("missing.rubric")), 1, &["missing.rubric"]);
    f.file("one.rubric", "library one\nuse \"two.rubric\" as two\nscale s = two.s\n");
    f.file("two.rubric", "library two\nuse \"one.rubric\" as one\nscale s = one.s\n");
    says(f.check("a.rubric", program("one.rubric")), 1, &["one.rubric", "two.rubric"]);
}

#[test]
fn a_bad_record_fails_alone() {
    let f = Folder::new();
    let mut bad = vec![
        ("no answer", json!({"id": "r", "question": "q", "judgments": {"tone": 3, "sharp": 0.5}}), "answer"),
        ("misspelt", json!({"id": "r", "question": "q", "anwser": "a", "judgments": {"tone": 3}}), "anwser"),
        ("unknown criterion", json!({"id": "r", "question": "q", "answer": "a", "judgments": {"tome": 3}}), "tone"),
        (
            "out of scale",
            json!({"id": "r", "question": "q", "answer": "a", "judgments": {"tone": 14, "sharp": 1}}),
            "14",
        ),
        ("a half", json!({"id": "r", "question": "q", "answer": "a", "judgments": {"tone": 2.5, "sharp": 1}}), "2.5"),
        ("NaN", json!({"id": "r", "question": "q", "answer": "a", "judgments": {"tone": "NaN", "sharp": 1}}), "NaN"),
        (
            "unknown without ?",
            json!({"id": "r", "question": "q", "answer": "a", "judgments": {"tone": "unknown"}}),
            "unknown",
        ),
        (
            "wrong kind",
            json!({"id": "r", "question": 5, "answer": "a", "judgments": {"tone": 3, "sharp": 1}}),
            "question",
        ),
        ("not an object", json!([1, 2]), ""),
        ("two judgments", json!({"id": "r", "question": "q", "answer": "a", "judgments": [1]}), "judgments"),
    ];
    for (case, record, word) in bad.drain(..) {
        let text = format!("{}\n{record}\n{}\n", good("before"), good("after"));
        let (code, results, said) = f.run(text);
        assert_eq!(code, 4, "{case}: {said}");
        let status: Vec<&str> = results.iter().map(|l| l["status"].as_str().unwrap()).collect();
        assert_eq!(status, ["decided", "failed", "decided"], "{case}: {said}");
        let reason = results[1].to_string();
        assert!(
            reason.contains(word) && results[1]["readouts"].as_object().is_none_or(|r| r.is_empty()),
            "{case}: {reason}"
        );
    }
}

#[test]
fn lines_that_are_no_records() {
    let f = Folder::new();
    let torn = format!("{}\n{}\n{{\"id\": \"torn\", \"quest", good("a"), good("b"));
    let (code, results, said) = f.run(torn);
    assert_eq!((code, results.len()), (4, 3), "{said}");
    assert_eq!(results[2]["status"], "failed");
    let (code, results, _) = f.run(format!("{}\n{}\n{}\n", good("a"), good("b"), good("a")));
    assert_eq!(code, 4);
    assert_eq!(results[2]["status"], "failed");
    assert!(results[2].to_string().contains("a"));
    let mut bytes = good("a").to_string().into_bytes();
    bytes.extend_from_slice(b"\n{\"id\": \"\xff\"}\n");
    bytes.extend_from_slice(good("b").to_string().as_bytes());
    let (code, results, _) = f.run(bytes);
    assert_eq!(code, 4);
    assert_eq!(
        results.iter().map(|l| l["status"].as_str().unwrap()).collect::<Vec<_>>(),
        ["decided", "failed", "decided"]
    );
    let nan = good("nan").to_string().replace("0.5", "NaN");
    let (code, results, _) = f.run(format!("{nan}\n{}\n", good("b")));
    assert_eq!((code, results[0]["status"].as_str()), (4, Some("failed")));
    let huge = good("huge").to_string().replace("0.5", "1e999999999");
    let (code, results, _) = f.run(format!("{huge}\n{}\n", good("b")));
    assert_eq!((code, results[0]["status"].as_str()), (4, Some("failed")));
    let (code, _, said) = f.run("");
    assert_eq!(code, 2, "no records at all: {said}");
}

#[test]
fn a_missing_judgment_is_missing() {
    let f = Folder::new();
    let open = json!({"id": "o", "question": "q", "answer": "a", "judgments": {"sharp": 0.5}});
    let (code, results, said) = f.run(format!("{open}\n{}\n", good("b")));
    assert_eq!(code, 3, "{said}");
    assert_eq!(results[0]["status"], "open");
    assert!(!results[0]["readouts"]["pointwise"].is_number(), "{}", results[0]);
    assert_eq!(results[0]["missing"][0]["criterion"], "tone");
    // (0 + 1/2) / 2 and (1 + 1/2) / 2
    let bounds = results[0]["bounds"]["final"].to_string();
    assert!(bounds.contains("0.25") && bounds.contains("0.75"), "{bounds}");
}

#[test]
fn a_changed_trace_is_found_and_named() {
    let f = Folder::new();
    f.file("sample.rubric", PROGRAM);
    f.file("records.jsonl", format!("{}\n{}\n", good("first-one"), good("second-one")));
    let run = ["run", "sample.rubric", "--data", "records.jsonl", "-o", "r.jsonl", "--trace", "t.jsonl"];
    says(f.rubric(&run), 0, &[]);
    says(f.rubric(&["replay", "t.jsonl"]), 0, &[]);
    let trace = fs::read_to_string(f.0.path().join("t.jsonl")).unwrap();
    let at = trace.rfind("0.5").unwrap();
    let changed = format!("{}0.6{}", &trace[..at], &trace[at + 3..]);
    f.file("changed.jsonl", changed);
    let (code, said) = f.rubric(&["replay", "changed.jsonl"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("changed.jsonl, line") && said.contains("second-one"), "{said}");
    f.file("torn.jsonl", &trace[..trace.len() - 20]);
    let (code, said) = f.rubric(&["replay", "torn.jsonl"]);
    assert!(code != 0 && said.contains("torn.jsonl"), "{code} {said}");
}
