//! Rounding on a grid through 0, in five modes.

use super::{Number, PLACES, Repr};
use num_integer::Integer;
use num_rational::BigRational;

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
        let floor = self.floor();
        let rest = self - &floor;
        if rest.is_zero() {
            return floor;
        }
        let up = match mode {
            Rounding::Down => false,
            Rounding::Up => true,
            _ => match (&rest + &rest).cmp(&Number::ONE) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal => match mode {
                    Rounding::HalfUp => true,
                    Rounding::HalfDown => false,
                    _ => !floor.is_even(),
                },
            },
        };
        if up { &floor + &Number::ONE } else { floor }
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
        let step =
            Number::from_big(BigRational::new(num_bigint::BigInt::from(1), num_bigint::BigInt::from(10).pow(places)));
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

    fn is_even(&self) -> bool {
        match &self.0 {
            Repr::Small { n, .. } => n % 2 == 0,
            Repr::Big(r) => r.numer().is_even(),
        }
    }
}
