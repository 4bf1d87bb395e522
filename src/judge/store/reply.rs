//! A reply as JSON and back: what the store keeps of it.
//!
//! Numbers are exact (`"13/30"`); a logarithm of nothing is `null`; a vector is the base64 of its 32-bit floats, the lowest byte first. Tokens that were counted stand beside it, in columns.

use crate::judge::wire::{Answer, Decision, Diagnostics, Reply, Token, Usage};
use crate::number::Number;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

/// Without its usage.
#[must_use]
pub fn to_json(reply: &Reply) -> Json {
    let mut map = Map::new();
    map.insert("model".to_owned(), reply.model.as_str().into());
    match &reply.answer {
        Answer::Text { text, logprobs } => {
            map.insert("text".to_owned(), text.as_str().into());
            if !logprobs.is_empty() {
                let token = |token: &Token| json!([token.text, token.top]);
                map.insert("logprobs".to_owned(), logprobs.iter().map(token).collect());
            }
        }
        Answer::Decisions(decisions) => {
            let decisions = decisions.iter().map(|(id, decision)| (id.clone(), decided(decision)));
            map.insert("decisions".to_owned(), Json::Object(decisions.collect()));
        }
        Answer::Vectors(vectors) => {
            let bytes = |vector: &Vec<f32>| vector.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
            let vectors = vectors.iter().map(|vector| Json::from(STANDARD.encode(bytes(vector))));
            map.insert("vectors".to_owned(), vectors.collect());
        }
    }
    if !reply.diagnostics.is_empty() {
        let all = reply.diagnostics.iter().map(|(id, said)| (id.clone(), Json::Object(said.clone())));
        map.insert("diagnostics".to_owned(), Json::Object(all.collect()));
    }
    Json::Object(map)
}

/// The text of [`to_json`]. Most replies are a model's name and a text, which need no JSON value between.
#[must_use]
pub fn to_text(reply: &Reply) -> String {
    #[derive(serde::Serialize)]
    struct Plain<'a> {
        model: &'a str,
        text: &'a str,
    }
    match &reply.answer {
        Answer::Text { text, logprobs } if logprobs.is_empty() && reply.diagnostics.is_empty() => {
            serde_json::to_string(&Plain { model: &reply.model, text }).unwrap_or_else(|_| to_json(reply).to_string())
        }
        _ => to_json(reply).to_string(),
    }
}

fn decided(decision: &Decision) -> Json {
    match decision {
        Decision::Predicate(yes) => json!({ "yes": yes.exact() }),
        Decision::Choice { choice, probabilities } => {
            let probabilities: Vec<Json> = probabilities.iter().map(|(value, p)| json!([value, p.exact()])).collect();
            json!({ "choice": choice, "probabilities": probabilities })
        }
        Decision::Score { probabilities } => {
            json!({ "levels": probabilities.iter().map(Number::exact).collect::<Vec<_>>() })
        }
        Decision::Refused => json!("refused"),
    }
}

