//! TRANSFORM.

use super::super::testing::*;
use super::super::*;
use crate::types::Base;

fn int(lo: i64, hi: i64) -> Type {
    Type::int(lo, hi)
}

fn to(ty: Type) -> Written {
    Written { to: Some(ty), ..Written::default() }
}

#[test]
fn normalize_takes_numbers_bools_and_ordinals() {
    let none = Written::default();
    for ty in [int(1, 5), score("0", "100"), Type::BOOL, ordinal(&["a", "b"])] {
        assert_eq!(over(Op::Normalize, std::slice::from_ref(&ty), &none), "score[0..1]");
        assert_eq!(over(Op::Normalize, &[ty.optional()], &none), "score[0..1]?");
    }
    assert_eq!(over(Op::Normalize, &[choice(&["a", "b"])], &none), "R0405");
    assert_eq!(over(Op::Normalize, &[set(&["a", "b"])], &none), "R0405");
    assert_eq!(over(Op::Normalize, &[int(3, 3)], &none), "R0405");
}

#[test]
fn rescale_gives_its_target_and_an_int_only_where_whole_numbers_stay_whole() {
    assert_eq!(over(Op::Rescale, &[int(1, 5)], &to(score("0", "100"))), "score[0..100]");
    assert_eq!(over(Op::Rescale, &[int(1, 5).optional()], &to(int(0, 8))), "int[0..8]?");
    assert_eq!(over(Op::Rescale, &[int(1, 5)], &to(int(0, 10))), "R0409");
    assert_eq!(over(Op::Rescale, &[score("0", "1")], &to(int(0, 10))), "R0409");
    assert_eq!(over(Op::Rescale, &[int(1, 5)], &to(Type::BOOL)), "R0409");
    assert_eq!(over(Op::Rescale, &[int(1, 5)], &to(Type::UNIT.optional())), "R0409");
    assert_eq!(over(Op::Rescale, &[int(1, 5)], &Written::default()), "R0408");
}

#[test]
fn clamp_takes_numbers_without_bounds() {
    let real = Type::of(Base::Real);
    assert_eq!(over(Op::Clamp, &[real.clone().optional()], &to(score("0", "1"))), "score[0..1]?");
    assert_eq!(over(Op::Clamp, &[real], &to(int(0, 1))), "R0409");
    assert_eq!(over(Op::Clamp, &[int(1, 5)], &to(int(2, 4))), "int[2..4]");
    assert_eq!(over(Op::Clamp, &[score("0", "9")], &to(int(2, 4))), "R0409");
    assert_eq!(over(Op::Clamp, &[score("5", "9")], &to(score("0", "1"))), "score[0..1] ~ R0950");
}

#[test]
fn invert_keeps_the_type() {
    assert_eq!(over(Op::Invert, &[int(1, 5).optional()], &Written::default()), "int[1..5]?");
    for ty in [Type::BOOL, ordinal(&["a", "b"])] {
        assert_eq!(over(Op::Invert, &[ty], &Written::default()), "R0405");
    }
}

#[test]
fn round_goes_to_the_rounded_ends() {
    let step = |s: &str| Written { step: Some(number(s)), ..Written::default() };
    assert_eq!(over(Op::Round, &[score("0.4", "2.5")], &Written::default()), "int[0..3]");
    assert_eq!(over(Op::Round, &[score("-2.5", "-0.5")], &Written::default()), "int[-2..0]");
    assert_eq!(over(Op::Round, &[score("0", "1")], &step("0.3")), "score[0..0.9]");
    assert_eq!(over(Op::Round, &[int(1, 7)], &step("5")), "int[0..5]");
    assert_eq!(over(Op::Round, &[int(1, 7)], &step("0")), "R0409");
    let down = Written { mode: Some(Rounding::Down), ..step("1") };
    assert_eq!(over(Op::Round, &[score("0.4", "2.9")], &down), "int[0..2]");
}

#[test]
fn quantize_needs_an_int() {
    assert_eq!(over(Op::Quantize, &[score("0", "1")], &to(int(1, 5))), "int[1..5]");
    assert_eq!(over(Op::Quantize, &[score("0", "1")], &to(score("1", "5"))), "R0409");
    let typed = infer(Op::Quantize, &[nodes(&[Type::UNIT])], &to(int(1, 5)), None).unwrap();
    assert_eq!(typed.operation.params.mode, Some(Rounding::HalfUp));
}

