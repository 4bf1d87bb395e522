//! Questions to a model outside of judging: a text or a JSON object that becomes part of a rubric, not a judgment of one.
//!
//! An [`Author`] is one model with a store and a budget. [`Author::ask`] puts an [`Ask`] and hands the reply to the caller's
//! function, which says what it means or what is wrong with it; what is wrong is put to the model again, with the reason.
//! Everything else is as in a run that judges, because it is the same code: dialects and limits of servers, retries, the
//! store (what makes two asks the same is every byte that is sent, so resuming is asking again; only replies that conform
//! are stored), ceilings of calls and costs, models that are given up, what Ctrl-C does ([`watched`]).
//!
//! Any number of asks may be under way at once, and nothing here depends on which of them is answered first. It knows no
//! rubric, writes no prompt and prints nothing. A reply carries no nonce: material that is shown to the model belongs
//! between fences ([`crate::judge::ask::fence`]).

mod embed;
mod stop;

pub use embed::Embedder;
pub use stop::{Watch, watched};

use crate::judge::ask::AGAIN;
use crate::judge::budget::Budget;
use crate::judge::config::{Alias, Config};
use crate::judge::schedule::{Judging, Put, Stop, Turn};
use crate::judge::store::{Asked, Key, Store, StoreError};
use crate::judge::wire::{Answer, Chat, Content, Failure, FailureKind, Question, Reply, Sampling, Usage};
use serde_json::Value as Json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A model that writes, with what it may spend and where its replies are kept. Clones are the same author.
#[derive(Clone)]
pub struct Author {
    judging: Arc<Judging>,
    alias: Arc<Alias>,
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What is written and of what, for people who look into the store: a command, a step of it, what it is about.
    pub purpose: Purpose,
    /// Whose turn at the budget it is: see [`Author::turn`]. 0 where there is one task.
    pub task: u64,
    /// The instructions, the same for all questions of a kind.
    pub system: Arc<str>,
    /// What several questions share, first, so that servers can cache it. Ends with its line breaks.
    pub shared: Vec<Content>,
    /// What only this one asks.
    pub own: Vec<Content>,
    /// Earlier turns of the conversation, oldest first: a reply, and what was said to it. They are part of the question.
    pub again: Vec<(String, String)>,
    /// The form of the reply, as [`Chat::schema`]; `None`: plain text.
    pub schema: Option<Json>,
    pub sampling: Sampling,
    /// How often a reply that does not conform is asked for again.
    pub retries: u32,
}

/// What an ask is for. No part of what makes two asks the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// The command, such as `expand`.
    pub command: Arc<str>,
    pub step: Arc<str>,
    /// What it is about: the id of a question, the name of a file.
    pub about: Arc<str>,
}

/// Tokens of a request and its reply, before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// Tokens of the request, estimated: four bytes of text make one, an image 1,000.
    pub input: u64,
    /// The most tokens of the reply.
    pub most_output: u64,
}

impl Ask {
    /// An ask for plain text with the usual retries.
    #[must_use]
    pub fn new(purpose: Purpose, system: Arc<str>, own: String) -> Ask {
        Ask {
            purpose,
            task: 0,
            system,
            shared: Vec::new(),
            own: vec![Content::Text(own.into())],
            again: Vec::new(),
            schema: None,
            sampling: Sampling::default(),
            retries: AGAIN,
        }
    }
}

/// A reply that conforms.
#[derive(Debug, Clone, PartialEq)]
pub struct Said<T> {
    /// What the caller's function read.
    pub value: T,
    pub text: String,
    /// As the server names it.
    pub model: String,
    /// Tokens of this call; what was counted when it was made, where it comes out of the store.
    pub usage: Usage,
    pub from_store: bool,
    /// What identifies the question in the store.
    pub key: Key,
    /// Replies before it that did not conform, and what was wrong with each.
    pub refused: Vec<(String, String)>,
}

/// Why there is no reply that conforms.
#[derive(Debug, Clone)]
pub enum Unsaid {
    /// There is no reply; the kind says whether the model, the server or the budget is why.
    Failed(Failure),
    /// No reply conformed: each, with what was wrong with it. At least one.
    Unfit(Vec<(String, String)>),
    /// Somebody stopped it.
    Stopped,
    /// Replies cannot be kept.
    Store(StoreError),
}

