//! What differs between runs over the same records: outcomes, judgments, and the models that gave them.
//!
//! Files are results, traces or judgments, and are read once each. Of everything that was said the value is kept (16 bytes and
//! the file), so that each pair of files can be compared. A *flip rate* is the share of pairs of runs that say different
//! things of the same record: with two files, how many of them changed; with more, the chance that two runs differ.

use super::input::InputFault;
use super::input::labels::{Words, key};
use super::input::results::{Results, Source, sources};
use super::points::at_nine;
use crate::run::columns::ResultLines;
use crate::run::judgment::file::run_number;
use crate::run::record::identity;
use crate::run::record::json;
use crate::run::trace::read::{Line, Reader};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Results,
    Trace,
    Judgments,
}

/// How often something changed between runs.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Pairs of runs that both say something of a record.
    pub compared: u64,
    pub flipped: u64,
    /// Pairs of which only one says something, the other abstaining, being open, or having failed.
    pub half: u64,
    /// Sums of what the later run says less what the earlier says, of numbers; with and without the sign.
    sum: f64,
    absolute: f64,
    pub largest: f64,
    numbers: u64,
}

impl Change {
    /// The share of pairs that differ.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.flipped as f64 / self.compared as f64)
    }

    /// The mean difference of numbers, later less earlier, and the mean of its size.
    #[must_use]
    pub fn differences(&self) -> Option<(f64, f64)> {
        let n = self.numbers as f64;
        (self.numbers > 0).then(|| (self.sum / n, self.absolute / n))
    }
}

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub id: String,
    pub candidate: Option<String>,
    pub name: String,
    /// As JSON.
    pub before: String,
    pub after: String,
    /// The file that says `after`, from 1 for the second.
    pub file: usize,
}

/// The models that answered where a program names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// The alias; of judgments without a program, the criterion.
    pub alias: String,
    /// Per file, in its order.
    pub answered: Vec<BTreeSet<String>>,
}

impl Models {
    /// Whether other models answered in one file than in another.
    #[must_use]
    pub fn changed(&self) -> bool {
        let mut there = self.answered.iter().filter(|models| !models.is_empty());
        there.next().is_some_and(|first| there.any(|other| other != first))
    }
}

/// What differs between files.
#[derive(Debug)]
pub struct Drift {
    pub kind: Kind,
    pub files: Vec<Source>,
    /// Records and candidates of which all files say something, and those of which only some do.
    pub shared: u64,
    pub partly: u64,
    /// By readout.
    pub readouts: BTreeMap<String, Change>,
    /// By criterion.
    pub criteria: BTreeMap<String, Change>,
    /// The first that changed against the first file.
    pub examples: Vec<Example>,
    pub models: Vec<Models>,
    /// Not all files are of one program.
    pub programs_differ: bool,
}

impl Drift {
    /// Whether anything differs.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let changes = self.readouts.values().chain(self.criteria.values());
        self.partly > 0 || changes.into_iter().any(|change| change.flipped + change.half > 0)
    }
}

/// What a run says of something.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    Number(f64),
    /// A place among the words.
    Word(u32),
    /// It says nothing: abstained, open, missing, failed.
    Nothing(u32),
}

/// Compares files, each with every later one.
///
/// # Errors
/// Where one cannot be read, or they hold different things.
pub fn compare(files: &[PathBuf], most: usize) -> Result<Drift, InputFault> {
    let mut gathered = Gathered { most, ..Gathered::default() };
    let mut kind = None;
    for path in files {
        let own = kind_of(path)?;
        if *kind.get_or_insert(own) != own {
            let reason = "it is of another kind than the file before; compare results with results, traces with traces";
            return Err(InputFault::new(path, None, reason));
        }
    }
    let kind = kind.unwrap_or(Kind::Results);
    let runs = match kind {
        Kind::Results => sources(files)?,
        Kind::Trace => files.iter().map(|path| Source { path: path.clone(), run: None }).collect(),
        Kind::Judgments => runs_of_judgments(files)?,
    };
    if let ([only], [_]) = (files, runs.as_slice()) {
        return Err(InputFault::new(only, None, "it holds one run; name another file to compare it with"));
    }
    for (number, source) in runs.iter().enumerate() {
        gathered.file = number;
        gathered.aliases.clear();
        match kind {
            Kind::Results => gathered.results(source)?,
            Kind::Trace => gathered.trace(&source.path)?,
            Kind::Judgments => gathered.judgments(source)?,
        }
    }
    Ok(gathered.finish(kind, &runs))
}

