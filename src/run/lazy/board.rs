//! A record under way: its leaves, what the nodes may still become, and what supposing a judgment would change.

use super::share::Shares;
use super::{Want, lacks};
use crate::catalog::NodeId;
use crate::run::bounds::{Bounds, Known};
use crate::run::engine::{Engine, Read};
use crate::run::evaluate::States;
use crate::run::judgment::{Judged, JudgedLeaf};
use crate::run::leaf::{Leaf, Missing, MissingReason, blank_leaves};
use crate::run::readout::{Outcome, Possible};
use crate::types::{Base, Type, Value};

pub(super) struct Board<'a> {
    engine: &'a Engine,
    record: &'a str,
    ids: &'a [&'a str],
    /// Per candidate, one entry per node.
    leaves: Vec<Vec<Leaf>>,
    states: Vec<States>,
}

impl<'a> Board<'a> {
    pub fn new(engine: &'a Engine, record: &'a str, ids: &'a [&'a str], judged: &Judged) -> Result<Board<'a>, String> {
        let mut shared = blank_leaves(&engine.program);
        fill(&mut shared, &judged.shared);
        let of_candidate = |own: &Vec<JudgedLeaf>| {
            let mut leaves = shared.clone();
            fill(&mut leaves, own);
            leaves
        };
        let mut board = Board {
            engine,
            record,
            ids,
            leaves: judged.own.iter().map(of_candidate).collect(),
            states: vec![States::default(); judged.own.len()],
        };
        for candidate in 0..board.leaves.len() {
            board.compute(candidate);
        }
        for states in &board.states {
            states.check_complete(&engine.program)?;
        }
        Ok(board)
    }

    fn compute(&mut self, candidate: usize) {
        if let (Some(leaves), Some(states)) = (self.leaves.get(candidate), self.states.get_mut(candidate)) {
            self.engine.interpreter.states_into(leaves, states);
        }
    }

    /// Readings per candidate, and those of all candidates.
    fn open(&self) -> (Vec<Vec<Read>>, Vec<Read>) {
        let (mut pointwise, mut compared) = self.engine.readings(self.record, self.ids, &self.states);
        pointwise.iter_mut().for_each(|reads| reads.retain(|read| read.reading.is_open()));
        compared.retain(|read| read.reading.is_open());
        (pointwise, compared)
    }

    pub fn is_fixed(&self) -> bool {
        let (pointwise, compared) = self.open();
        compared.is_empty() && pointwise.iter().all(Vec::is_empty)
    }

    /// Whether every node is computed as far as it goes; supposing a judgment may make one impossible.
    fn is_sound(&self) -> bool {
        self.states.iter().all(|states| states.check_complete(&self.engine.program).is_ok())
    }

    /// How far the readouts are from being fixed: 0 where they are; each open one counts one, and up to one more by what is
    /// still possible.
    pub fn openness(&self) -> f64 {
        let (pointwise, compared) = self.open();
        let program = &self.engine.program;
        let width = |states: &States, node: NodeId| {
            program.node(node).map_or(0.0, |node_of| relative(&states.bounds(node), &node_of.ty))
        };
        let mut total = 0.0;
        for (states, reads) in self.states.iter().zip(&pointwise) {
            for read in reads {
                let Some(readout) = program.readouts.get(read.readout) else { continue };
                let outside = match &read.reading.outcome {
                    Outcome::Open(Possible::Value(bounds)) => relative(bounds, &readout.ty),
                    _ => 1.0,
                };
                // What comes out may hardly move while its node does.
                total += 1.0 + (outside + width(states, readout.source)) / 2.0;
            }
        }
        for read in &compared {
            let Some(readout) = program.readouts.get(read.readout) else { continue };
            let widths = self.states.iter().map(|states| width(states, readout.source));
            #[expect(clippy::cast_precision_loss, reason = "a handful of candidates")]
            let count = self.states.len().max(1) as f64;
            total += 1.0 + widths.sum::<f64>() / count;
        }
        total
    }

    /// What of `before` the values of a leaf close on average, each supposed in turn.
    pub fn closes(&mut self, want: &Want, values: &[Value], before: f64) -> f64 {
        let mut closed = 0.0;
        let mut weight = 0.0;
        let candidates = match want.candidate {
            Some(candidate) => candidate..candidate + 1,
            None => 0..self.leaves.len(),
        };
        let kept: Vec<Option<Leaf>> = candidates.clone().map(|c| self.leaf(c, want.node).cloned()).collect();
        let kept_states: Vec<States> = self.states.get(candidates.clone()).map_or_else(Vec::new, <[States]>::to_vec);
        for value in values {
            // A judge that abstains is the exception.
            let often = if value.is_unknown() { 0.2 } else { 1.0 };
            for candidate in candidates.clone() {
                self.suppose(candidate, want, value);
                self.compute(candidate);
            }
            weight += often;
            if self.is_sound() {
                closed += often * (before - self.openness());
            }
        }
        for ((candidate, leaf), states) in candidates.zip(kept).zip(kept_states) {
            if let (Some(leaf), Some(place)) = (leaf, self.leaf_mut(candidate, want.node)) {
                *place = leaf;
            }
            if let Some(place) = self.states.get_mut(candidate) {
                *place = states;
            }
        }
        if weight > 0.0 { closed / weight } else { 0.0 }
    }

    fn suppose(&mut self, candidate: usize, want: &Want, value: &Value) {
        let Some(leaf) = self.leaf_mut(candidate, want.node) else { return };
        match (leaf, want.item) {
            (Leaf::Items(items), Some(item)) => {
                if let Some(item) = items.get_mut(item) {
                    item.met = Ok(value.as_bool());
                }
            }
            (leaf, _) => *leaf = Leaf::Known(value.clone()),
        }
    }

    /// Makes a leaf missing, or known as it is in `judged`; for looking back at what was needed.
    pub fn set(&mut self, want: &Want, known: Option<&Leaf>) {
        let candidates = match want.candidate {
            Some(candidate) => candidate..candidate + 1,
            None => 0..self.leaves.len(),
        };
        for candidate in candidates {
            let Some(leaf) = self.leaf_mut(candidate, want.node) else { continue };
            match (leaf, want.item, known) {
                (Leaf::Items(items), Some(at), Some(Leaf::Items(full))) => {
                    if let (Some(item), Some(full)) = (items.get_mut(at), full.get(at)) {
                        item.met.clone_from(&full.met);
                    }
                }
                (Leaf::Items(items), Some(at), None) => {
                    if let Some(item) = items.get_mut(at) {
                        item.met = Err(Missing::because(MissingReason::NotRecorded));
                    }
                }
                (leaf, _, Some(known)) => leaf.clone_from(known),
                (leaf, _, None) => *leaf = Leaf::Missing(Missing::because(MissingReason::NotRecorded)),
            }
            self.compute(candidate);
        }
    }

    pub fn leaf(&self, candidate: usize, node: NodeId) -> Option<&Leaf> {
        self.leaves.get(candidate)?.get(node.index())
    }

    fn leaf_mut(&mut self, candidate: usize, node: NodeId) -> Option<&mut Leaf> {
        self.leaves.get_mut(candidate)?.get_mut(node.index())
    }

    /// Everything that lacks a judgment, shared leaves once.
    pub fn missing(&self) -> impl Iterator<Item = Want> {
        let layout = &self.engine.layout;
        let of = move |candidate: usize, shared: bool| {
            let wanted = layout.leaves.iter().filter(move |leaf| layout.is_shared(**leaf) == shared);
            let place = (!shared).then_some(candidate);
            wanted.flat_map(move |node| {
                let leaf = self.leaf(candidate, *node).filter(|leaf| lacks(leaf));
                let items = match leaf {
                    None => Vec::new(),
                    Some(Leaf::Items(items)) => (0..items.len())
                        .filter(|at| items.get(*at).is_some_and(|item| item.met.is_err()))
                        .map(Some)
                        .collect(),
                    Some(_) => vec![None],
                };
                items.into_iter().map(move |item| Want { candidate: place, node: *node, item })
            })
        };
        of(0, true).chain((0..self.leaves.len()).flat_map(move |candidate| of(candidate, false)))
    }

    /// The part of every leaf in what is still open.
    pub fn shares(&self) -> Shares {
        let program = &self.engine.program;
        let (pointwise, compared) = self.open();
        let mut shares = Shares::new(program, self.states.len());
        for (candidate, (states, reads)) in self.states.iter().zip(&pointwise).enumerate() {
            let mut roots = Vec::new();
            for read in reads.iter().chain(&compared) {
                let Some(readout) = program.readouts.get(read.readout) else { continue };
                roots.extend(readout.reads(program.sink));
            }
            shares.walk(program, candidate, states, &roots);
        }
        shares.of_items(&self.leaves);
        shares
    }
}

