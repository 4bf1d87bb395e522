//! The geometric mean, correctly rounded to 12 places.
//!
//! A few numbers: the exact root of the exact product. Many: their product has as many digits as all of them together, and
//! its root would cost the cube of that, so the result is searched instead: half-way between two neighbours of 12 places
//! stands a number whose power is compared with the product, both as intervals of leading bits. Where the intervals overlap,
//! more bits are taken, up to all of them, so the answer is exact however it is found.

use super::{Number, PLACES};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow};
use std::cmp::Ordering;

/// Up to so many numbers the exact root is the faster way.
const FEW: u32 = 16;

/// Leading bits that the first comparison keeps.
const FIRST_BITS: u64 = 192;

/// The geometric mean of numbers ≥ 0, rounded half-even to 12 places from its exact value; `None` for an empty list or a
/// negative number.
#[must_use]
pub fn geometric_mean(numbers: &[Number]) -> Option<Number> {
    let count = u32::try_from(numbers.len()).ok().filter(|n| *n > 0)?;
    if numbers.iter().any(Number::is_negative) {
        return None;
    }
    if numbers.iter().any(Number::is_zero) {
        return Some(Number::ZERO);
    }
    let n = if count <= FEW { by_root(numbers, count) } else { by_search(numbers, count) };
    Some(Number::from_big(BigRational::new(n, scale())))
}

fn scale() -> BigInt {
    BigInt::from(10).pow(PLACES)
}

/// With `x` the product and `k` the count, the result is `r = round(10¹² · x^(1/k))`. Let `f = ⌊10¹² · x^(1/k)⌋`, the
/// integer root of `⌊10^(12k) · x⌋`; then `r` is `f` or `f + 1`, decided by comparing `(2f + 1)^k` with `2^k · 10^(12k) · x`
/// exactly.
fn by_root(numbers: &[Number], count: u32) -> BigInt {
    let product = numbers.iter().fold(Number::ONE, |a, b| &a * b).big();
    let scaled = product * BigRational::from_integer(Pow::pow(scale(), count));
    let floor = scaled.to_integer().nth_root(count);
    let twice: BigInt = &floor * 2 + 1;
    let half = BigRational::from_integer(Pow::pow(&twice, count));
    let target = scaled * BigRational::from_integer(BigInt::from(2).pow(count));
    match target.cmp(&half) {
        Ordering::Greater => floor + 1,
        Ordering::Less => floor,
        Ordering::Equal => floor.clone() + i32::from(floor.is_odd()),
    }
}

/// The least `m` whose upper half-way point `(m + ½)/10¹²` is not below the mean; on a tie the even one.
fn by_search(numbers: &[Number], count: u32) -> BigInt {
    let parts: Vec<(BigUint, BigUint)> = numbers
        .iter()
        .map(|n| {
            let big = n.big();
            (big.numer().magnitude().clone(), big.denom().magnitude().clone())
        })
        .collect();
    // The mean lies between the least and the greatest.
    let scaled = |n: Option<&Number>| -> BigInt {
        n.map(|n| (n.big() * BigRational::from_integer(scale())).to_integer()).unwrap_or_default()
    };
    let mut low = (scaled(numbers.iter().min()) - 1_i32).max(BigInt::default());
    let mut high = scaled(numbers.iter().max()) + 1_i32;
    let mut searched = Comparison { parts: &parts, count, bits: FIRST_BITS, product: None };
    while low < high {
        let middle: BigInt = (&low + &high) >> 1_u32;
        match searched.half_way_above(&middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return middle.clone() + i32::from(middle.is_odd()),
        }
    }
    low
}

/// Compares half-way points with the mean.
struct Comparison<'a> {
    parts: &'a [(BigUint, BigUint)],
    count: u32,
    bits: u64,
    /// `2^k · 10^(12k) · numerators` and the denominators, at `bits`.
    product: Option<(Span, Span)>,
}

impl Comparison<'_> {
    /// Whether `(m + ½)/10¹²` is below, at or above the mean: `(2m + 1)^k · denominators` against
    /// `(2 · 10¹²)^k · numerators`.
    fn half_way_above(&mut self, m: &BigInt) -> Ordering {
        let point: BigUint = m.magnitude() * 2_u32 + 1_u32;
        loop {
            let bits = self.bits;
            let (target, denominators) = self.product.get_or_insert_with(|| product(self.parts, self.count, bits));
            let left = Span::exact(point.clone()).power(self.count, bits).times(denominators, bits);
            match left.compare(target) {
                Some(order) => return order,
                None => {
                    self.bits *= 2;
                    self.product = None;
                }
            }
        }
    }
}

