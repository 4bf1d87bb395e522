//! Runs the automaton over a text and puts its pieces together: header, doc comments, poisoned declarations.

use super::ast::*;
use super::cx::{Cx, Piece};
use super::mend::Mended;
use super::token::{Kind, Token, lex};
use super::{cascade, grammar, mend, prose, split};
use crate::diagnostics::{Code, Diagnostic, Edit, Sink};
use crate::source::{Source, Span};
use std::ops::Range;

/// The tokens that the automaton reads, and what else is needed to put together what it makes of them.
pub(super) struct Tokens {
    /// Without trivia, mended.
    kept: Vec<Token>,
    /// Runs of `///` comments that stand together.
    docs: Vec<(u32, u32)>,
    /// Where declarations and statements begin, in order.
    units: Vec<u32>,
    /// Where the automaton met something that it could not read.
    faults: Vec<u32>,
}

/// The whole text.
pub(super) fn whole(source: &Source) -> Span {
    Span::new(source.id, 0, source.text().len())
}

/// Parses a text; `start` marks what it is, where it is not a file.
pub(super) fn pieces(source: &Source, start: Option<Kind>, sink: &mut Sink) -> (Piece, Tokens) {
    let mut around = Vec::new();
    let range = if start.is_none() { prose::program(source, &mut around) } else { 0..source.text().len() };
    let parts = if start.is_none() { split::read(source, &range) } else { None };
    if let Some((pieces, tokens)) = parts {
        around.into_iter().for_each(|found| sink.push(found));
        return (Piece::All(pieces), tokens);
    }
    let mut cx = Cx::new(source.text(), source.id);
    cx.found = around;
    let mut tokens = Tokens::of(source, range, start.is_some(), &mut cx.found);
    let mut piece = tokens.parse(&mut cx, start);
    tokens.faults = cascade::settle(source, &mut cx.found, &cx.refused, &tokens.units);
    tokens.finish(source, &mut piece);
    for diagnostic in cx.found {
        sink.push(diagnostic);
    }
    (piece, tokens)
}

/// The runs of doc comments: those with nothing but single line breaks between them.
fn docs(tokens: &[Token]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for token in tokens {
        match token.kind {
            Kind::Doc => {
                match runs.last_mut().filter(|_| open) {
                    Some(run) => run.1 = token.end,
                    None => runs.push((token.start, token.end)),
                }
                open = true;
            }
            Kind::Blank => {}
            _ => open = false,
        }
    }
    runs
}

impl Tokens {
    /// Those of a range of a text; `part` where it is an expression or a type instead of declarations.
    pub fn of(source: &Source, range: Range<usize>, part: bool, found: &mut Vec<Diagnostic>) -> Tokens {
        let offset = u32::try_from(range.start).unwrap_or(u32::MAX);
        let mut tokens = lex(source.text().get(range).unwrap_or(""));
        if offset > 0 {
            tokens.iter_mut().for_each(|t| (t.start, t.end) = (t.start + offset, t.end + offset));
        }
        let docs = docs(&tokens);
        tokens.retain(|t| !t.kind.is_trivia());
        let Mended { tokens: kept, units } = mend::mend(source.text(), source.id, tokens, part, found);
        Tokens { kept, docs, units, faults: Vec::new() }
    }

    /// What the automaton makes of them; what it cannot read is in `cx`.
    pub fn parse(&self, cx: &mut Cx<'_>, start: Option<Kind>) -> Piece {
        let marker = start.map(|kind| Ok((0, kind, 0)));
        let stream = marker.into_iter().chain(self.kept.iter().map(|t| Ok((t.start, t.kind, t.end))));
        match grammar::StartParser::new().parse(cx, stream) {
            Ok(piece) => piece,
            Err(error) => {
                cx.refused.push(error);
                Piece::Junk
            }
        }
    }

    /// Whether a doc comment stands behind the last token, or there is none.
    pub fn end_in_doc(&self) -> bool {
        let last = self.kept.last().map_or(0, |t| t.end);
        self.kept.is_empty() || self.docs.last().is_some_and(|(start, _)| *start >= last)
    }

    /// Gives the declarations their doc comments and marks those that a fault touches.
    pub fn finish(&self, source: &Source, piece: &mut Piece) {
        let Piece::All(pieces) = piece else { return };
        for piece in pieces {
            if let Piece::Item(item) = piece {
                self.finish_item(source, item);
            }
        }
    }

