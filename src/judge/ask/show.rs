//! What a judge is shown of a record: its inputs, its references, and one candidate, all of them, or none.
//!
//! The parts stand in an order in which requests of one record share as long a beginning as they can: inputs and references
//! first, then the candidate; what only one criterion asks comes after all of this. Every field stands between
//! [fences](super::fence). A field that a text of the criterion inserts is left out here.
//!
//! It does not know the question.

use super::fence;
use crate::graph::{FieldId, Program, Template, TemplatePart};
use crate::judge::wire::Content;
use crate::run::judgment::evidence;
use crate::run::record::Record;
use crate::types::{Field, FieldKind, Role};
use foldhash::HashMap;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// A record as far as judges may see it.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) program: Arc<Program>,
    /// The record's id.
    pub(super) id: String,
    pub(super) shared: Map<String, Json>,
    pub(super) candidates: Vec<Seen>,
    images: Images,
    looks: Mutex<HashMap<LookKey, Arc<Look>>>,
}

/// The fields that are shown, and of whom.
type LookKey = (Vec<FieldId>, Who);

/// A candidate.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) fields: Map<String, Json>,
}

/// Which candidates a request shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Who {
    Nobody,
    One(usize),
    /// By their places, in the order shown.
    All(Vec<usize>),
}

/// Where `image` fields that name a file are read.
pub type Images = Arc<dyn ReadImage>;

/// Turns what stands in an `image` field into an address that a server can read.
pub trait ReadImage: std::fmt::Debug + Send + Sync {
    /// A `data:` address, or one of the web.
    ///
    /// # Errors
    /// A sentence that says why the image cannot be read.
    fn address(&self, written: &str) -> Result<Arc<str>, String>;
}

/// What is shown, ready to be put at the beginning of requests.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) contents: Vec<Content>,
    /// Why something cannot be shown.
    pub(super) fault: Option<String>,
}

/// The name under which a request speaks of the candidate that stands at this place among all: A, B, …, Z, A1, B1, …
pub(super) fn letter(place: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(place % 26).unwrap_or(0));
    if place < 26 { letter.to_string() } else { format!("{letter}{}", place / 26) }
}

impl Scene {
    pub(super) fn new(program: &Arc<Program>, record: &Record, images: &Images) -> Scene {
        let candidate = |candidate: &crate::run::record::Candidate| Seen {
            id: candidate.id.clone().unwrap_or_default(),
            fields: candidate.fields.clone(),
        };
        Scene {
            program: Arc::clone(program),
            id: record.id.clone(),
            shared: record.shared.clone(),
            candidates: record.candidates.iter().map(candidate).collect(),
            images: Arc::clone(images),
            looks: Mutex::default(),
        }
    }

    /// The beginning of requests that show these fields of these candidates; made once for all criteria that see the same.
    pub(super) fn look(&self, sees: &[FieldId], who: &Who) -> Arc<Look> {
        let mut looks = match self.looks.lock() {
            Ok(looks) => looks,
            // Whoever panicked while holding it left whole values behind.
            Err(poisoned) => poisoned.into_inner(),
        };
        let look = looks.entry((sees.to_vec(), who.clone())).or_insert_with(|| Arc::new(self.make(sees, who)));
        Arc::clone(look)
    }

    fn make(&self, sees: &[FieldId], who: &Who) -> Look {
        let mut page = Page::default();
        let of = |role: Role| -> Vec<&Field> {
            let fields = sees.iter().filter_map(|id| self.program.field(*id));
            fields.filter(|field| field.role == role).collect()
        };
        let (inputs, references, parts) = (of(Role::Input), of(Role::Reference), of(Role::Candidate));
        let before: Vec<&Field> = inputs.iter().chain(&references).copied().collect();
        let code = code_of("task", &before, &[&self.shared]);
        for (heading, fields) in [("The task:\n\n", inputs), ("Reference material:\n\n", references)] {
            if !fields.is_empty() {
                page.text.push_str(heading);
            }
            for field in fields {
                page.field(field, &field.name, self.shared.get(&*field.name), &code, &*self.images);
            }
        }
        page.flush();
        let shown: Vec<(Option<usize>, &Seen)> = match who {
            Who::Nobody => Vec::new(),
            Who::One(place) => self.candidates.get(*place).map(|one| (None, one)).into_iter().collect(),
            Who::All(order) => {
                let seen = order.iter().enumerate();
                seen.filter_map(|(n, place)| Some((Some(n), self.candidates.get(*place)?))).collect()
            }
        };
        let maps: Vec<&Map<String, Json>> = shown.iter().map(|(_, seen)| &seen.fields).collect();
        let code = code_of(&code, &parts, &maps);
        for (n, seen) in shown {
            if parts.is_empty() {
                break;
            }
            match n {
                None => page.text.push_str("To be judged:\n\n"),
                Some(n) => page.text.push_str(&format!("Candidate {}, to be judged:\n\n", letter(n))),
            }
            for field in &parts {
                let name =
                    n.map_or_else(|| field.name.to_string(), |n| format!("{} of candidate {}", field.name, letter(n)));
                page.field(field, &name, seen.fields.get(&*field.name), &code, &*self.images);
            }
        }
        page.flush();
        Look { contents: page.contents, fault: page.fault }
    }

