//! The table of operators: family, ports, parameters, result rule, and how the result moves with each port.
//!
//! One constant per operator, in a file per family; [`Op::info`] finds it. Words in the entries are read by people (in
//! documentation, completion and prompts); whatever a program decides on is an enum. The table knows no types: what an
//! operator yields is computed in [`super::typing`], and the `result` here only says the same in words.

mod expression;
mod gate;
mod reduce;
mod transform;

use super::Op;

/// Which of the three families an operator belongs to, or how else it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// One judgment in, one out.
    Transform,
    /// Many judgments in, one out.
    Reduce,
    /// A judgment and a condition in, one out.
    Gate,
    /// Arithmetic, comparisons, conditions, `if`: no call.
    Expression,
}

impl Family {
    pub const ALL: [Family; 4] = [Family::Transform, Family::Reduce, Family::Gate, Family::Expression];

    /// The word of a declaration of this family; `expression` for what has none.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Family::Transform => "transform",
            Family::Reduce => "reduce",
            Family::Gate => "gate",
            Family::Expression => "expression",
        }
    }
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

impl Arity {
    /// In words, for documentation.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Arity::Node => "one node",
            Arity::NodeOrConstant => "one node or constant",
            Arity::Optional => "one node or constant, or nothing",
            Arity::Many => "one or more nodes",
        }
    }
}

/// How the result moves when what stands in a port rises (false < true, ordinals by rank, sets and tallies label by label).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    /// It rises, or stays.
    Rising,
    /// It falls, or stays.
    Falling,
    /// By the sign of the slot's weight or points.
    Weight,
    /// Rises where the table's values rise over the argument's interval, falls where they fall, else neither.
    Table,
    /// By the sign of the product of all other slots.
    Others,
    /// The divisor: by the sign of the dividend, turned round.
    Divisor,
    /// `==` against the top of the interval rises, against its bottom falls; else neither. `!=` is the reverse.
    Equality,
    /// By the sign of the difference between what the result is where the condition holds and where it does not.
    Difference,
    /// `vote`: rises over bools, else neither.
    Vote,
    /// Only whether the value is known matters, never what it is.
    KnownOnly,
    /// Neither.
    Mixed,
}

impl Sign {
    /// The word in `rubric catalog`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Sign::Rising => "rising",
            Sign::Falling => "falling",
            Sign::Weight => "by weight",
            Sign::Table => "by table",
            Sign::Others => "by the other factors",
            Sign::Divisor => "by the dividend, reversed",
            Sign::Equality => "by the end that is compared",
            Sign::Difference => "by the difference of the outcomes",
            Sign::Vote => "rising over bools",
            Sign::KnownOnly => "by whether it is known",
            Sign::Mixed => "mixed",
        }
    }
}

/// A port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortInfo {
    pub name: &'static str,
    pub arity: Arity,
    /// What it accepts, in words.
    pub accepts: &'static str,
    pub sign: Sign,
    /// Whether it is filled only by its name (`at: 0.5`), by `when` / `unless` (`trigger`) or by the table (`decide`'s
    /// `when`); the others are filled by place, in order.
    pub named: bool,
}

impl PortInfo {
    /// A port that is filled by place.
    const fn new(name: &'static str, arity: Arity, accepts: &'static str, sign: Sign) -> PortInfo {
        PortInfo { name, arity, accepts, sign, named: false }
    }

    /// The same port, filled by its name only.
    const fn by_name(mut self) -> PortInfo {
        self.named = true;
        self
    }
}

/// A parameter: a constant that belongs to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamInfo {
    pub name: &'static str,
    /// What it is, in words.
    pub is: &'static str,
    /// The default as written; `None` where it must be given.
    pub default: Option<&'static str>,
    /// The words that it takes, where it takes words.
    pub words: &'static [&'static str],
    /// Whether it may stand by place, behind the ports (`has(x, label)`).
    pub positional: bool,
}

impl ParamInfo {
    pub(super) const fn new(name: &'static str, is: &'static str, default: Option<&'static str>) -> ParamInfo {
        ParamInfo { name, is, default, words: &[], positional: false }
    }

