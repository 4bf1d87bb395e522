//! `rubric test`: runs the test blocks of programs and says which hold.

use super::{CommandResult, FAULTS, UNREADABLE, output, program};
use crate::diagnostics::render::clean::clean;
use crate::diagnostics::render::github::{data, property};
use crate::run::spec::{Answer, ExpectReport, TestReport, Tester};
use miette::miette;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run the test blocks of programs
///
/// A test gives judgments and fields and says what must come out. What it does not give must not matter.
/// Exit code: 0 all tests hold, 1 a test fails or a program has errors, 2 a file could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Programs (`.rubric` or JSON), `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How results are shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Failures with what was found and the nodes that led there
    Human,
    /// One JSON object for all files
    Json,
    /// JUnit XML: a suite for each program
    Junit,
    /// Annotations of GitHub Actions, one for each test that fails
    Github,
}

/// What came of one file.
struct FileReport {
    name: String,
    program: String,
    /// With the line of each test, and of each expectation.
    tests: Vec<(TestReport, usize, Vec<usize>)>,
}

impl FileReport {
    fn failed(&self) -> usize {
        self.tests.iter().filter(|(t, ..)| !t.passed()).count()
    }
}

const EXAMPLES: &str = "\
Examples:
  rubric test essay.rubric
  rubric test programs/*.rubric --format json
  rubric test programs/*.rubric --format junit > tests.xml";

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut worst = 0;
    let mut reports = Vec::new();
    for path in &args.files {
        match program::require(path) {
            Ok(ready) => reports.push(tested(path, &ready)),
            Err(report) if report.downcast_ref::<program::Faulty>().is_some() => worst = worst.max(FAULTS),
            Err(report) => {
                output::note(&format!("{report:?}"));
                worst = worst.max(UNREADABLE);
            }
        }
    }
    let failed: usize = reports.iter().map(FileReport::failed).sum();
    let all: usize = reports.iter().map(|r| r.tests.len()).sum();
    if failed > 0 {
        worst = worst.max(FAULTS);
    }
    match args.format {
        Format::Human => {
            output::print(&reports.iter().map(human).collect::<String>())?;
            if !reports.is_empty() {
                output::note(&summary(reports.len(), all, failed));
            }
        }
        Format::Json => {
            let files: Vec<Json> = reports.iter().map(as_json).collect();
            let whole = json!({ "files": files, "passed": all - failed, "failed": failed });
            output::print(&format!("{whole:#}\n"))?;
        }
        Format::Junit => output::print(&junit(&reports)?)?,
        Format::Github => output::print(&reports.iter().map(annotations).collect::<String>())?,
    }
    Ok(ExitCode::from(worst))
}

fn tested(path: &Path, ready: &program::Ready) -> FileReport {
    let tester = Tester::new(&ready.program);
    let line = |span: crate::source::Span| ready.files.get(span.file).map_or(0, |s| s.position(span.start).line);
    let one = |test| {
        let report: TestReport = tester.run(test);
        let lines = report.expects.iter().map(|e| line(e.span)).collect();
        let at = line(report.span);
        (report, at, lines)
    };
    FileReport {
        name: ready.files.get(ready.file).map_or_else(|| path.display().to_string(), |s| s.name.to_string()),
        program: ready.program.name.to_string(),
        tests: ready.program.tests.iter().map(one).collect(),
    }
}

fn human(report: &FileReport) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    if report.tests.is_empty() {
        line(format!("{}: no tests", report.name));
    }
    for (test, at, lines) in &report.tests {
        let mark = if test.passed() { "ok  " } else { "FAIL" };
        line(format!("{mark} {}:{at} {}", report.name, test.name));
        if let Some(fault) = &test.fault {
            line(format!("       {fault}"));
        }
        for (expect, at) in test.expects.iter().zip(lines) {
            if expect.answer != Answer::Holds {
                unmet(expect, *at, &mut line);
            }
        }
    }
    out
}

fn unmet(expect: &ExpectReport, at: usize, line: &mut impl FnMut(String)) {
    let found: Vec<String> = expect.found.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    line(format!("       line {at}: expected {}", expect.text));
    line(format!("       found    {}", found.join(", ")));
    if !expect.missing.is_empty() {
        line(format!("       it depends on what the test does not give: {}", listed(&expect.missing)));
    }
    for node in &expect.path {
        let indent = "  ".repeat(node.depth.min(20));
        line(format!("         {indent}{} = {}   ({})", node.name, node.value, node.what.replace('_', " ")));
    }
}

/// The first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn as_json(report: &FileReport) -> Json {
    let expect = |expect: &ExpectReport, at: usize| {
        let found: serde_json::Map<String, Json> =
            expect.found.iter().map(|(name, value)| (name.clone(), Json::String(value.clone()))).collect();
        let path: Vec<Json> = expect
            .path
            .iter()
            .map(|n| json!({ "node": n.name, "is": n.what, "value": n.value, "depth": n.depth }))
            .collect();
        json!({
            "expect": &*expect.text,
            "line": at,
            "outcome": match expect.answer {
                Answer::Holds => "holds",
                Answer::Fails => "fails",
                Answer::Open => "open",
            },
            "found": found,
            "missing": expect.missing,
            "path": path,
        })
    };
    let tests: Vec<Json> = report
        .tests
        .iter()
        .map(|(test, at, lines)| {
            let expects: Vec<Json> = test.expects.iter().zip(lines).map(|(e, at)| expect(e, *at)).collect();
            json!({
                "name": &*test.name,
                "line": at,
                "passed": test.passed(),
                "fault": test.fault,
                "expects": expects,
            })
        })
        .collect();
    json!({ "file": report.name, "program": report.program, "tests": tests })
}

/// What a test that fails found, in lines.
fn found(test: &TestReport, lines: &[usize]) -> String {
    let mut out: Vec<String> = test.fault.iter().cloned().collect();
    for (expect, at) in test.expects.iter().zip(lines).filter(|(expect, _)| expect.answer != Answer::Holds) {
        unmet(expect, *at, &mut |line| out.push(line.strip_prefix("       ").unwrap_or(&line).to_owned()));
    }
    clean(&out.join("\n")).into_owned()
}

fn junit(reports: &[FileReport]) -> miette::Result<String> {
    let mut xml = Report::new("rubric test");
    for report in reports {
        let mut suite = TestSuite::new(clean(&report.name).into_owned());
        for (test, at, lines) in &report.tests {
            let status = if test.passed() {
                TestCaseStatus::success()
            } else {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                let found = found(test, lines);
                status.set_message(found.lines().next().unwrap_or("it does not hold").to_owned());
                status.set_description(found);
                status
            };
            let mut case = TestCase::new(clean(&test.name).into_owned(), status);
            case.set_classname(report.program.clone());
            case.extra.insert("file".into(), clean(&report.name).into_owned().into());
            case.extra.insert("line".into(), at.to_string().into());
            suite.add_test_case(case);
        }
        xml.add_test_suite(suite);
    }
    xml.to_string().map_err(|error| miette!("the results cannot be written as JUnit: {error}"))
}

fn annotations(report: &FileReport) -> String {
    let failing = report.tests.iter().filter(|(test, ..)| !test.passed());
    let one = |(test, at, lines): &(TestReport, usize, Vec<usize>)| {
        let title = format!("test \"{}\"", clean(&test.name));
        let file = property(&clean(&report.name));
        format!("::error file={file},line={at},title={}::{}\n", property(&title), data(&found(test, lines)))
    };
    failing.map(one).collect()
}

fn summary(files: usize, all: usize, failed: usize) -> String {
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    match (all, failed) {
        (0, _) => format!("{}: no tests", count(files, "program")),
        (all, 0) => format!("{}: {} passed", count(files, "program"), count(all, "test")),
        (all, failed) => {
            format!("{}: {} passed, {failed} failed", count(files, "program"), count(all - failed, "test"))
        }
    }
}
