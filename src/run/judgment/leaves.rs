//! What is known of every leaf of a record: recorded judgments, computed rules, and what does not apply.
//!
//! In order: a criterion whose `applies` is false is unknown, whatever was recorded; a recorded judgment answers for any
//! procedure, a rule too; a rule is computed; everything else is missing. A criterion that sees no candidate is judged
//! once per record, and its judgment stands with the record; every other stands with its candidate.

use super::combine::{self, combine};
use super::entry::{self, Sample};
use super::evidence;
use super::file::Line;
use super::items::{self, Items};
use crate::catalog::NodeId;
use crate::diagnostics::did_you_mean;
use crate::graph::{Criterion, NodeKind, Procedure, Program};
use crate::number::Number;
use crate::run::leaf::{ItemState, Leaf, Missing, MissingReason};
use crate::run::record::{Candidate, Fields, Layout, Record};
use crate::types::{Type, Value};
use serde_json::{Map, Value as Json};
use std::collections::{HashMap, HashSet};
use std::mem::take;

/// What is known of the leaves of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// Leaves that see no candidate, in the program's order.
    pub shared: Vec<JudgedLeaf>,
    /// Per candidate, the other leaves in the program's order.
    pub own: Vec<Vec<JudgedLeaf>>,
}

impl Judged {
    /// The lists of leaves: the shared ones, then those of each candidate.
    pub fn lists(&self) -> impl Iterator<Item = &[JudgedLeaf]> {
        std::iter::once(self.shared.as_slice()).chain(self.own.iter().map(Vec::as_slice))
    }
}

/// What is known of one leaf, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedLeaf {
    pub node: NodeId,
    pub basis: Basis,
    /// Entries as recorded; of a `checklist … from` they stand with its items.
    pub recorded: Vec<Json>,
    /// A quote that does not stand in the candidate, so that the judgment is missing.
    pub rejected: Option<String>,
    /// The items of a `checklist … from`.
    pub items: Vec<JudgedItem>,
    pub leaf: Leaf,
}

/// Where a leaf's state comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Recorded judgments, or that there are none.
    Recorded,
    /// Its rule.
    Rule,
    /// It does not apply.
    NotApplicable,
}

/// One item of a `checklist … from`.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedItem {
    /// The id as written, else the number.
    pub id: String,
    pub points: Number,
    /// As the record says them; they decide nothing.
    pub tags: Vec<String>,
    pub recorded: Vec<Json>,
    pub rejected: Option<String>,
}

/// Finds out about every leaf of a record. Its `judgments` are taken out of it; `lines` are those of the judgments file.
/// `beside`: another program that is run over the same records; judgments of criteria that only it has are left out.
///
/// # Errors
/// A sentence that names the criterion: a judgment of something that is none, outside its type, given twice; a rule that
/// cannot be computed; items that cannot be read.
pub fn judge(
    program: &Program,
    layout: &Layout,
    record: &mut Record,
    mut lines: Vec<Line>,
    beside: Option<&Layout>,
) -> Result<Judged, String> {
    let mut shared = Recorded::default();
    let mut own: Vec<Recorded> = record.candidates.iter().map(|_| Recorded::default()).collect();
    let mut items: HashMap<NodeId, Items> = HashMap::new();
    for leaf in &layout.leaves {
        if let Some(NodeKind::Items { field, .. }) = program.node(*leaf).map(|node| &node.kind)
            && let Some(field) = layout.field(*field)
        {
            items.insert(*leaf, items::read(&field.name, record.shared.get(&*field.name))?);
        }
    }
    let names = Names { program, layout, items: &items };
    if let Some(beside) = beside {
        let own = |name: &str| !beside.names(name) || names.find(name).is_ok();
        record.judgments.retain(|name, _| own(name));
        record.candidates.iter_mut().for_each(|candidate| candidate.judgments.retain(|name, _| own(name)));
        lines.retain(|line| own(&line.criterion));
    }
    for (name, entry) in take(&mut record.judgments) {
        let target = names.find(&name)?;
        match own.as_mut_slice() {
            _ if layout.is_shared(target.leaf()) => shared.add(target, &name, entry)?,
            [only] if !record.several => only.add(target, &name, entry)?,
            _ => return Err(format!("the judgment of `{name}` belongs to one candidate; write it in that candidate")),
        }
    }
    for (candidate, recorded) in record.candidates.iter_mut().zip(&mut own) {
        let id = candidate.id.clone().unwrap_or_default();
        for (name, entry) in take(&mut candidate.judgments) {
            let of_candidate = |fault: String| format!("candidate `{id}`: {fault}");
            let target = names.find(&name).map_err(of_candidate)?;
            if layout.is_shared(target.leaf()) {
                return Err(of_candidate(format!(
                    "`{name}` sees no candidate and is judged once per record; write its judgment beside `candidates`"
                )));
            }
            recorded.add(target, &name, entry).map_err(of_candidate)?;
        }
    }
    add_lines(lines, &names, record, &mut shared, &mut own)?;

    let judge_all = |recorded: &mut Recorded, candidate: Option<&Candidate>| -> Result<Vec<JudgedLeaf>, String> {
        let wanted = layout.leaves.iter().filter(|leaf| layout.is_shared(**leaf) == candidate.is_none());
        let judge_one = |leaf: &NodeId| {
            let whose = match candidate.and_then(|candidate| candidate.id.as_ref()) {
                Some(id) => format!("candidate `{id}`: "),
                None => String::new(),
            };
            one(program, *leaf, recorded, items.get(leaf), &record.fields(candidate)).map_err(|fault| whose + &fault)
        };
        wanted.map(judge_one).collect()
    };
    let judged_shared = judge_all(&mut shared, None)?;
    let own = record.candidates.iter().zip(&mut own);
    let own = own.map(|(candidate, recorded)| judge_all(recorded, Some(candidate))).collect::<Result<_, _>>()?;
    Ok(Judged { shared: judged_shared, own })
}

