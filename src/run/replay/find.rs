//! Finds one record of a trace, with its judgments and its program, to look at it more closely.

use super::other::carried;
use super::{Fault, Replay, Step};
use crate::run::engine::{Engine, Outcomes};
use crate::run::judgment::Judged;
use std::io::{self, BufRead};
use std::mem::take;

/// A record of a trace, computed again.
#[derive(Debug)]
pub struct Located {
    /// The number of its program in the trace.
    program: usize,
    /// Its line in the file of records.
    pub line: u64,
    pub candidates: Vec<Option<String>>,
    pub judged: Judged,
    pub outcomes: Outcomes,
}

/// What came of looking for a record.
#[derive(Debug)]
pub enum Search {
    Found(Box<Located>),
    /// It failed when it was run, for this reason.
    Failed(String),
    /// It is there but cannot be computed: a sentence.
    Fault(String),
    /// No record has this id; some that the trace has, for a suggestion.
    Absent(Vec<String>),
}

/// What the next line of a trace is about.
#[derive(Debug)]
pub enum Seen {
    /// A record by its id.
    Record(String, Box<Located>),
    /// A record that failed when it was run, and why.
    Failed(Option<String>, String),
    /// A line that was changed, is damaged, or cannot be computed.
    Fault(Fault),
}

/// Ids that are kept for a suggestion.
const MOST_IDS: usize = 10_000;

impl<R: BufRead> Replay<'_, R> {
    /// The record called `id`, under its own program or under `other` on the same judgments.
    ///
    /// # Errors
    /// As [`Replay::next_step`].
    pub fn find(&mut self, id: &str, other: Option<&Engine>) -> io::Result<Search> {
        let mut found: Option<Result<Located, String>> = None;
        let mut ids = Vec::new();
        loop {
            let step = self.walk(|replay, line, record| {
                if record.id == id && found.is_none() {
                    found = Some(match replay.engines.get(&record.program) {
                        None => Err("its program does not stand before it in the trace".to_owned()),
                        Some(_) if !line.holds => Err(super::changed().to_owned()),
                        Some(engine) => located(engine, other, record),
                    });
                }
                Step::Record { id: record.id.clone() }
            })?;
            match found.take() {
                Some(Ok(located)) => return Ok(Search::Found(Box::new(located))),
                Some(Err(what)) => return Ok(Search::Fault(what)),
                None => {}
            }
            match step {
                None => return Ok(Search::Absent(take(&mut ids))),
                Some(Step::Failed { id: Some(failed), reason }) if failed == id => return Ok(Search::Failed(reason)),
                Some(Step::Record { id } | Step::Failed { id: Some(id), .. }) if ids.len() < MOST_IDS => ids.push(id),
                Some(Step::Fault(fault)) if fault.record.as_deref() == Some(id) => {
                    return Ok(Search::Fault(fault.what));
                }
                Some(_) => {}
            }
        }
    }

    /// The next record with its judgments, computed again from them; `None` at the end. What was recorded of its nodes is
    /// not compared: `rubric replay` does that.
    ///
    /// # Errors
    /// As [`Replay::next_step`].
    pub fn next_record(&mut self) -> io::Result<Option<Seen>> {
        let mut found: Option<Result<Located, String>> = None;
        let step = self.walk(|replay, line, record| {
            found = Some(match replay.engines.get(&record.program) {
                None => Err("its program does not stand before it in the trace".to_owned()),
                Some(_) if !line.holds => Err(super::changed().to_owned()),
                Some(engine) => located(engine, None, record),
            });
            Step::Record { id: record.id.clone() }
        })?;
        Ok(match (step, found) {
            (None, _) => None,
            (Some(Step::Record { id }), Some(Ok(located))) => Some(Seen::Record(id, Box::new(located))),
            (Some(Step::Record { id }), Some(Err(what))) => {
                Some(Seen::Fault(Fault { line: self.line, record: Some(id), what, difference: None }))
            }
            (Some(Step::Record { id }), None) => Some(Seen::Failed(Some(id), String::new())),
            (Some(Step::Failed { id, reason }), _) => Some(Seen::Failed(id, reason)),
            (Some(Step::Fault(fault)), _) => Some(Seen::Fault(fault)),
        })
    }

    /// The program of a record that was found.
    #[must_use]
    pub fn program_of(&self, located: &Located) -> Option<&Engine> {
        self.engines.get(&located.program)
    }
}

fn located(engine: &Engine, other: Option<&Engine>, record: &super::RecordLine) -> Result<Located, String> {
    let candidates = record.ids();
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let (judged, outcomes) = match other {
        None => {
            let judged = record.judged(engine)?;
            let outcomes = engine.outcomes(&record.id, &ids, &judged)?;
            (judged, outcomes)
        }
        Some(other) => {
            other.check_fit(candidates.len())?;
            let judged = carried(engine, other, record)?;
            let outcomes = other.outcomes(&record.id, &ids, &judged)?;
            (judged, outcomes)
        }
    };
    Ok(Located { program: record.program, line: record.line, candidates, judged, outcomes })
}
