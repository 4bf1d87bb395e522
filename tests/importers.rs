//! `rubric import` as it is used: all or nothing, bad rows by their places, and what is made runs.
//!
//! Real files are read where they are (`../shared/data`); their tests say loudly where they are not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the binary; its exit code and what it says.
fn rubric(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rubric")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout) + &text(output.stderr))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A set of real data, or nothing, said loudly.
fn data(set: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(set);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("!! SKIPPED: `{}` is not there, so the importer was not tried on real files", folder.display());
    None
}

fn lines(path: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The results of a run over recorded judgments.
fn run(program: &Path, records: &Path, results: &Path, code: i32) -> Vec<Json> {
    let ran = rubric(&["run", path(program), "--data", path(records), "--recorded", "--quiet", "-o", path(results)]);
    assert_eq!(ran.0, code, "{}", ran.1);
    lines(results)
}

const ROWS: &str = r#"{"prompt_id": "a", "prompt": [{"role": "user", "content": "A rash?"}], "completion": "See someone.", "rubrics": [{"criterion": "Asks how long", "points": 5, "tags": [], "criteria_met": true}, {"criterion": "Gives a dose", "points": -8, "tags": [], "criteria_met": true}]}
{"prompt_id": "b", "prompt": [{"role": "user", "content": "A cough?"}], "completion": "Tea.", "rubrics": [{"criterion": "Names a doctor", "points": 4, "tags": [], "criteria_met": true}]}
"#;

#[test]
fn the_rubric_goes_into_the_records_or_into_programs() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("rows.jsonl"), ROWS).unwrap();
    let (rows, shared, records) = (file("rows.jsonl"), file("shared.rubric"), file("shared.jsonl"));
    let made = rubric(&["import", "healthbench", path(&rows), "-o", path(&shared), "--records", path(&records)]);
    assert_eq!(made.0, 0, "{}", made.1);
    let one = run(&shared, &records, &file("one.jsonl"), 0);
    // Points met over all positive points, not clipped: (5 - 8) / 5 and 4 / 4.
    let scores = |lines: &[Json]| lines.iter().map(|l| l["readouts"]["pointwise"].clone()).collect::<Vec<_>>();
    assert_eq!(scores(&one), [json!(-0.6), json!(1)]);

    let (folder, own) = (format!("{}/", path(&file("programs"))), file("own.jsonl"));
    let made = rubric(&["import", "healthbench", path(&rows), "-o", &folder, "--records", path(&own)]);
    assert_eq!(made.0, 0, "{}", made.1);
    assert_eq!(rubric(&["check", "--deny-warnings", &folder]).0, 0);
    assert_eq!(scores(&run(Path::new(&folder), &own, &file("two.jsonl"), 0)), scores(&one));
}

#[test]
fn a_bad_row_is_told_with_its_place_and_left_out_only_when_asked() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    let bad = ROWS.replace("\"points\": 4", "\"points\": \"four\"")
        + "{\"prompt_id\": \"c\"\n"
        + ROWS.lines().next().unwrap();
    std::fs::write(file("rows.jsonl"), bad).unwrap();
    let (rows, out, records) = (file("rows.jsonl"), file("p.rubric"), file("r.jsonl"));
    let mut arguments = vec!["import", "healthbench", path(&rows), "-o", path(&out), "--records", path(&records)];
    let (code, told) = rubric(&arguments);
    assert_eq!(code, 1);
    for part in [
        "line 2: `rubrics[0].points`: a number is wanted, not \"four\"",
        "line 3: the JSON is cut off",
        "line 4: the id `a` stands in the file twice",
        "3 faults; nothing was written",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!out.exists() && !records.exists());
    assert_eq!(place.path().read_dir().unwrap().count(), 1, "nothing else is left behind");
    arguments.push("--skip-bad");
    let (code, told) = rubric(&arguments);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("left out 3 rows") && lines(&records).len() == 1, "{told}");
}

