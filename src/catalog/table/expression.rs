//! What is written without a call: arithmetic, comparisons, conditions, `if`. All of them pass `unknown` through; `and`,
//! `or` and `not` are Kleene's: what the known parts settle is known.

use super::{Arity, Family, Op, OperatorInfo, PortInfo, Sign, Weights};

const BASE: OperatorInfo = OperatorInfo {
    op: Op::Add,
    family: Family::Expression,
    ports: &[],
    params: &[],
    weights: Weights::None,
    table: None,
    result: "",
    doc: "",
    example: "",
};

const fn side(name: &'static str, accepts: &'static str, sign: Sign) -> PortInfo {
    PortInfo::new(name, Arity::NodeOrConstant, accepts, sign)
}

const NUMBER: &str = "a number";
const EQUAL_SIDE: &str = "a number, a bool, or a label of one ordinal or choice";
const ORDER_SIDE: &str = "a number, or a label of one ordinal";
const WHOLE: &str = "the interval of all results, int where both sides are ints";
const ANSWER: &str = "bool; with `?` where a side can be unknown";

pub(super) const ADD: OperatorInfo = OperatorInfo {
    op: Op::Add,
    ports: &[side("left", NUMBER, Sign::Rising), side("right", NUMBER, Sign::Rising)],
    result: WHOLE,
    doc: "Added.",
    example: "minors + 5",
    ..BASE
};

pub(super) const SUBTRACT: OperatorInfo = OperatorInfo {
    op: Op::Subtract,
    ports: &[side("left", NUMBER, Sign::Rising), side("right", NUMBER, Sign::Falling)],
    result: WHOLE,
    doc: "Subtracted.",
    example: "100 - demerits",
    ..BASE
};

pub(super) const MULTIPLY: OperatorInfo = OperatorInfo {
    op: Op::Multiply,
    ports: &[side("left", NUMBER, Sign::Others), side("right", NUMBER, Sign::Others)],
    result: WHOLE,
    doc: "Multiplied.",
    example: "5 * majors",
    ..BASE
};

pub(super) const DIVIDE: OperatorInfo = OperatorInfo {
    op: Op::Divide,
    ports: &[
        side("left", NUMBER, Sign::Others),
        side("right", "a number whose interval does not contain 0", Sign::Divisor),
    ],
    result: "score: the interval of all results",
    doc: "Divided.",
    example: "errors / words",
    ..BASE
};

pub(super) const IF: OperatorInfo = OperatorInfo {
    op: Op::If,
    ports: &[
        PortInfo::new("condition", Arity::Node, "a bool", Sign::Difference),
        side("then", "a constant or a judgment", Sign::Rising),
        side("else", "a constant or a judgment of the same kind or scale", Sign::Rising),
    ],
    result: "numbers: the interval that spans both branches, int where both are; else the one type of both",
    doc: "The first branch where the condition holds, the second where it does not, unknown where it is unknown.",
    example: "if minor then strict else normal",
    ..BASE
};

pub(super) const AND: OperatorInfo = OperatorInfo {
    op: Op::And,
    ports: &[PortInfo::new("x", Arity::Many, "bools", Sign::Rising)],
    result: ANSWER,
    doc: "Whether all hold; one that does not settles it, even beside unknown ones.",
    example: "polite and complete",
    ..BASE
};

pub(super) const OR: OperatorInfo = OperatorInfo {
    op: Op::Or,
    ports: &[PortInfo::new("x", Arity::Many, "bools", Sign::Rising)],
    result: ANSWER,
    doc: "Whether at least one holds; one that does settles it, even beside unknown ones.",
    example: "threat or insult",
    ..BASE
};

pub(super) const NOT: OperatorInfo = OperatorInfo {
    op: Op::Not,
    ports: &[PortInfo::new("x", Arity::Node, "a bool", Sign::Falling)],
    result: ANSWER,
    doc: "Whether it does not hold.",
    example: "not harmful",
    ..BASE
};

pub(super) const EQUAL: OperatorInfo = OperatorInfo {
    op: Op::Equal,
    ports: &[side("left", EQUAL_SIDE, Sign::Equality), side("right", EQUAL_SIDE, Sign::Equality)],
    result: ANSWER,
    doc: "Whether both are the same.",
    example: "stance == hostile",
    ..BASE
};

pub(super) const NOT_EQUAL: OperatorInfo = OperatorInfo {
    op: Op::NotEqual,
    ports: &[side("left", EQUAL_SIDE, Sign::Equality), side("right", EQUAL_SIDE, Sign::Equality)],
    result: ANSWER,
    doc: "Whether they differ.",
    example: "stance != hostile",
    ..BASE
};

pub(super) const LESS: OperatorInfo = OperatorInfo {
    op: Op::Less,
    ports: &[side("left", ORDER_SIDE, Sign::Falling), side("right", ORDER_SIDE, Sign::Rising)],
    result: ANSWER,
    doc: "Whether the left one is below the right one.",
    example: "accuracy < 3",
    ..BASE
};

pub(super) const LESS_EQUAL: OperatorInfo = OperatorInfo {
    op: Op::LessEqual,
    ports: &[side("left", ORDER_SIDE, Sign::Falling), side("right", ORDER_SIDE, Sign::Rising)],
    result: ANSWER,
    doc: "Whether the left one is not above the right one.",
    example: "accuracy <= 3",
    ..BASE
};

pub(super) const GREATER: OperatorInfo = OperatorInfo {
    op: Op::Greater,
    ports: &[side("left", ORDER_SIDE, Sign::Rising), side("right", ORDER_SIDE, Sign::Falling)],
    result: ANSWER,
    doc: "Whether the left one is above the right one.",
    example: "accuracy > 3",
    ..BASE
};

pub(super) const GREATER_EQUAL: OperatorInfo = OperatorInfo {
    op: Op::GreaterEqual,
    ports: &[side("left", ORDER_SIDE, Sign::Rising), side("right", ORDER_SIDE, Sign::Falling)],
    result: ANSWER,
    doc: "Whether the left one is not below the right one.",
    example: "accuracy >= 3",
    ..BASE
};
