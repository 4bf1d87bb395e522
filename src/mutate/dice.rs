//! Seeded choices, the same on every machine and in every version: SplitMix64 (Steele, Lea and Flood, 2014).

/// A sequence of numbers that follows from its seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`; 0 where `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        // The remainder favours small numbers by less than 2⁻³², which no sample here can notice.
        usize::try_from(self.next() % (count.max(1) as u64)).unwrap_or(0)
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// The list in another order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }

    /// `count` of the numbers below `of`, ascending.
    pub fn sample(&mut self, count: usize, of: usize) -> Vec<usize> {
        if count >= of {
            return (0..of).collect();
        }
        // Floyd's method: as many steps as numbers wanted.
        let mut chosen = std::collections::BTreeSet::new();
        for top in of - count..of {
            let n = self.below(top + 1);
            if !chosen.insert(n) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_so_many_different_numbers_and_follows_from_its_seed() {
        let sample = |seed| Dice::new(seed).sample(50, 1000);
        assert_eq!(sample(1), sample(1));
        assert_ne!(sample(1), sample(2));
        assert_eq!(sample(3).len(), 50);
        assert!(sample(3).is_sorted_by(|a, b| a < b));
        assert_eq!(Dice::new(0).sample(5, 3), vec![0, 1, 2]);
    }
}
