//! From what may come out of an operator to what its slots may still be.
//!
//! [`narrow`] takes values out of the slots that cannot lead into `out`, whatever the other slots are within their domains.
//! It never takes out more; it may leave some. Sums and means are in [`super::linear`]; conditions, gates and branches go
//! way by way; operators on one number are turned round; everything else is tried value by value where a slot has few.

use super::domain::{Domain, End};
use super::forward::{clamped, fired, forward, propagates, ways};
use super::linear;
use crate::catalog::{Op, UnknownPolicy};
use crate::number::{Number, Rounding};
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use crate::types::Value;

/// Slots with more values are not tried value by value.
const MOST_VALUES: u64 = 16;
/// Operators with more slots are not tried value by value.
const MOST_SLOTS: usize = 24;

/// Narrows `inputs` to what can lead into `out`. A slot that becomes empty says that nothing can.
pub(super) fn narrow(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    unknown_ones(step, out, inputs);
    match step.op {
        op if linear::adds_up(op) => linear::narrow(step, out, inputs),
        Op::And | Op::Or | Op::All | Op::Any => connective(step, out, inputs),
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
            comparison(step.op, out, inputs);
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => gate(step, out, inputs),
        Op::If => branch(out, inputs),
        Op::Otherwise => otherwise(out, inputs),
        Op::Not => {
            if let Some(x) = inputs.first_mut() {
                let (no, yes) = out.bounds.bools();
                *x = x.and(&Domain::bools(yes, no, out.may_be_unknown()));
            }
        }
        Op::Known => {
            let (no, yes) = out.bounds.bools();
            if let Some(x) = inputs.first_mut() {
                if !yes {
                    *x = x.and(&Domain::unknown());
                }
                if !no {
                    x.bounds.unknown = false;
                }
            }
        }
        Op::Normalize | Op::Rescale | Op::Invert | Op::Clamp | Op::Round | Op::Quantize | Op::Piecewise | Op::Bands => {
            if let Some(x) = inputs.first_mut() {
                *x = preimage(step, out, x);
            }
        }
        Op::Has | Op::CountOf | Op::Size => counted(step, out, inputs),
        Op::Min | Op::Max => extreme(step, out, inputs),
        Op::Multiply | Op::Divide => factor(step.op, out, inputs),
        _ => by_value(step, out, inputs),
    }
}

/// What being unknown, or not, says of the slots of an operator that passes it through.
fn unknown_ones(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let strict = match step.op {
        Op::Normalize
        | Op::Rescale
        | Op::Clamp
        | Op::Invert
        | Op::Round
        | Op::Quantize
        | Op::Bands
        | Op::Piecewise
        | Op::Has
        | Op::Size
        | Op::CountOf
        | Op::Not
        | Op::Multiply
        | Op::Divide
        | Op::Equal
        | Op::NotEqual
        | Op::Less
        | Op::LessEqual
        | Op::Greater
        | Op::GreaterEqual => true,
        Op::Min | Op::Max | Op::Median | Op::Product | Op::GeometricMean | Op::HarmonicMean => propagates(step),
        op => linear::adds_up(op) && propagates(step),
    };
    if !strict {
        return;
    }
    if !out.may_be_unknown() {
        for input in inputs.iter_mut() {
            input.bounds.unknown = false;
        }
    }
    if !out.has_known() {
        let mut may = inputs.iter_mut().filter(|input| input.may_be_unknown());
        if let (Some(only), None) = (may.next(), may.next()) {
            *only = only.and(&Domain::unknown());
        }
    }
}

/// `and or all any`. One slot that is `decisive` decides.
fn connective(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let decisive = matches!(step.op, Op::Or | Op::Any);
    let may = |domain: &Domain, wanted: bool| domain.holds(&Value::Bool(wanted));
    let (decided, undecided) = (may(out, decisive), may(out, !decisive));
    let kleene = propagates(step);
    let stand_in = match &step.params.unknown {
        Some(UnknownPolicy::Constant(Value::Bool(b))) => Some(*b),
        _ => None,
    };
    // What counts as a slot that decides.
    let decides = |domain: &Domain| may(domain, decisive) || domain.may_be_unknown() && stand_in == Some(decisive);
    if !decided {
        for input in inputs.iter_mut() {
            *input = input.without(&Value::Bool(decisive));
            if stand_in == Some(decisive) {
                input.bounds.unknown = false;
            }
            if kleene && !out.may_be_unknown() {
                input.bounds.unknown = false;
            }
        }
        if kleene && !undecided {
            // Only unknown: some slot must be.
            let mut open = inputs.iter_mut().filter(|input| input.may_be_unknown());
            if let (Some(only), None) = (open.next(), open.next()) {
                *only = only.and(&Domain::unknown());
            }
        }
        return;
    }
    if !undecided && !out.may_be_unknown() {
        let mut open = inputs.iter_mut().filter(|input| decides(input));
        if let (Some(only), None) = (open.next(), open.next()) {
            let known = only.without(&Value::Bool(!decisive));
            *only = known;
            if stand_in != Some(decisive) {
                only.bounds.unknown = false;
            }
        }
    }
}

