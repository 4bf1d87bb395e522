//! Reads what a chat model wrote: one JSON object, whole, last, with the nonce of its request, in the form asked for.
//!
//! Nothing is searched for in a text: the object is the reply, or the one fenced block at its end. So neither an object that
//! is echoed from the candidate nor a number in a reason can pass for the answer. What does not conform is told in words
//! that the model is given when it is asked again. The value itself is read by the same code as recorded judgments.

use super::fence;
use super::form::Form;
use crate::run::judgment::entry::{self, Sample};
use crate::run::judgment::evidence;
use crate::run::record::json as strict;
use crate::source::did_you_mean;
use crate::types::{Base, Type};
use serde_json::{Map, Value as Json};

/// The object of a reply, if it carries the nonce.
///
/// # Errors
/// What is wrong, in words for whoever wrote it.
pub(super) fn object(text: &str, nonce: &str) -> Result<Map<String, Json>, String> {
    let mut map = json(text)?;
    match map.remove("nonce") {
        Some(Json::String(found)) if found == nonce => Ok(map),
        Some(_) => Err("the answer carries another nonce than the one that was given".to_owned()),
        None => Err("the answer lacks the key \"nonce\"".to_owned()),
    }
}

/// The JSON object that a reply is, or that stands in a block of its own at its end.
///
/// # Errors
/// What is wrong, in words for whoever wrote it.
pub fn json(text: &str) -> Result<Map<String, Json>, String> {
    match strict::parse(body(text)?)? {
        Json::Object(map) => Ok(map),
        _ => Err("the answer must be one JSON object".to_owned()),
    }
}

/// The text of the object: the whole reply, or the fenced block at its end. What a model thinks aloud first is left out.
fn body(text: &str) -> Result<&str, String> {
    let mut text = text.trim();
    if text.starts_with("<think>")
        && let Some((_, rest)) = text.rsplit_once("</think>")
    {
        text = rest.trim();
    }
    if text.starts_with('{') {
        return Ok(text);
    }
    let lost = || {
        "the answer must be one JSON object and nothing else, or stand in one ```json block at the very end".to_owned()
    };
    let inside = text.strip_suffix("```").ok_or_else(lost)?;
    // JSON holds no line break inside of a text, so the last line that begins with the fence opens the block.
    let at =
        inside.rfind("\n```").map(|at| at + 1).or_else(|| inside.starts_with("```").then_some(0)).ok_or_else(lost)?;
    let block = inside.get(at + 3..).unwrap_or("");
    let (word, body) = block.split_once('\n').ok_or_else(lost)?;
    if !matches!(word.trim(), "" | "json" | "JSON") {
        return Err(lost());
    }
    Ok(body.trim())
}

/// Takes the answers to several questions apart.
///
/// # Errors
/// As [`object`].
pub(super) fn answers(mut map: Map<String, Json>, keys: &[&str]) -> Result<Vec<Map<String, Json>>, String> {
    let Some(Json::Object(mut answers)) = map.remove("answers") else {
        return Err("\"answers\" must be an object".to_owned());
    };
    nothing_else(&map)?;
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        match answers.remove(*key) {
            Some(Json::Object(answer)) => found.push(answer),
            Some(_) => return Err(format!("the answer to \"{key}\" must be an object")),
            None => return Err(format!("there is no answer to \"{key}\"")),
        }
    }
    nothing_else(&answers)?;
    Ok(found)
}

/// The list of parts.
///
/// # Errors
/// As [`object`].
pub(super) fn parts(mut map: Map<String, Json>) -> Result<Vec<String>, String> {
    /// Each part is a call of its own.
    const MOST: usize = 200;
    let fault = || "\"parts\" must be a list of texts".to_owned();
    let Some(Json::Array(list)) = map.remove("parts") else { return Err(fault()) };
    nothing_else(&map)?;
    if list.len() > MOST {
        return Err(format!("\"parts\" has {} entries, and may have {MOST} at most", list.len()));
    }
    let text = |json: &Json| json.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    list.iter().map(|json| text(json).ok_or_else(fault)).collect()
}

