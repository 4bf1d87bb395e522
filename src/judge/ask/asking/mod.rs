//! One group of judgments that are asked together, from the first call to the last answer.
//!
//! An [`Asking`] says which calls it wants ([`Asking::calls`]), is told what came of each ([`Asking::answered`]), and in the
//! end has an answer for each of its cells ([`Asking::done`]). A *cell* is one judgment to be had: a criterion, or an item of
//! a checklist, for one candidate or for the record. A *job* is one request to one model; what it brings goes into numbered
//! slots of its cells, so the order in which jobs are answered never shows. A stage of a cell is complete once all of its
//! slots are filled; of a cascade, the second stage begins where the first was not sure.
//!
//! It does no I/O and knows no clock.

mod read;
mod request;

use super::confidence;
use super::core::{Core, Stage, Who as Judge};
use super::decide::Flaw;
use super::prompt::{self, Turn};
use super::show::{Scene, Who};
use super::{Call, CallId, Heard};
use crate::catalog::NodeId;
use crate::graph::{Criterion, FieldId, Llm, View};
use crate::judge::config::Alias;
use crate::judge::wire::{self, Failure, FailureKind, Reply};
use crate::run::judgment::answers;
use crate::run::judgment::entry;
use crate::run::{Missing, MissingReason};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value as Json, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// Judgments that are asked together.
#[derive(Debug)]
pub struct Asking {
    core: Arc<Core>,
    scene: Arc<Scene>,
    cells: Vec<Cell>,
    jobs: Vec<Job>,
    /// Jobs whose calls may go out.
    ready: VecDeque<usize>,
    /// From 0: of several runs over the same records, each of which asks for itself.
    run: u32,
    /// The cells of each bundle.
    bundles: HashMap<usize, Vec<usize>>,
    fault: Option<String>,
}

/// A judgment to be had.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) leaf: NodeId,
    /// Of a `checklist … from`.
    pub(super) item: Option<Item>,
    pub(super) candidate: Option<usize>,
    /// Cells of one bundle are asked in one call (of a chat model).
    pub(super) bundle: usize,
    /// Otherwise it is asked because others of its call are, and its answer is not used.
    pub(super) wanted: bool,
    stage: usize,
    /// Of the stage.
    slots: Vec<Option<Slot>>,
    parts: Vec<Part>,
    note: Option<Json>,
    settled: bool,
}

/// An item that came with the record.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: usize,
    pub(super) id: String,
    pub(super) statement: Arc<str>,
}

/// An entry of one answer, or why there is none.
type Slot = Result<Map<String, Json>, Missing>;

#[derive(Debug)]
struct Part {
    text: String,
    answer: Option<Slot>,
}

#[derive(Debug)]
struct Job {
    stage: usize,
    /// `None`: a verifier.
    alias: Option<Arc<Alias>>,
    /// From 0, per model; a later run counts on from where the one before it ended.
    sample: u32,
    who: Who,
    /// Cells with the slots that it fills.
    cells: Vec<(usize, usize)>,
    kind: Kind,
    tries: u32,
    turns: Vec<Turn>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Value,
    List,
    Part(usize),
    Decide,
    Verify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    Out,
    Over,
}

impl Cell {
    pub(super) fn new(leaf: NodeId, item: Option<Item>, candidate: Option<usize>, bundle: usize) -> Cell {
        Cell {
            leaf,
            item,
            candidate,
            bundle,
            wanted: true,
            stage: 0,
            slots: Vec::new(),
            parts: Vec::new(),
            note: None,
            settled: false,
        }
    }

    /// The place of its item in the record's list.
    pub(super) fn place(&self) -> Option<usize> {
        self.item.as_ref().map(|item| item.place)
    }
}

