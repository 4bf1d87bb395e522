//! What something is, in Markdown; and the form of the call that is being written.

use super::complete::{form, parameters};
use super::names::{self, Kind as NameKind, Occurrence};
use super::place::{self, Room};
use super::{Snapshot, complete};
use crate::catalog::Op;
use crate::catalog::functions::FUNCTIONS;
use crate::catalog::procedures::procedure;
use crate::catalog::readouts::readout;
use crate::catalog::spaces::{FIELD_KINDS, TYPES};
use crate::resolve::scope::Scopes;
use crate::source::Span;

/// A hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub markdown: String,
    pub span: Span,
}

/// What stands at a byte of the file. `influence` says of a criterion how far it reaches, where that is known.
#[must_use]
pub fn hover(snapshot: &Snapshot, offset: u32, influence: &dyn Fn(&str) -> Option<String>) -> Option<Hover> {
    let all = names::occurrences(snapshot);
    if let Some(found) = names::at(&all, snapshot.opened.file, offset) {
        return Some(Hover { markdown: named(snapshot, found, influence), span: found.span });
    }
    let source = snapshot.source()?;
    let tokens = crate::syntax::tokens(source);
    let token = tokens.iter().find(|t| t.start <= offset && offset <= t.end && place::is_word(t.kind))?;
    let span = Span { file: source.id, start: token.start, end: token.end };
    Some(Hover { markdown: word(source.slice(span))?, span })
}

fn named(snapshot: &Snapshot, found: &Occurrence, influence: &dyn Fn(&str) -> Option<String>) -> String {
    let what = match found.kind {
        NameKind::Field => "field",
        NameKind::Scale => "scale",
        NameKind::Criterion => "criterion",
        NameKind::Checklist => "checklist",
        NameKind::Item => "item",
        NameKind::Group => "group",
        NameKind::Node => "node",
        NameKind::Define => "define",
        NameKind::Parameter => "parameter",
        NameKind::Library => "library",
        NameKind::Readout => "readout",
    };
    let readout = || {
        let program = snapshot.program.as_ref()?;
        program.readouts.iter().find(|r| r.key() == &*found.name).map(|r| r.ty.to_string())
    };
    let ty = if found.kind == NameKind::Readout { readout() } else { snapshot.type_of(&found.name) };
    let ty = ty.map_or_else(String::new, |ty| format!(": {ty}"));
    let mut out = format!("```rubric\n{what} {}{ty}\n```", found.name);
    let mut part = |text: &str| {
        if !text.trim().is_empty() {
            out.push_str("\n\n");
            out.push_str(text);
        }
    };
    let (doc, line) = declaration(snapshot, found.target);
    part(&doc);
    part(&format!("`{line}`"));
    if let Some(reach) = influence(&found.name) {
        part(&reach);
    }
    out
}

/// The doc comment of what is declared at a place, and its first line.
fn declaration(snapshot: &Snapshot, target: Span) -> (String, String) {
    let mut sink = crate::diagnostics::Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    let doc = scopes.decls.iter().find(|d| d.span == target).and_then(|d| d.item.doc.as_ref());
    let doc = doc.map_or_else(String::new, |d| d.text.to_string());
    let line = snapshot.opened.files.get(target.file).map_or("", |s| s.line(s.position(target.start).line));
    (doc, line.trim().trim_end_matches('{').trim_end().replace('`', "'"))
}

