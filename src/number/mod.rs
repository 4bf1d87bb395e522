//! Exact rational numbers: the only arithmetic that judgments, weights and thresholds ever meet.
//!
//! A [`Number`] is a reduced fraction. Nearly all numbers of a rubric fit a pair of `i64`, and those are added,
//! multiplied and compared through `i128` without allocating; whatever does not fit falls over to a big fraction.
//! The representation is canonical (small whenever it fits), so equality and hashing are structural.
//!
//! *Architecture Invariant:* nothing here rounds unless its name says so ([`round`]); no binary float ever takes part.

mod parse;
mod print;
mod roots;
mod round;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

pub use parse::NumberError;
pub use roots::geometric_mean;
pub use round::Rounding;

/// Digits after the point that a judge's own number keeps, and that printing shows at the most.
pub const PLACES: u32 = 12;

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Reduced, `d > 0`.
    Small { n: i64, d: i64 },
    /// Reduced, and at least one part does not fit an `i64`.
    Big(Box<BigRational>),
}

impl Number {
    pub const ZERO: Number = Number(Repr::Small { n: 0, d: 1 });
    pub const ONE: Number = Number(Repr::Small { n: 1, d: 1 });

    /// A whole number.
    #[must_use]
    pub const fn int(n: i64) -> Number {
        Number(Repr::Small { n, d: 1 })
    }

    /// The fraction `n/d`; `None` where `d` is 0.
    #[must_use]
    pub fn ratio(n: i64, d: i64) -> Option<Number> {
        if d == 0 {
            return None;
        }
        Some(Number::from_i128(i128::from(n), i128::from(d)))
    }

    /// `n/d` for `d != 0`; both within the range that products of two `i64` reach.
    fn from_i128(n: i128, d: i128) -> Number {
        let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
        if d == 1
            && let Ok(n) = i64::try_from(n)
        {
            return Number(Repr::Small { n, d: 1 });
        }
        // Most fractions fit machine words, in which both the divisor and the quotients are several times cheaper.
        if let (Ok(n), Ok(d)) = (i64::try_from(n), i64::try_from(d)) {
            let g = i64::try_from(n.unsigned_abs().gcd(&d.unsigned_abs())).unwrap_or(1).max(1);
            return Number(Repr::Small { n: n / g, d: d / g });
        }
        let g = i128::try_from(n.unsigned_abs().gcd(&d.unsigned_abs())).unwrap_or(1).max(1);
        let (n, d) = (n / g, d / g);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Number(Repr::Small { n, d }),
            _ => Number(Repr::Big(Box::new(BigRational::new_raw(BigInt::from(n), BigInt::from(d))))),
        }
    }

    fn from_big(r: BigRational) -> Number {
        match (r.numer().to_i64(), r.denom().to_i64()) {
            (Some(n), Some(d)) => Number(Repr::Small { n, d }),
            _ => Number(Repr::Big(Box::new(r))),
        }
    }

    fn big(&self) -> BigRational {
        match &self.0 {
            Repr::Small { n, d } => BigRational::new_raw(BigInt::from(*n), BigInt::from(*d)),
            Repr::Big(r) => (**r).clone(),
        }
    }

    /// `self / other`; `None` where `other` is 0.
    #[must_use]
    pub fn checked_div(&self, other: &Number) -> Option<Number> {
        if other.is_zero() {
            return None;
        }
        Some(match (&self.0, &other.0) {
            (Repr::Small { n: a, d: b }, Repr::Small { n: c, d: e }) => {
                Number::from_i128(i128::from(*a) * i128::from(*e), i128::from(*b) * i128::from(*c))
            }
            _ => Number::from_big(self.big() / other.big()),
        })
    }

    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small { n: 0, .. })
    }

    /// Whether this is a whole number.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { d, .. } => *d == 1,
            Repr::Big(r) => r.is_integer(),
        }
    }

    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small { n, .. } => *n < 0,
            Repr::Big(r) => r.is_negative(),
        }
    }

    #[must_use]
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    #[must_use]
    pub fn abs(&self) -> Number {
        if self.is_negative() { -self.clone() } else { self.clone() }
    }

    /// The whole number itself, where this is one and fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small { n, d: 1 } => Some(*n),
            _ => None,
        }
    }

    /// What it is divided by in its lowest terms, where both parts are small.
    #[must_use]
    pub(crate) fn denominator(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small { d, .. } => Some(*d),
            Repr::Big(_) => None,
        }
    }

    /// Bits of the numerator and the denominator together: how much it costs to reckon with.
    #[must_use]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small { n, d } => {
                u64::from(u64::BITS - n.unsigned_abs().leading_zeros()) + u64::from(u64::BITS - d.leading_zeros())
            }
            Repr::Big(r) => r.numer().bits() + r.denom().bits(),
        }
    }

    /// The nearest `f64`, for drawings, progress bars and foreign statistics only.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "a display value")]
            Repr::Small { n, d } => *n as f64 / *d as f64,
            Repr::Big(r) => r.to_f64().unwrap_or(f64::NAN),
        }
    }
}

