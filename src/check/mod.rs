//! From files to a checked [`Program`], or to everything that is wrong with them.
//!
//! [`check`] parses a file with its libraries, resolves names and types, elaborates declarations straight into the nodes of
//! the graph, then readouts, reach, requirements and tests. All mistakes are found in one run; a name that is in error
//! silences what follows from it, so that one mistake is one diagnostic. There is a program only where there is no error.
//!
//! | module | |
//! | --- | --- |
//! | [`criteria`] | what a judge is asked: criteria, checklists, procedures |
//! | `elaborate` | declarations, each once, in order |
//! | `lower`, `compare`, `call`, `constant` | expressions |
//! | `bundle` | checklists in expressions, `tree` |
//! | `define`, `family` | custom operators; the words before declarations |
//! | `readout`, `reach`, `lints`, `finish` | the whole program |
//!
//! *Architecture Invariant:* what operators mean is in [`crate::catalog::typing`]; here is only where things stand.

mod bundle;
mod call;
mod compare;
mod constant;
pub mod criteria;
mod define;
mod elaborate;
mod family;
mod faults;
mod finish;
mod lints;
mod lower;
mod reach;
mod readout;
pub mod spec;

pub use lints::says_absence;

#[cfg(test)]
mod tests;

use crate::catalog::NodeId;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::graph::{Mode, Program, ReadoutKind, Tie};
use crate::resolve::depend::Walk;
use crate::resolve::fields::Fields;
use crate::resolve::load::{Unit, load};
use crate::resolve::scope::{DeclKind, Scopes};
use crate::source::FileId;
use crate::source::files::Files;
use crate::syntax::ast::{FileKind, ItemKind};
use elaborate::{Elaborator, State};
use foldhash::HashSet;
use lower::{Env, Lowered};

/// From so many declarations on, a program counts as large: below, a thread would cost more than it saves.
const MANY_ITEMS: usize = 1_000;

/// What checking gives.
#[derive(Debug, Clone)]
pub struct Checked {
    /// There where nothing is wrong; a library on its own has none.
    pub program: Option<Program>,
    /// Errors and warnings, by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a file with the libraries that it uses, which are added to `files`.
pub fn check(files: &mut Files, file: FileId) -> Checked {
    let mut sink = Sink::new();
    let units = load(files, file, &mut sink);
    let scopes = Scopes::new(&units, &mut sink);
    let fields = Fields::new(&scopes, &mut sink);
    library_items(&units, &mut sink);
    let mut elaborator = Elaborator::new(files, &scopes, &fields, sink);
    elaborator.declarations();
    let readouts = elaborator.readouts();
    let observed = elaborator.observed();
    let roots = roots(&readouts, &observed);
    elaborator.reach(&roots);
    let Some(score) = readouts.sink else {
        return Checked { program: None, diagnostics: elaborator.sink.finish() };
    };
    let mut silent = HashSet::default();
    if elaborator.sink.has_errors() {
        silent = elaborator.silent_names(&readouts);
    } else {
        elaborator.unused();
        elaborator.lints(&readouts.list);
    }
    let lost = scopes.scopes.first().is_some_and(|s| s.lost);
    let mut sink = std::mem::take(&mut elaborator.sink);
    // Beside errors the program only serves to check requirements and tests, and keeps all its nodes for that.
    let roots = if sink.has_errors() { elaborator.sound() } else { roots };
    let mut program = finish::program(elaborator, score, readouts.list, observed, &roots);
    let silent = |name: &str| lost || name.split('.').next().is_some_and(|first| silent.contains(first));
    specify(&units, &mut program, &silent, &mut sink);
    let sound = !sink.has_errors();
    let checked = Checked { program: sound.then_some(program), diagnostics: sink.finish() };
    drop(scopes);
    discard(units);
    checked
}

/// Gives trees back; large ones on a thread of its own, since freeing them takes as long as a fifth of building them, and
/// nobody waits for it.
fn discard(units: Vec<Unit>) {
    if units.iter().map(|unit| unit.tree.items.len()).sum::<usize>() < MANY_ITEMS {
        return;
    }
    // Where no thread can be started, the closure is dropped here, and the trees with it.
    let _ = std::thread::Builder::new().spawn(move || drop(units));
}

/// Requirements and tests, typed against the program.
fn specify(units: &[Unit], program: &mut Program, silent: &dyn Fn(&str) -> bool, sink: &mut Sink) {
    let Some(unit) = units.first() else { return };
    let of =
        |wanted: fn(&ItemKind) -> bool| unit.tree.items.iter().filter(move |i| wanted(&i.kind)).collect::<Vec<_>>();
    let requires = of(|kind| matches!(kind, ItemKind::Require(_)));
    let tests = of(|kind| matches!(kind, ItemKind::Test(_)));
    spec::elaborate_silent(program, &requires, &tests, silent, sink);
}

/// What the outside sees of the graph: from here everything must be reached.
fn roots(readouts: &readout::Readouts, observed: &[NodeId]) -> Vec<NodeId> {
    let mut roots: Vec<NodeId> = readouts.list.iter().map(|r| r.source).collect();
    for readout in &readouts.list {
        if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
            &readout.kind
            && let Tie::By { keys, .. } = tie
        {
            roots.extend(keys);
        }
    }
    roots.extend(observed);
    roots
}

/// What a library cannot hold: it has no score of its own.
fn library_items(units: &[Unit], sink: &mut Sink) {
    for unit in units.iter().filter(|u| u.tree.kind == FileKind::Library) {
        for item in unit.tree.items.iter().filter(|i| !i.poisoned) {
            let what = match item.kind {
                ItemKind::Readout(_) => "a readout",
                ItemKind::Observe(_) => "`observe`",
                ItemKind::Require(_) => "a requirement",
                ItemKind::Test(_) => "a test",
                _ => continue,
            };
            sink.push(
                Diagnostic::error(
                    Code::LIBRARY_ITEM,
                    item.span,
                    format!("{what} cannot stand in a library"),
                    "a library has no score of its own",
                )
                .help("move it into the programs that use the library"),
            );
        }
    }
}

impl Elaborator<'_> {
    /// Elaborates everything that the program declares or asks for.
    fn declarations(&mut self) {
        let order = Walk::new(self.scopes).order();
        for circle in &order.circles {
            self.report_circle(circle);
        }
        for id in order.order {
            self.elaborate(id);
        }
    }

