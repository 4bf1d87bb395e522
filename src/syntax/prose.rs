//! What stands round a program that was copied out of a chat or a document: a Markdown fence, and prose before and behind.
//!
//! Works on lines, before the lexer, since the quotes of prose would confuse it. A file that begins like a program is
//! taken as it is, up to a closing fence.

use super::token::RESERVED;
use super::words::{DECLARATIONS, lookup};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::source::{Source, Span};
use std::ops::Range;

/// The bytes of the program; what is left out is reported once.
pub(super) fn program(source: &Source, found: &mut Vec<Diagnostic>) -> Range<usize> {
    let text = source.text();
    let whole = 0..text.len();
    let Some(first) = first_line(text) else { return whole };
    let line = line_at(text, first);
    let fenced = line.starts_with("```");
    let start = if begins_program(line) {
        0
    } else {
        match program_start(text, first) {
            Some(start) => start,
            None => return whole,
        }
    };
    // memchr's search, since this one looks at every byte of every program.
    let fences = memchr::memmem::find(text.as_bytes(), b"```").is_some();
    let end = if fences { closing_fence(text, start) } else { text.len() };
    if start == 0 && end == text.len() {
        return whole;
    }
    let what = if fenced || end < text.len() { "a Markdown fence" } else { "prose" };
    let shown =
        if start > 0 { first..first + line.trim_end().len() } else { end..end + line_at(text, end).trim_end().len() };
    let span = |r: Range<usize>| Span::new(source.id, r.start, r.end);
    let cuts = [(start > 0).then_some(0..start), (end < text.len()).then_some(end..text.len())];
    found.push(
        Diagnostic::warning(
            Code::AROUND,
            span(shown),
            format!("{what} stands round the program; only the program is read"),
            "not part of the program",
        )
        .help("keep the program alone in its file")
        .fix("leave out what is not the program", cuts.into_iter().flatten().map(|r| Edit::new(span(r), "")).collect()),
    );
    start..end
}

/// Where the first line that says anything begins.
fn first_line(text: &str) -> Option<usize> {
    lines(text, 0)
        .find(|(_, line)| {
            let line = line.trim_start_matches('\u{feff}').trim();
            !line.is_empty() && !line.starts_with("//")
        })
        .map(|(at, line)| at + line.len() - line.trim_start_matches(['\u{feff}', ' ', '\t']).len())
}

fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text.get(from..).unwrap_or("").split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn line_at(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("").lines().next().unwrap_or("")
}

/// Whether a line can only be the program's: it begins with a single word that is one of the language's, or nearly.
fn begins_program(line: &str) -> bool {
    let word = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let lower = word.to_lowercase();
    let after = line.get(word.len()..).unwrap_or("").trim_start();
    // Prose begins with words, and so does a program; a program's first line has few of them.
    let short = after.split_whitespace().count() <= 1 || after.contains([':', '=', '{', '(', '"']);
    let known = lookup(DECLARATIONS, word).is_some()
        || RESERVED.iter().any(|(reserved, _)| *reserved == word)
        || crate::diagnostics::did_you_mean(&lower, DECLARATIONS.iter().map(|(w, _)| *w)).is_some();
    known && short || !word.is_empty() && after.split_whitespace().count() == 1
}

/// Where the program begins behind prose: behind the first fence, or at the header.
fn program_start(text: &str, first: usize) -> Option<usize> {
    for (at, line) in lines(text, first) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            return Some(at + line.len());
        }
        let mut words = trimmed.split_whitespace();
        if matches!(words.next(), Some("rubric" | "library")) && words.next().is_some() && words.next().is_none() {
            return Some(at);
        }
    }
    None
}

/// Where a line with a fence ends the program; one inside a text block does not.
fn closing_fence(text: &str, start: usize) -> usize {
    let mut blocks = 0_usize;
    for (at, line) in lines(text, start) {
        if blocks.is_multiple_of(2) && line.trim_start().starts_with("```") {
            return at;
        }
        blocks += line.matches("\"\"\"").count();
    }
    text.len()
}
