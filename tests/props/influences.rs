//! `influence` against brute force on random small programs: what was seen can be, and no more than what is proved.

use crate::dice::{Dice, rolls};
use crate::operations::a_value;
use crate::programs::a_program;
use crate::whys::read_out;
use proptest::prelude::*;
use rubric_lang::catalog::NodeId;
use rubric_lang::graph::NodeKind;
use rubric_lang::mutate::below;
use rubric_lang::mutate::steps::of_type;
use rubric_lang::number::Number;
use rubric_lang::run::Leaf;
use rubric_lang::run::evaluate::Interpreter;
use rubric_lang::run::readout::readers;
use rubric_lang::types::{Base, Value};
use rubric_lang::why::influence::{Decides, Options, influence};
use std::collections::HashMap;
use std::sync::Arc;

fn rank(value: &Value) -> Option<Number> {
    match value {
        Value::Number(n) => Some(n.clone()),
        Value::Bool(b) => Some(Number::int(i64::from(*b))),
        Value::Label(rank) => Some(Number::int(i64::from(*rank))),
        _ => None,
    }
}

fn check(rolls: Vec<u32>) -> Result<Option<(usize, usize)>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(program) = read_out(a_program(&mut dice), false) else { return Ok(None) };
    let cone = below(&program, [program.sink]);
    let mut domains: Vec<(NodeId, Vec<Value>)> = Vec::new();
    let mut count = 1_usize;
    let mut leaves: Vec<Leaf> = program.nodes.iter().map(|n| Leaf::Known(a_value(&mut dice, &n.ty))).collect();
    for (at, node) in program.nodes.iter().enumerate() {
        let id = NodeId(u32::try_from(at).unwrap());
        if matches!(node.kind, NodeKind::Operator(_)) || !cone.contains(&id) {
            continue;
        }
        let Some(domain) = of_type(&node.ty) else { return Ok(None) };
        count = count.saturating_mul(domain.len());
        domains.push((id, domain));
    }
    if count > 1_500 || domains.is_empty() {
        return Ok(None);
    }
    let unordered = matches!(program.nodes[program.sink.index()].ty.base, Base::Choice(_));
    let interpreter = Interpreter::new(&program);
    let reader = readers(&program).remove(0);
    let mut outcomes = Vec::with_capacity(count);
    for number in 0..count {
        let mut rest = number;
        for (id, domain) in &domains {
            leaves[id.index()] = Leaf::Known(domain[rest % domain.len()].clone());
            rest /= domain.len();
        }
        let states = interpreter.states(&leaves);
        outcomes.push((states.value(program.sink).as_ref().and_then(rank), reader.one(&states).outcome));
    }
    let program = Arc::new(program);
    let found = influence(&program, &Options::default());
    let by_node: HashMap<NodeId, _> = found.reaches.iter().map(|reach| (reach.node, reach)).collect();
    let (mut exact, mut looked) = (0, 0);
    let mut stride = 1;
    for (id, domain) in &domains {
        let (mut most, mut decides) = (Number::ZERO, false);
        for (at, (number, outcome)) in outcomes.iter().enumerate() {
            let own = at / stride % domain.len();
            for other in own + 1..domain.len() {
                let (other_number, other_outcome) = &outcomes[at + (other - own) * stride];
                decides |= outcome != other_outcome;
                if let (Some(a), Some(b)) = (number, other_number) {
                    let far = (a - b).abs();
                    most = most.max(if unordered { far.min(Number::ONE) } else { far });
                }
            }
        }
        stride *= domain.len();
        let reach = by_node[id];
        prop_assert!(reach.at_least <= most, "{reach:?} but it is {most}\n{program:?}");
        prop_assert!(reach.at_most >= most, "{reach:?} but it is {most}\n{program:?}");
        match reach.decides[0] {
            Decides::Yes => prop_assert!(decides, "{reach:?}\n{program:?}"),
            Decides::Never => prop_assert!(!decides, "{reach:?}\n{program:?}"),
            Decides::NotFound => {}
        }
        looked += 1;
        exact += usize::from(reach.is_exact() && reach.decides[0] != Decides::NotFound);
    }
    Ok(Some((exact, looked)))
}

#[test]
fn reaches_are_what_brute_force_finds() {
    let config = ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (exact, looked) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let result = runner.run(&rolls(300), |rolls| {
        if let Some((all_exact, all)) = check(rolls)? {
            exact.set(exact.get() + all_exact);
            looked.set(looked.get() + all);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(looked.get() > 100, "only {} judgments", looked.get());
    assert!(exact.get() * 10 >= looked.get() * 9, "only {} of {} exact", exact.get(), looked.get());
}
