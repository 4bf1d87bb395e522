//! Looks for judgments on which a program and a changed copy of it say different things.
//!
//! Both stand side by side on a bench, so one evaluation computes both. Looked at are the judgments of the program's tests,
//! corners (everything lowest, everything highest), and walks that take one judgment after another from a random start to a
//! random end: a walk passes every sum in between, and so finds thresholds that random points miss. For comparisons, pairs of
//! assignments that differ in a few judgments. What is found is then stripped of every judgment that does not matter.
//!
//! The search is random but seeded, and bounded by a number of evaluations. Finding nothing proves nothing.

use super::dice::Dice;
use super::steps::of_type;
use crate::catalog::NodeId;
use crate::graph::twin::Changed;
use crate::graph::{Mode, Node, NodeKind, Program, ReadoutKind, Tie};
use crate::number::Number;
use crate::run::evaluate::{Interpreter, States};
use crate::run::readout::{Candidate, Outcome, Reader};
use crate::run::record::Layout;
use crate::run::{Leaf, blank_leaves};
use crate::types::{Base, ItemJudgment, Type, Value};
use std::collections::BTreeSet;

/// What candidates are called in a suggested test.
pub const NAMES: [&str; 2] = ["a", "b"];
/// Nodes times evaluations for one changed program.
const WORK: usize = 300_000;
/// Judgments up to which a difference is stripped of those that do not matter.
const MOST_STRIPPED: usize = 400;

/// Judgments on which the two say different things.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Per candidate (one or two), the judgments that matter, by node.
    pub given: Vec<Vec<(NodeId, Value)>>,
    /// The readout that differs.
    pub readout: usize,
    pub original: Outcome,
    pub changed: Outcome,
}

/// The two versions.
pub struct Pair<'a> {
    /// The bench: the original's nodes, then the copies.
    pub program: &'a Program,
    pub changed: &'a Changed,
    /// The record's id in comparisons that go by ids.
    pub record: &'a str,
}

struct Search<'a> {
    pair: &'a Pair<'a>,
    interpreter: Interpreter,
    /// Per readout that may differ: its number, and both versions.
    readers: Vec<(usize, Reader, Reader)>,
    /// Leaves that matter, whether they are shared by all candidates, and values to try.
    leaves: Vec<(NodeId, bool, Vec<Value>)>,
    left: usize,
    dice: Dice,
}

/// A value per leaf of the search, by its place.
type Point = Vec<Value>;

/// Looks for a difference. `starts` are judgments to begin with, by node.
#[must_use]
pub fn difference(pair: &Pair<'_>, starts: &[Vec<(NodeId, Value)>], seed: u64) -> Option<Difference> {
    let mut search = Search::new(pair, seed);
    if search.readers.is_empty() || search.leaves.is_empty() {
        return None;
    }
    let found = search.points(starts)?;
    Some(search.stripped(found))
}

/// A difference on these judgments, if it is one.
#[must_use]
pub fn confirmed(pair: &Pair<'_>, given: Vec<Vec<(NodeId, Value)>>) -> Option<Difference> {
    let search = Search::new(pair, 0);
    let found = search.compare(given, None)?;
    Some(search.stripped(found))
}

