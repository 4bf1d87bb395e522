//! Checklists of a JSON program: groups and items over criterion nodes, or the items that come with each record.

use super::nodes::{Drafts, Kind, Nodes, named};
use super::shape::{Given, Reader};
use super::tree::Value;
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{Checklist, Group, Item};
use crate::number::Number;
use crate::source::Span;
use std::collections::HashMap;
use std::sync::Arc;

const KEYS: [&str; 6] = ["name", "doc", "optional", "from", "groups", "items"];
const GROUP: [&str; 4] = ["id", "parent", "weight", "text"];
const ITEM: [&str; 4] = ["node", "id", "points", "group"];

/// An item before its node is typed.
pub(super) struct ItemDraft {
    pub(super) points: Number,
    pub(super) points_span: Span,
    node: usize,
    id: Option<Arc<str>>,
    number: u32,
    group: Option<usize>,
    span: Span,
}

pub(super) struct ListDraft {
    name: Arc<str>,
    name_span: Span,
    doc: Arc<str>,
    optional: bool,
    from: Option<usize>,
    groups: Vec<Group>,
    items: Vec<ItemDraft>,
}

/// All checklists, and which node is whose item.
pub(super) struct Lists {
    list: Vec<ListDraft>,
    /// Node to (checklist, item).
    of_node: HashMap<usize, (usize, usize)>,
    /// `Items` node to checklist.
    of_from: HashMap<usize, usize>,
}

impl Lists {
    /// The item that a node is.
    pub(super) fn item(&self, node: usize) -> Option<&ItemDraft> {
        let (list, item) = self.of_node.get(&node)?;
        self.list.get(*list)?.items.get(*item)
    }

    /// The checklist that a node is an item of.
    pub(super) fn item_list(&self, node: usize) -> Option<usize> {
        self.of_node.get(&node).map(|(list, _)| *list)
    }

    /// The checklist whose items an `items` node brings.
    pub(super) fn brought_list(&self, node: usize) -> Option<usize> {
        self.of_from.get(&node).copied()
    }
}

/// Reads everything that needs no types.
pub(super) fn drafts<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>, drafts: &Drafts<'a, '_>) -> Lists {
    let mut lists = Lists { list: Vec::new(), of_node: HashMap::new(), of_from: HashMap::new() };
    let mut names: HashMap<Arc<str>, Span> = HashMap::new();
    for value in r.list(root, "checklists") {
        let Some(given) = r.object(value, "a checklist", &KEYS, &["name"]) else { continue };
        let Some((name, span)) = given.get("name").and_then(|v| Some((r.path_name(v)?, r.span(v)))) else { continue };
        if let Some(first) = names.insert(name.clone(), span) {
            r.sink.push(
                Diagnostic::error(Code::JSON_TWICE, span, format!("two checklists are called `{name}`"), "the second")
                    .also(first, "the first")
                    .help("give each a name of its own"),
            );
            continue;
        }
        one(r, &given, value, (name, span), drafts, &mut lists);
    }
    lists
}

fn one<'a>(
    r: &mut Reader<'a>,
    given: &Given<'a, '_>,
    value: &Value<'a>,
    (name, name_span): (Arc<str>, Span),
    drafts: &Drafts<'a, '_>,
    lists: &mut Lists,
) {
    let index = lists.list.len();
    let doc = r.doc(given);
    let optional = r.flag(given, "optional");
    let mut list = ListDraft { name, name_span, doc, optional, from: None, groups: Vec::new(), items: Vec::new() };
    if let Some(from) = given.get("from") {
        for key in ["groups", "items"] {
            if let Some(prop) = given.prop(key) {
                let span = r.key_span(prop);
                let help = "its items come with each record; take this out, or take `from` out";
                r.error(
                    Code::JSON_CHECKLIST,
                    span,
                    "a checklist with `from` has no items of its own",
                    "not here",
                    help,
                );
            }
        }
        let span = r.span(from);
        match named(r, drafts, from) {
            Some(node) if drafts.list.get(node).is_some_and(|d| d.kind == Kind::Items) => {
                if drafts.name(node) != &*list.name {
                    let help = "call the node and the checklist alike";
                    let headline = format!("the node of checklist `{}` must be called the same", list.name);
                    r.error(Code::JSON_CHECKLIST, span, headline, "another name", help);
                }
                list.from = Some(node);
                lists.of_from.insert(node, index);
            }
            Some(node) => {
                let headline = format!("`{}` brings no items", drafts.name(node));
                r.error(Code::JSON_CHECKLIST, span, headline, "not of the kind `items`", "name a node of that kind");
            }
            None => {}
        }
    } else {
        let mut places: HashMap<Arc<str>, (Span, Option<usize>)> = HashMap::new();
        groups(r, given, &mut list, &mut places);
        items(r, given, &mut list, &mut places, drafts, lists, index);
        if list.items.is_empty() {
            let span = r.span(value);
            let headline = format!("checklist `{}` has no items", list.name);
            r.error(Code::JSON_CHECKLIST, span, headline, "nothing to judge", "add items, or take the checklist out");
        } else {
            in_order(r, &list);
        }
    }
    lists.list.push(list);
}

