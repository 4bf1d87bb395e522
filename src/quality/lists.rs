//! Lists of criteria, from what people have: programs, folders of programs, lists in JSON, lines of text.

use crate::graph::{NodeKind, Origin, Program, TemplatePart};
use crate::project;
use crate::run::record::json;
use serde_json::Value as Json;
use std::path::Path;

/// The criteria of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// The question's id; a program's name; empty where the file holds one list without an id.
    pub id: String,
    pub question: Option<String>,
    pub criteria: Vec<Listed>,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub text: String,
    /// As written, signed.
    pub points: Option<String>,
}

/// Keys that hold a list of criteria, in the order in which they are looked for.
const LISTS: [&str; 6] = ["final_criteria", "criteria", "rubrics", "rubric", "checklist", "items"];
/// Keys that hold the text of a criterion.
const TEXTS: [&str; 5] = ["criterion", "text", "requirement", "question", "description"];
const POINTS: [&str; 3] = ["points", "weight", "score"];
const IDS: [&str; 3] = ["id", "prompt_id", "question_id"];
const QUESTIONS: [&str; 4] = ["question", "prompt", "instruction", "input"];

/// Reads lists of criteria: a `.rubric` or JSON program or a folder of them (a list each), a JSON list of criteria, a JSON
/// list or JSON lines of objects with `id`, `question` and a list of criteria, or text with one criterion a line.
///
/// # Errors
/// A sentence that names the place: what cannot be read, an entry that has no text, two lists of one id.
pub fn read(path: &Path) -> Result<Vec<List>, String> {
    let lists = if path.is_dir() { of_folder(path)? } else { of_file(path)? };
    if lists.iter().all(|list| list.criteria.is_empty()) {
        return Err(format!("`{}` holds no criteria", path.display()));
    }
    for (n, list) in lists.iter().enumerate() {
        if lists.iter().take(n).any(|other| other.id == list.id) {
            return Err(format!("`{}` holds two lists with the id `{}`", path.display(), list.id));
        }
    }
    Ok(lists)
}

fn of_folder(path: &Path) -> Result<Vec<List>, String> {
    let folder = project::open_folder(path).map_err(|error| error.to_string())?;
    if let Some(faulty) = folder.faulty.first() {
        let name = faulty.files.get(faulty.file).map_or("", |source| &*source.name).to_owned();
        return Err(format!("`{name}` has faults; `rubric check {name}` shows them"));
    }
    Ok(folder.programs.values().filter_map(|opened| Some(of_program(opened.program.as_ref()?))).collect())
}

fn of_file(path: &Path) -> Result<Vec<List>, String> {
    let named = |what: String| format!("`{}`: {what}", path.display());
    let text = crate::source::files::read_text(path, &path.to_string_lossy()).map_err(|error| error.to_string())?;
    let is_program = path.extension().is_some_and(|e| e == "rubric");
    let parsed = if is_program { None } else { json::parse(&text).ok() };
    match parsed {
        Some(Json::Array(list)) => return of_array(&list).map_err(named),
        Some(Json::Object(map)) if !map.contains_key("nodes") => {
            return Ok(vec![of_object(&Json::Object(map), None).map_err(named)?]);
        }
        Some(_) | None => {}
    }
    if is_program || parsed_program(&text) {
        let opened = project::open(path).map_err(|error| error.to_string())?;
        if opened.has_errors() {
            return Err(named(format!("the program has faults; `rubric check {}` shows them", path.display())));
        }
        let program = opened.program.ok_or_else(|| named("it is a library; name a program that uses it".to_owned()))?;
        return Ok(vec![of_program(&program)]);
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    if text.trim_start().starts_with('{') {
        return lines
            .map(|(line, number)| {
                let json = json::parse(line).map_err(|fault| named(format!("line {number}: {fault}")))?;
                of_object(&json, None).map_err(|fault| named(format!("line {number}: {fault}")))
            })
            .collect();
    }
    let criteria = lines.map(|(line, _)| Listed { text: line.trim().to_owned(), points: None }).collect();
    Ok(vec![List { id: String::new(), question: None, criteria }])
}

fn parsed_program(text: &str) -> bool {
    json::parse(text).is_ok_and(|json| json.get("nodes").is_some())
}

fn of_program(program: &Program) -> List {
    let criteria = program
        .nodes
        .iter()
        .filter_map(|node| {
            let NodeKind::Criterion(criterion) = &node.kind else { return None };
            let text: String = criterion
                .ask
                .parts
                .iter()
                .map(|part| match part {
                    TemplatePart::Text(text) => text.to_string(),
                    TemplatePart::Field(id) => program.field(*id).map_or("", |field| &*field.name).to_owned(),
                })
                .collect();
            let at = program.find(&node.name)?;
            let points = match criterion.origin {
                Origin::Item { checklist } => program
                    .checklists
                    .get(checklist)?
                    .items
                    .iter()
                    .find(|item| item.node == at)
                    .map(|i| i.points.to_string()),
                _ => None,
            };
            (!text.trim().is_empty()).then_some(Listed { text, points })
        })
        .collect();
    List { id: program.name.to_string(), question: None, criteria }
}

/// A list of criteria, or a list of lists.
fn of_array(list: &[Json]) -> Result<Vec<List>, String> {
    let is_list = |json: &Json| LISTS.iter().any(|key| json.get(key).is_some_and(Json::is_array));
    if list.iter().any(is_list) {
        let each = list.iter().enumerate();
        return each
            .map(|(n, json)| of_object(json, Some(n + 1)).map_err(|fault| format!("entry {}: {fault}", n + 1)))
            .collect();
    }
    Ok(vec![List { id: String::new(), question: None, criteria: criteria(list)? }])
}

fn of_object(json: &Json, number: Option<usize>) -> Result<List, String> {
    let list = LISTS.iter().find_map(|key| json.get(key).and_then(Json::as_array));
    let list =
        list.ok_or_else(|| format!("it has no list of criteria; one is looked for under {}", LISTS.join(", ")))?;
    let id = IDS.iter().find_map(|key| match json.get(key) {
        Some(Json::String(id)) => Some(id.clone()),
        Some(Json::Number(id)) => Some(id.to_string()),
        _ => None,
    });
    let id = id.or_else(|| number.map(|n| n.to_string())).unwrap_or_default();
    let question = QUESTIONS.iter().find_map(|key| question(json.get(key)?));
    Ok(List { id, question, criteria: criteria(list)? })
}

/// A text, or the contents of the messages of a conversation.
fn question(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text.clone()),
        Json::Array(turns) => {
            let turns: Vec<&str> = turns.iter().filter_map(|turn| turn.get("content")?.as_str()).collect();
            (!turns.is_empty()).then(|| turns.join("\n"))
        }
        _ => None,
    }
}

