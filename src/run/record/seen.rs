//! Which record ids have been seen, at less than 16 bytes each: 128-bit digests in sorted shards.
//!
//! A hash table would hold up to half of its places empty and twice itself while it grows. Here a digest is found by its
//! first 16 bits (the shard), which therefore need not be kept, and a binary search for the other 14 bytes; shards grow by
//! an eighth, which makes 15.75 bytes at the most, beside some five megabytes that do not grow. Two ids with one digest are
//! not to be expected in the life of the universe.

/// What is left of a digest within its shard.
type Rest = [u8; 14];

/// The digest of an id.
pub(crate) fn digest(id: &str) -> u128 {
    let hash = blake3::hash(id.as_bytes());
    let (first, _) = hash.as_bytes().split_first_chunk::<16>().unwrap_or((&[0; 16], &[]));
    u128::from_be_bytes(*first)
}

/// The ids seen so far.
pub struct Seen {
    shards: Vec<Vec<Rest>>,
}

impl Default for Seen {
    fn default() -> Self {
        Seen::new()
    }
}

impl Seen {
    #[must_use]
    pub fn new() -> Seen {
        Seen { shards: vec![Vec::new(); 1 << 16] }
    }

    /// Whether the id is new; from now on it is seen.
    pub fn insert(&mut self, id: &str) -> bool {
        let digest = digest(id);
        let [first, second, rest @ ..] = digest.to_be_bytes();
        let Some(shard) = self.shards.get_mut(usize::from(u16::from_be_bytes([first, second]))) else { return true };
        match shard.binary_search(&rest) {
            Ok(_) => false,
            Err(at) => {
                if shard.len() == shard.capacity() {
                    shard.reserve_exact(shard.len() / 8 + 1);
                }
                shard.insert(at, rest);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rest, Seen};

    #[test]
    fn the_second_one_is_found() {
        let mut seen = Seen::new();
        assert!((0..5000).all(|n| seen.insert(&n.to_string())));
        assert!(!(0..5000).any(|n| seen.insert(&n.to_string())));
    }

    #[test]
    fn an_id_takes_less_than_sixteen_bytes() {
        let mut seen = Seen { shards: vec![Vec::new(); 1 << 16] };
        let ids = 300_000;
        (0..ids).for_each(|n| assert!(seen.insert(&n.to_string())));
        let places: usize = seen.shards.iter().map(Vec::capacity).sum();
        let unused_at_most = seen.shards.len();
        assert!(places <= ids * 9 / 8 + unused_at_most, "{places}");
        assert!(size_of::<Rest>() * 9 < 16 * 8);
    }
}