/// Narrows both sides of a comparison whose answer is settled.
fn comparison(op: Op, out: &Domain, inputs: &mut [Domain]) {
    let [left, right] = inputs else { return };
    if out.may_be_unknown() {
        return;
    }
    let op = match (out.holds(&Value::Bool(true)), out.holds(&Value::Bool(false))) {
        (true, false) => op,
        (false, true) => match op {
            Op::Less => Op::GreaterEqual,
            Op::LessEqual => Op::Greater,
            Op::Greater => Op::LessEqual,
            Op::GreaterEqual => Op::Less,
            Op::Equal => Op::NotEqual,
            _ => Op::Equal,
        },
        _ => return,
    };
    match op {
        Op::Less | Op::LessEqual => ordered(left, right, op == Op::Less),
        Op::Greater | Op::GreaterEqual => ordered(right, left, op == Op::Greater),
        Op::Equal => {
            let both = left.narrowed(right);
            *right = right.narrowed(left);
            *left = both;
        }
        _ => {
            if let Some(value) = left.exact() {
                *right = right.without(&value);
            } else if let Some(value) = right.exact() {
                *left = left.without(&value);
            }
        }
    }
}

/// Holds `low` to what is below (or at) some value of `high`, and the other way round.
fn ordered(low: &mut Domain, high: &mut Domain, strictly: bool) {
    let (Some((from, _)), Some((_, to))) = (low.ends(), high.ends()) else { return };
    *low = up_to(low, End::new(to.at, to.open || strictly));
    *high = from_on(high, End::new(from.at, from.open || strictly));
}

/// The values not above an end: of numbers, labels or bools.
pub(super) fn up_to(domain: &Domain, end: End) -> Domain {
    let Some((lo, _)) = domain.ends() else { return domain.clone() };
    between(domain, lo, end)
}

/// The values not below an end.
pub(super) fn from_on(domain: &Domain, end: End) -> Domain {
    let Some((_, hi)) = domain.ends() else { return domain.clone() };
    between(domain, end, hi)
}

/// The values between two ends, `unknown` left as it is: of numbers, of labels by rank, of bools as 0 and 1.
pub(super) fn between(domain: &Domain, lo: End, hi: End) -> Domain {
    let inside = |n: Number| {
        let above = if lo.open { n > lo.at } else { n >= lo.at };
        above && if hi.open { n < hi.at } else { n <= hi.at }
    };
    let unknown = domain.may_be_unknown();
    match &domain.bounds.known {
        Known::Bools { no, yes } => Domain::bools(*no && inside(Number::ZERO), *yes && inside(Number::ONE), unknown),
        Known::Labels(ranks) => {
            let left: Vec<u32> = ranks.iter().copied().filter(|rank| inside(Number::int(i64::from(*rank)))).collect();
            let known = if left.is_empty() { Known::Nothing } else { Known::Labels(left) };
            Domain::closed(Bounds { known, unknown })
        }
        Known::Numbers { .. } => {
            let held = Domain::numbers(lo, hi, false, true);
            let mut next = domain.narrowed(&held);
            next.bounds.unknown = unknown;
            next
        }
        _ => domain.clone(),
    }
}

