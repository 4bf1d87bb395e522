//! Checklists as an author writes them, and bundles of their items in operators.

use super::super::{Checklist, Item, NodeKind, Origin, Program};
use super::{Writer, expression, number};
use crate::catalog::{NodeId, Op, Operation};
use crate::number::Number;
use crate::types::quote;

impl Writer<'_> {
    pub(super) fn checklist(&mut self, index: usize, list: &Checklist) {
        let name = self.names.list(index).to_owned();
        self.doc(&list.doc, "");
        let ty = if list.optional { ": bool?" } else { "" };
        if let Some(from) = list.from {
            let Some(NodeKind::Items { field, template }) = self.program.node(from).map(|n| &n.kind) else { return };
            let field = self.program.field(*field).map_or("", |f| &*f.name);
            let head = self.statements(template, "  ");
            let body = if head.is_empty() { String::new() } else { format!(" {{\n{head}}}") };
            self.line(&format!("checklist {name}{ty} from {field}{body}"));
            return;
        }
        self.line(&format!("checklist {name}{ty} {{"));
        let mut open: Vec<usize> = Vec::new();
        for item in &list.items {
            let path = path(list, item.group);
            let common = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            while open.len() > common {
                open.pop();
                self.line(&format!("{}}}", indent(open.len() + 1)));
            }
            for &group in path.get(common..).unwrap_or(&[]) {
                if let Some(g) = list.groups.get(group) {
                    let weight = g.weight.as_ref().map_or(String::new(), |w| format!(" weight {}", number(w)));
                    let text = if g.text.is_empty() { String::new() } else { format!(" {}", quote(&g.text)) };
                    self.line(&format!("{}group {}{weight}{text} {{", indent(open.len() + 1), g.id));
                }
                open.push(group);
            }
            self.item(item, &indent(open.len() + 1));
        }
        while open.pop().is_some() {
            self.line(&format!("{}}}", indent(open.len() + 1)));
        }
        self.line("}");
    }

    fn item(&mut self, item: &Item, indent: &str) {
        let Some(node) = self.program.node(item.node) else { return };
        let NodeKind::Criterion(criterion) = &node.kind else { return };
        self.doc(&node.doc, indent);
        let sign = if item.points.is_negative() { "-" } else { "+" };
        let id = item.id.as_ref().map_or(String::new(), |id| format!(" {id}"));
        let body = self.statements(criterion, &format!("{indent}  "));
        let body = if body.is_empty() { body } else { format!(" {{\n{body}{indent}}}") };
        let text = super::template(self.program, &criterion.ask);
        self.line(&format!("{indent}{sign}{}{id} {text}{body}", number(&item.points.abs())));
    }

    /// The slots of an operator that takes bundles: whole checklists and groups where the slots are all of their items, else
    /// single items and bools. `None` for other operators.
    pub(super) fn bundled(&self, operation: &Operation) -> Option<Vec<String>> {
        let op = operation.op;
        let takes = matches!(op, Op::Points | Op::SumPoints | Op::Tree | Op::All | Op::Any | Op::Count | Op::Fraction);
        let weighted = matches!(op, Op::WeightedMean | Op::WeightedSum);
        if !takes && !weighted {
            return None;
        }
        let slots: Vec<NodeId> = operation.port("x").iter().filter_map(crate::catalog::Input::node).collect();
        if op == Op::Tree {
            let leaves = tree_leaves(self.program, &slots);
            let whole = self.names.bundle(&leaves).filter(|(_, count)| *count == leaves.len());
            return Some(vec![whole.map_or_else(String::new, |(name, _)| name.to_owned())]);
        }
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(id) = slots.get(at) {
            if takes && let Some((name, count)) = self.names.bundle(slots.get(at..).unwrap_or(&[])) {
                out.push(name.to_owned());
                at += count;
                continue;
            }
            let x = self.part(*id, expression::Level::Whole);
            let weight = operation.params.weights.get(at);
            out.push(match weight {
                // An item brings its own points.
                Some(_) if takes && is_item(self.program, *id) => x,
                Some(weight) => format!("{x} weight {}", weight_text(weight)),
                None => x,
            });
            at += 1;
        }
        Some(out)
    }
}

fn weight_text(weight: &Number) -> String {
    number(weight)
}

fn is_item(program: &Program, id: NodeId) -> bool {
    match program.node(id).map(|n| &n.kind) {
        Some(NodeKind::Criterion(c)) => matches!(c.origin, Origin::Item { .. }),
        Some(NodeKind::Items { .. }) => true,
        _ => false,
    }
}

/// The groups from the outermost to this one.
pub(super) fn path(list: &Checklist, group: Option<usize>) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = group;
    // A parent stands before its child, so this ends.
    while let Some(group) = at {
        path.push(group);
        at = list.groups.get(group).and_then(|g| g.parent).filter(|parent| *parent < group);
    }
    path.reverse();
    path
}

/// The items under the nodes of a `tree`, in order.
fn tree_leaves(program: &Program, slots: &[NodeId]) -> Vec<NodeId> {
    let mut out = Vec::new();
    let mut stack: Vec<NodeId> = slots.iter().rev().copied().collect();
    while let Some(id) = stack.pop() {
        match expression::operator(program, id) {
            Some((operation, _)) if operation.op == Op::Tree => {
                stack.extend(operation.port("x").iter().rev().filter_map(crate::catalog::Input::node));
            }
            _ => out.push(id),
        }
    }
    out
}

fn indent(level: usize) -> String {
    "  ".repeat(level)
}
