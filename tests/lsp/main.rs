//! `rubric lsp`, driven over standard input and output as an editor does it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod client;

use client::{Client, uri};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

const CLEAN: &str = r#"/// Grades an answer. 🙂
rubric answer

scale likert = int[1..5]

input     question: text
candidate answer:   text

/// How true it is.
criterion factual: likert { ask "Is {{answer}} 🙂 true for {{question}}?" }
criterion tone: ordinal(cold < polite < warm) "How does it sound?"
criterion short: bool {
  judge rule(word_count(answer) <= 10)
}
checklist care {
  +3 who "Says who"
  -2 harm "Harms"
}

reduce quality = mean(normalize(factual), normalize(tone))
gate final = cap(quality, at: 0.5) when care.harm or tone == cold

observe short
observe care
readout pointwise = final
readout pointwise ok = pass(final, at: 0.6)

require "harm" { when care.harm: final <= 0.5 }
require increasing(factual)

test "holds" { given { factual: 5, tone: warm, short: true, care: [who] } expect ok }
test "fails" { given { factual: 1, tone: cold, short: true, care: [] } expect ok }
"#;

/// Line and column (UTF-16) of the `n`th time that `what` stands in a text, and of its end.
fn place(text: &str, what: &str, n: usize) -> (usize, usize) {
    let at = text.match_indices(what).nth(n).unwrap_or_else(|| panic!("no {what}")).0;
    let before = &text[..at];
    let line = before.matches('\n').count();
    (line, before.rsplit('\n').next().unwrap().encode_utf16().count())
}

fn behind(text: &str, what: &str, n: usize) -> (usize, usize) {
    let (line, column) = place(text, what, n);
    (line, column + what.encode_utf16().count())
}

/// The text in a range.
fn slice<'t>(text: &'t str, range: &Json) -> &'t str {
    let at = |p: &Json| {
        let (line, column) = (p["line"].as_u64().unwrap() as usize, p["character"].as_u64().unwrap() as usize);
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut left = column;
        let mut bytes = start;
        for c in text[start..].chars() {
            if left == 0 {
                break;
            }
            left -= c.len_utf16();
            bytes += c.len_utf8();
        }
        bytes
    };
    &text[at(&range["start"])..at(&range["end"])]
}

fn saved(name: &str, text: &str) -> (tempfile::TempDir, PathBuf, String) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap().join(name);
    std::fs::write(&path, text).unwrap();
    let uri = uri(&path);
    (place, path, uri)
}

fn codes(diagnostics: &[Json]) -> Vec<String> {
    let mut all: Vec<String> = diagnostics.iter().map(|d| d["code"].as_str().unwrap().to_owned()).collect();
    all.sort();
    all
}

fn labels(list: &Json) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap()).collect()
}

