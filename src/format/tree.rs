//! Brackets with what they hold: the shape that the layout follows.
//!
//! A [`Group`] is a pair of brackets (the file itself is one without brackets), cut into elements: declarations,
//! statements, entries, or what commas part. Each knows its width on one line, or that it cannot stand on one.

use super::token::Tok;
use crate::syntax::token::Kind;

/// What a pair of brackets holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    /// Statements of a criterion or an item.
    Body,
    /// Entries of a checklist or group.
    Checklist,
    Test,
    Require,
    /// `key: value` pairs.
    Given,
    /// Arms, or the fields of a candidate.
    Table,
    /// Arguments, parameters, labels, and lists.
    List,
    /// One part in parentheses.
    Paren,
}

#[derive(Debug)]
pub(super) enum Node {
    Token(usize),
    Group(Box<Group>),
}

#[derive(Debug)]
pub(super) struct Element {
    /// Not empty.
    pub nodes: Vec<Node>,
    pub comma: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Group {
    pub place: Place,
    pub open: usize,
    pub close: usize,
    pub elements: Vec<Element>,
    /// Its width on one line, brackets included; `None` where it holds a comment, a text of several lines or several
    /// statements, or where its author broke the line behind the opening bracket.
    pub flat: Option<usize>,
}

/// The width of some text in columns.
pub(super) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

impl Node {
    /// The first token.
    pub fn first(&self) -> usize {
        match self {
            Node::Token(at) => *at,
            Node::Group(group) => group.open,
        }
    }