/// The runs that lines of judgments name.
fn runs_of_judgments(files: &[PathBuf]) -> Result<Vec<Source>, InputFault> {
    let mut found = Vec::new();
    for path in files {
        let mut runs = BTreeSet::new();
        each_judgment(path, &mut |line| {
            runs.extend(run_of(line)?);
            Ok(())
        })?;
        if runs.is_empty() {
            found.push(Source { path: path.clone(), run: None });
        }
        found.extend(runs.into_iter().map(|run| Source { path: path.clone(), run: Some(run) }));
    }
    Ok(found)
}

/// The run that a judgment belongs to; `None`: to all.
fn run_of(line: &Json) -> Result<Option<u32>, String> {
    match line.get("run") {
        None | Some(Json::Null) => Ok(None),
        Some(run) => run_number(run).map(Some),
    }
}

/// Hands on each line of a file of judgments; what is wrong with one ends it with its place.
fn each_judgment(path: &Path, with: &mut dyn FnMut(&Json) -> Result<(), String>) -> Result<(), InputFault> {
    let mut lines = ResultLines::open(path).map_err(|reason| InputFault::new(path, None, reason))?;
    loop {
        let next = lines.next_line().map_err(|error| InputFault::new(path, None, error.to_string()))?;
        let Some(line) = next else { return Ok(()) };
        let number = line.number;
        let read = line.text.and_then(|text| match text.trim() {
            "" => Ok(()),
            _ => with(&json::parse(text)?),
        });
        read.map_err(|reason| InputFault::new(path, Some(number), reason))?;
    }
}

/// Everything that was said so far.
#[derive(Default)]
struct Gathered {
    most: usize,
    /// The file that is being read.
    file: usize,
    /// By record, candidate and name.
    said: HashMap<u128, Unit>,
    /// By record and candidate: how many files have it.
    records: HashMap<u128, (usize, u32)>,
    words: Words,
    names: Words,
    examples: Vec<Example>,
    programs: BTreeSet<String>,
    /// Of the trace that is being read: per program and criterion, its alias.
    aliases: HashMap<(u64, String), String>,
    models: BTreeMap<String, BTreeMap<usize, BTreeSet<String>>>,
}

struct Unit {
    name: u32,
    is_criterion: bool,
    values: Vec<(usize, Said)>,
}

impl Gathered {
    fn record(&mut self, id: &str, candidate: Option<&str>) {
        let entry = self.records.entry(key(id, candidate)).or_insert((self.file, 1));
        if entry.0 != self.file {
            *entry = (self.file, entry.1 + 1);
        }
    }

    fn add(&mut self, id: &str, candidate: Option<&str>, name: &str, is_criterion: bool, json: &Json) {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let said = match json {
            Json::Number(number) => Said::Number(at_nine(number.as_f64().unwrap_or(f64::NAN))),
            Json::Null => Said::Nothing(0),
            Json::String(word) if word == "unknown" && is_criterion => {
                Said::Word(small(self.words.insert_full(word.clone()).0))
            }
            Json::Object(map) if map.contains_key("open") || map.contains_key("missing") => Said::Nothing(1),
            other => Said::Word(small(self.words.insert_full(other.to_string()).0)),
        };
        let at = small(self.names.insert_full(name.to_owned()).0);
        let whose = key(&format!("{name}\u{0}{id}"), candidate);
        let unit = self.said.entry(whose).or_insert_with(|| Unit { name: at, is_criterion, values: Vec::new() });
        let first = unit.values.first().copied();
        unit.values.push((self.file, said));
        if let Some((0, before)) = first
            && self.file > 0
            && before != said
            && self.examples.len() < self.most
        {
            let text = |said: Said| match said {
                Said::Number(number) => number.to_string(),
                Said::Word(word) => self.words.get_index(word as usize).cloned().unwrap_or_default(),
                Said::Nothing(_) => "nothing".to_owned(),
            };
            self.examples.push(Example {
                id: id.to_owned(),
                candidate: candidate.map(str::to_owned),
                name: name.to_owned(),
                before: text(before),
                after: text(said),
                file: self.file,
            });
        }
    }

    fn results(&mut self, source: &Source) -> Result<(), InputFault> {
        let mut results = Results::of(source)?;
        while let Some(row) = results.next_row()? {
            let Some(id) = &row.id else { continue };
            self.record(id, row.candidate.as_deref());
            self.programs.extend(row.program.clone());
            for (name, json) in &row.readouts {
                self.add(id, row.candidate.as_deref(), name, false, json);
            }
        }
        Ok(())
    }

