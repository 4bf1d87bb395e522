//! What nodes and readouts do, in the words of somebody who has never seen an operator.

use super::super::text::Phrases;
use super::super::written::{constant_type, label, literal, written};
use super::super::{Node, NodeKind, Procedure, Program, Readout, ReadoutKind, Template, TemplatePart, Tie};
use super::Shape;
use crate::catalog::table::Family;
use crate::catalog::typing::{Literal, WrittenKey, WrittenUnknown};
use crate::catalog::{Input, Op, Operation};
use crate::types::Type;

pub(super) fn shape(op: Op) -> Shape {
    match op.info().family {
        Family::Transform => Shape::Transform,
        Family::Reduce => Shape::Reduce,
        Family::Gate => Shape::Gate,
        Family::Expression => Shape::Expression,
    }
}

/// How a criterion is answered, where it is no plain question to a model.
pub(super) fn judge(procedure: &Procedure, implied: bool) -> String {
    match procedure {
        Procedure::Rule(_) if implied => "read from the record".to_owned(),
        Procedure::Rule(rule) => format!("computed: {}", rule.text),
        Procedure::Human { .. } => "judged by people".to_owned(),
        Procedure::Verifier { name } => format!("checked by the program `{name}`"),
        Procedure::Llm(_) => String::new(),
        Procedure::Cascade { threshold, .. } => {
            format!("a second model is asked where the first is less than {} sure", threshold.exact())
        }
    }
}

fn template(program: &Program, template: &Template) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(words) => words.to_string(),
        TemplatePart::Field(id) => format!("[{}]", program.field(*id).map_or("", |f| &*f.name)),
    };
    template.parts.iter().map(part).collect()
}

/// The question of a criterion, or what an operator does.
pub(super) fn node(program: &Program, phrases: &Phrases<'_>, node: &Node) -> String {
    match &node.kind {
        NodeKind::Criterion(c) => match (&c.procedure, template(program, &c.ask)) {
            (Procedure::Rule(rule), ask) if ask.is_empty() => rule.text.to_string(),
            (_, ask) => ask,
        },
        NodeKind::Items { field, .. } => {
            format!("the items that each record brings in `{}`", program.field(*field).map_or("", |f| &*f.name))
        }
        NodeKind::Operator(operation) => operation_words(program, phrases, node, operation),
    }
}

fn constant(l: &Literal) -> String {
    match l {
        Literal::Bool(true) => "yes".to_owned(),
        Literal::Bool(false) => "no".to_owned(),
        Literal::Number(n) => n.exact(),
        Literal::Label(label) => label.to_string(),
        Literal::Unknown => "unknown".to_owned(),
    }
}

/// What stands in a port: a name, a nested expression or a constant.
fn port(program: &Program, phrases: &Phrases<'_>, operation: &Operation, ty: &Type, name: &str) -> String {
    match operation.one(name) {
        Some(Input::Node(id)) => phrases.of(*id),
        Some(Input::Constant(value)) => {
            let ty = constant_type(program, operation, ty, name);
            literal(value, ty).map_or(String::new(), |l| constant(&l))
        }
        None => String::new(),
    }
}

