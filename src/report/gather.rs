//! Reads results, traces, labels and records into a report.
//!
//! Rows come from the results, or where there are none from the traces. Then labels are laid beside them; then, for as many rows as
//! are wanted, the worst first, the traces are read (again) for what led there, and the records for their texts.

use super::detail::details;
use super::rows::{Draft, Drafts, Key};
use super::spread::{OfTag, Spread};
use super::text::{cleaned, value};
use super::{Passing, Report, Row, RunOf, Wanted};
use crate::evaluate::drift::{Kind, kind_of};
use crate::evaluate::input::labels::{self, Labels, Words, encode, key};
use crate::evaluate::input::results::{Outcome, ResultRow, Results, Source, outcome, sources};
use crate::evaluate::input::{InputFault, Reading, TIE_WORD, Task};
use crate::evaluate::measure::{Given, combined, measure};
use crate::evaluate::pairs::TIE;
use crate::evaluate::report::{Combine, LabelSource};
use crate::profile::Gathering;
use crate::run::record::Tags;
use crate::run::record::{Records, identity};
use crate::run::replay::find::{Located, Seen};
use crate::run::replay::{OpenProgram, Replay};
use crate::run::result::{Ran, Status, lines};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Tags that are told one by one.
const MOST_TAGS: usize = 40;
/// Faults of traces that are told one by one.
const MOST_FAULTS: usize = 5;

/// Gathers a report from files of results and traces, in any order: the first trace belongs to the first run, and so on. `open`
/// turns the program in a trace into a checked one.
///
/// # Errors
/// Where a file cannot be read, files do not belong together, or it is not clear which readout is meant.
pub fn gather(files: &[PathBuf], wanted: &Wanted, open: OpenProgram<'_>) -> Result<Report, InputFault> {
    let (mut results, mut traces) = (Vec::new(), Vec::new());
    for path in files {
        match kind_of(path)? {
            Kind::Results => results.push(path.clone()),
            Kind::Trace => traces.push(path.clone()),
            Kind::Judgments => {
                let reason =
                    "it holds judgments; a report is made of what `rubric run` makes of them, results or a trace";
                return Err(InputFault::new(path, None, reason));
            }
        }
    }
    let first = files.first().map_or(Path::new(""), PathBuf::as_path);
    let runs: Vec<Source> = if results.is_empty() {
        traces.iter().map(|path| Source { path: path.clone(), run: None }).collect()
    } else {
        sources(&results)?
    };
    if !traces.is_empty() && traces.len() != runs.len() {
        let reason = format!(
            "there are {} runs of results and {} traces; name one trace for each run, in the same order, or none",
            runs.len(),
            traces.len()
        );
        return Err(InputFault::new(first, None, reason));
    }
    let mut gathering = Gatherer { wanted, open, drafts: Drafts::default(), notes: Vec::new() };
    for (run, source) in runs.iter().enumerate() {
        if results.is_empty() {
            gathering.rows_of_trace(run, runs.len(), &source.path)?;
        } else {
            gathering.rows_of_results(run, runs.len(), source)?;
        }
    }
    let main = gathering.main(first)?;
    gathering.tell(&main).map_err(|reason| InputFault::new(first, None, reason))?;
    gathering.label(&main)?;
    let said = gathering.drafts.rows.values().flat_map(|draft| draft.readouts.iter().flatten());
    let decided =
        said.filter_map(|readouts| readouts.get(&main)).any(|said| !said.is_null() && said.get("open").is_none());
    let measured = match (&wanted.labels, results.is_empty()) {
        (Some(_), false) if !decided => {
            gathering.notes.push("nothing is decided, so there is no agreement to measure".into());
            None
        }
        (Some((options, _)), false) => {
            let options = crate::evaluate::report::Options { readout: Some(main.clone()), ..options.clone() };
            Some(measure(&results, &options)?)
        }
        (Some(_), true) => {
            gathering
                .notes
                .push("agreement is measured on results; name the file that `rubric run -o` wrote too".into());
            None
        }
        (None, _) => None,
    };
    let chosen = gathering.closest();
    let (programs, profiles) = match traces.is_empty() {
        true => (Vec::new(), None),
        false => gathering.details(&traces, &runs, &chosen, results.is_empty())?,
    };
    if let Some(path) = &wanted.data {
        gathering.texts(path, &chosen)?;
    }
    Ok(gathering.finish(main, &runs, measured, programs, profiles))
}