    fn trace(&mut self, path: &Path) -> Result<(), InputFault> {
        let mut reader = Reader::new(open(path)?);
        loop {
            let next = reader.next_line().map_err(|error| InputFault::new(path, None, error.to_string()))?;
            let Some(found) = next else { return Ok(()) };
            let fault = |reason: String| InputFault::new(path, Some(found.number), reason);
            match found.line.map_err(fault)? {
                _ if !found.holds => {
                    return Err(fault("the line, or one before it, was changed after it was written".to_owned()));
                }
                Line::Head | Line::End { .. } => {}
                Line::Failed { id, .. } => {
                    if let Some(id) = id {
                        self.record(&id, None);
                    }
                }
                Line::Program { number, digest, json } => {
                    self.programs.insert(digest);
                    let program: Json = json::parse(&json).map_err(fault)?;
                    self.program(number as u64, &program);
                }
                Line::Record(_) => {
                    let line = json::parse(&format!("{}}}", found.body)).map_err(fault)?;
                    self.trace_record(&line);
                }
            }
        }
    }

    /// Which alias each criterion of a program names.
    fn program(&mut self, number: u64, program: &Json) {
        for node in program.get("nodes").and_then(Json::as_array).into_iter().flatten() {
            let Some(id) = node.get("id").and_then(Json::as_str) else { continue };
            let llm = node.get("judge").and_then(|judge| judge.get("llm"));
            let alias = match llm.and_then(|llm| llm.get("model")) {
                Some(Json::String(alias)) => alias.clone(),
                // Of a panel's models it is not told which alias an answer belongs to.
                _ => format!("the judges of {id}"),
            };
            self.aliases.insert((number, id.to_owned()), alias);
        }
    }

    fn trace_record(&mut self, line: &Json) {
        let Some(id) = line.get("record").and_then(Json::as_str) else { return };
        let program = line.get("program").and_then(Json::as_u64).unwrap_or(0);
        self.leaves(id, None, program, line.get("shared"));
        self.outcomes(id, None, line.get("readouts"));
        for candidate in line.get("candidates").and_then(Json::as_array).into_iter().flatten() {
            let name = candidate.get("id").and_then(Json::as_str);
            self.record(id, name);
            self.leaves(id, name, program, candidate.get("leaves"));
            self.outcomes(id, name, candidate.get("readouts"));
        }
    }

    fn outcomes(&mut self, id: &str, candidate: Option<&str>, readouts: Option<&Json>) {
        for (name, json) in readouts.and_then(Json::as_object).into_iter().flatten() {
            self.add(id, candidate, name, false, json);
        }
    }

    fn leaves(&mut self, id: &str, candidate: Option<&str>, program: u64, leaves: Option<&Json>) {
        for leaf in leaves.and_then(Json::as_array).into_iter().flatten() {
            let Some(node) = leaf.get("node").and_then(Json::as_str) else { continue };
            if leaf.get("basis").and_then(Json::as_str).is_some_and(|basis| basis == "rule") {
                continue;
            }
            if let Some(items) = leaf.get("items").and_then(Json::as_array) {
                for item in items {
                    let name = format!("{node}.{}", item.get("id").and_then(Json::as_str).unwrap_or_default());
                    let recorded = item.get("recorded").and_then(Json::as_array);
                    let only = recorded.and_then(|entries| entries.first()).map_or(&Json::Null, value_of);
                    self.add(id, candidate, &name, true, only);
                    recorded.into_iter().flatten().for_each(|entry| self.judge(program, node, entry));
                }
                continue;
            }
            self.add(id, candidate, node, true, leaf.get("value").unwrap_or(&Json::Null));
            let recorded = leaf.get("recorded").and_then(Json::as_array);
            recorded.into_iter().flatten().for_each(|entry| self.judge(program, node, entry));
        }
    }

    /// The models behind a recorded judgment: those of its calls, else who is said to have judged.
    fn judge(&mut self, program: u64, criterion: &str, entry: &Json) {
        let alias = self.aliases.get(&(program, criterion.to_owned())).cloned().unwrap_or_else(|| criterion.to_owned());
        let calls = entry.get("calls").and_then(Json::as_array).into_iter().flatten();
        let mut models: Vec<&str> = calls.filter_map(|call| call.get("model")?.as_str()).collect();
        if models.is_empty() {
            models.extend(entry.get("by").and_then(Json::as_str));
        }
        let file = self.file;
        let of_file = self.models.entry(alias).or_default().entry(file).or_default();
        of_file.extend(models.into_iter().map(str::to_owned));
    }

