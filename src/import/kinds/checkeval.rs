//! CheckEval: yes/no questions of one aspect, in YAML, by sub-aspect.
//!
//! Kept: the score of an aspect is the share of yes; the sub-aspects are groups. The questions of a sub-aspect are the
//! lines of one plain scalar, which YAML folds into a single text: they are split behind question marks. A list of
//! questions is read as well. Keys: `definition.<dataset>` and `sub_aspect.<name>` (yukyunglee/CheckEval, MIT; read on real
//! files). Its other statistics (median, mode, deviation) are of a data set.

use super::super::draft::{self, Item};
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::names::Names;
use super::super::part::{Fault, Part};
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "checkeval",
    about: "CheckEval (YAML): the yes/no questions of an aspect, by sub-aspect",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read,
};

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let mut names = Names::new();
    let mut text = "input     source:  text?\ncandidate summary: text\n\nchecklist questions {\n".to_owned();
    let mut number = 0;
    for (name, part) in row.part.need(&["sub_aspect"])?.entries()? {
        let group = names.take(name);
        let mut items = Vec::new();
        for question in questions(&part)? {
            number += 1;
            items.push(Item { id: Some(names.take(&format!("q{number}"))), ..Item::one(question) });
        }
        let _ = write!(text, "  group {group} {} {{\n{}  }}\n", literal(name), draft::item_lines(&items, "    "));
    }
    if number == 0 {
        return Err(row.part.fault("there are no questions under `sub_aspect`"));
    }
    text.push_str("}\n\nreduce score = fraction(questions)\n\nreadout pointwise = score\n");
    let mut doc = String::new();
    if let Some(definitions) = row.part.get("definition") {
        for (_, definition) in definitions.entries()? {
            let _ = writeln!(doc, "{}", definition.text()?);
        }
    }
    Ok(Taken { programs: vec![Named { name: row.stem.to_owned(), doc, text }], ..Taken::default() })
}

fn questions(part: &Part<'_>) -> Result<Vec<String>, Fault> {
    if part.json.is_array() {
        return part.some()?.iter().map(|question| question.text()).collect();
    }
    let text = part.text()?;
    let mut questions: Vec<String> = text.split_inclusive('?').map(|question| question.trim().to_owned()).collect();
    questions.retain(|question| !question.is_empty());
    if questions.iter().any(|question| !question.ends_with('?')) {
        return Err(part.fault("what stands behind the last question mark is no question"));
    }
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn folded_questions_are_split() {
        let mut file = json!({"definition": {"summeval": "How well it reads."},
            "sub_aspect": {"Logical Flow": "Is it in order? Does it follow?", "Topic": ["Is there one?"]}});
        let text = clean(&read(&FORMAT, &file, Form::Own).unwrap().programs[0]);
        assert!(
            text.contains("  group Logical_Flow \"Logical Flow\" {\n    +1 q1 \"Is it in order?\"\n    +1 q2"),
            "{text}"
        );
        file["sub_aspect"]["Topic"] = json!("Is there one? Yes.");
        assert_eq!(read(&FORMAT, &file, Form::Own).unwrap_err().key, "sub_aspect.Topic");
    }
}
