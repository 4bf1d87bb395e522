//! JSON programs as a user meets them: text to JSON and back with one digest, the published schema, every mutated key.
//!
//! The programs are those of `examples/`, of `tests/json`, of `tests/ui` (the clean ones), and, where the folder is there, the shared programs
//! beside the project.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use rubric_lang::diagnostics::Sink;
use rubric_lang::graph::{Program, digest, draw, json, text};
use rubric_lang::project;
use rubric_lang::source::{FileId, Source};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every program that checks without an error, with its path.
fn programs() -> Vec<(PathBuf, Arc<Program>)> {
    let shared = here().join("../shared/programs");
    let mut files = project::programs_below(&here().join("examples")).unwrap();
    files.extend(project::programs_below(&here().join("tests/json")).unwrap());
    files.extend(project::programs_below(&here().join("tests/ui")).unwrap());
    if shared.is_dir() {
        files.extend(project::programs_below(&shared).unwrap());
    } else {
        eprintln!("SKIPPED: {} is not there, so its programs are not tested", shared.display());
    }
    let opened = files.into_iter().map(|path| (project::open(&path).unwrap(), path));
    opened.filter_map(|(opened, path)| Some((path, opened.program?))).collect()
}

fn read(name: &str, text: &str) -> Result<Program, Vec<String>> {
    let source = Source::new(FileId(0), name, None, text);
    let mut sink = Sink::new();
    let program = rubric_lang::json::read(&source, &mut sink);
    let told = |d: rubric_lang::diagnostics::Diagnostic| {
        format!("{} {} {}", d.code, d.pointer.unwrap_or_default(), d.headline)
    };
    program.ok_or_else(|| sink.finish().into_iter().map(told).collect())
}

