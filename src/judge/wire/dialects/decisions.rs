//! `/v1/decisions`: the same questions in OpenAI's form, answered in a list.

use super::super::read::{Outcome, Reading};
use super::super::value::Value;
use super::super::{Answer, Asked, Decide, DecideQuestion, Decision, FailureKind, Rendered};
use super::distribution::{expected, probability, whole};
use super::systemone::check_choice;
use super::{count, diagnostics, set, usage};
use crate::judge::config::Alias;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(super) fn body(alias: &Alias, decide: &Decide) -> Json {
    let questions: Vec<Json> = decide.questions.iter().map(|(id, question)| written(id, question)).collect();
    // Its input is a text; what has structure is shown as JSON.
    let input = match &decide.state {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({"model": alias.model, "input": input, "questions": questions})
}

fn written(id: &str, question: &DecideQuestion) -> Json {
    match question {
        DecideQuestion::Predicate { instructions, yes, no } => {
            // It has no place for what the two outcomes mean.
            let mut text = instructions.clone();
            for (word, meaning) in [("Yes", yes), ("No", no)] {
                if let Some(meaning) = meaning {
                    text.push_str(&format!("\n{word} means: {meaning}"));
                }
            }
            json!({"type": "predicate", "name": id, "instructions": text})
        }
        DecideQuestion::Choice { instructions, options } => {
            let choices: Vec<Json> = options.iter().map(|(value, text)| described("value", value, text)).collect();
            json!({"type": "choice", "name": id, "instructions": instructions, "choices": choices})
        }
        DecideQuestion::Score { instructions, levels } => {
            let levels: Vec<Json> = levels.iter().map(|(label, text)| described("label", label, text)).collect();
            json!({"type": "score", "name": id, "instructions": instructions, "levels": levels})
        }
    }
}

fn described(key: &str, value: &str, text: &Option<String>) -> Json {
    let mut out = json!({key: value});
    if let Some(text) = text {
        set(&mut out, "description", json!(text));
    }
    out
}

pub(super) fn read(rendered: &Rendered, reply: &Value<'_>) -> Outcome {
    let used = reply.get("usage");
    let usage = usage(
        count(used, &["input_tokens"]),
        count(used, &["input_tokens_details", "cached_tokens"]),
        0,
        count(used, &["output_tokens"]),
    );
    let reading = Reading::new(reply.get("model"), usage);
    let Some(answers) = reply.get("answers").and_then(Value::as_array) else {
        return reading.fail(FailureKind::Malformed, "the reply holds no answers");
    };
    let mut decisions = BTreeMap::new();
    for answer in answers {
        let kind = answer.get("type").and_then(Value::as_str).unwrap_or_default();
        let name = answer.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some((id, asked)) = rendered.asked.iter().find(|(id, _)| &**id == name) else {
            // Answers of a type that is not known yet may stand beside the others.
            if matches!(kind, "predicate" | "choice" | "score" | "refusal") {
                return reading
                    .fail(FailureKind::Malformed, &format!("the reply answers `{name}`, which was not asked"));
            }
            continue;
        };
        let decision = match decision(asked, kind, answer) {
            Ok(decision) => decision,
            Err(why) => {
                return reading.fail(FailureKind::Malformed, &format!("the answer to `{id}` cannot be used: {why}"));
            }
        };
        if decisions.insert(id.to_string(), decision).is_some() {
            return reading.fail(FailureKind::Malformed, &format!("the reply answers `{id}` twice"));
        }
    }
    match rendered.asked.iter().find(|(id, _)| !decisions.contains_key(&**id)) {
        Some((id, _)) => reading.fail(FailureKind::Malformed, &format!("the reply leaves the question `{id}` out")),
        None => reading.diagnosed(Answer::Decisions(decisions), diagnostics(rendered, reply)),
    }
}

fn decision(asked: &Asked, kind: &str, answer: &Value<'_>) -> Result<Decision, String> {
    let listed = || answer.get("probabilities").and_then(Value::as_array).ok_or("it has no probabilities");
    match (asked, kind) {
        (_, "refusal") => Ok(Decision::Refused),
        (Asked::Predicate, "predicate") => Ok(Decision::Predicate(probability(answer.get("probability"))?)),
        (Asked::Choice(values), "choice") => {
            let given = listed()?;
            if given.len() != values.len() {
                return Err("its probabilities are not those of the options".to_owned());
            }
            let mut probabilities = Vec::with_capacity(values.len());
            for value in values {
                let mut same = given.iter().filter(|p| p.get("value").and_then(Value::as_str) == Some(value));
                let one = same.next().ok_or_else(|| format!("it has no probability for the option `{value}`"))?;
                probabilities.push((value.clone(), probability(one.get("probability"))?));
            }
            let choice = answer.get("choice").and_then(Value::as_str).unwrap_or_default();
            check_choice(choice, &probabilities)?;
            Ok(Decision::Choice { choice: choice.to_owned(), probabilities })
        }
        (Asked::Score(levels), "score") => {
            let given = listed()?;
            if given.len() != levels.len() {
                return Err("its probabilities are not those of the levels".to_owned());
            }
            let mut probabilities = Vec::with_capacity(levels.len());
            for at in 0..levels.len() {
                let mut same = given.iter().filter(|p| p.get("value").and_then(Value::as_u64) == Some(at as u64));
                let one = same.next().ok_or_else(|| format!("it has no probability for the level {at}"))?;
                probabilities.push(probability(one.get("probability"))?);
            }
            whole(&probabilities)?;
            expected(answer.get("score"), &probabilities)?;
            Ok(Decision::Score { probabilities })
        }
        _ => Err(format!("its type is `{kind}`, which was not asked")),
    }
}
