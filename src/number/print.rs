//! Printing numbers: the shortest decimal where it ends within 12 places, else 12 places; and the exact fraction.

use super::{Number, PLACES, Repr, Rounding};
use num_bigint::BigInt;
use std::fmt;

/// 10 to the power of [`PLACES`].
const SCALE: i128 = 1_000_000_000_000;

impl Number {
    /// The exact value as text: `3`, `-6.1` where the decimal ends within 12 places, else `13/30`.
    #[must_use]
    pub fn exact(&self) -> String {
        if self.ends_within_places() {
            return self.to_string();
        }
        match &self.0 {
            Repr::Small { n, d } => format!("{n}/{d}"),
            Repr::Big(r) => format!("{}/{}", r.numer(), r.denom()),
        }
    }

    /// Whether the decimal ends within [`PLACES`] places.
    #[must_use]
    pub fn ends_within_places(&self) -> bool {
        match &self.0 {
            Repr::Small { d, .. } => 1_000_000_000_000_i64 % d == 0,
            Repr::Big(r) => super::big_is_zero(&(BigInt::from(10).pow(PLACES) % r.denom())),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Repr::Small { n, d } = &self.0 {
            return if *d == 1 { write!(f, "{n}") } else { small(*n, *d, self.ends_within_places(), f) };
        }
        let text = match &self.0 {
            // |n| · 10¹² is below 2¹⁰³, so this never overflows.
            Repr::Small { n, d } => super::round::divide_half_even(i128::from(*n) * SCALE, i128::from(*d)).to_string(),
            Repr::Big(_) => {
                let rounded = self.round_places(PLACES, Rounding::HalfEven);
                (rounded.big() * BigInt::from(10).pow(PLACES)).to_integer().to_string()
            }
        };
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text.as_str()),
        };
        let width = PLACES as usize + 1;
        let padded = format!("{digits:0>width$}");
        let (whole, fraction) = padded.split_at(padded.len() - PLACES as usize);
        let fraction = if self.ends_within_places() { fraction.trim_end_matches('0') } else { fraction };
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

/// As the general case, without big numbers: `n/d` at 12 places, rounded half-even; zeros at the end are dropped where the
/// decimal ends. Nearly all of it is done in machine words, in which a division is many times cheaper than in 128 bits.
fn small(n: i64, d: i64, ends: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const SCALE: u64 = 10_u64.pow(PLACES);
    let (part, below) = (n.unsigned_abs(), d.unsigned_abs().max(1));
    let (mut whole, rest) = (part / below, part % below);
    let (mut fraction, left) = match rest.checked_mul(SCALE) {
        Some(scaled) => (scaled / below, scaled % below),
        None => {
            let (scaled, below) = (u128::from(rest) * u128::from(SCALE), u128::from(below));
            // The rest is less than what it is divided by, so the first is below SCALE; the second is a remainder.
            let word = |n: u128| u64::try_from(n).unwrap_or(0);
            (word(scaled / below), word(scaled % below))
        }
    };
    if left > below - left || left == below - left && fraction % 2 == 1 {
        fraction += 1;
        if fraction == SCALE {
            (whole, fraction) = (whole + 1, 0);
        }
    }
    let sign = if n < 0 && (whole > 0 || fraction > 0) { "-" } else { "" };
    let mut width = PLACES as usize;
    while ends && width > 0 && fraction % 10 == 0 {
        fraction /= 10;
        width -= 1;
    }
    if width == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction:0width$}") }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.exact())
    }
}

impl serde::Serialize for Number {
    /// A JSON number: what `Display` prints, digit for digit.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::Number::from_string_unchecked(self.to_string()).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_places_at_the_most() {
        let text = |n: i64, d: i64| Number::ratio(n, d).unwrap().to_string();
        assert_eq!(text(1, 3), "0.333333333333");
        assert_eq!(text(-2, 3), "-0.666666666667");
        assert_eq!(text(25, 2), "12.5");
        assert_eq!(text(-1, 8), "-0.125");
        assert_eq!(text(100, 1), "100");
        assert_eq!(text(-1, 10_000_000_000_000), "0.000000000000");
        // Halves go to the even digit.
        assert_eq!(text(1, 2_000_000_000_000), "0.000000000000");
        assert_eq!(text(3, 2_000_000_000_000), "0.000000000002");
        assert_eq!(text(i64::MAX, 7), "1317624576693539401");
        assert_eq!(text(i64::MIN, 3), "-3074457345618258602.666666666667");
        // A fraction that rounds up to a whole, and one whose parts both fill their words.
        assert_eq!(text(i64::MAX - 1, i64::MAX), "1.000000000000");
        assert_eq!(text(1 - i64::MAX, i64::MAX), "-1.000000000000");
        assert_eq!(text(i64::MAX / 2, i64::MAX), "0.500000000000");
        assert_eq!(text(4_611_686_018_427_387_904, 9_223_372_036_854_775_783), "0.500000000000");
    }

    #[test]
    fn small_and_big_numbers_print_the_same() {
        let factor = Number::from_big(num_rational::BigRational::from_integer(BigInt::from(10).pow(40)));
        for n in -40..40 {
            for d in [3, 7, 8, 640, 999_983, 1_000_000_007] {
                let number = Number::ratio(n, d).unwrap();
                // The sum is big; its last digits are those of the small number.
                let big = (&factor + &number.abs()).to_string();
                let (whole, fraction) = big.split_once('.').unwrap_or((&big, ""));
                let whole = whole.trim_start_matches('1').trim_start_matches('0');
                let whole = if whole.is_empty() { "0" } else { whole };
                let expected = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
                assert_eq!(number.abs().to_string(), expected, "{n}/{d}");
            }
        }
    }
}
