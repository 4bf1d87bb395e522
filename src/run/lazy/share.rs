//! How large a leaf's part in what is still open is: a walk from the open readouts down.
//!
//! A root has the part 1. A node hands its own on to what it reads: by weight where it has weights, else in equal parts; the
//! trigger of a gate, and a condition, get half of it beside the rest. What is fixed already, by value or by bounds, hands on
//! nothing, so a leaf that cannot matter any more has no part.

use super::Want;
use crate::catalog::{NodeId, Operation};
use crate::graph::{NodeKind, Program};
use crate::run::evaluate::States;
use crate::run::leaf::Leaf;

/// The part that a condition has beside what it decides about.
const CONDITION: f64 = 0.5;

pub(super) struct Shares {
    /// Per candidate and node.
    parts: Vec<Vec<f64>>,
    /// Per candidate, node of items and item: the item's part of its node's.
    items: Vec<Vec<(NodeId, Vec<f64>)>>,
}

impl Shares {
    pub fn new(program: &Program, candidates: usize) -> Shares {
        Shares { parts: vec![vec![0.0; program.nodes.len()]; candidates], items: vec![Vec::new(); candidates] }
    }

    /// Nodes come after what they read, so one pass from the end is enough.
    pub fn walk(&mut self, program: &Program, candidate: usize, states: &States, roots: &[NodeId]) {
        let Some(parts) = self.parts.get_mut(candidate) else { return };
        for root in roots {
            if let Some(part) = parts.get_mut(root.index()) {
                *part += 1.0;
            }
        }
        for (at, node) in program.nodes.iter().enumerate().rev() {
            let part = parts.get(at).copied().unwrap_or(0.0);
            let NodeKind::Operator(operation) = &node.kind else { continue };
            let id = NodeId(u32::try_from(at).unwrap_or(u32::MAX));
            if part <= 0.0 || states.value(id).is_some() {
                continue;
            }
            hand_on(operation, part, states, parts);
        }
    }

    /// Divides the part of items among them, by their points.
    pub fn of_items(&mut self, leaves: &[Vec<Leaf>]) {
        for (candidate, leaves) in leaves.iter().enumerate() {
            for (at, leaf) in leaves.iter().enumerate() {
                let Leaf::Items(items) = leaf else { continue };
                let points: Vec<f64> = items.iter().map(|item| item.points.to_f64().abs()).collect();
                let all: f64 = points.iter().sum();
                let of = points.iter().map(|points| if all > 0.0 { points / all } else { 0.0 }).collect();
                if let Some(list) = self.items.get_mut(candidate) {
                    list.push((NodeId(u32::try_from(at).unwrap_or(u32::MAX)), of));
                }
            }
        }
    }

    /// The part of something that may be asked; that of a shared leaf is the sum over the candidates.
    pub fn of(&self, want: &Want) -> f64 {
        let one = |candidate: usize| {
            let part = self.parts.get(candidate).and_then(|parts| parts.get(want.node.index())).copied().unwrap_or(0.0);
            let Some(item) = want.item else { return part };
            let lists = self.items.get(candidate).map_or(&[][..], |lists| lists);
            let of = lists.iter().find(|(node, _)| *node == want.node).and_then(|(_, of)| of.get(item));
            part * of.copied().unwrap_or(0.0)
        };
        match want.candidate {
            Some(candidate) => one(candidate),
            None => (0..self.parts.len()).map(one).sum(),
        }
    }
}

fn hand_on(operation: &Operation, part: f64, states: &States, parts: &mut [f64]) {
    for port in &operation.ports {
        let condition = matches!(port.name, "trigger" | "condition" | "when");
        let weights = &operation.params.weights;
        let weighted = port.name == "x" && weights.len() == port.inputs.len();
        let weight_of = |slot: usize| match weights.get(slot) {
            Some(weight) if weighted => weight.to_f64().abs(),
            _ => 1.0,
        };
        // A slot that is known already leaves its part to the others.
        let open = |id: NodeId| states.value(id).is_none();
        let slots: Vec<(NodeId, f64)> = port
            .inputs
            .iter()
            .enumerate()
            .filter_map(|(slot, input)| Some((input.node()?, weight_of(slot))))
            .filter(|(id, weight)| *weight > 0.0 && open(*id))
            .collect();
        let all: f64 = slots.iter().map(|(_, weight)| weight).sum();
        for (id, weight) in slots {
            if let Some(place) = parts.get_mut(id.index()) {
                *place += part * weight / all * if condition { CONDITION } else { 1.0 };
            }
        }
    }
}
