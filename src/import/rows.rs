//! Rows of foreign files, one at a time: JSON lines, tables, lists and objects of JSON, YAML.
//!
//! Lines and tables stream; a JSON list and YAML are read whole, and so is what a format calls one thing. The ending of the
//! name says which it is, else the content. Cells of a table that hold a JSON list or object are read as such; empty cells
//! are absent. YAML is that of version 1.2: `yes` is a text, a key that stands twice is a fault.

use super::format::Holds;
use super::part::Fault;
use crate::run::record::{Content, Records, json};
use crate::source::files::read_text;
use serde_json::{Map, Value as Json};
use std::io;
use std::path::Path;

/// A row, or why it cannot be read.
#[derive(Debug)]
pub struct Found {
    /// For messages: `line 3`, `entry 3`, `the file`.
    pub place: String,
    /// From 1.
    pub number: u64,
    /// The key of an object whose values are the rows.
    pub key: Option<String>,
    pub content: Result<Json, String>,
    /// Where the rows of a table were gathered: the line of each.
    lines: Vec<u64>,
}

impl Found {
    /// The table without the row that a fault is about; `None`: it is no table that was gathered, or nothing is left.
    #[must_use]
    pub fn without(&self, fault: &Fault) -> Option<Found> {
        let number = fault.key.strip_prefix('[')?.split_once(']')?.0.parse::<usize>().ok()?;
        let (Ok(Json::Array(list)), true) = (&self.content, number < self.lines.len()) else { return None };
        let others = |at: &usize| *at != number;
        let list: Vec<Json> = (0..list.len()).filter(others).filter_map(|at| list.get(at).cloned()).collect();
        let lines = (0..self.lines.len()).filter(others).filter_map(|at| self.lines.get(at).copied()).collect();
        (!list.is_empty()).then(|| Found::whole(Json::Array(list), lines))
    }

    /// The place of a fault of this row, with the fault.
    #[must_use]
    pub fn tell(&self, fault: &Fault) -> String {
        // A table that was gathered into a list: its entry is a line of the file.
        let entry = fault.key.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((number, key)) = entry
            && let Some(line) = number.parse().ok().and_then(|n: usize| self.lines.get(n))
        {
            let key = key.trim_start_matches('.').to_owned();
            return format!("line {line}: {}", Fault { key, message: fault.message.clone() });
        }
        format!("{}: {fault}", self.place)
    }
}

/// Reads rows.
pub struct Rows {
    from: From,
    number: u64,
}

enum From {
    Stream(Box<Records>),
    List(std::vec::IntoIter<Found>),
}

impl Rows {
    /// Opens a file; `-` is standard input, which is read as lines or a table.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or is neither of the formats.
    pub fn open(path: &Path, holds: Holds) -> Result<Rows, String> {
        let ending =
            path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).unwrap_or_default();
        let ending = ending.as_str();
        let lines = matches!(ending, "jsonl" | "ndjson" | "csv" | "tsv" | "tab");
        let whole = match holds {
            Holds::Whole => true,
            Holds::Rows | Holds::Table => {
                !lines && path.as_os_str() != "-" && matches!(ending, "json" | "yaml" | "yml")
            }
        };
        if whole {
            match parsed(path, ending)? {
                Some(json) if holds == Holds::Rows => return Ok(Rows::list(entries(json))),
                Some(json) => return Ok(Rows::list(vec![Found::whole(json, Vec::new())])),
                // JSON lines in a file called `.json`.
                None => {}
            }
        }
        let mut rows = Rows { from: From::Stream(Box::new(Records::open(path, None)?)), number: 0 };
        if holds == Holds::Table { rows.gathered() } else { Ok(rows) }
    }

    fn list(found: Vec<Found>) -> Rows {
        Rows { from: From::List(found.into_iter()), number: 0 }
    }

    /// All rows as one list; those that cannot be read stand before it as faults.
    fn gathered(&mut self) -> Result<Rows, String> {
        let (mut faults, mut list, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(found) = self.next_row().map_err(|error| error.to_string())? {
            match found.content {
                Ok(json) => {
                    lines.push(found.place.trim_start_matches("line ").parse().unwrap_or(found.number));
                    list.push(json);
                }
                Err(_) => faults.push(found),
            }
        }
        faults.push(Found::whole(Json::Array(list), lines));
        Ok(Rows::list(faults))
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// Where the file cannot be read any further.
    pub fn next_row(&mut self) -> io::Result<Option<Found>> {
        let records = match &mut self.from {
            From::List(list) => return Ok(list.next()),
            From::Stream(records) => records,
        };
        let Some(raw) = records.next_record()? else { return Ok(None) };
        self.number += 1;
        let content = raw.content.map(|content| match content {
            Content::Object(map) | Content::Columns(map) => Json::Object(map),
            Content::Row(row) => {
                let cells = row.columns.iter().cloned().zip(row.cells.into_iter().map(cell));
                Json::Object(cells.collect::<Map<String, Json>>())
            }
        });
        let place = format!("line {}", raw.line);
        Ok(Some(Found { place, number: self.number, key: None, content, lines: Vec::new() }))
    }
}

impl Found {
    fn whole(json: Json, lines: Vec<u64>) -> Found {
        Found { place: "the file".to_owned(), number: 1, key: None, content: Ok(json), lines }
    }
}

/// A cell of a table.
fn cell(text: String) -> Json {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Json::Null;
    }
    if trimmed.starts_with(['[', '{'])
        && let Ok(json) = json::parse(trimmed)
    {
        return json;
    }
    Json::String(text)
}