fn twice(r: &mut Reader<'_>, list: &ListDraft, id: &str, span: Span, first: Span) {
    r.sink.push(
        Diagnostic::error(Code::JSON_TWICE, span, format!("`{id}` names two parts of `{}`", list.name), "the second")
            .also(first, "the first")
            .help("items and groups of one checklist need ids of their own"),
    );
}

fn groups<'a>(
    r: &mut Reader<'a>,
    given: &Given<'a, '_>,
    list: &mut ListDraft,
    places: &mut HashMap<Arc<str>, (Span, Option<usize>)>,
) {
    for value in r.list(given, "groups") {
        let Some(group) = r.object(value, "a group", &GROUP, &["id"]) else { continue };
        let Some((id, span)) = group.get("id").and_then(|v| Some((r.name(v)?, r.span(v)))) else { continue };
        let parent = group.get("parent").and_then(|v| group_named(r, list, places, v));
        let weight = group.get("weight").and_then(|v| {
            let weight = r.number(v)?;
            if !weight.is_positive() {
                let span = r.span(v);
                let help = "such as 2; a group that should not count is left out";
                r.error(Code::GROUP_WEIGHT, span, "a group's weight is a positive number", "not positive", help);
            }
            Some(weight)
        });
        let text = r.text(&group, "text").unwrap_or_else(|| "".into());
        if let Some((first, _)) = places.get(&id) {
            twice(r, list, &id, span, *first);
            continue;
        }
        places.insert(id.clone(), (span, Some(list.groups.len())));
        list.groups.push(Group { id, weight, text, parent });
    }
}

fn group_named<'a>(
    r: &mut Reader<'a>,
    list: &ListDraft,
    places: &HashMap<Arc<str>, (Span, Option<usize>)>,
    value: &Value<'a>,
) -> Option<usize> {
    let id = r.string(value)?;
    if let Some((_, Some(at))) = places.get(id) {
        return Some(*at);
    }
    let span = r.span(value);
    let headline = format!("checklist `{}` has no group `{id}` before this", list.name);
    r.error(Code::JSON_CHECKLIST, span, headline, "not a group", "name a group that stands above in `groups`");
    None
}

