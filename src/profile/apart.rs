//! What tells subjects apart.

use super::{Part, Profiles, Subject};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A criterion in which subjects differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Its place in [`Profiles::criteria`].
    pub criterion: usize,
    /// Each subject's mean, from 0 to 1; `None` where it has no known judgment.
    pub means: Vec<Option<f64>>,
    /// The largest mean less the smallest.
    pub spread: f64,
    /// Of the first two subjects: in how many records that both have the first is higher, the second is higher, both are
    /// equal.
    pub records: (u64, u64, u64),
}

/// The criteria in which the subjects differ, the largest difference of means first; of equal ones those with more points,
/// then in the order of the program.
#[must_use]
pub fn apart(profiles: &Profiles) -> Vec<Apart> {
    let subjects: Vec<&Subject> = profiles.subjects.values().collect();
    let mut all: Vec<Apart> = (0..profiles.criteria.len())
        .filter_map(|criterion| {
            let means: Vec<Option<f64>> =
                subjects.iter().map(|subject| subject.criterion(criterion).and_then(super::Tally::mean)).collect();
            let known = || means.iter().flatten().copied();
            let spread = known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min);
            if known().count() < 2 || spread <= 0.0 {
                return None;
            }
            let records = match subjects.as_slice() {
                [a, b, ..] => by_record(a, b, criterion),
                _ => (0, 0, 0),
            };
            Some(Apart { criterion, means, spread, records })
        })
        .collect();
    let points = |apart: &Apart| profiles.criteria.get_index(apart.criterion).and_then(|(_, about)| about.points);
    all.sort_by(|a, b| {
        let weight = |apart: &Apart| points(apart).map_or(0.0, f64::abs);
        b.spread.partial_cmp(&a.spread).unwrap_or(Ordering::Equal).then(weight(b).total_cmp(&weight(a)))
    });
    all
}

fn by_record(a: &Subject, b: &Subject, criterion: usize) -> (u64, u64, u64) {
    let (Some(a), Some(b)) = (a.criterion(criterion), b.criterion(criterion)) else { return (0, 0, 0) };
    let of_b: HashMap<u32, f32> = b.values.iter().copied().collect();
    let mut counts = (0, 0, 0);
    for (record, value) in &a.values {
        match of_b.get(record).and_then(|other| value.partial_cmp(other)) {
            Some(Ordering::Greater) => counts.0 += 1,
            Some(Ordering::Less) => counts.1 += 1,
            Some(Ordering::Equal) => counts.2 += 1,
            None => {}
        }
    }
    counts
}

/// How far two profiles are apart over some parts: the mean of the absolute differences of their scores (where a part has
/// none, of their levels), over the parts that both have; from 0. `None` where there is no such part.
#[must_use]
pub fn distance(a: &Subject, b: &Subject, parts: &[Part]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for part in parts {
        let (a, b) = (a.part(part), b.part(part));
        let both = a.score().zip(b.score()).or_else(|| a.level().zip(b.level()));
        if let Some((a, b)) = both {
            sum += (a - b).abs();
            count += 1;
        }
    }
    super::mean(sum, count)
}
