//! Reading `rubric.toml`: every key known, every value of its kind and in its range, or a fault with its place.
//!
//! The tree keeps the text of numbers, so a price of `0.15` is exactly that. Faults are gathered and told together.

use super::alias::{Alias, Dialect, Limits, Price};
use super::capabilities::Capabilities;
use super::error::{ConfigError, Problem, is_variable};
use super::{Config, Origin, Verifier, units};
use crate::number::Number;
use crate::source::files::read_text;
use crate::source::{ReadError, did_you_mean};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'a> = Spanned<DeValue<'a>>;

const TOP: [&str; 2] = ["models", "verifiers"];
pub(super) const MODEL: [&str; 16] = [
    "dialect",
    "model",
    "base_url",
    "key",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout",
    "retries",
    "max_wait",
    "max_reply",
    "max_tokens",
    "temperature",
    "price",
    "can",
    "extra",
];
pub(super) const PRICE: [&str; 4] = ["input", "cached_input", "cache_write", "output"];
pub(super) const CAN: [&str; 5] = ["structured", "logprobs", "temperature", "seed", "images"];
pub(super) const VERIFIER: [&str; 6] = ["command", "timeout", "max_output", "allow", "store", "reads"];

/// Objects in `extra` nest at most this deep.
const DEEPEST: usize = 20;
/// Most tokens of a reply that can be asked for.
const MOST_TOKENS: u32 = 1_000_000;

/// Reads the file. One without any text is one that says nothing.
pub(super) fn file(path: &Path) -> Result<Config, ConfigError> {
    let name = path.display().to_string();
    match read_text(path, &name) {
        Ok(found) => text(path, &found),
        Err(ReadError::Empty { .. }) => text(path, ""),
        Err(error) => Err(ConfigError::of("the configuration", error.to_string(), Some(error.what_to_do()))),
    }
}

/// Reads the text of a file that stands at `path`.
pub(super) fn text(path: &Path, text: &str) -> Result<Config, ConfigError> {
    let name = path.display().to_string();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fail = |problems| Err(ConfigError::in_file(&name, text, problems));
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let help = "the file is TOML: `[models.NAME]`, then lines `key = value`, texts in quotes";
        return fail(
            errors
                .iter()
                .take(20)
                .map(|e| Problem { message: e.message().to_owned(), help: Some(help.to_owned()), span: e.span() })
                .collect(),
        );
    }
    let mut reader = Reader { problems: Vec::new() };
    let mut config = Config::default();
    let root = root.get_ref();
    reader.known(root, &TOP, "the file");
    for (name, table) in reader.tables(root, "models") {
        if let Some(alias) = reader.model(name, table) {
            config.aliases.insert(name.to_owned(), Arc::new(alias));
        }
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for (name, table) in reader.tables(root, "verifiers") {
        if let Some(verifier) = reader.verifier(name, table, folder) {
            config.verifiers.insert(name.to_owned(), verifier);
        }
    }
    if !reader.problems.is_empty() {
        return fail(reader.problems);
    }
    config.origin = if config.aliases.is_empty() { Origin::Nothing } else { Origin::File };
    Ok(config)
}

struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, span: std::ops::Range<usize>, message: String, help: impl Into<Option<&'static str>>) {
        self.problems.push(Problem { message, help: help.into().map(str::to_owned), span: Some(span) });
    }

    /// Tells keys that nobody reads.
    fn known(&mut self, table: &DeTable<'_>, known: &[&str], what: &str) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let hint = match did_you_mean(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("{what} may have {}", list(known)),
            };
            self.problem(key.span(), format!("`{name}` is not known here: {hint}"), None);
        }
    }

    /// The named tables below a key: `[models.quick]`.
    fn tables<'t, 'a>(&mut self, root: &'t DeTable<'a>, key: &str) -> Vec<(&'t str, &'t Value<'a>)> {
        let Some(value) = root.get(key) else { return Vec::new() };
        let Some(table) = value.get_ref().as_table() else {
            self.problem(value.span(), format!("`{key}` has a table for each name: `[{key}.NAME]`"), None);
            return Vec::new();
        };
        let mut found = Vec::new();
        for (name, value) in table {
            let fine = !name.get_ref().is_empty()
                && name.get_ref().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
            if !fine {
                let message = format!("`{}` is no name: letters, digits, `_`, `-` and `.`", name.get_ref());
                self.problem(name.span(), message, None);
            } else if value.get_ref().as_table().is_none() {
                let message = format!("`{}` is a table: write `[{key}.{0}]` and its keys below", name.get_ref());
                self.problem(value.span(), message, None);
            } else {
                found.push((name.get_ref().as_ref(), value));
            }
        }
        found
    }

    fn model(&mut self, name: &str, value: &Value<'_>) -> Option<Alias> {
        let before = self.problems.len();
        let table = value.get_ref().as_table()?;
        self.known(table, &MODEL, "a model");
        let dialect = match table.get("dialect") {
            None => {
                let message = format!("`[models.{name}]` does not say its `dialect`");
                self.problem(
                    value.span(),
                    message,
                    "dialect = \"openai\", \"anthropic\", \"gemini\", \"ollama\", \"systemone\", \"decisions\" or \"embeddings\"",
                );
                None
            }
            Some(given) => self.dialect(given),
        };
        let model = self.text(table, "model").filter(|m| !m.is_empty());
        if model.is_none() && !table.get("model").is_some_and(|m| m.get_ref().is_str()) {
            let message = format!("`[models.{name}]` does not say its `model`");
            self.problem(value.span(), message, "model = the id that the provider gives it");
        }
        let base_url = self.base_url(table);
        if let (Some(Dialect::Ollama), Some(url)) = (dialect, &base_url)
            && url.ends_with("/v1")
        {
            let span = table.get("base_url").map_or(0..0, Spanned::span);
            self.problem(
                span,
                "Ollama's own interface is not below `/v1`".to_owned(),
                "leave `/v1` out, or use its interface for the dialect \"openai\"",
            );
        }
        let key = self.key(table);
        let limits = self.limits(table, dialect);
        let max_tokens = self.whole(table, "max_tokens", 1, MOST_TOKENS.into());
        let temperature = self.number(table, "temperature", Some(2));
        let price = self.price(table);
        let (dialect, model) = (dialect?, model?);
        let mut capabilities = Capabilities::of(dialect, &model);
        self.can(table, &mut capabilities);
        if temperature.is_some() && !capabilities.temperature {
            let span = table.get("temperature").map_or(value.span(), Spanned::span);
            self.problem(
                span,
                format!("`{model}` takes no `temperature`"),
                "leave it out, or write `can = { temperature = true }` if this model takes one",
            );
        }
        let extra = self.extra(table);
        // The key of the provider goes to the provider's own server only; elsewhere the file has to say that it may.
        let key = match key {
            Some(key) => Some(key),
            None if base_url.is_none() => dialect.key().map(str::to_owned),
            None => None,
        };
        (self.problems.len() == before).then(|| Alias {
            name: name.to_owned(),
            dialect,
            base_url: base_url.unwrap_or_else(|| dialect.base_url().to_owned()),
            model,
            key,
            limits,
            price,
            capabilities,
            max_tokens: max_tokens.and_then(|n| u32::try_from(n).ok()).unwrap_or(super::alias::MAX_TOKENS),
            temperature,
            extra,
        })
    }

    fn dialect(&mut self, value: &Value<'_>) -> Option<Dialect> {
        let word = value.get_ref().as_str().unwrap_or_default();
        let found = Dialect::from_word(word);
        if found.is_none() {
            let words = Dialect::ALL.map(Dialect::word);
            let hint = match did_you_mean(word, words) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("it is one of {}", list(&words)),
            };
            self.problem(
                value.span(),
                format!("`dialect` is not known: {hint}"),
                "servers that are compatible with OpenAI (vLLM, llama.cpp, OpenRouter, LiteLLM, …) have the dialect \"openai\" \
                 and a `base_url`",
            );
        }
        found
    }

    fn base_url(&mut self, table: &DeTable<'_>) -> Option<String> {
        let text = self.text(table, "base_url")?;
        match check_url(&text) {
            Ok(url) => Some(url),
            Err(why) => {
                let span = table.get("base_url").map_or(0..0, Spanned::span);
                self.problem(span, format!("`base_url` {why}"), "for example \"http://localhost:8000/v1\"");
                None
            }
        }
    }

    fn key(&mut self, table: &DeTable<'_>) -> Option<String> {
        let text = self.text(table, "key")?;
        if !is_variable(&text) {
            let span = table.get("key").map_or(0..0, Spanned::span);
            let problem = Problem {
                message: "`key` is the name of a variable of the environment, never the key itself".to_owned(),
                help: Some("write `key = \"OPENAI_API_KEY\"`, and set that variable where you run `rubric`".to_owned()),
                span: Some(span),
            };
            self.problems.push(problem);
            return None;
        }
        Some(text)
    }

    fn limits(&mut self, table: &DeTable<'_>, dialect: Option<Dialect>) -> Limits {
        let usual = Limits::of(dialect);
        let small = |n: Option<u64>| n.and_then(|n| u32::try_from(n).ok());
        Limits {
            concurrency: small(self.whole(table, "concurrency", 1, 10_000)).unwrap_or(usual.concurrency),
            requests_per_minute: small(self.whole(table, "requests_per_minute", 1, 10_000_000)),
            tokens_per_minute: self.whole(table, "tokens_per_minute", 1, 1_000_000_000_000),
            timeout: self.duration(table, "timeout").unwrap_or(usual.timeout),
            retries: small(self.whole(table, "retries", 0, 20)).unwrap_or(usual.retries),
            max_wait: self.duration(table, "max_wait").unwrap_or(usual.max_wait),
            max_reply: self.size(table, "max_reply").unwrap_or(usual.max_reply),
        }
    }

    fn price(&mut self, table: &DeTable<'_>) -> Option<Price> {
        let value = table.get("price")?;
        let Some(price) = value.get_ref().as_table() else {
            self.problem(
                value.span(),
                "`price` is a table".to_owned(),
                "write `price = { input = 0.15, output = 0.60 }`: what a million tokens cost",
            );
            return None;
        };
        self.known(price, &PRICE, "a price");
        let (input, output) = (self.number(price, "input", None), self.number(price, "output", None));
        let cached_input = self.number(price, "cached_input", None);
        let cache_write = self.number(price, "cache_write", None);
        for key in ["input", "output"] {
            if !price.contains_key(key) {
                self.problem(value.span(), format!("`price` does not say `{key}`"), None);
            }
        }
        let input = input?;
        Some(Price {
            cached_input: cached_input.unwrap_or_else(|| input.clone()),
            cache_write: cache_write.unwrap_or_else(|| input.clone()),
            output: output?,
            input,
        })
    }

    fn can(&mut self, table: &DeTable<'_>, capabilities: &mut Capabilities) {
        let Some(value) = table.get("can") else { return };
        let Some(can) = value.get_ref().as_table() else {
            self.problem(value.span(), "`can` is a table".to_owned(), "write `can = { images = true, logprobs = 20 }`");
            return;
        };
        self.known(can, &CAN, "`can`");
        if capabilities.decision && !can.is_empty() {
            let message = "what a decision model can do is fixed by its dialect".to_owned();
            self.problem(value.span(), message, "leave `can` out");
        }
        for (key, field) in [
            ("structured", &mut capabilities.structured),
            ("temperature", &mut capabilities.temperature),
            ("seed", &mut capabilities.seed),
            ("images", &mut capabilities.images),
        ] {
            if let Some(given) = self.flag(can, key) {
                *field = given;
            }
        }
        if can.get("logprobs").is_some_and(|v| v.get_ref().as_bool() == Some(false)) {
            capabilities.logprobs = None;
        } else if let Some(most) = self.whole(can, "logprobs", 0, 100) {
            capabilities.logprobs = u8::try_from(most).ok().filter(|n| *n > 0);
        }
    }

    fn verifier(&mut self, name: &str, value: &Value<'_>, folder: &Path) -> Option<Verifier> {
        let before = self.problems.len();
        let table = value.get_ref().as_table()?;
        self.known(table, &VERIFIER, "a verifier");
        let usual = "command = [\"python3\", \"verify.py\"]: the program, then its arguments";
        let command = match table.get("command") {
            None => {
                self.problem(value.span(), format!("`[verifiers.{name}]` does not say its `command`"), usual);
                None
            }
            Some(given) => {
                let words = texts(given.get_ref()).filter(|w| w.first().is_some_and(|program| !program.is_empty()));
                if words.is_none() {
                    self.problem(given.span(), "`command` is a list of texts".to_owned(), usual);
                }
                words
            }
        };
        let timeout = self.duration(table, "timeout").unwrap_or(Duration::from_secs(30));
        let max_output = self.size(table, "max_output").unwrap_or(1_000_000);
        let allow = self.flag(table, "allow").unwrap_or(false);
        let store = self.flag(table, "store").unwrap_or(false);
        let reads = match table.get("reads") {
            None => Vec::new(),
            Some(given) => texts(given.get_ref()).unwrap_or_else(|| {
                let usual = "reads = [\"rules.json\", \"lib\"]: files and folders beside the program and its arguments";
                self.problem(given.span(), "`reads` is a list of texts".to_owned(), usual);
                Vec::new()
            }),
        };
        let command = command?;
        (self.problems.len() == before).then(|| Verifier {
            command,
            folder: folder.to_owned(),
            timeout,
            max_output,
            allow,
            store,
            reads: reads.into_iter().map(PathBuf::from).collect(),
        })
    }

    fn extra(&mut self, table: &DeTable<'_>) -> Map<String, Json> {
        let Some(value) = table.get("extra") else { return Map::new() };
        match value.get_ref().as_table().and_then(|_| json(value.get_ref(), DEEPEST)) {
            Some(Json::Object(map)) => {
                const OURS: [&str; 9] = [
                    "model",
                    "messages",
                    "contents",
                    "system",
                    "state",
                    "questions",
                    "input",
                    "response_format",
                    "stream",
                ];
                if let Some(key) = OURS.iter().find(|key| map.contains_key(**key)) {
                    let message = format!("`extra` cannot set `{key}`: that is what a request asks");
                    self.problem(value.span(), message, None);
                }
                map
            }
            _ => {
                let message = "`extra` is a table of what is put into every request".to_owned();
                self.problem(value.span(), message, "write `extra = { reasoning_effort = \"low\" }`");
                Map::new()
            }
        }
    }

    fn text(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let value = table.get(key)?;
        match value.get_ref().as_str() {
            Some(text) => Some(text.trim().to_owned()),
            None => {
                self.problem(value.span(), format!("`{key}` is a text in quotes"), None);
                None
            }
        }
    }

    fn flag(&mut self, table: &DeTable<'_>, key: &str) -> Option<bool> {
        let value = table.get(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.problem(value.span(), format!("`{key}` is true or false"), None);
        }
        flag
    }

    fn whole(&mut self, table: &DeTable<'_>, key: &str, least: u64, most: u64) -> Option<u64> {
        let value = table.get(key)?;
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok())
            .filter(|n| (least..=most).contains(n));
        if number.is_none() {
            self.problem(value.span(), format!("`{key}` is a whole number from {least} to {most}"), None);
        }
        number
    }

    /// A number that is not negative, and not above `most`.
    fn number(&mut self, table: &DeTable<'_>, key: &str, most: Option<i64>) -> Option<Number> {
        let value = table.get(key)?;
        let text: Option<Cow<'_, str>> = match value.get_ref() {
            DeValue::Integer(n) if n.radix() == 10 => Some(n.as_str().into()),
            DeValue::Float(n) => Some(n.as_str().into()),
            _ => None,
        };
        let number = text
            .and_then(|text| Number::from_decimal(text.trim_start_matches('+')).ok())
            .filter(|n| !n.is_negative() && most.is_none_or(|most| *n <= Number::from(most)));
        if number.is_none() {
            let range = most.map_or_else(|| "0 or more".to_owned(), |most| format!("from 0 to {most}"));
            self.problem(value.span(), format!("`{key}` is a number, {range}"), None);
        }
        number
    }

    fn duration(&mut self, table: &DeTable<'_>, key: &str) -> Option<Duration> {
        let value = table.get(key)?;
        let duration = value.get_ref().as_str().and_then(units::duration);
        if duration.is_none() {
            self.problem(
                value.span(),
                format!("`{key}` is a duration: \"500ms\", \"30s\", \"2m\", at most \"24h\""),
                None,
            );
        }
        duration
    }

    fn size(&mut self, table: &DeTable<'_>, key: &str) -> Option<u64> {
        let value = table.get(key)?;
        let size = value.get_ref().as_str().and_then(units::size);
        if size.is_none() {
            self.problem(value.span(), format!("`{key}` is a size: \"64 KB\", \"16 MB\", at most \"1 GiB\""), None);
        }
        size
    }
}

