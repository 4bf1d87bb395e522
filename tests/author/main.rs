//! Questions to a model outside of judging, against the server of the tests: what is stored, put again, paid for, stopped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../support/faults/mod.rs"]
mod faults;

mod asks;
mod expand;
mod plans;
mod vectors;
