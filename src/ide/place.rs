//! Where in the grammar a cursor stands, told from the tokens before it.
//!
//! Works on any text, however broken: brackets are followed as they were written, and a declaration ends what was left
//! open. It knows no names.

use crate::source::Source;
use crate::syntax::token::{Kind, Token};

/// What encloses a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// No bracket.
    Top,
    Body,
    Checklist,
    Test,
    Require,
    Given,
    Table,
    Record,
    /// Parentheses behind a word.
    Args,
    Paren,
    List,
}

/// A place in a text.
#[derive(Debug, Clone)]
pub struct Place {
    /// From the file inward.
    pub rooms: Vec<Room>,
    /// The keyword of the declaration at hand.
    pub declaration: Kind,
    /// The name behind it.
    pub name: Option<String>,
    /// The keyword of the statement at hand, in a body, checklist or test.
    pub statement: Kind,
    /// The word before the innermost parentheses, as a path.
    pub callee: Option<String>,
    /// Commas since those parentheses opened.
    pub argument: usize,
    /// `NAME:` before the cursor, in parentheses or a `given`.
    pub named: Option<String>,
    /// The path before a final dot: `care.`
    pub of: Option<String>,
    /// The kinds of the tokens before the cursor, the word at hand left out; the last first.
    pub before: Vec<Kind>,
    /// The path before the comparison that stands right before the cursor.
    pub compared: Option<String>,
    /// The cursor is in a text, behind a `{{` that is still open.
    pub hole: bool,
    /// The cursor is in a text or a comment.
    pub inert: bool,
}

impl Place {
    /// The innermost room.
    #[must_use]
    pub fn room(&self) -> Room {
        self.rooms.last().copied().unwrap_or(Room::Top)
    }

    /// The kind of the token before the cursor.
    #[must_use]
    pub fn last(&self) -> Option<Kind> {
        self.before.first().copied()
    }
}

/// An open bracket.
struct Open {
    room: Room,
    callee: Option<String>,
    commas: usize,
    statement: Kind,
}

