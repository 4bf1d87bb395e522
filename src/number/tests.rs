//! Numbers against `num-rational`'s big fractions, which share no code with the small path.

use super::*;
use num_traits::One;
use proptest::prelude::*;
use std::str::FromStr;

/// Numbers of all sizes: small, at the edge of a machine word, and far beyond it.
fn numbers() -> impl Strategy<Value = (Number, BigRational)> {
    let parts = prop_oneof![
        4 => (-1_000_i128..1_000, 1_i128..1_000),
        2 => (any::<i64>().prop_map(i128::from), 1_i128..100),
        2 => (any::<i64>().prop_map(i128::from), (1_i64..).prop_map(i128::from)),
        1 => (any::<i128>(), 1_i128..),
        1 => (proptest::sample::select(vec![i128::from(i64::MIN), i128::from(i64::MAX), 0, 1, -1]), 1_i128..4),
    ];
    parts.prop_map(|(n, d)| {
        let big = BigRational::new(BigInt::from(n), BigInt::from(d));
        (Number::from_big(big.clone()), big)
    })
}

fn is_canonical(n: &Number) -> bool {
    match &n.0 {
        Repr::Small { n, d } => *d > 0 && n.unsigned_abs().gcd(&d.unsigned_abs()) == 1,
        Repr::Big(r) => {
            let fits = r.numer().to_i64().is_some() && r.denom().to_i64().is_some();
            !fits && r.denom().is_positive() && r.numer().gcd(r.denom()).is_one()
        }
    }
}

