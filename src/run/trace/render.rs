//! The text of a record's line, written straight into a buffer: the same parts give the same bytes, so that a replay
//! compares bytes.

use crate::catalog::{Input, NodeId};
use crate::graph::NodeKind;
use crate::run::engine::{Engine, Outcomes, Read};
use crate::run::evaluate::States;
use crate::run::judgment::{Basis, Judged, JudgedItem, JudgedLeaf};
use crate::run::leaf::{Leaf, Missing};
use crate::run::result::readouts_json;
use crate::types::{Type, Value};
use serde_json::Value as Json;
use std::fmt::Write as _;

/// What a record's line is made of.
#[derive(Debug)]
pub struct Parts<'a> {
    pub id: &'a str,
    /// Its line in the file of records.
    pub line: u64,
    /// The number of its program in the trace.
    pub program: usize,
    pub candidates: &'a [Option<String>],
    pub judged: &'a Judged,
}

/// Writes a record's line without its check and its last bracket.
pub fn record_body(out: &mut String, engine: &Engine, parts: &Parts<'_>, outcomes: &Outcomes) {
    out.push_str("{\"record\":");
    string(out, parts.id);
    let _ = write!(out, ",\"line\":{},\"program\":{},\"shared\":[", parts.line, parts.program);
    leaves(out, engine, &parts.judged.shared);
    out.push_str("],\"candidates\":[");
    for (place, id) in parts.candidates.iter().enumerate() {
        out.push_str(if place > 0 { ",{" } else { "{" });
        if let Some(id) = id {
            out.push_str("\"id\":");
            string(out, id);
            out.push(',');
        }
        out.push_str("\"leaves\":[");
        leaves(out, engine, parts.judged.own.get(place).map_or(&[][..], Vec::as_slice));
        out.push_str("],\"nodes\":[");
        if let Some(states) = outcomes.states.get(place) {
            nodes(out, engine, states);
        }
        out.push_str("],\"readouts\":");
        let none: &[Read] = &[];
        json(out, &readouts_json(engine, parts.candidates, outcomes.pointwise.get(place).map_or(none, Vec::as_slice)));
        out.push('}');
    }
    out.push_str("],\"readouts\":");
    json(out, &readouts_json(engine, parts.candidates, &outcomes.compared));
}

fn leaves(out: &mut String, engine: &Engine, judged: &[JudgedLeaf]) {
    for (n, one) in judged.iter().enumerate() {
        let Some(node) = engine.program.node(one.node) else { continue };
        out.push_str(if n > 0 { ",{\"node\":" } else { "{\"node\":" });
        string(out, &node.name);
        match one.basis {
            Basis::Recorded => {}
            Basis::Rule => out.push_str(",\"basis\":\"rule\""),
            Basis::NotApplicable => out.push_str(",\"basis\":\"not_applicable\""),
        }
        recorded(out, &one.recorded, one.rejected.as_deref());
        match &one.leaf {
            Leaf::Known(known) => {
                out.push_str(",\"value\":");
                value(out, known, &node.ty);
            }
            Leaf::Missing(why) => missing(out, why),
            Leaf::Items(states) => {
                out.push_str(",\"items\":[");
                for (n, (item, state)) in one.items.iter().zip(states).enumerate() {
                    out.push_str(if n > 0 { ",{" } else { "{" });
                    head_of_item(out, item);
                    match &state.met {
                        Ok(Some(met)) => {
                            let _ = write!(out, ",\"value\":{met}");
                        }
                        Ok(None) => out.push_str(",\"value\":\"unknown\""),
                        Err(why) => missing(out, why),
                    }
                    out.push('}');
                }
                out.push(']');
            }
        }
        out.push('}');
    }
}

fn head_of_item(out: &mut String, item: &JudgedItem) {
    out.push_str("\"id\":");
    string(out, &item.id);
    out.push_str(",\"points\":");
    value(out, &Value::Number(item.points.clone()), &Type::UNIT);
    if !item.tags.is_empty() {
        out.push_str(",\"tags\":[");
        for (n, tag) in item.tags.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            string(out, tag);
        }
        out.push(']');
    }
    recorded(out, &item.recorded, item.rejected.as_deref());
}

fn recorded(out: &mut String, entries: &[Json], rejected: Option<&str>) {
    if !entries.is_empty() {
        out.push_str(",\"recorded\":[");
        for (n, entry) in entries.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            json(out, entry);
        }
        out.push(']');
    }
    if let Some(quote) = rejected {
        out.push_str(",\"rejected\":");
        string(out, quote);
    }
}

fn missing(out: &mut String, why: &Missing) {
    let _ = write!(out, ",\"missing\":{{\"reason\":\"{}\"", why.reason.word());
    if !why.detail.is_empty() {
        out.push_str(",\"detail\":");
        string(out, &why.detail);
    }
    out.push('}');
}

fn nodes(out: &mut String, engine: &Engine, states: &States) {
    let mut first = true;
    for (node, id) in engine.program.nodes.iter().zip(0..) {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        out.push_str(if first { "{\"node\":" } else { ",{\"node\":" });
        first = false;
        string(out, &node.name);
        out.push_str(",\"in\":{");
        for (n, port) in operation.ports.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            string(out, port.name);
            out.push_str(":[");
            for (slot, input) in port.inputs.iter().enumerate() {
                if slot > 0 {
                    out.push(',');
                }
                match input {
                    Input::Node(source) => state(out, engine, states, *source),
                    Input::Constant(constant) => {
                        let ty = crate::graph::written::constant_type(&engine.program, operation, &node.ty, port.name);
                        value(out, constant, ty);
                    }
                }
            }
            out.push(']');
        }
        out.push_str("},\"out\":");
        state(out, engine, states, NodeId(id));
        out.push('}');
    }
}

/// A node's value, or its bounds where something that it reads is missing.
fn state(out: &mut String, engine: &Engine, states: &States, id: NodeId) {
    let Some(node) = engine.program.node(id) else { return };
    match states.computed(id) {
        Some(known) => value(out, known, &node.ty),
        None => {
            out.push_str("{\"bounds\":");
            json(out, &states.bounds(id).json_exact(&node.ty));
            out.push('}');
        }
    }
}

fn value(out: &mut String, value: &Value, ty: &Type) {
    match value {
        Value::Unknown => out.push_str("\"unknown\""),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if number.ends_within_places() => {
            let _ = write!(out, "{number}");
        }
        Value::Number(number) => {
            let _ = write!(out, "\"{}\"", number.exact());
        }
        other => json(out, &other.json_exact(ty)),
    }
}

/// JSON as `serde_json` writes it. Judgments are nearly always one bool, number or word, which need no formatter.
fn json(out: &mut String, value: &Json) {
    match value {
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => string(out, text),
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

/// A JSON string.
fn string(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // Only the rare text pays for a copy.
        let _ = write!(out, "{}", Json::String(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_written_as_serde_writes_it() {
        for text in [
            "null",
            "true",
            "false",
            "-0.50",
            "1e400",
            "12345678901234567890.5",
            r#""plain é""#,
            r#""a\"b\\c\nd\u0001""#,
            r#"{"value":[1.0,"x\ty"],"by":null}"#,
        ] {
            let value: Json = serde_json::from_str(text).unwrap();
            let mut out = String::new();
            json(&mut out, &value);
            assert_eq!(out, value.to_string());
        }
    }
}
