//! What rules read out of plain text: counts, numbers, code blocks, addresses.

use crate::number::Number;
use regex::Regex;
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

pub(super) fn word_count(text: &str) -> usize {
    text.unicode_words().count()
}

pub(super) fn char_count(text: &str) -> usize {
    text.graphemes(true).count()
}

pub(super) fn sentence_count(text: &str) -> usize {
    text.unicode_sentences().count()
}

/// Lines end at LF, CR, CRLF, NEL, LS or PS (Unicode Standard, section 5.8).
pub(super) fn line_count(text: &str) -> usize {
    let mut count = 0;
    let mut open = false;
    let mut after_return = false;
    for c in text.chars() {
        match c {
            '\n' if after_return => {}
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                count += 1;
                open = false;
            }
            _ => open = true,
        }
        after_return = c == '\r';
    }
    count + usize::from(open)
}

/// The first decimal number: an optional sign that no letter or digit stands before, digits with a point, an optional
/// exponent. Commas in groups of three (`12,345.6`) are read over; any other run of digits, points and commas (`1,5`,
/// `1.2.3`) can be read in more than one way and is `None`, as is a text without digits.
pub(super) fn number_in(text: &str) -> Option<Number> {
    static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\.?[0-9](?:[0-9]|[.,][0-9])*").ok());
    static PLAIN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:[0-9]*\.?[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?)$").ok());
    static EXPONENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[eE][+-]?[0-9]{1,4}\b").ok());
    let run = RUN.as_ref()?.find(text)?;
    let (before, after) = (text.get(..run.start())?, text.get(run.end()..)?);
    if !PLAIN.as_ref()?.is_match(run.as_str()) {
        return None;
    }
    let exponent = EXPONENT.as_ref()?.find(after).map_or("", |m| m.as_str());
    let mut behind = before.chars().rev();
    let negative = matches!(behind.next(), Some('-' | '\u{2212}')) && !behind.next().is_some_and(char::is_alphanumeric);
    let digits = format!("{}{}{exponent}", if negative { "-" } else { "" }, run.as_str().replace(',', ""));
    Number::from_decimal(&digits).ok()
}

/// The contents of fenced code blocks, as CommonMark (0.31, section 4.5) finds them: a fence is at least three backticks or
/// tildes, indented by at most three spaces; one that is never closed runs to the end of the text.
pub(super) fn code_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(char, usize, Vec<&str>)> = None;
    for line in text.lines() {
        let fence = fence(line);
        match (&mut open, fence) {
            (None, Some((mark, length, info))) => {
                if mark == '~' || !info.contains('`') {
                    open = Some((mark, length, Vec::new()));
                }
            }
            (Some((mark, length, lines)), Some((m, l, info)))
                if *mark == m && l >= *length && info.trim().is_empty() =>
            {
                blocks.push(lines.join("\n"));
                open = None;
            }
            (Some((_, _, lines)), _) => lines.push(line),
            (None, None) => {}
        }
    }
    blocks.extend(open.map(|(_, _, lines)| lines.join("\n")));
    blocks
}

/// The mark, the length and the rest of a line that is a fence.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    if line.len() - bare.len() > 3 {
        return None;
    }
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = bare.trim_start_matches(mark);
    let length = bare.len() - rest.len();
    (length >= 3).then_some((mark, length, rest))
}

/// The http and https addresses of a text, without punctuation that closes the sentence or bracket around them.
pub(super) fn urls(text: &str) -> Vec<String> {
    static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?i)\bhttps?://[^\s<>"'`{}|\\^\[\]]+"#).ok());
    let Some(url) = URL.as_ref() else { return Vec::new() };
    url.find_iter(text)
        .map(|m| {
            let mut url = m.as_str();
            let count = |mark: char| url.matches(mark).count();
            let mut unopened = count(')').saturating_sub(count('('));
            loop {
                let bare = match url.strip_suffix(')') {
                    Some(bare) if unopened > 0 => {
                        unopened -= 1;
                        Some(bare)
                    }
                    _ => url.strip_suffix(['.', ',', ';', ':', '!', '?', '*', '_', '…']),
                };
                match bare {
                    Some(shorter) => url = shorter,
                    None => return url.to_owned(),
                }
            }
        })
        .filter(|url| !url.ends_with("//"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(word_count("Don't panic: it's 3.5 km, 東京!"), 7);
        assert_eq!(char_count("e\u{301}🇩🇪👨‍👩‍👧"), 3);
        assert_eq!(sentence_count("One. Two? Three"), 3);
        for (text, lines) in
            [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("\n\n", 2), ("a\rb\u{2028}c", 3)]
        {
            assert_eq!(line_count(text), lines, "{text:?}");
        }
    }

    #[test]
    fn first_number() {
        let n = |t: &str| number_in(t).map(|n| n.exact());
        for (text, number) in [
            ("The answer is 42.", "42"),
            ("about -3.5 degrees", "-3.5"),
            ("−7", "-7"),
            ("10-20", "10"),
            ("A-5", "5"),
            ("$12,345.60 or so", "12345.6"),
            (".5", "0.5"),
            ("2e3 m", "2000"),
            ("2 em", "2"),
            ("95%", "95"),
        ] {
            assert_eq!(n(text).as_deref(), Some(number), "{text}");
        }
        for text in ["", "none", "1,5", "1.2.3", "12,34"] {
            assert_eq!(n(text), None, "{text}");
        }
    }

    #[test]
    fn blocks() {
        assert_eq!(code_blocks("x\n```rust\nlet a;\n```\ny\n~~~\nb\n```\n~~~~\n"), ["let a;", "b\n```"]);
        assert_eq!(code_blocks("```\nopen"), ["open"]);
        assert!(code_blocks("``` a ` b\n    ```\n").is_empty());
    }

    #[test]
    fn addresses() {
        let text = "See https://a.org/x_(y), (http://b.org/q?x=1). And <HTTPS://c.org>; not ftp://d.org or http://";
        assert_eq!(urls(text), ["https://a.org/x_(y)", "http://b.org/q?x=1", "HTTPS://c.org"]);
    }
}
