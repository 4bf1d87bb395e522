//! GATE.

use super::super::testing::*;
use super::super::*;
use crate::catalog::Input;
use crate::types::Value;

fn gated(op: Op, base: &Type, trigger: &Type, value: Option<Argument>, params: &Written) -> String {
    let mut ports = vec![vec![node(0, base)], vec![node(1, trigger)]];
    ports.extend(value.map(|v| vec![v]));
    outcome(op, &ports, params, None)
}

fn plain(op: Op, base: &Type, value: &str) -> String {
    gated(op, base, &Type::BOOL, Some(constant(value)), &Written::default())
}

#[test]
fn a_gate_has_the_type_of_its_base() {
    let grade = ordinal(&["lo", "mid", "hi"]).optional();
    assert_eq!(plain(Op::Cap, &Type::int(1, 5).optional(), "3"), "int[1..5]?");
    assert_eq!(plain(Op::Floor, &grade, "mid"), grade.to_string());
    assert_eq!(plain(Op::Veto, &grade, "hi"), grade.to_string());
    assert_eq!(plain(Op::Penalty, &Type::UNIT, "0.1"), "score[0..1]");
    assert_eq!(plain(Op::Replace, &choice(&["a", "b"]), "a"), "choice(a, b)");
    let none = Written::default();
    assert_eq!(gated(Op::Mask, &Type::UNIT, &Type::BOOL, None, &none), "score[0..1]?");
}

#[test]
fn constants_are_values_of_the_base() {
    assert_eq!(plain(Op::Cap, &Type::UNIT, "1.5"), "R0416");
    assert_eq!(plain(Op::Cap, &Type::int(1, 5), "2.5"), "R0416");
    assert_eq!(plain(Op::Cap, &Type::UNIT, "lo"), "R0417");
    assert_eq!(plain(Op::Cap, &Type::UNIT, "unknown"), "R0416");
    assert_eq!(plain(Op::Cap, &Type::BOOL, "true"), "R0405");
    assert_eq!(plain(Op::Cap, &ordinal(&["lo", "hi"]), "medium"), "R0418");
    assert_eq!(plain(Op::Penalty, &score("50", "100"), "10"), "score[50..100]");
    assert_eq!(plain(Op::Penalty, &Type::UNIT, "-0.1"), "R0416");
    assert_eq!(plain(Op::Penalty, &Type::int(1, 5), "0.5"), "R0416");
    assert_eq!(plain(Op::Penalty, &ordinal(&["lo", "hi"]), "1"), "R0405");
    assert_eq!(plain(Op::Veto, &Type::UNIT.optional(), "unknown"), "score[0..1]?");
    assert_eq!(plain(Op::Veto, &Type::UNIT, "unknown"), "R0416");
}

#[test]
fn gates_that_cannot_act_are_told() {
    assert_eq!(plain(Op::Cap, &Type::UNIT, "1"), "score[0..1] ~ R0901");
    assert_eq!(plain(Op::Cap, &Type::UNIT, "0"), "score[0..1]");
    assert_eq!(plain(Op::Floor, &Type::int(1, 5), "1"), "int[1..5] ~ R0901");
    assert_eq!(plain(Op::Penalty, &Type::UNIT, "0"), "score[0..1] ~ R0901");
    assert_eq!(plain(Op::Cap, &ordinal(&["lo", "hi"]), "hi"), "ordinal(lo < hi) ~ R0901");
}

#[test]
fn nodes_must_be_routed_into_the_base() {
    let none = Written::default();
    let with = |op, base: &Type, value: &Type| gated(op, base, &Type::BOOL, Some(node(2, value)), &none);
    assert_eq!(with(Op::Cap, &Type::UNIT, &Type::int(0, 1)), "score[0..1]");
    assert_eq!(with(Op::Cap, &Type::int(0, 1), &Type::UNIT), "R0405");
    assert_eq!(with(Op::Replace, &Type::UNIT, &Type::UNIT.optional()), "R0405");
    assert_eq!(with(Op::Replace, &Type::UNIT.optional(), &Type::UNIT), "score[0..1]?");
    assert_eq!(with(Op::Penalty, &Type::UNIT, &Type::int(0, 3)), "score[0..1]");
    assert_eq!(with(Op::Penalty, &Type::UNIT, &Type::int(-1, 3)), "R0405");
    assert_eq!(with(Op::Penalty, &Type::int(1, 5), &Type::UNIT), "R0405");
    let s = set(&["a", "b"]);
    assert_eq!(with(Op::Veto, &s, &s), "set(a, b)");
}

#[test]
fn an_optional_trigger_fires_or_passes() {
    let t = Type::BOOL.optional();
    let cap = |trigger: &Type, params: &Written| gated(Op::Cap, &Type::UNIT, trigger, Some(constant("0.5")), params);
    assert_eq!(cap(&t, &Written::default()), "R0411");
    assert_eq!(cap(&t, &unknown("fires")), "score[0..1]");
    assert_eq!(cap(&t, &unknown("passes")), "score[0..1]");
    assert_eq!(cap(&t, &unknown("skip")), "R0412");
    assert_eq!(cap(&t, &unknown("0.5")), "R0412");
    assert_eq!(cap(&Type::BOOL, &unknown("fires")), "score[0..1] ~ R0952");
    assert_eq!(cap(&Type::int(1, 5), &Written::default()), "R0405");
}

#[test]
fn veto_defaults_to_the_lowest_value_of_the_base() {
    let none = Written::default();
    assert_eq!(gated(Op::Veto, &choice(&["a", "b"]), &Type::BOOL, None, &none), "R0432");
    assert_eq!(gated(Op::Veto, &set(&["a", "b"]), &Type::BOOL, None, &none), "R0432");
    let lowest = |base: &Type, written: Option<&Type>| {
        let ports = [vec![node(0, base)], vec![node(1, &Type::BOOL)]];
        infer(Op::Veto, &ports, &none, written).unwrap().operation.one("to").cloned()
    };
    assert_eq!(lowest(&Type::BOOL, None), Some(Input::Constant(Value::Bool(false))));
    assert_eq!(lowest(&ordinal(&["a", "b"]), None), Some(Input::Constant(Value::Label(0))));
    let wide = score("-1", "1");
    assert_eq!(lowest(&Type::UNIT, Some(&wide)), Some(Input::Constant(Value::Number(Number::ZERO))));
}

#[test]
fn a_gate_needs_its_trigger_and_its_value() {
    let none = Written::default();
    assert_eq!(outcome(Op::Mask, &[vec![node(0, &Type::UNIT)]], &none, None), "R0402");
    assert_eq!(gated(Op::Cap, &Type::UNIT, &Type::BOOL, None, &none), "R0402");
    assert_eq!(gated(Op::Replace, &Type::UNIT, &Type::BOOL, None, &none), "R0402");
}
