//! TRANSFORM with a table: `map bands piecewise`.

use super::call::{Call, Resolved, Slot};
use super::interval::Interval;
use super::kinds::{number, numeric, wrong_type};
use super::literal::{shown, value_in};
use super::{Fault, Literal, Place, WrittenArm, WrittenKey};
use crate::catalog::{Band, MapArm, Params};
use crate::diagnostics::Code;
use crate::number::Number;
use crate::types::{Base, Type, Value, quote_label};
use foldhash::HashSet;
use std::sync::Arc;

const X: usize = 0;

/// Most values that a message lists.
const MOST_LISTED: usize = 5;

pub(super) fn map(call: &mut Call<'_>) -> Option<Resolved> {
    let arms = call.table();
    let x = call.one(X)?;
    match &x.ty.base {
        Base::Bool | Base::Int { .. } | Base::Ordinal(_) | Base::Choice(_) => {}
        Base::Score { .. } => {
            wrong_type(call, x, "values that can be listed", "use `bands(…)` or `piecewise(…)` for a score");
            return None;
        }
        _ => {
            wrong_type(call, x, "a bool, int, ordinal or choice", "use `has`, `count_of` or `size` for its labels");
            return None;
        }
    }
    let arms = arms?;
    let before = call.faults.len();
    let keys = map_keys(call, x, arms);
    let results = results(call, arms);
    if call.faults.len() > before {
        return None;
    }
    let (values, base) = results?;
    let mut params = Params::default();
    let mut unknown_settled = false;
    for (key, value) in keys.into_iter().zip(values) {
        match key {
            Some(key) => {
                unknown_settled |= key == Value::Unknown;
                params.arms.push(MapArm { key, value });
            }
            None => params.rest = Some(value),
        }
    }
    let gives_unknown = params.arms.iter().map(|a| &a.value).chain(params.rest.as_ref()).any(Value::is_unknown);
    let ty = Type::of(base).with_optional(gives_unknown || (x.ty.optional && !unknown_settled));
    Some(Resolved::with(ty, params))
}

/// The keys of a map's rows, `None` for `rest`; reports what cannot match, comes twice, or is not covered.
fn map_keys(call: &mut Call<'_>, x: Slot<'_>, arms: &[WrittenArm]) -> Vec<Option<Value>> {
    let mut keys = Vec::with_capacity(arms.len());
    let mut seen: HashSet<Value> = HashSet::default();
    let mut rest = None;
    let what = format!("`{}`", x.name);
    let mut sound = true;
    for (at, arm) in arms.iter().enumerate() {
        let place = Place::ArmKey(at);
        match &arm.key {
            WrittenKey::Rest => {
                if rest.replace(at).is_some() {
                    call.fault(
                        Fault::error(Code::TABLE_TWICE, place, "`rest` stands twice", "a second `rest`")
                            .help("drop one"),
                    );
                } else if at + 1 != arms.len() {
                    let fault = Fault::error(Code::TABLE_ORDER, place, "`rest` is not the last row", "rows follow it");
                    call.fault(fault.help("put `rest` last"));
                }
                keys.push(None);
            }
            WrittenKey::Literal(literal) => match value_in(x.ty, literal, place, &what) {
                Ok(value) => {
                    if !seen.insert(value.clone()) {
                        let headline = format!("{} has two rows", shown(literal));
                        call.fault(Fault::error(Code::TABLE_TWICE, place, headline, "a second row").help("drop one"));
                    }
                    keys.push(Some(value));
                }
                Err(mut fault) => {
                    if !matches!(fault.code, Code::LABEL_UNKNOWN) {
                        fault.code = Code::TABLE_KEY;
                    }
                    call.fault(*fault);
                    sound = false;
                    keys.push(None);
                }
            },
            WrittenKey::Below(_) | WrittenKey::Condition => {
                let fault = Fault::error(Code::TABLE_KEY, place, "a row of `map` begins with a value", "not a value");
                call.fault(fault.help("write `value => result`; for ranges of a number use `bands`"));
                sound = false;
                keys.push(None);
            }
        }
    }
    if sound {
        check_cover(call, x, &seen, rest);
    }
    keys
}