/// What a gate's ports may be, way by way.
fn gate(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let [base, trigger, rest @ ..] = inputs else { return };
    let (passes, fires, unknown) = ways(step, trigger);
    let limit = rest.first().cloned();
    let passing = if passes { base.narrowed(out) } else { Domain::empty() };
    let result = if fires { fired(step, base, limit.as_ref()).and(out) } else { Domain::empty() };
    let unknown_stays = unknown && out.may_be_unknown();
    let (can_pass, can_fire) = (!passing.is_empty(), !result.is_empty());
    // The trigger.
    let mut next = Domain::bools(can_pass, can_fire, false);
    next.bounds.unknown = match step.params.unknown {
        Some(UnknownPolicy::Fires) => can_fire,
        Some(UnknownPolicy::Passes) => can_pass,
        _ => unknown_stays,
    };
    *trigger = trigger.and(&next);
    if unknown_stays {
        return;
    }
    // The base: what passes, or what is changed into the result.
    let ignores_base = matches!(step.op, Op::Veto | Op::Replace | Op::Mask);
    if can_fire && ignores_base {
        if !can_pass
            && let Some(limit) = rest.first_mut()
            && step.op != Op::Mask
        {
            *limit = limit.narrowed(out);
        }
        return;
    }
    let mut held = passing;
    if can_fire {
        held = held.or(before_limit(step, out, base, limit.as_ref()));
        if !can_pass && let Some(limit) = rest.first_mut() {
            narrow_limit(step, out, base, limit);
        }
    }
    *base = base.narrowed(&held);
}

/// What the base of a firing `cap`, `floor` or `penalty` may be.
fn before_limit(step: &Step, out: &Domain, base: &Domain, limit: Option<&Domain>) -> Domain {
    let (Some((lo, hi)), Some((low, high))) = (out.ends(), limit.and_then(Domain::ends)) else {
        return base.clone();
    };
    let mut next = base.clone();
    match step.op {
        Op::Cap => {
            next = from_on(&next, lo);
            if hi.at < low.at || hi.at == low.at && hi.open {
                next = up_to(&next, hi);
            }
        }
        Op::Floor => {
            next = up_to(&next, hi);
            if lo.at > high.at || lo.at == high.at && lo.open {
                next = from_on(&next, lo);
            }
        }
        _ => {
            let bottom = &step.from.0;
            next = up_to(&next, End::new(&hi.at + &high.at, hi.open || high.open));
            if lo.at > *bottom || lo.at == *bottom && lo.open {
                next = from_on(&next, End::new(&lo.at + &low.at, lo.open || low.open));
            }
        }
    }
    next.bounds.unknown = base.may_be_unknown() && out.may_be_unknown();
    next
}

/// What the limit of a gate that surely fires may be.
fn narrow_limit(step: &Step, out: &Domain, base: &Domain, limit: &mut Domain) {
    let (Some((lo, hi)), Some((base_lo, base_hi))) = (out.ends(), base.ends()) else { return };
    match step.op {
        Op::Cap => {
            *limit = from_on(limit, lo);
            if hi.at < base_lo.at || hi.at == base_lo.at && hi.open {
                *limit = up_to(limit, hi);
            }
        }
        Op::Floor => {
            *limit = up_to(limit, hi);
            if lo.at > base_hi.at || lo.at == base_hi.at && lo.open {
                *limit = from_on(limit, lo);
            }
        }
        _ => {}
    }
}

fn branch(out: &Domain, inputs: &mut [Domain]) {
    let [condition, then, other] = inputs else { return };
    let (no, yes) = condition.bounds.bools();
    let (taken, left) = (then.narrowed(out), other.narrowed(out));
    let (can_take, can_leave) = (yes && !taken.is_empty(), no && !left.is_empty());
    let mut next = Domain::bools(can_leave, can_take, false);
    next.bounds.unknown = out.may_be_unknown();
    *condition = condition.and(&next);
    if condition.may_be_unknown() {
        return;
    }
    match (can_take, can_leave) {
        (true, false) => *then = taken,
        (false, true) => *other = left,
        _ => {}
    }
}

fn otherwise(out: &Domain, inputs: &mut [Domain]) {
    let [x, v] = inputs else { return };
    let (own, stand_in) = (x.known_part().narrowed(out), v.narrowed(out));
    let mut next = own;
    next.bounds.unknown = x.may_be_unknown() && !stand_in.is_empty();
    if !next.has_known() {
        *v = stand_in;
    }
    *x = next;
}

