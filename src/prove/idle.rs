//! The lint on judgments and weights that can never change anything: cheap, and only where it is proved.
//!
//! A walk backward from all that comes out, over what every node may be when nothing is judged yet. It carries along where
//! each node matters ([`super::sense`]) and does not pass a node that is the same whatever is judged. A criterion that it does
//! not reach, or whose range touches no place where it matters, cannot matter; nor can a slot of a sum that carries it past none
//! of its places ([`super::weights`]). Comparisons that always come to the same, and gates that never act, have lints of
//! their own.
//!
//! What it does not know: judgments that are never so together in truth, and weights whose unknown slots are skipped.

use super::few::Few;
use super::linear::adds_up;
use super::sense::{Place, Places};
use super::weights::Shares;
use crate::catalog::{Input, NodeId, Op, Operation};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::text::Phrases;
use crate::graph::{NodeKind, Program, ReadoutKind};
use crate::number::Number;
use crate::run::blank_leaves;
use crate::run::bounds::Bounds;
use crate::run::evaluate::{Interpreter, States, Step};
use crate::run::readout::mapping;
use std::collections::HashSet;

/// Steps of one machine word that sums may cost in all.
const WORK: usize = 2_000_000;
/// Places that a message names.
const MOST_NAMED: usize = 3;

/// How a node matters to what comes out.
#[derive(Clone)]
struct Sense {
    /// Something that comes out depends on it, be it on its being unknown.
    alive: bool,
    places: Places,
}

/// A slot of a sum that never matters.
struct Slot {
    operator: NodeId,
    source: NodeId,
    reach: Number,
    places: Vec<Place>,
}

/// A warning for each judgment that can never change a readout or an observed node, and for each weight of what otherwise
/// matters.
#[must_use]
pub fn idle(program: &Program) -> Vec<Diagnostic> {
    let states = Interpreter::new(program).states(&blank_leaves(program));
    if states.check_complete(program).is_err() {
        return Vec::new();
    }
    let mut survey = Survey::new(program, &states);
    for at in (0..program.nodes.len()).rev() {
        survey.look(NodeId(u32::try_from(at).unwrap_or(u32::MAX)));
    }
    survey.report()
}

struct Survey<'p> {
    program: &'p Program,
    states: &'p States,
    senses: Vec<Sense>,
    slots: Vec<Slot>,
    few: Few<'p>,
    work: usize,
}

