//! A record fitted to a program: its id, its fields by role, its candidates, and the judgments as they stand in it.
//!
//! A record lays a single candidate's fields at the top level, or several candidates in `candidates: [{id, …}]`. A field
//! that some node reads must be there and of its kind; a field that nothing reads may be absent; whatever else the record
//! holds is left alone, but named where something is missing and its name comes near.

use super::kinds;
use super::layout::{Layout, asked};
use super::source::{Content, Raw};
use super::table::Row;
use crate::diagnostics::did_you_mean;
use crate::graph::Program;
use crate::rules::FieldValues;
use crate::types::{Field, Role};
use serde_json::{Map, Value};

/// A record that a program can run on.
#[derive(Debug)]
pub struct Record {
    /// As written (an integer as its digits); `line-N` where the record names none.
    pub id: String,
    /// The line on which it starts, from 1.
    pub line: u64,
    /// Inputs and references by name.
    pub shared: Map<String, Value>,
    /// At least one.
    pub candidates: Vec<Candidate>,
    /// Whether the candidates stand in a list and have ids.
    pub several: bool,
    /// `judgments` of the record itself, by criterion, as written.
    pub judgments: Map<String, Value>,
    pub tags: Tags,
}

/// One of those that are judged.
#[derive(Debug, Default)]
pub struct Candidate {
    /// `None`: the only one, whose fields stand at the top level.
    pub id: Option<String>,
    pub fields: Map<String, Value>,
    /// `judgments` of the candidate, by criterion, as written; empty where it stands at the top level.
    pub judgments: Map<String, Value>,
}

/// The `tags` of a record: what summaries group by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tags {
    /// As written: an object or a list.
    pub json: Option<Value>,
    /// `axis=safety` of an object, `hard` of a list.
    pub names: Vec<String>,
}

/// A record that cannot be run, and why.
#[derive(Debug)]
pub struct RecordFault {
    pub id: Option<String>,
    pub line: u64,
    /// A sentence for whoever wrote the record.
    pub reason: String,
    pub tags: Tags,
}

/// The fields of one candidate, and those that all share.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    pub shared: &'a Map<String, Value>,
    /// `None`: only what is known before any candidate.
    pub candidate: Option<&'a Map<String, Value>>,
}

impl FieldValues for Fields<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.shared.get(name).or_else(|| self.candidate.and_then(|fields| fields.get(name)))
    }
}

impl Record {
    /// The fields of a candidate.
    #[must_use]
    pub fn fields<'a>(&'a self, candidate: Option<&'a Candidate>) -> Fields<'a> {
        Fields { shared: &self.shared, candidate: candidate.map(|candidate| &candidate.fields) }
    }

    /// Fits what was read to a program.
    ///
    /// # Errors
    /// [`RecordFault`], with the record's id where it could be read.
    pub fn read(raw: Raw, program: &Program, layout: &Layout) -> Result<Record, Box<RecordFault>> {
        let line = raw.line;
        let content = raw.content.and_then(|content| match content {
            Content::Object(map) => Ok(map),
            Content::Row(row) => object(row, program, layout),
            Content::Columns(map) => columns(map, layout),
        });
        let mut map = match content {
            Ok(map) => map,
            Err(reason) => return Err(Box::new(RecordFault { id: None, line, reason, tags: Tags::default() })),
        };
        let tags = if layout.find_field("tags").is_some() { Ok(Tags::default()) } else { tags(map.remove("tags")) };
        let id = match map.remove("id") {
            None => Ok(format!("line-{line}")),
            Some(id) => identity(&id, "the record's `id`"),
        };
        let known = id.as_ref().ok().cloned();
        let read =
            tags.clone().and_then(|tags| Ok((tags, id?))).and_then(|(tags, id)| shape(id, line, tags, map, layout));
        read.map_err(|reason| Box::new(RecordFault { id: known, line, reason, tags: tags.unwrap_or_default() }))
    }
}

