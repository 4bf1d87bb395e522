//! Runs another program on the judgments of a trace: what if the policy had been this.
//!
//! Criteria are matched by name. A criterion that the trace does not have is missing; so is a rule, or an `applies`, that
//! is written differently from the one in the trace, because a trace does not hold the fields that a rule reads. A recorded
//! judgment that is no value of the other program's criterion is missing with that reason.

use super::{Fault, Replay, Step};
use crate::catalog::NodeId;
use crate::graph::{Criterion, NodeKind, Procedure, Program};
use crate::run::engine::{Engine, Outcomes};
use crate::run::judgment::leaves::settle;
use crate::run::judgment::{Basis, Judged, JudgedLeaf};
use crate::run::leaf::{Leaf, Missing, MissingReason};
use crate::run::result::readouts_json;
use crate::run::trace::read::{RecordLine, Recorded};
use crate::types::Value;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::io::{self, BufRead};

/// A record under both programs.
#[derive(Debug)]
pub struct Compared {
    pub id: String,
    /// Readouts, in the order of the programs.
    pub changes: Vec<Change>,
}

/// One readout of one candidate, or of the record, under both programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub candidate: Option<String>,
    pub readout: String,
    /// As results have it; `None`: the program has no such readout.
    pub before: Option<Json>,
    pub after: Option<Json>,
}

impl Change {
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.before == self.after
    }
}

/// What came of one line.
#[derive(Debug)]
pub enum Next {
    Compared(Compared),
    /// The record failed when it was run.
    Failed,
    Fault(Fault),
}

impl<R: BufRead> Replay<'_, R> {
    /// Runs the next record under `other`; `None` at the end of the trace.
    ///
    /// # Errors
    /// As [`Replay::next_step`].
    pub fn next_compared(&mut self, other: &Engine) -> io::Result<Option<Next>> {
        let mut compared = None;
        let step = self.walk(|replay, found, record| {
            let checked = replay.check_record(found, record);
            if matches!(checked, Step::Record { .. })
                && let Some(engine) = replay.engines.get(&record.program)
            {
                match both(engine, other, record) {
                    Ok(both) => compared = Some(both),
                    Err(what) => {
                        let record = Some(record.id.clone());
                        return Step::Fault(Fault { line: found.number, record, what, difference: None });
                    }
                }
            }
            checked
        })?;
        Ok(step.map(|step| match step {
            Step::Fault(fault) => Next::Fault(fault),
            Step::Failed { .. } => Next::Failed,
            Step::Record { .. } => compared.map_or(Next::Failed, Next::Compared),
        }))
    }
}

fn both(engine: &Engine, other: &Engine, record: &RecordLine) -> Result<Compared, String> {
    let candidates = record.ids();
    let ids: Vec<&str> = candidates.iter().map(|id| id.as_deref().unwrap_or("")).collect();
    let before = engine.outcomes(&record.id, &ids, &record.judged(engine)?)?;
    let after = other.outcomes(&record.id, &ids, &carried(engine, other, record)?)?;
    let mut changes = Vec::new();
    let one = |engine: &Engine, outcomes: &Outcomes, place: Option<usize>| {
        let reads = match place {
            Some(place) => outcomes.pointwise.get(place).map_or(&[][..], Vec::as_slice),
            None => &outcomes.compared,
        };
        match readouts_json(engine, &candidates, reads) {
            Json::Object(map) => map,
            _ => Map::new(),
        }
    };
    for place in (0..candidates.len()).map(Some).chain([None]) {
        let (old, new) = (one(engine, &before, place), one(other, &after, place));
        let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        changes.extend(keys.map(|key| Change {
            candidate: place.and_then(|place| candidates.get(place).cloned().flatten()),
            readout: key.clone(),
            before: old.get(key).cloned(),
            after: new.get(key).cloned(),
        }));
    }
    Ok(Compared { id: record.id.clone(), changes })
}

