//! Texts of the language inside a JSON text: little files with ids of their own, whose places are mapped back.
//!
//! A type or rule in a JSON string is parsed as a [`Source`] whose id lies far above those of real files. Whatever the parser
//! and the checker say about it carries that id; [`Embedded::map`] turns such places into places of the JSON text, through
//! the string's escapes.

use super::tree::Value;
use crate::diagnostics::{Diagnostic, Edit};
use crate::graph::Program;
use crate::source::{FileId, Source, Span};
use jsonc_parser::common::Ranged;
use serde::de::IgnoredAny;
use std::collections::HashMap;

/// Ids from here on are little files.
const FIRST: u32 = 1 << 30;

/// All little files of one JSON text.
#[derive(Default)]
pub(super) struct Embedded {
    parts: Vec<Part>,
    /// Types that were read without a complaint, by their text.
    pub(super) types: HashMap<String, crate::types::Type>,
}

struct Part {
    file: FileId,
    /// The string literal in the JSON text, quotes included.
    span: Span,
    /// Byte of the decoded text, byte of the JSON text; only where they stop running side by side (after an escape).
    jumps: Vec<(u32, u32)>,
}

impl Embedded {
    /// A string's text as a little file. `None` where the value is no string.
    pub(super) fn open(&mut self, source: &Source, value: &Value<'_>) -> Option<Source> {
        let Value::StringLit(literal) = value else { return None };
        let span = Span::new(source.id, literal.range().start, literal.range().end);
        let id = FileId(FIRST.saturating_add(u32::try_from(self.parts.len()).unwrap_or(u32::MAX)));
        self.parts.push(Part { file: source.id, span, jumps: jumps(source.slice(span)) });
        Some(Source::new(id, &source.name, None, literal.value.to_string()))
    }

    /// A place in a little file as a place of the JSON text; others stay.
    fn real(&self, span: Span) -> Span {
        let Some(part) = span.file.0.checked_sub(FIRST).and_then(|at| self.parts.get(at as usize)) else {
            return span;
        };
        let last = part.span.end.saturating_sub(1).max(part.span.start);
        let at = |offset: u32| {
            let before = part.jumps.partition_point(|(decoded, _)| *decoded <= offset);
            let (decoded, raw) = before.checked_sub(1).and_then(|i| part.jumps.get(i)).copied().unwrap_or((0, 1));
            part.span.start.saturating_add(raw).saturating_add(offset - decoded).min(last)
        };
        let (start, end) = (at(span.start), at(span.end));
        Span { file: part.file, start, end: end.max(start) }
    }

    /// Moves every place of a diagnostic into the JSON text; replacements are escaped, those of a whole string quoted.
    pub(super) fn map(&self, source: &Source, diagnostic: &mut Diagnostic) {
        for label in &mut diagnostic.labels {
            label.span = self.real(label.span);
        }
        for edit in diagnostic.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
            if edit.span.file.0 >= FIRST {
                let quoted = serde_json::Value::String(edit.text.clone()).to_string();
                let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("").to_owned();
                *edit = Edit::new(self.real(edit.span), inside);
            } else if source.slice(edit.span).starts_with('"')
                && serde_json::from_str::<IgnoredAny>(&edit.text).is_err()
            {
                edit.text = serde_json::Value::String(std::mem::take(&mut edit.text)).to_string();
            }
        }
    }

    /// Moves the places that a program keeps.
    pub(super) fn map_program(&self, program: &mut Program) {
        for require in &mut program.requires {
            require.span = self.real(require.span);
        }
        for test in &mut program.tests {
            test.span = self.real(test.span);
            for (_, span, _) in &mut test.expects {
                *span = self.real(*span);
            }
        }
    }
}

/// Where decoded and raw bytes of a string literal (quotes included) part, as pairs right behind each escape.
fn jumps(raw: &str) -> Vec<(u32, u32)> {
    let mut out = vec![(0, 1)];
    let mut decoded = 0_usize;
    let mut chars = raw.char_indices().skip(1).peekable();
    while let Some((_, c)) = chars.next() {
        if c != '\\' {
            decoded += c.len_utf8();
            continue;
        }
        let Some((_, kind)) = chars.next() else { break };
        if kind == 'u' {
            let mut unit = 0_u32;
            for _ in 0..4 {
                unit = unit * 16 + chars.next().and_then(|(_, d)| d.to_digit(16)).unwrap_or(0);
            }
            // A pair of surrogates is one character of four bytes: two for each half.
            decoded += char::from_u32(unit).map_or(2, char::len_utf8);
        } else {
            decoded += 1;
        }
        let next = chars.peek().map_or(raw.len(), |(at, _)| *at);
        out.push((u32::try_from(decoded).unwrap_or(u32::MAX), u32::try_from(next).unwrap_or(u32::MAX)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Sink;

    #[test]
    fn places_are_found_behind_escapes() {
        let text = r#"{"a": "x \"é\" \u00e9\ud83d\ude00 y"}"#;
        let source = Source::new(FileId(3), "p.json", None, text);
        let (tree, _) = super::super::tree::parse(&source, &mut Sink::new());
        let Some(Value::Object(root)) = tree else { unreachable!("an object") };
        let mut embedded = Embedded::default();
        let little = embedded.open(&source, &root.properties[0].value).unwrap();
        assert_eq!(little.text(), "x \"é\" é😀 y");
        let at = little.text().find('y').unwrap();
        let span = embedded.real(Span::new(little.id, at, at + 1));
        assert_eq!((span.file, source.slice(span)), (FileId(3), "y"));
        let at = little.text().find("\"é").unwrap();
        assert_eq!(source.slice(embedded.real(Span::new(little.id, at + 1, at + 3))), "é");
    }
}
