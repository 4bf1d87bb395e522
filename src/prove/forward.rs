//! From the domains of an operator's slots to what may come out.
//!
//! The hull of closed intervals is that of [`Step::hull`], which is exact. What is added here is which ends are left out, and
//! that of a gate, `if` and `otherwise` every way is looked at by itself. Where it is not known whether an end is reached, it
//! is kept, which is always sound.

use super::domain::{Domain, End};
use crate::catalog::{Op, UnknownPolicy};
use crate::number::{Number, Rounding};
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use std::cmp::Ordering;

/// What may come out. Empty where nothing may go in.
pub(super) fn forward(step: &Step, inputs: &[Domain]) -> Domain {
    if inputs.iter().any(Domain::is_empty) {
        return Domain::empty();
    }
    match step.op {
        Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => gate(step, inputs),
        Op::If => branch(inputs),
        Op::Otherwise => match inputs {
            [x, v] if x.may_be_unknown() => x.known_part().or(v.clone()),
            [x, ..] => x.clone(),
            [] => Domain::empty(),
        },
        _ => {
            let bounds: Vec<Bounds> = inputs.iter().map(|domain| domain.bounds.clone()).collect();
            let hull = Domain::closed(step.hull(&bounds));
            if inputs.iter().any(Domain::is_open) { sharpened(step, inputs, hull) } else { hull }
        }
    }
}

/// How a gate comes to its result: unchanged, changed, or unknown because its trigger is.
pub(super) fn ways(step: &Step, trigger: &Domain) -> (bool, bool, bool) {
    let (mut passes, mut fires) = trigger.bounds.bools();
    let mut unknown = false;
    if trigger.may_be_unknown() {
        match step.params.unknown {
            Some(UnknownPolicy::Fires) => fires = true,
            Some(UnknownPolicy::Passes) => passes = true,
            _ => unknown = true,
        }
    }
    (passes, fires, unknown)
}

fn gate(step: &Step, inputs: &[Domain]) -> Domain {
    let [base, trigger, rest @ ..] = inputs else { return Domain::empty() };
    let (passes, fires, unknown) = ways(step, trigger);
    let mut all = if passes { base.clone() } else { Domain::empty() };
    if fires {
        all = all.or(fired(step, base, rest.first()));
    }
    if unknown {
        all = all.or(Domain::unknown());
    }
    all
}

/// Between which numbers a `clamp` cuts off. (The node's own type may be written wider.)
pub(super) fn clamped(step: &Step) -> Option<(&Number, &Number)> {
    step.params.to.as_ref().unwrap_or(&step.ty).interval()
}

/// What comes out of a gate that fires.
pub(super) fn fired(step: &Step, base: &Domain, limit: Option<&Domain>) -> Domain {
    let limit = match (step.op, limit) {
        (Op::Mask, _) | (_, None) => return Domain::unknown(),
        (Op::Veto | Op::Replace, Some(limit)) => return limit.clone(),
        (_, Some(limit)) => limit,
    };
    let unknown = base.may_be_unknown() || limit.may_be_unknown();
    let nothing = || Domain::closed(Bounds { known: Known::Nothing, unknown });
    let (Some((lo, hi)), Some((low, high))) = (base.ends(), limit.ends()) else { return nothing() };
    let (lo, hi) = match step.op {
        Op::Cap => (least(lo, low, true), least(hi, high, false)),
        Op::Floor => (greatest(lo, low, true), greatest(hi, high, false)),
        _ => {
            let bottom = End::closed(step.from.0.clone());
            let by = |x: End, by: End| End::new(&x.at - &by.at, x.open || by.open);
            (greatest(by(lo, high), bottom.clone(), true), greatest(by(hi, low), bottom, false))
        }
    };
    shaped(base, lo, hi, unknown)
}

/// An interval in the form of `like`: ranks where that holds labels.
fn shaped(like: &Domain, lo: End, hi: End, unknown: bool) -> Domain {
    match &like.bounds.known {
        Known::Labels(_) => {
            let rank = |end: &End| end.at.to_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
            let known = Known::Labels((rank(&lo)..=rank(&hi)).collect());
            Domain::closed(Bounds { known, unknown })
        }
        Known::Numbers { whole, .. } => {
            // An int base keeps whole numbers, and a limit of its type is whole too.
            let whole = *whole && lo.at.is_integer() && hi.at.is_integer();
            Domain::numbers(lo, hi, whole, unknown)
        }
        _ => Domain::numbers(lo, hi, false, unknown),
    }
}