impl Asking {
    pub(super) fn new(core: Arc<Core>, scene: Arc<Scene>, cells: Vec<Cell>, run: u32) -> Asking {
        let mut bundles: HashMap<usize, Vec<usize>> = HashMap::default();
        for (at, cell) in cells.iter().enumerate() {
            bundles.entry(cell.bundle).or_default().push(at);
        }
        let (jobs, ready) = (Vec::new(), VecDeque::new());
        let mut asking = Asking { core, scene, cells, jobs, ready, run, bundles, fault: None };
        let all: Vec<usize> = (0..asking.cells.len()).collect();
        asking.begin(&all);
        asking
    }

    fn criterion(&self, cell: &Cell) -> Option<&Criterion> {
        prompt::criterion_of(&self.core.program.node(cell.leaf)?.kind)
    }

    fn stage_of(&self, cell: &Cell) -> Option<&Stage> {
        match self.core.judges.get(&cell.leaf)? {
            Judge::Models { stages, .. } => stages.get(cell.stage),
            Judge::Verifier { .. } => None,
        }
    }

    /// Makes the jobs of the stage that these cells are at.
    fn begin(&mut self, cells: &[usize]) {
        let mut jobs: IndexMap<JobKey<'_>, Job, RandomState> = IndexMap::default();
        let mut slots: Vec<(usize, usize)> = Vec::new();
        for at in cells {
            let Some(cell) = self.cells.get(*at) else { continue };
            let Some(criterion) = self.criterion(cell) else { continue };
            let Some(stage) = self.stage_of(cell) else {
                if let Some(Judge::Verifier { name, .. }) = self.core.judges.get(&cell.leaf) {
                    slots.push((*at, 1));
                    let job = Job {
                        stage: 0,
                        alias: None,
                        sample: 0,
                        who: cell.candidate.map_or(Who::Nobody, Who::One),
                        cells: vec![(*at, 0)],
                        kind: Kind::Verify,
                        tries: 0,
                        turns: Vec::new(),
                        state: State::Ready,
                    };
                    let key = (&**name, 0, &[][..], job.who.clone(), Kindred::Cell(*at));
                    jobs.insert(key, job);
                }
                continue;
            };
            let orders = self.orders(cell, &stage.llm);
            let samples = stage.llm.samples as usize;
            slots.push((*at, stage.models.len() * samples * orders.len()));
            // No two runs share a number, and so neither an answer that is kept nor a seed.
            let first = self.run.saturating_mul(stage.llm.samples);
            let mut slot = 0;
            for alias in &stage.models {
                for sample in first..first.saturating_add(stage.llm.samples) {
                    for who in &orders {
                        let decides = alias.capabilities.decision;
                        let (kind, kindred, sees) = if decides {
                            (Kind::Decide, Kindred::Decide, criterion.sees.as_slice())
                        } else if stage.llm.each.is_some() {
                            (Kind::List, Kindred::Cell(*at), &[][..])
                        } else {
                            (Kind::Value, Kindred::Bundle(cell.bundle), &[][..])
                        };
                        let key = (alias.name.as_str(), sample, sees, who.clone(), kindred);
                        let job = jobs.entry(key).or_insert_with(|| Job {
                            stage: cell.stage,
                            alias: Some(Arc::clone(alias)),
                            sample,
                            who: who.clone(),
                            cells: Vec::new(),
                            kind,
                            tries: 0,
                            turns: Vec::new(),
                            state: State::Ready,
                        });
                        job.cells.push((*at, slot));
                        slot += 1;
                    }
                }
            }
        }
        let jobs = jobs.into_values().collect();
        for (at, slots) in slots {
            if let Some(cell) = self.cells.get_mut(at) {
                cell.slots = std::iter::repeat_with(|| None).take(slots).collect();
            }
        }
        self.add(jobs);
    }

    fn add(&mut self, jobs: Vec<Job>) {
        self.ready.extend(self.jobs.len()..self.jobs.len() + jobs.len());
        self.jobs.extend(jobs);
    }

