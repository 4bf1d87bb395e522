//! Runs the automaton over a text and puts its pieces together: header, doc comments, poisoned declarations.

use super::ast::*;
use super::cx::{Cx, Piece};
use super::token::{Kind, Token, lex};
use super::{grammar, mend};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::source::{Source, Span};
use lalrpop_util::ParseError;

/// What the automaton made of a text, and what is needed to put it together.
pub(super) struct Tokens {
    /// Those that the automaton read.
    kept: Vec<Token>,
    /// Runs of `///` comments that stand together.
    docs: Vec<(u32, u32)>,
    /// Where the automaton met something that it could not read.
    faults: Vec<u32>,
}

/// The whole text.
pub(super) fn whole(source: &Source) -> Span {
    Span::new(source.id, 0, source.text().len())
}

/// Parses a text; `start` marks what it is, where it is not a file.
pub(super) fn pieces(source: &Source, start: Option<Kind>, sink: &mut Sink) -> (Piece, Tokens) {
    let tokens = lex(source.text());
    let mut cx = Cx::new(source.text(), source.id);
    let kept = mend::mend(source.text(), source.id, &tokens, &mut cx.found);
    let marker = start.map(|kind| Ok((0, kind, 0)));
    let stream = marker.into_iter().chain(kept.iter().map(|t| Ok((t.start, t.kind, t.end))));
    let piece = match grammar::StartParser::new().parse(&mut cx, stream) {
        Ok(piece) => piece,
        Err(error) => {
            cx.refused.push(error);
            Piece::Junk
        }
    };
    let mut faults = Vec::new();
    for error in std::mem::take(&mut cx.refused) {
        let span = place(&error, source);
        faults.push(span.start);
        cx.found.push(Diagnostic::error(Code::SYNTAX, span, "this does not belong here", "not expected here"));
    }
    faults.sort_unstable();
    for diagnostic in cx.found {
        sink.push(diagnostic);
    }
    let docs = docs(&tokens);
    (piece, Tokens { kept, docs, faults })
}

fn place(error: &ParseError<u32, Kind, ()>, source: &Source) -> Span {
    let (start, end) = match error {
        ParseError::InvalidToken { location } | ParseError::UnrecognizedEof { location, .. } => (*location, *location),
        ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => (token.0, token.2),
        ParseError::User { .. } => (0, 0),
    };
    Span { file: source.id, start, end }
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

    fn finish(&self, source: &Source, item: &mut Item) {
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
pub(super) fn items(source: &Source, piece: Piece, tokens: &Tokens, sink: &mut Sink) -> Vec<Item> {
    let _ = sink;
    let mut items: Vec<Item> = Vec::new();
    for piece in all(piece) {
        match piece {
            Piece::Item(mut item) => {
                tokens.finish(source, &mut item);
                items.push(*item);
            }
            Piece::Junk => {
                if let Some(last) = items.last_mut() {
                    last.poisoned = true;
                }
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
    for piece in all(piece) {
        match piece {
            Piece::Header(kind, name, span) if header.is_none() => header = Some((kind, name, span)),
            piece => rest.push(piece),
        }
    }
    if header.is_none() {
        let at = tokens.kept.first().map_or(0, |t| t.start);
        let span = Span { file: source.id, start: at, end: at };
        sink.push(Diagnostic::error(
            Code::HEADER,
            span,
            "the file does not say what it is",
            "`rubric NAME` belongs here",
        ));
    }
    let doc = header.as_ref().and_then(|(_, _, span)| tokens.doc(source, span.start));
    let items = items(source, Piece::All(rest), tokens, sink);
    let (kind, name) = header.map_or((FileKind::Rubric, None), |(kind, name, _)| (kind, Some(name)));
    File { kind, name, doc, items, span: whole(source) }
}
