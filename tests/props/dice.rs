//! Random choices that are read off a list of numbers; when it runs out, every choice is the first.

use proptest::prelude::*;
use rubric_lang::number::Number;
use rubric_lang::types::Type;

pub struct Dice {
    rolls: std::vec::IntoIter<u32>,
    /// Types that a random type is often one of, so that nodes find inputs.
    pub pool: Vec<Type>,
}

/// Enough rolls for one case.
pub fn rolls(count: usize) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), count)
}

/// So many cases, or as many times more as the environment's `PROPS_TIMES` says.
pub fn times(cases: u32) -> u32 {
    let times = std::env::var("PROPS_TIMES").ok().map_or(1, |times| times.parse().expect("PROPS_TIMES is a number"));
    cases * times
}

impl Dice {
    pub fn new(rolls: Vec<u32>) -> Dice {
        Dice { rolls: rolls.into_iter(), pool: Vec::new() }
    }

    /// A number below `count`, which is at least 1.
    pub fn below(&mut self, count: usize) -> usize {
        self.rolls.next().unwrap_or(0) as usize % count
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// A multiple of 1/4 from `lo` to `hi` quarters.
    pub fn quarters(&mut self, lo: i64, hi: i64) -> Number {
        let n = lo + self.below(usize::try_from(hi - lo + 1).unwrap()) as i64;
        Number::ratio(n, 4).unwrap()
    }
}
