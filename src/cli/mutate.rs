//! `rubric mutate`: small mistakes that no test and no requirement of a program notices.

use super::{CommandResult, FAULTS, output, program};
use crate::mutate::{self, Fate, Mutant, Options, Report, Suggestion};
use crate::source::files::Files;
use miette::miette;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Make small mistakes in a program, one at a time, and list those that no test and no requirement notices
///
/// A gate left out, weights exchanged, a sign or a comparison turned round, a threshold moved. Each that survives comes with
/// a test that would notice it.
/// Exit code: 0 none survives, 1 some do, or a requirement could not be decided of one (or a test fails before anything is
/// changed), 2 the program could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A program (`.rubric` or JSON), `-` for standard input
    file: PathBuf,
    /// How results are shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Mistakes that are tried at the most; where there are more, a sample of them
    #[arg(long, default_value_t = 500, value_name = "N")]
    most: usize,
    /// Another sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds after which no new mistake is tried
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Survivors with the tests that are missing
    Human,
    /// One JSON object, every mistake in it (`grammar/mutants.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric mutate essay.rubric
  rubric mutate essay.rubric --format json | jq '.mutants[] | select(.fate == \"survives\")'
  rubric mutate large.rubric --most 200 --seed 7";

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let failing = mutate::failing(&ready.program);
    if let Some(first) = failing.first() {
        let name = args.file.display();
        let s = if failing.len() == 1 { "test fails" } else { "tests fail" };
        output::note(&format!(
            "{name}: {} {s} before anything is changed (`{first}`), so nothing can be told by them; `rubric test {name}` \
             shows why",
            failing.len()
        ));
        return Ok(ExitCode::from(FAULTS));
    }
    if args.most == 0 {
        return Err(miette!(
            help = "name how many mistakes are to be tried",
            "`--most` is 0, so nothing would be tried"
        ));
    }
    let options = Options { most: args.most, seed: args.seed, time: Duration::from_secs(args.time) };
    let report = mutate::mutate(&ready.program, &options, &mut |_, _| {});
    match args.format {
        Format::Human => output::print(&human(&report, &ready))?,
        Format::Json => output::print(&format!("{:#}\n", as_json(&report, &ready)))?,
    }
    let unnoticed = report.survivors().chain(report.undecided()).next().is_some();
    Ok(if unnoticed { ExitCode::from(FAULTS) } else { ExitCode::SUCCESS })
}

/// The file and the line of a mistake.
fn place(files: &Files, mutant: &Mutant) -> (String, usize) {
    files
        .get(mutant.span.file)
        .map_or((String::new(), 0), |source| (source.name.to_string(), source.position(mutant.span.start).line))
}

fn human(report: &Report, ready: &program::Ready) -> String {
    let mut out = String::new();
    for mutant in report.mutants.iter() {
        let (file, line) = place(&ready.files, mutant);
        let missing = match &mutant.fate {
            Fate::Survives(missing) => {
                let _ = writeln!(out, "SURVIVES {file}:{line} {}: {}", mutant.name, mutant.what);
                missing
            }
            Fate::Undecided(name, missing) => {
                let _ = writeln!(out, "UNDECIDED {file}:{line} {}: {}", mutant.name, mutant.what);
                let _ = writeln!(out, "    whether the requirement `{name}` still holds could not be decided");
                missing
            }
            _ => continue,
        };
        let Some(missing) = missing else {
            let _ = writeln!(out, "    it says something else, but on too many judgments to write down");
            continue;
        };
        let _ = writeln!(out, "    {} became {}; a test that notices it:", missing.original, missing.changed);
        for line in missing.test.lines() {
            let _ = writeln!(out, "      {line}");
        }
        if !missing.open.is_empty() {
            let _ = writeln!(out, "    give it fields such that {}", missing.open.join(", "));
        }
    }
    let alike: Vec<&Mutant> = report.mutants.iter().filter(|mutant| mutant.fate == Fate::Alike).collect();
    if !alike.is_empty() {
        let _ = writeln!(out, "No judgments were found on which these differ from the program:");
        for mutant in alike {
            let (file, line) = place(&ready.files, mutant);
            let _ = writeln!(out, "    {file}:{line} {}: {}", mutant.name, mutant.what);
        }
    }
    let _ = writeln!(out, "{}", summary(report));
    out
}

