//! Columns: what stands in neighbouring lines and is alike stands below one another.
//!
//! Weights, points of items, levels, arms of tables, fields, criteria of one line, the `=` of neighbouring declarations, and
//! the `given` rows of a test that name the same things. A blank line, or a neighbour that
//! does not fit on a line, ends a run; a run that would then reach beyond the line stays as it is.

use super::WIDTH;
use super::token::Tok;
use super::tree::{Element, Group, Node, Place, flat_width, width};
use crate::syntax::token::Kind;

/// A line of a run: the nodes on it (of a candidate's record those before its braces) and where its columns begin, by token.
struct Row<'g> {
    nodes: &'g [Node],
    columns: Vec<usize>,
}

/// Spaces to be added before tokens.
pub(super) fn pads(tokens: &[Tok<'_>], group: &Group, indent: usize) -> Vec<(usize, usize)> {
    let mut pads = Vec::new();
    let mut run: Vec<Row<'_>> = Vec::new();
    let mut kind = None;
    for element in &group.elements {
        let row = row(tokens, group.place, element)
            .filter(|(_, row)| flat_width(tokens, row.nodes, false).is_some_and(|w| indent + w < WIDTH));
        let parted = tokens.get(element.first()).is_none_or(|t| t.blank || t.leads.iter().any(|l| l.blank));
        let own = row.as_ref().map(|(alike, _)| alike);
        if own != kind.as_ref() || parted {
            settle(tokens, &run, indent, &mut pads);
            run.clear();
            kind = own.cloned();
        }
        run.extend(row.map(|(_, row)| row));
    }
    settle(tokens, &run, indent, &mut pads);
    pads
}

/// The line of an element that has columns, and what its neighbours must share with it to stand in a run.
fn row<'g>(tokens: &[Tok<'_>], place: Place, element: &'g Element) -> Option<(String, Row<'g>)> {
    let nodes = element.nodes.as_slice();
    let kind = |at: usize| nodes.get(at).and_then(|n| tokens.get(n.first())).map_or(Kind::Bad, |t| t.kind);
    let find = |wanted: Kind| (1..nodes.len()).find(|at| kind(*at) == wanted);
    let last = nodes.len().checked_sub(1)?;
    let head = kind(0);
    let all = |name: &str, columns: &[usize]| {
        let columns = columns.iter().filter_map(|at| nodes.get(*at)).map(Node::first).collect();
        Some((name.to_owned(), Row { nodes, columns }))
    };
    match (place, head) {
        (Place::Top, Kind::KwCandidate) if kind(2) == Kind::LBrace => {
            let nodes = nodes.get(..2)?;
            Some(("field".to_owned(), Row { nodes, columns: nodes.iter().skip(1).map(Node::first).collect() }))
        }
        (Place::Top, Kind::KwInput | Kind::KwReference | Kind::KwCandidate) if kind(2) == Kind::Colon => {
            all("field", &[1, 3])
        }
        (Place::Top, Kind::KwCriterion) if kind(2) == Kind::Colon && kind(last) == Kind::Text => {
            all("criterion", &[3, last])
        }
        (Place::Top, Kind::KwTransform | Kind::KwReduce | Kind::KwGate) => all("node", &[1, find(Kind::Assign)?]),
        (Place::Top, Kind::KwScale | Kind::KwReadout | Kind::KwDefine) => {
            all(&format!("{head:?}"), &[find(Kind::Assign)?])
        }
        (Place::Checklist, Kind::Plus | Kind::Minus) => all("item", &[2]),
        (Place::Body | Place::Checklist, Kind::KwLevel) => all("level", &[last]),
        (Place::Table, _) if find(Kind::FatArrow).is_some() => all("arm", &[find(Kind::FatArrow)?]),
        (Place::Table, _) if kind(1) == Kind::Colon => all("field", &[2]),
        (Place::List, _) => all("weight", &[find(Kind::KwWeight)?]),
        (Place::Test, Kind::KwGiven) => {
            let Some(Node::Group(given)) = nodes.last() else { return None };
            let key = |e: &Element| {
                let colon = e.nodes.iter().position(|n| tokens.get(n.first()).is_some_and(|t| t.kind == Kind::Colon));
                let words = e.nodes.get(..colon.unwrap_or(0)).unwrap_or(&[]);
                words.iter().filter_map(|n| tokens.get(n.first())).map(|t| t.text).collect::<String>()
            };
            let keys = given.elements.iter().map(key).collect::<Vec<_>>().join(",");
            let columns = std::iter::once(given.open).chain(given.elements.iter().map(Element::first)).collect();
            (!given.elements.is_empty()).then_some((keys, Row { nodes, columns }))
        }
        _ => None,
    }
}

/// Gives the rows of a run their columns.
fn settle(tokens: &[Tok<'_>], run: &[Row<'_>], indent: usize, pads: &mut Vec<(usize, usize)>) {
    if run.len() < 2 {
        return;
    }
    // Of each row the columns where its cells begin, moved as those before them move.
    let mut starts: Vec<Vec<usize>> = run.iter().map(|row| offsets(tokens, row)).collect();
    let mut added: Vec<Vec<usize>> = vec![Vec::new(); run.len()];
    let cells = run.iter().map(|row| row.columns.len()).max().unwrap_or(0);
    for cell in 0..cells {
        let Some(most) = starts.iter().filter_map(|row| row.get(cell)).max().copied() else { return };
        for (row, added) in starts.iter_mut().zip(&mut added) {
            let own = row.get(cell).map_or(0, |start| most - start);
            added.push(own);
            row.iter_mut().skip(cell).for_each(|start| *start += own);
        }
    }
    let fits = run.iter().zip(&added).all(|(row, added)| {
        flat_width(tokens, row.nodes, false).is_some_and(|w| indent + w + added.iter().sum::<usize>() < WIDTH)
    });
    if fits {
        for (row, added) in run.iter().zip(&added) {
            pads.extend(row.columns.iter().copied().zip(added.iter().copied()).filter(|(_, spaces)| *spaces > 0));
        }
    }
}

/// Where the columns of a row begin when it stands on one line.
fn offsets(tokens: &[Tok<'_>], row: &Row<'_>) -> Vec<usize> {
    let wanted = row.columns.as_slice();
    let mut walk = Walk { tokens, wanted, column: 0, found: Vec::with_capacity(wanted.len()), open: true };
    walk.nodes(row.nodes);
    walk.found
}

struct Walk<'t, 'a> {
    tokens: &'t [Tok<'a>],
    wanted: &'t [usize],
    column: usize,
    found: Vec<usize>,
    /// No blank belongs before the next token: it is the first, or the blank has been counted.
    open: bool,
}

impl Walk<'_, '_> {
    fn token(&mut self, at: usize) {
        let Some(tok) = self.tokens.get(at) else { return };
        if !tok.glued && !self.open {
            self.column += 1;
        }
        self.open = false;
        if self.wanted.contains(&at) {
            self.found.push(self.column);
        }
        self.column += width(tok.text);
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Token(at) => self.token(*at),
                Node::Group(group) => {
                    self.token(group.open);
                    for (n, element) in group.elements.iter().enumerate() {
                        self.nodes(&element.nodes);
                        if let Some(comma) = element.comma.filter(|_| n + 1 < group.elements.len()) {
                            self.token(comma);
                        }
                    }
                    self.token(group.close);
                }
            }
        }
    }
}
