//! A program with something changed in it, beside the program itself.
//!
//! A [`Bench`] holds a copy of a program. [`Bench::change`] lays behind its nodes, which all keep their places, copies of
//! those that a change reaches: the changed nodes and whatever reads them, typed anew as if an author had written
//! them. Both versions then stand in one program and read the same leaves, so that one evaluation computes both, and a
//! question about two versions is a question about one program. The next change clears the bench.
//!
//! Cost: linear in the nodes that a change reaches and in what they read.
//!
//! It rejects a change that `check` would refuse, for instance exchanged weights of which one is none, and a readout that no
//! longer fits what it reads.

use super::spec::{Condition, Operand, Require, RequireKind, Test};
use super::validate::{self, Form, TieWritten};
use super::written::{self, literal, written};
use super::{Node, NodeKind, Program, Readout, ReadoutKind, Tie};
use crate::catalog::typing::{Written, WrittenArm, WrittenKey, infer};
use crate::catalog::{Input, NodeId, Op, Operation, Params, Port};
use crate::types::Type;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What becomes of a node.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Whoever reads it reads this node instead.
    Alias(NodeId),
    /// It computes this; its inputs are nodes of the original program.
    Operation(Box<Operation>),
    /// As before, but what stands in this port (one node) is negated.
    Negate(&'static str),
    /// A leaf of the same kind with a judgment of its own.
    Leaf,
}

/// A program and room for a changed copy.
#[derive(Debug)]
pub struct Bench {
    original: Arc<Program>,
    /// The original's nodes, and behind them those of the last change.
    pub program: Program,
    /// Per node of the original, those that read it, ascending.
    readers: Vec<Vec<NodeId>>,
    /// Per node that was asked for: whether its type had to be written.
    typed: HashMap<NodeId, bool>,
}

/// The changed version.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Where the nodes that the change reaches are now; all others are where they were.
    pub moved: HashMap<NodeId, NodeId>,
    pub sink: NodeId,
    pub readouts: Vec<Readout>,
    pub observed: Vec<NodeId>,
}

/// The change makes no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl Changed {
    /// Where a node of the original is in the changed version.
    #[must_use]
    pub fn at(&self, node: NodeId) -> NodeId {
        self.moved.get(&node).copied().unwrap_or(node)
    }

    /// A condition of the original about the changed version. Readouts keep their numbers.
    #[must_use]
    pub fn condition(&self, condition: &Condition) -> Condition {
        let operand = |operand: &Operand| match operand {
            Operand::Node { candidate, node } => Operand::Node { candidate: *candidate, node: self.at(*node) },
            other => other.clone(),
        };
        // The depth is that of an expression, which the parser bounds.
        match condition {
            Condition::And(all) => Condition::And(all.iter().map(|c| self.condition(c)).collect()),
            Condition::Or(all) => Condition::Or(all.iter().map(|c| self.condition(c)).collect()),
            Condition::Not(of) => Condition::Not(Box::new(self.condition(of))),
            Condition::Holds(of) => Condition::Holds(operand(of)),
            Condition::Compare { op, left, right } => {
                Condition::Compare { op: *op, left: operand(left), right: operand(right) }
            }
        }
    }

    /// A requirement of the original about the changed version.
    #[must_use]
    pub fn require(&self, require: &Require) -> Require {
        let kind = match &require.kind {
            RequireKind::Always(clauses) => RequireKind::Always(
                clauses
                    .iter()
                    .map(|clause| super::spec::Clause {
                        when: clause.when.as_ref().map(|c| self.condition(c)),
                        holds: self.condition(&clause.holds),
                    })
                    .collect(),
            ),
            RequireKind::Reachable(condition) => RequireKind::Reachable(self.condition(condition)),
            other => other.clone(),
        };
        Require { kind, ..require.clone() }
    }

    /// A test of the original about the changed version.
    #[must_use]
    pub fn test(&self, test: &Test) -> Test {
        let expects = test.expects.iter().map(|(c, span, text)| (self.condition(c), *span, text.clone())).collect();
        Test { expects, ..test.clone() }
    }
}

impl Bench {
    #[must_use]
    pub fn new(original: Arc<Program>) -> Bench {
        let mut readers = vec![Vec::new(); original.nodes.len()];
        for (node, at) in original.nodes.iter().zip(0..) {
            let NodeKind::Operator(operation) = &node.kind else { continue };
            for source in operation.sources() {
                let Some(list) = readers.get_mut(source.index()) else { continue };
                if list.last() != Some(&NodeId(at)) {
                    list.push(NodeId(at));
                }
            }
        }
        Bench { program: (*original).clone(), original, readers, typed: HashMap::new() }
    }

