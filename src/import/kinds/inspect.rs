//! Inspect: samples of a data set whose `target` says what a good answer holds, for model-graded scorers.
//!
//! Kept: the grades C, P and I (correct, partial, incorrect) count 1, 0.5 and 0, and an answer that was not graded (N)
//! counts 0 there and is missing here (the difference is told). Keys: `input` (text or messages), `target` (text or list),
//! `id`, `choices`, `metadata`, and of an evaluation log's sample `output.completion`, `scores.*.value`. From the
//! description of `inspect_ai.dataset.Sample` and `model_graded_qa`; no real file was read.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::{Record, judged};
use serde_json::{Map, Value as Json, json};

pub const FORMAT: Format = Format {
    name: "inspect",
    about: "Inspect samples (JSON, JSON lines): an input, and a target that says what a good answer holds",
    holds: Holds::Rows,
    shared: Some(shared),
    own: false,
    read,
};

fn shared() -> Named {
    let text = "input     question: chat\nreference target:   text\ncandidate response: text\n\n\
        criterion grade: ordinal(incorrect < partial < correct) {\n  ask \"Does the response hold what the target says?\"\n  \
        level correct   \"All of it\"\n  level partial   \"Some of it\"\n  level incorrect \"None of it, or something that contradicts it\"\n}\n\n\
        transform score = normalize(grade)\n\nreadout pointwise = score\n";
    Named { name: "inspect".into(), doc: "Correct counts 1, partial one half, incorrect 0.".into(), text: text.into() }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let target = part.need(&["target"])?;
    let target = if target.json.is_array() {
        target.some()?.iter().map(|target| target.word()).collect::<Result<Vec<_>, Fault>>()?.join("\n")
    } else {
        target.word()?
    };
    let answer = part.get("response").or_else(|| part.get("output")?.get("completion"));
    let mut record = Record::new(&row.id(&["id"])?)
        .with("question", draft::chat(&part.need(&["input"])?)?)
        .with("target", target)
        .maybe("response", answer.map(|answer| answer.text()).transpose()?)
        .0;
    let mut taken = Taken::default();
    if let Some(scores) = part.get("scores") {
        let mut samples = Vec::new();
        for (scorer, score) in scores.entries()? {
            samples.push(sample(scorer, &score, &mut taken.lost)?);
        }
        let mut judgments = Map::new();
        judgments.insert("grade".to_owned(), json!({"samples": samples}));
        judged(&mut record, judgments);
    }
    taken.records.push(record);
    Ok(taken)
}

fn sample(scorer: &str, score: &Part<'_>, lost: &mut Vec<String>) -> Result<Json, Fault> {
    let value = score.need(&["value"])?;
    let label = match value.word()?.as_str() {
        "C" | "1" | "1.0" => "correct",
        "P" | "0.5" => "partial",
        "I" | "0" | "0.0" => "incorrect",
        "N" => {
            lost.push("answers that were not graded (N) count 0 there and are missing here".into());
            return Ok(json!({"missing": "unparseable", "by": scorer}));
        }
        other => return Err(value.fault(format!("`{other}` is none of C, P, I and N"))),
    };
    Ok(json!({"value": label, "by": scorer}))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn grades_are_an_order() {
        clean(&shared());
        let mut row = json!({"id": 1, "input": "Who wrote it?", "target": ["Kafka"], "output": {"completion": "Kafka."},
            "scores": {"model_graded_qa": {"value": "C"}, "other": {"value": "N"}}});
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["judgments"]["grade"]["samples"][0]["value"], json!("correct"));
        assert_eq!((taken.lost.len(), &taken.records[0]["id"]), (1, &json!("1")));
        row["scores"]["other"]["value"] = json!("Q");
        assert_eq!(read(&FORMAT, &row, Form::Shared).unwrap_err().key, "scores.other.value");
    }
}
