//! Node evaluations per second with exact numbers, beside the same arithmetic in binary floats.
//!
//! `cargo bench --bench evaluate`. The program is a clinical rubric in small: twenty ratings from 1 to 5 normalized, forty
//! signed checklist items, a weighted mean, means of fractions with awkward denominators, gates, a quantized end. One pass
//! evaluates [`Setup::operators`] operator nodes; divan prints items (operator nodes) per second. `floats` does the same sums with `f64` and
//! no checks at all, so the ratio of the two is the price of exactness and of unknown values.

use divan::Bencher;
use divan::counter::ItemsCount;
use rubric_lang::catalog::{Input, NodeId, Op, Operation, Params, Port};
use rubric_lang::graph::{Combine, Criterion, Node, NodeKind, Origin, Procedure, Program, Template};
use rubric_lang::number::{Number, Rounding};
use rubric_lang::run::Leaf;
use rubric_lang::run::evaluate::Interpreter;
use rubric_lang::source::Span;
use rubric_lang::types::{Type, Value};

fn main() {
    divan::main();
}

const RATINGS: usize = 20;
const ITEMS: usize = 40;

struct Setup {
    interpreter: Interpreter,
    leaves: Vec<Leaf>,
    operators: usize,
}

fn node(name: String, ty: Type, kind: NodeKind) -> Node {
    Node { name: name.into(), doc: "".into(), ty, kind, span: Span::default() }
}

fn leaf(name: String, ty: Type) -> Node {
    let criterion = Criterion {
        ty: ty.clone(),
        origin: Origin::Declared,
        ask: Template::default(),
        levels: Vec::new(),
        examples: Vec::new(),
        sees: Vec::new(),
        sees_written: false,
        applies: None,
        procedure: Procedure::Human { combine: Combine::Majority },
        tags: Vec::new(),
    };
    node(name, ty, NodeKind::Criterion(Box::new(criterion)))
}

fn id(at: usize) -> Input {
    Input::Node(NodeId(u32::try_from(at).unwrap_or(u32::MAX)))
}

fn number(n: i64, d: i64) -> Number {
    Number::ratio(n, d).unwrap_or_default()
}