fn items<'a>(
    r: &mut Reader<'a>,
    given: &Given<'a, '_>,
    list: &mut ListDraft,
    places: &mut HashMap<Arc<str>, (Span, Option<usize>)>,
    drafts: &Drafts<'a, '_>,
    lists: &mut Lists,
    index: usize,
) {
    for (number, value) in (1_u32..).zip(r.list(given, "items")) {
        let Some(item) = r.object(value, "an item", &ITEM, &["node", "points"]) else { continue };
        let id = item.get("id").and_then(|v| Some((r.name(v)?, r.span(v))));
        let group = item.get("group").and_then(|v| group_named(r, list, places, v));
        let points = item.get("points").and_then(|v| Some((r.number(v)?, r.span(v))));
        let node = item.get("node").and_then(|v| Some((named(r, drafts, v)?, r.span(v))));
        if let Some((id, span)) = &id {
            if let Some((first, _)) = places.get(id) {
                twice(r, list, id, *span, *first);
            } else {
                places.insert(id.clone(), (*span, None));
            }
        }
        let (Some((points, points_span)), Some((node, span))) = (points, node) else { continue };
        if points.is_zero() {
            let help = "give it points above or below 0, or take it out";
            r.error(Code::JSON_CHECKLIST, points_span, "an item with 0 points counts for nothing", "no points", help);
        }
        let wanted = match &id {
            Some((id, _)) => format!("{}.{id}", list.name),
            None => format!("{}.{number}", list.name),
        };
        if !points.ends_within_places() {
            let help = "write points as a decimal of at most 12 places";
            r.error(Code::JSON_KIND, points_span, "points are decimals", "a fraction without an end", help);
        }
        if drafts.name(node) != wanted {
            let headline = format!("the node of this item must be called `{wanted}`");
            let help = "an item's node is named after the checklist and the item's id, or its number where it has none";
            r.error(Code::JSON_CHECKLIST, span, headline, "another name", help);
        } else if lists.of_node.insert(node, (index, list.items.len())).is_some() {
            let headline = format!("`{wanted}` is an item twice");
            r.error(Code::JSON_TWICE, span, headline, "the second time", "keep one of the two items");
        }
        if drafts.list.get(node).is_some_and(|d| d.kind != Kind::Criterion) {
            let headline = format!("`{}` is not judged, so it cannot be an item", drafts.name(node));
            r.error(Code::JSON_CHECKLIST, span, headline, "not a criterion", "name a criterion node");
        }
        let id = id.map(|(id, _)| id);
        list.items.push(ItemDraft { points, points_span, node, id, number, group, span });
    }
}

/// Items and groups must follow one order, as they do where groups hold their items: the items of a group stand together, and
/// groups are listed in the order in which their first items come. Names and numbers of items hang on it.
fn in_order(r: &mut Reader<'_>, list: &ListDraft) {
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for item in &list.items {
        let mut path = Vec::new();
        let mut at = item.group;
        while let Some(group) = at {
            path.push(group);
            at = list.groups.get(group).and_then(|g| g.parent);
        }
        path.reverse();
        let common = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        open.truncate(common);
        for group in path.into_iter().skip(common) {
            if group != next {
                let id = list.groups.get(group).map_or("", |g| &*g.id);
                let headline =
                    format!("items and groups of `{}` do not follow one order: `{id}` is out of place", list.name);
                let help = "keep the items of a group together, and list the groups in the order of their first items";
                r.error(Code::JSON_CHECKLIST, item.span, headline, "out of order", help);
                return;
            }
            next += 1;
            open.push(group);
        }
    }
    if let Some(empty) = list.groups.get(next) {
        let headline = format!("group `{}` of `{}` has no items", empty.id, list.name);
        r.error(Code::JSON_CHECKLIST, list.name_span, headline, "nothing to judge", "add items, or take the group out");
    }
}

/// The checklists over finished nodes; the items must be yes/no.
pub(super) fn finish(r: &mut Reader<'_>, lists: Lists, drafts: &Drafts<'_, '_>, nodes: &Nodes) -> Vec<Checklist> {
    let id = |at: usize| nodes.ids.get(at).copied();
    let mut out = Vec::new();
    for list in lists.list {
        for item in &list.items {
            let Some(Some(ty)) = nodes.types.get(item.node) else { continue };
            let judged = drafts.list.get(item.node).is_some_and(|d| d.kind == Kind::Criterion);
            if judged && (!ty.is_bool() || ty.optional != list.optional) {
                let wanted = if list.optional { "bool?" } else { "bool" };
                let name = drafts.name(item.node);
                r.sink.push(
                    Diagnostic::error(
                        Code::JSON_CHECKLIST,
                        item.span,
                        format!("the items of `{}` are {wanted}, and `{name}` is {ty}", list.name),
                        "another type",
                    )
                    .also(list.name_span, "this checklist")
                    .help("all items of a checklist have one type; `\"optional\": true` makes it `bool?`"),
                );
            }
        }
        let items = list.items.into_iter().filter_map(|item| {
            let ItemDraft { points, id: own, number, group, node, .. } = item;
            Some(Item { node: id(node)?, id: own, number, points, group })
        });
        out.push(Checklist {
            name: list.name,
            doc: list.doc,
            optional: list.optional,
            from: list.from.and_then(id),
            groups: list.groups,
            items: items.collect(),
        });
    }
    out
}
