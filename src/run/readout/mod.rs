//! Readouts: from what is known of the nodes to what a program says outside.
//!
//! A [`Reader`] is a readout made ready. A pointwise one maps the value of each candidate; a pairwise or listwise one
//! compares the candidates of a record. All of them work on what is known so far: where judgments are missing, they go by the
//! bounds of the nodes, the candidates taken as independent of each other, and are decided all the same where everything
//! within the bounds comes to one outcome ([`Reading::decided_by_bounds`] says so). Otherwise the outcome is
//! [`Outcome::Open`], with what is still possible.
//!
//! A readout abstains where the sink is unknown, whatever it reads, and where its own node is unknown; a comparison abstains
//! where that is so for any of the candidates.
//!
//! *Architecture Invariant:* nothing here depends on the order of the candidates, except `tie: first`, which says so.

mod keys;
mod ranking;
mod show;
mod top;

use super::bounds::{Bounds, Known};
use super::evaluate::{States, Step, UNKNOWN, range};
use crate::catalog::{Input, NodeId, Op, Operation, Parameters, Params, Port};
use crate::graph::{Mode, Program, Readout, ReadoutKind, Tie};
use crate::number::Number;
use crate::types::{Type, Value};
use std::cell::Cell;

/// What a readout came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Pointwise: a value of the readout's type, never `unknown`.
    Value(Value),
    Abstained,
    /// Pairwise and `best`: the place (from 0) of the candidate that wins.
    Winner(usize),
    Tie,
    /// `ranking`: the rank of each candidate, from 1; equal candidates share one, and the next rank is left out (1 2 2 4).
    Ranking(Vec<u32>),
    /// Judgments are missing that it depends on.
    Open(Possible),
}

/// What an open readout may still become. It may hold more than can really come about, never less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Possible {
    /// Bounds of the value; `unknown` stands for abstaining.
    Value(Bounds),
    /// The places (from 0, ascending) of those that may win, and what else may come out.
    Top { winners: Vec<usize>, tie: bool, abstained: bool },
    /// The best and the worst rank of each candidate.
    Ranking { ranks: Vec<(u32, u32)>, abstained: bool },
}

/// An outcome, and how it was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub outcome: Outcome,
    /// Decided although a judgment is missing that the readout reads.
    pub decided_by_bounds: bool,
}

impl Reading {
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Open(_))
    }
}

/// A candidate of a record.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub id: &'a str,
    pub states: &'a States,
}

/// Whether a readout of this mode is produced for a record with so many candidates.
#[must_use]
pub fn fits(mode: Mode, candidates: usize) -> bool {
    match mode {
        Mode::Pointwise => candidates >= 1,
        Mode::Pairwise => candidates == 2,
        Mode::Listwise => candidates >= 2,
    }
}

/// A readout made ready.
#[derive(Debug, Clone)]
pub struct Reader {
    mode: Mode,
    source: NodeId,
    sink: NodeId,
    /// Of the node that is read.
    source_type: Type,
    /// Pointwise: what is done to the value; `None` where it is read as it is.
    map: Option<Step>,
    kind: ReadoutKind,
}

/// All readouts of a program, in its order.
#[must_use]
pub fn readers(program: &Program) -> Vec<Reader> {
    program.readouts.iter().map(|readout| Reader::new(program, readout)).collect()
}

impl Reader {
    #[must_use]
    pub fn new(program: &Program, readout: &Readout) -> Reader {
        Reader::over(program, readout, program.sink)
    }

    /// A readout that abstains where this node is unknown, rather than the program's sink.
    #[must_use]
    pub fn over(program: &Program, readout: &Readout, sink: NodeId) -> Reader {
        let source_type = program.node(readout.source).map_or(Type::BOOL, |node| node.ty.clone());
        let type_of = |id: NodeId| program.node(id).map(|node| node.ty.clone());
        let map = mapping(readout).map(|operation| Step::new(&operation, &readout.ty, &type_of));
        Reader { mode: readout.mode, source: readout.source, sink, source_type, map, kind: readout.kind.clone() }
    }

    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The outcome of a pointwise readout for one candidate.
    #[must_use]
    pub fn one(&self, states: &States) -> Reading {
        if let (Some(value), Some(sink)) = (states.computed(self.source), states.computed(self.sink)) {
            let mapped = match &self.map {
                _ if sink.is_unknown() => &UNKNOWN,
                None => value,
                Some(step) => {
                    let outcome = valued(step.with_first(value));
                    return Reading { outcome, decided_by_bounds: false };
                }
            };
            return Reading { outcome: valued(mapped.clone()), decided_by_bounds: false };
        }
        let abstains = self.may_abstain(states);
        let source = states.bounds(self.source);
        if abstains == Some(true) {
            return Reading { outcome: Outcome::Abstained, decided_by_bounds: true };
        }
        let known = Bounds { known: source.known, unknown: false };
        let mapped = match &self.map {
            None => known,
            Some(step) => step.hull_of_first(known),
        };
        let bounds = Bounds { unknown: abstains.is_none(), ..mapped };
        match bounds.exact() {
            Some(value) => Reading { outcome: valued(value), decided_by_bounds: true },
            None => Reading { outcome: Outcome::Open(Possible::Value(bounds)), decided_by_bounds: false },
        }
    }

