//! The picture in words: a tree from the sink to the questions, then the readouts.
//!
//! A node that several others read is drawn where it is met first and named afterwards. The walk keeps its own stack; beyond
//! [`DEEPEST`] levels a branch goes on in a tree of its own, so that lines stay readable and the whole stays linear.

use super::{Picture, Shape, picture, short};
use crate::graph::Program;
use std::collections::VecDeque;

/// Levels of one tree.
const DEEPEST: usize = 24;

/// Characters of a question.
const LONGEST: usize = 100;

/// A program as an indented tree.
#[must_use]
pub fn text(program: &Program) -> String {
    let picture = picture(program);
    let mut out = format!("{}\n", picture.title);
    for line in picture.doc.lines() {
        out.push_str(&format!("{line}\n"));
    }
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); picture.marks.len()];
    for (at, arrow) in picture.arrows.iter().enumerate() {
        into.get_mut(arrow.to).map(|list| list.push(at)).unwrap_or_default();
    }
    let is = |at: &usize, shape: Shape| picture.marks.get(*at).is_some_and(|m| m.shape == shape);
    let readouts: Vec<usize> = (0..picture.marks.len()).filter(|at| is(at, Shape::Readout)).collect();
    let mut queue = VecDeque::from([picture.sink]);
    queue.extend(picture.arrows.iter().filter(|a| is(&a.to, Shape::Readout)).map(|a| a.from));
    queue.extend((0..picture.marks.len()).filter(|at| picture.marks.get(*at).is_some_and(|m| m.observed)));
    // What only breaks ties.
    let read = readers(&picture);
    queue.extend((0..picture.marks.len()).filter(|at| read.get(*at) == Some(&false) && !is(at, Shape::Readout)));
    let mut drawn = vec![false; picture.marks.len()];
    while let Some(root) = queue.pop_front() {
        if drawn.get(root) != Some(&false) {
            continue;
        }
        out.push('\n');
        let later = tree(&picture, &into, root, &mut drawn, &mut out);
        later.into_iter().rev().for_each(|at| queue.push_front(at));
    }
    out.push('\n');
    for (first, at) in readouts.iter().enumerate().map(|(n, at)| (n == 0, at)) {
        let Some(mark) = picture.marks.get(*at) else { continue };
        out.push_str(if first { "What comes out\n" } else { "" });
        out.push_str(&format!("  {}: {}\n", mark.name, short(&mark.words, LONGEST * 2)));
    }
    out
}

/// Whether some operator reads a mark.
fn readers(picture: &Picture) -> Vec<bool> {
    let mut out = vec![false; picture.marks.len()];
    for arrow in &picture.arrows {
        if picture.marks.get(arrow.to).is_some_and(|m| m.shape != Shape::Readout) {
            out.get_mut(arrow.from).map(|b| *b = true).unwrap_or_default();
        }
    }
    out
}

/// Draws the tree of `root`; gives the marks that go on in trees of their own.
fn tree(picture: &Picture, into: &[Vec<usize>], root: usize, drawn: &mut [bool], out: &mut String) -> Vec<usize> {
    let mut later = Vec::new();
    // Mark, what stands before its own line and before its children's, the words of its arrow, level.
    let mut stack: Vec<(usize, String, String, String, usize)> =
        vec![(root, String::new(), String::new(), String::new(), 0)];
    while let Some((at, before, below, arrow, level)) = stack.pop() {
        let Some(mark) = picture.marks.get(at) else { continue };
        let again = drawn.get(at) == Some(&true);
        let cut = !again && level >= DEEPEST && into.get(at).is_some_and(|list| !list.is_empty());
        out.push_str(&before);
        out.push_str(&arrow);
        if again {
            out.push_str(&format!("{} (above)\n", mark.name));
            continue;
        }
        if cut {
            out.push_str(&format!("{} (below)\n", mark.name));
            later.push(at);
            continue;
        }
        out.push_str(&line(picture, at));
        out.push('\n');
        drawn.get_mut(at).map(|b| *b = true).unwrap_or_default();
        let arrows = into.get(at).map_or(&[][..], Vec::as_slice);
        for (place, arrow) in arrows.iter().enumerate().rev() {
            let Some(arrow) = picture.arrows.get(*arrow) else { continue };
            let last = place + 1 == arrows.len();
            let own = format!("{below}{}", if last { "└─ " } else { "├─ " });
            let next = format!("{below}{}", if last { "   " } else { "│  " });
            stack.push((arrow.from, own, next, arrow_words(arrow), level + 1));
        }
    }
    later
}

/// What an arrow says before the box it comes from.
fn arrow_words(arrow: &super::Arrow) -> String {
    match (&arrow.weight, arrow.port) {
        (Some(weight), _) if weight.is_negative() => format!("[{}] ", weight.exact()),
        (Some(weight), _) => format!("[+{}] ", weight.exact()),
        (None, "trigger" | "when") => "when: ".to_owned(),
        (None, "x" | "base" | "left" | "right") => String::new(),
        (None, port) => format!("{port}: "),
    }
}

fn line(picture: &Picture, at: usize) -> String {
    let Some(mark) = picture.marks.get(at) else { return String::new() };
    let words = short(&mark.words, LONGEST);
    let mut out = match mark.shape {
        Shape::Criterion => {
            let asked = if mark.judge.is_empty() { format!("“{words}”") } else { words.clone() };
            match mark.judge.strip_prefix("computed: ") {
                Some(rule) if short(rule, LONGEST) == words => format!("{}: computed, {words}", mark.name),
                _ if words.is_empty() => format!("{}: {}", mark.name, short(&mark.judge, LONGEST)),
                _ if mark.judge.is_empty() => format!("{}: {asked}", mark.name),
                _ if mark.judge == "read from the record" => format!("{words} (read from the record)"),
                _ => format!("{}: “{asked}” ({})", mark.name, short(&mark.judge, LONGEST)),
            }
        }
        _ if mark.nested => words,
        _ => format!("{}: {words}", mark.name),
    };
    out.push_str(&format!("  {}", mark.ty));
    if mark.nested {
        out.push_str(&format!("  ({})", mark.name));
    }
    if mark.observed {
        out.push_str("  (observed)");
    }
    out
}
