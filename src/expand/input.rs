//! Reads the questions: a JSON list, or JSON lines, of `{"id" or "prompt_id", "question", "image"?, "web_content"?}`.
//!
//! A question that cannot be read is told with its place and its reason and keeps its place in the list; only a file that is no
//! JSON at all stops everything. Other keys are refused by name: a misspelt `web_content` would be left out in silence.

use crate::judge::ask::{Folder, ReadImage as _};
use crate::run::record::json;
use crate::source::did_you_mean;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "prompt_id", "question", "image", "web_content"];
/// The most characters of a question, and of its context.
const LONGEST: usize = 200_000;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub question: String,
    /// A `data:` address, or one of the web.
    pub image: Option<Arc<str>>,
    pub web_content: Option<String>,
}

/// A question that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Its id, where that can be read, else its place: `line 3`, `entry 3`.
    pub id: String,
    pub reason: String,
}

/// Reads all questions of a text; `folder` is where images are that are named by their files.
///
/// # Errors
/// The text is neither a JSON list nor JSON lines, or holds no question.
pub fn read(text: &str, folder: &Path) -> Result<Vec<Result<Question, Bad>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut entries: Vec<(String, Result<Json, String>)> = Vec::new();
    if text.trim_start().starts_with('[') {
        let Json::Array(list) = json::parse(text)? else { return Err("it is no JSON list".to_owned()) };
        entries.extend(list.into_iter().zip(1..).map(|(entry, n)| (format!("entry {n}"), Ok(entry))));
    } else if let Ok(one @ Json::Object(_)) = json::parse(text) {
        entries.push(("entry 1".to_owned(), Ok(one)));
    } else {
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        entries.extend(lines.map(|(line, n)| (format!("line {n}"), json::parse(line))));
        if !entries.iter().any(|(_, entry)| entry.is_ok()) && !entries.is_empty() {
            let why = entries.into_iter().find_map(|(_, entry)| entry.err()).unwrap_or_default();
            return Err(format!("it is neither a JSON list nor JSON lines: {why}"));
        }
    }
    if entries.is_empty() {
        return Err("it holds no question".to_owned());
    }
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let questions = entries.into_iter().map(|(place, entry)| {
        let bad = |id: &str, reason: String| Bad { id: id.to_owned(), reason };
        let entry = entry.map_err(|why| bad(&place, why))?;
        let Json::Object(entry) = entry else { return Err(bad(&place, "a question is a JSON object".to_owned())) };
        let id = id(&entry).map_err(|why| bad(&place, why))?.unwrap_or_else(|| place.replace(' ', "_"));
        if let Some(first) = seen.get(&id) {
            return Err(bad(&id, format!("{place} has the id of {first}")));
        }
        seen.insert(id.clone(), place);
        question(&entry, &id, folder).map_err(|why| bad(&id, why))
    });
    Ok(questions.collect())
}

fn id(entry: &Map<String, Json>) -> Result<Option<String>, String> {
    match entry.get("id").or_else(|| entry.get("prompt_id")) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(id)) if !id.trim().is_empty() => Ok(Some(id.trim().to_owned())),
        Some(Json::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err("`id` must be a text or a number".to_owned()),
    }
}

fn question(entry: &Map<String, Json>, id: &str, folder: &Path) -> Result<Question, String> {
    if let Some(unknown) = entry.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let near = did_you_mean(unknown, KEYS);
        let hint = near
            .map_or_else(|| format!("a question has {}", KEYS.join(", ")), |near| format!("did you mean `{near}`?"));
        return Err(format!("`{unknown}` is not known here: {hint}"));
    }
    let text = |key: &str| match entry.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Json::String(text)) if text.chars().count() > LONGEST => {
            Err(format!("`{key}` is longer than {LONGEST} characters"))
        }
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` must be a text")),
    };
    let question = text("question")?.ok_or("`question` is missing or empty")?;
    let image = match entry.get("image") {
        None | Some(Json::Null) => None,
        Some(Json::String(written)) if written.trim().is_empty() => None,
        Some(Json::String(written)) => Some(image(written.trim(), folder)?),
        Some(_) => return Err("`image` must be a text: an address, a file, or base64".to_owned()),
    };
    Ok(Question { id: id.to_owned(), question, image, web_content: text("web_content")? })
}

/// An image as an address: as written, from a file, or of bytes in base64 without an address round them.
fn image(written: &str, folder: &Path) -> Result<Arc<str>, String> {
    // What the first bytes of the four formats are in base64.
    let kinds = [("iVBORw0KGgo", "png"), ("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp")];
    match kinds.iter().find(|(start, _)| written.starts_with(start) && written.len() > 40) {
        Some((_, kind)) => Ok(format!("data:image/{kind};base64,{written}").into()),
        None => Folder(folder.to_owned()).address(written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Result<Question, Bad>> {
        read(text, Path::new(".")).unwrap()
    }

    #[test]
    fn lists_and_lines_are_read_and_bad_entries_keep_their_place() {
        let list =
            all(r#"[{"id": "a", "question": "Why?"}, {"prompt_id": 7, "question": "How?", "web_content": "x"}]"#);
        assert_eq!(list.iter().map(|q| q.as_ref().unwrap().id.as_str()).collect::<Vec<_>>(), ["a", "7"]);
        assert_eq!(list[1].as_ref().unwrap().web_content.as_deref(), Some("x"));
        let lines = all(
            "{\"id\": \"a\", \"question\": \"Why?\"}\n\nnot json\n{\"question\": \"How?\"}\n{\"id\": \"a\", \"question\": \"?\"}\n\
                         {\"id\": \"b\"}\n{\"id\": \"c\", \"question\": \"?\", \"web_contents\": \"\"}\n{\"id\": \"d\", \"question\": \"?\", \"image\": \"../x.png\"}",
        );
        let told: Vec<String> = lines
            .iter()
            .map(|line| {
                line.as_ref().map_or_else(|bad| format!("{}: {}", bad.id, bad.reason), |question| question.id.clone())
            })
            .collect();
        assert_eq!((told[0].as_str(), told[2].as_str()), ("a", "line_4"));
        assert!(told[1].starts_with("line 3: "), "{told:?}");
        assert_eq!(told[3], "a: line 5 has the id of line 1");
        assert_eq!(told[4], "b: `question` is missing or empty");
        assert!(told[5].contains("did you mean `web_content`?"), "{told:?}");
        assert!(told[6].contains("cannot be read"), "{told:?}");
    }

    #[test]
    fn what_is_no_json_at_all_is_an_error() {
        for text in ["", "[]", "  \n", "Why?\nHow?", "[{\"id\": 1"] {
            assert!(read(text, Path::new(".")).is_err(), "{text:?}");
        }
    }

    #[test]
    fn base64_without_an_address_is_an_image() {
        let png = format!("iVBORw0KGgo{}", "A".repeat(60));
        let text = serde_json::json!([{"question": "?", "image": png}]).to_string();
        assert!(all(&text)[0].as_ref().unwrap().image.as_deref().unwrap().starts_with("data:image/png;base64,iVBOR"));
    }
}
