//! What a run came to, in numbers: outcomes, the distribution of each readout, tags, reasons.
//!
//! Its size is bounded whatever the number of records: distinct values, tags and reasons are counted one by one up to a
//! limit; beyond it numbers fall into bins of equal width over the readout's interval (quartiles then carry a `~`), and
//! other values are counted together.

use super::driver::{Done, Finished};
use super::engine::{Engine, Read};
use super::readout::Outcome;
use super::result::{Status, for_each_missing, status};
use crate::graph::Mode;
use crate::number::{Number, Rounding};
use crate::types::{Type, Value};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Distinct values, tags and reasons that are counted one by one.
const MOST_DISTINCT: usize = 2000;
/// Tags, and distinct values per tag, that are counted one by one.
const MOST_OF_A_TAG: usize = 200;
/// What all others are counted under.
const OTHERS: &str = "(others)";

/// The summary of a run.
#[derive(Debug, Default)]
pub struct Summary {
    pub records: u64,
    /// Lines per status, in the order of [`Status::ALL`].
    pub lines: [u64; Status::ALL.len()],
    /// By the readout's key.
    pub readouts: IndexMap<String, Distribution>,
    pub tags: BTreeMap<String, TagSummary>,
    /// Reasons of missing judgments.
    pub missing: BTreeMap<String, u64>,
    /// Criteria with missing judgments.
    pub missing_criteria: BTreeMap<String, u64>,
    /// Reasons of failed records.
    pub failed: IndexMap<String, u64>,
}

/// What the lines with one tag came to.
#[derive(Debug, Default)]
pub struct TagSummary {
    pub lines: [u64; Status::ALL.len()],
    pub readouts: IndexMap<String, Distribution>,
}

/// What a readout came to over many lines.
#[derive(Debug, Default)]
pub struct Distribution {
    /// Distinct values that are counted one by one.
    most: usize,
    pub decided: u64,
    pub by_bounds: u64,
    pub abstained: u64,
    pub open: u64,
    /// Numbers with their counts.
    numbers: BTreeMap<Number, u64>,
    sum: Number,
    lowest: Option<Number>,
    highest: Option<Number>,
    /// Whether `numbers` are the lower ends of bins.
    binned: Option<(Number, Number)>,
    /// Labels, bools, winners with their counts, in the order of their type.
    pub words: BTreeMap<(u32, String), u64>,
}

impl Summary {
    /// Adds a record.
    pub fn add(&mut self, done: &Done) {
        self.records += 1;
        for line in &done.lines {
            count(&mut self.lines, line.status);
        }
        match &done.outcome {
            Ok(finished) => self.add_finished(finished, &done.tags.names),
            Err(fault) => {
                // Ids and numbers differ from record to record; what is between back quotes or quotes is left as it is,
                // because it names what has to be mended.
                let known = self.failed.contains_key(&fault.reason) || self.failed.len() < MOST_DISTINCT;
                let key = if known { fault.reason.clone() } else { OTHERS.to_owned() };
                *self.failed.entry(key).or_default() += 1;
                for tag in &done.tags.names {
                    count(&mut self.tag(tag).lines, Status::Failed);
                }
            }
        }
    }

    fn add_finished(&mut self, finished: &Finished, tags: &[String]) {
        let engine: &Engine = &finished.engine;
        let pointwise = engine.program.readouts.iter().any(|readout| readout.mode == Mode::Pointwise);
        let judged = &finished.judged;
        let of_candidates = finished.outcomes.pointwise.iter().zip(&judged.own).filter(|_| pointwise);
        let of_candidates =
            of_candidates.map(|(reads, own)| (reads, status(engine, reads, [judged.shared.as_slice(), own])));
        let compared = Some(&finished.outcomes.compared).filter(|reads| !reads.is_empty());
        let compared = compared.map(|reads| (reads, status(engine, reads, judged.lists())));
        for (reads, status) in of_candidates.chain(compared) {
            for read in reads {
                add_read(&mut self.readouts, engine, finished, read, MOST_DISTINCT);
            }
            for tag in tags {
                let tag = self.tag(tag);
                count(&mut tag.lines, status);
                for read in reads {
                    add_read(&mut tag.readouts, engine, finished, read, MOST_OF_A_TAG);
                }
            }
        }
        let (missing, criteria) = (&mut self.missing, &mut self.missing_criteria);
        for leaves in judged.lists() {
            for_each_missing(engine, leaves, |name, why| {
                bounded(missing, why.reason.word().to_owned());
                bounded(criteria, name);
            });
        }
    }

    fn tag(&mut self, name: &str) -> &mut TagSummary {
        let known = self.tags.contains_key(name) || self.tags.len() < MOST_OF_A_TAG;
        self.tags.entry(if known { name } else { OTHERS }.to_owned()).or_default()
    }

    /// The number of lines with a status.
    #[must_use]
    pub fn count(&self, status: Status) -> u64 {
        self.lines.get(status as usize).copied().unwrap_or(0)
    }
}

fn count(lines: &mut [u64; Status::ALL.len()], status: Status) {
    if let Some(count) = lines.get_mut(status as usize) {
        *count += 1;
    }
}

fn bounded(counts: &mut BTreeMap<String, u64>, key: String) {
    let key = if counts.contains_key(&key) || counts.len() < MOST_DISTINCT { key } else { OTHERS.to_owned() };
    *counts.entry(key).or_default() += 1;
}

