//! A counterexample as a `test` that an author can paste: it says what was required, and fails until the program does so.

use super::implied::{self, Cut};
use super::require::{Broken, Counterexample};
use super::witness::{Assignment, Referee};
use crate::catalog::NodeId;
use crate::graph::spec::{Comparison, Condition, Operand, Require, RequireKind};
use crate::graph::text::Phrases;
use crate::graph::{Checklist, Mode, NodeKind, Program};
use crate::run::record::Layout;
use crate::run::{ItemState, Leaf};
use crate::types::{Base, Type, Value, quote, quote_label};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Longest line of a `given` that stays on one line.
const WIDTH: usize = 100;

type Leaves = BTreeMap<NodeId, Leaf>;

impl Counterexample {
    /// The counterexample as one `test` block, or (where two records are needed) two.
    #[must_use]
    pub fn test(&self, program: &Program, require: &Require) -> String {
        let writer = Writer::new(program);
        match (&self.broken, &require.kind) {
            (Broken::Clause(number), RequireKind::Always(clauses)) => {
                let holds = clauses.get(*number).map(|clause| writer.condition(&clause.holds, &self.assignment, false));
                writer.test(
                    &self.assignment,
                    &self.assignment.record,
                    &holds.unwrap_or_default(),
                    &self.outcome(program, require),
                )
            }
            (Broken::Order { leaf, falls }, _) => self.order(&writer, *leaf, *falls),
            _ => String::new(),
        }
    }

    /// What comes out where it is broken: each thing that the requirement names, and what it is.
    #[must_use]
    pub fn outcome(&self, program: &Program, require: &Require) -> Vec<(String, String)> {
        let writer = Writer::new(program);
        let mut operands: Vec<Operand> = Vec::new();
        match (&self.broken, &require.kind) {
            (Broken::Clause(number), RequireKind::Always(clauses)) => {
                if let Some(clause) = clauses.get(*number) {
                    clause.holds.operands(&mut operands);
                }
            }
            _ => operands.extend((0..2).map(|candidate| Operand::Node { candidate, node: program.sink })),
        }
        let referee = Referee::new(program);
        let complete = filled(program, self.assignment.complete());
        let Some(states) = referee.states(&complete) else { return Vec::new() };
        let world = referee.world(&complete, &states);
        let ids: Vec<&str> = self.assignment.ids.iter().map(String::as_str).collect();
        let said = |operand: &Operand| match operand {
            Operand::Node { candidate, node } => {
                let found = program.node(*node)?;
                let state = states.get(*candidate)?;
                Some((writer.operand(operand, &self.assignment), state.bounds(*node).text(&found.ty)))
            }
            Operand::Readout { candidate, readout } => {
                let entry = program.readouts.get(*readout)?;
                let readings = world.readings.get(*readout)?;
                let reading = readings.get(*candidate).or_else(|| readings.first())?;
                Some((writer.operand(operand, &self.assignment), reading.outcome.text(&entry.ty, &ids)))
            }
            _ => None,
        };
        operands.iter().filter_map(said).collect()
    }

    /// Two assignments that differ in one leaf.
    fn order(&self, writer: &Writer<'_>, leaf: NodeId, falls: bool) -> String {
        let sink = writer.phrases.of(writer.program.sink);
        let sign = if falls { "<=" } else { ">=" };
        let name = &self.assignment.record;
        if !writer.layout.is_shared(leaf) {
            if let [a, b] = self.assignment.ids.as_slice() {
                let expected = format!("{a}.{sink} {sign} {b}.{sink}");
                let outcome = writer.sinks(&self.assignment);
                return writer.test(&self.assignment, name, &expected, &outcome);
            }
            return String::new();
        }
        // A criterion that sees no candidate is the same for all of a record, so there are two records, and the second must
        // not come out below (above) the first.
        let values = writer.sinks(&self.assignment);
        let (Some((_, low)), Some((_, high))) = (values.first(), values.get(1)) else { return String::new() };
        let alone = |at: usize| Assignment {
            leaves: self.assignment.leaves.get(at).cloned().into_iter().collect(),
            rest: self.assignment.rest.get(at).cloned().into_iter().collect(),
            record: name.clone(),
            ids: vec![writer.program.candidate.to_string()],
        };
        let before = writer.test(&alone(0), &format!("{name}, before"), &format!("{sink} == {low}"), &[]);
        let turned = if falls { ">=" } else { "<=" };
        let found = [(sink.clone(), high.clone())];
        let after = writer.test(&alone(1), &format!("{name}, after"), &format!("{sink} {turned} {low}"), &found);
        format!("{before}\n{after}")
    }
}

