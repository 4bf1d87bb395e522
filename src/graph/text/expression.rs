//! Operator applications as an author writes them, with the brackets that precedence asks for.

use super::super::written::{constant_type, literal, written};
use super::super::{NodeKind, Program};
use super::{Writer, is_gate, mode_argument, number};
use crate::catalog::table::Family;
use crate::catalog::typing::{Literal, WrittenArm, WrittenKey, WrittenUnknown};
use crate::catalog::{Input, NodeId, Op, Operation};
use crate::types::{quote, quote_label};

/// How tightly an expression binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// `if … then … else …`
    Whole,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Atom,
}

/// The word of a declaration.
pub(super) fn family(operation: &Operation) -> &'static str {
    match operation.op.info().family {
        Family::Expression if operation.sources().count() > 1 => "reduce",
        Family::Expression => "transform",
        family => family.word(),
    }
}

/// A constant as an argument.
pub(super) fn constant(literal: &Literal) -> String {
    match literal {
        Literal::Bool(b) => b.to_string(),
        Literal::Number(n) => number(n),
        Literal::Label(label) => quote_label(label),
        Literal::Unknown => "unknown".to_owned(),
    }
}

/// A label beside words that mean something: in quotes.
fn quoted(literal: &Literal) -> String {
    match literal {
        Literal::Label(label) => quote(label),
        other => constant(other),
    }
}

/// `+`, `and`, `==`, …
fn symbol(op: Op) -> Option<(&'static str, Level)> {
    Some(match op {
        Op::Add => ("+", Level::Sum),
        Op::Subtract => ("-", Level::Sum),
        Op::Multiply => ("*", Level::Product),
        Op::Divide => ("/", Level::Product),
        Op::And => ("and", Level::And),
        Op::Or => ("or", Level::Or),
        Op::Equal => ("==", Level::Compare),
        Op::NotEqual => ("!=", Level::Compare),
        Op::Less => ("<", Level::Compare),
        Op::LessEqual => ("<=", Level::Compare),
        Op::Greater => (">", Level::Compare),
        Op::GreaterEqual => (">=", Level::Compare),
        _ => return None,
    })
}

