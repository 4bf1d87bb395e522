//! The bytes of a request: pure, the same for the same question, without any key.

use super::{Chat, Content, Decide, DecideQuestion, Question, dialects};
use crate::judge::config::{Alias, Dialect};
use bytes::Bytes;
use serde_json::{Map, Value as Json};
use std::collections::HashSet;
use std::sync::Arc;

/// A request, ready but for its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    pub url: String,
    /// Without the one that carries the key.
    pub headers: &'static [(&'static str, &'static str)],
    /// JSON. Its keys stand in a fixed order.
    pub body: Bytes,
    /// What may be answered: the questions of a decision model by id, in order; a vector for each text; empty for a chat.
    pub asked: Arc<[(Arc<str>, Asked)]>,
    /// Tokens of the request, estimated: four bytes of text make one, an image 1,000.
    pub tokens: u64,
    /// Most tokens of the reply.
    pub max_tokens: u32,
}

/// What a decision model, or one that embeds, may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Predicate,
    /// The values of the options.
    Choice(Vec<String>),
    /// The levels as they were sent, from the lowest up.
    Score(Vec<String>),
    Vector,
}

/// Bytes of text that make a token, and tokens that an image makes: rough, as no tokenizer is asked.
const BYTES_PER_TOKEN: u64 = 4;
const TOKENS_PER_IMAGE: u64 = 1_000;

/// The request that asks a model a question.
///
/// # Errors
/// Where the dialect or the model cannot express the question: no text from a decision model, images, log-probabilities or a
/// temperature that it does not take, options without end.
pub fn render(alias: &Alias, question: &Question) -> Result<Rendered, String> {
    let fail = |why: String| format!("the model `{}` (`{}`) {why}", alias.name, alias.model);
    let (mut body, asked, tokens, max_tokens) = match (question, alias.dialect.decides()) {
        (Question::Chat(chat), false) if !alias.dialect.embeds() => {
            check_chat(alias, chat).map_err(fail)?;
            let max_tokens = chat.sampling.max_tokens.unwrap_or(alias.max_tokens);
            (dialects::chat(alias, chat).map_err(fail)?, Vec::new(), chat_tokens(chat), max_tokens)
        }
        (Question::Decide(decide), true) => {
            check_decide(alias, decide).map_err(fail)?;
            let body = dialects::decide(alias, decide).to_string().into_bytes();
            let tokens = body.len() as u64 / BYTES_PER_TOKEN;
            let asked = decide.questions.iter().map(|(id, q)| (Arc::clone(id), Asked::of(q))).collect();
            // Nothing is written: a few tokens for each answer.
            (body, asked, tokens, u32::try_from(decide.questions.len()).unwrap_or(u32::MAX).saturating_mul(10))
        }
        (Question::Embed(texts), false) if alias.dialect.embeds() => {
            if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
                return Err(fail("was given no text to make a vector of".to_owned()));
            }
            let body = dialects::embed(alias, texts).to_string().into_bytes();
            let tokens = body.len() as u64 / BYTES_PER_TOKEN;
            let asked = (0..texts.len()).map(|n| (Arc::from(n.to_string()), Asked::Vector)).collect();
            (body, asked, tokens, 0)
        }
        (Question::Embed(_), _) => return Err(fail("makes no vectors of texts".to_owned())),
        (Question::Chat(_), true) => return Err(fail("answers typed questions only and writes no text".to_owned())),
        (Question::Chat(_), false) => return Err(fail("turns texts into vectors and writes no text".to_owned())),
        (Question::Decide(_), false) => return Err(fail("is no decision model".to_owned())),
    };
    if !alias.extra.is_empty() {
        let cannot = |error: serde_json::Error| fail(format!("cannot be asked this: {error}"));
        let mut whole: Json = serde_json::from_slice(&body).map_err(cannot)?;
        merge(&mut whole, &alias.extra);
        body = serde_json::to_vec(&whole).map_err(cannot)?;
    }
    Ok(Rendered {
        url: url(alias),
        headers: headers(alias.dialect),
        body: body.into(),
        asked: asked.into(),
        tokens,
        max_tokens,
    })
}

impl Asked {
    fn of(question: &DecideQuestion) -> Asked {
        match question {
            DecideQuestion::Predicate { .. } => Asked::Predicate,
            DecideQuestion::Choice { options, .. } => Asked::Choice(options.iter().map(|(v, _)| v.clone()).collect()),
            DecideQuestion::Score { levels, .. } => {
                Asked::Score(levels.iter().map(|(l, d)| dialects::level(l, d)).collect())
            }
        }
    }
}

