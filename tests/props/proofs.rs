//! The prover against brute force, on random programs and conditions: what it calls impossible, no assignment does; what it
//! finds, the interpreter confirms; and where every judgment has few values, it decides.

use crate::dice::{Dice, rolls, times};
use crate::operations::values;
use crate::programs::a_program;
use proptest::prelude::*;
use rubric_lang::catalog::NodeId;
use rubric_lang::graph::spec::{Comparison, Condition, Operand, Require, RequireKind, Rising};
use rubric_lang::graph::{Mode, NodeKind, Program, Readout, ReadoutKind, Tie};
use rubric_lang::number::Number;
use rubric_lang::prove::{Budget, Found, Query, Shared, Verdict, find, prove};
use rubric_lang::run::bounds::Bounds;
use rubric_lang::run::evaluate::{Interpreter, States};
use rubric_lang::run::readout::{Candidate, readers};
use rubric_lang::run::spec::{Answer, World};
use rubric_lang::run::{Leaf, blank_leaves};
use rubric_lang::source::Span;
use rubric_lang::types::{Base, Type, Value};
use std::time::Duration;

/// Assignments of one candidate that are tried.
const MOST: usize = 2_500;

/// The leaves that a node depends on.
pub fn leaves_below(program: &Program, top: NodeId) -> Vec<NodeId> {
    let mut below = vec![false; program.nodes.len()];
    below[top.index()] = true;
    for at in (0..program.nodes.len()).rev() {
        if let NodeKind::Operator(operation) = &program.nodes[at].kind
            && below[at]
        {
            operation.sources().for_each(|source| below[source.index()] = true);
        }
    }
    let is_leaf = |at: &usize| below[*at] && !matches!(program.nodes[*at].kind, NodeKind::Operator(_));
    (0..program.nodes.len()).filter(is_leaf).map(|at| NodeId(at as u32)).collect()
}

