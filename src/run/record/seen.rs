//! Which record ids have been seen, at 16 bytes each: 128-bit digests in sorted shards.
//!
//! A hash table would hold up to half of its places empty and twice itself while it grows. Here a digest is found by its
//! first 16 bits (the shard) and a binary search; shards grow by an eighth. Two ids with one digest are not to be expected
//! in the life of the universe.

/// The digest of an id.
pub(crate) fn digest(id: &str) -> u128 {
    let hash = blake3::hash(id.as_bytes());
    let (first, _) = hash.as_bytes().split_first_chunk::<16>().unwrap_or((&[0; 16], &[]));
    u128::from_be_bytes(*first)
}

/// The ids seen so far.
pub struct Seen {
    shards: Vec<Vec<u128>>,
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
        let Some(shard) = self.shards.get_mut((digest >> 112) as usize) else { return true };
        match shard.binary_search(&digest) {
            Ok(_) => false,
            Err(at) => {
                if shard.len() == shard.capacity() {
                    shard.reserve_exact(shard.len() / 8 + 4);
                }
                shard.insert(at, digest);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn the_second_one_is_found() {
        let mut seen = Seen::new();
        assert!((0..5000).all(|n| seen.insert(&n.to_string())));
        assert!(!(0..5000).any(|n| seen.insert(&n.to_string())));
    }
}
