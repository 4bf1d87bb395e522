//! `rubric report`: what it says is what the run came to, hostile text stays text, and a browser can work with the page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod browser;

use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = r#"
/// Judges replies of a shop <to customers>.
rubric reply

input question: text
candidate answer: text

criterion clear: int[1..5] "How clear is the reply?"
criterion rude: bool { ask "Is it rude?" judge llm(evidence: required) }

gate final = cap(normalize(clear), at: 0.1) when rude

readout pointwise = final
readout pointwise verdict = pass(final, at: 0.5)
"#;

/// A folder with a program, records and labels.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new(program: &str, records: &[Json]) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("reply.rubric", program);
        place.lines("data.jsonl", records);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn lines(&self, name: &str, lines: &[Json]) {
        self.write(name, &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    }

    pub fn rubric(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_rubric"));
        let mut output = output;
        let output = output.args(arguments).current_dir(self.folder.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let err = text(output.stderr);
        assert!(!err.contains("panicked"), "{err}");
        (output.status.code().unwrap_or(-1), text(output.stdout), err)
    }

    /// Runs the program over the recorded judgments, with results and a trace.
    pub fn run(&self) {
        let arguments =
            ["run", "reply.rubric", "--data", "data.jsonl", "--recorded", "-o", "r.jsonl", "--trace", "t.jsonl"];
        let (code, _, err) = self.rubric(&arguments);
        assert!([0, 3, 4].contains(&code), "{code} {err}");
    }

    pub fn report(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.rubric(&[&["report"], arguments].concat());
        assert!(code == 0 || arguments.contains(&"--pass"), "{code} {err}");
        out
    }
}

/// What the page carries for its script.
pub fn data(page: &str) -> Json {
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

fn records() -> Vec<Json> {
    let quoted = json!({"value": true, "by": "judge-1", "reason": "It insults.", "evidence": ["you fool"]});
    vec![
        json!({"id": "a", "question": "Where is it?", "answer": "On its way.", "judgments": {"clear": 5, "rude": false}, "tags": {"topic": "post"}}),
        json!({"id": "b", "question": "Why?", "answer": "Because, you fool.", "judgments": {"clear": 4, "rude": quoted}, "tags": {"topic": "post"}}),
        json!({"id": "c", "question": "When?", "answer": "Soon.", "judgments": {"clear": {"missing": "refused"}, "rude": false}}),
        json!({"id": "d", "question": "Who?", "answer": "Me.", "judgments": {"clear": 9, "rude": false}}),
        json!({"id": "e", "question": "How?", "answer": "By post.", "judgments": {"clear": 3, "rude": false}}),
    ]
}

fn place() -> Place {
    let place = Place::new(PROGRAM, &records());
    place.write("labels.csv", "id,label\na,1\nb,0.9\ne,0.5\n");
    place.run();
    place
}

#[test]
fn the_page_says_what_the_run_came_to() {
    let place = place();
    let page = place.report(&["r.jsonl", "t.jsonl", "--data", "data.jsonl", "--labels", "labels.csv"]);
    let data = data(&page);
    let row = |id: &str| data["rows"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(data["readouts"], json!(["pointwise", "verdict"]));
    let b = row("b");
    assert_eq!((&b["cells"][0]["said"], &b["label"]), (&json!(["0.1", "false"]), &json!("0.9")));
    assert!((b["off"].as_f64().unwrap() - 0.8).abs() < 1e-9, "{b}");
    let detail = &b["cells"][0]["details"][0];
    assert_eq!(detail["fired"], json!(["final"]));
    let rude = detail["judged"].as_array().unwrap().iter().find(|judged| judged["name"] == "rude").unwrap();
    let answer = json!({"by": "judge-1", "value": "true", "reason": "It insults.", "quotes": ["you fool"]});
    assert_eq!(rude["answers"][0], answer);
    // What the gate put in its place did not count; the gate's condition did.
    let names: Vec<&str> =
        data["programs"][0]["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    let way: Vec<&str> = detail["way"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| names[usize::try_from(n.as_u64().unwrap()).unwrap()])
        .collect();
    assert!(way.contains(&"rude") && way.contains(&"final") && !way.contains(&"clear"), "{way:?}");
    assert_eq!(b["texts"][1], json!(["answer", "Because, you fool."]));
    assert_eq!(row("c")["cells"][0]["missing"][0], json!({"criterion": "clear", "why": "refused"}));
    assert_eq!(row("d")["cells"][0]["status"], "failed");
    assert!(row("d")["cells"][0]["reason"].as_str().unwrap().contains("clear"), "{}", row("d"));
    for said in ["Agreement with labels.csv", "topic: post", "How clear is the reply?", "Kendall"] {
        assert!(page.contains(said), "{said}");
    }
    // The same files give the same bytes.
    assert_eq!(page, place.report(&["t.jsonl", "r.jsonl", "--data", "data.jsonl", "--labels", "labels.csv"]));
    // A trace alone says the same of the rows, but for tags.
    let alone = self::data(&place.report(&["t.jsonl"]));
    for (own, other) in alone["rows"].as_array().unwrap().iter().zip(data["rows"].as_array().unwrap()) {
        assert_eq!(own["cells"][0]["said"], other["cells"][0]["said"]);
        assert_eq!(own["cells"][0]["details"], other["cells"][0]["details"]);
    }
    // Of as many records as are wanted, the worst are shown down to their judgments.
    let few = self::data(&place.report(&["r.jsonl", "t.jsonl", "--labels", "labels.csv", "--details", "1"]));
    let detailed: Vec<&str> = few["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["cells"][0].get("details").is_some())
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!(detailed, ["b"]);
}

#[test]
fn the_policy_of_the_page_allows_its_script_alone() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let place = place();
    let page = place.report(&["r.jsonl", "t.jsonl"]);
    let start = page.rfind("<script>").unwrap() + "<script>".len();
    let end = page.rfind("</script>").unwrap();
    let digest = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(&page.as_bytes()[start..end]));
    assert!(page.contains(&format!("script-src 'sha256-{digest}'")));
    assert!(!page.contains(" onclick=") && !page.contains("src=") && !page.contains("@import"));
}

/// Texts that would be something else than text, in some place of a page.
pub const HOSTILE: [&str; 9] = [
    "<img src=x onerror=document.documentElement.dataset.hacked=1>",
    "</script><script>document.documentElement.dataset.hacked=1</script>",
    "<!--<script>",
    "\" onmouseover=\"document.documentElement.dataset.hacked=1",
    "' autofocus onfocus='document.documentElement.dataset.hacked=1",
    "]]></style><svg onload=document.documentElement.dataset.hacked=1>",
    "javascript:document.documentElement.dataset.hacked=1//",
    "a\u{202e}b\u{2028}c\u{0}d\u{1b}[31m",
    "&lt;img src=x&gt; &#60;b&#62; \\u003cb\\u003e ${1} {{answer}}",
];

/// A report with hostile text in every place where a file puts text.
pub fn hostile_page(text: &str) -> (Place, String) {
    let quoted = serde_json::to_string(text).unwrap();
    let program = PROGRAM.replace("\"Is it rude?\"", &rubric_text(text)).replace(
        "/// Judges",
        &format!("/// {} Judges", text.replace(['\n', '\u{2028}', '\0', '\u{1b}', '\u{202e}'], " ")),
    );
    let judgment = json!({"value": true, "by": text, "reason": text, "note": text, "evidence": [text]});
    let records = [
        json!({"id": text, "question": text, "candidates": [
            {"id": format!("{text}1"), "answer": text, "judgments": {"clear": 2, "rude": judgment}},
            {"id": format!("{text}2"), "answer": text, "judgments": {"clear": {"missing": "refused", "note": text}, "rude": false}},
        ], "tags": {text: text}}),
        json!({"id": format!("{text}3"), "question": text, "answer": text, "judgments": {(text): 1}}),
    ];
    let place = Place::new(&program, &records);
    place.run();
    place.write(
        "labels.jsonl",
        &format!(
            "{{\"id\": {quoted}, \"candidate\": {}, \"label\": 0.5, \"by\": {quoted}}}\n",
            json!(format!("{text}1"))
        ),
    );
    let results = std::fs::read_to_string(place.path("r.jsonl")).unwrap();
    assert!(results.contains("\"decided\""), "{results}");
    let page = place.report(&[
        "r.jsonl",
        "t.jsonl",
        "--data",
        "data.jsonl",
        "--labels",
        "labels.jsonl",
        "--title",
        &text.replace('\0', ""),
    ]);
    (place, page)
}

/// A text as it is written in a program.
fn rubric_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Fields stand in braces, and a program holds no such characters.
            '{' | '}' => {}
            c if c.is_control() || matches!(c, '\u{202e}' | '\u{2028}') => {}
            c => out.push(c),
        }
    }
    out + "\""
}

