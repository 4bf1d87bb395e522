//! TRANSFORM without a table: `normalize rescale clamp invert round quantize has size count_of known otherwise`.

use super::call::{Call, Resolved, Side, Slot};
use super::interval::Interval;
use super::kinds::{bad_param, number, numeric, wrong_type};
use super::literal::{no_such_label, shown, value_in};
use super::{Fault, Literal, Place};
use crate::catalog::{Op, Params};
use crate::diagnostics::Code;
use crate::number::{Number, Rounding};
use crate::types::{Base, Type, quote_label};

const X: usize = 0;

pub(super) fn normalize(call: &mut Call<'_>) -> Option<Resolved> {
    let x = call.one(X)?;
    match &x.ty.base {
        Base::Bool | Base::Ordinal(_) => {}
        _ => {
            let interval = number(call, x)?;
            refuse_point(call, x, &interval)?;
        }
    }
    Some(Resolved::of(Type::UNIT.with_optional(x.ty.optional)))
}

/// A scale of a single number cannot be stretched.
fn refuse_point(call: &mut Call<'_>, x: Slot<'_>, interval: &Interval) -> Option<()> {
    if !interval.is_point() {
        return Some(());
    }
    let headline = format!("`{}` is always {}, so {} has nothing to stretch", x.name, interval.lo, call.word());
    let fault = Fault::error(Code::INPUT_TYPE, x.place(), headline, "a scale of a single number");
    call.fault(fault.help("use the number itself"));
    None
}

/// The parameter `to` as an interval, and whether it is an int; reports where it is absent or no plain number type.
fn target(call: &mut Call<'_>) -> Option<(Interval, bool)> {
    let Some(to) = &call.params.to else {
        call.require_param("to");
        return None;
    };
    if to.optional {
        let plain = to.clone().known();
        let headline = format!("`to: {to}` has a `?`");
        bad_param(call, "to", headline, format!("write `to: {plain}`; unknown passes through by itself"));
        return None;
    }
    let whole = matches!(to.base, Base::Int { .. });
    match to.interval() {
        Some((lo, hi)) => Some((Interval::new(lo.clone(), hi.clone()), whole)),
        None => {
            let headline = format!("{} needs a number type, and `to` is {to}", call.word());
            bad_param(call, "to", headline, "write for example `to: score[0..1]`");
            None
        }
    }
}

fn with_to(call: &Call<'_>, x: Slot<'_>, mode: Option<Rounding>) -> Option<Resolved> {
    let to = call.params.to.clone()?;
    let params = Params { to: Some(to.clone()), mode, ..Params::default() };
    Some(Resolved::with(to.with_optional(x.ty.optional), params))
}

pub(super) fn rescale(call: &mut Call<'_>) -> Option<Resolved> {
    let target = target(call);
    let x = call.one(X)?;
    let interval = number(call, x)?;
    refuse_point(call, x, &interval)?;
    let (to, whole) = target?;
    if whole {
        // Whole numbers stay whole iff the ratio of the lengths is whole.
        let ratio = (&to.hi - &to.lo).checked_div(&(&interval.hi - &interval.lo))?;
        if !ratio.is_integer() || !matches!(x.ty.base, Base::Int { .. }) {
            let headline = format!("rescaling `{}` from {} does not always give whole numbers", x.name, x.ty);
            let help =
                format!("write `to: score[{}..{}]`, or use `quantize` to round as well", to.lo.exact(), to.hi.exact());
            bad_param(call, "to", headline, help);
            return None;
        }
    }
    with_to(call, x, None)
}

pub(super) fn clamp(call: &mut Call<'_>) -> Option<Resolved> {
    let target = target(call);
    let x = call.one(X)?;
    let interval = if x.ty.base == Base::Real { None } else { Some(number(call, x)?) };
    let (to, whole) = target?;
    if whole && !matches!(x.ty.base, Base::Int { .. }) {
        let headline = format!("`{}` need not be a whole number, and `to` is an int", x.name);
        let help = format!("write `to: score[{}..{}]`, or use `quantize` or `round`", to.lo.exact(), to.hi.exact());
        bad_param(call, "to", headline, help);
        return None;
    }
    if let Some(x_interval) = interval
        && (x_interval.hi < to.lo || to.hi < x_interval.lo)
    {
        let always = if x_interval.hi < to.lo { &to.lo } else { &to.hi };
        let headline = format!(
            "`{}` goes from {} to {}, so this clamp always gives {always}",
            x.name, x_interval.lo, x_interval.hi
        );
        let fault = Fault::warning(Code::ALWAYS_SAME, Place::Param("to"), headline, "the scales do not meet");
        call.warn(fault.help("use `rescale` to move from one scale to another"));
    }
    with_to(call, x, None)
}

pub(super) fn invert(call: &mut Call<'_>) -> Option<Resolved> {
    let x = call.one(X)?;
    if matches!(x.ty.base, Base::Ordinal(_)) {
        let help = format!("write `invert(normalize({}))`", x.name);
        wrong_type(call, x, "numbers", help);
        return None;
    }
    number(call, x)?;
    Some(Resolved::of(x.ty.clone()))
}

pub(super) fn round(call: &mut Call<'_>) -> Option<Resolved> {
    let step = call.params.step.clone().unwrap_or(Number::ONE);
    let mode = call.params.mode.unwrap_or_default();
    if !step.is_positive() {
        bad_param(call, "step", format!("a step of {} does not go anywhere", step.exact()), "write a step above 0");
    }
    let x = call.one(X)?;
    let interval = number(call, x)?;
    if !step.is_positive() {
        return None;
    }
    let ends = Interval::new(interval.lo.round_step(&step, mode), interval.hi.round_step(&step, mode));
    let ty = numeric(ends, step.is_integer()).with_optional(x.ty.optional);
    let params = Params { step: Some(step), mode: Some(mode), ..Params::default() };
    Some(Resolved::with(ty, params))
}

