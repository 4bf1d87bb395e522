//! The result rules: from an operator, its arguments and parameters as written, to a resolved [`Operation`] and its type.
//!
//! The text checker and the JSON validator both come through [`infer`], so a program means the same however it is written.
//! A [`Fault`] names its place by port, slot or parameter; the caller knows where that stands in its text.
//!
//! How: [`call`] checks what all operators share (ports filled, parameters known) and hands out the slots that are sound;
//! the operator's own rule, in a file per family, yields parameters and the inferred type; last, a written type replaces the
//! inferred one where it contains it. Intervals come from the rules of the language alone, never from looking closer at
//! where a value came from, so that a reader can reckon them too: `x - x` over `score[0..1]` is `score[-1..1]`.
//!
//! It rejects, for instance, `mean(a, b)` where `a` goes from 1 to 5 and `b` from 0 to 1, and offers `normalize`.
//!
//! *Architecture Invariant:* it knows no text and no names but those in its arguments.

mod arithmetic;
mod branch;
mod bundle;
mod call;
mod compare;
mod fault;
mod gate;
pub mod interval;
mod kinds;
mod literal;
mod policy;
mod reduce;
mod tables;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod transform;

use super::{Input, NodeId, Op, Operation, Port};
use crate::diagnostics::Code;
use crate::number::{Number, Rounding};
use crate::types::Type;
use call::{Call, Resolved};
use interval::Interval;
use std::sync::Arc;

pub use call::symbol;
pub use fault::{Fault, Place};

/// A constant as written: a label is still a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    Bool(bool),
    Number(Number),
    Label(Arc<str>),
    Unknown,
}

/// What was put into a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    Node {
        id: NodeId,
        ty: Type,
        /// For messages.
        name: Arc<str>,
    },
    Constant(Literal),
    /// The argument is itself in error (already reported): infer what can be inferred, say nothing about it.
    Error,
}

/// The parameters as written. What does not belong to the operator is a fault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// Per slot of port `x`; `None` where a slot has no weight.
    pub weights: Vec<Option<Number>>,
    pub unknown: Option<WrittenUnknown>,
    /// `to:` of `rescale`, `clamp`, `quantize`.
    pub to: Option<Type>,
    pub step: Option<Number>,
    pub mode: Option<Rounding>,
    /// `map`, `piecewise`, `decide`, `bands`.
    pub table: Option<Vec<WrittenArm>>,
    /// `has`, `count_of`.
    pub label: Option<Literal>,
    /// `vote`'s `tie:`: `lowest`, `highest`, `unknown`, or a label.
    pub tie: Option<Literal>,
}

