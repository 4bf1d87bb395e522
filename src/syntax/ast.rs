//! The tree of a `.rubric` file, as written.
//!
//! The parser mends what it tolerates (and has said so), so a tree holds only forms of the language, or `Error` where
//! nothing could be made of the text. Names are not resolved here: an operator, a type, a policy and a label are all just
//! words. Every node has the span of its text.

use crate::number::Number;
use crate::source::Span;
use std::sync::Arc;

/// A word with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// In NFC.
    pub text: Arc<str>,
    pub span: Span,
}

/// `a`, `care.safety`, `lib.x.y`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// At least one.
    pub parts: Vec<Name>,
    pub span: Span,
}

/// A string literal, its escapes resolved and a text block's indentation taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub value: Arc<str>,
    pub span: Span,
    /// A raw string `r"…"`: `{{` and `\` mean themselves.
    pub raw: bool,
    /// Each `{{…}}` that is not escaped. (`\{` is a literal brace.)
    pub holes: Vec<Hole>,
}

/// The inside of a `{{…}}`, without the braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hole {
    /// Its first byte in [`Text::value`].
    pub start: u32,
    /// The byte behind its last one there.
    pub end: u32,
    /// Where it is written.
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Rubric,
    Library,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    pub kind: FileKind,
    /// `None` where the header is missing or broken (and has been reported).
    pub name: Option<Name>,
    pub doc: Option<Doc>,
    pub items: Vec<Item>,
    pub span: Span,
}

/// Doc comments `///` before something, without the slashes, joined by line breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    pub text: Arc<str>,
    pub span: Span,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub doc: Option<Doc>,
    pub kind: ItemKind,
    pub span: Span,
    /// A syntax error inside or right behind it: its name is known, but nothing may be said about its meaning.
    pub poisoned: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ItemKind {
    /// `use "path" as alias`
    Use {
        path: Text,
        alias: Name,
    },
    /// `scale NAME = TYPE`
    Scale {
        name: Name,
        ty: TypeExpr,
    },
    /// `default judge PROCEDURE`
    DefaultJudge(Procedure),
    /// `input NAME: FIELD`, `reference NAME: FIELD`
    Field {
        role: FieldRole,
        name: Name,
        ty: FieldType,
    },
    /// `candidate NAME: FIELD` or `candidate NAME { field: FIELD, … }`
    Candidate {
        name: Name,
        body: CandidateBody,
    },
    Criterion(Criterion),
    Checklist(Box<Checklist>),
    /// `transform`, `reduce`, `gate`
    Node(Box<Node>),
    Define(Box<Define>),
    Readout(Box<Readout>),
    /// `observe NAME`
    Observe(Path),
    Require(Box<Require>),
    Test(Test),
    /// Nothing could be made of it; the name where it was readable.
    Error(Option<Name>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    Input,
    Reference,
}

/// A field kind as written: `text`, `number?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldType {
    pub kind: Name,
    pub optional: bool,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CandidateBody {
    Single(FieldType),
    Record(Vec<(Name, FieldType)>),
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub optional: bool,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// `bool`, or the name of a scale (`lib.likert`).
    Named(Path),
    /// `int[1..5]`, `score[0..1]`: the word and both ends, signs applied.
    Range {
        word: Name,
        lo: Number,
        hi: Number,
    },
    /// `ordinal(a < b)`: the labels in the order written; `separators_ok` is false where they were not all `<`.
    /// `choice(a, b)`, `set(a, b)`, `tally(a, b) max n`.
    Labels {
        word: Name,
        labels: Vec<Label>,
        max: Option<(Number, Span)>,
    },
    Error,
}

/// A label: a word or a quoted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub text: Arc<str>,
    pub span: Span,
    pub quoted: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    pub name: Name,
    /// `None` where it was forgotten (and has been reported).
    pub ty: Option<TypeExpr>,
    /// The question after the type, or that of `ask`.
    pub body: Vec<BodyItem>,
}

/// A statement in the body of a criterion, or at the head of a checklist, group or item.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyItem {
    pub kind: BodyKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BodyKind {
    /// `ask "…"`, or the short question behind the type.
    Ask(Text),
    /// `level VALUE "…"`; the value is a number, a word, a text, `true`, `false` or `unknown`.
    Level(Expr, Text),
    /// `example { key: value, … }`
    Example(Vec<Given>),
    Sees(Vec<Path>),
    /// `applies rule(…)`
    Applies(Procedure),
    Judge(Procedure),
    /// `tag KEY "VALUE"`
    Tag(Name, Text),
    Error,
}

/// `llm(…)`, `rule(…)`, `verifier("name")`, `human`, `A else B when confidence < t`.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    pub word: Name,
    pub args: Vec<Arg>,
    /// The second judge of a cascade and the condition after `when`.
    pub otherwise: Option<Box<(Procedure, Expr)>>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Checklist {
    pub name: Name,
    /// `: bool?`
    pub ty: Option<TypeExpr>,
    /// `from FIELD`: then `entries` is empty.
    pub from: Option<Path>,
    pub head: Vec<BodyItem>,
    pub entries: Vec<Entry>,
}

