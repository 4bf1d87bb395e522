//! What a node may be while a requirement is searched: [`Bounds`], whose ends may each be left out.
//!
//! Ends that are left out make strict comparisons exact: where `x > 0.3` holds, 0.3 is no value of x, and a search that kept
//! it would never come to an end. Only real numbers have open ends; whole numbers, labels and sets are closed at once.
//!
//! *Architecture Invariant:* an empty domain has neither a known value nor `unknown`; nothing else stands for "impossible".

use crate::number::{Number, Rounding};
use crate::run::bounds::{Bounds, Known};
use crate::types::{Type, Value};

/// Binary digits of an end beyond which it is not taken over, so that halving and dividing cannot make numbers grow for ever.
const MOST_BITS: u64 = 512;

/// Binary digits up to which an end is always taken over.
const FEW_BITS: u64 = 72;
/// The part of the width, as a divisor, that an end with more digits must take away.
const WORTH: i64 = 16;

/// A set of values of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Domain {
    pub(crate) bounds: Bounds,
    /// Whether the lower and the upper end are left out; only of real numbers.
    pub(crate) open: (bool, bool),
}

/// An end of an interval: the number, and whether it is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) at: Number,
    pub(crate) open: bool,
}

impl End {
    pub(crate) fn closed(at: Number) -> End {
        End { at, open: false }
    }

    pub(crate) fn new(at: Number, open: bool) -> End {
        End { at, open }
    }
}

impl Domain {
    pub(crate) fn closed(bounds: Bounds) -> Domain {
        Domain { bounds, open: (false, false) }
    }

    pub(crate) fn of(ty: &Type) -> Domain {
        Domain::closed(Bounds::of(ty))
    }

    pub(crate) fn exactly(value: &Value) -> Domain {
        Domain::closed(Bounds::exactly(value))
    }

    pub(crate) fn empty() -> Domain {
        Domain::closed(Bounds { known: Known::Nothing, unknown: false })
    }

    /// Only `unknown`.
    pub(crate) fn unknown() -> Domain {
        Domain::closed(Bounds::default())
    }

    pub(crate) fn bools(no: bool, yes: bool, unknown: bool) -> Domain {
        let known = if no || yes { Known::Bools { no, yes } } else { Known::Nothing };
        Domain::closed(Bounds { known, unknown })
    }

    /// The numbers between two ends; empty (apart from `unknown`) where there are none.
    pub(crate) fn numbers(lo: End, hi: End, whole: bool, unknown: bool) -> Domain {
        let (lo, hi) = if whole { (whole_from(&lo), whole_to(&hi)) } else { (lo, hi) };
        if lo.at > hi.at || lo.at == hi.at && (lo.open || hi.open) {
            return Domain::closed(Bounds { known: Known::Nothing, unknown });
        }
        let open = (lo.open, hi.open);
        Domain { bounds: Bounds { known: Known::Numbers { lo: lo.at, hi: hi.at, whole }, unknown }, open }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bounds.known == Known::Nothing && !self.bounds.unknown
    }

    /// Whether it has a known value.
    pub(crate) fn has_known(&self) -> bool {
        self.bounds.known != Known::Nothing
    }

    pub(crate) fn may_be_unknown(&self) -> bool {
        self.bounds.unknown
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.0 || self.open.1
    }

    /// The one value that is left.
    pub(crate) fn exact(&self) -> Option<Value> {
        if self.is_empty() { None } else { self.bounds.exact() }
    }

    pub(crate) fn holds(&self, value: &Value) -> bool {
        if !self.bounds.holds(value) {
            return false;
        }
        match (&self.bounds.known, value) {
            (Known::Numbers { lo, hi, .. }, Value::Number(n)) => !(self.open.0 && n == lo || self.open.1 && n == hi),
            _ => true,
        }
    }

