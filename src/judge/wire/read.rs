//! From the bytes of a reply of status 200 to a [`Reply`], or to why there is none.

use super::failure::{Trouble, in_body};
use super::value::Value;
use super::{Answer, Diagnostics, Failure, FailureKind, Rendered, Reply, Usage, dialects};
use crate::judge::config::Alias;

/// What becomes of a reply.
pub(super) type Outcome = Result<Reply, Failure>;

/// The most characters of what a server says that are kept.
pub(super) const LONGEST_DETAIL: usize = 300;

/// Reads the body of a reply of status 200 to a request.
///
/// # Errors
/// Where it holds an error, is cut off, refused, filtered, or not what the dialect says that it is.
pub fn read(alias: &Alias, rendered: &Rendered, body: &[u8]) -> Result<Reply, Failure> {
    whole(alias, rendered, body).map_err(|trouble| trouble.failure)
}

/// The same, with whether sending the request again may help.
pub(super) fn whole(alias: &Alias, rendered: &Rendered, body: &[u8]) -> Result<Reply, Trouble> {
    let json: Value<'_> = match serde_json::from_slice(body) {
        Ok(json) => json,
        Err(_) => {
            let start = shown(&String::from_utf8_lossy(body.get(..2_000).unwrap_or(body)));
            let detail = if start.is_empty() {
                "the reply is empty".to_owned()
            } else {
                format!("the reply is no JSON: {start}")
            };
            return Err(Trouble::for_good(Failure::new(FailureKind::Malformed, detail)));
        }
    };
    if let Some(trouble) = in_body(&json) {
        return Err(trouble);
    }
    let mut reply = dialects::read(alias, rendered, &json).map_err(|mut failure| {
        estimate(&mut failure.usage, rendered, 0);
        Trouble::for_good(failure)
    })?;
    if reply.model.is_empty() {
        reply.model.clone_from(&alias.model);
    }
    let written = match &reply.answer {
        Answer::Text { text, .. } => text.len(),
        Answer::Decisions(_) | Answer::Vectors(_) => 0,
    };
    estimate(&mut reply.usage, rendered, written);
    Ok(reply)
}

/// A server that does not count is not one that is free: the estimate stands in.
fn estimate(usage: &mut Usage, rendered: &Rendered, written: usize) {
    if *usage == Usage::default() {
        usage.input = rendered.tokens;
        usage.output = written as u64 / 4;
    }
}

/// What a dialect reads of every reply before it looks for the answer.
pub(super) struct Reading {
    model: String,
    usage: Usage,
}

impl Reading {
    pub(super) fn new(model: Option<&Value<'_>>, usage: Usage) -> Reading {
        let model: String = model.and_then(Value::as_str).unwrap_or_default().chars().take(200).collect();
        Reading { model, usage }
    }

    pub(super) fn answer(self, answer: Answer) -> Outcome {
        self.diagnosed(answer, Diagnostics::new())
    }

    pub(super) fn diagnosed(self, answer: Answer, diagnostics: Diagnostics) -> Outcome {
        Ok(Reply { model: self.model, usage: self.usage, answer, diagnostics })
    }

    pub(super) fn fail(self, kind: FailureKind, detail: &str) -> Outcome {
        Err(Failure { kind, detail: shown(detail), usage: self.usage })
    }

    /// The failure of a reply that did not end by itself.
    pub(super) fn stopped(self, stop: &Stop) -> Outcome {
        match stop {
            Stop::Truncated => self.fail(
                FailureKind::Truncated,
                "the reply reached its limit of tokens before it was finished; set a higher `max_tokens`",
            ),
            Stop::Filtered(word) => self.fail(FailureKind::Filtered, &format!("the reply was held back: {word}")),
            Stop::Refused => self.fail(FailureKind::Refused, "the model declined to answer"),
            Stop::Whole => self.fail(FailureKind::Malformed, "the reply cannot be read"),
            Stop::Other(word) => {
                self.fail(FailureKind::Malformed, &format!("the reply ended for a reason that is not known: {word}"))
            }
        }
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// It was finished.
    Whole,
    Truncated,
    /// By a filter, with its word.
    Filtered(String),
    Refused,
    /// By a word that is not known, or without one.
    Other(String),
}

impl Stop {
    pub(super) fn of(reason: Option<&Value<'_>>) -> Stop {
        let Some(word) = reason.and_then(Value::as_str) else { return Stop::Other("none is given".to_owned()) };
        match word.to_ascii_lowercase().as_str() {
            "stop" | "end_turn" | "stop_sequence" | "eos" | "complete" => Stop::Whole,
            "length" | "max_tokens" | "model_context_window_exceeded" | "model_length" => Stop::Truncated,
            "refusal" => Stop::Refused,
            "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" | "spii"
            | "image_safety" | "sensitive" => Stop::Filtered(word.to_owned()),
            _ => Stop::Other(word.to_owned()),
        }
    }
}

/// A server's words in one line, without control characters, not too long.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= LONGEST_DETAIL {
                out.push('…');
                return out;
            }
            let harmful = c.is_control()
                || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
            out.push(if harmful { char::REPLACEMENT_CHARACTER } else { c });
            count += 1;
        }
    }
    out
}
