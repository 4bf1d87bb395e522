//! The hull of `vote`: which values can be the most frequent one.
//!
//! A value can win iff it wins when every slot that may vote for it does, and the others can be spread thinly enough; that is
//! a flow problem with a cap for each other value (one less for those that a tie would favour). A tie can come about iff
//! some two values can be filled to the same count with none above. Both are exact.

use super::flow::Votes;
use super::{Bounds, Known};
use crate::catalog::{UnknownPolicy, VoteTie};
use crate::number::Number;
use crate::run::evaluate::{Step, order};
use crate::types::Value;

/// Slots up to which the hull of a `vote` is exact; with more that are not settled it is every value that has a vote.
pub const MOST_SLOTS: usize = 64;

/// Values up to which the hull of a `vote` is exact.
pub const MOST_VALUES: usize = 24;

/// Ways to fill the open slots up to which `lowest` and `highest` are tried one by one.
const MOST_TRIES: usize = 256;

impl Step {
    /// `policy`: whether an unknown slot is treated by the node's policy; else its bounds are taken as they are.
    pub(in crate::run) fn vote_hull(&self, inputs: &[Bounds], policy: bool) -> Bounds {
        match &self.params.unknown {
            Some(UnknownPolicy::Lowest) if policy => return self.extreme_vote_hull(inputs, false),
            Some(UnknownPolicy::Highest) if policy => return self.extreme_vote_hull(inputs, true),
            _ => {}
        }
        let mut abstain = vec![false; inputs.len()];
        // What a slot votes for where it is unknown. Not joined with its bounds: between 0 and 2 lies 1, which nobody votes for.
        let mut instead: Vec<Option<&Value>> = vec![None; inputs.len()];
        let mut slots: Vec<Bounds> = Vec::with_capacity(inputs.len());
        let mut unknown = false;
        for (slot, bounds) in inputs.iter().enumerate() {
            let known = Bounds { known: bounds.known.clone(), unknown: false };
            if !bounds.unknown || !policy {
                slots.push(known);
                continue;
            }
            slots.push(match &self.params.unknown {
                Some(UnknownPolicy::Skip) => {
                    if let Some(entry) = abstain.get_mut(slot) {
                        *entry = true;
                    }
                    known
                }
                Some(UnknownPolicy::Constant(value)) => {
                    if let Some(entry) = instead.get_mut(slot) {
                        *entry = Some(value);
                    }
                    known
                }
                _ if bounds.only_unknown() => return Bounds::default(),
                _ => {
                    unknown = true;
                    known
                }
            });
        }
        // Nobody has to vote: nothing may be left.
        unknown |= abstain.iter().all(|may| *may);
        let outcome = self.outcomes(&slots, &abstain, &instead);
        Bounds { unknown: unknown || outcome.unknown, ..outcome }
    }

    /// Under `lowest` (the other is its mirror image): downwards, a slot that may be unknown is as good as one that votes for
    /// anything. Upwards, a slot that may be known had better be, unless that may leave a tie unknown; one that
    /// cannot be known is taken as voting for anything. That is sound, and exact where no tie is unknown and where either no
    /// slot is surely unknown or nothing else is open. Where there are few ways to fill the slots, all are tried instead.
    fn extreme_vote_hull(&self, inputs: &[Bounds], highest: bool) -> Bounds {
        let known = |bounds: &Bounds| Bounds { known: bounds.known.clone(), unknown: false };
        let outcomes = |free: &dyn Fn(&Bounds) -> bool| {
            let vote = |(slot, bounds): (usize, &Bounds)| match self.slot_types.get(slot).and_then(Option::as_ref) {
                Some(ty) if free(bounds) => Bounds::of(&ty.clone().known()),
                _ => known(bounds),
            };
            let slots: Vec<Bounds> = inputs.iter().enumerate().map(vote).collect();
            self.outcomes(&slots, &vec![false; slots.len()], &vec![None; slots.len()])
        };
        if !inputs.iter().any(|b| b.unknown) {
            return outcomes(&|_| false);
        }
        if let Some(tried) = self.try_all(inputs) {
            return tried;
        }
        let reached = outcomes(&|b| b.unknown);
        let held = outcomes(&Bounds::only_unknown);
        let exact = inputs.iter().all(|b| b.exact().is_some());
        let forced = inputs.iter().any(Bounds::only_unknown);
        let near = reached.ends().map(|(low, high)| if highest { high } else { low });
        let far = match (exact, held.unknown) {
            (true, _) => near.clone(),
            (false, true) => reached.ends().map(|(low, high)| if highest { low } else { high }),
            (false, false) => held.ends().map(|(low, high)| if highest { low } else { high }),
        };
        // An unknown slot settles every tie, so a tie stays unknown only where all slots are known.
        let unknown = held.unknown && !forced;
        match (near, far) {
            (Some(a), Some(b)) => Bounds { unknown, ..Bounds::exactly(&a).or(Bounds::exactly(&b)) },
            _ => Bounds::default(),
        }
    }