/// One answer as an entry of a recorded judgment. `quotable` are the texts that quotes may stand in, folded; `None`: no
/// quotes are checked, because there is no text.
///
/// # Errors
/// As [`object`].
pub(super) fn entry(
    mut map: Map<String, Json>,
    form: &Form,
    quotable: Option<&[String]>,
) -> Result<Map<String, Json>, String> {
    let keys = form.keys();
    let Some(answer) = map.remove("answer") else { return Err("the answer lacks the key \"answer\"".to_owned()) };
    let answer = plain(answer, &form.ty)?;
    // As an entry that says nothing else.
    let read = entry::read(&answer, &form.ty, false)?;
    let mut entry = Map::from_iter([("value".to_owned(), answer)]);
    let [Sample::Value(value)] = read.samples.as_slice() else {
        return Err("\"answer\" holds no value".to_owned());
    };
    let reason = match map.remove("reason") {
        Some(Json::String(reason)) if keys.contains(&"reason") => Some(reason),
        Some(_) if keys.contains(&"reason") => return Err("\"reason\" must be a text".to_owned()),
        None if keys.contains(&"reason") => return Err("the answer lacks the key \"reason\"".to_owned()),
        _ => None,
    };
    let quotes = match map.remove("quotes") {
        Some(Json::Array(list)) if form.evidence => Some(list),
        Some(_) if form.evidence => return Err("\"quotes\" must be a list of texts".to_owned()),
        None if form.evidence => return Err("the answer lacks the key \"quotes\"".to_owned()),
        _ => None,
    };
    nothing_else(&map)?;
    if let (Json::Array(spans), Base::Tally { .. }) = (entry.get("value").unwrap_or(&Json::Null), &form.ty.base) {
        let spans = spans.iter().map(|span| span.get("quote").unwrap_or(&Json::Null)).cloned().collect();
        check_quotes(spans, quotable)?;
    }
    if let Some(list) = quotes.filter(|_| evidence::needed(value, &form.ty)) {
        if list.is_empty() && quotable.is_some() {
            return Err("this answer needs at least one quote that shows it".to_owned());
        }
        let quotes = check_quotes(list, quotable)?;
        entry.insert("evidence".to_owned(), quotes.into());
    }
    if let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) {
        entry.insert("reason".to_owned(), reason.into());
    }
    Ok(entry)
}

/// Quotes as they stand in the material.
fn check_quotes(list: Vec<Json>, quotable: Option<&[String]>) -> Result<Vec<String>, String> {
    let mut quotes = Vec::with_capacity(list.len());
    for json in list {
        let Json::String(quote) = json else { return Err("a quote must be a text".to_owned()) };
        let folded = evidence::folded(&quote);
        if folded.is_empty() {
            return Err("a quote is empty".to_owned());
        }
        let Some(texts) = quotable else {
            quotes.push(quote);
            continue;
        };
        let stands = |quote: &str| texts.iter().any(|text| text.contains(quote));
        if stands(&folded) {
            quotes.push(quote);
            continue;
        }
        let original = fence::unguarded(&folded);
        if !stands(&original) {
            let shown: String = quote.chars().take(200).collect();
            return Err(format!("the quote {} does not stand in what is judged, letter by letter", Json::from(shown)));
        }
        quotes.push(original);
    }
    Ok(quotes)
}

/// A value of the JSON kind that was asked for: nothing is read out of a text that should be a number.
fn plain(json: Json, ty: &Type) -> Result<Json, String> {
    let wrong =
        |wanted: &str| Err(format!("\"answer\" must be {wanted}{}", if ty.optional { " or \"unknown\"" } else { "" }));
    match (&ty.base, json) {
        (Base::Bool, Json::String(text)) if ty.optional && (text == "true" || text == "false") => {
            Ok(Json::Bool(text == "true"))
        }
        (_, Json::String(text)) if text == "unknown" && ty.optional => Ok(Json::String(text)),
        (Base::Bool | Base::Items, json @ Json::Bool(_)) => Ok(json),
        (Base::Bool | Base::Items, _) => wrong("true or false"),
        (Base::Int { .. } | Base::Score { .. } | Base::Real, json @ Json::Number(_)) => Ok(json),
        (Base::Int { .. } | Base::Score { .. } | Base::Real, _) => wrong("a number without quotes"),
        (Base::Ordinal(_) | Base::Choice(_), Json::String(text)) => match label(&text, ty) {
            None => Ok(Json::String(text)),
            Some(fault) => Err(fault),
        },
        (Base::Ordinal(_) | Base::Choice(_), _) => wrong("one of the labels, in quotes"),
        (Base::Set(_), json) if json.as_array().is_some_and(|list| list.iter().all(Json::is_string)) => Ok(json),
        (Base::Set(_), _) => wrong("a list of labels"),
        (Base::Tally { .. }, json) if json.as_array().is_some_and(|list| list.iter().all(is_span)) => Ok(json),
        (Base::Tally { .. }, _) => wrong("a list of {\"label\": …, \"quote\": …}"),
    }
}

