//! Lints: what runs, but hardly says what its author means.

use super::bundle::Part;
use super::elaborate::Elaborator;
use super::lower::Env;
use crate::catalog::{Input, NodeId, Op};
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::{self, Combine, NodeKind, Procedure, ReadoutKind};
use crate::number::Number;
use crate::source::Span;
use crate::syntax::ast::{self, BodyItem, BodyKind, Entry, EntryKind};
use crate::types::Value;

/// Beginnings of a text that says what is not there.
const ABSENT: [&str; 12] = [
    "does not ",
    "doesn't ",
    "do not ",
    "don't ",
    "did not ",
    "is not ",
    "isn't ",
    "are not ",
    "has no ",
    "never ",
    "avoids ",
    "refrains ",
];

/// Whether a text begins by saying what is not there.
#[must_use]
pub fn says_absence(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase().replace('’', "'");
    ABSENT.iter().any(|absent| lower.starts_with(absent))
}

impl Elaborator<'_> {
    /// All lints of a whole program without errors.
    pub fn lints(&mut self, readouts: &[graph::Readout]) {
        self.caps_on_edges(readouts);
        let scopes = self.scopes;
        for item in scopes.scopes.first().map_or(&[][..], |s| &s.unit.tree.items) {
            match &item.kind {
                ast::ItemKind::Checklist(checklist) => self.absences(&checklist.entries),
                ast::ItemKind::Criterion(criterion) => self.even_samples(criterion),
                _ => {}
            }
        }
    }

    /// A negative item that states an absence: met would mean that the absence is there, and the points are taken off.
    fn absences(&mut self, entries: &[Entry]) {
        for entry in entries {
            match &entry.kind {
                EntryKind::Group { entries, .. } => self.absences(entries),
                EntryKind::Item { points, text, .. } if points.is_negative() => {
                    if says_absence(&text.value) {
                        self.sink.push(
                            Diagnostic::warning(
                                Code::ABSENCE,
                                text.span,
                                "this item takes points off where something is absent",
                                "met means that this sentence is true",
                            )
                            .help(
                                "state the bad behaviour itself (`-5 \"Gives a dose\"`), or give points where the good one \
                                 is there (`+5 \"…\"`)",
                            ),
                        );
                    }
                }
                EntryKind::Item { .. } | EntryKind::Error => {}
            }
        }
    }

    /// A majority of an even number of samples: a tie goes to the lower value.
    fn even_samples(&mut self, criterion: &ast::Criterion) {
        let own = criterion.body.iter().find_map(|item| match item {
            BodyItem { kind: BodyKind::Judge(procedure), .. } => Some(procedure),
            _ => None,
        });
        let default = self.scopes.scopes.first().and_then(|s| s.default_judge);
        let samples = |procedure: &ast::Procedure| {
            let arg = procedure.args.iter().find(|a| a.name.as_ref().is_some_and(|n| &*n.text == "samples"))?;
            Some(arg.value.span)
        };
        let Some(span) = own.and_then(samples).or_else(|| default.and_then(samples)) else { return };
        let Some(id) = self.find_node(&criterion.name.text) else { return };
        let Some(NodeKind::Criterion(made)) = self.node_of(id).map(|n| &n.kind) else { return };
        let llms: Vec<&graph::Llm> = match &made.procedure {
            Procedure::Llm(llm) => vec![llm],
            Procedure::Cascade { first, second, .. } => vec![first, second],
            _ => return,
        };
        let even = |llm: &&graph::Llm| {
            let total = u64::from(llm.samples) * llm.models.len() as u64;
            total.is_multiple_of(2) && matches!(llm.combine, Combine::Majority)
        };
        if llms.iter().any(even) {
            self.sink.push(
                Diagnostic::warning(
                    Code::EVEN_SAMPLES,
                    span,
                    "an even number of samples can tie",
                    "a tie goes to the lower value",
                )
                .help("ask one more or one less"),
            );
        }
    }

    fn find_node(&self, name: &str) -> Option<NodeId> {
        let word = ast::Name { text: name.into(), span: Span::default() };
        match self.scopes.lookup(0, std::slice::from_ref(&word)) {
            crate::resolve::scope::Lookup::Found(id, []) => match self.states.get(id.0) {
                Some(super::elaborate::State::Node(node)) => Some(*node),
                _ => None,
            },
            _ => None,
        }
    }

    /// `all` of a whole checklist.
    pub fn all_of_checklist(&mut self, env: &Env<'_>, part: Part, whole: Span) {
        let Some(bundle) = self.bundles.get(part.bundle) else { return };
        if part.group.is_some() || bundle.draft.items.len() < 2 {
            return;
        }
        let negative = bundle.draft.items.iter().filter(|i| i.points.is_negative()).count();
        if negative != 0 && negative != bundle.draft.items.len() {
            return;
        }
        let name = &bundle.name;
        let (headline, help) = if negative == 0 {
            (
                format!("a single item of `{name}` that is not met makes this false"),
                format!(
                    "for how good the answer is use `fraction({name})` or `points({name})`; if all really must be met, write `fraction({name}) == 1`"
                ),
            )
        } else {
            (
                format!("this is true only where every fault of `{name}` is there"),
                format!("write `any({name})` for at least one, or `not any({name})` for none"),
            )
        };
        let found = Diagnostic::warning(Code::ALL_OF_CHECKLIST, whole, headline, "all items at once");
        self.report(env, found.help(help));
    }

    /// A cap at the very value where a band or a pass begins: what is capped still lies in it.
    fn caps_on_edges(&mut self, readouts: &[graph::Readout]) {
        let mut edges: Vec<(NodeId, Vec<Number>, Span)> = Vec::new();
        for readout in readouts {
            match &readout.kind {
                ReadoutKind::Bands(bands) => {
                    edges.push((readout.source, bands.iter().filter_map(|b| b.below.clone()).collect(), readout.span));
                }
                ReadoutKind::Pass { at: Value::Number(at) } => {
                    edges.push((readout.source, vec![at.clone()], readout.span))
                }
                _ => {}
            }
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if let NodeKind::Operator(operation) = &node.kind
                && operation.op == Op::Bands
                && !self.scratch.get(at).copied().unwrap_or(true)
                && let Some(Input::Node(source)) = operation.one("x")
            {
                let limits = operation.params.bands.iter().filter_map(|b| b.below.clone()).collect();
                edges.push((*source, limits, node.span));
            }
        }
        let mut found = Vec::new();
        for (source, limits, reader) in edges {
            let mut at = source;
            // Gates stand in a row: each one's base comes before it.
            while let Some(NodeKind::Operator(operation)) = self.node_of(at).map(|n| &n.kind) {
                if operation.op.family() != crate::catalog::table::Family::Gate {
                    break;
                }
                if operation.op == Op::Cap
                    && let Some(Input::Constant(Value::Number(cap))) = operation.one("at")
                    && limits.contains(cap)
                {
                    let lint = Diagnostic::warning(
                        Code::CAP_ON_EDGE,
                        self.node_of(at).map(|n| n.span).unwrap_or_default(),
                        format!("what is capped at {cap} still counts as {cap} or more"),
                        "the cap lies exactly on an edge",
                    )
                    .also(reader, format!("{cap} belongs to the upper side here"))
                    .help(format!("cap below {cap} if what is capped must not get there"));
                    found.push(lint);
                }
                match operation.one("base") {
                    Some(Input::Node(base)) if base.index() < at.index() => at = *base,
                    _ => break,
                }
            }
        }
        found.into_iter().for_each(|lint| self.sink.push(lint));
    }
}
