//! Labels: what people said of the records, from a file or out of the results' tags.
//!
//! A line of a file names a record (`id`), a `candidate` where there are several, who said it (`by`), and the label. It may be
//! a judgment as `rubric annotate` writes it, or a line of results, whose readout is then the label. A label takes 32 bytes,
//! so that results in any order find theirs.

use super::{InputFault, Reading, Said};
use crate::diagnostics::did_you_mean;
use crate::run::columns;
use crate::run::record::seen::digest;
use crate::run::record::{Content, Records, identity, json};
use indexmap::IndexSet;
use serde_json::{Map, Value as Json};
use std::path::Path;

/// Which value of a line is the label.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The field; without it `label`, else `value`, else the readout of a line of results.
    pub field: Option<String>,
    /// The criterion, where lines are judgments.
    pub criterion: Option<String>,
    pub readout: String,
}

/// Codes of words, the same for results and labels.
pub type Words = IndexSet<String>;

/// One label.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    key: u128,
    /// See [`encode`].
    pub value: u64,
    /// Who gave it: a place in [`Labels::annotators`].
    pub by: u32,
    line: u32,
}

/// The labels of a file.
#[derive(Debug, Default)]
pub struct Labels {
    /// By key, then annotator.
    labels: Vec<Label>,
    used: Vec<bool>,
    pub annotators: Words,
    /// Lines that say that there is no label (`null`, an empty cell, `unknown`).
    pub empty: u64,
    criterion: Option<String>,
}

/// A value in 64 bits: a number's own, or a word's place among the words.
#[must_use]
pub fn encode(said: &Said, words: &mut Words) -> u64 {
    match said {
        Said::Number(number) => number.to_bits(),
        Said::Tie => u64::from(super::super::pairs::TIE),
        Said::Word(word) => match words.get_index_of(word.as_str()) {
            Some(at) => at as u64,
            None => words.insert_full(word.clone()).0 as u64,
        },
    }
}

/// What stands for a candidate of a record.
#[must_use]
pub fn key(id: &str, candidate: Option<&str>) -> u128 {
    // The length keeps `a`, `bc` apart from `ab`, `c`.
    digest(&format!("{} {id} {}", id.len(), candidate.unwrap_or("")))
}

impl Labels {
    /// Reads a file: JSON lines or a table.
    ///
    /// # Errors
    /// Where it cannot be read, a line says no label, or one annotator labelled something twice.
    pub fn read(path: &Path, wanted: &Wanted, reading: &Reading, words: &mut Words) -> Result<Labels, InputFault> {
        let mut records = Records::open(path, None).map_err(|fault| InputFault::new(path, None, fault.to_string()))?;
        let mut labels = Labels { criterion: wanted.criterion.clone(), ..Labels::default() };
        loop {
            let next = records.next_record();
            let Some(raw) = next.map_err(|error| InputFault::new(path, None, error.to_string()))? else { break };
            let line = raw.line;
            let added = raw.content.and_then(|content| labels.add(line, object(content)?, wanted, reading, words));
            added.map_err(|reason| InputFault::new(path, Some(line), reason))?;
        }
        labels.labels.sort_unstable_by_key(|label| (label.key, label.by, label.line));
        labels.labels.shrink_to_fit();
        labels.used = vec![false; labels.labels.len()];
        // Several values of one line are one annotator's samples.
        let twice = labels.labels.windows(2).find_map(|pair| match pair {
            [a, b] if a.key == b.key && a.by == b.by && a.line != b.line => Some((*a, *b)),
            _ => None,
        });
        if let Some((first, second)) = twice {
            let who = match labels.annotators.get_index(second.by as usize).map(String::as_str) {
                None | Some("") => "say who gave each in `by`, or keep one".to_owned(),
                Some(name) => format!("`{name}` gave both; keep one"),
            };
            let reason = format!("it labels what line {} labels too; {who}", first.line);
            return Err(InputFault::new(path, Some(u64::from(second.line)), reason));
        }
        Ok(labels)
    }

