//! Makes one judgment of several samples.
//!
//! A missing sample makes the judgment missing. Unknown samples make it unknown where they are more than half (of
//! `unanimous`: any), and are left out otherwise. What remains is joined by the criterion's `combine`; ties take the lower
//! value, a choice (whose labels have no order) is then unknown, and a fault where its type has no `?`.
//!
//! The outcome is a function of the samples as a multiset: their order never matters.

use super::entry::Sample;
use super::probabilities::{Expected, as_number, order};
use crate::graph::{Combine, Criterion, Procedure};
use crate::number::Number;
use crate::run::leaf::{Missing, MissingReason};
use crate::types::{Base, Type, Value};

/// How the samples of a criterion become one.
#[must_use]
pub fn of(criterion: &Criterion) -> Combine {
    match &criterion.procedure {
        Procedure::Human { combine } => *combine,
        Procedure::Llm(llm) => llm.combine,
        Procedure::Cascade { first, .. } => first.combine,
        Procedure::Rule(_) | Procedure::Verifier { .. } => default_for(&criterion.ty),
    }
}

/// What joins samples of a type where nothing was written.
#[must_use]
pub fn default_for(asked: &Type) -> Combine {
    match &asked.base {
        Base::Bool | Base::Choice(_) | Base::Ordinal(_) | Base::Items => Combine::Majority,
        Base::Int { .. } => Combine::Median,
        Base::Score { .. } | Base::Real => Combine::Mean,
        Base::Set(_) | Base::Tally { .. } => Combine::PerLabel,
    }
}

/// Joins samples of the type `asked` into one judgment of the type `node`.
///
/// # Errors
/// A sentence where the samples cannot be joined: a tie of a choice without `?`, samples that differ under `unanimous`
/// where the type has no `?`.
pub fn combine(samples: &[Sample], how: Combine, asked: &Type, node: &Type) -> Result<Result<Value, Missing>, String> {
    let mut known = Vec::with_capacity(samples.len());
    let mut unknown = 0_usize;
    for sample in samples {
        match simple(sample, how, asked)? {
            Err(missing) => return Ok(Err(missing)),
            Ok(Value::Unknown) => unknown += 1,
            Ok(value) => known.push(value),
        }
    }
    if samples.is_empty() {
        return Ok(Err(Missing { reason: MissingReason::NotRecorded, detail: String::new() }));
    }
    let value = if unknown * 2 > samples.len() || unknown > 0 && (known.is_empty() || how == Combine::Unanimous) {
        Value::Unknown
    } else {
        known.sort_by(order);
        joined(&known, how, asked, node)?
    };
    if node.holds(&value) { Ok(Ok(value)) } else { Err(format!("{} is not a value of {node}", value.text(asked))) }
}

/// A sample as one value: what a model's probabilities come to.
fn simple(sample: &Sample, how: Combine, asked: &Type) -> Result<Result<Value, Missing>, String> {
    let little = |detail: &str| Missing { reason: MissingReason::Other, detail: detail.to_owned() };
    match sample {
        Sample::Missing(missing) => Ok(Err(missing.clone())),
        Sample::Value(value) => Ok(Ok(value.clone())),
        Sample::Probable(distribution, _) if how == Combine::Expected => Ok(match distribution.expected()? {
            Expected::Number(mean) => Ok(Value::Number(mean)),
            Expected::Unknown => Ok(Value::Unknown),
            Expected::TooLittle => Err(little("the recorded probabilities add up to less than one half")),
        }),
        Sample::Probable(_, Some(value)) => Ok(Ok(value.clone())),
        Sample::Probable(distribution, None) => {
            let values = distribution.most_probable();
            match (values.as_slice(), how) {
                ([], _) => Ok(Err(little("no value has any recorded probability"))),
                ([one], _) => Ok(Ok(one.clone())),
                ([.., highest], Combine::Max) => Ok(Ok(highest.clone())),
                (tied, Combine::Unanimous) => joined(tied, Combine::Unanimous, asked, asked).map(Ok),
                (tied, _) => joined(tied, Combine::Majority, asked, asked).map(Ok),
            }
        }
    }
}

