//! The replies of servers, good and bad, in every dialect.

pub use super::answers::Dialect;
use super::{Behaviour, Request};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// What a server says to a text that ended by itself.
pub fn text_reply(dialect: Dialect, text: &str) -> Json {
    chat(dialect, text, "stop", "end_turn", "STOP")
}

/// A text that ended for another reason, in each dialect's word for it.
fn chat(dialect: Dialect, text: &str, openai: &str, anthropic: &str, gemini: &str) -> Json {
    match dialect {
        Dialect::OpenAi => json!({
            "id": "c1", "object": "chat.completion", "model": "served-1",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": openai}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}},
        }),
        Dialect::Anthropic => json!({
            "id": "m1", "type": "message", "role": "assistant", "model": "served-1",
            "content": [{"type": "text", "text": text}], "stop_reason": anthropic,
            "usage": {"input_tokens": 30, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 10, "output_tokens": 10},
        }),
        Dialect::Gemini => json!({
            "modelVersion": "served-1",
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": gemini, "index": 0}],
            "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7, "thoughtsTokenCount": 3},
        }),
        Dialect::Ollama => json!({
            "model": "served-1", "message": {"role": "assistant", "content": text}, "done": true, "done_reason": openai,
            "prompt_eval_count": 100, "eval_count": 10,
        }),
        Dialect::SystemOne | Dialect::Decisions | Dialect::Embeddings => panic!("such a model writes no text"),
    }
}

/// The model declines.
pub fn refusal(request: &Request) -> Behaviour {
    let dialect = request.dialect();
    Behaviour::json(&match dialect {
        Dialect::OpenAi => {
            let mut reply = text_reply(dialect, "");
            reply["choices"][0]["message"] =
                json!({"role": "assistant", "content": null, "refusal": "I can't help with that."});
            reply
        }
        Dialect::Anthropic => chat(dialect, "", "", "refusal", ""),
        Dialect::Gemini => return filtered(request),
        Dialect::Ollama => return request.answer("I can't help with that."),
        Dialect::SystemOne => {
            let answers: serde_json::Map<String, Json> = request.json["questions"]
                .as_object()
                .unwrap()
                .keys()
                .map(|id| (id.clone(), json!({"type": "refusal"})))
                .collect();
            json!({"model": "decider-1.0", "answers": answers, "usage": {"input_tokens": 100, "output_tokens": 0}})
        }
        Dialect::Embeddings => {
            return Behaviour::status(
                400,
                &json!({"error": {"code": "invalid_request", "message": "I can't help with that."}}),
            );
        }
        Dialect::Decisions => {
            let questions = request.json["questions"].as_array().unwrap();
            let answers: Vec<Json> = questions.iter().map(|q| json!({"type": "refusal", "name": q["name"]})).collect();
            json!({"model": "decider-1.0", "answers": answers, "usage": {"input_tokens": 100, "output_tokens": 0}})
        }
    })
}

/// A filter holds the reply back.
pub fn filtered(request: &Request) -> Behaviour {
    match request.dialect() {
        Dialect::Gemini => Behaviour::json(
            &json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 100}}),
        ),
        Dialect::OpenAi => Behaviour::json(&chat(Dialect::OpenAi, "", "content_filter", "", "")),
        _ => Behaviour::status(400, &json!({"error": {"code": "content_filter", "message": "held back"}})),
    }
}

/// The reply ends at its limit of tokens, in the middle of `text`.
pub fn truncated(request: &Request, text: &str) -> Behaviour {
    Behaviour::json(&chat(request.dialect(), text, "length", "max_tokens", "MAX_TOKENS"))
}

/// JSON that the dialect does not know.
pub fn malformed() -> Behaviour {
    Behaviour::json(&json!({"answer": "yes", "score": 1}))
}

/// What is no JSON at all.
pub fn no_json() -> Behaviour {
    let body = b"<html><body><h1>It works!</h1></body></html>".to_vec();
    Behaviour::Reply { status: 200, headers: vec![("content-type".to_owned(), "text/html".to_owned())], body }
}

/// Too many requests; with the headers of one style or another.
pub fn rate_limited(headers: &[(&str, &str)]) -> Behaviour {
    Behaviour::status(
        429,
        &json!({"error": {"type": "rate_limit_error", "code": "rate_limit_exceeded", "message": "slow down"}}),
    )
    .with(headers)
}

/// Too many requests, because no credit is left.
pub fn no_credit(request: &Request) -> Behaviour {
    match request.dialect() {
        Dialect::Anthropic => Behaviour::status(
            400,
            &json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low."}}),
        ),
        Dialect::Gemini => Behaviour::status(
            429,
            &json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota",
                "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}, {"retryDelay": "3s"}]}}),
        ),
        _ => Behaviour::status(
            429,
            &json!({"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota"}}),
        ),
    }
}

/// The server fails.
pub fn failing() -> Behaviour {
    Behaviour::Reply { status: 500, headers: Vec::new(), body: b"Internal Server Error".to_vec() }
}

/// The server fails over a field, as it will every time.
pub fn failing_over_field() -> Behaviour {
    Behaviour::status(
        500,
        &json!({"error": {"message": "Unsupported param: response_format json_schema", "type": "server_error"}}),
    )
}

/// The server is overloaded.
pub fn overloaded() -> Behaviour {
    Behaviour::status(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
}

/// An error with status 200.
pub fn error_in_200(code: u16) -> Behaviour {
    Behaviour::json(&json!({"error": {"code": code, "message": "Provider returned error"}}))
}

/// The key is wrong, and said back.
pub fn wrong_key(request: &Request) -> Behaviour {
    let key = ["authorization", "x-api-key", "x-goog-api-key"].iter().find_map(|h| request.headers.get(*h)).cloned();
    Behaviour::status(
        401,
        &json!({"error": {"type": "authentication_error", "message": format!("wrong key: {}", key.unwrap_or_default())}}),
    )
}

/// A reply that comes too slowly.
pub fn drip(request: &Request, text: &str, apart: Duration) -> Behaviour {
    Behaviour::Drip { body: text_reply(request.dialect(), text).to_string().into_bytes(), apart }
}

/// A reply whose connection breaks off before its end.
pub fn cut_off(request: &Request, text: &str) -> Behaviour {
    let body = text_reply(request.dialect(), text).to_string().into_bytes();
    Behaviour::CutOff { body: body[..body.len() / 2].to_vec(), missing: body.len() - body.len() / 2 }
}