#[test]
fn a_clean_file_answers_everything() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let mut c = Client::plain();
    assert!(codes(&c.open(&uri, CLEAN)).is_empty(), "a clean file");

    let hover = c.at("textDocument/hover", &uri, place(CLEAN, "factual", 1));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("criterion factual: int[1..5]") && text.contains("How true it is."), "{text}");
    assert_eq!(slice(CLEAN, &hover["range"]), "factual");
    // Behind an emoji, in a text.
    let hover = c.at("textDocument/hover", &uri, place(CLEAN, "question", 1));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("field question"), "{hover}");
    assert_eq!(slice(CLEAN, &hover["range"]), "question");
    let hover = c.at("textDocument/hover", &uri, place(CLEAN, "cap", 0));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("cap(base"), "{hover}");
    let hover = c.at("textDocument/hover", &uri, place(CLEAN, "word_count", 0));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("word_count"), "{hover}");

    let definition = c.at("textDocument/definition", &uri, place(CLEAN, "harm or", 0));
    assert_eq!(definition["uri"], uri.as_str());
    assert_eq!(definition["range"]["start"]["line"], place(CLEAN, "-2 harm", 0).0);
    let context = json!({ "context": { "includeDeclaration": true } });
    let found = c.with("textDocument/references", &uri, place(CLEAN, "factual", 0), context);
    // Declared, normalized, required, given twice.
    assert_eq!(found.as_array().unwrap().len(), 5, "{found}");
    assert!(found.as_array().unwrap().iter().all(|f| slice(CLEAN, &f["range"]) == "factual"));
    let found = c.at("textDocument/documentHighlight", &uri, place(CLEAN, "answer:", 0));
    assert_eq!(found.as_array().unwrap().len(), 3, "{found}");

    let symbols = c.of("textDocument/documentSymbol", &uri);
    let care = symbols.as_array().unwrap().iter().find(|s| s["name"] == "care").unwrap();
    assert_eq!(care["children"].as_array().unwrap().len(), 2);
    let found = c.request("workspace/symbol", json!({ "query": "QUAL" }))["result"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");

    let hints = c.of("textDocument/inlayHint", &uri);
    assert!(labels(&hints).contains(&": score[0..1]"), "{hints}");
    let folds = c.of("textDocument/foldingRange", &uri);
    assert!(folds.as_array().unwrap().iter().any(|f| f["startLine"] == place(CLEAN, "checklist", 0).0), "{folds}");
    let help = c.at("textDocument/signatureHelp", &uri, behind(CLEAN, "cap(quality, at:", 0));
    assert!(help["signatures"][0]["label"].as_str().unwrap().starts_with("cap(base"), "{help}");
    let active = help["activeParameter"].as_u64().unwrap() as usize;
    assert!(help["signatures"][0]["parameters"][active]["label"].as_str().unwrap().starts_with("at"), "{help}");
    assert_eq!(c.end(), 0);
}

#[test]
fn tokens_cover_names_by_meaning_and_never_overlap() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let (mut c, greeting) = Client::new(&json!({}), &[]);
    c.open(&uri, CLEAN);
    let legend = greeting["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let data = c.of("textDocument/semanticTokens/full", &uri)["data"].clone();
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (mut line, mut column, mut end) = (0, 0, 0);
    let mut found = Vec::new();
    for token in numbers.chunks(5) {
        if token[0] > 0 {
            (column, end) = (0, 0);
        }
        line += token[0];
        column += token[1];
        assert!(column >= end, "two tokens overlap");
        end = column + token[2];
        let range = json!({
            "start": { "line": line, "character": column },
            "end": { "line": line, "character": end },
        });
        found.push((slice(CLEAN, &range).to_owned(), legend[token[3] as usize].as_str().unwrap().to_owned()));
    }
    for (word, kind) in [("factual", "variable"), ("answer", "property"), ("cap", "function"), ("criterion", "keyword")]
    {
        assert!(found.iter().any(|(w, k)| w == word && k == kind), "{word} is no {kind}: {found:?}");
    }
    assert!(found.iter().any(|(w, k)| w == "who" && k == "enumMember"), "{found:?}");
}

