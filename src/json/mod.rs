//! Reading a JSON program, whoever wrote it: this tool, a person, or a language model.
//!
//! The text becomes a tree with spans ([`tree`]); its objects are read key by key ([`shape`]); texts of the language inside it
//! (types, rules, requirements, tests) become little files of their own whose places are mapped back ([`embedded`]).
//! Criteria go through the checker's own elaboration, operators through [`crate::catalog::typing::infer`], readouts through
//! [`crate::graph::validate`]: a JSON program is held to what a text is held to, and gets the same codes. What only JSON can
//! get wrong (keys, kinds, ids, edges, ports, slots, digests) has codes `R08xx`.
//!
//! All faults are found in one run. A name or node that is in error is left out of what follows, so that one mistake is told
//! once. Every diagnostic has a span and a JSON pointer.
//!
//! Rejected here, for example: two edges into slot 1 of one port, since which of them is first would be a guess.

mod checklists;
mod criteria;
mod embedded;
mod fields;
mod nodes;
mod operators;
mod parameters;
mod readouts;
mod shape;
mod specs;
mod tree;
mod wiring;

use crate::catalog::NodeId;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::graph::{Program, json::FORMAT};
use crate::source::Source;
use shape::{Given, Reader};
use std::sync::Arc;

/// The keys of a program.
const KEYS: [&str; 13] = [
    "format",
    "rubric",
    "doc",
    "fields",
    "candidate",
    "checklists",
    "nodes",
    "edges",
    "sink",
    "readouts",
    "observe",
    "requires",
    "tests",
];

/// Reads a program. `None` where it has errors, all of which are in `sink`; warnings may be there in any case.
pub fn read(source: &Source, sink: &mut Sink) -> Option<Program> {
    let mut found = Sink::new();
    let (tree, syntax) = tree::parse(source, &mut found);
    let mut reader = Reader::new(source, found);
    let program = tree.as_ref().and_then(|root| program(&mut reader, root));
    let (found, embedded) = reader.finish();
    let mut fine = !syntax;
    for mut diagnostic in found.finish() {
        embedded.map(source, &mut diagnostic);
        if diagnostic.pointer.is_none() {
            diagnostic.pointer = tree.as_ref().map(|root| tree::pointer(root, diagnostic.span()));
        }
        fine &= !diagnostic.is_error();
        sink.push(diagnostic);
    }
    let mut program = program.filter(|_| fine)?;
    embedded.map_program(&mut program);
    Some(program)
}

fn program<'a>(r: &mut Reader<'a>, root: &tree::Value<'a>) -> Option<Program> {
    let known: Vec<&str> = KEYS.into_iter().chain(["digest"]).collect();
    let needed = ["format", "rubric", "fields", "candidate", "nodes", "sink", "readouts"];
    let root = r.object(root, "a program", &known, &needed)?;
    format(r, &root);
    let name = root.get("rubric").and_then(|v| r.name(v));
    let doc = r.doc(&root);
    let (fields, candidate) = fields::read(r, &root);
    let drafts = nodes::drafts(r, &root);
    let lists = checklists::drafts(r, &root, &drafts);
    let mut wires = wiring::read(r, &root, &drafts);
    let ends = readouts::ends(r, &root, &drafts);
    let order = wires.order(r, &drafts);
    wiring::unused(r, &drafts, &wires, &ends);
    let nodes = nodes::elaborate(r, &drafts, &wires, &lists, &fields, &order);
    let (readouts, sink) = readouts::read(r, &ends, &drafts, &nodes);
    let checklists = checklists::finish(r, lists, &drafts, &nodes);
    let observed = ends.observed.iter().filter_map(|at| nodes.ids.get(*at).copied()).collect();
    let requires = specs::texts(r, &root, "requires");
    let tests = specs::texts(r, &root, "tests");
    if r.sink.has_errors() {
        return None;
    }
    let mut program = Program {
        name: name?,
        doc,
        fields,
        candidate: candidate?,
        checklists,
        nodes: nodes.done.into_iter().collect::<Option<Vec<_>>>()?,
        sink: sink?,
        readouts,
        observed,
        requires: Vec::new(),
        tests: Vec::new(),
    };
    specs::elaborate(r, &mut program, &requires, &tests);
    digest(r, &root, &program);
    Some(program)
}

fn format<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>) {
    let Some(value) = root.get("format") else { return };
    let Some(text) = r.string(value) else { return };
    if text != FORMAT {
        let span = r.span(value);
        r.sink.push(
            Diagnostic::error(
                Code::JSON_WORD,
                span,
                format!("this version reads `{FORMAT}`, and the file says `{text}`"),
                "another format",
            )
            .help(format!("write \"{FORMAT}\" if the file follows it, or use the version of `rubric` that wrote it")),
        );
    }
}

/// A digest that is there must be the program's.
fn digest<'a>(r: &mut Reader<'a>, root: &Given<'a, '_>, program: &Program) {
    let Some(value) = root.get("digest") else { return };
    let Some(text) = r.string(value).map(str::to_owned) else { return };
    let right = crate::graph::digest(program);
    if text != right {
        let span = r.span(value);
        r.sink.push(
            Diagnostic::error(
                Code::JSON_DIGEST,
                span,
                "the program was changed after its digest was written",
                "not the digest of this program",
            )
            .help("if the change is meant, take the line out, or write the digest below")
            .note(format!("its digest is {right}")),
        );
    }
}

/// A node's id in the finished program.
fn node_id(index: usize) -> NodeId {
    NodeId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The text of a doc key.
type Doc = Arc<str>;

#[cfg(test)]
mod tests;
