//! `given { … }`: one value per leaf and candidate, one JSON value per field.
//!
//! A bare block is shared by all candidates; a candidate's own block wins over it. `others` then fills every criterion and
//! item that nothing names, rules apart, which are computed from fields. What is the same for all candidates (inputs,
//! criteria that see no candidate) may be given for one of them, and must not differ.

use super::names::{Bundle, Names};
use super::values;
use crate::catalog::NodeId;
use crate::diagnostics::{Code, Diagnostic, Edit, Sink};
use crate::graph::{NodeKind, Origin, Procedure};
use crate::source::Span;
use crate::syntax::ast::{self, Expr, ExprKind, Given};
use crate::types::{Field, FieldKind, ItemJudgment, Role, Value};
use foldhash::{HashMap, HashSet};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

type JsonMap = serde_json::Map<String, Json>;

/// What one block gives.
#[derive(Default)]
struct Block<'e> {
    leaves: BTreeMap<NodeId, (Value, Span)>,
    fields: BTreeMap<usize, (Arc<str>, Json, Span)>,
    others: Option<&'e Expr>,
}

/// Values of leaves and fields, per candidate.
type Values = (Vec<Vec<(NodeId, Value)>>, Vec<JsonMap>);

/// Reads all `given` blocks of a test. `None` where a value was wrong (and has been reported).
pub(super) fn given(names: &Names<'_>, test: &ast::Test, candidates: &[Arc<str>], sink: &mut Sink) -> Option<Values> {
    let before = sink.len();
    let mut common = Block::default();
    let mut own: HashMap<Arc<str>, Block<'_>> = HashMap::default();
    for block in test.givens.iter().filter(|b| b.candidate.is_none()) {
        read(names, &block.entries, &Block::default(), &mut common, sink);
    }
    for block in &test.givens {
        if let Some(name) = &block.candidate {
            read(names, &block.entries, &common, own.entry(name.text.clone()).or_default(), sink);
        }
    }
    let mut blocks: Vec<Block<'_>> = candidates.iter().map(|c| own.remove(c).unwrap_or_default()).collect();
    for block in &mut blocks {
        for (id, value) in &common.leaves {
            block.leaves.entry(*id).or_insert_with(|| value.clone());
        }
        for (at, field) in &common.fields {
            block.fields.entry(*at).or_insert_with(|| field.clone());
        }
        block.others = block.others.or(common.others);
    }
    share(names, &mut blocks, sink);
    for block in &mut blocks {
        others(names, block, sink);
    }
    share(names, &mut blocks, sink);
    if sink.len() != before {
        return None;
    }
    let leaves = blocks.iter().map(|b| b.leaves.iter().map(|(id, (value, _))| (*id, value.clone())).collect());
    let fields = blocks.iter().map(|b| b.fields.values().map(|(n, json, _)| (n.to_string(), json.clone())).collect());
    Some((leaves.collect(), fields.collect()))
}

fn read<'e>(names: &Names<'_>, entries: &'e [Given], common: &Block<'e>, into: &mut Block<'e>, sink: &mut Sink) {
    // Fields first: the items of a `checklist … from` stand in one.
    let mut rest = Vec::new();
    for entry in entries {
        let name = entry.key.dotted();
        match names.field(&name) {
            Some((at, field)) if entry.index.is_none() => {
                if let Some((_, _, first)) = into.fields.get(&at) {
                    twice(&name, entry.key.span, *first, sink);
                }
                if let Some(json) = field_value(field, &entry.value, sink) {
                    into.fields.insert(at, (field.name.clone(), json, entry.key.span));
                }
            }
            _ => rest.push(entry),
        }
    }
    for entry in rest {
        let name = entry.key.dotted();
        if name == "others" && entry.index.is_none() {
            if into.others.is_some() {
                twice("others", entry.key.span, entry.key.span, sink);
            }
            into.others = Some(&entry.value);
            continue;
        }
        for (id, value) in judgments(names, entry, &name, common, into, sink) {
            if let Some((_, first)) = into.leaves.get(&id) {
                let name = names.node(id).map_or(name.as_str(), |n| &n.name);
                twice(name, entry.key.span, *first, sink);
            }
            into.leaves.insert(id, (value, entry.key.span));
        }
    }
}

fn twice(name: &str, span: Span, first: Span, sink: &mut Sink) {
    let wrong = Diagnostic::error(Code::TEST_TWICE, span, format!("`{name}` is given twice"), "the second time");
    sink.push(if first == span { wrong } else { wrong.also(first, "the first time") }.help("give it once"));
}

