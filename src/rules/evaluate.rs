//! Walking a compiled rule over the fields of one record.
//!
//! The tree is as deep as the expression, which the parser bounds. Unknown passes through everything but `known`,
//! `otherwise`, `if`'s branch that is not taken, and the Kleene `and or`. Nothing here guesses: a field that holds something
//! of another kind is an error, a part of a JSON value that is not there (or of another kind than its place wants) is unknown.

use super::schema::Schema;
use super::similarity::{MOST_COMPARED, Metric, similarity};
use super::{FieldValues, RuleError, text};
use crate::number::{Number, Rounding};
use crate::syntax::ast::BinaryOp;
use crate::types::{FieldKind, Value};
use regex::Regex;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// A compiled part of a rule.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Unknown,
    Bool(bool),
    Number(Number),
    Text(Arc<str>),
    /// A label of the criterion's type.
    Label(u32),
    Field {
        name: Arc<str>,
        kind: FieldKind,
        optional: bool,
    },
    /// JSON read as what its place wants. `strict`: it is a field itself, and another kind is a fault of the record.
    Read {
        as_: ReadAs,
        strict: bool,
        of: Box<Node>,
    },
    /// A function of one text.
    OfText(OfText, Box<Node>),
    Contains(Box<Node>, Box<Node>),
    StartsWith(Box<Node>, Box<Node>),
    EndsWith(Box<Node>, Box<Node>),
    Matches(Regex, Box<Node>),
    CountMatches(Regex, Box<Node>),
    JsonGet(Arc<str>, Box<Node>),
    JsonMatches(Schema, Box<Node>),
    Similarity(Metric, Box<Node>, Box<Node>),
    Turn(i64, Box<Node>),
    Transcript(Box<Node>),
    Size(Box<Node>),
    Known(Box<Node>),
    Otherwise(Box<Node>, Box<Node>),
    Clamp {
        lo: Number,
        hi: Number,
        of: Box<Node>,
    },
    Round {
        step: Number,
        mode: Rounding,
        of: Box<Node>,
    },
    Abs(Box<Node>),
    /// The greatest, or the least.
    Extreme {
        greatest: bool,
        of: Vec<Node>,
    },
    Negate(Box<Node>),
    Not(Box<Node>),
    /// Arithmetic, comparisons, `and`, `or`.
    Binary(BinaryOp, Box<Node>, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadAs {
    Bool,
    Number,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfText {
    WordCount,
    CharCount,
    SentenceCount,
    LineCount,
    JsonValid,
    Lower,
    Trim,
    NumberIn,
    CodeBlocks,
    Urls,
}

/// What a part of a rule comes to.
#[derive(Debug, Clone)]
pub(super) enum Val<'a> {
    Unknown,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    Texts(Vec<String>),
    /// A `json` or `chat` field, or a part of one.
    Json(Cow<'a, Json>),
    Label(u32),
}

impl Val<'_> {
    /// As a judgment; `None` for what no judgment can be.
    pub fn into_value(self) -> Option<Value> {
        match self {
            Val::Unknown => Some(Value::Unknown),
            Val::Bool(b) => Some(Value::Bool(b)),
            Val::Number(n) => Some(Value::Number(n)),
            Val::Label(rank) => Some(Value::Label(rank)),
            Val::Text(_) | Val::Texts(_) | Val::Json(_) => None,
        }
    }

    fn bool(&self) -> Option<bool> {
        if let Val::Bool(b) = self { Some(*b) } else { None }
    }
}

type Found<'a> = Result<Val<'a>, RuleError>;

fn fault<T>(sentence: String) -> Result<T, RuleError> {
    Err(RuleError(sentence))
}

/// What the compiler has ruled out; an error rather than a wrong value should it ever be seen.
fn broken<'a>() -> Found<'a> {
    fault("the rule does not fit its own types".to_owned())
}

/// Computes a node over the fields of a record.
pub(super) fn evaluate<'a>(node: &'a Node, fields: &'a dyn FieldValues) -> Found<'a> {
    let text = |node: &'a Node| -> Result<Option<Cow<'a, str>>, RuleError> {
        match evaluate(node, fields)? {
            Val::Text(text) => Ok(Some(text)),
            Val::Unknown => Ok(None),
            _ => fault("the rule does not fit its own types".to_owned()),
        }
    };
    let number = |node: &'a Node| -> Result<Option<Number>, RuleError> {
        match evaluate(node, fields)? {
            Val::Number(n) => Ok(Some(n)),
            Val::Unknown => Ok(None),
            _ => fault("the rule does not fit its own types".to_owned()),
        }
    };
    let count = |n: usize| Val::Number(Number::from(n));
    macro_rules! known {
        ($value:expr) => {
            match $value {
                Some(value) => value,
                None => return Ok(Val::Unknown),
            }
        };
    }
    Ok(match node {
        Node::Unknown => Val::Unknown,
        Node::Bool(b) => Val::Bool(*b),
        Node::Number(n) => Val::Number(n.clone()),
        Node::Text(t) => Val::Text(Cow::Borrowed(t)),
        Node::Label(rank) => Val::Label(*rank),
        Node::Field { name, kind, optional } => return field(name, *kind, *optional, fields),
        Node::Read { as_, strict, of } => return read(*as_, *strict, evaluate(of, fields)?),
        Node::OfText(function, of) => {
            let t = known!(text(of)?);
            match function {
                OfText::WordCount => count(text::word_count(&t)),
                OfText::CharCount => count(text::char_count(&t)),
                OfText::SentenceCount => count(text::sentence_count(&t)),
                OfText::LineCount => count(text::line_count(&t)),
                OfText::JsonValid => Val::Bool(serde_json::from_str::<serde::de::IgnoredAny>(&t).is_ok()),
                OfText::Lower => Val::Text(Cow::Owned(t.to_lowercase())),
                OfText::Trim => Val::Text(match t {
                    Cow::Borrowed(t) => Cow::Borrowed(t.trim()),
                    Cow::Owned(t) => Cow::Owned(t.trim().to_owned()),
                }),
                OfText::NumberIn => text::number_in(&t).map_or(Val::Unknown, Val::Number),
                OfText::CodeBlocks => Val::Texts(text::code_blocks(&t)),
                OfText::Urls => Val::Texts(text::urls(&t)),
            }
        }
        Node::Contains(of, part) => match evaluate(of, fields)? {
            Val::Text(whole) => Val::Bool(whole.contains(&*known!(text(part)?))),
            Val::Texts(list) => {
                let part = known!(text(part)?);
                Val::Bool(list.iter().any(|t| *t == part))
            }
            Val::Unknown => Val::Unknown,
            _ => return broken(),
        },
        Node::StartsWith(of, part) => Val::Bool(known!(text(of)?).starts_with(&*known!(text(part)?))),
        Node::EndsWith(of, part) => Val::Bool(known!(text(of)?).ends_with(&*known!(text(part)?))),
        Node::Matches(regex, of) => Val::Bool(regex.is_match(&known!(text(of)?))),
        Node::CountMatches(regex, of) => count(regex.find_iter(&known!(text(of)?)).count()),
        Node::JsonGet(pointer, of) => return Ok(json_get(pointer, evaluate(of, fields)?)),
        Node::JsonMatches(schema, of) => match evaluate(of, fields)? {
            Val::Text(t) => Val::Bool(serde_json::from_str(&t).is_ok_and(|json| schema.is_valid(&json))),
            Val::Json(json) => Val::Bool(schema.is_valid(&json)),
            Val::Unknown => Val::Unknown,
            _ => return broken(),
        },
        Node::Similarity(metric, a, b) => {
            let (a, b) = (known!(text(a)?), known!(text(b)?));
            match similarity(&a, &b, *metric) {
                Some(n) => Val::Number(n),
                None => {
                    return fault(format!(
                        "a text is too long for `similarity(…, metric: {})`, which compares at most {MOST_COMPARED} {}",
                        metric.word(),
                        if *metric == Metric::RougeL { "words" } else { "characters" },
                    ));
                }
            }
        }
        Node::Turn(n, of) => match evaluate(of, fields)? {
            Val::Json(chat) => return turn(*n, &chat),
            Val::Unknown => Val::Unknown,
            _ => return broken(),
        },
        Node::Transcript(of) => match evaluate(of, fields)? {
            Val::Json(chat) => Val::Text(Cow::Owned(transcript(&chat)?)),
            Val::Unknown => Val::Unknown,
            _ => return broken(),
        },
        Node::Size(of) => match evaluate(of, fields)? {
            Val::Texts(list) => count(list.len()),
            Val::Json(json) => match &*json {
                Json::Array(list) => count(list.len()),
                Json::Object(map) => count(map.len()),
                _ => match &**of {
                    Node::Field { name, .. } => {
                        return fault(format!("`size({name})` wants a JSON array or object, and `{name}` is neither"));
                    }
                    _ => Val::Unknown,
                },
            },
            Val::Unknown => Val::Unknown,
            _ => return broken(),
        },
        Node::Known(of) => Val::Bool(!matches!(evaluate(of, fields)?, Val::Unknown)),
        Node::Otherwise(of, or) => match evaluate(of, fields)? {
            Val::Unknown => return evaluate(or, fields),
            known => known,
        },
        Node::Clamp { lo, hi, of } => Val::Number(known!(number(of)?).max(lo.clone()).min(hi.clone())),
        Node::Round { step, mode, of } => Val::Number(known!(number(of)?).round_step(step, *mode)),
        Node::Abs(of) => Val::Number(known!(number(of)?).abs()),
        Node::Extreme { greatest, of } => {
            let mut best: Option<Number> = None;
            let mut unknown = false;
            for part in of {
                // Every part is computed, so that a fault of the record shows whatever the others are.
                match number(part)? {
                    Some(n) if best.as_ref().is_none_or(|b| (n > *b) == *greatest) => best = Some(n),
                    Some(_) => {}
                    None => unknown = true,
                }
            }
            if unknown { Val::Unknown } else { Val::Number(known!(best)) }
        }
        Node::Negate(of) => Val::Number(-known!(number(of)?)),
        Node::Not(of) => evaluate(of, fields)?.bool().map_or(Val::Unknown, |b| Val::Bool(!b)),
        Node::Binary(op, left, right) => {
            let (left, right) = (evaluate(left, fields)?, evaluate(right, fields)?);
            return binary(*op, &left, &right);
        }
        Node::If(condition, then, otherwise) => match evaluate(condition, fields)?.bool() {
            Some(true) => return evaluate(then, fields),
            Some(false) => return evaluate(otherwise, fields),
            None => Val::Unknown,
        },
    })
}

