//! Arithmetic, comparisons, conditions and `if` in rules.

use super::{Compiler, Kind, Node, Part, Range, ReadAs, Tier, wrap};
use crate::diagnostics::{Code, Diagnostic};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

impl Compiler<'_, '_> {
    pub(super) fn negate(&mut self, of: &Expr, span: Span) -> Option<Part> {
        let part = self.part(of, false)?;
        self.negated(part, span)
    }

    fn negated(&mut self, part: Part, span: Span) -> Option<Part> {
        let part = self.read(part, ReadAs::Number, "`-`")?;
        let range = number(&part).negate();
        let text = format!("-{}", part.at(Tier::Atom));
        let node = Node::Negate(Box::new(part.node));
        Some(Part { node, kind: Kind::Number(range), optional: part.optional, text, tier: Tier::Negate, span })
    }

    pub(super) fn not(&mut self, of: &Expr, span: Span) -> Option<Part> {
        let part = self.part(of, false)?;
        self.inverted(part, span)
    }

    fn inverted(&mut self, part: Part, span: Span) -> Option<Part> {
        let part = self.read(part, ReadAs::Bool, "`not`")?;
        let text = format!("not {}", part.at(Tier::Not));
        let node = Node::Not(Box::new(part.node));
        Some(Part { node, kind: Kind::Bool, optional: part.optional, text, tier: Tier::Not, span })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, at: Span, left: &Expr, right: &Expr, span: Span) -> Option<Part> {
        self.unchained(op, at, left, right)?;
        let (a, b) = (self.part(left, false), self.part(right, false));
        self.joined(op, at, a?, b?, span)
    }

    /// Refuses `a < b < c`.
    fn unchained(&mut self, op: BinaryOp, at: Span, left: &Expr, right: &Expr) -> Option<()> {
        let Some(inner) = [left, right].into_iter().find(|e| compares(op) && is_comparison(e)) else { return Some(()) };
        let wrong = Diagnostic::error(
            Code::RULE_TYPE,
            at,
            "comparisons cannot be chained",
            format!("compares a comparison with `{}`", op.symbol()),
        );
        self.report(wrong.also(inner.span, "this is a yes or no").help("write `a < b and b < c`"))
    }