    /// The ends of its known values as numbers: 0 and 1 for bools, ranks for labels.
    pub(crate) fn ends(&self) -> Option<(End, End)> {
        let (lo, hi) = self.bounds.interval()?;
        Some((End::new(lo, self.open.0), End::new(hi, self.open.1)))
    }

    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.bounds.known, Known::Numbers { whole: true, .. })
    }

    /// The same without `unknown`.
    pub(crate) fn known_part(&self) -> Domain {
        Domain { bounds: Bounds { known: self.bounds.known.clone(), unknown: false }, open: self.open }
    }

    /// What either holds (of numbers and ranks the hull).
    pub(crate) fn or(self, other: Domain) -> Domain {
        if !self.has_known() {
            let unknown = self.bounds.unknown || other.bounds.unknown;
            return Domain { bounds: Bounds { known: other.bounds.known, unknown }, open: other.open };
        }
        if !other.has_known() {
            return other.or(self);
        }
        let open = match (self.ends(), other.ends()) {
            (Some((a, b)), Some((c, d))) => {
                let lo = if a.at == c.at {
                    a.open && c.open
                } else if a.at < c.at {
                    a.open
                } else {
                    c.open
                };
                let hi = if b.at == d.at {
                    b.open && d.open
                } else if b.at > d.at {
                    b.open
                } else {
                    d.open
                };
                (lo, hi)
            }
            _ => (false, false),
        };
        let bounds = self.bounds.or(other.bounds);
        let open = if matches!(bounds.known, Known::Numbers { whole: false, .. }) { open } else { (false, false) };
        Domain { bounds, open }
    }

    /// What both hold.
    pub(crate) fn and(&self, other: &Domain) -> Domain {
        let unknown = self.bounds.unknown && other.bounds.unknown;
        let nothing = || Domain::closed(Bounds { known: Known::Nothing, unknown });
        let known = match (&self.bounds.known, &other.bounds.known) {
            (Known::Nothing, _) | (_, Known::Nothing) => return nothing(),
            (Known::Bools { no: a, yes: b }, Known::Bools { no: c, yes: d }) => {
                return Domain::bools(*a && *c, *b && *d, unknown);
            }
            (Known::Numbers { whole: v, .. }, Known::Numbers { whole: w, .. }) => {
                let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) else { return nothing() };
                return Domain::numbers(higher(a, c), lower(b, d), *v || *w, unknown);
            }
            (Known::Labels(a), Known::Labels(b)) => {
                let both: Vec<u32> = a.iter().copied().filter(|rank| b.binary_search(rank).is_ok()).collect();
                if both.is_empty() { Known::Nothing } else { Known::Labels(both) }
            }
            (Known::Sets(a), Known::Sets(b)) => {
                let labels = a.len().max(b.len());
                let at = |list: &[(bool, bool)], n: usize| list.get(n).copied().unwrap_or((true, false));
                let both: Vec<(bool, bool)> =
                    (0..labels).map(|n| (at(a, n), at(b, n))).map(|(x, y)| (x.0 && y.0, x.1 && y.1)).collect();
                if both.iter().any(|(no, yes)| !no && !yes) { Known::Nothing } else { Known::Sets(both) }
            }
            (Known::Counts(a), Known::Counts(b)) => {
                let both: Vec<(u32, u32)> = a.iter().zip(b).map(|(x, y)| (x.0.max(y.0), x.1.min(y.1))).collect();
                if both.iter().any(|(lo, hi)| lo > hi) { Known::Nothing } else { Known::Counts(both) }
            }
            (Known::AnyNumber | Known::AnyItems, _) => {
                return Domain { bounds: Bounds { known: other.bounds.known.clone(), unknown }, open: other.open };
            }
            // Kinds that do not meet in a typed program, and what cannot be narrowed.
            (own, _) => return Domain { bounds: Bounds { known: own.clone(), unknown }, open: self.open },
        };
        Domain::closed(Bounds { known, unknown })
    }

    /// As [`Domain::and`], except that an end that would be too long is left where it was.
    pub(crate) fn narrowed(&self, other: &Domain) -> Domain {
        let mut next = self.and(other);
        let (Known::Numbers { lo: a, hi: b, .. }, Known::Numbers { lo, hi, .. }) =
            (&self.bounds.known, &mut next.bounds.known)
        else {
            return next;
        };
        // An end with many digits is worth it only where it takes away a good part.
        let width = b - a;
        let worth = |end: &Number, old: &Number| {
            end.bits() <= FEW_BITS
                || end.bits() <= MOST_BITS && &(end - old).abs() * &Number::int(WORTH) > width
                || end.bits() <= old.bits()
        };
        if !worth(lo, a) {
            *lo = a.clone();
            next.open.0 = self.open.0;
        }
        if !worth(hi, b) {
            *hi = b.clone();
            next.open.1 = self.open.1;
        }
        next
    }

    /// Without one value, where that leaves a set that can be written down.
    pub(crate) fn without(&self, value: &Value) -> Domain {
        let mut next = self.clone();
        match (&mut next.bounds.known, value) {
            (_, Value::Unknown) => next.bounds.unknown = false,
            (Known::Bools { no, yes }, Value::Bool(b)) => {
                let gone = if *b { &mut *yes } else { &mut *no };
                *gone = false;
                if !*no && !*yes {
                    next.bounds.known = Known::Nothing;
                }
            }
            (Known::Labels(ranks), Value::Label(rank)) => {
                ranks.retain(|r| r != rank);
                if ranks.is_empty() {
                    next.bounds.known = Known::Nothing;
                }
            }
            (Known::Numbers { lo, hi, whole }, Value::Number(n)) => {
                let (at_lo, at_hi) = (n == lo, n == hi);
                let lo = End::new(lo.clone(), self.open.0 || at_lo);
                let hi = End::new(hi.clone(), self.open.1 || at_hi);
                return Domain::numbers(lo, hi, *whole, self.bounds.unknown);
            }
            _ => {}
        }
        next
    }

    /// How many values it has, `unknown` included; `None` where they cannot be counted or are more than `most`.
    pub(crate) fn count(&self, most: u64) -> Option<u64> {
        let known = match &self.bounds.known {
            Known::Nothing => 0,
            Known::Bools { no, yes } => u64::from(*no) + u64::from(*yes),
            Known::Labels(ranks) => ranks.len() as u64,
            Known::Numbers { lo, hi, .. } if lo == hi => 1,
            Known::Numbers { lo, hi, whole: true } => u64::try_from((hi - lo).to_i64()?).ok()?.checked_add(1)?,
            Known::Sets(labels) => {
                let open = labels.iter().filter(|(no, yes)| *no && *yes).count();
                1_u64.checked_shl(u32::try_from(open).ok()?)?
            }
            Known::Counts(counts) => {
                let mut each = counts.iter().map(|(lo, hi)| u64::from(hi - lo) + 1);
                each.try_fold(1_u64, u64::checked_mul)?
            }
            _ => return None,
        };
        let all = known + u64::from(self.bounds.unknown);
        (all <= most).then_some(all)
    }

    /// All its values (`unknown` last) where there are at most `most`.
    pub(crate) fn values(&self, most: u64) -> Option<Vec<Value>> {
        self.count(most)?;
        let mut all: Vec<Value> = match &self.bounds.known {
            Known::Bools { no, yes } => {
                [(*no, false), (*yes, true)].into_iter().filter(|(may, _)| *may).map(|(_, b)| Value::Bool(b)).collect()
            }
            Known::Labels(ranks) => ranks.iter().map(|rank| Value::Label(*rank)).collect(),
            Known::Numbers { lo, hi, .. } => {
                let mut at = lo.clone();
                let mut all = Vec::new();
                while at <= *hi {
                    all.push(Value::Number(at.clone()));
                    at = &at + &Number::ONE;
                }
                all
            }
            Known::Sets(labels) => {
                let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
                for (rank, (no, yes)) in (0_u32..).zip(labels) {
                    let mut next = Vec::new();
                    for set in sets {
                        if *yes {
                            next.push(set.iter().copied().chain([rank]).collect());
                        }
                        if *no {
                            next.push(set);
                        }
                    }
                    sets = next;
                }
                sets.into_iter().map(|set| Value::Set(set.into())).collect()
            }
            Known::Counts(counts) => {
                let mut tallies: Vec<Vec<u32>> = vec![Vec::new()];
                for (lo, hi) in counts {
                    let with = |tally: &Vec<u32>, n| tally.iter().copied().chain([n]).collect::<Vec<u32>>();
                    tallies = tallies.iter().flat_map(|t| (*lo..=*hi).map(move |n| with(t, n))).collect();
                }
                tallies.into_iter().map(|tally| Value::Tally(tally.into())).collect()
            }
            _ => Vec::new(),
        };
        if self.bounds.unknown {
            all.push(Value::Unknown);
        }
        Some(all)
    }
}

