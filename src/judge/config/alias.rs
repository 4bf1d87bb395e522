//! What an alias stands for: a model on a server, how it may be asked and what it costs.

use super::capabilities::{Capabilities, Needs};
use crate::judge::wire::Usage;
use crate::number::Number;
use serde_json::{Map, Value as Json};
use std::time::Duration;

/// A model under the name that programs use.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    pub name: String,
    pub dialect: Dialect,
    /// The server, without a slash at the end. Holds no secrets: user names, passwords and queries are refused.
    pub base_url: String,
    /// The id of the model, as the server knows it.
    pub model: String,
    /// The *name* of the variable of the environment that holds the key; `None`: the server needs none.
    pub key: Option<String>,
    pub limits: Limits,
    /// `None`: not said; a budget in money cannot be kept then.
    pub price: Option<Price>,
    pub capabilities: Capabilities,
    /// Most tokens of a reply, unless a criterion says otherwise.
    pub max_tokens: u32,
    /// `None`: the server's own.
    pub temperature: Option<Number>,
    /// Put into every request body as it stands, for what a server knows and this crate does not (`reasoning_effort`, …).
    pub extra: Map<String, Json>,
}

impl Alias {
    /// Whether a criterion that has these needs can ask this model.
    ///
    /// # Errors
    /// Everything that the model cannot do, and what to do about it, in one sentence.
    pub fn check(&self, needs: &Needs) -> Result<(), String> {
        if self.dialect.embeds() {
            return Err(format!(
                "the model `{}` (`{}`) turns texts into vectors and judges nothing; name another model",
                self.name, self.model
            ));
        }
        self.capabilities.check(needs).map_err(|cannot| {
            format!(
                "the model `{}` (`{}`) {cannot}; use another model, or correct `can` below `[models.{}]` in `rubric.toml` if it \
                 is wrong about this one",
                self.name, self.model, self.name
            )
        })
    }
}

/// The language that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `/chat/completions`, of OpenAI and of every compatible server (vLLM, llama.cpp, OpenRouter, LiteLLM, …).
    OpenAi,
    /// `/v1/messages` of Anthropic.
    Anthropic,
    /// `models/…:generateContent` of Google.
    Gemini,
    /// `/api/chat` of Ollama.
    Ollama,
    /// `/v1/systemone`: decision models.
    SystemOne,
    /// `/v1/decisions`: decision models, in OpenAI's form.
    Decisions,
    /// `/embeddings`, of OpenAI and of every compatible server: vectors of texts, no text and no judgments.
    Embeddings,
}

impl Dialect {
    pub const ALL: [Dialect; 7] = [
        Dialect::OpenAi,
        Dialect::Anthropic,
        Dialect::Gemini,
        Dialect::Ollama,
        Dialect::SystemOne,
        Dialect::Decisions,
        Dialect::Embeddings,
    ];

    /// The word for it in `rubric.toml`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Dialect::OpenAi => "openai",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Ollama => "ollama",
            Dialect::SystemOne => "systemone",
            Dialect::Decisions => "decisions",
            Dialect::Embeddings => "embeddings",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|d| d.word() == word)
    }

    /// The provider's own server, asked where `base_url` is not given.
    #[must_use]
    pub fn base_url(self) -> &'static str {
        match self {
            Dialect::OpenAi | Dialect::Decisions | Dialect::Embeddings => "https://api.openai.com/v1",
            Dialect::Anthropic => "https://api.anthropic.com/v1",
            Dialect::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Dialect::Ollama => "http://localhost:11434",
            Dialect::SystemOne => "https://api.typesafe.ai/v1",
        }
    }

    /// The variable that usually holds the key of the provider's own server.
    #[must_use]
    pub fn key(self) -> Option<&'static str> {
        match self {
            Dialect::OpenAi | Dialect::Decisions | Dialect::Embeddings => Some("OPENAI_API_KEY"),
            Dialect::Anthropic => Some("ANTHROPIC_API_KEY"),
            Dialect::Gemini => Some("GEMINI_API_KEY"),
            Dialect::Ollama => None,
            Dialect::SystemOne => Some("TYPESAFE_API_KEY"),
        }
    }

    /// Whether it asks typed questions and is answered by probabilities, without text.
    #[must_use]
    pub fn decides(self) -> bool {
        matches!(self, Dialect::SystemOne | Dialect::Decisions)
    }

    /// Whether it turns texts into vectors and does nothing else.
    #[must_use]
    pub fn embeds(self) -> bool {
        self == Dialect::Embeddings
    }
}

/// How hard a server may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most requests at once. Fewer are sent while the server says that it is too busy.
    pub concurrency: u32,
    pub requests_per_minute: Option<u32>,
    /// Of request and reply, estimated before the request goes out.
    pub tokens_per_minute: Option<u64>,
    /// For one request, from connecting to the last byte of its reply.
    pub timeout: Duration,
    /// How often a request is sent again that failed and may succeed later.
    pub retries: u32,
    /// The longest that a server may make this client wait before a request is sent again; where it asks for more, the
    /// judgment is missing.
    pub max_wait: Duration,
    /// The most bytes of a reply that are read.
    pub max_reply: u64,
}

/// Most tokens of a reply where neither file nor criterion says: room for the hidden reasoning of today's models.
pub(super) const MAX_TOKENS: u32 = 4096;

impl Limits {
    /// The usual ones of a dialect.
    #[must_use]
    pub fn of(dialect: Option<Dialect>) -> Limits {
        // An Ollama answers few at once and lets the others wait, until they run out of time.
        let concurrency = if dialect == Some(Dialect::Ollama) { 4 } else { 64 };
        Limits {
            concurrency,
            requests_per_minute: None,
            tokens_per_minute: None,
            timeout: Duration::from_secs(120),
            retries: 5,
            max_wait: Duration::from_secs(120),
            max_reply: 16 * 1024 * 1024,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::of(None)
    }
}

/// What a million tokens cost, in whatever currency the price list is written in.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub input: Number,
    /// Tokens of a request that the server had in its cache; without it in the file, as `input`.
    pub cached_input: Number,
    /// Tokens of a request that the server wrote into its cache; without it in the file, as `input`.
    pub cache_write: Number,
    pub output: Number,
}

impl Price {
    /// What a request cost. Of its input, what was read from the cache or written into it is counted at those prices only.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Number {
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_written.min(usage.input - cached);
        let plain = usage.input - cached - written;
        let parts = [
            (plain, &self.input),
            (cached, &self.cached_input),
            (written, &self.cache_write),
            (usage.output, &self.output),
        ];
        let total = parts.into_iter().fold(Number::default(), |sum, (tokens, price)| sum + &tokens_of(tokens) * price);
        total.checked_div(&tokens_of(1_000_000)).unwrap_or_default()
    }
}

/// A count of tokens as a number. More than 9 · 10¹⁸ tokens count as that many.
fn tokens_of(count: u64) -> Number {
    Number::from(i64::try_from(count).unwrap_or(i64::MAX))
}