#[test]
fn completion_knows_where_it_stands() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let mut c = Client::plain();
    c.open(&uri, CLEAN);
    let mut version = 1;
    let mut at = |c: &mut Client, addition: &str| {
        version += 1;
        let text = format!("{CLEAN}{addition}");
        c.change(&uri, version, json!([{ "text": text }]));
        let end = (text.matches('\n').count(), text.rsplit('\n').next().unwrap().encode_utf16().count());
        c.at("textDocument/completion", &uri, end)
    };
    for (addition, wanted, unwanted) in [
        ("criterion x: bool \"Is {{", &["question", "answer"][..], &["cap", "ask"][..]),
        ("reduce x = ", &["weighted_mean", "sum"], &["cap", "normalize"]),
        ("gate x = ", &["cap", "veto"], &["mean"]),
        ("reduce x = mean(", &["unknown:", "factual", "normalize"], &["fn", "cap"]),
        ("gate x = cap(quality, at: 0.5, unknown: ", &["fires", "passes"], &["skip"]),
        ("gate x = cap(quality, at: 0.5) when tone == ", &["cold", "polite", "warm"], &[]),
        ("gate x = cap(quality, at: 0.5) when care.", &["who", "harm"], &["factual", "cap"]),
        ("criterion x: ", &["bool", "int", "likert"], &["text", "factual"]),
        ("input x: ", &["text", "number"], &["bool"]),
        ("criterion x: bool {\n  ", &["ask", "judge", "level"], &["given", "criterion"]),
        ("criterion x: bool {\n  judge ", &["llm", "rule", "human"], &["ask"]),
        ("criterion x: bool {\n  judge llm(", &["samples:", "combine:"], &["word_count"]),
        ("criterion x: bool {\n  judge llm(combine: ", &["median", "majority"], &["skip"]),
        ("criterion x: bool {\n  judge rule(", &["word_count", "answer"], &["weighted_mean"]),
        ("criterion x: bool {\n  sees ", &["question", "answer"], &["factual"]),
        ("test \"t\" { given { tone: ", &["cold", "warm"], &["ask"]),
        ("test \"t\" { given { ", &["factual", "care"], &["final"]),
        ("readout ", &["pointwise", "pairwise"], &["cap"]),
        ("readout pairwise = ", &["prefer"], &["cap"]),
        ("readout pairwise = prefer(final, ", &["margin:", "tie:"], &[]),
        ("", &["criterion", "test"], &["ask"]),
        ("// ", &[], &["criterion"]),
    ] {
        let list = at(&mut c, addition);
        let list = labels(&list);
        for word in wanted {
            assert!(list.contains(word), "`{addition}` lacks `{word}`: {list:?}");
        }
        for word in unwanted {
            assert!(!list.contains(word), "`{addition}` proposes `{word}`: {list:?}");
        }
    }
}

const BROKEN: &str = "rubric b\ncandidate 🙂answer: text\ncandidate answer: text\ncriterion a: bool { ask: \"x 🙂\" }\n\
                      reduce q = mean(normalise(a), b\nreadout pointwise = q\n";

#[test]
fn a_broken_file_has_the_codes_of_check_and_its_fixes() {
    let (_dir, path, uri) = saved("b.rubric", BROKEN);
    let mut c = Client::plain();
    let found = c.open(&uri, BROKEN);
    let check =
        Command::new(env!("CARGO_BIN_EXE_rubric")).arg("check").arg("--format=concise").arg(&path).output().unwrap();
    let told = String::from_utf8(check.stdout).unwrap();
    let mut wanted: Vec<String> =
        told.lines().filter_map(|l| Some(l.split_once('[')?.1.split_once(']')?.0.to_owned())).collect();
    wanted.sort();
    assert!(!wanted.is_empty(), "{told}");
    assert_eq!(codes(&found), wanted, "{told}");
    // Everything answers, whatever the text.
    for method in [
        "textDocument/documentSymbol",
        "textDocument/inlayHint",
        "textDocument/foldingRange",
        "textDocument/codeLens",
        "textDocument/semanticTokens/full",
        "textDocument/formatting",
    ] {
        c.of(method, &uri);
    }
    for method in ["hover", "definition", "completion", "signatureHelp", "documentHighlight", "prepareRename"] {
        for (line, text) in BROKEN.lines().enumerate() {
            for column in (0..=text.encode_utf16().count() + 1).step_by(3) {
                c.at(&format!("textDocument/{method}"), &uri, (line, column));
            }
        }
    }
    let actions = c.of("textDocument/codeAction", &uri);
    let fix = actions.as_array().unwrap().iter().find(|a| a["kind"] == "quickfix").expect("a fix").clone();
    assert!(wanted.contains(&fix["diagnostics"][0]["code"].as_str().unwrap().to_owned()), "{fix}");
    let edits = fix["edit"]["changes"][&uri].as_array().unwrap().clone();
    let changes: Vec<Json> = edits.iter().rev().map(|e| json!({ "range": e["range"], "text": e["newText"] })).collect();
    c.change(&uri, 2, changes.into());
    assert!(c.diagnostics(&uri, 2).len() < found.len(), "the fix mends nothing: {fix}");
    assert_eq!(c.end(), 0);
}

