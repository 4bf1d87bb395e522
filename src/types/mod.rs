//! Judgment spaces: the types of the language, their intervals, and the values that live in them.
//!
//! *Architecture Invariant:* a type says everything about which values it holds; a [`Value`] says nothing about its type,
//! so a label is a rank in its type's list and is printed through it.

mod field;
#[cfg(test)]
mod tests;
mod value;

use crate::number::Number;
use std::fmt;
use std::sync::Arc;

pub use field::{Field, FieldKind, Role};
pub use value::{ItemJudgment, Value};

/// The labels of an ordinal (lowest first), choice, set or tally, in the order written.
pub type Labels = Arc<[Arc<str>]>;

/// What a value is, apart from whether it may be `unknown`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Base {
    Bool,
    /// Whole numbers `lo..=hi`; both ends whole, `lo <= hi`.
    Int {
        lo: Number,
        hi: Number,
    },
    /// Exact reals `lo..=hi`.
    Score {
        lo: Number,
        hi: Number,
    },
    Ordinal(Labels),
    Choice(Labels),
    Set(Labels),
    /// A count from 0 to `max` per label.
    Tally {
        labels: Labels,
        max: u32,
    },
    /// A real without bounds. No author writes it: `points` and `sum_points` of a `checklist … from` have it, and only
    /// `clamp` and comparisons take it.
    Real,
    /// The judged items of a `checklist … from`. No author writes it: only `points` and `sum_points` take it.
    Items,
}

/// A judgment space: a base, and whether `unknown` belongs to it (`T?`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    pub base: Base,
    pub optional: bool,
}

impl Type {
    #[must_use]
    pub const fn of(base: Base) -> Type {
        Type { base, optional: false }
    }

    pub const BOOL: Type = Type::of(Base::Bool);

    /// `score[0..1]`.
    pub const UNIT: Type = Type::of(Base::Score { lo: Number::ZERO, hi: Number::ONE });

    #[must_use]
    pub fn int(lo: i64, hi: i64) -> Type {
        Type::of(Base::Int { lo: Number::int(lo), hi: Number::int(hi) })
    }

    #[must_use]
    pub fn score(lo: Number, hi: Number) -> Type {
        Type::of(Base::Score { lo, hi })
    }

    /// `T?` of this type.
    #[must_use]
    pub fn optional(mut self) -> Type {
        self.optional = true;
        self
    }

    /// This type without `?`.
    #[must_use]
    pub fn known(mut self) -> Type {
        self.optional = false;
        self
    }

    /// This type, with `?` iff `optional`.
    #[must_use]
    pub fn with_optional(mut self, optional: bool) -> Type {
        self.optional = optional;
        self
    }

    /// Lowest and highest number of an `int` or `score`.
    #[must_use]
    pub fn interval(&self) -> Option<(&Number, &Number)> {
        match &self.base {
            Base::Int { lo, hi } | Base::Score { lo, hi } => Some((lo, hi)),
            _ => None,
        }
    }

    #[must_use]
    pub fn is_number(&self) -> bool {
        self.interval().is_some()
    }

    #[must_use]
    pub fn is_bool(&self) -> bool {
        self.base == Base::Bool
    }

    /// The labels of an ordinal, choice, set or tally.
    #[must_use]
    pub fn labels(&self) -> Option<&Labels> {
        match &self.base {
            Base::Ordinal(labels) | Base::Choice(labels) | Base::Set(labels) | Base::Tally { labels, .. } => {
                Some(labels)
            }
            _ => None,
        }
    }

    /// The rank of a label of this type.
    #[must_use]
    pub fn rank(&self, label: &str) -> Option<u32> {
        let at = self.labels()?.iter().position(|l| &**l == label)?;
        u32::try_from(at).ok()
    }