/// The end of min(x, y), where x and y run to these ends. A lower end is reached if either reaches it; an upper end only if
/// both of those that lie there do.
pub(super) fn least(x: End, y: End, is_lower: bool) -> End {
    match x.at.cmp(&y.at) {
        Ordering::Less => x,
        Ordering::Greater => y,
        Ordering::Equal => {
            let open = if is_lower { x.open && y.open } else { x.open || y.open };
            End { open, ..x }
        }
    }
}

/// The end of max(x, y).
pub(super) fn greatest(x: End, y: End, is_lower: bool) -> End {
    match x.at.cmp(&y.at) {
        Ordering::Greater => x,
        Ordering::Less => y,
        Ordering::Equal => {
            let open = if is_lower { x.open || y.open } else { x.open && y.open };
            End { open, ..x }
        }
    }
}

fn branch(inputs: &[Domain]) -> Domain {
    let [condition, then, other] = inputs else { return Domain::empty() };
    let (no, yes) = condition.bounds.bools();
    let mut all = if yes { then.clone() } else { Domain::empty() };
    if no {
        all = all.or(other.clone());
    }
    if condition.may_be_unknown() {
        all = all.or(Domain::unknown());
    }
    all
}

/// The hull with those ends left out that are surely not reached.
fn sharpened(step: &Step, inputs: &[Domain], hull: Domain) -> Domain {
    let Some(x) = inputs.first() else { return hull };
    match step.op {
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
            return comparison(step.op, x, inputs.get(1).unwrap_or(x)).unwrap_or(hull);
        }
        Op::Bands => return bands(step, x, hull),
        _ => {}
    }
    let Known::Numbers { lo, hi, whole: false } = &hull.bounds.known else { return rounded(step, x, hull) };
    let (mut lo, mut hi) = (End::closed(lo.clone()), End::closed(hi.clone()));
    match step.op {
        Op::Normalize | Op::Rescale => (lo.open, hi.open) = x.open,
        Op::Invert => (hi.open, lo.open) = x.open,
        Op::Clamp => {
            if let (Some((a, b)), Some((low, high))) = (x.ends(), clamped(step)) {
                lo.open = a.open && *low <= a.at && a.at < *high;
                hi.open = b.open && b.at <= *high && *low < b.at;
            }
        }
        Op::Round | Op::Quantize => return rounded(step, x, hull),
        Op::Piecewise => {
            if let Some(rises) = one_segment(step, x) {
                (lo.open, hi.open) = if rises { x.open } else { (x.open.1, x.open.0) };
            }
        }
        Op::Mean | Op::WeightedMean | Op::Tree | Op::Sum | Op::WeightedSum | Op::Add | Op::Subtract => {
            for (slot, input) in inputs.iter().enumerate() {
                if input.may_be_unknown() && !propagates(step) {
                    continue;
                }
                let falls = step.op == Op::WeightedSum && step.weight(slot).is_negative()
                    || step.op == Op::Subtract && slot == 1;
                lo.open |= if falls { input.open.1 } else { input.open.0 };
                hi.open |= if falls { input.open.0 } else { input.open.1 };
            }
        }
        Op::Min | Op::Max => {
            let settled = inputs.iter().all(|input| !input.may_be_unknown()) || propagates(step);
            let ends = || inputs.iter().filter_map(Domain::ends);
            if settled {
                let at = |end: &End, bound: &End| end.at == bound.at;
                let (a, b) = (lo.clone(), hi.clone());
                if step.op == Op::Min {
                    lo.open = ends().filter(|(l, _)| at(l, &a)).all(|(l, _)| l.open);
                    hi.open = ends().any(|(_, h)| at(&h, &b) && h.open);
                } else {
                    lo.open = ends().any(|(l, _)| at(&l, &a) && l.open);
                    hi.open = ends().filter(|(_, h)| at(h, &b)).all(|(_, h)| h.open);
                }
            }
        }
        _ => return hull,
    }
    if lo.at == hi.at {
        // One value that is not reached exactly at either end is reached in between, or the interval is empty; keep it.
        return hull;
    }
    Domain::numbers(lo, hi, false, hull.bounds.unknown)
}

/// Whether an unknown slot makes the node unknown, so that where the node is known all slots count.
pub(super) fn propagates(step: &Step) -> bool {
    matches!(step.params.unknown, None | Some(UnknownPolicy::Propagate))
}

