//! JSON as data files hold it, read strictly: a key that stands twice in one object is a fault, numbers keep every digit.
//!
//! `serde_json` alone keeps the last of two equal keys, so a judgment could be lost without a word. Depth is bounded by
//! `serde_json` (128 levels).

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use std::fmt;

/// The key under which `serde_json` hands over a number with all its digits.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Reads one JSON value that fills the whole text.
///
/// # Errors
/// A sentence that says what is wrong with the text, and at which column.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| explain(text, &error))
}

/// Says in plain words why a text is no JSON.
fn explain(text: &str, error: &serde_json::Error) -> String {
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or(&what);
    let at = if error.column() > 0 { format!(" (column {})", error.column()) } else { String::new() };
    if error.is_eof() {
        return format!("the JSON is cut off{at}: it ends before its last bracket or quote");
    }
    let near = text.get(error.column().saturating_sub(1)..).unwrap_or("");
    if ["NaN", "nan", "Infinity", "-Infinity", "inf", "aN", "nfinity"].iter().any(|word| near.starts_with(word)) {
        return format!("NaN and Infinity are no JSON numbers{at}; write null where there is no value");
    }
    format!("not valid JSON{at}: {what}")
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key == NUMBER_KEY {
                let digits: String = entries.next_value()?;
                let number: Number = digits.parse().map_err(|_| A::Error::custom(format!("`{key}` is no key")))?;
                return Ok(Value::Number(number));
            }
            let value = entries.next_value_seed(Strict)?;
            match map.entry(key) {
                Entry::Vacant(place) => drop(place.insert(value)),
                Entry::Occupied(there) => {
                    let key = there.key();
                    return Err(A::Error::custom(format!("the key `{key}` stands twice in one object")));
                }
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn keeps_every_digit() {
        let value = parse(r#"{"a": [0.1000000000000000055, -3, 1e-7, true, null, "x"]}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":[0.1000000000000000055,-3,1e-7,true,null,"x"]}"#);
    }

    #[test]
    fn a_key_that_stands_twice_is_a_fault() {
        assert!(parse(r#"{"a": {"b": 1, "b": 2}}"#).unwrap_err().contains("`b` stands twice"));
    }

    #[test]
    fn says_what_is_wrong() {
        assert!(parse(r#"{"a": tr"#).unwrap_err().contains("cut off"));
        assert!(parse(r#"{"a": NaN}"#).unwrap_err().contains("NaN"), "{}", parse(r#"{"a": NaN}"#).unwrap_err());
        assert!(parse(r#"{"a": 1} x"#).unwrap_err().contains("not valid JSON"));
        assert!(parse(r#"{"$serde_json::private::Number": "x"}"#).is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
