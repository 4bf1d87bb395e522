//! Source drawn with labels, for people: by ariadne, unless a line is too long to be drawn.
//!
//! Only so many diagnostics are drawn; the rest follow one to a line, so that nothing is kept back.

use super::clean::{clean, one_line};
use super::concise::{self, shown_pointer};
use super::excerpt::{Frame, excerpt};
use super::{Batch, Look, Spot, one_of, word};
use crate::diagnostics::{Diagnostic, Label, fixes};
use crate::source::{FileId, Source, SourceMap};
use ariadne::{Color, Config, IndexType, Report, ReportKind};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::ops::Range;

/// Diagnostics drawn in full.
const MOST_DRAWN: usize = 100;
/// Characters of a line beyond which it is not drawn but cut to a window.
const LONGEST_LINE: usize = 240;
/// Lines of one place beyond which only its first is marked.
const TALLEST: usize = 6;
/// Bytes of the lines that a fix replaces, beyond which it is told by its title only.
const FIXED_BYTES: usize = 400;

pub(super) fn render(batches: &[Batch<'_>], look: Look) -> String {
    let mut out = String::new();
    let mut drawn = 0;
    for batch in batches {
        let mut cache = Cache { map: batch.map, texts: HashMap::new() };
        for diagnostic in batch.diagnostics {
            if drawn < MOST_DRAWN {
                draw(diagnostic, &mut cache, look, &mut out);
            } else {
                concise::line(batch.map, diagnostic, &mut out);
            }
            drawn += 1;
        }
    }
    out
}

fn draw(d: &Diagnostic, cache: &mut Cache<'_>, look: Look, out: &mut String) {
    let map = cache.map;
    let spots: Vec<(Spot<'_>, &Label)> = d.labels.iter().filter_map(|l| Some((Spot::of(map, l.span)?, l))).collect();
    let drawable = |(spot, _): &(Spot<'_>, &Label)| {
        [spot.start.line, spot.end.line].iter().all(|line| spot.source.line(*line).len() <= LONGEST_LINE)
    };
    let drawing = if !spots.is_empty() && spots.iter().all(drawable) { ariadne(d, &spots, cache, look) } else { None };
    match drawing {
        Some(drawing) => out.push_str(&drawing),
        None => plain(d, &spots, map, look, out),
    }
    out.push('\n');
}

fn ariadne(d: &Diagnostic, spots: &[(Spot<'_>, &Label)], cache: &mut Cache<'_>, look: Look) -> Option<String> {
    let colour = if d.is_error() { Color::Red } else { Color::Yellow };
    let kind = if d.is_error() { ReportKind::Error } else { ReportKind::Warning };
    let (first, _) = spots.first()?;
    let main = first.source.id;
    // Ariadne's byte offsets are wrong behind the first file; it is given characters.
    let config = Config::default().with_index_type(IndexType::Char).with_color(look.colours).with_tab_width(4);
    let span = (main, cache.characters(first)?);
    let mut report = Report::build(kind, span).with_config(config).with_code(d.code).with_message(clean(&d.headline));
    // It draws labels by file and line only if they come so.
    let mut order: Vec<(usize, &(Spot<'_>, &Label))> = spots.iter().enumerate().collect();
    order.sort_by_key(|(at, (spot, _))| (spot.source.id != main, spot.source.id, spot.end.line, spot.start, *at));
    for (rank, (at, (spot, label))) in order.into_iter().enumerate() {
        let color = if at == 0 { colour } else { Color::Blue };
        let message = wrap(&label.text, look.width * 2 / 3);
        let rank = i32::try_from(rank).unwrap_or(i32::MAX);
        let span = (spot.source.id, cache.characters(spot)?);
        report = report.with_label(ariadne::Label::new(span).with_message(message).with_color(color).with_order(rank));
    }
    let (help, notes) = remarks(d, cache.map);
    let below = |lines: &[String]| {
        let lines: Vec<String> = lines.iter().map(|l| wrap(l, look.width.saturating_sub(12))).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    if let Some(help) = below(&help) {
        report.add_help(help);
    }
    if let Some(notes) = below(&notes) {
        report.add_note(notes);
    }
    let mut bytes = Vec::new();
    report.finish().write(cache, &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn plain(d: &Diagnostic, spots: &[(Spot<'_>, &Label)], map: &SourceMap, look: Look, out: &mut String) {
    let frame = Frame { around: 0, width: look.width.saturating_sub(20).max(40), most: TALLEST };
    let _ = writeln!(out, "[{}] {}: {}", d.code, word(d.severity), clean(&d.headline));
    for (spot, label) in spots {
        let name = one_line(&spot.source.name, 200);
        let _ = writeln!(out, "  {name}:{}:{}", spot.start.line, spot.start.column);
        excerpt(spot, &clean(&label.text), frame, out);
    }
    let (help, notes) = remarks(d, map);
    let all = help.iter().map(|text| ("help", text)).chain(notes.iter().map(|text| ("note", text)));
    for (kind, text) in all {
        let _ = writeln!(out, "  {kind}: {}", wrap(text, look.width.saturating_sub(8)).replace('\n', "\n        "));
    }
}

/// What is said below the drawing: what to do, and what else there is to know.
fn remarks(d: &Diagnostic, map: &SourceMap) -> (Vec<String>, Vec<String>) {
    let mut help: Vec<String> = d.help.iter().cloned().collect();
    if let Some(fix) = &d.fix {
        let source = fix.edits.first().and_then(|edit| map.get(edit.span.file));
        let shown = source.and_then(|s| fixes::preview(s, fix, FIXED_BYTES)).map(|(_, text)| text);
        let certain = if fix.safe { "fix" } else { "perhaps" };
        let lines = shown.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty() && t.lines().count() <= 3);
        let lines = lines.map(|t| format!("\n{t}")).unwrap_or_default();
        help.push(format!("{certain}: {}{lines}", fix.title));
    }
    let mut notes: Vec<String> = Vec::new();
    notes.extend(d.pointer.as_deref().map(|p| format!("at {}", shown_pointer(p))));
    let expected = one_of(&d.expected);
    // Where the help says so already, once is enough.
    if !d.expected.is_empty() && !d.help.as_ref().is_some_and(|help| help.contains(&expected)) {
        notes.push(format!("here could stand {expected}"));
    }
    notes.extend(d.notes.iter().cloned());
    (help, notes)
}

/// The text in lines of at most `width` columns.
fn wrap(text: &str, width: usize) -> String {
    textwrap::fill(&clean(text), width.max(20))
}

/// The files of a batch as ariadne wants them, made when first drawn.
struct Cache<'a> {
    map: &'a SourceMap,
    texts: HashMap<FileId, ariadne::Source<String>>,
}

impl Cache<'_> {
    fn text(&mut self, id: FileId) -> &ariadne::Source<String> {
        let text = self.map.get(id).map(Source::text);
        self.texts.entry(id).or_insert_with(|| clean(text.unwrap_or("")).into_owned().into())
    }

    /// The place as numbers of characters of its file; of a tall place, its first line.
    fn characters(&mut self, spot: &Spot<'_>) -> Option<Range<usize>> {
        let text = self.text(spot.source.id);
        let at = |line: usize, column: usize| text.line(line.checked_sub(1)?).map(|l| l.offset() + column - 1);
        let start = at(spot.start.line, spot.start.column)?;
        let end = if spot.end.line - spot.start.line < TALLEST {
            at(spot.end.line, spot.end.column)?
        } else {
            at(spot.start.line, spot.source.line(spot.start.line).chars().count() + 1)?
        };
        Some(start..end.max(start))
    }
}

impl fmt::Debug for Cache<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("files", &self.texts.len()).finish()
    }
}

impl ariadne::Cache<FileId> for &mut Cache<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &FileId) -> Result<&ariadne::Source<String>, impl fmt::Debug> {
        Ok::<_, &str>(self.text(*id))
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl fmt::Display + 'b> {
        self.map.get(*id).map(|s| one_line(&s.name, 200))
    }
}
