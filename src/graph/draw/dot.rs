//! The picture for Graphviz.

use super::{Outline, Picture, Shape, picture};
use crate::graph::Program;

/// A program as a Graphviz digraph, from the questions up to the readouts.
#[must_use]
pub fn dot(program: &Program) -> String {
    let p = picture(program);
    let mut out = format!("digraph {} {{\n", quoted(&p.title));
    out.push_str("  rankdir=BT;\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=9];\n");
    for step in p.outline() {
        match step {
            Outline::Mark(at) => out.push_str(&format!("  {}\n", mark_line(&p, at))),
            Outline::Open(at) => {
                let title = quoted(&p.title_of(at));
                out.push_str(&format!("  subgraph cluster_{at} {{\n  label={title};\n  style=rounded;\n"));
            }
            Outline::Close => out.push_str("  }\n"),
        }
    }
    for arrow in &p.arrows {
        let label = arrow.label();
        let style = if arrow.is_condition() { ", style=dashed" } else { "" };
        out.push_str(&format!("  n{} -> n{} [label={}{style}];\n", arrow.from, arrow.to, quoted(&label)));
    }
    out.push_str("}\n");
    out
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
    format!("n{at} [shape={shape}{sink}, label={}];", quoted(&mark.label()))
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
