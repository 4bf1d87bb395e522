//! Whatever is wrong with the input: a clear reason, nothing lost, no panic.

use crate::{GRADES, Place, assert_valid};
use serde_json::Value as Json;

const GOOD: &str = r#"{"id": "good", "question": "q", "minor": true, "answer": "x", "judgments": {"accurate": 5, "complete": 1, "harmful": false, "serious": true, "care.asks": true, "care.blames": false}}"#;

/// Runs one bad line between two good ones; its reason.
fn reason(line: &[u8]) -> String {
    let mut text = GOOD.as_bytes().to_vec();
    text.push(b'\n');
    text.extend_from_slice(line);
    text.push(b'\n');
    text.extend_from_slice(GOOD.replace("good", "last").as_bytes());
    let place = Place::new(&[("p.rubric", GRADES)]);
    place.write("r.jsonl", text);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl --trace t.jsonl");
    let lines = place.lines("out.jsonl");
    assert_valid("result", &lines);
    assert_valid("trace", &place.lines("t.jsonl"));
    assert_eq!(ran.code, 4, "{}", ran.err);
    let statuses: Vec<&Json> = lines.iter().map(|line| &line["status"]).collect();
    assert_eq!(statuses, ["decided", "failed", "decided"]);
    assert_eq!(lines[1]["line"], 2);
    assert_eq!(place.rubric("replay t.jsonl").code, 0);
    lines[1]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_bad_record_fails_alone() {
    let bad = |change: (&str, &str)| {
        let bad = GOOD.replace("\"good\"", "\"bad\"");
        assert!(bad.contains(change.0), "{}", change.0);
        reason(bad.replace(change.0, change.1).as_bytes())
    };
    let cases = [
        (("\"question\"", "\"qestion\""), "it has `qestion`"),
        (("\"q\"", "3"), "`question` is the number 3"),
        (("\"accurate\": 5", "\"accurate\": 6"), "`6` is not a value of int[1..5]"),
        (("\"accurate\": 5", "\"accurate\": 4.5"), "`4.5` is not a value of int[1..5]"),
        (("\"accurate\": 5", "\"accurate\": \"unknown\""), "int[1..5]?"),
        (("\"accurate\": 5", "\"accurate\": NaN"), "NaN"),
        (("\"accurate\": 5", "\"accurate\": 1e999"), "400 digits"),
        (("\"accurate\": 5", "\"acurate\": 5"), "did you mean `accurate`"),
        (("\"accurate\": 5", "\"quality\": 1"), "computed, not judged"),
        (("\"accurate\": 5", "\"accurate\": 5, \"accurate\": 4"), "`accurate` stands twice"),
        (("\"harmful\": false", "\"harmful\": \"no\""), "not a value of bool"),
        (("\"harmful\": false", "\"harmful\": 0"), "not a value of bool"),
        (("\"harmful\": false", "\"harmful\": \"no\""), "it must be true or false, without quotes"),
        (("\"accurate\": 5", "\"accurate\": \"high\""), "it must be a whole number from 1 to 5"),
        (
            ("\"accurate\": 5", "\"care\": {\"asks\": true}"),
            "`care` is a checklist; judge its items, each under its own name, such as `care.asks`",
        ),
        (("\"judgments\"", "\"judgements\""), "did you mean `judgments`"),
        (("\"judgments\"", "\"Judgment\""), "did you mean `judgments`"),
        (("\"answer\": \"x\"", "\"candidate\": [{\"id\": \"a\", \"answer\": \"x\"}]"), "did you mean `candidates`"),
        (("\"bad\"", "\"good\""), "a record before it has the id `good`"),
        (("\"bad\"", "true"), "must be a text or a whole number"),
        (("}}", "}"), "cut off"),
        (("\"answer\": \"x\"", "\"answer\": \"x\", \"candidates\": []"), "stands beside `candidates`"),
    ];
    for (change, expected) in cases {
        let found = bad(change);
        assert!(found.contains(expected), "{change:?}: {found}");
    }
}

#[test]
fn lines_that_are_no_text() {
    assert!(reason(b"{\"id\": \"\xff\"}").contains("not UTF-8"));
    assert!(reason(b"[1, 2]").contains("not a JSON object"));
    assert!(reason("[".repeat(50_000).as_bytes()).contains("not valid JSON"));
}

#[test]
fn a_torn_last_line_fails_alone() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", &format!("{GOOD}\n{{\"id\": \"to"))]);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl");
    assert_eq!(ran.code, 4);
    assert!(place.lines("out.jsonl")[1]["reason"].as_str().unwrap().contains("last line, without a line break"));
}

