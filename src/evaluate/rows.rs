//! Rows of a run or of a group of it, once they are gathered: their figures, what a constant answer would have reached on
//! their labels, and the figures of groups.

use super::cells::Tally;
use super::classes::Classes;
use super::figure::{Figure, Reckoned, Sample, Undefined};
use super::input::labels::Words;
use super::input::results::ResultRow;
use super::input::{Reading, Task};
use super::pairs::{INVALID, Pairs};
use super::points::Points;
use super::report::{Averaged, Baseline, Confusion, Group, Grouped};
use super::resample::{Plan, measured};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Confusion matrices of more values are left out.
const MOST_VALUES: usize = 20;

/// Rows of one run, or of one group of it.
pub(super) enum Rows {
    Numbers(Tally<[f64; 2]>),
    Words(Tally<[u32; 2]>),
}

impl Rows {
    pub fn new(task: Task) -> Rows {
        if task == Task::Points { Rows::Numbers(Tally::default()) } else { Rows::Words(Tally::default()) }
    }

    pub fn add(&mut self, result: u64, label: u64) {
        match self {
            Rows::Numbers(tally) => tally.add([f64::from_bits(result), f64::from_bits(label)]),
            Rows::Words(tally) => {
                tally.add([u32::try_from(result).unwrap_or(INVALID), u32::try_from(label).unwrap_or(INVALID)]);
            }
        }
    }
}

/// Rows ready to be measured.
pub(super) enum Ready {
    Points(Points),
    Classes(Classes),
    Pairs(Pairs),
}

impl Ready {
    pub fn sample(&self) -> &dyn Sample {
        match self {
            Ready::Points(sample) => sample,
            Ready::Classes(sample) => sample,
            Ready::Pairs(sample) => sample,
        }
    }
}

/// What rows mean.
#[derive(Clone, Copy)]
pub(super) struct Kinds<'a> {
    pub reading: &'a Reading,
    pub words: &'a Words,
    pub positive: Option<&'a str>,
    pub plan: Plan,
}

impl Kinds<'_> {
    pub fn ready(&self, rows: Rows) -> Ready {
        match rows {
            Rows::Numbers(tally) => Ready::Points(Points::new(tally)),
            Rows::Words(tally) if self.reading.task == Task::Pairs => Ready::Pairs(Pairs::new(tally)),
            Rows::Words(tally) => {
                let names = self.words.iter().cloned().collect();
                Ready::Classes(Classes::new(names, self.positive, tally))
            }
        }
    }

    pub fn baselines(&self, ready: &Ready) -> Vec<Baseline> {
        let majority =
            |says: String, values| Baseline { key: "majority", says, why: "the most frequent label", values };
        let mut baselines = Vec::new();
        match ready {
            Ready::Points(points) => {
                let labels = points.labels();
                let total: u64 = labels.iter().map(|(_, n)| n).sum();
                // Of several as frequent, the lowest.
                let mode = labels.iter().rev().max_by_key(|(_, n)| *n);
                let mut below = 0;
                let median = labels.iter().find(|(_, n)| {
                    below += n;
                    below * 2 >= total
                });
                baselines.extend(mode.map(|(value, _)| majority(self.reading.told(*value), points.constant(*value))));
                baselines.extend(median.map(|(value, _)| Baseline {
                    key: "constant",
                    says: self.reading.told(*value),
                    why: "the median label",
                    values: points.constant(*value),
                }));
            }
            Ready::Classes(classes) => {
                let labels = classes.labels();
                let mode = labels.iter().rev().max_by_key(|(_, n)| *n);
                let constant = |word: &str| classes.constant(word);
                baselines.extend(mode.and_then(|(word, _)| Some(majority((*word).to_owned(), constant(word)?))));
                baselines.extend(classes.positive().and_then(|word| {
                    let values = constant(word)?;
                    Some(Baseline { key: "constant", says: word.to_owned(), why: "always the positive class", values })
                }));
            }
            Ready::Pairs(pairs) => {
                let labels = pairs.labels();
                let mode = labels.iter().filter(|(label, _)| *label < INVALID).rev().max_by_key(|(_, n)| *n);
                let word = |label: u32| self.words.get_index(label as usize).cloned().unwrap_or_default();
                baselines.extend(mode.map(|(label, _)| majority(word(*label), pairs.constant(*label))));
            }
        }
        baselines
    }

    /// How often each result came for each label; `None` where there are too many values, or they are preferences.
    pub fn confusion(&self, ready: &Ready) -> Option<Confusion> {
        match ready {
            Ready::Points(points) => {
                let (values, rows) = points.confusion(MOST_VALUES)?;
                Some(Confusion { values: values.iter().map(|value| self.reading.told(*value)).collect(), rows })
            }
            Ready::Classes(classes) => {
                let (names, rows) = classes.confusion();
                let values: Vec<String> = names.into_iter().map(str::to_owned).collect();
                (values.len() <= MOST_VALUES).then_some(Confusion { values, rows })
            }
            Ready::Pairs(_) => None,
        }
    }

    /// What the one candidate would have reached whose id sorts before all others: of pairs of which it is not known what was shown
    /// first, a constant that is chosen without a look at the labels. `None` where no candidate is named.
    pub fn first_by_id(&self, ready: &Ready) -> Option<Baseline> {
        let Ready::Pairs(pairs) = ready else { return None };
        let word = |code: u32| Some((self.words.get_index(code as usize)?.as_str(), code));
        let (says, code) = pairs.candidates().filter(|code| *code < INVALID).filter_map(word).min()?;
        let why = "the candidate whose id comes first";
        Some(Baseline { key: "constant", says: says.to_owned(), why, values: pairs.constant(code) })
    }

    pub fn grouped(&self, field: &str, groups: BTreeMap<String, Rows>, without: u64) -> Grouped {
        let mut means = Vec::new();
        let mut figures = Vec::new();
        let mut all = Vec::with_capacity(groups.len());
        for (name, rows) in groups {
            let ready = self.ready(rows);
            let sample = ready.sample();
            figures = sample.figures();
            means.extend(match &ready {
                Ready::Points(points) => points.means(),
                Ready::Classes(classes) => classes.shares(),
                Ready::Pairs(_) => None,
            });
            let rows = sample.counts().iter().map(|n| u64::from(*n)).sum();
            all.push(Group { name, rows, values: sample.reckon(sample.counts()) });
        }
        let averages = Averages { figures, groups: &all, counts: vec![1; all.len()] };
        let within = measured(&averages, self.plan);
        let within = within.into_iter().enumerate().map(|(at, measured)| {
            let defined = all.iter().filter(|group| group.values.get(at).is_some_and(Result::is_ok)).count() as u64;
            Averaged { measured, groups: defined, skipped: all.len() as u64 - defined }
        });
        let within = within.collect();
        let mut between = Vec::new();
        if self.reading.task == Task::Points || !means.is_empty() {
            let sample = Points::of_rows(means.iter().copied(), vec![1; means.len()]);
            between = measured(&sample, self.plan);
            between.retain(|one| matches!(one.figure.key, "pearson" | "spearman" | "kendall"));
            if means.len() < 2 {
                for one in &mut between {
                    (one.value, one.interval) = (Err(Undefined::TooFewGroups), None);
                }
            }
        }
        Grouped { field: field.to_owned(), groups: all, without, within, between }
    }
}

