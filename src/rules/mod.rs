//! Rule expressions: what a `rule(…)` or `applies rule(…)` computes from the fields of a record, without any model.

use crate::types::{Type, Value};
use std::sync::Arc;

/// A checked rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The expression in canonical layout; parses back to the same rule.
    pub text: Arc<str>,
    /// What it yields.
    pub ty: Type,
}

/// Why a rule gave no value for a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// What a rule reads.
pub trait FieldValues {
    /// The value of a field by its name (`answer`, `pair.response1`); `None` where it is not given.
    fn get(&self, name: &str) -> Option<&serde_json::Value>;
}

impl Rule {
    /// Computes the rule.
    ///
    /// # Errors
    /// Where a field that it needs holds something that it cannot read.
    pub fn evaluate(&self, fields: &dyn FieldValues) -> Result<Value, RuleError> {
        let _ = fields;
        Err(RuleError(String::new()))
    }
}
