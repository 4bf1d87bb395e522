//! What editors are given is true: the tree-sitter grammar reads what the compiler reads, the set-ups name what it has, and
//! editors that are installed show the mistakes of a file.
//!
//! The tree-sitter CLI is taken from `RUBRIC_TREE_SITTER`, or from the path; without it these tests say so and do nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod cli;
mod expected;
mod found;
mod real;

use cli::TreeSitter;
use rubric_lang::diagnostics::{Code, Diagnostic, Sink};
use rubric_lang::source::{FileId, Source};
use rubric_lang::syntax::{self, ast};
use std::path::{Path, PathBuf};

/// A node of a syntax tree, from either parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub kind: String,
    /// The first byte, and the one behind the last.
    pub range: (usize, usize),
    /// In the order in which they are written.
    pub children: Vec<Node>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below a folder whose names end so.
pub fn files(folder: &Path, ends: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_none_or(|n| n != "node_modules") {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ends) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every text of the language that the project has: name and text.
fn texts() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in ["examples", "tests", "src", "../shared/programs"] {
        for path in files(&root().join(folder), ".rubric") {
            // Copied into no other encoding: what is no UTF-8 is refused before it is parsed.
            if let Ok(text) = std::fs::read_to_string(&path) {
                all.push((path.strip_prefix(root()).unwrap().display().to_string(), text));
            }
        }
    }
    let pages = files(&root().join("docs"), ".md").into_iter().chain([root().join("README.md")]);
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for (n, block) in text.split("```rubric").skip(1).enumerate() {
            let Some((_, block)) = block.split_once('\n') else { continue };
            let block = block.split("```").next().unwrap_or("");
            all.push((format!("{} {}", page.strip_prefix(root()).unwrap().display(), n + 1), block.to_owned()));
        }
    }
    all
}

/// What the compiler's parser says of a text. A text without a header is read as declarations, which is what the grammar for
/// editors does with a part of a file.
fn read(name: &str, text: &str, header: bool) -> (Vec<Diagnostic>, ast::File) {
    let source = Source::new(FileId(0), name, None, text);
    let mut sink = Sink::new();
    let mut file = syntax::parse(&source, &mut sink);
    if !header && file.name.is_none() {
        sink = Sink::new();
        file.items = syntax::parse_items(&source, &mut sink);
    }
    (sink.finish(), file)
}

