//! Ablation: a program beside a flat weighted mean of the same judgments and beside one holistic judgment.
//!
//! All arms are compared on the same rows, those on which every arm says something (a preference that is not decided counts as
//! wrong and stays), so that a difference is one of the arms and not of the rows; its interval is of the paired difference.

use super::cells::Tally;
use super::classes::Classes;
use super::figure::{Figure, Measured, Reckoned, Sample};
use super::flat::{self, Flat};
use super::input::labels::{Labels, Wanted, Words, encode, key};
use super::input::results::{Results, outcome, survey};
use super::input::{InputFault, Reading, Task};
use super::measure::{Given, combined};
use super::pairs::{INVALID, Pairs, TIE};
use super::points::Points;
use super::report::{Combine, LabelSource, Options};
use super::resample::measured;
use super::rows::Ready;
use crate::graph::{Mode, Program, Readout, ReadoutKind, Tie};
use crate::number::Number;
use crate::run::driver::{Driver, Prepared, Ready as Record};
use crate::types::Base;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where the holistic judgment comes from.
#[derive(Debug, Clone)]
pub enum Direct {
    /// A criterion of the program, or a name under which it is recorded beside it.
    Recorded(String),
    /// Results of another program over the same records.
    Results(PathBuf),
}

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

/// Runs over recorded judgments and compares the arms.
///
/// # Errors
/// Where something cannot be read, or there is nothing to compare.
pub fn ablate(
    mut driver: Driver,
    program: &Program,
    direct: Option<&Direct>,
    weights: &[(String, Number)],
    options: &Options,
) -> Result<Ablation, Fault> {
    let readout = choose(program, options.readout.as_deref()).map_err(Fault::Other)?;
    let flat = Flat::new(program, readout, weights).map_err(Fault::Other)?;
    let reading = Reading::new(task_of(readout).map_err(Fault::Other)?, options);
    let mut words = Words::new();
    let wanted = Wanted { readout: readout.key().to_owned(), ..options.wanted.clone() };
    let mut labels = match &options.labels {
        LabelSource::File(path) => Some(Labels::read(path, &wanted, &reading, &mut words)?),
        LabelSource::Tag(_) => None,
    };
    let holistic = match direct {
        Some(Direct::Results(path)) => Holistic::Results(results_of(path, readout.key())?),
        Some(Direct::Recorded(name)) => {
            let known = driver.programs().all().next().and_then(|engine| engine.layout.find_leaf(name));
            if known.is_none() {
                driver = driver.setting_aside(Some(name.clone()));
            }
            Holistic::Recorded(known)
        }
        None => Holistic::None,
    };
    let arms: &[Arm] =
        if direct.is_some() { &[Arm::Direct, Arm::Weighted, Arm::Graph] } else { &[Arm::Weighted, Arm::Graph] };
    let combine =
        options.combine.unwrap_or(if reading.task == Task::Points { Combine::Mean } else { Combine::Majority });
    let (mut unlabelled, mut failed, mut first_fault) = (0, 0, None);
    let mut rows: Vec<Row> = Vec::new();
    while let Some(prepared) = driver
        .next_prepared()
        .map_err(|error| Fault::Other(format!("the records cannot be read any further: {error}")))?
    {
        let ready = match prepared {
            Prepared::Ready(ready) => ready,
            Prepared::Failed(fault, _) => {
                failed += 1;
                first_fault.get_or_insert_with(|| format!("line {}: {}", fault.line, fault.reason));
                continue;
            }
        };
        let Some(said) = arms_of(&ready, program, readout, &flat, &holistic, arms) else {
            failed += 1;
            continue;
        };
        for (candidate, values) in said {
            let whose = key(&ready.record.id, candidate.as_deref());
            let given = match (&mut labels, &options.labels) {
                (Some(labels), _) => combined(labels.find(whose), combine, reading.task),
                (None, LabelSource::Tag(tag)) => {
                    let json = ready.record.tags.json.as_ref().and_then(|tags| tags.get(tag)).unwrap_or(&Json::Null);
                    let value = reading.value(json).map_err(Fault::Other)?;
                    Some(value.map_or(Given::None, |said| Given::One(encode(&said, &mut words))))
                }
                (None, LabelSource::File(_)) => Some(Given::None),
            };
            let labels = match given {
                None | Some(Given::None) => {
                    unlabelled += 1;
                    continue;
                }
                Some(Given::One(label)) => vec![label],
                Some(Given::Several(labels)) => labels,
            };
            let mut codes = Vec::with_capacity(values.len());
            for (arm, value) in arms.iter().zip(values) {
                codes.push(match value {
                    None => None,
                    Some(json) => {
                        let about = format!("record `{}`, {}: ", ready.record.id, arm.name());
                        let found = outcome(&json).and_then(|found| reading.said(readout.key(), found));
                        let found = found.map_err(|fault| Fault::Other(about + &fault))?;
                        found.ok().map(|said| encode(&said, &mut words))
                    }
                });
            }
            let pairs = reading.task == Task::Pairs;
            for label in labels {
                if !(pairs && label == u64::from(TIE) && !options.count_ties) {
                    rows.push(Row { arms: codes.clone(), label });
                }
            }
        }
    }
    if let Some((line, fault)) = driver.judgments().and_then(|file| file.faults.first()) {
        return Err(Fault::Other(format!("the judgments, line {line}: {fault}")));
    }
    let labelled = rows.len() as u64;
    let silent: Vec<u64> =
        (0..arms.len()).map(|arm| rows.iter().filter(|row| row.arms.get(arm) == Some(&None)).count() as u64).collect();
    let pairs = reading.task == Task::Pairs;
    rows.retain(|row| pairs || row.arms.iter().all(Option::is_some));
    if rows.is_empty() {
        return Err(Fault::Other(format!(
            "there is nothing to compare: {unlabelled} have no label, {failed} failed{}, and of {labelled} with a label some \
             arm says nothing",
            first_fault.map_or_else(String::new, |fault| format!(" (the first: {fault})")),
        )));
    }
    let sample = Arms::new(arms.len(), &rows, reading.task, &words, options.positive.as_deref());
    let all = measured(&sample, options.plan);
    let width = sample.width();
    let mut lists = all.chunks(width).map(<[Measured]>::to_vec);
    let mut figures: Vec<(Arm, Vec<Measured>, u64)> = Vec::new();
    for (arm, silent) in arms.iter().zip(silent) {
        figures.push((*arm, lists.next().unwrap_or_default(), silent));
    }
    let differences = arms.iter().filter(|arm| **arm != Arm::Graph).map(|arm| (*arm, lists.next().unwrap_or_default()));
    let differences = differences.collect();
    let mut rule: Vec<(String, Number, bool)> =
        flat.parts.values().map(|part| (part.name.clone(), part.weight.clone(), part.inverted)).collect();
    rule.sort();
    Ok(Ablation {
        readout: readout.key().to_owned(),
        task: reading.task,
        arms: figures,
        differences,
        compared: rows.len() as u64,
        labelled,
        unlabelled,
        failed,
        first_fault,
        rule,
        left_out: flat.left_out,
    })
}

