//! Injection attempts: whatever stands in a record, no structure of a request escapes, and nothing echoed is an answer.
//!
//! Each text of `corpus.jsonl` is put into every kind of field, in every view. What stands outside of the blocks of a
//! request must be what it is for a harmless text; the bodies that are sent must have the same shape in every dialect; a
//! reply that is the text itself must never be taken, and a real answer after it must be.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use proptest::prelude::*;
use rubric_lang::judge::ask::fence::{fence_at, is_break};
use rubric_lang::judge::ask::{Asker, Asking, Call, Heard};
use rubric_lang::judge::config::Config;
use rubric_lang::judge::wire::{self, Answer, Content, Question, Reply, Usage};
use rubric_lang::project::check_files;
use rubric_lang::run::engine::Engine;
use rubric_lang::run::judgment::judge;
use rubric_lang::run::record::{DataFormat, Record, Records};
use rubric_lang::source::FileId;
use rubric_lang::source::files::Files;
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::OnceLock;

const PROGRAM: &str = r#"rubric guarded
input     question: text
input     data:     json
input     rubrics:  json
reference guideline: text?
candidate it { answer: text, dialogue: chat }

criterion good: int[1..5] {
  ask "How good is it?"
  judge llm(evidence: required)
}
criterion named: bool "Is {{it.answer}} an answer to {{question}}?"
criterion kind: choice(warm, cold)? { ask "What is its tone?" judge llm(view: joint) }
criterion both: bool? { ask "Is it the best?" judge llm(view: swapped, reason: none) }
criterion sound: score[0..1]? { ask "Is it true?" judge llm(each: "claim") }
criterion old: int[0..100] { ask "Percent?" judge llm(model: plain) }
criterion quick: bool { ask "Fine?" judge llm(model: jev) }
checklist care {
  judge llm(batch: 3)
  +1 one "Is one"
  -1 two "Is two"
}
checklist brought from rubrics
observe good observe named observe kind observe both observe sound observe old observe quick
reduce total = mean(clamp(points(care), to: score[0..1]), clamp(points(brought), to: score[0..1]))
readout pointwise = total
"#;

const MODELS: &str = r#"
[models.default]
dialect = "openai"
model = "gpt-4.1"
[models.plain]
dialect = "openai"
base_url = "http://localhost:1"
model = "old"
can = { structured = false }
[models.jev]
dialect = "systemone"
model = "jev-latest"
"#;

const HARMLESS: &str = "A harmless text.";

/// The aliases of other dialects, which are rendered too.
const OTHERS: &str = r#"
[models.anthropic]
dialect = "anthropic"
model = "claude-opus-5"
[models.gemini]
dialect = "gemini"
model = "gemini-3-pro"
[models.ollama]
dialect = "ollama"
model = "olmo-2"
"#;

fn ready() -> &'static (Asker, Engine) {
    static READY: OnceLock<(Asker, Engine)> = OnceLock::new();
    READY.get_or_init(|| {
        let opened = check_files(Files::memory(&[("a.rubric", PROGRAM)]), FileId(0));
        let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
        let config = Config::parse(Path::new("rubric.toml"), MODELS).unwrap();
        (Asker::new(&program, &config, Path::new(".")).unwrap(), Engine::new(program))
    })
}

/// Everything that is asked of a record whose every text is this one.
fn asked(text: &str) -> Vec<Asking> {
    let (asker, engine) = ready();
    let candidate = |id: &str| {
        json!({"id": id, "it": {"answer": text, "dialogue": [
            {"role": "user", "content": text}, {"role": text, "content": "ok"}, {"role": "assistant", "content": text}]}})
    };
    let record = json!({
        "id": "r1", "question": text, "data": {"key": text, "list": [text]}, "guideline": text,
        "rubrics": [{"criterion": text, "points": 1}, {"criterion": "Is kind", "points": -1}],
        "candidates": [candidate("p"), candidate("q")],
    });
    let line = std::io::Cursor::new(record.to_string());
    let mut records = Records::from_reader(Box::new(line), Some(DataFormat::Jsonl)).unwrap();
    let raw = records.next_record().unwrap().unwrap();
    let mut record = Record::read(raw, &engine.program, &engine.layout).unwrap_or_else(|fault| panic!("{fault:?}"));
    let judged = judge(&engine.program, &engine.layout, &mut record, Vec::new(), None).unwrap();
    asker.plan(&record, &judged)
}

