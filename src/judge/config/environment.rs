//! The alias `default` where no file names models: from the key of a known provider, or from an Ollama on this machine.
//!
//! `RUBRIC_MODEL` chooses the model of that provider. `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL` are honoured as the
//! providers' own clients do. Which models are chosen without it is a choice of this crate as of November 2026: small,
//! cheap ones.

use super::alias::{Alias, Dialect, Limits, MAX_TOKENS};
use super::capabilities::Capabilities;
use super::error::ConfigError;
use super::read::check_url;
use super::{DEFAULT, Origin, Variables};
use serde_json::{Map, Value as Json};
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// What to do where there is no model at all.
pub(super) const WHAT_TO_SET: &str = "set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, TYPESAFE_API_KEY or \
     OPENROUTER_API_KEY, or start Ollama on this machine, or write a `rubric.toml` (`rubric doctor --help` shows one)";

/// A provider that is known by the variable its key is usually in.
struct Provider {
    variable: &'static str,
    dialect: Dialect,
    /// `None`: the dialect's own.
    base_url: Option<&'static str>,
    /// The variable that its own clients take another address from.
    address: Option<&'static str>,
    model: &'static str,
}

/// In the order in which they are looked for.
const PROVIDERS: [Provider; 6] = [
    Provider {
        variable: "OPENAI_API_KEY",
        dialect: Dialect::OpenAi,
        base_url: None,
        address: Some("OPENAI_BASE_URL"),
        model: "gpt-6-luna",
    },
    Provider {
        variable: "ANTHROPIC_API_KEY",
        dialect: Dialect::Anthropic,
        base_url: None,
        address: Some("ANTHROPIC_BASE_URL"),
        model: "claude-sonnet-5",
    },
    Provider {
        variable: "GEMINI_API_KEY",
        dialect: Dialect::Gemini,
        base_url: None,
        address: None,
        model: "gemini-3.8-flash",
    },
    Provider {
        variable: "GOOGLE_API_KEY",
        dialect: Dialect::Gemini,
        base_url: None,
        address: None,
        model: "gemini-3.8-flash",
    },
    Provider {
        variable: "TYPESAFE_API_KEY",
        dialect: Dialect::SystemOne,
        base_url: None,
        address: None,
        model: "jev-latest",
    },
    Provider {
        variable: "OPENROUTER_API_KEY",
        dialect: Dialect::OpenAi,
        base_url: Some("https://openrouter.ai/api/v1"),
        address: None,
        model: "openai/gpt-6-luna",
    },
];

/// How long an Ollama may take to accept a connection, and to answer.
const CONNECT: Duration = Duration::from_millis(300);
const ANSWER: Duration = Duration::from_secs(2);
/// The most bytes of its list of models that are read.
const LARGEST_LIST: u64 = 1 << 20;