    /// Whether a value of this type may be routed into a port of `target` without a word: equal types, an int into a score
    /// or an interval into one that contains it, and `T` into `T?` (language.md, section 4).
    #[must_use]
    pub fn routes_into(&self, target: &Type) -> bool {
        if self.optional && !target.optional {
            return false;
        }
        match (&self.base, &target.base) {
            (Base::Int { lo, hi }, Base::Int { lo: a, hi: b } | Base::Score { lo: a, hi: b })
            | (Base::Score { lo, hi }, Base::Score { lo: a, hi: b }) => a <= lo && hi <= b,
            (a, b) => a == b,
        }
    }

    /// Whether `value` belongs to this type.
    #[must_use]
    pub fn holds(&self, value: &Value) -> bool {
        let labels = || self.labels().map_or(0, |l| l.len());
        match (&self.base, value) {
            (_, Value::Unknown) => self.optional,
            (Base::Bool, Value::Bool(_)) | (Base::Real, Value::Number(_)) | (Base::Items, Value::Items(_)) => true,
            (Base::Int { lo, hi }, Value::Number(n)) => n.is_integer() && lo <= n && n <= hi,
            (Base::Score { lo, hi }, Value::Number(n)) => lo <= n && n <= hi,
            (Base::Ordinal(_) | Base::Choice(_), Value::Label(rank)) => (*rank as usize) < labels(),
            (Base::Set(_), Value::Set(ranks)) => {
                ranks.is_sorted_by(|a, b| a < b) && ranks.last().is_none_or(|r| (*r as usize) < labels())
            }
            (Base::Tally { max, .. }, Value::Tally(counts)) => {
                counts.len() == labels() && counts.iter().all(|c| c <= max)
            }
            _ => false,
        }
    }

    /// The lowest and the highest value of a type that has an order (bool, numbers, ordinals).
    #[must_use]
    pub fn extremes(&self) -> Option<(Value, Value)> {
        match &self.base {
            Base::Bool => Some((Value::Bool(false), Value::Bool(true))),
            Base::Int { lo, hi } | Base::Score { lo, hi } => {
                Some((Value::Number(lo.clone()), Value::Number(hi.clone())))
            }
            Base::Ordinal(labels) => {
                let top = u32::try_from(labels.len().saturating_sub(1)).unwrap_or(u32::MAX);
                Some((Value::Label(0), Value::Label(top)))
            }
            _ => None,
        }
    }
}

/// Whether a label can be written as a bare word, or needs quotes.
#[must_use]
pub fn is_bare_label(label: &str) -> bool {
    const RESERVED: [&str; 11] =
        ["true", "false", "unknown", "and", "or", "not", "if", "then", "else", "when", "unless"];
    let mut chars = label.chars();
    let first = chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
    first && chars.all(unicode_ident::is_xid_continue) && !RESERVED.contains(&label) && label != "rest"
}

/// A label as an author writes it: bare where that is possible, else quoted.
#[must_use]
pub fn quote_label(label: &str) -> String {
    if is_bare_label(label) { label.to_owned() } else { quote(label) }
}

/// A text as a string literal of the language.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl fmt::Display for Type {
    /// The type as an author writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |labels: &Labels, between: &str| labels.iter().map(|l| quote_label(l)).collect::<Vec<_>>().join(between);
        match &self.base {
            Base::Bool => f.write_str("bool")?,
            Base::Int { lo, hi } => write!(f, "int[{lo}..{hi}]")?,
            Base::Score { lo, hi } => write!(f, "score[{}..{}]", lo.exact(), hi.exact())?,
            Base::Ordinal(labels) => write!(f, "ordinal({})", list(labels, " < "))?,
            Base::Choice(labels) => write!(f, "choice({})", list(labels, ", "))?,
            Base::Set(labels) => write!(f, "set({})", list(labels, ", "))?,
            Base::Tally { labels, max } => write!(f, "tally({}) max {max}", list(labels, ", "))?,
            Base::Real => f.write_str("a number without bounds")?,
            Base::Items => f.write_str("the items of a checklist")?,
        }
        if self.optional { f.write_str("?") } else { Ok(()) }
    }
}
