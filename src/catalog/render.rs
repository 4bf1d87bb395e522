//! The catalogue as JSON (`grammar/catalog.schema.json`) and as Markdown (`docs/catalog.md`).
//!
//! Both are made from the tables alone, in their order, so the same version always gives the same bytes.

use super::functions::FUNCTIONS;
use super::procedures::PROCEDURES;
use super::readouts::READOUTS;
use super::spaces::{FIELD_KINDS, SpaceInfo, TYPES};
use super::table::{Family, OperatorInfo, ParamInfo, PortInfo, Weights};
use super::{Op, typing};
use serde_json::{Value, json};
use std::fmt::Write;

/// The version of the JSON shape; it rises when a key changes its meaning or goes.
const FORMAT: u32 = 1;

/// The catalogue as one JSON object, indented, with a line break at its end.
#[must_use]
pub fn json() -> String {
    let catalogue = json!({
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "types": TYPES.iter().map(space).collect::<Vec<_>>(),
        "fields": FIELD_KINDS.iter().map(space).collect::<Vec<_>>(),
        "operators": Op::ALL.iter().map(|op| operator(op.info())).collect::<Vec<_>>(),
        "procedures": PROCEDURES.iter().map(|p| json!({
            "procedure": p.word,
            "parameters": p.params.iter().map(parameter).collect::<Vec<_>>(),
            "doc": p.doc,
            "example": p.example,
        })).collect::<Vec<_>>(),
        "readouts": READOUTS.iter().map(|r| json!({
            "readout": r.word,
            "mode": r.mode,
            "parameters": r.params.iter().map(parameter).collect::<Vec<_>>(),
            "rows": r.table,
            "result": r.result,
            "doc": r.doc,
            "example": r.example,
        })).collect::<Vec<_>>(),
        "functions": FUNCTIONS.iter().map(|f| json!({
            "function": f.name,
            "form": f.form,
            "result": f.result,
            "doc": f.doc,
        })).collect::<Vec<_>>(),
    });
    let mut text = serde_json::to_string_pretty(&catalogue).unwrap_or_default();
    text.push('\n');
    text
}

fn space(info: &SpaceInfo) -> Value {
    json!({ "name": info.word, "form": info.form, "doc": info.doc, "example": info.example })
}

fn operator(info: &OperatorInfo) -> Value {
    json!({
        "operator": info.op.word(),
        "written": typing::symbol(info.op),
        "family": info.family.word(),
        "ports": info.ports.iter().map(port).collect::<Vec<_>>(),
        "parameters": info.params.iter().map(parameter).collect::<Vec<_>>(),
        "weights": weights(info.weights),
        "rows": info.table,
        "result": info.result,
        "doc": info.doc,
        "example": info.example,
    })
}

fn port(info: &PortInfo) -> Value {
    json!({
        "port": info.name,
        "takes": info.arity.words(),
        "accepts": info.accepts,
        "by_name": info.named,
        "monotone": info.sign.word(),
    })
}

fn parameter(info: &ParamInfo) -> Value {
    json!({
        "parameter": info.name,
        "is": info.is,
        "default": info.default,
        "words": info.words,
        "by_place": info.positional,
    })
}

/// What the slots of a port `x` carry, in a word; `None` for nothing.
fn weights(weights: Weights) -> Option<&'static str> {
    match weights {
        Weights::None => None,
        Weights::Positive => Some("a weight above 0 for each slot"),
        Weights::Nonzero => Some("a weight other than 0 for each slot"),
        Weights::Points => Some("points other than 0 for each slot: a checklist brings its own, a bool needs a weight"),
        Weights::OneSign => Some("none; the points of a checklist must be of one sign"),
    }
}

/// The catalogue as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# The catalogue\n\nTypes, operators, procedures and readouts of the language, from the one table that the checker, the\n\
         interpreter and the editor read. `rubric catalog --format markdown` prints this page, and a test keeps it so.\n",
    );
    spaces(&mut out, "Types", TYPES);
    spaces(&mut out, "Kinds of fields", FIELD_KINDS);
    for family in Family::ALL {
        let _ = write!(out, "\n## {}\n\n{}\n", heading(family), opening(family));
        for info in Op::ALL.iter().map(|op| op.info()).filter(|info| info.family == family) {
            entry(&mut out, info);
        }
    }
    out.push_str("\n## Procedures\n\nWho answers a criterion: `judge PROCEDURE`.\n");
    for p in PROCEDURES {
        let _ = write!(out, "\n### {}\n\n{}\n\n```rubric\njudge {}\n```\n", p.word, p.doc, p.example);
        parameters(&mut out, p.params);
    }
    out.push_str("\n## Readouts\n\nWhat the sink's value becomes outside.\n");
    for r in READOUTS {
        let _ = write!(out, "\n### {} ({})\n\n{}\n\n```rubric\n{}\n```\n", r.word, r.mode, r.doc, r.example);
        let _ = write!(out, "\nResult: {}.\n", r.result);
        if let Some(rows) = r.table {
            let _ = write!(out, "\nRows: {rows}.\n");
        }
        parameters(&mut out, r.params);
    }
    out.push_str("\n## Functions of rules\n\nInside of `rule(…)` and `applies rule(…)`, over fields.\n\n");
    out.push_str("| function | yields | |\n| --- | --- | --- |\n");
    for f in FUNCTIONS {
        let _ = writeln!(out, "| `{}` | {} | {} |", cell(f.form), cell(f.result), cell(f.doc));
    }
    out
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::Transform => "TRANSFORM",
        Family::Reduce => "REDUCE",
        Family::Gate => "GATE",
        Family::Expression => "Expressions",
    }
}

