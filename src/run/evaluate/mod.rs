//! The interpreter: from the leaves of one candidate to the value of every node.
//!
//! An [`Interpreter`] is made once per program: every operator becomes a [`Step`]. A run walks the nodes in their
//! topological order and computes each from the values before it, exactly, into one buffer that is reused from
//! candidate to candidate. Nothing is looked up by name, and the small path allocates nothing per node.
//!
//! A node has a value only where everything that it reads has one. Where a judgment is missing, [`super::bounds`] says
//! what the node may still become; [`Interpreter::states`] puts the two together.
//!
//! *Architecture Invariant:* a node's value belongs to the node's type. *Architecture Invariant:* nothing here knows a
//! record, a judge or a readout.

mod branch;
mod numbers;
mod reduce;
mod step;
mod transform;
mod vote;

use super::bounds::{Bounds, Known};
use super::leaf::Leaf;
use crate::catalog::{Input, NodeId, Op, Operation};
use crate::graph::{NodeKind, Program};
use crate::types::{ItemJudgment, Type, Value};

/// A number with more binary digits than this, numerator and denominator together, is of no use to anybody; the record
/// fails at the node that computed it, instead of the numbers doubling their length from node to node.
pub const MOST_BITS: u64 = 100_000;

pub(crate) use reduce::product_of_intervals;
pub use step::{Inputs, Step};
pub(crate) use step::{UNKNOWN, range};
pub(crate) use vote::order;

/// Computes every node of a program for one candidate.
///
/// `leaves` holds one entry per node of the program, by its index; only those of criteria and of `checklist … from` are
/// read (see [`super::blank_leaves`]). The answer has one entry per node too: `None` where something that the node reads
/// is missing, and from the first node on that cannot be computed ([`Halt`]).
#[must_use]
pub fn evaluate(program: &Program, leaves: &[Leaf]) -> Vec<Option<Value>> {
    Interpreter::new(program).values(leaves)
}

/// Computes one operator: `ty` is the node's own type, `inputs` one value per slot (all ports in order, constants too).
#[must_use]
pub fn apply(operation: &Operation, ty: &Type, type_of: &dyn Fn(NodeId) -> Option<Type>, inputs: &[Value]) -> Value {
    Step::new(operation, ty, type_of).apply(inputs)
}

/// A node as the interpreter sees it.
#[derive(Debug, Clone)]
enum Work {
    Leaf,
    /// A `checklist … from`; whether an item may be unknown.
    Items {
        optional: bool,
    },
    Step(Box<Step>),
}

/// A program made ready to be run over many candidates.
#[derive(Debug, Clone)]
pub struct Interpreter {
    work: Vec<Work>,
    types: Vec<Type>,
}

/// What is known of every node for one candidate.
#[derive(Debug, Clone, Default)]
pub struct States {
    values: Vec<Option<Value>>,
    /// Empty where nothing is missing; else one entry per node, `None` where the value is known.
    bounds: Vec<Option<Bounds>>,
    /// Why not all was computed.
    halt: Option<Halt>,
}

/// Why a candidate cannot be computed to the end. Nothing from the node on was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// Its number became longer than [`MOST_BITS`].
    TooLong(NodeId),
    /// It has no value of its type: `points` over items that came with the record and of which none is positive.
    NothingToReach(NodeId),
}

impl Interpreter {
    #[must_use]
    pub fn new(program: &Program) -> Interpreter {
        let type_of = |id: NodeId| program.node(id).map(|node| node.ty.clone());
        let work = |node: &crate::graph::Node| match &node.kind {
            NodeKind::Criterion(_) => Work::Leaf,
            NodeKind::Items { template, .. } => Work::Items { optional: template.ty.optional },
            NodeKind::Operator(operation) => Work::Step(Box::new(Step::new(operation, &node.ty, &type_of))),
        };
        Interpreter {
            work: program.nodes.iter().map(work).collect(),
            types: program.nodes.iter().map(|node| node.ty.clone()).collect(),
        }
    }

    /// Whether the type of this node has `unknown`.
    fn optional(&self, index: usize) -> bool {
        self.types.get(index).is_some_and(|ty| ty.optional)
    }

