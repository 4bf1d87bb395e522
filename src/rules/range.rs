//! Intervals of numbers in rules: each end may be missing (no bound), and whether all numbers in it are whole.
//!
//! Interval arithmetic over the extended reals with 0 · ∞ = 0, which is right for ends of closed intervals: an infinite end
//! only says that there is no bound, it is never reached.

use crate::number::{Number, Rounding};
use crate::types::{Base, Type};
use std::cmp::Ordering;

/// The numbers between two ends; `None` is no bound on that side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    pub lo: Option<Number>,
    pub hi: Option<Number>,
    /// Only whole numbers.
    pub whole: bool,
}

/// An end with its side: −∞, a number, +∞.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Below,
    At(Number),
    Above,
}

impl End {
    fn cmp(&self, other: &End) -> Ordering {
        let rank = |e: &End| match e {
            End::Below => 0,
            End::At(_) => 1,
            End::Above => 2,
        };
        match (self, other) {
            (End::At(a), End::At(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }

    /// −1, 0 or 1.
    fn sign(&self) -> i8 {
        match self {
            End::Below => -1,
            End::Above => 1,
            End::At(n) if n.is_zero() => 0,
            End::At(n) if n.is_negative() => -1,
            End::At(_) => 1,
        }
    }

    fn times(&self, other: &End) -> End {
        match (self, other) {
            (End::At(a), End::At(b)) => End::At(a * b),
            _ => match self.sign() * other.sign() {
                0 => End::At(Number::ZERO),
                s if s < 0 => End::Below,
                _ => End::Above,
            },
        }
    }
}

impl Range {
    /// Every number.
    pub fn all() -> Range {
        Range { lo: None, hi: None, whole: false }
    }

    /// 0, 1, 2, … without an end.
    pub fn count() -> Range {
        Range { lo: Some(Number::ZERO), hi: None, whole: true }
    }

    pub fn unit() -> Range {
        Range { lo: Some(Number::ZERO), hi: Some(Number::ONE), whole: false }
    }

    pub fn point(n: &Number) -> Range {
        Range { lo: Some(n.clone()), hi: Some(n.clone()), whole: n.is_integer() }
    }

    fn ends(&self) -> (End, End) {
        (self.lo.clone().map_or(End::Below, End::At), self.hi.clone().map_or(End::Above, End::At))
    }

    fn of(ends: &[End], whole: bool) -> Range {
        let least = ends.iter().min_by(|a, b| a.cmp(b));
        let most = ends.iter().max_by(|a, b| a.cmp(b));
        let at = |e: Option<&End>| match e {
            Some(End::At(n)) => Some(n.clone()),
            _ => None,
        };
        Range { lo: at(least), hi: at(most), whole }
    }

    pub fn add(&self, other: &Range) -> Range {
        let end = |a: &Option<Number>, b: &Option<Number>| Some(a.as_ref()? + b.as_ref()?);
        Range { lo: end(&self.lo, &other.lo), hi: end(&self.hi, &other.hi), whole: self.whole && other.whole }
    }

    pub fn negate(&self) -> Range {
        Range { lo: self.hi.clone().map(|n| -n), hi: self.lo.clone().map(|n| -n), whole: self.whole }
    }

    pub fn subtract(&self, other: &Range) -> Range {
        self.add(&other.negate())
    }

    pub fn multiply(&self, other: &Range) -> Range {
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        Range::of(&[a.times(&c), a.times(&d), b.times(&c), b.times(&d)], self.whole && other.whole)
    }

    pub fn contains_zero(&self) -> bool {
        self.lo.as_ref().is_none_or(|n| !n.is_positive()) && self.hi.as_ref().is_none_or(|n| !n.is_negative())
    }

    /// The quotient; `None` where the divisor can be 0.
    pub fn divide(&self, other: &Range) -> Option<Range> {
        if other.contains_zero() {
            return None;
        }
        // One over the divisor: an end at infinity becomes 0, which it never quite reaches.
        let over = |n: &Option<Number>| match n {
            Some(n) => Number::ONE.checked_div(n),
            None => Some(Number::ZERO),
        };
        let inverse = Range { lo: over(&other.hi), hi: over(&other.lo), whole: false };
        Some(Range { whole: false, ..self.multiply(&inverse) })
    }

    pub fn abs(&self) -> Range {
        if !self.contains_zero() {
            return if self.lo.as_ref().is_some_and(Number::is_positive) { self.clone() } else { self.negate() };
        }
        let hi = match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => Some(lo.abs().max(hi.abs())),
            _ => None,
        };
        Range { lo: Some(Number::ZERO), hi, whole: self.whole }
    }

    pub fn hull(&self, other: &Range) -> Range {
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        Range::of(&[a, b, c, d], self.whole && other.whole)
    }

    /// Where the greater (or the lesser) of two numbers can lie.
    pub fn extreme(&self, other: &Range, greatest: bool) -> Range {
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        let pick = |x: End, y: End| if (x.cmp(&y) == Ordering::Greater) == greatest { x } else { y };
        let (lo, hi) = (pick(a, c), pick(b, d));
        let whole = self.whole && other.whole;
        let at = |e: End| if let End::At(n) = e { Some(n) } else { None };
        Range { lo: at(lo), hi: at(hi), whole }
    }

    pub fn round(&self, step: &Number, mode: Rounding) -> Range {
        let end = |n: &Option<Number>| n.as_ref().map(|n| n.round_step(step, mode));
        Range { lo: end(&self.lo), hi: end(&self.hi), whole: step.is_integer() }
    }

    /// What is left after `clamp` to the interval of a type.
    pub fn clamp(&self, lo: &Number, hi: &Number) -> Range {
        let within = |n: &Option<Number>, none: &Number| match n {
            Some(n) => n.clone().max(lo.clone()).min(hi.clone()),
            None => none.clone(),
        };
        let whole = self.whole && lo.is_integer() && hi.is_integer();
        Range { lo: Some(within(&self.lo, lo)), hi: Some(within(&self.hi, hi)), whole }
    }

    /// Whether every number of this range lies in the interval.
    pub fn within(&self, lo: &Number, hi: &Number) -> bool {
        self.lo.as_ref().is_some_and(|n| n >= lo) && self.hi.as_ref().is_some_and(|n| n <= hi)
    }

    /// As an author reads it: "a whole number from 0 up", "a number from 0 to 1".
    pub fn words(&self) -> String {
        let what = if self.whole { "a whole number" } else { "a number" };
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) if lo == hi => format!("the number {}", lo.exact()),
            (Some(lo), Some(hi)) => format!("{what} from {} to {}", lo.exact(), hi.exact()),
            (Some(lo), None) => format!("{what} from {} up, without an upper end", lo.exact()),
            (None, Some(hi)) => format!("{what} up to {}, without a lower end", hi.exact()),
            (None, None) => format!("{what} without bounds"),
        }
    }

