//! The canonical JSON program `P = (G, R_τ)`.
//!
//! [`write()`] gives the same bytes for the same program: keys stand in a fixed order, what is at its default and says
//! nothing is left out, numbers are exact. The graph is a list of nodes and a list of `{source, port, slot, operator}`
//! edges; a constant that fills a port is a parameter of that port's name. Types, rules, requirements and tests are in the
//! language's own words. `grammar/program.schema.json` is the published schema. Reading is the business of
//! [`crate::json`], which needs the checker.

mod criterion;
mod layout;
mod operation;
mod readout;

use super::{Checklist, NodeKind, Origin, Program};
use crate::number::Number;
use crate::types::{Base, Field, Role, Type};
use serde_json::{Map, Value as Json, json};

pub(super) use criterion::{criterion, reason_word, view_word};
pub use layout::pretty;
pub(super) use operation::{edges, parameters, rounding_word};
pub(super) use readout::readout;

/// The version of the format: the value of the key `format`.
pub const FORMAT: &str = "rubric-program/1";

/// The program as JSON text, with its digest; ends in a line break.
#[must_use]
pub fn write(program: &Program) -> String {
    let mut text = pretty(&value(program));
    text.push('\n');
    text
}

/// The program as a JSON value, with its digest.
#[must_use]
pub fn value(program: &Program) -> Json {
    let mut out = Map::new();
    out.insert("format".into(), FORMAT.into());
    out.insert("rubric".into(), text(&program.name));
    doc(&mut out, &program.doc);
    out.insert("fields".into(), program.fields.iter().map(field).collect());
    out.insert("candidate".into(), text(&program.candidate));
    if !program.checklists.is_empty() {
        out.insert("checklists".into(), program.checklists.iter().map(|c| checklist(program, c)).collect());
    }
    out.insert("nodes".into(), program.nodes.iter().map(|n| node(program, n)).collect());
    out.insert("edges".into(), Json::Array(edges(program)));
    out.insert("sink".into(), program.node(program.sink).map_or(Json::Null, |n| text(&n.name)));
    out.insert("readouts".into(), program.readouts.iter().map(|r| readout(program, r)).collect());
    if !program.observed.is_empty() {
        let names = program.observed.iter().filter_map(|id| program.node(*id)).map(|n| text(&n.name));
        out.insert("observe".into(), names.collect());
    }
    if !program.requires.is_empty() {
        out.insert("requires".into(), program.requires.iter().map(|r| text(&r.text)).collect());
    }
    if !program.tests.is_empty() {
        out.insert("tests".into(), program.tests.iter().map(|t| text(&t.text)).collect());
    }
    out.insert("digest".into(), super::digest(program).into());
    Json::Object(out)
}

/// A number: as digits where its decimal ends within 12 places, else as the text of its fraction.
pub(super) fn number(n: &Number) -> Json {
    if n.ends_within_places() { serde_json::to_value(n).unwrap_or(Json::Null) } else { Json::String(n.exact()) }
}

pub(super) fn text(value: &str) -> Json {
    Json::String(value.to_owned())
}

/// A type in the language's words; `None` for those that nobody can write.
pub(super) fn type_text(ty: &Type) -> Option<Json> {
    match ty.base {
        Base::Real | Base::Items => None,
        _ => Some(Json::String(ty.to_string())),
    }
}

fn doc(out: &mut Map<String, Json>, doc: &str) {
    if !doc.is_empty() {
        out.insert("doc".into(), text(doc));
    }
}

pub(super) fn field(field: &Field) -> Json {
    let mut out = Map::new();
    out.insert("name".into(), text(&field.name));
    out.insert("role".into(), text(role(field.role)));
    out.insert("kind".into(), text(field.kind.word()));
    if field.optional {
        out.insert("optional".into(), true.into());
    }
    doc(&mut out, &field.doc);
    Json::Object(out)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Reference => "reference",
        Role::Candidate => "candidate",
    }
}

