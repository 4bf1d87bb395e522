//! Checklists whose questions have fitted weights, scored by a model, on a scale that reaches below 0.

use crate::{Expected, data, json_lines, number, path, read, run, stats, succeed};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn weighted_checklists_rescaled() {
    let Some(folder) = data("hellobench") else { return };
    let mut expected = Expected::of(&folder);
    let json = |name: &str| -> Json { serde_json::from_str(&read(&folder.join(name))).unwrap() };
    let (checklists, weights) = (json("checklists.json"), json("weights.json"));
    let weights_of = |category: &str| weights[category].as_array().unwrap();
    let near_100 = |list: &&Json| (list.as_array().unwrap().iter().map(number).sum::<f64>() - 100.0).abs() < 1e-6;
    expected.check("weights.sum_100", weights.as_object().unwrap().values().filter(near_100).count());
    let mut categories: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (row, n) in json_lines(&folder.join("scores.jsonl")).iter().zip(0..) {
        let scores = row["scores"].as_array().unwrap().iter().zip(1..);
        let judgments: Map<String, Json> = scores.map(|(score, n)| (format!("q{n}"), score.clone())).collect();
        categories.entry(row["category"].as_str().unwrap().to_owned()).or_default().push(json!({
            "id": format!("{n}"), "answer": "(elsewhere)", "judgments": judgments,
            "tags": {"model": row["model"], "task": row["task"]},
        }));
    }
    let out = tempfile::tempdir().unwrap();
    let mut scores: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for (category, records) in &categories {
        let program = out.path().join("category.rubric");
        fs::write(&program, text(checklists[category].as_array().unwrap(), weights_of(category))).unwrap();
        succeed(&["check", path(&program)]);
        for line in run(&program, records) {
            let tag = |name: &str| line["tags"][name].as_str().unwrap().to_owned();
            scores.entry((tag("model"), tag("task"))).or_default().push(number(&line["readouts"]["pointwise"]));
        }
    }
    let mut models: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for ((model, task), values) in &scores {
        expected.check(&format!("{model}.{task}"), stats::mean(values));
        models.entry(model).or_default().push(stats::mean(values));
    }
    for model in models.keys() {
        let items: usize = scores.iter().filter(|((of, _), _)| of == model).map(|(_, values)| values.len()).sum();
        expected.check(&format!("{model}.items"), items);
    }
    let mut ranking: Vec<(&str, f64)> = models.iter().map(|(model, tasks)| (*model, stats::mean(tasks))).collect();
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    expected.check("ranking", json!(ranking.iter().map(|(model, _)| model).collect::<Vec<_>>()));
    expected.prove(&crate::Evidence { exercises: "weighted sums with fitted decimal weights, arithmetic on a score, a scale that reaches below 0, ranking", program: "a program for each of the 38 checklists, written by the test", headlines: &["gpt4o_0806.chat", "claude35.open_ended_qa", "ranking"], left_out: &[] });
}

/// The program of a checklist: a weighted sum from 0 to about 100, of which 75 becomes 0 and each point four.
fn text(questions: &[Json], weights: &[Json]) -> String {
    let mut text = "rubric hellobench\ncandidate answer: text\n".to_owned();
    let mut slots = Vec::new();
    for ((question, weight), n) in questions.iter().zip(weights).zip(1..) {
        text += &format!("criterion q{n}: score[0..1] {}\n", question.to_string().replace('{', "\\{"));
        slots.push(format!("q{n} weight {weight}"));
    }
    text + &format!(
        "reduce total = weighted_sum({})\nreduce rescaled = (total - 75) * 4\nreadout pointwise = rescaled\n",
        slots.join(", ")
    )
}