impl<'p> Survey<'p> {
    fn new(program: &'p Program, states: &'p States) -> Survey<'p> {
        let still = Sense { alive: false, places: Places::nowhere() };
        let senses = vec![still; program.nodes.len()];
        let mut survey =
            Survey { program, states, senses, slots: Vec::new(), few: Few::new(program, states), work: WORK };
        for id in &program.observed {
            survey.add(*id, Places::Everywhere);
        }
        // A readout abstains where the sink is unknown, whatever it reads.
        survey.add(program.sink, Places::nowhere());
        let type_of = |id: NodeId| program.node(id).map(|node| node.ty.clone());
        for readout in &program.readouts {
            readout.reads(program.sink).filter(|id| *id != program.sink).for_each(|id| {
                survey.add(id, if id == readout.source { Places::nowhere() } else { Places::Everywhere });
            });
            let places = match mapping(readout) {
                Some(operation) if readout.kind != ReadoutKind::Rescale => {
                    let step = Step::new(&operation, &readout.ty, &type_of);
                    let inputs = survey.inputs(&operation);
                    match step.hull(&inputs).exact() {
                        // What always comes to the same has a warning of its own.
                        Some(_) => Places::Everywhere,
                        None => super::sense::back(&step, 0, &Places::Everywhere, &inputs),
                    }
                }
                _ => Places::Everywhere,
            };
            survey.add(readout.source, places);
        }
        survey
    }

    fn add(&mut self, id: NodeId, places: Places) {
        if let Some(sense) = self.senses.get_mut(id.index()) {
            sense.alive = true;
            sense.places.add(places);
        }
    }

    fn inputs(&self, operation: &Operation) -> Vec<Bounds> {
        let bounds = |input: &Input| match input {
            Input::Constant(value) => Bounds::exactly(value),
            Input::Node(id) => self.states.bounds(*id),
        };
        operation.ports.iter().flat_map(|port| &port.inputs).map(bounds).collect()
    }

    /// Carries the places of an operator back to what it reads.
    fn look(&mut self, id: NodeId) {
        let Some(Sense { alive: true, places }) = self.senses.get(id.index()).cloned() else { return };
        let Some(node) = self.program.node(id) else { return };
        let NodeKind::Operator(operation) = &node.kind else { return };
        if self.states.bounds(id).exact().is_some() {
            // A comparison that always comes to the same has a warning of its own.
            if compares(operation.op) {
                operation.sources().for_each(|source| self.add(source, Places::Everywhere));
            }
            return;
        }
        if places == Places::Everywhere && !matters_in_places(operation.op) {
            operation.sources().for_each(|source| self.add(source, Places::Everywhere));
            return;
        }
        let program = self.program;
        let step = Step::new(operation, &node.ty, &|id| program.node(id).map(|node| node.ty.clone()));
        let inputs: Vec<Bounds> = step
            .slots
            .iter()
            .map(|input| match input {
                Input::Constant(value) => Bounds::exactly(value),
                Input::Node(id) => self.states.bounds(*id),
            })
            .collect();
        let mut shares = None;
        if adds_up(operation.op) {
            let few = self.few.slots(&step, &mut self.work);
            shares = Shares::new(&step, &inputs, &few);
        }
        for (slot, input) in step.slots.iter().enumerate() {
            let Input::Node(source) = input else { continue };
            let idle = shares.as_mut().is_some_and(|shares| shares.is_idle(slot, &places, &mut self.work));
            let back = match &shares {
                Some(shares) if idle => {
                    if let (Places::At(all), Some(reach)) = (&places, shares.reach(slot)) {
                        self.slots.push(Slot { operator: id, source: *source, reach, places: all.clone() });
                    }
                    Places::nowhere()
                }
                Some(shares) => shares.back(slot, &places),
                None if adds_up(operation.op) => Places::Everywhere,
                None => super::sense::back(&step, slot, &places, &inputs),
            };
            self.add(*source, back);
        }
    }

    /// Whether a judgment is proved never to matter.
    fn is_idle(&self, id: NodeId) -> bool {
        let Some(sense) = self.senses.get(id.index()) else { return false };
        let bounds = self.states.bounds(id);
        if !sense.alive {
            return true;
        }
        match (&sense.places, bounds.interval()) {
            _ if bounds.unknown => false,
            (Places::At(all), None) => all.is_empty(),
            (places, Some((lo, hi))) => !places.touched(&lo, &hi),
            (Places::Everywhere, None) => false,
        }
    }

    fn report(&self) -> Vec<Diagnostic> {
        let phrases = Phrases::new(self.program);
        let mut found = Vec::new();
        // Judgments of which a warning about a weight says enough.
        let mut said: HashSet<NodeId> = HashSet::new();
        for slot in &self.slots {
            let leaf = self.only_leaf(slot.source);
            if leaf.is_some_and(|leaf| self.is_idle(leaf)) || !self.is_alive(slot.operator) {
                continue;
            }
            let Some(node) = self.program.node(slot.operator) else { continue };
            self.below(slot.source, &mut said);
            let headline = format!("the weight of `{}` in `{}` can never matter", phrases.of(slot.source), node.name);
            found.push(
                Diagnostic::warning(Code::NEVER_MATTERS, node.span, headline, self.label(slot)).help(WEIGHT_HELP),
            );
        }
        for (node, at) in self.program.nodes.iter().zip(0..) {
            let id = NodeId(at);
            if matches!(node.kind, NodeKind::Operator(_)) || !self.is_idle(id) || said.contains(&id) {
                continue;
            }
            let headline = format!("`{}` can never change what comes out", node.name);
            let slot = self.slots.iter().find(|slot| self.only_leaf(slot.source) == Some(id));
            let (label, help) = match slot.filter(|_| self.senses.get(id.index()).is_some_and(|sense| sense.alive)) {
                Some(slot) => (self.label(slot), WEIGHT_HELP),
                None => ("whatever it is, the readouts say the same".to_owned(), HELP),
            };
            found.push(Diagnostic::warning(Code::NEVER_MATTERS, node.span, headline, label).help(help));
        }
        found
    }

    fn is_alive(&self, id: NodeId) -> bool {
        self.senses.get(id.index()).is_some_and(|sense| sense.alive)
    }

    /// A node and all that it depends on.
    fn below(&self, id: NodeId, into: &mut HashSet<NodeId>) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if into.insert(id)
                && let Some(NodeKind::Operator(operation)) = self.program.node(id).map(|node| &node.kind)
            {
                open.extend(operation.sources());
            }
        }
    }

    /// The judgment that something depends on, if it is only one.
    fn only_leaf(&self, mut id: NodeId) -> Option<NodeId> {
        loop {
            let NodeKind::Operator(operation) = &self.program.node(id)?.kind else { return Some(id) };
            let mut sources = operation.sources();
            id = sources.next()?;
            if sources.next().is_some() {
                return None;
            }
        }
    }

    /// How far a weight goes, and what it never reaches.
    fn label(&self, slot: &Slot) -> String {
        let name = self.program.node(slot.operator).map_or("", |node| &*node.name);
        let mut named: Vec<String> = slot
            .places
            .iter()
            .take(MOST_NAMED)
            .map(|place| match (&place.lo.at, &place.hi.at) {
                (lo, hi) if lo == hi => lo.to_string(),
                (lo, hi) => format!("{lo} to {hi}"),
            })
            .collect();
        if slot.places.len() > MOST_NAMED {
            named.push("…".to_owned());
        }
        let reach = &slot.reach;
        format!("it moves `{name}` by {reach} at the most, never past {}", named.join(", "))
    }
}

