//! Replays: computes everything of a trace again from the judgments recorded in it, with no model and without the data.
//!
//! [`Replay`] reads a trace line by line. What it recomputes it writes as the trace does, and compares bytes; only where
//! they differ does it look for the first node that does. [`other`] runs another program on the same judgments instead.

mod compare;
pub mod find;
pub mod other;

use super::engine::Engine;
use super::trace::read::{Found, Line, Reader, RecordLine};
use super::trace::{Parts, record_body};
use crate::graph::Program;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

pub use compare::Difference;

/// Turns a JSON program into a checked one; an error is a sentence.
pub type OpenProgram<'a> = &'a dyn Fn(&str) -> Result<Arc<Program>, String>;

/// A replay under way.
pub struct Replay<'a, R> {
    reader: Reader<R>,
    open: OpenProgram<'a>,
    engines: HashMap<usize, Engine>,
    records: u64,
    ended: bool,
    line: u64,
    text: String,
}

/// What is to be said about one line.
#[derive(Debug)]
pub enum Step {
    /// A record that was computed again.
    Record { id: String },
    /// A record that had failed; there is nothing to compute.
    Failed { id: Option<String>, reason: String },
    /// A line that was changed, is damaged, or does not come out as recorded.
    Fault(Fault),
}

/// What is wrong with a line of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// From 1; one more than the last where the end is missing.
    pub line: u64,
    /// The record, where the line is one's.
    pub record: Option<String>,
    /// In words.
    pub what: String,
    /// Where what was recorded and what comes out differ first.
    pub difference: Option<Difference>,
}

impl<'a, R: BufRead> Replay<'a, R> {
    pub fn new(reader: R, open: OpenProgram<'a>) -> Replay<'a, R> {
        Replay {
            reader: Reader::new(reader),
            open,
            engines: HashMap::new(),
            records: 0,
            ended: false,
            line: 0,
            text: String::new(),
        }
    }

    /// Computes the next record again; `None` at the end of the trace.
    ///
    /// # Errors
    /// Where the file cannot be read, or is no trace at all.
    pub fn next_step(&mut self) -> io::Result<Option<Step>> {
        self.walk(|replay, found, record| replay.check_record(found, record))
    }

    /// Goes on to the next line of a record or with a fault, and lets `each` see the records.
    fn walk(&mut self, mut each: impl FnMut(&mut Self, &Found, &RecordLine) -> Step) -> io::Result<Option<Step>> {
        loop {
            let Some(found) = self.reader.next_line()? else {
                if self.line == 0 {
                    return Err(io::Error::other("it is empty"));
                }
                if self.ended {
                    return Ok(None);
                }
                self.ended = true;
                return Ok(Some(Step::Fault(Fault {
                    line: self.line + 1,
                    record: None,
                    what: "the end is missing: the trace was cut off, or the run was stopped".to_owned(),
                    difference: None,
                })));
            };
            self.line = found.number;
            let fault = |record: Option<String>, what: String| {
                Ok(Some(Step::Fault(Fault { line: found.number, record, what, difference: None })))
            };
            let line = match &found.line {
                Ok(line) => line,
                Err(what) if found.number == 1 => {
                    return Err(io::Error::other(format!("it is no trace of `rubric run --trace`: line 1: {what}")));
                }
                Err(what) => {
                    // Whatever it was, it cannot be told any more; a torn last line is not told a second time.
                    self.ended = self.ended || what.contains("cut off");
                    return fault(None, what.clone());
                }
            };
            if found.number == 1 && !matches!(line, Line::Head) {
                return Err(io::Error::other("it is no trace of `rubric run --trace`: its first line is not the head"));
            }
            match line {
                Line::Head if found.number > 1 => {
                    return fault(None, "a second head; two traces in one file".to_owned());
                }
                Line::Head | Line::Program { .. } | Line::End { .. } if !found.holds => {
                    // The program is still taken where it can be read, so that the records' lines are looked at.
                    if let Line::Program { number, json, .. } = line
                        && let Ok(program) = (self.open)(json)
                    {
                        self.engines.insert(*number, Engine::new(program));
                    }
                    self.ended = self.ended || matches!(line, Line::End { .. });
                    return fault(None, changed().to_owned());
                }
                Line::Head => {}
                Line::Program { number, digest, json } => match (self.open)(json) {
                    Ok(program) => {
                        let engine = Engine::new(program);
                        let differs = engine.digest != *digest;
                        self.engines.insert(*number, engine);
                        if differs {
                            return fault(
                                None,
                                "the program does not have the digest that stands beside it".to_owned(),
                            );
                        }
                    }
                    Err(what) => return fault(None, format!("the program cannot be read: {what}")),
                },
                Line::Failed { id, reason } => {
                    self.records += 1;
                    let (id, reason) = (id.clone(), reason.clone());
                    return if found.holds {
                        Ok(Some(Step::Failed { id, reason }))
                    } else {
                        fault(id, changed().to_owned())
                    };
                }
                Line::End { records } => {
                    self.ended = true;
                    if *records != self.records {
                        return fault(
                            None,
                            format!("the end counts {records} records, but there are {}", self.records),
                        );
                    }
                }
                Line::Record(record) => {
                    self.records += 1;
                    return Ok(Some(each(self, &found, record)));
                }
            }
        }
    }

    fn check_record(&mut self, found: &Found, record: &RecordLine) -> Step {
        let fault = |what: String, difference: Option<Difference>| {
            Step::Fault(Fault { line: found.number, record: Some(record.id.clone()), what, difference })
        };
        let Some(engine) = self.engines.get(&record.program) else {
            return fault("its program does not stand before it in the trace".to_owned(), None);
        };
        let judged = match record.judged(engine) {
            Ok(judged) => judged,
            Err(what) if found.holds => return fault(what, None),
            Err(what) => return fault(format!("{}; {what}", changed()), None),
        };
        let candidates = record.ids();
        let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
        let outcomes = match engine.outcomes(&record.id, &ids, &judged) {
            Ok(outcomes) => outcomes,
            Err(what) if found.holds => return fault(what, None),
            Err(what) => return fault(format!("{}; {what}", changed()), None),
        };
        let parts = Parts {
            id: &record.id,
            line: record.line,
            program: record.program,
            candidates: &candidates,
            judged: &judged,
        };
        self.text.clear();
        record_body(&mut self.text, engine, &parts, &outcomes);
        match (found.holds, self.text == found.body) {
            (true, true) => Step::Record { id: record.id.clone() },
            (true, false) => {
                let difference = compare::first(&found.body, &self.text);
                fault("what was recorded does not come out again".to_owned(), difference)
            }
            (false, same) => {
                let difference = if same { None } else { compare::first(&found.body, &self.text) };
                fault(changed().to_owned(), difference)
            }
        }
    }

    /// Records read so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}

fn changed() -> &'static str {
    "the line, or the one before it, was changed after it was written (its check does not hold)"
}