    /// The judgment space of this range, where it has both ends.
    pub fn ty(&self) -> Type {
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) if self.whole => Type::of(Base::Int { lo: lo.clone(), hi: hi.clone() }),
            (Some(lo), Some(hi)) => Type::of(Base::Score { lo: lo.clone(), hi: hi.clone() }),
            _ => Type::of(Base::Real),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range() -> impl Strategy<Value = (Range, i64)> {
        (-6_i64..=6, 0_i64..=6, 0_i64..=6, any::<bool>(), any::<bool>()).prop_map(
            |(lo, width, at, open_lo, open_hi)| {
                let value = lo + at.min(width);
                let end = |open: bool, n: i64| (!open).then(|| Number::int(n));
                (Range { lo: end(open_lo, lo), hi: end(open_hi, lo + width), whole: true }, value)
            },
        )
    }

    fn holds(range: &Range, n: &Number) -> bool {
        range.lo.as_ref().is_none_or(|lo| lo <= n)
            && range.hi.as_ref().is_none_or(|hi| n <= hi)
            && (!range.whole || n.is_integer())
    }

    proptest! {
        #[test]
        fn every_result_lies_in_its_range(((a, x), (b, y)) in (range(), range())) {
            let (x, y) = (Number::int(x), Number::int(y));
            prop_assert!(holds(&a.add(&b), &(&x + &y)));
            prop_assert!(holds(&a.subtract(&b), &(&x - &y)));
            prop_assert!(holds(&a.multiply(&b), &(&x * &y)));
            prop_assert!(holds(&a.abs(), &x.abs()));
            prop_assert!(holds(&a.hull(&b), &x) && holds(&a.hull(&b), &y));
            prop_assert!(holds(&a.extreme(&b, true), &x.clone().max(y.clone())));
            prop_assert!(holds(&a.extreme(&b, false), &x.clone().min(y.clone())));
            if let Some(quotient) = a.divide(&b) {
                prop_assert!(holds(&quotient, &x.checked_div(&y).unwrap()));
            } else {
                prop_assert!(b.contains_zero());
            }
        }
    }

    #[test]
    fn an_open_end_stays_open() {
        let words = Range::count();
        assert_eq!(words.words(), "a whole number from 0 up, without an upper end");
        assert_eq!(words.clamp(&Number::ONE, &Number::int(9)).ty(), Type::int(1, 9));
        let share = words.divide(&words.add(&Range::point(&Number::ONE))).unwrap();
        assert_eq!(share.lo, Some(Number::ZERO));
        assert_eq!(share.hi, None);
    }
}
