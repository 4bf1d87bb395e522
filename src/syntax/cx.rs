//! What the actions of the grammar work with: the text, the diagnostics, and small builders that keep every tree within
//! [`MOST_DEPTH`] levels and report the tolerated mistakes that only the grammar can see.

use super::ast::*;
use super::token::Kind;
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::number::Number;
use crate::source::{FileId, Span};
use lalrpop_util::{ErrorRecovery, ParseError};

/// A place where the parser had to give something up.
pub(super) type Recovered = ErrorRecovery<u32, Kind, ()>;
pub(super) type Refused = ParseError<u32, Kind, ()>;

/// What stands between declarations, and the roots of the other uses.
pub(crate) enum Piece {
    All(Vec<Piece>),
    Item(Box<Item>),
    Header(FileKind, Name, Span),
    Junk,
    Expression(Box<Expr>),
    Type(Box<TypeExpr>),
}

/// A statement at the head of a checklist, or an entry.
pub(crate) enum Part {
    Head(BodyItem),
    Entry(Entry),
}

pub(crate) enum TestPart {
    Given(GivenBlock),
    Expect(Expect),
}

/// A sign between two labels.
pub(crate) struct Sep {
    /// `<` rather than a comma.
    pub less: bool,
    pub span: Span,
}

/// The state of one parse.
pub(crate) struct Cx<'a> {
    pub text: &'a str,
    pub file: FileId,
    pub found: Vec<Diagnostic>,
    pub refused: Vec<Refused>,
    too_deep: bool,
}

impl<'a> Cx<'a> {
    pub fn new(text: &'a str, file: FileId) -> Cx<'a> {
        Cx { text, file, found: Vec::new(), refused: Vec::new(), too_deep: false }
    }

    pub fn span(&self, l: u32, r: u32) -> Span {
        Span { file: self.file, start: l, end: r.max(l) }
    }

    pub fn slice(&self, l: u32, r: u32) -> &'a str {
        self.text.get(l as usize..r as usize).unwrap_or("")
    }

    /// Keeps an error that the automaton recovered from; it becomes a diagnostic when parsing is over.
    pub fn broken(&mut self, e: Recovered) {
        self.refused.push(e.error);
    }

    // ---- leaves ------------------------------------------------------------------------------------------------------

    pub fn name(&self, l: u32, r: u32) -> Name {
        Name { text: super::text::word(self.slice(l, r)), span: self.span(l, r) }
    }

    /// A word that the author left out; it stands where it was put in.
    pub fn added_word(&self, word: &str, l: u32) -> Name {
        Name { text: word.into(), span: self.span(l, l) }
    }

    pub fn text(&mut self, l: u32, r: u32) -> Text {
        super::text::decode(self.slice(l, r), self.span(l, r), &mut self.found)
    }

    pub fn number(&mut self, l: u32, r: u32) -> Number {
        super::text::number(self.slice(l, r), self.span(l, r), &mut self.found)
    }

    /// The end of an interval that is written as a fraction.
    pub fn quotient(&mut self, n: Number, d: Number, l: u32, r: u32) -> Number {
        n.checked_div(&d).unwrap_or_else(|| {
            let span = self.span(l, r);
            self.found.push(Diagnostic::error(
                Code::SYNTAX,
                span,
                "a fraction cannot have 0 below the line",
                "write a number that is not 0",
            ));
            n
        })
    }

    pub fn number_label(&mut self, l: u32, r: u32) -> Label {
        let (text, span) = (self.slice(l, r), self.span(l, r));
        self.found.push(
            Diagnostic::error(
                Code::LABELS,
                span,
                format!("the label {text} is a number; labels are words or quoted texts"),
                "a number as a label",
            )
            .help("for a scale of numbers write `int[1..5]`; for a label, quote it")
            .fix("quote it", vec![Edit::new(span, format!("\"{text}\""))]),
        );
        Label { text: text.into(), span, quoted: true }
    }

    // ---- expressions -------------------------------------------------------------------------------------------------