    /// The candidates that a cell's calls show, in each order in which they are shown.
    fn orders(&self, cell: &Cell, llm: &Llm) -> Vec<Who> {
        let forward: Vec<usize> = (0..self.scene.candidates.len()).collect();
        match (llm.view, cell.candidate) {
            (_, None) => vec![Who::Nobody],
            (View::Separate, Some(place)) => vec![Who::One(place)],
            (View::Swapped, _) if forward.len() > 1 => {
                let backward = forward.iter().rev().copied().collect();
                vec![Who::All(forward), Who::All(backward)]
            }
            // One candidate has one order.
            (View::Joint | View::Swapped, _) => vec![Who::All(forward)],
        }
    }

    /// The calls that may go out now, at once or in any order. Empty: everything is out or done.
    pub fn calls(&mut self) -> Vec<(CallId, Call)> {
        let mut calls = Vec::new();
        // What cannot be asked at all is given up here, and that may make other calls ready.
        while let Some(at) = self.ready.pop_front() {
            let Some(job) = self.jobs.get(at).filter(|job| job.state == State::Ready) else { continue };
            let id = CallId { job: at, attempt: job.tries };
            match self.prompt(job) {
                Ok(kind) => {
                    let call = Call {
                        sample: job.sample,
                        candidate: match &job.who {
                            Who::One(place) => Some(*place),
                            _ => None,
                        },
                        about: self.about(job),
                        attempt: job.tries,
                        kind,
                    };
                    calls.push((id, call));
                    if let Some(job) = self.jobs.get_mut(at) {
                        job.state = State::Out;
                    }
                }
                Err(fault) => {
                    self.give_up_job(at, &Missing { reason: MissingReason::Other, detail: fault.clone() });
                    self.fault.get_or_insert(fault);
                }
            }
        }
        calls
    }

    /// What came of a call. `nonce` is the one with which it was sent (of a stored reply: the one stored beside it).
    pub fn answered(&mut self, id: CallId, nonce: &str, got: Result<&Reply, &Failure>) -> Heard {
        let nobody = || Heard::Failed(Missing { reason: MissingReason::Other, detail: "nobody asked".to_owned() });
        let current = |job: &&Job| job.state == State::Out && job.tries == id.attempt;
        let Some(job) = self.jobs.get(id.job).filter(current) else { return nobody() };
        let may_ask_again = job.tries < self.core.again;
        let reply = match got {
            Ok(reply) => reply,
            Err(failure) if failure.kind == FailureKind::Malformed && may_ask_again => {
                return self.ask_again(id.job, None, failure.detail.clone());
            }
            Err(failure) => {
                let missing = missing(failure);
                self.give_up_job(id.job, &missing);
                return Heard::Failed(missing);
            }
        };
        let found = self.read(job, nonce, reply);
        let again = found.iter().find_map(|found| match found {
            Err(Flaw::Again(reason)) => Some(reason.clone()),
            _ => None,
        });
        if let (Some(reason), true) = (again, may_ask_again) {
            let text = match &reply.answer {
                wire::Answer::Text { text, .. } => Some(text.as_str()),
                wire::Answer::Decisions(_) | wire::Answer::Vectors(_) => None,
            };
            let turn = text.map(|text| Turn { reply: short(text), nonce: nonce.to_owned(), said: reason.clone() });
            return self.ask_again(id.job, turn, reason);
        }
        let slots: Vec<Slot> = found.into_iter().map(|found| found.map_err(unparseable)).collect();
        let failed = slots.iter().find_map(|slot| slot.as_ref().err().cloned());
        let all = slots.iter().all(Result::is_err);
        self.fill(id.job, slots);
        match failed {
            None => Heard::Conforms,
            Some(missing) if all => Heard::Failed(missing),
            Some(missing) => Heard::Partly(missing),
        }
    }

    fn ask_again(&mut self, at: usize, turn: Option<Turn>, reason: String) -> Heard {
        if let Some(job) = self.jobs.get_mut(at) {
            job.tries += 1;
            job.turns.extend(turn);
            job.state = State::Ready;
            self.ready.push_back(at);
        }
        Heard::Again(reason)
    }

    /// A call will not be made, or not be waited for: its judgments are missing for this reason.
    pub fn given_up(&mut self, id: CallId, missing: &Missing) {
        if self.jobs.get(id.job).is_some_and(|job| job.state == State::Out) {
            self.give_up_job(id.job, missing);
        }
    }

