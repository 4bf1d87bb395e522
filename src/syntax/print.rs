//! The canonical one-line text of the parts that a JSON program holds as text: expressions, types, procedures,
//! requirements and tests. What is printed parses back to the same tree; parentheses that the tree lacks but the text
//! needs are added.
//!
//! Recursion is as deep as the tree, which the parser keeps under `ast::MOST_DEPTH`.

use super::ast::*;
use super::token::RESERVED;
use crate::number::Number;
use std::fmt::Write;

/// How tightly a form binds; a part that binds less than its place asks for is put in parentheses.
const IF: u8 = 0;
const NOT: u8 = 3;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const NEGATED: u8 = 7;
const POSTFIX: u8 = 8;

/// An expression.
#[must_use]
pub fn print_expr(expr: &Expr) -> String {
    let mut out = String::new();
    put(&mut out, expr, IF);
    out
}

/// A type.
#[must_use]
pub fn print_type(ty: &TypeExpr) -> String {
    let mut out = String::new();
    put_type(&mut out, ty);
    out
}

/// A judge or rule, a cascade included.
#[must_use]
pub fn print_procedure(procedure: &Procedure) -> String {
    let mut out = String::new();
    put_procedure(&mut out, procedure);
    out
}

/// A `require` declaration.
#[must_use]
pub fn print_require(require: &Require) -> String {
    let mut out = String::from("require ");
    if let Some(name) = &require.name {
        put_text(&mut out, name);
        out.push(' ');
    }
    match &require.kind {
        RequireKind::Always(clauses) => {
            out.push_str("{ ");
            separated(&mut out, clauses, ", ", |out, clause| {
                if let Some(when) = &clause.when {
                    out.push_str("when ");
                    put(out, when, IF);
                    out.push_str(": ");
                }
                put(out, &clause.holds, IF);
            });
            out.push_str(" }");
        }
        RequireKind::Property(word, of) => {
            out.push_str(&word.text);
            out.push('(');
            put(&mut out, of, IF);
            out.push(')');
        }
        RequireKind::Error => out.push_str("{ }"),
    }
    out
}

/// A `test` declaration.
#[must_use]
pub fn print_test(test: &Test) -> String {
    let mut out = String::from("test ");
    put_text(&mut out, &test.name);
    out.push_str(" {");
    for given in &test.givens {
        out.push_str(" given ");
        if let Some(candidate) = &given.candidate {
            out.push_str(&candidate.text);
            out.push(' ');
        }
        out.push_str("{ ");
        separated(&mut out, &given.entries, ", ", put_given);
        out.push_str(" }");
    }
    for expect in &test.expects {
        out.push_str(" expect ");
        put(&mut out, &expect.condition, IF);
    }
    out.push_str(" }");
    out
}

/// A text literal that reads as this text.
#[must_use]
pub fn print_text(text: &Text) -> String {
    let mut out = String::new();
    put_text(&mut out, text);
    out
}

fn separated<T>(out: &mut String, parts: &[T], between: &str, mut print: impl FnMut(&mut String, &T)) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        print(out, part);
    }
}

fn put_given(out: &mut String, given: &Given) {
    out.push_str(&given.key.dotted());
    if let Some((index, _)) = &given.index {
        let _ = write!(out, "[{}]", index.exact());
    }
    out.push_str(": ");
    put(out, &given.value, IF);
}

/// Writes an expression into a place that takes forms binding at least as tightly as `least`.
fn put(out: &mut String, expr: &Expr, least: u8) {
    if binding(&expr.kind) < least {
        out.push('(');
        put_kind(out, &expr.kind);
        out.push(')');
    } else {
        put_kind(out, &expr.kind);
    }
}

fn of_operator(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => 4,
        BinaryOp::Add | BinaryOp::Subtract => SUM,
        BinaryOp::Multiply | BinaryOp::Divide => PRODUCT,
    }
}

fn binding(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::If { .. } => IF,
        ExprKind::Binary(op, ..) => of_operator(*op),
        ExprKind::Unary(UnaryOp::Not, _) => NOT,
        ExprKind::Unary(UnaryOp::Negate, _) => NEGATED,
        // A number that a program computed may be negative or a fraction.
        ExprKind::Number(n) if !n.ends_within_places() => PRODUCT,
        ExprKind::Number(n) if n.is_negative() => NEGATED,
        _ => POSTFIX,
    }
}