#[test]
fn hostile_text_stays_text_in_every_format() {
    for text in HOSTILE {
        let (place, page) = hostile_page(text);
        let outside = page.replace(data_text(&page), "");
        // Scripts and images are only those of the page itself.
        assert_eq!(page.matches("<script").count(), 2, "{text}");
        assert!(!outside.contains("<img") && !outside.contains("onmouseover=\"doc"), "{text}");
        assert!(!page.contains(['\u{202e}', '\u{2028}', '\0', '\u{1b}']), "{text}");
        assert!(!data_text(&page).contains(['<', '>', '&']), "{text}");
        // Nothing of it is lost: only characters that are harmful are replaced.
        let data = data(&page);
        let shown = text.replace(['\u{202e}', '\u{2028}'], "\u{fffd}").replace(['\0', '\u{1b}'], "?");
        assert_eq!(data["rows"][0]["id"], json!(shown));
        let junit = place.report(&["r.jsonl", "t.jsonl", "--format", "junit", "--pass", ">= 0.5"]);
        let read = quick_junit::Report::deserialize_from_str(&junit).unwrap();
        assert_eq!(read.test_suites[0].test_cases.len(), 3, "{junit}");
        let github =
            place.report(&["r.jsonl", "t.jsonl", "--format", "github", "--pass", ">= 0.5", "--data", "data.jsonl"]);
        assert!(github.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")), "{github}");
        let markdown = place.report(&["r.jsonl", "t.jsonl", "--format", "markdown"]);
        assert!(
            !markdown.contains("<img") && !markdown.contains("<script") && !markdown.contains('\u{1b}'),
            "{markdown}"
        );
    }
}

fn data_text(page: &str) -> &str {
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    &page[start..start + page[start..].find("</script>").unwrap()]
}

#[test]
fn test_cases_and_annotations_name_what_fails_and_why() {
    let place = place();
    let arguments = ["report", "r.jsonl", "t.jsonl", "--data", "data.jsonl", "--pass", ">= 0.5", "--format"];
    let (code, out, _) = place.rubric(&[&arguments[..], &["junit"]].concat());
    assert_eq!(code, 1);
    let read = quick_junit::Report::deserialize_from_str(&out).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors), (5, 1, 2));
    assert!(out.contains("pointwise is 0.1, wanted &gt;= 0.5; fired: final"), "{out}");
    assert!(out.contains("missing: clear (refused)"), "{out}");
    let (code, out, _) = place.rubric(&[&arguments[..], &["github"]].concat());
    assert_eq!(code, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(
        lines.contains(&"::error file=data.jsonl,line=2,title=b::pointwise is 0.1, wanted >= 0.5; fired: final"),
        "{out}"
    );
    // What is not decided is no failure of the candidate.
    assert!(lines.iter().any(|line| line.starts_with("::error file=data.jsonl,line=4,title=d::failed")), "{out}");
    let (code, out, _) = place.rubric(&["report", "r.jsonl", "--pass", ">= 0", "--format", "markdown"]);
    assert_eq!(code, 1, "two are not decided");
    assert!(out.contains("### Not decided, or not passed") && out.contains("| c |"), "{out}");
    let (code, _, err) = place.rubric(&["report", "r.jsonl", "--pass", "good"]);
    assert!(code == 2 && err.contains("--pass"), "{err}");
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let place = place();
    let (code, _, err) = place.rubric(&["report", "r.jsonl", "t.jsonl", "t.jsonl"]);
    assert!(code == 2 && err.contains("1 runs of results and 2 traces"), "{err}");
    let (code, _, err) = place.rubric(&["report", "data.jsonl"]);
    assert!(code == 2 && err.contains("data.jsonl"), "{err}");
    place.write("reply.rubric", &PROGRAM.replace("at: 0.1", "at: 0.2"));
    std::fs::copy(place.path("r.jsonl"), place.path("old.jsonl")).unwrap();
    place.run();
    let (code, _, err) = place.rubric(&["report", "old.jsonl", "t.jsonl"]);
    assert!(code == 2 && err.contains("another program"), "{err}");
    // Both runs beside each other: what differs is there to be found.
    let page = place.report(&["old.jsonl", "r.jsonl"]);
    let data = data(&page);
    let b = data["rows"].as_array().unwrap().iter().find(|row| row["id"] == "b").unwrap();
    assert_eq!((&b["cells"][0]["said"][0], &b["cells"][1]["said"][0]), (&json!("0.1"), &json!("0.2")));
    // A trace that was changed is told, and what was changed is not shown.
    let trace = std::fs::read_to_string(place.path("t.jsonl")).unwrap().replace("you fool", "you hero");
    place.write("t.jsonl", &trace);
    let page = place.report(&["r.jsonl", "t.jsonl"]);
    assert!(page.contains("class=\"warn\">`t.jsonl`, line") && !page.contains("you hero"), "a changed trace");
}

