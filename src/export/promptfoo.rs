//! Programs as a configuration of promptfoo: assertions with weights.
//!
//! Expressible is a (weighted) mean, fraction or share of positive points of yes/no criteria: `llm-rubric` for what is asked,
//! and text checks for rules that are one. `pass(sink, at: t)` is the test's `threshold`; where every criterion has to hold
//! (`all`, `and`), there is none; where the program says nothing, `threshold: 0` leaves the score as the only outcome. The
//! file is JSON, which is YAML too; `providers` are for who runs it to add. With records each is a test, with its fields as
//! variables and its candidate as the output.

use super::{Refusal, Taker, number};
use crate::catalog::{Input, NodeId, Op};
use crate::graph::{Criterion, NodeKind, Procedure, Program, Readout, ReadoutKind, Template, TemplatePart};
use crate::types::{FieldKind, Role, Value};
use serde_json::{Map, Value as Json, json};

/// The part of a configuration that is the same for all tests.
///
/// # Errors
/// Everything that promptfoo has no place for.
pub fn default_test(program: &Program) -> Result<Json, Vec<Refusal>> {
    let mut taker = Taker::new(program);
    let flat = taker.flat();
    let mut assertions = Vec::new();
    if let Some(from) = flat.from {
        taker.refuse(from, "items that come with each record have no place there");
    }
    for slot in &flat.slots {
        if slot.weight.is_negative() {
            taker.refuse(slot.node, "points below 0 have no place there");
        }
        let Some(criterion) = taker.asked(slot.node) else { continue };
        let Some((kind, value)) = assertion(&mut taker, slot.node, criterion, slot.negated) else { continue };
        let metric = program.node(slot.node).map_or_else(String::new, |node| node.name.to_string());
        let mut entry = json!({"type": kind, "metric": metric, "weight": number(&slot.weight)});
        if let (Some(object), Some(value)) = (entry.as_object_mut(), value) {
            object.insert("value".to_owned(), value);
        }
        assertions.push(entry);
    }
    let criteria: Vec<NodeId> = flat.slots.iter().map(|slot| slot.node).collect();
    let mut threshold = Some(json!(0));
    for readout in &program.readouts {
        match &readout.kind {
            ReadoutKind::Pass { at: Value::Number(at) } if readout.source == program.sink => {
                threshold = Some(number(at))
            }
            ReadoutKind::Native if needs_all(program, readout, &criteria) => {
                taker.uses(readout.source);
                threshold = None;
            }
            _ => {}
        }
    }
    if let Some(&observed) = program.observed.first() {
        taker.refuse(observed, "an observed node has no place there");
    }
    taker.finish(|program, readout| match readout.kind {
        ReadoutKind::Pass { .. } => readout.source == program.sink,
        ReadoutKind::Native => needs_all(program, readout, &criteria),
        _ => false,
    });
    if !taker.refused.is_empty() {
        return Err(taker.refused);
    }
    let mut test = json!({"assert": assertions});
    if let (Some(object), Some(threshold)) = (test.as_object_mut(), threshold) {
        object.insert("threshold".to_owned(), threshold);
    }
    Ok(test)
}

/// Whether a readout says that every criterion holds.
fn needs_all(program: &Program, readout: &Readout, criteria: &[NodeId]) -> bool {
    let Some(NodeKind::Operator(operation)) = program.node(readout.source).map(|node| &node.kind) else { return false };
    let read: Vec<NodeId> = operation.ports.iter().flat_map(|port| &port.inputs).filter_map(Input::node).collect();
    matches!(operation.op, Op::All | Op::And)
        && readout.name.is_some()
        && read.len() == criteria.len()
        && read.iter().all(|id| criteria.contains(id))
}

/// The type and value of a criterion's assertion.
fn assertion(
    taker: &mut Taker<'_>,
    id: NodeId,
    criterion: &Criterion,
    negated: bool,
) -> Option<(String, Option<Json>)> {
    let program = taker.program;
    let kind = |kind: &str, negated: bool| if negated { format!("not-{kind}") } else { kind.to_owned() };
    if let Procedure::Rule(rule) = &criterion.procedure {
        let text = rule.text.to_string();
        let output =
            program.fields.iter().find(|field| field.role == Role::Candidate).map(|field| field.name.to_string());
        let Some((word, value, turned)) = output.and_then(|output| text_check(&text, &output)) else {
            taker.refuse(id, format!("the rule `{text}` is none of its text checks"));
            return None;
        };
        return Some((kind(word, turned != negated), value.map(Json::String)));
    }
    match inserted(program, &criterion.ask) {
        Ok(text) => Some((kind("llm-rubric", negated), Some(Json::String(text)))),
        Err(why) => {
            taker.refuse(id, why);
            None
        }
    }
}

