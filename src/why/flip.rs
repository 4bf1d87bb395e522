//! The fewest judgments whose change makes a readout say something else.
//!
//! From below: bounds under so many changes ([`super::limited`]) say how many are needed at least. From above: judgments
//! that flip it, found by taking everything to its ends or at random and putting back whatever is not needed. In between,
//! sets are tried by size, with bounds to pass over those that cannot do it; a set that may is settled by its values, where
//! they are few, and else by the prover. So the answer is either exact, or says what is known: a set that does it, and how many
//! are needed at least.
//!
//! Only what somebody judged is changed: no rule, nothing that does not apply, nothing missing.

use super::limited::{Freedom, Limited};
use super::world::{Target, World};
use crate::catalog::NodeId;
use crate::graph::Mode;
use crate::graph::spec::{Comparison, Condition, Operand};
use crate::mutate::Dice;
use crate::prove::{self, Found, Query, Shared};
use crate::run::bounds::Bounds;
use crate::run::evaluate::States;
use crate::run::readout::Outcome;
use crate::run::{Leaf, MissingReason};
use crate::types::{Base, Value};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// How much a search may cost.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Nodes that are computed.
    pub work: u64,
    /// Sets that the prover is asked about.
    pub proofs: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { work: 20_000_000, proofs: 200 }
    }
}

/// Most changes that are looked for one set at a time.
const MOST_CHANGES: usize = 12;
/// Combinations of values of a set that are tried.
const MOST_COMBINATIONS: usize = 256;

/// What would flip a readout.
#[derive(Debug, Clone, PartialEq)]
pub enum Flip {
    /// Changing these judgments (by the number of their variable) does.
    Found {
        changes: Vec<(usize, Value)>,
        outcome: Outcome,
        /// No smaller set does: proved.
        least: bool,
        /// Where that is not known: so many are needed at least.
        at_least: usize,
    },
    /// Whatever the judgments were, it would say the same: proved.
    Never,
    /// Nothing was found; so many changes are needed at least.
    Unfound { at_least: usize },
    /// It says nothing yet, or a number, which every change changes.
    NotAsked,
}

struct Search<'w, 'e> {
    world: &'w mut World<'e>,
    target: Target,
    mode: Mode,
    now: Outcome,
    /// The variables that may change.
    variables: Vec<usize>,
    limited: Limited,
    end: u64,
    proofs: u32,
    /// Some set could not be settled.
    unsettled: bool,
}

/// Whether it makes sense to ask: a readout of few values, or a comparison.
fn discrete(world: &World<'_>, target: Target) -> bool {
    let Some(readout) = world.engine.program.readouts.get(target.readout) else { return false };
    readout.mode != Mode::Pointwise || !matches!(readout.ty.base, Base::Score { .. } | Base::Real)
}

/// The fewest judgments whose change makes the readout say something else.
#[must_use]
pub fn flip(world: &mut World<'_>, target: Target, effort: Effort) -> Flip {
    if !discrete(world, target) {
        return Flip::NotAsked;
    }
    let now = match world.read(target) {
        Some(reading) if !reading.is_open() => reading.outcome,
        _ => return Flip::NotAsked,
    };
    let changeable = |at: &usize| world.variables.get(*at).is_some_and(|v| v.value.is_some() && !v.computed);
    let variables: Vec<usize> = world.relevant(target).into_iter().filter(changeable).collect();
    let mode = world.engine.program.readouts.get(target.readout).map_or(Mode::Pointwise, |r| r.mode);
    let limited = Limited::new(&world.engine.program, &world.roots(target.readout));
    let end = world.work.saturating_add(effort.work);
    let proofs = effort.proofs;
    let mut search = Search { world, target, mode, now, variables, limited, end, proofs, unsettled: false };
    let found = search.run();
    let all = search.variables.clone();
    all.into_iter().for_each(|at| search.world.restore(at));
    found
}

