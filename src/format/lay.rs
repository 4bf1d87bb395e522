//! Puts tokens on lines.
//!
//! What fits on a line stands on one. What does not is broken at its weakest joint: before `when`, before `then` and `else`,
//! before its loosest operators; where it has none, at its brackets, one element on each line. Comments keep their places
//! between the tokens, whatever happens around them: [`Printer::put`] alone writes, and it never writes behind a comment.

use super::align;
use super::token::Tok;
use super::tree::{Element, Group, Node, Place, flat_width, width};
use super::{INDENT, WIDTH};
use crate::syntax::token::Kind;

/// Prints a file.
pub(super) fn print(tokens: Vec<Tok<'_>>, file: &Group) -> String {
    let mut printer =
        Printer { tokens, out: String::new(), column: 0, at_start: true, pending: None, indent: 0, last: None };
    printer.elements(file, 0);
    printer.ending(file.close);
    printer.out
}

struct Printer<'a> {
    tokens: Vec<Tok<'a>>,
    out: String,
    /// Columns that are taken on the line.
    column: usize,
    /// Nothing stands on the line yet, blanks aside.
    at_start: bool,
    /// A comment that ends the line as soon as something other than a comma comes.
    pending: Option<&'a str>,
    /// Where a line that is broken for a comment goes on.
    indent: usize,
    /// The token that was written last.
    last: Option<usize>,
}

