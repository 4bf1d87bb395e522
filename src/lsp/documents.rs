//! The texts that are open in the editor.

use crate::source::encoding::Encoding;
use crate::source::{FileId, Source, Span};
use lsp_types::TextDocumentContentChangeEvent;
use std::sync::Arc;

/// A text after some edits, each made to what the one before left.
pub(super) fn edited(text: &str, changes: &[TextDocumentContentChangeEvent], encoding: Encoding) -> Arc<str> {
    let mut text = text.to_owned();
    for change in changes {
        let Some(range) = change.range else {
            text.clone_from(&change.text);
            continue;
        };
        let source = Source::new(FileId(0), "", None, text.as_str());
        let at = |p: lsp_types::Position| source.offset(p.line, p.character, encoding) as usize;
        let span = Span::new(FileId(0), at(range.start), at(range.end));
        let range = source.clamp(span);
        let kept = source.text();
        let bom = if source.bom() { "\u{feff}" } else { "" };
        let (before, after) = (kept.get(..range.start).unwrap_or(""), kept.get(range.end..).unwrap_or(""));
        text = format!("{bom}{before}{}{after}", change.text);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    fn change(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let at = |(line, character)| Position { line, character };
        let range = Some(Range { start: at(from), end: at(to) });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    #[test]
    fn edits_follow_one_another_and_count_as_agreed() {
        let text = "a🙂b\r\nc";
        let done = edited(text, &[change((0, 3), (0, 4), "X"), change((1, 0), (1, 1), "é")], Encoding::Utf16);
        assert_eq!(&*done, "a🙂X\r\né");
        let done = edited(text, &[change((0, 5), (0, 6), "X")], Encoding::Utf8);
        assert_eq!(&*done, "a🙂X\r\nc");
        let whole = TextDocumentContentChangeEvent { range: None, range_length: None, text: "z".to_owned() };
        assert_eq!(&*edited(text, &[whole], Encoding::Utf16), "z");
        assert_eq!(&*edited("ab", &[change((0, 1), (9, 9), "")], Encoding::Utf16), "a");
    }
}
