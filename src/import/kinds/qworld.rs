//! Qworld: criteria that were written for one question, with signed points; both the tool's output and the data set.
//!
//! Kept: the score of its Appendix A.2, the points met over all positive points, not clipped. Keys: `final_criteria` (the
//! tool) or `criteria` (the data set) of `{criterion, points, tags?}`, `question`, `id` or `prompt_id`; a row with an
//! `error` is a fault. Which scenario and perspective a criterion came from is not in the final list, so there are no
//! groups.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::Fault;
use super::{Record, Scheme, with_items};

pub const FORMAT: Format = Format {
    name: "qworld",
    about: "Qworld (JSON, JSON lines): output of the tool or rows of the data set, criteria for each question",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     question: text\ncandidate response: text\n";

fn shared() -> Named {
    let text = format!(
        "{FIELDS}reference rubric_items: json\n\nchecklist items from rubric_items\n\n\
         transform score = clamp(points(items), to: score[-1000..1])\n\nreadout pointwise = score\n"
    );
    Named { name: "qworld".into(), doc: "Points met over all positive points, not clipped at 0.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    if let Some(error) = part.get("error") {
        return Err(error.fault("this question ended in an error, so it has no criteria"));
    }
    let id = row.id(&["id", "prompt_id"])?;
    let list = part.need(&["final_criteria", "criteria"])?;
    let items = draft::items(&list, &["criterion"], &["points"], false)?;
    if !draft::has_positive(&items) {
        return Err(list.fault("no criterion has points above 0, so there is no score"));
    }
    let question = draft::transcript(&part.need(&["question"])?)?;
    let record = Record::new(&id)
        .with("question", question)
        .maybe("response", part.get("response").map(|answer| answer.text()).transpose()?);
    let own = "reduce score = points(items)\n\nreadout pointwise = score\n";
    Ok(with_items(row, &Scheme { fields: FIELDS, own, abstain: false }, &id, "", &items, record))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn both_kinds_of_rows_are_read() {
        clean(&shared());
        let tool = json!({"id": "q1", "question": "Why is the sky blue?", "final_criteria": [
            {"criterion": "Names scattering", "points": 9, "reasoning": "…"}, {"criterion": "Says the sea colours it", "points": -7}]});
        let text = clean(&read(&FORMAT, &tool, Form::Own).unwrap().programs[0]);
        assert!(text.contains("-7 item_2 \"Says the sea colours it\""));
        let set = json!({"question": "Why?", "criteria": [{"criterion": "Names scattering", "points": 9, "tags": ["Accuracy"]}]});
        let taken = read(&FORMAT, &set, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["rubric_items"][0]["tags"], json!(["tag:Accuracy"]));
        assert_eq!(taken.records[0]["id"], json!("row-1"));
        let failed = json!({"id": "q2", "error": "timeout", "traceback": "…"});
        assert_eq!(read(&FORMAT, &failed, Form::Own).unwrap_err().key, "error");
    }
}
