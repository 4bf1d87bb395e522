//! An expansion as a program: one checklist, with a group for each scenario and in it one for each perspective.
//!
//! A criterion that belongs to several perspectives stands with the first; a tag for each perspective and each scenario names all.
//! The score is Qworld's S = Σ points met / Σ positive points (arXiv 2603.23522, App. A.2), which `points` computes; it is not clipped.

use super::input::Question;
use super::tree::{Criterion, Expansion};
use crate::import::names::name_of;
use crate::project;
use crate::types::quote;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The most characters of a question that stand in the program's doc comment.
const SHOWN: usize = 400;

/// The text of the program, laid out as `rubric fmt` would.
///
/// # Errors
/// What `rubric check` would say of it, which a user could not mend.
pub fn program(question: &Question, expansion: &Expansion) -> Result<String, String> {
    let text = write(question, expansion);
    let opened = project::open_text("the program", Path::new("."), text.clone());
    match opened.diagnostics.first() {
        None => {
            let source = opened.files.get(opened.file);
            // Layout is no reason to be without a rubric.
            Ok(source.and_then(|source| crate::format::format(source).ok()).unwrap_or(text))
        }
        Some(first) => Err(format!("its program has a fault ({}): {}", first.code, first.headline)),
    }
}

fn write(question: &Question, expansion: &Expansion) -> String {
    let mut out = String::new();
    let shown: String = question.question.chars().take(SHOWN).collect();
    let more = if shown.len() < question.question.len() { " …" } else { "" };
    let _ = writeln!(out, "/// What a good answer to one question does:");
    for line in format!("{shown}{more}").lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(out, "/// {line}");
    }
    let _ = writeln!(out, "rubric {}\n", name_of(&question.id));
    out += "input question: text\n";
    if question.web_content.is_some() {
        out += "reference web_content: text?\n";
    }
    if question.image.is_some() {
        out += "input image: image?\n";
    }
    out += "candidate answer: text\n\nchecklist criteria {\n";
    for (scenario, perspectives) in grouped(expansion) {
        let name = expansion.scenarios.get(scenario).map_or("", |scenario| &scenario.name);
        let _ = writeln!(out, "  group s{} {} {{", scenario + 1, literal(name));
        for (perspective, criteria) in perspectives {
            let name = expansion.perspectives.get(perspective).map_or("", |perspective| &perspective.name);
            let _ = writeln!(out, "    group p{} {} {{", perspective + 1, literal(name));
            for (place, criterion) in criteria {
                item(&mut out, expansion, place, criterion);
            }
            out += "    }\n";
        }
        out += "  }\n";
    }
    out += "}\n\n/// The points met, of all positive points; below 0 where the bad outweighs the good.\nreduce share = points(criteria)\n\n\
            readout pointwise = share\nreadout pairwise  = prefer(share)\n";
    out
}

fn item(out: &mut String, expansion: &Expansion, place: usize, criterion: &Criterion) {
    let _ = write!(out, "      {:+} c{} {}", criterion.points, place + 1, literal(&criterion.text));
    // One tag for each, so that `profile` and `trim` find a criterion under every perspective that it belongs to.
    let mut tags = String::new();
    for perspective in &criterion.perspectives {
        let _ = write!(tags, " tag perspective {}", quote(&format!("p{}", perspective + 1)));
    }
    for scenario in &expansion.scenarios_of(criterion) {
        let _ = write!(tags, " tag scenario {}", quote(&format!("s{}", scenario + 1)));
    }
    let _ = writeln!(out, " {{{tags} }}");
}

type Groups<'a> = BTreeMap<usize, BTreeMap<usize, Vec<(usize, &'a Criterion)>>>;

/// The criteria by their first scenario and their first perspective.
fn grouped(expansion: &Expansion) -> Groups<'_> {
    let mut groups: Groups<'_> = BTreeMap::new();
    for (place, criterion) in expansion.criteria.iter().enumerate() {
        let Some(perspective) = criterion.perspectives.first() else { continue };
        let scenarios = expansion.perspectives.get(*perspective).map(|perspective| &perspective.scenarios);
        let Some(scenario) = scenarios.and_then(|scenarios| scenarios.first()) else { continue };
        groups.entry(*scenario).or_default().entry(*perspective).or_default().push((place, criterion));
    }
    groups
}

/// A text as a string literal in which no brace opens a hole.
fn literal(text: &str) -> String {
    quote(text).replace('{', "\\{")
}