/// Where the byte `offset` of a text stands.
#[must_use]
pub fn place(source: &Source, offset: u32) -> Place {
    let tokens = crate::syntax::tokens(source);
    let text = |t: &Token| source.text().get(t.start as usize..t.end as usize).unwrap_or("");
    let mut significant: Vec<Token> = Vec::new();
    let (mut inert, mut hole) = (false, false);
    // Whether a text is closed is told by how it was written, not by how it was mended.
    let written = crate::syntax::token::lex(source.text());
    for (token, written) in tokens.iter().zip(&written).take_while(|(t, _)| t.start < offset) {
        let inside = offset < token.end || offset == token.end && matches!(token.kind, Kind::Comment | Kind::Doc);
        let unclosed = matches!(written.kind, Kind::OpenText | Kind::OpenBlock) && offset <= token.end;
        let is_text = matches!(written.kind, Kind::Text | Kind::OddText | Kind::RawText | Kind::BlockText);
        match token.kind {
            Kind::Blank => {}
            Kind::Comment | Kind::Doc => inert |= inside,
            _ if inside && is_text || unclosed => {
                inert = true;
                let before = source.text().get(token.start as usize..offset as usize).unwrap_or("");
                hole = before.rfind("{{").is_some_and(|open| before.rfind("}}").is_none_or(|close| close < open));
            }
            // The word that is being written.
            _ if token.end >= offset && is_word(token.kind) => {}
            _ => significant.push(*token),
        }
    }
    let mut place = Place {
        rooms: vec![Room::Top],
        declaration: Kind::Bad,
        name: None,
        statement: Kind::Bad,
        callee: None,
        argument: 0,
        named: None,
        of: None,
        before: significant.iter().rev().take(8).map(|t| t.kind).collect(),
        compared: None,
        hole,
        inert,
    };
    let mut open: Vec<Open> = Vec::new();
    let mut path = String::new();
    let mut named = None;
    for (at, token) in significant.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|n| significant.get(n)).map_or(Kind::Bad, |t| t.kind);
        if begins_declaration(token.kind) {
            open.clear();
            place.declaration = token.kind;
            place.statement = Kind::Bad;
            place.name = significant.get(at + 1).filter(|t| t.kind == Kind::Word).map(|t| text(t).to_owned());
        }
        match token.kind {
            Kind::LParen | Kind::LSquare | Kind::LBrace => {
                let outer = open.last().map_or(Room::Top, |o| o.room);
                let statement = open.last().map_or(place.declaration, |o| o.statement);
                let room = match token.kind {
                    Kind::LSquare => Room::List,
                    Kind::LParen if is_word(before) => Room::Args,
                    Kind::LParen => Room::Paren,
                    _ => brace(outer, place.declaration, statement),
                };
                let callee = (room == Room::Args).then(|| std::mem::take(&mut path));
                open.push(Open { room, callee, commas: 0, statement: Kind::Bad });
                named = None;
            }
            Kind::RParen | Kind::RSquare | Kind::RBrace => {
                open.pop();
                named = None;
            }
            Kind::Comma => {
                if let Some(open) = open.last_mut() {
                    open.commas += 1;
                }
                named = None;
            }
            Kind::Colon if !path.is_empty() => named = Some(path.clone()),
            kind if kind >= Kind::KwAsk && kind <= Kind::KwExpect && kind != Kind::KwWeight
                || kind == Kind::KwJudge =>
            {
                match open.last_mut() {
                    Some(open) => open.statement = kind,
                    None => place.statement = kind,
                }
            }
            _ => {}
        }
        match token.kind {
            Kind::Dot if !path.is_empty() => path.push('.'),
            kind if is_word(kind) => {
                if !path.ends_with('.') {
                    path.clear();
                }
                path.push_str(text(token));
            }
            Kind::Equal | Kind::NotEqual | Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => {
                place.compared = Some(std::mem::take(&mut path));
                continue;
            }
            _ => path.clear(),
        }
        place.compared = None;
    }
    place.of = path.strip_suffix('.').map(str::to_owned).filter(|_| place.last() == Some(Kind::Dot));
    place.named = named;
    if let Some(inner) = open.last() {
        place.callee.clone_from(&inner.callee);
        place.argument = inner.commas;
        place.statement = inner.statement;
        // Inside parentheses the statement is that of the block around them.
        if inner.statement == Kind::Bad {
            let around = open.iter().rev().find(|o| o.statement != Kind::Bad);
            place.statement = around.map_or(place.statement, |o| o.statement);
        }
    }
    place.rooms.extend(open.iter().map(|o| o.room));
    place
}

/// Words, whether keyword or not.
pub(super) fn is_word(kind: Kind) -> bool {
    kind == Kind::Word
        || (kind >= Kind::True && kind <= Kind::Unless)
        || (kind >= Kind::KwRubric && kind <= Kind::KwBelow)
}

fn begins_declaration(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        KwRubric
            | KwLibrary
            | KwUse
            | KwScale
            | KwDefault
            | KwInput
            | KwReference
            | KwCandidate
            | KwCriterion
            | KwChecklist
            | KwTransform
            | KwReduce
            | KwGate
            | KwDefine
            | KwReadout
            | KwObserve
            | KwRequire
            | KwTest
    )
}

fn brace(outer: Room, declaration: Kind, statement: Kind) -> Room {
    match (outer, declaration) {
        (Room::Top, Kind::KwCriterion) => Room::Body,
        (Room::Top, Kind::KwChecklist) => Room::Checklist,
        (Room::Top, Kind::KwCandidate) => Room::Record,
        (Room::Top, Kind::KwRequire) => Room::Require,
        (Room::Top, Kind::KwTest) => Room::Test,
        (Room::Checklist, _) if statement == Kind::KwGroup => Room::Checklist,
        (Room::Body | Room::Checklist, _) if statement == Kind::KwExample => Room::Given,
        (Room::Test, _) if statement == Kind::KwGiven => Room::Given,
        (Room::Body | Room::Checklist, _) => Room::Body,
        _ => Room::Table,
    }
}
