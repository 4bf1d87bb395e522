//! Domains of all knots, narrowed forward and backward until nothing changes.

use super::backward::narrow;
use super::domain::{Domain, End};
use super::forward::forward;
use super::problem::{At, Problem, Variable, What};
use crate::run::bounds::Known;
use crate::types::Value;
use std::collections::VecDeque;
use std::time::Instant;

/// How often one knot is narrowed in one box. Real intervals can creep towards a limit for ever.
const MOST_ROUNDS: u32 = 12;
/// Knots between two looks at the clock.
const STEPS: u32 = 64;

impl Problem {
    /// The domains at the beginning, the goal being true.
    pub(super) fn root(&self) -> Vec<Domain> {
        let mut domains: Vec<Domain> = self.knots.iter().map(|knot| knot.start.clone()).collect();
        if let Some(goal) = domains.get_mut(self.goal) {
            *goal = goal.and(&Domain::exactly(&Value::Bool(true)));
        }
        domains
    }

    /// Narrows the domains to a fixpoint, starting from what has `changed` (everything, where that is `None`). `false` where
    /// no assignment is left. At the `end` they stay as they are by then.
    pub(super) fn propagate(&self, domains: &mut [Domain], changed: Option<At>, end: Option<Instant>) -> bool {
        let mut queue = Queue::new(self.knots.len());
        match changed {
            Some(at) => self.wake(at, &mut queue),
            None => (0..self.knots.len()).for_each(|at| queue.push(at)),
        }
        let mut inputs: Vec<Domain> = Vec::new();
        let mut steps = 0_u32;
        while let Some(at) = queue.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS) && end.is_some_and(|end| Instant::now() >= end) {
                return true;
            }
            let Some(knot) = self.knots.get(at) else { continue };
            if let What::Variable(variable) = &knot.what {
                let Some(own) = domains.get_mut(at) else { continue };
                let next = snapped(variable, own);
                if next != *own {
                    *own = next;
                    self.wake(at, &mut queue);
                }
                if own.is_empty() {
                    return false;
                }
                continue;
            }
            let What::Step(step) = &knot.what else { continue };
            inputs.clear();
            inputs.extend(knot.inputs.iter().filter_map(|from| domains.get(*from).cloned()));
            let Some(own) = domains.get(at) else { continue };
            let next = own.narrowed(&forward(step, &inputs));
            if next.is_empty() {
                return false;
            }
            let mut next = next;
            if let Some(table) = self.tables.get(&at) {
                let Some(variable) = domains.get(table.variable) else { continue };
                let (held, left) = table.narrow(variable, &next);
                next = next.narrowed(&left);
                if held.is_empty() || next.is_empty() {
                    return false;
                }
                if held != *variable
                    && let Some(place) = domains.get_mut(table.variable)
                {
                    *place = held;
                    self.wake(table.variable, &mut queue);
                }
            }
            let rose = domains.get(at) != Some(&next);
            narrow(step, &next, &mut inputs);
            if let Some(own) = domains.get_mut(at) {
                *own = next;
            }
            if rose {
                self.wake(at, &mut queue);
            }
            for (from, narrowed) in knot.inputs.iter().zip(&inputs) {
                let Some(own) = domains.get_mut(*from) else { continue };
                let next = own.narrowed(narrowed);
                if next.is_empty() {
                    return false;
                }
                if next != *own {
                    *own = next;
                    queue.push(*from);
                    self.wake(*from, &mut queue);
                }
            }
        }
        true
    }

    /// What is to be looked at again after a knot has changed: itself and its readers.
    fn wake(&self, at: At, queue: &mut Queue) {
        queue.push(at);
        for (reader, _) in self.knots.get(at).into_iter().flat_map(|knot| &knot.readers) {
            queue.push(*reader);
        }
    }

    /// What every knot may be when only the variables are held to their domains.
    pub(super) fn forward_only(&self, domains: &[Domain]) -> Vec<Domain> {
        let mut all: Vec<Domain> = Vec::with_capacity(self.knots.len());
        let mut inputs: Vec<Domain> = Vec::new();
        for (knot, own) in self.knots.iter().zip(domains) {
            let domain = match &knot.what {
                What::Step(step) => {
                    inputs.clear();
                    inputs.extend(knot.inputs.iter().filter_map(|from| all.get(*from).cloned()));
                    forward(step, &inputs)
                }
                _ => own.clone(),
            };
            all.push(domain);
        }
        all
    }
}

/// The domain of a variable between values that it can take.
pub(super) fn snapped(variable: &Variable, domain: &Domain) -> Domain {
    let (Some(grid), Some((lo, hi))) = (&variable.grid, domain.ends()) else { return domain.clone() };
    let from = grid.partition_point(|n| *n < lo.at || lo.open && *n == lo.at);
    let to = grid.partition_point(|n| *n < hi.at || !hi.open && *n == hi.at);
    match (grid.get(from), to.checked_sub(1).and_then(|last| grid.get(last))) {
        (Some(first), Some(last)) if from < to => {
            Domain::numbers(End::closed(first.clone()), End::closed(last.clone()), false, domain.may_be_unknown())
        }
        _ => {
            let mut none = domain.clone();
            none.bounds.known = Known::Nothing;
            none.open = (false, false);
            none
        }
    }
}

/// Knots that wait, each at most once at a time and at most so often in all.
struct Queue {
    waiting: VecDeque<At>,
    state: Vec<(bool, u32)>,
}

impl Queue {
    fn new(knots: usize) -> Queue {
        Queue { waiting: VecDeque::new(), state: vec![(false, 0); knots] }
    }

    fn push(&mut self, at: At) {
        if let Some((waits, rounds)) = self.state.get_mut(at)
            && !*waits
            && *rounds < MOST_ROUNDS
        {
            *waits = true;
            *rounds += 1;
            self.waiting.push_back(at);
        }
    }

    fn pop(&mut self) -> Option<At> {
        let at = self.waiting.pop_front()?;
        if let Some((waits, _)) = self.state.get_mut(at) {
            *waits = false;
        }
        Some(at)
    }
}
