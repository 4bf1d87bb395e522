//! Properties that hold for every program: the interpreter against an independent one, bounds against brute force, types
//! against values, readouts against all completions.
//!
//! Everything random comes from a list of rolls ([`dice::Dice`]), so that proptest can shrink what it finds towards zeros.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "a test may stop where something is not as it should be"
)]

mod dice;
mod hulls;
mod idles;
mod influences;
mod lazy;
mod naive;
mod operations;
mod oracle;
mod programs;
mod proofs;
mod readouts;
mod rubrics;
mod whys;