impl Search<'_, '_> {
    fn run(&mut self) -> Flip {
        if !self.may_flip(&self.variables.clone()) {
            return Flip::Never;
        }
        let least = self.least();
        let mut best = self.some();
        let most = best.as_ref().map_or(MOST_CHANGES + 1, |(changes, _)| changes.len());
        let mut at_least = least;
        for size in least..most.min(MOST_CHANGES + 1).min(self.variables.len() + 1) {
            self.unsettled = false;
            match self.sets(size) {
                Some(found) => {
                    best = Some(found);
                    break;
                }
                None if self.exhausted() || self.unsettled => break,
                None => at_least = size + 1,
            }
        }
        match best {
            Some((changes, outcome)) => {
                let (changes, outcome) = self.nearest(changes, outcome);
                let least = changes.len() <= at_least;
                Flip::Found { least, at_least: at_least.min(changes.len()), changes, outcome }
            }
            None if at_least > self.variables.len() => Flip::Never,
            None => Flip::Unfound { at_least },
        }
    }

    fn exhausted(&self) -> bool {
        self.world.work > self.end
    }

    /// What the readout says now, where it is decided and another thing than before.
    fn other(&mut self) -> Option<Outcome> {
        let reading = self.world.read(self.target)?;
        (!reading.is_open() && reading.outcome != self.now).then_some(reading.outcome)
    }

    /// Whether the readout may say something else where these variables are anything.
    fn may_flip(&mut self, free: &[usize]) -> bool {
        free.iter().for_each(|at| self.world.set(*at, None));
        let reading = self.world.read(self.target);
        free.iter().for_each(|at| self.world.restore(*at));
        reading.is_none_or(|reading| reading.is_open() || reading.outcome != self.now)
    }

    /// How many changes are needed at least.
    fn least(&mut self) -> usize {
        for size in 1..=MOST_CHANGES.min(self.variables.len()) {
            if self.may_with(&[], 0, size) || self.exhausted() {
                return size;
            }
        }
        MOST_CHANGES.min(self.variables.len()).max(1)
    }

    /// Whether the readout may say something else where these variables are anything and, among the variables from `from`
    /// on, `more` change.
    fn may_with(&mut self, free: &[usize], from: usize, more: usize) -> bool {
        let program = &self.world.engine.program;
        let mut bounds: Vec<Vec<Vec<Bounds>>> = Vec::new();
        let mut shared = false;
        for place in 0..self.world.candidates() {
            if self.target.candidate.is_some_and(|own| own != place) {
                bounds.push(Vec::new());
                continue;
            }
            let mut freedoms: HashMap<NodeId, Freedom> = HashMap::new();
            for (rank, at) in self.variables.iter().enumerate() {
                let Some(variable) = self.world.variables.get(*at) else { continue };
                if variable.candidate.is_some_and(|own| own != place) {
                    continue;
                }
                let freedom = if free.contains(at) {
                    Freedom::Free
                } else if rank >= from {
                    Freedom::Change
                } else {
                    continue;
                };
                shared |= variable.candidate.is_none();
                // Items of one list are one node here; the freest counts.
                let entry = freedoms.entry(variable.node).or_insert(freedom);
                if freedom == Freedom::Free {
                    *entry = Freedom::Free;
                }
            }
            let leaf = |id: NodeId| self.world.leaf(place, id).cloned();
            let freedom = |id: NodeId| freedoms.get(&id).copied().unwrap_or(Freedom::Fixed);
            bounds.push(self.limited.bounds(program, more, &leaf, &freedom));
            self.world.work += (program.nodes.len() * (more + 1)) as u64;
        }
        let several = self.target.candidate.is_none();
        // Changes are shared out between two candidates; where a change may count for both, each gets all of them.
        let splits: Vec<Vec<usize>> = if several && !shared && bounds.len() == 2 {
            (0..=more).map(|first| vec![first, more - first]).collect()
        } else {
            vec![vec![more; bounds.len()]]
        };
        for split in splits {
            let states: Vec<States> = bounds
                .iter()
                .zip(&split)
                .map(|(bounds, changes)| {
                    bounds.get(*changes).map_or_else(States::default, |bounds| States::bounded(bounds.clone()))
                })
                .collect();
            let reading = self.world.reading(self.mode, self.target, &states);
            if reading.is_none_or(|reading| reading.is_open() || reading.outcome != self.now) {
                return true;
            }
        }
        false
    }