    /// The outcome of a pairwise or listwise readout for the candidates of a record; `None` where it is pointwise, or where
    /// it is not for so many candidates.
    #[must_use]
    pub fn all(&self, record: &str, candidates: &[Candidate]) -> Option<Reading> {
        if self.mode == Mode::Pointwise || !fits(self.mode, candidates.len()) {
            return None;
        }
        let computed =
            |c: &Candidate| c.states.computed(self.source).is_some() && c.states.computed(self.sink).is_some();
        let by_bounds = Cell::new(!candidates.iter().all(computed));
        let abstains: Vec<Option<bool>> = candidates.iter().map(|c| self.may_abstain(c.states)).collect();
        let outcome = if abstains.contains(&Some(true)) {
            Outcome::Abstained
        } else {
            let field = Field {
                record,
                candidates,
                scores: candidates.iter().map(|c| self.score(c.states)).collect(),
                abstains: abstains.contains(&None),
                by_bounds: &by_bounds,
            };
            match &self.kind {
                ReadoutKind::Ranking { tie } => field.ranking(tie),
                ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie } => field.top(margin, tie),
                // A pointwise kind in another mode: no typed program has it.
                _ => field.ranking(&Tie::Tie),
            }
        };
        let open = matches!(outcome, Outcome::Open(_));
        Some(Reading { outcome, decided_by_bounds: by_bounds.get() && !open })
    }

    /// Whether the readout surely abstains for this candidate, surely does not, or (`None`) may.
    fn may_abstain(&self, states: &States) -> Option<bool> {
        let unknown = |node: NodeId| match states.computed(node) {
            Some(value) => Some(value.is_unknown()),
            None => {
                let bounds = states.bounds(node);
                if bounds.only_unknown() { Some(true) } else { (!bounds.unknown).then_some(false) }
            }
        };
        match (unknown(self.source), unknown(self.sink)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }
    }

    /// Between which numbers the candidate's value lies: ranks for labels, 0 and 1 for bools.
    fn score(&self, states: &States) -> (Number, Number) {
        let interval = states.bounds(self.source).interval().or_else(|| range(&self.source_type));
        interval.unwrap_or((Number::ZERO, Number::ZERO))
    }
}

/// The candidates of a record side by side.
struct Field<'a> {
    record: &'a str,
    candidates: &'a [Candidate<'a>],
    /// Between which numbers each one's value lies.
    scores: Vec<(Number, Number)>,
    /// Whether the readout may still abstain because something may be unknown.
    abstains: bool,
    /// Set where a judgment is missing that was looked at.
    by_bounds: &'a Cell<bool>,
}

fn valued(value: Value) -> Outcome {
    if value.is_unknown() { Outcome::Abstained } else { Outcome::Value(value) }
}

/// The operation by which a pointwise readout maps its node.
pub(crate) fn mapping(readout: &Readout) -> Option<Operation> {
    let node = || vec![Input::Node(readout.source)];
    let to = Some(readout.ty.clone().known());
    let (op, params) = match &readout.kind {
        ReadoutKind::Rescale => (Op::Rescale, Params { to, ..Params::default() }),
        ReadoutKind::Quantize { mode } => (Op::Quantize, Params { to, mode: Some(*mode), ..Params::default() }),
        ReadoutKind::Bands(bands) => (Op::Bands, Params { bands: bands.clone(), ..Params::default() }),
        ReadoutKind::Pass { at } => {
            let ports = vec![
                Port { name: "left", inputs: node() },
                Port { name: "right", inputs: vec![Input::Constant(at.clone())] },
            ];
            return Some(Operation { op: Op::GreaterEqual, ports, params: Parameters::default() });
        }
        ReadoutKind::Native | ReadoutKind::Prefer { .. } | ReadoutKind::Ranking { .. } | ReadoutKind::Best { .. } => {
            return None;
        }
    };
    Some(Operation { op, ports: vec![Port { name: "x", inputs: node() }], params: params.into() })
}

impl Step {
    /// The value where the first input is this one and all others are constants.
    fn with_first(&self, first: &Value) -> Value {
        let inputs: Vec<Value> = self.slots.iter().map(|input| constant_or(input, first).clone()).collect();
        self.apply(&inputs)
    }

    fn hull_of_first(&self, first: Bounds) -> Bounds {
        if first.known == Known::Nothing {
            return Bounds::default();
        }
        let bounds = |input: &Input| match input {
            Input::Constant(value) => Bounds::exactly(value),
            Input::Node(_) => first.clone(),
        };
        let inputs: Vec<Bounds> = self.slots.iter().map(bounds).collect();
        self.hull(&inputs)
    }
}

fn constant_or<'a>(input: &'a Input, first: &'a Value) -> &'a Value {
    match input {
        Input::Constant(value) => value,
        Input::Node(_) => first,
    }
}
