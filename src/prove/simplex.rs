//! Whether linear inequalities over bounded variables have a solution, exactly.
//!
//! The general simplex of Dutertre and de Moura (A fast linear-arithmetic solver for DPLL(T), CAV 2006): every inequality is a
//! variable that is a row over others, and has bounds. A basic variable outside its bounds is exchanged for one that can give
//! way; where none can, there is no solution. Bland's rule (the least index) makes it end. Strict bounds are kept by numbers
//! a + b·δ with an infinitesimal δ, for which a number is chosen at the end.

use super::domain::End;
use crate::number::Number;
use std::collections::BTreeMap;

/// Exchanges after which it gives up.
const MOST_TURNS: usize = 400;
/// Binary digits beyond which it gives up.
const MOST_BITS: u64 = 2_048;

/// a + b·δ, ordered by a, then b.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Near {
    at: Number,
    by: Number,
}

impl Near {
    fn plus(&self, other: &Near, factor: &Number) -> Near {
        Near { at: &self.at + &(factor * &other.at), by: &self.by + &(factor * &other.by) }
    }

    fn minus(&self, other: &Near) -> Near {
        Near { at: &self.at - &other.at, by: &self.by - &other.by }
    }

    fn over(&self, divisor: &Number) -> Option<Near> {
        Some(Near { at: self.at.checked_div(divisor)?, by: self.by.checked_div(divisor)? })
    }
}

/// Coefficients by variable.
pub(super) type Row = BTreeMap<usize, Number>;

#[derive(Debug, Default)]
pub(super) struct Simplex {
    lower: Vec<Option<Near>>,
    upper: Vec<Option<Near>>,
    value: Vec<Near>,
    /// Basic variables as sums of the others.
    rows: BTreeMap<usize, Row>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// A value for each variable.
    Solution(Vec<Number>),
    None,
    /// It took too long.
    Open,
}

impl Simplex {
    /// A new variable between two ends, where there are any.
    pub(super) fn variable(&mut self, lo: Option<&End>, hi: Option<&End>) -> usize {
        let near =
            |end: &End, by: i64| Near { at: end.at.clone(), by: if end.open { Number::int(by) } else { Number::ZERO } };
        let (lower, upper) = (lo.map(|end| near(end, 1)), hi.map(|end| near(end, -1)));
        self.value.push(lower.clone().or_else(|| upper.clone()).unwrap_or_default());
        self.lower.push(lower);
        self.upper.push(upper);
        self.value.len() - 1
    }

    /// A sum of variables that are no rows themselves, between two ends.
    pub(super) fn row(&mut self, row: Row, lo: Option<&End>, hi: Option<&End>) {
        let at = self.variable(lo, hi);
        let mut value = Near::default();
        for (variable, factor) in &row {
            if let Some(own) = self.value.get(*variable) {
                value = value.plus(own, factor);
            }
        }
        if let Some(place) = self.value.get_mut(at) {
            *place = value;
        }
        self.rows.insert(at, row);
    }

    fn below(&self, at: usize) -> Option<Near> {
        let (value, lower) = (self.value.get(at)?, self.lower.get(at)?.as_ref()?);
        (value < lower).then(|| lower.clone())
    }

    fn above(&self, at: usize) -> Option<Near> {
        let (value, upper) = (self.value.get(at)?, self.upper.get(at)?.as_ref()?);
        (value > upper).then(|| upper.clone())
    }

    fn can_rise(&self, at: usize) -> bool {
        match (self.value.get(at), self.upper.get(at)) {
            (Some(value), Some(Some(upper))) => value < upper,
            _ => true,
        }
    }

    fn can_fall(&self, at: usize) -> bool {
        match (self.value.get(at), self.lower.get(at)) {
            (Some(value), Some(Some(lower))) => value > lower,
            _ => true,
        }
    }

    pub(super) fn solve(mut self) -> Answer {
        for (lower, upper) in self.lower.iter().zip(&self.upper) {
            if let (Some(lower), Some(upper)) = (lower, upper)
                && lower > upper
            {
                return Answer::None;
            }
        }
        for _ in 0..MOST_TURNS {
            let broken = self.rows.keys().copied().find_map(|at| match (self.below(at), self.above(at)) {
                (Some(bound), _) => Some((at, bound, true)),
                (None, Some(bound)) => Some((at, bound, false)),
                (None, None) => None,
            });
            let Some((basic, bound, rises)) = broken else { return self.solution() };
            let Some(row) = self.rows.get(&basic) else { return Answer::Open };
            let gives = row.iter().find(|(other, factor)| {
                if factor.is_negative() != rises { self.can_rise(**other) } else { self.can_fall(**other) }
            });
            let Some((other, _)) = gives else { return Answer::None };
            if self.exchange(basic, *other, &bound).is_none() {
                return Answer::Open;
            }
        }
        Answer::Open
    }