/// What a judgment's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    Leaf(NodeId),
    /// An item of a `checklist … from`, by its place.
    Item(NodeId, usize),
}

impl Target {
    fn leaf(self) -> NodeId {
        match self {
            Target::Leaf(leaf) | Target::Item(leaf, _) => leaf,
        }
    }
}

struct Names<'a> {
    program: &'a Program,
    layout: &'a Layout,
    items: &'a HashMap<NodeId, Items>,
}

impl Names<'_> {
    fn find(&self, name: &str) -> Result<Target, String> {
        if let Some(leaf) = self.layout.find_leaf(name) {
            if self.items.contains_key(&leaf) {
                return Err(format!(
                    "`{name}` is a checklist; judge its items, each under its own name, such as `{name}.1`"
                ));
            }
            return Ok(Target::Leaf(leaf));
        }
        // A checklist may be a library's (`lib.care`), and an item's id may hold points.
        for (at, _) in name.match_indices('.') {
            let (checklist, item) = (name.get(..at).unwrap_or(""), name.get(at + 1..).unwrap_or(""));
            let Some(leaf) = self.layout.find_leaf(checklist) else { continue };
            let Some(items) = self.items.get(&leaf) else { continue };
            let near = || {
                did_you_mean(item, items.names())
                    .map_or(String::new(), |n| format!("; did you mean `{checklist}.{n}`?"))
            };
            let found = items.find(item).map(|place| Target::Item(leaf, place));
            return found
                .ok_or_else(|| format!("the checklist `{checklist}` of this record has no item `{item}`{}", near()));
        }
        if let Some(checklist) = self.program.checklists.iter().find(|checklist| *checklist.name == *name) {
            let item = checklist.items.first().and_then(|item| self.program.node(item.node));
            let such = item.map_or(String::new(), |item| format!(", each under its own name, such as `{}`", item.name));
            return Err(format!("`{name}` is a checklist; judge its items{such}"));
        }
        let is_node = self.program.find(name).is_some();
        let near = did_you_mean(name, self.layout.leaf_names()).map(|near| format!("; did you mean `{near}`?"));
        Err(match near {
            _ if is_node => format!("`{name}` is computed, not judged; only criteria have judgments"),
            near => format!("there is no criterion `{name}`{}", near.unwrap_or_default()),
        })
    }
}

/// The entries of each leaf or item.
#[derive(Default)]
struct Recorded {
    entries: HashMap<Target, Vec<Json>>,
}

