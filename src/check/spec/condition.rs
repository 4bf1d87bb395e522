//! Conditions of tests and requirements: from an expression to a [`Condition`] over nodes and readouts.

use super::names::Names;
use super::values;
use crate::catalog::NodeId;
use crate::diagnostics::{Code, Diagnostic, Edit, Sink};
use crate::graph::spec::{Comparison, Condition, Operand};
use crate::graph::{Mode, NodeKind, ReadoutKind};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Path, UnaryOp};
use crate::types::{Base, Type, Value};
use std::sync::Arc;

/// Reads conditions about these candidates.
pub(super) struct Reader<'r> {
    pub names: &'r Names<'r>,
    /// At least one; their names mean something only where there are several.
    pub candidates: &'r [Arc<str>],
    /// Whether it is a requirement, which holds for all judgments, rather than a test.
    pub require: bool,
}

/// What one side of a comparison is.
struct Side {
    operand: Operand,
    kind: SideKind,
    name: String,
}

enum SideKind {
    Value(Type),
    /// Which candidate wins.
    Outcome,
    /// A ranking as a whole: only whether it abstains can be asked.
    Ranking,
}

/// What a name came to.
enum Found {
    Side(Side),
    Nothing,
    /// It was wrong, and that has been reported.
    Wrong,
}

