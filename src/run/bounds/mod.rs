//! What a node may still become while judgments are missing.
//!
//! The [`Bounds`] of a node are the hull of its operator over the bounds of its ports, the ports taken as independent, and
//! `unknown` is one of the values that may come out: an interval for numbers (of whole numbers where the type is an int), a
//! range of ranks for an ordinal, a subset for bools and choices, label by label for sets and tallies.
//!
//! The hull of one operator is exact: its ends are reached by some values within the ports' bounds. Three cases are only
//! sound (they hold every value, and perhaps more), because an exact answer would need a search over all
//! combinations: `vote` over more than [`vote::MOST_SLOTS`] open slots or over an interval of scores, `vote` under
//! `lowest` and `highest` where a slot is surely unknown or a tie is and there are too many ways to fill the others, and
//! `median`, `geometric_mean` and `harmonic_mean` where more than [`reduce::MOST_OPTIONAL`] slots may drop out.
//!
//! *Architecture Invariant:* bounds hold every value that the node can take once the missing judgments arrive. A node that
//! lacks nothing has exact bounds, equal to its value.

mod branch;
mod flow;
mod points;
pub mod reduce;
mod show;
mod transform;
pub mod vote;

use super::evaluate::Step;
use super::leaf::Leaf;
use crate::catalog::Op;
use crate::number::Number;
use crate::types::{Base, ItemJudgment, Type, Value};

/// What a node may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Its known values.
    pub known: Known,
    /// Whether it may be `unknown`.
    pub unknown: bool,
}

/// A set of known values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Known {
    /// None at all: the node can only be `unknown`.
    #[default]
    Nothing,
    /// At least one of the two.
    Bools { no: bool, yes: bool },
    /// `lo..=hi`, of whole numbers only where `whole`.
    Numbers { lo: Number, hi: Number, whole: bool },
    /// Any number: the points of a `checklist … from` whose items are not known.
    AnyNumber,
    /// Ranks in ascending order, at least one; without gaps where the type is an ordinal.
    Labels(Vec<u32>),
    /// Per label, whether it may be out and whether it may be in; at least one of them.
    Sets(Vec<(bool, bool)>),
    /// Per label, the lowest and highest count.
    Counts(Vec<(u32, u32)>),
    /// The items of a `checklist … from`.
    Items(Vec<ItemBounds>),
    /// The items of a `checklist … from` that are not known at all.
    AnyItems,
}

/// What one item of a `checklist … from` may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemBounds {
    pub points: Number,
    pub no: bool,
    pub yes: bool,
    pub unknown: bool,
}

impl Default for Bounds {
    /// Surely unknown.
    fn default() -> Bounds {
        Bounds { known: Known::Nothing, unknown: true }
    }
}

impl Bounds {
    /// Exactly one value.
    #[must_use]
    pub fn exactly(value: &Value) -> Bounds {
        let known = match value {
            Value::Unknown => return Bounds::default(),
            Value::Bool(b) => Known::Bools { no: !b, yes: *b },
            Value::Number(n) => Known::Numbers { lo: n.clone(), hi: n.clone(), whole: n.is_integer() },
            Value::Label(rank) => Known::Labels(vec![*rank]),
            Value::Set(ranks) => {
                let labels = ranks.iter().max().map_or(0, |top| top + 1);
                Known::Sets((0..labels).map(|rank| (!ranks.contains(&rank), ranks.contains(&rank))).collect())
            }
            Value::Tally(counts) => Known::Counts(counts.iter().map(|n| (*n, *n)).collect()),
            Value::Items(items) => Known::Items(items.iter().map(ItemBounds::exactly).collect()),
        };
        Bounds { known, unknown: false }
    }

    /// Everything that a type holds.
    #[must_use]
    pub fn of(ty: &Type) -> Bounds {
        let known = match &ty.base {
            Base::Bool => Known::Bools { no: true, yes: true },
            Base::Int { lo, hi } => Known::Numbers { lo: lo.clone(), hi: hi.clone(), whole: true },
            Base::Score { lo, hi } => Known::Numbers { lo: lo.clone(), hi: hi.clone(), whole: false },
            Base::Ordinal(labels) | Base::Choice(labels) => {
                Known::Labels((0..u32::try_from(labels.len()).unwrap_or(u32::MAX)).collect())
            }
            Base::Set(labels) => Known::Sets(vec![(true, true); labels.len()]),
            Base::Tally { labels, max } => Known::Counts(vec![(0, *max); labels.len()]),
            Base::Real => Known::AnyNumber,
            Base::Items => Known::AnyItems,
        };
        Bounds { known, unknown: ty.optional }
    }