/// The readout: the one named, else the only one, else the unnamed one.
fn choose<'p>(program: &'p Program, wanted: Option<&str>) -> Result<&'p Readout, String> {
    let list = || program.readouts.iter().map(|readout| format!("`{}`", readout.key())).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        let found = program.readouts.iter().find(|readout| readout.key() == wanted);
        return found.ok_or_else(|| format!("the program has no readout `{wanted}`; it has {}", list()));
    }
    let unnamed: Vec<&Readout> = program.readouts.iter().filter(|readout| readout.name.is_none()).collect();
    match (program.readouts.as_slice(), unnamed.as_slice()) {
        ([only], _) => Ok(only),
        (_, [only]) => Ok(only),
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

/// The holistic judgment, ready to be looked up.
enum Holistic {
    None,
    Recorded(Option<crate::catalog::NodeId>),
    Results(HashMap<u128, Json>),
}

/// The readouts of another program's results.
fn results_of(path: &Path, readout: &str) -> Result<HashMap<u128, Json>, InputFault> {
    let (own, _) = survey(path, Some(readout)).or_else(|_| survey(path, None))?;
    let mut results = Results::open(path)?;
    let mut found = HashMap::new();
    while let Some(row) = results.next_row()? {
        if row.run.is_some_and(|run| run > 1) {
            let reason = "it holds several runs; name results of one, which `rubric run` writes without `--runs`";
            return Err(InputFault::new(path, Some(row.line), reason));
        }
        if let (Some(id), Some(json)) = (&row.id, row.readouts.get(&own)) {
            found.insert(key(id, row.candidate.as_deref()), json.clone());
        }
    }
    Ok(found)
}

/// What an arm says of a candidate (or, of preferences, of the record): outcomes as results have them.
type Values = Vec<Option<Json>>;

/// What every arm says; `None` where the record cannot be computed.
fn arms_of(
    ready: &Record,
    program: &Program,
    readout: &Readout,
    flat: &Flat,
    holistic: &Holistic,
    arms: &[Arm],
) -> Option<Vec<(Option<String>, Values)>> {
    let ids: Vec<&str> = ready.record.candidates.iter().map(|c| c.id.as_deref().unwrap_or("")).collect();
    let outcomes = ready.engine.outcomes(&ready.record.id, &ids, &ready.judged).ok()?;
    let means: Vec<flat::Said> =
        ready.judged.own.iter().map(|own| flat.mean(ready.judged.shared.iter().chain(own))).collect();
    let place = program.readouts.iter().position(|other| other.key() == readout.key())?;
    let json = |reads: &[crate::run::engine::Read]| {
        let read = reads.iter().find(|read| read.readout == place)?;
        Some(read.reading.outcome.json(&readout.ty, &ids))
    };
    if readout.mode == Mode::Pointwise {
        let mut out = Vec::new();
        for (at, candidate) in ready.record.candidates.iter().enumerate() {
            let values = arms.iter().map(|arm| match arm {
                Arm::Graph => json(outcomes.pointwise.get(at)?),
                Arm::Weighted => match means.get(at)? {
                    flat::Said::Mean(mean) => Some(flat::read(program, readout, mean)?.json(&readout.ty)),
                    _ => None,
                },
                Arm::Direct => direct_of(ready, holistic, at, candidate.id.as_deref()),
            });
            out.push((candidate.id.clone(), values.collect()));
        }
        return Some(out);
    }
    let graph = json(&outcomes.compared)?;
    let values = arms.iter().map(|arm| match arm {
        Arm::Graph => Some(graph.clone()),
        Arm::Weighted => {
            let scores: Option<Vec<Number>> = means
                .iter()
                .map(|said| match said {
                    flat::Said::Mean(mean) => flat::stretched(program, readout, mean),
                    _ => None,
                })
                .collect();
            let (margin, tie) = match &readout.kind {
                ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie } => (margin.clone(), tie),
                _ => (Number::ZERO, &Tie::Tie),
            };
            preferred(&scores?, &margin, tie, &ids)
        }
        Arm::Direct => match holistic {
            Holistic::Results(found) => found.get(&key(&ready.record.id, None)).cloned(),
            _ => {
                let scores: Option<Vec<Number>> = (0..ids.len())
                    .map(|at| match direct_of(ready, holistic, at, None)? {
                        Json::Number(number) => Number::from_decimal(number.as_str()).ok(),
                        Json::Bool(truth) => Some(Number::int(i64::from(truth))),
                        _ => None,
                    })
                    .collect();
                preferred(&scores?, &Number::ZERO, &Tie::Tie, &ids)
            }
        },
    });
    Some(vec![(None, values.collect())])
}

