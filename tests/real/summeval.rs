//! Summaries in four dimensions: experts, ten samples of a model, and questions of another method as programs.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, path, run, stats, succeed};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;

const DIMENSIONS: [&str; 4] = ["coherence", "consistency", "fluency", "relevance"];

#[test]
fn experts_samples_and_questions() {
    let Some(folder) = data("summeval") else { return };
    let mut expected = Expected::of(&folder);
    people(&mut expected, &folder);
    samples(&mut expected, &folder);
    for name in expected.names(|name| name.starts_with("prompts.")) {
        let file = folder.join(name.replacen("prompts.", "prompts/", 1)).with_extension("yaml");
        expected.check(&name, questions(&file));
    }
    expected.prove(&crate::Evidence {
        exercises: "the mean of ten samples, groups by document, question lists by `rubric import checkeval`",
        program: "`summeval.rubric` and `summeval_human.rubric` in `tests/real/programs`",
        headlines: &["geval.mean_of_ten.spearman", "summary_level.coherence_relevance"],
        left_out: &[],
    });
}

fn people(expected: &mut Expected, folder: &Path) {
    let rows = json_lines(&folder.join("human.jsonl"));
    let records: Vec<Json> = rows
        .iter()
        .zip(0..)
        .map(|(row, n)| {
            json!({"id": format!("{n}"), "summary": row["summary"], "judgments": row["human"],
                "tags": {"system": row["system"], "document": row["doc_id"]}})
        })
        .collect();
    let lines = run(&ours("summeval_human.rubric"), &records);
    let mut by: [BTreeMap<&str, Vec<&Json>>; 2] = Default::default();
    for line in &lines {
        for (by, tag) in by.iter_mut().zip(["system", "document"]) {
            by.entry(line["tags"][tag].as_str().unwrap()).or_default().push(line);
        }
    }
    let [systems, documents] = by;
    expected.check("summaries", json!([lines.len(), documents.len()]));
    for (system, lines) in systems {
        let mean = |dimension: &str| {
            stats::mean(&lines.iter().map(|line| number(&line["observed"][dimension])).collect::<Vec<f64>>())
        };
        expected.check(&format!("system.{system}"), json!(DIMENSIONS.map(mean)));
    }
    // Within each document, then in the mean of those in which both vary: what `eval` says of groups.
    for (a, b) in [("coherence", "relevance"), ("consistency", "fluency")] {
        let said = |line: &Json| {
            json!({"id": line["id"], "status": "decided", "readouts": {"pointwise": line["observed"][a]},
                "tags": {"document": line["tags"]["document"]}})
        };
        let labels: Vec<Json> =
            lines.iter().map(|line| json!({"id": line["id"], "label": line["observed"][b]})).collect();
        let results: Vec<Json> = lines.iter().map(said).collect();
        let report = eval(&results, &Labels::Rows(&labels), &["--group", "document"]);
        let groups = &report["runs"][0]["groups"][0];
        let (rho, tau) = (within(groups, "spearman"), within(groups, "kendall"));
        assert_eq!(rho.1, tau.1);
        expected.check(&format!("summary_level.{a}_{b}"), json!([rho.1, rho.0, tau.0]));
    }
}

/// A figure in the mean of groups, and in how many of them it is defined.
fn within(groups: &Json, name: &str) -> (f64, u64) {
    let list = groups["within"].as_array().unwrap_or_else(|| panic!("{groups}"));
    let found = list.iter().find(|figure| figure["figure"] == name).unwrap();
    (number(&found["value"]), found["groups"].as_u64().unwrap_or_else(|| panic!("{found}")))
}

fn samples(expected: &mut Expected, folder: &Path) {
    let rows = json_lines(&folder.join("geval_gpt4o_consistency.jsonl"));
    expected.check("geval.rows", rows.len());
    for (name, count) in [("mean_of_ten", 10), ("first_sample", 1)] {
        let record = |(row, n): (&Json, usize)| {
            let samples: Vec<&Json> = row["samples"].as_array().unwrap().iter().take(count).collect();
            json!({"id": format!("{n}"), "summary": "(not included)", "tags": {"human": row["human_consistency"]},
                "judgments": {"consistency": {"values": samples}}})
        };
        let records: Vec<Json> = rows.iter().zip(0..).map(record).collect();
        let report = eval(&run(&ours("summeval.rubric"), &records), &Labels::Tag("human"), &[]);
        for wanted in ["pearson", "spearman", "kendall"] {
            expected.check(&format!("geval.{name}.{wanted}"), figure(&report["runs"][0]["figures"], wanted));
        }
    }
}

/// The groups and items of the checklist that a file of questions becomes.
fn questions(file: &Path) -> Json {
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("questions.rubric");
    succeed(&["import", "checkeval", path(file), "-o", path(&program)]);
    succeed(&["check", path(&program)]);
    let graph: Json = serde_json::from_slice(&succeed(&["build", path(&program)]).stdout).unwrap();
    let checklist = &graph["checklists"][0];
    json!([checklist["groups"].as_array().unwrap().len(), checklist["items"].as_array().unwrap().len()])
}
