//! One call: looked up, claimed, paid for, sent. Whether the reply conforms is for [`super::super::ask`] to say.

use super::{Judging, Stop};
use crate::judge::ask::Call;
use crate::judge::config::Alias;
use crate::judge::store::{Asked, Claim, Claimed, Identity, NONCE};
use crate::judge::wire::{self, Failure, FailureKind, Question, Rendered, Reply, Usage};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long to wait before looking again whether somebody else's call has come back.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const LOOK_AGAIN_MOST: Duration = Duration::from_millis(500);

/// What came of a call.
pub(super) struct Came {
    pub(super) identity: Arc<Identity>,
    /// The nonce that the reply carries.
    pub(super) nonce: String,
    pub(super) reply: Result<Reply, Failure>,
    /// The right to store the reply; `None` where it came out of the store, or there is none.
    pub(super) claim: Option<Claim>,
}

/// What identifies a call, and whether it asks again because of the form of an earlier reply: it then has the identity of
/// the first, under which it is stored.
pub(super) fn identify(alias: &Alias, sample: u32, mut question: Question) -> Result<(Identity, bool), Failure> {
    let again = match &mut question {
        Question::Chat(chat) if !chat.again.is_empty() => {
            chat.again.clear();
            true
        }
        _ => false,
    };
    let rendered = render(alias, &question)?;
    Ok((Identity::of(&rendered.url, &alias.model, &rendered.body, sample, &question), again))
}

fn render(alias: &Alias, question: &Question) -> Result<Rendered, Failure> {
    wire::render(alias, question).map_err(|why| failure(FailureKind::Rejected, why))
}

pub(super) fn failure(kind: FailureKind, detail: String) -> Failure {
    Failure { kind, detail, usage: Usage::default() }
}

/// Finds or makes a call. `held`: the right to ask, where an earlier reply to the same question did not conform.
pub(super) async fn ask(judging: &Judging, call: &Call, held: Option<Claim>, asked: &Asked) -> Result<Came, Stop> {
    let alias = &call.alias;
    let (identity, again) = match identify(alias, call.sample, call.question(NONCE)) {
        Ok((identity, again)) => (Arc::new(identity), again),
        Err(failure) => {
            let identity = Arc::new(Identity::of("", &alias.model, b"", call.sample, &call.question(NONCE)));
            return Ok(Came { identity, nonce: String::new(), reply: Err(failure), claim: None });
        }
    };
    let claim = match (&judging.store, held) {
        (None, _) => None,
        (Some(_), Some(claim)) => Some(claim),
        (Some(store), None) => {
            let mut found = if again { None } else { store.find(&identity.key).map_err(Stop::Store)? };
            let mut wait = LOOK_AGAIN;
            let mut claim = None;
            while found.is_none() && claim.is_none() {
                match store.claim(&identity).await.map_err(Stop::Store)? {
                    Claimed::Stored(stored) => found = Some(*stored),
                    Claimed::Ours(ours) => claim = Some(ours),
                    Claimed::Theirs => {
                        judging.pause(wait).await?;
                        wait = (wait * 2).min(LOOK_AGAIN_MOST);
                    }
                }
            }
            if let Some(stored) = found {
                judging.counts.found.fetch_add(1, Ordering::Relaxed);
                return Ok(Came { identity, nonce: stored.nonce, reply: Ok(stored.reply), claim: None });
            }
            claim
        }
    };
    let _ = asked;
    let nonce = format!("{:016x}", rand::random::<u64>());
    let reply = match render(alias, &call.question(&nonce)) {
        Ok(rendered) => send(judging, alias, &rendered).await?,
        Err(failure) => Err(failure),
    };
    Ok(Came { identity, nonce, reply, claim })
}

async fn send(judging: &Judging, alias: &Alias, rendered: &Rendered) -> Result<Result<Reply, Failure>, Stop> {
    if let Some(failure) = judging.given_up(alias) {
        return Ok(Err(failure));
    }
    let reserved = tokio::select! {
        reserved = judging.budget.reserve(alias, rendered) => reserved,
        () = judging.stopped() => return Err(Stop::Asked),
    };
    let reservation = match reserved {
        Ok(reservation) => reservation,
        Err(failure) => return Ok(Err(failure)),
    };
    if judging.is_stopped() {
        return Err(Stop::Asked);
    }
    // A call that is under way is waited for, because it is paid for; the run's end drops it where that takes too long.
    judging.counts.under_way.fetch_add(1, Ordering::Relaxed);
    let reply = judging.client.send(alias, rendered).await;
    judging.counts.under_way.fetch_sub(1, Ordering::Relaxed);
    let usage = match &reply {
        Ok(reply) => reply.usage,
        Err(failure) => failure.usage,
    };
    reservation.settle(alias, &usage);
    judging.note(alias, &reply);
    Ok(reply)
}
