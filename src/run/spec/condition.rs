//! Whether a condition holds, given what is known of the nodes and readouts so far.

use crate::graph::Program;
use crate::graph::spec::{Comparison, Condition, Operand};
use crate::run::bounds::{Bounds, Known};
use crate::run::evaluate::States;
use crate::run::readout::{Outcome, Possible, Reading};
use crate::types::Value;
use std::cmp::Ordering;

/// The nodes of every candidate and the readouts over them.
#[derive(Debug)]
pub struct World<'a> {
    pub program: &'a Program,
    /// One per candidate.
    pub states: &'a [States],
    /// Per readout of the program: one reading per candidate where it is pointwise, else at most one.
    pub readings: Vec<Vec<Reading>>,
}

/// Whether a condition holds; `Open` where what is missing decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Holds,
    Fails,
    Open,
}

impl Answer {
    fn of(may_hold: bool, may_fail: bool) -> Answer {
        match (may_hold, may_fail) {
            (true, false) => Answer::Holds,
            (false, _) => Answer::Fails,
            (true, true) => Answer::Open,
        }
    }

    fn not(self) -> Answer {
        match self {
            Answer::Holds => Answer::Fails,
            Answer::Fails => Answer::Holds,
            Answer::Open => Answer::Open,
        }
    }
}

/// What an operand may be.
enum Side {
    Value(Bounds),
    /// An outcome: which candidates may win, whether it may be a tie, whether it may abstain.
    Outcome {
        winners: Vec<usize>,
        tie: bool,
        abstained: bool,
    },
    Wins(usize),
    Tie,
    /// `unknown`.
    Abstains,
}

impl World<'_> {
    /// Whether the condition holds. The operands are taken as independent of each other, so `Open` may be said of what a
    /// closer look would decide; `Holds` and `Fails` are certain.
    #[must_use]
    pub fn answer(&self, condition: &Condition) -> Answer {
        match condition {
            Condition::Not(of) => self.answer(of).not(),
            Condition::And(all) => {
                let answers: Vec<Answer> = all.iter().map(|c| self.answer(c)).collect();
                Answer::of(!answers.contains(&Answer::Fails), answers.iter().any(|a| *a != Answer::Holds))
            }
            Condition::Or(all) => {
                let answers: Vec<Answer> = all.iter().map(|c| self.answer(c)).collect();
                Answer::of(answers.iter().any(|a| *a != Answer::Fails), !answers.contains(&Answer::Holds))
            }
            Condition::Holds(operand) => match self.side(operand) {
                Side::Value(bounds) => {
                    let (no, yes) = match bounds.known {
                        Known::Bools { no, yes } => (no, yes),
                        _ => (true, false),
                    };
                    Answer::of(yes, no || bounds.unknown)
                }
                _ => Answer::Fails,
            },
            Condition::Compare { op, left, right } => {
                let (may_hold, may_fail) = compare(*op, &self.side(left), &self.side(right));
                Answer::of(may_hold, may_fail)
            }
        }
    }

    fn side(&self, operand: &Operand) -> Side {
        match operand {
            Operand::Node { candidate, node } => {
                Side::Value(self.states.get(*candidate).map(|s| s.bounds(*node)).unwrap_or_default())
            }
            Operand::Constant(Value::Unknown) | Operand::Abstains => Side::Abstains,
            Operand::Constant(value) => Side::Value(Bounds::exactly(value)),
            Operand::Wins(at) => Side::Wins(*at),
            Operand::Tie => Side::Tie,
            Operand::Readout { candidate, readout } => {
                let readings = self.readings.get(*readout).map_or(&[][..], Vec::as_slice);
                match readings.get(*candidate).or_else(|| readings.first()) {
                    Some(reading) => outcome(&reading.outcome, *candidate),
                    // The number of candidates does not fit; the checker lets no such condition through.
                    None => Side::Value(Bounds::default()),
                }
            }
        }
    }
}

