//! The picture for Mermaid, as Markdown viewers draw it.

use super::{Arrow, Picture, Shape, picture, short};
use crate::graph::Program;

/// Characters of a label's words.
const LONGEST: usize = 120;

/// A program as a Mermaid flowchart, from the questions up to the readouts.
#[must_use]
pub fn mermaid(program: &Program) -> String {
    let p = picture(program);
    let mut out = String::from("flowchart BT\n");
    frames(&p, &mut out);
    for arrow in &p.arrows {
        let label = arrow_label(arrow);
        let line = if matches!(arrow.port, "trigger" | "condition" | "when") { "-.->" } else { "-->" };
        let label = if label.is_empty() { label } else { format!("|\"{}\"|", escaped(&label)) };
        out.push_str(&format!("  n{} {line}{label} n{}\n", arrow.from, arrow.to));
    }
    out
}

/// What an arrow carries: its weight, or the port where the words of the box do not say it.
pub(super) fn arrow_label(arrow: &Arrow) -> String {
    match (&arrow.weight, arrow.port) {
        (Some(weight), _) => weight.exact(),
        (None, "x" | "base" | "source") => String::new(),
        (None, "trigger") => "when".to_owned(),
        (None, port) => port.to_owned(),
    }
}

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
            out.push_str("  end\n");
            continue;
        }
        let title = p.frames.get(at).map_or("", |f| f.title.as_str());
        out.push_str(&format!("  subgraph f{at}[\"{}\"]\n", escaped(&short(title, LONGEST))));
        for mark in inside.get(at).into_iter().flatten() {
            out.push_str(&format!("  {}\n", mark_line(p, *mark)));
        }
        stack.push((at, true));
        stack.extend(children.get(at).into_iter().flatten().map(|child| (*child, false)));
    }
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
    let label = format!("{}\n{}\n{}", mark.name, short(&mark.words, LONGEST), mark.ty);
    format!("n{at}{open}\"{}\"{close}", escaped(label.trim_end()))
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
