//! The picture as SVG: boxes in layers from the questions on the left to the readouts on the right.
//!
//! Each kind of node has its shape, gates stand out, conditions are dashed, weights stand on their arrows and types in their boxes.
//! What is too long is cut and stands whole in the tip of its box. Colours follow `prefers-color-scheme`. Words are measured
//! by a table of widths, since no font is asked: a font that runs wider than usual touches the edge of its box.

mod layout;
mod scene;

use super::{Picture, Shape, picture};
use crate::graph::Program;
use layout::{Edge, Point, Size};
use scene::State;
use scene::{Card, Scene};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar as _;

const LINE: f64 = 16.0;
const PAD: f64 = 10.0;
/// Around the picture.
const MARGIN: f64 = 24.0;
/// The widest line of words, and the most lines of a box.
const WIDEST: f64 = 230.0;
const LINES: usize = 3;
const ROW: f64 = 17.0;
/// Beside the words of a gate, whose ends are points.
const POINTED: f64 = 12.0;

const STYLE: &str = "\
svg{--back:#fff;--ink:#1c2430;--soft:#5a6472;--line:#8a95a5;--criterion:#e8f0fb;--criterion-line:#4a78b5;--transform:#f3f4f6;\
--transform-line:#8a95a5;--reduce:#eaf6ec;--reduce-line:#4c9160;--gate:#fdeee2;--gate-line:#c2631b;--readout:#f3ecfb;--readout-line:#7d55b3}\
@media(prefers-color-scheme:dark){svg{--back:#14181f;--ink:#e6eaf0;--soft:#9aa5b4;--line:#6d7889;--criterion:#1b2a40;--criterion-line:#6f9fdd;\
--transform:#222831;--transform-line:#7b8797;--reduce:#1a2f21;--reduce-line:#67b47d;--gate:#3a2617;--gate-line:#e08b45;--readout:#2a2138;\
--readout-line:#a988d9}}\
text{font:12px ui-sans-serif,system-ui,'Helvetica Neue',Arial,sans-serif;fill:var(--ink)}\
.back{fill:var(--back)}.name{font-weight:600}.soft,.label,.type{fill:var(--soft)}.type,.label{font-size:11px}.group{font-weight:600;font-size:11px}\
.box{stroke-width:1.3}.criterion .box{fill:var(--criterion);stroke:var(--criterion-line)}\
.transform .box,.expression .box{fill:var(--transform);stroke:var(--transform-line)}.expression .box{stroke-dasharray:4 3}\
.reduce .box{fill:var(--reduce);stroke:var(--reduce-line)}.gate .box{fill:var(--gate);stroke:var(--gate-line);stroke-width:2}\
.readout .box{fill:var(--readout);stroke:var(--readout-line)}.sink .box{stroke-width:3}\
.link{fill:none;stroke:var(--line);stroke-width:1.4}.condition{stroke:var(--gate-line);stroke-dasharray:5 4}\
.off{opacity:.5}.on .type{fill:var(--ink);font-weight:600}.fired .box{stroke-width:4}.fired .type{fill:var(--gate-line)}\
.halo{fill:var(--back);opacity:.85}.head{fill:var(--line)}.head.hot{fill:var(--gate-line)}";

/// What a record came to, to be shown in the picture. Places are those of [`Picture::marks`]: the nodes, then the readouts.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// The record, for the picture's description.
    pub record: String,
    /// What each node and readout came to, in words.
    pub values: HashMap<usize, String>,
    /// The way that decided it.
    pub way: HashSet<usize>,
    /// Gates that fired.
    pub fired: HashSet<usize>,
}

/// A program as an SVG picture that stands by itself; ends in a line break. The same program gives the same bytes. Boxes say in
/// `data-n` which nodes they stand for, and arrows in `data-e` which boxes they join, so that a page can show records in it.
#[must_use]
pub fn svg(program: &Program) -> String {
    of_picture(&picture(program), None)
}

/// The picture with what a record came to in place of the types, the way that decided it in full colour and the rest paler.
#[must_use]
pub fn svg_of_record(program: &Program, said: &Said) -> String {
    of_picture(&picture(program), Some(said))
}

