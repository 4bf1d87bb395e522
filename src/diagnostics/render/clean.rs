//! Text that is safe to show: no control characters (a file could move the cursor or recolour the terminal) and no marks
//! that turn the direction of writing (a file could look like another one).

use std::borrow::Cow;

/// The text with each harmful character replaced by one of as many bytes, so that offsets stay true. Line breaks are
/// `\n` and `\r\n` only afterwards; a lone `\r`, a form feed or U+2028 is replaced, so that all renderers count the same lines.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b == b'\n' || b == b'\t' || (0x20..0x7F).contains(&b)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let lone = c == '\r' && rest.peek() != Some(&'\n');
        out.push(match c {
            '\n' | '\t' => c,
            '\r' if !lone => c,
            _ if is_harmful(c) => placeholder(c),
            _ => c,
        });
    }
    Cow::Owned(out)
}

/// The text in one line, cleaned, without more than `most` characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let text = clean(text);
    let mut out = String::new();
    for (count, c) in text.chars().filter(|c| *c != '\r').enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        out.push(if matches!(c, '\n' | '\t') { ' ' } else { c });
    }
    out
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

fn placeholder(c: char) -> char {
    match c.len_utf8() {
        1 => '?',
        2 => '¿',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_harms_a_terminal_is_replaced_and_offsets_stay_true() {
        let text = "a\u{1b}[31mb\u{85}c\u{202e}d\u{2028}e\rf\r\ng\th é😀\u{0}";
        let cleaned = clean(text);
        assert_eq!(cleaned.len(), text.len());
        assert_eq!(cleaned, "a?[31mb¿c\u{fffd}d\u{fffd}e?f\r\ng\th é😀?");
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(clean("rubric a\n\tb"), Cow::Borrowed(_)));
    }

    #[test]
    fn one_line_is_one_line_and_bounded() {
        assert_eq!(one_line("a\r\nb\tc", 10), "a b c");
        assert_eq!(one_line("ééé", 2), "éé…");
    }
}
