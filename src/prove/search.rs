//! Depth-first search for an assignment that makes a goal true, within a budget.
//!
//! A box is a domain for each knot. It is narrowed to a fixpoint ([`super::propagate`]); where something becomes empty, it holds
//! no solution. Otherwise the signs of the goal in each variable ([`super::sign`]) give the corner at which the goal is
//! highest: is it true there, that is a solution; is it false, and no sign mixed, the box holds none. Else a variable with a
//! mixed sign is split: `unknown` against the known values, whole numbers and labels in halves, reals at the thresholds that
//! they meet and then in the middle.
//!
//! *Architecture Invariant:* "none" is said only where every box was closed by one of these reasons, so it is a proof.

use super::domain::{Domain, End};
use super::linearize::{self, Linear};
use super::problem::{At, Problem, What};
use super::sign::Sign;
use crate::catalog::Op;
use crate::number::{Number, Rounding};
use crate::run::bounds::{Bounds, Known};
use crate::types::Value;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How much a search may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Boxes that are looked at.
    pub boxes: u64,
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { boxes: 100_000, time: Duration::from_secs(2) }
    }
}

/// What a search comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// A value for every knot of the problem that is a variable (others are `Unknown`).
    Found(Vec<Value>),
    /// There is no solution.
    None,
    Undecided(String),
}

/// A box that waits: the domains that it comes from, and how it differs.
struct Waiting {
    from: Rc<Vec<Domain>>,
    held: Option<(At, Domain)>,
}

/// Whether a box, whose forward domains these are, holds no solution for a reason of its own.
pub(super) type Settled<'a> = dyn Fn(&Problem, &[Domain]) -> bool + 'a;

