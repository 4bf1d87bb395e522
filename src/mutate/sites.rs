//! Where a program can be changed by one small mistake, and which mistakes those are.
//!
//! A [`Mutation`] is small and says only what is done where: a program of 100,000 items has some 200,000 of them, and only
//! those that are tried are ever made ([`super::make`]). They are listed in the order of the program, so that a sample of them
//! is the same for the same program and seed.

use crate::catalog::{Input, NodeId, Op, Operation, UnknownPolicy, VoteTie};
use crate::graph::{NodeKind, Program, ReadoutKind, Tie};
use crate::number::Number;
use crate::types::Value;

/// One small mistake.
#[derive(Debug, Clone, PartialEq)]
pub enum Mutation {
    /// The gate is left out: its readers read its base.
    DropGate {
        node: NodeId,
    },
    /// An `invert` is left out.
    DropInvert {
        node: NodeId,
    },
    /// `when` becomes `unless`; the condition of an `if` is turned round.
    Negate {
        node: NodeId,
        port: &'static str,
    },
    /// The weights of two slots of port `x` are exchanged.
    SwapWeights {
        node: NodeId,
        a: usize,
        b: usize,
    },
    /// A weight changes its sign.
    FlipWeight {
        node: NodeId,
        slot: usize,
    },
    /// The points of two items are exchanged, wherever they count.
    SwapPoints {
        list: usize,
        a: usize,
        b: usize,
    },
    /// The points of an item change their sign, wherever they count.
    FlipPoints {
        list: usize,
        item: usize,
    },
    /// What stands in two ports is exchanged.
    SwapPorts {
        node: NodeId,
        a: &'static str,
        b: &'static str,
    },
    /// Another operator over the same ports: `<` for `<=`, `or` for `and`, `min` for `max`, `-` for `+`.
    Operator {
        node: NodeId,
        op: Op,
    },
    /// A constant in a port goes up or down, by as little as can matter.
    Shift {
        node: NodeId,
        port: &'static str,
        up: bool,
    },
    /// The upper bound of a band goes up or down.
    ShiftBand {
        node: NodeId,
        band: usize,
        up: bool,
    },
    /// The results of two rows of a `map` or a `decide` are exchanged.
    SwapRows {
        node: NodeId,
        a: usize,
        b: usize,
    },
    /// Another policy for unknown.
    Policy {
        node: NodeId,
        policy: UnknownPolicy,
    },
    /// A `vote` decides ties otherwise.
    VoteTie {
        node: NodeId,
        tie: VoteTie,
    },
    /// The threshold of `pass`, or the margin of a comparison, goes up or down.
    ShiftReadout {
        readout: usize,
        up: bool,
    },
    ShiftReadoutBand {
        readout: usize,
        band: usize,
        up: bool,
    },
    /// A readout decides ties otherwise.
    ReadoutTie {
        readout: usize,
        tie: Tie,
    },
}

/// The number of mutations up to which all are listed; beyond, the rest of the program is left out (and said).
pub const MOST_LISTED: usize = 2_000_000;

/// All mutations of a program, in its order; whether some had to be left out.
#[must_use]
pub fn all(program: &Program) -> (Vec<Mutation>, bool) {
    let mut found = Vec::new();
    let items = item_nodes(program);
    for (node, at) in program.nodes.iter().zip(0..) {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        of_operation(NodeId(at), operation, program, &items, &mut found);
        if found.len() > MOST_LISTED {
            return (found, true);
        }
    }
    of_points(program, &mut found);
    of_readouts(program, &mut found);
    (found, false)
}

/// Per node, whether it is an item of a checklist: its points are changed everywhere at once.
fn item_nodes(program: &Program) -> Vec<bool> {
    let mut items = vec![false; program.nodes.len()];
    for item in program.checklists.iter().flat_map(|list| &list.items) {
        if let Some(slot) = items.get_mut(item.node.index()) {
            *slot = true;
        }
    }
    items
}

