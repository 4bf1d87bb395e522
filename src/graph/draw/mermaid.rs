//! The picture for Mermaid, as Markdown viewers draw it.

use super::{Outline, Picture, Shape, picture};
use crate::graph::Program;

/// A program as a Mermaid flowchart, from the questions up to the readouts.
#[must_use]
pub fn mermaid(program: &Program) -> String {
    let p = picture(program);
    let mut out = String::from("flowchart BT\n");
    for step in p.outline() {
        match step {
            Outline::Mark(at) => out.push_str(&format!("  {}\n", mark_line(&p, at))),
            Outline::Open(at) => out.push_str(&format!("  subgraph f{at}[\"{}\"]\n", escaped(&p.title_of(at)))),
            Outline::Close => out.push_str("  end\n"),
        }
    }
    for arrow in &p.arrows {
        let label = arrow.label();
        let line = if arrow.is_condition() { "-.->" } else { "-->" };
        let label = if label.is_empty() { label } else { format!("|\"{}\"|", escaped(&label)) };
        out.push_str(&format!("  n{} {line}{label} n{}\n", arrow.from, arrow.to));
    }
    out
}

fn mark_line(p: &Picture, at: usize) -> String {
    let Some(mark) = p.marks.get(at) else { return String::new() };
    let (open, close) = match mark.shape {
        Shape::Criterion => ("[", "]"),
        Shape::Transform => ("(", ")"),
        Shape::Reduce => ("[/", "\\]"),
        Shape::Gate => ("{{", "}}"),
        Shape::Expression => ("([", "])"),
        Shape::Readout => (">", "]"),
    };
    format!("n{at}{open}\"{}\"{close}", escaped(&mark.label()))
}

/// The inside of a quoted label: everything that Mermaid or HTML could take for syntax as a character code.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '"' | '#' | '<' | '>' | '&' | '`' | ';' | '\\' | '|' => {
                out.push_str(&format!("#{};", c as u32));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
