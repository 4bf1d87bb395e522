//! From a resolved operation back to what an author would have written: labels are words again, policies are named.
//!
//! The inverse of [`crate::catalog::typing::infer`]: typing what this gives yields the same operation. The JSON writer, the
//! text writer and the drawings all go through it, so they name things alike.

use super::{Node, NodeKind, Program};
use crate::catalog::typing::{Argument, Literal, Written, WrittenArm, WrittenKey, WrittenUnknown, infer};
use crate::catalog::{Input, NodeId, Op, Operation, UnknownPolicy, VoteTie};
use crate::types::{Type, Value};
use std::sync::Arc;

/// A value as a literal; a label through its type. Sets, tallies and items are no constants, and give `None`.
#[must_use]
pub fn literal(value: &Value, ty: &Type) -> Option<Literal> {
    match value {
        Value::Unknown => Some(Literal::Unknown),
        Value::Bool(b) => Some(Literal::Bool(*b)),
        Value::Number(n) => Some(Literal::Number(n.clone())),
        Value::Label(rank) => label(*rank, ty).map(Literal::Label),
        Value::Set(_) | Value::Tally(_) | Value::Items(_) => None,
    }
}

/// The text of a rank in a type.
#[must_use]
pub fn label(rank: u32, ty: &Type) -> Option<Arc<str>> {
    ty.labels()?.get(rank as usize).cloned()
}

/// The word of a policy that has one.
#[must_use]
pub fn policy_word(policy: &UnknownPolicy) -> Option<&'static str> {
    Some(match policy {
        UnknownPolicy::Skip => "skip",
        UnknownPolicy::Propagate => "propagate",
        UnknownPolicy::Lowest => "lowest",
        UnknownPolicy::Highest => "highest",
        UnknownPolicy::Fires => "fires",
        UnknownPolicy::Passes => "passes",
        UnknownPolicy::Constant(_) => return None,
    })
}

/// The type in whose words a constant of a port is written.
#[must_use]
pub fn constant_type<'a>(program: &'a Program, operation: &Operation, ty: &'a Type, port: &str) -> &'a Type {
    let other = match operation.op {
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => match port {
            "left" => operation.one("right"),
            _ => operation.one("left"),
        },
        _ => None,
    };
    let node = other.and_then(Input::node).and_then(|id| program.node(id));
    node.map_or(ty, |n| &n.ty)
}

/// The type of the first node that port `x` reads.
fn argument_type<'a>(program: &'a Program, operation: &Operation) -> Option<&'a Type> {
    let id: NodeId = operation.one("x").and_then(Input::node)?;
    program.node(id).map(|n| &n.ty)
}

/// The parameters of an operation of type `ty`, as written.
#[must_use]
pub fn written(program: &Program, operation: &Operation, ty: &Type) -> Written {
    let p = &operation.params;
    let argument = argument_type(program, operation);
    let unknown = p.unknown.as_ref().and_then(|policy| match policy {
        UnknownPolicy::Constant(value) => literal(value, ty).map(WrittenUnknown::Constant),
        other => policy_word(other).map(|word| WrittenUnknown::Word(word.into())),
    });
    let tie = p.tie.as_ref().and_then(|tie| match tie {
        VoteTie::Lowest => Some(Literal::Label("lowest".into())),
        VoteTie::Highest => Some(Literal::Label("highest".into())),
        VoteTie::Unknown => Some(Literal::Unknown),
        VoteTie::Value(value) => literal(value, ty),
    });
    Written {
        weights: p.weights.iter().cloned().map(Some).collect(),
        unknown,
        to: p.to.clone(),
        step: p.step.clone(),
        mode: p.mode,
        table: table(operation, ty, argument),
        label: p.label.and_then(|rank| label(rank, argument?)).map(Literal::Label),
        tie,
    }
}

fn table(operation: &Operation, ty: &Type, argument: Option<&Type>) -> Option<Vec<WrittenArm>> {
    let p = &operation.params;
    let arm = |key, value| WrittenArm { key, value };
    let rows = match operation.op {
        Op::Map => {
            let mut rows: Vec<WrittenArm> = p
                .arms
                .iter()
                .filter_map(|a| Some(arm(WrittenKey::Literal(literal(&a.key, argument?)?), literal(&a.value, ty)?)))
                .collect();
            if let Some(rest) = p.rest.as_ref().and_then(|v| literal(v, ty)) {
                rows.push(arm(WrittenKey::Rest, rest));
            }
            rows
        }
        Op::Bands => p
            .bands
            .iter()
            .filter_map(|b| {
                let key = b.below.clone().map_or(WrittenKey::Rest, WrittenKey::Below);
                Some(arm(key, Literal::Label(label(b.label, ty)?)))
            })
            .collect(),
        Op::Piecewise => p
            .knots
            .iter()
            .map(|(x, y)| arm(WrittenKey::Literal(Literal::Number(x.clone())), Literal::Number(y.clone())))
            .collect(),
        Op::Decide => {
            let last = p.results.len().saturating_sub(1);
            let key = |at| if at == last { WrittenKey::Rest } else { WrittenKey::Condition };
            p.results.iter().enumerate().filter_map(|(at, v)| Some(arm(key(at), literal(v, ty)?))).collect()
        }
        _ => return None,
    };
    Some(rows)
}

/// What stands in the ports of an operation of type `ty`, as [`infer`] takes it.
#[must_use]
pub fn arguments(program: &Program, operation: &Operation, ty: &Type) -> Vec<Vec<Argument>> {
    let one = |port: &str, input: &Input| match input {
        Input::Node(id) => program.node(*id).map_or(Argument::Error, |n| Argument::Node {
            id: *id,
            ty: n.ty.clone(),
            name: n.name.clone(),
        }),
        Input::Constant(value) => {
            let ty = constant_type(program, operation, ty, port);
            literal(value, ty).map_or(Argument::Error, Argument::Constant)
        }
    };
    let port = |info: &crate::catalog::table::PortInfo| {
        operation.port(info.name).iter().map(|input| one(info.name, input)).collect()
    };
    operation.op.info().ports.iter().map(port).collect()
}

/// Whether the type of a node had to be written: typing without it gives another one.
#[must_use]
pub fn needs_type(program: &Program, node: &Node) -> bool {
    let NodeKind::Operator(operation) = &node.kind else { return false };
    let arguments = arguments(program, operation, &node.ty);
    match infer(operation.op, &arguments, &written(program, operation, &node.ty), None) {
        Ok(typed) => typed.ty != node.ty,
        Err(_) => true,
    }
}
