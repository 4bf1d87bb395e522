//! Values: what a judge answers and an operator computes.

use super::{Base, Type, quote_label};
use crate::number::Number;
use std::sync::Arc;

/// A value of some [`Type`]. It holds no failure: a judgment that could not be had is *missing*, which is no value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// The judge abstained, or nothing was left to compute from.
    Unknown,
    Bool(bool),
    Number(Number),
    /// A label of an ordinal or choice, as its rank in the type's list (from 0).
    Label(u32),
    /// The labels of a set that hold, as ranks in ascending order.
    Set(Arc<[u32]>),
    /// The count of each label of a tally, in the type's order.
    Tally(Arc<[u32]>),
    /// The judged items of a `checklist … from`.
    Items(Arc<[ItemJudgment]>),
}

/// One item of a `checklist … from`, with its judgment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemJudgment {
    pub points: Number,
    /// `None`: unknown.
    pub met: Option<bool>,
}

impl Value {
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Value::Unknown
    }

    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    /// The value as an author writes it in a `test`.
    #[must_use]
    pub fn text(&self, ty: &Type) -> String {
        let label = |rank: &u32| {
            let label = ty.labels().and_then(|l| l.get(*rank as usize));
            label.map_or_else(|| format!("#{rank}"), |l| quote_label(l))
        };
        match self {
            Value::Unknown => "unknown".to_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Number(n) => n.exact(),
            Value::Label(rank) => label(rank),
            Value::Set(ranks) => format!("[{}]", ranks.iter().map(label).collect::<Vec<_>>().join(", ")),
            Value::Tally(counts) => {
                let each = (0_u32..).zip(counts.iter());
                let all = each.flat_map(|(rank, n)| std::iter::repeat_n(label(&rank), *n as usize));
                format!("[{}]", all.collect::<Vec<_>>().join(", "))
            }
            Value::Items(items) => {
                let met = |i: &ItemJudgment| match i.met {
                    Some(met) => met.to_string(),
                    None => "unknown".to_owned(),
                };
                format!("[{}]", items.iter().map(met).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The value in JSON, as results carry it: a bool, a number (at the most 12 places), a label's text, a list of label
    /// texts (a tally repeats them), `"unknown"`.
    #[must_use]
    pub fn json(&self, ty: &Type) -> serde_json::Value {
        use serde_json::Value as Json;
        let label = |rank: &u32| {
            let label = ty.labels().and_then(|l| l.get(*rank as usize));
            Json::String(label.map_or_else(|| format!("#{rank}"), |l| l.to_string()))
        };
        match self {
            Value::Unknown => Json::String("unknown".to_owned()),
            Value::Bool(b) => Json::Bool(*b),
            Value::Number(n) => serde_json::to_value(n).unwrap_or(Json::Null),
            Value::Label(rank) => label(rank),
            Value::Set(ranks) => Json::Array(ranks.iter().map(label).collect()),
            Value::Tally(counts) => {
                let each = (0_u32..).zip(counts.iter());
                Json::Array(each.flat_map(|(rank, n)| std::iter::repeat_n(label(&rank), *n as usize)).collect())
            }
            Value::Items(items) => Json::Array(
                items.iter().map(|i| i.met.map_or(Json::String("unknown".to_owned()), Json::Bool)).collect(),
            ),
        }
    }

    /// The value in JSON without any rounding: a number whose decimal does not end is the text of its fraction
    /// (`"13/30"`), as traces carry it.
    #[must_use]
    pub fn json_exact(&self, ty: &Type) -> serde_json::Value {
        match self {
            Value::Number(n) if !n.ends_within_places() => serde_json::Value::String(n.exact()),
            other => other.json(ty),
        }
    }

    /// Reads a judgment of type `ty` (`?` included) from JSON, as recorded judgments, tests and JSON programs write it.
    ///
    /// `true`; a number or an exact `"13/30"` (a judge's own number is kept at 12 places, half-even; an exact text is kept
    /// whole); a label; for set and tally a list of labels or of `{label, quote}`; `"unknown"`, which is never a label.
    ///
    /// # Errors
    /// A sentence that says what was found and what the type wants.
    pub fn from_json(json: &serde_json::Value, ty: &Type) -> Result<Value, String> {
        use serde_json::Value as Json;
        let wrong = |found: &str| Err(format!("{found} is not a value of {ty}"));
        let rank = |json: &Json| -> Result<u32, String> {
            let text = match json {
                Json::String(text) => text.as_str(),
                Json::Object(map) => map.get("label").and_then(Json::as_str).unwrap_or(""),
                _ => "",
            };
            ty.rank(text).ok_or_else(|| format!("{} is not a label of {ty}", shown(json)))
        };
        let value = match (&ty.base, json) {
            (_, Json::String(text)) if text == "unknown" => Value::Unknown,
            (Base::Bool, Json::Bool(b)) => Value::Bool(*b),
            (Base::Int { .. } | Base::Score { .. } | Base::Real, Json::Number(n)) => {
                let n = Number::from_decimal(n.as_str()).map_err(|e| e.to_string())?;
                Value::Number(n.as_judged())
            }
            (Base::Int { .. } | Base::Score { .. } | Base::Real, Json::String(text)) => {
                match Number::from_exact(text) {
                    Ok(n) => Value::Number(n),
                    Err(_) => return wrong(&shown(json)),
                }
            }
            (Base::Ordinal(_) | Base::Choice(_), Json::String(_)) => Value::Label(rank(json)?),
            (Base::Set(_), Json::Array(list)) => {
                let mut ranks = list.iter().map(rank).collect::<Result<Vec<_>, _>>()?;
                ranks.sort_unstable();
                ranks.dedup();
                Value::Set(ranks.into())
            }
            (Base::Tally { labels, .. }, Json::Array(list)) => {
                let mut counts = vec![0_u32; labels.len()];
                for entry in list {
                    let at = rank(entry)? as usize;
                    if let Some(count) = counts.get_mut(at) {
                        *count += 1;
                    }
                }
                Value::Tally(counts.into())
            }
            _ => return wrong(&shown(json)),
        };
        if ty.holds(&value) { Ok(value) } else { wrong(&shown(json)) }
    }
}

/// A JSON value as a message shows it: short, on one line.
fn shown(json: &serde_json::Value) -> String {
    let text = json.to_string();
    if text.chars().count() <= 60 {
        return format!("`{text}`");
    }
    format!("`{}…`", text.chars().take(57).collect::<String>())
}