    /// A field of a request that shows at most one candidate.
    fn value(&self, field: &Field, who: &Who) -> Option<&Json> {
        match (field.role, who) {
            (Role::Candidate, Who::One(place)) => self.candidates.get(*place)?.fields.get(&*field.name),
            (Role::Candidate, _) => None,
            _ => self.shared.get(&*field.name),
        }
    }

    /// Whether a text inserts this field itself; of several candidates it can only name it.
    pub(super) fn inserts(&self, field: FieldId, who: &Who) -> bool {
        let of_candidate = self.program.field(field).is_some_and(|field| field.role == Role::Candidate);
        !of_candidate || !matches!(who, Who::All(_))
    }

    /// Adds a text of the program to a page, with the fields that it inserts: a block of its own for each, save short ones of
    /// the task, which stand in the sentence in quotes.
    pub(super) fn fill(&self, page: &mut Page, template: &Template, who: &Who) {
        let mut after_block = false;
        for part in &template.parts {
            match part {
                TemplatePart::Text(text) if after_block => page.text.push_str(text.trim_start_matches(' ')),
                TemplatePart::Text(text) => page.text.push_str(text),
                TemplatePart::Field(id) => {
                    after_block = self.insert(page, *id, who);
                    continue;
                }
            }
            after_block = false;
        }
    }

    /// Adds a field that a text inserts; whether as a block.
    fn insert(&self, page: &mut Page, id: FieldId, who: &Who) -> bool {
        let Some(field) = self.program.field(id) else { return false };
        if !self.inserts(id, who) {
            page.text.push_str(&format!("`{}`", field.name));
            return false;
        }
        let Some(value) = self.value(field, who).filter(|value| !value.is_null()) else {
            page.text.push_str("(not given)");
            return false;
        };
        if let Some(short) = in_sentence(field, value) {
            page.text.push_str(&short);
            return false;
        }
        let code = code_of("text", &[field], &[&one(&field.name, value)]);
        page.own_line();
        page.field(field, &field.name, Some(value), &code, &*self.images);
        page.text.truncate(page.text.trim_end_matches('\n').len());
        page.text.push('\n');
        true
    }

    /// A text of the program for a decision model, which finds the fields in its state and is told their names only.
    pub(super) fn named(&self, template: &Template) -> String {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.to_string(),
            TemplatePart::Field(id) => {
                self.program.field(*id).map_or(String::new(), |field| format!("`{}`", field.name))
            }
        };
        template.parts.iter().map(part).collect()
    }

    /// What a decision model is shown.
    pub(super) fn state(&self, sees: &[FieldId], who: &Who) -> Json {
        let fields = |of_candidate: bool, map: &Map<String, Json>| -> Map<String, Json> {
            let seen = sees.iter().filter_map(|id| self.program.field(*id));
            let seen = seen.filter(|field| (field.role == Role::Candidate) == of_candidate);
            seen.map(|field| {
                let value = map.get(&*field.name).filter(|value| !value.is_null());
                (field.name.to_string(), value.cloned().unwrap_or_else(|| "(not given)".into()))
            })
            .collect()
        };
        let mut state = fields(false, &self.shared);
        match who {
            Who::Nobody => {}
            Who::One(place) => {
                if let Some(seen) = self.candidates.get(*place) {
                    state.extend(fields(true, &seen.fields));
                }
            }
            Who::All(order) => {
                let each = order.iter().enumerate().filter_map(|(n, place)| {
                    let seen = self.candidates.get(*place)?;
                    Some((format!("candidate {}", letter(n)), Json::Object(fields(true, &seen.fields))))
                });
                state.extend(each);
            }
        }
        Json::Object(state)
    }

    /// The texts of a candidate in which a quote may stand, folded as quotes are; empty: there is nothing to quote from.
    pub(super) fn quotable(&self, sees: &[FieldId], candidate: usize) -> Vec<String> {
        let Some(seen) = self.candidates.get(candidate) else { return Vec::new() };
        let mut texts = Vec::new();
        for field in sees.iter().filter_map(|id| self.program.field(*id)).filter(|field| field.role == Role::Candidate)
        {
            if field.kind != FieldKind::Image
                && let Some(value) = seen.fields.get(&*field.name)
            {
                collect(value, &mut texts);
            }
        }
        texts
    }
}