#[test]
fn text_to_json_to_text_keeps_the_digest() {
    let programs = programs();
    assert!(programs.len() > 10, "only {} programs", programs.len());
    let mut report = Vec::new();
    for (path, program) in &programs {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let written = json::write(program);
        let back = match read(&name, &written) {
            Ok(back) => back,
            Err(told) => {
                report.push(format!("{name}: its JSON is refused: {told:#?}"));
                continue;
            }
        };
        if json::write(&back) != written {
            report.push(format!("{name}: JSON read back is written differently"));
        }
        let again = text::write(&back);
        let opened = project::open_text(&name, here(), again.clone());
        let Some(last) = opened.program else {
            let told: Vec<_> = opened.diagnostics.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
            report.push(format!("{name}: its text is refused: {told:#?}\n{again}"));
            continue;
        };
        if digest(&last) != digest(program) {
            report.push(format!("{name}: the digest of its text differs\n{again}"));
        }
        if text::write(&last) != again {
            report.push(format!("{name}: canonical text is not stable\n{again}\n--\n{}", text::write(&last)));
        }
        assert_eq!((last.requires.len(), last.tests.len()), (program.requires.len(), program.tests.len()), "{name}");
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

#[test]
fn every_written_program_fits_the_published_schema_and_no_mutated_key_does() {
    let schema = std::fs::read_to_string(here().join("grammar/program.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let mut mutated = 0;
    let mut seen = BTreeSet::new();
    for (path, program) in programs() {
        let written = json::value(&program);
        let told: Vec<String> = schema.iter_errors(&written).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(told.is_empty(), "{}: {told:#?}", path.display());
        for pointer in keys(&written, &mut seen) {
            let mut wrong = written.clone();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let map = wrong.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = map.shift_remove(key).unwrap();
            map.insert(format!("{key}x"), value);
            assert!(!schema.is_valid(&wrong), "{}: {pointer}x is accepted by the schema", path.display());
            mutated += 1;
            if mutated % 2 == 0 {
                assert!(read("x", &wrong.to_string()).is_err(), "{}: {pointer}x is accepted", path.display());
            }
        }
    }
    assert!(mutated > 80, "{mutated}");
}

/// One pointer per kind of key that has not been seen, those of free objects (an example's fields) left out.
fn keys(json: &Value, seen: &mut BTreeSet<String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut stack = vec![(String::new(), String::new(), json)];
    while let Some((at, kind, value)) = stack.pop() {
        match value {
            Value::Object(map) if !kind.ends_with("/fields/") => {
                for (key, value) in map {
                    let kind = format!("{kind}/{key}/");
                    if seen.insert(kind.clone()) {
                        out.push(format!("{at}/{key}"));
                    }
                    stack.push((format!("{at}/{key}"), kind, value));
                }
            }
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    stack.push((format!("{at}/{index}"), kind.trim_end_matches('/').to_owned(), value));
                }
            }
            _ => {}
        }
    }
    out
}

#[test]
fn ids_of_a_model_become_words_and_nothing_else_changes() {
    let written = r#"{
      "format": "rubric-program/1", "rubric": "by_model", "candidate": "answer",
      "fields": [
        {"name": "answer", "role": "candidate", "kind": "text"},
        {"name": "minor", "role": "input", "kind": "flag"}
      ],
      "nodes": [
        {"id": "node 3: the \"gate\"", "kind": "operator", "operator": "cap", "parameters": {"at": "1/3"}},
        {"id": "accurate", "kind": "criterion", "type": "int[1..5]", "ask": "How accurate?"},
        {"id": "1", "kind": "operator", "operator": "normalize"},
        {"id": "if", "kind": "operator", "operator": "mean", "parameters": {}},
        {"id": "clear", "kind": "criterion", "type": "score[0..1]", "ask": ["Is {{this}} clear? ", {"field": "answer"}]},
        {"id": "flagged", "kind": "criterion", "implied": true, "type": "bool", "judge": {"rule": "minor"}},
        {"id": "gate below", "kind": "operator", "operator": "floor", "parameters": {"at": 0.1}},
        {"id": "high", "kind": "operator", "operator": "greater_equal", "parameters": {"right": 4}}
      ],
      "edges": [
        {"source": "gate below", "port": "base", "slot": 1, "operator": "node 3: the \"gate\""},
        {"source": "flagged", "port": "trigger", "slot": 1, "operator": "node 3: the \"gate\""},
        {"source": "clear", "port": "x", "slot": 2, "operator": "if"},
        {"source": "1", "port": "x", "slot": 1, "operator": "if"},
        {"source": "accurate", "port": "x", "slot": 1, "operator": "1"},
        {"source": "if", "port": "base", "slot": 1, "operator": "gate below"},
        {"source": "high", "port": "trigger", "slot": 1, "operator": "gate below"},
        {"source": "accurate", "port": "left", "slot": 1, "operator": "high"}
      ],
      "sink": "node 3: the \"gate\"",
      "readouts": [{"mode": "pointwise", "source": "node 3: the \"gate\"", "kind": "native"}]
    }"#;
    let program = read("model.json", written).unwrap_or_else(|told| panic!("{told:#?}"));
    let again = text::write(&program);
    let opened = project::open_text("again", here(), again.clone());
    let told: Vec<_> = opened.diagnostics.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
    let last = opened.program.unwrap_or_else(|| panic!("{told:#?}\n{again}"));
    assert_eq!(digest(&last), digest(&program), "{again}");
    assert!(!draw::text(&program).is_empty() && !draw::dot(&program).is_empty());
}

#[test]
fn tens_of_thousands_of_criteria_are_read_and_written() {
    // Enough that anything quadratic would not come back.
    let count = 30_000;
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for at in 0..count {
        nodes
            .push(serde_json::json!({"id": format!("c{at}"), "kind": "criterion", "type": "bool", "ask": "Is it so?"}));
        edges.push(serde_json::json!({"source": format!("c{at}"), "port": "x", "slot": count - at, "operator": "all"}));
    }
    nodes.push(serde_json::json!({"id": "all", "kind": "operator", "operator": "fraction"}));
    let program = serde_json::json!({
        "format": "rubric-program/1", "rubric": "many", "candidate": "answer",
        "fields": [{"name": "answer", "role": "candidate", "kind": "text"}],
        "nodes": nodes, "edges": edges, "sink": "all",
        "readouts": [{"mode": "pointwise", "source": "all", "kind": "native"}],
    });
    let program = read("many.json", &program.to_string()).unwrap_or_else(|told| panic!("{told:#?}"));
    assert_eq!(program.nodes.len(), count + 1);
    assert_eq!(json::write(&program).matches("\"port\"").count(), count);
    assert_eq!(text::write(&program).matches("criterion ").count(), count);
    assert_eq!(draw::text(&program).matches("“Is it so?”").count(), count);
}
