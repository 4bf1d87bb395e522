//! What names and types stand for.
//!
//! | module | |
//! | --- | --- |
//! | [`load`] | a program's file and its libraries, parsed |
//! | [`scope`] | the names of each file |
//! | [`fields`] | the fields of the program, and whether its libraries agree |
//! | [`types`] | a type as written, as a [`crate::types::Type`] |
//! | [`depend`] | which declaration needs which, in what order they can be elaborated |
//!
//! Nothing here knows operators or nodes.

pub mod depend;
pub mod fields;
pub mod load;
pub mod scope;
pub mod types;
