//! Types and values: routing, membership, and the ways through JSON.

use super::*;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn labels(list: &[&str]) -> Labels {
    list.iter().map(|l| Arc::from(*l)).collect()
}

/// Types that an author can write, small enough that many pairs can be routed.
fn types() -> impl Strategy<Value = Type> {
    let lists = || proptest::sample::select(vec![labels(&["a", "b"]), labels(&["b", "a"]), labels(&["a", "b", "A+"])]);
    let base = prop_oneof![
        Just(Base::Bool),
        (-2_i64..2, 0_i64..3).prop_map(|(lo, w)| Base::Int { lo: Number::int(lo), hi: Number::int(lo + w) }),
        (-2_i64..2, 0_i64..3).prop_map(|(lo, w)| Base::Score { lo: Number::int(lo), hi: Number::int(lo + w) }),
        lists().prop_map(Base::Ordinal),
        lists().prop_map(Base::Choice),
        lists().prop_map(Base::Set),
        (lists(), 1_u32..3).prop_map(|(labels, max)| Base::Tally { labels, max }),
    ];
    (base, any::<bool>()).prop_map(|(base, optional)| Type { base, optional })
}

/// Values, in and out of those types.
fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Unknown),
        any::<bool>().prop_map(Value::Bool),
        (-12_i64..12, 1_i64..4).prop_map(|(n, d)| Value::Number(Number::ratio(n, d).unwrap())),
        (0_u32..4).prop_map(Value::Label),
        proptest::collection::vec(0_u32..4, 0..4).prop_map(|v| Value::Set(v.into())),
        proptest::collection::vec(0_u32..4, 0..4).prop_map(|v| Value::Tally(v.into())),
    ]
}

/// JSON that a judge, or a careless hand, might have recorded.
fn recorded() -> impl Strategy<Value = Json> {
    let leaf = || {
        proptest::sample::select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(-1),
            json!(0.5),
            json!(1.0),
            json!("1/2"),
            json!("unknown"),
            json!("a"),
            json!("b"),
            json!("A+"),
            json!("c"),
            json!("1"),
            json!({"label": "a", "quote": "…"}),
            json!({}),
        ])
    };
    prop_oneof![leaf(), proptest::collection::vec(leaf(), 0..4).prop_map(Json::Array)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn routing_is_a_partial_order(a in types(), b in types(), c in types()) {
        prop_assert!(a.routes_into(&a));
        if a.routes_into(&b) && b.routes_into(&c) {
            prop_assert!(a.routes_into(&c));
        }
        if a.routes_into(&b) && b.routes_into(&a) {
            prop_assert_eq!(&a, &b);
        }
        prop_assert!(a.routes_into(&a.clone().optional()));
    }

    #[test]
    fn what_is_routed_is_held(a in types(), b in types(), value in values()) {
        if a.routes_into(&b) && a.holds(&value) {
            prop_assert!(b.holds(&value), "{a} {b} {value:?}");
        }
    }

    /// A value goes through JSON and comes back, exactly by `json_exact` and at 12 places by `json`.
    #[test]
    fn json_there_and_back(ty in types(), value in values()) {
        if ty.holds(&value) {
            prop_assert_eq!(Value::from_json(&value.json_exact(&ty), &ty), Ok(value.clone()));
            let rounded = Value::from_json(&value.json(&ty), &ty);
            let expected = match &value {
                Value::Number(n) => Value::Number(n.as_judged()),
                other => other.clone(),
            };
            prop_assert_eq!(rounded, Ok(expected));
            prop_assert!(!value.text(&ty).is_empty());
        }
    }

    #[test]
    fn what_json_gives_is_held(ty in types(), json in recorded()) {
        match Value::from_json(&json, &ty) {
            Ok(value) => prop_assert!(ty.holds(&value), "{ty} {json}"),
            Err(why) => prop_assert!(!why.is_empty() && !why.ends_with('.')),
        }
    }

    #[test]
    fn extremes_are_held_and_enclose(ty in types(), value in values()) {
        if let Some((low, high)) = ty.extremes() {
            prop_assert!(ty.holds(&low) && ty.holds(&high));
            if let (Value::Number(n), Some((lo, hi))) = (&value, ty.interval())
                && ty.holds(&value)
            {
                prop_assert!(lo <= n && n <= hi);
            }
        }
    }
}

#[test]
fn judgments_of_the_wrong_kind_are_refused_with_a_sentence() {
    let likert = Type::int(1, 5);
    for bad in [
        json!(0),
        json!(6),
        json!(2.5),
        json!("2.5"),
        json!("good"),
        json!(true),
        json!(null),
        json!([3]),
        json!("unknown"),
    ] {
        let why = Value::from_json(&bad, &likert).unwrap_err();
        assert!(why.contains("int[1..5]"), "{why}");
    }
    assert_eq!(Value::from_json(&json!(3.0), &likert), Ok(Value::Number(Number::int(3))));
    assert!(Value::from_json(&json!(1), &Type::BOOL).is_err());
    assert!(Value::from_json(&json!("true"), &Type::BOOL).is_err());
    let tally = Type::of(Base::Tally { labels: labels(&["a", "b"]), max: 2 });
    assert!(Value::from_json(&json!(["a", "a", "a"]), &tally).is_err());
    assert_eq!(
        Value::from_json(&json!(["b", {"label": "a", "quote": "x"}, "b"]), &tally),
        Ok(Value::Tally([1, 2].into()))
    );
}

#[test]
fn a_judges_number_is_kept_at_12_places_and_an_exact_one_whole() {
    let read = |json: Json| Value::from_json(&json, &Type::UNIT).unwrap().as_number().unwrap().exact();
    let long: Json = serde_json::from_str("0.12345678901250001").unwrap();
    assert_eq!(read(long), "0.123456789013");
    let tie: Json = serde_json::from_str("0.1234567890125").unwrap();
    assert_eq!(read(tie), "0.123456789012");
    assert_eq!(read(json!("13/30")), "13/30");
    let endless: Json = serde_json::from_str(&format!("0.{}", "3".repeat(500))).unwrap();
    assert!(Value::from_json(&endless, &Type::UNIT).is_err());
}

#[test]
fn labels_are_quoted_where_they_are_no_words() {
    for (label, written) in [
        ("good", "good"),
        ("A+", "\"A+\""),
        ("not", "\"not\""),
        ("rest", "\"rest\""),
        ("two words", "\"two words\""),
        ("a\"b\\c\n", "\"a\\\"b\\\\c\\n\""),
        ("größer", "größer"),
        ("", "\"\""),
    ] {
        assert_eq!(quote_label(label), written);
    }
    assert_eq!(Type::of(Base::Choice(labels(&["yes", "no, but"]))).optional().to_string(), "choice(yes, \"no, but\")?");
}
