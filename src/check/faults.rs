//! From the places of a [`Fault`] (ports, slots, parameters, rows) to those of the text.

use crate::catalog::typing::{Fault, Place};
use crate::diagnostics::{Diagnostic, Edit};
use crate::source::Span;

/// Where the parts of an application stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Spans {
    pub whole: Span,
    /// By port, then slot; a checklist's span stands for each of its items.
    slots: Vec<Vec<Span>>,
    /// By slot of port `x`.
    weights: Vec<Option<Span>>,
    params: Vec<(&'static str, Span)>,
    /// Key and value of each row.
    arms: Vec<(Span, Span)>,
}

impl Spans {
    pub fn of(whole: Span) -> Spans {
        Spans { whole, ..Spans::default() }
    }

    /// With the only slot of a port.
    pub fn slot(self, port: usize, span: Span) -> Spans {
        self.slot_of(port, span)
    }

    /// With one more slot of a port.
    pub fn slot_of(mut self, port: usize, span: Span) -> Spans {
        self.add(port, span, None);
        self
    }

    /// One more slot of a port, with the place of its weight.
    pub fn add(&mut self, port: usize, span: Span, weight: Option<Span>) {
        while self.slots.len() <= port {
            self.slots.push(Vec::new());
        }
        if let Some(slots) = self.slots.get_mut(port) {
            slots.push(span);
        }
        if port == 0 {
            self.weights.push(weight);
        }
    }

    pub fn param(&mut self, name: &'static str, span: Span) {
        self.params.push((name, span));
    }

    pub fn arm(&mut self, key: Span, value: Span) {
        self.arms.push((key, value));
    }

    fn at(&self, place: Place, written: Option<Span>) -> Span {
        let slot = |port: usize, slot: usize| self.slots.get(port).and_then(|s| s.get(slot)).copied();
        let found = match place {
            Place::Whole => None,
            Place::Slot(port, at) => slot(port, at),
            Place::Weight(at) => self.weights.get(at).copied().flatten().or_else(|| slot(0, at)),
            Place::Param(name) => self.params.iter().find(|(n, _)| *n == name).map(|(_, span)| *span),
            Place::ArmKey(row) => self.arms.get(row).map(|(key, _)| *key),
            Place::ArmValue(row) => self.arms.get(row).map(|(_, value)| *value),
            Place::WrittenType => written,
        };
        found.unwrap_or(self.whole)
    }
}

/// The diagnostic of a fault.
pub(super) fn diagnostic(fault: &Fault, spans: &Spans, written: Option<Span>) -> Diagnostic {
    let span = spans.at(fault.place, written);
    let made = if fault.warning { Diagnostic::warning } else { Diagnostic::error };
    let mut found = made(fault.code, span, fault.headline.as_str(), fault.label.as_str());
    found.help.clone_from(&fault.help);
    if let Some((title, before, after)) = &fault.wrap {
        let start = Span { end: span.start, ..span };
        let edits = [(start, before), (span.after(), after)];
        let edits = edits.into_iter().filter(|(_, text)| !text.is_empty());
        found = found.suggestion(title, edits.map(|(span, text)| Edit::new(span, text)).collect());
    }
    found
}
