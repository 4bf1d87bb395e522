//! The rows of a report while they are read: one per candidate or comparison, with what each run says of it.

use super::text::{cleaned, value};
use super::{Cell, Missing, Row};
use crate::evaluate::input::results::ResultRow;
use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

/// Which row: the record and the candidate, as the files write them.
pub(super) type Key = (String, Option<String>);

/// A row under way.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub row: Row,
    /// What the readouts say, as in results, by run.
    pub readouts: Vec<Option<Map<String, Json>>>,
    /// The tags as in results.
    pub tags: Option<Json>,
    /// The digest of the program, by run.
    pub programs: Vec<Option<String>>,
}

/// All rows, in the order in which they were read first.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    pub rows: IndexMap<Key, Draft>,
    /// The keys of readouts, in their order.
    pub readouts: indexmap::IndexSet<String>,
    pub digests: indexmap::IndexSet<String>,
}

impl Drafts {
    /// Adds a line of results.
    ///
    /// # Errors
    /// A sentence: the run has this row already.
    pub(super) fn add(&mut self, run: usize, runs: usize, found: ResultRow) -> Result<(), String> {
        let id = match (found.id, found.at) {
            (Some(id), _) => id,
            (None, Some(line)) => format!("line {line}"),
            (None, None) => "a record without an id".to_owned(),
        };
        self.readouts.extend(found.readouts.keys().cloned());
        self.digests.extend(found.program.clone());
        let draft = self.rows.entry((id.clone(), found.candidate.clone())).or_insert_with(|| Draft {
            row: Row {
                id: cleaned(&id),
                candidate: found.candidate.as_deref().map(cleaned),
                tags: tags(found.tags.as_ref()),
                line: found.at,
                cells: vec![None; runs],
                ..Row::default()
            },
            readouts: vec![None; runs],
            tags: found.tags.clone(),
            programs: vec![None; runs],
        });
        if let Some(program) = draft.programs.get_mut(run) {
            *program = found.program;
        }
        let (Some(cell), Some(readouts)) = (draft.row.cells.get_mut(run), draft.readouts.get_mut(run)) else {
            return Ok(());
        };
        if cell.is_some() {
            return Err(format!("`{}` is there a second time", draft.row.name()));
        }
        *cell = Some(Cell {
            status: found.status,
            said: Vec::new(),
            passes: None,
            number: None,
            missing: missing(found.missing.as_ref()),
            reason: found.reason.as_deref().map(cleaned),
            details: Vec::new(),
        });
        *readouts = Some(found.readouts);
        Ok(())
    }
}

/// Tags as people read them: `topic: law`, `short`.
fn tags(json: Option<&Json>) -> Vec<String> {
    match json {
        Some(Json::Array(list)) => list.iter().filter_map(value).collect(),
        Some(Json::Object(map)) => map
            .iter()
            .flat_map(|(key, tag)| {
                let several = match tag {
                    Json::Array(list) => list.clone(),
                    one => vec![one.clone()],
                };
                let key = cleaned(key);
                several.into_iter().filter_map(move |tag| Some(format!("{key}: {}", value(&tag)?)))
            })
            .collect(),
        Some(one) => value(one).into_iter().collect(),
        None => Vec::new(),
    }
}

fn missing(json: Option<&Json>) -> Vec<Missing> {
    let one = |entry: &Json| {
        let text = |key: &str| entry.get(key).and_then(value).unwrap_or_default();
        let whose = text("candidate");
        let criterion = text("criterion");
        let (reason, detail) = (text("reason").replace('_', " "), text("detail"));
        Missing {
            criterion: if whose.is_empty() { criterion } else { format!("{criterion} of {whose}") },
            why: if detail.is_empty() { reason } else { format!("{reason}: {detail}") },
        }
    };
    json.and_then(Json::as_array).map_or_else(Vec::new, |list| list.iter().map(one).collect())
}

/// Keys of a record that are no texts.
const OTHER: [&str; 5] = ["id", "judgments", "tags", "rubric", "candidates"];
/// Characters of a text that are shown.
const LONGEST: usize = 20_000;

/// The texts of a record by field, those of the candidate after those of the record.
pub(super) fn texts(record: &Map<String, Json>, candidate: Option<&str>) -> Vec<(String, String)> {
    let own = record.get("candidates").and_then(Json::as_array).into_iter().flatten();
    let own = own.filter_map(Json::as_object).find(|map| {
        let id = map.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        candidate.is_some() && id.as_deref() == candidate
    });
    let fields = |map: &Map<String, Json>| -> Vec<(String, String)> {
        // A table has a column for each judgment and tag: `judgments.clear`.
        let is_text = |name: &str| !OTHER.contains(&name.split('.').next().unwrap_or(name));
        let fields = map.iter().filter(|(name, field)| is_text(name) && !field.is_null());
        let text = |(name, field): (&String, &Json)| {
            let text = match field {
                Json::String(text) => text.clone(),
                Json::Array(_) | Json::Object(_) => format!("{field:#}"),
                other => other.to_string(),
            };
            let mut shown: String = text.chars().take(LONGEST).collect();
            if shown.len() < text.len() {
                shown.push_str("\n… (cut)");
            }
            (cleaned(name), cleaned(&shown))
        };
        fields.map(text).collect()
    };
    let mut texts = fields(record);
    texts.extend(own.map(fields).into_iter().flatten());
    texts
}