    /// The program as it was.
    #[must_use]
    pub fn original(&self) -> &Arc<Program> {
        &self.original
    }

    /// The nodes that read this one directly.
    #[must_use]
    pub fn readers(&self, node: NodeId) -> &[NodeId] {
        self.readers.get(node.index()).map_or(&[], Vec::as_slice)
    }

    /// The nodes that a change of these reaches, these included, ascending.
    #[must_use]
    pub fn reached(&self, from: impl IntoIterator<Item = NodeId>) -> BTreeSet<NodeId> {
        let mut open: Vec<NodeId> = from.into_iter().collect();
        let mut found: BTreeSet<NodeId> = open.iter().copied().collect();
        while let Some(node) = open.pop() {
            open.extend(self.readers(node).iter().filter(|reader| found.insert(**reader)));
        }
        found
    }

    /// Changes these nodes, and those readouts (by number) that are given another kind.
    ///
    /// # Errors
    /// Where no program comes of it; the bench then holds the original alone.
    pub fn change(&mut self, edits: &[(NodeId, Edit)], readouts: &[(usize, ReadoutKind)]) -> Result<Changed, Refused> {
        self.program.nodes.truncate(self.original.nodes.len());
        let done = self.copies(edits).and_then(|moved| self.outside(moved, readouts));
        if done.is_err() {
            self.program.nodes.truncate(self.original.nodes.len());
        }
        done
    }

    fn copies(&mut self, edits: &[(NodeId, Edit)]) -> Result<HashMap<NodeId, NodeId>, Refused> {
        let mut moved: HashMap<NodeId, NodeId> = HashMap::new();
        let edited: HashMap<NodeId, &Edit> = edits.iter().map(|(node, edit)| (*node, edit)).collect();
        let original = Arc::clone(&self.original);
        for id in self.reached(edits.iter().map(|(node, _)| *node)) {
            let Some(node) = original.node(id) else { return Err(Refused) };
            let edit = edited.get(&id).copied();
            if let Some(Edit::Alias(by)) = edit {
                let by = moved.get(by).copied().unwrap_or(*by);
                moved.insert(id, by);
                continue;
            }
            let mut operation = match (&node.kind, edit) {
                (_, Some(Edit::Operation(operation))) => (**operation).clone(),
                (NodeKind::Operator(operation), _) => (**operation).clone(),
                (kind, Some(Edit::Leaf)) => {
                    let copy = Node { kind: kind.clone(), ..node.clone() };
                    moved.insert(id, self.push(copy));
                    continue;
                }
                _ => return Err(Refused),
            };
            // Typing is dear for operators of many slots; where no input has another type there is nothing to find out.
            let mut same = !matches!(edit, Some(Edit::Operation(_)));
            for input in operation.ports.iter_mut().flat_map(|port| &mut port.inputs) {
                let Input::Node(source) = input else { continue };
                let now = moved.get(source).copied().unwrap_or(*source);
                same = same && self.type_of(now) == original.node(*source).map(|n| &n.ty);
                *source = now;
            }
            if let Some(Edit::Negate(port)) = edit {
                self.negate(&mut operation, port)?;
            }
            let (operation, ty) = if same { (operation, node.ty.clone()) } else { self.retype(id, node, &operation)? };
            let copy = Node { kind: NodeKind::Operator(Box::new(operation)), ty, ..node.clone() };
            moved.insert(id, self.push(copy));
        }
        Ok(moved)
    }

    fn push(&mut self, node: Node) -> NodeId {
        // INVARIANT: twice the nodes of a program are fewer than 2³².
        let id = NodeId(u32::try_from(self.program.nodes.len()).unwrap_or(u32::MAX));
        self.program.nodes.push(node);
        id
    }

    fn type_of(&self, node: NodeId) -> Option<&Type> {
        self.program.node(node).map(|n| &n.ty)
    }

    /// Negates the one node in a port; a negation that stands there is taken away.
    fn negate(&mut self, operation: &mut Operation, port: &str) -> Result<(), Refused> {
        let slot = operation.ports.iter_mut().find(|p| p.name == port).and_then(|p| p.inputs.first_mut());
        let Some(Input::Node(source)) = slot else { return Err(Refused) };
        let Some(node) = self.program.node(*source) else { return Err(Refused) };
        if let NodeKind::Operator(inner) = &node.kind
            && inner.op == Op::Not
            && let Some(Input::Node(below)) = inner.one("x")
        {
            *source = *below;
            return Ok(());
        }
        if !node.ty.is_bool() {
            return Err(Refused);
        }
        let ports = vec![Port { name: "x", inputs: vec![Input::Node(*source)] }];
        let not = Operation { op: Op::Not, ports, params: Params::default().into() };
        let name = format!("{}.not", node.name).into();
        let copy = Node {
            name,
            doc: "".into(),
            ty: node.ty.clone(),
            span: node.span,
            kind: NodeKind::Operator(Box::new(not)),
        };
        let id = NodeId(u32::try_from(self.program.nodes.len()).unwrap_or(u32::MAX));
        *source = id;
        self.push(copy);
        Ok(())
    }

