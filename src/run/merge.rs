//! Puts results, or traces, of several runs over parts of the same records into one.
//!
//! Files are read twice: once to find which of them says what of each record (some 80 bytes are kept for one), once to copy.
//! A record that several files have is taken once: where they say the same, from the first; else from the one that leaves
//! less open (a run that was resumed knows more than the one before). Where neither does, nothing is written, because
//! which of them is right cannot be told. A line that cannot be read, and a trace that was cut off or changed, end it too.

use super::record::lines::Lines;
use super::record::seen;
use super::trace::FORMAT;
use super::trace::chain::Chain;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Write};
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
}

/// A line that says something of a record.
struct Said {
    key: u128,
    name: String,
    open: u64,
    program: Option<Program>,
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
        each_line(path, kind, |number, text| {
            match line(kind, text)? {
                Line::Head => {}
                Line::End => ended = true,
                Line::Program(program) => {
                    named.push(program.digest.clone());
                    programs.insert(program.number, program.digest);
                }
                Line::Said(said) => {
                    let program = match &said.program {
                        Some(Program::Digest(digest)) => Some(digest.clone()),
                        Some(Program::Number(number)) => {
                            Some(programs.get(number).ok_or("its program does not stand before it")?.clone())
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
                        hasher.update(text.as_bytes());
                        return Ok(());
                    }
                    if let Some(done) = current.take() {
                        self.note(done);
                    }
                    let mut hasher = blake3::Hasher::new();
                    hasher.update(program.unwrap_or_default().as_bytes());
                    hasher.update(without_program(kind, text).as_bytes());
                    let found = Found { file, first: number, lines: 1, digest: 0, open: said.open };
                    current = Some((said, found, hasher));
                }
            }
            Ok(())
        })?;
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
        for (file, path) in self.inputs.iter().enumerate() {
            let mut numbers: HashMap<usize, (String, String)> = HashMap::new();
            each_line(path, self.kind, |number, text| {
                if written.is_err() {
                    return Ok(());
                }
                match line(self.kind, text)? {
                    Line::Head | Line::End => {}
                    Line::Program(program) => drop(numbers.insert(program.number, (program.digest, text.to_owned()))),
                    Line::Said(said) => {
                        let found = self.records.get(&said.key).ok_or("the file has changed meanwhile")?;
                        if found.file == file && (found.first..found.first + found.lines).contains(&number) {
                            let program = match said.program {
                                Some(Program::Number(number)) => numbers.get(&number),
                                _ => None,
                            };
                            written = writer.put(text, program);
                        }
                    }
                }
                Ok(())
            })?;
        }
        let records = self.records.len() as u64;
        if self.kind == Kind::Traces && written.is_ok() {
            written = writer.seal(format!("{{\"end\":{{\"records\":{records}}}"));
        }
        let written = written.and_then(|()| writer.out.flush());
        Ok(written.map(|()| Merged { kind: self.kind, records, same: self.same, better: self.better }))
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
            self.out.write_all(text.as_bytes())?;
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

fn without_program(kind: Kind, text: &str) -> std::borrow::Cow<'_, str> {
    match program_place(text) {
        Some((before, after)) if kind == Kind::Traces => format!("{before}{after}").into(),
        _ => text.into(),
    }
}

enum Line {
    Head,
    Program(ProgramLine),
    Said(Said),
    End,
}

/// Reads a line; of a trace without its check.
fn line(kind: Kind, text: &str) -> Result<Line, String> {
    let key = |id: Option<&str>, line: u64| match id {
        Some(id) => (seen::digest(&format!("id {id}")), format!("the record `{id}`")),
        None => (seen::digest(&format!("line {line}")), format!("the record in line {line}")),
    };
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
        let (key, name) = key(line.id.as_deref(), line.line.unwrap_or(0));
        return Ok(Line::Said(Said { key, name, open, program: line.program.map(Program::Digest) }));
    }
    let whole = format!("{text}}}");
    if text.starts_with("{\"record\":") {
        let line: TraceLine =
            serde_json::from_str(&whole).map_err(|error| format!("it is no line of a trace: {error}"))?;
        let open = if line.failed.is_some() { FAILED } else { text.matches("\"missing\":{\"reason\"").count() as u64 };
        let (key, name) = key(line.record.as_deref(), line.line);
        return Ok(Line::Said(Said { key, name, open, program: line.program.map(Program::Number) }));
    }
    if text.starts_with("{\"number\":") {
        let program = serde_json::from_str(&whole).map_err(|error| format!("it is no program of a trace: {error}"))?;
        return Ok(Line::Program(program));
    }
    let json: Json = serde_json::from_str(&whole).map_err(|error| format!("it is no line of a trace: {error}"))?;
    match json.get("trace").and_then(Json::as_str) {
        Some(FORMAT) => Ok(Line::Head),
        Some(other) => Err(format!("the trace has the format {other:?}; this version reads {FORMAT:?}")),
        None if json.get("end").is_some() => Ok(Line::End),
        None => Err("it is no line of a trace".to_owned()),
    }
}

fn open(path: &Path) -> Result<Lines<BufReader<File>>, String> {
    let unreadable = |what: &str| format!("`{}` cannot be read: {what}", path.display());
    if path.is_dir() {
        return Err(unreadable("it is a folder"));
    }
    let file = File::open(path).map_err(|error| unreadable(&crate::source::in_words(&error)))?;
    Ok(Lines::new(BufReader::with_capacity(256 * 1024, file)))
}

fn kind_of(path: &Path) -> Result<Kind, String> {
    let mut lines = open(path)?;
    let first = lines.next_line().map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let is_trace = first.is_some_and(|line| line.text.is_ok_and(|text| text.starts_with("{\"trace\":")));
    Ok(if is_trace { Kind::Traces } else { Kind::Results })
}

/// Calls `each` with the number and the text of every line, of a trace without its check.
fn each_line(path: &Path, kind: Kind, mut each: impl FnMut(u64, &str) -> Result<(), String>) -> Result<(), String> {
    let mut lines = open(path)?;
    let mut chain = Chain::default();
    while let Some(line) = lines.next_line().map_err(|error| format!("`{}` cannot be read: {error}", path.display()))? {
        let at = |fault: String| format!("`{}`, line {}: {fault}", path.display(), line.number);
        let text = match &line.text {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => *text,
            Err(fault) => return Err(at(fault.clone())),
        };
        if kind == Kind::Results {
            each(line.number, text).map_err(at)?;
            continue;
        }
        match chain.open(text) {
            Some(checked) if checked.holds => each(line.number, checked.body).map_err(at)?,
            Some(_) => return Err(at("the line, or one before it, was changed after it was written".to_owned())),
            None => return Err(at("the line does not end in a check; the trace was cut off or changed".to_owned())),
        }
    }
    Ok(())
}