fn put_kind(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Path(path) => out.push_str(&path.dotted()),
        ExprKind::Index(path, n) => {
            let _ = write!(out, "{}[{}]", path.dotted(), n.exact());
        }
        ExprKind::Number(n) => out.push_str(&n.exact()),
        ExprKind::Text(text) => put_text(out, text),
        ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::Unknown => out.push_str("unknown"),
        ExprKind::Type(ty) => put_type(out, ty),
        ExprKind::Call { callee, args, table } => {
            out.push_str(&callee.dotted());
            if !args.is_empty() || table.is_none() {
                put_args(out, args);
            }
            if let Some(table) = table {
                out.push_str(" { ");
                separated(out, &table.arms, ", ", put_arm);
                out.push_str(" }");
            }
        }
        ExprKind::Unary(UnaryOp::Negate, e) => {
            out.push('-');
            put(out, e, NEGATED);
        }
        ExprKind::Unary(UnaryOp::Not, e) => {
            out.push_str("not ");
            put(out, e, NOT);
        }
        ExprKind::Binary(op, _, a, b) => {
            let own = of_operator(*op);
            put(out, a, own);
            let _ = write!(out, " {} ", op.symbol());
            put(out, b, own + 1);
        }
        ExprKind::If { condition, then, otherwise } => {
            out.push_str("if ");
            put(out, condition, IF);
            out.push_str(" then ");
            put(out, then, IF);
            out.push_str(" else ");
            put(out, otherwise, IF);
        }
        ExprKind::List(parts) => {
            out.push('[');
            separated(out, parts, ", ", |out, e| put(out, e, IF));
            out.push(']');
        }
        ExprKind::Paren(e) => {
            out.push('(');
            put(out, e, IF);
            out.push(')');
        }
        // Nothing that parses stands for an error; a tree with one is never printed for a machine.
        ExprKind::Error => out.push_str("(?)"),
    }
}

fn put_args(out: &mut String, args: &[Arg]) {
    out.push('(');
    separated(out, args, ", ", |out, arg| {
        if let Some(name) = &arg.name {
            let _ = write!(out, "{}: ", name.text);
        }
        put(out, &arg.value, IF);
        if let Some(weight) = &arg.weight {
            out.push_str(" weight ");
            put(out, weight, SUM);
        }
    });
    out.push(')');
}

fn put_arm(out: &mut String, arm: &Arm) {
    match &arm.key {
        ArmKey::Rest(_) => out.push_str("rest"),
        ArmKey::Below(e) => {
            out.push_str("below ");
            put(out, e, SUM);
        }
        ArmKey::Expr(e) => put(out, e, IF),
    }
    out.push_str(" => ");
    put(out, &arm.value, IF);
}

fn put_type(out: &mut String, ty: &TypeExpr) {
    match &ty.kind {
        TypeKind::Named(path) => out.push_str(&path.dotted()),
        TypeKind::Range { word, lo, hi } => {
            let _ = write!(out, "{}[{}..{}]", word.text, bound(lo), bound(hi));
        }
        TypeKind::Labels { word, labels, max } => {
            let between = if &*word.text == "ordinal" { " < " } else { ", " };
            let _ = write!(out, "{}(", word.text);
            separated(out, labels, between, put_label);
            out.push(')');
            if let Some((max, _)) = max {
                let _ = write!(out, " max {}", max.exact());
            }
        }
        TypeKind::Error => out.push_str("(?)"),
    }
    if ty.optional {
        out.push('?');
    }
}

fn bound(n: &Number) -> String {
    n.exact()
}

fn put_label(out: &mut String, label: &Label) {
    if label.quoted || !is_word(&label.text) {
        put_quoted(out, &label.text, &[]);
    } else {
        out.push_str(&label.text);
    }
}

/// Whether a text can stand as a name.
#[must_use]
pub fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c))
        && chars.all(unicode_ident::is_xid_continue)
        && !RESERVED.iter().any(|(word, _)| *word == text)
}

fn put_text(out: &mut String, text: &Text) {
    if text.raw && !text.value.contains(['"', '\n']) {
        let _ = write!(out, "r\"{}\"", text.value);
    } else {
        put_quoted(out, &text.value, &text.holes);
    }
}

/// A quoted text: braces that would open a hole are escaped, those of holes are not.
fn put_quoted(out: &mut String, value: &str, holes: &[Hole]) {
    out.push('"');
    let mut done = 0;
    for hole in holes {
        let (start, end) = (hole.start as usize, hole.end as usize);
        put_plain(out, value.get(done..start.saturating_sub(2)).unwrap_or(""), false);
        out.push_str("{{");
        put_plain(out, value.get(start..end).unwrap_or(""), true);
        out.push_str("}}");
        done = end + 2;
    }
    put_plain(out, value.get(done..).unwrap_or(""), false);
    out.push('"');
}

fn put_plain(out: &mut String, part: &str, in_hole: bool) {
    for c in part.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '{' => out.push_str("\\{"),
            '}' if in_hole => out.push_str("\\}"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

fn put_procedure(out: &mut String, procedure: &Procedure) {
    out.push_str(&procedure.word.text);
    if !procedure.args.is_empty() {
        put_args(out, &procedure.args);
    }
    if let Some(cascade) = &procedure.otherwise {
        let (second, condition) = &**cascade;
        out.push_str(" else ");
        put_procedure(out, second);
        out.push_str(" when ");
        put(out, condition, IF);
    }
}
