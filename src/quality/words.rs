//! What can be computed about criteria: how specific they are, and how little of them stands in the question.
//!
//! Words are those of Unicode (UAX 29), lower-cased, as they stand; nothing is stemmed, because a form that stands nowhere
//! else is specific. The stop words are English: of texts in other languages none is left out of the implicitness.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation as _;

static STOP: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| stop_words::lookup("en").unwrap_or_default().iter().copied().collect());

/// Whether a word in lower case is a stop word of English.
#[must_use]
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// The words of a text, lower-cased.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.unicode_words().map(str::to_lowercase)
}

/// How often each word stands in all texts together.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    counts: HashMap<String, u32>,
}

impl Corpus {
    pub fn add(&mut self, text: &str) {
        for word in words(text) {
            let count = self.counts.entry(word).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// The largest ln(1 + |W|) ÷ f over the words of a text: from just above 0 to ln(1 + |W|), 0 of a text without words.
    /// A word that the corpus does not have counts as one that it has once.
    #[must_use]
    pub fn specificity(&self, text: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a count of words is far below 2^53")]
        let most = (1.0 + self.counts.len() as f64).ln();
        words(text).map(|word| most / f64::from(self.counts.get(&word).copied().unwrap_or(1))).fold(0.0, f64::max)
    }
}

/// 1 − |words of both| ÷ |words of the criterion|, over sets of words that are no stop words: from 0 (all of it stands in the
/// question) to 1. A criterion of stop words alone has 1.
#[must_use]
pub fn implicitness(criterion: &str, question: &HashSet<String>) -> f64 {
    let own = content(criterion);
    if own.is_empty() {
        return 1.0;
    }
    let both = own.intersection(question).count();
    #[expect(clippy::cast_precision_loss, reason = "a count of words is far below 2^53")]
    let share = both as f64 / own.len() as f64;
    1.0 - share
}

/// The words of a text that are no stop words.
#[must_use]
pub fn content(text: &str) -> HashSet<String> {
    words(text).filter(|word| !is_stop(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_nowhere_else_makes_a_criterion_specific() {
        let texts = ["Names the dose", "Names the Limit", "Names the dose of naloxone"];
        let mut corpus = Corpus::default();
        texts.iter().for_each(|text| corpus.add(text));
        // names 3, the 3, dose 2, limit 1, of 1, naloxone 1: six words.
        let most = 7.0_f64.ln();
        assert_eq!(corpus.specificity(texts[0]), most / 2.0);
        assert_eq!(corpus.specificity(texts[1]), most);
        assert_eq!(corpus.specificity("the names"), most / 3.0);
        assert_eq!(corpus.specificity("…"), 0.0);
    }

    #[test]
    fn what_stands_in_the_question_is_not_implicit() {
        let question = content("What is the dose of paracetamol for a child?");
        assert_eq!(implicitness("Names the dose of Paracetamol", &question), 1.0 - 2.0 / 3.0);
        assert_eq!(implicitness("the dose", &question), 0.0);
        assert_eq!(implicitness("Asks after liver disease", &question), 1.0);
        assert_eq!(implicitness("of the", &question), 1.0);
    }
}