    fn give_up_job(&mut self, at: usize, missing: &Missing) {
        let slots = self.jobs.get(at).map_or(0, |job| job.cells.len());
        self.fill(at, std::iter::repeat_with(|| Err(missing.clone())).take(slots).collect());
    }

    /// Puts what a job brought into the slots of its cells, and goes on from there.
    fn fill(&mut self, at: usize, slots: Vec<Slot>) {
        let Some(job) = self.jobs.get_mut(at) else { return };
        job.state = State::Over;
        let (kind, cells) = (job.kind, job.cells.clone());
        let mut bundles: IndexSet<usize, RandomState> = IndexSet::default();
        for ((cell_at, slot), found) in cells.into_iter().zip(slots) {
            match (kind, found) {
                (Kind::List, Ok(list)) => self.begin_parts(at, cell_at, slot, &list),
                (Kind::Part(n), found) => self.part_done(cell_at, slot, n, found),
                (_, found) => self.put(cell_at, slot, found),
            }
            bundles.extend(self.cells.get(cell_at).map(|cell| cell.bundle));
        }
        for bundle in bundles {
            self.go_on(bundle);
        }
    }

    fn put(&mut self, cell: usize, slot: usize, found: Slot) {
        if let Some(place) = self.cells.get_mut(cell).and_then(|cell| cell.slots.get_mut(slot)) {
            *place = Some(found);
        }
    }

    /// Asks of each part that a model has listed.
    fn begin_parts(&mut self, list_job: usize, cell_at: usize, slot: usize, list: &Map<String, Json>) {
        let texts = list.get("parts").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let texts: Vec<String> = texts.iter().filter_map(|part| Some(part.get("part")?.as_str()?.to_owned())).collect();
        if texts.is_empty() {
            self.put(cell_at, slot, Ok(list.clone()));
            return;
        }
        let Some(job) = self.jobs.get(list_job) else { return };
        let jobs: Vec<Job> = (0..texts.len())
            .map(|n| Job {
                stage: job.stage,
                alias: job.alias.clone(),
                sample: job.sample,
                who: job.who.clone(),
                cells: vec![(cell_at, slot)],
                kind: Kind::Part(n),
                tries: 0,
                turns: Vec::new(),
                state: State::Ready,
            })
            .collect();
        self.add(jobs);
        if let Some(cell) = self.cells.get_mut(cell_at) {
            cell.parts = texts.into_iter().map(|text| Part { text, answer: None }).collect();
        }
    }

    /// Keeps the answer about a part; with the last of them the share is known.
    fn part_done(&mut self, cell_at: usize, slot: usize, n: usize, found: Slot) {
        let Some(cell) = self.cells.get_mut(cell_at) else { return };
        if let Some(part) = cell.parts.get_mut(n) {
            part.answer = Some(found);
        }
        if cell.parts.iter().any(|part| part.answer.is_none()) {
            return;
        }
        let mut parts = Vec::with_capacity(cell.parts.len());
        let mut entry = Map::new();
        let (mut quotes, mut reasons) = (Vec::new(), Vec::new());
        for part in &cell.parts {
            match &part.answer {
                Some(Ok(answer)) => {
                    let met = answer.get("value").cloned().unwrap_or(Json::Null);
                    parts.push(json!({"part": part.text, "met": met}));
                    quotes.extend(answer.get("evidence").and_then(Json::as_array).into_iter().flatten().cloned());
                    reasons.extend(answer.get("reason").cloned());
                    if let Some(by) = answer.get("by") {
                        entry.insert("by".to_owned(), by.clone());
                    }
                }
                Some(Err(missing)) => {
                    let missing = missing.clone();
                    self.put(cell_at, slot, Err(missing));
                    return;
                }
                None => return,
            }
        }
        entry.insert("parts".to_owned(), Json::Array(parts));
        if !quotes.is_empty() {
            entry.insert("evidence".to_owned(), Json::Array(quotes));
        }
        if !reasons.is_empty() {
            entry.insert("reason".to_owned(), Json::Array(reasons));
        }
        self.put(cell_at, slot, Ok(entry));
    }

