//! A picture as the few boxes that a person wants to see.
//!
//! What is written inside of another node is folded into it: its arrows go to the node that reads it, and say what is done on the way
//! when pointed at. A checklist is one box with a row for each item, as far as there is room; arrows of several of its items to one
//! place are one arrow.

use super::super::{Arrow, Mark, Picture, Shape, short};
use super::Said;
use std::collections::BTreeMap;

/// The most rows of a checklist that are shown.
const ROWS: usize = 14;

/// A box.
#[derive(Debug)]
pub(super) struct Card {
    pub shape: Shape,
    pub title: String,
    /// What it asks or does.
    pub words: String,
    pub ty: String,
    pub rows: Vec<Row>,
    /// Everything about it, for whoever points at it.
    pub tip: String,
    pub sink: bool,
    pub observed: bool,
    /// The marks that it stands for (indexes in [`Picture::marks`]).
    pub marks: Vec<usize>,
    pub state: State,
}

/// How a card stands to the way that decided a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// No record is shown.
    #[default]
    Plain,
    /// On the way.
    On,
    /// A gate on the way, or beside it, that fired.
    Fired,
    /// Beside the way.
    Off,
}

/// A row of a checklist: a group, an item, or what is left out.
#[derive(Debug)]
pub(super) struct Row {
    pub text: String,
    pub is_group: bool,
    pub tip: String,
    /// The mark of an item.
    pub mark: Option<usize>,
}

/// An arrow between cards.
#[derive(Debug)]
pub(super) struct Link {
    pub from: usize,
    /// The row that it leaves.
    pub row: Option<usize>,
    pub to: usize,
    pub label: String,
    pub condition: bool,
    pub tip: String,
}

#[derive(Debug, Default)]
pub(super) struct Scene {
    pub cards: Vec<Card>,
    pub links: Vec<Link>,
}

pub(super) fn scene(p: &Picture) -> Scene {
    let mut scene = Scene::default();
    // Of each mark: its card, and its row there.
    let mut cards: Vec<Option<(usize, Option<usize>)>> = vec![None; p.marks.len()];
    let roots = roots(p);
    let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, mark) in p.marks.iter().enumerate() {
        match mark.frame.and_then(|frame| roots.get(frame)) {
            Some(root) => lists.entry(*root).or_default().push(at),
            None if mark.nested => {}
            None => {
                if let Some(slot) = cards.get_mut(at) {
                    *slot = Some((scene.cards.len(), None));
                }
                scene.cards.push(card(mark, at, at == p.sink));
            }
        }
    }
    for (root, marks) in lists {
        let (card, places) = checklist(p, root, &marks);
        for (at, row) in places {
            if let Some(slot) = cards.get_mut(at) {
                *slot = Some((scene.cards.len(), row));
            }
        }
        scene.cards.push(card);
    }
    links(p, &cards, &mut scene);
    scene
}

/// The outermost frame of each frame.
fn roots(p: &Picture) -> Vec<usize> {
    let mut roots: Vec<usize> = Vec::with_capacity(p.frames.len());
    for (at, frame) in p.frames.iter().enumerate() {
        // A frame stands behind its parent.
        roots.push(frame.parent.and_then(|parent| roots.get(parent).copied()).unwrap_or(at));
    }
    roots
}

fn card(mark: &Mark, at: usize, sink: bool) -> Card {
    let mut tip = vec![mark.name.clone(), mark.words.clone(), mark.ty.clone(), mark.judge.clone()];
    if sink {
        tip.push("the sink: the score that readouts read".to_owned());
    }
    if mark.observed {
        tip.push("observed: kept in the results".to_owned());
    }
    tip.retain(|line| !line.is_empty());
    Card {
        shape: mark.shape,
        title: mark.name.clone(),
        words: mark.words.clone(),
        ty: mark.ty.clone(),
        rows: Vec::new(),
        tip: tip.join("\n"),
        sink,
        observed: mark.observed,
        marks: vec![at],
        state: State::Plain,
    }
}

