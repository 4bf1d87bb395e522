//! From the values of variables to judgments, and whether they really do what the search says.
//!
//! *Architecture Invariant:* nothing is reported as found before the interpreter and the readouts have come to the same.

use super::find::Query;
use super::problem::{Problem, Shared, Stands, Variable};
use crate::catalog::{NodeId, Op};
use crate::graph::spec::Condition;
use crate::graph::{Mode, NodeKind, Program};
use crate::number::Number;
use crate::run::evaluate::{Interpreter, States};
use crate::run::readout::{Candidate, Reader, Reading, fits, readers};
use crate::run::record::Layout;
use crate::run::spec::{Answer, World};
use crate::run::{ItemState, Leaf, blank_leaves};
use crate::types::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Judgments of one or two candidates. A leaf that is not there may be anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Per candidate; a leaf that both have in common stands with each.
    pub leaves: Vec<BTreeMap<NodeId, Leaf>>,
    /// Likewise, leaves that do not matter, as they were when it was found.
    pub rest: Vec<BTreeMap<NodeId, Leaf>>,
    /// The record's id, where a tie is broken by digests.
    pub record: String,
    /// The candidates' ids.
    pub ids: Vec<String>,
}

impl Assignment {
    /// With the leaves that do not matter, as they were when it was found.
    #[must_use]
    pub fn complete(&self) -> Assignment {
        let mut all = self.clone();
        for (own, rest) in all.leaves.iter_mut().zip(&mut all.rest) {
            own.append(rest);
        }
        all
    }
}

/// Records' ids that are tried where a tie is broken by digests.
const MOST_IDS: usize = 64;
/// Leaves times nodes up to which leaves that do not matter are looked for.
const MOST_WORK: usize = 5_000_000;

/// The judgments that a solution stands for.
pub(super) fn assignment(program: &Program, problem: &Problem, values: &[Value], query: &Query<'_>) -> Assignment {
    let mut leaves = vec![BTreeMap::new(); query.candidates];
    let layout = Layout::of(program);
    let mut give = |variable: &Variable, value: &Value| {
        let (node, leaf) = match &variable.stands {
            Stands::Leaf(node) => (*node, Leaf::Known(value.clone())),
            Stands::Points { operator, items } => {
                let share = matches!(
                    program.node(*operator).map(|node| &node.kind),
                    Some(NodeKind::Operator(operation)) if operation.op == Op::Points
                );
                (*items, Leaf::Items(items_for(value, share)))
            }
            Stands::Digest | Stands::Folded(_) => return,
        };
        let common = match &query.shared {
            Shared::Unseen => layout.is_shared(node),
            Shared::AllBut(these) => !these.contains(&node),
        };
        for (candidate, own) in leaves.iter_mut().enumerate() {
            if common || candidate == variable.candidate {
                own.insert(node, leaf.clone());
            }
        }
    };
    for at in &problem.variables {
        let (Some(variable), Some(value)) = (problem.variable(*at), values.get(*at)) else { continue };
        match &variable.stands {
            Stands::Folded(number) => {
                let members = problem.folds.get(*number).and_then(|fold| fold.unfold(value));
                members.iter().flatten().for_each(|(variable, value)| give(variable, value));
            }
            _ => give(variable, value),
        }
    }
    let ids = candidate_names(program, query.candidates);
    let rest = vec![BTreeMap::new(); leaves.len()];
    Assignment { leaves, rest, record: "counterexample".to_owned(), ids }
}

/// Items whose points come to a number; `share` where they are divided by the positive points.
fn items_for(value: &Value, share: bool) -> Vec<ItemState> {
    let item = |points: Number, met: Option<bool>| (points, met);
    let one = Number::ONE;
    let items = match value {
        Value::Number(n) if !share && n.is_zero() => vec![item(one, Some(false))],
        Value::Number(n) if !share => vec![item(n.clone(), Some(true))],
        Value::Number(n) if n.is_negative() => vec![item(one, Some(false)), item(n.clone(), Some(true))],
        Value::Number(n) if n.is_zero() => vec![item(one, Some(false))],
        Value::Number(n) if *n == one => vec![item(one, Some(true))],
        Value::Number(n) => vec![item(n.clone(), Some(true)), item(&one - n, Some(false))],
        _ => vec![item(one, None)],
    };
    let numbered = items.into_iter().zip(1_usize..);
    numbered.map(|((points, met), at)| ItemState { id: format!("item{at}"), points, met: Ok(met) }).collect()
}

