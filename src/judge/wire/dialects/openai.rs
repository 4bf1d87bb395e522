//! Chat completions: OpenAI, and every server that follows it (vLLM, llama.cpp, OpenRouter, LiteLLM, …).

use super::super::read::{Outcome, Reading, Stop};
use super::super::{Chat, Content, FailureKind, Token};
use super::{Image, binds, count, image, plain, seed, set, temperature, text, usage};
use crate::judge::config::Alias;
use serde_json::{Value as Json, json};

pub(super) fn body(alias: &Alias, chat: &Chat) -> Result<Json, String> {
    let content = match plain(&chat.shared, &chat.own) {
        Some(text) => Json::String(text),
        None => Json::Array(chat.shared.iter().chain(&chat.own).map(part).collect::<Result<_, _>>()?),
    };
    let mut messages =
        vec![json!({"role": "system", "content": &*chat.system}), json!({"role": "user", "content": content})];
    for (reply, said) in &chat.again {
        messages.push(json!({"role": "assistant", "content": reply}));
        messages.push(json!({"role": "user", "content": said}));
    }
    let mut body = json!({"model": alias.model, "messages": messages});
    if binds(alias, chat) {
        set(
            &mut body,
            "response_format",
            json!({
                "type": "json_schema",
                "json_schema": {"name": chat.schema_name, "strict": true, "schema": chat.schema},
            }),
        );
    }
    // OpenAI's own servers refuse the old name for models that reason; other servers know the old name only.
    let own = reqwest::Url::parse(&alias.base_url).is_ok_and(|url| {
        url.host_str().is_some_and(|h| h == "api.openai.com" || h.ends_with(".openai.com") || h.ends_with(".azure.com"))
    });
    let limit = if own { "max_completion_tokens" } else { "max_tokens" };
    set(&mut body, limit, Json::from(chat.sampling.max_tokens.unwrap_or(alias.max_tokens)));
    if let Some(temperature) = temperature(alias, chat) {
        set(&mut body, "temperature", temperature);
    }
    if let Some(seed) = seed(alias, chat) {
        set(&mut body, "seed", seed);
    }
    if chat.sampling.top_logprobs > 0 {
        set(&mut body, "logprobs", Json::Bool(true));
        set(&mut body, "top_logprobs", Json::from(chat.sampling.top_logprobs));
    }
    Ok(body)
}

fn part(content: &Content) -> Result<Json, String> {
    Ok(match content {
        Content::Text(text) => json!({"type": "text", "text": &**text}),
        Content::Image(given) => {
            let url = match image(given)? {
                Image::Data(media, data) => format!("data:{media};base64,{data}"),
                Image::Address(url) => url.to_owned(),
            };
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    })
}

pub(super) fn read(reply: &Json) -> Outcome {
    let used = reply.get("usage");
    let usage = usage(
        count(used, &["prompt_tokens"]),
        count(used, &["prompt_tokens_details", "cached_tokens"]),
        count(used, &["prompt_tokens_details", "cache_write_tokens"]),
        count(used, &["completion_tokens"]),
    );
    let read = Reading::new(reply.get("model"), usage);
    let Some([choice]) = reply.get("choices").and_then(Json::as_array).map(Vec::as_slice) else {
        return read.fail(FailureKind::Malformed, "the reply has not exactly one choice");
    };
    let Some(message) = choice.get("message").filter(|m| m.is_object()) else {
        return read.fail(FailureKind::Malformed, "the reply holds no message");
    };
    if let Some(refusal) = message.get("refusal").and_then(Json::as_str).filter(|r| !r.is_empty()) {
        return read.fail(FailureKind::Refused, refusal);
    }
    match Stop::of(choice.get("finish_reason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let content = match message.get("content") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => parts.iter().filter_map(|p| p.get("text")?.as_str()).collect(),
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
pub(super) fn token(token: &Json) -> Option<Token> {
    let one = |t: &Json| Some((t.get("token")?.as_str()?.to_owned(), t.get("logprob")?.as_f64()?));
    let drawn = one(token)?;
    let mut top: Vec<(String, f64)> = token
        .get("top_logprobs")
        .and_then(Json::as_array)
        .map(|l| l.iter().filter_map(one).collect())
        .unwrap_or_default();
    if !top.iter().any(|(text, _)| *text == drawn.0) {
        top.push(drawn.clone());
    }
    Some(Token { text: drawn.0, top })
}
