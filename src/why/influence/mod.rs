//! How far each judgment reaches: the most that it can move the sink, which readouts it can decide, which gates silence it.
//!
//! The most that a judgment moves the sink is the greatest difference of the sink between two values of it, all others being
//! the same, over all of them; ranks count for ordinals, 0 and 1 for bools. From below it is found by trying; that there
//! is no more is shown by a bound ([`delta`]), else asked of the prover, over the program and a copy of it in which this one judgment is another
//! ([`crate::graph::twin`]). So it is exact, or lies between two numbers of which both are proved.
//!
//! A gate *can silence* a judgment where it was seen to: it fired, its base moved with the judgment, and nothing came out of
//! that. Gates that were not seen to may still do so.

mod delta;

use crate::catalog::table::Family;
use crate::catalog::{Input, NodeId, Op, Operation, Params, Port};
use crate::graph::spec::{Comparison, Condition, Operand};
use crate::graph::twin::{Bench, Edit};
use crate::graph::{Mode, Node, NodeKind, Program};
use crate::mutate::{Dice, below, differ, tried};
use crate::number::Number;
use crate::prove::{self, Budget, Found, Query, Shared};
use crate::run::evaluate::{Interpreter, States};
use crate::run::readout::{Candidate, Outcome, Reader, readers};
use crate::run::record::Layout;
use crate::run::{Leaf, blank_leaves};
use crate::types::{Base, Type, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Criteria that are looked at; a seeded sample where there are more.
    pub most: usize,
    pub seed: u64,
    /// Nothing is asked of the prover after that, and no other criterion is begun.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { most: 300, seed: 0, time: Duration::from_secs(60) }
    }
}

/// Nodes times evaluations for one criterion.
const WORK: usize = 400_000;
/// Values of the judgment that are tried against each other.
const MOST_VALUES: usize = 9;
/// Questions to the prover about one criterion's reach.
const MOST_QUESTIONS: usize = 14;
const EACH: Budget = Budget { boxes: 2_000, time: Duration::from_millis(150) };

/// Whether a judgment can decide a readout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decides {
    /// Two assignments that differ in nothing else were found between which it differs.
    Yes,
    /// There are none: proved.
    Never,
    /// None were found.
    NotFound,
}

/// How far one judgment reaches.
#[derive(Debug, Clone)]
pub struct Reach {
    pub node: NodeId,
    /// The sink moves by at least so much: seen.
    pub at_least: Number,
    /// And by no more than that: proved. Equal to `at_least` where it is exact.
    pub at_most: Number,
    /// Per readout of the program.
    pub decides: Vec<Decides>,
    /// Gates that were seen to silence it.
    pub silenced: Vec<NodeId>,
    /// It reaches neither a readout nor what breaks its ties.
    pub apart: bool,
}

impl Reach {
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.at_least == self.at_most
    }

    /// Whether it is proved that it never matters to any readout.
    #[must_use]
    pub fn never_matters(&self) -> bool {
        self.at_most.is_zero() && self.decides.iter().all(|decides| *decides == Decides::Never)
    }
}

/// The reach of a program's judgments.
#[derive(Debug, Clone, Default)]
pub struct Influence {
    /// In the order of the program.
    pub reaches: Vec<Reach>,
    /// All criteria, items of checklists included.
    pub criteria: usize,
    pub timed_out: bool,
    /// Of each `checklist … from` all its items together: from one list of items to another. What a single one moves depends
    /// on its points, which come with the record.
    pub lists: Vec<Reach>,
}