/// The alias that the environment gives, and where it is from.
pub(super) fn default_alias(variables: Variables<'_>) -> Result<Option<(Alias, Origin)>, ConfigError> {
    let given = |name: &str| variables(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    let chosen = given("RUBRIC_MODEL");
    for provider in &PROVIDERS {
        if given(provider.variable).is_none() {
            continue;
        }
        let base_url = match provider.address.and_then(|name| given(name).map(|url| (name, url))) {
            Some((name, url)) => check_url(&url).map_err(|why| {
                let message = format!("the address in {name} {why}");
                ConfigError::of("the environment", message, Some(format!("set {name} to an address, or remove it")))
            })?,
            None => provider.base_url.unwrap_or(provider.dialect.base_url()).to_owned(),
        };
        let model = chosen.clone().unwrap_or_else(|| provider.model.to_owned());
        let alias = alias(provider.dialect, base_url, model, Some(provider.variable.to_owned()));
        return Ok(Some((alias, Origin::Variable(provider.variable.to_owned()))));
    }
    let address = given("OLLAMA_HOST").unwrap_or_else(|| "127.0.0.1:11434".to_owned());
    let Some((authority, models)) = ollama(&address) else { return Ok(None) };
    let Some(model) = chosen.or_else(|| models.into_iter().next()) else { return Ok(None) };
    Ok(Some((alias(Dialect::Ollama, format!("http://{authority}"), model, None), Origin::Ollama)))
}

fn alias(dialect: Dialect, base_url: String, model: String, key: Option<String>) -> Alias {
    Alias {
        name: DEFAULT.to_owned(),
        dialect,
        base_url,
        key,
        limits: Limits::of(Some(dialect)),
        price: None,
        capabilities: Capabilities::of(dialect, &model),
        model,
        max_tokens: MAX_TOKENS,
        temperature: None,
        extra: Map::new(),
    }
}

/// The models of an Ollama at `address` (as `OLLAMA_HOST` has it), the ones used last first. `None`: there is none on this
/// machine; others are not asked without a file that names them.
fn ollama(address: &str) -> Option<(String, Vec<String>)> {
    let authority = address.trim_start_matches("http://").trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
    let authority = if authority.contains(':') { authority } else { format!("{authority}:11434") };
    let place = authority.to_socket_addrs().ok()?.find(|a| a.ip().is_loopback())?;
    let mut stream = TcpStream::connect_timeout(&place, CONNECT).ok()?;
    stream.set_read_timeout(Some(ANSWER)).ok()?;
    stream.set_write_timeout(Some(ANSWER)).ok()?;
    // HTTP/1.0: the reply comes whole and ends with the connection.
    let request = format!("GET /api/tags HTTP/1.0\r\nHost: {authority}\r\nAccept: application/json\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = String::new();
    stream.take(LARGEST_LIST).read_to_string(&mut reply).ok()?;
    let (head, body) = reply.split_once("\r\n\r\n")?;
    if head.split_whitespace().nth(1).is_none_or(|status| status != "200") {
        return None;
    }
    let list: Json = serde_json::from_str(body).ok()?;
    let names = list.get("models")?.as_array()?.iter().filter_map(|m| m.get("name")?.as_str());
    Some((authority, names.filter(|n| !n.contains("embed")).map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn find(list: &[(&str, &str)]) -> Result<Option<(Alias, Origin)>, ConfigError> {
        let list: Vec<(String, String)> = list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        default_alias(&move |name| list.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()))
    }

    /// An address on this machine where nobody listens.
    fn nobody() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    }

    #[test]
    fn a_usual_key_gives_a_model_and_the_key_itself_is_not_kept() {
        let (alias, origin) =
            find(&[("ANTHROPIC_API_KEY", "sk-secret"), ("RUBRIC_MODEL", "claude-opus-5-5")]).unwrap().unwrap();
        assert_eq!((alias.dialect, alias.model.as_str()), (Dialect::Anthropic, "claude-opus-5-5"));
        assert_eq!(origin, Origin::Variable("ANTHROPIC_API_KEY".to_owned()));
        assert!(!format!("{alias:?}").contains("sk-secret"));
    }

    #[test]
    fn an_empty_variable_is_no_key() {
        let nobody = nobody();
        assert!(find(&[("OPENAI_API_KEY", "  "), ("OLLAMA_HOST", &nobody)]).unwrap().is_none());
    }

    #[test]
    fn an_address_with_a_password_is_refused_without_showing_it() {
        let error = find(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "https://me:hunter2@x.org")]).unwrap_err();
        assert!(error.to_string().contains("OPENAI_BASE_URL") && !error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn an_ollama_on_this_machine_gives_its_first_model_that_is_no_embedding() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 512];
            let _ = stream.read(&mut head).unwrap();
            let body = r#"{"models":[{"name":"nomic-embed-text:latest"},{"name":"qwen3:8b"}]}"#;
            write!(stream, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{body}").unwrap();
        });
        let (alias, origin) = find(&[("OLLAMA_HOST", &address)]).unwrap().unwrap();
        server.join().unwrap();
        assert_eq!((alias.model.as_str(), origin, alias.key), ("qwen3:8b", Origin::Ollama, None));
        assert_eq!(alias.base_url, format!("http://{address}"));
    }
}
