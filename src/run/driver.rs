//! Runs programs over records, one record at a time: read, fitted, judged, computed, written.
//!
//! Memory does not grow with the number of records beyond the ids' digests and the summary. Whatever is wrong with a record
//! ends in a `failed` line, and the run goes on; only where the file of records itself cannot be read any further does it
//! stop, and what was done stays.

use super::engine::{Engine, Outcomes};
use super::judgment::file::{JudgmentsFile, Line};
use super::judgment::{Judged, judge};
use super::record::seen::Seen;
use super::record::{Content, Raw, Record, RecordFault, Records, Tags};
use super::result::{self, Ran, ResultLine};
use super::trace;
use crate::diagnostics::did_you_mean;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

/// The programs of a run.
#[derive(Debug, Clone)]
pub enum Programs {
    One(Arc<Engine>),
    /// By name; a record's `rubric` names its own.
    Several(BTreeMap<String, Arc<Engine>>),
}

/// A run over records.
pub struct Driver {
    programs: Programs,
    records: Records,
    judgments: Option<JudgmentsFile>,
    seen: Seen,
    shard: Option<Shard>,
    run: Option<RunOf>,
    aside: Option<String>,
    beside: Option<Arc<Engine>>,
}

impl Programs {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Engine>> {
        let (one, several) = match self {
            Programs::One(engine) => (Some(engine), None),
            Programs::Several(programs) => (None, Some(programs.values())),
        };
        one.into_iter().chain(several.into_iter().flatten())
    }
}

/// One of several runs that share the records of a file: which records are its own follows from their ids alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    number: u64,
    of: u64,
}

impl Shard {
    /// `None` where `number` is not from 1 to `of`.
    #[must_use]
    pub fn new(number: u64, of: u64) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// Of how many it is one.
    #[must_use]
    pub fn of(self) -> u64 {
        self.of
    }

    /// Whether the record with this id belongs to it.
    #[must_use]
    pub fn holds(self, id: &str) -> bool {
        super::record::seen::digest(id) % u128::from(self.of) == u128::from(self.number - 1)
    }
}

/// One of several runs over the same records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOf {
    /// From 1 to `of`.
    pub number: u32,
    pub of: u32,
}

impl RunOf {
    /// The lines that belong to a run; `None`: there is one run, which has no number.
    ///
    /// # Errors
    /// A sentence: a line belongs to a run that is not made, and so would be lost without a word.
    fn own(run: Option<RunOf>, lines: Vec<Line>) -> Result<Vec<Line>, String> {
        if let Some((line, number)) = lines.iter().find_map(|line| Some((line.number, line.run?)))
            && run.is_none()
        {
            return Err(format!("judgments line {line} belongs to run {number}, and there is one run; say `--runs`"));
        }
        let Some(RunOf { number, of }) = run else { return Ok(lines) };
        if let Some((line, later)) =
            lines.iter().find_map(|line| Some((line.number, line.run.filter(|run| *run > of)?)))
        {
            return Err(format!(
                "judgments line {line} belongs to run {later}, but there are {of}; say `--runs {later}`"
            ));
        }
        Ok(lines.into_iter().filter(|line| line.run.is_none_or(|own| own == number)).collect())
    }
}

/// A record that was read and fitted, with what is known of its leaves.
pub struct Ready {
    pub engine: Arc<Engine>,
    /// Its judgments are taken out.
    pub record: Record,
    pub judged: Judged,
    /// Per candidate, the entries that were set aside ([`Driver::setting_aside`]).
    pub aside: Vec<Vec<Json>>,
}

/// The next record, before anything is computed.
pub enum Prepared {
    Ready(Box<Ready>),
    /// It cannot be run. The program is there where the record names one.
    Failed(Box<RecordFault>, Option<Arc<Engine>>),
}

/// A record that is done.
pub struct Done {
    /// The id where it could be read.
    pub id: Option<String>,
    pub tags: Tags,
    pub lines: Vec<ResultLine>,
    /// What it came to.
    ///
    /// An error is why it failed.
    pub outcome: Result<Finished, Box<RecordFault>>,
}

/// A record that was run to its end.
pub struct Finished {
    pub engine: Arc<Engine>,
    pub line: u64,
    pub candidates: Vec<Option<String>>,
    pub judged: Judged,
    pub outcomes: Outcomes,
    /// As in [`Ready::aside`].
    pub aside: Vec<Vec<Json>>,
}