fn of_picture(p: &Picture, said: Option<&Said>) -> String {
    let mut scene = scene::scene(p);
    if let Some(said) = said {
        scene.overlay(said);
    }
    let drawn: Vec<Drawn> = scene.cards.iter().map(measured).collect();
    let sizes: Vec<Size> = drawn.iter().map(|d| d.size).collect();
    let mut edges = edges(&scene, &drawn);
    // Once to see where arrows come from, once with their ends in that order, so that they do not cross before their box.
    let first = layout::layout(&sizes, &edges);
    untangle(&mut edges, &first.paths);
    let plan = layout::layout(&sizes, &edges);
    let (width, height) = (plan.size.w + 2.0 * MARGIN, plan.size.h + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        escaped(&p.title),
        escaped(&about(p, &scene, said)),
        w = px(width),
        h = px(height),
    );
    for (link, path) in scene.links.iter().zip(&plan.paths) {
        let off = |card: usize| scene.cards.get(card).is_some_and(|card| card.state == State::Off);
        arrow(&mut out, link, path, off(link.from) || off(link.to));
    }
    for (number, ((card, drawn), at)) in scene.cards.iter().zip(&drawn).zip(&plan.boxes).enumerate() {
        boxed(&mut out, (number, card), drawn, Point { x: at.x + MARGIN, y: at.y + MARGIN });
    }
    // Above everything else, so that no arrow runs through a word.
    for (link, path) in scene.links.iter().zip(&plan.paths) {
        label(&mut out, &link.label, path);
    }
    out + "</svg>\n"
}

/// The picture in a sentence or two, for whoever cannot see it.
fn about(p: &Picture, scene: &Scene, said: Option<&Said>) -> String {
    let names = |shape: Shape| -> String {
        let of = scene.cards.iter().filter(|card| card.shape == shape).map(|card| card.title.as_str());
        of.collect::<Vec<_>>().join(", ")
    };
    let mut text = p.doc.trim().to_owned();
    for (what, shape) in [("Judged", Shape::Criterion), ("Gates", Shape::Gate), ("Readouts", Shape::Readout)] {
        let names = names(shape);
        if !names.is_empty() {
            let _ = write!(text, " {what}: {names}.");
        }
    }
    if let Some(said) = said {
        let _ = write!(text, " {}", said.record);
        let fired = |card: &&scene::Card| card.state == State::Fired;
        let fired: Vec<&str> = scene.cards.iter().filter(fired).map(|card| card.title.as_str()).collect();
        if !fired.is_empty() {
            let _ = write!(text, " Fired: {}.", fired.join(", "));
        }
    }
    text.trim().to_owned()
}

/// A card with its words in lines and its size.
struct Drawn {
    size: Size,
    words: Vec<String>,
    /// Where its rows begin, below its top.
    rows: f64,
}

fn measured(card: &Card) -> Drawn {
    let words = lines(&card.words);
    let mut widest =
        wide(&title(card), true) + 2.0 + if card.ty.is_empty() { 0.0 } else { 14.0 + wide(&ty(card), false) };
    widest = words.iter().map(|line| wide(line, false)).fold(widest.min(420.0), f64::max);
    widest = card.rows.iter().map(|row| wide(&row.text, row.is_group) + 8.0).fold(widest, f64::max);
    let pointed =
        if matches!(card.shape, Shape::Gate | Shape::Readout | Shape::Expression) { 2.0 * POINTED } else { 0.0 };
    let rows = PAD * 2.0 + LINE * (1 + words.len()) as f64;
    let h = rows + ROW * card.rows.len() as f64;
    Drawn { size: Size { w: (widest + 2.0 * PAD + pointed).max(90.0), h }, words, rows: rows - PAD / 2.0 }
}

/// The name, with an eye where the node is observed.
fn title(card: &Card) -> String {
    if card.observed { format!("{} ◉", card.title) } else { card.title.clone() }
}

/// The type, cut: it stands whole in the tip.
fn ty(card: &Card) -> String {
    super::short(&card.ty, 28)
}

/// Words in lines, the last of them cut.
fn lines(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if wide(&longer, false) <= WIDEST || line.is_empty() {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    let cut = lines.len() > LINES;
    lines.truncate(LINES);
    let last = lines.len();
    for (n, line) in lines.iter_mut().enumerate() {
        // A word may be longer than a line.
        let more = cut && n + 1 == last;
        if wide(line, false) > WIDEST || more {
            while wide(line, false) > WIDEST - 10.0 {
                line.pop();
            }
            line.push('…');
        }
    }
    lines
}

/// How wide a text is at 12 px, rather too wide than too narrow.
fn wide(text: &str, bold: bool) -> f64 {
    let one = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' | ':' | ';' | '!' | 'I' => 3.6,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '-' | '"' | '/' => 4.6,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 11.0,
        'A'..='Z' => 8.6,
        c if c.is_ascii() => 7.0,
        c => 7.6 * c.width().unwrap_or(0).max(1) as f64,
    };
    text.chars().map(one).sum::<f64>() * if bold { 1.16 } else { 1.06 }
}