/// Groups' figures, averaged over the groups in which they are defined.
struct Averages<'a> {
    figures: Vec<Figure>,
    groups: &'a [Group],
    counts: Vec<u32>,
}

impl Sample for Averages<'_> {
    fn figures(&self) -> Vec<Figure> {
        self.figures.clone()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let of = |figure: usize| {
            let (mut sum, mut total) = (0.0, 0.0);
            let mut why = Undefined::NoRows;
            for (group, count) in self.groups.iter().zip(counts).filter(|(_, count)| **count > 0) {
                match group.values.get(figure) {
                    Some(Ok(value)) => {
                        sum += value * f64::from(*count);
                        total += f64::from(*count);
                    }
                    Some(Err(reason)) => why = *reason,
                    None => {}
                }
            }
            if total > 0.0 { Ok(sum / total) } else { Err(why) }
        };
        (0..self.figures.len()).map(of).collect()
    }
}

/// A tag of a result, as text.
pub(super) fn tag(row: &ResultRow, name: &str) -> Option<String> {
    match row.tags.as_ref()?.get(name)? {
        Json::String(text) => Some(text.clone()),
        Json::Null => None,
        other => Some(other.to_string()),
    }
}

/// The groups of a field that a result belongs to: a list of tags is several.
pub(super) fn group_names(row: &ResultRow, field: &str) -> Vec<String> {
    let text = |json: &Json| match json {
        Json::String(text) => Some(text.clone()),
        Json::Null => None,
        other => Some(other.to_string()),
    };
    let own = match field {
        "id" => row.id.clone(),
        "candidate" => row.candidate.clone(),
        _ => None,
    };
    if own.is_some() {
        return own.into_iter().collect();
    }
    let tags = row.tags.as_ref();
    let value = match tags {
        Some(Json::Array(_)) if field == "tags" => tags,
        tags => tags.and_then(|tags| tags.get(field)),
    };
    match value {
        Some(Json::Array(list)) => list.iter().filter_map(text).collect(),
        Some(json) => text(json).into_iter().collect(),
        None => Vec::new(),
    }
}
