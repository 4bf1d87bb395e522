//! What the prover says about a changed program: whether a requirement still holds, and whether it is another program at all.

use super::search::below;
use crate::catalog::NodeId;
use crate::graph::spec::{Comparison, Condition, Operand, Require, RequireKind};
use crate::graph::twin::Changed;
use crate::graph::{Mode, Program, Readout};
use crate::prove::{self, Budget, Found, Query, Shared, Verdict};
use crate::run::Leaf;
use crate::types::{ItemJudgment, Value};
use std::collections::BTreeSet;
use std::time::Duration;

/// For a requirement of the program itself.
const FIRST: Budget = Budget { boxes: 20_000, time: Duration::from_secs(5) };
/// For each question about a changed program. The boxes bound it, so that the answer does not depend on the machine; the time
/// is for boxes that are dear.
const EACH: Budget = Budget { boxes: 3_000, time: Duration::from_secs(3) };
/// Nodes below a readout up to which the prover is asked about it.
const MOST_NODES: usize = 4_000;

/// The requirements of a program that are proved, by number.
#[must_use]
pub fn proved(program: &Program) -> Vec<usize> {
    let holds = |(_, require): &(usize, &Require)| prove::prove(program, require, &FIRST).is_proved();
    program.requires.iter().enumerate().filter(holds).map(|(at, _)| at).collect()
}

/// Whether a requirement of the program speaks of anything that a change reaches.
#[must_use]
pub fn touched(original: &Program, changed: &Changed, require: &Require) -> bool {
    let sink = changed.sink != original.sink;
    let conditions: Vec<&Condition> = match &require.kind {
        RequireKind::Increasing(_) | RequireKind::Decreasing(_) => return sink,
        RequireKind::Reachable(condition) => vec![condition],
        RequireKind::Always(clauses) => {
            clauses.iter().flat_map(|clause| clause.when.iter().chain([&clause.holds])).collect()
        }
    };
    let mut open = conditions;
    while let Some(condition) = open.pop() {
        let operands = match condition {
            Condition::And(all) | Condition::Or(all) => {
                open.extend(all);
                continue;
            }
            Condition::Not(of) => {
                open.push(of);
                continue;
            }
            Condition::Holds(operand) => vec![operand],
            Condition::Compare { left, right, .. } => vec![left, right],
        };
        let reached = operands.iter().any(|operand| match operand {
            Operand::Node { node, .. } => changed.moved.contains_key(node),
            Operand::Readout { readout, .. } => {
                sink || original.readouts.get(*readout) != changed.readouts.get(*readout)
            }
            _ => false,
        });
        if reached {
            return true;
        }
    }
    false
}

/// Whether a requirement holds of a program; `None` where it is not decided.
#[must_use]
pub fn required(program: &Program, require: &Require) -> Option<bool> {
    match prove::prove(program, require, &EACH) {
        Verdict::Proved { .. } => Some(true),
        Verdict::Disproved(_) | Verdict::Unreachable { .. } => Some(false),
        Verdict::Undecided { .. } => None,
    }
}

/// Whether two versions are one program.
#[derive(Debug)]
pub enum Answer {
    /// Every readout always says the same: proved.
    Same,
    /// They differ on these judgments, per candidate.
    On(Vec<Vec<(NodeId, Value)>>),
    Unknown,
}

/// Whether the readouts of a changed version, which stands beside the original in `bench`, ever say anything else.
pub fn difference(bench: &mut Program, changed: &Changed) -> Answer {
    let originals = bench.readouts.clone();
    let sink_may_be_unknown = |program: &Program, id: NodeId| program.node(id).is_some_and(|node| node.ty.optional);
    let sinks = changed.sink != bench.sink;
    let abstains = sinks && (sink_may_be_unknown(bench, bench.sink) || sink_may_be_unknown(bench, changed.sink));
    let mut answer = Answer::Same;
    for (number, (old, new)) in originals.iter().zip(&changed.readouts).enumerate() {
        if old == new && !abstains {
            continue;
        }
        let roots = [old.source, new.source, bench.sink, changed.sink];
        if below(bench, roots).len() > MOST_NODES {
            return Answer::Unknown;
        }
        // What no condition can say about readouts is said about their nodes, which is more than is needed.
        let by_nodes = abstains || old.mode == Mode::Listwise;
        let condition = if by_nodes {
            match nodes_differ(bench, changed, old, new, abstains) {
                Some(condition) => condition,
                None => return Answer::Unknown,
            }
        } else {
            readouts_differ(old.mode, number, originals.len() + number)
        };
        bench.readouts.extend(changed.readouts.iter().cloned());
        let candidates = if !by_nodes && old.mode == Mode::Pairwise { 2 } else { 1 };
        let query = Query { condition: &condition, candidates, shared: Shared::Unseen, held: Vec::new() };
        let found = prove::find(bench, &query, &EACH).0;
        bench.readouts.truncate(originals.len());
        match found {
            Found::None => {}
            Found::Undecided(_) if matches!(answer, Answer::On(_)) => {}
            Found::Undecided(_) => answer = Answer::Unknown,
            Found::Hit(assignment) => {
                let given = |leaves: &std::collections::BTreeMap<NodeId, Leaf>| {
                    leaves.iter().filter_map(|(id, leaf)| Some((*id, value(leaf)?))).collect()
                };
                let on = Answer::On(assignment.complete().leaves.iter().map(given).collect());
                if !by_nodes {
                    return on;
                }
                // Nodes may differ where the readouts do not, which is then told by computing them.
                answer = if old.mode == Mode::Pointwise { on } else { Answer::Unknown };
            }
        }
    }
    answer
}

