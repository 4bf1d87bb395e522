//! GATE: `cap floor veto mask penalty replace`. The result has the type of the base (`mask`: with `?`).

use super::call::{Call, Resolved, Side, Slot};
use super::kinds::{condition, number, wrong_type};
use super::literal::value_in;
use super::policy::of_trigger;
use super::{Fault, Literal, Place};
use crate::catalog::{Op, Params};
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Type, Value};

const BASE: usize = 0;
const TRIGGER: usize = 1;
/// `at`, `to`, `by`, `with`.
const VALUE: usize = 2;

/// The base, where the trigger is sound too, and the parameters.
fn gate<'a>(call: &mut Call<'a>) -> Option<(Slot<'a>, Params)> {
    let trigger = call.one(TRIGGER);
    let params = match trigger {
        Some(trigger) if condition(call, trigger) => {
            of_trigger(call, trigger).ok().map(|unknown| Params { unknown, ..Params::default() })
        }
        _ => None,
    };
    let base = call.one(BASE)?;
    Some((base, params.unwrap_or_default()))
}

/// The value port over the base's type: a constant of it, or a node that can be routed into it. `None` where it is at fault or
/// absent; `Some(None)` is a node.
fn own_value(call: &mut Call<'_>, base: Slot<'_>, takes_unknown: bool) -> Option<Option<Value>> {
    let what = format!("`{}`", base.name);
    match call.side(VALUE)? {
        Side::Constant(place, literal) => {
            let ty = if takes_unknown { base.ty.clone() } else { base.ty.clone().known() };
            match value_in(&ty, literal, place, &what) {
                Ok(value) => Some(Some(value)),
                Err(fault) => {
                    call.fault(*fault);
                    None
                }
            }
        }
        Side::Node(node) => {
            if node.ty.routes_into(base.ty) {
                return Some(None);
            }
            let port = call.info.ports.get(VALUE).map_or("", |p| p.name);
            let headline =
                format!("`{port}` must be of the type of {what}, {}; `{}` is {}", base.ty, node.name, node.ty);
            let help = if node.ty.optional && node.ty.clone().known().routes_into(base.ty) {
                format!("settle unknown first: `otherwise({}, …)`", node.name)
            } else if node.ty.is_number() && base.ty.is_number() {
                format!("bring it onto the scale of {what}: `rescale({}, to: {})`", node.name, base.ty.clone().known())
            } else {
                format!("name a node of type {}, or write a constant", base.ty)
            };
            call.fault(Fault::error(Code::INPUT_TYPE, node.place(), headline, "of another type").help(help));
            None
        }
    }
}

fn finish(base: Slot<'_>, params: Params, constant: Option<Value>) -> Option<Resolved> {
    let mut resolved = Resolved::with(base.ty.clone(), params);
    if let Some(value) = constant {
        resolved.constants.push((VALUE, value));
    }
    Some(resolved)
}

/// `cap floor`
pub(super) fn bound(call: &mut Call<'_>) -> Option<Resolved> {
    let (base, params) = gate(call)?;
    if !base.ty.is_number() && !matches!(base.ty.base, Base::Ordinal(_)) {
        let help = match (&base.ty.base, call.op) {
            (Base::Bool, Op::Cap) => "to make it false, use `veto(…)`",
            (Base::Bool, _) => "to make it true, use `veto(…, to: true)`",
            _ => "to set a value, use `veto(…, to: …)` or `replace(…, with: …)`",
        };
        wrong_type(call, base, "numbers and ordinals", help);
        return None;
    }
    let constant = own_value(call, base, false)?;
    if let (Some(value), Some((lowest, highest))) = (&constant, base.ty.extremes()) {
        let idle = match call.op {
            Op::Cap => *value == highest,
            _ => *value == lowest,
        };
        if idle {
            let end = if call.op == Op::Cap { "highest" } else { "lowest" };
            let headline = format!(
                "this {} never acts: {} is the {end} value of `{}`",
                call.word(),
                value.text(base.ty),
                base.name
            );
            let fault = Fault::warning(Code::NEVER_ACTS, Place::Slot(VALUE, 0), headline, "never acts");
            let way = if call.op == Op::Cap { "lower" } else { "higher" };
            call.warn(fault.help(format!("write a {way} value, or drop the gate")));
        }
    }
    finish(base, params, constant)
}