    fn joined(&mut self, op: BinaryOp, at: Span, a: Part, b: Part, span: Span) -> Option<Part> {
        let compares = compares(op);
        let of = format!("`{}`", op.symbol());
        let (a, b) = match op {
            BinaryOp::And | BinaryOp::Or => self.both(a, b, ReadAs::Bool, &of)?,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                self.both(a, b, ReadAs::Number, &of)?
            }
            _ => self.comparable(op, a, b, at)?,
        };
        let kind = match op {
            BinaryOp::Add => Kind::Number(number(&a).add(&number(&b))),
            BinaryOp::Subtract => Kind::Number(number(&a).subtract(&number(&b))),
            BinaryOp::Multiply => Kind::Number(number(&a).multiply(&number(&b))),
            BinaryOp::Divide => match number(&a).divide(&number(&b)) {
                Some(range) => Kind::Number(range),
                None => return self.may_divide_by_zero(&b),
            },
            _ => Kind::Bool,
        };
        if compares {
            self.never_acts(op, &a, &b, span);
        }
        let tier = tier(op);
        let next = match tier {
            Tier::Or => Tier::And,
            Tier::And => Tier::Not,
            Tier::Compare => Tier::Sum,
            Tier::Sum => Tier::Product,
            _ => Tier::Negate,
        };
        let text = format!("{} {} {}", a.at(if compares { next } else { tier }), op.symbol(), b.at(next));
        let optional = a.optional || b.optional;
        let node = Node::Binary(op, Box::new(a.node), Box::new(b.node));
        Some(Part { node, kind, optional, text, tier, span })
    }

    fn both(&mut self, a: Part, b: Part, as_: ReadAs, of: &str) -> Option<(Part, Part)> {
        let (a, b) = (self.read(a, as_, of), self.read(b, as_, of));
        Some((a?, b?))
    }

    fn may_divide_by_zero(&mut self, divisor: &Part) -> Option<Part> {
        let range = number(divisor);
        let mut wrong = Diagnostic::error(
            Code::RULE_DIVISION,
            divisor.span,
            "this divides by something that can be 0",
            range.words(),
        );
        wrong = if range.lo.as_ref().is_some_and(|lo| !lo.is_negative()) && range.whole {
            wrong
                .help("keep it above 0: `max(…, 1)`")
                .suggestion("divide by at least 1", wrap(divisor.span, "max(", ", 1)"))
        } else {
            wrong.help("keep it away from 0, as in `clamp(…, to: score[0.1..1000])`")
        };
        self.report(wrong)
    }

    /// Two sides that can be compared: JSON takes the other side's kind.
    fn comparable(&mut self, op: BinaryOp, a: Part, b: Part, at: Span) -> Option<(Part, Part)> {
        let of = format!("`{}`", op.symbol());
        let as_ = |kind: &Kind| match kind {
            Kind::Text => Some(ReadAs::Text),
            Kind::Bool => Some(ReadAs::Bool),
            Kind::Number(_) => Some(ReadAs::Number),
            _ => None,
        };
        if let Some(part) = [&a, &b].into_iter().find(|p| p.kind == Kind::Unknown) {
            let wrong = Diagnostic::error(
                Code::RULE_TYPE,
                part.span,
                "nothing can be compared with `unknown`: the answer is unknown itself",
                "unknown",
            );
            return self.report(wrong.help("ask whether there is a value: `known(…)`, `not known(…)`"));
        }
        let ordered = !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let countable = |kind: &Kind| matches!(kind, Kind::Number(_) | Kind::Json { .. });
        if ordered && !countable(&a.kind) && !countable(&b.kind) {
            let headline = format!(
                "`{}` puts numbers in order, and these are {} and {}",
                op.symbol(),
                a.kind.words(),
                b.kind.words()
            );
            return self.report(Diagnostic::error(Code::RULE_TYPE, at, headline, "no numbers"));
        }
        let as_ = if ordered { Some(ReadAs::Number) } else { as_(&a.kind).or_else(|| as_(&b.kind)) };
        let Some(as_) = as_ else {
            let wrong = Diagnostic::error(
                Code::RULE_TYPE,
                at,
                format!("{} and {} cannot be compared", a.kind.words(), b.kind.words()),
                "no text, number or yes-or-no on either side",
            );
            return self
                .report(wrong.help("compare a part of it: `json_get(…, \"/name\") == \"value\"`, `size(…) == 3`"));
        };
        self.both(a, b, as_, &of)
    }

    /// Warns where a comparison of numbers comes out the same whatever the record holds.
    fn never_acts(&mut self, op: BinaryOp, a: &Part, b: &Part, span: Span) {
        let (Kind::Number(a), Kind::Number(b)) = (&a.kind, &b.kind) else { return };
        let less = |a: &Range, b: &Range, equal: bool| match (&a.hi, &b.lo) {
            (Some(hi), Some(lo)) => hi < lo || equal && hi == lo,
            _ => false,
        };
        let (always, never) = match op {
            BinaryOp::Less => (less(a, b, false), less(b, a, true)),
            BinaryOp::LessEqual => (less(a, b, true), less(b, a, false)),
            BinaryOp::Greater => (less(b, a, false), less(a, b, true)),
            BinaryOp::GreaterEqual => (less(b, a, true), less(a, b, false)),
            BinaryOp::Equal => (false, less(a, b, false) || less(b, a, false)),
            _ => (less(a, b, false) || less(b, a, false), false),
        };
        if always || never {
            let what = if always { "always holds" } else { "never holds" };
            let warning = Diagnostic::warning(
                Code::NEVER_ACTS,
                span,
                format!("this comparison {what}"),
                format!("{}, against {}", a.words(), b.words()),
            );
            self.sink.push(warning.help("compare with a number that it can fall on either side of, or leave it out"));
        }
    }

    pub(super) fn choose(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        result: bool,
        span: Span,
    ) -> Option<Part> {
        let condition = self.part(condition, false);
        let (a, b) = (self.part(then, result), self.part(otherwise, result));
        self.chosen(condition, a, b, span)
    }

    fn chosen(&mut self, condition: Option<Part>, a: Option<Part>, b: Option<Part>, span: Span) -> Option<Part> {
        let condition = condition.and_then(|c| self.read(c, ReadAs::Bool, "`if`"));
        let (condition, a, b) = (condition?, a?, b?);
        let (a, b, kind) = self.unify(a, b, "the branches of `if`")?;
        let text = format!("if {} then {} else {}", condition.at(Tier::Or), a.at(Tier::Or), b.at(Tier::If));
        let optional = condition.optional || a.optional || b.optional;
        let node = Node::If(Box::new(condition.node), Box::new(a.node), Box::new(b.node));
        Some(Part { node, kind, optional, text, tier: Tier::If, span })
    }

    /// Two parts of which either may be the value: one kind, the hull of two numbers.
    pub(super) fn unify(&mut self, a: Part, b: Part, of: &str) -> Option<(Part, Part, Kind)> {
        let as_ = |kind: &Kind| match kind {
            Kind::Text => Some(ReadAs::Text),
            Kind::Bool => Some(ReadAs::Bool),
            Kind::Number(_) => Some(ReadAs::Number),
            _ => None,
        };
        let is_json = |k: &Kind| matches!(k, Kind::Json { .. });
        let (a, b) = match (as_(&a.kind), as_(&b.kind)) {
            (Some(as_), _) if is_json(&b.kind) => (a, self.read(b, as_, of)?),
            (_, Some(as_)) if is_json(&a.kind) => (self.read(a, as_, of)?, b),
            _ => (a, b),
        };
        let kind = match (&a.kind, &b.kind) {
            (Kind::Unknown, kind) | (kind, Kind::Unknown) => kind.clone(),
            (Kind::Number(x), Kind::Number(y)) => Kind::Number(x.hull(y)),
            (Kind::Json { strict: x }, Kind::Json { strict: y }) => Kind::Json { strict: *x && *y },
            (x, y) if x == y => x.clone(),
            (x, y) => {
                let wrong = Diagnostic::error(
                    Code::RULE_TYPE,
                    b.span,
                    format!("{of} must be of one kind, and these are {} and {}", x.words(), y.words()),
                    y.words(),
                );
                return self.report(wrong.also(a.span, x.words()));
            }
        };
        Some((a, b, kind))
    }
}

/// The interval of a part that has been read as a number.
pub(super) fn number(part: &Part) -> Range {
    match &part.kind {
        Kind::Number(range) => range.clone(),
        _ => Range::all(),
    }
}

/// The number of an expression that is written out: `3`, `-0.5`.
pub(super) fn literal(expr: &Expr) -> Option<Number> {
    match &expr.bare().kind {
        ExprKind::Number(n) => Some(n.clone()),
        ExprKind::Unary(UnaryOp::Negate, of) => match &of.bare().kind {
            ExprKind::Number(n) => Some(-n.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn compares(op: BinaryOp) -> bool {
    tier(op) == Tier::Compare
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(op, ..) if compares(*op))
}

fn tier(op: BinaryOp) -> Tier {
    match op {
        BinaryOp::Or => Tier::Or,
        BinaryOp::And => Tier::And,
        BinaryOp::Add | BinaryOp::Subtract => Tier::Sum,
        BinaryOp::Multiply | BinaryOp::Divide => Tier::Product,
        _ => Tier::Compare,
    }
}
