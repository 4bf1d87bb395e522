//! The geometric mean, correctly rounded to 12 places.

use super::{Number, PLACES};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Pow;

/// The geometric mean of numbers ≥ 0, rounded half-even to 12 places from its exact value; `None` for an empty list or a
/// negative number.
///
/// With `x` the product and `k` the count, the result is `r = round(10¹² · x^(1/k))`. Let `f = ⌊10¹² · x^(1/k)⌋`, the
/// integer root of `⌊10^(12k) · x⌋`; then `r` is `f` or `f + 1`, decided by comparing `(2f + 1)^k` with `2^k · 10^(12k) · x`
/// exactly, so no intermediate precision is ever guessed.
#[must_use]
pub fn geometric_mean(numbers: &[Number]) -> Option<Number> {
    let count = u32::try_from(numbers.len()).ok().filter(|n| *n > 0)?;
    if numbers.iter().any(Number::is_negative) {
        return None;
    }
    let product = numbers.iter().fold(Number::ONE, |a, b| &a * b).big();
    let scale = BigInt::from(10).pow(PLACES);
    let scaled = product * BigRational::from_integer(Pow::pow(&scale, count));
    let floor = scaled.to_integer().nth_root(count);
    let twice: BigInt = &floor * 2 + 1;
    let half = BigRational::from_integer(Pow::pow(&twice, count));
    let target = scaled * BigRational::from_integer(BigInt::from(2).pow(count));
    let up = match target.cmp(&half) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => num_integer::Integer::is_odd(&floor),
    };
    let n = if up { floor + 1 } else { floor };
    Some(Number::from_big(BigRational::new(n, scale)))
}
