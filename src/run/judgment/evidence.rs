//! Whether quotes stand in the candidate: after NFC, with every run of white space as one space.

use crate::types::{Base, Type, Value};
use serde_json::{Map, Value as Json};
use unicode_normalization::UnicodeNormalization;

/// Whether a judgment needs evidence: `true`, a value above the lowest, a label; never false, the lowest or unknown.
#[must_use]
pub fn needed(value: &Value, ty: &Type) -> bool {
    match value {
        Value::Unknown | Value::Bool(false) => false,
        Value::Set(ranks) => !ranks.is_empty(),
        Value::Tally(counts) => counts.iter().any(|count| *count > 0),
        Value::Label(_) if matches!(ty.base, Base::Choice(_)) => true,
        value => ty.extremes().is_none_or(|(lowest, _)| *value != lowest),
    }
}

/// The first quote that does not stand in any of the candidate's fields; `None` too where the candidate holds no text to
/// look in.
#[must_use]
pub fn absent<'a>(quotes: &'a [String], candidate: &Map<String, Json>) -> Option<&'a str> {
    if quotes.is_empty() {
        return None;
    }
    let mut texts = Vec::new();
    candidate.values().for_each(|value| collect(value, &mut texts));
    if texts.is_empty() {
        return None;
    }
    quotes
        .iter()
        .find(|quote| {
            let quote = folded(quote);
            !texts.iter().any(|text| text.contains(&quote))
        })
        .map(String::as_str)
}

/// All texts in a value. Its depth is bounded by the JSON reader.
fn collect(value: &Json, texts: &mut Vec<String>) {
    match value {
        Json::String(text) => texts.push(folded(text)),
        Json::Array(list) => list.iter().for_each(|value| collect(value, texts)),
        Json::Object(map) => map.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

/// A text in NFC with every run of white space as one space, as quotes and candidates are compared.
#[must_use]
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let normal: String = text.nfc().collect();
    for word in normal.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotes_are_found_after_folding() {
        let Json::Object(map) = json!({"answer": "Rest,  drink\nwater. Caf\u{e9}."}) else { panic!() };
        let quote = |text: &str| absent(&[text.to_owned()], &map).is_none();
        assert!(quote("drink water") && quote("Cafe\u{301}"));
        assert!(!quote("Drink water"));
        assert!(absent(&["x".to_owned()], &Map::new()).is_none());
    }

    #[test]
    fn only_what_says_something_needs_evidence() {
        let five = Type::int(1, 5);
        assert!(needed(&Value::Bool(true), &Type::BOOL) && !needed(&Value::Bool(false), &Type::BOOL));
        let n = |n| Value::Number(crate::number::Number::int(n));
        assert!(needed(&n(2), &five) && !needed(&n(1), &five) && !needed(&Value::Unknown, &five));
    }
}
