//! What is linear in a box, as inequalities: what intervals lose is how judgments balance each other.
//!
//! Every knot becomes a form Σ c·x + d over atoms (variables, and knots that are no line of others); its domain bounds the form.
//! Of what is only piecewise a line, those sides are kept that hold over the box: a `cap` that fires is at most its base and at
//! most its limit. Whole numbers count as real ones. If even this has no solution, the box holds none.

use super::domain::{Domain, End};
use super::forward::{clamped, ways};
use super::linear::{adds_up, describe};
use super::problem::{At, Knot, Problem, What};
use super::simplex::{Answer, Row, Simplex};
use crate::catalog::Op;
use crate::number::{Number, Rounding};
use crate::run::bounds::Known;
use crate::run::evaluate::Step;
use crate::types::Value;
use std::collections::BTreeMap;

/// Inequalities beyond which a box is not looked at this way.
const MOST_ROWS: usize = 160;

/// Σ c·x + d over atoms.
#[derive(Debug, Clone)]
struct Form {
    terms: Row,
    constant: Number,
}

impl Form {
    fn atom(at: At) -> Form {
        Form { terms: BTreeMap::from([(at, Number::ONE)]), constant: Number::ZERO }
    }

    fn number(constant: Number) -> Form {
        Form { terms: BTreeMap::new(), constant }
    }

    fn add(&mut self, other: &Form, factor: &Number) {
        self.constant = &self.constant + &(factor * &other.constant);
        for (at, own) in &other.terms {
            let sum = &self.terms.remove(at).unwrap_or_default() + &(factor * own);
            if !sum.is_zero() {
                self.terms.insert(*at, sum);
            }
        }
    }
}

/// An inequality: a form between two ends.
type Inequality = (Form, Option<End>, Option<End>);

/// What the linear side of a box says.
pub(super) enum Linear {
    /// It has no solution.
    Empty,
    /// Values of the variables that solve it.
    Point(Vec<(At, Number)>),
    Silent,
}

/// Looks at a box after it was narrowed.
pub(super) fn look(problem: &Problem, domains: &[Domain]) -> Linear {
    let mut forms: Vec<Option<Form>> = Vec::with_capacity(problem.knots.len());
    let mut all: Vec<Inequality> = Vec::new();
    let mut ties = false;
    let mut lines = 0;
    for (at, (knot, own)) in problem.knots.iter().zip(domains).enumerate() {
        let known = !own.may_be_unknown();
        let form = match own.ends() {
            Some((lo, hi)) if known => {
                if lo.at == hi.at {
                    Some(Form::number(lo.at))
                } else {
                    let form = of(knot, domains, &forms, own, &mut all).unwrap_or_else(|| Form::atom(at));
                    lines += usize::from(form.terms.len() > 1);
                    all.push((form.clone(), Some(lo), Some(hi)));
                    Some(form)
                }
            }
            _ => None,
        };
        if let What::Step(step) = &knot.what {
            // A knot with one value still says something of what it reads.
            if let Some((lo, hi)) = own.ends()
                && known
                && lo.at == hi.at
                && let Some(line) = of(knot, domains, &forms, own, &mut all)
            {
                all.push((line, Some(lo), Some(hi)));
            }
            ties |= compared(step, knot, own, domains, &forms, &mut all);
        }
        forms.push(form);
        if all.len() > MOST_ROWS * 4 {
            return Linear::Silent;
        }
    }
    if ties || lines > 1 { solve(problem, domains, all) } else { Linear::Silent }
}

