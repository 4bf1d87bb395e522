//! Seeded order: `order: shuffled` shows options in an order that follows from the record, the criterion and the sample.
//!
//! The same seed gives the same order on every machine and in every version, so that a run asks what the run before asked.

/// Puts a list into the order of a seed (Fisher–Yates over a stream of BLAKE3).
pub fn shuffle<T>(list: &mut [T], seed: &str) {
    let mut stream = blake3::Hasher::new().update(seed.as_bytes()).finalize_xof();
    for last in (1..list.len()).rev() {
        let mut bytes = [0_u8; 8];
        stream.fill(&mut bytes);
        // 64 bits over at most a few thousand places: what is uneven cannot be measured.
        let places = u64::try_from(last + 1).unwrap_or(u64::MAX);
        let other = usize::try_from(u64::from_le_bytes(bytes) % places).unwrap_or(0);
        list.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::shuffle;

    #[test]
    fn a_seed_gives_one_order_and_seeds_give_many() {
        let order = |seed: &str| {
            let mut list = [1, 2, 3, 4];
            shuffle(&mut list, seed);
            list
        };
        assert_eq!(order("a"), order("a"));
        let orders: std::collections::HashSet<_> = (0..400).map(|n| order(&n.to_string())).collect();
        assert_eq!(orders.len(), 24);
    }
}
