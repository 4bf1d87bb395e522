//! What a well-behaved model would answer: the dialect, the prompt, the nonce and the schema of a request, filled in.

use super::http::Request;
use super::{Behaviour, text_reply};
use serde_json::{Map, Value as Json, json};

/// The dialects, told apart by the path of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
    SystemOne,
    Decisions,
    Embeddings,
}

impl Request {
    pub fn dialect(&self) -> Dialect {
        let path = self.path.as_str();
        match path {
            _ if path.ends_with("/chat/completions") => Dialect::OpenAi,
            _ if path.ends_with("/messages") => Dialect::Anthropic,
            _ if path.ends_with(":generateContent") => Dialect::Gemini,
            _ if path.ends_with("/api/chat") => Dialect::Ollama,
            _ if path.ends_with("/systemone") => Dialect::SystemOne,
            _ if path.ends_with("/decisions") => Dialect::Decisions,
            _ if path.ends_with("/embeddings") => Dialect::Embeddings,
            _ => panic!("no dialect has the path {path}"),
        }
    }

    /// Every text that the model sees, in order, one after the other.
    pub fn prompt(&self) -> String {
        let mut out = String::new();
        let parts = match self.dialect() {
            Dialect::Gemini => vec!["systemInstruction", "contents"],
            _ => vec!["system", "messages", "state", "input", "questions"],
        };
        for part in parts {
            texts(&self.json[part], &mut out);
        }
        out
    }

    /// The nonce that the answer has to carry: the last one that the prompt names.
    pub fn nonce(&self) -> Option<String> {
        let prompt = self.prompt();
        let after = &prompt[prompt.rfind("nonce")? + "nonce".len()..];
        let text = after.trim_start_matches(['"', ':', ' ']);
        Some(text.split('"').next()?.to_owned())
    }

    /// The schema that the answer is bound to.
    pub fn schema(&self) -> Option<&Json> {
        let at = match self.dialect() {
            Dialect::OpenAi => "/response_format/json_schema/schema",
            Dialect::Anthropic => "/output_config/format/schema",
            Dialect::Gemini => "/generationConfig/responseJsonSchema",
            Dialect::Ollama => "/format",
            _ => return None,
        };
        self.json.pointer(at)
    }

    /// An answer in text, in the form of the request's dialect.
    pub fn answer(&self, text: &str) -> Behaviour {
        Behaviour::json(&text_reply(self.dialect(), text))
    }

    /// A reply that conforms: the schema filled in, with these values where a key has that name, and the nonce; for a decision
    /// model, every question answered.
    pub fn conforming(&self, values: &[(&str, Json)]) -> Behaviour {
        match self.dialect() {
            Dialect::SystemOne | Dialect::Decisions => self.decisions(),
            _ => self.answer(&self.filled(values).to_string()),
        }
    }

    /// The schema filled in.
    pub fn filled(&self, values: &[(&str, Json)]) -> Json {
        let schema = self.schema().expect("the request has no schema");
        let nonce = self.nonce().map(Json::from);
        let values: Vec<(&str, Json)> = nonce.into_iter().map(|n| ("nonce", n)).chain(values.iter().cloned()).collect();
        fill(schema, "", &values)
    }

