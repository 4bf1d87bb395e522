//! MT-Bench: people's votes between two models, and single answers that a judge graded from 1 to 10.
//!
//! Kept: a vote is a preference, both kinds of tie are ties; the grade −1 is an answer that could not be read and is
//! missing. Two judged orders that disagree are no vote. Keys (lm-sys/FastChat): votes `question_id, model_a, model_b, winner,
//! judge, conversation_a, conversation_b, turn`; grades `question_id, model, judge, score, turn, judgment`. From the
//! description; no real row was read.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::Record;
use serde_json::{Value as Json, json};

pub const VOTES: Format = Format {
    name: "mtbench-votes",
    about: "MT-Bench votes (JSON lines): pairs of conversations with people's preferences, as records",
    holds: Holds::Rows,
    shared: Some(shared_votes),
    own: false,
    read: read_vote,
};

pub const GRADES: Format = Format {
    name: "mtbench-grades",
    about: "MT-Bench single judgments (JSON lines): grades from 1 to 10, as records",
    holds: Holds::Rows,
    shared: Some(shared_grades),
    own: false,
    read: read_grade,
};

fn shared_votes() -> Named {
    let text = "candidate conversation: chat\n\n\
        criterion preferred: bool {\n  ask \"Is this the better of the two conversations?\"\n  judge human\n}\n\n\
        readout pointwise = preferred\nreadout pairwise  = prefer(preferred)\n";
    Named { name: "mtbench_votes".into(), doc: "A vote; a tie where neither is preferred.".into(), text: text.into() }
}

fn shared_grades() -> Named {
    let text = "candidate conversation: text?\n\n\
        criterion grade: int[1..10] {\n  ask \"How good is the assistant's answer, from 1 to 10?\"\n}\n\n\
        readout pointwise = grade\n";
    Named { name: "mtbench_grades".into(), doc: "A grade for one answer.".into(), text: text.into() }
}

/// The turn, and a suffix that keeps the turns of one question apart.
fn turn(part: &Part<'_>) -> Result<Option<i64>, Fault> {
    part.get("turn").map(|turn| turn.whole_number()).transpose()
}

fn judge(part: &Part<'_>) -> Result<Option<String>, Fault> {
    let Some(judge) = part.get("judge") else { return Ok(None) };
    if !judge.json.is_array() {
        return judge.word().map(Some);
    }
    Ok(Some(judge.some()?.iter().map(|part| part.word()).collect::<Result<Vec<_>, Fault>>()?.join("/")))
}

fn read_vote(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let winner = part.need(&["winner"])?;
    let word = winner.word()?;
    let (label, best) = match word.as_str() {
        "model_a" => ("a", [true, false]),
        "model_b" => ("b", [false, true]),
        tie if tie.starts_with("tie") => ("tie", [false, false]),
        other => return Err(winner.fault(format!("`{other}` is neither model_a, model_b nor a tie"))),
    };
    let (a, b) = (part.need(&["model_a"])?.word()?, part.need(&["model_b"])?.word()?);
    let by = judge(part)?;
    let candidate = |id: &str, preferred: bool, key: &str| -> Result<Json, Fault> {
        let entry = by.as_ref().map_or(json!({"value": preferred}), |by| json!({"value": preferred, "by": by}));
        Ok(json!({"id": id, "conversation": draft::chat(&part.need(&[key])?)?, "judgments": {"preferred": entry}}))
    };
    let [first, second] = best;
    let turn = turn(part)?;
    // Many people vote on one pair, so the row's number keeps the ids apart.
    let record = Record::new(&format!("{}-{}", part.need(&["question_id"])?.word()?, row.number))
        .with("candidates", vec![candidate("a", first, "conversation_a")?, candidate("b", second, "conversation_b")?])
        .with("label", label)
        .with("tags", json!({"a": a, "b": b, "turn": turn}));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

fn read_grade(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let score = part.need(&["score"])?;
    let number = score.number()?;
    let mut entry = if number == crate::number::Number::from(-1_i64) {
        json!({"missing": "unparseable"})
    } else if number.is_integer() && number.is_positive() && number <= crate::number::Number::from(10_i64) {
        json!({"value": number.to_i64()})
    } else {
        return Err(score.fault(format!("{number} is no whole grade from 1 to 10, and not -1")));
    };
    if let Some(object) = entry.as_object_mut() {
        object.extend(judge(part)?.map(|by| ("by".to_owned(), Json::String(by))));
        object.extend(part.get("judgment").map(|why| ("reason".to_owned(), why.json.clone())));
    }
    let (question, model) = (part.need(&["question_id"])?.word()?, part.need(&["model"])?.word()?);
    let turn = turn(part)?;
    let record = Record::new(&format!("{question}/{model}/{}", turn.unwrap_or(1)))
        .maybe("conversation", part.get("user_prompt").map(|prompt| prompt.text()).transpose()?)
        .with("judgments", json!({"grade": entry}))
        .with("tags", json!({"model": model, "turn": turn}));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn votes_and_ties() {
        clean(&shared_votes());
        let talk = json!([{"role": "user", "content": "Hi"}]);
        let mut row = json!({"question_id": 81, "model_a": "x", "model_b": "y", "winner": "model_b", "judge": "expert_1",
            "conversation_a": talk, "conversation_b": talk, "turn": 1});
        let taken = read(&VOTES, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["label"], json!("b"));
        assert_eq!(
            taken.records[0]["candidates"][1]["judgments"]["preferred"],
            json!({"value": true, "by": "expert_1"})
        );
        row["winner"] = json!("tie (bothbad)");
        let taken = read(&VOTES, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["label"], json!("tie"));
        row["winner"] = json!("inconsistent");
        assert_eq!(read(&VOTES, &row, Form::Shared).unwrap_err().key, "winner");
    }

    #[test]
    fn an_unreadable_grade_is_missing() {
        clean(&shared_grades());
        let mut row = json!({"question_id": 81, "model": "x", "judge": ["gpt-4", "single-v1"], "score": -1, "turn": 2});
        let taken = read(&GRADES, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["judgments"]["grade"], json!({"missing": "unparseable", "by": "gpt-4/single-v1"}));
        row["score"] = json!(8.5);
        assert_eq!(read(&GRADES, &row, Form::Shared).unwrap_err().key, "score");
    }
}
