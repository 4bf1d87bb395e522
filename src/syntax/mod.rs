//! From text to tree. Parsing never fails: it returns a tree and its diagnostics.
//!
//! The way of a text: [`token::lex`] cuts it into tokens, [`mend`] pairs the brackets, finds the keywords by their places
//! and repairs what a few tokens show to be a slip, the LALRPOP automaton of `grammar/rubric.lalrpop` builds the tree and
//! recovers from the rest, and [`parse`] puts header and doc comments in their places and marks the declarations that an
//! error touches. The automaton stays behind these four functions; nothing else knows of it. [`tokens`] gives what stands
//! before it: every token of a file with its meaning, for whoever prints or colours one. A large text goes this way in parts,
//! on several threads, and in one piece where any part has a fault ([`split`]).
//!
//! *Architecture Invariant:* a tree with errors never lowers.

pub mod ast;
mod brackets;
mod cascade;
mod cx;
mod expect;
mod file;
mod mend;
pub mod print;
mod prose;
mod ranges;
mod slips;
mod split;
mod text;
pub mod token;
mod tolerate;
mod words;

use crate::diagnostics::Sink;
use crate::source::Source;
use cx::Piece;
use token::Kind;

#[allow(clippy::all, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, clippy::expect_used, unused)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/rubric.rs"));
}

/// Parses a whole file; what is wrong goes to `sink`.
pub fn parse(source: &Source, sink: &mut Sink) -> ast::File {
    let (pieces, tokens) = file::pieces(source, None, sink);
    file::assemble(source, pieces, &tokens, sink)
}

/// Parses a single expression (a rule inside a JSON program). Spans are those of `source`.
pub fn parse_expression(source: &Source, sink: &mut Sink) -> ast::Expr {
    match file::pieces(source, Some(Kind::StartExpression), sink).0 {
        Piece::Expression(expr) => *expr,
        _ => ast::Expr { kind: ast::ExprKind::Error, span: file::whole(source), depth: 0 },
    }
}

/// Parses a single type (`"score[0..1]?"` inside a JSON program).
pub fn parse_type(source: &Source, sink: &mut Sink) -> ast::TypeExpr {
    match file::pieces(source, Some(Kind::StartType), sink).0 {
        Piece::Type(ty) => *ty,
        _ => ast::TypeExpr { kind: ast::TypeKind::Error, optional: false, span: file::whole(source) },
    }
}

/// Parses declarations without a header (`require` and `test` blocks inside a JSON program).
pub fn parse_items(source: &Source, sink: &mut Sink) -> Vec<ast::Item> {
    let (pieces, _) = file::pieces(source, None, sink);
    file::items(pieces, sink)
}

/// Every token of a file, blanks and comments included, where a word in the place of a keyword has that keyword's kind and
/// every text is a [`Kind::Text`]. Of a file without syntax errors this is exactly what the automaton reads; elsewhere a
/// token that was mended keeps the kind that it was written with.
#[must_use]
pub fn tokens(source: &Source) -> Vec<token::Token> {
    let mut all = token::lex(source.text());
    let read = all.iter().filter(|t| !t.kind.is_trivia()).copied().collect();
    let mended = mend::mend(source.text(), source.id, read, false, &mut Vec::new()).tokens;
    let mut mended = mended.iter().filter(|t| t.end > t.start).peekable();
    for token in all.iter_mut().filter(|t| !t.kind.is_trivia()) {
        while mended.peek().is_some_and(|m| m.start < token.start) {
            mended.next();
        }
        if let Some(m) = mended.peek().filter(|m| (m.start, m.end) == (token.start, token.end)) {
            token.kind = m.kind;
        }
    }
    all
}

/// What a token of this kind says: the value of a text, and how it was quoted where that matters; otherwise its letters.
#[must_use]
pub fn value_of(kind: Kind, text: &str) -> String {
    if kind != Kind::Text {
        return text.to_owned();
    }
    let read = text::decode(text, crate::source::Span::default(), &mut Vec::new());
    let holes: Vec<(u32, u32)> = read.holes.iter().map(|hole| (hole.start, hole.end)).collect();
    format!("{} {holes:?} {}", read.raw, read.value)
}

#[cfg(test)]
mod printed;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod tests;
