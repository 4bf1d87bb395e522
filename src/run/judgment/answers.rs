//! Answers that judges gave after a record was read: entries like recorded ones, through the same door.
//!
//! An answer stands where nothing was recorded, or where what was recorded is no judgment (`null`); so a run that asks and
//! a replay of its trace come to the same.

use super::leaves::{Judged, JudgedLeaf, rejected, settle};
use crate::catalog::NodeId;
use crate::graph::{NodeKind, Program};
use crate::run::record::Record;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// What a judge answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The place of the candidate; `None`: of a criterion that sees no candidate.
    pub candidate: Option<usize>,
    /// The criterion, or the `checklist … from` whose item it is.
    pub leaf: NodeId,
    /// The place of the item in its list.
    pub item: Option<usize>,
    /// As it would stand in a record.
    pub entry: Json,
}

/// Puts answers in their places, and finds out again what is known of those leaves.
///
/// # Errors
/// A sentence that names the criterion, where an answer is for something that the record does not have, or is no value of
/// its criterion. Answers of judges are read before they come here, so this is a fault of the program that asked.
pub fn add(program: &Program, record: &Record, judged: &mut Judged, answers: Vec<Answer>) -> Result<(), String> {
    let mut touched: BTreeSet<(Option<usize>, usize)> = BTreeSet::new();
    for answer in answers {
        let name = || program.node(answer.leaf).map_or("a criterion", |node| &*node.name);
        let lost = || format!("`{}`: an answer came for something that the record does not have", name());
        let list = list(judged, answer.candidate).ok_or_else(lost)?;
        // Leaves stand in the program's order, whose places are their ids.
        let at = list.binary_search_by_key(&answer.leaf, |leaf| leaf.node).map_err(|_| lost())?;
        let leaf = list.get_mut(at).ok_or_else(lost)?;
        let recorded = match answer.item {
            None => &mut leaf.recorded,
            Some(item) => &mut leaf.items.get_mut(item).ok_or_else(lost)?.recorded,
        };
        *recorded = vec![answer.entry];
        touched.insert((answer.candidate, at));
    }
    for (candidate, at) in touched {
        let fields = candidate.and_then(|place| record.candidates.get(place)).map(|candidate| &candidate.fields);
        let Some(leaf) = list(judged, candidate).and_then(|list| list.get_mut(at)) else { continue };
        let Some(node) = program.node(leaf.node) else { continue };
        let (criterion, of_items) = match &node.kind {
            NodeKind::Criterion(criterion) => (criterion, false),
            NodeKind::Items { template, .. } => (template, true),
            NodeKind::Operator(_) => return Err(format!("`{}`: it is computed, not judged", node.name)),
        };
        leaf.rejected = rejected(criterion, &leaf.recorded, fields);
        for item in &mut leaf.items {
            item.rejected = rejected(criterion, &item.recorded, fields);
        }
        leaf.leaf = settle(criterion, &node.ty, of_items, leaf).map_err(|fault| format!("`{}`: {fault}", node.name))?;
    }
    Ok(())
}

fn list(judged: &mut Judged, candidate: Option<usize>) -> Option<&mut Vec<JudgedLeaf>> {
    match candidate {
        None => Some(&mut judged.shared),
        Some(place) => judged.own.get_mut(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing;
    use crate::number::Number;
    use crate::run::judgment::judge;
    use crate::run::leaf::{Leaf, MissingReason};
    use crate::run::record::{DataFormat, Layout, Records};
    use crate::types::Value;
    use serde_json::json;

    fn prepared() -> (Program, Record, Judged) {
        let program = testing::sample();
        let layout = Layout::of(&program);
        let text = r#"{"question": "q", "answer": "a", "judgments": {"harmful": null}}"#;
        let mut records = Records::from_reader(Box::new(text.as_bytes()), Some(DataFormat::Jsonl)).unwrap();
        let mut record = Record::read(records.next_record().unwrap().unwrap(), &program, &layout).unwrap();
        let judged = judge(&program, &layout, &mut record, Vec::new(), None).unwrap();
        (program, record, judged)
    }

    fn answer(program: &Program, name: &str, entry: Json) -> Answer {
        Answer { candidate: Some(0), leaf: program.find(name).unwrap(), item: None, entry }
    }

    #[test]
    fn an_answer_is_read_as_a_recorded_judgment() {
        let (program, record, mut judged) = prepared();
        let answers = vec![
            answer(&program, "accurate", json!({"values": [4], "by": "m-1"})),
            answer(&program, "harmful", json!({"missing": "outage: no route"})),
        ];
        add(&program, &record, &mut judged, answers).unwrap();
        assert_eq!(judged.own[0][0].leaf, Leaf::Known(Value::Number(Number::int(4))));
        let Leaf::Missing(missing) = &judged.own[0][1].leaf else { panic!("{:?}", judged.own[0][1]) };
        assert_eq!((missing.reason, missing.detail.as_str()), (MissingReason::Outage, "no route"));
    }

    #[test]
    fn an_answer_that_fits_nothing_is_a_fault_and_no_value() {
        let (program, record, mut judged) = prepared();
        let mut of = |answer| add(&program, &record, &mut judged, vec![answer]).unwrap_err();
        assert!(of(answer(&program, "accurate", json!({"value": 9}))).contains("`accurate`"));
        assert!(of(Answer { candidate: Some(3), ..answer(&program, "accurate", json!(4)) }).contains("does not have"));
        assert!(of(Answer { item: Some(0), ..answer(&program, "accurate", json!(4)) }).contains("does not have"));
        assert!(of(answer(&program, "quality", json!(0.5))).contains("does not have"));
    }
}
