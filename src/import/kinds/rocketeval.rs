//! RocketEval: yes/no questions for each query, answered by how probable a small judge finds yes.
//!
//! Kept: an item is the probability of yes (`combine: expected`), the score the mean of the probabilities; a judge that
//! gave neither word counts as one half there, and is missing here (the difference is told). Not kept: the regressor
//! that is fitted to labelled scores, so this is the score of an unlabelled set (w = 0), before `9·mean + 1`; the program
//! has that as the readout `one_to_ten`. Keys: Joinn99/RocketEval-ICLR: `session_id, checklist[]` and, where they
//! stand in one row, `conversation_input`, `norm_probability[]`, `output` or `response`, `model_test`.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::part::Fault;
use super::{Record, judged};
use serde_json::{Map, json};
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "rocketeval",
    about: "RocketEval (JSON lines): questions for each query, answered by the probability of yes",
    holds: Holds::Rows,
    shared: None,
    own: true,
    read,
};

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["session_id", "id"])?;
    let questions = part.need(&["checklist"])?.some()?;
    let mut text = "input     conversation: chat\ncandidate response:     text\n\n".to_owned();
    let mut names = Vec::new();
    for (n, question) in questions.iter().enumerate() {
        names.push(format!("q{}", n + 1));
        let ask = literal(&question.text()?);
        let _ = writeln!(
            text,
            "criterion q{}: bool {{\n  ask {ask}\n  judge llm(combine: expected, reason: none)\n}}",
            n + 1
        );
    }
    let verb = if names.len() == 1 { "transform" } else { "reduce" };
    let mean = if names.len() == 1 {
        "rescale(q1, to: score[0..1])".to_owned()
    } else {
        format!("mean({})", names.join(", "))
    };
    let _ = write!(
        text,
        "\n{verb} yes = {mean}\n\nreadout pointwise = yes\nreadout pointwise one_to_ten = rescale(yes, to: score[1..10])\n"
    );
    let mut judgments = Map::new();
    let mut taken = Taken::default();
    if let Some(given) = part.get("norm_probability") {
        let list = given.list()?;
        if list.len() != names.len() {
            return Err(given.fault(format!("{} probabilities for {} questions", list.len(), names.len())));
        }
        for (name, probability) in names.iter().zip(list) {
            if probability.json.is_null() {
                taken.lost.push("answers without a probability: missing here, one half there".into());
                continue;
            }
            let yes = probability.number()?;
            let no = &crate::number::Number::from(1_i64) - &yes;
            if yes.is_negative() || no.is_negative() {
                return Err(probability.fault("a probability lies between 0 and 1"));
            }
            let number = |n: crate::number::Number| n.to_string().parse::<serde_json::Number>().ok();
            judgments.insert(name.clone(), json!({"probabilities": {"true": number(yes), "false": number(no)}}));
        }
    }
    let conversation = part.any(&["conversation_input", "conversation", "chat_history"]);
    let mut record = Record::new(&id)
        .maybe("conversation", conversation.map(|turns| draft::chat(&turns)).transpose()?)
        .maybe("response", part.any(&["response", "output"]).map(|answer| answer.text()).transpose()?)
        .maybe("tags", part.get("model_test").map(|model| json!({"model": model.json})))
        .0;
    judged(&mut record, judgments);
    taken.programs.push(Named { name: id, doc: String::new(), text });
    taken.records.push(record);
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn probabilities_are_judgments() {
        let mut row = json!({"session_id": "s1", "checklist": ["Is it short?", "Is it true?"], "norm_probability": [0.75, null],
            "conversation_input": [{"role": "user", "content": "Hi"}], "output": "Hello"});
        let taken = read(&FORMAT, &row, Form::Own).unwrap();
        clean(&taken.programs[0]);
        let q1 = json!({"probabilities": {"true": 0.75, "false": 0.25}});
        assert_eq!(taken.records[0]["judgments"], json!({"q1": q1}));
        assert_eq!(taken.lost.len(), 1);
        row["checklist"] = json!(["Is it short?"]);
        assert!(read(&FORMAT, &row, Form::Own).is_err());
        row["norm_probability"] = json!([1.5]);
        assert_eq!(read(&FORMAT, &row, Form::Own).unwrap_err().key, "norm_probability[0]");
        row["norm_probability"] = json!([1]);
        clean(&read(&FORMAT, &row, Form::Own).unwrap().programs[0]);
    }
}
