//! A part of a foreign file with the way that leads to it, so that whatever is wrong can be told with its place.
//!
//! Parts read strictly: a text must be a text that is not empty, a number a number (or one written as a text, as tables and
//! some data sets have it). `null` is as absent. Nothing is guessed and nothing gets a default here.

use crate::number::Number;
use crate::source::did_you_mean;
use serde_json::{Map, Value as Json};

/// What is wrong with a part: the way to it by keys (`rubrics[2].points`), and a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if key.is_empty() { String::new() } else { format!("`{key}`: ") })]
pub struct Fault {
    pub key: String,
    pub message: String,
}

/// A value of a foreign file.
#[derive(Debug, Clone)]
pub struct Part<'j> {
    pub json: &'j Json,
    key: String,
}

impl<'j> Part<'j> {
    /// The whole of a row or file.
    #[must_use]
    pub fn whole(json: &'j Json) -> Part<'j> {
        Part { json, key: String::new() }
    }

    /// A fault of this part.
    #[must_use]
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { key: self.key.clone(), message: message.into() }
    }

    fn below(&self, json: &'j Json, key: &str) -> Part<'j> {
        let key = if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) };
        Part { json, key }
    }

    /// The part under `key`, unless it is absent or `null`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Part<'j>> {
        let found = self.json.get(key).filter(|json| !json.is_null())?;
        Some(self.below(found, key))
    }

    /// The first of several keys that is there: versions of a format name one thing differently.
    #[must_use]
    pub fn any(&self, keys: &[&str]) -> Option<Part<'j>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// # Errors
    /// Where none of the keys is there.
    pub fn need(&self, keys: &[&str]) -> Result<Part<'j>, Fault> {
        if let Some(found) = self.any(keys) {
            return Ok(found);
        }
        let wanted = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
        let Some(object) = self.json.as_object() else {
            return Err(self.fault(format!("an object with {wanted} is wanted, not {}", shown(self.json))));
        };
        let near = keys.iter().find_map(|key| did_you_mean(key, object.keys().map(String::as_str)));
        let hint = near.map_or_else(String::new, |near| format!("; is it the one called `{near}`?"));
        Err(self.fault(format!("{wanted} is missing{hint}")))
    }

    /// A text that is not blank, without blanks at its ends.
    ///
    /// # Errors
    /// Where it is no such text.
    pub fn text(&self) -> Result<String, Fault> {
        match self.json {
            Json::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Json::String(_) => Err(self.fault("the text is empty")),
            other => Err(self.fault(format!("a text is wanted, not {}", shown(other)))),
        }
    }

    /// A text, or a number or yes/no as a text: what identifiers and labels may be.
    ///
    /// # Errors
    /// Where it is a list, an object or a blank text.
    pub fn word(&self) -> Result<String, Fault> {
        match self.json {
            Json::Number(number) => Ok(number.to_string()),
            Json::Bool(flag) => Ok(flag.to_string()),
            _ => self.text(),
        }
    }

    /// An exact number, written as a number or as a text.
    ///
    /// # Errors
    /// Where it is none.
    pub fn number(&self) -> Result<Number, Fault> {
        let read = match self.json {
            Json::Number(number) => Number::from_decimal(&number.to_string()),
            Json::String(text) => Number::from_decimal(text.trim()),
            other => return Err(self.fault(format!("a number is wanted, not {}", shown(other)))),
        };
        read.map_err(|_| self.fault(format!("a number is wanted, not {}", shown(self.json))))
    }

    /// A whole number.
    ///
    /// # Errors
    /// Where it is none.
    pub fn whole_number(&self) -> Result<i64, Fault> {
        let number = self.number()?;
        let whole = number.is_integer().then(|| number.to_i64()).flatten();
        whole.ok_or_else(|| self.fault(format!("a whole number is wanted, not {}", shown(self.json))))
    }

    /// Yes or no: a bool, 0 or 1, or one of the words in any case.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn flag(&self) -> Result<bool, Fault> {
        let word = match self.json {
            Json::Bool(flag) => return Ok(*flag),
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.trim().to_lowercase(),
            _ => String::new(),
        };
        match word.as_str() {
            "1" | "true" | "yes" => Ok(true),
            "0" | "false" | "no" => Ok(false),
            _ => Err(self.fault(format!("yes or no is wanted, not {}", shown(self.json)))),
        }
    }

    /// The entries of a list.
    ///
    /// # Errors
    /// Where it is none.
    pub fn list(&self) -> Result<Vec<Part<'j>>, Fault> {
        let list = self.json.as_array();
        let list = list.ok_or_else(|| self.fault(format!("a list is wanted, not {}", shown(self.json))))?;
        let key = |n: usize| format!("{}[{n}]", self.key);
        Ok(list.iter().enumerate().map(|(n, json)| Part { json, key: key(n) }).collect())
    }

    /// A list with at least one entry.
    ///
    /// # Errors
    /// Where it is none.
    pub fn some(&self) -> Result<Vec<Part<'j>>, Fault> {
        let list = self.list()?;
        if list.is_empty() { Err(self.fault("the list is empty")) } else { Ok(list) }
    }

    /// The entries of an object, in its order.
    ///
    /// # Errors
    /// Where it is none.
    pub fn entries(&self) -> Result<Vec<(&'j String, Part<'j>)>, Fault> {
        let object = self.json.as_object();
        let object = object.ok_or_else(|| self.fault(format!("an object is wanted, not {}", shown(self.json))))?;
        Ok(object.iter().map(|(key, json)| (key, self.below(json, key))).collect())
    }

    /// The field of our record, where the key is there: `copy(&["input"], &mut record, "question")`.
    pub fn copy(&self, keys: &[&str], into: &mut Map<String, Json>, field: &str) {
        if let Some(found) = self.any(keys) {
            into.insert(field.to_owned(), found.json.clone());
        }
    }
}

/// A value, short enough for a message.
fn shown(json: &Json) -> String {
    match json {
        Json::Null => "nothing".to_owned(),
        Json::Array(list) => format!("a list of {}", list.len()),
        Json::Object(_) => "an object".to_owned(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= 60 { text } else { format!("{}…", text.chars().take(60).collect::<String>()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_lead_to_the_fault() {
        let row = json!({"rubrics": [{"criterion": "x", "points": "many"}], "prompt": null});
        let whole = Part::whole(&row);
        let item = &whole.need(&["rubrics"]).unwrap().some().unwrap()[0];
        let fault = item.need(&["points"]).unwrap().number().unwrap_err();
        assert_eq!(fault.to_string(), "`rubrics[0].points`: a number is wanted, not \"many\"");
        assert_eq!(whole.need(&["prompt"]).unwrap_err().to_string(), "`prompt` is missing");
        assert!(whole.need(&["rubric"]).unwrap_err().to_string().contains("is it the one called `rubrics`?"));
    }

    #[test]
    fn numbers_and_yes_or_no_may_be_texts() {
        let row = json!({"n": "2.50", "y": "Yes", "z": 0, "bad": "perhaps", "half": 0.5});
        let whole = Part::whole(&row);
        assert_eq!(whole.get("n").unwrap().number().unwrap().to_string(), "2.5");
        assert!(whole.get("y").unwrap().flag().unwrap() && !whole.get("z").unwrap().flag().unwrap());
        assert!(whole.get("bad").unwrap().flag().is_err() && whole.get("half").unwrap().whole_number().is_err());
    }
}
