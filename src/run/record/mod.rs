//! Records: what is judged, one at a time, from JSON lines, CSV or tab-separated text.
//!
//! [`Records`] reads a file record by record in constant memory; [`Record::read`] fits one to a program ([`Layout`]).
//! Whatever is wrong with a record is a fault of that record alone. Nothing here knows what a judgment means.

pub mod json;
mod kinds;
mod layout;
pub mod lines;
pub mod seen;
mod shape;
mod source;
mod table;

pub use layout::{Layout, asked};
pub(crate) use shape::identity;
pub use shape::{Candidate, Fields, Record, RecordFault, Tags};
pub use source::{Content, DataFormat, Raw, Records};
pub use table::Row;