fn operation_words(program: &Program, phrases: &Phrases<'_>, node: &Node, operation: &Operation) -> String {
    let w = written(program, operation, &node.ty);
    let at = |name: &str| port(program, phrases, operation, &node.ty, name);
    let to = || w.to.as_ref().map_or(String::new(), ToString::to_string);
    let label = || w.label.as_ref().map_or(String::new(), constant);
    let when = || match at("trigger") {
        trigger if trigger.starts_with("not ") => {
            let inner = trigger.trim_start_matches("not ");
            let bare = inner.strip_prefix('(').and_then(|i| i.strip_suffix(')')).filter(|i| !i.contains(['(', ')']));
            format!("unless {}", bare.unwrap_or(inner))
        }
        trigger => format!("when {trigger}"),
    };
    let does = match operation.op {
        Op::Normalize => "brought to 0 … 1".to_owned(),
        Op::Rescale => format!("stretched to {}", to()),
        Op::Clamp => format!("kept within {}", to()),
        Op::Invert => "turned round: high becomes low".to_owned(),
        Op::Round => format!("rounded to steps of {}", w.step.as_ref().map_or(String::new(), |s| s.exact())),
        Op::Quantize => format!("stretched and rounded to {}", to()),
        Op::Map | Op::Bands | Op::Piecewise => table(operation.op, &w),
        Op::Has => format!("whether {} was found", label()),
        Op::Size => "how many were found".to_owned(),
        Op::CountOf => format!("how often {} was found", label()),
        Op::Known => "whether it is known".to_owned(),
        Op::Otherwise => format!("where unknown: {}", at("v")),
        Op::Mean => "the mean of these".to_owned(),
        Op::Median => "the median of these".to_owned(),
        Op::Min => "the lowest of these".to_owned(),
        Op::Max => "the highest of these".to_owned(),
        Op::GeometricMean => "the geometric mean of these".to_owned(),
        Op::HarmonicMean => "the harmonic mean of these".to_owned(),
        Op::WeightedMean | Op::Tree => "the weighted mean of these".to_owned(),
        Op::Sum => "the sum of these".to_owned(),
        Op::WeightedSum => "the weighted sum of these".to_owned(),
        Op::Product => "the product of these".to_owned(),
        Op::All => "whether all of these hold".to_owned(),
        Op::Any => "whether any of these holds".to_owned(),
        Op::Count => "how many of these hold".to_owned(),
        Op::Fraction => "the share of these that hold".to_owned(),
        Op::Vote => "the most frequent of these".to_owned(),
        Op::Points => "points met, of all that can be earned".to_owned(),
        Op::SumPoints => "points met".to_owned(),
        Op::Decide => format!("the first that holds: {}", decide(phrases, operation, &w)),
        Op::Cap => format!("at most {} {}", at("at"), when()),
        Op::Floor => format!("at least {} {}", at("at"), when()),
        Op::Veto if operation.one("to").is_none() => format!("the lowest value {}", when()),
        Op::Veto => format!("{} {}", at("to"), when()),
        Op::Mask => format!("unknown {}", when()),
        Op::Penalty => format!("{} less {}", at("by"), when()),
        Op::Replace => format!("{} instead {}", at("with"), when()),
        Op::If => format!("{} if {}, else {}", at("then"), at("condition"), at("else")),
        Op::And => "whether all hold".to_owned(),
        Op::Or => "whether one holds".to_owned(),
        Op::Not => match at("x") {
            x if x.contains(' ') => format!("not ({x})"),
            x => format!("not {x}"),
        },
        op => format!("{} {} {}", at("left"), symbol(op), at("right")),
    };
    match &w.unknown {
        Some(WrittenUnknown::Word(word)) => format!("{does} ({})", policy(word)),
        Some(WrittenUnknown::Constant(value)) => format!("{does} (unknown counts as {})", constant(value)),
        None => does,
    }
}

fn policy(word: &str) -> &'static str {
    match word {
        "skip" => "unknown ones are left out",
        "propagate" => "unknown if one is unknown",
        "lowest" => "unknown ones count as the worst",
        "highest" => "unknown ones count as the best",
        "fires" => "also when that is unknown",
        _ => "not when that is unknown",
    }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Subtract => "−",
        Op::Multiply => "×",
        Op::Divide => "÷",
        Op::Equal => "is",
        Op::NotEqual => "is not",
        Op::Less => "<",
        Op::LessEqual => "≤",
        Op::Greater => ">",
        Op::GreaterEqual => "≥",
        other => other.word(),
    }
}

/// Rows of a table that are shown.
const MOST_ROWS: usize = 8;

