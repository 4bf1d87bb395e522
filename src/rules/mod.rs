//! Rule expressions: what a `rule(…)` or `applies rule(…)` computes from the fields of a record, without any model.
//!
//! [`compile()`] types an expression against the declared fields and turns it into a tree whose regular expressions and JSON
//! schemas are ready to use; [`Rule::evaluate`] walks that tree over one record. Numbers are exact and carry an interval
//! ([`range`]), so that a rule whose value could leave its criterion's type is refused before anything runs. An optional
//! field that is not given is `unknown`, and so is whatever is computed from it, except through `known`, `otherwise` and
//! the Kleene `and or`.
//!
//! A rule that does not compile: `criterion short: bool { judge rule(word_count(answer)) }`, a number where a yes or no is
//! wanted.
//!
//! This module knows nothing of programs, nodes or judges.

mod compile;
mod evaluate;
mod range;
mod schema;
mod similarity;
mod table;
mod text;

use crate::diagnostics::Sink;
use crate::source::Span;
use crate::syntax::ast::Expr;
use crate::types::{Field, Type, Value};
use evaluate::Node;
use std::sync::Arc;

pub use similarity::MOST_COMPARED;
pub use table::Function;

/// A checked rule; cheap to clone.
#[derive(Debug, Clone)]
pub struct Rule(Arc<RuleParts>);

/// What a [`Rule`] holds.
#[derive(Debug)]
pub struct RuleParts {
    /// The expression in canonical layout; compiles to the same rule. A JSON schema that came from a file stands in it as
    /// text, so the rule needs no other file.
    pub text: Arc<str>,
    /// What it yields: the type that was expected of it, else the one that follows from its parts.
    pub ty: Type,
    /// The fields that it reads, in the order of their first use.
    pub fields: Arc<[Arc<str>]>,
    /// Whether one of them is a candidate's; if not, its value is the same for all candidates of a record.
    pub reads_candidate: bool,
    root: Node,
}

impl std::ops::Deref for Rule {
    type Target = RuleParts;

    fn deref(&self) -> &RuleParts {
        &self.0
    }
}

impl PartialEq for Rule {
    /// The canonical text says everything about a rule.
    fn eq(&self, other: &Rule) -> bool {
        self.text == other.text && self.ty == other.ty
    }
}

/// Why a rule gave no value for a record: a field that it reads is not given, or holds what the rule cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// What a rule reads.
pub trait FieldValues {
    /// The value of a field by its name (`answer`, `pair.response1`); `None` where it is not given. A JSON `null` counts as
    /// not given.
    fn get(&self, name: &str) -> Option<&serde_json::Value>;
}

impl FieldValues for serde_json::Map<String, serde_json::Value> {
    fn get(&self, name: &str) -> Option<&serde_json::Value> {
        serde_json::Map::get(self, name)
    }
}

/// The fields that a rule may name.
pub trait FieldNames {
    fn find(&self, name: &str) -> Option<&Field>;
    /// All names, for suggestions.
    fn names(&self) -> Vec<&str>;
}

impl FieldNames for [Field] {
    fn find(&self, name: &str) -> Option<&Field> {
        self.iter().find(|f| &*f.name == name)
    }

    fn names(&self) -> Vec<&str> {
        self.iter().map(|f| &*f.name).collect()
    }
}

/// Reads a file that a rule names, relative to the file of the span; the error is a sentence for the author.
pub type ReadFile<'a> = &'a dyn Fn(Span, &str) -> Result<String, String>;

/// The type that the name of a scale stands for.
pub type FindScale<'a> = &'a dyn Fn(&str) -> Option<Type>;

/// Where a rule stands.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Whether it may read the candidate; `applies` may not.
    pub candidate: bool,
    /// How `json_matches` gets at its schema file; `None` where there are no files (a JSON program carries its schemas).
    pub read: Option<ReadFile<'a>>,
    /// The types that names of scales stand for (`clamp(…, to: likert)`).
    pub scales: Option<FindScale<'a>>,
    /// Names that are in error elsewhere, about which nothing more is to be said.
    pub silent: Option<&'a dyn Fn(&str) -> bool>,
}

impl<'a> Scope<'a> {
    /// `judge rule(…)`: every field may be read.
    pub const JUDGE: Scope<'static> = Scope { candidate: true, read: None, scales: None, silent: None };
    /// `applies rule(…)`: inputs and references only.
    pub const APPLIES: Scope<'static> = Scope { candidate: false, read: None, scales: None, silent: None };

    #[must_use]
    pub fn with_files(self, read: ReadFile<'a>) -> Scope<'a> {
        Scope { read: Some(read), ..self }
    }

    #[must_use]
    pub fn with_scales(self, scales: FindScale<'a>) -> Scope<'a> {
        Scope { scales: Some(scales), ..self }
    }

    #[must_use]
    pub fn with_silent(self, silent: &'a dyn Fn(&str) -> bool) -> Scope<'a> {
        Scope { silent: Some(silent), ..self }
    }
}

/// Checks a rule expression and makes it ready to run. `expected` is the type of the criterion that it answers (`bool` for
/// `applies`); without it the rule's type is the one that follows from its parts. What is wrong goes to `sink`; then the
/// result is `None`.
pub fn compile(
    expr: &Expr,
    fields: &[Field],
    expected: Option<&Type>,
    scope: Scope<'_>,
    sink: &mut Sink,
) -> Option<Rule> {
    compile_with(expr, fields, expected, scope, sink)
}

/// As [`compile()`], for callers that look fields up in a table of their own.
pub fn compile_with(
    expr: &Expr,
    fields: &(impl FieldNames + ?Sized),
    expected: Option<&Type>,
    scope: Scope<'_>,
    sink: &mut Sink,
) -> Option<Rule> {
    compile::Compiler::new(&|name| fields.find(name), &|| fields.names(), expected, scope, sink).rule(expr)
}

impl Rule {
    /// Computes the rule; the value is always one of [`RuleParts::ty`].
    ///
    /// # Errors
    /// Where a field that it needs is not given or holds something that it cannot read.
    pub fn evaluate(&self, fields: &dyn FieldValues) -> Result<Value, RuleError> {
        let value = evaluate::evaluate(&self.root, fields)?.into_value();
        match value {
            Some(value) if self.ty.holds(&value) => Ok(value),
            _ => Err(RuleError(format!("the rule `{}` did not yield a value of {}", self.text, self.ty))),
        }
    }
}

#[cfg(test)]
mod tests;
