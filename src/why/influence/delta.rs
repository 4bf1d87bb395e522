//! How far a judgment can move the sink at the most: a bound that is proved.
//!
//! For a box of the other judgments (some settled, the rest anything) one pass over the nodes bounds how far each can lie
//! apart in two assignments that differ in the judgment only: a weighted mean by its share, `min` and `max` by the
//! furthest of their slots, a gate whose trigger does not depend on the judgment by its base, everything else by the width of
//! what it may be at all. Where that is more than was seen, a judgment that some condition depends on is settled either way,
//! and the boxes are bounded by themselves.

use crate::catalog::{Input, NodeId, Op, Operation};
use crate::graph::{NodeKind, Program};
use crate::mutate::below;
use crate::mutate::steps::of_type;
use crate::number::Number;
use crate::run::bounds::Bounds;
use crate::run::evaluate::{Interpreter, States};
use crate::run::{Leaf, blank_leaves};
use crate::types::{Base, Type, Value};
use std::collections::BTreeSet;

/// Boxes that are bounded, times nodes.
const WORK: usize = 400_000;
/// Further than anything that a program names.
const FAR: i64 = 1 << 60;
/// Values of a judgment up to which each is settled by itself.
const MOST_VALUES: usize = 8;

/// No more than this: the most that `leaf` moves the sink. `reached` are the nodes that it reaches; `seen` is a movement that
/// was seen, below which nothing needs to be told apart.
#[must_use]
pub fn bound(
    program: &Program,
    interpreter: &Interpreter,
    leaf: NodeId,
    reached: &BTreeSet<NodeId>,
    seen: &Number,
) -> Number {
    let splits = splits(program, leaf, reached);
    let most_boxes = (WORK / program.nodes.len().max(1)).clamp(1, 600);
    let mut open: Vec<(Vec<(NodeId, Value)>, usize)> = vec![(Vec::new(), 0)];
    let mut most = Number::ZERO;
    let mut boxes = 0;
    while let Some((settled, next)) = open.pop() {
        boxes += 1;
        let mut leaves = blank_leaves(program);
        for (id, value) in &settled {
            if let Some(slot) = leaves.get_mut(id.index()) {
                *slot = Leaf::Known(value.clone());
            }
        }
        let states = interpreter.states(&leaves);
        let found = match states.check_complete(program) {
            Ok(()) => apart(program, &states, leaf, reached),
            Err(_) => type_width(program, program.sink),
        };
        let split = splits.get(next).filter(|_| found > *seen && boxes + open.len() < most_boxes);
        match split {
            None => most = most.max(found),
            Some((id, values)) => open.extend(values.iter().map(|value| {
                let mut settled = settled.clone();
                settled.push((*id, value.clone()));
                (settled, next + 1)
            })),
        }
    }
    most
}

fn interval_of(states: &States, id: NodeId) -> Option<(Number, Number)> {
    states.bounds(id).interval()
}

fn type_width(program: &Program, node: NodeId) -> Number {
    program.node(node).and_then(|n| range(&n.ty)).map_or(Number::ZERO, |(lo, hi)| &hi - &lo)
}

fn range(ty: &Type) -> Option<(Number, Number)> {
    match &ty.base {
        Base::Bool => Some((Number::ZERO, Number::ONE)),
        Base::Int { lo, hi } | Base::Score { lo, hi } => Some((lo.clone(), hi.clone())),
        Base::Ordinal(labels) => Some((Number::ZERO, Number::from(labels.len().saturating_sub(1)))),
        _ => None,
    }
}

/// The judgments of few values on which a condition among the reached nodes depends, the first to be settled first.
fn splits(program: &Program, leaf: NodeId, reached: &BTreeSet<NodeId>) -> Vec<(NodeId, Vec<Value>)> {
    let mut found: Vec<(NodeId, Vec<Value>)> = Vec::new();
    let mut seen = BTreeSet::from([leaf]);
    for id in reached {
        let Some(NodeKind::Operator(operation)) = program.node(*id).map(|n| &n.kind) else { continue };
        let conditions = ["trigger", "condition", "when"].into_iter().flat_map(|port| operation.port(port));
        let sources: Vec<NodeId> = conditions.filter_map(Input::node).collect();
        for id in below(program, sources) {
            let Some(node) = program.node(id) else { continue };
            if matches!(node.kind, NodeKind::Criterion(_))
                && seen.insert(id)
                && let Some(values) = of_type(&node.ty).filter(|values| values.len() <= MOST_VALUES)
            {
                found.push((id, values));
            }
        }
    }
    found.sort_by_key(|(_, values)| values.len());
    found
}

