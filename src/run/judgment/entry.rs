//! Reads one entry of a recorded judgment into samples.

use super::probabilities::Distribution;
use crate::diagnostics::did_you_mean;
use crate::number::Number;
use crate::run::leaf::{Missing, MissingReason};
use crate::run::record::json;
use crate::types::{Base, Type, Value};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// One answer of one judge.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// Of the type asked for; `Unknown` too.
    Value(Value),
    /// What a model's probabilities say, and the value that it gave beside them, if any.
    Probable(Distribution, Option<Value>),
    Missing(Missing),
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Empty: nothing was recorded.
    pub samples: Vec<Sample>,
    pub by: Option<String>,
    /// Quotes that are said to stand in the candidate.
    pub evidence: Vec<String>,
}

/// Keys of an entry that is an object.
const KEYS: [&str; 12] = [
    "value",
    "unknown",
    "missing",
    "values",
    "samples",
    "probabilities",
    "parts",
    "by",
    "evidence",
    "reason",
    "note",
    "calls",
];

/// Reads an entry. `each`: whether the criterion is judged part by part, so that `parts` alone make its value.
///
/// # Errors
/// A sentence that says what is wrong with the entry.
pub fn read(json: &Json, asked: &Type, each: bool) -> Result<Entry, String> {
    let Json::Object(map) = json else {
        return Ok(Entry { samples: sample(json, asked)?.into_iter().collect(), by: None, evidence: Vec::new() });
    };
    if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let near = did_you_mean(key, KEYS).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(format!("a recorded judgment has no key `{key}`{near}"));
    }
    let by = match map.get("by") {
        None | Some(Json::Null) => None,
        Some(Json::String(by)) => Some(by.clone()),
        Some(_) => return Err("`by` must be a text: who or what judged".to_owned()),
    };
    Ok(Entry { samples: samples(map, asked, each)?, by, evidence: evidence(map.get("evidence"))? })
}

fn samples(map: &Map<String, Json>, asked: &Type, each: bool) -> Result<Vec<Sample>, String> {
    let mut said =
        ["value", "unknown", "missing", "values", "samples"].into_iter().filter(|key| map.contains_key(*key));
    let (first, second) = (said.next(), said.next());
    if let (Some(first), Some(second)) = (first, second) {
        return Err(format!("`{first}` and `{second}` exclude each other; write one of them"));
    }
    let distribution = match map.get("probabilities") {
        None | Some(Json::Null) => None,
        Some(json) => Some(Distribution::read(json, asked)?),
    };
    let share = match map.get("parts") {
        None | Some(Json::Null) => None,
        Some(_) if !each => return Err("`parts` belong to a criterion that is judged part by part (`each`)".to_owned()),
        Some(json) => Some(parts(json, asked)?),
    };
    if let Some(beside @ ("unknown" | "missing" | "values" | "samples")) = first
        && let Some(extra) = distribution.as_ref().map(|_| "probabilities").or(share.as_ref().map(|_| "parts"))
    {
        return Err(format!("`{beside}` and `{extra}` exclude each other; write one of them"));
    }
    let one = match first {
        Some("values") => {
            let Some(Json::Array(list)) = map.get("values") else {
                return Err("`values` must be a list, one entry per sample".to_owned());
            };
            // A sample that is null is missing, and so makes the whole judgment missing; it is not left out.
            let each = list.iter().map(|json| Ok(sample(json, asked)?.unwrap_or_else(not_recorded)));
            return each.collect();
        }
        Some("samples") => return several(map, asked, each),
        Some("unknown") if map.get("unknown") == Some(&Json::Bool(true)) => {
            sample(&Json::String("unknown".into()), asked)?
        }
        Some("unknown") => return Err("`unknown` can only be true; else write `value`".to_owned()),
        Some("missing") => Some(Sample::Missing(missing(map.get("missing"))?)),
        Some(_) => map.get("value").map_or(Ok(None), |json| sample(json, asked))?,
        None => None,
    };
    let one = match (one, distribution, share) {
        (Some(Sample::Value(value)), Some(distribution), _) => Some(Sample::Probable(distribution, Some(value))),
        (None, Some(distribution), _) => Some(Sample::Probable(distribution, None)),
        (None, None, share) => share,
        (Some(one), None, Some(share)) if one != share => {
            return Err("`value` is not the share of `parts` that are met; leave one of the two out".to_owned());
        }
        (one, ..) => one,
    };
    Ok(one.into_iter().collect())
}

/// Reads `samples`: entries of one judge's answer each, with its own `by`, probabilities and quotes.
fn several(map: &Map<String, Json>, asked: &Type, each: bool) -> Result<Vec<Sample>, String> {
    let fault = || "`samples` must be a list of entries such as {\"value\": 4, \"by\": \"ann\"}".to_owned();
    let list = map.get("samples").and_then(Json::as_array).ok_or_else(fault)?;
    let read_one = |json: &Json| match json {
        Json::Object(map) if map.contains_key("samples") || map.contains_key("values") => Err(fault()),
        Json::Object(_) => Ok(read(json, asked, each)?.samples.pop().unwrap_or_else(not_recorded)),
        _ => Err(fault()),
    };
    list.iter().map(read_one).collect()
}

