//! A small program made by hand, for unit tests below the checker.

use super::{
    Checklist, Combine, Criterion, FieldId, Group, Item, Llm, Mode, Node, NodeKind, Origin, Procedure, Program,
    Readout, ReadoutKind, Reason, Template, TemplatePart, Tie, View,
};
use crate::catalog::{Input, NodeId, Op, Operation, Params, Port};
use crate::number::Number;
use crate::source::Span;
use crate::types::{Field, FieldKind, Role, Type, Value};

pub(crate) fn words(text: &str) -> Template {
    Template { parts: vec![TemplatePart::Text(text.into())] }
}

pub(crate) fn llm(combine: Combine) -> Llm {
    Llm {
        models: vec!["default".into()],
        samples: 1,
        combine,
        view: View::Separate,
        evidence: false,
        reason: Reason::Before,
        shuffled: false,
        each: None,
        temperature: None,
        max_tokens: None,
        batch: None,
    }
}

pub(crate) fn criterion(ty: Type, origin: Origin, ask: &str) -> Criterion {
    let combine = if ty.is_bool() { Combine::Majority } else { Combine::Median };
    Criterion {
        ty,
        origin,
        ask: words(ask),
        levels: Vec::new(),
        examples: Vec::new(),
        sees: vec![FieldId(0), FieldId(1)],
        sees_written: false,
        applies: None,
        procedure: Procedure::Llm(llm(combine)),
        tags: Vec::new(),
    }
}

pub(crate) fn node(name: &str, ty: Type, kind: NodeKind) -> Node {
    Node { name: name.into(), doc: "".into(), ty, kind, span: Span::default() }
}

pub(crate) fn leaf(name: &str, c: Criterion) -> Node {
    node(name, c.ty.clone(), NodeKind::Criterion(Box::new(c)))
}

pub(crate) fn operator(name: &str, ty: Type, op: Op, ports: &[(&'static str, Vec<Input>)], params: Params) -> Node {
    let ports = ports.iter().map(|(name, inputs)| Port { name, inputs: inputs.clone() }).collect();
    node(name, ty, NodeKind::Operator(Box::new(Operation { op, ports, params: params.into() })))
}

pub(crate) fn input(at: u32) -> Input {
    Input::Node(NodeId(at))
}

/// Two criteria and a checklist of two; a weighted mean that is capped.
pub(crate) fn sample() -> Program {
    let field =
        |name: &str, role| Field { name: name.into(), role, kind: FieldKind::Text, optional: false, doc: "".into() };
    let quarter = Number::ratio(1, 4).unwrap();
    let item = Origin::Item { checklist: 0 };
    let weights =
        |list: &[i64]| Params { weights: list.iter().map(|n| Number::int(*n)).collect(), ..Params::default() };
    let nodes = vec![
        leaf("accurate", criterion(Type::int(1, 5), Origin::Declared, "How \"accurate\"\nis it? {{x}}")),
        leaf("harmful", criterion(Type::BOOL, Origin::Declared, "Does it do harm?")),
        leaf("care.red_flags", criterion(Type::BOOL, item.clone(), "Names the signs of danger")),
        leaf("care.2", criterion(Type::BOOL, item, "Is kind")),
        operator("quality.1", Type::UNIT, Op::Normalize, &[("x", vec![input(0)])], Params::default()),
        operator("quality.2", Type::UNIT, Op::Points, &[("x", vec![input(2), input(3)])], weights(&[10, 4])),
        operator("quality", Type::UNIT, Op::WeightedMean, &[("x", vec![input(4), input(5)])], weights(&[3, 2])),
        operator(
            "safe",
            Type::UNIT,
            Op::Cap,
            &[
                ("base", vec![input(6)]),
                ("trigger", vec![input(1)]),
                ("at", vec![Input::Constant(Value::Number(quarter))]),
            ],
            Params::default(),
        ),
    ];
    Program {
        name: "sample".into(),
        doc: "A sample.".into(),
        fields: vec![field("question", Role::Input), field("answer", Role::Candidate)],
        candidate: "answer".into(),
        checklists: vec![Checklist {
            name: "care".into(),
            doc: "".into(),
            optional: false,
            from: None,
            groups: vec![Group { id: "safety".into(), weight: None, text: "Safety".into(), parent: None }],
            items: vec![
                Item {
                    node: NodeId(2),
                    id: Some("red_flags".into()),
                    number: 1,
                    points: Number::int(10),
                    group: Some(0),
                },
                Item { node: NodeId(3), id: None, number: 2, points: Number::int(4), group: None },
            ],
        }],
        nodes,
        sink: NodeId(7),
        readouts: vec![
            Readout {
                mode: Mode::Pointwise,
                name: None,
                source: NodeId(7),
                kind: ReadoutKind::Native,
                ty: Type::UNIT,
                span: Span::default(),
            },
            Readout {
                mode: Mode::Pairwise,
                name: None,
                source: NodeId(7),
                kind: ReadoutKind::Prefer {
                    margin: Number::ratio(1, 3).unwrap(),
                    tie: Tie::By { keys: vec![NodeId(0)], tie: false },
                },
                ty: Type::UNIT,
                span: Span::default(),
            },
        ],
        observed: vec![NodeId(6)],
        requires: Vec::new(),
        tests: Vec::new(),
    }
}
