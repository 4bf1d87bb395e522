//! Traces: everything that a run computed, so that it can be computed again without a model and without the data.
//!
//! A trace is JSON lines: a head (`{"trace": "rubric-trace/1"}`), a line per program with its JSON, a line per record, an
//! end with the number of records. `grammar/trace.schema.json` is the published schema. A record's line holds each leaf
//! with its judgments as recorded, each node with its inputs by port and slot and its output, and the readouts; numbers are
//! exact (`"13/30"` where the decimal does not end). Every line ends in a `check`, chained over all lines before it
//! ([`chain`]), so a byte that was changed, a line that was dropped and a torn end are found.

pub mod chain;
pub mod read;
mod render;
mod write;

pub use render::{Parts, record_body};
pub use write::Writer;

/// The version of the format, in the head.
pub const FORMAT: &str = "rubric-trace/1";
