//! `rubric doctor` as a user runs it: on good and bad configurations, without ever showing a key.

use super::KEY;
use super::faults::{self, Behaviour, Server};
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Runs it in a folder with this configuration: exit code, standard output and standard error.
fn doctor(toml: Option<&str>, more: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    // A folder above could hold a configuration; this one ends the search.
    std::fs::write(dir.path().join("rubric.toml"), toml.unwrap_or("")).unwrap();
    run(dir.path(), more, variables)
}

fn run(folder: &Path, more: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
    command.arg("doctor").args(more).current_dir(folder).env_clear();
    // Nobody listens there.
    command
        .env("OLLAMA_HOST", "127.0.0.1:9")
        .env("TEST_KEY", KEY)
        .env("PATH", "/usr/bin:/bin")
        .envs(variables.iter().copied());
    let out = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stdout}\n{stderr}");
    (out.status.code().unwrap(), stdout, stderr)
}

fn model(name: &str, dialect: &str, url: &str) -> String {
    format!(
        "[models.{name}]\ndialect = \"{dialect}\"\nmodel = \"qwen\"\nbase_url = \"{url}\"\nkey = \"TEST_KEY\"\nretries = 0\ntimeout = \"5s\"\n"
    )
}

#[test]
fn models_that_answer_are_well() {
    let server = Server::start(|r| r.conforming(&[]));
    let mut toml: String = ["openai", "anthropic", "gemini", "ollama", "systemone", "decisions"]
        .map(|d| model(d, d, &server.url))
        .concat();
    toml.push_str("[verifiers.ok]\ncommand = [\"sh\", \"-c\", \"true\"]\nallow = true\n");
    let (code, out, err) = doctor(Some(&toml), &[], &[]);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(
        out.contains("Every model answered. There are 2 warnings.") && out.matches("answered as").count() == 6,
        "{out}"
    );
    assert!(out.contains("TEST_KEY is set"), "{out}");
    // The mock gives no log-probabilities, and the table says that `qwen` does.
    assert!(out.contains("can = { logprobs = false }"), "{out}");
}

#[test]
fn what_fails_is_told_with_what_to_do() {
    let server = Server::start(|r| match r.path.as_str() {
        "/v1/chat/completions" => faults::wrong_key(r),
        "/v1/messages" => r.answer("Yes, seven is larger."),
        "/v1/systemone" => faults::no_credit(r),
        _ => Behaviour::status(404, &json!({"error": "model 'qwen' not found"})),
    });
    let mut toml = ["openai", "anthropic", "ollama", "systemone"].map(|d| model(d, d, &server.url)).concat();
    toml.push_str("[verifiers.gone]\ncommand = [\"no-such-program-anywhere\"]\nallow = true\n");
    let (code, out, _) = doctor(Some(&toml), &[], &[]);
    assert_eq!(code, 1, "{out}");
    for said in [
        "check the key in TEST_KEY",
        "not in the form that was asked for",
        "can = { structured = false }",
        "model 'qwen' not found",
        "no credit",
        "no program `no-such-program-anywhere`",
        "5 things have to be mended",
    ] {
        assert!(out.contains(said), "no {said:?} in {out}");
    }
}

#[test]
fn a_configuration_with_mistakes_is_shown_where_they_are() {
    let (code, _, err) =
        doctor(Some("[models.a]\ndialect = \"opnai\"\nmodel = \"m\"\nkey = \"sk-test-0123456789abcdef\"\n"), &[], &[]);
    assert_eq!(code, 1);
    // The text of the file is shown around a mistake, so a key that stands in it is the one thing that is not.
    assert!(err.contains("did you mean \"openai\"?") && err.contains("never the key itself"), "{err}");
}

#[test]
fn without_any_model_it_says_what_to_set() {
    let (code, out, _) = doctor(None, &[], &[]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("OPENAI_API_KEY") && out.contains("Ollama") && out.contains("rubric.toml"), "{out}");
}

#[test]
fn a_usual_key_is_enough() {
    let server = Server::start(|r| r.conforming(&[]));
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", server.url.as_str()), ("RUBRIC_MODEL", "gpt-6-luna")];
    let (code, out, err) = doctor(None, &[], &variables);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(out.contains("`default` is from OPENAI_API_KEY") && out.contains("gpt-6-luna"), "{out}");
}

#[test]
fn offline_asks_nobody_and_still_misses_keys() {
    let server = Server::start(|r| r.conforming(&[]));
    let toml = model("a", "openai", &server.url).replace("TEST_KEY", "OTHER_KEY");
    let (code, out, _) = doctor(Some(&toml), &["--offline"], &[]);
    assert_eq!((code, server.count()), (1, 0), "{out}");
    assert!(out.contains("OTHER_KEY is not set"), "{out}");
    let (code, out, _) = doctor(Some(&toml), &["--offline"], &[("OTHER_KEY", "k")]);
    assert_eq!((code, server.count()), (0, 0), "{out}");
    let (code, out, _) = doctor(Some(&toml), &["--model", "b"], &[]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("there is no model `b`"), "{out}");
    for missing in [["--config", "nowhere.toml"].as_slice(), &["nowhere.rubric"]] {
        let (code, _, err) = doctor(Some(&toml), missing, &[]);
        assert!(code == 2 && err.contains("does not exist"), "{code} {err}");
    }
}

#[test]
fn a_proxy_is_used_for_other_machines_and_never_for_this_one() {
    let here = Server::start(|r| r.conforming(&[]));
    let (code, out, _) = doctor(Some(&model("a", "gemini", &here.url)), &[], &[("HTTP_PROXY", "http://127.0.0.1:9")]);
    assert_eq!((code, here.count()), (0, 1), "{out}");
    let proxy = Server::start(|r| r.conforming(&[]));
    let toml = model("a", "gemini", "http://judge.invalid/v1beta");
    let (code, out, _) = doctor(Some(&toml), &[], &[("HTTP_PROXY", &proxy.url)]);
    assert_eq!(code, 0, "{out}");
    assert!(proxy.requests()[0].path.starts_with("http://judge.invalid/v1beta/models/"), "{out}");
    // A key that goes over the net in the open is worth a word.
    assert!(out.contains("unprotected"), "{out}");
}

#[test]
fn an_address_that_is_not_reached_is_told_in_words() {
    let toml = model("a", "openai", "https://127.0.0.1:9/v1");
    let (code, out, _) = doctor(Some(&toml), &[], &[]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("cannot be reached") && out.contains("check that a server answers at https://127.0.0.1:9/v1"),
        "{out}"
    );
}

#[test]
fn a_machine_without_certificates_asks_its_own_servers_all_the_same() {
    let server = Server::start(|r| r.conforming(&[]));
    let toml = model("a", "gemini", &server.url) + &model("b", "gemini", "https://judge.invalid");
    let nothing = [("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")];
    let (code, out, _) = doctor(Some(&toml), &[], &nothing);
    assert_eq!((code, server.count()), (1, 1), "{out}");
    assert!(out.contains("SSL_CERT_FILE") && out.contains("nobody was asked"), "{out}");
    assert!(out.contains("One thing has to be mended"), "{out}");
}