fn field<'a>(name: &str, kind: FieldKind, optional: bool, fields: &'a dyn FieldValues) -> Found<'a> {
    let json = match fields.get(name) {
        None | Some(Json::Null) if optional => return Ok(Val::Unknown),
        None | Some(Json::Null) => return fault(format!("the field `{name}` is not given")),
        Some(json) => json,
    };
    match (kind, json) {
        (FieldKind::Text, Json::String(t)) => Ok(Val::Text(Cow::Borrowed(t))),
        (FieldKind::Flag, Json::Bool(b)) => Ok(Val::Bool(*b)),
        (FieldKind::Number, Json::Number(n)) => match Number::from_decimal(n.as_str()) {
            Ok(n) => Ok(Val::Number(n)),
            Err(e) => fault(format!("the field `{name}` cannot be read: {e}")),
        },
        (FieldKind::Chat, Json::Array(_)) | (FieldKind::Json, _) => Ok(Val::Json(Cow::Borrowed(json))),
        (kind, json) => fault(format!("the field `{name}` should hold {}, and holds {}", wanted(kind), found(json))),
    }
}

fn wanted(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Chat => "a chat, a list of `{role, content}`",
        FieldKind::Json => "JSON",
        FieldKind::Number => "a number",
        FieldKind::Flag => "true or false",
        FieldKind::Image => "an image",
    }
}