    pub(super) const fn words(mut self, words: &'static [&'static str]) -> ParamInfo {
        self.words = words;
        self
    }

    const fn by_place(mut self) -> ParamInfo {
        self.positional = true;
        self
    }
}

/// What the slots of port `x` must carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weights {
    /// Nothing.
    None,
    /// A weight above 0 each.
    Positive,
    /// A weight other than 0 each.
    Nonzero,
    /// Points other than 0 each: those of a checklist's items, or `weight` behind a plain bool.
    Points,
    /// Nothing; the points of a checklist's items must only be of one sign.
    OneSign,
}

impl Weights {
    /// Whether a resolved operation carries one weight per slot.
    #[must_use]
    pub fn kept(self) -> bool {
        matches!(self, Weights::Positive | Weights::Nonzero | Weights::Points)
    }
}

/// An entry of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorInfo {
    pub op: Op,
    pub family: Family,
    pub ports: &'static [PortInfo],
    pub params: &'static [ParamInfo],
    pub weights: Weights,
    /// What the rows of its `{ … }` are, in words; `None` where it has none.
    pub table: Option<&'static str>,
    /// The type of the result, in words.
    pub result: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// As an author writes it.
    pub example: &'static str,
}

impl OperatorInfo {
    /// The place of a port in `ports`.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|p| p.name == name)
    }

    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'static ParamInfo> {
        self.params.iter().find(|p| p.name == name)
    }

    /// The names that an argument may carry, for messages: ports first, then parameters. `trigger` is not among them: it is
    /// written with `when`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let table = self.table.is_some() && self.op == Op::Decide;
        let ports = self.ports.iter().map(|p| p.name).filter(move |n| *n != "trigger" && !table);
        ports.chain(self.params.iter().map(|p| p.name))
    }

    /// Whether it is written as a call: `word(…)`.
    #[must_use]
    pub fn is_call(&self) -> bool {
        self.family != Family::Expression
    }
}

pub(super) const MODE: ParamInfo =
    ParamInfo::new("mode", "how a number between two steps is rounded; `half_up` is toward +∞", Some("half_up"))
        .words(&["half_up", "half_down", "half_even", "down", "up"]);

const POLICY: ParamInfo = ParamInfo::new(
    "unknown",
    "what an unknown slot does: drops out, makes the result unknown, counts as what makes the result lowest or highest, or \
     as this constant; must be given where a slot can be unknown",
    None,
)
.words(&["skip", "propagate", "lowest", "highest"]);

const BOOL_POLICY: ParamInfo = ParamInfo::new(
    "unknown",
    "what an unknown slot does: drops out, makes the result unknown unless the others settle it, or counts as `true` or \
     `false`; must be given where a slot can be unknown",
    None,
)
.words(&["skip", "propagate", "true", "false"]);

const TRIGGER_POLICY: ParamInfo =
    ParamInfo::new("unknown", "whether an unknown trigger fires; must be given where the trigger can be unknown", None)
        .words(&["fires", "passes"]);

