//! The nodes on the way from judgments to readouts in one record, and which of them decided.

use super::NodeWhy;
use super::slots::{self, How};
use crate::catalog::{NodeId, Operation};
use crate::graph::draw::Said;
use crate::graph::text::Phrases;
use crate::graph::{Mode, NodeKind};
use crate::run::engine::{Engine, Outcomes};
use crate::run::evaluate::States;
use crate::run::judgment::Judged;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Per candidate, by its place: the nodes on the way to the readouts, readers first.
#[must_use]
pub fn ways(engine: &Engine, judged: &Judged, places: &[usize]) -> Vec<(usize, Vec<NodeWhy>)> {
    let phrases = Phrases::new(&engine.program);
    let of = |place: &usize| {
        let states = engine.interpreter().states(&engine.leaves(judged, *place));
        (*place, way(engine, &phrases, &states))
    };
    places.iter().map(of).collect()
}

/// The nodes that decided what `source` came to: of an operator whose slots decide, those that did; of sums and means every
/// slot that gave something; and so on down to the judgments. Where a node is not known yet, what it still lacks.
#[must_use]
pub fn deciding(nodes: &[NodeWhy], source: NodeId) -> HashSet<NodeId> {
    let by_id: HashMap<NodeId, &NodeWhy> = nodes.iter().map(|node| (node.node, node)).collect();
    let mut found = HashSet::new();
    let mut open = vec![source];
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let Some(node) = by_id.get(&id) else { continue };
        for slot in &node.slots {
            let counts = match (&node.value, node.how) {
                (None, _) => slot.value.is_none(),
                (Some(_), How::Summands) => {
                    slot.contribution.as_ref().is_none_or(|part| !part.is_zero()) && !slot.left_out
                }
                (Some(_), How::Decides | How::Passes) => slot.decides,
            };
            open.extend(slot.source.filter(|_| counts));
        }
    }
    found
}

/// What a candidate came to, to be shown in the picture of the program. `nodes` are those of its way ([`ways`]). The way that
/// stands out is that of the unnamed readouts, or of all where all have names.
#[must_use]
pub fn pictured(
    engine: &Engine,
    record: &str,
    candidates: &[Option<String>],
    outcomes: &Outcomes,
    (place, nodes): (usize, &[NodeWhy]),
) -> Said {
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let whose = ids.get(place).filter(|id| !id.is_empty()).map_or(String::new(), |id| format!(", candidate {id}"));
    let mut said = Said { record: format!("Record {record}{whose}."), ..Said::default() };
    for node in nodes {
        said.values.insert(node.node.index(), node.bounds.clone());
        if node.gate == Some(Some(true)) {
            said.fired.insert(node.node.index());
        }
    }
    let program = &engine.program;
    let unnamed = program.readouts.iter().any(|readout| readout.name.is_none());
    let first = program.nodes.len();
    for (at, readout) in program.readouts.iter().enumerate() {
        let reads =
            if readout.mode == Mode::Pointwise { outcomes.pointwise.get(place) } else { Some(&outcomes.compared) };
        if let Some(read) = reads.and_then(|reads| reads.iter().find(|read| read.readout == at)) {
            said.values.insert(first + at, read.reading.outcome.text(&readout.ty, &ids));
        }
        if !unnamed || readout.name.is_none() {
            said.way.insert(first + at);
            said.way.extend(deciding(nodes, readout.source).iter().map(|node| node.index()));
        }
    }
    said
}

/// The nodes on the way to the readouts, readers first.
fn way(engine: &Engine, phrases: &Phrases<'_>, states: &States) -> Vec<NodeWhy> {
    let program = &engine.program;
    let mut roots: BTreeSet<NodeId> = program.readouts.iter().map(|readout| readout.source).collect();
    roots.insert(program.sink);
    let cone = crate::mutate::below(program, roots.iter().copied());
    let mut nodes = Vec::new();
    for id in cone.into_iter().rev() {
        let Some(node) = program.node(id) else { continue };
        let operation: Option<&Operation> = match &node.kind {
            NodeKind::Operator(operation) => Some(operation),
            _ => None,
        };
        let (how, slots) = slots::slots(program, id, node, states);
        let gate = operation
            .filter(|operation| operation.op.family() == crate::catalog::table::Family::Gate)
            .map(|operation| slots::fired(operation, &slots));
        nodes.push(NodeWhy {
            node: id,
            name: phrases.of(id),
            whole: if operation.is_some() { phrases.whole(id) } else { String::new() },
            value: states.value(id),
            bounds: states.bounds(id).text(&node.ty),
            how,
            slots,
            gate,
            named: operation.is_none() || !phrases.nested(id) || roots.contains(&id),
        });
    }
    nodes
}