impl Writer<'_> {
    /// What stands right of `=`; long calls are spread, `column` characters stand before it.
    pub(super) fn application(&self, id: NodeId, column: usize) -> String {
        let Some((operation, _)) = operator(self.program, id) else { return self.names.of(id).to_owned() };
        let (text, _) = self.flat(id);
        let when = if is_gate(operation.op) { self.when(operation) } else { String::new() };
        if column + text.chars().count() + when.chars().count() <= super::WIDTH || !operation.op.info().is_call() {
            return text + &when;
        }
        self.call(id, true) + &when
    }

    /// What stands right of `=`, however long.
    pub(super) fn on_one_line(&self, id: NodeId) -> String {
        let Some((operation, _)) = operator(self.program, id) else { return self.names.of(id).to_owned() };
        let when = if is_gate(operation.op) { self.when(operation) } else { String::new() };
        self.flat(id).0 + &when
    }

    /// ` when …` or ` unless …`.
    fn when(&self, operation: &Operation) -> String {
        let Some(trigger) = operation.one("trigger").and_then(Input::node) else { return String::new() };
        match operator(self.program, trigger) {
            Some((not, _)) if not.op == Op::Not && !self.names.declared(trigger) => {
                let inner = not.one("x").and_then(Input::node);
                format!(" unless {}", inner.map_or(String::new(), |id| self.part(id, Level::Or)))
            }
            _ => format!(" when {}", self.part(trigger, Level::Or)),
        }
    }

    /// A node where an expression of at least this level can stand.
    pub(super) fn part(&self, id: NodeId, least: Level) -> String {
        let (text, level) = match self.program.node(id).map(|n| &n.kind) {
            Some(NodeKind::Operator(_)) if !self.names.declared(id) => self.flat(id),
            _ => {
                let name = self.names.of(id);
                // An implied rule may be a comparison.
                (name.to_owned(), if name.contains(' ') { Level::Compare } else { Level::Atom })
            }
        };
        if level < least { format!("({text})") } else { text }
    }

    fn input(&self, operation: &Operation, id: NodeId, port: &str, input: &Input, least: Level) -> String {
        match input {
            Input::Node(source) => self.part(*source, least),
            Input::Constant(value) => {
                let Some(node) = self.program.node(id) else { return String::new() };
                let ty = constant_type(self.program, operation, &node.ty, port);
                let text = literal(value, ty).map_or(String::new(), |l| constant(&l));
                let composed = text.starts_with('-') || text.contains('/') && !text.starts_with('"');
                if composed && least > Level::Compare { format!("({text})") } else { text }
            }
        }
    }

    /// An application on one line, without a gate's trigger.
    fn flat(&self, id: NodeId) -> (String, Level) {
        let Some((operation, _)) = operator(self.program, id) else {
            return (self.names.of(id).to_owned(), Level::Atom);
        };
        let one = |port: &str, least: Level| {
            operation.one(port).map_or(String::new(), |i| self.input(operation, id, port, i, least))
        };
        if let Some((symbol, level)) = symbol(operation.op) {
            let tighter = match level {
                Level::Or => Level::And,
                Level::And => Level::Not,
                Level::Compare => Level::Sum,
                Level::Sum => Level::Product,
                _ => Level::Atom,
            };
            let text = match level {
                Level::And | Level::Or => {
                    let parts = operation.port("x").iter().map(|i| self.input(operation, id, "x", i, tighter));
                    parts.collect::<Vec<_>>().join(&format!(" {symbol} "))
                }
                // A sum of a sum on the left needs no brackets; a comparison of a comparison does.
                Level::Sum | Level::Product => format!("{} {symbol} {}", one("left", level), one("right", tighter)),
                _ => format!("{} {symbol} {}", one("left", tighter), one("right", tighter)),
            };
            return (text, level);
        }
        match operation.op {
            Op::Not => (format!("not {}", one("x", Level::Sum)), Level::Not),
            Op::If => {
                let condition = one("condition", Level::Or);
                let (then, otherwise) = (one("then", Level::Or), one("else", Level::Or));
                (format!("if {condition} then {then} else {otherwise}"), Level::Whole)
            }
            _ => (self.call(id, false), Level::Atom),
        }
    }

    /// `word(arguments) { table }`.
    fn call(&self, id: NodeId, spread: bool) -> String {
        let Some((operation, ty)) = operator(self.program, id) else { return String::new() };
        let w = written(self.program, operation, ty);
        let word = operation.op.word();
        let mut args = Vec::new();
        for info in operation.op.info().ports {
            if info.name == "trigger" || operation.op == Op::Decide {
                continue;
            }
            let inputs = operation.port(info.name);
            if info.named {
                args.extend(inputs.iter().map(|input| {
                    format!("{}: {}", info.name, self.input(operation, id, info.name, input, Level::Whole))
                }));
            } else if let Some(bundled) = self.bundled(operation) {
                args.extend(bundled);
            } else {
                args.extend(inputs.iter().map(|i| self.input(operation, id, info.name, i, Level::Whole)));
            }
        }
        args.extend(w.label.as_ref().map(constant));
        args.extend(w.to.as_ref().map(|to| format!("to: {to}")));
        args.extend(w.step.as_ref().map(|step| format!("step: {}", number(step))));
        args.extend(w.mode.and_then(mode_argument));
        args.extend(w.tie.as_ref().map(|tie| match (&operation.params.tie, tie) {
            (Some(crate::catalog::VoteTie::Value(_)), tie) => format!("tie: {}", quoted(tie)),
            (_, tie) => format!("tie: {}", constant(tie)),
        }));
        args.extend(w.unknown.as_ref().map(|unknown| match unknown {
            WrittenUnknown::Word(word) => format!("unknown: {word}"),
            WrittenUnknown::Constant(value) => format!("unknown: {}", quoted(value)),
        }));
        let table = w.table.as_ref().map(|rows| self.rows(operation, rows));
        let list = |parts: &[String], open: &str, close: &str, inner: &str| {
            if spread && !parts.is_empty() {
                let lines: String = parts.iter().map(|p| format!("  {p},\n")).collect();
                format!("{open}\n{lines}{close}")
            } else {
                format!("{open}{inner}{}{inner}{close}", parts.join(", "))
            }
        };
        match table {
            None => format!("{word}{}", list(&args, "(", ")", "")),
            Some(rows) if operation.op == Op::Decide => format!("{word} {}", list(&rows, "{", "}", " ")),
            Some(rows) => format!("{word}({}) {}", args.join(", "), list(&rows, "{", "}", " ")),
        }
    }

    fn rows(&self, operation: &Operation, rows: &[WrittenArm]) -> Vec<String> {
        let conditions = operation.port("when");
        let row = |(at, row): (usize, &WrittenArm)| {
            let key = match &row.key {
                WrittenKey::Rest => "rest".to_owned(),
                WrittenKey::Below(n) => format!("below {}", number(n)),
                WrittenKey::Literal(key) => constant(key),
                WrittenKey::Condition => match conditions.get(at).and_then(Input::node) {
                    Some(id) => self.part(id, Level::Or),
                    None => String::new(),
                },
            };
            format!("{key} => {}", constant(&row.value))
        };
        rows.iter().enumerate().map(row).collect()
    }
}

/// The operation and the type of an operator node.
pub(super) fn operator(program: &Program, id: NodeId) -> Option<(&Operation, &crate::types::Type)> {
    let node = program.node(id)?;
    match &node.kind {
        NodeKind::Operator(operation) => Some((operation, &node.ty)),
        _ => None,
    }
}
