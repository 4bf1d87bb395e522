//! An explanation as JSON (`grammar/why.schema.json`). Numbers that do not end are fractions in texts, as in traces.

use super::flip::{Flip, Lacking};
use super::{Explanation, NodeWhy, ReadoutWhy};
use crate::graph::NodeKind;
use crate::graph::Program;
use crate::graph::written::constant_type;
use crate::number::Number;
use crate::types::{Type, Value};
use serde_json::{Map, Value as Json, json};

/// The whole explanation of a record.
#[must_use]
pub fn whole(program: &Program, record: &str, ids: &[Option<String>], explained: &Explanation) -> Json {
    let names: Vec<&str> = ids.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let candidates: Vec<Json> = explained
        .ways
        .iter()
        .map(|(place, nodes)| {
            let mut map = Map::new();
            if let Some(Some(id)) = ids.get(*place) {
                map.insert("candidate".to_owned(), id.as_str().into());
            }
            map.insert("nodes".to_owned(), nodes.iter().map(|n| node(program, n)).collect());
            Json::Object(map)
        })
        .collect();
    let readouts: Vec<Json> = explained.readouts.iter().map(|r| readout(program, &names, explained, r)).collect();
    json!({
        "format": "rubric-why/1",
        "program": &*program.name,
        "record": record,
        "readouts": readouts,
        "candidates": candidates,
    })
}

fn number(n: &Number) -> Json {
    Value::Number(n.clone()).json_exact(&Type::UNIT)
}

fn judgment(explained: &Explanation, names: &[&str], variable: usize) -> Map<String, Json> {
    let mut map = Map::new();
    let Some(judgment) = explained.variables.get(variable) else { return map };
    map.insert("judgment".to_owned(), judgment.name.as_str().into());
    if let Some(id) = judgment.of.candidate.and_then(|place| names.get(place)).filter(|id| !id.is_empty()) {
        map.insert("candidate".to_owned(), (*id).into());
    }
    map
}

fn readout(program: &Program, names: &[&str], explained: &Explanation, why: &ReadoutWhy) -> Json {
    let Some(entry) = program.readouts.get(why.target.readout) else { return Json::Null };
    let mut map = Map::new();
    map.insert("readout".to_owned(), entry.key().into());
    if let Some(id) = why.target.candidate.and_then(|place| names.get(place)).filter(|id| !id.is_empty()) {
        map.insert("candidate".to_owned(), (*id).into());
    }
    map.insert("outcome".to_owned(), why.reading.outcome.json(&entry.ty, names));
    if why.reading.decided_by_bounds {
        map.insert("decided_by_bounds".to_owned(), true.into());
    }
    let flip = match &why.flip {
        Flip::Found { changes, outcome, least, at_least } => {
            let change = |(variable, to): &(usize, Value)| {
                let mut change = judgment(explained, names, *variable);
                if let Some(of) = explained.variables.get(*variable) {
                    let now = of.of.value.as_ref().map_or(Json::Null, |value| value.json_exact(&of.of.ty));
                    change.insert("from".to_owned(), now);
                    change.insert("to".to_owned(), to.json_exact(&of.of.ty));
                }
                Json::Object(change)
            };
            json!({
                "changes": changes.iter().map(change).collect::<Vec<_>>(),
                "outcome": outcome.json(&entry.ty, names),
                "smallest": least,
                "at_least": at_least,
            })
        }
        Flip::Never => json!({ "never": true }),
        Flip::Unfound { at_least } => json!({ "not_found": true, "at_least": at_least }),
        Flip::NotAsked => Json::Null,
    };
    if !flip.is_null() {
        map.insert("flip".to_owned(), flip);
    }
    if !why.lacking.is_empty() {
        let missing = |lacking: &Lacking| {
            let mut entry_map = judgment(explained, names, lacking.variable);
            if let Some(reason) = lacking.reason {
                entry_map.insert("reason".to_owned(), reason.word().into());
            }
            let ty = explained.variables.get(lacking.variable).map(|j| &j.of.ty);
            let decides = lacking.decides.iter().filter_map(|(value, outcome)| {
                Some(json!({ "value": value.json_exact(ty?), "outcome": outcome.json(&entry.ty, names) }))
            });
            entry_map.insert("decides_with".to_owned(), decides.collect());
            entry_map.insert("decides_alone".to_owned(), lacking.always.into());
            Json::Object(entry_map)
        };
        map.insert("missing".to_owned(), why.lacking.iter().map(missing).collect());
    }
    Json::Object(map)
}

fn node(program: &Program, why: &NodeWhy) -> Json {
    let mut map = Map::new();
    let Some(node) = program.node(why.node) else { return Json::Null };
    map.insert("node".to_owned(), (*node.name).into());
    match &why.value {
        Some(value) => map.insert("value".to_owned(), value.json_exact(&node.ty)),
        None => map.insert("bounds".to_owned(), why.bounds.as_str().into()),
    };
    let NodeKind::Operator(operation) = &node.kind else {
        map.insert("is".to_owned(), "judgment".into());
        return Json::Object(map);
    };
    map.insert("is".to_owned(), operation.op.word().into());
    if let Some(fired) = why.gate {
        map.insert("fired".to_owned(), fired.map_or(Json::Null, Json::Bool));
    }
    map.insert("contributions".to_owned(), why.how.word().into());
    let slots = why.slots.iter().map(|slot| {
        let mut entry = Map::new();
        entry.insert("port".to_owned(), slot.port.into());
        entry.insert("slot".to_owned(), slot.number.into());
        let source = slot.source.and_then(|id| program.node(id));
        if let Some(source) = source {
            entry.insert("node".to_owned(), (*source.name).into());
        }
        let ty = source.map_or_else(|| constant_type(program, operation, &node.ty, slot.port), |n| &n.ty);
        if let Some(value) = &slot.value {
            entry.insert("value".to_owned(), value.json_exact(ty));
        }
        if let Some(weight) = &slot.weight {
            entry.insert("weight".to_owned(), number(weight));
        }
        if let Some(value) = &slot.stand_in {
            entry.insert("stands_in".to_owned(), value.json_exact(ty));
        }
        if slot.left_out {
            entry.insert("left_out".to_owned(), true.into());
        }
        if let Some(contribution) = &slot.contribution {
            entry.insert("contribution".to_owned(), number(contribution));
        }
        if slot.decides {
            entry.insert("counts".to_owned(), true.into());
        }
        Json::Object(entry)
    });
    map.insert("slots".to_owned(), slots.collect());
    Json::Object(map)
}