/// What one entry says about leaves.
fn judgments(
    names: &Names<'_>,
    entry: &Given,
    name: &str,
    common: &Block<'_>,
    block: &Block<'_>,
    sink: &mut Sink,
) -> Vec<(NodeId, Value)> {
    let node = match &entry.index {
        Some((number, _)) => names.item(name, number),
        None => names.find(name),
    };
    if let Some(id) = node
        && let Some(node) = names.node(id)
    {
        return match &node.kind {
            NodeKind::Criterion(_) => match values::value(&entry.value, &node.ty, &format!("`{}`", node.name)) {
                Ok(value) => vec![(id, value)],
                Err(wrong) => {
                    wrong.into_iter().for_each(|w| sink.push(*w));
                    Vec::new()
                }
            },
            NodeKind::Items { field, .. } => {
                let at = field.0 as usize;
                match (names.program.field(*field), block.fields.get(&at).or_else(|| common.fields.get(&at))) {
                    (Some(field), None) => {
                        let headline = format!(
                            "the items of `{name}` come with the field `{}`, and the test does not give it",
                            field.name
                        );
                        let wrong = Diagnostic::error(Code::TEST_KEY, entry.key.span, headline, "which items?");
                        sink.push(wrong.help(format!(
                            "give the field as text: `{}: r\"[{{\\\"criterion\\\": \\\"…\\\", \\\"points\\\": 1}}]\"`",
                            field.name
                        )));
                        Vec::new()
                    }
                    (_, Some((_, json, _))) => items_value(json, &entry.value, node.ty.optional, name, sink)
                        .map(|v| (id, v))
                        .into_iter()
                        .collect(),
                    (None, None) => Vec::new(),
                }
            }
            NodeKind::Operator(_) => {
                let wrong = Diagnostic::error(
                    Code::TEST_KEY,
                    entry.key.span,
                    format!("`{name}` is computed, and a test gives only what judges answer"),
                    "computed by the program",
                );
                sink.push(
                    wrong.help(format!("give the criteria that it is computed from, and write `expect {name} == …`")),
                );
                Vec::new()
            }
        };
    }
    if entry.index.is_none()
        && let Some(bundle) = names.bundle(name)
    {
        return bundle_values(names, bundle, &entry.value, sink);
    }
    unknown_key(names, entry, name, sink);
    Vec::new()
}

fn unknown_key(names: &Names<'_>, entry: &Given, name: &str, sink: &mut Sink) {
    if names.is_silent(name) || entry.key.parts.first().is_some_and(|p| names.is_silent(&p.text)) {
        return;
    }
    let shown = match &entry.index {
        Some((number, _)) => format!("{name}[{number}]"),
        None => name.to_owned(),
    };
    let headline = format!("the program asks for nothing called `{shown}`");
    let wrong = Diagnostic::error(Code::TEST_KEY, entry.key.span, headline, "no criterion, item, checklist or field");
    let near = names.nearest(&entry.key, true).filter(|_| entry.index.is_none());
    sink.push(match near {
        Some(near) => wrong
            .help(format!("did you mean `{near}`?"))
            .suggestion(format!("write `{near}`"), vec![Edit::new(entry.key.span, near)]),
        None if names.readout(name).is_some() => {
            wrong.help(format!("a readout is expected, not given: `expect {name} == …`"))
        }
        None => wrong.help("give criteria, items (`care.dose`), whole checklists (`care: best`), fields, or `others`"),
    });
}

