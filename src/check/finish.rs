//! From the nodes of the elaborator to the [`Program`]: what only served to check, and what of a library nothing uses, is left
//! out, and everything is numbered anew.

use super::bundle::Item;
use super::elaborate::Elaborator;
use super::reach::inputs;
use crate::catalog::{Input, NodeId};
use crate::graph::validate::unreached;
use crate::graph::{self, NodeKind, Program, ReadoutKind, Tie};
use foldhash::HashSet;
use std::sync::Arc;

/// Puts the program together. Every index given is one of the elaborator's.
pub(super) fn program(
    elaborator: Elaborator<'_>,
    sink: NodeId,
    readouts: Vec<graph::Readout>,
    observed: Vec<NodeId>,
    roots: &[NodeId],
) -> Program {
    let dropped: HashSet<usize> =
        unreached(&inputs(&elaborator), roots.iter().map(|id| id.index())).into_iter().collect();
    let mut new: Vec<Option<NodeId>> = Vec::with_capacity(elaborator.nodes.len());
    let mut count = 0_u32;
    for at in 0..elaborator.nodes.len() {
        let kept = !dropped.contains(&at);
        new.push(kept.then_some(NodeId(count)));
        count += u32::from(kept);
    }
    let renumber = |id: NodeId| new.get(id.index()).copied().flatten();
    let mut nodes = Vec::with_capacity(elaborator.nodes.len() - dropped.len());
    for (at, mut node) in elaborator.nodes.into_iter().enumerate() {
        if dropped.contains(&at) {
            continue;
        }
        if let NodeKind::Operator(operation) = &mut node.kind {
            for input in operation.ports.iter_mut().flat_map(|p| &mut p.inputs) {
                if let Input::Node(id) = input
                    && let Some(id_now) = renumber(*id)
                {
                    *id = id_now;
                }
            }
        }
        nodes.push(node);
    }
    let checklists = elaborator.bundles.into_iter().map(|bundle| {
        let items = bundle.draft.items.into_iter().zip(bundle.nodes).filter_map(|(item, node)| {
            let Item::Node(id) = node else { return None };
            Some(graph::Item {
                node: renumber(id)?,
                id: item.id,
                number: item.number,
                points: item.points,
                group: item.group,
            })
        });
        graph::Checklist {
            items: items.collect(),
            from: bundle.from.and_then(renumber),
            name: bundle.name,
            doc: bundle.doc,
            optional: bundle.draft.optional,
            groups: bundle.draft.groups,
        }
    });
    let checklists = checklists.collect();
    let readouts = readouts.into_iter().filter_map(|mut readout| {
        readout.source = renumber(readout.source)?;
        if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
            &mut readout.kind
            && let Tie::By { keys, .. } = tie
        {
            *keys = keys.iter().filter_map(|key| renumber(*key)).collect();
        }
        Some(readout)
    });
    let readouts = readouts.collect();
    let tree = elaborator.scopes.scopes.first().map(|s| &s.unit.tree);
    Program {
        name: tree.and_then(|t| t.name.as_ref()).map_or_else(|| Arc::from(""), |n| Arc::clone(&n.text)),
        doc: tree.and_then(|t| t.doc.as_ref()).map_or_else(|| Arc::from(""), |d| Arc::clone(&d.text)),
        fields: elaborator.fields.list.clone(),
        candidate: Arc::clone(&elaborator.fields.candidate),
        checklists,
        nodes,
        sink: renumber(sink).unwrap_or(NodeId(0)),
        readouts,
        observed: observed.into_iter().filter_map(renumber).collect(),
        requires: Vec::new(),
        tests: Vec::new(),
    }
}
