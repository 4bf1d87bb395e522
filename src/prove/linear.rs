//! Sums, means and points turned round: what each slot may be, given what comes out.
//!
//! All of these are Σ n / Σ d over the slots that count (or Σ n alone), where slot i adds n = w·x and d. That the result is at
//! least L says Σ (n − L·d) ≥ 0, which is one linear inequality, whichever slots drop out: a slot that drops out adds
//! nothing. So a slot is held to what the others, at their best, leave to it.

use super::backward::{from_on, up_to};
use super::domain::{Domain, End};
use super::forward::propagates;
use crate::catalog::{Op, UnknownPolicy};
use crate::number::Number;
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;

/// What a slot adds.
pub(super) struct Slot {
    /// The factor of its value.
    pub(super) weight: Number,
    /// What it adds below the line.
    pub(super) share: Number,
    /// The number that stands for `unknown`; `None` where an unknown slot adds nothing.
    pub(super) stand_in: Option<Number>,
}

/// Whether an operator is Σ n / Σ d or Σ n over its slots, as [`describe`] says what each adds.
pub(super) fn adds_up(op: Op) -> bool {
    matches!(
        op,
        Op::Sum
            | Op::WeightedSum
            | Op::Count
            | Op::Mean
            | Op::WeightedMean
            | Op::Tree
            | Op::Fraction
            | Op::Points
            | Op::SumPoints
            | Op::Add
            | Op::Subtract
    )
}

pub(super) fn narrow(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let Some((lo, hi)) = out.ends() else { return };
    let skips = step.params.unknown == Some(UnknownPolicy::Skip);
    if out.may_be_unknown() && propagates(step) {
        return;
    }
    let slots: Vec<Slot> = (0..inputs.len()).map(|slot| describe(step, slot)).collect();
    let over_all = slots.iter().all(|slot| slot.share.is_zero()) && !matches!(step.op, Op::Points);
    // Where the result may be unknown because everything dropped out, a slot that is there makes it known; of `points` only a
    // positive one does.
    let binds = |slot: &Slot| !out.may_be_unknown() || skips && (step.op != Op::Points || slot.weight.is_positive());
    let settled = !out.may_be_unknown();
    bound(&slots, &lo, (over_all, false, settled), &binds, inputs);
    bound(&slots, &hi, (over_all, true, settled), &binds, inputs);
}

/// What a slot of a sum, a mean or `points` adds.
pub(super) fn describe(step: &Step, slot: usize) -> Slot {
    let one = Number::ONE;
    let weight = match step.op {
        Op::WeightedSum | Op::WeightedMean | Op::Tree | Op::Points | Op::SumPoints => step.weight(slot).clone(),
        Op::Subtract if slot == 1 => -one,
        _ => one,
    };
    let share = match step.op {
        Op::Mean | Op::Fraction => Number::ONE,
        Op::WeightedMean | Op::Tree => weight.clone(),
        Op::Points if weight.is_positive() => weight.clone(),
        _ => Number::ZERO,
    };
    let number = |bounds: Bounds| bounds.interval().map(|(n, _)| n);
    let stand_in = match &step.params.unknown {
        Some(UnknownPolicy::Constant(value)) => number(Bounds::exactly(value)),
        Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) => {
            step.stand_ins.get(slot).and_then(|value| number(Bounds::exactly(value)))
        }
        _ => None,
    };
    Slot { weight, share, stand_in }
}

/// Holds every slot to Σ (n − L·d) ≥ 0 (with `upper`, ≤ 0), where L is an end of the result. With `over_all` the result is Σ n
/// itself; `settled` says that it is surely known.
fn bound(
    slots: &[Slot],
    end: &End,
    (over_all, upper, settled): (bool, bool, bool),
    binds: &dyn Fn(&Slot) -> bool,
    inputs: &mut [Domain],
) {
    // Turned so that the sum must not be below 0: with `upper`, everything changes its sign.
    let sign = if upper { -Number::ONE } else { Number::ONE };
    let adds = |slot: &Slot, x: &Number| &sign * &(&(&slot.weight * x) - &(&end.at * &slot.share));
    let mut best: Vec<(Number, bool)> = Vec::with_capacity(slots.len());
    let mut total = if over_all { &sign * &-end.at.clone() } else { Number::ZERO };
    let mut unreached = 0_usize;
    for (slot, input) in slots.iter().zip(inputs.iter()) {
        let mut ways: Vec<(Number, bool)> = Vec::new();
        if let Some((lo, hi)) = input.ends() {
            let (a, b) = (adds(slot, &lo.at), adds(slot, &hi.at));
            ways.push(if a > b { (a, lo.open) } else { (b, hi.open) });
        }
        if input.may_be_unknown() {
            ways.push((slot.stand_in.as_ref().map_or(Number::ZERO, |x| adds(slot, x)), false));
        }
        let Some(most) = ways.iter().map(|(n, _)| n).max().cloned() else { return };
        let open = ways.iter().filter(|(n, _)| *n == most).all(|(_, open)| *open);
        total = &total + &most;
        unreached += usize::from(open);
        best.push((most, open));
    }
    for ((slot, input), (most, open)) in slots.iter().zip(inputs.iter_mut()).zip(&best) {
        if !binds(slot) {
            continue;
        }
        // What this slot must add at the least.
        let least = &-(&total - most);
        let strictly = end.open || unreached > usize::from(*open);
        let enough = |n: &Number| if strictly { n > least } else { n >= least };
        // Where everything may drop out, one more that does is no fault.
        if settled && input.may_be_unknown() {
            let adds = slot.stand_in.as_ref().map_or(Number::ZERO, |x| adds(slot, x));
            if !enough(&adds) {
                input.bounds.unknown = false;
            }
        }
        // sign · (w·x − L·d) ≥ least
        let factor = &sign * &slot.weight;
        let Some(at) = (least + &(&(&sign * &end.at) * &slot.share)).checked_div(&factor) else { continue };
        if !input.has_known() {
            continue;
        }
        let held = End::new(at, strictly);
        *input = if factor.is_negative() { up_to(input, held) } else { from_on(input, held) };
        if input.bounds.known == Known::Nothing && !input.may_be_unknown() {
            return;
        }
    }
}