#[test]
fn map_is_exhaustive_over_values() {
    let yes_no = table(&[("true", "1"), ("false", "0")]);
    assert_eq!(over(Op::Map, &[Type::BOOL], &yes_no), "int[0..1]");
    assert_eq!(over(Op::Map, &[Type::BOOL.optional()], &yes_no), "int[0..1]?");
    assert_eq!(over(Op::Map, &[Type::BOOL], &table(&[("true", "1")])), "R0423");
    assert_eq!(over(Op::Map, &[Type::BOOL], &table(&[("true", "0.5"), ("rest", "-2")])), "score[-2..0.5]");
    assert_eq!(
        over(Op::Map, &[Type::BOOL], &table(&[("true", "1"), ("false", "0"), ("rest", "0")])),
        "int[0..1] ~ R0901"
    );
    assert_eq!(over(Op::Map, &[int(1, 3)], &table(&[("1", "0"), ("2", "0"), ("3", "9")])), "int[0..9]");
    assert_eq!(over(Op::Map, &[int(1, 3)], &table(&[("1", "0"), ("2", "0"), ("4", "9")])), "R0421");
    assert_eq!(over(Op::Map, &[int(1, 3)], &table(&[("1", "0"), ("1", "0"), ("rest", "9")])), "R0422");
    assert_eq!(over(Op::Map, &[int(0, 1_000_000_000)], &table(&[("1", "0"), ("rest", "9")])), "int[0..9]");
    assert_eq!(over(Op::Map, &[int(0, 1_000_000_000)], &table(&[("1", "0")])), "R0423");
    assert_eq!(over(Op::Map, &[score("0", "1")], &table(&[("1", "0"), ("rest", "1")])), "R0405");
}

#[test]
fn map_settles_unknown_only_by_a_row_for_it() {
    let rows = table(&[("unknown", "0.5"), ("true", "1"), ("false", "0")]);
    assert_eq!(over(Op::Map, &[Type::BOOL.optional()], &rows), "score[0..1]");
    assert_eq!(over(Op::Map, &[Type::BOOL], &rows), "R0421");
    assert_eq!(over(Op::Map, &[Type::BOOL.optional()], &table(&[("rest", "1")])), "int[1..1]?");
    assert_eq!(over(Op::Map, &[Type::BOOL], &table(&[("true", "1"), ("rest", "unknown")])), "int[1..1]?");
    assert_eq!(over(Op::Map, &[Type::BOOL], &table(&[("true", "unknown"), ("rest", "unknown")])), "R0424");
}

#[test]
fn map_to_labels_needs_a_written_type() {
    let rows = table(&[("a", "low"), ("b", "high")]);
    let x = [nodes(&[choice(&["a", "b"])])];
    assert_eq!(outcome(Op::Map, &x, &rows, None), "R0419");
    let grade = ordinal(&["low", "high"]);
    assert_eq!(outcome(Op::Map, &x, &rows, Some(&grade)), grade.to_string());
    assert_eq!(outcome(Op::Map, &x, &rows, Some(&ordinal(&["low", "top"]))), "R0418");
    assert_eq!(outcome(Op::Map, &x, &rows, Some(&Type::UNIT)), "R0417");
    assert_eq!(outcome(Op::Map, &x, &table(&[("a", "true"), ("b", "1")]), None), "R0424");
    assert_eq!(outcome(Op::Map, &x, &table(&[("a", "true"), ("b", "false")]), None), "bool");
    assert_eq!(outcome(Op::Map, &x, &table(&[("a", "1"), ("c", "0"), ("rest", "0")]), None), "R0418");
}

