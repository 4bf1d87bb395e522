//! The table of operators: family, ports, parameters, result rule.

use super::Op;

/// Which of the paper's three families an operator belongs to, or how else it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    Transform,
    Reduce,
    Gate,
    /// Arithmetic, comparisons, conditions, `if`: no call.
    Expression,
}

/// How many sources a port takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arity {
    /// Exactly one node.
    Node,
    /// One node or one constant.
    NodeOrConstant,
    /// As [`Arity::NodeOrConstant`], or nothing.
    Optional,
    /// At least one node, in slots.
    Many,
}

/// A port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortInfo {
    pub name: &'static str,
    pub arity: Arity,
    /// What it accepts, in words.
    pub accepts: &'static str,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamInfo {
    pub name: &'static str,
    /// What it is, in words.
    pub is: &'static str,
    /// The default as written; `None` where it must be given.
    pub default: Option<&'static str>,
}

/// An entry of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorInfo {
    pub op: Op,
    pub family: Family,
    pub ports: &'static [PortInfo],
    pub params: &'static [ParamInfo],
    /// The type of the result, in words (language.md, section 7).
    pub result: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// As an author writes it.
    pub example: &'static str,
}
