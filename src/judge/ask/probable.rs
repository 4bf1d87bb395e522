//! Probabilities of a chat model's answer, from the alternatives of the one token that the answer is.
//!
//! It is sound only where every value begins with a token of its own: yes or no, and whole numbers of one digit
//! ([`super::prompt::one_token`]); elsewhere the first token of two values may be the same. The token is found by its place
//! in the reply, not by its text, so a digit in the reason is never taken. What stands around the value in a token (a blank, a
//! comma, a bracket) does not count. Alternatives that are no value of the type are left out, so the sum may be below one.

use crate::judge::wire::Token;
use crate::number::Number;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// The probabilities of the answer `value`, one of `values`, by the texts of the values.
///
/// # Errors
/// Why they cannot be read.
pub(super) fn of_answer(text: &str, tokens: &[Token], values: &[String], value: &str) -> Result<Json, String> {
    let cannot = |what: &str| Err(format!("the probabilities of the answer cannot be read: {what}"));
    let Some(at) = answer_at(text) else { return cannot("the answer was not found in the reply") };
    let mut end = 0;
    let token = tokens.iter().find(|token| {
        end += token.text.len();
        end > at
    });
    let Some(token) = token else { return cannot("the server gave none") };
    let plain =
        |text: &str| text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ':' | '"')).to_owned();
    if plain(&token.text) != value {
        return cannot("the answer is no token of its own");
    }
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (alternative, logprob) in &token.top {
        let name = plain(alternative);
        if values.contains(&name) && logprob.is_finite() && *logprob <= 0.0 {
            *sums.entry(name).or_default() += logprob.exp();
        }
    }
    if sums.is_empty() {
        return cannot("the server gave no alternatives");
    }
    let total: f64 = sums.values().sum();
    let scale = if total > 1.0 { total } else { 1.0 };
    let mut found = Map::new();
    for name in values {
        let Some(p) = sums.get(name) else { continue };
        let Ok(p) = Number::from_decimal(&format!("{:.12}", p / scale)) else { continue };
        found.insert(name.clone(), serde_json::to_value(p).unwrap_or(Json::Null));
    }
    Ok(Json::Object(found))
}

/// Where the value of the key `answer` of the last object of a text begins, as a byte offset.
fn answer_at(text: &str) -> Option<usize> {
    // Keys of the outermost object only: depth 1, outside of texts.
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    let start = if text.trim_start().starts_with('{') { 0 } else { text.rfind("\n{").or_else(|| text.find('{'))? };
    let mut text_began = 0;
    let mut found = None;
    let mut last = "";
    let mut chars = text.char_indices().skip_while(|(at, _)| *at < start).peekable();
    while let Some((at, c)) = chars.next() {
        if in_text {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    in_text = false;
                    last = text.get(text_began..at).unwrap_or("");
                }
                _ => {}
            }
            continue;
        }
        match c {
            '"' => {
                in_text = true;
                text_began = at + 1;
            }
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 1 && last == "answer" => {
                while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
                found = chars.peek().map(|(at, _)| *at);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(parts: &[(&str, &[(&str, f64)])]) -> Vec<Token> {
        let top = |top: &[(&str, f64)]| top.iter().map(|(text, p)| ((*text).to_owned(), p.ln())).collect();
        parts.iter().map(|(text, alternatives)| Token { text: (*text).to_owned(), top: top(alternatives) }).collect()
    }

    fn read(parts: &[(&str, &[(&str, f64)])], values: &[&str], value: &str) -> Result<Json, String> {
        let text: String = parts.iter().map(|(text, _)| *text).collect();
        let values: Vec<String> = values.iter().map(|v| (*v).to_owned()).collect();
        of_answer(&text, &tokens(parts), &values, value)
    }

    #[test]
    fn the_token_of_the_answer_is_read_and_no_other() {
        let digits = ["1", "2", "3", "4", "5"];
        let parts: &[(&str, &[(&str, f64)])] = &[
            ("{\"reason\": \"a \\\"answer\\\": ", &[]),
            ("5", &[("5", 1.0)]),
            ("\", \"answer\":", &[]),
            (" 4", &[(" 4", 0.5), ("4", 0.25), (" 3", 0.125), (" x", 0.125)]),
            ("}", &[]),
        ];
        let found = read(parts, &digits, "4").unwrap();
        assert_eq!(found.to_string(), r#"{"3":0.125,"4":0.75}"#);
        assert!(read(parts, &digits, "5").unwrap_err().contains("no token of its own"));
        let split: &[(&str, &[(&str, f64)])] = &[("{\"answer\": t", &[("t", 1.0)]), ("rue}", &[])];
        assert!(read(split, &["true", "false"], "true").unwrap_err().contains("no token of its own"));
        let none: &[(&str, &[(&str, f64)])] = &[("{\"answer\": ", &[]), ("true", &[]), ("}", &[])];
        assert!(read(none, &["true", "false"], "true").unwrap_err().contains("no alternatives"));
        assert!(read(&[], &digits, "4").is_err());
    }
}
