//! One record: what it lacks is asked, all at once as far as limits allow, and put in its place.

use super::call::{self, Came};
use super::{Judging, Stop};
use crate::judge::ask::{Asker, Asking, Call, CallId, Heard};
use crate::judge::store::{self, Asked, Claim, Key, StoreError};
use crate::judge::wire::{FailureKind, Reply};
use crate::run::driver::{Prepared, Ready, fault};
use crate::run::judgment::answers;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinSet;

/// Counts the calls that a record waits for, and takes them back whatever happens to the record.
pub(super) struct Wanted {
    judging: Arc<Judging>,
    /// The record's place in the run.
    record: u64,
    n: u64,
}

impl Wanted {
    /// One, until more is known.
    pub(super) fn one(judging: Arc<Judging>, record: u64) -> Wanted {
        judging.budget.line_up(record, 1);
        let mut wanted = Wanted { judging, record, n: 0 };
        wanted.set(1);
        wanted
    }

    fn set(&mut self, n: u64) {
        let wanted: &AtomicU64 = &self.judging.counts.wanted;
        wanted.fetch_add(n, Ordering::Relaxed);
        wanted.fetch_sub(self.n, Ordering::Relaxed);
        if n < self.n {
            self.judging.room.notify_one();
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

/// What a judgment came from, for the trace.
struct Evidence {
    model: String,
    question: Key,
    answer: String,
}

impl Evidence {
    fn of(reply: &Reply, question: Key) -> Evidence {
        Evidence { model: reply.model.clone(), question, answer: store::digest(reply) }
    }

    fn json(&self) -> Json {
        json!({ "model": self.model, "question": self.question.to_string(), "answer": self.answer })
    }
}

/// Asks what a record lacks.
///
/// # Errors
/// [`Stop`]: the record is not finished, and is not to be written.
pub(super) async fn judge(
    judging: Arc<Judging>,
    asker: Arc<Asker>,
    mut wanted: Wanted,
    mut ready: Box<Ready>,
) -> Result<Prepared, Stop> {
    match complete(&judging, &asker, &mut wanted, &mut ready).await? {
        Ok(()) => Ok(Prepared::Ready(ready)),
        Err(reason) => Ok(Prepared::Failed(fault(reason, &ready.record), Some(ready.engine))),
    }
}

async fn complete(
    judging: &Arc<Judging>,
    asker: &Asker,
    wanted: &mut Wanted,
    ready: &mut Ready,
) -> Result<Result<(), String>, Stop> {
    let mut askings = asker.plan(&ready.record, &ready.judged);
    let mut evidence: Vec<Vec<Evidence>> = askings.iter().map(|_| Vec::new()).collect();
    let mut out: JoinSet<Out> = JoinSet::new();
    let mut stores: JoinSet<Result<(), StoreError>> = JoinSet::new();
    let mut claims: HashMap<Key, Claim> = HashMap::new();
    let names = Names::of(ready);
    let first: Vec<Vec<(CallId, Call)>> = askings.iter_mut().map(Asking::calls).collect();
    judging.budget.line_up(wanted.record, first.iter().map(|calls| calls.len() as u64).sum());
    for (at, calls) in first.into_iter().enumerate() {
        send(judging, wanted.record, &names, at, calls, true, &mut claims, &mut out);
    }
    let mut stop = None;
    loop {
        wanted.set(out.len() as u64 + 1);
        let Some(next) = out.join_next().await else { break };
        let Out { asking: at, id, came } = match next {
            Ok(next) => next,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => continue,
        };
        let came = match came {
            Ok(came) => came,
            // What is under way is still waited for, so that it is stored.
            Err(why) => {
                stop.get_or_insert(why);
                continue;
            }
        };
        let Some(asking) = askings.get_mut(at) else { continue };
        match asking.answered(id, &came.nonce, came.reply.as_ref()) {
            Heard::Conforms => {
                if let Ok(reply) = came.reply {
                    if let (Some(evidence), Some(key)) = (evidence.get_mut(at), came.key) {
                        evidence.push(Evidence::of(&reply, key));
                    }
                    if let Some(claim) = came.claim {
                        let asked = Arc::clone(&came.asked);
                        stores.spawn(async move { claim.put(&asked, &came.nonce, &reply).await });
                    }
                }
            }
            Heard::Again(_) => {
                judging.counts.again.fetch_add(1, Ordering::Relaxed);
                claims.extend(came.key.zip(came.claim));
            }
            Heard::Failed(_) | Heard::Partly(_) => {
                if !came.reply.as_ref().is_err_and(|failure| failure.kind == FailureKind::Budget) {
                    judging.counts.failed.fetch_add(1, Ordering::Relaxed);
                }
                if let (Ok(reply), Some(evidence), Some(key)) = (&came.reply, evidence.get_mut(at), came.key) {
                    evidence.push(Evidence::of(reply, key));
                }
            }
        }
        if stop.is_none() {
            send(judging, wanted.record, &names, at, asking.calls(), false, &mut claims, &mut out);
        }
    }
    while let Some(stored) = stores.join_next().await {
        match stored {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                stop.get_or_insert(Stop::Store(error));
            }
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => {}
        }
    }
    if let Some(stop) = stop {
        return Err(stop);
    }
    let mut all = Vec::new();
    for (asking, evidence) in askings.iter().zip(&evidence) {
        let calls: Vec<Json> = evidence.iter().map(Evidence::json).collect();
        for mut answer in asking.done().unwrap_or_else(|| asking.so_far()) {
            if let (Json::Object(entry), false) = (&mut answer.entry, calls.is_empty()) {
                entry.insert("calls".to_owned(), Json::Array(calls.clone()));
            }
            all.push(answer);
        }
    }
    Ok(answers::add(&ready.engine.program, &ready.record, &mut ready.judged, all))
}

/// Sends the calls that an asking wants now. `first`: those that it begins with.
#[expect(clippy::too_many_arguments, reason = "all of it is the state of one record, which `complete` holds in parts")]
fn send(
    judging: &Arc<Judging>,
    record: u64,
    names: &Names,
    at: usize,
    calls: Vec<(CallId, Call)>,
    first: bool,
    claims: &mut HashMap<Key, Claim>,
    out: &mut JoinSet<Out>,
) {
    for (id, call) in calls {
        let judging = Arc::clone(judging);
        let asked = names.asked(&call);
        // Asked again because of its form: the right to ask is still ours.
        let held = if call.attempt == 0 { None } else { call::key(&call).and_then(|key| claims.remove(&key)) };
        out.spawn(async move {
            let place = call::Place::new(&judging, record, first);
            let came = call::make(&place, &call, held, asked).await;
            Out { asking: at, id, came }
        });
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
        let criterion = match call.about.as_slice() {
            [] => "".into(),
            [only] => only.as_str().into(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()).into(),
        };
        Arc::new(Asked {
            program: Arc::clone(&self.program),
            program_name: Arc::clone(&self.program_name),
            criterion,
            record: Arc::clone(&self.record),
            candidate: candidate.unwrap_or_default(),
        })
    }
}
