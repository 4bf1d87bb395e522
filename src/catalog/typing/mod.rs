//! The result rules: from an operator, its arguments and parameters as written, to a resolved [`Operation`] and its type.
//!
//! The text checker and the JSON validator both come through [`infer`], so a program means the same however it is written.
//! A [`Fault`] names its place by port, slot or parameter; the caller knows where that stands in its text.

use super::{NodeId, Op, Operation};
use crate::diagnostics::Code;
use crate::number::{Number, Rounding};
use crate::types::Type;
use std::sync::Arc;

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
    /// `skip propagate lowest highest fires passes`
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

/// Where a fault lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The application as a whole.
    Whole,
    /// A port (index in the operator's table entry) and its slot (from 0).
    Slot(usize, usize),
    /// The weight of a slot of port `x` (from 0).
    Weight(usize),
    /// A named parameter.
    Param(&'static str),
    /// The key of a table row (from 0).
    ArmKey(usize),
    /// The value of a table row (from 0).
    ArmValue(usize),
    /// The written type of the declaration.
    WrittenType,
}

/// Why an application is wrong, or (a lint) suspicious.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub warning: bool,
    pub place: Place,
    pub headline: String,
    pub label: String,
    pub help: Option<String>,
    /// A replacement for the text at `place`, where there is one good one: `(title, before, after)` to put around it.
    pub wrap: Option<(String, String, String)>,
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
/// # Errors
/// All faults of this application, at least one, none about an [`Argument::Error`]; empty only where such an argument alone
/// kept the type from being known.
pub fn infer(
    op: Op,
    arguments: &[Vec<Argument>],
    params: &Written,
    written: Option<&Type>,
) -> Result<Typed, Vec<Fault>> {
    let _ = (op, arguments, params, written);
    Err(Vec::new())
}
