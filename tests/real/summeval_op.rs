//! Opinion summaries by three experts in seven dimensions: means per system, and how far the experts agree.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, path, read, run, stats, succeed};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fs;

const DIMENSIONS: [&str; 7] = ["fl", "co", "re", "fa", "ac", "sc", "sp"];

#[test]
fn means_of_experts_and_their_agreement() {
    let Some(folder) = data("summeval_op") else { return };
    let mut expected = Expected::of(&folder);
    let products = json_lines(&folder.join("annotated.jsonl"));
    let mut records = Vec::new();
    let mut ratings = Vec::new();
    for product in &products {
        let reviews: Vec<&str> =
            product["reviews"].as_array().unwrap().iter().map(|review| review.as_str().unwrap()).collect();
        for summary in product["summaries"].as_array().unwrap() {
            let id = format!("{} {}", product["product"], summary["system"].as_str().unwrap());
            let mut judgments = Map::new();
            for dimension in DIMENSIONS {
                let values = &summary["human"][dimension];
                judgments.insert(dimension.into(), json!({ "values": values }));
                for (value, by) in values.as_array().unwrap().iter().zip(["a", "b", "c"]) {
                    ratings.push(json!({"id": format!("{id} {dimension}"), "by": by, "label": value}));
                }
            }
            records.push(json!({
                "id": id, "reviews": reviews.join("\n\n"), "summary": summary["summary"], "judgments": judgments,
                "tags": {"system": summary["system"]},
            }));
        }
    }
    expected.check("products", json!([products.len(), records.len()]));
    let lines = run(&ours("summeval_op.rubric"), &records);
    let mut systems: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
    for line in &lines {
        systems.entry(line["tags"]["system"].as_str().unwrap()).or_default().push(line);
    }
    for (system, lines) in systems {
        let mean = |dimension: &&str| {
            stats::mean(&lines.iter().map(|line| number(&line["observed"][*dimension])).collect::<Vec<f64>>())
        };
        expected.check(&format!("system.{system}"), json!(DIMENSIONS.iter().map(mean).collect::<Vec<f64>>()));
    }
    // Each dimension of a summary is a unit that three experts rated; the results are what they are compared with.
    let units: Vec<Json> = lines
        .iter()
        .flat_map(|line| {
            let id = line["id"].as_str().unwrap();
            DIMENSIONS.map(|dimension| {
                json!({"id": format!("{id} {dimension}"), "status": "decided",
                    "readouts": {"pointwise": line["observed"][dimension]}})
            })
        })
        .collect();
    let report = eval(&units, &Labels::Rows(&ratings), &[]);
    let agreement = &report["agreement"][0];
    assert_eq!(agreement["units"], records.len() * DIMENSIONS.len());
    expected.check("alpha.ordinal", figure(&agreement["figures"], "alpha_ordinal"));
    expected.check("alpha.interval", figure(&agreement["figures"], "alpha_interval"));
    expected.check("prompts", prompts(&folder.join("prompts")));
    expected.prove(&crate::Evidence {
        exercises: "means of raters on anchored levels, agreement of raters",
        program: "`tests/real/programs/summeval_op.rubric`",
        headlines: &["alpha.ordinal", "alpha.interval", "system.gpt-4"],
        left_out: &[],
    });
}

/// How many prompts there are, and how many of them make a criterion whose five levels are described.
fn prompts(folder: &std::path::Path) -> Json {
    let out = tempfile::tempdir().unwrap();
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let whole = |file: &&std::path::PathBuf| {
        let text = read(file);
        let level = |n: usize| {
            let (_, rest) = text.split_once(&format!("<score>{n}</score> - "))?;
            Some(format!("  level {n} {}\n", Json::from(rest.lines().next()?.trim()).to_string().replace('{', "\\{")))
        };
        let levels: Option<String> = (1..=5).map(level).collect();
        let Some(levels) = levels else { return false };
        let program = out.path().join("prompt.rubric");
        let criterion = format!("criterion level: int[1..5] \"Which level does the summary reach?\" {{\n{levels}}}");
        let fields = "input reviews: text\ncandidate summary: text";
        fs::write(&program, format!("rubric prompt\n{fields}\n{criterion}\nreadout pointwise = level\n")).unwrap();
        succeed(&["check", path(&program)]).status.success()
    };
    json!([files.len(), files.iter().filter(whole).count()])
}