fn check_cover(call: &mut Call<'_>, x: Slot<'_>, seen: &HashSet<Value>, rest: Option<usize>) {
    let known = seen.iter().filter(|v| !v.is_unknown()).count();
    let complete = match size_of(x.ty) {
        Some(size) => size == Number::from(known),
        None => false,
    };
    match (complete, rest) {
        (true, Some(at)) => {
            let headline = format!("every value of `{}` has a row, so `rest` is never used", x.name);
            let fault = Fault::warning(Code::NEVER_ACTS, Place::ArmKey(at), headline, "never used");
            call.warn(fault.help(if x.ty.optional {
                "drop it; for unknown write `unknown => …`"
            } else {
                "drop it"
            }));
        }
        (false, None) => {
            let missing: Vec<String> =
                values_of(x.ty).filter(|v| !seen.contains(v)).take(MOST_LISTED + 1).map(|v| v.text(x.ty)).collect();
            let more = if missing.len() > MOST_LISTED { ", …" } else { "" };
            let list: Vec<_> = missing.iter().take(MOST_LISTED).map(|v| format!("`{v}`")).collect();
            let headline = format!("`map` says nothing about {}{more}", list.join(", "));
            let fault = Fault::error(Code::TABLE_GAP, Place::Whole, headline, "not every value has a row");
            call.fault(fault.help("add the rows, or `rest => …` for all others"));
        }
        _ => {}
    }
}

/// How many known values a type has, where it is finite.
fn size_of(ty: &Type) -> Option<Number> {
    match &ty.base {
        Base::Bool => Some(Number::int(2)),
        Base::Int { lo, hi } => Some(&(hi - lo) + &Number::ONE),
        Base::Ordinal(labels) | Base::Choice(labels) => Some(Number::from(labels.len())),
        _ => None,
    }
}