/// The end that leaves less, of two lower ends.
pub(crate) fn higher(a: End, b: End) -> End {
    if a.at == b.at {
        End { open: a.open || b.open, ..a }
    } else if a.at > b.at {
        a
    } else {
        b
    }
}

/// The end that leaves less, of two upper ends.
pub(crate) fn lower(a: End, b: End) -> End {
    if a.at == b.at {
        End { open: a.open || b.open, ..a }
    } else if a.at < b.at {
        a
    } else {
        b
    }
}

/// The lowest whole number from a lower end on.
fn whole_from(end: &End) -> End {
    let at = end.at.round(Rounding::Up);
    End::closed(if end.open && at == end.at { &at + &Number::ONE } else { at })
}

/// The highest whole number up to an upper end.
fn whole_to(end: &End) -> End {
    let at = end.at.floor();
    End::closed(if end.open && at == end.at { &at - &Number::ONE } else { at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(lo: i64, open_lo: bool, hi: i64, open_hi: bool, whole: bool) -> Domain {
        Domain::numbers(End::new(Number::int(lo), open_lo), End::new(Number::int(hi), open_hi), whole, false)
    }

    #[test]
    fn whole_numbers_have_no_open_ends() {
        let domain = between(1, true, 4, true, true);
        assert_eq!(domain, between(2, false, 3, false, true));
        assert!(between(1, true, 2, true, true).is_empty());
    }

    #[test]
    fn a_point_that_is_left_out_leaves_nothing() {
        assert!(between(1, true, 1, false, false).is_empty());
        assert!(between(0, false, 1, true, false).and(&between(1, false, 2, false, false)).is_empty());
    }

    #[test]
    fn both_and_either_keep_their_ends() {
        let (a, b) = (between(0, true, 2, false, false), between(0, false, 1, true, false));
        assert_eq!(a.and(&b), between(0, true, 1, true, false));
        assert_eq!(a.clone().or(b), between(0, false, 2, false, false));
        assert!(!a.holds(&Value::Number(Number::ZERO)) && a.holds(&Value::Number(Number::int(2))));
    }

    #[test]
    fn values_are_counted_and_listed() {
        let tally = Domain::closed(Bounds { known: Known::Counts(vec![(0, 1), (2, 3)]), unknown: true });
        assert_eq!(tally.count(100), Some(5));
        assert_eq!(tally.values(100).unwrap().len(), 5);
        assert_eq!(tally.values(4), None);
        assert_eq!(between(0, false, 1, false, false).count(100), None);
    }
}
