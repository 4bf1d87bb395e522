//! What an editor asks about a file, as plain data: no protocol, no positions but spans, nothing that runs or judges.
//!
//! A [`Snapshot`] is a checked file with its libraries and their trees. Its trees are there however broken the text is;
//! types and intervals come from the program, or from the last one that had no errors.
//!
//! | module | |
//! | --- | --- |
//! | [`names`] | every place where a name stands, and what it names: definition, references, rename |
//! | [`place`] | where in the grammar the cursor stands |
//! | [`complete`] | what may be written there |
//! | [`hover`] | what something is |
//! | [`outline`] | symbols, folding, inlay hints, lenses |
//! | [`colour`] | tokens by meaning |
//!
//! *Architecture Invariant:* nothing here runs a program, asks a judge or proves anything; verdicts are handed in as text.

pub mod colour;
pub mod complete;
pub mod hover;
pub mod names;
pub mod outline;
pub mod place;

use crate::diagnostics::Sink;
use crate::graph::Program;
use crate::project::{Opened, is_json};
use crate::resolve::load::{Unit, load};
use crate::source::Source;
use std::sync::Arc;

/// A file as it is now, for questions about it.
#[derive(Debug)]
pub struct Snapshot {
    pub opened: Opened,
    /// The last program of this file that had no errors.
    pub program: Option<Arc<Program>>,
    units: Vec<Unit>,
}

impl Snapshot {
    /// Reads the trees of a checked file. `earlier` is its last program without errors.
    #[must_use]
    pub fn new(opened: Opened, earlier: Option<Arc<Program>>) -> Snapshot {
        let mut files = opened.files.clone();
        let text = opened.files.get(opened.file).is_some_and(|s| !is_json(s.text()));
        let units = if text { load(&mut files, opened.file, &mut Sink::new()) } else { Vec::new() };
        let program = opened.program.clone().or(earlier);
        // With its libraries, also where it was not checked.
        Snapshot { opened: Opened { files, ..opened }, program, units }
    }

    /// The file itself.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        self.opened.files.get(self.opened.file)
    }

    /// The type of what a declaration gives, with its interval, where it is known.
    #[must_use]
    pub fn type_of(&self, name: &str) -> Option<String> {
        let program = self.program.as_ref()?;
        let node = program.find(name).and_then(|id| program.node(id))?;
        Some(node.ty.to_string())
    }
}