/// Finds out how far the judgments of a program reach.
#[must_use]
pub fn influence(program: &Arc<Program>, options: &Options) -> Influence {
    let started = Instant::now();
    let is_criterion = |node: &Node| matches!(node.kind, NodeKind::Criterion(_));
    let nodes = || (0..).map(NodeId).zip(&program.nodes);
    let criteria: Vec<NodeId> = nodes().filter(|(_, node)| is_criterion(node)).map(|(id, _)| id).collect();
    let lists = nodes().filter(|(_, node)| matches!(node.kind, NodeKind::Items { .. })).map(|(id, _)| id);
    let lists: Vec<NodeId> = lists.collect();
    let mut found = Influence { criteria: criteria.len(), ..Influence::default() };
    let mut survey = Survey::new(program, options.seed);
    for at in Dice::new(options.seed).sample(options.most, criteria.len()) {
        let Some(node) = criteria.get(at) else { continue };
        if started.elapsed() > options.time {
            found.timed_out = true;
            break;
        }
        let end = started + options.time;
        found.reaches.push(survey.reach(*node, end));
    }
    for list in lists {
        if started.elapsed() > options.time {
            found.timed_out = true;
            break;
        }
        found.lists.push(survey.reach(list, started + options.time));
    }
    found
}

struct Survey {
    program: Arc<Program>,
    bench: Bench,
    interpreter: Interpreter,
    readers: Vec<Reader>,
    /// Leaves that matter to a readout, with values to try.
    leaves: Vec<(NodeId, Vec<Value>)>,
    layout: Layout,
    /// What some readout looks at.
    cone: BTreeSet<NodeId>,
    /// How far the sink can move at all.
    width: Number,
    /// The sink is a choice.
    unordered: bool,
    dice: Dice,
}

/// What was seen while trying.
#[derive(Default)]
struct Seen {
    moved: Option<Number>,
    decides: Vec<bool>,
    silenced: BTreeSet<NodeId>,
}

impl Survey {
    fn new(program: &Arc<Program>, seed: u64) -> Survey {
        let mut roots = vec![program.sink];
        for readout in &program.readouts {
            roots.push(readout.source);
            if let crate::graph::ReadoutKind::Prefer { tie, .. }
            | crate::graph::ReadoutKind::Ranking { tie }
            | crate::graph::ReadoutKind::Best { tie, .. } = &readout.kind
                && let crate::graph::Tie::By { keys, .. } = tie
            {
                roots.extend(keys);
            }
        }
        let cone = below(program, roots);
        let leaf = |id: &NodeId| {
            let node = program.node(*id)?;
            match &node.kind {
                NodeKind::Operator(_) => None,
                _ => Some((*id, tried(node))),
            }
        };
        let interpreter = Interpreter::new(program);
        let free = interpreter.states(&blank_leaves(program));
        let interval = free.bounds(program.sink).interval();
        let unordered = program.node(program.sink).is_some_and(|sink| matches!(sink.ty.base, Base::Choice(_)));
        Survey {
            bench: Bench::new(Arc::clone(program)),
            readers: readers(program),
            leaves: cone.iter().filter_map(leaf).collect(),
            layout: Layout::of(program),
            width: if unordered { Number::ONE } else { interval.map_or(Number::ZERO, |(lo, hi)| &hi - &lo) },
            unordered,
            interpreter,
            cone,
            dice: Dice::new(seed),
            program: Arc::clone(program),
        }
    }

    fn reach(&mut self, node: NodeId, end: Instant) -> Reach {
        let readouts = self.program.readouts.len();
        let zero = || Number::ZERO;
        if !self.cone.contains(&node) {
            let decides = vec![Decides::Never; readouts];
            return Reach { node, at_least: zero(), at_most: zero(), decides, silenced: Vec::new(), apart: true };
        }
        let seen = self.seen(node);
        let mut at_least = seen.moved.unwrap_or_else(zero);
        let mut at_most = self.width.clone().max(at_least.clone());
        let reached = self.bench.reached([node]);
        if reached.contains(&self.program.sink) {
            let bound = delta::bound(&self.program, &self.interpreter, node, &reached, &at_least);
            at_most = at_most.min(bound).max(at_least.clone());
            // The prover has no copy of a list whose items are not known yet.
            if self.program.node(node).is_some_and(|node| !matches!(node.kind, NodeKind::Items { .. })) {
                self.bounded(node, &mut at_least, &mut at_most, end);
            }
        } else {
            at_most = zero();
        }
        let mut decides = Vec::with_capacity(readouts);
        for readout in 0..readouts {
            let yes = seen.decides.get(readout) == Some(&true);
            decides.push(if yes { Decides::Yes } else { self.decided(node, readout, &at_most, end) });
        }
        Reach { node, at_least, at_most, decides, silenced: seen.silenced.into_iter().collect(), apart: false }
    }

