//! What a model's probabilities say: the expected value, or the most probable one.

use crate::number::Number;
use crate::run::record::json;
use crate::types::{Base, Type, Value};
use serde_json::Value as Json;
use std::cmp::Ordering;

/// Values with their probabilities, in the order written; no value stands twice, and the sum is at most 1.01.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    of: Vec<(Value, Number)>,
}

/// What a distribution's mean is.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    Number(Number),
    /// More than half of what was seen says `unknown`.
    Unknown,
    /// The probabilities cover less than one half: what the rest would have said is not known.
    TooLittle,
}

impl Distribution {
    /// Reads `{"VALUE": probability, …}`; values are written as texts (`"true"`, `"4"`, a label, `"unknown"`).
    ///
    /// # Errors
    /// A sentence: no object, a key that is no value of `asked`, a value twice, a probability outside 0..1, a sum above 1.
    pub fn read(json: &Json, asked: &Type) -> Result<Distribution, String> {
        let Json::Object(map) = json else {
            return Err("`probabilities` must be an object: {\"VALUE\": probability, …}".to_owned());
        };
        let mut of: Vec<(Value, Number)> = Vec::with_capacity(map.len());
        for (key, probability) in map {
            let value = key_value(key, asked)?;
            if of.iter().any(|(known, _)| *known == value) {
                return Err(format!("`probabilities` name {key} twice"));
            }
            let number = match probability {
                Json::Number(number) => Number::from_decimal(number.as_str()).ok(),
                _ => None,
            };
            let number = number.filter(|n| !n.is_negative() && *n <= Number::ONE);
            let Some(number) = number else {
                return Err(format!("the probability of {key} is {probability}, but must be a number from 0 to 1"));
            };
            of.push((value, number));
        }
        let distribution = Distribution { of };
        let most = Number::ratio(101, 100).unwrap_or(Number::ONE);
        if distribution.total() > most {
            return Err(format!("the probabilities add up to {}, more than 1", distribution.total()));
        }
        Ok(distribution)
    }

    /// The values with their probabilities, in the order written.
    #[must_use]
    pub fn pairs(&self) -> &[(Value, Number)] {
        &self.of
    }

    fn total(&self) -> Number {
        self.of.iter().map(|(_, p)| p).sum()
    }

    /// The mean by the probabilities, divided by their sum and rounded half-even to 12 places. `unknown` is left out
    /// unless it has more than half of the sum.
    ///
    /// # Errors
    /// Where a value is no number and no bool.
    pub fn expected(&self) -> Result<Expected, String> {
        let total = self.total();
        let half = Number::ratio(1, 2).unwrap_or_default();
        if total < half {
            return Ok(Expected::TooLittle);
        }
        let mut unknown = Number::ZERO;
        let mut sum = Number::ZERO;
        for (value, p) in &self.of {
            match value {
                Value::Unknown => unknown = p.clone(),
                value => sum = &sum + &(&as_number(value)? * p),
            }
        }
        if unknown > &total * &half {
            return Ok(Expected::Unknown);
        }
        Ok(sum.checked_div(&(&total - &unknown)).map_or(Expected::TooLittle, |mean| Expected::Number(mean.as_judged())))
    }

    /// The most probable values: several where they are equally probable, then without `unknown`. Empty where no value has
    /// any probability.
    #[must_use]
    pub fn most_probable(&self) -> Vec<Value> {
        let most = self.of.iter().map(|(_, p)| p).max().filter(|p| p.is_positive());
        let Some(most) = most else { return Vec::new() };
        let mut values: Vec<Value> = self.of.iter().filter(|(_, p)| p == most).map(|(v, _)| v.clone()).collect();
        if values.len() > 1 {
            values.retain(|value| !value.is_unknown());
        }
        values.sort_by(order);
        values
    }
}

/// Reads a key of `probabilities`.
fn key_value(key: &str, asked: &Type) -> Result<Value, String> {
    let json = match &asked.base {
        _ if key == "unknown" => Json::String(key.to_owned()),
        Base::Bool => json::parse(key).unwrap_or_else(|_| Json::String(key.to_owned())),
        Base::Set(_) | Base::Tally { .. } => {
            return Err(format!("`probabilities` are of single values, but the criterion's type is {asked}"));
        }
        _ => Json::String(key.to_owned()),
    };
    Value::from_json(&json, asked).map_err(|fault| format!("`probabilities`: {fault}"))
}

/// A value as a number: bools are 0 and 1.
pub(super) fn as_number(value: &Value) -> Result<Number, String> {
    match value {
        Value::Number(n) => Ok(n.clone()),
        Value::Bool(b) => Ok(Number::int(i64::from(*b))),
        _ => Err("only numbers and yes/no answers have a mean; choose another `combine`".to_owned()),
    }
}

/// The order of two values of one type: false before true, numbers, labels by rank; equal where there is none.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Label(a), Value::Label(b)) => a.cmp(b),
        (Value::Set(a), Value::Set(b)) | (Value::Tally(a), Value::Tally(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(json: Json, asked: &Type) -> Result<Distribution, String> {
        Distribution::read(&json, asked)
    }

    fn number(text: &str) -> Number {
        Number::from_exact(text).unwrap()
    }

    #[test]
    fn the_expected_value_divides_by_the_sum() {
        let four = Type::int(1, 4);
        let mean = |json| of(json, &four).unwrap().expected().unwrap();
        assert_eq!(mean(json!({"1": 0.1, "2": 0.2, "3": 0.3, "4": 0.2})), Expected::Number(number("2.75")));
        assert_eq!(mean(json!({"1": 0.3, "4": 0.3, "2": 0.3})), Expected::Number(number("2.333333333333")));
        assert_eq!(mean(json!({"1": 0.2, "4": 0.2})), Expected::TooLittle);
        assert_eq!(mean(json!({"4": 0.5})), Expected::Number(number("4")));
        assert_eq!(mean(json!({})), Expected::TooLittle);
    }

    #[test]
    fn unknown_takes_part() {
        let ty = Type::BOOL.optional();
        let d = of(json!({"true": 0.3, "unknown": 0.6}), &ty).unwrap();
        assert_eq!((d.expected().unwrap(), d.most_probable()), (Expected::Unknown, vec![Value::Unknown]));
        let d = of(json!({"true": 0.3, "false": 0.1, "unknown": 0.3}), &ty).unwrap();
        assert_eq!(d.expected().unwrap(), Expected::Number(number("0.75")));
        assert_eq!(d.most_probable(), [Value::Bool(true)]);
    }

    #[test]
    fn what_is_no_distribution_is_a_fault() {
        let four = Type::int(1, 4);
        assert!(of(json!({"5": 0.1}), &four).unwrap_err().contains("not a value of int[1..4]"));
        assert!(of(json!({"1": 1.5}), &four).unwrap_err().contains("from 0 to 1"));
        assert!(of(json!({"1": -0.5}), &four).unwrap_err().contains("from 0 to 1"));
        assert!(of(json!({"1": 0.8, "2": 0.8}), &four).unwrap_err().contains("add up to 1.6"));
        assert!(of(json!({"1": 0.1, "1.0": 0.1}), &four).unwrap_err().contains("twice"));
        assert!(of(json!([0.1]), &four).is_err());
    }
}
