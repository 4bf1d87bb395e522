//! One operator node, made ready to be computed many times.
//!
//! A [`Step`] is an [`Operation`] together with what its meaning takes from the types around it: the interval that
//! `normalize`, `rescale`, `invert` and `quantize` start from, the lowest value that a `veto` or `penalty` falls to, and
//! what stands for an unknown slot under `lowest` and `highest`. It is made once per program; after that neither the
//! interpreter nor the bounds look at a type again, except the node's own.
//!
//! It does not know the program, nor where its inputs come from: they are asked for by their place in [`Step::slots`].

use crate::catalog::{Input, MapArm, NodeId, Op, Operation, Params, UnknownPolicy};
use crate::number::Number;
use crate::types::{Base, Type, Value};
use std::collections::HashMap;

/// Where a step's inputs are read.
pub trait Inputs {
    /// The value in this slot (from 0, all ports in order). A slot that does not exist is unknown.
    fn at(&self, slot: usize) -> &Value;
}

pub(crate) static UNKNOWN: Value = Value::Unknown;
pub(crate) static ZERO: Number = Number::ZERO;
pub(crate) static ONE: Number = Number::ONE;

impl Inputs for [Value] {
    fn at(&self, slot: usize) -> &Value {
        self.get(slot).unwrap_or(&UNKNOWN)
    }
}

/// An operator node, ready to be computed.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) op: Op,
    pub(crate) params: Params,
    /// The node's own type.
    pub(crate) ty: Type,
    /// All inputs, port after port, in the order that [`ports`] gives.
    pub(crate) slots: Vec<Input>,
    /// The interval of the first input: ranks for an ordinal, 0 and 1 for a bool.
    pub(crate) from: (Number, Number),
    /// `normalize rescale invert quantize`: x ↦ scale · x + shift (a `quantize` then rounds).
    pub(crate) scale: Number,
    pub(crate) shift: Number,
    /// Of `weights`; the count of slots for a plain mean.
    pub(crate) total: Number,
    /// Under `lowest` and `highest`: what stands for each slot.
    pub(crate) stand_ins: Vec<Value>,
    /// The type of each slot, for the operators whose unknown slots are not decided slot by slot (`vote`, `product`).
    pub(crate) slot_types: Vec<Option<Type>>,
    arms: Option<HashMap<Value, usize>>,
}

/// Arms up to which a `map` is searched one by one.
const FEW_ARMS: usize = 8;

impl Step {
    /// Makes an operation ready. `ty` is the node's own type; `type_of` gives the type of a node that it reads.
    #[must_use]
    pub fn new(operation: &Operation, ty: &Type, type_of: &dyn Fn(NodeId) -> Option<Type>) -> Step {
        let op = operation.op;
        let mut slots: Vec<Input> = Vec::new();
        for name in ports(op) {
            slots.extend(operation.port(name).iter().cloned());
        }
        let type_at = |input: &Input| input.node().and_then(type_of);
        let first = slots.first().and_then(type_at);
        let from = first.as_ref().and_then(range).unwrap_or((Number::ZERO, Number::ONE));
        // An empty `to` of a `veto` is the lowest value of what it guards.
        if op == Op::Veto && slots.len() == 2 {
            let lowest = first.as_ref().unwrap_or(ty).extremes().map_or(Value::Unknown, |(low, _)| low);
            slots.push(Input::Constant(lowest));
        }
        let params: Params = (*operation.params).clone();
        let (scale, shift) = affine(op, &from, &params, ty);
        let total = if params.weights.is_empty() { Number::from(slots.len()) } else { params.weights.iter().sum() };
        let stand_ins = match params.unknown {
            Some(UnknownPolicy::Lowest) => stand_ins(op, &slots, &params, &type_at, false),
            Some(UnknownPolicy::Highest) => stand_ins(op, &slots, &params, &type_at, true),
            _ => Vec::new(),
        };
        let slot_types =
            if matches!(op, Op::Vote | Op::Product) { slots.iter().map(type_at).collect() } else { Vec::new() };
        let arms = (params.arms.len() > FEW_ARMS)
            .then(|| params.arms.iter().enumerate().map(|(at, arm)| (arm.key.clone(), at)).collect());
        Step { op, params, ty: ty.clone(), slots, from, scale, shift, total, stand_ins, slot_types, arms }
    }

