//! Puts results, or traces, of several runs over parts of the same records into one.
//!
//! Files are read twice: once to find which of them says what of each record (some 100 bytes are kept for one), once to copy.
//! Where every line says where its record stands among all (traces do, and results of shards), and no two records stand in one
//! place, the files are read side by side and the records come out in their order, as one run over all of them would have
//! written them; else in the order of the files. Results of whole runs do not say it.
//! A record that several files have is taken once: where they say the same, from the first; else from the one that leaves
//! less open (a run that was resumed knows more than the one before). Where neither does, nothing is written, because
//! which of them is right cannot be told. A line that cannot be read, and a trace that was cut off or changed, end it too.

use super::columns::ResultLines;
use super::record::seen;
use super::trace::FORMAT;
use super::trace::chain::Chain;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Results,
    Traces,
}

/// What was merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub kind: Kind,
    pub records: u64,
    /// Records that stood in a second file in the same words.
    pub same: u64,
    /// Records of which another file leaves less open.
    pub better: u64,
}

/// Files that were looked through, and what is to be taken from each.
pub struct Merge {
    kind: Kind,
    inputs: Vec<PathBuf>,
    /// By the digest of the record's key.
    records: HashMap<u128, Found>,
    same: u64,
    better: u64,
    /// Whether every file has its records in the order of their places, as far as it says them.
    in_order: bool,
    /// What two files say differently of one record, in a sentence.
    contradiction: Option<String>,
}

/// Where a record's lines stand.
#[derive(Debug, Clone, Copy)]
struct Found {
    file: usize,
    /// The number of its first line, and how many there are.
    first: u64,
    lines: u64,
    digest: u128,
    /// How much is left open.
    open: u64,
    /// Its line among all records, where that is said.
    place: Option<Place>,
}

/// Where a record stands: its run, of results of several, and its line among all records.
type Place = (u32, u64);

/// A line that says something of a record.
struct Said {
    key: u128,
    name: String,
    open: u64,
    program: Option<Program>,
    place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Program {
    Digest(String),
    /// Of a trace, by its number there.
    Number(usize),
}

#[derive(Deserialize)]
struct ResultLine {
    id: Option<String>,
    status: String,
    program: Option<String>,
    line: Option<u64>,
    run: Option<u32>,
}

#[derive(Deserialize)]
struct TraceLine {
    record: Option<String>,
    line: u64,
    program: Option<usize>,
    failed: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ProgramLine {
    number: usize,
    digest: String,
}

impl Merge {
    /// Looks through the files. `several`: they may be of several programs.
    ///
    /// # Errors
    /// A sentence: a file that cannot be read, a line that is none of results or traces, programs that differ, records of
    /// which two files say different things.
    pub fn read(inputs: &[PathBuf], several: bool) -> Result<Merge, String> {
        let mut merge: Option<Merge> = None;
        let mut programs: BTreeMap<String, usize> = BTreeMap::new();
        for (file, path) in inputs.iter().enumerate() {
            let kind = kind_of(path)?;
            let merge = merge.get_or_insert_with(|| Merge {
                kind,
                inputs: inputs.to_vec(),
                records: HashMap::new(),
                same: 0,
                better: 0,
                in_order: true,
                contradiction: None,
            });
            if merge.kind != kind {
                return Err(format!(
                    "`{}` is of another kind than the first file; merge results with results and traces with traces",
                    path.display()
                ));
            }
            for program in merge.look(file, path)? {
                programs.entry(program).or_insert(file);
            }
        }
        if let (false, [(_, first), (_, second), ..]) = (several, programs.iter().collect::<Vec<_>>().as_slice()) {
            let name = |file: usize| inputs.get(file).map(|path| path.display().to_string()).unwrap_or_default();
            let (first, second) = (name(**first.min(second)), name(**first.max(second)));
            let places =
                if first == second { format!("`{first}` is") } else { format!("`{first}` and `{second}` are") };
            return Err(format!(
                "{places} of different programs, so their scores do not belong together; run all parts with one program (or \
                 say --several-programs, where a folder of programs was run)"
            ));
        }
        let merge = merge.ok_or_else(|| "there is nothing to merge".to_owned())?;
        merge.contradiction.clone().map_or(Ok(merge), Err)
    }

