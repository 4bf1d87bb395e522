//! How alike two texts are: exact fractions from 0 to 1.
//!
//! `rouge_l` is the F1 of the longest common subsequence (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
//! Summaries", with β = 1) over lower-cased UAX 29 words without stemming: 2·LCS / (n + m). `levenshtein` is
//! 1 − d / max(n, m) over Unicode scalar values (Levenshtein 1966). Two empty texts are alike: 1; one empty text: 0.
//!
//! Both run bit-parallel, 64 cells of the table at once (LCS: Hyyrö 2004, "Bit-parallel LCS-length computation revisited";
//! distance: Myers 1999 in Hyyrö's block form), in n·m/64 steps and memory of the order n + m.

use crate::number::Number;
use std::collections::HashMap;
use std::hash::Hash;
use unicode_segmentation::UnicodeSegmentation;

/// How many words (`rouge_l`) or characters (`levenshtein`) each text may have; a longer one makes the rule fail.
pub const MOST_COMPARED: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    RougeL,
    Levenshtein,
}

impl Metric {
    pub const ALL: [Metric; 2] = [Metric::RougeL, Metric::Levenshtein];

    pub fn word(self) -> &'static str {
        match self {
            Metric::RougeL => "rouge_l",
            Metric::Levenshtein => "levenshtein",
        }
    }
}

/// The similarity of two texts; `None` where one is longer than [`MOST_COMPARED`].
pub(super) fn similarity(a: &str, b: &str, metric: Metric) -> Option<Number> {
    match metric {
        Metric::RougeL => {
            let (a, b) = (a.to_lowercase(), b.to_lowercase());
            let (a, b): (Vec<&str>, Vec<&str>) = (a.unicode_words().collect(), b.unicode_words().collect());
            bounded(a.len(), b.len())?;
            let lcs = common(&a, &b);
            share(2 * lcs, a.len() + b.len())
        }
        Metric::Levenshtein => {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            bounded(a.len(), b.len())?;
            let longest = a.len().max(b.len());
            share(longest - distance(&a, &b).min(longest), longest)
        }
    }
}

fn bounded(a: usize, b: usize) -> Option<()> {
    (a <= MOST_COMPARED && b <= MOST_COMPARED).then_some(())
}

/// `part / whole`; 1 where there is nothing to compare.
fn share(part: usize, whole: usize) -> Option<Number> {
    if whole == 0 {
        return Some(Number::ONE);
    }
    Number::from(part).checked_div(&Number::from(whole))
}

/// For each token of `a`, the blocks of 64 places where it stands: (block, bits), blocks ascending.
fn places<T: Hash + Eq + Copy>(a: &[T]) -> HashMap<T, Vec<(usize, u64)>> {
    let mut places: HashMap<T, Vec<(usize, u64)>> = HashMap::new();
    for (i, token) in a.iter().enumerate() {
        let blocks = places.entry(*token).or_default();
        let bit = 1_u64 << (i % 64);
        match blocks.last_mut() {
            Some((block, bits)) if *block == i / 64 => *bits |= bit,
            _ => blocks.push((i / 64, bit)),
        }
    }
    places
}

/// The length of the longest common subsequence.
fn common<T: Hash + Eq + Copy>(a: &[T], b: &[T]) -> usize {
    let places = places(a);
    let mut rows = vec![u64::MAX; a.len().div_ceil(64)];
    for token in b {
        let Some(found) = places.get(token) else { continue };
        let mut found = found.iter().peekable();
        let mut carry = false;
        // Before the first block that holds the token nothing changes.
        let first = found.peek().map_or(0, |(block, _)| *block);
        for (block, row) in rows.iter_mut().enumerate().skip(first) {
            let bits = match found.peek() {
                Some((at, bits)) if *at == block => {
                    let bits = *bits;
                    found.next();
                    bits
                }
                _ => 0,
            };
            let hit = *row & bits;
            let (sum, over) = row.overflowing_add(hit);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            *row = sum | (*row & !bits);
        }
    }
    // A zero marks a step; places beyond the end of `a` never become zero below, but may in the last block: mask them.
    let mut steps = 0;
    for (block, row) in rows.iter().enumerate() {
        let used = (a.len() - block * 64).min(64);
        let mask = if used == 64 { u64::MAX } else { (1_u64 << used) - 1 };
        steps += (!row & mask).count_ones() as usize;
    }
    steps
}

