//! Criteria of a JSON program: turned into the tree that the parser would have made of a `criterion` declaration, with places
//! in the JSON text, and elaborated as every criterion is.

use super::checklists::Lists;
use super::nodes::Draft;
use super::shape::{Given, Reader};
use super::tree::{ObjectProp, Value, plain};
use crate::check::criteria::{self, Surroundings};
use crate::diagnostics::Code;
use crate::graph::{Criterion, FieldId, NodeKind, Origin, Procedure as Judged};
use crate::number::Number;
use crate::rules::Scope;
use crate::source::Span;
use crate::syntax::ast::{
    self, Arg, BinaryOp, BodyItem, BodyKind, Expr, ExprKind, Hole, Name, Path, Procedure, Text, UnaryOp,
};
use crate::types::{Base, Field, FieldKind, Type};

/// Elaborates the criterion of a node: what is asked, and the node's type.
pub(super) fn criterion<'a>(
    r: &mut Reader<'a>,
    draft: &Draft<'a, '_>,
    at: usize,
    lists: &Lists,
    fields: &[Field],
) -> Option<(Criterion, Type)> {
    let given = &draft.given;
    let ty = given.get("type").and_then(|v| r.ty(v));
    let yields = given.get("yields").map(|v| (r.ty(v), r.span(v)));
    let mut body = head(r, given);
    let before = r.sink.len();
    if let Some(ask) = given.get("ask").and_then(|v| template(r, v)) {
        body.push(BodyItem { span: ask.span, kind: BodyKind::Ask(ask) });
    }
    let plain_type = Type::BOOL;
    let known = ty.as_ref().unwrap_or(&plain_type);
    levels(r, given, known, &mut body);
    examples(r, given, known, fields, &mut body);
    let implied = r.flag(given, "implied");
    if implied && !body.iter().any(|item| stands_for_field(&item.kind, fields)) {
        let span = given.get("implied").map_or(draft.span, |v| r.span(v));
        let help = "take `implied` out: this is a criterion of its own";
        r.error(
            Code::JSON_KIND,
            span,
            "only a flag or a comparison of numbers of the record is implied",
            "neither",
            help,
        );
    }
    let ty = ty?;
    let origin = match lists.item_list(at) {
        Some(checklist) => Origin::Item { checklist },
        None if implied => Origin::Implied,
        None => Origin::Declared,
    };
    let fine = r.sink.len() == before;
    let declared = ast::Criterion { name: name(&draft.id, draft.span), ty: None, body };
    let lost = r.lost_fields;
    let silent = |_: &str| lost;
    let mut around = Surroundings::new(fields, &|_| None, None, Scope::JUDGE.with_silent(&silent), &mut r.sink);
    let made = criteria::criterion_of(&mut around, &declared, ty, origin);
    let (mut criterion, node_type) = made.filter(|_| fine)?;
    if let (Origin::Implied, Judged::Rule(rule)) = (&criterion.origin, &criterion.procedure) {
        // It sees what it reads, as where composition makes it.
        let at = |name: &str| fields.iter().position(|f| *f.name == *name).and_then(|at| u32::try_from(at).ok());
        criterion.sees = rule.fields.iter().filter_map(|name| at(name)).map(FieldId).collect();
        criterion.sees_written = true;
    }
    match yields {
        Some((None, _)) => return None,
        Some((Some(written), span)) if written != node_type => {
            let headline = format!("node `{}`: its value is {node_type}, not {written}", draft.id);
            let help = "write the right type, or leave `yields` out: it follows from `type` and `judge`";
            r.error(Code::JSON_TYPE, span, headline, "another type", help);
            return None;
        }
        _ => {}
    }
    Some((criterion, node_type))
}

/// Whether a judge is a rule that composition itself makes of fields: a flag, or a comparison.
fn stands_for_field(judge: &BodyKind, fields: &[Field]) -> bool {
    let BodyKind::Judge(Procedure { args, .. }) = judge else { return false };
    let [Arg { name: None, value, .. }] = args.as_slice() else { return false };
    match &value.bare().kind {
        ExprKind::Path(path) => {
            let name = path.dotted();
            fields.iter().any(|f| *f.name == *name && f.kind == FieldKind::Flag)
        }
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
        ),
        ExprKind::Error => true,
        _ => false,
    }
}

