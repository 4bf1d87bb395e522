//! DSG: 1,060 graphs of questions that depend on each other, and the answers of a model about images.

use crate::{Expected, data, json_lines, number, ours, path, read, readout, rubric, run, stats, succeed, table};
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashMap};

#[test]
fn defective_graphs_are_found_and_named() {
    let Some(folder) = data("dsg") else { return };
    let out = tempfile::tempdir().unwrap();
    let questions = folder.join("questions.csv");
    let output = rubric(&["import", "dsg", path(&questions), "-o", path(out.path())]);
    assert_eq!(output.status.code(), Some(1), "an import of defective graphs must fail");
    assert!(out.path().read_dir().unwrap().next().is_none(), "nothing may be written by an import that fails");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // Found by an independent reading of the file: a parent that does not exist, a question that depends on itself,
    // a circle, a cell that is no number.
    for (item, row, code) in [
        ("tifa160_134", 3593, "R1003"),
        ("tifa160_134", 3600, "R1003"),
        ("localized_narratives_34", 1105, "R1004"),
        ("tifa160_144", 7231, "R1004"),
        ("diffusiondb_71", 7969, "R1004"),
        ("posescript_69", 185, "R1006"),
        ("tifa160_67", 4701, "R1006"),
    ] {
        let named = said.lines().any(|l| l.contains(&format!("item `{item}`, row {row}:")) && l.contains(code));
        assert!(named, "{item}, row {row}, {code} is not named");
    }
    for item in ["drawtext_45", "diffusiondb_16", "localized_narratives_50"] {
        assert!(
            said.lines().any(|l| l.contains(&format!("item `{item}`")) && l.contains("R1005")),
            "{item} has a circle"
        );
    }
    let count = |code: &str| said.lines().filter(|l| l.contains(code) && l.contains("item `")).count();
    assert_eq!([count("R1003"), count("R1004"), count("R1006")], [8, 44, 10]);
}

#[test]
fn correlations_with_people() {
    let Some(folder) = data("dsg") else { return };
    let mut expected = Expected::of(&folder);
    let out = tempfile::tempdir().unwrap();
    let (programs, records) = (out.path().join("programs"), out.path().join("images.jsonl"));
    let (results, trace) = (out.path().join("results.jsonl"), out.path().join("trace.jsonl"));
    let (questions, answers) = (folder.join("questions.csv"), folder.join("answers_mplug_dsg.csv"));
    succeed(&[
        "import",
        "dsg",
        path(&questions),
        "-o",
        path(&programs),
        "--mend",
        "--answers",
        path(&answers),
        "--records",
        path(&records),
    ]);
    succeed(&["run", path(&programs), "--data", path(&records), "-o", path(&results), "--trace", path(&trace)]);
    let rows = table(&questions);
    expected.check("questions", rows.len());
    let items: BTreeSet<&String> = rows.iter().map(|r| &r["item_id"]).collect();
    expected.check("items", items.len());
    assert_eq!(programs.read_dir().unwrap().count(), items.len());

    let given = table(&answers);
    let count = |wanted: &dyn Fn(&str) -> bool| given.iter().filter(|r| wanted(&r["answer"])).count();
    let others = count(&|a| a != "yes" && a != "no");
    expected.check("mplug.dsg.answers", json!([given.len(), count(&|a| a == "yes"), count(&|a| a == "no"), others]));

    let mut scores: HashMap<String, (f64, f64)> = HashMap::new();
    for line in json_lines(&results) {
        let of = |key: &str| number(&line["readouts"][key]);
        scores.insert(line["id"].as_str().unwrap().to_owned(), (of("pointwise"), of("without_parents")));
    }
    let human = human(&table(&folder.join("human_likert.csv")));
    expected.check("images", human.len());
    let rated: Vec<f64> = human.iter().map(|(_, r)| *r).collect();
    expected.check("human.mean", stats::mean(&rated));
    let column = |f: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        human.iter().map(|(image, _)| scores.get(image).map_or(0.0, f)).collect()
    };
    let (raw, flat) = (column(&|s| s.0), column(&|s| s.1));
    for (rule, column) in [("raw", &raw), ("none", &flat)] {
        expected.check(&format!("mplug.dsg.{rule}.spearman"), stats::spearman(column, &rated));
        expected.check(&format!("mplug.dsg.{rule}.kendall"), stats::kendall(column, &rated));
        expected.check(&format!("mplug.dsg.{rule}.mean"), stats::mean(column));
    }
    let answered: Vec<(f64, f64)> =
        human.iter().filter_map(|(image, r)| scores.get(image).map(|s| (s.0, *r))).collect();
    expected.check("mplug.dsg.images_with_answers", answered.len());
    let (x, y): (Vec<f64>, Vec<f64>) = answered.into_iter().unzip();
    expected.check("mplug.dsg.raw.answered_only.spearman", stats::spearman(&x, &y));
    expected.check("mplug.dsg.raw.answered_only.kendall", stats::kendall(&x, &y));
    expected.check("mplug.dsg.zeroed.raw", zeroed(&read(&trace)));
    succeed(&["replay", path(&trace)]);
    without_graph(&mut expected, &folder, &human);
    expected.prove(&crate::Evidence { exercises: "gates by parents, mean of what is left, an answer in words to yes/no, faulty graphs for the checker", program: "imported (`rubric import dsg`), one for each prompt; `tests/real/programs/vq2a.rubric` for questions without a graph", headlines: &["mplug.dsg.raw.spearman", "mplug.dsg.none.spearman", "mplug.vq2a.spearman"], left_out: &[] });
}