#[test]
fn formatting_is_that_of_fmt_and_leaves_broken_files_alone() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let mut c = Client::plain();
    c.open(&uri, CLEAN);
    let edits = c.of("textDocument/formatting", &uri);
    assert!(edits[0]["newText"].as_str().unwrap().contains("  -2 harm \"Harms\""), "{edits}");
    let text = edits[0]["newText"].clone();
    c.change(&uri, 2, json!([{ "text": text }]));
    assert_eq!(c.of("textDocument/formatting", &uri), json!([]));
    c.change(&uri, 3, json!([{ "text": "rubric a criterion {" }]));
    assert_eq!(c.of("textDocument/formatting", &uri), Json::Null);
}

#[test]
fn columns_are_counted_as_agreed() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let offer = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
    let (mut c, greeting) = Client::new(&offer, &[]);
    assert_eq!(greeting["capabilities"]["positionEncoding"], "utf-8");
    c.open(&uri, CLEAN);
    let (line, column) = place(CLEAN, "question", 1);
    // The emoji before it has two units of UTF-16 and four bytes.
    let hover = c.at("textDocument/hover", &uri, (line, column + 2));
    assert_eq!(hover["range"]["start"]["character"], column + 2);
    let (_, greeting) = Client::new(&json!({}), &[]);
    assert_eq!(greeting["capabilities"]["positionEncoding"], "utf-16");
}

/// A project of a library and a program that uses it.
fn project() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::write(root.join("rubric.toml"), "").unwrap();
    let (library, program) = (root.join("tone.rubric"), root.join("p.rubric"));
    std::fs::write(&library, "library tone\ncandidate answer: text\ncriterion warm: bool \"Warm?\"\n").unwrap();
    std::fs::write(
        &program,
        "rubric p\nuse \"tone.rubric\" as tone\ncandidate answer: text\ncriterion good: bool \"Good?\"\n\
         reduce q = fraction(good, tone.warm)\nreadout pointwise = q\n",
    )
    .unwrap();
    (dir, library, program)
}

#[test]
fn open_texts_stand_in_the_place_of_files() {
    let (_dir, library, program) = project();
    let (library_uri, program_uri) = (uri(&library), uri(&program));
    let text = std::fs::read_to_string(&program).unwrap();
    let mut c = Client::plain();
    assert!(c.open(&program_uri, &text).is_empty(), "as on disk");
    // The library loses its criterion, in the editor only.
    let without = "library tone\ncandidate answer: text\ncriterion cold: bool \"Cold?\"\n";
    let document = json!({ "uri": library_uri, "languageId": "rubric", "version": 1, "text": without });
    c.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let broken = c.wait(|m| {
        m["params"]["uri"] == program_uri.as_str() && !m["params"]["diagnostics"].as_array().unwrap().is_empty()
    });
    assert!(broken["params"]["diagnostics"][0]["message"].as_str().unwrap().contains("warm"), "{broken}");
    // Closed without saving, the file on disk counts again.
    c.notify("textDocument/didClose", json!({ "textDocument": { "uri": library_uri } }));
    c.wait(|m| m["params"]["uri"] == program_uri.as_str() && m["params"]["diagnostics"] == json!([]));
    assert_eq!(c.end(), 0);
}