impl Recorded {
    /// Adds the one entry that stands in a record.
    fn add(&mut self, target: Target, name: &str, entry: Json) -> Result<(), String> {
        match self.entries.insert(target, vec![entry]) {
            None => Ok(()),
            Some(_) => Err(format!("`{name}` is judged twice, under its id and under its number")),
        }
    }
}

/// Adds the lines of the judgments file.
fn add_lines(
    lines: Vec<Line>,
    names: &Names<'_>,
    record: &Record,
    shared: &mut Recorded,
    own: &mut [Recorded],
) -> Result<(), String> {
    let mut from_lines: HashSet<(Option<usize>, Target)> = HashSet::new();
    let mut by: HashSet<(Option<usize>, Target, String)> = HashSet::new();
    for line in lines {
        let at = |fault: String| format!("judgments line {}: {fault}", line.number);
        let target = names.find(&line.criterion).map_err(at)?;
        let candidate = place(&line, target, names.layout, record).map_err(at)?;
        let recorded = match candidate {
            None => &mut *shared,
            Some(n) => own.get_mut(n).ok_or_else(|| at("there is no such candidate".to_owned()))?,
        };
        if from_lines.insert((candidate, target)) && recorded.entries.contains_key(&target) {
            return Err(at(format!("`{}` is judged in the record too; keep one of the two", line.criterion)));
        }
        if let Some(Json::String(who)) = line.entry.get("by")
            && !by.insert((candidate, target, who.clone()))
        {
            return Err(at(format!("`{who}` judged `{}` already, in a line before", line.criterion)));
        }
        recorded.entries.entry(target).or_default().push(line.entry);
    }
    Ok(())
}

/// Whose judgment a line is; `None`: the record's.
fn place(line: &Line, target: Target, layout: &Layout, record: &Record) -> Result<Option<usize>, String> {
    let shared = layout.is_shared(target.leaf());
    match &line.candidate {
        Some(_) if shared => {
            Err(format!("`{}` sees no candidate and is judged once per record; leave `candidate` out", line.criterion))
        }
        None if shared => Ok(None),
        None if record.candidates.len() == 1 => Ok(Some(0)),
        None => Err(format!("`candidate` is missing; the record has {} candidates", record.candidates.len())),
        Some(id) => {
            let ids = || record.candidates.iter().filter_map(|candidate| candidate.id.as_deref());
            let found = record.candidates.iter().position(|candidate| candidate.id.as_ref() == Some(id));
            found.map(Some).ok_or_else(|| match did_you_mean(id, ids()) {
                _ if !record.several => {
                    format!("the record has one candidate without an id, not `{id}`; leave `candidate` out")
                }
                Some(near) => format!("the record has no candidate `{id}`; did you mean `{near}`?"),
                None => format!("the record has no candidate `{id}`"),
            })
        }
    }
}

/// Finds out about one leaf.
fn one(
    program: &Program,
    leaf: NodeId,
    recorded: &mut Recorded,
    items: Option<&Items>,
    fields: &Fields<'_>,
) -> Result<JudgedLeaf, String> {
    let Some(node) = program.node(leaf) else { return Err("a criterion is not there".to_owned()) };
    let named = |fault: String| format!("`{}`: {fault}", node.name);
    let criterion = match &node.kind {
        NodeKind::Criterion(criterion) | NodeKind::Items { template: criterion, .. } => criterion,
        NodeKind::Operator(_) => return Err(named("it is computed, not judged".to_owned())),
    };
    let mut judged = JudgedLeaf {
        node: leaf,
        basis: Basis::Recorded,
        recorded: recorded.entries.remove(&Target::Leaf(leaf)).unwrap_or_default(),
        rejected: None,
        items: Vec::new(),
        leaf: Leaf::Missing(Missing::because(MissingReason::NotRecorded)),
    };
    for (place, item) in items.map_or(&[][..], |items| &items.list).iter().enumerate() {
        let recorded = recorded.entries.remove(&Target::Item(leaf, place)).unwrap_or_default();
        let rejected = rejected(criterion, &recorded, fields.candidate);
        let (id, points, tags) = (item.id.clone(), item.points.clone(), item.tags.clone());
        judged.items.push(JudgedItem { id, points, tags, recorded, rejected });
    }
    if let Some(applies) = &criterion.applies
        && applies.evaluate(fields).map_err(|error| named(format!("`applies`: {error}")))?.as_bool() == Some(false)
    {
        judged.basis = Basis::NotApplicable;
    } else if let Procedure::Rule(rule) = &criterion.procedure
        && judged.recorded.is_empty()
    {
        judged.basis = Basis::Rule;
        judged.leaf = Leaf::Known(rule.evaluate(fields).map_err(|error| named(error.to_string()))?);
        return Ok(judged);
    }
    judged.rejected = rejected(criterion, &judged.recorded, fields.candidate);
    judged.leaf = settle(criterion, &node.ty, items.is_some(), &judged).map_err(named)?;
    Ok(judged)
}

