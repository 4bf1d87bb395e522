//! Whatever bytes a server sends: no panic, and never a decision that is no distribution over what was asked.

use super::*;
use proptest::prelude::*;
use rubric_lang::judge::wire::{Decision, read};
use serde_json::Value as Json;

const ALL: [&str; 7] = ["openai", "anthropic", "gemini", "ollama", "systemone", "decisions", "embeddings"];

/// A reply that is right.
fn right(dialect: &str) -> Json {
    match dialect {
        "systemone" => json!({"model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}, "answers": {
            "q0": {"type": "noul", "noul": 0.9},
            "q1": {"type": "choice", "choice": "warm", "probabilities": {"warm": 0.9, "cold": 0.1, "Unknown": 0}, "confidence": 0.8},
            "q2": {"type": "score", "score": 1.9, "legend": {"0": "1: Unclear", "1": "2", "2": "3: Clear"},
                   "probabilities": {"0": 0.0, "1": 0.1, "2": 0.9}, "confidence": 0.8}}}),
        "decisions" => json!({"model": "m", "usage": {"input_tokens": 9, "output_tokens": 1}, "answers": [
            {"type": "predicate", "name": "q0", "probability": 0.9},
            {"type": "choice", "name": "q1", "choice": "warm", "confidence": 0.8, "probabilities": [
                {"value": "warm", "probability": 0.9}, {"value": "cold", "probability": 0.1}, {"value": "Unknown", "probability": 0}]},
            {"type": "score", "name": "q2", "score": 1.9, "confidence": 0.8, "probabilities": [
                {"value": 0, "label": "1", "probability": 0.0}, {"value": 1, "label": "2", "probability": 0.1},
                {"value": 2, "label": "3", "probability": 0.9}]}]}),
        "embeddings" => json!({"model": "e", "usage": {"prompt_tokens": 9}, "data": [
            {"index": 1, "embedding": [0.5, -1.0, 0.0]}, {"index": 0, "embedding": [1, 0, 0]}]}),
        "openai" => super::faults::text_reply(super::faults::Dialect::OpenAi, "yes"),
        "anthropic" => super::faults::text_reply(super::faults::Dialect::Anthropic, "yes"),
        "gemini" => super::faults::text_reply(super::faults::Dialect::Gemini, "yes"),
        _ => super::faults::text_reply(super::faults::Dialect::Ollama, "yes"),
    }
}

/// Any JSON that is small.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (-2.0..2.0_f64).prop_map(|n| json!(n)),
        Just(serde_json::from_str("1e999").unwrap()),
        "[a-z0-9]{0,6}".prop_map(Json::from),
        prop_oneof![Just("warm"), Just("cold"), Just("stop"), Just("length"), Just("refusal"), Just("q1")]
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            proptest::collection::vec(("[a-z]{1,4}", inner), 0..3).prop_map(|l| Json::Object(l.into_iter().collect())),
        ]
    })
}

/// Every place in a value, as a pointer.
fn places(value: &Json, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Json::Array(list) => list.iter().enumerate().for_each(|(n, v)| places(v, &format!("{at}/{n}"), out)),
        Json::Object(map) => map.iter().for_each(|(key, v)| places(v, &format!("{at}/{key}"), out)),
        _ => {}
    }
}

fn check(dialect: &str, body: &[u8]) -> Result<(), TestCaseError> {
    let alias = alias(dialect, "http://x", "");
    let rendered = render(&alias, &question(dialect)).unwrap();
    let Ok(reply) = read(&alias, &rendered, body) else { return Ok(()) };
    let unit = |p: &rubric_lang::number::Number| (0.0..=1.0).contains(&p.to_f64());
    let whole = |sum: f64| (sum - 1.0).abs() <= 0.0501;
    match reply.answer {
        Answer::Text { text, .. } => prop_assert!(!text.trim().is_empty()),
        Answer::Vectors(vectors) => {
            prop_assert_eq!(vectors.len(), 2);
            prop_assert_eq!(vectors[0].len(), vectors[1].len());
            for vector in &vectors {
                prop_assert!(vector.iter().all(|n| n.is_finite()) && vector.iter().any(|n| *n != 0.0));
            }
        }
        Answer::Decisions(decisions) => {
            let ids: Vec<&str> = decisions.keys().map(String::as_str).collect();
            prop_assert_eq!(ids, ["q0", "q1", "q2"]);
            for (id, decision) in &decisions {
                match (id.as_str(), decision) {
                    (_, Decision::Refused) => {}
                    ("q0", Decision::Predicate(p)) => prop_assert!(unit(p)),
                    ("q1", Decision::Choice { choice, probabilities }) => {
                        let values: Vec<&str> = probabilities.iter().map(|(v, _)| v.as_str()).collect();
                        prop_assert_eq!(&values, &["warm", "cold", "Unknown"]);
                        prop_assert!(values.contains(&choice.as_str()) && probabilities.iter().all(|(_, p)| unit(p)));
                        prop_assert!(whole(probabilities.iter().map(|(_, p)| p.to_f64()).sum()));
                    }
                    ("q2", Decision::Score { probabilities }) => {
                        prop_assert!(probabilities.len() == 3 && probabilities.iter().all(unit));
                        prop_assert!(whole(probabilities.iter().map(|p| p.to_f64()).sum()));
                    }
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_right_replies_are_right() {
    for dialect in ALL {
        let alias = alias(dialect, "http://x", "");
        let rendered = render(&alias, &question(dialect)).unwrap();
        read(&alias, &rendered, right(dialect).to_string().as_bytes()).expect(dialect);
    }
}

proptest! {
    #[test]
    fn any_bytes(dialect in 0_usize..7, body in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(ALL[dialect], &body)?;
    }

    #[test]
    fn any_json_at_all(dialect in 0_usize..7, body in any_json()) {
        check(ALL[dialect], body.to_string().as_bytes())?;
    }

    #[test]
    fn a_right_reply_changed_in_some_places(
        dialect in 0_usize..7,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any_json(), any::<bool>()), 1..4),
    ) {
        let mut reply = right(ALL[dialect]);
        for (at, new, remove) in changes {
            let mut all = Vec::new();
            places(&reply, "", &mut all);
            let place = all[at.index(all.len())].clone();
            let Some((parent, key)) = place.rsplit_once('/').filter(|_| remove) else {
                *reply.pointer_mut(&place).unwrap() = new;
                continue;
            };
            match reply.pointer_mut(parent) {
                Some(Json::Object(map)) => drop(map.remove(key)),
                Some(Json::Array(list)) => drop(list.remove(key.parse().unwrap())),
                _ => {}
            }
        }
        check(ALL[dialect], reply.to_string().as_bytes())?;
    }

    #[test]
    fn a_reply_cut_off_anywhere(dialect in 0_usize..7, at in any::<prop::sample::Index>()) {
        let body = right(ALL[dialect]).to_string().into_bytes();
        let part = &body[..at.index(body.len())];
        let alias = alias(ALL[dialect], "http://x", "");
        let rendered = render(&alias, &question(ALL[dialect])).unwrap();
        prop_assert!(read(&alias, &rendered, part).is_err());
    }
}