    fn judgments(&mut self, source: &Source) -> Result<(), InputFault> {
        each_judgment(&source.path, &mut |json| {
            let id = json.get("id").ok_or("the judgment has no `id`")?;
            let id = identity(id, "`id`")?;
            let candidate = match json.get("candidate") {
                None | Some(Json::Null) => None,
                Some(candidate) => Some(identity(candidate, "`candidate`")?),
            };
            let criterion = json.get("criterion").and_then(Json::as_str).ok_or("the judgment has no `criterion`")?;
            if run_of(json)?.is_some_and(|run| source.run != Some(run)) {
                return Ok(());
            }
            self.record(&id, candidate.as_deref());
            self.add(&id, candidate.as_deref(), criterion, true, value_of(json));
            self.judge(0, criterion, json);
            Ok(())
        })
    }

    fn finish(self, kind: Kind, files: &[Source]) -> Drift {
        let mut readouts: BTreeMap<String, Change> = BTreeMap::new();
        let mut criteria: BTreeMap<String, Change> = BTreeMap::new();
        for unit in self.said.values() {
            let name = self.names.get_index(unit.name as usize).cloned().unwrap_or_default();
            let change = if unit.is_criterion { &mut criteria } else { &mut readouts }.entry(name).or_default();
            for (at, (file, before)) in unit.values.iter().enumerate() {
                for (_, after) in unit.values.iter().skip(at + 1).filter(|(later, _)| later != file) {
                    add(change, *before, *after);
                }
            }
        }
        let shared = self.records.values().filter(|(_, n)| *n as usize == files.len()).count() as u64;
        let models = self.models.into_iter().map(|(alias, mut by_file)| Models {
            alias,
            answered: (0..files.len()).map(|file| by_file.remove(&file).unwrap_or_default()).collect(),
        });
        Drift {
            kind,
            files: files.to_vec(),
            shared,
            partly: self.records.len() as u64 - shared,
            readouts,
            criteria,
            examples: self.examples,
            models: models.filter(|models| models.answered.iter().any(|ids| !ids.is_empty())).collect(),
            programs_differ: self.programs.len() > 1,
        }
    }
}

fn add(change: &mut Change, before: Said, after: Said) {
    match (before, after) {
        (Said::Nothing(_), Said::Nothing(_)) => {}
        (Said::Nothing(_), _) | (_, Said::Nothing(_)) => change.half += 1,
        _ => {
            change.compared += 1;
            change.flipped += u64::from(before != after);
            if let (Said::Number(a), Said::Number(b)) = (before, after) {
                change.numbers += 1;
                change.sum += b - a;
                change.absolute += (b - a).abs();
                change.largest = change.largest.max((b - a).abs());
            }
        }
    }
}

/// The value of a recorded judgment; samples as they stand.
fn value_of(entry: &Json) -> &Json {
    const UNKNOWN: &Json = &Json::Null;
    match entry {
        Json::Object(map) => {
            map.get("value").or_else(|| map.get("values")).or_else(|| map.get("unknown")).unwrap_or(UNKNOWN)
        }
        other => other,
    }
}

fn open(path: &Path) -> Result<BufReader<File>, InputFault> {
    if path.is_dir() {
        return Err(InputFault::new(path, None, "it is a folder; name a file of results, a trace or judgments"));
    }
    let file = File::open(path).map_err(|error| InputFault::new(path, None, crate::source::in_words(&error)))?;
    Ok(BufReader::with_capacity(256 * 1024, file))
}

/// What a file holds, by its first line.
pub(crate) fn kind_of(path: &Path) -> Result<Kind, InputFault> {
    let mut lines = ResultLines::open(path).map_err(|reason| InputFault::new(path, None, reason))?;
    let first = lines.next_line().map_err(|error| InputFault::new(path, None, error.to_string()))?;
    let fault = |reason: &str| InputFault::new(path, Some(1), reason);
    let text = match first {
        None => return Err(InputFault::new(path, None, "it is empty")),
        Some(line) => line.text.map_err(|reason| fault(&reason))?.to_owned(),
    };
    if text.starts_with("{\"trace\":") {
        return Ok(Kind::Trace);
    }
    let json = json::parse(&text).map_err(|reason| fault(&reason))?;
    match (json.get("status"), json.get("criterion")) {
        (Some(_), _) => Ok(Kind::Results),
        (None, Some(_)) => Ok(Kind::Judgments),
        _ => Err(fault("it is no line of results, of a trace or of judgments")),
    }
}