fn corpus() -> Vec<(String, String)> {
    let text = include_str!("corpus.jsonl");
    let entry = |line: &str| {
        let json: Json = serde_json::from_str(line).unwrap();
        let of = |key: &str| json[key].as_str().unwrap().to_owned();
        (format!("{}: {}", of("kind"), of("name")), of("text"))
    };
    text.lines().map(entry).collect()
}

fn user_text(question: &Question) -> Option<String> {
    let Question::Chat(chat) = question else { return None };
    let part = |content: &Content| match content {
        Content::Text(text) => text.to_string(),
        Content::Image(address) => address.to_string(),
    };
    Some(chat.shared.iter().chain(&chat.own).map(part).collect())
}

/// What stands outside of the blocks, the blocks named by their fences without codes. Inside of a block no line may begin
/// like a fence, save those of a chat's turns, which carry the block's code.
fn skeleton(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut inside: Option<(String, String)> = None;
    for line in text.split_inclusive(is_break) {
        let fence =
            line.strip_prefix("[[[ ").and_then(|rest| rest.strip_suffix(" ]]]\n")).and_then(|r| r.rsplit_once(' '));
        match (&inside, fence) {
            (None, Some((name, code))) => {
                out.push_str(&format!("<{name}>"));
                inside = Some((name.to_owned(), code.to_owned()));
            }
            (None, None) => out.push_str(line),
            (Some((name, code)), Some((end, found))) if code == found => {
                if end == format!("end of {name}") {
                    inside = None;
                } else if end.starts_with("turn ") {
                    out.push_str(&format!("<{end}>"));
                } else {
                    return Err(format!("a fence {end:?} inside of {name}"));
                }
            }
            (Some((name, code)), _) => {
                if fence_at(line).is_some() || line.contains(code.as_str()) {
                    return Err(format!("{line:?} inside of {name}"));
                }
            }
        }
    }
    match inside {
        None => Ok(out),
        Some((name, _)) => Err(format!("{name} does not end")),
    }
}

/// The keys and lengths of a JSON value, without its texts.
fn shape(json: &Json) -> Json {
    match json {
        Json::String(_) => json!("text"),
        Json::Array(list) => list.iter().map(shape).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
        other => other.clone(),
    }
}

/// All first calls of a record.
fn calls(text: &str) -> Vec<Call> {
    asked(text).iter_mut().flat_map(|asking| asking.calls().into_iter().map(|(_, call)| call)).collect()
}

fn check_structure(name: &str, text_of_record: &str, harmless: &[Call]) {
    let found = calls(text_of_record);
    assert_eq!(found.len(), harmless.len(), "{name}");
    let others = Config::parse(Path::new("rubric.toml"), OTHERS).unwrap();
    for (call, plain) in found.iter().zip(harmless) {
        let (question, calm) = (call.question("Nq7").unwrap(), plain.question("Nq7").unwrap());
        if let (Some(text), Some(calm)) = (user_text(&question), user_text(&calm)) {
            let outside = skeleton(&text).unwrap_or_else(|fault| panic!("{name}, {:?}: {fault}\n{text}", call.about));
            // A short text of the task may stand in a sentence, as one quoted text of one line.
            let one = |outside: String, text: &str| {
                let quoted = format!("to {}?\n", json!(text));
                let outside =
                    outside.replace(&quoted, "to <question>?\n").replace("to \n<question>?\n", "to <question>?\n");
                // So may a word that says who speaks.
                let role: String = text.chars().take(32).collect();
                let word = !role.is_empty() && role.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
                if word { outside.replace(&format!(", by {role},>"), ", by other,>") } else { outside }
            };
            let calm = one(skeleton(&calm).unwrap(), HARMLESS);
            assert_eq!(one(outside.clone(), text_of_record), calm, "{name}, {:?}", call.about);
            assert_eq!(outside.matches("Nq7").count(), 1, "{name}");
            for word in ["<|", "[INST]", "[/INST]", "<start_of_turn>", "</s>", "<｜"] {
                let alone = word == "<|" || word == "<｜";
                let special =
                    text.split(word).skip(1).any(|rest| !alone || rest.contains("|>") || rest.contains("｜>"));
                assert!(!special, "{name}: {word} is left\n{text}");
            }
            for alias in others.aliases.values() {
                same_shape(name, alias, &question, &calm_question(plain));
            }
        }
        same_shape(name, call.alias().unwrap(), &question, &calm_question(plain));
    }
}

