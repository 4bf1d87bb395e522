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
    /// What the expression, or its first group, matches at its last place, or at its first.
    Match {
        regex: Regex,
        last: bool,
        of: Box<Node>,
    },
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
///
/// Only what recurses stands here, so that its frame stays small; [`one`] and [`two`] do the work on values.
pub(super) fn evaluate<'a>(node: &'a Node, fields: &'a dyn FieldValues) -> Found<'a> {
    match node {
        Node::Unknown => Ok(Val::Unknown),
        Node::Bool(b) => Ok(Val::Bool(*b)),
        Node::Number(n) => Ok(Val::Number(n.clone())),
        Node::Text(t) => Ok(Val::Text(Cow::Borrowed(t))),
        Node::Label(rank) => Ok(Val::Label(*rank)),
        Node::Field { name, kind, optional } => field(name, *kind, *optional, fields),
        Node::Read { of, .. }
        | Node::OfText(_, of)
        | Node::Matches(_, of)
        | Node::CountMatches(_, of)
        | Node::Match { of, .. }
        | Node::JsonGet(_, of)
        | Node::JsonMatches(_, of)
        | Node::Turn(_, of)
        | Node::Transcript(of)
        | Node::Size(of)
        | Node::Known(of)
        | Node::Clamp { of, .. }
        | Node::Round { of, .. }
        | Node::Abs(of)
        | Node::Negate(of)
        | Node::Not(of) => one(node, evaluate(of, fields)?),
        Node::Contains(a, b)
        | Node::StartsWith(a, b)
        | Node::EndsWith(a, b)
        | Node::Similarity(_, a, b)
        | Node::Binary(_, a, b) => two(node, evaluate(a, fields)?, evaluate(b, fields)?),
        Node::Otherwise(of, or) => match evaluate(of, fields)? {
            Val::Unknown => evaluate(or, fields),
            known => Ok(known),
        },
        Node::If(condition, then, otherwise) => match evaluate(condition, fields)?.bool() {
            Some(true) => evaluate(then, fields),
            Some(false) => evaluate(otherwise, fields),
            None => Ok(Val::Unknown),
        },
        Node::Extreme { greatest, of } => {
            // Every part is computed, so that a fault of the record shows whatever the others are.
            let parts: Vec<Val<'a>> = of.iter().map(|part| evaluate(part, fields)).collect::<Result<_, _>>()?;
            extreme(*greatest, parts)
        }
    }
}

/// A node of one part, from what that part is.
fn one<'a>(node: &'a Node, value: Val<'a>) -> Found<'a> {
    let count = |n: usize| Val::Number(Number::from(n));
    Ok(match (node, value) {
        (Node::Known(_), value) => Val::Bool(!matches!(value, Val::Unknown)),
        (_, Val::Unknown) => Val::Unknown,
        (Node::Read { as_, strict, .. }, value) => return read(*as_, *strict, value),
        (Node::OfText(function, _), Val::Text(t)) => of_text(*function, t),
        (Node::Matches(regex, _), Val::Text(t)) => Val::Bool(regex.is_match(&t)),
        (Node::CountMatches(regex, _), Val::Text(t)) => count(regex.find_iter(&t).count()),
        (Node::Match { regex, last, .. }, Val::Text(t)) => {
            let mut places = regex.captures_iter(&t);
            let place = if *last { places.last() } else { places.next() };
            // A group that took no part in the match has found nothing.
            let found = place.and_then(|place| place.get(usize::from(regex.captures_len() > 1)));
            found.map_or(Val::Unknown, |found| Val::Text(Cow::Owned(found.as_str().to_owned())))
        }
        (Node::JsonGet(pointer, _), value) => json_get(pointer, value),
        (Node::JsonMatches(schema, _), Val::Text(t)) => {
            Val::Bool(serde_json::from_str(&t).is_ok_and(|json| schema.is_valid(&json)))
        }
        (Node::JsonMatches(schema, _), Val::Json(json)) => Val::Bool(schema.is_valid(&json)),
        (Node::Turn(n, _), Val::Json(chat)) => return turn(*n, &chat),
        (Node::Transcript(_), Val::Json(chat)) => Val::Text(Cow::Owned(transcript(&chat)?)),
        (Node::Size(_), Val::Texts(list)) => count(list.len()),
        (Node::Size(of), Val::Json(json)) => match (&*json, &**of) {
            (Json::Array(list), _) => count(list.len()),
            (Json::Object(map), _) => count(map.len()),
            (_, Node::Field { name, .. }) => {
                return fault(format!("`size({name})` wants a JSON array or object, and `{name}` is neither"));
            }
            _ => Val::Unknown,
        },
        (Node::Clamp { lo, hi, .. }, Val::Number(n)) => Val::Number(n.max(lo.clone()).min(hi.clone())),
        (Node::Round { step, mode, .. }, Val::Number(n)) => Val::Number(n.round_step(step, *mode)),
        (Node::Abs(_), Val::Number(n)) => Val::Number(n.abs()),
        (Node::Negate(_), Val::Number(n)) => Val::Number(-n),
        (Node::Not(_), Val::Bool(b)) => Val::Bool(!b),
        _ => return broken(),
    })
}

