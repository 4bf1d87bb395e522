//! A program at every stage: its source, its diagnostics, the tree that was parsed, the program that it became, the
//! drawing, and its canonical text, one snapshot per program, so that a change of any stage is seen beside its cause.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

use rubric_lang::diagnostics::Sink;
use rubric_lang::diagnostics::render::{self, Batch, Format, Look};
use rubric_lang::graph;
use rubric_lang::project;
use rubric_lang::source::{FileId, Source};
use rubric_lang::syntax::{self, ast};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn every_stage_of_every_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages");
    let mut files: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "rubric"))
        .collect();
    files.sort();
    assert!(files.len() >= 4, "the programs are missing");
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        insta::with_settings!({ snapshot_path => "stages", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.as_str(), stages(&format!("{name}.rubric"), &folder, &text));
        });
    }
}

fn stages(name: &str, folder: &Path, text: &str) -> String {
    let mut out = String::new();
    let mut stage = |title: &str, body: &str| {
        let _ = write!(out, "== {title}\n{}\n\n", body.trim_end());
    };
    stage("source", text);
    let source = Source::new(FileId(0), name, None, text);
    let file = syntax::parse(&source, &mut Sink::new());
    stage("tree", &file.items.iter().map(|i| item(&source, i)).collect::<String>());
    let opened = project::open_text(name, folder, text.to_owned());
    let batch = Batch { map: opened.files.map(), diagnostics: &opened.diagnostics };
    let found = render::render(Format::Human, &[batch], Look::default());
    stage("diagnostics", if found.trim().is_empty() { "none" } else { &found });
    if let Some(program) = &opened.program {
        stage("graph", &graph::draw::text(program));
        stage("program", &graph::json::write(program));
        stage("text", &graph::text::write(program));
        stage("digest", &graph::digest(program));
    }
    out
}

/// A declaration in a line: its kind, its place, whether it was broken, and its text as the parser took it.
fn item(source: &Source, item: &ast::Item) -> String {
    let kind = match &item.kind {
        ast::ItemKind::Use { .. } => "use",
        ast::ItemKind::Scale { .. } => "scale",
        ast::ItemKind::DefaultJudge(_) => "default judge",
        ast::ItemKind::Field { .. } => "field",
        ast::ItemKind::Candidate { .. } => "candidate",
        ast::ItemKind::Criterion(_) => "criterion",
        ast::ItemKind::Checklist(_) => "checklist",
        ast::ItemKind::Node(_) => "node",
        ast::ItemKind::Define(_) => "define",
        ast::ItemKind::Readout(_) => "readout",
        ast::ItemKind::Observe(_) => "observe",
        ast::ItemKind::Require(_) => "require",
        ast::ItemKind::Test(_) => "test",
        ast::ItemKind::Error(_) => "error",
    };
    let (start, end) = (source.position(item.span.start), source.position(item.span.end));
    let broken = if item.poisoned { ", broken" } else { "" };
    let expression = match &item.kind {
        ast::ItemKind::Node(node) => syntax::print::print_expr(&node.expr),
        ast::ItemKind::Readout(readout) => syntax::print::print_expr(&readout.expr),
        _ => String::new(),
    };
    let place = format!("{}:{} to {}:{}", start.line, start.column, end.line, end.column);
    format!("{kind} ({place}{broken}) {expression}\n").replace(") \n", ")\n")
}
