//! What is sent to a model's server and what comes back, whatever dialect the server speaks.
//!
//! [`render()`] turns a [`Question`] into the bytes of a request, without any I/O: what a judgment is stored under and what
//! `rubric prompt` shows. [`Client::send`] puts the key on it, sends it within the limits of its server, waits and sends
//! again where that may help, and reads the bytes that come back into a [`Reply`] or a [`Failure`] ([`read()`]). What the seven
//! dialects differ in stands in [`dialects`], one file each.
//!
//! A reply is only what its dialect says it may be: one that was cut off, refused, filtered, that answers something else
//! than what was asked, or whose probabilities are none, is a failure with its kind. Whether a *text* answers a criterion is
//! not known here; `ask` reads it.
//!
//! *Architecture Invariant:* keys are added in [`client`] only, as the last thing before a request goes out, and whatever a
//! server says passes through [`secret::redact`] before anyone else sees it.

mod client;
mod dialects;
mod failure;
mod fixed;
mod read;
mod render;
mod schema;
mod secret;
mod value;
mod wait;

pub use client::Client;
pub use fixed::Fixed;
pub use read::read;
pub use render::{Asked, Rendered, render};
pub use schema::Schema;

use crate::number::Number;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One request to one model. Where a text holds the nonce, it is already in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    Chat(Chat),
    Decide(Decide),
    /// Texts whose vectors are asked for; at least one, none of them empty.
    Embed(Arc<[Arc<str>]>),
}

/// A request that is answered in text, bound to a schema where the server can.
#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    /// The instructions that never change within a run.
    pub system: Fixed,
    /// What many requests of a record share, in order, so that servers can cache it as a prefix. Texts are put one after the
    /// other as they stand: whoever makes them ends them with their line breaks.
    pub shared: Vec<Content>,
    /// What only this request asks, after `shared` in the same message.
    pub own: Vec<Content>,
    /// Replies that did not conform and what was said to each, oldest first; they follow as turns of the conversation.
    pub again: Vec<(String, String)>,
    /// Draft 2020-12, objects closed and all keys required; without `minimum`, `maximum` and lengths, which some servers
    /// refuse: whoever reads the reply checks them. `null`: the reply is plain text, bound to nothing.
    pub schema: Schema,
    /// A word for the schema.
    pub schema_name: &'static str,
    pub sampling: Sampling,
}

/// How a reply is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampling {
    /// `None`: the server's own.
    pub temperature: Option<Number>,
    /// Most tokens of the reply; `None`: the alias's.
    pub max_tokens: Option<u32>,
    /// Best effort, where the server takes one.
    pub seed: Option<u64>,
    /// Ask for this many alternatives per token (1 to 20); 0: no log-probabilities.
    pub top_logprobs: u8,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(Arc<str>),
    /// An `image` field: a `data:` address or one the server can fetch.
    Image(Arc<str>),
}

/// A request to a decision model: a state and typed questions, each answered by probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Decide {
    pub state: Json,
    /// By ids that are unique per request, in order.
    pub questions: Vec<(Arc<str>, DecideQuestion)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DecideQuestion {
    /// Yes or no. The descriptions of the outcomes may be absent.
    Predicate { instructions: String, yes: Option<String>, no: Option<String> },
    /// 2 to 255 options, each a value and its description.
    Choice { instructions: String, options: Vec<(String, Option<String>)> },
    /// 2 to 10 levels from the lowest up, each a label and its description.
    Score { instructions: String, levels: Vec<(String, Option<String>)> },
}

/// What a server answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The id of the model that answered, as the server says it.
    pub model: String,
    pub usage: Usage,
    pub answer: Answer,
    /// What the server of a decision model says about how it came to its answers; kept, and read by nobody here.
    pub diagnostics: Diagnostics,
}

/// By question id: names with numbers, yes or no. vLLM tells `label_mass`, the share of probability that the allowed answers
/// had among all tokens, and `argmax_is_label`, whether the most probable token was one of them.
pub type Diagnostics = BTreeMap<String, Map<String, Json>>;

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Text {
        text: String,
        /// Per token of the reply, where they were asked for and given.
        logprobs: Vec<Token>,
    },
    /// By question id.
    Decisions(BTreeMap<String, Decision>),
    /// One for each text, in their order: finite numbers, not all of them 0, and as many for each text.
    Vectors(Vec<Vec<f32>>),
}

/// How alike two vectors are: the cosine of the angle between them, from -1 to 1.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    (product(a, b) / (product(a, a) * product(b, b)).sqrt()).clamp(-1.0, 1.0)
}

/// A token of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub text: String,
    /// The alternatives with the natural logarithm of their probabilities, the drawn one among them.
    pub top: Vec<(String, f64)>,
}

/// A decision model's answer to one question. Probabilities are as the server wrote them; they may be rounded.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The probability of yes.
    Predicate(Number),
    Choice {
        choice: String,
        probabilities: Vec<(String, Number)>,
    },
    /// The probability of each level, from the lowest up.
    Score {
        probabilities: Vec<Number>,
    },
    /// The model refused this question.
    Refused,
}

/// Tokens as the server counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// All tokens of the request, cached ones included.
    pub input: u64,
    /// Of these, read from the server's cache.
    pub cached: u64,
    /// Of these, written into the server's cache, where it says so.
    pub cache_written: u64,
    /// Tokens of the reply, hidden reasoning included.
    pub output: u64,
}

/// Why there is no reply to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// In words, without secrets: what the server said, at most a few hundred characters.
    pub detail: String,
    /// What it cost all the same.
    pub usage: Usage,
}

impl Failure {
    /// A failure that cost nothing.
    #[must_use]
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Failure {
        Failure { kind, detail: detail.into(), usage: Usage::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// The model declined to answer.
    Refused,
    /// A content filter held the reply back.
    Filtered,
    /// The reply ended at its limit of tokens.
    Truncated,
    /// The server's reply is not what its dialect says.
    Malformed,
    /// The account has no credit or quota left; asking again is useless.
    NoCredit,
    /// The key is wrong, absent or not allowed.
    Unauthorised,
    /// The server says that the request is wrong, for instance a parameter that it does not take.
    Rejected,
    /// Rate limited, overloaded, unreachable or out of time, after all retries.
    Outage,
    /// Not asked, because a ceiling of calls or costs was reached.
    Budget,
    /// Stopped by the person who runs it.
    Cancelled,
}
