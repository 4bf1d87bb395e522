//! Calls that belong to no record of a run: a question that somebody outside of judging puts to a model.
//!
//! They go the same way as those of records: looked up in the store, claimed, paid for within the ceilings, sent within the
//! limits of their server. What is an answer, whoever asks has to say; what it calls one is stored.
//!
//! Where there is a ceiling, tasks are served one after the other, so that what a budget buys is whole tasks.

use super::call::{self, Looked, Place};
use super::{Judging, Stop};
use crate::judge::config::Alias;
use crate::judge::store::{Asked, Claim, Identity, Key, StoreError};
use crate::judge::wire::{Failure, FailureKind, Question, Reply};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A task's turn at the budget. Dropped, the next task has its turn.
pub struct Turn {
    judging: Arc<Judging>,
    task: u64,
}

/// What came of a question.
pub struct Put {
    /// What identifies it.
    pub key: Key,
    pub reply: Result<Reply, Failure>,
    /// Whether the reply was stored before; it cost nothing then.
    pub stored: bool,
    /// The right to store the reply, or to put the question again.
    pub claim: Option<Claim>,
}

impl Judging {
    /// Takes a turn. The numbers of tasks rise in the order in which they are to be served.
    #[must_use]
    pub fn turn(self: &Arc<Self>, task: u64) -> Turn {
        self.budget.line_up(task, u64::MAX);
        Turn { judging: Arc::clone(self), task }
    }

    /// Looks an answer to `question` up, or asks. `first` is the question under which an answer is stored: the same one, or
    /// the one that `question` puts again, with `held`, the right that came back with the reply to it.
    ///
    /// # Errors
    /// [`Stop`].
    pub async fn put(
        &self,
        task: u64,
        alias: &Alias,
        first: &Question,
        question: &Question,
        held: Option<Claim>,
    ) -> Result<Put, Stop> {
        let rendered = call::render(alias, first);
        let identified = rendered.map(|r| (Identity::of(&r.url, &alias.model, &r.body, 0, first), r));
        let (identity, rendered) = match identified {
            Ok((identity, rendered)) => (Arc::new(identity), rendered),
            Err(failure) => return Ok(Put { key: Key([0; 32]), reply: Err(failure), stored: false, claim: None }),
        };
        let key = identity.key;
        let again = first != question;
        let place = Place::of_task(self, task);
        let claim = match call::look(&place, &identity, held).await? {
            Looked::Stored(stored) if !again => {
                self.counts.found.fetch_add(1, Ordering::Relaxed);
                return Ok(Put { key, reply: Ok(stored.reply), stored: true, claim: None });
            }
            Looked::Stored(_) => None,
            Looked::Ask(claim) => claim,
        };
        let rendered = if again { call::render(alias, question) } else { Ok(rendered) };
        let reply = match rendered {
            Ok(rendered) => call::send(&place, alias, &rendered).await?,
            Err(failure) => Err(failure),
        };
        if reply.as_ref().is_err_and(|failure| failure.kind != FailureKind::Budget) {
            self.counts.failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Put { key, reply, stored: false, claim })
    }

    /// Whether the answer to a question is stored. One that this model cannot be asked is not.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn knows(&self, alias: &Alias, question: &Question) -> Result<bool, StoreError> {
        let (Some(store), Ok(rendered)) = (&self.store, call::render(alias, question)) else { return Ok(false) };
        let identity = Identity::of(&rendered.url, &alias.model, &rendered.body, 0, question);
        Ok(store.find(&identity.key)?.is_some())
    }

    /// Tokens of a request, estimated, and the most tokens of its reply. Asks nobody.
    ///
    /// # Errors
    /// This model cannot be asked that.
    pub fn weigh(&self, alias: &Alias, question: &Question) -> Result<(u64, u64), Failure> {
        call::render(alias, question).map(|rendered| (rendered.tokens, u64::from(rendered.max_tokens)))
    }

    /// Stores an answer, if answers are stored.
    ///
    /// # Errors
    /// [`Stop::Store`].
    pub async fn keep(&self, claim: Option<Claim>, asked: &Arc<Asked>, reply: &Reply) -> Result<(), Stop> {
        match claim {
            Some(claim) => claim.put(asked, "", reply).await.map_err(Stop::Store),
            None => Ok(()),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.judging.budget.leave(self.task, u64::MAX);
    }
}
