//! HealthBench: conversations with physicians' criteria of signed points; and its meta-evaluation, where physicians say
//! whether an answer meets a criterion.
//!
//! Kept: an item is met or not, a negative one being met where the bad thing is there; the score is the points met over
//! all positive points, not clipped, so it can fall below 0. Only the mean over a data set is clipped to 0..1, and that
//! is no program's business. A row without positive points has no score there, and is refused here.
//! Keys: openai/simple-evals, `healthbench_eval.py` and `healthbench_meta_eval.py`.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::Fault;
use super::{Record, Scheme, with_items};
use serde_json::{Value as Json, json};

pub const FORMAT: Format = Format {
    name: "healthbench",
    about: "HealthBench (JSON lines): conversations, each with criteria of signed points",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

pub const META: Format = Format {
    name: "healthbench-meta",
    about: "HealthBench meta-evaluation (JSON lines): whether physicians find a criterion met",
    holds: Holds::Rows,
    shared: Some(shared_meta),
    own: false,
    read: read_meta,
};

const FIELDS: &str = "input     prompt:   chat\ncandidate response: text\n";

/// The points of any one row lie far inside.
const SCORE: &str = "transform score = clamp(points(items), to: score[-1000..1])\n\nreadout pointwise = score\n";

fn shared() -> Named {
    let text = format!("{FIELDS}reference rubric_items: json\n\nchecklist items from rubric_items\n\n{SCORE}");
    Named { name: "healthbench".into(), doc: "Points met over all positive points, not clipped at 0.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["prompt_id", "id"])?;
    let list = part.need(&["rubrics", "rubric_items"])?;
    let items = draft::items(&list, &["criterion"], &["points"], false)?;
    if !draft::has_positive(&items) {
        return Err(list.fault("no item has points above 0, so there is no score (nor has HealthBench one)"));
    }
    let record = Record::new(&id)
        .with("prompt", draft::chat(&part.need(&["prompt"])?)?)
        .maybe("response", part.any(&["completion", "response"]).map(|answer| answer.text()).transpose()?)
        .maybe("tags", part.get("example_tags").map(|tags| tags.json.clone()));
    let own = "reduce score = points(items)\n\nreadout pointwise = score\n";
    let scheme = Scheme { fields: FIELDS, own, abstain: false };
    Ok(with_items(row, &scheme, &format!("healthbench_{id}"), "", &items, record))
}

fn shared_meta() -> Named {
    let text = "input     prompt:         chat\nreference criterion_text: text\ncandidate response:       text\n\n\
        criterion met: bool {\n  ask \"Is this true of the response: {{criterion_text}}\"\n  judge human(combine: majority)\n}\n\n\
        readout pointwise = met\n";
    let doc = "Whether most physicians find the criterion met; as many on both sides count as not met.";
    Named { name: "healthbench_meta".into(), doc: doc.into(), text: text.into() }
}

fn read_meta(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let labels = part.need(&["binary_labels"])?.some()?;
    let values = labels.iter().map(|label| label.flag()).collect::<Result<Vec<bool>, Fault>>()?;
    let record = Record::new(&row.id(&["id", "completion_id"])?)
        .with("prompt", draft::chat(&part.need(&["prompt"])?)?)
        .with("criterion_text", part.need(&["rubric"])?.text()?)
        .with("response", part.need(&["completion"])?.text()?)
        .maybe("tags", part.get("category").map(|category| json!({"category": category.json})))
        .with("judgments", json!({"met": entry(&values, part.get("anonymized_physician_ids").map(|ids| ids.json))}));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

/// The labels as samples, each by its physician where the row says who they were.
fn entry(values: &[bool], by: Option<&Json>) -> Json {
    match by.and_then(Json::as_array).filter(|by| by.len() == values.len()) {
        Some(by) => {
            let sample = |(value, by): (&bool, &Json)| match by.as_str() {
                Some(by) => json!({"value": value, "by": by}),
                None => json!({"value": value, "by": by.to_string()}),
            };
            json!({"samples": values.iter().zip(by).map(sample).collect::<Vec<_>>()})
        }
        None => json!({"values": values}),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    fn row() -> Json {
        json!({"prompt_id": "7f", "prompt": [{"role": "user", "content": "I have a rash."}], "completion": "See a doctor.",
            "rubrics": [{"criterion": "Asks how long", "points": 5, "tags": ["axis:context_seeking"], "criteria_met": true},
                {"criterion": "Gives a dose {x}", "points": -8, "tags": [], "criteria_met": false}],
            "example_tags": ["theme:context_seeking"], "ideal_completions_data": null})
    }

    #[test]
    fn points_keep_their_signs_and_tags() {
        clean(&shared());
        clean(&shared_meta());
        let taken = read(&FORMAT, &row(), Form::Own).unwrap();
        let text = clean(&taken.programs[0]);
        assert!(text.contains("+5 item_1 \"Asks how long\" { tag axis \"context_seeking\" }"), "{text}");
        assert!(text.contains("-8 item_2 \"Gives a dose \\{x}\""), "{text}");
        assert_eq!(taken.records[0]["judgments"], json!({"items.item_1": true, "items.item_2": false}));
        let taken = read(&FORMAT, &row(), Form::Shared).unwrap();
        assert_eq!(taken.records[0]["rubric_items"][1]["points"], json!(-8));
        assert_eq!(taken.records[0]["judgments"], json!({"items.1": true, "items.2": false}));
        assert_eq!(taken.records[0]["tags"], json!(["theme:context_seeking"]));
    }

    #[test]
    fn a_row_without_a_score_is_refused() {
        let mut row = row();
        row["rubrics"][0]["points"] = json!(-5);
        let fault = read(&FORMAT, &row, Form::Shared).unwrap_err();
        assert_eq!(fault.key, "rubrics");
        row["rubrics"][0]["points"] = json!(0);
        assert_eq!(read(&FORMAT, &row, Form::Shared).unwrap_err().key, "rubrics[0].points");
    }

    #[test]
    fn physicians_are_samples() {
        let row = json!({"prompt": "Hi", "completion": "Hello", "rubric": "Greets", "category": "tone",
            "binary_labels": [true, false], "anonymized_physician_ids": ["p1", "p2"]});
        let taken = read(&META, &row, Form::Shared).unwrap();
        let samples = json!({"met": {"samples": [{"value": true, "by": "p1"}, {"value": false, "by": "p2"}]}});
        assert_eq!(taken.records[0]["judgments"], samples);
    }
}
