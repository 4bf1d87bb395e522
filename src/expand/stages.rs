//! All stages of an expansion as JSON, under Qworld's names of keys where it has them, with the lineage beside them.
//!
//! `grammar/expansion.schema.json` is its schema. Ids are places counted from 1: `s1`, `p1`, `c1`, `rp1` and `rc1` for raw ones.

use super::input::Question;
use super::tree::{Criterion, Expansion, Perspective, Places};
use super::{Fault, Settings};
use serde_json::{Map, Value as Json, json};

/// The stages, as far as they came.
#[must_use]
pub fn json(question: &Question, settings: &Settings, expansion: &Expansion, fault: Option<&Fault>) -> Json {
    let mut out = Map::new();
    let mut put = |key: &str, value: Json| out.insert(key.to_owned(), value);
    put("format", json!("rubric-expansion/1"));
    put("id", json!(question.id));
    put("question", json!(question.question));
    put("settings", settings_json(settings));
    put("models", json!(expansion.models));
    put("calls", json!({"questions": expansion.calls.questions, "again": expansion.calls.again}));
    let scenarios = expansion.scenarios.iter().zip(1..).map(|(s, n)| {
        json!({"scenario_id": format!("s{n}"), "scenario_name": s.name, "scenario_description": s.description, "expand_iteration": s.round})
    });
    put("scenarios", scenarios.collect());
    put("raw_perspectives", perspectives(&expansion.raw_perspectives, "rp", false));
    put("reviewed_perspectives", perspectives(&expansion.perspectives, "p", true));
    put("raw_criteria", criteria(expansion, &expansion.raw_criteria, "rc", false));
    put("reviewed_criteria", criteria(expansion, &expansion.reviewed_criteria, "vc", true));
    put("final_criteria", criteria(expansion, &expansion.criteria, "c", true));
    let dropped = expansion.dropped.iter().map(|d| json!({"stage": d.stage, "text": d.text, "reason": d.reason}));
    put("dropped", dropped.collect());
    let dedup = expansion.dedup;
    put(
        "dedup_stats",
        json!({"before": dedup.before, "after": dedup.after, "after_review": dedup.after_review,
               "expanded": dedup.expanded, "final": dedup.last}),
    );
    let reworded =
        expansion.reworded.iter().map(|(place, was)| json!({"criterion_id": format!("c{}", place + 1), "was": was}));
    put("facts_reworded", reworded.collect());
    let facts =
        expansion.facts.iter().map(|(place, facts)| json!({"criterion_id": format!("c{}", place + 1), "facts": facts}));
    put("facts_left", facts.collect());
    if let Some(fault) = fault {
        put("error", json!({"step": fault.step, "reason": fault.to_string()}));
    }
    Json::Object(out)
}

fn settings_json(settings: &Settings) -> Json {
    json!({
        "scenario_rounds": settings.scenario_rounds,
        "perspective_rounds": settings.perspective_rounds,
        "criterion_rounds": settings.criterion_rounds,
        "similarity": settings.similarity.as_deref().unwrap_or("lexical"),
        "threshold": settings.threshold,
        "single": settings.single,
    })
}

fn ids(letters: &str, places: &Places) -> Json {
    places.iter().map(|place| Json::String(format!("{letters}{}", place + 1))).collect()
}

fn perspectives(list: &[Perspective], letters: &str, reviewed: bool) -> Json {
    let one = |(p, n): (&Perspective, u32)| {
        let mut one = json!({
            "perspective_id": format!("{letters}{n}"),
            "perspective_name": p.name,
            "perspective_description": p.description,
            "scenario_ids": ids("s", &p.scenarios),
            "expand_iteration": p.round,
        });
        if let (true, Some(one)) = (reviewed, one.as_object_mut()) {
            one.insert("from".to_owned(), ids("rp", &p.raw));
        }
        one
    };
    list.iter().zip(1..).map(one).collect()
}

fn criteria(expansion: &Expansion, list: &[Criterion], letters: &str, reviewed: bool) -> Json {
    let one = |(c, n): (&Criterion, u32)| {
        let mut one = json!({
            "criterion_id": format!("{letters}{n}"),
            "criterion": c.text,
            "points": c.points,
            "reasoning": c.reasoning,
            "perspective_ids": ids("p", &c.perspectives),
            "scenario_ids": ids("s", &expansion.scenarios_of(c)),
            "expand_iteration": c.round,
        });
        if let (true, Some(one)) = (reviewed, one.as_object_mut()) {
            one.insert("from".to_owned(), ids("rc", &c.raw));
        }
        one
    };
    list.iter().zip(1..).map(one).collect()
}