impl Driver {
    #[must_use]
    pub fn new(programs: Programs, records: Records, judgments: Option<JudgmentsFile>) -> Driver {
        Driver { programs, records, judgments, seen: Seen::new(), shard: None, run: None, aside: None, beside: None }
    }

    /// Makes it one of several runs: recorded judgments that name another are left out.
    #[must_use]
    pub fn of_run(mut self, run: Option<RunOf>) -> Driver {
        self.run = run;
        self
    }

    /// Leaves out the records of other shards.
    #[must_use]
    pub fn only(mut self, shard: Option<Shard>) -> Driver {
        self.shard = shard;
        self
    }

    /// Sets aside what is recorded under a name that is no criterion of the programs; [`Ready::aside`] then has it.
    #[must_use]
    pub fn setting_aside(mut self, name: Option<String>) -> Driver {
        self.aside = name;
        self
    }

    /// Leaves out judgments of criteria that only this other program has, which is run over the same records.
    #[must_use]
    pub fn beside(mut self, other: Arc<Engine>) -> Driver {
        self.beside = Some(other);
        self
    }

    /// The programs of the run.
    #[must_use]
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Runs the next record from what is recorded; `None` at the end.
    ///
    /// # Errors
    /// Where a file cannot be read any further.
    pub fn next_record(&mut self) -> io::Result<Option<Done>> {
        Ok(self.next_prepared()?.map(finish))
    }

    /// Reads the next record and finds out what is known of its leaves; `None` at the end. [`finish`] computes the rest.
    ///
    /// # Errors
    /// Where a file cannot be read any further.
    pub fn next_prepared(&mut self) -> io::Result<Option<Prepared>> {
        let raw = loop {
            let Some(raw) = self.records.next_record()? else { return Ok(None) };
            match self.shard {
                Some(shard) if !shard.holds(&id_of(&raw).unwrap_or_else(|| format!("line-{}", raw.line))) => {}
                _ => break raw,
            }
        };
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
            (Some(file), Some(id)) => file.of_record(id)?.and_then(|lines| RunOf::own(self.run, lines)),
            _ => Ok(Vec::new()),
        };
        let seen = &mut self.seen;
        let ready = record.and_then(|mut record| {
            if !seen.insert(&record.id) {
                let reason = format!("a record before it has the id `{}` too; every record needs its own", record.id);
                return Err(fault(reason, &record));
            }
            let Some(engine) = engine else { return Err(fault("no program is named".to_owned(), &record)) };
            let mut aside = vec![Vec::new(); record.candidates.len()];
            let run = engine.check_fit(record.candidates.len()).and(lines).map(|lines| match &self.aside {
                Some(name) => set_aside(name, &mut record, lines, &mut aside),
                None => lines,
            });
            let judged = run.and_then(|lines| {
                judge(
                    &engine.program,
                    &engine.layout,
                    &mut record,
                    lines,
                    self.beside.as_ref().map(|other| &other.layout),
                )
            });
            let judged = judged.map_err(|reason| fault(reason, &record))?;
            Ok(Box::new(Ready { engine: Arc::clone(engine), record, judged, aside }))
        });
        Ok(Some(match ready {
            Ok(ready) => Prepared::Ready(ready),
            Err(fault) => Prepared::Failed(fault, engine.cloned()),
        }))
    }

    /// The judgments file, with what is wrong in it.
    #[must_use]
    pub fn judgments(&self) -> Option<&JudgmentsFile> {
        self.judgments.as_ref()
    }
}

/// Computes everything of a record whose leaves are known as far as they will be.
#[must_use]
pub fn finish(prepared: Prepared) -> Done {
    let ready = match prepared {
        Prepared::Ready(ready) => ready,
        Prepared::Failed(fault, engine) => return failed(fault, engine.as_deref()),
    };
    let Ready { engine, mut record, judged, aside } = *ready;
    let candidates: Vec<Option<String>> = record.candidates.iter_mut().map(|c| c.id.take()).collect();
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let outcomes = match engine.outcomes(&record.id, &ids, &judged) {
        Ok(outcomes) => outcomes,
        Err(reason) => return failed(fault(reason, &record), Some(&engine)),
    };
    let lines = result::lines(&Ran {
        engine: &engine,
        id: &record.id,
        candidates: &candidates,
        judged: &judged,
        outcomes: &outcomes,
        tags: &record.tags,
    });
    let finished = Finished { engine, line: record.line, candidates, judged, outcomes, aside };
    Done { id: Some(record.id), tags: record.tags, lines, outcome: Ok(finished) }
}

