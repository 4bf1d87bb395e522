//! Operators and their resolved applications.
//!
//! An [`Operation`] is fully resolved: labels are ranks, policies are chosen, constants have been checked. Only
//! [`super::typing`] makes one, so whoever holds an operation may rely on the rules of language.md, section 7.

use crate::number::{Number, Rounding};
use crate::types::{Type, Value};

/// A node of a program: its place in `Program::nodes`, which is a topological order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! operators {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// Every operator of the language. What each means is in [`super::table`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($name),* }

        impl Op {
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// Its name in a JSON program; for those that are called, also the word an author writes.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Op::$name => $word),* }
            }

            #[must_use]
            pub fn from_word(word: &str) -> Option<Op> {
                match word { $($word => Some(Op::$name),)* _ => None }
            }
        }
    };
}

operators! {
    // TRANSFORM
    Normalize = "normalize", Rescale = "rescale", Clamp = "clamp", Invert = "invert", Round = "round",
    Quantize = "quantize", Map = "map", Bands = "bands", Piecewise = "piecewise", Has = "has", Size = "size",
    CountOf = "count_of", Known = "known", Otherwise = "otherwise",
    // REDUCE
    Mean = "mean", Median = "median", Min = "min", Max = "max", GeometricMean = "geometric_mean",
    HarmonicMean = "harmonic_mean", WeightedMean = "weighted_mean", Sum = "sum", WeightedSum = "weighted_sum",
    Product = "product", All = "all", Any = "any", Count = "count", Fraction = "fraction", Vote = "vote",
    Points = "points", SumPoints = "sum_points", Tree = "tree", Decide = "decide",
    // GATE
    Cap = "cap", Floor = "floor", Veto = "veto", Mask = "mask", Penalty = "penalty", Replace = "replace",
    // written as arithmetic, comparisons and conditions
    Add = "add", Subtract = "subtract", Multiply = "multiply", Divide = "divide", If = "if",
    And = "and", Or = "or", Not = "not", Equal = "equal", NotEqual = "not_equal", Less = "less",
    LessEqual = "less_equal", Greater = "greater", GreaterEqual = "greater_equal",
}

/// What stands in a slot of a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    Node(NodeId),
    /// A constant, as a value of the type that the port asks for: for `at to by` of a gate the base's type; for a
    /// comparison the other side's; for branches and `otherwise` the node's own type; else a number or a bool.
    Constant(Value),
}

impl Input {
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Input::Node(id) => Some(*id),
            Input::Constant(_) => None,
        }
    }
}

/// A named port with its slots, in order. (Slots are numbered from 1 in JSON, traces and messages.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Port {
    pub name: &'static str,
    pub inputs: Vec<Input>,
}

/// What a REDUCE does with an unknown slot, or a GATE with an unknown trigger.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UnknownPolicy {
    Skip,
    Propagate,
    /// What makes this node lowest.
    Lowest,
    /// What makes this node highest.
    Highest,
    /// A value of the node's own type stands for the slot (for `all any count fraction`: a bool; for `points` and
    /// `sum_points`: a bool too).
    Constant(Value),
    /// Triggers only.
    Fires,
    /// Triggers only.
    Passes,
}

/// `key => value` of a `map`; the key is a value of the argument's type (`Unknown` too), the value one of the node's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MapArm {
    pub key: Value,
    pub value: Value,
}

/// One band: everything below `below` that no earlier band took; `None` for `rest`. Its label is its rank in the node's type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Band {
    pub below: Option<Number>,
    pub label: u32,
}

/// What a `vote` answers on a tie.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum VoteTie {
    Lowest,
    Highest,
    Unknown,
    Value(Value),
}