    /// The last token.
    pub fn last(&self) -> usize {
        match self {
            Node::Token(at) => *at,
            Node::Group(group) => group.close,
        }
    }
}

impl Element {
    pub fn first(&self) -> usize {
        self.nodes.first().map_or(0, Node::first)
    }
}

/// The whole file. Its brackets match: it has no syntax errors.
pub(super) fn tree(tokens: &mut [Tok<'_>]) -> Group {
    let end = tokens.len().saturating_sub(1);
    let mut builder = Builder { tokens, at: 0 };
    let elements = builder.elements(Place::Top, end);
    Group { place: Place::Top, open: 0, close: end, elements, flat: None }
}

struct Builder<'t, 'a> {
    tokens: &'t mut [Tok<'a>],
    at: usize,
}

impl Builder<'_, '_> {
    fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::Bad, |t| t.kind)
    }

    /// What stands before the token at `end`, or before the bracket that closes.
    fn elements(&mut self, place: Place, end: usize) -> Vec<Element> {
        let mut elements: Vec<Element> = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        while self.at < end && !matches!(self.kind(self.at), Kind::RParen | Kind::RSquare | Kind::RBrace) {
            let at = self.at;
            self.at += 1;
            let kind = self.kind(at);
            if kind == Kind::Comma && !matches!(place, Place::Top | Place::Body | Place::Checklist | Place::Test) {
                if !nodes.is_empty() {
                    elements.push(Element { nodes: std::mem::take(&mut nodes), comma: Some(at) });
                }
                continue;
            }
            if !nodes.is_empty() && self.begins(place, at) {
                elements.push(Element { nodes: std::mem::take(&mut nodes), comma: None });
            }
            let open = matches!(kind, Kind::LParen | Kind::LSquare | Kind::LBrace);
            let node = if open { self.group(place, &nodes, at, end) } else { Node::Token(at) };
            nodes.push(node);
        }
        if !nodes.is_empty() {
            elements.push(Element { nodes, comma: None });
        }
        elements
    }

    /// Whether a declaration, statement, entry or clause begins with a token. (The first of a place always does.)
    fn begins(&mut self, place: Place, at: usize) -> bool {
        use Kind::*;
        let kind = self.kind(at);
        let before = self.kind(at.saturating_sub(1));
        let statement = matches!(kind, KwAsk | KwLevel | KwExample | KwSees | KwApplies | KwJudge | KwTag);
        match place {
            Place::Top => matches!(
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
            ),
            Place::Body => statement,
            // A sign that follows something complete: the points of an item. (No sum stands in a checklist.)
            Place::Checklist if matches!(kind, Plus | Minus) => {
                let item = self.tokens.get(at).is_some_and(|t| !t.unary);
                if item && let Some(sign) = self.tokens.get_mut(at) {
                    sign.unary = true;
                    sign.glued = false;
                }
                if item && let Some(points) = self.tokens.get_mut(at + 1) {
                    points.glued = true;
                }
                item
            }
            Place::Checklist => statement || kind == KwGroup,
            Place::Test => matches!(kind, KwGiven | KwExpect),
            Place::Require => kind == When && before != Comma,
            _ => false,
        }
    }

    fn group(&mut self, outer: Place, before: &[Node], open: usize, end: usize) -> Node {
        let head = before.first().map_or(Kind::Bad, |n| self.kind(n.first()));
        let called = open > 0 && self.kind(open - 1) == Kind::Word;
        let place = match self.kind(open) {
            Kind::LSquare => Place::List,
            Kind::LParen if called => Place::List,
            Kind::LParen => Place::Paren,
            _ => match (outer, head) {
                (Place::Top, Kind::KwCriterion) => Place::Body,
                (Place::Top, Kind::KwChecklist) => Place::Checklist,
                (Place::Top, Kind::KwRequire) => Place::Require,
                (Place::Top, Kind::KwTest) => Place::Test,
                (Place::Checklist, Kind::KwGroup) => Place::Checklist,
                (Place::Body | Place::Checklist, Kind::KwExample) | (Place::Test, Kind::KwGiven) => Place::Given,
                (Place::Body | Place::Checklist, _) => Place::Body,
                _ => Place::Table,
            },
        };
        let elements = self.elements(place, end);
        let close = self.at;
        self.at += 1;
        let flat = self.flat(place, open, close, &elements);
        Node::Group(Box::new(Group { place, open, close, elements, flat }))
    }

    fn flat(&self, place: Place, open: usize, close: usize, elements: &[Element]) -> Option<usize> {
        let brace = self.kind(open) == Kind::LBrace;
        let statements = matches!(place, Place::Body | Place::Checklist | Place::Test);
        let commas = elements.iter().any(|e| e.comma.is_some());
        let broken = !elements.is_empty() && (brace || commas) && self.tokens.get(open + 1)?.new_line;
        let commented = self.tokens.get(open)?.trail.is_some() || !self.tokens.get(close)?.leads.is_empty();
        if broken || commented || statements && elements.len() > 1 {
            return None;
        }
        let mut sum = 2 + if brace && !elements.is_empty() { 2 } else { 0 };
        for (at, element) in elements.iter().enumerate() {
            if at > 0 {
                sum += 1;
            }
            let last = at + 1 == elements.len();
            let comma = element.comma.and_then(|c| self.tokens.get(c));
            if comma.is_some_and(|c| c.trail.is_some()) {
                return None;
            }
            if !last && comma.is_some() {
                sum += 1;
            }
            sum += flat_width(self.tokens, &element.nodes, true)?;
        }
        Some(sum)
    }
}

/// The width of some nodes on one line, without what stands between them and others; `None` where they cannot stand on
/// one. Comments before the first token and behind the last count only where `all` is asked.
pub(super) fn flat_width(tokens: &[Tok<'_>], nodes: &[Node], all: bool) -> Option<usize> {
    let mut sum = 0;
    for (at, node) in nodes.iter().enumerate() {
        let (first, last) = (tokens.get(node.first())?, tokens.get(node.last())?);
        if at > 0 && !first.glued {
            sum += 1;
        }
        let commented =
            (all || at > 0) && !first.leads.is_empty() || (all || at + 1 < nodes.len()) && last.trail.is_some();
        if commented {
            return None;
        }
        sum += match node {
            Node::Token(_) if first.text.contains('\n') => return None,
            Node::Token(_) => width(first.text),
            Node::Group(group) => group.flat?,
        };
    }
    Some(sum)
}
