//! What is searched: the part of a program that a condition depends on, for one or two candidates, and the condition itself as
//! further operators on top of it.
//!
//! A [`Problem`] is a list of knots, each after those that it reads, and a goal among them: a bool that is never unknown. A
//! solution gives each variable a value so that the goal is true. A leaf that is the same for both candidates is one
//! variable, and whatever depends on such leaves only is one knot. The items of a `checklist … from` come with the record, so
//! `points` and `sum_points` over them are variables themselves: any number up to 1, and any number at all.
//!
//! Rules are variables like any other criterion: a recorded judgment may say anything that their type holds.

use super::domain::{Domain, End};
use super::fold::Fold;
use super::implied::{self, Cut};
use crate::catalog::{Input, NodeId, Op, Operation, Params, Port};
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use crate::run::record::Layout;
use crate::types::{Base, Type, Value};
use std::collections::HashMap;

/// A place in [`Problem::knots`].
pub(crate) type At = usize;

#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) knots: Vec<Knot>,
    pub(crate) goal: At,
    pub(crate) variables: Vec<At>,
    /// Per knot that reads one variable with few values, and on more than one way: each value of it with the knot's.
    pub(super) tables: HashMap<At, Table>,
    /// What was folded into one variable.
    pub(super) folds: Vec<Fold>,
}

/// What a knot is for each value of the only variable that it depends on.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) variable: At,
    pub(super) rows: Vec<(Value, Value)>,
}

#[derive(Debug)]
pub(crate) struct Knot {
    pub(crate) what: What,
    pub(crate) ty: Type,
    /// One per slot of its step.
    pub(crate) inputs: Vec<At>,
    /// Who reads it: the knot and the slot.
    pub(crate) readers: Vec<(At, usize)>,
    pub(crate) start: Domain,
}

#[derive(Debug)]
pub(crate) enum What {
    Constant,
    Variable(Variable),
    Step(Box<Step>),
}

/// A variable: what it stands for, and for which candidate (0 where it is the same for both).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) candidate: usize,
    pub(crate) stands: Stands,
    /// The values that are left of an interval, ascending, where not all numbers of it can come about.
    pub(crate) grid: Option<std::sync::Arc<[Number]>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stands {
    /// A criterion.
    Leaf(NodeId),
    /// `points` or `sum_points` (the node `operator`) over the items of a `checklist … from` (`items`).
    Points { operator: NodeId, items: NodeId },
    /// What the digest of two ids comes to in `tie: by_id`.
    Digest,
    /// The judgments of [`Problem::folds`] with this number.
    Folded(usize),
}

/// Which leaves two candidates have in common.
#[derive(Debug, Clone)]
pub enum Shared {
    /// Criteria that see no candidate, as when a record is run.
    Unseen,
    /// All leaves but these: two assignments that differ in nothing else.
    AllBut(Vec<NodeId>),
}

/// An argument of a knot that is made here.
#[derive(Debug, Clone)]
pub(super) enum Arg {
    Knot(At),
    Value(Value),
}

