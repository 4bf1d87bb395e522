//! Where a real variable meets thresholds: the ends of caps and clamps, edges of bands, knots, and constants it is compared
//! with, carried back through operators that are lines in it.

use super::forward::clamped;
use super::problem::{At, Problem, Variable, What};
use crate::catalog::Op;
use crate::number::Number;
use crate::run::evaluate::Step;
use crate::types::Value;

/// Thresholds of one variable beyond which no more are looked for.
const MOST: usize = 64;
/// Operators in a row that are followed.
const DEEPEST: usize = 32;

/// Per knot, where it is a real variable.
pub(super) fn thresholds(problem: &Problem) -> Vec<Vec<Number>> {
    let mut all = vec![Vec::new(); problem.knots.len()];
    for at in &problem.variables {
        let is_real = problem.knots.get(*at).is_some_and(super::problem::Knot::is_real);
        if is_real && let Some(place) = all.get_mut(*at) {
            *place = of(problem, *at);
        }
    }
    all
}

fn of(problem: &Problem, variable: At) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    // A knot, and the line a · x + b that it is in the variable.
    let mut stack = vec![(variable, Number::ONE, Number::ZERO, 0)];
    while let Some((at, a, b, depth)) = stack.pop() {
        let Some(knot) = problem.knots.get(at) else { continue };
        for (reader, slot) in &knot.readers {
            let Some(next) = problem.knots.get(*reader) else { continue };
            let What::Step(step) = &next.what else { continue };
            let constant = |slot: usize| match next.inputs.get(slot).and_then(|at| problem.knots.get(*at)) {
                Some(knot) if matches!(knot.what, What::Constant) => match knot.start.exact() {
                    Some(Value::Number(n)) => Some(n),
                    _ => None,
                },
                _ => None,
            };
            for y in marks(step, *slot, &constant) {
                if let Some(x) = (&y - &b).checked_div(&a)
                    && found.len() < MOST
                {
                    found.push(x);
                }
            }
            if depth < DEEPEST
                && stack.len() < MOST
                && let Some((c, d)) = line(step, *slot, &constant)
            {
                stack.push((*reader, &c * &a, &(&c * &b) + &d, depth + 1));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The values of a slot at which something changes.
fn marks(step: &Step, slot: usize, constant: &dyn Fn(usize) -> Option<Number>) -> Vec<Number> {
    match step.op {
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
            constant(1 - slot.min(1)).into_iter().collect()
        }
        Op::Cap | Op::Floor if slot == 0 => constant(2).into_iter().collect(),
        Op::Penalty if slot == 0 => constant(2).map(|by| &step.from.0 + &by).into_iter().collect(),
        Op::Clamp => clamped(step).map(|(lo, hi)| vec![lo.clone(), hi.clone()]).unwrap_or_default(),
        Op::Bands => step.params.bands.iter().filter_map(|band| band.below.clone()).collect(),
        Op::Piecewise => step.params.knots.iter().map(|(x, _)| x.clone()).collect(),
        Op::Map => step.params.arms.iter().filter_map(|arm| arm.key.as_number().cloned()).collect(),
        Op::Quantize | Op::Round => {
            let Some((lo, hi)) = step.ty.interval() else { return Vec::new() };
            let (scale, shift, grid) = match step.op {
                Op::Round => (Number::ONE, Number::ZERO, step.params.step.clone().unwrap_or(Number::ONE)),
                _ => (step.scale.clone(), step.shift.clone(), Number::ONE),
            };
            let half = Number::ratio(1, 2).unwrap_or_default();
            let mut at = lo.clone();
            let mut found = Vec::new();
            while at < *hi && found.len() < MOST {
                let edge = match step.params.mode.unwrap_or_default() {
                    crate::number::Rounding::Down => &at + &grid,
                    crate::number::Rounding::Up => at.clone(),
                    _ => &at + &(&half * &grid),
                };
                found.extend((&edge - &shift).checked_div(&scale));
                at = &at + &grid;
            }
            found
        }
        _ => Vec::new(),
    }
}

/// The line that a step is in this slot, all others being constants or out of the way.
fn line(step: &Step, slot: usize, constant: &dyn Fn(usize) -> Option<Number>) -> Option<(Number, Number)> {
    let one = Number::ONE;
    match step.op {
        Op::Normalize | Op::Rescale | Op::Invert => Some((step.scale.clone(), step.shift.clone())),
        Op::Clamp | Op::Otherwise => Some((one, Number::ZERO)),
        Op::Cap | Op::Floor | Op::Veto | Op::Replace | Op::Mask | Op::Penalty if slot == 0 => Some((one, Number::ZERO)),
        Op::If if slot > 0 => Some((one, Number::ZERO)),
        Op::Add => constant(1 - slot.min(1)).map(|c| (one, c)),
        Op::Subtract if slot == 0 => constant(1).map(|c| (one, -c)),
        Op::Subtract => constant(0).map(|c| (-one, c)),
        Op::Multiply => constant(1 - slot.min(1)).filter(|c| !c.is_zero()).map(|c| (c, Number::ZERO)),
        Op::Divide if slot == 0 => one.checked_div(&constant(1)?).map(|c| (c, Number::ZERO)),
        // Other slots move the threshold; for a variable alone it still is a good place to split.
        Op::Min | Op::Max => Some((one, Number::ZERO)),
        _ => None,
    }
}

impl Variable {
    /// Whether the variable can have this number.
    pub(super) fn holds(&self, n: &Number) -> bool {
        self.grid.as_ref().is_none_or(|grid| grid.binary_search(n).is_ok())
    }
}