pub(super) fn veto(call: &mut Call<'_>) -> Option<Resolved> {
    let (base, params) = gate(call)?;
    if call.count(VALUE) > 0 {
        let constant = own_value(call, base, true)?;
        return finish(base, params, constant);
    }
    // The lowest value of the base, as a `penalty` has it: a wider type that is written for the node does not change what it does.
    let Some((lowest, _)) = base.ty.extremes() else {
        let headline = format!("`{}` is {}, in which no value is the lowest", base.name, base.ty);
        let fault = Fault::error(Code::VETO_NEEDS_TO, Place::Whole, headline, "`to:` is missing here");
        call.fault(fault.help("say what it becomes: `veto(x, to: …)`"));
        return None;
    };
    finish(base, params, Some(lowest))
}

pub(super) fn mask(call: &mut Call<'_>) -> Option<Resolved> {
    let (base, params) = gate(call)?;
    Some(Resolved::with(base.ty.clone().optional(), params))
}

pub(super) fn penalty(call: &mut Call<'_>) -> Option<Resolved> {
    let (base, params) = gate(call)?;
    number(call, base)?;
    let whole = matches!(base.ty.base, Base::Int { .. });
    let what = format!("`{}`", base.name);
    let constant = match call.side(VALUE)? {
        Side::Constant(place, Literal::Number(by)) => {
            if by.is_negative() {
                let headline = format!("a penalty of {} would be a reward", by.exact());
                let fault = Fault::error(Code::CONSTANT_OUTSIDE, place, headline, "below 0");
                call.fault(fault.help("write it without the sign; to raise a score, use `floor(…)` or `+`"));
                return None;
            }
            if whole && !by.is_integer() {
                let headline = format!("{} is not a whole number, and {what} is {}", by.exact(), base.ty);
                let fault = Fault::error(Code::CONSTANT_OUTSIDE, place, headline, "not whole");
                call.fault(fault.help("write a whole number, or give the penalty to a score"));
                return None;
            }
            if by.is_zero() {
                let headline = "a penalty of 0 never acts";
                call.warn(Fault::warning(Code::NEVER_ACTS, place, headline, "never acts").help("drop the gate"));
            }
            Some(Value::Number(by.clone()))
        }
        Side::Constant(place, other) => {
            let ty = Type::score(Number::ZERO, Number::ONE);
            if let Err(fault) = value_in(&ty, other, place, "a penalty") {
                call.fault(*fault);
            }
            return None;
        }
        Side::Node(node) => {
            let interval = number(call, node)?;
            let (wrong, help) = if interval.lo.is_negative() {
                (format!("`{}` can be negative, and a penalty cannot", node.name), "cut it off at 0 with `clamp(…)`")
            } else if whole && !matches!(node.ty.base, Base::Int { .. }) {
                (format!("{what} is {}, and `{}` need not be whole", base.ty, node.name), "round it with `round(…)`")
            } else if node.ty.optional && !base.ty.optional {
                (format!("`{}` can be unknown", node.name), "settle it with `otherwise(…, value)`")
            } else {
                return finish(base, params, None);
            };
            call.fault(Fault::error(Code::INPUT_TYPE, node.place(), wrong, "no penalty").help(help));
            return None;
        }
    };
    finish(base, params, constant)
}

pub(super) fn replace(call: &mut Call<'_>) -> Option<Resolved> {
    let (base, params) = gate(call)?;
    let constant = own_value(call, base, true)?;
    finish(base, params, constant)
}
