//! `ranking`: candidates from the highest down, equal ones sharing a rank (1 2 2 4) or told apart.
//!
//! Where all values are known, candidates are grouped by value and each group is split by what breaks ties. Over bounds, the
//! best rank of a candidate counts those that are surely above it, the worst those that may be.

use super::keys::Key;
use super::{Field, Outcome, Possible};
use crate::catalog::NodeId;
use crate::graph::Tie;
use crate::number::Number;
use std::cmp::Ordering;

/// Candidates up to which open ranks are counted one against the other; with more of them every rank stays open.
const MOST_COMPARED: usize = 2_000;

impl Field<'_> {
    pub(super) fn ranking(&self, tie: &Tie) -> Outcome {
        if self.scores.len() == 2 {
            return of_two(self.top(&Number::ZERO, tie));
        }
        let exact = self.scores.iter().all(|(lo, hi)| lo == hi);
        let (ranks, abstained) = if exact { self.by_value(tie) } else { self.by_bounds_of(tie) };
        let abstained = match abstained {
            Some(false) if self.abstains => None,
            other => other,
        };
        match abstained {
            Some(true) => Outcome::Abstained,
            Some(false) if ranks.iter().all(|(best, worst)| best == worst) => {
                Outcome::Ranking(ranks.into_iter().map(|(best, _)| best).collect())
            }
            _ => Outcome::Open(Possible::Ranking { ranks, abstained: abstained.is_none() }),
        }
    }
}

/// Two candidates are ranked as they are preferred without a margin.
fn of_two(outcome: Outcome) -> Outcome {
    let second = |place: usize| if place == 0 { vec![1, 2] } else { vec![2, 1] };
    match outcome {
        Outcome::Winner(place) => Outcome::Ranking(second(place)),
        Outcome::Tie => Outcome::Ranking(vec![1, 1]),
        Outcome::Open(Possible::Top { winners, tie, abstained }) => {
            let [first, other] = [0, 1].map(|place| winners.contains(&place));
            // Each is first where it may win or tie, second where the other may win.
            let range = |wins: bool, loses: bool| match (wins || tie, loses) {
                (true, false) => (1, 1),
                (false, true) => (2, 2),
                _ => (1, 2),
            };
            Outcome::Open(Possible::Ranking { ranks: vec![range(first, other), range(other, first)], abstained })
        }
        other => other,
    }
}

/// The best and worst rank of each candidate, and whether the readout abstains (`None`: it may).
type Ranks = (Vec<(u32, u32)>, Option<bool>);

/// A run of equal candidates that may or may not be told apart.
enum Run {
    /// They share a rank.
    Shared(Vec<usize>),
    /// Any order among them is still possible.
    Open(Vec<usize>),
}

