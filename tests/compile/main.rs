//! Programs that a model writes from a policy, and the grammar that binds what it writes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../support/faults/mod.rs"]
mod faults;

mod asking;
mod grammar;
mod policies;
