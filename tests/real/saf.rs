//! Short answers on their questions' own scales: shares of the most points, and classes that follow from the points.

use crate::{Expected, data, json_lines, number, ours, readout, run, stats};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

#[test]
fn shares_and_classes() {
    let Some(folder) = data("saf") else { return };
    let mut expected = Expected::of(&folder);
    let (questions, answers) = (json_lines(&folder.join("questions.jsonl")), json_lines(&folder.join("answers.jsonl")));
    expected.check("answers", json!([answers.len(), questions.len()]));
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for answer in &answers {
        let highest = most.entry(answer["question_id"].as_str().unwrap()).or_default();
        *highest = highest.max(number(&answer["score"]));
    }
    expected.check("max_points", json!(most.iter().map(|(id, most)| json!([id, most])).collect::<Vec<_>>()));
    let records: Vec<Json> = answers
        .iter()
        .zip(0..)
        .map(|(answer, n)| {
            let question = questions.iter().find(|q| q["question_id"] == answer["question_id"]).unwrap();
            let right: Vec<&str> =
                question["reference"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            json!({
                "id": format!("{n}"), "question": question["question"], "expected": right.join("\n"),
                "most": most[answer["question_id"].as_str().unwrap()], "response": answer["response"],
                "judgments": {"points": answer["score"]},
            })
        })
        .collect();
    let lines = run(&ours("saf.rubric"), &records);
    let class = |answer: &Json| answer["verification"].as_str().unwrap().to_lowercase().replace(' ', "_");
    let same = |(answer, line): &(&Json, &Json)| line["readouts"]["verification"] == class(answer);
    let both = || answers.iter().zip(&lines);
    expected.check("class_from_score", json!([both().filter(same).count(), lines.len()]));
    let others = both().filter(|pair| !same(pair));
    let others: Vec<Json> = others.map(|(a, _)| json!([a["question_id"], a["score"], a["verification"]])).collect();
    expected.check("class_from_score.exceptions", others);
    let count = |word: &str| json!([word, answers.iter().filter(|a| a["verification"] == word).count()]);
    expected.check("classes", json!([count("Correct"), count("Incorrect"), count("Partially correct")]));
    let shares: Vec<f64> = lines.iter().map(|line| readout(line, "pointwise")).collect();
    expected.check("normalized_mean", stats::mean(&shares));
    expected.prove(&crate::Evidence {
        exercises: "a share of the most points of a question, a rule over a field, a class by `decide`",
        program: "`tests/real/programs/saf.rubric`",
        headlines: &["class_from_score", "normalized_mean"],
        left_out: &[],
    });
}
