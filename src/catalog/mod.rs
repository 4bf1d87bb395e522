//! Λ as data: operators with their ports, parameters and result rules, and the typing that they share.
//!
//! Checker, JSON validator, interpreter, prover, completion, documentation and compile prompt all read the one [`table`]
//! and, for everything that is no operator, its neighbours [`procedures`], [`readouts`], [`spaces`] and [`functions`].

pub mod functions;
pub mod operation;
pub mod procedures;
pub mod readouts;
pub mod render;
pub mod spaces;
pub mod table;
pub mod typing;

pub use operation::{Band, Input, MapArm, NodeId, Op, Operation, Parameters, Params, Port, UnknownPolicy, VoteTie};
