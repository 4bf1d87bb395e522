//! What makes two calls the same call: everything that the judge sees, and how it is asked.
//!
//! The key is a digest of the bytes of the request (rendered with a fixed nonce, because the real one differs each time), of
//! where they go, and of the sample's number, so that three samples of one question are three judgments. The question is
//! the one asked first: a reply to a question that was asked again because of its form stands under the first. Beside the
//! key stand short digests of its parts, by which [`super::look`] says what differs between two calls.

use crate::judge::wire::{Chat, Content, Decide, DecideQuestion, Question, Sampling};
use serde_json::Value as Json;

/// Identifies a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub [u8; 32]);

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Every judgment has two of them in its trace, and formatting number by number takes longer than the digest.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |half: u8| char::from(DIGITS.get(usize::from(half)).copied().unwrap_or(b'0'));
        let mut text = String::with_capacity(3 + 2 * self.0.len());
        text.push_str("b3:");
        self.0.iter().for_each(|byte| text.extend([digit(byte >> 4), digit(byte & 15)]));
        f.write_str(&text)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A call's key, and digests of what went into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    pub key: Key,
    pub url: String,
    /// As it is asked for.
    pub model: String,
    /// From 0.
    pub sample: u32,
    pub parts: Parts,
    /// It is a verifier's.
    pub is_command: bool,
}

/// Digests of the parts of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The instructions that are the same for all questions.
    pub system: i64,
    /// Inputs, references and the candidate.
    pub shared: i64,
    /// The question, its levels and examples.
    pub own: i64,
    /// The form of the answer.
    pub form: i64,
    /// Temperature, limit of tokens, seed, probabilities.
    pub sampling: i64,
}

impl Key {
    /// The key of a request. `body`: its bytes, in any number of pieces, with a nonce that is the same in every run.
    #[must_use]
    pub fn of(url: &str, model: &str, body: &[&[u8]], sample: u32) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut part = |pieces: &[&[u8]]| {
            let length: usize = pieces.iter().map(|piece| piece.len()).sum();
            hasher.update(&(length as u64).to_le_bytes());
            for piece in pieces {
                hasher.update(piece);
            }
        };
        part(&[b"rubric-judgment/1"]);
        part(&[url.as_bytes()]);
        part(&[model.as_bytes()]);
        part(&[&sample.to_le_bytes()]);
        part(body);
        Key(*hasher.finalize().as_bytes())
    }
}

impl Identity {
    /// `body` is the request with a nonce that is the same in every run, without earlier replies; `question` is what it was rendered from.
    #[must_use]
    pub fn of(url: &str, model: &str, body: &[u8], sample: u32, question: &Question) -> Identity {
        Identity::with(Key::of(url, model, &[body], sample), url, model, sample, question)
    }

    /// The same where the key is known.
    #[must_use]
    pub fn with(key: Key, url: &str, model: &str, sample: u32, question: &Question) -> Identity {
        Identity {
            key,
            url: url.to_owned(),
            model: model.to_owned(),
            sample,
            parts: Parts::of(question),
            is_command: false,
        }
    }

    /// Of a command that judges: `url` is the command in words, `body` everything that it is given and made of.
    #[must_use]
    pub fn of_command(url: &str, model: &str, body: &[u8], parts: Parts) -> Identity {
        let (key, url, model) = (Key::of(url, model, &[body], 0), url.to_owned(), model.to_owned());
        Identity { key, url, model, sample: 0, parts, is_command: true }
    }
}

impl Parts {
    /// Of a command: `files` is a digest of those that it is made of, `input` what it is given.
    #[must_use]
    pub fn of_command(files: &[u8; 32], input: &Json) -> Parts {
        let of = |key: &str| input.get(key).map_or(0, |value| Short::default().json(value).end());
        let own = ["criterion", "type", "question"].iter().fold(Short::default(), |short, key| match input.get(*key) {
            Some(value) => short.json(value),
            None => short,
        });
        let system = i64::from_be_bytes(files.first_chunk().copied().unwrap_or_default());
        Parts { system, shared: of("fields"), own: own.end(), form: 0, sampling: 0 }
    }