/// The state of a leaf from its recorded judgments; a rule's value is taken as it is. A replay does the same.
///
/// # Errors
/// A sentence where an entry cannot be read or the samples cannot be joined.
pub fn settle(criterion: &Criterion, ty: &Type, of_items: bool, judged: &JudgedLeaf) -> Result<Leaf, String> {
    if judged.basis == Basis::Rule {
        return Ok(judged.leaf.clone());
    }
    let applies = judged.basis != Basis::NotApplicable;
    if of_items {
        let state = |item: &JudgedItem| {
            let met = if applies {
                let value = value(criterion, &criterion.ty, &item.recorded, item.rejected.as_deref());
                value.map_err(|fault| format!("item `{}`: {fault}", item.id))?.map(|value| value.as_bool())
            } else {
                Ok(None)
            };
            Ok(ItemState { id: item.id.clone(), points: item.points.clone(), met })
        };
        return judged.items.iter().map(state).collect::<Result<_, String>>().map(Leaf::Items);
    }
    if !applies {
        return Ok(Leaf::Known(Value::Unknown));
    }
    let value = value(criterion, ty, &judged.recorded, judged.rejected.as_deref())?;
    Ok(value.map_or_else(Leaf::Missing, Leaf::Known))
}

/// One judgment of a leaf's or an item's entries.
fn value(
    criterion: &Criterion,
    ty: &Type,
    recorded: &[Json],
    rejected: Option<&str>,
) -> Result<Result<Value, Missing>, String> {
    let mut samples: Vec<Sample> = Vec::new();
    for json in recorded {
        samples.extend(entry::read(json, &criterion.ty, each(criterion))?.samples);
    }
    if let Some(quote) = rejected {
        let detail = format!("the quote {} does not stand in the candidate", Json::String(quote.to_owned()));
        return Ok(Err(Missing { reason: MissingReason::Unparseable, detail }));
    }
    if samples.is_empty() && matches!(criterion.procedure, Procedure::Human { .. }) {
        return Ok(Err(Missing::because(MissingReason::Pending)));
    }
    combine(&samples, combine::of(criterion), &criterion.ty, ty)
}

fn each(criterion: &Criterion) -> bool {
    matches!(&criterion.procedure, Procedure::Llm(llm) if llm.each.is_some())
}

