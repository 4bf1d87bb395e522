//! Hulls of the numeric REDUCE operators.
//!
//! What an unknown slot means is settled first: either a value may stand for it, or (`skip`) the slot may be absent. Every
//! operator here rises with each slot (falls, where a weight is negative), so without absent slots its ends are reached at
//! the ends of the slots.
//!
//! With slots that may be absent, the highest value is reached at the highest ends with the best choice of which optional
//! slots are present. For sums the choice is slot by slot. For the means, taking a slot in helps exactly while it is above
//! the mean so far, so the best choice is a prefix of the optional slots sorted by value: all prefixes are tried. For a
//! weighted mean that is the greedy solution of a fractional programme, max (N + Σ aᵢ) / Σ bᵢ with bᵢ > 0, whose optimum r
//! takes in the i with aᵢ > r · bᵢ (Dinkelbach 1967).

use super::Bounds;
use crate::catalog::{Op, UnknownPolicy};
use crate::number::{Number, geometric_mean};
use crate::run::evaluate::{Step, product_of_intervals, range};
use crate::types::Value;

/// Optional slots up to which `median`, `geometric_mean` and `harmonic_mean` try every prefix; with more of them the bounds
/// are the lowest and highest slot.
pub const MOST_OPTIONAL: usize = 256;

/// A slot after its policy: what it may be, and whether it may be absent.
struct Part {
    slot: usize,
    lo: Number,
    hi: Number,
    absent: bool,
}

/// A fraction's contribution: to the numerator, and (positive) to the denominator.
pub(super) type Share = (Number, Number);

impl Step {
    pub(super) fn reduce_hull(&self, inputs: &[Bounds]) -> Bounds {
        if self.op == Op::Product && matches!(self.params.unknown, Some(UnknownPolicy::Lowest | UnknownPolicy::Highest))
        {
            return self.extreme_product(inputs);
        }
        let unknown = match &self.params.unknown {
            Some(UnknownPolicy::Skip) => inputs.iter().all(|b| b.unknown),
            None | Some(UnknownPolicy::Propagate) => {
                if inputs.iter().any(Bounds::only_unknown) {
                    return Bounds::default();
                }
                inputs.iter().any(|b| b.unknown)
            }
            Some(_) => false,
        };
        let parts: Vec<Part> = inputs.iter().enumerate().filter_map(|(slot, bounds)| self.part(slot, bounds)).collect();
        match self.ends_of(&parts) {
            Some((lo, hi)) => Bounds::numbers(lo, hi, &self.ty, unknown),
            None => Bounds::default(),
        }
    }

