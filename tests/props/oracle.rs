//! The interpreter against the independent one, on random operations and values.

use crate::dice::{Dice, rolls};
use crate::naive;
use crate::operations::{a_case, a_value};
use proptest::prelude::*;
use rubric_lang::catalog::Op;
use rubric_lang::run::bounds::Bounds;
use rubric_lang::types::Value;

fn check(op: Op, rolls: Vec<u32>) -> Result<bool, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(case) = a_case(&mut dice, op, 6) else { return Ok(false) };
    let step = case.step();
    for _ in 0..4 {
        let nodes: Vec<Value> = case.types.iter().map(|ty| a_value(&mut dice, ty)).collect();
        let found = step.apply(&case.wired(&nodes, Value::clone));
        let expected = naive::apply(
            &case.typed.operation,
            &case.typed.ty,
            &case.types,
            &nodes.iter().map(naive::v).collect::<Vec<_>>(),
        );
        prop_assert_eq!(naive::v(&found), expected, "{:?}\n{:?}", &case, &nodes);
        let bounds = step.hull(&case.wired(&nodes.iter().map(Bounds::exactly).collect::<Vec<_>>(), Bounds::exactly));
        let exact = bounds.exact();
        prop_assert_eq!(exact.as_ref(), Some(&found), "{:?}\n{:?}", &case, &nodes);
        prop_assert!(case.typed.ty.holds(&found), "{found:?} is not of type {}\n{case:?}\n{nodes:?}", case.typed.ty);
    }
    Ok(true)
}

#[test]
fn both_interpreters_agree() {
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