struct Writer<'p> {
    program: &'p Program,
    phrases: Phrases<'p>,
    layout: Layout,
    list_of: HashMap<NodeId, usize>,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program) -> Writer<'p> {
        let lists = program.checklists.iter().enumerate();
        let list_of = lists.flat_map(|(at, list)| list.items.iter().map(move |item| (item.node, at))).collect();
        Writer { program, phrases: Phrases::new(program), layout: Layout::of(program), list_of }
    }

    /// The value of the sink for each candidate.
    fn sinks(&self, assignment: &Assignment) -> Vec<(String, String)> {
        let referee = Referee::new(self.program);
        let states = referee.states(&filled(self.program, assignment.complete())).unwrap_or_default();
        let ty = self.program.node(self.program.sink).map_or(Type::BOOL, |node| node.ty.clone());
        let sink = self.phrases.of(self.program.sink);
        let pairs = assignment.ids.iter().zip(&states);
        pairs.map(|(id, state)| (format!("{id}.{sink}"), state.bounds(self.program.sink).text(&ty))).collect()
    }

    fn test(&self, assignment: &Assignment, name: &str, expected: &str, outcome: &[(String, String)]) -> String {
        let mut open = BTreeSet::new();
        let mut test = format!("test {} {{\n", quote(name));
        match assignment.leaves.as_slice() {
            [one] => block(&mut test, "", &self.entries(one, &mut open)),
            several => {
                let first = several.first().cloned().unwrap_or_default();
                let (shared, _) = self.parted(&first);
                block(&mut test, "", &self.entries(&shared, &mut open));
                for (id, given) in assignment.ids.iter().zip(several) {
                    let (_, own) = self.parted(given);
                    block(&mut test, id, &self.entries(&own, &mut open));
                }
            }
        }
        for said in open {
            let _ = writeln!(test, "  // fields such that {said}");
        }
        let found: Vec<String> = outcome.iter().map(|(what, value)| can_be(what, value)).collect();
        if found.is_empty() {
            let _ = writeln!(test, "  expect {expected}");
        } else {
            let _ = writeln!(test, "  expect {expected}  // {}", found.join(", "));
        }
        test.push('}');
        test
    }

    /// What is the same for all candidates, and the rest.
    fn parted(&self, given: &Leaves) -> (Leaves, Leaves) {
        given.iter().map(|(id, leaf)| (*id, leaf.clone())).partition(|(id, _)| self.layout.is_shared(*id))
    }

    fn entries(&self, given: &Leaves, open: &mut BTreeSet<String>) -> Vec<String> {
        let mut entries = Vec::new();
        let mut whole: BTreeSet<usize> = BTreeSet::new();
        let mut cuts: BTreeMap<String, Vec<(Cut, Value)>> = BTreeMap::new();
        for (id, leaf) in given {
            let Some(node) = self.program.node(*id) else { continue };
            let value = match leaf {
                Leaf::Known(value) => value,
                Leaf::Items(items) => {
                    entries.extend(self.items(*id, items));
                    continue;
                }
                Leaf::Missing(_) => continue,
            };
            if let Some(at) = self.list_of.get(id)
                && let Some(list) = self.program.checklists.get(*at)
            {
                if whole.contains(at) {
                    continue;
                }
                let name = self.phrases.of(*id);
                let name = name.split(['.', '[']).next().unwrap_or_default();
                if let Some(entry) = whole_list(name, list, given) {
                    whole.insert(*at);
                    entries.push(entry);
                    continue;
                }
            }
            let name = self.phrases.of(*id);
            let said = format!("{name}: {}", value.text(&node.ty));
            if let Some(cut) = implied::cut(node) {
                cuts.entry(cut.field.to_string()).or_default().push((cut, value.clone()));
                continue;
            }
            // Another implied rule has no name of its own.
            if name.contains([' ', '(']) {
                open.insert(format!("`{name}` is {}", value.text(&node.ty)));
            } else {
                entries.push(said);
            }
        }
        for (field, wanted) in cuts {
            match implied::value(&wanted) {
                Some(Some(number)) => entries.push(format!("{field}: {}", number.exact())),
                Some(None) => entries.push(format!("{field}: unknown")),
                None => drop(open.insert(format!("what compares `{field}` is as wanted"))),
            }
        }
        entries
    }

    /// The items of a `checklist … from`: their field, then which are met.
    fn items(&self, node: NodeId, items: &[ItemState]) -> Vec<String> {
        let name = self.phrases.of(node);
        let Some(NodeKind::Items { field, .. }) = self.program.node(node).map(|node| &node.kind) else {
            return Vec::new();
        };
        let field = self.program.field(*field).map_or("", |field| &*field.name);
        let json: Vec<serde_json::Value> = items
            .iter()
            .map(|item| {
                let points = Value::Number(item.points.clone()).json_exact(&Type::UNIT);
                serde_json::json!({ "id": item.id, "criterion": item.id, "points": points })
            })
            .collect();
        let unknown = items.iter().any(|item| matches!(item.met, Ok(None)));
        let met: Vec<&str> =
            items.iter().filter(|item| matches!(item.met, Ok(Some(true)))).map(|item| item.id.as_str()).collect();
        let judged = if unknown { "unknown".to_owned() } else { format!("[{}]", met.join(", ")) };
        vec![format!("{field}: {}", quote(&serde_json::Value::Array(json).to_string())), format!("{name}: {judged}")]
    }

    /// What an operand is called in a test; of several candidates with its candidate's name.
    fn operand(&self, operand: &Operand, assignment: &Assignment) -> String {
        let whose = |candidate: usize, name: String| match assignment.ids.get(candidate) {
            Some(id) if assignment.ids.len() > 1 => format!("{id}.{name}"),
            _ => name,
        };
        match operand {
            Operand::Node { candidate, node } => {
                let name = self.phrases.of(*node);
                if self.layout.is_shared(*node) { name } else { whose(*candidate, name) }
            }
            Operand::Readout { candidate, readout } => match self.program.readouts.get(*readout) {
                Some(entry) if entry.mode == Mode::Pointwise => whose(*candidate, entry.key().to_owned()),
                Some(entry) => entry.key().to_owned(),
                None => String::new(),
            },
            Operand::Constant(value) => value.text(&Type::BOOL),
            Operand::Wins(at) => assignment.ids.get(*at).cloned().unwrap_or_default(),
            Operand::Tie => "tie".to_owned(),
            Operand::Abstains => "unknown".to_owned(),
        }
    }

    /// A condition as an author writes it in a test. Recursion is bounded by the depth of expressions.
    fn condition(&self, condition: &Condition, assignment: &Assignment, inside: bool) -> String {
        let list = |all: &[Condition], word: &str| {
            let parts: Vec<String> = all.iter().map(|c| self.condition(c, assignment, true)).collect();
            let text = parts.join(word);
            if inside && all.len() > 1 { format!("({text})") } else { text }
        };
        match condition {
            Condition::And(all) => list(all, " and "),
            Condition::Or(all) => list(all, " or "),
            Condition::Not(of) => format!("not {}", self.condition(of, assignment, true)),
            Condition::Holds(operand) => self.operand(operand, assignment),
            Condition::Compare { op, left, right } => {
                let (a, b) = (self.side(left, right, assignment), self.side(right, left, assignment));
                let text = format!("{a} {} {b}", sign(*op));
                if inside { format!("({text})") } else { text }
            }
        }
    }

    /// A side of a comparison: a constant in the type of the other side.
    fn side(&self, operand: &Operand, other: &Operand, assignment: &Assignment) -> String {
        let Operand::Constant(value) = operand else { return self.operand(operand, assignment) };
        let ty = match other {
            Operand::Node { node, .. } => self.program.node(*node).map(|node| &node.ty),
            Operand::Readout { readout, .. } => self.program.readouts.get(*readout).map(|readout| &readout.ty),
            _ => None,
        };
        value.text(ty.unwrap_or(&Type::BOOL))
    }
}

