//! Prometheus and BiGGen-Bench: a question with descriptions of the scores 1 to 5, for one instance each.
//!
//! Kept: the judge gives a whole number from 1 to 5; what could not be read (`-1`, or none) is missing and never a score.
//! The rubric is `score_rubric{criteria, score1_description …}` (BiGGen), the same keys at the row's own level
//! (Prometheus) or `orig_criteria, orig_score1_description …` (Feedback Collection). Every score that the row brings is
//! a sample by its judge; `human_score` is a label. Read on real rows: the rubrics of BiGGen-Bench.

use super::super::draft;
use super::super::format::{Form, Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::{Record, judged};
use serde_json::{Map, Value as Json, json};

pub const FORMAT: Format = Format {
    name: "prometheus",
    about: "Prometheus, Feedback Collection and BiGGen-Bench (JSON, JSON lines): a question with five described scores",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     system_prompt:    text?\ninput     instruction:      text?\n\
    reference reference_answer: text?\ncandidate response:         text\n";

fn shared() -> Named {
    let mut fields = format!("{FIELDS}reference criteria: text\n");
    let mut levels = Vec::new();
    for n in 1..=5 {
        fields.push_str(&format!("reference score{n}: text\n"));
        levels.push(format!("  level {n} \"{{{{score{n}}}}}\"\n"));
    }
    let text = format!(
        "{fields}\ncriterion quality: int[1..5] {{\n  ask \"{{{{criteria}}}}\"\n{}}}\n\nreadout pointwise = quality\n",
        levels.concat()
    );
    let doc = "The question and what its scores mean come with each record.";
    Named { name: "prometheus".into(), doc: doc.into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["id", "idx", "uuid"])?;
    let rubric = part.get("score_rubric").unwrap_or_else(|| part.clone());
    let criteria = rubric.need(&["criteria", "orig_criteria"])?.text()?;
    let mut levels = Vec::new();
    for n in 1..=5 {
        let (plain, original) = (format!("score{n}_description"), format!("orig_score{n}_description"));
        levels.push((n.to_string(), rubric.need(&[&plain, &original])?.text()?));
    }
    let text = |keys: &[&str]| part.any(keys).filter(|part| part.json != "").map(|part| part.text()).transpose();
    let instruction = match text(&["orig_instruction"])? {
        Some(found) => Some(found),
        None => text(&["input", "instruction"])?,
    };
    let record = Record::new(&id)
        .maybe("system_prompt", text(&["system_prompt"])?)
        .maybe("instruction", instruction)
        .maybe("reference_answer", text(&["orig_reference_answer", "reference_answer"])?)
        .maybe("response", text(&["orig_response", "response"])?);
    let tags: Map<String, Json> = ["capability", "task", "response_model_name", "model_name"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), Json::String(part.get(key)?.word().ok()?))))
        .collect();
    let mut record = record.maybe("tags", (!tags.is_empty()).then_some(tags)).0;
    if let Some(score) = part.get("human_score") {
        record.insert("label".into(), json!(score.number()?.to_string().parse::<serde_json::Number>().ok()));
    }
    judged(&mut record, judgments(part)?);
    let mut taken = Taken::default();
    match row.form {
        Form::Shared => {
            record.insert("criteria".into(), json!(criteria));
            record.extend(levels.into_iter().map(|(n, text)| (format!("score{n}"), Json::String(text))));
        }
        Form::Own => {
            let criterion = draft::criterion("quality", "int[1..5]", &criteria, &levels, "");
            let text = format!("{FIELDS}\n{criterion}\nreadout pointwise = quality\n");
            taken.programs.push(Named { name: id, doc: String::new(), text });
        }
    }
    taken.records.push(record);
    Ok(taken)
}

/// The recorded scores; several are samples.
fn judgments(part: &Part<'_>) -> Result<Map<String, Json>, Fault> {
    let mut samples = Vec::new();
    for key in ["orig_score", "score", "gpt4_score", "claude_score", "prometheus_8x7b_score"] {
        let Some(found) = part.get(key) else { continue };
        let list = if found.json.is_array() { found.list()? } else { vec![found] };
        for (n, score) in list.iter().enumerate() {
            let by = if list.len() == 1 { key.to_owned() } else { format!("{key}_{}", n + 1) };
            samples.push(match score.whole_number()? {
                -1 => json!({"missing": "unparseable", "by": by}),
                value @ 1..=5 => json!({"value": value, "by": by}),
                other => return Err(score.fault(format!("{other} is no score from 1 to 5"))),
            });
        }
    }
    let mut judgments = Map::new();
    match samples.len() {
        0 => {}
        1 => judgments.extend(samples.pop().map(|sample| ("quality".to_owned(), sample))),
        _ => judgments.extend([("quality".to_owned(), json!({"samples": samples}))]),
    }
    Ok(judgments)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clean, read};
    use super::*;

    fn row() -> Json {
        json!({"id": "plan_0", "capability": "planning", "system_prompt": "", "input": "Plan a trip", "reference_answer": "Go",
            "response": "Stay", "score_rubric": {"criteria": "Is it a plan?", "score1_description": "No",
            "score2_description": "Hardly", "score3_description": "Partly", "score4_description": "Mostly",
            "score5_description": "Yes"}, "human_score": 4, "gpt4_score": "3", "prometheus_8x7b_score": [2, -1]})
    }

    #[test]
    fn a_rubric_is_a_criterion_with_five_levels() {
        clean(&shared());
        let taken = read(&FORMAT, &row(), Form::Own).unwrap();
        assert!(clean(&taken.programs[0]).contains("  level 5 \"Yes\"\n"));
        let taken = read(&FORMAT, &row(), Form::Shared).unwrap();
        assert_eq!(taken.records[0]["score2"], json!("Hardly"));
        assert_eq!(taken.records[0]["label"], json!(4));
        let samples = taken.records[0]["judgments"]["quality"]["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 3);
        assert_eq!(samples[2], json!({"missing": "unparseable", "by": "prometheus_8x7b_score_2"}));
    }

    #[test]
    fn scores_outside_the_scale_and_missing_levels_are_named() {
        let mut bad = row();
        bad["gpt4_score"] = json!(7);
        assert!(read(&FORMAT, &bad, Form::Own).unwrap_err().to_string().contains("7 is no score"));
        let mut bad = row();
        bad["score_rubric"].as_object_mut().unwrap().remove("score3_description");
        assert_eq!(read(&FORMAT, &bad, Form::Own).unwrap_err().key, "score_rubric");
    }
}
