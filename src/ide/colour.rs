//! Tokens by meaning, for editors that colour a file by what its words are rather than by how they look.

use super::Snapshot;
use super::names::{self, Kind as NameKind};
use super::place::is_word;
use crate::catalog::Op;
use crate::catalog::functions::FUNCTIONS;
use crate::catalog::procedures::procedure;
use crate::catalog::readouts::readout;
use crate::catalog::spaces::{FIELD_KINDS, TYPES};
use crate::source::Span;
use crate::syntax::token::Kind;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Keyword,
    Comment,
    Text,
    Number,
    Operator,
    Type,
    Function,
    /// The name of an argument.
    Argument,
    Name(NameKind),
}

/// The tokens of the file that have a meaning of their own, by place, none overlapping another; and whether each declares
/// its name.
#[must_use]
pub fn colours(snapshot: &Snapshot) -> Vec<(Span, Colour, bool)> {
    let Some(source) = snapshot.source() else { return Vec::new() };
    let all = names::occurrences(snapshot);
    let mut named = all.iter().filter(|o| o.span.file == source.id).peekable();
    let tokens = crate::syntax::tokens(source);
    let significant: Vec<_> = tokens.iter().filter(|t| t.kind != Kind::Blank).collect();
    let mut found = Vec::new();
    for (at, token) in significant.iter().enumerate() {
        let span = Span { file: source.id, start: token.start, end: token.end };
        while named.peek().is_some_and(|o| o.span.start < span.start) {
            named.next();
        }
        let colour = match token.kind {
            Kind::Comment | Kind::Doc => Colour::Comment,
            Kind::Text | Kind::RawText | Kind::BlockText | Kind::OddText | Kind::OpenText | Kind::OpenBlock => {
                // The names in `{{…}}` stand between parts of the text.
                let mut start = span.start;
                while let Some(inside) = named.next_if(|o| o.span.end <= span.end) {
                    found.push((Span { start, end: inside.span.start, ..span }, Colour::Text, false));
                    found.push((inside.span, Colour::Name(inside.kind), false));
                    start = inside.span.end;
                }
                found.push((Span { start, ..span }, Colour::Text, false));
                continue;
            }
            Kind::Number | Kind::OddNumber => Colour::Number,
            kind if is_word(kind) => match named.next_if(|o| o.span == span) {
                Some(name) => {
                    found.push((span, Colour::Name(name.kind), name.declares()));
                    continue;
                }
                None if kind != Kind::Word => Colour::Keyword,
                None => {
                    let next = significant.get(at + 1).map(|t| t.kind);
                    match word(source.slice(span), next) {
                        Some(colour) => colour,
                        None => continue,
                    }
                }
            },
            Kind::Equal | Kind::NotEqual | Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => {
                Colour::Operator
            }
            Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash | Kind::FatArrow | Kind::Assign => Colour::Operator,
            _ => continue,
        };
        found.push((span, colour, false));
    }
    found.retain(|(span, ..)| span.end > span.start);
    found
}

/// A word that is no name.
fn word(word: &str, next: Option<Kind>) -> Option<Colour> {
    if next == Some(Kind::Colon) {
        return Some(Colour::Argument);
    }
    if TYPES.iter().chain(FIELD_KINDS).any(|t| t.word == word) {
        return Some(Colour::Type);
    }
    let called = Op::called(word).is_some() || readout(word).is_some() || procedure(word).is_some();
    (called || FUNCTIONS.iter().any(|f| f.name == word)).then_some(Colour::Function)
}