/// The parameters of an operation. Which operator uses which is in [`super::table`]; all others stay empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Params {
    /// One per slot of the port `x` (`weighted_mean`, `weighted_sum`, `points`, `sum_points`, `tree`). Points are signed.
    pub weights: Vec<Number>,
    pub unknown: Option<UnknownPolicy>,
    /// `rescale clamp quantize`.
    pub to: Option<Type>,
    pub step: Option<Number>,
    pub mode: Option<Rounding>,
    pub arms: Vec<MapArm>,
    /// `map`'s `rest`.
    pub rest: Option<Value>,
    pub bands: Vec<Band>,
    /// `piecewise`: (x, y), x ascending.
    pub knots: Vec<(Number, Number)>,
    /// `has`, `count_of`: rank in the argument's type.
    pub label: Option<u32>,
    /// `decide`: the result of each condition, and last that of `rest`.
    pub results: Vec<Value>,
    pub tie: Option<VoteTie>,
}

/// The parameters of a node. Most nodes have none, so those that have some keep them apart: a program of a hundred thousand
/// nodes is a tenth of the size.
#[derive(Clone, Default)]
pub struct Parameters(Option<Box<Params>>);

const NO_PARAMS: &Params = &Params {
    weights: Vec::new(),
    unknown: None,
    to: None,
    step: None,
    mode: None,
    arms: Vec::new(),
    rest: None,
    bands: Vec::new(),
    knots: Vec::new(),
    label: None,
    results: Vec::new(),
    tie: None,
};

impl From<Params> for Parameters {
    fn from(params: Params) -> Parameters {
        if params == *NO_PARAMS { Parameters(None) } else { Parameters(Some(Box::new(params))) }
    }
}

impl std::ops::Deref for Parameters {
    type Target = Params;

    fn deref(&self) -> &Params {
        self.0.as_deref().unwrap_or(NO_PARAMS)
    }
}

impl std::ops::DerefMut for Parameters {
    fn deref_mut(&mut self) -> &mut Params {
        self.0.get_or_insert_default()
    }
}

impl std::fmt::Debug for Parameters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Parameters) -> bool {
        **self == **other
    }
}

impl Eq for Parameters {}

impl std::hash::Hash for Parameters {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// An operator with its ports filled and its parameters set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    pub op: Op,
    /// In the order of the operator's entry in the table; ports that stand empty (an optional one) are left out.
    pub ports: Vec<Port>,
    pub params: Parameters,
}

impl Operation {
    /// The inputs of a port; empty where it has none.
    #[must_use]
    pub fn port(&self, name: &str) -> &[Input] {
        self.ports.iter().find(|p| p.name == name).map_or(&[], |p| &p.inputs)
    }

    /// The single input of a port.
    #[must_use]
    pub fn one(&self, name: &str) -> Option<&Input> {
        self.port(name).first()
    }

    /// The factor with which each slot of port `x` goes into the result, of an operator that adds its slots up (a bool counts
    /// as 0 or 1): `points` divide by the positive points, means by the weights. It holds where no slot is unknown. `None`
    /// for all other operators, and where items bring their points with the record.
    #[must_use]
    pub fn shares(&self) -> Option<Vec<Number>> {
        let weights = &self.params.weights;
        let slots = self.port("x").len();
        let divided = |of: &[Number], total: &Number| of.iter().map(|w| w.checked_div(total)).collect::<Option<_>>();
        let plain = || vec![Number::ONE; slots];
        let shares: Vec<Number> = match self.op {
            Op::Sum | Op::Count => plain(),
            Op::Mean | Op::Fraction => divided(&plain(), &Number::from(slots))?,
            Op::WeightedSum | Op::SumPoints => weights.clone(),
            Op::WeightedMean | Op::Tree => divided(weights, &weights.iter().sum())?,
            Op::Points => divided(weights, &weights.iter().filter(|w| w.is_positive()).sum())?,
            _ => return None,
        };
        (shares.len() == slots).then_some(shares)
    }

    /// All nodes that this one reads, by port and slot.
    pub fn sources(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ports.iter().flat_map(|p| p.inputs.iter().filter_map(Input::node))
    }
}
