//! Operators in JSON: parameters by name, and the edges that fill ports.

use super::super::written::{constant_type, literal, written};
use super::super::{NodeKind, Program};
use super::{number, object, text};
use crate::catalog::typing::{Literal, WrittenArm, WrittenKey, WrittenUnknown};
use crate::catalog::{Input, Op, Operation};
use crate::number::{Number, Rounding};
use crate::types::Type;
use serde_json::{Map, Value as Json};

/// Words of `unknown:` and `tie:`; a label that reads like one is written as `{"label": …}`.
const WORDS: [&str; 7] = ["skip", "propagate", "lowest", "highest", "fires", "passes", "unknown"];

/// Every edge, by reader, port and slot.
pub(in crate::graph) fn edges(program: &Program) -> Vec<Json> {
    let mut out = Vec::new();
    for node in &program.nodes {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        for port in &operation.ports {
            for (slot, input) in (1_u64..).zip(&port.inputs) {
                let Some(source) = input.node().and_then(|id| program.node(id)) else { continue };
                out.push(object([
                    ("source", Some(text(&source.name))),
                    ("port", Some(text(port.name))),
                    ("slot", Some(slot.into())),
                    ("operator", Some(text(&node.name))),
                ]));
            }
        }
    }
    out
}

/// The parameters of an operator node of type `ty`, constants in ports included.
pub(in crate::graph) fn parameters(program: &Program, operation: &Operation, ty: &Type) -> Map<String, Json> {
    let mut out = Map::new();
    for port in &operation.ports {
        for input in &port.inputs {
            let Input::Constant(value) = input else { continue };
            let in_words = constant_type(program, operation, ty, port.name);
            out.extend(literal(value, in_words).map(|l| (port.name.to_owned(), constant(&l))));
        }
    }
    let w = written(program, operation, ty);
    if !w.weights.is_empty() {
        out.insert("weights".into(), w.weights.iter().flatten().map(number).collect());
    }
    if let Some(to) = &w.to {
        out.insert("to".into(), Json::String(to.to_string()));
    }
    if let Some(step) = &w.step {
        out.insert("step".into(), number(step));
    }
    if let Some(mode) = w.mode {
        out.insert("mode".into(), text(rounding_word(mode)));
    }
    if let Some(label) = &w.label {
        out.insert("label".into(), constant(label));
    }
    if let Some(table) = &w.table {
        rows(&mut out, operation.op, table);
    }
    if let Some(tie) = &w.tie {
        let is_word =
            matches!(operation.params.tie, Some(crate::catalog::VoteTie::Lowest | crate::catalog::VoteTie::Highest));
        out.insert("tie".into(), if is_word { constant(tie) } else { careful(tie) });
    }
    match &w.unknown {
        Some(WrittenUnknown::Word(word)) => _ = out.insert("unknown".into(), text(word)),
        Some(WrittenUnknown::Constant(value)) => _ = out.insert("unknown".into(), careful(value)),
        None => {}
    }
    out
}

fn rows(out: &mut Map<String, Json>, op: Op, table: &[WrittenArm]) {
    let rest = table.iter().find(|row| row.key == WrittenKey::Rest).map(|row| constant(&row.value));
    let listed = table.iter().filter_map(|row| match &row.key {
        WrittenKey::Literal(x) if op == Op::Piecewise => {
            Some(object([("x", Some(constant(x))), ("y", Some(constant(&row.value)))]))
        }
        WrittenKey::Literal(key) => Some(object([("key", Some(constant(key))), ("value", Some(constant(&row.value)))])),
        WrittenKey::Below(n) => Some(object([("below", Some(number(n))), ("label", Some(constant(&row.value)))])),
        WrittenKey::Condition => Some(constant(&row.value)),
        WrittenKey::Rest => None,
    });
    let key = match op {
        Op::Bands => "bands",
        Op::Piecewise => "knots",
        Op::Decide => "results",
        _ => "arms",
    };
    out.insert(key.into(), listed.collect());
    out.extend(rest.map(|value| ("rest".to_owned(), value)));
}

/// A constant: a bool, a number, the text of a label, or `"unknown"`, which is never a label. A label that reads like a
/// fraction is `{"label": …}`.
pub(in crate::graph) fn constant(literal: &Literal) -> Json {
    match literal {
        Literal::Bool(b) => Json::Bool(*b),
        Literal::Number(n) => number(n),
        // Read back, this would be the number.
        Literal::Label(label) if label.contains('/') && Number::from_exact(label).is_ok() => {
            super::single("label", text(label))
        }
        Literal::Label(label) => text(label),
        Literal::Unknown => text("unknown"),
    }
}

/// As [`constant`], where words stand beside labels.
fn careful(literal: &Literal) -> Json {
    match literal {
        Literal::Label(label) if WORDS.contains(&&**label) => super::single("label", text(label)),
        other => constant(other),
    }
}

/// The word of a rounding mode.
pub(in crate::graph) fn rounding_word(mode: Rounding) -> &'static str {
    match mode {
        Rounding::HalfUp => "half_up",
        Rounding::HalfDown => "half_down",
        Rounding::HalfEven => "half_even",
        Rounding::Down => "down",
        Rounding::Up => "up",
    }
}
