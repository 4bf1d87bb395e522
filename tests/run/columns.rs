//! Parquet: files of pyarrow and DuckDB are read as what they hold, DuckDB reads our results, and results and records as columns do
//! what lines do.

use crate::{GRADES, Place};
use rubric_lang::run::columns::Rows;
use serde_json::Value as Json;
use std::fs::File;
use std::path::Path;
use std::process::Command;

/// A Python with DuckDB and pyarrow, or none and why that is.
fn python() -> Option<String> {
    let named = std::env::var("RUBRIC_REFERENCE_PYTHON").ok();
    if named.is_none() {
        eprintln!(
            "!! SKIPPED: RUBRIC_REFERENCE_PYTHON names no Python with duckdb and pyarrow; files of other writers are not read"
        );
    }
    named
}

fn script(arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run/columns.py");
    let output = Command::new(python().unwrap()).arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn rows(path: &Path) -> Result<Vec<Result<Json, String>>, String> {
    let mut rows = Rows::open(File::open(path).unwrap())?;
    let mut found = Vec::new();
    while let Some((number, row)) = rows.next_row().map_err(|error| error.to_string())? {
        found.push(row.map(Json::Object));
        assert_eq!(number, found.len() as u64);
    }
    Ok(found)
}

#[test]
fn files_of_pyarrow_and_duckdb_are_read_to_the_last_digit() {
    if python().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    script(&["write", folder.path().to_str().unwrap()]);
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let parquet = path.with_extension("parquet");
            let text = std::fs::read_to_string(&path).unwrap();
            // As values that keep the digits of numbers, whatever the blanks between them.
            let expected: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let found: Vec<Json> = rows(&parquet).unwrap().into_iter().map(Result::unwrap).collect();
            assert_eq!(found.len(), expected.len(), "{}", parquet.display());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.to_string(), expected.to_string(), "{}", parquet.display());
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 24);
    let refused = |name: &str| rows(&folder.path().join(name)).unwrap_err();
    assert!(refused("brotli.parquet").contains("compressed with Brotli"), "{}", refused("brotli.parquet"));
    assert!(refused("interval.parquet").contains("`long`"), "{}", refused("interval.parquet"));
    for (name, column, words) in [("nan.parquet", "`score`", "NaN"), ("bytes.parquet", "`text`", "no text")] {
        let found = rows(&folder.path().join(name)).unwrap();
        let fault = found[1].as_ref().unwrap_err();
        assert!(fault.contains(column) && fault.contains(words), "{fault}");
        assert!(found[0].is_ok() && found[2].is_ok());
    }
}

#[test]
fn records_of_parquet_are_judged_as_those_of_lines() {
    if python().is_none() {
        return;
    }
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", RECORDS)]);
    let data = place.path("r.parquet");
    // A struct has all fields in every row, and a map of tags is a struct too.
    script(&[
        "read",
        place.path("r.jsonl").to_str().unwrap(),
        &format!(
            "COPY (SELECT * FROM read_json({{}}, format = 'newline_delimited')) TO '{}' (FORMAT parquet)",
            data.display()
        ),
    ]);
    let of = |data: &str, out: &str| {
        let ran = place.rubric(&format!("run p.rubric --data {data} -o {out}"));
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        place.lines(out)
    };
    let (lines, columns) = (of("r.jsonl", "a.jsonl"), of("r.parquet", "b.jsonl"));
    assert_eq!(lines.len(), 3);
    assert_eq!(lines, columns);
    assert_eq!(of("r.parquet --data-format parquet", "c.jsonl"), columns);
}

const RECORDS: &str = r#"{"id": "full", "question": "q", "minor": false, "answer": "Drink water.", "tags": {"topic": "rest"}, "judgments": {"accurate": 4, "complete": 0.7, "harmful": false, "serious": true, "care.asks": true, "care.blames": false}}
{"id": "other", "question": "q", "minor": true, "answer": "x", "judgments": {"accurate": 5, "complete": 0.2, "harmful": false, "serious": true, "care.asks": true, "care.blames": true}}
{"id": "third", "question": "q", "minor": false, "answer": "x", "tags": {"topic": "work"}, "judgments": {"harmful": true, "serious": true, "accurate": 2, "complete": 0.1, "care.asks": false, "care.blames": false}}
"#;

