//! `why` against brute force on random small programs: the smallest change is one, and contributions add up.

use crate::dice::{Dice, rolls};
use crate::operations::a_value;
use crate::programs::a_program;
use proptest::prelude::*;
use rubric_lang::catalog::NodeId;
use rubric_lang::graph::{FieldId, Mode, NodeKind, Program, Readout, ReadoutKind, Tie};
use rubric_lang::mutate::below;
use rubric_lang::mutate::steps::of_type;
use rubric_lang::number::Number;
use rubric_lang::run::Leaf;
use rubric_lang::run::engine::Engine;
use rubric_lang::run::judgment::{Basis, Judged, JudgedLeaf};
use rubric_lang::run::readout::Outcome;
use rubric_lang::source::Span;
use rubric_lang::types::{Base, Field, FieldKind, Role, Value};
use rubric_lang::why::flip::{Effort, Flip, flip};
use rubric_lang::why::slots::{How, slots};
use rubric_lang::why::{Target, World};
use std::sync::Arc;

/// The last node with a value that a readout can show, as the sink, and its readout.
pub fn read_out(mut program: Program, discrete: bool) -> Option<Program> {
    let fits = |base: &Base| match base {
        Base::Bool | Base::Int { .. } | Base::Ordinal(_) | Base::Choice(_) => true,
        Base::Score { .. } => !discrete,
        _ => false,
    };
    let sink = (0..program.nodes.len()).rev().find(|at| fits(&program.nodes[*at].ty.base))?;
    let sink = NodeId(u32::try_from(sink).unwrap());
    let ty = program.nodes[sink.index()].ty.clone();
    program.sink = sink;
    let (mode, name, span) = (Mode::Pointwise, None, Span::default());
    program.readouts = vec![Readout { mode, name, source: sink, kind: ReadoutKind::Native, ty, span }];
    Some(program)
}

fn judged(program: &Program, values: &[(NodeId, Value)]) -> Judged {
    let leaf = |(node, value): &(NodeId, Value)| JudgedLeaf {
        node: *node,
        basis: Basis::Recorded,
        recorded: Vec::new(),
        rejected: None,
        items: Vec::new(),
        leaf: Leaf::Known(value.clone()),
    };
    assert!(program.nodes.len() >= values.len());
    Judged { shared: Vec::new(), own: vec![values.iter().map(leaf).collect()] }
}

fn outcome(engine: &Engine, program: &Program, values: &[(NodeId, Value)]) -> Option<Outcome> {
    let found = engine.outcomes("r", &[""], &judged(program, values)).ok()?;
    Some(found.pointwise[0][0].reading.outcome.clone())
}

fn check(rolls: Vec<u32>) -> Result<Option<bool>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(program) = read_out(a_program(&mut dice), true) else { return Ok(None) };
    let cone = below(&program, [program.sink]);
    let mut domains = Vec::new();
    let mut count = 1_usize;
    let mut values = Vec::new();
    for (at, node) in program.nodes.iter().enumerate() {
        if matches!(node.kind, NodeKind::Operator(_)) {
            continue;
        }
        let id = NodeId(u32::try_from(at).unwrap());
        values.push((id, a_value(&mut dice, &node.ty)));
        if cone.contains(&id) {
            let Some(domain) = of_type(&node.ty) else { return Ok(None) };
            count = count.saturating_mul(domain.len());
            domains.push((values.len() - 1, domain));
        }
    }
    if count > 3_000 || domains.is_empty() {
        return Ok(None);
    }
    let engine = Engine::new(Arc::new(program.clone()));
    let Some(now) = outcome(&engine, &program, &values) else { return Ok(None) };
    // Brute force: the fewest changes to another outcome.
    let mut least: Option<usize> = None;
    for number in 0..count {
        let mut rest = number;
        let mut other = values.clone();
        let mut changes = 0;
        for (place, domain) in &domains {
            let value = domain[rest % domain.len()].clone();
            rest /= domain.len();
            changes += usize::from(other[*place].1 != value);
            other[*place].1 = value;
        }
        if least.is_none_or(|least| changes < least) && outcome(&engine, &program, &other).is_some_and(|o| o != now) {
            least = Some(changes);
        }
    }
    let judged = judged(&program, &values);
    let mut world = World::new(&engine, "r", &[None], &judged);
    let target = Target { readout: 0, candidate: Some(0) };
    let found = flip(&mut world, target, Effort::default());
    match (&found, least) {
        (Flip::Found { changes, outcome: said, least: exact, at_least }, Some(least)) => {
            prop_assert!(*at_least <= least, "{found:?} against {least}\n{program:?}");
            prop_assert!(changes.len() >= least);
            prop_assert!(!exact || changes.len() == least, "{found:?} against {least}\n{program:?}");
            let mut other = values.clone();
            for (variable, value) in changes {
                let node = world.variables[*variable].node;
                other.iter_mut().find(|(id, _)| *id == node).unwrap().1 = value.clone();
            }
            let really = outcome(&engine, &program, &other);
            prop_assert_eq!(really.as_ref(), Some(said));
            prop_assert_ne!(said, &now);
        }
        (Flip::Never, None) => {}
        (Flip::Unfound { at_least }, least) => prop_assert!(least.is_none_or(|least| *at_least <= least)),
        _ => prop_assert!(false, "{found:?} against {least:?}\n{program:?}\n{values:?}"),
    }
    Ok(Some(matches!(found, Flip::Found { least: true, .. } | Flip::Never)))
}