/// The card of a checklist, and the rows of its items.
fn checklist(p: &Picture, root: usize, marks: &[usize]) -> (Card, Vec<(usize, Option<usize>)>) {
    let mut rows = Vec::new();
    let mut places = Vec::new();
    let mut group = root;
    let mut left = 0;
    for at in marks {
        let Some(mark) = p.marks.get(*at) else { continue };
        let frame = mark.frame.unwrap_or(root);
        if rows.len() >= ROWS {
            left += 1;
            places.push((*at, None));
            continue;
        }
        if frame != group {
            group = frame;
            let title = p.frames.get(frame).map_or("", |frame| frame.title.as_str());
            rows.push(Row { text: short(title, 44), is_group: true, tip: title.to_owned(), mark: None });
        }
        places.push((*at, Some(rows.len())));
        let tip = [&mark.name, &mark.words, &mark.ty, &mark.judge].map(String::as_str);
        let tip: Vec<&str> = tip.into_iter().filter(|line| !line.is_empty()).collect();
        let points = mark.points.as_ref().map(|points| {
            let sign = if points.is_negative() { "" } else { "+" };
            format!("{sign}{} ", points.exact()).replace('-', "−")
        });
        let text = points.unwrap_or_default() + &short(&mark.words, 48);
        rows.push(Row { text, is_group: false, tip: tip.join("\n"), mark: Some(*at) });
    }
    if left > 0 {
        rows.push(Row { text: format!("… and {left} more"), is_group: true, tip: String::new(), mark: None });
    }
    let title = p.frames.get(root).map_or("", |frame| frame.title.as_str());
    let count = marks.len();
    let words = if count == 1 { "a checklist".to_owned() } else { format!("a checklist of {count} items") };
    let card = Card {
        shape: Shape::Criterion,
        title: title.to_owned(),
        tip: format!("{title}\n{words}"),
        words,
        ty: String::new(),
        rows,
        sink: false,
        observed: false,
        marks: marks.to_vec(),
        state: State::Plain,
    };
    (card, places)
}

impl Scene {
    /// Shows what a record came to: values in place of types, and the way that decided it.
    pub(super) fn overlay(&mut self, said: &Said) {
        for card in &mut self.cards {
            let on = card.marks.iter().any(|mark| said.way.contains(mark));
            card.state = match card.marks.as_slice() {
                [only] if said.fired.contains(only) => State::Fired,
                _ if on => State::On,
                _ => State::Off,
            };
            if let [only] = card.marks.as_slice()
                && card.rows.is_empty()
                && let Some(value) = said.values.get(only)
            {
                card.tip = format!("{}\n= {value}", card.tip);
                card.ty.clone_from(value);
            }
            for row in &mut card.rows {
                if let Some(value) = row.mark.and_then(|mark| said.values.get(&mark)) {
                    row.tip = format!("{}\n= {value}", row.tip);
                    row.text = short(&format!("{} {}", sign(value), row.text), 52);
                }
            }
        }
    }
}

/// What an item came to, as one character.
fn sign(value: &str) -> &'static str {
    match value {
        "true" => "✓",
        "false" => "✗",
        _ => "?",
    }
}

/// What makes arrows one link: the two cards, whether it is a condition, and its label.
type Between = (usize, usize, bool, String);
/// The rows that a link starts at, and the ways that are folded into it.
type Bundle = (Vec<Option<usize>>, Vec<String>);

fn links(p: &Picture, cards: &[Option<(usize, Option<usize>)>], scene: &mut Scene) {
    let mut behind: Vec<Vec<&Arrow>> = vec![Vec::new(); p.marks.len()];
    for arrow in &p.arrows {
        if let Some(list) = behind.get_mut(arrow.from) {
            list.push(arrow);
        }
    }
    let mut found: BTreeMap<Between, Bundle> = BTreeMap::new();
    for (at, place) in cards.iter().enumerate() {
        let Some((from, row)) = place else { continue };
        // Along whatever is folded, to the first cards.
        let mut open: Vec<(usize, Vec<String>)> = vec![(at, Vec::new())];
        let mut steps = 0;
        while let Some((mark, done)) = open.pop() {
            for arrow in behind.get(mark).into_iter().flatten() {
                // A graph that folds into very many ways is not drawn whole.
                steps += 1;
                if steps > 10_000 {
                    return;
                }
                match cards.get(arrow.to).copied().flatten() {
                    Some((to, _)) => {
                        // A formula says itself which side is which.
                        let formula = p.marks.get(arrow.to).is_some_and(|mark| mark.shape == Shape::Expression);
                        let label = if formula { String::new() } else { arrow.label() };
                        let key = (*from, to, arrow.is_condition(), label);
                        let entry = found.entry(key).or_default();
                        entry.0.push(*row);
                        let way = done.join(", ");
                        if !way.is_empty() && !entry.1.contains(&way) {
                            entry.1.push(way);
                        }
                    }
                    None => {
                        let words = p.marks.get(arrow.to).map_or("", |mark| mark.words.as_str());
                        let done = done.iter().cloned().chain([words.to_owned()]).collect();
                        open.push((arrow.to, done));
                    }
                }
            }
        }
    }
    for ((from, to, condition, label), (rows, ways)) in found {
        let mut rows = rows;
        rows.sort_unstable();
        rows.dedup();
        let row = match rows.as_slice() {
            [only] => *only,
            _ => None,
        };
        let name = |at: usize| scene.cards.get(at).map_or("", |card| card.title.as_str());
        let mut tip = format!("{} → {}", name(from), name(to));
        for line in ways.iter().take(4) {
            tip.push_str(&format!("\n{line}"));
        }
        scene.links.push(Link { from, row, to, label, condition, tip });
    }
}
