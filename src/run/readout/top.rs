//! `prefer` and `best`: the candidate that is above every other by more than the margin, and what decides where none is.
//!
//! Over bounds, candidate `i` may win outright iff its highest value is above every other's lowest by more than the
//! margin; and there may be no outright winner iff the candidate with the highest upper end does not win surely.

use super::keys::Key;
use super::{Field, Outcome, Possible};
use crate::catalog::NodeId;
use crate::graph::Tie;
use crate::number::Number;

/// What may come out.
struct Outcomes {
    /// Whether each candidate may win.
    wins: Vec<bool>,
    tie: bool,
    abstained: bool,
}

impl Outcomes {
    fn win(&mut self, place: usize) {
        if let Some(wins) = self.wins.get_mut(place) {
            *wins = true;
        }
    }

    fn neither(&mut self, tie: bool) {
        if tie {
            self.tie = true;
        } else {
            self.abstained = true;
        }
    }

    fn outcome(self) -> Outcome {
        let winners: Vec<usize> = self.wins.iter().enumerate().filter(|(_, w)| **w).map(|(place, _)| place).collect();
        match (winners.as_slice(), self.tie, self.abstained) {
            ([only], false, false) => Outcome::Winner(*only),
            ([], true, false) => Outcome::Tie,
            ([], false, true) => Outcome::Abstained,
            _ => Outcome::Open(Possible::Top { winners, tie: self.tie, abstained: self.abstained }),
        }
    }
}

impl Field<'_> {
    pub(super) fn top(&self, margin: &Number, tie: &Tie) -> Outcome {
        let places: Vec<usize> = (0..self.scores.len()).collect();
        let mut outcomes = Outcomes { wins: vec![false; self.scores.len()], tie: false, abstained: self.abstains };
        let two_highest = |pick: fn(&(Number, Number)) -> &Number| {
            let mut order = places.clone();
            order.sort_by(|a, b| self.scores.get(*b).map(pick).cmp(&self.scores.get(*a).map(pick)));
            (order.first().copied().unwrap_or(0), order.get(1).copied().unwrap_or(0))
        };
        // The two highest lower ends: what an outright winner has to be above.
        let (first, second) = two_highest(|(lo, _)| lo);
        for (place, (_, hi)) in self.scores.iter().enumerate() {
            let rival = if place == first { second } else { first };
            if self.scores.get(rival).is_some_and(|(lo, _)| *hi > lo + margin) {
                outcomes.win(place);
            }
        }
        // The two highest upper ends: whether the highest of all may fail to win outright.
        let (highest, next) = two_highest(|(_, hi)| hi);
        let level = match (self.scores.get(highest), self.scores.get(next)) {
            (Some((lo, _)), Some((_, hi))) => *lo <= hi + margin,
            _ => true,
        };
        if level {
            let bar = self.scores.get(first).map(|(lo, _)| lo - margin).unwrap_or_default();
            let contenders: Vec<usize> =
                places.into_iter().filter(|p| self.scores.get(*p).is_some_and(|(_, hi)| *hi >= bar)).collect();
            let sure = self.scores.len() == 2 || self.scores.iter().all(|(lo, hi)| lo == hi);
            self.break_tie(&contenders, sure, tie, &mut outcomes);
        }
        outcomes.outcome()
    }

    /// Decides between those that none is above. Where it is not sure who they are (`sure`), any of them may win.
    fn break_tie(&self, contenders: &[usize], sure: bool, tie: &Tie, outcomes: &mut Outcomes) {
        match tie {
            Tie::Tie => outcomes.neither(true),
            Tie::Abstain => outcomes.neither(false),
            Tie::By { keys, tie } if sure => self.by_keys(contenders, keys, *tie, outcomes),
            Tie::First | Tie::ById if sure => {
                let winner = match tie {
                    Tie::First => contenders.iter().min().copied(),
                    _ => self.smallest_digest(contenders),
                };
                outcomes.win(winner.unwrap_or(0));
            }
            Tie::First | Tie::ById | Tie::By { .. } => {
                for place in contenders {
                    outcomes.win(*place);
                }
                if let Tie::By { tie, .. } = tie {
                    outcomes.neither(*tie);
                }
            }
        }
    }

    /// Key by key, those that are highest stay, until one is left. A key that is unknown for one of those left is skipped.
    fn by_keys(&self, contenders: &[usize], keys: &[NodeId], tie: bool, outcomes: &mut Outcomes) {
        let mut left = contenders.to_vec();
        for key in keys {
            match self.key(*key, &left) {
                Key::Skipped => {}
                Key::Numbers(numbers) => {
                    let Some(top) = numbers.iter().max() else { continue };
                    left = left.iter().zip(&numbers).filter(|(_, n)| *n == top).map(|(place, _)| *place).collect();
                    if let [only] = left.as_slice() {
                        outcomes.win(*only);
                        return;
                    }
                }
                Key::Open => match left.as_slice() {
                    [first, second] => {
                        let (above, level, below) = self.relation(*key, *first, *second);
                        if above {
                            outcomes.win(*first);
                        }
                        if below {
                            outcomes.win(*second);
                        }
                        if !level {
                            return;
                        }
                    }
                    _ => {
                        for place in &left {
                            outcomes.win(*place);
                        }
                        outcomes.neither(tie);
                        return;
                    }
                },
            }
        }
        outcomes.neither(tie);
    }
}
