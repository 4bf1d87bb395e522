//! Arithmetic, comparisons, conditions, `if`.

use super::super::testing::*;
use super::super::*;

fn sides(op: Op, left: Argument, right: Argument) -> String {
    outcome(op, &[vec![left], vec![right]], &Written::default(), None)
}

fn n(ty: Type) -> Argument {
    node(1, &ty)
}

fn m(ty: Type) -> Argument {
    node(2, &ty)
}

#[test]
fn arithmetic_is_on_intervals() {
    let (a, b) = (|| n(Type::int(1, 5)), || m(Type::int(-2, 3)));
    assert_eq!(sides(Op::Add, a(), b()), "int[-1..8]");
    assert_eq!(sides(Op::Subtract, a(), b()), "int[-2..7]");
    assert_eq!(sides(Op::Multiply, a(), b()), "int[-10..15]");
    assert_eq!(sides(Op::Divide, b(), a()), "score[-2..3]");
    assert_eq!(sides(Op::Divide, a(), b()), "R0426");
    assert_eq!(sides(Op::Multiply, a(), constant("0.5")), "score[0.5..2.5]");
    assert_eq!(sides(Op::Subtract, constant("100"), a()), "int[95..99]");
    assert_eq!(sides(Op::Divide, a(), constant("0")), "R0426");
    assert_eq!(sides(Op::Divide, constant("1"), a()), "score[0.2..1]");
    assert_eq!(sides(Op::Add, constant("1"), constant("2")), "R0434");
    assert_eq!(sides(Op::Add, a(), constant("true")), "R0417");
    assert_eq!(sides(Op::Add, a(), m(Type::BOOL)), "R0405");
    assert_eq!(sides(Op::Add, a(), m(Type::UNIT.optional())), "score[1..6]?");
    // By the rule, not by looking closer.
    assert_eq!(sides(Op::Subtract, n(Type::UNIT), n(Type::UNIT)), "score[-1..1]");
}

#[test]
fn squares_of_squares_come_to_an_end() {
    let mut ty = score("0", "123456789");
    let mut steps = 0;
    while let Ok(typed) = infer(Op::Multiply, &[vec![node(1, &ty)], vec![node(1, &ty)]], &Written::default(), None) {
        ty = typed.ty;
        steps += 1;
        assert!(steps < 10);
    }
    assert_eq!(sides(Op::Multiply, node(1, &ty), node(1, &ty)), "R0433");
}

#[test]
fn comparisons_give_bools() {
    let likert = || n(Type::int(1, 5));
    for op in [Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual] {
        assert_eq!(sides(op, likert(), constant("3")), "bool");
        assert_eq!(sides(op, constant("3"), likert()), "bool");
        assert_eq!(sides(op, likert(), m(score("0", "9").optional())), "bool?");
        assert_eq!(sides(op, n(Type::of(crate::types::Base::Real)), constant("3")), "bool");
        assert_eq!(sides(op, n(ordinal(&["a", "b", "c"])), constant("b")), "bool");
        assert_eq!(sides(op, n(ordinal(&["a", "b"])), m(ordinal(&["a", "c"]))), "R0431");
        assert_eq!(sides(op, n(set(&["a", "b"])), constant("a")), "R0431");
        assert_eq!(sides(op, n(tally(&["a", "b"], 3)), constant("0")), "R0431");
        assert_eq!(sides(op, likert(), constant("unknown")), "R0431");
        assert_eq!(sides(op, constant("1"), constant("2")), "R0434");
        assert_eq!(sides(op, likert(), constant("high")), "R0417");
        assert_eq!(sides(op, likert(), m(Type::BOOL)), "R0431");
    }
    for op in [Op::Equal, Op::NotEqual] {
        assert_eq!(sides(op, n(choice(&["a", "b"])), constant("b")), "bool");
        assert_eq!(sides(op, n(choice(&["a", "b"])), constant("c")), "R0418");
        assert_eq!(sides(op, n(Type::BOOL), constant("true")), "bool");
        assert_eq!(sides(op, n(Type::BOOL), m(Type::BOOL.optional())), "bool?");
        assert_eq!(sides(op, n(Type::BOOL), constant("1")), "R0417");
    }
    for op in [Op::Less, Op::GreaterEqual] {
        assert_eq!(sides(op, n(choice(&["a", "b"])), constant("b")), "R0431");
        assert_eq!(sides(op, n(Type::BOOL), constant("true")), "R0431");
    }
}

