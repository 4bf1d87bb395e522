//! Lines of results, as `rubric run -o` writes them.

use super::{InputFault, Task};
use crate::diagnostics::did_you_mean;
use crate::run::columns::ResultLines;
use crate::run::result::Status;
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// A line of results.
#[derive(Debug)]
pub struct ResultRow {
    pub line: u64,
    /// `None`: of a record that failed before its id could be read.
    pub id: Option<String>,
    pub candidate: Option<String>,
    pub status: Status,
    pub readouts: Map<String, Json>,
    pub observed: Option<Json>,
    pub tags: Option<Json>,
    pub program: Option<String>,
    /// From 1: of several runs in one file.
    pub run: Option<u32>,
    /// Judgments that are missing, each with its criterion and the reason.
    pub missing: Option<Json>,
    /// Of a record that failed: why.
    pub reason: Option<String>,
    /// Of a record that failed: its line among the records.
    pub at: Option<u64>,
}

impl ResultRow {
    /// A line that was just made, rather than read.
    ///
    /// # Errors
    /// A sentence: it is no line of results.
    pub fn of_json(json: Json) -> Result<ResultRow, String> {
        let line: Line = serde_json::from_value(json).map_err(|error| error.to_string())?;
        ResultRow::of_line(0, line)
    }

    fn of_line(number: u64, line: Line) -> Result<ResultRow, String> {
        let Some(status) = Status::ALL.into_iter().find(|status| status.word() == line.status) else {
            return Err(format!("there is no status `{}`", line.status));
        };
        let Line { id, candidate, readouts, observed, tags, program, run, missing, reason, line: at, .. } = line;
        Ok(ResultRow {
            line: number,
            id,
            candidate,
            status,
            readouts,
            observed,
            tags,
            program,
            run,
            missing,
            reason,
            at,
        })
    }
}

/// One run: a file of results, or one of several runs in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    /// From 1; `None`: the file has one run, and does not name it.
    pub run: Option<u32>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.run.map_or(Ok(()), |run| write!(f, ", run {run}"))
    }
}

/// The runs of files of results. A file whose first line names a run is looked through for others.
///
/// # Errors
/// Where a file cannot be read.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<Source>, InputFault> {
    let mut found = Vec::new();
    for path in paths {
        let mut results = Results::open(path)?;
        let mut runs = BTreeSet::new();
        while let Some(row) = results.next_row()? {
            match row.run {
                Some(run) => runs.insert(run),
                None => break,
            };
        }
        if runs.is_empty() {
            found.push(Source { path: path.clone(), run: None });
        }
        found.extend(runs.into_iter().map(|run| Source { path: path.clone(), run: Some(run) }));
    }
    Ok(found)
}

/// What a readout came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Number(f64),
    Truth(bool),
    Word(String),
    Winner(String),
    Tie,
    Abstained,
    Open,
    Ranks,
}

#[derive(serde::Deserialize)]
struct Line {
    id: Option<String>,
    candidate: Option<String>,
    status: String,
    #[serde(default)]
    readouts: Map<String, Json>,
    observed: Option<Json>,
    tags: Option<Json>,
    program: Option<String>,
    run: Option<u32>,
    missing: Option<Json>,
    reason: Option<String>,
    line: Option<u64>,
}

/// Reads a file of results line by line.
pub struct Results {
    path: PathBuf,
    lines: ResultLines,
    /// Only lines of this run.
    only: Option<Option<u32>>,
}

impl Results {
    /// Opens a file.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn open(path: &Path) -> Result<Results, InputFault> {
        let fault = |reason: String| InputFault::new(path, None, reason);
        if path.as_os_str() == "-" {
            return Err(fault(
                "results are read twice, so they cannot come from standard input; save them first".into(),
            ));
        }
        let lines = ResultLines::open(path).map_err(fault)?;
        Ok(Results { path: path.to_owned(), lines, only: None })
    }

    /// Opens one run of a file.
    ///
    /// # Errors
    /// As [`Results::open`].
    pub fn of(source: &Source) -> Result<Results, InputFault> {
        Ok(Results { only: Some(source.run), ..Results::open(&source.path)? })
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// Where it cannot be read, or is no line of results.
    pub fn next_row(&mut self) -> Result<Option<ResultRow>, InputFault> {
        loop {
            let next = self.lines.next_line();
            let Some(line) = next.map_err(|error| InputFault::new(&self.path, None, error.to_string()))? else {
                return Ok(None);
            };
            let fault = |reason: String| InputFault::new(&self.path, Some(line.number), reason);
            let text = line.text.map_err(fault)?;
            if text.trim().is_empty() {
                continue;
            }
            let cut = if line.complete { "" } else { " (the file may have been cut off here)" };
            let read: Line = serde_json::from_str(text).map_err(|error| {
                fault(format!("it is no line of results, as `rubric run -o` writes them{cut}: {error}"))
            })?;
            let row = ResultRow::of_line(line.number, read).map_err(fault)?;
            match self.only {
                Some(only) if only.is_some() != row.run.is_some() => {
                    let reason =
                        "some lines name a run and some do not; keep results of single runs in files of their own";
                    return Err(fault(reason.to_owned()));
                }
                Some(only) if only != row.run => continue,
                _ => {}
            }
            return Ok(Some(row));
        }
    }
}

