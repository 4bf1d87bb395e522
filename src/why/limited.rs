//! What every node may be if only so many judgments change.
//!
//! For each number of changes from none to `most`, one pass over the nodes: a leaf is what it is with none and anything
//! with one; an operator is the hull over its inputs. Where an operator adds its slots up and their parts of the program are
//! apart from each other, the changes are shared out among the slots, best first, which is what keeps a single change to one
//! item of forty-five from moving them all.
//!
//! *Architecture Invariant:* the bounds hold every value that the node takes under any choice of so many changes; they may
//! hold more.

use crate::catalog::{Input, NodeId};
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::run::Leaf;
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use crate::types::Type;

/// How freely a leaf may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// It stays as it is.
    Fixed,
    /// It may be anything, for one change.
    Change,
    /// It may be anything, for nothing.
    Free,
}

/// A program made ready for bounds under few changes.
pub struct Limited {
    works: Vec<Work>,
}

enum Work {
    Leaf,
    Step {
        step: Box<Step>,
        /// Of an operator that adds up: the factor of each slot, and whether the slot shares nothing with the others.
        shares: Option<Vec<(Number, bool)>>,
    },
    /// Not below what is asked for.
    Unused,
}

impl Limited {
    /// For the nodes below `roots`.
    #[must_use]
    pub fn new(program: &Program, roots: &[NodeId]) -> Limited {
        let cone = crate::mutate::below(program, roots.iter().copied());
        let mut reads = vec![0_u32; program.nodes.len()];
        let mut count = |id: NodeId| {
            if let Some(n) = reads.get_mut(id.index()) {
                *n += 1;
            }
        };
        roots.iter().for_each(|id| count(*id));
        for id in &cone {
            if let Some(NodeKind::Operator(operation)) = program.node(*id).map(|n| &n.kind) {
                operation.sources().for_each(&mut count);
            }
        }
        // Whether everything at and below a node is read once.
        let mut apart = vec![false; program.nodes.len()];
        let type_of = |id: NodeId| program.node(id).map(|n| n.ty.clone());
        let mut works = Vec::with_capacity(program.nodes.len());
        for (node, at) in program.nodes.iter().zip(0..) {
            let id = NodeId(at);
            if !cone.contains(&id) {
                works.push(Work::Unused);
                continue;
            }
            let once = reads.get(id.index()) == Some(&1);
            let is_apart = |source: NodeId, apart: &[bool]| apart.get(source.index()) == Some(&true);
            let (work, own) = match &node.kind {
                NodeKind::Operator(operation) => {
                    let own = once && operation.sources().all(|source| is_apart(source, &apart));
                    let shares = operation.shares().map(|shares| {
                        let slot = |(share, input): (Number, &Input)| {
                            (share, input.node().is_none_or(|source| is_apart(source, &apart)))
                        };
                        shares.into_iter().zip(operation.port("x")).map(slot).collect()
                    });
                    (Work::Step { step: Box::new(Step::new(operation, &node.ty, &type_of)), shares }, own)
                }
                _ => (Work::Leaf, once),
            };
            if let Some(slot) = apart.get_mut(id.index()) {
                *slot = own;
            }
            works.push(work);
        }
        Limited { works }
    }