fn criteria(list: &[Json]) -> Result<Vec<Listed>, String> {
    let each = list.iter().enumerate().map(|(n, json)| {
        let text = match json {
            Json::String(text) => Some(text.as_str()),
            _ => TEXTS.iter().find_map(|key| json.get(key).and_then(Json::as_str)),
        };
        let text = text.filter(|text| !text.trim().is_empty());
        let text = text
            .ok_or_else(|| format!("criterion {} has no text; one is looked for under {}", n + 1, TEXTS.join(", ")))?;
        let points = POINTS.iter().find_map(|key| json.get(key).filter(|json| json.is_number()).map(Json::to_string));
        Ok(Listed { text: text.trim().to_owned(), points })
    });
    each.collect()
}

/// Puts our lists beside the experts', by id; two single lists belong together whatever they are called. Also the ids that
/// only one side has.
#[must_use]
pub fn pair(ours: Vec<List>, experts: Vec<List>) -> (Vec<(List, List)>, Vec<String>) {
    if let ([_], [_]) = (ours.as_slice(), experts.as_slice()) {
        return (ours.into_iter().zip(experts).collect(), Vec::new());
    }
    let mut experts: indexmap::IndexMap<String, List> =
        experts.into_iter().map(|list| (list.id.clone(), list)).collect();
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for list in ours {
        match experts.shift_remove(&list.id) {
            Some(expert) => pairs.push((list, expert)),
            None => alone.push(list.id),
        }
    }
    alone.extend(experts.into_keys());
    (pairs, alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> Result<Vec<List>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn lists_come_in_many_forms() {
        let one = file("a.json", r#"[{"criterion": "A", "points": -3}, "B"]"#).unwrap();
        assert_eq!(one[0].criteria[0], Listed { text: "A".into(), points: Some("-3".into()) });
        assert_eq!(one[0].criteria[1].text, "B");
        let many = file(
            "a.jsonl",
            "{\"prompt_id\": \"q1\", \"prompt\": [{\"role\": \"user\", \"content\": \"Why?\"}], \"rubrics\": [{\"criterion\": \"A\", \"points\": 5}]}\n\
             {\"id\": 2, \"question\": \"How?\", \"final_criteria\": [{\"criterion\": \"B\"}]}\n",
        );
        let many = many.unwrap();
        assert_eq!((many[0].id.as_str(), many[0].question.as_deref()), ("q1", Some("Why?")));
        assert_eq!((many[1].id.as_str(), many[1].question.as_deref()), ("2", Some("How?")));
        let lines = file("a.txt", "Names the dose\n\n  Is kind\n").unwrap();
        assert_eq!(lines[0].criteria.len(), 2);
        let program = "rubric a\ncandidate answer: text\nchecklist c {\n +2 \"Kind\"\n -1 bad \"Rude\"\n}\n\
                       reduce s = points(c)\nreadout pointwise = s\n";
        let program = file("a.rubric", program).unwrap();
        assert_eq!(program[0].id, "a");
        assert_eq!(program[0].criteria[1], Listed { text: "Rude".into(), points: Some("-1".into()) });
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        assert!(
            file("a.jsonl", "{\"id\": \"a\", \"criteria\": []}\n{\"id\": \"b\"}\n").unwrap_err().contains("line 2")
        );
        assert!(file("a.json", r#"[{"points": 3}]"#).unwrap_err().contains("criterion 1 has no text"));
        assert!(file("a.txt", "\n").unwrap_err().contains("holds no criteria"));
        let twice = "{\"id\": \"a\", \"criteria\": [\"x\"]}\n{\"id\": \"a\", \"criteria\": [\"y\"]}\n";
        assert!(file("a.jsonl", twice).unwrap_err().contains("two lists with the id `a`"));
    }

    #[test]
    fn lists_are_paired_by_id_and_what_is_alone_is_told() {
        let list = |id: &str| List { id: id.into(), question: None, criteria: Vec::new() };
        let (pairs, alone) = pair(vec![list("a"), list("b")], vec![list("b"), list("c")]);
        assert_eq!(pairs.len(), 1);
        assert_eq!(alone, ["a", "c"]);
        assert_eq!(pair(vec![list("x")], vec![list("")]).0.len(), 1);
    }
}