/// Where arrows leave and reach their boxes: spread over the height, those to one box in the order of where they come from.
fn edges(scene: &Scene, drawn: &[Drawn]) -> Vec<Edge> {
    let mut into = vec![0_usize; scene.cards.len()];
    let mut edges = Vec::with_capacity(scene.links.len());
    let total = |to: usize| scene.links.iter().filter(|link| link.to == to).count();
    for link in &scene.links {
        let place = into.get_mut(link.to).map_or(0, |n| {
            *n += 1;
            *n
        });
        let out = match (link.row, drawn.get(link.from)) {
            (Some(row), Some(drawn)) => (drawn.rows + ROW * (row as f64 + 0.5)) / drawn.size.h,
            _ => 0.5,
        };
        edges.push(Edge { from: link.from, to: link.to, out, into: place as f64 / (total(link.to) + 1) as f64 });
    }
    edges
}

/// Gives the arrows to each box their ends in the order of where they come from.
fn untangle(edges: &mut [Edge], paths: &[Vec<Point>]) {
    let boxes = edges.iter().map(|edge| edge.to + 1).max().unwrap_or(0);
    let mut to: Vec<Vec<(f64, usize)>> = vec![Vec::new(); boxes];
    for ((edge, path), at) in edges.iter().zip(paths).zip(0..) {
        let before = path.len().checked_sub(3).and_then(|n| path.get(n)).map_or(0.0, |point| point.y);
        if let Some(list) = to.get_mut(edge.to) {
            list.push((before, at));
        }
    }
    for mut list in to {
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let parts = (list.len() + 1) as f64;
        for ((_, at), place) in list.into_iter().zip(1..) {
            if let Some(edge) = edges.get_mut(at) {
                edge.into = f64::from(place) / parts;
            }
        }
    }
}

fn arrow(out: &mut String, link: &scene::Link, path: &[Point], off: bool) {
    let at = |p: &Point| format!("{} {}", px(p.x + MARGIN), px(p.y + MARGIN));
    let Some(first) = path.first() else { return };
    let mut d = format!("M{}", at(first));
    for pair in path.windows(2) {
        let [a, b] = pair else { continue };
        if (a.y - b.y).abs() < 0.5 {
            let _ = write!(d, "L{}", at(b));
        } else {
            let middle = (a.x + b.x) / 2.0;
            let (c1, c2) = (Point { x: middle, y: a.y }, Point { x: middle, y: b.y });
            let _ = write!(d, "C{} {} {}", at(&c1), at(&c2), at(b));
        }
    }
    let (class, hot) = if link.condition { ("link condition", " hot") } else { ("link", "") };
    let _ = writeln!(
        out,
        "<g class=\"arrow{}\" data-e=\"{} {}\"><title>{}</title><path class=\"{class}\" d=\"{d}\"/>",
        if off { " off" } else { "" },
        link.from,
        link.to,
        escaped(&link.tip)
    );
    if let Some(end) = path.last() {
        let (x, y) = (end.x + MARGIN, end.y + MARGIN);
        let _ = writeln!(out, "<path class=\"head{hot}\" d=\"M{} {}l-8 -4v8z\"/></g>", px(x), px(y));
    }
}

/// The word on an arrow, before its head.
fn label(out: &mut String, label: &str, path: &[Point]) {
    let ([.., before, _], false) = (path, label.is_empty()) else { return };
    let label = super::short(label, 18);
    let width = wide(&label, false) * 0.95;
    let (x, y) = (before.x + MARGIN - width - 12.0, before.y + MARGIN - 5.0);
    let _ = writeln!(
        out,
        "<rect class=\"halo\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"13\" rx=\"3\"/><text class=\"label\" x=\"{}\" y=\"{}\">{}</text>",
        px(x - 2.0),
        px(y - 10.0),
        px(width + 4.0),
        px(x),
        px(y),
        escaped(&label)
    );
}

