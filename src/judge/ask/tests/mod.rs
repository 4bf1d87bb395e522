//! Tests of askings: what goes out, what is taken as an answer, and what comes of it, without any server.

mod answers;
mod prompts;

use super::*;
use crate::judge::wire::{Answer, Chat, Content, Decision, Failure, FailureKind, Reply, Usage};
use crate::project::check_files;
use crate::run::engine::Engine;
use crate::run::judgment::{answers as door, judge};
use crate::run::record::{DataFormat, Records};
use crate::run::{Leaf, MissingReason};
use crate::source::FileId;
use crate::source::files::Files;
use serde_json::json;

/// Models of every kind.
const CONFIG: &str = r#"
[models.default]
dialect = "openai"
model = "gpt-4.1"
[models.strong]
dialect = "anthropic"
model = "claude-opus-5"
[models.plain]
dialect = "openai"
base_url = "http://localhost:1"
model = "old"
can = { structured = false }
[models.jev]
dialect = "systemone"
model = "jev-latest"
[verifiers.tests]
command = ["run-tests"]
allow = true
[verifiers.forbidden]
command = ["run-tests"]
"#;

/// The beginning of programs.
const HEAD: &str = r#"rubric sample
input     question:  text
reference guideline: text?
candidate answer:    text
"#;

/// Ready to be asked about one record.
struct Table {
    engine: Engine,
    record: Record,
    judged: Judged,
    askings: Vec<Asking>,
}

fn asker(criteria: &str) -> Result<(Asker, Engine), Vec<String>> {
    let text = format!("{HEAD}{criteria}");
    let opened = check_files(Files::memory(&[("a.rubric", &text)]), FileId(0));
    let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
    let config = Config::parse(Path::new("rubric.toml"), CONFIG).unwrap();
    let asker = Asker::new(&program, &config, Path::new("."))?;
    Ok((asker, Engine::new(program)))
}

/// One criterion, observed so that it need not reach a readout.
fn criterion(declared: &str, name: &str) -> String {
    format!("criterion ok: bool \"Fine?\" {{ judge rule(true) }}\nreadout pointwise = ok\n{declared}\nobserve {name}\n")
}

fn table(criteria: &str, record: &str) -> Table {
    let (asker, engine) = asker(criteria).unwrap();
    table_of(engine, &asker, record)
}

fn table_of(engine: Engine, asker: &Asker, record: &str) -> Table {
    let text = std::io::Cursor::new(record.to_owned());
    let mut records = Records::from_reader(Box::new(text), Some(DataFormat::Jsonl)).unwrap();
    let raw = records.next_record().unwrap().unwrap();
    let mut record = Record::read(raw, &engine.program, &engine.layout).unwrap();
    let judged = judge(&engine.program, &engine.layout, &mut record, Vec::new(), None).unwrap();
    let askings = asker.plan(&record, &judged);
    Table { engine, record, judged, askings }
}

const RECORD: &str = r#"{"id": "r1", "question": "What now?", "answer": "Rest, and drink water."}"#;
const PAIR: &str =
    r#"{"id": "r1", "question": "q", "candidates": [{"id": "p", "answer": "aaa"}, {"id": "q", "answer": "bbb"}]}"#;

fn chat_of(call: &Call, nonce: &str) -> Chat {
    match call.question(nonce) {
        Some(Question::Chat(chat)) => chat,
        other => panic!("{other:?}"),
    }
}

/// A whole request as text.
fn text_of(chat: &Chat) -> String {
    let part = |content: &Content| match content {
        Content::Text(text) => text.to_string(),
        Content::Image(address) => format!("<image {address}>\n"),
    };
    chat.shared.iter().chain(&chat.own).map(part).collect()
}

fn said(model: &str, text: &str) -> Reply {
    let answer = Answer::Text { text: text.to_owned(), logprobs: Vec::new() };
    Reply { model: model.to_owned(), usage: Usage::default(), answer, diagnostics: Default::default() }
}

impl Table {
    /// Answers every call by what `model` says to it (without the nonce, which is put in) until nothing is left to ask.
    fn run(&mut self, mut model: impl FnMut(&Call, &Chat) -> serde_json::Value) -> Vec<Heard> {
        let mut heard = Vec::new();
        for asking in &mut self.askings {
            let mut n = 0;
            loop {
                let calls = asking.calls();
                if calls.is_empty() {
                    break;
                }
                for (id, call) in calls {
                    n += 1;
                    let nonce = format!("nonce{n}");
                    let chat = chat_of(&call, &nonce);
                    let mut object = json!({"nonce": nonce});
                    object.as_object_mut().unwrap().extend(model(&call, &chat).as_object().unwrap().clone());
                    let reply = said(&call.alias().unwrap().name, &object.to_string());
                    heard.push(asking.answered(id, &nonce, Ok(&reply)));
                }
            }
            assert!(asking.is_done());
        }
        self.settle();
        heard
    }

    /// Puts the answers where recorded judgments stand.
    fn settle(&mut self) {
        for asking in &self.askings {
            door::add(&self.engine.program, &self.record, &mut self.judged, asking.done().unwrap()).unwrap();
        }
    }

    fn leaf(&self, candidate: usize, name: &str) -> &crate::run::judgment::JudgedLeaf {
        let id = self.engine.program.find(name).unwrap();
        self.judged.own[candidate].iter().find(|leaf| leaf.node == id).unwrap()
    }

    fn leaf_any(&self, name: &str) -> &crate::run::judgment::JudgedLeaf {
        let id = self.engine.program.find(name).unwrap();
        self.judged.lists().flatten().find(|leaf| leaf.node == id).unwrap()
    }

    /// What is known of a criterion, in words.
    fn value(&self, candidate: usize, name: &str) -> String {
        let ty = &self.engine.program.node(self.engine.program.find(name).unwrap()).unwrap().ty;
        match &self.leaf(candidate, name).leaf {
            Leaf::Known(value) => value.text(ty),
            Leaf::Missing(missing) => format!("missing {}: {}", missing.reason.word(), missing.detail),
            Leaf::Items(items) => format!("{items:?}"),
        }
    }
}