fn solve(problem: &Problem, domains: &[Domain], all: Vec<Inequality>) -> Linear {
    let mut simplex = Simplex::default();
    let mut places: BTreeMap<At, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for (form, lo, hi) in all {
        let shifted = |end: Option<End>| end.map(|end| End::new(&end.at - &form.constant, end.open));
        let (lo, hi) = (shifted(lo), shifted(hi));
        for at in form.terms.keys() {
            places.entry(*at).or_insert_with(|| {
                let ends = domains.get(*at).and_then(Domain::ends);
                simplex.variable(ends.as_ref().map(|(lo, _)| lo), ends.as_ref().map(|(_, hi)| hi))
            });
        }
        let own = form.terms.len() == 1 && form.terms.values().all(|factor| *factor == Number::ONE);
        let is_bound = own
            && form.terms.keys().all(|at| {
                domains.get(*at).and_then(Domain::ends).is_some_and(|(a, b)| {
                    lo.as_ref().is_none_or(|lo| *lo == a) && hi.as_ref().is_none_or(|hi| *hi == b)
                })
            });
        if !is_bound {
            let row: Row = form.terms.iter().filter_map(|(at, n)| Some((*places.get(at)?, n.clone()))).collect();
            rows.push((row, lo, hi));
        }
    }
    if rows.len() > MOST_ROWS {
        return Linear::Silent;
    }
    for (row, lo, hi) in rows {
        if row.is_empty() {
            let zero = Number::ZERO;
            let inside = lo.as_ref().is_none_or(|lo| zero > lo.at || zero == lo.at && !lo.open)
                && hi.as_ref().is_none_or(|hi| zero < hi.at || zero == hi.at && !hi.open);
            if !inside {
                return Linear::Empty;
            }
            continue;
        }
        simplex.row(row, lo.as_ref(), hi.as_ref());
    }
    match simplex.solve() {
        Answer::None => Linear::Empty,
        Answer::Open => Linear::Silent,
        Answer::Solution(values) => {
            let is_variable = |at: &At| problem.variable(*at).is_some();
            let of = places.iter().filter(|(at, _)| is_variable(at));
            Linear::Point(of.filter_map(|(at, place)| Some((*at, values.get(*place)?.clone()))).collect())
        }
    }
}

