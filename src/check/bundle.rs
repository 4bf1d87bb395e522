//! Checklists in expressions: whole, by group, by item; and `tree`.
//!
//! The items of the program's own checklists are nodes from the start; those of a library only when something asks for them.

use super::criteria::ChecklistDraft;
use super::elaborate::Elaborator;
use super::faults::Spans;
use super::lower::{Env, Lowered, Naming, Place, list, suggest};
use crate::catalog::typing::{Argument, Written};
use crate::catalog::{NodeId, Op};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{Node, NodeKind};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{Base, Type};
use foldhash::HashMap;
use std::sync::Arc;

/// A checklist and what has become of its items.
#[derive(Debug)]
pub(super) struct Bundle {
    /// With the library's prefix.
    pub name: Arc<str>,
    pub doc: Arc<str>,
    pub draft: ChecklistDraft,
    pub span: Span,
    /// Some part of it is in error, which has been reported.
    pub faulty: bool,
    /// The node of each item, where it has one; `None` of an item in error.
    pub nodes: Vec<Item>,
    /// The node of items that come with each record.
    pub from: Option<NodeId>,
    /// Groups and items by id; items without one by their number.
    ids: HashMap<Arc<str>, Found>,
    /// Per group: the items and groups right in it, in file order; last those of the whole checklist.
    members: Vec<Vec<Found>>,
}

/// The node of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// Nothing has asked for it.
    Waiting,
    Node(NodeId),
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Group(usize),
    Item(usize),
}

/// A checklist, or one of its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub bundle: usize,
    pub group: Option<usize>,
}

impl Bundle {
    pub fn new(
        name: Arc<str>,
        doc: Arc<str>,
        mut draft: ChecklistDraft,
        prefix: &str,
        span: Span,
        faulty: bool,
    ) -> Bundle {
        let mut ids = HashMap::default();
        for (at, group) in draft.groups.iter().enumerate() {
            ids.entry(Arc::clone(&group.id)).or_insert(Found::Group(at));
        }
        for (at, item) in draft.items.iter_mut().enumerate() {
            let id = item.id.clone().unwrap_or_else(|| item.number.to_string().into());
            ids.entry(id).or_insert(Found::Item(at));
            if !prefix.is_empty() {
                item.name = format!("{prefix}{}", item.name).into();
            }
        }
        let nodes = vec![Item::Waiting; draft.items.len()];
        let members = members(&draft);
        Bundle { name, doc, draft, span, faulty, nodes, from: None, ids, members }
    }

    /// The items of a part, in file order.
    fn items(&self, group: Option<usize>) -> Vec<usize> {
        let Some(group) = group else { return (0..self.draft.items.len()).collect() };
        let mut inside = vec![false; self.draft.groups.len()];
        for (at, other) in self.draft.groups.iter().enumerate() {
            // Parents come before their children.
            let parent = other.parent.is_some_and(|p| inside.get(p) == Some(&true));
            if let Some(flag) = inside.get_mut(at) {
                *flag = at == group || parent;
            }
        }
        let within = |item: &Option<usize>| item.is_some_and(|g| inside.get(g) == Some(&true));
        self.draft.items.iter().enumerate().filter(|(_, i)| within(&i.group)).map(|(at, _)| at).collect()
    }

    /// As an author names it.
    fn part_name(&self, group: Option<usize>) -> String {
        match group.and_then(|g| self.draft.groups.get(g)) {
            Some(group) => format!("{}.{}", self.name, group.id),
            None => self.name.to_string(),
        }
    }
}