/// Names for candidates that mean nothing else in the program.
pub(super) fn candidate_names(program: &Program, candidates: usize) -> Vec<String> {
    if candidates == 1 {
        return vec![program.candidate.to_string()];
    }
    let taken = |name: &str| {
        let head = |text: &str| text.split(['.', '[']).next().is_some_and(|head| head == name);
        &*program.candidate == name
            || program.fields.iter().any(|field| head(&field.name))
            || program.nodes.iter().any(|node| head(&node.name))
            || program.checklists.iter().any(|list| &*list.name == name)
            || program.readouts.iter().any(|readout| readout.name.as_deref() == Some(name))
    };
    let plain = ["a", "b"].map(str::to_owned);
    if candidates == 2 && !plain.iter().any(|name| taken(name)) {
        return plain.to_vec();
    }
    (1_usize..).map(|n| format!("candidate_{n}")).filter(|name| !taken(name)).take(candidates).collect()
}

/// The judge of assignments: a program made ready to be run.
pub(super) struct Referee<'p> {
    program: &'p Program,
    interpreter: Interpreter,
    readers: Vec<Reader>,
}

impl<'p> Referee<'p> {
    pub(super) fn new(program: &'p Program) -> Referee<'p> {
        Referee { program, interpreter: Interpreter::new(program), readers: readers(program) }
    }

    /// What is known of every node, per candidate; `None` where it cannot be computed.
    pub(super) fn states(&self, assignment: &Assignment) -> Option<Vec<States>> {
        let mut all = Vec::with_capacity(assignment.leaves.len());
        for own in &assignment.leaves {
            let mut leaves = blank_leaves(self.program);
            for (id, leaf) in own {
                if let Some(place) = leaves.get_mut(id.index()) {
                    *place = leaf.clone();
                }
            }
            let states = self.interpreter.states(&leaves);
            states.check_complete(self.program).ok()?;
            all.push(states);
        }
        Some(all)
    }

    pub(super) fn world<'a>(&'a self, assignment: &Assignment, states: &'a [States]) -> World<'a> {
        let candidates: Vec<Candidate<'_>> =
            assignment.ids.iter().zip(states).map(|(id, states)| Candidate { id, states }).collect();
        let read = |reader: &Reader| -> Vec<Reading> {
            match reader.mode() {
                Mode::Pointwise => states.iter().map(|states| reader.one(states)).collect(),
                mode if fits(mode, candidates.len()) => {
                    reader.all(&assignment.record, &candidates).into_iter().collect()
                }
                _ => Vec::new(),
            }
        };
        World { program: self.program, states, readings: self.readers.iter().map(read).collect() }
    }

    /// Whether a node has one value for every candidate.
    fn is_exact(&self, assignment: &Assignment, node: NodeId) -> bool {
        self.states(assignment).is_some_and(|all| all.iter().all(|states| states.value(node).is_some()))
    }

    pub(super) fn holds(&self, assignment: &Assignment, condition: &Condition) -> bool {
        let Some(states) = self.states(assignment) else { return false };
        self.world(assignment, &states).answer(condition) == Answer::Holds
    }
}

/// The assignment without leaves that do not matter, if it makes the condition true.
pub(super) fn confirm(program: &Program, query: &Query<'_>, mut assignment: Assignment) -> Option<Assignment> {
    let referee = Referee::new(program);
    let mut tries = 1..MOST_IDS;
    while !referee.holds(&assignment, query.condition) {
        assignment.record = format!("counterexample {}", tries.next()? + 1);
    }
    Some(smallest(&referee, query, assignment, None, None))
}

/// The assignment without leaves that do not matter, one of them being kept in any case. Where that one sees no candidate, two
/// records show the difference, and the sink must have one value in each.
pub(super) fn confirm_keeping(
    program: &Program,
    query: &Query<'_>,
    assignment: Assignment,
    kept: NodeId,
) -> Assignment {
    let exact = Layout::of(program).is_shared(kept).then_some(program.sink);
    smallest(&Referee::new(program), query, assignment, Some(kept), exact)
}

fn smallest(
    referee: &Referee<'_>,
    query: &Query<'_>,
    mut assignment: Assignment,
    kept: Option<NodeId>,
    exact: Option<NodeId>,
) -> Assignment {
    let named: BTreeSet<NodeId> = assignment.leaves.iter().flat_map(|own| own.keys().copied()).collect();
    if named.len().saturating_mul(referee.program.nodes.len()) > MOST_WORK {
        return assignment;
    }
    for node in named.into_iter().filter(|node| Some(*node) != kept) {
        let mut without = assignment.clone();
        for (own, rest) in without.leaves.iter_mut().zip(&mut without.rest) {
            if let Some(leaf) = own.remove(&node) {
                rest.insert(node, leaf);
            }
        }
        if referee.holds(&without, query.condition) && exact.is_none_or(|node| referee.is_exact(&without, node)) {
            assignment = without;
        }
    }
    assignment
}