/// A question with its fields as variables.
fn inserted(program: &Program, template: &Template) -> Result<String, String> {
    let mut out = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Text(text) if text.contains("{{") || text.contains("{%") => {
                return Err("a text with `{{` or `{%` would be taken for a template there".to_owned());
            }
            TemplatePart::Text(text) => out.push_str(text),
            TemplatePart::Field(id) => match program.field(*id) {
                Some(field) if field.role == Role::Candidate => out.push_str("{{output}}"),
                Some(field) => out.push_str(&format!("{{{{{}}}}}", field.name)),
                None => {}
            },
        }
    }
    Ok(out)
}

/// A rule that is a single check of the candidate's text: its type, its value, and whether it is turned round.
fn text_check(rule: &str, output: &str) -> Option<(&'static str, Option<String>, bool)> {
    if let Some(inner) = rule.strip_prefix("not ") {
        let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
        return text_check(inner, output).map(|(kind, value, turned)| (kind, value, !turned));
    }
    if rule == format!("json_valid({output})") {
        return Some(("is-json", None, false));
    }
    if let Some(value) = rule.strip_prefix(&format!("{output} == ")) {
        return Some(("equals", Some(text_of(value)?), false));
    }
    let call = |start: &str| text_of(rule.strip_prefix(start)?.strip_suffix(')')?);
    if let Some(value) = call(&format!("contains(lower({output}), ")) {
        // Anything else would never hold here, and might there.
        return (value == value.to_lowercase()).then_some(("icontains", Some(value), false));
    }
    let checks = [("contains", "contains"), ("starts_with", "starts-with"), ("matches", "regex")];
    checks.into_iter().find_map(|(word, kind)| Some((kind, Some(call(&format!("{word}({output}, "))?), false)))
}

/// A text literal of the language, where nothing stands behind it.
fn text_of(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix("r\"") {
        return raw.strip_suffix('"').filter(|raw| !raw.contains('"')).map(str::to_owned);
    }
    serde_json::from_str(&literal.replace("\\{", "{")).ok()
}

/// The test of a record: its fields as variables, its candidate as the output.
///
/// # Errors
/// A sentence, where the record has several candidates.
pub fn test(program: &Program, record: &Map<String, Json>) -> Result<Json, String> {
    if record.contains_key("candidates") {
        return Err("a test has one output; a record of several candidates has no place there".to_owned());
    }
    let mut vars = Map::new();
    let mut test = Map::new();
    for field in &program.fields {
        let Some(value) = record.get(field.name.as_ref()).filter(|value| !value.is_null()) else { continue };
        if field.role != Role::Candidate {
            vars.insert(field.name.to_string(), value.clone());
        } else if field.kind == FieldKind::Text {
            test.insert("providerOutput".to_owned(), value.clone());
        }
    }
    if let Some(id) = record.get("id") {
        test.insert("description".to_owned(), json!(id.as_str().map_or_else(|| id.to_string(), str::to_owned)));
    }
    test.insert("vars".to_owned(), Json::Object(vars));
    Ok(Json::Object(test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn program(body: &str) -> std::sync::Arc<Program> {
        let text = format!("rubric p\ninput topic: text\ncandidate output: text\n{body}");
        let opened = crate::project::open_text("p", Path::new("."), text);
        opened.program.unwrap_or_else(|| panic!("{:?}", opened.diagnostics))
    }

    #[test]
    fn criteria_and_checks_are_assertions() {
        let program = program(
            "criterion on: bool \"Is it about {{topic}}?\"\ncriterion has: bool { judge rule(contains(lower(output), \"bee\")) }\n\
             criterion bare: bool { judge rule(not matches(output, r\"\\d+\")) }\n\
             reduce s = weighted_mean(normalize(on) weight 2, normalize(has) weight 1, normalize(bare) weight 1)\n\
             readout pointwise = s\nreadout pointwise ok = pass(s, at: 0.75)\n",
        );
        let test = default_test(&program).unwrap();
        assert_eq!(test["threshold"], json!(0.75));
        assert_eq!(
            test["assert"][0],
            json!({"type": "llm-rubric", "metric": "on", "weight": 2, "value": "Is it about {{topic}}?"})
        );
        assert_eq!(test["assert"][1]["type"], json!("icontains"));
        assert_eq!((&test["assert"][2]["type"], &test["assert"][2]["value"]), (&json!("not-regex"), &json!("\\d+")));
    }

    #[test]
    fn what_has_no_place_is_named() {
        let refused =
            |body: &str| default_test(&program(body)).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>();
        let told = refused("criterion q: int[1..5] \"How good?\"\ntransform s = normalize(q)\nreadout pointwise = s\n");
        assert!(told.len() == 1 && told[0].starts_with("`q`: only yes/no"), "{told:?}");
        let told = refused(
            "criterion l: bool { judge rule(word_count(output) < 9 and contains(output, topic)) }\ntransform s = normalize(l)\n\
            readout pointwise = s\n",
        );
        assert!(told[0].contains("none of its text checks"), "{told:?}");
    }
}
