//! Applying fixes to a text: which edits can stand side by side, and what a place looks like after them.

use super::{Diagnostic, Edit, Fix};
use crate::source::{Source, Span};
use std::collections::BTreeMap;

/// A text after some fixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    pub text: String,
    /// How many fixes were applied; others overlap these and have to wait for the next pass.
    pub applied: usize,
}

/// Applies the safe fixes of a file, in the order of their diagnostics, leaving out those that touch one already chosen or
/// reach into another file. `None` where there is none.
#[must_use]
pub fn apply_safe(source: &Source, diagnostics: &[Diagnostic]) -> Option<Mended> {
    let mut chosen: BTreeMap<(u32, u32), &str> = BTreeMap::new();
    let mut applied = 0;
    for fix in diagnostics.iter().filter_map(|d| d.fix.as_ref()).filter(|fix| fix.safe) {
        if is_whole(source, fix) && fix.edits.iter().all(|edit| is_free(&chosen, edit.span)) {
            chosen.extend(fix.edits.iter().map(|edit| ((edit.span.start, edit.span.end), edit.text.as_str())));
            applied += 1;
        }
    }
    let text = rewrite(source.text(), 0..source.text().len(), &chosen)?;
    (applied > 0 && text != source.text()).then_some(Mended { text, applied })
}

/// The lines (from 1) that a fix touches, and their text after it, if all of it lies in this file and it touches no more
/// than `most` bytes.
#[must_use]
pub fn preview(source: &Source, fix: &Fix, most: usize) -> Option<(std::ops::RangeInclusive<usize>, String)> {
    if !is_whole(source, fix) {
        return None;
    }
    let start = fix.edits.iter().map(|e| e.span.start).min()?;
    let end = fix.edits.iter().map(|e| e.span.end).max()?;
    let text = source.text();
    let from = text.get(..start as usize)?.rfind('\n').map_or(0, |at| at + 1);
    let to = text.get(end as usize..)?.find('\n').map_or(text.len(), |at| end as usize + at);
    if to - from > most {
        return None;
    }
    let edits = fix.edits.iter().map(|edit| ((edit.span.start, edit.span.end), edit.text.as_str())).collect();
    let lines = source.position(start).line..=source.position(end).line;
    Some((lines, rewrite(text, from..to, &edits)?))
}

/// Whether every edit of a fix lies in this file, between characters, and none touches another.
fn is_whole(source: &Source, fix: &Fix) -> bool {
    let mut spans: Vec<Span> = fix.edits.iter().map(|edit| edit.span).collect();
    spans.sort_by_key(|s| (s.start, s.end));
    let lies = |edit: &Edit| edit.span.file == source.id && source.text().get(edit.span.range()).is_some();
    let apart = spans.windows(2).all(|pair| matches!(pair, [a, b] if a.end <= b.start && a != b));
    !fix.edits.is_empty() && fix.edits.iter().all(lies) && apart
}

/// Whether a span keeps clear of all that are chosen. Two that only touch could mean different things in either order.
fn is_free(chosen: &BTreeMap<(u32, u32), &str>, span: Span) -> bool {
    let before = chosen.range(..=(span.end, u32::MAX)).next_back();
    before.is_none_or(|((_, end), _)| *end < span.start)
}

fn rewrite(text: &str, range: std::ops::Range<usize>, edits: &BTreeMap<(u32, u32), &str>) -> Option<String> {
    let mut out = String::with_capacity(range.len());
    let mut at = range.start;
    for ((start, end), new) in edits {
        out.push_str(text.get(at..*start as usize)?);
        out.push_str(new);
        at = *end as usize;
    }
    out.push_str(text.get(at..range.end)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;
    use crate::source::FileId;

    const FILE: FileId = FileId(0);

    fn source(text: &str) -> Source {
        Source::new(FILE, "a", None, text)
    }

    fn fixes(list: &[&[(usize, usize, &str)]]) -> Vec<Diagnostic> {
        let edit = |(start, end, text): &(usize, usize, &str)| Edit::new(Span::new(FILE, *start, *end), *text);
        let one = |edits: &&[(usize, usize, &str)]| {
            Diagnostic::error(Code(101), Span::new(FILE, 0, 0), "h", "l").fix("mend", edits.iter().map(edit).collect())
        };
        list.iter().map(one).collect()
    }

    fn mended(text: &str, list: &[&[(usize, usize, &str)]]) -> Option<(String, usize)> {
        apply_safe(&source(text), &fixes(list)).map(|m| (m.text, m.applied))
    }

    #[test]
    fn fixes_apart_are_applied_together_whatever_their_order() {
        let done = mended("a = b; c", &[&[(5, 6, "")], &[(2, 3, "==")]]);
        assert_eq!(done, Some(("a == b c".to_owned(), 2)));
    }

    #[test]
    fn of_fixes_that_touch_the_first_is_applied() {
        assert_eq!(mended("abcdef", &[&[(1, 3, "X")], &[(2, 4, "Y")]]), Some(("aXdef".to_owned(), 1)));
        assert_eq!(mended("abcdef", &[&[(3, 3, "X")], &[(3, 3, "Y")]]), Some(("abcXdef".to_owned(), 1)));
        assert_eq!(mended("abcdef", &[&[(0, 6, "X")], &[(2, 3, "Y")]]), Some(("X".to_owned(), 1)));
        assert_eq!(mended("abcdef", &[&[(2, 3, "Y")], &[(0, 6, "X")]]), Some(("abYdef".to_owned(), 1)));
    }

    #[test]
    fn a_fix_is_applied_whole_or_not_at_all() {
        assert_eq!(mended("abcdef", &[&[(0, 1, "X")], &[(0, 1, "Y"), (4, 5, "Z")]]), Some(("Xbcdef".to_owned(), 1)));
        assert_eq!(mended("ab", &[&[(0, 1, "X"), (0, 2, "Y")]]), None);
    }

    #[test]
    fn wild_edits_do_nothing() {
        assert_eq!(mended("é", &[&[(1, 2, "X")]]), None);
        assert_eq!(mended("a", &[&[(0, 9, "X")]]), None);
        assert_eq!(mended("ab", &[&[(2, 1, "X")]]), None);
        let mut elsewhere = fixes(&[&[(0, 1, "X")]]);
        elsewhere[0].fix.as_mut().unwrap().edits[0].span.file = FileId(1);
        assert_eq!(apply_safe(&source("a"), &elsewhere), None);
    }

    #[test]
    fn suggestions_are_never_applied() {
        let unsafe_one = Diagnostic::error(Code(101), Span::new(FILE, 0, 1), "h", "l")
            .suggestion("perhaps", vec![Edit::new(Span::new(FILE, 0, 1), "X")]);
        assert_eq!(apply_safe(&source("a"), &[unsafe_one]), None);
    }

    #[test]
    fn a_preview_shows_the_lines_after_the_fix() {
        let fix = fixes(&[&[(6, 7, "=="), (8, 9, "3")]]).remove(0).fix.unwrap();
        let shown = preview(&source("one\na = b\nthree"), &fix, 100);
        assert_eq!(shown, Some((2..=2, "a == 3".to_owned())));
        assert_eq!(preview(&source("one\na = b\nthree"), &fix, 3), None);
    }
}