fn operator(name: &str, ty: Type, op: Op, ports: Vec<(&'static str, Vec<Input>)>, params: Params) -> Node {
    let ports = ports.into_iter().map(|(name, inputs)| Port { name, inputs }).collect();
    node(name.to_owned(), ty, NodeKind::Operator(Box::new(Operation { op, ports, params: params.into() })))
}

fn rating(at: usize) -> i64 {
    1 + (at as i64 * 7) % 5
}

fn met(at: usize) -> bool {
    !at.is_multiple_of(3)
}

fn points(at: usize) -> i64 {
    if at % 5 == 4 { -6 } else { 1 + at as i64 % 10 }
}

fn setup() -> Setup {
    let mut nodes: Vec<Node> = Vec::new();
    nodes.extend((0..RATINGS).map(|n| leaf(format!("rating{n}"), Type::int(1, 5))));
    nodes.extend((0..ITEMS).map(|n| leaf(format!("item{n}"), Type::BOOL)));
    let leaves: Vec<Leaf> = (0..RATINGS)
        .map(|n| Leaf::Known(Value::Number(Number::int(rating(n)))))
        .chain((0..ITEMS).map(|n| Leaf::Known(Value::Bool(met(n)))))
        .collect();
    let first = nodes.len();
    for n in 0..RATINGS {
        nodes.push(operator(&format!("n{n}"), Type::UNIT, Op::Normalize, vec![("x", vec![id(n)])], Params::default()));
    }
    // Means of three with thirds, sevenths and elevenths.
    for n in 0..RATINGS - 2 {
        let weights = vec![number(1, 3), number(2, 7), number(3, 11)];
        let inputs = (n..n + 3).map(|n| id(first + n)).collect();
        let params = Params { weights, ..Params::default() };
        nodes.push(operator(&format!("m{n}"), Type::UNIT, Op::WeightedMean, vec![("x", inputs)], params));
    }
    for n in 0..RATINGS - 2 {
        let gate = vec![
            ("base", vec![id(first + RATINGS + n)]),
            ("trigger", vec![id(RATINGS + n)]),
            ("at", vec![Input::Constant(Value::Number(number(3, 4)))]),
        ];
        nodes.push(operator(&format!("c{n}"), Type::UNIT, Op::Cap, gate, Params::default()));
    }
    let items = (RATINGS..RATINGS + ITEMS).map(id).collect();
    let params = Params { weights: (0..ITEMS).map(|n| Number::int(points(n))).collect(), ..Params::default() };
    nodes.push(operator("care", Type::score(Number::int(-1), Number::ONE), Op::Points, vec![("x", items)], params));
    let care = nodes.len() - 1;
    let params = Params { to: Some(Type::UNIT), ..Params::default() };
    nodes.push(operator("bounded", Type::UNIT, Op::Clamp, vec![("x", vec![id(care)])], params));
    let pair = vec![("x", vec![id(care + 1), id(care - 1)])];
    nodes.push(operator("quality", Type::UNIT, Op::Mean, pair, Params::default()));
    let params = Params { to: Some(Type::int(1, 5)), mode: Some(Rounding::HalfUp), ..Params::default() };
    nodes.push(operator("stars", Type::int(1, 5), Op::Quantize, vec![("x", vec![id(care + 2)])], params));
    let operators = nodes.len() - RATINGS - ITEMS;
    let program = Program {
        name: "bench".into(),
        doc: "".into(),
        fields: Vec::new(),
        candidate: "answer".into(),
        checklists: Vec::new(),
        sink: NodeId(u32::try_from(nodes.len() - 1).unwrap_or(0)),
        nodes,
        readouts: Vec::new(),
        observed: Vec::new(),
        requires: Vec::new(),
        tests: Vec::new(),
    };
    Setup { interpreter: Interpreter::new(&program), leaves, operators }
}

#[divan::bench]
fn exact(bencher: Bencher) {
    let setup = setup();
    let mut values = Vec::new();
    bencher.counter(ItemsCount::new(setup.operators)).bench_local(|| {
        setup.interpreter.values_into(divan::black_box(&setup.leaves), &mut values);
        divan::black_box(values.last().cloned())
    });
}

/// One of the ratings and one of the items is missing, so that half of the nodes go through bounds.
#[divan::bench]
fn bounds(bencher: Bencher) {
    let mut setup = setup();
    let missing = || Leaf::Missing(rubric_lang::run::Missing::because(rubric_lang::run::MissingReason::Pending));
    for at in [3, 10, RATINGS + 5, RATINGS + 30] {
        if let Some(leaf) = setup.leaves.get_mut(at) {
            *leaf = missing();
        }
    }
    let mut states = rubric_lang::run::evaluate::States::default();
    bencher.counter(ItemsCount::new(setup.operators)).bench_local(|| {
        setup.interpreter.states_into(divan::black_box(&setup.leaves), &mut states);
        divan::black_box(states.complete())
    });
}

#[divan::bench]
fn floats(bencher: Bencher) {
    let operators = setup().operators;
    let ratings: Vec<f64> = (0..RATINGS).map(|n| rating(n) as f64).collect();
    let items: Vec<bool> = (0..ITEMS).map(met).collect();
    let points: Vec<f64> = (0..ITEMS).map(|n| points(n) as f64).collect();
    bencher.counter(ItemsCount::new(operators)).bench_local(|| {
        let ratings = divan::black_box(&ratings);
        let normalized: Vec<f64> = ratings.iter().map(|x| (x - 1.0) / 4.0).collect();
        let weights = [1.0 / 3.0, 2.0 / 7.0, 3.0 / 11.0];
        let total: f64 = weights.iter().sum();
        let means: Vec<f64> = normalized
            .windows(3)
            .map(|three| three.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / total)
            .collect();
        let capped: Vec<f64> =
            means.iter().zip(&items).map(|(x, fires)| if *fires { x.min(0.75) } else { *x }).collect();
        let positive: f64 = points.iter().filter(|p| **p > 0.0).sum();
        let care = items.iter().zip(&points).filter(|(met, _)| **met).map(|(_, p)| p).sum::<f64>() / positive;
        let quality = f64::midpoint(care.clamp(0.0, 1.0), capped.last().copied().unwrap_or(0.0));
        divan::black_box((1.0 + quality * 4.0).round())
    });
}
