//! Source drawn with labels, for people: by ariadne, unless a line is too long to be drawn.
//!
//! Only so many diagnostics are drawn; the rest follow one to a line, so that nothing is kept back.

use super::clean::{clean, one_line};
use super::concise::{self, shown_pointer};
use super::excerpt::{Frame, excerpt};
use super::{Batch, Look, Spot, fixes, one_of, word};
use crate::diagnostics::{Diagnostic, Label};
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
    let spots: Vec<(Spot<'_>, &Label)> =
        d.labels.iter().filter_map(|l| Some((Spot::of(map, l.span)?, l))).collect();
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

type Place = (FileId, Range<usize>);

fn ariadne(d: &Diagnostic, spots: &[(Spot<'_>, &Label)], cache: &mut Cache<'_>, look: Look) -> Option<String> {
    let colour = if d.is_error() { Color::Red } else { Color::Yellow };
    let (first, _) = spots.first()?;
    let config = Config::default().with_index_type(IndexType::Byte).with_color(look.colours).with_tab_width(4);
    let mut report: ariadne::ReportBuilder<'_, Place> =
        Report::build(ReportKind::Custom(word(d.severity), colour), (first.source.id, first.range.clone()))
            .with_config(config)
            .with_code(d.code)
            .with_message(clean(&d.headline));
    for (order, (spot, label)) in spots.iter().enumerate() {
        let color = if order == 0 { colour } else { Color::Blue };
        let message = wrap(&label.text, look.width * 2 / 3);
        let span = (spot.source.id, low(spot));
        let order = i32::try_from(order).unwrap_or(i32::MAX);
        report = report.with_label(ariadne::Label::new(span).with_message(message).with_color(color).with_order(order));
    }
    for (kind, text) in remarks(d, cache.map) {
        let text = wrap(&text, look.width.saturating_sub(12));
        match kind {
            Remark::Help => report.add_help(text),
            Remark::Note => report.add_note(text),
        }
    }
    let mut bytes = Vec::new();
    report.finish().write(cache, &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// The place in at most [`TALLEST`] lines.
fn low(spot: &Spot<'_>) -> Range<usize> {
    if spot.end.line - spot.start.line < TALLEST {
        return spot.range.clone();
    }
    let text = spot.source.text().get(spot.range.clone()).unwrap_or("");
    let first = text.find(['\n', '\r']).unwrap_or(text.len());
    spot.range.start..spot.range.start + first
}

fn plain(d: &Diagnostic, spots: &[(Spot<'_>, &Label)], map: &SourceMap, look: Look, out: &mut String) {
    let frame = Frame { around: 0, width: look.width.saturating_sub(20).max(40), most: TALLEST };
    let _ = writeln!(out, "[{}] {}: {}", d.code, word(d.severity), clean(&d.headline));
    for (spot, label) in spots {
        let name = one_line(&spot.source.name, 200);
        let _ = writeln!(out, "  {name}:{}:{}", spot.start.line, spot.start.column);
        excerpt(spot, &clean(&label.text), frame, out);
    }
    for (kind, text) in remarks(d, map) {
        let kind = if kind == Remark::Help { "help" } else { "note" };
        let _ = writeln!(out, "  {kind}: {}", wrap(&text, look.width.saturating_sub(8)).replace('\n', "\n        "));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remark {
    Help,
    Note,
}

/// What is said below the drawing, in order.
fn remarks(d: &Diagnostic, map: &SourceMap) -> Vec<(Remark, String)> {
    let mut all = Vec::new();
    all.extend(d.pointer.as_deref().map(|p| (Remark::Note, format!("at {}", shown_pointer(p)))));
    if !d.expected.is_empty() {
        all.push((Remark::Note, format!("here could stand {}", one_of(&d.expected))));
    }
    all.extend(d.help.iter().map(|help| (Remark::Help, help.clone())));
    if let Some(fix) = &d.fix {
        let source = fix.edits.first().and_then(|edit| map.get(edit.span.file));
        let shown = source.and_then(|s| fixes::preview(s, fix, FIXED_BYTES)).map(|(_, text)| text);
        let certain = if fix.safe { "fix" } else { "perhaps" };
        let lines = shown.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty() && t.lines().count() <= 3);
        let lines = lines.map(|t| format!("\n{t}")).unwrap_or_default();
        all.push((Remark::Help, format!("{certain}: {}{lines}", fix.title)));
    }
    all.extend(d.notes.iter().map(|note| (Remark::Note, note.clone())));
    all
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

impl fmt::Debug for Cache<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("files", &self.texts.len()).finish()
    }
}

impl ariadne::Cache<FileId> for &mut Cache<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &FileId) -> Result<&ariadne::Source<String>, impl fmt::Debug> {
        let text = self.map.get(*id).map(Source::text);
        Ok::<_, &str>(self.texts.entry(*id).or_insert_with(|| clean(text.unwrap_or("")).into_owned().into()))
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl fmt::Display + 'b> {
        self.map.get(*id).map(|s| one_line(&s.name, 200))
    }
}
