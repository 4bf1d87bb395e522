//! Folding: judgments that only one sum reads become one variable with the exact set of values that they add up to.
//!
//! Which of 45 items are met matters to a program only through their points, and there are some hundred sums of points but 2⁴⁵
//! sets of items. The set of sums is found by dynamic programming, slot by slot, and kept up to a size; when a solution
//! names a sum, items that come to it are found by walking back through the same sets.
//!
//! Where all slots of a sum, a mean or `points` are such judgments, the operator itself becomes the variable. Where only some are
//! and nothing can be unknown, they become one slot.

use super::domain::{Domain, End};
use super::linear::{Slot, adds_up, describe};
use super::problem::{At, Knot, Problem, Stands, Variable, What};
use crate::catalog::{Input, NodeId, Op, Operation, Params, Port, UnknownPolicy};
use crate::number::Number;
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::Step;
use crate::types::{Type, Value};
use std::collections::{BTreeSet, HashSet};

/// Values of one variable, sums of one operator, and sums over all slots together.
const MOST_VALUES: u64 = 64;
const MOST_SUMS: usize = 65_536;
const MOST_STATES: usize = 1_000_000;
/// Fewer judgments are better looked at one by one.
const FEWEST: usize = 3;

/// What slots have added up to: above and below the line; `None` where one made the result unknown.
type Sum = Option<(Number, Number)>;

/// Judgments that were folded.
#[derive(Debug)]
pub(super) struct Fold {
    members: Vec<Member>,
    /// The result is Σ n / Σ d rather than Σ n.
    divides: bool,
    /// What the sum is divided by, where only some slots were folded.
    whole: Option<Number>,
}

#[derive(Debug)]
struct Member {
    variable: Variable,
    /// Each value with what it adds; `None` where it adds nothing at all.
    adds: Vec<(Value, Option<Sum>)>,
}

impl Problem {
    /// Folds what can be folded.
    pub(super) fn fold(&mut self) {
        for at in 0..self.knots.len() {
            let Some(Knot { what: What::Step(step), inputs, .. }) = self.knots.get(at) else { continue };
            if !adds_up(step.op) {
                continue;
            }
            let own: Vec<usize> =
                (0..inputs.len()).filter(|slot| self.is_own(inputs.get(*slot).copied(), at)).collect();
            if own.len() < FEWEST {
                continue;
            }
            if own.len() == inputs.len() {
                self.fold_all(at);
            } else {
                self.fold_some(at, &own);
            }
        }
        self.connect();
    }

    /// Whether a slot holds a judgment with few values that nothing else reads.
    fn is_own(&self, from: Option<At>, reader: At) -> bool {
        let Some(knot) = from.and_then(|from| self.knots.get(from)) else { return false };
        let is_number = matches!(knot.start.bounds.known, Known::Bools { .. } | Known::Numbers { .. } | Known::Nothing);
        matches!(&knot.what, What::Variable(Variable { grid: None, stands: Stands::Leaf(_), .. }))
            && is_number
            && knot.start.count(MOST_VALUES).is_some()
            && matches!(knot.readers.as_slice(), [(only, _)] if *only == reader)
    }

    fn members(&self, step: &Step, inputs: &[At], slots: &[usize]) -> Option<Vec<Member>> {
        let mut members = Vec::with_capacity(slots.len());
        for slot in slots {
            let knot = self.knots.get(*inputs.get(*slot)?)?;
            let What::Variable(variable) = &knot.what else { return None };
            let described = describe(step, *slot);
            let values = knot.start.values(MOST_VALUES)?;
            let adds = values.into_iter().map(|value| {
                let added = adds(step, &described, &value);
                (value, added)
            });
            members.push(Member { variable: variable.clone(), adds: adds.collect() });
        }
        Some(members)
    }

    fn fold_all(&mut self, at: At) -> Option<()> {
        let knot = self.knots.get(at)?;
        let What::Step(step) = &knot.what else { return None };
        let slots: Vec<usize> = (0..knot.inputs.len()).collect();
        let divides = !matches!(step.op, Op::Sum | Op::WeightedSum | Op::Count | Op::SumPoints);
        let fold = Fold { members: self.members(step, &knot.inputs, &slots)?, divides, whole: None };
        let gone = knot.inputs.clone();
        self.put(at, fold, gone)
    }

    /// Folds some slots into the first of them, and makes the rest a weighted sum. Only where nothing can be unknown.
    fn fold_some(&mut self, at: At, own: &[usize]) -> Option<()> {
        let knot = self.knots.get(at)?;
        let What::Step(step) = &knot.what else { return None };
        let inputs = knot.inputs.clone();
        let optional = |from: &At| self.knots.get(*from).is_none_or(|knot| knot.ty.optional);
        if inputs.iter().any(optional) {
            return None;
        }
        let slots: Vec<Slot> = (0..inputs.len()).map(|slot| describe(step, slot)).collect();
        let whole: Number = match step.op {
            Op::Sum | Op::WeightedSum | Op::Count | Op::SumPoints => Number::ONE,
            _ => slots.iter().map(|slot| &slot.share).sum(),
        };
        let fold = Fold { members: self.members(step, &inputs, own)?, divides: false, whole: Some(whole.clone()) };
        let first = *inputs.get(*own.first()?)?;
        let rest: Vec<usize> = (0..inputs.len()).filter(|slot| !own.contains(slot)).collect();
        let mut weights = vec![Number::ONE];
        let mut read = vec![first];
        for slot in rest {
            weights.push(slots.get(slot)?.weight.checked_div(&whole)?);
            read.push(*inputs.get(slot)?);
        }
        let node = |at: &At| Input::Node(NodeId(u32::try_from(*at).unwrap_or(u32::MAX)));
        let operation = Operation {
            op: Op::WeightedSum,
            ports: vec![Port { name: "x", inputs: read.iter().map(node).collect() }],
            params: Params { weights, ..Params::default() }.into(),
        };
        let ty = knot.ty.clone();
        let gone: Vec<At> = own.iter().skip(1).filter_map(|slot| inputs.get(*slot).copied()).collect();
        let types: Vec<Option<Type>> = read.iter().map(|at| self.knots.get(*at).map(|knot| knot.ty.clone())).collect();
        let places = read.clone();
        let type_of = move |id: NodeId| {
            let at = places.iter().position(|at| *at == id.index())?;
            types.get(at).cloned().flatten()
        };
        let made = Step::new(&operation, &ty, &type_of);
        self.put(first, fold, gone)?;
        let knot = self.knots.get_mut(at)?;
        knot.what = What::Step(Box::new(made));
        knot.inputs = read;
        Some(())
    }

