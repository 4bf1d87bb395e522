//! Results: one JSON line per candidate with its pointwise readouts, and one per record with those that compare.
//!
//! `grammar/result.schema.json` is the published schema. A line's status, from its readouts: where one of them is open,
//! `budget_ended` if something was not asked because a ceiling was reached, else `judge_failed` if a judge was asked and
//! gave no judgment, else `open`; where none is, `abstained` where the unnamed one abstains (where the line has none: where
//! all abstain); else `decided`. A record that could not be run gives one line with the status `failed` and the reason.

use super::engine::{Engine, Outcomes, Read};
use super::judgment::JudgedLeaf;
use super::leaf::{Leaf, Missing, MissingReason};
use super::readout::Outcome;
use super::record::{RecordFault, Tags};
use crate::catalog::NodeId;
use crate::graph::Mode;
use serde_json::{Map, Value as Json, json};

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    Decided,
    Abstained,
    /// Judgments are missing that decide it.
    Open,
    /// Open, and a judge that was asked gave no judgment.
    JudgeFailed,
    /// Open, and something was not asked because a ceiling was reached.
    BudgetEnded,
    /// The record could not be run.
    Failed,
}

impl Status {
    pub const ALL: [Status; 6] =
        [Status::Decided, Status::Abstained, Status::Open, Status::JudgeFailed, Status::BudgetEnded, Status::Failed];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::Decided => "decided",
            Status::Abstained => "abstained",
            Status::Open => "open",
            Status::JudgeFailed => "judge_failed",
            Status::BudgetEnded => "budget_ended",
            Status::Failed => "failed",
        }
    }
}

impl Status {
    /// As people read it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Status::JudgeFailed => "judge failed",
            Status::BudgetEnded => "budget ended",
            other => other.word(),
        }
    }
}

/// One line of results.
#[derive(Debug, Clone)]
pub struct ResultLine {
    pub status: Status,
    /// The place of the candidate; `None`: of the whole record.
    pub candidate: Option<usize>,
    pub json: Json,
}

/// A record that was run.
#[derive(Debug)]
pub struct Ran<'a> {
    pub engine: &'a Engine,
    pub id: &'a str,
    /// Per candidate; `None`: the only one, without an id.
    pub candidates: &'a [Option<String>],
    pub judged: &'a super::judgment::Judged,
    pub outcomes: &'a Outcomes,
    pub tags: &'a Tags,
}

/// The status that follows from readouts and, where one of them is open, from what is missing in the leaves behind them.
#[must_use]
pub fn status<'a>(engine: &Engine, reads: &[Read], leaves: impl IntoIterator<Item = &'a [JudgedLeaf]>) -> Status {
    let abstains = |read: &Read| read.reading.outcome == Outcome::Abstained;
    if reads.iter().any(|read| read.reading.is_open()) {
        let mut status = Status::Open;
        for leaves in leaves {
            for_each_missing(engine, leaves, |_, missing| {
                status = status.max(match missing.reason {
                    MissingReason::Budget => Status::BudgetEnded,
                    reason if reason.is_judge_failure() => Status::JudgeFailed,
                    _ => Status::Open,
                });
            });
        }
        return status;
    }
    let is_unnamed = |read: &&Read| engine.readout(read).is_some_and(|readout| readout.name.is_none());
    let mut unnamed = reads.iter().filter(is_unnamed).peekable();
    let abstained = if unnamed.peek().is_some() { unnamed.any(abstains) } else { reads.iter().all(abstains) };
    if abstained && !reads.is_empty() { Status::Abstained } else { Status::Decided }
}

/// The lines of a record that was run.
#[must_use]
pub fn lines(ran: &Ran<'_>) -> Vec<ResultLine> {
    let mut lines = Vec::with_capacity(ran.candidates.len() + 1);
    let pointwise = ran.engine.program.readouts.iter().any(|readout| readout.mode == Mode::Pointwise);
    if pointwise {
        for place in 0..ran.candidates.len() {
            lines.push(candidate_line(ran, place));
        }
    }
    if !ran.outcomes.compared.is_empty() {
        lines.push(record_line(ran, pointwise));
    }
    lines
}

fn candidate_line(ran: &Ran<'_>, place: usize) -> ResultLine {
    let reads = ran.outcomes.pointwise.get(place).map_or(&[][..], Vec::as_slice);
    let own = ran.judged.own.get(place).map_or(&[][..], Vec::as_slice);
    let status = status(ran.engine, reads, [ran.judged.shared.as_slice(), own]);
    let mut map = head(ran.id);
    if let Some(Some(id)) = ran.candidates.get(place) {
        map.insert("candidate".to_owned(), id.as_str().into());
    }
    map.insert("status".to_owned(), status.word().into());
    readouts(ran, reads, &mut map);
    nodes(ran, place, &mut map);
    let mut missing = Vec::new();
    collect_missing(ran.engine, &ran.judged.shared, None, &mut missing);
    collect_missing(ran.engine, own, None, &mut missing);
    tail(ran, missing, &mut map);
    ResultLine { status, candidate: Some(place), json: Json::Object(map) }
}