    /// The value of every node; see [`evaluate`].
    #[must_use]
    pub fn values(&self, leaves: &[Leaf]) -> Vec<Option<Value>> {
        let mut values = Vec::new();
        self.values_into(leaves, &mut values);
        values
    }

    /// As [`Interpreter::values`], into a buffer that is cleared first. The answer is why it could not go on to the end: the
    /// node named there and all after it are `None`.
    pub fn values_into(&self, leaves: &[Leaf], values: &mut Vec<Option<Value>>) -> Option<Halt> {
        values.clear();
        values.reserve(self.work.len());
        for (index, work) in self.work.iter().enumerate() {
            let value = match work {
                Work::Leaf | Work::Items { .. } => leaves.get(index).and_then(leaf_value),
                Work::Step(step) => step.run(values),
            };
            let halt = match &value {
                _ if !matches!(work, Work::Step(_)) => None,
                Some(Value::Number(number)) if number.bits() > MOST_BITS => Some(Halt::TooLong(node_id(index))),
                Some(Value::Unknown) if !self.optional(index) => Some(Halt::NothingToReach(node_id(index))),
                _ => None,
            };
            if halt.is_some() {
                values.resize(self.work.len(), None);
                return halt;
            }
            values.push(value);
        }
        None
    }

    /// Values, and bounds for the nodes that lack one.
    #[must_use]
    pub fn states(&self, leaves: &[Leaf]) -> States {
        let mut states = States::default();
        self.states_into(leaves, &mut states);
        states
    }

    /// As [`Interpreter::states`], reusing a buffer.
    pub fn states_into(&self, leaves: &[Leaf], states: &mut States) {
        states.bounds.clear();
        states.halt = self.values_into(leaves, &mut states.values);
        if states.halt.is_some() || states.values.iter().all(Option::is_some) {
            return;
        }
        states.bounds.reserve(self.work.len());
        for (index, work) in self.work.iter().enumerate() {
            let known = states.values.get(index).is_some_and(Option::is_some);
            let bounds = match work {
                _ if known => None,
                Work::Leaf => self.types.get(index).map(Bounds::of),
                Work::Items { optional } => Some(Bounds::of_items(leaves.get(index), *optional)),
                Work::Step(step) => {
                    let inputs: Vec<Bounds> = step.slots.iter().map(|input| states.input(input)).collect();
                    Some(step.hull(&inputs))
                }
            };
            states.halt = match &bounds {
                Some(Bounds { known: Known::Numbers { lo, hi, .. }, .. }) if lo.bits().max(hi.bits()) > MOST_BITS => {
                    Some(Halt::TooLong(node_id(index)))
                }
                Some(Bounds { known: Known::Nothing, .. }) if !self.optional(index) => {
                    Some(Halt::NothingToReach(node_id(index)))
                }
                _ => None,
            };
            if states.halt.is_some() {
                return;
            }
            states.bounds.push(bounds);
        }
    }
}

impl States {
    /// The node's value, where its inputs are all known, or where the bounds leave only one.
    #[must_use]
    pub fn value(&self, node: NodeId) -> Option<Value> {
        match self.values.get(node.index()) {
            Some(Some(value)) => Some(value.clone()),
            _ => self.bounds.get(node.index())?.as_ref()?.exact(),
        }
    }

    /// What the node may be.
    #[must_use]
    pub fn bounds(&self, node: NodeId) -> Bounds {
        match self.values.get(node.index()) {
            Some(Some(value)) => Bounds::exactly(value),
            _ => self.bounds.get(node.index()).cloned().flatten().unwrap_or_default(),
        }
    }

    /// What a readout sees where every node may be whatever these bounds say, one per node.
    #[must_use]
    pub fn bounded(bounds: Vec<Bounds>) -> States {
        let values = bounds.iter().map(Bounds::exact).collect();
        States { values, bounds: bounds.into_iter().map(Some).collect(), halt: None }
    }

    /// The node's value where nothing that it reads is missing.
    #[must_use]
    pub fn computed(&self, node: NodeId) -> Option<&Value> {
        self.values.get(node.index())?.as_ref()
    }

