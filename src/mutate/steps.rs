//! How far a constant must move before anything can come out differently.
//!
//! A threshold over a node that takes few values moves to where the next of them changes its side; over any other node it
//! moves by a hundredth of the node's interval, then by a twentieth, then by a fifth. Several steps are offered, the smallest
//! first, because a readout may round a small one away.
//!
//! The values of a node are found forwards, its inputs taken as independent: sums slot by slot, everything else by trying
//! all combinations. A node with more than [`MOST_VALUES`] of them counts as one that takes any value.

use crate::catalog::{Input, NodeId};
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::run::evaluate::Step;
use crate::types::{Base, Type, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Values of a node up to which they are told apart.
pub const MOST_VALUES: usize = 512;
/// Combinations of inputs that are tried.
const MOST_COMBINATIONS: usize = 20_000;
/// Nodes below one whose values are asked for; beyond, it counts as one that takes any value.
const MOST_NODES: usize = 5_000;

/// The values that nodes can take, found when they are first asked for.
#[derive(Debug, Default)]
pub struct Values {
    known: HashMap<NodeId, Option<Arc<Vec<Value>>>>,
}

impl Values {
    /// The numbers (ranks of labels) that a node can be, ascending; `None` where they are too many to tell.
    pub fn numbers(&mut self, program: &Program, node: NodeId) -> Option<Vec<Number>> {
        let values = self.of(program, node)?;
        let number = |value: &Value| match value {
            Value::Number(n) => Some(n.clone()),
            Value::Label(rank) => Some(Number::int(i64::from(*rank))),
            _ => None,
        };
        let found: BTreeSet<Number> = values.iter().filter_map(number).collect();
        (!found.is_empty()).then(|| found.into_iter().collect())
    }

    fn of(&mut self, program: &Program, node: NodeId) -> Option<Arc<Vec<Value>>> {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        for below in cone(program, node)? {
            if !self.known.contains_key(&below) {
                let found = self.one(program, below).map(Arc::new);
                self.known.insert(below, found);
            }
        }
        self.known.get(&node).cloned().flatten()
    }

    fn one(&self, program: &Program, id: NodeId) -> Option<Vec<Value>> {
        let node = program.node(id)?;
        let NodeKind::Operator(operation) = &node.kind else { return of_type(&node.ty) };
        let type_of = |id: NodeId| program.node(id).map(|n| n.ty.clone());
        let step = Step::new(operation, &node.ty, &type_of);
        let mut slots: Vec<Arc<Vec<Value>>> = Vec::new();
        for input in step.inputs() {
            slots.push(match input {
                Input::Constant(value) => Arc::new(vec![value.clone()]),
                Input::Node(source) => self.known.get(source).cloned().flatten()?,
            });
        }
        if operation.params.unknown.is_none()
            && let Some(weights) = operation.shares()
        {
            return sums(&slots, &weights);
        }
        let mut count = 1_usize;
        for slot in &slots {
            count = count.checked_mul(slot.len()).filter(|n| *n <= MOST_COMBINATIONS)?;
        }
        let mut found: HashSet<Value> = HashSet::new();
        for number in 0..count {
            let mut rest = number;
            let mut inputs = Vec::with_capacity(slots.len());
            for slot in &slots {
                inputs.push(slot.get(rest % slot.len().max(1))?.clone());
                rest /= slot.len().max(1);
            }
            found.insert(step.apply(&inputs));
            if found.len() > MOST_VALUES {
                return None;
            }
        }
        Some(found.into_iter().collect())
    }
}

/// The nodes that lead to this one, ascending.
fn cone(program: &Program, node: NodeId) -> Option<BTreeSet<NodeId>> {
    let mut open = vec![node];
    let mut found = BTreeSet::from([node]);
    while let Some(id) = open.pop() {
        if found.len() > MOST_NODES {
            return None;
        }
        if let NodeKind::Operator(operation) = &program.node(id)?.kind {
            open.extend(operation.sources().filter(|source| found.insert(*source)));
        }
    }
    Some(found)
}

/// All values of a type, `unknown` included, where they are few.
#[must_use]
pub fn of_type(ty: &Type) -> Option<Vec<Value>> {
    let mut values: Vec<Value> = match &ty.base {
        Base::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Base::Int { lo, hi } => {
            let (lo, hi) = (lo.to_i64()?, hi.to_i64()?);
            if usize::try_from(hi.checked_sub(lo)?).ok()? >= MOST_VALUES {
                return None;
            }
            (lo..=hi).map(|n| Value::Number(Number::int(n))).collect()
        }
        Base::Score { lo, hi } if lo == hi => vec![Value::Number(lo.clone())],
        Base::Ordinal(labels) | Base::Choice(labels) => {
            (0..u32::try_from(labels.len()).ok()?).map(Value::Label).collect()
        }
        Base::Set(labels) if labels.len() <= 8 => {
            let count = u32::try_from(labels.len()).ok()?;
            (0..1_u32 << count)
                .map(|bits| Value::Set((0..count).filter(|rank| bits >> rank & 1 == 1).collect()))
                .collect()
        }
        _ => return None,
    };
    if ty.optional {
        values.push(Value::Unknown);
    }
    (values.len() <= MOST_VALUES).then_some(values)
}

fn sums(slots: &[Arc<Vec<Value>>], weights: &[Number]) -> Option<Vec<Value>> {
    let mut sums = BTreeSet::from([Number::ZERO]);
    for (slot, weight) in slots.iter().zip(weights) {
        let mut next = BTreeSet::new();
        for value in slot.iter() {
            let n = match value {
                Value::Number(n) => n.clone(),
                Value::Bool(b) => Number::int(i64::from(*b)),
                _ => return None,
            };
            let share = weight * &n;
            next.extend(sums.iter().map(|sum| sum + &share));
            if next.len() > MOST_VALUES {
                return None;
            }
        }
        sums = next;
    }
    Some(sums.into_iter().map(Value::Number).collect())
}

/// What a threshold separates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// `x < at` from `x >= at`.
    Below,
    /// `x <= at` from `x > at`.
    Above,
    /// `x == at` from the rest.
    At,
}