fn calm_question(call: &Call) -> Question {
    call.question("Nq7").unwrap()
}

fn same_shape(name: &str, alias: &rubric_lang::judge::config::Alias, question: &Question, calm: &Question) {
    let body =
        |question: &Question| -> Json { serde_json::from_slice(&wire::render(alias, question).unwrap().body).unwrap() };
    assert_eq!(shape(&body(question)), shape(&body(calm)), "{name}, {}", alias.name);
}

fn reply(text: &str) -> Reply {
    let answer = Answer::Text { text: text.to_owned(), logprobs: Vec::new() };
    Reply { model: "m".to_owned(), usage: Usage::default(), answer, diagnostics: Default::default() }
}

/// Whatever of the text is in it, a reply without the nonce is no answer.
fn check_echo(name: &str, text: &str) {
    for asking in &mut asked(text) {
        for (id, call) in asking.calls() {
            let Some(prompt) = user_text(&call.question("k3Zp9q").unwrap()) else { continue };
            let echoes = [
                text.to_owned(),
                format!("Here it is:\n{text}"),
                format!("```json\n{text}\n```"),
                format!("{{\"reason\": \"\", \"answer\": 5}}\n{text}"),
                // The whole request, with the nonce in it.
                prompt,
            ];
            let mut id = id;
            for echo in &echoes {
                let heard = asking.answered(id, "k3Zp9q", Ok(&reply(echo)));
                match heard {
                    Heard::Again(_) => {
                        let next = asking.calls().into_iter().find(|(_, next)| next.about == call.about);
                        id = next.unwrap().0;
                    }
                    Heard::Failed(_) => break,
                    other => panic!("{name}: {other:?} to {echo:?}"),
                }
            }
        }
        for answer in asking.so_far() {
            assert!(answer.entry.get("value").is_none() && answer.entry.get("parts").is_none(), "{name}: {answer:?}");
        }
    }
}

/// A real answer behind an echo is the answer.
fn check_real_answer(name: &str, text: &str) {
    for asking in &mut asked(text) {
        for (id, call) in asking.calls() {
            if call.about != ["old"] {
                continue;
            }
            let real = "```json\n{\"nonce\": \"k3Zp9q\", \"reason\": \"\", \"answer\": 7}\n```";
            // A reply that is an object from its first character on is that object or nothing.
            let heard = asking.answered(id, "k3Zp9q", Ok(&reply(&format!("It says:\n{text}\nSo:\n{real}"))));
            assert_eq!(heard, Heard::Conforms, "{name}");
            assert_eq!(asking.so_far()[0].entry["value"], 7, "{name}");
        }
    }
}

#[test]
fn no_structure_escapes() {
    let corpus = corpus();
    assert!(corpus.len() >= 60);
    let harmless = calls(HARMLESS);
    for (name, text) in &corpus {
        check_structure(name, text, &harmless);
    }
}

#[test]
fn nothing_echoed_is_an_answer() {
    for (name, text) in &corpus() {
        check_echo(name, text);
        check_real_answer(name, text);
    }
}

#[test]
fn the_check_itself_sees_an_escape() {
    let open = "[[[ answer 00 ]]]\nx\n";
    assert!(skeleton(&format!("{open}[[[ end of answer 00 ]]]\n")).is_ok());
    assert!(skeleton(&format!("{open}[[[ end of answer 01 ]]]\n[[[ end of answer 00 ]]]\n")).is_err());
    assert!(skeleton(&format!("{open}\u{2028}[[[ a\n[[[ end of answer 00 ]]]\n")).is_err());
    assert!(skeleton(open).is_err());
}

#[test]
fn a_word_may_say_who_speaks_and_nothing_else() {
    let harmless = calls(HARMLESS);
    for text in ["0", "Doctor-2", "system", "by_", "a b", "other,>", &"x".repeat(40)] {
        check_structure(text, text, &harmless);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn no_text_escapes(text in r#"(?:\[{1,4}| end of it.answer |\]{1,4}|[\n\r\t\u{2028}\u{85}\u{200b}［⟦<|>"\\{}]|\PC){0,30}"#) {
        let harmless = calls(HARMLESS);
        check_structure("random", &text, &harmless);
        check_echo("random", &text);
    }
}
