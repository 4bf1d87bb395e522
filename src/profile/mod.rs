//! Profiles: what a score is made of, by tag, group and criterion, for several subjects side by side.
//!
//! A *subject* is whose answers were judged: a model, a system, a version. It is a whole trace, or the candidates of one name
//! within a trace. Two subjects with the same score may have earned it by different things; this room shows which.
//!
//! Items with points are put together as the score of a checklist is, over a part of the items: per record the points met
//! divided by the positive points of the part ([`Cell::score`]), then the mean over the records. (HealthBench scores its tags
//! like this.) A part without positive points has no score, and a record in which a judgment of the part is missing is not
//! counted in it; an item that is unknown is left out on both sides. Beside it stands how often bad items are met.
//! Other criteria are put on 0 to 1 by their scale, as `normalize` does, and averaged; sets, tallies and choices have no order
//! and stand only in the counts of judgments.
//!
//! What is judged once for all candidates of a record says nothing about a subject, and is left out.
//!
//! Means here are floating-point statistics over judgments, not scores; nothing is decided by them. One number of 8 bytes is
//! kept for each judgment, so that subjects can be compared record by record.

mod apart;
mod gather;

pub use apart::{Apart, apart, distance};
pub use gather::Gathering;

use indexmap::IndexMap;
use std::collections::BTreeMap;

/// What judgments are put together by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A tag, its key and value. A tag without a key (of the items of a record) has the key `tag`.
    Tag(String, String),
    /// A group of a checklist, as `checklist.group.group`.
    Group(String),
    /// A whole checklist.
    Checklist(String),
}

impl Part {
    /// What it is one of: `axis`, `group`, `checklist`.
    #[must_use]
    pub fn dimension(&self) -> &str {
        match self {
            Part::Tag(key, _) => key,
            Part::Group(_) => "group",
            Part::Checklist(_) => "checklist",
        }
    }

    /// Its name within the dimension.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Part::Tag(_, value) => value,
            Part::Group(name) | Part::Checklist(name) => name,
        }
    }
}

/// What a part of the judgments came to for one subject.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cell {
    /// The sum over records of points met ÷ positive points, and the number of records.
    scores: f64,
    records: u64,
    /// Records in which a judgment of the part is missing.
    pub incomplete: u64,
    /// Judgments of items with negative points, and how many of them are met.
    bad: u64,
    bad_met: u64,
    /// The sum of other criteria's values on 0 to 1, and their number.
    values: f64,
    judgments: u64,
}

impl Cell {
    /// The mean over records of points met ÷ positive points; at most 1, below 0 where bad items weigh more.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        mean(self.scores, self.records)
    }

    /// Records behind [`Cell::score`].
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The share of known judgments of items with negative points that are met: how often what is bad is there.
    #[must_use]
    pub fn bad_share(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts of judgments are far below 2^53")]
        mean(self.bad_met as f64, self.bad)
    }

    /// The mean of the criteria that have no points, from 0 to 1.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        mean(self.values, self.judgments)
    }

    /// Judgments behind [`Cell::level`].
    #[must_use]
    pub fn judgments(&self) -> u64 {
        self.judgments
    }
}

/// One criterion, or one item, for one subject.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// The number of the record and the value on 0 to 1 (an item: met or not), in the order read.
    values: Vec<(u32, f32)>,
    pub unknown: u64,
    pub missing: u64,
}

impl Tally {
    /// Known judgments.
    #[must_use]
    pub fn known(&self) -> u64 {
        self.values.len() as u64
    }

    /// Their mean, from 0 to 1.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        mean(self.values.iter().map(|(_, value)| f64::from(*value)).sum(), self.known())
    }
}

/// A criterion or an item, whoever was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its points, where it has some.
    pub points: Option<f64>,
    /// The question; empty for items that come with a record.
    pub text: String,
}

/// What a pointwise readout came to for one subject.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    /// The sum of numbers, or of bools as 0 and 1.
    sum: f64,
    numbers: u64,
    /// Labels with their counts.
    pub labels: BTreeMap<String, u64>,
    pub abstained: u64,
    pub open: u64,
}

impl Readings {
    /// The mean of a number; the share of `true` of a bool.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        mean(self.sum, self.numbers)
    }

    /// Outcomes that are decided.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.numbers + self.labels.values().sum::<u64>()
    }
}

/// One subject.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    pub records: u64,
    /// Records that failed when they were run.
    pub failed: u64,
    pub readouts: IndexMap<String, Readings>,
    parts: IndexMap<Part, Cell>,
    criteria: Vec<Tally>,
}

/// Several subjects, and what they were judged by.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    /// By name, in the order in which they were met.
    pub subjects: IndexMap<String, Subject>,
    /// By name: `care.dose`; where traces hold several programs, `program/care.dose`; of the items of a record,
    /// `record: rubrics.3`.
    pub criteria: IndexMap<String, About>,
    /// Ids of records, in the order in which they were met.
    records: indexmap::IndexSet<String>,
}

impl Profiles {
    /// All parts that some subject has, by dimension, in the order in which they were met.
    #[must_use]
    pub fn parts(&self) -> IndexMap<String, Vec<Part>> {
        let mut parts: IndexMap<String, Vec<Part>> = IndexMap::new();
        let mut seen = std::collections::HashSet::new();
        for part in self.subjects.values().flat_map(|subject| subject.parts.keys()) {
            if seen.insert(part) {
                parts.entry(part.dimension().to_owned()).or_default().push(part.clone());
            }
        }
        parts
    }
}

impl Subject {
    /// What a part came to; all zero where this subject has none of it.
    #[must_use]
    pub fn part(&self, part: &Part) -> Cell {
        self.parts.get(part).copied().unwrap_or_default()
    }

    /// A criterion by its place in [`Profiles::criteria`].
    #[must_use]
    pub fn criterion(&self, at: usize) -> Option<&Tally> {
        self.criteria.get(at)
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    // Counts are far below 2^53.
    #[expect(clippy::cast_precision_loss, reason = "counts of judgments are far below 2^53")]
    (count > 0).then(|| sum / count as f64)
}