fn of_operation(node: NodeId, operation: &Operation, program: &Program, items: &[bool], found: &mut Vec<Mutation>) {
    let constant = |port: &str| matches!(operation.one(port), Some(Input::Constant(_)));
    let shift = |port: &'static str, found: &mut Vec<Mutation>| {
        if constant(port) {
            found.extend([true, false].map(|up| Mutation::Shift { node, port, up }));
        }
    };
    match operation.op {
        Op::Cap | Op::Floor | Op::Veto | Op::Mask | Op::Penalty | Op::Replace => {
            found.push(Mutation::DropGate { node });
            found.push(Mutation::Negate { node, port: "trigger" });
            match operation.op {
                Op::Cap | Op::Floor => shift("at", found),
                Op::Veto => shift("to", found),
                Op::Penalty => shift("by", found),
                Op::Replace => {
                    found.push(Mutation::SwapPorts { node, a: "base", b: "with" });
                    shift("with", found);
                }
                _ => {}
            }
        }
        Op::Invert => found.push(Mutation::DropInvert { node }),
        Op::Otherwise => shift("v", found),
        Op::If => {
            found.push(Mutation::SwapPorts { node, a: "then", b: "else" });
        }
        Op::Subtract | Op::Divide => found.push(Mutation::SwapPorts { node, a: "left", b: "right" }),
        Op::Bands => {
            let bounds = operation.params.bands.iter().enumerate().filter(|(_, band)| band.below.is_some());
            found.extend(bounds.flat_map(|(band, _)| [true, false].map(|up| Mutation::ShiftBand { node, band, up })));
        }
        Op::Map => {
            let values: Vec<&Value> =
                operation.params.arms.iter().map(|arm| &arm.value).chain(&operation.params.rest).collect();
            rows(node, &values, found);
        }
        Op::Decide => rows(node, &operation.params.results.iter().collect::<Vec<_>>(), found),
        Op::Vote => {
            let ties = [VoteTie::Lowest, VoteTie::Highest, VoteTie::Unknown];
            let others = ties.into_iter().filter(|tie| operation.params.tie.as_ref() != Some(tie));
            found.extend(others.map(|tie| Mutation::VoteTie { node, tie }));
        }
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            shift("right", found);
            shift("left", found);
        }
        _ => {}
    }
    found.extend(mistaken_for(operation.op).iter().map(|op| Mutation::Operator { node, op: *op }));
    weights(node, operation, items, found);
    policies(node, operation, program, found);
}

/// Rows that come one after another and say different things.
fn rows(node: NodeId, values: &[&Value], found: &mut Vec<Mutation>) {
    for (a, pair) in values.windows(2).enumerate() {
        if let [one, other] = pair
            && one != other
        {
            found.push(Mutation::SwapRows { node, a, b: a + 1 });
        }
    }
}

/// The operators that one is easily written for.
fn mistaken_for(op: Op) -> &'static [Op] {
    match op {
        Op::Less => &[Op::LessEqual, Op::Greater],
        Op::LessEqual => &[Op::Less, Op::GreaterEqual],
        Op::Greater => &[Op::GreaterEqual, Op::Less],
        Op::GreaterEqual => &[Op::Greater, Op::LessEqual],
        Op::Equal => &[Op::NotEqual],
        Op::NotEqual => &[Op::Equal],
        Op::And => &[Op::Or],
        Op::Or => &[Op::And],
        Op::All => &[Op::Any],
        Op::Any => &[Op::All],
        Op::Min => &[Op::Max],
        Op::Max => &[Op::Min],
        Op::Add => &[Op::Subtract],
        Op::Subtract => &[Op::Add],
        Op::Cap => &[Op::Floor],
        Op::Floor => &[Op::Cap],
        _ => &[],
    }
}

/// Weights of neighbours that differ are exchanged; of what may be negative each changes its sign. Items of checklists
/// are left to [`of_points`].
fn weights(node: NodeId, operation: &Operation, items: &[bool], found: &mut Vec<Mutation>) {
    let weights = &operation.params.weights;
    let slots = operation.port("x");
    let own = |slot: usize| {
        let source = slots.get(slot).and_then(Input::node);
        let by_points = matches!(operation.op, Op::Points | Op::SumPoints);
        !by_points || source.is_none_or(|id| items.get(id.index()) != Some(&true))
    };
    for (a, pair) in weights.windows(2).enumerate() {
        if let [one, other] = pair
            && one != other
            && own(a)
            && own(a + 1)
        {
            found.push(Mutation::SwapWeights { node, a, b: a + 1 });
        }
    }
    if matches!(operation.op, Op::WeightedSum | Op::Points | Op::SumPoints) {
        found.extend((0..weights.len()).filter(|slot| own(*slot)).map(|slot| Mutation::FlipWeight { node, slot }));
    }
}

