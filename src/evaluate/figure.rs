//! A figure: one number that says how well results and labels agree, or why there is none.

use std::fmt;

/// Which figure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its name in JSON.
    pub key: &'static str,
    /// As people read it.
    pub name: &'static str,
    /// The class that it is about (precision of `yes`).
    pub class: Option<String>,
}

impl Figure {
    #[must_use]
    pub const fn new(key: &'static str, name: &'static str) -> Figure {
        Figure { key, name, class: None }
    }

    /// The same figure of one class.
    #[must_use]
    pub fn of(mut self, class: &str) -> Figure {
        self.class = Some(class.to_owned());
        self
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.class {
            None => f.write_str(self.name),
            Some(class) => write!(f, "{} of {class}", self.name),
        }
    }
}

/// Why a figure has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undefined {
    NoRows,
    ConstantResults,
    ConstantLabels,
    /// Results and labels all have one and the same value, so that agreement by chance is certain.
    OneValue,
    /// No label is the positive class.
    NoPositives,
    /// No result is the positive class.
    NonePredicted,
    NoneDecided,
    /// No unit has two ratings.
    NoPairs,
    /// Only one group has a value.
    TooFewGroups,
}

impl Undefined {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Undefined::NoRows => "no_rows",
            Undefined::ConstantResults => "constant_results",
            Undefined::ConstantLabels => "constant_labels",
            Undefined::OneValue => "one_value",
            Undefined::NoPositives => "no_positives",
            Undefined::NonePredicted => "none_predicted",
            Undefined::NoneDecided => "none_decided",
            Undefined::NoPairs => "no_pairs",
            Undefined::TooFewGroups => "too_few_groups",
        }
    }

    /// As people read it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Undefined::NoRows => "nothing to compare",
            Undefined::ConstantResults => "the results are all the same",
            Undefined::ConstantLabels => "the labels are all the same",
            Undefined::OneValue => "there is only one value",
            Undefined::NoPositives => "no label is of this class",
            Undefined::NonePredicted => "no result is of this class",
            Undefined::NoneDecided => "nothing is decided",
            Undefined::NoPairs => "nothing was rated twice",
            Undefined::TooFewGroups => "fewer than two groups",
        }
    }
}

/// A figure's value, or why it has none.
pub type Reckoned = Result<f64, Undefined>;

/// Where a figure would lie were other rows of the same kind drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// Resamples in which the figure was undefined; the ends are of the others.
    pub undefined: u32,
}

/// A figure that was computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub figure: Figure,
    pub value: Reckoned,
    /// `None`: no value, none asked for, or fewer than half of the resamples had one.
    pub interval: Option<Interval>,
}

/// Counted rows from which figures are computed: every figure is a function of the counts.
pub trait Sample: Sync {
    /// Which figures, in the order of [`Sample::reckon`].
    fn figures(&self) -> Vec<Figure>;

    /// How often each distinct row was seen.
    fn counts(&self) -> &[u32];

    /// The figures, were each row seen so many times. `counts` is as long as [`Sample::counts`].
    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned>;
}
