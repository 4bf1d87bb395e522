//! What must hold of every program, however it was written: acyclic, every node of use, readouts that fit.
//!
//! The text checker and the JSON reader both come through here, so that neither accepts what the other refuses. Nothing here
//! knows where a thing was written: places are indexes, ports and parameters, and the caller turns them into spans.

mod order;
mod readout;

pub use order::{cycles, order, unreached};
pub use readout::{Form, TieWritten, ranked, readout};
