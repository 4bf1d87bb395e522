//! REDUCE over numbers, and `vote`: means, extremes, sums, products.

use super::call::{Call, Resolved, Slot};
use super::interval::Interval;
use super::kinds::{all_ints, number, numeric, one_interval, wrong_type};
use super::literal::{shown, value_in};
use super::policy::{Stands, of_slots};
use super::{Fault, Literal, Place, too_large};
use crate::catalog::table::Weights;
use crate::catalog::{Op, Params, VoteTie};
use crate::diagnostics::{Code, did_you_mean};
use crate::number::Number;
use crate::types::{Base, Type};

const X: usize = 0;

/// `mean median geometric_mean harmonic_mean weighted_mean`
pub(super) fn mean(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let weights = weights(call);
    let interval = one_interval(call, &slots)?;
    if matches!(call.op, Op::GeometricMean | Op::HarmonicMean) && interval.lo.is_negative() {
        let slot = slots.first()?;
        let headline =
            format!("{} needs numbers of at least 0, and `{}` goes down to {}", call.word(), slot.name, interval.lo);
        let fault = Fault::error(Code::INPUT_TYPE, slot.place(), headline, "can be negative");
        call.fault(fault.help("bring the slots onto 0 to 1 with `normalize(…)`, or use `mean`"));
        return None;
    }
    let ty = numeric(interval, false);
    let settled = of_slots(call, &slots, &Stands::In(&ty), |_| true)?;
    let params = Params { weights: weights?, unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(ty.with_optional(settled.optional), params))
}

/// `min max`
pub(super) fn extreme(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let ordinal = slots.iter().find(|s| matches!(s.ty.base, Base::Ordinal(_)));
    let ty = match ordinal {
        Some(first) => {
            if let Some(other) = slots.iter().find(|s| s.ty.base != first.ty.base) {
                let headline = format!(
                    "the slots of {} are on different scales: `{}` is {}, `{}` is {}",
                    call.word(),
                    first.name,
                    first.ty.clone().known(),
                    other.name,
                    other.ty.clone().known()
                );
                let fault = Fault::error(Code::SCALES_DIFFER, other.place(), headline, "on a scale of its own");
                call.fault(fault.help("bring all of them onto 0 to 1 with `normalize(…)`").wrap_in("normalize"));
                return None;
            }
            first.ty.clone().known()
        }
        None => {
            if !slots.is_empty() && slots.iter().all(|s| s.ty.is_bool()) {
                let instead = if call.op == Op::Min { "all" } else { "any" };
                let slot = *slots.first()?;
                wrong_type(
                    call,
                    slot,
                    "numbers or one ordinal",
                    format!("over yes or no judgments, use `{instead}(…)`"),
                );
                return None;
            }
            numeric(one_interval(call, &slots)?, all_ints(&slots))
        }
    };
    let settled = of_slots(call, &slots, &Stands::In(&ty), |_| true)?;
    let params = Params { unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(ty.with_optional(settled.optional), params))
}

/// The intervals of slots that must all be numbers.
fn intervals(call: &mut Call<'_>, slots: &[Slot<'_>]) -> Option<Vec<Interval>> {
    let all: Vec<Option<Interval>> = slots.iter().map(|s| number(call, *s)).collect();
    all.into_iter().collect()
}

/// `sum weighted_sum`
pub(super) fn sum(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let weights = weights(call);
    let intervals = intervals(call, &slots)?;
    let settled = of_slots(call, &slots, &Stands::InEachSlot, |_| true)?;
    let weights = weights?;
    let scaled = call.op == Op::WeightedSum;
    let total = total(call, &slots, intervals, settled.skips().then_some(&Number::ZERO), |call, total, slot, term| {
        let term = if scaled { term.scaled(call.weight(slot)?) } else { term };
        Some(total.map_or_else(|| term.clone(), |total| total.plus(&term)))
    });
    let ty = numeric(total?, call.op == Op::Sum && all_ints(&slots)).with_optional(settled.optional);
    Some(Resolved::with(ty, Params { weights, unknown: settled.policy, ..Params::default() }))
}