/// Where requests of an alias go. An address without a path gets the version that the dialect's own servers have.
fn url(alias: &Alias) -> String {
    let base = alias.base_url.trim_end_matches('/');
    // A request is rendered very often, so an address is taken apart only where it is unusual.
    let bare = match base.split_once("://") {
        Some((_, rest)) if !rest.contains(['?', '#', '\\']) => !rest.contains('/'),
        _ => reqwest::Url::parse(base).is_ok_and(|url| matches!(url.path(), "" | "/")),
    };
    let version = match alias.dialect {
        _ if !bare => "",
        Dialect::Gemini => "/v1beta",
        Dialect::Ollama => "",
        _ => "/v1",
    };
    match alias.dialect {
        Dialect::OpenAi => format!("{base}{version}/chat/completions"),
        Dialect::Anthropic => format!("{base}{version}/messages"),
        Dialect::Gemini => format!("{base}{version}/models/{}:generateContent", path_segment(&alias.model)),
        Dialect::Ollama => format!("{base}/api/chat"),
        Dialect::SystemOne => format!("{base}{version}/systemone"),
        Dialect::Decisions => format!("{base}{version}/decisions"),
        Dialect::Embeddings => format!("{base}{version}/embeddings"),
    }
}

/// The id of a model in a path: what could leave the segment is written as `%XX`.
fn path_segment(model: &str) -> String {
    use std::fmt::Write;
    let model = model.strip_prefix("models/").unwrap_or(model);
    model.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

fn headers(dialect: Dialect) -> &'static [(&'static str, &'static str)] {
    const ALL: [(&str, &str); 3] = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("anthropic-version", dialects::ANTHROPIC_VERSION),
    ];
    let [common @ .., _] = &ALL;
    if dialect == Dialect::Anthropic { &ALL } else { common }
}

fn check_chat(alias: &Alias, chat: &Chat) -> Result<(), String> {
    let can = &alias.capabilities;
    if chat.sampling.temperature.is_some() && !can.temperature {
        return Err("takes no `temperature`".to_owned());
    }
    match can.logprobs {
        None if chat.sampling.top_logprobs > 0 => return Err("gives no log-probabilities".to_owned()),
        Some(most) if chat.sampling.top_logprobs > most => {
            return Err(format!("gives the log-probabilities of at most {most} alternatives"));
        }
        _ => {}
    }
    let images = chat.shared.iter().chain(&chat.own).any(|c| matches!(c, Content::Image(_)));
    if images && !can.images {
        return Err("reads no images; if this one does, write `can = { images = true }` in `rubric.toml`".to_owned());
    }
    Ok(())
}

fn check_decide(alias: &Alias, decide: &Decide) -> Result<(), String> {
    let can = &alias.capabilities;
    if decide.questions.is_empty() {
        return Err("was asked nothing".to_owned());
    }
    if !matches!(decide.state, Json::String(_) | Json::Object(_) | Json::Array(_)) {
        return Err("takes a text, an object or a list as its state".to_owned());
    }
    let mut ids = HashSet::new();
    for (id, question) in &decide.questions {
        if id.is_empty() || !ids.insert(id) {
            return Err(format!("was asked two questions of one id, or of an empty one (`{id}`)"));
        }
        let (values, what, most): (Vec<&String>, _, _) = match question {
            DecideQuestion::Predicate { .. } => continue,
            DecideQuestion::Choice { options, .. } => {
                (options.iter().map(|(v, _)| v).collect(), "options", can.options)
            }
            DecideQuestion::Score { levels, .. } => (levels.iter().map(|(l, _)| l).collect(), "levels", can.levels),
        };
        if !(2..=usize::from(most)).contains(&values.len()) {
            return Err(format!("takes 2 to {most} {what}, and there are {}", values.len()));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = values.into_iter().find(|v| !seen.insert(v.as_str())) {
            return Err(format!("was given one of the {what} twice (`{twice}`)"));
        }
    }
    Ok(())
}

fn chat_tokens(chat: &Chat) -> u64 {
    let mut bytes = chat.system.len() + chat.schema.text().len();
    bytes += chat.again.iter().map(|(reply, said)| reply.len() + said.len()).sum::<usize>();
    let mut images = 0;
    for content in chat.shared.iter().chain(&chat.own) {
        match content {
            Content::Text(text) => bytes += text.len(),
            Content::Image(_) => images += 1,
        }
    }
    bytes as u64 / BYTES_PER_TOKEN + images * TOKENS_PER_IMAGE
}

/// Puts what the alias adds into a body; objects are joined, everything else is replaced.
fn merge(body: &mut Json, extra: &Map<String, Json>) {
    let Json::Object(body) = body else { return };
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            // At most as deep as configuration may nest.
            (Some(old @ Json::Object(_)), Json::Object(new)) => merge(old, new),
            _ => {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}
