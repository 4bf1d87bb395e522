//! One record: what it lacks is asked, all at once as far as limits allow or lazily one by one, and put in its place.

use super::call::{self, Came, Start};
use super::{Judges, Judging, Stop};
use crate::judge::ask::{Asking, Call, CallId, Heard};
use crate::judge::store::{self, Asked, Claim, Key, Putting};
use crate::judge::wire::{FailureKind, Reply};
use crate::run::MissingReason;
use crate::run::driver::{Prepared, Ready, fault};
use crate::run::judgment::answers::{self, Answer};
use crate::run::lazy::{Lazy, Next, Want};
use foldhash::HashMap;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value as Json, json};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the calls that a record waits for, and takes them back whatever happens to the record.
pub(super) struct Wanted {
    judging: Arc<Judging>,
    /// The record's place in the run.
    record: u64,
    n: u64,
    /// Whether it stands in the budget's line without a call, so that later records wait until its first ones are known.
    unplanned: bool,
}

impl Wanted {
    /// One, until more is known.
    pub(super) fn one(judging: Arc<Judging>, record: u64) -> Wanted {
        judging.budget.line_up(record, 1);
        let mut wanted = Wanted { judging, record, n: 0, unplanned: true };
        wanted.set(1);
        wanted
    }

    fn planned(&mut self) {
        if std::mem::take(&mut self.unplanned) {
            self.judging.budget.leave(self.record, 1);
        }
    }

    fn set(&mut self, n: u64) {
        let wanted: &AtomicU64 = &self.judging.counts.wanted;
        if n < self.n {
            // Whoever lets records in sleeps only while there is no room, and need not be woken by every call.
            let left = wanted.fetch_sub(self.n - n, Ordering::SeqCst) - (self.n - n);
            if left < self.judging.most_wanted() {
                self.judging.room.notify_one();
            }
        } else {
            wanted.fetch_add(n - self.n, Ordering::SeqCst);
        }
        self.n = n;
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.set(0);
        self.judging.budget.leave(self.record, u64::MAX);
    }
}

/// A call on its way.
struct Out {
    asking: usize,
    id: CallId,
    came: Result<Came, Stop>,
}

/// Calls that are out. They are part of the record's own task: a task for each would cost more than it brings, as there are many records.
type Calls<'a> = FuturesUnordered<BoxFuture<'a, Out>>;

/// What a judgment came from, for the trace.
struct Evidence {
    model: String,
    question: Key,
    answer: String,
}

impl Evidence {
    fn of(reply: &Reply, text: &str, question: Key) -> Evidence {
        Evidence { model: reply.model.clone(), question, answer: store::digest(text) }
    }

    fn json(&self) -> Json {
        json!({ "model": self.model, "question": self.question.to_string(), "answer": self.answer })
    }
}

/// Asks what a record lacks.
///
/// # Errors
/// [`Stop`]: the record is not finished, and is not to be written.
pub(super) async fn judge(judges: Judges, mut wanted: Wanted, mut ready: Box<Ready>) -> Result<Prepared, Stop> {
    match complete(&judges, &mut wanted, &mut ready).await? {
        Ok(()) => Ok(Prepared::Ready(ready)),
        Err(reason) => Ok(Prepared::Failed(fault(reason, &ready.record), Some(ready.engine))),
    }
}

async fn complete(judges: &Judges, wanted: &mut Wanted, ready: &mut Ready) -> Result<Result<(), String>, Stop> {
    let mut askings = judges.asker.plan(&ready.record, &ready.judged);
    let mut work = Work {
        judging: &judges.judging,
        names: judges.judging.store.is_some().then(|| Names::of(ready)),
        evidence: askings.iter().map(|_| Vec::new()).collect(),
        asked: HashMap::default(),
        claims: HashMap::default(),
        stores: Vec::new(),
        stop: None,
        wanted,
    };
    let done = match &judges.lazy {
        None => {
            work.drive(&mut askings, None).await;
            Ok(askings.iter().enumerate().flat_map(|(at, asking)| work.answers(at, asking)).collect())
        }
        Some(lazy) => one_by_one(lazy, &mut work, &mut askings, ready).await,
    };
    work.end().await?;
    Ok(done.and_then(|all| answers::add(&ready.engine.program, &ready.record, &mut ready.judged, all)))
}

