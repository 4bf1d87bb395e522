//! Whether a model can be asked: one small question over the real wire, and what its answer shows.
//!
//! A chat model is asked for a small JSON object bound to a schema, with log-probabilities where the table of capabilities
//! says that it gives them. A decision model is asked the same questions twice, in another order, under other ids and in
//! other company: a server whose answers depend on that judges something else than what it is asked.
//!
//! It changes nothing and prints nothing. What it finds about a model is a hint for one moment, not a proof.

use crate::judge::config::{Alias, Limits};
use crate::judge::wire::{
    Answer, Chat, Client, Content, Decide, DecideQuestion, Decision, Failure, FailureKind, Question, Reply, Sampling,
    Usage, cosine, render,
};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// What was found about one model.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The answer's model id, what it cost and how long it took; or why there is none.
    pub answer: Result<Answered, Failure>,
    /// What works, but not as configuration says or not safely: each with what to do.
    pub warnings: Vec<String>,
}

/// An answer in the form that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub model: String,
    pub usage: Usage,
    pub took: Duration,
}

/// The longest that one question may take here, whatever configuration says.
const PATIENCE: Duration = Duration::from_secs(60);
/// Two answers of a decision model to one question may differ by this much: some servers sum in an order of their own.
const NOISE: f64 = 0.05;

/// Asks a model its question.
pub async fn examine(client: &Client, alias: &Alias) -> Finding {
    let mut alias = alias.clone();
    let usual = alias.limits;
    alias.limits = Limits {
        timeout: usual.timeout.min(PATIENCE),
        max_wait: usual.max_wait.min(PATIENCE),
        retries: usual.retries.min(1),
        ..usual
    };
    let mut warnings = Vec::new();
    if alias.key.is_some() && alias.base_url.starts_with("http://") && !is_local(&alias.base_url) {
        warnings.push("its key is sent unprotected: use an address that begins with https://".to_owned());
    }
    let answer = if alias.dialect.decides() {
        decide(client, &alias, &mut warnings).await
    } else if alias.dialect.embeds() {
        embed(client, &alias, &mut warnings).await
    } else {
        chat(client, &alias, &mut warnings).await
    };
    Finding { answer, warnings }
}

/// What to do about a failure, in one sentence.
#[must_use]
pub fn advice(alias: &Alias, kind: FailureKind) -> String {
    match kind {
        FailureKind::Unauthorised => match &alias.key {
            Some(variable) => format!("check the key in {variable}, and that it may use `{}`", alias.model),
            None => {
                "this server wants a key: name the variable that holds it, `key = \"…\"`, in `rubric.toml`".to_owned()
            }
        },
        FailureKind::NoCredit => "add credit to the account, or use another model".to_owned(),
        FailureKind::Outage => format!("check that a server answers at {}", alias.base_url),
        FailureKind::Rejected => {
            format!("check that `model` and `base_url` are those of one server that speaks `{}`", alias.dialect.word())
        }
        FailureKind::Malformed => format!(
            "check that the server speaks `{}`; if it does not bind its replies to a schema, write `can = {{ structured = false }}`",
            alias.dialect.word()
        ),
        FailureKind::Truncated => "set a higher `max_tokens`: this model thinks longer before it answers".to_owned(),
        FailureKind::Refused | FailureKind::Filtered => "use a model that answers harmless questions".to_owned(),
        FailureKind::Cancelled | FailureKind::Budget => "run it again".to_owned(),
    }
}

fn is_local(url: &str) -> bool {
    ["http://localhost", "http://127.", "http://[::1]"].iter().any(|start| url.starts_with(start))
}

async fn send(client: &Client, alias: &Alias, question: &Question) -> Result<(Reply, Duration), Failure> {
    let rendered = render(alias, question).map_err(|why| Failure::new(FailureKind::Rejected, why))?;
    let start = Instant::now();
    let reply = client.send(alias, &rendered).await?;
    Ok((reply, start.elapsed()))
}