/// What something can come to, in words.
pub(super) fn can_be(what: &str, value: &str) -> String {
    match value.strip_suffix(" wins") {
        Some(winner) => format!("{what} can go to {winner}"),
        None if value == "abstained" => format!("{what} can abstain"),
        None => format!("{what} can be {value}"),
    }
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

/// With some value for every criterion that is not there, so that everything comes to one outcome.
fn filled(program: &Program, mut assignment: Assignment) -> Assignment {
    for (at, node) in program.nodes.iter().enumerate() {
        let NodeKind::Criterion(_) = &node.kind else { continue };
        let value = match (&node.ty.base, node.ty.extremes()) {
            (_, Some((low, _))) => low,
            (Base::Choice(_), _) => Value::Label(0),
            (Base::Tally { labels, .. }, _) => Value::Tally(vec![0; labels.len()].into()),
            _ => Value::Set([].into()),
        };
        let id = NodeId(u32::try_from(at).unwrap_or(u32::MAX));
        for own in &mut assignment.leaves {
            own.entry(id).or_insert_with(|| Leaf::Known(value.clone()));
        }
    }
    assignment
}

/// A whole checklist in one entry, where every item is given and none is unknown.
fn whole_list(name: &str, list: &Checklist, given: &Leaves) -> Option<String> {
    let met = |node: NodeId| match given.get(&node) {
        Some(Leaf::Known(Value::Bool(met))) => Some(*met),
        _ => None,
    };
    let mut all = Vec::with_capacity(list.items.len());
    for item in &list.items {
        all.push((item, met(item.node)?));
    }
    if all.len() < 2 {
        return None;
    }
    if all.iter().all(|(item, met)| *met == item.points.is_positive()) {
        return Some(format!("{name}: best"));
    }
    if all.iter().all(|(item, met)| *met != item.points.is_positive()) {
        return Some(format!("{name}: worst"));
    }
    let names: Vec<String> = all
        .iter()
        .filter(|(_, met)| *met)
        .map(|(item, _)| item.id.as_deref().map_or_else(|| item.number.to_string(), quote_label))
        .collect();
    Some(format!("{name}: [{}]", names.join(", ")))
}

fn block(test: &mut String, name: &str, entries: &[String]) {
    if entries.is_empty() && name.is_empty() {
        return;
    }
    let head = if name.is_empty() { "  given".to_owned() } else { format!("  given {name}") };
    let line = format!("{head} {{ {} }}", entries.join(", "));
    if line.chars().count() <= WIDTH {
        let _ = writeln!(test, "{line}");
        return;
    }
    let _ = writeln!(test, "{head} {{");
    for entry in entries {
        let _ = writeln!(test, "    {entry},");
    }
    let _ = writeln!(test, "  }}");
}
