//! Hulls of `points` and `sum_points`.
//!
//! The two sums of `points` belong together: a positive item that is left out leaves both. Its highest and lowest value are
//! therefore those of a fraction whose optional shares are the positive items, with what the negative items add as a
//! constant above the line (see [`super::reduce`]).

use super::reduce::{Share, fraction_end};
use super::{Bounds, ItemBounds, Known};
use crate::catalog::{Op, UnknownPolicy};
use crate::number::Number;
use crate::run::evaluate::Step;
use crate::types::{Base, Value};

/// An item after its policy: whether it may be unmet, met, or left out of both sums.
struct Entry {
    points: Number,
    no: bool,
    yes: bool,
    absent: bool,
}

impl Step {
    pub(super) fn points_hull(&self, inputs: &[Bounds]) -> Bounds {
        let mut items: Vec<ItemBounds> = Vec::with_capacity(inputs.len());
        for (slot, bounds) in inputs.iter().enumerate() {
            match &bounds.known {
                Known::Items(all) => items.extend(all.iter().cloned()),
                Known::AnyItems => return Bounds { known: Known::AnyNumber, unknown: self.ty.optional },
                _ => {
                    let (no, yes) = bounds.bools();
                    items.push(ItemBounds { points: self.weight(slot).clone(), no, yes, unknown: bounds.unknown });
                }
            }
        }
        let mut unknown = false;
        if matches!(self.params.unknown, None | Some(UnknownPolicy::Propagate)) {
            if items.iter().any(|item| !item.no && !item.yes) {
                return Bounds::default();
            }
            unknown = items.iter().any(|item| item.unknown);
        }
        let entries: Vec<Entry> = items.into_iter().map(|item| self.entry(item)).collect();
        let positive = |entry: &&Entry| entry.points.is_positive();
        if self.params.unknown == Some(UnknownPolicy::Skip) || entries.is_empty() {
            // Nothing is left, or (of `points`) no positive item.
            unknown = match self.op {
                Op::Points => entries.iter().filter(positive).all(|entry| entry.absent),
                _ => entries.iter().all(|entry| entry.absent),
            };
        }
        let end =
            |highest| if self.op == Op::Points { points_end(&entries, highest) } else { sum_end(&entries, highest) };
        match (end(false), end(true)) {
            (Some(lo), Some(hi)) => {
                let known = Known::Numbers { lo, hi, whole: matches!(self.ty.base, Base::Int { .. }) };
                Bounds { known, unknown }
            }
            _ => Bounds::default(),
        }
    }

    fn entry(&self, item: ItemBounds) -> Entry {
        let ItemBounds { points, mut no, mut yes, unknown } = item;
        let mut absent = false;
        if unknown {
            match &self.params.unknown {
                Some(UnknownPolicy::Skip) => absent = true,
                Some(UnknownPolicy::Constant(Value::Bool(met))) => (no, yes) = (no || !met, yes || *met),
                Some(UnknownPolicy::Lowest) if points.is_negative() => yes = true,
                Some(UnknownPolicy::Highest) if points.is_positive() => yes = true,
                Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) => no = true,
                _ => {}
            }
        }
        Entry { points, no, yes, absent }
    }
}

/// Of an item that is there: what it adds at the most (least).
fn added(entry: &Entry, highest: bool) -> Number {
    match (entry.no, entry.yes) {
        (true, true) if entry.points.is_positive() == highest => entry.points.clone(),
        (_, false) | (true, true) => Number::ZERO,
        (false, true) => entry.points.clone(),
    }
}

fn points_end(entries: &[Entry], highest: bool) -> Option<Number> {
    let mut base = Number::ZERO;
    let (mut forced, mut optional): (Vec<Share>, Vec<Share>) = (Vec::new(), Vec::new());
    for entry in entries {
        if entry.points.is_positive() {
            if !entry.no && !entry.yes {
                continue;
            }
            let share = (added(entry, highest), entry.points.clone());
            if entry.absent { optional.push(share) } else { forced.push(share) }
        } else {
            // A negative item that is left out adds nothing, as one that is not met.
            let adds = added(entry, highest);
            base = &base + &if entry.absent && highest { Number::ZERO } else { adds };
        }
    }
    fraction_end(&base, &forced, optional, highest)
}

fn sum_end(entries: &[Entry], highest: bool) -> Option<Number> {
    let mut sum = Number::ZERO;
    let mut present = false;
    let mut nearest: Option<Number> = None;
    for entry in entries.iter().filter(|entry| entry.no || entry.yes) {
        let adds = added(entry, highest);
        if !entry.absent || adds.is_positive() == highest && !adds.is_zero() {
            sum = &sum + &adds;
            present = true;
        }
        if nearest.as_ref().is_none_or(|n| if highest { adds > *n } else { adds < *n }) {
            nearest = Some(adds);
        }
    }
    if present { Some(sum) } else { nearest }
}