/// The first quote of the entries that must stand in the candidate and does not. Entries that cannot be read are told
/// elsewhere.
pub(super) fn rejected(
    criterion: &Criterion,
    recorded: &[Json],
    candidate: Option<&Map<String, Json>>,
) -> Option<String> {
    let required = match &criterion.procedure {
        Procedure::Llm(llm) => llm.evidence,
        Procedure::Cascade { first, .. } => first.evidence,
        _ => false,
    };
    let candidate = candidate.filter(|_| required)?;
    recorded.iter().flat_map(entry::of_samples).find_map(|json| {
        json.get("evidence")?;
        let entry = entry::read(json, &criterion.ty, each(criterion)).ok()?;
        let says = |sample: &Sample| match sample {
            Sample::Value(value) | Sample::Probable(_, Some(value)) => evidence::needed(value, &criterion.ty),
            Sample::Probable(_, None) => true,
            Sample::Missing(_) => false,
        };
        if !entry.samples.iter().any(says) {
            return None;
        }
        evidence::absent(&entry.evidence, candidate).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing;
    use crate::run::record::{DataFormat, Records};

    fn judged(text: &str, lines: &[&str]) -> Result<Judged, String> {
        let program = testing::sample();
        let layout = Layout::of(&program);
        let text = std::io::Cursor::new(text.to_owned());
        let mut records = Records::from_reader(Box::new(text), Some(DataFormat::Jsonl)).unwrap();
        let raw = records.next_record().unwrap().unwrap();
        let mut record = Record::read(raw, &program, &layout).unwrap();
        let lines = (1..).zip(lines).map(|(number, line)| {
            let Json::Object(mut map) = serde_json::from_str(line).unwrap() else { panic!() };
            let mut text = |key: &str| map.remove(key).map(|json| json.as_str().unwrap().to_owned());
            let (candidate, criterion) = (text("candidate"), text("criterion").unwrap());
            Line { number, candidate, criterion, run: None, entry: Json::Object(map) }
        });
        judge(&program, &layout, &mut record, lines.collect(), None)
    }

    fn of_one(judgments: &str, lines: &[&str]) -> Result<Vec<Leaf>, String> {
        let text = format!(r#"{{"question": "q", "answer": "a", "judgments": {judgments}}}"#);
        Ok(judged(&text, lines)?.own.remove(0).into_iter().map(|leaf| leaf.leaf).collect())
    }

    #[test]
    fn judgments_of_a_record_and_of_lines() {
        let leaves = of_one(
            r#"{"accurate": 4, "care.1": true}"#,
            &[
                r#"{"criterion": "harmful", "value": true, "by": "ann"}"#,
                r#"{"criterion": "harmful", "value": false, "by": "bob"}"#,
                r#"{"criterion": "harmful", "value": true, "by": "cy"}"#,
            ],
        );
        let leaves = leaves.unwrap();
        assert_eq!(leaves[0], Leaf::Known(Value::Number(Number::int(4))));
        assert_eq!(leaves[1], Leaf::Known(Value::Bool(true)));
        assert_eq!(leaves[2], Leaf::Known(Value::Bool(true)));
        assert!(matches!(&leaves[3], Leaf::Missing(missing) if missing.reason == MissingReason::NotRecorded));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let fault = |judgments, lines: &[&str]| of_one(judgments, lines).unwrap_err();
        assert!(fault(r#"{"acurate": 4}"#, &[]).contains("did you mean `accurate`"));
        assert!(fault(r#"{"quality": 0.5}"#, &[]).contains("computed, not judged"));
        assert!(fault(r#"{"accurate": 9}"#, &[]).contains("`accurate`: `9` is not a value of int[1..5]"));
        assert!(fault(r#"{"care.1": true, "care.red_flags": true}"#, &[]).contains("judged twice"));
        let twice = [r#"{"criterion": "harmful", "value": true, "by": "ann"}"#; 2];
        assert!(fault("{}", &twice).contains("line 2: `ann` judged `harmful` already"));
        assert!(fault(r#"{"harmful": true}"#, &twice[..1]).contains("in the record too"));
        assert!(
            fault("{}", &[r#"{"criterion": "harmful", "candidate": "p", "value": true}"#])
                .contains("leave `candidate` out")
        );
    }

    #[test]
    fn each_candidate_has_its_own() {
        let text = r#"{"question": "q", "candidates": [
            {"id": "p", "answer": "a", "judgments": {"harmful": true}}, {"id": "q", "answer": "b"}]}"#
            .replace('\n', " ");
        let judged = judged(&text, &[r#"{"criterion": "harmful", "candidate": "q", "value": false}"#]).unwrap();
        assert!(judged.shared.is_empty());
        assert_eq!(judged.own[0][1].leaf, Leaf::Known(Value::Bool(true)));
        assert_eq!(judged.own[1][1].leaf, Leaf::Known(Value::Bool(false)));
        let top = text.replace(r#""question""#, r#""judgments": {"harmful": true}, "question""#);
        assert!(super::tests::judged(&top, &[]).unwrap_err().contains("belongs to one candidate"));
        assert!(
            super::tests::judged(&text, &[r#"{"criterion": "harmful", "value": true}"#])
                .unwrap_err()
                .contains("`candidate` is missing")
        );
        let unknown = r#"{"criterion": "harmful", "candidate": "x", "value": true}"#;
        assert!(super::tests::judged(&text, &[unknown]).unwrap_err().contains("no candidate `x`"));
    }
}
