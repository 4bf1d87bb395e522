//! A report of results: what came out, how far it agrees with labels, what it is made of, and every record down to the quotes.
//!
//! [`gather()`] reads results, traces, labels and records into a [`Report`], which knows no format. [`page()`] makes one HTML page
//! of it that needs nothing else, [`markdown()`] a summary for a comment, [`junit()`] a suite of test cases, [`github()`]
//! annotations. What records say is never trusted: it is cleaned of characters that steer a terminal or turn the direction of
//! writing when it is read ([`text`]), and escaped where it is written. The same files give the same bytes.
//!
//! What it does not know: the texts that were judged, unless the records are given too; how a program came to a result,
//! unless its trace is given.

mod detail;
mod gather;
mod github;
mod junit;
mod markdown;
mod page;
mod passing;
mod rows;
mod spread;
mod text;

pub use gather::gather;
pub use github::github;
pub use junit::junit;
pub use markdown::markdown;
pub use page::page;
pub use passing::Passing;

use crate::evaluate;
use crate::graph::Program;
use crate::profile::Profiles;
use crate::run::result::Status;
use detail::Detail;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// What a report is made of.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub title: Option<String>,
    /// The readout that records are listed and compared by; without it the only one, or the unnamed one.
    pub readout: Option<String>,
    /// Labels, and how they are compared; with the name under which the reader knows them.
    pub labels: Option<(evaluate::report::Options, String)>,
    /// The records that were judged, to show their texts.
    pub data: Option<PathBuf>,
    /// How many records are shown down to their judgments, the worst first.
    pub details: usize,
    pub passing: Option<Passing>,
}

/// Everything that a report says.
#[derive(Debug)]
pub struct Report {
    pub title: String,
    /// The keys of the readouts, the one that records are compared by first.
    pub readouts: Vec<String>,
    pub runs: Vec<RunOf>,
    pub rows: Vec<Row>,
    /// Records, of which a comparison of candidates has one row more than candidates.
    pub records: u64,
    /// Programs whose traces were given.
    pub programs: Vec<Arc<Program>>,
    /// The digests of the programs in the results.
    pub digests: Vec<String>,
    /// The name of the labels.
    pub labels: Option<String>,
    pub measured: Option<evaluate::report::Report>,
    pub profiles: Option<Profiles>,
    /// The readout by tag of the records.
    pub tags: Vec<spread::OfTag>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
    /// The file of the records, for annotations.
    pub data: Option<PathBuf>,
    pub passing: Option<Passing>,
}

/// One run, in numbers.
#[derive(Debug, Default)]
pub struct RunOf {
    pub name: String,
    pub counts: Vec<(Status, u64)>,
    /// Rows that are decided and do not pass.
    pub failing: u64,
    pub spread: spread::Spread,
}

/// A candidate of a record, or a record whose candidates are compared.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Row {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How far the run that is farthest from the label is away: of numbers the difference, else 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// Its line in the file of records, where that is known.
    #[serde(skip)]
    pub line: Option<u64>,
    /// By run; `None`: the run does not have it.
    pub cells: Vec<Option<Cell>>,
    /// The texts of the record and the candidate, by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<(String, String)>,
}

/// What a row came to in one run.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    #[serde(serialize_with = "word")]
    pub status: Status,
    /// By readout, in words; `None`: the row does not have it.
    pub said: Vec<Option<String>>,
    /// Whether it passes; `None`: it is not decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<bool>,
    /// The number behind the first readout, to sort by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How it came about; of a record that compares candidates one for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
}

/// A judgment that is missing.
#[derive(Debug, Clone, Serialize)]
pub struct Missing {
    pub criterion: String,
    pub why: String,
}

fn word<S: serde::Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.word())
}

impl Row {
    /// The record, with the candidate where it has one.
    #[must_use]
    pub fn name(&self) -> String {
        self.candidate.as_ref().map_or_else(|| self.id.clone(), |candidate| format!("{}/{candidate}", self.id))
    }

    /// The cells of the runs that have it, with the number of the run.
    pub fn present(&self) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.iter().enumerate().filter_map(|(run, cell)| Some((run, cell.as_ref()?)))
    }
}

impl Cell {
    /// Whether it is about the first readout: a line that compares candidates is not, where that one speaks of each of them.
    #[must_use]
    pub fn concerns(&self) -> bool {
        self.status == Status::Failed || self.said.first().is_some_and(Option::is_some)
    }

    /// Whether it does not pass, or is not decided.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.concerns() && self.passes != Some(true)
    }

    /// What the first readout says, or why it says nothing.
    #[must_use]
    pub fn outcome(&self) -> String {
        match self.said.first().and_then(Option::as_ref) {
            Some(said) => said.clone(),
            None => self.status.in_words().to_owned(),
        }
    }

    /// Why it is not decided or failed, in a sentence; empty where it is decided.
    #[must_use]
    pub fn why(&self) -> String {
        if let Some(reason) = &self.reason {
            return reason.clone();
        }
        let missing: Vec<String> =
            self.missing.iter().take(5).map(|missing| format!("{} ({})", missing.criterion, missing.why)).collect();
        let more = self.missing.len().saturating_sub(5);
        match (missing.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!("missing: {}", missing.join(", ")),
            (false, _) => format!("missing: {}, and {more} more", missing.join(", ")),
        }
    }

    /// The gates that fired on the way, by name.
    pub fn fired(&self) -> impl Iterator<Item = &str> {
        self.details.iter().flat_map(|detail| detail.fired.iter().map(String::as_str))
    }
}
