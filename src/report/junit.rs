//! The report as JUnit XML: a suite per run, a case per row.
//!
//! A row that is decided and does not pass is a failure; one that is not decided, because judgments are missing or the record
//! failed, is an error; one that abstains is skipped.

use super::{Cell, Report, Row};
use crate::run::result::Status;
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

/// The document.
///
/// # Errors
/// A sentence, where it cannot be written.
pub fn junit(report: &Report) -> Result<String, String> {
    let mut xml = Xml::new(report.title.clone());
    for (at, run) in report.runs.iter().enumerate() {
        let mut suite = TestSuite::new(run.name.clone());
        for row in &report.rows {
            if let Some(Some(cell)) = row.cells.get(at)
                && cell.concerns()
            {
                suite.add_test_case(case(report, row, cell));
            }
        }
        xml.add_test_suite(suite);
    }
    xml.to_string().map_err(|error| format!("the report cannot be written as JUnit: {error}"))
}

fn case(report: &Report, row: &Row, cell: &Cell) -> TestCase {
    let key = report.readouts.first().map_or("", String::as_str);
    let status = match (cell.status, cell.passes) {
        (Status::Abstained, _) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("it abstains");
            status
        }
        (_, Some(true)) => TestCaseStatus::success(),
        (_, Some(false)) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(message(report, row, cell));
            status
        }
        (_, None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(message(report, row, cell));
            status.set_type(cell.status.word());
            status
        }
    };
    let mut case = TestCase::new(row.name(), status);
    case.set_classname(format!("{}.{key}", report.title));
    case
}

/// What came out, what was wanted, and why.
pub(super) fn message(report: &Report, row: &Row, cell: &Cell) -> String {
    let key = report.readouts.first().map_or("", String::as_str);
    let mut text = match cell.said.first() {
        Some(Some(said)) => format!("{key} is {said}"),
        _ => cell.status.in_words().to_owned(),
    };
    if let (Some(passing), Some(false)) = (&report.passing, cell.passes) {
        text.push_str(&format!(", wanted {}", passing.text()));
    }
    if let Some(label) = &row.label {
        text.push_str(&format!(", the label is {label}"));
    }
    let mut fired: Vec<&str> = cell.fired().collect();
    fired.dedup();
    if !fired.is_empty() {
        text.push_str(&format!("; fired: {}", fired.join(", ")));
    }
    let why = cell.why();
    if !why.is_empty() {
        text.push_str(&format!("; {why}"));
    }
    text
}