struct Gatherer<'a> {
    wanted: &'a Wanted,
    open: OpenProgram<'a>,
    drafts: Drafts,
    notes: Vec<String>,
}

type Programs = Vec<std::sync::Arc<crate::graph::Program>>;

impl Gatherer<'_> {
    fn rows_of_results(&mut self, run: usize, runs: usize, source: &Source) -> Result<(), InputFault> {
        let mut results = Results::of(source)?;
        while let Some(row) = results.next_row()? {
            let line = row.line;
            let added = self.drafts.add(run, runs, row);
            added.map_err(|reason| InputFault::new(&source.path, Some(line), reason))?;
        }
        Ok(())
    }

    fn rows_of_trace(&mut self, run: usize, runs: usize, path: &Path) -> Result<(), InputFault> {
        let mut faults = Vec::new();
        let mut replay = Replay::new(opened(path)?, self.open);
        let unreadable = |error: std::io::Error| InputFault::new(path, None, error.to_string());
        while let Some(seen) = replay.next_record().map_err(unreadable)? {
            match seen {
                Seen::Record(id, located) => {
                    let Some(engine) = replay.program_of(&located) else { continue };
                    let ran = Ran {
                        engine,
                        id: &id,
                        candidates: &located.candidates,
                        judged: &located.judged,
                        outcomes: &located.outcomes,
                        tags: &Tags::default(),
                    };
                    for line in lines(&ran) {
                        let row = ResultRow::of_json(line.json).map(|row| ResultRow { at: Some(located.line), ..row });
                        let added = row.and_then(|row| self.drafts.add(run, runs, row));
                        added.map_err(|reason| InputFault::new(path, None, reason))?;
                    }
                }
                Seen::Failed(id, reason) => {
                    let mut map = Map::new();
                    map.insert("id".to_owned(), id.into());
                    map.insert("status".to_owned(), Status::Failed.word().into());
                    map.insert("reason".to_owned(), reason.into());
                    let added = ResultRow::of_json(Json::Object(map)).and_then(|row| self.drafts.add(run, runs, row));
                    added.map_err(|reason| InputFault::new(path, None, reason))?;
                }
                Seen::Fault(fault) => faults.push(fault),
            }
        }
        self.faults(path, &faults);
        Ok(())
    }

    /// Tells what is wrong with a trace.
    fn faults(&mut self, path: &Path, faults: &[crate::run::replay::Fault]) {
        for fault in faults.iter().take(MOST_FAULTS) {
            self.notes.push(cleaned(&format!("`{}`, line {}: {}", path.display(), fault.line, fault.what)));
        }
        if faults.len() > MOST_FAULTS {
            self.notes.push(format!("`{}` has {} more such lines", path.display(), faults.len() - MOST_FAULTS));
        }
    }

    /// The readout that rows are compared by.
    fn main(&self, file: &Path) -> Result<String, InputFault> {
        let keys: Vec<&String> = self.drafts.readouts.iter().collect();
        let list = || keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let fault = |reason: String| Err(InputFault::new(file, None, reason));
        if let Some(wanted) = &self.wanted.readout {
            return match keys.contains(&wanted) {
                true => Ok(wanted.clone()),
                false => fault(format!("it has no readout `{wanted}`; it has {}", list())),
            };
        }
        let unnamed: Vec<&&String> =
            keys.iter().filter(|key| matches!(key.as_str(), "pointwise" | "pairwise" | "listwise")).collect();
        match (keys.as_slice(), unnamed.as_slice()) {
            ([only], _) => Ok((*only).clone()),
            (_, [only, ..]) => Ok((**only).clone()),
            // Every record failed.
            ([], _) => Ok("pointwise".to_owned()),
            _ => fault(format!("it has several readouts: {}; choose one with `--readout`", list())),
        }
    }

    /// Puts what readouts say into words.
    fn tell(&mut self, main: &str) -> Result<(), String> {
        self.drafts.readouts.shift_remove(main);
        self.drafts.readouts.shift_insert(0, main.to_owned());
        for draft in self.drafts.rows.values_mut() {
            for (cell, readouts) in draft.row.cells.iter_mut().zip(&draft.readouts) {
                let (Some(cell), Some(readouts)) = (cell, readouts) else { continue };
                let said = |key: &String| match readouts.get(key)? {
                    Json::Null => Some("abstained".to_owned()),
                    json => value(json),
                };
                cell.said = self.drafts.readouts.iter().map(said).collect();
                let Some(json) = readouts.get(main) else { continue };
                cell.number = json.as_f64();
                cell.passes = Passing::holds(self.wanted.passing.as_ref(), json)?;
            }
        }
        Ok(())
    }

    /// What is compared with labels: the first decided outcome tells.
    fn task(&self, main: &str) -> Task {
        let all = self.drafts.rows.values().flat_map(|draft| draft.readouts.iter().flatten());
        for json in all.filter_map(|readouts| readouts.get(main)) {
            match outcome(json) {
                Ok(Outcome::Number(_)) => return Task::Points,
                Ok(Outcome::Truth(_)) => return Task::Truth,
                Ok(Outcome::Word(_)) => return Task::Classes,
                Ok(Outcome::Winner(_) | Outcome::Tie) => return Task::Pairs,
                _ => {}
            }
        }
        Task::Classes
    }

    /// Lays labels beside the rows.
    fn label(&mut self, main: &str) -> Result<(), InputFault> {
        let Some((options, _)) = &self.wanted.labels else { return Ok(()) };
        let reading = Reading::new(self.task(main), options);
        let mut words = Words::new();
        let wanted = labels::Wanted { readout: main.to_owned(), ..options.wanted.clone() };
        let mut file = match &options.labels {
            LabelSource::File(path) => Some((Labels::read(path, &wanted, &reading, &mut words)?, path)),
            LabelSource::Tag(_) => None,
        };
        let usual = if reading.task == Task::Points { Combine::Mean } else { Combine::Majority };
        // Of a list one label is shown, whatever the figures are over.
        let combine = options.combine.filter(|combine| *combine != Combine::Each).unwrap_or(usual);
        for ((id, candidate), draft) in &mut self.drafts.rows {
            if draft.readouts.iter().flatten().all(|readouts| !readouts.contains_key(main)) {
                continue;
            }
            let code = match (&mut file, &options.labels) {
                (Some((labels, _)), _) => {
                    match combined(labels.find(key(id, candidate.as_deref())), combine, reading.task) {
                        Some(Given::One(code)) => Some(code),
                        _ => None,
                    }
                }
                (None, LabelSource::Tag(tag)) => {
                    let json = draft.tags.as_ref().and_then(|tags| tags.get(tag)).unwrap_or(&Json::Null);
                    let said = reading.value(json).map_err(|reason| InputFault::new(Path::new(tag), None, reason))?;
                    said.map(|said| encode(&said, &mut words))
                }
                (None, LabelSource::File(_)) => None,
            };
            let Some(code) = code else { continue };
            draft.row.label = Some(word(code, reading.task, &words, &reading));
            let mut off: Option<f64> = None;
            for json in draft.readouts.iter().flatten().filter_map(|readouts| readouts.get(main)) {
                let Ok(Ok(Ok(said))) = outcome(json).map(|found| reading.said(main, found)) else { continue };
                let own = encode(&said, &mut words);
                let distance = match reading.task {
                    Task::Points => (f64::from_bits(own) - f64::from_bits(code)).abs(),
                    _ => f64::from(u8::from(own != code)),
                };
                off = Some(off.unwrap_or(0.0).max(distance));
            }
            draft.row.off = off;
        }
        Ok(())
    }

    /// The keys of the rows that are shown down to their judgments: those farthest from their labels, then those that do not pass
    /// or are not decided, then the others in their order.
    fn closest(&self) -> HashSet<Key> {
        let mut ranked: Vec<(f64, bool, usize)> = Vec::with_capacity(self.drafts.rows.len());
        for (at, draft) in self.drafts.rows.values().enumerate() {
            let bad = draft.row.present().any(|(_, cell)| cell.is_bad());
            ranked.push((draft.row.off.unwrap_or(0.0), bad, at));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        let chosen = ranked.into_iter().take(self.wanted.details);
        chosen.filter_map(|(.., at)| Some(self.drafts.rows.get_index(at)?.0.clone())).collect()
    }

    /// What led to the rows, and what everything is made of. `of_traces`: the rows come from the traces, whose faults were told.
    fn details(
        &mut self,
        traces: &[PathBuf],
        runs: &[Source],
        chosen: &HashSet<Key>,
        of_traces: bool,
    ) -> Result<(Programs, Option<crate::profile::Profiles>), InputFault> {
        let mut programs: IndexMap<String, std::sync::Arc<crate::graph::Program>> = IndexMap::new();
        let mut gathering = Gathering::new(self.drafts.digests.len() > 1);
        for (run, path) in traces.iter().enumerate() {
            let name = name_of(runs, run);
            gathering.subject(&name);
            let mut replay = Replay::new(opened(path)?, self.open);
            let unreadable = |error: std::io::Error| InputFault::new(path, None, error.to_string());
            let (mut strangers, mut faults) = (0, Vec::new());
            while let Some(seen) = replay.next_record().map_err(unreadable)? {
                let (id, located) = match seen {
                    Seen::Record(id, located) => (id, located),
                    Seen::Failed(..) => continue,
                    Seen::Fault(fault) => {
                        faults.push(fault);
                        continue;
                    }
                };
                let Some(engine) = replay.program_of(&located) else { continue };
                gathering.add(engine, &id, &located, |_| name.clone());
                let entry = programs.entry(engine.digest.clone());
                let program = entry.index();
                entry.or_insert_with(|| std::sync::Arc::clone(&engine.program));
                let pointwise = located.outcomes.pointwise.iter().any(|reads| !reads.is_empty());
                let mut places = Vec::new();
                for place in 0..located.candidates.len() {
                    let key = key_of(&id, &located, place, pointwise);
                    let Some(draft) = self.drafts.rows.get_mut(&key) else {
                        strangers += 1;
                        continue;
                    };
                    if draft.programs.get(run).and_then(Option::as_ref).is_some_and(|own| *own != engine.digest) {
                        let reason = "it is the trace of another program than that of the results; name the traces in the order \
                                      of their runs";
                        return Err(InputFault::new(path, None, reason));
                    }
                    draft.row.line = draft.row.line.or(Some(located.line));
                    if chosen.contains(&key) {
                        places.push(place);
                    }
                }
                for (place, detail) in details(engine, program, &id, &located, &places) {
                    let draft = self.drafts.rows.get_mut(&key_of(&id, &located, place, pointwise));
                    if let Some(Some(cell)) = draft.and_then(|draft| draft.row.cells.get_mut(run)) {
                        cell.details.push(detail);
                    }
                }
            }
            if !of_traces {
                self.faults(path, &faults);
            }
            if strangers > 0 {
                self.notes.push(format!("{strangers} candidates in `{}` are in no results", path.display()));
            }
        }
        Ok((programs.into_values().collect(), Some(gathering.finish())))
    }

    /// Where the rows stand among the records, and the texts of those that are shown down to their judgments.
    fn texts(&mut self, path: &Path, chosen: &HashSet<Key>) -> Result<(), InputFault> {
        let fault = |line: Option<u64>, reason: String| InputFault::new(path, line, reason);
        let mut records = Records::open(path, None).map_err(|error| fault(None, error.to_string()))?;
        let mut places: HashMap<String, Vec<Key>> = HashMap::new();
        for key in self.drafts.rows.keys() {
            places.entry(key.0.clone()).or_default().push(key.clone());
        }
        while let Some(raw) = records.next_record().map_err(|error| fault(None, error.to_string()))? {
            let line = raw.line;
            // A record that cannot be read has failed, which its row says.
            let Ok(Ok(map)) = raw.content.map(labels::object) else { continue };
            let id = match map.get("id").map(|id| identity(id, "`id`")) {
                Some(Ok(id)) => id,
                _ => format!("line-{line}"),
            };
            for key in places.remove(&id).into_iter().flatten() {
                let Some(draft) = self.drafts.rows.get_mut(&key) else { continue };
                draft.row.line = Some(line);
                if chosen.contains(&key) {
                    draft.row.texts = super::rows::texts(&map, key.1.as_deref());
                }
            }
        }
        Ok(())
    }

    fn finish(
        self,
        main: String,
        runs: &[Source],
        measured: Option<crate::evaluate::report::Report>,
        programs: Programs,
        profiles: Option<crate::profile::Profiles>,
    ) -> Report {
        let mut notes = self.notes;
        let names = |run: usize| name_of(runs, run);
        let mut of_runs: Vec<RunOf> =
            (0..runs.len()).map(|run| RunOf { name: names(run), ..RunOf::default() }).collect();
        let mut tags: IndexMap<String, OfTag> = IndexMap::new();
        let mut records = HashSet::new();
        for ((id, _), draft) in &self.drafts.rows {
            records.insert(id);
            for tag in &draft.row.tags {
                let fresh = || OfTag { tag: tag.clone(), spreads: vec![Spread::default(); runs.len()], rows: 0 };
                tags.entry(tag.clone()).or_insert_with(fresh).rows += 1;
            }
            for (run, cell) in draft.row.present() {
                let Some(of_run) = of_runs.get_mut(run) else { continue };
                match of_run.counts.iter_mut().find(|(status, _)| *status == cell.status) {
                    Some((_, count)) => *count += 1,
                    None => of_run.counts.push((cell.status, 1)),
                }
                of_run.failing += u64::from(cell.passes == Some(false));
                let said = draft.readouts.get(run).and_then(Option::as_ref).and_then(|readouts| readouts.get(&main));
                let Some(said) = said else { continue };
                of_run.spread.add(said);
                for tag in &draft.row.tags {
                    if let Some(spread) = tags.get_mut(tag).and_then(|of| of.spreads.get_mut(run)) {
                        spread.add(said);
                    }
                }
            }
        }
        for of_run in &mut of_runs {
            of_run.counts.sort_by_key(|(status, _)| *status);
        }
        let mut tags: Vec<OfTag> = tags.into_values().collect();
        if tags.len() > MOST_TAGS {
            tags.sort_by_key(|of| std::cmp::Reverse(of.rows));
            notes.push(format!("the {MOST_TAGS} most frequent of {} tags are shown", tags.len()));
            tags.truncate(MOST_TAGS);
        }
        let records = records.len() as u64;
        let title = self.wanted.title.clone().unwrap_or_else(|| match programs.as_slice() {
            [only] => only.name.to_string(),
            // Of several runs of a file, the file.
            _ => name_of(
                &[runs.first().map_or_else(
                    || Source { path: PathBuf::new(), run: None },
                    |first| Source { run: None, ..first.clone() },
                )],
                0,
            ),
        });
        Report {
            title: cleaned(&title),
            readouts: self.drafts.readouts.iter().map(|key| cleaned(key)).collect(),
            runs: of_runs,
            rows: self.drafts.rows.into_values().map(|draft: Draft| draft.row).collect::<Vec<Row>>(),
            records,
            programs,
            digests: self.drafts.digests.into_iter().collect(),
            labels: self.wanted.labels.as_ref().map(|(_, name)| cleaned(name)),
            measured,
            profiles,
            tags,
            notes,
            data: self.wanted.data.clone(),
            passing: self.wanted.passing.clone(),
        }
    }
}

