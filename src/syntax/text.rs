//! What a literal means: words in NFC, numbers, texts with their escapes resolved, their indentation taken away and their
//! `{{…}}` holes found.

use super::ast::{Hole, Text};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::number::{Number, NumberError};
use crate::source::Span;
use std::sync::Arc;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// A word in NFC.
pub(super) fn word(text: &str) -> Arc<str> {
    if text.is_ascii() || is_nfc(text) { text.into() } else { text.nfc().collect::<String>().into() }
}

/// The value of a number token, the mended forms included.
pub(super) fn number(text: &str, span: Span, found: &mut Vec<Diagnostic>) -> Number {
    match plain_number(text) {
        Ok(number) => number,
        Err(error) => {
            found.push(
                Diagnostic::error(Code::NUMBER, span, error.to_string(), "this number").help("write a shorter number"),
            );
            Number::ZERO
        }
    }
}

/// The same without a report.
pub(super) fn plain_number(text: &str) -> Result<Number, NumberError> {
    if let Some(percent) = text.strip_suffix('%') {
        let number = Number::from_decimal(percent)?;
        return Ok(number.checked_div(&Number::int(100)).unwrap_or(number));
    }
    if text.contains('_') {
        return Number::from_decimal(&text.replace('_', ""));
    }
    Number::from_decimal(text)
}

/// The inside of a text literal, by its quotes.
struct Literal<'a> {
    inside: &'a str,
    /// Where `inside` begins in the literal.
    offset: usize,
    raw: bool,
    block: bool,
}

fn open(literal: &str) -> Literal<'_> {
    let (start, end, raw, block) = if literal.starts_with("\"\"\"") {
        (3, "\"\"\"", false, true)
    } else if literal.starts_with("r\"") {
        (2, "\"", true, false)
    } else {
        let first = literal.chars().next().map_or(0, char::len_utf8);
        (first, "", false, false)
    };
    let inside = literal.get(start..).unwrap_or("");
    let inside = match literal.chars().next() {
        Some('"' | 'r') if end.is_empty() => strip_quote(inside, '"'),
        Some('"' | 'r') => inside.strip_suffix(end).unwrap_or(inside),
        Some('\'') => inside.strip_suffix('\'').unwrap_or(inside),
        _ => inside.strip_suffix(['”', '“', '»', '«', '’', '‘', '"']).unwrap_or(inside),
    };
    Literal { inside, offset: start, raw, block }
}

/// Takes the closing quote away, unless it is escaped (then the text was not closed).
fn strip_quote(inside: &str, quote: char) -> &str {
    let Some(stripped) = inside.strip_suffix(quote) else { return inside };
    let slashes = stripped.bytes().rev().take_while(|b| *b == b'\\').count();
    if slashes % 2 == 1 { inside } else { stripped }
}

/// A text literal. Unknown escapes are reported and stand for themselves.
pub(super) fn decode(literal: &str, span: Span, found: &mut Vec<Diagnostic>) -> Text {
    let Literal { inside, offset, raw, block } = open(literal);
    if raw {
        return Text { value: inside.into(), span, raw, holes: Vec::new() };
    }
    // The common case: nothing to resolve.
    if !block && !inside.contains(['\\', '{']) {
        return Text { value: inside.into(), span, raw, holes: Vec::new() };
    }
    let mut out = Decoder { value: String::with_capacity(inside.len()), holes: Vec::new(), hole: None, span, found };
    if block {
        for (at, line) in block_lines(inside).into_iter().enumerate() {
            if at > 0 {
                out.value.push('\n');
            }
            let start = line.as_ptr() as usize - literal.as_ptr() as usize;
            out.piece(line, start);
        }
    } else {
        out.piece(inside, offset);
    }
    Text { value: out.value.into(), span, raw, holes: out.holes }
}

/// The lines of a text block: without the line breaks behind the opening and before the closing quotes, and without the
/// blanks that all lines with text begin with.
fn block_lines(inside: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = inside.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
    let blank = |l: &&str| l.trim().is_empty();
    if lines.len() > 1 && lines.first().is_some_and(blank) {
        lines.remove(0);
    }
    if lines.len() > 1 && lines.last().is_some_and(blank) {
        lines.pop();
    }
    let indent = |l: &&str| l.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let common = lines.iter().filter(|l| !blank(l)).map(indent).min().unwrap_or(0);
    lines
        .into_iter()
        .map(|l| l.split_at_checked(common).map_or(l, |(_, rest)| rest))
        .map(|l| if l.trim().is_empty() { l.trim_start_matches([' ', '\t']) } else { l })
        .collect()
}

struct Decoder<'f> {
    value: String,
    holes: Vec<Hole>,
    /// Where an open hole begins in `value`, and in the literal.
    hole: Option<(usize, usize)>,
    span: Span,
    found: &'f mut Vec<Diagnostic>,
}

