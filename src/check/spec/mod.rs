//! Requirements and tests, typed against a checked program.
//!
//! Names mean nodes, readouts, candidates and labels of the program at hand ([`names`]); values are read in the type of what
//! they stand beside ([`values`]); `given` blocks become one value per leaf and candidate ([`given`]); conditions become
//! [`spec::Condition`]s ([`condition`]). Nothing is run or proved here.
//!
//! A test that is refused: `given { quality: 0.5 }` where `quality` is computed, since a test gives judgments only.

mod condition;
mod given;
mod names;
mod require;
mod values;

use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::graph::{Program, spec};
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};
use crate::syntax::print;

use condition::Reader;
use foldhash::HashMap;
use names::Names;
use std::sync::Arc;

/// Types requirements and tests and puts them into the program, in the order given. What is wrong goes to `sink`, and the
/// requirement or test is left out. Declarations with syntax errors are passed over.
pub fn elaborate(program: &mut Program, requires: &[&ast::Item], tests: &[&ast::Item], sink: &mut Sink) {
    elaborate_silent(program, requires, tests, &|_| false, sink);
}

/// As [`elaborate`]; nothing is said about names that `silent` knows to be in error already.
pub fn elaborate_silent(
    program: &mut Program,
    requires: &[&ast::Item],
    tests: &[&ast::Item],
    silent: &dyn Fn(&str) -> bool,
    sink: &mut Sink,
) {
    if requires.is_empty() && tests.is_empty() {
        return;
    }
    let names = Names::new(program, silent);
    let mut found = (Vec::new(), Vec::new());
    for item in requires.iter().filter(|i| !i.poisoned) {
        if let ItemKind::Require(require) = &item.kind {
            found.0.extend(require::require(&names, require, item, sink));
        }
    }
    let mut titles: HashMap<&str, Span> = HashMap::default();
    for item in tests.iter().filter(|i| !i.poisoned) {
        if let ItemKind::Test(test) = &item.kind {
            if let Some(first) = titles.insert(&test.name.value, test.name.span) {
                let headline = format!("two tests are called \"{}\"", test.name.value);
                let twice = Diagnostic::error(Code::TEST_TWICE, test.name.span, headline, "the second");
                sink.push(twice.also(first, "the first").help("say in its name what each one checks"));
            }
            found.1.extend(one_test(&names, test, item, sink));
        }
    }
    drop(names);
    program.requires.extend(found.0);
    program.tests.extend(found.1);
}

fn one_test(names: &Names<'_>, test: &ast::Test, item: &ast::Item, sink: &mut Sink) -> Option<spec::Test> {
    let mut fine = true;
    if test.expects.is_empty() {
        let wrong = Diagnostic::error(Code::SPEC_EMPTY, item.span, "this test expects nothing", "no `expect`");
        sink.push(wrong.help("say what must come out: `expect pointwise <= 2`"));
        fine = false;
    }
    let before = sink.len();
    let candidates = candidates(names, test, sink);
    let given = given::given(names, test, &candidates, sink);
    fine &= sink.len() == before;
    let reader = Reader { names, candidates: &candidates, require: false };
    let mut expects = Vec::new();
    for expect in &test.expects {
        match reader.condition(&expect.condition, sink) {
            Some(condition) => {
                expects.push((condition, expect.span, print::print_expr(&expect.condition).into()));
            }
            None => fine = false,
        }
    }
    let (given, fields) = given?;
    fine.then(|| spec::Test {
        name: test.name.value.clone(),
        candidates,
        given,
        fields,
        expects,
        text: print::print_test(test).into(),
        span: item.span,
    })
}

/// The candidates of a test: those that a `given` names, in order; else the one that the program declares.
fn candidates(names: &Names<'_>, test: &ast::Test, sink: &mut Sink) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut bare: Option<Span> = None;
    let mut places: HashMap<Arc<str>, Span> = HashMap::default();
    for block in &test.givens {
        let Some(name) = &block.candidate else {
            if let Some(first) = bare {
                let twice = Diagnostic::error(Code::TEST_TWICE, block.span, "two `given` without a name", "the second");
                sink.push(
                    twice.also(first, "the first").help("write one block, or name the candidates: `given a { … }`"),
                );
            }
            bare = Some(block.span);
            continue;
        };
        if matches!(&*name.text, "tie" | "unknown") || names.is_declared(&name.text) {
            let headline = format!("a candidate of a test cannot be called `{}`", name.text);
            let wrong = Diagnostic::error(Code::SPEC_CANDIDATE, name.span, headline, "this name means something else");
            sink.push(wrong.help("choose names such as `a` and `b`"));
        }
        if let Some(first) = places.insert(name.text.clone(), name.span) {
            let headline = format!("the candidate `{}` is given twice", name.text);
            sink.push(Diagnostic::error(Code::TEST_TWICE, name.span, headline, "the second").also(first, "the first"));
        } else {
            found.push(name.text.clone());
        }
    }
    if found.is_empty() {
        found.push(names.program.candidate.clone());
    }
    found
}
