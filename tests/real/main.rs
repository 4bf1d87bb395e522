//! Recorded judgments of real models and people, and the numbers that they must give.
//!
//! The data stands beside the project and is no part of it: where it is absent, each test says so and passes. A test may
//! reshape rows into records and take statistics over results; every score comes from the binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

mod bc038;
mod dsg;
mod evaluated;
mod evidence;
mod hanna;
mod hbqrs;
#[path = "../support/hbqrs.rs"]
mod hbqrs_program;
mod hellobench;
mod khan_saq;
mod kqa;
mod llm_rubric;
mod llmbar;
mod mqm_ted;
mod pandalm;
mod paperbench;
mod physics_grading;
mod programs;
mod prometheus_gpt4;
mod rubric_specs;
mod saf;
mod stats;
mod summeval;
mod summeval_op;
mod ttcw;
mod unieval;

use evidence::{Evidence, Expected};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder beside the project that holds `data` and `programs`.
fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared")
}

/// The folder of a data set, or a loud word that it is not there.
fn data(set: &str) -> Option<PathBuf> {
    present(shared().join("data").join(set))
}

/// A program that was written for a data set.
fn program(name: &str) -> Option<PathBuf> {
    present(shared().join("programs").join(name))
}

fn present(path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there, so nothing was compared with it", path.display());
    None
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The lines of a JSONL file.
fn json_lines(path: &Path) -> Vec<Json> {
    read(path).lines().filter(|l| !l.is_empty()).map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The rows of a CSV or TSV file, by column.
fn table(path: &Path) -> Vec<HashMap<String, String>> {
    let tabs = path.extension().is_some_and(|e| e == "tsv");
    let mut reader = csv::ReaderBuilder::new();
    if tabs {
        reader.delimiter(b'\t').quoting(false);
    }
    reader.from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn number(json: &Json) -> f64 {
    match json {
        Json::Number(n) => n.to_string().parse().unwrap(),
        other => panic!("{other} is not a number"),
    }
}

fn same(expected: &Json, found: &Json, tolerance: f64) -> bool {
    match (expected, found) {
        (Json::Number(_), Json::Number(_)) => (number(expected) - number(found)).abs() <= tolerance,
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, tolerance)),
        _ => expected == found,
    }
}

/// Runs the binary.
fn rubric(args: &[&str]) -> Output {
    // Nobody is asked, whatever the environment has keys for.
    let recorded = (args.first() == Some(&"run")).then_some("--recorded");
    Command::new(env!("CARGO_BIN_EXE_rubric")).args(args).args(recorded).output().unwrap()
}

/// Runs the binary; anything but success fails the test with what it said.
fn succeed(args: &[&str]) -> Output {
    let output = rubric(args);
    assert!(
        output.status.success(),
        "rubric {}: {}\n{}{}",
        args.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs `program` over `records`; the result lines, in order.
fn run(program: &Path, records: &[Json]) -> Vec<Json> {
    run_traced(program, records, None)
}

fn run_traced(program: &Path, records: &[Json], trace: Option<&Path>) -> Vec<Json> {
    let folder = tempfile::tempdir().unwrap();
    let (data, results) = (folder.path().join("records.jsonl"), folder.path().join("results.jsonl"));
    let lines: String = records.iter().map(|r| format!("{r}\n")).collect();
    fs::write(&data, lines).unwrap();
    let mut args = vec!["run", path(program), "--data", path(&data), "-o", path(&results)];
    if let Some(trace) = trace {
        args.extend(["--trace", path(trace)]);
    }
    succeed(&args);
    json_lines(&results)
}

/// A program of this folder, written for a data set.
fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/programs").join(name)
}

/// What `rubric eval` says of these results, without intervals.
fn eval(results: &[Json], labels: &Labels<'_>, more: &[&str]) -> Json {
    let folder = tempfile::tempdir().unwrap();
    let (file, table) = (folder.path().join("results.jsonl"), folder.path().join("labels.jsonl"));
    let lines = |all: &[Json]| all.iter().map(|line| format!("{line}\n")).collect::<String>();
    fs::write(&file, lines(results)).unwrap();
    let labels = match labels {
        Labels::Tag(tag) => tag,
        Labels::Rows(rows) => {
            fs::write(&table, lines(rows)).unwrap();
            path(&table)
        }
    };
    let args = ["eval", path(&file), "--labels", labels, "--format", "json", "--resamples", "0"];
    serde_json::from_slice(&succeed(&[&args, more].concat()).stdout).unwrap()
}

enum Labels<'a> {
    Tag(&'a str),
    /// With `id`, `label` and perhaps `by`.
    Rows(&'a [Json]),
}

/// A figure of a list of them.
fn figure(list: &Json, name: &str) -> Json {
    let found = list.as_array().unwrap().iter().find(|figure| figure["figure"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list}"))["value"].clone()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A number out of a result line.
fn readout(line: &Json, key: &str) -> f64 {
    match &line["readouts"][key] {
        n @ Json::Number(_) => number(n),
        other => panic!("{key} is {other} in {line}"),
    }
}
