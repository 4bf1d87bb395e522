//! Conditions: `and or not`, `if`, `decide`.

use super::call::{Call, Resolved, Side, Slot};
use super::interval::Interval;
use super::kinds::{condition, described, numeric};
use super::literal::value_in;
use super::tables::labels_without_type;
use super::{Fault, Literal, Place, WrittenKey};
use crate::catalog::Params;
use crate::diagnostics::Code;
use crate::types::{Base, Type, Value};

/// `and or not`
pub(super) fn connective(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(0);
    let mut sound = true;
    for slot in &slots {
        sound &= condition(call, *slot);
    }
    let optional = slots.iter().any(|s| s.ty.optional);
    sound.then(|| Resolved::of(Type::BOOL.with_optional(optional)))
}

const THEN: usize = 1;
const ELSE: usize = 2;

pub(super) fn if_else(call: &mut Call<'_>) -> Option<Resolved> {
    let test = call.one(0);
    let sound = test.is_some_and(|test| condition(call, test));
    let (then, otherwise) = (call.side(THEN)?, call.side(ELSE)?);
    let base = match (then, otherwise) {
        (Side::Node(a), Side::Node(b)) => of_nodes(call, a, b)?,
        (Side::Node(node), Side::Constant(place, literal)) | (Side::Constant(place, literal), Side::Node(node)) => {
            of_node_and_constant(call, node, place, literal)?
        }
        (Side::Constant(p, a), Side::Constant(q, b)) => of_constants(call, (p, a), (q, b))?,
    };
    if !sound {
        return None;
    }
    let branch_unknown = [then, otherwise].iter().any(|side| match side {
        Side::Node(slot) => slot.ty.optional,
        Side::Constant(_, literal) => **literal == Literal::Unknown,
    });
    let optional = branch_unknown || test.is_some_and(|t| t.ty.optional);
    let mut resolved = Resolved::of(Type::of(base).with_optional(optional));
    let holder = resolved.ty.clone().optional();
    for (port, side) in [(THEN, then), (ELSE, otherwise)] {
        if let Side::Constant(place, literal) = side {
            match value_in(&holder, literal, place, "the result") {
                Ok(value) => resolved.constants.push((port, value)),
                Err(fault) => {
                    call.fault(*fault);
                    return None;
                }
            }
        }
    }
    Some(resolved)
}

fn span(ty: &Type) -> Option<Interval> {
    ty.interval().map(|(lo, hi)| Interval::new(lo.clone(), hi.clone()))
}

fn is_int(ty: &Type) -> bool {
    matches!(ty.base, Base::Int { .. })
}

fn of_nodes(call: &mut Call<'_>, a: Slot<'_>, b: Slot<'_>) -> Option<Base> {
    if let (Some(x), Some(y)) = (span(a.ty), span(b.ty)) {
        return Some(numeric(x.hull(&y), is_int(a.ty) && is_int(b.ty)).base);
    }
    if a.ty.base == b.ty.base {
        return Some(a.ty.base.clone());
    }
    let headline = format!(
        "the branches do not fit together: `{}` is {}, `{}` is {}",
        a.name,
        described(&a.ty.clone().known()),
        b.name,
        described(&b.ty.clone().known())
    );
    let fault = Fault::error(Code::BRANCHES_DIFFER, b.place(), headline, "of another type");
    call.fault(fault.help("give both branches one scale; `normalize(…)` makes numbers of ordinals and bools"));
    None
}

fn of_node_and_constant(call: &mut Call<'_>, node: Slot<'_>, place: Place, literal: &Literal) -> Option<Base> {
    match (literal, span(node.ty)) {
        (Literal::Number(n), Some(interval)) => Some(numeric(interval.with(n), is_int(node.ty) && n.is_integer()).base),
        _ => {
            // `unknown` is a value of every branch: the result gains `?`.
            let ty = node.ty.clone().optional();
            match value_in(&ty, literal, place, &format!("the other branch, `{}`", node.name)) {
                Ok(_) => Some(node.ty.base.clone()),
                Err(mut fault) => {
                    if fault.code == Code::CONSTANT_KIND {
                        fault.code = Code::BRANCHES_DIFFER;
                    }
                    call.fault(*fault);
                    None
                }
            }
        }
    }
}

