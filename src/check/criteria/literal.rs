//! Constants in bodies and tables: numbers with their sign and simple fractions, labels, bools, lists of labels.

use crate::diagnostics::{Code, Diagnostic, Edit, Sink, did_you_mean};
use crate::number::Number;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{Base, Type, Value};

/// The number that a constant expression is worth: literals with signs and `+ - * /` between them (`2/3`, `-1`).
#[must_use]
pub fn constant(expr: &Expr) -> Option<Number> {
    match &expr.bare().kind {
        ExprKind::Number(n) => Some(n.clone()),
        ExprKind::Unary(UnaryOp::Negate, inner) => Some(-constant(inner)?),
        ExprKind::Binary(op, _, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => Some(left + right),
                BinaryOp::Subtract => Some(left - right),
                BinaryOp::Multiply => Some(left * right),
                BinaryOp::Divide => left.checked_div(&right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of type `ty` that `expr` writes; what does not fit is reported with `code`.
pub fn value(expr: &Expr, ty: &Type, code: Code, sink: &mut Sink) -> Option<Value> {
    let found = match read(expr, ty) {
        Ok(value) => return Some(value),
        Err(None) => return None,
        Err(Some(found)) => found,
    };
    let mut told =
        Diagnostic::error(code, expr.span, format!("{found} is not a value of {ty}"), "does not belong here");
    let near =
        expr.word().zip(ty.labels()).and_then(|(word, labels)| did_you_mean(&word.text, labels.iter().map(|l| &**l)));
    told = match (near, ty.labels(), ty.interval()) {
        (Some(near), _, _) => told
            .help(format!("did you mean `{near}`?"))
            .suggestion(format!("write `{near}`"), vec![Edit::new(expr.span, near)]),
        (None, Some(labels), _) => {
            let all: Vec<_> = labels.iter().take(12).map(|l| format!("`{l}`")).collect();
            told.help(format!("its labels are {}", all.join(", ")))
        }
        (None, None, Some((lo, hi))) => told.help(format!("it goes from {lo} to {hi}")),
        (None, None, None) => told.help("write `true` or `false`"),
    };
    sink.push(told);
    None
}

/// `Err(None)`: the expression is already in error; `Err(Some(words))`: what was found instead.
fn read(expr: &Expr, ty: &Type) -> Result<Value, Option<String>> {
    let kind = &expr.bare().kind;
    let value = match (kind, &ty.base) {
        (ExprKind::Error, _) => return Err(None),
        (ExprKind::Unknown, _) => Value::Unknown,
        (ExprKind::Bool(b), Base::Bool) => Value::Bool(*b),
        (ExprKind::Path(_) | ExprKind::Text(_), Base::Ordinal(_) | Base::Choice(_)) => {
            let (text, shown) = label(expr);
            Value::Label(ty.rank(&text).ok_or(Some(shown))?)
        }
        (ExprKind::List(list), Base::Set(_) | Base::Tally { .. }) => labels(list, ty)?,
        // In a level of a set or tally, a label stands for itself.
        _ => match constant(expr) {
            Some(n) if ty.is_number() => Value::Number(n),
            Some(n) => return Err(Some(format!("`{}`", n.exact()))),
            None => return Err(Some(shown(expr))),
        },
    };
    if ty.holds(&value) { Ok(value) } else { Err(Some(shown(expr))) }
}

fn labels(list: &[Expr], ty: &Type) -> Result<Value, Option<String>> {
    let mut ranks = Vec::new();
    for entry in list {
        let (text, shown) = label(entry);
        ranks.push(ty.rank(&text).ok_or(Some(shown))?);
    }
    if let Base::Tally { labels, .. } = &ty.base {
        let mut counts = vec![0_u32; labels.len()];
        for rank in ranks {
            if let Some(count) = counts.get_mut(rank as usize) {
                *count += 1;
            }
        }
        return Ok(Value::Tally(counts.into()));
    }
    ranks.sort_unstable();
    ranks.dedup();
    Ok(Value::Set(ranks.into()))
}

/// A label's text, and how to show it.
pub(super) fn label(expr: &Expr) -> (String, String) {
    match &expr.bare().kind {
        ExprKind::Path(path) => (path.dotted(), format!("`{}`", path.dotted())),
        ExprKind::Text(text) => (text.value.to_string(), format!("`{}`", text.value)),
        _ => (String::new(), shown(expr)),
    }
}

fn shown(expr: &Expr) -> String {
    match &expr.bare().kind {
        ExprKind::Path(path) => format!("`{}`", path.dotted()),
        ExprKind::Text(text) => format!("\"{}\"", text.value.chars().take(40).collect::<String>()),
        ExprKind::Bool(b) => format!("`{b}`"),
        ExprKind::Unknown => "`unknown`".to_owned(),
        ExprKind::Number(n) => format!("`{}`", n.exact()),
        ExprKind::List(_) => "a list".to_owned(),
        _ => constant(expr).map_or_else(|| "this".to_owned(), |n| format!("`{}`", n.exact())),
    }
}
