//! How sure several answers are, and whether those that are still out could change what they come to.
//!
//! Confidence is one number for all kinds of models: the greatest share of probability that any one value has over all
//! answers. An answer with probabilities brings its distribution, any other one brings certainty in its value. So it is the
//! top probability of a single answer with probabilities, and the share that agrees of several answers without.

use crate::graph::Combine;
use crate::number::Number;
use crate::run::judgment::combine::combine;
use crate::run::judgment::entry::{self, Sample};
use crate::types::{Base, Type, Value};
use serde_json::{Map, Value as Json};

/// The confidence of answers, from 0 to 1; `None`: there are none, or one of them is no value.
pub(super) fn of(entries: &[&Map<String, Json>], ty: &Type) -> Option<Number> {
    let mut shares: Vec<(Value, Number)> = Vec::new();
    let mut add = |value: &Value, p: &Number| match shares.iter_mut().find(|(known, _)| known == value) {
        Some((_, share)) => *share = &*share + p,
        None => shares.push((value.clone(), p.clone())),
    };
    for map in entries {
        let each = map.contains_key("parts");
        let read = entry::read(&Json::Object((*map).clone()), ty, each).ok()?;
        match read.samples.as_slice() {
            [Sample::Probable(distribution, _)] => distribution.pairs().iter().for_each(|(value, p)| add(value, p)),
            [Sample::Value(value)] => add(value, &Number::ONE),
            _ => return None,
        }
    }
    let most = shares.into_iter().map(|(_, share)| share).max()?;
    most.checked_div(&Number::from(entries.len()))
}

/// Whether the samples come to the same whatever `open` more of them say. Those are taken to be values: if one of them were
/// missing, the judgment would be missing.
pub(super) fn fixed(samples: &[Sample], open: usize, how: Combine, asked: &Type, node: &Type) -> bool {
    /// Beyond this many it is not worth finding out.
    const MOST: usize = 16;
    if samples.is_empty() {
        return false;
    }
    if open == 0 {
        return true;
    }
    let sets = matches!(asked.base, Base::Set(_) | Base::Tally { .. });
    if open > MOST || matches!(how, Combine::Mean | Combine::Expected) || sets && how != Combine::Unanimous {
        return false;
    }
    let Ok(Ok(so_far)) = combine(samples, how, asked, node) else { return false };
    let same = |fill: &[Value]| {
        let all: Vec<Sample> = samples.iter().cloned().chain(fill.iter().cloned().map(Sample::Value)).collect();
        matches!(combine(&all, how, asked, node), Ok(Ok(value)) if value == so_far)
    };
    // The extremes decide for medians, the least and the greatest; for the most frequent each value is tried. `unknown`
    // ones shift the middle, so every number of them is tried beside each value.
    let mut values = extremes(asked);
    for sample in samples {
        if let Sample::Value(value) | Sample::Probable(_, Some(value)) = sample
            && !value.is_unknown()
            && !values.contains(value)
        {
            values.push(value.clone());
        }
    }
    if values.is_empty() {
        return false;
    }
    let unknown = if asked.optional { open } else { 0 };
    values.iter().all(|value| {
        (0..=unknown).all(|unknown| {
            let mut fill = vec![value.clone(); open - unknown];
            fill.extend(std::iter::repeat_n(Value::Unknown, unknown));
            same(&fill)
        })
    })
}

/// The lowest and the highest value; of a choice its labels.
fn extremes(asked: &Type) -> Vec<Value> {
    if let Some((lowest, highest)) = asked.extremes() {
        return vec![lowest, highest];
    }
    match &asked.base {
        Base::Choice(labels) => (0..u32::try_from(labels.len()).unwrap_or(0)).map(Value::Label).collect(),
        // Any two that differ.
        Base::Set(_) => vec![Value::Set([].into()), Value::Set([0].into())],
        Base::Tally { labels, .. } => {
            let mut one = vec![0; labels.len()];
            if let Some(first) = one.first_mut() {
                *first = 1;
            }
            vec![Value::Tally(vec![0; labels.len()].into()), Value::Tally(one.into())]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn confidence(entries: &[Json], ty: &Type) -> Option<String> {
        let entries: Vec<&Map<String, Json>> = entries.iter().map(|json| json.as_object().unwrap()).collect();
        of(&entries, ty).map(|c| c.exact())
    }

    #[test]
    fn confidence_is_the_greatest_share_of_any_value() {
        let ty = Type::int(1, 5).optional();
        let of = |entries: &[Json]| confidence(entries, &ty);
        assert_eq!(of(&[json!({"value": 4, "probabilities": {"4": 0.75, "5": 0.25}})]).as_deref(), Some("0.75"));
        assert_eq!(of(&[json!({"value": 4}), json!({"value": 4}), json!({"value": 5})]).as_deref(), Some("2/3"));
        assert_eq!(of(&[json!({"value": "unknown"})]).as_deref(), Some("1"));
        assert_eq!(of(&[json!({"value": 4}), json!({"missing": "refused"})]), None);
        assert_eq!(of(&[]), None);
    }

    fn sample(n: i64) -> Sample {
        Sample::Value(if n == 0 { Value::Unknown } else { Value::Number(Number::int(n)) })
    }

    #[test]
    fn what_is_out_of_reach_is_fixed() {
        let five = Type::int(1, 5);
        let of = |samples: &[i64], open, how| {
            let samples: Vec<Sample> = samples.iter().map(|n| sample(*n)).collect();
            fixed(&samples, open, how, &five, &five)
        };
        assert!(of(&[3, 3], 1, Combine::Median) && !of(&[3, 4], 1, Combine::Median));
        assert!(of(&[3, 1], 3, Combine::Min) && !of(&[3, 2], 3, Combine::Min));
        assert!(of(&[2, 2, 2], 2, Combine::Majority) && !of(&[2, 2], 2, Combine::Majority));
        assert!(!of(&[3, 3], 1, Combine::Mean) && of(&[3, 3], 0, Combine::Mean) && !of(&[], 0, Combine::Mean));
    }

    proptest! {
        #[test]
        fn what_is_fixed_does_not_change(
            samples in prop::collection::vec(0..=3_i64, 1..5),
            rest in prop::collection::vec(0..=3_i64, 0..4),
            how in prop_oneof![
                Just(Combine::Majority), Just(Combine::Median), Just(Combine::Min), Just(Combine::Max), Just(Combine::Unanimous)
            ],
        ) {
            let ty = Type::int(1, 3).optional();
            let samples: Vec<Sample> = samples.into_iter().map(sample).collect();
            if fixed(&samples, rest.len(), how, &ty, &ty) {
                let all: Vec<Sample> = samples.iter().cloned().chain(rest.into_iter().map(sample)).collect();
                prop_assert_eq!(combine(&all, how, &ty, &ty), combine(&samples, how, &ty, &ty));
            }
        }
    }
}
