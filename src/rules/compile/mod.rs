//! From the tree of an expression to a typed, runnable rule.
//!
//! One walk, bottom up: each part gets a node, a kind (with an interval, where it is a number), whether it can be unknown,
//! and its canonical text. JSON takes the kind that its place wants ([`Compiler::read`]); labels of the expected type may
//! stand where the result is made (at the top, in branches of `if`, in `otherwise`). A part in error is `None` and has been
//! reported; what stands around it says nothing more.

mod calls;
mod operators;

use super::evaluate::{Node, ReadAs};
use super::range::Range;
use super::{Function, Rule, RuleParts, Scope};
use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Path, UnaryOp};
use crate::types::{Base, Field, FieldKind, Role, Type, quote, quote_label};
use std::sync::Arc;

/// What a part of a rule is.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Texts,
    Chat,
    /// `strict`: a `json` field itself, whose record is at fault where it holds another kind than its place wants.
    Json {
        strict: bool,
    },
    Bool,
    Number(Range),
    /// A label of the expected type.
    Label,
    /// The word `unknown`.
    Unknown,
}

impl Kind {
    fn words(&self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
            Kind::Chat => "a chat".to_owned(),
            Kind::Json { .. } => "JSON".to_owned(),
            Kind::Bool => "a yes or no".to_owned(),
            Kind::Number(range) => range.words(),
            Kind::Label => "a label".to_owned(),
            Kind::Unknown => "unknown".to_owned(),
        }
    }
}

/// How tightly the outermost operator of a canonical text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    If,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Negate,
    Atom,
}

/// A compiled part.
#[derive(Debug, Clone)]
struct Part {
    node: Node,
    kind: Kind,
    /// Whether it can be unknown.
    optional: bool,
    text: String,
    tier: Tier,
    span: Span,
}

impl Part {
    /// Its text where only something that binds at least as tightly may stand.
    fn at(&self, tier: Tier) -> String {
        if self.tier >= tier { self.text.clone() } else { format!("({})", self.text) }
    }
}

type Finder<'a> = &'a dyn Fn(&str) -> Option<&'a Field>;

pub(super) struct Compiler<'a, 's> {
    find: Finder<'a>,
    names: &'a dyn Fn() -> Vec<&'a str>,
    expected: Option<&'a Type>,
    scope: Scope<'a>,
    sink: &'s mut Sink,
    reads: Vec<Arc<str>>,
    reads_candidate: bool,
}

impl<'a, 's> Compiler<'a, 's> {
    pub fn new(
        find: Finder<'a>,
        names: &'a dyn Fn() -> Vec<&'a str>,
        expected: Option<&'a Type>,
        scope: Scope<'a>,
        sink: &'s mut Sink,
    ) -> Compiler<'a, 's> {
        Compiler { find, names, expected, scope, sink, reads: Vec::new(), reads_candidate: false }
    }

    pub fn rule(mut self, expr: &Expr) -> Option<Rule> {
        let part = self.part(expr, true)?;
        let (node, ty) = self.fit(part.clone())?;
        Some(Rule(Arc::new(RuleParts {
            text: part.text.into(),
            ty,
            fields: self.reads.into(),
            reads_candidate: self.reads_candidate,
            root: node,
        })))
    }

    fn error(&mut self, code: Code, span: Span, headline: impl Into<String>, label: impl Into<String>) -> Option<Part> {
        self.report(Diagnostic::error(code, span, headline, label))
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.sink.push(diagnostic);
        None
    }

