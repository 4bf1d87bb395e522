//! Constants: literal arithmetic, and what may stand in parameters and tables.

use super::elaborate::Elaborator;
use super::lower::{Env, Lowered};
use crate::catalog::typing::Literal;
use crate::diagnostics::{Code, Diagnostic};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use std::sync::Arc;

/// The number of an expression that is arithmetic of numbers alone; `None` where it is not, `Err` with the place where it
/// divides by zero.
pub(super) fn fold(env: &Env<'_>, expr: &Expr) -> Option<Result<Number, Span>> {
    Some(match &expr.kind {
        ExprKind::Number(number) => Ok(number.clone()),
        ExprKind::Paren(inner) => return fold(env, inner),
        ExprKind::Unary(UnaryOp::Negate, inner) => match fold(env, inner)? {
            Ok(number) => Ok(-number),
            Err(span) => Err(span),
        },
        ExprKind::Path(path) => match (path.parts.as_slice(), env.params) {
            ([word], Some(params)) => match params.get(&*word.text) {
                Some(Lowered::Constant(Literal::Number(number))) => Ok(number.clone()),
                _ => return None,
            },
            _ => return None,
        },
        ExprKind::Binary(
            op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide),
            _,
            left,
            right,
        ) => {
            let right_value = fold(env, right)?;
            let left_value = fold(env, left)?;
            match (left_value, right_value) {
                (Ok(left), Ok(divisor)) => match op {
                    BinaryOp::Add => Ok(left + divisor),
                    BinaryOp::Subtract => Ok(&left - &divisor),
                    BinaryOp::Multiply => Ok(left * divisor),
                    _ => left.checked_div(&divisor).ok_or(right.span),
                },
                (Err(span), _) | (_, Err(span)) => Err(span),
            }
        }
        _ => return None,
    })
}

impl Elaborator<'_> {
    /// A number that stands in the program; anything else is reported as what it is for (`a weight`).
    pub fn number(&mut self, env: &Env<'_>, expr: &Expr, what: &str) -> Option<Number> {
        if matches!(expr.bare().kind, ExprKind::Error) {
            return None;
        }
        match self.folded(env, expr) {
            Some(number) => number.ok(),
            None => {
                if self.is_error(env, expr) {
                    return None;
                }
                self.report(env, not_constant(expr.span, what, "a number"));
                None
            }
        }
    }

    /// Whether an expression is a parameter that is in error already.
    fn is_error(&self, env: &Env<'_>, expr: &Expr) -> bool {
        expr.word().and_then(|w| env.param(&w.text)).is_some_and(|p| matches!(p, Lowered::Error))
    }

    /// A constant of a table or a parameter: a number, a bool, `unknown`, or a word that is a label.
    pub fn literal(&mut self, env: &Env<'_>, expr: &Expr, what: &str) -> Option<Literal> {
        if let Some(number) = self.folded(env, expr) {
            return number.ok().map(Literal::Number);
        }
        match &expr.bare().kind {
            ExprKind::Bool(value) => Some(Literal::Bool(*value)),
            ExprKind::Unknown => Some(Literal::Unknown),
            ExprKind::Text(text) => Some(Literal::Label(Arc::clone(&text.value))),
            ExprKind::Error => None,
            ExprKind::Path(path) => match path.parts.as_slice() {
                [word] => match env.param(&word.text) {
                    Some(Lowered::Constant(literal)) => Some(literal.clone()),
                    Some(Lowered::Error) => None,
                    Some(_) => {
                        self.report(env, not_constant(expr.span, what, "a constant"));
                        None
                    }
                    None => Some(Literal::Label(Arc::clone(&word.text))),
                },
                _ => {
                    self.report(env, not_constant(expr.span, what, "a constant"));
                    None
                }
            },
            _ => {
                self.report(env, not_constant(expr.span, what, "a constant"));
                None
            }
        }
    }
}

fn not_constant(span: Span, what: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_CONSTANT,
        span,
        format!("{what} is {wanted} that stands in the program"),
        "not known before judging",
    )
    .help("write it out, for example `0.5` or `2/3`; what judges say cannot change it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ast::Expr;

    fn number(n: i64) -> Expr {
        let kind = ExprKind::Number(Number::int(n));
        Expr { kind, span: Span::default(), depth: 0 }
    }

    fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let kind = ExprKind::Binary(op, Span::default(), Box::new(left), Box::new(right));
        Expr { kind, span: Span::default(), depth: 1 }
    }

    #[test]
    fn literal_arithmetic_is_exact() {
        let third = binary(BinaryOp::Divide, number(1), number(3));
        let sum = binary(BinaryOp::Add, third.clone(), binary(BinaryOp::Multiply, number(2), third));
        assert_eq!(fold(&Env::of(0), &sum), Some(Ok(Number::ONE)));
        let zero = binary(BinaryOp::Divide, number(1), binary(BinaryOp::Subtract, number(2), number(2)));
        assert!(matches!(fold(&Env::of(0), &zero), Some(Err(_))));
    }
}
