//! What all operators share: ports, parameters, arguments in error, speed.

use super::super::testing::*;
use super::super::*;
use crate::types::Base;
use proptest::prelude::*;

#[test]
fn ports_are_filled_as_the_table_says() {
    let none = Written::default();
    let two = nodes(&[Type::UNIT, Type::UNIT]);
    assert_eq!(outcome(Op::Normalize, &[], &none, None), "R0402");
    assert_eq!(outcome(Op::Normalize, &[vec![]], &none, None), "R0402");
    assert_eq!(outcome(Op::Normalize, std::slice::from_ref(&two), &none, None), "R0210");
    assert_eq!(outcome(Op::Invert, &[nodes(&[Type::UNIT]), two], &none, None), "R0210");
    assert_eq!(outcome(Op::Mean, &[vec![node(0, &Type::UNIT), constant("1")]], &none, None), "R0404");
    assert_eq!(
        outcome(Op::Mean, &[vec![node(0, &Type::UNIT), node(0, &Type::UNIT)]], &none, None),
        "score[0..1] ~ R0951"
    );
}

#[test]
fn parameters_of_others_are_refused() {
    let x = [nodes(&[Type::UNIT])];
    assert_eq!(outcome(Op::Normalize, &x, &unknown("skip"), None), "R0407");
    assert_eq!(outcome(Op::Normalize, &x, &table(&[("rest", "1")]), None), "R0407");
    assert_eq!(outcome(Op::Bands, &x, &Written::default(), None), "R0420");
    let tie = Written { tie: Some(literal("lowest")), ..Written::default() };
    assert_eq!(outcome(Op::Mean, &x, &tie, None), "R0407");
}

#[test]
fn an_argument_in_error_is_not_reported_again() {
    let none = Written::default();
    let faults = |op, slots: Vec<Argument>| infer(op, &[slots], &none, None).unwrap_err();
    assert!(faults(Op::Normalize, vec![Argument::Error]).is_empty());
    assert!(faults(Op::Mean, vec![node(0, &Type::UNIT), Argument::Error]).is_empty());
    // What is wrong beside it is.
    assert_eq!(faults(Op::Mean, vec![node(0, &Type::BOOL), Argument::Error]).len(), 1);
    assert!(faults(Op::Points, vec![Argument::Error]).is_empty());
    assert!(faults(Op::WeightedMean, vec![Argument::Error]).is_empty());
    assert!(infer(Op::Otherwise, &[vec![Argument::Error], vec![constant("1")]], &none, None).unwrap_err().is_empty());
}

#[test]
fn every_fault_says_what_to_do() {
    let none = Written::default();
    for op in Op::ALL {
        for ty in
            [Type::BOOL, Type::UNIT, choice(&["a", "b"]), set(&["a", "b"]), Type::of(Base::Real), Type::of(Base::Items)]
        {
            let ports: Vec<Vec<Argument>> = op.info().ports.iter().map(|_| nodes(std::slice::from_ref(&ty))).collect();
            for fault in infer(*op, &ports, &none, None).err().into_iter().flatten() {
                assert!(fault.help.is_some(), "{op:?} {ty}: {fault:?}");
                assert!(!fault.headline.ends_with('.') && !fault.label.is_empty(), "{fault:?}");
            }
        }
    }
}