    /// Notes what a file says of each record; the digests of its programs.
    fn look(&mut self, file: usize, path: &Path) -> Result<Vec<String>, String> {
        let mut programs: HashMap<usize, String> = HashMap::new();
        let mut named: Vec<String> = Vec::new();
        let mut current: Option<(Said, Found, blake3::Hasher)> = None;
        let mut ended = self.kind == Kind::Results;
        let kind = self.kind;
        let (mut last, mut in_order) = ((0, 0), true);
        let mut reading = Reading::open(path, kind)?;
        while let Some((number, text)) = reading.next()? {
            let at = |fault: String| at(path, number, &fault);
            match line(kind, text).map_err(at)? {
                Line::Nothing => {}
                Line::End => ended = true,
                Line::Program(program) => {
                    named.push(program.digest.clone());
                    programs.insert(program.number, program.digest);
                }
                Line::Said(said) => {
                    let program = match &said.program {
                        Some(Program::Digest(digest)) => Some(digest.clone()),
                        Some(Program::Number(number)) => {
                            let known = programs.get(number).cloned();
                            Some(known.ok_or_else(|| at("its program does not stand before it".to_owned()))?)
                        }
                        None => None,
                    };
                    if let Some(program) = &program
                        && kind == Kind::Results
                        && named.last() != Some(program)
                        && !named.contains(program)
                    {
                        named.push(program.clone());
                    }
                    if let Some((known, found, hasher)) = &mut current
                        && known.key == said.key
                    {
                        found.lines += 1;
                        found.open += said.open;
                        hasher.update(alike(kind, text).as_bytes());
                        continue;
                    }
                    if let Some(done) = current.take() {
                        self.note(done);
                    }
                    in_order &= said.place.is_some_and(|place| place > last);
                    last = said.place.unwrap_or(last);
                    let mut hasher = blake3::Hasher::new();
                    hasher.update(program.unwrap_or_default().as_bytes());
                    hasher.update(alike(kind, text).as_bytes());
                    let found = Found { file, first: number, lines: 1, digest: 0, open: said.open, place: said.place };
                    current = Some((said, found, hasher));
                }
            }
        }
        self.in_order &= in_order;
        if let Some(done) = current.take() {
            self.note(done);
        }
        if !ended {
            return Err(format!(
                "the trace `{}` was cut off; run that part again, what was judged is in the store",
                path.display()
            ));
        }
        Ok(named)
    }

    fn note(&mut self, (said, mut found, hasher): (Said, Found, blake3::Hasher)) {
        let (digest, _) =
            hasher.finalize().as_bytes().split_first_chunk::<16>().map_or(([0; 16], ()), |(d, _)| (*d, ()));
        found.digest = u128::from_be_bytes(digest);
        let Some(known) = self.records.get_mut(&said.key) else {
            self.records.insert(said.key, found);
            return;
        };
        if known.digest == found.digest {
            self.same += 1;
        } else if known.open == found.open {
            // Told only if nothing worse is wrong: results of another program are bound to differ.
            let name = |file: usize| self.inputs.get(file).map(|path| path.display().to_string()).unwrap_or_default();
            self.contradiction.get_or_insert_with(|| {
                format!(
                    "{} stands in `{}` and in `{}` with different results, and neither leaves less open; leave one of the two out",
                    said.name,
                    name(known.file),
                    name(found.file)
                )
            });
        } else {
            self.better += 1;
            if found.open < known.open {
                *known = found;
            }
        }
    }

    /// Writes what is to be taken.
    ///
    /// # Errors
    /// The outer one: a file cannot be read, or is another one by now. The inner one: it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<io::Result<Merged>, String> {
        let mut writer = Writer { out, chain: Chain::default(), kind: self.kind, programs: HashMap::new() };
        let mut written = Ok(());
        if self.kind == Kind::Traces {
            written = writer.seal(format!("{{\"trace\":\"{FORMAT}\""));
        }
        let files = self.inputs.iter().enumerate().map(|(file, path)| Source::open(file, path, self));
        if self.has_places() {
            written = written.and(self.copy(&mut files.collect::<Result<Vec<_>, _>>()?, &mut writer)?);
        } else {
            for source in files {
                written = written.and(self.copy(&mut [source?], &mut writer)?);
            }
        }
        let records = self.records.len() as u64;
        if self.kind == Kind::Traces && written.is_ok() {
            written = writer.seal(format!("{{\"end\":{{\"records\":{records}}}"));
        }
        let written = written.and_then(|()| writer.out.flush());
        Ok(written.map(|()| Merged { kind: self.kind, records, same: self.same, better: self.better }))
    }
}

impl Merge {
    /// What the files hold.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether all records have places of their own, and stand in that order in each file.
    fn has_places(&self) -> bool {
        let mut places: Vec<Place> = self.records.values().filter_map(|found| found.place).collect();
        places.sort_unstable();
        let all = places.len();
        places.dedup();
        self.in_order && places.len() == all
    }

