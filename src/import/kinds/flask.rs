//! FLASK: twelve skills with five levels each, of which three apply to an instruction.
//!
//! `flask` reads the skills and makes the program; `flask-records` reads the instructions (and reviews) and makes its
//! records. Kept: a skill is judged from 1 to 5 or N/A; N/A and skills that do not apply are left out of the mean; a mean of
//! every skill over a data set stands in the summary of its readout. Keys (kaistAI/FLASK): `Skill, Criteria, Scoring{"1".."5"}`;
//! `idx, instruction, answer, task, skill[], domain[], difficulty`, and what its scripts call `question_id, text, metrics`;
//! `target_txt`, `score{skill: n | "N/A"}`. From the description; no real row was read.

use super::super::draft;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::names::name_of;
use super::super::part::{Fault, Part};
use super::{Record, judged};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "flask",
    about: "FLASK skills (JSON): skills with five levels, of which some apply to each instruction",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read,
};

pub const RECORDS: Format = Format {
    name: "flask-records",
    about: "FLASK instructions and reviews (JSON lines): records for the program of the skills",
    holds: Holds::Rows,
    shared: None,
    own: false,
    read: read_record,
};

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let mut text =
        "input     instruction:      text\ninput     skills:           json\nreference reference_answer: text?\n\
        candidate response:         text\n\n"
            .to_owned();
    let (mut slots, mut readouts) = (Vec::new(), String::new());
    for skill in row.part.some()? {
        let title = skill.need(&["Skill", "skill"])?.text()?;
        let name = name_of(&title.to_lowercase());
        let ask = skill.need(&["Criteria", "criteria"])?.text()?;
        let mut levels = Vec::new();
        let scoring = skill.need(&["Scoring", "scoring"])?;
        for n in 1..=5 {
            levels.push((n.to_string(), scoring.need(&[&n.to_string()])?.text()?));
        }
        let more = format!(
            "  sees instruction, reference_answer, response\n  applies rule(otherwise(json_get(skills, {}), false))\n",
            literal(&format!("/{}", title.replace('~', "~0").replace('/', "~1")))
        );
        let _ = writeln!(text, "{}", draft::criterion(&name, "int[1..5]?", &ask, &levels, &more));
        let _ = writeln!(readouts, "readout pointwise {name}_score = {name}");
        slots.push(name);
    }
    let [first, ..] = slots.as_slice() else { return Err(row.part.fault("there are no skills")) };
    let mean = format!("reduce overall = mean({}, unknown: skip)", slots.join(", "));
    let mean = if slots.len() == 1 { format!("transform overall = rescale({first}, to: score[1..5])") } else { mean };
    let _ = write!(text, "{mean}\n\nreadout pointwise = overall\n{readouts}");
    let doc = "The mean of the skills that apply; what is not applicable is left out.";
    Ok(Taken { programs: vec![Named { name: "flask".into(), doc: doc.into(), text }], ..Taken::default() })
}

fn read_record(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let skills = part.need(&["skill", "metrics"])?;
    let list = skills.some()?.iter().map(|skill| skill.text()).collect::<Result<Vec<String>, Fault>>()?;
    let mut tags = Map::new();
    for key in ["task", "domain", "difficulty", "difficulty_labeled"] {
        if let Some(tag) = part.get(key) {
            tags.insert(key.to_owned(), tag.json.clone());
        }
    }
    let mut record = Record::new(&row.id(&["idx", "question_id"])?)
        .with("instruction", part.need(&["instruction", "text"])?.text()?)
        .with("skills", list.iter().map(|skill| (skill.clone(), json!(true))).collect::<Map<String, Json>>())
        .maybe("reference_answer", part.get("answer").map(|answer| answer.text()).transpose()?)
        .maybe("response", part.any(&["target_txt", "response"]).map(|answer| answer.text()).transpose()?)
        .maybe("tags", (!tags.is_empty()).then_some(tags))
        .0;
    if let Some(scores) = part.get("score") {
        let reviewer = part.get("review").map(|review| review.json.clone());
        let mut judgments = Map::new();
        for (skill, score) in scores.entries()? {
            if !list.iter().any(|known| known.eq_ignore_ascii_case(skill)) {
                return Err(score.fault(format!("the skill does not apply to this instruction ({})", list.join(", "))));
            }
            let mut entry = json!({"value": value(&score)?});
            if let (Some(object), Some(review)) = (entry.as_object_mut(), &reviewer) {
                object.insert("reason".into(), review.clone());
            }
            judgments.insert(name_of(&skill.to_lowercase()), entry);
        }
        judged(&mut record, judgments);
    }
    Ok(Taken { records: vec![record], ..Taken::default() })
}

fn value(score: &Part<'_>) -> Result<Json, Fault> {
    if score.json.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("n/a")) {
        return Ok(json!("unknown"));
    }
    match score.whole_number()? {
        value @ 1..=5 => Ok(json!(value)),
        other => Err(score.fault(format!("{other} is no score from 1 to 5, and not N/A"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn skills_apply_by_name() {
        let levels = json!({"1": "a", "2": "b", "3": "c", "4": "d", "5": "e"});
        let skills = json!([{"Skill": "Logical Robustness", "Criteria": "Is it sound?", "Scoring": levels},
            {"Skill": "Conciseness", "Criteria": "Is it short?", "Scoring": levels}]);
        let text = clean(&read(&FORMAT, &skills, Form::Own).unwrap().programs[0]);
        assert!(text.contains("criterion logical_robustness: int[1..5]? {"), "{text}");
        assert!(text.contains("applies rule(otherwise(json_get(skills, \"/Conciseness\"), false))"), "{text}");
        let mut row = json!({"idx": 3, "instruction": "Prove it.", "answer": "QED", "skill": ["Logical Robustness"],
            "domain": ["Math"], "score": {"logical robustness": "N/A"}, "review": "…"});
        let taken = read(&RECORDS, &row, Form::Own).unwrap();
        assert_eq!(taken.records[0]["judgments"]["logical_robustness"]["value"], json!("unknown"));
        assert_eq!(taken.records[0]["skills"], json!({"Logical Robustness": true}));
        row["score"] = json!({"Conciseness": 3});
        assert_eq!(read(&RECORDS, &row, Form::Own).unwrap_err().key, "score.Conciseness");
    }
}
