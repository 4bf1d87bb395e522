//! What a language model needs to mend its own program, and no more: for each fault the numbered lines around it with the
//! place marked, what was expected, what to do, and the fix as the line it should become. Bounded in length, and the same
//! every time: the errors of the first lines first, warnings only while there is room.

use super::clean::one_line;
use super::concise::shown_pointer;
use super::excerpt::{Frame, excerpt};
use super::{Batch, Spot, one_of, word};
use crate::diagnostics::{Diagnostic, Fix, Severity, fixes};
use crate::source::SourceMap;
use std::fmt::Write;

/// Faults told in full.
const MOST_FAULTS: usize = 20;
/// Bytes after which no further fault is begun.
const MOST_BYTES: usize = 16_000;
/// Characters of any one sentence.
const SENTENCE: usize = 400;
/// Bytes of the lines that a fix replaces, beyond which it is told by its title only.
const FIXED_BYTES: usize = 1_000;
const FRAME: Frame = Frame { around: 2, width: 120, most: 4 };

pub(super) fn render(batches: &[Batch<'_>]) -> String {
    let all = || batches.iter().flat_map(|b| b.diagnostics.iter().map(|d| (b.map, d)));
    let (errors, warnings): (Vec<_>, Vec<_>) = all().partition(|(_, d)| d.severity == Severity::Error);
    let mut out = format!("{}, {}\n", count(errors.len(), "error"), count(warnings.len(), "warning"));
    let total = errors.len() + warnings.len();
    let mut told = 0;
    for (map, diagnostic) in errors.into_iter().chain(warnings) {
        if told == MOST_FAULTS || out.len() > MOST_BYTES {
            break;
        }
        told += 1;
        fault(map, diagnostic, told, &mut out);
    }
    if told < total {
        let _ = writeln!(out, "\n{} more, left out here: mend these first and check again.", total - told);
    }
    out
}

fn fault(map: &SourceMap, d: &Diagnostic, number: usize, out: &mut String) {
    let _ = write!(out, "\n{number}. {} {}", word(d.severity), d.code);
    let spot = Spot::of(map, d.span());
    if let Some(spot) = &spot {
        let _ = write!(out, " at {}:{}:{}", one_line(&spot.source.name, SENTENCE), spot.start.line, spot.start.column);
    }
    if let Some(pointer) = &d.pointer {
        let _ = write!(out, " ({})", one_line(shown_pointer(pointer), SENTENCE));
    }
    let _ = writeln!(out, ": {}", one_line(&d.headline, SENTENCE));
    if let Some(spot) = &spot {
        let label = d.labels.first().map(|l| one_line(&l.text, SENTENCE)).unwrap_or_default();
        excerpt(spot, &label, FRAME, out);
    }
    for label in d.labels.iter().skip(1).take(3) {
        let Some(spot) = Spot::of(map, label.span) else { continue };
        let (name, text) = (one_line(&spot.source.name, SENTENCE), one_line(&label.text, SENTENCE));
        let _ = writeln!(out, "see {name}:{}:{}: {text}", spot.start.line, spot.start.column);
    }
    if !d.expected.is_empty() {
        let _ = writeln!(out, "expected: {}", one_line(&one_of(&d.expected), SENTENCE));
    }
    if let Some(help) = &d.help {
        let _ = writeln!(out, "help: {}", one_line(help, SENTENCE));
    }
    for note in d.notes.iter().take(5) {
        let _ = writeln!(out, "note: {}", one_line(note, SENTENCE));
    }
    if let Some(fix) = &d.fix {
        mended(map, fix, out);
    }
}

/// The fix as the lines it leaves.
fn mended(map: &SourceMap, fix: &Fix, out: &mut String) {
    let certain = if fix.safe { "fix" } else { "perhaps" };
    let title = one_line(&fix.title, SENTENCE);
    let source = fix.edits.first().and_then(|edit| map.get(edit.span.file));
    let Some((lines, text)) = source.and_then(|s| fixes::preview(s, fix, FIXED_BYTES)) else {
        let _ = writeln!(out, "{certain}: {title}");
        return;
    };
    if text.trim().is_empty() {
        let what = if lines.start() == lines.end() { "line" } else { "lines" };
        let _ = writeln!(out, "{certain}: {title}; {what} {} becomes empty", shown_lines(&lines));
        return;
    }
    let what = if lines.start() == lines.end() { "line" } else { "lines" };
    let _ = writeln!(out, "{certain}: {title}; {what} {} becomes:", shown_lines(&lines));
    for line in text.lines().take(12) {
        let _ = writeln!(out, "  + {}", one_line(&line.replace('\t', "    "), SENTENCE));
    }
}

fn shown_lines(lines: &std::ops::RangeInclusive<usize>) -> String {
    if lines.start() == lines.end() { lines.start().to_string() } else { format!("{}-{}", lines.start(), lines.end()) }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
