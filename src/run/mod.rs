//! Running a program over records: leaf judgments in, node values, bounds and readouts out.
//!
//! *Architecture Invariant:* a judgment is a value of its declared type, `unknown`, or missing with a reason; there is no
//! default. *Architecture Invariant:* the outcome is a function of the judgments, not of the order in which they arrive.

pub mod bounds;
pub mod columns;
pub mod driver;
pub mod engine;
pub mod evaluate;
pub mod judgment;
pub mod lazy;
mod leaf;
pub mod merge;
pub mod readout;
pub mod record;
pub mod replay;
pub mod result;
pub mod spec;
pub mod summary;
pub mod trace;

pub use leaf::{ItemState, Leaf, Missing, MissingReason, blank_leaves};