impl Reader<'_> {
    /// The condition; `None` where it is wrong (and has been reported).
    pub fn condition(&self, expr: &Expr, sink: &mut Sink) -> Option<Condition> {
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Paren(inner) => self.condition(inner, sink),
            ExprKind::Unary(UnaryOp::Not, of) => Some(Condition::Not(Box::new(self.condition(of, sink)?))),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), _, a, b) => {
                let (a, b) = (self.condition(a, sink), self.condition(b, sink));
                let (a, b) = (a?, b?);
                Some(match op {
                    BinaryOp::And => {
                        Condition::And(joined(a, b, |c| if let Condition::And(l) = c { Ok(l) } else { Err(c) }))
                    }
                    _ => Condition::Or(joined(a, b, |c| if let Condition::Or(l) = c { Ok(l) } else { Err(c) })),
                })
            }
            ExprKind::Binary(op, at, a, b) => match comparison(*op) {
                Some(comparison) => self.compare(comparison, *at, a, b, sink),
                None => self.no_condition(expr, sink),
            },
            ExprKind::Path(_) | ExprKind::Index(..) => match self.side(expr, sink) {
                Found::Side(side) => match &side.kind {
                    SideKind::Value(ty) if ty.is_bool() => Some(Condition::Holds(side.operand)),
                    SideKind::Value(ty) => {
                        let headline = format!("`{}` is not a yes or no: its type is `{ty}`", side.name);
                        let wrong = Diagnostic::error(Code::SPEC_COMPARISON, expr.span, headline, format!("`{ty}`"));
                        report(sink, wrong.help(format!("compare it: `{} >= …`, `{} == …`", side.name, side.name)))
                    }
                    _ => {
                        let headline = format!("`{}` is not a yes or no: it says which candidate is better", side.name);
                        let wrong = Diagnostic::error(Code::SPEC_COMPARISON, expr.span, headline, "an outcome");
                        report(sink, wrong.help(format!("write `{} == {}`", side.name, self.first())))
                    }
                },
                Found::Nothing => self.unknown_name(expr, sink),
                Found::Wrong => None,
            },
            _ => self.no_condition(expr, sink),
        }
    }

    fn first(&self) -> &str {
        self.candidates.first().map_or("", |c| c)
    }

    fn no_condition(&self, expr: &Expr, sink: &mut Sink) -> Option<Condition> {
        let (headline, help) = match &expr.kind {
            ExprKind::Bool(_) => ("this is the same whatever the program does", "compare a readout or a node"),
            ExprKind::Call { callee, .. } if callee.dotted() == "known" => {
                ("a condition compares; it calls no operators", "write `… != unknown`")
            }
            ExprKind::Call { .. } | ExprKind::If { .. } | ExprKind::Binary(..) => (
                "a condition compares nodes and readouts; it computes nothing itself",
                "give the computation a name in the program, `observe` it, and compare that name",
            ),
            _ => ("this is not a condition", "write a comparison such as `pointwise <= 2`"),
        };
        report(sink, Diagnostic::error(Code::SPEC_COMPARISON, expr.span, headline, "no condition").help(help))
    }

    fn compare(&self, op: Comparison, at: Span, left: &Expr, right: &Expr, sink: &mut Sink) -> Option<Condition> {
        for side in [left, right] {
            if let ExprKind::Binary(inner, ..) = &side.kind
                && comparison(*inner).is_some()
            {
                let wrong =
                    Diagnostic::error(Code::SPEC_COMPARISON, at, "comparisons cannot be chained", "a second one");
                return report(sink, wrong.also(side.span, "the first").help("write `a < b and b < c`"));
            }
            if side.bare().kind == ExprKind::Error {
                return None;
            }
        }
        let (a, b) = (self.side(left, sink), self.side(right, sink));
        let is_label = |side: &Found, other: &Expr| match side {
            Found::Side(Side { kind: SideKind::Value(ty), .. }) => other
                .word()
                .is_some_and(|w| !matches!(ty.base, Base::Set(_) | Base::Tally { .. }) && ty.rank(&w.text).is_some()),
            Found::Side(Side { kind: SideKind::Outcome, .. }) => {
                other.word().is_some_and(|w| self.outcome(&w.text).is_some())
            }
            _ => false,
        };
        let (a_is_label, b_is_label) = (is_label(&b, left), is_label(&a, right));
        match (a, b) {
            (Found::Side(a), _) if b_is_label => self.with_constant(op, a, right, false, at, sink),
            (_, Found::Side(b)) if a_is_label => self.with_constant(op, b, left, true, at, sink),
            (Found::Wrong, _) | (_, Found::Wrong) => None,
            (Found::Side(a), Found::Side(b)) => self.two(op, a, b, at, sink),
            (Found::Side(a), Found::Nothing) => self.with_constant(op, a, right, false, at, sink),
            (Found::Nothing, Found::Side(b)) => self.with_constant(op, b, left, true, at, sink),
            (Found::Nothing, Found::Nothing) => {
                let mut named = false;
                for side in [left, right] {
                    if is_name(side) {
                        named = true;
                        self.unknown_name(side, sink);
                    }
                }
                if !named
                    && matches!(
                        (&left.bare().kind, &right.bare().kind),
                        (ExprKind::Call { .. } | ExprKind::Binary(..), _)
                            | (_, ExprKind::Call { .. } | ExprKind::Binary(..))
                    )
                    && (values::number(left).is_none() || values::number(right).is_none())
                {
                    let side = if values::number(left).is_none() { left } else { right };
                    return self.no_condition(side.bare(), sink);
                }
                if !named {
                    let headline = "this compares two constants";
                    let wrong = Diagnostic::error(
                        Code::SPEC_COMPARISON,
                        left.span.to(right.span),
                        headline,
                        "no node or readout",
                    );
                    sink.push(wrong.help("compare a readout or a node: `pointwise <= 2`"));
                }
                None
            }
        }
    }

    fn two(&self, op: Comparison, a: Side, b: Side, at: Span, sink: &mut Sink) -> Option<Condition> {
        let (SideKind::Value(x), SideKind::Value(y)) = (&a.kind, &b.kind) else {
            let wrong = Diagnostic::error(
                Code::SPEC_COMPARISON,
                at,
                "an outcome is compared with a candidate, `tie` or `unknown`",
                "no such thing",
            );
            return report(sink, wrong);
        };
        let fits = (x.is_number() && y.is_number()) || x.base == y.base;
        if !fits {
            let headline = format!("`{}` and `{}` cannot be compared: `{x}` and `{y}`", a.name, b.name);
            return report(sink, Diagnostic::error(Code::SPEC_COMPARISON, at, headline, "two different kinds"));
        }
        self.ordered(op, x, &a.name, at, sink)?;
        Some(Condition::Compare { op, left: a.operand, right: b.operand })
    }

    /// Refuses `<` and its like where there is no order.
    fn ordered(&self, op: Comparison, ty: &Type, name: &str, at: Span, sink: &mut Sink) -> Option<()> {
        let equality = matches!(op, Comparison::Equal | Comparison::NotEqual);
        if equality || ty.is_number() || matches!(ty.base, Base::Ordinal(_) | Base::Real) {
            return Some(());
        }
        let headline = format!("`{name}` has no order: its type is `{ty}`");
        report(
            sink,
            Diagnostic::error(Code::SPEC_COMPARISON, at, headline, "compares by order").help("use `==` or `!=`"),
        )
    }

    /// A side against a constant; `turned`: the constant stands on the left.
    fn with_constant(
        &self,
        op: Comparison,
        side: Side,
        constant: &Expr,
        turned: bool,
        at: Span,
        sink: &mut Sink,
    ) -> Option<Condition> {
        let equality = matches!(op, Comparison::Equal | Comparison::NotEqual);
        let unknown = constant.bare().kind == ExprKind::Unknown;
        let right = match &side.kind {
            _ if unknown && !equality => {
                let wrong = Diagnostic::error(
                    Code::SPEC_COMPARISON,
                    at,
                    "nothing is above or below `unknown`",
                    "compares by order",
                );
                return report(sink, wrong.help("use `== unknown` or `!= unknown`"));
            }
            SideKind::Value(ty) if unknown && !self.may_be_unknown(&side.operand, ty) => {
                let headline = format!("`{}` is never unknown: its type is `{ty}`", side.name);
                return report(sink, Diagnostic::error(Code::SPEC_VALUE, constant.span, headline, "never so"));
            }
            SideKind::Value(_) if unknown => match side.operand {
                Operand::Readout { .. } => Operand::Abstains,
                _ => Operand::Constant(Value::Unknown),
            },
            SideKind::Outcome | SideKind::Ranking if unknown => Operand::Abstains,
            SideKind::Ranking => {
                let headline = format!("`{}` ranks the candidates; say whose rank is meant", side.name);
                let wrong = Diagnostic::error(Code::SPEC_CANDIDATE, at, headline, "a whole ranking");
                return report(sink, wrong.help(format!("write `{}.{} == 1`", self.first(), side.name)));
            }
            SideKind::Outcome => {
                if !equality {
                    let wrong =
                        Diagnostic::error(Code::SPEC_COMPARISON, at, "an outcome has no order", "compares by order");
                    return report(sink, wrong.help("use `==` or `!=`"));
                }
                match constant.word().and_then(|w| self.outcome(&w.text)) {
                    Some(outcome) => outcome,
                    None => return self.no_outcome(&side.name, constant, sink),
                }
            }
            SideKind::Value(ty) => {
                if is_name(constant) && (ty.is_number() || ty.is_bool()) {
                    return self.unknown_name(constant, sink);
                }
                self.ordered(op, ty, &side.name, at, sink)?;
                let what = format!("`{}`", side.name);
                match (values::number(constant), op) {
                    // A bound need not be a value that the other side can take.
                    (Some(n), _) if ty.is_number() && op != Comparison::Equal => Operand::Constant(Value::Number(n)),
                    _ => match values::value(constant, &ty.clone().known(), &what) {
                        Ok(value) => Operand::Constant(value),
                        Err(wrong) => return wrong.and_then(|w| report(sink, *w)),
                    },
                }
            }
        };
        let (left, right) = if turned { (right, side.operand) } else { (side.operand, right) };
        Some(Condition::Compare { op, left, right })
    }

    /// Whether an operand can be unknown. A readout abstains where the sink is unknown, whatever it reads itself.
    fn may_be_unknown(&self, operand: &Operand, ty: &Type) -> bool {
        let sink = || self.names.node(self.names.program.sink).is_some_and(|sink| sink.ty.optional);
        ty.optional || matches!(operand, Operand::Readout { .. }) && sink()
    }

    /// What a word means beside a pairwise readout or a `best`.
    fn outcome(&self, word: &str) -> Option<Operand> {
        if word == "tie" {
            return Some(Operand::Tie);
        }
        let at = self.candidates.iter().position(|c| &**c == word).filter(|_| self.candidates.len() > 1)?;
        Some(Operand::Wins(at))
    }

    fn no_outcome(&self, name: &str, constant: &Expr, sink: &mut Sink) -> Option<Condition> {
        let mut known: Vec<&str> = self.candidates.iter().map(|c| &**c).collect();
        known.extend(["tie", "unknown"]);
        let headline = format!(
            "`{name}` comes out as one of {}",
            known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
        );
        let mut wrong = Diagnostic::error(Code::SPEC_VALUE, constant.span, headline, "none of these");
        if let Some(word) = constant.word()
            && let Some(near) = crate::diagnostics::did_you_mean(&word.text, known.iter().copied())
        {
            wrong = wrong.suggestion(format!("write `{near}`"), vec![Edit::new(constant.span, near)]);
        }
        report(sink, wrong)
    }

    /// What an expression names, if it names something.
    fn side(&self, expr: &Expr, sink: &mut Sink) -> Found {
        match &expr.bare().kind {
            ExprKind::Path(path) => self.named(path, sink),
            ExprKind::Index(path, number) => {
                let (candidate, checklist) = self.whose(path);
                match self.names.item(&checklist, number) {
                    Some(id) => self.node(id, candidate, &format!("{checklist}[{number}]"), expr.span, sink),
                    None => Found::Nothing,
                }
            }
            _ => Found::Nothing,
        }
    }

    /// The candidate that a path begins with, and the rest of it.
    fn whose(&self, path: &Path) -> (Option<usize>, String) {
        if let Some((first, rest)) = path.parts.split_first()
            && self.candidates.len() > 1
            && !rest.is_empty()
            && let Some(at) = self.candidates.iter().position(|c| *c == first.text)
        {
            return (Some(at), rest.iter().map(|p| &*p.text).collect::<Vec<_>>().join("."));
        }
        (None, path.dotted())
    }

    fn named(&self, path: &Path, sink: &mut Sink) -> Found {
        let (candidate, name) = self.whose(path);
        let several = self.candidates.len() > 1;
        if let Some((at, readout)) = self.names.readout(&name) {
            let side = |candidate: usize, kind: SideKind| {
                Found::Side(Side { operand: Operand::Readout { candidate, readout: at }, kind, name: path.dotted() })
            };
            let wrong = |headline: String, help: String, sink: &mut Sink| {
                sink.push(Diagnostic::error(Code::SPEC_CANDIDATE, path.span, headline, "this readout").help(help));
                Found::Wrong
            };
            return match (readout.mode, candidate) {
                (Mode::Pointwise, None) if several => wrong(
                    format!("`{name}` is there once for each candidate"),
                    format!("say whose: `{}.{name}`", self.first()),
                    sink,
                ),
                (Mode::Pointwise, at) => side(at.unwrap_or(0), SideKind::Value(readout.ty.clone())),
                (Mode::Listwise, _) if self.require => wrong(
                    format!("`{name}` compares any number of candidates, and a requirement speaks of one or two"),
                    "state it for a pairwise readout".to_owned(),
                    sink,
                ),
                (Mode::Pairwise, _) if self.candidates.len() != 2 => wrong(
                    format!("`{name}` compares two candidates, and this test has {}", self.candidates.len()),
                    "write `given a { … }` and `given b { … }`".to_owned(),
                    sink,
                ),
                (Mode::Listwise, _) if !several => wrong(
                    format!("`{name}` compares several candidates, and this test has one"),
                    "write `given a { … }`, `given b { … }` and so on".to_owned(),
                    sink,
                ),
                (Mode::Listwise, at) if matches!(readout.kind, ReadoutKind::Ranking { .. }) => match at {
                    Some(candidate) => {
                        let last = i64::try_from(self.candidates.len()).unwrap_or(i64::MAX);
                        side(candidate, SideKind::Value(Type::int(1, last).optional()))
                    }
                    None => side(0, SideKind::Ranking),
                },
                (_, Some(_)) => wrong(
                    format!("`{name}` has one outcome for all candidates"),
                    format!("write `{name} == {}`", self.first()),
                    sink,
                ),
                (_, None) => side(0, SideKind::Outcome),
            };
        }
        match self.names.find(&name) {
            Some(id) => self.node(id, candidate, &name, path.span, sink),
            None => Found::Nothing,
        }
    }

    fn node(&self, id: NodeId, candidate: Option<usize>, name: &str, span: Span, sink: &mut Sink) -> Found {
        let Some(node) = self.names.node(id) else { return Found::Nothing };
        if matches!(node.kind, NodeKind::Items { .. }) {
            let headline = format!("`{name}` is a checklist and has no value of its own");
            let wrong = Diagnostic::error(Code::SPEC_COMPARISON, span, headline, "a checklist");
            sink.push(wrong.help("compare a node that is computed from it"));
            return Found::Wrong;
        }
        if candidate.is_none() && self.candidates.len() > 1 && !self.names.is_shared(id) {
            let headline = format!("`{name}` is there once for each candidate");
            let wrong = Diagnostic::error(Code::SPEC_CANDIDATE, span, headline, "whose?");
            sink.push(wrong.help(format!("say whose: `{}.{name}`", self.first())));
            return Found::Wrong;
        }
        let operand = Operand::Node { candidate: candidate.unwrap_or(0), node: id };
        Found::Side(Side { operand, kind: SideKind::Value(node.ty.clone()), name: name.to_owned() })
    }

    /// Reports a name that means nothing here.
    fn unknown_name(&self, expr: &Expr, sink: &mut Sink) -> Option<Condition> {
        let (path, shown) = match &expr.bare().kind {
            ExprKind::Path(path) => (path, path.dotted()),
            ExprKind::Index(path, n) => (path, format!("{}[{n}]", path.dotted())),
            _ => return self.no_condition(expr, sink),
        };
        let (_, name) = self.whose(path);
        if self.names.is_silent(&name) || path.parts.iter().any(|p| self.names.is_silent(&p.text)) {
            return None;
        }
        let wrong = Diagnostic::error(
            Code::SPEC_NAME,
            expr.span,
            format!("nothing here is called `{shown}`"),
            "no node or readout",
        );
        let mode = [Mode::Pointwise, Mode::Pairwise, Mode::Listwise].into_iter().find(|m| m.word() == name);
        let wrong = if let Some(mode) = mode {
            let headline = format!("the program has no {} readout without a name", mode.word());
            let wrong = Diagnostic::error(Code::SPEC_NAME, expr.span, headline, "no such readout");
            match self.names.has_mode(mode) {
                true => wrong.help("name the readout that you mean"),
                false => wrong.help(format!("declare one: `readout {} = …`", mode.word())),
            }
        } else if matches!(path.parts.first(), Some(p) if matches!(&*p.text, "first" | "second") && path.parts.len() > 1)
            && !self.require
        {
            wrong.help("in a test, candidates are called as in its `given` blocks")
        } else if self.names.bundle(&name).is_some() {
            wrong.help(format!(
                "`{name}` is a checklist or a group; compare one of its items, or a node that is computed from it"
            ))
        } else if self.names.field(&name).is_some() {
            wrong.help(format!("`{name}` is a field; compare a criterion or a node that reads it"))
        } else if let Some(near) = self.nearest(path, &name) {
            wrong
                .help(format!("did you mean `{near}`?"))
                .suggestion(format!("write `{near}`"), vec![Edit::new(expr.span, near)])
        } else {
            wrong.help("a condition names readouts (`pointwise`, or by their names), nodes, criteria and items")
        };
        report(sink, wrong)
    }

    fn nearest(&self, path: &Path, name: &str) -> Option<String> {
        if name == path.dotted() {
            return self.names.nearest(path, false);
        }
        let first = path.parts.first()?;
        let rest = Path { parts: path.parts.iter().skip(1).cloned().collect(), span: path.span };
        Some(format!("{}.{}", first.text, self.names.nearest(&rest, false)?))
    }
}

fn report<T>(sink: &mut Sink, diagnostic: Diagnostic) -> Option<T> {
    sink.push(diagnostic);
    None
}

fn is_name(expr: &Expr) -> bool {
    matches!(&expr.bare().kind, ExprKind::Path(_) | ExprKind::Index(..))
}

/// Two conditions under one `and` (or `or`), without nesting.
fn joined(a: Condition, b: Condition, open: impl Fn(Condition) -> Result<Vec<Condition>, Condition>) -> Vec<Condition> {
    let mut all = open(a).unwrap_or_else(|c| vec![c]);
    match open(b) {
        Ok(more) => all.extend(more),
        Err(one) => all.push(one),
    }
    all
}

fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Equal => Comparison::Equal,
        BinaryOp::NotEqual => Comparison::NotEqual,
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessEqual => Comparison::LessEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterEqual => Comparison::GreaterEqual,
        _ => return None,
    })
}
