//! A smaller program: the same text with fewer checklist items.
//!
//! Judging costs a call for each item; the items with the most points say most of what a checklist says. [`trim`] cuts the
//! others out of the text and leaves everything else as its author wrote it. What is cut is found in the tree, never by
//! looking for words, and the caller checks the new text like any other.
//!
//! Three things would go wrong in silence and are looked after here. An item that something else reads (a gate, a
//! requirement, a tie) stays, whatever was asked for. An item without an ID is called by its number, which changes when
//! items before it go, so that judgments recorded under the old number would count for another item: it gets an ID that
//! says its old number. A test that speaks of an item that goes is taken out and named.
//!
//! It does not know what the items mean, and not whether the tests that stay still hold.

use super::Opened;
use crate::diagnostics::{Sink, did_you_mean};
use crate::number::Number;
use crate::source::{Source, Span};
use crate::syntax;
use crate::syntax::ast::{BodyItem, BodyKind, Checklist, Entry, EntryKind, ItemKind};
use crate::syntax::token::{self, Kind, Token};
use std::cmp::Reverse;
use std::collections::HashSet;

/// What is to stay. Where several are given, an item has to fit all of them; `top` counts among those that do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// Only this checklist is trimmed; `None`: all that stand in the file.
    pub checklist: Option<String>,
    /// Ids of groups; an item has to lie in one of them, at any depth.
    pub groups: Vec<String>,
    /// Keys and values; of each key that is named an item has to carry one of its values, itself or through its groups.
    pub tags: Vec<(String, String)>,
    /// As many items as this, those with the most points whatever their sign; among equals the first in the file.
    pub top: Option<usize>,
}

/// A program's text after trimming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trimmed {
    pub text: String,
    /// Items that stayed, and how many there were, in the checklists that were trimmed.
    pub kept: usize,
    pub of: usize,
    /// Items that stayed only because something else reads them: how they are called, and the line that does.
    pub held: Vec<(String, usize)>,
    /// Items without an ID whose number changed: the old number and the ID that they got.
    pub named: Vec<(usize, String)>,
    /// Names of tests that were taken out.
    pub tests: Vec<String>,
}

/// An item of the file.
struct Found<'a> {
    /// The place of its checklist among those that are trimmed.
    list: usize,
    /// From 1, over its checklist.
    number: usize,
    id: Option<&'a str>,
    points: &'a Number,
    points_end: usize,
    groups: Vec<&'a str>,
    tags: Vec<(&'a str, &'a str)>,
}

/// Takes items out of a program that is free of errors.
///
/// # Errors
/// A sentence: no checklist of that name or none with items in this file; a group or a tag that no item has; nothing that
/// would stay.
pub fn trim(opened: &Opened, keep: &Keep) -> Result<Trimmed, String> {
    let source = opened.files.get(opened.file).ok_or("the program has no text")?;
    let file = syntax::parse(source, &mut Sink::new());
    let lists: Vec<&Checklist> = file
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Checklist(list) if list.from.is_none() => Some(list.as_ref()),
            _ => None,
        })
        .filter(|list| keep.checklist.as_ref().is_none_or(|name| **name == *list.name.text))
        .collect();
    if lists.is_empty() {
        return Err(match &keep.checklist {
            Some(name) => {
                format!(
                    "the file has no checklist `{name}` with items of its own{}",
                    hint(name, &all_lists(&file.items))
                )
            }
            None => "the file has no checklist with items of its own, so there is nothing to trim".to_owned(),
        });
    }
    let mut items = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        let mut number = 0;
        let mut within = Within { list: at, groups: Vec::new(), tags: tags(&list.head).collect() };
        collect(&list.entries, &mut within, &mut number, &mut items);
    }
    let mut stays = chosen(&items, keep)?;
    let tokens = token::lex(source.text());
    let tests: Vec<(Span, &str)> = file
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Test(test) => {
                Some((item.doc.as_ref().map_or(item.span, |doc| doc.span.to(item.span)), &*test.name.value))
            }
            _ => None,
        })
        .collect();
    let outside: Vec<Span> = file
        .items
        .iter()
        .filter(|item| matches!(&item.kind, ItemKind::Checklist(list) if lists.iter().any(|l| l.name == list.name)))
        .map(|item| item.span)
        .collect();
    let mentions = mentions(source, &tokens, &lists, &items, &outside);
    let mut held = Vec::new();
    for mention in mentions.iter().filter(|m| !tests.iter().any(|(span, _)| inside(*span, m.at))) {
        if let (Some(item), Some(stay)) = (items.get(mention.item), stays.get_mut(mention.item)) {
            let whole = lists.get(item.list).map_or("", |list| &*list.name.text);
            if mention.by_number {
                // Its number may change; the text would then speak of another item.
                let line = source.position(mention.at).line;
                return Err(format!(
                    "line {line} names item {} of `{whole}` by its number, which trimming may change; give the item an ID \
                     and write `{whole}.ID` there",
                    item.number
                ));
            }
            if !std::mem::replace(stay, true) {
                held.push((called(whole, item), source.position(mention.at).line));
            }
        }
    }
    let kept = stays.iter().filter(|stay| **stay).count();
    let mut cuts: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let mut next = stays.iter().copied();
    for list in &lists {
        cut(source, &list.entries, &mut next, &mut cuts);
    }
    let mut gone_tests = Vec::new();
    for (span, name) in &tests {
        let speaks = mentions
            .iter()
            .any(|mention| inside(*span, mention.at) && (mention.by_number || stays.get(mention.item) == Some(&false)));
        if speaks {
            cuts.push((line_range(source, *span), String::new()));
            gone_tests.push((*name).to_owned());
        }
    }
    let named = new_ids(&lists, &items, &stays, &mut cuts);
    Ok(Trimmed { text: replaced(source.text(), cuts), kept, of: items.len(), held, named, tests: gone_tests })
}