    /// Once all cells of a bundle have their answers: those of a cascade that are not sure go on to its second model.
    fn go_on(&mut self, bundle: usize) {
        let full = |cell: &Cell| cell.settled || cell.slots.iter().all(Option::is_some);
        let places = self.bundles.get(&bundle).cloned().unwrap_or_default();
        if !places.iter().filter_map(|at| self.cells.get(*at)).all(full) {
            return;
        }
        let mut second = Vec::new();
        for at in places {
            let Some(cell) = self.cells.get(at).filter(|cell| !cell.settled) else { continue };
            let threshold = match self.core.judges.get(&cell.leaf) {
                Some(Judge::Models { threshold: Some(threshold), .. }) if cell.stage == 0 => threshold.clone(),
                _ => {
                    self.settle(at, None);
                    continue;
                }
            };
            let stopped = |slot: &Option<Slot>| matches!(slot, Some(Err(missing)) if missing.reason == MissingReason::Budget || missing.detail == CANCELLED);
            if cell.slots.iter().any(stopped) {
                self.settle(at, None);
                continue;
            }
            let confidence = self.confidence(cell);
            let shown = confidence.as_ref().map(|c| serde_json::to_value(c.as_judged()).unwrap_or(Json::Null));
            if confidence.is_some_and(|confidence| confidence >= threshold) {
                self.settle(at, Some(json!({"confidence": shown})));
            } else {
                if let Some(cell) = self.cells.get_mut(at) {
                    cell.stage = 1;
                    cell.note = Some(json!({"first": {"confidence": shown}}));
                }
                second.push(at);
            }
        }
        if !second.is_empty() {
            self.begin(&second);
        }
    }

    fn settle(&mut self, at: usize, note: Option<Json>) {
        if let Some(cell) = self.cells.get_mut(at) {
            cell.settled = true;
            cell.note = note.or(cell.note.take());
        }
    }

    /// How sure the answers of a cell are; `None`: there are none, or one is missing.
    fn confidence(&self, cell: &Cell) -> Option<crate::number::Number> {
        let criterion = self.criterion(cell)?;
        let entries = cell.slots.iter().map(|slot| slot.as_ref().and_then(|slot| slot.as_ref().ok()));
        let entries: Vec<&Map<String, Json>> = entries.collect::<Option<_>>()?;
        confidence::of(&entries, &criterion.ty)
    }

