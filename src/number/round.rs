//! Rounding on a grid through 0, in five modes.

use super::{Number, PLACES, Repr};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// How a number between two grid points is rounded. `HalfUp` is toward +∞, `HalfDown` toward −∞.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    #[default]
    HalfUp,
    HalfDown,
    HalfEven,
    Down,
    Up,
}

impl Rounding {
    pub const ALL: [Rounding; 5] =
        [Rounding::HalfUp, Rounding::HalfDown, Rounding::HalfEven, Rounding::Down, Rounding::Up];

    /// The word an author writes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Rounding::HalfUp => "half_up",
            Rounding::HalfDown => "half_down",
            Rounding::HalfEven => "half_even",
            Rounding::Down => "down",
            Rounding::Up => "up",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Rounding> {
        Rounding::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

impl Number {
    /// The greatest whole number that is not above this one.
    #[must_use]
    pub fn floor(&self) -> Number {
        match &self.0 {
            Repr::Small { n, d } => Number::int(Integer::div_floor(n, d)),
            Repr::Big(r) => Number::from_big(r.floor()),
        }
    }

    /// Rounds to a whole number.
    #[must_use]
    pub fn round(&self, mode: Rounding) -> Number {
        match &self.0 {
            Repr::Small { n, d } => {
                let (floor, rest) = Integer::div_mod_floor(n, d);
                let twice = i128::from(rest) * 2;
                let up = goes_up(mode, rest == 0, twice.cmp(&i128::from(*d)), floor % 2 == 0);
                Number::from_i128(i128::from(floor) + i128::from(up), 1)
            }
            Repr::Big(r) => {
                let floor = r.floor();
                let rest = &**r - &floor;
                let twice = &rest + &rest;
                let up = goes_up(mode, rest.is_zero(), twice.cmp(&BigRational::one()), floor.numer().is_even());
                Number::from_big(if up { floor + BigRational::one() } else { floor })
            }
        }
    }

    /// Rounds to a multiple of `step`, which is positive; a step of 0 leaves the number as it is.
    #[must_use]
    pub fn round_step(&self, step: &Number, mode: Rounding) -> Number {
        match self.checked_div(step) {
            Some(steps) => &steps.round(mode) * step,
            None => self.clone(),
        }
    }

    /// Rounds to so many decimal places.
    #[must_use]
    pub fn round_places(&self, places: u32, mode: Rounding) -> Number {
        let step = match 10_i64.checked_pow(places) {
            Some(power) => Number(Repr::Small { n: 1, d: power }),
            None => Number::from_big(BigRational::new(BigInt::one(), BigInt::from(10).pow(places))),
        };
        self.round_step(&step, mode)
    }

    /// A judge's own number as the language keeps it: half-even at 12 places (language.md, section 4).
    #[must_use]
    pub fn as_judged(&self) -> Number {
        if self.ends_within_places() {
            return self.clone();
        }
        self.round_places(PLACES, Rounding::HalfEven)
    }
}

/// Whether a number between two whole ones goes to the upper one; `half` compares twice its distance from the lower one
/// with 1.
fn goes_up(mode: Rounding, is_whole: bool, half: Ordering, floor_is_even: bool) -> bool {
    if is_whole {
        return false;
    }
    match (mode, half) {
        (Rounding::Down, _) => false,
        (Rounding::Up, _) => true,
        (_, Ordering::Less) => false,
        (_, Ordering::Greater) => true,
        (Rounding::HalfUp, _) => true,
        (Rounding::HalfDown, _) => false,
        (Rounding::HalfEven, _) => !floor_is_even,
    }
}

/// `n / d` as a whole number, half to even; `d > 0` and `2·d` within range.
pub(super) fn divide_half_even(n: i128, d: i128) -> i128 {
    let (floor, rest) = Integer::div_mod_floor(&n, &d);
    floor + i128::from(goes_up(Rounding::HalfEven, rest == 0, (rest * 2).cmp(&d), floor % 2 == 0))
}
