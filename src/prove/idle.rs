//! The lint on judgments that can never change anything: cheap, and only where it is proved.
//!
//! A walk backward from all that comes out, over what every node may be when nothing is judged yet. It does not pass a node
//! that is the same whatever is judged, nor a slot of `min` or `max` that another one always undercuts or tops. A criterion that
//! it does not reach cannot matter. Comparisons that always come to the same, and gates that never act, have lints of their own.

use crate::catalog::{Input, NodeId, Op, Operation};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{NodeKind, Program, ReadoutKind, Tie};
use crate::number::Number;
use crate::run::blank_leaves;
use crate::run::bounds::Bounds;
use crate::run::evaluate::{Interpreter, States};
use std::collections::HashSet;

/// A warning for each criterion that can never change a readout or an observed node.
#[must_use]
pub fn idle(program: &Program) -> Vec<Diagnostic> {
    let states = Interpreter::new(program).states(&blank_leaves(program));
    if states.check_complete(program).is_err() {
        return Vec::new();
    }
    let mut open = roots(program);
    let mut alive: HashSet<NodeId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let Some(node) = program.node(id) else { continue };
        let NodeKind::Operator(operation) = &node.kind else { continue };
        // A comparison that always comes to the same has a warning of its own.
        if states.bounds(id).exact().is_some() && !compares(operation.op) {
            continue;
        }
        open.extend(looked_at(operation, &states).into_iter().filter(|source| alive.insert(*source)));
    }
    let mut found = Vec::new();
    for (node, at) in program.nodes.iter().zip(0..) {
        if matches!(node.kind, NodeKind::Operator(_)) || alive.contains(&NodeId(at)) {
            continue;
        }
        let headline = format!("`{}` can never change what comes out", node.name);
        found.push(
            Diagnostic::warning(Code::NEVER_MATTERS, node.span, headline, "whatever it is, the readouts say the same")
                .help(
                    "what reads it always says the same there, or something else always overrules it; look at the numbers \
                     between it and the score, or drop it",
                ),
        );
    }
    found
}

/// All that comes out: what readouts read and break ties by, and what is observed.
fn roots(program: &Program) -> Vec<NodeId> {
    let mut roots = vec![program.sink];
    roots.extend(&program.observed);
    for readout in &program.readouts {
        roots.push(readout.source);
        if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
            &readout.kind
            && let Tie::By { keys, .. } = tie
        {
            roots.extend(keys);
        }
    }
    roots
}

fn compares(op: Op) -> bool {
    matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
}

/// What an operator looks at: the nodes that its result may depend on.
fn looked_at(operation: &Operation, states: &States) -> Vec<NodeId> {
    let bounds = |input: &Input| match input {
        Input::Constant(value) => Bounds::exactly(value),
        Input::Node(id) => states.bounds(*id),
    };
    match operation.op {
        Op::Min | Op::Max => extreme(operation, &bounds).unwrap_or_else(|| operation.sources().collect()),
        _ => operation.sources().collect(),
    }
}

/// The slots of `min` and `max` that can be the least or the greatest; `None` where some may be unknown.
#[must_use]
pub fn extreme(operation: &Operation, bounds: &dyn Fn(&Input) -> Bounds) -> Option<Vec<NodeId>> {
    let slots = operation.port("x");
    let mut intervals: Vec<(Number, Number)> = Vec::with_capacity(slots.len());
    for slot in slots {
        let found = bounds(slot);
        if found.unknown {
            return None;
        }
        let (lo, hi) = found.interval()?;
        intervals.push(if operation.op == Op::Min { (lo, hi) } else { (-hi, -lo) });
    }
    // The slot that is never above this decides against all that are never below it.
    let (first, ceiling) = intervals.iter().map(|(_, hi)| hi).enumerate().min_by(|a, b| a.1.cmp(b.1))?;
    let counts = |at: usize, lo: &Number| at == first || lo < ceiling;
    let kept = slots.iter().zip(&intervals).enumerate().filter(|(at, (_, (lo, _)))| counts(*at, lo));
    Some(kept.filter_map(|(_, (slot, _))| slot.node()).collect())
}