    /// Why some of it cannot be asked at all, such as an image that is not there. Its judgments are missing for this reason.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether everything is answered or given up.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.cells.iter().all(|cell| cell.settled)
    }

    /// The answers, once there is nothing left to ask.
    #[must_use]
    pub fn done(&self) -> Option<Vec<answers::Answer>> {
        self.is_done().then(|| self.so_far())
    }

    /// The answers from what is in: what is not, is left out. Meant for after [`Asking::fixed`]: what is still out would
    /// change nothing.
    #[must_use]
    pub fn so_far(&self) -> Vec<answers::Answer> {
        let wanted = self.cells.iter().filter(|cell| cell.wanted);
        wanted
            .map(|cell| answers::Answer {
                candidate: cell.candidate,
                leaf: cell.leaf,
                item: cell.place(),
                entry: self.entry(cell),
            })
            .collect()
    }

    /// A cell's answers as one entry.
    fn entry(&self, cell: &Cell) -> Json {
        let one = |slot: &Slot| match slot {
            Ok(entry) => Json::Object(entry.clone()),
            Err(missing) => {
                let reason = missing.reason.word();
                let reason = match (missing.reason, missing.detail.as_str()) {
                    (_, "") => reason.to_owned(),
                    (MissingReason::Other, detail) => detail.to_owned(),
                    (_, detail) => format!("{reason}: {detail}"),
                };
                json!({"missing": reason})
            }
        };
        let each = self.stage_of(cell).is_some_and(|stage| stage.llm.each.is_some());
        let mut all: Vec<Json> = cell.slots.iter().flatten().map(one).collect();
        let mut entry = match (all.len(), all.pop()) {
            (0, _) | (_, None) => json!({"missing": MissingReason::NotRecorded.word()}),
            (1, Some(only)) => only,
            (_, Some(last)) => {
                all.push(last);
                json!({"samples": all})
            }
        };
        if let (Json::Object(entry), Some(note), false) = (&mut entry, &cell.note, each) {
            match (entry.get_mut("note"), note) {
                (Some(Json::Object(said)), Json::Object(note)) => said.extend(note.clone()),
                _ => drop(entry.insert("note".to_owned(), note.clone())),
            }
        }
        entry
    }

    /// Whether the judgments are the same whatever the answers that are still out may say, so that they need not be waited
    /// for. Never before the first answer of each.
    #[must_use]
    pub fn fixed(&self) -> bool {
        self.cells.iter().filter(|cell| cell.wanted).all(|cell| cell.settled || self.is_fixed(cell))
    }

    fn is_fixed(&self, cell: &Cell) -> bool {
        let Some(criterion) = self.criterion(cell) else { return false };
        // What a cascade's first model is sure of is not known before all of its answers are in.
        if matches!(self.core.judges.get(&cell.leaf), Some(Judge::Models { threshold: Some(_), .. })) && cell.stage == 0
        {
            return false;
        }
        let Some(node) = self.core.program.node(cell.leaf) else { return false };
        let open = cell.slots.iter().filter(|slot| slot.is_none()).count();
        let mut samples = Vec::new();
        for slot in cell.slots.iter().flatten() {
            match slot {
                // One that is missing makes the judgment missing.
                Err(_) => return true,
                Ok(map) => match entry::read(&Json::Object(map.clone()), &criterion.ty, false) {
                    Ok(entry) => samples.extend(entry.samples),
                    Err(_) => return false,
                },
            }
        }
        let of_items = cell.item.is_some();
        let ty = if of_items { &criterion.ty } else { &node.ty };
        confidence::fixed(&samples, open, crate::run::judgment::combine::of(criterion), &criterion.ty, ty)
    }
}

/// What tells requests apart: model, sample, fields, candidates, and which cells share it.
type JobKey<'a> = (&'a str, u32, &'a [FieldId], Who, Kindred);

/// Which cells share a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kindred {
    /// All that a decision model is asked about one candidate.
    Decide,
    Bundle(usize),
    Cell(usize),
}

const CANCELLED: &str = "stopped by the person who ran it";

/// A failure of a server as the reason why a judgment is missing.
#[must_use]
pub fn missing(failure: &Failure) -> Missing {
    let reason = match failure.kind {
        FailureKind::Refused => MissingReason::Refused,
        FailureKind::Filtered => MissingReason::Filtered,
        FailureKind::Truncated => MissingReason::Truncated,
        FailureKind::Malformed => MissingReason::Unparseable,
        FailureKind::NoCredit => MissingReason::NoCredit,
        FailureKind::Unauthorised | FailureKind::Rejected => MissingReason::Rejected,
        FailureKind::Outage => MissingReason::Outage,
        FailureKind::Budget => MissingReason::Budget,
        FailureKind::Cancelled => {
            return Missing { reason: MissingReason::Other, detail: CANCELLED.to_owned() };
        }
    };
    Missing { reason, detail: failure.detail.clone() }
}

fn unparseable(flaw: Flaw) -> Missing {
    match flaw {
        Flaw::Again(detail) => Missing { reason: MissingReason::Unparseable, detail },
        Flaw::Missing(missing) => missing,
    }
}

/// A reply as it is shown again: at most this long, and never empty, which some servers refuse.
fn short(text: &str) -> String {
    const MOST: usize = 8000;
    if text.trim().is_empty() {
        return "(nothing)".to_owned();
    }
    text.chars().take(MOST).collect()
}