/// What x may be for a number or label that comes out of an operator on one number.
fn preimage(step: &Step, out: &Domain, x: &Domain) -> Domain {
    let mut next = match step.op {
        Op::Normalize | Op::Rescale | Op::Invert => line(step, out, x),
        Op::Clamp => {
            let (Some((lo, hi)), Some((low, high))) = (out.ends(), clamped(step)) else {
                return emptied(out, x);
            };
            let mut next = x.clone();
            if lo.at > *low || lo.at == *low && lo.open {
                next = from_on(&next, lo);
            }
            if hi.at < *high || hi.at == *high && hi.open {
                next = up_to(&next, hi);
            }
            next
        }
        Op::Round | Op::Quantize => unrounded(step, out, x),
        Op::Piecewise => pieces(step, out, x),
        _ => in_bands(step, out, x),
    };
    next.bounds.unknown = x.may_be_unknown() && out.may_be_unknown();
    next
}

/// Nothing known comes out, so nothing known went in.
fn emptied(out: &Domain, x: &Domain) -> Domain {
    if out.has_known() { x.clone() } else { x.and(&Domain::unknown()) }
}

fn line(step: &Step, out: &Domain, x: &Domain) -> Domain {
    let Some((lo, hi)) = out.ends() else { return emptied(out, x) };
    let back = |end: End| {
        let at = (&end.at - &step.shift).checked_div(&step.scale)?;
        Some(End::new(at, end.open))
    };
    let (Some(a), Some(b)) = (back(lo), back(hi)) else { return x.clone() };
    if step.scale.is_negative() { between(x, b, a) } else { between(x, a, b) }
}

fn unrounded(step: &Step, out: &Domain, x: &Domain) -> Domain {
    let Some((lo, hi)) = out.ends() else { return emptied(out, x) };
    let (scale, shift, grid) = match step.op {
        Op::Round => (Number::ONE, Number::ZERO, step.params.step.clone().unwrap_or(Number::ONE)),
        _ => (step.scale.clone(), step.shift.clone(), Number::ONE),
    };
    let mode = step.params.mode.unwrap_or_default();
    let half = Number::ratio(1, 2).unwrap_or_default();
    // The multiples of the grid that can come out.
    let (Some(first), Some(last)) = (lo.at.checked_div(&grid), hi.at.checked_div(&grid)) else { return x.clone() };
    let (first, last) = (first.round(Rounding::Up), last.floor());
    let below = match mode {
        Rounding::Down => Number::ZERO,
        Rounding::Up => Number::ONE,
        _ => half.clone(),
    };
    let above = &Number::ONE - &below;
    let start = &first - &below;
    let end = &last + &above;
    let start = End::new(start.clone(), start.round(mode) < first);
    let end = End::new(end.clone(), end.round(mode) > last);
    let back = |end: End| Some(End::new((&(&end.at * &grid) - &shift).checked_div(&scale)?, end.open));
    match (back(start), back(end)) {
        (Some(a), Some(b)) => between(x, a, b),
        _ => x.clone(),
    }
}

fn pieces(step: &Step, out: &Domain, x: &Domain) -> Domain {
    let Some((lo, hi)) = out.ends() else { return emptied(out, x) };
    let mut hull: Option<Domain> = None;
    for pair in step.params.knots.windows(2) {
        let [(x0, y0), (x1, y1)] = pair else { continue };
        let segment = between(&x.known_part(), End::closed(x0.clone()), End::closed(x1.clone()));
        if !segment.has_known() {
            continue;
        }
        let slope = (y1 - y0).checked_div(&(x1 - x0)).unwrap_or_default();
        let held = if slope.is_zero() {
            let inside = Domain::numbers(lo.clone(), hi.clone(), false, false).holds(&Value::Number(y0.clone()));
            if inside { segment } else { continue }
        } else {
            let back = |end: &End| {
                let at = x0 + &(&end.at - y0).checked_div(&slope).unwrap_or_default();
                End::new(at, end.open)
            };
            let (a, b) = if slope.is_negative() { (back(&hi), back(&lo)) } else { (back(&lo), back(&hi)) };
            between(&segment, a, b)
        };
        hull = Some(match hull {
            Some(hull) => hull.or(held),
            None => held,
        });
    }
    match hull {
        Some(hull) => x.narrowed(&Domain { bounds: Bounds { unknown: true, ..hull.bounds }, open: hull.open }),
        None => x.and(&Domain::unknown()),
    }
}

