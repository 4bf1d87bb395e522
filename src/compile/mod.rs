//! From a policy in prose to a program: a language model writes it, and the checker alone accepts it (Compile of
//! "Graph-Structured Rubrics", arXiv 2608.12097, equation 5).
//!
//! [`Compiler`] goes step by step and asks nobody itself: it says what to put to a model ([`Next::Ask`]), is told the reply, and
//! says when it is over. The model is shown the specification S ([`specification`]), the catalogue Λ and the language by
//! example ([`prompt`]). Its reply is checked as `rubric check` would, fixes applied, and held against the task contract
//! ([`answer`], [`contract`]). What is wrong goes back with the program, as often as repairs are allowed. The first program
//! without errors is taken; where there is none, all attempts are a recorded failure, and nothing is guessed.
//!
//! It does not know whether a program means what the policy means. [`explain`] shows which clause led to what, so that a person
//! can see. [`provenance`] writes down where a program came from. [`grammar`] is the language for decoding bound to it.

pub mod answer;
mod catalogue;
pub mod contract;
pub mod explain;
pub mod grammar;
pub mod prompt;
pub mod provenance;
pub mod records;
pub mod specification;
#[cfg(test)]
mod tests;

use crate::graph::Program;
use answer::{Checked, Form};
use specification::Specification;
use std::sync::Arc;

/// What is put to a model: the specification, which all attempts share, and what this attempt asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub system: Arc<str>,
    pub shared: Arc<str>,
    pub own: Arc<str>,
}

/// A reply, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Said {
        text: String,
        model: String,
        input: u64,
        output: u64,
        from_store: bool,
    },
    /// The model declined, a filter held the reply back, or it was cut off: `kind` is the reason's word.
    Unsaid {
        kind: String,
        detail: String,
    },
}

/// One attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub reply: Reply,
    /// What was found; `None` where nothing was said.
    pub checked: Option<Checked>,
}

/// What comes next.
#[derive(Debug, Clone)]
pub enum Next {
    /// Put this to the model, then [`Compiler::told`].
    Ask(Question),
    /// The last attempt is a program.
    Accepted(Arc<Program>),
    /// No attempt is one.
    Failed,
}

/// A compilation under way.
#[derive(Debug, Clone)]
pub struct Compiler {
    pub specification: Specification,
    pub form: Form,
    /// Attempts after the first.
    pub repairs: u32,
    pub attempts: Vec<Attempt>,
}

impl Compiler {
    #[must_use]
    pub fn new(specification: Specification, form: Form, repairs: u32) -> Compiler {
        Compiler { specification, form, repairs, attempts: Vec::new() }
    }

    /// What comes next.
    #[must_use]
    pub fn next(&self) -> Next {
        let last = self.attempts.last();
        if let Some(program) = last.and_then(|attempt| attempt.checked.as_ref()).and_then(Checked::program) {
            return Next::Accepted(Arc::clone(program));
        }
        if self.attempts.len() > self.repairs as usize {
            return Next::Failed;
        }
        Next::Ask(prompt::question(&self.specification, self.form, last, self.attempts.len()))
    }

    /// Takes a reply. Beyond the last attempt it changes nothing.
    pub fn told(&mut self, reply: Reply) {
        if !matches!(self.next(), Next::Ask(_)) {
            return;
        }
        let checked = match &reply {
            Reply::Said { text, .. } => Some(answer::check(text, &self.specification.contract)),
            Reply::Unsaid { .. } => None,
        };
        self.attempts.push(Attempt { reply, checked });
    }

    /// The accepted program as it is to be written, with what it came from in front.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let checked = self.attempts.last()?.checked.as_ref()?;
        Some(answer::written(checked, checked.program()?, self.form))
    }
}
