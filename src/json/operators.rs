//! Operator nodes: their ports filled from edges and constants, then typed as the checker types them.

use super::checklists::Lists;
use super::nodes::{Drafts, Nodes};
use super::parameters::{self, Parameters};
use super::shape::Reader;
use super::wiring::{Wire, Wires};
use crate::catalog::table::{Arity, Weights};
use crate::catalog::typing::{Argument, Fault, Place, infer};
use crate::catalog::{Op, Operation};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;
use crate::types::{Base, Type};

/// Where the parts of an application stand.
struct Places {
    whole: Span,
    /// Per port and slot.
    slots: Vec<Vec<Span>>,
    parameters: Parameters,
    ty: Option<Span>,
}

/// Types the operator at `at`. `None` where it is in error (reported here, or where its edges were read).
pub(super) fn operator<'a>(
    r: &mut Reader<'a>,
    drafts: &Drafts<'a, '_>,
    wires: &Wires,
    lists: &Lists,
    nodes: &Nodes,
    at: usize,
    op: Op,
) -> Option<(Operation, Type)> {
    let draft = drafts.list.get(at)?;
    let given = &draft.given;
    let written_type = given.get("type").map(|v| (r.ty(v), r.span(v)));
    let mut parameters = parameters::read(r, given.get("parameters"), op, &draft.id);
    let into: &[Wire] = wires.into.get(at).map_or(&[], Vec::as_slice);
    let whole = given.get("operator").map_or(draft.span, |v| r.span(v));
    let mut fine = !parameters.broken && wires.broken.get(at) == Some(&false);
    let mut arguments = Vec::new();
    let mut slots = Vec::new();
    for (place, port) in op.info().ports.iter().enumerate() {
        let here: Vec<&Wire> = into.iter().filter(|w| w.port == place).collect();
        let who = format!("node `{}`, port `{}`", draft.id, port.name);
        let constant = parameters.constants.get(port.name);
        if let (Some((_, span)), Some(wire)) = (constant, here.first()) {
            fine = false;
            r.sink.push(
                Diagnostic::error(Code::JSON_ARITY, *span, format!("{who}: a constant and an edge"), "the constant")
                    .also(wire.span, "the edge")
                    .help("keep one of them"),
            );
        }
        let needs = matches!(port.arity, Arity::Node | Arity::NodeOrConstant | Arity::Many);
        if needs && here.is_empty() && constant.is_none() {
            // An edge or a parameter that could not be read may have been meant for it.
            let told = !fine || wires.faulty;
            fine = false;
            if told {
                continue;
            }
            let help = match port.arity {
                Arity::NodeOrConstant => {
                    format!("add an edge into `{}`, or a constant under that name in `parameters`", port.name)
                }
                _ => format!("add an edge {{\"source\": …, \"port\": \"{}\", \"slot\": 1, …}}", port.name),
            };
            r.error(Code::JSON_ARITY, whole, format!("{who}: nothing stands in it"), "reads too little", help);
        }
        let mut filled: Vec<Argument> = here.iter().map(|w| argument(drafts, nodes, w)).collect();
        let mut spans: Vec<Span> = here.iter().map(|w| w.span).collect();
        if let Some((literal, span)) = constant
            && here.is_empty()
        {
            filled.push(Argument::Constant(literal.clone()));
            spans.push(*span);
        }
        arguments.push(filled);
        slots.push(spans);
    }
    fine = fine && counts(r, &parameters, &arguments, op, (&draft.id, whole, wires.faulty));
    if op.info().weights == Weights::OneSign {
        parameters.written.weights = into.iter().map(|w| points(lists, w)).collect();
    } else if fine {
        fine &= points_agree(r, lists, op, &parameters, into, &draft.id);
    }
    if !fine {
        return None;
    }
    let ty = match &written_type {
        Some((None, _)) => return None,
        Some((Some(ty), _)) => Some(ty),
        None => None,
    };
    let places = Places { whole, slots, parameters, ty: written_type.as_ref().map(|(_, span)| *span) };
    match infer(op, &arguments, &places.parameters.written, ty) {
        Ok(typed) => {
            typed.warnings.iter().for_each(|fault| tell(r, &places, op, &draft.id, fault));
            Some((typed.operation, typed.ty))
        }
        Err(faults) => {
            faults.iter().for_each(|fault| tell(r, &places, op, &draft.id, fault));
            None
        }
    }
}

fn argument(drafts: &Drafts<'_, '_>, nodes: &Nodes, wire: &Wire) -> Argument {
    let node = wire.source.and_then(|at| {
        let ty = nodes.types.get(at)?.clone()?;
        Some(Argument::Node { id: *nodes.ids.get(at)?, ty, name: drafts.list.get(at)?.id.clone() })
    });
    node.unwrap_or(Argument::Error)
}

