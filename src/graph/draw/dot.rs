//! The picture for Graphviz.

use super::{Picture, Shape, picture, short};
use crate::graph::Program;

/// Characters of a label's words.
const LONGEST: usize = 120;

/// A program as a Graphviz digraph, from the questions up to the readouts.
#[must_use]
pub fn dot(program: &Program) -> String {
    let p = picture(program);
    let mut out = format!("digraph {} {{\n", quoted(&p.title));
    out.push_str("  rankdir=BT;\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=9];\n");
    frames(&p, &mut out);
    for arrow in &p.arrows {
        let label = super::mermaid::arrow_label(arrow);
        let style = if matches!(arrow.port, "trigger" | "condition" | "when") { ", style=dashed" } else { "" };
        out.push_str(&format!("  n{} -> n{} [label={}{style}];\n", arrow.from, arrow.to, quoted(&label)));
    }
    out.push_str("}\n");
    out
}

/// Boxes, those of a checklist inside its cluster. Groups are nested through an explicit stack.
fn frames(p: &Picture, out: &mut String) {
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); p.frames.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); p.frames.len()];
    for (at, mark) in p.marks.iter().enumerate() {
        match mark.frame.and_then(|f| inside.get_mut(f)) {
            Some(list) => list.push(at),
            None => out.push_str(&format!("  {}\n", mark_line(p, at))),
        }
    }
    let mut stack = Vec::new();
    for (at, frame) in p.frames.iter().enumerate().rev() {
        match frame.parent.and_then(|parent| children.get_mut(parent)) {
            Some(list) => list.push(at),
            None => stack.push((at, false)),
        }
    }
    while let Some((at, close)) = stack.pop() {
        if close {
            out.push_str("  }\n");
            continue;
        }
        let title = p.frames.get(at).map_or("", |f| f.title.as_str());
        out.push_str(&format!(
            "  subgraph cluster_{at} {{\n  label={};\n  style=rounded;\n",
            quoted(&short(title, LONGEST))
        ));
        for mark in inside.get(at).into_iter().flatten() {
            out.push_str(&format!("  {}\n", mark_line(p, *mark)));
        }
        stack.push((at, true));
        stack.extend(children.get(at).into_iter().flatten().map(|child| (*child, false)));
    }
}

fn mark_line(p: &Picture, at: usize) -> String {
    let Some(mark) = p.marks.get(at) else { return String::new() };
    let shape = match mark.shape {
        Shape::Criterion => "box, style=rounded",
        Shape::Transform => "ellipse",
        Shape::Reduce => "trapezium",
        Shape::Gate => "hexagon",
        Shape::Expression => "oval, style=dashed",
        Shape::Readout => "note",
    };
    let sink = if at == p.sink { ", penwidth=2" } else { "" };
    let label = format!("{}\n{}\n{}", mark.name, short(&mark.words, LONGEST), mark.ty);
    format!("n{at} [shape={shape}{sink}, label={}];", quoted(label.trim_end()))
}

/// A quoted string: quotes and backslashes escaped, line breaks as `\n`, other control characters dropped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