/// Two runs of two programs, whose traces are named in the wrong order: what led to one result must not stand under another.
#[test]
fn traces_in_the_wrong_order_are_refused() {
    let place = place();
    for name in ["r.jsonl", "t.jsonl"] {
        std::fs::rename(place.path(name), place.path(&format!("old-{name}"))).unwrap();
    }
    place.write("reply.rubric", &PROGRAM.replace("at: 0.1", "at: 0.2"));
    place.run();
    let (code, _, err) = place.rubric(&["report", "old-r.jsonl", "r.jsonl", "t.jsonl", "old-t.jsonl"]);
    assert!(code == 2 && err.contains("another program") && err.contains("order"), "{err}");
    place.report(&["old-r.jsonl", "r.jsonl", "old-t.jsonl", "t.jsonl"]);
}

/// Annotations have their lines however few records are shown in detail.
#[test]
fn annotations_have_lines_beyond_the_details() {
    let place = place();
    let arguments =
        ["report", "r.jsonl", "--data", "data.jsonl", "--pass", ">= 0.5", "--details", "0", "--format", "github"];
    let (_, out, _) = place.rubric(&arguments);
    assert!(out.lines().count() == 3 && out.lines().all(|line| line.contains("file=data.jsonl,line=")), "{out}");
}

/// Of a table of records the texts are shown, and none of the columns that hold judgments and tags.
#[test]
fn texts_of_a_table_are_its_fields_alone() {
    let place = Place::new(PROGRAM, &[]);
    place.write(
        "data.csv",
        "id,question,answer,judgments.clear,judgments.rude,tags.topic\na,Where?,\"Here, \"\"now\"\"\",5,false,post\n",
    );
    let run = ["run", "reply.rubric", "--data", "data.csv", "--recorded", "-o", "r.jsonl", "--runs", "2", "--quiet"];
    let (code, _, err) = place.rubric(&run);
    assert_eq!(code, 0, "{err}");
    let page = place.report(&["r.jsonl", "--data", "data.csv"]);
    assert_eq!(data(&page)["rows"][0]["texts"], json!([["question", "Where?"], ["answer", "Here, \"now\""]]));
    // Several runs of a file are named after the file.
    assert!(page.contains("<title>r.jsonl</title>"), "{}", &page[..600]);
}

