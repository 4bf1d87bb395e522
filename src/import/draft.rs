//! Texts of programs, put together: items, questions with levels, checklists.
//!
//! What stands between quotes is escaped here, so that nothing of a foreign text is read as language.

use super::names::{Names, name_of};
use super::part::{Fault, Part};
use super::{doc, literal};
use crate::number::Number;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// A yes/no item with signed points.
#[derive(Debug, Clone)]
pub struct Item {
    /// As the source calls it.
    pub id: Option<String>,
    pub text: String,
    /// Not 0.
    pub points: Number,
    /// Pairs of key and value (`axis`, `accuracy`).
    pub tags: Vec<(String, String)>,
    /// Whether it was judged to be met.
    pub met: Option<bool>,
}

impl Item {
    /// An item of one point.
    #[must_use]
    pub fn one(text: impl Into<String>) -> Item {
        Item { id: None, text: text.into(), points: Number::from(1_i64), tags: Vec::new(), met: None }
    }
}

/// Reads a list of items: texts, or objects with a text under one of `text` and points under one of `points` (where the
/// list is empty, or the key absent and `optional`, 1).
///
/// # Errors
/// The first fault of the list.
pub fn items(list: &Part<'_>, text: &[&str], points: &[&str], optional: bool) -> Result<Vec<Item>, Fault> {
    let mut items = Vec::new();
    for part in list.some()? {
        if part.json.is_string() && (optional || points.is_empty()) {
            items.push(Item::one(part.text()?));
            continue;
        }
        let mut item = Item::one(part.need(text)?.text()?);
        let weight = if optional || points.is_empty() { part.any(points) } else { Some(part.need(points)?) };
        if let Some(weight) = weight {
            item.points = weight.number()?;
            if item.points.is_zero() {
                return Err(weight.fault("an item of 0 points changes nothing; leave it out"));
            }
        }
        item.id = part.any(&["id", "name", "criterion_id"]).map(|id| id.word()).transpose()?;
        item.tags = tags(&part)?;
        item.met = part.any(&["criteria_met", "met"]).map(|met| met.flag()).transpose()?;
        items.push(item);
    }
    Ok(items)
}

/// The `tags` of a part: a list of words (`axis:accuracy` is a key and a value) or an object.
fn tags(part: &Part<'_>) -> Result<Vec<(String, String)>, Fault> {
    let Some(tags) = part.get("tags") else { return Ok(Vec::new()) };
    if tags.json.is_object() {
        return tags.entries()?.into_iter().map(|(key, value)| Ok((key.clone(), value.word()?))).collect();
    }
    let mut pairs = Vec::new();
    for tag in tags.list()? {
        let word = tag.word()?;
        let (key, value) = word.split_once(':').unwrap_or(("tag", word.as_str()));
        pairs.push((key.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(pairs)
}

/// Whether some item has points above 0, without which a share of the points has no meaning.
#[must_use]
pub fn has_positive(items: &[Item]) -> bool {
    items.iter().any(|item| item.points.is_positive())
}

/// Names for items: their ids where they have one, else `item_N`.
fn item_names(items: &[Item]) -> Vec<String> {
    let mut names = Names::new();
    let name = |(n, item): (usize, &Item)| {
        names.take(&item.id.as_ref().map_or_else(|| format!("item_{}", n + 1), |id| name_of(id)))
    };
    items.iter().enumerate().map(name).collect()
}

/// The lines of items inside a checklist.
#[must_use]
pub fn item_lines(items: &[Item], indent: &str) -> String {
    let mut out = String::new();
    for (item, name) in items.iter().zip(item_names(items)) {
        let sign = if item.points.is_negative() { "-" } else { "+" };
        let mut body = String::new();
        for (key, value) in &item.tags {
            let _ = write!(body, " tag {} {}", name_of(key), literal(value));
        }
        let body = if body.is_empty() { body } else { format!(" {{{body} }}") };
        let _ = writeln!(out, "{indent}{sign}{} {name} {}{body}", item.points.abs(), literal(&item.text));
    }
    out
}

/// A checklist of items, whose judges may abstain if `abstain`.
#[must_use]
pub fn checklist(name: &str, items: &[Item], abstain: bool) -> String {
    let optional = if abstain { ": bool?" } else { "" };
    format!("checklist {name}{optional} {{\n{}}}\n", item_lines(items, "  "))
}

/// The judgments that items bring, as keys of a record: `list.item`.
#[must_use]
pub fn judgments_of(list: &str, items: &[Item]) -> Map<String, Json> {
    let named = items.iter().zip(item_names(items));
    named.filter_map(|(item, name)| Some((format!("{list}.{name}"), Json::Bool(item.met?)))).collect()
}

/// The same for items that travel with the record, which are called by their ids or numbers.
#[must_use]
pub fn judgments_by_number(list: &str, items: &[Item]) -> Map<String, Json> {
    let met = items.iter().enumerate();
    met.filter_map(|(n, item)| Some((format!("{list}.{}", n + 1), Json::Bool(item.met?)))).collect()
}

/// Items as a record carries them for a `checklist … from`.
#[must_use]
pub fn carried(items: &[Item]) -> Json {
    let entry = |item: &Item| {
        let points = item.points.to_string();
        let mut entry = json!({"criterion": item.text});
        if let Some(object) = entry.as_object_mut() {
            object.insert("points".into(), points.parse().map_or(Json::String(points), Json::Number));
            if !item.tags.is_empty() {
                let tags: Vec<Json> = item.tags.iter().map(|(key, value)| json!(format!("{key}:{value}"))).collect();
                object.insert("tags".into(), Json::Array(tags));
            }
        }
        entry
    };
    Json::Array(items.iter().map(entry).collect())
}

/// A criterion with a question and the meanings of its levels.
#[must_use]
pub fn criterion(name: &str, ty: &str, ask: &str, levels: &[(String, String)], more: &str) -> String {
    let mut out = format!("criterion {name}: {ty} {{\n  ask {}\n", literal(ask));
    for (level, meaning) in levels {
        let _ = writeln!(out, "  level {level} {}", literal(meaning));
    }
    out.push_str(more);
    out.push_str("}\n");
    out
}

/// A doc comment with a line break after it.
#[must_use]
pub fn comment(text: &str) -> String {
    doc(text, "")
}

/// A conversation as our `chat` fields want it: a list of `{role, content}`; a single text becomes the user's turn.
///
/// # Errors
/// Where a turn has no role or no text.
pub fn chat(part: &Part<'_>) -> Result<Json, Fault> {
    if part.json.is_string() {
        return Ok(json!([{"role": "user", "content": part.text()?}]));
    }
    let mut turns = Vec::new();
    for turn in part.some()? {
        let content = turn.need(&["content", "value"])?;
        let content = content.json.as_str().ok_or_else(|| content.fault("a turn's `content` is a text"))?;
        turns.push(json!({"role": turn.need(&["role", "from"])?.text()?, "content": content}));
    }
    Ok(Json::Array(turns))
}

/// A conversation as one text: its lines `role: content`.
///
/// # Errors
/// As [`chat`].
pub fn transcript(part: &Part<'_>) -> Result<String, Fault> {
    if part.json.is_string() {
        return part.text();
    }
    let turns = chat(part)?;
    let line = |turn: &Json| {
        let field = |key| turn.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        format!("{}: {}", field("role"), field("content"))
    };
    Ok(turns.as_array().into_iter().flatten().map(line).collect::<Vec<_>>().join("\n"))
}