fn product(parts: &[(BigUint, BigUint)], count: u32, bits: u64) -> (Span, Span) {
    let one = || Span::exact(BigUint::one());
    let each =
        |list: &mut dyn Iterator<Item = &BigUint>| list.fold(one(), |all, n| all.times(&Span::exact(n.clone()), bits));
    let numerators = each(&mut parts.iter().map(|(n, _)| n));
    let denominators = each(&mut parts.iter().map(|(_, d)| d));
    let double = Span::exact(scale().magnitude() * 2_u32).power(count, bits);
    (numerators.times(&double, bits), denominators)
}

/// A positive whole number known between `low · 2^shift` and `high · 2^shift`.
#[derive(Clone)]
struct Span {
    low: BigUint,
    high: BigUint,
    shift: u64,
}

impl Span {
    fn exact(n: BigUint) -> Span {
        Span { high: n.clone(), low: n, shift: 0 }
    }

    /// The product, cut to so many leading bits: the low end down, the high end up.
    fn times(&self, other: &Span, bits: u64) -> Span {
        let (low, high) = (&self.low * &other.low, &self.high * &other.high);
        let shift = self.shift + other.shift;
        let cut = high.bits().saturating_sub(bits);
        if cut == 0 {
            return Span { low, high, shift };
        }
        let up = &high >> cut;
        let high = if &up << cut == high { up } else { up + 1_u32 };
        Span { low: low >> cut, high, shift: shift + cut }
    }

    fn power(&self, exponent: u32, bits: u64) -> Span {
        let mut result = Span::exact(BigUint::one());
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            result = result.times(&result, bits);
            if exponent >> bit & 1 == 1 {
                result = result.times(self, bits);
            }
        }
        result
    }

    /// The order of two spans; `None` where they overlap without being one and the same number.
    fn compare(&self, other: &Span) -> Option<Ordering> {
        // At equal shifts: the one of the greater shift is moved back, whose low end has leading bits enough to tell.
        let order = |a: &BigUint, b: &BigUint| {
            let (x, y) = (a.bits() + self.shift, b.bits() + other.shift);
            if x != y {
                return x.cmp(&y);
            }
            let common = self.shift.min(other.shift);
            (a << (self.shift - common)).cmp(&(b << (other.shift - common)))
        };
        match (order(&self.low, &other.high), order(&self.high, &other.low)) {
            (Ordering::Greater, _) => Some(Ordering::Greater),
            (_, Ordering::Less) => Some(Ordering::Less),
            (Ordering::Equal, Ordering::Equal) => Some(Ordering::Equal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(parts: &[(i64, i64)]) -> Vec<Number> {
        parts.iter().filter_map(|(n, d)| Number::ratio(*n, *d)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn both_ways_agree(parts in proptest::collection::vec((1_i64..5_000, 1_i64..5_000), 1..12)) {
            let numbers = list(&parts);
            let count = u32::try_from(numbers.len()).unwrap();
            prop_assert_eq!(by_root(&numbers, count), by_search(&numbers, count));
        }

        /// Means that are exact at 12 places or half-way between two need all bits.
        #[test]
        fn exact_means_and_ties_agree(n in 1_i64..2_000, places in 0_u32..14, count in 1_u32..9) {
            let number = Number::int(n).checked_div(&Number::int(2 * 10_i64.pow(places))).unwrap();
            let numbers = vec![number; count as usize];
            prop_assert_eq!(by_root(&numbers, count), by_search(&numbers, count));
        }
    }

    #[test]
    fn ten_thousand_numbers_take_no_time() {
        let parts: Vec<(i64, i64)> =
            (0..10_000).map(|i| (i * 7 % 100 + 1, [1, 10, 100, 3][(i % 4) as usize])).collect();
        let start = std::time::Instant::now();
        let mean = geometric_mean(&list(&parts)).unwrap();
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
        // e^(mean of logarithms), which floats know to some ten digits.
        let logs: f64 = list(&parts).iter().map(|n| n.to_f64().ln()).sum();
        assert!((mean.to_f64() - (logs / 10_000.0).exp()).abs() < 1e-9);
        assert_eq!(geometric_mean(&vec![Number::int(6); 10_000]), Some(Number::int(6)));
    }
}
