//! `rubric diff`: what differs between runs over the same records.

use super::figures::{Style, four};
use super::{CommandResult, FAULTS, output};
use crate::diagnostics::render::clean::clean;
use crate::evaluate::drift::{Change, Drift, Kind, compare};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare results, traces or judgments of several runs: outcomes that changed, flip rates, models that changed
///
/// With two files the flip rate is the share that changed; with more, the chance that two of the runs differ. Traces and
/// judgments show it per criterion, and which models answered. Exit code: 0 nothing differs, 1 something does, 2 something
/// could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Two files or more: results, traces or judgments; or one of several runs (`rubric run --runs`)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Changes that are listed one by one
    #[arg(long, default_value_t = 20, value_name = "N")]
    most: usize,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Human,
    /// One JSON object (`grammar/drift.schema.json`)
    Json,
    /// Tables in Markdown
    Markdown,
}

const EXAMPLES: &str = "\
Examples:
  rubric diff monday.jsonl friday.jsonl
  rubric diff monday.trace friday.trace             per criterion, with the models that answered
  rubric diff run1.trace run2.trace run3.trace      the chance that two runs differ
  rubric diff results.jsonl                         of `rubric run --runs 3`: its runs with each other";

pub(crate) fn run(args: &Args) -> CommandResult {
    let found = compare(&args.files, args.most).map_err(|fault| super::eval::unreadable(&fault))?;
    let text = match args.format {
        Format::Human => shown(&found, Style::Terminal),
        Format::Markdown => shown(&found, Style::Markdown),
        Format::Json => format!("{:#}\n", as_json(&found)),
    };
    output::print(&text)?;
    for models in found.models.iter().filter(|models| models.changed()) {
        let each: Vec<String> = models
            .answered
            .iter()
            .filter(|ids| !ids.is_empty())
            .map(|ids| ids.iter().cloned().collect::<Vec<_>>().join(", "))
            .collect();
        let text = format!("warning: other models answered for `{}`: {}", models.alias, each.join(" → "));
        output::note(&clean(&text));
    }
    Ok(if found.is_any() { ExitCode::from(FAULTS) } else { ExitCode::SUCCESS })
}

fn shown(found: &Drift, style: Style) -> String {
    let what = match found.kind {
        Kind::Results => "results",
        Kind::Trace => "traces",
        Kind::Judgments => "judgments",
    };
    let runs = if found.files.iter().any(|source| source.run.is_some()) { "runs of " } else { "" };
    let mut out = format!("{} {runs}{what}: {} in all of them", found.files.len(), found.shared);
    if found.partly > 0 {
        let _ = write!(out, ", {} in some only", found.partly);
    }
    out.push('\n');
    if found.programs_differ {
        out.push_str("they are of different programs\n");
    }
    for (title, changes) in [("Readouts", &found.readouts), ("Criteria", &found.criteria)] {
        if !changes.is_empty() {
            out.push_str(&style.heading(title));
            out.push_str(&table(changes, style));
        }
    }
    let changed: Vec<_> = found.models.iter().filter(|models| models.changed()).collect();
    if !changed.is_empty() {
        out.push_str(&style.heading("Models that changed"));
        let mut header = vec!["alias".to_owned()];
        header.extend(found.files.iter().map(|source| style.name(&source.to_string())));
        let rows: Vec<Vec<String>> = changed
            .iter()
            .map(|models| {
                let ids = models.answered.iter().map(|ids| ids.iter().cloned().collect::<Vec<_>>().join(", "));
                std::iter::once(style.name(&models.alias)).chain(ids.map(|ids| style.name(&ids))).collect()
            })
            .collect();
        out.push_str(&style.table(&header, &rows));
    }
    if !found.examples.is_empty() {
        out.push_str(&style.heading("What changed first"));
        let header = ["record", "candidate", "of", "before", "after"].map(str::to_owned);
        let rows: Vec<Vec<String>> = found
            .examples
            .iter()
            .map(|one| {
                let after = if found.files.len() > 2 {
                    match found.files.get(one.file).and_then(|source| source.run) {
                        Some(run) => format!("{} (run {run})", one.after),
                        None => format!("{} (file {})", one.after, one.file + 1),
                    }
                } else {
                    one.after.clone()
                };
                let candidate = one.candidate.as_deref().unwrap_or("");
                [&one.id, candidate, &one.name, &one.before, &after].map(|text| style.name(text)).to_vec()
            })
            .collect();
        out.push_str(&style.table(&header, &rows));
    }
    out
}

fn table(changes: &BTreeMap<String, Change>, style: Style) -> String {
    let header =
        ["name", "pairs", "changed", "flip rate", "decided in one only", "mean difference", "mean size", "largest"];
    let row = |(name, change): (&String, &Change)| {
        let mut row = vec![style.name(name), change.compared.to_string(), change.flipped.to_string()];
        row.push(change.rate().map_or("–".to_owned(), four));
        row.push(change.half.to_string());
        match change.differences() {
            Some((mean, size)) => row.extend([four(mean), four(size), four(change.largest)]),
            None => row.extend(["", "", ""].map(str::to_owned)),
        }
        row
    };
    let rows: Vec<Vec<String>> = changes.iter().map(row).collect();
    style.table(&header.map(str::to_owned), &rows)
}

fn as_json(found: &Drift) -> Json {
    let changes = |changes: &BTreeMap<String, Change>| -> Json {
        let one = |(name, change): (&String, &Change)| {
            let mut map = Map::new();
            map.insert("compared".to_owned(), change.compared.into());
            map.insert("changed".to_owned(), change.flipped.into());
            map.insert("one_only".to_owned(), change.half.into());
            if let Some(rate) = change.rate() {
                map.insert("flip_rate".to_owned(), rate.into());
            }
            if let Some((mean, size)) = change.differences() {
                map.insert("mean_difference".to_owned(), mean.into());
                map.insert("mean_size".to_owned(), size.into());
                map.insert("largest".to_owned(), change.largest.into());
            }
            (name.clone(), Json::Object(map))
        };
        Json::Object(changes.iter().map(one).collect())
    };
    let examples: Vec<Json> = found
        .examples
        .iter()
        .map(|one| {
            json!({
                "id": one.id, "candidate": one.candidate, "name": one.name, "before": one.before, "after": one.after,
                "file": one.file,
            })
        })
        .collect();
    let models: Vec<Json> = found
        .models
        .iter()
        .map(|models| json!({ "alias": models.alias, "answered": models.answered, "changed": models.changed() }))
        .collect();
    json!({
        "format": "rubric-drift/1",
        "kind": match found.kind { Kind::Results => "results", Kind::Trace => "traces", Kind::Judgments => "judgments" },
        "files": found.files.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "in_all": found.shared,
        "in_some": found.partly,
        "programs_differ": found.programs_differ,
        "readouts": changes(&found.readouts),
        "criteria": changes(&found.criteria),
        "models": models,
        "changes": examples,
    })
}
