//! A second interpreter, written from the language's definition alone: slow, over big fractions, one `match` per rule. It
//! shares no code with the first; what the two agree on is what the definition says.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rubric_lang::catalog::{Input, Op, Operation, UnknownPolicy, VoteTie};
use rubric_lang::number::{Number, Rounding};
use rubric_lang::types::{Base, Type, Value};

/// A value with its numbers as big fractions.
#[derive(Debug, Clone, PartialEq)]
pub enum V {
    Unknown,
    Bool(bool),
    Number(BigRational),
    Label(u32),
    Labels(Vec<u32>),
    Counts(Vec<u32>),
}

pub fn rational(n: &Number) -> BigRational {
    let text = n.exact();
    if let Some((n, d)) = text.split_once('/') {
        return BigRational::new(n.parse().unwrap(), d.parse().unwrap());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    BigRational::new(digits, BigInt::from(10).pow(u32::try_from(fraction.len()).unwrap()))
}

pub fn v(value: &Value) -> V {
    match value {
        Value::Unknown => V::Unknown,
        Value::Bool(b) => V::Bool(*b),
        Value::Number(n) => V::Number(rational(n)),
        Value::Label(rank) => V::Label(*rank),
        Value::Set(ranks) => V::Labels(ranks.to_vec()),
        Value::Tally(counts) => V::Counts(counts.to_vec()),
        Value::Items(_) => unreachable!("no test makes items"),
    }
}

fn int(n: i64) -> BigRational {
    BigRational::from_integer(BigInt::from(n))
}

/// A bool counts as 0 or 1, a label as its rank.
fn num(x: &V) -> BigRational {
    match x {
        V::Number(n) => n.clone(),
        V::Bool(b) => int(i64::from(*b)),
        V::Label(rank) => int(i64::from(*rank)),
        _ => panic!("no number: {x:?}"),
    }
}

fn holds(x: &V) -> bool {
    match x {
        V::Bool(b) => *b,
        _ => panic!("no bool: {x:?}"),
    }
}

/// Lowest and highest number of a type.
fn ends(ty: &Type) -> (BigRational, BigRational) {
    match &ty.base {
        Base::Bool => (int(0), int(1)),
        Base::Int { lo, hi } | Base::Score { lo, hi } => (rational(lo), rational(hi)),
        Base::Ordinal(labels) => (int(0), int(labels.len() as i64 - 1)),
        _ => panic!("no ends: {ty}"),
    }
}

fn round(x: &BigRational, mode: Rounding) -> BigRational {
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    match mode {
        Rounding::HalfUp => (x + half).floor(),
        Rounding::HalfDown => (x - half).ceil(),
        Rounding::HalfEven => {
            let (down, up) = ((x - &half).ceil(), (x + &half).floor());
            if (down.to_integer() % BigInt::from(2)).is_zero() { down } else { up }
        }
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

fn stretch(x: &BigRational, from: (BigRational, BigRational), to: (BigRational, BigRational)) -> BigRational {
    &to.0 + (x - &from.0) * (&to.1 - &to.0) / (&from.1 - &from.0)
}

/// What the operator gives on values of its nodes, whose types are given.
pub fn apply(operation: &Operation, ty: &Type, types: &[Type], nodes: &[V]) -> V {
    let of = |input: &Input| match input {
        Input::Node(id) => nodes[id.index()].clone(),
        Input::Constant(value) => v(value),
    };
    let port = |name: &str| operation.port(name).iter().map(of).collect::<Vec<V>>();
    let one = |name: &str| port(name).remove(0);
    let own = &types[0];
    let p = &operation.params;
    let mode = p.mode.unwrap_or(Rounding::HalfUp);
    match operation.op {
        Op::Known => V::Bool(one("x") != V::Unknown),
        Op::Otherwise => match one("x") {
            V::Unknown => one("v"),
            x => x,
        },
        Op::Map => {
            let x = one("x");
            match p.arms.iter().find(|arm| v(&arm.key) == x) {
                Some(arm) => v(&arm.value),
                None if x == V::Unknown => V::Unknown,
                None => v(p.rest.as_ref().unwrap()),
            }
        }
        Op::Normalize
        | Op::Rescale
        | Op::Clamp
        | Op::Invert
        | Op::Round
        | Op::Quantize
        | Op::Bands
        | Op::Piecewise
        | Op::Has
        | Op::Size
        | Op::CountOf => {
            let x = one("x");
            if x == V::Unknown {
                return V::Unknown;
            }
            let label = p.label.unwrap_or(0);
            match (operation.op, &x) {
                (Op::Has, V::Labels(set)) => return V::Bool(set.contains(&label)),
                (Op::Has, V::Counts(counts)) => return V::Bool(counts[label as usize] > 0),
                (Op::CountOf, V::Counts(counts)) => return V::Number(int(i64::from(counts[label as usize]))),
                (Op::Size, V::Labels(set)) => return V::Number(int(set.len() as i64)),
                (Op::Size, V::Counts(counts)) => return V::Number(int(i64::from(counts.iter().sum::<u32>()))),
                _ => {}
            }
            let n = num(&x);
            V::Number(match operation.op {
                Op::Normalize => stretch(&n, ends(own), (int(0), int(1))),
                Op::Rescale => stretch(&n, ends(own), ends(p.to.as_ref().unwrap())),
                Op::Quantize => round(&stretch(&n, ends(own), ends(p.to.as_ref().unwrap())), mode),
                Op::Clamp => {
                    let (lo, hi) = ends(p.to.as_ref().unwrap());
                    if n < lo {
                        lo
                    } else if n > hi {
                        hi
                    } else {
                        n
                    }
                }
                Op::Invert => {
                    let (a, b) = ends(own);
                    a + b - n
                }
                Op::Round => {
                    let step = p.step.as_ref().map_or(int(1), rational);
                    round(&(n / &step), mode) * step
                }
                Op::Bands => {
                    let band = p.bands.iter().find(|band| band.below.as_ref().is_none_or(|b| n < rational(b)));
                    return V::Label(band.unwrap().label);
                }
                _ => {
                    let knots: Vec<_> = p.knots.iter().map(|(x, y)| (rational(x), rational(y))).collect();
                    for pair in knots.windows(2) {
                        if pair[0].0 <= n && n <= pair[1].0 {
                            return V::Number(stretch(
                                &n,
                                (pair[0].0.clone(), pair[1].0.clone()),
                                (pair[0].1.clone(), pair[1].1.clone()),
                            ));
                        }
                    }
                    knots[0].1.clone()
                }
            })
        }
        Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => {
            let fires = match one("trigger") {
                V::Unknown => p.unknown == Some(UnknownPolicy::Fires),
                trigger => holds(&trigger),
            };
            let base = one("base");
            if !fires {
                return base;
            }
            match operation.op {
                Op::Mask => return V::Unknown,
                Op::Replace => return one("with"),
                Op::Veto => {
                    return match port("to").pop() {
                        Some(to) => to,
                        None => v(&own.extremes().unwrap().0),
                    };
                }
                _ => {}
            }
            let limit = one(if operation.op == Op::Penalty { "by" } else { "at" });
            if base == V::Unknown || limit == V::Unknown {
                return V::Unknown;
            }
            let (x, y) = (num(&base), num(&limit));
            match operation.op {
                Op::Cap => {
                    if x > y {
                        limit
                    } else {
                        base
                    }
                }
                Op::Floor => {
                    if x < y {
                        limit
                    } else {
                        base
                    }
                }
                _ => {
                    let (lo, left) = (ends(own).0, x - y);
                    V::Number(if left < lo { lo } else { left })
                }
            }
        }
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide => {
            let (a, b) = (one("left"), one("right"));
            if a == V::Unknown || b == V::Unknown {
                return V::Unknown;
            }
            let (a, b) = (num(&a), num(&b));
            V::Number(match operation.op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
                _ => a / b,
            })
        }
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            let (a, b) = (one("left"), one("right"));
            if a == V::Unknown || b == V::Unknown {
                return V::Unknown;
            }
            let (a, b) = (num(&a), num(&b));
            V::Bool(match operation.op {
                Op::Equal => a == b,
                Op::NotEqual => a != b,
                Op::Less => a < b,
                Op::LessEqual => a <= b,
                Op::Greater => a > b,
                _ => a >= b,
            })
        }
        Op::Not => match one("x") {
            V::Unknown => V::Unknown,
            x => V::Bool(!holds(&x)),
        },
        Op::And => kleene_and(&port("x")),
        Op::Or => kleene_or(&port("x")),
        Op::If => match one("condition") {
            V::Unknown => V::Unknown,
            c => one(if holds(&c) { "then" } else { "else" }),
        },
        Op::Decide => {
            let conditions = port("when");
            for (condition, result) in conditions.iter().zip(&p.results) {
                match condition {
                    V::Unknown => return V::Unknown,
                    c if holds(c) => return v(result),
                    _ => {}
                }
            }
            v(&p.results[conditions.len()])
        }
        _ => reduce(operation, ty, types, &port("x")),
    }
}

fn kleene_and(all: &[V]) -> V {
    if all.contains(&V::Bool(false)) {
        return V::Bool(false);
    }
    if all.contains(&V::Unknown) { V::Unknown } else { V::Bool(true) }
}

fn kleene_or(all: &[V]) -> V {
    if all.contains(&V::Bool(true)) {
        return V::Bool(true);
    }
    if all.contains(&V::Unknown) { V::Unknown } else { V::Bool(false) }
}

fn reduce(operation: &Operation, ty: &Type, types: &[Type], slots: &[V]) -> V {
    let op = operation.op;
    let policy = operation.params.unknown.as_ref();
    let weights: Vec<BigRational> = match operation.params.weights.is_empty() {
        true => vec![int(1); slots.len()],
        false => operation.params.weights.iter().map(rational).collect(),
    };
    match policy {
        None | Some(UnknownPolicy::Propagate) if slots.contains(&V::Unknown) => match op {
            Op::All => kleene_and(slots),
            Op::Any => kleene_or(slots),
            _ => V::Unknown,
        },
        // Every way to fill the unknown slots is tried, and the lowest or highest outcome taken.
        Some(UnknownPolicy::Lowest | UnknownPolicy::Highest) if slots.contains(&V::Unknown) => {
            let mut fillings: Vec<Vec<V>> = vec![Vec::new()];
            for (slot, ty) in slots.iter().zip(types) {
                let options = if *slot == V::Unknown { samples(ty) } else { vec![slot.clone()] };
                fillings = fillings
                    .iter()
                    .flat_map(|f| options.iter().map(|o| f.iter().cloned().chain([o.clone()]).collect()))
                    .collect();
            }
            let outcomes = fillings.iter().map(|filling| on_known(operation, ty, types, filling, &weights));
            let known = outcomes.filter(|outcome| *outcome != V::Unknown);
            let by = |a: &V, b: &V| num(a).cmp(&num(b));
            let best = if policy == Some(&UnknownPolicy::Lowest) { known.min_by(by) } else { known.max_by(by) };
            best.unwrap_or(V::Unknown)
        }
        Some(UnknownPolicy::Constant(constant)) => {
            let filled: Vec<V> = slots.iter().map(|s| if *s == V::Unknown { v(constant) } else { s.clone() }).collect();
            on_known(operation, ty, types, &filled, &weights)
        }
        _ => {
            let left = |i: &usize| slots[*i] != V::Unknown;
            let kept: Vec<usize> = (0..slots.len()).filter(left).collect();
            let values: Vec<V> = kept.iter().map(|i| slots[*i].clone()).collect();
            let weights: Vec<BigRational> = kept.iter().map(|i| weights[*i].clone()).collect();
            if values.is_empty() { V::Unknown } else { on_known(operation, ty, types, &values, &weights) }
        }
    }
}

/// The ends of a type, and 0 where it lies between them: enough to make any operator lowest or highest. All labels.
fn samples(ty: &Type) -> Vec<V> {
    match &ty.base {
        Base::Bool => vec![V::Bool(false), V::Bool(true)],
        Base::Ordinal(labels) => (0..labels.len() as u32).map(V::Label).collect(),
        Base::Int { lo, hi } => (lo.to_i64().unwrap()..=hi.to_i64().unwrap()).map(|n| V::Number(int(n))).collect(),
        _ => {
            let (lo, hi) = ends(ty);
            let zero = (lo < int(0) && hi > int(0)).then(|| int(0));
            [lo, hi].into_iter().chain(zero).map(V::Number).collect()
        }
    }
}

fn on_known(operation: &Operation, ty: &Type, types: &[Type], values: &[V], weights: &[BigRational]) -> V {
    let numbers = || values.iter().map(num).collect::<Vec<_>>();
    let count = int(values.len() as i64);
    let weighted = || numbers().iter().zip(weights).map(|(x, w)| x * w).sum::<BigRational>();
    V::Number(match operation.op {
        Op::All => return V::Bool(values.iter().all(holds)),
        Op::Any => return V::Bool(values.iter().any(holds)),
        Op::Count => int(values.iter().filter(|x| holds(x)).count() as i64),
        Op::Fraction => int(values.iter().filter(|x| holds(x)).count() as i64) / count,
        Op::Mean => numbers().iter().sum::<BigRational>() / count,
        Op::WeightedMean | Op::Tree => weighted() / weights.iter().sum::<BigRational>(),
        Op::Sum => numbers().iter().sum(),
        Op::WeightedSum | Op::SumPoints => weighted(),
        Op::Product => numbers().iter().product(),
        Op::Points => {
            let positive: BigRational = weights.iter().filter(|w| w.is_positive()).sum();
            if positive.is_zero() {
                return V::Unknown;
            }
            weighted() / positive
        }
        Op::Min | Op::Max => {
            let best = values.iter().min_by(|a, b| match operation.op {
                Op::Min => num(a).cmp(&num(b)),
                _ => num(b).cmp(&num(a)),
            });
            return best.unwrap().clone();
        }
        Op::Median => {
            let mut sorted = numbers();
            sorted.sort();
            let (a, b) = (&sorted[(sorted.len() - 1) / 2], &sorted[sorted.len() / 2]);
            (a + b) / int(2)
        }
        Op::HarmonicMean => {
            if numbers().iter().any(Zero::is_zero) {
                int(0)
            } else {
                count / numbers().iter().map(|x| x.recip()).sum::<BigRational>()
            }
        }
        Op::GeometricMean => {
            // By bisection: the largest grid point whose power is not above the product, then the nearer of it and the next.
            let product: BigRational = numbers().iter().product();
            let k = values.len() as i32;
            let grid = BigInt::from(10).pow(12);
            let at = |n: &BigInt| BigRational::new(n.clone(), grid.clone());
            let (mut below, mut above) = (BigInt::zero(), BigInt::from(10).pow(14));
            while &above - &below > BigInt::one() {
                let middle = (&below + &above) / 2;
                if at(&middle).pow(k) <= product { below = middle } else { above = middle }
            }
            let half = BigRational::new(&below * 2 + 1, &grid * 2).pow(k);
            let up = product > half || product == half && !(&below % BigInt::from(2)).is_zero();
            let mean = if up { at(&above) } else { at(&below) };
            let (lo, hi) = ends(&types[0]);
            if mean < lo {
                lo
            } else if mean > hi {
                hi
            } else {
                mean
            }
        }
        Op::Vote => {
            let votes = |x: &V| values.iter().filter(|y| *y == x).count();
            let most = values.iter().map(votes).max().unwrap();
            let mut top: Vec<V> = values.iter().filter(|x| votes(x) == most).cloned().collect();
            top.sort_by_key(num);
            top.dedup();
            return match operation.params.tie.as_ref().unwrap() {
                _ if top.len() == 1 => top.remove(0),
                VoteTie::Lowest => top.remove(0),
                VoteTie::Highest => top.pop().unwrap(),
                VoteTie::Unknown => V::Unknown,
                VoteTie::Value(value) => v(value),
            };
        }
        op => panic!("{} is no reduce; its type is {ty}", op.word()),
    })
}
