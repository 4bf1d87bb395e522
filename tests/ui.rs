//! Runs the annotated programs below `tests/ui/`.
//!
//! A line with a fault ends in `//~ R0201` (several codes: several faults); a comment `//~^ R0201` speaks of the line above,
//! each further `^` of one more above. All diagnostics of a file, warnings included, must be the annotated ones and no more.
//! A JSON program `NAME.json` has its faults in `NAME.json.expect`, one `LINE CODE` each. Safe fixes must mend what they
//! belong to. Every code of the register must be provoked by some file (those of importers by their pages).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use rubric_lang::diagnostics::render::{Batch, Format, Look, render};
use rubric_lang::diagnostics::{Diagnostic, codes};
use rubric_lang::project::{self, Opened};
use rubric_lang::prove::{self, Budget};
use rubric_lang::source::files::Files;
use rubric_lang::source::{FileId, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

/// File, line and code.
type Fault = (String, usize, String);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

/// All programs, checked; libraries among them are checked by themselves too.
static OPENED: LazyLock<Vec<(PathBuf, Opened)>> = LazyLock::new(|| {
    let files = project::programs_below(&root()).unwrap();
    assert!(!files.is_empty(), "no file below tests/ui");
    files.into_iter().map(|path| (path.clone(), open(&path))).collect()
});

/// What `rubric check` finds, proofs included.
fn open(path: &Path) -> Opened {
    let mut opened = project::open(path).unwrap();
    if let Some(program) = opened.program.clone() {
        let budget = Budget { boxes: 500, time: Duration::from_secs(60) };
        opened.diagnostics.extend(prove::check(&program, &budget));
    }
    opened
}

fn name(source: &Source) -> String {
    let path = Path::new(&*source.name);
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// What was found, as often as it was found.
fn found(opened: &Opened) -> Vec<Fault> {
    let one = |d: &Diagnostic| {
        let source = opened.files.get(d.span().file).unwrap();
        (name(source), source.position(d.span().start).line, d.code.to_string())
    };
    let mut all: Vec<Fault> = opened.diagnostics.iter().map(one).collect();
    all.sort();
    all
}

/// What the annotations of all files of the check announce.
fn announced(opened: &Opened) -> Vec<Fault> {
    let mut all = Vec::new();
    for source in opened.files.map().iter() {
        let expectation = source.path.as_ref().map(|p| PathBuf::from(format!("{}.expect", p.display())));
        if let Some(text) = expectation.and_then(|p| std::fs::read_to_string(p).ok()) {
            for line in text.lines().filter(|l| !l.trim().is_empty()) {
                let (line, code) = line.split_once(' ').expect("LINE CODE");
                all.push((name(source), line.parse().expect("a line number"), code.trim().to_owned()));
            }
            continue;
        }
        for (index, line) in source.text().lines().enumerate() {
            let Some((_, annotation)) = line.split_once("//~") else { continue };
            let up = annotation.chars().take_while(|c| *c == '^').count();
            let codes: Vec<&str> = annotation.trim_start_matches('^').split_whitespace().collect();
            assert!(!codes.is_empty(), "{}:{}: an annotation without a code", source.name, index + 1);
            all.extend(codes.iter().map(|code| (name(source), index + 1 - up, (*code).to_owned())));
        }
    }
    all.sort();
    all
}

/// The difference of two sorted lists as lines with `-` (announced, not found) and `+` (found, not announced).
fn difference(announced: &[Fault], found: &[Fault], opened: &Opened) -> Vec<String> {
    let count = |list: &[Fault], fault: &Fault| list.iter().filter(|f| *f == fault).count();
    let all: BTreeSet<&Fault> = announced.iter().chain(found).collect();
    let mut lines = Vec::new();
    for fault in all {
        let (file, line, code) = fault;
        let (a, f) = (count(announced, fault), count(found, fault));
        let headline = opened.diagnostics.iter().find(|d| {
            let source = opened.files.get(d.span().file).unwrap();
            (name(source), source.position(d.span().start).line, d.code.to_string()) == *fault
        });
        let headline = headline.map(|d| d.headline.as_str()).unwrap_or_default();
        lines.extend((f..a).map(|_| format!("  - {file}:{line} {code}")));
        lines.extend((a..f).map(|_| format!("  + {file}:{line} {code} {headline}")));
    }
    lines
}

/// What is wrong with the safe fixes of a file; empty where they mend what they belong to.
fn unmended(opened: &Opened) -> Vec<String> {
    let safe = |o: &Opened| -> BTreeMap<String, usize> {
        let mut codes = BTreeMap::new();
        let mendable = |d: &&Diagnostic| d.fix.as_ref().is_some_and(|fix| fix.safe) && d.span().file == o.file;
        for d in o.diagnostics.iter().filter(mendable) {
            *codes.entry(d.code.to_string()).or_insert(0) += 1;
        }
        codes
    };
    let before = safe(opened);
    if before.is_empty() {
        return Vec::new();
    }
    let fixed = project::fix(opened.clone());
    let count = |o: &Opened, code: &str| o.diagnostics.iter().filter(|d| d.code.to_string() == code).count();
    let mut lines = Vec::new();
    for (code, fixes) in &before {
        let (old, new) = (count(opened, code), count(&fixed.opened, code));
        if new + fixes > old {
            lines.push(format!("  ! {code}: {fixes} of {old} have a safe fix, {new} are left after applying them"));
        }
    }
    lines.extend(safe(&fixed.opened).keys().map(|code| format!("  ! {code}: a safe fix is left after `--fix`")));
    lines
}

#[test]
fn annotated_programs_give_the_diagnostics_they_announce() {
    let mut report = Vec::new();
    for (path, opened) in OPENED.iter() {
        let mut lines = difference(&announced(opened), &found(opened), opened);
        lines.extend(unmended(opened));
        if !lines.is_empty() {
            report.push(format!("{}\n{}", path.display(), lines.join("\n")));
        }
    }
    assert!(
        report.is_empty(),
        "{} files differ (- announced but not found, + found but not announced, ! not mended):\n\n{}\n",
        report.len(),
        report.join("\n\n")
    );
}

#[test]
fn every_code_is_provoked_by_some_program() {
    let mut provoked = BTreeSet::new();
    for (_, opened) in OPENED.iter() {
        provoked.extend(found(opened).into_iter().map(|(_, _, code)| code));
    }
    // From R1000 on they are about tables, not programs.
    let programs = codes::all().filter(|(code, _)| code.0 < 1000);
    let missing: Vec<String> =
        programs.map(|(code, title)| format!("{code} {title}")).filter(|c| !provoked.contains(&c[..5])).collect();
    assert!(missing.is_empty(), "no file below tests/ui provokes:\n{}", missing.join("\n"));
}

#[test]
fn annotations_name_codes_of_the_register() {
    let known: BTreeSet<String> = codes::all().map(|(code, _)| code.to_string()).collect();
    for (_, opened) in OPENED.iter() {
        for (file, line, code) in announced(opened) {
            assert!(known.contains(&code), "{file}:{line}: `{code}` is no code");
        }
    }
}

/// What people, language models and machines are shown of one program with faults of several kinds.
#[test]
fn each_format_shows_a_whole_program() {
    let text = include_str!("ui/shown.rubric");
    let (files, file) = (Files::memory(&[("shown.rubric", text)]), FileId(0));
    let opened = project::check_files(files, file);
    let batches = [Batch { map: opened.files.map(), diagnostics: &opened.diagnostics }];
    for (name, format) in [
        ("human", Format::Human),
        ("concise", Format::Concise),
        ("json", Format::Json),
        ("sarif", Format::Sarif),
        ("github", Format::Github),
        ("repair", Format::Repair),
    ] {
        let mut text = render(format, &batches, Look::default());
        if format == Format::Sarif {
            // The pages of the codes have tests of their own, and would make this one change with each of them.
            let mut log: serde_json::Value = serde_json::from_str(&text).unwrap();
            for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
                rule.as_object_mut().unwrap().remove("help");
            }
            text = serde_json::to_string_pretty(&log).unwrap();
        }
        insta::assert_snapshot!(name, text);
    }
}
