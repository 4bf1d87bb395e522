//! What each slot of an operator contributed to its value.
//!
//! - Sums, means, points, counts, shares and trees: the *summand*, as an exact fraction, so that the contributions add up to
//!   the value. What stands in for an unknown slot contributes; a slot that was left out does not.
//! - `min`, `max`, `median`, `all`, `any`, `and`, `or`, `vote`, gates, `if`, `decide`, `otherwise`: which slots *decide*,
//!   that is, have the value that comes out, or choose it.
//! - Everything else passes on what it reads, and every input counts.

use crate::catalog::{Input, NodeId, Op, Operation, UnknownPolicy};
use crate::graph::{Node, NodeKind, Program};
use crate::number::Number;
use crate::run::evaluate::States;
use crate::types::Value;

/// What a contribution is at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Summands that add up to the value.
    Summands,
    /// Some slots decide.
    Decides,
    /// All that it reads counts.
    Passes,
}

impl How {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            How::Summands => "summands",
            How::Decides => "decides",
            How::Passes => "passes",
        }
    }
}

/// One slot of an operator in one record.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    pub port: &'static str,
    /// From 1 within its port.
    pub number: usize,
    /// `None`: a constant.
    pub source: Option<NodeId>,
    /// `None`: not known yet.
    pub value: Option<Value>,
    pub weight: Option<Number>,
    /// It was unknown, and this stood in for it.
    pub stand_in: Option<Value>,
    /// It was unknown and left out.
    pub left_out: bool,
    /// Its summand, under [`How::Summands`].
    pub contribution: Option<Number>,
    /// Whether it decides, under [`How::Decides`]; everything that counts under [`How::Passes`].
    pub decides: bool,
}

/// The slots of an operator node. Contributions are there only where everything that it reads is known.
#[must_use]
pub fn slots(program: &Program, id: NodeId, node: &Node, states: &States) -> (How, Vec<Slot>) {
    let NodeKind::Operator(operation) = &node.kind else { return (How::Passes, Vec::new()) };
    let mut slots = Vec::new();
    for port in &operation.ports {
        for (at, input) in port.inputs.iter().enumerate() {
            let (source, value) = match input {
                Input::Constant(value) => (None, Some(value.clone())),
                Input::Node(source) => (Some(*source), states.value(*source)),
            };
            let weight = if port.name == "x" { operation.params.weights.get(at).cloned() } else { None };
            slots.push(Slot {
                port: port.name,
                number: at + 1,
                source,
                value,
                weight,
                stand_in: None,
                left_out: false,
                contribution: None,
                decides: false,
            });
        }
    }
    let how = how(operation.op);
    let complete = slots.iter().all(|slot| slot.value.is_some());
    let value = states.value(id);
    if how != How::Passes {
        settle_unknown(program, operation, &mut slots);
    }
    match (how, value) {
        (How::Passes, _) => slots.iter_mut().for_each(|slot| slot.decides = true),
        (How::Summands, Some(Value::Number(_))) if complete => summands(operation, &mut slots),
        (How::Decides, Some(value)) => decisive(operation, &value, &mut slots),
        _ => {}
    }
    (how, slots)
}

fn how(op: Op) -> How {
    match op {
        Op::Sum
        | Op::Count
        | Op::Mean
        | Op::Fraction
        | Op::WeightedSum
        | Op::SumPoints
        | Op::WeightedMean
        | Op::Tree
        | Op::Points => How::Summands,
        Op::Min
        | Op::Max
        | Op::Median
        | Op::All
        | Op::Any
        | Op::And
        | Op::Or
        | Op::Vote
        | Op::Cap
        | Op::Floor
        | Op::Veto
        | Op::Mask
        | Op::Penalty
        | Op::Replace
        | Op::If
        | Op::Decide
        | Op::Otherwise => How::Decides,
        _ => How::Passes,
    }
}

/// What the policy makes of unknown slots.
fn settle_unknown(program: &Program, operation: &Operation, slots: &mut [Slot]) {
    let Some(policy) = &operation.params.unknown else { return };
    let signed = matches!(operation.op, Op::WeightedSum | Op::Points | Op::SumPoints);
    for slot in slots.iter_mut().filter(|slot| slot.port == "x" && slot.value == Some(Value::Unknown)) {
        match policy {
            UnknownPolicy::Skip => slot.left_out = true,
            UnknownPolicy::Constant(value) => slot.stand_in = Some(value.clone()),
            UnknownPolicy::Lowest | UnknownPolicy::Highest => {
                let falls = signed && slot.weight.as_ref().is_some_and(Number::is_negative);
                let highest = *policy == UnknownPolicy::Highest;
                let ends = slot.source.and_then(|id| program.node(id)).and_then(|node| node.ty.extremes());
                slot.stand_in = ends.map(|(low, high)| if highest == falls { low } else { high });
            }
            UnknownPolicy::Propagate | UnknownPolicy::Fires | UnknownPolicy::Passes => {}
        }
    }
}

fn counted(slot: &Slot) -> Option<&Value> {
    if slot.left_out {
        return None;
    }
    slot.stand_in.as_ref().or(slot.value.as_ref())
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(n) => Some(n.clone()),
        Value::Bool(b) => Some(Number::int(i64::from(*b))),
        _ => None,
    }
}

/// The points met of a list of items, and the positive points among those that count.
fn of_items(value: &Value, policy: Option<&UnknownPolicy>) -> (Number, Number) {
    let Value::Items(items) = value else { return (Number::ZERO, Number::ZERO) };
    let (mut met, mut positive) = (Number::ZERO, Number::ZERO);
    for item in items.iter() {
        let holds = match (item.met, policy) {
            (Some(holds), _) => holds,
            (None, Some(UnknownPolicy::Constant(Value::Bool(b)))) => *b,
            (None, Some(UnknownPolicy::Lowest)) => item.points.is_negative(),
            (None, Some(UnknownPolicy::Highest)) => item.points.is_positive(),
            (None, _) => continue,
        };
        if item.points.is_positive() {
            positive = &positive + &item.points;
        }
        if holds {
            met = &met + &item.points;
        }
    }
    (met, positive)
}