/// Questions that come with each image and do not depend on each other: the share that is answered yes.
fn without_graph(expected: &mut Expected, folder: &std::path::Path, human: &[(String, f64)]) {
    let answers = table(&folder.join("answers_mplug_vq2a.csv"));
    let count = |wanted: &str| answers.iter().filter(|r| r["answer"] == wanted).count();
    let (yes, no) = (count("yes"), count("no"));
    expected.check("mplug.vq2a.answers", json!([answers.len(), yes, no, answers.len() - yes - no]));
    let mut images: HashMap<String, Vec<(&str, bool)>> = HashMap::new();
    for row in &answers {
        let image = format!("{}/{}", row["t2i_model"], row["item_id"]);
        images.entry(image).or_default().push((&row["question"], row["answer"] == "yes"));
    }
    let record = |(image, questions): (&String, &Vec<(&str, bool)>)| {
        let numbered = || questions.iter().zip(1..);
        let items: Vec<Json> =
            numbered().map(|((text, _), n)| json!({"id": format!("q{n}"), "criterion": text, "points": 1})).collect();
        let met: serde_json::Map<String, Json> =
            numbered().map(|((_, met), n)| (format!("asked.q{n}"), json!(met))).collect();
        json!({"id": image, "questions": items, "image": "(elsewhere)", "judgments": met})
    };
    let lines = run(&ours("vq2a.rubric"), &images.iter().map(record).collect::<Vec<Json>>());
    let shares: HashMap<&str, f64> =
        lines.iter().map(|line| (line["id"].as_str().unwrap(), readout(line, "pointwise"))).collect();
    // An image without answers counts as 0, as the set's page says.
    let column: Vec<f64> = human.iter().map(|(image, _)| shares.get(image.as_str()).copied().unwrap_or(0.0)).collect();
    let rated: Vec<f64> = human.iter().map(|(_, r)| *r).collect();
    expected.check("mplug.vq2a.spearman", stats::spearman(&column, &rated));
    expected.check("mplug.vq2a.kendall", stats::kendall(&column, &rated));
}

/// The mean rating of every image, in a stable order.
fn human(rows: &[HashMap<String, String>]) -> Vec<(String, f64)> {
    let mut by_image: std::collections::BTreeMap<String, Vec<f64>> = std::collections::BTreeMap::new();
    for row in rows {
        let image = format!("{}/{}", row["t2i_model"], row["item_id"]);
        by_image.entry(image).or_default().push(row["answer"].parse().unwrap());
    }
    by_image.into_iter().map(|(image, ratings)| (image, stats::mean(&ratings))).collect()
}

/// How many yes answers a gate set to no, over all images of the trace.
fn zeroed(trace: &str) -> usize {
    let mut zeroed = 0;
    for line in trace.lines() {
        let mut nodes = HashMap::new();
        outputs(&serde_json::from_str(line).unwrap(), &mut nodes);
        let gated = nodes.iter().filter_map(|(name, value)| Some((name.strip_prefix("on")?, value)));
        zeroed += gated
            .filter(|(n, value)| **value == Json::Bool(false) && nodes.get(&format!("q{n}")) == Some(&Json::Bool(true)))
            .count();
    }
    zeroed
}

fn outputs(json: &Json, nodes: &mut HashMap<String, Json>) {
    match json {
        Json::Object(map) => {
            if let (Some(Json::String(name)), Some(value)) = (map.get("node"), map.get("out").or(map.get("value"))) {
                nodes.insert(name.clone(), value.clone());
            }
            map.values().for_each(|v| outputs(v, nodes));
        }
        Json::Array(list) => list.iter().for_each(|v| outputs(v, nodes)),
        _ => {}
    }
}
