//! REDUCE: many judgments in, one out. Where a slot can be unknown, the call says what that does.

use super::{Arity, BOOL_POLICY, Family, Op, OperatorInfo, POLICY, ParamInfo, PortInfo, Sign, Weights};

const BASE: OperatorInfo = OperatorInfo {
    op: Op::Mean,
    family: Family::Reduce,
    ports: &[],
    params: &[POLICY],
    weights: Weights::None,
    table: None,
    result: "",
    doc: "",
    example: "",
};

const fn slots(accepts: &'static str, sign: Sign) -> PortInfo {
    PortInfo::new("x", Arity::Many, accepts, sign)
}

const NUMBERS: &[PortInfo] = &[slots("numbers, all on one interval", Sign::Rising)];
const NOT_NEGATIVE: &[PortInfo] = &[slots("numbers, all on one interval that does not go below 0", Sign::Rising)];
const ORDERED: &[PortInfo] = &[slots("numbers, all on one interval; or one ordinal", Sign::Rising)];
const BOOLS: &[PortInfo] = &[slots("bools, or a checklist whose points have one sign", Sign::Rising)];
const BUNDLE: &[PortInfo] = &[slots("checklists, their groups and items; bools with a `weight`", Sign::Weight)];
const SAME: &str = "score on the interval of the slots";

pub(super) const MEAN: OperatorInfo = OperatorInfo {
    op: Op::Mean,
    ports: NUMBERS,
    result: SAME,
    doc: "The arithmetic mean.",
    example: "mean(clarity, depth)",
    ..BASE
};

pub(super) const MEDIAN: OperatorInfo = OperatorInfo {
    op: Op::Median,
    ports: NUMBERS,
    result: SAME,
    doc: "The middle one by size; of an even count the mean of the middle two.",
    example: "median(first_reader, second_reader, third_reader)",
    ..BASE
};

pub(super) const MIN: OperatorInfo = OperatorInfo {
    op: Op::Min,
    ports: ORDERED,
    result: "the interval of the slots, int where all are ints; of ordinals that ordinal",
    doc: "The lowest.",
    example: "min(accuracy, safety)",
    ..BASE
};

pub(super) const MAX: OperatorInfo = OperatorInfo {
    op: Op::Max,
    ports: ORDERED,
    result: "the interval of the slots, int where all are ints; of ordinals that ordinal",
    doc: "The highest.",
    example: "max(first_try, second_try)",
    ..BASE
};

pub(super) const GEOMETRIC_MEAN: OperatorInfo = OperatorInfo {
    op: Op::GeometricMean,
    ports: NOT_NEGATIVE,
    result: SAME,
    doc: "The n-th root of the product, correctly rounded to 12 places; one 0 makes it 0.",
    example: "geometric_mean(accuracy, coverage)",
    ..BASE
};

pub(super) const HARMONIC_MEAN: OperatorInfo = OperatorInfo {
    op: Op::HarmonicMean,
    ports: NOT_NEGATIVE,
    result: SAME,
    doc: "n divided by the sum of the reciprocals; one 0 makes it 0.",
    example: "harmonic_mean(precision, recall)",
    ..BASE
};

pub(super) const WEIGHTED_MEAN: OperatorInfo = OperatorInfo {
    op: Op::WeightedMean,
    ports: NUMBERS,
    weights: Weights::Positive,
    result: SAME,
    doc: "The mean in which each slot counts by its weight.",
    example: "weighted_mean(accuracy weight 3, style weight 1)",
    ..BASE
};

pub(super) const SUM: OperatorInfo = OperatorInfo {
    op: Op::Sum,
    ports: &[slots("numbers", Sign::Rising)],
    result: "from the sum of the low ends to that of the high ends, int where all are ints; with `skip`, the interval of a \
             slot that can be unknown takes in 0",
    doc: "All added up.",
    example: "sum(content, language, form)",
    ..BASE
};

pub(super) const WEIGHTED_SUM: OperatorInfo = OperatorInfo {
    op: Op::WeightedSum,
    ports: &[slots("numbers", Sign::Weight)],
    weights: Weights::Nonzero,
    result: "score: as sum, each interval times its weight",
    doc: "All added up, each times its weight, which may be negative.",
    example: "weighted_sum(count_of(errors, major) weight -5, count_of(errors, minor) weight -1)",
    ..BASE
};