    fn of(question: &Question) -> Parts {
        match question {
            Question::Chat(Chat { system, shared, own, again: _, schema, schema_name, sampling }) => Parts {
                system: system.digest(|text| Short::default().text(text).end()),
                shared: contents(shared),
                own: contents(own),
                form: Short::default().text(schema_name).text(schema.text()).end(),
                sampling: of_sampling(sampling),
            },
            Question::Decide(Decide { state, questions }) => Parts {
                system: 0,
                shared: Short::default().json(state).end(),
                own: questions.iter().fold(Short::default(), |short, (_, question)| decide(short, question)).end(),
                form: questions.iter().fold(Short::default(), |short, (id, _)| short.text(id)).end(),
                sampling: 0,
            },
            Question::Embed(texts) => Parts {
                system: 0,
                shared: 0,
                own: texts.iter().fold(Short::default(), |short, text| short.text(text)).end(),
                form: 0,
                sampling: 0,
            },
        }
    }
}

fn contents(contents: &[Content]) -> i64 {
    let one = |short: Short, content: &Content| match content {
        Content::Text(text) => short.text("text").text(text),
        Content::Image(address) => short.text("image").text(address),
    };
    contents.iter().fold(Short::default(), one).end()
}

fn of_sampling(sampling: &Sampling) -> i64 {
    let Sampling { temperature, max_tokens, seed, top_logprobs } = sampling;
    let temperature = temperature.as_ref().map(crate::number::Number::exact).unwrap_or_default();
    Short::default().text(&temperature).text(&format!("{max_tokens:?} {seed:?} {top_logprobs}")).end()
}

fn decide(short: Short, question: &DecideQuestion) -> Short {
    let outcomes = |short: Short, outcomes: &[(String, Option<String>)]| {
        outcomes.iter().fold(short, |short, (value, said)| short.text(value).text(said.as_deref().unwrap_or("")))
    };
    match question {
        DecideQuestion::Predicate { instructions, yes, no } => {
            short.text(instructions).text(yes.as_deref().unwrap_or("")).text(no.as_deref().unwrap_or(""))
        }
        DecideQuestion::Choice { instructions, options } => outcomes(short.text(instructions), options),
        DecideQuestion::Score { instructions, levels } => outcomes(short.text(instructions), levels),
    }
}

/// A short digest of several texts.
#[derive(Default)]
struct Short(blake3::Hasher);

impl Short {
    fn text(mut self, text: &str) -> Short {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    fn json(self, json: &Json) -> Short {
        self.text(&json.to_string())
    }

    /// The first eight bytes of it, as SQLite's numbers are.
    fn end(self) -> i64 {
        i64::from_be_bytes(self.0.finalize().as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

/// What a call is about, whatever it asks: the place under which [`super::look`] finds earlier calls.
#[must_use]
pub fn about(record: &str, candidate: &str, criterion: &str) -> i64 {
    Short::default().text(record).text(candidate).text(criterion).end()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn chat(own: &str) -> Question {
        Question::Chat(Chat {
            system: "You judge.".into(),
            shared: vec![Content::Text("The answer".into())],
            own: vec![Content::Text(own.into())],
            again: Vec::new(),
            schema: serde_json::json!({"type": "object"}).into(),
            schema_name: "judgment",
            sampling: Sampling::default(),
        })
    }

    pub(crate) fn identity(own: &str, sample: u32) -> Identity {
        Identity::of("http://localhost/v1/chat", "m", own.as_bytes(), sample, &chat(own))
    }

    #[test]
    fn everything_that_matters_makes_another_key() {
        let base = identity("Is it good?", 0);
        assert_eq!(base.key, identity("Is it good?", 0).key);
        let question = chat("Is it good?");
        let body = b"Is it good?";
        let others = [
            identity("Is it bad?", 0),
            identity("Is it good?", 1),
            Identity::of("http://localhost/v2/chat", "m", body, 0, &question),
            Identity::of("http://localhost/v1/chat", "n", body, 0, &question),
            // No two parts run into one another.
            Identity::of("http://localhost/v1/chatm", "", body, 0, &question),
        ];
        for other in others {
            assert_ne!(base.key, other.key, "{other:?}");
        }
    }

    #[test]
    fn parts_tell_where_two_questions_differ() {
        let (a, b) = (identity("Is it good?", 0).parts, identity("Is it bad?", 0).parts);
        assert_ne!(a.own, b.own);
        assert_eq!((a.system, a.shared, a.form, a.sampling), (b.system, b.shared, b.form, b.sampling));
    }
}
