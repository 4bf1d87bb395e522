//! Whether votes can be cast so that every value gets at the most so many: a bipartite flow.
//!
//! Slots are on one side, values on the other; a slot may vote for the values of its domain. Augmenting paths
//! (Ford and Fulkerson) give slots a value one by one and move earlier votes out of the way. A value that has been filled
//! stays filled, which is what lets [`Votes::tied`] fill two values exactly before the rest.

/// Who may vote for what, as indices of values. A slot that may abstain has the index [`Votes::values`] in its domain,
/// which stands for nobody and is never full.
pub(super) struct Votes<'a> {
    pub domains: &'a [Vec<usize>],
    pub values: usize,
}

/// A matching under construction.
struct Matching {
    /// The value that each slot votes for.
    of: Vec<Option<usize>>,
    /// The slots that vote for each value.
    by: Vec<Vec<usize>>,
}

impl Votes<'_> {
    /// Whether all slots can vote (or abstain) so that value `v` gets at the most `caps[v]` votes.
    pub(super) fn fits(&self, mut caps: Vec<usize>) -> bool {
        caps.push(usize::MAX);
        let mut matching = self.start();
        self.fill(&mut matching, &caps)
    }

    /// Whether all slots can vote so that `a` and `b` get exactly `count` votes and no other value more.
    pub(super) fn tied(&self, a: usize, b: usize, count: usize) -> bool {
        let caps: Vec<usize> = (0..=self.values).map(|v| if v == a || v == b { count } else { 0 }).collect();
        let mut matching = self.start();
        self.fill(&mut matching, &caps);
        let full = |v: usize| matching.by.get(v).is_some_and(|slots| slots.len() == count);
        if !full(a) || !full(b) {
            return false;
        }
        let mut caps = vec![count; self.values];
        caps.push(usize::MAX);
        self.fill(&mut matching, &caps)
    }

    fn start(&self) -> Matching {
        Matching { of: vec![None; self.domains.len()], by: vec![Vec::new(); self.values + 1] }
    }

    /// Gives every slot without a value one, as far as that goes; whether it went all the way.
    fn fill(&self, matching: &mut Matching, caps: &[usize]) -> bool {
        let mut all = true;
        for slot in 0..self.domains.len() {
            if matching.of.get(slot).is_some_and(Option::is_none) {
                all &= self.augment(matching, caps, slot);
            }
        }
        all
    }

    /// Finds a value for `slot` by a breadth-first search over votes that can be moved.
    fn augment(&self, matching: &mut Matching, caps: &[usize], slot: usize) -> bool {
        // For each value reached: the slot that would vote for it.
        let mut reached: Vec<Option<usize>> = vec![None; self.values + 1];
        let mut queue = vec![slot];
        let mut next = 0;
        while let Some(&voter) = queue.get(next) {
            next += 1;
            for &value in self.domains.get(voter).into_iter().flatten() {
                match reached.get_mut(value) {
                    Some(entry @ None) => *entry = Some(voter),
                    _ => continue,
                }
                let voters = matching.by.get(value).map_or(0, Vec::len);
                if voters < caps.get(value).copied().unwrap_or(0) {
                    self.take(matching, &reached, value);
                    return true;
                }
                queue.extend(matching.by.get(value).into_iter().flatten());
            }
        }
        false
    }

    /// Moves votes along the path that ends in `value`.
    fn take(&self, matching: &mut Matching, reached: &[Option<usize>], value: usize) {
        let mut value = value;
        // Each step goes back to another value of the path, so there are no more steps than values.
        for _ in 0..=self.values + 1 {
            let Some(voter) = reached.get(value).copied().flatten() else { return };
            let before = matching.of.get(voter).copied().flatten();
            if let Some(entry) = matching.of.get_mut(voter) {
                *entry = Some(value);
            }
            if let Some(voters) = matching.by.get_mut(value) {
                voters.push(voter);
            }
            let Some(before) = before else { return };
            if let Some(voters) = matching.by.get_mut(before) {
                voters.retain(|v| *v != voter);
            }
            value = before;
        }
    }
}
