//! Puts tags into the text of a program, where its author would have written them.

use crate::diagnostics::Sink;
use crate::project::Opened;
use crate::syntax;
use crate::syntax::ast::{BodyItem, BodyKind, Entry, EntryKind, ItemKind};
use crate::syntax::token::{self, Kind, Token};
use crate::types::quote;

/// A criterion or an item in the text of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// `care.dose`, `care.3`, `tone`.
    pub name: String,
    /// Its question.
    pub text: String,
    /// Values that it has for the key already, itself.
    pub has: Vec<String>,
    /// Where a tag goes, and what has to stand around it.
    at: usize,
    braces: bool,
}

/// The criteria and items that stand in the text of a program without errors, and what each says of `key`.
#[must_use]
pub fn places(opened: &Opened, key: &str) -> Vec<Place> {
    let Some(source) = opened.files.get(opened.file) else { return Vec::new() };
    let file = syntax::parse(source, &mut Sink::new());
    let tokens: Vec<Token> = token::lex(source.text()).into_iter().filter(|token| !token.kind.is_trivia()).collect();
    let mut found = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Criterion(criterion) => {
                let asked = criterion.body.iter().find_map(|statement| match &statement.kind {
                    BodyKind::Ask(text) => Some(text),
                    _ => None,
                });
                let Some(ask) = asked else { continue };
                // The type of a criterion has no braces, and a question is one token.
                let (at, braces) = opening(&tokens, item.span.range().start, item.span.range().end);
                let place = Place {
                    name: criterion.name.text.to_string(),
                    text: ask.value.to_string(),
                    has: has(&criterion.body, key),
                    at,
                    braces,
                };
                found.push(place);
            }
            ItemKind::Checklist(list) => items(&list.entries, &list.name.text, &tokens, key, &mut 0, &mut found),
            _ => {}
        }
    }
    found
}

fn items(entries: &[Entry], list: &str, tokens: &[Token], key: &str, number: &mut usize, into: &mut Vec<Place>) {
    for entry in entries {
        match &entry.kind {
            EntryKind::Group { entries, .. } => items(entries, list, tokens, key, number, into),
            EntryKind::Item { id, text, body, .. } => {
                *number += 1;
                let id = id.as_ref().map_or_else(|| number.to_string(), |id| id.text.to_string());
                let (at, braces) = opening(tokens, text.span.range().end, entry.span.range().end);
                into.push(Place {
                    name: format!("{list}.{id}"),
                    text: text.value.to_string(),
                    has: has(body, key),
                    at,
                    braces,
                });
            }
            EntryKind::Error => {}
        }
    }
}

fn has(body: &[BodyItem], key: &str) -> Vec<String> {
    body.iter()
        .filter_map(|statement| match &statement.kind {
            BodyKind::Tag(name, value) if *name.text == *key => Some(value.value.to_string()),
            _ => None,
        })
        .collect()
}

/// Behind the first opening brace between two places; where there is none, the second place, which then needs braces.
fn opening(tokens: &[Token], from: usize, to: usize) -> (usize, bool) {
    let brace = tokens.iter().find(|token| token.kind == Kind::LBrace && (from..to).contains(&(token.start as usize)));
    brace.map_or((to, true), |brace| (brace.end as usize, false))
}

/// The text with the values of `key` that each place gets; those that it has already are not written again.
#[must_use]
pub fn write(text: &str, key: &str, places: &[(Place, Vec<String>)]) -> String {
    let mut inserts: Vec<(usize, String)> = places
        .iter()
        .filter_map(|(place, values)| {
            let new: Vec<String> = values
                .iter()
                .filter(|value| !place.has.contains(value))
                .map(|value| format!("tag {key} {}", quote(value)))
                .collect();
            let tags = new.join(" ");
            let insert = if place.braces { format!(" {{ {tags} }}") } else { format!(" {tags}") };
            (!new.is_empty()).then_some((place.at, insert))
        })
        .collect();
    inserts.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, insert) in inserts {
        out.push_str(text.get(from..at).unwrap_or(""));
        out.push_str(&insert);
        from = at;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::open_text;

    #[test]
    fn tags_stand_where_an_author_would_write_them() {
        let text = "rubric a\ncandidate answer: text\ncriterion tone: int[1..5] \"Kind?\"\ncriterion b: bool {\n  ask \"B?\"\n  level true \"{x\"\n}\n\
                    checklist c {\n  group g {\n    +2 \"Has {braces}\" // why\n    +1 kind \"Kind\" { tag topic \"tone\" }\n  }\n}\n\
                    reduce s = mean(normalize(tone), normalize(b), clamp(points(c), to: score[0..1]))\nreadout pointwise = s\n";
        let text = text.replace("{x", "x").replace("{braces}", "braces");
        let opened = open_text("a.rubric", std::path::Path::new("."), text.clone());
        assert!(!opened.has_errors(), "{:?}", opened.diagnostics);
        let places = places(&opened, "topic");
        let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
        assert_eq!(names, ["tone", "b", "c.1", "c.kind"]);
        let tagged: Vec<(Place, Vec<String>)> =
            places.into_iter().map(|place| (place, vec!["tone".to_owned(), "a \"b\"".to_owned()])).collect();
        let new = write(&text, "topic", &tagged);
        let again = open_text("a.rubric", std::path::Path::new("."), new.clone());
        assert!(!again.has_errors(), "{:?}\n{new}", again.diagnostics);
        assert!(new.contains("\"Kind?\" { tag topic \"tone\" tag topic \"a \\\"b\\\"\" }"), "{new}");
        assert!(new.contains("+2 \"Has braces\" { tag topic \"tone\" tag topic \"a \\\"b\\\"\" } // why"), "{new}");
        assert!(new.contains("+1 kind \"Kind\" { tag topic \"a \\\"b\\\"\" tag topic \"tone\" }"), "{new}");
        let twice: Vec<(Place, Vec<String>)> =
            super::places(&again, "topic").into_iter().map(|place| (place, vec!["tone".to_owned()])).collect();
        assert_eq!(write(&new, "topic", &twice), new);
    }
}