/// A group or an item of a checklist.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub doc: Option<Doc>,
    pub kind: EntryKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// `group ID [weight W] ["text"] { … }`
    Group {
        id: Name,
        weight: Option<Expr>,
        text: Option<Text>,
        head: Vec<BodyItem>,
        entries: Vec<Entry>,
    },
    /// `SIGN POINTS [ID] "text" [{ … }]`
    Item {
        /// Signed.
        points: Number,
        points_span: Span,
        id: Option<Name>,
        text: Text,
        body: Vec<BodyItem>,
    },
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Transform,
    Reduce,
    Gate,
}

/// `transform NAME[: TYPE] = EXPR`, `gate NAME = … when COND`
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub family: Family,
    pub family_span: Span,
    pub name: Name,
    pub ty: Option<TypeExpr>,
    pub expr: Expr,
    /// The trigger of a gate.
    pub when: Option<When>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// `unless` rather than `when`.
    pub negated: bool,
    pub condition: Expr,
    pub span: Span,
}

/// `define NAME(a: TYPE, …): TYPE = EXPR`
#[derive(Debug, Clone, PartialEq)]
pub struct Define {
    pub name: Name,
    pub params: Vec<(Name, TypeExpr)>,
    pub ty: TypeExpr,
    pub body: Expr,
    /// A define whose body is a gate ends in `when CONDITION`.
    pub when: Option<When>,
}

/// `readout MODE [NAME] = READOUT`
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// `pointwise`, `pairwise`, `listwise`, or another word (reported by the checker).
    pub mode: Name,
    pub name: Option<Name>,
    pub expr: Expr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Require {
    pub name: Option<Text>,
    pub kind: RequireKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RequireKind {
    /// `{ when COND: READOUT_COND }` or `{ READOUT_COND }`; several clauses may stand in one block.
    Always(Vec<Clause>),
    /// `increasing(c)`, `decreasing(c)`, `reachable(COND)`: the word and its argument.
    Property(Name, Expr),
    Error,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    pub when: Option<Expr>,
    pub holds: Expr,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    pub name: Text,
    pub givens: Vec<GivenBlock>,
    pub expects: Vec<Expect>,
}

/// `given { … }` or `given a { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct GivenBlock {
    pub candidate: Option<Name>,
    pub entries: Vec<Given>,
    pub span: Span,
}

/// `key: value` in a `given` or an `example`; the key may be a path (`care.dose`).
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    pub key: Path,
    /// `care[2]: true`
    pub index: Option<(Number, Span)>,
    pub value: Expr,
    pub span: Span,
}

/// `expect CONDITION`
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    pub condition: Expr,
    pub span: Span,
}

/// An expression, of any of the language's places: composition, rules, conditions, readouts, parameters, test values.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Levels below this one; the parser keeps it under [`MOST_DEPTH`], so walking a tree never overflows the stack.
    pub depth: u16,
}

/// How deep expressions may nest.
pub const MOST_DEPTH: u16 = 200;

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `quality`, `care.safety`, `low`
    Path(Path),
    /// `care[3]`
    Index(Path, Number),
    /// Unsigned; a sign is a [`ExprKind::Unary`].
    Number(Number),
    Text(Text),
    Bool(bool),
    Unknown,
    /// A type where an argument can stand: `int[1..5]`, `ordinal(a < b)`, `tally(a) max 3`. `bool` and scale names arrive as
    /// [`ExprKind::Path`]; `choice(a, b)` and `set(a, b)` arrive as [`ExprKind::Call`]; a trailing `?` is kept here.
    Type(Box<TypeExpr>),
    /// `mean(a, b weight 2, unknown: skip)`, `map(x) { … }`, `decide { … }` (no arguments)
    Call {
        callee: Path,
        args: Vec<Arg>,
        table: Option<Box<Table>>,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Span, Box<Expr>, Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `[a, b]`: a panel, a set, a tally, met items.
    List(Vec<Expr>),
    /// `(…)`, kept so that chained comparisons and printing are faithful.
    Paren(Box<Expr>),
    Error,
}

/// `x`, `name: x`, `x weight 2`
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    pub name: Option<Name>,
    pub value: Expr,
    pub weight: Option<Box<Expr>>,
    pub span: Span,
}

/// `{ key => value, … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub arms: Vec<Arm>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    pub key: ArmKey,
    pub value: Expr,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ArmKey {
    Rest(Span),
    /// `below 0.4`
    Below(Expr),
    /// A value (map), a knot (piecewise), a condition (decide).
    Expr(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Expr {
    /// The expression without the parentheses around it.
    #[must_use]
    pub fn bare(&self) -> &Expr {
        let mut expr = self;
        while let ExprKind::Paren(inner) = &expr.kind {
            expr = inner;
        }
        expr
    }

    /// The word, where the expression is a single one.
    #[must_use]
    pub fn word(&self) -> Option<&Name> {
        match &self.bare().kind {
            ExprKind::Path(path) if path.parts.len() == 1 => path.parts.first(),
            _ => None,
        }
    }
}

impl Path {
    /// The parts joined by dots.
    #[must_use]
    pub fn dotted(&self) -> String {
        self.parts.iter().map(|p| &*p.text).collect::<Vec<_>>().join(".")
    }
}

impl BinaryOp {
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
        }
    }
}
