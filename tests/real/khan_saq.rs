//! One criterion, three samples of two judges at three levels of rubric, and three people.

use crate::{Expected, Labels, data, eval, figure, json_lines, ours, run};
use serde_json::{Value as Json, json};

#[test]
fn majorities_of_samples_and_of_people() {
    let Some(folder) = data("khan_saq") else { return };
    let mut expected = Expected::of(&folder);
    let (responses, items) = (json_lines(&folder.join("responses.jsonl")), json_lines(&folder.join("items.jsonl")));
    let record = |response: &Json, values: &Json| {
        let item = items.iter().find(|item| item["item"] == response["item"]).unwrap();
        json!({
            "id": response["id"].to_string(), "question": item["question"], "must": item["criteria_for_scoring"],
            "response": response["response"], "judgments": {"correct": {"values": truths(values)}},
        })
    };
    let people: Vec<Json> = responses.iter().map(|r| record(r, &r["human"])).collect();
    let verdicts = run(&ours("khan_saq.rubric"), &people);
    let correct = verdicts.iter().filter(|line| line["readouts"]["pointwise"] == true).count();
    expected.check("human.majority_correct", correct);
    let labels = ratings(&responses, |response| Some(response["human"].clone()));
    for run_of in json_lines(&folder.join("llm_labels.jsonl")) {
        let judge = run_of["judge"].as_str().unwrap().replace(' ', "_");
        let name = format!("{judge}.{}", run_of["rubric"].as_str().unwrap().replace(' ', "_"));
        let samples = |response: &Json| run_of["labels"].get(response["id"].to_string()).cloned();
        let records: Vec<Json> = responses.iter().filter_map(|r| Some(record(r, &samples(r)?))).collect();
        let lines = run(&ours("khan_saq.rubric"), &records);
        let report = eval(&lines, &Labels::Rows(&labels), &[]);
        let figures = &report["runs"][0]["figures"];
        expected.check(&format!("{name}.n"), report["runs"][0]["counts"]["compared"].clone());
        expected.check(&format!("{name}.accuracy"), figure(figures, "accuracy"));
        expected.check(&format!("{name}.kappa"), figure(figures, "kappa"));
        if name == "GPT-4o.Full" {
            expected.check("human.fleiss", figure(&report["agreement"][0]["figures"], "fleiss_kappa"));
        }
        // The three samples as raters.
        let own = eval(&lines, &Labels::Rows(&ratings(&responses, samples)), &[]);
        expected.check(&format!("{name}.self_fleiss"), figure(&own["agreement"][0]["figures"], "fleiss_kappa"));
    }
    expected.prove(&crate::Evidence {
        exercises: "samples combined by majority, people against two judges at three levels of rubric",
        program: "`tests/real/programs/khan_saq.rubric`",
        headlines: &["GPT-4o.Full.accuracy", "GPT-4o.Full.kappa", "human.fleiss"],
        left_out: &[],
    });
}

fn truths(values: &Json) -> Vec<bool> {
    values.as_array().unwrap().iter().map(|value| value == 1).collect()
}

/// A row for each of three ratings.
fn ratings(responses: &[Json], of: impl Fn(&Json) -> Option<Json>) -> Vec<Json> {
    let rows = responses.iter().filter_map(|response| Some((response, of(response)?)));
    rows.flat_map(|(response, values)| {
        let id = response["id"].to_string();
        let rows = truths(&values).into_iter().zip(["a", "b", "c"]);
        rows.map(|(label, by)| json!({"id": id, "by": by, "label": label})).collect::<Vec<Json>>()
    })
    .collect()
}
