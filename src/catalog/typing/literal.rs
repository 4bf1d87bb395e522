//! Constants: from a literal as written to a value of the type that its place asks for.

use super::{Fault, Literal, Place};
use crate::diagnostics::{Code, did_you_mean};
use crate::types::{Base, Type, Value, quote_label};

/// A literal as a message shows it.
pub(super) fn shown(literal: &Literal) -> String {
    match literal {
        Literal::Bool(b) => format!("`{b}`"),
        Literal::Number(n) => n.exact(),
        Literal::Label(l) => format!("`{}`", quote_label(l)),
        Literal::Unknown => "`unknown`".to_owned(),
    }
}

/// The value of a literal in a type; `what` says what the type is of, for messages ("`quality`", "the result").
pub(super) fn value_in(ty: &Type, literal: &Literal, place: Place, what: &str) -> Result<Value, Box<Fault>> {
    let value = match (literal, &ty.base) {
        (Literal::Unknown, _) => Value::Unknown,
        (Literal::Bool(b), Base::Bool) => Value::Bool(*b),
        (Literal::Number(n), Base::Int { .. } | Base::Score { .. } | Base::Real) => Value::Number(n.clone()),
        (Literal::Label(label), Base::Ordinal(_) | Base::Choice(_)) => match ty.rank(label) {
            Some(rank) => Value::Label(rank),
            None => return Err(Box::new(no_such_label(ty, label, place, what))),
        },
        _ => return Err(Box::new(wrong_kind(ty, literal, place, what))),
    };
    if ty.holds(&value) { Ok(value) } else { Err(Box::new(outside(ty, literal, place, what))) }
}

fn wrong_kind(ty: &Type, literal: &Literal, place: Place, what: &str) -> Fault {
    let found = shown(literal);
    let help = match (&ty.base, literal) {
        (Base::Bool, Literal::Number(_)) => "write `true` or `false`".to_owned(),
        (Base::Ordinal(labels) | Base::Choice(labels), _) => {
            format!("write one of its labels: {}", labels.iter().map(|l| quote_label(l)).collect::<Vec<_>>().join(", "))
        }
        (Base::Int { lo, hi } | Base::Score { lo, hi }, Literal::Label(_)) => {
            format!("write a number from {lo} to {hi}; there is no node of that name either")
        }
        (Base::Int { lo, hi } | Base::Score { lo, hi }, _) => format!("write a number from {lo} to {hi}"),
        (Base::Set(_) | Base::Tally { .. }, _) => "a set or a tally has no constants; name a node".to_owned(),
        _ => format!("write a value of {ty}"),
    };
    let headline = format!("{found} is not a value of {what}, which is {ty}");
    Fault::error(Code::CONSTANT_KIND, place, headline, "of another kind").help(help)
}

fn outside(ty: &Type, literal: &Literal, place: Place, what: &str) -> Fault {
    if *literal == Literal::Unknown {
        let headline = format!("`unknown` is not a value of {what}, which is {ty}");
        return Fault::error(Code::CONSTANT_OUTSIDE, place, headline, "never unknown")
            .help(format!("a type with `?` holds unknown: {ty}?"));
    }
    let found = shown(literal);
    match (ty.interval(), literal) {
        (Some((lo, hi)), Literal::Number(n)) if lo <= n && n <= hi => {
            let headline = format!("{found} is not a whole number, and {what} is {ty}");
            Fault::error(Code::CONSTANT_OUTSIDE, place, headline, "not whole").help("write a whole number")
        }
        (Some((lo, hi)), _) => {
            let headline = format!("{found} lies outside of {what}, which goes from {lo} to {hi}");
            Fault::error(Code::CONSTANT_OUTSIDE, place, headline, format!("not from {lo} to {hi}"))
                .help(format!("write a number from {lo} to {hi}"))
        }
        _ => {
            let headline = format!("{found} is not a value of {what}, which is {ty}");
            Fault::error(Code::CONSTANT_OUTSIDE, place, headline, "outside")
        }
    }
}

/// The fault of a label that a type does not have.
pub(super) fn no_such_label(ty: &Type, label: &str, place: Place, what: &str) -> Fault {
    let headline = format!("`{}` is not a label of {what}", quote_label(label));
    let labels = ty.labels().map_or(&[][..], |l| l);
    let help = match did_you_mean(label, labels.iter().map(AsRef::as_ref)) {
        Some(near) => format!("did you mean `{}`?", quote_label(near)),
        None => format!("its labels are {}", labels.iter().map(|l| quote_label(l)).collect::<Vec<_>>().join(", ")),
    };
    Fault::error(Code::LABEL_UNKNOWN, place, headline, "no such label").help(help)
}
