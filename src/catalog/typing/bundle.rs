//! REDUCE over yes/no judgments and checklists: `all any count fraction points sum_points tree`.
//!
//! A checklist arrives as its items, one per slot, with their points as weights.

use super::call::{Call, Resolved, Slot};
use super::interval::Interval;
use super::kinds::{condition, numeric};
use super::policy::{Stands, of_slots};
use super::reduce::weights;
use super::{Fault, Place, too_large};
use crate::catalog::{Op, Params};
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Type};

const X: usize = 0;

/// `all any count fraction`
pub(super) fn quantified(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let before = call.faults.len();
    for slot in &slots {
        condition(call, *slot);
    }
    refuse_both_signs(call, &slots);
    if call.faults.len() > before {
        return None;
    }
    let settled = of_slots(call, &slots, &Stands::In(&Type::BOOL), |_| true)?;
    let ty = match call.op {
        Op::All | Op::Any => Type::BOOL,
        Op::Count => Type::of(Base::Int { lo: Number::ZERO, hi: Number::from(slots.len()) }),
        _ => Type::UNIT,
    };
    let params = Params { unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(ty.with_optional(settled.optional), params))
}

fn refuse_both_signs(call: &mut Call<'_>, slots: &[Slot<'_>]) {
    let negative = |s: &&Slot<'_>| call.weight(s.slot).is_some_and(Number::is_negative);
    let positive = |s: &&Slot<'_>| call.weight(s.slot).is_some_and(Number::is_positive);
    let (Some(bad), Some(good)) = (slots.iter().find(negative), slots.iter().find(positive)) else {
        return;
    };
    let headline = format!(
        "{} cannot tell good from bad: `{}` has positive points and `{}` negative ones",
        call.word(),
        good.name,
        bad.name
    );
    let fault = Fault::error(Code::POINTS_SIGNS, bad.place(), headline, "its points have the other sign");
    call.fault(fault.help("use `points(…)`, which takes both signs, or name a group or the items of one sign"));
}

/// `points sum_points`
pub(super) fn points(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    if let Some(items) = slots.iter().find(|s| s.ty.base == Base::Items) {
        return from_record(call, &slots, *items);
    }
    let before = call.faults.len();
    for slot in &slots {
        if !slot.ty.is_bool() {
            let headline = format!("{} works on yes or no judgments, and `{}` is {}", call.word(), slot.name, slot.ty);
            let fault = Fault::error(Code::INPUT_TYPE, slot.place(), headline, "not a yes or no");
            call.fault(fault.help("for numbers, use `weighted_mean(…)` or `weighted_sum(…)`"));
        }
    }
    if call.faults.len() > before {
        return None;
    }
    let weights = weights(call);
    let (written, counts) = (call.params, call.op == Op::SumPoints);
    let positive =
        |s: &Slot<'_>| written.weights.get(s.slot).is_some_and(|w| w.as_ref().is_some_and(Number::is_positive));
    let decisive = |s: &Slot<'_>| counts || positive(s);
    let settled = of_slots(call, &slots, &Stands::In(&Type::BOOL), decisive);
    let weights = weights?;
    let (mut low, mut high, mut certain) = (Number::ZERO, Number::ZERO, Number::ZERO);
    let mut smallest: Option<&Number> = None;
    for (slot, weight) in slots.iter().zip(&weights) {
        if weight.is_negative() {
            low = &low + weight;
        } else {
            high = &high + weight;
            smallest = Some(smallest.map_or(weight, |s| s.min(weight)));
            if !slot.ty.optional {
                certain = &certain + weight;
            }
        }
        if low.bits() + high.bits() > 2_000 {
            too_large(call);
            return None;
        }
    }
    if call.op == Op::Points && !high.is_positive() && !call.clouded {
        let headline = "no item has positive points, so there is nothing to reach";
        let fault = Fault::error(Code::POINTS_NONE_POSITIVE, Place::Whole, headline, "only negative points");
        call.fault(fault.help("write `normalize(sum_points(…))`: 1 where none of them is met, 0 where all are"));
        return None;
    }
    let settled = settled?;
    let interval = match call.op {
        Op::SumPoints => Interval::new(low, high),
        _ => {
            let below = match (settled.skips(), certain.is_positive()) {
                (false, _) => high,
                (true, true) => certain,
                (true, false) => smallest?.clone(),
            };
            Interval::new(low.checked_div(&below)?, Number::ONE)
        }
    };
    let params = Params { weights, unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(numeric(interval, false).with_optional(settled.optional), params))
}

/// Of items that come with the record: a number that the program cannot bound.
fn from_record(call: &mut Call<'_>, slots: &[Slot<'_>], items: Slot<'_>) -> Option<Resolved> {
    if slots.len() > 1 {
        let other = slots.iter().find(|s| s.slot != items.slot)?;
        let headline =
            format!("`{}` cannot stand beside `{}`, whose items come with each record", other.name, items.name);
        let fault = Fault::error(Code::INPUT_TYPE, other.place(), headline, "one too many");
        call.fault(fault.help("give each a call of its own, clamp both, and combine the two"));
        return None;
    }
    if call.weight(items.slot).is_some() {
        let headline = format!("the items of `{}` bring their own points", items.name);
        let fault = Fault::error(Code::WEIGHT_NOT_TAKEN, Place::Weight(items.slot), headline, "not taken here");
        call.fault(fault.help("drop the weight"));
        return None;
    }
    let settled = of_slots(call, slots, &Stands::In(&Type::BOOL), |_| true)?;
    let params = Params { unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(Type::of(Base::Real).with_optional(settled.optional), params))
}

/// One level of a tree: items, and the nodes of the groups below.
pub(super) fn tree(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(X);
    let before = call.faults.len();
    for slot in &slots {
        let unit = slot.ty.clone().known().routes_into(&Type::UNIT);
        if !slot.ty.is_bool() && !unit {
            let headline = format!("`tree` works on a checklist, and `{}` is {}", slot.name, slot.ty);
            let fault = Fault::error(Code::INPUT_TYPE, slot.place(), headline, "no item of a checklist");
            call.fault(fault.help("for other judgments, use `weighted_mean(…)`"));
        }
    }
    let weights = weights(call);
    if call.faults.len() > before {
        return None;
    }
    let settled = of_slots(call, &slots, &Stands::InTree, |_| true)?;
    // Handed down to every group, a policy is needless in some of them by nature.
    call.warnings.retain(|w| w.code != Code::POLICY_NEEDLESS);
    let params = Params { weights: weights?, unknown: settled.policy, ..Params::default() };
    Some(Resolved::with(Type::UNIT.with_optional(settled.optional), params))
}
