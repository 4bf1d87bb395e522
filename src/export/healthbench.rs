//! Programs as rows of HealthBench: a conversation with criteria of signed points.
//!
//! Expressible is what scores as HealthBench does: `points(…)` of one checklist whose judges may not abstain, in a `clamp`
//! only where it changes nothing. Items that come with the records go out with them. Without records one row is written,
//! whose conversation is empty.

use super::{Refusal, Taker, number, plain};
use crate::catalog::Op;
use crate::graph::{NodeKind, Procedure, Program};
use crate::types::{FieldKind, Role};
use serde_json::{Map, Value as Json, json};

/// A program that can be written as rows.
pub struct Rows<'p> {
    program: &'p Program,
    /// The rubric of every row, or the field that each record has it in.
    rubrics: Result<Vec<Json>, String>,
}

/// Takes a program apart.
///
/// # Errors
/// Everything that HealthBench has no place for.
pub fn rows(program: &Program) -> Result<Rows<'_>, Vec<Refusal>> {
    let mut taker = Taker::new(program);
    let flat = taker.flat();
    let mut rubrics = Vec::new();
    for slot in &flat.slots {
        let Some(criterion) = taker.asked(slot.node) else { continue };
        if matches!(criterion.procedure, Procedure::Rule(_)) {
            taker.refuse(slot.node, "a rule has no place there");
        }
        if slot.negated {
            taker.refuse(slot.node, "`not` has no place there; give negative points to what is bad");
        }
        let Some(text) = plain(&criterion.ask) else {
            taker.refuse(slot.node, "a text that inserts a field has no place there");
            continue;
        };
        let tags: Vec<String> = criterion.tags.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        rubrics.push(json!({"criterion": text, "points": number(&slot.weight), "tags": tags}));
    }
    if taker.refused.is_empty() && !scores_by_points(program) {
        taker.refuse(program.sink, "the score is not `points(…)`, the points met over all positive points");
    }
    let field = flat.from.and_then(|id| match &program.node(id)?.kind {
        NodeKind::Items { field, .. } => Some(program.field(*field)?.name.to_string()),
        _ => None,
    });
    taker.finish(|_, _| false);
    if !taker.refused.is_empty() {
        return Err(taker.refused);
    }
    Ok(Rows { program, rubrics: field.map_or(Ok(rubrics), Err) })
}

/// Whether the sink, clamps apart, is `points` (or a `fraction`, which is points of one each).
fn scores_by_points(program: &Program) -> bool {
    let mut at = program.sink;
    loop {
        let Some(NodeKind::Operator(operation)) = program.node(at).map(|node| &node.kind) else { return false };
        match operation.op {
            Op::Points | Op::Fraction => return true,
            Op::Clamp => {
                match operation.ports.first().and_then(|port| port.inputs.first()).and_then(|input| input.node()) {
                    Some(inner) => at = inner,
                    None => return false,
                }
            }
            _ => return false,
        }
    }
}

impl Rows<'_> {
    /// The row of a record; `None` stands for no record.
    ///
    /// # Errors
    /// A sentence: the record does not hold what the row needs.
    pub fn row(&self, record: Option<&Map<String, Json>>, number: u64) -> Result<Json, String> {
        let rubrics = match (&self.rubrics, record) {
            (Ok(rubrics), _) => Json::Array(rubrics.clone()),
            (Err(field), Some(record)) => {
                let list = record.get(field).and_then(Json::as_array);
                let list = list.ok_or_else(|| format!("the field `{field}`, which holds the items, is no list"))?;
                Json::Array(list.iter().map(with_tags).collect())
            }
            (Err(field), None) => {
                return Err(format!("the items come with each record, in `{field}`; name the records with `--data`"));
            }
        };
        let id = record.and_then(|record| record.get("id")).map_or_else(
            || if record.is_some() { json!(format!("row-{number}")) } else { json!(self.program.name.as_ref()) },
            Clone::clone,
        );
        let prompt = record.map_or_else(|| Ok(json!([])), |record| self.prompt(record))?;
        let mut row = json!({"prompt_id": id, "prompt": prompt, "rubrics": rubrics, "example_tags": [],
            "ideal_completions_data": null});
        if let (Some(object), Some(tags)) =
            (row.as_object_mut(), record.and_then(|r| r.get("tags")).filter(|t| t.is_array()))
        {
            object.insert("example_tags".into(), tags.clone());
        }
        Ok(row)
    }

    /// The inputs of a record as a conversation: the first chat, or all texts as one turn of the user.
    fn prompt(&self, record: &Map<String, Json>) -> Result<Json, String> {
        let inputs = || self.program.fields.iter().filter(|field| field.role == Role::Input);
        if let Some(chat) = inputs().find(|field| field.kind == FieldKind::Chat) {
            let found = record.get(chat.name.as_ref()).filter(|chat| chat.is_array());
            return found.cloned().ok_or_else(|| format!("the field `{}` is no conversation", chat.name));
        }
        let texts: Vec<&str> = inputs().filter_map(|field| record.get(field.name.as_ref())?.as_str()).collect();
        Ok(json!([{"role": "user", "content": texts.join("\n\n")}]))
    }
}

/// An item of a record, with the list of tags that a row has.
fn with_tags(item: &Json) -> Json {
    json!({"criterion": item.get("criterion"), "points": item.get("points"),
        "tags": item.get("tags").cloned().unwrap_or_else(|| json!([]))})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn program(body: &str) -> std::sync::Arc<Program> {
        let text = format!("rubric p\ninput question: text\ncandidate answer: text\n{body}");
        crate::project::open_text("p", Path::new("."), text).program.expect("a program")
    }

    #[test]
    fn a_checklist_of_points_is_a_row() {
        let program = program(
            "checklist care { +5 \"Asks how long\" { tag axis \"context\" } -8 \"Gives a dose\" }\nreduce s = points(care)\n\
             readout pointwise = s\n",
        );
        let rows = rows(&program).ok().unwrap();
        let record = json!({"id": "a", "question": "A rash?"});
        let row = rows.row(record.as_object(), 1).unwrap();
        assert_eq!(row["rubrics"][0], json!({"criterion": "Asks how long", "points": 5, "tags": ["axis:context"]}));
        assert_eq!(row["rubrics"][1]["points"], json!(-8));
        assert_eq!(row["prompt"], json!([{"role": "user", "content": "A rash?"}]));
    }

    #[test]
    fn what_has_no_place_is_named() {
        let refused = |body: &str| -> Vec<String> {
            rows(&program(body)).err().unwrap().iter().map(|refusal| refusal.what.clone()).collect()
        };
        assert_eq!(
            refused(
                "criterion harm: bool \"Bad?\"\nchecklist c { +5 \"Good\" }\nreduce s = points(c)\n\
            gate f = cap(s, at: 0.5) when harm\nreadout pointwise = f\n"
            ),
            ["f"]
        );
        assert_eq!(
            refused(
                "checklist c { +5 \"Good\" -5 \"Bad\" }\nreduce p = points(c)\n\
            transform s = clamp(p, to: score[0..1])\nreadout pointwise = s\n"
            ),
            ["s"]
        );
        assert_eq!(
            refused(
                "checklist c { +5 g \"Good\" { judge rule(word_count(answer) > 3) } }\nreduce s = points(c)\n\
            readout pointwise = s\nreadout pairwise = prefer(s)\n"
            ),
            ["c.g", "readout pairwise"]
        );
    }
}