/// The interval of terms joined one after the other. An unknown slot that is left out is as good as `neutral`.
fn total(
    call: &mut Call<'_>,
    slots: &[Slot<'_>],
    intervals: Vec<Interval>,
    neutral: Option<&Number>,
    join: impl Fn(&Call<'_>, Option<&Interval>, usize, Interval) -> Option<Interval>,
) -> Option<Interval> {
    let mut total: Option<Interval> = None;
    for (slot, interval) in slots.iter().zip(intervals) {
        let interval = match neutral.filter(|_| slot.ty.optional) {
            Some(neutral) => interval.with(neutral),
            None => interval,
        };
        let joined = join(call, total.as_ref(), slot.slot, interval)?;
        if joined.is_too_long() {
            too_large(call);
            return None;
        }
        total = Some(joined);
    }
    total
}

pub(super) fn product(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let intervals = intervals(call, &slots)?;
    let settled = of_slots(call, &slots, &Stands::InEachSlot, |_| true)?;
    let total = total(call, &slots, intervals, settled.skips().then_some(&Number::ONE), |_, total, _, term| {
        Some(total.map_or_else(|| term.clone(), |total| total.times(&term)))
    });
    let ty = numeric(total?, false).with_optional(settled.optional);
    Some(Resolved::with(ty, Params { unknown: settled.policy, ..Params::default() }))
}

/// One weight per slot, as the operator demands them; empty where it takes none. `None` where one is at fault.
pub(super) fn weights(call: &mut Call<'_>) -> Option<Vec<Number>> {
    let demand = call.info.weights;
    if !demand.kept() {
        return Some(Vec::new());
    }
    let before = call.faults.len();
    let slots = call.nodes(X);
    let count = call.count(X);
    if call.params.weights.len() > count {
        let headline = format!("there are {} weights for {count} slots", call.params.weights.len());
        call.fault(
            Fault::error(Code::WEIGHT_NOT_TAKEN, Place::Weight(count), headline, "one too many").help("drop it"),
        );
    }
    let none = slots.iter().all(|s| call.weight(s.slot).is_none());
    if none && !slots.is_empty() && !call.clouded && demand != Weights::Points {
        let headline = format!("{} needs a weight behind each slot", call.word());
        let help = match call.op {
            Op::WeightedMean => "write `x weight 2` for each; where all count the same, use `mean`",
            Op::WeightedSum => "write `x weight 2` for each; where all count the same, use `sum`",
            _ => "write `x weight 2` for each",
        };
        call.fault(Fault::error(Code::WEIGHT_MISSING, Place::Whole, headline, "no weights").help(help));
        return None;
    }
    let mut weights = Vec::with_capacity(slots.len());
    for slot in &slots {
        let Some(weight) = call.weight(slot.slot) else {
            let headline = match demand {
                Weights::Points => {
                    format!("`{}` is no item of a checklist, and nothing says how many points it is worth", slot.name)
                }
                _ => format!("`{}` has no weight", slot.name),
            };
            let fault = Fault::error(Code::WEIGHT_MISSING, slot.place(), headline, "no weight");
            call.fault(fault.help(format!("write for example `{} weight 2`", slot.name)));
            continue;
        };
        if let Some(fault) = weight_fault(call, *slot, weight) {
            call.fault(fault);
        }
        weights.push(weight.clone());
    }
    (call.faults.len() == before).then_some(weights)
}

fn weight_fault(call: &Call<'_>, slot: Slot<'_>, weight: &Number) -> Option<Fault> {
    let place = Place::Weight(slot.slot);
    let name = slot.name;
    if weight.is_zero() {
        let headline = format!("`{name}` counts for nothing: its weight is 0");
        return Some(
            Fault::error(Code::WEIGHT_VALUE, place, headline, "counts for nothing")
                .help("drop the slot, or give it a weight"),
        );
    }
    if call.info.weights == Weights::Positive && weight.is_negative() {
        let headline = format!("{} needs weights above 0, and that of `{name}` is {}", call.word(), weight.exact());
        let (code, help) = match call.op {
            Op::Tree => (
                Code::POINTS_SIGNS,
                "use `points(…)`, which takes both signs; or turn the item round and give it positive points",
            ),
            _ => (Code::WEIGHT_VALUE, "turn the scale round with `invert(…)` and drop the sign, or use `weighted_sum`"),
        };
        return Some(Fault::error(code, place, headline, "below 0").help(help));
    }
    None
}

pub(super) fn vote(call: &mut Call<'_>) -> Option<Resolved> {
    if call.params.tie.is_none() {
        call.require_param("tie");
    }
    let slots = call.nodes(X);
    let first = *slots.first()?;
    let mut sound = true;
    for slot in &slots {
        if !matches!(slot.ty.base, Base::Bool | Base::Int { .. } | Base::Ordinal(_) | Base::Choice(_)) {
            let help = match slot.ty.base {
                Base::Score { .. } => "scores hardly ever agree: use `median(…)`, or `bands(…)` first",
                _ => "vote on a label: `has(x, label)`",
            };
            wrong_type(call, *slot, "bools, ints, ordinals or choices", help);
            sound = false;
        }
    }
    if !sound {
        return None;
    }
    if let Some(other) = slots.iter().find(|s| s.ty.base != first.ty.base) {
        let headline = format!(
            "the slots of {} are on different scales: `{}` is {}, `{}` is {}",
            call.word(),
            first.name,
            first.ty.clone().known(),
            other.name,
            other.ty.clone().known()
        );
        let fault = Fault::error(Code::SCALES_DIFFER, other.place(), headline, "on a scale of its own");
        call.fault(fault.help("vote over judgments of one type"));
        return None;
    }
    let ty = first.ty.clone().known();
    let tie = match &call.params.tie {
        Some(written) => tie(call, written, &ty),
        None => None,
    };
    let settled = of_slots(call, &slots, &Stands::In(&ty), |_| true)?;
    if ty.extremes().is_none() && matches!(settled.policy, Some(ref p) if is_extreme(p)) {
        let headline = format!("the labels of `{}` have no order, so none is lowest or highest", first.name);
        let fault = Fault::error(Code::UNKNOWN_POLICY, Place::Param("unknown"), headline, "no order");
        call.fault(fault.help("write `skip`, `propagate`, or one of the labels"));
        return None;
    }
    let tie = tie?;
    let optional = settled.optional || tie == VoteTie::Unknown;
    let params = Params { tie: Some(tie), unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(ty.with_optional(optional), params))
}

fn is_extreme(policy: &crate::catalog::UnknownPolicy) -> bool {
    use crate::catalog::UnknownPolicy;
    matches!(policy, UnknownPolicy::Lowest | UnknownPolicy::Highest)
}

/// A label of the type wins over the word of a policy.
fn tie(call: &mut Call<'_>, written: &Literal, ty: &Type) -> Option<VoteTie> {
    let place = Place::Param("tie");
    if *written == Literal::Unknown {
        return Some(VoteTie::Unknown);
    }
    if let Literal::Label(word) = written
        && ty.rank(word).is_none()
    {
        let tie = match &**word {
            "lowest" => VoteTie::Lowest,
            "highest" => VoteTie::Highest,
            _ => {
                let headline = format!("{} says nothing about a tie", shown(written));
                let labels = ty.labels().map_or(&[][..], |l| l);
                let words = ["lowest", "highest"].into_iter().chain(labels.iter().map(AsRef::as_ref));
                let help = match did_you_mean(word, words) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write `lowest`, `highest`, `unknown` or a value of the slots".to_owned(),
                };
                call.fault(Fault::error(Code::LABEL_UNKNOWN, place, headline, "no such value").help(help));
                return None;
            }
        };
        if ty.extremes().is_none() {
            let headline = format!("the labels of {ty} have no order, so none is {word}");
            let fault = Fault::error(Code::PARAMETER_VALUE, place, headline, "no order");
            call.fault(fault.help("write `unknown`, or the label that wins a tie"));
            return None;
        }
        return Some(tie);
    }
    match value_in(ty, written, place, "the slots") {
        Ok(value) => Some(VoteTie::Value(value)),
        Err(fault) => {
            call.fault(*fault);
            None
        }
    }
}