/// Puts a problem together.
pub(super) struct Builder<'p> {
    pub(super) program: &'p Program,
    /// Per node: whether something below it differs between candidates.
    own: Vec<bool>,
    knots: Vec<Knot>,
    memo: HashMap<(usize, NodeId), At>,
    /// Domains that leaves are held to, by candidate.
    held: Vec<HashMap<NodeId, Bounds>>,
    /// Beyond this no number without bounds can make a difference.
    far: Number,
    /// Number fields compared with constants: whose, what, and the knot.
    pub(super) cuts: Vec<(usize, Cut, At)>,
    /// Which of two ids is smaller, once it was asked.
    digest: Option<At>,
    /// Outcomes of pairwise readouts, by their place.
    pub(super) outcomes: HashMap<usize, [At; 4]>,
    /// Values of pointwise readouts, by candidate and place.
    pub(super) readings: HashMap<(usize, usize), At>,
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program, shared: &Shared, held: Vec<HashMap<NodeId, Bounds>>) -> Builder<'p> {
        let layout = Layout::of(program);
        let mut own = vec![false; program.nodes.len()];
        let mut far = Number::int(2);
        for (at, node) in program.nodes.iter().enumerate() {
            let id = NodeId(u32::try_from(at).unwrap_or(u32::MAX));
            let differs = match &node.kind {
                NodeKind::Operator(operation) => {
                    far = far.max(longest(operation));
                    operation.sources().any(|source| own.get(source.index()).copied().unwrap_or(true))
                }
                _ => match shared {
                    Shared::Unseen => !layout.is_shared(id),
                    Shared::AllBut(these) => these.contains(&id),
                },
            };
            if let Some((lo, hi)) = node.ty.interval() {
                far = far.max(lo.abs()).max(hi.abs());
            }
            if let Some(slot) = own.get_mut(at) {
                *slot = differs;
            }
        }
        let far = &far + &Number::int(2);
        Builder {
            program,
            own,
            knots: Vec::new(),
            memo: HashMap::new(),
            held,
            far,
            cuts: Vec::new(),
            digest: None,
            outcomes: HashMap::new(),
            readings: HashMap::new(),
        }
    }

    /// Widens what counts as far away, so that a constant of a condition lies within.
    pub(super) fn reach(&mut self, constant: &Number) {
        let far = &constant.abs() + &Number::int(2);
        if far > self.far {
            self.far = far;
        }
    }

    pub(super) fn ty(&self, at: At) -> &Type {
        static ELSE: Type = Type::BOOL;
        self.knots.get(at).map_or(&ELSE, |knot| &knot.ty)
    }

    fn push(&mut self, what: What, ty: Type, inputs: Vec<At>, start: Domain) -> At {
        self.knots.push(Knot { what, ty, inputs, readers: Vec::new(), start });
        self.knots.len() - 1
    }

    pub(super) fn constant(&mut self, value: Value, ty: Type) -> At {
        let start = Domain::exactly(&value);
        self.push(What::Constant, ty, Vec::new(), start)
    }

    /// A bool that may be either.
    pub(super) fn digest(&mut self) -> At {
        if let Some(at) = self.digest {
            return at;
        }
        let variable = Variable { candidate: 0, stands: Stands::Digest, grid: None };
        let at = self.push(What::Variable(variable), Type::BOOL, Vec::new(), Domain::of(&Type::BOOL));
        self.digest = Some(at);
        at
    }

    /// The knot of a node for a candidate, with all that it reads.
    pub(super) fn node(&mut self, candidate: usize, id: NodeId) -> At {
        let mut stack = vec![id];
        while let Some(top) = stack.last().copied() {
            let key = self.key(candidate, top);
            if self.memo.contains_key(&key) {
                stack.pop();
                continue;
            }
            let Some(node) = self.program.node(top) else { return 0 };
            let made = match &node.kind {
                NodeKind::Operator(operation) => {
                    if let Some(items) = self.items_below(operation) {
                        self.points(key, items)
                    } else {
                        let open: Vec<NodeId> =
                            operation.sources().filter(|s| !self.memo.contains_key(&self.key(candidate, *s))).collect();
                        if !open.is_empty() {
                            stack.extend(open);
                            continue;
                        }
                        self.operator(candidate, operation, &node.ty)
                    }
                }
                _ => {
                    let variable = Variable { candidate: key.0, stands: Stands::Leaf(top), grid: None };
                    let mut start = Domain::of(&node.ty);
                    if let Some(held) = self.held.get(candidate).and_then(|held| held.get(&top)) {
                        start = start.and(&Domain::closed(held.clone()));
                    }
                    let made = self.push(What::Variable(variable), node.ty.clone(), Vec::new(), start);
                    if let Some(cut) = implied::cut(node) {
                        self.cuts.push((key.0, cut, made));
                    }
                    made
                }
            };
            self.memo.insert(key, made);
            stack.pop();
        }
        self.memo.get(&self.key(candidate, id)).copied().unwrap_or(0)
    }

    fn key(&self, candidate: usize, id: NodeId) -> (usize, NodeId) {
        (if self.own.get(id.index()).copied().unwrap_or(true) { candidate } else { 0 }, id)
    }

    fn items_below(&self, operation: &Operation) -> Option<NodeId> {
        let is_items = |id: &NodeId| matches!(self.program.node(*id).map(|n| &n.kind), Some(NodeKind::Items { .. }));
        operation.sources().find(is_items)
    }

    fn points(&mut self, key: (usize, NodeId), items: NodeId) -> At {
        let node = self.program.node(key.1);
        let optional = node.is_some_and(|node| node.ty.optional);
        let share =
            node.is_some_and(|node| matches!(&node.kind, NodeKind::Operator(operation) if operation.op == Op::Points));
        let hi = if share { Number::ONE } else { self.far.clone() };
        let start = Domain::numbers(End::closed(-self.far.clone()), End::closed(hi), false, optional);
        let stands = Stands::Points { operator: key.1, items };
        let ty = Type::of(Base::Real).with_optional(optional);
        self.push(What::Variable(Variable { candidate: key.0, stands, grid: None }), ty, Vec::new(), start)
    }

    fn operator(&mut self, candidate: usize, operation: &Operation, ty: &Type) -> At {
        let program = self.program;
        let step = Step::new(operation, ty, &|id| program.node(id).map(|node| node.ty.clone()));
        let mut inputs = Vec::with_capacity(step.slots.len());
        for input in &step.slots {
            inputs.push(match input {
                Input::Node(id) => self.memo.get(&self.key(candidate, *id)).copied().unwrap_or(0),
                Input::Constant(value) => self.constant(value.clone(), ty.clone()),
            });
        }
        self.step(step, inputs)
    }

    fn step(&mut self, step: Step, inputs: Vec<At>) -> At {
        let ty = step.ty.clone();
        let start = Domain::of(&ty);
        self.push(What::Step(Box::new(step)), ty, inputs, start)
    }

    /// A new operator over knots and constants, one list per port.
    pub(super) fn apply(&mut self, op: Op, ports: &[(&'static str, &[Arg])], params: Params, ty: &Type) -> At {
        let input = |arg: &Arg| match arg {
            Arg::Knot(at) => Input::Node(NodeId(u32::try_from(*at).unwrap_or(u32::MAX))),
            Arg::Value(value) => Input::Constant(value.clone()),
        };
        let ports = ports.iter().map(|(name, args)| Port { name, inputs: args.iter().map(input).collect() }).collect();
        let operation = Operation { op, ports, params: params.into() };
        let step = Step::new(&operation, ty, &|id| self.knots.get(id.index()).map(|knot| knot.ty.clone()));
        let mut inputs = Vec::with_capacity(step.slots.len());
        for input in &step.slots {
            inputs.push(match input {
                Input::Node(id) => id.index(),
                Input::Constant(value) => self.constant(value.clone(), ty.clone()),
            });
        }
        self.step(step, inputs)
    }

    /// Whether the count of a label in one tally is at most that in another.
    pub(super) fn count_rises(&mut self, low: At, high: At, label: usize) -> At {
        let max = match &self.ty(low).base {
            Base::Tally { max, .. } => *max,
            _ => 0,
        };
        let ty = Type::int(0, i64::from(max)).with_optional(self.ty(low).optional);
        let params = || Params { label: u32::try_from(label).ok(), ..Params::default() };
        let a = self.apply(Op::CountOf, &[("x", &[Arg::Knot(low)])], params(), &ty);
        let b = self.apply(Op::CountOf, &[("x", &[Arg::Knot(high)])], params(), &ty);
        self.compare(crate::graph::spec::Comparison::LessEqual, a, Arg::Knot(b))
    }

    /// All knots as they stand, with this goal.
    pub(super) fn whole(self, goal: At) -> Problem {
        Problem::new(self.knots, goal)
    }

    /// The problem of making `goal` true. What the goal does not depend on is left out.
    pub(super) fn finish(self, goal: At) -> Problem {
        self.finish_with(goal, []).0
    }

    /// As [`Builder::finish`], with the new places of some knots that the goal depends on.
    pub(super) fn finish_with<const N: usize>(mut self, goal: At, kept: [At; N]) -> (Problem, [At; N]) {
        let goal = self.consistent(goal);
        let mut used = vec![false; self.knots.len()];
        let mut stack = vec![goal];
        while let Some(at) = stack.pop() {
            if let Some(slot) = used.get_mut(at)
                && !std::mem::replace(slot, true)
            {
                stack.extend(self.knots.get(at).into_iter().flat_map(|knot| knot.inputs.iter().copied()));
            }
        }
        let mut places = vec![0; self.knots.len()];
        let mut knots: Vec<Knot> = Vec::new();
        for ((knot, used), place) in self.knots.into_iter().zip(used).zip(0..) {
            if used {
                if let Some(slot) = places.get_mut(place) {
                    *slot = knots.len();
                }
                knots.push(knot);
            }
        }
        for knot in &mut knots {
            for input in &mut knot.inputs {
                *input = places.get(*input).copied().unwrap_or(0);
            }
        }
        let place = |at: At| places.get(at).copied().unwrap_or(0);
        let mut problem = Problem::new(knots, place(goal));
        problem.fold();
        problem.tables = super::table::tables(&problem);
        (problem, kept.map(place))
    }
}

impl Problem {
    pub(super) fn new(knots: Vec<Knot>, goal: At) -> Problem {
        let mut problem = Problem { knots, goal, variables: Vec::new(), tables: HashMap::new(), folds: Vec::new() };
        problem.connect();
        problem
    }

    /// Finds readers and variables anew.
    pub(super) fn connect(&mut self) {
        for knot in &mut self.knots {
            knot.readers.clear();
        }
        let mut edges: Vec<(At, At, usize)> = Vec::new();
        self.variables.clear();
        for (at, knot) in self.knots.iter().enumerate() {
            edges.extend(knot.inputs.iter().enumerate().map(|(slot, from)| (*from, at, slot)));
            if matches!(knot.what, What::Variable(_)) {
                self.variables.push(at);
            }
        }
        for (from, reader, slot) in edges {
            if let Some(knot) = self.knots.get_mut(from) {
                knot.readers.push((reader, slot));
            }
        }
    }

    pub(super) fn variable(&self, at: At) -> Option<&Variable> {
        match self.knots.get(at).map(|knot| &knot.what) {
            Some(What::Variable(variable)) => Some(variable),
            _ => None,
        }
    }

    /// The value of every knot from those of the variables (others are not looked at); `None` where a number becomes too long.
    pub(super) fn values(&self, chosen: &[Value]) -> Option<Vec<Value>> {
        let mut values: Vec<Value> = Vec::with_capacity(self.knots.len());
        let mut inputs: Vec<Value> = Vec::new();
        for (at, knot) in self.knots.iter().enumerate() {
            let value = match &knot.what {
                What::Constant => knot.start.exact()?,
                What::Variable(_) => chosen.get(at)?.clone(),
                What::Step(step) => {
                    inputs.clear();
                    inputs.extend(knot.inputs.iter().map(|from| values.get(*from).cloned().unwrap_or(Value::Unknown)));
                    step.apply(&inputs)
                }
            };
            if let Value::Number(n) = &value
                && n.bits() > LONGEST
            {
                return None;
            }
            values.push(value);
        }
        Some(values)
    }
}

/// Binary digits of a value beyond which a point is given up.
const LONGEST: u64 = 20_000;

/// The greatest number that an operation names, by size.
fn longest(operation: &Operation) -> Number {
    let mut far = Number::ZERO;
    let mut see = |n: &Number| {
        if n.abs() > far {
            far = n.abs();
        }
    };
    for input in operation.ports.iter().flat_map(|port| &port.inputs) {
        if let Input::Constant(Value::Number(n)) = input {
            see(n);
        }
    }
    if let Some((lo, hi)) = operation.params.to.as_ref().and_then(|to| to.interval()) {
        see(lo);
        see(hi);
    }
    far
}

impl Knot {
    /// Whether its numbers are all reals of an interval.
    pub(super) fn is_real(&self) -> bool {
        matches!(self.start.bounds.known, Known::Numbers { whole: false, .. })
            && !matches!(&self.what, What::Variable(Variable { grid: Some(_), .. }))
    }
}
