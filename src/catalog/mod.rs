//! Λ as data: operators with their ports, parameters and result rules, and the typing that they share.
//!
//! Checker, JSON validator, interpreter, prover, completion, documentation and compile prompt all read the one [`table`].

pub mod operation;
pub mod table;
pub mod typing;

pub use operation::{Band, Input, MapArm, NodeId, Op, Operation, Params, Port, UnknownPolicy, VoteTie};
