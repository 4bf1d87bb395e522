//! Humanity's Last Exam: questions with one right answer, judged by comparing with it.
//!
//! Kept: an answer is right or not; the confidence that a model states is no judgment. Keys: `id, question, image, answer,
//! answer_type, category, raw_subject, rationale`, and of a judged run `response`, `judge_response.correct` (yes or no) or
//! `correct`. From the description; no real row was read.

use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::Fault;
use super::Record;
use serde_json::json;

pub const FORMAT: Format = Format {
    name: "hle",
    about: "Humanity's Last Exam (JSON lines): questions with right answers, as records",
    holds: Holds::Rows,
    shared: Some(shared),
    own: false,
    read,
};

fn shared() -> Named {
    let text = "input     question: text\ninput     picture:  image?\nreference answer:   text\ncandidate response: text\n\n\
        criterion correct: bool {\n  ask \"Is the response's final answer the same as the answer that is given, small numerical \
        differences apart?\"\n}\n\nreadout pointwise = correct\n";
    Named { name: "hle".into(), doc: "Whether the final answer is the right one.".into(), text: text.into() }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let judged = part.get("correct").or_else(|| part.get("judge_response")?.get("correct"));
    let judged = judged.map(|correct| correct.flag()).transpose()?;
    let picture = part.get("image").filter(|image| *image.json != "").map(|image| image.text()).transpose()?;
    let mut tags = serde_json::Map::new();
    for key in ["category", "raw_subject", "answer_type"] {
        tags.extend(part.get(key).map(|tag| (key.to_owned(), tag.json.clone())));
    }
    let record = Record::new(&row.id(&["id"])?)
        .with("question", part.need(&["question"])?.text()?)
        .maybe("picture", picture)
        .with("answer", part.need(&["answer"])?.word()?)
        .maybe("response", part.get("response").map(|answer| answer.text()).transpose()?)
        .maybe("tags", (!tags.is_empty()).then_some(tags))
        .maybe("judgments", judged.map(|correct| json!({"correct": correct})));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn a_judged_answer_is_a_judgment() {
        clean(&shared());
        let mut row = json!({"id": "66e", "question": "How many?", "image": "", "answer": 7, "category": "Math",
            "response": "7", "judge_response": {"correct": "yes", "confidence": 90}});
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["judgments"], json!({"correct": true}));
        assert!(!taken.records[0].contains_key("picture"));
        row["judge_response"]["correct"] = json!("maybe");
        assert_eq!(read(&FORMAT, &row, Form::Shared).unwrap_err().key, "judge_response.correct");
    }
}
