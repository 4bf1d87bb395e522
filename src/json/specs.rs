//! `requires` and `tests`: texts of the language, each holding one declaration.

use super::shape::{Given, Reader};
use crate::diagnostics::Code;
use crate::graph::Program;
use crate::syntax::ast::{Item, ItemKind};

/// Parses the texts under a key.
pub(super) fn texts<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>, key: &str) -> Vec<Item> {
    let mut out = Vec::new();
    for value in r.list(root, key) {
        if r.string(value).is_none() {
            continue;
        }
        let Some(little) = r.embedded.open(r.source, value) else { continue };
        let before = r.sink.len();
        let items = crate::syntax::parse_items(&little, &mut r.sink);
        if r.sink.len() > before {
            continue;
        }
        let fits = |item: &Item| match item.kind {
            ItemKind::Require(_) => key == "requires",
            ItemKind::Test(_) => key == "tests",
            _ => false,
        };
        match <[Item; 1]>::try_from(items) {
            Ok([item]) if fits(&item) => out.push(item),
            _ => {
                let span = r.span(value);
                let (one, help) = match key {
                    "tests" => ("test", "such as \"test \\\"all met\\\" { given { … } expect pointwise == 5 }\""),
                    _ => ("requirement", "such as \"require increasing(accuracy)\""),
                };
                r.error(Code::JSON_TEXT, span, format!("this is not exactly one {one}"), "something else", help);
            }
        }
    }
    out
}

/// Types them against the finished program.
pub(super) fn elaborate(r: &mut Reader<'_>, program: &mut Program, requires: &[Item], tests: &[Item]) {
    let requires: Vec<&Item> = requires.iter().collect();
    let tests: Vec<&Item> = tests.iter().collect();
    crate::check::spec::elaborate(program, &requires, &tests, &mut r.sink);
}
