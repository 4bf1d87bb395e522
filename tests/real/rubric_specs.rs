//! Rubrics as people write them for other tools, and the scores that those tools gave.

use crate::{Expected, data, json_lines, number, path, readout, run, succeed};
use serde_json::{Map, Value as Json, json};
use std::fs;
use std::path::Path;

#[test]
fn weighted_means_of_graders() {
    let Some(folder) = data("rubric_specs") else { return };
    let mut expected = Expected::of(&folder);
    let out = tempfile::tempdir().unwrap();
    for (prefix, file) in
        [("rubric", "rubric_suite.baseline.jsonl"), ("weighted-graders", "weighted-graders_suite.baseline.jsonl")]
    {
        for result in json_lines(&folder.join("agentv").join(file)) {
            let Some(graders) = result["scores"].as_array().filter(|list| !list.is_empty()) else { continue };
            let (text, record) = program(graders);
            let program = out.path().join("graders.rubric");
            fs::write(&program, text).unwrap();
            succeed(&["check", "--deny-warnings", path(&program)]);
            let lines = run(&program, &[record]);
            let name = format!("{prefix}.{}.score", result["test_id"].as_str().unwrap());
            expected.check(&name, readout(&lines[0], "pointwise"));
        }
    }
    let files =
        walkdir::WalkDir::new(&folder).min_depth(2).into_iter().filter(|e| e.as_ref().unwrap().path().is_file());
    expected.check("files", files.count());
    expected.prove(&crate::Evidence { exercises: "weighted graders, weights of 0, points out of ten, items; suites of another tool by `rubric import promptfoo`", program: "written by the test from the recorded graders", headlines: &["rubric.code-quality-multi-eval.score", "weighted-graders.equal-weights-default.score"], left_out: &[] });
    suites(&folder.join("agentv"));
}

/// The program that the recorded graders are, and what they judged. A grader whose assertions say how it came to its score is a
/// checklist, or criteria with points out of ten; one of weight 0 is judged and does not count.
fn program(graders: &[Json]) -> (String, Json) {
    let (mut declared, mut slots, mut observed) = (String::new(), Vec::new(), String::new());
    let mut judgments = Map::new();
    for (grader, n) in graders.iter().zip(1..) {
        let name = format!("grader{n}");
        let weight = grader.get("weight").map_or(1.0, number);
        let assertions = grader["assertions"].as_array().map_or(&[][..], Vec::as_slice);
        let passed: Vec<bool> = assertions.iter().map(|a| a["passed"] == true).collect();
        let share = passed.iter().filter(|passed| **passed).count() as f64 / passed.len().max(1) as f64;
        let points: Vec<Option<u64>> = assertions.iter().map(|a| out_of_ten(a["text"].as_str().unwrap())).collect();
        let value = if points.len() == 2 && points.iter().all(Option::is_some) {
            // Of the suite: `factual_accuracy` weighs 2, `brevity_and_clarity` 1.
            for (points, part) in points.iter().zip(["a", "b"]) {
                declared += &format!("criterion {name}{part}: int[0..10] \"Points\" {{\n  judge human\n}}\n");
                judgments.insert(format!("{name}{part}"), json!(points));
            }
            format!("weighted_mean(normalize({name}a) weight 2, normalize({name}b) weight 1)")
        } else if !passed.is_empty() && (share - number(&grader["score"])).abs() < 1e-12 {
            let items: String = (1..=passed.len()).map(|n| format!("  +1 a{n} \"Assertion {n} holds\"\n")).collect();
            declared += &format!("checklist {name} {{\n  judge human\n{items}}}\n");
            judgments.extend(passed.iter().zip(1..).map(|(met, n)| (format!("{name}.a{n}"), json!(met))));
            format!("fraction({name})")
        } else {
            declared += &format!("criterion {name}: score[0..1] \"How good is it?\" {{\n  judge human\n}}\n");
            judgments.insert(name.clone(), grader["score"].clone());
            name.clone()
        };
        if weight > 0.0 {
            slots.push(format!("{value} weight {weight}"));
        } else {
            declared += &format!("reduce idle{n} = mean({value})\n");
            observed += &format!("observe idle{n}\n");
        }
    }
    let score = format!("reduce score = weighted_mean({})", slots.join(", "));
    let text =
        format!("rubric graders\ncandidate answer: text\n{declared}{score}\nreadout pointwise = score\n{observed}");
    (text, json!({"id": "1", "answer": "(not recorded)", "judgments": judgments}))
}

/// `… Score: 9/10 (…)`.
fn out_of_ten(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("Score: ")?;
    rest.split_once("/10").and_then(|(points, _)| points.parse().ok())
}

/// The suites themselves come in as programs that check.
fn suites(folder: &Path) {
    for suite in ["rubric_suite.yaml", "deterministic-graders_suite.yaml"] {
        let out = tempfile::tempdir().unwrap();
        let programs = format!("{}/", path(&out.path().join("programs")));
        succeed(&["import", "promptfoo", path(&folder.join(suite)), "-o", &programs]);
        assert!(Path::new(&programs).read_dir().unwrap().count() > 3, "{suite}");
        succeed(&["check", programs.trim_end_matches('/')]);
    }
}