fn of_constants(call: &mut Call<'_>, a: (Place, &Literal), b: (Place, &Literal)) -> Option<Base> {
    match (a.1, b.1) {
        (Literal::Number(x), Literal::Number(y)) => {
            Some(numeric(Interval::point(x).with(y), x.is_integer() && y.is_integer()).base)
        }
        (Literal::Number(x), Literal::Unknown) | (Literal::Unknown, Literal::Number(x)) => {
            Some(numeric(Interval::point(x), x.is_integer()).base)
        }
        (Literal::Bool(_), Literal::Bool(_) | Literal::Unknown) | (Literal::Unknown, Literal::Bool(_)) => {
            Some(Base::Bool)
        }
        (Literal::Label(_), Literal::Label(_) | Literal::Unknown) | (Literal::Unknown, Literal::Label(_)) => {
            match call.written {
                Some(ty) => Some(ty.base.clone()),
                None => {
                    let (place, literal) = if matches!(a.1, Literal::Label(_)) { a } else { b };
                    call.fault(labels_without_type(literal, place));
                    None
                }
            }
        }
        (Literal::Unknown, Literal::Unknown) => {
            let fault = Fault::error(Code::NOTHING_JUDGED, Place::Whole, "both branches are unknown", "never known");
            call.fault(fault.help("give one branch a value"));
            None
        }
        (x, y) => {
            let headline = format!(
                "the branches do not fit together: {} and {}",
                super::literal::shown(x),
                super::literal::shown(y)
            );
            let fault = Fault::error(Code::BRANCHES_DIFFER, b.0, headline, "of another kind");
            call.fault(fault.help("give both branches a number, both a bool, or both a label of one scale"));
            None
        }
    }
}

pub(super) fn decide(call: &mut Call<'_>) -> Option<Resolved> {
    let slots = call.nodes(0);
    let mut sound = true;
    for slot in &slots {
        sound &= condition(call, *slot);
    }
    let arms = call.table()?;
    let last = arms.len().checked_sub(1);
    match arms.iter().position(|arm| arm.key == WrittenKey::Rest) {
        None => {
            let headline = "`decide` says nothing where no condition holds";
            let fault = Fault::error(Code::TABLE_GAP, Place::Whole, headline, "no `rest`");
            call.fault(fault.help("add `rest => label` as the last row"));
            sound = false;
        }
        Some(at) if Some(at) != last => {
            let fault =
                Fault::error(Code::TABLE_ORDER, Place::ArmKey(at), "`rest` is not the last row", "rows follow it");
            call.fault(fault.help("put `rest` last, and only once"));
            sound = false;
        }
        Some(_) => {}
    }
    for (at, arm) in arms.iter().enumerate() {
        if matches!(arm.key, WrittenKey::Below(_) | WrittenKey::Literal(_)) {
            let headline = "a row of `decide` begins with a condition";
            let fault = Fault::error(Code::TABLE_KEY, Place::ArmKey(at), headline, "not a condition");
            call.fault(fault.help("write `CONDITION => label`"));
            sound = false;
        }
    }
    let Some(written) = call.written.filter(|t| matches!(t.base, Base::Ordinal(_) | Base::Choice(_))) else {
        let (place, headline) = match call.written {
            Some(other) => (Place::WrittenType, format!("`decide` gives labels, and the written type is {other}")),
            None => (Place::Whole, "nothing says which scale the labels of `decide` belong to".to_owned()),
        };
        let fault = Fault::error(Code::LABELS_WITHOUT_TYPE, place, headline, "labels of no scale");
        call.fault(fault.help(
            "write an ordinal or choice behind the name: `NAME: ordinal(low < high) = decide { … }`; for numbers use `if … then … else …`",
        ));
        return None;
    };
    // A label first: `?` is what the conditions and an `unknown` row make of it.
    let holder = written.clone().optional();
    let mut results = Vec::with_capacity(arms.len());
    for (at, arm) in arms.iter().enumerate() {
        match value_in(&holder, &arm.value, Place::ArmValue(at), "the written type") {
            Ok(value) => results.push(value),
            Err(fault) => {
                call.fault(*fault);
                sound = false;
            }
        }
    }
    let optional = slots.iter().any(|s| s.ty.optional) || results.iter().any(Value::is_unknown);
    let ty = Type::of(written.base.clone()).with_optional(optional);
    sound.then(|| Resolved::with(ty, Params { results, ..Params::default() }))
}