    /// Some judgments that flip it, none of which can be put back.
    fn some(&mut self) -> Option<(Vec<(usize, Value)>, Outcome)> {
        let mut dice = Dice::new(1);
        let mut best: Option<(Vec<(usize, Value)>, Outcome)> = None;
        for round in 0..24 {
            if self.exhausted() {
                break;
            }
            let mut changes = Vec::new();
            for at in self.variables.clone() {
                let Some(variable) = self.world.variables.get(at) else { continue };
                let ends = variable.ty.extremes();
                let value = match (round, ends, variable.candidate) {
                    (0, Some((low, _)), None | Some(0)) | (1, Some((low, _)), Some(1..)) => Some(low),
                    (0, Some((_, high)), Some(1..)) | (1, Some((_, high)), None | Some(0)) => Some(high),
                    _ => dice.pick(&self.world.alternatives(at).0).cloned(),
                };
                match value {
                    Some(value) if Some(&value) != variable.value.as_ref() => changes.push((at, value)),
                    _ => {}
                }
            }
            dice.shuffle(&mut changes);
            if let Some(found) = self.reduced(changes)
                && best.as_ref().is_none_or(|(least, _)| found.0.len() < least.len())
            {
                best = Some(found);
            }
        }
        best
    }

    /// The changes without those that are not needed, in pieces of halving size (delta debugging).
    fn reduced(&mut self, changes: Vec<(usize, Value)>) -> Option<(Vec<(usize, Value)>, Outcome)> {
        changes.iter().for_each(|(at, value)| self.world.set(*at, Some(value)));
        let mut outcome = self.other();
        let mut kept = changes;
        if outcome.is_some() {
            let mut piece = kept.len().div_ceil(2);
            while piece > 0 {
                let mut start = 0;
                while start < kept.len() && !self.exhausted() {
                    let end = (start + piece).min(kept.len());
                    let tried: Vec<(usize, Value)> = kept.get(start..end).map(<[_]>::to_vec).unwrap_or_default();
                    tried.iter().for_each(|(at, _)| self.world.restore(*at));
                    match self.other() {
                        Some(found) => {
                            outcome = Some(found);
                            kept.drain(start..end);
                        }
                        None => {
                            tried.iter().for_each(|(at, value)| self.world.set(*at, Some(value)));
                            start = end;
                        }
                    }
                }
                piece /= 2;
            }
        }
        kept.iter().for_each(|(at, _)| self.world.restore(*at));
        outcome.map(|outcome| (kept, outcome))
    }

    /// A set of exactly so many variables that flips it.
    fn sets(&mut self, size: usize) -> Option<(Vec<(usize, Value)>, Outcome)> {
        let variables = self.variables.clone();
        // The next variable to try at each depth; at the most `size` deep.
        let mut next: Vec<usize> = vec![0];
        let mut chosen: Vec<usize> = Vec::with_capacity(size);
        while let Some(at) = next.last_mut() {
            if self.exhausted() {
                self.unsettled = true;
                return None;
            }
            let place = *at;
            *at += 1;
            let left = size - chosen.len();
            if place + left > variables.len() {
                next.pop();
                chosen.pop();
                continue;
            }
            let Some(variable) = variables.get(place) else { continue };
            chosen.push(*variable);
            if chosen.len() == size {
                if self.may_flip(&chosen.clone())
                    && let Some(found) = self.values(&chosen.clone())
                {
                    return Some(found);
                }
                chosen.pop();
            } else if self.may_with(&chosen.clone(), place + 1, size - chosen.len()) {
                next.push(place + 1);
            } else {
                chosen.pop();
            }
        }
        None
    }

