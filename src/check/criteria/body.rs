//! The statements of a body: collected once, repetitions and misplaced ones reported.

use super::{Surroundings, Tags, literal, template};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{self, FieldId, Template};
use crate::source::Span;
use crate::syntax::ast::{self, BodyItem, BodyKind};
use crate::types::{Base, FieldKind, Type, Value};
use std::sync::Arc;

/// Whose body it is, which decides what may stand in it.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Criterion,
    Item,
    /// The head of a checklist or group: `judge sees applies tag` only.
    Head,
}

/// A body, sorted by kind of statement.
#[derive(Default, Clone)]
pub(super) struct Body<'a> {
    pub(super) ask: Option<&'a ast::Text>,
    pub(super) levels: Vec<(&'a ast::Expr, &'a ast::Text)>,
    pub(super) examples: Vec<(&'a [ast::Given], Span)>,
    pub(super) sees: Option<Vec<FieldId>>,
    pub(super) applies: Option<&'a ast::Procedure>,
    pub(super) judge: Option<&'a ast::Procedure>,
    pub(super) tags: Tags,
}

impl<'a> Body<'a> {
    /// This body where it says something, else what stands around it; tags of both, this one's value winning for a key.
    pub(super) fn within(mut self, outer: &Body<'a>) -> Body<'a> {
        self.sees = self.sees.or_else(|| outer.sees.clone());
        self.applies = self.applies.or(outer.applies);
        self.judge = self.judge.or(outer.judge);
        let inherited = outer.tags.iter().filter(|(key, _)| !self.tags.iter().any(|(own, _)| own == key));
        self.tags = inherited.cloned().chain(self.tags.iter().cloned()).collect();
        self
    }
}

/// Sorts the statements of a body.
pub(super) fn read<'a>(around: &mut Surroundings<'_>, items: &'a [BodyItem], of: Of) -> Body<'a> {
    let mut body = Body::default();
    let mut first: Vec<(&str, Span)> = Vec::new();
    for item in items {
        let word = word(&item.kind);
        let once =
            matches!(item.kind, BodyKind::Ask(_) | BodyKind::Sees(_) | BodyKind::Applies(_) | BodyKind::Judge(_));
        if !allowed(of, &item.kind) {
            misplaced(around, word, item.span, of);
            continue;
        }
        if once {
            if let Some((_, earlier)) = first.iter().find(|(w, _)| *w == word) {
                around.sink.push(
                    Diagnostic::error(Code::REPEATED, item.span, format!("`{word}` stands twice"), "the second one")
                        .also(*earlier, "the first one")
                        .help("keep one of them"),
                );
                continue;
            }
            first.push((word, item.span));
        }
        take(around, &mut body, item);
    }
    body
}

fn take<'a>(around: &mut Surroundings<'_>, body: &mut Body<'a>, item: &'a BodyItem) {
    match &item.kind {
        BodyKind::Ask(text) => body.ask = Some(text),
        BodyKind::Level(value, text) => body.levels.push((value, text)),
        BodyKind::Example(entries) => body.examples.push((entries, item.span)),
        BodyKind::Sees(paths) => body.sees = Some(sees(around, paths)),
        BodyKind::Applies(procedure) => body.applies = Some(procedure),
        BodyKind::Judge(procedure) => body.judge = Some(procedure),
        BodyKind::Tag(key, text) => {
            if body.tags.iter().any(|(k, v)| *k == key.text && *v == text.value) {
                return;
            }
            body.tags.push((key.text.clone(), text.value.clone()));
        }
        BodyKind::Error => {}
    }
}

fn sees(around: &mut Surroundings<'_>, paths: &[ast::Path]) -> Vec<FieldId> {
    let mut seen: Vec<FieldId> = Vec::new();
    for path in paths {
        let name = path.dotted();
        let fields = around.fields_of(&name);
        if fields.is_empty() {
            around.unknown_field(&name, path.span);
        }
        for id in fields {
            if seen.contains(&id) {
                around.sink.push(
                    Diagnostic::error(Code::REPEATED, path.span, format!("`{name}` is already seen"), "named twice")
                        .help("name each field once"),
                );
            } else {
                seen.push(id);
            }
        }
    }
    seen
}

fn word(kind: &BodyKind) -> &'static str {
    match kind {
        BodyKind::Ask(_) => "ask",
        BodyKind::Level(..) => "level",
        BodyKind::Example(_) => "example",
        BodyKind::Sees(_) => "sees",
        BodyKind::Applies(_) => "applies",
        BodyKind::Judge(_) => "judge",
        BodyKind::Tag(..) => "tag",
        BodyKind::Error => "",
    }
}

fn allowed(of: Of, kind: &BodyKind) -> bool {
    match of {
        Of::Criterion => true,
        Of::Item => !matches!(kind, BodyKind::Ask(_)),
        Of::Head => !matches!(kind, BodyKind::Ask(_) | BodyKind::Level(..) | BodyKind::Example(_)),
    }
}

fn misplaced(around: &mut Surroundings<'_>, word: &str, span: Span, of: Of) {
    let (place, help) = match of {
        Of::Item => ("an item", "an item's text is its question"),
        _ => ("a checklist or group", "`judge`, `sees`, `applies` and `tag` may stand here, before the items"),
    };
    around.sink.push(
        Diagnostic::error(Code::MISPLACED, span, format!("`{word}` cannot stand in {place}"), "not here").help(help),
    );
}