    /// The texts whose vectors are asked for.
    pub fn embedded(&self) -> Vec<String> {
        self.json["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    /// A vector for each text, as `of` says.
    pub fn vectors(&self, of: impl Fn(&str) -> Vec<f64>) -> Behaviour {
        let texts = self.embedded();
        let one =
            |(index, text): (usize, &String)| json!({"object": "embedding", "index": index, "embedding": of(text)});
        let data: Vec<Json> = texts.iter().enumerate().map(one).collect();
        Behaviour::json(&json!({"object": "list", "model": "served-vectors-1", "data": data,
                                "usage": {"prompt_tokens": 7 * texts.len(), "total_tokens": 7 * texts.len()}}))
    }

    /// Every question of a decision request answered: yes, the first option, the highest level, each with 0.9.
    pub fn decisions(&self) -> Behaviour {
        let rest = |n: usize| if n > 1 { 0.1 / (n - 1) as f64 } else { 0.0 };
        let usage = json!({"input_tokens": 100, "output_tokens": 5});
        if self.dialect() == Dialect::SystemOne {
            let one = |question: &Json| match question["type"].as_str().unwrap() {
                "noul" => json!({"type": "noul", "noul": 0.9}),
                "choice" => {
                    let options: Vec<&String> = question["criteria"].as_object().unwrap().keys().collect();
                    let p: Map<String, Json> = options
                        .iter()
                        .enumerate()
                        .map(|(at, o)| ((*o).clone(), json!(if at == 0 { 0.9 } else { rest(options.len()) })))
                        .collect();
                    json!({"type": "choice", "choice": options[0], "probabilities": p, "confidence": 0.8})
                }
                _ => {
                    let levels = question["criteria"].as_array().unwrap();
                    let p: Vec<f64> = (0..levels.len())
                        .map(|at| if at + 1 == levels.len() { 0.9 } else { rest(levels.len()) })
                        .collect();
                    let by = |f: &dyn Fn(usize) -> Json| -> Map<String, Json> {
                        (0..levels.len()).map(|at| (at.to_string(), f(at))).collect()
                    };
                    let score: f64 = p.iter().enumerate().map(|(at, p)| at as f64 * p).sum();
                    json!({"type": "score", "score": score, "legend": by(&|at| levels[at].clone()),
                           "probabilities": by(&|at| json!(p[at])), "confidence": 0.8})
                }
            };
            let questions = self.json["questions"].as_object().unwrap();
            let answers: Map<String, Json> = questions.iter().map(|(id, q)| (id.clone(), one(q))).collect();
            return Behaviour::json(&json!({"model": "decider-1.0", "answers": answers, "usage": usage}));
        }
        let one = |question: &Json| {
            let name = &question["name"];
            match question["type"].as_str().unwrap() {
                "predicate" => json!({"type": "predicate", "name": name, "probability": 0.9}),
                "choice" => {
                    let options = question["choices"].as_array().unwrap();
                    let p: Vec<Json> = options
                        .iter()
                        .enumerate()
                        .map(|(at, o)| json!({"value": o["value"], "probability": if at == 0 { 0.9 } else { rest(options.len()) }}))
                        .collect();
                    json!({"type": "choice", "name": name, "choice": options[0]["value"], "confidence": 0.8, "probabilities": p})
                }
                _ => {
                    let levels = question["levels"].as_array().unwrap();
                    let p = |at: usize| if at + 1 == levels.len() { 0.9 } else { rest(levels.len()) };
                    let list: Vec<Json> = levels
                        .iter()
                        .enumerate()
                        .map(|(at, l)| json!({"value": at, "label": l["label"], "probability": p(at)}))
                        .collect();
                    let score: f64 = (0..levels.len()).map(|at| at as f64 * p(at)).sum();
                    json!({"type": "score", "name": name, "score": score, "confidence": 0.8, "probabilities": list})
                }
            }
        };
        let answers: Vec<Json> = self.json["questions"].as_array().unwrap().iter().map(one).collect();
        Behaviour::json(&json!({"model": "decider-1.0", "answers": answers, "usage": usage}))
    }
}

fn texts(value: &Json, out: &mut String) {
    match value {
        Json::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Json::Array(list) => list.iter().for_each(|v| texts(v, out)),
        Json::Object(map) => {
            for (key, value) in map {
                if !matches!(
                    key.as_str(),
                    "role" | "type" | "url" | "data" | "mimeType" | "media_type" | "cache_control"
                ) {
                    texts(value, out);
                }
            }
        }
        _ => {}
    }
}

/// A value that a schema takes: by name where one is given, else the constant, the first of an enumeration, 1, true, "x", an
/// object with all its keys, an empty list.
fn fill(schema: &Json, name: &str, values: &[(&str, Json)]) -> Json {
    if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
        return value.clone();
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|e| e.get(0)) {
        return first.clone();
    }
    if let Some(first) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(|e| e.get(0)) {
        return fill(first, name, values);
    }
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => {
            let keys = schema["properties"].as_object();
            keys.into_iter()
                .flatten()
                .map(|(key, inner)| (key.clone(), fill(inner, key, values)))
                .collect::<Map<_, _>>()
                .into()
        }
        Some("array") => json!([]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("null") => Json::Null,
        _ => json!("x"),
    }
}
