//! Agreement among several raters: Fleiss' κ and Krippendorff's α (nominal, ordinal, interval).
//!
//! A unit is what was rated; which rater gave which value does not matter to any of these. α takes units with any number of
//! ratings from two on, κ only those that all raters rated.

use super::figure::{Figure, Reckoned, Sample, Undefined};
use std::collections::BTreeMap;

/// A value's place among the distinct values, and how many raters gave it.
type Pattern = Vec<(u32, u32)>;

/// Units by their patterns of ratings.
#[derive(Debug)]
pub struct Ratings {
    patterns: Vec<Pattern>,
    counts: Vec<u32>,
    /// The values, where they are numbers.
    values: Option<Vec<f64>>,
    distinct: usize,
    most: u32,
}

/// Units whose ratings are still being gathered.
#[derive(Debug, Default)]
pub struct Gathered {
    units: BTreeMap<Vec<u64>, u32>,
}

impl Gathered {
    /// Adds what one unit was given: the bits of numbers, or codes of words. Fewer than two say nothing of agreement.
    pub fn add(&mut self, mut ratings: Vec<u64>) {
        if ratings.len() >= 2 {
            ratings.sort_unstable();
            *self.units.entry(ratings).or_default() += 1;
        }
    }

    /// `numbers`: whether ratings are the bits of numbers.
    #[must_use]
    pub fn finish(self, numbers: bool) -> Ratings {
        // Numbers are the same where they are at nine decimals.
        let same = |bits: &u64| if numbers { super::points::at_nine(f64::from_bits(*bits)).to_bits() } else { *bits };
        let mut values: Vec<u64> = self.units.keys().flatten().map(same).collect();
        let order = |a: &u64, b: &u64| {
            if numbers { f64::from_bits(*a).total_cmp(&f64::from_bits(*b)) } else { a.cmp(b) }
        };
        values.sort_unstable_by(order);
        values.dedup();
        let mut patterns = Vec::with_capacity(self.units.len());
        let mut counts = Vec::with_capacity(self.units.len());
        let mut most = 0;
        for (ratings, count) in self.units {
            most = most.max(u32::try_from(ratings.len()).unwrap_or(u32::MAX));
            let mut pattern: BTreeMap<u32, u32> = BTreeMap::new();
            for rating in ratings.iter().map(same) {
                let code = values.binary_search_by(|value| order(value, &rating)).unwrap_or(0);
                *pattern.entry(u32::try_from(code).unwrap_or(u32::MAX)).or_default() += 1;
            }
            patterns.push(pattern.into_iter().collect());
            counts.push(count);
        }
        let distinct = values.len();
        let values = numbers.then(|| values.iter().map(|bits| f64::from_bits(*bits)).collect());
        Ratings { patterns, counts, values, distinct, most }
    }
}

const NOMINAL: [Figure; 2] =
    [Figure::new("fleiss_kappa", "Fleiss κ"), Figure::new("alpha_nominal", "Krippendorff α, nominal")];
const NUMERIC: [Figure; 2] = [
    Figure::new("alpha_ordinal", "Krippendorff α, ordinal"),
    Figure::new("alpha_interval", "Krippendorff α, interval"),
];

impl Ratings {
    /// How many units have two ratings or more.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.counts.iter().map(|n| u64::from(*n)).sum()
    }

    /// How many of them all raters rated.
    #[must_use]
    pub fn complete(&self) -> u64 {
        let each = self.patterns.iter().zip(&self.counts);
        each.filter(|(pattern, _)| size(pattern) == self.most).map(|(_, n)| u64::from(*n)).sum()
    }

    /// The largest number of ratings of a unit.
    #[must_use]
    pub fn raters(&self) -> u32 {
        self.most
    }

    /// Fleiss' κ over the units that all raters rated.
    fn fleiss(&self, counts: &[u32]) -> Reckoned {
        let m = f64::from(self.most);
        let mut each = vec![0.0; self.distinct];
        let (mut units, mut agreement) = (0.0, 0.0);
        for (pattern, n) in self.there(counts).filter(|(pattern, _)| size(pattern) == self.most) {
            units += n;
            let squares: f64 = pattern.iter().map(|(_, k)| f64::from(*k).powi(2)).sum();
            agreement += n * (squares - m) / (m * (m - 1.0));
            add(&mut each, pattern, n);
        }
        if units == 0.0 {
            return Err(Undefined::NoPairs);
        }
        let chance: f64 = each.iter().map(|n| (n / (units * m)).powi(2)).sum();
        if chance >= 1.0 {
            return Err(Undefined::OneValue);
        }
        Ok((agreement / units - chance) / (1.0 - chance))
    }

    fn there<'a>(&'a self, counts: &'a [u32]) -> impl Iterator<Item = (&'a Pattern, f64)> + 'a {
        self.patterns.iter().zip(counts).filter(|(_, n)| **n > 0).map(|(pattern, n)| (pattern, f64::from(*n)))
    }

    /// α of values whose distance is 1 where they differ.
    fn nominal(&self, counts: &[u32], each: &[f64], total: f64) -> Reckoned {
        let mut observed = 0.0;
        for (pattern, n) in self.there(counts) {
            let m = f64::from(size(pattern));
            let squares: f64 = pattern.iter().map(|(_, k)| f64::from(*k).powi(2)).sum();
            observed += n * (m * m - squares) / (m - 1.0);
        }
        let expected = (total * total - each.iter().map(|n| n * n).sum::<f64>()) / (total - 1.0);
        alpha(observed, expected)
    }

    /// α of values whose distance is the square of their difference.
    fn squared(&self, counts: &[u32], values: &[f64], each: &[f64], total: f64) -> Reckoned {
        let mean = values.iter().zip(each).map(|(v, n)| v * n).sum::<f64>() / total;
        let value = |code: u32| values.get(code as usize).copied().unwrap_or(0.0) - mean;
        let mut observed = 0.0;
        for (pattern, n) in self.there(counts) {
            let m = f64::from(size(pattern));
            let sums = pattern.iter().map(|(code, k)| (value(*code), f64::from(*k)));
            let (sum, squares) = sums.fold((0.0, 0.0), |(sum, squares), (v, k)| (sum + k * v, squares + k * v * v));
            observed += n * 2.0 * (m * squares - sum * sum) / (m - 1.0);
        }
        let spread: f64 = values.iter().zip(each).map(|(v, n)| n * (v - mean).powi(2)).sum();
        alpha(observed, 2.0 * total * spread / (total - 1.0))
    }
}

