//! A JSON program that was copied out of a chat: what stands round it, a Markdown fence or prose, is blanked out.
//!
//! The text keeps its length, so that every place in it stays where it is. (Round a `.rubric` text the parser does the same.)
//! What is taken for a program begins with a brace at the beginning of a line and speaks of `"rubric…`; whether it is one the
//! reader of JSON programs says.

use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::source::{Source, Span};
use std::ops::Range;

/// The file with nothing but the JSON program in it, and what to say about that; `None` where the file is no such text.
pub(super) fn json_alone(source: &Source) -> Option<(Source, Diagnostic)> {
    let text = source.text();
    let (range, fenced) = inside(text)?;
    let blank = |part: &str| {
        part.chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }).collect::<String>()
    };
    let (before, rest) = text.split_at_checked(range.start)?;
    let (program, after) = rest.split_at_checked(range.end - range.start)?;
    let alone = format!("{}{program}{}", blank(before), blank(after));
    let what = if fenced { "a Markdown fence" } else { "prose" };
    let span = |r: Range<usize>| Span::new(source.id, r.start, r.end);
    let first = if before.trim().is_empty() { range.end..text.len() } else { 0..range.start };
    let start = first.start + text.get(first.clone()).map_or(0, |t| t.len() - t.trim_start().len());
    let line = text.get(start..first.end).and_then(|t| t.lines().next()).map_or(0, str::len);
    let cuts = [0..range.start, range.end..text.len()].into_iter().filter(|r| !r.is_empty());
    let found = Diagnostic::warning(
        Code::AROUND,
        span(start..start + line),
        format!("{what} stands round the program; only the program is read"),
        "not part of the program",
    )
    .help("keep the program alone in its file")
    .fix("leave out what is not the program", cuts.map(|r| Edit::new(span(r), "")).collect());
    Some((Source::new(source.id, &source.name, source.path.as_deref(), alone), found))
}

/// Where the JSON stands, and whether a fence is round it.
fn inside(text: &str) -> Option<(Range<usize>, bool)> {
    let mut start = None;
    let mut open_fence = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("rubric ") || trimmed.starts_with("library ") {
            return None;
        }
        if trimmed.starts_with("```") {
            open_fence = !open_fence;
        } else if trimmed.starts_with('{') {
            start = Some(at + line.len() - trimmed.len());
            break;
        }
        at += line.len();
    }
    let start = start?;
    let rest = text.get(start..)?;
    // In a fence, up to its end; else to the last closing brace that ends a line.
    let mut end = rest.len();
    let mut offset = 0;
    let mut last = None;
    for line in rest.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            end = offset;
            last = None;
            break;
        }
        offset += line.len();
        if line.trim_end().ends_with('}') {
            last = Some(offset);
        }
    }
    let end = start + last.unwrap_or(end);
    let whole = text.get(..start)?.trim().is_empty() && text.get(end..)?.trim().is_empty();
    let program = text.get(start..end)?;
    (!whole && program.contains("\"rubric")).then_some((start..end, open_fence || text.get(end..)?.contains("```")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn alone(text: &str) -> Option<(String, Diagnostic)> {
        let source = Source::new(FileId(0), "x", None, text);
        json_alone(&source).map(|(source, found)| (source.text().to_owned(), found))
    }

    #[test]
    fn what_stands_round_it_becomes_blank_and_places_stay() {
        for text in [
            "```json\n{\"format\": \"rubric-program/1\"}\n```\n",
            "Here it is — done:\n\n```\n{\"format\": \"rubric-program/1\"}\n```\nI hope it helps {you}.",
            "Here it is:\n{\"format\": \"rubric-program/1\"}\nTell me.",
            "{\"format\": \"rubric-program/1\"}\n```",
        ] {
            let (left, found) = alone(text).unwrap();
            assert_eq!(left.len(), text.len(), "{text}");
            assert_eq!(left.trim(), "{\"format\": \"rubric-program/1\"}", "{text}");
            assert_eq!(left.find('{'), text.find("{\"format"), "{text}");
            assert_eq!(found.code, Code::AROUND);
            let source = Source::new(FileId(0), "x", None, text);
            let mended = crate::diagnostics::fixes::apply_safe(&source, &[found]).unwrap().text;
            assert_eq!(mended.trim(), "{\"format\": \"rubric-program/1\"}", "{text}");
        }
    }

    #[test]
    fn other_texts_are_left_as_they_are() {
        for text in [
            "{\"format\": \"rubric-program/1\"}\n",
            "  {\"format\": \"rubric-program/1\"}",
            "rubric x\n// {\"rubric\": 1}\n",
            "Here:\n```\nrubric x\n```\n{\"rubric\": 1}\n",
            "no program",
            "{ not ours }\n```",
        ] {
            assert!(alone(text).is_none(), "{text}");
        }
    }
}
