//! From text to tree. Parsing never fails: it returns a tree and its diagnostics.
//!
//! The way of a text: [`token::lex`] cuts it into tokens, [`mend`] pairs the brackets, finds the keywords by their places
//! and repairs what a few tokens show to be a slip, the LALRPOP automaton of `grammar/rubric.lalrpop` builds the tree and
//! recovers from the rest, and [`parse`] puts header and doc comments in their places and marks the declarations that an
//! error touches. The automaton stays behind these four functions; nothing else knows of it.
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
        Piece::Expression(expr) => expr,
        _ => ast::Expr { kind: ast::ExprKind::Error, span: file::whole(source), depth: 0 },
    }
}

/// Parses a single type (`"score[0..1]?"` inside a JSON program).
pub fn parse_type(source: &Source, sink: &mut Sink) -> ast::TypeExpr {
    match file::pieces(source, Some(Kind::StartType), sink).0 {
        Piece::Type(ty) => ty,
        _ => ast::TypeExpr { kind: ast::TypeKind::Error, optional: false, span: file::whole(source) },
    }
}

/// Parses declarations without a header (`require` and `test` blocks inside a JSON program).
pub fn parse_items(source: &Source, sink: &mut Sink) -> Vec<ast::Item> {
    let (pieces, tokens) = file::pieces(source, None, sink);
    file::items(source, pieces, &tokens, sink)
}

#[cfg(test)]
mod printed;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod tests;