    /// Computes the operator on values, one per slot: all ports in the order of the operator's entry, constants included.
    #[must_use]
    pub fn apply(&self, inputs: &[Value]) -> Value {
        self.value(inputs)
    }

    /// What it reads, in the order in which [`Step::apply`] takes the values.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.slots
    }

    /// How many inputs it reads.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.slots.len()
    }

    /// What a `map` gives for this key; `None` where no arm has it and there is no `rest`.
    pub(crate) fn arm(&self, key: &Value) -> Option<&Value> {
        let found: Option<&MapArm> = match &self.arms {
            Some(index) => index.get(key).and_then(|at| self.params.arms.get(*at)),
            None => self.params.arms.iter().find(|arm| arm.key == *key),
        };
        match found {
            Some(arm) => Some(&arm.value),
            // `unknown` is passed through unless an arm names it: `rest` means the rest of the known values.
            None if key.is_unknown() => None,
            None => self.params.rest.as_ref(),
        }
    }

    pub(crate) fn weight(&self, slot: usize) -> &Number {
        self.params.weights.get(slot).unwrap_or(&ONE)
    }
}

/// The ports of an operator in the order in which a step reads them.
fn ports(op: Op) -> &'static [&'static str] {
    match op {
        Op::Otherwise => &["x", "v"],
        Op::Cap | Op::Floor => &["base", "trigger", "at"],
        Op::Veto => &["base", "trigger", "to"],
        Op::Penalty => &["base", "trigger", "by"],
        Op::Replace => &["base", "trigger", "with"],
        Op::Mask => &["base", "trigger"],
        Op::Add
        | Op::Subtract
        | Op::Multiply
        | Op::Divide
        | Op::Equal
        | Op::NotEqual
        | Op::Less
        | Op::LessEqual
        | Op::Greater
        | Op::GreaterEqual => &["left", "right"],
        Op::If => &["condition", "then", "else"],
        Op::Decide => &["when"],
        _ => &["x"],
    }
}

/// The numbers between which a type's values lie: its interval, 0 and 1 for a bool, the ranks of an ordinal.
pub(crate) fn range(ty: &Type) -> Option<(Number, Number)> {
    match &ty.base {
        Base::Bool => Some((Number::ZERO, Number::ONE)),
        Base::Int { lo, hi } | Base::Score { lo, hi } => Some((lo.clone(), hi.clone())),
        Base::Ordinal(labels) => Some((Number::ZERO, Number::from(labels.len().saturating_sub(1)))),
        _ => None,
    }
}

/// x ↦ scale · x + shift of the operators that are such a line. An interval of one point goes to the lower end.
fn affine(op: Op, from: &(Number, Number), params: &Params, ty: &Type) -> (Number, Number) {
    let (lo, hi) = from;
    let target = match op {
        Op::Normalize => Some((Number::ZERO, Number::ONE)),
        Op::Rescale | Op::Quantize => params.to.as_ref().or(Some(ty)).and_then(range),
        Op::Invert => return (-Number::ONE, lo + hi),
        _ => None,
    };
    let Some((a, b)) = target else { return (Number::ONE, Number::ZERO) };
    let scale = (&b - &a).checked_div(&(hi - lo)).unwrap_or(Number::ZERO);
    let shift = &a - &(&scale * lo);
    (scale, shift)
}

/// What stands for each slot where unknown is to make the node lowest or highest. Every operator here rises with each slot,
/// or falls with it where the slot's weight is negative, so that this is an end of the slot's own interval.
fn stand_ins(
    op: Op,
    slots: &[Input],
    params: &Params,
    type_at: &dyn Fn(&Input) -> Option<Type>,
    highest: bool,
) -> Vec<Value> {
    let signed = matches!(op, Op::WeightedSum | Op::Points | Op::SumPoints);
    let end = |(slot, input): (usize, &Input)| {
        let falls = signed && params.weights.get(slot).is_some_and(Number::is_negative);
        let (low, high) = type_at(input).and_then(|ty| ty.extremes())?;
        Some(if highest == falls { low } else { high })
    };
    slots.iter().enumerate().map(|pair| end(pair).unwrap_or(Value::Unknown)).collect()
}