/// The known values of a finite type in order, one after the other.
fn values_of(ty: &Type) -> Box<dyn Iterator<Item = Value> + '_> {
    match &ty.base {
        Base::Bool => Box::new([Value::Bool(false), Value::Bool(true)].into_iter()),
        Base::Int { lo, hi } => {
            let from = std::iter::successors(Some(lo.clone()), |n| Some(n + &Number::ONE));
            Box::new(from.take_while(move |n| n <= hi).map(Value::Number))
        }
        Base::Ordinal(labels) | Base::Choice(labels) => {
            let count = u32::try_from(labels.len()).unwrap_or(u32::MAX);
            Box::new((0..count).map(Value::Label))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// The results of a map's rows as values, and the base of their type.
fn results(call: &mut Call<'_>, arms: &[WrittenArm]) -> Option<(Vec<Value>, Base)> {
    let known: Vec<(usize, &Literal)> =
        arms.iter().enumerate().map(|(at, arm)| (at, &arm.value)).filter(|(_, v)| **v != Literal::Unknown).collect();
    let Some((_, first)) = known.first() else {
        if !call.clouded {
            let fault =
                Fault::error(Code::TABLE_VALUES, Place::Whole, "every row gives `unknown`", "nothing is ever known");
            call.fault(fault.help("give at least one row a result"));
        }
        return None;
    };
    let base = match first {
        Literal::Number(_) => {
            let mut numbers = known.iter().filter_map(|(_, v)| number_of(v));
            let span = numbers.next().map(Interval::point)?;
            let span = numbers.fold(span, Interval::with);
            let whole = known.iter().all(|(_, v)| number_of(v).is_some_and(Number::is_integer));
            numeric(span, whole).base
        }
        Literal::Bool(_) => Base::Bool,
        Literal::Label(_) => match call.written {
            Some(Type { base: base @ (Base::Ordinal(_) | Base::Choice(_)), .. }) => base.clone(),
            Some(_) => {
                let (at, literal) = *known.first()?;
                let written = call.written?;
                if let Err(fault) = value_in(written, literal, Place::ArmValue(at), "the result") {
                    call.fault(*fault);
                }
                return None;
            }
            None => {
                let fault = labels_without_type(first, Place::ArmValue(known.first()?.0));
                call.fault(fault);
                return None;
            }
        },
        Literal::Unknown => return None,
    };
    let ty = Type::of(base.clone()).optional();
    let mut values = Vec::with_capacity(arms.len());
    for (at, arm) in arms.iter().enumerate() {
        match value_in(&ty, &arm.value, Place::ArmValue(at), "the results") {
            Ok(value) => values.push(value),
            Err(mut fault) => {
                if fault.code == Code::CONSTANT_KIND {
                    fault.code = Code::TABLE_VALUES;
                    fault.headline = format!("{} does not go with {}", shown(&arm.value), shown(first));
                    fault.help = Some("give every row a number, every row a bool, or every row a label".to_owned());
                }
                call.fault(*fault);
            }
        }
    }
    (values.len() == arms.len()).then_some((values, base))
}

fn number_of(literal: &Literal) -> Option<&Number> {
    match literal {
        Literal::Number(n) => Some(n),
        _ => None,
    }
}

/// The fault of labels in a place that no type explains.
pub(super) fn labels_without_type(literal: &Literal, place: Place) -> Fault {
    let headline = format!("nothing says which scale {} belongs to", shown(literal));
    Fault::error(Code::LABELS_WITHOUT_TYPE, place, headline, "a label of no scale")
        .help("write the type behind the name: `NAME: ordinal(low < high) = …`, or that of a declared scale")
}

pub(super) fn bands(call: &mut Call<'_>) -> Option<Resolved> {
    let arms = call.table();
    let x = call.one(X)?;
    let interval = number(call, x)?;
    let arms = arms?;
    let before = call.faults.len();
    let whole = matches!(x.ty.base, Base::Int { .. });
    let bounds = band_bounds(call, x, &interval, whole, arms);
    let labels = band_labels(call, arms);
    if call.faults.len() > before {
        return None;
    }
    let labels = labels?;
    let ranks = 0_u32..;
    let bands = bounds.into_iter().zip(ranks).map(|(below, label)| Band { below, label }).collect();
    let ty = Type::of(Base::Ordinal(labels.into())).with_optional(x.ty.optional);
    Some(Resolved::with(ty, Params { bands, ..Params::default() }))
}

fn band_bounds(
    call: &mut Call<'_>,
    x: Slot<'_>,
    interval: &Interval,
    whole: bool,
    arms: &[WrittenArm],
) -> Vec<Option<Number>> {
    let mut bounds: Vec<Option<Number>> = Vec::with_capacity(arms.len());
    let mut low = interval.lo.clone();
    let mut rest = false;
    for (at, arm) in arms.iter().enumerate() {
        let place = Place::ArmKey(at);
        match &arm.key {
            WrittenKey::Below(bound) => {
                if rest {
                    let fault = Fault::error(Code::TABLE_ORDER, place, "a band follows `rest`", "never reached");
                    call.fault(fault.help("put `rest` last"));
                } else if bound <= &low {
                    let (headline, help) = match at {
                        0 => (
                            format!("nothing is below {}: `{}` begins at {}", bound.exact(), x.name, interval.lo),
                            format!("write a bound above {}", interval.lo),
                        ),
                        _ => (
                            format!(
                                "the band below {} is empty: the one before reaches up to {}",
                                bound.exact(),
                                low.exact()
                            ),
                            "write the bounds from the lowest to the highest".to_owned(),
                        ),
                    };
                    call.fault(Fault::error(Code::TABLE_ORDER, place, headline, "an empty band").help(help));
                } else if bound > &interval.hi {
                    let headline =
                        format!("`{}` ends at {}, so {} cuts nothing off", x.name, interval.hi, bound.exact());
                    let fault = Fault::error(Code::TABLE_ORDER, place, headline, "beyond the scale");
                    call.fault(fault.help(format!("write a bound up to {}, or drop the band behind it", interval.hi)));
                } else if whole && ceiling(&low) >= *bound {
                    let headline = format!("no whole number lies from {} up to {}", low.exact(), bound.exact());
                    call.warn(Fault::warning(Code::NEVER_ACTS, place, headline, "never reached").help("drop the band"));
                }
                low = bound.clone();
                bounds.push(Some(bound.clone()));
            }
            WrittenKey::Rest => {
                if rest {
                    call.fault(
                        Fault::error(Code::TABLE_TWICE, place, "`rest` stands twice", "a second `rest`")
                            .help("drop one"),
                    );
                } else if whole && ceiling(&low) > interval.hi {
                    let headline = format!("no whole number lies from {} up to {}", low.exact(), interval.hi);
                    call.warn(Fault::warning(Code::NEVER_ACTS, place, headline, "never reached").help("drop the band"));
                }
                rest = true;
                bounds.push(None);
            }
            WrittenKey::Literal(_) | WrittenKey::Condition => {
                let fault = Fault::error(Code::TABLE_KEY, place, "a band begins with `below`", "not a band");
                call.fault(fault.help("write `below NUMBER => label`, and `rest => label` for the last band"));
                bounds.push(None);
            }
        }
    }
    if !rest {
        let fault = Fault::error(Code::TABLE_GAP, Place::Whole, "the bands lack the last one, `rest`", "no `rest`");
        call.fault(fault.help("add `rest => label` for everything above the last bound"));
    } else if bounds.len() < 2 {
        let fault = Fault::error(Code::TABLE_GAP, Place::Whole, "one band alone says nothing", "a single band");
        call.fault(fault.help("add at least one `below NUMBER => label`"));
    }
    bounds
}

fn ceiling(n: &Number) -> Number {
    n.round(crate::number::Rounding::Up)
}

fn band_labels(call: &mut Call<'_>, arms: &[WrittenArm]) -> Option<Vec<Arc<str>>> {
    let mut labels: Vec<Arc<str>> = Vec::with_capacity(arms.len());
    let mut seen = HashSet::default();
    for (at, arm) in arms.iter().enumerate() {
        let place = Place::ArmValue(at);
        match &arm.value {
            Literal::Label(label) => {
                if !seen.insert(label.clone()) {
                    let headline = format!("two bands are called `{}`", quote_label(label));
                    call.fault(
                        Fault::error(Code::TABLE_TWICE, place, headline, "a second time")
                            .help("give each its own label"),
                    );
                }
                labels.push(label.clone());
            }
            other => {
                let headline = format!("a band needs a label, and {} is none", shown(other));
                let fault = Fault::error(Code::TABLE_VALUES, place, headline, "not a label");
                call.fault(
                    fault.help("name the band with a word or a quoted text; for numbers use `piecewise` or `quantize`"),
                );
            }
        }
    }
    (labels.len() == arms.len()).then_some(labels)
}

pub(super) fn piecewise(call: &mut Call<'_>) -> Option<Resolved> {
    let arms = call.table();
    let x = call.one(X)?;
    let interval = number(call, x)?;
    let arms = arms?;
    let before = call.faults.len();
    let mut knots: Vec<(Number, Number)> = Vec::with_capacity(arms.len());
    for (at, arm) in arms.iter().enumerate() {
        let WrittenKey::Literal(Literal::Number(from)) = &arm.key else {
            let place = Place::ArmKey(at);
            let fault =
                Fault::error(Code::TABLE_KEY, place, "a point of `piecewise` begins with a number", "not a number");
            call.fault(fault.help("write `NUMBER => NUMBER`; the points reach from one end of the scale to the other"));
            continue;
        };
        let Literal::Number(to) = &arm.value else {
            let headline = format!("a point of `piecewise` leads to a number, and {} is none", shown(&arm.value));
            let fault = Fault::error(Code::TABLE_VALUES, Place::ArmValue(at), headline, "not a number");
            call.fault(fault.help("write `NUMBER => NUMBER`; for labels use `bands`"));
            continue;
        };
        if let Some((last, _)) = knots.last()
            && from <= last
        {
            let headline = format!("the point at {} does not come after {}", from.exact(), last.exact());
            let fault = Fault::error(Code::TABLE_ORDER, Place::ArmKey(at), headline, "not in order");
            call.fault(fault.help("write the points from the lowest to the highest, each once"));
        }
        knots.push((from.clone(), to.clone()));
    }
    if call.faults.len() > before {
        return None;
    }
    let covered =
        matches!((knots.first(), knots.last()), (Some((a, _)), Some((b, _))) if a <= &interval.lo && &interval.hi <= b);
    if !covered {
        let headline =
            format!("the points do not cover `{}`, which goes from {} to {}", x.name, interval.lo, interval.hi);
        let fault = Fault::error(Code::TABLE_GAP, Place::Whole, headline, "not covered");
        call.fault(fault.help(format!("add points at {} and {}", interval.lo.exact(), interval.hi.exact())));
        return None;
    }
    let first = knots.first().map(|(_, y)| Interval::point(y))?;
    let span = knots.iter().fold(first, |span, (_, y)| span.with(y));
    let ty = numeric(span, false).with_optional(x.ty.optional);
    Some(Resolved::with(ty, Params { knots, ..Params::default() }))
}
