//! Where a node matters: the places on its line that it must cross for anything to come out otherwise.
//!
//! What comes out sees most nodes through thresholds only: a quantised mean matters at the edges of its steps, a clamped one
//! between its ends. These places are carried back through operators from what comes out to what goes in. A change of a node
//! from one number to a higher one that *touches* none of its places changes nothing, whatever all other nodes are.
//!
//! Places may be too many, never too few: what an operator here does not say is every place. They say nothing of `unknown`,
//! which whoever asks must rule out.

use super::backward::narrow;
use super::domain::{Domain, End};
use super::forward::{clamped, forward, ways};
use crate::catalog::Op;
use crate::number::Number;
use crate::run::bounds::Bounds;
use crate::run::evaluate::Step;
use crate::types::Value;

/// Places of one node beyond which it matters everywhere.
const MOST: usize = 128;

/// A stretch of the line. A change from p up to q touches it where p is not beyond its upper end and q not below its lower
/// end; an end that is left out must be crossed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) lo: End,
    pub(super) hi: End,
}

impl Place {
    fn touched(&self, p: &Number, q: &Number) -> bool {
        let below = *p < self.hi.at || *p == self.hi.at && !self.hi.open;
        below && (*q > self.lo.at || *q == self.lo.at && !self.lo.open)
    }

    /// Between two numbers; an edge where these are one. With `upper` the number itself belongs to what is above it.
    fn edge(lo: Number, hi: Number, upper: bool) -> Place {
        Place { lo: End::new(lo, !upper), hi: End::new(hi, upper) }
    }

    /// Of x, where this is of x held between two numbers.
    fn within(&self, from: &Number, to: &Number) -> Option<Place> {
        let mut place = self.clone();
        if place.lo.at <= *from {
            place.lo = End::new(from.clone(), true);
        }
        if place.hi.at >= *to {
            place.hi = End::new(to.clone(), true);
        }
        let level = place.lo.at == place.hi.at && place.lo.open && place.hi.open;
        (place.lo.at <= place.hi.at && !level).then_some(place)
    }

    /// Of x, where this is of factor · x + something between two numbers.
    fn back(&self, factor: &Number, rest: (&Number, &Number)) -> Option<Place> {
        let end = |end: &End, rest: &Number| Some(End::new((&end.at - rest).checked_div(factor)?, end.open));
        let (a, b) = (end(&self.lo, rest.1)?, end(&self.hi, rest.0)?);
        Some(if factor.is_negative() { Place { lo: b, hi: a } } else { Place { lo: a, hi: b } })
    }
}

/// All places of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Places {
    Everywhere,
    At(Vec<Place>),
}

impl Places {
    pub(super) fn nowhere() -> Places {
        Places::At(Vec::new())
    }

    /// Whether a change between two numbers may change what comes out.
    pub(super) fn touched(&self, p: &Number, q: &Number) -> bool {
        match self {
            _ if p >= q => false,
            Places::Everywhere => true,
            Places::At(all) => all.iter().any(|place| place.touched(p, q)),
        }
    }

    pub(super) fn add(&mut self, more: Places) {
        let (Places::At(own), Places::At(more)) = (&mut *self, more) else {
            *self = Places::Everywhere;
            return;
        };
        for place in more {
            if !own.contains(&place) {
                own.push(place);
            }
        }
        if own.len() > MOST {
            *self = Places::Everywhere;
        }
    }

    fn each(&self, change: impl Fn(&Place) -> Option<Place>) -> Places {
        match self {
            Places::Everywhere => Places::Everywhere,
            Places::At(all) => Places::At(all.iter().filter_map(change).collect()),
        }
    }

    /// Of x, where these are of x held between two numbers, or of something that is flat outside of them.
    fn within(&self, from: &Number, to: &Number) -> Places {
        let all = Place { lo: End::new(from.clone(), true), hi: End::new(to.clone(), true) };
        match self {
            _ if from >= to => Places::nowhere(),
            Places::Everywhere => Places::At(vec![all]),
            Places::At(_) => self.each(|place| place.within(from, to)),
        }
    }

    /// Of x, where these are of factor · x + something between two numbers.
    pub(super) fn back(&self, factor: &Number, rest: (&Number, &Number)) -> Places {
        if factor.is_zero() {
            return Places::nowhere();
        }
        self.each(|place| place.back(factor, rest))
    }
}

