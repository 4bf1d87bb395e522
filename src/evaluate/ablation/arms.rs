//! What each arm of an ablation says of a record: the graph's readout, the flat rule's, and one holistic judgment.
//!
//! The flat rule goes through the same readout as the graph. Direct is a criterion, a judgment recorded beside the program, or what
//! another program says of the same record ([`of_results`], [`Other`]). An arm says nothing where what it needs is missing.

use super::super::flat::{self, Flat};
use super::super::input::InputFault;
use super::super::input::labels::key;
use super::super::input::results::{Results, survey};
use super::Arm;
use crate::catalog::NodeId;
use crate::graph::{Mode, Program, Readout, ReadoutKind, Tie};
use crate::number::Number;
use crate::run::Leaf;
use crate::run::driver::{Done, Finished};
use crate::run::engine::Read;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::path::Path;

/// Where the holistic judgment comes from.
pub enum Holistic {
    /// There is none.
    None,
    /// A criterion of the program.
    Criterion(NodeId),
    /// What is recorded beside the program, under a name that the driver sets aside.
    Aside,
    /// What another program says, by [`key`].
    Results(HashMap<u128, Json>),
}

/// The readouts of another program's results; of several the one of this name is taken.
///
/// # Errors
/// Where they cannot be read, hold several runs, or it is not clear which readout is meant.
pub fn of_results(path: &Path, readout: &str) -> Result<HashMap<u128, Json>, InputFault> {
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

/// The readouts of another program that is run over the same records.
pub struct Other {
    /// The place of its readout.
    readout: usize,
    found: HashMap<u128, Json>,
}

impl Other {
    /// `wanted`: the readout of the program that is measured; the other has one of the same name, or one alone of the same mode.
    ///
    /// # Errors
    /// A sentence: it has no such readout.
    pub fn new(program: &Program, wanted: &Readout) -> Result<Other, String> {
        let places = || program.readouts.iter().enumerate();
        let same = |mode: Mode| (mode == Mode::Pointwise) == (wanted.mode == Mode::Pointwise);
        let of_mode: Vec<usize> = places().filter_map(|(at, readout)| same(readout.mode).then_some(at)).collect();
        let named = places().find(|(_, readout)| readout.key() == wanted.key()).map(|(at, _)| at);
        let readout = match (named, of_mode.as_slice()) {
            (Some(at), _) => at,
            (None, [at]) => *at,
            (None, several) => {
                let how = if several.is_empty() { "none" } else { "several" };
                let key = wanted.key();
                return Err(format!("`{}` has no readout `{key}`, and {how} of its kind", program.name));
            }
        };
        Ok(Other { readout, found: HashMap::new() })
    }

    /// The readout that is taken, of the program that it was made of.
    #[must_use]
    pub fn readout<'p>(&self, program: &'p Program) -> Option<&'p Readout> {
        program.readouts.get(self.readout)
    }

    /// Takes a record that was run; of one that failed nothing is known.
    pub fn add(&mut self, done: &Done) {
        let Ok(finished) = &done.outcome else { return };
        let id = done.id.as_deref().unwrap_or("");
        let ids: Vec<&str> = finished.candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
        let Some(readout) = finished.engine.program.readouts.get(self.readout) else { return };
        let json = |reads: &[Read]| {
            let read = reads.iter().find(|read| read.readout == self.readout)?;
            Some(read.reading.outcome.json(&readout.ty, &ids))
        };
        if readout.mode == Mode::Pointwise {
            for (candidate, reads) in finished.candidates.iter().zip(&finished.outcomes.pointwise) {
                self.found.extend(json(reads).map(|json| (key(id, candidate.as_deref()), json)));
            }
        } else {
            self.found.extend(json(&finished.outcomes.compared).map(|json| (key(id, None), json)));
        }
    }

    #[must_use]
    pub fn finish(self) -> Holistic {
        Holistic::Results(self.found)
    }
}

/// What each arm says of a candidate (or, of preferences, of the record): outcomes as results have them.
type Values = Vec<Option<Json>>;

/// What every arm says of a record: per candidate, or once where candidates are compared. `of`: the program and the place of its readout.
pub(super) fn said(
    record: &str,
    finished: &Finished,
    of: (&Program, usize),
    flat: &Flat,
    holistic: &Holistic,
    arms: &[Arm],
) -> Vec<(Option<String>, Values)> {
    let (program, place) = of;
    let Some(readout) = program.readouts.get(place) else { return Vec::new() };
    let Finished { candidates, judged, outcomes, .. } = finished;
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let means: Vec<flat::Said> = judged.own.iter().map(|own| flat.mean(judged.shared.iter().chain(own))).collect();
    let json = |reads: &[Read]| {
        let read = reads.iter().find(|read| read.readout == place)?;
        Some(read.reading.outcome.json(&readout.ty, &ids))
    };
    if readout.mode == Mode::Pointwise {
        let mut out = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let values = arms.iter().map(|arm| match arm {
                Arm::Graph => json(outcomes.pointwise.get(at)?),
                Arm::Weighted => match means.get(at)? {
                    flat::Said::Mean(mean) => Some(flat::read(program, readout, mean)?.json(&readout.ty)),
                    _ => None,
                },
                Arm::Direct => direct_of(finished, holistic, at, key(record, candidate.as_deref())),
            });
            out.push((candidate.clone(), values.collect()));
        }
        return out;
    }
    let graph = json(&outcomes.compared);
    let values = arms.iter().map(|arm| match arm {
        Arm::Graph => graph.clone(),
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
            Holistic::Results(found) => found.get(&key(record, None)).cloned(),
            _ => {
                let scores: Option<Vec<Number>> = (0..ids.len())
                    .map(|at| match direct_of(finished, holistic, at, key(record, None))? {
                        Json::Number(number) => Number::from_decimal(number.as_str()).ok(),
                        Json::Bool(truth) => Some(Number::int(i64::from(truth))),
                        _ => None,
                    })
                    .collect();
                preferred(&scores?, &Number::ZERO, &Tie::Tie, &ids)
            }
        },
    });
    vec![(None, values.collect())]
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
fn direct_of(finished: &Finished, holistic: &Holistic, at: usize, whose: u128) -> Option<Json> {
    match holistic {
        Holistic::None => None,
        Holistic::Results(found) => found.get(&whose).cloned(),
        Holistic::Criterion(leaf) => {
            let own = finished.judged.own.get(at)?.iter().chain(&finished.judged.shared);
            match &own.into_iter().find(|judged| judged.node == *leaf)?.leaf {
                Leaf::Known(value) if !value.is_unknown() => Some(value.json(&finished.engine.program.node(*leaf)?.ty)),
                _ => None,
            }
        }
        Holistic::Aside => joined(finished.aside.get(at)?),
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