/// The judgments of a record for the other program.
pub(super) fn carried(engine: &Engine, other: &Engine, record: &RecordLine) -> Result<Judged, String> {
    let (shared, own) = record.by_name();
    let mut judged = Judged { shared: Vec::new(), own: vec![Vec::new(); own.len()] };
    for leaf in &other.layout.leaves {
        if other.layout.is_shared(*leaf) {
            // Seen by a candidate before, by none now: it can only be carried where all candidates are one.
            let only = if let [only] = own.as_slice() { Some(only) } else { None };
            judged.shared.push(carry(engine, other, *leaf, &shared, only)?);
        } else {
            for (own, into) in own.iter().zip(&mut judged.own) {
                into.push(carry(engine, other, *leaf, &shared, Some(own))?);
            }
        }
    }
    Ok(judged)
}

fn carry(
    engine: &Engine,
    other: &Engine,
    leaf: NodeId,
    shared: &HashMap<&str, Recorded<'_>>,
    own: Option<&HashMap<&str, Recorded<'_>>>,
) -> Result<JudgedLeaf, String> {
    let Some(node) = other.program.node(leaf) else { return Err("a node is not there".to_owned()) };
    let (criterion, of_items) = match &node.kind {
        NodeKind::Criterion(criterion) => (criterion, false),
        NodeKind::Items { template, .. } => (template, true),
        NodeKind::Operator(_) => return Err(format!("`{}` is computed, not judged", node.name)),
    };
    let leaf_id = leaf;
    let mut judged = JudgedLeaf {
        node: leaf,
        basis: Basis::Recorded,
        recorded: Vec::new(),
        rejected: None,
        items: Vec::new(),
        leaf: Leaf::Missing(Missing::because(MissingReason::NotRecorded)),
    };
    let missing = |detail: String| {
        let leaf = Leaf::Missing(Missing { reason: MissingReason::Other, detail });
        Ok(JudgedLeaf {
            node: leaf_id,
            basis: Basis::Recorded,
            recorded: Vec::new(),
            rejected: None,
            items: Vec::new(),
            leaf,
        })
    };
    let Some(old) = own.and_then(|own| own.get(&*node.name)).or_else(|| shared.get(&*node.name)) else {
        return missing("the trace has no such criterion".to_owned());
    };
    let before = old_criterion(&engine.program, &node.name);
    let text = |rule: Option<&crate::rules::Rule>| rule.map(|rule| rule.text.clone());
    if text(criterion.applies.as_ref()) != text(before.and_then(|c| c.applies.as_ref())) {
        return missing(
            "`applies` is written differently, and the trace does not hold the fields that it reads".to_owned(),
        );
    }
    judged.basis = old.basis()?;
    if judged.basis == Basis::Rule {
        let rule = |criterion: &Criterion| match &criterion.procedure {
            Procedure::Rule(rule) => Some(rule.text.clone()),
            _ => None,
        };
        if before.and_then(rule) != rule(criterion) {
            return missing(
                "its rule is written differently, and the trace does not hold the fields that it reads".into(),
            );
        }
        let value = old.value().map(|value| Value::from_json(value, &node.ty));
        judged.leaf = match value {
            Some(Ok(value)) => Leaf::Known(value),
            Some(Err(fault)) => return missing(fault),
            None => return missing("the trace does not have its value".to_owned()),
        };
        return Ok(judged);
    }
    judged.recorded = old.entries().to_vec();
    judged.rejected = old.rejected().map(str::to_owned);
    judged.items = old.items()?;
    match settle(criterion, &node.ty, of_items, &judged) {
        Ok(leaf) => {
            judged.leaf = leaf;
            Ok(judged)
        }
        Err(fault) => {
            judged.leaf = Leaf::Missing(Missing { reason: MissingReason::Other, detail: fault });
            Ok(judged)
        }
    }
}

fn old_criterion<'a>(program: &'a Program, name: &str) -> Option<&'a Criterion> {
    match &program.node(program.find(name)?)?.kind {
        NodeKind::Criterion(criterion) | NodeKind::Items { template: criterion, .. } => Some(criterion),
        NodeKind::Operator(_) => None,
    }
}