fn members(draft: &ChecklistDraft) -> Vec<Vec<Found>> {
    let whole = draft.groups.len();
    // A group stands where its first item stands.
    let mut first = vec![usize::MAX; whole];
    for (at, item) in draft.items.iter().enumerate() {
        let mut group = item.group;
        while let Some(g) = group {
            match first.get_mut(g) {
                Some(f) if *f == usize::MAX => *f = at,
                _ => break,
            }
            group = draft.groups.get(g).and_then(|g| g.parent);
        }
    }
    let mut members: Vec<Vec<(usize, Found)>> = vec![Vec::new(); whole + 1];
    for (at, item) in draft.items.iter().enumerate() {
        if let Some(list) = members.get_mut(item.group.unwrap_or(whole)) {
            list.push((at, Found::Item(at)));
        }
    }
    for (at, group) in draft.groups.iter().enumerate() {
        let position = first.get(at).copied().unwrap_or(usize::MAX);
        if position != usize::MAX
            && let Some(list) = members.get_mut(group.parent.unwrap_or(whole))
        {
            list.push((position, Found::Group(at)));
        }
    }
    members
        .into_iter()
        .map(|mut list| {
            list.sort_by_key(|(position, _)| *position);
            list.into_iter().map(|(_, found)| found).collect()
        })
        .collect()
}

/// An item as a slot of an operator.
pub(super) struct Slot {
    pub argument: Argument,
    pub points: Number,
}

