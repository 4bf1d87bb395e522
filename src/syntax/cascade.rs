//! One mistake, one diagnostic: what is told of each declaration or statement where several things were noticed.
//!
//! A character without meaning, a bracket without its partner or a token that the automaton refused is a *hard* fault. It
//! throws whatever follows in its statement out of step, so beside it nothing is told that could be its consequence.
//! Slips that stand on their own (`25%`, `&&`, curly quotes, …) are always told.

use super::cx::Refused;
use super::expect;
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Source;
use std::collections::HashMap;

/// Errors beyond these are not told: whatever has that many is no program.
const MOST_ERRORS: usize = 100;

/// Hard faults, the most telling first.
const HARD: &[Code] = &[Code::BAD_CHARACTER, Code::TOO_DEEP, Code::UNCLOSED, Code::STRAY_BRACKET, Code::SYNTAX];

/// What may be the consequence of a hard fault in the same statement.
const DOUBTFUL: &[Code] = &[
    Code::MISSING_COMMA,
    Code::SEPARATOR,
    Code::ASSIGN,
    Code::NAMED,
    Code::IF_FOR_WHEN,
    Code::RANGE,
    Code::ARM,
    Code::WEIGHT,
    Code::STRAY_SIGN,
    Code::READOUT_SIGN,
    Code::CLAUSE_ARROW,
    Code::LABELS,
    Code::UNSIGNED,
    Code::BULLET,
    Code::TABLE_INSIDE,
    Code::NO_TYPE,
    Code::TITLE,
    Code::DECLARATION,
];

/// Adds the diagnostics of what the automaton refused and takes away what only follows from other faults. `units` are the
/// beginnings of declarations and statements, in order. Returns all places of hard faults, in order.
pub(super) fn settle(source: &Source, found: &mut Vec<Diagnostic>, refused: &[Refused], units: &[u32]) -> Vec<u32> {
    let unit = |at: u32| units.partition_point(|start| *start <= at);
    // The worst of each statement: its rank and place.
    let mut worst: HashMap<usize, (usize, u32)> = HashMap::new();
    let mut faults = Vec::new();
    for diagnostic in found.iter() {
        let Some(rank) = HARD.iter().position(|code| *code == diagnostic.code) else { continue };
        let place = diagnostic.span().start;
        for label in &diagnostic.labels {
            faults.push(label.span.start);
            let known = worst.entry(unit(label.span.start)).or_insert((rank, place));
            *known = (*known).min((rank, place));
        }
    }
    for error in refused {
        let place = expect::place(error, source).start;
        faults.push(place);
        // What is refused at the beginning of a statement is the fault of the one before.
        let own = if units.binary_search(&place).is_ok() { unit(place.saturating_sub(1)) } else { unit(place) };
        if let std::collections::hash_map::Entry::Vacant(free) = worst.entry(own) {
            free.insert((HARD.len(), place));
            found.push(expect::diagnostic(error, source));
        }
    }
    found.retain(|d| {
        let Some((rank, place)) = worst.get(&unit(d.span().start)) else { return true };
        match HARD.iter().position(|code| *code == d.code) {
            Some(own) if d.code == Code::BAD_CHARACTER || d.code == Code::SYNTAX => own <= *rank,
            Some(own) => (own, d.span().start) <= (*rank, *place),
            None => !DOUBTFUL.contains(&d.code),
        }
    });
    let mut errors = 0;
    found.retain(|d| {
        errors += usize::from(d.is_error());
        errors <= MOST_ERRORS || !d.is_error()
    });
    faults.sort_unstable();
    faults
}