impl<'a> Search<'a> {
    fn new(pair: &'a Pair<'a>, seed: u64) -> Search<'a> {
        let program = pair.program;
        let mut readers = Vec::new();
        let mut roots: BTreeSet<NodeId> = BTreeSet::new();
        let sinks_differ = pair.changed.sink != program.sink;
        for (number, (old, new)) in program.readouts.iter().zip(&pair.changed.readouts).enumerate() {
            if old.source == new.source && old.kind == new.kind && !sinks_differ {
                continue;
            }
            readers.push((number, Reader::new(program, old), Reader::over(program, new, pair.changed.sink)));
            for readout in [old, new] {
                roots.insert(readout.source);
                if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
                    &readout.kind
                    && let Tie::By { keys, .. } = tie
                {
                    roots.extend(keys);
                }
            }
            roots.extend([program.sink, pair.changed.sink]);
        }
        let layout = Layout::of(program);
        let mut leaves = Vec::new();
        for id in below(program, roots) {
            let Some(node) = program.node(id) else { continue };
            if !matches!(node.kind, NodeKind::Operator(_)) {
                leaves.push((id, layout.is_shared(id), tried(node)));
            }
        }
        let left = (WORK / program.nodes.len().max(1)).clamp(40, 3_000);
        Search { pair, interpreter: Interpreter::new(program), readers, leaves, left, dice: Dice::new(seed) }
    }

    fn points(&mut self, starts: &[Vec<(NodeId, Value)>]) -> Option<Difference> {
        let edge = |high: bool| -> Point {
            let end = |(_, _, values): &(NodeId, bool, Vec<Value>)| {
                let end = if high { values.last() } else { values.first() };
                end.cloned().unwrap_or(Value::Unknown)
            };
            self.leaves.iter().map(end).collect()
        };
        let mut pool = vec![edge(false), edge(true)];
        for given in starts {
            let mut point = self.random();
            for (value, (id, ..)) in point.iter_mut().zip(&self.leaves) {
                if let Some((_, known)) = given.iter().find(|(node, _)| node == id) {
                    *value = known.clone();
                }
            }
            pool.push(point);
        }
        // In a large program a walk goes only a short way; random points differ in everything at once.
        pool.extend((0..6).map(|_| self.random()).collect::<Vec<_>>());
        let alone = self.readers.iter().any(|(_, reader, _)| reader.mode() == Mode::Pointwise);
        let compared = self.readers.iter().any(|(_, reader, _)| reader.mode() != Mode::Pointwise);
        for at in 0..pool.len() {
            let point = pool.get(at)?.clone();
            if let Some(found) = self.one(&point).filter(|_| alone) {
                return Some(found);
            }
        }
        // Where both kinds may differ, most of the work goes to single candidates, whose tests are easier to read.
        let reserve = if alone && compared { self.left / 3 } else { 0 };
        let mut round = 0;
        while alone && self.left > reserve {
            let from = pool.get(round).cloned().unwrap_or_else(|| self.random());
            let to = if round % 2 == 0 { self.random() } else { edge_of(&pool, round) };
            round += 1;
            if let Some(found) = self.walk(from, &to, reserve) {
                return Some(found);
            }
        }
        while compared && self.left > 0 {
            let first = if round % 3 == 0 { edge_of(&pool, round) } else { self.random() };
            round += 1;
            if let Some(found) = self.near_pairs(first) {
                return Some(found);
            }
        }
        None
    }

    fn random(&mut self) -> Point {
        let mut point = Vec::with_capacity(self.leaves.len());
        for (_, _, values) in &self.leaves {
            point.push(self.dice.pick(values).cloned().unwrap_or(Value::Unknown));
        }
        point
    }

    /// From one point to another, leaf by leaf in a random order.
    fn walk(&mut self, mut point: Point, to: &[Value], reserve: usize) -> Option<Difference> {
        let mut order: Vec<usize> = (0..point.len()).collect();
        self.dice.shuffle(&mut order);
        for at in order {
            let (Some(here), Some(there)) = (point.get_mut(at), to.get(at)) else { continue };
            if here == there {
                continue;
            }
            here.clone_from(there);
            if let Some(found) = self.one(&point) {
                return Some(found);
            }
            if self.left <= reserve {
                return None;
            }
        }
        None
    }

    /// A candidate against itself, and against others that differ in one judgment more each time.
    fn near_pairs(&mut self, first: Point) -> Option<Difference> {
        let to = self.random();
        let mut second = first.clone();
        let mut order: Vec<usize> = (0..first.len()).collect();
        self.dice.shuffle(&mut order);
        if let Some(found) = self.two(&first, &second) {
            return Some(found);
        }
        for at in order {
            let shared = self.leaves.get(at).is_some_and(|(_, shared, _)| *shared);
            let (Some(here), Some(there)) = (second.get_mut(at), to.get(at)) else { continue };
            if shared || here == there {
                continue;
            }
            here.clone_from(there);
            if let Some(found) = self.two(&first, &second) {
                return Some(found);
            }
            if self.left == 0 {
                return None;
            }
        }
        None
    }

    fn states(&self, given: &[(NodeId, Value)]) -> Option<States> {
        let mut leaves = blank_leaves(self.pair.program);
        for (id, value) in given {
            if let Some(leaf) = leaves.get_mut(id.index()) {
                *leaf = Leaf::Known(value.clone());
            }
        }
        let states = self.interpreter.states(&leaves);
        states.check_complete(self.pair.program).ok().map(|()| states)
    }

    fn given(&self, point: &[Value]) -> Vec<(NodeId, Value)> {
        self.leaves.iter().zip(point).map(|((id, ..), value)| (*id, value.clone())).collect()
    }

    fn one(&mut self, point: &[Value]) -> Option<Difference> {
        self.left = self.left.saturating_sub(1);
        self.compare(vec![self.given(point)], None)
    }

    fn two(&mut self, first: &[Value], second: &[Value]) -> Option<Difference> {
        self.left = self.left.saturating_sub(2);
        self.compare(vec![self.given(first), self.given(second)], None)
    }

    /// Whether the two versions are decided and differ on these judgments; `only` one readout, where it is given.
    fn compare(&self, given: Vec<Vec<(NodeId, Value)>>, only: Option<usize>) -> Option<Difference> {
        let states: Vec<States> = given.iter().map(|given| self.states(given)).collect::<Option<_>>()?;
        let candidates: Vec<Candidate<'_>> =
            NAMES.iter().zip(&states).map(|(id, states)| Candidate { id, states }).collect();
        for (number, old, new) in &self.readers {
            if only.is_some_and(|only| only != *number) {
                continue;
            }
            let (original, changed) = match (old.mode(), states.as_slice()) {
                (Mode::Pointwise, [one]) => (old.one(one), new.one(one)),
                (Mode::Pointwise, _) => continue,
                _ => match (old.all(self.pair.record, &candidates), new.all(self.pair.record, &candidates)) {
                    (Some(old), Some(new)) => (old, new),
                    _ => continue,
                },
            };
            if !original.is_open() && !changed.is_open() && original.outcome != changed.outcome {
                let (original, changed) = (original.outcome, changed.outcome);
                return Some(Difference { given, readout: *number, original, changed });
            }
        }
        None
    }

    /// With plainer judgments, and without those that do not matter.
    fn stripped(&self, found: Difference) -> Difference {
        let mut best = self.plainer(found);
        let nodes: Vec<(NodeId, bool)> = self.leaves.iter().map(|(id, shared, _)| (*id, *shared)).collect();
        if nodes.len() > MOST_STRIPPED {
            return best;
        }
        for (id, shared) in nodes {
            let places: Vec<Option<usize>> =
                if shared { vec![None] } else { (0..best.given.len()).map(Some).collect() };
            for place in places {
                let mut given = best.given.clone();
                for (at, list) in given.iter_mut().enumerate() {
                    if place.is_none_or(|place| place == at) {
                        list.retain(|(node, _)| *node != id);
                    }
                }
                if let Some(found) = self.compare(given, Some(best.readout))
                    && found.original == best.original
                {
                    best = found;
                }
            }
        }
        best
    }
}

