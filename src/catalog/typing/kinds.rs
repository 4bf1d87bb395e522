//! Demands on a slot that several families share: a number, a condition; and the faults where it is neither.

use super::call::{Call, Slot};
use super::interval::Interval;
use super::{Fault, Place};
use crate::catalog::Op;
use crate::diagnostics::Code;
use crate::types::{Base, Type, quote_label};

/// What a message calls a type: `` `stance` is choice(a, b) ``.
pub(super) fn described(ty: &Type) -> String {
    match &ty.base {
        Base::Bool => "a yes or no".to_owned(),
        _ => ty.to_string(),
    }
}

/// The interval of a slot that must be a number; reports where it is none.
pub(super) fn number(call: &mut Call<'_>, slot: Slot<'_>) -> Option<Interval> {
    if let Some((lo, hi)) = slot.ty.interval() {
        return Some(Interval::new(lo.clone(), hi.clone()));
    }
    let fault = no_number(call, slot);
    call.fault(fault);
    None
}

fn no_number(call: &Call<'_>, slot: Slot<'_>) -> Fault {
    let headline = format!("{} works on numbers, and `{}` is {}", call.word(), slot.name, described(slot.ty));
    let fault = Fault::error(Code::INPUT_TYPE, slot.place(), headline, "not a number");
    match &slot.ty.base {
        Base::Bool => {
            let instead = match call.op {
                Op::Invert => "turn a yes or no round with `not`".to_owned(),
                Op::Sum => format!("count with `count(…)`, or write `normalize({})`: 0 or 1", slot.name),
                _ => format!("write `normalize({})`: 1 for yes, 0 for no", slot.name),
            };
            let fault = fault.help(instead);
            if call.op == Op::Invert { fault } else { fault.wrap_in("normalize") }
        }
        Base::Ordinal(_) => fault
            .help(format!("write `normalize({})`: 0 for the lowest label, 1 for the highest", slot.name))
            .wrap_in("normalize"),
        Base::Choice(labels) => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            fault.help(format!("give each label a number: `map({}) {{ {first} => 0, rest => 1 }}`", slot.name))
        }
        Base::Set(labels) => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            fault.help(format!("use `size({0})`, or `has({0}, {first})`", slot.name))
        }
        Base::Tally { labels, .. } => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            fault.help(format!("use `count_of({0}, {first})`, or `size({0})`", slot.name))
        }
        _ => fault,
    }
}

/// Whether a slot is a condition; reports where it is none.
pub(super) fn condition(call: &mut Call<'_>, slot: Slot<'_>) -> bool {
    if slot.ty.is_bool() {
        return true;
    }
    let name = slot.name;
    let help = match &slot.ty.base {
        Base::Int { lo, hi } | Base::Score { lo, hi } => format!("compare it: `{name} >= {}`", middle(lo, hi)),
        Base::Ordinal(labels) => {
            let last = labels.last().map(|l| quote_label(l)).unwrap_or_default();
            format!("compare it: `{name} >= {last}`")
        }
        Base::Choice(labels) => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            format!("compare it: `{name} == {first}`")
        }
        Base::Set(labels) | Base::Tally { labels, .. } => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            format!("ask for a label: `has({name}, {first})`")
        }
        _ => "compare it with a number".to_owned(),
    };
    let headline = format!("{} needs a yes or no here, and `{name}` is {}", call.word(), described(slot.ty));
    call.fault(Fault::error(Code::INPUT_TYPE, slot.place(), headline, "not a yes or no").help(help));
    false
}

/// A number near the middle of an interval, for an example in a message.
fn middle(lo: &crate::number::Number, hi: &crate::number::Number) -> crate::number::Number {
    let two = crate::number::Number::int(2);
    let sum = lo + hi;
    sum.checked_div(&two).map_or(sum, |m| m.round_places(2, crate::number::Rounding::HalfUp))
}

/// The interval that all slots share; reports the first that is on another one. `None` where one is no number, or they differ.
pub(super) fn one_interval(call: &mut Call<'_>, slots: &[Slot<'_>]) -> Option<Interval> {
    let before = call.faults.len();
    let all: Vec<Option<Interval>> = slots.iter().map(|s| number(call, *s)).collect();
    if call.faults.len() > before {
        return None;
    }
    let first = all.first()?.clone()?;
    let Some(other) = all.iter().position(|i| i.as_ref() != Some(&first)) else {
        return Some(first);
    };
    // The one to put through `normalize`: the first that is not on 0 to 1 already.
    let unit = Type::UNIT;
    let is_unit = |s: &&Slot<'_>| s.ty.interval() == unit.interval();
    let wrapped = slots.iter().find(|s| !is_unit(s)).or_else(|| slots.get(other))?;
    let witness = slots.iter().find(|s| s.ty.interval() != wrapped.ty.interval())?;
    let headline = format!(
        "the slots of {} are on different scales: `{}` goes from {} to {}, `{}` from {} to {}",
        call.word(),
        wrapped.name,
        span(wrapped.ty).0,
        span(wrapped.ty).1,
        witness.name,
        span(witness.ty).0,
        span(witness.ty).1,
    );
    let fault = Fault::error(Code::SCALES_DIFFER, wrapped.place(), headline, "on a scale of its own")
        .help("bring all of them onto 0 to 1 with `normalize(…)`, or onto another scale with `rescale(…, to: …)`")
        .wrap_in("normalize");
    call.fault(fault);
    None
}

fn span(ty: &Type) -> (String, String) {
    ty.interval().map(|(lo, hi)| (lo.to_string(), hi.to_string())).unwrap_or_default()
}

/// Whether all ends are whole and every slot is an int.
pub(super) fn all_ints(slots: &[Slot<'_>]) -> bool {
    slots.iter().all(|s| matches!(s.ty.base, Base::Int { .. }))
}

/// An `int` or a `score` on an interval.
pub(super) fn numeric(interval: Interval, whole: bool) -> Type {
    let Interval { lo, hi } = interval;
    Type::of(if whole { Base::Int { lo, hi } } else { Base::Score { lo, hi } })
}

/// Reports a type that an operator cannot work on.
pub(super) fn wrong_type(call: &mut Call<'_>, slot: Slot<'_>, wanted: &str, help: impl Into<String>) {
    let headline = format!("{} works on {wanted}, and `{}` is {}", call.word(), slot.name, described(slot.ty));
    call.fault(Fault::error(Code::INPUT_TYPE, slot.place(), headline, "of another type").help(help));
}

/// Reports a parameter's value.
pub(super) fn bad_param(call: &mut Call<'_>, name: &'static str, headline: String, help: impl Into<String>) {
    call.fault(Fault::error(Code::PARAMETER_VALUE, Place::Param(name), headline, "not like this").help(help));
}