/// Rounds a big fraction by its definition.
fn rounded(x: &BigRational, mode: Rounding) -> BigInt {
    let (down, up) = (x.floor().to_integer(), x.ceil().to_integer());
    let half = x - x.floor();
    let middle = BigRational::new(BigInt::one(), BigInt::from(2));
    match mode {
        Rounding::Down => down,
        Rounding::Up => up,
        _ if half < middle => down,
        _ if half > middle => up,
        Rounding::HalfUp => up,
        Rounding::HalfDown => down,
        Rounding::HalfEven => {
            if down.is_even() {
                down
            } else {
                up
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arithmetic_is_that_of_big_fractions((a, x) in numbers(), (b, y) in numbers()) {
        let results = [
            (&a + &b, &x + &y),
            (&a - &b, &x - &y),
            (&a * &b, &x * &y),
            (-a.clone(), -&x),
            (a.abs(), x.abs()),
            (a.floor(), x.floor()),
        ];
        for (mine, theirs) in results {
            prop_assert_eq!(mine.big(), theirs);
            prop_assert!(is_canonical(&mine), "{mine:?}");
        }
        match a.checked_div(&b) {
            Some(quotient) => {
                prop_assert_eq!(quotient.big(), &x / &y);
                prop_assert!(is_canonical(&quotient));
            }
            None => prop_assert!(y.is_zero()),
        }
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        prop_assert_eq!(a == b, x == y);
        prop_assert_eq!(a.is_zero(), x.is_zero());
        prop_assert_eq!(a.is_negative(), x.is_negative());
        prop_assert_eq!(a.is_positive(), x.is_positive());
        prop_assert_eq!(a.is_integer(), x.is_integer());
        prop_assert_eq!(a.bits(), x.numer().bits() + x.denom().bits());
    }

    #[test]
    fn rounding_follows_its_definition((a, x) in numbers(), (step, s) in numbers()) {
        for mode in Rounding::ALL {
            prop_assert_eq!(a.round(mode).big(), BigRational::from_integer(rounded(&x, mode)));
            if step.is_positive() {
                let expected = BigRational::from_integer(rounded(&(&x / &s), mode)) * &s;
                prop_assert_eq!(a.round_step(&step, mode).big(), expected);
            }
            let scale = BigRational::from_integer(BigInt::from(10).pow(5));
            prop_assert_eq!(a.round_places(5, mode).big(), BigRational::from_integer(rounded(&(&x * &scale), mode)) / scale);
        }
    }

    /// What is printed is the number, where it ends within 12 places, else its half-even rounding; `exact` is read back as it was.
    #[test]
    fn printing_is_exact_or_rounded_half_even((a, x) in numbers()) {
        prop_assert_eq!(&Number::from_exact(&a.exact()).unwrap(), &a);
        let shown = a.to_string();
        let back = Number::from_decimal(&shown).unwrap();
        let scale = BigRational::from_integer(BigInt::from(10).pow(PLACES));
        let expected = BigRational::from_integer(rounded(&(&x * &scale), Rounding::HalfEven)) / scale;
        prop_assert_eq!(back.big(), expected);
        prop_assert_eq!(a.ends_within_places(), back == a);
        // The shortest decimal where it ends, else all 12 places.
        let places = shown.split_once('.').map_or(0, |(_, f)| f.len());
        if back == a {
            prop_assert!(places == 0 || !shown.ends_with('0'), "{shown}");
        } else {
            prop_assert_eq!(places, 12);
        }
        prop_assert!(!shown.starts_with("-0") || shown.starts_with("-0."), "{shown}");
        prop_assert_eq!(a.as_judged(), back);
    }

    #[test]
    fn json_writes_the_same_digits_by_every_way((a, _) in numbers()) {
        let shown = a.to_string();
        prop_assert_eq!(serde_json::to_string(&a).unwrap(), shown.clone());
        prop_assert_eq!(serde_json::to_value(&a).unwrap().to_string(), shown.clone());
        let in_list: serde_json::Value = serde_json::from_str(&serde_json::to_string(&vec![&a]).unwrap()).unwrap();
        prop_assert_eq!(in_list[0].to_string(), shown);
    }

    #[test]
    fn decimals_are_read_as_they_are_written(whole in "[0-9]{1,30}", fraction in "[0-9]{0,30}", e in -30_i32..30, minus in any::<bool>()) {
        let sign = if minus { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        let text = format!("{sign}{whole}{point}{fraction}e{e}");
        let digits = BigInt::from_str(&format!("{sign}{whole}{fraction}")).unwrap();
        let shift = e - i32::try_from(fraction.len()).unwrap();
        let power = BigInt::from(10).pow(shift.unsigned_abs());
        let expected = if shift < 0 { BigRational::new(digits, power) } else { BigRational::from_integer(digits * power) };
        let read = Number::from_decimal(&text).unwrap();
        prop_assert!(is_canonical(&read));
        prop_assert_eq!(read.big(), expected);
    }

    #[test]
    fn no_text_makes_reading_panic(text in "[-+0-9./eE a]{0,24}") {
        let _ = Number::from_decimal(&text);
        let _ = Number::from_exact(&text);
    }

    /// r is the geometric mean of k numbers, rounded: (r − ½·10⁻¹²)^k ≤ product ≤ (r + ½·10⁻¹²)^k, and on a tie even.
    #[test]
    fn geometric_means_are_correctly_rounded(list in proptest::collection::vec((0_i64..500, 1_i64..500), 1..6)) {
        let numbers: Vec<Number> = list.iter().map(|(n, d)| Number::ratio(*n, *d).unwrap()).collect();
        let mean = geometric_mean(&numbers).unwrap().big();
        let product: BigRational = numbers.iter().map(Number::big).product();
        let half = BigRational::new(BigInt::one(), BigInt::from(2) * BigInt::from(10).pow(PLACES));
        let power = |x: BigRational| num_traits::pow(x, numbers.len());
        let low = &mean - &half;
        prop_assert!(low.is_negative() || power(low) <= product);
        prop_assert!(product <= power(&mean + &half));
    }

    /// The greatest and the least enclose it, as its node's interval must.
    #[test]
    fn a_geometric_mean_lies_between_its_numbers_to_12_places(list in proptest::collection::vec((1_i64..500, 1_i64..500), 1..6)) {
        let numbers: Vec<Number> = list.iter().map(|(n, d)| Number::ratio(*n, *d).unwrap()).collect();
        let mean = geometric_mean(&numbers).unwrap();
        let (low, high) = (numbers.iter().min().unwrap(), numbers.iter().max().unwrap());
        prop_assert!(low.as_judged() <= mean && mean <= high.as_judged());
    }
}

#[test]
fn mistakes_in_numbers_have_names() {
    for text in ["", "-", ".", "1e", "1e+", "NaN", "inf", "Infinity", "0x10", "1_000", "1,5", "--1", "1.2.3", " 1"] {
        assert!(matches!(Number::from_decimal(text), Err(NumberError::NotANumber(_))), "{text}");
    }
    for text in ["1/", "/2", "1/-2", "1.5/2", "1 / 2", "1/2/3"] {
        assert!(matches!(Number::from_exact(text), Err(NumberError::NotANumber(_))), "{text}");
    }
    assert_eq!(Number::from_exact("1/0"), Err(NumberError::ZeroDenominator));
    assert!(Number::from_exact("26/-0").is_err());
    assert_eq!(Number::from_exact("26/60").unwrap().exact(), "13/30");
}

#[test]
fn whatever_is_read_has_an_exact_text_that_can_be_read() {
    for text in
        ["1e399", "31e398", "1e-399", "-31e-398", &"7".repeat(400), &format!("0.{}", "7".repeat(200)), "007e397"]
    {
        let number = Number::from_decimal(text).unwrap();
        assert_eq!(Number::from_exact(&number.exact()), Ok(number), "{text}");
    }
    for text in ["31e399", "1e400", "-31e-399"] {
        assert_eq!(Number::from_decimal(text), Err(NumberError::TooLong), "{text}");
    }
}

#[test]
fn a_number_of_many_digits_is_an_error_at_once() {
    let start = std::time::Instant::now();
    let nines = "9".repeat(1_000_000);
    for text in [nines.as_str(), "1e401", "1e-401", "1e99999999999", "1e999999999999999999999", "0.1e-400"] {
        assert_eq!(Number::from_decimal(text), Err(NumberError::TooLong), "{}", text.len());
    }
    assert_eq!(Number::from_exact(&format!("1/{nines}")), Err(NumberError::TooLong));
    assert!(Number::from_decimal(&"9".repeat(400)).is_ok());
    assert_eq!(Number::from_decimal("0e999999999"), Ok(Number::ZERO));
    assert!(start.elapsed().as_secs() < 2);
}

#[test]
fn numbers_print_as_people_write_them() {
    for (text, shown, exact) in [
        ("3", "3", "3"),
        ("-0", "0", "0"),
        ("0.70", "0.7", "0.7"),
        ("-6.1", "-6.1", "-6.1"),
        ("1e3", "1000", "1000"),
        ("1e-12", "0.000000000001", "0.000000000001"),
        ("1e-13", "0.000000000000", "1/10000000000000"),
        ("13/30", "0.433333333333", "13/30"),
        ("-2/3", "-0.666666666667", "-2/3"),
        ("36893488147419103232", "36893488147419103232", "36893488147419103232"),
    ] {
        let n = Number::from_exact(text).unwrap();
        assert_eq!((n.to_string().as_str(), n.exact().as_str()), (shown, exact), "{text}");
    }
}

#[test]
fn a_mean_of_sevens_is_seven() {
    let seven = Number::from_decimal("0.7").unwrap();
    let sum: Number = [&seven, &seven, &seven].into_iter().sum();
    assert_eq!(sum.checked_div(&Number::int(3)), Some(seven));
}

#[test]
fn geometric_means_at_the_edges() {
    assert_eq!(geometric_mean(&[]), None);
    assert_eq!(geometric_mean(&[Number::int(-1)]), None);
    assert_eq!(geometric_mean(&[Number::ZERO, Number::int(9)]), Some(Number::ZERO));
    assert_eq!(geometric_mean(&[Number::int(4), Number::int(9)]), Some(Number::int(6)));
    assert_eq!(geometric_mean(&[Number::int(2), Number::ONE]).unwrap().to_string(), "1.414213562373");
    // A tie goes to the even digit: the mean of one number is its own rounding.
    let tie = Number::from_decimal("0.0000000000005").unwrap();
    assert_eq!(geometric_mean(&[tie]), Some(Number::ZERO));
}
