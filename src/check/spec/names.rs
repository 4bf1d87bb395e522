//! What a name means in a requirement or a test.

use crate::catalog::NodeId;
use crate::diagnostics::did_you_mean;
use crate::graph::{Checklist, Criterion, Mode, Node, NodeKind, Procedure, Program, Readout};
use crate::number::Number;
use crate::syntax::ast::Path;
use crate::types::{Field, Role};
use foldhash::HashMap;

/// The names of a program, each looked up in constant time.
pub(super) struct Names<'p> {
    pub program: &'p Program,
    nodes: HashMap<&'p str, NodeId>,
    fields: HashMap<&'p str, usize>,
    readouts: HashMap<&'p str, usize>,
    checklists: HashMap<&'p str, usize>,
    /// Per node, whether it is the same for all candidates of a record.
    shared: Vec<bool>,
    silent: &'p dyn Fn(&str) -> bool,
}

/// Items of a checklist, named together: all, those of a group, or one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle<'p> {
    pub checklist: &'p Checklist,
    /// Index in its groups.
    pub group: Option<usize>,
}

impl<'p> Bundle<'p> {
    /// The items, in file order.
    pub fn items(self) -> Vec<&'p crate::graph::Item> {
        let Some(group) = self.group else { return self.checklist.items.iter().collect() };
        // Parents come before their children.
        let mut inside = vec![false; self.checklist.groups.len()];
        for (at, g) in self.checklist.groups.iter().enumerate() {
            let within = at == group || g.parent.is_some_and(|p| inside.get(p).copied().unwrap_or(false));
            if let Some(flag) = inside.get_mut(at) {
                *flag = within;
            }
        }
        let within = |g: Option<usize>| g.and_then(|g| inside.get(g).copied()).unwrap_or(false);
        self.checklist.items.iter().filter(|i| within(i.group)).collect()
    }

    pub fn name(self) -> String {
        match self.group.and_then(|g| self.checklist.groups.get(g)) {
            Some(group) => format!("{}.{}", self.checklist.name, group.id),
            None => self.checklist.name.to_string(),
        }
    }
}

impl<'p> Names<'p> {
    pub fn new(program: &'p Program, silent: &'p dyn Fn(&str) -> bool) -> Names<'p> {
        let ids = (0_u32..).map(NodeId);
        Names {
            program,
            nodes: program.nodes.iter().zip(ids).map(|(n, id)| (&*n.name, id)).collect(),
            fields: program.fields.iter().enumerate().map(|(i, f)| (&*f.name, i)).collect(),
            readouts: program.readouts.iter().enumerate().map(|(i, r)| (r.key(), i)).collect(),
            checklists: program.checklists.iter().enumerate().map(|(i, c)| (&*c.name, i)).collect(),
            shared: shared(program),
            silent,
        }
    }

    /// Whether something is already known to be wrong with this name.
    pub fn is_silent(&self, name: &str) -> bool {
        (self.silent)(name)
    }

    pub fn is_declared(&self, name: &str) -> bool {
        self.nodes.contains_key(name)
            || self.fields.contains_key(name)
            || self.readouts.contains_key(name)
            || self.checklists.contains_key(name)
    }

    /// A field and its place in [`Program::fields`].
    pub fn field(&self, name: &str) -> Option<(usize, &'p Field)> {
        let at = *self.fields.get(name)?;
        Some((at, self.program.fields.get(at)?))
    }

    pub fn readout(&self, name: &str) -> Option<(usize, &'p Readout)> {
        let at = *self.readouts.get(name)?;
        Some((at, self.program.readouts.get(at)?))
    }

    pub fn node(&self, id: NodeId) -> Option<&'p Node> {
        self.program.node(id)
    }

    /// A node by its name, or an item by the number that it has in its checklist (`care.3`, though it has an id).
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied().or_else(|| {
            let (checklist, number) = name.rsplit_once('.')?;
            self.item(checklist, &number.parse::<i64>().ok()?.into())
        })
    }

    /// Item `number` (from 1) of a checklist.
    pub fn item(&self, checklist: &str, number: &Number) -> Option<NodeId> {
        let list = self.program.checklists.get(*self.checklists.get(checklist)?)?;
        let number = u32::try_from(number.to_i64()?).ok()?;
        // Usually all items are there, in order.
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let item = list.items.get(at).filter(|i| i.number == number);
        item.or_else(|| list.items.iter().find(|i| i.number == number)).map(|i| i.node)
    }

    /// A checklist, or a group of one.
    pub fn bundle(&self, name: &str) -> Option<Bundle<'p>> {
        if let Some(at) = self.checklists.get(name) {
            return Some(Bundle { checklist: self.program.checklists.get(*at)?, group: None });
        }
        let (checklist, group) = name.rsplit_once('.')?;
        let checklist = self.program.checklists.get(*self.checklists.get(checklist)?)?;
        let group = checklist.groups.iter().position(|g| &*g.id == group)?;
        Some(Bundle { checklist, group: Some(group) })
    }

    /// Whether a node has one value for all candidates of a record.
    pub fn is_shared(&self, id: NodeId) -> bool {
        self.shared.get(id.index()).copied().unwrap_or(false)
    }

    /// All leaves that a judge answers, with what is asked.
    pub fn leaves(&self) -> impl Iterator<Item = (NodeId, &'p Node, &'p Criterion)> + '_ {
        (0_u32..).map(NodeId).zip(&self.program.nodes).filter_map(|(id, node)| match &node.kind {
            NodeKind::Criterion(criterion) => Some((id, node, &**criterion)),
            _ => None,
        })
    }

    /// The declared name (of a node, readout, field, checklist or group) nearest to this one.
    pub fn nearest(&self, path: &Path, fields: bool) -> Option<String> {
        let name = path.dotted();
        let groups =
            self.program.checklists.iter().flat_map(|c| c.groups.iter().map(|g| format!("{}.{}", c.name, g.id)));
        let groups: Vec<String> = groups.collect();
        let mut all: Vec<&str> = self.checklists.keys().copied().chain(groups.iter().map(String::as_str)).collect();
        if fields {
            all.extend(self.fields.keys().copied());
            all.extend(self.leaves().map(|(_, n, _)| &*n.name));
            all.push("others");
        } else {
            all.extend(self.readouts.keys().copied());
            all.extend(self.nodes.keys().copied());
        }
        did_you_mean(&name, all).map(str::to_owned)
    }

    pub fn has_mode(&self, mode: Mode) -> bool {
        self.program.readouts.iter().any(|r| r.mode == mode)
    }
}

/// Which nodes are the same for all candidates: criteria that see no candidate field, and what is computed from such alone.
fn shared(program: &Program) -> Vec<bool> {
    let mut shared: Vec<bool> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        let same = match &node.kind {
            NodeKind::Criterion(criterion) => is_shared_criterion(program, criterion),
            NodeKind::Items { template, .. } => is_shared_criterion(program, template),
            NodeKind::Operator(operation) => {
                operation.sources().all(|id| shared.get(id.index()).copied().unwrap_or(false))
            }
        };
        shared.push(same);
    }
    shared
}

fn is_shared_criterion(program: &Program, criterion: &Criterion) -> bool {
    match &criterion.procedure {
        Procedure::Rule(rule) => !rule.reads_candidate,
        _ => {
            let sees = |id: &crate::graph::FieldId| program.field(*id).is_none_or(|f| f.role == Role::Candidate);
            !criterion.sees.iter().any(sees)
        }
    }
}
