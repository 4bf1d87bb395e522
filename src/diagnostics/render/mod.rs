//! Renderers of diagnostics, one per format. Each takes batches (files with what was found in them) and gives a text.
//!
//! Every renderer asks [`Spot`] for places, which clamps spans to the text, so that none can fail on a wild one. The text
//! of a file is not trusted: control characters and marks that turn the direction of writing never reach a terminal.

use super::{Diagnostic, Severity};
use crate::source::{Position, Source, SourceMap, Span};
use std::ops::Range;

/// A format of diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// Drawn source, for people.
    Human,
    /// One line each: `file:line:column: error[R0101] headline`.
    Concise,
    /// One JSON object a line (`grammar/diagnostics.schema.json`).
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// Short and complete, for a language model that repairs its own program.
    Repair,
}

/// How the human format may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub colours: bool,
    /// In columns.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look { colours: false, width: 100 }
    }
}

/// The files of one check and what was found in them.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    pub map: &'a SourceMap,
    pub diagnostics: &'a [Diagnostic],
}

pub(crate) mod clean;
mod concise;
mod excerpt;
pub(crate) mod github;
mod human;
mod json;
mod repair;
mod sarif;

/// All diagnostics of all batches in one format. The text ends with a line break unless it is empty.
#[must_use]
pub fn render(format: Format, batches: &[Batch<'_>], look: Look) -> String {
    match format {
        Format::Human => human::render(batches, look),
        Format::Concise => concise::render(batches),
        Format::Json => json::render(batches),
        Format::Sarif => sarif::render(batches),
        Format::Github => github::render(batches),
        Format::Repair => repair::render(batches),
    }
}

/// A span in the text of its file: always inside it and on character boundaries.
#[derive(Debug, Clone)]
struct Spot<'a> {
    source: &'a Source,
    range: Range<usize>,
    start: Position,
    end: Position,
}

impl<'a> Spot<'a> {
    /// `None` where the file is not in the map.
    fn of(map: &'a SourceMap, span: Span) -> Option<Spot<'a>> {
        let source = map.get(span.file)?;
        let range = source.clamp(span);
        let at = |offset: usize| source.position(u32::try_from(offset).unwrap_or(u32::MAX));
        Some(Spot { source, start: at(range.start), end: at(range.end), range })
    }
}

/// `error`, `warning`.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// "a", "a or b", "a, b or c".
fn one_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests;
