//! Whether `transform`, `reduce` or `gate` before a declaration says what stands behind it (a lint).

use super::elaborate::Elaborator;
use crate::catalog::table::Family;
use crate::catalog::{NodeId, Operation};
use crate::diagnostics::{Code, Diagnostic, Edit};
use crate::graph::NodeKind;
use crate::syntax::ast;

impl Elaborator<'_> {
    /// Compares the word with the operators of the nodes that the declaration made, `before` being how many there were.
    pub fn family(&mut self, node: &ast::Node, root: NodeId, before: usize) {
        let gate = self.op_of(root).is_some_and(|op| op.family() == Family::Gate) || node.when.is_some();
        let (mut transform, mut reduce) = (false, false);
        for made in self.nodes.get(before..).unwrap_or_default() {
            match &made.kind {
                NodeKind::Operator(operation) => {
                    let (t, r) = bears_out(operation);
                    transform |= t;
                    reduce |= r;
                }
                // A comparison of fields: one yes or no, computed.
                NodeKind::Criterion(_) => transform = true,
                NodeKind::Items { .. } => {}
            }
        }
        let (word, fits) = match node.family {
            ast::Family::Transform => ("transform", transform && !gate),
            ast::Family::Reduce => ("reduce", reduce && !gate),
            ast::Family::Gate => ("gate", gate),
        };
        if fits {
            return;
        }
        let (right, why) = if gate {
            ("gate", "this acts on a condition")
        } else if reduce {
            ("reduce", "this joins several judgments")
        } else {
            ("transform", "this turns one judgment into another")
        };
        if right == word {
            return;
        }
        self.sink.push(
            Diagnostic::warning(Code::FAMILY_WORD, node.family_span, format!("`{}` is no {word}", node.name.text), why)
                .help(format!("write `{right}`; it computes the same"))
                .fix(format!("write `{right}`"), vec![Edit::new(node.family_span, right)]),
        );
    }
}

/// Whether an application bears out `transform`, and `reduce`.
fn bears_out(operation: &Operation) -> (bool, bool) {
    let sources = operation.sources().count();
    match operation.op.family() {
        Family::Transform => (true, sources > 1),
        Family::Reduce => (sources <= 1, true),
        Family::Gate => (false, false),
        Family::Expression => (sources <= 1, sources > 1),
    }
}
