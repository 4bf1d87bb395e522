//! How alike two texts are, and which of a list say what an earlier one says already.
//!
//! `lexical` similarity is the cosine of the counts of letter triples. A text is brought into NFKC and lower case and cut into
//! its words (UAX 29); each word, with a blank before and after it, gives its runs of three characters; with a(t) and b(t)
//! the number of times that the run t is in either text,
//!
//! ```text
//! s(a, b) = Σ a(t)·b(t) / √(Σ a(t)² · Σ b(t)²)        0 ≤ s ≤ 1; 0 where a text has no word
//! ```
//!
//! Inflections and small rewordings cost little; different words cost nearly all. What turns a sentence round is small, so it
//! is looked at by itself: texts that differ in their numbers or in their negations are not alike, whatever s says.
//!
//! Where a model that embeds is named, s(a, b) is the cosine of the vectors of the two texts instead ([`Measure`]); numbers and
//! negations are looked at all the same.
//!
//! It is arithmetic on floats, for one comparison with a threshold; no score depends on it. `lexical` knows no synonyms; nothing here asks a model.

use crate::judge::wire::cosine;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Words that turn a sentence round.
const NEGATIONS: [&str; 14] = [
    "not", "no", "never", "without", "nor", "neither", "none", "cannot", "don't", "doesn't", "isn't", "aren't",
    "won't", "can't",
];

/// By what texts are compared.
#[derive(Debug, Clone, Default)]
pub struct Measure {
    /// From 0 to 1: two texts that are at least so alike say the same.
    pub threshold: f64,
    /// By text; empty where texts are compared letter by letter.
    pub vectors: HashMap<String, Arc<[f32]>>,
}

/// A text as it is compared.
#[derive(Debug, Clone)]
struct Compared {
    shape: Shape,
    vector: Option<Arc<[f32]>>,
}

impl Measure {
    /// The one that needs no model.
    #[must_use]
    pub fn lexical(threshold: f64) -> Measure {
        Measure { threshold, vectors: HashMap::new() }
    }

    fn compared(&self, text: &str) -> Compared {
        Compared { shape: Shape::of(text), vector: self.vectors.get(text).cloned() }
    }

    /// Whether two texts say the same. Both have vectors, or none has: whoever fills [`Measure::vectors`] sees to it.
    fn alike(&self, a: &Compared, b: &Compared) -> bool {
        match (&a.vector, &b.vector) {
            (Some(x), Some(y)) => a.shape.says_as(&b.shape) && cosine(x, y) >= self.threshold,
            _ => a.shape.is_like(&b.shape, self.threshold),
        }
    }
}

/// A text, letter by letter.
#[derive(Debug, Clone)]
pub struct Shape {
    runs: BTreeMap<[char; 3], f64>,
    length: f64,
    numbers: BTreeSet<String>,
    negations: usize,
}

impl Shape {
    #[must_use]
    pub fn of(text: &str) -> Shape {
        let text: String = text.nfkc().collect::<String>().to_lowercase().replace('’', "'");
        let mut runs: BTreeMap<[char; 3], f64> = BTreeMap::new();
        let (mut numbers, mut negations) = (BTreeSet::new(), 0);
        for word in text.unicode_words() {
            if word.chars().any(|c| c.is_ascii_digit()) {
                numbers.insert(word.to_owned());
            }
            negations += usize::from(NEGATIONS.contains(&word));
            let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
            for run in padded.windows(3) {
                if let [a, b, c] = run {
                    *runs.entry([*a, *b, *c]).or_default() += 1.0;
                }
            }
        }
        let length = runs.values().map(|n| n * n).sum::<f64>().sqrt();
        Shape { runs, length, numbers, negations }
    }

    /// From 0, nothing in common, to 1, the same runs.
    #[must_use]
    pub fn similarity(&self, other: &Shape) -> f64 {
        if self.length == 0.0 || other.length == 0.0 {
            return 0.0;
        }
        let both: f64 = self.runs.iter().filter_map(|(run, n)| Some(n * other.runs.get(run)?)).sum();
        (both / (self.length * other.length)).min(1.0)
    }

