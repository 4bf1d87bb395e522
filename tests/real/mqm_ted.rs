//! MQM on TED talks: demerits of marked errors, 7,406 published segment scores.

use crate::{Expected, data, program, readout, run, table};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};

#[test]
fn every_published_segment_score() {
    let (Some(folder), Some(program)) = (data("mqm_ted"), program("mqm_ted.rubric")) else { return };
    let mut expected = Expected::of(&folder);
    let rows = table(&folder.join("ende_errors.tsv"));
    expected.check("error_rows", rows.len());
    let count = |s: &str| rows.iter().filter(|r| r["severity"] == s).count();
    expected.check(
        "severities",
        json!([["Major", count("Major")], ["Minor", count("Minor")], ["No-error", count("No-error")]]),
    );

    // One record per segment and rater; the errors of one are its judgment.
    let mut errors: BTreeMap<(String, u32, String), Vec<&str>> = BTreeMap::new();
    for row in &rows {
        let marked =
            errors.entry((row["system"].clone(), row["seg_id"].parse().unwrap(), row["rater"].clone())).or_default();
        match (row["severity"].as_str(), row["category"].as_str()) {
            ("No-error" | "Neutral", _) => {}
            (_, "Non-translation") => marked.push("non_translation"),
            ("Major", _) => marked.push("major"),
            ("Minor", "Fluency/Punctuation") => marked.push("punctuation"),
            ("Minor", _) => marked.push("minor"),
            other => panic!("{other:?}"),
        }
    }
    let records: Vec<Json> = errors
        .iter()
        .map(|((system, segment, rater), marked)| {
            json!({"id": format!("{system}/{segment}/{rater}"), "judgments": {"errors": marked}})
        })
        .collect();
    let results = run(&program, &records);
    assert_eq!(results.len(), records.len());

    let mut segments: BTreeMap<(String, u32), Vec<f64>> = BTreeMap::new();
    for ((system, segment, _), line) in errors.keys().zip(&results) {
        segments.entry((system.clone(), *segment)).or_default().push(readout(line, "pointwise"));
    }
    expected.check("segments_two_raters", segments.values().filter(|s| s.len() > 1).count());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let published = table(&folder.join("ende_segment_scores.tsv"));
    let scored: Vec<&HashMap<String, String>> = published.iter().filter(|r| !r["score"].is_empty()).collect();
    let equal = scored
        .iter()
        .filter(|r| {
            let ours = segments.get(&(r["system"].clone(), r["seg_id"].parse().unwrap()));
            ours.is_some_and(|s| (mean(s) - r["score"].parse::<f64>().unwrap()).abs() <= 5e-6)
        })
        .count();
    expected.check("segments_equal", json!([equal, scored.len()]));

    let mut systems: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for ((system, _), scores) in &segments {
        systems.entry(system).or_default().push(mean(scores));
    }
    let mut ranking: Vec<(&String, f64)> = systems.iter().map(|(s, v)| (*s, mean(v))).collect();
    for (system, score) in &ranking {
        expected.check(&format!("system.{system}"), *score);
    }
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    expected.check("ranking", ranking.iter().map(|(s, _)| Json::String((*s).clone())).collect::<Vec<_>>());
    expected.prove(&crate::Evidence {
        exercises: "labels mapped to demerits, sums and means below 0, ranking",
        program: "the shared program `mqm_ted.rubric`",
        headlines: &["segments_equal", "system.Facebook-AI"],
        left_out: &[],
    });
}
