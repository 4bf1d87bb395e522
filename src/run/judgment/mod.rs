//! Recorded judgments: how they are written, how several become one, and what is then known of each leaf.
//!
//! One *entry* is a value as it stands in a record (`true`, `4`, `"unknown"`, `null`), or an object that says more
//! (`{"values": […]}`, `{"missing": "refused"}`, `{"value": 4, "by": "ann", "evidence": […]}`); a line of a judgments file
//! is such an object with the record, the candidate and the criterion beside it. [`entry`] reads entries into samples,
//! [`combine`] makes one judgment of them, [`leaves`] does so for every leaf of a record.
//!
//! *Architecture Invariant:* what cannot be read as a value of the declared type is a fault of its record, never a value.

pub mod answers;
pub mod combine;
pub mod entry;
pub mod evidence;
pub mod file;
mod items;
pub mod leaves;
pub mod probabilities;

pub use leaves::{Basis, Judged, JudgedItem, JudgedLeaf, judge};