/// Asks for one judgment after the other, the one first that decides soonest, until no readout can change any more. What is
/// then left is missing, because it is not needed. Returns what is not put in its place yet.
async fn one_by_one(
    lazy: &Lazy,
    work: &mut Work<'_>,
    askings: &mut [Asking],
    ready: &mut Ready,
) -> Result<Vec<Answer>, String> {
    let ids: Vec<String> = ready.record.candidates.iter().map(|c| c.id.clone().unwrap_or_default()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut owners: HashMap<Want, usize> = HashMap::default();
    for (at, asking) in askings.iter().enumerate() {
        for answer in asking.so_far() {
            owners.insert(Want { candidate: answer.candidate, node: answer.leaf, item: answer.item }, at);
        }
    }
    let mut asked: HashSet<usize> = HashSet::new();
    let program = Arc::clone(&ready.engine.program);
    while work.stop.is_none() {
        let may = |want: &Want| owners.get(want).is_some_and(|at| !asked.contains(at));
        let next = match lazy.next(&ready.engine, &ready.record.id, &ids, &ready.judged, &may)? {
            Next::Ask(wants) => wants.first().and_then(|want| owners.get(want)).copied(),
            Next::Fixed | Next::Stuck => None,
        };
        let Some(at) = next else { break };
        asked.insert(at);
        work.drive(askings, Some(at)).await;
        if let Some(asking) = askings.get(at) {
            answers::add(&program, &ready.record, &mut ready.judged, work.answers(at, asking))?;
        }
    }
    let rest = askings.iter().enumerate().filter(|(at, _)| !asked.contains(at)).flat_map(|(_, asking)| asking.so_far());
    let not_needed = json!({ "missing": MissingReason::NotNeeded.word() });
    Ok(rest.map(|answer| Answer { entry: not_needed.clone(), ..answer }).collect())
}

/// The asking that goes on for one record.
struct Work<'a> {
    judging: &'a Arc<Judging>,
    wanted: &'a mut Wanted,
    /// Where something is stored.
    names: Option<Names>,
    /// Per asking.
    evidence: Vec<Vec<(CallId, Evidence)>>,
    /// Whose judgments the calls are that are out.
    asked: HashMap<(usize, CallId), Arc<Asked>>,
    /// Rights to ask that are held while a question is put again.
    claims: HashMap<Key, Claim>,
    stores: Vec<Putting>,
    stop: Option<Stop>,
}

