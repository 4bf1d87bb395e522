//! What the dialects differ in: how a question is written, and where in a reply its parts stand.
//!
//! Each file has two functions: one that writes the body, one that reads a reply of status 200. Neither knows about HTTP.

mod anthropic;
mod decisions;
mod distribution;
mod gemini;
mod ollama;
mod openai;
mod systemone;

pub(super) use anthropic::VERSION as ANTHROPIC_VERSION;

use super::read::Outcome;
use super::{Answer, Chat, Content, Decide, Rendered, Usage};
use crate::judge::config::{Alias, Dialect};
use crate::number::Number;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;
use std::sync::Arc;

/// The body of a chat.
pub(super) fn chat(alias: &Alias, chat: &Chat) -> Result<Json, String> {
    match alias.dialect {
        Dialect::OpenAi => openai::body(alias, chat),
        Dialect::Anthropic => anthropic::body(alias, chat),
        Dialect::Gemini => gemini::body(alias, chat),
        Dialect::Ollama => ollama::body(alias, chat),
        Dialect::SystemOne | Dialect::Decisions => Err("writes no text".to_owned()),
    }
}

/// Whether the server is to bind its reply to the schema: it can, and there is one.
fn binds(alias: &Alias, chat: &Chat) -> bool {
    alias.capabilities.structured && !chat.schema.is_null()
}

/// The body for a decision model.
pub(super) fn decide(alias: &Alias, decide: &Decide) -> Json {
    match alias.dialect {
        Dialect::Decisions => decisions::body(alias, decide),
        _ => systemone::body(alias, decide),
    }
}

/// Reads a reply of status 200 that holds no error.
pub(super) fn read(alias: &Alias, rendered: &Rendered, reply: &Json) -> Outcome {
    match alias.dialect {
        Dialect::OpenAi => openai::read(reply),
        Dialect::Anthropic => anthropic::read(reply),
        Dialect::Gemini => gemini::read(reply),
        Dialect::Ollama => ollama::read(reply),
        Dialect::SystemOne => systemone::read(rendered, reply),
        Dialect::Decisions => decisions::read(rendered, reply),
    }
}

/// A level of a scale for a decision model that takes one text per level.
pub(super) fn level(label: &str, description: &Option<String>) -> String {
    match description {
        Some(text) => format!("{label}: {text}"),
        None => label.to_owned(),
    }
}

/// A number of ours in a body.
fn number(number: &Number) -> Json {
    serde_json::from_str(&number.to_string()).unwrap_or_else(|_| Json::String(number.to_string()))
}

/// Puts a key into a body, which is an object.
fn set(body: &mut Json, key: &str, value: Json) {
    if let Json::Object(body) = body {
        body.insert(key.to_owned(), value);
    }
}

/// The temperature of a request: the criterion's, else the alias's.
fn temperature(alias: &Alias, chat: &Chat) -> Option<Json> {
    chat.sampling.temperature.as_ref().or(alias.temperature.as_ref()).map(number)
}

/// The seed, where the model takes one: 31 bits, which all of them take.
fn seed(alias: &Alias, chat: &Chat) -> Option<Json> {
    chat.sampling.seed.filter(|_| alias.capabilities.seed).map(|seed| Json::from(seed & 0x7FFF_FFFF))
}

/// The text of a message that has no images, else `None`.
fn plain(shared: &[Content], own: &[Content]) -> Option<String> {
    let mut out = String::new();
    for content in shared.iter().chain(own) {
        match content {
            Content::Text(text) => out.push_str(text),
            Content::Image(_) => return None,
        }
    }
    Some(out)
}

/// An image: the bytes themselves or where they are.
enum Image<'a> {
    /// Its media type and its bytes in base64.
    Data(&'a str, &'a str),
    Address(&'a str),
}

/// What an `image` field holds.
fn image(text: &Arc<str>) -> Result<Image<'_>, String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("data:") {
        let parts = rest.split_once(";base64,").filter(|(media, _)| media.starts_with("image/"));
        let (media, data) = parts.ok_or("was given an image that is no `data:image/…;base64,…`")?;
        if STANDARD.decode(data).is_err() {
            return Err("was given an image whose base64 cannot be read".to_owned());
        }
        return Ok(Image::Data(media, data));
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return Ok(Image::Address(text));
    }
    Err("was given an image that is neither a `data:` address nor one that begins with https://".to_owned())
}

/// An answer in text.
fn text(text: String, logprobs: Vec<super::Token>) -> Answer {
    Answer::Text { text, logprobs }
}

/// A count of tokens: absent is 0.
fn count(usage: Option<&Json>, path: &[&str]) -> u64 {
    let mut at = usage;
    for key in path {
        at = at.and_then(|v| v.get(key));
    }
    at.and_then(Json::as_u64).unwrap_or(0)
}

/// Usage as most servers count it: cached tokens are among those of the request.
fn usage(input: u64, cached: u64, cache_written: u64, output: u64) -> Usage {
    Usage { input, cached: cached.min(input), cache_written: cache_written.min(input.saturating_sub(cached)), output }
}