    /// Makes a knot the variable of a fold, and the knots of its members constants that nobody reads.
    fn put(&mut self, at: At, fold: Fold, gone: Vec<At>) -> Option<()> {
        let sums = fold.last()?;
        let mut grid: BTreeSet<Number> = BTreeSet::new();
        let mut unknown = false;
        for sum in sums {
            match fold.result(&sum) {
                Some(number) => drop(grid.insert(number)),
                None => unknown = true,
            }
        }
        let grid: Vec<Number> = grid.into_iter().collect();
        let start = match (grid.first(), grid.last()) {
            (Some(lo), Some(hi)) => Domain::numbers(End::closed(lo.clone()), End::closed(hi.clone()), false, unknown),
            _ => Domain::unknown(),
        };
        let number = self.folds.len();
        let candidate = fold.members.first().map_or(0, |member| member.variable.candidate);
        self.folds.push(fold);
        for member in gone {
            if let Some(knot) = self.knots.get_mut(member) {
                let value = knot.start.values(MOST_VALUES).and_then(|all| all.first().cloned());
                knot.start = Domain::exactly(&value.unwrap_or(Value::Unknown));
                knot.what = What::Constant;
            }
        }
        let knot = self.knots.get_mut(at)?;
        if !matches!(knot.what, What::Step(_)) {
            // A slot: its type was a judgment's.
            let (lo, hi) = (grid.first().cloned().unwrap_or_default(), grid.last().cloned().unwrap_or_default());
            knot.ty = Type::score(lo, hi);
        }
        knot.start = start;
        knot.inputs.clear();
        knot.what = What::Variable(Variable { candidate, stands: Stands::Folded(number), grid: Some(grid.into()) });
        Some(())
    }
}

/// What a value of a slot adds; `None`: nothing, it drops out.
fn adds(step: &Step, slot: &Slot, value: &Value) -> Option<Sum> {
    let share = if slot.share.is_zero() && step.op != Op::Points { Number::ONE } else { slot.share.clone() };
    let number = match value {
        Value::Unknown => match (&step.params.unknown, &slot.stand_in) {
            (Some(UnknownPolicy::Skip), _) => return None,
            (_, Some(number)) => number.clone(),
            _ => return Some(None),
        },
        other => Bounds::exactly(other).interval().map(|(n, _)| n).unwrap_or_default(),
    };
    Some(Some((&slot.weight * &number, share)))
}

impl Fold {
    /// The sums after each member, from none on; `None` where there are too many.
    fn sums(&self) -> Option<Vec<HashSet<Sum>>> {
        let mut all = vec![HashSet::from([Some((Number::ZERO, Number::ZERO))])];
        let mut states = 0;
        for member in &self.members {
            let mut next = HashSet::new();
            for sum in all.last()? {
                for (_, added) in &member.adds {
                    next.insert(self.plus(sum, added.as_ref()));
                    if next.len() > MOST_SUMS {
                        return None;
                    }
                }
            }
            states += next.len();
            if states > MOST_STATES {
                return None;
            }
            all.push(next);
        }
        Some(all)
    }

    fn last(&self) -> Option<HashSet<Sum>> {
        self.sums()?.pop()
    }

    fn plus(&self, sum: &Sum, added: Option<&Sum>) -> Sum {
        let (n, d) = sum.as_ref()?;
        match added {
            None => sum.clone(),
            Some(None) => None,
            Some(Some((m, e))) => {
                // A sum only needs to know whether anything was added at all.
                let below = if self.divides { d + e } else { Number::ONE };
                Some((n + m, below))
            }
        }
    }

    /// The number that a sum comes to; `None`: unknown.
    fn result(&self, sum: &Sum) -> Option<Number> {
        let (n, d) = sum.as_ref()?;
        match &self.whole {
            Some(whole) => n.checked_div(whole),
            None if d.is_zero() => None,
            None if self.divides => n.checked_div(d),
            None => Some(n.clone()),
        }
    }

    /// Values of the members that come to a value, each with its variable.
    pub(super) fn unfold(&self, value: &Value) -> Option<Vec<(Variable, Value)>> {
        let sums = self.sums()?;
        let wanted = value.as_number();
        // The same one in every run, whatever the order of the set.
        let mut goal = sums.last()?.iter().filter(|sum| self.result(sum).as_ref() == wanted).min().cloned()?;
        let mut found = Vec::with_capacity(self.members.len());
        for (member, before) in self.members.iter().zip(&sums).rev() {
            let mut earlier: Vec<&Sum> = before.iter().collect();
            earlier.sort();
            let (value, from) = member.adds.iter().find_map(|(value, added)| {
                let from = earlier.iter().find(|from| self.plus(from, added.as_ref()) == goal)?;
                Some((value.clone(), (*from).clone()))
            })?;
            found.push((member.variable.clone(), value));
            goal = from;
        }
        Some(found)
    }
}