fn failed(fault: Box<RecordFault>, engine: Option<&Engine>) -> Done {
    Done {
        id: fault.id.clone(),
        tags: fault.tags.clone(),
        lines: vec![result::failed(&fault, engine.map(|engine| engine.digest.as_str()))],
        outcome: Err(fault),
    }
}

/// Takes what is recorded under a name out of a record and its lines; of a record with one candidate it is that one's.
fn set_aside(name: &str, record: &mut Record, lines: Vec<Line>, aside: &mut [Vec<Json>]) -> Vec<Line> {
    if let (Some(entry), [only]) = (record.judgments.shift_remove(name), &mut *aside) {
        only.push(entry);
    }
    for (candidate, aside) in record.candidates.iter_mut().zip(&mut *aside) {
        aside.extend(candidate.judgments.shift_remove(name));
    }
    let (own, others): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| line.criterion == name);
    for line in own {
        let place = match &line.candidate {
            None => (record.candidates.len() == 1).then_some(0),
            Some(id) => record.candidates.iter().position(|candidate| candidate.id.as_ref() == Some(id)),
        };
        if let Some(aside) = place.and_then(|place| aside.get_mut(place)) {
            aside.push(line.entry);
        }
    }
    others
}

/// What is wrong with a record that could be read.
#[must_use]
pub fn fault(reason: String, record: &Record) -> Box<RecordFault> {
    Box::new(RecordFault { id: Some(record.id.clone()), line: record.line, reason, tags: record.tags.clone() })
}

/// What lines of results say beside what came of the record.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    /// Each says the record's line among all records, so that [`merge`](super::merge) can put those of several shards into their
    /// order.
    pub placed: bool,
    /// From 1: one of several runs.
    pub run: Option<u32>,
}

impl Mark {
    /// A line of a record that failed says its place in any case.
    fn place(self, done: &Done) -> Option<u64> {
        done.outcome.as_ref().ok().filter(|_| self.placed).map(|finished| finished.line)
    }

    /// What begins a line, in place of the brace that opens the object.
    fn start(self, done: &Done) -> Option<String> {
        let place = self.place(done).map(super::merge::placed);
        let run = self.run.map(|run| format!("\"run\":{run},"));
        match (place, run) {
            (None, None) => None,
            (place, run) => Some(place.unwrap_or_else(|| "{".to_owned()) + &run.unwrap_or_default()),
        }
    }
}

/// Writes a record's lines of results; each is whole once this returns.
///
/// # Errors
/// Where they cannot be written.
pub fn write_results(out: &mut dyn Write, done: &Done, mark: Mark, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    let start = mark.start(done);
    for line in &done.lines {
        let at = buffer.len();
        serde_json::to_writer(&mut *buffer, &line.json)?;
        if let Some(start) = &start {
            buffer.splice(at..=at, start.bytes());
        }
        buffer.push(b'\n');
    }
    out.write_all(buffer)?;
    out.flush()
}

/// Writes a record's line of a trace.
///
/// # Errors
/// Where it cannot be written.
pub fn write_trace<W: Write>(writer: &mut trace::Writer<W>, done: &Done) -> io::Result<()> {
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
            writer.record(&finished.engine, &parts, &finished.outcomes)
        }
    }
}

/// The program that a record is for.
fn engine_of<'a>(programs: &'a Programs, raw: &Raw) -> Result<&'a Arc<Engine>, String> {
    let programs = match programs {
        Programs::One(engine) => return Ok(engine),
        Programs::Several(programs) => programs,
    };
    let content = raw.content.as_ref().map_err(Clone::clone)?;
    let named = match content {
        Content::Object(map) | Content::Columns(map) => map
            .get("rubric")
            .filter(|name| !name.is_null())
            .map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned)),
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
        Content::Object(map) | Content::Columns(map) => super::record::identity(map.get("id")?, "`id`").ok(),
        Content::Row(row) => cell(row, "id"),
    }
}

fn cell(row: &super::record::Row, column: &str) -> Option<String> {
    let at = row.columns.iter().position(|name| name == column)?;
    row.cells.get(at).filter(|cell| !cell.is_empty()).cloned()
}

// A run that asks judges reads records on one thread and finishes them on others.
const _: () = {
    const fn sent<T: Send>() {}
    sent::<Driver>();
    sent::<Prepared>();
    sent::<Done>();
};