/// The entries of which an entry is made, one per sample: those of `samples`, else itself.
pub fn of_samples(entry: &Json) -> &[Json] {
    match entry.get("samples").and_then(Json::as_array) {
        Some(samples) => samples,
        None => std::slice::from_ref(entry),
    }
}

fn not_recorded() -> Sample {
    Sample::Missing(Missing { reason: MissingReason::NotRecorded, detail: String::new() })
}

/// Reads one value; `None` for `null`.
fn sample(json: &Json, asked: &Type) -> Result<Option<Sample>, String> {
    match json {
        Json::Null => Ok(None),
        Json::Object(map) if map.len() == 1 && map.contains_key("missing") => {
            Ok(Some(Sample::Missing(missing(map.get("missing"))?)))
        }
        json => {
            let value = Value::from_json(json, asked).map_err(|fault| match json {
                Json::String(text) if text == "unknown" && !asked.optional => {
                    format!("unknown is not a value of {asked}; only a criterion of type `{asked}?` may be unknown")
                }
                Json::Array(_) if asked.labels().is_none() => {
                    format!("{fault}; several samples are written {{\"values\": {json}}}")
                }
                _ => format!("{fault}; {}", wanted(asked)),
            })?;
            Ok(Some(Sample::Value(value)))
        }
    }
}

/// What a judgment of this type looks like, for somebody who does not know the type's name.
fn wanted(asked: &Type) -> String {
    const MOST: usize = 8;
    let labels = |labels: &[Arc<str>]| {
        let more = if labels.len() > MOST { ", …" } else { "" };
        labels.iter().take(MOST).map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(", ") + more
    };
    let known = match &asked.base {
        Base::Bool => "it must be true or false, without quotes".to_owned(),
        Base::Int { lo, hi } => format!("it must be a whole number from {lo} to {hi}, without quotes"),
        Base::Score { lo, hi } => format!("it must be a number from {lo} to {hi}"),
        Base::Ordinal(all) | Base::Choice(all) => format!("it must be one of {}", labels(all)),
        Base::Set(all) => format!("it must be a list of these, each once at most: {}", labels(all)),
        Base::Tally { labels: all, max } => {
            format!("it must be a list of these, each {max} times at most: {}", labels(all))
        }
        Base::Real | Base::Items => return "its items are judged one by one".to_owned(),
    };
    if asked.optional { format!("{known}; or \"unknown\"") } else { known }
}

/// Reads the reason of `{"missing": reason}`: one of the known words, alone or with more about it (`"outage: no route"`),
/// or any text.
fn missing(json: Option<&Json>) -> Result<Missing, String> {
    let Some(Json::String(text)) = json else {
        return Err("`missing` must be a text that says why there is no judgment".to_owned());
    };
    let known = MissingReason::ALL.into_iter().filter(|reason| *reason != MissingReason::Other);
    let reason = known.clone().find(|reason| reason.word() == text);
    if reason.is_none()
        && let Some((word, detail)) = text.split_once(": ")
        && let Some(reason) = known.clone().find(|reason| reason.word() == word)
    {
        return Ok(Missing { reason, detail: detail.to_owned() });
    }
    Ok(match reason {
        Some(reason) => Missing { reason, detail: String::new() },
        None => Missing { reason: MissingReason::Other, detail: text.clone() },
    })
}

/// Reads quotes: a text, a list of texts, or a list of `{"quote": TEXT}`.
fn evidence(json: Option<&Json>) -> Result<Vec<String>, String> {
    let fault = || "`evidence` must be a list of quotes (texts that stand in the candidate)".to_owned();
    match json {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(quote)) => Ok(vec![quote.clone()]),
        Some(Json::Array(list)) => {
            let quote = |json: &Json| json.as_str().or_else(|| json.get("quote")?.as_str()).map(str::to_owned);
            list.iter().map(|json| quote(json).ok_or_else(fault)).collect()
        }
        Some(_) => Err(fault()),
    }
}

/// Reads `parts`, `[{part, met}]`: the share that is met, unknown where there is no part.
fn parts(json: &Json, asked: &Type) -> Result<Sample, String> {
    let fault = || "`parts` must be a list of {\"part\": TEXT, \"met\": true or false}".to_owned();
    let Json::Array(list) = json else { return Err(fault()) };
    let mut met = 0_usize;
    for part in list {
        if !part.get("part").is_some_and(Json::is_string) {
            return Err(fault());
        }
        match part.get("met") {
            Some(Json::Bool(true)) => met += 1,
            Some(Json::Bool(false)) => {}
            None | Some(Json::Null) => return Ok(not_recorded()),
            Some(_) => return Err(fault()),
        }
    }
    let share = Number::from(met).checked_div(&Number::from(list.len())).map_or(Value::Unknown, Value::Number);
    if asked.holds(&share) {
        Ok(Sample::Value(share))
    } else {
        Err(format!("the share of `parts` that are met is {}, which is not a value of {asked}", share.text(asked)))
    }
}

