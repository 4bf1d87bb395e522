//! What is compared: lines of results, and labels from people; both read line by line, and refused where a line cannot be
//! read, because a figure over half of a file would say something else than it seems to.

pub mod labels;
pub mod results;

use super::report::Options;
use crate::number::Number;
use crate::run::result::Status;
use results::Outcome;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// What keeps files from being compared, in words for whoever named them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}`{}: {reason}", path.display(), line.map_or(String::new(), |line| format!(", {} {line}", place(path))))]
pub struct InputFault {
    pub path: PathBuf,
    /// From 1, where it is about a line.
    pub line: Option<u64>,
    pub reason: String,
}

/// What is counted in a file.
fn place(path: &Path) -> &'static str {
    if crate::run::columns::is_named(path) { "row" } else { "line" }
}

impl InputFault {
    #[must_use]
    pub fn new(path: &Path, line: Option<u64>, reason: impl Into<String>) -> InputFault {
        InputFault { path: path.to_owned(), line, reason: reason.into() }
    }
}

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Numbers.
    Points,
    /// Words.
    Classes,
    /// `true` and `false`.
    Truth,
    /// Who is preferred.
    Pairs,
}

impl Task {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Task::Points => "points",
            Task::Classes | Task::Truth => "classes",
            Task::Pairs => "pairs",
        }
    }
}

/// How values are read and compared.
#[derive(Debug, Clone)]
pub struct Reading {
    pub task: Task,
    /// The labels of an ordinal, lowest first; where there are any, words count as their place from 0.
    pub order: Vec<String>,
}

/// A value that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Number(f64),
    /// A class, or the candidate that is preferred.
    Word(String),
    Tie,
}

/// The word for a tie where a label is a plain word.
pub const TIE_WORD: &str = "tie";

impl Reading {
    /// How a readout that says such values is compared.
    #[must_use]
    pub fn new(task: Task, options: &Options) -> Reading {
        let task = match task {
            Task::Points if options.as_classes => Task::Classes,
            Task::Classes if !options.order.is_empty() => Task::Points,
            task => task,
        };
        Reading { task, order: options.order.clone() }
    }

    /// What a result says, as it is compared.
    ///
    /// # Errors
    /// The inner one is why it says nothing, the outer one that it says what cannot be compared.
    pub fn said(&self, readout: &str, outcome: Outcome) -> Result<Result<Said, Status>, String> {
        let wrong = |what: String| Err(format!("`{}` is {what} here, and was something else before", readout));
        Ok(Ok(match (outcome, self.task) {
            (Outcome::Abstained, _) => return Ok(Err(Status::Abstained)),
            (Outcome::Open, _) => return Ok(Err(Status::Open)),
            (Outcome::Number(number), Task::Points) => Said::Number(number),
            (Outcome::Number(number), Task::Classes) => Said::Word(class_of(number)),
            (Outcome::Word(word), Task::Points) => match self.place(&word) {
                Some(place) => Said::Number(place),
                None => return Err(format!("`{}` is {word:?} here, which is none of the words of `--order`", readout)),
            },
            (Outcome::Word(word), Task::Classes) => Said::Word(word),
            (Outcome::Truth(truth), Task::Truth | Task::Classes) => Said::Word(truth.to_string()),
            (Outcome::Winner(winner), Task::Pairs) => Said::Word(winner),
            (Outcome::Tie, Task::Pairs) => Said::Tie,
            (other, _) => return wrong(format!("{other:?}")),
        }))
    }

    /// Reads a value that a person or a table gave; `None` where nothing is there (`null`, an empty cell).
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn value(&self, json: &Json) -> Result<Option<Said>, String> {
        match json {
            Json::Null => return Ok(None),
            Json::String(text) if text.trim().is_empty() => return Ok(None),
            _ => {}
        }
        let wrong = |wanted: &str| Err(format!("the label {json} is {wanted}"));
        match self.task {
            Task::Points => match json {
                Json::Number(number) => finite(number.as_f64()).map_or_else(|| wrong("too large"), |n| Ok(Some(n))),
                Json::String(text) => match self.place(text) {
                    Some(place) => Ok(Some(Said::Number(place))),
                    None if !self.order.is_empty() => wrong("none of the words of `--order`"),
                    None => {
                        let exact = Number::from_exact(text.trim()).ok().map(|n| n.to_f64());
                        finite(exact).map_or_else(
                            || wrong("no number, while the results are numbers; `--order` gives words their places"),
                            |n| Ok(Some(n)),
                        )
                    }
                },
                _ => wrong("no number, while the results are numbers"),
            },
            Task::Truth => match json {
                Json::Bool(truth) => Ok(Some(Said::Word(truth.to_string()))),
                Json::String(text) if text.eq_ignore_ascii_case("true") => Ok(Some(Said::Word("true".into()))),
                Json::String(text) if text.eq_ignore_ascii_case("false") => Ok(Some(Said::Word("false".into()))),
                _ => wrong("neither true nor false, while the results are"),
            },
            Task::Classes => match json {
                Json::String(text) => Ok(Some(Said::Word(text.clone()))),
                Json::Bool(truth) => Ok(Some(Said::Word(truth.to_string()))),
                Json::Number(number) => Ok(Some(Said::Word(class_of(number.as_f64().unwrap_or(0.0))))),
                _ => wrong("no word"),
            },
            Task::Pairs => match json {
                Json::String(text) if text == TIE_WORD => Ok(Some(Said::Tie)),
                Json::String(text) => Ok(Some(Said::Word(text.clone()))),
                Json::Number(number) => Ok(Some(Said::Word(number.to_string()))),
                Json::Object(map) => match (map.get("winner").and_then(Json::as_str), map.get("tie")) {
                    (Some(winner), _) => Ok(Some(Said::Word(winner.to_owned()))),
                    (_, Some(Json::Bool(true))) => Ok(Some(Said::Tie)),
                    _ => wrong("neither a candidate nor `tie`"),
                },
                _ => wrong("neither a candidate nor `tie`"),
            },
        }
    }

    /// A number as people read it: the word of the order, where it is the place of one.
    #[must_use]
    pub fn told(&self, number: f64) -> String {
        let word = self.order.iter().enumerate().find(|(place, _)| (*place as f64 - number).abs() < 1e-9);
        word.map_or_else(|| number.to_string(), |(_, word)| word.clone())
    }

    /// The place of a word of the order, as a number.
    #[must_use]
    pub fn place(&self, word: &str) -> Option<f64> {
        self.order.iter().position(|known| known == word).map(|place| place as f64)
    }
}

/// A number as the name of a class.
#[must_use]
pub fn class_of(number: f64) -> String {
    super::points::at_nine(number).to_string()
}

fn finite(number: Option<f64>) -> Option<Said> {
    number.filter(|n| n.is_finite()).map(|n| Said::Number(super::points::at_twelve(n)))
}
