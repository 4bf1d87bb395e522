//! Large texts are read in parts, each on a thread of its own, and the parts joined.
//!
//! A text is cut where a line begins with a word that can begin a declaration. Whether that was the beginning of one is not
//! known beforehand: the line may stand in a text block or in an open bracket. But a part that is read without a single
//! fault, all its brackets closed, ends where a declaration ends, and so its neighbour begins where one begins. The grammar
//! is without conflicts, so the pieces of faultless parts, one behind the other, are the only reading of the whole.
//!
//! Where any part has anything to report, nothing is kept and the text is read again in one go. So no mistake is ever told
//! otherwise than it would be without parts; only a text without mistakes is read faster.

use super::cx::{Cx, Piece};
use super::file::Tokens;
use super::words::{DECLARATIONS, lookup};
use crate::source::Source;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Parts are not smaller than this (bytes): starting a thread takes as long as reading a few thousand.
const SMALLEST: usize = 64 * 1024;

/// More parts than this win nothing.
const MOST: usize = 16;

/// The pieces of a text, its declarations finished; `None` where it is small, has a fault or cannot be cut.
pub(super) fn read(source: &Source, range: &Range<usize>) -> Option<(Vec<Piece>, Tokens)> {
    let most = (range.len() / SMALLEST).min(MOST);
    if most < 2 {
        return None;
    }
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    read_in(source, range, most.min(threads))
}

/// As [`read`], in about `count` parts.
pub(super) fn read_in(source: &Source, range: &Range<usize>, count: usize) -> Option<(Vec<Piece>, Tokens)> {
    let mut ranges = ranges(source.text(), range, count).into_iter();
    let first = ranges.next().filter(|_| ranges.len() > 0)?;
    let faulty = AtomicBool::new(false);
    let read = |range: Range<usize>| {
        let read = spotless(source, range, &faulty);
        faulty.fetch_or(read.is_none(), Ordering::Relaxed);
        read
    };
    let read = &read;
    let parts = thread::scope(|scope| {
        let rest: Vec<_> =
            ranges.map(|range| thread::Builder::new().spawn_scoped(scope, move || read(range))).collect();
        let first = read(first);
        // Where no thread could be started, the text is read in one go.
        let rest = rest.into_iter().map(|thread| thread.ok()?.join().ok().flatten());
        std::iter::once(first).chain(rest).collect::<Option<Vec<_>>>()
    })?;
    let mut pieces = Vec::with_capacity(parts.iter().map(|(pieces, _)| pieces.len()).sum());
    let mut tokens = None;
    for (own, read) in parts {
        // What puts a file together asks for its first token and its header, and both are in the first part.
        if tokens.is_some() && own.iter().any(|piece| matches!(piece, Piece::Header(..))) {
            return None;
        }
        pieces.extend(own);
        tokens.get_or_insert(read);
    }
    Some((pieces, tokens?))
}

/// Cuts a text into at most `count` ranges of about the same length.
fn ranges(text: &str, range: &Range<usize>, count: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(count);
    let mut start = range.start;
    for part in 1..count {
        let aim = range.start + range.len() / count * part;
        let Some(cut) = cut(text, start.max(aim)..range.end, start) else { break };
        ranges.push(start..cut);
        start = cut;
    }
    ranges.push(start..range.end);
    ranges
}

/// The first line of `range` that may begin a declaration, or the first of the comments right above it, but behind `least`.
fn cut(text: &str, range: Range<usize>, least: usize) -> Option<usize> {
    let mut at = range.start;
    let line = loop {
        at += memchr::memchr(b'\n', text.as_bytes().get(at..range.end)?)? + 1;
        let line = text.get(at..range.end)?;
        let word = line.bytes().take_while(u8::is_ascii_lowercase).count();
        let (word, behind) = line.split_at_checked(word)?;
        if behind.starts_with(' ') && lookup(DECLARATIONS, word).is_some() {
            break at;
        }
    };
    let mut at = line;
    loop {
        let above = text.get(least..at)?.strip_suffix('\n')?;
        let start = least + memchr::memrchr(b'\n', above.as_bytes()).map_or(0, |n| n + 1);
        if start <= least || !text.get(start..at)?.trim_start().starts_with("//") {
            return Some(at);
        }
        at = start;
    }
}

