//! A rubric for each instance, and gradings that one model made three times.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, path, readout, run, succeed};
use serde_json::{Value as Json, json};

#[test]
fn medians_of_three_gradings() {
    let Some(folder) = data("prometheus_gpt4") else { return };
    let mut expected = Expected::of(&folder);
    let items = json_lines(&folder.join("items.jsonl"));
    for benchmark in ["mt_bench", "vicuna"] {
        let of: Vec<&Json> = items.iter().filter(|item| item["benchmark"] == benchmark).collect();
        expected.check(&format!("{benchmark}.items"), of.len());
        let record = |item: &&Json, values: Json| {
            json!({"id": item["id"], "instruction": item["instruction"], "response": "(in the instruction)",
                "judgments": {"grade": {"values": values}}})
        };
        let all: Vec<Json> = of.iter().map(|item| record(item, item["gpt4_score"].clone())).collect();
        let lines = run(&ours("prometheus_gpt4.rubric"), &all);
        let medians: f64 = lines.iter().map(|line| readout(line, "pointwise")).sum();
        let scores = |item: &Json| item["gpt4_score"].as_array().unwrap().iter().map(number).collect::<Vec<f64>>();
        let sum: f64 = of.iter().flat_map(|item| scores(item)).sum();
        expected.check(&format!("{benchmark}.median_mean"), json!([medians, sum]));
        let equal = |item: &&&Json| scores(item).windows(2).all(|two| two[0] == two[1]);
        expected.check(&format!("{benchmark}.three_equal"), of.iter().filter(equal).count());
        // The gradings as three runs, each measured against another.
        let one = |n: usize| {
            let single: Vec<Json> = of.iter().map(|item| record(item, json!([item["gpt4_score"][n]]))).collect();
            run(&ours("prometheus_gpt4.rubric"), &single)
        };
        let runs = [one(0), one(1), one(2)];
        let r = |a: usize, b: usize| {
            let labels: Vec<Json> =
                runs[b].iter().map(|line| json!({"id": line["id"], "label": line["readouts"]["pointwise"]})).collect();
            number(&figure(&eval(&runs[a], &Labels::Rows(&labels), &[])["runs"][0]["figures"], "pearson"))
        };
        expected.check(&format!("{benchmark}.pairwise_pearson"), (r(0, 1) + r(0, 2) + r(1, 2)) / 3.0);
    }
    let rubrics = json_lines(&folder.join("rubrics.jsonl"));
    expected.check("rubrics", rubrics.len());
    expected.check("rubrics.complete", imported(&folder.join("rubrics.jsonl")));
    expected.prove(&crate::Evidence { exercises: "a criterion for each instance with five described levels (`rubric import prometheus`), the median of three samples", program: "`tests/real/programs/prometheus_gpt4.rubric`, and the imported ones", headlines: &["mt_bench.three_equal", "vicuna.three_equal", "mt_bench.pairwise_pearson"], left_out: &[] });
}

/// How many rubrics come in as a program of one criterion with five described levels.
fn imported(file: &std::path::Path) -> usize {
    let out = tempfile::tempdir().unwrap();
    let folder = format!("{}/", path(&out.path().join("programs")));
    succeed(&["import", "prometheus", path(file), "-o", &folder]);
    let programs = std::path::Path::new(&folder).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let whole = |program: &std::path::PathBuf| {
        let graph: Json = serde_json::from_slice(&succeed(&["build", path(program)]).stdout).unwrap();
        let nodes = graph["nodes"].as_array().unwrap();
        let criteria: Vec<&Json> = nodes.iter().filter(|node| node["kind"] == "criterion").collect();
        matches!(criteria.as_slice(), [only] if only["type"] == "int[1..5]" && levels(only) == 5)
    };
    programs.filter(whole).count()
}

fn levels(criterion: &Json) -> usize {
    match &criterion["levels"] {
        Json::Array(list) => list.len(),
        Json::Object(map) => map.len(),
        _ => 0,
    }
}