/// The edit distance.
fn distance(a: &[char], b: &[char]) -> usize {
    if a.is_empty() || b.is_empty() {
        return a.len().max(b.len());
    }
    let places = places(a);
    // Vertical differences, +1 and −1, of the column in hand.
    let mut column: Vec<(u64, u64)> = vec![(u64::MAX, 0); a.len().div_ceil(64)];
    let last = column.len() - 1;
    let end = 1_u64 << ((a.len() - 1) % 64);
    let mut score = a.len();
    for token in b {
        let mut found = places.get(token).map_or(&[][..], Vec::as_slice).iter().peekable();
        // The top row of the table rises by one per column.
        let (mut plus_in, mut minus_in) = (1_u64, 0_u64);
        for (block, (plus, minus)) in column.iter_mut().enumerate() {
            let eq = match found.peek() {
                Some((at, bits)) if *at == block => {
                    let bits = *bits;
                    found.next();
                    bits
                }
                _ => 0,
            };
            let x = eq | minus_in;
            let diagonal = ((x & *plus).wrapping_add(*plus) ^ *plus) | x | *minus;
            let mut rise = *minus | !(diagonal | *plus);
            let mut fall = *plus & diagonal;
            if block == last {
                score += usize::from(rise & end != 0);
                score -= usize::from(fall & end != 0);
            }
            let (plus_out, minus_out) = (rise >> 63, fall >> 63);
            rise = (rise << 1) | plus_in;
            fall = (fall << 1) | minus_in;
            *plus = fall | !(diagonal | rise);
            *minus = rise & diagonal;
            (plus_in, minus_in) = (plus_out, minus_out);
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow_common(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..a.len() {
            for j in 0..b.len() {
                table[i + 1][j + 1] = if a[i] == b[j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_bit_parallel_lcs_is_the_textbook_one(
            a in prop::collection::vec(0_u8..4, 0..200), b in prop::collection::vec(0_u8..4, 0..200)
        ) {
            prop_assert_eq!(common(&a, &b), slow_common(&a, &b));
        }

        #[test]
        fn the_bit_parallel_distance_is_that_of_strsim(a in "[a-dé😀]{0,200}", b in "[a-dé😀]{0,200}") {
            let chars = |s: &str| s.chars().collect::<Vec<_>>();
            prop_assert_eq!(distance(&chars(&a), &chars(&b)), strsim::levenshtein(&a, &b));
        }

        #[test]
        fn similarity_is_symmetric_and_in_the_unit_interval(a in ".{0,60}", b in ".{0,60}") {
            for metric in Metric::ALL {
                let s = similarity(&a, &b, metric).unwrap();
                prop_assert_eq!(&s, &similarity(&b, &a, metric).unwrap());
                prop_assert!(Number::ZERO <= s && s <= Number::ONE);
                prop_assert_eq!(similarity(&a, &a, metric).unwrap(), Number::ONE);
            }
        }
    }

    #[test]
    fn known_figures() {
        let s = |a, b, m| similarity(a, b, m).unwrap().exact();
        // LCS "police the gunman": 3 of 4 words each (the example of Lin 2004).
        assert_eq!(s("police killed the gunman", "Police kill the gunman.", Metric::RougeL), "0.75");
        assert_eq!(s("kitten", "sitting", Metric::Levenshtein), "4/7");
        assert_eq!(s("", "", Metric::RougeL), "1");
        assert_eq!(s("", "a", Metric::Levenshtein), "0");
        assert!(similarity(&"a".repeat(MOST_COMPARED + 1), "a", Metric::Levenshtein).is_none());
    }
}