#[test]
fn answers_that_never_change_are_told() {
    let likert = || n(Type::int(1, 5));
    for (op, text, told) in [
        (Op::Greater, "5", true),
        (Op::Greater, "4", false),
        (Op::GreaterEqual, "5", false),
        (Op::GreaterEqual, "1", true),
        (Op::GreaterEqual, "5.5", true),
        (Op::Less, "1", true),
        (Op::Less, "5", false),
        (Op::Less, "6", true),
        (Op::LessEqual, "1", false),
        (Op::LessEqual, "5", true),
        (Op::Equal, "0", true),
        (Op::Equal, "2.5", true),
        (Op::NotEqual, "9", true),
        (Op::Equal, "5", false),
    ] {
        let expected = if told { "bool ~ R0950" } else { "bool" };
        assert_eq!(sides(op, likert(), constant(text)), expected, "{op:?} {text}");
    }
    assert_eq!(sides(Op::Less, constant("5"), likert()), "bool ~ R0950");
    assert_eq!(sides(Op::Less, constant("4"), likert()), "bool");
    assert_eq!(sides(Op::Less, likert(), m(Type::int(6, 9))), "bool ~ R0950");
    let o = || n(ordinal(&["a", "b", "c"]));
    assert_eq!(sides(Op::GreaterEqual, o(), constant("a")), "bool ~ R0950");
    assert_eq!(sides(Op::Greater, o(), constant("c")), "bool ~ R0950");
}

#[test]
fn connectives_take_bools() {
    let none = Written::default();
    assert_eq!(over(Op::And, &[Type::BOOL, Type::BOOL], &none), "bool");
    assert_eq!(over(Op::Or, &[Type::BOOL, Type::BOOL.optional()], &none), "bool?");
    assert_eq!(over(Op::Not, &[Type::BOOL.optional()], &none), "bool?");
    assert_eq!(over(Op::Not, &[Type::int(1, 5)], &none), "R0405");
    assert_eq!(outcome(Op::And, &[vec![n(Type::BOOL), n(Type::BOOL)]], &none, None), "bool ~ R0951");
    assert_eq!(over(Op::And, &[Type::BOOL, Type::BOOL.optional()], &unknown("skip")), "R0407");
}

fn branch(test: &Type, then: Argument, otherwise: Argument, written: Option<&Type>) -> String {
    outcome(Op::If, &[vec![node(0, test)], vec![then], vec![otherwise]], &Written::default(), written)
}

#[test]
fn if_is_the_hull_of_its_branches() {
    let b = Type::BOOL;
    assert_eq!(branch(&b, n(Type::int(1, 5)), m(Type::int(3, 9)), None), "int[1..9]");
    assert_eq!(branch(&b, n(Type::int(1, 5)), m(Type::UNIT), None), "score[0..5]");
    assert_eq!(branch(&b, n(Type::int(1, 5)), constant("9"), None), "int[1..9]");
    assert_eq!(branch(&b, constant("0.5"), n(Type::int(1, 5)), None), "score[0.5..5]");
    assert_eq!(branch(&b, constant("2"), constant("7"), None), "int[2..7]");
    assert_eq!(branch(&b, constant("true"), constant("false"), None), "bool");
    assert_eq!(branch(&b.clone().optional(), constant("2"), constant("7"), None), "int[2..7]?");
    assert_eq!(branch(&b, constant("2"), constant("unknown"), None), "int[2..2]?");
    assert_eq!(branch(&b, n(Type::BOOL), constant("unknown"), None), "bool?");
    assert_eq!(branch(&b, constant("unknown"), constant("unknown"), None), "R0434");
    assert_eq!(branch(&b, constant("true"), constant("1"), None), "R0429");
    assert_eq!(branch(&b, n(Type::BOOL), m(Type::UNIT), None), "R0429");
    assert_eq!(branch(&b, n(Type::BOOL), constant("1"), None), "R0429");
    assert_eq!(branch(&Type::UNIT, constant("2"), constant("7"), None), "R0405");
}

#[test]
fn if_over_labels_needs_one_scale() {
    let b = Type::BOOL;
    let grade = ordinal(&["lo", "hi"]);
    assert_eq!(branch(&b, constant("lo"), constant("hi"), None), "R0419");
    assert_eq!(branch(&b, constant("lo"), constant("hi"), Some(&grade)), grade.to_string());
    assert_eq!(branch(&b, n(grade.clone()), constant("hi"), None), grade.to_string());
    assert_eq!(branch(&b, n(grade.clone()), constant("top"), None), "R0418");
    assert_eq!(branch(&b, n(grade.clone()), m(ordinal(&["hi", "lo"])), None), "R0429");
    assert_eq!(branch(&b, n(choice(&["a", "b"])), m(choice(&["a", "b"])), None), "choice(a, b)");
}

#[test]
fn a_written_type_replaces_the_inferred_one_where_it_holds_it() {
    let mean = |written: &Type| {
        outcome(Op::Mean, &[nodes(&[Type::int(1, 5), Type::int(1, 5)])], &Written::default(), Some(written))
    };
    assert_eq!(mean(&score("0", "10")), "score[0..10]");
    assert_eq!(mean(&score("1", "5").optional()), "score[1..5]?");
    assert_eq!(mean(&score("2", "5")), "R0430");
    assert_eq!(mean(&Type::int(1, 5)), "R0430");
    assert_eq!(mean(&Type::BOOL), "R0430");
    let sum = |written: &Type| {
        outcome(Op::Sum, &[nodes(&[Type::int(1, 5).optional()])], &unknown("propagate"), Some(written))
    };
    assert_eq!(sum(&Type::int(0, 9)), "R0430");
    assert_eq!(sum(&Type::int(0, 9).optional()), "int[0..9]?");
}
