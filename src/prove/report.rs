//! Verdicts as diagnostics.

use super::require::{Broken, Counterexample, Verdict, prove};
use super::search::Budget;
use super::show::can_be;
use crate::diagnostics::{Code, Diagnostic};
use crate::graph::Program;
use crate::graph::spec::{Require, RequireKind};

/// Longest text of a requirement in a headline.
const LONGEST: usize = 80;

/// Decides every requirement of a program, each within the budget: an error for one that does not hold, a warning for one
/// that could not be decided. And a warning for each criterion that is proved never to matter.
#[must_use]
pub fn check(program: &Program, budget: &Budget) -> Vec<Diagnostic> {
    program
        .requires
        .iter()
        .filter_map(|require| diagnostic(program, require, &prove(program, require, budget)))
        .chain(super::idle(program))
        .collect()
}

/// What is to be said about a verdict; nothing where it is proved.
#[must_use]
pub fn diagnostic(program: &Program, require: &Require, verdict: &Verdict) -> Option<Diagnostic> {
    let called = called(require);
    Some(match verdict {
        Verdict::Proved { .. } => return None,
        Verdict::Disproved(found) => {
            let headline = format!("{called} does not always hold{}", broken(program, require, found));
            let label = "broken by the judgments in the test below";
            Diagnostic::error(Code::REQUIRE_BROKEN, require.span, headline, label).help(format!(
                "mend the program or the requirement; this test shows where it breaks:\n{}",
                found.test(program, require)
            ))
        }
        Verdict::Unreachable { .. } => {
            let headline = format!("{called} is not so: no judgments make it true");
            Diagnostic::error(Code::REQUIRE_UNREACHABLE, require.span, headline, "can never come about")
                .help("look for a cap, a clamp or weights that keep the result away from it, or drop the requirement")
        }
        Verdict::Undecided { boxes, why } => {
            let headline = format!("{called} could not be decided: {why}");
            let cases = if *boxes == 1 { "1 case".to_owned() } else { format!("{boxes} cases") };
            Diagnostic::warning(Code::REQUIRE_UNDECIDED, require.span, headline, format!("open after {cases}")).help(
                "it was neither proved nor broken; allow more (`--prove-budget 30s`), or state it for less (a `when`, or a \
                 node nearer to the judgments)",
            )
        }
    })
}

/// What a message calls a requirement.
fn called(require: &Require) -> String {
    if let Some(name) = &require.name {
        return format!("the requirement \"{name}\"");
    }
    let text: String = require.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return format!("`{text}`");
    }
    format!("`{}…`", text.chars().take(LONGEST - 1).collect::<String>())
}

/// `: pointwise can be 3`.
fn broken(program: &Program, require: &Require, found: &Counterexample) -> String {
    let mut found = found.clone();
    if let (Broken::Clause(_), [first, second]) = (&found.broken, found.assignment.ids.as_mut_slice()) {
        // As the requirement calls them; ties by id are broken by names, so the test keeps its own.
        if !super::require::by_name(program) {
            "first".clone_into(first);
            "second".clone_into(second);
        }
    }
    let outcome = found.outcome(program, require);
    if let Broken::Order { leaf, falls } = &found.broken {
        let name = program.node(*leaf).map_or("", |node| &*node.name);
        let (verb, first, second) = (if *falls { "fall" } else { "rise" }, outcome.first(), outcome.get(1));
        let word = match &require.kind {
            RequireKind::Increasing(_) | RequireKind::Decreasing(_) => {
                program.node(program.sink).map_or("", |n| &*n.name)
            }
            _ => "",
        };
        let from = match (first, second) {
            (Some((_, a)), Some((_, b))) => format!(" (from {a} to {b})"),
            _ => String::new(),
        };
        return format!(": `{word}` can {verb} where `{name}` rises{from}");
    }
    let each = outcome.iter().take(3).map(|(name, value)| match value.strip_suffix(" wins") {
        Some(winner) => can_be(&format!("`{name}`"), &format!("`{winner}` wins")),
        None => can_be(&format!("`{name}`"), value),
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() { String::new() } else { format!(": {}", each.join(" while ")) }
}