fn outcome(outcome: &Outcome, candidate: usize) -> Side {
    let rank = |n: u32| crate::number::Number::int(i64::from(n));
    let exactly = |n: &u32| Side::Value(Bounds::exactly(&Value::Number(rank(*n))));
    match outcome {
        Outcome::Value(value) => Side::Value(Bounds::exactly(value)),
        Outcome::Abstained => Side::Value(Bounds::default()),
        Outcome::Winner(at) => Side::Outcome { winners: vec![*at], tie: false, abstained: false },
        Outcome::Tie => Side::Outcome { winners: Vec::new(), tie: true, abstained: false },
        Outcome::Ranking(ranks) => ranks.get(candidate).map_or(Side::Value(Bounds::default()), exactly),
        Outcome::Open(Possible::Value(bounds)) => Side::Value(bounds.clone()),
        Outcome::Open(Possible::Top { winners, tie, abstained }) => {
            Side::Outcome { winners: winners.clone(), tie: *tie, abstained: *abstained }
        }
        Outcome::Open(Possible::Ranking { ranks, abstained }) => {
            let (lo, hi) = ranks.get(candidate).copied().unwrap_or((1, u32::MAX));
            let known = Known::Numbers { lo: rank(lo), hi: rank(hi), whole: true };
            Side::Value(Bounds { known, unknown: *abstained })
        }
    }
}

/// Whether a comparison may hold, and whether it may fail.
fn compare(op: Comparison, left: &Side, right: &Side) -> (bool, bool) {
    // Of `==`, whether it may be so and whether it may not; `unknown` on the other side makes `!=` false too.
    let equality = |may_equal: bool, may_differ: bool, may_be_unknown: bool| match op {
        Comparison::Equal => (may_equal, may_differ || may_be_unknown),
        _ => (may_differ, may_equal || may_be_unknown),
    };
    match (left, right) {
        (Side::Abstains, other) | (other, Side::Abstains) => {
            let (unknown, known) = match other {
                Side::Value(bounds) => (bounds.unknown, bounds.known != Known::Nothing),
                Side::Outcome { winners, tie, abstained } => (*abstained, *tie || !winners.is_empty()),
                _ => (false, true),
            };
            equality(unknown, known, false)
        }
        (Side::Outcome { winners, tie, abstained }, Side::Wins(at))
        | (Side::Wins(at), Side::Outcome { winners, tie, abstained }) => {
            equality(winners.contains(at), *tie || winners.iter().any(|w| w != at), *abstained)
        }
        (Side::Outcome { winners, tie, abstained }, Side::Tie)
        | (Side::Tie, Side::Outcome { winners, tie, abstained }) => equality(*tie, !winners.is_empty(), *abstained),
        // An abstained outcome reads as an unknown value.
        (Side::Value(_), Side::Wins(_) | Side::Tie) | (Side::Wins(_) | Side::Tie, Side::Value(_)) => (false, true),
        (Side::Value(a), Side::Value(b)) => values(op, a, b),
        _ => (false, true),
    }
}

fn values(op: Comparison, a: &Bounds, b: &Bounds) -> (bool, bool) {
    if a.known == Known::Nothing || b.known == Known::Nothing {
        return (false, true);
    }
    let unknown = a.unknown || b.unknown;
    let known = |bounds: &Bounds| Bounds { known: bounds.known.clone(), unknown: false };
    let (a, b) = (known(a), known(b));
    let (may_hold, may_fail) = match (a.exact(), b.exact()) {
        (Some(x), Some(y)) => {
            let holds = holds(op, &x, &y);
            (holds, !holds)
        }
        (x, y) => match op {
            Comparison::Equal | Comparison::NotEqual => {
                let may_equal = match (&x, &y) {
                    (Some(x), None) => b.holds(x),
                    (None, Some(y)) => a.holds(y),
                    _ => meet(&a, &b),
                };
                // One of them can be more than one thing, so they may always differ.
                if op == Comparison::Equal { (may_equal, true) } else { (true, may_equal) }
            }
            _ => match (a.ends(), b.ends()) {
                (Some((a_lo, a_hi)), Some((b_lo, b_hi))) => match op {
                    Comparison::Less | Comparison::LessEqual => (holds(op, &a_lo, &b_hi), !holds(op, &a_hi, &b_lo)),
                    _ => (holds(op, &a_hi, &b_lo), !holds(op, &a_lo, &b_hi)),
                },
                _ => (true, true),
            },
        },
    };
    (may_hold, may_fail || unknown)
}