const HELP: &str = "what reads it always says the same there, or something else always overrules it; look at the numbers \
     between it and the score, or drop it";
const WEIGHT_HELP: &str = "whatever the others are, the result stays on the same side with it and without; give it more weight, \
     move the threshold, or drop it";

fn compares(op: Op) -> bool {
    matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
}

/// Whether an operator that matters everywhere may matter less in what it reads.
fn matters_in_places(op: Op) -> bool {
    let shapes = matches!(op, Op::Clamp | Op::Round | Op::Quantize | Op::Bands | Op::Piecewise | Op::Min | Op::Max);
    shapes || compares(op) || matches!(op, Op::Cap | Op::Floor | Op::Veto | Op::Replace)
}

/// The slots of `min` and `max` that can be the least or the greatest; `None` where some may be unknown.
#[must_use]
pub fn extreme(operation: &Operation, bounds: &dyn Fn(&Input) -> Bounds) -> Option<Vec<NodeId>> {
    let slots = operation.port("x");
    let mut intervals: Vec<(Number, Number)> = Vec::with_capacity(slots.len());
    for slot in slots {
        let found = bounds(slot);
        if found.unknown {
            return None;
        }
        let (lo, hi) = found.interval()?;
        intervals.push(if operation.op == Op::Min { (lo, hi) } else { (-hi, -lo) });
    }
    // The slot that is never above this decides against all that are never below it.
    let (first, ceiling) = intervals.iter().map(|(_, hi)| hi).enumerate().min_by(|a, b| a.1.cmp(b.1))?;
    let counts = |at: usize, lo: &Number| at == first || lo < ceiling;
    let kept = slots.iter().zip(&intervals).enumerate().filter(|(at, (_, (lo, _)))| counts(*at, lo));
    Some(kept.filter_map(|(_, (slot, _))| slot.node()).collect())
}