/// The items that come with each record.
pub(super) fn items<'a>(
    r: &mut Reader<'a>,
    draft: &Draft<'a, '_>,
    at: usize,
    lists: &Lists,
    fields: &[Field],
) -> Option<(NodeKind, Type)> {
    let given = &draft.given;
    let index = lists.brought_list(at);
    let from = given.get("from").and_then(|v| Some(path(r.string(v)?, r.span(v))))?;
    let ty = given.get("type").map(|v| (r.ty(v), r.span(v)));
    let Some(index) = index else {
        let help = format!("add {{\"name\": \"{0}\", \"from\": \"{0}\"}} to `checklists`", draft.id);
        let headline = format!("no checklist takes its items from `{}`", draft.id);
        r.error(Code::JSON_CHECKLIST, draft.span, headline, "belongs to no checklist", help);
        return None;
    };
    let written = match ty {
        Some((None, _)) => return None,
        Some((Some(ty), span)) => Some((ty, span)),
        None => None,
    };
    let declared = ast::Checklist {
        name: name(&draft.id, draft.span),
        ty: written.as_ref().map(|(_, span)| stand_in(*span)),
        from: Some(from),
        head: head(r, given),
        entries: Vec::new(),
    };
    let scales = |_: &str| written.as_ref().map(|(ty, _)| ty.clone());
    let lost = r.lost_fields;
    let silent = |_: &str| lost;
    let mut around = Surroundings::new(fields, &scales, None, Scope::JUDGE.with_silent(&silent), &mut r.sink);
    let made = criteria::checklist(&mut around, &declared, index);
    let from = made.from?;
    let ty = Type::of(Base::Items).with_optional(from.template.ty.optional);
    Some((NodeKind::Items { field: from.field, template: Box::new(from.template) }, ty))
}

/// What may stand at the head of a checklist too: `sees`, `applies`, `judge`, `tags`.
fn head<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>) -> Vec<BodyItem> {
    let mut body = Vec::new();
    if let Some(sees) = given.get("sees") {
        let span = r.span(sees);
        let mut paths = Vec::new();
        for field in r.list(given, "sees") {
            let span = r.span(field);
            paths.extend(r.string(field).map(|text| path(text, span)));
        }
        body.push(BodyItem { kind: BodyKind::Sees(paths), span });
    }
    if let Some(value) = given.get("applies") {
        let span = r.span(value);
        if let Some(expr) = expression(r, value) {
            body.push(BodyItem { kind: BodyKind::Applies(rule(expr, span)), span });
        }
    }
    if let Some(value) = given.get("judge") {
        let span = r.span(value);
        let procedure = judge(r, value).unwrap_or_else(|| broken(span));
        body.push(BodyItem { kind: BodyKind::Judge(procedure), span });
    }
    for tag in r.list(given, "tags") {
        let span = r.span(tag);
        let Some(pair) = r.object(tag, "a tag", &["key", "value"], &["key", "value"]) else { continue };
        let key = pair.get("key").and_then(|v| Some(name(r.string(v)?, r.span(v))));
        let value = pair.get("value").and_then(|v| Some(literal_text(r.string(v)?, r.span(v))));
        if let (Some(key), Some(value)) = (key, value) {
            body.push(BodyItem { kind: BodyKind::Tag(key, value), span });
        }
    }
    body
}

fn levels<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>, ty: &Type, body: &mut Vec<BodyItem>) {
    for value in r.list(given, "levels") {
        let span = r.span(value);
        let Some(level) = r.object(value, "a level", &["value", "text"], &["value", "text"]) else { continue };
        let words = level.get("text").and_then(|v| template(r, v));
        let value = level.get("value").map(|v| constant(r, v, ty));
        let (Some(words), Some(mut value)) = (words, value) else { continue };
        // Of a set or tally a level is written as the list of its one label.
        if let ExprKind::List(list) = &value.kind
            && let [one] = list.as_slice()
        {
            value = one.clone();
        }
        body.push(BodyItem { kind: BodyKind::Level(value, words), span });
    }
}