pub(super) fn quantize(call: &mut Call<'_>) -> Option<Resolved> {
    let target = target(call);
    let x = call.one(X)?;
    let interval = number(call, x)?;
    refuse_point(call, x, &interval)?;
    let (to, whole) = target?;
    if !whole {
        let headline = format!("{} rounds to whole numbers, and `to` is {}", call.word(), shown_to(call));
        let help = match to.lo.is_integer() && to.hi.is_integer() {
            true => format!("write `to: int[{}..{}]`, or use `rescale`, which does not round", to.lo, to.hi),
            false => "write for example `to: int[1..5]`, or use `rescale`, which does not round".to_owned(),
        };
        bad_param(call, "to", headline, help);
        return None;
    }
    with_to(call, x, Some(call.params.mode.unwrap_or_default()))
}

fn shown_to(call: &Call<'_>) -> String {
    call.params.to.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// `has`, `count_of`.
pub(super) fn labelled(call: &mut Call<'_>) -> Option<Resolved> {
    if call.params.label.is_none() {
        call.require_param("label");
    }
    let x = call.one(X)?;
    let base = match (&x.ty.base, call.op) {
        (Base::Set(_) | Base::Tally { .. }, Op::Has) => Base::Bool,
        (Base::Tally { max, .. }, _) => Base::Int { lo: Number::ZERO, hi: Number::int(i64::from(*max)) },
        (Base::Set(_), _) => {
            let help = format!("a label is in a set or not: write `has({}, …)`", x.name);
            wrong_type(call, x, "a tally", help);
            return None;
        }
        (Base::Choice(labels) | Base::Ordinal(labels), _) => {
            let first = labels.first().map(|l| quote_label(l)).unwrap_or_default();
            let help = format!("compare it: `{} == {first}`", x.name);
            wrong_type(call, x, "a set or a tally", help);
            return None;
        }
        _ => {
            wrong_type(call, x, "a set or a tally", "name a criterion of type `set(…)` or `tally(…) max n`");
            return None;
        }
    };
    let place = Place::Param("label");
    let what = format!("`{}`", x.name);
    let label = match call.params.label.as_ref()? {
        Literal::Label(label) => match x.ty.rank(label) {
            Some(rank) => rank,
            None => {
                let fault = no_such_label(x.ty, label, place, &what);
                call.fault(fault);
                return None;
            }
        },
        other => {
            let headline = format!("{} is not a label of {what}", shown(other));
            let labels = x.ty.labels().map_or(&[][..], |l| l);
            let list = labels.iter().map(|l| quote_label(l)).collect::<Vec<_>>().join(", ");
            let fault = Fault::error(Code::CONSTANT_KIND, place, headline, "not a label");
            call.fault(fault.help(format!("its labels are {list}")));
            return None;
        }
    };
    let params = Params { label: Some(label), ..Params::default() };
    Some(Resolved::with(Type::of(base).with_optional(x.ty.optional), params))
}

pub(super) fn size(call: &mut Call<'_>) -> Option<Resolved> {
    let x = call.one(X)?;
    let hi = match &x.ty.base {
        Base::Set(labels) => Number::from(labels.len()),
        Base::Tally { labels, max } => &Number::from(labels.len()) * &Number::int(i64::from(*max)),
        _ => {
            wrong_type(call, x, "a set or a tally", "to count yes or no judgments, use `count(…)`");
            return None;
        }
    };
    Some(Resolved::of(Type::of(Base::Int { lo: Number::ZERO, hi }).with_optional(x.ty.optional)))
}

pub(super) fn known(call: &mut Call<'_>) -> Option<Resolved> {
    let x = call.one(X)?;
    if !x.ty.optional {
        let headline = format!("`{}` is never unknown, so this is always true", x.name);
        let fault = Fault::warning(Code::ALWAYS_SAME, x.place(), headline, "never unknown");
        call.warn(fault.help("drop it, or add `?` to the criterion's type"));
    }
    Some(Resolved::of(Type::BOOL))
}

pub(super) fn otherwise(call: &mut Call<'_>) -> Option<Resolved> {
    let side = call.side(1);
    let x = call.one(X)?;
    if !x.ty.optional {
        let headline = format!("`{}` is never unknown, so `otherwise` never acts", x.name);
        let fault = Fault::warning(Code::NEVER_ACTS, x.place(), headline, "never unknown");
        call.warn(fault.help("drop `otherwise`, or add `?` to the criterion's type"));
    }
    let ty = x.ty.clone().known();
    let mut resolved = Resolved::of(ty.clone());
    match side? {
        Side::Constant(place, literal) => match value_in(&ty, literal, place, &format!("`{}`", x.name)) {
            Ok(value) => resolved.constants.push((1, value)),
            Err(fault) => {
                call.fault(*fault);
                return None;
            }
        },
        Side::Node(v) => {
            if !v.ty.routes_into(&ty) {
                let headline =
                    format!("`{}` is {}, and what stands for an unknown `{}` must be {ty}", v.name, v.ty, x.name);
                let help = match v.ty.optional {
                    true => format!("settle `{}` too: `otherwise({}, …)`", v.name, v.name),
                    false => format!("name a node of type {ty}, or write a constant"),
                };
                call.fault(Fault::error(Code::INPUT_TYPE, v.place(), headline, "of another type").help(help));
                return None;
            }
        }
    }
    Some(resolved)
}