impl Decoder<'_> {
    /// Reads a part without further structure that begins `offset` bytes into the literal.
    fn piece(&mut self, text: &str, offset: usize) {
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '{', '}']) {
            let (plain, tail) = rest.split_at(at);
            self.value.push_str(plain);
            let here = offset + (text.len() - tail.len());
            let taken = if tail.starts_with('\\') {
                self.escape(tail, here)
            } else if tail.starts_with("{{") {
                self.value.push_str("{{");
                self.hole = Some((self.value.len(), here + 2));
                2
            } else if let Some((start, written)) = self.hole.filter(|_| tail.starts_with("}}")) {
                let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                let span = self.place(written, here - written);
                self.holes.push(Hole { start: at(start), end: at(self.value.len()), span });
                self.hole = None;
                self.value.push_str("}}");
                2
            } else {
                self.value.push_str(tail.get(..1).unwrap_or(""));
                1
            };
            rest = tail.get(taken..).unwrap_or("");
        }
        self.value.push_str(rest);
    }

    /// An escape at the start of `tail`; its length in bytes.
    fn escape(&mut self, tail: &str, here: usize) -> usize {
        let Some(next) = tail.chars().nth(1) else {
            self.value.push('\\');
            return 1;
        };
        let length = 1 + next.len_utf8();
        match next {
            'n' => self.value.push('\n'),
            't' => self.value.push('\t'),
            '"' | '\\' | '{' | '}' => self.value.push(next),
            'u' => return self.unicode(tail, here),
            _ => {
                self.value.push_str(tail.get(..length).unwrap_or(""));
                let span = self.place(here, length);
                self.found.push(
                    Diagnostic::error(
                        Code::ESCAPE,
                        span,
                        format!("`\\{next}` means nothing in a text"),
                        "unknown escape",
                    )
                    .help(
                        "the escapes are `\\n \\t \\\" \\\\ \\{ \\u{…}`; in `r\"…\"` a backslash is a plain character",
                    )
                    .fix("write `\\\\` for a backslash", vec![Edit::new(self.place(here, 1), "\\\\")]),
                );
            }
        }
        length
    }

    /// `\u{1F600}`
    fn unicode(&mut self, tail: &str, here: usize) -> usize {
        let digits = tail.get(3..).filter(|_| tail.starts_with("\\u{")).and_then(|r| r.split_once('}')).map(|(d, _)| d);
        // `from_str_radix` would take a sign, too.
        let plain = |d: &&str| d.len() <= 6 && d.bytes().all(|b| b.is_ascii_hexdigit());
        let value = digits.filter(plain).and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
        if let (Some(digits), Some(c)) = (digits, value) {
            self.value.push(c);
            return 4 + digits.len();
        }
        let span = self.place(here, 2);
        self.found.push(
            Diagnostic::error(Code::ESCAPE, span, "this is not the number of a character", "unfinished `\\u{…}`")
                .help("write the character's hexadecimal number in braces, as in `\\u{2264}`")
                .suggestion("write `\\\\u` for a backslash and a u", vec![Edit::new(span, "\\\\u")]),
        );
        self.value.push_str("\\u");
        2
    }

    fn place(&self, here: usize, length: usize) -> Span {
        let start = self.span.start as usize + here;
        Span::new(self.span.file, start, start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn read(literal: &str) -> (Text, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let text = decode(literal, Span::new(FileId(0), 10, 10 + literal.len()), &mut found);
        (text, found)
    }

    #[test]
    fn escapes_and_holes() {
        let (text, found) = read(r#""a\n\"\\ \{{x}} {{name}} \u{2264}""#);
        assert_eq!(&*text.value, "a\n\"\\ {{x}} {{name}} ≤");
        let inside: Vec<&str> = text.holes.iter().map(|h| &text.value[h.start as usize..h.end as usize]).collect();
        assert_eq!(inside, ["name"]);
        let written = text.holes[0].span;
        assert_eq!((written.start, written.end), (28, 32));
        assert!(found.is_empty());
    }

    #[test]
    fn blocks_lose_their_indentation() {
        let (text, _) = read("\"\"\"\r\n    Is it\r\n      good?\r\n\r\n    {{a}}\r\n  \"\"\"");
        assert_eq!(&*text.value, "Is it\n  good?\n\n{{a}}");
        assert_eq!((text.holes.len(), text.holes[0].start, text.holes[0].end), (1, 17, 18));
        assert_eq!((text.holes[0].span.start, text.holes[0].span.end), (47, 48));
        assert_eq!(&*read("\"\"\"one\"\"\"").0.value, "one");
    }

    #[test]
    fn raw_texts_mean_themselves() {
        let (text, found) = read(r#"r"\d{{2}}""#);
        assert_eq!((&*text.value, text.holes.len(), found.len()), (r"\d{{2}}", 0, 0));
    }

    #[test]
    fn bad_escapes_are_placed() {
        let (text, found) = read(r#""é\q \u{zz}""#);
        assert_eq!(&*text.value, r"é\q \u{zz}");
        let places: Vec<_> = found.iter().map(|d| (d.span().start, d.span().end)).collect();
        assert_eq!(places, [(13, 15), (16, 18)]);
        for odd in ["+41", "-41", "", "110000", "d800", "0000041", " 41"] {
            assert_eq!(read(&format!("\"\\u{{{odd}}}\"")).1.len(), 1, "{odd}");
        }
    }

    #[test]
    fn odd_numbers() {
        assert_eq!(plain_number("25%").unwrap(), Number::ratio(1, 4).unwrap());
        assert_eq!(plain_number(".5").unwrap(), Number::ratio(1, 2).unwrap());
        assert_eq!(plain_number("1_000").unwrap(), Number::int(1000));
        assert_eq!(plain_number("1e3").unwrap(), Number::int(1000));
    }
}