    /// The items of a `checklist … from` as far as they are judged; `optional` where an item may be unknown.
    #[must_use]
    pub fn of_items(leaf: Option<&Leaf>, optional: bool) -> Bounds {
        let known = match leaf {
            Some(Leaf::Items(items)) => Known::Items(
                items
                    .iter()
                    .map(|item| match &item.met {
                        Ok(met) => ItemBounds::exactly(&ItemJudgment { points: item.points.clone(), met: *met }),
                        Err(_) => ItemBounds { points: item.points.clone(), no: true, yes: true, unknown: optional },
                    })
                    .collect(),
            ),
            _ => Known::AnyItems,
        };
        Bounds { known, unknown: false }
    }

    /// The one value that is left, if there is only one.
    #[must_use]
    pub fn exact(&self) -> Option<Value> {
        if self.unknown {
            return (self.known == Known::Nothing).then_some(Value::Unknown);
        }
        match &self.known {
            Known::Bools { no, yes } if no != yes => Some(Value::Bool(*yes)),
            Known::Numbers { lo, hi, .. } if lo == hi => Some(Value::Number(lo.clone())),
            Known::Labels(ranks) => match ranks.as_slice() {
                [rank] => Some(Value::Label(*rank)),
                _ => None,
            },
            Known::Sets(labels) if labels.iter().all(|(no, yes)| no != yes) => {
                Some(Value::Set((0_u32..).zip(labels).filter(|(_, (_, yes))| *yes).map(|(rank, _)| rank).collect()))
            }
            Known::Counts(counts) if counts.iter().all(|(lo, hi)| lo == hi) => {
                Some(Value::Tally(counts.iter().map(|(lo, _)| *lo).collect()))
            }
            Known::Items(items) => {
                Some(Value::Items(items.iter().map(ItemBounds::exact).collect::<Option<Vec<_>>>()?.into()))
            }
            _ => None,
        }
    }

    /// Whether the node may become this value.
    #[must_use]
    pub fn holds(&self, value: &Value) -> bool {
        match (&self.known, value) {
            (_, Value::Unknown) => self.unknown,
            (Known::Bools { no, yes }, Value::Bool(b)) => *(if *b { yes } else { no }),
            (Known::Numbers { lo, hi, whole }, Value::Number(n)) => lo <= n && n <= hi && (!whole || n.is_integer()),
            (Known::Labels(ranks), Value::Label(rank)) => ranks.binary_search(rank).is_ok(),
            (Known::Sets(labels), Value::Set(ranks)) => {
                let fits = |(rank, (no, yes)): (u32, &(bool, bool))| if ranks.contains(&rank) { *yes } else { *no };
                (0_u32..).zip(labels).all(fits) && ranks.iter().all(|rank| (*rank as usize) < labels.len())
            }
            (Known::Counts(counts), Value::Tally(found)) => {
                counts.len() == found.len() && counts.iter().zip(found.iter()).all(|((lo, hi), n)| lo <= n && n <= hi)
            }
            (Known::AnyNumber, Value::Number(_)) | (Known::AnyItems, Value::Items(_)) => true,
            (Known::Items(items), Value::Items(found)) => {
                let fits = |(item, found): (&ItemBounds, &ItemJudgment)| {
                    item.points == found.points
                        && match found.met {
                            Some(true) => item.yes,
                            Some(false) => item.no,
                            None => item.unknown,
                        }
                };
                items.len() == found.len() && items.iter().zip(found.iter()).all(fits)
            }
            _ => false,
        }
    }

    /// The lowest and the highest known value, of what has an order (bools, numbers, labels by rank).
    #[must_use]
    pub fn ends(&self) -> Option<(Value, Value)> {
        match &self.known {
            Known::Bools { no, yes } => Some((Value::Bool(!no), Value::Bool(*yes))),
            Known::Numbers { lo, hi, .. } => Some((Value::Number(lo.clone()), Value::Number(hi.clone()))),
            Known::Labels(ranks) => Some((Value::Label(*ranks.first()?), Value::Label(*ranks.last()?))),
            _ => None,
        }
    }

    /// What either may be.
    #[must_use]
    pub fn or(self, other: Bounds) -> Bounds {
        Bounds { known: self.known.or(other.known), unknown: self.unknown || other.unknown }
    }

    /// Whether nothing but `unknown` is left.
    #[must_use]
    pub fn only_unknown(&self) -> bool {
        self.known == Known::Nothing
    }

    /// Which bools it may be: (false, true).
    pub(crate) fn bools(&self) -> (bool, bool) {
        match self.known {
            Known::Bools { no, yes } => (no, yes),
            _ => (false, false),
        }
    }

