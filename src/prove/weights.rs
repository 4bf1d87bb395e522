//! Whether a slot of a sum, a mean or `points` can matter, given where the sum itself does ([`super::sense`]).
//!
//! A slot moves the sum by what it adds, from the sums that the other slots come to. Those are found exactly where slots have
//! few values (a set of whole numbers over a common denominator, as bits, slot by slot), and as an interval where they
//! have many. If none of these moves touches a place at which the sum matters, the slot never does, whatever else is judged:
//! slots are taken as free of each other, so there may be more sums than can really come about, never fewer.

use super::forward::propagates;
use super::linear::describe;
use super::sense::{Place, Places};
use crate::catalog::UnknownPolicy;
use crate::number::{Number, Rounding};
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use num_integer::Integer;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// How much more an addition of two numbers costs than a step of a machine word.
const COSTLY: usize = 16;

/// What the slots of an operator add to its result.
pub(super) struct Shares {
    slots: Vec<Share>,
    /// Of all slots together.
    lo: Number,
    hi: Number,
    /// The same slot again is not looked at again.
    seen: HashMap<Vec<Number>, bool>,
}

struct Share {
    /// What it adds for one of its value.
    factor: Number,
    /// What it can add: all of it, ascending; or the two ends of an interval.
    adds: Vec<Number>,
    is_interval: bool,
    /// It may be unknown, and then the whole is: nothing is said of it.
    unsure: bool,
}

impl Shares {
    /// `None` where an unknown slot changes what the others weigh, or a slot has no bounds.
    /// `few` are the numbers of slots that have few.
    pub(super) fn new(step: &Step, inputs: &[Bounds], few: &[Option<Rc<[Number]>>]) -> Option<Shares> {
        let skips = step.params.unknown == Some(UnknownPolicy::Skip);
        if skips && inputs.iter().any(|bounds| bounds.unknown) {
            return None;
        }
        let described: Vec<_> = (0..inputs.len()).map(|slot| describe(step, slot)).collect();
        let whole: Number = described.iter().map(|slot| &slot.share).sum();
        let whole = if whole.is_zero() { Number::ONE } else { whole };
        let (mut lo, mut hi) = (Number::ZERO, Number::ZERO);
        let mut slots = Vec::with_capacity(inputs.len());
        for ((slot, bounds), few) in described.iter().zip(inputs).zip(few) {
            let factor = slot.weight.checked_div(&whole)?;
            let (values, is_interval) = match few {
                Some(few) if !few.is_empty() => (few.to_vec(), false),
                _ => values(bounds)?,
            };
            let mut adds: Vec<Number> = values.iter().map(|value| &factor * value).collect();
            adds.extend(slot.stand_in.as_ref().filter(|_| bounds.unknown).map(|value| &factor * value));
            adds.sort();
            adds.dedup();
            if is_interval && adds.len() > 2 {
                adds = vec![adds.first()?.clone(), adds.last()?.clone()];
            }
            lo = &lo + adds.first()?;
            hi = &hi + adds.last()?;
            let unsure = bounds.unknown && propagates(step);
            slots.push(Share { factor, adds, is_interval, unsure });
        }
        Some(Shares { slots, lo, hi, seen: HashMap::new() })
    }

    /// The places of a slot, whatever the others are.
    pub(super) fn back(&self, slot: usize, out: &Places) -> Places {
        let Some((own, (lo, hi))) = self.slots.get(slot).zip(self.ends(slot)) else { return Places::Everywhere };
        out.back(&own.factor, (&(&self.lo - lo), &(&self.hi - hi)))
    }

    fn ends(&self, slot: usize) -> Option<(&Number, &Number)> {
        let own = self.slots.get(slot)?;
        Some((own.adds.first()?, own.adds.last()?))
    }

    /// How far a slot can move the result.
    pub(super) fn reach(&self, slot: usize) -> Option<Number> {
        self.ends(slot).map(|(lo, hi)| hi - lo)
    }

    /// Whether it is proved that the slot never matters, within `work`, of which it takes what it needs.
    pub(super) fn is_idle(&mut self, slot: usize, out: &Places, work: &mut usize) -> bool {
        let (Places::At(places), Some((lo, hi))) = (out, self.ends(slot)) else { return false };
        if self.slots.get(slot).is_none_or(|own| own.unsure) {
            return false;
        }
        // With all sums in between as well.
        let (from, to) = (&(&self.lo - lo) + lo, &(&self.hi - hi) + hi);
        if lo == hi || !out.touched(&from, &to) {
            return true;
        }
        let key = self.slots.get(slot).map(|own| own.adds.clone()).unwrap_or_default();
        if let Some(found) = self.seen.get(&key) {
            return *found;
        }
        let found = self.sums(slot, work).is_some_and(|sums| !sums.touch(places, lo, hi));
        self.seen.insert(key, found);
        found
    }