/// The row of a candidate; where no readout speaks of candidates alone, that of the comparison.
fn key_of(id: &str, located: &Located, place: usize, pointwise: bool) -> Key {
    let candidate = if pointwise { located.candidates.get(place).cloned().flatten() } else { None };
    (id.to_owned(), candidate)
}

/// A label as people read it.
fn word(code: u64, task: Task, words: &Words, reading: &Reading) -> String {
    if task == Task::Points {
        return cleaned(&super::text::number(&reading.told(f64::from_bits(code))));
    }
    if task == Task::Pairs && code == u64::from(TIE) {
        return TIE_WORD.to_owned();
    }
    let word = usize::try_from(code).ok().and_then(|at| words.get_index(at)).map_or("", String::as_str);
    if task == Task::Pairs { format!("{} wins", cleaned(word)) } else { cleaned(word) }
}

/// A run as the report calls it: its file without the folder, and its number where the file has several.
fn name_of(runs: &[Source], run: usize) -> String {
    let Some(source) = runs.get(run) else { return String::new() };
    let twice = runs.iter().enumerate().any(|(other, own)| {
        other != run
            && own.run == source.run
            && own.path != source.path
            && own.path.file_name() == source.path.file_name()
    });
    let name = match source.path.file_name() {
        Some(name) if !twice => name.to_string_lossy().into_owned(),
        _ => source.path.display().to_string(),
    };
    let number = source.run.map_or(String::new(), |run| format!(", run {run}"));
    cleaned(&(name + &number))
}

fn opened(path: &Path) -> Result<BufReader<File>, InputFault> {
    File::open(path).map(BufReader::new).map_err(|error| InputFault::new(path, None, error.to_string()))
}
