//! Bounds of every operator against brute force: all values within the ports' bounds are tried, and the hull of what comes
//! out must be the bounds, end for end.

use crate::dice::{Dice, rolls};
use crate::operations::{Case, a_case, some_bounds, values};
use proptest::prelude::*;
use rubric_lang::catalog::{Op, UnknownPolicy, VoteTie};
use rubric_lang::run::bounds::{Bounds, Known};
use rubric_lang::types::Value;

/// Combinations that are tried for one case.
const MOST: usize = 3_000;

/// The hull of all values that the operator takes; `None` where there are too many combinations.
fn brute(case: &Case, bounds: &[Bounds]) -> Option<(Bounds, Vec<Value>)> {
    let domains: Vec<Vec<Value>> = bounds.iter().map(values).collect();
    if domains.iter().map(Vec::len).product::<usize>() > MOST {
        return None;
    }
    let step = case.step();
    let mut hull: Option<Bounds> = None;
    let mut all = Vec::new();
    let mut at = vec![0; domains.len()];
    loop {
        let nodes: Vec<Value> = at.iter().zip(&domains).map(|(at, domain)| domain[*at].clone()).collect();
        let value = step.apply(&case.wired(&nodes, Value::clone));
        let one = Bounds::exactly(&value);
        hull = Some(match hull {
            Some(hull) => hull.or(one),
            None => one,
        });
        all.push(value);
        let mut place = 0;
        loop {
            if place == at.len() {
                return hull.map(|hull| (hull, all));
            }
            at[place] += 1;
            if at[place] < domains[place].len() {
                break;
            }
            at[place] = 0;
            place += 1;
        }
    }
}

/// Ordinals without gaps; the rest as it is. Whether a number is whole is a matter of the type.
fn shape(bounds: Bounds, case: &Case) -> Bounds {
    let known = match bounds.known {
        Known::Labels(ranks) if matches!(case.typed.ty.base, rubric_lang::types::Base::Ordinal(_)) => {
            Known::Labels((ranks[0]..=ranks[ranks.len() - 1]).collect())
        }
        Known::Numbers { lo, hi, .. } => {
            Known::Numbers { lo, hi, whole: matches!(case.typed.ty.base, rubric_lang::types::Base::Int { .. }) }
        }
        Known::Sets(mut labels) => {
            labels.resize(2, (true, false));
            Known::Sets(labels)
        }
        known => known,
    };
    Bounds { known, ..bounds }
}

/// What the documentation of the bounds declares to be sound only.
fn only_sound(case: &Case, bounds: &[Bounds]) -> bool {
    let extreme = matches!(case.typed.operation.params.unknown, Some(UnknownPolicy::Lowest | UnknownPolicy::Highest));
    let tied = case.typed.operation.params.tie == Some(VoteTie::Unknown);
    case.typed.operation.op == Op::Vote && extreme && (tied || bounds.iter().any(Bounds::only_unknown))
}

fn check(op: Op, rolls: Vec<u32>) -> Result<bool, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(case) = a_case(&mut dice, op, 4) else { return Ok(false) };
    let bounds: Vec<Bounds> = case.types.iter().map(|ty| some_bounds(&mut dice, ty)).collect();
    let Some((expected, all)) = brute(&case, &bounds) else { return Ok(false) };
    let found = case.step().hull(&case.wired(&bounds, Bounds::exactly));
    for value in all {
        prop_assert!(found.holds(&value), "{value:?} is not within {found:?}\n{case:?}\n{bounds:?}");
        prop_assert!(case.typed.ty.holds(&value), "{value:?} is not of type {}\n{case:?}\n{bounds:?}", case.typed.ty);
    }
    if !only_sound(&case, &bounds) {
        prop_assert_eq!(&found, &shape(expected, &case), "{:?}\n{:?}", &case, &bounds);
    }
    Ok(true)
}

#[test]
fn bounds_are_the_hull_of_the_operator() {
    for op in Op::ALL {
        let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let counted = std::cell::Cell::new(0);
        let result = runner.run(&rolls(60), |rolls| {
            counted.set(counted.get() + usize::from(check(*op, rolls)?));
            Ok(())
        });
        if let Err(error) = result {
            panic!("{}: {error}", op.word());
        }
        assert!(counted.get() >= 10, "{}: only {} well-typed cases", op.word(), counted.get());
    }
}
