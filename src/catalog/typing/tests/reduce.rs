//! REDUCE.

use super::super::testing::*;
use super::super::*;
use crate::catalog::{UnknownPolicy, VoteTie};
use crate::types::{Base, Value};

const NONE: &[&str] = &[];

fn likert() -> Type {
    Type::int(1, 5)
}

fn with_unknown(mut written: Written, word: &str) -> Written {
    written.unknown = unknown(word).unknown;
    written
}

#[test]
fn means_stand_on_one_interval() {
    let none = Written::default();
    for op in [Op::Mean, Op::Median, Op::GeometricMean, Op::HarmonicMean] {
        assert_eq!(over(op, &[likert(), score("1", "5")], &none), "score[1..5]");
        assert_eq!(over(op, &[likert(), Type::UNIT], &none), "R0410");
        assert_eq!(over(op, &[Type::BOOL, Type::UNIT], &none), "R0405");
    }
    assert_eq!(over(Op::GeometricMean, &[score("-1", "1")], &none), "R0405");
    assert_eq!(over(Op::Mean, &[score("-1", "1")], &none), "score[-1..1]");
    assert_eq!(over(Op::Mean, &[likert(), likert()], &weights(&["1", "2"])), "R0414");
}

#[test]
fn the_offered_wrap_goes_to_the_slot_off_the_unit_scale() {
    let faults = infer(Op::Mean, &[nodes(&[Type::UNIT, likert()])], &Written::default(), None).unwrap_err();
    assert_eq!(faults[0].place, Place::Slot(0, 1));
    assert!(faults[0].wrap.as_ref().is_some_and(|w| w.1 == "normalize("));
}

#[test]
fn extremes_of_ints_are_ints_and_of_ordinals_that_ordinal() {
    let none = Written::default();
    let grade = ordinal(&["lo", "mid", "hi"]);
    assert_eq!(over(Op::Min, &[likert(), likert()], &none), "int[1..5]");
    assert_eq!(over(Op::Max, &[likert(), score("1", "5")], &none), "score[1..5]");
    assert_eq!(over(Op::Max, &[grade.clone(), grade.clone()], &none), grade.to_string());
    assert_eq!(over(Op::Max, &[grade.clone(), ordinal(&["lo", "hi"])], &none), "R0410");
    assert_eq!(over(Op::Max, &[grade, likert()], &none), "R0410");
    assert_eq!(over(Op::Min, &[Type::BOOL, Type::BOOL], &none), "R0405");
    assert_eq!(over(Op::Median, &[ordinal(&["lo", "hi"])], &none), "R0405");
}

#[test]
fn an_optional_slot_needs_a_policy() {
    let slots = [likert().optional(), likert()];
    assert_eq!(over(Op::Mean, &slots, &Written::default()), "R0411");
    assert_eq!(over(Op::Mean, &slots, &unknown("skip")), "score[1..5]");
    assert_eq!(over(Op::Mean, &[likert().optional(), likert().optional()], &unknown("skip")), "score[1..5]?");
    assert_eq!(over(Op::Mean, &slots, &unknown("propagate")), "score[1..5]?");
    assert_eq!(over(Op::Mean, &slots, &unknown("lowest")), "score[1..5]");
    assert_eq!(over(Op::Mean, &slots, &unknown("2.5")), "score[1..5]");
    assert_eq!(over(Op::Mean, &slots, &unknown("9")), "R0416");
    assert_eq!(over(Op::Mean, &slots, &unknown("fires")), "R0412");
    assert_eq!(over(Op::Mean, &slots, &unknown("unknown")), "R0412");
    assert_eq!(over(Op::Mean, &slots, &unknown("true")), "R0417");
    assert_eq!(over(Op::Min, &slots, &unknown("2.5")), "R0416");
    assert_eq!(over(Op::Mean, &[likert()], &unknown("skip")), "score[1..5] ~ R0952");
    let typed = infer(Op::Mean, &[nodes(&[likert()])], &unknown("skip"), None).unwrap();
    assert_eq!(typed.operation.params.unknown, None);
}

