//! Where a program came from, or why there is none: `grammar/compile.schema.json`.
//!
//! A program carries a short form of it as comments in front, which are no part of its digest; the whole of it is a file of its
//! own beside the program. A failure is such a file alone.

use super::explain::Explanation;
use super::{Attempt, Compiler, Next, Reply};
use crate::graph;
use serde_json::{Map, Value as Json, json};

/// The version of the shape.
pub const FORMAT: &str = "rubric-compile/1";

/// Who was asked: the alias, the model as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub alias: String,
    pub model: String,
}

/// What a program came from, or all attempts at one.
#[must_use]
pub fn value(compiler: &Compiler, asked: &Asked, explanation: Option<&Explanation>) -> Json {
    let mut map = Map::new();
    map.insert("format".to_owned(), json!(FORMAT));
    let program = match compiler.next() {
        Next::Accepted(program) => Some(program),
        _ => None,
    };
    map.insert("outcome".to_owned(), json!(if program.is_some() { "program" } else { "failure" }));
    map.insert("compiler".to_owned(), json!(format!("rubric {}", env!("CARGO_PKG_VERSION"))));
    map.insert("digest".to_owned(), json!(compiler.specification.digest()));
    map.insert("specification".to_owned(), compiler.specification.json());
    map.insert("alias".to_owned(), json!(asked.alias));
    map.insert("model".to_owned(), json!(asked.model));
    map.insert("served".to_owned(), served(compiler).map_or(Json::Null, Json::from));
    map.insert("repairs".to_owned(), json!(compiler.repairs));
    if let Some(program) = &program {
        map.insert("program".to_owned(), json!({"name": &*program.name, "digest": graph::digest(program)}));
    }
    let attempts: Vec<Json> = compiler.attempts.iter().enumerate().map(|(at, one)| attempt(at + 1, one)).collect();
    map.insert("attempts".to_owned(), Json::Array(attempts));
    if let Some(explanation) = explanation {
        map.insert("explanation".to_owned(), explained(explanation));
    }
    Json::Object(map)
}

/// The model of the last reply, as the server named it.
fn served(compiler: &Compiler) -> Option<&str> {
    compiler.attempts.iter().rev().find_map(|attempt| match &attempt.reply {
        Reply::Said { model, .. } => Some(model.as_str()),
        Reply::Unsaid { .. } => None,
    })
}

fn attempt(number: usize, attempt: &Attempt) -> Json {
    let mut map = Map::new();
    map.insert("attempt".to_owned(), json!(number));
    match &attempt.reply {
        Reply::Said { text, model, input, output, from_store } => {
            map.insert("reply".to_owned(), json!(text));
            map.insert("served".to_owned(), json!(model));
            map.insert("tokens".to_owned(), json!({"input": input, "output": output}));
            map.insert("from_store".to_owned(), json!(from_store));
        }
        Reply::Unsaid { kind, detail } => {
            map.insert("missing".to_owned(), json!(kind));
            map.insert("detail".to_owned(), json!(detail));
        }
    }
    if let Some(checked) = &attempt.checked {
        map.insert("notes".to_owned(), json!(checked.notes));
        map.insert("fixed".to_owned(), json!(checked.fixed));
        if checked.fixed > 0 {
            map.insert("mended".to_owned(), json!(checked.text()));
        }
        map.insert("diagnostics".to_owned(), Json::Array(checked.diagnostics()));
    }
    Json::Object(map)
}

fn explained(explanation: &Explanation) -> Json {
    let clauses: Vec<Json> = explanation
        .clauses
        .iter()
        .map(|clause| json!({"line": clause.line, "text": clause.text, "parts": clause.parts}))
        .collect();
    json!({"clauses": clauses, "without_clause": explanation.without_clause})
}

/// The short form, as comment lines in front of a `.rubric` text.
#[must_use]
pub fn header(compiler: &Compiler, asked: &Asked) -> String {
    // A name from a server is not trusted to be one line.
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).take(100).collect::<String>();
    let model = served(compiler).unwrap_or(&asked.model);
    format!(
        "// Written by a language model from a policy, and accepted by the checker.\n// specification {}\n// model {}, attempt {} of at most {}\n\n",
        compiler.specification.digest(),
        plain(model),
        compiler.attempts.len(),
        compiler.repairs + 1
    )
}