    /// Values of these variables, all other than now, that flip it.
    fn values(&mut self, set: &[usize]) -> Option<(Vec<(usize, Value)>, Outcome)> {
        let mut lists = Vec::with_capacity(set.len());
        let mut complete = true;
        let mut count = 1_usize;
        for at in set {
            let (values, all) = self.world.alternatives(*at);
            complete &= all;
            count = count.saturating_mul(values.len());
            lists.push(values);
        }
        let tried = count.min(MOST_COMBINATIONS);
        for number in 0..tried {
            let mut rest = number;
            let mut changes = Vec::with_capacity(set.len());
            for (at, values) in set.iter().zip(&lists) {
                let Some(value) = values.get(rest % values.len().max(1)) else { continue };
                rest /= values.len().max(1);
                changes.push((*at, value.clone()));
            }
            changes.iter().for_each(|(at, value)| self.world.set(*at, Some(value)));
            let outcome = self.other();
            changes.iter().for_each(|(at, _)| self.world.restore(*at));
            if let Some(outcome) = outcome {
                return Some((changes, outcome));
            }
        }
        if complete && tried == count {
            return None;
        }
        self.proved(set)
    }

    /// What the prover says about these variables.
    fn proved(&mut self, set: &[usize]) -> Option<(Vec<(usize, Value)>, Outcome)> {
        let condition = self.flipped();
        let items = set.iter().any(|at| self.world.variables.get(*at).is_some_and(|v| v.item.is_some()));
        let (Some(condition), false, true) = (condition, items, self.proofs > 0) else {
            self.unsettled = true;
            return None;
        };
        self.proofs -= 1;
        let candidates = if self.target.candidate.is_some() { 1 } else { self.world.candidates() };
        let places: Vec<usize> = match self.target.candidate {
            Some(own) => vec![own],
            None => (0..candidates).collect(),
        };
        let mut held = Vec::with_capacity(places.len());
        for place in &places {
            let mut map = HashMap::new();
            for variable in &self.world.variables {
                if variable.candidate.is_none_or(|own| own == *place)
                    && let Some(leaf) = self.world.leaf(*place, variable.node)
                {
                    map.insert(
                        variable.node,
                        match leaf {
                            Leaf::Known(value) => Bounds::exactly(value),
                            Leaf::Items(_) => Bounds::of_items(Some(leaf), true),
                            Leaf::Missing(_) => Bounds::of(&variable.ty),
                        },
                    );
                }
            }
            for at in set {
                if let Some(variable) = self.world.variables.get(*at)
                    && variable.candidate.is_none_or(|own| own == *place)
                {
                    map.remove(&variable.node);
                }
            }
            held.push(map);
        }
        let query = Query { condition: &condition, candidates: places.len(), shared: Shared::Unseen, held };
        let budget = prove::Budget { boxes: 2_000, time: Duration::from_millis(100) };
        self.world.work += self.world.engine.program.nodes.len() as u64 * 20;
        match prove::find(&self.world.engine.program, &query, &budget).0 {
            Found::None => None,
            Found::Undecided(_) => {
                self.unsettled = true;
                None
            }
            Found::Hit(assignment) => {
                let mut changes = Vec::new();
                for at in set {
                    let Some(variable) = self.world.variables.get(*at) else { continue };
                    let place = variable.candidate.unwrap_or(0);
                    let own = places.iter().position(|p| *p == place).unwrap_or(0);
                    let found = assignment.leaves.get(own).and_then(|leaves| leaves.get(&variable.node));
                    if let Some(Leaf::Known(value)) = found
                        && Some(value) != variable.value.as_ref()
                    {
                        changes.push((*at, value.clone()));
                    }
                }
                changes.iter().for_each(|(at, value)| self.world.set(*at, Some(value)));
                let outcome = self.other();
                changes.iter().for_each(|(at, _)| self.world.restore(*at));
                // Checked again here, with the record's own ids.
                self.unsettled |= outcome.is_none();
                outcome.map(|outcome| (changes, outcome))
            }
        }
    }

