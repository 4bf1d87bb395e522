//! Requirements and tests, typed against a program.

use super::NodeId;
use crate::source::Span;
use crate::types::Value;
use std::sync::Arc;

/// `require …`
#[derive(Debug, Clone)]
pub struct Require {
    pub name: Option<Arc<str>>,
    /// 1, or 2 where it speaks of `first` and `second`.
    pub candidates: usize,
    pub kind: RequireKind,
    /// As an author writes it, in canonical layout.
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum RequireKind {
    /// For every assignment of judgments (two, where it speaks of two candidates), each clause's `when` implies its `holds`.
    Always(Vec<Clause>),
    /// The sink never falls when one of these rises: from false to true, by rank, a tally in any label.
    Increasing(Rising),
    Decreasing(Rising),
    /// Some assignment makes it true.
    Reachable(Condition),
}

/// What rises in `increasing` and `decreasing`, each leaf alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rising {
    pub leaves: Vec<NodeId>,
    /// They are the items of a checklist or group, which rise by their signs: a negative one when it is no longer met.
    pub by_sign: bool,
}

#[derive(Debug, Clone)]
pub struct Clause {
    pub when: Option<Condition>,
    pub holds: Condition,
}

/// A condition over nodes and readouts of one or more candidates; it holds or it does not.
///
/// A comparison with an unknown node or an abstained readout is false, `!=` too; only `== unknown` and `!= unknown`
/// ([`Operand::Abstains`], a constant [`Value::Unknown`]) ask for that itself.
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
    /// A bool node or readout that stands alone; false where it is unknown or abstains.
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
    /// A readout (index in `Program::readouts`): of that candidate where it is pointwise, the candidate's rank where it is a
    /// ranking, else the outcome for all candidates (and the number is 0).
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

impl Condition {
    /// Adds the operands that are nodes or readouts, each once, in order.
    pub fn operands(&self, into: &mut Vec<Operand>) {
        let mut add = |operand: &Operand| {
            if matches!(operand, Operand::Node { .. } | Operand::Readout { .. }) && !into.contains(operand) {
                into.push(operand.clone());
            }
        };
        match self {
            Condition::And(all) | Condition::Or(all) => all.iter().for_each(|part| part.operands(into)),
            Condition::Not(of) => of.operands(into),
            Condition::Holds(operand) => add(operand),
            Condition::Compare { left, right, .. } => {
                add(left);
                add(right);
            }
        }
    }
}

/// `test "…" { … }`
#[derive(Debug, Clone)]
pub struct Test {
    pub name: Arc<str>,
    /// Names of the candidates: those of `given a {…} given b {…}`, else one, the name of the candidate declaration.
    pub candidates: Vec<Arc<str>>,
    /// Per candidate, what each leaf node was given, by node, ascending. A criterion that sees no candidate has the same value
    /// for all.
    pub given: Vec<Vec<(NodeId, Value)>>,
    /// Per candidate, the fields that were given, as JSON by field name; `null` where one is said not to be there.
    pub fields: Vec<serde_json::Map<String, serde_json::Value>>,
    /// What must hold, where it stands, and its text.
    pub expects: Vec<(Condition, Span, Arc<str>)>,
    pub text: Arc<str>,
    pub span: Span,
}
