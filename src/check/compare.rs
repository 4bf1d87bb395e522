//! Arithmetic, comparisons, `if`: what is written without a call; and the words in them that are labels.
//!
//! A bare word that is a label of the type at hand (the other side's, the branch's, the written one) is that label, even
//! where something else has the same name.
//!
//! Rejected here, for example: `1 <= tone <= 3`, which would compare a yes/no with 3.

use super::elaborate::{Elaborator, State};
use super::faults::Spans;
use super::lower::{Env, Lowered, Naming, Place};
use crate::catalog::Op;
use crate::catalog::typing::{Argument, Literal, Written};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::resolve::scope::{DeclKind, Lookup};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{FieldKind, Type};
use std::sync::Arc;

impl Elaborator<'_> {
    /// Lowers an expression where a label of `labels` may stand.
    pub fn operand(&mut self, env: &Env<'_>, expr: &Expr, place: Place<'_>, labels: Option<&Type>) -> Lowered {
        if let ExprKind::Text(text) = &expr.bare().kind
            && labels.is_some_and(|ty| ty.labels().is_some())
        {
            return Lowered::Constant(Literal::Label(Arc::clone(&text.value)));
        }
        let Some(word) = expr.word() else { return self.lower(env, expr, place) };
        let label = || Lowered::Constant(Literal::Label(Arc::clone(&word.text)));
        let Some(ty) = labels.filter(|ty| ty.labels().is_some()) else { return self.lower(env, expr, place) };
        if ty.rank(&word.text).is_some() {
            return label();
        }
        if env.param(&word.text).is_some() || self.scopes.knows(env.unit, &word.text) {
            return self.lower(env, expr, place);
        }
        // Neither: the typing of the operator says which labels there are.
        label()
    }

    /// Lowers two expressions, each of which may be a label of the other's type.
    fn pair(
        &mut self,
        env: &Env<'_>,
        (left, left_place): (&Expr, Place<'_>),
        (right, right_place): (&Expr, Place<'_>),
    ) -> (Lowered, Lowered) {
        let ambiguous = |expr: &Expr| expr.word().is_some() || matches!(expr.bare().kind, ExprKind::Text(_));
        match (ambiguous(left), ambiguous(right)) {
            (false, false) => (self.lower(env, left, left_place), self.lower(env, right, right_place)),
            (true, false) => {
                let lowered = self.lower(env, right, right_place);
                let ty = self.type_of_lowered(&lowered);
                (self.operand(env, left, left_place, ty.as_ref()), lowered)
            }
            (false, true) => {
                let lowered = self.lower(env, left, left_place);
                let ty = self.type_of_lowered(&lowered);
                let other = self.operand(env, right, right_place, ty.as_ref());
                (lowered, other)
            }
            (true, true) => {
                let (left_type, right_type) = (self.peek(env, left), self.peek(env, right));
                let is_label = |expr: &Expr, ty: &Option<Type>| {
                    let word = expr.word().map(|w| &*w.text);
                    word.is_some_and(|word| ty.as_ref().is_some_and(|ty| ty.rank(word).is_some()))
                };
                if !is_label(right, &left_type) && (is_label(left, &right_type) || left_type.is_none()) {
                    let lowered = self.lower(env, right, right_place);
                    return (self.operand(env, left, left_place, right_type.as_ref()), lowered);
                }
                let lowered = self.lower(env, left, left_place);
                let other = self.operand(env, right, right_place, left_type.as_ref());
                (lowered, other)
            }
        }
    }

    /// The type of what a word names, without a word about it if it names nothing.
    fn peek(&mut self, env: &Env<'_>, expr: &Expr) -> Option<Type> {
        let word = expr.word()?;
        if let Some(bound) = env.param(&word.text) {
            return self.type_of_lowered(bound);
        }
        let Lookup::Found(id, []) = self.scopes.lookup(env.unit, std::slice::from_ref(word)) else { return None };
        match self.states.get(id.0)? {
            State::Active => None,
            _ => match self.ensure(id) {
                State::Node(node) => self.type_of(node).cloned(),
                State::Other if matches!(self.scopes.get(id)?.kind, DeclKind::Field(..)) => Some(Type::BOOL),
                _ => None,
            },
        }
    }

    fn type_of_lowered(&self, lowered: &Lowered) -> Option<Type> {
        lowered.node().and_then(|id| self.type_of(id)).cloned()
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the expression as the tree has them")]
    pub fn binary(
        &mut self,
        env: &Env<'_>,
        expr: &Expr,
        op: BinaryOp,
        at: Span,
        left: &Expr,
        right: &Expr,
        place: Place<'_>,
    ) -> Lowered {
        let operator = match op {
            BinaryOp::And | BinaryOp::Or => return self.joined(env, expr, op, place),
            BinaryOp::Add => Op::Add,
            BinaryOp::Subtract => Op::Subtract,
            BinaryOp::Multiply => Op::Multiply,
            BinaryOp::Divide => Op::Divide,
            BinaryOp::Equal => Op::Equal,
            BinaryOp::NotEqual => Op::NotEqual,
            BinaryOp::Less => Op::Less,
            BinaryOp::LessEqual => Op::LessEqual,
            BinaryOp::Greater => Op::Greater,
            BinaryOp::GreaterEqual => Op::GreaterEqual,
        };
        if is_comparison(op) {
            if let Some(found) = self.chained(op, at, left, right) {
                self.report(env, found);
                return Lowered::Error;
            }
            if self.of_fields(env, left) == Some(true) && self.of_fields(env, right).is_some()
                || self.of_fields(env, right) == Some(true) && self.of_fields(env, left).is_some()
            {
                return self.field_comparison(env, expr, place);
            }
        }
        let name = place.name();
        let parent = place.parent(&name);
        let left_place = Place::of(Naming::Port(parent, "left"));
        let right_place = Place::of(Naming::Port(parent, "right"));
        let (left_side, right_side) = if is_comparison(op) {
            self.pair(env, (left, left_place), (right, right_place))
        } else {
            (self.lower(env, left, left_place), self.lower(env, right, right_place))
        };
        let arguments =
            [vec![self.single(env, &left_side, left.span)], vec![self.single(env, &right_side, right.span)]];
        let spans = Spans::of(expr.span).slot(0, left.span).slot(1, right.span);
        self.apply(env, operator, &arguments, &Written::default(), place, Arc::clone(&name), &spans)
    }

    /// `a < b < c`
    fn chained(&self, op: BinaryOp, at: Span, left: &Expr, right: &Expr) -> Option<Diagnostic> {
        let inner = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(op, _, a, b) if is_comparison(*op) => Some((*op, a.span, b.span)),
            _ => None,
        };
        let (first, second) = match (inner(left), inner(right)) {
            (Some((inner, a, b)), _) => (
                format!("{} {} {}", self.text(a), inner.symbol(), self.text(b)),
                format!("{} {} {}", self.text(b), op.symbol(), self.text(right.span)),
            ),
            (None, Some((inner, a, b))) => (
                format!("{} {} {}", self.text(left.span), op.symbol(), self.text(a)),
                format!("{} {} {}", self.text(a), inner.symbol(), self.text(b)),
            ),
            (None, None) => return None,
        };
        Some(
            Diagnostic::error(
                Code::CHAINED_COMPARISON,
                at,
                "comparisons do not chain",
                "this would compare a yes or no",
            )
            .help("compare twice, with `and` between")
            .fix(
                format!("write `{first} and {second}`"),
                vec![Edit::new(left.span.to(right.span), format!("({first} and {second})"))],
            ),
        )
    }

    /// Whether an expression is arithmetic of `number` fields and numbers: `Some(true)` with a field in it.
    fn of_fields(&self, env: &Env<'_>, expr: &Expr) -> Option<bool> {
        match &expr.kind {
            ExprKind::Number(_) => Some(false),
            ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Negate, inner) => self.of_fields(env, inner),
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide,
                _,
                left,
                right,
            ) => {
                let left = self.of_fields(env, left)?;
                Some(self.of_fields(env, right)? || left)
            }
            ExprKind::Path(path) => {
                if path.parts.len() == 1 && env.param(&path.dotted()).is_some() {
                    return None;
                }
                let Lookup::Found(id, rest) = self.scopes.lookup(env.unit, &path.parts) else { return None };
                let decl = self.scopes.get(id)?;
                if !matches!(decl.kind, DeclKind::Field(..) | DeclKind::Candidate(_)) {
                    return None;
                }
                let field = self.field_of(path, rest)?;
                (self.fields.get(field)?.kind == FieldKind::Number).then_some(true)
            }
            _ => None,
        }
    }

    /// A comparison of `number` fields: a rule that nobody declared, named by its place.
    fn field_comparison(&mut self, env: &Env<'_>, expr: &Expr, place: Place<'_>) -> Lowered {
        let mut optional = false;
        let rule = self.field_rule(env, expr, &mut optional);
        let name = place.name();
        let doc = place.doc.cloned().unwrap_or_else(|| Arc::from(""));
        let span = place.span.unwrap_or(expr.span);
        let ty = Type::BOOL.with_optional(optional);
        match self.implied_rule(&rule, ty, &name, doc, span) {
            Some(id) => Lowered::Node(id),
            None => Lowered::Error,
        }
    }

    /// The expression with fields under the names that they have in the program.
    fn field_rule(&self, env: &Env<'_>, expr: &Expr, optional: &mut bool) -> Expr {
        let mut copy = expr.clone();
        match &mut copy.kind {
            ExprKind::Path(path) => {
                if let Lookup::Found(_, rest) = self.scopes.lookup(env.unit, &path.parts)
                    && let Some(field) = self.field_of(path, rest).and_then(|id| self.fields.get(id))
                {
                    *optional |= field.optional;
                    return super::elaborate::field_expr(&field.name, expr.span);
                }
            }
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => **inner = self.field_rule(env, inner, optional),
            ExprKind::Binary(_, _, left, right) => {
                **left = self.field_rule(env, left, optional);
                **right = self.field_rule(env, right, optional);
            }
            _ => {}
        }
        copy
    }

    /// `if C then A else B`
    pub fn branches(
        &mut self,
        env: &Env<'_>,
        expr: &Expr,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        place: Place<'_>,
    ) -> Lowered {
        let name = place.name();
        let parent = place.parent(&name);
        let test = self.lower(env, condition, Place::of(Naming::Port(parent, "condition")));
        let test = self.single(env, &test, condition.span);
        let then_place = Place::of(Naming::Port(parent, "then"));
        let else_place = Place::of(Naming::Port(parent, "else"));
        let (yes, no) = match place.written.filter(|ty| ty.labels().is_some()) {
            Some(ty) => {
                (self.operand(env, then, then_place, Some(ty)), self.operand(env, otherwise, else_place, Some(ty)))
            }
            None => self.pair(env, (then, then_place), (otherwise, else_place)),
        };
        let arguments: [Vec<Argument>; 3] =
            [vec![test], vec![self.single(env, &yes, then.span)], vec![self.single(env, &no, otherwise.span)]];
        let spans = Spans::of(expr.span).slot(0, condition.span).slot(1, then.span).slot(2, otherwise.span);
        self.apply(env, Op::If, &arguments, &Written::default(), place, Arc::clone(&name), &spans)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
