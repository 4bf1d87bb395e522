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
        if let Repr::Small { n, d: 1 } = &self.0 {
            return write!(f, "{n}");
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