fn examples<'a>(r: &mut Reader<'a>, given: &Given<'a, '_>, ty: &Type, fields: &[Field], body: &mut Vec<BodyItem>) {
    const KEYS: [&str; 3] = ["fields", "judgment", "because"];
    for value in r.list(given, "examples") {
        let span = r.span(value);
        let Some(example) = r.object(value, "an example", &KEYS, &["fields", "judgment"]) else { continue };
        let mut entries = Vec::new();
        let shown = example.get("fields").and_then(|v| r.any_object(v, "an object of fields"));
        for prop in shown.iter().flat_map(|o| o.props()) {
            entries.push(entry(path(prop.name.as_str(), r.key_span(prop)), field_value(r, prop, fields)));
        }
        if let Some(value) = example.get("judgment") {
            let value = constant(r, value, ty);
            entries.push(entry(path("judgment", value.span), value));
        }
        if let Some(value) = example.get("because") {
            let span = r.span(value);
            let text = r.string(value).map(|t| ExprKind::Text(literal_text(t, span)));
            entries.push(entry(path("because", span), expr(text.unwrap_or(ExprKind::Error), span)));
        }
        body.push(BodyItem { kind: BodyKind::Example(entries), span });
    }
}

fn entry(key: Path, value: Expr) -> ast::Given {
    let span = key.span.to(value.span);
    ast::Given { key, index: None, value, span }
}

/// What a field holds in an example; `chat` and `json` fields are written as text that holds JSON.
fn field_value<'a>(r: &mut Reader<'a>, prop: &ObjectProp<'a>, fields: &[Field]) -> Expr {
    let span = r.span(&prop.value);
    let kind = fields.iter().find(|f| &*f.name == prop.name.as_str()).map(|f| f.kind);
    if matches!(kind, Some(FieldKind::Json | FieldKind::Chat)) {
        return expr(ExprKind::Text(literal_text(&plain(&prop.value).to_string(), span)), span);
    }
    match &prop.value {
        Value::StringLit(text) => match super::parameters::fraction(&text.value) {
            Some(number) if kind == Some(FieldKind::Number) => number_expr(&number, span),
            _ => expr(ExprKind::Text(literal_text(&text.value, span)), span),
        },
        Value::BooleanLit(b) => expr(ExprKind::Bool(b.value), span),
        Value::NumberLit(_) => r.number(&prop.value).map_or_else(|| error(span), |n| number_expr(&n, span)),
        _ => expr(ExprKind::List(Vec::new()), span),
    }
}

/// A judgment: `true`, a number, a label, a list of labels, `"unknown"`.
fn constant<'a>(r: &mut Reader<'a>, value: &Value<'a>, ty: &Type) -> Expr {
    let span = r.span(value);
    match value {
        Value::StringLit(text) if text.value == "unknown" => expr(ExprKind::Unknown, span),
        Value::StringLit(text) => match super::parameters::fraction(&text.value) {
            Some(number) if ty.is_number() => number_expr(&number, span),
            _ => expr(ExprKind::Text(literal_text(&text.value, span)), span),
        },
        Value::BooleanLit(b) => expr(ExprKind::Bool(b.value), span),
        Value::NumberLit(_) => r.number(value).map_or_else(|| error(span), |n| number_expr(&n, span)),
        Value::Array(list) => {
            let labels = list.elements.iter().map(|v| match v {
                Value::StringLit(text) => expr(ExprKind::Text(literal_text(&text.value, r.span(v))), r.span(v)),
                other => constant_part(r, other),
            });
            let labels = labels.collect::<Vec<_>>();
            expr(ExprKind::List(labels), span)
        }
        Value::Object(_) | Value::NullKeyword(_) => constant_part(r, value),
    }
}

/// Something that no judgment can hold.
fn constant_part(r: &mut Reader<'_>, value: &Value<'_>) -> Expr {
    let span = r.span(value);
    let help = "write `true`, a number, the text of a label, a list of labels, or \"unknown\"";
    r.error(Code::JSON_KIND, span, "this cannot be a judgment", "wrong kind", help);
    error(span)
}

const JUDGES: [&str; 5] = ["llm", "rule", "human", "verifier", "cascade"];

