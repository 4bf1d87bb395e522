//! `rubric eval` over recorded judgments gives the figures that were published for them: classes (PandaLM), numbers pooled, over
//! runs, and by document (SummEval).

use crate::{Expected, data, json_lines, number, path, program, succeed};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;

fn lines(path: &Path, lines: impl IntoIterator<Item = Json>) {
    fs::write(path, lines.into_iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// What `rubric eval` says, as JSON.
fn evaluated(arguments: &[&str]) -> Json {
    let output = succeed(&[&["eval", "--format", "json", "--resamples", "0"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The value of a figure in a list of them.
fn figure(figures: &Json, key: &str) -> f64 {
    let found = figures.as_array().unwrap().iter().find(|one| one["figure"] == key && one["class"].is_null());
    number(&found.unwrap_or_else(|| panic!("no figure {key}: {figures:#}"))["value"])
}

#[test]
fn a_judge_against_the_majority_of_three_people() {
    let (Some(folder), Some(program)) = (data("pandalm"), program("pandalm.rubric")) else { return };
    const LABELS: [&str; 3] = ["tie", "first", "second"];
    let mut expected = Expected::of(&folder);
    let here = tempfile::tempdir().unwrap();
    let of = |name: &str| here.path().join(name);
    let pairs = json_lines(&folder.join("pairs.jsonl"));
    let word = |code: &Json| LABELS[usize::try_from(code.as_u64().unwrap()).unwrap()];
    lines(
        &of("records.jsonl"),
        pairs.iter().map(|pair| {
            let text = |key: &str| pair[key].as_str().map_or_else(|| pair[key].to_string(), str::to_owned);
            json!({"id": pair["idx"], "instruction": text("instruction"),
                   "pair": {"response1": text("response1"), "response2": text("response2")}})
        }),
    );
    let judged = json_lines(&folder.join("judgments.jsonl"));
    lines(
        &of("judgments.jsonl"),
        judged.iter().map(|line| {
            json!({"id": line["idx"], "criterion": "verdict", "value": word(&line["result"]), "by": line["judge"]})
        }),
    );
    lines(
        &of("people.jsonl"),
        pairs.iter().flat_map(|pair| {
            (1..=3).map(
                move |n| json!({"id": pair["idx"], "by": n.to_string(), "label": word(&pair[format!("annotator{n}")])}),
            )
        }),
    );
    succeed(&[
        "run",
        path(&program),
        "--data",
        path(&of("records.jsonl")),
        "--judgments",
        path(&of("judgments.jsonl")),
        "-o",
        path(&of("results.parquet")),
    ]);
    let report = evaluated(&[path(&of("results.parquet")), "--labels", path(&of("people.jsonl"))]);
    let run = &report["runs"][0];
    expected.check("pairs", run["counts"]["lines"].clone());
    expected.check("no_majority", run["counts"]["undecided_labels"].clone());
    for (name, key) in [
        ("accuracy", "accuracy"),
        ("macro_precision", "macro_precision"),
        ("macro_recall", "macro_recall"),
        ("macro_f1", "macro_f1"),
    ] {
        expected.check(&format!("pandalm-7b.{name}"), figure(&run["figures"], key));
    }
    let names: Vec<&str> = run["confusion"]["values"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    let at = |label: &str| names.iter().position(|name| *name == label).unwrap();
    let counts = &run["confusion"]["by_label"];
    let cells = (0..9).map(|n| {
        let (label, verdict) = (n / 3, n % 3);
        json!([label.to_string(), verdict.to_string(), counts[at(LABELS[label])][at(LABELS[verdict])]])
    });
    expected.check("confusion", cells.collect::<Vec<_>>());
    // Tests of PandaLM itself compare the rest.
    expected.finish(&["labels", "verdicts", "annotators.*"]);
}

const CONSISTENCY: &str = r#"rubric consistency
candidate summary: text
criterion consistency: score[1..5] {
  ask "How consistent is the summary with its article?"
  judge human(combine: mean)
}
readout pointwise = consistency
"#;

fn correlations(expected: &mut Expected, name: &str, figures: &Json) {
    for key in ["pearson", "spearman", "kendall"] {
        expected.check(&format!("geval.{name}.{key}"), figure(figures, key));
    }
}

#[test]
fn ten_samples_of_a_judge_against_experts() {
    let Some(folder) = data("summeval") else { return };
    let mut expected = Expected::of(&folder);
    let here = tempfile::tempdir().unwrap();
    let of = |name: &str| here.path().join(name);
    fs::write(of("p.rubric"), CONSISTENCY).unwrap();
    let rows = json_lines(&folder.join("geval_gpt4o_consistency.jsonl"));
    let id = |row: &Json| format!("{} {}", row["doc_id"].as_str().unwrap(), row["system"].as_str().unwrap());
    lines(&of("records.jsonl"), rows.iter().map(|row| json!({"id": id(row), "summary": "-"})));
    lines(&of("labels.jsonl"), rows.iter().map(|row| json!({"id": id(row), "label": row["human_consistency"]})));
    lines(
        &of("all.jsonl"),
        rows.iter().map(|row| json!({"id": id(row), "criterion": "consistency", "values": row["samples"]})),
    );
    lines(
        &of("each.jsonl"),
        rows.iter().flat_map(|row| {
            let samples = row["samples"].as_array().unwrap().iter().zip(1..);
            samples
                .map(move |(value, run)| json!({"id": id(row), "criterion": "consistency", "run": run, "value": value}))
        }),
    );
    let run = |judgments: &str, out: &str, more: &[&str]| {
        let (program, data, judgments, out) = (of("p.rubric"), of("records.jsonl"), of(judgments), of(out));
        let arguments =
            ["run", path(&program), "--data", path(&data), "--judgments", path(&judgments), "-o", path(&out)];
        succeed(&[&arguments, more].concat());
        evaluated(&[path(&out), "--labels", path(&of("labels.jsonl"))])
    };
    let mean = run("all.jsonl", "mean.jsonl", &[]);
    expected.check("geval.rows", mean["runs"][0]["counts"]["compared"].clone());
    correlations(&mut expected, "mean_of_ten", &mean["runs"][0]["figures"]);
    // Each sample as a run of its own: the first is the first, and the mean over runs is that of ten figures.
    let runs = run("each.jsonl", "runs.parquet", &["--runs", "10"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 10);
    correlations(&mut expected, "first_sample", &runs["runs"][0]["figures"]);
    let of_runs = |key: &str| (0..10).map(|n| figure(&runs["runs"][n]["figures"], key)).sum::<f64>() / 10.0;
    assert!((figure(&runs["over_runs"], "pearson") - of_runs("pearson")).abs() < 1e-12);
    expected.finish(&["summaries", "system.*", "summary_level.*", "prompts.*"]);
}

#[test]
fn two_dimensions_within_each_document() {
    let Some(folder) = data("summeval") else { return };
    let mut expected = Expected::of(&folder);
    let here = tempfile::tempdir().unwrap();
    let of = |name: &str| here.path().join(name);
    fs::write(of("p.rubric"), CONSISTENCY).unwrap();
    let rows = json_lines(&folder.join("human.jsonl"));
    for (one, other) in [("coherence", "relevance"), ("consistency", "fluency")] {
        lines(
            &of("records.jsonl"),
            rows.iter().map(|row| {
                let id = format!("{} {}", row["doc_id"].as_str().unwrap(), row["system"].as_str().unwrap());
                json!({"id": id, "summary": row["summary"], "judgments": {"consistency": row["human"][one]},
                       "tags": {"document": row["doc_id"], "system": row["system"], "other": row["human"][other]}})
            }),
        );
        let (program, data, out) = (of("p.rubric"), of("records.jsonl"), of("results.jsonl"));
        succeed(&["run", path(&program), "--data", path(&data), "-o", path(&out)]);
        let report = evaluated(&[path(&out), "--labels", "other", "--group", "document", "--group", "system"]);
        let groups = report["runs"][0]["groups"].as_array().unwrap();
        let within = &groups[0]["within"];
        let counted = within.as_array().unwrap().iter().find(|one| one["figure"] == "spearman").unwrap();
        let found = json!([counted["groups"], figure(within, "spearman"), figure(within, "kendall")]);
        expected.check(&format!("summary_level.{one}_{other}"), found);
        assert_eq!(
            (groups[0]["each"].as_array().unwrap().len(), groups[1]["each"].as_array().unwrap().len()),
            (50, 16)
        );
    }
    expected.finish(&["summaries", "system.*", "geval.*", "prompts.*"]);
}