/// Splits a record's keys.
fn shape(id: String, line: u64, tags: Tags, map: Map<String, Value>, layout: &Layout) -> Result<Record, String> {
    let mut record =
        Record { id, line, shared: Map::new(), candidates: Vec::new(), several: false, judgments: Map::new(), tags };
    let mut only = Candidate::default();
    let mut list = None;
    let mut other = Vec::new();
    for (key, value) in map {
        match key.as_str() {
            "candidates" => list = Some(value),
            "judgments" => record.judgments = judgments(value)?,
            _ => {
                refuse_misspelt(&key, &value, layout, &["judgments", "candidates"], "the record")?;
                place(key, value, layout, Some(&mut record.shared), &mut only.fields, &mut other)?;
            }
        }
    }
    match list {
        None | Some(Value::Null) => {
            require(layout, Role::Candidate, &only.fields, &other, "the record")?;
            record.candidates.push(only);
        }
        Some(Value::Array(list)) => {
            if let Some(field) = only.fields.keys().next() {
                return Err(format!("`{field}` stands beside `candidates`; it belongs into each candidate"));
            }
            record.several = true;
            record.candidates = candidates(list, layout)?;
        }
        Some(value) => {
            return Err(format!("`candidates` is {}, but must be a list of {{\"id\": …, …}}", kinds::found(&value)));
        }
    }
    require(layout, Role::Input, &record.shared, &other, "the record")?;
    Ok(record)
}

/// Reads the list of candidates.
fn candidates(list: Vec<Value>, layout: &Layout) -> Result<Vec<Candidate>, String> {
    let mut candidates: Vec<Candidate> = Vec::with_capacity(list.len());
    let mut ids = std::collections::HashSet::new();
    for (n, entry) in (1..).zip(list) {
        let Value::Object(mut map) = entry else {
            return Err(format!("candidate {n} is {}, but must be {{\"id\": …, …}}", kinds::found(&entry)));
        };
        let Some(id) = map.remove("id") else {
            return Err(format!("candidate {n} has no `id`; give every candidate one of its own"));
        };
        let id = identity(&id, &format!("the `id` of candidate {n}"))?;
        if !ids.insert(id.clone()) {
            return Err(format!("two candidates have the id `{id}`"));
        }
        let mut candidate = Candidate::default();
        let mut other = Vec::new();
        for (key, value) in map {
            match key.as_str() {
                "judgments" => candidate.judgments = judgments(value)?,
                _ => {
                    refuse_misspelt(&key, &value, layout, &["judgments"], &format!("candidate `{id}`"))?;
                    place(key, value, layout, None, &mut candidate.fields, &mut other)?;
                }
            }
        }
        require(layout, Role::Candidate, &candidate.fields, &other, &format!("candidate `{id}`"))?;
        candidate.id = Some(id);
        candidates.push(candidate);
    }
    if candidates.is_empty() {
        return Err("`candidates` is empty; there is nothing to judge".to_owned());
    }
    Ok(candidates)
}

/// Puts a key's value where it belongs; keys that are no field go to `other`. `null` is not given.
fn place(
    key: String,
    value: Value,
    layout: &Layout,
    shared: Option<&mut Map<String, Value>>,
    own: &mut Map<String, Value>,
    other: &mut Vec<String>,
) -> Result<(), String> {
    if let Some(field) = layout.find_field(&key) {
        if value.is_null() {
            return Ok(());
        }
        kinds::check(field, &value)?;
        return match (field.role, shared) {
            (Role::Candidate, _) => insert(own, key, value),
            (_, Some(shared)) => insert(shared, key, value),
            (_, None) => Err(format!("`{key}` is the same for all candidates; it belongs beside `candidates`")),
        };
    }
    if layout.nested.as_deref() == Some(key.as_str()) {
        return match value {
            Value::Object(parts) => parts.into_iter().try_for_each(|(part, value)| {
                let name = format!("{key}.{part}");
                place(name, value, layout, None, own, other)
            }),
            Value::Null => Ok(()),
            value => Err(format!("`{key}` is {}, but must be an object of its fields", kinds::found(&value))),
        };
    }
    other.push(key);
    Ok(())
}

fn insert(map: &mut Map<String, Value>, key: String, value: Value) -> Result<(), String> {
    if map.contains_key(&key) {
        return Err(format!("`{key}` stands in the record twice, once by itself and once inside an object"));
    }
    map.insert(key, value);
    Ok(())
}

