//! Figures of preferences: who was preferred, by the program and by people, and whether the order of showing mattered.
//!
//! A verdict is a candidate, a tie, or invalid (abstained, open or failed). As the field's papers count, a tie or an invalid
//! verdict is wrong in Pairwise Accuracy and left out of Valid Accuracy.

use super::cells::Tally;
use super::figure::{Figure, Reckoned, Sample, Undefined};

/// The code of a tie; candidates have theirs from 0.
pub const TIE: u32 = u32::MAX;
/// The code of a verdict that there is not.
pub const INVALID: u32 = u32::MAX - 1;

/// Verdicts against labels.
#[derive(Debug)]
pub struct Pairs {
    /// Rows of (verdict, label).
    rows: Vec<[u32; 2]>,
    counts: Vec<u32>,
}

const FIGURES: [Figure; 5] = [
    Figure::new("pairwise_accuracy", "Pairwise Accuracy"),
    Figure::new("valid_accuracy", "Valid Accuracy"),
    Figure::new("coverage", "Coverage"),
    Figure::new("tie_rate", "Tie Rate"),
    Figure::new("invalid_rate", "Invalid Rate"),
];

impl Pairs {
    /// From rows of (verdict, label). A label that is a tie is right where the verdict is one too; whether such rows are
    /// there at all is decided by who adds them.
    #[must_use]
    pub fn new(tally: Tally<[u32; 2]>) -> Pairs {
        let (rows, counts) = tally.finish();
        Pairs { rows, counts }
    }

    /// From rows in any order, each with its count.
    #[must_use]
    pub fn of_rows(rows: Vec<[u32; 2]>, counts: Vec<u32>) -> Pairs {
        Pairs { rows, counts }
    }

    /// The labels with their numbers.
    #[must_use]
    pub fn labels(&self) -> Vec<(u32, u64)> {
        let mut each: Vec<(u32, u64)> = Vec::new();
        let mut rows: Vec<(u32, u32)> = self.rows.iter().map(|[_, label]| *label).zip(self.counts.clone()).collect();
        rows.sort_unstable();
        for (label, count) in rows {
            match each.last_mut() {
                Some((last, sum)) if *last == label => *sum += u64::from(count),
                _ => each.push((label, u64::from(count))),
            }
        }
        each
    }

    /// What is preferred by any verdict or label, ties and invalid verdicts among it; some of it several times.
    pub fn candidates(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().flatten().copied()
    }

    /// Whether any verdict is this candidate.
    #[must_use]
    pub fn says(&self, verdict: u32) -> bool {
        self.rows.iter().any(|[said, _]| *said == verdict)
    }

    /// What a program that always prefers `constant` would have reached on these labels.
    #[must_use]
    pub fn constant(&self, constant: u32) -> Vec<Reckoned> {
        let rows = self.rows.iter().map(|[_, label]| [constant, *label]).collect();
        let sample = Pairs { rows, counts: self.counts.clone() };
        sample.reckon(sample.counts())
    }
}

impl Sample for Pairs {
    fn figures(&self) -> Vec<Figure> {
        FIGURES.to_vec()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let (mut total, mut right, mut decided, mut tied) = (0.0, 0.0, 0.0, 0.0);
        let mut decided_right = 0.0;
        for ([verdict, label], count) in self.rows.iter().zip(counts) {
            let n = f64::from(*count);
            total += n;
            let agrees = verdict == label;
            right += if agrees { n } else { 0.0 };
            match *verdict {
                TIE => tied += n,
                INVALID => {}
                _ => {
                    decided += n;
                    decided_right += if agrees { n } else { 0.0 };
                }
            }
        }
        if total == 0.0 {
            return vec![Err(Undefined::NoRows); FIGURES.len()];
        }
        let valid = if decided > 0.0 { Ok(decided_right / decided) } else { Err(Undefined::NoneDecided) };
        vec![Ok(right / total), valid, Ok(decided / total), Ok(tied / total), Ok((total - decided - tied) / total)]
    }
}

/// A verdict by the place at which the preferred candidate was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The preferred candidate, [`TIE`] or [`INVALID`].
    pub winner: u32,
    /// The candidate that was shown first.
    pub first: u32,
}

