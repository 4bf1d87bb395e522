//! Checklists: groups and signed items, or a field whose items come with each record.
//!
//! The tree is walked with the depth that the parser allows; heads of groups are laid over those around them, so an item
//! finds its judge, `sees`, `applies` and tags settled.

use super::{Surroundings, assemble, body, procedure};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{self, FieldId, Group};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{self, Entry, EntryKind};
use crate::types::{FieldKind, Role, Type};
use foldhash::HashMap;
use std::sync::Arc;

/// A checklist before its items are nodes.
#[derive(Debug)]
pub struct ChecklistDraft {
    pub name: Arc<str>,
    pub optional: bool,
    /// `checklist … from FIELD`; then there are no groups and no items.
    pub from: Option<FromDraft>,
    pub groups: Vec<Group>,
    pub items: Vec<ItemDraft>,
}

/// The template of items that come with each record.
#[derive(Debug)]
pub struct FromDraft {
    pub field: FieldId,
    pub template: graph::Criterion,
}

/// An item before it is a node.
#[derive(Debug)]
pub struct ItemDraft {
    /// `care.red_flags`, or `care.3` where it has no id.
    pub name: Arc<str>,
    pub id: Option<Arc<str>>,
    /// From 1, over the whole checklist, in file order.
    pub number: u32,
    pub points: Number,
    pub group: Option<usize>,
    pub doc: Arc<str>,
    /// `None` where the item is in error (reported); its name is still known.
    pub criterion: Option<graph::Criterion>,
    pub ty: Type,
    pub span: Span,
}

struct Walk<'s, 'b, 'f> {
    around: &'b mut Surroundings<'f>,
    name: &'s ast::Name,
    ty: Type,
    draft: ChecklistDraft,
    ids: HashMap<Arc<str>, Span>,
}

/// Elaborates a checklist; `index` is its place in the program's list.
pub fn checklist(around: &mut Surroundings<'_>, declared: &ast::Checklist, index: usize) -> ChecklistDraft {
    let ty = item_type(around, declared);
    let draft = ChecklistDraft {
        name: declared.name.text.clone(),
        optional: ty.optional,
        from: None,
        groups: Vec::new(),
        items: Vec::new(),
    };
    let head = body::read(around, &declared.head, body::Of::Head);
    let mut walk = Walk { around, name: &declared.name, ty, draft, ids: HashMap::default() };
    match &declared.from {
        Some(field) => walk.from(field, &head, index),
        None => {
            if declared.entries.is_empty() {
                walk.empty(declared.name.span, "checklist");
            }
            walk.entries(&declared.entries, &head, None, index);
        }
    }
    walk.draft
}

fn item_type(around: &mut Surroundings<'_>, declared: &ast::Checklist) -> Type {
    let Some(written) = &declared.ty else { return Type::BOOL };
    let scales = around.scales;
    match crate::resolve::types::resolve_type(written, scales, around.sink) {
        Some(ty) if ty.is_bool() => ty,
        Some(ty) => {
            around.sink.push(
                Diagnostic::error(
                    Code::CHECKLIST_TYPE,
                    written.span,
                    format!("the items of a checklist are yes/no, not {ty}"),
                    "only `bool` or `bool?`",
                )
                .help("use `criterion` declarations for other types, or write `bool?` where an item may be unknown"),
            );
            Type::BOOL
        }
        None => Type::BOOL,
    }
}

/// The word of a `combine` that makes a share of yes and no.
fn shares(procedure: &graph::Procedure) -> Option<&'static str> {
    let combine = match procedure {
        graph::Procedure::Llm(llm) => llm.combine,
        graph::Procedure::Cascade { first, .. } => first.combine,
        graph::Procedure::Human { combine } => *combine,
        graph::Procedure::Rule(_) | graph::Procedure::Verifier { .. } => return None,
    };
    match combine {
        graph::Combine::Mean => Some("mean"),
        graph::Combine::Expected => Some("expected"),
        _ => None,
    }
}

impl<'a> Walk<'a, '_, '_> {
    fn empty(&mut self, span: Span, what: &str) {
        self.around.sink.push(
            Diagnostic::error(Code::EMPTY_CHECKLIST, span, format!("this {what} has no items"), "nothing to judge")
                .help("add items such as `+3 \"Names the risks\"`"),
        );
    }

