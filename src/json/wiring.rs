//! The edges: who reads whom, through which port and slot; order, cycles, and nodes that nothing uses.

use super::nodes::{Drafts, Kind, named};
use super::readouts::Ends;
use super::shape::{Given, Reader, listed};
use crate::catalog::table::Arity;
use crate::diagnostics::{Code, Diagnostic, did_you_mean};
use crate::graph::validate;
use crate::source::Span;

const KEYS: [&str; 4] = ["source", "port", "slot", "operator"];

/// One filled slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire {
    /// Index in the operator's table entry.
    pub(super) port: usize,
    /// From 1.
    pub(super) slot: i64,
    /// `None`: a node in error.
    pub(super) source: Option<usize>,
    pub(super) span: Span,
}

/// All edges, by reader.
pub(super) struct Wires {
    /// Per draft, by port and slot.
    pub(super) into: Vec<Vec<Wire>>,
    /// Per draft: its edges are at fault, so nothing more may be said about what it computes.
    pub(super) broken: Vec<bool>,
    /// Some edge could not be placed at all.
    pub(super) faulty: bool,
}

/// Reads all edges and checks ports and slots.
pub(super) fn read<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>, drafts: &Drafts<'a, '_>) -> Wires {
    let count = drafts.list.len();
    let mut wires = Wires { into: vec![Vec::new(); count], broken: vec![false; count], faulty: false };
    for value in r.list(root, "edges") {
        let edge = r.object(value, "an edge", &KEYS, &KEYS);
        let Some((reader, wire)) = edge.and_then(|edge| wire(r, &edge, value, drafts, &mut wires)) else {
            wires.faulty = true;
            continue;
        };
        if let Some(list) = wires.into.get_mut(reader) {
            list.push(wire);
        }
    }
    for at in 0..count {
        slots(r, drafts, &mut wires, at);
    }
    wires
}

fn wire<'a>(
    r: &mut Reader<'a>,
    edge: &Given<'a, '_>,
    value: &super::tree::Value<'a>,
    drafts: &Drafts<'a, '_>,
    wires: &mut Wires,
) -> Option<(usize, Wire)> {
    let reader = edge.get("operator").and_then(|v| Some((named(r, drafts, v)?, r.span(v))));
    let source = edge.get("source").and_then(|v| named(r, drafts, v));
    let slot = edge.get("slot").and_then(|v| {
        let n = r.number(v)?;
        let slot = n.to_i64().filter(|n| *n >= 1);
        if slot.is_none() {
            let span = r.span(v);
            r.error(Code::JSON_SLOT, span, format!("{n} is no slot"), "not a slot", "slots are counted 1, 2, 3, …");
        }
        slot
    });
    let port_value = edge.get("port")?;
    let port = r.string(port_value);
    let port_span = r.span(port_value);
    let (reader, reader_span) = reader?;
    let broken = |wires: &mut Wires| wires.broken.get_mut(reader).map(|b| *b = true).unwrap_or_default();
    let op = match drafts.list.get(reader)?.kind {
        Kind::Operator(op) => op,
        Kind::Criterion | Kind::Items => {
            let name = drafts.name(reader);
            let headline = format!("`{name}` is judged, so it reads no other node");
            let help = "name an operator here; what a judge sees are fields, in `sees`";
            r.error(Code::JSON_PORT, reader_span, headline, "not an operator", help);
            return None;
        }
    };
    let Some(info) = op.map(crate::catalog::Op::info) else {
        broken(wires);
        return None;
    };
    let (Some(port), Some(slot)) = (port, slot) else {
        broken(wires);
        return None;
    };
    let Some(port) = info.port(port) else {
        broken(wires);
        let known: Vec<&str> = info.ports.iter().map(|p| p.name).collect();
        let headline = format!("node `{}`: `{}` has no port `{port}`", drafts.name(reader), info.op.word());
        let mut found = Diagnostic::error(Code::JSON_PORT, port_span, headline, "not a port of it");
        found = match did_you_mean(port, known.iter().copied()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help(format!("its ports are {}", listed(&known))),
        };
        r.sink.push(found);
        return None;
    };
    let span = r.span(value);
    if source.is_none() {
        broken(wires);
        wires.faulty = true;
    }
    Some((reader, Wire { port, slot, source, span }))
}

