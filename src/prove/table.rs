//! Parts of a problem that depend on one judgment with few values, and read it more than once.
//!
//! Narrowing looks at one operator at a time, so of `c >= 4 or c == unknown` it says nothing about c. Where c is the only
//! judgment that something depends on, all its values are computed once, and the answer is exact.

use super::domain::Domain;
use super::problem::{At, Problem, Table, What};
use crate::types::Value;
use std::collections::{BTreeMap, HashMap};

/// Values of a variable up to which a table is made.
const MOST_VALUES: u64 = 64;
/// Rows times knots of all tables together.
const MOST_WORK: usize = 200_000;

/// What a knot depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sole {
    Nothing,
    One(At),
    Several,
}

/// The tables of a problem, by knot.
pub(super) fn tables(problem: &Problem) -> HashMap<At, Table> {
    let mut sole: Vec<Sole> = Vec::with_capacity(problem.knots.len());
    // By variable: the knots that depend on it alone, and those of them that have a table.
    let mut below: BTreeMap<At, (Vec<At>, Vec<At>)> = BTreeMap::new();
    for (at, knot) in problem.knots.iter().enumerate() {
        let own = match &knot.what {
            What::Constant => Sole::Nothing,
            What::Variable(variable) if variable.grid.is_none() && knot.start.count(MOST_VALUES).is_some() => {
                Sole::One(at)
            }
            What::Variable(_) => Sole::Several,
            What::Step(_) => knot.inputs.iter().fold(Sole::Nothing, |all, from| {
                match (all, sole.get(*from).copied().unwrap_or(Sole::Several)) {
                    (Sole::Nothing, other) | (other, Sole::Nothing) => other,
                    (a, b) if a == b => a,
                    _ => Sole::Several,
                }
            }),
        };
        if let (Sole::One(variable), What::Step(_)) = (own, &knot.what) {
            let (all, tabled) = below.entry(variable).or_default();
            all.push(at);
            let ways = knot.inputs.iter().filter(|from| sole.get(**from) == Some(&Sole::One(variable))).count();
            if ways > 1 {
                tabled.push(at);
            }
        }
        sole.push(own);
    }
    let mut found = HashMap::new();
    let mut work = 0;
    for (variable, (all, tabled)) in below {
        let Some(values) = problem.knots.get(variable).and_then(|knot| knot.start.values(MOST_VALUES)) else {
            continue;
        };
        work += values.len() * all.len();
        if tabled.is_empty() || work > MOST_WORK {
            continue;
        }
        let computed: Option<Vec<_>> = values.iter().map(|value| problem.alone(variable, value, &all)).collect();
        for (value, computed) in values.iter().zip(computed.unwrap_or_default()) {
            for at in &tabled {
                let table = found.entry(*at).or_insert_with(|| Table { variable, rows: Vec::new() });
                table.rows.push((value.clone(), computed.get(at).cloned().unwrap_or(Value::Unknown)));
            }
        }
    }
    found
}

impl Problem {
    /// The values of some knots that depend on one variable only.
    fn alone(&self, variable: At, value: &Value, knots: &[At]) -> Option<HashMap<At, Value>> {
        let mut values: HashMap<At, Value> = HashMap::from([(variable, value.clone())]);
        for at in knots {
            let knot = self.knots.get(*at)?;
            let What::Step(step) = &knot.what else { continue };
            let read = |from: &At| match values.get(from) {
                Some(value) => Some(value.clone()),
                None => self.knots.get(*from)?.start.exact(),
            };
            let inputs: Option<Vec<Value>> = knot.inputs.iter().map(read).collect();
            values.insert(*at, step.apply(&inputs?));
        }
        Some(values)
    }
}

impl Table {
    /// The variable without the values that lead out of `own`, and what its values lead to.
    pub(super) fn narrow(&self, variable: &Domain, own: &Domain) -> (Domain, Domain) {
        let mut held = variable.clone();
        let mut left = Domain::empty();
        for (value, result) in &self.rows {
            if variable.holds(value) && own.holds(result) {
                left = left.or(Domain::exactly(result));
            }
        }
        // From both ends inwards, as whole numbers lose values at their ends only.
        for (value, result) in self.rows.iter().chain(self.rows.iter().rev()) {
            if held.holds(value) && !own.holds(result) {
                held = held.without(value);
            }
        }
        (held, left)
    }
}
