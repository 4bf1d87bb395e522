//! Values as numbers, and the arithmetic that is written with signs.

use super::step::{ONE, Step, ZERO};
use crate::catalog::Op;
use crate::number::Number;
use crate::types::Value;
use std::cmp::Ordering;

/// A value as a number; `true` is 1 and `false` 0. Labels are no numbers.
pub(crate) fn number(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(n) => Some(n),
        Value::Bool(true) => Some(&ONE),
        Value::Bool(false) => Some(&ZERO),
        _ => None,
    }
}

/// Orders two known values of one scale: numbers by size, labels by rank, false before true.
pub(crate) fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Label(a), Value::Label(b)) => Some(a.cmp(b)),
        _ => Some(number(a)?.cmp(number(b)?)),
    }
}

/// An answer of `true`, `false`, or (where there is none) unknown.
pub(crate) fn truth(answer: Option<bool>) -> Value {
    answer.map_or(Value::Unknown, Value::Bool)
}

impl Step {
    /// `+ - * /`: unknown on either side is passed through.
    pub(super) fn arithmetic(&self, left: &Value, right: &Value) -> Value {
        let (Some(a), Some(b)) = (number(left), number(right)) else { return Value::Unknown };
        let result = match self.op {
            Op::Add => Some(a + b),
            Op::Subtract => Some(a - b),
            Op::Multiply => Some(a * b),
            // A divisor's interval never contains 0.
            _ => a.checked_div(b),
        };
        result.map_or(Value::Unknown, Value::Number)
    }

    /// `== != < <= > >=`: unknown on either side is passed through.
    pub(super) fn compare(&self, left: &Value, right: &Value) -> Value {
        if left.is_unknown() || right.is_unknown() {
            return Value::Unknown;
        }
        match self.op {
            Op::Equal => Value::Bool(left == right),
            Op::NotEqual => Value::Bool(left != right),
            _ => truth(compared(left, right).map(|ordering| match self.op {
                Op::Less => ordering.is_lt(),
                Op::LessEqual => ordering.is_le(),
                Op::Greater => ordering.is_gt(),
                _ => ordering.is_ge(),
            })),
        }
    }
}