/// `best`, `worst`, `unknown`, or the list of the items that are met.
fn bundle_values(names: &Names<'_>, bundle: Bundle<'_>, value: &Expr, sink: &mut Sink) -> Vec<(NodeId, Value)> {
    let items = bundle.items();
    let all = |met: &dyn Fn(&crate::graph::Item) -> Value| items.iter().map(|i| (i.node, met(i))).collect();
    if let Some(word) = value.word() {
        match &*word.text {
            "best" => return all(&|i| Value::Bool(i.points.is_positive())),
            "worst" => return all(&|i| Value::Bool(!i.points.is_positive())),
            _ => {}
        }
    }
    match &value.bare().kind {
        ExprKind::Error => Vec::new(),
        ExprKind::Unknown if bundle.checklist.optional => all(&|_| Value::Unknown),
        ExprKind::List(list) => {
            let by_name: HashMap<&str, NodeId> =
                items.iter().filter_map(|i| Some((i.id.as_deref()?, i.node))).collect();
            let by_number: HashMap<i64, NodeId> = items.iter().map(|i| (i64::from(i.number), i.node)).collect();
            let inside: HashSet<NodeId> = items.iter().map(|i| i.node).collect();
            let mut met: HashMap<NodeId, Span> = HashMap::default();
            for entry in list {
                let found = match (values::number(entry).and_then(|n| n.to_i64()), values::label(entry)) {
                    (Some(n), _) => by_number.get(&n).copied(),
                    (None, Some(id)) => by_name.get(&*id).copied(),
                    (None, None) => match &entry.bare().kind {
                        ExprKind::Path(path) => names.find(&path.dotted()),
                        ExprKind::Index(path, n) => names.item(&path.dotted(), n),
                        _ => None,
                    },
                };
                match found.filter(|id| inside.contains(id)) {
                    Some(id) => {
                        if let Some(first) = met.insert(id, entry.span) {
                            twice(
                                &names.node(id).map_or(String::new(), |n| n.name.to_string()),
                                entry.span,
                                first,
                                sink,
                            );
                        }
                    }
                    None if entry.bare().kind == ExprKind::Error => return Vec::new(),
                    None => {
                        let headline = format!("`{}` has no such item", bundle.name());
                        let mut wrong = Diagnostic::error(Code::TEST_KEY, entry.span, headline, "no item")
                            .help("name items by their ids, or by their numbers in the checklist");
                        if let Some(label) = values::label(entry)
                            && let Some(near) = crate::diagnostics::did_you_mean(&label, by_name.keys().copied())
                        {
                            wrong = wrong
                                .help(format!("did you mean `{near}`?"))
                                .suggestion(format!("write `{near}`"), vec![Edit::new(entry.span, near)]);
                        }
                        sink.push(wrong);
                    }
                }
            }
            all(&|i| Value::Bool(met.contains_key(&i.node)))
        }
        _ => {
            let headline =
                format!("`{}` is given as `best`, `worst` or the list of the items that are met", bundle.name());
            let wrong = Diagnostic::error(Code::SPEC_VALUE, value.span, headline, "none of these");
            sink.push(match (&value.bare().kind, items.first()) {
                (ExprKind::Unknown, _) => {
                    wrong.help("its items are never unknown: the checklist is not declared `: bool?`")
                }
                (_, Some(item)) => {
                    let name = item.id.as_ref().map_or_else(|| item.number.to_string(), |id| id.to_string());
                    wrong.help(format!("as in `{}: [{name}]`", bundle.name()))
                }
                _ => wrong,
            });
            Vec::new()
        }
    }
}

/// The judged items of a `checklist … from`: its field's items with `best`, `worst`, `unknown` or a list of ids and numbers.
fn items_value(json: &Json, value: &Expr, optional: bool, name: &str, sink: &mut Sink) -> Option<Value> {
    let mut wrong = |span: Span, headline: String| {
        sink.push(Diagnostic::error(Code::SPEC_VALUE, span, headline, "in this test"));
        None
    };
    let Some(list) = json.as_array() else {
        return wrong(value.span, format!("the field of `{name}` holds no list of items"));
    };
    let mut items = Vec::with_capacity(list.len());
    for item in list {
        let points = item.get("points").and_then(|p| match p {
            Json::Number(n) => crate::number::Number::from_decimal(n.as_str()).ok(),
            Json::String(t) => crate::number::Number::from_exact(t).ok(),
            _ => None,
        });
        match points {
            Some(points) => items.push((points, item.get("id").and_then(Json::as_str))),
            None => return wrong(value.span, format!("an item of `{name}` has no `points`")),
        }
    }
    let word = value.word().map(|w| w.text.clone());
    let mut met: Vec<Option<bool>> = match (word.as_deref(), &value.bare().kind) {
        (Some("best"), _) => items.iter().map(|(p, _)| Some(p.is_positive())).collect(),
        (Some("worst"), _) => items.iter().map(|(p, _)| Some(!p.is_positive())).collect(),
        (_, ExprKind::Unknown) if optional => vec![None; items.len()],
        (_, ExprKind::List(_)) => vec![Some(false); items.len()],
        _ => {
            return wrong(
                value.span,
                format!("`{name}` is given as `best`, `worst` or the list of the items that are met"),
            );
        }
    };
    if let ExprKind::List(list) = &value.bare().kind {
        for entry in list {
            let at = match (values::number(entry).and_then(|n| n.to_i64()), values::label(entry)) {
                (Some(n), _) => usize::try_from(n).ok().and_then(|n| n.checked_sub(1)),
                (None, Some(id)) => items.iter().position(|(_, i)| *i == Some(id.as_str())),
                _ => None,
            };
            match at.and_then(|at| met.get_mut(at)) {
                Some(slot) => *slot = Some(true),
                None => return wrong(entry.span, format!("`{name}` has no such item")),
            }
        }
    }
    let judged = items.into_iter().zip(met).map(|((points, _), met)| ItemJudgment { points, met });
    Some(Value::Items(judged.collect()))
}