fn in_bands(step: &Step, out: &Domain, x: &Domain) -> Domain {
    let Known::Labels(labels) = &out.bounds.known else { return emptied(out, x) };
    let Some((lo, hi)) = x.ends() else { return x.clone() };
    let mut start = lo;
    let mut hull: Option<Domain> = None;
    for band in &step.params.bands {
        let end = match &band.below {
            Some(below) if *below <= start.at => continue,
            Some(below) => End::new(below.clone(), true),
            None => hi.clone(),
        };
        if labels.contains(&band.label) {
            let part = between(&x.known_part(), start.clone(), super::domain::lower(end.clone(), hi.clone()));
            hull = Some(match hull {
                Some(hull) => hull.or(part),
                None => part,
            });
        }
        start = End::closed(end.at);
    }
    match hull {
        Some(hull) => x.narrowed(&Domain { bounds: Bounds { unknown: true, ..hull.bounds }, open: hull.open }),
        None => x.and(&Domain::unknown()),
    }
}

/// `has count_of size`, label by label.
fn counted(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let Some(x) = inputs.first_mut() else { return };
    let Some((lo, hi)) = out.ends() else {
        *x = emptied(out, x);
        return;
    };
    let small = |n: &Number| n.to_i64().and_then(|n| u32::try_from(n.max(0)).ok()).unwrap_or(u32::MAX);
    let (lo, hi) = (small(&lo.at), small(&hi.at));
    let label = step.params.label.unwrap_or(u32::MAX) as usize;
    let mut next = x.clone();
    match (&mut next.bounds.known, step.op) {
        (Known::Sets(labels), Op::Size) => {
            let surely = labels.iter().filter(|(no, _)| !no).count() as u64;
            let perhaps = labels.iter().filter(|(_, yes)| *yes).count() as u64;
            let all = perhaps == u64::from(lo);
            let none = surely == u64::from(hi);
            for (no, yes) in labels.iter_mut().filter(|(no, yes)| *no && *yes) {
                if all {
                    *no = false;
                } else if none {
                    *yes = false;
                }
            }
        }
        (Known::Sets(labels), _) => {
            if let Some((no, yes)) = labels.get_mut(label) {
                *no &= lo == 0;
                *yes &= hi > 0;
            }
        }
        (Known::Counts(counts), Op::Size) => {
            let lows: u64 = counts.iter().map(|(l, _)| u64::from(*l)).sum();
            let highs: u64 = counts.iter().map(|(_, h)| u64::from(*h)).sum();
            for (l, h) in counts.iter_mut() {
                let others = highs - u64::from(*h);
                let least = u64::from(lo).saturating_sub(others);
                let rest = lows - u64::from(*l);
                let most = u64::from(hi).saturating_sub(rest);
                let (a, b) = (u64::from(*l).max(least), u64::from(*h).min(most));
                (*l, *h) = (u32::try_from(a).unwrap_or(u32::MAX), u32::try_from(b).unwrap_or(u32::MAX));
            }
        }
        (Known::Counts(counts), op) => {
            if let Some((l, h)) = counts.get_mut(label) {
                *l = (*l).max(lo.min(if op == Op::Has { 1 } else { u32::MAX }));
                if op == Op::CountOf || hi == 0 {
                    *h = (*h).min(hi);
                }
            }
        }
        _ => {}
    }
    let broken = match &next.bounds.known {
        Known::Sets(labels) => labels.iter().any(|(no, yes)| !no && !yes),
        Known::Counts(counts) => counts.iter().any(|(l, h)| l > h),
        _ => false,
    };
    if broken {
        next.bounds.known = Known::Nothing;
    }
    *x = next;
}