fn adds_up(rolls: Vec<u32>) -> Result<usize, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(program) = read_out(a_program(&mut dice), false) else { return Ok(0) };
    let leaves: Vec<Leaf> = program.nodes.iter().map(|n| Leaf::Known(a_value(&mut dice, &n.ty))).collect();
    let engine = Engine::new(Arc::new(program.clone()));
    let states = engine.interpreter().states(&leaves);
    let mut sums = 0;
    for (at, node) in program.nodes.iter().enumerate() {
        let id = NodeId(u32::try_from(at).unwrap());
        let (how, slots) = slots(&program, id, node, &states);
        let value = states.value(id);
        match (how, &value) {
            (How::Summands, Some(Value::Number(value))) => {
                let sum: Number = slots.iter().filter_map(|slot| slot.contribution.clone()).sum();
                prop_assert_eq!(&sum, value, "{:?}\n{:?}", node, slots);
                sums += 1;
            }
            (How::Decides, Some(value)) if !value.is_unknown() => {
                prop_assert!(slots.iter().any(|slot| slot.decides), "{node:?}\n{slots:?}");
            }
            _ => {}
        }
    }
    Ok(sums)
}

#[test]
fn the_smallest_change_is_the_smallest() {
    let config = ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (looked, exact) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let result = runner.run(&rolls(300), |rolls| {
        if let Some(is_exact) = check(rolls)? {
            looked.set(looked.get() + 1);
            exact.set(exact.get() + usize::from(is_exact));
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(looked.get() > 100, "only {} programs", looked.get());
    assert!(exact.get() * 10 >= looked.get() * 9, "only {} of {} exact", exact.get(), looked.get());
}

#[test]
fn contributions_add_up_to_the_value() {
    let config = ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let sums = std::cell::Cell::new(0);
    let result = runner.run(&rolls(300), |rolls| {
        sums.set(sums.get() + adds_up(rolls)?);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(sums.get() > 100, "only {} sums", sums.get());
}

/// A preference over two candidates, some of whose judgments are the same for both.
fn check_pair(rolls: Vec<u32>) -> Result<Option<bool>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let Some(mut program) = read_out(a_program(&mut dice), false) else { return Ok(None) };
    let ty = program.nodes[program.sink.index()].ty.clone();
    if matches!(ty.base, Base::Choice(_)) {
        return Ok(None);
    }
    program.fields = vec![Field {
        name: "answer".into(),
        doc: "".into(),
        role: Role::Candidate,
        kind: FieldKind::Text,
        optional: false,
    }];
    let margin = dice.quarters(0, 2);
    let tie = if dice.one_in(2) { Tie::Tie } else { Tie::Abstain };
    let kind = ReadoutKind::Prefer { margin, tie };
    program.readouts =
        vec![Readout { mode: Mode::Pairwise, name: None, source: program.sink, kind, ty, span: Span::default() }];
    let cone = below(&program, [program.sink]);
    // Per leaf: its node, its candidate (none: shared), its value; and what it may be where it matters.
    let mut values: Vec<(NodeId, Option<usize>, Value)> = Vec::new();
    let mut domains: Vec<(usize, Vec<Value>)> = Vec::new();
    let mut count = 1_usize;
    for at in 0..program.nodes.len() {
        let shared = dice.one_in(4);
        let node = &mut program.nodes[at];
        let NodeKind::Criterion(criterion) = &mut node.kind else { continue };
        criterion.sees = if shared { Vec::new() } else { vec![FieldId(0)] };
        let id = NodeId(u32::try_from(at).unwrap());
        let ty = node.ty.clone();
        for candidate in if shared { vec![None] } else { vec![Some(0), Some(1)] } {
            values.push((id, candidate, a_value(&mut dice, &ty)));
            if cone.contains(&id) {
                let Some(domain) = of_type(&ty) else { return Ok(None) };
                count = count.saturating_mul(domain.len());
                domains.push((values.len() - 1, domain));
            }
        }
    }
    if count > 2_500 || domains.is_empty() {
        return Ok(None);
    }
    let of_pair = |values: &[(NodeId, Option<usize>, Value)]| {
        let list = |wanted: Option<usize>| {
            let own: Vec<(NodeId, Value)> =
                values.iter().filter(|(_, c, _)| *c == wanted).map(|(id, _, v)| (*id, v.clone())).collect();
            judged(&program, &own).own.remove(0)
        };
        Judged { shared: list(None), own: vec![list(Some(0)), list(Some(1))] }
    };
    let engine = Engine::new(Arc::new(program.clone()));
    let outcome = |values: &[(NodeId, Option<usize>, Value)]| {
        let found = engine.outcomes("r", &["a", "b"], &of_pair(values)).ok()?;
        Some(found.compared[0].reading.outcome.clone())
    };
    let Some(now) = outcome(&values) else { return Ok(None) };
    let mut least: Option<usize> = None;
    for number in 0..count {
        let mut rest = number;
        let mut other = values.clone();
        let mut changes = 0;
        for (place, domain) in &domains {
            let value = domain[rest % domain.len()].clone();
            rest /= domain.len();
            changes += usize::from(other[*place].2 != value);
            other[*place].2 = value;
        }
        if least.is_none_or(|least| changes < least) && outcome(&other).is_some_and(|o| o != now) {
            least = Some(changes);
        }
    }
    let all = of_pair(&values);
    let mut world = World::new(&engine, "r", &[Some("a".into()), Some("b".into())], &all);
    let found = flip(&mut world, Target { readout: 0, candidate: None }, Effort::default());
    match (&found, least) {
        (Flip::Found { changes, outcome: said, least: exact, at_least }, Some(least)) => {
            prop_assert!(*at_least <= least, "{found:?} against {least}\n{program:?}");
            prop_assert!(
                changes.len() >= least && (!exact || changes.len() == least),
                "{found:?} {least}\n{program:?}"
            );
            let mut other = values.clone();
            for (variable, value) in changes {
                let of = &world.variables[*variable];
                let entry = other.iter_mut().find(|(id, c, _)| *id == of.node && *c == of.candidate);
                entry.unwrap().2 = value.clone();
            }
            let really = outcome(&other);
            prop_assert_eq!(really.as_ref(), Some(said));
        }
        (Flip::Never, None) => {}
        (Flip::Unfound { at_least }, least) => prop_assert!(least.is_none_or(|least| *at_least <= least)),
        _ => prop_assert!(false, "{found:?} against {least:?}\n{program:?}\n{values:?}"),
    }
    Ok(Some(matches!(found, Flip::Found { least: true, .. } | Flip::Never)))
}

#[test]
fn the_smallest_change_of_a_preference_is_the_smallest() {
    let config =
        ProptestConfig { cases: 800, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (looked, exact) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let result = runner.run(&rolls(300), |rolls| {
        if let Some(is_exact) = check_pair(rolls)? {
            looked.set(looked.get() + 1);
            exact.set(exact.get() + usize::from(is_exact));
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(looked.get() > 40, "only {} programs", looked.get());
    assert!(exact.get() * 10 >= looked.get() * 8, "only {} of {} exact", exact.get(), looked.get());
}