impl std::fmt::Display for Unsaid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unsaid::Failed(failure) => {
                let what = match failure.kind {
                    FailureKind::Refused => "the model declined to answer",
                    FailureKind::Filtered => "a filter held the reply back",
                    FailureKind::Truncated => "the reply was cut off",
                    FailureKind::Malformed => "the reply of the server cannot be read",
                    FailureKind::NoCredit => "no credit is left",
                    FailureKind::Unauthorised => "the key is not accepted",
                    FailureKind::Rejected => "the server does not take the request",
                    FailureKind::Outage => "the server gave no answer",
                    FailureKind::Budget => "the budget ended",
                    FailureKind::Cancelled => "it was stopped",
                };
                write!(f, "{what}: {}", failure.detail)
            }
            Unsaid::Unfit(replies) => {
                let why = replies.last().map_or("", |(_, why)| why.as_str());
                write!(f, "{} replies did not conform; what is wrong with the last: {why}", replies.len())
            }
            Unsaid::Stopped => f.write_str("it was stopped"),
            Unsaid::Store(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Unsaid {}

impl From<Stop> for Unsaid {
    fn from(stop: Stop) -> Unsaid {
        match stop {
            Stop::Asked => Unsaid::Stopped,
            Stop::Store(error) => Unsaid::Store(error),
        }
    }
}

impl Author {
    /// The model of an alias, once it is certain that it can be asked within the budget. Without a store nothing is kept.
    ///
    /// # Errors
    /// A sentence: there is no such alias, its key is missing, it writes no text, or a ceiling of costs needs its price.
    pub fn open(config: Config, alias: &str, store: Option<Store>, budget: Budget) -> Result<Author, String> {
        let alias = Arc::clone(config.alias(alias)?);
        if alias.dialect.embeds() {
            return Err(format!(
                "the model `{}` (`{}`) turns texts into vectors and writes no text; name a chat model",
                alias.name, alias.model
            ));
        }
        if alias.dialect.decides() {
            return Err(format!(
                "the model `{}` (`{}`) answers by probabilities and writes no text; name a chat model",
                alias.name, alias.model
            ));
        }
        let judging = Judging::new(config, store, budget, PathBuf::new());
        judging.budget.check(&alias)?;
        judging.client.ready(&alias).map_err(|failure| failure.detail)?;
        Ok(Author { judging: Arc::new(judging), alias })
    }

    /// The model.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// What was asked and spent so far, and where replies are kept.
    #[must_use]
    pub fn judging(&self) -> &Judging {
        &self.judging
    }

    /// Takes a turn for a task, which is several asks that are worth little alone. Where there is a ceiling, tasks are served
    /// in the order of their numbers, each until its turn is dropped, so that a budget buys whole tasks; without one all at once.
    /// Take turns in that order, before the first ask of any.
    #[must_use]
    pub fn turn(&self, task: u64) -> Turn {
        Judging::turn(&self.judging, task)
    }

    /// Whether the answer to an ask is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn knows(&self, ask: &Ask) -> Result<bool, StoreError> {
        self.judging.knows(&self.alias, &ask.question(&[]))
    }

    /// What a request weighs, as it would be sent, and how long its reply may be. Asks nobody.
    ///
    /// # Errors
    /// The model cannot be asked this: a picture for one that sees none, for instance.
    pub fn weigh(&self, ask: &Ask) -> Result<Weight, Failure> {
        self.judging.weigh(&self.alias, &ask.question(&[])).map(|(input, most_output)| Weight { input, most_output })
    }

    /// Asks. `read` says what a reply means, or what is wrong with it, in words for whoever wrote it. It must say the same of
    /// the same text each time.
    ///
    /// # Errors
    /// [`Unsaid`].
    pub async fn ask<T>(&self, ask: &Ask, read: impl Fn(&str) -> Result<T, String>) -> Result<Said<T>, Unsaid> {
        let first = ask.question(&[]);
        let mut refused: Vec<(String, String)> = Vec::new();
        let mut held = None;
        loop {
            let question = if refused.is_empty() { first.clone() } else { ask.question(&refused) };
            let put = self.judging.put(ask.task, &self.alias, &first, &question, held.take()).await?;
            let Put { key, reply, stored, claim } = put;
            let reply = reply.map_err(Unsaid::Failed)?;
            let Answer::Text { text, .. } = &reply.answer else {
                let detail = "the reply is no text";
                return Err(Unsaid::Failed(Failure::new(FailureKind::Malformed, detail)));
            };
            match read(text) {
                Ok(value) => {
                    self.judging.keep(claim, &ask.purpose.asked(), &reply).await?;
                    let Reply { model, usage, .. } = reply.clone();
                    return Ok(Said { value, text: text.clone(), model, usage, from_store: stored, key, refused });
                }
                Err(why) => {
                    refused.push((text.clone(), why));
                    if refused.len() > ask.retries as usize {
                        self.judging.counts.failed.fetch_add(1, Ordering::Relaxed);
                        return Err(Unsaid::Unfit(refused));
                    }
                    self.judging.counts.again.fetch_add(1, Ordering::Relaxed);
                    held = claim;
                }
            }
        }
    }
}

impl Ask {
    /// The question as it is sent, after these replies that did not conform.
    fn question(&self, refused: &[(String, String)]) -> Question {
        let again = refused.iter().map(|(reply, why)| {
            let said =
                format!("That reply cannot be used: {why}. Write the whole answer again, in the form asked for.");
            (reply.clone(), said)
        });
        Question::Chat(Chat {
            system: Arc::clone(&self.system).into(),
            shared: self.shared.clone(),
            own: self.own.clone(),
            again: self.again.iter().cloned().chain(again).collect(),
            schema: self.schema.clone().unwrap_or(Json::Null).into(),
            schema_name: "reply",
            sampling: self.sampling.clone(),
        })
    }
}

impl Purpose {
    fn asked(&self) -> Arc<Asked> {
        Arc::new(Asked {
            program: "".into(),
            program_name: Arc::clone(&self.command),
            criterion: Arc::clone(&self.step),
            record: Arc::clone(&self.about),
            candidate: "".into(),
        })
    }
}