    pub fn leaf(&self, kind: ExprKind, l: u32, r: u32) -> Box<Expr> {
        Box::new(Expr { kind, span: self.span(l, r), depth: 0 })
    }

    pub fn word(&self, name: Name, l: u32, r: u32) -> Box<Expr> {
        self.leaf(ExprKind::Path(Path { span: name.span, parts: vec![name] }), l, r)
    }

    pub fn error(&self, l: u32, r: u32) -> Box<Expr> {
        self.leaf(ExprKind::Error, l, r)
    }

    pub fn error_type(&self, l: u32, r: u32) -> Box<TypeExpr> {
        Box::new(TypeExpr { kind: TypeKind::Error, optional: false, span: self.span(l, r) })
    }

    /// An expression over parts whose deepest has `below` levels; beyond the limit it is cut off, and said so once per run
    /// of levels: everything above a cut stays cut.
    fn branch(&mut self, kind: ExprKind, below: u16, l: u32, r: u32) -> Box<Expr> {
        let span = self.span(l, r);
        if below < MOST_DEPTH - 1 {
            return Box::new(Expr { kind, span, depth: below + 1 });
        }
        if !self.too_deep {
            self.too_deep = true;
            self.found.push(too_deep(span));
        }
        // The depth stays at the limit, so that whatever is built on this is cut as well, silently.
        Box::new(Expr { kind: ExprKind::Error, span, depth: MOST_DEPTH - 1 })
    }

    pub fn unary(&mut self, op: UnaryOp, e: Box<Expr>, l: u32, r: u32) -> Box<Expr> {
        let below = e.depth;
        self.branch(ExprKind::Unary(op, e), below, l, r)
    }

    pub fn binary(&mut self, op: (BinaryOp, Span), a: Box<Expr>, b: Box<Expr>, l: u32, r: u32) -> Box<Expr> {
        let below = a.depth.max(b.depth);
        // `and` and `or` come without the place of their word; it lies between the two sides.
        let at = if op.1 == Span::default() { self.span(a.span.end, b.span.start) } else { op.1 };
        self.branch(ExprKind::Binary(op.0, at, a, b), below, l, r)
    }

    pub fn choice(&mut self, c: Box<Expr>, t: Box<Expr>, e: Box<Expr>, l: u32, r: u32) -> Box<Expr> {
        let below = c.depth.max(t.depth).max(e.depth);
        let kind = ExprKind::If { condition: c, then: t, otherwise: e };
        self.branch(kind, below, l, r)
    }

    pub fn paren(&mut self, e: Box<Expr>, l: u32, r: u32) -> Box<Expr> {
        let below = e.depth;
        self.branch(ExprKind::Paren(e), below, l, r)
    }

    #[expect(clippy::vec_box, reason = "the grammar passes expressions in boxes")]
    pub fn list(&mut self, v: Vec<Box<Expr>>, l: u32, r: u32) -> Box<Expr> {
        let below = v.iter().map(|e| e.depth).max().unwrap_or(0);
        self.branch(ExprKind::List(v.into_iter().map(|e| *e).collect()), below, l, r)
    }

    pub fn call(&mut self, callee: Path, mut args: Vec<Arg>, table: Option<Table>, l: u32, r: u32) -> Box<Expr> {
        let ordinal = callee.parts.len() == 1 && callee.parts.iter().all(|p| &*p.text == "ordinal");
        if ordinal && table.is_none() && super::tolerate::are_labels(&args) {
            return self.call_type(callee, args, None, false, l, r);
        }
        super::tolerate::weights(self, &callee, &mut args);
        let of_args = args.iter().flat_map(|a| [a.value.depth, a.weight.as_ref().map_or(0, |w| w.depth)]);
        let of_arms = table.iter().flat_map(|t| &t.arms).flat_map(|arm| {
            let key = match &arm.key {
                ArmKey::Rest(_) => 0,
                ArmKey::Below(e) | ArmKey::Expr(e) => e.depth,
            };
            [key, arm.value.depth]
        });
        let below = of_args.chain(of_arms).max().unwrap_or(0);
        self.branch(ExprKind::Call { callee, args, table: table.map(Box::new) }, below, l, r)
    }