/// A knot at which a box is cut so that more of it becomes linear, and the parts: a comparison that is not settled, a `cap`,
/// `floor`, `penalty` or `clamp` of which it is not known whether it acts, a rounding with several results.
pub(super) fn kink(problem: &Problem, domains: &[Domain]) -> Option<(At, Vec<Domain>)> {
    let halves = |at: At, n: &Number| {
        let domain = domains.get(at)?;
        let (lo, hi) = domain.ends()?;
        if domain.may_be_unknown() || !matches!(domain.bounds.known, Known::Numbers { .. }) {
            return None;
        }
        let low = domain.and(&Domain::numbers(lo, End::closed(n.clone()), false, false));
        let high = domain.and(&Domain::numbers(End::new(n.clone(), true), hi, false, false));
        (!low.is_empty() && !high.is_empty()).then_some((at, vec![high, low]))
    };
    for (at, knot) in problem.knots.iter().enumerate().rev() {
        let What::Step(step) = &knot.what else { continue };
        let Some(own) = domains.get(at).filter(|own| own.exact().is_none() && !own.may_be_unknown()) else { continue };
        let from = |slot: usize| knot.inputs.get(slot).copied();
        let domain = |slot: usize| from(slot).and_then(|from| domains.get(from));
        let open = |slot: usize| domain(slot).is_some_and(|d| d.exact().is_none());
        let constant = |slot: usize| domain(slot).and_then(Domain::exact).and_then(|value| value.as_number().cloned());
        let found = match step.op {
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual
                if open(0) && open(1) =>
            {
                let part = |b: bool| Domain::exactly(&Value::Bool(b));
                Some((at, vec![part(true), part(false)]))
            }
            Op::Cap | Op::Floor | Op::Penalty => {
                let (passes, fires, unknown) = domain(1).map(|trigger| ways(step, trigger)).unwrap_or_default();
                if !fires || passes || unknown {
                    continue;
                }
                let edge = match step.op {
                    Op::Penalty => constant(2).map(|by| &step.from.0 + &by),
                    _ => constant(2),
                };
                edge.zip(from(0)).and_then(|(edge, base)| halves(base, &edge))
            }
            Op::Clamp => clamped(step)
                .zip(from(0))
                .and_then(|((low, high), base)| halves(base, high).or_else(|| halves(base, low))),
            Op::Quantize | Op::Round => own.ends().and_then(|(lo, hi)| {
                let middle = (&lo.at + &hi.at).checked_div(&Number::int(2))?;
                halves(at, &middle)
            }),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The form of an input, where it is known and has one.
fn input<'f>(knot: &Knot, slot: usize, forms: &'f [Option<Form>]) -> Option<&'f Form> {
    forms.get(*knot.inputs.get(slot)?)?.as_ref()
}

/// A knot as a line of others; `None` where it is an atom, of which `all` then says what can be said.
fn of(
    knot: &Knot,
    domains: &[Domain],
    forms: &[Option<Form>],
    own: &Domain,
    all: &mut Vec<Inequality>,
) -> Option<Form> {
    let What::Step(step) = &knot.what else { return None };
    let domain = |slot: usize| knot.inputs.get(slot).and_then(|from| domains.get(*from));
    match step.op {
        Op::Normalize | Op::Rescale | Op::Invert => {
            let mut form = Form::number(step.shift.clone());
            form.add(input(knot, 0, forms)?, &step.scale);
            Some(form)
        }
        op if adds_up(op) => {
            let slots: Vec<_> = (0..knot.inputs.len()).map(|slot| describe(step, slot)).collect();
            let shares: Number = slots.iter().map(|slot| &slot.share).sum();
            let whole = if shares.is_zero() { Number::ONE } else { shares };
            let mut form = Form::number(Number::ZERO);
            for (at, slot) in slots.iter().enumerate() {
                form.add(input(knot, at, forms)?, &slot.weight.checked_div(&whole)?);
            }
            Some(form)
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Replace | Op::Penalty => {
            let (passes, fires, unknown) = ways(step, domain(1)?);
            if unknown {
                return None;
            }
            match (passes, fires, step.op) {
                (true, false, _) => input(knot, 0, forms).cloned(),
                (false, true, Op::Veto | Op::Replace) => input(knot, 2, forms).cloned(),
                (false, true, Op::Cap | Op::Floor) if acts(step, domain(0)?, domain(2)?).is_some() => {
                    let which = if acts(step, domain(0)?, domain(2)?)? { 2 } else { 0 };
                    input(knot, which, forms).cloned()
                }
                (false, true, Op::Penalty) if domain(0)?.ends()?.0.at >= &step.from.0 + &domain(2)?.ends()?.1.at => {
                    let mut form = input(knot, 0, forms)?.clone();
                    form.add(input(knot, 2, forms)?, &-Number::ONE);
                    Some(form)
                }
                (_, _, Op::Cap) => {
                    side(knot, 0, forms, Below, all);
                    if !passes {
                        side(knot, 2, forms, Below, all);
                    }
                    None
                }
                (_, _, Op::Floor) => {
                    side(knot, 0, forms, Above, all);
                    if !passes {
                        side(knot, 2, forms, Above, all);
                    }
                    None
                }
                (_, _, Op::Penalty) => {
                    side(knot, 0, forms, Below, all);
                    None
                }
                _ => None,
            }
        }
        Op::Min | Op::Max => {
            let which = if step.op == Op::Min { Below } else { Above };
            (0..knot.inputs.len()).for_each(|slot| side(knot, slot, forms, which, all));
            None
        }
        Op::Clamp => {
            let ((lo, hi), (low, high)) = (domain(0)?.ends()?, clamped(step)?);
            if lo.at >= *high {
                return Some(Form::number(high.clone()));
            }
            if hi.at <= *low {
                return Some(Form::number(low.clone()));
            }
            match (lo.at >= *low, hi.at <= *high) {
                (true, true) => return input(knot, 0, forms).cloned(),
                // Never cut off below: it is the lower of x and the upper end.
                (true, false) => side(knot, 0, forms, Below, all),
                (false, true) => side(knot, 0, forms, Above, all),
                (false, false) => {}
            }
            None
        }
        Op::Otherwise if domain(0).is_some_and(|x| !x.may_be_unknown()) => input(knot, 0, forms).cloned(),
        Op::If => match domain(0)?.bounds.bools() {
            (false, true) => input(knot, 1, forms).cloned(),
            (true, false) => input(knot, 2, forms).cloned(),
            _ => None,
        },
        Op::Round | Op::Quantize => {
            rounded(step, knot, own, forms, all);
            None
        }
        _ => None,
    }
}

/// Whether a `cap` or `floor` that fires surely yields its limit, or surely its base.
fn acts(step: &Step, base: &Domain, limit: &Domain) -> Option<bool> {
    let ((lo, hi), (low, high)) = (base.ends()?, limit.ends()?);
    let (base_above, base_below) = (lo.at >= high.at, hi.at <= low.at);
    let cap = step.op == Op::Cap;
    match (base_above, base_below) {
        (true, _) => Some(cap),
        (_, true) => Some(!cap),
        _ => None,
    }
}

/// Which side of a slot a knot lies on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// knot ≤ slot
    Below,
    /// knot ≥ slot
    Above,
}
use Side::{Above, Below};

/// The knot that is being made (it will be the next form) is below or above a slot. Its own number is not known here, so the
/// place is that of the next form.
fn side(knot: &Knot, slot: usize, forms: &[Option<Form>], side: Side, all: &mut Vec<Inequality>) {
    let Some(form) = input(knot, slot, forms) else { return };
    let mut difference = Form::atom(forms.len());
    difference.add(form, &-Number::ONE);
    let zero = Some(End::closed(Number::ZERO));
    all.push(match side {
        Below => (difference, None, zero),
        Above => (difference, zero, None),
    });
}

/// A rounding lies within a step, or half a step, of what is rounded.
fn rounded(step: &Step, knot: &Knot, own: &Domain, forms: &[Option<Form>], all: &mut Vec<Inequality>) {
    let (Some(form), Some((lo, hi))) = (input(knot, 0, forms), own.ends()) else { return };
    let (scale, shift, grid) = match step.op {
        Op::Round => (Number::ONE, Number::ZERO, step.params.step.clone().unwrap_or(Number::ONE)),
        _ => (step.scale.clone(), step.shift.clone(), Number::ONE),
    };
    let half = Number::ratio(1, 2).unwrap_or_default();
    let (down, up) = match step.params.mode.unwrap_or_default() {
        Rounding::Down => (Number::ZERO, grid),
        Rounding::Up => (grid, Number::ZERO),
        _ => (&half * &grid, &half * &grid),
    };
    let mut line = Form::number(shift);
    line.add(form, &scale);
    // What is rounded lies between the lowest result less `down` and the highest plus `up`.
    all.push((line, Some(End::closed(&lo.at - &down)), Some(End::closed(&hi.at + &up))));
}

/// A comparison whose answer is settled, as an inequality; whether it ties two things that are both open.
fn compared(
    step: &Step,
    knot: &Knot,
    own: &Domain,
    domains: &[Domain],
    forms: &[Option<Form>],
    all: &mut Vec<Inequality>,
) -> bool {
    let (yes, no) = (own.holds(&Value::Bool(true)), own.holds(&Value::Bool(false)));
    if own.may_be_unknown() || yes == no {
        return false;
    }
    let op = match (step.op, yes) {
        (Op::Less, true) | (Op::GreaterEqual, false) => Op::Less,
        (Op::LessEqual, true) | (Op::Greater, false) => Op::LessEqual,
        (Op::Greater, true) | (Op::LessEqual, false) => Op::Greater,
        (Op::GreaterEqual, true) | (Op::Less, false) => Op::GreaterEqual,
        (Op::Equal, true) | (Op::NotEqual, false) => Op::Equal,
        _ => return false,
    };
    let open =
        |slot: usize| knot.inputs.get(slot).and_then(|from| domains.get(*from)).is_some_and(|d| d.exact().is_none());
    let (Some(left), Some(right)) = (input(knot, 0, forms), input(knot, 1, forms)) else { return false };
    if !open(0) || !open(1) {
        return false;
    }
    let mut difference = left.clone();
    difference.add(right, &-Number::ONE);
    let end = |open: bool| Some(End::new(Number::ZERO, open));
    all.push(match op {
        Op::Less => (difference, None, end(true)),
        Op::LessEqual => (difference, None, end(false)),
        Op::Greater => (difference, end(true), None),
        Op::GreaterEqual => (difference, end(false), None),
        _ => (difference, end(false), end(false)),
    });
    true
}
