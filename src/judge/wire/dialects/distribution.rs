//! Distributions as decision models write them: each probability from 0 to 1, together 1 but for rounding.
//!
//! What is far from that is no distribution, whatever the server calls it (for instance one sigmoid per option), and no
//! judgment is made of it.

use super::super::value::Value;
use crate::number::Number;

/// A sum may be off by this in any case.
const SLACK: f64 = 0.05;
/// A score may be off its expectation by this in any case.
const SCORE_SLACK: f64 = 0.02;
/// What rounding to two places moves a number by: the coarsest rounding that is allowed for.
const COARSEST: f64 = 0.005;
/// A sum in binary floating point may end this far above 1.
const NOISE: f64 = 1e-6;

/// A probability, as the server wrote it, to 12 places.
pub(super) fn probability(value: Option<&Value<'_>>) -> Result<Number, String> {
    let Some(value) = value else { return Err("a probability is missing".to_owned()) };
    let number = value.digits().and_then(|digits| Number::from_decimal(&digits).ok());
    let refused = || format!("{} is no probability", value.json());
    let Some(number) = number.filter(|n| !n.is_negative()) else { return Err(refused()) };
    let one = Number::from(1_i64);
    if number <= one {
        Ok(number.as_judged())
    } else if number.to_f64() <= 1.0 + NOISE {
        Ok(one)
    } else {
        Err(refused())
    }
}

/// That probabilities are those of all outcomes.
pub(super) fn whole(probabilities: &[Number]) -> Result<(), String> {
    let sum: f64 = probabilities.iter().map(Number::to_f64).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most 255 options")]
    let slack = (probabilities.len() as f64 * rounding(probabilities)).max(SLACK);
    if (sum - 1.0).abs() <= slack + 1e-9 {
        Ok(())
    } else {
        Err(format!("the probabilities add up to {sum:.3}, not to 1"))
    }
}

/// That the chosen one is the most probable, but for rounding.
pub(super) fn chosen(chosen: &Number, all: &[Number]) -> Result<(), String> {
    let most = all.iter().map(Number::to_f64).fold(0.0, f64::max);
    if chosen.to_f64() + 2.0 * rounding(all) + 1e-9 >= most {
        Ok(())
    } else {
        Err("the chosen option is not the most probable one".to_owned())
    }
}

/// That a score is the expectation of its levels, but for rounding.
pub(super) fn expected(score: Option<&Value<'_>>, probabilities: &[Number]) -> Result<(), String> {
    let Some(score) = score.and_then(Value::as_f64) else { return Err("the score is missing".to_owned()) };
    let (mut expectation, mut weights) = (0.0, 0.0);
    let mut level = 0.0;
    for p in probabilities {
        expectation += level * p.to_f64();
        weights += level;
        level += 1.0;
    }
    if (score - expectation).abs() <= SCORE_SLACK + rounding(probabilities) * (1.0 + weights) {
        Ok(())
    } else {
        Err(format!("the score {score} is not the expectation of its probabilities, {expectation:.3}"))
    }
}

/// By how much rounding may have moved each of these: half a unit of the fewest places, from two to six, that write all of
/// them; 0 where more are needed. Of numbers that were rounded as single-precision floats the last places are noise.
fn rounding(probabilities: &[Number]) -> f64 {
    let written =
        |unit: f64| probabilities.iter().map(Number::to_f64).all(|p| (p - (p * unit).round() / unit).abs() < 1e-7);
    let mut half = COARSEST;
    for unit in [1e2, 1e3, 1e4, 1e5, 1e6] {
        if written(unit) {
            return half;
        }
        half /= 10.0;
    }
    0.0
}

/// That a confidence is given and can be one. It is not used: what it means differs between servers.
pub(super) fn confidence(value: Option<&Value<'_>>) -> Result<(), String> {
    match value.and_then(Value::as_f64) {
        Some(c) if (-NOISE..=1.0 + NOISE).contains(&c) => Ok(()),
        Some(c) => Err(format!("{c} is no confidence from 0 to 1")),
        None => Err("the confidence is missing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: &str) -> Value<'_> {
        serde_json::from_str(number).unwrap()
    }

    fn numbers(list: &[&str]) -> Vec<Number> {
        list.iter().map(|n| Number::from_decimal(n).unwrap()).collect()
    }

    #[test]
    fn rounded_distributions_are_whole_and_others_are_not() {
        assert!(whole(&numbers(&["0.33", "0.33", "0.33"])).is_ok());
        assert!(whole(&numbers(&["0.4", "0.4"])).is_err());
        assert!(whole(&numbers(&["0.7", "0.5"])).is_err());
        assert!(whole(&[]).is_err());
        // Two hundred options of which each was rounded down to nothing, and as many that were not rounded.
        assert!(whole(&vec![Number::default(); 200]).is_ok());
        assert!(whole(&vec![Number::from_decimal("0.0048812345").unwrap(); 160]).is_err());
    }

    #[test]
    fn what_is_no_probability_is_told() {
        for wrong in ["-0.1", "1.2", "\"0.5\"", "null", "true", "1e400"] {
            assert!(probability(serde_json::from_str(wrong).ok().as_ref()).is_err(), "{wrong}");
        }
        let tiny = serde_json::from_str("9.123456789012345e-05").unwrap();
        assert_eq!(probability(Some(&tiny)).unwrap(), Number::from_decimal("0.000091234568").unwrap());
        let noisy = serde_json::from_str("1.0000000000000002").unwrap();
        assert_eq!(probability(Some(&noisy)).unwrap(), Number::from(1_i64));
    }

    #[test]
    fn a_score_is_its_expectation() {
        let p = numbers(&["0.1", "0.2", "0.7"]);
        assert!(expected(Some(&of("1.6")), &p).is_ok());
        assert!(expected(Some(&of("2.0")), &p).is_err());
        assert!(expected(None, &p).is_err());
        // Where nothing was rounded, a small difference is one.
        let exact = numbers(&["0.182949930347", "0.016114094645", "0.458201663234", "0.342734311774"]);
        assert!(expected(Some(&of("1.9607")), &exact).is_ok() && expected(Some(&of("2.0")), &exact).is_err());
    }
}
