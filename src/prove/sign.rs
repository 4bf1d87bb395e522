//! How the goal moves with each variable on a box.
//!
//! One pass backward from the goal multiplies the signs of ports along every path. A sign speaks of the known values of a
//! knot, all else within the box being held: where a knot may become unknown because another one moves, its sign is mixed. A
//! knot that has one value on the box passes nothing on.

use super::domain::Domain;
use super::problem::{At, Problem, What};
use crate::catalog::table::Sign as Port;
use crate::catalog::{Op, UnknownPolicy};
use crate::number::Number;
use crate::run::bounds::Known;
use crate::run::evaluate::Step;
use crate::types::{Base, Value};

/// How something moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Not at all.
    Still,
    Rising,
    Falling,
    Mixed,
}

impl Sign {
    /// Along one path after another.
    fn then(self, next: Sign) -> Sign {
        match (self, next) {
            (Sign::Still, _) | (_, Sign::Still) => Sign::Still,
            (Sign::Mixed, _) | (_, Sign::Mixed) => Sign::Mixed,
            (a, b) if a == b => Sign::Rising,
            _ => Sign::Falling,
        }
    }

    /// Over two paths side by side.
    fn beside(self, other: Sign) -> Sign {
        match (self, other) {
            (Sign::Still, other) | (other, Sign::Still) => other,
            (a, b) if a == b => a,
            _ => Sign::Mixed,
        }
    }

    fn of(number: &Number) -> Sign {
        if number.is_negative() { Sign::Falling } else { Sign::Rising }
    }

    fn turned(self) -> Sign {
        self.then(Sign::Falling)
    }
}

impl Problem {
    /// The sign of a knot (the goal, or the sink) in every other one, on the box whose forward domains these are.
    ///
    /// Beside it: whether the knot can make any difference at all, be it only by being known or not.
    pub(super) fn signs(&self, of: At, domains: &[Domain]) -> Vec<(Sign, bool)> {
        let mut signs = vec![(Sign::Still, false); self.knots.len()];
        if let Some(sign) = signs.get_mut(of) {
            *sign = (Sign::Rising, true);
        }
        for at in (0..=of).rev() {
            let (Some(knot), Some(own), Some(sign)) = (self.knots.get(at), domains.get(at), signs.get(at).copied())
            else {
                continue;
            };
            let What::Step(step) = &knot.what else { continue };
            let (sign, touched) = sign;
            if !touched || own.exact().is_some() {
                continue;
            }
            let inputs: Vec<&Domain> = knot.inputs.iter().filter_map(|from| domains.get(*from)).collect();
            for (slot, from) in knot.inputs.iter().enumerate() {
                let Some(input) = inputs.get(slot) else { continue };
                if input.exact().is_some() {
                    continue;
                }
                let mut passed = sign.then(local(step, slot, &inputs, own));
                let is_variable = matches!(self.knots.get(*from).map(|knot| &knot.what), Some(What::Variable(_)));
                if passed == Sign::Still && input.may_be_unknown() && !is_variable {
                    // What it is does not matter, but what lies below may make it unknown.
                    passed = Sign::Mixed;
                }
                if let Some((place, reached)) = signs.get_mut(*from) {
                    *place = place.beside(passed);
                    *reached = true;
                }
            }
        }
        signs
    }
}

/// How a step's result moves with the known values of one slot.
fn local(step: &Step, slot: usize, inputs: &[&Domain], own: &Domain) -> Sign {
    let may_vanish = match step.op {
        // Whether the result is known may depend on what a slot is, not only on whether it is known.
        Op::And | Op::Or | Op::All | Op::Any | Op::If | Op::Decide | Op::Veto | Op::Replace | Op::Mask => true,
        Op::Map | Op::Vote => true,
        Op::Cap | Op::Floor | Op::Penalty => slot == 1,
        _ => false,
    };
    if may_vanish && own.may_be_unknown() {
        return Sign::Mixed;
    }
    let others_unknown = || inputs.iter().enumerate().any(|(at, input)| at != slot && input.may_be_unknown());
    let info = step.op.info();
    let port = info.ports.get(slot.min(info.ports.len().saturating_sub(1)));
    match port.map_or(Port::Mixed, |port| port.sign) {
        Port::Rising => Sign::Rising,
        Port::Falling => Sign::Falling,
        Port::Weight => Sign::of(step.weight(slot)),
        Port::KnownOnly => Sign::Still,
        Port::Mixed => Sign::Mixed,
        Port::Vote => {
            let bools = inputs.iter().all(|input| matches!(input.bounds.known, Known::Bools { .. } | Known::Nothing));
            let fixed = !matches!(step.params.unknown, Some(UnknownPolicy::Lowest | UnknownPolicy::Highest));
            if bools && fixed { Sign::Rising } else { Sign::Mixed }
        }
        Port::Table => table(step, inputs.first().copied()),
        Port::Others => {
            let policy = matches!(step.params.unknown, Some(UnknownPolicy::Lowest | UnknownPolicy::Highest));
            if policy && others_unknown() { Sign::Mixed } else { others(step, slot, inputs) }
        }
        Port::Divisor => side(inputs.first().copied()).turned(),
        Port::Equality => equality(step, slot, inputs),
        Port::Difference => difference(step, slot, inputs),
    }
}