fn table(op: Op, w: &crate::catalog::typing::Written) -> String {
    let rows = w.table.as_deref().unwrap_or(&[]);
    let mut shown: Vec<String> = rows
        .iter()
        .take(MOST_ROWS)
        .map(|row| match &row.key {
            WrittenKey::Rest => format!("else {}", constant(&row.value)),
            WrittenKey::Below(n) => format!("below {} {}", n.exact(), constant(&row.value)),
            WrittenKey::Literal(key) => format!("{} → {}", constant(key), constant(&row.value)),
            WrittenKey::Condition => constant(&row.value),
        })
        .collect();
    if rows.len() > MOST_ROWS {
        shown.push("…".to_owned());
    }
    let line = if op == Op::Piecewise { "in straight lines through " } else { "" };
    format!("{line}{}", shown.join(", "))
}

fn decide(phrases: &Phrases<'_>, operation: &Operation, w: &crate::catalog::typing::Written) -> String {
    let conditions = operation.port("when");
    let rows = w.table.as_deref().unwrap_or(&[]).iter().enumerate().take(MOST_ROWS);
    let row = |(at, row): (usize, &crate::catalog::typing::WrittenArm)| {
        let when = conditions.get(at).and_then(Input::node);
        match (&row.key, when) {
            (WrittenKey::Condition, Some(id)) => format!("{} if {}", constant(&row.value), phrases.of(id)),
            _ => format!("else {}", constant(&row.value)),
        }
    };
    rows.map(row).collect::<Vec<_>>().join(", ")
}

/// What a readout makes of its source.
pub(super) fn readout(program: &Program, phrases: &Phrases<'_>, readout: &Readout) -> String {
    let source = program.node(readout.source);
    let name = source.map_or("", |n| &*n.name);
    let ty = source.map_or(Type::BOOL, |n| n.ty.clone());
    let tie = |tie: &Tie| match tie {
        Tie::Tie => "else a tie".to_owned(),
        Tie::Abstain => "else no answer".to_owned(),
        Tie::First => "else the first".to_owned(),
        Tie::ById => "else one of them, by its id".to_owned(),
        Tie::By { keys, tie } => {
            let names: Vec<String> = keys.iter().map(|id| phrases.of(*id)).collect();
            format!("else by {}, else {}", names.join(", "), if *tie { "a tie" } else { "no answer" })
        }
    };
    match &readout.kind {
        ReadoutKind::Native => format!("{name} as it is"),
        ReadoutKind::Rescale => format!("{name}, stretched to {}", readout.ty.clone().known()),
        ReadoutKind::Quantize { .. } => format!("{name}, stretched and rounded to {}", readout.ty.clone().known()),
        ReadoutKind::Bands(bands) => {
            let row = |band: &crate::catalog::Band| {
                let word = label(band.label, &readout.ty).unwrap_or_default();
                match &band.below {
                    Some(n) => format!("{word} below {}", n.exact()),
                    None => format!("else {word}"),
                }
            };
            format!("{name}: {}", bands.iter().map(row).collect::<Vec<_>>().join(", "))
        }
        ReadoutKind::Pass { at } => {
            let at = literal(at, &ty).map_or(String::new(), |l| constant(&l));
            format!("passes if {name} is at least {at}")
        }
        ReadoutKind::Prefer { margin, tie: by } if margin.is_zero() => format!("the one with more {name}, {}", tie(by)),
        ReadoutKind::Prefer { margin, tie: by } => {
            format!("the one whose {name} is more than {} higher, {}", margin.exact(), tie(by))
        }
        ReadoutKind::Ranking { tie: by } => format!("all in order of {name}, {}", tie(by)),
        ReadoutKind::Best { margin, tie: by } if margin.is_zero() => {
            format!("the one with the most {name}, {}", tie(by))
        }
        ReadoutKind::Best { margin, tie: by } => {
            format!("the one whose {name} is more than {} above all others, {}", margin.exact(), tie(by))
        }
    }
}