/// Asks for the vectors of three texts: two that say the same have to be more alike than two that do not.
async fn embed(client: &Client, alias: &Alias, warnings: &mut Vec<String>) -> Result<Answered, Failure> {
    let texts =
        ["The patient is told to see a doctor.", "Advises seeing a physician.", "The invoice names the tax rate."];
    let question = Question::Embed(texts.into_iter().map(std::sync::Arc::from).collect());
    let (reply, took) = send(client, alias, &question).await?;
    let Answer::Vectors(vectors) = &reply.answer else {
        return Err(Failure::new(FailureKind::Malformed, "the answer holds no vectors"));
    };
    if let [a, b, c] = vectors.as_slice()
        && cosine(a, b) <= cosine(a, c)
    {
        warnings.push(
            "texts that say the same are no more alike to it than texts that do not: check that this model is made for texts"
                .to_owned(),
        );
    }
    Ok(Answered { model: reply.model, usage: reply.usage, took })
}

async fn chat(client: &Client, alias: &Alias, warnings: &mut Vec<String>) -> Result<Answered, Failure> {
    let nonce = format!("{:08x}", rand::random::<u32>());
    let logprobs = alias.capabilities.logprobs.is_some();
    let (reply, took) = match send(client, alias, &small(&nonce, u8::from(logprobs))).await {
        Err(failure) if logprobs && failure.kind == FailureKind::Rejected => {
            // Perhaps it is only the log-probabilities that it does not take.
            let second = send(client, alias, &small(&nonce, 0)).await;
            let Ok(second) = second else { return Err(failure) };
            warnings.push(NO_LOGPROBS.to_owned());
            second
        }
        other => other?,
    };
    let Answer::Text { text, logprobs: tokens } = &reply.answer else {
        return Err(Failure::new(FailureKind::Malformed, "the answer is no text"));
    };
    if !conforms(text, &nonce) {
        let start: String = text.chars().take(80).collect();
        let detail = format!("it answered, but not in the form that was asked for: {}", start.trim());
        return Err(Failure { kind: FailureKind::Malformed, detail, usage: reply.usage });
    }
    if logprobs && tokens.is_empty() && warnings.iter().all(|w| w != NO_LOGPROBS) {
        warnings.push(NO_LOGPROBS.to_owned());
    }
    Ok(Answered { model: reply.model, usage: reply.usage, took })
}

const NO_LOGPROBS: &str = "it gives no log-probabilities: write `can = { logprobs = false }`, so that `expected` and \
     `confidence` are refused before a run";

/// A question with one right answer.
fn small(nonce: &str, top_logprobs: u8) -> Question {
    let schema = json!({
        "type": "object",
        "properties": {"nonce": {"type": "string"}, "answer": {"type": "boolean"}},
        "required": ["nonce", "answer"],
        "additionalProperties": false,
    });
    let text = format!(
        "Is seven larger than three? Answer with one JSON object that has these keys and no others:\n- \"nonce\": \"{nonce}\"\n- \
         \"answer\": true or false"
    );
    Question::Chat(Chat {
        system: "You answer short questions with JSON.".into(),
        shared: Vec::new(),
        own: vec![Content::Text(text.into())],
        again: Vec::new(),
        schema: schema.into(),
        schema_name: "answer",
        sampling: Sampling { top_logprobs, ..Sampling::default() },
    })
}

fn conforms(text: &str, nonce: &str) -> bool {
    let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after).trim();
    let text = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    let text = text.strip_suffix("```").unwrap_or(text);
    serde_json::from_str::<Json>(text.trim()).is_ok_and(|json| {
        json.get("nonce").and_then(Json::as_str) == Some(nonce) && json.get("answer").is_some_and(Json::is_boolean)
    })
}

