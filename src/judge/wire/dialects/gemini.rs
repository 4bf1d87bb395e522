//! `generateContent` of Google's Gemini.

use super::super::read::{Outcome, Reading, Stop};
use super::super::{Chat, Content, FailureKind, Token};
use super::{Image, binds, count, image, seed, set, temperature, text, usage};
use crate::judge::config::Alias;
use serde_json::{Value as Json, json};

pub(super) fn body(alias: &Alias, chat: &Chat) -> Result<Json, String> {
    let parts = chat.shared.iter().chain(&chat.own).map(part).collect::<Result<Vec<_>, _>>()?;
    let mut contents = vec![json!({"role": "user", "parts": parts})];
    for (reply, said) in &chat.again {
        contents.push(json!({"role": "model", "parts": [{"text": reply}]}));
        contents.push(json!({"role": "user", "parts": [{"text": said}]}));
    }
    let mut config = json!({"maxOutputTokens": chat.sampling.max_tokens.unwrap_or(alias.max_tokens)});
    if binds(alias, chat) {
        set(&mut config, "responseMimeType", json!("application/json"));
        set(&mut config, "responseJsonSchema", chat.schema.clone());
    }
    if let Some(temperature) = temperature(alias, chat) {
        set(&mut config, "temperature", temperature);
    }
    if let Some(seed) = seed(alias, chat) {
        set(&mut config, "seed", seed);
    }
    if chat.sampling.top_logprobs > 0 {
        set(&mut config, "responseLogprobs", Json::Bool(true));
        set(&mut config, "logprobs", Json::from(chat.sampling.top_logprobs));
    }
    Ok(json!({
        "systemInstruction": {"parts": [{"text": &*chat.system}]},
        "contents": contents,
        "generationConfig": config,
    }))
}

fn part(content: &Content) -> Result<Json, String> {
    Ok(match content {
        Content::Text(text) => json!({"text": &**text}),
        Content::Image(given) => match image(given)? {
            Image::Data(media, data) => json!({"inlineData": {"mimeType": media, "data": data}}),
            Image::Address(url) => json!({"fileData": {"fileUri": url}}),
        },
    })
}

pub(super) fn read(reply: &Json) -> Outcome {
    let used = reply.get("usageMetadata");
    let written = count(used, &["candidatesTokenCount"]).saturating_add(count(used, &["thoughtsTokenCount"]));
    let usage = usage(count(used, &["promptTokenCount"]), count(used, &["cachedContentTokenCount"]), 0, written);
    let read = Reading::new(reply.get("modelVersion"), usage);
    if let Some(reason) = reply.get("promptFeedback").and_then(|f| f.get("blockReason")?.as_str()) {
        return read.fail(FailureKind::Filtered, &format!("the request was blocked: {reason}"));
    }
    let Some([candidate]) = reply.get("candidates").and_then(Json::as_array).map(Vec::as_slice) else {
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
        .filter(|part| part.get("thought").and_then(Json::as_bool) != Some(true))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    if whole.trim().is_empty() {
        return read.fail(FailureKind::Malformed, "the reply holds no text");
    }
    read.answer(text(whole, tokens(candidate).unwrap_or_default()))
}

fn tokens(candidate: &Json) -> Option<Vec<Token>> {
    let result = candidate.get("logprobsResult")?;
    let chosen = result.get("chosenCandidates")?.as_array()?;
    let top = result.get("topCandidates")?.as_array()?;
    let one = |t: &Json| Some((t.get("token")?.as_str()?.to_owned(), t.get("logProbability")?.as_f64()?));
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