/// An address that requests can be sent below, without the slash at its end.
pub(super) fn check_url(text: &str) -> Result<String, &'static str> {
    let url = reqwest::Url::parse(text).map_err(|_| "is no address")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("begins with http:// or https://");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("names no server");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "holds a user name or password: put the secret into a variable of the environment and name it in `key`",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("ends before any `?` or `#`: a key in the address would be seen in logs");
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// A value of TOML as JSON. `None` for dates and for what nests too deep.
fn json(value: &DeValue<'_>, deeper: usize) -> Option<Json> {
    let deeper = deeper.checked_sub(1)?;
    Some(match value {
        DeValue::String(text) => Json::String(text.as_ref().to_owned()),
        DeValue::Integer(n) => Json::from(i64::from_str_radix(n.as_str(), n.radix()).ok()?),
        DeValue::Float(n) => serde_json::from_str(n.as_str().trim_start_matches('+')).ok()?,
        DeValue::Boolean(flag) => Json::Bool(*flag),
        DeValue::Datetime(_) => return None,
        DeValue::Array(items) => {
            Json::Array(items.iter().map(|item| json(item.get_ref(), deeper)).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Json::Object(
            table
                .iter()
                .map(|(key, value)| Some((key.get_ref().as_ref().to_owned(), json(value.get_ref(), deeper)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

/// A list of texts.
fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|part| part.get_ref().as_str().map(str::to_owned)).collect()
}

fn list(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}