/// `{"llm": {…}}`, `{"rule": "…"}`, `{"human": {…}}`, `{"verifier": "…"}`, `{"cascade": {…}}`.
fn judge<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<Procedure> {
    let span = r.span(value);
    let given = r.object(value, "a judge", &JUDGES, &[])?;
    let known: Vec<&ObjectProp<'a>> = given.props().iter().filter(|p| JUDGES.contains(&p.name.as_str())).collect();
    let [prop] = known.as_slice() else {
        if known.len() == given.props().len() {
            let help = "write one of {\"llm\": {…}}, {\"rule\": \"…\"}, {\"human\": {}}, {\"verifier\": \"…\"}, {\"cascade\": {…}}";
            r.error(Code::JSON_KIND, span, "a judge is an object with exactly one key", "not one key", help);
        }
        return None;
    };
    let word = name(prop.name.as_str(), r.key_span(prop));
    match prop.name.as_str() {
        "rule" => Some(rule(expression(r, &prop.value)?, span)),
        "verifier" => {
            let value = expr(ExprKind::Text(literal_text(r.string(&prop.value)?, r.span(&prop.value))), span);
            Some(Procedure { word, args: vec![argument(None, value)], otherwise: None, span })
        }
        "cascade" => {
            let keys = ["first", "second", "below"];
            let parts = r.object(&prop.value, "a cascade", &keys, &keys)?;
            let mut first = llm(r, parts.get("first")?)?;
            let second = llm(r, parts.get("second")?)?;
            let below = parts.get("below")?;
            let at = r.span(below);
            let number = number_expr(&r.number(below)?, at);
            let confidence = expr(ExprKind::Path(path("confidence", at)), at);
            let less = ExprKind::Binary(BinaryOp::Less, at, Box::new(confidence), Box::new(number));
            let condition = Expr { kind: less, span: at, depth: 1 };
            first.otherwise = Some(Box::new((second, condition)));
            Some(first)
        }
        "human" => {
            let parts = r.any_object(&prop.value, "an object of parameters")?;
            let args = parts.props().iter().map(|p| parameter(r, p)).collect();
            Some(Procedure { word, args, otherwise: None, span })
        }
        _ => llm(r, &prop.value),
    }
}

fn llm<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<Procedure> {
    let span = r.span(value);
    let given = r.any_object(value, "an object of parameters")?;
    let args = given.props().iter().map(|prop| parameter(r, prop)).collect();
    Some(Procedure { word: name("llm", span), args, otherwise: None, span })
}

/// `"samples": 3` as the argument `samples: 3`. Whether the judge has it is checked with those of a text.
fn parameter<'a>(r: &mut Reader<'a>, prop: &ObjectProp<'a>) -> Arg {
    let key = prop.name.as_str();
    let span = r.span(&prop.value);
    let in_words = !matches!(key, "each" | "model" | "panel");
    let word = |text: &str, span: Span| {
        if in_words {
            ExprKind::Path(Path { parts: vec![name(text, span)], span })
        } else {
            ExprKind::Text(literal_text(text, span))
        }
    };
    let value = match &prop.value {
        Value::StringLit(text) => match super::parameters::fraction(&text.value) {
            Some(number) if in_words => number_expr(&number, span),
            _ => expr(word(&text.value, span), span),
        },
        Value::NumberLit(_) => r.number(&prop.value).map_or_else(|| error(span), |n| number_expr(&n, span)),
        Value::BooleanLit(b) => expr(ExprKind::Bool(b.value), span),
        Value::Array(list) => {
            let parts = list.elements.iter().map(|v| match v {
                Value::StringLit(text) => expr(word(&text.value, r.span(v)), r.span(v)),
                other => expr(ExprKind::Bool(false), r.span(other)),
            });
            let parts = parts.collect::<Vec<_>>();
            expr(ExprKind::List(parts), span)
        }
        Value::Object(_) | Value::NullKeyword(_) => {
            let help = "leave a parameter out where its default is meant";
            r.error(Code::JSON_KIND, span, format!("`{key}` cannot hold this"), "wrong kind", help);
            error(span)
        }
    };
    argument(Some(name(key, r.key_span(prop))), value)
}

/// A rule's expression, parsed from its text.
fn expression<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<Expr> {
    r.string(value)?;
    let little = r.embedded.open(r.source, value)?;
    Some(crate::syntax::parse_expression(&little, &mut r.sink))
}