    /// All sums, ascending, where there are no more than `most` of them and no interval among the slots.
    pub(super) fn all(&self, most: usize, work: &mut usize) -> Option<Rc<[Number]>> {
        let mut sums = BTreeSet::from([Number::ZERO]);
        for slot in &self.slots {
            if slot.is_interval || sums.len().checked_mul(slot.adds.len())? > most * most {
                return None;
            }
            *work = work.checked_sub(COSTLY * sums.len() * slot.adds.len())?;
            sums = sums.iter().flat_map(|sum| slot.adds.iter().map(move |add| sum + add)).collect();
            if sums.len() > most {
                return None;
            }
        }
        Some(sums.into_iter().collect())
    }

    /// What the other slots come to; `None` where it costs more than `work`.
    fn sums(&self, slot: usize, work: &mut usize) -> Option<Sums> {
        let others = || self.slots.iter().enumerate().filter(|(at, _)| *at != slot).map(|(_, share)| share);
        let mut denominator = 1_i64;
        let few = || others().filter(|share| !share.is_interval);
        for add in few().flat_map(|share| &share.adds) {
            denominator = denominator.checked_mul(lcm_step(denominator, add.denominator()?)?)?;
        }
        let scale = Number::int(denominator);
        let whole = |n: &Number| (n * &scale).to_i64();
        let (mut base, mut range, mut values) = (0_i64, 0_i64, 0_usize);
        for share in few() {
            let (first, last) = (whole(share.adds.first()?)?, whole(share.adds.last()?)?);
            base = base.checked_add(first)?;
            range = range.checked_add(last.checked_sub(first)?)?;
            values += share.adds.len();
        }
        let words = usize::try_from(range / 64).ok()? + 1;
        let cost = words.checked_mul(values.max(1))?;
        *work = work.checked_sub(cost)?;
        let mut bits = vec![0_u64; words];
        *bits.first_mut()? = 1;
        for share in few() {
            let first = whole(share.adds.first()?)?;
            let mut next = vec![0_u64; words];
            for add in &share.adds {
                let by = usize::try_from(whole(add)?.checked_sub(first)?).ok()?;
                shifted(&bits, by, &mut next);
            }
            bits = next;
        }
        let (mut lo, mut hi) = (Number::ZERO, Number::ZERO);
        for share in others().filter(|share| share.is_interval) {
            lo = &lo + share.adds.first()?;
            hi = &hi + share.adds.last()?;
        }
        Some(Sums { bits, base, scale, lo, hi })
    }
}

/// What a multiple of `a` must be multiplied by to be one of `b` too.
fn lcm_step(a: i64, b: i64) -> Option<i64> {
    b.checked_div(a.gcd(&b))
}

/// Adds the bits, moved up.
fn shifted(bits: &[u64], by: usize, into: &mut [u64]) {
    let (words, rest) = (by / 64, by % 64);
    for (at, word) in bits.iter().enumerate() {
        if let Some(place) = into.get_mut(at + words) {
            *place |= word << rest;
        }
        if rest > 0
            && let Some(place) = into.get_mut(at + words + 1)
        {
            *place |= word >> (64 - rest);
        }
    }
}

/// Both ends of what a slot may be, and whether there is something between them; `None` where there are no ends.
fn values(bounds: &Bounds) -> Option<(Vec<Number>, bool)> {
    if bounds.known == Known::Nothing {
        return Some((vec![Number::ZERO], false));
    }
    let (lo, hi) = bounds.interval()?;
    Some(if lo == hi { (vec![lo], false) } else { (vec![lo, hi], true) })
}

/// The sums of some slots: a set, and an interval that comes on top of each.
struct Sums {
    /// Bit k: (base + k) / scale.
    bits: Vec<u64>,
    base: i64,
    scale: Number,
    lo: Number,
    hi: Number,
}

impl Sums {
    /// Whether from some of the sums a slot that adds `from` to `to` touches a place.
    fn touch(&self, places: &[Place], from: &Number, to: &Number) -> bool {
        places.iter().any(|place| {
            // lo ≤ sum + (the interval's upper end) + to, and sum + (its lower end) + from ≤ hi.
            let least = &(&place.lo.at - &(&self.hi + to)) * &self.scale;
            let most = &(&place.hi.at - &(&self.lo + from)) * &self.scale;
            let mut first = least.round(Rounding::Up);
            if place.lo.open && first == least {
                first = &first + &Number::ONE;
            }
            let mut last = most.floor();
            if place.hi.open && last == most {
                last = &last - &Number::ONE;
            }
            let base = Number::int(self.base);
            let top = i64::try_from(self.bits.len() * 64 - 1).unwrap_or(i64::MAX);
            let first = (&first - &base).max(Number::ZERO).to_i64().unwrap_or(i64::MAX);
            let last = (&last - &base).min(Number::int(top)).to_i64().unwrap_or(-1);
            (first..=last).any(|bit| {
                let at = usize::try_from(bit).unwrap_or(usize::MAX);
                self.bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
            })
        })
    }
}
