//! The shape of a file: symbols, what can be folded, types that were not written, and where verdicts belong.

use super::Snapshot;
use super::names::Kind as NameKind;
use crate::source::{Source, Span};
use crate::syntax::ast::*;
use crate::syntax::token::Kind;

/// A declaration with what lies in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// What it is, or its type as written.
    pub detail: String,
    /// `None`: a requirement or a test.
    pub kind: Option<NameKind>,
    pub span: Span,
    /// Of its name.
    pub selection: Span,
    pub children: Vec<Symbol>,
}

/// The declarations of the file, in order.
#[must_use]
pub fn symbols(snapshot: &Snapshot) -> Vec<Symbol> {
    let Some(unit) = snapshot.units.first() else { return Vec::new() };
    unit.tree.items.iter().filter_map(symbol).collect()
}

fn symbol(item: &Item) -> Option<Symbol> {
    let one = |name: &Name, kind: NameKind, detail: String| Symbol {
        name: name.text.to_string(),
        detail,
        kind: Some(kind),
        span: item.span,
        selection: name.span,
        children: Vec::new(),
    };
    let ty = |ty: &Option<TypeExpr>| ty.as_ref().map(crate::syntax::print::print_type).unwrap_or_default();
    Some(match &item.kind {
        ItemKind::Use { alias, path } => one(alias, NameKind::Library, path.value.to_string()),
        ItemKind::Scale { name, ty } => one(name, NameKind::Scale, crate::syntax::print::print_type(ty)),
        ItemKind::Field { name, ty, .. } => one(name, NameKind::Field, ty.kind.text.to_string()),
        ItemKind::Candidate { name, body } => {
            let mut symbol = one(name, NameKind::Field, "candidate".to_owned());
            if let CandidateBody::Record(fields) = body {
                let part = |(name, ty): &(Name, FieldType)| Symbol {
                    span: name.span.to(ty.span),
                    detail: ty.kind.text.to_string(),
                    ..one(name, NameKind::Field, String::new())
                };
                symbol.children = fields.iter().map(part).collect();
            }
            symbol
        }
        ItemKind::Criterion(criterion) => one(&criterion.name, NameKind::Criterion, ty(&criterion.ty)),
        ItemKind::Checklist(list) => {
            let mut symbol = one(&list.name, NameKind::Checklist, ty(&list.ty));
            symbol.children = entries(&list.entries);
            symbol
        }
        ItemKind::Node(node) => one(&node.name, NameKind::Node, ty(&node.ty)),
        ItemKind::Define(define) => one(&define.name, NameKind::Define, crate::syntax::print::print_type(&define.ty)),
        ItemKind::Readout(readout) => {
            let name = readout.name.as_ref().unwrap_or(&readout.mode);
            one(name, NameKind::Readout, readout.mode.text.to_string())
        }
        ItemKind::Require(require) => {
            let name = require.name.as_ref().map_or_else(|| "require".to_owned(), |n| n.value.to_string());
            other(name, "require", item.span, require.name.as_ref().map_or(item.span, |n| n.span))
        }
        ItemKind::Test(test) => other(test.name.value.to_string(), "test", item.span, test.name.span),
        ItemKind::Error(Some(name)) => one(name, NameKind::Node, String::new()),
        ItemKind::DefaultJudge(_) | ItemKind::Observe(_) | ItemKind::Error(None) => return None,
    })
}

fn other(name: String, detail: &str, span: Span, selection: Span) -> Symbol {
    let name = if name.trim().is_empty() { detail.to_owned() } else { name };
    Symbol { name, detail: detail.to_owned(), kind: None, span, selection, children: Vec::new() }
}

/// As deep as brackets nest, which the parser bounds.
fn entries(list: &[Entry]) -> Vec<Symbol> {
    let one = |entry: &Entry| {
        let symbol = |name: String, selection: Span, kind, detail: String, children| Symbol {
            name,
            detail,
            kind: Some(kind),
            span: entry.span,
            selection,
            children,
        };
        match &entry.kind {
            EntryKind::Group { id, entries: inner, text, .. } => {
                let text = text.as_ref().map(|t| t.value.to_string()).unwrap_or_default();
                Some(symbol(id.text.to_string(), id.span, NameKind::Group, text, entries(inner)))
            }
            EntryKind::Item { id, points, points_span, text, .. } => {
                let name = id.as_ref().map_or_else(|| text.value.to_string(), |id| id.text.to_string());
                let name = if name.trim().is_empty() { "item".to_owned() } else { name };
                let place = id.as_ref().map_or(*points_span, |id| id.span);
                let sign = if *points > crate::number::Number::ZERO { "+" } else { "" };
                Some(symbol(name, place, NameKind::Item, format!("{sign}{points}"), Vec::new()))
            }
            EntryKind::Error => None,
        }
    };
    list.iter().filter_map(one).collect()
}

/// Lines (from 1, first and last) that can be folded, and whether they are comments.
#[must_use]
pub fn folds(source: &Source) -> Vec<(usize, usize, bool)> {
    let tokens = crate::syntax::tokens(source);
    let line = |offset: u32| source.position(offset).line;
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut comments: Option<(usize, usize)> = None;
    for token in &tokens {
        match token.kind {
            Kind::Blank => continue,
            Kind::Comment | Kind::Doc => {
                let own = line(token.start);
                comments = match comments {
                    Some((first, last)) if last + 1 == own => Some((first, own)),
                    other => {
                        found.extend(other.filter(|(a, b)| a < b).map(|(a, b)| (a, b, true)));
                        Some((own, own))
                    }
                };
                continue;
            }
            Kind::LParen | Kind::LSquare | Kind::LBrace => open.push(line(token.start)),
            Kind::RParen | Kind::RSquare | Kind::RBrace => {
                let end = line(token.start);
                // The line of the bracket that closes stays in sight.
                found.extend(open.pop().filter(|start| start + 1 < end).map(|start| (start, end - 1, false)));
            }
            Kind::Text | Kind::BlockText if line(token.start) + 1 < line(token.end) => {
                found.push((line(token.start), line(token.end), false));
            }
            _ => {}
        }
        found.extend(comments.take().filter(|(a, b)| a < b).map(|(a, b)| (a, b, true)));
    }
    found.extend(comments.filter(|(a, b)| a < b).map(|(a, b)| (a, b, true)));
    found.sort_unstable();
    found.dedup_by_key(|fold| fold.0);
    found
}

/// Types that were not written, each with the byte behind which it would stand: `reduce quality` `: score[0..1]`.
#[must_use]
pub fn hints(snapshot: &Snapshot) -> Vec<(u32, String)> {
    let Some(unit) = snapshot.units.first() else { return Vec::new() };
    let untyped = |item: &Item| match &item.kind {
        ItemKind::Node(node) if node.ty.is_none() => {
            Some((node.name.span.end, format!(": {}", snapshot.type_of(&node.name.text)?)))
        }
        _ => None,
    };
    unit.tree.items.iter().filter_map(untyped).collect()
}

/// The requirements and tests of the file, by place, where verdicts belong.
#[must_use]
pub fn lenses(snapshot: &Snapshot) -> Vec<Span> {
    let Some(unit) = snapshot.units.first() else { return Vec::new() };
    let wanted = |item: &&Item| matches!(item.kind, ItemKind::Require(_) | ItemKind::Test(_));
    unit.tree.items.iter().filter(wanted).map(|item| item.span).collect()
}
