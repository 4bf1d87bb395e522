//! Joins results with labels and measures every run: figures, baselines, groups, and agreement among raters.
//!
//! Results stream: a line is joined with its label, counted, and forgotten. What is kept per record is 14 bytes that find a
//! second line of the same record, and, of several runs, each run's value to compare the runs with each other.

use super::cells::Tally;
use super::figure::{Measured, Sample};
use super::input::labels::{Label, Labels, Wanted, Words, encode, key};
use super::input::results::{ResultRow, Results, Source, outcome, sources, survey};
use super::input::{InputFault, Reading, Said, Task};
use super::pairs::{INVALID, Orders, Pairs, TIE, Verdict};
use super::raters::{Gathered, Ratings};
use super::report::{Agreement, Baseline, Combine, Counts, LabelSource, Options, OverRuns, Report, Run};
use super::resample::measured;
use super::rows::{Kinds, Ready, Rows, group_names, tag};
use crate::run::record::seen::Seen;
use crate::run::result::Status;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Measures files of results.
///
/// # Errors
/// Where a file cannot be read, or has nothing to measure.
pub fn measure(results: &[PathBuf], options: &Options) -> Result<Report, InputFault> {
    let Some(first) = results.first() else {
        return Err(InputFault::new(Path::new(""), None, "no results are named"));
    };
    let (readout, task) = survey(first, options.readout.as_deref())?;
    let results = sources(results)?;
    let reading = Reading::new(task, options);
    let task = reading.task;
    let mut words = Words::new();
    let wanted = Wanted { readout: readout.clone(), ..options.wanted.clone() };
    let labels = match &options.labels {
        LabelSource::File(path) => Some(Labels::read(path, &wanted, &reading, &mut words)?),
        LabelSource::Tag(_) => None,
    };
    let numeric = task == Task::Points;
    let combine = options.combine.unwrap_or(if numeric { Combine::Mean } else { Combine::Majority });
    let mut measuring =
        Measuring { options, readout, reading, words, labels, combine, runs: (results.len() > 1).then(HashMap::new) };
    let mut notes = Vec::new();
    let mut agreement = Vec::new();
    if let Some(labels) = measuring.labels.as_ref().filter(|labels| labels.has_several()) {
        let mut gathered = Gathered::default();
        labels.units().for_each(|unit| gathered.add(unit));
        agreement.push(measuring.agreement("annotators", gathered));
    }
    let mut runs = Vec::new();
    for (number, source) in results.iter().enumerate() {
        runs.push(measuring.run(source, number, &mut notes)?);
    }
    if let Some(of_runs) = measuring.runs.take() {
        let mut gathered = Gathered::default();
        let partly = of_runs.values().filter(|unit| unit.len() < results.len()).count();
        of_runs.into_values().for_each(|unit| gathered.add(unit.into_iter().map(|(_, value)| value).collect()));
        agreement.push(measuring.agreement("runs", gathered));
        if partly > 0 {
            notes.push(format!("{partly} are decided in some of the runs only"));
        }
    }
    let annotators = measuring.labels.as_ref().map_or(1, |labels| labels.annotators.len());
    if let Some(labels) = measuring.labels.as_ref().filter(|labels| labels.empty > 0) {
        notes.push(format!("{} lines of the labels say that there is none", labels.empty));
    }
    let Measuring { readout, .. } = measuring;
    Ok(Report {
        over_runs: over_runs(&runs),
        readout,
        task,
        runs,
        agreement,
        annotators,
        combine,
        plan: options.plan,
        notes,
    })
}

/// The mean and the sample deviation of each figure.
fn over_runs(runs: &[Run]) -> Vec<OverRuns> {
    let Some(first) = runs.first().filter(|_| runs.len() > 1) else { return Vec::new() };
    let of = |one: &Measured| {
        let same = |run: &Run| run.figures.iter().find(|other| other.figure == one.figure)?.value.ok();
        let values: Vec<f64> = runs.iter().filter_map(same).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        OverRuns {
            figure: one.figure.clone(),
            mean: if values.is_empty() { one.value } else { Ok(mean) },
            deviation: (values.len() > 1).then(|| (spread / (n - 1.0)).sqrt()),
            runs: values.len(),
        }
    };
    first.figures.iter().map(of).collect()
}

/// What is shared by the runs.
struct Measuring<'a> {
    options: &'a Options,
    readout: String,
    reading: Reading,
    words: Words,
    labels: Option<Labels>,
    combine: Combine,
    /// Per record, the run and its value.
    runs: Option<HashMap<u128, Vec<(usize, u64)>>>,
}

/// The two verdicts on a pair, as far as they are there.
#[derive(Default)]
struct Both {
    verdicts: Vec<Verdict>,
    lines: u32,
}