    /// What comes out over all ways to fill the slots; `None` where there are too many.
    fn try_all(&self, inputs: &[Bounds]) -> Option<Bounds> {
        let all = |bounds: &Bounds| {
            let known = domain(bounds)?;
            Some(known.into_iter().chain(bounds.unknown.then_some(Value::Unknown)).collect())
        };
        let domains: Vec<Vec<Value>> = inputs.iter().map(all).collect::<Option<_>>()?;
        let ways = domains.iter().try_fold(1_usize, |ways, domain| ways.checked_mul(domain.len()))?;
        if ways > MOST_TRIES {
            return None;
        }
        let mut outcome = Bounds { known: Known::Nothing, unknown: false };
        for way in 0..ways {
            // The digits of `way`, in the mixed base of the domains' sizes.
            let mut left = way;
            let filled = domains.iter().map(|domain| {
                let at = left.checked_rem(domain.len()).unwrap_or(0);
                left = left.checked_div(domain.len()).unwrap_or(0);
                domain.get(at).cloned().unwrap_or(Value::Unknown)
            });
            let filled: Vec<Value> = filled.collect();
            outcome = outcome.or(Bounds::exactly(&self.apply(&filled)));
        }
        Some(outcome)
    }

    /// `abstain`: whether a slot may vote for nothing; `instead`: for what else it may vote.
    fn outcomes(&self, slots: &[Bounds], abstain: &[bool], instead: &[Option<&Value>]) -> Bounds {
        let all = |(bounds, more): (&Bounds, &Option<&Value>)| {
            let mut all = domain(bounds)?;
            all.extend(more.filter(|value| !all.contains(value)).cloned());
            Some(all)
        };
        let domains: Option<Vec<Vec<Value>>> = slots.iter().zip(instead).map(all).collect();
        let Some(domains) = domains else { return self.any_vote(slots, instead) };
        let mut values: Vec<Value> = domains.iter().flatten().cloned().collect();
        values.sort_by(order);
        values.dedup();
        if values.len() > MOST_VALUES || slots.len() > MOST_SLOTS {
            return self.any_vote(slots, instead);
        }
        let index = |value: &Value| values.binary_search_by(|v| order(v, value)).unwrap_or(0);
        let indexed = |(all, may): (&Vec<Value>, &bool)| -> Vec<usize> {
            all.iter().map(index).chain(may.then_some(values.len())).collect()
        };
        let domains: Vec<Vec<usize>> = domains.iter().zip(abstain).map(indexed).collect();
        let votes = Votes { domains: &domains, values: values.len() };
        let tie = self.params.tie.as_ref().unwrap_or(&VoteTie::Unknown);
        let mut outcome = Bounds { known: Known::Nothing, unknown: false };
        for (at, value) in values.iter().enumerate() {
            if can_win(&votes, at, tie) {
                outcome = outcome.or(Bounds::exactly(value));
            }
        }
        let on_tie = match tie {
            VoteTie::Lowest | VoteTie::Highest => None,
            VoteTie::Unknown => Some(Bounds::default()),
            VoteTie::Value(value) => Some(Bounds::exactly(value)),
        };
        match on_tie {
            Some(on_tie) if can_tie(&votes) => outcome.or(on_tie),
            _ => outcome,
        }
    }

    /// Every value that has a vote, and what a tie gives.
    fn any_vote(&self, slots: &[Bounds], instead: &[Option<&Value>]) -> Bounds {
        let nothing = Bounds { known: Known::Nothing, unknown: false };
        let more = instead.iter().flatten().map(|value| Bounds::exactly(value));
        let all = slots.iter().cloned().chain(more).fold(nothing, Bounds::or);
        match &self.params.tie {
            Some(VoteTie::Value(value)) => all.or(Bounds::exactly(value)),
            Some(VoteTie::Unknown) | None => Bounds { unknown: true, ..all },
            _ => all,
        }
    }
}

/// The values of a slot, where they can be counted.
fn domain(bounds: &Bounds) -> Option<Vec<Value>> {
    match &bounds.known {
        Known::Nothing => Some(Vec::new()),
        Known::Bools { no, yes } => {
            let both = [(*no, false), (*yes, true)];
            Some(both.into_iter().filter(|(may, _)| *may).map(|(_, value)| Value::Bool(value)).collect())
        }
        Known::Labels(ranks) => Some(ranks.iter().map(|rank| Value::Label(*rank)).collect()),
        Known::Numbers { lo, hi, .. } if lo == hi => Some(vec![Value::Number(lo.clone())]),
        Known::Numbers { lo, hi, whole: true } => {
            let count = (hi - lo).to_i64().filter(|n| usize::try_from(*n).is_ok_and(|n| n < MOST_VALUES))?;
            Some((0..=count).map(|n| Value::Number(lo + &Number::int(n))).collect())
        }
        _ => None,
    }
}

fn can_win(votes: &Votes, value: usize, tie: &VoteTie) -> bool {
    // Everyone who may vote for it does; the others must be kept at or below that count.
    let (for_it, rest): (Vec<_>, Vec<_>) = votes.domains.iter().cloned().partition(|domain| domain.contains(&value));
    let most = for_it.len();
    if most == 0 {
        return false;
    }
    let cap = |other: usize| match tie {
        VoteTie::Lowest if other > value => most,
        VoteTie::Highest if other < value => most,
        _ => most - 1,
    };
    Votes { domains: &rest, values: votes.values }.fits((0..votes.values).map(cap).collect())
}

fn can_tie(votes: &Votes) -> bool {
    let may = |value: usize| votes.domains.iter().filter(|domain| domain.contains(&value)).count();
    for a in 0..votes.values {
        for b in a + 1..votes.values {
            let most = may(a).min(may(b));
            if (1..=most).rev().any(|count| votes.tied(a, b, count)) {
                return true;
            }
        }
    }
    false
}
