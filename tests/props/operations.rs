//! Random well-typed operations: arguments and parameters as an author might write them, typed by `infer`.

use crate::dice::Dice;
use rubric_lang::catalog::typing::{Argument, Literal, Typed, Written, WrittenArm, WrittenKey, WrittenUnknown, infer};
use rubric_lang::catalog::{NodeId, Op};
use rubric_lang::number::{Number, Rounding};
use rubric_lang::run::bounds::{Bounds, Known};
use rubric_lang::run::evaluate::Step;
use rubric_lang::types::{Base, Labels, Type, Value};
use std::sync::Arc;

/// An operation whose node `n` is its slot `n`, with the types of the slots.
#[derive(Debug)]
pub struct Case {
    pub typed: Typed,
    pub types: Vec<Type>,
}

pub fn labels(list: &[&str]) -> Labels {
    list.iter().map(|l| Arc::from(*l)).collect()
}

/// Types with few values; all ends are multiples of 1/4.
pub fn a_base(dice: &mut Dice) -> Type {
    if !dice.pool.is_empty() && dice.below(3) > 0 {
        let at = dice.below(dice.pool.len());
        return dice.pool[at].clone().known();
    }
    let quarter = |n| Number::ratio(n, 4).unwrap();
    let all = [
        Type::BOOL,
        Type::int(0, 2),
        Type::UNIT,
        Type::int(-1, 1),
        Type::score(quarter(-4), quarter(4)),
        Type::score(quarter(2), quarter(5)),
        Type::int(1, 3),
        Type::of(Base::Ordinal(labels(&["a", "b", "c"]))),
        Type::of(Base::Choice(labels(&["x", "y", "z"]))),
        Type::of(Base::Set(labels(&["p", "q"]))),
        Type::of(Base::Tally { labels: labels(&["p", "q"]), max: 2 }),
    ];
    dice.pick(&all).clone()
}

pub fn a_type(dice: &mut Dice) -> Type {
    if !dice.pool.is_empty() && dice.below(3) > 0 {
        let at = dice.below(dice.pool.len());
        return dice.pool[at].clone();
    }
    let base = a_base(dice);
    base.with_optional(dice.one_in(3))
}

/// A literal that may well fit the type.
fn a_literal(dice: &mut Dice, ty: &Type) -> Literal {
    match &ty.base {
        Base::Bool => Literal::Bool(dice.below(2) == 1),
        Base::Int { .. } => Literal::Number(Number::int(dice.below(5) as i64 - 1)),
        Base::Score { .. } | Base::Real | Base::Items => Literal::Number(dice.quarters(-4, 5)),
        Base::Ordinal(l) | Base::Choice(l) | Base::Set(l) | Base::Tally { labels: l, .. } => {
            Literal::Label(dice.pick(l).clone())
        }
    }
}

fn a_target(dice: &mut Dice, whole: bool) -> Type {
    let lo = dice.below(3) as i64 - 1;
    let hi = lo + 1 + dice.below(3) as i64;
    if whole { Type::int(lo, hi) } else { Type::score(Number::int(lo), Number::int(hi)) }
}

fn node(id: usize, ty: &Type) -> Argument {
    Argument::Node { id: NodeId(u32::try_from(id).unwrap()), ty: ty.clone(), name: format!("n{id}").into() }
}

fn arm(key: WrittenKey, value: Literal) -> WrittenArm {
    WrittenArm { key, value }
}