impl Search<'_> {
    /// With the lowest values that still show the difference.
    fn plainer(&self, found: Difference) -> Difference {
        let mut best = found;
        if self.leaves.len() > MOST_STRIPPED {
            return best;
        }
        for (id, shared, values) in &self.leaves {
            // Numbers say more as they are; lists of labels are better short.
            let listed = matches!(values.first(), Some(Value::Tally(_) | Value::Set(_) | Value::Items(_)));
            for at in (0..best.given.len()).filter(|at| listed && (!shared || *at == 0)) {
                let now = best.given.get(at).and_then(|list| list.iter().find(|(node, _)| node == id));
                let Some((_, now)) = now.cloned() else { continue };
                for value in values.iter().take_while(|value| **value != now) {
                    let mut given = best.given.clone();
                    for list in
                        given.iter_mut().enumerate().filter(|(place, _)| *shared || *place == at).map(|(_, l)| l)
                    {
                        for entry in list.iter_mut().filter(|(node, _)| node == id) {
                            entry.1.clone_from(value);
                        }
                    }
                    if let Some(found) = self.compare(given, Some(best.readout)) {
                        best = found;
                        break;
                    }
                }
            }
        }
        best
    }
}

fn edge_of(pool: &[Point], round: usize) -> Point {
    pool.get(round % pool.len().max(1)).cloned().unwrap_or_default()
}

