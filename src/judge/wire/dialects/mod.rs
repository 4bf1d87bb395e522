//! What the dialects differ in: how a question is written, and where in a reply its parts stand.
//!
//! Each file has two functions: one that writes the body, one that reads a reply of status 200. Neither knows about HTTP.

mod anthropic;
mod decisions;
mod distribution;
mod embeddings;
mod gemini;
mod ollama;
mod openai;
mod systemone;

pub(super) use anthropic::VERSION as ANTHROPIC_VERSION;

use super::read::Outcome;
use super::value::Value;
use super::{Answer, Chat, Content, Decide, Diagnostics, Rendered, Usage};
use crate::judge::config::{Alias, Dialect};
use crate::number::Number;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};
use std::fmt;
use std::sync::Arc;

/// The body of a chat. It is written straight from the question, without a JSON value between: a run makes very many.
pub(super) fn chat(alias: &Alias, chat: &Chat) -> Result<Vec<u8>, String> {
    match alias.dialect {
        Dialect::OpenAi => written(&openai::body(alias, chat)?),
        Dialect::Anthropic => written(&anthropic::body(alias, chat)?),
        Dialect::Gemini => written(&gemini::body(alias, chat)?),
        Dialect::Ollama => written(&ollama::body(alias, chat)?),
        Dialect::SystemOne | Dialect::Decisions | Dialect::Embeddings => Err("writes no text".to_owned()),
    }
}

fn written(body: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(body).map_err(|error| format!("cannot be asked this: {error}"))
}

/// The body for a decision model.
pub(super) fn decide(alias: &Alias, decide: &Decide) -> Json {
    match alias.dialect {
        Dialect::Decisions => decisions::body(alias, decide),
        _ => systemone::body(alias, decide),
    }
}

/// The body that asks for vectors.
pub(super) fn embed(alias: &Alias, texts: &[Arc<str>]) -> Json {
    embeddings::body(alias, texts)
}

/// Reads a reply of status 200 that holds no error.
pub(super) fn read(alias: &Alias, rendered: &Rendered, reply: &Value<'_>) -> Outcome {
    match alias.dialect {
        Dialect::OpenAi => openai::read(reply),
        Dialect::Anthropic => anthropic::read(reply),
        Dialect::Gemini => gemini::read(reply),
        Dialect::Ollama => ollama::read(reply),
        Dialect::SystemOne => systemone::read(rendered, reply),
        Dialect::Decisions => decisions::read(rendered, reply),
        Dialect::Embeddings => embeddings::read(rendered, reply),
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
fn seed(alias: &Alias, chat: &Chat) -> Option<u64> {
    chat.sampling.seed.filter(|_| alias.capabilities.seed).map(|seed| seed & 0x7FFF_FFFF)
}

/// The most tokens of the reply.
fn limit(alias: &Alias, chat: &Chat) -> u32 {
    chat.sampling.max_tokens.unwrap_or(alias.max_tokens)
}

/// The schema of the answer, where there is one and the model can be bound to it.
fn schema<'a>(alias: &Alias, chat: &'a Chat) -> Option<&'a RawValue> {
    (alias.capabilities.structured && !chat.schema.is_null()).then(|| chat.schema.raw())
}

/// What is shown, in order.
fn contents(chat: &Chat) -> impl Iterator<Item = &Content> {
    chat.shared.iter().chain(&chat.own)
}

/// The texts of a chat as one, images left out.
struct Texts<'a>(&'a Chat);

impl fmt::Display for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        contents(self.0).try_for_each(|content| match content {
            Content::Text(text) => f.write_str(text),
            Content::Image(_) => Ok(()),
        })
    }
}

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An image: the bytes themselves or where they are.
enum Image<'a> {
    /// Its media type and its bytes in base64.
    Data(&'a str, &'a str),
    Address(&'a str),
}

impl Image<'_> {
    /// As an address of either kind.
    fn url(&self) -> String {
        match self {
            Image::Data(media, data) => format!("data:{media};base64,{data}"),
            Image::Address(url) => (*url).to_owned(),
        }
    }
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

/// What a reply says about how its answers came to be: `diagnostics` by question id, as far as they are numbers, yes or no. Texts are
/// left out, because nobody vouches for what they hold.
fn diagnostics(rendered: &Rendered, reply: &Value<'_>) -> Diagnostics {
    const MOST: usize = 16;
    const LONGEST: usize = 64;
    let Some(given) = reply.get("diagnostics").and_then(Value::as_object) else { return Diagnostics::new() };
    let one = |(id, _): &(Arc<str>, _)| {
        let all = given.get(id)?.as_object()?.iter();
        let plain =
            all.filter(|(name, value)| (value.is_number() || matches!(value, Value::Bool(_))) && name.len() <= LONGEST);
        let kept: Map<String, Json> = plain.take(MOST).map(|(name, value)| (name.to_owned(), value.json())).collect();
        (!kept.is_empty()).then(|| (id.to_string(), kept))
    };
    rendered.asked.iter().filter_map(one).collect()
}

/// A count of tokens: absent is 0.
fn count(usage: Option<&Value<'_>>, path: &[&str]) -> u64 {
    let mut at = usage;
    for key in path {
        at = at.and_then(|v| v.get(key));
    }
    at.and_then(Value::as_u64).unwrap_or(0)
}

/// Usage as most servers count it: cached tokens are among those of the request.
fn usage(input: u64, cached: u64, cache_written: u64, output: u64) -> Usage {
    Usage { input, cached: cached.min(input), cache_written: cache_written.min(input.saturating_sub(cached)), output }
}
