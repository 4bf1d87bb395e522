//! JSON as replies hold it, borrowed from the bytes of the reply: much cheaper than `serde_json`'s own value, because texts
//! without escapes are not copied and objects are lists of pairs, searched from the end. Replies are small and looked into once.
//!
//! Like `serde_json` it takes the last of two equal keys, keeps every digit of a number, and bounds the depth (128 levels).

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt;

/// The key under which `serde_json` hands over a number with all its digits.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// A value in a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    /// A whole number from 0 up.
    Whole(u64),
    Negative(i64),
    /// Any other, as it was written.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Object(Object<'a>),
}

/// Keys with their values, as they were written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Keys with values, each key once.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        let last = |at: usize, key: &str| self.0.iter().skip(at + 1).all(|(name, _)| name != key);
        let pairs = self.0.iter().enumerate().filter(move |(at, (key, _))| last(*at, key));
        pairs.map(|(_, (key, value))| (&**key, value))
    }

    pub(super) fn len(&self) -> usize {
        self.iter().count()
    }
}

impl<'a> Value<'a> {
    /// What stands under a key; `None` too where this is no object.
    pub(super) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    pub(super) fn as_object(&self) -> Option<&Object<'a>> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    pub(super) fn as_array(&self) -> Option<&[Value<'a>]> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// The digits of a number.
    pub(super) fn digits(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Whole(number) => Some(Cow::Owned(number.to_string())),
            Value::Negative(number) => Some(Cow::Owned(number.to_string())),
            Value::Number(digits) => Some(Cow::Borrowed(digits)),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Value::Whole(_) | Value::Negative(_) | Value::Number(_))
    }

    /// A number that is whole and written so.
    pub(super) fn as_u64(&self) -> Option<u64> {
        if let Value::Whole(number) = self { Some(*number) } else { None }
    }

    /// A number that is finite as a float.
    pub(super) fn as_f64(&self) -> Option<f64> {
        self.digits()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub(super) fn json(&self) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Whole(number) => Json::from(*number),
            Value::Negative(number) => Json::from(*number),
            Value::Number(digits) => digits.parse().map_or(Json::Null, Json::Number),
            Value::Text(text) => Json::String(text.clone().into_owned()),
            Value::List(list) => list.iter().map(Value::json).collect(),
            Value::Object(object) => object.iter().map(|(key, value)| (key.to_owned(), value.json())).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value<'de>, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// A key or the digits of a number, borrowed where they stand in the bytes as they are.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Negative(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = entries.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(Text(key)) = entries.next_key()? {
            if key == NUMBER_KEY && pairs.is_empty() {
                let Text(digits) = entries.next_value()?;
                // A server could write this key itself.
                let number: serde_json::Number =
                    digits.parse().map_err(|_| serde::de::Error::custom(format!("`{key}` is no key")))?;
                drop(number);
                return Ok(Value::Number(digits));
            }
            pairs.push((key, entries.next_value()?));
        }
        Ok(Value::Object(Object(pairs)))
    }
}

/// Of what a test writes down.
#[cfg(test)]
impl From<&Json> for Value<'static> {
    fn from(json: &Json) -> Value<'static> {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => {
                number.as_u64().map_or_else(|| Value::Number(number.to_string().into()), Value::Whole)
            }
            Json::String(text) => Value::Text(text.clone().into()),
            Json::Array(list) => Value::List(list.iter().map(Value::from).collect()),
            Json::Object(map) => Value::Object(Object(map.iter().map(|(k, v)| (k.clone().into(), v.into())).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn it_reads_what_serde_json_reads() {
        for text in [
            r#"{"a": [0.1000000000000000055, -3, 1e-7, true, null, "x", "\n\"é\u00e9", {}, []], "b": {"c": {"a": 1}}}"#,
            r#"{"a": 1, "b": 2, "a": {"c": 3}}"#,
            r#""\ud83d\ude00""#,
            "18446744073709551615",
            "-0.0",
        ] {
            let json: Json = serde_json::from_str(text).unwrap();
            assert_eq!(value(text).json(), json, "{text}");
            for key in ["a", "b", "c"] {
                assert_eq!(value(text).get(key).map(Value::json), json.get(key).cloned(), "{text}");
            }
            assert_eq!((value(text).as_u64(), value(text).as_f64()), (json.as_u64(), json.as_f64()), "{text}");
            assert_eq!(value(text).as_object().map(Object::len), json.as_object().map(serde_json::Map::len));
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in
            ["", "{", "NaN", "[1,]", "{\"$serde_json::private::Number\": \"x\"}", "1e", "\"\\ud800\"", &"[".repeat(200)]
        {
            assert!(serde_json::from_str::<Value<'_>>(text).is_err(), "{text}");
        }
    }
}
