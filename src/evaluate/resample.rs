//! Bootstrap intervals: how far a figure would move had other rows of the same kind been drawn.
//!
//! A resample draws as many rows as there are, with replacement, which is another draw of the counts: where most rows
//! differ, row by row; else cell by cell, each binomially from what is left, which is the same distribution. The interval
//! is the percentile interval (Efron and Tibshirani, 1993, chapter 13). Resample `n` follows from the seed and `n` alone,
//! so neither the number of threads nor their order changes anything.

use super::figure::{Interval, Measured, Reckoned, Sample};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng};
use rand_distr::{Binomial, Distribution};

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// How many resamples; 0: no intervals.
    pub resamples: u32,
    pub seed: u64,
    /// Between 0 and 1.
    pub confidence: f64,
}

impl Default for Plan {
    fn default() -> Self {
        Plan { resamples: 1000, seed: 0, confidence: 0.95 }
    }
}

/// The figures of a sample with their intervals.
#[must_use]
pub fn measured(sample: &dyn Sample, plan: Plan) -> Vec<Measured> {
    let values = sample.reckon(sample.counts());
    let intervals = intervals(sample.counts(), values.len(), plan, &|counts| sample.reckon(counts));
    let each = sample.figures().into_iter().zip(values).zip(intervals);
    each.map(|((figure, value), interval)| Measured { figure, value, interval: value.ok().and(interval) }).collect()
}

