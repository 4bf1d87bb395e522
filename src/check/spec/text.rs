//! Requirements and tests as text, in canonical layout: what stands in a JSON program and parses back to the same.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Given, Item, ItemKind, Path, RequireKind, UnaryOp};
use crate::types::quote;

/// How tightly an expression binds, loosest first.
fn tier(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::If { .. } => 0,
        ExprKind::Binary(op, ..) => match op {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Add | BinaryOp::Subtract => 5,
            BinaryOp::Multiply | BinaryOp::Divide => 6,
            _ => 4,
        },
        ExprKind::Unary(UnaryOp::Not, _) => 3,
        ExprKind::Unary(UnaryOp::Negate, _) => 7,
        _ => 8,
    }
}

/// A condition or a value. What cannot stand in either (and has been refused) prints as `…`.
pub(super) fn expression(expr: &Expr) -> String {
    let at = |inner: &Expr, least: u8| {
        let bare = inner.bare();
        if tier(bare) >= least { expression(bare) } else { format!("({})", expression(bare)) }
    };
    match &expr.kind {
        ExprKind::Paren(inner) => expression(inner),
        ExprKind::Path(path) => path.dotted(),
        ExprKind::Index(path, n) => format!("{}[{}]", path.dotted(), n.exact()),
        ExprKind::Number(n) => n.exact(),
        ExprKind::Text(text) => quote(&text.value),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Unknown => "unknown".to_owned(),
        ExprKind::Unary(UnaryOp::Not, of) => format!("not {}", at(of, 3)),
        ExprKind::Unary(UnaryOp::Negate, of) => format!("-{}", at(of, 8)),
        ExprKind::Binary(op, _, a, b) => {
            let own = tier(expr);
            format!("{} {} {}", at(a, if own == 4 { 5 } else { own }), op.symbol(), at(b, own + 1))
        }
        ExprKind::List(list) => format!("[{}]", list.iter().map(expression).collect::<Vec<_>>().join(", ")),
        ExprKind::Type(_) | ExprKind::Call { .. } | ExprKind::If { .. } | ExprKind::Error => "…".to_owned(),
    }
}

/// A whole `require` or `test`.
pub(super) fn item(item: &Item) -> String {
    match &item.kind {
        ItemKind::Require(require) => {
            let name = require.name.as_ref().map_or(String::new(), |n| format!(" {}", quote(&n.value)));
            match &require.kind {
                RequireKind::Always(clauses) => {
                    let clause = |c: &crate::syntax::ast::Clause| match &c.when {
                        Some(when) => format!("when {}: {}", expression(when), expression(&c.holds)),
                        None => expression(&c.holds),
                    };
                    let all: Vec<String> = clauses.iter().map(clause).collect();
                    format!("require{name} {{ {} }}", all.join("\n"))
                }
                RequireKind::Property(word, of) => format!("require{name} {}({})", word.text, expression(of)),
                RequireKind::Error => String::new(),
            }
        }
        ItemKind::Test(test) => {
            let mut out = format!("test {} {{\n", quote(&test.name.value));
            for block in &test.givens {
                let name = block.candidate.as_ref().map_or(String::new(), |n| format!(" {}", n.text));
                let entries: Vec<String> = block.entries.iter().map(given).collect();
                out.push_str(&format!("  given{name} {{ {} }}\n", entries.join(", ")));
            }
            for expect in &test.expects {
                out.push_str(&format!("  expect {}\n", expression(&expect.condition)));
            }
            out.push('}');
            out
        }
        _ => String::new(),
    }
}

fn given(given: &Given) -> String {
    let key = |path: &Path| match &given.index {
        Some((n, _)) => format!("{}[{}]", path.dotted(), n.exact()),
        None => path.dotted(),
    };
    format!("{}: {}", key(&given.key), expression(&given.value))
}