/// Joins known values, in ascending order, at least one.
fn joined(values: &[Value], how: Combine, asked: &Type, node: &Type) -> Result<Value, String> {
    let (Some(lowest), Some(highest)) = (values.first(), values.last()) else {
        return Err("there is no sample to join".to_owned());
    };
    if matches!(asked.base, Base::Set(_) | Base::Tally { .. }) && how != Combine::Unanimous {
        return per_label(values, how);
    }
    match how {
        Combine::Min => Ok(lowest.clone()),
        Combine::Max => Ok(highest.clone()),
        Combine::Median => {
            let middle = values.get((values.len() - 1) / 2);
            Ok(middle.unwrap_or(lowest).clone())
        }
        Combine::Mean | Combine::Expected => {
            // Bools become 0 and 1 even where there is one sample only: the node's type is a number.
            let mut sum = Number::ZERO;
            for value in values {
                sum = &sum + &as_number(value)?;
            }
            sum.checked_div(&Number::from(values.len())).map(Value::Number).ok_or_else(|| "no samples".to_owned())
        }
        Combine::Unanimous if values.iter().all(|value| value == lowest) => Ok(lowest.clone()),
        Combine::Unanimous if node.optional => Ok(Value::Unknown),
        Combine::Unanimous => Err(format!(
            "the samples differ ({} and {}), and only a criterion of type `{node}?` may be unknown",
            lowest.text(asked),
            highest.text(asked)
        )),
        Combine::Majority | Combine::PerLabel => majority(values, asked, node),
    }
}

/// The most frequent of values in ascending order.
fn majority(values: &[Value], asked: &Type, node: &Type) -> Result<Value, String> {
    let runs = || values.chunk_by(|a, b| a == b);
    let most = runs().map(<[Value]>::len).max().unwrap_or(0);
    let mut tied = runs().filter(|run| run.len() == most).filter_map(<[Value]>::first);
    let (Some(lower), second) = (tied.next(), tied.next()) else {
        return Err("there is no sample to join".to_owned());
    };
    match (&asked.base, second) {
        (Base::Choice(_), Some(_)) if node.optional => Ok(Value::Unknown),
        (Base::Choice(_), Some(second)) => Err(format!(
            "the samples are split between {} and {}, which have no order; a criterion of type `{node}?` is unknown then",
            lower.text(asked),
            second.text(asked)
        )),
        _ => Ok(lower.clone()),
    }
}

