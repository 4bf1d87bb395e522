//! `rubric profile`: what scores are made of, side by side.

use super::{CommandResult, FAULTS, output};
use crate::profile::{Apart, Gathering, Part, Profiles, Subject, apart, distance};
use crate::run::replay::Replay;
use crate::run::replay::find::Seen;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use miette::miette;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Parts of a dimension that are shown one by one, unless `--all`.
const MOST_PARTS: usize = 24;

/// Show what scores are made of: by tag, group and criterion, models side by side
///
/// Exit code: 0 shown, 1 some lines of a trace were changed or cannot be computed (they are left out and named), 2 a trace
/// could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Traces that `rubric run --trace` wrote; NAME=FILE names what it is of
    #[arg(required = true, value_name = "[NAME=]TRACE")]
    traces: Vec<String>,
    /// Whose profile is shown [default: of candidates where there is one trace and they have ids, else of files]
    #[arg(long, value_enum, value_name = "WHAT")]
    of: Option<Of>,
    /// Only these dimensions: the key of a tag, `group` or `checklist`; repeated
    #[arg(long, value_name = "DIMENSION")]
    by: Vec<String>,
    /// How many criteria that tell subjects apart are shown
    #[arg(long, default_value_t = 12, value_name = "N")]
    apart: usize,
    /// Every part of every dimension, however many
    #[arg(long)]
    all: bool,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Of {
    /// A trace is one subject
    Files,
    /// The candidates of one id are one subject
    Candidates,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Human,
    /// One JSON object (`grammar/profile.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric profile old=monday.trace.jsonl new=friday.trace.jsonl
  rubric profile trace.jsonl --of candidates --by axis
  rubric profile a.jsonl b.jsonl --format json";

pub(crate) fn run(args: &Args) -> CommandResult {
    let named: Vec<(String, PathBuf)> = args.traces.iter().map(|trace| name_and_path(trace)).collect();
    if let Some((name, _)) = named
        .iter()
        .enumerate()
        .find(|(n, (name, _))| named.iter().take(*n).any(|(o, _)| o == name))
        .map(|(_, pair)| pair)
    {
        return Err(miette!(help = "write NAME=FILE with a name for each", "two traces are called `{name}`"));
    }
    let several = programs_of(&named)?;
    let of = args.of.unwrap_or(if named.len() > 1 { Of::Files } else { Of::Candidates });
    let mut gathering = Gathering::new(several);
    let mut faults = 0_usize;
    for (name, path) in &named {
        faults += gather(&mut gathering, name, path, of)?;
    }
    let profiles = gathering.finish();
    let dimensions = dimensions(&profiles, &args.by)?;
    let text = match args.format {
        Format::Human => human(&profiles, &dimensions, args),
        Format::Json => format!("{:#}\n", as_json(&profiles, &dimensions, args)),
    };
    output::print(&text)?;
    Ok(if faults > 0 { ExitCode::from(FAULTS) } else { ExitCode::SUCCESS })
}

fn name_and_path(text: &str) -> (String, PathBuf) {
    match text.split_once('=') {
        // A path that holds a `=` and is there is a path.
        Some((name, path)) if !name.is_empty() && !Path::new(text).is_file() => (name.to_owned(), path.into()),
        _ => {
            let path = PathBuf::from(text);
            let name = path.file_name().map_or_else(|| text.to_owned(), |name| name.to_string_lossy().into_owned());
            (name.trim_end_matches(".jsonl").trim_end_matches(".trace").to_owned(), path)
        }
    }
}

/// Whether the traces hold programs of several names. Standard input cannot be read twice and is not looked at.
fn programs_of(named: &[(String, PathBuf)]) -> miette::Result<bool> {
    use crate::run::trace::read::{Line, Reader};
    let mut names: HashMap<String, ()> = HashMap::new();
    for (_, path) in named.iter().filter(|(_, path)| path != Path::new("-")) {
        let mut reader = Reader::new(super::replay::open(path)?);
        while let Some(found) = reader.next_line().map_err(|error| super::replay::unreadable(path, &error))? {
            if let Ok(Line::Program { json, .. }) = &found.line {
                let name = serde_json::from_str::<Json>(json).ok();
                let name =
                    name.as_ref().and_then(|json| json.get("name")).and_then(Json::as_str).unwrap_or("").to_owned();
                names.insert(name, ());
            }
        }
    }
    Ok(names.len() > 1)
}

/// Reads one trace; how many of its lines are faulty.
fn gather(gathering: &mut Gathering, name: &str, path: &Path, of: Of) -> miette::Result<usize> {
    let mut replay = Replay::new(super::replay::open(path)?, &super::record::open_program);
    let mut faults = 0;
    if of == Of::Files {
        gathering.subject(name);
    }
    while let Some(seen) = replay.next_record().map_err(|error| super::replay::unreadable(path, &error))? {
        match seen {
            Seen::Record(id, located) => {
                let subject = |candidate: Option<&str>| match (of, candidate) {
                    (Of::Candidates, Some(candidate)) => candidate.to_owned(),
                    _ => name.to_owned(),
                };
                if let Some(engine) = replay.program_of(&located) {
                    gathering.add(engine, &id, &located, subject);
                }
            }
            // Whose it would have been is known only where a trace is one subject.
            Seen::Failed(..) if of == Of::Files => gathering.subject(name).failed += 1,
            Seen::Failed(..) => {}
            Seen::Fault(fault) => {
                faults += 1;
                let record = fault.record.map_or(String::new(), |id| format!(", record `{id}`"));
                output::note(&format!("{}:{}{record}: {}; it is left out", path.display(), fault.line, fault.what));
            }
        }
    }
    Ok(faults)
}

type Dimensions = Vec<(String, Vec<Part>)>;

fn dimensions(profiles: &Profiles, wanted: &[String]) -> miette::Result<Dimensions> {
    let mut all = profiles.parts();
    if wanted.is_empty() {
        // Tags first, by the author's own words.
        all.sort_by_key(|dimension, _| match dimension.as_str() {
            "checklist" => 2,
            "group" => 1,
            _ => 0,
        });
        return Ok(all.into_iter().collect());
    }
    let mut found = Vec::new();
    for dimension in wanted {
        let Some(parts) = all.shift_remove(dimension) else {
            let names: Vec<&str> = all.keys().map(String::as_str).collect();
            let help = match crate::diagnostics::did_you_mean(dimension, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "its criteria have no tags and no groups".to_owned(),
                None => format!("there is {}", names.join(", ")),
            };
            return Err(miette!(help = help, "nothing in the traces has the dimension `{dimension}`"));
        };
        found.push((dimension.clone(), parts));
    }
    Ok(found)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

fn human(profiles: &Profiles, dimensions: &Dimensions, args: &Args) -> String {
    let subjects: Vec<(&String, &Subject)> = profiles.subjects.iter().collect();
    if subjects.is_empty() {
        return "there is no record in it\n".to_owned();
    }
    let header = |first: &str| {
        let names = subjects.iter().map(|(name, _)| (*name).clone());
        let mut cells: Vec<String> = std::iter::once(first.to_owned()).chain(names).collect();
        if subjects.len() > 1 {
            cells.push("spread".to_owned());
        }
        cells
    };
    let mut out = String::new();
    let mut table = new_table(header("readout"));
    for (key, readings) in keys(&subjects) {
        if readings.iter().flatten().any(|r| r.mean().is_some()) {
            let means: Vec<Option<f64>> = readings.iter().map(|r| r.and_then(|r| r.mean())).collect();
            table.add_row(row(&key, &means, subjects.len()));
        }
        let labels: std::collections::BTreeSet<&String> =
            readings.iter().flatten().flat_map(|r| r.labels.keys()).collect();
        for label in labels {
            let share = |r: &crate::profile::Readings| {
                #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^53")]
                (r.decided() > 0).then(|| *r.labels.get(label).unwrap_or(&0) as f64 / r.decided() as f64)
            };
            let means: Vec<Option<f64>> = readings.iter().map(|r| r.and_then(share)).collect();
            table.add_row(row(&format!("{key} = {label}"), &means, subjects.len()));
        }
    }
    let records = |pick: fn(&Subject) -> u64| subjects.iter().map(move |(_, s)| pick(s).to_string());
    let mut cells: Vec<String> = std::iter::once("answers".to_owned()).chain(records(|s| s.records)).collect();
    table.add_row(std::mem::take(&mut cells));
    if subjects.iter().any(|(_, s)| s.failed > 0) {
        table.add_row(std::iter::once("failed records".to_owned()).chain(records(|s| s.failed)).collect::<Vec<_>>());
    }
    let _ = writeln!(out, "{table}");
    for (dimension, parts) in dimensions {
        let mut rows: Vec<(String, Vec<Option<f64>>, u64)> = Vec::new();
        for part in parts {
            let cells: Vec<_> = subjects.iter().map(|(_, s)| s.part(part)).collect();
            let incomplete = cells.iter().map(|cell| cell.incomplete).sum();
            if cells.iter().any(|cell| cell.score().is_some()) {
                rows.push((part.name().to_owned(), cells.iter().map(|cell| cell.score()).collect(), incomplete));
            }
            if cells.iter().all(|cell| cell.score().is_none()) && cells.iter().any(|cell| cell.bad_share().is_some()) {
                let shares = cells.iter().map(|cell| cell.bad_share()).collect();
                rows.push((format!("{} (bad items met)", part.name()), shares, 0));
            }
            if cells.iter().any(|cell| cell.level().is_some()) {
                let label =
                    if cells.iter().any(|cell| cell.score().is_some()) { " (criteria without points)" } else { "" };
                rows.push((format!("{}{label}", part.name()), cells.iter().map(|cell| cell.level()).collect(), 0));
            }
        }
        let hidden = if args.all { 0 } else { rows.len().saturating_sub(MOST_PARTS) };
        if hidden > 0 {
            // The parts that differ most are worth the room.
            rows.sort_by(|a, b| spread(&b.1).unwrap_or(0.0).total_cmp(&spread(&a.1).unwrap_or(0.0)));
            rows.truncate(MOST_PARTS);
        }
        let mut table = new_table(header(dimension));
        let incomplete: u64 = rows.iter().map(|row| row.2).sum();
        for (name, means, _) in &rows {
            table.add_row(row(name, means, subjects.len()));
        }
        let _ = writeln!(out, "\n{table}");
        if hidden > 0 {
            let _ = writeln!(out, "{hidden} more differ less; `--all` shows them");
        }
        if incomplete > 0 {
            let _ = writeln!(out, "{incomplete} times a record was left out of a part, because a judgment is missing");
        }
    }
    if subjects.len() > 1 {
        tell_apart(profiles, &subjects, dimensions, args, &mut out);
    }
    out
}

/// The criteria that tell the subjects apart, and what the same score hides.
fn tell_apart(
    profiles: &Profiles,
    subjects: &[(&String, &Subject)],
    dimensions: &Dimensions,
    args: &Args,
    out: &mut String,
) {
    let all = apart(profiles);
    if all.is_empty() {
        out.push_str("\nno criterion tells them apart\n");
        return;
    }
    let two = subjects.len() == 2;
    let mut head = vec!["criteria that tell them apart".to_owned(), "points".to_owned()];
    head.extend(subjects.iter().map(|(name, _)| (*name).clone()));
    head.push("spread".to_owned());
    if let ([(a, _), (b, _)], true) = (subjects, two) {
        head.extend([format!("{a} higher"), format!("{b} higher"), "equal".to_owned()]);
    }
    let mut table = new_table(head);
    for one in all.iter().take(args.apart) {
        let Some((name, about)) = profiles.criteria.get_index(one.criterion) else { continue };
        let text = if about.text.is_empty() { name.clone() } else { format!("{name}: {}", shortened(&about.text)) };
        let points = about.points.map_or(String::new(), |points| format!("{points:+}"));
        let mut cells = vec![text, points];
        cells.extend(one.means.iter().map(|mean| number(*mean)));
        cells.push(number(Some(one.spread)));
        if two {
            cells.extend([one.records.0, one.records.1, one.records.2].map(|n| n.to_string()));
        }
        table.add_row(cells);
    }
    let _ = writeln!(out, "\n{table}");
    if all.len() > args.apart {
        let _ = writeln!(out, "and {} more; `--apart N` shows N", all.len() - args.apart);
    }
    if let ([(a, first), (b, second)], true) = (subjects, two) {
        for (dimension, parts) in dimensions.iter().filter(|(_, parts)| parts.len() > 1) {
            if let Some(distance) = distance(first, second, parts) {
                let _ = writeln!(out, "by {dimension}, {a} and {b} are {distance:.3} apart on average");
            }
        }
    }
}

fn new_table(header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(header);
    table.set_width(u16::try_from(output::width()).unwrap_or(100));
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn row(name: &str, means: &[Option<f64>], subjects: usize) -> Vec<String> {
    let mut cells: Vec<String> = std::iter::once(name.to_owned()).chain(means.iter().map(|m| number(*m))).collect();
    if subjects > 1 {
        cells.push(number(spread(means)));
    }
    cells
}

fn spread(means: &[Option<f64>]) -> Option<f64> {
    let known = || means.iter().flatten().copied();
    (known().count() > 1).then(|| known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min))
}

/// The readouts by key, with each subject's.
fn keys<'a>(subjects: &[(&String, &'a Subject)]) -> Vec<(String, Vec<Option<&'a crate::profile::Readings>>)> {
    let mut keys: Vec<&String> = Vec::new();
    for key in subjects.iter().flat_map(|(_, subject)| subject.readouts.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.iter().map(|key| ((*key).clone(), subjects.iter().map(|(_, s)| s.readouts.get(*key)).collect())).collect()
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 70;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}

fn as_json(profiles: &Profiles, dimensions: &Dimensions, args: &Args) -> Json {
    let subjects: Vec<(&String, &Subject)> = profiles.subjects.iter().collect();
    let each = |f: &dyn Fn(&Subject) -> Json| -> Json {
        Json::Object(subjects.iter().map(|(name, subject)| ((*name).clone(), f(subject))).collect())
    };
    let readouts: Map<String, Json> = keys(&subjects)
        .into_iter()
        .map(|(key, _)| {
            let of = each(&|subject| match subject.readouts.get(&key) {
                Some(r) => json!({ "mean": r.mean(), "labels": r.labels, "decided": r.decided(), "abstained": r.abstained, "open": r.open }),
                None => Json::Null,
            });
            (key, of)
        })
        .collect();
    let parts: Vec<Json> = dimensions
        .iter()
        .flat_map(|(dimension, parts)| parts.iter().map(move |part| (dimension, part)))
        .map(|(dimension, part)| {
            let of = each(&|subject| {
                let cell = subject.part(part);
                json!({ "score": cell.score(), "records": cell.records(), "incomplete": cell.incomplete, "bad_met": cell.bad_share(), "level": cell.level(), "judgments": cell.judgments() })
            });
            json!({ "dimension": dimension, "part": part.name(), "subjects": of })
        })
        .collect();
    let apart: Vec<Json> =
        apart(profiles).iter().take(args.apart).filter_map(|one| differs(profiles, &subjects, one)).collect();
    json!({
        "format": "rubric-profile/1",
        "subjects": each(&|subject| json!({ "answers": subject.records, "failed": subject.failed })),
        "readouts": readouts,
        "parts": parts,
        "apart": apart,
    })
}

fn differs(profiles: &Profiles, subjects: &[(&String, &Subject)], one: &Apart) -> Option<Json> {
    let (name, about) = profiles.criteria.get_index(one.criterion)?;
    let of: Map<String, Json> = subjects
        .iter()
        .zip(&one.means)
        .map(|((subject, s), mean)| {
            let tally = s.criterion(one.criterion);
            let count = |pick: fn(&crate::profile::Tally) -> u64| tally.map_or(0, pick);
            let all = json!({ "mean": mean, "known": count(|t| t.known()), "unknown": count(|t| t.unknown), "missing": count(|t| t.missing) });
            ((*subject).clone(), all)
        })
        .collect();
    let mut json =
        json!({ "criterion": name, "points": about.points, "text": about.text, "spread": one.spread, "subjects": of });
    if let (true, Json::Object(map)) = (subjects.len() == 2, &mut json) {
        let (first, second, equal) = one.records;
        map.insert("records".to_owned(), json!({ "first_higher": first, "second_higher": second, "equal": equal }));
    }
    Some(json)
}
