//! Specifications from JSON lines: one record, one program.
//!
//! A record holds `id`, `rubric` and, as it needs them, `input`, `reference` and `contract`. Every other key is refused by its
//! name. Those that look like a candidate or a label get an explanation of their own: a program that has seen what it will
//! judge, or how that was judged, proves nothing about it.

use super::specification::{Contract, Specification, Written};
use crate::diagnostics::did_you_mean;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// A record of `--each`.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Also the name of its files: letters, digits, `.`, `_`, `-`.
    pub id: String,
    pub specification: Specification,
}

const KEYS: [&str; 5] = ["id", "input", "rubric", "reference", "contract"];

/// Words of keys under which data sets keep what is judged.
const CANDIDATES: [&str; 8] =
    ["candidate", "answer", "response", "completion", "output", "generation", "prediction", "translation"];

/// Words of keys under which they keep how it was judged.
const LABELS: [&str; 14] = [
    "label",
    "gold",
    "target",
    "score",
    "rating",
    "judgment",
    "judgement",
    "winner",
    "chosen",
    "rejected",
    "preference",
    "verdict",
    "grade",
    "human",
];

/// Reads a record; what it leaves open of its contract is as in `base`.
///
/// # Errors
/// One sentence that names the key and what to do.
pub fn instance(line: &str, base: &Written) -> Result<Instance, String> {
    let record: Map<String, Json> = match serde_json::from_str(line) {
        Ok(Json::Object(record)) => record,
        Ok(_) => return Err("it is no JSON object".to_owned()),
        Err(error) => return Err(format!("it is not JSON: {error}")),
    };
    record.keys().filter(|key| !KEYS.contains(&key.as_str())).try_for_each(|key| Err(refused(key)))?;
    let id = match record.get("id") {
        Some(Json::String(id)) => id.clone(),
        Some(Json::Number(id)) if id.is_u64() => id.to_string(),
        _ => return Err("it has no `id`, by which its program would be called".to_owned()),
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if id.is_empty() || id.len() > 100 || id.starts_with('.') || !id.chars().all(plain) {
        return Err(format!(
            "the id `{}` cannot name a file; use up to 100 letters, digits, `.`, `_` and `-`",
            id.chars().take(40).collect::<String>()
        ));
    }
    let rubric = match record.get("rubric") {
        Some(Json::String(text)) if !text.trim().is_empty() => text.clone(),
        Some(Json::Array(items)) if !items.is_empty() && items.iter().all(Json::is_string) => {
            items.iter().filter_map(Json::as_str).map(|item| format!("- {item}\n")).collect()
        }
        _ => return Err("its `rubric` must be a text, or a list of texts, that says what is good".to_owned()),
    };
    let task = match record.get("input") {
        None | Some(Json::Null) => None,
        Some(task @ (Json::String(_) | Json::Object(_))) => Some(task.clone()),
        Some(_) => return Err("its `input` must be a text, or an object of several inputs".to_owned()),
    };
    let reference: Option<Arc<str>> = match record.get("reference") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => Some(text.as_str().into()),
        Some(_) => return Err("its `reference` must be a text".to_owned()),
    };
    let contract = contract(record.get("contract"), base, &id)?;
    Ok(Instance { id, specification: Specification { task, rubric: rubric.into(), reference, contract } })
}

fn contract(own: Option<&Json>, base: &Written, id: &str) -> Result<Contract, String> {
    let mut written = base.clone();
    match own {
        None | Some(Json::Null) => {}
        Some(Json::Object(parts)) => {
            for (key, value) in parts {
                let text = match value {
                    Json::String(text) => text.clone(),
                    Json::Number(number) => number.to_string(),
                    _ => return Err(format!("`contract.{key}` must be a text")),
                };
                if !written.set(key, &text) {
                    let known = Written::KEYS.join("`, `");
                    return Err(format!("`contract.{key}` means nothing; a contract has `{known}`"));
                }
            }
        }
        Some(_) => return Err("its `contract` must be an object, such as `{\"output\": \"int[1..5]\"}`".to_owned()),
    }
    if written.name.is_none() {
        written.name = Some(program_name(id));
    }
    written.read()
}

