//! Whole random programs: every value belongs to its node's type, bounds hold every completion, and are exact where nothing
//! is missing.

use crate::dice::{Dice, rolls};
use crate::operations::{a_case, a_type, a_value};
use proptest::prelude::*;
use rubric_lang::catalog::{Input, NodeId, Op, Operation};
use rubric_lang::graph::{Combine, Criterion, Node, NodeKind, Origin, Procedure, Program, Template};
use rubric_lang::run::evaluate::Interpreter;
use rubric_lang::run::{Leaf, Missing, MissingReason};
use rubric_lang::source::Span;
use rubric_lang::types::{Type, Value};

pub fn leaf(name: &str, ty: &Type) -> Node {
    let criterion = Criterion {
        ty: ty.clone(),
        origin: Origin::Declared,
        ask: Template::default(),
        levels: Vec::new(),
        examples: Vec::new(),
        sees: Vec::new(),
        sees_written: false,
        applies: None,
        procedure: Procedure::Human { combine: Combine::Majority },
        tags: Vec::new(),
    };
    node(name, ty, NodeKind::Criterion(Box::new(criterion)))
}

fn node(name: &str, ty: &Type, kind: NodeKind) -> Node {
    Node { name: name.into(), doc: "".into(), ty: ty.clone(), kind, span: Span::default() }
}

pub fn program(nodes: Vec<Node>) -> Program {
    let sink = NodeId(u32::try_from(nodes.len()).unwrap() - 1);
    Program {
        name: "random".into(),
        doc: "".into(),
        fields: Vec::new(),
        candidate: "answer".into(),
        checklists: Vec::new(),
        nodes,
        sink,
        readouts: Vec::new(),
        observed: Vec::new(),
        requires: Vec::new(),
        tests: Vec::new(),
    }
}

pub fn a_program(dice: &mut Dice) -> Program {
    let mut nodes: Vec<Node> = (0..3).map(|n| leaf(&format!("leaf{n}"), &a_type(dice))).collect();
    for n in 0..8 {
        dice.pool = nodes.iter().map(|node| node.ty.clone()).collect();
        let op = *dice.pick(Op::ALL);
        let Some(case) = a_case(dice, op, 4) else { continue };
        // Each slot reads an earlier node of its type, or a new leaf.
        let mut wires = Vec::new();
        for ty in &case.types {
            let fitting: Vec<usize> = (0..nodes.len()).filter(|at| nodes[*at].ty == *ty).collect();
            if fitting.is_empty() {
                wires.push(nodes.len());
                nodes.push(leaf(&format!("leaf{n}.{}", wires.len()), ty));
            } else {
                wires.push(*dice.pick(&fitting));
            }
        }
        let mut operation: Operation = case.typed.operation;
        for input in operation.ports.iter_mut().flat_map(|port| &mut port.inputs) {
            if let Input::Node(id) = input {
                *id = NodeId(u32::try_from(wires[id.index()]).unwrap());
            }
        }
        nodes.push(node(&format!("node{n}"), &case.typed.ty, NodeKind::Operator(Box::new(operation))));
    }
    dice.pool.clear();
    program(nodes)
}

fn missing() -> Leaf {
    Leaf::Missing(Missing { reason: MissingReason::Pending, detail: String::new() })
}

fn check(rolls: Vec<u32>, missing_in: usize) -> Result<usize, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let program = a_program(&mut dice);
    let interpreter = Interpreter::new(&program);
    let leaves: Vec<Leaf> = program
        .nodes
        .iter()
        .map(|node| if dice.one_in(missing_in) { missing() } else { Leaf::Known(a_value(&mut dice, &node.ty)) })
        .collect();
    let states = interpreter.states(&leaves);
    for _ in 0..6 {
        let complete: Vec<Leaf> = leaves
            .iter()
            .zip(&program.nodes)
            .map(|(leaf, node)| match leaf {
                Leaf::Missing(_) => Leaf::Known(a_value(&mut dice, &node.ty)),
                known => known.clone(),
            })
            .collect();
        let values = interpreter.values(&complete);
        for (at, (value, node)) in values.iter().zip(&program.nodes).enumerate() {
            let id = NodeId(u32::try_from(at).unwrap());
            let Some(value) = value else {
                return Err(TestCaseError::fail(format!("{} has no value though nothing is missing", node.name)));
            };
            prop_assert!(node.ty.holds(value), "{value:?} of {} is not of type {}\n{program:?}", node.name, node.ty);
            let bounds = states.bounds(id);
            prop_assert!(
                bounds.holds(value),
                "{value:?} of {} is not within {bounds:?}\n{:?}\n{program:?}",
                node.name,
                node.kind
            );
            if let Some(known) = states.value(id) {
                prop_assert_eq!(&known, value);
            }
        }
    }
    for (at, node) in program.nodes.iter().enumerate() {
        let bounds = states.bounds(NodeId(u32::try_from(at).unwrap()));
        if let Some((low, high)) = bounds.ends() {
            prop_assert!(node.ty.holds(&low) && node.ty.holds(&high), "{bounds:?} leave type {}", node.ty);
        }
        prop_assert!(node.ty.optional || !bounds.unknown, "{} is never unknown", node.name);
    }
    if leaves
        .iter()
        .zip(&program.nodes)
        .all(|(leaf, node)| matches!(leaf, Leaf::Known(_)) || matches!(node.kind, NodeKind::Operator(_)))
    {
        prop_assert!(states.complete());
    }
    Ok(program.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Operator(_))).count())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bounds_hold_every_completion(rolls in rolls(400)) {
        check(rolls, 3)?;
    }

    #[test]
    fn values_belong_to_their_types(rolls in rolls(400)) {
        check(rolls, 1_000_000)?;
    }
}

#[test]
fn random_programs_are_not_trivial() {
    let mut operators = 0;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..100 {
        let tree = rolls(400).new_tree(&mut runner).unwrap();
        operators += check(proptest::strategy::ValueTree::current(&tree), 3).unwrap();
    }
    assert!(operators > 200, "only {operators} operators in 100 programs");
}

#[test]
fn values_by_type_are_values_of_the_type() {
    let mut dice = Dice::new((0..200).map(|n| n * 7_919).collect());
    for _ in 0..100 {
        let ty = a_type(&mut dice);
        let value = a_value(&mut dice, &ty);
        assert!(ty.holds(&value), "{value:?} is not of type {ty}");
        assert!(ty.optional || value != Value::Unknown);
    }
}