fn all_lists(items: &[syntax::ast::Item]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Checklist(list) => Some(&*list.name.text),
            _ => None,
        })
        .collect()
}

fn hint(name: &str, names: &[&str]) -> String {
    match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if names.is_empty() => String::new(),
        None => format!("; there is {}", names.join(", ")),
    }
}

fn called(list: &str, item: &Found<'_>) -> String {
    item.id.map_or_else(|| format!("{list}.{}", item.number), |id| format!("{list}.{id}"))
}

/// Where the walk through a checklist stands.
struct Within<'a> {
    list: usize,
    groups: Vec<&'a str>,
    tags: Vec<(&'a str, &'a str)>,
}

fn tags(body: &[BodyItem]) -> impl Iterator<Item = (&str, &str)> {
    body.iter().filter_map(|statement| match &statement.kind {
        BodyKind::Tag(key, value) => Some((&*key.text, &*value.value)),
        _ => None,
    })
}

fn collect<'a>(entries: &'a [Entry], within: &mut Within<'a>, number: &mut usize, into: &mut Vec<Found<'a>>) {
    for entry in entries {
        match &entry.kind {
            EntryKind::Group { id, head, entries, .. } => {
                within.groups.push(&id.text);
                let before = within.tags.len();
                within.tags.extend(tags(head));
                collect(entries, within, number, into);
                within.tags.truncate(before);
                within.groups.pop();
            }
            EntryKind::Item { points, points_span, id, body, .. } => {
                *number += 1;
                // What an item says itself of a key wins over its groups.
                let own: Vec<(&str, &str)> = tags(body).collect();
                let inherited = within.tags.iter().filter(|(key, _)| !own.iter().any(|(k, _)| k == key));
                let tags = inherited.copied().chain(own.iter().copied()).collect();
                into.push(Found {
                    list: within.list,
                    number: *number,
                    id: id.as_ref().map(|id| &*id.text),
                    points,
                    points_end: points_span.range().end,
                    groups: within.groups.clone(),
                    tags,
                });
            }
            EntryKind::Error => {}
        }
    }
}

/// Which items stay, by what is asked for alone.
fn chosen(items: &[Found<'_>], keep: &Keep) -> Result<Vec<bool>, String> {
    for group in &keep.groups {
        if !items.iter().any(|item| item.groups.contains(&group.as_str())) {
            let mut names: Vec<&str> = items.iter().flat_map(|item| item.groups.iter().copied()).collect();
            names.dedup();
            return Err(format!("no item lies in a group `{group}`{}", hint(group, &names)));
        }
    }
    for (key, value) in &keep.tags {
        if !items.iter().any(|item| item.tags.contains(&(key, value))) {
            let values: HashSet<&str> =
                items.iter().flat_map(|i| &i.tags).filter(|(k, _)| k == key).map(|t| t.1).collect();
            let mut values: Vec<&str> = values.into_iter().collect();
            values.sort_unstable();
            let what = if values.is_empty() {
                let keys: HashSet<&str> = items.iter().flat_map(|item| &item.tags).map(|tag| tag.0).collect();
                let mut keys: Vec<&str> = keys.into_iter().collect();
                keys.sort_unstable();
                hint(key, &keys)
            } else {
                hint(value, &values)
            };
            return Err(format!("no item has the tag {key}={value}{what}"));
        }
    }
    let fits = |item: &Found<'_>| {
        let grouped = keep.groups.is_empty() || keep.groups.iter().any(|group| item.groups.contains(&group.as_str()));
        let tagged = keep
            .tags
            .iter()
            .all(|(key, _)| keep.tags.iter().any(|(k, value)| k == key && item.tags.contains(&(k, value))));
        grouped && tagged
    };
    let mut order: Vec<usize> = (0..items.len()).filter(|at| items.get(*at).is_some_and(fits)).collect();
    if let Some(top) = keep.top {
        // A stable sort: among equals the first in the file stays.
        order.sort_by_key(|at| items.get(*at).map(|item| Reverse(item.points.abs())));
        order.truncate(top);
    }
    if order.is_empty() {
        return Err("no item would stay".to_owned());
    }
    let order: HashSet<usize> = order.into_iter().collect();
    Ok((0..items.len()).map(|at| order.contains(&at)).collect())
}