/// A text in which `{{field}}` inserts a field; or a list of texts, taken as they are, and `{"field": …}`.
fn template<'a>(r: &mut Reader<'a>, value: &Value<'a>) -> Option<Text> {
    let span = r.span(value);
    let Value::Array(list) = value else {
        let text = r.string(value)?;
        let mut holes = Vec::new();
        let mut at = 0;
        let little = if text.contains("{{") { r.embedded.open(r.source, value) } else { None };
        let place = |start, end| little.as_ref().map_or(span, |little| Span::new(little.id, start, end));
        while let Some(start) = text.get(at..).and_then(|rest| rest.find("{{")).map(|n| at + n + 2) {
            let Some(end) = text.get(start..).and_then(|rest| rest.find("}}")).map(|n| start + n) else { break };
            holes.push(Hole { start: small(start), end: small(end), span: place(start, end) });
            at = end + 2;
        }
        return Some(Text { value: text.into(), span, raw: false, holes });
    };
    let mut text = String::new();
    let mut holes = Vec::new();
    for part in &list.elements {
        match part {
            Value::Object(_) => {
                let given = r.object(part, "a part of a text", &["field"], &["field"])?;
                let written = given.get("field")?;
                let field = r.string(written)?;
                let span = r.span(written);
                text.push_str("{{");
                let start = text.len();
                text.push_str(field);
                holes.push(Hole { start: small(start), end: small(text.len()), span });
                text.push_str("}}");
            }
            other => text.push_str(r.string(other)?),
        }
    }
    Some(Text { value: text.into(), span, raw: false, holes })
}

impl<'a> Reader<'a> {
    /// The type that a text writes.
    pub(super) fn ty(&mut self, value: &Value<'a>) -> Option<Type> {
        let text = self.string(value)?;
        if let Some(known) = self.embedded.types.get(text) {
            return Some(known.clone());
        }
        if let Some(ty) = exact_interval(text) {
            self.embedded.types.insert(text.to_owned(), ty.clone());
            return Some(ty);
        }
        let little = self.embedded.open(self.source, value)?;
        let before = self.sink.len();
        let written = crate::syntax::parse_type(&little, &mut self.sink);
        let ty = crate::resolve::types::resolve_type(&written, &|_| None, &mut self.sink)?;
        if self.sink.len() == before {
            self.embedded.types.insert(text.to_owned(), ty.clone());
        }
        Some(ty)
    }
}

/// `score[-4/7..1]`: an interval whose ends no decimal writes, as operators have it and no author writes it.
fn exact_interval(text: &str) -> Option<Type> {
    let (known, optional) = text.strip_suffix('?').map_or((text, false), |known| (known, true));
    let (lo, hi) = known.strip_prefix("score[")?.strip_suffix(']')?.split_once("..")?;
    if !text.contains('/') {
        return None;
    }
    let (lo, hi) = (Number::from_exact(lo).ok()?, Number::from_exact(hi).ok()?);
    (lo <= hi).then(|| Type::score(lo, hi).with_optional(optional))
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn name(text: &str, span: Span) -> Name {
    Name { text: text.into(), span }
}

fn path(text: &str, span: Span) -> Path {
    Path { parts: text.split('.').map(|part| name(part, span)).collect(), span }
}

fn literal_text(text: &str, span: Span) -> Text {
    Text { value: text.into(), span, raw: true, holes: Vec::new() }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span, depth: 1 }
}

fn error(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span, depth: 0 }
}

fn number_expr(number: &Number, span: Span) -> Expr {
    let plain = expr(ExprKind::Number(number.abs()), span);
    if number.is_negative() {
        return Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(plain)), span, depth: 2 };
    }
    plain
}

fn argument(name: Option<Name>, value: Expr) -> Arg {
    let span = name.as_ref().map_or(value.span, |n| n.span.to(value.span));
    Arg { name, value, weight: None, span }
}

fn rule(value: Expr, span: Span) -> Procedure {
    Procedure { word: name("rule", span), args: vec![argument(None, value)], otherwise: None, span }
}

/// Stands for a judge that is in error, about which no more is said.
fn broken(span: Span) -> Procedure {
    rule(error(span), span)
}

/// Stands for a type that has been resolved: the caller's scales answer every name with it.
fn stand_in(span: Span) -> ast::TypeExpr {
    ast::TypeExpr { kind: ast::TypeKind::Named(path("it", span)), optional: false, span }
}
