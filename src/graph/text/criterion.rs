//! Criteria as an author writes them: what is at its default is left out.

use super::super::{Combine, Criterion, Example, Llm, Node, Procedure, Reason, View};
use super::{Writer, number, template};
use crate::catalog::NodeId;
use crate::graph::json::{reason_word, view_word};
use crate::types::{Base, FieldKind, Type, Value, quote, quote_label};
use serde_json::Value as Json;
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn criterion(&mut self, id: NodeId, node: &Node, criterion: &Criterion) {
        self.doc(&node.doc, "");
        let name = self.names.of(id).to_owned();
        let ask = template(self.program, &criterion.ask);
        let body = self.statements(criterion, "  ");
        let start = format!("criterion {name}: {}", criterion.ty);
        if body.is_empty() {
            self.line(&format!("{start} {ask}"));
            return;
        }
        let asks = if criterion.ask.parts.is_empty() { String::new() } else { format!("  ask {ask}\n") };
        self.line(&format!("{start} {{\n{asks}{body}}}"));
    }

    /// The statements of a body, one a line, without `ask`.
    pub(super) fn statements(&self, c: &Criterion, indent: &str) -> String {
        let mut out = String::new();
        let field = |id: &super::super::FieldId| self.program.field(*id).map_or("", |f| &*f.name);
        for (value, words) in &c.levels {
            let value = level_value(value, &c.ty);
            let _ = writeln!(out, "{indent}level {value} {}", template(self.program, words));
        }
        for example in &c.examples {
            let _ = writeln!(out, "{indent}example {{ {} }}", self.example(example, &c.ty));
        }
        if c.sees_written {
            let names: Vec<&str> = c.sees.iter().map(field).collect();
            let _ = writeln!(out, "{indent}sees {}", names.join(", "));
        }
        if let Some(rule) = &c.applies {
            let _ = writeln!(out, "{indent}applies rule({})", rule.text);
        }
        if let Some(judge) = judge(&c.procedure, &c.ty) {
            let _ = writeln!(out, "{indent}judge {judge}");
        }
        for (key, value) in &c.tags {
            let _ = writeln!(out, "{indent}tag {key} {}", quote(value));
        }
        out
    }

    fn example(&self, example: &Example, ty: &Type) -> String {
        let mut parts = Vec::new();
        for (id, value) in &example.fields {
            let Some(field) = self.program.field(*id) else { continue };
            let text = match (field.kind, value) {
                (FieldKind::Chat | FieldKind::Json, json) => quote(&json.to_string()),
                (_, Json::String(text)) => quote(text),
                (_, other) => other.to_string(),
            };
            parts.push(format!("{}: {text}", field.name));
        }
        parts.push(format!("judgment: {}", example.judgment.text(ty)));
        parts.extend(example.because.as_ref().map(|because| format!("because: {}", quote(because))));
        parts.join(", ")
    }
}

/// Of a set or tally, a level describes one label.
fn level_value(value: &Value, ty: &Type) -> String {
    let rank = match (&ty.base, value) {
        (Base::Set(_), Value::Set(ranks)) => ranks.first().copied(),
        (Base::Tally { .. }, Value::Tally(counts)) => {
            counts.iter().position(|n| *n > 0).and_then(|at| u32::try_from(at).ok())
        }
        _ => None,
    };
    match rank.and_then(|rank| ty.labels()?.get(rank as usize)) {
        Some(label) => quote_label(label),
        None => value.text(ty),
    }
}

/// The judge, unless it is `llm` with every parameter at its default.
fn judge(procedure: &Procedure, ty: &Type) -> Option<String> {
    Some(match procedure {
        Procedure::Rule(rule) => format!("rule({})", rule.text),
        Procedure::Verifier { name } => format!("verifier({})", quote(name)),
        Procedure::Human { combine } if *combine == default_combine(ty) => "human".to_owned(),
        Procedure::Human { combine } => format!("human(combine: {})", combine.word(ty)),
        Procedure::Llm(parameters) => {
            let args = llm(parameters, ty);
            if args.is_empty() {
                return None;
            }
            format!("llm({})", args.join(", "))
        }
        Procedure::Cascade { first, second, threshold } => format!(
            "llm({}) else llm({}) when confidence < {}",
            llm(first, ty).join(", "),
            llm(second, ty).join(", "),
            number(threshold)
        ),
    })
}

/// How samples are combined where nothing is said (language.md, section 5).
fn default_combine(ty: &Type) -> Combine {
    match ty.base {
        Base::Int { .. } => Combine::Median,
        Base::Score { .. } | Base::Real => Combine::Mean,
        Base::Set(_) | Base::Tally { .. } => Combine::PerLabel,
        Base::Bool | Base::Choice(_) | Base::Ordinal(_) | Base::Items => Combine::Majority,
    }
}

/// A model's name: a word, or in quotes.
fn model(name: &str) -> String {
    quote_label(name)
}

fn llm(p: &Llm, ty: &Type) -> Vec<String> {
    let mut args = Vec::new();
    match p.models.as_slice() {
        [one] if &**one == "default" => {}
        [one] => args.push(format!("model: {}", model(one))),
        many => args.push(format!("panel: [{}]", many.iter().map(|m| model(m)).collect::<Vec<_>>().join(", "))),
    }
    if p.samples != 1 {
        args.push(format!("samples: {}", p.samples));
    }
    let default = if p.view == View::Swapped { Combine::Unanimous } else { default_combine(ty) };
    if p.combine != default {
        args.push(format!("combine: {}", p.combine.word(ty)));
    }
    if p.view != View::Separate {
        args.push(format!("view: {}", view_word(p.view)));
    }
    if p.evidence {
        args.push("evidence: required".to_owned());
    }
    if p.reason != Reason::Before {
        args.push(format!("reason: {}", reason_word(p.reason)));
    }
    if p.shuffled {
        args.push("order: shuffled".to_owned());
    }
    args.extend(p.each.as_ref().map(|each| format!("each: {}", quote(each))));
    args.extend(p.temperature.as_ref().map(|t| format!("temperature: {}", number(t))));
    args.extend(p.max_tokens.map(|n| format!("max_tokens: {n}")));
    args.extend(p.batch.map(|n| format!("batch: {n}")));
    args
}
