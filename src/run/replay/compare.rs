//! Finds the first place where two lines of one record differ.

use serde_json::Value as Json;

/// A place where what was recorded and what comes out differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub candidate: Option<String>,
    /// `node quality`, `criterion harmful`, `readout verdict`.
    pub place: String,
    /// Both as JSON, short.
    pub recorded: String,
    pub computed: String,
}

/// The first difference of two bodies (lines without check and last bracket): leaves first, then nodes in the program's
/// order, then readouts. `None` where they differ in spelling only, or one is no JSON.
pub(super) fn first(recorded: &str, computed: &str) -> Option<Difference> {
    let parse = |body: &str| serde_json::from_str::<Json>(&format!("{body}}}")).ok();
    let (a, b) = (parse(recorded)?, parse(computed)?);
    let of = |json: &Json, key: &str| json.get(key).cloned().unwrap_or(Json::Null);
    if let Some(found) = named("criterion", &of(&a, "shared"), &of(&b, "shared"), None) {
        return Some(found);
    }
    let (left, right) = (of(&a, "candidates"), of(&b, "candidates"));
    let pairs = left.as_array().into_iter().flatten().zip(right.as_array().into_iter().flatten());
    for (a, b) in pairs {
        let id = b.get("id").and_then(Json::as_str);
        for (kind, key) in [("criterion", "leaves"), ("node", "nodes")] {
            if let Some(found) = named(kind, &of(a, key), &of(b, key), id) {
                return Some(found);
            }
        }
        if let Some(found) = by_key(&of(a, "readouts"), &of(b, "readouts"), id) {
            return Some(found);
        }
    }
    by_key(&of(&a, "readouts"), &of(&b, "readouts"), None)
}

/// Compares two lists of objects with a `node`.
fn named(kind: &str, a: &Json, b: &Json, candidate: Option<&str>) -> Option<Difference> {
    let (a, b) = (a.as_array()?, b.as_array()?);
    let none = Json::Null;
    let differs = (0..a.len().max(b.len())).map(|n| (a.get(n).unwrap_or(&none), b.get(n).unwrap_or(&none)));
    let (a, b) = differs.into_iter().find(|(a, b)| a != b)?;
    let name = b.get("node").or_else(|| a.get("node")).and_then(Json::as_str).unwrap_or("?");
    // The key that differs, rather than the whole object.
    let key = ["value", "missing", "out", "in", "recorded", "items", "basis", "rejected", "node"];
    let key = key.into_iter().find(|key| a.get(key) != b.get(key));
    let part = |json: &Json| key.and_then(|key| json.get(key)).map_or_else(|| "nothing".to_owned(), short);
    let place = match key {
        Some("value" | "out") | None => format!("{kind} {name}"),
        Some(key) => format!("{kind} {name}, `{key}`"),
    };
    Some(Difference { candidate: candidate.map(str::to_owned), place, recorded: part(a), computed: part(b) })
}

fn by_key(a: &Json, b: &Json, candidate: Option<&str>) -> Option<Difference> {
    let (a, b) = (a.as_object()?, b.as_object()?);
    let key = b.keys().chain(a.keys()).find(|key| a.get(*key) != b.get(*key))?;
    let part = |json: Option<&Json>| json.map_or_else(|| "nothing".to_owned(), short);
    Some(Difference {
        candidate: candidate.map(str::to_owned),
        place: format!("readout {key}"),
        recorded: part(a.get(key)),
        computed: part(b.get(key)),
    })
}

fn short(json: &Json) -> String {
    let text = json.to_string();
    if text.chars().count() <= 80 { text } else { format!("{}…", text.chars().take(77).collect::<String>()) }
}
