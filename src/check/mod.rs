//! The checker.

pub mod criteria;

pub mod spec;

use crate::diagnostics::{Diagnostic, Sink};
use crate::graph::Program;
use crate::source::FileId;
use crate::source::files::Files;

/// What checking a file gives.
#[derive(Debug)]
pub struct Checked {
    /// `None` where there are errors, and of a library.
    pub program: Option<Program>,
    /// By file and place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a `.rubric` file.
pub fn check(files: &mut Files, file: FileId) -> Checked {
    let mut sink = Sink::new();
    if let Some(source) = files.get(file) {
        crate::syntax::parse(source, &mut sink);
    }
    Checked { program: None, diagnostics: sink.finish() }
}