impl Elaborator<'_> {
    /// The nodes of a checklist that has just been elaborated.
    pub fn bundle_nodes(&mut self, index: usize, all: bool) {
        let Some(bundle) = self.bundles.get_mut(index) else { return };
        if let Some(from) = bundle.draft.from.take() {
            let (name, doc, span) = (Arc::clone(&bundle.name), Arc::clone(&bundle.doc), bundle.span);
            let ty = Type::of(Base::Items).with_optional(from.template.ty.optional);
            let kind = NodeKind::Items { field: from.field, template: Box::new(from.template) };
            let id = self.push(name, doc, ty, kind, span);
            if let Some(bundle) = self.bundles.get_mut(index) {
                bundle.from = Some(id);
            }
        } else if all {
            for item in 0..self.bundles.get(index).map_or(0, |b| b.nodes.len()) {
                self.item(index, item);
            }
        }
    }

    /// The node of an item, made now if it has to be.
    fn item(&mut self, index: usize, at: usize) -> Option<NodeId> {
        let bundle = self.bundles.get_mut(index)?;
        match bundle.nodes.get(at)? {
            Item::Node(id) => return Some(*id),
            Item::Failed => return None,
            Item::Waiting => {}
        }
        let draft = bundle.draft.items.get_mut(at)?;
        let Some(criterion) = draft.criterion.take() else {
            if let Some(item) = bundle.nodes.get_mut(at) {
                *item = Item::Failed;
            }
            return None;
        };
        let (name, doc, ty, span) = (Arc::clone(&draft.name), Arc::clone(&draft.doc), draft.ty.clone(), draft.span);
        let sketching = std::mem::replace(&mut self.sketching, false);
        let id = self.leaf(&name, doc, ty, criterion, span);
        self.sketching = sketching;
        if let Some(item) = self.bundles.get_mut(index).and_then(|b| b.nodes.get_mut(at)) {
            *item = Item::Node(id);
        }
        Some(id)
    }

    /// What a path into a checklist means.
    pub fn part(&mut self, env: &Env<'_>, index: usize, rest: &[ast::Name]) -> Lowered {
        let Some(bundle) = self.bundles.get(index) else { return Lowered::Error };
        if let Some(from) = bundle.from {
            return match rest.first() {
                None => Lowered::Node(from),
                Some(part) => {
                    let found = Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        part.span,
                        format!("`{}` has no parts that a program could name", bundle.name),
                        "its items come with each record",
                    )
                    .help("name it whole, in `points` or `sum_points`");
                    self.report(env, found);
                    Lowered::Error
                }
            };
        }
        if rest.is_empty() {
            return Lowered::Bundle(Part { bundle: index, group: None });
        }
        let mut found = None;
        for part in rest {
            let Some(next) = bundle.ids.get(&*part.text).copied().filter(|n| inside(bundle, *n, found)) else {
                let diagnostic = unknown_part(bundle, part);
                self.report(env, diagnostic);
                return Lowered::Error;
            };
            found = Some(next);
        }
        match found {
            Some(Found::Group(group)) => Lowered::Bundle(Part { bundle: index, group: Some(group) }),
            Some(Found::Item(at)) => self.item_lowered(index, at),
            None => Lowered::Error,
        }
    }

    fn item_lowered(&mut self, index: usize, at: usize) -> Lowered {
        let points = self.bundles.get(index).and_then(|b| b.draft.items.get(at)).map(|i| i.points.clone());
        match (self.item(index, at), points) {
            (Some(id), Some(points)) => Lowered::Item(id, points),
            _ => Lowered::Error,
        }
    }

    /// `care[3]`
    pub fn index(&mut self, env: &Env<'_>, path: &ast::Path, number: &Number, span: Span) -> Lowered {
        let part = match self.path(env, path) {
            Lowered::Bundle(part @ Part { group: None, .. }) => part,
            Lowered::Error => return Lowered::Error,
            _ => {
                self.report(
                    env,
                    Diagnostic::error(
                        Code::WRONG_KIND,
                        span,
                        format!("`{}` has no numbered items", path.dotted()),
                        "only a whole checklist has",
                    )
                    .help("write the name of a checklist before `[`"),
                );
                return Lowered::Error;
            }
        };
        let Some(bundle) = self.bundles.get(part.bundle) else { return Lowered::Error };
        let items = &bundle.draft.items;
        // Items are numbered in their order, from 1.
        let wanted = number.to_i64().and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_sub(1));
        match wanted.filter(|at| *at < items.len()) {
            Some(at) => self.item_lowered(part.bundle, at),
            None => {
                let found = Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    span,
                    format!("`{}` has no item number {number}", bundle.name),
                    format!("it has {}, numbered from 1", items.len()),
                )
                .help("items are counted in the order in which they stand, over all groups");
                self.report(env, found);
                Lowered::Error
            }
        }
    }

    /// The items of a part as slots.
    pub fn slots(&mut self, part: Part) -> Vec<Slot> {
        let items = self.bundles.get(part.bundle).map_or_else(Vec::new, |b| b.items(part.group));
        let mut slots = Vec::with_capacity(items.len());
        for at in items {
            let argument = match self.item(part.bundle, at) {
                Some(id) => self.argument(id),
                None => Argument::Error,
            };
            let points = self.bundles.get(part.bundle).and_then(|b| b.draft.items.get(at));
            slots.push(Slot { argument, points: points.map_or(Number::ONE, |i| i.points.clone()) });
        }
        slots
    }

    /// A checklist stands where one judgment is needed.
    pub fn bundle_here(&self, part: &Part, span: Span) -> Diagnostic {
        let name = self.bundles.get(part.bundle).map_or_else(String::new, |b| b.part_name(part.group));
        Diagnostic::error(
            Code::BUNDLE_HERE,
            span,
            format!("`{name}` is a whole checklist, not one judgment"),
            "many yes/no items",
        )
        .help(format!(
            "turn it into one value, for example `clamp(points({name}), to: score[0..1])` or `fraction({name})`, or name one item"
        ))
    }

    /// `tree(care)`: a node for every group, the innermost first.
    pub fn tree(&mut self, env: &Env<'_>, part: Part, params: &Written, place: Place<'_>, spans: &Spans) -> Lowered {
        let at = spans.whole;
        let name = place.name();
        let parent: Arc<str> = place.parent(&name).into();
        let whole = self.bundles.get(part.bundle).map_or(0, |b| b.draft.groups.len());
        let root = part.group.unwrap_or(whole);
        // A group waits on the stack, under the groups in it, until those have become nodes.
        let mut stack: Vec<(usize, Arc<str>, bool)> = vec![(root, Arc::clone(&parent), false)];
        let mut made: HashMap<usize, Lowered> = HashMap::default();
        while let Some((group, path, ready)) = stack.pop() {
            let members = self.bundles.get(part.bundle).and_then(|b| b.members.get(group)).cloned().unwrap_or_default();
            if !ready {
                stack.push((group, Arc::clone(&path), true));
                for member in members.iter().rev() {
                    if let Found::Group(inner) = member {
                        let id = self.group(part.bundle, *inner).map_or_else(String::new, |g| g.id.to_string());
                        stack.push((*inner, format!("{path}.{id}").into(), false));
                    }
                }
                continue;
            }
            let mut written = params.clone();
            let mut slots = Vec::with_capacity(members.len());
            let mut sound = true;
            let mut own = Spans::of(at);
            for member in &members {
                let span = self.member_span(part.bundle, *member).unwrap_or(at);
                own.add(0, span, Some(span));
                match member {
                    Found::Item(item) => {
                        slots.push(match self.item(part.bundle, *item) {
                            Some(id) => self.argument(id),
                            None => Argument::Error,
                        });
                        let points = self.bundles.get(part.bundle).and_then(|b| b.draft.items.get(*item));
                        written.weights.push(points.map(|i| i.points.clone()));
                    }
                    Found::Group(inner) => {
                        slots.push(match made.get(inner) {
                            Some(Lowered::Node(id)) => self.argument(*id),
                            _ => Argument::Error,
                        });
                        let weight = self.group(part.bundle, *inner).and_then(|g| g.weight.clone());
                        if weight.is_none() {
                            sound = false;
                            // A weight that is no number has been reported.
                            if self.bundles.get(part.bundle).is_some_and(|b| !b.faulty) {
                                self.group_without_weight(env, part.bundle, *inner, at);
                            }
                        }
                        written.weights.push(weight);
                    }
                }
            }
            let lowered = if !sound {
                Lowered::Error
            } else if group == root {
                self.apply(env, Op::Tree, &[slots], &written, place, Arc::clone(&name), &own)
            } else {
                let inner = Place::of(Naming::Own(&path));
                self.apply(env, Op::Tree, &[slots], &written, inner, Arc::clone(&path), &own)
            };
            made.insert(group, lowered);
        }
        made.remove(&root).unwrap_or(Lowered::Error)
    }

    fn group(&self, bundle: usize, group: usize) -> Option<&crate::graph::Group> {
        self.bundles.get(bundle)?.draft.groups.get(group)
    }

    /// Where a member of a group stands, if that is known.
    fn member_span(&self, bundle: usize, member: Found) -> Option<Span> {
        match member {
            Found::Item(at) => self.bundles.get(bundle)?.draft.items.get(at).map(|i| i.span),
            Found::Group(_) => None,
        }
    }

    fn group_without_weight(&mut self, env: &Env<'_>, bundle: usize, group: usize, at: Span) {
        let Some(found) = self.group(bundle, group) else { return };
        let found = Diagnostic::error(
            Code::TREE_WEIGHT,
            at,
            format!("the group `{}` has no weight, which `tree` needs", found.id),
            "weighs every group against its neighbours",
        )
        .help(format!("write `group {} weight 1 {{ … }}`, or another weight", found.id));
        self.report(env, found);
    }

    /// The node that a checklist item has, for whoever lists the program's checklists.
    pub fn node_of(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }
}

