//! Proving requirements: whether a condition holds for every assignment of judgments.
//!
//! A requirement is turned into a question: is there an assignment that breaks it? ([`problem`], [`lower`]) The question is
//! searched by exact interval branch and bound ([`search`]) over domains with open and closed ends ([`domain`]), which are
//! narrowed forward and backward ([`forward`], [`backward`], [`linear`], [`propagate`]), with monotone corners ([`sign`]).
//!
//! *Architecture Invariant:* "proved" rests on a search that closed every box; "disproved" on an assignment that the
//! interpreter and the readouts have been run on again ([`witness`]). What is neither is undecided, with how far it got.

mod backward;
mod domain;
mod few;
mod find;
mod fold;
mod forward;
mod idle;
mod implied;
mod linear;
mod linearize;
mod lower;
mod monotone;
mod problem;
mod propagate;
mod report;
mod require;
mod search;
mod sense;
mod show;
mod sign;
mod simplex;
mod table;
mod threshold;
mod weights;
mod witness;

pub use find::{Found, Query, find};
pub use idle::{extreme, idle};
pub use monotone::against;
pub use problem::Shared;
pub use report::{check, diagnostic};
pub use require::{Broken, Counterexample, Verdict, prove};
pub use search::Budget;
pub use witness::Assignment;
