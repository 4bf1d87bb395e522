//! Ollama's own interface, which binds a reply to a schema and says no where a prompt is too long.

use super::super::read::{Outcome, Reading, Stop};
use super::super::{Chat, Content, FailureKind};
use super::{Image, binds, count, image, openai, seed, set, temperature, text, usage};
use crate::judge::config::Alias;
use serde_json::{Map, Value as Json, json};

pub(super) fn body(alias: &Alias, chat: &Chat) -> Result<Json, String> {
    let (mut content, mut images) = (String::new(), Vec::new());
    for part in chat.shared.iter().chain(&chat.own) {
        match part {
            Content::Text(text) => content.push_str(text),
            Content::Image(given) => match image(given)? {
                Image::Data(_, data) => images.push(Json::from(data)),
                Image::Address(_) => {
                    return Err("fetches no images: put the image itself into the record (`data:image/png;base64,…`)"
                        .to_owned());
                }
            },
        }
    }
    let mut user = json!({"role": "user", "content": content});
    if !images.is_empty() {
        set(&mut user, "images", Json::Array(images));
    }
    let mut messages = vec![json!({"role": "system", "content": &*chat.system}), user];
    for (reply, said) in &chat.again {
        messages.push(json!({"role": "assistant", "content": reply}));
        messages.push(json!({"role": "user", "content": said}));
    }
    let mut options = Map::new();
    options.insert("num_predict".to_owned(), Json::from(chat.sampling.max_tokens.unwrap_or(alias.max_tokens)));
    if let Some(temperature) = temperature(alias, chat) {
        options.insert("temperature".to_owned(), temperature);
    }
    if let Some(seed) = seed(alias, chat) {
        options.insert("seed".to_owned(), seed);
    }
    // Without the two it drops the beginning of what does not fit, and answers as if nothing had happened.
    let mut body = json!({
        "model": alias.model,
        "messages": messages,
        "stream": false,
        "truncate": false,
        "shift": false,
        "options": options,
    });
    if binds(alias, chat) {
        set(&mut body, "format", chat.schema.clone());
    }
    if chat.sampling.top_logprobs > 0 {
        set(&mut body, "logprobs", Json::Bool(true));
        set(&mut body, "top_logprobs", Json::from(chat.sampling.top_logprobs));
    }
    Ok(body)
}

pub(super) fn read(reply: &Json) -> Outcome {
    let usage = usage(count(Some(reply), &["prompt_eval_count"]), 0, 0, count(Some(reply), &["eval_count"]));
    let read = Reading::new(reply.get("model"), usage);
    if reply.get("done").and_then(Json::as_bool) != Some(true) {
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
    let tokens = reply.get("logprobs").and_then(Json::as_array);
    let tokens = tokens.map(|list| list.iter().filter_map(openai::token).collect()).unwrap_or_default();
    read.answer(text(whole.to_owned(), tokens))
}
