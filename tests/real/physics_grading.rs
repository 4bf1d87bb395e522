//! Explanations of students on three items: two people, several prompts, and five runs of one.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, run, stats};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// Three items of several gradings as what `rubric run` takes: one vector, or several that are voted on.
fn totals(answers: &[&Json], vectors: impl Fn(&Json) -> Vec<Json>) -> Vec<Json> {
    let record = |answer: &&Json| {
        let vectors = vectors(answer);
        let item = |n: usize| {
            let values: Vec<bool> = vectors.iter().map(|vector| vector[n] == 1).collect();
            (format!("items.item{}", n + 1), json!({ "values": values }))
        };
        let judgments: Map<String, Json> = (0..3).map(item).collect();
        json!({"id": answer["id"], "response": answer["response"], "judgments": judgments})
    };
    run(&ours("physics_grading.rubric"), &answers.iter().map(record).collect::<Vec<Json>>())
}

/// Each item as a row of its own.
fn items(lines: &[Json]) -> Vec<Json> {
    lines
        .iter()
        .flat_map(|line| {
            (1..=3).map(|n| {
                let id = format!("{} {n}", line["id"].as_str().unwrap());
                json!({"id": id, "status": "decided", "readouts": {"pointwise": line["observed"][format!("items.item{n}")]}})
            })
        })
        .collect()
}

fn labels(lines: &[Json]) -> Vec<Json> {
    items(lines).iter().map(|row| json!({"id": row["id"], "label": row["readouts"]["pointwise"]})).collect()
}

#[test]
fn partial_credit_and_votes_of_five() {
    let Some(folder) = data("physics_grading") else { return };
    let mut expected = Expected::of(&folder);
    let all = json_lines(&folder.join("graded.jsonl"));
    for question in ["Q1", "Q2", "Q3"] {
        let answers: Vec<&Json> = all.iter().filter(|answer| answer["question"] == question).collect();
        expected.check(&format!("{question}.answers"), answers.len());
        let first = totals(&answers, |answer| vec![answer["human"][0].clone()]);
        let second = totals(&answers, |answer| vec![answer["human"][1].clone()]);
        let truth = labels(&first);
        let agreement =
            |lines: &[Json]| figure(&eval(&items(lines), &Labels::Rows(&truth), &[])["runs"][0]["figures"], "accuracy");
        expected.check(&format!("{question}.humans.item_agreement"), agreement(&second));
        let report = eval(&items(&second), &Labels::Rows(&truth), &[]);
        expected.check(&format!("{question}.humans.kappa"), figure(&report["runs"][0]["figures"], "kappa"));
        let total = |line: &Json| number(&line["readouts"]["pointwise"]);
        let same = first.iter().zip(&second).filter(|(a, b)| total(a) == total(b));
        expected.check(&format!("{question}.humans.total_equal"), same.count());
        let of = |answer: &Json, judge: &str, prompt: &str| -> Option<Json> {
            let list = answer["judge"].as_array().unwrap().iter();
            Some(list.clone().find(|j| j["judge"] == judge && j["prompt"] == prompt)?["vector"].clone())
        };
        let names: BTreeSet<(&str, &str)> = answers
            .iter()
            .flat_map(|answer| answer["judge"].as_array().unwrap())
            .map(|j| (j["judge"].as_str().unwrap(), j["prompt"].as_str().unwrap()))
            .collect();
        let runs: Vec<&(&str, &str)> = names.iter().filter(|(_, prompt)| prompt.contains("_run_")).collect();
        assert_eq!(runs.len(), 5, "{runs:?}");
        for (judge, prompt) in names.iter().filter(|(_, prompt)| !prompt.contains("_run_")) {
            let lines = totals(&answers, |answer| vec![of(answer, judge, prompt).unwrap()]);
            expected.check(&format!("{question}.{judge}.{prompt}.item_agreement"), agreement(&lines));
        }
        let five = |answer: &Json| -> Vec<Json> {
            runs.iter().map(|(judge, prompt)| of(answer, judge, prompt).unwrap()).collect()
        };
        let voted = totals(&answers, five);
        let equal = answers.iter().filter(|answer| five(answer).windows(2).all(|two| two[0] == two[1]));
        expected.check(&format!("{question}.five_runs.all_equal"), equal.count());
        expected.check(&format!("{question}.five_runs.majority_item_agreement"), agreement(&voted));
        let mean = stats::mean(&voted.iter().map(total).collect::<Vec<f64>>());
        expected.check(&format!("{question}.five_runs.total_mean"), mean);
    }
    expected.prove(&crate::Evidence {
        exercises: "a count of items, items voted on by five runs",
        program: "`tests/real/programs/physics_grading.rubric`",
        headlines: &["Q1.humans.item_agreement", "Q1.five_runs.majority_item_agreement", "Q1.five_runs.total_mean"],
        left_out: &[],
    });
}
