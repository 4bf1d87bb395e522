//! Exports: programs as files of other tools, or an error for everything that such a file cannot say.
//!
//! What another format has no place for is never left out in silence: each node, readout and text that stands in the way is
//! told with the reason ([`Refusal`]), and nothing is written. How a judge is asked (models, samples, temperature) is no part
//! of such files and stays behind; so do requirements, tests, docs and weights of groups that nothing reads.

pub mod healthbench;
pub mod promptfoo;

use crate::catalog::{Input, NodeId, Op};
use crate::graph::{Criterion, NodeKind, Procedure, Program, ReadoutKind, Template, TemplatePart};
use crate::number::Number;
use std::collections::HashSet;

/// Something of a program that a format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{what}`: {why}")]
pub struct Refusal {
    /// The node or readout, as the program calls it.
    pub what: String,
    pub why: String,
}

/// A program that is a list of weighted yes/no criteria: what flat formats can hold.
pub(crate) struct Flat {
    /// The criteria in the order of the operator's slots, each with its weight and whether it counts where it is not met.
    pub slots: Vec<Slot>,
    /// The field from which items come with each record.
    pub from: Option<NodeId>,
}

pub(crate) struct Slot {
    pub node: NodeId,
    pub weight: Number,
    pub negated: bool,
}

/// Collects refusals while a program is taken apart.
pub(crate) struct Taker<'p> {
    pub program: &'p Program,
    pub refused: Vec<Refusal>,
    /// The nodes that have found a place.
    used: HashSet<NodeId>,
}

