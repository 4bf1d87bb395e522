//! Stories in six criteria: three people, five judges under four prompts, and samples that could not be read.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, path, run, stats};
use serde_json::{Map, Value as Json, json};
use std::fs;

const CRITERIA: [&str; 6] = ["RE", "CH", "EM", "SU", "EG", "CX"];
const JUDGES: [&str; 5] = ["Beluga-13B", "OrcaPlatypus", "Mistral-7B", "Llama-13B", "ChatGPT"];

#[test]
fn people_and_judges() {
    let Some(folder) = data("hanna") else { return };
    let mut expected = Expected::of(&folder);
    let stories = json_lines(&folder.join("scores.jsonl"));
    expected.check("stories", stories.len());
    let record = |story: &Json, judgments: Map<String, Json>| {
        json!({"id": story["story"].to_string(), "story": "(not included)", "judgments": judgments,
            "tags": {"system": story["system"]}})
    };
    let people: Vec<Json> = stories
        .iter()
        .map(|story| {
            record(
                story,
                CRITERIA.map(|c| (c.to_lowercase(), json!({"values": story["human"][c]}))).into_iter().collect(),
            )
        })
        .collect();
    let human = run(&ours("hanna_human.rubric"), &people);
    let value = |line: &Json, criterion: &str| line["observed"][criterion.to_lowercase()].clone();
    for criterion in CRITERIA {
        let all: Vec<f64> = human.iter().map(|line| number(&value(line, criterion))).collect();
        expected.check(&format!("human.{criterion}.mean"), stats::mean(&all));
    }
    for (judge, prompt) in JUDGES.iter().flat_map(|judge| (0..4).map(move |prompt| (judge, prompt))) {
        let of = |story: &Json, criterion: &str| story["judge"][judge][criterion][prompt].clone();
        let name = format!("{judge}.prompt{}", prompt + 1);
        // A program with the declared scale notices every value that is none.
        let single: Vec<Json> = stories
            .iter()
            .flat_map(|story| CRITERIA.map(|c| (story, c)))
            .map(|(story, c)| {
                json!({"id": format!("{} {c}", story["story"]), "story": "(not included)", "judgments": {"rating": of(story, c)}})
            })
            .collect();
        expected.check(&format!("{name}.below_1"), failed(&single));
        let machines = stories.iter().filter(|story| story["system"] != "Human");
        let records: Vec<Json> = machines
            .map(|story| record(story, CRITERIA.map(|c| (c.to_lowercase(), of(story, c))).into_iter().collect()))
            .collect();
        let lines = run(&ours("hanna_as_recorded.rubric"), &records);
        let (mut pooled, mut systems) = (Vec::new(), Vec::new());
        for criterion in CRITERIA {
            let labels: Vec<Json> =
                human.iter().map(|line| json!({"id": line["id"], "label": value(line, criterion)})).collect();
            let results: Vec<Json> = lines
                .iter()
                .map(|line| {
                    json!({"id": line["id"], "status": "decided", "readouts": {"pointwise": value(line, criterion)},
                        "tags": line["tags"]})
                })
                .collect();
            let report = eval(&results, &Labels::Rows(&labels), &["--group", "system"]);
            let run = &report["runs"][0];
            pooled.push(number(&figure(&run["figures"], "kendall")));
            systems.push(number(&figure(&run["groups"][0]["between"], "kendall")));
        }
        expected.check(&format!("{name}.pooled_kendall"), stats::mean(&pooled));
        expected.check(&format!("{name}.system_kendall"), stats::mean(&systems));
    }
    expected.prove(&crate::Evidence { exercises: "a scale that says what was recorded outside of it, values outside of a declared scale, means of people, ranking of systems with ties", program: "`hanna_human.rubric`, `hanna_as_recorded.rubric`, `hanna_strict.rubric` in `tests/real/programs`", headlines: &["Beluga-13B.prompt1.pooled_kendall", "Beluga-13B.prompt1.system_kendall", "Mistral-7B.prompt1.below_1"], left_out: &[] });
}

/// How many records fail because a value is outside of its type.
fn failed(records: &[Json]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (data, results) = (folder.path().join("records.jsonl"), folder.path().join("results.jsonl"));
    fs::write(&data, records.iter().map(|record| format!("{record}\n")).collect::<String>()).unwrap();
    let program = ours("hanna_strict.rubric");
    let output = crate::rubric(&["run", path(&program), "--data", path(&data), "-o", path(&results)]);
    let lines = json_lines(&results);
    let failed = lines.iter().filter(|line| line["status"] == "failed").count();
    assert_eq!(output.status.code(), Some(if failed == 0 { 0 } else { 4 }));
    failed
}
