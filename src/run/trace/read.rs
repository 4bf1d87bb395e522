//! Reads a trace line by line.

use super::FORMAT;
use super::chain::Chain;
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::run::engine::Engine;
use crate::run::judgment::leaves::settle;
use crate::run::judgment::{Basis, Judged, JudgedItem, JudgedLeaf};
use crate::run::leaf::{Leaf, Missing, MissingReason};
use crate::run::record::json;
use crate::run::record::lines::Lines;
use crate::types::Value;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::io::BufRead;

/// A line of a trace.
#[derive(Debug)]
pub enum Line {
    Head,
    Program { number: usize, digest: String, json: String },
    Record(Box<RecordLine>),
    Failed { id: Option<String>, reason: String },
    End { records: u64 },
}

/// A record's line, without what a replay computes itself.
#[derive(Debug, Deserialize)]
pub struct RecordLine {
    #[serde(rename = "record")]
    pub id: String,
    pub line: u64,
    pub program: usize,
    shared: Vec<LeafLine>,
    candidates: Vec<CandidateLine>,
}

#[derive(Debug, Deserialize)]
struct CandidateLine {
    id: Option<String>,
    leaves: Vec<LeafLine>,
}

#[derive(Debug, Deserialize)]
struct LeafLine {
    node: String,
    basis: Option<String>,
    #[serde(default)]
    recorded: Vec<Json>,
    rejected: Option<String>,
    value: Option<Json>,
    #[serde(default)]
    items: Vec<ItemLine>,
}

#[derive(Debug, Deserialize)]
struct ItemLine {
    id: String,
    points: Json,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    recorded: Vec<Json>,
    rejected: Option<String>,
}

/// A line with its place.
#[derive(Debug)]
pub struct Found {
    /// From 1.
    pub number: u64,
    /// Whether its check holds.
    pub holds: bool,
    /// The line up to its check.
    pub body: String,
    /// An error is a sentence that says why the line cannot be read.
    pub line: Result<Line, String>,
}

/// Reads a trace.
pub struct Reader<R> {
    lines: Lines<R>,
    chain: Chain,
}

impl<R: BufRead> Reader<R> {
    pub fn new(reader: R) -> Reader<R> {
        Reader { lines: Lines::new(reader), chain: Chain::default() }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// Where the file cannot be read any further.
    pub fn next_line(&mut self) -> std::io::Result<Option<Found>> {
        while let Some(line) = self.lines.next_line()? {
            let number = line.number;
            let text = match line.text {
                Ok("") => continue,
                Ok(text) => text,
                Err(fault) => return Ok(Some(Found { number, holds: false, body: String::new(), line: Err(fault) })),
            };
            let Some(checked) = self.chain.open(text) else {
                let cut = if line.complete { "" } else { "; the trace is cut off here" };
                let fault = format!("the line does not end in a check{cut}");
                return Ok(Some(Found { number, holds: false, body: text.to_owned(), line: Err(fault) }));
            };
            let read = parse(&format!("{}}}", checked.body));
            return Ok(Some(Found { number, holds: checked.holds, body: checked.body.to_owned(), line: read }));
        }
        Ok(None)
    }
}

fn parse(text: &str) -> Result<Line, String> {
    // Nearly all lines are of records that were run; only what is none, or is damaged, is looked at a second time.
    if text.starts_with("{\"record\":")
        && let Ok(record) = serde_json::from_str::<RecordLine>(text)
    {
        return Ok(Line::Record(Box::new(record)));
    }
    let json = json::parse(text)?;
    let number = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_owned).parse::<u64>().ok();
    if let Some(format) = json.get("trace") {
        return match format.as_str() {
            Some(FORMAT) => Ok(Line::Head),
            _ => Err(format!("the trace has the format {format}; this version reads {FORMAT:?}")),
        };
    }
    if let Some(program) = json.get("program").filter(|program| program.is_object()) {
        let digest = json.get("digest").and_then(Json::as_str).unwrap_or("").to_owned();
        let number = json.get("number").and_then(number).and_then(|n| usize::try_from(n).ok());
        let number = number.ok_or("the program has no number")?;
        return Ok(Line::Program { number, digest, json: program.to_string() });
    }
    if let Some(end) = json.get("end") {
        let records = end.get("records").and_then(number).ok_or("the end does not say how many records there are")?;
        return Ok(Line::End { records });
    }
    match (json.get("record"), json.get("failed").and_then(Json::as_str)) {
        (Some(id), Some(reason)) => Ok(Line::Failed { id: id.as_str().map(str::to_owned), reason: reason.to_owned() }),
        (Some(_), None) => serde_json::from_str::<RecordLine>(text)
            .map(|record| Line::Record(Box::new(record)))
            .map_err(|error| format!("the line is no record of a trace: {error}")),
        _ => Err("the line is none of a trace".to_owned()),
    }
}

impl RecordLine {
    /// The candidates' ids.
    #[must_use]
    pub fn ids(&self) -> Vec<Option<String>> {
        self.candidates.iter().map(|candidate| candidate.id.clone()).collect()
    }