    fn part(&self, slot: usize, bounds: &Bounds) -> Option<Part> {
        let stand_in = match &self.params.unknown {
            Some(UnknownPolicy::Constant(value)) => Some(value),
            Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) => self.stand_ins.get(slot),
            _ => None,
        };
        let known = bounds.interval();
        // A number may stand for an unknown bool (in a `tree`), so the two are joined as numbers.
        let stands = stand_in.filter(|_| bounds.unknown).and_then(|value| Bounds::exactly(value).interval());
        let (lo, hi) = match (known, stands) {
            (Some((lo, hi)), Some((a, b))) => (lo.min(a), hi.max(b)),
            (known, stands) => known.or(stands)?,
        };
        let absent = bounds.unknown && self.params.unknown == Some(UnknownPolicy::Skip);
        Some(Part { slot, lo, hi, absent })
    }

    /// The lowest and highest value over the parts; `None` where there is no part.
    fn ends_of(&self, parts: &[Part]) -> Option<(Number, Number)> {
        let lows = || parts.iter().map(|part| (part, &part.lo));
        let highs = || parts.iter().map(|part| (part, &part.hi));
        match self.op {
            Op::Min => Some((lows().map(|(_, x)| x).min()?.clone(), extreme(highs(), false)?)),
            Op::Max => Some((extreme(lows(), true)?, highs().map(|(_, x)| x).max()?.clone())),
            Op::Sum | Op::WeightedSum | Op::Count => Some((self.sum_end(parts, false)?, self.sum_end(parts, true)?)),
            Op::Product => product_ends(parts),
            Op::Mean | Op::WeightedMean | Op::Tree | Op::Fraction => {
                let weight = |part: &Part| match self.op {
                    Op::WeightedMean | Op::Tree => self.weight(part.slot).clone(),
                    _ => Number::ONE,
                };
                let end = |highest: bool| {
                    let (mut forced, mut optional) = (Vec::new(), Vec::new());
                    for part in parts {
                        let weight = weight(part);
                        let x = if highest { &part.hi } else { &part.lo };
                        let share = (&weight * x, weight);
                        if part.absent { optional.push(share) } else { forced.push(share) }
                    }
                    fraction_end(&Number::ZERO, &forced, optional, highest)
                };
                Some((end(false)?, end(true)?))
            }
            _ => {
                let of = |values: &[&Number]| self.symmetric(values);
                Some((prefix_end(lows(), false, &of)?, prefix_end(highs(), true, &of)?))
            }
        }
    }

    /// Median, geometric and harmonic mean of known numbers.
    fn symmetric(&self, values: &[&Number]) -> Option<Number> {
        let inputs: Vec<Value> = values.iter().map(|x| Value::Number((*x).clone())).collect();
        match self.op {
            Op::Median => {
                let mut sorted = values.to_vec();
                sorted.sort_unstable();
                let upper = *sorted.get(sorted.len() / 2)?;
                if sorted.len() % 2 == 1 {
                    return Some(upper.clone());
                }
                let lower = *sorted.get(sorted.len() / 2 - 1)?;
                (lower + upper).checked_div(&Number::int(2))
            }
            Op::HarmonicMean => {
                let inverses = values.iter().map(|x| Number::ONE.checked_div(x)).collect::<Option<Vec<_>>>();
                match inverses {
                    Some(all) => Number::from(all.len()).checked_div(&all.iter().sum()),
                    None => Some(Number::ZERO),
                }
            }
            _ => {
                let numbers: Vec<Number> = inputs.into_iter().filter_map(|v| v.as_number().cloned()).collect();
                Some(self.within_slots(geometric_mean(&numbers)?))
            }
        }
    }

    /// One end of Σ w·x. Where every part may be absent, one of them still has to be there.
    fn sum_end(&self, parts: &[Part], highest: bool) -> Option<Number> {
        let mut sum = Number::ZERO;
        let mut present = false;
        let mut nearest: Option<Number> = None;
        for part in parts {
            let weight = if self.op == Op::WeightedSum { self.weight(part.slot).clone() } else { Number::ONE };
            let (a, b) = (&weight * &part.lo, &weight * &part.hi);
            let end = if highest { a.max(b) } else { a.min(b) };
            if !part.absent || end.is_positive() == highest && !end.is_zero() {
                sum = &sum + &end;
                present = true;
            }
            let nearer = nearest.as_ref().is_none_or(|n| if highest { end > *n } else { end < *n });
            if nearer {
                nearest = Some(end);
            }
        }
        if present { Some(sum) } else { nearest }
    }

    /// The hull of a product whose unknown slots take, together, what makes it lowest (highest).
    ///
    /// Downwards, an unknown slot is as good as one that is free in its whole interval. Upwards, a slot that may be known had
    /// better be; then, over p from the known slots, the lowest of p · q is a concave function of p, whose
    /// greatest value lies at an end of p's interval or at 0. (`highest` is the mirror image.)
    fn extreme_product(&self, inputs: &[Bounds]) -> Bounds {
        let highest = self.params.unknown == Some(UnknownPolicy::Highest);
        let one = (Number::ONE, Number::ONE);
        let (mut free, mut known, mut forced) = (one.clone(), one.clone(), one);
        for (slot, bounds) in inputs.iter().enumerate() {
            let whole = self.slot_types.get(slot).and_then(Option::as_ref).and_then(range);
            let interval = bounds.interval();
            if let Some(interval) = interval.as_ref().filter(|_| !bounds.unknown).or(whole.as_ref()) {
                free = product_of_intervals(&free, interval);
            }
            match (&interval, &whole) {
                (Some(interval), _) => known = product_of_intervals(&known, interval),
                (None, Some(whole)) => forced = product_of_intervals(&forced, whole),
                (None, None) => {}
            }
        }
        let settle = |p: &Number| {
            let (a, b) = (p * &forced.0, p * &forced.1);
            if highest { a.max(b) } else { a.min(b) }
        };
        let mut settled = vec![settle(&known.0), settle(&known.1)];
        if known.0.is_negative() && known.1.is_positive() {
            settled.push(Number::ZERO);
        }
        let (lo, hi) = if highest {
            (settled.into_iter().min().unwrap_or_default(), free.1)
        } else {
            (free.0, settled.into_iter().max().unwrap_or_default())
        };
        Bounds::numbers(lo, hi, &self.ty, false)
    }
}