/// A record with two candidates, scored and compared, and its page.
pub fn compared() -> (Place, String) {
    let program = PROGRAM.replace(
        "readout pointwise verdict = pass(final, at: 0.5)",
        "readout pairwise = prefer(final, margin: 0.1, tie: tie)",
    );
    let one = |id: &str, clear: u64| json!({"id": id, "answer": "x", "judgments": {"clear": clear, "rude": false}});
    let records = [json!({"id": "p", "question": "?", "candidates": [one("x", 2), one("y", 5)]})];
    let place = Place::new(&program, &records);
    place.run();
    let page = place.report(&["r.jsonl", "t.jsonl"]);
    (place, page)
}

/// Preferences have a row for each candidate and one for the comparison.
#[test]
fn comparisons_have_rows_of_their_own() {
    let (place, page) = compared();
    let data = data(&page);
    assert_eq!(data["rows"].as_array().unwrap().len(), 3);
    assert_eq!(data["rows"][2]["cells"][0]["said"], json!([null, "y wins"]));
    let (code, out, _) =
        place.rubric(&["report", "r.jsonl", "t.jsonl", "--readout", "pairwise", "--pass", "y", "--format", "junit"]);
    assert_eq!(quick_junit::Report::deserialize_from_str(&out).unwrap().test_suites[0].tests, 1, "{out}");
    assert_eq!(code, 0);
}

/// The tests of a program as test cases and as annotations.
#[test]
fn tests_of_programs_are_cases_too() {
    let hostile = "<b>50%, \u{e9}:</b>";
    let test = |name: &str, want: &str| {
        format!("test \"{name}\" {{ given {{ clear: 5, rude: false }} expect verdict == {want} }}\n")
    };
    let program = format!("{PROGRAM}{}{}", test("it holds", "true"), test(hostile, "false"));
    let place = Place::new(&program, &[]);
    let (code, out, err) = place.rubric(&["test", "reply.rubric", "--format", "junit"]);
    assert_eq!(code, 1, "{err}");
    let read = quick_junit::Report::deserialize_from_str(&out).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures), (2, 1), "{out}");
    assert_eq!(suite.test_cases[1].name.as_str(), hostile);
    assert!(out.contains("expected verdict == false") && out.contains("found    verdict = true"), "{out}");
    let (code, out, _) = place.rubric(&["test", "reply.rubric", "--format", "github"]);
    let line = program.lines().position(|line| line.contains("50%")).unwrap() + 1;
    let wanted = format!(
        "::error file=reply.rubric,line={line},title=test \"<b>50%25%2C \u{e9}%3A</b>\"::line {line}: expected"
    );
    assert!(code == 1 && out.starts_with(&wanted) && out.lines().count() == 1, "{out}");
}