    /// Sets a basic variable to a value by moving another one, and exchanges the two.
    fn exchange(&mut self, basic: usize, other: usize, to: &Near) -> Option<()> {
        let row = self.rows.remove(&basic)?;
        let factor = row.get(&other)?.clone();
        let step = to.minus(self.value.get(basic)?).over(&factor)?;
        if step.at.bits() > MOST_BITS || step.by.bits() > MOST_BITS {
            return None;
        }
        *self.value.get_mut(basic)? = to.clone();
        let moved = self.value.get(other)?.plus(&step, &Number::ONE);
        *self.value.get_mut(other)? = moved;
        // other = (basic − Σ the rest) / factor
        let mut turned: Row = BTreeMap::new();
        turned.insert(basic, Number::ONE.checked_div(&factor)?);
        for (at, own) in &row {
            if *at != other {
                turned.insert(*at, -own.checked_div(&factor)?);
            }
        }
        for (at, row) in &mut self.rows {
            let Some(share) = row.remove(&other) else { continue };
            let value = self.value.get(*at)?.plus(&step, &share);
            *self.value.get_mut(*at)? = value;
            for (from, own) in &turned {
                let sum = &(&share * own) + &row.remove(from).unwrap_or_default();
                if sum.bits() > MOST_BITS {
                    return None;
                }
                if !sum.is_zero() {
                    row.insert(*from, sum);
                }
            }
        }
        self.rows.insert(other, turned);
        Some(())
    }

    /// The values with a δ that is small enough for every bound.
    fn solution(&self) -> Answer {
        let mut delta = Number::ONE;
        let mut hold = |low: &Near, high: &Near| {
            // low ≤ high as pairs; as numbers while δ · (low.by − high.by) ≤ high.at − low.at.
            if low.by > high.by
                && let Some(most) = (&high.at - &low.at).checked_div(&(&low.by - &high.by))
                && most < delta
            {
                delta = most;
            }
        };
        for ((value, lower), upper) in self.value.iter().zip(&self.lower).zip(&self.upper) {
            if let Some(lower) = lower {
                hold(lower, value);
            }
            if let Some(upper) = upper {
                hold(value, upper);
            }
        }
        let delta = delta.checked_div(&Number::int(2)).unwrap_or_default();
        Answer::Solution(self.value.iter().map(|value| &value.at + &(&value.by * &delta)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(n: i64, open: bool) -> End {
        End::new(Number::int(n), open)
    }

    fn row(pairs: &[(usize, i64)]) -> Row {
        pairs.iter().map(|(at, n)| (*at, Number::int(*n))).collect()
    }

    #[test]
    fn strict_and_lax_bounds_are_told_apart() {
        for strict in [false, true] {
            let mut simplex = Simplex::default();
            let (zero, one) = (end(0, false), end(1, false));
            let x = simplex.variable(Some(&zero), Some(&one));
            let y = simplex.variable(Some(&zero), Some(&one));
            // x + y > 2 or >= 2
            simplex.row(row(&[(x, 1), (y, 1)]), Some(&end(2, strict)), None);
            assert_eq!(simplex.solve() == Answer::None, strict);
        }
    }

    #[test]
    fn a_solution_keeps_every_strict_bound() {
        let mut simplex = Simplex::default();
        let (zero, one) = (end(0, true), end(1, true));
        let x = simplex.variable(Some(&zero), Some(&one));
        let y = simplex.variable(Some(&zero), Some(&one));
        simplex.row(row(&[(x, 2), (y, -3)]), Some(&end(0, true)), None);
        simplex.row(row(&[(x, 1), (y, 1)]), Some(&end(1, false)), Some(&end(1, false)));
        let Answer::Solution(values) = simplex.solve() else { panic!("there is a solution") };
        let (x, y) = (&values[x], &values[y]);
        assert!(*x > Number::ZERO && *y > Number::ZERO && *x < Number::ONE);
        assert!(&Number::int(2) * x > &Number::int(3) * y);
        assert_eq!(x + y, Number::ONE);
    }

    #[test]
    fn a_circle_of_inequalities_has_no_solution() {
        let mut simplex = Simplex::default();
        let all: Vec<usize> = (0..4).map(|_| simplex.variable(Some(&end(-9, false)), Some(&end(9, false)))).collect();
        for at in 0..4 {
            // each is above the next
            simplex.row(row(&[(all[at], 1), (all[(at + 1) % 4], -1)]), Some(&end(0, true)), None);
        }
        assert_eq!(simplex.solve(), Answer::None);
    }
}
