//! `vote`: the most frequent value, and what is answered on a tie.
//!
//! Under `lowest` and `highest` the unknown slots vote together so that the node becomes lowest or highest, which need not
//! be a vote for the lowest value: with one vote for `mid`, one for `high`, ties to the lower and one vote unknown, the
//! lowest outcome is `mid`. The search over such votes is the one that the bounds use.

use super::numbers::compared;
use super::step::{Inputs, Step};
use crate::catalog::{UnknownPolicy, VoteTie};
use crate::run::bounds::Bounds;
use crate::types::Value;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A total order on the values of one scale.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    compared(a, b).unwrap_or(Ordering::Equal)
}

/// The outcome of counted votes: the most frequent value, or what the tie rule says. `None` where nobody voted.
pub(in crate::run) fn winner<'a>(
    counts: impl Iterator<Item = (&'a Value, usize)>,
    tie: Option<&'a VoteTie>,
) -> Option<&'a Value> {
    let mut top: Vec<&Value> = Vec::new();
    let mut most = 0;
    for (value, count) in counts {
        if count > most {
            most = count;
            top.clear();
        }
        if count == most && count > 0 {
            top.push(value);
        }
    }
    match (top.as_slice(), tie) {
        ([], _) => None,
        ([only], _) => Some(only),
        (tied, Some(VoteTie::Lowest)) => tied.iter().copied().min_by(|a, b| order(a, b)),
        (tied, Some(VoteTie::Highest)) => tied.iter().copied().max_by(|a, b| order(a, b)),
        (_, Some(VoteTie::Value(value))) => Some(value),
        (_, Some(VoteTie::Unknown) | None) => Some(&super::UNKNOWN),
    }
}

impl Step {
    pub(super) fn vote<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let mut counts: Vec<(&Value, usize)> = Vec::new();
        let mut index: HashMap<&Value, usize> = HashMap::new();
        for slot in 0..self.slots.len() {
            let mut value = inputs.at(slot);
            if value.is_unknown() {
                value = match &self.params.unknown {
                    Some(UnknownPolicy::Skip) => continue,
                    Some(UnknownPolicy::Constant(stand_in)) => stand_in,
                    Some(UnknownPolicy::Lowest) => return self.extreme_vote(inputs, false),
                    Some(UnknownPolicy::Highest) => return self.extreme_vote(inputs, true),
                    _ => return Value::Unknown,
                };
            }
            let at = *index.entry(value).or_insert(counts.len());
            match counts.get_mut(at) {
                Some((_, count)) => *count += 1,
                None => counts.push((value, 1)),
            }
        }
        winner(counts.into_iter(), self.params.tie.as_ref()).cloned().unwrap_or(Value::Unknown)
    }

    /// The lowest or highest outcome over all votes that the unknown slots might cast.
    fn extreme_vote<I: Inputs + ?Sized>(&self, inputs: &I, highest: bool) -> Value {
        let slots: Vec<Bounds> = (0..self.slots.len())
            .map(|slot| match (inputs.at(slot), self.slot_types.get(slot).and_then(Option::as_ref)) {
                (Value::Unknown, Some(ty)) => Bounds::of(&ty.clone().known()),
                (value, _) => Bounds::exactly(value),
            })
            .collect();
        let outcome = self.vote_hull(&slots, false);
        outcome.ends().map_or(Value::Unknown, |(low, high)| if highest { high } else { low })
    }
}
