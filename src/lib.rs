//! Rubric: a language for judging text.
//!
//! A `.rubric` file declares typed criteria and composes their judgments through TRANSFORM, REDUCE and GATE operators into
//! one sink, which readouts turn into a score, a label or a preference. `docs/architecture.md` is the map of this crate.

pub mod author;
pub mod catalog;
pub mod check;
pub mod cli;
pub mod compile;
pub mod diagnostics;
pub mod evaluate;
pub mod expand;
pub mod export;
pub mod format;
pub mod graph;
pub mod ide;
pub mod import;
pub mod json;
pub mod judge;
pub mod lsp;
pub mod mutate;
pub mod number;
pub mod profile;
pub mod project;
pub mod prove;
pub mod quality;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod run;
pub mod source;
pub mod syntax;
pub mod tags;
pub mod types;
pub mod why;