fn summary(report: &Report) -> String {
    let count = |wanted: fn(&Fate) -> bool| report.mutants.iter().filter(|mutant| wanted(&mutant.fate)).count();
    let noticed = count(|fate| matches!(fate, Fate::Test(_)));
    let survive = count(|fate| matches!(fate, Fate::Survives(_)));
    let alike = count(|fate| *fate == Fate::Alike);
    let undecided = count(|fate| matches!(fate, Fate::Undecided(..)));
    let required = count(|fate| matches!(fate, Fate::Requirement(_)));
    let same = count(|fate| *fate == Fate::Same);
    let mut parts = vec![format!("{noticed} noticed by tests")];
    if required > 0 {
        parts.push(format!("{required} by requirements"));
    }
    parts.push(format!("{survive} survive"));
    if undecided > 0 {
        parts.push(format!("{undecided} of which a requirement could not be decided"));
    }
    if same > 0 {
        parts.push(format!("{same} proved to change nothing"));
    }
    if alike > 0 {
        parts.push(format!("{alike} without a difference that was found"));
    }
    if report.refused > 0 {
        parts.push(format!("{} that `rubric check` refuses", report.refused));
    }
    let tried = if report.tried == 1 { "1 mistake".to_owned() } else { format!("{} mistakes", report.tried) };
    let mut text = format!("{tried}: {}", parts.join(", "));
    if report.tried < report.listed {
        let why = if report.timed_out { "the time ran out (`--time`)" } else { "a sample (`--most`, `--seed`)" };
        let least = if report.incomplete { "at least " } else { "" };
        let _ = write!(text, "\n{} of {least}{} were tried: {why}", report.tried, report.listed);
    }
    text
}

/// The test that would notice a mistake.
fn missing_test(map: &mut Map<String, Json>, missing: Option<&Suggestion>) {
    let Some(missing) = missing else { return };
    map.insert("program_says".to_owned(), missing.original.as_str().into());
    map.insert("mutant_says".to_owned(), missing.changed.as_str().into());
    map.insert("missing_test".to_owned(), missing.test.as_str().into());
    if !missing.open.is_empty() {
        map.insert("fields_such_that".to_owned(), missing.open.clone().into());
    }
}

fn as_json(report: &Report, ready: &program::Ready) -> Json {
    let mutant = |mutant: &Mutant| {
        let (file, line) = place(&ready.files, mutant);
        let mut json = json!({ "file": file, "line": line, "name": mutant.name, "change": mutant.what });
        let Some(map) = json.as_object_mut() else { return json };
        match &mutant.fate {
            Fate::Test(name) => {
                map.insert("fate".to_owned(), "noticed".into());
                map.insert("test".to_owned(), (**name).into());
            }
            Fate::Requirement(name) => {
                map.insert("fate".to_owned(), "noticed".into());
                map.insert("requirement".to_owned(), name.as_str().into());
            }
            Fate::Same => {
                map.insert("fate".to_owned(), "same".into());
            }
            Fate::Survives(missing) => {
                map.insert("fate".to_owned(), "survives".into());
                missing_test(map, missing.as_ref());
            }
            Fate::Undecided(name, missing) => {
                map.insert("fate".to_owned(), "undecided".into());
                map.insert("requirement".to_owned(), name.as_str().into());
                missing_test(map, missing.as_ref());
            }
            Fate::Alike => {
                map.insert("fate".to_owned(), "alike".into());
            }
            Fate::Refused => {
                map.insert("fate".to_owned(), "refused".into());
            }
        }
        json
    };
    json!({
        "format": "rubric-mutants/1",
        "program": &*ready.program.name,
        "found": report.listed,
        "tried": report.tried,
        "refused": report.refused,
        "timed_out": report.timed_out,
        "mutants": report.mutants.iter().map(mutant).collect::<Vec<_>>(),
    })
}