impl Default for Number {
    fn default() -> Self {
        Number::ZERO
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Number::int(n)
    }
}

impl From<usize> for Number {
    fn from(n: usize) -> Self {
        match i64::try_from(n) {
            Ok(n) => Number::int(n),
            Err(_) => Number::from_big(BigRational::from_integer(BigInt::from(n))),
        }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small { n: a, d: b }, Repr::Small { n: c, d: e }) => {
                if b == e {
                    a.cmp(c)
                } else {
                    (i128::from(*a) * i128::from(*e)).cmp(&(i128::from(*c) * i128::from(*b)))
                }
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add<&Number> for &Number {
    type Output = Number;
    fn add(self, other: &Number) -> Number {
        match (&self.0, &other.0) {
            (Repr::Small { n: a, d: b }, Repr::Small { n: c, d: e }) => {
                if b == e {
                    Number::from_i128(i128::from(*a) + i128::from(*c), i128::from(*b))
                } else {
                    Number::from_i128(
                        i128::from(*a) * i128::from(*e) + i128::from(*c) * i128::from(*b),
                        i128::from(*b) * i128::from(*e),
                    )
                }
            }
            _ => Number::from_big(self.big() + other.big()),
        }
    }
}

impl Mul<&Number> for &Number {
    type Output = Number;
    fn mul(self, other: &Number) -> Number {
        match (&self.0, &other.0) {
            (Repr::Small { n: a, d: b }, Repr::Small { n: c, d: e }) => {
                Number::from_i128(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*e))
            }
            _ => Number::from_big(self.big() * other.big()),
        }
    }
}

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        match self.0 {
            Repr::Small { n, d } => match n.checked_neg() {
                Some(n) => Number(Repr::Small { n, d }),
                None => Number::from_i128(-i128::from(n), i128::from(d)),
            },
            Repr::Big(r) => Number::from_big(-*r),
        }
    }
}

impl Sub<&Number> for &Number {
    type Output = Number;
    fn sub(self, other: &Number) -> Number {
        match (&self.0, &other.0) {
            (Repr::Small { n: a, d: b }, Repr::Small { n: c, d: e }) => Number::from_i128(
                i128::from(*a) * i128::from(*e) - i128::from(*c) * i128::from(*b),
                i128::from(*b) * i128::from(*e),
            ),
            _ => Number::from_big(self.big() - other.big()),
        }
    }
}

macro_rules! owned {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Number {
            type Output = Number;
            fn $method(self, other: Number) -> Number {
                $trait::$method(&self, &other)
            }
        }
    )*};
}
owned!(Add add, Sub sub, Mul mul);

impl std::iter::Sum for Number {
    fn sum<I: Iterator<Item = Number>>(iter: I) -> Number {
        iter.fold(Number::ZERO, |a, b| &a + &b)
    }
}

impl<'a> std::iter::Sum<&'a Number> for Number {
    fn sum<I: Iterator<Item = &'a Number>>(iter: I) -> Number {
        iter.fold(Number::ZERO, |a, b| &a + b)
    }
}

/// Whether a big value is zero, for the helpers in this module.
fn big_is_zero(n: &BigInt) -> bool {
    n.is_zero()
}
