//! The nodes of a JSON program: ids and kinds first, then, in topological order, what each is.

use super::checklists::Lists;
use super::shape::{Given, Reader};
use super::wiring::Wires;
use super::{Doc, criteria, node_id, operators};
use crate::catalog::{NodeId, Op};
use crate::diagnostics::{Code, Diagnostic, did_you_mean};
use crate::graph::{Node, NodeKind};
use crate::source::Span;
use crate::types::{Field, Type};
use std::collections::HashMap;
use std::sync::Arc;

const CRITERION: [&str; 13] =
    ["id", "kind", "doc", "implied", "type", "ask", "levels", "examples", "sees", "applies", "judge", "tags", "yields"];
const ITEMS: [&str; 9] = ["id", "kind", "doc", "from", "type", "sees", "applies", "judge", "tags"];
const OPERATOR: [&str; 6] = ["id", "kind", "doc", "operator", "parameters", "type"];

/// Characters of a node's id.
const LONGEST_ID: usize = 400;

/// Suggestions are looked for among all nodes; after so many unknown names no more of them are.
const MOST_SUGGESTIONS: u32 = 40;

/// What a node says it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Criterion,
    Items,
    /// `None`: an operator that does not exist (reported).
    Operator(Option<Op>),
}

/// A node before it is typed.
pub(super) struct Draft<'a, 'o> {
    pub(super) given: Given<'a, 'o>,
    pub(super) id: Arc<str>,
    pub(super) span: Span,
    pub(super) kind: Kind,
    pub(super) doc: Doc,
}

/// All nodes, in the order of the file.
pub(super) struct Drafts<'a, 'o> {
    pub(super) list: Vec<Draft<'a, 'o>>,
    by_name: HashMap<Arc<str>, usize>,
    /// Some node could not be read at all, so a name that is not found may be its.
    holes: bool,
    suggestions: std::cell::Cell<u32>,
}

impl Drafts<'_, '_> {
    /// The node of that name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn name(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |d| &*d.id)
    }
}

/// Reads ids and kinds.
pub(super) fn drafts<'a, 'o>(r: &mut Reader<'a>, root: &Given<'a, 'o>) -> Drafts<'a, 'o> {
    let mut out = Drafts { list: Vec::new(), by_name: HashMap::new(), holes: false, suggestions: Default::default() };
    for value in r.list(root, "nodes") {
        match draft(r, value) {
            Some(draft) => {
                if let Some(&first) = out.by_name.get(&draft.id) {
                    let mut found = Diagnostic::error(
                        Code::JSON_TWICE,
                        draft.span,
                        format!("two nodes are called `{}`", draft.id),
                        "the second one",
                    );
                    if let Some(first) = out.list.get(first) {
                        found = found.also(first.span, "the first one");
                    }
                    r.sink.push(found.help("give each node an id of its own"));
                    continue;
                }
                out.by_name.insert(draft.id.clone(), out.list.len());
                out.list.push(draft);
            }
            None => out.holes = true,
        }
    }
    out
}

fn draft<'a, 'o>(r: &mut Reader<'a>, value: &'o super::tree::Value<'a>) -> Option<Draft<'a, 'o>> {
    let any = r.any_object(value, "a node")?;
    let kinds = [("criterion", Kind::Criterion), ("items", Kind::Items), ("operator", Kind::Operator(None))];
    let kind = match any.get("kind") {
        Some(kind) => r.word(kind, "kind of node", &kinds),
        // What is meant is plain, so that the missing key stays the only complaint.
        None if any.get("operator").is_some() => Some(Kind::Operator(None)),
        None if any.get("ask").is_some() || any.get("judge").is_some() => Some(Kind::Criterion),
        None => None,
    };
    let (known, needed): (&[&str], &[&str]) = match kind {
        Some(Kind::Criterion) => (&CRITERION, &["id", "kind", "type"]),
        Some(Kind::Items) => (&ITEMS, &["id", "kind", "from"]),
        Some(Kind::Operator(_)) => (&OPERATOR, &["id", "kind", "operator"]),
        None => {
            if any.get("kind").is_none() {
                r.missing(value, "a node", &["kind"]);
            }
            return None;
        }
    };
    let given = r.object(value, "a node", known, needed)?;
    let id = given.get("id")?;
    let span = r.span(id);
    let text: Arc<str> = r.string(id)?.into();
    if text.is_empty() || text.chars().count() > LONGEST_ID || text.chars().any(char::is_control) {
        let help = format!("an id is a text of 1 to {LONGEST_ID} characters on one line");
        r.error(Code::JSON_NAME, span, "this cannot be a node's id", "not an id", help);
        return None;
    }
    let kind = match kind? {
        Kind::Operator(_) => Kind::Operator(given.get("operator").and_then(|v| operator(r, v))),
        other => other,
    };
    let doc = r.doc(&given);
    Some(Draft { given, id: text, span, kind, doc })
}