fn summands(operation: &Operation, slots: &mut [Slot]) {
    let policy = operation.params.unknown.as_ref();
    let mut whole = Number::ZERO;
    let mut parts: Vec<Option<Number>> = Vec::with_capacity(slots.len());
    for slot in slots.iter() {
        let Some(value) = counted(slot) else {
            parts.push(None);
            continue;
        };
        if matches!(value, Value::Items(_)) {
            let (met, positive) = of_items(value, policy);
            whole = &whole + &positive;
            parts.push(Some(met));
            continue;
        }
        let Some(x) = number(value) else {
            parts.push(None);
            continue;
        };
        let weight = slot.weight.clone().unwrap_or(Number::ONE);
        let counts = match operation.op {
            Op::Points => weight.is_positive(),
            _ => true,
        };
        if counts {
            whole = &whole + &weight;
        }
        parts.push(Some(&weight * &x));
    }
    let divides = matches!(operation.op, Op::Mean | Op::Fraction | Op::WeightedMean | Op::Tree | Op::Points);
    for (slot, part) in slots.iter_mut().zip(parts) {
        slot.contribution = part.and_then(|part| if divides { part.checked_div(&whole) } else { Some(part) });
    }
}

fn decisive(operation: &Operation, value: &Value, slots: &mut [Slot]) {
    let equal = |slots: &mut [Slot], wanted: &[Value]| {
        for slot in slots.iter_mut() {
            slot.decides = counted(slot).is_some_and(|own| wanted.contains(own));
        }
    };
    match operation.op {
        Op::Min | Op::Max => equal(slots, std::slice::from_ref(value)),
        Op::Vote => {
            equal(slots, std::slice::from_ref(value));
            // A tie that is settled by a label that nobody voted for: all votes made it a tie.
            if !slots.iter().any(|slot| slot.decides) {
                slots.iter_mut().for_each(|slot| slot.decides = !slot.left_out);
            }
        }
        Op::Median => {
            let mut sorted: Vec<Number> = slots.iter().filter_map(|slot| counted(slot).and_then(number)).collect();
            sorted.sort_unstable();
            let upper = sorted.len() / 2;
            let lower = if sorted.len() % 2 == 1 { upper } else { upper.saturating_sub(1) };
            let middle = [lower, upper].into_iter().filter_map(|at| sorted.get(at).cloned().map(Value::Number));
            equal(slots, &middle.collect::<Vec<_>>());
        }
        Op::All | Op::And | Op::Any | Op::Or => {
            let alone = Value::Bool(matches!(operation.op, Op::Any | Op::Or));
            match value {
                value if *value == alone => equal(slots, std::slice::from_ref(value)),
                // Only all slots together make it what it is; where it is unknown, the unknown ones do.
                Value::Unknown => equal(slots, &[Value::Unknown]),
                _ => slots.iter_mut().for_each(|slot| slot.decides = !slot.left_out),
            }
        }
        Op::Otherwise => {
            let unknown = slots.iter().any(|slot| slot.port == "x" && slot.value == Some(Value::Unknown));
            slots.iter_mut().for_each(|slot| slot.decides = slot.port == if unknown { "v" } else { "x" });
        }
        Op::If => {
            let condition = slots.iter().find(|slot| slot.port == "condition").and_then(|slot| slot.value.clone());
            let taken = match condition.and_then(|value| value.as_bool()) {
                Some(true) => "then",
                Some(false) => "else",
                None => "",
            };
            slots.iter_mut().for_each(|slot| slot.decides = slot.port == "condition" || slot.port == taken);
        }
        Op::Decide => {
            // The conditions up to the first that holds, or is unknown.
            let mut open = true;
            for slot in slots.iter_mut() {
                slot.decides = open;
                open = open && slot.value == Some(Value::Bool(false));
            }
        }
        _ => gate(operation, value, slots),
    }
}

/// A gate: the trigger chooses; then the base, or what the gate puts in its place.
fn gate(operation: &Operation, value: &Value, slots: &mut [Slot]) {
    let fires = fired(operation, slots);
    let base = slots.iter().find(|slot| slot.port == "base").and_then(|slot| slot.value.clone());
    for slot in slots.iter_mut() {
        slot.decides = match (slot.port, fires) {
            ("trigger", _) => true,
            ("base", Some(false)) => true,
            ("base", Some(true)) => match operation.op {
                Op::Cap | Op::Floor => base.as_ref() == Some(value),
                Op::Penalty => true,
                _ => false,
            },
            ("base", None) | ("at" | "to" | "by" | "with", Some(false) | None) => false,
            _ => match operation.op {
                Op::Cap | Op::Floor => slot.value.as_ref() == Some(value),
                _ => true,
            },
        };
    }
}

/// Whether a gate fired; `None` where that is not known, or where its trigger is unknown and no policy says what then.
#[must_use]
pub fn fired(operation: &Operation, slots: &[Slot]) -> Option<bool> {
    let trigger = slots.iter().find(|slot| slot.port == "trigger")?.value.as_ref()?;
    match (trigger, &operation.params.unknown) {
        (Value::Bool(holds), _) => Some(*holds),
        (_, Some(UnknownPolicy::Fires)) => Some(true),
        (_, Some(UnknownPolicy::Passes)) => Some(false),
        _ => None,
    }
}