#[test]
fn a_hundred_thousand_items_are_no_burden() {
    let count = 100_000;
    let slots: Vec<Type> = (0..count).map(|i| Type::BOOL.with_optional(i % 2 == 0)).collect();
    let mut params = unknown("skip");
    params.weights = (0..count).map(|i| Some(Number::int(i % 7 - 3 + i64::from(i % 7 == 3)))).collect();
    let start = std::time::Instant::now();
    for op in [Op::Points, Op::SumPoints] {
        assert!(infer(op, &[nodes(&slots)], &params, None).is_ok());
    }
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// Any type, those that no author writes included.
fn types() -> impl Strategy<Value = Type> {
    let base = prop_oneof![
        Just(Type::BOOL),
        (-3_i64..3, 0_i64..4).prop_map(|(lo, w)| Type::int(lo, lo + w)),
        (-3_i64..3, 0_i64..4).prop_map(|(lo, w)| Type::score(Number::int(lo), Number::int(lo + w))),
        Just(ordinal(&["a", "b", "c"])),
        Just(choice(&["a", "b", "c"])),
        Just(set(&["a", "b"])),
        Just(tally(&["a", "b"], 3)),
        Just(Type::of(Base::Real)),
        Just(Type::of(Base::Items)),
    ];
    (base, any::<bool>()).prop_map(|(ty, optional)| ty.with_optional(optional))
}

fn literals() -> impl Strategy<Value = Literal> {
    let texts = vec!["true", "false", "unknown", "0", "1", "-1", "0.5", "2", "a", "b", "zz", "lowest", "highest"];
    proptest::sample::select(texts).prop_map(literal)
}

fn arguments() -> impl Strategy<Value = Vec<Vec<Argument>>> {
    let argument = prop_oneof![
        6 => (0_u32..5, types()).prop_map(|(id, ty)| node(id, &ty)),
        2 => literals().prop_map(Argument::Constant),
        1 => Just(Argument::Error),
    ];
    proptest::collection::vec(proptest::collection::vec(argument, 0..4), 0..4)
}

fn written() -> impl Strategy<Value = Written> {
    let word = proptest::sample::select(vec!["skip", "propagate", "lowest", "highest", "fires", "passes", "skp", "a"]);
    let policy =
        prop_oneof![word.prop_map(|w| WrittenUnknown::Word(w.into())), literals().prop_map(WrittenUnknown::Constant),];
    let key = prop_oneof![
        4 => literals().prop_map(WrittenKey::Literal),
        1 => Just(WrittenKey::Rest),
        1 => (-3_i64..4).prop_map(|n| WrittenKey::Below(Number::int(n))),
        1 => Just(WrittenKey::Condition),
    ];
    let arm = (key, literals()).prop_map(|(key, value)| WrittenArm { key, value });
    use proptest::option::of;
    (
        proptest::collection::vec(of((-2_i64..3).prop_map(Number::int)), 0..4),
        of(policy),
        of(types()),
        of((-1_i64..3).prop_map(Number::int)),
        of(proptest::collection::vec(arm, 0..5)),
        of(literals()),
        of(literals()),
    )
        .prop_map(|(weights, unknown, to, step, table, label, tie)| Written {
            weights,
            unknown,
            to,
            step,
            mode: None,
            table,
            label,
            tie,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Nothing panics; a fault is told unless an argument in error hides it; constants belong to their places; a written
    /// type is what comes out.
    #[test]
    fn infer_is_total(
        op in proptest::sample::select(Op::ALL),
        arguments in arguments(),
        params in prop_oneof![Just(Written::default()), written()],
        asked in proptest::option::of(types()),
    ) {
        let clouded = arguments.iter().flatten().any(|a| *a == Argument::Error);
        match infer(op, &arguments, &params, asked.as_ref()) {
            Ok(typed) => {
                prop_assert!(!clouded);
                if let Some(asked) = asked {
                    prop_assert_eq!(&typed.ty, &asked);
                }
                prop_assert!(typed.warnings.iter().all(|w| w.warning));
                if let Some((lo, hi)) = typed.ty.interval() {
                    prop_assert!(lo <= hi);
                }
                let slots = typed.operation.port("x").len();
                if op.info().weights.kept() && !typed.operation.params.weights.is_empty() {
                    prop_assert_eq!(typed.operation.params.weights.len(), slots);
                }
                let names: Vec<_> = op.info().ports.iter().map(|p| p.name).collect();
                let places: Vec<_> =
                    typed.operation.ports.iter().map(|p| names.iter().position(|n| *n == p.name)).collect();
                prop_assert!(places.windows(2).all(|w| w[0] < w[1]) && places.iter().all(Option::is_some));
            }
            Err(faults) => {
                prop_assert!(clouded || !faults.is_empty());
                prop_assert!(faults.iter().all(|f| !f.warning));
                // No operator gives up without its own reason.
                prop_assert!(faults.iter().all(|f| f.label != "not like this" || f.place != Place::Whole), "{:?}", faults);
            }
        }
    }
}