fn fill(leaves: &mut [Leaf], judged: &[JudgedLeaf]) {
    for one in judged {
        if let Some(leaf) = leaves.get_mut(one.node.index()) {
            leaf.clone_from(&one.leaf);
        }
    }
}

/// How much of a type's values is still possible: 0 where one is left, 1 where all are.
fn relative(bounds: &Bounds, ty: &Type) -> f64 {
    if bounds.exact().is_some() {
        return 0.0;
    }
    let whole = match &ty.base {
        Base::Int { lo, hi } | Base::Score { lo, hi } => (hi - lo).to_f64(),
        Base::Ordinal(labels) | Base::Choice(labels) => {
            f64::from(u32::try_from(labels.len().saturating_sub(1)).unwrap_or(u32::MAX))
        }
        _ => 0.0,
    };
    let left = match &bounds.known {
        Known::Numbers { lo, hi, .. } => (hi - lo).to_f64(),
        Known::Labels(ranks) => f64::from(u32::try_from(ranks.len().saturating_sub(1)).unwrap_or(u32::MAX)),
        Known::Nothing => 0.0,
        _ => return 1.0,
    };
    let part = if whole > 0.0 { (left / whole).clamp(0.0, 1.0) } else { 1.0 };
    if bounds.unknown { 0.1 + 0.9 * part } else { part }
}
