//! The `parameters` of an operator: constants in ports, weights, tables and words.

use super::shape::{Given, Reader};
use super::tree::Value;
use crate::catalog::Op;
use crate::catalog::table::Arity;
use crate::catalog::typing::{Literal, Written, WrittenArm, WrittenKey, WrittenUnknown};
use crate::diagnostics::Code;
use crate::number::{Number, Rounding};
use crate::source::Span;
use std::collections::HashMap;

pub(super) const MODES: [(&str, Rounding); 5] = [
    ("half_up", Rounding::HalfUp),
    ("half_down", Rounding::HalfDown),
    ("half_even", Rounding::HalfEven),
    ("down", Rounding::Down),
    ("up", Rounding::Up),
];

const POLICIES: [&str; 6] = ["skip", "propagate", "lowest", "highest", "fires", "passes"];

/// The parameters as written, and where each stands.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) written: Written,
    /// By port.
    pub(super) constants: HashMap<&'static str, (Literal, Span)>,
    pub(super) spans: HashMap<&'static str, Span>,
    pub(super) weights: Vec<Span>,
    /// Key and value of every row of a table.
    pub(super) arms: Vec<(Span, Span)>,
    /// Something could not be read, so the operator is not typed.
    pub(super) broken: bool,
}

/// The keys that hold the table of an operator: its rows, and whether there is a `rest`.
fn table_keys(op: Op) -> Option<(&'static str, bool)> {
    match op {
        Op::Map => Some(("arms", true)),
        Op::Bands => Some(("bands", true)),
        Op::Piecewise => Some(("knots", false)),
        Op::Decide => Some(("results", true)),
        _ => None,
    }
}

/// Every key that `parameters` of this operator may have.
fn keys(op: Op) -> Vec<&'static str> {
    let info = op.info();
    let ports = info.ports.iter().filter(|p| matches!(p.arity, Arity::NodeOrConstant | Arity::Optional));
    let mut keys: Vec<&'static str> = ports.map(|p| p.name).collect();
    keys.extend(info.params.iter().map(|p| p.name));
    if info.weights.kept() {
        keys.push("weights");
    }
    if let Some((rows, rest)) = table_keys(op) {
        keys.push(rows);
        keys.extend(rest.then_some("rest"));
    }
    keys
}

/// Reads the parameters of `op` in the node called `who`.
pub(super) fn read<'a>(r: &mut Reader<'a>, given: Option<&Value<'a>>, op: Op, who: &str) -> Parameters {
    let mut out = Parameters::default();
    let Some(value) = given else { return out };
    let Some(given) = r.any_object(value, "an object of parameters") else {
        out.broken = true;
        return out;
    };
    let known = keys(op);
    let before = r.sink.len();
    for prop in given.props() {
        let key = prop.name.as_str();
        let Some(&key) = known.iter().find(|k| **k == key) else {
            r.unknown_key(prop, &format!("node `{who}`: `{}`", op.word()), &known, Code::JSON_PARAMETER);
            continue;
        };
        let span = r.span(&prop.value);
        out.spans.insert(key, span);
        one(r, &mut out, op, key, &prop.value, span);
    }
    table(r, &mut out, op, &given);
    out.broken = r.sink.len() > before;
    out
}

fn one<'a>(r: &mut Reader<'a>, out: &mut Parameters, op: Op, key: &'static str, value: &Value<'a>, span: Span) {
    if op.info().port(key).is_some() {
        if let Some(literal) = literal(r, value) {
            out.constants.insert(key, (literal, span));
        }
        return;
    }
    match key {
        "weights" => {
            let list: &[Value<'a>] = r.array(value, "a list of numbers").map_or(&[], |l| &l.elements);
            for weight in list {
                out.weights.push(r.span(weight));
                let number = r.number(weight);
                out.written.weights.push(number);
            }
        }
        "to" => out.written.to = r.ty(value),
        "step" => out.written.step = r.number(value),
        "mode" => out.written.mode = r.word(value, "way to round", &MODES),
        "label" => out.written.label = literal(r, value),
        "tie" => out.written.tie = literal(r, value),
        "unknown" => out.written.unknown = unknown(r, value),
        _ => {}
    }
}

/// A policy's word, or a constant; a label that reads like a word is `{"label": …}`.
fn unknown<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<WrittenUnknown> {
    if let Value::StringLit(text) = value
        && POLICIES.contains(&&*text.value)
    {
        return Some(WrittenUnknown::Word((*text.value).into()));
    }
    literal(r, value).map(WrittenUnknown::Constant)
}

/// A constant: `true`, a number, `"1/3"`, a label, `{"label": "1/3"}`, `"unknown"`.
pub(super) fn literal<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<Literal> {
    Some(match value {
        Value::BooleanLit(b) => Literal::Bool(b.value),
        Value::NumberLit(_) => Literal::Number(r.number(value)?),
        Value::StringLit(text) if text.value == "unknown" => Literal::Unknown,
        Value::StringLit(text) => match fraction(&text.value) {
            Some(number) => Literal::Number(number),
            None => Literal::Label((*text.value).into()),
        },
        Value::Object(_) => {
            let given = r.object(value, "a label", &["label"], &["label"])?;
            Literal::Label(r.text(&given, "label")?)
        }
        other => {
            let span = r.span(other);
            let help = "write `true`, `false`, a number, the text of a label, or \"unknown\"";
            r.error(Code::JSON_KIND, span, "a constant belongs here", "wrong kind", help);
            return None;
        }
    })
}

/// The number that a text such as `13/30` writes.
pub(super) fn fraction(text: &str) -> Option<Number> {
    text.contains('/').then(|| Number::from_exact(text).ok()).flatten()
}

fn table<'a>(r: &mut Reader<'a>, out: &mut Parameters, op: Op, given: &Given<'a, '_>) {
    let Some((key, has_rest)) = table_keys(op) else { return };
    let mut rows = Vec::new();
    for value in r.list(given, key) {
        let span = r.span(value);
        let (keys, what): ([&str; 2], _) = match op {
            Op::Bands => (["below", "label"], "a band"),
            Op::Piecewise => (["x", "y"], "a knot"),
            Op::Map => (["key", "value"], "an arm"),
            _ => {
                let Some(result) = literal(r, value) else { continue };
                rows.push(WrittenArm { key: WrittenKey::Condition, value: result });
                out.arms.push((span, span));
                continue;
            }
        };
        let Some(row) = r.object(value, what, &keys, &keys) else { continue };
        let [left, right] = keys.map(|key| row.get(key));
        let (Some(left), Some(right)) = (left, right) else { continue };
        let spans = (r.span(left), r.span(right));
        let key = match op {
            Op::Bands => r.number(left).map(WrittenKey::Below),
            _ => literal(r, left).map(WrittenKey::Literal),
        };
        let (Some(key), Some(value)) = (key, literal(r, right)) else { continue };
        rows.push(WrittenArm { key, value });
        out.arms.push(spans);
    }
    if has_rest && let Some(rest) = given.get("rest") {
        let span = r.span(rest);
        if let Some(value) = literal(r, rest) {
            rows.push(WrittenArm { key: WrittenKey::Rest, value });
            out.arms.push((span, span));
        }
    }
    if given.get(key).is_some() || given.get("rest").is_some() {
        out.written.table = Some(rows);
    }
}