/// The intervals of `figures` figures that are functions of counts.
#[must_use]
pub fn intervals(
    counts: &[u32],
    figures: usize,
    plan: Plan,
    reckon: &(dyn Fn(&[u32]) -> Vec<Reckoned> + Sync),
) -> Vec<Option<Interval>> {
    let draw = Draw::new(counts);
    if plan.resamples == 0 || draw.total == 0 {
        return vec![None; figures];
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(plan.resamples as usize);
    let step = u32::try_from(threads).unwrap_or(1);
    // What thread `first` computes: resamples `first`, `first + step`, …
    let share = |first: u32| -> Vec<(u32, Vec<Reckoned>)> {
        let mut drawn = vec![0; counts.len()];
        let mut of = |n: u32| {
            draw.fill(&mut StdRng::seed_from_u64(mixed(plan.seed, n)), &mut drawn);
            (n, reckon(&drawn))
        };
        (first..plan.resamples).step_by(threads).map(&mut of).collect()
    };
    let mut all: Vec<(u32, Vec<Reckoned>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..step).map(|first| scope.spawn(move || share(first))).collect();
        let mut all = share(0);
        for worker in workers {
            // A worker that panicked would leave the interval to fewer resamples: its panic goes on.
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(n, _)| *n);
    let of = |figure: usize| {
        let values = all.iter().filter_map(|(_, values)| values.get(figure).copied()?.ok()).collect();
        interval(values, plan)
    };
    (0..figures).map(of).collect()
}

/// The percentile interval of what the resamples gave; `None` where fewer than half of them gave anything.
fn interval(mut values: Vec<f64>, plan: Plan) -> Option<Interval> {
    if values.len() * 2 < plan.resamples as usize {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let undefined = plan.resamples - u32::try_from(values.len()).unwrap_or(plan.resamples);
    let side = (1.0 - plan.confidence) / 2.0;
    Some(Interval { low: quantile(&values, side)?, high: quantile(&values, 1.0 - side)?, undefined })
}

/// The quantile of ascending values, between neighbours in proportion (type 7 of Hyndman and Fan, 1996, as numpy's default).
fn quantile(values: &[f64], at: f64) -> Option<f64> {
    let place = at.clamp(0.0, 1.0) * values.len().checked_sub(1)? as f64;
    let low = *values.get(place.floor() as usize)?;
    let high = *values.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}

/// A seed for each resample, far from that of its neighbour.
fn mixed(seed: u64, n: u32) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(n)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Draws counts.
struct Draw<'a> {
    counts: &'a [u32],
    total: u64,
    /// The cell of each row, where rows are drawn one by one.
    owners: Option<Vec<u32>>,
}

impl Draw<'_> {
    fn new(counts: &[u32]) -> Draw<'_> {
        let total: u64 = counts.iter().map(|n| u64::from(*n)).sum();
        // A binomial draw costs some ten times what drawing a row does.
        let by_row = total <= 10 * counts.len() as u64;
        let owners = || {
            let cells = (0_u32..).zip(counts);
            cells.flat_map(|(cell, n)| std::iter::repeat_n(cell, *n as usize)).collect()
        };
        Draw { counts, total, owners: by_row.then(owners) }
    }

    fn fill(&self, random: &mut StdRng, into: &mut [u32]) {
        if let Some(owners) = &self.owners {
            into.fill(0);
            for _ in 0..owners.len() {
                let owner = owners.get(random.random_range(0..owners.len())).copied().unwrap_or(0);
                if let Some(count) = into.get_mut(owner as usize) {
                    *count += 1;
                }
            }
            return;
        }
        let (mut left, mut of) = (self.total, self.total);
        for (count, drawn) in self.counts.iter().zip(into) {
            let share = if of == 0 { 0.0 } else { (f64::from(*count) / of as f64).min(1.0) };
            // The last cell takes all that is left: its share is 1.
            let n = Binomial::new(left, share).map_or(0, |binomial| binomial.sample(random));
            *drawn = u32::try_from(n).unwrap_or(u32::MAX);
            left -= n.min(left);
            of -= u64::from(*count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of cells that are worth their number, and its square root where it is above 1.
    fn mean(counts: &[u32]) -> Vec<Reckoned> {
        let total: u32 = counts.iter().sum();
        let sum: u32 = (0..).zip(counts).map(|(value, n)| value * n).sum();
        vec![Ok(f64::from(sum) / f64::from(total))]
    }

    #[test]
    fn both_ways_to_draw_give_the_interval_of_theory() {
        // A mean of 400 rows of 0, 1 and 2: its standard error is known.
        let counts = [100_u32, 200, 100];
        let rows: Vec<u32> = (0..400).map(|_| 1).collect();
        let plan = Plan { resamples: 4000, seed: 3, confidence: 0.95 };
        let by_cell = intervals(&counts, 1, plan, &mean)[0].unwrap();
        let value = |row: usize| {
            if row < 100 {
                0.0
            } else if row < 300 {
                1.0
            } else {
                2.0
            }
        };
        let of_rows = |counts: &[u32]| -> Vec<Reckoned> {
            let sum: f64 = counts.iter().enumerate().map(|(row, n)| value(row) * f64::from(*n)).sum();
            vec![Ok(sum / 400.0)]
        };
        let by_row = intervals(&rows, 1, plan, &of_rows)[0].unwrap();
        let half = 1.96 * (0.5_f64 / 400.0).sqrt();
        for found in [by_cell, by_row] {
            assert!((found.low - (1.0 - half)).abs() < 0.006 && (found.high - (1.0 + half)).abs() < 0.006, "{found:?}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_and_another_seed_another() {
        let plan = Plan { resamples: 50, seed: 1, confidence: 0.9 };
        let found = || intervals(&[5, 9, 7], 1, plan, &mean)[0];
        assert_eq!(found(), found());
        assert_ne!(found(), intervals(&[5, 9, 7], 1, Plan { seed: 2, ..plan }, &mean)[0]);
    }

    #[test]
    fn as_many_rows_are_drawn_as_there_are() {
        for counts in [vec![3, 0, 900, 41], vec![1; 50], vec![7]] {
            let draw = Draw::new(&counts);
            let mut drawn = vec![0; counts.len()];
            for seed in 0..20 {
                draw.fill(&mut StdRng::seed_from_u64(seed), &mut drawn);
                assert_eq!(drawn.iter().sum::<u32>(), counts.iter().sum::<u32>());
                assert!(drawn.iter().zip(&counts).all(|(drawn, n)| *n > 0 || *drawn == 0));
            }
        }
    }

    #[test]
    fn mostly_undefined_is_no_interval() {
        let rarely = |counts: &[u32]| {
            vec![if counts[0] == 0 { Ok(1.0) } else { Err(crate::evaluate::figure::Undefined::NoRows) }]
        };
        assert_eq!(intervals(&[20, 20], 1, Plan::default(), &rarely), [None]);
    }
}