/// Reads a part; `None` where anything is wrong with it, or with another one.
fn spotless(source: &Source, range: Range<usize>, faulty: &AtomicBool) -> Option<(Vec<Piece>, Tokens)> {
    let mut cx = Cx::new(source.text(), source.id);
    let tokens = Tokens::of(source, range, false, &mut cx.found);
    // A doc comment at the end belongs to what the next part begins with.
    if !cx.found.is_empty() || tokens.end_in_doc() || faulty.load(Ordering::Relaxed) {
        return None;
    }
    let mut piece = tokens.parse(&mut cx, None);
    if !cx.found.is_empty() || !cx.refused.is_empty() {
        return None;
    }
    tokens.finish(source, &mut piece);
    match piece {
        Piece::All(pieces) => Some((pieces, tokens)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Diagnostic, Sink};
    use crate::source::FileId;
    use crate::syntax::{ast, file, parse, prose, token};
    use std::path::{Path, PathBuf};

    fn source(text: &str) -> Source {
        Source::new(FileId(0), "parts.rubric", None, text)
    }

    /// Tree and diagnostics, where the text can be read in `count` parts.
    fn in_parts(text: &str, count: usize) -> Option<(ast::File, Vec<Diagnostic>)> {
        let source = source(text);
        let (mut sink, mut around) = (Sink::new(), Vec::new());
        let range = prose::program(&source, &mut around);
        let (pieces, tokens) = read_in(&source, &range, count)?;
        around.into_iter().for_each(|found| sink.push(found));
        let tree = file::assemble(&source, Piece::All(pieces), &tokens, &mut sink);
        Some((tree, sink.finish()))
    }

    /// Tree and diagnostics of a text that is too short to be parted.
    fn in_one(text: &str) -> (ast::File, Vec<Diagnostic>) {
        assert!(text.len() < 2 * SMALLEST);
        let mut sink = Sink::new();
        let tree = parse(&source(text), &mut sink);
        (tree, sink.finish())
    }

    /// Whether the text was read in parts, as it is read in one.
    fn same(text: &str, count: usize) -> bool {
        let Some(parts) = in_parts(text, count) else { return false };
        let one = in_one(text);
        assert_eq!(parts.1, one.1, "in {count} parts:\n{text}");
        assert!(parts.0 == one.0, "in {count} parts:\n{text}\n{:#?}\n{:#?}", parts.0, one.0);
        true
    }

    /// Every program below a folder that is short enough.
    fn programs(folder: &str) -> Vec<String> {
        let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder)];
        let mut texts = Vec::new();
        while let Some(folder) = folders.pop() {
            let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
            entries.sort();
            for path in entries {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension() == Some(std::ffi::OsStr::new("rubric"))
                    && Path::metadata(&path).unwrap().len() < 2 * SMALLEST as u64
                    && let Ok(text) = std::fs::read_to_string(&path)
                {
                    texts.push(text);
                }
            }
        }
        texts
    }

    #[test]
    fn examples_are_read_in_parts_as_in_one() {
        let texts = programs("examples");
        for text in &texts {
            assert!(same(text, 2), "{text}");
            for count in 3..9 {
                same(text, count);
            }
        }
        assert!(texts.len() >= 6);
    }

    #[test]
    fn annotated_programs_are_read_in_parts_as_in_one() {
        let texts = programs("tests/ui");
        let parted =
            texts.iter().flat_map(|text| (2..9).map(|count| same(text, count))).filter(|parted| *parted).count();
        assert!(texts.len() > 100 && parted > texts.len(), "{parted} of {}", texts.len());
    }

    /// What is put in the place of a token: what opens, closes, begins and comments.
    const ODD: [&str; 14] = [
        "",
        "\"",
        "\"\"\"",
        "(",
        "}",
        "\n",
        "//",
        "\n///x\n",
        "\ntest \"x\" {",
        "```",
        "if",
        "\nreduce ",
        ":",
        "\nobserve x\n",
    ];

    #[test]
    fn damaged_programs_are_read_in_parts_as_in_one() {
        let (mut dice, mut parted, mut all) = (7_u64, 0, 0);
        let mut roll = |most: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as usize % most
        };
        let mut texts = programs("examples");
        texts.retain(|text| text.len() < 6_000);
        assert!(!texts.is_empty());
        for text in &texts {
            let tokens = token::lex(text);
            for _ in 0..60 {
                let at = tokens[roll(tokens.len())];
                let odd = ODD[roll(ODD.len())];
                let keep = if roll(2) == 0 { at.start } else { at.end };
                let damaged = format!("{}{odd}{}", &text[..keep as usize], &text[at.end as usize..]);
                parted += usize::from(same(&damaged, 2 + roll(6)));
                all += 1;
            }
        }
        // Blanks and comments take some of it without harm.
        assert!(parted > all / 50 && parted < all, "{parted} of {all}");
    }

    #[test]
    fn a_cut_takes_its_comments_along() {
        let text = "rubric r\n\nobserve a\n// about b\n/// b\nobserve b\nobserve c\n";
        let cuts = ranges(text, &(0..text.len()), 2);
        assert_eq!(&text[cuts[0].clone()], "rubric r\n\nobserve a\n");
        assert!(same(text, 2));
        // A doc comment that is not right above what it belongs to.
        assert!(!same("rubric r\n\nobserve a\n/// b\n\nobserve b\n", 2));
    }

    #[test]
    fn a_second_header_is_told_as_before() {
        let text = "rubric r\nobserve a\nobserve b\nlibrary l\nobserve c\n";
        assert!((2..5).all(|count| !same(text, count)));
    }

    #[test]
    fn a_large_text_is_read_in_parts() {
        let mut text = String::from("rubric r\n");
        for n in 0..4_000 {
            text.push_str(&format!(
                "/// About {n}.\ncriterion c{n}: int[1..5] {{\n  ask \"Is {{{{answer}}}} good?\"\n}}\n"
            ));
        }
        let (tree, found) = in_parts(&text, 3).unwrap();
        assert_eq!((tree.items.len(), found.len()), (4_000, 0));
        assert!(tree.items.iter().all(|item| item.doc.is_some()));
        // The same with a fault in the last part.
        text.push_str("criterion c: bool { ask \"x\" ) }\n");
        assert!(in_parts(&text, 3).is_none());
        let mut sink = Sink::new();
        let tree = parse(&source(&text), &mut sink);
        assert_eq!((tree.items.len(), sink.len()), (4_001, 1));
    }
}
