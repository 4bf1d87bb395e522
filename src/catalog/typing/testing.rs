//! Shorthand for tests that build operations through [`super::infer`]: here and in the interpreter's own tests.

use super::*;

/// A node argument; its name is `nID`.
pub(crate) fn node(id: u32, ty: &Type) -> Argument {
    Argument::Node { id: NodeId(id), ty: ty.clone(), name: format!("n{id}").into() }
}

/// Nodes numbered from 0, in one port.
pub(crate) fn nodes(types: &[Type]) -> Vec<Argument> {
    (0..).zip(types).map(|(id, ty)| node(id, ty)).collect()
}

pub(crate) fn number(text: &str) -> Number {
    text.parse().expect("a number")
}

pub(crate) fn constant(text: &str) -> Argument {
    Argument::Constant(literal(text))
}

/// `true`, `unknown`, a number, else a label.
pub(crate) fn literal(text: &str) -> Literal {
    match text {
        "true" => Literal::Bool(true),
        "false" => Literal::Bool(false),
        "unknown" => Literal::Unknown,
        _ => text.parse().map_or_else(|_| Literal::Label(text.into()), Literal::Number),
    }
}

pub(crate) fn score(lo: &str, hi: &str) -> Type {
    Type::score(number(lo), number(hi))
}

pub(crate) fn ordinal(labels: &[&str]) -> Type {
    Type::of(crate::types::Base::Ordinal(labels.iter().map(|l| Arc::from(*l)).collect()))
}

pub(crate) fn choice(labels: &[&str]) -> Type {
    Type::of(crate::types::Base::Choice(labels.iter().map(|l| Arc::from(*l)).collect()))
}

pub(crate) fn set(labels: &[&str]) -> Type {
    Type::of(crate::types::Base::Set(labels.iter().map(|l| Arc::from(*l)).collect()))
}

pub(crate) fn tally(labels: &[&str], max: u32) -> Type {
    Type::of(crate::types::Base::Tally { labels: labels.iter().map(|l| Arc::from(*l)).collect(), max })
}

pub(crate) fn weights(texts: &[&str]) -> Written {
    Written { weights: texts.iter().map(|t| Some(number(t))).collect(), ..Written::default() }
}

pub(crate) fn unknown(word: &str) -> Written {
    let words = ["skip", "propagate", "lowest", "highest", "fires", "passes"];
    let policy =
        if words.contains(&word) { WrittenUnknown::Word(word.into()) } else { WrittenUnknown::Constant(literal(word)) };
    Written { unknown: Some(policy), ..Written::default() }
}

/// Rows `key => value`; a key `<0.4` is `below 0.4`, `rest` is `rest`, `?` a condition.
pub(crate) fn table(rows: &[(&str, &str)]) -> Written {
    let arm = |(key, value): &(&str, &str)| WrittenArm {
        key: match (*key, key.strip_prefix('<')) {
            ("rest", _) => WrittenKey::Rest,
            ("?", _) => WrittenKey::Condition,
            (_, Some(bound)) => WrittenKey::Below(number(bound)),
            (key, None) => WrittenKey::Literal(literal(key)),
        },
        value: literal(value),
    };
    Written { table: Some(rows.iter().map(arm).collect()), ..Written::default() }
}

/// The type as text, warnings' codes behind it; or the codes of the faults.
pub(crate) fn outcome(op: Op, arguments: &[Vec<Argument>], params: &Written, written: Option<&Type>) -> String {
    let list = |faults: &[Fault]| faults.iter().map(|f| f.code.to_string()).collect::<Vec<_>>().join(" ");
    match infer(op, arguments, params, written) {
        Ok(typed) if typed.warnings.is_empty() => typed.ty.to_string(),
        Ok(typed) => format!("{} ~ {}", typed.ty, list(&typed.warnings)),
        Err(faults) => list(&faults),
    }
}

/// As [`outcome`], over the nodes of one port.
pub(crate) fn over(op: Op, types: &[Type], params: &Written) -> String {
    outcome(op, &[nodes(types)], params, None)
}