fn add_read(
    readouts: &mut IndexMap<String, Distribution>,
    engine: &Engine,
    finished: &Finished,
    read: &Read,
    most: usize,
) {
    let Some(readout) = engine.readout(read) else { return };
    if !readouts.contains_key(readout.key()) {
        readouts.insert(readout.key().to_owned(), Distribution { most, ..Distribution::default() });
    }
    let Some(distribution) = readouts.get_mut(readout.key()) else { return };
    if read.reading.decided_by_bounds {
        distribution.by_bounds += 1;
    }
    let id = |place: usize| finished.candidates.get(place).cloned().flatten().unwrap_or_default();
    match &read.reading.outcome {
        Outcome::Open(_) => distribution.open += 1,
        Outcome::Abstained => distribution.abstained += 1,
        Outcome::Value(value) => distribution.add(value, &readout.ty),
        Outcome::Winner(place) => distribution.word(1, format!("{} wins", id(*place))),
        Outcome::Tie => distribution.word(0, "tie".to_owned()),
        Outcome::Ranking(ranks) => {
            let first = ranks.iter().enumerate().filter(|(_, rank)| **rank == 1).map(|(place, _)| id(place));
            distribution.word(1, format!("{} first", first.collect::<Vec<_>>().join(" and ")));
        }
    }
}

impl Distribution {
    fn add(&mut self, value: &Value, ty: &Type) {
        match value {
            Value::Number(number) => {
                self.decided += 1;
                // The mean is of the numbers as printed, so that its denominator stays small over a million records.
                self.sum = &self.sum + &number.as_judged();
                if self.lowest.as_ref().is_none_or(|lowest| number < lowest) {
                    self.lowest = Some(number.clone());
                }
                if self.highest.as_ref().is_none_or(|highest| number > highest) {
                    self.highest = Some(number.clone());
                }
                let key = self.bin(number);
                *self.numbers.entry(key).or_default() += 1;
                if self.binned.is_none() && self.numbers.len() > self.most {
                    self.begin_bins(ty);
                }
            }
            Value::Label(rank) => self.word(*rank, value.text(ty)),
            Value::Bool(b) => self.word(u32::from(*b), value.text(ty)),
            other => self.word(0, other.text(ty)),
        }
    }

    fn word(&mut self, rank: u32, word: String) {
        self.decided += 1;
        let key = (rank, word);
        let known = self.words.contains_key(&key) || self.words.len() < self.most;
        *self.words.entry(if known { key } else { (u32::MAX, OTHERS.to_owned()) }).or_default() += 1;
    }

    /// The lower end of the bin of a number; itself where there are no bins.
    fn bin(&self, number: &Number) -> Number {
        let Some((lo, width)) = &self.binned else { return number.clone() };
        let n = (number - lo).checked_div(width).map_or(Number::ZERO, |n| n.round(Rounding::Down));
        lo + &(&n * width)
    }

    fn begin_bins(&mut self, ty: &Type) {
        let interval = ty.interval().map(|(lo, hi)| (lo.clone(), hi.clone()));
        let ends = interval.or_else(|| Some((self.lowest.clone()?, self.highest.clone()?)));
        let Some((lo, hi)) = ends else { return };
        let Some(width) = (&hi - &lo).checked_div(&Number::from(self.most)) else { return };
        if !width.is_positive() {
            return;
        }
        self.binned = Some((lo, width));
        for (number, times) in std::mem::take(&mut self.numbers) {
            *self.numbers.entry(self.bin(&number)).or_default() += times;
        }
    }

    /// Lowest, lower quartile, median, upper quartile, highest, mean, as texts; `None` where there are no numbers. A
    /// quartile is the smallest number that at least such a share of the numbers do not exceed.
    #[must_use]
    pub fn numbers(&self) -> Option<[String; 6]> {
        let total: u64 = self.numbers.values().sum();
        let quantile = |quarter: u64| {
            let mut seen = 0;
            let at = self.numbers.iter().find(|(_, times)| {
                seen += **times;
                seen * 4 >= total * quarter
            });
            let about = if self.binned.is_some() { "~" } else { "" };
            at.map_or(String::new(), |(number, _)| format!("{about}{}", short(number)))
        };
        let mean = self.sum.checked_div(&Number::from(usize::try_from(total).unwrap_or(usize::MAX)))?;
        let (lowest, highest) = (self.lowest.as_ref()?, self.highest.as_ref()?);
        Some([short(lowest), quantile(1), quantile(2), quantile(3), short(highest), short(&mean)])
    }
}

/// A number at four places.
fn short(number: &Number) -> String {
    number.round_places(4, Rounding::HalfEven).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl Iterator<Item = Number>) -> Distribution {
        let mut distribution = Distribution { most: MOST_DISTINCT, ..Distribution::default() };
        numbers.for_each(|n| distribution.add(&Value::Number(n), &Type::UNIT));
        distribution
    }

    #[test]
    fn quartiles_of_a_few_numbers_are_exact() {
        let found = of((0..=4).map(|n| Number::ratio(n, 4).unwrap()));
        assert_eq!(found.numbers().unwrap(), ["0", "0.25", "0.5", "0.75", "1", "0.5"]);
    }

    #[test]
    fn many_numbers_fall_into_bins() {
        let found = of((0..=10_000).map(|n| Number::ratio(n, 10_000).unwrap()));
        assert!(found.numbers.len() <= MOST_DISTINCT + 1);
        let numbers = found.numbers().unwrap();
        assert_eq!((numbers[0].as_str(), numbers[4].as_str(), numbers[5].as_str()), ("0", "1", "0.5"));
        assert_eq!(numbers[2], "~0.5");
    }
}