    /// What was judged, joined again from what was recorded.
    ///
    /// # Errors
    /// A sentence that names the node: one that the program does not have, or lacks; an entry that cannot be read.
    pub fn judged(&self, engine: &Engine) -> Result<Judged, String> {
        let shared = self.shared.iter().map(|leaf| judged_leaf(engine, leaf)).collect::<Result<_, _>>()?;
        let own = |candidate: &CandidateLine| {
            candidate.leaves.iter().map(|leaf| judged_leaf(engine, leaf)).collect::<Result<Vec<_>, _>>()
        };
        let own = self.candidates.iter().map(own).collect::<Result<Vec<_>, _>>()?;
        let judged = Judged { shared, own };
        complete(engine, &judged)?;
        Ok(judged)
    }

    /// The leaves by name, shared ones and each candidate's, as recorded, for another program.
    pub(in crate::run) fn by_name(&self) -> (HashMap<&str, Recorded<'_>>, Vec<HashMap<&str, Recorded<'_>>>) {
        (by_name(&self.shared), self.candidates.iter().map(|candidate| by_name(&candidate.leaves)).collect())
    }
}

fn by_name(leaves: &[LeafLine]) -> HashMap<&str, Recorded<'_>> {
    leaves.iter().map(|leaf| (leaf.node.as_str(), Recorded { leaf })).collect()
}

/// A leaf as a trace has it.
#[derive(Debug, Clone, Copy)]
pub(in crate::run) struct Recorded<'a> {
    leaf: &'a LeafLine,
}

impl Recorded<'_> {
    pub(in crate::run) fn basis(&self) -> Result<Basis, String> {
        basis(self.leaf)
    }

    pub(in crate::run) fn value(&self) -> Option<&Json> {
        self.leaf.value.as_ref()
    }

    pub(in crate::run) fn entries(&self) -> &[Json] {
        &self.leaf.recorded
    }

    pub(in crate::run) fn rejected(&self) -> Option<&str> {
        self.leaf.rejected.as_deref()
    }

    pub(in crate::run) fn items(&self) -> Result<Vec<JudgedItem>, String> {
        self.leaf.items.iter().map(judged_item).collect()
    }
}

/// Whether every leaf of the program is there once.
fn complete(engine: &Engine, judged: &Judged) -> Result<(), String> {
    let wanted =
        |shared: bool| engine.layout.leaves.iter().filter(move |leaf| engine.layout.is_shared(**leaf) == shared);
    let lists = std::iter::once((true, &judged.shared)).chain(judged.own.iter().map(|own| (false, own)));
    for (shared, list) in lists {
        if !list.iter().map(|leaf| &leaf.node).eq(wanted(shared)) {
            let names =
                |id: &crate::catalog::NodeId| engine.program.node(*id).map_or(String::new(), |n| n.name.to_string());
            let missing = wanted(shared).find(|id| !list.iter().any(|leaf| leaf.node == **id)).map(names);
            return Err(match missing {
                Some(name) => format!("node `{name}` is not in the line"),
                None => "the leaves do not stand in the program's order".to_owned(),
            });
        }
    }
    Ok(())
}

fn judged_leaf(engine: &Engine, line: &LeafLine) -> Result<JudgedLeaf, String> {
    let program: &Program = &engine.program;
    let named = |fault: String| format!("node `{}`: {fault}", line.node);
    let id =
        engine.layout.find_leaf(&line.node).ok_or_else(|| named("the program has no such criterion".to_owned()))?;
    let Some(node) = program.node(id) else { return Err(named("the program has no such node".to_owned())) };
    let (criterion, of_items) = match &node.kind {
        NodeKind::Criterion(criterion) => (criterion, false),
        NodeKind::Items { template, .. } => (template, true),
        NodeKind::Operator(_) => return Err(named("it is computed, not judged".to_owned())),
    };
    let mut judged = JudgedLeaf {
        node: id,
        basis: basis(line).map_err(named)?,
        recorded: line.recorded.clone(),
        rejected: line.rejected.clone(),
        items: line.items.iter().map(judged_item).collect::<Result<_, _>>().map_err(named)?,
        leaf: Leaf::Missing(Missing::because(MissingReason::NotRecorded)),
    };
    if judged.basis == Basis::Rule {
        let value = line.value.as_ref().ok_or_else(|| named("the value of its rule is missing".to_owned()))?;
        judged.leaf = Leaf::Known(Value::from_json(value, &node.ty).map_err(named)?);
    }
    judged.leaf = settle(criterion, &node.ty, of_items, &judged).map_err(named)?;
    Ok(judged)
}

fn basis(line: &LeafLine) -> Result<Basis, String> {
    match line.basis.as_deref() {
        None => Ok(Basis::Recorded),
        Some("rule") => Ok(Basis::Rule),
        Some("not_applicable") => Ok(Basis::NotApplicable),
        Some(other) => Err(format!("`{other}` is no basis of a judgment")),
    }
}

fn judged_item(item: &ItemLine) -> Result<JudgedItem, String> {
    let points = match &item.points {
        Json::Number(number) => Number::from_decimal(number.as_str()).map_err(|error| error.to_string())?,
        Json::String(text) => Number::from_exact(text).map_err(|error| error.to_string())?,
        _ => return Err(format!("the points of item `{}` are no number", item.id)),
    };
    Ok(JudgedItem {
        id: item.id.clone(),
        points,
        tags: item.tags.clone(),
        recorded: item.recorded.clone(),
        rejected: item.rejected.clone(),
    })
}