pub(super) fn checklist(program: &Program, list: &Checklist) -> Json {
    let mut out = Map::new();
    out.insert("name".into(), text(&list.name));
    doc(&mut out, &list.doc);
    if list.optional {
        out.insert("optional".into(), true.into());
    }
    if let Some(node) = list.from.and_then(|id| program.node(id)) {
        out.insert("from".into(), text(&node.name));
        return Json::Object(out);
    }
    let group_id = |at: usize| list.groups.get(at).map(|g| text(&g.id));
    let groups = list.groups.iter().map(|group| {
        let mut out = Map::new();
        out.insert("id".into(), text(&group.id));
        if let Some(parent) = group.parent.and_then(group_id) {
            out.insert("parent".into(), parent);
        }
        if let Some(weight) = &group.weight {
            out.insert("weight".into(), number(weight));
        }
        if !group.text.is_empty() {
            out.insert("text".into(), text(&group.text));
        }
        Json::Object(out)
    });
    if !list.groups.is_empty() {
        out.insert("groups".into(), groups.collect());
    }
    let items = list.items.iter().map(|item| {
        let mut out = Map::new();
        out.insert("node".into(), program.node(item.node).map_or(Json::Null, |n| text(&n.name)));
        if let Some(id) = &item.id {
            out.insert("id".into(), text(id));
        }
        out.insert("points".into(), number(&item.points));
        if let Some(group) = item.group.and_then(group_id) {
            out.insert("group".into(), group);
        }
        Json::Object(out)
    });
    out.insert("items".into(), items.collect());
    Json::Object(out)
}

fn node(program: &Program, node: &super::Node) -> Json {
    let mut out = Map::new();
    out.insert("id".into(), text(&node.name));
    match &node.kind {
        NodeKind::Criterion(c) => {
            out.insert("kind".into(), "criterion".into());
            doc(&mut out, &node.doc);
            if c.origin == Origin::Implied {
                out.insert("implied".into(), true.into());
            }
            out.append(&mut criterion(program, c));
            if c.ty != node.ty {
                out.extend(type_text(&node.ty).map(|ty| ("yields".to_owned(), ty)));
            }
        }
        NodeKind::Items { field, template } => {
            out.insert("kind".into(), "items".into());
            doc(&mut out, &node.doc);
            out.insert("from".into(), program.field(*field).map_or(Json::Null, |f| text(&f.name)));
            let mut rest = criterion(program, template);
            rest.shift_remove("ask");
            out.append(&mut rest);
        }
        NodeKind::Operator(operation) => {
            out.insert("kind".into(), "operator".into());
            doc(&mut out, &node.doc);
            out.insert("operator".into(), operation.op.word().into());
            let parameters = parameters(program, operation, &node.ty);
            if !parameters.is_empty() {
                out.insert("parameters".into(), Json::Object(parameters));
            }
            out.extend(type_text(&node.ty).map(|ty| ("type".to_owned(), ty)));
        }
    }
    Json::Object(out)
}

/// An object from pairs, leaving out the `None`s.
pub(super) fn object<'a>(pairs: impl IntoIterator<Item = (&'a str, Option<Json>)>) -> Json {
    Json::Object(pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
}

/// `{key: value}`.
pub(super) fn single(key: &str, value: Json) -> Json {
    json!({ key: value })
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;

    #[test]
    fn a_program_is_written_in_full_and_always_alike() {
        let text = write(&sample());
        assert_eq!(text, write(&sample()));
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(json["edges"].as_array().map(Vec::len), Some(7));
        assert_eq!(json["edges"][6], json!({"source": "harmful", "port": "trigger", "slot": 1, "operator": "safe"}));
        assert_eq!(json["nodes"][7]["parameters"], json!({"at": 0.25}));
        assert_eq!(json["nodes"][6]["parameters"], json!({"weights": [3, 2]}));
        assert_eq!(json["readouts"][1]["margin"], json!("1/3"));
        assert_eq!(json["readouts"][1]["tie"], json!({"by": ["accurate"], "else": "abstain"}));
        assert_eq!(json["checklists"][0]["items"][0]["group"], json!("safety"));
        // A literal `{{x}}` in a question must not become a hole.
        assert_eq!(json["nodes"][0]["ask"], json!(["How \"accurate\"\nis it? {{x}}"]));
    }
}
