//! Ablation: a program beside a flat weighted mean of the same judgments and beside one holistic judgment.
//!
//! All arms are compared on the same rows, those on which every arm says something (a preference that is not decided counts as
//! wrong and stays), so that a difference is one of the arms and not of the rows; its interval is of the paired difference.
//! Whoever runs the records hands them over one by one ([`Ablator::add`]), judged by whomever; [`arms`] is what each arm says of one.

mod arms;
mod json;

pub use arms::{Holistic, Other, of_results};
pub use json::as_json;

use super::cells::Tally;
use super::classes::Classes;
use super::figure::{Figure, Measured, Reckoned, Sample};
use super::flat::Flat;
use super::input::labels::{Labels, Wanted, Words, encode, key};
use super::input::results::outcome;
use super::input::{InputFault, Reading, Task};
use super::measure::{Given, combined};
use super::pairs::{INVALID, Pairs, TIE};
use super::points::Points;
use super::report::{Combine, LabelSource, Options};
use super::resample::measured;
use super::rows::Ready;
use crate::graph::{Mode, Program, Readout, ReadoutKind};
use crate::number::Number;
use crate::run::driver::Done;
use crate::run::record::RecordFault;
use crate::types::Base;
use serde_json::Value as Json;
use std::sync::Arc;

/// The arms, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    Direct,
    Weighted,
    Graph,
}

impl Arm {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Arm::Direct => "direct",
            Arm::Weighted => "weighted",
            Arm::Graph => "graph",
        }
    }

    /// As people read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arm::Direct => "Direct",
            Arm::Weighted => "Weighted",
            Arm::Graph => "Graph",
        }
    }
}

/// What an ablation comes to.
#[derive(Debug)]
pub struct Ablation {
    pub readout: String,
    pub task: Task,
    /// Each arm, its figures, and on how many labelled rows it says nothing.
    pub arms: Vec<(Arm, Vec<Measured>, u64)>,
    /// Of the graph to each other arm: the figure of the graph less that of the arm.
    pub differences: Vec<(Arm, Vec<Measured>)>,
    pub compared: u64,
    pub labelled: u64,
    pub unlabelled: u64,
    pub failed: u64,
    /// Why the first record failed.
    pub first_fault: Option<String>,
    /// The flat rule: criterion, weight, whether it counts the other way round.
    pub rule: Vec<(String, Number, bool)>,
    pub left_out: Vec<String>,
}

/// Why there is no ablation.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    Input(#[from] InputFault),
    #[error("{0}")]
    Other(String),
}

/// One row: what each arm says (a missing one is `None`), and the label.
struct Row {
    arms: Vec<Option<u64>>,
    label: u64,
}

/// An ablation under way.
pub struct Ablator {
    program: Arc<Program>,
    /// The place of the readout that is measured.
    readout: usize,
    flat: Flat,
    holistic: Holistic,
    arms: &'static [Arm],
    options: Options,
    reading: Reading,
    combine: Combine,
    words: Words,
    labels: Option<Labels>,
    rows: Vec<Row>,
    unlabelled: u64,
    failed: u64,
    first_fault: Option<String>,
}

impl Ablator {
    /// Everything is ready to take records of this program. `weights` are those of [`Flat::new`].
    ///
    /// # Errors
    /// Where the labels cannot be read, it is not clear which readout is meant, or it is not one that is measured.
    pub fn new(
        program: &Arc<Program>,
        holistic: Holistic,
        weights: &[(String, Number)],
        options: Options,
    ) -> Result<Ablator, Fault> {
        let at = choose(program, options.readout.as_deref()).map_err(Fault::Other)?;
        let readout = program.readouts.get(at).ok_or_else(|| Fault::Other("the program has no readout".to_owned()))?;
        let flat = Flat::new(program, readout, weights).map_err(Fault::Other)?;
        let reading = Reading::new(task_of(readout).map_err(Fault::Other)?, &options);
        let mut words = Words::new();
        let wanted = Wanted { readout: readout.key().to_owned(), ..options.wanted.clone() };
        let labels = match &options.labels {
            LabelSource::File(path) => Some(Labels::read(path, &wanted, &reading, &mut words)?),
            LabelSource::Tag(_) => None,
        };
        let arms: &[Arm] = match holistic {
            Holistic::None => &[Arm::Weighted, Arm::Graph],
            _ => &[Arm::Direct, Arm::Weighted, Arm::Graph],
        };
        let usual = if reading.task == Task::Points { Combine::Mean } else { Combine::Majority };
        Ok(Ablator {
            program: Arc::clone(program),
            readout: at,
            flat,
            holistic,
            arms,
            combine: options.combine.unwrap_or(usual),
            options,
            reading,
            words,
            labels,
            rows: Vec::new(),
            unlabelled: 0,
            failed: 0,
            first_fault: None,
        })
    }