/// Whether something lies in a group (in the whole checklist, if `group` is none).
fn inside(bundle: &Bundle, what: Found, within: Option<Found>) -> bool {
    let Some(within) = within else { return true };
    let Found::Group(within) = within else { return false };
    let mut at = match what {
        Found::Item(item) => bundle.draft.items.get(item).and_then(|i| i.group),
        Found::Group(group) => bundle.draft.groups.get(group).and_then(|g| g.parent),
    };
    while let Some(group) = at {
        if group == within {
            return true;
        }
        at = bundle.draft.groups.get(group).and_then(|g| g.parent);
    }
    false
}

fn unknown_part(bundle: &Bundle, part: &ast::Name) -> Diagnostic {
    let mut known: Vec<&str> =
        bundle.ids.keys().map(|id| &**id).filter(|id| !id.starts_with(char::is_numeric)).collect();
    known.sort_unstable();
    let found = Diagnostic::error(
        Code::UNKNOWN_NAME,
        part.span,
        format!("`{}` has no item or group `{}` here", bundle.name, part.text),
        "not declared",
    )
    .also(bundle.span, "the checklist");
    suggest(found, &part.text, part.span, &known, || match known.is_empty() {
        true => format!("name an item by its number: `{}[1]`", bundle.name),
        false => format!("its groups and items are {}", list(&known)),
    })
}
