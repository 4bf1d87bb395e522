//! `/v1/systemone`: a state and typed questions by id; probabilities by id.
//!
//! A reply is read as its published specification has it: every question answered once, in its type, over exactly the
//! outcomes that were asked about, and nothing else answered. An answer that breaks a rule could be one to another question,
//! so the whole reply is refused.

use super::super::read::{Outcome, Reading};
use super::super::value::Value;
use super::super::{Answer, Asked, Decide, DecideQuestion, Decision, FailureKind, Rendered};
use super::distribution::{chosen, confidence, expected, probability, whole};
use super::{count, diagnostics, level, set, usage};
use crate::judge::config::Alias;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

pub(super) fn body(alias: &Alias, decide: &Decide) -> Json {
    let questions: Map<String, Json> =
        decide.questions.iter().map(|(id, question)| (id.to_string(), written(question))).collect();
    json!({"model": alias.model, "state": decide.state, "questions": questions})
}

fn written(question: &DecideQuestion) -> Json {
    match question {
        DecideQuestion::Predicate { instructions, yes, no } => {
            let mut out = json!({"type": "noul", "instructions": instructions});
            // Both or none: not every server takes one side alone.
            if yes.is_some() || no.is_some() {
                let side = |text: &Option<String>, word: &str| text.clone().unwrap_or_else(|| word.to_owned());
                set(&mut out, "criteria", json!({"true": side(yes, "yes"), "false": side(no, "no")}));
            }
            out
        }
        DecideQuestion::Choice { instructions, options } => {
            let criteria: Map<String, Json> = options
                .iter()
                .map(|(value, text)| (value.clone(), text.clone().map_or(Json::Null, Json::from)))
                .collect();
            json!({"type": "choice", "instructions": instructions, "criteria": criteria})
        }
        DecideQuestion::Score { instructions, levels } => {
            let criteria: Vec<String> = levels.iter().map(|(label, text)| level(label, text)).collect();
            json!({"type": "score", "instructions": instructions, "criteria": criteria})
        }
    }
}

pub(super) fn read(rendered: &Rendered, reply: &Value<'_>) -> Outcome {
    let used = reply.get("usage");
    let usage = usage(
        count(used, &["input_tokens"]),
        count(used, &["cached_input_tokens"]),
        0,
        count(used, &["output_tokens"]),
    );
    let reading = Reading::new(reply.get("model"), usage);
    if reply.get("model").and_then(Value::as_str).is_none() {
        return reading.fail(FailureKind::Malformed, "the reply does not say which model answered");
    }
    for key in ["input_tokens", "output_tokens"] {
        if used.and_then(|u| u.get(key)).is_none_or(|n| n.as_u64().is_none()) {
            return reading
                .fail(FailureKind::Malformed, &format!("the reply does not say its `{key}` in whole numbers"));
        }
    }
    let Some(answers) = reply.get("answers").and_then(Value::as_object) else {
        return reading.fail(FailureKind::Malformed, "the reply holds no answers");
    };
    if let Some((extra, _)) = answers.iter().find(|(id, _)| !rendered.asked.iter().any(|(asked, _)| **asked == **id)) {
        return reading.fail(FailureKind::Malformed, &format!("the reply answers `{extra}`, which was not asked"));
    }
    let mut decisions = BTreeMap::new();
    for (id, asked) in rendered.asked.iter() {
        let Some(answer) = answers.get(id) else {
            return reading.fail(FailureKind::Malformed, &format!("the reply leaves the question `{id}` out"));
        };
        match decision(asked, answer) {
            Ok(decision) => decisions.insert(id.to_string(), decision),
            Err(why) => {
                return reading.fail(FailureKind::Malformed, &format!("the answer to `{id}` cannot be used: {why}"));
            }
        };
    }
    reading.diagnosed(Answer::Decisions(decisions), diagnostics(rendered, reply))
}

fn decision(asked: &Asked, answer: &Value<'_>) -> Result<Decision, String> {
    let kind = answer.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind == "refusal" {
        return Ok(Decision::Refused);
    }
    match (asked, kind) {
        (Asked::Predicate, "noul") => Ok(Decision::Predicate(probability(answer.get("noul"))?)),
        (Asked::Choice(values), "choice") => {
            let given = answer.get("probabilities").and_then(Value::as_object).ok_or("it has no probabilities")?;
            if given.len() != values.len() {
                return Err("its probabilities are not those of the options".to_owned());
            }
            let mut probabilities = Vec::with_capacity(values.len());
            for value in values {
                let p = given.get(value).ok_or_else(|| format!("it has no probability for the option `{value}`"))?;
                probabilities.push((value.clone(), probability(Some(p))?));
            }
            let choice = answer.get("choice").and_then(Value::as_str).unwrap_or_default();
            check_choice(choice, &probabilities)?;
            confidence(answer.get("confidence"))?;
            Ok(Decision::Choice { choice: choice.to_owned(), probabilities })
        }
        (Asked::Score(levels), "score") => {
            let given = answer.get("probabilities").and_then(Value::as_object).ok_or("it has no probabilities")?;
            let legend = answer.get("legend").and_then(Value::as_object).ok_or("it has no legend")?;
            if given.len() != levels.len() || legend.len() != levels.len() {
                return Err("its probabilities or its legend are not those of the levels".to_owned());
            }
            let mut probabilities = Vec::with_capacity(levels.len());
            for (at, level) in levels.iter().enumerate() {
                let key = at.to_string();
                if legend.get(&key).and_then(Value::as_str) != Some(level) {
                    return Err(format!("its legend does not say the level {key} as it was asked"));
                }
                let p = given.get(&key).ok_or_else(|| format!("it has no probability for the level {key}"))?;
                probabilities.push(probability(Some(p))?);
            }
            whole(&probabilities)?;
            expected(answer.get("score"), &probabilities)?;
            confidence(answer.get("confidence"))?;
            Ok(Decision::Score { probabilities })
        }
        _ => Err(format!("its type is `{kind}`, which was not asked")),
    }
}

/// That a choice is one of the options and the most probable one, over a whole distribution.
pub(super) fn check_choice(choice: &str, probabilities: &[(String, crate::number::Number)]) -> Result<(), String> {
    let all: Vec<_> = probabilities.iter().map(|(_, p)| p.clone()).collect();
    whole(&all)?;
    let (_, p) = probabilities
        .iter()
        .find(|(value, _)| value == choice)
        .ok_or_else(|| format!("`{choice}` is none of the options"))?;
    chosen(p, &all)
}
