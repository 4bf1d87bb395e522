//! Criteria in JSON: what a judge needs, in full.
//!
//! A text in which fields are inserted is one string with `{{field}}` holes; where the words around them could be taken for
//! a hole it is a list of strings (taken as they are) and `{"field": …}`.

use super::super::{Criterion, Example, Llm, Procedure, Program, Reason, Template, TemplatePart, View};
use super::{number, object, single, text, type_text};
use crate::types::Type;
use serde_json::{Map, Value as Json};

/// The keys of a criterion after `id` and `kind`.
pub(in crate::graph) fn criterion(program: &Program, c: &Criterion) -> Map<String, Json> {
    let mut out = Map::new();
    out.extend(type_text(&c.ty).map(|ty| ("type".to_owned(), ty)));
    let ask = template(program, &c.ask);
    if ask != Json::String(String::new()) {
        out.insert("ask".into(), ask);
    }
    if !c.levels.is_empty() {
        let levels = c.levels.iter().map(|(value, words)| {
            object([("value", Some(value.json_exact(&c.ty))), ("text", Some(template(program, words)))])
        });
        out.insert("levels".into(), levels.collect());
    }
    if !c.examples.is_empty() {
        out.insert("examples".into(), c.examples.iter().map(|e| example(program, &c.ty, e)).collect());
    }
    if c.sees_written {
        let names = c.sees.iter().filter_map(|id| program.field(*id)).map(|f| text(&f.name));
        out.insert("sees".into(), names.collect());
    }
    if let Some(rule) = &c.applies {
        out.insert("applies".into(), text(&rule.text));
    }
    out.insert("judge".into(), procedure(&c.procedure, &c.ty));
    if !c.tags.is_empty() {
        let tags = c.tags.iter().map(|(k, v)| object([("key", Some(text(k))), ("value", Some(text(v)))]));
        out.insert("tags".into(), tags.collect());
    }
    out
}

fn example(program: &Program, ty: &Type, example: &Example) -> Json {
    let fields = example
        .fields
        .iter()
        .filter_map(|(id, value)| Some((program.field(*id)?.name.to_string(), value.clone())))
        .collect();
    object([
        ("fields", Some(Json::Object(fields))),
        ("judgment", Some(example.judgment.json_exact(ty))),
        ("because", example.because.as_deref().map(text)),
    ])
}

/// A text with holes.
pub(in crate::graph) fn template(program: &Program, template: &Template) -> Json {
    let name = |id: &super::super::FieldId| program.field(*id).map_or("", |f| &*f.name).to_owned();
    let unclear = template.parts.iter().any(|part| match part {
        TemplatePart::Text(words) => words.contains("{{") || words.ends_with('{'),
        TemplatePart::Field(_) => false,
    });
    if unclear {
        let parts = template.parts.iter().map(|part| match part {
            TemplatePart::Text(words) => text(words),
            TemplatePart::Field(id) => single("field", Json::String(name(id))),
        });
        return parts.collect();
    }
    let parts = template.parts.iter().map(|part| match part {
        TemplatePart::Text(words) => words.to_string(),
        TemplatePart::Field(id) => format!("{{{{{}}}}}", name(id)),
    });
    Json::String(parts.collect())
}

fn procedure(procedure: &Procedure, ty: &Type) -> Json {
    match procedure {
        Procedure::Rule(rule) => single("rule", text(&rule.text)),
        Procedure::Human { combine } => single("human", single("combine", text(combine.word(ty)))),
        Procedure::Verifier { name } => single("verifier", text(name)),
        Procedure::Llm(parameters) => single("llm", llm(parameters, ty)),
        Procedure::Cascade { first, second, threshold } => single(
            "cascade",
            object([
                ("first", Some(llm(first, ty))),
                ("second", Some(llm(second, ty))),
                ("below", Some(number(threshold))),
            ]),
        ),
    }
}

fn llm(p: &Llm, ty: &Type) -> Json {
    // These cannot go with `each`, not even at their defaults.
    let joined = |value: Json| p.each.is_none().then_some(value);
    let (model, panel) = match p.models.as_slice() {
        [one] => (Some(text(one)), None),
        many => (None, Some(many.iter().map(|m| text(m)).collect())),
    };
    object([
        ("model", model),
        ("panel", panel),
        ("samples", joined(p.samples.into())),
        ("combine", Some(text(p.combine.word(ty)))),
        ("view", joined(text(view_word(p.view)))),
        ("evidence", Some(text(if p.evidence { "required" } else { "none" }))),
        ("reason", Some(text(reason_word(p.reason)))),
        ("order", Some(text(if p.shuffled { "shuffled" } else { "declared" }))),
        ("each", p.each.as_deref().map(text)),
        ("temperature", p.temperature.as_ref().map(number)),
        ("max_tokens", p.max_tokens.map(Json::from)),
        ("batch", p.batch.map(Json::from)),
    ])
}

pub(in crate::graph) fn view_word(view: View) -> &'static str {
    match view {
        View::Separate => "separate",
        View::Joint => "joint",
        View::Swapped => "swapped",
    }
}

pub(in crate::graph) fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Before => "before",
        Reason::After => "after",
        Reason::None => "none",
    }
}
