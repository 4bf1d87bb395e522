//! Running the `test` blocks of a program: given judgments and fields in, what holds and what does not out.
//!
//! A test is a record without a judge. Leaves that it gives are known, rules whose fields it gives are computed, all others
//! are missing; the interpreter then says what each node is or may still be, and every expectation must hold whatever the
//! missing ones turn out to be. One that depends on them is *open*, which is a failure that names them.

mod condition;

pub use condition::{Answer, World};

use crate::catalog::NodeId;
use crate::graph::spec::{Condition, Operand, Test};
use crate::graph::{Mode, NodeKind, Procedure, Program, ReadoutKind, Tie};
use crate::rules::{FieldValues, Rule};
use crate::run::evaluate::{Interpreter, States};
use crate::run::readout::{Candidate, Reader, fits, readers};
use crate::run::{Leaf, Missing, MissingReason, blank_leaves};
use crate::source::Span;
use crate::types::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Most nodes that a report shows for one expectation that does not hold.
const MOST_SHOWN: usize = 24;

/// A program made ready to run its tests.
#[derive(Debug)]
pub struct Tester<'p> {
    program: &'p Program,
    interpreter: Interpreter,
    readers: Vec<Reader>,
}

/// What came of a test.
#[derive(Debug, Clone)]
pub struct TestReport {
    pub name: Arc<str>,
    pub span: Span,
    /// A rule could not be computed from the fields given, or a node could not be computed; then nothing was expected.
    pub fault: Option<String>,
    pub expects: Vec<ExpectReport>,
}

/// What came of one `expect`.
#[derive(Debug, Clone)]
pub struct ExpectReport {
    /// As written.
    pub text: Arc<str>,
    pub span: Span,
    pub answer: Answer,
    /// What the expectation names, and what that is: (`pointwise`, `3`).
    pub found: Vec<(String, String)>,
    /// Where it does not hold: the nodes that lead there, from the expectation down.
    pub path: Vec<Shown>,
    /// Where it is open: the leaves that it depends on and that the test does not give.
    pub missing: Vec<String>,
}

/// A node in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Steps below the expectation, from 0.
    pub depth: usize,
    pub name: String,
    /// `weighted_mean`, `criterion`, …
    pub what: &'static str,
    pub value: String,
}

impl TestReport {
    #[must_use]
    pub fn passed(&self) -> bool {
        self.fault.is_none() && self.expects.iter().all(|e| e.answer == Answer::Holds)
    }
}