#[test]
fn a_rename_goes_across_files_and_refuses_collisions() {
    let (_dir, library, program) = project();
    let (library_uri, program_uri) = (uri(&library), uri(&program));
    let text = std::fs::read_to_string(&program).unwrap();
    let mut c = Client::plain();
    c.open(&program_uri, &text);
    let at = behind(&text, "tone.wa", 0);
    let new = |name: &str| json!({ "newName": name });
    let result = c.with("textDocument/rename", &program_uri, at, new("kind"));
    let changes = result["changes"].as_object().unwrap();
    assert_eq!(changes.len(), 2, "{result}");
    assert_eq!(changes[&program_uri].as_array().unwrap().len(), 1);
    assert_eq!(changes[&library_uri].as_array().unwrap().len(), 1);
    assert_eq!(slice(&text, &changes[&program_uri][0]["range"]), "warm");

    let mut refused = |at: (usize, usize), name: &str| {
        let position = json!({ "line": at.0, "character": at.1 });
        let params = json!({ "textDocument": { "uri": program_uri }, "position": position, "newName": name });
        let answer = c.request("textDocument/rename", params);
        assert!(answer.get("error").is_some(), "{name}: {answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    // A name that is there, the name of a field of the library, reserved, taken, no word.
    assert!(refused(place(&text, "good", 0), "q").contains("`q`"));
    refused(at, "answer");
    for name in ["not", "pointwise", "two words", "", "9x"] {
        refused(place(&text, "good", 0), name);
    }
    let prepared = c.at("textDocument/prepareRename", &program_uri, at);
    assert_eq!(prepared["placeholder"], "warm");
}

#[test]
fn a_label_of_the_same_name_is_no_reference() {
    let text = "rubric l\ncandidate y: text\ncriterion low: bool \"L?\"\ncriterion size: ordinal(low < high) \"S?\"\n\
                gate g = veto(low, to: false) when size == low\nreadout pointwise = g\n";
    let (_dir, _, uri) = saved("l.rubric", text);
    let mut c = Client::plain();
    c.open(&uri, text);
    let result = c.with("textDocument/rename", &uri, place(text, "low", 0), json!({ "newName": "small" }));
    assert_eq!(result["changes"][&uri].as_array().unwrap().len(), 2, "{result}");
}

#[test]
fn verdicts_stand_above_requirements_and_tests() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let refresh = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    let (mut c, _) = Client::new(&refresh, &[]);
    c.open(&uri, CLEAN);
    c.wait(|m| m["method"] == "workspace/codeLens/refresh");
    let lenses = c.of("textDocument/codeLens", &uri);
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|l| l["command"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles.len(), 4, "{titles:?}");
    assert!(titles[0].contains("proved") && titles[1].contains("proved"), "{titles:?}");
    assert!(titles[2].contains("holds") && titles[3].contains("fails"), "{titles:?}");
    let hover = c.at("textDocument/hover", &uri, place(CLEAN, "factual", 0));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("Moves `final` by up to"), "{hover}");
    // An edit takes them away until they are computed again.
    c.change(&uri, 2, json!([{ "text": CLEAN.replace("final <= 0.5 }", "final <= 0.1 }") }]));
    c.wait(|m| m["method"] == "workspace/codeLens/refresh");
    let found =
        c.wait(|m| m["params"]["version"] == 2 && !m["params"]["diagnostics"].as_array().is_none_or(|d| d.is_empty()));
    assert!(found["params"]["diagnostics"][0]["message"].as_str().unwrap().contains("does not always hold"), "{found}");
}

#[test]
fn a_failing_analysis_costs_one_answer() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    if !cfg!(debug_assertions) {
        eprintln!("SKIPPED: only builds with debug assertions can be told to fail");
        return;
    }
    let (mut c, _) = Client::new(&json!({}), &[("RUBRIC_LSP_FAIL", "textDocument/hover")]);
    c.open(&uri, CLEAN);
    for _ in 0..3 {
        let params = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } });
        let answer = c.request("textDocument/hover", params);
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!c.of("textDocument/documentSymbol", &uri).as_array().unwrap().is_empty());
    }
    assert_eq!(c.end(), 0);
    // Checks fail: no diagnostics, but answers.
    let (mut c, _) = Client::new(&json!({}), &[("RUBRIC_LSP_FAIL", "check")]);
    let document = json!({ "uri": uri, "languageId": "rubric", "version": 1, "text": CLEAN });
    c.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let answer = c.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert_eq!(c.end(), 0);
}

const WAITING: &str = "rubric w\n// wait for the test\ncandidate answer: text\n";