fn of_text(function: OfText, t: Cow<'_, str>) -> Val<'_> {
    let count = |n: usize| Val::Number(Number::from(n));
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

/// A node of two parts, from what they are.
fn two<'a>(node: &'a Node, a: Val<'a>, b: Val<'a>) -> Found<'a> {
    Ok(match (node, a, b) {
        (Node::Binary(op, ..), a, b) => return binary(*op, &a, &b),
        (_, Val::Unknown, _) | (_, _, Val::Unknown) => Val::Unknown,
        (Node::Contains(..), Val::Text(whole), Val::Text(part)) => Val::Bool(whole.contains(&*part)),
        (Node::Contains(..), Val::Texts(list), Val::Text(part)) => Val::Bool(list.iter().any(|t| *t == part)),
        (Node::Contains(of, _), Val::Json(json), Val::Text(part)) => match (&*json, &**of) {
            (Json::String(whole), _) => Val::Bool(whole.contains(&*part)),
            (Json::Array(list), _) => Val::Bool(list.iter().any(|entry| entry.as_str() == Some(&*part))),
            (other, Node::Field { name, .. }) => {
                let found = found(other);
                return fault(format!("`contains({name}, …)` wants a text or a list, and `{name}` holds {found}"));
            }
            _ => Val::Unknown,
        },
        (Node::StartsWith(..), Val::Text(whole), Val::Text(part)) => Val::Bool(whole.starts_with(&*part)),
        (Node::EndsWith(..), Val::Text(whole), Val::Text(part)) => Val::Bool(whole.ends_with(&*part)),
        (Node::Similarity(metric, ..), Val::Text(a), Val::Text(b)) => match similarity(&a, &b, *metric) {
            Some(n) => Val::Number(n),
            None => {
                return fault(format!(
                    "a text is too long for `similarity(…, metric: {})`, which compares at most {MOST_COMPARED} {}",
                    metric.word(),
                    if *metric == Metric::RougeL { "words" } else { "characters" },
                ));
            }
        },
        _ => return broken(),
    })
}

fn extreme(greatest: bool, parts: Vec<Val<'_>>) -> Found<'_> {
    let mut best: Option<Number> = None;
    for part in parts {
        match part {
            Val::Number(n) => {
                if best.as_ref().is_none_or(|b| (n > *b) == greatest) {
                    best = Some(n);
                }
            }
            Val::Unknown => return Ok(Val::Unknown),
            _ => return broken(),
        }
    }
    best.map_or_else(broken, |n| Ok(Val::Number(n)))
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