/// Sets: a label holds where most samples have it (of two equal halves: it does not). Tallies: the lower middle count of
/// each label. `min` and `max`: in all samples, in any; the least, the greatest count.
fn per_label(values: &[Value], how: Combine) -> Result<Value, String> {
    let pick = |mut counts: Vec<u32>| {
        counts.sort_unstable();
        match how {
            Combine::Min => counts.first().copied(),
            Combine::Max => counts.last().copied(),
            _ => counts.get(counts.len().saturating_sub(1) / 2).copied(),
        }
        .unwrap_or(0)
    };
    match values.first() {
        Some(Value::Tally(first)) => {
            let counts = |label: usize| {
                let of = |value: &Value| match value {
                    Value::Tally(counts) => counts.get(label).copied().unwrap_or(0),
                    _ => 0,
                };
                values.iter().map(of).collect()
            };
            Ok(Value::Tally((0..first.len()).map(|label| pick(counts(label))).collect()))
        }
        Some(Value::Set(_)) => {
            let mut all: Vec<u32> = Vec::new();
            for value in values {
                if let Value::Set(ranks) = value {
                    all.extend(ranks.iter());
                }
            }
            all.sort_unstable();
            let holds = |run: &&[u32]| match how {
                Combine::Min => run.len() == values.len(),
                Combine::Max => true,
                _ => run.len() * 2 > values.len(),
            };
            let kept = all.chunk_by(|a, b| a == b).filter(holds).filter_map(<[u32]>::first).copied();
            Ok(Value::Set(kept.collect()))
        }
        _ => Err("only sets and tallies are joined label by label".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::judgment::entry::read_text;

    fn judged(text: &str, how: Combine, asked: &Type, node: &Type) -> Result<String, String> {
        let samples = read_text(text, asked, false).unwrap().samples;
        let value = combine(&samples, how, asked, node)?;
        Ok(value.map_or_else(|m| format!("missing: {}", m.reason.word()), |v| v.text(node)))
    }

    fn labels(words: &[&str]) -> crate::types::Labels {
        words.iter().map(|word| (*word).into()).collect()
    }

    #[test]
    fn every_kind_of_combine() {
        let (five, like) = (Type::int(1, 5), Type::score(Number::ONE, Number::int(5)));
        let of = |how, node: &Type| judged(r#"{"values": [5, 2, 4, 2]}"#, how, &five, node).unwrap();
        assert_eq!(of(Combine::Majority, &five), "2");
        assert_eq!(of(Combine::Median, &five), "2");
        assert_eq!(of(Combine::Min, &five), "2");
        assert_eq!(of(Combine::Max, &five), "5");
        assert_eq!(of(Combine::Mean, &like), "3.25");
        assert_eq!(of(Combine::Expected, &like), "3.25");
        assert_eq!(of(Combine::Unanimous, &five.clone().optional()), "unknown");
        assert!(judged(r#"{"values": [5, 2]}"#, Combine::Unanimous, &five, &five).unwrap_err().contains("int[1..5]?"));
        assert_eq!(judged(r#"{"values": [0.7, 0.7, 0.7]}"#, Combine::Mean, &Type::UNIT, &Type::UNIT).unwrap(), "0.7");
        assert_eq!(judged("true", Combine::Mean, &Type::BOOL, &Type::UNIT).unwrap(), "1");
    }

    #[test]
    fn ties_take_the_lower_value_and_a_choice_none() {
        let choice = Type::of(Base::Choice(labels(&["a", "b"])));
        let ordinal = Type::of(Base::Ordinal(labels(&["a", "b"])));
        let tie = r#"{"values": ["b", "a"]}"#;
        assert_eq!(
            judged(r#"{"values": [true, false]}"#, Combine::Majority, &Type::BOOL, &Type::BOOL).unwrap(),
            "false"
        );
        assert_eq!(judged(tie, Combine::Majority, &ordinal, &ordinal).unwrap(), "a");
        assert!(judged(tie, Combine::Majority, &choice, &choice).unwrap_err().contains("split between a and b"));
        let optional = choice.clone().optional();
        assert_eq!(judged(tie, Combine::Majority, &optional, &optional).unwrap(), "unknown");
        assert_eq!(judged(r#"{"values": ["b", "b", "a"]}"#, Combine::Majority, &choice, &choice).unwrap(), "b");
    }

    #[test]
    fn unknown_and_missing_samples() {
        let ty = Type::int(1, 5).optional();
        let of = |text, how| judged(text, how, &ty, &ty).unwrap();
        assert_eq!(of(r#"{"values": [3, "unknown"]}"#, Combine::Median), "3");
        assert_eq!(of(r#"{"values": [3, "unknown", "unknown"]}"#, Combine::Median), "unknown");
        assert_eq!(of(r#"{"values": [3, 3, 3, "unknown"]}"#, Combine::Unanimous), "unknown");
        assert_eq!(of(r#"{"values": [3, 3, null]}"#, Combine::Median), "missing: not_recorded");
        assert_eq!(of(r#"{"values": []}"#, Combine::Median), "missing: not_recorded");
        assert_eq!(of(r#"{"values": [3, {"missing": "refused"}]}"#, Combine::Median), "missing: refused");
    }

    #[test]
    fn probabilities_become_a_value() {
        let (four, node) = (Type::int(1, 4), Type::score(Number::ONE, Number::int(4)));
        let text = r#"{"probabilities": {"1": 0.4, "2": 0.1, "4": 0.4}}"#;
        assert_eq!(judged(text, Combine::Median, &four, &four).unwrap(), "1");
        assert_eq!(judged(text, Combine::Max, &four, &four).unwrap(), "4");
        assert_eq!(judged(text, Combine::Expected, &four, &node).unwrap(), "2.444444444444");
        let little = r#"{"probabilities": {"1": 0.4}}"#;
        assert_eq!(judged(little, Combine::Expected, &four, &node).unwrap(), "missing: other");
        assert_eq!(judged(little, Combine::Median, &four, &four).unwrap(), "1");
        let both = r#"{"value": 2, "probabilities": {"1": 0.4, "2": 0.4}}"#;
        assert_eq!(judged(both, Combine::Median, &four, &four).unwrap(), "2");
        assert_eq!(judged(both, Combine::Expected, &four, &node).unwrap(), "1.5");
    }

    #[test]
    fn sets_and_tallies_label_by_label() {
        let set = Type::of(Base::Set(labels(&["a", "b", "c"])));
        let text = r#"{"values": [["a", "b"], ["b"], ["c", "b", "a"], []]}"#;
        assert_eq!(judged(text, Combine::PerLabel, &set, &set).unwrap(), "[b]");
        assert_eq!(judged(text, Combine::Max, &set, &set).unwrap(), "[a, b, c]");
        let tally = Type::of(Base::Tally { labels: labels(&["a", "b"]), max: 5 });
        let text = r#"{"values": [["a", "a", "b"], ["a"], ["a", "a", "a"]]}"#;
        assert_eq!(judged(text, Combine::PerLabel, &tally, &tally).unwrap(), "[a, a]");
    }
}