/// Refuses a key that means nothing here, holds what `judgments` or `candidates` would hold, and comes near to that word:
/// left alone, what stands there would be lost in silence.
fn refuse_misspelt(key: &str, value: &Value, layout: &Layout, words: &[&str], whose: &str) -> Result<(), String> {
    let (word, of_table) = key.split_once('.').map_or((key, false), |(word, _)| (word, true));
    let holds = of_table || matches!(value, Value::Object(_) | Value::Array(_));
    if !holds || layout.find_field(key).is_some() || layout.nested.as_deref() == Some(word) {
        return Ok(());
    }
    match did_you_mean(word, words.iter().copied()) {
        None => Ok(()),
        Some(meant) => Err(format!("{whose} has `{word}`, which means nothing here; did you mean `{meant}`?")),
    }
}

/// Whether all fields are there that some node reads. `Role::Input` stands for references too.
fn require(
    layout: &Layout,
    role: Role,
    given: &Map<String, Value>,
    other: &[String],
    whose: &str,
) -> Result<(), String> {
    let of_role = |field: &Field| (field.role == Role::Candidate) == (role == Role::Candidate);
    let mut absent = layout.read_fields().filter(|(f, _)| of_role(f) && !given.contains_key(&*f.name));
    // An optional field may be absent, but not because its name is misspelt.
    let near = |f: &Field| did_you_mean(&f.name, other.iter().map(String::as_str)).is_some();
    let missing = absent.find(|(f, _)| !f.optional || (!other.is_empty() && near(f)));
    let Some((field, reader)) = missing else { return Ok(()) };
    let near = did_you_mean(&field.name, other.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("; it has `{near}`: is the name misspelt?"));
    Err(format!("{whose} lacks `{}` ({}), which `{reader}` reads{near}", field.name, field.kind.word()))
}

fn judgments(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        value => Err(format!("`judgments` is {}, but must be {{CRITERION: VALUE, …}}", kinds::found(&value))),
    }
}

/// Reads an id: a text that is not empty, or a whole number.
pub(crate) fn identity(value: &Value, what: &str) -> Result<String, String> {
    match value {
        Value::String(text) if text.is_empty() => Err(format!("{what} is an empty text")),
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
            Ok(number.as_str().to_owned())
        }
        value => Err(format!("{what} is {}, but must be a text or a whole number", kinds::found(value))),
    }
}

fn tags(value: Option<Value>) -> Result<Tags, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    let fault =
        || "`tags` must be a list of words or an object of words: [\"hard\"] or {\"topic\": \"dosage\"}".to_owned();
    let mut names = Vec::new();
    match &value {
        None | Some(Value::Null) => return Ok(Tags::default()),
        Some(Value::Array(list)) => {
            for tag in list {
                names.push(text(tag).ok_or_else(fault)?);
            }
        }
        Some(Value::Object(map)) => {
            for (key, tag) in map {
                match tag {
                    Value::Null => {}
                    Value::Array(list) => {
                        for tag in list {
                            names.push(format!("{key}={}", text(tag).ok_or_else(fault)?));
                        }
                    }
                    tag => names.push(format!("{key}={}", text(tag).ok_or_else(fault)?)),
                }
            }
        }
        Some(Value::String(tag)) => names.push(tag.clone()),
        Some(_) => return Err(fault()),
    }
    Ok(Tags { json: value, names })
}

/// Reads a row of typed cells: those without a value are not there, and `judgments.NAME` and `tags.NAME` may be columns, as in a
/// table.
fn columns(row: Map<String, Value>, layout: &Layout) -> Result<Map<String, Value>, String> {
    let mut map = Map::new();
    let mut nested = [("judgments", Map::new()), ("tags", Map::new())];
    for (column, mut value) in row {
        if value.is_null() {
            continue;
        }
        without_null(&mut value);
        let field = layout.find_field(&column).is_some();
        let part = nested.iter_mut().find_map(|(key, part)| {
            let name = column.strip_prefix(*key)?.strip_prefix('.')?.to_owned();
            Some((part, name))
        });
        match part.filter(|_| !field) {
            Some((part, name)) => {
                part.insert(name, value);
                continue;
            }
            None if field => {}
            None => {
                if let (true, Value::String(text)) =
                    (matches!(column.as_str(), "candidates" | "judgments" | "tags"), &value)
                    && text.trim_start().starts_with(['[', '{'])
                {
                    let read = super::json::parse(text.trim());
                    value = read.map_err(|fault| format!("column `{column}` must hold JSON: {fault}"))?;
                }
            }
        }
        map.insert(column, value);
    }
    for (key, part) in nested {
        if !part.is_empty() && map.insert(key.to_owned(), Value::Object(part)).is_some() {
            return Err(format!("there is both a column `{key}` and columns `{key}.…`; keep one of the two"));
        }
    }
    Ok(map)
}