fn field_value(field: &Field, value: &Expr, sink: &mut Sink) -> Option<Json> {
    let bare = value.bare();
    let wanted = match (field.kind, &bare.kind) {
        (_, ExprKind::Error) => return None,
        (_, ExprKind::Unknown) if field.optional => return Some(Json::Null),
        (_, ExprKind::Unknown) => "a value: it is not declared with `?`, so it is always there",
        (FieldKind::Text | FieldKind::Image, ExprKind::Text(text)) => {
            return Some(Json::String(text.value.to_string()));
        }
        (FieldKind::Text, _) => "a text in quotes",
        (FieldKind::Image, _) => "the name of an image in quotes",
        (FieldKind::Flag, ExprKind::Bool(b)) => return Some(Json::Bool(*b)),
        (FieldKind::Flag, _) => "`true` or `false`",
        (FieldKind::Number, _) => match values::number(bare) {
            Some(n) if n.ends_within_places() => return serde_json::to_value(&n).ok(),
            _ => "a number whose decimals end",
        },
        (FieldKind::Json | FieldKind::Chat, ExprKind::Text(text)) => match serde_json::from_str::<Json>(&text.value) {
            Ok(json) if field.kind == FieldKind::Json || json.is_array() => return Some(json),
            _ if field.kind == FieldKind::Chat => "a chat, written as the text of its JSON: `[{role, content}]`",
            _ => "JSON, written as a text (`\"[1, 2]\"`)",
        },
        (FieldKind::Json, ExprKind::Bool(b)) => return Some(Json::Bool(*b)),
        (FieldKind::Json, _) => match values::number(bare).filter(crate::number::Number::ends_within_places) {
            Some(n) => return serde_json::to_value(&n).ok(),
            None => "JSON, written as a text (`\"[1, 2]\"`)",
        },
        (FieldKind::Chat, _) => "a chat, written as the text of its JSON: `[{role, content}]`",
    };
    let headline = format!("the field `{}` wants {wanted}", field.name);
    sink.push(Diagnostic::error(
        Code::SPEC_VALUE,
        value.span,
        headline,
        format!("not a value of `{}`", field.kind.word()),
    ));
    None
}

/// Gives `others` to every leaf that has no value yet and is not computed by a rule.
fn others(names: &Names<'_>, block: &mut Block<'_>, sink: &mut Sink) {
    let Some(value) = block.others else { return };
    for (id, node, criterion) in names.leaves() {
        let computed = matches!(criterion.procedure, Procedure::Rule(_)) || criterion.origin == Origin::Implied;
        if computed || block.leaves.contains_key(&id) {
            continue;
        }
        match values::value(value, &node.ty, &format!("`{}`", node.name)) {
            Ok(found) => {
                block.leaves.insert(id, (found, value.span));
            }
            Err(wrong) => {
                // One is enough: the author either names it or chooses another value.
                if let Some(wrong) = wrong {
                    sink.push(
                        wrong.help(format!("`others` must fit all that is not named; give `{}` by name", node.name)),
                    );
                }
                return;
            }
        }
    }
}

/// What is the same for all candidates is given once: copied to those that lack it; an error where it differs.
fn share(names: &Names<'_>, blocks: &mut [Block<'_>], sink: &mut Sink) {
    if blocks.len() < 2 {
        return;
    }
    let mut leaves: BTreeMap<NodeId, (Value, Span)> = BTreeMap::new();
    let mut fields: BTreeMap<usize, (Arc<str>, Json, Span)> = BTreeMap::new();
    let mut differs = |name: &str, here: Span, there: Span| {
        let headline = format!("`{name}` is the same for all candidates, and is given in two ways");
        let wrong = Diagnostic::error(Code::TEST_TWICE, here, headline, "this differs");
        sink.push(
            wrong
                .also(there, "from this")
                .help("it does not look at the candidate: give it once, in a bare `given { … }`"),
        );
    };
    for block in blocks.iter() {
        for (id, (value, span)) in block.leaves.iter().filter(|(id, _)| names.is_shared(**id)) {
            match leaves.get(id) {
                Some((first, there)) if first != value => {
                    differs(names.node(*id).map_or("", |n| &n.name), *span, *there);
                }
                Some(_) => {}
                None => drop(leaves.insert(*id, (value.clone(), *span))),
            }
        }
        for (at, field) in &block.fields {
            if names.program.fields.get(*at).is_none_or(|f| f.role == Role::Candidate) {
                continue;
            }
            match fields.get(at) {
                Some((name, first, there)) if *first != field.1 => differs(name, field.2, *there),
                Some(_) => {}
                None => drop(fields.insert(*at, field.clone())),
            }
        }
    }
    for block in blocks {
        for (id, value) in &leaves {
            block.leaves.entry(*id).or_insert_with(|| value.clone());
        }
        for (at, field) in &fields {
            block.fields.entry(*at).or_insert_with(|| field.clone());
        }
    }
}
