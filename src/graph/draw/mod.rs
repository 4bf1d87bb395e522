//! Pictures of a program for people who own the policy: in words as an indented tree, and as Graphviz, Mermaid and plain JSON
//! graphs; as SVG laid out.
//!
//! All of them print one [`Picture`], which knows nothing of any format: boxes with words, arrows with the port or weight they
//! carry, checklists and groups as frames. Only [`svg()`] computes a layout.

mod dot;
mod mermaid;
mod svg;
mod text;
mod words;

use super::{NodeKind, Origin, Program};
use crate::catalog::{Input, NodeId};
use crate::number::Number;
use serde::Serialize;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::{Said, svg, svg_of_record};
pub use text::text;

/// What a box stands for, which decides its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    Criterion,
    Transform,
    Reduce,
    Gate,
    Expression,
    Readout,
}

/// A box.
#[derive(Debug, Clone, Serialize)]
pub struct Mark {
    /// The node's name; of a readout its key.
    pub name: String,
    pub shape: Shape,
    /// What it asks or does, in words.
    pub words: String,
    /// Its type.
    pub ty: String,
    /// The frame it stands in (index in [`Picture::frames`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<usize>,
    /// Of an item: its points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Number>,
    /// How it is judged or computed, where that is no plain question to a model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub judge: String,
    /// Kept in the results though the score does not use it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
    /// Written inside the node that reads it; its name is only its place there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nested: bool,
}

/// An arrow from one box to another (indexes in [`Picture::marks`]).
#[derive(Debug, Clone, Serialize)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub port: &'static str,
    /// From 1.
    pub slot: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Number>,
}

/// A checklist or one of its groups.
#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// A program as boxes, arrows and frames. The first marks are the program's nodes, in their order; the readouts follow.
#[derive(Debug, Clone, Serialize)]
pub struct Picture {
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    pub marks: Vec<Mark>,
    pub arrows: Vec<Arrow>,
    pub frames: Vec<Frame>,
    /// The sink (index in `marks`).
    pub sink: usize,
}

/// The picture of a program.
#[must_use]
pub fn picture(program: &Program) -> Picture {
    let phrases = super::text::Phrases::new(program);
    let mut frames = Vec::new();
    let mut frame_of = vec![None; program.nodes.len()];
    let mut points_of: Vec<Option<Number>> = vec![None; program.nodes.len()];
    let mut set = |id: NodeId, frame: usize| {
        if let Some(slot) = frame_of.get_mut(id.index()) {
            *slot = Some(frame);
        }
    };
    for list in &program.checklists {
        let root = frames.len();
        frames.push(Frame { title: list.name.to_string(), parent: None });
        for group in &list.groups {
            let title = if group.text.is_empty() { &group.id } else { &group.text };
            frames.push(Frame { title: title.to_string(), parent: Some(group.parent.map_or(root, |p| root + 1 + p)) });
        }
        for item in &list.items {
            set(item.node, item.group.map_or(root, |g| root + 1 + g));
            if let Some(points) = points_of.get_mut(item.node.index()) {
                *points = Some(item.points.clone());
            }
        }
        list.from.into_iter().for_each(|id| set(id, root));
    }
    let mut marks: Vec<Mark> = Vec::with_capacity(program.nodes.len());
    let mut arrows = Vec::new();
    for (at, node) in program.nodes.iter().enumerate() {
        let (shape, judge) = match &node.kind {
            NodeKind::Criterion(c) => (Shape::Criterion, words::judge(&c.procedure, c.origin == Origin::Implied)),
            NodeKind::Items { template, .. } => (Shape::Criterion, words::judge(&template.procedure, false)),
            NodeKind::Operator(operation) => {
                for port in &operation.ports {
                    for (slot, input) in port.inputs.iter().enumerate() {
                        let Input::Node(id) = input else { continue };
                        let weight = (port.name == "x").then(|| operation.params.weights.get(slot).cloned()).flatten();
                        arrows.push(Arrow { from: id.index(), to: at, port: port.name, slot: slot + 1, weight });
                    }
                }
                (words::shape(operation.op), String::new())
            }
        };
        marks.push(Mark {
            name: node.name.to_string(),
            shape,
            words: words::node(program, &phrases, node),
            ty: node.ty.to_string(),
            frame: frame_of.get(at).copied().flatten(),
            points: points_of.get(at).cloned().flatten(),
            judge,
            observed: false,
            nested: phrases.nested(NodeId(u32::try_from(at).unwrap_or(u32::MAX))),
        });
    }
    for id in &program.observed {
        marks.get_mut(id.index()).map(|m| m.observed = true).unwrap_or_default();
    }
    for readout in &program.readouts {
        let to = marks.len();
        arrows.push(Arrow { from: readout.source.index(), to, port: "source", slot: 1, weight: None });
        marks.push(Mark {
            name: readout.key().to_owned(),
            shape: Shape::Readout,
            words: words::readout(program, &phrases, readout),
            ty: if readout.mode == super::Mode::Pointwise { readout.ty.to_string() } else { String::new() },
            frame: None,
            points: None,
            judge: String::new(),
            observed: false,
            nested: false,
        });
    }
    Picture {
        title: program.name.to_string(),
        doc: program.doc.to_string(),
        marks,
        arrows,
        frames,
        sink: program.sink.index(),
    }
}

