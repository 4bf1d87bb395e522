//! Places as editors count them: lines from 0, and columns in UTF-16 code units or in bytes.
//!
//! Both ways are total: what lies beyond a line is its end, what lies inside a character is its beginning.

use super::{Source, Span};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// UTF-16 code units: what editors count unless both sides agree on something else.
    #[default]
    Utf16,
}

impl Source {
    /// Line (from 0) and column of a byte offset.
    #[must_use]
    pub fn place(&self, offset: u32, encoding: Encoding) -> (u32, u32) {
        let offset = self.clamp(Span { file: self.id, start: offset, end: offset }).start;
        let line = self.line_of(offset);
        let before = self.text.get(self.line_start(line)..offset).unwrap_or("");
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (small(line.saturating_sub(1)), small(column))
    }

    /// The byte offset of a line (from 0) and column.
    #[must_use]
    pub fn offset(&self, line: u32, column: u32, encoding: Encoding) -> u32 {
        let line = line as usize + 1;
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        if line > self.line_count() {
            return small(self.text.len());
        }
        let start = self.line_start(line);
        let text = self.line(line);
        let mut left = column as usize;
        for (at, c) in text.char_indices() {
            let size = match encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
            if left < size {
                return small(start + at);
            }
            left -= size;
        }
        small(start + text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn every_place_comes_back_in_both_encodings() {
        let source = Source::new(FileId(0), "a", None, "a🙂é\r\n\nx\u{301}🇦🇹\n");
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (offset, _) in source.text().char_indices().filter(|(_, c)| *c != '\r' && *c != '\n') {
                let offset = u32::try_from(offset).unwrap();
                let (line, column) = source.place(offset, encoding);
                assert_eq!(source.offset(line, column, encoding), offset, "{encoding:?}");
            }
        }
        assert_eq!(source.place(5, Encoding::Utf16), (0, 3));
        assert_eq!(source.place(5, Encoding::Utf8), (0, 5));
    }

    #[test]
    fn wild_places_are_clamped() {
        let source = Source::new(FileId(0), "a", None, "a🙂\nb");
        assert_eq!(source.offset(0, 2, Encoding::Utf16), 1, "inside a character");
        assert_eq!(source.offset(0, 99, Encoding::Utf16), 5);
        assert_eq!(source.offset(99, 0, Encoding::Utf16), 7);
    }
}
