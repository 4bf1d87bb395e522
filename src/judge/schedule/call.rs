//! One call: looked up, claimed, paid for, sent. Whether the reply conforms is for [`crate::judge::ask`] to say.

use super::{Judging, Stop};
use crate::judge::ask::{Call, CallKind, PLACEHOLDER, verify};
use crate::judge::config::Alias;
use crate::judge::store::{Asked, Claim, Claimed, Identity, Key, Stored};
use crate::judge::wire::{self, Failure, FailureKind, Question, Rendered, Reply, Usage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long to wait before looking again whether somebody else's call has come back.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const LOOK_AGAIN_MOST: Duration = Duration::from_millis(500);

/// Where a call stands in the run. Dropped, nobody waits for it any more.
pub(super) struct Place<'a> {
    judging: &'a Judging,
    record: u64,
    /// Whether later records wait for it.
    first: AtomicBool,
    of_task: bool,
}

impl<'a> Place<'a> {
    pub(super) fn new(judging: &'a Judging, record: u64, first: bool) -> Place<'a> {
        Place { judging, record, first: AtomicBool::new(first), of_task: false }
    }

    /// The place of a call that belongs to no record, but to a task that keeps its turn until it is done.
    pub(super) fn of_task(judging: &'a Judging, task: u64) -> Place<'a> {
        Place { judging, record: task, first: AtomicBool::new(false), of_task: true }
    }

    /// Lets others go first, because one of them may be waited for.
    fn give_way(&self) {
        if self.of_task {
            self.judging.budget.leave(self.record, u64::MAX);
        } else {
            self.leave();
        }
    }

    fn leave(&self) {
        if self.first.swap(false, Ordering::Relaxed) {
            self.judging.budget.leave(self.record, 1);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// What came of a call.
pub(super) struct Came {
    /// Of a call to a model.
    pub(super) key: Option<Key>,
    /// The nonce that the reply carries.
    pub(super) nonce: String,
    pub(super) reply: Result<Reply, Failure>,
    /// The right to store the reply; `None` where it came out of the store, or is not stored.
    pub(super) claim: Option<Claim>,
    pub(super) asked: Arc<Asked>,
}

/// What identifies a call to a model; `None`: it is a verifier's.
///
/// A call that asks again because of the form of an earlier reply has the identity of the first, under which it is stored.
///
/// # Errors
/// It cannot be put to this model.
pub fn identity(call: &Call) -> Option<Result<(Identity, Rendered), Failure>> {
    let (alias, question) = (call.alias()?, call.identity(PLACEHOLDER)?);
    Some(
        render(alias, &question).map(|rendered| {
            (Identity::of(&rendered.url, &alias.model, &rendered.body, call.sample, &question), rendered)
        }),
    )
}

/// The key of a call to a model.
pub(super) fn key(call: &Call) -> Option<Key> {
    Some(identity(call)?.ok()?.0.key)
}

pub(super) fn render(alias: &Alias, question: &Question) -> Result<Rendered, Failure> {
    wire::render(alias, question).map_err(|why| failure(FailureKind::Rejected, why))
}

pub(super) fn failure(kind: FailureKind, detail: String) -> Failure {
    Failure { kind, detail, usage: Usage::default() }
}

/// Finds or makes a call. `held`: the right to ask, where an earlier reply to the same question did not conform.
///
/// # Errors
/// [`Stop`].
pub(super) async fn make(place: &Place<'_>, call: &Call, held: Option<Claim>, asked: Arc<Asked>) -> Result<Came, Stop> {
    let judging = place.judging;
    let alias = match &call.kind {
        CallKind::Ask { alias, .. } => alias,
        CallKind::Verify { name, verifier, input } => {
            let run = async {
                // Closed only with the process.
                let _place = judging.commands.acquire().await;
                verify::run(name, verifier, input).await
            };
            let reply = tokio::select! {
                reply = run => reply,
                () = judging.stopped() => return Err(Stop::Asked),
            };
            return Ok(Came { key: None, nonce: String::new(), reply, claim: None, asked });
        }
    };
    let identity = match identity(call) {
        Some(Ok((identity, _))) => Arc::new(identity),
        Some(Err(failure)) => {
            return Ok(Came { key: None, nonce: String::new(), reply: Err(failure), claim: None, asked });
        }
        None => return Err(Stop::Asked),
    };
    let key = Some(identity.key);
    let claim = match look(place, &identity, held).await? {
        Looked::Stored(stored) if call.attempt == 0 => {
            judging.counts.found.fetch_add(1, Ordering::Relaxed);
            return Ok(Came { key, nonce: stored.nonce, reply: Ok(stored.reply), claim: None, asked });
        }
        Looked::Stored(_) => None,
        Looked::Ask(claim) => claim,
    };
    let nonce = format!("{:016x}", rand::random::<u64>());
    let question = call.question(&nonce).ok_or(Stop::Asked)?;
    let reply = match render(alias, &question) {
        Ok(rendered) => send(place, alias, &rendered).await?,
        Err(failure) => Err(failure),
    };
    Ok(Came { key, nonce, reply, claim, asked })
}

/// Whether a call has to be made.
pub(super) enum Looked {
    /// Its answer is stored.
    Stored(Box<Stored>),
    /// It has, with the right to store what comes; `None`: nothing is stored.
    Ask(Option<Claim>),
}

/// Looks a call up, and takes the right to make it where it is not stored. Whoever makes it already is waited for.
///
/// # Errors
/// [`Stop`].
pub(super) async fn look(place: &Place<'_>, identity: &Arc<Identity>, held: Option<Claim>) -> Result<Looked, Stop> {
    let judging = place.judging;
    let (Some(store), None) = (&judging.store, &held) else { return Ok(Looked::Ask(held)) };
    if let Some(stored) = store.find(&identity.key).map_err(Stop::Store)? {
        return Ok(Looked::Stored(Box::new(stored)));
    }
    let mut wait = LOOK_AGAIN;
    loop {
        match store.claim(identity).await.map_err(Stop::Store)? {
            Claimed::Stored(stored) => return Ok(Looked::Stored(stored)),
            Claimed::Ours(ours) => return Ok(Looked::Ask(Some(ours))),
            Claimed::Theirs => {
                // Whoever asks may be a later record, which waits for its turn behind this one.
                place.give_way();
                judging.pause(wait).await?;
                wait = (wait * 2).min(LOOK_AGAIN_MOST);
            }
        }
    }
}

pub(super) async fn send(
    place: &Place<'_>,
    alias: &Alias,
    rendered: &Rendered,
) -> Result<Result<Reply, Failure>, Stop> {
    let judging = place.judging;
    if let Some(failure) = judging.given_up(alias) {
        return Ok(Err(failure));
    }
    let reserved = tokio::select! {
        reserved = judging.budget.reserve(place.record, alias, rendered) => reserved,
        () = judging.stopped() => return Err(Stop::Asked),
    };
    place.leave();
    let reservation = match reserved {
        Ok(reservation) => reservation,
        Err(failure) => return Ok(Err(failure)),
    };
    // A call that is out is waited for, because it is paid for; the run's end drops it where that takes too long. One that
    // still waits for its turn is called off.
    let out = AtomicBool::new(false);
    let go = || {
        if judging.is_stopped() {
            return Err(failure(FailureKind::Cancelled, "the run was stopped".to_owned()));
        }
        if let Some(failure) = judging.given_up(alias) {
            return Err(failure);
        }
        if !out.swap(true, Ordering::Relaxed) {
            judging.counts.under_way.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let reply = judging.client.send_if(alias, rendered, &go).await;
    if out.load(Ordering::Relaxed) {
        judging.counts.under_way.fetch_sub(1, Ordering::Relaxed);
    } else {
        drop(reservation);
        return match reply {
            Err(failure) if failure.kind == FailureKind::Cancelled => Err(Stop::Asked),
            reply => Ok(reply),
        };
    }
    let usage = match &reply {
        Ok(reply) => reply.usage,
        Err(failure) => failure.usage,
    };
    reservation.settle(alias, &usage);
    judging.note(alias, &reply);
    match reply {
        Err(failure) if failure.kind == FailureKind::Cancelled => Err(Stop::Asked),
        reply => Ok(reply),
    }
}
