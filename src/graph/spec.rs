//! Requirements and tests, typed against a program.

use super::NodeId;
use crate::source::Span;
use crate::types::Value;
use std::sync::Arc;

/// `require …`
#[derive(Debug, Clone)]
pub struct Require {
    pub name: Option<Arc<str>>,
    pub kind: RequireKind,
    /// As an author writes it, in canonical layout.
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum RequireKind {
    /// For every assignment of judgments, each clause's `when` implies its `holds`.
    Always(Vec<Clause>),
    /// The sink never falls when this criterion (or these items, by sign) rises.
    Increasing(Vec<NodeId>),
    Decreasing(Vec<NodeId>),
    /// Some assignment makes it true.
    Reachable(Condition),
}

#[derive(Debug, Clone)]
pub struct Clause {
    pub when: Option<Condition>,
    pub holds: Condition,
}

/// A condition over nodes and readouts of one or two candidates. Comparisons with an abstained readout are false.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Compare {
        op: Comparison,
        left: Operand,
        right: Operand,
    },
    /// A bool node or readout that stands alone.
    Holds(Operand),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A node of the candidate with this number (0 where there is one; `first.x` 0, `second.x` 1).
    Node {
        candidate: usize,
        node: NodeId,
    },
    /// A readout (index in `Program::readouts`), of that candidate where it is pointwise.
    Readout {
        candidate: usize,
        readout: usize,
    },
    Constant(Value),
    /// The outcome of a pairwise or listwise readout: the candidate with this number wins.
    Wins(usize),
    /// The outcome `tie`.
    Tie,
    /// The outcome of a readout that abstains (`expect pointwise == unknown`).
    Abstains,
}

/// `test "…" { … }`
#[derive(Debug, Clone)]
pub struct Test {
    pub name: Arc<str>,
    /// Names of the candidates: one, or those of `given a {…} given b {…}`.
    pub candidates: Vec<Arc<str>>,
    /// Per candidate, what each leaf node was given.
    pub given: Vec<Vec<(NodeId, Value)>>,
    /// Fields that were given, shared and per candidate, as JSON by field name.
    pub fields: Vec<serde_json::Map<String, serde_json::Value>>,
    pub expects: Vec<(Condition, Span, Arc<str>)>,
    pub text: Arc<str>,
    pub span: Span,
}