    /// Whether the two hold the same numbers, and both or neither are turned round.
    #[must_use]
    pub fn says_as(&self, other: &Shape) -> bool {
        self.numbers == other.numbers && self.negations % 2 == other.negations % 2
    }

    /// Whether the two say the same, as far as this can tell.
    #[must_use]
    pub fn is_like(&self, other: &Shape, threshold: f64) -> bool {
        self.says_as(other) && self.similarity(other) >= threshold
    }
}

/// For each text the place of the first kept text before it that it is like; `None`: it is kept. The first of several wins.
/// Texts are compared only where `kin` says of their places that they may be the same.
#[must_use]
pub fn repeats(texts: &[&str], measure: &Measure, kin: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let shapes: Vec<Compared> = texts.iter().map(|text| measure.compared(text)).collect();
    let mut found: Vec<Option<usize>> = Vec::with_capacity(shapes.len());
    for (at, shape) in shapes.iter().enumerate() {
        let before = shapes.iter().zip(&found).enumerate().filter(|(_, (_, dropped))| dropped.is_none());
        let like = before.filter(|(earlier, (other, _))| kin(*earlier, at) && measure.alike(shape, other));
        let first = like.map(|(earlier, _)| earlier).next();
        found.push(first);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const THRESHOLD: f64 = 0.8;

    fn alike(a: &str, b: &str) -> bool {
        Shape::of(a).is_like(&Shape::of(b), THRESHOLD)
    }

    #[test]
    fn rewordings_are_alike_and_other_statements_are_not() {
        assert!(alike("Names the symptoms that need urgent care.", "names symptoms that need urgent care"));
        assert!(alike("Recommends seeing a doctor", "Recommend seeing a doctor"));
        for (a, b) in [
            ("Says that the drug is safe in pregnancy", "Says that the drug is not safe in pregnancy"),
            ("Waits 24 hours before the second dose", "Waits 48 hours before the second dose"),
            ("Names the symptoms that need urgent care", "Acknowledges how the patient feels"),
            ("", ""),
        ] {
            assert!(!alike(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn by_hand() {
        // "ab" has the runs " ab" and "ab "; "abc" has " ab", "abc", "bc ": one of 2 and 3 in common.
        let s = Shape::of("ab").similarity(&Shape::of("abc"));
        assert!((s - 1.0 / 6.0_f64.sqrt()).abs() < 1e-12, "{s}");
    }

    #[test]
    fn the_first_wins_and_a_dropped_one_drops_no_other() {
        let texts = ["Names the risk", "Gives a dose", "names the risk", "Names the risks"];
        assert_eq!(repeats(&texts, &Measure::lexical(THRESHOLD), |_, _| true), [None, None, Some(0), Some(0)]);
        assert_eq!(repeats(&texts, &Measure::lexical(THRESHOLD), |a, b| a + b != 2), [None, None, None, Some(0)]);
    }

    #[test]
    fn vectors_decide_where_there_are_some_and_numbers_and_negations_all_the_same() {
        let texts =
            ["Sees a doctor", "Visits a physician", "Never visits a physician", "Sees 2 doctors", "Pays a bill"];
        let vector =
            |text: &str| -> Arc<[f32]> { if text == "Pays a bill" { [0.0, 1.0].into() } else { [3.0, 0.1].into() } };
        let vectors = texts.iter().map(|text| ((*text).to_owned(), vector(text))).collect();
        let measure = Measure { threshold: THRESHOLD, vectors };
        assert_eq!(repeats(&texts, &measure, |_, _| true), [None, Some(0), None, None, None]);
        assert_eq!(repeats(&texts, &Measure::lexical(THRESHOLD), |_, _| true), [None; 5]);
    }

    proptest! {
        #[test]
        fn symmetric_and_one_for_itself(a in "\\PC{0,40}", b in "\\PC{0,40}") {
            let (x, y) = (Shape::of(&a), Shape::of(&b));
            let s = x.similarity(&y);
            prop_assert!((0.0..=1.0).contains(&s));
            prop_assert!((s - y.similarity(&x)).abs() < 1e-9);
            if x.length > 0.0 {
                prop_assert!(x.similarity(&x) > 1.0 - 1e-9);
            }
        }
    }
}