/// The candidate whose score is above all others by more than a margin. Ties that are broken by other nodes stay ties.
fn preferred(scores: &[Number], margin: &Number, tie: &Tie, ids: &[&str]) -> Option<Json> {
    let best = (0..scores.len()).max_by(|a, b| scores.get(*a).cmp(&scores.get(*b)).then(b.cmp(a)))?;
    let highest = scores.get(best)?;
    let above = |(at, score): (usize, &Number)| at == best || *highest > score + margin;
    let winner = |at: usize| Some(json!({ "winner": ids.get(at)? }));
    if scores.iter().enumerate().all(above) {
        return winner(best);
    }
    match tie {
        Tie::Abstain => None,
        Tie::First => winner(0),
        _ => Some(json!({ "tie": true })),
    }
}

/// The holistic judgment of a candidate as an outcome.
fn direct_of(ready: &Record, holistic: &Holistic, at: usize, id: Option<&str>) -> Option<Json> {
    match holistic {
        Holistic::None => None,
        Holistic::Results(found) => found.get(&key(&ready.record.id, id)).cloned(),
        Holistic::Recorded(Some(leaf)) => {
            let own = ready.judged.own.get(at)?.iter().chain(&ready.judged.shared);
            match &own.into_iter().find(|judged| judged.node == *leaf)?.leaf {
                crate::run::Leaf::Known(value) if !value.is_unknown() => {
                    let ty = &ready.engine.program.node(*leaf)?.ty;
                    Some(value.json(ty))
                }
                _ => None,
            }
        }
        Holistic::Recorded(None) => joined(ready.aside.get(at)?),
    }
}