/// The whole file; `None` where it is several JSON values.
fn parsed(path: &Path, ending: &str) -> Result<Option<Json>, String> {
    let text = if path.as_os_str() == "-" {
        io::read_to_string(io::stdin()).map_err(|error| error.to_string())?
    } else {
        read_text(path, &path.to_string_lossy()).map_err(|error| error.to_string())?
    };
    let text = text.trim_start_matches('\u{feff}');
    if ending == "yaml" || ending == "yml" || (ending != "json" && !text.trim_start().starts_with(['[', '{'])) {
        return yaml(text).map(Some);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    if values.by_ref().take(2).filter(Result::is_ok).count() == 2 {
        return Ok(None);
    }
    json::parse(text).map(Some)
}

fn yaml(text: &str) -> Result<Json, String> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| format!("not valid YAML: {error}"))
}

/// The rows of a list, or of an object by key; anything else is one row.
fn entries(json: Json) -> Vec<Found> {
    let found = |n: usize, key: Option<String>, content: Json| {
        let place = key.as_ref().map_or_else(|| format!("entry {}", n + 1), |key| format!("`{key}`"));
        Found { place, number: n as u64 + 1, key, content: Ok(content), lines: Vec::new() }
    };
    match json {
        Json::Array(list) => list.into_iter().enumerate().map(|(n, json)| found(n, None, json)).collect(),
        Json::Object(map) if !map.is_empty() && map.values().all(Json::is_object) => {
            map.into_iter().enumerate().map(|(n, (key, json))| found(n, Some(key), json)).collect()
        }
        other => vec![Found::whole(other, Vec::new())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(name: &str, text: &str, holds: Holds) -> Vec<Found> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut rows = Rows::open(&path, holds).unwrap();
        std::iter::from_fn(|| rows.next_row().unwrap()).collect()
    }

    #[test]
    fn every_layout_gives_the_same_rows() {
        for (name, text) in [
            ("a.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
            ("a.json", "{\"a\": 1}\n{\"a\": 2}\n"),
            ("a.json", "[{\"a\": 1}, {\"a\": 2}]"),
            ("a.json", "{\"x\": {\"a\": 1}, \"y\": {\"a\": 2}}"),
            ("a.yaml", "- a: 1\n- a: 2\n"),
        ] {
            let found = rows(name, text, Holds::Rows);
            let values: Vec<&Json> = found.iter().map(|found| found.content.as_ref().unwrap()).collect();
            assert_eq!(values, [&json!({"a": 1}), &json!({"a": 2})], "{name} {text}");
        }
        let cells = rows("a.csv", "a,b\n1,\"[2, 3]\"\n", Holds::Rows);
        assert_eq!(cells[0].content.as_ref().unwrap(), &json!({"a": "1", "b": [2, 3]}));
    }

    #[test]
    fn a_gathered_table_keeps_its_lines() {
        let found = rows("a.csv", "a,b\n1,2\n1\n3,4\n", Holds::Table);
        assert_eq!((found.len(), found[0].place.as_str()), (2, "line 3"));
        let fault = Fault { key: "[1].b".into(), message: "bad".into() };
        assert_eq!(found[1].tell(&fault), "line 4: `b`: bad");
    }

    #[test]
    fn yaml_is_read_strictly() {
        let found = rows("a.yaml", "a: yes\nb: 0.80\n", Holds::Whole);
        assert_eq!(found[0].content.as_ref().unwrap(), &json!({"a": "yes", "b": 0.8}));
        assert!(yaml("a: 1\na: 2\n").unwrap_err().contains("not valid YAML"));
    }
}