/// What the two verdicts on one pair, shown in both orders, come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Kind {
    Same,
    First,
    Second,
    Other,
}

/// Pairs that were judged in both orders, and all verdicts by the place of who won.
#[derive(Debug)]
pub struct Orders {
    rows: Vec<[u32; 2]>,
    counts: Vec<u32>,
}

const ORDER_FIGURES: [Figure; 3] = [
    Figure::new("order_consistency", "Order Consistency"),
    Figure::new("position_bias", "Position Bias"),
    Figure::new("first_rate", "First Shown Preferred"),
];

impl Orders {
    /// From pairs of verdicts on the same pair of candidates in both orders, both of them valid.
    #[must_use]
    pub fn new(pairs: impl Iterator<Item = [Verdict; 2]>) -> Orders {
        let mut tally = Tally::default();
        for [a, b] in pairs {
            let is_first = |verdict: Verdict| verdict.winner == verdict.first;
            let kind = match (a.winner, b.winner) {
                (x, y) if x == y => Kind::Same,
                (TIE, _) | (_, TIE) => Kind::Other,
                _ if is_first(a) && is_first(b) => Kind::First,
                _ if !is_first(a) && !is_first(b) => Kind::Second,
                _ => Kind::Other,
            };
            let decided = [a, b].into_iter().filter(|v| v.winner != TIE);
            let (first, all) = decided.fold((0, 0), |(first, all), v| (first + u32::from(is_first(v)), all + 1));
            tally.add([kind as u32, first * 4 + all]);
        }
        let (rows, counts) = tally.finish();
        Orders { rows, counts }
    }
}

impl Sample for Orders {
    fn figures(&self) -> Vec<Figure> {
        ORDER_FIGURES.to_vec()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let (mut total, mut same, mut bias, mut first, mut decided) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for ([kind, places], count) in self.rows.iter().zip(counts) {
            let n = f64::from(*count);
            total += n;
            same += if *kind == Kind::Same as u32 { n } else { 0.0 };
            bias += match *kind {
                k if k == Kind::First as u32 => n,
                k if k == Kind::Second as u32 => -n,
                _ => 0.0,
            };
            first += n * f64::from(places / 4);
            decided += n * f64::from(places % 4);
        }
        if total == 0.0 {
            return vec![Err(Undefined::NoRows); ORDER_FIGURES.len()];
        }
        let rate = if decided > 0.0 { Ok(first / decided) } else { Err(Undefined::NoneDecided) };
        vec![Ok(same / total), Ok(bias / total), rate]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_and_invalid_verdicts_are_wrong() {
        let mut tally = Tally::default();
        [[0, 0], [1, 0], [1, 1], [TIE, 0], [INVALID, 1]].into_iter().for_each(|row| tally.add(row));
        let pairs = Pairs::new(tally);
        assert_eq!(pairs.reckon(pairs.counts()), [Ok(0.4), Ok(2.0 / 3.0), Ok(0.6), Ok(0.2), Ok(0.2)]);
        assert_eq!(pairs.labels(), [(0, 3), (1, 2)]);
        assert_eq!(pairs.constant(0)[0], Ok(0.6));
        let mut none = Tally::default();
        none.add([TIE, 0]);
        let none = Pairs::new(none);
        assert_eq!(none.reckon(none.counts())[1], Err(Undefined::NoneDecided));
    }

    #[test]
    fn who_is_shown_first() {
        let verdict = |winner, first| Verdict { winner, first };
        let orders = Orders::new(
            [
                [verdict(0, 0), verdict(0, 1)],
                [verdict(0, 0), verdict(1, 1)],
                [verdict(0, 0), verdict(1, 1)],
                [verdict(1, 0), verdict(0, 1)],
                [verdict(TIE, 0), verdict(1, 1)],
            ]
            .into_iter(),
        );
        let found = orders.reckon(orders.counts());
        assert_eq!(found, [Ok(0.2), Ok((2.0 - 1.0) / 5.0), Ok(6.0 / 9.0)]);
    }
}
