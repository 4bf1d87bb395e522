//! What a criterion asks of whom, and whether what comes back is an answer. It does no I/O.
//!
//! An [`Asker`] is a program with its models. [`Asker::plan`] says what of a record is still to be judged, as [`Asking`]s:
//! groups of judgments that are asked together. Each says which [`Call`]s may go out, is told what came of them, and in the end
//! has its answers, in the form of recorded judgments. Whoever drives it sends the calls, in any order and number at once, and
//! stores what conforms:
//!
//! ```text
//! for (id, call) in asking.calls() {
//!     key of the store   <- call.identity(PLACEHOLDER)     the same in every run
//!     sent to the server <- call.question(fresh nonce)     a stored reply is read with its own nonce
//!     asking.answered(id, nonce, reply)                    Conforms: store it; Again: `calls` has it once more
//! }
//! asking.done() -> answers
//! ```
//!
//! | file | what it knows |
//! | --- | --- |
//! | `fence`, `show`, `images` | how material is shown and kept apart from instructions |
//! | `prompt`, `form`, `order` | what is asked, and the form of the answer |
//! | `reply`, `probable` | whether a chat model's reply is an answer |
//! | `decide` | questions and answers of decision models |
//! | `verify` | commands that judge |
//! | `core`, `asking`, `confidence` | which calls, again, samples, parts, cascades |

mod asking;
mod confidence;
mod core;
mod decide;
pub mod fence;
mod form;
mod images;
mod order;
mod probable;
mod prompt;
mod reply;
mod show;
#[cfg(test)]
mod tests;
pub mod verify;

use crate::graph::Program;
use crate::judge::config::{Alias, Config, Verifier};
use crate::judge::wire::Question;
use crate::run::Missing;
use crate::run::judgment::Judged;
use crate::run::record::Record;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

pub use self::core::AGAIN;
pub use asking::{Asking, missing};
pub use images::Folder;
pub use prompt::SYSTEM;
pub use reply::json;
pub use show::{Images, ReadImage};

/// The nonce of requests that are not sent: of the store's keys, and of `rubric prompt`.
pub const PLACEHOLDER: &str = "NONCE";

/// A program with the models and commands that judge it.
#[derive(Debug, Clone)]
pub struct Asker {
    core: Arc<self::core::Core>,
    images: Images,
    run: u32,
}

impl Asker {
    /// Finds the models of every criterion. `folder` is where images are that records name: that of the records.
    ///
    /// # Errors
    /// Everything that is wrong before the first call, a sentence each that names the criterion: models that do not exist
    /// or cannot do what is asked, verifiers that may not run.
    pub fn new(program: &Arc<Program>, config: &Config, folder: &Path) -> Result<Asker, Vec<String>> {
        let core = Arc::new(self::core::Core::new(program, config)?);
        Ok(Asker { core, images: Arc::new(Folder(folder.to_owned())), run: 0 })
    }

    /// The same for one of several runs over the same records, from 0. Models answer each of them independently: a run's samples
    /// count on from those of the run before. Verifiers are asked as ever.
    #[must_use]
    pub fn of_run(&self, run: u32) -> Asker {
        Asker { run, ..self.clone() }
    }

    /// What of a record's judgments is to be asked: those of models and verifiers that were not recorded.
    #[must_use]
    pub fn plan(&self, record: &Record, judged: &Judged) -> Vec<Asking> {
        self.core.plan(record, judged, &self.images, self.run)
    }

    /// Whether the program asks anybody at all.
    #[must_use]
    pub fn asks(&self) -> bool {
        !self.core.judges.is_empty()
    }
}

/// Names a call of one [`Asking`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    job: usize,
    attempt: u32,
}

/// One call to make.
#[derive(Debug, Clone)]
pub struct Call {
    /// From 0: the n-th time that this model is asked the same. Part of a stored reply's identity.
    pub sample: u32,
    /// The candidate's place, where the call is about one.
    pub candidate: Option<usize>,
    /// The names of the criteria and items that it asks about.
    pub about: Vec<String>,
    /// From 0: above it, a reply before did not conform.
    pub attempt: u32,
    pub kind: CallKind,
}

/// Who is called.
#[derive(Debug, Clone)]
pub enum CallKind {
    /// A model.
    Ask { alias: Arc<Alias>, prompt: Prompt },
    /// A command; run it with [`verify::run`]. It has neither nonce nor second attempt.
    Verify { name: Arc<str>, verifier: Arc<Verifier>, input: Json },
}

/// A request that lacks only its nonce.
#[derive(Debug, Clone)]
pub enum Prompt {
    #[doc(hidden)]
    Chat(ChatPrompt),
    #[doc(hidden)]
    Decide(DecidePrompt),
}

/// Opaque.
#[derive(Debug, Clone)]
pub struct ChatPrompt(Arc<prompt::ChatPrompt>);

/// Opaque.
#[derive(Debug, Clone)]
pub struct DecidePrompt(Arc<decide::Deciding>);

impl Call {
    /// The alias of the model that is asked; `None`: a verifier.
    #[must_use]
    pub fn alias(&self) -> Option<&Arc<Alias>> {
        match &self.kind {
            CallKind::Ask { alias, .. } => Some(alias),
            CallKind::Verify { .. } => None,
        }
    }

    /// The request as it is sent, with a nonce that nobody could know; `None` of a verifier. A nonce is letters and digits.
    #[must_use]
    pub fn question(&self, nonce: &str) -> Option<Question> {
        self.with(nonce, true)
    }

    /// The request without what is said when it is asked again: with [`PLACEHOLDER`] it is the same in every run, and is
    /// what a stored reply is found by. So a reply to the third attempt is found where the first would be made.
    #[must_use]
    pub fn identity(&self, nonce: &str) -> Option<Question> {
        self.with(nonce, false)
    }

    fn with(&self, nonce: &str, again: bool) -> Option<Question> {
        match &self.kind {
            CallKind::Ask { prompt: Prompt::Chat(prompt), .. } => Some(Question::Chat(prompt.0.chat(nonce, again))),
            CallKind::Ask { prompt: Prompt::Decide(prompt), .. } => Some(Question::Decide(prompt.0.request(nonce))),
            CallKind::Verify { .. } => None,
        }
    }
}

/// What a reply is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It answers everything that was asked: it may be stored.
    Conforms,
    /// It answers only a part; what it leaves open is missing for this reason. It is not stored, so that another run asks
    /// again.
    Partly(Missing),
    /// It does not conform, and why; [`Asking::calls`] has the call once more.
    Again(String),
    /// There is no answer, for this reason.
    Failed(Missing),
}