    /// The doc comment that ends right before what begins at `start`.
    fn doc(&self, source: &Source, start: u32) -> Option<Doc> {
        let before = self.docs.partition_point(|(_, end)| *end <= start);
        let (from, to) = *self.docs.get(before.checked_sub(1)?)?;
        // Nothing else stands between.
        let next = self.kept.partition_point(|t| t.start < to);
        if self.kept.get(next)?.start != start {
            return None;
        }
        let span = Span { file: source.id, start: from, end: to };
        let lines = source.slice(span).lines().filter_map(|l| l.trim().strip_prefix("///"));
        let text = lines.map(|l| l.strip_prefix(' ').unwrap_or(l).trim_end()).collect::<Vec<_>>().join("\n");
        Some(Doc { text: text.into(), span })
    }

    fn finish_item(&self, source: &Source, item: &mut Item) {
        item.doc = self.doc(source, item.span.start);
        let fault = self.faults.partition_point(|f| *f < item.span.start);
        item.poisoned |= self.faults.get(fault).is_some_and(|f| *f <= item.span.end);
        if let ItemKind::Checklist(list) = &mut item.kind {
            self.entries(source, &mut list.entries);
        }
    }

    /// As deep as brackets nest, which is bounded.
    fn entries(&self, source: &Source, entries: &mut [Entry]) {
        for entry in entries {
            entry.doc = self.doc(source, entry.span.start);
            if let EntryKind::Group { entries, .. } = &mut entry.kind {
                self.entries(source, entries);
            }
        }
    }
}

/// The declarations of a text, without a header.
pub(super) fn items(piece: Piece, sink: &mut Sink) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for piece in all(piece) {
        match piece {
            Piece::Item(item) => items.push(*item),
            Piece::Junk => {
                if let Some(last) = items.last_mut() {
                    last.poisoned = true;
                }
            }
            Piece::Header(_, _, span) => {
                sink.push(
                    Diagnostic::error(Code::HEADER, span, "a file has one header, at its beginning", "another header")
                        .help("leave it out")
                        .fix("leave it out", vec![Edit::new(span, "")]),
                );
            }
            _ => {}
        }
    }
    items
}

fn all(piece: Piece) -> Vec<Piece> {
    match piece {
        Piece::All(pieces) => pieces,
        _ => Vec::new(),
    }
}

/// A file: its header and its declarations.
pub(super) fn assemble(source: &Source, piece: Piece, tokens: &Tokens, sink: &mut Sink) -> File {
    let mut header = None;
    let mut rest = Vec::new();
    let mut late = false;
    for piece in all(piece) {
        match piece {
            Piece::Header(kind, name, span) if header.is_none() => {
                late = !rest.is_empty();
                header = Some((kind, name, span));
            }
            piece => rest.push(piece),
        }
    }
    match &header {
        None => missing_header(source, tokens, sink),
        Some((_, _, span)) if late => late_header(source, *span, tokens, sink),
        Some(_) => {}
    }
    let doc = header.as_ref().and_then(|(_, _, span)| tokens.doc(source, span.start));
    let items = items(Piece::All(rest), sink);
    let (kind, name) = header.map_or((FileKind::Rubric, None), |(kind, name, _)| (kind, Some(name)));
    File { kind, name, doc, items, span: whole(source) }
}

fn missing_header(source: &Source, tokens: &Tokens, sink: &mut Sink) {
    let at = tokens.kept.first().map_or(0, |t| t.start);
    // A header that could not be read has been reported.
    let unread = tokens.kept.first().is_some_and(|t| matches!(t.kind, Kind::KwRubric | Kind::KwLibrary));
    if unread {
        return;
    }
    let span = Span { file: source.id, start: at, end: at };
    let stem = source.name.rsplit(['/', '\\']).next().and_then(|n| n.split('.').next()).unwrap_or("");
    let stem = stem.replace(['-', ' '], "_");
    let name = if super::print::is_word(&stem) { stem } else { "my_rubric".to_owned() };
    sink.push(
        Diagnostic::error(Code::HEADER, span, "the file does not say what it is", "the header is missing here")
            .help(format!(
                "begin the file with `rubric {name}` (a program) or `library {name}` (parts for other files)"
            ))
            .fix(format!("begin with `rubric {name}`"), vec![Edit::new(span, format!("rubric {name}\n\n"))]),
    );
}

fn late_header(source: &Source, span: Span, tokens: &Tokens, sink: &mut Sink) {
    let at = tokens.kept.first().map_or(0, |t| t.start);
    let start = Span { file: source.id, start: at, end: at };
    let text = source.slice(span).to_owned();
    sink.push(
        Diagnostic::error(
            Code::HEADER,
            span,
            format!("`{text}` must be the first declaration"),
            "not at the beginning",
        )
        .also(start, "the file begins here")
        .help("move it to the beginning of the file")
        .fix("move it to the beginning", vec![Edit::new(start, format!("{text}\n\n")), Edit::new(span, "")]),
    );
}
