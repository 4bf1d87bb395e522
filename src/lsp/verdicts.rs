//! What is computed while nobody types: proofs, tests, and how far each judgment reaches.
//!
//! On a thread of its own, in small parts; before each part it looks whether the text is still the same, and gives up
//! where it is not.

use crate::diagnostics::Diagnostic;
use crate::graph::Program;
use crate::prove::{self, Budget, Verdict};
use crate::run::spec::{Answer, TestReport, Tester};
use crate::why::influence::{Decides, Influence, Options, influence};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// For each requirement.
const PROOF: Budget = Budget { boxes: 20_000, time: Duration::from_millis(300) };
/// For the reach of all judgments.
const REACH: Options = Options { most: 60, seed: 0, time: Duration::from_millis(800) };

/// What came out.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdicts {
    /// By the first byte of a requirement or test: what is to be said above it.
    pub lenses: HashMap<u32, String>,
    /// What `rubric check` says about requirements.
    pub diagnostics: Vec<Diagnostic>,
    /// By the name of a criterion or item.
    pub reach: HashMap<String, String>,
}

/// Computes all of it; `None` as soon as `stale` says that nobody waits for it.
pub(super) fn verdicts(program: &Arc<Program>, stale: &dyn Fn() -> bool) -> Option<Verdicts> {
    let mut out = Verdicts::default();
    let tester = Tester::new(program);
    for test in &program.tests {
        if stale() {
            return None;
        }
        let report = tester.run(test);
        out.lenses.insert(test.span.start, tested(&report));
    }
    for require in &program.requires {
        if stale() {
            return None;
        }
        let verdict = prove::prove(program, require, &PROOF);
        let text = match &verdict {
            Verdict::Proved { .. } => "✓ proved".to_owned(),
            Verdict::Disproved(_) => "✗ does not always hold".to_owned(),
            Verdict::Unreachable { .. } => "✗ cannot come about".to_owned(),
            Verdict::Undecided { why, .. } => format!("? undecided: {why}"),
        };
        out.lenses.insert(require.span.start, text);
        out.diagnostics.extend(prove::diagnostic(program, require, &verdict));
    }
    if stale() {
        return None;
    }
    out.reach = reach(program, &influence(program, &REACH));
    (!stale()).then_some(out)
}

fn tested(report: &TestReport) -> String {
    if let Some(fault) = &report.fault {
        return format!("✗ {fault}");
    }
    let Some(failed) = report.expects.iter().find(|e| e.answer != Answer::Holds) else { return "✓ holds".to_owned() };
    let found: Vec<String> = failed.found.iter().map(|(name, value)| format!("{name} is {value}")).collect();
    if failed.missing.is_empty() {
        format!("✗ {} fails: {}", failed.text, found.join(", "))
    } else {
        format!("✗ {} is open: it depends on {}", failed.text, failed.missing.join(", "))
    }
}

fn reach(program: &Program, found: &Influence) -> HashMap<String, String> {
    let one = |reach: &crate::why::influence::Reach| {
        let name = program.node(reach.node)?.name.to_string();
        let sink = program.node(program.sink)?.name.to_string();
        if reach.never_matters() {
            return Some((name, "No readout ever depends on it.".to_owned()));
        }
        let moves = if reach.is_exact() {
            format!("Moves `{sink}` by up to {}.", reach.at_most)
        } else {
            format!("Moves `{sink}` by between {} and {} at most.", reach.at_least, reach.at_most)
        };
        let decided = program.readouts.iter().zip(&reach.decides).filter(|(_, d)| **d == Decides::Yes);
        let decided: Vec<String> = decided.map(|(r, _)| format!("`{}`", r.key())).collect();
        let decides = if decided.is_empty() { String::new() } else { format!(" Can decide {}.", decided.join(", ")) };
        let gates: Vec<String> =
            reach.silenced.iter().filter_map(|id| program.node(*id)).map(|n| format!("`{}`", n.name)).collect();
        let silenced =
            if gates.is_empty() { String::new() } else { format!(" Can be silenced by {}.", gates.join(", ")) };
        Some((name, format!("{moves}{decides}{silenced}")))
    };
    found.reaches.iter().filter_map(one).collect()
}
