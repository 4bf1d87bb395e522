//! Measuring results against people: figures of agreement, their intervals, and what a constant answer would reach.
//!
//! Rows of (result, label) are gathered as counts of distinct pairs ([`cells`]), because every figure is a function of
//! these counts: memory then grows with the number of different pairs and not with the number of rows, and a bootstrap
//! resample is another draw of the counts. [`points`], [`classes`], [`pairs`] and [`raters`] compute figures from counts;
//! [`resample`] their intervals; [`measure`] joins results ([`input`]) with labels and does all of it for every run.
//!
//! What a readout abstains from, leaves open or could not be run is counted and is never a number. Floats are used, since
//! these are statistics; `docs/evaluation.md` has every formula with its source.

pub mod ablation;
pub mod annotation;
pub mod cells;
pub mod classes;
pub mod drift;
pub mod figure;
pub mod flat;
pub mod input;
pub mod json;
pub mod measure;
pub mod pairs;
pub mod points;
pub mod rank;
pub mod raters;
pub mod report;
pub mod resample;
mod rows;
