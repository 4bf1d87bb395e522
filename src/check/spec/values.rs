//! Values in tests and conditions, read in the type of what they stand beside.

use crate::diagnostics::{Code, Diagnostic, Edit, did_you_mean};
use crate::number::Number;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{Base, Type, Value, quote_label};

/// Most copies of one label that a test may write for a tally are those that its type allows; this bounds the list itself.
const MOST_LISTED: usize = 100_000;

/// A number that is written out: `3`, `-0.5`, `2/3`, `1 - 1/3`. `None` where it is no such thing or divides by 0.
pub(super) fn number(expr: &Expr) -> Option<Number> {
    match &expr.bare().kind {
        ExprKind::Number(n) => Some(n.clone()),
        ExprKind::Unary(UnaryOp::Negate, of) => number(of).map(|n| -n),
        ExprKind::Binary(op, _, a, b) => {
            let (a, b) = (number(a)?, number(b)?);
            match op {
                BinaryOp::Add => Some(a + b),
                BinaryOp::Subtract => Some(a - b),
                BinaryOp::Multiply => Some(a * b),
                BinaryOp::Divide => a.checked_div(&b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The text of a label: a word or a quoted text.
pub(super) fn label(expr: &Expr) -> Option<String> {
    match &expr.bare().kind {
        ExprKind::Text(text) => Some(text.value.to_string()),
        _ => expr.word().map(|n| n.text.to_string()),
    }
}

/// Reads a value of `ty`, which belongs to `what` (as a message names it).
///
/// # Errors
/// What is wrong with it; `None` where that has been reported as a syntax error.
pub(super) fn value(expr: &Expr, ty: &Type, what: &str) -> Result<Value, Option<Box<Diagnostic>>> {
    let bare = expr.bare();
    let wrong = |label: String| {
        let headline = format!("this is not a value of {what}, whose type is `{ty}`");
        Diagnostic::error(Code::SPEC_VALUE, expr.span, headline, label)
    };
    let rank = |expr: &Expr| -> Result<u32, Option<Box<Diagnostic>>> {
        if expr.bare().kind == ExprKind::Error {
            return Err(None);
        }
        let labels = ty.labels();
        let known = || labels.into_iter().flat_map(|l| l.iter().map(|l| &**l));
        let all = known().map(|l| format!("`{}`", quote_label(l))).collect::<Vec<_>>().join(", ");
        match label(expr) {
            Some(text) => match ty.rank(&text) {
                Some(rank) => Ok(rank),
                None => {
                    let headline = format!("`{text}` is not a label of {what}, whose type is `{ty}`");
                    let mut wrong = Diagnostic::error(Code::SPEC_VALUE, expr.span, headline, "no such label")
                        .help(format!("its labels are {all}"));
                    if let Some(near) = did_you_mean(&text, known()) {
                        let near = quote_label(near);
                        wrong = wrong
                            .help(format!("did you mean `{near}`?"))
                            .suggestion(format!("write `{near}`"), vec![Edit::new(expr.span, near)]);
                    }
                    Err(Some(Box::new(wrong)))
                }
            },
            None => Err(Some(Box::new(
                Diagnostic::error(
                    Code::SPEC_VALUE,
                    expr.span,
                    format!("this is not a label of {what}, whose type is `{ty}`"),
                    "not a label",
                )
                .help(format!("its labels are {all}")),
            ))),
        }
    };
    let found = match (&ty.base, &bare.kind) {
        (_, ExprKind::Error) => return Err(None),
        (_, ExprKind::Unknown) if ty.optional => return Ok(Value::Unknown),
        (_, ExprKind::Unknown) => {
            return Err(Some(Box::new(
                wrong("it is never unknown".to_owned()).help(format!("only `{}` could be", ty.clone().optional())),
            )));
        }
        (Base::Bool, ExprKind::Bool(b)) => Value::Bool(*b),
        (Base::Bool, _) => return Err(Some(Box::new(wrong("not `true` or `false`".to_owned())))),
        (Base::Int { .. } | Base::Score { .. } | Base::Real, _) => match number(bare) {
            Some(n) => Value::Number(n),
            None => return Err(Some(Box::new(wrong("not a number".to_owned())))),
        },
        (Base::Ordinal(_) | Base::Choice(_), _) => Value::Label(rank(bare)?),
        (Base::Set(_), ExprKind::List(list)) => {
            let mut ranks = list.iter().map(rank).collect::<Result<Vec<_>, _>>()?;
            ranks.sort_unstable();
            ranks.dedup();
            Value::Set(ranks.into())
        }
        (Base::Tally { labels, .. }, ExprKind::List(list)) if list.len() <= MOST_LISTED => {
            let mut counts = vec![0_u32; labels.len()];
            for entry in list {
                if let Some(count) = counts.get_mut(rank(entry)? as usize) {
                    *count += 1;
                }
            }
            Value::Tally(counts.into())
        }
        (Base::Set(_) | Base::Tally { .. }, _) => {
            return Err(Some(Box::new(
                wrong("not a list of labels".to_owned()).help("write a list in square brackets, `[]` for none"),
            )));
        }
        (Base::Items, _) => return Err(Some(Box::new(wrong("not a value".to_owned())))),
    };
    if ty.holds(&found) {
        return Ok(found);
    }
    let why = match &ty.base {
        Base::Int { .. } if found.as_number().is_some_and(|n| !n.is_integer()) => "not a whole number",
        Base::Tally { .. } => "more of one label than the type allows",
        _ => "outside the interval",
    };
    Err(Some(Box::new(wrong(why.to_owned()))))
}
