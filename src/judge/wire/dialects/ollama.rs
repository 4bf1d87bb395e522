//! Ollama's own interface, which binds a reply to a schema and says no where a prompt is too long.

use super::super::read::{Outcome, Reading, Stop};
use super::super::value::Value;
use super::super::{Chat, Content, FailureKind};
use super::{Image, Texts, contents, count, image, limit, openai, schema, seed, temperature, text, usage};
use crate::judge::config::Alias;
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    truncate: bool,
    shift: bool,
    options: Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u8>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Said<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Said<'a> {
    Text(&'a str),
    Fixed(&'a RawValue),
    Texts(Texts<'a>),
}

#[derive(Serialize)]
struct Options {
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

pub(super) fn body<'a>(alias: &'a Alias, chat: &'a Chat) -> Result<Body<'a>, String> {
    let mut images = Vec::new();
    for content in contents(chat) {
        match content {
            Content::Text(_) => {}
            Content::Image(given) => match image(given)? {
                Image::Data(_, data) => images.push(data),
                Image::Address(_) => {
                    return Err("fetches no images: put the image itself into the record (`data:image/png;base64,…`)"
                        .to_owned());
                }
            },
        }
    }
    let message = |role, content| Message { role, content, images: Vec::new() };
    let said = |role, text| message(role, Said::Text(text));
    let mut messages = Vec::with_capacity(2 + 2 * chat.again.len());
    messages.push(message("system", Said::Fixed(chat.system.raw())));
    messages.push(Message { role: "user", content: Said::Texts(Texts(chat)), images });
    for (reply, answer) in &chat.again {
        messages.push(said("assistant", reply));
        messages.push(said("user", answer));
    }
    let probable = chat.sampling.top_logprobs > 0;
    Ok(Body {
        model: &alias.model,
        messages,
        stream: false,
        // Without the two it drops the beginning of what does not fit, and answers as if nothing had happened.
        truncate: false,
        shift: false,
        options: Options {
            num_predict: limit(alias, chat),
            temperature: temperature(alias, chat),
            seed: seed(alias, chat),
        },
        format: schema(alias, chat),
        logprobs: probable.then_some(true),
        top_logprobs: probable.then_some(chat.sampling.top_logprobs),
    })
}

pub(super) fn read(reply: &Value<'_>) -> Outcome {
    let usage = usage(count(Some(reply), &["prompt_eval_count"]), 0, 0, count(Some(reply), &["eval_count"]));
    let read = Reading::new(reply.get("model"), usage);
    if reply.get("done").and_then(Value::as_bool) != Some(true) {
        return read.fail(FailureKind::Malformed, "the reply does not say that it is done");
    }
    match Stop::of(reply.get("done_reason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let Some(whole) = reply.get("message").and_then(|m| m.get("content")?.as_str()).filter(|t| !t.trim().is_empty())
    else {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    };
    let tokens = reply.get("logprobs").and_then(Value::as_array);
    let tokens = tokens.map(|list| list.iter().filter_map(openai::token).collect()).unwrap_or_default();
    read.answer(text(whole.to_owned(), tokens))
}