impl Measuring<'_> {
    fn run(&mut self, source: &Source, number: usize, notes: &mut Vec<String>) -> Result<Run, InputFault> {
        let path = source.path.as_path();
        let mut results = Results::of(source)?;
        let mut counts = Counts::default();
        let mut seen = Seen::new();
        let mut rows = Rows::new(self.reading.task);
        let mut first_shown = Tally::default();
        let mut groups: Vec<(BTreeMap<String, Rows>, u64)> =
            self.options.groups.iter().map(|_| (BTreeMap::new(), 0)).collect();
        let mut orders: HashMap<u128, Both> = HashMap::new();
        while let Some(row) = results.next_row()? {
            let at = |reason: String| InputFault::new(path, Some(row.line), reason);
            let json = row.readouts.get(&self.readout);
            if json.is_none() && row.status != Status::Failed {
                continue;
            }
            let id = row.id.clone().unwrap_or_default();
            let whose = key(&id, row.candidate.as_deref());
            if row.id.is_some() && !seen.insert(&format!("{whose:x}")) {
                let what = row.candidate.as_ref().map_or(String::new(), |c| format!(", candidate `{c}`,"));
                return Err(at(format!(
                    "record `{id}`{what} stands in the file twice; several runs are several files, or name their `run`"
                )));
            }
            counts.lines += 1;
            let found = match json {
                Some(json) => self.reading.said(&self.readout, outcome(json).map_err(at)?).map_err(at)?,
                None => Err(Status::Failed),
            };
            let code = match &found {
                Ok(said) => Some(encode(said, &mut self.words)),
                Err(_) => None,
            };
            if let (Some(code), Some(runs)) = (code, &mut self.runs) {
                runs.entry(whose).or_default().push((number, code));
            }
            let first = match &self.options.orders {
                None => None,
                Some((pair, first)) => {
                    let first = tag(&row, first).map(|first| encode(&Said::Word(first), &mut self.words));
                    if let (Some(pair), Some(first)) = (tag(&row, pair), first) {
                        let both = orders.entry(key(&pair, None)).or_default();
                        both.lines += 1;
                        if both.lines > 2 {
                            return Err(at(format!("the pair `{pair}` stands in the file more than twice")));
                        }
                        let small = |code: u64| u32::try_from(code).unwrap_or(INVALID);
                        if let Some(code) = code {
                            both.verdicts.push(Verdict { winner: small(code), first: small(first) });
                        }
                    }
                    first
                }
            };
            match found {
                Err(Status::Failed) => counts.failed += 1,
                Err(Status::Abstained) => counts.abstained += 1,
                Err(_) => counts.open += 1,
                Ok(_) => {}
            }
            let label = self.label(&row, whose, &mut counts).map_err(at)?;
            let labels = match label {
                Given::None => continue,
                Given::One(label) => [label].into(),
                Given::Several(labels) => labels,
            };
            for label in labels {
                let pairs = self.reading.task == Task::Pairs;
                if pairs && label == u64::from(TIE) && !self.options.count_ties {
                    counts.tied_labels += 1;
                    continue;
                }
                let Some(result) = code.or(pairs.then_some(u64::from(INVALID))) else { continue };
                counts.compared += 1;
                rows.add(result, label);
                if let (Some(first), Rows::Words(_)) = (first, &rows) {
                    let small = |code: u64| u32::try_from(code).unwrap_or(INVALID);
                    first_shown.add([small(first), small(label)]);
                }
                for (field, (groups, without)) in self.options.groups.iter().zip(&mut groups) {
                    let names = group_names(&row, field);
                    *without += u64::from(names.is_empty());
                    for name in names {
                        groups.entry(name).or_insert_with(|| Rows::new(self.reading.task)).add(result, label);
                    }
                }
            }
        }
        if let Some(labels) = &mut self.labels {
            counts.unused_labels = labels.take_unused();
        }
        self.finish(source, counts, rows, first_shown, groups, orders, notes)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one run, taken apart once")]
    fn finish(
        &self,
        source: &Source,
        counts: Counts,
        rows: Rows,
        first_shown: Tally<[u32; 2]>,
        groups: Vec<(BTreeMap<String, Rows>, u64)>,
        orders: HashMap<u128, Both>,
        notes: &mut Vec<String>,
    ) -> Result<Run, InputFault> {
        let plan = self.options.plan;
        if counts.compared == 0 {
            let why = if counts.unlabelled == counts.lines {
                match &self.options.labels {
                    LabelSource::File(_) => {
                        "none of its records has a label; are the ids (and candidates) the same?".to_owned()
                    }
                    LabelSource::Tag(tag) => {
                        format!("none of its records has the tag `{tag}`, and there is no such file")
                    }
                }
            } else {
                "none of its labelled records is decided".to_owned()
            };
            return Err(InputFault::new(&source.path, None, why));
        }
        let kinds = self.kinds();
        let ready = kinds.ready(rows);
        let mut baselines = kinds.baselines(&ready);
        if first_shown.total() > 0 && self.reading.task == Task::Pairs {
            let sample = Pairs::new(first_shown);
            baselines.push(Baseline {
                key: "constant",
                says: "whatever is shown first".to_owned(),
                why: "always the first",
                values: sample.reckon(sample.counts()),
            });
        } else {
            baselines.extend(kinds.first_by_id(&ready));
        }
        let grouped = self.options.groups.iter().zip(groups);
        let grouped = grouped.map(|(field, (groups, without))| kinds.grouped(field, groups, without)).collect();
        let orders = self.options.orders.as_ref().map(|_| {
            let all = orders.len() as u64;
            let whole = orders.into_values().filter_map(|both| <[Verdict; 2]>::try_from(both.verdicts).ok());
            let sample = Orders::new(whole);
            let used: u64 = sample.counts().iter().map(|n| u64::from(*n)).sum();
            (used, all - used, measured(&sample, plan))
        });
        if let Ready::Pairs(pairs) = &ready {
            let known = pairs.labels().iter().any(|(label, _)| pairs.says(*label));
            if !known {
                notes.push(format!(
                    "`{source}`: no label names a candidate that any result prefers; are labels the candidates' ids?"
                ));
            }
        }
        Ok(Run {
            source: source.clone(),
            counts,
            figures: measured(ready.sample(), plan),
            baselines,
            confusion: kinds.confusion(&ready),
            groups: grouped,
            orders,
        })
    }

    /// The label of a result, from the file or out of its tags.
    fn label(&mut self, row: &ResultRow, whose: u128, counts: &mut Counts) -> Result<Given, String> {
        let given = match (&mut self.labels, &self.options.labels) {
            (Some(labels), _) => {
                let found = labels.find(whose);
                combined(found, self.combine, self.reading.task)
            }
            (None, LabelSource::Tag(name)) => {
                let json = row.tags.as_ref().and_then(|tags| tags.get(name)).unwrap_or(&Json::Null);
                match self.reading.value(json)? {
                    None => Some(Given::None),
                    Some(said) => Some(Given::One(encode(&said, &mut self.words))),
                }
            }
            (None, LabelSource::File(_)) => Some(Given::None),
        };
        match given {
            Some(Given::None) => counts.unlabelled += 1,
            None => counts.undecided_labels += 1,
            Some(_) => {}
        }
        Ok(given.unwrap_or(Given::None))
    }

    fn kinds(&self) -> Kinds<'_> {
        let options = self.options;
        Kinds { reading: &self.reading, words: &self.words, positive: options.positive.as_deref(), plan: options.plan }
    }

    fn agreement(&self, of: &'static str, gathered: Gathered) -> Agreement {
        let ratings: Ratings = gathered.finish(self.reading.task == Task::Points);
        let figures = measured(&ratings, self.options.plan);
        Agreement { of, units: ratings.units(), complete: ratings.complete(), raters: ratings.raters(), figures }
    }
}

