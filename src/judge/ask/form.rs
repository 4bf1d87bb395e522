//! The form of an answer: the JSON schema that binds it, and the same in words.
//!
//! A schema holds no bounds and no lengths, which some servers refuse; [`super::reply`] checks the declared type. It does not
//! hold the nonce either, so that servers can keep one compiled schema for all requests of a criterion.

use super::order;
use crate::graph::Reason;
use crate::judge::wire::Schema;
use crate::types::{Base, Type};
use serde_json::{Map, Value as Json, json};

/// What one answer consists of.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) ty: Type,
    pub(super) evidence: bool,
    pub(super) reason: Reason,
    /// Options are shown in the order of this seed.
    pub(super) shuffle: Option<String>,
}

/// Most options that are written out one by one.
const MOST_OPTIONS: i64 = 20;

impl Form {
    /// The keys of an answer, in the order in which the model writes them.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        let mut keys = Vec::with_capacity(3);
        if self.evidence {
            keys.push("quotes");
        }
        match self.reason {
            Reason::Before => keys.extend(["reason", "answer"]),
            Reason::After => keys.extend(["answer", "reason"]),
            Reason::None => keys.push("answer"),
        }
        keys
    }

    fn properties(&self) -> Map<String, Json> {
        let property = |key: &str| match key {
            "quotes" => json!({"type": "array", "items": {"type": "string"}}),
            "reason" => json!({"type": "string"}),
            _ => self.value(),
        };
        self.keys().into_iter().map(|key| (key.to_owned(), property(key))).collect()
    }

    /// The schema of a value.
    fn value(&self) -> Json {
        let labels = || self.options().unwrap_or_default();
        let known = match &self.ty.base {
            Base::Bool if self.ty.optional => return json!({"type": "string", "enum": ["true", "false", "unknown"]}),
            Base::Bool => json!({"type": "boolean"}),
            Base::Int { .. } => match self.options() {
                Some(levels) => {
                    let levels: Vec<i64> = levels.iter().filter_map(|level| level.parse().ok()).collect();
                    json!({"type": "integer", "enum": levels})
                }
                None => json!({"type": "integer"}),
            },
            Base::Score { .. } | Base::Real => json!({"type": "number"}),
            Base::Ordinal(_) | Base::Choice(_) => {
                let mut all = labels();
                if self.ty.optional {
                    all.push("unknown".to_owned());
                }
                return json!({"type": "string", "enum": all});
            }
            Base::Set(_) => json!({"type": "array", "items": {"type": "string", "enum": labels()}}),
            Base::Tally { .. } => json!({"type": "array", "items": {
                "type": "object",
                "properties": {"label": {"type": "string", "enum": labels()}, "quote": {"type": "string"}},
                "required": ["label", "quote"],
                "additionalProperties": false,
            }}),
            Base::Items => json!({"type": "boolean"}),
        };
        if self.ty.optional { json!({"anyOf": [known, {"type": "string", "enum": ["unknown"]}]}) } else { known }
    }

    /// The options that can be written out, in the order shown.
    pub(super) fn options(&self) -> Option<Vec<String>> {
        let mut options: Vec<String> = match &self.ty.base {
            Base::Bool => vec!["true".to_owned(), "false".to_owned()],
            Base::Int { lo, hi } => {
                let (lo, hi) = (lo.to_i64()?, hi.to_i64()?);
                if hi.checked_sub(lo)? >= MOST_OPTIONS {
                    return None;
                }
                (lo..=hi).map(|level| level.to_string()).collect()
            }
            Base::Ordinal(labels) | Base::Choice(labels) | Base::Set(labels) | Base::Tally { labels, .. } => {
                labels.iter().map(|label| label.to_string()).collect()
            }
            Base::Score { .. } | Base::Real | Base::Items => return None,
        };
        if let Some(seed) = &self.shuffle {
            order::shuffle(&mut options, seed);
        }
        Some(options)
    }

    /// A value in words.
    fn words(&self) -> String {
        let quoted = |between: &str| {
            let all = self.options().unwrap_or_default();
            all.iter().map(|label| Json::from(label.as_str()).to_string()).collect::<Vec<_>>().join(between)
        };
        let known = match &self.ty.base {
            Base::Bool | Base::Items if self.ty.optional => return "\"true\", \"false\" or \"unknown\"".to_owned(),
            Base::Bool | Base::Items => self.options().unwrap_or_default().join(" or "),
            Base::Int { lo, hi } => format!("a whole number from {lo} to {hi}"),
            Base::Score { lo, hi } => format!("a number from {lo} to {hi}, with a decimal point where it is not whole"),
            Base::Real => "a number".to_owned(),
            Base::Ordinal(_) => format!("one of these, in quotes as here: {}", quoted(", ")),
            Base::Choice(_) => format!("one of these, in quotes as here: {}", quoted(", ")),
            Base::Set(_) => {
                format!("a list of those that apply, each once; an empty list where none does: {}", quoted(", "))
            }
            Base::Tally { max, .. } => format!(
                "a list with one entry {{\"label\": …, \"quote\": …}} for each place that is found; the quote is copied from it \
                 letter by letter; an empty list where there is none; the labels, each {max} times at most, are {}",
                quoted(", ")
            ),
        };
        if self.ty.optional { format!("{known}; or \"unknown\"") } else { known }
    }

    /// A line for each key.
    fn lines(&self, indent: &str) -> String {
        let line = |key: &str| {
            let what = match key {
                "quotes" => {
                    "a list of short passages of what is judged that show it, copied letter by letter; an empty list where there \
                     is nothing to show"
                        .to_owned()
                }
                "reason" => "why, in one to three sentences".to_owned(),
                _ => self.words(),
            };
            format!("{indent}- \"{key}\": {what}\n")
        };
        self.keys().into_iter().map(line).collect()
    }
}

