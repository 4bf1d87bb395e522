//! Hulls of GATE operators, conditions, comparisons and arithmetic.

use super::{Bounds, Known};
use crate::catalog::{Input, Op, UnknownPolicy};
use crate::number::{Number, Rounding};
use crate::run::evaluate::Step;
use crate::types::Value;

/// A bool of which (false, true, unknown) may come out.
fn truth(no: bool, yes: bool, unknown: bool) -> Bounds {
    let known = if no || yes { Known::Bools { no, yes } } else { Known::Nothing };
    Bounds { known, unknown }
}

impl Step {
    pub(super) fn branch_hull(&self, inputs: &[Bounds]) -> Option<Bounds> {
        let first = inputs.first()?;
        Some(match self.op {
            Op::Otherwise => {
                let known = Bounds { known: first.known.clone(), unknown: false };
                if first.unknown { known.or(inputs.get(1)?.clone()) } else { known }
            }
            Op::Not => {
                let (no, yes) = first.bools();
                truth(yes, no, first.unknown)
            }
            Op::And => kleene(inputs, false),
            Op::Or => kleene(inputs, true),
            Op::If => {
                let (no, yes) = first.bools();
                let taken = [(yes, inputs.get(1)?), (no, inputs.get(2)?)];
                let taken = taken.into_iter().filter(|(may, _)| *may).map(|(_, branch)| branch.clone());
                taken.chain(first.unknown.then(Bounds::default)).reduce(Bounds::or)?
            }
            Op::Decide => self.decide_hull(inputs)?,
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide => self.arithmetic_hull(first, inputs.get(1)?),
            Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => self.gate_hull(inputs)?,
            _ => self.compare_hull(first, inputs.get(1)?),
        })
    }

    /// `all` and `any` with their policies.
    pub(super) fn all_or_any_hull(&self, inputs: &[Bounds]) -> Bounds {
        let decisive = self.op == Op::Any;
        let slots: Vec<Bounds> = match &self.params.unknown {
            None | Some(UnknownPolicy::Propagate) => return kleene(inputs, decisive),
            // A slot that drops out decides nothing; the node is unknown where all of them may.
            Some(UnknownPolicy::Skip) => {
                let present = |bounds: &&Bounds| !bounds.only_unknown();
                let may_decide = |b: &Bounds| if decisive { b.bools().1 } else { b.bools().0 };
                let may_not = |b: &Bounds| if decisive { b.bools().0 } else { b.bools().1 };
                let decided = inputs.iter().any(may_decide);
                let undecided =
                    inputs.iter().all(|b| b.unknown || may_not(b)) && inputs.iter().filter(present).any(may_not);
                let unknown = inputs.iter().all(|b| b.unknown);
                let (no, yes) = if decisive { (undecided, decided) } else { (decided, undecided) };
                return truth(no, yes, unknown);
            }
            Some(UnknownPolicy::Constant(stand_in)) => inputs.iter().map(|b| settled(b, stand_in)).collect(),
            Some(_) => {
                let stand_in = |slot: usize| self.stand_ins.get(slot).unwrap_or(&Value::Unknown);
                inputs.iter().enumerate().map(|(slot, b)| settled(b, stand_in(slot))).collect()
            }
        };
        kleene(&slots, decisive)
    }

    fn decide_hull(&self, inputs: &[Bounds]) -> Option<Bounds> {
        let mut all: Vec<Bounds> = Vec::new();
        let mut reached = true;
        for (condition, result) in inputs.iter().zip(&self.params.results) {
            let (no, yes) = condition.bools();
            if yes {
                all.push(Bounds::exactly(result));
            }
            if condition.unknown {
                all.push(Bounds::default());
            }
            if !no {
                reached = false;
                break;
            }
        }
        if reached {
            let rest = self.params.results.get(inputs.len()).or(self.params.rest.as_ref());
            all.push(rest.map_or_else(Bounds::default, Bounds::exactly));
        }
        all.into_iter().reduce(Bounds::or)
    }

    fn gate_hull(&self, inputs: &[Bounds]) -> Option<Bounds> {
        let base = inputs.first()?;
        let trigger = inputs.get(1)?;
        let (passes, fires) = trigger.bools();
        let (mut passes, mut fires, mut unknown) = (passes, fires, false);
        if trigger.unknown {
            match self.params.unknown {
                Some(UnknownPolicy::Fires) => fires = true,
                Some(UnknownPolicy::Passes) => passes = true,
                _ => unknown = true,
            }
        }
        let mut all: Vec<Bounds> = Vec::new();
        if passes {
            all.push(base.clone());
        }
        if fires {
            all.push(match self.op {
                Op::Mask => Bounds::default(),
                Op::Veto | Op::Replace => inputs.get(2)?.clone(),
                _ => self.limited(base, inputs.get(2)?),
            });
        }
        if unknown {
            all.push(Bounds::default());
        }
        all.into_iter().reduce(Bounds::or)
    }