/// Leaves out what has no value: a struct has all its fields in every row.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_null);
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Reads a row's cells by the kinds of their columns.
fn object(row: Row, program: &Program, layout: &Layout) -> Result<Map<String, Value>, String> {
    let mut map = Map::new();
    let mut judgments = Map::new();
    let mut tags = Map::new();
    for (column, cell) in row.columns.iter().zip(row.cells) {
        if let Some(field) = layout.find_field(column) {
            if let Some(value) = kinds::cell(field, &cell)? {
                map.insert(column.clone(), value);
            }
        } else if let Some(name) = column.strip_prefix("judgments.") {
            let asked = layout.find_leaf(name).and_then(|leaf| asked(program, leaf));
            let value = kinds::judgment_cell(asked, &cell);
            if let Some(value) = value.map_err(|fault| format!("column `{column}`: {fault}"))? {
                judgments.insert(name.to_owned(), value);
            }
        } else if let Some(name) = column.strip_prefix("tags.") {
            if !cell.is_empty() {
                tags.insert(name.to_owned(), Value::String(cell));
            }
        } else if cell.is_empty() {
            // An empty cell of any other column says nothing; an empty id is no id.
        } else if matches!(column.as_str(), "candidates" | "judgments")
            || column == "tags" && cell.starts_with(['[', '{'])
        {
            let value = super::json::parse(cell.trim());
            map.insert(column.clone(), value.map_err(|fault| format!("column `{column}` must hold JSON: {fault}"))?);
        } else {
            map.insert(column.clone(), Value::String(cell));
        }
    }
    for (key, columns) in [("judgments", judgments), ("tags", tags)] {
        if columns.is_empty() {
            continue;
        }
        if map.insert(key.to_owned(), Value::Object(columns)).is_some() {
            return Err(format!("the table has both a column `{key}` and columns `{key}.…`; keep one of the two"));
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing;
    use crate::run::record::{DataFormat, Records};

    fn read_all(text: &'static str, format: DataFormat, program: &Program) -> Vec<Result<Record, String>> {
        let layout = Layout::of(program);
        let mut records = Records::from_reader(Box::new(text.as_bytes()), Some(format)).unwrap();
        let mut all = Vec::new();
        while let Some(raw) = records.next_record().unwrap() {
            all.push(Record::read(raw, program, &layout).map_err(|fault| fault.reason));
        }
        all
    }

    fn fault(text: &'static str) -> String {
        read_all(text, DataFormat::Jsonl, &testing::sample()).remove(0).unwrap_err()
    }

    #[test]
    fn one_candidate_at_the_top_level() {
        let text = r#"{"question": "q", "answer": "a", "judgments": {"harmful": true}, "tags": {"topic": ["x", 3]}, "more": 1}"#;
        let record = read_all(text, DataFormat::Jsonl, &testing::sample()).remove(0).unwrap();
        assert_eq!((record.id.as_str(), record.several, record.candidates.len()), ("line-1", false, 1));
        assert_eq!(record.fields(record.candidates.first()).get("answer"), Some(&Value::from("a")));
        assert_eq!(record.fields(None).get("answer"), None);
        assert_eq!(record.tags.names, ["topic=x", "topic=3"]);
    }

    #[test]
    fn several_candidates_have_ids() {
        let text =
            r#"{"id": 7, "question": "q", "candidates": [{"id": "p", "answer": "a"}, {"id": 2, "answer": "b"}]}"#;
        let record = read_all(text, DataFormat::Jsonl, &testing::sample()).remove(0).unwrap();
        let ids: Vec<_> = record.candidates.iter().map(|candidate| candidate.id.clone().unwrap()).collect();
        assert_eq!((record.id.as_str(), ids), ("7", vec!["p".to_owned(), "2".to_owned()]));
        assert!(fault(r#"{"question": "q", "candidates": [{"answer": "a"}]}"#).contains("candidate 1 has no `id`"));
        assert!(fault(r#"{"question": "q", "candidates": []}"#).contains("empty"));
        let twice = r#"{"question": "q", "candidates": [{"id": 1, "answer": "a"}, {"id": "1", "answer": "a"}]}"#;
        assert!(fault(twice).contains("two candidates have the id `1`"));
        let both = r#"{"question": "q", "answer": "a", "candidates": [{"id": 1, "answer": "a"}]}"#;
        assert!(fault(both).contains("stands beside `candidates`"));
        let inside = r#"{"candidates": [{"id": 1, "answer": "a", "question": "q"}]}"#;
        assert!(fault(inside).contains("the same for all candidates"));
    }

    #[test]
    fn what_is_missing_is_named_with_what_comes_near() {
        let found = fault(r#"{"qestion": "q", "answer": "a"}"#);
        assert!(
            found.contains("lacks `question` (text), which `accurate` reads") && found.contains("`qestion`"),
            "{found}"
        );
        assert!(fault(r#"{"question": null, "answer": "a"}"#).contains("lacks `question`"));
        assert!(fault(r#"{"question": 3, "answer": "a"}"#).contains("`question` is the number 3"));
        assert!(fault(r#"{"id": 1.5, "question": "q", "answer": "a"}"#).contains("whole number"));
        assert!(fault(r#"{"question": "q", "answer": "a", "judgments": [1]}"#).contains("`judgments` is a list"));
        assert!(fault(r#"{"question": "q", "answer": "a", "tags": [[1]]}"#).contains("`tags` must be"));
    }

    #[test]
    fn a_field_that_nothing_reads_may_be_absent() {
        let mut program = testing::sample();
        for node in &mut program.nodes {
            if let crate::graph::NodeKind::Criterion(criterion) = &mut node.kind {
                criterion.sees.retain(|field| field.0 != 0);
            }
        }
        assert!(read_all(r#"{"answer": "a"}"#, DataFormat::Jsonl, &program).remove(0).is_ok());
    }

    #[test]
    fn the_parts_of_a_candidate_nest_or_stand_flat() {
        let mut program = testing::sample();
        program.candidate = "pair".into();
        for field in &mut program.fields {
            if &*field.name == "answer" {
                field.name = "pair.answer".into();
            }
        }
        let of = |text| read_all(text, DataFormat::Jsonl, &program).remove(0);
        let nested = of(r#"{"question": "q", "pair": {"answer": "a"}}"#).unwrap();
        let flat = of(r#"{"question": "q", "pair.answer": "a"}"#).unwrap();
        assert_eq!(nested.candidates[0].fields, flat.candidates[0].fields);
        assert!(of(r#"{"question": "q", "pair": {"anwser": "a"}}"#).unwrap_err().contains("it has `pair.anwser`"));
        assert!(of(r#"{"question": "q", "pair": {"answer": "a"}, "pair.answer": "b"}"#).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_table_is_read_by_kinds() {
        let text = "id,question,answer,judgments.accurate,judgments.harmful,tags.topic\n\
                    r1,\"q, long\",,4,FALSE,dose\n\
                    r2,q,a,,,\n\
                    r3,q\n";
        let rows = read_all(text, DataFormat::Csv, &testing::sample());
        let first = rows[0].as_ref().unwrap();
        assert_eq!(first.judgments.get("accurate"), Some(&Value::from(4)));
        assert_eq!(first.judgments.get("harmful"), Some(&Value::from(false)));
        assert_eq!(first.candidates[0].fields.get("answer"), Some(&Value::from("")));
        assert_eq!(first.tags.names, ["topic=dose"]);
        assert!(rows[1].as_ref().unwrap().judgments.is_empty());
        assert!(rows[2].as_ref().unwrap_err().contains("2 cells"));
    }
}
