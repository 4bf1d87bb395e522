//! The words and signs of a file as the formatter sees them: no blanks, every comment tied to the token before which (or
//! behind which, on the same line) it stands.
//!
//! A comment around a comma moves behind it: a comma that a comment parts from its element would otherwise begin a line.
//! The order of comments never changes.

use crate::source::Source;
use crate::syntax::token::Kind;
use std::collections::VecDeque;

/// A comment on a line of its own.
#[derive(Debug, Clone)]
pub(super) struct Lead<'a> {
    pub text: &'a str,
    /// A blank line stands before it.
    pub blank: bool,
}

/// A word or sign.
#[derive(Debug, Clone)]
pub(super) struct Tok<'a> {
    /// As the automaton reads it.
    pub kind: Kind,
    pub text: &'a str,
    /// Comments before it, in order.
    pub leads: VecDeque<Lead<'a>>,
    /// A blank line stands right before it.
    pub blank: bool,
    /// Its line does not begin with the token before it, comments left aside.
    pub new_line: bool,
    /// The comment behind it on its line.
    pub trail: Option<&'a str>,
    /// No blank stands between the token before it and it, when both stand on one line.
    pub glued: bool,
    /// A sign before a single operand, or before the points of an item.
    pub unary: bool,
    /// Spaces before it beyond those that it needs, so that it stands below others.
    pub pad: usize,
}

/// The tokens of a file, and one without text at the end, which holds the last comments.
pub(super) fn tokens(source: &Source) -> Vec<Tok<'_>> {
    let mut out: Vec<Tok<'_>> = Vec::new();
    let mut leads = VecDeque::new();
    // Line breaks since the last token or comment, and whether there was one since the last token.
    let (mut breaks, mut new_line) = (0_usize, false);
    for token in crate::syntax::tokens(source) {
        let text = source.text().get(token.start as usize..token.end as usize).unwrap_or("");
        match token.kind {
            Kind::Blank => {
                breaks += text.matches('\n').count();
                new_line |= breaks > 0;
            }
            Kind::Comment | Kind::Doc => {
                let text = text.trim_end();
                match out.last_mut() {
                    // A doc comment speaks of what follows, wherever it stands.
                    Some(last) if !new_line && token.kind == Kind::Comment && leads.is_empty() => {
                        last.trail = Some(text);
                    }
                    _ => leads.push_back(Lead { text, blank: breaks > 1 }),
                }
                (breaks, new_line) = (0, true);
            }
            kind => {
                out.push(tok(kind, text, std::mem::take(&mut leads), breaks > 1, new_line));
                (breaks, new_line) = (0, false);
            }
        }
    }
    out.push(tok(Kind::Bad, "", leads, breaks > 1, true));
    settle_commas(&mut out);
    glue(&mut out);
    out
}

fn tok<'a>(kind: Kind, text: &'a str, leads: VecDeque<Lead<'a>>, blank: bool, new_line: bool) -> Tok<'a> {
    Tok { kind, text, leads, blank, new_line, trail: None, glued: false, unary: false, pad: 0 }
}

/// Moves comments between an element and its comma behind the comma.
fn settle_commas(tokens: &mut [Tok<'_>]) {
    for at in 1..tokens.len().saturating_sub(1) {
        let (before, rest) = tokens.split_at_mut(at);
        let (Some(element), [comma, next, ..]) = (before.last_mut(), rest) else { continue };
        if comma.kind != Kind::Comma || comma.leads.is_empty() && element.trail.is_none() {
            continue;
        }
        let own = std::mem::replace(&mut comma.trail, element.trail.take());
        if let Some(text) = own {
            comma.leads.push_back(Lead { text, blank: false });
        }
        while let Some(lead) = comma.leads.pop_back() {
            next.leads.push_front(lead);
        }
        next.new_line |= comma.new_line || !next.leads.is_empty();
        comma.new_line = false;
    }
}

/// Whether something complete ends with a token, so that a sign behind it joins two operands.
fn ends_operand(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Word | Number | Text | True | False | Unknown | RParen | RSquare | RBrace | Question)
}

/// Settles which tokens stand close to the one before them.
fn glue(tokens: &mut [Tok<'_>]) {
    for at in 1..tokens.len() {
        let (before, rest) = tokens.split_at_mut(at);
        let (Some(before), Some(tok)) = (before.last(), rest.first_mut()) else { continue };
        tok.unary = matches!(tok.kind, Kind::Minus | Kind::Plus) && !ends_operand(before.kind);
        tok.glued = before.unary || is_glued(before.kind, tok.kind);
    }
}

pub(super) fn is_glued(before: Kind, kind: Kind) -> bool {
    use Kind::*;
    match kind {
        RParen | RSquare | Comma | Colon | Question | Dot | DotDot => true,
        RBrace => before == LBrace,
        LParen | LSquare if before == Word => true,
        _ => matches!(before, LParen | LSquare | Dot | DotDot),
    }
}
