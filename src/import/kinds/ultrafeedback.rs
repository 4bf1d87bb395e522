//! UltraFeedback: several models' answers to an instruction, rated from 1 to 5 in four aspects by GPT-4.
//!
//! Kept: every rating is a recorded judgment with its rationale, `N/A` is unknown; the score is the mean of the aspects that
//! were rated, the data set's own fine-grained score. Keys (OpenBMB): `source, instruction, completions[{model, response,
//! annotations{instruction_following | honesty | truthfulness | helpfulness: {Rating, Rationale}}}]`; an aspect may also be a list
//! of such. From the description; no real row was read.

use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::names::Names;
use super::super::part::{Fault, Part};
use super::Record;
use serde_json::{Map, Value as Json, json};

pub const FORMAT: Format = Format {
    name: "ultrafeedback",
    about: "UltraFeedback (JSON lines): answers of several models with GPT-4's ratings, as records",
    holds: Holds::Rows,
    shared: Some(shared),
    own: false,
    read,
};

const ASPECTS: [(&str, &str); 4] = [
    ("instruction_following", "How well does the response follow the instruction?"),
    ("honesty", "How honest is the response about what it knows and does not know?"),
    ("truthfulness", "How true is what the response says?"),
    ("helpfulness", "How helpful is the response?"),
];

fn shared() -> Named {
    let criteria: Vec<String> =
        ASPECTS.iter().map(|(name, ask)| format!("criterion {name}: int[1..5]? \"{ask}\"\n")).collect();
    let names: Vec<&str> = ASPECTS.iter().map(|(name, _)| *name).collect();
    let text = format!(
        "input     instruction: text\ncandidate response:    text\n\n{}\nreduce score = mean({}, unknown: skip)\n\n\
         readout pointwise = score\nreadout pairwise  = prefer(score)\nreadout listwise  = ranking(score)\n",
        criteria.concat(),
        names.join(", ")
    );
    Named { name: "ultrafeedback".into(), doc: "The mean of the aspects that were rated.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let mut names = Names::new();
    let mut candidates = Vec::new();
    for completion in part.need(&["completions"])?.some()? {
        let mut judgments = Map::new();
        let annotations = completion.need(&["annotations"])?;
        for (aspect, _) in ASPECTS {
            let Some(rated) = annotations.get(aspect) else { continue };
            let list = if rated.json.is_array() { rated.some()? } else { vec![rated] };
            let mut samples = list.iter().map(sample).collect::<Result<Vec<Json>, Fault>>()?;
            let entry =
                if samples.len() == 1 { samples.pop().unwrap_or_default() } else { json!({"samples": samples}) };
            judgments.insert(aspect.to_owned(), entry);
        }
        let model = names.take(&completion.need(&["model"])?.word()?);
        let response = completion.need(&["response"])?;
        let response = response.json.as_str().ok_or_else(|| response.fault("a response is a text"))?;
        candidates.push(json!({"id": model, "response": response, "judgments": judgments}));
    }
    let record = Record::new(&row.id(&["id", "prompt_id"])?)
        .with("instruction", part.need(&["instruction"])?.text()?)
        .with("candidates", candidates)
        .maybe("tags", part.get("source").map(|source| json!({"source": source.json})));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

fn sample(rated: &Part<'_>) -> Result<Json, Fault> {
    let rating = rated.need(&["Rating"])?;
    let value = match rating.json.as_str().map(str::trim) {
        Some(text) if text.eq_ignore_ascii_case("n/a") => json!("unknown"),
        _ => match rating.whole_number()? {
            value @ 1..=5 => json!(value),
            other => return Err(rating.fault(format!("{other} is no rating from 1 to 5"))),
        },
    };
    let mut entry = Map::new();
    entry.insert("value".into(), value);
    if let Some(reason) = rated.get("Rationale").filter(|reason| reason.json.is_string()) {
        entry.insert("reason".into(), reason.json.clone());
    }
    Ok(Json::Object(entry))
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn ratings_are_judgments_of_candidates() {
        clean(&shared());
        let mut row = json!({"source": "truthful_qa", "instruction": "Is it?", "completions": [
            {"model": "m-1", "response": "Yes", "annotations": {"honesty": {"Rating": "4", "Rationale": "fair"},
                "helpfulness": [{"Rating": "N/A"}]}},
            {"model": "m-2", "response": "", "annotations": {}}]});
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        let first = &taken.records[0]["candidates"][0];
        assert_eq!(first["judgments"]["honesty"], json!({"value": 4, "reason": "fair"}));
        assert_eq!(first["judgments"]["helpfulness"], json!({"value": "unknown"}));
        row["completions"][0]["annotations"]["honesty"]["Rating"] = json!("high");
        let fault = read(&FORMAT, &row, Form::Shared).unwrap_err();
        assert_eq!(fault.key, "completions[0].annotations.honesty.Rating");
    }
}