#[test]
fn windows_files_read_the_same() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", &format!("\u{feff}{GOOD}\r\n"))]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl").code, 0);
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", GOOD), ("empty.jsonl", ""), ("list.json", "[{}]")]);
    for (arguments, expected) in [
        ("run p.rubric --data none.jsonl", "none.jsonl"),
        ("run p.rubric --data .", "folder"),
        ("run p.rubric --data empty.jsonl", "nothing in it"),
        ("run p.rubric --data list.json", "one record per line"),
        ("run p.rubric --data r.jsonl --judgments -", "standard input"),
        ("run p.rubric --data r.jsonl --judgments none.jsonl", "none.jsonl"),
        ("run p.rubric --data r.jsonl -o r.jsonl", "would destroy it"),
        ("run p.rubric --data r.jsonl -o x --trace x", "cannot both go"),
        ("run none.rubric --data r.jsonl", "none.rubric"),
        ("replay none.jsonl", "none.jsonl"),
        ("replay r.jsonl", "no trace"),
        ("replay empty.jsonl", "empty"),
    ] {
        let ran = place.rubric(arguments);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        // Messages are wrapped to the width of the terminal.
        let err = ran.err.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(err.contains(expected), "{arguments}: {err}");
    }
    assert_eq!(place.read("r.jsonl"), GOOD);
}

#[test]
fn a_record_that_fits_no_readout_fails() {
    let program =
        "rubric pairs\ncandidate answer: text\ncriterion c: bool \"Is it good?\"\nreadout pairwise = prefer(c)\n";
    let place =
        Place::new(&[("p.rubric", program), ("r.jsonl", "{\"answer\": \"x\", \"judgments\": {\"c\": true}}\n")]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 4);
    let line = &place.lines("out.jsonl")[0];
    assert!(line["reason"].as_str().unwrap().contains("compares two candidates"), "{line}");
    assert_eq!(line["id"], "line-1");
}

#[test]
fn bad_lines_of_judgments_are_told() {
    let bare = GOOD.replace("\"accurate\": 5, ", "");
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", &bare)]);
    let run = |judgments: &str| {
        place.write("j.jsonl", judgments);
        place.rubric("run p.rubric --data r.jsonl --judgments j.jsonl -o out.jsonl")
    };
    let good = "{\"id\": \"good\", \"criterion\": \"accurate\", \"value\": 4, \"by\": \"ann\"}\n";
    assert_eq!(run(good).code, 0);
    let twice = run(&good.repeat(2));
    assert_eq!(twice.code, 4);
    assert!(place.lines("out.jsonl")[0]["reason"].as_str().unwrap().contains("`ann` judged `accurate` already"));
    let torn = run(&format!("{good}{{\"id\": \"goo"));
    assert!(torn.code == 4 && torn.err.contains("line 2") && torn.err.contains("cut off"), "{}", torn.err);
    assert_eq!(place.lines("out.jsonl")[0]["status"], "decided");
    let other = run(&format!("{good}{}", good.replace("good", "other")));
    assert!(other.code == 0 && other.err.contains("no record that was read"), "{}", other.err);
}