/// Entries that were recorded beside the program as one outcome: numbers in the mean, else what all say.
fn joined(entries: &[Json]) -> Option<Json> {
    let mut values: Vec<Json> = Vec::new();
    for entry in entries {
        match entry {
            Json::Object(map) => match (map.get("value"), map.get("values")) {
                (Some(value), _) => values.push(value.clone()),
                (None, Some(Json::Array(several))) => values.extend(several.iter().cloned()),
                _ => return None,
            },
            value => values.push(value.clone()),
        }
    }
    let numbers: Option<Vec<f64>> = values.iter().map(Json::as_f64).collect();
    match (values.as_slice(), numbers) {
        ([only], _) => (!only.is_null() && *only != "unknown").then(|| only.clone()),
        (_, Some(numbers)) if !numbers.is_empty() => Some(json!(numbers.iter().sum::<f64>() / numbers.len() as f64)),
        ([first, rest @ ..], _) => rest.iter().all(|other| other == first).then(|| first.clone()),
        _ => None,
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

/// An ablation as JSON; `grammar/ablation.schema.json` is the published schema.
#[must_use]
pub fn as_json(ablation: &Ablation, options: &Options, labels: &str) -> Json {
    let arm = |(arm, figures, silent): &(Arm, Vec<Measured>, u64)| json!({ "arm": arm.word(), "silent": silent, "figures": super::json::list(figures) });
    let difference =
        |(arm, figures): &(Arm, Vec<Measured>)| json!({ "to": arm.word(), "figures": super::json::list(figures) });
    let rule: Vec<Json> = ablation
        .rule
        .iter()
        .map(|(name, weight, inverted)| {
            let mut map = Map::new();
            map.insert("criterion".to_owned(), name.as_str().into());
            map.insert("weight".to_owned(), weight.to_f64().into());
            map.insert("inverted".to_owned(), (*inverted).into());
            Json::Object(map)
        })
        .collect();
    json!({
        "format": "rubric-ablation/1",
        "readout": ablation.readout,
        "task": ablation.task.word(),
        "labels": labels,
        "bootstrap": {
            "resamples": options.plan.resamples, "seed": options.plan.seed, "confidence": options.plan.confidence,
        },
        "counts": {
            "compared": ablation.compared, "labelled": ablation.labelled, "unlabelled": ablation.unlabelled,
            "failed": ablation.failed,
        },
        "arms": ablation.arms.iter().map(arm).collect::<Vec<_>>(),
        "differences": ablation.differences.iter().map(difference).collect::<Vec<_>>(),
        "rule": rule,
        "left_out": ablation.left_out,
    })
}