    /// Tries values of the judgment against each other, all others being the same.
    fn seen(&mut self, node: NodeId) -> Seen {
        let mut seen = Seen { decides: vec![false; self.program.readouts.len()], ..Seen::default() };
        let Some((_, values)) = self.leaves.iter().find(|(id, _)| *id == node).cloned() else { return seen };
        let values = spread(&values);
        let nodes = self.program.nodes.len().max(1);
        let rounds = (WORK / nodes / values.len().max(1)).clamp(4, 400);
        let reached = self.bench.reached([node]);
        let gates: Vec<NodeId> = reached
            .iter()
            .filter(|id| {
                let Some(NodeKind::Operator(operation)) = self.program.node(**id).map(|n| &n.kind) else {
                    return false;
                };
                let base = operation.one("base").and_then(Input::node);
                operation.op.family() == Family::Gate
                    && base.is_some_and(|base| reached.contains(&base) || base == node)
            })
            .copied()
            .collect();
        let pairwise = self.readers.iter().any(|reader| reader.mode() != Mode::Pointwise);
        for round in 0..rounds {
            let mut leaves = self.point(round);
            let mut states = Vec::with_capacity(values.len());
            for value in &values {
                if let Some(leaf) = leaves.get_mut(node.index()) {
                    *leaf = Leaf::Known(value.clone());
                }
                let found = self.interpreter.states(&leaves);
                if found.check_complete(&self.program).is_ok() {
                    states.push(found);
                }
            }
            self.compare(&states, &gates, &mut seen);
            if pairwise {
                self.compare_pairs(node, round, &leaves, &states, &mut seen);
            }
        }
        seen
    }

    /// All leaves at one of their values: first the ends, then unknown where that can be, then at random.
    fn point(&mut self, round: usize) -> Vec<Leaf> {
        let mut leaves = blank_leaves(&self.program);
        for (id, values) in &self.leaves {
            let value = match round {
                0 => values.first(),
                1 => values.last(),
                // Where the others abstain, one judgment may be all that is left.
                2 => values.iter().find(|value| value.is_unknown()).or(values.first()),
                _ => self.dice.pick(values),
            };
            if let (Some(leaf), Some(value)) = (leaves.get_mut(id.index()), value) {
                *leaf = Leaf::Known(value.clone());
            }
        }
        leaves
    }

    fn compare(&self, states: &[States], gates: &[NodeId], seen: &mut Seen) {
        let number = |s: &States| {
            let value = s.value(self.program.sink)?;
            // Labels of a choice are no further apart than different.
            match (&value, &states.first()?.value(self.program.sink)) {
                (Value::Label(_), Some(first)) if self.unordered => Some(Number::int(i64::from(value != *first))),
                _ => rank(&value),
            }
        };
        let numbers: Vec<Number> = states.iter().filter_map(number).collect();
        if let (Some(lo), Some(hi)) = (numbers.iter().min(), numbers.iter().max()) {
            let moved = hi - lo;
            if seen.moved.as_ref().is_none_or(|most| moved > *most) {
                seen.moved = Some(moved);
            }
        }
        for (at, reader) in self.readers.iter().enumerate() {
            if reader.mode() != Mode::Pointwise || seen.decides.get(at) == Some(&true) {
                continue;
            }
            let mut outcomes = states.iter().map(|s| reader.one(s).outcome);
            let first = outcomes.next();
            if let (Some(first), Some(entry)) = (first, seen.decides.get_mut(at)) {
                *entry = outcomes.any(|outcome| outcome != first);
            }
        }
        for gate in gates.iter().filter(|gate| !seen.silenced.contains(gate)).copied().collect::<Vec<_>>() {
            let Some(NodeKind::Operator(operation)) = self.program.node(gate).map(|n| &n.kind) else { continue };
            let input = |port: &str| operation.one(port).and_then(Input::node);
            let (Some(base), Some(trigger)) = (input("base"), input("trigger")) else { continue };
            let fires = |s: &States| match (s.value(trigger), &operation.params.unknown) {
                (Some(Value::Bool(holds)), _) => holds,
                (_, Some(policy)) => *policy == crate::catalog::UnknownPolicy::Fires,
                _ => false,
            };
            let varies = |id: NodeId| {
                states.windows(2).any(|pair| match pair {
                    [a, b] => a.value(id) != b.value(id),
                    _ => false,
                })
            };
            if states.iter().all(fires) && varies(base) && !varies(gate) {
                seen.silenced.insert(gate);
            }
        }
    }

