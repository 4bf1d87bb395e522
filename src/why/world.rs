//! A record with its judgments, some of which may be imagined to be otherwise.
//!
//! A [`Variable`] is a judgment that may be changed: a criterion, or an item of a `checklist … from`, of one candidate or of
//! all. A [`World`] sets variables, lets them be anything, and reads readouts.

use crate::catalog::NodeId;
use crate::graph::{Mode, NodeKind, ReadoutKind, Tie};
use crate::mutate::steps::of_type;
use crate::number::Number;
use crate::run::engine::Engine;
use crate::run::evaluate::States;
use crate::run::judgment::{Basis, Judged};
use crate::run::readout::{Candidate, Reading};
use crate::run::{Leaf, Missing, MissingReason};
use crate::types::{Base, Type, Value};
use std::collections::BTreeSet;

/// A judgment of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// `None`: the same for all candidates.
    pub candidate: Option<usize>,
    pub node: NodeId,
    /// Of a `checklist … from`: the item's place, from 0.
    pub item: Option<usize>,
    pub ty: Type,
    /// `None`: missing.
    pub value: Option<Value>,
    /// Computed by a rule, or not applicable: nobody judged it.
    pub computed: bool,
}

/// A readout of a candidate (pointwise), or of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub readout: usize,
    pub candidate: Option<usize>,
}

/// A record that can be imagined otherwise.
pub struct World<'e> {
    pub engine: &'e Engine,
    pub record: &'e str,
    pub ids: Vec<String>,
    leaves: Vec<Vec<Leaf>>,
    pub variables: Vec<Variable>,
    states: Vec<States>,
    /// Nodes that were computed so far, for budgets.
    pub work: u64,
}

impl<'e> World<'e> {
    #[must_use]
    pub fn new(engine: &'e Engine, record: &'e str, ids: &[Option<String>], judged: &Judged) -> World<'e> {
        let mut variables = Vec::new();
        let lists = std::iter::once((None, &judged.shared))
            .chain(judged.own.iter().enumerate().map(|(place, own)| (Some(place), own)));
        for (candidate, list) in lists {
            for one in list {
                let Some(node) = engine.program.node(one.node) else { continue };
                let computed = one.basis != Basis::Recorded;
                let variable = |item, ty: &Type, value| Variable {
                    candidate,
                    node: one.node,
                    item,
                    ty: ty.clone(),
                    value,
                    computed,
                };
                match (&one.leaf, &node.kind) {
                    (Leaf::Known(value), _) => variables.push(variable(None, &node.ty, Some(value.clone()))),
                    (Leaf::Missing(_), _) => variables.push(variable(None, &node.ty, None)),
                    (Leaf::Items(items), NodeKind::Items { template, .. }) => {
                        for (at, item) in items.iter().enumerate() {
                            let value = item.met.as_ref().ok().map(|met| met.map_or(Value::Unknown, Value::Bool));
                            variables.push(variable(Some(at), &template.ty, value));
                        }
                    }
                    (Leaf::Items(_), _) => {}
                }
            }
        }
        World {
            engine,
            record,
            ids: ids.iter().map(|id| id.clone().unwrap_or_default()).collect(),
            leaves: (0..judged.own.len()).map(|place| engine.leaves(judged, place)).collect(),
            variables,
            states: vec![States::default(); judged.own.len()],
            work: 0,
        }
    }

    /// How a variable is called: `care.dose`, `expected.3`.
    #[must_use]
    pub fn name(&self, variable: &Variable) -> String {
        let name = self.engine.program.node(variable.node).map_or("", |node| &*node.name);
        let leaves = self.leaves.get(variable.candidate.unwrap_or(0));
        match (variable.item, leaves.and_then(|leaves| leaves.get(variable.node.index()))) {
            (Some(at), Some(Leaf::Items(items))) => {
                format!("{name}.{}", items.get(at).map_or("", |item| item.id.as_str()))
            }
            _ => name.to_owned(),
        }
    }

    /// The nodes that a readout looks at directly.
    #[must_use]
    pub fn roots(&self, readout: usize) -> Vec<NodeId> {
        let program = &self.engine.program;
        let Some(entry) = program.readouts.get(readout) else { return Vec::new() };
        let mut roots = vec![entry.source];
        if entry.source != program.sink && program.node(program.sink).is_some_and(|sink| sink.ty.optional) {
            roots.push(program.sink);
        }
        if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
            &entry.kind
            && let Tie::By { keys, .. } = tie
        {
            roots.extend(keys);
        }
        roots
    }

    /// The variables that a readout depends on.
    #[must_use]
    pub fn relevant(&self, target: Target) -> Vec<usize> {
        let cone: BTreeSet<NodeId> = crate::mutate::below(&self.engine.program, self.roots(target.readout));
        let seen = |variable: &Variable| {
            cone.contains(&variable.node)
                && (target.candidate.is_none()
                    || variable.candidate.is_none()
                    || variable.candidate == target.candidate)
        };
        (0..).zip(&self.variables).filter(|(_, variable)| seen(variable)).map(|(at, _)| at).collect()
    }

    /// Sets a variable; `None` lets it be anything.
    pub fn set(&mut self, variable: usize, value: Option<&Value>) {
        let Some(of) = self.variables.get(variable) else { return };
        let missing = || Missing::because(MissingReason::NotRecorded);
        for (place, leaves) in self.leaves.iter_mut().enumerate() {
            if of.candidate.is_some_and(|own| own != place) {
                continue;
            }
            let Some(leaf) = leaves.get_mut(of.node.index()) else { continue };
            match (of.item, &mut *leaf) {
                (None, leaf) => *leaf = value.map_or_else(|| Leaf::Missing(missing()), |v| Leaf::Known(v.clone())),
                (Some(at), Leaf::Items(items)) => {
                    if let Some(item) = items.get_mut(at) {
                        item.met = value.map_or_else(|| Err(missing()), |v| Ok(v.as_bool()));
                    }
                }
                (Some(_), _) => {}
            }
        }
    }

    /// Puts a variable back to what was judged.
    pub fn restore(&mut self, variable: usize) {
        let value = self.variables.get(variable).and_then(|of| of.value.clone());
        self.set(variable, value.as_ref());
    }

    /// What the readout says now; `None` where a node cannot be computed.
    pub fn read(&mut self, target: Target) -> Option<Reading> {
        let engine = self.engine;
        let reader = engine.readers().get(target.readout)?;
        for place in 0..self.leaves.len() {
            if target.candidate.is_some_and(|own| own != place) {
                continue;
            }
            let (Some(leaves), Some(states)) = (self.leaves.get(place), self.states.get_mut(place)) else { continue };
            engine.interpreter().states_into(leaves, states);
            self.work += leaves.len() as u64;
            states.check_complete(&engine.program).ok()?;
        }
        self.reading(reader.mode(), target, &self.states)
    }

    /// What the readout says of these states.
    #[must_use]
    pub fn reading(&self, mode: Mode, target: Target, states: &[States]) -> Option<Reading> {
        let reader = self.engine.readers().get(target.readout)?;
        if mode == Mode::Pointwise {
            return Some(reader.one(states.get(target.candidate?)?));
        }
        let candidates: Vec<Candidate<'_>> =
            self.ids.iter().zip(states).map(|(id, states)| Candidate { id, states }).collect();
        reader.all(self.record, &candidates)
    }

    /// The states of the last [`World::read`].
    #[must_use]
    pub fn states(&self) -> &[States] {
        &self.states
    }

    /// The leaf of a node for a candidate.
    #[must_use]
    pub fn leaf(&self, candidate: usize, node: NodeId) -> Option<&Leaf> {
        self.leaves.get(candidate)?.get(node.index())
    }

    #[must_use]
    pub fn candidates(&self) -> usize {
        self.leaves.len()
    }

    /// Values that a judgment could have instead, the nearest to its own first, and whether these are all there are.
    #[must_use]
    pub fn alternatives(&self, variable: usize) -> (Vec<Value>, bool) {
        let Some(of) = self.variables.get(variable) else { return (Vec::new(), true) };
        let (mut values, complete) = match of_type(&of.ty) {
            Some(values) => (values, true),
            None => (some_of(&of.ty), false),
        };
        values.retain(|value| Some(value) != of.value.as_ref());
        if let Some(own) = of.value.as_ref().and_then(rank) {
            values.sort_by_key(|value| {
                // Unknown comes last: it is further off than any value.
                let far = rank(value).map(|n| (&n - &own).abs());
                (far.is_none(), far)
            });
        }
        (values, complete)
    }
}

