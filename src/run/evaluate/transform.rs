//! The TRANSFORM operators, on one value. All of them pass `unknown` through, except `known` and a `map` that names it.

use super::numbers::number;
use super::step::{ONE, Step};
use crate::catalog::Op;
use crate::number::{Number, Rounding};
use crate::types::Value;

impl Step {
    pub(super) fn transform(&self, x: &Value) -> Value {
        match (self.op, x) {
            (Op::Known, _) => return Value::Bool(!x.is_unknown()),
            (Op::Map, _) => return self.arm(x).cloned().unwrap_or(Value::Unknown),
            (_, Value::Unknown) => return Value::Unknown,
            (Op::Has | Op::Size | Op::CountOf, _) => return self.counted(x),
            // The only operator that makes a number of an ordinal: from its rank.
            (Op::Normalize | Op::Rescale | Op::Quantize, Value::Label(rank)) => {
                return Value::Number(self.on_number(&Number::int(i64::from(*rank))));
            }
            _ => {}
        }
        let Some(n) = number(x) else { return Value::Unknown };
        match self.op {
            Op::Bands => self.band(n).map_or(Value::Unknown, Value::Label),
            _ => Value::Number(self.on_number(n)),
        }
    }

    /// The operators from numbers to numbers; each of them is monotone between the knots of a `piecewise`.
    pub(crate) fn on_number(&self, x: &Number) -> Number {
        match self.op {
            Op::Clamp => match self.params.to.as_ref().or(Some(&self.ty)).and_then(|to| to.interval()) {
                Some((lo, hi)) => x.max(lo).min(hi).clone(),
                None => x.clone(),
            },
            Op::Round => x.round_step(self.params.step.as_ref().unwrap_or(&ONE), self.rounding()),
            Op::Quantize => self.on_line(x).round(self.rounding()),
            Op::Piecewise => self.on_knots(x),
            _ => self.on_line(x),
        }
    }

    fn rounding(&self) -> Rounding {
        self.params.mode.unwrap_or_default()
    }

    fn on_line(&self, x: &Number) -> Number {
        &(&self.scale * x) + &self.shift
    }

    /// The label of the first band whose upper end is above `x`.
    pub(crate) fn band(&self, x: &Number) -> Option<u32> {
        let holds = |below: &Option<Number>| below.as_ref().is_none_or(|below| x < below);
        self.params.bands.iter().find(|band| holds(&band.below)).map(|band| band.label)
    }

    /// Linear between the knots on either side; the first and last value beyond them.
    fn on_knots(&self, x: &Number) -> Number {
        let knots = &self.params.knots;
        let next = knots.partition_point(|(at, _)| at <= x);
        let before = next.checked_sub(1).and_then(|at| knots.get(at));
        match (before, knots.get(next)) {
            (Some((x0, y0)), Some((x1, y1))) => {
                let share = (x - x0).checked_div(&(x1 - x0)).unwrap_or_default();
                y0 + &(&share * &(y1 - y0))
            }
            (Some((_, y)), None) | (None, Some((_, y))) => y.clone(),
            (None, None) => x.clone(),
        }
    }

    /// `has size count_of` of a set or a tally.
    fn counted(&self, x: &Value) -> Value {
        let label = self.params.label.unwrap_or(u32::MAX);
        let count = |n: u64| Value::Number(Number::int(i64::try_from(n).unwrap_or(i64::MAX)));
        match (x, self.op) {
            (Value::Set(ranks), Op::Has) => Value::Bool(ranks.contains(&label)),
            (Value::Set(ranks), Op::Size) => count(ranks.len() as u64),
            (Value::Set(ranks), _) => count(u64::from(ranks.contains(&label))),
            (Value::Tally(counts), Op::Size) => count(counts.iter().map(|n| u64::from(*n)).sum()),
            (Value::Tally(counts), op) => {
                let n = counts.get(label as usize).copied().unwrap_or(0);
                if op == Op::Has { Value::Bool(n > 0) } else { count(u64::from(n)) }
            }
            _ => Value::Unknown,
        }
    }
}
