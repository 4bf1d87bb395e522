//! Rank correlations of counted rows: Spearman's ρ and Kendall's τ-b, ties included.
//!
//! Own code, because crates take a column each and sort it anew: here rows come with counts and their order is known once
//! for all resamples. ρ is Pearson's r of mean ranks; τ-b is counted in O(n log n) by a tree of sums, as Knight did
//! (Journal of the American Statistical Association 61, 1966) by sorting.

use super::figure::{Reckoned, Undefined};
use super::points::{Columns, correlation};

/// Spearman's ρ: Pearson's r of the ranks, tied values having their mean rank.
///
/// # Errors
/// Where a column is constant or there are no rows.
pub fn spearman(columns: &Columns, counts: &[u32]) -> Reckoned {
    let x = mean_ranks(&columns.x, columns.xs.len(), counts);
    let y = mean_ranks(&columns.y, columns.ys.len(), counts);
    correlation(columns, &x, &y, counts)
}

/// The mean rank (from 1) of each distinct value.
fn mean_ranks(codes: &[u32], distinct: usize, counts: &[u32]) -> Vec<f64> {
    let mut each = vec![0_u64; distinct];
    for (code, count) in codes.iter().zip(counts) {
        if let Some(sum) = each.get_mut(*code as usize) {
            *sum += u64::from(*count);
        }
    }
    let mut below = 0_u64;
    let rank = |n: u64| {
        let rank = below as f64 + (n as f64 + 1.0) / 2.0;
        below += n;
        rank
    };
    each.into_iter().map(rank).collect()
}

/// Kendall's τ-b: (concordant − discordant) / √((pairs − ties in x)(pairs − ties in y)).
///
/// # Errors
/// Where a column is constant or there are no rows.
pub fn kendall(columns: &Columns, counts: &[u32]) -> Reckoned {
    let pairs = |n: u64| i128::from(n) * (i128::from(n) - 1) / 2;
    let total: u64 = counts.iter().map(|n| u64::from(*n)).sum();
    if total == 0 {
        return Err(Undefined::NoRows);
    }
    let mut tree = Sums::new(columns.ys.len());
    let mut in_y = vec![0_u64; columns.ys.len()];
    let (mut discordant, mut tied_x, mut tied_both) = (0_i128, 0_i128, 0_i128);
    let (mut before, mut at) = (0_u64, 0);
    let row = |place: usize| {
        let row = *columns.by_x.get(place)? as usize;
        Some((*columns.x.get(row)?, *columns.y.get(row)? as usize, u64::from(*counts.get(row)?)))
    };
    while let Some((value, ..)) = row(at) {
        let start = at;
        let mut here = 0_u64;
        // Rows of one x are no pairs with each other, so they are added after all of them were compared. Rows of one x and
        // one y stand side by side (`by_x` is sorted by both), though each may be there several times.
        let (mut last_y, mut of_last) = (usize::MAX, 0_u64);
        while let Some((x, y, count)) = row(at) {
            if x != value {
                break;
            }
            discordant += i128::from(before - tree.up_to(y)) * i128::from(count);
            if y != last_y {
                tied_both += pairs(of_last);
                (last_y, of_last) = (y, 0);
            }
            of_last += count;
            here += count;
            at += 1;
        }
        tied_both += pairs(of_last);
        tied_x += pairs(here);
        for place in start..at {
            if let Some((_, y, count)) = row(place) {
                tree.add(y, count);
                if let Some(sum) = in_y.get_mut(y) {
                    *sum += count;
                }
            }
        }
        before += here;
    }
    let all = pairs(total);
    let tied_y: i128 = in_y.into_iter().map(pairs).sum();
    if all == tied_x {
        return Err(Undefined::ConstantResults);
    }
    if all == tied_y {
        return Err(Undefined::ConstantLabels);
    }
    let untied = all - tied_x - tied_y + tied_both;
    let difference = (untied - 2 * discordant) as f64;
    Ok(difference / (((all - tied_x) as f64).sqrt() * ((all - tied_y) as f64).sqrt()))
}

/// Sums over prefixes, each in O(log n) (Fenwick, 1994).
struct Sums(Vec<u64>);

impl Sums {
    fn new(len: usize) -> Sums {
        Sums(vec![0; len + 1])
    }

    fn add(&mut self, at: usize, count: u64) {
        let mut at = at + 1;
        while let Some(sum) = self.0.get_mut(at) {
            *sum += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum of all places up to `at`, itself included.
    fn up_to(&self, at: usize) -> u64 {
        let (mut at, mut sum) = (at + 1, 0);
        while at > 0 {
            sum += self.0.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        sum
    }
}