fn found(json: &Json) -> &'static str {
    match json {
        Json::Null => "nothing",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

fn read(as_: ReadAs, strict: bool, value: Val<'_>) -> Found<'_> {
    let Val::Json(json) = value else { return Ok(value) };
    let read = match (as_, json) {
        (ReadAs::Bool, json) => json.as_bool().map(Val::Bool).ok_or(json),
        (ReadAs::Number, json) => match &*json {
            Json::Number(n) => Number::from_decimal(n.as_str()).map(Val::Number).map_err(|_| json),
            _ => Err(json),
        },
        (ReadAs::Text, Cow::Borrowed(Json::String(t))) => Ok(Val::Text(Cow::Borrowed(t))),
        (ReadAs::Text, Cow::Owned(Json::String(t))) => Ok(Val::Text(Cow::Owned(t))),
        (ReadAs::Text, json) => Err(json),
    };
    match read {
        Ok(value) => Ok(value),
        Err(json) if strict => {
            let wanted = match as_ {
                ReadAs::Bool => "true or false",
                ReadAs::Number => "a number",
                ReadAs::Text => "a text",
            };
            fault(format!("the rule reads a JSON field as {wanted}, and it holds {}", found(&json)))
        }
        Err(_) => Ok(Val::Unknown),
    }
}

fn json_get<'a>(pointer: &str, of: Val<'a>) -> Val<'a> {
    let some = |json: Cow<'a, Json>| if json.is_null() { Val::Unknown } else { Val::Json(json) };
    match of {
        Val::Json(Cow::Borrowed(json)) => json.pointer(pointer).map_or(Val::Unknown, |j| some(Cow::Borrowed(j))),
        Val::Json(Cow::Owned(mut json)) => {
            json.pointer_mut(pointer).map_or(Val::Unknown, |j| some(Cow::Owned(j.take())))
        }
        Val::Text(t) => match serde_json::from_str::<Json>(&t) {
            Ok(json) => json_get(pointer, Val::Json(Cow::Owned(json))),
            Err(_) => Val::Unknown,
        },
        _ => Val::Unknown,
    }
}

