//! One line per diagnostic: `file:line:column: error[R0101] headline`.

use super::clean::one_line;
use super::{Batch, Spot, word};
use crate::diagnostics::Diagnostic;
use crate::source::SourceMap;
use std::fmt::Write;

/// Headlines are cut here (characters).
const LONGEST: usize = 500;

pub(super) fn render(batches: &[Batch<'_>]) -> String {
    let mut out = String::new();
    for batch in batches {
        for diagnostic in batch.diagnostics {
            line(batch.map, diagnostic, &mut out);
        }
    }
    out
}

/// Appends the line of one diagnostic.
pub(super) fn line(map: &SourceMap, diagnostic: &Diagnostic, out: &mut String) {
    if let Some(spot) = Spot::of(map, diagnostic.span()) {
        let _ = write!(out, "{}:{}:{}: ", one_line(&spot.source.name, LONGEST), spot.start.line, spot.start.column);
    }
    let headline = one_line(&diagnostic.headline, LONGEST);
    let _ = write!(out, "{}[{}] {headline}", word(diagnostic.severity), diagnostic.code);
    if let Some(pointer) = &diagnostic.pointer {
        let _ = write!(out, " (at {})", one_line(shown_pointer(pointer), LONGEST));
    }
    out.push('\n');
}

/// A JSON pointer for people: the empty one is the whole document.
pub(super) fn shown_pointer(pointer: &str) -> &str {
    if pointer.is_empty() { "the whole document" } else { pointer }
}
