//! The wire against servers on this machine: what is sent, and what becomes of every kind of reply.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../support/faults/mod.rs"]
mod faults;

mod bodies;
mod doctor;
mod failing;
mod jevcompat;
mod props;
mod sending;

use rubric_lang::judge::config::{Alias, Config};
use rubric_lang::judge::wire::{
    Answer, Chat, Client, Content, Decide, DecideQuestion, Failure, Question, Reply, Sampling, render,
};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// The key that every test sends, and none may see again.
const KEY: &str = "sk-test-0123456789abcdef";

/// The dialects of chat models.
const CHATS: [&str; 4] = ["openai", "anthropic", "gemini", "ollama"];

/// An alias for a server, with more lines of configuration.
fn alias(dialect: &str, url: &str, more: &str) -> Arc<Alias> {
    let model = match dialect {
        "openai" => "gpt-4o-mini",
        "anthropic" => "claude-haiku-4-5",
        "gemini" => "gemini-3.8-flash",
        "ollama" => "qwen3:8b",
        _ => "jev-latest",
    };
    let text = format!(
        "[models.m]\ndialect = \"{dialect}\"\nmodel = \"{model}\"\nbase_url = \"{url}\"\nkey = \"TEST_KEY\"\n{more}\n"
    );
    let config = Config::parse(Path::new("rubric.toml"), &text).unwrap();
    Arc::clone(config.alias("m").unwrap())
}

fn client() -> Client {
    Client::with_variables(|name| (name == "TEST_KEY").then(|| KEY.to_owned()))
}

fn chat() -> Chat {
    Chat {
        system: "You judge answers.".into(),
        shared: vec![Content::Text("Question: Is water wet?\n".into()), Content::Text("Answer: Yes.\n".into())],
        own: vec![Content::Text("Is the answer right? Answer with {\"nonce\": \"n-7\", …}".into())],
        again: Vec::new(),
        schema: json!({"type": "object", "properties": {"nonce": {"type": "string"}, "answer": {"type": "boolean"}},
                       "required": ["nonce", "answer"], "additionalProperties": false})
        .into(),
        schema_name: "judgment",
        sampling: Sampling::default(),
    }
}

fn decide() -> Decide {
    let text = |t: &str| Some(t.to_owned());
    Decide {
        state: json!({"question": "Is water wet?", "answer": "Yes."}),
        questions: vec![
            (
                "q0".into(),
                DecideQuestion::Predicate { instructions: "Is it right?".into(), yes: text("It is."), no: None },
            ),
            (
                "q1".into(),
                DecideQuestion::Choice {
                    instructions: "Which tone?".into(),
                    options: vec![("warm".into(), text("Kind words")), ("cold".into(), None), ("Unknown".into(), None)],
                },
            ),
            (
                "q2".into(),
                DecideQuestion::Score {
                    instructions: "How clear?".into(),
                    levels: vec![("1".into(), text("Unclear")), ("2".into(), None), ("3".into(), text("Clear"))],
                },
            ),
        ],
    }
}

fn question(dialect: &str) -> Question {
    match dialect {
        "systemone" | "decisions" => Question::Decide(decide()),
        "embeddings" => Question::Embed(["one text".into(), "another".into()].into()),
        _ => Question::Chat(chat()),
    }
}

/// Asks once, on a runtime of its own.
fn ask(client: &Client, alias: &Alias, question: &Question) -> Result<Reply, Failure> {
    let rendered = render(alias, question).unwrap();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(client.send(alias, &rendered))
}

fn text(reply: &Reply) -> &str {
    match &reply.answer {
        Answer::Text { text, .. } => text,
        Answer::Decisions(_) | Answer::Vectors(_) => panic!("{reply:?}"),
    }
}