/// Reads what a readout came to.
///
/// # Errors
/// A sentence, where it is nothing that a readout comes to.
pub fn outcome(json: &Json) -> Result<Outcome, String> {
    let found = match json {
        Json::Null => Outcome::Abstained,
        Json::Bool(truth) => Outcome::Truth(*truth),
        Json::Number(number) => match number.as_f64().filter(|n| n.is_finite()) {
            Some(number) => Outcome::Number(super::super::points::at_twelve(number)),
            None => return Err(format!("the number {number} is too large")),
        },
        Json::String(word) => Outcome::Word(word.clone()),
        Json::Object(map) => match map.iter().next().map(|(key, value)| (key.as_str(), value)) {
            Some(("winner", Json::String(winner))) => Outcome::Winner(winner.clone()),
            Some(("tie", Json::Bool(true))) => Outcome::Tie,
            Some(("open", _)) => Outcome::Open,
            Some(("ranks", _)) => Outcome::Ranks,
            _ => return Err(format!("{json} is no outcome of a readout")),
        },
        Json::Array(_) => return Err(format!("{json} is no outcome of a readout")),
    };
    Ok(found)
}

/// Lines that are looked at to find the readouts of a file, where none is named.
const LOOKED_AT: usize = 1000;

/// Finds the readout that is measured (the one named; else the only one, else the unnamed one) and what it says.
///
/// # Errors
/// Where no readout is meant clearly, or nothing is decided by it.
pub fn survey(path: &Path, wanted: Option<&str>) -> Result<(String, Task), InputFault> {
    let mut results = Results::open(path)?;
    let mut keys = BTreeSet::new();
    let mut looked = 0;
    while let Some(row) = results.next_row()? {
        looked += 1;
        keys.extend(row.readouts.keys().cloned());
        if looked == LOOKED_AT {
            break;
        }
    }
    let fault = |reason: String| InputFault::new(path, None, reason);
    let list = || keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let unnamed: Vec<&String> =
        keys.iter().filter(|key| matches!(key.as_str(), "pointwise" | "pairwise" | "listwise")).collect();
    let readout = match (wanted, keys.len(), unnamed.as_slice()) {
        (Some(wanted), ..) => wanted.to_owned(),
        (None, 0, _) => return Err(fault("it has no readouts: the file is empty, or every record failed".into())),
        (None, 1, _) => keys.iter().next().cloned().unwrap_or_default(),
        (None, _, [only]) => (*only).clone(),
        _ => return Err(fault(format!("it has several readouts: {}; choose one with `--readout`", list()))),
    };
    let mut results = Results::open(path)?;
    while let Some(row) = results.next_row()? {
        let Some(json) = row.readouts.get(&readout) else { continue };
        let found = outcome(json).map_err(|reason| InputFault::new(path, Some(row.line), reason))?;
        let task = match found {
            Outcome::Number(_) => Task::Points,
            Outcome::Truth(_) => Task::Truth,
            Outcome::Word(_) => Task::Classes,
            Outcome::Winner(_) | Outcome::Tie => Task::Pairs,
            Outcome::Ranks => {
                return Err(fault(format!(
                    "`{readout}` is a ranking, which is not measured; measure a readout that prefers one, or a score \
                     with `--group id`"
                )));
            }
            Outcome::Abstained | Outcome::Open => continue,
        };
        return Ok((readout, task));
    }
    if keys.contains(&readout) {
        return Err(fault(format!("`{readout}` decides nothing in it, so there is nothing to measure")));
    }
    let near = did_you_mean(&readout, keys.iter().map(String::as_str));
    let near = near.map_or_else(|| format!("it has {}", list()), |near| format!("did you mean `{near}`?"));
    Err(fault(format!("it has no readout `{readout}`; {near}")))
}
