//! A difference as a `test` that an author can paste.

use super::search::{Difference, NAMES};
use crate::catalog::NodeId;
use crate::graph::text::Phrases;
use crate::graph::{Checklist, Mode, NodeKind, Program, Readout};
use crate::run::readout::Outcome;
use crate::run::record::Layout;
use crate::types::{Type, Value, quote, quote_label};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// A test that tells two versions apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The whole block.
    pub test: String,
    /// What it expects: what the program says (`pointwise == 3`).
    pub original: String,
    /// What the changed one says.
    pub changed: String,
    /// Judgments that a test cannot give by name (comparisons of number fields); their fields are left to the author.
    pub open: Vec<String>,
}

/// Judgments by node.
type Given = Vec<(NodeId, Value)>;

/// Writes tests for one program.
pub struct Suggester<'p> {
    program: &'p Program,
    phrases: Phrases<'p>,
    layout: Layout,
    /// Per item, its checklist.
    list_of: HashMap<NodeId, usize>,
}

impl<'p> Suggester<'p> {
    #[must_use]
    pub fn new(program: &'p Program) -> Suggester<'p> {
        let lists = program.checklists.iter().enumerate();
        let list_of = lists.flat_map(|(at, list)| list.items.iter().map(move |item| (item.node, at))).collect();
        Suggester { program, phrases: Phrases::new(program), layout: Layout::of(program), list_of }
    }

    /// A test called `name` of what the program says on these judgments.
    #[must_use]
    pub fn test(&self, name: &str, found: &Difference) -> Option<Suggestion> {
        let readout = self.program.readouts.get(found.readout)?;
        let mut open = Vec::new();
        let mut test = format!("test {} {{\n", quote(name));
        match found.given.as_slice() {
            [one] => block(&mut test, "", &self.entries(one, &mut open)),
            several => {
                let (shared, _) = self.parted(several.first()?);
                block(&mut test, "", &self.entries(&shared, &mut open));
                for (name, given) in NAMES.iter().zip(several) {
                    let (_, own) = self.parted(given);
                    block(&mut test, name, &self.entries(&own, &mut open));
                }
            }
        }
        let expected = expectations(readout, &found.original);
        for line in &expected {
            let _ = writeln!(test, "  expect {line}");
        }
        test.push('}');
        let text = |outcome: &Outcome| format!("{} = {}", readout.key(), outcome.text(&readout.ty, &NAMES));
        Some(Suggestion { test, original: text(&found.original), changed: text(&found.changed), open })
    }

    /// What is the same for all candidates, and the rest.
    fn parted(&self, given: &[(NodeId, Value)]) -> (Given, Given) {
        given.iter().cloned().partition(|(id, _)| self.layout.is_shared(*id))
    }

    /// The entries of a `given`.
    fn entries(&self, given: &[(NodeId, Value)], open: &mut Vec<String>) -> Vec<String> {
        let mut entries = Vec::new();
        let mut whole: HashSet<usize> = HashSet::new();
        for (id, value) in given {
            let Some(node) = self.program.node(*id) else { continue };
            if let NodeKind::Items { field, .. } = &node.kind {
                let field = self.program.field(*field).map_or("", |f| &*f.name);
                entries.extend(self.items(*id, field, value));
                continue;
            }
            if let Some(at) = self.list_of.get(id)
                && let Some(list) = self.program.checklists.get(*at)
            {
                if whole.contains(at) {
                    continue;
                }
                if let Some(entry) = whole_list(list, given) {
                    whole.insert(*at);
                    entries.push(entry);
                    continue;
                }
            }
            let name = self.phrases.of(*id);
            if name.contains(' ') {
                // An implied rule has no name of its own.
                let said = format!("{name}: {}", value.text(&node.ty));
                if !open.contains(&said) {
                    open.push(said);
                }
                continue;
            }
            entries.push(format!("{name}: {}", value.text(&node.ty)));
        }
        entries
    }

    /// The items of a `checklist … from`: their field, then each.
    fn items(&self, node: NodeId, field: &str, value: &Value) -> Vec<String> {
        let Value::Items(items) = value else { return Vec::new() };
        let name = self.program.checklists.iter().find(|list| list.from == Some(node)).map_or("", |list| &*list.name);
        let json: Vec<serde_json::Value> = (1..)
            .zip(items.iter())
            .map(|(n, item)| {
                let points = Value::Number(item.points.clone()).json_exact(&Type::UNIT);
                serde_json::json!({ "criterion": format!("item {n}"), "points": points })
            })
            .collect();
        let mut entries = vec![format!("{field}: {}", quote(&serde_json::Value::Array(json).to_string()))];
        let met: Vec<String> = (1..)
            .zip(items.iter())
            .filter(|(_, item)| item.met == Some(true))
            .map(|(n, _): (u32, _)| n.to_string())
            .collect();
        // The search makes lists of which all items are unknown, or none.
        let unknown = !items.is_empty() && items.iter().all(|item| item.met.is_none());
        entries.push(if unknown { format!("{name}: unknown") } else { format!("{name}: [{}]", met.join(", ")) });
        entries
    }
}

/// A whole checklist in one entry, where every item is given, none unknown, and those that are met have ids.
fn whole_list(list: &Checklist, given: &[(NodeId, Value)]) -> Option<String> {
    let by_node: HashMap<NodeId, &Value> = given.iter().map(|(id, value)| (*id, value)).collect();
    let met = |item: &crate::graph::Item| by_node.get(&item.node).and_then(|value| value.as_bool());
    let all: Option<Vec<(&crate::graph::Item, bool)>> =
        list.items.iter().map(|item| Some((item, met(item)?))).collect();
    let all = all?;
    if all.len() < 2 {
        return None;
    }
    let name = &list.name;
    if all.iter().all(|(item, met)| *met == item.points.is_positive()) {
        return Some(format!("{name}: best"));
    }
    if all.iter().all(|(item, met)| *met != item.points.is_positive()) {
        return Some(format!("{name}: worst"));
    }
    let ids: Option<Vec<String>> =
        all.iter().filter(|(_, met)| *met).map(|(item, _)| item.id.as_deref().map(quote_label)).collect();
    Some(format!("{name}: [{}]", ids?.join(", ")))
}

fn block(test: &mut String, name: &str, entries: &[String]) {
    if entries.is_empty() && name.is_empty() {
        return;
    }
    let head = if name.is_empty() { "  given".to_owned() } else { format!("  given {name}") };
    let line = format!("{head} {{ {} }}", entries.join(", "));
    if line.chars().count() <= 110 {
        let _ = writeln!(test, "{line}");
        return;
    }
    let _ = writeln!(test, "{head} {{");
    for entry in entries {
        let _ = writeln!(test, "    {entry},");
    }
    let _ = writeln!(test, "  }}");
}

/// What a readout is expected to say.
fn expectations(readout: &Readout, outcome: &Outcome) -> Vec<String> {
    let key = readout.key();
    let is = |what: &str| vec![format!("{key} == {what}")];
    match outcome {
        Outcome::Value(Value::Bool(true)) => vec![key.to_owned()],
        Outcome::Value(Value::Bool(false)) => vec![format!("not {key}")],
        Outcome::Value(value) => is(&value.text(&readout.ty)),
        Outcome::Abstained => is("unknown"),
        Outcome::Winner(at) => is(NAMES.get(*at).unwrap_or(&"a")),
        Outcome::Tie => is("tie"),
        Outcome::Ranking(ranks) if readout.mode == Mode::Listwise => {
            NAMES.iter().zip(ranks).map(|(name, rank)| format!("{name}.{key} == {rank}")).collect()
        }
        Outcome::Ranking(_) | Outcome::Open(_) => Vec::new(),
    }
}