    /// Types an operation of the bench as an author's: a type that was written stays written.
    fn retype(&mut self, id: NodeId, node: &Node, operation: &Operation) -> Result<(Operation, Type), Refused> {
        let original = Arc::clone(&self.original);
        let was_typed = *self.typed.entry(id).or_insert_with(|| written::needs_type(&original, node));
        // Labels and constants are written in the words of the node's own type.
        let as_written = written(&self.program, operation, &node.ty);
        let arguments = written::arguments(&self.program, operation, &node.ty);
        let typed = infer(operation.op, &arguments, &as_written, was_typed.then_some(&node.ty));
        typed.map(|typed| (typed.operation, typed.ty)).map_err(|_| Refused)
    }

    /// Sink, readouts and observed nodes of the changed version.
    fn outside(&self, moved: HashMap<NodeId, NodeId>, changed: &[(usize, ReadoutKind)]) -> Result<Changed, Refused> {
        let original = &self.original;
        let at = |id: NodeId| moved.get(&id).copied().unwrap_or(id);
        let mut readouts = Vec::with_capacity(original.readouts.len());
        for (number, old) in original.readouts.iter().enumerate() {
            let mut readout = old.clone();
            let other = changed.iter().find(|(which, _)| *which == number);
            if let Some((_, kind)) = other {
                readout.kind = kind.clone();
            }
            readout.source = at(old.source);
            if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
                &mut readout.kind
                && let Tie::By { keys, .. } = tie
            {
                keys.iter_mut().for_each(|key| *key = at(*key));
            }
            let (before, after) = (original.node(old.source), self.program.node(readout.source));
            let (Some(before), Some(after)) = (before, after) else { return Err(Refused) };
            if other.is_some() || before.ty != after.ty {
                let form = self.form(&readout, &before.ty).ok_or(Refused)?;
                let typed = validate::readout(readout.mode, readout.source, &after.ty, &after.name, &form);
                let (kind, ty, _) = typed.map_err(|_| Refused)?;
                readout.kind = kind;
                readout.ty = ty;
            }
            readouts.push(readout);
        }
        let observed = original.observed.iter().map(|id| at(*id)).collect();
        Ok(Changed { sink: at(original.sink), readouts, observed, moved })
    }

    /// A readout as it was written; `ty` is the type of what it read.
    fn form(&self, readout: &Readout, ty: &Type) -> Option<Form> {
        let to = || Some(readout.ty.clone().known());
        let tie = |tie: &Tie| {
            let word = |word: &str| Some(TieWritten::Word(word.into()));
            match tie {
                Tie::Tie => word("tie"),
                Tie::Abstain => word("abstain"),
                Tie::First => word("first"),
                Tie::ById => word("by_id"),
                Tie::By { keys, tie } => {
                    let key = |id: &NodeId| self.program.node(*id).map(|n| (*id, n.ty.clone(), n.name.clone()));
                    let otherwise = Some(if *tie { "tie" } else { "abstain" }.into());
                    Some(TieWritten::By { keys: keys.iter().map(key).collect(), otherwise })
                }
            }
        };
        Some(match &readout.kind {
            ReadoutKind::Native => Form::Native,
            ReadoutKind::Rescale => Form::Rescale(Written { to: to(), ..Written::default() }),
            ReadoutKind::Quantize { mode } => {
                Form::Quantize(Written { to: to(), mode: Some(*mode), ..Written::default() })
            }
            ReadoutKind::Bands(bands) => {
                let row = |band: &crate::catalog::Band| {
                    let key = band.below.clone().map_or(WrittenKey::Rest, WrittenKey::Below);
                    let label = written::label(band.label, &readout.ty)?;
                    Some(WrittenArm { key, value: crate::catalog::typing::Literal::Label(label) })
                };
                let table = Some(bands.iter().filter_map(row).collect());
                Form::Bands(Written { table, ..Written::default() })
            }
            ReadoutKind::Pass { at } => Form::Pass { at: literal(at, ty)? },
            ReadoutKind::Prefer { margin, tie: t } => Form::Prefer { margin: Some(margin.clone()), tie: tie(t)? },
            ReadoutKind::Ranking { tie: t } => Form::Ranking { tie: tie(t)? },
            ReadoutKind::Best { margin, tie: t } => Form::Best { margin: Some(margin.clone()), tie: tie(t)? },
        })
    }
}
