//! LLM-Rubric: a score read out of the probabilities that a model gave to each answer.

use crate::{Expected, data, number, program, read, run, stats, table};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::fs;

/// Records from the probabilities: one per dialogue.
fn records(rows: &[HashMap<String, String>]) -> Vec<Json> {
    let mut texts: BTreeMap<&String, Map<String, Json>> = BTreeMap::new();
    for row in rows {
        let probabilities: Map<String, Json> =
            (1..=4).map(|k| (k.to_string(), serde_json::from_str(&row[&format!("answer{k}_prob")]).unwrap())).collect();
        let criterion = row["criterion"].to_lowercase();
        texts.entry(&row["text_id"]).or_default().insert(criterion, json!({ "probabilities": probabilities }));
    }
    texts.into_iter().map(|(id, judgments)| json!({"id": id, "judgments": judgments})).collect()
}

/// What a run says of a dialogue: q0 to q8 as nodes of the result line.
fn value(line: &Json, name: &str) -> f64 {
    if name == "q0" { number(&line["readouts"]["pointwise"]) } else { number(&line["observed"][name]) }
}

#[test]
fn expected_values_and_most_probable_answers() {
    let (Some(folder), Some(program)) = (data("llm_rubric"), program("llm_rubric.rubric")) else { return };
    let mut expected = Expected::of(&folder);
    let rows = table(&folder.join("gpt35_probs.tsv"));
    expected.check("distributions", rows.len());
    let sum = |r: &HashMap<String, String>| {
        (1..=4).map(|k| r[&format!("answer{k}_prob")].parse::<f64>().unwrap()).sum::<f64>()
    };
    expected.check("distributions.sum_off", rows.iter().filter(|r| (sum(r) - 1.0).abs() > 1e-9).count());

    // The program observes the two compositions; here every question is observed too.
    let out = tempfile::tempdir().unwrap();
    let all: String = (1..=8).map(|k| format!("observe q{k}\n")).collect();
    let expecting = out.path().join("expected.rubric");
    fs::write(&expecting, format!("{}\n{all}", read(&program))).unwrap();
    let probable = out.path().join("argmax.rubric");
    fs::write(&probable, format!("{}\n{all}", read(&program).replace("combine: expected", "combine: majority")))
        .unwrap();
    let records = records(&rows);
    let by_id = |lines: Vec<Json>| -> HashMap<String, Json> {
        lines.into_iter().map(|l| (l["id"].as_str().unwrap().to_owned(), l)).collect()
    };
    let (means, modes) = (by_id(run(&expecting, &records)), by_id(run(&probable, &records)));

    let human = table(&folder.join("human.tsv"));
    // (readout, answer) for every human answer 1 to 4 to this question about a dialogue that has probabilities
    let column = |lines: &HashMap<String, Json>, node: &str, question: &str| -> (Vec<f64>, Vec<f64>) {
        let rows = human.iter().filter_map(|r| {
            let answer = r[question].parse::<f64>().ok().filter(|a| (1.0..=4.0).contains(a))?;
            Some((value(lines.get(&r["text_id"])?, node), answer))
        });
        rows.unzip()
    };
    for k in 0..=8 {
        let (x, y) = column(&means, &format!("q{k}"), &format!("Q{k}"));
        figures(&mut expected, &format!("Q{k}.expected"), &x, &y);
        expected.check(&format!("Q{k}.n"), y.len());
        let count = |a: usize| y.iter().filter(|v| **v == a as f64).count();
        let best = (1..=4).max_by_key(|a| (count(*a), 5 - a)).unwrap();
        expected.check(&format!("Q{k}.constant"), json!([best, count(best)]));
        if k == 0 {
            let hits = x.iter().zip(&y).filter(|(x, y)| (*x + 0.5).floor() == **y).count();
            expected.check("Q0.expected.rounded.exact_agreement", hits as f64 / y.len() as f64);
            let (x, y) = column(&modes, "q0", "Q0");
            figures(&mut expected, "Q0.argmax", &x, &y);
        }
    }
    for (name, node) in [("mean", "mean_of_eight"), ("min", "least_of_eight")] {
        let (x, y) = column(&means, node, "Q0");
        let prefix = format!("Q1_to_Q8.{name}_against_Q0");
        expected.check(&format!("{prefix}.pearson"), stats::pearson(&x, &y));
        expected.check(&format!("{prefix}.spearman"), stats::spearman(&x, &y));
        expected.check(&format!("{prefix}.kendall"), stats::kendall(&x, &y));
    }
    expected.prove(&crate::Evidence { exercises: "expected values of recorded probabilities, most probable values, criteria composed by mean and minimum", program: "the shared program `llm_rubric.rubric`", headlines: &["Q0.expected.rmse", "Q0.expected.spearman"], left_out: &[] });
}

fn figures(expected: &mut Expected, prefix: &str, x: &[f64], y: &[f64]) {
    expected.check(&format!("{prefix}.rmse"), stats::rmse(x, y));
    expected.check(&format!("{prefix}.mean"), stats::mean(x));
    expected.check(&format!("{prefix}.pearson"), stats::pearson(x, y));
    expected.check(&format!("{prefix}.spearman"), stats::spearman(x, y));
    expected.check(&format!("{prefix}.kendall"), stats::kendall(x, y));
}