    /// Copies what is to be taken from these files, the earliest record first.
    fn copy(&self, sources: &mut [Source<'_>], writer: &mut Writer<'_>) -> Result<io::Result<()>, String> {
        loop {
            let with_next =
                sources.iter_mut().filter_map(|source| Some((source.next.as_ref()?.place.unwrap_or_default(), source)));
            let Some((_, source)) = with_next.min_by_key(|(place, _)| *place) else { return Ok(Ok(())) };
            let Some(line) = source.next.take() else { return Ok(Ok(())) };
            let program = line.program.and_then(|number| source.programs.get(&number));
            if let Err(error) = writer.put(&line.text, program) {
                return Ok(Err(error));
            }
            source.advance(self)?;
        }
    }
}

/// A file that is copied from, and its next line that is to be taken.
struct Source<'a> {
    file: usize,
    reading: Reading<'a>,
    /// Of a trace: digests and lines of its programs, by their numbers there.
    programs: HashMap<usize, (String, String)>,
    next: Option<Taken>,
}

struct Taken {
    text: String,
    place: Option<Place>,
    program: Option<usize>,
}

impl<'a> Source<'a> {
    fn open(file: usize, path: &'a Path, merge: &Merge) -> Result<Source<'a>, String> {
        let reading = Reading::open(path, merge.kind)?;
        let mut source = Source { file, reading, programs: HashMap::new(), next: None };
        source.advance(merge)?;
        Ok(source)
    }

    fn advance(&mut self, merge: &Merge) -> Result<(), String> {
        let path = self.reading.path;
        while let Some((number, text)) = self.reading.next()? {
            match line(merge.kind, text).map_err(|fault| at(path, number, &fault))? {
                Line::Nothing | Line::End => {}
                Line::Program(program) => {
                    self.programs.insert(program.number, (program.digest, text.to_owned()));
                }
                Line::Said(said) => {
                    let changed = || at(path, number, "the file has changed meanwhile");
                    let found = merge.records.get(&said.key).ok_or_else(changed)?;
                    if found.file == self.file && (found.first..found.first + found.lines).contains(&number) {
                        let program = match said.program {
                            Some(Program::Number(number)) => Some(number),
                            _ => None,
                        };
                        self.next = Some(Taken { text: text.to_owned(), place: found.place, program });
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    chain: Chain,
    kind: Kind,
    /// The numbers of programs here, by their digests.
    programs: HashMap<String, usize>,
}

impl Writer<'_> {
    /// Writes a record's line: of a trace, with its program before it and its number as it is here.
    fn put(&mut self, text: &str, program: Option<&(String, String)>) -> io::Result<()> {
        if self.kind == Kind::Results {
            self.out.write_all(alike(Kind::Results, text).as_bytes())?;
            return self.out.write_all(b"\n");
        }
        let Some((digest, line)) = program else { return self.seal(text.to_owned()) };
        let next = self.programs.len();
        let number = match self.programs.get(digest) {
            Some(number) => *number,
            None => {
                self.programs.insert(digest.clone(), next);
                let body = line.split_once(',').map_or(line.as_str(), |(_, rest)| rest);
                self.seal(format!("{{\"number\":{next},{body}"))?;
                next
            }
        };
        match program_place(text) {
            Some((before, after)) => self.seal(format!("{before}{PROGRAM}{number}{after}")),
            None => self.seal(text.to_owned()),
        }
    }

    fn seal(&mut self, mut body: String) -> io::Result<()> {
        self.chain.seal(&mut body);
        body.push('\n');
        self.out.write_all(body.as_bytes())
    }
}

const PROGRAM: &str = ",\"program\":";

/// A record's line of a trace without the number of its program, which differs from trace to trace. Quotes within texts
/// are escaped, so that this key stands where it is first found.
fn program_place(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once(PROGRAM)?;
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    Some((before, after))
}

/// What begins a line of results of a shard, in place of its first brace.
pub(super) fn placed(line: u64) -> String {
    format!("{PLACED}{line},")
}

const PLACED: &str = "{\"line\":";

/// A line without what differs between runs that say the same: its program's number in a trace, and its place in results of a shard.
fn alike(kind: Kind, text: &str) -> Cow<'_, str> {
    match kind {
        Kind::Traces => match program_place(text) {
            Some((before, after)) => format!("{before}{after}").into(),
            None => text.into(),
        },
        Kind::Results => match text.strip_prefix(PLACED).and_then(|rest| rest.split_once(',')) {
            Some((_, rest)) => format!("{{{rest}").into(),
            None => text.into(),
        },
    }
}

enum Line {
    /// The head of a trace, or a line without text.
    Nothing,
    Program(ProgramLine),
    Said(Said),
    End,
}

/// Reads a line; of a trace without its check.
fn line(kind: Kind, text: &str) -> Result<Line, String> {
    let key = |id: Option<&str>, line: u64, run: Option<u32>| {
        let (key, name) = match id {
            Some(id) => (format!("id {id}"), format!("the record `{id}`")),
            None => (format!("line {line}"), format!("the record in line {line}")),
        };
        match run {
            None => (seen::digest(&key), name),
            Some(run) => (seen::digest(&format!("run {run} {key}")), format!("run {run} of {name}")),
        }
    };
    if text.trim().is_empty() {
        return Ok(Line::Nothing);
    }
    // A failed record is the least that can be known.
    const FAILED: u64 = 1 << 32;
    if kind == Kind::Results {
        let line: ResultLine =
            serde_json::from_str(text).map_err(|error| format!("it is no line of results: {error}"))?;
        let open = match line.status.as_str() {
            "decided" | "abstained" => 0,
            "failed" => FAILED,
            _ => 1,
        };
        let (key, name) = key(line.id.as_deref(), line.line.unwrap_or(0), line.run);
        let program = line.program.map(Program::Digest);
        let place = line.line.map(|place| (line.run.unwrap_or(0), place));
        return Ok(Line::Said(Said { key, name, open, program, place }));
    }
    let whole = format!("{text}}}");
    if text.starts_with("{\"record\":") {
        let line: TraceLine =
            serde_json::from_str(&whole).map_err(|error| format!("it is no line of a trace: {error}"))?;
        let open = if line.failed.is_some() { FAILED } else { text.matches("\"missing\":{\"reason\"").count() as u64 };
        let (key, name) = key(line.record.as_deref(), line.line, None);
        let program = line.program.map(Program::Number);
        return Ok(Line::Said(Said { key, name, open, program, place: Some((0, line.line)) }));
    }
    if text.starts_with("{\"number\":") {
        let program = serde_json::from_str(&whole).map_err(|error| format!("it is no program of a trace: {error}"))?;
        return Ok(Line::Program(program));
    }
    let json: Json = serde_json::from_str(&whole).map_err(|error| format!("it is no line of a trace: {error}"))?;
    match json.get("trace").and_then(Json::as_str) {
        Some(FORMAT) => Ok(Line::Nothing),
        Some(other) => Err(format!("the trace has the format {other:?}; this version reads {FORMAT:?}")),
        None if json.get("end").is_some() => Ok(Line::End),
        None => Err("it is no line of a trace".to_owned()),
    }
}

fn open(path: &Path) -> Result<ResultLines, String> {
    ResultLines::open(path).map_err(|why| format!("`{}` cannot be read: {why}", path.display()))
}

fn kind_of(path: &Path) -> Result<Kind, String> {
    let mut lines = open(path)?;
    let first = lines.next_line().map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let is_trace = first.is_some_and(|line| line.text.is_ok_and(|text| text.starts_with("{\"trace\":")));
    Ok(if is_trace { Kind::Traces } else { Kind::Results })
}

/// A file that is read line by line.
struct Reading<'a> {
    path: &'a Path,
    kind: Kind,
    lines: ResultLines,
    chain: Chain,
}

impl<'a> Reading<'a> {
    fn open(path: &'a Path, kind: Kind) -> Result<Reading<'a>, String> {
        Ok(Reading { path, kind, lines: open(path)?, chain: Chain::default() })
    }

    /// The number and the text of the next line, of a trace without its check.
    fn next(&mut self) -> Result<Option<(u64, &str)>, String> {
        let path = self.path;
        let next = self.lines.next_line();
        let next = next.map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
        let Some(line) = next else { return Ok(None) };
        let number = line.number;
        let text = line.text.map_err(|fault| at(path, number, &fault))?;
        if self.kind == Kind::Results || text.trim().is_empty() {
            return Ok(Some((number, text)));
        }
        match self.chain.open(text) {
            Some(checked) if checked.holds => Ok(Some((number, checked.body))),
            Some(_) => Err(at(path, number, "the line, or one before it, was changed after it was written")),
            None => Err(at(path, number, "the line does not end in a check; the trace was cut off or changed")),
        }
    }
}

fn at(path: &Path, number: u64, fault: &str) -> String {
    format!("`{}`, line {number}: {fault}", path.display())
}