/// A random application of `op`; `None` where it is not well typed. `at_most` bounds the slots of a variadic port.
pub fn a_case(dice: &mut Dice, op: Op, at_most: usize) -> Option<Case> {
    let mut types: Vec<Type> = Vec::new();
    let mut written = Written::default();
    let mut result: Option<Type> = None;
    let mut arguments: Vec<Vec<Argument>> = Vec::new();
    let bool_type = |dice: &mut Dice| Type::BOOL.with_optional(dice.one_in(2));
    let many = |dice: &mut Dice, types: &mut Vec<Type>, ty: &dyn Fn(&mut Dice) -> Type| {
        let count = 1 + dice.below(at_most);
        types.extend((0..count).map(|_| ty(dice)));
        types.iter().enumerate().map(|(id, ty)| node(id, ty)).collect::<Vec<_>>()
    };
    match op {
        Op::Normalize | Op::Rescale | Op::Clamp | Op::Invert | Op::Round | Op::Quantize | Op::Size | Op::Known => {
            types.push(a_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            let modes = Rounding::ALL;
            match op {
                Op::Rescale | Op::Clamp => {
                    let whole = dice.one_in(3);
                    written.to = Some(a_target(dice, whole));
                }
                Op::Quantize => {
                    written.to = Some(a_target(dice, true));
                    written.mode = Some(*dice.pick(&modes));
                }
                Op::Round => {
                    written.step = Some(dice.quarters(1, 5));
                    written.mode = Some(*dice.pick(&modes));
                }
                _ => {}
            }
        }
        Op::Has | Op::CountOf => {
            types.push(Type::of(Base::Tally { labels: labels(&["p", "q"]), max: 2 }).with_optional(dice.one_in(2)));
            if op == Op::Has && dice.one_in(2) {
                types[0] = Type::of(Base::Set(labels(&["p", "q"])));
            }
            arguments.push(vec![node(0, &types[0])]);
            written.label = Some(Literal::Label(dice.pick(&["p", "q"]).to_string().into()));
        }
        Op::Map => {
            types.push(a_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            written.table = Some(a_map(dice, &types[0]));
            let labelled = dice.one_in(3);
            if labelled {
                let grade = Type::of(Base::Ordinal(labels(&["low", "mid", "high"])));
                let wanted =
                    if dice.one_in(2) { grade.clone() } else { Type::of(Base::Choice(grade.labels()?.clone())) };
                for arm in written.table.as_mut()? {
                    arm.value = a_literal(dice, &wanted);
                }
                result = Some(wanted.with_optional(dice.one_in(2)));
            }
        }
        Op::Bands => {
            types.push(a_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            let mut edges: Vec<Number> = (0..1 + dice.below(2)).map(|_| dice.quarters(-3, 4)).collect();
            edges.sort();
            edges.dedup();
            let names = ["low", "mid", "high"];
            let mut table: Vec<WrittenArm> = edges
                .into_iter()
                .zip(names)
                .map(|(edge, name)| arm(WrittenKey::Below(edge), Literal::Label(name.into())))
                .collect();
            let last = names[table.len()];
            table.push(arm(WrittenKey::Rest, Literal::Label(last.into())));
            written.table = Some(table);
        }
        Op::Piecewise => {
            types.push(a_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            let (lo, hi) = types[0].interval().map(|(lo, hi)| (lo.clone(), hi.clone()))?;
            let mut at = vec![lo, hi];
            at.extend((0..dice.below(3)).map(|_| dice.quarters(-4, 5)));
            at.sort();
            at.dedup();
            let knot = |x: Number, dice: &mut Dice| {
                arm(WrittenKey::Literal(Literal::Number(x)), Literal::Number(dice.quarters(-2, 4)))
            };
            written.table = Some(at.into_iter().map(|x| knot(x, dice)).collect());
        }
        Op::Otherwise => {
            types.push(a_base(dice).optional());
            arguments.push(vec![node(0, &types[0])]);
            if dice.one_in(2) {
                types.push(types[0].clone().known());
                arguments.push(vec![node(1, &types[1])]);
            } else {
                arguments.push(vec![Argument::Constant(a_literal(dice, &types[0]))]);
            }
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
        | Op::Vote => {
            let shared = a_base(dice);
            let own = matches!(op, Op::Sum | Op::WeightedSum | Op::Product);
            let one = |dice: &mut Dice| {
                let base = if own { a_base(dice) } else { shared.clone() };
                base.with_optional(dice.one_in(2))
            };
            arguments.push(many(dice, &mut types, &one));
            if matches!(op, Op::WeightedMean | Op::WeightedSum) {
                let lowest = if op == Op::WeightedMean { 1 } else { -6 };
                written.weights = types.iter().map(|_| Some(dice.quarters(lowest, 8))).collect();
            }
            if op == Op::Vote {
                written.tie = Some(match dice.below(4) {
                    0 => Literal::Label("lowest".into()),
                    1 => Literal::Label("highest".into()),
                    2 => Literal::Unknown,
                    _ => a_literal(dice, &shared),
                });
            }
            written.unknown = a_policy(dice, &types, &shared);
        }
        Op::All | Op::Any | Op::Count | Op::Fraction => {
            arguments.push(many(dice, &mut types, &bool_type));
            written.unknown = a_policy(dice, &types, &Type::BOOL);
        }
        Op::Points | Op::SumPoints => {
            arguments.push(many(dice, &mut types, &bool_type));
            written.weights = types.iter().map(|_| Some(dice.quarters(-6, 8))).collect();
            written.unknown = a_policy(dice, &types, &Type::BOOL);
        }
        Op::Tree => {
            let one = |dice: &mut Dice| {
                let base = if dice.one_in(2) { Type::UNIT } else { Type::BOOL };
                base.with_optional(dice.one_in(2))
            };
            arguments.push(many(dice, &mut types, &one));
            written.weights = types.iter().map(|_| Some(dice.quarters(1, 8))).collect();
            written.unknown = a_policy(dice, &types, &Type::UNIT);
        }
        Op::Decide => {
            arguments.push(many(dice, &mut types, &bool_type));
            let scale = Type::of(Base::Choice(labels(&["low", "mid", "high"])));
            let mut table: Vec<WrittenArm> =
                types.iter().map(|_| arm(WrittenKey::Condition, a_literal(dice, &scale))).collect();
            table.push(arm(WrittenKey::Rest, a_literal(dice, &scale)));
            written.table = Some(table);
            result = Some(scale.optional());
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => {
            types.push(a_type(dice));
            types.push(bool_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            arguments.push(vec![node(1, &types[1])]);
            if types[1].optional {
                written.unknown = Some(WrittenUnknown::Word(dice.pick(&["fires", "passes"]).to_string().into()));
            }
            match op {
                Op::Mask => {}
                Op::Veto if dice.one_in(3) => arguments.push(Vec::new()),
                _ if dice.one_in(2) => arguments.push(vec![Argument::Constant(a_literal(dice, &types[0]))]),
                _ => {
                    types.push(types[0].clone());
                    arguments.push(vec![node(2, &types[2])]);
                }
            }
        }
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide => {
            types.push(a_type(dice));
            // Mostly a divisor that is never 0.
            let above = [Type::int(1, 3), Type::score(Number::ratio(1, 2).unwrap(), Number::ratio(5, 4).unwrap())];
            let divisor = op == Op::Divide && !dice.one_in(4);
            types.push(if divisor { dice.pick(&above).clone().with_optional(dice.one_in(3)) } else { a_type(dice) });
            arguments = vec![vec![node(0, &types[0])], vec![node(1, &types[1])]];
        }
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            types.push(a_type(dice));
            arguments.push(vec![node(0, &types[0])]);
            if dice.one_in(2) {
                arguments.push(vec![Argument::Constant(a_literal(dice, &types[0]))]);
            } else {
                let like = types[0].clone().known().with_optional(dice.one_in(3));
                types.push(if types[0].is_number() { a_type(dice) } else { like });
                arguments.push(vec![node(1, &types[1])]);
            }
        }
        Op::If => {
            types.push(bool_type(dice));
            let branch = a_type(dice);
            types.push(branch.clone());
            types.push(branch.known().with_optional(dice.one_in(2)));
            arguments = types.iter().enumerate().map(|(id, ty)| vec![node(id, ty)]).collect();
        }
        Op::And | Op::Or => arguments.push(many(dice, &mut types, &bool_type)),
        Op::Not => {
            types.push(bool_type(dice));
            arguments.push(vec![node(0, &types[0])]);
        }
    }
    let typed = infer(op, &arguments, &written, result.as_ref()).ok()?;
    Some(Case { typed, types })
}

fn a_policy(dice: &mut Dice, types: &[Type], stands: &Type) -> Option<WrittenUnknown> {
    if !types.iter().any(|ty| ty.optional) {
        return None;
    }
    Some(match dice.below(5) {
        0 => WrittenUnknown::Word("skip".into()),
        1 => WrittenUnknown::Word("propagate".into()),
        2 if !stands.is_bool() => WrittenUnknown::Word("lowest".into()),
        3 if !stands.is_bool() => WrittenUnknown::Word("highest".into()),
        // `points` takes these two over bools; `all` and its like refuse them.
        2 if dice.one_in(2) => WrittenUnknown::Word("lowest".into()),
        3 if dice.one_in(2) => WrittenUnknown::Word("highest".into()),
        _ => WrittenUnknown::Constant(a_literal(dice, stands)),
    })
}

fn a_map(dice: &mut Dice, ty: &Type) -> Vec<WrittenArm> {
    let mut keys: Vec<Literal> = match &ty.base {
        Base::Bool => vec![Literal::Bool(false), Literal::Bool(true)],
        Base::Int { lo, hi } => {
            let (lo, hi) = (lo.to_i64().unwrap_or(0), hi.to_i64().unwrap_or(0));
            (lo..=hi).map(|n| Literal::Number(Number::int(n))).collect()
        }
        Base::Ordinal(l) | Base::Choice(l) => l.iter().map(|l| Literal::Label(l.clone())).collect(),
        _ => (-2..4).map(|n| Literal::Number(Number::ratio(n, 4).unwrap())).collect(),
    };
    let rest = dice.one_in(2) || matches!(ty.base, Base::Score { .. });
    if rest {
        keys.truncate(1 + dice.below(keys.len()));
    }
    let value = |dice: &mut Dice| match dice.below(8) {
        7 => Literal::Unknown,
        _ => Literal::Number(dice.quarters(-2, 4)),
    };
    let mut table: Vec<WrittenArm> = keys.into_iter().map(|key| arm(WrittenKey::Literal(key), value(dice))).collect();
    if ty.optional && dice.one_in(2) {
        table.push(arm(WrittenKey::Literal(Literal::Unknown), value(dice)));
    }
    if rest {
        table.push(arm(WrittenKey::Rest, value(dice)));
    }
    table
}

impl Case {
    pub fn step(&self) -> Step {
        let type_of = |id: NodeId| self.types.get(id.index()).cloned();
        Step::new(&self.typed.operation, &self.typed.ty, &type_of)
    }

    /// The inputs of the step, slot by slot, from one thing per node.
    pub fn wired<T: Clone>(&self, nodes: &[T], constant: impl Fn(&Value) -> T) -> Vec<T> {
        use rubric_lang::catalog::Input;
        let inputs = self.typed.operation.ports.iter().flat_map(|port| &port.inputs);
        inputs
            .map(|input| match input {
                Input::Node(id) => nodes[id.index()].clone(),
                Input::Constant(value) => constant(value),
            })
            .collect()
    }
}

/// A value of the type.
pub fn a_value(dice: &mut Dice, ty: &Type) -> Value {
    if ty.optional && dice.one_in(3) {
        return Value::Unknown;
    }
    let all = values(&Bounds::of(&ty.clone().known()));
    dice.pick(&all).clone()
}

/// Bounds within a type: what a node of it might be while something is missing.
pub fn some_bounds(dice: &mut Dice, ty: &Type) -> Bounds {
    let unknown = ty.optional && dice.one_in(2);
    if unknown && dice.one_in(4) {
        return Bounds::default();
    }
    let range = |dice: &mut Dice, lo: usize, hi: usize| {
        let a = lo + dice.below(hi - lo + 1);
        (a, a + dice.below(hi - a + 1))
    };
    let known = match Bounds::of(ty).known {
        Known::Bools { .. } => match dice.below(3) {
            0 => Known::Bools { no: true, yes: true },
            n => Known::Bools { no: n == 1, yes: n == 2 },
        },
        Known::Numbers { lo, hi, whole } => {
            let scale = if whole { 1 } else { 4 };
            let steps = (&(&hi - &lo) * &Number::int(scale)).to_i64().unwrap() as usize;
            let (a, b) = range(dice, 0, steps);
            let at = |n: usize| &lo + &Number::ratio(n as i64, scale).unwrap();
            // At the most three quarters wide, so that there are few values to try.
            Known::Numbers { lo: at(a), hi: at(b.min(a + 3)), whole }
        }
        Known::Labels(all) if matches!(ty.base, Base::Ordinal(_)) => {
            let (a, b) = range(dice, 0, all.len() - 1);
            Known::Labels(all[a..=b].to_vec())
        }
        Known::Labels(all) => {
            let mut some: Vec<u32> = all.iter().copied().filter(|_| dice.below(2) == 0).collect();
            if some.is_empty() {
                some = all;
            }
            Known::Labels(some)
        }
        Known::Sets(all) => {
            let kinds = [(true, true), (true, false), (false, true)];
            Known::Sets(all.iter().map(|_| *dice.pick(&kinds)).collect())
        }
        Known::Counts(all) => Known::Counts(
            all.iter()
                .map(|(lo, hi)| {
                    let (a, b) = range(dice, *lo as usize, *hi as usize);
                    (a as u32, b as u32)
                })
                .collect(),
        ),
        other => other,
    };
    Bounds { known, unknown }
}

/// All values within bounds; of real numbers those on a grid of eighths, or a few where the interval is long or off the grid.
pub fn values(bounds: &Bounds) -> Vec<Value> {
    let mut all: Vec<Value> = match &bounds.known {
        Known::Bools { no, yes } => {
            [(*no, false), (*yes, true)].into_iter().filter(|(may, _)| *may).map(|(_, b)| Value::Bool(b)).collect()
        }
        Known::Numbers { lo, hi, whole } => {
            let scale = if *whole { 1 } else { 8 };
            match (&(hi - lo) * &Number::int(scale)).to_i64() {
                Some(steps) if steps <= 64 => {
                    (0..=steps).map(|n| Value::Number(lo + &Number::ratio(n, scale).unwrap())).collect()
                }
                _ if *whole => {
                    vec![Value::Number(lo.clone()), Value::Number(lo + &Number::ONE), Value::Number(hi.clone())]
                }
                _ => {
                    let part = |n| lo + &(&(hi - lo) * &Number::ratio(n, 4).unwrap());
                    (0..=4).map(|n| Value::Number(part(n))).collect()
                }
            }
        }
        Known::Labels(ranks) => ranks.iter().map(|rank| Value::Label(*rank)).collect(),
        Known::Sets(labels) => {
            let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
            for (rank, (no, yes)) in (0_u32..).zip(labels) {
                let with = |set: &Vec<u32>| set.iter().copied().chain([rank]).collect::<Vec<_>>();
                let mut next = Vec::new();
                for set in &sets {
                    next.extend(no.then(|| set.clone()));
                    next.extend(yes.then(|| with(set)));
                }
                sets = next;
            }
            sets.into_iter().map(|set| Value::Set(set.into())).collect()
        }
        Known::Counts(counts) => {
            let mut tallies: Vec<Vec<u32>> = vec![Vec::new()];
            for (lo, hi) in counts {
                tallies = tallies
                    .iter()
                    .flat_map(|tally| (*lo..=*hi).map(|n| tally.iter().copied().chain([n]).collect()))
                    .collect();
            }
            tallies.into_iter().map(|tally: Vec<u32>| Value::Tally(tally.into())).collect()
        }
        _ => Vec::new(),
    };
    if bounds.unknown {
        all.push(Value::Unknown);
    }
    all
}