fn operator<'a>(r: &mut Reader<'a>, value: &super::tree::Value<'a>) -> Option<Op> {
    let words: Vec<(&str, Op)> = Op::ALL.iter().map(|op| (op.word(), *op)).collect();
    r.word(value, "operator", &words)
}

/// The node that a text names; an unknown name is reported with the nearest one.
pub(super) fn named<'a>(r: &mut Reader<'a>, drafts: &Drafts<'_, '_>, value: &super::tree::Value<'a>) -> Option<usize> {
    let name = r.string(value)?;
    if let Some(at) = drafts.find(name) {
        return Some(at);
    }
    if drafts.holes {
        return None;
    }
    let span = r.span(value);
    let mut found =
        Diagnostic::error(Code::JSON_UNKNOWN_NODE, span, format!("no node is called `{name}`"), "not among `nodes`");
    let told = drafts.suggestions.get();
    drafts.suggestions.set(told.saturating_add(1));
    let near = if told < MOST_SUGGESTIONS { did_you_mean(name, drafts.list.iter().map(|d| &*d.id)) } else { None };
    found = match near {
        Some(near) => found.help(format!("did you mean `{near}`?")).suggestion(
            format!("write `{near}`"),
            vec![crate::diagnostics::Edit::new(span, serde_json::Value::from(near).to_string())],
        ),
        None => found.help("add the node, or name another"),
    };
    r.sink.push(found);
    None
}

/// The finished nodes.
pub(super) struct Nodes {
    /// The id of each draft.
    pub(super) ids: Vec<NodeId>,
    /// The type of each draft; `None` where it is in error.
    pub(super) types: Vec<Option<Type>>,
    /// In topological order.
    pub(super) done: Vec<Option<Node>>,
}

/// Types every node; `order` holds the drafts so that each comes after those it reads.
pub(super) fn elaborate<'a>(
    r: &mut Reader<'a>,
    drafts: &Drafts<'a, '_>,
    wires: &Wires,
    lists: &Lists,
    fields: &[Field],
    order: &[usize],
) -> Nodes {
    let count = drafts.list.len();
    let mut nodes = Nodes { ids: vec![NodeId(0); count], types: vec![None; count], done: Vec::with_capacity(count) };
    for (place, &at) in order.iter().enumerate() {
        if let Some(id) = nodes.ids.get_mut(at) {
            *id = node_id(place);
        }
    }
    for &at in order {
        let Some(draft) = drafts.list.get(at) else { continue };
        let made = match draft.kind {
            Kind::Criterion => criteria::criterion(r, draft, at, lists, fields)
                .map(|(criterion, ty)| (NodeKind::Criterion(Box::new(criterion)), ty)),
            Kind::Items => criteria::items(r, draft, at, lists, fields),
            Kind::Operator(op) => op
                .and_then(|op| operators::operator(r, drafts, wires, lists, &nodes, at, op))
                .map(|(operation, ty)| (NodeKind::Operator(Box::new(operation)), ty)),
        };
        if let Some(slot) = nodes.types.get_mut(at) {
            *slot = made.as_ref().map(|(_, ty)| ty.clone());
        }
        nodes.done.push(made.map(|(kind, ty)| Node {
            name: draft.id.clone(),
            doc: draft.doc.clone(),
            ty,
            kind,
            span: draft.span,
        }));
    }
    nodes
}
