//! Chat completions: OpenAI, and every server that follows it (vLLM, llama.cpp, OpenRouter, LiteLLM, …).

use super::super::read::{Outcome, Reading, Stop};
use super::super::value::Value;
use super::super::{Chat, Content, FailureKind, Token};
use super::{Texts, contents, count, image, limit, schema, seed, temperature, text, usage};
use crate::judge::config::Alias;
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u8>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Said<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Said<'a> {
    Text(&'a str),
    Fixed(&'a RawValue),
    Texts(Texts<'a>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: JsonSchema<'a>,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a RawValue,
}

pub(super) fn body<'a>(alias: &'a Alias, chat: &'a Chat) -> Result<Body<'a>, String> {
    let images = contents(chat).any(|content| matches!(content, Content::Image(_)));
    let shown = if images {
        Said::Parts(contents(chat).map(part).collect::<Result<_, _>>()?)
    } else {
        Said::Texts(Texts(chat))
    };
    let mut messages = Vec::with_capacity(2 + 2 * chat.again.len());
    messages.push(Message { role: "system", content: Said::Fixed(chat.system.raw()) });
    messages.push(Message { role: "user", content: shown });
    for (reply, said) in &chat.again {
        messages.push(Message { role: "assistant", content: Said::Text(reply) });
        messages.push(Message { role: "user", content: Said::Text(said) });
    }
    // OpenAI's own servers refuse the old name for models that reason; other servers know the old name only.
    let own = is_own(&alias.base_url);
    let limit = limit(alias, chat);
    let probable = chat.sampling.top_logprobs > 0;
    Ok(Body {
        model: &alias.model,
        messages,
        response_format: schema(alias, chat).map(|schema| ResponseFormat {
            kind: "json_schema",
            json_schema: JsonSchema { name: chat.schema_name, strict: true, schema },
        }),
        max_completion_tokens: own.then_some(limit),
        max_tokens: (!own).then_some(limit),
        temperature: temperature(alias, chat),
        seed: seed(alias, chat),
        logprobs: probable.then_some(true),
        top_logprobs: probable.then_some(chat.sampling.top_logprobs),
    })
}

/// Whether an address is of OpenAI's own servers. It is taken apart only where it may be: a request is rendered very often.
fn is_own(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let of_host = |h: &str| h == "api.openai.com" || h.ends_with(".openai.com") || h.ends_with(".azure.com");
    (lower.contains("openai.com") || lower.contains("azure.com"))
        && reqwest::Url::parse(address).is_ok_and(|url| url.host_str().is_some_and(of_host))
}

fn part(content: &Content) -> Result<Part<'_>, String> {
    Ok(match content {
        Content::Text(text) => Part::Text { text },
        Content::Image(given) => Part::ImageUrl { image_url: ImageUrl { url: image(given)?.url() } },
    })
}

pub(super) fn read(reply: &Value<'_>) -> Outcome {
    let used = reply.get("usage");
    let usage = usage(
        count(used, &["prompt_tokens"]),
        count(used, &["prompt_tokens_details", "cached_tokens"]),
        count(used, &["prompt_tokens_details", "cache_write_tokens"]),
        count(used, &["completion_tokens"]),
    );
    let read = Reading::new(reply.get("model"), usage);
    let Some([choice]) = reply.get("choices").and_then(Value::as_array) else {
        return read.fail(FailureKind::Malformed, "the reply has not exactly one choice");
    };
    let Some(message) = choice.get("message").filter(|m| m.as_object().is_some()) else {
        return read.fail(FailureKind::Malformed, "the reply holds no message");
    };
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|r| !r.is_empty()) {
        return read.fail(FailureKind::Refused, refusal);
    }
    match Stop::of(choice.get("finish_reason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let content = match message.get("content") {
        Some(Value::Text(text)) => text.clone().into_owned(),
        Some(Value::List(parts)) => parts.iter().filter_map(|p| p.get("text")?.as_str()).collect(),
        _ => String::new(),
    };
    if content.trim().is_empty() {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    }
    let tokens = choice.get("logprobs").and_then(|l| l.get("content")?.as_array());
    let tokens = tokens.map(|list| list.iter().filter_map(token).collect()).unwrap_or_default();
    read.answer(text(content, tokens))
}

/// A token with its alternatives, the drawn one among them.
pub(super) fn token(token: &Value<'_>) -> Option<Token> {
    let one = |t: &Value<'_>| Some((t.get("token")?.as_str()?.to_owned(), t.get("logprob")?.as_f64()?));
    let drawn = one(token)?;
    let mut top: Vec<(String, f64)> = token
        .get("top_logprobs")
        .and_then(Value::as_array)
        .map(|l| l.iter().filter_map(one).collect())
        .unwrap_or_default();
    if !top.iter().any(|(text, _)| *text == drawn.0) {
        top.push(drawn.clone());
    }
    Some(Token { text: drawn.0, top })
}