    /// Per number of changes from 0 to `most`, the bounds of every node. `leaf` gives the state of a leaf, `freedom` how
    /// freely it may change.
    #[must_use]
    pub fn bounds(
        &self,
        program: &Program,
        most: usize,
        leaf: &dyn Fn(NodeId) -> Option<Leaf>,
        freedom: &dyn Fn(NodeId) -> Freedom,
    ) -> Vec<Vec<Bounds>> {
        let mut all: Vec<Vec<Bounds>> = vec![Vec::with_capacity(self.works.len()); most + 1];
        for ((work, node), at) in self.works.iter().zip(&program.nodes).zip(0..) {
            let id = NodeId(at);
            match work {
                Work::Unused => all.iter_mut().for_each(|bounds| bounds.push(Bounds::default())),
                Work::Leaf => {
                    let fixed = leaf(id).map_or_else(Bounds::default, |leaf| of_leaf(&leaf, &node.ty));
                    let anything = Bounds::of(&node.ty);
                    let freedom = freedom(id);
                    for (changes, bounds) in all.iter_mut().enumerate() {
                        let free = freedom == Freedom::Free || (freedom == Freedom::Change && changes > 0);
                        bounds.push(if free { anything.clone() } else { fixed.clone() });
                    }
                }
                Work::Step { step, shares } => {
                    for changes in 0..=most {
                        let found = self.step(step, shares.as_deref(), changes, &all);
                        if let Some(bounds) = all.get_mut(changes) {
                            bounds.push(found);
                        }
                    }
                }
            }
        }
        all
    }

    fn step(&self, step: &Step, shares: Option<&[(Number, bool)]>, changes: usize, all: &[Vec<Bounds>]) -> Bounds {
        let input = |input: &Input, changes: usize| match input {
            Input::Constant(value) => Bounds::exactly(value),
            Input::Node(id) => all.get(changes).and_then(|b| b.get(id.index())).cloned().unwrap_or_default(),
        };
        let inputs: Vec<Bounds> = step.inputs().iter().map(|i| input(i, changes)).collect();
        let hull = step.hull(&inputs);
        let Some(shares) = shares.filter(|shares| shares.len() == step.inputs().len() && changes > 0) else {
            return hull;
        };
        let Known::Numbers { lo, hi, whole } = &hull.known else { return hull };
        let mut ends = Vec::with_capacity(2);
        for highest in [false, true] {
            // Per slot and number of changes, the most that it adds (the least, as a negative number, for the low end).
            let mut fixed = Number::ZERO;
            let mut best: Vec<Number> = vec![Number::ZERO; changes + 1];
            for (slot, (share, apart)) in step.inputs().iter().zip(shares) {
                let end = |changes: usize| -> Option<Number> {
                    let bounds = input(slot, changes);
                    if bounds.unknown {
                        return None;
                    }
                    let (lo, hi) = bounds.interval()?;
                    let (a, b) = (share * &lo, share * &hi);
                    Some(if (a > b) == highest { a } else { b })
                };
                if !apart {
                    let Some(most) = end(changes) else { return hull };
                    fixed = &fixed + &most;
                    continue;
                }
                let Some(none) = end(0) else { return hull };
                let mut gains = Vec::with_capacity(changes);
                for changes in 1..=changes {
                    let Some(most) = end(changes) else { return hull };
                    gains.push(if highest { &most - &none } else { &none - &most });
                }
                fixed = &fixed + &none;
                if gains.iter().all(Number::is_zero) {
                    continue;
                }
                for total in (1..=changes).rev() {
                    let with = |used: usize| Some(best.get(total - used)? + gains.get(used - 1)?);
                    let found = (1..=total).filter_map(with).max();
                    if let (Some(found), Some(entry)) = (found, best.get_mut(total))
                        && found > *entry
                    {
                        *entry = found;
                    }
                }
            }
            let gain = best.into_iter().max().unwrap_or(Number::ZERO);
            ends.push(if highest { &fixed + &gain } else { &fixed - &gain });
        }
        let [low, high] = ends.as_slice() else { return hull };
        let known = Known::Numbers { lo: lo.clone().max(low.clone()), hi: hi.clone().min(high.clone()), whole: *whole };
        Bounds { known, unknown: hull.unknown }
    }
}

/// What a leaf is, as far as it is judged.
fn of_leaf(leaf: &Leaf, ty: &Type) -> Bounds {
    match leaf {
        Leaf::Known(value) => Bounds::exactly(value),
        Leaf::Missing(_) => Bounds::of(ty),
        // An item without a judgment may be unknown too, which is more than its type may hold.
        Leaf::Items(_) => Bounds::of_items(Some(leaf), true),
    }
}
