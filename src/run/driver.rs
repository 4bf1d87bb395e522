//! Runs programs over records, one record at a time: read, fitted, judged, computed, written.
//!
//! Memory does not grow with the number of records beyond the ids' digests and the summary. Whatever is wrong with a record
//! ends in a `failed` line, and the run goes on; only where the file of records itself cannot be read any further does it
//! stop, and what was done stays.

use super::engine::{Engine, Outcomes};
use super::judgment::file::JudgmentsFile;
use super::judgment::{Judged, judge};
use super::record::seen::Seen;
use super::record::{Content, Raw, Record, RecordFault, Records, Tags};
use super::result::{self, Ran, ResultLine};
use super::trace;
use crate::diagnostics::did_you_mean;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The programs of a run.
#[derive(Debug)]
pub enum Programs {
    One(Box<Engine>),
    /// By name; a record's `rubric` names its own.
    Several(BTreeMap<String, Engine>),
}

/// A run over records.
pub struct Driver {
    programs: Programs,
    records: Records,
    judgments: Option<JudgmentsFile>,
    seen: Seen,
}

/// A record that is done.
pub struct Done<'a> {
    /// The id where it could be read.
    pub id: Option<String>,
    pub tags: Tags,
    pub lines: Vec<ResultLine>,
    /// What it came to.
    ///
    /// An error is why it failed.
    pub outcome: Result<Finished<'a>, Box<RecordFault>>,
}

/// A record that was run to its end.
pub struct Finished<'a> {
    pub engine: &'a Engine,
    pub line: u64,
    pub candidates: Vec<Option<String>>,
    pub judged: Judged,
    pub outcomes: Outcomes,
}

impl Driver {
    #[must_use]
    pub fn new(programs: Programs, records: Records, judgments: Option<JudgmentsFile>) -> Driver {
        Driver { programs, records, judgments, seen: Seen::new() }
    }

    /// Runs the next record; `None` at the end.
    ///
    /// # Errors
    /// Where a file cannot be read any further.
    pub fn next_record(&mut self) -> io::Result<Option<Done<'_>>> {
        let Some(raw) = self.records.next_record()? else { return Ok(None) };
        let (engine, record) = match engine_of(&self.programs, &raw) {
            Ok(engine) => (Some(engine), Record::read(raw, &engine.program, &engine.layout)),
            Err(reason) => {
                (None, Err(Box::new(RecordFault { id: id_of(&raw), line: raw.line, reason, tags: Tags::default() })))
            }
        };
        let known = match &record {
            Ok(record) => Some(&record.id),
            Err(fault) => fault.id.as_ref(),
        };
        let lines = match (&mut self.judgments, known) {
            (Some(file), Some(id)) => file.of_record(id)?,
            _ => Ok(Vec::new()),
        };
        let seen = &mut self.seen;
        let outcome = record.and_then(|mut record| {
            let id = record.id.clone();
            let fault = |reason: String, record: &Record| {
                Box::new(RecordFault { id: Some(id.clone()), line: record.line, reason, tags: record.tags.clone() })
            };
            if !seen.insert(&record.id) {
                return Err(fault(
                    format!("a record before it has the id `{id}` too; every record needs its own"),
                    &record,
                ));
            }
            let Some(engine) = engine else { return Err(fault("no program is named".to_owned(), &record)) };
            let run = engine.check_fit(record.candidates.len()).and(lines);
            let judged = run.and_then(|lines| judge(&engine.program, &engine.layout, &mut record, lines));
            let judged = judged.map_err(|reason| fault(reason, &record))?;
            let candidates: Vec<Option<String>> = record.candidates.iter_mut().map(|c| c.id.take()).collect();
            let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
            let outcomes = engine.outcomes(&record.id, &ids, &judged).map_err(|reason| fault(reason, &record))?;
            Ok((record, Finished { engine, line: 0, candidates, judged, outcomes }))
        });
        Ok(Some(match outcome {
            Err(fault) => Done {
                id: fault.id.clone(),
                tags: fault.tags.clone(),
                lines: vec![result::failed(&fault, engine.map(|engine| engine.digest.as_str()))],
                outcome: Err(fault),
            },
            Ok((record, mut finished)) => {
                finished.line = record.line;
                let lines = result::lines(&Ran {
                    engine: finished.engine,
                    id: &record.id,
                    candidates: &finished.candidates,
                    judged: &finished.judged,
                    outcomes: &finished.outcomes,
                    tags: &record.tags,
                });
                Done { id: Some(record.id), tags: record.tags, lines, outcome: Ok(finished) }
            }
        }))
    }

    /// The judgments file, with what is wrong in it.
    #[must_use]
    pub fn judgments(&self) -> Option<&JudgmentsFile> {
        self.judgments.as_ref()
    }
}

/// Writes a record's lines of results; each is whole once this returns.
///
/// # Errors
/// Where they cannot be written.
pub fn write_results(out: &mut dyn Write, done: &Done<'_>, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    for line in &done.lines {
        serde_json::to_writer(&mut *buffer, &line.json)?;
        buffer.push(b'\n');
    }
    out.write_all(buffer)?;
    out.flush()
}

/// Writes a record's line of a trace.
///
/// # Errors
/// Where it cannot be written.
pub fn write_trace<W: Write>(writer: &mut trace::Writer<W>, done: &Done<'_>) -> io::Result<()> {
    match &done.outcome {
        Err(fault) => writer.failed(fault),
        Ok(finished) => {
            let parts = trace::Parts {
                id: done.id.as_deref().unwrap_or(""),
                line: finished.line,
                program: 0,
                candidates: &finished.candidates,
                judged: &finished.judged,
            };
            writer.record(finished.engine, &parts, &finished.outcomes)
        }
    }
}

/// The program that a record is for.
fn engine_of<'a>(programs: &'a Programs, raw: &Raw) -> Result<&'a Engine, String> {
    let programs = match programs {
        Programs::One(engine) => return Ok(engine),
        Programs::Several(programs) => programs,
    };
    let content = raw.content.as_ref().map_err(Clone::clone)?;
    let named = match content {
        Content::Object(map) => {
            map.get("rubric").map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned))
        }
        Content::Row(row) => cell(row, "rubric"),
    };
    let Some(name) = named else {
        let mut all = programs.values();
        return match (all.next(), all.next()) {
            (Some(only), None) => Ok(only),
            _ => Err("the record does not say its program; name one in `rubric`".to_owned()),
        };
    };
    programs.get(&name).ok_or_else(|| {
        let near = did_you_mean(&name, programs.keys().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        format!("there is no program `{name}`{near}")
    })
}

fn id_of(raw: &Raw) -> Option<String> {
    match raw.content.as_ref().ok()? {
        Content::Object(map) => super::record::identity(map.get("id")?, "`id`").ok(),
        Content::Row(row) => cell(row, "id"),
    }
}

fn cell(row: &super::record::Row, column: &str) -> Option<String> {
    let at = row.columns.iter().position(|name| name == column)?;
    row.cells.get(at).filter(|cell| !cell.is_empty()).cloned()
}
