//! `+ - * /`: interval arithmetic over two sides.

use super::call::{Call, Resolved, Side, symbol};
use super::interval::Interval;
use super::kinds::{number, numeric};
use super::literal::shown;
use super::{Fault, Literal};
use crate::catalog::Op;
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Value};

/// A side as an interval, whether it is whole, and whether it can be unknown.
struct Term {
    interval: Interval,
    whole: bool,
    optional: bool,
    constant: Option<Value>,
}

fn term(call: &mut Call<'_>, port: usize) -> Option<Term> {
    match call.side(port)? {
        Side::Node(slot) => Some(Term {
            interval: number(call, slot)?,
            whole: matches!(slot.ty.base, Base::Int { .. }),
            optional: slot.ty.optional,
            constant: None,
        }),
        Side::Constant(_, Literal::Number(n)) => Some(Term {
            interval: Interval::point(n),
            whole: n.is_integer(),
            optional: false,
            constant: Some(Value::Number(n.clone())),
        }),
        Side::Constant(place, other) => {
            let headline = format!("{} works on numbers, and {} is none", call.word(), shown(other));
            let fault = Fault::error(Code::CONSTANT_KIND, place, headline, "not a number");
            call.fault(fault.help("write a number or the name of a node"));
            None
        }
    }
}

pub(super) fn binary(call: &mut Call<'_>) -> Option<Resolved> {
    let (left, right) = (term(call, 0), term(call, 1));
    let (left, right) = (left?, right?);
    if left.constant.is_some() && right.constant.is_some() {
        let fault = nothing_judged(call);
        call.fault(fault);
        return None;
    }
    let interval = match call.op {
        Op::Add => left.interval.plus(&right.interval),
        Op::Subtract => left.interval.minus(&right.interval),
        Op::Multiply => left.interval.times(&right.interval),
        _ => match left.interval.over(&right.interval) {
            Some(interval) => interval,
            None => {
                let fault = by_zero(call, &right);
                call.fault(fault);
                return None;
            }
        },
    };
    let whole = call.op != Op::Divide && left.whole && right.whole;
    let mut resolved = Resolved::of(numeric(interval, whole).with_optional(left.optional || right.optional));
    for (port, side) in [(0, left), (1, right)] {
        if let Some(value) = side.constant {
            resolved.constants.push((port, value));
        }
    }
    Some(resolved)
}

/// The fault of an expression over constants alone.
pub(super) fn nothing_judged(call: &Call<'_>) -> Fault {
    let headline = format!("both sides of `{}` are constants, so nothing is judged here", symbol(call.op));
    Fault::error(Code::NOTHING_JUDGED, super::Place::Whole, headline, "only constants")
        .help("write the result itself, or name a node on one side")
}

fn by_zero(call: &Call<'_>, right: &Term) -> Fault {
    let place = super::Place::Slot(1, 0);
    let name = match call.side(1) {
        Some(Side::Node(slot)) => format!("`{}`", slot.name),
        _ => "the divisor".to_owned(),
    };
    if right.constant.is_some() {
        return Fault::error(Code::DIVISOR_ZERO, place, "nothing can be divided by 0", "is 0")
            .help("divide by another number");
    }
    let Interval { lo, hi } = &right.interval;
    let headline = format!("{name} goes from {lo} to {hi}, so it can be 0, and nothing can be divided by 0");
    let mut fault = Fault::error(Code::DIVISOR_ZERO, place, headline, "can be 0");
    if hi.is_positive() {
        fault = fault.help(format!(
            "keep it away from 0, for example with `clamp(…, to: score[{}..{}])`",
            low_example(hi),
            hi.exact()
        ));
    }
    fault
}

/// A small number above 0 and below `hi`.
fn low_example(hi: &Number) -> String {
    if hi > &Number::ONE { "1".to_owned() } else { hi.checked_div(&Number::int(10)).unwrap_or_default().exact() }
}
