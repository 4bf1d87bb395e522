//! The messages of Anthropic.

use super::super::read::{Outcome, Reading, Stop};
use super::super::value::Value;
use super::super::{Chat, Content, FailureKind};
use super::{Image, count, image, limit, schema, temperature, text, usage};
use crate::judge::config::Alias;
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// The version of the interface that is spoken. Later ones refuse more, and add nothing that is used here.
pub(in super::super) const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    system: [Block<'a>; 1],
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Json>,
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
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Shown<'a>,
    /// Everything up to a block that has it is kept in the server's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shown<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Url { url: &'a str },
}

#[derive(Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    schema: &'a RawValue,
}

const CACHED: CacheControl = CacheControl { kind: "ephemeral" };

pub(super) fn body<'a>(alias: &'a Alias, chat: &'a Chat) -> Result<Body<'a>, String> {
    let mut blocks = chat.shared.iter().map(block).collect::<Result<Vec<_>, _>>()?;
    // Everything up to this block is what the requests of a record share.
    if let Some(last) = blocks.last_mut() {
        last.cache_control = Some(CACHED);
    }
    for content in &chat.own {
        blocks.push(block(content)?);
    }
    let mut messages = vec![Message { role: "user", content: Said::Blocks(blocks) }];
    for (reply, said) in &chat.again {
        messages.push(Message { role: "assistant", content: Said::Text(reply) });
        messages.push(Message { role: "user", content: Said::Text(said) });
    }
    Ok(Body {
        model: &alias.model,
        max_tokens: limit(alias, chat),
        system: [Block { content: Shown::Text { text: &chat.system }, cache_control: Some(CACHED) }],
        messages,
        output_config: schema(alias, chat)
            .map(|schema| OutputConfig { format: Format { kind: "json_schema", schema } }),
        temperature: temperature(alias, chat),
    })
}

fn block(content: &Content) -> Result<Block<'_>, String> {
    let content = match content {
        Content::Text(text) => Shown::Text { text },
        Content::Image(given) => Shown::Image {
            source: match image(given)? {
                Image::Data(media_type, data) => Source::Base64 { media_type, data },
                Image::Address(url) => Source::Url { url },
            },
        },
    };
    Ok(Block { content, cache_control: None })
}

pub(super) fn read(reply: &Value<'_>) -> Outcome {
    let used = reply.get("usage");
    // Here the tokens of the cache stand beside those of the request.
    let (cached, written) = (count(used, &["cache_read_input_tokens"]), count(used, &["cache_creation_input_tokens"]));
    let input = count(used, &["input_tokens"]).saturating_add(cached).saturating_add(written);
    let read = Reading::new(reply.get("model"), usage(input, cached, written, count(used, &["output_tokens"])));
    match Stop::of(reply.get("stop_reason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let Some(blocks) = reply.get("content").and_then(Value::as_array) else {
        return read.fail(FailureKind::Malformed, "the reply holds no content");
    };
    let whole: String = blocks
        .iter()
        .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    if whole.trim().is_empty() {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    }
    read.answer(text(whole, Vec::new()))
}
