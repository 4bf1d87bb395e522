//! What was measured as JSON; `grammar/evaluation.schema.json` is the published schema.

use super::figure::{Figure, Measured, Reckoned};
use super::report::{Agreement, Averaged, Baseline, Combine, Grouped, OverRuns, Report, Run};
use serde_json::{Map, Value as Json, json};

/// The whole report.
#[must_use]
pub fn whole(report: &Report, labels: &str) -> Json {
    json!({
        "format": "rubric-evaluation/1",
        "readout": report.readout,
        "task": report.task.word(),
        "labels": labels,
        "annotators": report.annotators,
        "combine": word(report.combine),
        "bootstrap": {
            "resamples": report.plan.resamples, "seed": report.plan.seed, "confidence": report.plan.confidence,
        },
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
        "over_runs": report.over_runs.iter().map(over_runs).collect::<Vec<_>>(),
        "agreement": report.agreement.iter().map(agreement).collect::<Vec<_>>(),
        "notes": report.notes,
    })
}

fn word(combine: Combine) -> &'static str {
    match combine {
        Combine::Mean => "mean",
        Combine::Median => "median",
        Combine::Majority => "majority",
        Combine::Each => "each",
    }
}

fn run(run: &Run) -> Json {
    let c = &run.counts;
    let mut map = Map::new();
    map.insert("results".to_owned(), run.source.path.display().to_string().into());
    map.extend(run.source.run.map(|run| ("run".to_owned(), run.into())));
    map.insert(
        "counts".to_owned(),
        json!({
            "lines": c.lines, "unlabelled": c.unlabelled, "undecided_labels": c.undecided_labels,
            "tied_labels": c.tied_labels, "abstained": c.abstained, "open": c.open, "failed": c.failed,
            "compared": c.compared, "unused_labels": c.unused_labels,
        }),
    );
    map.insert("figures".to_owned(), list(&run.figures));
    let names: Vec<&Figure> = run.figures.iter().map(|one| &one.figure).collect();
    let baseline = |one: &Baseline| {
        let figures = names.iter().zip(&one.values).map(|(figure, value)| Json::Object(reckoned(figure, *value)));
        json!({ "baseline": one.key, "says": one.says, "figures": figures.collect::<Vec<_>>() })
    };
    map.insert("baselines".to_owned(), run.baselines.iter().map(baseline).collect());
    if let Some(confusion) = &run.confusion {
        map.insert("confusion".to_owned(), json!({ "values": confusion.values, "by_label": confusion.rows }));
    }
    if let Some((pairs, incomplete, figures)) = &run.orders {
        let orders = json!({ "pairs": pairs, "incomplete": incomplete, "figures": list(figures) });
        map.insert("orders".to_owned(), orders);
    }
    if !run.groups.is_empty() {
        map.insert("groups".to_owned(), run.groups.iter().map(|grouped| groups(grouped, &names)).collect());
    }
    Json::Object(map)
}

fn groups(grouped: &Grouped, names: &[&Figure]) -> Json {
    let within = |one: &Averaged| {
        let mut map = measured(&one.measured);
        map.insert("groups".to_owned(), one.groups.into());
        map.insert("skipped".to_owned(), one.skipped.into());
        Json::Object(map)
    };
    let each: Vec<Json> = grouped
        .groups
        .iter()
        .map(|group| {
            let figures = names.iter().zip(&group.values);
            let figures: Vec<Json> = figures.map(|(figure, value)| Json::Object(reckoned(figure, *value))).collect();
            json!({ "group": group.name, "rows": group.rows, "figures": figures })
        })
        .collect();
    json!({
        "field": grouped.field,
        "without": grouped.without,
        "within": grouped.within.iter().map(within).collect::<Vec<_>>(),
        "between": list(&grouped.between),
        "each": each,
    })
}

fn over_runs(one: &OverRuns) -> Json {
    let mut map = reckoned(&one.figure, one.mean);
    map.insert("runs".to_owned(), one.runs.into());
    if let Some(deviation) = one.deviation {
        map.insert("deviation".to_owned(), deviation.into());
    }
    Json::Object(map)
}

fn agreement(one: &Agreement) -> Json {
    json!({
        "of": one.of, "units": one.units, "complete": one.complete, "raters": one.raters, "figures": list(&one.figures),
    })
}

/// Figures with their intervals.
#[must_use]
pub fn list(figures: &[Measured]) -> Json {
    figures.iter().map(|one| Json::Object(measured(one))).collect()
}

fn measured(one: &Measured) -> Map<String, Json> {
    let mut map = reckoned(&one.figure, one.value);
    if let Some(interval) = &one.interval {
        map.insert("interval".to_owned(), json!([interval.low, interval.high]));
        if interval.undefined > 0 {
            map.insert("undefined_resamples".to_owned(), interval.undefined.into());
        }
    }
    map
}

fn reckoned(figure: &Figure, value: Reckoned) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("figure".to_owned(), figure.key.into());
    if let Some(class) = &figure.class {
        map.insert("class".to_owned(), class.as_str().into());
    }
    match value {
        Ok(value) => map.insert("value".to_owned(), value.into()),
        Err(why) => map.insert("undefined".to_owned(), why.word().into()),
    };
    map
}