fn rank(value: &Value) -> Option<Number> {
    match value {
        Value::Number(n) => Some(n.clone()),
        Value::Bool(b) => Some(Number::int(i64::from(*b))),
        Value::Label(rank) => Some(Number::int(i64::from(*rank))),
        _ => None,
    }
}

/// Some values of a type that has too many.
fn some_of(ty: &Type) -> Vec<Value> {
    let mut values: Vec<Value> = match &ty.base {
        Base::Int { lo, hi } | Base::Score { lo, hi } => {
            let whole = matches!(ty.base, Base::Int { .. });
            let width = hi - lo;
            let at = |n: i64| Number::ratio(n, 20).map(|share| lo + &(&width * &share));
            let mut found: Vec<Number> = (0..=20).filter_map(at).map(|n| if whole { n.floor() } else { n }).collect();
            found.dedup();
            found.into_iter().map(Value::Number).collect()
        }
        Base::Tally { labels, max } => {
            let count = labels.len();
            let mut found = vec![Value::Tally(vec![0; count].into()), Value::Tally(vec![*max; count].into())];
            for at in 0..count.min(16) {
                let one = |n: u32| Value::Tally((0..count).map(|l| if l == at { n } else { 0 }).collect());
                found.extend([1, 2, 5, *max].into_iter().filter(|n| n <= max).map(one));
            }
            found.dedup();
            found
        }
        Base::Set(labels) => {
            let count = u32::try_from(labels.len()).unwrap_or(0);
            let mut found = vec![Value::Set([].into()), Value::Set((0..count).collect())];
            found.extend((0..count.min(32)).map(|label| Value::Set([label].into())));
            found
        }
        Base::Ordinal(labels) | Base::Choice(labels) => {
            (0..u32::try_from(labels.len()).unwrap_or(0)).map(Value::Label).collect()
        }
        Base::Bool | Base::Real | Base::Items => Vec::new(),
    };
    if ty.optional {
        values.push(Value::Unknown);
    }
    values
}