/// The places of a slot of an operator that does not add up, from those of the operator and what its slots may be.
pub(super) fn back(step: &Step, slot: usize, out: &Places, inputs: &[Bounds]) -> Places {
    let interval = |slot: usize| inputs.get(slot).and_then(Bounds::interval);
    match step.op {
        Op::Normalize | Op::Rescale | Op::Invert => out.back(&step.scale, (&step.shift, &step.shift)),
        Op::Clamp => match clamped(step) {
            Some((lo, hi)) => out.within(lo, hi),
            None => Places::Everywhere,
        },
        Op::Round | Op::Quantize => inputs.first().map_or(Places::Everywhere, |x| rounded(step, out, x)),
        Op::Bands => {
            let edges = step.params.bands.iter().filter_map(|band| band.below.clone());
            Places::At(edges.map(|at| Place::edge(at.clone(), at, true)).collect())
        }
        Op::Piecewise => {
            let pieces = step.params.knots.windows(2).filter_map(|pair| match pair {
                [(x0, y0), (x1, y1)] if y0 != y1 => {
                    Some(Place { lo: End::new(x0.clone(), true), hi: End::new(x1.clone(), true) })
                }
                _ => None,
            });
            Places::At(pieces.collect())
        }
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
            let Some((lo, hi)) = interval(1 - slot.min(1)) else { return Places::Everywhere };
            let upper = match step.op {
                Op::Less | Op::GreaterEqual => slot == 0,
                Op::Greater | Op::LessEqual => slot == 1,
                _ => return Places::At(vec![Place { lo: End::closed(lo), hi: End::closed(hi) }]),
            };
            Places::At(vec![Place::edge(lo, hi, upper)])
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Replace | Op::Penalty | Op::Mask if slot == 0 => {
            base(step, out, inputs, interval(0)).unwrap_or(Places::Everywhere)
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Replace if slot == 2 => out.clone(),
        Op::Otherwise => out.clone(),
        Op::If if slot > 0 => out.clone(),
        Op::Min | Op::Max => {
            let others = inputs.iter().enumerate().filter(|(at, _)| *at != slot).map(|(_, bounds)| bounds);
            let intervals: Option<Vec<(Number, Number)>> =
                others.map(|bounds| bounds.interval().filter(|_| !bounds.unknown)).collect();
            let Some(intervals) = intervals else { return out.clone() };
            let Some((lo, hi)) = interval(slot) else { return out.clone() };
            // Beyond what another slot never exceeds, this one is overruled.
            match step.op {
                Op::Min => out.within(&lo, intervals.iter().map(|(_, hi)| hi).min().unwrap_or(&hi)),
                _ => out.within(intervals.iter().map(|(lo, _)| lo).max().unwrap_or(&lo), &hi),
            }
        }
        _ => Places::Everywhere,
    }
}

/// The places of what a gate guards, which lies between two numbers.
fn base(step: &Step, out: &Places, inputs: &[Bounds], own: Option<(Number, Number)>) -> Option<Places> {
    let (passes, fires, _) = ways(step, &Domain::closed(inputs.get(1)?.clone()));
    let mut all = if passes { out.clone() } else { Places::nowhere() };
    if fires {
        let limit = || inputs.get(2)?.interval();
        match step.op {
            Op::Cap => all.add(out.within(&own?.0, &limit()?.1)),
            Op::Floor => all.add(out.within(&limit()?.0, &own?.1)),
            Op::Penalty => {
                let (lo, hi) = limit()?;
                all.add(out.back(&Number::ONE, (&-hi, &-lo)));
            }
            _ => {}
        }
    }
    Some(all)
}

/// The edges of the steps of a rounding, those between two results that are told apart.
fn rounded(step: &Step, out: &Places, x: &Bounds) -> Places {
    let x = Domain { bounds: Bounds { unknown: false, ..x.clone() }, open: (false, false) };
    let Some((lo, hi)) = forward(step, std::slice::from_ref(&x)).ends() else { return Places::Everywhere };
    let grid = match step.op {
        Op::Round => step.params.step.clone().unwrap_or(Number::ONE),
        _ => Number::ONE,
    };
    let mut edges = Vec::new();
    let mut at = lo.at;
    while at < hi.at {
        let next = &at + &grid;
        if out.touched(&at, &next) {
            if edges.len() == MOST {
                return Places::Everywhere;
            }
            let mut slot = [x.clone()];
            narrow(step, &Domain::exactly(&Value::Number(next.clone())), &mut slot);
            let [slot] = slot;
            let Some((edge, _)) = slot.ends() else { return Places::Everywhere };
            edges.push(Place::edge(edge.at.clone(), edge.at, !edge.open));
        }
        at = next;
    }
    Places::At(edges)
}
