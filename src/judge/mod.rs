//! Judging by models and programs: what is asked, of whom, over which wire, and what came back.
//!
//! Three rooms that do not know each other's inside:
//! - [`wire`] turns a [`wire::Question`] into bytes for one server and its bytes into a [`wire::Reply`] or a
//!   [`wire::Failure`]. It knows dialects and limits of servers; it knows no rubric.
//! - [`ask`] knows what a criterion asks: prompts, schemas, samples, panels, cascades, and whether a reply conforms. It does
//!   no I/O: it says which calls it wants and is told what came of them.
//! - the scheduler between them, with the store, the budget and the order of results.
//!
//! What models answered becomes *recorded judgments*, entries as they stand in a record, and goes through the same door as
//! those of people; so a trace of a judged run replays like any other.
//!
//! *Architecture Invariant:* a reply that does not conform is a reason why a judgment is missing; it is never a value.

pub mod ask;
pub mod budget;
pub mod config;
pub mod doctor;
pub mod limits;
pub mod schedule;
pub mod store;
pub mod wire;