    /// `cap`, `floor` and `penalty` when they fire. They rise with the base; `cap` and `floor` with the limit too, `penalty`
    /// falls with it.
    fn limited(&self, base: &Bounds, limit: &Bounds) -> Bounds {
        let unknown = base.unknown || limit.unknown;
        let (Some((lo, hi)), Some((low, high))) = (base.interval(), limit.interval()) else {
            return Bounds { known: Known::Nothing, unknown };
        };
        let bottom = &self.from.0;
        let (lo, hi) = match self.op {
            Op::Cap => (lo.min(low), hi.min(high)),
            Op::Floor => (lo.max(low), hi.max(high)),
            _ => ((&lo - &high).max(bottom.clone()), (&hi - &low).max(bottom.clone())),
        };
        Bounds::numbers(lo, hi, &self.ty, unknown)
    }

    fn arithmetic_hull(&self, left: &Bounds, right: &Bounds) -> Bounds {
        let unknown = left.unknown || right.unknown;
        let (Some((a, b)), Some((c, d))) = (left.interval(), right.interval()) else {
            return Bounds { known: Known::Nothing, unknown };
        };
        let ends: Vec<Number> = match self.op {
            Op::Add => vec![&a + &c, &b + &d],
            Op::Subtract => vec![&a - &d, &b - &c],
            Op::Multiply => vec![&a * &c, &a * &d, &b * &c, &b * &d],
            _ => [(&a, &c), (&a, &d), (&b, &c), (&b, &d)].iter().filter_map(|(x, y)| x.checked_div(y)).collect(),
        };
        match (ends.iter().min(), ends.iter().max()) {
            (Some(lo), Some(hi)) => Bounds::numbers(lo.clone(), hi.clone(), &self.ty, unknown),
            _ => Bounds { known: Known::Nothing, unknown },
        }
    }

    fn compare_hull(&self, left: &Bounds, right: &Bounds) -> Bounds {
        let unknown = left.unknown || right.unknown;
        if left.only_unknown() || right.only_unknown() {
            return Bounds::default();
        }
        let (no, yes) = match self.op {
            Op::Equal => equality(left, right),
            Op::NotEqual => {
                let (no, yes) = equality(left, right);
                (yes, no)
            }
            _ => match (left.interval(), right.interval()) {
                (Some((a, b)), Some((c, d))) => match self.op {
                    Op::Less => (b >= c, a < d),
                    Op::LessEqual => (b > c, a <= d),
                    Op::Greater => (a <= d, b > c),
                    _ => (a < d, b >= c),
                },
                _ => (true, true),
            },
        };
        truth(no, yes, unknown)
    }

    /// Whether the slot holds a constant rather than a node.
    #[must_use]
    pub fn is_constant(&self, slot: usize) -> bool {
        matches!(self.slots.get(slot), Some(Input::Constant(_)))
    }
}

/// (may differ, may be equal)
fn equality(left: &Bounds, right: &Bounds) -> (bool, bool) {
    if let (Some(a), Some(b)) = (left.exact(), right.exact()) {
        return (a != b, a == b);
    }
    let known = |b: &Bounds| Bounds { known: b.known.clone(), unknown: false };
    let differ = match (known(left).exact(), known(right).exact()) {
        (Some(a), Some(b)) => a != b,
        _ => true,
    };
    let equal = match (&left.known, &right.known) {
        (Known::Bools { no: a, yes: b }, Known::Bools { no: c, yes: d }) => (*a && *c) || (*b && *d),
        (Known::Labels(a), Known::Labels(b)) => a.iter().any(|rank| b.binary_search(rank).is_ok()),
        (Known::Numbers { lo: a, hi: b, whole: v }, Known::Numbers { lo: c, hi: d, whole: w }) => {
            let (lo, hi) = (a.max(c), b.min(d));
            // Whole numbers meet only in a whole number.
            if *v || *w { lo.round(Rounding::Up) <= hi.floor() } else { lo <= hi }
        }
        _ => true,
    };
    (differ, equal)
}

/// The connective that one slot of `decisive` decides, unknown slots being open.
fn kleene(inputs: &[Bounds], decisive: bool) -> Bounds {
    let may = |b: &Bounds, wanted: bool| if wanted { b.bools().1 } else { b.bools().0 };
    let decided = inputs.iter().any(|b| may(b, decisive));
    let undecided = inputs.iter().all(|b| may(b, !decisive));
    let unknown = inputs.iter().all(|b| may(b, !decisive) || b.unknown) && inputs.iter().any(|b| b.unknown);
    let (no, yes) = if decisive { (undecided, decided) } else { (decided, undecided) };
    truth(no, yes, unknown)
}

/// A slot in which a value stands for `unknown`.
pub(super) fn settled(bounds: &Bounds, stand_in: &Value) -> Bounds {
    if !bounds.unknown {
        return bounds.clone();
    }
    Bounds { known: bounds.known.clone(), unknown: false }.or(Bounds::exactly(stand_in))
}