    /// Compiles a part. `result`: what it yields is (part of) what the rule yields, so labels may stand there.
    fn part(&mut self, expr: &Expr, result: bool) -> Option<Part> {
        let span = expr.span;
        let atom = |node: Node, kind: Kind, text: String| {
            Some(Part { node, kind, optional: false, text, tier: Tier::Atom, span })
        };
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Paren(inner) => self.part(inner, result).map(|p| Part { span, ..p }),
            ExprKind::Number(n) => atom(Node::Number(n.clone()), Kind::Number(Range::point(n)), decimal(n)),
            ExprKind::Bool(b) => atom(Node::Bool(*b), Kind::Bool, b.to_string()),
            ExprKind::Unknown => Some(Part {
                node: Node::Unknown,
                kind: Kind::Unknown,
                optional: true,
                text: "unknown".to_owned(),
                tier: Tier::Atom,
                span,
            }),
            ExprKind::Text(text) => match self.label(&text.value, result) {
                Some(rank) => atom(Node::Label(rank), Kind::Label, quote_label(&text.value)),
                None => atom(Node::Text(text.value.clone()), Kind::Text, quote(&text.value)),
            },
            ExprKind::Path(path) => match self.label(&path.dotted(), result) {
                Some(rank) => atom(Node::Label(rank), Kind::Label, quote_label(&path.dotted())),
                None => self.field(path, span),
            },
            ExprKind::Unary(UnaryOp::Negate, of) => self.negate(of, span),
            ExprKind::Unary(UnaryOp::Not, of) => self.not(of, span),
            ExprKind::Binary(op, at, left, right) => self.binary(*op, *at, left, right, span),
            ExprKind::If { condition, then, otherwise } => self.choose(condition, then, otherwise, result, span),
            ExprKind::Call { callee, args, table } => match table {
                Some(table) => self.no_table(callee, table.span),
                None => self.call(callee, args, result, span),
            },
            ExprKind::Index(..) | ExprKind::List(_) | ExprKind::Type(_) => self.no_rule(span),
        }
    }

    fn no_rule(&mut self, span: Span) -> Option<Part> {
        self.error(
            Code::RULE_TYPE,
            span,
            "this cannot stand in a rule",
            "a rule is made of fields, functions, numbers, texts and conditions",
        )
    }

    fn no_table(&mut self, callee: &Path, span: Span) -> Option<Part> {
        let headline = format!("`{}` with a table cannot stand in a rule", callee.dotted());
        self.error(Code::RULE_TYPE, span, headline, "a table in braces")
    }

    /// The rank of a label of the expected type, where labels may stand.
    fn label(&self, text: &str, result: bool) -> Option<u32> {
        let ty = self.expected.filter(|_| result)?;
        if matches!(ty.base, Base::Ordinal(_) | Base::Choice(_)) { ty.rank(text) } else { None }
    }

    fn field(&mut self, path: &Path, span: Span) -> Option<Part> {
        let name = path.dotted();
        let Some(field) = (self.find)(&name) else { return self.no_field(&name, span) };
        if field.role == Role::Candidate {
            if !self.scope.candidate {
                let wrong = Diagnostic::error(
                    Code::RULE_CANDIDATE,
                    span,
                    format!("`{name}` is what is judged, and `applies` may not read it"),
                    "a field of the candidate",
                );
                return self.report(wrong.help(
                    "decide by inputs and references whether the criterion applies; what depends on the candidate belongs into the judgment",
                ));
            }
            self.reads_candidate = true;
        }
        let kind = match field.kind {
            FieldKind::Text => Kind::Text,
            FieldKind::Chat => Kind::Chat,
            FieldKind::Json => Kind::Json { strict: true },
            FieldKind::Number => Kind::Number(Range::all()),
            FieldKind::Flag => Kind::Bool,
            FieldKind::Image => {
                let wrong = Diagnostic::error(
                    Code::RULE_TYPE,
                    span,
                    format!("`{name}` is an image, and a rule cannot look at images"),
                    "an image",
                );
                return self.report(wrong.help("let a model or a person judge it: `judge llm`, `judge human`"));
            }
        };
        let (field_kind, optional) = (field.kind, field.optional);
        let shared = field.name.clone();
        if !self.reads.contains(&shared) {
            self.reads.push(shared.clone());
        }
        let node = Node::Field { name: shared, kind: field_kind, optional };
        Some(Part { node, kind, optional, text: name, tier: Tier::Atom, span })
    }

    fn no_field(&mut self, name: &str, span: Span) -> Option<Part> {
        if self.scope.silent.is_some_and(|silent| silent(name)) {
            return None;
        }
        let names = (self.names)();
        let parts: Vec<&str> =
            names.iter().copied().filter(|n| n.strip_prefix(name).is_some_and(|r| r.starts_with('.'))).collect();
        let mut wrong = if parts.is_empty() {
            Diagnostic::error(
                Code::RULE_NAME,
                span,
                format!("a rule reads fields, and no field is called `{name}`"),
                "no field",
            )
        } else {
            Diagnostic::error(Code::RULE_NAME, span, format!("`{name}` has several fields"), "which of them?")
                .help(format!("write {}", one_of(&parts)))
        };
        if parts.is_empty() {
            if let Some(near) = did_you_mean(name, names.iter().copied()) {
                wrong = wrong
                    .help(format!("did you mean `{near}`?"))
                    .suggestion(format!("write `{near}`"), vec![Edit::new(span, near)]);
            } else if Function::from_word(name).is_some() {
                wrong = wrong.help(format!("`{name}` is a function: write what it is to look at in parentheses"));
            } else if !names.is_empty() {
                wrong = wrong.help(format!(
                    "fields here: {}; a rule never sees a judgment of another criterion",
                    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                ));
            }
        }
        self.report(wrong)
    }

    /// The part as a bool, number or text, JSON read as such; an error where it is something else.
    fn read(&mut self, part: Part, as_: ReadAs, of: &str) -> Option<Part> {
        let fits = matches!(
            (&part.kind, as_),
            (Kind::Bool, ReadAs::Bool) | (Kind::Number(_), ReadAs::Number) | (Kind::Text, ReadAs::Text)
        );
        let kind = match as_ {
            ReadAs::Bool => Kind::Bool,
            ReadAs::Number => Kind::Number(Range::all()),
            ReadAs::Text => Kind::Text,
        };
        match part.kind {
            _ if fits => Some(part),
            Kind::Unknown => Some(Part { kind, ..part }),
            Kind::Json { strict } => {
                Some(Part { node: Node::Read { as_, strict, of: Box::new(part.node) }, kind, ..part })
            }
            other => {
                let wanted = match as_ {
                    ReadAs::Bool => "a yes or no",
                    ReadAs::Number => "a number",
                    ReadAs::Text => "a text",
                };
                let mut wrong = Diagnostic::error(
                    Code::RULE_TYPE,
                    part.span,
                    format!("{of} wants {wanted}, and this is {}", other.words()),
                    other.words(),
                );
                if other == Kind::Chat && as_ == ReadAs::Text {
                    wrong = wrong.help("write `transcript(…)` for the whole chat, or `turn(…, -1)` for its last turn");
                } else if as_ == ReadAs::Number && matches!(other, Kind::Chat | Kind::Texts) {
                    wrong = wrong.help("write `size(…)` to count");
                } else if as_ == ReadAs::Bool && matches!(other, Kind::Number(_)) {
                    wrong = wrong.help("compare it, as in `… >= 3`");
                } else if as_ == ReadAs::Number && other == Kind::Bool {
                    wrong = wrong.help("write `if … then 1 else 0`");
                } else if as_ == ReadAs::Number && other == Kind::Text {
                    wrong =
                        wrong.help("write `number_in(…)` for the first number in it, `word_count(…)` to count words");
                }
                self.report(wrong)
            }
        }
    }

    /// Makes the whole rule yield the expected type.
    fn fit(&mut self, part: Part) -> Option<(Node, Type)> {
        let Some(expected) = self.expected else {
            let ty = match &part.kind {
                Kind::Bool => Type::BOOL,
                Kind::Number(range) => range.ty(),
                Kind::Json { .. } => {
                    let part = self.read(part, ReadAs::Bool, "this rule")?;
                    return Some((part.node, Type::BOOL.with_optional(part.optional)));
                }
                other => {
                    let wrong = Diagnostic::error(
                        Code::RULE_TYPE,
                        part.span,
                        format!("a rule yields a yes or no or a number, and this is {}", other.words()),
                        other.words(),
                    );
                    return self.report(wrong);
                }
            };
            return Some((part.node, ty.with_optional(part.optional)));
        };
        let of = format!("a criterion of type `{expected}`");
        let part = match (&expected.base, &part.kind) {
            (_, Kind::Unknown) | (Base::Ordinal(_) | Base::Choice(_), Kind::Label) => part,
            (Base::Bool, _) => self.read(part, ReadAs::Bool, &of)?,
            (Base::Int { lo, hi } | Base::Score { lo, hi }, _) => {
                let part = self.read(part, ReadAs::Number, &of)?;
                self.in_range(&part, lo, hi, expected)?;
                part
            }
            (Base::Ordinal(labels) | Base::Choice(labels), other) => {
                let labels: Vec<String> = labels.iter().map(|l| quote_label(l)).collect();
                let wrong = Diagnostic::error(
                    Code::RULE_TYPE,
                    part.span,
                    format!("{of} wants one of its labels, and this is {}", other.words()),
                    other.words(),
                );
                let example = format!(
                    "name the labels, as in `if … then {} else {}`",
                    labels.last().map_or("", String::as_str),
                    labels.first().map_or("", String::as_str)
                );
                return self.report(wrong.help(example));
            }
            _ => {
                let wrong = Diagnostic::error(
                    Code::RULE_TYPE,
                    part.span,
                    format!("a rule cannot yield `{expected}`"),
                    "a rule yields a yes or no, a number or a label",
                );
                return self.report(wrong);
            }
        };
        if part.optional && !expected.optional {
            return self.may_be_unknown(&part, expected);
        }
        Some((part.node, expected.clone()))
    }

    fn may_be_unknown<T>(&mut self, part: &Part, expected: &Type) -> Option<T> {
        let default = match &expected.base {
            Base::Bool => "false".to_owned(),
            Base::Int { lo, .. } | Base::Score { lo, .. } => lo.exact(),
            _ => expected.labels().and_then(|l| l.first()).map_or_else(String::new, |l| quote_label(l)),
        };
        let wrong = Diagnostic::error(
            Code::RULE_UNKNOWN,
            part.span,
            format!("this can be unknown, and `{expected}` has no room for that"),
            "unknown where an optional field is not given, or nothing is found",
        )
        .help(format!(
            "say what holds then: `otherwise(…, {default})`; or let the criterion be `{}`",
            expected.clone().optional()
        ))
        .suggestion(
            format!("take `{default}` where it is unknown"),
            wrap(part.span, "otherwise(", &format!(", {default})")),
        );
        self.report(wrong)
    }

    fn in_range(&mut self, part: &Part, lo: &Number, hi: &Number, expected: &Type) -> Option<()> {
        let Kind::Number(range) = &part.kind else { return Some(()) };
        let whole = matches!(expected.base, Base::Int { .. });
        let ty = expected.clone().known();
        if whole && !range.whole {
            let wrong = Diagnostic::error(
                Code::RULE_RANGE,
                part.span,
                format!("this need not be a whole number, and a criterion of type `{expected}` takes only those"),
                range.words(),
            )
            .help(format!("round it: `clamp(round(…), to: {ty})`"))
            .suggestion("round and clamp it", wrap(part.span, "clamp(round(", &format!("), to: {ty})")));
            return self.report(wrong);
        }
        if range.within(lo, hi) {
            return Some(());
        }
        let wrong = Diagnostic::error(Code::RULE_RANGE, part.span, format!("this can leave `{ty}`"), range.words())
            .help(format!("keep it inside: `clamp(…, to: {ty})`"))
            .suggestion(format!("clamp it to `{ty}`"), wrap(part.span, "clamp(", &format!(", to: {ty})")));
        self.report(wrong)
    }
}

/// The edits that put something before and behind a span.
fn wrap(span: Span, before: &str, behind: &str) -> Vec<Edit> {
    vec![Edit::new(Span { end: span.start, ..span }, before), Edit::new(span.after(), behind)]
}

fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}

/// A literal digit for digit: its decimal ends, however long it is.
fn decimal(n: &Number) -> String {
    if n.ends_within_places() {
        return n.to_string();
    }
    let ten = Number::int(10);
    let mut scaled = n.abs();
    let mut places = 0;
    while !scaled.is_integer() && places < 400 {
        scaled = &scaled * &ten;
        places += 1;
    }
    let digits = format!("{:0>width$}", scaled.to_string(), width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    format!("{whole}.{rest}")
}
