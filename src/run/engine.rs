//! A program made ready to judge records: what runs and replays share.
//!
//! An [`Engine`] turns the leaves of a record into the values of its nodes and the outcomes of its readouts. It reads no
//! file and knows no record beyond its id and those of its candidates.

use super::evaluate::{Interpreter, States};
use super::judgment::{Judged, JudgedLeaf};
use super::leaf::{Leaf, blank_leaves};
use super::readout::{Candidate, Reader, Reading, fits, readers};
use super::record::Layout;
use crate::graph::{self, Mode, Program, Readout};
use std::sync::Arc;

/// A program made ready.
#[derive(Debug)]
pub struct Engine {
    pub program: Arc<Program>,
    pub layout: Layout,
    /// The program's digest.
    pub digest: String,
    pub(super) interpreter: Interpreter,
    readers: Vec<Reader>,
}

/// What a record came to.
#[derive(Debug, Clone, Default)]
pub struct Outcomes {
    /// Per candidate, what is known of every node.
    pub states: Vec<States>,
    /// Per candidate, the pointwise readouts in the program's order.
    pub pointwise: Vec<Vec<Read>>,
    /// The pairwise and listwise readouts that fit the number of candidates.
    pub compared: Vec<Read>,
}

/// A readout, by its place in `Program::readouts`, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub readout: usize,
    pub reading: Reading,
}

impl Engine {
    #[must_use]
    pub fn new(program: Arc<Program>) -> Engine {
        Engine {
            layout: Layout::of(&program),
            digest: graph::digest(&program),
            interpreter: Interpreter::new(&program),
            readers: readers(&program),
            program,
        }
    }

    #[must_use]
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// One per readout of the program, in its order.
    #[must_use]
    pub fn readers(&self) -> &[Reader] {
        &self.readers
    }

    /// The leaves of a candidate, as the interpreter takes them.
    #[must_use]
    pub fn leaves(&self, judged: &Judged, candidate: usize) -> Vec<Leaf> {
        let mut leaves = blank_leaves(&self.program);
        fill(&mut leaves, &judged.shared);
        fill(&mut leaves, judged.own.get(candidate).map_or(&[][..], Vec::as_slice));
        leaves
    }

    #[must_use]
    pub fn readout(&self, read: &Read) -> Option<&Readout> {
        self.program.readouts.get(read.readout)
    }

    /// Whether some readout is for a record with so many candidates.
    ///
    /// # Errors
    /// A sentence that says how many the program wants.
    pub fn check_fit(&self, candidates: usize) -> Result<(), String> {
        if self.readers.iter().any(|reader| fits(reader.mode(), candidates)) {
            return Ok(());
        }
        let wanted = if self.readers.iter().any(|reader| reader.mode() == Mode::Listwise) {
            "compares two or more candidates"
        } else {
            "compares two candidates"
        };
        let has = if candidates == 1 { "one".to_owned() } else { candidates.to_string() };
        Err(format!("the record has {has}, but the program only {wanted}; it has no pointwise readout"))
    }

    /// Computes everything from the leaves of a record. `ids` are its candidates' in their order (empty where the only one
    /// has none); `judged` has as many candidates.
    ///
    /// # Errors
    /// Where a node cannot be computed, its number being too long or its points without a whole: a sentence that names it.
    pub fn outcomes(&self, record: &str, ids: &[&str], judged: &Judged) -> Result<Outcomes, String> {
        let mut leaves = blank_leaves(&self.program);
        fill(&mut leaves, &judged.shared);
        let mut states = Vec::with_capacity(judged.own.len());
        for own in &judged.own {
            // Every leaf is either shared or in each candidate's own list, so nothing stays from the candidate before.
            fill(&mut leaves, own);
            let found = self.interpreter.states(&leaves);
            found.check_complete(&self.program)?;
            states.push(found);
        }
        let (pointwise, compared) = self.readings(record, ids, &states);
        Ok(Outcomes { compared, pointwise, states })
    }

    /// What the readouts come to: per candidate the pointwise ones, and those that compare the candidates.
    #[must_use]
    pub fn readings(&self, record: &str, ids: &[&str], states: &[States]) -> (Vec<Vec<Read>>, Vec<Read>) {
        let pointwise = |states: &States| {
            let wanted = self.readers.iter().enumerate().filter(|(_, reader)| reader.mode() == Mode::Pointwise);
            wanted.map(|(readout, reader)| Read { readout, reading: reader.one(states) }).collect()
        };
        let candidates: Vec<Candidate<'_>> =
            ids.iter().zip(states).map(|(id, states)| Candidate { id, states }).collect();
        let compared = self.readers.iter().enumerate();
        let compared =
            compared.filter_map(|(readout, reader)| Some(Read { readout, reading: reader.all(record, &candidates)? }));
        (states.iter().map(pointwise).collect(), compared.collect())
    }
}

fn fill(leaves: &mut [Leaf], judged: &[JudgedLeaf]) {
    for one in judged {
        if let Some(leaf) = leaves.get_mut(one.node.index()) {
            leaf.clone_from(&one.leaf);
        }
    }
}