fn boxed(out: &mut String, (number, card): (usize, &Card), drawn: &Drawn, at: Point) {
    let class = match card.shape {
        Shape::Criterion => "criterion",
        Shape::Transform => "transform",
        Shape::Reduce => "reduce",
        Shape::Gate => "gate",
        Shape::Expression => "expression",
        Shape::Readout => "readout",
    };
    let (x, y, w, h) = (at.x, at.y, drawn.size.w, drawn.size.h);
    let sink = if card.sink { " sink" } else { "" };
    let state = match card.state {
        State::Plain => "",
        State::On => " on",
        State::Fired => " on fired",
        State::Off => " off",
    };
    let marks: Vec<String> = card.marks.iter().map(usize::to_string).collect();
    let _ = writeln!(
        out,
        "<g class=\"card {class}{sink}{state}\" data-c=\"{number}\" data-n=\"{}\"><title>{}</title>",
        marks.join(" "),
        escaped(&card.tip)
    );
    let _ = match card.shape {
        // Both ends are points.
        Shape::Gate => writeln!(
            out,
            "<path class=\"box\" d=\"M{} {}h{}l{p} {half}l-{p} {half}h-{inner}l-{p} -{half}z\"/>",
            px(x + POINTED),
            px(y),
            px(w - 2.0 * POINTED),
            inner = px(w - 2.0 * POINTED),
            p = px(POINTED),
            half = px(h / 2.0),
        ),
        // It points to where it goes.
        Shape::Readout => writeln!(
            out,
            "<path class=\"box\" d=\"M{} {}h{}l{p} {half}l-{p} {half}h-{}z\"/>",
            px(x),
            px(y),
            px(w - POINTED),
            px(w - POINTED),
            p = px(POINTED),
            half = px(h / 2.0),
        ),
        Shape::Criterion => rect(out, x, y, w, h, 10.0),
        Shape::Expression => rect(out, x, y, w, h, 16.0),
        Shape::Transform => rect(out, x, y, w, h, 3.0),
        Shape::Reduce => {
            let _ = rect(out, x, y, w, h, 2.0);
            // A second edge: several come together here.
            writeln!(out, "<path class=\"box\" d=\"M{} {}v{}\"/>", px(x + 5.0), px(y), px(h))
        }
    };
    let left = x + PAD + if matches!(card.shape, Shape::Gate | Shape::Expression) { POINTED } else { 0.0 };
    let right = x + w
        - PAD
        - if matches!(card.shape, Shape::Gate | Shape::Readout | Shape::Expression) { POINTED } else { 0.0 };
    let room = right - left - if card.ty.is_empty() { 0.0 } else { 14.0 + wide(&ty(card), false) };
    let mut line = y + PAD + LINE - 4.0;
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
        px(left),
        px(line),
        escaped(&fitting(&title(card), room.max(60.0)))
    );
    if !card.ty.is_empty() {
        let _ = writeln!(
            out,
            "<text class=\"type\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
            px(right),
            px(line),
            escaped(&ty(card))
        );
    }
    for words in &drawn.words {
        line += LINE;
        let _ = writeln!(out, "<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>", px(left), px(line), escaped(words));
    }
    for (row, n) in card.rows.iter().zip(0..) {
        let base = y + drawn.rows + ROW * f64::from(n) + 12.0;
        let (class, indent) = if row.is_group { ("group", 0.0) } else { ("item", 8.0) };
        let mark = row.mark.map_or(String::new(), |mark| format!(" data-n=\"{mark}\""));
        let _ = writeln!(
            out,
            "<text class=\"{class}\"{mark} x=\"{}\" y=\"{}\"><title>{}</title>{}</text>",
            px(left + indent),
            px(base),
            escaped(&row.tip),
            escaped(&row.text)
        );
    }
    out.push_str("</g>\n");
}

fn rect(out: &mut String, x: f64, y: f64, w: f64, h: f64, round: f64) -> std::fmt::Result {
    writeln!(
        out,
        "<rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        px(x),
        px(y),
        px(w),
        px(h),
        px(round)
    )
}

/// A text cut to a width.
fn fitting(text: &str, width: f64) -> String {
    let mut text = text.to_owned();
    if wide(&text, true) <= width {
        return text;
    }
    while !text.is_empty() && wide(&text, true) > width - 10.0 {
        text.pop();
    }
    text + "…"
}

/// Pixels at one decimal, the same on every machine.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text between tags and in attributes; control characters, which XML cannot hold, are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