#[test]
fn what_does_not_fit_the_command_line_is_said() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let rows = file("rows.jsonl", ROWS);
    let (code, told) = rubric(&["import", "healthbench", path(&rows)]);
    assert!(code == 2 && told.contains("--records"), "{told}");
    let two =
        file("two.yaml", "tests:\n- assert: [{type: contains, value: a}]\n- assert: [{type: equals, value: b}]\n");
    let (code, told) = rubric(&["import", "promptfoo", path(&two)]);
    assert!(code == 2 && told.contains("-o programs/"), "{told}");
    let broken = file("broken.yaml", "tests: [\n");
    let (code, told) = rubric(&["import", "promptfoo", path(&broken)]);
    assert!(code == 2 && told.contains("not valid YAML"), "{told}");
    assert_eq!(rubric(&["import", "nothing", path(&rows)]).0, 2);
    let table = file("t.csv", "criterion,points\nSays hello,5\nInsults,minus\n");
    let (code, told) = rubric(&["import", "csv", path(&table)]);
    assert!(code == 1 && told.contains("line 3: `points`"), "{told}");
}

#[test]
fn every_shared_program_is_clean_and_every_format_has_a_page() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/importers.md")).unwrap();
    for format in rubric_lang::import::format::FORMATS {
        assert!(page.contains(&format!("| `{}` |", format.name)), "docs/importers.md has no row for `{}`", format.name);
        if let Some(shared) = format.shared {
            let named = shared();
            let opened = rubric_lang::project::open_text("shared", Path::new("."), named.program(&named.name));
            assert!(opened.diagnostics.is_empty(), "{}: {:?}", format.name, opened.diagnostics);
        }
    }
}

#[test]
fn real_rubrics_with_levels() {
    let Some(set) = data("prometheus_gpt4") else { return };
    let place = tempfile::tempdir().unwrap();
    let folder = format!("{}/", path(&place.path().join("programs")));
    let records = place.path().join("records.jsonl");
    let (code, told) =
        rubric(&["import", "prometheus", path(&set.join("rubrics.jsonl")), "-o", &folder, "--records", path(&records)]);
    assert_eq!(code, 0, "{told}");
    let programs: Vec<PathBuf> = Path::new(&folder).read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((programs.len(), lines(&records).len()), (96, 96));
    for program in &programs {
        let text = std::fs::read_to_string(program).unwrap();
        assert!(text.contains("criterion quality: int[1..5]") && text.matches("\n  level ").count() == 5, "{text}");
    }
    assert_eq!(rubric(&["check", &folder]).0, 0);
    let shared = place.path().join("shared.rubric");
    let (code, told) = rubric(&[
        "import",
        "prometheus",
        path(&set.join("rubrics.jsonl")),
        "-o",
        path(&shared),
        "--records",
        path(&records),
    ]);
    assert_eq!(code, 0, "{told}");
}

#[test]
fn real_question_lists_of_checkeval() {
    let Some(set) = data("summeval") else { return };
    let expected: Vec<Json> =
        serde_json::from_str(&std::fs::read_to_string(set.join("expected.json")).unwrap()).unwrap();
    let mut seen = 0;
    for entry in expected.iter().filter(|entry| entry["name"].as_str().unwrap().starts_with("prompts.checkeval")) {
        let name = entry["name"].as_str().unwrap().strip_prefix("prompts.").unwrap();
        let (code, text) = rubric(&["import", "checkeval", path(&set.join(format!("prompts/{name}.yaml")))]);
        assert_eq!(code, 0, "{text}");
        let counts = json!([text.matches("\n  group ").count(), text.matches("\n    +1 ").count()]);
        assert_eq!(counts, entry["value"], "{name}");
        seen += 1;
    }
    assert_eq!(seen, 6);
}

#[test]
fn real_ratings_of_summaries_reproduce_the_means_of_systems() {
    let Some(set) = data("summeval") else { return };
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    let (program, records) = (file("p.rubric"), file("r.jsonl"));
    let (code, told) = rubric(&[
        "import",
        "summeval",
        path(&set.join("human.jsonl")),
        "-o",
        path(&program),
        "--records",
        path(&records),
    ]);
    assert_eq!(code, 0, "{told}");
    let results = run(&program, &records, &file("results.jsonl"), 0);
    assert_eq!(results.len(), 800);
    // The published means of system M0, over its 50 documents.
    for (readout, mean) in [
        ("coherence_mean", 4.193_333),
        ("consistency_mean", 4.966_667),
        ("fluency_mean", 4.92),
        ("relevance_mean", 4.22),
    ] {
        let of: Vec<f64> = results
            .iter()
            .filter(|line| line["id"].as_str().unwrap().ends_with("/M0"))
            .map(|line| line["readouts"][readout].as_f64().unwrap())
            .collect();
        assert_eq!(of.len(), 50);
        assert!((of.iter().sum::<f64>() / 50.0 - mean).abs() < 1e-6, "{readout}");
    }
}