pub(super) struct Search<'a> {
    problem: &'a Problem,
    budget: Budget,
    started: Instant,
    pub(super) boxes: u64,
    /// Per variable (by knot), the numbers at which it meets a threshold, ascending.
    thresholds: Vec<Vec<Number>>,
    /// A knot to be monotone in a variable: see [`super::monotone`].
    pub(super) settled: Option<&'a Settled<'a>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, budget: &Budget, started: Instant) -> Search<'a> {
        let thresholds = super::threshold::thresholds(problem);
        Search { problem, budget: *budget, started, boxes: 0, thresholds, settled: None }
    }

    pub(super) fn run(&mut self) -> Outcome {
        let root = Rc::new(self.problem.root());
        let mut stack = vec![Waiting { from: root, held: None }];
        while let Some(waiting) = stack.pop() {
            if let Some(why) = self.exhausted() {
                return Outcome::Undecided(why);
            }
            self.boxes += 1;
            let mut domains = Rc::try_unwrap(waiting.from).unwrap_or_else(|shared| (*shared).clone());
            let changed = waiting.held.as_ref().map(|(at, _)| *at);
            if let Some((at, domain)) = waiting.held
                && let Some(place) = domains.get_mut(at)
            {
                *place = domain;
            }
            if !self.problem.propagate(&mut domains, changed, self.started.checked_add(self.budget.time)) {
                continue;
            }
            if self.is_late() {
                return Outcome::Undecided(self.late());
            }
            match self.look(&domains) {
                Look::Found(values) => return Outcome::Found(values),
                Look::Closed => {}
                Look::Split(at, parts) => {
                    let from = Rc::new(domains);
                    stack.extend(
                        parts.into_iter().rev().map(|part| Waiting { from: Rc::clone(&from), held: Some((at, part)) }),
                    );
                }
                Look::Stuck => return Outcome::Undecided("a number became too long to go on with".to_owned()),
                Look::Late => return Outcome::Undecided(self.late()),
            }
        }
        Outcome::None
    }

    fn exhausted(&self) -> Option<String> {
        if self.boxes >= self.budget.boxes {
            return Some(format!("the budget of {} cases was used up", self.budget.boxes));
        }
        (self.is_late() && self.boxes > 0).then(|| self.late())
    }

    fn is_late(&self) -> bool {
        self.started.elapsed() >= self.budget.time
    }

    fn late(&self) -> String {
        format!("the time of {:.1?} was used up", self.budget.time)
    }

    fn look(&self, domains: &[Domain]) -> Look {
        let problem = self.problem;
        let forward = problem.forward_only(domains);
        let Some(goal) = forward.get(problem.goal) else { return Look::Closed };
        if !goal.holds(&Value::Bool(true)) {
            return Look::Closed;
        }
        if self.settled.is_some_and(|settled| settled(problem, &forward)) {
            return Look::Closed;
        }
        let signs = problem.signs(problem.goal, &forward);
        let sign = |at: At| signs.get(at).copied().unwrap_or((Sign::Mixed, true));
        let mut open: Vec<At> = Vec::new();
        let mut reached = true;
        for at in &problem.variables {
            let Some(domain) = domains.get(*at) else { continue };
            let (sign, touched) = sign(*at);
            let unsettled = domain.may_be_unknown() && domain.has_known();
            if touched && domain.exact().is_none() && (sign == Sign::Mixed || unsettled) {
                open.push(*at);
            }
            reached &= !domain.is_open();
        }
        for attempt in 0..ATTEMPTS {
            let chosen = self.choose(domains, attempt, &|at| sign(at).0);
            if self.holds(&chosen) {
                return Look::Found(chosen);
            }
            if open.is_empty() && reached {
                // The corner is the highest that the goal gets.
                return Look::Closed;
            }
            if self.is_late() {
                return Look::Late;
            }
        }
        if open.is_empty() {
            let corner = self.choose(domains, CLOSURE, &|at| sign(at).0);
            match problem.values(&corner) {
                Some(values) if values.get(problem.goal) == Some(&Value::Bool(true)) => {
                    open.extend(
                        problem
                            .variables
                            .iter()
                            .filter(|at| domains.get(**at).is_some_and(|domain| domain.is_open() && sign(**at).1)),
                    );
                }
                Some(_) => return Look::Closed,
                None => return Look::Stuck,
            }
        }
        let mut balanced = false;
        match linearize::look(problem, domains) {
            Linear::Empty => return Look::Closed,
            Linear::Point(point) => {
                balanced = true;
                for attempt in 0..2 {
                    let mut chosen = self.choose(domains, attempt, &|at| sign(at).0);
                    for (at, number) in &point {
                        if let (Some(place), Some(domain)) = (chosen.get_mut(*at), domains.get(*at)) {
                            let grid = problem.variable(*at).and_then(|variable| variable.grid.as_deref());
                            settle(place, number, domain, grid);
                        }
                    }
                    if self.holds(&chosen) {
                        return Look::Found(chosen);
                    }
                }
            }
            Linear::Silent => {}
        }
        if self.is_late() {
            return Look::Late;
        }
        if self.boxes % GUIDED == 1
            && let Some(chosen) = self.guided(domains, &forward)
        {
            return Look::Found(chosen);
        }
        self.split(domains, &forward, &open, balanced)
    }

    /// Tries the corners at which one side of an undecided comparison is highest or lowest: where the sides move together, the
    /// goal's own signs say nothing.
    fn guided(&self, domains: &[Domain], forward: &[Domain]) -> Option<Vec<Value>> {
        let problem = self.problem;
        let mut guides: Vec<At> = Vec::new();
        for (knot, own) in problem.knots.iter().zip(forward).rev() {
            let What::Step(step) = &knot.what else { continue };
            if compares(step.op) && own.exact().is_none() {
                for from in &knot.inputs {
                    let open = forward.get(*from).is_some_and(|domain| domain.exact().is_none());
                    if open && !guides.contains(from) && guides.len() < MOST_GUIDES {
                        guides.push(*from);
                    }
                }
            }
        }
        for guide in guides {
            let signs = problem.signs(guide, forward);
            for (up, attempt) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
                let turned = |at: At| match (signs.get(at).map_or(Sign::Still, |(sign, _)| *sign), up) {
                    (Sign::Rising, false) => Sign::Falling,
                    (Sign::Falling, false) => Sign::Rising,
                    (sign, _) => sign,
                };
                let chosen = self.choose(domains, attempt, &turned);
                if self.holds(&chosen) {
                    return Some(chosen);
                }
                if self.is_late() {
                    return None;
                }
            }
            if let Some(chosen) = self.walk(domains, guide, &|at| signs.get(at).map_or(Sign::Still, |(sign, _)| *sign))
            {
                return Some(chosen);
            }
        }
        None
    }

    /// Walks from the corner at which a knot is lowest to the one at which it is highest, variable by variable, and looks where
    /// it comes past what it is compared with: first between which two variables, then between which values of one.
    fn walk(&self, domains: &[Domain], guide: At, sign: &dyn Fn(At) -> Sign) -> Option<Vec<Value>> {
        let turned = |at: At| match sign(at) {
            Sign::Rising => Sign::Falling,
            Sign::Falling => Sign::Rising,
            other => other,
        };
        let (low, high) = (self.choose(domains, 0, &turned), self.choose(domains, 0, sign));
        let moved: Vec<At> =
            self.problem.variables.iter().copied().filter(|at| low.get(*at) != high.get(*at)).collect();
        let after = |steps: usize| {
            let mut chosen = low.clone();
            for at in moved.iter().take(steps) {
                if let (Some(place), Some(value)) = (chosen.get_mut(*at), high.get(*at)) {
                    place.clone_from(value);
                }
            }
            chosen
        };
        for (reader, slot) in &self.problem.knots.get(guide)?.readers {
            let reader = self.problem.knots.get(*reader)?;
            let compares = matches!(&reader.what, What::Step(step) if compares(step.op));
            let Some(other) = reader.inputs.get(1 - slot.min(&1)).copied().filter(|_| compares) else { continue };
            // Whether the guide lies below what it is compared with, or at least is not above it.
            let below = |chosen: &[Value], strictly: bool| {
                let values = self.problem.values(chosen)?;
                if values.get(self.problem.goal) == Some(&Value::Bool(true)) && self.holds(chosen) {
                    return None;
                }
                let number = |at: At| Bounds::exactly(values.get(at)?).interval().map(|(n, _)| n);
                let (own, bar) = (number(guide)?, number(other)?);
                Some(if strictly { own < bar } else { own <= bar })
            };
            for strictly in [true, false] {
                let (mut from, mut to) = (0, moved.len());
                while from < to {
                    let middle = from + (to - from) / 2;
                    let chosen = after(middle);
                    match below(&chosen, strictly) {
                        Some(true) => from = middle + 1,
                        Some(false) => to = middle,
                        None if self.holds(&chosen) => return Some(chosen),
                        None => return None,
                    }
                    if self.is_late() {
                        return None;
                    }
                }
                // The variable with which it comes past, value by value.
                let Some(at) = from.checked_sub(1).and_then(|last| moved.get(last)) else { continue };
                let values = domains.get(*at).and_then(|domain| domain.known_part().values(MOST_STEPS));
                for value in values.into_iter().flatten() {
                    let mut chosen = after(from - 1);
                    if let Some(place) = chosen.get_mut(*at) {
                        *place = value;
                    }
                    if self.holds(&chosen) {
                        return Some(chosen);
                    }
                }
            }
        }
        None
    }

    /// Whether a choice is one that can come about, and makes the goal true.
    fn holds(&self, chosen: &[Value]) -> bool {
        let on_grid = |at: &At| match (self.problem.variable(*at), chosen.get(*at)) {
            (Some(variable), Some(Value::Number(n))) => variable.holds(n),
            _ => true,
        };
        if !self.problem.variables.iter().all(on_grid) {
            return false;
        }
        let values = self.problem.values(chosen);
        values.is_some_and(|values| values.get(self.problem.goal) == Some(&Value::Bool(true)))
    }

    /// A point of the box: the best end by sign; where that does not say, another one at each attempt.
    fn choose(&self, domains: &[Domain], attempt: u32, sign: &dyn Fn(At) -> Sign) -> Vec<Value> {
        let mut chosen = vec![Value::Unknown; domains.len()];
        for (turn, at) in (self.boxes.wrapping_mul(7)..).zip(&self.problem.variables) {
            let (Some(domain), Some(place)) = (domains.get(*at), chosen.get_mut(*at)) else { continue };
            // A cheap shuffle that is the same in every run.
            let roll = turn.wrapping_add(u64::from(attempt)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
            let highest = match (sign(*at), attempt) {
                (Sign::Rising, _) => true,
                (Sign::Falling, _) => false,
                (_, 0) => false,
                (_, 1) => true,
                _ => roll.is_multiple_of(2),
            };
            if domain.may_be_unknown() && (!domain.has_known() || attempt > 1 && attempt != CLOSURE && roll < 4) {
                continue;
            }
            let mixed = !matches!(sign(*at), Sign::Rising | Sign::Falling);
            *place = pick(domain, highest, mixed && attempt > 1 && roll.is_multiple_of(3), attempt);
            if let Some(variable) = self.problem.variable(*at)
                && variable.grid.is_some()
                && !matches!(&*place, Value::Number(n) if variable.holds(n))
            {
                *place = pick(domain, highest, false, attempt);
            }
        }
        chosen
    }

    /// The variable that is split, and its parts, the most promising first. Where judgments balance each other, what is not
    /// linear yet is cut first.
    fn split(&self, domains: &[Domain], forward: &[Domain], open: &[At], balanced: bool) -> Look {
        let weigh = |at: &At| {
            let (domain, knot) = (domains.get(*at)?, self.problem.knots.get(*at)?);
            let open = |(reader, _): &&(At, usize)| forward.get(*reader).is_some_and(|d| d.exact().is_none());
            let readers = knot.readers.iter().filter(open).count();
            // Few values first; of intervals the one that was cut least; then the one that most depends on.
            let size = domain.count(MANY).unwrap_or(MANY);
            Some((size, cuts(&knot.start, domain), usize::MAX - readers, *at))
        };
        let mut ranked: Vec<_> = open.iter().filter_map(weigh).collect();
        ranked.sort_unstable();
        if balanced
            && ranked.first().is_none_or(|(size, ..)| *size > 2)
            && let Some((at, parts)) = linearize::kink(self.problem, domains)
        {
            return Look::Split(at, parts);
        }
        for (_, _, _, at) in ranked {
            let parts = domains.get(at).map(|domain| self.parts(at, domain)).unwrap_or_default();
            if parts.len() > 1 {
                return Look::Split(at, parts);
            }
        }
        Look::Stuck
    }

    fn parts(&self, at: At, domain: &Domain) -> Vec<Domain> {
        if domain.may_be_unknown() && domain.has_known() {
            return vec![domain.known_part(), Domain::unknown()];
        }
        match &domain.bounds.known {
            Known::Bools { .. } => vec![Domain::exactly(&Value::Bool(true)), Domain::exactly(&Value::Bool(false))],
            Known::Labels(ranks) => {
                let part =
                    |ranks: &[u32]| Domain::closed(Bounds { known: Known::Labels(ranks.to_vec()), unknown: false });
                let (a, b) = ranks.split_at(ranks.len() / 2);
                vec![part(b), part(a)]
            }
            Known::Sets(labels) => {
                let Some(first) = labels.iter().position(|(no, yes)| *no && *yes) else { return Vec::new() };
                let with = |value: (bool, bool)| {
                    let mut next = labels.clone();
                    if let Some(place) = next.get_mut(first) {
                        *place = value;
                    }
                    Domain::closed(Bounds { known: Known::Sets(next), unknown: false })
                };
                vec![with((false, true)), with((true, false))]
            }
            Known::Counts(counts) => {
                let widest = counts.iter().enumerate().max_by_key(|(_, (lo, hi))| hi - lo).map(|(n, _)| n);
                let Some(widest) = widest else { return Vec::new() };
                let Some((lo, hi)) = counts.get(widest).copied() else { return Vec::new() };
                let middle = lo + (hi - lo) / 2;
                let with = |value: (u32, u32)| {
                    let mut next = counts.clone();
                    if let Some(place) = next.get_mut(widest) {
                        *place = value;
                    }
                    Domain::closed(Bounds { known: Known::Counts(next), unknown: false })
                };
                if lo < hi { vec![with((lo, middle)), with((middle + 1, hi))] } else { Vec::new() }
            }
            Known::Numbers { lo, hi, whole } => {
                let (from, to) = (End::new(lo.clone(), domain.open.0), End::new(hi.clone(), domain.open.1));
                let thresholds = self.thresholds.get(at).map_or(&[][..], Vec::as_slice);
                let inside: Vec<&Number> = thresholds.iter().filter(|n| lo < *n && *n < hi).collect();
                let half = (lo + hi).checked_div(&Number::int(2)).unwrap_or_default();
                if !whole && let Some(n) = inside.get(inside.len() / 2) {
                    let n = (*n).clone();
                    return vec![
                        Domain::numbers(from, End::new(n.clone(), true), false, false),
                        Domain::numbers(End::new(n.clone(), true), to, false, false),
                        Domain::exactly(&Value::Number(n)),
                    ];
                }
                let middle = if *whole { half.floor() } else { half };
                if middle.bits() > TOO_LONG {
                    return Vec::new();
                }
                vec![
                    Domain::numbers(from, End::closed(middle.clone()), *whole, false),
                    Domain::numbers(End::new(middle, true), to, *whole, false),
                ]
            }
            _ => Vec::new(),
        }
    }
}

