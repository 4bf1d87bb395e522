//! The program `P = (G, R_τ)`: nodes in topological order, a unique sink, readouts.
//!
//! *Architecture Invariant:* a [`Program`] is immutable once made; running takes `&Program`. It never holds anything of a
//! candidate.

mod digest;
pub mod draw;
pub mod json;
pub mod spec;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod twin;
pub mod validate;
pub mod written;

use crate::catalog::{NodeId, Operation};
use crate::number::{Number, Rounding};
use crate::rules::Rule;
use crate::source::Span;
use crate::types::{Base, Field, Type, Value};
use std::sync::Arc;

pub use digest::digest;

/// A whole program.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: Arc<str>,
    pub doc: Arc<str>,
    /// Inputs, references and the candidate's fields, in the order declared.
    pub fields: Vec<Field>,
    /// The name of the candidate declaration.
    pub candidate: Arc<str>,
    pub checklists: Vec<Checklist>,
    /// Every node comes after those that it reads.
    pub nodes: Vec<Node>,
    pub sink: NodeId,
    pub readouts: Vec<Readout>,
    pub observed: Vec<NodeId>,
    pub requires: Vec<spec::Require>,
    pub tests: Vec<spec::Test>,
}

/// Index into [`Program::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

#[derive(Debug, Clone)]
pub struct Node {
    /// `quality`, `quality.1`, `care.red_flags`, `care.3` (an item without an id, by its number), `lib.x`. Unique.
    pub name: Arc<str>,
    pub doc: Arc<str>,
    /// The node's type: what its value is. For a criterion with `combine: mean` it is not the type that the judge is asked for.
    pub ty: Type,
    pub kind: NodeKind,
    /// Where it was written; no part of the program's meaning.
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum NodeKind {
    Criterion(Box<Criterion>),
    Operator(Box<Operation>),
    /// A `checklist NAME from FIELD`, whose items come with each record. The criterion is the template of its items.
    Items {
        field: FieldId,
        template: Box<Criterion>,
    },
}

/// What a judge is asked.
#[derive(Debug, Clone)]
pub struct Criterion {
    /// The type of one judgment (what the judge answers).
    pub ty: Type,
    pub origin: Origin,
    pub ask: Template,
    /// Anchors; the value is one of `ty` (`Unknown` too).
    pub levels: Vec<(Value, Template)>,
    pub examples: Vec<Example>,
    /// In the order written; default: every field in the order declared.
    pub sees: Vec<FieldId>,
    /// Whether `sees` was written.
    pub sees_written: bool,
    /// Over inputs and references; where false the criterion is not asked and is unknown.
    pub applies: Option<Rule>,
    pub procedure: Procedure,
    /// Key and value, in the order written, inherited ones first. Groups of a checklist are not repeated here.
    pub tags: Vec<(Arc<str>, Arc<str>)>,
}

/// Where a criterion node comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `criterion`
    Declared,
    /// An item of `Program::checklists[checklist]`.
    Item { checklist: usize },
    /// A `flag` field, or a comparison of a `number` field: a rule that nobody declared.
    Implied,
}

/// A text with holes for fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pub parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    Text(Arc<str>),
    Field(FieldId),
}

/// A worked example for the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// What the fields hold in it, as JSON.
    pub fields: Vec<(FieldId, serde_json::Value)>,
    pub judgment: Value,
    pub because: Option<Arc<str>>,
}

/// How a criterion is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Procedure {
    Rule(Rule),
    Human {
        combine: Combine,
    },
    Verifier {
        name: Arc<str>,
    },
    Llm(Llm),
    /// `first else second when confidence < threshold`
    Cascade {
        first: Box<Llm>,
        second: Box<Llm>,
        threshold: Number,
    },
}

/// How several samples become one judgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combine {
    Majority,
    Median,
    Mean,
    Min,
    Max,
    Unanimous,
    Expected,
    /// A set or tally: label by label.
    PerLabel,
}

