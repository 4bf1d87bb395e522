//! Puts the judgments of records together.

use super::{About, Part, Profiles, Readings, Subject};
use crate::catalog::NodeId;
use crate::graph::{Checklist, Criterion, Item, NodeKind, Origin, Program, TemplatePart};
use crate::run::Leaf;
use crate::run::engine::{Engine, Read};
use crate::run::judgment::JudgedLeaf;
use crate::run::readout::Outcome;
use crate::run::replay::find::Located;
use crate::types::{Base, Type, Value};
use indexmap::IndexMap;
use std::collections::HashMap;

/// Profiles that are being gathered.
#[derive(Debug, Default)]
pub struct Gathering {
    profiles: Profiles,
    /// What is known of each program, by its digest.
    programs: HashMap<String, Known>,
    /// Where traces hold programs of several names, criteria are called after theirs.
    several: bool,
}

/// What the parts of a program's judgments are, found once.
#[derive(Debug, Default)]
struct Known {
    /// By node.
    leaves: HashMap<NodeId, Place>,
}

/// Where a leaf belongs.
#[derive(Debug, Default)]
struct Place {
    parts: Vec<Part>,
    /// Its place in [`Profiles::criteria`]; `None` for the items of a record.
    criterion: Option<usize>,
    /// What its items are called; empty but for the items of a record.
    list: String,
    /// The points of an item.
    points: Option<f64>,
}

/// What a record's judgments of one part add up to.
#[derive(Debug, Default)]
struct Sum {
    met: f64,
    positive: f64,
    items: bool,
    missing: bool,
    bad: u64,
    bad_met: u64,
    values: f64,
    judgments: u64,
}

impl Sum {
    fn item(&mut self, points: f64, met: Option<bool>) {
        self.items = true;
        if let Some(met) = met {
            self.met += if met { points } else { 0.0 };
            self.positive += points.max(0.0);
            self.bad += u64::from(points < 0.0);
            self.bad_met += u64::from(points < 0.0 && met);
        }
    }
}

impl Gathering {
    /// `several`: the traces hold programs of several names.
    #[must_use]
    pub fn new(several: bool) -> Gathering {
        Gathering { several, ..Gathering::default() }
    }

    /// The subject of this name, so that it stands in its place even if it has no records.
    pub fn subject(&mut self, name: &str) -> &mut Subject {
        self.profiles.subjects.entry(name.to_owned()).or_default()
    }

    /// Adds a record. `subject` says whose a candidate is.
    pub fn add(&mut self, engine: &Engine, id: &str, located: &Located, subject: impl Fn(Option<&str>) -> String) {
        if !self.programs.contains_key(&engine.digest) {
            let known = self.look(&engine.program);
            self.programs.insert(engine.digest.clone(), known);
        }
        for (place, candidate) in located.candidates.iter().enumerate() {
            let name = subject(candidate.as_deref());
            let subject = self.profiles.subjects.entry(name.clone()).or_default();
            subject.records += 1;
            for read in located.outcomes.pointwise.get(place).map_or(&[][..], Vec::as_slice) {
                reading(subject, engine, read);
            }
            // Two candidates of one subject in a record are told apart by their ids.
            let key = match candidate {
                Some(candidate) if *candidate != name => format!("{id}\u{1}{candidate}"),
                _ => id.to_owned(),
            };
            let record = u32::try_from(self.profiles.records.insert_full(key).0).unwrap_or(u32::MAX);
            let own = located.judged.own.get(place).map_or(&[][..], Vec::as_slice);
            self.candidate(engine, id, record, &name, own);
        }
    }

    /// What was gathered.
    #[must_use]
    pub fn finish(self) -> Profiles {
        self.profiles
    }

    /// Adds the leaves of one candidate.
    fn candidate(&mut self, engine: &Engine, id: &str, record: u32, name: &str, leaves: &[JudgedLeaf]) {
        let mut sums: IndexMap<Part, Sum> = IndexMap::new();
        let mut judged: Vec<(usize, Option<Option<f64>>)> = Vec::new();
        let Some(known) = self.programs.get(&engine.digest) else { return };
        for leaf in leaves {
            let (Some(place), Some(node)) = (known.leaves.get(&leaf.node), engine.program.node(leaf.node)) else {
                continue;
            };
            match &leaf.leaf {
                Leaf::Items(states) => {
                    for (state, item) in states.iter().zip(&leaf.items) {
                        let points = item.points.to_f64();
                        let criterion = format!("{id}: {}.{}", place.list, state.id);
                        let about = About { points: Some(points), text: String::new() };
                        let entry = self.profiles.criteria.entry(criterion);
                        let at = entry.index();
                        entry.or_insert(about);
                        let tags = item.tags.iter().map(|tag| match tag.split_once(':') {
                            Some((key, value)) => Part::Tag(key.trim().to_owned(), value.trim().to_owned()),
                            None => Part::Tag("tag".to_owned(), tag.clone()),
                        });
                        for part in place.parts.iter().cloned().chain(tags) {
                            let sum = sums.entry(part).or_default();
                            match &state.met {
                                Ok(met) => sum.item(points, *met),
                                Err(_) => sum.missing = true,
                            }
                        }
                        let value = state.met.as_ref().ok().map(|met| met.map(|met| if met { 1.0 } else { 0.0 }));
                        judged.push((at, value));
                    }
                }
                Leaf::Known(value) => {
                    let level = level(value, &node.ty);
                    for part in &place.parts {
                        let sum = sums.entry(part.clone()).or_default();
                        match (place.points, level) {
                            (Some(points), _) => sum.item(points, value.as_bool()),
                            (None, Some(level)) => {
                                sum.values += level;
                                sum.judgments += 1;
                            }
                            (None, None) => {}
                        }
                    }
                    judged.extend(place.criterion.map(|at| (at, Some(level))));
                }
                Leaf::Missing(_) => {
                    for part in &place.parts {
                        sums.entry(part.clone()).or_default().missing |= place.points.is_some();
                    }
                    judged.extend(place.criterion.map(|at| (at, None)));
                }
            }
        }
        let Some(subject) = self.profiles.subjects.get_mut(name) else { return };
        for (part, sum) in sums {
            let cell = subject.parts.entry(part).or_default();
            cell.values += sum.values;
            cell.judgments += sum.judgments;
            cell.bad += sum.bad;
            cell.bad_met += sum.bad_met;
            if sum.missing {
                cell.incomplete += 1;
            } else if sum.items && sum.positive > 0.0 {
                cell.scores += sum.met / sum.positive;
                cell.records += 1;
            }
        }
        for (at, value) in judged {
            if subject.criteria.len() <= at {
                subject.criteria.resize_with(at + 1, Default::default);
            }
            let Some(tally) = subject.criteria.get_mut(at) else { continue };
            match value {
                None => tally.missing += 1,
                Some(None) => tally.unknown += 1,
                #[expect(clippy::cast_possible_truncation, reason = "a value from 0 to 1, for comparing means")]
                Some(Some(value)) => tally.values.push((record, value as f32)),
            }
        }
    }

