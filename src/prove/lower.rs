//! Conditions and readouts as operators on top of a program's nodes.
//!
//! In a condition a comparison with something unknown is false, so each comparison stands inside an `otherwise(…, false)`.
//! A readout abstains where the sink or its own node is unknown. Outcomes of `prefer` become conditions: the first wins iff
//! nobody abstains, and it is above by more than the margin or wins the tie.

use super::problem::{Arg, At, Builder};
use crate::catalog::{NodeId, Op, Params};
use crate::graph::spec::{Comparison, Condition, Operand};
use crate::graph::{Mode, Readout, ReadoutKind, Tie};
use crate::number::Number;
use crate::run::readout::mapping;
use crate::types::{Base, Type, Value};

/// What a side of a comparison is.
enum Side {
    Knot(At),
    Constant(Value),
    /// A pairwise outcome: knots that say whether the first wins, the second wins, it is a tie, it abstains.
    Outcome([At; 4]),
    Wins(usize),
    Tie,
    Abstains,
}

impl Builder<'_> {
    /// A knot that is true iff the condition holds, and never unknown. Recursion is bounded by the depth of expressions.
    pub(super) fn condition(&mut self, condition: &Condition) -> At {
        match condition {
            Condition::And(all) => {
                let all: Vec<At> = all.iter().map(|c| self.condition(c)).collect();
                self.and(&all)
            }
            Condition::Or(all) => {
                let all: Vec<At> = all.iter().map(|c| self.condition(c)).collect();
                self.or(&all)
            }
            Condition::Not(of) => {
                let of = self.condition(of);
                self.not(of)
            }
            Condition::Holds(operand) => match self.side(operand) {
                Side::Knot(at) if self.ty(at).is_bool() => self.surely(at),
                Side::Constant(Value::Bool(b)) => self.truth(b),
                _ => self.truth(false),
            },
            Condition::Compare { op, left, right } => {
                let (left, right) = (self.side(left), self.side(right));
                self.comparison(*op, left, right)
            }
        }
    }

    pub(super) fn truth(&mut self, value: bool) -> At {
        self.constant(Value::Bool(value), Type::BOOL)
    }

    pub(super) fn and(&mut self, all: &[At]) -> At {
        let args: Vec<Arg> = all.iter().map(|at| Arg::Knot(*at)).collect();
        match all {
            [] => self.truth(true),
            [only] => *only,
            _ => self.apply(Op::And, &[("x", &args)], Params::default(), &Type::BOOL),
        }
    }

    pub(super) fn or(&mut self, all: &[At]) -> At {
        let args: Vec<Arg> = all.iter().map(|at| Arg::Knot(*at)).collect();
        match all {
            [] => self.truth(false),
            [only] => *only,
            _ => self.apply(Op::Or, &[("x", &args)], Params::default(), &Type::BOOL),
        }
    }

    pub(super) fn not(&mut self, of: At) -> At {
        self.apply(Op::Not, &[("x", &[Arg::Knot(of)])], Params::default(), &Type::BOOL)
    }

    /// True where a bool is true, false where it is false or unknown.
    fn surely(&mut self, at: At) -> At {
        if !self.ty(at).optional {
            return at;
        }
        let args = [("x", &[Arg::Knot(at)][..]), ("v", &[Arg::Value(Value::Bool(false))][..])];
        self.apply(Op::Otherwise, &args, Params::default(), &Type::BOOL)
    }

    pub(super) fn known(&mut self, at: At) -> At {
        if !self.ty(at).optional {
            return self.truth(true);
        }
        self.apply(Op::Known, &[("x", &[Arg::Knot(at)])], Params::default(), &Type::BOOL)
    }

    /// Whether a comparison surely holds: false where a side is unknown.
    pub(super) fn compare(&mut self, op: Comparison, left: At, right: Arg) -> At {
        let op = match op {
            Comparison::Equal => Op::Equal,
            Comparison::NotEqual => Op::NotEqual,
            Comparison::Less => Op::Less,
            Comparison::LessEqual => Op::LessEqual,
            Comparison::Greater => Op::Greater,
            Comparison::GreaterEqual => Op::GreaterEqual,
        };
        let optional = self.ty(left).optional || matches!(&right, Arg::Knot(at) if self.ty(*at).optional);
        if let Arg::Value(Value::Number(n)) = &right {
            self.reach(n);
        }
        let args = [("left", &[Arg::Knot(left)][..]), ("right", &[right][..])];
        let made = self.apply(op, &args, Params::default(), &Type::BOOL.with_optional(optional));
        self.surely(made)
    }

    fn side(&mut self, operand: &Operand) -> Side {
        match operand {
            Operand::Node { candidate, node } => Side::Knot(self.node(*candidate, *node)),
            Operand::Constant(Value::Unknown) | Operand::Abstains => Side::Abstains,
            Operand::Constant(value) => Side::Constant(value.clone()),
            Operand::Wins(at) => Side::Wins(*at),
            Operand::Tie => Side::Tie,
            Operand::Readout { candidate, readout } => {
                let Some(found) = self.program.readouts.get(*readout) else { return Side::Abstains };
                if found.mode != Mode::Pointwise {
                    if let Some(outcome) = self.outcomes.get(readout) {
                        return Side::Outcome(*outcome);
                    }
                    let made = self.pairwise(found);
                    if let Side::Outcome(outcome) = &made {
                        self.outcomes.insert(*readout, *outcome);
                    }
                    return made;
                }
                if let Some(at) = self.readings.get(&(*candidate, *readout)) {
                    return Side::Knot(*at);
                }
                let at = self.pointwise(*candidate, found);
                self.readings.insert((*candidate, *readout), at);
                Side::Knot(at)
            }
        }
    }

    fn comparison(&mut self, op: Comparison, left: Side, right: Side) -> At {
        let equal = op == Comparison::Equal;
        match (left, right) {
            (Side::Abstains, Side::Knot(at)) | (Side::Knot(at), Side::Abstains) => {
                let known = self.known(at);
                if equal { self.not(known) } else { known }
            }
            (Side::Abstains, Side::Outcome(outcome)) | (Side::Outcome(outcome), Side::Abstains) => {
                self.outcome(outcome, 3, equal, false)
            }
            (Side::Outcome(outcome), Side::Wins(at)) | (Side::Wins(at), Side::Outcome(outcome)) => {
                self.outcome(outcome, at.min(1), equal, true)
            }
            (Side::Outcome(outcome), Side::Tie) | (Side::Tie, Side::Outcome(outcome)) => {
                self.outcome(outcome, 2, equal, true)
            }
            (Side::Knot(a), Side::Knot(b)) => self.compare(op, a, Arg::Knot(b)),
            (Side::Knot(a), Side::Constant(value)) => self.compare(op, a, Arg::Value(value)),
            (Side::Constant(value), Side::Knot(a)) => self.compare(turned(op), a, Arg::Value(value)),
            (Side::Constant(a), Side::Constant(b)) => {
                let ty = Type::BOOL;
                let a = self.constant(a, ty);
                self.compare(op, a, Arg::Value(b))
            }
            (Side::Abstains, Side::Constant(_)) | (Side::Constant(_), Side::Abstains) => self.truth(!equal),
            // What no typed condition compares.
            _ => self.truth(false),
        }
    }

    /// `outcome == x` or, where `!equal`, `outcome != x`, which is false where it abstains unless that itself is asked for.
    fn outcome(&mut self, outcome: [At; 4], which: usize, equal: bool, needs_answer: bool) -> At {
        let [_, _, _, abstains] = outcome;
        let is = outcome.get(which).copied().unwrap_or(abstains);
        if equal {
            return is;
        }
        let not = self.not(is);
        if !needs_answer {
            return not;
        }
        let answers = self.not(abstains);
        self.and(&[not, answers])
    }

    /// The value of a pointwise readout; unknown where it abstains.
    pub(super) fn pointwise(&mut self, candidate: usize, readout: &Readout) -> At {
        let source = self.node(candidate, readout.source);
        let optional = self.ty(source).optional;
        let value = match mapping(readout) {
            None => source,
            Some(operation) => {
                let ty = readout.ty.clone().known().with_optional(optional);
                let port = operation.ports.first().map_or("x", |port| port.name);
                let limit: Vec<Arg> = operation
                    .ports
                    .get(1)
                    .into_iter()
                    .flat_map(|port| &port.inputs)
                    .filter_map(|input| match input {
                        crate::catalog::Input::Constant(value) => Some(Arg::Value(value.clone())),
                        crate::catalog::Input::Node(_) => None,
                    })
                    .collect();
                let first = [Arg::Knot(source)];
                let mut ports = vec![(port, &first[..])];
                if !limit.is_empty() {
                    ports.push(("right", &limit));
                }
                self.apply(operation.op, &ports, (*operation.params).clone(), &ty)
            }
        };
        let sink = self.node(candidate, self.program.sink);
        if sink == source || !self.ty(sink).optional {
            return value;
        }
        let known = self.known(sink);
        let ty = self.ty(value).clone().optional();
        let ports = [
            ("condition", &[Arg::Knot(known)][..]),
            ("then", &[Arg::Knot(value)][..]),
            ("else", &[Arg::Value(Value::Unknown)][..]),
        ];
        self.apply(Op::If, &ports, Params::default(), &ty)
    }

    fn pairwise(&mut self, readout: &Readout) -> Side {
        let (ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie }) = &readout.kind else {
            return Side::Abstains;
        };
        let scores = [self.node(0, readout.source), self.node(1, readout.source)];
        let mut answers = Vec::new();
        for candidate in 0..2 {
            let source = self.node(candidate, readout.source);
            let sink = self.node(candidate, self.program.sink);
            answers.push(self.known(source));
            if sink != source {
                answers.push(self.known(sink));
            }
        }
        let answers = self.and(&answers);
        let abstains = self.not(answers);
        let (first, second) = (self.above(scores, margin), self.above([scores[1], scores[0]], margin));
        let level = {
            let either = self.or(&[first, second]);
            self.not(either)
        };
        let (tie_first, tie_second, tied) = self.broken(tie);
        let mut outcome = |outright: Option<At>, broken: Option<At>| {
            let mut ways: Vec<At> = outright.into_iter().collect();
            if let Some(broken) = broken {
                ways.push(self.and(&[level, broken]));
            }
            let won = self.or(&ways);
            self.and(&[answers, won])
        };
        let first = outcome(Some(first), tie_first);
        let second = outcome(Some(second), tie_second);
        let is_tie = outcome(None, tied);
        // A tie that is left to `abstain` is an abstention too.
        let settled = self.or(&[first, second, is_tie]);
        let unsettled = self.not(settled);
        let abstains = self.or(&[abstains, unsettled]);
        Side::Outcome([first, second, is_tie, abstains])
    }

    /// Whether the first of two nodes is above the second by more than the margin: ranks for labels, 0 and 1 for bools.
    fn above(&mut self, [a, b]: [At; 2], margin: &Number) -> At {
        if margin.is_zero() {
            return self.compare(Comparison::Greater, a, Arg::Knot(b));
        }
        let (a, b) = (self.number(a), self.number(b));
        let ty = self.ty(b).clone();
        let (lo, hi) = match ty.interval() {
            Some((lo, hi)) => (lo + margin, hi + margin),
            None => (Number::ZERO, Number::ONE),
        };
        let ty = Type::score(lo, hi).with_optional(ty.optional);
        let ports = [("left", &[Arg::Knot(b)][..]), ("right", &[Arg::Value(Value::Number(margin.clone()))][..])];
        let raised = self.apply(Op::Add, &ports, Params::default(), &ty);
        self.compare(Comparison::Greater, a, Arg::Knot(raised))
    }

    /// A node as a number: the rank of a label, 0 or 1 for a bool.
    fn number(&mut self, at: At) -> At {
        let ty = self.ty(at).clone();
        let top = match &ty.base {
            Base::Ordinal(labels) | Base::Choice(labels) => labels.len().saturating_sub(1),
            Base::Bool => 1,
            _ => return at,
        };
        let to = Type::score(Number::ZERO, Number::from(top)).with_optional(ty.optional);
        let params = Params { to: Some(to.clone().known()), ..Params::default() };
        self.apply(Op::Rescale, &[("x", &[Arg::Knot(at)])], params, &to)
    }

    /// When a tie goes to the first, when to the second, and when it stays one; `None`: never.
    fn broken(&mut self, tie: &Tie) -> (Option<At>, Option<At>, Option<At>) {
        match tie {
            Tie::Tie => (None, None, Some(self.truth(true))),
            Tie::Abstain => (None, None, None),
            Tie::First => (Some(self.truth(true)), None, None),
            Tie::ById => {
                let smaller = self.digest();
                let other = self.not(smaller);
                (Some(smaller), Some(other), None)
            }
            Tie::By { keys, tie } => self.by_keys(keys, *tie),
        }
    }

    fn by_keys(&mut self, keys: &[NodeId], tie: bool) -> (Option<At>, Option<At>, Option<At>) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        // That all keys so far left it open.
        let mut open: Option<At> = None;
        for key in keys {
            let (a, b) = (self.node(0, *key), self.node(1, *key));
            let above = self.compare(Comparison::Greater, a, Arg::Knot(b));
            let below = self.compare(Comparison::Less, a, Arg::Knot(b));
            let (win, lose) = match open {
                Some(open) => (self.and(&[open, above]), self.and(&[open, below])),
                None => (above, below),
            };
            first.push(win);
            second.push(lose);
            let decided = self.or(&[above, below]);
            let level = self.not(decided);
            open = Some(match open {
                Some(open) => self.and(&[open, level]),
                None => level,
            });
        }
        let left = match open {
            Some(open) => open,
            None => self.truth(true),
        };
        (Some(self.or(&first)), Some(self.or(&second)), tie.then_some(left))
    }
}

/// The comparison with its sides exchanged.
fn turned(op: Comparison) -> Comparison {
    match op {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        same => same,
    }
}
