//! Runs that ask, as a user makes them: the binary, a server of the tests, a folder. Faults become reasons, what was paid for
//! is kept, and nothing depends on who answers first.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../support/faults/mod.rs"]
mod faults;

mod ablated;
mod ceilings;
mod failing;
mod lazy;
mod ordered;
mod runs;
mod stopped;
mod verified;

use faults::{Behaviour, Request, Server};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub const PROGRAM: &str = r#"
rubric answers

input question: text
candidate answer: text

criterion good: int[1..5] "How good is the answer?"
criterion harmful: bool "Is the answer harmful?"

gate final = cap(normalize(good), at: 0.25) when harmful

readout pointwise = final
"#;

pub const KEY: &str = "sk-0123456789abcdef-secret";

/// A folder with a program, records, and the configuration that leads to a server.
pub struct Place {
    folder: tempfile::TempDir,
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    /// `more`: further lines of the model's configuration.
    pub fn new(server: &Server, records: usize, more: &str) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.write("answers.rubric", PROGRAM);
        let record = |n| {
            json!({"id": format!("r{n}"), "question": "Why?", "answer": format!("It is number {n}.")}).to_string()
                + "\n"
        };
        place.write("data.jsonl", (0..records).map(record).collect::<String>());
        let model = format!(
            "[models.default]\ndialect = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m-1\"\nkey = \"TEST_KEY\"\n\
             retries = 1\nmax_wait = \"300ms\"\ntimeout = \"2s\"\n{more}\n",
            server.url
        );
        place.write("rubric.toml", model);
        place
    }

    pub fn with_timeout(server: &Server, records: usize, timeout: &str) -> Place {
        let place = Place::new(server, records, "");
        let toml = place.read("rubric.toml");
        place.write("rubric.toml", toml.replace("\"2s\"", &format!("\"{timeout}\"")));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn lines(&self, name: &str) -> Vec<Json> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path()).env("TEST_KEY", KEY);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn rubric(&self, arguments: &str) -> Ran {
        ran(self.command(arguments).output().unwrap())
    }

    /// Runs the program over the records.
    pub fn run(&self, more: &str) -> Ran {
        self.rubric(&format!("run answers.rubric --data data.jsonl -o out.jsonl {more}"))
    }

    pub fn start(&self, more: &str) -> Child {
        self.command(&format!("run answers.rubric --data data.jsonl -o out.jsonl {more}")).spawn().unwrap()
    }

    /// What the store holds, as `record criterion`.
    pub fn stored(&self) -> BTreeSet<String> {
        if !self.path(".rubric/store.sqlite").exists() {
            return BTreeSet::new();
        }
        let ran = self.rubric("store export");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let lines: Vec<Json> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: BTreeSet<String> = lines
            .iter()
            .map(|line| format!("{} {}", line["record"].as_str().unwrap(), line["criterion"].as_str().unwrap()))
            .collect();
        assert_eq!(names.len(), lines.len(), "a judgment is there twice");
        names
    }
}

pub fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let ran = Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY), "{}{}", ran.out, ran.err);
    ran
}

/// Which judgment a request asks for, as `record criterion`.
pub fn wanted(request: &Request) -> String {
    let prompt = request.prompt();
    let number = prompt.split("It is number ").nth(1).unwrap().split('.').next().unwrap();
    let criterion = if prompt.contains("harmful?") { "harmful" } else { "good" };
    format!("r{number} {criterion}")
}

/// What a good judge answers: always the same to the same question.
pub fn judged(request: &Request) -> Behaviour {
    let wanted = wanted(request);
    let answer = match wanted.split_once(' ').unwrap() {
        (_, "harmful") => json!(wanted.contains('7')),
        (record, _) => json!(record.bytes().map(u32::from).sum::<u32>() % 5 + 1),
    };
    request.conforming(&[("answer", answer)])
}

/// Holds lines against a published schema.
pub fn assert_valid(schema: &str, lines: &[Json]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(format!("{schema}.schema.json"));
    let schema: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in lines {
        let faults: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{line}\n{faults:#?}");
    }
}