#[test]
fn weights_of_a_mean_are_positive_and_complete() {
    let two = [likert(), likert()];
    assert_eq!(over(Op::WeightedMean, &two, &weights(&["1", "0.5"])), "score[1..5]");
    assert_eq!(over(Op::WeightedMean, &two, &weights(&["1", "0"])), "R0415");
    assert_eq!(over(Op::WeightedMean, &two, &weights(&["1", "-1"])), "R0415");
    assert_eq!(over(Op::WeightedMean, &two, &weights(&["1"])), "R0413");
    assert_eq!(over(Op::WeightedMean, &two, &weights(NONE)), "R0413");
    assert_eq!(over(Op::WeightedMean, &two, &weights(&["1", "2", "3"])), "R0414");
}

#[test]
fn sums_add_their_intervals() {
    let none = Written::default();
    assert_eq!(over(Op::Sum, &[likert(), Type::int(-2, 0)], &none), "int[-1..5]");
    assert_eq!(over(Op::Sum, &[likert(), Type::UNIT], &none), "score[1..6]");
    assert_eq!(over(Op::Sum, &[Type::BOOL], &none), "R0405");
    // With skip an optional slot's interval takes in 0; all optional: the result can be unknown.
    assert_eq!(over(Op::Sum, &[likert(), likert().optional()], &unknown("skip")), "int[1..10]");
    assert_eq!(over(Op::Sum, &[likert().optional(), likert().optional()], &unknown("skip")), "int[0..10]?");
    assert_eq!(over(Op::Sum, &[likert(), likert().optional()], &unknown("propagate")), "int[2..10]?");
    assert_eq!(over(Op::Sum, &[likert(), likert().optional()], &unknown("3")), "int[2..10]");
    assert_eq!(over(Op::Sum, &[likert(), likert().optional()], &unknown("0")), "R0416");
    assert_eq!(over(Op::WeightedSum, &[likert(), likert()], &weights(&["2", "-0.1"])), "score[1.5..9.9]");
    assert_eq!(over(Op::WeightedSum, &[likert()], &weights(&["0"])), "R0415");
    let skip = with_unknown(weights(&["2", "-1"]), "skip");
    assert_eq!(over(Op::WeightedSum, &[likert(), likert().optional()], &skip), "score[-3..10]");
}

#[test]
fn products_multiply_their_intervals() {
    let none = Written::default();
    assert_eq!(over(Op::Product, &[Type::int(-2, 3), Type::int(-5, 4)], &none), "score[-15..12]");
    assert_eq!(over(Op::Product, &[score("2", "3"), score("2", "3").optional()], &unknown("skip")), "score[2..9]");
    let many = vec![Type::int(0, 1_000_000); 200];
    assert_eq!(over(Op::Product, &many, &none), "R0433");
}

#[test]
fn yes_no_reduces() {
    let bools = [Type::BOOL, Type::BOOL, Type::BOOL];
    let none = Written::default();
    assert_eq!(over(Op::All, &bools, &none), "bool");
    assert_eq!(over(Op::Any, &bools, &none), "bool");
    assert_eq!(over(Op::Count, &bools, &none), "int[0..3]");
    assert_eq!(over(Op::Fraction, &bools, &none), "score[0..1]");
    assert_eq!(over(Op::All, &[likert()], &none), "R0405");
    let slots = [Type::BOOL, Type::BOOL.optional()];
    assert_eq!(over(Op::All, &slots, &none), "R0411");
    assert_eq!(over(Op::All, &slots, &unknown("propagate")), "bool?");
    assert_eq!(over(Op::Count, &slots, &unknown("skip")), "int[0..2]");
    assert_eq!(over(Op::All, &slots, &unknown("true")), "bool");
    assert_eq!(over(Op::All, &slots, &unknown("lowest")), "R0412");
    assert_eq!(over(Op::All, &slots, &unknown("1")), "R0417");
    // A checklist's points arrive as weights: of one sign, and not kept.
    let typed = infer(Op::Count, &[nodes(&bools)], &weights(&["-1", "-2", "-3"]), None).unwrap();
    assert!(typed.operation.params.weights.is_empty());
    assert_eq!(over(Op::Count, &bools, &weights(&["-1", "2", "-3"])), "R0428");
}

