//! The judgments file: one JSON line per judgment, `{id, candidate, criterion, value | unknown | values, …}`.
//!
//! The file is read through once to index it: 24 bytes for each run of lines of one record, so that lines in any order are
//! found, and lines in the records' order are read straight through. Two ids with one 64-bit hash are told apart by the
//! lines themselves.

use crate::diagnostics::did_you_mean;
use crate::run::columns;
use crate::run::record::lines::Lines;
use crate::run::record::{json, seen};
use serde_json::{Map, Value as Json};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// A line of the file.
#[derive(Debug, Clone)]
pub struct Line {
    /// From 1.
    pub number: u64,
    pub candidate: Option<String>,
    pub criterion: String,
    /// From 1: of several runs the one that it belongs to; `None`: it belongs to all.
    pub run: Option<u32>,
    /// The line without the keys that say what it is about.
    pub entry: Json,
}

/// An opened and indexed judgments file.
pub struct JudgmentsFile {
    lines: Lines<BufReader<File>>,
    /// Sorted by hash, then place.
    runs: Vec<Run>,
    used: Vec<bool>,
    /// Lines that no record can be blamed for: their number, and what is wrong with them.
    pub faults: Vec<(u64, String)>,
}

/// Lines of one record that follow each other.
struct Run {
    hash: u64,
    offset: u64,
    line: u64,
}

/// Of a line, only whose it is.
#[derive(serde::Deserialize)]
struct Whose {
    id: Option<Json>,
}

impl JudgmentsFile {
    /// Opens and indexes a file.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or is standard input.
    pub fn open(path: &Path) -> Result<JudgmentsFile, String> {
        if path.as_os_str() == "-" {
            return Err(
                "judgments cannot come from standard input, because they are looked up; save them to a file".into()
            );
        }
        if path.is_dir() {
            return Err("it is a folder; name a file of judgments".to_owned());
        }
        let mut file = File::open(path).map_err(|error| crate::source::in_words(&error))?;
        if columns::is_parquet(&mut file).map_err(|error| crate::source::in_words(&error))? {
            return Err("it is Parquet; judgments are looked up line by line, so write them as JSON lines, or put them into the records \
                        as a column `judgments`"
                .to_owned());
        }
        let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, file));
        let (mut runs, mut faults) = (Vec::<Run>::new(), Vec::new());
        let mut last = None;
        while let Some(line) = lines.next_line().map_err(|error| error.to_string())? {
            let (number, offset) = (line.number, line.offset);
            let text = match line.text {
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => text,
                Err(fault) => {
                    faults.push((number, fault));
                    continue;
                }
            };
            match whose(text) {
                Ok(id) => {
                    let hash = hash(&id);
                    if last != Some(hash) {
                        runs.push(Run { hash, offset, line: number });
                        last = Some(hash);
                    }
                }
                Err(fault) => faults.push((number, fault)),
            }
        }
        // In place: a stable sort would need half as much again, and no two runs are equal.
        runs.sort_unstable_by_key(|run| (run.hash, run.offset));
        runs.shrink_to_fit();
        let used = vec![false; runs.len()];
        Ok(JudgmentsFile { lines, runs, used, faults })
    }

    /// All lines of a record, in the file's order.
    ///
    /// # Errors
    /// The outer error: the file can no longer be read. The inner one: a line of this record is no judgment.
    pub fn of_record(&mut self, id: &str) -> io::Result<Result<Vec<Line>, String>> {
        let hash = hash(id);
        let mut found = Vec::new();
        let mut at = self.runs.partition_point(|run| run.hash < hash);
        while let Some(run) = self.runs.get(at).filter(|run| run.hash == hash) {
            let (offset, number) = (run.offset, run.line);
            self.lines.seek(offset, number)?;
            while let Some(line) = self.lines.next_line()? {
                let Ok(text) = line.text else { continue };
                if text.trim().is_empty() {
                    continue;
                }
                match whose(text) {
                    // A line without a readable id was told when the file was opened.
                    Err(_) => continue,
                    Ok(other) if other != id && self::hash(&other) != hash => break,
                    Ok(other) if other != id => continue,
                    Ok(_) => {}
                }
                if let Some(used) = self.used.get_mut(at) {
                    *used = true;
                }
                match read(line.number, text) {
                    Ok(line) => found.push(line),
                    Err(fault) => return Ok(Err(format!("judgments line {}: {fault}", line.number))),
                }
            }
            at += 1;
        }
        Ok(Ok(found))
    }

    /// How many runs of lines belong to no record that was asked for, and the first line of the first of them.
    #[must_use]
    pub fn unused(&self) -> (usize, Option<u64>) {
        let unused = || self.runs.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(run, _)| run.line);
        (unused().count(), unused().min())
    }
}