#[test]
fn real_suites_of_assertions_reproduce_recorded_scores() {
    let Some(set) = data("rubric_specs") else { return };
    let place = tempfile::tempdir().unwrap();
    let folder = format!("{}/", path(&place.path().join("programs")));
    for suite in ["rubric_suite", "weighted-graders_suite", "deterministic-graders_suite"] {
        let (code, told) =
            rubric(&["import", "promptfoo", path(&set.join(format!("agentv/{suite}.yaml"))), "-o", &folder]);
        assert_eq!(code, 0, "{told}");
    }
    let (code, told) = rubric(&["check", &folder]);
    assert_eq!(code, 0, "{told}");
    // The grader of two criteria rated out of 10, as it was recorded: (2 * 10 + 1 * 9) / 30.
    let program = Path::new(&folder).join("summary_multi_criteria_score_ranges_proposed.rubric");
    let text = std::fs::read_to_string(&program).unwrap();
    let node = text.lines().find_map(|line| line.strip_prefix("reduce llm_rubric_score = ")).expect("the grader");
    assert!(node.starts_with("weighted_mean("), "{text}");
    let record = json!({"id": "x", "output": "…", "judgments":
        {"factual_accuracy": 10, "brevity_and_clarity": 9, "rubric_items_1": true}});
    let records = place.path().join("r.jsonl");
    std::fs::write(&records, format!("{record}\n")).unwrap();
    let results = run(&program, &records, &place.path().join("o.jsonl"), 0);
    // The other grader is a bare text, met: the mean of 29/30 and 1.
    assert_eq!(results[0]["readouts"]["pointwise"], json!(0.983_333_333_333));
    assert_eq!(results[0]["readouts"]["passes"], json!(true));
}

/// A table is one program: each of its bad rows is told with its line, and the others are kept where that is asked for.
#[test]
fn of_a_table_only_the_bad_rows_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.csv");
    std::fs::write(&path, "criterion,points\nIs short,3\nIs kind,many\nIs true,2\nIs polite,few\n").unwrap();
    let run = |skip: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(["import", "csv", "c.csv", "-o", "c.rubric"])
            .args(skip)
            .current_dir(folder.path())
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, told) = run(&[]);
    assert!(code == 1 && told.contains("line 3:") && told.contains("line 5:") && told.contains("2 faults"), "{told}");
    assert!(!folder.path().join("c.rubric").exists());
    let (code, told) = run(&["--skip-bad"]);
    assert!(code == 0 && told.contains("left out 2 rows"), "{told}");
    let text = std::fs::read_to_string(folder.path().join("c.rubric")).unwrap();
    assert!(text.contains("Is short") && text.contains("Is true") && !text.contains("Is kind"), "{text}");
}

/// What is imported is laid out as `rubric fmt` would.
#[test]
fn programs_are_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let csv = file(
        "c.csv",
        "criterion,points,id,group,axis\nIs short,3,a,Form,x\nInsults,-12,,Tone,\nIs true,1,longer_name,Form,y\n",
    );
    let rows = file("rows.jsonl", ROWS);
    let tests = file(
        "p.yaml",
        "tests:\n- vars: {question: a}\n  assert:\n  - {type: contains, value: a}\n  - {type: llm-rubric, value: Is kind, weight: 2}\n",
    );
    let dsg = file(
        "q.csv",
        "item_id,text,proposition_id,dependency,category_broad,category_detailed,tuple,question_natural_language\n\
         1,a dog,1,0,entity,whole,entity - whole (dog),Is there a dog?\n1,a dog,2,1,attribute,color,attribute - color (dog: red),Is the dog red?\n",
    );
    for (kind, input) in [("csv", &csv), ("healthbench", &rows), ("promptfoo", &tests), ("dsg", &dsg)] {
        let out = folder.path().join(kind);
        let ran = rubric(&["import", kind, path(input), "-o", &format!("{}/", path(&out))]);
        assert_eq!(ran.0, 0, "{kind}: {}", ran.1);
        let checked = rubric(&["fmt", "--check", path(&out)]);
        assert_eq!(checked.0, 0, "{kind}: {}", checked.1);
    }
}