/// The nodes that lead to some, these included, ascending.
#[must_use]
pub fn below(program: &Program, roots: impl IntoIterator<Item = NodeId>) -> BTreeSet<NodeId> {
    let mut open: Vec<NodeId> = roots.into_iter().collect();
    let mut found: BTreeSet<NodeId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        if let Some(NodeKind::Operator(operation)) = program.node(id).map(|n| &n.kind) {
            open.extend(operation.sources().filter(|source| found.insert(*source)));
        }
    }
    found
}

/// Values of a leaf to try, the lowest first and the highest last; none of an operator.
#[must_use]
pub fn tried(node: &Node) -> Vec<Value> {
    match &node.kind {
        NodeKind::Operator(_) => Vec::new(),
        NodeKind::Criterion(_) => values(&node.ty),
        NodeKind::Items { template, .. } => items_tried(template.ty.optional),
    }
}

fn values(ty: &Type) -> Vec<Value> {
    if let Some(mut all) = of_type(ty)
        && all.len() <= 64
    {
        // The ends stay ends.
        if all.last() == Some(&Value::Unknown) && all.len() > 2 {
            all.rotate_right(1);
            all.swap(0, 1);
        }
        return all;
    }
    let mut values = match &ty.base {
        Base::Int { lo, hi } | Base::Score { lo, hi } => {
            let width = hi - lo;
            let whole = matches!(ty.base, Base::Int { .. });
            let part = |n: i64| Number::ratio(n, 20).map(|share| lo + &(&width * &share));
            let parts = (0..=20).filter_map(part);
            let mut parts: Vec<Number> = parts.map(|n| if whole { n.floor() } else { n }).collect();
            parts.dedup();
            parts.into_iter().map(Value::Number).collect()
        }
        Base::Tally { labels, max } => {
            let count = labels.len();
            let alone = |at: usize, n: u32| Value::Tally((0..count).map(|l| if l == at { n } else { 0 }).collect());
            let mut values = vec![Value::Tally(vec![0; count].into())];
            // A long list of labels is nothing that anybody reads in a test.
            let few: Vec<u32> = [1, 2, 3, 6].into_iter().filter(|n| n <= max).collect();
            values.extend((0..count.min(8)).flat_map(|at| few.iter().map(move |n| alone(at, *n))));
            values.push(Value::Tally(vec![(*max).min(8); count].into()));
            values
        }
        Base::Set(labels) => {
            let count = u32::try_from(labels.len()).unwrap_or(0);
            let mut values = vec![Value::Set([].into())];
            values.extend((0..count.min(16)).map(|rank| Value::Set([rank].into())));
            values.push(Value::Set((0..count).collect()));
            values
        }
        Base::Ordinal(labels) | Base::Choice(labels) => {
            (0..u32::try_from(labels.len()).unwrap_or(0)).map(Value::Label).collect()
        }
        Base::Bool | Base::Real | Base::Items => Vec::new(),
    };
    if ty.optional && !values.is_empty() {
        values.insert(1, Value::Unknown);
    }
    values
}

/// Small lists of items that a record may bring.
fn items_tried(optional: bool) -> Vec<Value> {
    let item = |points: i64, met: Option<bool>| ItemJudgment { points: Number::int(points), met };
    let list = |items: &[ItemJudgment]| Value::Items(items.into());
    let (yes, no) = (Some(true), Some(false));
    let mut lists = vec![
        list(&[item(1, no)]),
        list(&[item(2, yes), item(3, no)]),
        list(&[item(3, yes), item(2, no), item(-1, no)]),
        list(&[item(3, yes), item(-2, yes)]),
        list(&[item(1, no), item(-2, yes)]),
        list(&[item(1, yes)]),
    ];
    if optional {
        lists.insert(1, list(&[item(2, None), item(3, None)]));
    }
    lists
}
