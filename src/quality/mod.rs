//! How good a list of criteria is, measured against another that experts wrote.
//!
//! Four measures, as Qworld defines them (arXiv 2603.23522, appendices B.2 and C):
//!
//! - *Coverage*: the share of the experts' criteria that some criterion of ours checks too. Judged.
//! - *Uniqueness*: the share of our criteria that none of the experts' checks. Judged. Beside it stands how many of those are
//!   worth having: what nobody asked for may also be noise.
//! - *Specificity*: of a criterion, the largest ln(1 + |W|) ÷ f over its words, f being how often the word stands in the corpus
//!   and |W| how many words the corpus has. A word that stands nowhere else makes a criterion specific. Computed; it may be
//!   compared only within one corpus, and the corpus is all criteria of one call.
//! - *Implicitness*: 1 − the share of a criterion's words that stand in the question already. Computed; stop words do not count.
//!
//! [`lists`] reads criteria from what people have, [`words`] computes, [`judged`] says what a model is asked and what its
//! replies mean; it does no I/O. Totals are over all criteria of all questions (micro averages), as Qworld's are.

pub mod judged;
pub mod lists;
pub mod words;

pub use judged::{Direction, Verdict};
pub use lists::{List, Listed};

/// What was found about one question's criteria.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub id: String,
    /// Of each of the experts' criteria, whether ours cover it; empty where nobody was asked.
    pub coverage: Vec<Verdict>,
    /// Of each of ours, whether the experts' cover it.
    pub uniqueness: Vec<Verdict>,
    /// Of ours and of the experts', in their order.
    pub specificity: [Vec<f64>; 2],
    /// The same; `None` where the question is not known.
    pub implicitness: Option<[Vec<f64>; 2]>,
}

/// The share of the experts' criteria that are covered; `None` where nobody was asked.
#[must_use]
pub fn coverage<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Option<f64> {
    share(all.into_iter().flat_map(|one| &one.coverage), |verdict| !verdict.by.is_empty())
}

/// The share of our criteria that the experts' do not cover.
#[must_use]
pub fn uniqueness<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Option<f64> {
    share(all.into_iter().flat_map(|one| &one.uniqueness), |verdict| verdict.by.is_empty())
}

/// The share of our criteria that are not covered and yet worth having.
#[must_use]
pub fn valuable<'a>(all: impl IntoIterator<Item = &'a Measured>) -> Option<f64> {
    share(all.into_iter().flat_map(|one| &one.uniqueness), |verdict| verdict.by.is_empty() && verdict.valuable)
}

/// The mean over all values; `None` where there are none.
#[must_use]
pub fn mean<'a>(values: impl IntoIterator<Item = &'a f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

fn share<'a>(verdicts: impl Iterator<Item = &'a Verdict>, holds: impl Fn(&Verdict) -> bool) -> Option<f64> {
    let values: Vec<f64> = verdicts.map(|verdict| if holds(verdict) { 1.0 } else { 0.0 }).collect();
    mean(&values)
}
