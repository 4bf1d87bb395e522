//! From a requirement to a verdict.

use super::find::{Found, Query, find};
use super::monotone;
use super::problem::Shared;
use super::search::Budget;
use super::witness::Assignment;
use crate::catalog::NodeId;
use crate::graph::spec::{Clause, Condition, Require, RequireKind};
use crate::graph::{Program, ReadoutKind, Tie};
use std::time::Instant;

/// What is known of a requirement.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It holds for every assignment. Of `reachable`: some assignment was found.
    Proved { boxes: u64 },
    /// It does not hold, as this shows.
    Disproved(Counterexample),
    /// Of `reachable`: no assignment makes it true.
    Unreachable { boxes: u64 },
    /// It is not known, after so many boxes, and why.
    Undecided { boxes: u64, why: String },
}

impl Verdict {
    #[must_use]
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved { .. })
    }
}

/// Judgments that break a requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterexample {
    /// What is judged how. Of `increasing` and `decreasing` two assignments, the one with the lower judgment first.
    pub assignment: Assignment,
    pub broken: Broken,
}

/// What a counterexample breaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// The clause with this number (from 0).
    Clause(usize),
    /// The sink falls (or, of `decreasing`, rises) where this leaf rises.
    Order { leaf: NodeId, falls: bool },
}

/// Decides a requirement of a program, within a budget.
#[must_use]
pub fn prove(program: &Program, require: &Require, budget: &Budget) -> Verdict {
    match &require.kind {
        RequireKind::Always(clauses) => always(program, require, clauses, budget),
        RequireKind::Reachable(condition) => reachable(program, require.candidates, condition, budget),
        RequireKind::Increasing(leaves) => monotone::prove(program, require, leaves, true, budget),
        RequireKind::Decreasing(leaves) => monotone::prove(program, require, leaves, false, budget),
    }
}

fn query(condition: &Condition, candidates: usize) -> Query<'_> {
    Query { condition, candidates, shared: Shared::Unseen, held: Vec::new() }
}

fn always(program: &Program, require: &Require, clauses: &[Clause], budget: &Budget) -> Verdict {
    let candidates = require.candidates;
    let started = Instant::now();
    let mut boxes = 0;
    let mut undecided = None;
    for (number, clause) in clauses.iter().enumerate() {
        let broken = Condition::Not(Box::new(clause.holds.clone()));
        let condition = match &clause.when {
            Some(when) => Condition::And(vec![when.clone(), broken]),
            None => broken,
        };
        let left =
            Budget { boxes: budget.boxes.saturating_sub(boxes), time: budget.time.saturating_sub(started.elapsed()) };
        let (found, looked) = find(program, &query(&condition, candidates), &left);
        boxes += looked;
        match found {
            Found::None => {}
            Found::Hit(mut assignment) => {
                name(program, require, &mut assignment);
                return Verdict::Disproved(Counterexample { assignment, broken: Broken::Clause(number) });
            }
            Found::Undecided(why) => undecided = Some(why),
        }
    }
    match undecided {
        Some(why) => Verdict::Undecided { boxes, why },
        None => Verdict::Proved { boxes },
    }
}

/// Whether some tie is broken by the names of record and candidates.
pub(super) fn by_name(program: &Program) -> bool {
    program.readouts.iter().any(|readout| {
        matches!(&readout.kind, ReadoutKind::Prefer { tie: Tie::ById, .. } | ReadoutKind::Best { tie: Tie::ById, .. })
    })
}

/// Calls the record after the requirement, unless ties are broken by that very name, and not like a test that is there.
pub(super) fn name(program: &Program, require: &Require, assignment: &mut Assignment) {
    if by_name(program) && require.candidates > 1 {
        return;
    }
    // Several counterexamples may be pasted at once, so one without a name goes by its place.
    let unnamed = || match program.requires.iter().position(|other| other.span == require.span) {
        Some(at) if program.requires.len() > 1 => format!("requirement {}", at + 1),
        _ => "the requirement".to_owned(),
    };
    let of = require.name.as_deref().map_or_else(unnamed, str::to_owned);
    let taken = |name: &str| program.tests.iter().any(|test| &*test.name == name);
    let mut name = format!("counterexample to {of}");
    let mut number = 2;
    while taken(&name) {
        name = format!("counterexample {number} to {of}");
        number += 1;
    }
    assignment.record = name;
}

fn reachable(program: &Program, candidates: usize, condition: &Condition, budget: &Budget) -> Verdict {
    let (found, boxes) = find(program, &query(condition, candidates), budget);
    match found {
        Found::Hit(_) => Verdict::Proved { boxes },
        Found::None => Verdict::Unreachable { boxes },
        Found::Undecided(why) => Verdict::Undecided { boxes, why },
    }
}