fn value(leaf: &Leaf) -> Option<Value> {
    match leaf {
        Leaf::Known(value) => Some(value.clone()),
        Leaf::Missing(_) => None,
        Leaf::Items(items) => {
            let item = |item: &crate::run::ItemState| {
                Some(ItemJudgment { points: item.points.clone(), met: item.met.as_ref().ok().copied()? })
            };
            Some(Value::Items(items.iter().map(item).collect::<Option<Vec<_>>>()?.into()))
        }
    }
}

/// One of two operands is unknown and the other is not, or they are both known and different.
#[must_use]
pub fn differ(one: &Operand, other: &Operand, unknown: &Operand) -> Condition {
    let compare =
        |op, left: &Operand, right: &Operand| Condition::Compare { op, left: left.clone(), right: right.clone() };
    let is_unknown = |of: &Operand| compare(Comparison::Equal, of, unknown);
    let is_known = |of: &Operand| compare(Comparison::NotEqual, of, unknown);
    Condition::Or(vec![
        compare(Comparison::NotEqual, one, other),
        Condition::And(vec![is_unknown(one), is_known(other)]),
        Condition::And(vec![is_known(one), is_unknown(other)]),
    ])
}

fn readouts_differ(mode: Mode, old: usize, new: usize) -> Condition {
    let readout = |readout| Operand::Readout { candidate: 0, readout };
    let (old, new) = (readout(old), readout(new));
    if mode == Mode::Pointwise {
        return differ(&old, &new, &Operand::Abstains);
    }
    let is = |of: &Operand, what: &Operand| Condition::Compare {
        op: Comparison::Equal,
        left: of.clone(),
        right: what.clone(),
    };
    let outcomes = [Operand::Wins(0), Operand::Wins(1), Operand::Tie, Operand::Abstains];
    let apart = |what: &Operand| Condition::And(vec![is(&old, what), Condition::Not(Box::new(is(&new, what)))]);
    Condition::Or(outcomes.iter().map(apart).collect())
}

/// That some node that the readouts look at differs; `None` where the readouts themselves are written differently.
fn nodes_differ(bench: &Program, changed: &Changed, old: &Readout, new: &Readout, sinks: bool) -> Option<Condition> {
    let back = |id: NodeId| changed.moved.iter().find(|(_, now)| **now == id).map_or(id, |(before, _)| *before);
    let mut same = new.clone();
    same.source = old.source;
    let mut pairs = vec![(old.source, new.source)];
    let keys = |readout: &Readout| match &readout.kind {
        crate::graph::ReadoutKind::Prefer { tie, .. }
        | crate::graph::ReadoutKind::Ranking { tie }
        | crate::graph::ReadoutKind::Best { tie, .. } => match tie {
            crate::graph::Tie::By { keys, .. } => keys.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let (old_keys, new_keys) = (keys(old), keys(new));
    if old_keys.len() != new_keys.len() || old_keys.iter().zip(&new_keys).any(|(a, b)| back(*b) != *a && a != b) {
        return None;
    }
    if let crate::graph::ReadoutKind::Prefer { tie, .. }
    | crate::graph::ReadoutKind::Ranking { tie }
    | crate::graph::ReadoutKind::Best { tie, .. } = &mut same.kind
        && let crate::graph::Tie::By { keys, .. } = tie
    {
        keys.clone_from(&old_keys);
    }
    if same.kind != old.kind || same.ty != old.ty {
        return None;
    }
    pairs.extend(old_keys.into_iter().zip(new_keys));
    if sinks {
        pairs.push((bench.sink, changed.sink));
    }
    let pairs: BTreeSet<(NodeId, NodeId)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
    let node = |node| Operand::Node { candidate: 0, node };
    let unknown = Operand::Constant(Value::Unknown);
    Some(Condition::Or(pairs.into_iter().map(|(a, b)| differ(&node(a), &node(b), &unknown)).collect()))
}