/// The end of a `min` or `max` that absent slots can move: the highest that the lowest can be (or the other way round). The
/// slots that are surely there hold it; where none is, one slot alone is best.
fn extreme<'a>(values: impl Iterator<Item = (&'a Part, &'a Number)> + Clone, lowest: bool) -> Option<Number> {
    let forced = values.clone().filter(|(part, _)| !part.absent).map(|(_, x)| x);
    // `min` upwards: the lowest of the forced ones, or else the highest of all; `max` downwards the mirror image.
    let held = if lowest { forced.max() } else { forced.min() };
    let held = match held {
        Some(x) => Some(x),
        None if lowest => values.map(|(_, x)| x).min(),
        None => values.map(|(_, x)| x).max(),
    };
    held.cloned()
}

/// The hull of a product of parts that may be absent, one at least being there.
fn product_ends(parts: &[Part]) -> Option<(Number, Number)> {
    if parts.is_empty() {
        return None;
    }
    let one = (Number::ONE, Number::ONE);
    let present = |part: &Part| (part.lo.clone(), part.hi.clone());
    let perhaps = |part: &Part| {
        let (lo, hi) = present(part);
        if part.absent { (lo.min(Number::ONE), hi.max(Number::ONE)) } else { (lo, hi) }
    };
    if parts.iter().any(|part| !part.absent) {
        return Some(parts.iter().fold(one, |all, part| product_of_intervals(&all, &perhaps(part))));
    }
    // Each part in turn is the one that is there; the parts before and after it are products made once.
    let mut after = vec![one.clone()];
    for part in parts.iter().rev() {
        let last = after.last().unwrap_or(&one);
        let next = product_of_intervals(last, &perhaps(part));
        after.push(next);
    }
    let mut before = one;
    let mut hull: Option<(Number, Number)> = None;
    for (part, after) in parts.iter().zip(after.iter().rev().skip(1)) {
        let with = product_of_intervals(&product_of_intervals(&before, &present(part)), after);
        hull = Some(match hull {
            Some((lo, hi)) => (lo.min(with.0), hi.max(with.1)),
            None => with,
        });
        before = product_of_intervals(&before, &perhaps(part));
    }
    hull
}

/// One end of a symmetric mean over all choices of the optional values: forced ones with every prefix of the sorted rest.
fn prefix_end<'a>(
    values: impl Iterator<Item = (&'a Part, &'a Number)>,
    highest: bool,
    of: &dyn Fn(&[&Number]) -> Option<Number>,
) -> Option<Number> {
    let (mut chosen, mut optional) = (Vec::new(), Vec::new());
    for (part, x) in values {
        if part.absent { optional.push(x) } else { chosen.push(x) }
    }
    optional.sort_unstable();
    if highest {
        optional.reverse();
    }
    if optional.len() > MOST_OPTIONAL {
        chosen.extend(optional);
        return if highest { chosen.into_iter().max().cloned() } else { chosen.into_iter().min().cloned() };
    }
    let mut best = if chosen.is_empty() { None } else { of(&chosen) };
    for x in optional {
        chosen.push(x);
        let next = of(&chosen);
        best = match (best, next) {
            (Some(a), Some(b)) => Some(if highest { a.max(b) } else { a.min(b) }),
            (a, b) => a.or(b),
        };
    }
    best
}

/// One end of (base + Σ a) / Σ b over the forced shares and any choice of optional ones, one share at least.
///
/// Without forced shares the best choice may be a single share that is no prefix (where `base` pulls away from 0), so
/// single shares are tried as well.
pub(super) fn fraction_end(base: &Number, forced: &[Share], mut optional: Vec<Share>, highest: bool) -> Option<Number> {
    let mut best: Option<Number> = None;
    let mut offer = |numerator: &Number, denominator: &Number| {
        if let Some(value) = numerator.checked_div(denominator) {
            let better = best.as_ref().is_none_or(|b| if highest { value > *b } else { value < *b });
            if better {
                best = Some(value);
            }
        }
    };
    // a / b against c / d with b, d > 0.
    optional.sort_unstable_by(|(a, b), (c, d)| if highest { (c * b).cmp(&(a * d)) } else { (a * d).cmp(&(c * b)) });
    let mut numerator = base.clone();
    let mut denominator = Number::ZERO;
    for (a, b) in forced {
        numerator = &numerator + a;
        denominator = &denominator + b;
    }
    offer(&numerator, &denominator);
    if forced.is_empty() {
        for (a, b) in &optional {
            offer(&(base + a), b);
        }
    }
    for (a, b) in &optional {
        numerator = &numerator + a;
        denominator = &denominator + b;
        offer(&numerator, &denominator);
    }
    best
}