/// How far the sink can lie apart in this box.
fn apart(program: &Program, states: &States, leaf: NodeId, reached: &BTreeSet<NodeId>) -> Number {
    // Nodes that the judgment does not reach never lie apart, so only those that it does are kept.
    let mut apart: std::collections::BTreeMap<NodeId, Number> = std::collections::BTreeMap::new();
    for id in reached {
        let Some(node) = program.node(*id) else { continue };
        let interval = interval_of(states, *id);
        let width = interval.map_or_else(|| type_width(program, *id), |(lo, hi)| &hi - &lo);
        let most = match &node.kind {
            NodeKind::Operator(operation) if *id != leaf => {
                let of = |id: NodeId| apart.get(&id).cloned().unwrap_or(Number::ZERO);
                rule(program, operation, &node.ty, states, &of).map_or(width.clone(), |most| most.min(width))
            }
            _ => width,
        };
        // A set, a tally or a choice has no width; whatever it is, it may differ.
        let shapeless = range(&node.ty).is_none();
        let fixed = states.bounds(*id).exact().is_some();
        // Points of items that come with the record may be any number.
        let endless = node.ty.base == Base::Real && !fixed && interval_of(states, *id).is_none();
        let shaped = if shapeless && !fixed { Number::ONE } else { most };
        apart.insert(*id, if endless { Number::int(FAR) } else { shaped });
    }
    apart.get(&program.sink).cloned().unwrap_or(Number::ZERO)
}

/// How far an operator can lie apart, from how far its inputs can; `None`: as far as it can at all.
fn rule(
    program: &Program,
    operation: &Operation,
    ty: &Type,
    states: &States,
    of: &dyn Fn(NodeId) -> Number,
) -> Option<Number> {
    let each = |port: &str| operation.port(port).iter().map(|input| input.node().map_or(Number::ZERO, of));
    let one = |port: &str| each(port).next().unwrap_or(Number::ZERO);
    let known = |port: &str| operation.port(port).iter().filter_map(Input::node).all(|id| !states.bounds(id).unknown);
    if operation.sources().all(|id| of(id).is_zero()) {
        return Some(Number::ZERO);
    }
    // A condition that is the same whatever the judgment is.
    let settled = |port: &str| one(port).is_zero();
    match operation.op {
        Op::Min | Op::Max => {
            let bounds = |input: &Input| match input {
                Input::Constant(value) => Bounds::exactly(value),
                Input::Node(id) => states.bounds(*id),
            };
            // A slot that another one always overrules does not count.
            crate::prove::extreme(operation, &bounds)?.into_iter().map(of).max()
        }
        Op::Median if known("x") => each("x").max(),
        Op::Invert | Op::Clamp => Some(one("x")),
        Op::Normalize | Op::Rescale => {
            let source = operation.one("x").and_then(Input::node)?;
            let (lo, hi) = range(&program.node(source)?.ty)?;
            let (a, b) = match operation.op {
                Op::Normalize => (Number::ZERO, Number::ONE),
                _ => range(operation.params.to.as_ref().unwrap_or(ty))?,
            };
            let scale = (&b - &a).checked_div(&(&hi - &lo))?;
            Some(&scale.abs() * &one("x"))
        }
        Op::Otherwise if known("x") => Some(one("x")),
        Op::Cap | Op::Floor | Op::Penalty | Op::Replace | Op::Veto if settled("trigger") => {
            ["base", "at", "by", "with", "to"].into_iter().flat_map(each).max()
        }
        Op::If if settled("condition") => ["then", "else"].into_iter().flat_map(each).max(),
        Op::Add | Op::Subtract => Some(&one("left") + &one("right")),
        _ => {
            let shares = operation.shares().filter(|_| known("x"))?;
            Some(shares.iter().zip(each("x")).map(|(share, apart)| &share.abs() * &apart).sum())
        }
    }
}
