//! The numbers that a node can come to, where they are few: those of a judgment, of what is made of one, and of sums of
//! such. Judgments are taken as free of each other, so there may be more numbers than can really come about, never fewer.

use super::domain::Domain;
use super::linear::adds_up;
use super::weights::Shares;
use crate::catalog::{Input, NodeId};
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::run::bounds::Bounds;
use crate::run::evaluate::{States, Step};
use crate::types::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// Values of a judgment, and numbers of a node.
const MOST_VALUES: u64 = 64;
const MOST_NUMBERS: usize = 1_024;
/// Operators in a row, and slots of one.
const DEEPEST: usize = 12;
const MOST_SLOTS: usize = 256;

/// What was found of nodes so far.
pub(super) struct Few<'p> {
    program: &'p Program,
    states: &'p States,
    found: HashMap<NodeId, Option<Rc<[Number]>>>,
}

impl<'p> Few<'p> {
    pub(super) fn new(program: &'p Program, states: &'p States) -> Few<'p> {
        Few { program, states, found: HashMap::new() }
    }

    /// All numbers of each slot of an operator, ascending (0 and 1 for a bool, ranks for labels; `unknown` is left out); `None`
    /// for a slot with too many.
    pub(super) fn slots(&mut self, step: &Step, work: &mut usize) -> Vec<Option<Rc<[Number]>>> {
        if step.slots.len() > MOST_SLOTS {
            return vec![None; step.slots.len()];
        }
        step.slots.iter().map(|input| self.input(input, 0, work)).collect()
    }

    fn input(&mut self, input: &Input, depth: usize, work: &mut usize) -> Option<Rc<[Number]>> {
        match input {
            Input::Constant(value) => Some([Bounds::exactly(value).interval()?.0].into()),
            Input::Node(id) => self.node(*id, depth, work),
        }
    }

    fn node(&mut self, id: NodeId, depth: usize, work: &mut usize) -> Option<Rc<[Number]>> {
        if let Some(found) = self.found.get(&id) {
            return found.clone();
        }
        if depth > DEEPEST {
            return None;
        }
        let found = self.compute(id, depth, work);
        self.found.insert(id, found.clone());
        found
    }

    fn compute(&mut self, id: NodeId, depth: usize, work: &mut usize) -> Option<Rc<[Number]>> {
        let program = self.program;
        let node = program.node(id)?;
        let NodeKind::Operator(operation) = &node.kind else {
            let known = Domain::closed(self.states.bounds(id)).known_part();
            return numbers(&known.values(MOST_VALUES)?);
        };
        let step = Step::new(operation, &node.ty, &|id| program.node(id).map(|node| node.ty.clone()));
        if step.slots.len() > MOST_SLOTS {
            return None;
        }
        if adds_up(step.op) {
            let inputs: Vec<Bounds> = step.slots.iter().map(|input| self.bounds(input)).collect();
            let slots: Vec<_> = step.slots.iter().map(|input| self.input(input, depth + 1, work)).collect();
            return Shares::new(&step, &inputs, &slots)?.all(MOST_NUMBERS, work);
        }
        let mut leaf = None;
        for source in operation.sources() {
            if *leaf.get_or_insert(source) != source {
                return None;
            }
        }
        let bounds = self.states.bounds(leaf?);
        let all = self.node(leaf?, depth + 1, work)?;
        *work = work.checked_sub(all.len() + 1)?;
        let ty = &program.node(leaf?)?.ty;
        let mut values: Vec<Value> = all.iter().map(|number| valued(number, ty)).collect();
        values.extend(bounds.unknown.then_some(Value::Unknown));
        let result = |value: &Value| {
            let inputs: Vec<Value> = step
                .slots
                .iter()
                .map(|input| match input {
                    Input::Constant(constant) => constant.clone(),
                    Input::Node(_) => value.clone(),
                })
                .collect();
            step.apply(&inputs)
        };
        numbers(&values.iter().map(result).collect::<Vec<_>>())
    }

    fn bounds(&self, input: &Input) -> Bounds {
        match input {
            Input::Constant(value) => Bounds::exactly(value),
            Input::Node(id) => self.states.bounds(*id),
        }
    }
}

/// The value of a type that counts as this number.
fn valued(number: &Number, ty: &crate::types::Type) -> Value {
    use crate::types::Base;
    let small = || number.to_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    match ty.base {
        Base::Bool => Value::Bool(!number.is_zero()),
        Base::Ordinal(_) | Base::Choice(_) => Value::Label(small()),
        _ => Value::Number(number.clone()),
    }
}

/// The numbers that values count as, without `unknown`; `None` where one has none.
fn numbers(values: &[Value]) -> Option<Rc<[Number]>> {
    let known = values.iter().filter(|value| !value.is_unknown());
    let mut all: Vec<Number> = known
        .map(|value| match value {
            Value::Number(n) => Some(n.clone()),
            Value::Bool(b) => Some(Number::int(i64::from(*b))),
            Value::Label(rank) => Some(Number::int(i64::from(*rank))),
            _ => None,
        })
        .collect::<Option<_>>()?;
    all.sort();
    all.dedup();
    Some(all.into())
}