/// Role and content of a turn.
fn said(turn: &Json) -> Result<(&str, &str), RuleError> {
    let part = |key: &str| turn.get(key).and_then(Json::as_str);
    match (part("role"), part("content")) {
        (Some(role), Some(content)) => Ok((role, content)),
        _ => fault(
            "each turn of a chat is an object `{role, content}` with two texts, and one of them is not".to_owned(),
        ),
    }
}

fn turn<'a>(n: i64, chat: &Json) -> Found<'a> {
    let turns = chat.as_array().map_or(&[][..], Vec::as_slice);
    let at = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    let at = if n > 0 { at.checked_sub(1) } else { turns.len().checked_sub(at) };
    match at.and_then(|at| turns.get(at)) {
        Some(turn) => said(turn).map(|(_, content)| Val::Text(Cow::Owned(content.to_owned()))),
        None => Ok(Val::Unknown),
    }
}

fn transcript(chat: &Json) -> Result<String, RuleError> {
    let turns = chat.as_array().map_or(&[][..], Vec::as_slice);
    let lines = turns.iter().map(|t| said(t).map(|(role, content)| format!("{role}: {content}")));
    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

fn binary<'a>(op: BinaryOp, left: &Val<'a>, right: &Val<'a>) -> Found<'a> {
    let both = match op {
        BinaryOp::And => match (left.bool(), right.bool()) {
            (Some(false), _) | (_, Some(false)) => Val::Bool(false),
            (Some(true), Some(true)) => Val::Bool(true),
            _ => Val::Unknown,
        },
        BinaryOp::Or => match (left.bool(), right.bool()) {
            (Some(true), _) | (_, Some(true)) => Val::Bool(true),
            (Some(false), Some(false)) => Val::Bool(false),
            _ => Val::Unknown,
        },
        _ => match (left, right) {
            (Val::Unknown, _) | (_, Val::Unknown) => Val::Unknown,
            (Val::Number(a), Val::Number(b)) => match op {
                BinaryOp::Add => Val::Number(a + b),
                BinaryOp::Subtract => Val::Number(a - b),
                BinaryOp::Multiply => Val::Number(a * b),
                // The compiler has proved that the divisor is not 0.
                BinaryOp::Divide => a.checked_div(b).map_or(Val::Unknown, Val::Number),
                _ => Val::Bool(compare(op, a.cmp(b))),
            },
            (Val::Text(a), Val::Text(b)) => Val::Bool((a == b) == (op == BinaryOp::Equal)),
            (Val::Bool(a), Val::Bool(b)) => Val::Bool((a == b) == (op == BinaryOp::Equal)),
            _ => return broken(),
        },
    };
    Ok(both)
}

fn compare(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}