/// Every text has the same verdict from both parsers, and where it has no fault, the same tree: kinds, operators and places of
/// declarations, statements, types and expressions down to the names.
///
/// The compiler mends slips and reports each; to tree-sitter they are errors. So whatever the compiler's parser reports, be it a
/// warning, must be an error in tree-sitter's tree, and nothing else.
#[test]
fn both_parsers_read_the_same() {
    let Some(cli) = TreeSitter::find() else { return };
    let texts = texts();
    let parsed = cli.parse(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
    assert_eq!(parsed.len(), texts.len());
    let (mut clean, mut faulty, mut wrong) = (0, 0, Vec::new());
    for ((name, text), tree) in texts.iter().zip(&parsed) {
        let header = tree.as_ref().is_some_and(|tree| tree.children.iter().any(|c| c.kind == "header"));
        let (reported, file) = read(name, text, header);
        match tree {
            None if reported.is_empty() => wrong.push(format!("{name}: an error in tree-sitter's tree alone\n{text}")),
            Some(_) if !reported.is_empty() => {
                let codes: Vec<String> = reported.iter().map(|d| d.code.to_string()).collect();
                // What a grammar cannot say: how many levels and digits, and that a sum is no slot of a weighted mean.
                if reported.iter().any(|d| ![Code::TOO_DEEP, Code::NUMBER, Code::WEIGHT].contains(&d.code)) {
                    wrong.push(format!("{name}: {} in the compiler alone\n{text}", codes.join(" ")));
                }
            }
            None => faulty += 1,
            Some(tree) => {
                clean += 1;
                let (ours, theirs) = (expected::tree(&file, text), found::tree(tree, text));
                if let Some(difference) = difference(&ours, &theirs, text) {
                    wrong.push(format!("{name}: {difference}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
    assert!(clean > 150 && faulty > 30, "too few texts: {clean} without faults, {faulty} with");
}

/// The first place where two trees differ.
fn difference(ours: &Node, theirs: &Node, text: &str) -> Option<String> {
    let shown = |n: &Node| format!("{} `{}` {:?}", n.kind, text.get(n.range.0..n.range.1).unwrap_or("?"), n.range);
    if (&ours.kind, ours.range) != (&theirs.kind, theirs.range) {
        return Some(format!("{} in the compiler is {} in tree-sitter", shown(ours), shown(theirs)));
    }
    for (a, b) in ours.children.iter().zip(&theirs.children) {
        if let Some(found) = difference(a, b, text) {
            return Some(found);
        }
    }
    let (a, b) = (ours.children.len(), theirs.children.len());
    (a != b).then(|| {
        let extra = ours.children.get(b).or(theirs.children.get(a)).map(shown).unwrap_or_default();
        format!("{} has {a} parts in the compiler and {b} in tree-sitter; the first more is {extra}", shown(ours))
    })
}

/// A difference is found wherever it is.
#[test]
fn a_difference_is_told() {
    let text = "rubric r\nreduce a = b + c * 2\n";
    let (_, file) = read("r", text, true);
    let ours = expected::tree(&file, text);
    assert_eq!(difference(&ours, &ours, text), None);
    let mut count = 0;
    change_each(&ours, &mut |changed| {
        assert!(difference(&ours, changed, text).is_some());
        count += 1;
    });
    assert!(count > 20, "{count}");
}

/// Calls `each` with the tree changed at one node: another kind, another end, without its last part.
fn change_each(tree: &Node, each: &mut dyn FnMut(&Node)) {
    let mut changed = tree.clone();
    changed.kind.push('x');
    each(&changed);
    changed = tree.clone();
    changed.range.1 += 1;
    each(&changed);
    if !tree.children.is_empty() {
        changed = tree.clone();
        changed.children.pop();
        each(&changed);
    }
    for (n, child) in tree.children.iter().enumerate() {
        change_each(child, &mut |child| {
            let mut changed = tree.clone();
            changed.children[n] = child.clone();
            each(&changed);
        });
    }
}

/// The parser that is kept for editors is the one that the grammar makes, and the grammar's own tests hold: trees of its corpus
/// and colours of its sample.
#[test]
fn the_parser_is_made_of_the_grammar() {
    let Some(cli) = TreeSitter::find() else { return };
    let kept = std::fs::read_to_string(root().join("editors/tree-sitter-rubric/src/parser.c")).unwrap();
    if cli.is_pinned() {
        assert!(kept == cli.generated_parser(), "run `tree-sitter generate` in editors/tree-sitter-rubric");
    } else {
        eprintln!("NOT COMPARED: the parser is generated by tree-sitter {}", cli::VERSION);
    }
    let (passed, told) = cli.run(&["test"]);
    assert!(passed && told.contains("100.00%"), "{told}");
}

/// Queries of all editors compile against the grammar, and capture something.
#[test]
fn queries_fit_the_grammar() {
    let Some(cli) = TreeSitter::find() else { return };
    let sample = root().join("editors/tree-sitter-rubric/test/highlight/answer.rubric");
    let all = files(&root().join("editors"), ".scm");
    assert!(all.len() > 10, "{all:?}");
    for query in all {
        let (passed, told) = cli.run(&["query", &query.display().to_string(), &sample.display().to_string()]);
        assert!(passed, "{}: {told}", query.display());
        assert!(told.contains("capture: "), "{}: {told}", query.display());
    }
}

/// A query with a node that the grammar has not is refused, so that the test above can fail.
#[test]
fn a_query_with_an_unknown_node_is_refused() {
    let Some(cli) = TreeSitter::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let query = folder.path().join("x.scm");
    std::fs::write(&query, "(no_such_node) @keyword").unwrap();
    let sample = files(&root().join("examples"), ".rubric").pop().unwrap();
    let (passed, told) = cli.run(&["query", &query.display().to_string(), &sample.display().to_string()]);
    assert!(!passed && told.contains("no_such_node"), "{told}");
}

/// A whole file coloured by the CLI: as HTML, every example, without a failure and with the colours that matter.
#[test]
fn examples_are_coloured() {
    let Some(cli) = TreeSitter::find() else { return };
    for path in files(&root().join("examples"), ".rubric") {
        let (passed, told) = cli.run(&["highlight", "--html", &path.display().to_string()]);
        assert!(passed && told.contains("<span class='keyword'>rubric</span>"), "{}: {told}", path.display());
    }
}