    /// Finds out what belongs where in a program.
    fn look(&mut self, program: &Program) -> Known {
        let mut known = Known::default();
        let prefix = if self.several { format!("{}/", program.name) } else { String::new() };
        for (node, at) in program.nodes.iter().zip(0_u32..) {
            let id = NodeId(at);
            let (criterion, of_record) = match &node.kind {
                NodeKind::Criterion(criterion) => (criterion, false),
                NodeKind::Items { template, .. } => (template, true),
                NodeKind::Operator(_) => continue,
            };
            let mut place = Place { parts: tags(criterion), ..Place::default() };
            if let Some((list, item)) = item_of(program, criterion, id) {
                place.points = Some(item.points.to_f64());
                place.parts.push(Part::Checklist(format!("{prefix}{}", list.name)));
                place.parts.extend(groups(list, item).map(|path| Part::Group(format!("{prefix}{path}"))));
            }
            if of_record {
                place.list = node.name.to_string();
                place.parts.push(Part::Checklist(format!("{prefix}{}", node.name)));
            } else {
                let about = About { points: place.points, text: text(program, criterion) };
                let entry = self.profiles.criteria.entry(format!("{prefix}{}", node.name));
                place.criterion = Some(entry.index());
                entry.or_insert(about);
            }
            known.leaves.insert(id, place);
        }
        known
    }
}

fn tags(criterion: &Criterion) -> Vec<Part> {
    criterion.tags.iter().map(|(key, value)| Part::Tag(key.to_string(), value.to_string())).collect()
}

fn item_of<'a>(program: &'a Program, criterion: &Criterion, id: NodeId) -> Option<(&'a Checklist, &'a Item)> {
    let Origin::Item { checklist } = criterion.origin else { return None };
    let list = program.checklists.get(checklist)?;
    Some((list, list.items.iter().find(|item| item.node == id)?))
}

/// The groups of an item, from the outermost: `care.safety`, `care.safety.dose`.
fn groups<'a>(list: &'a Checklist, item: &Item) -> impl Iterator<Item = String> + 'a {
    let mut path = Vec::new();
    let mut at = item.group;
    while let Some(group) = at.and_then(|at| list.groups.get(at)) {
        path.push(&*group.id);
        at = group.parent;
    }
    path.push(&*list.name);
    path.reverse();
    (2..=path.len()).filter_map(move |length| Some(path.get(..length)?.join(".")))
}

/// The question, with the names of fields in double braces.
fn text(program: &Program, criterion: &Criterion) -> String {
    let parts = criterion.ask.parts.iter().map(|part| match part {
        TemplatePart::Text(text) => text.to_string(),
        TemplatePart::Field(id) => format!("{{{{{}}}}}", program.field(*id).map_or("", |field| &*field.name)),
    });
    parts.collect()
}

/// A value on 0 to 1 by its scale, as `normalize` puts it; `None` for unknown and for what has no order.
fn level(value: &Value, ty: &Type) -> Option<f64> {
    match (value, &ty.base) {
        (Value::Bool(met), _) => Some(if *met { 1.0 } else { 0.0 }),
        (Value::Number(number), _) => {
            let (lo, hi) = ty.interval()?;
            let width = hi.to_f64() - lo.to_f64();
            (width > 0.0).then(|| (number.to_f64() - lo.to_f64()) / width)
        }
        (Value::Label(rank), Base::Ordinal(labels)) if labels.len() > 1 => {
            let last = u32::try_from(labels.len() - 1).ok()?;
            Some(f64::from(*rank) / f64::from(last))
        }
        _ => None,
    }
}

fn reading(subject: &mut Subject, engine: &Engine, read: &Read) {
    let Some(readout) = engine.readout(read) else { return };
    let readings: &mut Readings = subject.readouts.entry(readout.key().to_owned()).or_default();
    match &read.reading.outcome {
        Outcome::Value(Value::Bool(holds)) => {
            readings.sum += if *holds { 1.0 } else { 0.0 };
            readings.numbers += 1;
        }
        Outcome::Value(Value::Number(number)) => {
            readings.sum += number.to_f64();
            readings.numbers += 1;
        }
        Outcome::Value(value) => *readings.labels.entry(value.text(&readout.ty)).or_default() += 1,
        Outcome::Abstained => readings.abstained += 1,
        _ => readings.open += 1,
    }
}