impl<'p> Tester<'p> {
    #[must_use]
    pub fn new(program: &'p Program) -> Tester<'p> {
        Tester { program, interpreter: Interpreter::new(program), readers: readers(program) }
    }

    /// Runs one test.
    #[must_use]
    pub fn run(&self, test: &Test) -> TestReport {
        let mut report = TestReport { name: test.name.clone(), span: test.span, fault: None, expects: Vec::new() };
        let mut states = Vec::with_capacity(test.candidates.len());
        for at in 0..test.candidates.len() {
            match self.states(test, at) {
                Ok(found) => states.push(found),
                Err(fault) => {
                    report.fault = Some(fault);
                    return report;
                }
            }
        }
        let world = World { program: self.program, states: &states, readings: self.readings(test, &states) };
        report.expects = test.expects.iter().map(|e| self.expectation(test, &world, e)).collect();
        report
    }

    /// What is known of every node of one candidate.
    fn states(&self, test: &Test, at: usize) -> Result<States, String> {
        let states = self.interpreter.states(&self.leaves(test, at)?);
        states.check_complete(self.program)?;
        Ok(states)
    }

    /// What is known of the leaves of one candidate.
    fn leaves(&self, test: &Test, at: usize) -> Result<Vec<Leaf>, String> {
        let empty = serde_json::Map::new();
        let fields = test.fields.get(at).unwrap_or(&empty);
        let mut leaves = blank_leaves(self.program);
        for (id, value) in test.given.get(at).map_or(&[][..], Vec::as_slice) {
            if let Some(leaf) = leaves.get_mut(id.index()) {
                *leaf = Leaf::Known(value.clone());
            }
        }
        for (leaf, node) in leaves.iter_mut().zip(&self.program.nodes) {
            let NodeKind::Criterion(criterion) = &node.kind else { continue };
            if let Some(applies) = &criterion.applies
                && let Ok(value) = computed(applies, fields, &node.name)?
                && value == Value::Bool(false)
            {
                *leaf = Leaf::Known(Value::Unknown);
                continue;
            }
            if let (Procedure::Rule(rule), Leaf::Missing(_)) = (&criterion.procedure, &*leaf) {
                *leaf = match computed(rule, fields, &node.name)? {
                    Ok(value) => Leaf::Known(value),
                    Err(field) => Leaf::Missing(Missing { reason: MissingReason::NotRecorded, detail: field }),
                };
            }
        }
        Ok(leaves)
    }

    fn readings(&self, test: &Test, states: &[States]) -> Vec<Vec<crate::run::readout::Reading>> {
        let candidates: Vec<Candidate<'_>> =
            test.candidates.iter().zip(states).map(|(id, states)| Candidate { id, states }).collect();
        let read = |reader: &Reader| match reader.mode() {
            Mode::Pointwise => states.iter().map(|s| reader.one(s)).collect(),
            mode if fits(mode, candidates.len()) => reader.all(&test.name, &candidates).into_iter().collect(),
            _ => Vec::new(),
        };
        self.readers.iter().map(read).collect()
    }

    fn expectation(
        &self,
        test: &Test,
        world: &World<'_>,
        (condition, span, text): &(Condition, Span, Arc<str>),
    ) -> ExpectReport {
        let answer = world.answer(condition);
        let mut operands = Vec::new();
        condition.operands(&mut operands);
        let found = operands.iter().filter_map(|o| self.found(test, world, o)).collect();
        let mut report =
            ExpectReport { text: text.clone(), span: *span, answer, found, path: Vec::new(), missing: Vec::new() };
        match answer {
            Answer::Holds => {}
            Answer::Fails => report.path = self.path(test, world, &operands),
            Answer::Open => report.missing = self.missing(test, world, &operands),
        }
        report
    }

    /// What an operand is called, and what it is.
    fn found(&self, test: &Test, world: &World<'_>, operand: &Operand) -> Option<(String, String)> {
        match operand {
            Operand::Node { candidate, node } => {
                let state = world.states.get(*candidate)?;
                let found = self.program.node(*node)?;
                Some((self.name(test, *candidate, &found.name), state.bounds(*node).text(&found.ty)))
            }
            Operand::Readout { candidate, readout } => {
                let entry = self.program.readouts.get(*readout)?;
                let readings = world.readings.get(*readout)?;
                let ids: Vec<&str> = test.candidates.iter().map(|c| &**c).collect();
                let reading = readings.get(*candidate).or_else(|| readings.first())?;
                let name = if entry.mode == Mode::Pointwise {
                    self.name(test, *candidate, entry.key())
                } else {
                    entry.key().to_owned()
                };
                Some((name, reading.outcome.text(&entry.ty, &ids)))
            }
            _ => None,
        }
    }

    fn name(&self, test: &Test, candidate: usize, name: &str) -> String {
        match test.candidates.get(candidate) {
            Some(whose) if test.candidates.len() > 1 => format!("{whose}.{name}"),
            _ => name.to_owned(),
        }
    }

    /// The nodes that an operand reads directly, with their candidates.
    fn sources(&self, test: &Test, operand: &Operand) -> Vec<(usize, NodeId)> {
        match operand {
            Operand::Node { candidate, node } => vec![(*candidate, *node)],
            Operand::Readout { candidate, readout } => {
                let Some(entry) = self.program.readouts.get(*readout) else { return Vec::new() };
                let mut nodes = vec![entry.source];
                if entry.source != self.program.sink && self.may_abstain() {
                    nodes.push(self.program.sink);
                }
                if let ReadoutKind::Prefer { tie, .. } | ReadoutKind::Ranking { tie } | ReadoutKind::Best { tie, .. } =
                    &entry.kind
                    && let Tie::By { keys, .. } = tie
                {
                    nodes.extend(keys);
                }
                let candidates = match entry.mode {
                    Mode::Pointwise => *candidate..candidate + 1,
                    _ => 0..test.candidates.len(),
                };
                candidates.flat_map(|c| nodes.iter().map(move |n| (c, *n))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn may_abstain(&self) -> bool {
        self.program.node(self.program.sink).is_some_and(|sink| sink.ty.optional)
    }

    /// The leaves below some operands that are missing.
    fn missing(&self, test: &Test, world: &World<'_>, operands: &[Operand]) -> Vec<String> {
        let mut open: Vec<(usize, NodeId)> = operands.iter().flat_map(|o| self.sources(test, o)).collect();
        let mut seen: HashSet<(usize, NodeId)> = open.iter().copied().collect();
        let mut leaves: Vec<(usize, NodeId)> = Vec::new();
        while let Some((candidate, id)) = open.pop() {
            let known = world.states.get(candidate).is_none_or(|s| s.value(id).is_some());
            match self.program.node(id).map(|n| &n.kind) {
                _ if known => {}
                Some(NodeKind::Operator(operation)) => {
                    open.extend(operation.sources().map(|s| (candidate, s)).filter(|s| seen.insert(*s)));
                }
                Some(_) => leaves.push((candidate, id)),
                None => {}
            }
        }
        leaves.sort_unstable();
        let mut names = Vec::new();
        let mut named = HashSet::new();
        for (candidate, id) in leaves {
            let Some(node) = self.program.node(id) else { continue };
            let mut name = self.name(test, candidate, &node.name);
            if let NodeKind::Criterion(criterion) = &node.kind
                && let Procedure::Rule(rule) = &criterion.procedure
            {
                let given = |f: &&Arc<str>| test.fields.get(candidate).is_some_and(|m| m.contains_key(&***f));
                let lacking: Vec<String> = rule.fields.iter().filter(|f| !given(f)).map(|f| format!("`{f}`")).collect();
                name = format!("{name} (a rule that reads {})", lacking.join(", "));
            }
            if named.insert(name.clone()) {
                names.push(name);
            }
        }
        names
    }

    /// The nodes that lead to what some operands are, breadth first within each, at most [`MOST_SHOWN`].
    fn path(&self, test: &Test, world: &World<'_>, operands: &[Operand]) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut seen = HashSet::new();
        let mut stack: Vec<(usize, usize, NodeId)> = Vec::new();
        let tops: Vec<(usize, NodeId)> = operands.iter().flat_map(|o| self.sources(test, o)).collect();
        stack.extend(tops.into_iter().rev().map(|(candidate, id)| (0, candidate, id)));
        while let Some((depth, candidate, id)) = stack.pop() {
            if shown.len() >= MOST_SHOWN {
                break;
            }
            let (Some(node), Some(state)) = (self.program.node(id), world.states.get(candidate)) else { continue };
            if !seen.insert((candidate, id)) {
                continue;
            }
            let what = match &node.kind {
                NodeKind::Operator(operation) => {
                    let below: Vec<NodeId> = operation.sources().collect();
                    stack.extend(below.into_iter().rev().map(|s| (depth + 1, candidate, s)));
                    operation.op.word()
                }
                NodeKind::Criterion(criterion) if matches!(criterion.procedure, Procedure::Rule(_)) => "rule",
                NodeKind::Criterion(_) => "criterion",
                NodeKind::Items { .. } => "checklist",
            };
            let name = self.name(test, candidate, &node.name);
            shown.push(Shown { depth, name, what, value: state.bounds(id).text(&node.ty) });
        }
        shown
    }
}

/// The value of a rule, or the names of the fields that it lacks.
///
/// # Errors
/// Where a field holds what the rule cannot read.
fn computed(
    rule: &Rule,
    fields: &serde_json::Map<String, serde_json::Value>,
    node: &str,
) -> Result<Result<Value, String>, String> {
    let lacking: Vec<String> =
        rule.fields.iter().filter(|f| !fields.contains_key(&***f)).map(|f| format!("`{f}`")).collect();
    if !lacking.is_empty() {
        return Ok(Err(lacking.join(", ")));
    }
    rule.evaluate(fields as &dyn FieldValues).map(Ok).map_err(|e| format!("the rule of `{node}` gives no value: {e}"))
}

#[cfg(test)]
mod tests;
