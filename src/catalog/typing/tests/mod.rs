//! The result rules against the language's table, family by family: types that come out, faults that are found.

mod expression;
mod gate;
mod reduce;
mod shape;
mod transform;