fn record_line(ran: &Ran<'_>, pointwise: bool) -> ResultLine {
    let status = status(ran.engine, &ran.outcomes.compared, ran.judged.lists());
    let mut map = head(ran.id);
    map.insert("status".to_owned(), status.word().into());
    readouts(ran, &ran.outcomes.compared, &mut map);
    if !pointwise {
        // No candidate has a line of its own; what is observed of each stands here, by candidate.
        let each = (0..).zip(ran.candidates).map(|(place, id)| {
            let mut of_one = Map::new();
            nodes(ran, place, &mut of_one);
            (id.clone().unwrap_or_default(), of_one)
        });
        for key in ["observed", "bounds"] {
            let entries: Map<String, Json> =
                each.clone().filter_map(|(id, mut map)| Some((id, map.remove(key)?))).collect();
            if !entries.is_empty() {
                map.insert(key.to_owned(), Json::Object(entries));
            }
        }
    }
    let mut missing = Vec::new();
    collect_missing(ran.engine, &ran.judged.shared, None, &mut missing);
    for (id, own) in ran.candidates.iter().zip(&ran.judged.own) {
        collect_missing(ran.engine, own, id.as_deref(), &mut missing);
    }
    tail(ran, missing, &mut map);
    ResultLine { status, candidate: None, json: Json::Object(map) }
}

fn head(id: &str) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("id".to_owned(), id.into());
    map
}

fn readouts(ran: &Ran<'_>, reads: &[Read], map: &mut Map<String, Json>) {
    map.insert("readouts".to_owned(), readouts_json(ran.engine, ran.candidates, reads));
    let by_bounds = reads.iter().filter(|read| read.reading.decided_by_bounds);
    let by_bounds: Vec<Json> = by_bounds.filter_map(|read| Some(ran.engine.readout(read)?.key().into())).collect();
    if !by_bounds.is_empty() {
        map.insert("decided_by_bounds".to_owned(), Json::Array(by_bounds));
    }
}

/// Readouts by their keys.
#[must_use]
pub fn readouts_json(engine: &Engine, candidates: &[Option<String>], reads: &[Read]) -> Json {
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let mut map = Map::new();
    for read in reads {
        if let Some(readout) = engine.readout(read) {
            map.insert(readout.key().to_owned(), read.reading.outcome.json(&readout.ty, &ids));
        }
    }
    Json::Object(map)
}

/// The observed nodes, and the bounds of those and of the sink where they are not known.
fn nodes(ran: &Ran<'_>, place: usize, map: &mut Map<String, Json>) {
    let program = &ran.engine.program;
    let Some(states) = ran.outcomes.states.get(place) else { return };
    let (mut observed, mut bounds) = (Map::new(), Map::new());
    let sink = (program.sink, false);
    for (id, is_observed) in program.observed.iter().map(|id| (*id, true)).chain([sink]) {
        let Some(node) = program.node(id) else { continue };
        match states.value(id) {
            Some(value) if is_observed => {
                observed.insert(node.name.to_string(), value.json(&node.ty));
            }
            Some(_) => {}
            None => {
                bounds.insert(node.name.to_string(), states.bounds(id).json(&node.ty));
            }
        }
    }
    if !observed.is_empty() {
        map.insert("observed".to_owned(), Json::Object(observed));
    }
    if !bounds.is_empty() {
        map.insert("bounds".to_owned(), Json::Object(bounds));
    }
}

fn tail(ran: &Ran<'_>, missing: Vec<Json>, map: &mut Map<String, Json>) {
    if !missing.is_empty() {
        map.insert("missing".to_owned(), Json::Array(missing));
    }
    if let Some(tags) = &ran.tags.json {
        map.insert("tags".to_owned(), tags.clone());
    }
    map.insert("program".to_owned(), ran.engine.digest.as_str().into());
}

/// Lists what is missing in some leaves.
fn collect_missing(engine: &Engine, leaves: &[JudgedLeaf], candidate: Option<&str>, into: &mut Vec<Json>) {
    for_each_missing(engine, leaves, |name, missing| {
        let mut map = Map::new();
        map.insert("criterion".to_owned(), name.into());
        if let Some(id) = candidate {
            map.insert("candidate".to_owned(), id.into());
        }
        map.insert("reason".to_owned(), missing.reason.word().into());
        if !missing.detail.is_empty() {
            map.insert("detail".to_owned(), missing.detail.as_str().into());
        }
        into.push(Json::Object(map));
    });
}

/// Calls `found` with the name and the reason of every judgment that is missing.
pub(super) fn for_each_missing(engine: &Engine, leaves: &[JudgedLeaf], mut found: impl FnMut(String, &Missing)) {
    let name = |node: NodeId| engine.program.node(node).map_or("", |node| &*node.name);
    for judged in leaves {
        match &judged.leaf {
            Leaf::Known(_) => {}
            Leaf::Missing(missing) => found(name(judged.node).to_owned(), missing),
            Leaf::Items(items) => {
                for item in items {
                    if let Err(missing) = &item.met {
                        found(format!("{}.{}", name(judged.node), item.id), missing);
                    }
                }
            }
        }
    }
}

/// The line of a record that could not be run.
#[must_use]
pub fn failed(fault: &RecordFault, digest: Option<&str>) -> ResultLine {
    let mut map = Map::new();
    map.insert("id".to_owned(), json!(fault.id));
    map.insert("status".to_owned(), Status::Failed.word().into());
    map.insert("line".to_owned(), fault.line.into());
    map.insert("reason".to_owned(), fault.reason.as_str().into());
    if let Some(tags) = &fault.tags.json {
        map.insert("tags".to_owned(), tags.clone());
    }
    if let Some(digest) = digest {
        map.insert("program".to_owned(), digest.into());
    }
    ResultLine { status: Status::Failed, candidate: None, json: Json::Object(map) }
}