pub(super) const PRODUCT: OperatorInfo = OperatorInfo {
    op: Op::Product,
    ports: &[slots("numbers", Sign::Others)],
    result: "score: the product of the intervals; with `skip`, the interval of a slot that can be unknown takes in 1",
    doc: "All multiplied.",
    example: "product(accuracy, coverage)",
    ..BASE
};

pub(super) const ALL: OperatorInfo = OperatorInfo {
    op: Op::All,
    ports: BOOLS,
    params: &[BOOL_POLICY],
    weights: Weights::OneSign,
    result: "bool",
    doc: "Whether every one holds.",
    example: "all(polite, complete)",
    ..BASE
};

pub(super) const ANY: OperatorInfo = OperatorInfo {
    op: Op::Any,
    ports: BOOLS,
    params: &[BOOL_POLICY],
    weights: Weights::OneSign,
    result: "bool",
    doc: "Whether at least one holds.",
    example: "any(threat, insult)",
    ..BASE
};

pub(super) const COUNT: OperatorInfo = OperatorInfo {
    op: Op::Count,
    ports: BOOLS,
    params: &[BOOL_POLICY],
    weights: Weights::OneSign,
    result: "int[0..n] for n slots",
    doc: "How many hold.",
    example: "count(polite, complete, brief)",
    ..BASE
};

pub(super) const FRACTION: OperatorInfo = OperatorInfo {
    op: Op::Fraction,
    ports: BOOLS,
    params: &[BOOL_POLICY],
    weights: Weights::OneSign,
    result: "score[0..1]",
    doc: "The share of those that hold.",
    example: "fraction(polite, complete, brief)",
    ..BASE
};

pub(super) const VOTE: OperatorInfo = OperatorInfo {
    op: Op::Vote,
    ports: &[slots("bools, ints, ordinals or choices, all of one type", Sign::Vote)],
    params: &[
        ParamInfo::new(
            "tie",
            "what wins where several values are equally frequent: the lowest or highest of them, `unknown`, or this value",
            None,
        )
        .words(&["lowest", "highest", "unknown"]),
        POLICY,
    ],
    result: "the type of the slots; with `?` where `tie` is unknown",
    doc: "The most frequent value.",
    example: "vote(first_reader, second_reader, third_reader, tie: lowest)",
    ..BASE
};

pub(super) const POINTS: OperatorInfo = OperatorInfo {
    op: Op::Points,
    ports: BUNDLE,
    weights: Weights::Points,
    params: &[BUNDLE_POLICY],
    result: "score[N/P..1]: N the sum of the negative points, P of the positive ones; with `skip` [N/p..1], p the positive \
             points that cannot be unknown, or the smallest positive ones where all can; of items that come with the record \
             a number without bounds",
    doc: "The points of the items met, divided by all positive points; not cut off at 0.",
    example: "points(care)",
    ..BASE
};

pub(super) const SUM_POINTS: OperatorInfo = OperatorInfo {
    op: Op::SumPoints,
    ports: BUNDLE,
    weights: Weights::Points,
    params: &[BUNDLE_POLICY],
    result: "score[N..P]: N the sum of the negative points, P of the positive ones; of items that come with the record a \
             number without bounds",
    doc: "The points of the items met, added up.",
    example: "sum_points(care)",
    ..BASE
};

const BUNDLE_POLICY: ParamInfo = ParamInfo::new(
    "unknown",
    "what an unknown item does: drops out (of both sums in `points`), makes the result unknown, counts as what makes the \
     result lowest or highest, or as `true` or `false`; must be given where an item can be unknown",
    None,
)
.words(&["skip", "propagate", "lowest", "highest", "true", "false"]);

pub(super) const TREE: OperatorInfo = OperatorInfo {
    op: Op::Tree,
    ports: &[slots("a checklist whose points are all positive and whose groups have weights", Sign::Rising)],
    weights: Weights::Positive,
    result: "score[0..1], for each group a node of its own",
    doc: "Level by level the weighted mean of items (by their points) and groups (by their weight).",
    example: "tree(paper, unknown: skip)",
    ..BASE
};

pub(super) const DECIDE: OperatorInfo = OperatorInfo {
    op: Op::Decide,
    ports: &[PortInfo::new("when", Arity::Many, "conditions", Sign::Difference).by_name()],
    params: &[],
    table: Some("`CONDITION => label` in order, then `rest => label`"),
    result: "the written ordinal or choice; with `?` where a condition can be unknown",
    doc: "The label of the first condition that holds.",
    example: "decide { harmful => reject, quality < 0.5 => revise, rest => accept }",
    ..BASE
};
