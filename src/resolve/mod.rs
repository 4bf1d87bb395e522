//! What names and types stand for.
//!
//! [`types`] turns a type as written into a [`crate::types::Type`]. It knows neither criteria nor operators.

pub mod types;
