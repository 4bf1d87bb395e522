//! Whether everything that is declared comes to something: reaches the score, a named readout, a `by(…)`, or is observed.
//!
//! Without errors the nodes themselves say so. With errors it is asked of declarations, generously: whatever a faulty
//! declaration names counts as used, so that one mistake stays one diagnostic.

use super::bundle::Item;
use super::elaborate::{Elaborator, State};
use crate::catalog::NodeId;
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::validate::unreached;
use crate::graph::{NodeKind, Procedure};
use crate::resolve::depend::Walk;
use crate::resolve::scope::{DeclId, DeclKind, Lookup};
use crate::source::Span;
use crate::syntax::ast::{FileKind, ItemKind};
use foldhash::HashSet;

/// What nodes read, by index.
pub(super) fn inputs(elaborator: &Elaborator<'_>) -> Vec<Vec<usize>> {
    let of = |kind: &NodeKind| match kind {
        NodeKind::Operator(operation) => operation.sources().map(NodeId::index).collect(),
        NodeKind::Criterion(_) | NodeKind::Items { .. } => Vec::new(),
    };
    elaborator.nodes.iter().map(|n| of(&n.kind)).collect()
}

impl Elaborator<'_> {
    /// Reports what is never used in the score.
    pub fn reach(&mut self, roots: &[NodeId]) {
        let Some(scope) = self.scopes.scopes.first() else { return };
        let tree = &scope.unit.tree;
        let cut = scope.lost || tree.items.iter().any(|i| i.poisoned || matches!(i.kind, ItemKind::Error(_)));
        if cut || tree.kind == FileKind::Library {
            return;
        }
        if self.sink.has_errors() {
            self.reach_of_declarations();
        } else {
            self.reach_of_nodes(roots);
        }
    }

    fn reach_of_nodes(&mut self, roots: &[NodeId]) {
        let inputs = inputs(self);
        let lost: HashSet<usize> = unreached(&inputs, roots.iter().map(|id| id.index()))
            .into_iter()
            .filter(|at| !self.is_scratch(*at))
            .collect();
        // Of what hangs together only what nothing reads is named: the rest follows from it.
        let read: HashSet<usize> = lost.iter().flat_map(|at| inputs.get(*at).into_iter().flatten().copied()).collect();
        let gone = |id: NodeId| lost.contains(&id.index()) && !read.contains(&id.index());
        let mut found = Vec::new();
        for (decl, state) in self.scopes.decls.iter().zip(&self.states).filter(|(d, _)| d.unit == 0) {
            match state {
                State::Node(id) if gone(*id) => found.push(never_used(&decl.name, decl.span)),
                State::Bundle(index) => {
                    let Some(bundle) = self.bundles.get(*index) else { continue };
                    if bundle.from.is_some_and(gone) {
                        found.push(never_used(&decl.name, decl.span));
                        continue;
                    }
                    let unused: Vec<usize> = bundle
                        .nodes
                        .iter()
                        .enumerate()
                        .filter(|(_, item)| matches!(item, Item::Node(id) if gone(*id)))
                        .map(|(at, _)| at)
                        .collect();
                    if unused.len() == bundle.nodes.len() && !unused.is_empty() {
                        found.push(never_used(&decl.name, decl.span));
                        continue;
                    }
                    let items = unused.iter().filter_map(|at| bundle.draft.items.get(*at));
                    found.extend(items.map(|item| never_used(&item.name, item.span)));
                }
                _ => {}
            }
        }
        found.into_iter().for_each(|d| self.sink.push(d));
    }

    fn reach_of_declarations(&mut self) {
        let scopes = self.scopes;
        let walk = Walk::new(scopes);
        let needs: Vec<Vec<usize>> =
            scopes.decls.iter().map(|d| walk.needs(d).into_iter().map(|(id, _)| id.0).collect()).collect();
        let mut roots: Vec<usize> = Vec::new();
        for item in scopes.scopes.first().map_or(&[][..], |s| &s.unit.tree.items) {
            match &item.kind {
                ItemKind::Readout(readout) => roots.extend(walk.needs_of(0, &readout.expr).iter().map(|id| id.0)),
                ItemKind::Observe(path) => {
                    if let Lookup::Found(DeclId(at), _) = scopes.lookup(0, &path.parts) {
                        roots.push(at);
                    }
                }
                _ => {}
            }
        }
        if roots.is_empty() {
            return;
        }
        let failed = self.states.iter().enumerate().filter(|(_, s)| matches!(s, State::Failed)).map(|(at, _)| at);
        roots.extend(failed);
        let meant = self.meant.take();
        let meant = scopes.decls.iter().enumerate().filter(|(_, d)| d.unit == 0 && meant.contains(&*d.name));
        roots.extend(meant.map(|(at, _)| at));
        let lost: HashSet<usize> = unreached(&needs, roots).into_iter().collect();
        let read: HashSet<usize> = lost.iter().flat_map(|at| needs.get(*at).into_iter().flatten().copied()).collect();
        for (at, decl) in scopes.decls.iter().enumerate().filter(|(_, d)| d.unit == 0) {
            let judged = matches!(decl.kind, DeclKind::Criterion(_) | DeclKind::Checklist(_) | DeclKind::Node(_));
            let faulty = match self.states.get(at) {
                Some(State::Bundle(index)) => self.bundles.get(*index).is_some_and(|b| b.faulty),
                _ => false,
            };
            if judged && !faulty && lost.contains(&at) && !read.contains(&at) {
                self.sink.push(never_used(&decl.name, decl.span));
            }
        }
    }

    fn is_scratch(&self, at: usize) -> bool {
        self.scratch.get(at).copied().unwrap_or(true)
    }

    /// Declarations that change nothing: scales, defines, libraries that nothing names, fields that nothing can read.
    pub fn unused(&mut self) {
        let scopes = self.scopes;
        let read = self.fields_read();
        for decl in scopes.decls.iter().filter(|d| d.unit == 0) {
            let idle = match decl.kind {
                DeclKind::Scale(_) | DeclKind::Define(_) | DeclKind::Alias(Some(_)) => !decl.used.get(),
                DeclKind::Field(..) => {
                    self.fields.find(&decl.name).is_some_and(|id| !read.contains(&id)) && !decl.used.get()
                }
                _ => false,
            };
            if idle {
                let what = match decl.kind {
                    DeclKind::Field(..) => {
                        ("no judge sees it and no rule reads it", "delete it, or let a criterion see it")
                    }
                    _ => ("nothing names it", "delete it, or use it"),
                };
                self.sink.push(
                    Diagnostic::warning(
                        Code::UNUSED,
                        decl.span,
                        format!("{} `{}` is not used", decl.kind.words(), decl.name),
                        what.0,
                    )
                    .help(what.1),
                );
            }
        }
    }

    /// The fields that some criterion shows or reads.
    fn fields_read(&self) -> HashSet<crate::graph::FieldId> {
        let mut read = HashSet::default();
        let add = |read: &mut HashSet<crate::graph::FieldId>, criterion: &crate::graph::Criterion| {
            let rules = criterion.applies.iter().chain(match &criterion.procedure {
                Procedure::Rule(rule) => Some(rule),
                _ => None,
            });
            for name in rules.flat_map(|rule| rule.fields.iter()) {
                read.extend(self.fields.find(name));
            }
            if !matches!(criterion.procedure, Procedure::Rule(_)) {
                read.extend(criterion.sees.iter().copied());
            }
        };
        for node in &self.nodes {
            match &node.kind {
                NodeKind::Criterion(criterion) => add(&mut read, criterion),
                NodeKind::Items { field, template } => {
                    add(&mut read, template);
                    read.insert(*field);
                }
                NodeKind::Operator(_) => {}
            }
        }
        read
    }
}

fn never_used(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NEVER_USED,
        span,
        format!("`{name}` is never used in the score"),
        "no readout depends on it",
    )
    .help(format!("let the score depend on it, keep it in the results with `observe {name}`, or delete it"))
}