/// Whether two sets of values, neither of which is a single one, may have one in common.
fn meet(a: &Bounds, b: &Bounds) -> bool {
    match (&a.known, &b.known) {
        (Known::Numbers { lo: a, hi: b, .. }, Known::Numbers { lo: c, hi: d, .. }) => a.max(c) <= b.min(d),
        (Known::Labels(x), Known::Labels(y)) => x.iter().any(|rank| y.contains(rank)),
        _ => true,
    }
}

/// A comparison of two known values.
fn holds(op: Comparison, a: &Value, b: &Value) -> bool {
    let order = match (a, b) {
        (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
        (Value::Label(a), Value::Label(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match op {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    fn numbers(lo: i64, hi: i64, unknown: bool) -> Side {
        Side::Value(Bounds { known: Known::Numbers { lo: Number::int(lo), hi: Number::int(hi), whole: true }, unknown })
    }

    #[test]
    fn a_comparison_is_decided_where_the_bounds_fix_it() {
        use Comparison::{Equal, GreaterEqual, Less, NotEqual};
        let answer = |op, a: &Side, b: &Side| {
            let (may_hold, may_fail) = compare(op, a, b);
            Answer::of(may_hold, may_fail)
        };
        let two = numbers(2, 2, false);
        assert_eq!(answer(GreaterEqual, &numbers(2, 5, false), &two), Answer::Holds);
        assert_eq!(answer(GreaterEqual, &numbers(2, 5, true), &two), Answer::Open);
        assert_eq!(answer(Less, &numbers(3, 5, true), &two), Answer::Fails);
        assert_eq!(answer(Equal, &numbers(1, 3, false), &two), Answer::Open);
        assert_eq!(answer(Equal, &numbers(3, 4, false), &two), Answer::Fails);
        assert_eq!(answer(NotEqual, &numbers(3, 4, false), &two), Answer::Holds);
        assert_eq!(answer(NotEqual, &numbers(3, 4, true), &two), Answer::Open);
        let unknown = Side::Value(Bounds::default());
        assert_eq!(answer(NotEqual, &unknown, &two), Answer::Fails);
        assert_eq!(answer(Equal, &unknown, &Side::Abstains), Answer::Holds);
        assert_eq!(answer(NotEqual, &two, &Side::Abstains), Answer::Holds);
        let half = Side::Value(Bounds::exactly(&Value::Number(Number::ratio(5, 2).unwrap())));
        assert_eq!(answer(Equal, &numbers(1, 4, false), &half), Answer::Fails);
    }

    #[test]
    fn an_abstained_outcome_is_neither_this_nor_not_this() {
        let abstained = Side::Outcome { winners: Vec::new(), tie: false, abstained: true };
        assert_eq!(compare(Comparison::Equal, &abstained, &Side::Wins(0)), (false, true));
        assert_eq!(compare(Comparison::NotEqual, &abstained, &Side::Wins(0)), (false, true));
        assert_eq!(compare(Comparison::Equal, &abstained, &Side::Abstains), (true, false));
        let open = Side::Outcome { winners: vec![1], tie: true, abstained: false };
        assert_eq!(compare(Comparison::NotEqual, &open, &Side::Wins(0)), (true, false));
        assert_eq!(compare(Comparison::Equal, &open, &Side::Tie), (true, true));
    }
}