/// `None` where it is not what [`to_json`] writes.
#[must_use]
pub fn from_json(json: &Json, usage: Usage) -> Option<Reply> {
    let model = json.get("model")?.as_str()?.to_owned();
    let answer = match (json.get("text"), json.get("decisions"), json.get("vectors")) {
        (Some(text), None, None) => {
            let logprobs = match json.get("logprobs") {
                None => Vec::new(),
                Some(list) => list.as_array()?.iter().map(token).collect::<Option<_>>()?,
            };
            Answer::Text { text: text.as_str()?.to_owned(), logprobs }
        }
        (None, None, Some(vectors)) => Answer::Vectors(vectors.as_array()?.iter().map(vector).collect::<Option<_>>()?),
        (None, Some(decisions), None) => {
            let one = |(id, json): (&String, &Json)| Some((id.clone(), decision(json)?));
            Answer::Decisions(decisions.as_object()?.iter().map(one).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    let diagnostics = match json.get("diagnostics") {
        None => Diagnostics::new(),
        Some(all) => {
            let one = |(id, said): (&String, &Json)| Some((id.clone(), said.as_object()?.clone()));
            all.as_object()?.iter().map(one).collect::<Option<_>>()?
        }
    };
    Some(Reply { model, usage, answer, diagnostics })
}

fn vector(json: &Json) -> Option<Vec<f32>> {
    let bytes = STANDARD.decode(json.as_str()?).ok()?;
    bytes.chunks(4).map(|four| Some(f32::from_le_bytes(four.try_into().ok()?))).collect()
}

fn token(json: &Json) -> Option<Token> {
    let [text, top] = json.as_array()?.as_slice() else { return None };
    let one = |json: &Json| {
        let [text, log] = json.as_array()?.as_slice() else { return None };
        let log = if log.is_null() { f64::NEG_INFINITY } else { log.as_f64()? };
        Some((text.as_str()?.to_owned(), log))
    };
    let top = top.as_array()?.iter().map(one).collect::<Option<_>>()?;
    Some(Token { text: text.as_str()?.to_owned(), top })
}

fn decision(json: &Json) -> Option<Decision> {
    let number = |json: &Json| Number::from_exact(json.as_str()?).ok();
    if json.as_str() == Some("refused") {
        return Some(Decision::Refused);
    }
    if let Some(yes) = json.get("yes") {
        return Some(Decision::Predicate(number(yes)?));
    }
    if let Some(levels) = json.get("levels") {
        let probabilities = levels.as_array()?.iter().map(number).collect::<Option<_>>()?;
        return Some(Decision::Score { probabilities });
    }
    let choice = json.get("choice")?.as_str()?.to_owned();
    let one = |json: &Json| {
        let [value, p] = json.as_array()?.as_slice() else { return None };
        Some((value.as_str()?.to_owned(), number(p)?))
    };
    let probabilities = json.get("probabilities")?.as_array()?.iter().map(one).collect::<Option<_>>()?;
    Some(Decision::Choice { choice, probabilities })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn there_and_back(answer: Answer) {
        let usage = Usage { input: 3, cached: 1, cache_written: 0, output: 2 };
        let said =
            Map::from_iter([("label_mass".to_owned(), json!(0.75)), ("argmax_is_label".to_owned(), json!(true))]);
        let diagnostics = match &answer {
            Answer::Text { .. } | Answer::Vectors(_) => Diagnostics::new(),
            Answer::Decisions(_) => Diagnostics::from([("a".to_owned(), said)]),
        };
        let reply = Reply { model: "m-1".to_owned(), usage, answer, diagnostics };
        let text = to_json(&reply).to_string();
        assert_eq!(to_text(&reply), text);
        let back = from_json(&serde_json::from_str(&text).unwrap(), usage).unwrap();
        assert_eq!(back, reply, "{text}");
    }

    #[test]
    fn a_reply_comes_back_as_it_was() {
        there_and_back(Answer::Text { text: "{\"a\": 1}\n\"".to_owned(), logprobs: Vec::new() });
        let top =
            vec![("1".to_owned(), -0.125), ("2".to_owned(), f64::NEG_INFINITY), ("é".to_owned(), -1.2345678901e-7)];
        there_and_back(Answer::Vectors(vec![vec![0.1, -1e-20], vec![1.0, f32::MAX]]));
        there_and_back(Answer::Text { text: "1".to_owned(), logprobs: vec![Token { text: "1".to_owned(), top }] });
        let third = Number::ratio(1, 3).unwrap();
        there_and_back(Answer::Decisions(BTreeMap::from([
            ("a".to_owned(), Decision::Predicate(third.clone())),
            ("b".to_owned(), Decision::Refused),
            (
                "c".to_owned(),
                Decision::Choice { choice: "x".to_owned(), probabilities: vec![("x".to_owned(), Number::int(1))] },
            ),
            ("d".to_owned(), Decision::Score { probabilities: vec![third, Number::int(0)] }),
        ])));
    }

    #[test]
    fn what_is_no_reply_is_none() {
        for text in [
            "null",
            "{}",
            r#"{"model": "m"}"#,
            r#"{"model": "m", "text": 1}"#,
            r#"{"model": "m", "decisions": {"a": {}}}"#,
        ] {
            assert_eq!(from_json(&serde_json::from_str(text).unwrap(), Usage::default()), None, "{text}");
        }
    }
}