/// The record with the number that explodes fails alone, with the node's name; whether a judgment is missing or not.
#[test]
fn a_number_without_end_fails_the_record() {
    let mut program = "rubric deep\ncandidate answer: text\ncriterion a: score[0..1] \"A?\"\n".to_owned()
        + "criterion b: score[0..1] \"B?\"\nreduce n1 = a * a\n";
    for n in 1..30 {
        program += &format!("reduce n{} = n{n} * n{n}\n", n + 1);
    }
    program += "reduce total = mean(n30, b)\nreadout pointwise = total\ntest \"t\" { given { a: 1/3, b: 0 } expect total < 1 }\n";
    let records = r#"{"id": "1", "answer": "x", "judgments": {"a": "1/3", "b": 1}}
{"id": "2", "answer": "x", "judgments": {"a": "1/3"}}
{"id": "3", "answer": "x", "judgments": {"a": 1, "b": 0}}
"#;
    let place = Place::new(&[("p.rubric", &program), ("r.jsonl", records)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl --trace t.jsonl").code, 4);
    let lines = place.lines("out.jsonl");
    assert_valid("result", &lines);
    for failed in [&lines[0], &lines[1]] {
        let reason = failed["reason"].as_str().unwrap();
        assert!(reason.contains("`n16`") && reason.contains("round("), "{reason}");
    }
    assert_eq!(lines[2]["readouts"]["pointwise"], 0.5);
    assert_eq!(place.rubric("replay t.jsonl").code, 0);
    let test = place.rubric("test p.rubric");
    assert_eq!(test.code, 1, "{}", test.out);
    assert!((test.out + &test.err).contains("`n16`"));
}

#[test]
fn an_optional_field_is_not_lost_by_a_misspelling() {
    let program = "rubric p\nreference guide: text?\ncandidate answer: text\ncriterion good: bool \"Is it good?\"\n\
                   readout pointwise = good\n";
    let records = "{\"id\": \"a\", \"answer\": \"x\", \"guid\": \"g\", \"judgments\": {\"good\": true}}\n\
                   {\"id\": \"b\", \"answer\": \"x\", \"guide\": \"g\", \"guides\": 2, \"judgments\": {\"good\": true}}\n\
                   {\"id\": \"c\", \"answer\": \"x\", \"candidate\": \"model 1\", \"judgments\": {\"good\": true}}\n";
    let place = Place::new(&[("p.rubric", program), ("r.jsonl", records)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 4);
    let lines = place.lines("out.jsonl");
    assert!(lines[0]["reason"].as_str().unwrap().contains("it has `guid`: is the name misspelt?"));
    assert_eq!((&lines[1]["status"], &lines[2]["status"]), (&"decided".into(), &"decided".into()));
}

#[test]
fn files_that_cannot_be_used_are_said_in_words() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", GOOD), ("s.csv", "id;question;answer\n1;q;x\n")]);
    for (command, words) in [
        ("run p.rubric --data s.csv", "seem to stand between `;`"),
        ("run p.rubric --data none.jsonl", "there is no such file"),
        ("run p.rubric --data r.jsonl --judgments none", "there is no such file"),
        ("run p.rubric --data r.jsonl -o none/x.jsonl", "there is no such file or folder"),
        ("build p.rubric -o none/x.json", "there is no such file or folder"),
        ("replay none.jsonl", "there is no such file"),
    ] {
        let ran = place.rubric(command);
        assert_eq!(ran.code, 2, "{command}: {}", ran.err);
        // Long lines are broken for the terminal.
        let told = ran.err.replace(['\u{2502}', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(words), "{command}: {told}");
        assert!(!told.contains("os error") && !told.contains(".tmp"), "{command}: {told}");
    }
}

#[test]
fn messages_show_what_the_author_wrote() {
    let program = "rubric p\ncandidate answer: text\ncriterion a: bool? \"Is it so?\"\ncriterion b: bool \"And this?\"\n\
                   reduce q = mean(normalize(b), normalize(a))\nreadout pointwise = q\n";
    let place = Place::new(&[("p.rubric", program), ("w.rubric", &program.replace("criterion b", "criterion not"))]);
    let told = place.rubric("check p.rubric --format concise").out;
    assert!(told.contains("`normalize(a)` can be unknown") && !told.contains("q.2"), "{told}");
    let told = place.rubric("check w.rubric").out;
    assert!(told.contains("`not` is a word of the language") && told.contains("choose another name"), "{told}");
    // What may stand there is said once.
    place.write("x.rubric", program.replace("criterion b:", "criterion 7 b:"));
    let told = place.rubric("check x.rubric").out;
    assert!(!(told.contains("here may stand") && told.contains("here could stand")), "{told}");
}