fn size(pattern: &Pattern) -> u32 {
    pattern.iter().map(|(_, k)| *k).sum()
}

fn add(each: &mut [f64], pattern: &Pattern, n: f64) {
    for (code, k) in pattern {
        if let Some(sum) = each.get_mut(*code as usize) {
            *sum += n * f64::from(*k);
        }
    }
}

/// 1 − observed / expected disagreement, both as sums over all ratings.
fn alpha(observed: f64, expected: f64) -> Reckoned {
    if expected > 0.0 { Ok(1.0 - observed / expected) } else { Err(Undefined::OneValue) }
}

impl Sample for Ratings {
    fn figures(&self) -> Vec<Figure> {
        let numeric = if self.values.is_some() { &NUMERIC[..] } else { &[] };
        NOMINAL.iter().chain(numeric).cloned().collect()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let mut each = vec![0.0; self.distinct];
        self.there(counts).for_each(|(pattern, n)| add(&mut each, pattern, n));
        let total: f64 = each.iter().sum();
        if total == 0.0 {
            return vec![Err(Undefined::NoPairs); self.figures().len()];
        }
        let mut out = vec![self.fleiss(counts), self.nominal(counts, &each, total)];
        if let Some(values) = &self.values {
            // The ordinal distance of two values, the number of ratings between them with half of both ends, is the
            // difference of their mean ranks.
            let mut below = 0.0;
            let middle = |n: &f64| {
                let rank = below + n / 2.0;
                below += n;
                rank
            };
            let ranks: Vec<f64> = each.iter().map(middle).collect();
            out.push(self.squared(counts, &ranks, &each, total));
            out.push(self.squared(counts, values, &each, total));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_krippendorff() {
        // Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: four observers, twelve units, values
        // missing; nominal 0.743, ordinal 0.815, interval 0.849.
        let units: [&[u8]; 11] = [
            &[1, 1, 1],
            &[2, 2, 3, 2],
            &[3, 3, 3, 3],
            &[3, 3, 3, 3],
            &[2, 2, 2, 2],
            &[1, 2, 3, 4],
            &[4, 4, 4, 4],
            &[1, 1, 2, 1],
            &[2, 2, 2, 2],
            &[5, 5, 5],
            &[1, 1],
        ];
        let mut gathered = Gathered::default();
        for unit in units {
            gathered.add(unit.iter().map(|value| f64::from(*value).to_bits()).collect());
        }
        gathered.add(vec![3.0_f64.to_bits()]);
        let ratings = gathered.finish(true);
        assert_eq!((ratings.units(), ratings.complete(), ratings.raters()), (11, 8, 4));
        let found = ratings.reckon(ratings.counts());
        for (found, expected) in found[1..].iter().zip([0.743, 0.815, 0.849]) {
            assert!((found.unwrap() - expected).abs() < 0.0006, "{found:?} {expected}");
        }
    }

    #[test]
    fn where_all_say_one_thing_chance_is_certain() {
        let mut gathered = Gathered::default();
        gathered.add(vec![1, 1]);
        let ratings = gathered.finish(false);
        assert_eq!(ratings.reckon(ratings.counts()), [Err(Undefined::OneValue); 2]);
        let none = Gathered::default().finish(true);
        assert_eq!(none.reckon(none.counts()), [Err(Undefined::NoPairs); 4]);
    }
}