/// Every assignment of the leaves, of scores those on a grid; `None` where there are too many. Beside it, whether that is all.
pub fn assignments(program: &Program, leaves: &[NodeId]) -> Option<(Vec<States>, bool)> {
    let types: Vec<&Type> = leaves.iter().map(|id| &program.nodes[id.index()].ty).collect();
    let domains: Vec<Vec<Value>> = types.iter().map(|ty| values(&Bounds::of(ty))).collect();
    if domains.iter().map(Vec::len).try_fold(1_usize, usize::checked_mul)? > MOST {
        return None;
    }
    let whole = types.iter().all(|ty| !matches!(ty.base, Base::Score { .. }));
    let interpreter = Interpreter::new(program);
    let mut at = vec![0; domains.len()];
    let mut all = Vec::new();
    loop {
        let mut given = blank_leaves(program);
        for ((id, at), domain) in leaves.iter().zip(&at).zip(&domains) {
            given[id.index()] = Leaf::Known(domain[*at].clone());
        }
        all.push(interpreter.states(&given));
        let mut place = 0;
        loop {
            if place == at.len() {
                return Some((all, whole));
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

pub fn holds(program: &Program, states: &[States], condition: &Condition) -> bool {
    let ids = ["a", "b"];
    let candidates: Vec<Candidate<'_>> = ids.iter().zip(states).map(|(id, states)| Candidate { id, states }).collect();
    let readings = readers(program).into_iter().map(|reader| match reader.mode() {
        Mode::Pointwise => states.iter().map(|s| reader.one(s)).collect(),
        _ => reader.all("r", &candidates).into_iter().collect(),
    });
    World { program, states, readings: readings.collect() }.answer(condition) == Answer::Holds
}

fn a_constant(dice: &mut Dice, ty: &Type) -> Value {
    let all = values(&Bounds::of(&ty.clone().known()));
    dice.pick(&all).clone()
}

fn a_comparison(dice: &mut Dice, ty: &Type, operand: Operand, pair: Option<Operand>) -> Condition {
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    if ty.is_bool() && pair.is_none() && dice.one_in(2) {
        return Condition::Holds(operand);
    }
    if ty.optional && dice.one_in(5) {
        let op = *dice.pick(&[Equal, NotEqual]);
        return Condition::Compare { op, left: operand, right: Operand::Abstains };
    }
    let op = if ty.is_number() || matches!(ty.base, Base::Ordinal(_)) {
        *dice.pick(&[Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual])
    } else {
        *dice.pick(&[Equal, NotEqual])
    };
    let right = pair.filter(|_| dice.one_in(2)).unwrap_or_else(|| Operand::Constant(a_constant(dice, ty)));
    Condition::Compare { op, left: operand, right }
}

/// A condition on the sink, the readouts and some leaf, of so many candidates.
fn a_condition(dice: &mut Dice, program: &Program, candidates: usize) -> Condition {
    let leaves = leaves_below(program, program.sink);
    let parts = 1 + dice.below(3);
    let mut all = Vec::new();
    for _ in 0..parts {
        let candidate = dice.below(candidates);
        let part = match dice.below(4) {
            0 if !leaves.is_empty() => {
                let node = *dice.pick(&leaves);
                let ty = program.nodes[node.index()].ty.clone();
                let pair = (candidates == 2).then_some(Operand::Node { candidate: 1 - candidate, node });
                a_comparison(dice, &ty, Operand::Node { candidate, node }, pair)
            }
            1 if !program.readouts.is_empty() => {
                let readout = dice.below(program.readouts.len());
                let found = &program.readouts[readout];
                if found.mode == Mode::Pairwise {
                    let op = if dice.one_in(2) { Comparison::NotEqual } else { Comparison::Equal };
                    let right = match dice.below(4) {
                        0 => Operand::Wins(0),
                        1 => Operand::Wins(1),
                        2 => Operand::Tie,
                        _ => Operand::Abstains,
                    };
                    if candidates == 1 {
                        continue;
                    }
                    Condition::Compare { op, left: Operand::Readout { candidate: 0, readout }, right }
                } else {
                    a_comparison(dice, &found.ty.clone(), Operand::Readout { candidate, readout }, None)
                }
            }
            _ => {
                let node = program.sink;
                let ty = program.nodes[node.index()].ty.clone();
                let pair = (candidates == 2).then_some(Operand::Node { candidate: 1 - candidate, node });
                a_comparison(dice, &ty, Operand::Node { candidate, node }, pair)
            }
        };
        all.push(if dice.one_in(4) { Condition::Not(Box::new(part)) } else { part });
    }
    if dice.one_in(4) { Condition::Or(all) } else { Condition::And(all) }
}

fn add_readouts(dice: &mut Dice, program: &mut Program) {
    let ty = program.nodes[program.sink.index()].ty.clone();
    let readout =
        |mode, kind, ty: Type| Readout { mode, name: None, source: NodeId(0), kind, ty, span: Span::default() };
    if let Some((lo, hi)) = ty.extremes() {
        let at = if dice.one_in(2) { lo } else { hi };
        program.readouts.push(readout(
            Mode::Pointwise,
            ReadoutKind::Pass { at },
            Type::BOOL.with_optional(ty.optional),
        ));
        let margin = if dice.one_in(2) { Number::ZERO } else { Number::ratio(1, 2).unwrap() };
        let keys = vec![NodeId(dice.below(program.nodes.len()) as u32)];
        let ordered = program.nodes[keys[0].index()].ty.extremes().is_some();
        let tie = match dice.below(4) {
            0 => Tie::Tie,
            1 => Tie::Abstain,
            2 => Tie::First,
            _ if ordered => Tie::By { keys, tie: dice.one_in(2) },
            _ => Tie::Tie,
        };
        program.readouts.push(readout(Mode::Pairwise, ReadoutKind::Prefer { margin, tie }, ty));
    }
    for readout in &mut program.readouts {
        readout.source = program.sink;
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Case {
    Skipped,
    Found,
    None,
    Undecided,
}

fn check(rolls: Vec<u32>, candidates: usize) -> Result<Case, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let mut program = a_program(&mut dice);
    add_readouts(&mut dice, &mut program);
    let condition = a_condition(&mut dice, &program, candidates);
    // All leaves see no candidate in these programs, so both must be told apart.
    let leaves: Vec<NodeId> = (0..program.nodes.len())
        .map(|at| NodeId(at as u32))
        .filter(|id| !matches!(program.nodes[id.index()].kind, NodeKind::Operator(_)))
        .collect();
    let below: Vec<NodeId> = {
        let mut below = leaves_below(&program, program.sink);
        for readout in &program.readouts {
            if let ReadoutKind::Prefer { tie: Tie::By { keys, .. }, .. } = &readout.kind {
                below.extend(keys.iter().flat_map(|key| leaves_below(&program, *key)));
            }
        }
        below.sort();
        below.dedup();
        below
    };
    let query = Query { condition: &condition, candidates, shared: Shared::AllBut(leaves), held: Vec::new() };
    let budget = Budget { boxes: 3_000, time: Duration::from_secs(10) };
    let (found, _) = find(&program, &query, &budget);
    let brute = assignments(&program, &below);
    match &found {
        Found::Hit(_) => return Ok(Case::Found),
        Found::None => {}
        Found::Undecided(why) => {
            if matches!(brute, Some((_, true))) {
                return Err(TestCaseError::fail(format!(
                    "undecided though finite: {why}\n{condition:?}\n{program:#?}"
                )));
            }
            return Ok(Case::Undecided);
        }
    }
    let Some((all, _)) = brute else { return Ok(Case::Skipped) };
    if candidates == 1 {
        for states in &all {
            prop_assert!(
                !holds(&program, std::slice::from_ref(states), &condition),
                "called impossible, but it is so\n{condition:?}\n{states:?}\n{program:#?}"
            );
        }
    } else {
        let step = 1 + all.len() / 40;
        for a in all.iter().step_by(step) {
            for b in all.iter().step_by(step) {
                prop_assert!(
                    !holds(&program, &[a.clone(), b.clone()], &condition),
                    "called impossible, but it is so\n{condition:?}\n{a:?}\n{b:?}\n{program:#?}"
                );
            }
        }
    }
    Ok(Case::None)
}

fn run(cases: u32, candidates: usize) -> [u32; 4] {
    let config = ProptestConfig { cases: times(cases), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let counted = std::cell::Cell::new([0; 4]);
    let result = runner.run(&rolls(400), |rolls| {
        let mut counts = counted.get();
        counts[check(rolls, candidates)? as usize] += 1;
        counted.set(counts);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    counted.get()
}

#[test]
fn what_is_impossible_no_assignment_does() {
    let [_, found, none, undecided] = run(1_200, 1);
    assert!(found > 100 && none > 100, "{found} found, {none} none");
    assert!(undecided < times(40), "{undecided} undecided");
}

#[test]
fn what_is_impossible_no_pair_of_assignments_does() {
    let [_, found, none, undecided] = run(500, 2);
    assert!(found > 30 && none > 30, "{found} found, {none} none");
    assert!(undecided < times(50), "{undecided} undecided");
}

/// Whether the sink goes the wrong way between two assignments that differ in `leaf` only.
fn falls(program: &Program, leaf: NodeId, rising: bool) -> Option<(bool, bool)> {
    let below = leaves_below(program, program.sink);
    if !below.contains(&leaf) {
        return None;
    }
    let (all, whole) = assignments(program, &below)?;
    let key = |states: &States| -> Vec<Value> {
        below.iter().filter(|id| **id != leaf).map(|id| states.value(*id).unwrap()).collect()
    };
    let order = |a: &Value, b: &Value| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Label(a), Value::Label(b)) => a.cmp(b),
        (Value::Tally(a), Value::Tally(b)) if a != b && a.iter().zip(b.iter()).all(|(a, b)| a <= b) => {
            std::cmp::Ordering::Less
        }
        _ => std::cmp::Ordering::Equal,
    };
    let mut groups: std::collections::HashMap<Vec<Value>, Vec<(Value, Value)>> = std::collections::HashMap::new();
    for states in &all {
        let pair = (states.value(leaf).unwrap(), states.value(program.sink).unwrap());
        groups.entry(key(states)).or_default().push(pair);
    }
    let wrong = if rising { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less };
    let fall = groups
        .values()
        .any(|group| group.iter().any(|(x, s)| group.iter().any(|(y, t)| order(x, y).is_lt() && order(s, t) == wrong)));
    Some((fall, whole))
}

fn check_order(rolls: Vec<u32>) -> Result<Option<bool>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let program = a_program(&mut dice);
    let sink = &program.nodes[program.sink.index()].ty;
    let leaves: Vec<NodeId> = leaves_below(&program, program.sink)
        .into_iter()
        .filter(|id| !matches!(program.nodes[id.index()].ty.base, Base::Choice(_) | Base::Set(_)))
        .collect();
    if leaves.is_empty() || !(sink.is_number() || matches!(sink.base, Base::Bool | Base::Ordinal(_))) {
        return Ok(None);
    }
    let leaf = *dice.pick(&leaves);
    let rising = dice.one_in(2);
    let what = Rising { leaves: vec![leaf], by_sign: false };
    let kind = if rising { RequireKind::Increasing(what) } else { RequireKind::Decreasing(what) };
    let require = Require { name: None, candidates: 1, kind, text: "".into(), span: Span::default() };
    let verdict = prove(&program, &require, &Budget { boxes: 3_000, time: Duration::from_secs(10) });
    let Some((fall, whole)) = falls(&program, leaf, rising) else { return Ok(None) };
    match verdict {
        Verdict::Proved { .. } => prop_assert!(!fall, "proved {rising} in {leaf:?}, but it is not so\n{program:#?}"),
        Verdict::Disproved(found) => {
            prop_assert!(!whole || fall, "disproved {rising} in {leaf:?}, but it is so\n{found:?}\n{program:#?}");
        }
        Verdict::Undecided { why, .. } => {
            prop_assert!(!whole, "undecided: {why}\n{program:#?}");
        }
        Verdict::Unreachable { .. } => prop_assert!(false, "an order is never unreachable"),
    }
    Ok(Some(fall))
}

#[test]
fn what_rises_rises_in_every_assignment() {
    let config = ProptestConfig { cases: times(800), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let counted = std::cell::Cell::new((0, 0));
    let result = runner.run(&rolls(400), |rolls| {
        let (mut falls, mut rises) = counted.get();
        match check_order(rolls)? {
            Some(true) => falls += 1,
            Some(false) => rises += 1,
            None => {}
        }
        counted.set((falls, rises));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (falls, rises) = counted.get();
    assert!(falls > 20 && rises > 20, "{falls} fall, {rises} rise");
}
