//! What is to be measured, and what a measurement comes to.

use super::figure::{Figure, Measured, Reckoned};
use super::input::Task;
use super::input::labels::Wanted;
use super::input::results::Source;
use super::resample::Plan;
use std::path::PathBuf;

/// What is measured, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub readout: Option<String>,
    pub labels: LabelSource,
    pub wanted: Wanted,
    /// The words of an ordinal, lowest first.
    pub order: Vec<String>,
    /// Numbers are compared as classes.
    pub as_classes: bool,
    pub positive: Option<String>,
    pub combine: Option<Combine>,
    /// A label that is a tie is counted, and right where the verdict is a tie; else such records are left out.
    pub count_ties: bool,
    /// Tags, `id` or `candidate`.
    pub groups: Vec<String>,
    /// The tags that say which pair it is, and which candidate was shown first.
    pub orders: Option<(String, String)>,
    pub plan: Plan,
}

/// Where labels come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelSource {
    File(PathBuf),
    /// A tag of the results.
    Tag(String),
}

/// How labels of several annotators become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    Mean,
    Median,
    /// More than half of them.
    Majority,
    /// Each is a row of its own.
    Each,
}

/// What came of the lines of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines with the readout, and of records that failed.
    pub lines: u64,
    pub unlabelled: u64,
    /// Annotators disagreed without a majority.
    pub undecided_labels: u64,
    /// Labels that are ties, left out.
    pub tied_labels: u64,
    pub abstained: u64,
    pub open: u64,
    pub failed: u64,
    /// Rows that the figures are over.
    pub compared: u64,
    pub unused_labels: u64,
}

/// One constant answer, and what it would have reached.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// `majority` or `constant`.
    pub key: &'static str,
    /// What it always says, and why that.
    pub says: String,
    pub why: &'static str,
    pub values: Vec<Reckoned>,
}

/// How often each result came for each label.
#[derive(Debug, Clone)]
pub struct Confusion {
    pub values: Vec<String>,
    /// By label, then result.
    pub rows: Vec<Vec<u64>>,
}

/// Rows that have one value of a field.
#[derive(Debug)]
pub struct Group {
    pub name: String,
    pub rows: u64,
    pub values: Vec<Reckoned>,
}

/// A figure in the mean of groups.
#[derive(Debug)]
pub struct Averaged {
    pub measured: Measured,
    pub groups: u64,
    /// Groups in which it is undefined.
    pub skipped: u64,
}

/// The figures by groups of a field.
#[derive(Debug)]
pub struct Grouped {
    pub field: String,
    pub groups: Vec<Group>,
    /// Compared rows that have no such field.
    pub without: u64,
    pub within: Vec<Averaged>,
    /// Correlations of the groups' means; where there is a positive class, of its shares.
    pub between: Vec<Measured>,
}

/// One run, measured.
#[derive(Debug)]
pub struct Run {
    pub source: Source,
    pub counts: Counts,
    pub figures: Vec<Measured>,
    pub baselines: Vec<Baseline>,
    pub confusion: Option<Confusion>,
    pub groups: Vec<Grouped>,
    /// Pairs that were judged in both orders, those of which a verdict is invalid or one order is missing, and the figures.
    pub orders: Option<(u64, u64, Vec<Measured>)>,
}

/// A figure over several runs.
#[derive(Debug)]
pub struct OverRuns {
    pub figure: Figure,
    /// Of the runs in which it is defined.
    pub mean: Reckoned,
    /// With n − 1; `None` of fewer than two runs.
    pub deviation: Option<f64>,
    pub runs: usize,
}

/// Agreement among raters.
#[derive(Debug)]
pub struct Agreement {
    /// `annotators` or `runs`.
    pub of: &'static str,
    pub units: u64,
    /// Units that all rated.
    pub complete: u64,
    pub raters: u32,
    pub figures: Vec<Measured>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Report {
    pub readout: String,
    pub task: Task,
    pub runs: Vec<Run>,
    pub over_runs: Vec<OverRuns>,
    pub agreement: Vec<Agreement>,
    pub annotators: usize,
    pub combine: Combine,
    pub plan: Plan,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}
