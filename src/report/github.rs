//! The report as annotations of GitHub Actions: an error for each row that does not pass or failed, a warning for what is not decided.

use super::junit::message;
use super::{Report, Row};
use crate::diagnostics::render::github::{data, property};
use crate::run::result::Status;
use std::fmt::Write as _;

/// Annotations that a step shows; more are dropped without a word, so the last says how many there are.
const MOST: usize = 10;

/// The commands; empty where everything passes. A record stands in the file of records, where that is known.
#[must_use]
pub fn github(report: &Report) -> String {
    let mut found: Vec<(&str, &Row, String)> = Vec::new();
    for row in &report.rows {
        for (run, cell) in row.present() {
            if !cell.concerns() {
                continue;
            }
            let level = match (cell.status, cell.passes) {
                (_, Some(true)) | (Status::Abstained, _) => continue,
                (_, Some(false)) | (Status::Failed | Status::JudgeFailed, _) => "error",
                (_, None) => "warning",
            };
            let name = report.runs.get(run).filter(|_| report.runs.len() > 1);
            let of = name.map_or(String::new(), |run| format!(" ({})", run.name));
            found.push((level, row, message(report, row, cell) + &of));
        }
    }
    // Errors first, since only so many are shown.
    found.sort_by_key(|(level, ..)| *level);
    let (count, mut out) = (found.len(), String::new());
    let shown = if count > MOST { MOST - 1 } else { count };
    for (level, row, message) in found.iter().take(shown) {
        let _ = write!(out, "::{level} ");
        if let (Some(path), Some(line)) = (&report.data, row.line) {
            let _ = write!(out, "file={},line={line},", property(&path.display().to_string()));
        }
        let _ = writeln!(out, "title={}::{}", property(&row.name()), data(message));
    }
    if count > shown {
        let _ = writeln!(out, "::warning title={}::and {} more", property(&report.title), count - shown);
    }
    out
}
