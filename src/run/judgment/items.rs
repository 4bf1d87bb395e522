//! The items of a `checklist … from`, as a record brings them: `[{criterion, points, tags?, id?}]`.

use crate::diagnostics::did_you_mean;
use crate::number::Number;
use crate::run::record::json;
use serde_json::Value as Json;
use std::collections::HashMap;

/// An item before it is judged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// The id as written, else the number from 1.
    pub id: String,
    pub points: Number,
    /// `KEY:VALUE`, or a word; what is said of other shapes is left out.
    pub tags: Vec<String>,
}

/// The items with the places of their names: each has its number, and its id where one is written.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub list: Vec<Item>,
    names: HashMap<String, usize>,
}

impl Items {
    /// The place of the item that is judged under this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}

/// Reads the items; a text is read as JSON first. `None`: the record has none.
///
/// # Errors
/// A sentence that names the item.
pub(super) fn read(field: &str, json: Option<&Json>) -> Result<Items, String> {
    let parsed;
    let list = match json {
        None => return Ok(Items::default()),
        Some(Json::String(text)) => {
            parsed = json::parse(text).map_err(|fault| format!("`{field}` must hold a list of items: {fault}"))?;
            parsed.as_array()
        }
        Some(json) => json.as_array(),
    };
    let list =
        list.ok_or_else(|| format!("`{field}` must be a list of {{\"criterion\": TEXT, \"points\": NUMBER}}"))?;
    let mut items = Items::default();
    for (n, item) in list.iter().enumerate() {
        let number = n + 1;
        let at = |what: String| format!("item {number} of `{field}` {what}");
        let Json::Object(map) = item else {
            return Err(at("is not an object; an item is {\"criterion\": TEXT, \"points\": NUMBER}".to_owned()));
        };
        let known = ["criterion", "points", "tags", "id"];
        let near = |missing: &str| {
            let near = did_you_mean(missing, map.keys().map(String::as_str).filter(|key| !known.contains(key)));
            near.map_or(String::new(), |near| format!("; it has `{near}`: is the name misspelt?"))
        };
        if !map.get("criterion").is_some_and(Json::is_string) {
            return Err(at(format!("lacks `criterion`, a text{}", near("criterion"))));
        }
        let points = match map.get("points") {
            Some(Json::Number(points)) => Number::from_decimal(points.as_str()).ok(),
            _ => None,
        };
        let points = points.filter(|points| !points.is_zero());
        let points = points.ok_or_else(|| at(format!("lacks `points`, a number that is not 0{}", near("points"))))?;
        let id = match map.get("id") {
            None | Some(Json::Null) => number.to_string(),
            Some(Json::String(id)) if !id.is_empty() => id.clone(),
            Some(Json::Number(id)) => id.as_str().to_owned(),
            Some(_) => return Err(at("has an `id` that is no text".to_owned())),
        };
        let as_number = id.parse::<usize>();
        if as_number.is_ok_and(|other| other != number) {
            return Err(at(format!("has the id {id}, which is the number of another item; use a word")));
        }
        let first = items.names.insert(id.clone(), n);
        if first.is_some() {
            return Err(at(format!("has the id `{id}`, as an item before it")));
        }
        items.names.insert(number.to_string(), n);
        items.list.push(Item { id, points, tags: tags(map.get("tags")) });
    }
    Ok(items)
}

/// The tags of an item: a list of texts, or an object of texts. They decide nothing, so other shapes are no fault.
fn tags(json: Option<&Json>) -> Vec<String> {
    match json {
        Some(Json::Array(list)) => list.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        Some(Json::Object(map)) => {
            map.iter().filter_map(|(key, value)| Some(format!("{key}:{}", value.as_str()?))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_have_numbers_and_ids() {
        let list = json!([{"criterion": "a", "points": 5}, {"criterion": "b", "points": -2.5, "id": "harm"}]);
        let items = read("rubrics", Some(&list)).unwrap();
        assert_eq!(items.find("harm"), Some(1));
        assert_eq!((items.find("1"), items.find("2"), items.find("3")), (Some(0), Some(1), None));
        assert_eq!(read("rubrics", Some(&Json::String(list.to_string()))).unwrap().list, items.list);
        assert!(read("rubrics", None).unwrap().list.is_empty());
    }

    #[test]
    fn tags_are_kept_where_they_are_texts() {
        let list = json!([
            {"criterion": "a", "points": 5, "tags": ["axis:accuracy", "short", 3]},
            {"criterion": "b", "points": 1, "tags": {"axis": "tone", "n": 4}},
            {"criterion": "c", "points": 1, "tags": "axis"},
        ]);
        let items = read("rubrics", Some(&list)).unwrap().list;
        let tags: Vec<&[String]> = items.iter().map(|item| item.tags.as_slice()).collect();
        assert_eq!(tags, [&["axis:accuracy".to_owned(), "short".to_owned()][..], &["axis:tone".to_owned()], &[]]);
    }

    #[test]
    fn a_bad_item_is_named() {
        let fault = |json: Json| read("rubrics", Some(&json)).unwrap_err();
        assert!(fault(json!([{"criterion": "a", "point": 5}])).contains("item 1 of `rubrics` lacks `points`"));
        assert!(fault(json!([{"criterion": "a", "point": 5}])).contains("`point`"));
        assert!(fault(json!([{"criterion": "a", "points": 0}])).contains("not 0"));
        assert!(fault(json!([{"criterion": "a", "points": 1, "id": "2"}])).contains("number of another"));
        assert!(fault(json!({"a": 1})).contains("must be a list"));
    }
}
