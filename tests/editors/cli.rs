//! The tree-sitter CLI: generates the parser into a folder of its own, so that the project's is not touched, and runs there.

use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The version that generates the parser which is kept.
pub const VERSION: &str = "0.27.1";

/// A node of tree-sitter's tree.
#[derive(Debug, Clone)]
pub struct Raw {
    pub kind: String,
    pub field: Option<String>,
    pub range: (usize, usize),
    pub children: Vec<Raw>,
}

pub struct TreeSitter {
    program: PathBuf,
    version: String,
    folder: tempfile::TempDir,
}

static FOUND: LazyLock<Option<TreeSitter>> = LazyLock::new(|| {
    let named = std::env::var_os("RUBRIC_TREE_SITTER");
    let program = PathBuf::from(named.clone().unwrap_or_else(|| "tree-sitter".into()));
    let Ok(output) = Command::new(&program).arg("--version").output() else {
        assert!(named.is_none(), "RUBRIC_TREE_SITTER names no program");
        eprintln!("SKIPPED: the tree-sitter CLI is not installed (.ci/run installs it)");
        return None;
    };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let found = TreeSitter { program, version, folder: tempfile::tempdir().unwrap() };
    copy(&root().join("editors/tree-sitter-rubric"), found.folder.path());
    let (made, told) = found.run(&["generate"]);
    assert!(made, "{told}");
    // Compiles the parser, which the tests at work at the same time then share.
    let sample = crate::files(&root().join("examples"), ".rubric").pop().unwrap();
    let (compiled, told) = found.run(&["parse", "--quiet", &sample.display().to_string()]);
    assert!(compiled, "{told}");
    Some(found)
});

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

impl TreeSitter {
    /// `None` where it is not installed, which is said.
    pub fn find() -> Option<&'static TreeSitter> {
        FOUND.as_ref()
    }

    pub fn is_pinned(&self) -> bool {
        self.version.contains(VERSION)
    }

    pub fn generated_parser(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("src/parser.c")).unwrap()
    }

    /// Runs it on the grammar. Whether it succeeded, and what it said.
    pub fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new(&self.program)
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .env("TREE_SITTER_LIBDIR", self.folder.path().join("lib"))
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }

    /// The trees of texts, in order; `None` for one with an error.
    pub fn parse(&self, texts: &[&str]) -> Vec<Option<Raw>> {
        let folder = tempfile::tempdir().unwrap();
        let mut list = String::new();
        for (n, text) in texts.iter().enumerate() {
            let path = folder.path().join(format!("{n:05}.rubric"));
            std::fs::write(&path, text).unwrap();
            list.push_str(&format!("{}\n", path.display()));
        }
        let paths = folder.path().join("paths");
        std::fs::write(&paths, list).unwrap();
        let output = self.run(&["parse", "--paths", &paths.display().to_string()]).1;
        let mut trees: Vec<(String, bool)> = Vec::new();
        for line in output.lines() {
            if line.starts_with('(') {
                trees.push((String::new(), false));
            }
            let Some(tree) = trees.last_mut() else { continue };
            // Behind a tree with an error stands a line with the name of its file.
            match line.starts_with(['(', ' ']) {
                true => tree.0.push_str(&format!("{line}\n")),
                false => tree.1 |= line.contains(".rubric"),
            }
        }
        let trees = trees.iter().zip(texts);
        trees.map(|((tree, broken), text)| (!broken).then(|| Reader::new(tree, text).node(None))).collect()
    }
}

/// Reads what `tree-sitter parse` prints: `(kind [row, column] - [row, column] field: (…))`; columns are bytes.
struct Reader<'a> {
    rest: &'a str,
    /// Where each line of the text begins.
    lines: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(tree: &'a str, text: &str) -> Reader<'a> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Reader { rest: tree, lines }
    }

    fn skip(&mut self, sign: &str) {
        self.rest = self.rest.trim_start().strip_prefix(sign).unwrap_or_else(|| panic!("{sign} before {}", self.rest));
    }

    fn word(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        self.rest = &text[end..];
        &text[..end]
    }

    fn point(&mut self) -> usize {
        self.skip("[");
        let row: usize = self.word().parse().unwrap();
        self.skip(",");
        let column: usize = self.word().parse().unwrap();
        self.skip("]");
        self.lines[row] + column
    }

    fn node(&mut self, field: Option<String>) -> Raw {
        self.skip("(");
        let kind = self.word().to_owned();
        let start = self.point();
        self.skip("-");
        let end = self.point();
        let mut children = Vec::new();
        loop {
            let rest = self.rest.trim_start();
            if rest.starts_with(')') {
                self.skip(")");
                return Raw { kind, field, range: (start, end), children };
            }
            let field = (!rest.starts_with('(')).then(|| self.word().to_owned());
            if field.is_some() {
                self.skip(":");
            }
            children.push(self.node(field));
        }
    }
}