/// A short value of the task as a part of a sentence: numbers and flags as they are, texts of one line in quotes. Nothing of
/// a candidate, and nothing that would have to be guarded.
fn in_sentence(field: &Field, value: &Json) -> Option<String> {
    const MOST: usize = 120;
    if field.role == Role::Candidate {
        return None;
    }
    match (field.kind, value) {
        (FieldKind::Number | FieldKind::Flag, value) => Some(value.to_string()),
        (FieldKind::Text, Json::String(text)) => {
            let mut guarded = String::new();
            fence::guard(&mut guarded, text);
            let plain = !text.contains(|c: char| c.is_control() || fence::is_break(c) || c == '{' || c == '[');
            (plain && guarded == *text && text.chars().count() <= MOST).then(|| Json::from(text.as_str()).to_string())
        }
        _ => None,
    }
}

/// All texts in a value. Its depth is bounded by the JSON reader.
fn collect(value: &Json, texts: &mut Vec<String>) {
    match value {
        Json::String(text) => texts.push(evidence::folded(text)),
        Json::Array(list) => list.iter().for_each(|value| collect(value, texts)),
        Json::Object(map) => map.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

fn one(name: &str, value: &Json) -> Map<String, Json> {
    std::iter::once((name.to_owned(), value.clone())).collect()
}

/// The code of a block's fences: it follows from what stands in the block.
fn code_of(seed: &str, fields: &[&Field], maps: &[&Map<String, Json>]) -> String {
    let mut texts = Vec::with_capacity(1 + maps.len() * fields.len());
    texts.push(Cow::Borrowed(seed));
    for map in maps {
        for field in fields {
            texts.push(map.get(&*field.name).map_or(Cow::Borrowed(""), |value| match value {
                Json::String(text) => Cow::Borrowed(text),
                other => Cow::Owned(other.to_string()),
            }));
        }
    }
    fence::code(texts.iter().map(|text| &**text))
}

/// A part of a request under way: texts, and images between them.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) contents: Vec<Content>,
    pub(super) fault: Option<String>,
}

impl Page {
    /// Ends the text so far.
    pub(super) fn flush(&mut self) {
        if !self.text.is_empty() {
            self.contents.push(Content::Text(std::mem::take(&mut self.text).into()));
        }
    }

    fn own_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn image(&mut self, name: &str, written: &str, images: &dyn ReadImage) {
        match images.address(written) {
            Ok(address) => {
                self.text.push_str(&format!("{name} is this image:\n"));
                self.flush();
                self.contents.push(Content::Image(address));
                self.text.push('\n');
            }
            Err(fault) => {
                self.fault.get_or_insert(format!("`{name}`: {fault}"));
            }
        }
    }

    /// Adds a field between fences.
    fn field(&mut self, field: &Field, name: &str, value: Option<&Json>, code: &str, images: &dyn ReadImage) {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            self.text.push_str(&format!("{name}: (not given)\n\n"));
            return;
        };
        match (field.kind, value) {
            (FieldKind::Image, Json::String(written)) => self.image(name, written, images),
            (FieldKind::Chat, Json::Array(turns)) => {
                fence::open(&mut self.text, name, code);
                for (turn, n) in turns.iter().zip(1..) {
                    self.turn(name, turn, n, code, images);
                }
                fence::close(&mut self.text, name, code);
            }
            (_, Json::String(text)) => fence::block(&mut self.text, name, code, text),
            (_, value) => {
                let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
                fence::block(&mut self.text, name, code, &text);
            }
        }
        self.text.push('\n');
    }

    /// Adds a turn of a chat: a fence line of its own says who speaks, so no content can pass for a turn.
    fn turn(&mut self, name: &str, turn: &Json, number: usize, code: &str, images: &dyn ReadImage) {
        let role: String = turn.get("role").and_then(Json::as_str).unwrap_or("").chars().take(32).collect();
        let plain = !role.is_empty() && role.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let role = if plain { role } else { "other".to_owned() };
        fence::open(&mut self.text, &format!("turn {number} of {name}, by {role},"), code);
        let parts = match turn.get("content") {
            Some(Json::Array(parts)) => parts.as_slice(),
            Some(content) => std::slice::from_ref(content),
            None => &[],
        };
        for part in parts {
            let address = part.get("image_url").map(|image| image.get("url").unwrap_or(image)).and_then(Json::as_str);
            if let Some(address) = address {
                self.image(&format!("a part of turn {number}"), address, images);
                continue;
            }
            match part.as_str().or_else(|| part.get("text")?.as_str()) {
                Some(text) => fence::guard(&mut self.text, text),
                None => fence::guard(&mut self.text, &part.to_string()),
            }
            self.own_line();
        }
    }
}
