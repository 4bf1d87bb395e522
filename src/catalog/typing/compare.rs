//! Comparisons: numbers with numbers, an ordinal or choice with its labels or its like, a bool with a bool.

use super::arithmetic::nothing_judged;
use super::call::{Call, Resolved, Side, Slot, symbol};
use super::interval::Interval;
use super::kinds::described;
use super::literal::{shown, value_in};
use super::{Fault, Literal, Place};
use crate::catalog::Op;
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Type, Value, quote_label};

pub(super) fn compare(call: &mut Call<'_>) -> Option<Resolved> {
    match (call.side(0)?, call.side(1)?) {
        (Side::Node(left), Side::Node(right)) => nodes(call, left, right),
        (Side::Node(node), Side::Constant(place, literal)) => with_constant(call, node, place, literal, false),
        (Side::Constant(place, literal), Side::Node(node)) => with_constant(call, node, place, literal, true),
        (Side::Constant(..), Side::Constant(..)) => {
            let fault = nothing_judged(call);
            call.fault(fault);
            None
        }
    }
}

fn is_order(op: Op) -> bool {
    matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual)
}

/// Whether a type can stand on a side of this comparison at all; reports where not.
fn comparable(call: &mut Call<'_>, slot: Slot<'_>) -> bool {
    let first = || slot.ty.labels().and_then(|l| l.first()).map(|l| quote_label(l)).unwrap_or_default();
    let (why, help) = match &slot.ty.base {
        Base::Set(_) => ("a set", format!("ask for a label: `has({}, {})`", slot.name, first())),
        Base::Tally { .. } => ("a tally", format!("compare a count: `count_of({}, {}) > 0`", slot.name, first())),
        Base::Bool if is_order(call.op) => ("a yes or no", format!("write `{0}` or `not {0}`", slot.name)),
        Base::Choice(_) if is_order(call.op) => (
            "a choice, whose labels have no order",
            format!("write `{} == {}`, or declare it as `ordinal(… < …)`", slot.name, first()),
        ),
        _ => return true,
    };
    let headline = format!("`{}` is {why}, and {} cannot compare it", slot.name, call.word());
    call.fault(Fault::error(Code::CANNOT_COMPARE, slot.place(), headline, "cannot be compared so").help(help));
    false
}

fn nodes(call: &mut Call<'_>, left: Slot<'_>, right: Slot<'_>) -> Option<Resolved> {
    let (a, b) = (comparable(call, left), comparable(call, right));
    if !a || !b {
        return None;
    }
    let numbers = [left, right].iter().all(|s| s.ty.is_number() || s.ty.base == Base::Real);
    if !numbers && left.ty.base != right.ty.base {
        let headline = format!(
            "`{}` is {}, and `{}` is {}: they have nothing in common",
            left.name,
            described(&left.ty.clone().known()),
            right.name,
            described(&right.ty.clone().known())
        );
        let fault = Fault::error(Code::CANNOT_COMPARE, Place::Whole, headline, "of two kinds");
        call.fault(fault.help("compare two numbers, or two judgments on the same scale; `normalize(…)` makes numbers of ordinals and bools"));
        return None;
    }
    if let (Some(a), Some(b)) = (extent(left.ty), extent(right.ty)) {
        warn_if_always(call, &format!("`{}` goes {}, `{}` {}", left.name, a.said, right.name, b.said), &a, &b);
    }
    Some(Resolved::of(Type::BOOL.with_optional(left.ty.optional || right.ty.optional)))
}

