//! Reading numbers: decimals as written (`-0.25`, `1e-3`), and exact fractions (`"13/30"`).
//!
//! The number of digits is bounded, so that a line of a data file cannot ask for a gigabyte of zeros.

use super::Number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use std::str::FromStr;

/// Digits that a written number may have, its exponent included.
const MOST_DIGITS: usize = 400;

/// Why a text is no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    #[error("`{0}` is not a number")]
    NotANumber(String),
    #[error("the number has more than 400 digits")]
    TooLong,
    #[error("a fraction cannot have 0 below the line")]
    ZeroDenominator,
}

impl Number {
    /// Reads a decimal: an optional sign, digits with an optional point, an optional exponent.
    ///
    /// # Errors
    /// [`NumberError::NotANumber`] for anything else (`NaN` and `inf` too), [`NumberError::TooLong`] beyond 400 digits.
    pub fn from_decimal(text: &str) -> Result<Number, NumberError> {
        // Most numbers of a rubric are a few digits.
        if (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Number::int(text.bytes().fold(0, |n, b| n * 10 + i64::from(b - b'0'))));
        }
        let bad = || NumberError::NotANumber(text.chars().take(40).collect());
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => {
                let (m, e) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
                let e = e.strip_prefix('+').unwrap_or(e);
                let digits = e.strip_prefix('-').unwrap_or(e);
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                (m, e.parse::<i64>().map_err(|_| NumberError::TooLong)?)
            }
            None => (text, 0),
        };
        let (negative, digits) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
        {
            return Err(bad());
        }
        if whole.len() + fraction.len() > MOST_DIGITS {
            return Err(NumberError::TooLong);
        }
        let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let shift = exponent.saturating_sub(places);
        // The common case: it fits a machine word, and no big number is made.
        if (-18..=0).contains(&shift)
            && whole.len() + fraction.len() <= 18
            && let Ok(shift) = u32::try_from(-shift)
        {
            let n = whole.bytes().chain(fraction.bytes()).fold(0_i64, |n, b| n * 10 + i64::from(b - b'0'));
            let n = if negative { -n } else { n };
            return Ok(Number::from_i128(i128::from(n), 10_i128.pow(shift)));
        }
        let n = BigInt::from_str(&format!("{whole}{fraction}")).map_err(|_| bad())?;
        let n = if negative { -n } else { n };
        if n.is_zero() {
            return Ok(Number::ZERO);
        }
        let digits = whole.bytes().chain(fraction.bytes()).skip_while(|b| *b == b'0').count();
        let power = u32::try_from(shift.unsigned_abs())
            .ok()
            .filter(|p| usize::try_from(*p).is_ok_and(|p| digits + p <= MOST_DIGITS))
            .ok_or(NumberError::TooLong)?;
        let ten = BigInt::from(10).pow(power);
        Ok(Number::from_big(if shift >= 0 { BigRational::from_integer(n * ten) } else { BigRational::new(n, ten) }))
    }

    /// Reads what [`Number::exact`] writes: a whole number, a fraction `n/d` without blanks and with the sign in front, or a
    /// decimal. The fraction need not be reduced.
    ///
    /// # Errors
    /// As [`Number::from_decimal`], and [`NumberError::ZeroDenominator`].
    pub fn from_exact(text: &str) -> Result<Number, NumberError> {
        let Some((n, d)) = text.split_once('/') else {
            return Number::from_decimal(text);
        };
        let bad = || NumberError::NotANumber(text.chars().take(40).collect());
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(n.strip_prefix('-').unwrap_or(n)) || !digits(d) {
            return Err(bad());
        }
        // Whatever a decimal can say has an exact text that can be read: 400 digits over a power of ten.
        if n.trim_start_matches('-').len() > MOST_DIGITS || d.len() > MOST_DIGITS + 1 {
            return Err(NumberError::TooLong);
        }
        if let (Ok(n), Ok(d)) = (n.parse::<i64>(), d.parse::<i64>()) {
            return Number::ratio(n, d).ok_or(NumberError::ZeroDenominator);
        }
        let (n, d) = (BigInt::from_str(n).map_err(|_| bad())?, BigInt::from_str(d).map_err(|_| bad())?);
        if super::big_is_zero(&d) {
            return Err(NumberError::ZeroDenominator);
        }
        Ok(Number::from_big(BigRational::new(n, d)))
    }
}

impl FromStr for Number {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Number, NumberError> {
        Number::from_exact(text)
    }
}