    /// The condition that the readout says something else.
    fn flipped(&self) -> Option<Condition> {
        let operand = Operand::Readout { candidate: 0, readout: self.target.readout };
        let is = |op, right| Condition::Compare { op, left: operand.clone(), right };
        let unknown = is(Comparison::Equal, Operand::Abstains);
        Some(match (&self.now, self.mode) {
            (Outcome::Abstained, _) => is(Comparison::NotEqual, Operand::Abstains),
            (Outcome::Value(value), Mode::Pointwise) => {
                Condition::Or(vec![is(Comparison::NotEqual, Operand::Constant(value.clone())), unknown])
            }
            (Outcome::Winner(at), Mode::Pairwise) => {
                Condition::Or(vec![is(Comparison::NotEqual, Operand::Wins(*at)), unknown])
            }
            (Outcome::Tie, Mode::Pairwise) => Condition::Or(vec![is(Comparison::NotEqual, Operand::Tie), unknown]),
            _ => return None,
        })
    }

    /// The same judgments, each changed as little as still flips it.
    fn nearest(&mut self, changes: Vec<(usize, Value)>, outcome: Outcome) -> (Vec<(usize, Value)>, Outcome) {
        let mut changes = changes;
        let mut outcome = outcome;
        changes.iter().for_each(|(at, value)| self.world.set(*at, Some(value)));
        for at in 0..changes.len() {
            let Some((variable, now)) = changes.get(at).cloned() else { continue };
            for value in self.world.alternatives(variable).0 {
                if value == now {
                    break;
                }
                self.world.set(variable, Some(&value));
                if let Some(found) = self.other() {
                    outcome = found;
                    if let Some(entry) = changes.get_mut(at) {
                        entry.1 = value;
                    }
                    break;
                }
                self.world.set(variable, Some(&now));
            }
        }
        changes.iter().for_each(|(at, _)| self.world.restore(*at));
        changes.sort_by_key(|(at, _)| *at);
        (changes, outcome)
    }
}

/// A judgment that is missing, and what it could do.
#[derive(Debug, Clone, PartialEq)]
pub struct Lacking {
    pub variable: usize,
    pub reason: Option<MissingReason>,
    /// Values that alone would decide the readout, with what it then says; some of them where there are many.
    pub decides: Vec<(Value, Outcome)>,
    /// Whatever it is, it alone decides the readout.
    pub always: bool,
}

/// Missing judgments that are looked at one by one.
const MOST_LACKING: usize = 200;

/// What is missing of an open readout, and which would decide it.
#[must_use]
pub fn lacking(world: &mut World<'_>, target: Target) -> Vec<Lacking> {
    let relevant: BTreeSet<usize> = world.relevant(target).into_iter().collect();
    let open = world.read(target).is_none_or(|reading| reading.is_open());
    let mut found = Vec::new();
    for at in relevant {
        let Some(variable) = world.variables.get(at).filter(|v| v.value.is_none()) else { continue };
        let leaf = world.leaf(variable.candidate.unwrap_or(0), variable.node);
        let reason = match (leaf, variable.item) {
            (Some(Leaf::Missing(missing)), _) => Some(missing.reason),
            (Some(Leaf::Items(items)), Some(item)) => {
                items.get(item).and_then(|item| item.met.as_ref().err()).map(|missing| missing.reason)
            }
            _ => None,
        };
        let mut lacking = Lacking { variable: at, reason, decides: Vec::new(), always: false };
        if open && found.len() < MOST_LACKING {
            let (values, complete) = world.alternatives(at);
            let count = values.len();
            for value in values {
                world.set(at, Some(&value));
                if let Some(reading) = world.read(target).filter(|reading| !reading.is_open()) {
                    lacking.decides.push((value, reading.outcome));
                }
            }
            world.restore(at);
            lacking.always = complete && count > 0 && lacking.decides.len() == count;
        }
        found.push(lacking);
    }
    found
}
