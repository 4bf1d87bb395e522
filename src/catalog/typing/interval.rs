//! Interval arithmetic with exact ends: what the result types of sums, products and quotients are made of.

use crate::number::Number;

/// Bits that an end of an interval may have, numerator and denominator together: some 400 digits. Beyond it a program would
/// spend its time on digits (`a = x * x`, `b = a * a`, …, thirty times, has a billion of them).
const MOST_BITS: u64 = 1_400;

/// All numbers from `lo` to `hi`, both included; `lo <= hi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    pub lo: Number,
    pub hi: Number,
}

impl Interval {
    #[must_use]
    pub fn new(lo: Number, hi: Number) -> Interval {
        Interval { lo, hi }
    }

    /// The interval of a single number.
    #[must_use]
    pub fn point(n: &Number) -> Interval {
        Interval { lo: n.clone(), hi: n.clone() }
    }

    #[must_use]
    pub fn is_point(&self) -> bool {
        self.lo == self.hi
    }

    #[must_use]
    pub fn contains(&self, n: &Number) -> bool {
        &self.lo <= n && n <= &self.hi
    }

    /// The least interval that holds this one and `n`.
    #[must_use]
    pub fn with(mut self, n: &Number) -> Interval {
        if n < &self.lo {
            self.lo = n.clone();
        }
        if n > &self.hi {
            self.hi = n.clone();
        }
        self
    }

    /// The least interval that holds both.
    #[must_use]
    pub fn hull(self, other: &Interval) -> Interval {
        self.with(&other.lo).with(&other.hi)
    }

    #[must_use]
    pub fn plus(&self, other: &Interval) -> Interval {
        Interval::new(&self.lo + &other.lo, &self.hi + &other.hi)
    }

    #[must_use]
    pub fn minus(&self, other: &Interval) -> Interval {
        Interval::new(&self.lo - &other.hi, &self.hi - &other.lo)
    }

    #[must_use]
    pub fn times(&self, other: &Interval) -> Interval {
        let first = &self.lo * &other.lo;
        Interval::point(&first)
            .with(&(&self.lo * &other.hi))
            .with(&(&self.hi * &other.lo))
            .with(&(&self.hi * &other.hi))
    }

    /// The quotients; `None` where the divisor's interval contains 0.
    #[must_use]
    pub fn over(&self, divisor: &Interval) -> Option<Interval> {
        if divisor.contains(&Number::ZERO) {
            return None;
        }
        let inverse = Interval::new(Number::ONE.checked_div(&divisor.hi)?, Number::ONE.checked_div(&divisor.lo)?);
        Some(self.times(&inverse))
    }

    #[must_use]
    pub fn scaled(&self, by: &Number) -> Interval {
        self.times(&Interval::point(by))
    }

    /// Whether an end has more digits than any rubric needs.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.lo.bits() > MOST_BITS || self.hi.bits() > MOST_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(a: i64, b: i64) -> Interval {
        Interval::new(Number::int(a.min(b)), Number::int(a.max(b)))
    }

    proptest! {
        /// Every result of two members lies inside, and both ends are results.
        #[test]
        fn arithmetic_is_the_exact_hull(a in -9_i64..9, b in -9_i64..9, c in -9_i64..9, d in -9_i64..9) {
            let (x, y) = (interval(a, b), interval(c, d));
            let ends = |i: &Interval| [i.lo.clone(), i.hi.clone()];
            type Op = fn(&Number, &Number) -> Number;
            let ops: [(Interval, Op); 3] =
                [(x.plus(&y), |m, n| m + n), (x.minus(&y), |m, n| m - n), (x.times(&y), |m, n| m * n)];
            for (result, op) in ops {
                let all: Vec<_> = ends(&x).iter().flat_map(|m| ends(&y).map(|n| op(m, &n))).collect();
                prop_assert_eq!(Some(&result.lo), all.iter().min());
                prop_assert_eq!(Some(&result.hi), all.iter().max());
            }
        }

        #[test]
        fn quotients_are_the_exact_hull(a in -9_i64..9, b in -9_i64..9, c in -9_i64..9, d in -9_i64..9) {
            let (x, y) = (interval(a, b), interval(c, d));
            let Some(result) = x.over(&y) else {
                prop_assert!(y.contains(&Number::ZERO));
                return Ok(());
            };
            let all: Vec<_> =
                [&x.lo, &x.hi].iter().flat_map(|m| [&y.lo, &y.hi].map(|n| m.checked_div(n).unwrap())).collect();
            prop_assert_eq!(Some(&result.lo), all.iter().min());
            prop_assert_eq!(Some(&result.hi), all.iter().max());
        }
    }
}
