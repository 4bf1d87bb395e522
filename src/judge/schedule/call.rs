//! One call: rendered, looked up, claimed, paid for, sent. Whether the reply conforms is for [`crate::judge::ask`] to say.

use super::{Judging, Stop};
use crate::judge::ask::{Call, CallKind, PLACEHOLDER, verify};
use crate::judge::config::{Alias, Verifier};
use crate::judge::store::{Claim, Claimed, Identity, Key, Store, Stored};
use crate::judge::wire::{self, Failure, FailureKind, Question, Rendered, Reply, Usage};
use serde_json::Value as Json;
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
    in_line: AtomicBool,
    of_task: bool,
}

impl<'a> Place<'a> {
    /// Of a call that was lined up.
    pub(super) fn new(judging: &'a Judging, record: u64) -> Place<'a> {
        Place { judging, record, in_line: AtomicBool::new(true), of_task: false }
    }

    /// The place of a call that belongs to no record, but to a task that keeps its turn until it is done.
    pub(super) fn of_task(judging: &'a Judging, task: u64) -> Place<'a> {
        Place { judging, record: task, in_line: AtomicBool::new(false), of_task: true }
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
        if self.in_line.swap(false, Ordering::Relaxed) {
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
    /// Of a call that has one: to a model, or to a verifier whose answers are stored.
    pub(super) key: Option<Key>,
    /// The nonce that the reply carries.
    pub(super) nonce: String,
    pub(super) reply: Result<Reply, Failure>,
    /// The right to store the reply; `None` where it came out of the store, or is not stored.
    pub(super) claim: Option<Claim>,
}

impl Came {
    fn failed(failure: Failure) -> Came {
        Came { key: None, nonce: String::new(), reply: Err(failure), claim: None }
    }

    fn found(judging: &Judging, key: Key, stored: Stored) -> Came {
        judging.counts.found.fetch_add(1, Ordering::Relaxed);
        Came { key: Some(key), nonce: stored.nonce, reply: Ok(stored.reply), claim: None }
    }
}

/// What identifies a call to a model; `None`: it is a verifier's, whose identity [`Digests`](super::Digests) knows.
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

/// The same key, out of the request as it is sent: a nonce that nobody could know stands nowhere but where it was put, so with
/// the usual word in its place the bytes are those that [`identity`] digests. A request is rendered once that way.
fn key_of_sent(alias: &Alias, rendered: &Rendered, nonce: &str, sample: u32) -> Key {
    let mut pieces: Vec<&[u8]> = Vec::with_capacity(8);
    let mut rest = &rendered.body[..];
    while let Some((before, after)) = memchr::memmem::find(rest, nonce.as_bytes())
        .and_then(|at| Some((rest.get(..at)?, rest.get(at + nonce.len()..)?)))
    {
        pieces.extend([before, PLACEHOLDER.as_bytes()]);
        rest = after;
    }
    pieces.push(rest);
    Key::of(&rendered.url, &alias.model, &pieces, sample)
}

pub(super) fn render(alias: &Alias, question: &Question) -> Result<Rendered, Failure> {
    wire::render(alias, question).map_err(|why| failure(FailureKind::Rejected, why))
}

pub(super) fn failure(kind: FailureKind, detail: String) -> Failure {
    Failure { kind, detail, usage: Usage::default() }
}

/// A call that is about to go out.
pub(super) struct Ready {
    nonce: String,
    question: Question,
    rendered: Rendered,
    key: Key,
}

/// What a call begins with.
pub(super) enum Start {
    /// It is over: its answer was stored, or it cannot be made.
    Over(Box<Came>),
    /// It is to be made; a model is asked this.
    Go(Option<Box<Ready>>),
}

/// Renders a call and looks it up, where it stands: most calls of a run that is run again end here, and cost no task.
///
/// # Errors
/// [`Stop`].
pub(super) fn start(judging: &Judging, call: &Call) -> Result<Start, Stop> {
    let CallKind::Ask { alias, .. } = &call.kind else { return Ok(Start::Go(None)) };
    let nonce = format!("{:016x}", rand::random::<u64>());
    let question = call.question(&nonce).ok_or(Stop::Asked)?;
    let rendered = match render(alias, &question) {
        Ok(rendered) => rendered,
        Err(failure) => return Ok(Start::Over(Box::new(Came::failed(failure)))),
    };
    if call.attempt > 0 {
        let key = key(call).ok_or(Stop::Asked)?;
        return Ok(Start::Go(Some(Box::new(Ready { nonce, question, rendered, key }))));
    }
    let key = key_of_sent(alias, &rendered, &nonce, call.sample);
    if let Some(store) = &judging.store
        && let Some(stored) = store.find(&key).map_err(Stop::Store)?
    {
        judging.count_model(alias, &stored.reply);
        return Ok(Start::Over(Box::new(Came::found(judging, key, stored))));
    }
    Ok(Start::Go(Some(Box::new(Ready { nonce, question, rendered, key }))))
}

/// Makes a call. `held`: the right to ask, where an earlier reply to the same question did not conform.
///
/// # Errors
/// [`Stop`].
pub(super) async fn make(
    place: &Place<'_>,
    call: &Call,
    ready: Option<Box<Ready>>,
    held: Option<Claim>,
) -> Result<Came, Stop> {
    match (&call.kind, ready) {
        (CallKind::Ask { alias, .. }, Some(ready)) => ask(place, alias, call, *ready, held).await,
        (CallKind::Ask { .. }, None) => Err(Stop::Asked),
        (CallKind::Verify { name, verifier, input }, _) => verify(place, name, verifier, input).await,
    }
}

async fn ask(place: &Place<'_>, alias: &Alias, call: &Call, ready: Ready, held: Option<Claim>) -> Result<Came, Stop> {
    let Ready { nonce, question, rendered, key } = ready;
    let mut claim = held;
    if let (Some(store), None) = (&place.judging.store, &claim) {
        let identity = Identity::with(key, &rendered.url, &alias.model, call.sample, &question);
        match the_right(place, store, &Arc::new(identity)).await? {
            Looked::Stored(stored) if call.attempt == 0 => {
                place.judging.count_model(alias, &stored.reply);
                return Ok(Came::found(place.judging, key, *stored));
            }
            // Somebody stored another reply, and this one's question goes on.
            Looked::Stored(_) => {}
            Looked::Ask(right) => claim = right,
        }
    }
    drop(question);
    let reply = send(place, alias, &rendered).await?;
    if let Ok(reply) = &reply {
        place.judging.count_model(alias, reply);
    }
    Ok(Came { key: Some(key), nonce, reply, claim })
}

async fn verify(place: &Place<'_>, name: &str, verifier: &Verifier, input: &Json) -> Result<Came, Stop> {
    let judging = place.judging;
    let (mut key, mut claim) = (None, None);
    match judging.store.as_ref().and_then(|_| judging.digests.identity(name, verifier, input)) {
        None => {}
        Some(Err(failure)) => return Ok(Came::failed(failure)),
        Some(Ok(identity)) => {
            let its_key = identity.key;
            match look(place, &Arc::new(identity), None).await? {
                Looked::Stored(stored) => return Ok(Came::found(judging, its_key, *stored)),
                Looked::Ask(right) => (key, claim) = (Some(its_key), right),
            }
        }
    }
    let run = async {
        // Closed only with the process.
        let _place = judging.commands.acquire().await;
        verify::run(name, verifier, input).await
    };
    let reply = tokio::select! {
        reply = run => reply,
        () = judging.stopped() => return Err(Stop::Asked),
    };
    Ok(Came { key, nonce: String::new(), reply, claim })
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
    let (Some(store), None) = (&place.judging.store, &held) else { return Ok(Looked::Ask(held)) };
    if let Some(stored) = store.find(&identity.key).map_err(Stop::Store)? {
        return Ok(Looked::Stored(Box::new(stored)));
    }
    the_right(place, store, identity).await
}

/// The same for a call that has been looked up.
async fn the_right(place: &Place<'_>, store: &Store, identity: &Arc<Identity>) -> Result<Looked, Stop> {
    let mut wait = LOOK_AGAIN;
    loop {
        match store.claim(identity).await.map_err(Stop::Store)? {
            Claimed::Stored(stored) => return Ok(Looked::Stored(stored)),
            Claimed::Ours(ours) => return Ok(Looked::Ask(Some(ours))),
            Claimed::Theirs => {
                // Whoever asks may be a later record, which waits for its turn behind this one.
                place.give_way();
                place.judging.pause(wait).await?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::config::Config;
    use crate::judge::wire::{Chat, Content, Sampling};
    use std::path::Path;

    #[test]
    fn a_request_is_found_under_what_it_would_be_with_the_usual_nonce() {
        for dialect in ["openai", "anthropic", "gemini", "ollama"] {
            for more in ["", "extra = { a = { b = 1 } }"] {
                let text = format!("[models.m]\ndialect = \"{dialect}\"\nmodel = \"m\"\n{more}");
                let config = Config::parse(Path::new("rubric.toml"), &text).unwrap();
                let alias = config.alias("m").unwrap();
                // The candidate may hold the usual word.
                let question = |nonce: &str| {
                    let text = |text: String| Content::Text(text.into());
                    Question::Chat(Chat {
                        system: "You judge.".into(),
                        shared: vec![text(format!("é\n{PLACEHOLDER} {PLACEHOLDER}"))],
                        own: vec![text(format!("\"{nonce}\" and {nonce}{nonce}"))],
                        again: Vec::new(),
                        schema: Default::default(),
                        schema_name: "s",
                        sampling: Sampling::default(),
                    })
                };
                let usual = render(alias, &question(PLACEHOLDER)).unwrap();
                let identity = Identity::of(&usual.url, &alias.model, &usual.body, 3, &question(PLACEHOLDER));
                let nonce = "0123456789abcdef";
                let sent = render(alias, &question(nonce)).unwrap();
                assert_eq!(key_of_sent(alias, &sent, nonce, 3), identity.key, "{dialect} {more}");
                assert_ne!(key_of_sent(alias, &sent, nonce, 2), identity.key);
            }
        }
    }
}