/// Reads an entry from text; for tests and tools.
///
/// # Errors
/// As [`read`], and where the text is no JSON.
pub fn read_text(text: &str, asked: &Type, each: bool) -> Result<Entry, String> {
    read(&json::parse(text)?, asked, each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(text: &str, asked: &Type) -> Vec<Sample> {
        read_text(text, asked, false).unwrap().samples
    }

    fn fault(text: &str, asked: &Type) -> String {
        read_text(text, asked, false).unwrap_err()
    }

    fn int(n: i64) -> Sample {
        Sample::Value(Value::Number(Number::int(n)))
    }

    #[test]
    fn the_forms_of_an_entry() {
        let ty = Type::int(1, 5).optional();
        assert_eq!(samples("4", &ty), [int(4)]);
        assert_eq!(samples("\"unknown\"", &ty), [Sample::Value(Value::Unknown)]);
        assert_eq!(samples("null", &ty), []);
        assert_eq!(samples("{\"value\": 4, \"by\": \"ann\"}", &ty), [int(4)]);
        assert_eq!(samples("{\"unknown\": true}", &ty), [Sample::Value(Value::Unknown)]);
        assert_eq!(samples("{\"values\": [4, 5]}", &ty), [int(4), int(5)]);
        assert!(matches!(&samples("{\"values\": [4, null]}", &ty)[1], Sample::Missing(_)));
        let Sample::Missing(refused) = &samples("{\"missing\": \"refused\"}", &ty)[0] else { panic!() };
        assert_eq!(refused.reason, MissingReason::Refused);
        let Sample::Missing(other) = &samples("{\"value\": {\"missing\": \"on leave\"}}", &ty)[0] else { panic!() };
        assert_eq!((other.reason, other.detail.as_str()), (MissingReason::Other, "on leave"));
    }

    #[test]
    fn what_is_no_judgment_is_a_fault() {
        let ty = Type::int(1, 5);
        assert!(fault("6", &ty).contains("`6` is not a value of int[1..5]"));
        assert!(fault("2.5", &ty).contains("not a value"));
        assert!(fault("\"unknown\"", &ty).contains("int[1..5]?"));
        assert!(fault("[4, 5]", &ty).contains("{\"values\": [4,5]}"));
        assert!(fault("{\"vaule\": 4}", &ty).contains("did you mean `value`"));
        assert!(fault("{\"value\": 4, \"values\": [4]}", &ty).contains("exclude each other"));
        assert!(fault("{\"value\": 4, \"parts\": []}", &ty).contains("part by part"));
        assert!(fault("true", &ty).contains("not a value"));
    }

    #[test]
    fn samples_are_entries_of_one_answer_each() {
        let ty = Type::int(1, 5);
        let text = r#"{"samples": [{"value": 4, "by": "a", "evidence": ["x"]}, {"missing": "refused"}, {"value": null},
            {"probabilities": {"4": 0.6, "5": 0.4}}]}"#;
        let found = samples(text, &ty);
        assert_eq!(found[0], int(4));
        assert!(matches!(&found[1], Sample::Missing(why) if why.reason == MissingReason::Refused));
        assert!(matches!(&found[2], Sample::Missing(why) if why.reason == MissingReason::NotRecorded));
        assert!(matches!(&found[3], Sample::Probable(_, None)));
        assert!(fault(r#"{"samples": [4]}"#, &ty).contains("list of entries"));
        assert!(fault(r#"{"samples": [{"values": [4]}]}"#, &ty).contains("list of entries"));
        assert!(fault(r#"{"samples": [], "value": 4}"#, &ty).contains("exclude each other"));
        assert!(fault(r#"{"samples": [{"value": 9}]}"#, &ty).contains("not a value"));
    }

    #[test]
    fn parts_make_a_share() {
        let ty = Type::UNIT.optional();
        let share = |text| read_text(text, &ty, true).unwrap().samples;
        let met = r#"{"parts": [{"part": "a", "met": true}, {"part": "b", "met": false}, {"part": "c", "met": true}]}"#;
        assert_eq!(share(met), [Sample::Value(Value::Number(Number::ratio(2, 3).unwrap()))]);
        assert_eq!(share(r#"{"parts": []}"#), [Sample::Value(Value::Unknown)]);
        assert!(read_text(r#"{"value": 1, "parts": [{"part": "a", "met": false}]}"#, &ty, true).is_err());
    }
}
