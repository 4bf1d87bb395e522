//! One JSON object a line and diagnostic; `grammar/diagnostics.schema.json` describes it. Lines and columns count from 1,
//! columns in characters; `offset` is the number of bytes from the start of the text (a byte order mark not counted).

use super::{Batch, Spot, word};
use crate::diagnostics::{Diagnostic, Label};
use crate::source::{Position, SourceMap, Span};
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    code: String,
    title: &'static str,
    severity: &'static str,
    headline: &'a str,
    place: Option<Place<'a>>,
    related: Vec<Place<'a>>,
    help: Option<&'a str>,
    notes: &'a [String],
    expected: &'a [String],
    pointer: Option<&'a str>,
    fix: Option<FixLine<'a>>,
    page: String,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    start: At,
    end: At,
    text: &'a str,
}

#[derive(Serialize)]
struct At {
    line: usize,
    column: usize,
    offset: usize,
}

#[derive(Serialize)]
struct FixLine<'a> {
    title: &'a str,
    safe: bool,
    edits: Vec<Place<'a>>,
}

pub(super) fn render(batches: &[Batch<'_>]) -> String {
    let mut out = String::new();
    for batch in batches {
        for diagnostic in batch.diagnostics {
            let Ok(line) = serde_json::to_string(&object(batch.map, diagnostic)) else { continue };
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

fn object<'a>(map: &'a SourceMap, d: &'a Diagnostic) -> Line<'a> {
    let label = |l: &'a Label| place(map, l.span, &l.text);
    Line {
        code: d.code.to_string(),
        title: d.code.title(),
        severity: word(d.severity),
        headline: &d.headline,
        place: d.labels.first().and_then(label),
        related: d.labels.iter().skip(1).filter_map(label).collect(),
        help: d.help.as_deref(),
        notes: &d.notes,
        expected: &d.expected,
        pointer: d.pointer.as_deref(),
        fix: d.fix.as_ref().map(|fix| FixLine {
            title: &fix.title,
            safe: fix.safe,
            edits: fix.edits.iter().filter_map(|e| place(map, e.span, &e.text)).collect(),
        }),
        page: format!("docs/codes/{}.md", d.code),
    }
}

fn place<'a>(map: &'a SourceMap, span: Span, text: &'a str) -> Option<Place<'a>> {
    let spot = Spot::of(map, span)?;
    let at = |p: Position, offset: usize| At { line: p.line, column: p.column, offset };
    let (start, end) = (at(spot.start, spot.range.start), at(spot.end, spot.range.end));
    Some(Place { file: &spot.source.name, start, end, text })
}