/// Where a threshold moves to, the nearest first, at most three; `values` are those that are compared with it, ascending.
#[must_use]
pub fn thresholds(at: &Number, cut: Cut, values: &[Number], up: bool) -> Vec<Number> {
    // How many values lie on the lower side.
    let below = |v: &&Number| match cut {
        Cut::Below | Cut::At => *v < at,
        Cut::Above => *v <= at,
    };
    let lower = values.iter().filter(below).count();
    let moves = [1_usize, 2, 4].into_iter().filter_map(|by| {
        let place = match (cut, up) {
            (Cut::Below, true) => lower + by,
            (Cut::Below | Cut::At, false) => lower.checked_sub(by)?,
            (Cut::At, true) => lower + by - usize::from(values.get(lower) != Some(at)),
            (Cut::Above, true) => lower + by - 1,
            (Cut::Above, false) => lower.checked_sub(by + 1)?,
        };
        values.get(place).filter(|v| *v != at).cloned()
    });
    moves.collect()
}

/// Where a constant of this type moves to, the nearest first, at most three.
#[must_use]
pub fn stepped(value: &Value, ty: &Type, up: bool) -> Vec<Value> {
    match (value, &ty.base) {
        (Value::Bool(b), _) => {
            if up {
                vec![Value::Bool(!b)]
            } else {
                Vec::new()
            }
        }
        (Value::Label(rank), Base::Ordinal(labels) | Base::Choice(labels)) => {
            let next = if up { rank.checked_add(1) } else { rank.checked_sub(1) };
            next.filter(|n| (*n as usize) < labels.len()).map(Value::Label).into_iter().collect()
        }
        (Value::Number(n), base) => {
            let Some((lo, hi)) = ty.interval() else { return Vec::new() };
            let whole = matches!(base, Base::Int { .. });
            by_width(n, lo, hi, whole, up).into_iter().map(Value::Number).collect()
        }
        _ => Vec::new(),
    }
}

/// Steps of a number between two ends: 1 and 2 where it is whole, else a hundredth, a twentieth and a fifth of the width.
#[must_use]
pub fn by_width(n: &Number, lo: &Number, hi: &Number, whole: bool, up: bool) -> Vec<Number> {
    let width = hi - lo;
    let steps: Vec<Number> = if whole {
        vec![Number::ONE, Number::int(2)]
    } else {
        [100, 20, 5].into_iter().filter_map(|parts| width.checked_div(&Number::int(parts))).collect()
    };
    let moved = steps.iter().map(|step| if up { n + step } else { n - step });
    moved.filter(|m| lo <= m && m <= hi && m != n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(list: &[i64]) -> Vec<Number> {
        list.iter().map(|n| Number::int(*n)).collect()
    }

    #[test]
    fn a_threshold_moves_to_where_the_next_value_changes_its_side() {
        let values = n(&[0, 2, 5, 9]);
        let at = Number::int(3);
        // x >= 3 takes 5 and 9; above 5 only 9 is left; at 2 it takes 2 as well.
        assert_eq!(thresholds(&at, Cut::Below, &values, true), n(&[9]));
        assert_eq!(thresholds(&at, Cut::Below, &values, false), n(&[2, 0]));
        // x > 3 takes 5 and 9; x > 5 takes 9, x > 9 nothing; x > 0 takes 2 as well.
        assert_eq!(thresholds(&at, Cut::Above, &values, true), n(&[5, 9]));
        assert_eq!(thresholds(&at, Cut::Above, &values, false), n(&[0]));
        assert_eq!(thresholds(&Number::int(5), Cut::At, &values, true), n(&[9]));
        assert_eq!(thresholds(&at, Cut::At, &values, true), n(&[5, 9]));
        assert_eq!(thresholds(&at, Cut::At, &values, false), n(&[2, 0]));
    }

    #[test]
    fn constants_stay_within_their_type() {
        let top = stepped(&Value::Number(Number::int(5)), &Type::int(1, 5), true);
        assert!(top.is_empty());
        let half = Number::ratio(1, 2).unwrap();
        let moved = stepped(&Value::Number(half), &Type::UNIT, false);
        assert_eq!(moved.first().and_then(Value::as_number).map(Number::exact).as_deref(), Some("0.49"));
        assert_eq!(moved.len(), 3);
    }
}