    fn fail(&mut self, fault: &RecordFault) {
        self.failed += 1;
        self.first_fault.get_or_insert_with(|| format!("line {}: {}", fault.line, fault.reason));
    }

    /// Takes a record that was run.
    ///
    /// # Errors
    /// Where its label, or what an arm says, is none of what the readout says.
    pub fn add(&mut self, done: &Done) -> Result<(), Fault> {
        let finished = match &done.outcome {
            Ok(finished) => finished,
            Err(fault) => {
                self.fail(fault);
                return Ok(());
            }
        };
        let id = done.id.as_deref().unwrap_or("");
        let program = Arc::clone(&self.program);
        let Some(readout) = program.readouts.get(self.readout) else { return Ok(()) };
        let said = arms::said(id, finished, (&program, self.readout), &self.flat, &self.holistic, self.arms);
        for (candidate, values) in said {
            let whose = key(id, candidate.as_deref());
            let task = self.reading.task;
            let given = match (&mut self.labels, &self.options.labels) {
                (Some(labels), _) => combined(labels.find(whose), self.combine, task),
                (None, LabelSource::Tag(tag)) => {
                    let json = done.tags.json.as_ref().and_then(|tags| tags.get(tag)).unwrap_or(&Json::Null);
                    let value = self.reading.value(json).map_err(Fault::Other)?;
                    Some(value.map_or(Given::None, |said| Given::One(encode(&said, &mut self.words))))
                }
                (None, LabelSource::File(_)) => Some(Given::None),
            };
            let labels = match given {
                None | Some(Given::None) => {
                    self.unlabelled += 1;
                    continue;
                }
                Some(Given::One(label)) => vec![label],
                Some(Given::Several(labels)) => labels,
            };
            let mut codes = Vec::with_capacity(values.len());
            for (arm, value) in self.arms.iter().zip(values) {
                codes.push(match value {
                    None => None,
                    Some(json) => {
                        let about = format!("record `{id}`, {}: ", arm.name());
                        let found = outcome(&json).and_then(|found| self.reading.said(readout.key(), found));
                        let found = found.map_err(|fault| Fault::Other(about + &fault))?;
                        found.ok().map(|said| encode(&said, &mut self.words))
                    }
                });
            }
            for label in labels {
                if !(task == Task::Pairs && label == u64::from(TIE) && !self.options.count_ties) {
                    self.rows.push(Row { arms: codes.clone(), label });
                }
            }
        }
        Ok(())
    }

    /// Compares the arms.
    ///
    /// # Errors
    /// Where there is nothing to compare.
    pub fn finish(mut self) -> Result<Ablation, Fault> {
        let labelled = self.rows.len() as u64;
        let silent = |arm: usize| self.rows.iter().filter(|row| row.arms.get(arm) == Some(&None)).count() as u64;
        let silent: Vec<u64> = (0..self.arms.len()).map(silent).collect();
        let pairs = self.reading.task == Task::Pairs;
        self.rows.retain(|row| pairs || row.arms.iter().all(Option::is_some));
        if self.rows.is_empty() {
            return Err(Fault::Other(self.nothing(labelled)));
        }
        let positive = self.options.positive.as_deref();
        let sample = Arms::new(self.arms.len(), &self.rows, self.reading.task, &self.words, positive);
        let all = measured(&sample, self.options.plan);
        let width = sample.width();
        let mut lists = all.chunks(width).map(<[Measured]>::to_vec);
        let mut figures: Vec<(Arm, Vec<Measured>, u64)> = Vec::new();
        for (arm, silent) in self.arms.iter().zip(silent) {
            figures.push((*arm, lists.next().unwrap_or_default(), silent));
        }
        let others = self.arms.iter().filter(|arm| **arm != Arm::Graph);
        let differences = others.map(|arm| (*arm, lists.next().unwrap_or_default())).collect();
        let mut rule: Vec<(String, Number, bool)> =
            self.flat.parts.values().map(|part| (part.name.clone(), part.weight.clone(), part.inverted)).collect();
        rule.sort();
        Ok(Ablation {
            readout: self.program.readouts.get(self.readout).map_or("", Readout::key).to_owned(),
            task: self.reading.task,
            arms: figures,
            differences,
            compared: self.rows.len() as u64,
            labelled,
            unlabelled: self.unlabelled,
            failed: self.failed,
            first_fault: self.first_fault,
            rule,
            left_out: self.flat.left_out,
        })
    }

    fn nothing(&self, labelled: u64) -> String {
        let first = self.first_fault.as_ref().map_or_else(String::new, |fault| format!(" (the first: {fault})"));
        let (unlabelled, failed) = (self.unlabelled, self.failed);
        format!(
            "there is nothing to compare: {unlabelled} have no label, {failed} failed{first}, and of {labelled} with a label \
             some arm says nothing"
        )
    }
}