/// The points of the item that a wire reads.
fn points(lists: &Lists, wire: &Wire) -> Option<crate::number::Number> {
    lists.item(wire.source?).map(|item| item.points.clone())
}

/// Whether lists that go by slot have as many entries as there are slots; `silent` where an edge may be missing because it
/// could not be read.
fn counts(
    r: &mut Reader<'_>,
    parameters: &Parameters,
    arguments: &[Vec<Argument>],
    op: Op,
    (who, whole, silent): (&str, Span, bool),
) -> bool {
    let x = op.info().port("x").and_then(|x| arguments.get(x)).map_or(&[][..], Vec::as_slice);
    let slots = x.len();
    let weights = parameters.written.weights.len();
    // The items of a `checklist … from` bring their points with each record.
    let of_record = x.iter().any(|slot| matches!(slot, Argument::Node { ty, .. } if ty.base == Base::Items));
    if op.info().weights.kept() && weights != slots && !(of_record && weights == 0) {
        if silent {
            return false;
        }
        let span = parameters.spans.get("weights").copied().unwrap_or(whole);
        let headline = format!("node `{who}`: {slots} slots and {weights} weights");
        r.error(
            Code::JSON_WEIGHTS,
            span,
            headline,
            "one for every slot",
            "write one weight for every slot, in their order",
        );
        return false;
    }
    if op == Op::Decide {
        let conditions = arguments.first().map_or(0, Vec::len);
        let results = parameters.written.table.iter().flatten();
        let results = results.filter(|row| row.key == crate::catalog::typing::WrittenKey::Condition).count();
        if results != conditions {
            if silent {
                return false;
            }
            let span = parameters.spans.get("results").copied().unwrap_or(whole);
            let headline = format!("node `{who}`: {conditions} conditions and {results} results");
            let help = "write one result for every condition, in their order, and `rest` for when none holds";
            r.error(Code::JSON_WEIGHTS, span, headline, "one for every slot", help);
            return false;
        }
    }
    true
}

/// An item counts with the points that its checklist gives it, everywhere.
fn points_agree(r: &mut Reader<'_>, lists: &Lists, op: Op, parameters: &Parameters, into: &[Wire], who: &str) -> bool {
    if !matches!(op, Op::Points | Op::SumPoints | Op::Tree) {
        return true;
    }
    let mut fine = true;
    let weights = parameters.written.weights.iter().zip(&parameters.weights);
    for (wire, (weight, span)) in into.iter().zip(weights) {
        let Some(item) = wire.source.and_then(|at| lists.item(at)) else { continue };
        if weight.as_ref().is_some_and(|w| *w != item.points) {
            fine = false;
            let headline = format!(
                "node `{who}`, slot {}: the weight is not the {} points that the checklist gives this item",
                wire.slot,
                item.points.exact()
            );
            r.sink.push(
                Diagnostic::error(Code::JSON_CHECKLIST, *span, headline, "another number")
                    .also(item.points_span, "the item's points")
                    .help("write the same number in both places"),
            );
        }
    }
    fine
}

/// A fault of an application, at its place in the JSON text.
fn tell(r: &mut Reader<'_>, places: &Places, op: Op, who: &str, fault: &Fault) {
    let p = &places.parameters;
    let ports = op.info().ports;
    let (span, detail) = match fault.place {
        Place::Whole => (None, String::new()),
        Place::Slot(port, slot) => {
            let name = ports.get(port).map_or("x", |p| p.name);
            let many = ports.get(port).is_some_and(|p| p.arity == Arity::Many);
            let detail = if many { format!(", port `{name}`, slot {}", slot + 1) } else { format!(", port `{name}`") };
            (places.slots.get(port).and_then(|list| list.get(slot)).copied(), detail)
        }
        Place::Weight(slot) => (p.weights.get(slot).copied(), format!(", weight of slot {}", slot + 1)),
        Place::Param(name) => (p.spans.get(name).copied(), String::new()),
        Place::ArmKey(row) => (p.arms.get(row).map(|(key, _)| *key), String::new()),
        Place::ArmValue(row) => (p.arms.get(row).map(|(_, value)| *value), String::new()),
        Place::WrittenType => (places.ty, String::new()),
    };
    let span = span.unwrap_or(places.whole);
    let headline = format!("node `{who}`{detail}: {}", fault.headline);
    let found = if fault.warning {
        Diagnostic::warning(fault.code, span, headline, fault.label.clone())
    } else {
        Diagnostic::error(fault.code, span, headline, fault.label.clone())
    };
    r.sink.push(match &fault.help {
        Some(help) => found.help(help.clone()),
        None => found,
    });
}
