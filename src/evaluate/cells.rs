//! Counts of distinct rows: what streams in is kept as each different row and how often it was seen.
//!
//! Rows wait in a buffer until it is worth sorting them into the counts, so memory is that of the distinct rows (a row of
//! two numbers takes 16 bytes, its count 4) and of a buffer of a quarter of them, at least 32,768 rows. Where values lie on
//! a scale that is some kilobytes, however many rows there are.

use std::cmp::Ordering;

/// A row that can be sorted.
pub trait Row: Copy {
    fn order(&self, other: &Self) -> Ordering;
}

impl<const N: usize> Row for [f64; N] {
    fn order(&self, other: &Self) -> Ordering {
        self.iter().zip(other).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl<const N: usize> Row for [u64; N] {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl<const N: usize> Row for [u32; N] {
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

/// Rows that are being counted.
#[derive(Debug, Clone)]
pub struct Tally<T> {
    waiting: Vec<T>,
    rows: Vec<T>,
    counts: Vec<u32>,
    total: u64,
}

/// Rows that wait at the least before they are sorted in.
const WAITING: usize = 32_768;

impl<T: Row> Default for Tally<T> {
    fn default() -> Self {
        Tally { waiting: Vec::new(), rows: Vec::new(), counts: Vec::new(), total: 0 }
    }
}

impl<T: Row> Tally<T> {
    /// How many rows were added.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn add(&mut self, row: T) {
        self.total += 1;
        self.waiting.push(row);
        if self.waiting.len() >= WAITING.max(self.rows.len() / 4) {
            self.settle();
        }
    }

    /// The distinct rows in their order, and how often each was added.
    #[must_use]
    pub fn finish(mut self) -> (Vec<T>, Vec<u32>) {
        self.settle();
        self.rows.shrink_to_fit();
        self.counts.shrink_to_fit();
        (self.rows, self.counts)
    }

    /// Sorts what waits into the counts.
    fn settle(&mut self) {
        self.waiting.sort_unstable_by(Row::order);
        // What is known already is counted; what is new is kept, each once.
        let mut fresh: Vec<(T, u32)> = Vec::new();
        let mut at = 0;
        for row in self.waiting.drain(..) {
            while self.rows.get(at).is_some_and(|known| known.order(&row).is_lt()) {
                at += 1;
            }
            let known = self.rows.get(at).is_some_and(|known| known.order(&row).is_eq());
            match (known, self.counts.get_mut(at), fresh.last_mut()) {
                (true, Some(count), _) => *count = count.saturating_add(1),
                (_, _, Some((last, count))) if last.order(&row).is_eq() => *count = count.saturating_add(1),
                _ => fresh.push((row, 1)),
            }
        }
        // From the back, so that nothing is copied aside.
        let Some((filler, _)) = fresh.first().copied() else { return };
        let (mut old, mut to) = (self.rows.len(), self.rows.len() + fresh.len());
        self.rows.reserve_exact(fresh.len());
        self.counts.reserve_exact(fresh.len());
        self.rows.resize(to, filler);
        self.counts.resize(to, 0);
        while let Some((row, count)) = fresh.last().copied() {
            to -= 1;
            let moved = old.checked_sub(1).and_then(|old| Some((*self.rows.get(old)?, *self.counts.get(old)?)));
            let (row, count) = match moved {
                Some((known, count)) if known.order(&row).is_gt() => {
                    old -= 1;
                    (known, count)
                }
                _ => {
                    fresh.pop();
                    (row, count)
                }
            };
            if let (Some(row_at), Some(count_at)) = (self.rows.get_mut(to), self.counts.get_mut(to)) {
                (*row_at, *count_at) = (row, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn rows_are_counted_however_they_arrive(rows in prop::collection::vec((0_u32..9, 0_u32..9), 0..300), settle in 1_usize..40) {
            let mut tally = Tally::default();
            let mut expected: BTreeMap<[u32; 2], u32> = BTreeMap::new();
            for (n, (a, b)) in rows.iter().enumerate() {
                tally.add([*a, *b]);
                *expected.entry([*a, *b]).or_default() += 1;
                if n % settle == 0 {
                    tally.settle();
                }
            }
            prop_assert_eq!(tally.total(), rows.len() as u64);
            let (found, counts) = tally.finish();
            prop_assert_eq!(found.into_iter().zip(counts).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_scale_takes_no_more_memory_than_its_values() {
        let mut tally = Tally::default();
        (0..1_000_000_u32).for_each(|n| tally.add([f64::from(n % 5), f64::from(n % 4)]));
        assert!(tally.waiting.capacity() <= 2 * super::WAITING);
        let (rows, counts) = tally.finish();
        assert_eq!((rows.len(), counts.iter().sum::<u32>()), (20, 1_000_000));
    }
}
