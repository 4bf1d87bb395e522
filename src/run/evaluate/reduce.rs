//! The REDUCE operators: from many slots to one value, with a declared policy for the unknown ones.
//!
//! Every operator first goes through its slots in order ([`Step::gather`]), which settles what an unknown slot means:
//! left out (`skip`), a constant, the value that makes the node lowest or highest, or the whole node is unknown. Where
//! nothing is left, the node is unknown. The two operators whose unknown slots must be settled together (`product` and
//! `vote` under `lowest` and `highest`) do that themselves.

use super::numbers::{compared, number, truth};
use super::step::{Inputs, ONE, Step, ZERO, range};
use crate::catalog::{Op, UnknownPolicy};
use crate::number::{Number, geometric_mean};
use crate::types::Value;
use smallvec::SmallVec;

/// Slots up to which `median` sorts without allocating.
const FEW_SLOTS: usize = 16;

impl Step {
    pub(super) fn reduce<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let number = match self.op {
            Op::Min | Op::Max => return self.extreme(inputs),
            Op::All | Op::Any => return self.all_or_any(inputs),
            Op::Vote => return self.vote(inputs),
            Op::Points | Op::SumPoints => return self.points(inputs),
            Op::Mean | Op::WeightedMean | Op::Tree | Op::Fraction => self.mean(inputs),
            Op::Sum | Op::WeightedSum | Op::Count => self.sum(inputs),
            Op::Product => self.product(inputs),
            Op::Median => self.median(inputs),
            Op::HarmonicMean => self.harmonic_mean(inputs),
            _ => self.geometric_mean(inputs),
        };
        number.map_or(Value::Unknown, Value::Number)
    }

    /// Hands every slot that counts to `take`, in order, and counts them; `None` where the node is unknown.
    fn gather<'a, I: Inputs + ?Sized>(
        &'a self,
        inputs: &'a I,
        mut take: impl FnMut(usize, &'a Value),
    ) -> Option<usize> {
        let mut taken = 0;
        for slot in 0..self.slots.len() {
            let mut value = inputs.at(slot);
            if value.is_unknown() {
                value = match &self.params.unknown {
                    Some(UnknownPolicy::Skip) => continue,
                    Some(UnknownPolicy::Constant(stand_in)) => stand_in,
                    Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) => self.stand_ins.get(slot)?,
                    _ => return None,
                };
            }
            taken += 1;
            take(slot, value);
        }
        (taken > 0).then_some(taken)
    }

    /// As [`Step::gather`], for numbers.
    fn gather_numbers<'a, I: Inputs + ?Sized>(
        &'a self,
        inputs: &'a I,
        mut take: impl FnMut(usize, &'a Number),
    ) -> Option<usize> {
        let mut odd = false;
        let taken = self.gather(inputs, |slot, value| match number(value) {
            Some(n) => take(slot, n),
            None => odd = true,
        })?;
        // A value that is no number: no typed program has it, and no score may come of it.
        (!odd).then_some(taken)
    }

    /// Σ w·x / Σ w over the slots that are left; without weights the plain mean, of bools the share that is true.
    fn mean<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        let mut sum = Number::ZERO;
        let mut weights = Number::ZERO;
        let weighted = !self.params.weights.is_empty() && self.op != Op::Fraction;
        let taken = self.gather_numbers(inputs, |slot, x| {
            if weighted {
                let weight = self.weight(slot);
                sum = &sum + &(weight * x);
                if self.params.unknown.is_some() {
                    weights = &weights + weight;
                }
            } else {
                sum = &sum + x;
            }
        })?;
        match (weighted, self.params.unknown.is_some()) {
            (true, true) => sum.checked_div(&weights),
            (true, false) => sum.checked_div(&self.total),
            (false, _) => sum.checked_div(&Number::from(taken)),
        }
    }

    fn sum<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        let mut sum = Number::ZERO;
        let weighted = self.op == Op::WeightedSum;
        self.gather_numbers(inputs, |slot, x| {
            sum = if weighted { &sum + &(self.weight(slot) * x) } else { &sum + x };
        })?;
        Some(sum)
    }

    /// The product. Under `lowest` and `highest` the unknown slots together take, from their intervals, what makes it so.
    fn product<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        if !matches!(self.params.unknown, Some(UnknownPolicy::Lowest | UnknownPolicy::Highest)) {
            let mut product = Number::ONE;
            self.gather_numbers(inputs, |_, x| product = &product * x)?;
            return Some(product);
        }
        let mut ends = (Number::ONE, Number::ONE);
        for slot in 0..self.slots.len() {
            let value = inputs.at(slot);
            let interval = match number(value) {
                Some(n) => (n.clone(), n.clone()),
                None => self.slot_types.get(slot).and_then(Option::as_ref).and_then(range)?,
            };
            ends = product_of_intervals(&ends, &interval);
        }
        Some(if self.params.unknown == Some(UnknownPolicy::Lowest) { ends.0 } else { ends.1 })
    }

    /// The middle value; of an even count the mean of the middle two.
    fn median<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        let mut sorted: SmallVec<[&Number; FEW_SLOTS]> = SmallVec::new();
        let taken = self.gather_numbers(inputs, |_, x| sorted.push(x))?;
        sorted.sort_unstable();
        let upper = *sorted.get(taken / 2)?;
        if taken % 2 == 1 {
            return Some(upper.clone());
        }
        let lower = *sorted.get(taken / 2 - 1)?;
        (lower + upper).checked_div(&Number::int(2))
    }

    /// count / Σ 1/x; 0 where some x is 0.
    fn harmonic_mean<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        let mut inverses = Number::ZERO;
        let mut zero = false;
        let taken = self.gather_numbers(inputs, |_, x| match ONE.checked_div(x) {
            Some(inverse) => inverses = &inverses + &inverse,
            None => zero = true,
        })?;
        if zero { Some(Number::ZERO) } else { Number::from(taken).checked_div(&inverses) }
    }

    /// Correctly rounded to 12 places, and then kept between the ends of the slots' interval, which rounding may cross by
    /// less than 10⁻¹² where an end has more places than that.
    fn geometric_mean<I: Inputs + ?Sized>(&self, inputs: &I) -> Option<Number> {
        let mut all: Vec<Number> = Vec::with_capacity(self.slots.len());
        self.gather_numbers(inputs, |_, x| all.push(x.clone()))?;
        let mean = geometric_mean(&all)?;
        Some(self.within_slots(mean))
    }

    /// A number kept inside the interval that the slots share.
    pub(crate) fn within_slots(&self, x: Number) -> Number {
        x.max(self.from.0.clone()).min(self.from.1.clone())
    }

    /// `min` and `max`, of numbers and of ordinals.
    fn extreme<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let mut best: Option<&Value> = None;
        let highest = self.op == Op::Max;
        let taken = self.gather(inputs, |_, value| {
            let better =
                best.is_none_or(|b| compared(value, b).is_some_and(|o| if highest { o.is_gt() } else { o.is_lt() }));
            if better {
                best = Some(value);
            }
        });
        taken.and(best).cloned().unwrap_or(Value::Unknown)
    }

    /// `all` and `any`. Under `propagate` they are Kleene: a slot that decides does so whatever the unknown ones are.
    fn all_or_any<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let decisive = self.op == Op::Any;
        if matches!(self.params.unknown, None | Some(UnknownPolicy::Propagate)) {
            return self.kleene(inputs, decisive);
        }
        let mut decided = false;
        let taken = self.gather(inputs, |_, value| decided |= value.as_bool() == Some(decisive));
        truth(taken.map(|_| decided == decisive))
    }

    /// `points`: Σ points met / Σ positive points; `sum_points`: Σ points met. An unknown item that is left out leaves both
    /// sums; where no positive item is left, `points` has nothing to divide by and is unknown.
    fn points<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        let mut tally = Tally { met: Number::ZERO, positive: Number::ZERO, left: 0 };
        for slot in 0..self.slots.len() {
            let settled = match inputs.at(slot) {
                Value::Items(items) => items.iter().all(|item| self.count_item(&mut tally, &item.points, item.met)),
                value => self.count_item(&mut tally, self.weight(slot), value.as_bool()),
            };
            if !settled {
                return Value::Unknown;
            }
        }
        // A list that came with the record may be empty; only what was left out leaves nothing.
        if tally.left == 0 && self.params.unknown == Some(UnknownPolicy::Skip) {
            return Value::Unknown;
        }
        if self.op == Op::SumPoints {
            return Value::Number(tally.met);
        }
        tally.met.checked_div(&tally.positive).map_or(Value::Unknown, Value::Number)
    }

    /// Adds one item to the sums; `false` where its being unknown makes the node unknown.
    fn count_item(&self, tally: &mut Tally, points: &Number, met: Option<bool>) -> bool {
        let met = match (met, &self.params.unknown) {
            (Some(met), _) => met,
            (None, Some(UnknownPolicy::Skip)) => return true,
            (None, Some(UnknownPolicy::Constant(stand_in))) => match number(stand_in) {
                Some(n) => !n.is_zero(),
                None => return false,
            },
            (None, Some(UnknownPolicy::Lowest)) => points.is_negative(),
            (None, Some(UnknownPolicy::Highest)) => points.is_positive(),
            (None, _) => return false,
        };
        tally.left += 1;
        if points.is_positive() {
            tally.positive = &tally.positive + points;
        }
        if met {
            tally.met = &tally.met + points;
        }
        true
    }
}

/// The two sums of `points`.
struct Tally {
    met: Number,
    positive: Number,
    left: usize,
}

/// The lowest and highest product of a number of each interval.
pub(crate) fn product_of_intervals(a: &(Number, Number), b: &(Number, Number)) -> (Number, Number) {
    let ends = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
    let lo = ends.iter().min().unwrap_or(&ZERO).clone();
    let hi = ends.iter().max().unwrap_or(&ZERO).clone();
    (lo, hi)
}