    /// What to tell where it could not go on: the nodes from there on have no value. `program` is the one that was evaluated.
    ///
    /// # Errors
    /// A sentence that names the node.
    pub fn check_complete(&self, program: &Program) -> Result<(), String> {
        let name = |node: NodeId| program.node(node).map_or("", |node| &*node.name);
        Err(match self.halt {
            None => return Ok(()),
            Some(Halt::TooLong(node)) => format!(
                "the exact value of `{}` would need more than {MOST_BITS} binary digits; products of products grow like \
                 that, so round on the way, for example `round(x, step: 0.000001)`",
                name(node)
            ),
            Some(Halt::NothingToReach(node)) => format!(
                "`{}` divides by the positive points of the items that came with the record, and none has any; give the \
                 record an item with positive points, or use `sum_points(…)`",
                name(node)
            ),
        })
    }

    /// Whether nothing is missing anywhere.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The values of all nodes, by index; `None` where something that the node reads is missing.
    #[must_use]
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    fn input(&self, input: &Input) -> Bounds {
        match input {
            Input::Constant(value) => Bounds::exactly(value),
            Input::Node(id) => self.bounds(*id),
        }
    }
}

/// The node at this place.
fn node_id(index: usize) -> NodeId {
    // INVARIANT: a program holds fewer than 2³² nodes, each with such an id.
    NodeId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The value of a leaf; `None` where it, or one of its items, is missing.
fn leaf_value(leaf: &Leaf) -> Option<Value> {
    match leaf {
        Leaf::Known(value) => Some(value.clone()),
        Leaf::Missing(_) => None,
        Leaf::Items(items) => {
            let judged = items.iter().map(|item| match &item.met {
                Ok(met) => Some(ItemJudgment { points: item.points.clone(), met: *met }),
                Err(_) => None,
            });
            Some(Value::Items(judged.collect::<Option<Vec<_>>>()?.into()))
        }
    }
}

/// The inputs of a step among the values of a program.
struct Wired<'a> {
    slots: &'a [Input],
    values: &'a [Option<Value>],
}

impl Inputs for Wired<'_> {
    fn at(&self, slot: usize) -> &Value {
        match self.slots.get(slot) {
            Some(Input::Constant(value)) => value,
            Some(Input::Node(id)) => match self.values.get(id.index()) {
                Some(Some(value)) => value,
                _ => &UNKNOWN,
            },
            None => &UNKNOWN,
        }
    }
}

impl Step {
    /// The value from those of the nodes before; `None` where one that is read is missing.
    fn run(&self, values: &[Option<Value>]) -> Option<Value> {
        let there = |input: &Input| match input {
            Input::Constant(_) => true,
            Input::Node(id) => values.get(id.index()).is_some_and(Option::is_some),
        };
        self.slots.iter().all(there).then(|| self.value(&Wired { slots: &self.slots, values }))
    }

    /// The operator's meaning (language.md, section 7).
    pub(crate) fn value<I: Inputs + ?Sized>(&self, inputs: &I) -> Value {
        match self.op {
            Op::Normalize
            | Op::Rescale
            | Op::Clamp
            | Op::Invert
            | Op::Round
            | Op::Quantize
            | Op::Map
            | Op::Bands
            | Op::Piecewise
            | Op::Has
            | Op::Size
            | Op::CountOf
            | Op::Known => self.transform(inputs.at(0)),
            Op::Otherwise => {
                let x = inputs.at(0);
                if x.is_unknown() { inputs.at(1).clone() } else { x.clone() }
            }
            Op::Mean
            | Op::Median
            | Op::Min
            | Op::Max
            | Op::GeometricMean
            | Op::HarmonicMean
            | Op::WeightedMean
            | Op::Sum
            | Op::WeightedSum
            | Op::Product
            | Op::All
            | Op::Any
            | Op::Count
            | Op::Fraction
            | Op::Tree
            | Op::Points
            | Op::SumPoints
            | Op::Vote => self.reduce(inputs),
            Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => self.gate(inputs),
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide => self.arithmetic(inputs.at(0), inputs.at(1)),
            Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                self.compare(inputs.at(0), inputs.at(1))
            }
            Op::If | Op::Decide | Op::And | Op::Or | Op::Not => self.branch(inputs),
        }
    }
}