#[test]
fn bands_give_an_ordinal_and_none_is_empty() {
    let rows = table(&[("<0.4", "fail"), ("<0.8", "pass"), ("rest", "excel")]);
    assert_eq!(over(Op::Bands, &[Type::UNIT.optional()], &rows), "ordinal(fail < pass < excel)?");
    for (bad, code) in [
        (&[("<0.8", "a"), ("<0.4", "b"), ("rest", "c")][..], "R0425"),
        (&[("<0.4", "a"), ("<0.4", "b"), ("rest", "c")], "R0425"),
        (&[("<0", "a"), ("rest", "c")], "R0425"),
        (&[("<1.5", "a"), ("rest", "c")], "R0425"),
        (&[("rest", "c"), ("<0.5", "a")], "R0425"),
        (&[("<0.5", "a")], "R0423"),
        (&[("rest", "a")], "R0423"),
        (&[("<0.5", "a"), ("rest", "a")], "R0422"),
        (&[("<0.5", "1"), ("rest", "a")], "R0424"),
        (&[("0.5", "b"), ("rest", "a")], "R0421"),
    ] {
        assert_eq!(over(Op::Bands, &[Type::UNIT], &table(bad)), code, "{bad:?}");
    }
    // The last band may be the top alone.
    assert_eq!(over(Op::Bands, &[Type::UNIT], &table(&[("<1", "a"), ("rest", "b")])), "ordinal(a < b)");
    // A band between two whole numbers.
    assert_eq!(
        over(Op::Bands, &[int(1, 5)], &table(&[("<1.5", "a"), ("<1.7", "b"), ("rest", "c")])),
        "ordinal(a < b < c) ~ R0901"
    );
    let other = ordinal(&["excel", "pass", "fail"]);
    assert_eq!(outcome(Op::Bands, &[nodes(&[Type::UNIT])], &rows, Some(&other)), "R0430");
}

#[test]
fn piecewise_covers_the_interval() {
    let rows = table(&[("0", "0"), ("0.6", "0.2"), ("1", "1")]);
    assert_eq!(over(Op::Piecewise, &[Type::UNIT], &rows), "score[0..1]");
    assert_eq!(over(Op::Piecewise, &[int(0, 1)], &table(&[("0", "1"), ("1", "-1")])), "score[-1..1]");
    assert_eq!(over(Op::Piecewise, &[score("0", "2")], &rows), "R0423");
    assert_eq!(over(Op::Piecewise, &[Type::UNIT], &table(&[("0", "0"), ("0", "1"), ("1", "1")])), "R0425");
    assert_eq!(over(Op::Piecewise, &[Type::UNIT], &table(&[("0", "0"), ("rest", "1")])), "R0421");
    assert_eq!(over(Op::Piecewise, &[Type::UNIT], &table(&[("0", "0"), ("1", "good")])), "R0424");
}

#[test]
fn labels_of_sets_and_tallies() {
    let label = |l: &str| Written { label: Some(literal(l)), ..Written::default() };
    let (s, t) = (set(&["a", "b"]), tally(&["a", "b", "c"], 50));
    assert_eq!(over(Op::Has, &[s.clone().optional()], &label("a")), "bool?");
    assert_eq!(over(Op::Has, std::slice::from_ref(&t), &label("c")), "bool");
    assert_eq!(over(Op::CountOf, std::slice::from_ref(&t), &label("c")), "int[0..50]");
    assert_eq!(over(Op::CountOf, std::slice::from_ref(&s), &label("a")), "R0405");
    assert_eq!(over(Op::Has, std::slice::from_ref(&s), &label("x")), "R0418");
    assert_eq!(over(Op::Has, std::slice::from_ref(&s), &label("1")), "R0417");
    assert_eq!(over(Op::Has, std::slice::from_ref(&s), &Written::default()), "R0408");
    assert_eq!(over(Op::Has, &[choice(&["a", "b"])], &label("a")), "R0405");
    assert_eq!(over(Op::Size, &[s], &Written::default()), "int[0..2]");
    assert_eq!(over(Op::Size, &[t], &Written::default()), "int[0..150]");
}

#[test]
fn known_and_otherwise_settle_unknown() {
    let likert = int(1, 5).optional();
    assert_eq!(over(Op::Known, std::slice::from_ref(&likert), &Written::default()), "bool");
    assert_eq!(over(Op::Known, &[int(1, 5)], &Written::default()), "bool ~ R0950");
    let other = |x: &Type, v: Argument| {
        outcome(Op::Otherwise, &[nodes(std::slice::from_ref(x)), vec![v]], &Written::default(), None)
    };
    assert_eq!(other(&likert, constant("3")), "int[1..5]");
    assert_eq!(other(&likert, constant("3.5")), "R0416");
    assert_eq!(other(&likert, constant("9")), "R0416");
    assert_eq!(other(&likert, constant("true")), "R0417");
    assert_eq!(other(&likert, constant("unknown")), "R0416");
    assert_eq!(other(&likert, node(7, &int(2, 3))), "int[1..5]");
    assert_eq!(other(&likert, node(7, &int(2, 3).optional())), "R0405");
    assert_eq!(other(&int(1, 5), constant("3")), "int[1..5] ~ R0901");
    assert_eq!(other(&ordinal(&["lo", "hi"]).optional(), constant("hi")), "ordinal(lo < hi)");
}