fn compares(op: Op) -> bool {
    matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual)
}

/// Sides of comparisons that are followed, in one box of so many.
const MOST_GUIDES: usize = 8;
const GUIDED: u64 = 8;
/// Values of the variable at which a walk comes past a comparison.
const MOST_STEPS: u64 = 64;
/// Points that are tried in each box.
const ATTEMPTS: u32 = 4;
/// The attempt that takes ends though they are left out.
const CLOSURE: u32 = u32::MAX;
/// Variables with more values than this are alike in size.
const MANY: u64 = 1_000;
/// Halvings that are told apart.
const MOST_CUTS: u32 = 60;
/// Binary digits of a middle beyond which an interval is not halved.
const TOO_LONG: u64 = 300;

enum Look {
    Found(Vec<Value>),
    Closed,
    Split(At, Vec<Domain>),
    Stuck,
    /// The time ran out on the way.
    Late,
}

/// Takes over a number for a variable: the number itself, or what of the domain (and of its `grid`) is nearest to it.
fn settle(place: &mut Value, number: &Number, domain: &Domain, grid: Option<&[Number]>) {
    let half = Number::ratio(1, 2).unwrap_or_default();
    let near = match &domain.bounds.known {
        Known::Numbers { .. } if grid.is_some() => {
            let grid = grid.unwrap_or_default();
            let above = grid.partition_point(|n| n < number);
            let beside = [above.checked_sub(1), Some(above)].into_iter().flatten().filter_map(|at| grid.get(at));
            let Some(near) = beside.min_by_key(|n| (*n - number).abs()) else { return };
            Value::Number(near.clone())
        }
        Known::Bools { .. } => Value::Bool(*number > half),
        Known::Labels(_) => match number.round(Rounding::HalfUp).to_i64().and_then(|n| u32::try_from(n).ok()) {
            Some(rank) => Value::Label(rank),
            None => return,
        },
        Known::Numbers { whole: true, .. } => Value::Number(number.round(Rounding::HalfUp)),
        Known::Numbers { .. } => Value::Number(number.clone()),
        _ => return,
    };
    if domain.holds(&near) {
        *place = near;
    }
}