#[test]
fn votes_need_one_type_and_a_tie() {
    let tie = |t: &str| Written { tie: Some(literal(t)), ..Written::default() };
    let c = choice(&["a", "b"]);
    assert_eq!(over(Op::Vote, &[Type::BOOL, Type::BOOL], &tie("lowest")), "bool");
    assert_eq!(over(Op::Vote, &[Type::BOOL, Type::BOOL], &Written::default()), "R0408");
    assert_eq!(over(Op::Vote, &[c.clone(), c.clone()], &tie("lowest")), "R0409");
    assert_eq!(over(Op::Vote, &[c.clone(), c.clone()], &tie("b")), "choice(a, b)");
    assert_eq!(over(Op::Vote, &[c.clone(), c.clone()], &tie("unknown")), "choice(a, b)?");
    assert_eq!(over(Op::Vote, &[c.clone(), c.clone()], &tie("c")), "R0418");
    assert_eq!(over(Op::Vote, &[c.clone(), choice(&["b", "a"])], &tie("b")), "R0410");
    assert_eq!(over(Op::Vote, &[Type::UNIT], &tie("lowest")), "R0405");
    assert_eq!(over(Op::Vote, &[likert(), likert()], &tie("3")), "int[1..5]");
    assert_eq!(over(Op::Vote, &[likert(), likert()], &tie("8")), "R0416");
    let lowest = with_unknown(tie("a"), "lowest");
    assert_eq!(over(Op::Vote, &[c.clone(), c.clone().optional()], &lowest), "R0412");
    // A label that is called like a policy is the label.
    let odd = choice(&["lowest", "b"]);
    let typed = infer(Op::Vote, &[nodes(&[odd])], &tie("lowest"), None).unwrap();
    assert_eq!(typed.operation.params.tie, Some(VoteTie::Value(Value::Label(0))));
}

#[test]
fn points_are_bounded_by_their_signs() {
    let bools = [Type::BOOL, Type::BOOL, Type::BOOL];
    assert_eq!(over(Op::Points, &bools, &weights(&["10", "-8", "4"])), "score[-4/7..1]");
    assert_eq!(over(Op::SumPoints, &bools, &weights(&["10", "-8", "4"])), "score[-8..14]");
    assert_eq!(over(Op::Points, &bools, &weights(&["10", "4"])), "R0413");
    assert_eq!(over(Op::Points, &bools, &weights(&["10", "0", "4"])), "R0415");
    assert_eq!(over(Op::Points, &bools, &weights(&["-1", "-2", "-3"])), "R0427");
    assert_eq!(over(Op::SumPoints, &bools, &weights(&["-1", "-2", "-3"])), "score[-6..0]");
    assert_eq!(over(Op::Points, &[likert()], &weights(&["2"])), "R0405");
}

#[test]
fn points_with_skip_divide_by_what_is_certain() {
    let (b, o) = (Type::BOOL, Type::BOOL.optional());
    let skip = || with_unknown(weights(&["10", "-8", "4"]), "skip");
    assert_eq!(over(Op::Points, &[b.clone(), o.clone(), o.clone()], &skip()), "score[-0.8..1]");
    assert_eq!(over(Op::Points, &[o.clone(), b.clone(), b.clone()], &skip()), "score[-2..1]");
    assert_eq!(over(Op::Points, &[o.clone(), b.clone(), o.clone()], &skip()), "score[-2..1]?");
    // Unknown iff every slot is, for the sum.
    assert_eq!(over(Op::SumPoints, &[o.clone(), b.clone(), o.clone()], &skip()), "score[-8..14]");
    assert_eq!(over(Op::SumPoints, &[o.clone(), o.clone(), o.clone()], &skip()), "score[-8..14]?");
    let propagate = with_unknown(weights(&["10", "-8", "4"]), "propagate");
    assert_eq!(over(Op::Points, &[o.clone(), b.clone(), b.clone()], &propagate), "score[-4/7..1]?");
    let met = with_unknown(weights(&["10", "-8", "4"]), "true");
    assert_eq!(over(Op::Points, &[o.clone(), b.clone(), b.clone()], &met), "score[-4/7..1]");
    assert_eq!(over(Op::Points, &[o, b.clone(), b], &weights(&["10", "-8", "4"])), "R0411");
}

#[test]
fn items_of_the_record_have_no_bounds() {
    let items = Type::of(Base::Items);
    let none = Written::default();
    assert_eq!(over(Op::Points, std::slice::from_ref(&items), &none), "a number without bounds");
    assert_eq!(over(Op::SumPoints, &[items.clone().optional()], &none), "R0411");
    assert_eq!(over(Op::Points, &[items.clone().optional()], &unknown("skip")), "a number without bounds?");
    assert_eq!(over(Op::Points, &[items.clone(), Type::BOOL], &none), "R0405");
    assert_eq!(over(Op::Count, std::slice::from_ref(&items), &none), "R0406");
    assert_eq!(over(Op::Mean, &[Type::of(Base::Real)], &none), "R0406");
    assert_eq!(over(Op::Points, &[items], &weights(&["1"])), "R0414");
}

