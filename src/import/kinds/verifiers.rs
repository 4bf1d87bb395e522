//! verifiers: rows with a prompt, an answer and criteria, for a rubric of weighted rewards.
//!
//! Kept: a reward is the weighted *sum* of its functions, not a mean; each criterion is 0 or 1. Programs as reward functions
//! cannot be kept: only criteria in words are read. Keys: `prompt` or `question`, `answer`, and under the row or its `info`
//! `rubric`, `rubrics` or `criteria`: a list of texts or of `{criterion | description | text, weight | points}`. (The package
//! has no file format for criteria: these keys are those of environments that judge by them; no real file was read.)

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::{Record, Scheme, with_items};
use serde_json::Value as Json;

pub const FORMAT: Format = Format {
    name: "verifiers",
    about: "verifiers (JSON lines): rows whose `info` or themselves hold criteria with weights",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     prompt:     chat\nreference answer:     text?\ncandidate completion: text\n";

fn shared() -> Named {
    let text = format!(
        "{FIELDS}reference rubric_items: json\n\nchecklist items from rubric_items\n\n\
         transform reward = clamp(sum_points(items), to: score[-1000..1000])\n\nreadout pointwise = reward\n"
    );
    Named { name: "verifiers".into(), doc: "The weighted sum of what is met.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["id", "example_id"])?;
    // Data sets hold `info` as an object or as its text.
    let inside: Option<Json> = part.get("info").and_then(|info| match info.json {
        Json::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    });
    let info = inside.as_ref().map(Part::whole);
    let keys = ["rubric", "rubrics", "criteria"];
    let list = match info.as_ref().and_then(|info| info.any(&keys)) {
        Some(list) => list,
        None => part.need(&keys)?,
    };
    let items = draft::items(&list, &["criterion", "description", "text", "name"], &["weight", "points"], true)?;
    let answer = part.any(&["completion", "response"]).map(|answer| draft::transcript(&answer)).transpose()?;
    let record = Record::new(&id)
        .with("prompt", draft::chat(&part.need(&["prompt", "question"])?)?)
        .maybe(
            "answer",
            part.get("answer").filter(|answer| *answer.json != "").map(|answer| answer.word()).transpose()?,
        )
        .maybe("completion", answer);
    let own = "reduce reward = sum_points(items)\n\nreadout pointwise = reward\n";
    Ok(with_items(row, &Scheme { fields: FIELDS, own, abstain: false }, &id, "", &items, record))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn criteria_stand_in_the_row_or_its_info() {
        clean(&shared());
        let criteria = json!([{"description": "Cites a source", "weight": 0.5}, "Is polite"]);
        let rows = [
            json!({"question": "Why?", "info": {"rubric": criteria}}),
            json!({"prompt": [{"role": "user", "content": "Why?"}], "criteria": criteria}),
            json!({"question": "Why?", "info": json!({"criteria": criteria}).to_string()}),
        ];
        for row in rows {
            let text = clean(&read(&FORMAT, &row, Form::Own).unwrap().programs[0]);
            assert!(text.contains("+0.5 item_1 \"Cites a source\"\n  +1 item_2 \"Is polite\""), "{text}");
        }
    }
}