/// How often an interval was halved since the beginning, about.
fn cuts(start: &Domain, now: &Domain) -> u32 {
    let width = |domain: &Domain| domain.ends().map(|(lo, hi)| &hi.at - &lo.at);
    let (Some(mut wide), Some(narrow)) = (width(start), width(now)) else { return 0 };
    let half = Number::ratio(1, 2).unwrap_or_default();
    let mut cuts = 0;
    while wide > narrow && cuts < MOST_CUTS {
        wide = &wide * &half;
        cuts += 1;
    }
    cuts
}

/// A known value of a domain: an end, or (where `inside`) something between.
fn pick(domain: &Domain, highest: bool, inside: bool, attempt: u32) -> Value {
    match &domain.bounds.known {
        Known::Nothing => Value::Unknown,
        Known::Bools { no, yes } => Value::Bool(if highest { *yes } else { !*no }),
        Known::Labels(ranks) => {
            let at = if inside {
                ranks.get(ranks.len() / 2)
            } else if highest {
                ranks.last()
            } else {
                ranks.first()
            };
            at.map_or(Value::Unknown, |rank| Value::Label(*rank))
        }
        Known::Numbers { lo, hi, whole } => {
            let half = (lo + hi).checked_div(&Number::int(2)).unwrap_or_default();
            let middle = if *whole { half.floor() } else { half };
            let (end, open) = if highest { (hi, domain.open.1) } else { (lo, domain.open.0) };
            if inside {
                return Value::Number(middle);
            }
            if open && attempt != CLOSURE {
                // Inside, and nearer to the end at each attempt.
                let part = Number::ratio(1, 1 << (1 + 4 * attempt.min(8))).unwrap_or_default();
                return Value::Number(&(&(&middle - end) * &part) + end);
            }
            Value::Number(end.clone())
        }
        Known::Sets(labels) => {
            let holds = |(no, yes): &(bool, bool)| if highest { *yes } else { !*no };
            Value::Set((0_u32..).zip(labels).filter(|(_, label)| holds(label)).map(|(rank, _)| rank).collect())
        }
        Known::Counts(counts) => Value::Tally(counts.iter().map(|(lo, hi)| if highest { *hi } else { *lo }).collect()),
        _ => Value::Unknown,
    }
}
