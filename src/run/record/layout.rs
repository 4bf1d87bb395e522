//! What a program wants of a record: its fields, who reads each of them, and the names under which judgments may stand.
//!
//! Made once per program, so that a record costs a look-up per key, however large the program is.

use crate::catalog::NodeId;
use crate::graph::{Criterion, FieldId, NodeKind, Procedure, Program, Template, TemplatePart};
use crate::rules::Rule;
use crate::types::{Field, Role, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// A program as records see it.
#[derive(Debug)]
pub struct Layout {
    /// As `Program::fields`.
    pub fields: Vec<Field>,
    /// Per field, the first that reads it; `None`: nothing does, and a record may leave it out.
    pub readers: Vec<Option<Arc<str>>>,
    /// The name before the point where the candidate is a record (`pair` of `pair.response1`).
    pub nested: Option<Arc<str>>,
    /// Leaves in the program's order.
    pub leaves: Vec<NodeId>,
    /// Per node: whether it is a criterion that sees no candidate, and is judged once per record.
    shared: Vec<bool>,
    by_field: HashMap<Arc<str>, FieldId>,
    by_leaf: HashMap<Arc<str>, NodeId>,
}

impl Layout {
    #[must_use]
    pub fn of(program: &Program) -> Layout {
        let mut layout = Layout {
            fields: program.fields.clone(),
            readers: vec![None; program.fields.len()],
            nested: None,
            leaves: Vec::new(),
            shared: vec![false; program.nodes.len()],
            by_field: HashMap::new(),
            by_leaf: HashMap::new(),
        };
        for (field, id) in program.fields.iter().zip(0..) {
            layout.by_field.insert(Arc::clone(&field.name), FieldId(id));
            if field.role == Role::Candidate
                && field.name.strip_prefix(&*program.candidate).is_some_and(|rest| rest.starts_with('.'))
            {
                layout.nested = Some(Arc::clone(&program.candidate));
            }
        }
        for (node, id) in program.nodes.iter().zip(0..) {
            let id = NodeId(id);
            let sees_candidate = match &node.kind {
                NodeKind::Operator(_) => continue,
                NodeKind::Criterion(criterion) => layout.read_by(&node.name, criterion),
                NodeKind::Items { field, template } => {
                    layout.read(*field, &node.name);
                    layout.read_by(&node.name, template)
                }
            };
            layout.leaves.push(id);
            layout.by_leaf.insert(Arc::clone(&node.name), id);
            if let Some(shared) = layout.shared.get_mut(id.index()) {
                *shared = !sees_candidate;
            }
        }
        for checklist in &program.checklists {
            for item in checklist.items.iter().filter(|item| item.id.is_some()) {
                let by_number = format!("{}.{}", checklist.name, item.number);
                layout.by_leaf.entry(by_number.into()).or_insert(item.node);
            }
        }
        layout
    }

    /// Marks what a criterion reads; whether that holds anything of a candidate.
    fn read_by(&mut self, name: &Arc<str>, criterion: &Criterion) -> bool {
        let mut read: Vec<FieldId> = criterion.applies.iter().flat_map(|rule| self.rule_reads(rule)).collect();
        match &criterion.procedure {
            Procedure::Rule(rule) => read.extend(self.rule_reads(rule)),
            _ => {
                read.extend(&criterion.sees);
                read.extend(holes(&criterion.ask));
                read.extend(criterion.levels.iter().flat_map(|(_, text)| holes(text)));
            }
        }
        read.iter().for_each(|field| self.read(*field, name));
        let of_candidate = |id: &FieldId| self.field(*id).is_some_and(|field| field.role == Role::Candidate);
        read.iter().any(of_candidate)
    }

    fn rule_reads(&self, rule: &Rule) -> Vec<FieldId> {
        rule.fields.iter().filter_map(|name| self.by_field.get(name).copied()).collect()
    }

    fn read(&mut self, field: FieldId, by: &Arc<str>) {
        if let Some(reader) = self.readers.get_mut(field.0 as usize) {
            reader.get_or_insert_with(|| Arc::clone(by));
        }
    }

    #[must_use]
    pub fn field(&self, id: FieldId) -> Option<&Field> {
        self.fields.get(id.0 as usize)
    }

    /// The field with this name.
    #[must_use]
    pub fn find_field(&self, name: &str) -> Option<&Field> {
        self.by_field.get(name).and_then(|id| self.field(*id))
    }

    /// The fields that some node reads, with the first that does.
    pub fn read_fields(&self) -> impl Iterator<Item = (&Field, &str)> {
        self.fields.iter().zip(&self.readers).filter_map(|(field, by)| Some((field, by.as_deref()?)))
    }

    /// The leaf under whose name a judgment stands: a criterion or the items of a `checklist … from` by their names, an
    /// item of a checklist by its id or its number.
    #[must_use]
    pub fn find_leaf(&self, name: &str) -> Option<NodeId> {
        self.by_leaf.get(name).copied()
    }

    /// Whether this is the name of a judgment: of a leaf, or of an item of a `checklist … from`.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let mut ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
        ends.any(|end| name.get(..end).is_some_and(|part| self.find_leaf(part).is_some()))
    }

    /// The names under which judgments may stand.
    pub fn leaf_names(&self) -> impl Iterator<Item = &str> {
        self.by_leaf.keys().map(|name| &**name)
    }

    /// Whether a leaf sees no candidate, so that it is judged once per record.
    #[must_use]
    pub fn is_shared(&self, leaf: NodeId) -> bool {
        self.shared.get(leaf.index()).copied().unwrap_or(false)
    }
}

fn holes(text: &Template) -> impl Iterator<Item = FieldId> {
    text.parts.iter().filter_map(|part| match part {
        TemplatePart::Field(id) => Some(*id),
        TemplatePart::Text(_) => None,
    })
}

/// The type that the judge of a leaf is asked for; of items, that of each.
#[must_use]
pub fn asked(program: &Program, leaf: NodeId) -> Option<&Type> {
    match &program.node(leaf)?.kind {
        NodeKind::Criterion(criterion) => Some(&criterion.ty),
        NodeKind::Items { template, .. } => Some(&template.ty),
        NodeKind::Operator(_) => None,
    }
}
