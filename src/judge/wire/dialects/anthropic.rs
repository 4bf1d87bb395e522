//! The messages of Anthropic.

use super::super::read::{Outcome, Reading, Stop};
use super::super::{Chat, Content, FailureKind};
use super::{Image, binds, count, image, set, temperature, text, usage};
use crate::judge::config::Alias;
use serde_json::{Value as Json, json};

/// The version of the interface that is spoken. Later ones refuse more, and add nothing that is used here.
pub(in super::super) const VERSION: &str = "2023-06-01";

pub(super) fn body(alias: &Alias, chat: &Chat) -> Result<Json, String> {
    let mut shared = chat.shared.iter().map(block).collect::<Result<Vec<_>, _>>()?;
    // Everything up to this block is what the requests of a record share.
    if let Some(last) = shared.last_mut() {
        set(last, "cache_control", json!({"type": "ephemeral"}));
    }
    for content in &chat.own {
        shared.push(block(content)?);
    }
    let mut messages = vec![json!({"role": "user", "content": shared})];
    for (reply, said) in &chat.again {
        messages.push(json!({"role": "assistant", "content": reply}));
        messages.push(json!({"role": "user", "content": said}));
    }
    let mut body = json!({
        "model": alias.model,
        "max_tokens": chat.sampling.max_tokens.unwrap_or(alias.max_tokens),
        "system": [{"type": "text", "text": &*chat.system, "cache_control": {"type": "ephemeral"}}],
        "messages": messages,
    });
    if binds(alias, chat) {
        set(&mut body, "output_config", json!({"format": {"type": "json_schema", "schema": chat.schema}}));
    }
    if let Some(temperature) = temperature(alias, chat) {
        set(&mut body, "temperature", temperature);
    }
    Ok(body)
}

fn block(content: &Content) -> Result<Json, String> {
    Ok(match content {
        Content::Text(text) => json!({"type": "text", "text": &**text}),
        Content::Image(given) => match image(given)? {
            Image::Data(media, data) => {
                json!({"type": "image", "source": {"type": "base64", "media_type": media, "data": data}})
            }
            Image::Address(url) => json!({"type": "image", "source": {"type": "url", "url": url}}),
        },
    })
}

pub(super) fn read(reply: &Json) -> Outcome {
    let used = reply.get("usage");
    // Here the tokens of the cache stand beside those of the request.
    let (cached, written) = (count(used, &["cache_read_input_tokens"]), count(used, &["cache_creation_input_tokens"]));
    let input = count(used, &["input_tokens"]).saturating_add(cached).saturating_add(written);
    let read = Reading::new(reply.get("model"), usage(input, cached, written, count(used, &["output_tokens"])));
    match Stop::of(reply.get("stop_reason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let Some(blocks) = reply.get("content").and_then(Json::as_array) else {
        return read.fail(FailureKind::Malformed, "the reply holds no content");
    };
    let whole: String = blocks
        .iter()
        .filter(|block| block.get("type").and_then(Json::as_str) == Some("text"))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    if whole.trim().is_empty() {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    }
    read.answer(text(whole, Vec::new()))
}