    /// Readouts over two candidates, of which the first has the judgment at each of its values.
    fn compare_pairs(&mut self, node: NodeId, round: usize, leaves: &[Leaf], states: &[States], seen: &mut Seen) {
        // Against itself with a few judgments otherwise: near ties, which one judgment can decide.
        let mut other = leaves.to_vec();
        for _ in 0..round % 4 {
            let at = self.dice.below(self.leaves.len());
            let Some((id, values)) = self.leaves.get(at) else { continue };
            if self.layout.is_shared(*id) || *id == node {
                continue;
            }
            if let (Some(leaf), Some(value)) = (other.get_mut(id.index()), self.dice.pick(values)) {
                *leaf = Leaf::Known(value.clone());
            }
        }
        if self.layout.is_shared(node) {
            return;
        }
        let second = self.interpreter.states(&other);
        for (at, reader) in self.readers.iter().enumerate() {
            if reader.mode() == Mode::Pointwise || seen.decides.get(at) == Some(&true) {
                continue;
            }
            let mut first: Option<Outcome> = None;
            for state in states {
                let candidates = [Candidate { id: "a", states: state }, Candidate { id: "b", states: &second }];
                let Some(reading) = reader.all("r", &candidates) else { continue };
                match &first {
                    None => first = Some(reading.outcome),
                    Some(first) if *first != reading.outcome => {
                        if let Some(entry) = seen.decides.get_mut(at) {
                            *entry = true;
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Narrows how far the judgment moves the sink, by asking for more.
    fn bounded(&mut self, node: NodeId, at_least: &mut Number, at_most: &mut Number, end: Instant) {
        let Ok(changed) = self.bench.change(&[(node, Edit::Leaf)], &[]) else { return };
        let Some(factor) = self.push_difference(changed.sink) else { return };
        let difference = NodeId(u32::try_from(self.bench.program.nodes.len().saturating_sub(1)).unwrap_or(u32::MAX));
        let interpreter = Interpreter::new(&self.bench.program);
        // First whether there is anything beyond what was seen; then by halves.
        let mut ask = at_least.clone();
        for _ in 0..MOST_QUESTIONS {
            if at_least >= at_most || Instant::now() > end {
                break;
            }
            let Some(threshold) = ask.checked_div(&factor) else { break };
            let condition = Condition::Compare {
                op: Comparison::Greater,
                left: Operand::Node { candidate: 0, node: difference },
                right: Operand::Constant(Value::Number(threshold)),
            };
            let query = Query { condition: &condition, candidates: 1, shared: Shared::Unseen, held: Vec::new() };
            match prove::find(&self.bench.program, &query, &EACH).0 {
                Found::None => {
                    *at_most = ask.clone();
                    ask = at_least.clone();
                }
                Found::Undecided(_) => break,
                Found::Hit(assignment) => {
                    let mut leaves = blank_leaves(&self.bench.program);
                    for (id, leaf) in assignment.leaves.iter().flatten() {
                        if let Some(slot) = leaves.get_mut(id.index()) {
                            slot.clone_from(leaf);
                        }
                    }
                    let low = interpreter.states(&leaves).bounds(difference).interval().map(|(lo, _)| &lo * &factor);
                    // What is not named may be anything, so the lowest of it is reached.
                    let reached = low.filter(|low| low > &ask).unwrap_or_else(|| ask.clone());
                    if reached > *at_least {
                        *at_least = reached;
                    }
                    let half = Number::ratio(1, 2).unwrap_or(Number::ONE);
                    ask = &(&*at_least + &*at_most) * &half;
                }
            }
        }
    }

    /// Lays the difference of the sink and its copy behind the bench's nodes, both as numbers; the factor by which it is to be
    /// multiplied. `None` where the sink has no order.
    fn push_difference(&mut self, other: NodeId) -> Option<Number> {
        let program = &mut self.bench.program;
        let ty = program.node(self.program.sink)?.ty.clone();
        let mut sides = vec![self.program.sink, other];
        let mut factor = Number::ONE;
        let unit = Type::UNIT.with_optional(ty.optional);
        let push = |program: &mut Program, op: Op, ty: Type, ports: Vec<Port>| {
            let operation = Operation { op, ports, params: Params::default().into() };
            let kind = NodeKind::Operator(Box::new(operation));
            program.nodes.push(Node { name: "difference".into(), doc: "".into(), ty, kind, span: Default::default() });
            NodeId(u32::try_from(program.nodes.len() - 1).unwrap_or(u32::MAX))
        };
        let port = |name: &'static str, node: NodeId| Port { name, inputs: vec![Input::Node(node)] };
        let (lo, hi) = match &ty.base {
            Base::Int { lo, hi } | Base::Score { lo, hi } => (lo - hi, hi - lo),
            Base::Bool | Base::Ordinal(_) => {
                if let Base::Ordinal(labels) = &ty.base {
                    factor = Number::from(labels.len().saturating_sub(1));
                }
                for side in &mut sides {
                    *side = push(program, Op::Normalize, unit.clone(), vec![port("x", *side)]);
                }
                (-Number::ONE, Number::ONE)
            }
            _ => return None,
        };
        let [left, right] = sides.as_slice() else { return None };
        let of = Type::score(lo, hi).with_optional(ty.optional);
        push(program, Op::Subtract, of, vec![port("left", *left), port("right", *right)]);
        Some(factor)
    }

    /// Whether the prover knows that the judgment never decides a readout.
    fn decided(&mut self, node: NodeId, readout: usize, at_most: &Number, end: Instant) -> Decides {
        let Some(entry) = self.program.readouts.get(readout) else { return Decides::NotFound };
        if entry.mode != Mode::Pointwise {
            // Only a comparison by the sink alone, which it never moves, is known never to depend on it.
            let keyed = match &entry.kind {
                crate::graph::ReadoutKind::Prefer { tie, .. }
                | crate::graph::ReadoutKind::Ranking { tie }
                | crate::graph::ReadoutKind::Best { tie, .. } => matches!(tie, crate::graph::Tie::By { .. }),
                _ => true,
            };
            let known = self.program.node(self.program.sink).is_some_and(|sink| !sink.ty.optional);
            let still = at_most.is_zero() && entry.source == self.program.sink && known && !keyed;
            return if still { Decides::Never } else { Decides::NotFound };
        }
        let mut reached = self.bench.reached([node]);
        reached.insert(node);
        let sink_is_known = self.program.node(self.program.sink).is_some_and(|sink| !sink.ty.optional);
        if !reached.contains(&entry.source) && (sink_is_known || !reached.contains(&self.program.sink)) {
            return Decides::Never;
        }
        if at_most.is_zero() && entry.source == self.program.sink && sink_is_known {
            return Decides::Never;
        }
        if Instant::now() > end {
            return Decides::NotFound;
        }
        let of = |candidate| Operand::Readout { candidate, readout };
        let condition = differ(&of(0), &of(1), &Operand::Abstains);
        let shared = Shared::AllBut(vec![node]);
        let held: Vec<HashMap<NodeId, crate::run::bounds::Bounds>> = Vec::new();
        let query = Query { condition: &condition, candidates: 2, shared, held };
        match prove::find(&self.program, &query, &EACH).0 {
            Found::None => Decides::Never,
            Found::Hit(_) => Decides::Yes,
            Found::Undecided(_) => Decides::NotFound,
        }
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

/// Some of many values: the ends, and others evenly.
fn spread(values: &[Value]) -> Vec<Value> {
    if values.len() <= MOST_VALUES {
        return values.to_vec();
    }
    let last = values.len() - 1;
    (0..MOST_VALUES).filter_map(|at| values.get(at * last / (MOST_VALUES - 1)).cloned()).collect()
}
