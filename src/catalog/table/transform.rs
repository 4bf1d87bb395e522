//! TRANSFORM: one judgment in, one out. All of them pass `unknown` through, except `known`, `otherwise` and a `map` with an
//! arm for it.

use super::{Arity, Family, MODE, Op, OperatorInfo, ParamInfo, PortInfo, Sign, Weights};

const BASE: OperatorInfo = OperatorInfo {
    op: Op::Normalize,
    family: Family::Transform,
    ports: &[],
    params: &[],
    weights: Weights::None,
    table: None,
    result: "",
    doc: "",
    example: "",
};

const fn x(accepts: &'static str, sign: Sign) -> PortInfo {
    PortInfo::new("x", Arity::Node, accepts, sign)
}

pub(super) const NORMALIZE: OperatorInfo = OperatorInfo {
    op: Op::Normalize,
    ports: &[x("a number, a bool or an ordinal", Sign::Rising)],
    result: "score[0..1]; `?` passes through",
    doc: "Puts a judgment on the scale from 0 to 1: a number by its interval, a bool as 0 or 1, an ordinal as rank/(n−1).",
    example: "normalize(factuality)",
    ..BASE
};

pub(super) const RESCALE: OperatorInfo = OperatorInfo {
    op: Op::Rescale,
    ports: &[x("a number", Sign::Rising)],
    params: &[ParamInfo::new("to", "the new type: a score, or an int where every whole number stays whole", None)],
    result: "the type `to`; `?` passes through",
    doc: "Stretches the interval of a number linearly onto that of another type.",
    example: "rescale(quality, to: score[0..100])",
    ..BASE
};

pub(super) const CLAMP: OperatorInfo = OperatorInfo {
    op: Op::Clamp,
    ports: &[x("a number, with bounds or without", Sign::Rising)],
    params: &[ParamInfo::new("to", "the new type: a score, or for an int also an int", None)],
    result: "the type `to`; `?` passes through",
    doc: "Cuts a number off at the ends of another type's interval.",
    example: "clamp(points(care), to: score[0..1])",
    ..BASE
};

pub(super) const INVERT: OperatorInfo = OperatorInfo {
    op: Op::Invert,
    ports: &[x("a number on an interval a..b", Sign::Falling)],
    result: "the type of x",
    doc: "Turns a scale round: a + b − x.",
    example: "invert(verbosity)",
    ..BASE
};

pub(super) const ROUND: OperatorInfo = OperatorInfo {
    op: Op::Round,
    ports: &[x("a number", Sign::Rising)],
    params: &[ParamInfo::new("step", "the distance of the steps, above 0; the steps go through 0", Some("1")), MODE],
    result: "the interval between the rounded ends: int where the step is whole, else score; `?` passes through",
    doc: "Rounds to the nearest step.",
    example: "round(quality, step: 0.5, mode: half_up)",
    ..BASE
};

pub(super) const QUANTIZE: OperatorInfo = OperatorInfo {
    op: Op::Quantize,
    ports: &[x("a number", Sign::Rising)],
    params: &[ParamInfo::new("to", "the new type: an int", None), MODE],
    result: "the type `to`; `?` passes through",
    doc: "Rescales to an int's interval, then rounds to whole numbers.",
    example: "quantize(quality, to: int[1..5])",
    ..BASE
};

pub(super) const MAP: OperatorInfo = OperatorInfo {
    op: Op::Map,
    ports: &[x("a bool, int, ordinal or choice", Sign::Table)],
    table: Some("`value => result` for every value of x, or `rest => result`; `unknown => result` for unknown"),
    result: "numbers: from the least to the greatest result, int where all are whole; bools: bool; labels: the written \
             ordinal or choice; `?` passes through unless there is a row for unknown",
    doc: "Gives each value a result of its own.",
    example: "map(stance) { hostile => 0, neutral => 0.5, rest => 1 }",
    ..BASE
};

pub(super) const BANDS: OperatorInfo = OperatorInfo {
    op: Op::Bands,
    ports: &[x("a number", Sign::Rising)],
    table: Some("`below NUMBER => label`, ascending, then `rest => label`"),
    result: "the ordinal of the labels in the order written; `?` passes through",
    doc: "Cuts an interval into named bands: from its low end up to, and without, the first bound, and so on.",
    example: "bands(quality) { below 0.4 => fail, below 0.8 => pass, rest => excel }",
    ..BASE
};

pub(super) const PIECEWISE: OperatorInfo = OperatorInfo {
    op: Op::Piecewise,
    ports: &[x("a number", Sign::Table)],
    table: Some("`NUMBER => NUMBER`, ascending, from the low end of x's interval to its high end"),
    result: "score from the least to the greatest result; `?` passes through",
    doc: "Goes in straight lines from point to point.",
    example: "piecewise(quality) { 0 => 0, 0.6 => 0.2, 1 => 1 }",
    ..BASE
};

const LABEL: ParamInfo = ParamInfo::new("label", "one of the labels of x", None).by_place();

pub(super) const HAS: OperatorInfo = OperatorInfo {
    op: Op::Has,
    ports: &[x("a set or a tally", Sign::Rising)],
    params: &[LABEL],
    result: "bool; `?` passes through",
    doc: "Whether a label is in the set, or counted at least once.",
    example: "has(faults, plagiarism)",
    ..BASE
};

pub(super) const SIZE: OperatorInfo = OperatorInfo {
    op: Op::Size,
    ports: &[x("a set or a tally", Sign::Rising)],
    result: "set of n labels: int[0..n]; tally of k labels, each at most n: int[0..k·n]; `?` passes through",
    doc: "How many labels are in the set, or how many counts the tally has in all.",
    example: "size(faults)",
    ..BASE
};

pub(super) const COUNT_OF: OperatorInfo = OperatorInfo {
    op: Op::CountOf,
    ports: &[x("a tally", Sign::Rising)],
    params: &[LABEL],
    result: "int from 0 to the tally's max; `?` passes through",
    doc: "How often the tally counts a label.",
    example: "count_of(errors, major)",
    ..BASE
};

pub(super) const KNOWN: OperatorInfo = OperatorInfo {
    op: Op::Known,
    ports: &[x("any judgment", Sign::KnownOnly)],
    result: "bool, never unknown",
    doc: "Whether the judge could tell.",
    example: "known(completeness)",
    ..BASE
};

pub(super) const OTHERWISE: OperatorInfo = OperatorInfo {
    op: Op::Otherwise,
    ports: &[
        x("a judgment that may be unknown", Sign::Rising),
        PortInfo::new("v", Arity::NodeOrConstant, "a constant or node of x's type, without `?`", Sign::Rising),
    ],
    result: "the type of x without `?`",
    doc: "The value itself, or v where it is unknown.",
    example: "otherwise(normalize(completeness), 0.5)",
    ..BASE
};
