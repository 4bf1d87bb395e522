//! How ties are broken: by nodes compared in order (`by(…)`), or by a digest (`by_id`).

use super::Field;
use crate::catalog::NodeId;
use crate::number::Number;
use std::cmp::Ordering;

/// What a key says of a group of candidates.
pub(super) enum Key {
    /// It is unknown for one of them: it says nothing.
    Skipped,
    /// The number of each.
    Numbers(Vec<Number>),
    /// It is not known yet for all of them.
    Open,
}

impl Field<'_> {
    /// What `node` says of the candidates at these places, and whether a judgment is missing in it.
    pub(super) fn key(&self, node: NodeId, group: &[usize]) -> Key {
        let mut numbers = Vec::with_capacity(group.len());
        let mut open = false;
        for place in group {
            let Some(candidate) = self.candidates.get(*place) else { continue };
            if candidate.states.computed(node).is_none() {
                self.by_bounds.set(true);
            }
            let bounds = candidate.states.bounds(node);
            if bounds.only_unknown() {
                return Key::Skipped;
            }
            match bounds.interval() {
                Some((lo, hi)) if lo == hi && !bounds.unknown => numbers.push(lo),
                _ => open = true,
            }
        }
        if open { Key::Open } else { Key::Numbers(numbers) }
    }

    /// Of two candidates: whether the first may be greater, equal (or the key skipped), and less.
    pub(super) fn relation(&self, node: NodeId, first: usize, second: usize) -> (bool, bool, bool) {
        let bounds = |place: usize| self.candidates.get(place).map(|c| c.states.bounds(node)).unwrap_or_default();
        let (a, b) = (bounds(first), bounds(second));
        let skipped = a.unknown || b.unknown;
        match (a.interval(), b.interval()) {
            (Some((a, b)), Some((c, d))) => (b > c, skipped || (a <= d && c <= b), d > a),
            _ => (false, true, false),
        }
    }

    /// The place with the smallest digest.
    pub(super) fn smallest_digest(&self, group: &[usize]) -> Option<usize> {
        group.iter().copied().min_by_key(|place| self.digest(*place))
    }

    pub(super) fn by_digest(&self, a: usize, b: usize) -> Ordering {
        self.digest(a).cmp(&self.digest(b))
    }

    /// BLAKE3 of the record's id (its length first, so that no two pairs of ids run into each other) and the candidate's.
    pub(super) fn digest(&self, place: usize) -> [u8; 32] {
        let id = self.candidates.get(place).map_or("", |candidate| candidate.id);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.record.len() as u64).to_le_bytes());
        hasher.update(self.record.as_bytes());
        hasher.update(id.as_bytes());
        *hasher.finalize().as_bytes()
    }
}