/// The anchors, each value once, in the order written.
pub(super) fn levels(
    around: &mut Surroundings<'_>,
    body: &Body<'_>,
    ty: &Type,
    sees: &[FieldId],
) -> Vec<(Value, Template)> {
    let mut levels: Vec<(Value, Template)> = Vec::new();
    let mut spans: Vec<(Value, Span)> = Vec::new();
    for (expr, text) in &body.levels {
        let Some(value) = level_value(around, expr, ty) else { continue };
        if let Some((_, earlier)) = spans.iter().find(|(v, _)| *v == value) {
            around.sink.push(
                Diagnostic::error(Code::REPEATED, expr.span, "this level is described twice", "the second time")
                    .also(*earlier, "the first time")
                    .help("keep one description"),
            );
            continue;
        }
        spans.push((value.clone(), expr.span));
        levels.push((value, template::template(around, text, sees)));
    }
    levels
}

/// A level's value. Of a set or tally a level describes one label, kept as the set or tally of that label alone.
fn level_value(around: &mut Surroundings<'_>, expr: &ast::Expr, ty: &Type) -> Option<Value> {
    let Some(labels) = ty.labels().filter(|_| matches!(ty.base, Base::Set(_) | Base::Tally { .. })) else {
        return literal::value(expr, ty, Code::LEVEL_VALUE, around.sink);
    };
    if matches!(expr.bare().kind, ast::ExprKind::Unknown) {
        return literal::value(expr, ty, Code::LEVEL_VALUE, around.sink);
    }
    let as_choice = Type::of(Base::Choice(labels.clone()));
    let Value::Label(rank) = literal::value(expr, &as_choice, Code::LEVEL_VALUE, around.sink)? else { return None };
    Some(match ty.base {
        Base::Set(_) => Value::Set([rank].into()),
        _ => Value::Tally((0_u32..).zip(labels.iter()).map(|(at, _)| u32::from(at == rank)).collect()),
    })
}

/// The worked examples.
pub(super) fn examples(around: &mut Surroundings<'_>, body: &Body<'_>, ty: &Type) -> Vec<graph::Example> {
    body.examples.iter().filter_map(|(entries, span)| example(around, entries, *span, ty)).collect()
}

fn example(around: &mut Surroundings<'_>, entries: &[ast::Given], span: Span, ty: &Type) -> Option<graph::Example> {
    let mut fields = Vec::new();
    let mut judgment = None;
    let mut because: Option<Arc<str>> = None;
    let mut keys: Vec<String> = Vec::new();
    let mut judged = false;
    for entry in entries {
        let key = entry.key.dotted();
        if keys.contains(&key) {
            around.sink.push(
                Diagnostic::error(Code::REPEATED, entry.span, format!("`{key}` stands twice in this example"), "again")
                    .help("keep one of them"),
            );
            continue;
        }
        keys.push(key.clone());
        match key.as_str() {
            "judgment" => {
                judged = true;
                judgment = literal::value(&entry.value, ty, Code::LEVEL_VALUE, around.sink);
            }
            "because" => match &entry.value.bare().kind {
                ast::ExprKind::Text(text) => because = Some(text.value.clone()),
                ast::ExprKind::Error => {}
                _ => bad_example(around, entry.value.span, "`because` wants a text", "write it in quotes"),
            },
            _ => {
                let Some((id, field)) = around.field(&key) else {
                    around.unknown_field(&key, entry.key.span);
                    continue;
                };
                match field_value(&entry.value, field.kind) {
                    Some(json) => fields.push((id, json)),
                    None if matches!(entry.value.kind, ast::ExprKind::Error) => {}
                    None => {
                        let says = format!("`{key}` is a {} field", field.kind.word());
                        bad_example(around, entry.value.span, &says, "give it a value of that kind");
                    }
                }
            }
        }
    }
    if !judged {
        bad_example(around, span, "the example does not say how it is judged", "add `judgment: …`");
    }
    Some(graph::Example { fields, judgment: judgment?, because })
}

fn bad_example(around: &mut Surroundings<'_>, span: Span, says: &str, help: &str) {
    around.sink.push(Diagnostic::error(Code::BAD_EXAMPLE, span, says, "cannot be used").help(help));
}

/// What a field holds in an example. A `chat` or `json` field is written as text that holds JSON.
fn field_value(expr: &ast::Expr, kind: FieldKind) -> Option<serde_json::Value> {
    match (&expr.bare().kind, kind) {
        (ast::ExprKind::Text(text), FieldKind::Text | FieldKind::Image) => {
            Some(serde_json::Value::String(text.value.to_string()))
        }
        (ast::ExprKind::Text(text), FieldKind::Json | FieldKind::Chat) => serde_json::from_str(&text.value).ok(),
        (ast::ExprKind::Bool(b), FieldKind::Flag) => Some(serde_json::Value::Bool(*b)),
        (_, FieldKind::Number) => serde_json::to_value(literal::constant(expr)?).ok(),
        _ => None,
    }
}