impl<'p> Taker<'p> {
    pub(crate) fn new(program: &'p Program) -> Taker<'p> {
        Taker { program, refused: Vec::new(), used: HashSet::new() }
    }

    pub(crate) fn refuse(&mut self, node: NodeId, why: impl Into<String>) {
        let what = self.program.node(node).map_or_else(String::new, |node| node.name.to_string());
        self.refused.push(Refusal { what, why: why.into() });
    }

    /// The sink as weighted criteria, through `normalize`, `not` and a `clamp` that changes nothing.
    pub(crate) fn flat(&mut self) -> Flat {
        let mut flat = Flat { slots: Vec::new(), from: None };
        let mut at = self.program.sink;
        while let Some((op, inner)) = self.wrapper(at) {
            if op == Op::Clamp && !self.widens(at, inner) {
                self.refuse(at, "a `clamp` that can change the score has no place there");
            }
            self.used.insert(at);
            at = inner;
        }
        self.used.insert(at);
        let Some(node) = self.program.node(at) else { return flat };
        let NodeKind::Operator(operation) = &node.kind else {
            self.slot(at, Number::from(1_i64), &mut flat);
            return flat;
        };
        let even = matches!(operation.op, Op::Mean | Op::Fraction | Op::Normalize);
        if !even && !matches!(operation.op, Op::WeightedMean | Op::Points | Op::SumPoints) {
            self.refuse(at, format!("the operator `{}` has no place there", operation.op.word()));
            return flat;
        }
        if operation.params.unknown.is_some() {
            self.refuse(at, "what is done with `unknown` has no place there");
        }
        let inputs: Vec<Input> = operation.ports.iter().flat_map(|port| port.inputs.iter().cloned()).collect();
        for (n, input) in inputs.iter().enumerate() {
            let weight = operation.params.weights.get(n).cloned().unwrap_or_else(|| Number::from(1_i64));
            match input {
                Input::Node(id) => self.slot(*id, weight, &mut flat),
                Input::Constant(_) => self.refuse(at, "a constant among the criteria has no place there"),
            }
        }
        flat
    }

    /// A node that only hands on its one argument: `clamp`, or `normalize` of what is no yes or no.
    fn wrapper(&self, id: NodeId) -> Option<(Op, NodeId)> {
        let NodeKind::Operator(operation) = &self.program.node(id)?.kind else { return None };
        let inner = operation.ports.first()?.inputs.first()?.node()?;
        (operation.op == Op::Clamp).then_some((Op::Clamp, inner))
    }

    /// Whether the clamp `outer` holds every value of what it reads (what comes with records has no bounds of its own).
    fn widens(&self, outer: NodeId, inner: NodeId) -> bool {
        let ty = |id: NodeId| self.program.node(id).map(|node| node.ty.clone());
        let (Some(outer), Some(read)) = (ty(outer), ty(inner)) else { return false };
        let from_records = self.program.node(inner).is_some_and(|node| {
            let NodeKind::Operator(operation) = &node.kind else { return false };
            let mut nodes = operation.ports.iter().flat_map(|port| &port.inputs).filter_map(Input::node);
            nodes.any(|id| self.program.node(id).is_some_and(|node| matches!(node.kind, NodeKind::Items { .. })))
        });
        match (outer.interval(), read.interval()) {
            (Some((lo, hi)), Some((low, high))) if !from_records => lo <= low && hi >= high,
            // HealthBench has no lower end; a clamp at 0 or near it would be one.
            (Some((lo, _)), _) => *lo <= Number::from(-10_i64),
            _ => false,
        }
    }

    /// A criterion in a slot, through `normalize` and `not`.
    fn slot(&mut self, id: NodeId, weight: Number, flat: &mut Flat) {
        let Some(node) = self.program.node(id) else { return };
        self.used.insert(id);
        match &node.kind {
            NodeKind::Items { .. } => flat.from = Some(id),
            NodeKind::Criterion(_) if node.ty.is_bool() && !node.ty.optional => {
                flat.slots.push(Slot { node: id, weight, negated: false });
            }
            NodeKind::Criterion(_) => {
                self.refuse(id, "only yes/no criteria whose judges may not abstain have a place there")
            }
            NodeKind::Operator(operation) => {
                let inner = operation.ports.first().and_then(|port| port.inputs.first()).and_then(Input::node);
                match (operation.op, inner) {
                    (Op::Normalize, Some(inner)) => self.slot(inner, weight, flat),
                    (Op::Not, Some(inner)) => {
                        let before = flat.slots.len();
                        self.slot(inner, weight, flat);
                        flat.slots.iter_mut().skip(before).for_each(|slot| slot.negated = !slot.negated);
                    }
                    (op, _) => self.refuse(id, format!("the operator `{}` has no place there", op.word())),
                }
            }
        }
    }

    /// Marks a node as having a place.
    pub(crate) fn uses(&mut self, id: NodeId) {
        self.used.insert(id);
    }

    /// Refuses readouts that `allowed` does not take, observed nodes, and nodes that have found no place.
    pub(crate) fn finish(&mut self, allowed: impl Fn(&Program, &crate::graph::Readout) -> bool) {
        for readout in &self.program.readouts {
            let native = readout.name.is_none() && readout.mode == crate::graph::Mode::Pointwise;
            let has_place = native && readout.kind == ReadoutKind::Native || allowed(self.program, readout);
            if !has_place {
                let what = format!("readout {} {}", readout.mode.word(), readout.name.as_deref().unwrap_or_default());
                self.refused
                    .push(Refusal { what: what.trim().to_owned(), why: "this readout has no place there".into() });
            }
        }
        for (n, node) in self.program.nodes.iter().enumerate() {
            let id = NodeId(u32::try_from(n).unwrap_or(u32::MAX));
            let told = self.refused.iter().any(|refused| refused.what == *node.name);
            // What hangs below a node that was refused is not told again.
            if !self.used.contains(&id) && !told && self.refused.is_empty() {
                self.refuse(id, "this node has no place there");
            }
        }
    }

    /// The criterion of a slot, if a model or a person answers it from its question alone.
    pub(crate) fn asked(&mut self, id: NodeId) -> Option<&'p Criterion> {
        let program = self.program;
        let NodeKind::Criterion(criterion) = &program.node(id)?.kind else { return None };
        if criterion.applies.is_some() {
            self.refuse(id, "`applies` has no place there");
        }
        if !criterion.levels.is_empty() || !criterion.examples.is_empty() {
            self.refuse(id, "levels and examples have no place there");
        }
        if matches!(criterion.procedure, Procedure::Verifier { .. }) {
            self.refuse(id, "a verifier has no place there");
        }
        Some(criterion)
    }
}

/// A text without fields in it.
pub(crate) fn plain(template: &Template) -> Option<String> {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => Some(text.to_string()),
        TemplatePart::Field(_) => None,
    };
    template.parts.iter().map(part).collect()
}

/// An exact number as JSON, where it ends.
pub(crate) fn number(number: &Number) -> serde_json::Value {
    let text = number.to_string();
    text.parse::<serde_json::Number>().map_or(serde_json::Value::String(text), serde_json::Value::Number)
}