/// An object that has exactly these properties.
fn object(properties: Map<String, Json>) -> Json {
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

fn nonce() -> (String, Json) {
    ("nonce".to_owned(), json!({"type": "string"}))
}

/// What a whole reply is.
#[derive(Debug, Clone)]
pub(super) enum Sheet {
    /// One answer.
    One(Form),
    /// An answer for each of these keys.
    Several(Vec<(String, Form)>),
    /// A list of parts of this kind.
    Parts(String),
}

/// The form of an answer, written out.
#[derive(Debug)]
pub(super) struct Paper {
    /// The words around the nonce.
    pub(super) words: (String, String),
    pub(super) schema: Schema,
    /// A word for the schema.
    pub(super) name: &'static str,
}

impl Sheet {
    /// Writes it out, for a model that keeps to a schema (`structured`) or one that is only told.
    pub(super) fn paper(&self, structured: bool) -> Paper {
        let name = match self {
            Sheet::One(_) => "judgment",
            Sheet::Several(_) => "judgments",
            Sheet::Parts(_) => "parts",
        };
        Paper { words: self.words(structured), schema: self.schema().into(), name }
    }

    /// The schema.
    pub(super) fn schema(&self) -> Json {
        let mut properties = Map::from_iter([nonce()]);
        match self {
            Sheet::One(form) => properties.extend(form.properties()),
            Sheet::Several(forms) => {
                let answers = forms.iter().map(|(key, form)| (key.clone(), object(form.properties()))).collect();
                properties.insert("answers".to_owned(), object(answers));
            }
            Sheet::Parts(_) => {
                properties.insert("parts".to_owned(), json!({"type": "array", "items": {"type": "string"}}));
            }
        }
        object(properties)
    }

    /// The same in words, before and after the nonce.
    pub(super) fn words(&self, structured: bool) -> (String, String) {
        let before = "Answer with one JSON object that has these keys, in this order, and no others:\n- \"nonce\": \"";
        let mut after = "\", as it stands here\n".to_owned();
        match self {
            Sheet::One(form) => after.push_str(&form.lines("")),
            Sheet::Several(forms) => {
                let keys = forms.iter().map(|(key, _)| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
                after.push_str(&format!("- \"answers\": an object with the keys {keys}, for each an object with these keys:\n"));
                // All items of a batch and all candidates are asked for in one form.
                if let Some((_, form)) = forms.first() {
                    after.push_str(&form.lines("  "));
                }
            }
            Sheet::Parts(kind) => after.push_str(&format!(
                "- \"parts\": the list, one text for each {kind}, in the words of what is judged; an empty list where there is none\n"
            )),
        }
        if !structured {
            after.push_str(
                "Write the object last, in a block that begins with the line ```json and ends with the line ```, and nothing after it.\n",
            );
        }
        (before.to_owned(), after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    fn form(ty: Type) -> Form {
        Form { ty, evidence: false, reason: Reason::Before, shuffle: None }
    }

    #[test]
    fn every_type_has_a_closed_schema_without_bounds() {
        let labels: crate::types::Labels = ["a".into(), "b c".into()].into();
        let types = [
            Base::Bool,
            Base::Int { lo: Number::int(1), hi: Number::int(5) },
            Base::Int { lo: Number::int(0), hi: Number::int(100) },
            Base::Score { lo: Number::ZERO, hi: Number::ONE },
            Base::Ordinal(labels.clone()),
            Base::Choice(labels.clone()),
            Base::Set(labels.clone()),
            Base::Tally { labels, max: 3 },
        ];
        for base in types {
            for optional in [false, true] {
                let ty = Type::of(base.clone()).with_optional(optional);
                let sheet = Sheet::One(Form { evidence: true, ..form(ty.clone()) });
                let schema = sheet.schema().to_string();
                assert!(
                    !["minimum", "maximum", "minLength", "maxLength", "minItems"].iter().any(|w| schema.contains(w))
                );
                assert!(schema.contains(r#""required":["nonce","quotes","reason","answer"]"#), "{schema}");
                assert_eq!(schema.contains("unknown"), optional, "{ty}: {schema}");
                assert_eq!(sheet.words(true).1.contains("unknown"), optional, "{ty}");
            }
        }
    }

    #[test]
    fn reasons_stand_where_they_are_wanted() {
        let keys = |reason| Form { reason, evidence: true, ..form(Type::BOOL) }.keys();
        assert_eq!(keys(Reason::Before), ["quotes", "reason", "answer"]);
        assert_eq!(keys(Reason::After), ["quotes", "answer", "reason"]);
        assert_eq!(keys(Reason::None), ["quotes", "answer"]);
    }

    #[test]
    fn shuffled_options_are_the_same_options() {
        let ty = Type::int(1, 9);
        let declared = form(ty.clone()).options().unwrap();
        let mut shuffled = Form { shuffle: Some("s".into()), ..form(ty) }.options().unwrap();
        assert_ne!(declared, shuffled);
        shuffled.sort();
        assert_eq!(declared, shuffled);
    }
}