/// The labels that a row is compared with.
pub(crate) enum Given {
    None,
    One(u64),
    Several(Vec<u64>),
}

/// One label of several annotators'. `None`: they have no majority.
pub(crate) fn combined(labels: &[Label], combine: Combine, task: Task) -> Option<Given> {
    let number = |label: &Label| f64::from_bits(label.value);
    let numeric = task == Task::Points;
    Some(match labels {
        [] => Given::None,
        [only] => Given::One(only.value),
        several => match combine {
            Combine::Each => Given::Several(several.iter().map(|label| label.value).collect()),
            Combine::Mean if numeric => {
                let mean = several.iter().map(number).sum::<f64>() / several.len() as f64;
                Given::One(super::points::at_twelve(mean).to_bits())
            }
            Combine::Median if numeric => {
                let mut values: Vec<f64> = several.iter().map(number).collect();
                values.sort_unstable_by(f64::total_cmp);
                let (low, high) = (values.get((values.len() - 1) / 2)?, values.get(values.len() / 2)?);
                Given::One(super::points::at_twelve((low + high) / 2.0).to_bits())
            }
            _ => {
                let mut values: Vec<u64> = several.iter().map(|label| label.value).collect();
                values.sort_unstable();
                let most = values.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
                (most.len() * 2 > values.len()).then(|| most.first().copied()).flatten().map(Given::One)?
            }
        },
    })
}