impl Op {
    /// Its entry in the table.
    #[must_use]
    pub fn info(self) -> &'static OperatorInfo {
        match self {
            Op::Normalize => &transform::NORMALIZE,
            Op::Rescale => &transform::RESCALE,
            Op::Clamp => &transform::CLAMP,
            Op::Invert => &transform::INVERT,
            Op::Round => &transform::ROUND,
            Op::Quantize => &transform::QUANTIZE,
            Op::Map => &transform::MAP,
            Op::Bands => &transform::BANDS,
            Op::Piecewise => &transform::PIECEWISE,
            Op::Has => &transform::HAS,
            Op::Size => &transform::SIZE,
            Op::CountOf => &transform::COUNT_OF,
            Op::Known => &transform::KNOWN,
            Op::Otherwise => &transform::OTHERWISE,
            Op::Mean => &reduce::MEAN,
            Op::Median => &reduce::MEDIAN,
            Op::Min => &reduce::MIN,
            Op::Max => &reduce::MAX,
            Op::GeometricMean => &reduce::GEOMETRIC_MEAN,
            Op::HarmonicMean => &reduce::HARMONIC_MEAN,
            Op::WeightedMean => &reduce::WEIGHTED_MEAN,
            Op::Sum => &reduce::SUM,
            Op::WeightedSum => &reduce::WEIGHTED_SUM,
            Op::Product => &reduce::PRODUCT,
            Op::All => &reduce::ALL,
            Op::Any => &reduce::ANY,
            Op::Count => &reduce::COUNT,
            Op::Fraction => &reduce::FRACTION,
            Op::Vote => &reduce::VOTE,
            Op::Points => &reduce::POINTS,
            Op::SumPoints => &reduce::SUM_POINTS,
            Op::Tree => &reduce::TREE,
            Op::Decide => &reduce::DECIDE,
            Op::Cap => &gate::CAP,
            Op::Floor => &gate::FLOOR,
            Op::Veto => &gate::VETO,
            Op::Mask => &gate::MASK,
            Op::Penalty => &gate::PENALTY,
            Op::Replace => &gate::REPLACE,
            Op::Add => &expression::ADD,
            Op::Subtract => &expression::SUBTRACT,
            Op::Multiply => &expression::MULTIPLY,
            Op::Divide => &expression::DIVIDE,
            Op::If => &expression::IF,
            Op::And => &expression::AND,
            Op::Or => &expression::OR,
            Op::Not => &expression::NOT,
            Op::Equal => &expression::EQUAL,
            Op::NotEqual => &expression::NOT_EQUAL,
            Op::Less => &expression::LESS,
            Op::LessEqual => &expression::LESS_EQUAL,
            Op::Greater => &expression::GREATER,
            Op::GreaterEqual => &expression::GREATER_EQUAL,
        }
    }

    #[must_use]
    pub fn family(self) -> Family {
        self.info().family
    }

    /// The operator that an author calls by this word; arithmetic and comparisons have symbols instead.
    #[must_use]
    pub fn called(word: &str) -> Option<Op> {
        Op::from_word(word).filter(|op| op.info().is_call())
    }

    /// All words that can be called, for "did you mean".
    pub fn call_words() -> impl Iterator<Item = &'static str> {
        Op::ALL.iter().filter(|op| op.info().is_call()).map(|op| op.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_stands_under_its_own_operator_and_word() {
        for op in Op::ALL {
            let info = op.info();
            assert_eq!(info.op, *op);
            assert_eq!(Op::from_word(op.word()), Some(*op));
            assert!(!info.ports.is_empty(), "{op:?}");
            for text in [info.result, info.doc, info.example] {
                assert!(!text.is_empty(), "{op:?}");
            }
        }
    }

    #[test]
    fn names_of_ports_and_parameters_are_distinct_within_an_entry() {
        for op in Op::ALL {
            let info = op.info();
            let mut names: Vec<_> =
                info.ports.iter().map(|p| p.name).chain(info.params.iter().map(|p| p.name)).collect();
            names.sort_unstable();
            let before = names.len();
            names.dedup();
            assert_eq!(names.len(), before, "{op:?}");
        }
    }

    #[test]
    fn only_calls_are_found_by_word() {
        assert_eq!(Op::called("mean"), Some(Op::Mean));
        assert_eq!(Op::called("add"), None);
        assert!(Op::call_words().all(|w| Op::called(w).is_some()));
    }

    #[test]
    fn an_example_of_a_call_begins_with_its_word() {
        for op in Op::ALL.iter().filter(|op| op.info().is_call()) {
            assert!(op.info().example.starts_with(op.word()), "{op:?}");
        }
    }

    #[test]
    fn gates_have_a_base_and_a_trigger() {
        for op in Op::ALL.iter().filter(|op| op.family() == Family::Gate) {
            assert_eq!(op.info().port("base"), Some(0));
            assert_eq!(op.info().port("trigger"), Some(1));
        }
    }
}