/// A word of the language.
fn word(word: &str) -> Option<String> {
    let page = |form: &str, doc: &str, example: &str| {
        let example = if example.is_empty() { String::new() } else { format!("\n\n```rubric\n{example}\n```") };
        format!("```rubric\n{form}\n```\n\n{doc}{example}")
    };
    if let Some(op) = Op::called(word) {
        let info = op.info();
        return Some(page(&form(op), &format!("{} Yields {}.", info.doc, info.result), info.example));
    }
    if let Some(info) = readout(word) {
        return Some(page(
            &format!("readout {} = {word}", info.mode),
            &format!("{} Yields {}.", info.doc, info.result),
            info.example,
        ));
    }
    if let Some(info) = procedure(word) {
        let params: Vec<String> = info
            .params
            .iter()
            .map(|p| {
                format!(
                    "- `{}`: {}{}",
                    p.name,
                    p.is,
                    p.default.map_or_else(String::new, |d| format!(" (default: {d})"))
                )
            })
            .collect();
        return Some(format!("{}\n\n{}", page(word, info.doc, info.example), params.join("\n")));
    }
    if let Some(info) = TYPES.iter().chain(FIELD_KINDS).find(|t| t.word == word) {
        return Some(page(info.form, info.doc, info.example));
    }
    let info = FUNCTIONS.iter().find(|f| f.name == word)?;
    Some(page(info.form, &format!("{} Yields {}.", info.doc, info.result), ""))
}

/// The call that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub label: String,
    pub doc: String,
    /// Byte ranges of the parameters in `label`.
    pub parameters: Vec<(usize, usize)>,
    pub active: Option<usize>,
}

/// The innermost call around a byte of the file.
#[must_use]
pub fn signature(snapshot: &Snapshot, offset: u32) -> Option<Signature> {
    let source = snapshot.source()?;
    let place = place::place(source, offset);
    let callee = place.callee.as_deref().filter(|_| place.room() == Room::Args)?;
    let (label, doc) = if let Some(op) = Op::called(callee) {
        (complete::form(op), op.info().doc.to_owned())
    } else if let Some(function) = FUNCTIONS.iter().find(|f| f.name == callee) {
        (function.form.to_owned(), function.doc.to_owned())
    } else {
        let params = parameters(callee);
        let doc = readout(callee).map(|r| r.doc).or_else(|| procedure(callee).map(|p| p.doc));
        let names: Vec<String> = params.iter().map(|p| format!("{}: …", p.name)).collect();
        match doc {
            Some(doc) => {
                let first = if readout(callee).is_some() { vec!["x".to_owned()] } else { Vec::new() };
                (format!("{callee}({})", [first, names].concat().join(", ")), doc.to_owned())
            }
            None => defined(snapshot, callee)?,
        }
    };
    let open = label.find('(')? + 1;
    let close = label.rfind(')')?;
    let mut parameters = Vec::new();
    let mut at = open;
    for part in label.get(open..close)?.split(", ").filter(|p| !p.is_empty()) {
        parameters.push((at, at + part.len()));
        at += part.len() + 2;
    }
    let called = |at: &(usize, usize)| label.get(at.0..at.1).unwrap_or("").split(':').next().unwrap_or("").to_owned();
    let active = match &place.named {
        Some(name) => parameters.iter().position(|p| called(p) == *name),
        None => {
            let most = parameters.len().checked_sub(1);
            let repeats = parameters.iter().position(|p| label.get(p.0..p.1) == Some("…"));
            most.map(|most| repeats.map_or(place.argument, |r| place.argument.min(r)).min(most))
        }
    };
    Some(Signature { label, doc, parameters, active })
}

/// A `define` of the file.
fn defined(snapshot: &Snapshot, callee: &str) -> Option<(String, String)> {
    let mut sink = crate::diagnostics::Sink::new();
    let scopes = Scopes::new(&snapshot.units, &mut sink);
    let decl = scopes.decls.iter().find(|d| &*d.name == callee)?;
    let crate::resolve::scope::DeclKind::Define(define) = decl.kind else { return None };
    let param =
        |(name, ty): &(crate::syntax::ast::Name, _)| format!("{}: {}", name.text, crate::syntax::print::print_type(ty));
    let params: Vec<String> = define.params.iter().map(param).collect();
    let doc = decl.item.doc.as_ref().map_or_else(String::new, |d| d.text.to_string());
    Some((format!("{callee}({})", params.join(", ")), doc))
}
