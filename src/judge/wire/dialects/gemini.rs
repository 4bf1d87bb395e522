//! `generateContent` of Google's Gemini.

use super::super::read::{Outcome, Reading, Stop};
use super::super::value::Value;
use super::super::{Chat, Content, FailureKind, Token};
use super::{Image, contents, count, image, limit, schema, seed, temperature, text, usage};
use crate::judge::config::Alias;
use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body<'a> {
    system_instruction: Parts<'a>,
    contents: Vec<Turn<'a>>,
    generation_config: GenerationConfig<'a>,
}

#[derive(Serialize)]
struct Parts<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Part<'a> {
    Text(&'a str),
    #[serde(rename_all = "camelCase")]
    InlineData {
        mime_type: &'a str,
        data: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    FileData {
        file_uri: &'a str,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<u8>,
}

pub(super) fn body<'a>(alias: &'a Alias, chat: &'a Chat) -> Result<Body<'a>, String> {
    let mut turns = vec![Turn { role: "user", parts: contents(chat).map(part).collect::<Result<_, _>>()? }];
    for (reply, said) in &chat.again {
        turns.push(Turn { role: "model", parts: vec![Part::Text(reply)] });
        turns.push(Turn { role: "user", parts: vec![Part::Text(said)] });
    }
    let schema = schema(alias, chat);
    let probable = chat.sampling.top_logprobs > 0;
    Ok(Body {
        system_instruction: Parts { parts: vec![Part::Text(&chat.system)] },
        contents: turns,
        generation_config: GenerationConfig {
            max_output_tokens: limit(alias, chat),
            response_mime_type: schema.map(|_| "application/json"),
            response_json_schema: schema,
            temperature: temperature(alias, chat),
            seed: seed(alias, chat),
            response_logprobs: probable.then_some(true),
            logprobs: probable.then_some(chat.sampling.top_logprobs),
        },
    })
}

fn part(content: &Content) -> Result<Part<'_>, String> {
    Ok(match content {
        Content::Text(text) => Part::Text(text),
        Content::Image(given) => match image(given)? {
            Image::Data(mime_type, data) => Part::InlineData { mime_type, data },
            Image::Address(file_uri) => Part::FileData { file_uri },
        },
    })
}

pub(super) fn read(reply: &Value<'_>) -> Outcome {
    let used = reply.get("usageMetadata");
    let written = count(used, &["candidatesTokenCount"]).saturating_add(count(used, &["thoughtsTokenCount"]));
    let usage = usage(count(used, &["promptTokenCount"]), count(used, &["cachedContentTokenCount"]), 0, written);
    let read = Reading::new(reply.get("modelVersion"), usage);
    if let Some(reason) = reply.get("promptFeedback").and_then(|f| f.get("blockReason")?.as_str()) {
        return read.fail(FailureKind::Filtered, &format!("the request was blocked: {reason}"));
    }
    let Some([candidate]) = reply.get("candidates").and_then(Value::as_array) else {
        return read.fail(FailureKind::Malformed, "the reply has not exactly one candidate");
    };
    match Stop::of(candidate.get("finishReason")) {
        Stop::Whole => {}
        stop => return read.stopped(&stop),
    }
    let parts = candidate.get("content").and_then(|c| c.get("parts")?.as_array());
    let whole: String = parts
        .into_iter()
        .flatten()
        // What the model thought before it answered.
        .filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    if whole.trim().is_empty() {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    }
    read.answer(text(whole, tokens(candidate).unwrap_or_default()))
}

fn tokens(candidate: &Value<'_>) -> Option<Vec<Token>> {
    let result = candidate.get("logprobsResult")?;
    let chosen = result.get("chosenCandidates")?.as_array()?;
    let top = result.get("topCandidates")?.as_array()?;
    let one = |t: &Value<'_>| Some((t.get("token")?.as_str()?.to_owned(), t.get("logProbability")?.as_f64()?));
    chosen
        .iter()
        .zip(top)
        .map(|(chosen, top)| {
            let drawn = one(chosen)?;
            let mut top: Vec<(String, f64)> = top.get("candidates")?.as_array()?.iter().filter_map(one).collect();
            if !top.iter().any(|(text, _)| *text == drawn.0) {
                top.push(drawn.clone());
            }
            Some(Token { text: drawn.0, top })
        })
        .collect()
}