/// `min` and `max`: no slot is beyond the result, and where only one slot can reach it, it does.
fn extreme(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    let Some((lo, hi)) = out.ends() else { return };
    if out.may_be_unknown() && propagates(step) {
        return;
    }
    let is_min = step.op == Op::Min;
    let stand_in = |slot: usize| match &step.params.unknown {
        Some(UnknownPolicy::Constant(value)) => Bounds::exactly(value).interval().map(|(n, _)| n),
        Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) => {
            step.stand_ins.get(slot).and_then(|value| Bounds::exactly(value).interval()).map(|(n, _)| n)
        }
        _ => None,
    };
    let outside = |n: &Number| {
        if is_min { *n < lo.at || *n == lo.at && lo.open } else { *n > hi.at || *n == hi.at && hi.open }
    };
    let reaches = |n: &End| {
        if is_min {
            n.at < hi.at || n.at == hi.at && !n.open && !hi.open
        } else {
            n.at > lo.at || n.at == lo.at && !n.open && !lo.open
        }
    };
    let mut reaching: Vec<usize> = Vec::new();
    for (slot, input) in inputs.iter_mut().enumerate() {
        let stands = stand_in(slot);
        *input = if is_min { from_on(input, lo.clone()) } else { up_to(input, hi.clone()) };
        if input.may_be_unknown() && stands.as_ref().is_some_and(outside) {
            input.bounds.unknown = false;
        }
        let own = input.ends().is_some_and(|(l, h)| reaches(if is_min { &l } else { &h }));
        let stood = input.may_be_unknown() && stands.is_some_and(|n| reaches(&End::closed(n)));
        if own || stood {
            reaching.push(slot);
        }
    }
    match reaching.as_slice() {
        // Where nothing may be left, the result may be unknown.
        [] if !out.may_be_unknown() => {
            if let Some(input) = inputs.first_mut() {
                *input = Domain::empty();
            }
        }
        [only] if !out.may_be_unknown() => {
            let stands = stand_in(*only);
            if let Some(input) = inputs.get_mut(*only) {
                *input = if is_min { up_to(input, hi.clone()) } else { from_on(input, lo.clone()) };
                if !stands.is_some_and(|n| reaches(&End::closed(n))) {
                    input.bounds.unknown = false;
                }
            }
        }
        _ => {}
    }
}

/// `*` and `/` where the other side is not 0.
fn factor(op: Op, out: &Domain, inputs: &mut [Domain]) {
    if out.may_be_unknown() {
        return;
    }
    let [left, right] = inputs else { return };
    let (Some((o_lo, o_hi)), Some((a, b)), Some((c, d))) = (out.ends(), left.ends(), right.ends()) else { return };
    let o = (o_lo.at, o_hi.at);
    let quotients = |x: &(Number, Number), y: (&Number, &Number)| {
        if !(y.0.is_positive() || y.1.is_negative()) {
            return None;
        }
        let all: Vec<Number> =
            [(&x.0, y.0), (&x.0, y.1), (&x.1, y.0), (&x.1, y.1)].iter().filter_map(|(a, b)| a.checked_div(b)).collect();
        Some((all.iter().min()?.clone(), all.iter().max()?.clone()))
    };
    let hold = |domain: &mut Domain, ends: Option<(Number, Number)>| {
        if let Some((lo, hi)) = ends {
            *domain = between(domain, End::closed(lo), End::closed(hi));
        }
    };
    if op == Op::Multiply {
        let (first, second) = (quotients(&o, (&c.at, &d.at)), quotients(&o, (&a.at, &b.at)));
        hold(left, first);
        hold(right, second);
    } else {
        // left = out · right; right = left / out.
        let products = [&o.0 * &c.at, &o.0 * &d.at, &o.1 * &c.at, &o.1 * &d.at];
        let ends = products.iter().min().cloned().zip(products.iter().max().cloned());
        hold(left, ends);
        let second = quotients(&(a.at, b.at), (&o.0, &o.1));
        hold(right, second);
    }
}

/// Tries every value of slots with few, and takes out those with which nothing in `out` can come about.
fn by_value(step: &Step, out: &Domain, inputs: &mut [Domain]) {
    if inputs.len() > MOST_SLOTS {
        return;
    }
    for slot in 0..inputs.len() {
        let Some(own) = inputs.get(slot).cloned() else { continue };
        let tries =
            if matches!(own.bounds.known, Known::Bools { .. } | Known::Labels(_) | Known::Nothing) || own.is_whole() {
                own.values(MOST_VALUES)
            } else {
                None
            };
        let mut next = own.clone();
        let mut works = |value: &Domain| {
            if let Some(place) = inputs.get_mut(slot) {
                *place = value.clone();
            }
            !forward(step, inputs).and(out).is_empty()
        };
        match tries {
            Some(values) => {
                // From both ends inwards, so that whole numbers narrow too.
                for value in values.iter().chain(values.iter().rev()) {
                    if next.holds(value) && !works(&Domain::exactly(value)) {
                        next = next.without(value);
                    }
                }
            }
            None if own.may_be_unknown() => {
                if !works(&Domain::unknown()) {
                    next.bounds.unknown = false;
                }
                if own.has_known() && !works(&own.known_part()) {
                    next = next.and(&Domain::unknown());
                }
            }
            None => {}
        }
        if let Some(place) = inputs.get_mut(slot) {
            *place = next;
        }
    }
}
