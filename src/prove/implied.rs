//! Comparisons of a number field with a constant, which a program makes rules of: `words > 200` and `words > 100` are two
//! nodes, but one number decides both.
//!
//! Two such rules over one field of one candidate may only be what some number makes of both. Other rules are free of each
//! other, as a recorded judgment may say anything.

use super::problem::{Arg, At, Builder};
use crate::graph::spec::Comparison;
use crate::graph::{Node, NodeKind, Origin, Procedure};
use crate::number::Number;
use crate::rules::{FieldValues, Rule};
use crate::types::Value;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// Rules over one field that are put beside each other, at the most.
const MOST_RULES: usize = 24;

/// An implied rule that compares a field with a number.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    pub(super) field: Arc<str>,
    at: Number,
    rule: Rule,
    optional: bool,
}

/// The cut that a leaf is, if it is one.
pub(super) fn cut(node: &Node) -> Option<Cut> {
    let NodeKind::Criterion(criterion) = &node.kind else { return None };
    let (Origin::Implied, Procedure::Rule(rule)) = (&criterion.origin, &criterion.procedure) else { return None };
    let [field] = &*rule.fields else { return None };
    let words: Vec<&str> = rule.text.split_whitespace().collect();
    let [left, _, right] = words.as_slice() else { return None };
    let number = match (*left == &**field, *right == &**field) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let at = match number.strip_prefix('-') {
        Some(positive) => -Number::from_decimal(positive).ok()?,
        None => Number::from_decimal(number).ok()?,
    };
    Some(Cut { field: field.clone(), at, rule: rule.clone(), optional: node.ty.optional })
}

impl Cut {
    /// What the rule says where the field holds a number (`None`: where it is not given).
    fn says(&self, number: Option<&Number>) -> Option<Value> {
        let json = number.map_or(Some(Json::Null), |number| serde_json::to_value(number).ok())?;
        let fields: Map<String, Json> = Map::from_iter([(self.field.to_string(), json)]);
        self.rule.evaluate(&fields as &dyn FieldValues).ok()
    }
}

/// Numbers on every side of these cuts, and on them; `None` first where the field need not be given.
fn points(cuts: &[&Cut]) -> Vec<Option<Number>> {
    let mut edges: Vec<Number> = cuts.iter().map(|cut| cut.at.clone()).collect();
    edges.sort();
    edges.dedup();
    let half = Number::ratio(1, 2).unwrap_or_default();
    let mut all: Vec<Option<Number>> = Vec::new();
    all.extend(edges.first().map(|first| Some(first - &Number::ONE)));
    for (at, edge) in edges.iter().enumerate() {
        all.push(Some(edge.clone()));
        all.push(Some(match edges.get(at + 1) {
            Some(next) => &half * &(edge + next),
            None => edge + &Number::ONE,
        }));
    }
    if cuts.iter().any(|cut| cut.optional) {
        all.push(None);
    }
    all
}

/// A value of the field with which every cut says what it is to say.
pub(super) fn value(wanted: &[(Cut, Value)]) -> Option<Option<Number>> {
    let cuts: Vec<&Cut> = wanted.iter().map(|(cut, _)| cut).collect();
    // A number that is not below 0 and whole looks most like a field's.
    let mut all = points(&cuts);
    all.sort_by_key(|point| point.as_ref().map(|n| (n.is_negative(), !n.is_integer())));
    all.into_iter().find(|point| wanted.iter().all(|(cut, value)| cut.says(point.as_ref()).as_ref() == Some(value)))
}

impl Builder<'_> {
    /// The goal, and that cuts of one field go together.
    pub(super) fn consistent(&mut self, goal: At) -> At {
        let mut parts = vec![goal];
        let cuts = std::mem::take(&mut self.cuts);
        for (first, (whose, a, one)) in cuts.iter().enumerate().take(MOST_RULES) {
            for (other, b, two) in cuts.iter().skip(first + 1).take(MOST_RULES) {
                if whose != other || a.field != b.field {
                    continue;
                }
                let points = points(&[a, b]);
                let both: Option<Vec<(Value, Value)>> =
                    points.iter().map(|point| a.says(point.as_ref()).zip(b.says(point.as_ref()))).collect();
                let Some(both) = both else { continue };
                for x in values(a) {
                    for y in values(b) {
                        if !both.contains(&(x.clone(), y.clone())) {
                            let (is_x, is_y) = (self.is(*one, &x), self.is(*two, &y));
                            let together = self.and(&[is_x, is_y]);
                            parts.push(self.not(together));
                        }
                    }
                }
            }
        }
        self.and(&parts)
    }

    /// Whether a bool knot is this value.
    fn is(&mut self, at: At, value: &Value) -> At {
        if value.is_unknown() {
            let known = self.known(at);
            return self.not(known);
        }
        self.compare(Comparison::Equal, at, Arg::Value(value.clone()))
    }
}

fn values(cut: &Cut) -> Vec<Value> {
    let mut all = vec![Value::Bool(true), Value::Bool(false)];
    if cut.optional {
        all.push(Value::Unknown);
    }
    all
}
