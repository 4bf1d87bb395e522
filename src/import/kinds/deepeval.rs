//! DeepEval's DAG metric: a decision tree of judgments as JSON.
//!
//! Kept: binary judgments are yes/no criteria, others choices among their verdicts; the path of verdicts leads to a score
//! from 0 to 10, which is divided by 10. Every criterion is judged, also one that lies on no path, and a verdict node
//! that leads to another node is an `if`. Not kept: a task node's own output (an extraction that later judgments read):
//! its instruction is put before their questions; a verdict that leads to another metric (`g_eval`, …) is refused.
//! Keys: `nodes{id: {type, criteria | instructions, children[], verdict, score | child}}`, `root_nodes[]` or the one node that
//! is no child (confident-ai/deepeval; from the description and its Python classes, no real file was read).

use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::names::Names;
use super::super::part::{Fault, Part};
use crate::types::quote_label;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "deepeval",
    about: "DeepEval DAG metric (JSON): a decision tree of judgments with scores at its ends",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read,
};

/// Nodes on one way from the root; deeper trees are refused.
const DEEPEST: usize = 60;

/// Places of the tree; a node that is reached on several ways is written out on each.
const MOST_PLACES: usize = 10_000;

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let nodes = row.part.need(&["nodes"])?;
    let nodes: HashMap<&str, Part<'_>> = nodes.entries()?.into_iter().map(|(id, node)| (id.as_str(), node)).collect();
    let root = root(row, &nodes)?;
    let mut tree =
        Tree { nodes, names: Names::new(), known: HashMap::new(), text: String::new(), lost: Vec::new(), places: 0 };
    let score = tree.judgment(&root, &mut Vec::new(), "")?;
    let text = format!(
        "input     question:         text?\nreference expected_output:  text?\nreference context:          text?\n\
         candidate actual_output:    text\n\n{}transform score: score[0..1] = {score}\n\nreadout pointwise = score\n",
        tree.text
    );
    let named = Named { name: row.stem.to_owned(), doc: "The score at the end of the path, over 10.".into(), text };
    Ok(Taken { programs: vec![named], records: Vec::new(), lost: tree.lost })
}

/// The id of the node where the tree begins.
fn root(row: &Row<'_>, nodes: &HashMap<&str, Part<'_>>) -> Result<String, Fault> {
    if let Some(list) = row.part.any(&["root_nodes", "roots"]) {
        return match list.list()?.as_slice() {
            [only] => only.word(),
            several => Err(list.fault(format!("there are {} roots; a score has one", several.len()))),
        };
    }
    let mut children = HashSet::new();
    for node in nodes.values() {
        for child in node.get("children").map(|list| list.list()).transpose()?.into_iter().flatten() {
            children.insert(child.word()?);
        }
        children.extend(node.get("child").and_then(|child| child.word().ok()));
    }
    let mut roots: Vec<&&str> = nodes.keys().filter(|id| !children.contains(**id)).collect();
    roots.sort();
    match roots.as_slice() {
        [only] => Ok((**only).to_owned()),
        [] => Err(row.part.fault("the nodes lead in a circle: each is some other's child")),
        _ => Err(row.part.fault(format!("{} nodes are nobody's child; a score has one root", roots.len()))),
    }
}

struct Tree<'j> {
    nodes: HashMap<&'j str, Part<'j>>,
    names: Names,
    /// The criterion of a node, by its id and what stands before its question.
    known: HashMap<(String, String), String>,
    text: String,
    lost: Vec<String>,
    places: usize,
}

