//! The flat rule: one weighted mean of a program's judgments, without its gates, conditions and curves.
//!
//! Each criterion that has an order counts as its place between the lowest and the highest value of its type, from 0 to 1; one
//! with which the score is proved to fall counts the other way round. A criterion weighs 1; a checklist weighs 1 in all, its
//! items as their points do, negative ones the other way round. What is unknown is left out; where anything is missing, the
//! flat rule says nothing. The readout is then applied to the mean, stretched over the interval of what it reads.

use crate::catalog::{Input, NodeId};
use crate::graph::{NodeKind, Origin, Program, Readout, ReadoutKind};
use crate::number::{Number, Rounding};
use crate::prove;
use crate::run::Leaf;
use crate::run::evaluate::apply;
use crate::run::judgment::JudgedLeaf;
use crate::run::readout::mapping;
use crate::types::{Base, Type, Value};
use std::collections::HashMap;

/// How one leaf counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub name: String,
    pub weight: Number,
    pub inverted: bool,
    lowest: Number,
    width: Number,
}

/// The flat rule of a program.
#[derive(Debug)]
pub struct Flat {
    pub parts: HashMap<NodeId, Part>,
    /// Criteria without an order.
    pub left_out: Vec<String>,
}

/// What the flat rule says of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// From 0 to 1.
    Mean(Number),
    /// Everything is unknown.
    Unknown,
    Missing,
}

impl Flat {
    /// The rule for what a readout reads. `weights` overrides weights by name; a negative one counts the other way round, 0
    /// leaves a criterion out.
    ///
    /// # Errors
    /// A sentence: a weight is given for what is no criterion, or nothing has an order.
    pub fn new(program: &Program, readout: &Readout, weights: &[(String, Number)]) -> Result<Flat, String> {
        let against = prove::against(program, readout.source);
        let mut flat = Flat { parts: HashMap::new(), left_out: Vec::new() };
        for (at, node) in (0_u32..).zip(&program.nodes) {
            let id = NodeId(at);
            let (origin, items) = match &node.kind {
                NodeKind::Criterion(criterion) => (&criterion.origin, false),
                NodeKind::Items { template, .. } => (&template.origin, true),
                NodeKind::Operator(_) => continue,
            };
            if *origin == Origin::Implied {
                continue;
            }
            let Some((lowest, width)) = (if items { Some((Number::ZERO, Number::ONE)) } else { place(&node.ty) })
            else {
                flat.left_out.push(node.name.to_string());
                continue;
            };
            let points = match origin {
                Origin::Item { checklist } => share(program, *checklist, id),
                _ => None,
            };
            let inverted = points.as_ref().map_or_else(|| against.contains(&id), |(_, negative)| *negative);
            let weight = points.map_or(Number::ONE, |(weight, _)| weight);
            flat.parts.insert(id, Part { name: node.name.to_string(), weight, inverted, lowest, width });
        }
        for (name, weight) in weights {
            let Some(part) = flat.parts.values_mut().find(|part| part.name == *name) else {
                return Err(format!("there is no criterion `{name}` with an order, so that it can have no weight"));
            };
            part.weight = weight.abs();
            part.inverted = weight.is_negative();
        }
        flat.parts.retain(|_, part| !part.weight.is_zero());
        if flat.parts.is_empty() {
            return Err("no criterion has an order, so there is no flat rule".to_owned());
        }
        Ok(flat)
    }

    /// The weighted mean of what was judged.
    #[must_use]
    pub fn mean<'a>(&self, leaves: impl IntoIterator<Item = &'a JudgedLeaf>) -> Said {
        let (mut sum, mut total) = (Number::ZERO, Number::ZERO);
        let mut add = |value: Number, weight: &Number| {
            sum = &sum + &(&value * weight);
            total = &total + weight;
        };
        for judged in leaves {
            let Some(part) = self.parts.get(&judged.node) else { continue };
            match &judged.leaf {
                Leaf::Missing(_) => return Said::Missing,
                Leaf::Known(value) => {
                    let Some(number) = number(value) else { continue };
                    let Some(within) = (&number - &part.lowest).checked_div(&part.width) else { continue };
                    add(if part.inverted { &Number::ONE - &within } else { within }, &part.weight);
                }
                Leaf::Items(items) => {
                    let whole = items.iter().fold(Number::ZERO, |sum, item| &sum + &item.points.abs());
                    for item in items {
                        let Ok(met) = &item.met else { return Said::Missing };
                        let Some(weight) = (&item.points.abs() * &part.weight).checked_div(&whole) else { continue };
                        if let Some(met) = met {
                            add(Number::int(i64::from(*met != item.points.is_negative())), &weight);
                        }
                    }
                }
            }
        }
        sum.checked_div(&total).map_or(Said::Unknown, Said::Mean)
    }
}

/// The lowest number of a type with an order, and how far its highest lies above it.
fn place(ty: &Type) -> Option<(Number, Number)> {
    let (lowest, highest) = ty.extremes()?;
    let lowest = number(&lowest)?;
    let width = &number(&highest)? - &lowest;
    width.is_positive().then_some((lowest, width))
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Bool(truth) => Some(Number::int(i64::from(*truth))),
        Value::Number(number) => Some(number.clone()),
        Value::Label(rank) => Some(Number::int(i64::from(*rank))),
        _ => None,
    }
}

/// An item's share of its checklist, and whether its points are negative.
fn share(program: &Program, checklist: usize, node: NodeId) -> Option<(Number, bool)> {
    let items = &program.checklists.get(checklist)?.items;
    let whole = items.iter().fold(Number::ZERO, |sum, item| &sum + &item.points.abs());
    let item = items.iter().find(|item| item.node == node)?;
    Some((item.points.abs().checked_div(&whole)?, item.points.is_negative()))
}

/// A mean from 0 to 1 on the scale of what a readout reads.
#[must_use]
pub fn stretched(program: &Program, readout: &Readout, mean: &Number) -> Option<Number> {
    let (lowest, width) = place(&program.node(readout.source)?.ty)?;
    Some(&lowest + &(mean * &width))
}

/// What a pointwise readout says of a mean from 0 to 1, in place of what it reads.
///
/// `None`: it reads something without an order.
#[must_use]
pub fn read(program: &Program, readout: &Readout, mean: &Number) -> Option<Value> {
    let ty = &program.node(readout.source)?.ty;
    let on_scale = stretched(program, readout, mean)?;
    let source = match &ty.base {
        Base::Bool => Value::Bool(on_scale >= Number::ratio(1, 2)?),
        Base::Ordinal(_) => Value::Label(u32::try_from(on_scale.round(Rounding::HalfUp).to_i64()?).ok()?),
        Base::Int { .. } if readout.kind == ReadoutKind::Native => Value::Number(on_scale.round(Rounding::HalfUp)),
        _ => Value::Number(on_scale),
    };
    let Some(operation) = mapping(readout) else { return Some(source) };
    let inputs: Vec<Value> = operation
        .ports
        .iter()
        .flat_map(|port| &port.inputs)
        .map(|input| match input {
            Input::Constant(value) => value.clone(),
            Input::Node(_) => source.clone(),
        })
        .collect();
    let type_of = |id: NodeId| program.node(id).map(|node| node.ty.clone());
    Some(apply(&operation, &readout.ty, &type_of, &inputs))
}