/// Whether x lies in one segment of a `piecewise` that is not level, and whether that rises.
fn one_segment(step: &Step, x: &Domain) -> Option<bool> {
    let (lo, hi) = x.ends()?;
    let knots = &step.params.knots;
    let next = knots.partition_point(|(at, _)| *at <= lo.at);
    let (x1, y1) = knots.get(next)?;
    let (_, y0) = knots.get(next.checked_sub(1)?)?;
    (hi.at <= *x1 && y0 != y1).then_some(y1 > y0)
}

/// `round` and `quantize` between the limits at open ends.
fn rounded(step: &Step, x: &Domain, hull: Domain) -> Domain {
    let (Op::Round | Op::Quantize, Some((lo, hi)), Known::Numbers { whole, .. }) =
        (step.op, x.ends(), &hull.bounds.known)
    else {
        return hull;
    };
    let lowest = if lo.open { limit(step, &lo.at, true) } else { step.on_number(&lo.at) };
    let highest = if hi.open { limit(step, &hi.at, false) } else { step.on_number(&hi.at) };
    if lowest > highest {
        return hull;
    }
    Domain::numbers(End::closed(lowest), End::closed(highest), *whole, hull.bounds.unknown)
}

/// The value of a rounding just above (or below) a number. Between two multiples of half a step it is constant.
fn limit(step: &Step, x: &Number, above: bool) -> Number {
    let (scale, shift, grid) = match step.op {
        Op::Round => (Number::ONE, Number::ZERO, step.params.step.clone().unwrap_or(Number::ONE)),
        _ => (step.scale.clone(), step.shift.clone(), Number::ONE),
    };
    let (Some(half), Some(back)) = (Number::ratio(1, 2), Number::ONE.checked_div(&scale)) else {
        return step.on_number(x);
    };
    let half = &half * &grid;
    let z = &(&scale * x) + &shift;
    let near =
        if above { &z.round_step(&half, Rounding::Down) + &half } else { &z.round_step(&half, Rounding::Up) - &half };
    let between = (&z + &near).checked_div(&Number::int(2)).unwrap_or(z);
    step.on_number(&(&(&between - &shift) * &back))
}

/// The bands of what lies below an open upper end.
fn bands(step: &Step, x: &Domain, hull: Domain) -> Domain {
    let (Some((_, hi)), Known::Labels(mut labels)) = (x.ends(), hull.bounds.known.clone()) else { return hull };
    let edge = step.params.bands.iter().any(|band| band.below.as_ref() == Some(&hi.at));
    if hi.open && edge {
        let last = step.band(&hi.at);
        // The band that begins at the end is not reached; another band of the same label is not known to be, so keep one.
        if labels.len() > 1 {
            labels.retain(|label| Some(*label) != last);
        }
    }
    Domain::closed(Bounds { known: Known::Labels(labels), unknown: hull.bounds.unknown })
}

/// A comparison of numbers; `None` where the sides are none.
fn comparison(op: Op, a: &Domain, b: &Domain) -> Option<Domain> {
    let unknown = a.may_be_unknown() || b.may_be_unknown();
    let ((a_lo, a_hi), (b_lo, b_hi)) = (a.ends()?, b.ends()?);
    // Whether some x of the first is below (or at) some y of the second.
    let below = |x: &End, y: &End| x.at < y.at;
    let at_most = |x: &End, y: &End| x.at < y.at || x.at == y.at && !x.open && !y.open;
    let meets = at_most(&a_lo, &b_hi) && at_most(&b_lo, &a_hi) && {
        let both = a.known_part().and(&b.known_part());
        both.has_known()
    };
    let differs = !(a_lo.at == a_hi.at && b_lo.at == b_hi.at && a_lo.at == b_lo.at);
    let (no, yes) = match op {
        Op::Less => (at_most(&b_lo, &a_hi), below(&a_lo, &b_hi)),
        Op::LessEqual => (below(&b_lo, &a_hi), at_most(&a_lo, &b_hi)),
        Op::Greater => (at_most(&a_lo, &b_hi), below(&b_lo, &a_hi)),
        Op::GreaterEqual => (below(&a_lo, &b_hi), at_most(&b_lo, &a_hi)),
        Op::Equal => (differs, meets),
        _ => (meets, differs),
    };
    Some(Domain::bools(no, yes, unknown))
}