/// A question that waits behind a long check is answered as soon as it is cancelled, once, and the rest goes on.
#[test]
fn a_cancelled_question_is_answered_at_once() {
    if !cfg!(debug_assertions) {
        eprintln!("SKIPPED: only builds with debug assertions can be told to wait");
        return;
    }
    let (dir, _, uri) = saved("w.rubric", WAITING);
    let gate = dir.path().join("gate");
    std::fs::write(&gate, "").unwrap();
    let (mut c, _) = Client::new(&json!({}), &[("RUBRIC_LSP_WAIT", gate.to_str().unwrap())]);
    let document = json!({ "uri": uri, "languageId": "rubric", "version": 1, "text": WAITING });
    c.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let about = json!({ "textDocument": { "uri": uri } });
    let first = c.ask("textDocument/documentSymbol", about.clone());
    let second = c.ask("textDocument/documentSymbol", about.clone());
    c.notify("$/cancelRequest", json!({ "id": first }));
    // The check still waits for the file to go.
    let answer = c.answer(first);
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    std::fs::remove_file(&gate).unwrap();
    assert_eq!(c.answer(second)["result"].as_array().unwrap().len(), 1);
    // Too late, unknown and nonsense: nothing comes of it.
    for id in [json!(first), json!(second), json!("none"), json!({}), Json::Null] {
        c.notify("$/cancelRequest", json!({ "id": id }));
    }
    let last = c.request("textDocument/documentSymbol", about);
    assert!(last.get("error").is_none(), "{last}");
    assert!(c.never(|m| m["id"] == first || m["id"] == second), "a question was answered twice");
    assert_eq!(c.end(), 0);
}

/// A worker that dies, which no analysis should bring about, is replaced by one that knows the open texts.
#[test]
fn a_dead_worker_is_replaced() {
    if !cfg!(debug_assertions) {
        eprintln!("SKIPPED: only builds with debug assertions can be told to fail");
        return;
    }
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let (mut c, _) = Client::new(&json!({}), &[("RUBRIC_LSP_FAIL", "worker")]);
    c.open(&uri, CLEAN);
    for round in 0..8 {
        let hover = c.ask(
            "textDocument/hover",
            json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } }),
        );
        let answer = c.answer(hover);
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!c.of("textDocument/documentSymbol", &uri).as_array().unwrap().is_empty());
        // The text is that of the last change.
        let version = round + 2;
        c.change(&uri, version, json!([{ "text": format!("{CLEAN}observe nothing{round}\n") }]));
        let found = c.diagnostics(&uri, version);
        assert!(found.iter().any(|d| d["message"].as_str().unwrap().contains(&format!("nothing{round}"))), "{found:?}");
    }
    assert_eq!(c.end(), 0);
}

/// An analysis that does not come to an end costs its questions and its text, not the server.
#[test]
fn an_analysis_without_end_is_given_up() {
    if !cfg!(debug_assertions) {
        eprintln!("SKIPPED: only builds with debug assertions can be told to wait");
        return;
    }
    let (dir, _, uri) = saved("a.rubric", CLEAN);
    let other = self::uri(&dir.path().join("w.rubric"));
    let gate = dir.path().join("gate");
    std::fs::write(&gate, "").unwrap();
    let environment = [("RUBRIC_LSP_WAIT", gate.to_str().unwrap()), ("RUBRIC_LSP_LONGEST_JOB", "3000")];
    let (mut c, _) = Client::new(&json!({}), &environment);
    c.open(&uri, CLEAN);
    let document = json!({ "uri": other, "languageId": "rubric", "version": 1, "text": WAITING });
    c.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let about = |uri: &str| json!({ "textDocument": { "uri": uri } });
    let answer = c.request("textDocument/documentSymbol", about(&uri));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("took too long"), "{answer}");
    let told = c.wait(|m| m["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("w.rubric"), "{told}");
    // The other text is as it was; this one is set aside until it changes.
    assert!(!c.of("textDocument/documentSymbol", &uri).as_array().unwrap().is_empty());
    let answer = c.request("textDocument/documentSymbol", about(&other));
    assert!(answer["error"]["message"].as_str().unwrap().contains("could not be checked"), "{answer}");
    c.change(&other, 2, json!([{ "text": "rubric w\nobserve x\n" }]));
    assert!(!c.diagnostics(&other, 2).is_empty());
    // What the one that was given up finds out in the end is not listened to.
    std::fs::remove_file(&gate).unwrap();
    assert_eq!(c.of("textDocument/documentSymbol", &other).as_array().unwrap().len(), 0);
    assert!(c.never(|m| m["params"]["uri"] == other && m["params"]["version"] == 1), "an old answer came");
    assert_eq!(c.end(), 0);
}

#[test]
fn the_protocol_is_kept() {
    let mut c = Client::silent(&[]);
    let early = c.request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    drop(c);

    let mut c = Client::plain();
    assert_eq!(c.request("rubric/nothing", json!({}))["error"]["code"], -32601);
    assert_eq!(c.request("textDocument/hover", json!({ "x": 1 }))["error"]["code"], -32602);
    let params = json!({ "textDocument": { "uri": "file:///none.rubric" } });
    assert_eq!(c.request("textDocument/documentSymbol", params)["error"]["code"], -32602);
    c.notify("rubric/unknown", json!({}));
    c.notify("textDocument/didChange", json!("nonsense"));
    c.notify("textDocument/didOpen", json!({ "textDocument": { "uri": 1 } }));
    let answer = c.request("shutdown", Json::Null);
    assert_eq!(answer["result"], Json::Null);
    c.notify("exit", Json::Null);
    assert_eq!(c.code(), 0);

    let mut c = Client::plain();
    c.notify("exit", Json::Null);
    assert_eq!(c.code(), 1, "exit without shutdown");
    let mut c = Client::plain();
    c.hang_up();
    assert_eq!(c.code(), 1, "the editor went away");
}

#[test]
fn every_question_is_answered_however_fast_edits_come() {
    let (_dir, _, uri) = saved("a.rubric", CLEAN);
    let mut c = Client::plain();
    c.open(&uri, CLEAN);
    let mut asked = Vec::new();
    for version in 2..40 {
        c.change(&uri, version, json!([{ "text": format!("{CLEAN}// {version}\n") }]));
        asked.push(c.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })));
    }
    for id in asked {
        let answer = c.answer(id);
        assert!(!answer["result"].as_array().unwrap().is_empty(), "{answer}");
    }
    c.diagnostics(&uri, 39);
    assert!(!c.of("textDocument/documentSymbol", &uri).as_array().unwrap().is_empty());
}