    fn add(
        &mut self,
        line: u64,
        mut map: Map<String, Json>,
        wanted: &Wanted,
        reading: &Reading,
        words: &mut Words,
    ) -> Result<(), String> {
        let Some(id) = map.remove("id") else {
            let near = did_you_mean("id", map.keys().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; it has `{near}`: is the name misspelt?"));
            return Err(format!("the label has no `id`{near}"));
        };
        let id = identity(&id, "`id`")?;
        let candidate = match map.remove("candidate") {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) if text.is_empty() => None,
            Some(candidate) => Some(identity(&candidate, "`candidate`")?),
        };
        let by = match map.remove("by") {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(by)) => by,
            Some(by) => by.to_string(),
        };
        let Some(values) = self.values(&mut map, wanted)? else { return Ok(()) };
        let (by, _) = self.annotators.insert_full(by);
        for value in values {
            match reading.value(&value)? {
                None => self.empty += 1,
                Some(said) => self.labels.push(Label {
                    key: key(&id, candidate.as_deref()),
                    value: encode(&said, words),
                    by: u32::try_from(by).unwrap_or(u32::MAX),
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                }),
            }
        }
        Ok(())
    }

    /// The values that a line gives; `None` where it is about something else.
    fn values(&mut self, map: &mut Map<String, Json>, wanted: &Wanted) -> Result<Option<Vec<Json>>, String> {
        if let Some(field) = &wanted.field {
            return match map.remove(field) {
                Some(value) => Ok(Some(vec![value])),
                None => {
                    let near = did_you_mean(field, map.keys().map(String::as_str));
                    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    Err(format!("the label has no `{field}`{near}"))
                }
            };
        }
        let failed = map.get("status").is_some_and(|status| status == "failed") && map.contains_key("reason");
        if failed || map.contains_key("status") && map.contains_key("readouts") {
            let value = map.get("readouts").and_then(|readouts| readouts.get(&wanted.readout)).cloned();
            // What is left open by people is no label.
            return Ok(value.map(|value| vec![if value.get("open").is_some() { Json::Null } else { value }]));
        }
        match map.remove("criterion") {
            None | Some(Json::Null) => {}
            Some(Json::String(name)) => match &self.criterion {
                Some(criterion) if *criterion != name => {
                    if wanted.criterion.is_some() {
                        return Ok(None);
                    }
                    return Err(format!(
                        "the file judges several criteria (`{criterion}`, `{name}`); choose one with `--criterion`"
                    ));
                }
                _ => self.criterion = Some(name),
            },
            Some(other) => return Err(format!("`criterion` is {other}, but must be a text")),
        }
        for key in ["label", "value"] {
            if let Some(value) = map.remove(key) {
                return Ok(Some(vec![if value == "unknown" { Json::Null } else { value }]));
            }
        }
        if let Some(Json::Array(values)) = map.remove("values") {
            return Ok(Some(values));
        }
        if map.contains_key("unknown") || map.contains_key("missing") {
            return Ok(Some(vec![Json::Null]));
        }
        let near = did_you_mean("label", map.keys().map(String::as_str));
        let near = near.map_or_else(
            || "; name the field that holds it with `--label-field`".to_owned(),
            |near| format!("; it has `{near}`: is the name misspelt?"),
        );
        Err(format!("the line has no `label`{near}"))
    }

    /// The labels of a candidate of a record; from now on they are used.
    pub fn find(&mut self, key: u128) -> &[Label] {
        let start = self.labels.partition_point(|label| label.key < key);
        let there = self.labels.get(start..).unwrap_or(&[]);
        let end = start + there.iter().take_while(|label| label.key == key).count();
        if let Some(used) = self.used.get_mut(start..end) {
            used.fill(true);
        }
        self.labels.get(start..end).unwrap_or(&[])
    }

    /// The labels that nothing asked for since the last call.
    pub fn take_unused(&mut self) -> u64 {
        let unused = self.used.iter().filter(|used| !**used).count() as u64;
        self.used.fill(false);
        unused
    }

    /// What each record was labelled with, by record.
    pub fn units(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        self.labels.chunk_by(|a, b| a.key == b.key).map(|unit| unit.iter().map(|label| label.value).collect())
    }

    /// Whether more than one annotator labelled.
    #[must_use]
    pub fn has_several(&self) -> bool {
        self.labels.windows(2).any(|pair| matches!(pair, [a, b] if a.key == b.key))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// A line as an object, whatever it was written as.
pub(crate) fn object(content: Content) -> Result<Map<String, Json>, String> {
    match content {
        Content::Object(map) => Ok(map),
        Content::Columns(row) => columns::line_of(row),
        Content::Row(row) => {
            // An empty cell is a label that is not there; a column that is not there is a mistake.
            let read = |(column, cell): (&String, String)| {
                let json = match cell.as_str() {
                    "" => Json::Null,
                    text if text.starts_with('{') => json::parse(text)?,
                    _ => Json::String(cell),
                };
                Ok((column.clone(), json))
            };
            row.columns.iter().zip(row.cells).map(read).collect()
        }
    }
}