/// A word for the program of an id: records of a run name their program by it.
fn program_name(id: &str) -> String {
    let word: String = id.chars().map(|c| if unicode_ident::is_xid_continue(c) { c } else { '_' }).collect();
    let reserved = crate::syntax::token::RESERVED.iter().any(|(reserved, _)| *reserved == word);
    let begins = word.chars().next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    if begins && !reserved { word } else { format!("task_{word}") }
}

/// Why a key cannot stand in a record.
fn refused(key: &str) -> String {
    let lower = key.to_lowercase();
    let holds = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if holds(&LABELS) {
        return format!(
            "`{key}` looks like how something was judged; a program is written before anything is judged, so that it cannot be \
             fitted to the outcome; take the key out"
        );
    }
    if holds(&CANDIDATES) {
        return format!(
            "`{key}` looks like a candidate; a program is written before any candidate is seen, so that it cannot be fitted to \
             one; take the key out (`rubric run` gets the candidates)"
        );
    }
    match did_you_mean(&lower, KEYS) {
        Some(known) => format!("`{key}` means nothing here; did you mean `{known}`?"),
        None => format!("`{key}` means nothing here; a record has `{}`", KEYS.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Instance, String> {
        instance(line, &Written::default())
    }

    #[test]
    fn a_record_becomes_a_specification() {
        let found = read(
            r#"{"id": "q-7", "input": {"question": "Why?"}, "rubric": ["Names a cause", "Is short"], "reference": "Because.",
                "contract": {"output": "int[1..5]", "interval": "0..1"}}"#,
        )
        .unwrap();
        let s = &found.specification;
        assert_eq!((found.id.as_str(), &*s.rubric), ("q-7", "- Names a cause\n- Is short\n"));
        assert_eq!(s.contract.name.as_deref(), Some("q_7"));
        assert_eq!(
            read(r#"{"id": 7, "rubric": "Be kind."}"#).unwrap().specification.contract.name.as_deref(),
            Some("task_7")
        );
    }

    #[test]
    fn candidates_and_labels_are_refused_by_name() {
        for (key, said) in [
            ("response_a", "before any candidate"),
            ("candidates", "before any candidate"),
            ("model_output", "before any candidate"),
            ("gold", "before anything is judged"),
            ("Human_Score", "before anything is judged"),
            ("winner", "before anything is judged"),
            ("rubrics", "did you mean `rubric`"),
            ("colour", "a record has"),
        ] {
            let fault = read(&format!(r#"{{"id": "a", "rubric": "r", "{key}": 1}}"#)).unwrap_err();
            assert!(fault.contains(said) && fault.contains(key), "{fault}");
        }
    }

    #[test]
    fn what_is_missing_or_cannot_name_a_file_is_said() {
        for (line, said) in [
            ("[]", "no JSON object"),
            ("{", "not JSON"),
            (r#"{"rubric": "r"}"#, "no `id`"),
            (r#"{"id": "../x", "rubric": "r"}"#, "cannot name a file"),
            (r#"{"id": "a"}"#, "its `rubric`"),
            (r#"{"id": "a", "rubric": " "}"#, "its `rubric`"),
            (r#"{"id": "a", "rubric": "r", "input": 3}"#, "its `input`"),
            (r#"{"id": "a", "rubric": "r", "contract": {"range": "0..1"}}"#, "`contract.range`"),
            (r#"{"id": "a", "rubric": "r", "contract": {"output": "int[5..1]"}}"#, "cannot be the output"),
        ] {
            let fault = read(line).unwrap_err();
            assert!(fault.contains(said), "{line}: {fault}");
        }
    }
}