/// A place outside the checklists that speaks of an item.
struct Mention {
    item: usize,
    at: u32,
    by_number: bool,
}

/// Where items are named: `care.id`, `care.group.id`, `care[3]`, and in the lists of a test's `given` (`care: [id, id]`).
fn mentions(
    source: &Source,
    tokens: &[Token],
    lists: &[&Checklist],
    items: &[Found<'_>],
    own: &[Span],
) -> Vec<Mention> {
    let text = source.text();
    let slice = |token: &Token| text.get(token.start as usize..token.end as usize).unwrap_or("");
    let tokens: Vec<&Token> = tokens.iter().filter(|token| !token.kind.is_trivia()).collect();
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let find = |list: usize, id: &str| items.iter().position(|item| item.list == list && item.id == Some(id));
    let by_number = |list: usize, number: &str| {
        items.iter().position(|item| item.list == list && number.parse() == Ok(item.number))
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Word || own.iter().any(|span| inside(*span, token.start)) {
            continue;
        }
        if at > 0 && kind(at - 1) == Some(Kind::Dot) {
            continue;
        }
        let Some(list) = lists.iter().position(|list| *list.name.text == *slice(token)) else { continue };
        let mut next = at + 1;
        let mut last = None;
        while kind(next) == Some(Kind::Dot) && tokens.get(next + 1).is_some_and(|t| t.kind == Kind::Word) {
            last = tokens.get(next + 1).copied();
            next += 2;
        }
        match (last, kind(next)) {
            (Some(last), _) => {
                if let Some(item) = find(list, slice(last)) {
                    found.push(Mention { item, at: token.start, by_number: false });
                }
            }
            (None, Some(Kind::LSquare)) => {
                if let Some(item) = tokens.get(next + 1).and_then(|number| by_number(list, slice(number))) {
                    found.push(Mention { item, at: token.start, by_number: true });
                }
            }
            (None, Some(Kind::Colon)) if kind(next + 1) == Some(Kind::LSquare) => {
                for word in tokens.iter().skip(next + 2).take_while(|token| token.kind != Kind::RSquare) {
                    if let Some(item) = find(list, slice(word)) {
                        found.push(Mention { item, at: word.start, by_number: false });
                    } else if let Some(item) = by_number(list, slice(word)) {
                        found.push(Mention { item, at: word.start, by_number: true });
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn inside(span: Span, at: u32) -> bool {
    span.range().contains(&(at as usize))
}

/// Lists what is cut out of these entries; whether any of their items stays.
fn cut(
    source: &Source,
    entries: &[Entry],
    stays: &mut impl Iterator<Item = bool>,
    cuts: &mut Vec<(std::ops::Range<usize>, String)>,
) -> bool {
    let mut any = false;
    for entry in entries {
        let whole = entry.doc.as_ref().map_or(entry.span, |doc| doc.span.to(entry.span));
        let before = cuts.len();
        let stay = match &entry.kind {
            EntryKind::Group { entries, .. } => cut(source, entries, stays, cuts),
            EntryKind::Item { .. } => stays.next().unwrap_or(true),
            EntryKind::Error => true,
        };
        if !stay {
            cuts.truncate(before);
            cuts.push((line_range(source, whole), String::new()));
        }
        any |= stay;
    }
    any
}

/// The bytes of something with its whole lines, where it has them to itself but for a comment behind it.
fn line_range(source: &Source, span: Span) -> std::ops::Range<usize> {
    let text = source.text();
    let range = source.clamp(span);
    let (before, after) = (text.get(..range.start).unwrap_or(""), text.get(range.end..).unwrap_or(""));
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let alone = before.get(line_start..).is_some_and(|rest| rest.trim().is_empty());
    let rest = after.split_inclusive('\n').next().unwrap_or("");
    let empty = rest.trim().is_empty() || rest.trim_start().starts_with("//");
    if alone && empty { line_start..range.end + rest.len() } else { range }
}

/// Gives items without an ID one, where their number changes.
fn new_ids(
    lists: &[&Checklist],
    items: &[Found<'_>],
    stays: &[bool],
    cuts: &mut Vec<(std::ops::Range<usize>, String)>,
) -> Vec<(usize, String)> {
    let mut named = Vec::new();
    for list in 0..lists.len() {
        let taken: HashSet<&str> = items
            .iter()
            .filter(|i| i.list == list)
            .flat_map(|i| i.id.into_iter().chain(i.groups.iter().copied()))
            .collect();
        let mut number = 0;
        for (item, stay) in items.iter().zip(stays).filter(|(item, _)| item.list == list) {
            if !stay {
                continue;
            }
            number += 1;
            if item.id.is_some() || item.number == number {
                continue;
            }
            let mut id = format!("item_{}", item.number);
            while taken.contains(id.as_str()) {
                id.push('_');
            }
            cuts.push((item.points_end..item.points_end, format!(" {id}")));
            named.push((item.number, id));
        }
    }
    named
}

/// The text with these ranges replaced; they do not overlap.
fn replaced(text: &str, mut cuts: Vec<(std::ops::Range<usize>, String)>) -> String {
    cuts.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in cuts {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&with);
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::open_text;

    const PROGRAM: &str = r#"rubric patient
candidate answer: text
checklist care {
  tag axis "care"
  group safety {
    /// A doc.
    +10 red_flags "Names the symptoms" // a comment
    -8 dose "Gives a dose" { tag axis "harm" }
    -3 "Frightens"
  }
  // about the rest
  +4 "Acknowledges the discomfort"
  +6 polite "Is polite"
}
gate final = cap(clamp(points(care), to: score[0..1]), at: 0.2) when care.safety.dose
readout pointwise = final
test "all" { given { care: best } expect pointwise == 1 }
test "polite" { given { care: [polite] } expect pointwise < 1 }
"#;

    fn trimmed(text: &str, keep: &Keep) -> Result<Trimmed, String> {
        let opened = open_text("a.rubric", std::path::Path::new("."), text.to_owned());
        assert!(!opened.has_errors(), "{:?}", opened.diagnostics);
        let trimmed = trim(&opened, keep)?;
        let again = open_text("b.rubric", std::path::Path::new("."), trimmed.text.clone());
        assert!(!again.has_errors(), "{:?}\n{}", again.diagnostics, trimmed.text);
        Ok(trimmed)
    }

    #[test]
    fn the_items_with_most_points_stay_and_the_rest_of_the_text_is_as_it_was() {
        let out = trimmed(PROGRAM, &Keep { top: Some(3), ..Keep::default() }).unwrap();
        let expected =
            PROGRAM.replace("    -3 \"Frightens\"\n", "").replace("  +4 \"Acknowledges the discomfort\"\n", "");
        assert_eq!(out.text, expected);
        assert_eq!((out.kept, out.of), (3, 5));
        assert!(out.held.is_empty() && out.named.is_empty() && out.tests.is_empty());
    }

    #[test]
    fn what_is_read_elsewhere_stays_and_tests_of_what_goes_go() {
        let out = trimmed(PROGRAM, &Keep { top: Some(1), ..Keep::default() }).unwrap();
        assert_eq!(out.held, [("care.dose".to_owned(), 15)]);
        assert_eq!(out.tests, ["polite"]);
        assert!(!out.text.contains("polite") && out.text.contains("test \"all\""));
    }

    #[test]
    fn an_item_without_an_id_does_not_take_the_number_of_another() {
        // Item 3 goes, so item 4 would be the third.
        let out = trimmed(PROGRAM, &Keep { top: Some(4), ..Keep::default() }).unwrap();
        assert_eq!(out.named, [(4, "item_4".to_owned())]);
        assert!(out.text.contains("  +4 item_4 \"Acknowledges"), "{}", out.text);
        // Whoever keeps his number keeps his name.
        let out = trimmed(PROGRAM, &Keep { groups: vec!["safety".into()], ..Keep::default() }).unwrap();
        assert!(out.named.is_empty() && out.text.contains("    -3 \"Frightens\""), "{}", out.text);
    }

    #[test]
    fn what_names_an_item_by_its_number_is_said() {
        let text = PROGRAM.replace("when care.safety.dose", "when care[3]");
        let fault = trimmed(&text, &Keep { top: Some(1), ..Keep::default() }).unwrap_err();
        assert!(fault.contains("line 15 names item 3 of `care`"), "{fault}");
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is_near() {
        let keep = |f: fn(&mut Keep)| {
            let mut keep = Keep::default();
            f(&mut keep);
            trimmed(PROGRAM, &keep).unwrap_err()
        };
        assert!(keep(|k| k.groups.push("savety".into())).contains("did you mean `safety`"));
        assert!(keep(|k| k.tags.push(("axis".into(), "ham".into()))).contains("did you mean `harm`"));
        assert!(keep(|k| k.tags.push(("axes".into(), "harm".into()))).contains("did you mean `axis`"));
        assert!(keep(|k| k.checklist = Some("car".into())).contains("did you mean `care`"));
    }
}