impl Field<'_> {
    /// All values are known: groups of equal ones, from the highest down, each split by what breaks ties.
    fn by_value(&self, tie: &Tie) -> Ranks {
        let mut order: Vec<usize> = (0..self.scores.len()).collect();
        order.sort_by(|a, b| self.value(*b).cmp(&self.value(*a)));
        let mut ranks = vec![(1, 1); order.len()];
        let mut abstained = Some(false);
        let mut above = 0;
        for group in order.chunk_by(|a, b| self.value(*a) == self.value(*b)) {
            for run in self.split(group, tie) {
                let (members, worst) = match &run {
                    Run::Shared(members) => (members, above),
                    Run::Open(members) => (members, above + members.len() - 1),
                };
                if members.len() > 1 {
                    let abstains = match tie {
                        Tie::Abstain => true,
                        Tie::By { tie, .. } => !tie,
                        _ => false,
                    };
                    match run {
                        Run::Shared(_) if abstains => abstained = Some(true),
                        Run::Open(_) if abstains && abstained == Some(false) => abstained = None,
                        _ => {}
                    }
                }
                for place in members {
                    if let Some(entry) = ranks.get_mut(*place) {
                        *entry = (rank(above), rank(worst));
                    }
                }
                above += members.len();
            }
        }
        (ranks, abstained)
    }

    fn value(&self, place: usize) -> Option<&Number> {
        self.scores.get(place).map(|(lo, _)| lo)
    }

    /// A group of equal candidates, as runs from the highest down.
    fn split(&self, group: &[usize], tie: &Tie) -> Vec<Run> {
        let mut members = group.to_vec();
        match tie {
            _ if members.len() == 1 => {}
            Tie::Tie | Tie::Abstain => {}
            Tie::First => members.sort_unstable(),
            Tie::ById => members.sort_by(|a, b| self.by_digest(*a, *b)),
            Tie::By { keys, .. } => return self.split_by(members, keys),
        }
        match tie {
            Tie::First | Tie::ById => members.into_iter().map(|place| Run::Shared(vec![place])).collect(),
            _ => vec![Run::Shared(members)],
        }
    }

    /// Key by key, every run that is still shared is split by the key's number; a key that is unknown in a run is skipped there.
    fn split_by(&self, group: Vec<usize>, keys: &[NodeId]) -> Vec<Run> {
        let mut runs = vec![Run::Shared(group)];
        for key in keys {
            let mut next = Vec::with_capacity(runs.len());
            for run in runs {
                let members = match run {
                    Run::Shared(members) if members.len() > 1 => members,
                    done => {
                        next.push(done);
                        continue;
                    }
                };
                match self.key(*key, &members) {
                    Key::Skipped => next.push(Run::Shared(members)),
                    Key::Open => next.push(Run::Open(members)),
                    Key::Numbers(numbers) => {
                        let mut pairs: Vec<_> = members.into_iter().zip(numbers).collect();
                        pairs.sort_by(|(_, a), (_, b)| b.cmp(a));
                        let equal = pairs.chunk_by(|(_, a), (_, b)| a == b);
                        next.extend(equal.map(|run| Run::Shared(run.iter().map(|(place, _)| *place).collect())));
                    }
                }
            }
            runs = next;
        }
        runs
    }

    /// Some values are open: count who is surely, and who may be, above.
    fn by_bounds_of(&self, tie: &Tie) -> Ranks {
        let count = self.scores.len();
        if count > MOST_COMPARED {
            let shared = matches!(tie, Tie::Tie | Tie::First | Tie::ById | Tie::By { tie: true, .. });
            return (vec![(1, rank(count - 1)); count], if shared { Some(false) } else { None });
        }
        let abstains = matches!(tie, Tie::Abstain | Tie::By { tie: false, .. });
        let mut level = false;
        let mut ranks = Vec::with_capacity(count);
        for (place, (lo, hi)) in self.scores.iter().enumerate() {
            let (mut surely, mut perhaps) = (0, 0);
            for (other, (low, high)) in self.scores.iter().enumerate() {
                if other == place {
                    continue;
                }
                let may_be_equal = low <= hi && lo <= high;
                level |= may_be_equal;
                // Whether the other one comes first where both are equal: surely, and perhaps.
                let (before, may_be_before) = match tie {
                    Tie::Tie | Tie::Abstain => (false, false),
                    Tie::First => (other < place, other < place),
                    Tie::ById => {
                        let before = self.by_digest(other, place) == Ordering::Less;
                        (before, before)
                    }
                    Tie::By { .. } => (false, true),
                };
                surely += usize::from(low > hi || low == hi && before);
                perhaps += usize::from(high > lo || may_be_equal && may_be_before);
            }
            ranks.push((rank(surely), rank(perhaps)));
        }
        let abstained = match abstains && level {
            false => Some(false),
            true if matches!(tie, Tie::Abstain) && self.surely_level() => Some(true),
            true => None,
        };
        (ranks, abstained)
    }
}

impl Field<'_> {
    /// Whether two candidates have the same known value.
    fn surely_level(&self) -> bool {
        let mut exact: Vec<_> = self.scores.iter().filter(|(lo, hi)| lo == hi).map(|(lo, _)| lo).collect();
        exact.sort_unstable();
        exact.array_windows().any(|[a, b]| a == b)
    }
}

/// The rank of a candidate with so many above it.
fn rank(above: usize) -> u32 {
    u32::try_from(above).unwrap_or(u32::MAX).saturating_add(1)
}