impl<'a> Printer<'a> {
    fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::Bad, |t| t.kind)
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => width(last),
            None => self.column + width(text),
        };
        self.at_start = false;
    }

    fn flush(&mut self) {
        if let Some(comment) = self.pending.take() {
            self.write(" ");
            self.write(comment);
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.flush();
        if !self.out.is_empty() {
            let blanks = self.out.len() - self.out.trim_end_matches(' ').len();
            if self.at_start {
                self.out.truncate(self.out.len() - blanks);
            } else {
                self.out.push('\n');
            }
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
        self.at_start = true;
    }

    /// An empty line, where the last one has not been empty.
    fn blank_line(&mut self, indent: usize) {
        self.new_line(indent);
        if !self.out.trim_end_matches(' ').is_empty() && !self.out.trim_end_matches(' ').ends_with("\n\n") {
            let kept = self.out.trim_end_matches(' ').len();
            self.out.truncate(kept);
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', indent));
        }
    }

    /// Comments on lines of their own; the next token then begins a line. Blank lines among them are kept where
    /// `blanks` says so.
    fn leads(&mut self, at: usize, indent: usize, blanks: bool) {
        let Some(tok) = self.tokens.get_mut(at) else { return };
        let leads = std::mem::take(&mut tok.leads);
        let blank = tok.blank;
        if leads.is_empty() {
            return;
        }
        for (n, lead) in leads.iter().enumerate() {
            if n > 0 && blanks && lead.blank {
                self.blank_line(indent);
            } else {
                self.new_line(indent);
            }
            self.write(lead.text);
        }
        if blanks && blank {
            self.blank_line(indent);
        } else {
            self.new_line(indent);
        }
    }

    /// Writes a token: a blank before it where one belongs there, its comments before and (when the line ends) behind it.
    fn put(&mut self, at: usize) {
        let (indent, start) = (self.indent, self.at_start);
        if self.tokens.get(at).is_some_and(|t| !t.leads.is_empty()) {
            let here = if start { self.column } else { indent };
            self.leads(at, here, false);
        } else if self.pending.is_some() {
            self.new_line(indent);
        }
        let Some(tok) = self.tokens.get(at) else { return };
        let (text, trail, pad) = (tok.text, tok.trail, tok.pad);
        let glued = tok.glued || self.last.is_none();
        if !self.at_start {
            if !glued {
                self.write(" ");
            }
            for _ in 0..pad {
                self.write(" ");
            }
        }
        let text =
            if text.starts_with("\"\"\"") { super::block::reindent(text, self.line_indent()) } else { text.into() };
        self.write(&text);
        self.pending = trail;
        self.last = Some(at);
    }

    /// Writes a comma close behind what was written, before the comment that ends the line.
    fn comma(&mut self, at: Option<usize>) {
        let ended = self.pending.take();
        self.write(",");
        let own = at.and_then(|at| self.tokens.get(at)).and_then(|t| t.trail);
        self.pending = ended.or(own);
        self.last = at.or(self.last);
    }

    /// How far the line is indented on which the next token goes.
    fn line_indent(&self) -> usize {
        let line = self.out.rsplit('\n').next().unwrap_or("");
        line.len() - line.trim_start_matches(' ').len()
    }

    /// The elements of a group, each on a line of its own.
    fn elements(&mut self, group: &Group, indent: usize) {
        for (at, spaces) in align::pads(&self.tokens, group, indent) {
            if let Some(tok) = self.tokens.get_mut(at) {
                tok.pad = spaces;
            }
        }
        let listed = matches!(group.place, Place::Given | Place::Table | Place::List);
        let brace = matches!(group.place, Place::Given | Place::Table);
        let count = group.elements.len();
        for (n, element) in group.elements.iter().enumerate() {
            let first = element.first();
            let blank = self.tokens.get(first).is_some_and(|t| t.leads.front().map_or(t.blank, |l| l.blank));
            if n > 0 && blank {
                self.blank_line(indent);
            } else {
                self.new_line(indent);
            }
            self.leads(first, indent, true);
            let comma = element.comma.is_some() || listed && n + 1 == count && (brace || count > 1);
            self.sequence(&element.nodes, group.place, indent, usize::from(comma));
            if comma {
                self.comma(element.comma);
            }
        }
    }

    /// The comments before the end of the file.
    fn ending(&mut self, at: usize) {
        let blank = self.tokens.get(at).and_then(|t| t.leads.front()).is_some_and(|l| l.blank);
        if blank {
            self.blank_line(0);
        }
        if let Some(tok) = self.tokens.get_mut(at) {
            tok.blank = false;
        }
        self.leads(at, 0, true);
        self.new_line(0);
    }

    /// Nodes that belong together, from the beginning of a line or from where the line has got to; `tail` columns are
    /// needed behind them.
    fn sequence(&mut self, nodes: &[Node], place: Place, indent: usize, tail: usize) {
        let before = std::mem::replace(&mut self.indent, indent + INDENT);
        let space = nodes.first().and_then(|n| self.tokens.get(n.first())).is_some_and(|t| !self.at_start && !t.glued);
        let fits = flat_width(&self.tokens, nodes, false)
            .is_some_and(|w| self.column + usize::from(space) + w + tail <= WIDTH);
        let parts = if fits { vec![nodes] } else { split(&self.tokens, nodes, place) };
        if parts.len() > 1 {
            for (n, part) in parts.iter().enumerate() {
                if n > 0 {
                    self.new_line(indent + INDENT);
                }
                let last = n + 1 == parts.len();
                let own = if n == 0 { indent } else { indent + INDENT };
                self.sequence(part, Place::Paren, own, if last { tail } else { 0 });
            }
        } else {
            self.sequential(nodes, indent, tail, fits);
        }
        self.indent = before;
    }

    /// Nodes one behind the other; brackets that do not fit are broken.
    fn sequential(&mut self, nodes: &[Node], indent: usize, tail: usize, fits: bool) {
        for (n, node) in nodes.iter().enumerate() {
            let group = match node {
                Node::Token(at) => {
                    self.put(*at);
                    continue;
                }
                Node::Group(group) => group,
            };
            // What stands behind on the same line in any case: up to the next bracket that can be broken.
            let rest = nodes.get(n + 1..).unwrap_or(&[]);
            let until = rest.iter().position(|n| matches!(n, Node::Group(_))).unwrap_or(rest.len());
            let behind = flat_width(&self.tokens, rest.get(..until).unwrap_or(&[]), false).unwrap_or(0);
            let behind = behind + if until == rest.len() { tail } else { 2 } + usize::from(until > 0);
            let whole = group.flat.filter(|w| fits || self.column + 1 + w + behind <= WIDTH);
            if whole.is_some() {
                self.flat(group);
            } else {
                self.broken(group, indent, tail);
            }
        }
    }

    /// A group on one line.
    fn flat(&mut self, group: &Group) {
        self.put(group.open);
        let brace = self.kind(group.open) == Kind::LBrace && !group.elements.is_empty();
        if brace {
            self.write(" ");
            self.last = None;
        }
        for (n, element) in group.elements.iter().enumerate() {
            for node in &element.nodes {
                match node {
                    Node::Token(at) => self.put(*at),
                    Node::Group(inner) => self.flat(inner),
                }
            }
            if n + 1 < group.elements.len() && element.comma.is_some() {
                self.comma(element.comma);
            }
        }
        self.put(group.close);
    }

    /// A group with its elements on lines of their own.
    fn broken(&mut self, group: &Group, indent: usize, tail: usize) {
        if let Some(only) = self.hugged(group) {
            self.put(group.open);
            self.sequence(&only.nodes, Place::Paren, indent, tail + 1);
            self.put(group.close);
            return;
        }
        self.put(group.open);
        self.elements(group, indent + INDENT);
        // Comments before the bracket that closes stand with what it holds.
        if let Some(tok) = self.tokens.get_mut(group.close) {
            tok.blank = false;
            if tok.leads.front().is_some_and(|l| l.blank) && !group.elements.is_empty() {
                self.blank_line(indent + INDENT);
            }
            self.leads(group.close, indent + INDENT, true);
        }
        self.new_line(indent);
        self.put(group.close);
    }

    /// The only element of parentheses, where it ends in brackets that can be broken in their place:
    /// `rule(matches(` … `))`.
    fn hugged<'g>(&self, group: &'g Group) -> Option<&'g Element> {
        let [only] = group.elements.as_slice() else { return None };
        let open = self.tokens.get(group.open)?;
        let close = self.tokens.get(group.close)?;
        let first = self.tokens.get(only.first())?;
        let last = only.nodes.last()?;
        let plain = open.kind == Kind::LParen && only.comma.is_none() && open.trail.is_none();
        let quiet = first.leads.is_empty() && close.leads.is_empty() && self.tokens.get(last.last())?.trail.is_none();
        let breaks = matches!(last, Node::Group(_)) && split(&self.tokens, &only.nodes, Place::Paren).len() == 1;
        (plain && quiet && breaks).then_some(only)
    }
}