/// Sorts the wires of one node and checks that the slots of every port are 1, 2, …, each once.
fn slots(r: &mut Reader<'_>, drafts: &Drafts<'_, '_>, wires: &mut Wires, at: usize) {
    let (Some(list), Some(draft)) = (wires.into.get_mut(at), drafts.list.get(at)) else { return };
    let Kind::Operator(Some(op)) = draft.kind else { return };
    list.sort_by_key(|w| (w.port, w.slot));
    let mut found = Vec::new();
    for (place, port) in op.info().ports.iter().enumerate() {
        let here: Vec<Wire> = list.iter().filter(|w| w.port == place).copied().collect();
        let who = format!("node `{}`, port `{}`", draft.id, port.name);
        if port.arity != Arity::Many && here.len() > 1 {
            let mut told = Diagnostic::error(
                Code::JSON_ARITY,
                here.get(1).map_or(draft.span, |w| w.span),
                format!("{who}: {} sources, and it takes one", here.len()),
                "one too many",
            );
            if let Some(first) = here.first() {
                told = told.also(first.span, "the first one");
            }
            found.push(told.help("keep one edge into this port"));
            continue;
        }
        let mut next = 1;
        for (index, wire) in here.iter().enumerate() {
            if wire.slot < next {
                let mut told = Diagnostic::error(
                    Code::JSON_SLOT,
                    wire.span,
                    format!("{who}: slot {} is filled twice", wire.slot),
                    "the second one",
                );
                if let Some(first) = index.checked_sub(1).and_then(|i| here.get(i)) {
                    told = told.also(first.span, "the first one");
                }
                found.push(told.help("give each source a slot of its own"));
            } else if wire.slot > next {
                let gap = if wire.slot == next + 1 {
                    format!("slot {next} is empty")
                } else {
                    format!("slots {next} to {} are empty", wire.slot - 1)
                };
                found.push(
                    Diagnostic::error(
                        Code::JSON_SLOT,
                        wire.span,
                        format!("{who}: {gap}"),
                        format!("this is slot {}", wire.slot),
                    )
                    .help("number the slots 1, 2, 3, … without a gap"),
                );
            }
            next = wire.slot.saturating_add(1);
        }
    }
    if !found.is_empty() {
        wires.broken.get_mut(at).map(|b| *b = true).unwrap_or_default();
        found.into_iter().for_each(|told| r.sink.push(told));
    }
}

impl Wires {
    /// What each draft reads.
    fn inputs(&self) -> Vec<Vec<usize>> {
        self.into.iter().map(|list| list.iter().filter_map(|w| w.source).collect()).collect()
    }

    /// A topological order. Nodes of a cycle are reported and marked as broken, and stand as if they read nothing.
    pub(super) fn order(&mut self, r: &mut Reader<'_>, drafts: &Drafts<'_, '_>) -> Vec<usize> {
        let mut inputs = self.inputs();
        loop {
            let cycles = match validate::order(&inputs) {
                Ok(order) => return order,
                Err(cycles) => cycles,
            };
            for cycle in cycles {
                self.cycle(r, drafts, &cycle);
                for at in cycle {
                    inputs.get_mut(at).map(Vec::clear).unwrap_or_default();
                    self.broken.get_mut(at).map(|b| *b = true).unwrap_or_default();
                }
            }
        }
    }

    /// Prints the whole cycle, with the edge that each step goes over.
    fn cycle(&mut self, r: &mut Reader<'_>, drafts: &Drafts<'_, '_>, cycle: &[usize]) {
        self.faulty = true;
        let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
        let edge = |reader: usize, source: usize| {
            self.into.get(reader).and_then(|list| list.iter().find(|w| w.source == Some(source))).map(|w| w.span)
        };
        let mut names: Vec<String> = cycle.iter().map(|at| format!("`{}`", drafts.name(*at))).collect();
        names.extend(names.first().cloned());
        let headline = match names.as_slice() {
            [one, _] => format!("{one} reads itself"),
            _ => format!("nodes read each other in a circle: {}", names.join(" reads ")),
        };
        let mut found: Option<Diagnostic> = None;
        for (&reader, &source) in steps.take(MOST_STEPS) {
            let Some(span) = edge(reader, source) else { continue };
            let label = format!("`{}` reads `{}`", drafts.name(reader), drafts.name(source));
            found = Some(match found {
                None => Diagnostic::error(Code::JSON_CYCLE, span, headline.clone(), label),
                Some(told) => told.also(span, label),
            });
        }
        let help = "take out one of these edges: a value cannot depend on itself";
        found.into_iter().for_each(|told| r.sink.push(told.help(help)));
    }
}

/// Steps of a cycle that are shown in the text; the headline names all.
const MOST_STEPS: usize = 12;

/// Reports nodes that reach nothing. Of a chain only its end is told: the rest is unused because of it.
pub(super) fn unused(r: &mut Reader<'_>, drafts: &Drafts<'_, '_>, wires: &Wires, ends: &Ends<'_, '_>) {
    if wires.faulty || ends.faulty {
        return;
    }
    let inputs = wires.inputs();
    let alone = validate::unreached(&inputs, ends.roots());
    let mut read = vec![false; inputs.len()];
    for &source in alone.iter().filter_map(|at| inputs.get(*at)).flatten() {
        read.get_mut(source).map(|b| *b = true).unwrap_or_default();
    }
    for at in alone.into_iter().filter(|at| read.get(*at) == Some(&false)) {
        let Some(draft) = drafts.list.get(at) else { continue };
        r.error(
            Code::NEVER_USED,
            draft.span,
            format!("`{}` is never used in the score", draft.id),
            "nothing reads it",
            "let an operator on the way to the sink read it, add it to `observe`, or take it out",
        );
    }
}