#[test]
fn trees_take_positive_points_and_the_nodes_of_groups() {
    let slots = [Type::BOOL, Type::UNIT];
    assert_eq!(over(Op::Tree, &slots, &weights(&["2", "3"])), "score[0..1]");
    assert_eq!(over(Op::Tree, &slots, &weights(&["2", "-3"])), "R0428");
    assert_eq!(over(Op::Tree, &slots, &weights(&["2"])), "R0413");
    assert_eq!(over(Op::Tree, &[likert(), Type::UNIT], &weights(&["2", "1"])), "R0405");
    let skip = with_unknown(weights(&["2", "3"]), "skip");
    assert_eq!(over(Op::Tree, &[Type::BOOL.optional(), Type::UNIT], &skip), "score[0..1]");
    assert_eq!(over(Op::Tree, &[Type::BOOL.optional(), Type::UNIT.optional()], &skip), "score[0..1]?");
    assert_eq!(over(Op::Tree, &slots, &skip), "score[0..1]");
    let no = with_unknown(weights(&["2", "3"]), "false");
    let typed = infer(Op::Tree, &[nodes(&[Type::BOOL.optional(), Type::UNIT])], &no, None).unwrap();
    assert_eq!(typed.operation.params.unknown, Some(UnknownPolicy::Constant(Value::Number(Number::ZERO))));
}

#[test]
fn decide_needs_a_written_scale_and_rest() {
    let grade = ordinal(&["reject", "revise", "accept"]);
    let rows = table(&[("?", "reject"), ("?", "revise"), ("rest", "accept")]);
    let when = |types: &[Type]| [nodes(types)];
    let two = [Type::BOOL, Type::BOOL];
    assert_eq!(outcome(Op::Decide, &when(&two), &rows, Some(&grade)), grade.to_string());
    assert_eq!(outcome(Op::Decide, &when(&two), &rows, None), "R0419");
    assert_eq!(outcome(Op::Decide, &when(&two), &rows, Some(&likert())), "R0419");
    let optional = [Type::BOOL, Type::BOOL.optional()];
    assert_eq!(outcome(Op::Decide, &when(&optional), &rows, Some(&grade)), "R0430");
    let grade_q = grade.clone().optional();
    assert_eq!(outcome(Op::Decide, &when(&optional), &rows, Some(&grade_q)), grade_q.to_string());
    let open = table(&[("?", "reject"), ("?", "revise")]);
    assert_eq!(outcome(Op::Decide, &when(&two), &open, Some(&grade)), "R0423");
    let wrong = table(&[("?", "reject"), ("?", "revize"), ("rest", "accept")]);
    assert_eq!(outcome(Op::Decide, &when(&two), &wrong, Some(&grade)), "R0418");
    let early = table(&[("?", "reject"), ("rest", "accept"), ("?", "revise")]);
    assert_eq!(outcome(Op::Decide, &when(&two), &early, Some(&grade)), "R0425");
    assert_eq!(outcome(Op::Decide, &when(&[Type::BOOL, likert()]), &rows, Some(&grade)), "R0405");
}

#[test]
fn a_word_after_unknown_is_a_policy_or_a_label() {
    let grade = ordinal(&["lo", "mid", "hi"]);
    let slots = [grade.clone(), grade.optional()];
    let word = |w: &str| Written { unknown: Some(WrittenUnknown::Word(w.into())), ..Written::default() };
    let label =
        |w: &str| Written { unknown: Some(WrittenUnknown::Constant(Literal::Label(w.into()))), ..Written::default() };
    for written in [word, label] {
        assert_eq!(over(Op::Min, &slots, &written("mid")), "ordinal(lo < mid < hi)");
        assert_eq!(over(Op::Min, &slots, &written("skip")), "ordinal(lo < mid < hi)");
        assert_eq!(over(Op::Min, &slots, &written("ignore")), "R0412");
        assert_eq!(over(Op::Mean, &[likert().optional()], &written("ignore")), "R0412");
        assert_eq!(over(Op::All, &[Type::BOOL.optional()], &written("lowest")), "R0412");
    }
}