#[test]
fn duckdb_reads_our_results() {
    if python().is_none() {
        return;
    }
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", RECORDS)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.parquet").code, 0);
    let sql = "SELECT id, status, readouts['pointwise'].number AS score, readouts['verdict'].value AS verdict, \
               observed['quality'].value AS quality, tags->>'topic' AS topic FROM {} WHERE readouts['pointwise'].number > 0.6 \
               ORDER BY id";
    let path = place.path("out.parquet");
    assert_eq!(
        script(&["read", path.to_str().unwrap(), sql]),
        "{\"id\": \"full\", \"status\": \"decided\", \"score\": 0.816666666667, \"verdict\": \"true\", \
         \"quality\": \"0.816666666667\", \"topic\": \"rest\"}\n"
            .to_owned()
    );
    // What DuckDB writes again is still results, with and without the mark of JSON.
    place.write("labels.csv", "id,label\nfull,1\nother,0.5\nthird,0.25\n");
    let expected = place.rubric("eval out.parquet --labels labels.csv --readout pointwise --format json").out;
    for columns in ["*", "* REPLACE (tags::VARCHAR AS tags)"] {
        let copy = place.path("copy.parquet");
        let sql = format!("COPY (SELECT {columns} FROM {{}}) TO '{}' (FORMAT parquet)", copy.display());
        script(&["read", path.to_str().unwrap(), &sql]);
        let ran = place.rubric("eval copy.parquet --labels labels.csv --readout pointwise --format json");
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.out.replace("copy.parquet", "out.parquet"), expected);
    }
}

#[test]
fn results_as_columns_do_what_lines_do() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", RECORDS)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o a.jsonl").code, 0);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o a.parquet").code, 0);
    let same = place.rubric("diff a.jsonl a.parquet");
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    place.write("labels.csv", "id,label\nfull,1\nother,0.5\nthird,0.25\n");
    let figures = |results: &str, labels: &str| {
        let ran = place.rubric(&format!("eval {results} --labels {labels} --readout pointwise --format json"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let json: Json = serde_json::from_str(&ran.out).unwrap();
        json["runs"][0]["figures"].clone()
    };
    assert_eq!(figures("a.jsonl", "labels.csv"), figures("a.parquet", "labels.csv"));
    // Results are labels too.
    let perfect = figures("a.jsonl", "a.parquet");
    assert_eq!(perfect[0]["value"], 1.0);
    // Shards of either kind make either kind.
    for n in [1, 2] {
        let ending = ["jsonl", "parquet"][n - 1];
        assert_eq!(place.rubric(&format!("run p.rubric --data r.jsonl --shard {n}/2 -o {n}.{ending}")).code, 0);
    }
    assert_eq!(place.rubric("merge 1.jsonl 2.parquet -o merged.jsonl").code, 0);
    assert_eq!(place.read("merged.jsonl"), place.read("a.jsonl"));
    assert_eq!(place.rubric("merge 1.jsonl 2.parquet -o merged.parquet").code, 0);
    assert_eq!(std::fs::read(place.path("merged.parquet")).unwrap(), std::fs::read(place.path("a.parquet")).unwrap());
}

#[test]
fn what_is_no_parquet_is_told_and_leaves_what_was_there() {
    let place = Place::new(&[
        ("p.rubric", GRADES),
        ("r.jsonl", RECORDS),
        ("text.parquet", RECORDS),
        ("cut.parquet", "PAR1 cut"),
    ]);
    let ran = place.rubric("run p.rubric --data text.parquet");
    assert!(ran.code == 2 && ran.err.contains("no Parquet file"), "{}", ran.err);
    // Whoever says what it is, is believed.
    assert_eq!(place.rubric("run p.rubric --data text.parquet --data-format jsonl").code, 0);
    for command in ["run p.rubric --data cut.parquet", "eval cut.parquet --labels x.csv", "diff cut.parquet r.jsonl"] {
        let ran = place.rubric(command);
        assert!(ran.code == 2 && ran.err.contains("cut off"), "{command}: {}", ran.err);
    }
    // Judgments and traces are lines.
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.parquet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (command, words) in [
        ("run p.rubric --data r.jsonl --judgments out.parquet", "it is Parquet"),
        ("run p.rubric --data r.jsonl --trace t.parquet", "a trace is"),
        ("replay out.parquet", "it is Parquet"),
        ("profile out.parquet", "it is Parquet"),
    ] {
        let ran = place.rubric(command);
        assert!(ran.code == 2 && ran.err.contains(words), "{command}: {}", ran.err);
    }
    // A name of one ending with the content of the other.
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.parquet").code, 0);
    let whole = std::fs::read(place.path("out.parquet")).unwrap();
    place.write("named.jsonl", &whole);
    assert_eq!(place.rubric("diff named.jsonl out.parquet").code, 0);
    // A command that ends in an error leaves the old file, and nothing beside it.
    let before = std::fs::read_dir(place.path(".")).unwrap().count();
    place.write("wrong.rubric", "rubric wrong\n");
    assert_ne!(place.rubric("run wrong.rubric --data r.jsonl -o out.parquet").code, 0);
    assert_eq!(std::fs::read(place.path("out.parquet")).unwrap(), whole);
    assert_eq!(std::fs::read_dir(place.path(".")).unwrap().count(), before + 1);
    let output = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["run", "p.rubric", "--recorded", "--data", "-"])
        .current_dir(place.path("."))
        .stdin(File::open(place.path("out.parquet")).unwrap())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && told.contains("standard input"), "{told}");
}
