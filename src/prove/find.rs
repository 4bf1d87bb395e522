//! The lower door to the search: an assignment of judgments, of one or two candidates, that makes a condition true.

use super::problem::{Builder, Problem, Shared, Stands};
use super::search::{Budget, Outcome, Search};
use super::witness::{self, Assignment};
use crate::catalog::NodeId;
use crate::graph::Program;
use crate::graph::spec::Condition;
use crate::run::bounds::Bounds;
use std::collections::HashMap;
use std::time::Instant;

/// A question about all assignments.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// What the assignment must make true, as the conditions of a requirement are understood.
    pub condition: &'q Condition,
    /// 1, or 2 where it speaks of two candidates.
    pub candidates: usize,
    /// Which leaves the two have in common.
    pub shared: Shared,
    /// What leaves are held to, per candidate; others may be anything of their types. Of a leaf in common that of the first
    /// candidate counts.
    pub held: Vec<HashMap<NodeId, Bounds>>,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// An assignment that was checked by the interpreter. Leaves that it does not name may be anything.
    Hit(Assignment),
    /// There is none: a proof.
    None,
    /// It is not known, and why.
    Undecided(String),
}

/// Searches for an assignment that makes a condition true; beside the answer, the boxes that were looked at.
#[must_use]
pub fn find(program: &Program, query: &Query<'_>, budget: &Budget) -> (Found, u64) {
    let started = Instant::now();
    let mut builder = Builder::new(program, &query.shared, query.held.clone());
    let goal = builder.condition(query.condition);
    let problem = builder.finish(goal);
    let (outcome, boxes) = solve(&problem, budget, started);
    let found = match outcome {
        Outcome::None => Found::None,
        Outcome::Undecided(why) => Found::Undecided(why),
        Outcome::Found(values) => {
            let assignment = witness::assignment(program, &problem, &values, query);
            match witness::confirm(program, query, assignment) {
                Some(assignment) => Found::Hit(assignment),
                None => Found::Undecided(unconfirmed(&problem)),
            }
        }
    };
    (found, boxes)
}

pub(super) fn solve(problem: &Problem, budget: &Budget, started: Instant) -> (Outcome, u64) {
    let mut search = Search::new(problem, budget, started);
    let outcome = search.run();
    (outcome, search.boxes)
}

fn unconfirmed(problem: &Problem) -> String {
    let items = problem
        .variables
        .iter()
        .any(|at| matches!(problem.variable(*at).map(|variable| &variable.stands), Some(Stands::Points { .. })));
    if items {
        "it depends on which items come with the record".to_owned()
    } else {
        "an assignment that seemed to break it did not when it was computed in full".to_owned()
    }
}