/// Whether all numbers of a domain are at least 0, or at most 0.
fn side(domain: Option<&Domain>) -> Sign {
    match domain.and_then(|domain| domain.ends()) {
        Some((lo, _)) if !lo.at.is_negative() => Sign::Rising,
        Some((_, hi)) if !hi.at.is_positive() => Sign::Falling,
        _ => Sign::Mixed,
    }
}

fn others(step: &Step, slot: usize, inputs: &[&Domain]) -> Sign {
    let mut sign = Sign::Rising;
    for (at, input) in inputs.iter().enumerate() {
        if at != slot {
            let mut own = side(Some(*input));
            if !input.has_known() {
                own = Sign::Rising;
            }
            // A number that stands for unknown has a sign too.
            if let (true, Some(UnknownPolicy::Constant(Value::Number(n)))) =
                (input.may_be_unknown(), &step.params.unknown)
                && own != Sign::of(n)
            {
                own = Sign::Mixed;
            }
            if input.may_be_unknown() && step.params.unknown == Some(UnknownPolicy::Skip) && own == Sign::Falling {
                own = Sign::Mixed;
            }
            sign = sign.then(own);
        }
    }
    // A divisor's sign is fixed by its type.
    sign
}

/// Of a table: whether its values go one way over the interval.
fn table(step: &Step, x: Option<&Domain>) -> Sign {
    let Some(x) = x else { return Sign::Mixed };
    let Some((lo, hi)) = x.ends() else { return Sign::Mixed };
    let mut values: Vec<Number> = Vec::new();
    if step.op == Op::Piecewise {
        values.push(step.on_number(&lo.at));
        let inside = step.params.knots.iter().filter(|(at, _)| lo.at < *at && *at < hi.at);
        values.extend(inside.map(|(_, y)| y.clone()));
        values.push(step.on_number(&hi.at));
    } else {
        let Some(all) = x.known_part().values(MOST_ROWS) else { return Sign::Mixed };
        // A choice has no order.
        if matches!(step.ty.base, Base::Choice(_)) {
            return Sign::Mixed;
        }
        for value in all {
            values.push(match step.arm(&value) {
                Some(Value::Number(n)) => n.clone(),
                Some(Value::Bool(b)) => Number::int(i64::from(*b)),
                Some(Value::Label(rank)) => Number::int(i64::from(*rank)),
                _ => return Sign::Mixed,
            });
        }
    }
    monotone(&values)
}

/// Rows of a `map` that are looked at.
const MOST_ROWS: u64 = 1_024;

fn monotone(values: &[Number]) -> Sign {
    let (mut rises, mut falls) = (false, false);
    for pair in values.windows(2) {
        if let [a, b] = pair {
            rises |= a < b;
            falls |= a > b;
        }
    }
    match (rises, falls) {
        (false, false) => Sign::Still,
        (true, false) => Sign::Rising,
        (false, true) => Sign::Falling,
        (true, true) => Sign::Mixed,
    }
}

fn equality(step: &Step, slot: usize, inputs: &[&Domain]) -> Sign {
    let (Some(own), Some(other)) = (inputs.get(slot), inputs.get(1 - slot.min(1))) else { return Sign::Mixed };
    let (Some((lo, hi)), Some((a, b))) = (own.ends(), other.ends()) else { return Sign::Mixed };
    if a.at != b.at {
        return Sign::Mixed;
    }
    let sign = if a.at >= hi.at {
        Sign::Rising
    } else if a.at <= lo.at {
        Sign::Falling
    } else {
        return Sign::Mixed;
    };
    if step.op == Op::NotEqual { sign.turned() } else { sign }
}

/// Conditions and triggers: by what comes out where they hold and where they do not.
fn difference(step: &Step, slot: usize, inputs: &[&Domain]) -> Sign {
    let ends = |domain: Option<&&Domain>| domain.and_then(|domain| domain.ends());
    let known = |domain: Option<&&Domain>| domain.is_some_and(|domain| !domain.may_be_unknown() && domain.has_known());
    let (holding, else_) = match step.op {
        Op::If => (inputs.get(1), inputs.get(2)),
        Op::Veto | Op::Replace => (inputs.get(2), inputs.first()),
        _ => return decide(step, slot),
    };
    if !known(holding) || !known(else_) {
        return Sign::Mixed;
    }
    if matches!(step.ty.base, Base::Choice(_) | Base::Set(_) | Base::Tally { .. }) {
        return Sign::Mixed;
    }
    match (ends(holding), ends(else_)) {
        (Some((a, b)), Some((c, d))) => {
            if a.at >= d.at {
                Sign::Rising
            } else if b.at <= c.at {
                Sign::Falling
            } else {
                Sign::Mixed
            }
        }
        _ => Sign::Mixed,
    }
}

/// A condition of `decide`: its label against all that may come later.
fn decide(step: &Step, slot: usize) -> Sign {
    if !matches!(step.ty.base, Base::Ordinal(_)) {
        return Sign::Mixed;
    }
    let rank = |value: &Value| if let Value::Label(rank) = value { Some(*rank) } else { None };
    let own = step.params.results.get(slot).and_then(rank);
    let later: Option<Vec<u32>> = step.params.results.iter().skip(slot + 1).map(rank).collect();
    match (own, later) {
        (Some(own), Some(later)) if !later.is_empty() => {
            if later.iter().all(|rank| own >= *rank) {
                Sign::Rising
            } else if later.iter().all(|rank| own <= *rank) {
                Sign::Falling
            } else {
                Sign::Mixed
            }
        }
        _ => Sign::Mixed,
    }
}