impl Combine {
    /// The word an author writes. `PerLabel` is what a set's `majority` and a tally's `median` mean, and has no other.
    #[must_use]
    pub fn word(self, ty: &Type) -> &'static str {
        match self {
            Combine::Majority => "majority",
            Combine::Median => "median",
            Combine::Mean => "mean",
            Combine::Min => "min",
            Combine::Max => "max",
            Combine::Unanimous => "unanimous",
            Combine::Expected => "expected",
            Combine::PerLabel if matches!(ty.base, Base::Tally { .. }) => "median",
            Combine::PerLabel => "majority",
        }
    }
}

/// The parameters of `llm(…)`, defaults filled in (language.md, section 5).
#[derive(Debug, Clone, PartialEq)]
pub struct Llm {
    /// One alias, or a panel's.
    pub models: Vec<Arc<str>>,
    pub samples: u32,
    pub combine: Combine,
    pub view: View,
    pub evidence: bool,
    pub reason: Reason,
    pub shuffled: bool,
    /// `each: "factual claim"`
    pub each: Option<Arc<str>>,
    pub temperature: Option<Number>,
    pub max_tokens: Option<u32>,
    pub batch: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    Separate,
    Joint,
    Swapped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    Before,
    After,
    None,
}

/// A bundle of weighted yes/no items.
#[derive(Debug, Clone)]
pub struct Checklist {
    pub name: Arc<str>,
    pub doc: Arc<str>,
    /// `bool?` rather than `bool`.
    pub optional: bool,
    /// The `Items` node, where the items come with each record; then `groups` and `items` are empty.
    pub from: Option<NodeId>,
    /// In file order, parents before children.
    pub groups: Vec<Group>,
    /// In file order. An item that the program never uses is not here (and is an error).
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub id: Arc<str>,
    pub weight: Option<Number>,
    pub text: Arc<str>,
    pub parent: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub node: NodeId,
    /// The id as written; items without one are called by their number (from 1).
    pub id: Option<Arc<str>>,
    pub number: u32,
    pub points: Number,
    pub group: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    Pointwise,
    Pairwise,
    Listwise,
}

impl Mode {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Mode::Pointwise => "pointwise",
            Mode::Pairwise => "pairwise",
            Mode::Listwise => "listwise",
        }
    }
}

/// d_τ: what the sink's value (or another node's) becomes outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    pub mode: Mode,
    /// `None`: the mode's unnamed readout, which reads the sink.
    pub name: Option<Arc<str>>,
    pub source: NodeId,
    pub kind: ReadoutKind,
    /// What it yields: of `pointwise`, the type of the value; of the others the sink's type.
    pub ty: Type,
    pub span: Span,
}

impl Readout {
    /// The nodes that it reads: its own, the sink, and what breaks its ties.
    pub fn reads(&self, sink: NodeId) -> impl Iterator<Item = NodeId> {
        let keys = match &self.kind {
            ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } => match tie
            {
                Tie::By { keys, .. } => keys.as_slice(),
                _ => &[],
            },
            _ => &[],
        };
        let sink = (sink != self.source).then_some(sink);
        std::iter::once(self.source).chain(sink).chain(keys.iter().copied())
    }

    /// The key under which results carry it: its name, else its mode.
    #[must_use]
    pub fn key(&self) -> &str {
        self.name.as_deref().unwrap_or(self.mode.word())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ReadoutKind {
    /// The value as it is.
    Native,
    Rescale,
    Quantize {
        mode: Rounding,
    },
    Bands(Vec<crate::catalog::Band>),
    /// x ≥ at
    Pass {
        at: Value,
    },
    Prefer {
        margin: Number,
        tie: Tie,
    },
    /// `shared` is [`Tie::Tie`].
    Ranking {
        tie: Tie,
    },
    Best {
        margin: Number,
        tie: Tie,
    },
}

/// What decides when nothing is above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tie {
    Tie,
    Abstain,
    First,
    /// The smaller digest of record id and candidate id.
    ById,
    /// Nodes compared exactly, in order (`not b` is a node of its own); unknown skips. If all are equal: tie or abstain.
    By {
        keys: Vec<NodeId>,
        tie: bool,
    },
}

impl Program {
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let at = self.nodes.iter().position(|n| &*n.name == name)?;
        Some(NodeId(u32::try_from(at).ok()?))
    }

    #[must_use]
    pub fn field(&self, id: FieldId) -> Option<&Field> {
        self.fields.get(id.0 as usize)
    }
}