    /// The nodes of `observe`; a checklist stands for all its items.
    fn observed(&mut self) -> Vec<NodeId> {
        let mut observed = Vec::new();
        let scopes = self.scopes;
        let Some(scope) = scopes.scopes.first() else { return observed };
        if scope.unit.tree.kind == FileKind::Library {
            return observed;
        }
        for item in scope.unit.tree.items.iter().filter(|i| !i.poisoned) {
            let ItemKind::Observe(path) = &item.kind else { continue };
            match self.path(&Env::of(0), path) {
                Lowered::Bundle(part) => {
                    for slot in self.slots(part) {
                        if let crate::catalog::typing::Argument::Node { id, .. } = slot.argument {
                            observed.push(id);
                        }
                    }
                }
                lowered => observed.extend(lowered.node()),
            }
        }
        let mut seen = HashSet::default();
        observed.retain(|id| seen.insert(*id));
        observed
    }

    /// Names of the program about which nothing more is to be said: they are in error.
    fn silent_names(&self, readouts: &readout::Readouts) -> HashSet<String> {
        let mut silent = HashSet::default();
        for (decl, state) in self.scopes.decls.iter().zip(&self.states).filter(|(d, _)| d.unit == 0) {
            let broken = match state {
                State::Failed => true,
                State::Bundle(index) => self.bundles.get(*index).is_none_or(|b| b.faulty),
                State::Other => match decl.kind {
                    DeclKind::Alias(_) => true,
                    DeclKind::Readout(_) => !readouts.list.iter().any(|r| r.name.as_deref() == Some(&*decl.name)),
                    _ => false,
                },
                _ => false,
            };
            if broken {
                silent.insert(decl.name.to_string());
            }
        }
        for mode in [Mode::Pointwise, Mode::Pairwise, Mode::Listwise] {
            if readouts.broken && !readouts.list.iter().any(|r| r.name.is_none() && r.mode == mode) {
                silent.insert(mode.word().to_owned());
            }
        }
        silent
    }

    /// All nodes that are part of the program.
    fn sound(&self) -> Vec<NodeId> {
        let kept = self.scratch.iter().enumerate().filter(|(_, scratch)| !**scratch);
        kept.filter_map(|(at, _)| u32::try_from(at).ok().map(NodeId)).collect()
    }
}
