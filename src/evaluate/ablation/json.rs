//! An ablation as JSON.

use super::super::json::list;
use super::super::report::Options;
use super::{Ablation, Arm, Measured};
use crate::number::Number;
use serde_json::{Map, Value as Json, json};

/// An ablation as JSON; `grammar/ablation.schema.json` is the published schema.
#[must_use]
pub fn as_json(ablation: &Ablation, options: &Options, labels: &str) -> Json {
    let arm = |(arm, figures, silent): &(Arm, Vec<Measured>, u64)| json!({ "arm": arm.word(), "silent": silent, "figures": list(figures) });
    let difference = |(arm, figures): &(Arm, Vec<Measured>)| json!({ "to": arm.word(), "figures": list(figures) });
    let rule: Vec<Json> = ablation
        .rule
        .iter()
        .map(|(name, weight, inverted): &(String, Number, bool)| {
            let mut map = Map::new();
            map.insert("criterion".to_owned(), name.as_str().into());
            map.insert("weight".to_owned(), weight.to_f64().into());
            map.insert("inverted".to_owned(), (*inverted).into());
            Json::Object(map)
        })
        .collect();
    json!({
        "format": "rubric-ablation/1",
        "readout": ablation.readout,
        "task": ablation.task.word(),
        "labels": labels,
        "bootstrap": {
            "resamples": options.plan.resamples, "seed": options.plan.seed, "confidence": options.plan.confidence,
        },
        "counts": {
            "compared": ablation.compared, "labelled": ablation.labelled, "unlabelled": ablation.unlabelled,
            "failed": ablation.failed,
        },
        "arms": ablation.arms.iter().map(arm).collect::<Vec<_>>(),
        "differences": ablation.differences.iter().map(difference).collect::<Vec<_>>(),
        "rule": rule,
        "left_out": ablation.left_out,
    })
}