/// A step of drawing marks and frames in their nesting.
pub(super) enum Outline {
    Mark(usize),
    /// A frame begins.
    Open(usize),
    /// The frame that was opened last ends.
    Close,
}

impl Picture {
    /// Marks outside all frames, then the frames, each with its own marks and then its inner frames. Frames are nested through
    /// an explicit stack, as deep as they may be.
    fn outline(&self) -> Vec<Outline> {
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); self.frames.len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.frames.len()];
        let mut steps = Vec::new();
        for (at, mark) in self.marks.iter().enumerate() {
            match mark.frame.and_then(|f| inside.get_mut(f)) {
                Some(list) => list.push(at),
                None => steps.push(Outline::Mark(at)),
            }
        }
        let mut stack = Vec::new();
        for (at, frame) in self.frames.iter().enumerate().rev() {
            match frame.parent.and_then(|parent| children.get_mut(parent)) {
                Some(list) => list.push(at),
                None => stack.push((at, false)),
            }
        }
        while let Some((at, close)) = stack.pop() {
            if close {
                steps.push(Outline::Close);
                continue;
            }
            steps.push(Outline::Open(at));
            steps.extend(inside.get(at).into_iter().flatten().map(|mark| Outline::Mark(*mark)));
            stack.push((at, true));
            stack.extend(children.get(at).into_iter().flatten().map(|child| (*child, false)));
        }
        steps
    }

    /// The title of a frame, as far as a box has room for it.
    fn title_of(&self, frame: usize) -> String {
        short(self.frames.get(frame).map_or("", |f| f.title.as_str()), LONGEST)
    }
}

impl Arrow {
    /// What the arrow carries: its weight, or the port where the words of the box do not say it.
    fn label(&self) -> String {
        match (&self.weight, self.port) {
            (Some(weight), _) => weight.exact(),
            (None, "x" | "base" | "source") => String::new(),
            (None, "trigger") => "when".to_owned(),
            (None, port) => port.to_owned(),
        }
    }

    /// Whether it carries a condition rather than what is computed with.
    fn is_condition(&self) -> bool {
        matches!(self.port, "trigger" | "condition" | "when")
    }
}

impl Mark {
    /// The lines of its box: name, words, type.
    fn label(&self) -> String {
        format!("{}\n{}\n{}", self.name, short(&self.words, LONGEST), self.ty).trim_end().to_owned()
    }
}

/// Characters of a label's words.
const LONGEST: usize = 120;

/// The picture as a JSON graph without a layout; ends in a line break.
#[must_use]
pub fn json(program: &Program) -> String {
    let value = serde_json::to_value(picture(program)).unwrap_or(serde_json::Value::Null);
    super::json::pretty(&value) + "\n"
}

/// A text cut to a length, on one line.
fn short(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).collect::<String>().trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests;