async fn decide(client: &Client, alias: &Alias, warnings: &mut Vec<String>) -> Result<Answered, Failure> {
    let (first, took) = send(client, alias, &Question::Decide(questions(false))).await?;
    let (second, _) = send(client, alias, &Question::Decide(questions(true))).await?;
    let (Answer::Decisions(one), Answer::Decisions(two)) = (&first.answer, &second.answer) else {
        return Err(Failure::new(FailureKind::Malformed, "the answer holds no decisions"));
    };
    let apart = [("size", "item_7"), ("tone", "item_3"), ("clarity", "item_1")]
        .into_iter()
        .filter_map(|(a, b)| Some(distance(one.get(a)?, two.get(b)?)))
        .fold(0.0, f64::max);
    if apart > NOISE {
        warnings.push(format!(
            "its answers depend on the ids, the order or the number of the questions (by up to {apart:.2}): what it says about one \
             criterion changes with the others"
        ));
    }
    let usage = Usage {
        input: first.usage.input + second.usage.input,
        cached: first.usage.cached + second.usage.cached,
        cache_written: first.usage.cache_written + second.usage.cache_written,
        output: first.usage.output + second.usage.output,
    };
    Ok(Answered { model: first.model, usage, took })
}

/// The same three questions; `other`: under other ids, the other way round, and with one more before them.
fn questions(other: bool) -> Decide {
    let option = |value: &str, text: &str| (value.to_owned(), Some(text.to_owned()));
    let size = DecideQuestion::Predicate {
        instructions: "Does the answer name a number?".to_owned(),
        yes: Some("It names a number.".to_owned()),
        no: Some("It names none.".to_owned()),
    };
    let tone = DecideQuestion::Choice {
        instructions: "What is the tone of the answer?".to_owned(),
        options: vec![
            option("friendly", "Kind words"),
            option("neutral", "Plain words"),
            option("rude", "Unkind words"),
        ],
    };
    let clarity = DecideQuestion::Score {
        instructions: "How clear is the answer?".to_owned(),
        levels: vec![
            option("1", "Nobody understands it"),
            option("2", "It takes an effort"),
            option("3", "Perfectly clear"),
        ],
    };
    let more = DecideQuestion::Predicate { instructions: "Is the answer long?".to_owned(), yes: None, no: None };
    let questions = if other {
        vec![("item_0".into(), more), ("item_1".into(), clarity), ("item_3".into(), tone), ("item_7".into(), size)]
    } else {
        vec![("size".into(), size), ("tone".into(), tone), ("clarity".into(), clarity)]
    };
    Decide {
        state: json!({"question": "How many legs does a spider have?", "answer": "A spider has eight legs."}),
        questions,
    }
}

/// How far apart two answers to one question are: the largest difference of a probability.
fn distance(one: &Decision, two: &Decision) -> f64 {
    let apart = |a: &crate::number::Number, b: &crate::number::Number| (a.to_f64() - b.to_f64()).abs();
    match (one, two) {
        (Decision::Predicate(a), Decision::Predicate(b)) => apart(a, b),
        (Decision::Choice { probabilities: a, .. }, Decision::Choice { probabilities: b, .. }) => {
            a.iter().zip(b).map(|((_, a), (_, b))| apart(a, b)).fold(0.0, f64::max)
        }
        (Decision::Score { probabilities: a }, Decision::Score { probabilities: b }) => {
            a.iter().zip(b).map(|(a, b)| apart(a, b)).fold(0.0, f64::max)
        }
        (Decision::Refused, Decision::Refused) => 0.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_asked_form_with_the_nonce_conforms() {
        for right in [
            r#"{"nonce":"ab","answer":true}"#,
            "```json\n{\"nonce\": \"ab\", \"answer\": false}\n```",
            "<think>hm {}</think>\n{\"nonce\":\"ab\",\"answer\":true}",
        ] {
            assert!(conforms(right, "ab"), "{right}");
        }
        for wrong in
            ["", "true", r#"{"nonce":"xy","answer":true}"#, r#"{"nonce":"ab","answer":"yes"}"#, r#"{"nonce":"ab"}"#]
        {
            assert!(!conforms(wrong, "ab"), "{wrong}");
        }
    }
}
