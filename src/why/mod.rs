//! Why a record came out as it did: the way from its judgments to its readouts, and what would have changed them.
//!
//! [`explain`] takes a record of a trace and gives, for every node on the way to the readouts, what each slot contributed
//! ([`slots`]), which gates fired, the fewest judgments whose change flips each readout ([`flip`]), and, where judgments are
//! missing, which of them would decide. [`json`] writes it as published in `grammar/why.schema.json`.
//!
//! [`influence`] asks the same of a program alone: how far each judgment can reach at all.
//!
//! *Architecture Invariant:* everything is computed from the judgments in the trace; no judge is asked.

pub mod flip;
pub mod influence;
pub mod json;
mod limited;
pub mod slots;
pub mod way;
mod world;

use crate::catalog::NodeId;
use crate::graph::Mode;
use crate::run::engine::Engine;
use crate::run::judgment::Judged;
use crate::run::readout::Reading;
use crate::types::Value;
use flip::{Effort, Flip, Lacking};
use slots::{How, Slot};
pub use world::{Target, Variable, World};

/// Why a record came out as it did.
#[derive(Debug)]
pub struct Explanation {
    pub readouts: Vec<ReadoutWhy>,
    /// Per candidate that is spoken of: its place, and the nodes on the way, readers before what they read.
    pub ways: Vec<(usize, Vec<NodeWhy>)>,
    /// All judgments of the record.
    pub variables: Vec<Judgment>,
}

/// A judgment as messages call it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    pub name: String,
    pub of: Variable,
}

/// A readout, and what would flip it.
#[derive(Debug)]
pub struct ReadoutWhy {
    pub target: Target,
    pub reading: Reading,
    pub flip: Flip,
    /// Missing judgments that it depends on.
    pub lacking: Vec<Lacking>,
}

/// A node on the way.
#[derive(Debug)]
pub struct NodeWhy {
    pub node: NodeId,
    /// As the author calls it, or writes it where it has no name.
    pub name: String,
    /// What it computes, as written; empty for what is judged.
    pub whole: String,
    /// `None`: not known yet; then `bounds` say what it may be.
    pub value: Option<Value>,
    pub bounds: String,
    pub how: How,
    pub slots: Vec<Slot>,
    /// Of a gate: whether it fired (`None`: not known).
    pub gate: Option<Option<bool>>,
    /// Whether somebody reads it under a name of its own, rather than as part of its reader.
    pub named: bool,
}

/// Which candidates and readouts are explained.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// `None`: all of them.
    pub candidate: Option<usize>,
    pub effort: Option<Effort>,
}

/// Explains a record.
#[must_use]
pub fn explain(engine: &Engine, record: &str, ids: &[Option<String>], judged: &Judged, wanted: Wanted) -> Explanation {
    let mut world = World::new(engine, record, ids, judged);
    let effort = wanted.effort.unwrap_or_default();
    let places: Vec<usize> = match wanted.candidate {
        Some(place) => vec![place],
        None => (0..world.candidates()).collect(),
    };
    let mut targets = Vec::new();
    for (readout, entry) in engine.program.readouts.iter().enumerate() {
        match entry.mode {
            Mode::Pointwise => {
                targets.extend(places.iter().map(|place| Target { readout, candidate: Some(*place) }));
            }
            _ => targets.push(Target { readout, candidate: None }),
        }
    }
    let mut readouts = Vec::new();
    for target in targets {
        let Some(reading) = world.read(target) else { continue };
        let flip = flip::flip(&mut world, target, effort);
        let lacking = flip::lacking(&mut world, target);
        readouts.push(ReadoutWhy { target, reading, flip, lacking });
    }
    let ways = way::ways(engine, judged, &places);
    let variables = world.variables.iter().map(|v| Judgment { name: world.name(v), of: v.clone() }).collect();
    Explanation { readouts, ways, variables }
}
