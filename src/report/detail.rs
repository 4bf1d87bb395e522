//! How one candidate came to its result: its judgments with who gave them and what they quote, what was computed from them,
//! the gates that fired, the way that decided.

use super::text::{cleaned, value};
use crate::catalog::NodeId;
use crate::graph::draw::Said;
use crate::run::engine::Engine;
use crate::run::judgment::{Basis, JudgedLeaf};
use crate::run::replay::find::Located;
use crate::run::{Leaf, Missing};
use crate::why::NodeWhy;
use crate::why::slots::How;
use crate::why::way;
use serde::Serialize;
use serde_json::Value as Json;

/// Slots of a sum that are told one by one.
const MOST_PARTS: usize = 60;

/// A candidate's way to its result. Nodes are named by their place among the program's nodes; readouts follow the nodes.
#[derive(Debug, Clone, Serialize)]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    /// The place of its program among those of the report.
    pub program: usize,
    pub judged: Vec<Judgment>,
    pub computed: Vec<Computed>,
    pub way: Vec<usize>,
    /// The names of the gates that fired.
    pub fired: Vec<String>,
    /// What nodes and readouts came to, for the picture.
    pub values: Vec<(usize, String)>,
}

/// A judgment.
#[derive(Debug, Clone, Serialize)]
pub struct Judgment {
    pub node: usize,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<String>,
    /// The value that counts, or why there is none.
    pub value: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// `rule`, `does not apply`; empty: somebody judged it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub basis: &'static str,
    /// A quote that does not stand in the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
}

/// What one judge said.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// A node that computes.
#[derive(Debug, Clone, Serialize)]
pub struct Computed {
    pub node: usize,
    pub name: String,
    /// What it does, as it is written.
    pub does: String,
    pub value: String,
    /// Of a gate: whether it fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired: Option<bool>,
    /// Of sums and means, what each slot gave: name, value, contribution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<(String, String, String)>,
}

/// The details of the candidates at some places, each with its place.
pub(super) fn details(
    engine: &Engine,
    program: usize,
    id: &str,
    located: &Located,
    places: &[usize],
) -> Vec<(usize, Detail)> {
    let ways = way::ways(engine, &located.judged, places);
    ways.iter().map(|(place, nodes)| (*place, detail(engine, program, id, located, (*place, nodes)))).collect()
}

fn detail(engine: &Engine, program: usize, id: &str, located: &Located, (place, nodes): (usize, &[NodeWhy])) -> Detail {
    let said: Said = way::pictured(engine, id, &located.candidates, &located.outcomes, (place, nodes));
    let own = located.judged.own.get(place).map_or(&[][..], Vec::as_slice);
    let judged = located.judged.shared.iter().chain(own).flat_map(|leaf| judgments(engine, leaf)).collect();
    let mut way: Vec<usize> = said.way.into_iter().collect();
    way.sort_unstable();
    let mut values: Vec<(usize, String)> = said.values.into_iter().map(|(at, text)| (at, cleaned(&text))).collect();
    values.sort_unstable();
    let fired = nodes.iter().filter(|node| node.gate == Some(Some(true))).map(|node| node.name.clone()).collect();
    let computed = nodes.iter().filter(|node| !node.whole.is_empty() && shown(node));
    Detail {
        candidate: located.candidates.get(place).cloned().flatten().map(|id| cleaned(&id)),
        program,
        judged,
        computed: computed.map(|node| computed_of(engine, nodes, node)).collect(),
        way,
        fired,
        values,
    }
}

/// What stands inside its reader is told where it puts several judgments together.
fn shown(node: &NodeWhy) -> bool {
    node.named || node.slots.iter().filter(|slot| slot.source.is_some()).count() > 1
}

fn computed_of(engine: &Engine, nodes: &[NodeWhy], node: &NodeWhy) -> Computed {
    let mut parts: Vec<_> = node.slots.iter().filter(|_| node.how == How::Summands).collect();
    parts.sort_by_key(|slot| std::cmp::Reverse(slot.contribution.as_ref().map(crate::number::Number::abs)));
    let part = |slot: &&crate::why::slots::Slot| {
        let source = nodes.iter().find(|other| Some(other.node) == slot.source)?;
        let gives = match &slot.contribution {
            _ if slot.left_out => "left out".to_owned(),
            Some(part) => super::text::number(&part.to_string()),
            None => return None,
        };
        let weight = slot.weight.as_ref().map_or(String::new(), |weight| format!(" (weight {})", weight.exact()));
        Some((cleaned(&source.name), cleaned(&source.bounds) + &weight, gives))
    };
    let parts = parts.iter().filter_map(part).take(MOST_PARTS).collect();
    let name = engine.program.node(node.node).filter(|_| node.named).map_or(node.name.as_str(), |own| &*own.name);
    Computed {
        node: node.node.index(),
        name: cleaned(name),
        does: if node.whole == node.name { String::new() } else { cleaned(&node.whole) },
        value: cleaned(&node.bounds),
        fired: node.gate.flatten(),
        parts,
    }
}

