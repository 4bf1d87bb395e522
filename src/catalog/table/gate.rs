//! GATE: a judgment (`base`) that is changed where a condition (`trigger`, written with `when` or `unless`) holds, and passes
//! unchanged where it does not. The result has the type of the base.

use super::{Arity, Family, Op, OperatorInfo, PortInfo, Sign, TRIGGER_POLICY, Weights};

const BASE: OperatorInfo = OperatorInfo {
    op: Op::Cap,
    family: Family::Gate,
    ports: &[],
    params: &[TRIGGER_POLICY],
    weights: Weights::None,
    table: None,
    result: "the type of the base",
    doc: "",
    example: "",
};

const fn base(accepts: &'static str) -> PortInfo {
    PortInfo::new("base", Arity::Node, accepts, Sign::Rising)
}

const fn trigger(sign: Sign) -> PortInfo {
    PortInfo::new("trigger", Arity::Node, "a bool", sign).by_name()
}

const OWN: &str = "a constant or node of the base's type";

pub(super) const CAP: OperatorInfo = OperatorInfo {
    op: Op::Cap,
    ports: &[
        base("a number or an ordinal"),
        trigger(Sign::Falling),
        PortInfo::new("at", Arity::NodeOrConstant, OWN, Sign::Rising).by_name(),
    ],
    doc: "At the most `at`: min(x, at).",
    example: "cap(quality, at: 0.25) when harmful",
    ..BASE
};

pub(super) const FLOOR: OperatorInfo = OperatorInfo {
    op: Op::Floor,
    ports: &[
        base("a number or an ordinal"),
        trigger(Sign::Rising),
        PortInfo::new("at", Arity::NodeOrConstant, OWN, Sign::Rising).by_name(),
    ],
    doc: "At the least `at`: max(x, at).",
    example: "floor(quality, at: 0.5) when exemplary",
    ..BASE
};

pub(super) const VETO: OperatorInfo = OperatorInfo {
    op: Op::Veto,
    ports: &[
        base("any judgment"),
        trigger(Sign::Difference),
        PortInfo::new(
            "to",
            Arity::Optional,
            "a constant or node of the base's type; without it the lowest value of the base's type",
            Sign::Rising,
        )
        .by_name(),
    ],
    doc: "Replaced by `to`, or by the lowest value, whatever the base is (even unknown).",
    example: "veto(quality) when plagiarised",
    ..BASE
};

pub(super) const MASK: OperatorInfo = OperatorInfo {
    op: Op::Mask,
    ports: &[base("any judgment"), trigger(Sign::Mixed)],
    result: "the type of the base, with `?`",
    doc: "Made unknown.",
    example: "mask(depth) unless on_topic",
    ..BASE
};

pub(super) const PENALTY: OperatorInfo = OperatorInfo {
    op: Op::Penalty,
    ports: &[
        base("a number"),
        trigger(Sign::Falling),
        PortInfo::new(
            "by",
            Arity::NodeOrConstant,
            "a number of at least 0, whole where the base is an int",
            Sign::Falling,
        )
        .by_name(),
    ],
    doc: "Lowered by `by`, but not below the low end of the interval: max(lo, x − by).",
    example: "penalty(quality, by: 0.1) when verbose",
    ..BASE
};

pub(super) const REPLACE: OperatorInfo = OperatorInfo {
    op: Op::Replace,
    ports: &[
        base("any judgment"),
        trigger(Sign::Difference),
        PortInfo::new("with", Arity::NodeOrConstant, OWN, Sign::Rising).by_name(),
    ],
    doc: "Replaced by `with`, whatever the base is (even unknown).",
    example: "replace(quality, with: expert) when known(expert)",
    ..BASE
};