    fn from(&mut self, path: &ast::Path, head: &body::Body<'a>, index: usize) {
        let name = path.dotted();
        let Some((field, declared)) = self.around.field(&name) else {
            self.around.unknown_field(&name, path.span);
            return;
        };
        if declared.kind != FieldKind::Json || declared.role == Role::Candidate {
            let found = match declared.role {
                Role::Candidate => "the candidate cannot bring the items that it is judged by".to_owned(),
                _ => format!("`{name}` is a {} field", declared.kind.word()),
            };
            self.around
                .sink
                .push(Diagnostic::error(Code::CHECKLIST_FROM, path.span, found, "no items can come from here").help(
                    "items come from a `json` input or reference: a list of `{\"criterion\": …, \"points\": …}`",
                ));
            return;
        }
        // The field holds the questions; showing it to the judge whole would show every other item too.
        let sees: Vec<FieldId> = match &head.sees {
            Some(sees) => sees.clone(),
            None => (0..self.around.fields.len()).map(super::field_id).filter(|id| *id != field).collect(),
        };
        let judged = procedure::Judged { ty: &self.ty, name: self.name, sees: &sees, in_checklist: true };
        let applies = head.applies.and_then(|a| procedure::applies(self.around, a, &self.ty, self.name));
        let Some(procedure) = procedure::procedure(self.around, head.judge, &judged) else { return };
        // How many items there are is known only with a record, so that each has to come to met or not: `points` counts these.
        if let Some(combine) = shares(&procedure) {
            let place = head.judge.map_or(path.span, |judge| judge.span);
            let headline = format!(
                "items that come with each record are met or not, and `combine: {combine}` makes shares of them"
            );
            let help = "write `combine: majority` here, or list the items in the program and join them by `mean`";
            let told = Diagnostic::error(Code::JUDGE_CONFLICT, place, headline, "joins the samples to a share");
            self.around.sink.push(told.help(help));
            return;
        }
        let template = graph::Criterion {
            ty: self.ty.clone(),
            origin: graph::Origin::Item { checklist: index },
            ask: graph::Template::default(),
            levels: Vec::new(),
            examples: Vec::new(),
            sees,
            sees_written: head.sees.is_some(),
            applies,
            procedure,
            tags: head.tags.clone(),
        };
        self.draft.from = Some(FromDraft { field, template });
    }

    fn entries(&mut self, entries: &'a [Entry], head: &body::Body<'a>, group: Option<usize>, index: usize) {
        for entry in entries {
            match &entry.kind {
                EntryKind::Error => {}
                EntryKind::Group { id, weight, text, head: own, entries } => {
                    self.unique(&id.text, id.span);
                    let own = body::read(self.around, own, body::Of::Head).within(head);
                    let weight = weight.as_ref().and_then(|w| self.weight(w));
                    let text = text.as_ref().map_or_else(|| Arc::from(""), |t| t.value.clone());
                    self.draft.groups.push(Group { id: id.text.clone(), weight, text, parent: group });
                    if entries.is_empty() {
                        self.empty(id.span, "group");
                    }
                    let this = self.draft.groups.len() - 1;
                    self.entries(entries, &own, Some(this), index);
                }
                EntryKind::Item { points, id, text, body: own, points_span } => {
                    let own = body::read(self.around, own, body::Of::Item).within(head);
                    self.item(entry, (points, *points_span), id.as_ref(), text, own, group, index);
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one item, taken apart once")]
    fn item(
        &mut self,
        entry: &'a Entry,
        points: (&Number, Span),
        id: Option<&ast::Name>,
        text: &'a ast::Text,
        mut own: body::Body<'a>,
        group: Option<usize>,
        index: usize,
    ) {
        if let Some(id) = id {
            self.unique(&id.text, id.span);
        }
        let number = u32::try_from(self.draft.items.len()).unwrap_or(u32::MAX).saturating_add(1);
        let own_name = id.map_or_else(|| number.to_string(), |id| id.text.to_string());
        let name: Arc<str> = format!("{}.{own_name}", self.name.text).into();
        own.ask = Some(text);
        let called = ast::Name { text: name.clone(), span: id.map_or(points.1, |id| id.span) };
        let origin = graph::Origin::Item { checklist: index };
        let criterion = assemble(self.around, self.ty.clone(), &called, &own, origin);
        let (criterion, ty) = criterion.map_or_else(|| (None, self.ty.clone()), |(c, ty)| (Some(c), ty));
        self.draft.items.push(ItemDraft {
            name,
            id: id.map(|id| id.text.clone()),
            number,
            points: points.0.clone(),
            group,
            doc: entry.doc.as_ref().map_or_else(|| Arc::from(""), |d| d.text.clone()),
            criterion,
            ty,
            span: entry.span,
        });
    }

    fn unique(&mut self, id: &Arc<str>, span: Span) {
        if let Some(earlier) = self.ids.get(id) {
            self.around.sink.push(
                Diagnostic::error(
                    Code::ITEM_TWICE,
                    span,
                    format!("`{id}` names two parts of `{}`", self.name.text),
                    "the second one",
                )
                .also(*earlier, "the first one")
                .help("items and groups of one checklist need names of their own"),
            );
            return;
        }
        self.ids.insert(id.clone(), span);
    }

    fn weight(&mut self, written: &ast::Expr) -> Option<Number> {
        let weight = super::constant(written).filter(Number::is_positive);
        if weight.is_none() && !matches!(written.kind, ast::ExprKind::Error) {
            self.around.sink.push(
                Diagnostic::error(
                    Code::GROUP_WEIGHT,
                    written.span,
                    "a group's weight is a positive number",
                    "not such a number",
                )
                .help("such as `weight 2`; a group that should not count is left out"),
            );
        }
        weight
    }
}