    /// The interval of the numbers it may be: 0 and 1 for bools, ranks for labels.
    pub(crate) fn interval(&self) -> Option<(Number, Number)> {
        let (lo, hi) = self.ends()?;
        let number = |value| match value {
            Value::Number(n) => n,
            Value::Bool(b) => Number::int(i64::from(b)),
            Value::Label(rank) => Number::int(i64::from(rank)),
            _ => Number::ZERO,
        };
        Some((number(lo), number(hi)))
    }

    /// An interval of numbers; of ranks where the type is an ordinal.
    fn numbers(lo: Number, hi: Number, ty: &Type, unknown: bool) -> Bounds {
        let known = match &ty.base {
            Base::Ordinal(_) | Base::Choice(_) => {
                let rank = |n: &Number| n.to_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
                Known::Labels((rank(&lo)..=rank(&hi)).collect())
            }
            base => Known::Numbers { lo, hi, whole: matches!(base, Base::Int { .. }) },
        };
        Bounds { known, unknown }
    }

    /// As the node's type shows it: intervals of whole numbers for an int, ranges without gaps for an ordinal.
    fn shaped(mut self, ty: &Type) -> Bounds {
        match (&mut self.known, &ty.base) {
            (Known::Numbers { whole, .. }, base) => *whole = matches!(base, Base::Int { .. }),
            (Known::Labels(ranks), Base::Ordinal(_)) => {
                if let (Some(lo), Some(hi)) = (ranks.first().copied(), ranks.last().copied()) {
                    *ranks = (lo..=hi).collect();
                }
            }
            // An exact set does not know how many labels there are.
            (Known::Sets(labels), Base::Set(all)) => labels.resize(all.len(), (true, false)),
            _ => {}
        }
        self
    }
}

impl ItemBounds {
    fn exactly(item: &ItemJudgment) -> ItemBounds {
        ItemBounds {
            points: item.points.clone(),
            no: item.met == Some(false),
            yes: item.met == Some(true),
            unknown: item.met.is_none(),
        }
    }

    fn exact(&self) -> Option<ItemJudgment> {
        let met = match (self.no, self.yes, self.unknown) {
            (true, false, false) => Some(false),
            (false, true, false) => Some(true),
            (false, false, true) => None,
            _ => return None,
        };
        Some(ItemJudgment { points: self.points.clone(), met })
    }
}

impl Known {
    /// The hull of both.
    #[must_use]
    pub fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (Known::Bools { no, yes }, Known::Bools { no: n, yes: y }) => Known::Bools { no: no || n, yes: yes || y },
            (Known::Numbers { lo, hi, whole }, Known::Numbers { lo: a, hi: b, whole: w }) => {
                Known::Numbers { lo: lo.min(a), hi: hi.max(b), whole: whole && w }
            }
            (Known::AnyNumber, _) | (_, Known::AnyNumber) => Known::AnyNumber,
            (Known::Labels(mut a), Known::Labels(b)) => {
                a.extend(b);
                a.sort_unstable();
                a.dedup();
                Known::Labels(a)
            }
            (Known::Sets(mut a), Known::Sets(mut b)) => {
                // The shorter one says "out" of the labels that it does not mention.
                let labels = a.len().max(b.len());
                a.resize(labels, (true, false));
                b.resize(labels, (true, false));
                Known::Sets(a.into_iter().zip(b).map(|(a, b)| (a.0 || b.0, a.1 || b.1)).collect())
            }
            (Known::Counts(a), Known::Counts(b)) => {
                Known::Counts(a.into_iter().zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect())
            }
            // Values of different kinds never meet in a typed program.
            (known, _) => known,
        }
    }
}

impl Step {
    /// The hull of the operator over bounds of its slots, one per slot of [`Step`], constants included.
    #[must_use]
    pub fn hull(&self, inputs: &[Bounds]) -> Bounds {
        let bounds = match self.op {
            Op::Normalize
            | Op::Rescale
            | Op::Clamp
            | Op::Invert
            | Op::Round
            | Op::Quantize
            | Op::Map
            | Op::Bands
            | Op::Piecewise
            | Op::Has
            | Op::Size
            | Op::CountOf
            | Op::Known => inputs.first().map(|x| self.transform_hull(x)),
            Op::Mean
            | Op::Median
            | Op::Min
            | Op::Max
            | Op::GeometricMean
            | Op::HarmonicMean
            | Op::WeightedMean
            | Op::Sum
            | Op::WeightedSum
            | Op::Product
            | Op::Count
            | Op::Fraction
            | Op::Tree => Some(self.reduce_hull(inputs)),
            Op::All | Op::Any => Some(self.all_or_any_hull(inputs)),
            Op::Points | Op::SumPoints => Some(self.points_hull(inputs)),
            Op::Vote => Some(self.vote_hull(inputs, true)),
            _ => self.branch_hull(inputs),
        };
        bounds.unwrap_or_default().shaped(&self.ty)
    }
}