/// How loosely a token joins what stands before and behind it; the loosest is broken first.
fn joint(tok: &Tok<'_>) -> Option<u8> {
    use Kind::*;
    Some(match tok.kind {
        When | Unless => 0,
        Then | Else => 2,
        Or => 3,
        And => 4,
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => 5,
        Plus | Minus if !tok.unary => 6,
        Star | Slash => 7,
        _ => return None,
    })
}

/// Cuts nodes at their loosest joints; into one part where they have none.
fn split<'n>(tokens: &[Tok<'_>], nodes: &'n [Node], place: Place) -> Vec<&'n [Node]> {
    let tok = |at: usize| match nodes.get(at) {
        Some(Node::Token(at)) => tokens.get(*at),
        _ => None,
    };
    let colon = (1..nodes.len()).find(|at| tok(*at).is_some_and(|t| t.kind == Kind::Colon));
    let mut cuts: Vec<usize> = Vec::new();
    match colon.filter(|_| place == Place::Require) {
        Some(colon) => cuts.extend((colon + 1 < nodes.len()).then_some(colon + 1)),
        None => {
            let joints = || (1..nodes.len()).filter_map(|at| tok(at).and_then(joint).map(|j| (at, j)));
            if let Some(loosest) = joints().map(|(_, j)| j).min() {
                cuts.extend(joints().filter(|(_, j)| *j == loosest).map(|(at, _)| at));
            }
        }
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([nodes.len()]) {
        parts.extend(nodes.get(from..cut).filter(|p| !p.is_empty()));
        from = cut;
    }
    parts
}