fn judgments(engine: &Engine, leaf: &JudgedLeaf) -> Vec<Judgment> {
    let name = engine.program.node(leaf.node).map_or("", |node| &*node.name);
    let basis = match leaf.basis {
        Basis::Recorded => "",
        Basis::Rule => "rule",
        Basis::NotApplicable => "does not apply",
    };
    let Leaf::Items(states) = &leaf.leaf else {
        return vec![judgment(engine, leaf, name, basis)];
    };
    let both = states.iter().zip(&leaf.items);
    both.map(|(state, item)| Judgment {
        node: leaf.node.index(),
        name: cleaned(&format!("{name}.{}", state.id)),
        points: Some(item.points.exact()),
        value: match &state.met {
            Ok(Some(met)) => met.to_string(),
            Ok(None) => "unknown".to_owned(),
            Err(missing) => why(missing),
        },
        missing: state.met.is_err(),
        basis,
        rejected: item.rejected.as_deref().map(cleaned),
        answers: item.recorded.iter().flat_map(answers).collect(),
    })
    .collect()
}

fn judgment(engine: &Engine, leaf: &JudgedLeaf, name: &str, basis: &'static str) -> Judgment {
    let ty = engine.program.node(leaf.node).map(|node| &node.ty);
    let value = match (&leaf.leaf, ty) {
        (Leaf::Known(value), Some(ty)) => value.text(ty),
        (Leaf::Missing(missing), _) => why(missing),
        _ => String::new(),
    };
    Judgment {
        node: leaf.node.index(),
        name: cleaned(name),
        points: points(engine, leaf.node),
        value: cleaned(&value),
        missing: matches!(leaf.leaf, Leaf::Missing(_)),
        basis,
        rejected: leaf.rejected.as_deref().map(cleaned),
        answers: leaf.recorded.iter().flat_map(answers).collect(),
    }
}

/// The points of an item that stands in the program.
fn points(engine: &Engine, node: NodeId) -> Option<String> {
    let items = engine.program.checklists.iter().flat_map(|list| &list.items);
    items.into_iter().find(|item| item.node == node).map(|item| item.points.exact())
}

fn why(missing: &Missing) -> String {
    let reason = missing.reason.word().replace('_', " ");
    if missing.detail.is_empty() { reason } else { cleaned(&format!("{reason}: {}", missing.detail)) }
}

/// What judges said in an entry; samples are answers of their own.
fn answers(entry: &Json) -> Vec<Answer> {
    let Json::Object(map) = entry else {
        return value(entry).map(|value| Answer { value, ..Answer::default() }).into_iter().collect();
    };
    if let Some(Json::Array(samples)) = map.get("samples") {
        return samples.iter().flat_map(answers).collect();
    }
    let text = |key: &str| map.get(key).and_then(value).unwrap_or_default();
    let said = match (map.get("value").or_else(|| map.get("values")), map.get("missing")) {
        (Some(said), _) => value(said).unwrap_or_default(),
        (None, Some(missing)) => format!("missing: {}", value(missing).unwrap_or_default()),
        (None, None) if map.get("unknown") == Some(&Json::Bool(true)) => "unknown".to_owned(),
        (None, None) => map.get("probabilities").and_then(value).unwrap_or_default(),
    };
    let quotes = match map.get("evidence") {
        Some(Json::String(quote)) => vec![cleaned(quote)],
        Some(Json::Array(list)) => {
            let quote = |json: &Json| json.as_str().or_else(|| json.get("quote")?.as_str()).map(cleaned);
            list.iter().filter_map(quote).collect()
        }
        _ => Vec::new(),
    };
    let mut reason = text("reason");
    let note = text("note");
    if !note.is_empty() {
        reason = [reason, note].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ");
    }
    vec![Answer { by: text("by"), value: said, reason, quotes }]
}