impl Work<'_> {
    /// Asks until everything is answered or given up: all at once, or `only` one asking, call by call until the rest of its
    /// calls can change nothing.
    async fn drive(&mut self, askings: &mut [Asking], only: Option<usize>) {
        let mut waiting: VecDeque<(usize, CallId, Call)> = VecDeque::new();
        for (at, asking) in askings.iter_mut().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at)) {
            waiting.extend(asking.calls().into_iter().map(|(id, call)| (at, id, call)));
        }
        let mut out: Calls<'_> = FuturesUnordered::new();
        loop {
            while (only.is_none() || out.is_empty())
                && self.stop.is_none()
                && let Some((at, id, call)) = waiting.pop_front()
            {
                if let Some(came) = self.send(at, id, call, &mut out) {
                    self.take(at, id, came, askings, &mut waiting, only.is_some());
                }
            }
            // What it begins with stands in line.
            self.wanted.planned();
            self.wanted.set((out.len() + waiting.len()) as u64 + 1);
            let Some(Out { asking, id, came }) = out.next().await else { break };
            self.take(asking, id, came, askings, &mut waiting, only.is_some());
        }
    }

    /// Sends a call, or says at once what came of it.
    fn send(&mut self, at: usize, id: CallId, call: Call, out: &mut Calls<'_>) -> Option<Result<Came, Stop>> {
        let ready = match call::start(self.judging, &call) {
            Ok(Start::Go(ready)) => ready,
            Ok(Start::Over(came)) => return Some(Ok(*came)),
            Err(stop) => return Some(Err(stop)),
        };
        let judging = Arc::clone(self.judging);
        let record = self.wanted.record;
        judging.budget.line_up(record, 1);
        if let Some(names) = &self.names {
            self.asked.insert((at, id), names.asked(&call));
        }
        // Asked again because of its form: the right to ask is still ours.
        let held = if call.attempt == 0 { None } else { call::key(&call).and_then(|key| self.claims.remove(&key)) };
        out.push(Box::pin(async move {
            let place = call::Place::new(&judging, record);
            let came = call::make(&place, &call, ready, held).await;
            Out { asking: at, id, came }
        }));
        None
    }

    /// Goes on from what came of a call: with what it makes ready, if `alone` only as long as it can still change something.
    fn take(
        &mut self,
        at: usize,
        id: CallId,
        came: Result<Came, Stop>,
        askings: &mut [Asking],
        waiting: &mut VecDeque<(usize, CallId, Call)>,
        alone: bool,
    ) {
        let came = match came {
            Ok(came) => came,
            // What is under way is still waited for, so that it is stored.
            Err(why) => {
                self.stop.get_or_insert(why);
                waiting.clear();
                return;
            }
        };
        let Some(asking) = askings.get_mut(at) else { return };
        self.hear(at, id, asking, came);
        if self.stop.is_some() {
            return;
        }
        if alone && asking.fixed() {
            waiting.clear();
        } else {
            waiting.extend(asking.calls().into_iter().map(|(id, call)| (at, id, call)));
        }
    }

    /// Tells an asking what came of a call, and stores what conforms.
    fn hear(&mut self, at: usize, id: CallId, asking: &mut Asking, came: Came) {
        let counts = &self.judging.counts;
        let heard = asking.answered(id, &came.nonce, came.reply.as_ref());
        let asked = self.asked.remove(&(at, id));
        match &heard {
            Heard::Again(_) => {
                counts.again.fetch_add(1, Ordering::Relaxed);
                self.claims.extend(came.key.zip(came.claim));
                return;
            }
            Heard::Failed(_) | Heard::Partly(_) => {
                if !came.reply.as_ref().is_err_and(|failure| failure.kind == FailureKind::Budget) {
                    counts.failed.fetch_add(1, Ordering::Relaxed);
                }
            }
            Heard::Conforms => {}
        }
        let Ok(reply) = came.reply else { return };
        let text = store::written(&reply);
        if let (Some(evidence), Some(key)) = (self.evidence.get_mut(at), came.key) {
            evidence.push((id, Evidence::of(&reply, &text, key)));
        }
        if let (Heard::Conforms, Some(claim), Some(asked)) = (heard, came.claim, asked) {
            self.stores.push(claim.begin_put(asked, came.nonce, &reply, text));
        }
    }

    /// The answers of an asking, with what they came from; in the order of its calls, not in that of the replies.
    fn answers(&mut self, at: usize, asking: &Asking) -> Vec<Answer> {
        let mut evidence = self.evidence.get_mut(at).map(std::mem::take).unwrap_or_default();
        evidence.sort_by_key(|(id, _)| *id);
        let mut calls: Vec<Json> = evidence.iter().map(|(_, evidence)| evidence.json()).collect();
        let mut answers = asking.so_far();
        let last = answers.len().saturating_sub(1);
        for (n, answer) in answers.iter_mut().enumerate() {
            if let (Json::Object(entry), false) = (&mut answer.entry, calls.is_empty()) {
                let calls = if n == last { std::mem::take(&mut calls) } else { calls.clone() };
                entry.insert("calls".to_owned(), Json::Array(calls));
            }
        }
        answers
    }

    /// Waits until everything is stored.
    async fn end(mut self) -> Result<(), Stop> {
        for stored in std::mem::take(&mut self.stores) {
            if let Err(error) = stored.done().await {
                self.stop.get_or_insert(Stop::Store(error));
            }
        }
        self.stop.map_or(Ok(()), Err)
    }
}

/// Whose judgments are asked, for whoever looks into the store.
struct Names {
    program: Arc<str>,
    program_name: Arc<str>,
    record: Arc<str>,
    candidates: Vec<Arc<str>>,
}

impl Names {
    fn of(ready: &Ready) -> Names {
        let candidates = ready.record.candidates.iter().map(|candidate| candidate.id.as_deref().unwrap_or("").into());
        Names {
            program: ready.engine.digest.as_str().into(),
            program_name: Arc::clone(&ready.engine.program.name),
            record: ready.record.id.as_str().into(),
            candidates: candidates.collect(),
        }
    }

    fn asked(&self, call: &Call) -> Arc<Asked> {
        let candidate = call.candidate.and_then(|place| self.candidates.get(place)).cloned();
        Arc::new(Asked {
            program: Arc::clone(&self.program),
            program_name: Arc::clone(&self.program_name),
            criterion: about(call).into(),
            record: Arc::clone(&self.record),
            candidate: candidate.unwrap_or_default(),
        })
    }
}

/// What a call asks about, in words: a criterion, or the first of several.
pub(super) fn about(call: &Call) -> String {
    match call.about.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

/// Whose judgment a call of a record would be.
#[must_use]
pub fn asked(ready: &Ready, call: &Call) -> Arc<Asked> {
    Names::of(ready).asked(call)
}
