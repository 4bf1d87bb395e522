//! Hulls of the TRANSFORM operators.

use super::{Bounds, Known};
use crate::catalog::Op;
use crate::number::Number;
use crate::run::evaluate::Step;
use crate::types::Value;

impl Step {
    pub(super) fn transform_hull(&self, x: &Bounds) -> Bounds {
        match self.op {
            Op::Known => {
                return Bounds { known: Known::Bools { no: x.unknown, yes: !x.only_unknown() }, unknown: false };
            }
            Op::Map => return self.map_hull(x),
            _ if x.only_unknown() => return Bounds::default(),
            _ => {}
        }
        let known = match self.op {
            Op::Has | Op::Size | Op::CountOf => self.counted_hull(x),
            Op::Bands => self.bands_hull(x),
            _ => self.image(x),
        };
        Bounds { known, unknown: x.unknown }
    }

    /// The image under an operator from numbers to numbers. All but `piecewise` are monotone.
    fn image(&self, x: &Bounds) -> Known {
        let Some((lo, hi)) = x.interval() else {
            // A number without bounds: only `clamp` takes it.
            let to = self.params.to.as_ref().unwrap_or(&self.ty);
            return Bounds::of(to).known;
        };
        let whole = !matches!(x.known, Known::Numbers { whole: false, .. });
        let mut images = vec![self.on_number(&lo), self.on_number(&hi)];
        if self.op == Op::Piecewise {
            for (at, y) in &self.params.knots {
                if *at <= lo || hi <= *at {
                    continue;
                }
                if whole && !at.is_integer() {
                    // Whole numbers jump over this knot: the nearest on either side are as far as they get.
                    let below = at.floor();
                    images.push(self.on_number(&(&below + &Number::ONE).min(hi.clone())));
                    images.push(self.on_number(&below.max(lo.clone())));
                } else {
                    images.push(y.clone());
                }
            }
        }
        let first = images.first().cloned().unwrap_or_default();
        let (lo, hi) = images.into_iter().fold((first.clone(), first), |(lo, hi), y| (lo.min(y.clone()), hi.max(y)));
        Known::Numbers { lo, hi, whole: false }
    }

    /// The labels of all bands that some value lies in.
    fn bands_hull(&self, x: &Bounds) -> Known {
        let Some((lo, hi)) = x.interval() else {
            return Known::Labels(self.params.bands.iter().map(|band| band.label).collect()).or(Known::Nothing);
        };
        let whole = !matches!(x.known, Known::Numbers { whole: false, .. });
        let mut labels = Vec::new();
        // The lowest value that no band so far has taken.
        let mut next = lo;
        for band in &self.params.bands {
            if next > hi {
                break;
            }
            match &band.below {
                None => {
                    labels.push(band.label);
                    break;
                }
                Some(below) if next < *below => {
                    labels.push(band.label);
                    next = if whole { below.round(crate::number::Rounding::Up) } else { below.clone() };
                }
                Some(_) => {}
            }
        }
        labels.sort_unstable();
        labels.dedup();
        if labels.is_empty() { Known::Nothing } else { Known::Labels(labels) }
    }

    /// Every arm that some value reaches.
    fn map_hull(&self, x: &Bounds) -> Bounds {
        let reached = |value: &Value| Bounds::exactly(self.arm(value).unwrap_or(&Value::Unknown));
        let mut all: Option<Bounds> = None;
        let mut add = |bounds: Bounds| {
            all = Some(match all.take() {
                Some(all) => all.or(bounds),
                None => bounds,
            });
        };
        if x.unknown {
            add(reached(&Value::Unknown));
        }
        match &x.known {
            Known::Bools { no, yes } => {
                for (may, value) in [(*no, false), (*yes, true)] {
                    if may {
                        add(reached(&Value::Bool(value)));
                    }
                }
            }
            Known::Labels(ranks) => {
                for rank in ranks {
                    add(reached(&Value::Label(*rank)));
                }
            }
            Known::Numbers { lo, hi, whole } => {
                let mut named = 0_usize;
                for arm in &self.params.arms {
                    if x.holds(&arm.key) && !arm.key.is_unknown() {
                        named += 1;
                        add(Bounds::exactly(&arm.value));
                    }
                }
                // Whole numbers can be counted; of other numbers there is always one more, unless there is only one.
                let count = if *whole { Some(&(hi - lo) + &Number::ONE) } else { (lo == hi).then_some(Number::ONE) };
                if count.is_none_or(|count| count > Number::from(named)) {
                    add(Bounds::exactly(self.params.rest.as_ref().unwrap_or(&Value::Unknown)));
                }
            }
            _ => {}
        }
        all.unwrap_or_default()
    }

    /// `has size count_of`: label by label.
    fn counted_hull(&self, x: &Bounds) -> Known {
        let label = self.params.label.unwrap_or(u32::MAX) as usize;
        let counts: Vec<(u32, u32)> = match &x.known {
            Known::Sets(labels) => labels.iter().map(|(no, yes)| (u32::from(!no), u32::from(*yes))).collect(),
            Known::Counts(counts) => counts.clone(),
            _ => return Known::Nothing,
        };
        let (lo, hi) = counts.get(label).copied().unwrap_or((0, 0));
        let number = |n: u64| Number::int(i64::try_from(n).unwrap_or(i64::MAX));
        match self.op {
            Op::Has => Known::Bools { no: lo == 0, yes: hi > 0 },
            Op::Size => {
                let sum = |pick: fn(&(u32, u32)) -> u32| counts.iter().map(|pair| u64::from(pick(pair))).sum();
                Known::Numbers { lo: number(sum(|p| p.0)), hi: number(sum(|p| p.1)), whole: true }
            }
            _ => Known::Numbers { lo: number(lo.into()), hi: number(hi.into()), whole: true },
        }
    }
}