fn hash(id: &str) -> u64 {
    (seen::digest(id) >> 64) as u64
}

fn whose(text: &str) -> Result<String, String> {
    match serde_json::from_str::<Whose>(text) {
        Ok(Whose { id: Some(id) }) => crate::run::record::identity(&id, "`id`"),
        Ok(Whose { id: None }) => Err("the line has no `id`; it must name the record that is judged".to_owned()),
        // The strict reader says it better.
        Err(_) => match json::parse(text) {
            Ok(_) => {
                Err("the line is not an object; a judgment is {\"id\": …, \"criterion\": …, \"value\": …}".to_owned())
            }
            Err(fault) => Err(fault),
        },
    }
}

fn read(number: u64, text: &str) -> Result<Line, String> {
    let Json::Object(mut map) = json::parse(text)? else {
        return Err("the line is not an object".to_owned());
    };
    map.remove("id");
    let candidate = match map.remove("candidate") {
        None | Some(Json::Null) => None,
        Some(id) => Some(crate::run::record::identity(&id, "`candidate`")?),
    };
    let run = match map.remove("run") {
        None | Some(Json::Null) => None,
        Some(run) => Some(run_number(&run)?),
    };
    let criterion = match map.remove("criterion") {
        Some(Json::String(name)) => name,
        Some(_) => return Err("`criterion` must be a text: the name of the criterion that is judged".to_owned()),
        None => {
            let near = did_you_mean("criterion", map.keys().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; it has `{near}`: is the name misspelt?"));
            return Err(format!("the line has no `criterion`{near}"));
        }
    };
    if !says_something(&map) {
        return Err("the line says nothing of the judgment; write `value`, `unknown`, `values` or `missing`".to_owned());
    }
    Ok(Line { number, candidate, criterion, run, entry: Json::Object(map) })
}

/// Reads the number of a run.
///
/// # Errors
/// A sentence, where it is none.
pub fn run_number(json: &Json) -> Result<u32, String> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("`run` is {json}, but must be the number of a run, from 1"))
}

/// Unknown keys are left to the reader of entries, which knows the near names.
fn says_something(map: &Map<String, Json>) -> bool {
    map.keys().any(|key| !matches!(key.as_str(), "by" | "evidence" | "reason" | "note" | "calls"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn open(text: &str) -> JudgmentsFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        JudgmentsFile::open(file.path()).unwrap()
    }

    #[test]
    fn lines_in_any_order_are_found() {
        let mut file = open(concat!(
            "{\"id\": \"a\", \"criterion\": \"x\", \"value\": 1}\n",
            "{\"id\": 7, \"criterion\": \"x\", \"value\": 2}\n",
            "\n",
            "{\"id\": \"a\", \"candidate\": \"p\", \"criterion\": \"y\", \"value\": 3}\n",
            "{\"id\": \"a\", \"criterion\": \"z\", \"unknown\": true}\n",
            "{\"id\": \"late\", \"criterion\": \"z\", \"unknown\": true}\n",
        ));
        let numbers = |lines: Vec<Line>| lines.iter().map(|line| line.number).collect::<Vec<_>>();
        assert_eq!(numbers(file.of_record("7").unwrap().unwrap()), [2]);
        assert_eq!(numbers(file.of_record("a").unwrap().unwrap()), [1, 4, 5]);
        assert!(file.of_record("none").unwrap().unwrap().is_empty());
        assert_eq!(file.unused(), (1, Some(6)));
    }

    #[test]
    fn bad_lines_are_told() {
        let mut file = open(concat!(
            "{\"criterion\": \"x\", \"value\": 1}\n",
            "{\"id\": \"a\", \"criterium\": \"x\", \"value\": 1}\n",
            "{\"id\": \"b\", \"criterion\": \"x\"}\n",
            "{\"id\": \"c\", \"crit",
        ));
        assert_eq!(file.faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 4]);
        let fault = file.of_record("a").unwrap().unwrap_err();
        assert!(fault.contains("line 2") && fault.contains("`criterium`"), "{fault}");
        assert!(file.of_record("b").unwrap().unwrap_err().contains("says nothing"));
    }
}
