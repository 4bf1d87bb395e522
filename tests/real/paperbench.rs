//! PaperBench: weighted trees to depth 7.

use crate::{Expected, data, json_lines, number, path, read, run, run_traced, succeed};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::path::Path;

/// The nodes of a tree, parents first: (id, node, depth).
fn walk(node: &Json, depth: usize, out: &mut Vec<(Json, usize)>) {
    out.push((node.clone(), depth));
    for child in node["sub_tasks"].as_array().into_iter().flatten() {
        walk(child, depth + 1, out);
    }
}

fn is_leaf(node: &Json) -> bool {
    node["sub_tasks"].as_array().is_none_or(Vec::is_empty)
}

#[test]
fn scores_shares_and_shapes() {
    let Some(folder) = data("paperbench") else { return };
    let mut expected = Expected::of(&folder);
    for kind in ["graded", "rubrics"] {
        let mut files: Vec<_> = folder.join(kind).read_dir().unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for file in files {
            let paper = file.file_stem().unwrap().to_str().unwrap().to_owned();
            tree(&mut expected, &file, &format!("{kind}.{paper}"), kind == "graded");
        }
    }
    expected.prove(&crate::Evidence {
        exercises: "trees of weighted means of up to 1,146 nodes, exact fractions",
        program: "imported (`rubric import paperbench`)",
        headlines: &[
            "graded.semantic-self-consistency.score",
            "graded.stay-on-topic-with-classifier-free-guidance.score",
        ],
        left_out: &[],
    });
}

fn tree(expected: &mut Expected, file: &Path, name: &str, graded: bool) {
    let out = tempfile::tempdir().unwrap();
    let (program, records) = (out.path().join("paper.rubric"), out.path().join("records.jsonl"));
    let mut args = vec!["import", "paperbench", path(file), "-o", path(&program)];
    if graded {
        args.extend(["--records", path(&records)]);
    }
    succeed(&args);
    succeed(&["check", path(&program)]);
    let tree: Json = serde_json::from_str(&read(file)).unwrap();
    let mut nodes = Vec::new();
    walk(&tree, 0, &mut nodes);
    let leaves: Vec<&Json> = nodes.iter().map(|(n, _)| n).filter(|n| is_leaf(n)).collect();
    let depth = nodes.iter().map(|(_, d)| *d).max().unwrap();
    expected.check(&format!("{name}.shape"), json!([nodes.len(), leaves.len(), depth]));

    // The items of the program stand in the order of the tree's leaves.
    let items = items(&program);
    assert_eq!(items.len(), leaves.len());
    let prefix = format!("{name}.share.");
    for share in expected.names(|n| n.starts_with(&prefix)) {
        let category = share.trim_start_matches(&prefix).replace('_', " ");
        let judgments: Map<String, Json> = items
            .iter()
            .zip(&leaves)
            .map(|(item, leaf)| {
                let met = leaf["task_category"].as_str().unwrap().to_lowercase() == category;
                (item.clone(), Json::Bool(met))
            })
            .collect();
        let results = run(&program, &[json!({"id": share, "judgments": judgments})]);
        expected.check(&share, results[0]["readouts"]["pointwise"].clone());
    }
    if graded {
        graded_tree(expected, &program, &records, name, &nodes);
    }
}

/// The checklist items of a program, as `paper.ID`, in file order.
fn items(program: &Path) -> Vec<String> {
    let built = succeed(&["build", path(program), "-o", "-"]);
    let built: Json = serde_json::from_slice(&built.stdout).unwrap();
    let is_item = |node: &Json| node["id"].as_str().is_some_and(|id| id.starts_with("paper."));
    built["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|n| is_item(n))
        .map(|n| n["id"].as_str().unwrap().to_owned())
        .collect()
}

fn graded_tree(expected: &mut Expected, program: &Path, records: &Path, name: &str, nodes: &[(Json, usize)]) {
    let out = tempfile::tempdir().unwrap();
    let trace = out.path().join("trace.jsonl");
    let results = run_traced(program, &json_lines(records), Some(&trace));
    expected.check(&format!("{name}.score"), results[0]["readouts"]["pointwise"].clone());
    succeed(&["replay", path(&trace)]);

    // Every inner node's score, out of the trace, beside the published one.
    let values = node_values(&trace);
    let inner: Vec<&Json> = nodes.iter().map(|(n, _)| n).filter(|n| !is_leaf(n)).collect();
    let equal = inner
        .iter()
        .filter(|node| {
            let id = rubric_lang::import::names::name_of(node["id"].as_str().unwrap());
            let ours = values.iter().find(|(k, _)| k.rsplit('.').next() == Some(id.as_str()));
            let ours = ours.map_or_else(|| values["replication"], |(_, v)| *v);
            (ours - number(&node["score"])).abs() <= 1e-12
        })
        .count();
    expected.check(&format!("{name}.inner_nodes_equal"), json!([equal, inner.len()]));
}

/// The numbers of all `replication…` nodes of the one record in a trace.
fn node_values(trace: &Path) -> HashMap<String, f64> {
    let mut values = HashMap::new();
    for line in json_lines(trace) {
        collect(&line, &mut values);
    }
    assert!(
        values.contains_key("replication"),
        "no node values in {}",
        read(trace).chars().take(2000).collect::<String>()
    );
    values
}

/// Finds `{"node": NAME, …, "out": VALUE}` wherever it stands in the line.
fn collect(json: &Json, values: &mut HashMap<String, f64>) {
    match json {
        Json::Object(map) => {
            if let (Some(Json::String(name)), Some(value)) = (map.get("node"), map.get("out"))
                && name.starts_with("replication")
            {
                values.insert(name.clone(), exact(value));
            }
            map.values().for_each(|v| collect(v, values));
        }
        Json::Array(list) => list.iter().for_each(|v| collect(v, values)),
        _ => {}
    }
}

fn exact(value: &Json) -> f64 {
    match value {
        Json::String(text) => {
            let (n, d) = text.split_once('/').unwrap();
            n.parse::<f64>().unwrap() / d.parse::<f64>().unwrap()
        }
        other => number(other),
    }
}
