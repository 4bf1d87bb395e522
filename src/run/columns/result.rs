//! A line of results as a row, and back: what has names of its own (readouts, observed nodes) becomes a map, so that all files of
//! results have the same columns whatever their program.
//!
//! An entry of such a map has `value`, the JSON that the line says, to the last digit; `number`, the nearest float of a number; and
//! `text`, a word, the candidate that is preferred, or `tie`. Reading takes `value` alone.

use crate::run::record::json;
use serde_json::{Map, Value as Json};

/// The keys of a line that have columns, in the order of a line of a record that was run.
const KEYS: [&str; 13] = [
    "line",
    "run",
    "id",
    "candidate",
    "status",
    "readouts",
    "decided_by_bounds",
    "observed",
    "bounds",
    "missing",
    "tags",
    "reason",
    "program",
];

/// The same of a record that failed.
const OF_FAILED: [&str; 7] = ["run", "id", "status", "line", "reason", "tags", "program"];

/// Maps by names that a program gives.
const NAMED: [&str; 2] = ["readouts", "observed"];

/// Where everything else of a line stands.
const OTHER: &str = "other";

/// The row of a line.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "without the feature nothing is written"))]
pub(super) fn row(mut line: Map<String, Json>) -> Map<String, Json> {
    let mut row = Map::new();
    for key in KEYS {
        let Some(mut value) = line.remove(key) else { continue };
        if let (true, Json::Object(named)) = (NAMED.contains(&key), &mut value) {
            named.values_mut().for_each(|said| *said = entry(std::mem::take(said)));
        }
        row.insert(key.to_owned(), value);
    }
    if !line.is_empty() {
        row.insert(OTHER.to_owned(), Json::Object(line));
    }
    row
}

/// What stands in a map for something that was said.
fn entry(said: Json) -> Json {
    let number = match &said {
        Json::Number(number) => number.as_f64().filter(|number| number.is_finite()).map_or(Json::Null, Json::from),
        _ => Json::Null,
    };
    let text = match &said {
        Json::String(word) => Json::String(word.clone()),
        Json::Object(map) => match (map.get("winner"), map.get("tie")) {
            (Some(Json::String(winner)), _) => Json::String(winner.clone()),
            (None, Some(Json::Bool(true))) => "tie".into(),
            _ => Json::Null,
        },
        _ => Json::Null,
    };
    let mut map = Map::new();
    map.insert("value".to_owned(), said);
    map.insert("number".to_owned(), number);
    map.insert("text".to_owned(), text);
    Json::Object(map)
}

/// The line of a row: what [`row`] makes of it, and results that others wrote as columns.
///
/// # Errors
/// A sentence, where a column holds what no line of results has.
pub(super) fn line(mut row: Map<String, Json>) -> Result<Map<String, Json>, String> {
    for key in NAMED {
        if let Some(Json::Object(named)) = row.get_mut(key) {
            for (name, said) in named.iter_mut() {
                *said = said_in(std::mem::take(said))
                    .map_err(|fault| format!("column `{key}`, entry `{name}`: {fault}"))?;
            }
        }
    }
    if let Some(Json::Array(missing)) = row.get_mut("missing") {
        missing.iter_mut().filter_map(Json::as_object_mut).for_each(|map| map.retain(|_, value| !value.is_null()));
    }
    let failed = row.get("status").is_some_and(|status| status == "failed");
    let mut line = Map::new();
    let order = if failed { OF_FAILED.as_slice() } else { KEYS.as_slice() };
    for key in order.iter().chain(&KEYS) {
        let Some(value) = row.remove(*key) else { continue };
        // A record that failed before its id was read says that it has none.
        if !value.is_null() || failed && *key == "id" {
            line.insert((*key).to_owned(), value);
        }
    }
    let other = match row.remove(OTHER) {
        Some(Json::Object(other)) => other,
        _ => Map::new(),
    };
    line.extend(row.into_iter().filter(|(_, value)| !value.is_null()));
    line.extend(other);
    Ok(line)
}

/// What an entry of a map says; anything but such an entry says itself.
fn said_in(entry: Json) -> Result<Json, String> {
    let Json::Object(mut map) = entry else { return Ok(entry) };
    if !["value", "number", "text"].iter().all(|key| map.contains_key(*key)) || map.len() != 3 {
        return Ok(Json::Object(map));
    }
    let text = map.remove("text").unwrap_or_default();
    match map.remove("value").unwrap_or_default() {
        // Other programs drop the mark that a column holds JSON, and its texts then stand in their quotes.
        Json::String(value) if Json::String(value.clone()) != text => json::parse(&value),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Map<String, Json> {
        match json::parse(text).unwrap() {
            Json::Object(map) => map,
            other => panic!("{other}"),
        }
    }

    const LINES: [&str; 6] = [
        r#"{"id":"a","status":"decided","readouts":{"pointwise":0.10000000000000000000000000001},"program":"b3:1"}"#,
        r#"{"line":3,"run":2,"id":"a","candidate":"x","status":"abstained","readouts":{"pointwise":null},"program":"p"}"#,
        r#"{"id":"a","status":"decided","readouts":{"pairwise":{"winner":"x"},"grade":"true","ok":true},"program":"p"}"#,
        r#"{"id":"a","status":"open","readouts":{"listwise":{"open":[1,2]}},"decided_by_bounds":["k"],"observed":{"n":{"x":1}},"bounds":{"n":[0,1]},"missing":[{"criterion":"c","reason":"budget"}],"tags":["hard"],"program":"p"}"#,
        r#"{"run":1,"id":null,"status":"failed","line":7,"reason":"why","tags":{"t":1},"program":"p"}"#,
        r#"{"id":"a","status":"decided","readouts":{"p":{"tie":true}},"program":"p","later":[1]}"#,
    ];

    #[test]
    fn a_line_comes_back_as_it_was() {
        for text in LINES {
            assert_eq!(Json::Object(line(row(parsed(text))).unwrap()).to_string(), text);
        }
    }

    #[test]
    fn a_line_comes_back_where_the_mark_of_json_was_lost() {
        for text in LINES {
            let mut row = row(parsed(text));
            if let Some(Json::Object(readouts)) = row.get_mut("readouts") {
                for entry in readouts.values_mut() {
                    let value = entry.get_mut("value").unwrap();
                    *value = Json::String(value.to_string());
                }
            }
            assert_eq!(Json::Object(line(row).unwrap()).to_string(), text);
        }
    }

    #[test]
    fn numbers_and_words_have_columns() {
        let row = row(parsed(LINES[2]));
        assert_eq!(row["readouts"]["pairwise"]["text"], "x");
        assert_eq!(row["readouts"]["ok"]["text"], Json::Null);
        let row = super::row(parsed(LINES[0]));
        assert_eq!(row["readouts"]["pointwise"]["number"].as_f64(), Some(0.1));
    }
}