fn with_constant(
    call: &mut Call<'_>,
    node: Slot<'_>,
    place: Place,
    literal: &Literal,
    reversed: bool,
) -> Option<Resolved> {
    let port = usize::from(!reversed);
    if *literal == Literal::Unknown {
        let headline = format!("`{}` cannot be compared with `unknown`", node.name);
        let negated = if call.op == Op::NotEqual { "" } else { "not " };
        let fault = Fault::error(Code::CANNOT_COMPARE, place, headline, "not a value to compare with");
        call.fault(fault.help(format!("write `{negated}known({})`", node.name)));
        return None;
    }
    if !comparable(call, node) {
        return None;
    }
    let value = match (literal, &node.ty.base) {
        // Any number may be compared with any scale; one beyond its ends gets a warning.
        (Literal::Number(n), Base::Int { .. } | Base::Score { .. } | Base::Real) => Value::Number(n.clone()),
        (Literal::Number(_), Base::Bool) => {
            let headline = format!("`{}` is a yes or no, and {} is a number", node.name, shown(literal));
            let fault = Fault::error(Code::CONSTANT_KIND, place, headline, "not a yes or no");
            call.fault(fault.help(format!("write `{0}` or `not {0}`", node.name)));
            return None;
        }
        _ => match value_in(node.ty, literal, place, &format!("`{}`", node.name)) {
            Ok(value) => value,
            Err(fault) => {
                call.fault(*fault);
                return None;
            }
        },
    };
    if let Some(whole) = extent(node.ty) {
        let constant = match &value {
            Value::Number(n) => Some(n.clone()),
            Value::Label(rank) => Some(Number::int(i64::from(*rank))),
            _ => None,
        };
        if let Some(n) = constant {
            let point = Extent { interval: Interval::point(&n), whole: false, said: String::new() };
            let (a, b) = if reversed { (&point, &whole) } else { (&whole, &point) };
            let never = !n.is_integer() && whole.whole && matches!(call.op, Op::Equal | Op::NotEqual);
            if never {
                always(call, call.op == Op::NotEqual, &format!("`{}` is always whole", node.name));
            } else {
                warn_if_always(call, &format!("`{}` goes {}", node.name, whole.said), a, b);
            }
        }
    }
    let mut resolved = Resolved::of(Type::BOOL.with_optional(node.ty.optional));
    resolved.constants.push((port, value));
    Some(resolved)
}

/// From where to where a type goes, as numbers or ranks.
struct Extent {
    interval: Interval,
    whole: bool,
    said: String,
}

fn extent(ty: &Type) -> Option<Extent> {
    match &ty.base {
        Base::Int { lo, hi } | Base::Score { lo, hi } => Some(Extent {
            interval: Interval::new(lo.clone(), hi.clone()),
            whole: matches!(ty.base, Base::Int { .. }),
            said: format!("from {lo} to {hi}"),
        }),
        Base::Ordinal(labels) => Some(Extent {
            interval: Interval::new(Number::ZERO, &Number::from(labels.len()) - &Number::ONE),
            whole: true,
            said: match (labels.first(), labels.last()) {
                (Some(a), Some(b)) => format!("from {} to {}", quote_label(a), quote_label(b)),
                _ => String::new(),
            },
        }),
        _ => None,
    }
}

/// The lint on a comparison whose answer does not depend on any judgment.
fn warn_if_always(call: &mut Call<'_>, why: &str, a: &Extent, b: &Extent) {
    let (a, b) = (&a.interval, &b.interval);
    let apart = a.hi < b.lo || b.hi < a.lo;
    let same = a.is_point() && a == b;
    let answer = match call.op {
        Op::Less if a.hi < b.lo => true,
        Op::Less if a.lo >= b.hi => false,
        Op::LessEqual if a.hi <= b.lo => true,
        Op::LessEqual if a.lo > b.hi => false,
        Op::Greater if a.lo > b.hi => true,
        Op::Greater if a.hi <= b.lo => false,
        Op::GreaterEqual if a.lo >= b.hi => true,
        Op::GreaterEqual if a.hi < b.lo => false,
        Op::Equal if apart => false,
        Op::Equal if same => true,
        Op::NotEqual if apart => true,
        Op::NotEqual if same => false,
        _ => return,
    };
    always(call, answer, why);
}

fn always(call: &mut Call<'_>, answer: bool, why: &str) {
    let says = if answer { "always holds" } else { "never holds" };
    let headline = format!("this comparison {says}: {why}");
    let fault = Fault::warning(Code::ALWAYS_SAME, Place::Whole, headline, says);
    let op = symbol(call.op);
    call.warn(fault.help(format!("check the number beside `{op}`, or drop the comparison")));
}
