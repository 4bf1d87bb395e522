//! A few numbered lines of a file with carets under a span, cut to a window where lines are long. Used where the text is
//! meant to be read as text (by a language model), and where a line is too long to be drawn.

use super::Spot;
use super::clean::clean;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// How a tab is shown.
const TAB: &str = "    ";

/// What to show of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Lines before and after the place.
    pub(super) around: usize,
    /// Columns of text; longer lines are cut around the place.
    pub(super) width: usize,
    /// Lines that one place may take; of longer ones the first and the last are shown.
    pub(super) most: usize,
}

/// Appends the lines around a spot, with `label` beside the carets.
pub(super) fn excerpt(spot: &Spot<'_>, label: &str, frame: Frame, out: &mut String) {
    let first = spot.start.line;
    // A place that ends at the very start of a line does not touch it.
    let last = if spot.end.column == 1 && spot.end.line > first { spot.end.line - 1 } else { spot.end.line };
    let (top, bottom) =
        (first.saturating_sub(frame.around).max(1), (last + frame.around).min(spot.source.line_count()));
    let digits = bottom.to_string().len();
    let mut left_out = false;
    for number in top..=bottom {
        let inside = (first..=last).contains(&number);
        if inside && last - first >= frame.most && number != first && number != last {
            if !left_out {
                let _ = writeln!(out, "  {:>digits$} | …", "");
            }
            left_out = true;
            continue;
        }
        let line = spot.source.line(number);
        let from = if number == first { spot.start.column - 1 } else { 0 };
        let to = if number == spot.end.line { spot.end.column - 1 } else { line.chars().count() };
        let focus = if inside { from } else { 0 };
        let window = Window::of(line, focus, frame.width);
        let mark = if inside { '>' } else { ' ' };
        let _ = writeln!(out, "{mark} {number:>digits$} | {}", window.text());
        if number == first || (inside && number == last) {
            let (pad, carets) = window.carets(from, to);
            let label = if number == last && !label.is_empty() { format!(" {label}") } else { String::new() };
            let _ = writeln!(out, "  {:>digits$} | {pad}{carets}{label}", "");
        }
    }
}

/// A part of a line.
#[derive(Debug)]
struct Window {
    /// The number of characters of the line that are left out before it.
    skipped: usize,
    chars: Vec<char>,
    /// Whether more of the line follows.
    cut: bool,
}

impl Window {
    /// The part of the line around the character number `focus` (from 0). Looks at no more of the line than it must: it may
    /// be megabytes long.
    fn of(line: &str, focus: usize, width: usize) -> Window {
        let take = |skipped: usize| line.chars().skip(skipped).take(width + 1).collect::<Vec<char>>();
        let mut skipped = 0;
        let mut chars = take(0);
        if chars.len() > width && focus > width / 2 {
            skipped = focus - width / 2;
            chars = take(skipped);
            if chars.len() < width {
                // Near the end of the line: show as much before the place as fits.
                skipped = skipped.saturating_sub(width - chars.len());
                chars = take(skipped);
            }
        }
        let cut = chars.len() > width;
        chars.truncate(width);
        Window { skipped, chars, cut }
    }

    fn text(&self) -> String {
        let shown: String = self.chars.iter().collect();
        let shown = clean(&shown).replace('\r', "?").replace('\t', TAB);
        let (before, after) = (if self.skipped > 0 { "…" } else { "" }, if self.cut { "…" } else { "" });
        format!("{before}{shown}{after}")
    }

    /// Spaces up to the character `from` of the line, and carets up to `to`: at least one.
    fn carets(&self, from: usize, to: usize) -> (String, String) {
        let width = |range: std::ops::Range<usize>| -> usize {
            let chars = self.chars.iter().skip(range.start).take(range.len());
            chars.map(|c| if *c == '\t' { TAB.len() } else { c.width().unwrap_or(1) }).sum()
        };
        let (from, to) = (from.saturating_sub(self.skipped), to.saturating_sub(self.skipped));
        let before = usize::from(self.skipped > 0) + width(0..from);
        (" ".repeat(before), "^".repeat(width(from..to.max(from)).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, SourceMap, Span};

    fn show(text: &str, start: usize, end: usize, frame: Frame) -> String {
        let mut map = SourceMap::new();
        let file = map.add("a", None, text);
        assert_eq!(file, FileId(0));
        let mut out = String::new();
        excerpt(&Spot::of(&map, Span::new(file, start, end)).unwrap(), "here", frame, &mut out);
        out
    }

    const FRAME: Frame = Frame { around: 1, width: 20, most: 3 };

    #[test]
    fn carets_stand_under_the_place_after_wide_characters_and_tabs() {
        assert_eq!(
            show("one\n\té x\nthree\n", 8, 9, FRAME),
            "  1 | one\n> 2 |     é x\n    |       ^ here\n  3 | three\n"
        );
        assert_eq!(show("😀 x", 5, 6, FRAME), "> 1 | 😀 x\n    |    ^ here\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}x{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(show(&text, 100, 101, FRAME), "> 1 | …aaaaaaaaaaxbbbbbbbbb…\n    |            ^ here\n");
        assert_eq!(show(&text, 200, 201, FRAME), "> 1 | …bbbbbbbbbbbbbbbbbbbb\n    |                     ^ here\n");
    }

    #[test]
    fn of_a_long_place_the_first_and_the_last_line_are_shown() {
        let text = "1\n2\n3\n4\n5\n6\n7\n";
        let shown = show(text, 2, 11, FRAME);
        assert_eq!(shown, "  1 | 1\n> 2 | 2\n    | ^\n    | …\n> 6 | 6\n    | ^ here\n  7 | 7\n");
    }

    #[test]
    fn an_empty_file_has_one_line() {
        assert_eq!(show("", 0, 0, FRAME), "> 1 | \n    | ^ here\n");
    }
}
