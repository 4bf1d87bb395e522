//! TICK: yes/no questions that were written for one instruction.
//!
//! Kept: the score is the share of yes among all questions (pass rate); answers that could not be read are missing. The
//! pooled rate over instructions (DRFR) is a figure of a data set, and left to who evaluates the results. There is no
//! official file: the keys are those of the paper's terms (arXiv 2410.03608) and of evaluations by others: `instruction`,
//! `checklist` or `questions` (texts, or objects with `question`), `response`, `answers` (yes or no, in the same order).

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::Fault;
use super::{Record, Scheme, with_items};

pub const FORMAT: Format = Format {
    name: "tick",
    about: "TICK (JSON, JSON lines): yes/no questions for each instruction",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     instruction: text\ncandidate response:    text\n";

fn shared() -> Named {
    let text = format!(
        "{FIELDS}reference rubric_items: json\n\nchecklist items from rubric_items\n\n\
         transform pass_rate = clamp(points(items), to: score[0..1])\n\nreadout pointwise = pass_rate\n\
         readout pairwise  = prefer(pass_rate)\n"
    );
    Named { name: "tick".into(), doc: "The share of questions that are answered with yes.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["id", "idx", "instruction_id"])?;
    let list = part.need(&["checklist", "questions"])?;
    let mut items = draft::items(&list, &["question", "text"], &[], true)?;
    if let Some(answers) = part.any(&["answers", "judgments"]) {
        let given = answers.list()?;
        if given.len() != items.len() {
            return Err(answers.fault(format!("{} answers for {} questions", given.len(), items.len())));
        }
        for (item, answer) in items.iter_mut().zip(given) {
            item.met = if answer.json.is_null() { None } else { Some(answer.flag()?) };
        }
    }
    let record = Record::new(&id)
        .with("instruction", draft::transcript(&part.need(&["instruction", "prompt"])?)?)
        .maybe("response", part.any(&["response", "output"]).map(|answer| answer.text()).transpose()?);
    let own =
        "reduce pass_rate = fraction(items)\n\nreadout pointwise = pass_rate\nreadout pairwise  = prefer(pass_rate)\n";
    Ok(with_items(row, &Scheme { fields: FIELDS, own, abstain: false }, &id, "", &items, record))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_go_with_their_questions() {
        clean(&shared());
        let mut row = json!({"id": 7, "instruction": "Write a haiku.", "checklist": ["Has it three lines?", "Is it about rain?"],
            "response": "…", "answers": ["yes", null]});
        let taken = read(&FORMAT, &row, Form::Own).unwrap();
        clean(&taken.programs[0]);
        assert_eq!(taken.records[0]["judgments"], json!({"items.item_1": true}));
        row["answers"] = json!(["yes"]);
        assert_eq!(read(&FORMAT, &row, Form::Own).unwrap_err().to_string(), "`answers`: 1 answers for 2 questions");
        row["answers"] = json!(["yes", "42"]);
        assert_eq!(read(&FORMAT, &row, Form::Own).unwrap_err().key, "answers[1]");
    }
}