/// `unknown: skip`, `unknown: 0.5`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenUnknown {
    /// `skip propagate lowest highest fires passes`, or another word (a label, or a mistake).
    Word(Arc<str>),
    Constant(Literal),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenArm {
    pub key: WrittenKey,
    pub value: Literal,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenKey {
    Rest,
    Below(Number),
    Literal(Literal),
    /// `decide`: the condition in this slot of port `when`.
    Condition,
}

/// A resolved application.
#[derive(Debug, Clone)]
pub struct Typed {
    pub operation: Operation,
    pub ty: Type,
    /// Lints; never errors.
    pub warnings: Vec<Fault>,
}

/// Types an application.
///
/// `arguments` holds one list of slots per port of the operator's table entry, in its order. `written` is the type that
/// the declaration gives this node, if it does: labels are resolved in it, and it replaces the inferred type where it
/// contains it.
///
/// In the resolved operation the defaults are filled in (`mode`, `step`, the `to` of a `veto`), and a policy for unknown
/// is left out where nothing can be unknown.
///
/// # Errors
/// All faults of this application, at least one, none about an [`Argument::Error`]; empty only where such an argument alone
/// kept the type from being known.
pub fn infer(
    op: Op,
    arguments: &[Vec<Argument>],
    params: &Written,
    written: Option<&Type>,
) -> Result<Typed, Vec<Fault>> {
    let mut call = Call::new(op, arguments, params, written);
    call.check_shape();
    let resolved = own_rule(&mut call);
    let resolved = resolved.and_then(|resolved| settle(&mut call, resolved));
    if call.faults.is_empty() && !call.clouded {
        if let Some(resolved) = resolved {
            let ports = ports(&call, arguments, &resolved);
            let operation = Operation { op, ports, params: resolved.params.into() };
            return Ok(Typed { operation, ty: resolved.ty, warnings: call.warnings });
        }
        let headline = format!("{} cannot be used like this", call.word());
        let help = format!("it is written as `{}`", call.info.example);
        call.fault(Fault::error(Code::INPUT_TYPE, Place::Whole, headline, "not like this").help(help));
    }
    Err(call.faults)
}

fn own_rule(call: &mut Call<'_>) -> Option<Resolved> {
    match call.op {
        Op::Normalize => transform::normalize(call),
        Op::Rescale => transform::rescale(call),
        Op::Clamp => transform::clamp(call),
        Op::Invert => transform::invert(call),
        Op::Round => transform::round(call),
        Op::Quantize => transform::quantize(call),
        Op::Has | Op::CountOf => transform::labelled(call),
        Op::Size => transform::size(call),
        Op::Known => transform::known(call),
        Op::Otherwise => transform::otherwise(call),
        Op::Map => tables::map(call),
        Op::Bands => tables::bands(call),
        Op::Piecewise => tables::piecewise(call),
        Op::Mean | Op::Median | Op::GeometricMean | Op::HarmonicMean | Op::WeightedMean => reduce::mean(call),
        Op::Min | Op::Max => reduce::extreme(call),
        Op::Sum | Op::WeightedSum => reduce::sum(call),
        Op::Product => reduce::product(call),
        Op::Vote => reduce::vote(call),
        Op::All | Op::Any | Op::Count | Op::Fraction => bundle::quantified(call),
        Op::Points | Op::SumPoints => bundle::points(call),
        Op::Tree => bundle::tree(call),
        Op::Decide => branch::decide(call),
        Op::If => branch::if_else(call),
        Op::And | Op::Or | Op::Not => branch::connective(call),
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide => arithmetic::binary(call),
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => compare::compare(call),
        Op::Cap | Op::Floor => gate::bound(call),
        Op::Veto => gate::veto(call),
        Op::Mask => gate::mask(call),
        Op::Penalty => gate::penalty(call),
        Op::Replace => gate::replace(call),
    }
}

/// The written type in place of the inferred one, where it contains it.
fn settle(call: &mut Call<'_>, mut resolved: Resolved) -> Option<Resolved> {
    if let Some((lo, hi)) = resolved.ty.interval()
        && Interval::new(lo.clone(), hi.clone()).is_too_long()
    {
        too_large(call);
        return None;
    }
    let Some(written) = call.written else {
        return Some(resolved);
    };
    if resolved.ty.routes_into(written) {
        resolved.ty = written.clone();
        return Some(resolved);
    }
    if !call.clouded {
        let fault = too_narrow(call, &resolved.ty, written);
        call.fault(fault);
    }
    None
}

fn too_large(call: &mut Call<'_>) {
    let headline = format!("the results of this {} have more than 400 digits", call.word());
    let fault = Fault::error(Code::NUMBERS_TOO_LARGE, Place::Whole, headline, "too large to reckon with");
    call.fault(fault.help("normalize what goes in, or bound it with `clamp(…, to: …)`"));
}

fn too_narrow(call: &Call<'_>, inferred: &Type, written: &Type) -> Fault {
    let headline = format!("the result of {} is {inferred}, which does not fit the written {written}", call.word());
    let without = inferred.clone().known();
    let help = if inferred.optional && !written.optional && without.routes_into(written) {
        format!("write `{written}?`, or settle unknown with `otherwise(…, value)`")
    } else {
        match (inferred.interval(), written.interval()) {
            (Some((lo, hi)), Some((a, b))) if a <= lo && hi <= b => {
                format!(
                    "the result need not be whole: write `score[{}..{}]`, or use `quantize` or `round`",
                    a.exact(),
                    b.exact()
                )
            }
            (Some(_), Some(_)) => format!(
                "write `{inferred}`, or stretch the result with `rescale(…, to: {without})` or cut it with `clamp`",
                without = written.clone().known()
            ),
            _ => format!("write `{inferred}`, or drop the type"),
        }
    };
    Fault::error(Code::TYPE_TOO_NARROW, Place::WrittenType, headline, format!("not wide enough for {inferred}"))
        .help(help)
}

/// The ports of the resolved operation, with constants as values.
fn ports(call: &Call<'_>, arguments: &[Vec<Argument>], resolved: &Resolved) -> Vec<Port> {
    let mut ports = Vec::with_capacity(call.info.ports.len());
    for (index, info) in call.info.ports.iter().enumerate() {
        let nodes = arguments.get(index).into_iter().flatten().filter_map(|argument| match argument {
            Argument::Node { id, .. } => Some(Input::Node(*id)),
            _ => None,
        });
        let constants =
            resolved.constants.iter().filter(|(at, _)| *at == index).map(|(_, v)| Input::Constant(v.clone()));
        let inputs: Vec<Input> = nodes.chain(constants).collect();
        if !inputs.is_empty() {
            ports.push(Port { name: info.name, inputs });
        }
    }
    ports
}