fn is_span(json: &Json) -> bool {
    json.as_object().is_some_and(|map| {
        map.len() == 2 && ["label", "quote"].iter().all(|key| map.get(*key).is_some_and(Json::is_string))
    })
}

/// What is wrong with a label, if it is none.
fn label(text: &str, ty: &Type) -> Option<String> {
    if ty.rank(text).is_some() {
        return None;
    }
    let labels = ty.labels().map_or(&[][..], |labels| labels);
    let near = did_you_mean(text, labels.iter().map(|label| &**label));
    let near = near.map_or(String::new(), |near| format!("; did you mean {}?", Json::from(near)));
    let text: String = text.chars().take(80).collect();
    Some(format!("\"answer\" is {}, which is none of the labels{near}", Json::from(text)))
}

/// Whether everything was taken out that may stand there.
fn nothing_else(left: &Map<String, Json>) -> Result<(), String> {
    let Some(key) = left.keys().next() else { return Ok(()) };
    let key: String = key.chars().take(80).collect();
    Err(format!("the answer has a key that was not asked for, {}", Json::from(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Reason;
    use crate::number::Number;
    use proptest::prelude::*;

    const NONCE: &str = "n-1";

    fn form(ty: Type) -> Form {
        Form { ty, evidence: false, reason: Reason::Before, shuffle: None }
    }

    fn read(text: &str, form: &Form) -> Result<Json, String> {
        let texts = [evidence::folded("Rest, and  drink [[[ water")];
        entry(object(text, NONCE)?, form, Some(&texts)).map(Json::Object)
    }

    #[test]
    fn the_object_is_whole_and_last_and_has_the_nonce() {
        let good = r#"{"nonce": "n-1", "reason": "r", "answer": 4}"#;
        let five = form(Type::int(1, 5));
        for text in [
            good.to_owned(),
            format!("  {good}\n"),
            format!("It is good.\n```json\n{good}\n```\n"),
            format!("```\n{good}\n```"),
            format!("<think>{{}} hm</think>\n{good}"),
            format!("```json\n{{\"answer\": 1}}\n```\nNo, rather:\n```json\n{good}\n```"),
        ] {
            assert_eq!(read(&text, &five).unwrap()["value"], 4, "{text}");
        }
        for text in [
            "4".to_owned(),
            format!("{good} and that is it"),
            format!("{good}{good}"),
            format!("So: {good}"),
            format!("```json\n{good}\n```\nI hope this helps."),
            format!("```python\n{good}\n```"),
            good.replace("n-1", "n-2"),
            good.replace("\"nonce\": \"n-1\", ", ""),
            good.replace("}", ", \"answer\": 5}"),
            good.replace("}", ", \"answers\": 5}"),
            good.replace("\"reason\": \"r\", ", ""),
            good.get(..20).unwrap().to_owned(),
            String::new(),
        ] {
            assert!(read(&text, &five).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_is_of_its_type_or_is_none() {
        let labels: crate::types::Labels = ["Low".into(), "high".into()].into();
        let choice = Type::of(Base::Choice(labels.clone()));
        let cases: Vec<(Type, &str, Result<&str, &str>)> = vec![
            (Type::int(1, 5), "5", Ok("5")),
            (Type::int(1, 5), "6", Err("from 1 to 5")),
            (Type::int(1, 5), "4.5", Err("whole number")),
            (Type::int(1, 5), "\"4\"", Err("without quotes")),
            (Type::int(1, 5), "\"unknown\"", Err("number")),
            (Type::int(1, 5).optional(), "\"unknown\"", Ok("\"unknown\"")),
            (Type::BOOL, "true", Ok("true")),
            (Type::BOOL, "\"true\"", Err("true or false")),
            (Type::BOOL, "1", Err("true or false")),
            (Type::BOOL.optional(), "\"true\"", Ok("true")),
            (Type::BOOL.optional(), "\"yes\"", Err("true or false")),
            (choice.clone(), "\"Low\"", Ok("\"Low\"")),
            (choice.clone(), "\"low\"", Err("did you mean \"Low\"")),
            (choice, "null", Err("labels")),
            (Type::of(Base::Set(labels.clone())), "[\"high\"]", Ok("[\"high\"]")),
            (Type::of(Base::Set(labels)), "\"high\"", Err("list of labels")),
            (Type::UNIT, "0.70", Ok("0.70")),
            (Type::UNIT, "1.4", Err("from 0 to 1")),
            (Type::UNIT, "NaN", Err("NaN")),
        ];
        for (ty, answer, expected) in cases {
            let text = format!(r#"{{"nonce": "n-1", "reason": "r", "answer": {answer}}}"#);
            match (read(&text, &form(ty.clone())), expected) {
                (Ok(entry), Ok(value)) => assert_eq!(entry["value"].to_string(), value),
                (Err(fault), Err(part)) => assert!(fault.contains(part), "{ty} {answer}: {fault}"),
                (found, _) => panic!("{ty} {answer}: {found:?}"),
            }
        }
    }

    #[test]
    fn quotes_stand_in_the_material_where_they_are_needed() {
        let form = Form { evidence: true, reason: Reason::None, ..form(Type::BOOL) };
        let of = |quotes: &str, answer: &str| {
            read(&format!(r#"{{"nonce": "n-1", "quotes": {quotes}, "answer": {answer}}}"#), &form)
        };
        assert_eq!(of(r#"["and drink"]"#, "true").unwrap()["evidence"][0], "and drink");
        assert_eq!(of(r#"["drink \\[[[ water"]"#, "true").unwrap()["evidence"][0], "drink [[[ water");
        assert!(of(r#"["and Drink"]"#, "true").unwrap_err().contains("letter by letter"));
        assert!(of("[]", "true").unwrap_err().contains("at least one quote"));
        assert!(of(r#"[" "]"#, "true").unwrap_err().contains("empty"));
        assert!(of("[]", "false").unwrap().get("evidence").is_none());
        assert!(of(r#"["not there"]"#, "false").is_ok());
        let tally = Type::of(Base::Tally { labels: ["minor".into()].into(), max: 2 });
        let form = Form { reason: Reason::None, ..self::form(tally) };
        let of = |spans: &str| read(&format!(r#"{{"nonce": "n-1", "answer": {spans}}}"#), &form);
        assert!(of(r#"[{"label": "minor", "quote": "Rest"}]"#).is_ok());
        assert!(of(r#"[{"label": "minor", "quote": "Sleep"}]"#).is_err());
        assert!(of(r#"[{"label": "minor"}]"#).is_err());
        let three = format!("[{}]", [r#"{"label": "minor", "quote": "Rest"}"#; 3].join(","));
        assert!(of(&three).is_err());
    }

    #[test]
    fn several_answers_are_complete() {
        let of = |text: &str| answers(object(text, NONCE)?, &["A", "B"]).map(|found| found.len());
        assert_eq!(of(r#"{"nonce": "n-1", "answers": {"B": {}, "A": {}}}"#), Ok(2));
        assert!(of(r#"{"nonce": "n-1", "answers": {"A": {}}}"#).unwrap_err().contains("\"B\""));
        assert!(of(r#"{"nonce": "n-1", "answers": {"A": {}, "B": {}, "C": {}}}"#).unwrap_err().contains("\"C\""));
        assert!(of(r#"{"nonce": "n-1", "answers": {"A": {}, "A": {}, "B": {}}}"#).is_err());
    }

    proptest! {
        #[test]
        fn no_text_yields_a_value_outside_the_type(
            text in "\\PC{0,60}",
            answer in prop_oneof!["-?[0-9]{1,3}(\\.[0-9]{1,3})?(e[0-9]{1,3})?", "\"\\PC{0,8}\"", "\\PC{0,12}"],
        ) {
            let three = Type::int(1, 3);
            let _ = read(&text, &form(three.clone()));
            let whole = format!(r#"{{"nonce": "n-1", "reason": "", "answer": {answer}}}"#);
            if let Ok(entry) = read(&whole, &form(three.clone())) {
                let value = crate::types::Value::from_json(&entry["value"], &three).unwrap();
                prop_assert!(three.holds(&value));
            }
        }
    }

    #[test]
    fn a_huge_number_is_no_value_and_takes_no_time() {
        let whole = r#"{"nonce": "n-1", "reason": "", "answer": 1e999999999}"#;
        assert!(read(whole, &form(Type::score(Number::ZERO, Number::int(9)))).is_err());
    }
}
