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
use rubric_lang::syntax::token::Kind;
use rubric_lang::syntax::{self, ast};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many damaged programs are compared.
const DAMAGED: usize = 4_000;

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
    let wrong = compare(cli, &texts(), 150, 30);
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where both parsers do not say the same of a text. At least so many are to be without fault, and so many with.
fn compare(cli: &TreeSitter, texts: &[(String, String)], least_clean: usize, least_faulty: usize) -> Vec<String> {
    let parsed = cli.parse(&texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
    assert_eq!(parsed.len(), texts.len());
    let (mut clean, mut faulty, mut wrong) = (0, 0, Vec::new());
    for ((name, text), tree) in texts.iter().zip(&parsed) {
        let header = tree.as_ref().is_some_and(|tree| tree.children.iter().any(|c| c.kind == "header"));
        let (reported, file) = read(name, text, header);
        match tree {
            None if reported.is_empty() => wrong.push(format!("{name}: an error in tree-sitter's tree alone\n{text}")),
            Some(tree) if !reported.is_empty() => {
                let codes: Vec<String> = reported.iter().map(|d| d.code.to_string()).collect();
                if reported.iter().any(|d| !is_beyond_grammar(d, &found::tree(tree, text))) {
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
    assert!(clean >= least_clean && faulty >= least_faulty, "{clean} without faults, {faulty} with");
    wrong
}

/// What a grammar cannot say: how many levels and digits, that a sum is no slot of a weighted mean, and which sign stands
/// between the labels of an `ordinal` where an expression stands, since an operator may be called so too.
fn is_beyond_grammar(reported: &Diagnostic, tree: &Node) -> bool {
    fn is_in_type(node: &Node, at: usize) -> bool {
        let here = node.range.0 <= at && at < node.range.1;
        here && (node.kind == "type_expression" || node.children.iter().any(|child| is_in_type(child, at)))
    }
    match reported.code {
        Code::TOO_DEEP | Code::NUMBER | Code::WEIGHT => true,
        Code::LABELS => is_in_type(tree, reported.span().start as usize),
        _ => false,
    }
}

/// Programs with one token gone, doubled, or replaced by one from elsewhere: both parsers find the same ones faulty, and where
/// neither does, the trees are the same.
#[test]
fn both_parsers_refuse_the_same() {
    let Some(cli) = TreeSitter::find() else { return };
    let clean: Vec<(String, String)> =
        texts().into_iter().filter(|(name, text)| text.len() < 4_000 && read(name, text, false).0.is_empty()).collect();
    let tokens = |text: &str| -> Vec<(Kind, usize, usize)> {
        let all = syntax::token::lex(text).into_iter().filter(|t| !t.kind.is_trivia());
        all.map(|t| (t.kind, t.start as usize, t.end as usize)).collect()
    };
    let pool: Vec<(Kind, &str)> =
        clean.iter().flat_map(|(_, t)| tokens(t).into_iter().map(|(kind, a, b)| (kind, &t[a..b]))).collect();
    let mut of_kind: BTreeMap<Kind, Vec<&str>> = BTreeMap::new();
    for (kind, token) in &pool {
        of_kind.entry(*kind).or_default().push(token);
    }
    // A small generator, so that every run sees the same.
    let mut seed = 1_u64;
    let mut roll = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n.max(1)
    };
    let mut damaged = Vec::new();
    for _ in 0..DAMAGED {
        let (name, text) = &clean[roll(clean.len())];
        let all = tokens(text);
        let (kind, start, end) = all[roll(all.len())];
        let same = &of_kind[&kind];
        let new = match roll(8) {
            0 => String::new(),
            1 => format!("{0} {0}", &text[start..end]),
            2 => format!("{} {}", &text[start..end], pool[roll(pool.len())].1),
            3 => pool[roll(pool.len())].1.to_owned(),
            _ => same[roll(same.len())].to_owned(),
        };
        damaged.push((name.clone(), format!("{} {new} {}", &text[..start], &text[end..])));
    }
    let wrong = compare(cli, &damaged, 500, 1_000);
    assert!(wrong.is_empty(), "{} of {DAMAGED}:\n{}", wrong.len(), wrong.join("\n"));
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