fn opening(family: Family) -> &'static str {
    match family {
        Family::Transform => "One judgment in, one out. An unknown passes through, and the result gains `?`.",
        Family::Reduce => "Many judgments in, one out. Where a slot can be unknown, `unknown:` says what that does.",
        Family::Gate => {
            "A judgment that is changed where a condition holds: `when CONDITION` or `unless CONDITION` behind the call. \
             `at to by with` are constants or nodes."
        }
        Family::Expression => "Written without a call. An unknown passes through; `and`, `or`, `not` are Kleene's.",
    }
}

fn spaces(out: &mut String, title: &str, infos: &[SpaceInfo]) {
    let _ = write!(out, "\n## {title}\n\n| form | | example |\n| --- | --- | --- |\n");
    for info in infos {
        let _ = writeln!(out, "| `{}` | {} | `{}` |", cell(info.form), cell(info.doc), cell(info.example));
    }
}

fn entry(out: &mut String, info: &OperatorInfo) {
    let (word, written) = (info.op.word(), typing::symbol(info.op));
    let title = if word == written { word.to_owned() } else { format!("{word} (`{written}`)") };
    let _ = write!(out, "\n### {title}\n\n{}\n\n```rubric\n{}\n```\n", info.doc, info.example);
    let _ = write!(out, "\nResult: {}.\n", info.result);
    out.push_str("\n| port | takes | accepts | the result |\n| --- | --- | --- | --- |\n");
    for p in info.ports {
        let _ = writeln!(out, "| `{}` | {} | {} | {} |", p.name, p.arity.words(), cell(p.accepts), moves(p));
    }
    if let Some(text) = weights(info.weights) {
        let _ = write!(out, "\nWeights: {text}.\n");
    }
    if let Some(rows) = info.table {
        let _ = write!(out, "\nRows: {rows}.\n");
    }
    parameters(out, info.params);
}

/// How the result moves with a port, as the end of "the result …".
fn moves(port: &PortInfo) -> String {
    use super::table::Sign;
    match port.sign {
        Sign::Rising => "rises with it".to_owned(),
        Sign::Falling => "falls as it rises".to_owned(),
        Sign::Mixed => "neither rises nor falls with it".to_owned(),
        Sign::KnownOnly => "depends only on whether it is known".to_owned(),
        Sign::Vote => "rises with it over bools".to_owned(),
        other => format!("rises or falls {}", other.word()),
    }
}

fn parameters(out: &mut String, params: &[ParamInfo]) {
    if params.is_empty() {
        return;
    }
    out.push_str("\n| parameter | is | words | default |\n| --- | --- | --- | --- |\n");
    for p in params {
        let words = p.words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(" ");
        let default = p.default.unwrap_or("–");
        let _ = writeln!(out, "| `{}` | {} | {words} | {} |", p.name, cell(p.is), cell(default));
    }
}

/// A text inside of a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_documentation_is_this_markdown() {
        let page = include_str!("../../docs/catalog.md");
        assert!(page == markdown(), "write it anew: cargo run -- catalog --format markdown > docs/catalog.md");
    }

    #[test]
    fn the_json_fits_its_schema_and_the_schema_refuses_strange_keys() {
        let schema: Value = serde_json::from_str(include_str!("../../grammar/catalog.schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut value: Value = serde_json::from_str(&json()).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        value["operators"][0]["strange"] = Value::Null;
        assert!(!validator.is_valid(&value));
    }

    #[test]
    fn every_operator_is_on_the_page_once() {
        let page = markdown();
        for op in Op::ALL {
            let found = page.lines().filter(|l| {
                l.strip_prefix("### ").is_some_and(|t| t == op.word() || t.starts_with(&format!("{} (`", op.word())))
            });
            assert_eq!(found.count(), 1, "{op:?}");
        }
    }
}