    // ---- types where an argument can stand ---------------------------------------------------------------------------

    pub fn optional_name(&self, path: Path, l: u32, r: u32) -> Box<Expr> {
        let ty = TypeExpr { kind: TypeKind::Named(path), optional: true, span: self.span(l, r) };
        self.leaf(ExprKind::Type(Box::new(ty)), l, r)
    }

    pub fn range_type(&mut self, mut word: Path, lo: Number, hi: Number, optional: bool, l: u32, r: u32) -> Box<Expr> {
        let span = self.span(l, r);
        let kind = match (word.parts.len(), word.parts.pop()) {
            (1, Some(word)) => TypeKind::Range { word, lo, hi },
            _ => {
                self.found.push(not_a_type(span));
                TypeKind::Error
            }
        };
        self.leaf(ExprKind::Type(Box::new(TypeExpr { kind, optional, span })), l, r)
    }

    /// `ordinal(a < b)`, `choice(a, b)?`, `tally(a, b) max 3` as an argument: the arguments read as labels.
    pub fn call_type(
        &mut self,
        mut callee: Path,
        args: Vec<Arg>,
        max: Option<(Number, Span)>,
        optional: bool,
        l: u32,
        r: u32,
    ) -> Box<Expr> {
        let span = self.span(l, r);
        let mut labels = Vec::new();
        let mut fits = callee.parts.len() == 1;
        for arg in args {
            fits &= arg.name.is_none() && arg.weight.is_none();
            let before = labels.len();
            fits &= super::tolerate::chain(arg.value, &mut labels);
            // Between arguments stands a comma.
            if let (Some(last), true) = (before.checked_sub(1), fits)
                && let Some((label, sep)) = labels.get_mut(last)
            {
                *sep = Some(Sep { less: false, span: self.span(label.span.end, arg.span.start) });
            }
        }
        let kind = match callee.parts.pop() {
            Some(word) if fits => self.labels_type(word, labels, max),
            _ => {
                self.found.push(not_a_type(span));
                TypeKind::Error
            }
        };
        self.leaf(ExprKind::Type(Box::new(TypeExpr { kind, optional, span })), l, r)
    }

    // ---- declarations ------------------------------------------------------------------------------------------------

    pub fn entry(&self, kind: EntryKind, l: u32, r: u32) -> Part {
        Part::Entry(Entry { doc: None, kind, span: self.span(l, r) })
    }

    pub fn test(&mut self, name: Text, parts: Vec<TestPart>) -> ItemKind {
        let mut test = Test { name, givens: Vec::new(), expects: Vec::new() };
        for part in parts {
            match part {
                TestPart::Given(g) => test.givens.push(g),
                TestPart::Expect(e) => test.expects.push(e),
            }
        }
        ItemKind::Test(test)
    }
}

/// A declaration, whose place is not known yet.
pub(crate) fn declared(kind: ItemKind) -> Box<Item> {
    let poisoned = matches!(kind, ItemKind::Error(_));
    Box::new(Item { doc: None, kind, span: Span::default(), poisoned })
}

/// A statement of a body, whose place is not known yet.
pub(crate) fn statement(kind: BodyKind) -> Box<BodyItem> {
    Box::new(BodyItem { kind, span: Span::default() })
}

/// A type, whose place and `?` are not known yet.
pub(crate) fn typed(kind: TypeKind) -> Box<TypeExpr> {
    Box::new(TypeExpr { kind, optional: false, span: Span::default() })
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TOO_DEEP,
        span,
        format!("this has more than {MOST_DEPTH} parts inside one another"),
        "too many levels",
    )
    .help("give a part a name of its own (`reduce part = …`) and use the name; for a long sum write `sum(a, b, …)`")
}

fn not_a_type(span: Span) -> Diagnostic {
    Diagnostic::error(Code::LABELS, span, "this is not a type", "not a type")
        .help("a type looks like `int[1..5]`, `ordinal(low < high)`, `choice(a, b)` or `tally(a, b) max 9`")
}