/// The readout that is measured: the one named, else the only one, else the unnamed one.
///
/// # Errors
/// A sentence: there is no such readout, or it is not clear which is meant.
pub fn chosen<'p>(program: &'p Program, wanted: Option<&str>) -> Result<&'p Readout, String> {
    let at = choose(program, wanted)?;
    program.readouts.get(at).ok_or_else(|| "the program has no readout".to_owned())
}

fn choose(program: &Program, wanted: Option<&str>) -> Result<usize, String> {
    let list = || program.readouts.iter().map(|readout| format!("`{}`", readout.key())).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        let found = program.readouts.iter().position(|readout| readout.key() == wanted);
        return found.ok_or_else(|| format!("the program has no readout `{wanted}`; it has {}", list()));
    }
    let places = program.readouts.iter().enumerate();
    let unnamed: Vec<usize> = places.filter_map(|(at, readout)| readout.name.is_none().then_some(at)).collect();
    match (program.readouts.as_slice(), unnamed.as_slice()) {
        ([_], _) => Ok(0),
        (_, [only]) => Ok(*only),
        _ => Err(format!("the program has several readouts: {}; choose one with `--readout`", list())),
    }
}

fn task_of(readout: &Readout) -> Result<Task, String> {
    match (readout.mode, &readout.kind, &readout.ty.base) {
        (_, ReadoutKind::Ranking { .. }, _) => Err(format!("`{}` is a ranking, which is not measured", readout.key())),
        (Mode::Pairwise | Mode::Listwise, ..) => Ok(Task::Pairs),
        (Mode::Pointwise, _, Base::Bool) => Ok(Task::Truth),
        (Mode::Pointwise, _, Base::Int { .. } | Base::Score { .. }) => Ok(Task::Points),
        (Mode::Pointwise, _, Base::Ordinal(_) | Base::Choice(_)) => Ok(Task::Classes),
        _ => Err(format!("`{}` yields {}, which is not measured", readout.key(), readout.ty)),
    }
}

/// All arms over the same rows: their figures one after another, then the differences to the last one.
struct Arms {
    arms: Vec<Ready>,
    counts: Vec<u32>,
}

impl Arms {
    fn new(arms: usize, rows: &[Row], task: Task, words: &Words, positive: Option<&str>) -> Arms {
        // Rows that are alike are one; three arms at the most, and the label.
        let mut tally: Tally<[u64; 4]> = Tally::default();
        for row in rows {
            let at = |arm: usize| row.arms.get(arm).copied().flatten().unwrap_or(u64::from(INVALID));
            tally.add([at(0), at(1), at(2), row.label]);
        }
        let (distinct, counts) = tally.finish();
        let small = |code: u64| u32::try_from(code).unwrap_or(INVALID);
        let arm = |arm: usize| {
            let value = |row: &[u64; 4]| row.get(arm).copied().unwrap_or(0);
            let label = |[.., label]: &[u64; 4]| *label;
            let counts = counts.clone();
            if task == Task::Points {
                let numbers = distinct.iter().map(|row| [f64::from_bits(value(row)), f64::from_bits(label(row))]);
                return Ready::Points(Points::of_rows(numbers, counts));
            }
            let codes = distinct.iter().map(|row| [small(value(row)), small(label(row))]).collect();
            if task == Task::Pairs {
                return Ready::Pairs(Pairs::of_rows(codes, counts));
            }
            Ready::Classes(Classes::of_rows(words.iter().cloned().collect(), positive, codes, counts))
        };
        Arms { arms: (0..arms).map(arm).collect(), counts }
    }

    /// How many figures an arm has.
    fn width(&self) -> usize {
        self.arms.first().map_or(1, |arm| arm.sample().figures().len().max(1))
    }
}

impl Sample for Arms {
    fn figures(&self) -> Vec<Figure> {
        let one = self.arms.first().map_or_else(Vec::new, |arm| arm.sample().figures());
        let lists = 2 * self.arms.len() - 1;
        std::iter::repeat_n(one, lists).flatten().collect()
    }

    fn counts(&self) -> &[u32] {
        &self.counts
    }

    fn reckon(&self, counts: &[u32]) -> Vec<Reckoned> {
        let each: Vec<Vec<Reckoned>> = self.arms.iter().map(|arm| arm.sample().reckon(counts)).collect();
        let Some((graph, others)) = each.split_last() else { return Vec::new() };
        let less = |(of_graph, of_other): (&Reckoned, &Reckoned)| Ok((*of_graph)? - (*of_other)?);
        let differences: Vec<Reckoned> = others.iter().flat_map(|other| graph.iter().zip(other).map(less)).collect();
        each.iter().flatten().copied().chain(differences).collect()
    }
}