fn policies(node: NodeId, operation: &Operation, program: &Program, found: &mut Vec<Mutation>) {
    let Some(policy) = &operation.params.unknown else { return };
    let Some(of_node) = program.node(node) else { return };
    use UnknownPolicy::{Constant, Fires, Highest, Lowest, Passes, Propagate, Skip};
    let bool_slots = matches!(operation.op, Op::All | Op::Any | Op::Count | Op::Fraction);
    let others: Vec<UnknownPolicy> = match policy {
        Fires => vec![Passes],
        Passes => vec![Fires],
        Constant(Value::Bool(b)) if bool_slots => vec![Constant(Value::Bool(!b)), Skip],
        _ if bool_slots => vec![Constant(Value::Bool(false)), Constant(Value::Bool(true))],
        // Where an unknown result is possible at all, it may have been meant.
        _ if of_node.ty.optional => vec![Skip, Propagate, Lowest, Highest],
        _ => vec![Skip, Lowest, Highest],
    };
    found.extend(others.into_iter().filter(|p| p != policy).map(|policy| Mutation::Policy { node, policy }));
}

fn of_points(program: &Program, found: &mut Vec<Mutation>) {
    // Other operators take the points of items in another way, or not at all.
    let mut counted = vec![false; program.nodes.len()];
    for node in &program.nodes {
        let NodeKind::Operator(operation) = &node.kind else { continue };
        if matches!(operation.op, Op::Points | Op::SumPoints) {
            for source in operation.sources() {
                if let Some(slot) = counted.get_mut(source.index()) {
                    *slot = true;
                }
            }
        }
    }
    let counts = |item: &crate::graph::Item| counted.get(item.node.index()) == Some(&true);
    for (list, checklist) in program.checklists.iter().enumerate() {
        for (a, pair) in checklist.items.windows(2).enumerate() {
            if let [one, other] = pair
                && one.points != other.points
                && (counts(one) || counts(other))
            {
                found.push(Mutation::SwapPoints { list, a, b: a + 1 });
            }
        }
        let items = checklist.items.iter().enumerate().filter(|(_, item)| counts(item));
        found.extend(items.map(|(item, _)| Mutation::FlipPoints { list, item }));
    }
}

fn of_readouts(program: &Program, found: &mut Vec<Mutation>) {
    for (readout, entry) in program.readouts.iter().enumerate() {
        match &entry.kind {
            ReadoutKind::Pass { .. } => found.extend([true, false].map(|up| Mutation::ShiftReadout { readout, up })),
            ReadoutKind::Bands(bands) => {
                let bounds = bands.iter().enumerate().filter(|(_, band)| band.below.is_some());
                found
                    .extend(bounds.flat_map(|(band, _)| {
                        [true, false].map(|up| Mutation::ShiftReadoutBand { readout, band, up })
                    }));
            }
            ReadoutKind::Prefer { margin, tie } | ReadoutKind::Best { margin, tie } => {
                found.push(Mutation::ShiftReadout { readout, up: true });
                if *margin != Number::ZERO {
                    found.push(Mutation::ShiftReadout { readout, up: false });
                }
                found.extend(other_ties(tie, true).into_iter().map(|tie| Mutation::ReadoutTie { readout, tie }));
            }
            ReadoutKind::Ranking { tie } => {
                found.extend(other_ties(tie, false).into_iter().map(|tie| Mutation::ReadoutTie { readout, tie }));
            }
            ReadoutKind::Native | ReadoutKind::Rescale | ReadoutKind::Quantize { .. } => {}
        }
    }
}

/// Other ways to decide a tie; a ranking knows only `shared` and `by(…)`.
fn other_ties(tie: &Tie, top: bool) -> Vec<Tie> {
    match tie {
        Tie::Tie if top => vec![Tie::Abstain],
        Tie::Abstain | Tie::First | Tie::ById if top => vec![Tie::Tie],
        Tie::By { keys, tie } => {
            let mut others: Vec<Tie> = (0..keys.len())
                .filter(|_| keys.len() > 1)
                .map(|left_out| {
                    let keys = keys.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, key)| *key).collect();
                    Tie::By { keys, tie: *tie }
                })
                .collect();
            others.extend((1..keys.len()).map(|at| {
                let mut keys = keys.clone();
                keys.swap(at - 1, at);
                Tie::By { keys, tie: *tie }
            }));
            others.push(Tie::By { keys: keys.clone(), tie: !tie });
            others.push(Tie::Tie);
            others
        }
        _ => Vec::new(),
    }
}