impl Tree<'_> {
    fn node(&self, id: &str) -> Option<Part<'_>> {
        self.nodes.get(id).cloned()
    }

    /// The expression of a task or judgment node.
    fn judgment(&mut self, id: &str, way: &mut Vec<String>, before: &str) -> Result<String, Fault> {
        let Some(node) = self.nodes.get(id).cloned() else {
            return Err(Fault { key: format!("nodes.{id}"), message: "there is no node of this name".to_owned() });
        };
        if way.iter().any(|known| known == id) {
            return Err(node.fault(format!("the node leads back to itself: {} > {id}", way.join(" > "))));
        }
        self.places += 1;
        if way.len() >= DEEPEST || self.places > MOST_PLACES {
            return Err(node.fault(format!("the tree is deeper than {DEEPEST} or has more than {MOST_PLACES} places")));
        }
        way.push(id.to_owned());
        let kind = node.need(&["type", "name"])?.text()?.to_lowercase();
        let children =
            node.need(&["children"])?.some()?.iter().map(|child| child.word()).collect::<Result<Vec<_>, Fault>>()?;
        let out = if kind.contains("task") {
            let [only] = children.as_slice() else {
                return Err(node.fault("a task with several children has no single score"));
            };
            self.lost
                .push(format!("the output of the task `{id}`: its instruction stands before the questions behind it"));
            let before = format!("{before}{}\n", node.need(&["instructions", "instruction"])?.text()?);
            self.judgment(only, way, &before)?
        } else if kind.contains("nonbinary") || kind.contains("non_binary") {
            self.choices(&node, id, &children, way, before)?
        } else if kind.contains("binary") {
            self.binary(&node, id, &children, way, before)?
        } else {
            return Err(node.fault(format!("`{kind}` is no task and no judgment")));
        };
        way.pop();
        Ok(out)
    }

    /// The criterion of a node, declared where it is new.
    fn criterion(&mut self, node: &Part<'_>, id: &str, ty: &str, before: &str) -> Result<String, Fault> {
        let key = (id.to_owned(), before.to_owned());
        if let Some(name) = self.known.get(&key) {
            return Ok(name.clone());
        }
        let ask = format!("{before}{}", node.need(&["criteria"])?.text()?);
        let name = self.names.take(id);
        let _ = writeln!(self.text, "criterion {name}: {ty} {{\n  ask {}\n}}\n", literal(&ask));
        self.known.insert(key, name.clone());
        Ok(name)
    }

    /// The verdict and the expression behind it.
    fn verdict(&mut self, id: &str, way: &mut Vec<String>, before: &str) -> Result<(String, String), Fault> {
        let missing = || Fault { key: format!("nodes.{id}"), message: "there is no node of this name".to_owned() };
        let node = self.nodes.get(id).cloned().ok_or_else(missing)?;
        let verdict = node.need(&["verdict"])?.word()?;
        if let Some(score) = node.get("score") {
            let number = score.number()?;
            if number.is_negative() || number > crate::number::Number::from(10_i64) {
                return Err(score.fault("a score lies between 0 and 10"));
            }
            let tenth = crate::number::Number::ratio(1, 10).ok_or_else(missing)?;
            return Ok((verdict, (&number * &tenth).to_string()));
        }
        let child = node.need(&["score", "child"])?;
        if !child.json.is_string() {
            return Err(child.fault("a verdict that leads to another metric cannot be expressed"));
        }
        let next = child.text()?;
        Ok((verdict, self.judgment(&next, way, before)?))
    }

    fn binary(
        &mut self,
        node: &Part<'_>,
        id: &str,
        children: &[String],
        way: &mut Vec<String>,
        before: &str,
    ) -> Result<String, Fault> {
        let name = self.criterion(node, id, "bool", before)?;
        let (mut yes, mut no) = (None, None);
        for child in children {
            let (verdict, then) = self.verdict(child, way, before)?;
            match verdict.to_lowercase().as_str() {
                "true" | "yes" => yes = Some(then),
                "false" | "no" => no = Some(then),
                other => return Err(node.fault(format!("`{other}` is no verdict of a binary judgment"))),
            }
        }
        match (yes, no) {
            (Some(yes), Some(no)) => Ok(format!("if {name} then {} else {}", inner(&yes), inner(&no))),
            _ => Err(node.fault("a binary judgment has a verdict for true and one for false")),
        }
    }

    fn choices(
        &mut self,
        node: &Part<'_>,
        id: &str,
        children: &[String],
        way: &mut Vec<String>,
        before: &str,
    ) -> Result<String, Fault> {
        let mut labels = Vec::new();
        for child in children {
            let verdict = self.node(child).ok_or_else(|| node.fault(format!("there is no node `{child}`")))?;
            labels.push(quote_label(&verdict.need(&["verdict"])?.word()?));
        }
        if labels.len() < 2 {
            return Err(node.fault("a judgment has at least two verdicts"));
        }
        let name = self.criterion(node, id, &format!("choice({})", labels.join(", ")), before)?;
        let mut out = String::new();
        for (n, (child, label)) in children.iter().zip(&labels).enumerate() {
            let (_, then) = self.verdict(child, way, before)?;
            if n + 1 == labels.len() {
                out.push_str(&inner(&then));
            } else {
                let _ = write!(out, "if {name} == {label} then {} else ", inner(&then));
            }
        }
        Ok(out)
    }
}

/// An expression as a branch of another.
fn inner(expression: &str) -> String {
    if expression.starts_with("if ") { format!("({expression})") } else { expression.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::{Value as Json, json};

    fn file() -> Json {
        json!({"nodes": {
            "extract": {"type": "TaskNode", "instructions": "List the headings.", "children": ["all three"]},
            "all three": {"type": "BinaryJudgementNode", "criteria": "Are all three there?", "children": ["no", "yes"]},
            "no": {"type": "VerdictNode", "verdict": false, "score": 0},
            "yes": {"type": "VerdictNode", "verdict": true, "child": "order"},
            "order": {"type": "NonBinaryJudgementNode", "criteria": "In which order?", "children": ["v1", "v2", "v3"]},
            "v1": {"type": "VerdictNode", "verdict": "Right", "score": 10},
            "v2": {"type": "VerdictNode", "verdict": "Two are wrong", "score": 4},
            "v3": {"type": "VerdictNode", "verdict": "All wrong", "score": 2}}})
    }

    #[test]
    fn a_tree_is_nested_conditions() {
        let taken = read(&FORMAT, &file(), Form::Own).unwrap();
        let text = clean(&taken.programs[0]);
        assert!(text.contains("if all_three then (if order == Right then 1 else if order == \"Two are wrong\" then 0.4 else 0.2) else 0"), "{text}");
        assert_eq!(taken.lost.len(), 1);
    }

    #[test]
    fn circles_and_loose_ends_are_named() {
        let mut circle = file();
        circle["nodes"]["no"] = json!({"type": "VerdictNode", "verdict": false, "child": "all three"});
        let told = read(&FORMAT, &circle, Form::Own).unwrap_err().to_string();
        assert!(told.contains("leads back to itself: extract > all three > all three"), "{told}");
        let mut loose = file();
        loose["nodes"]["yes"]["child"] = json!("nowhere");
        assert!(read(&FORMAT, &loose, Form::Own).unwrap_err().to_string().contains("2 nodes are nobody's child"));
        loose["root_nodes"] = json!(["extract"]);
        assert_eq!(read(&FORMAT, &loose, Form::Own).unwrap_err().key, "nodes.nowhere");
        let mut metric = file();
        metric["root_nodes"] = json!(["extract"]);
        metric["nodes"]["yes"]["child"] = json!({"type": "g_eval"});
        assert!(read(&FORMAT, &metric, Form::Own).unwrap_err().to_string().contains("another metric"));
    }
}