#[test]
fn edits_in_steps_end_where_the_whole_text_does() {
    let (_dir, path, own) = saved("a.rubric", CLEAN);
    // Of the same name, which messages mention.
    let other = uri(&path.parent().unwrap().join("whole").join("a.rubric"));
    std::fs::create_dir(path.parent().unwrap().join("whole")).unwrap();
    let mut c = Client::plain();
    c.open(&own, CLEAN);
    let mut runner = TestRunner::deterministic();
    let edits = proptest::collection::vec(("[a-z {}\"🙂é\n(),:]{0,6}", 0..1_000_000_usize, 0..30_usize), 1..8);
    let mut text = CLEAN.to_owned();
    for round in 0..25 {
        let version = round + 2;
        let mut changes = Vec::new();
        for (new, at, length) in edits.new_tree(&mut runner).unwrap().current() {
            let units: Vec<u16> = text.encode_utf16().collect();
            let floor = |at: usize| {
                let mut count = 0;
                for (byte, c) in text.char_indices() {
                    if count >= at {
                        return byte;
                    }
                    count += c.len_utf16();
                }
                text.len()
            };
            let (from, to) = (floor(at % (units.len() + 1)), floor(at % (units.len() + 1) + length));
            let position = |byte: usize| {
                let before = &text[..byte];
                let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
                json!({ "line": before.matches('\n').count(), "character": column })
            };
            changes.push(json!({ "range": { "start": position(from), "end": position(to) }, "text": new }));
            text.replace_range(from..to, &new);
        }
        c.change(&own, version, changes.into());
        let found = c.diagnostics(&own, version);
        let document = json!({ "uri": other, "languageId": "rubric", "version": version, "text": text });
        c.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let whole = c.diagnostics(&other, version);
        let name = |d: &[Json]| d.iter().map(|d| d.to_string().replace("/whole/", "/")).collect::<Vec<_>>();
        assert_eq!(name(&found), name(&whole), "round {round}\n{text}");
        if text.len() > 4_000 || round % 5 == 4 {
            text = CLEAN.to_owned();
            c.change(&own, 1_000 + round, json!([{ "text": text }]));
            c.diagnostics(&own, 1_000 + round);
        }
    }
    assert_eq!(c.end(), 0);
}
