//! PaperBench: trees of requirements with integer weights, graded or not, as one JSON object per paper.
//!
//! An inner node becomes a group with its weight, a leaf an item whose points are its weight, the root the checklist; the
//! score is `tree(…)`. A graded tree also gives a record whose judgments are the leaves' scores: 1 is met, 0 is not, and
//! anything else is refused, since an item is met or it is not. (Field names: openai/frontier-evals, `TaskNode`.)

use super::names::Names;
use super::{doc, literal};
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;

/// How deep a tree may be; the published ones reach 7.
const MOST_DEPTH: usize = 60;

/// A tree as a program, and its recorded judgments where it is graded.
#[derive(Debug, Clone)]
pub struct Imported {
    pub program: String,
    /// One record: `{"id": …, "judgments": {"paper.leaf": true, …}}`; `None` where no leaf carries a score.
    pub record: Option<Json>,
    /// Nodes, leaves and depth (the root's is 0) of the tree.
    pub shape: [usize; 3],
    /// For every inner node below the root: the id in the file, and the node of our program that has its score.
    pub inner: Vec<(String, String)>,
}

/// What is wrong with a tree, and where: `path` leads from the root by ids.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct TreeError {
    pub path: String,
    pub message: String,
}

struct Walk {
    names: Names,
    text: String,
    judgments: Map<String, Json>,
    leaves: usize,
    graded: usize,
    nodes: usize,
    depth: usize,
    inner: Vec<(String, String)>,
    errors: Vec<TreeError>,
}

/// Turns a tree into a program called `name`.
///
/// # Errors
/// Every fault of the tree, each with its path.
pub fn import(tree: &Json, name: &str) -> Result<Imported, Vec<TreeError>> {
    let mut walk = Walk {
        names: Names::new(),
        text: String::new(),
        judgments: Map::new(),
        leaves: 0,
        graded: 0,
        nodes: 0,
        depth: 0,
        inner: Vec::new(),
        errors: Vec::new(),
    };
    let root = Place { path: "the root".to_owned(), groups: String::new(), depth: 0 };
    let requirements = walk.root(tree, &root);
    if walk.errors.is_empty() && walk.graded != 0 && walk.graded != walk.leaves {
        let message =
            format!("{} of {} leaves have a score; a tree is graded whole or not at all", walk.graded, walk.leaves);
        walk.errors.push(TreeError { path: root.path, message });
    }
    if !walk.errors.is_empty() {
        return Err(walk.errors);
    }
    let name = super::names::name_of(name);
    let program = format!(
        "{}rubric {name}\n\nreference paper_text: text?\ncandidate submission: text?\n\nchecklist paper {{\n{}}}\n\n\
         reduce replication = tree(paper)\n\nreadout pointwise = replication\n",
        doc(&requirements, ""),
        walk.text
    );
    let record = (walk.graded > 0).then(|| {
        let mut record = Map::new();
        record.insert("id".to_owned(), Json::String(name.clone()));
        record.insert("judgments".to_owned(), Json::Object(walk.judgments));
        Json::Object(record)
    });
    Ok(Imported { program, record, shape: [walk.nodes, walk.leaves, walk.depth], inner: walk.inner })
}

/// Where the walk is.
struct Place {
    /// For messages.
    path: String,
    /// The ids of the groups that lead here, each with a dot before it.
    groups: String,
    depth: usize,
}

impl Walk {
    fn error(&mut self, at: &Place, message: impl Into<String>) {
        self.errors.push(TreeError { path: at.path.clone(), message: message.into() });
    }

    fn root(&mut self, tree: &Json, at: &Place) -> String {
        let Some(node) = tree.as_object() else {
            self.error(at, "a tree is a JSON object with `requirements` and `sub_tasks`");
            return String::new();
        };
        self.nodes += 1;
        match children(node) {
            Some(children) => {
                for (n, child) in children.iter().enumerate() {
                    self.node(child, at, n);
                }
            }
            None => self.leaf(node, &Place { path: at.path.clone(), groups: String::new(), depth: 1 }, "root"),
        }
        self.requirements(node, at)
    }

    fn node(&mut self, node: &Json, parent: &Place, number: usize) {
        let id = node.get("id").and_then(Json::as_str).map_or_else(|| format!("child {}", number + 1), str::to_owned);
        let mut at =
            Place { path: format!("{} > {id}", parent.path), groups: parent.groups.clone(), depth: parent.depth + 1 };
        if at.depth > MOST_DEPTH {
            self.error(&at, format!("the tree is deeper than {MOST_DEPTH} levels"));
            return;
        }
        let Some(node) = node.as_object() else {
            self.error(&at, "a node is a JSON object");
            return;
        };
        self.nodes += 1;
        self.depth = self.depth.max(at.depth);
        let Some(children) = children(node) else {
            self.leaf(node, &at, &id);
            return;
        };
        let name = self.names.take(&id);
        let indent = "  ".repeat(at.depth);
        let weight = self.weight(node, &at);
        let requirements = self.requirements(node, &at);
        at.groups = format!("{}.{name}", at.groups);
        self.inner.push((id, format!("replication{}", at.groups)));
        let _ = writeln!(self.text, "{indent}group {name} weight {weight} {} {{", literal(&requirements));
        for (n, child) in children.iter().enumerate() {
            self.node(child, &at, n);
        }
        let _ = writeln!(self.text, "{indent}}}");
    }

    fn leaf(&mut self, node: &Map<String, Json>, at: &Place, id: &str) {
        self.leaves += 1;
        let name = self.names.take(id);
        let weight = self.weight(node, at);
        let requirements = self.requirements(node, at);
        let tag = match node.get("task_category").and_then(Json::as_str) {
            Some(category) => format!(" {{ tag category {} }}", literal(category)),
            None => String::new(),
        };
        let indent = "  ".repeat(at.depth);
        let _ = writeln!(self.text, "{indent}+{weight} {name} {}{tag}", literal(&requirements));
        match node.get("score") {
            None | Some(Json::Null) => {}
            Some(score) => match score.as_f64() {
                Some(s) if s == 0.0 || s == 1.0 => {
                    self.graded += 1;
                    self.judgments.insert(format!("paper.{name}"), Json::Bool(s == 1.0));
                }
                _ => self.error(at, format!("a leaf's score is 0 or 1, not {score}")),
            },
        }
    }

    fn weight(&mut self, node: &Map<String, Json>, at: &Place) -> String {
        match node.get("weight") {
            Some(Json::Number(n)) if n.as_f64().is_some_and(|w| w > 0.0) => n.to_string(),
            Some(other) => {
                self.error(at, format!("`weight` is a number above 0, not {other}"));
                "1".to_owned()
            }
            None => {
                self.error(at, "`weight` is missing");
                "1".to_owned()
            }
        }
    }

    fn requirements(&mut self, node: &Map<String, Json>, at: &Place) -> String {
        match node.get("requirements").and_then(Json::as_str).map(str::trim) {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => {
                self.error(at, "`requirements`, the text that says what must hold, is missing");
                String::new()
            }
        }
    }
}

/// The children of an inner node; a node without any is a leaf.
fn children(node: &Map<String, Json>) -> Option<&Vec<Json>> {
    node.get("sub_tasks").and_then(Json::as_array).filter(|list| !list.is_empty())
}
