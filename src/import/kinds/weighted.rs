//! Lists of weighted requirements: the `rubric` package of The LLM Data Company, and autorubric.
//!
//! Kept: a requirement is met or not; the score is the weights met over the positive weights, clipped to 0..1. A list with
//! negative weights only scores 1 + (weights met) / (sum of their sizes), clipped to 0..1. A list is flat, stands under
//! `rubric` or `criteria`, or comes in `sections`. Of autorubric also: judges may abstain (CANNOT_ASSESS), which by its
//! default leaves the requirement out; requirements with `options` of a `value` from 0 to 1 and `na`.
//! Keys: `weight` (1 where it is left out), `requirement`, `name`, `sections[].criteria`, `options[].{label, value, na}`
//! (from the descriptions of both packages; no real file was read).

use super::super::draft::{self, Item};
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::names::Names;
use super::super::part::{Fault, Part};
use crate::number::Number;
use crate::types::quote_label;
use std::fmt::Write as _;

pub const LLM_DATA: Format = Format {
    name: "rubric",
    about: "The LLM Data Company's `rubric` (YAML, JSON): requirements with weights, flat or in sections",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read: read_rubric,
};

pub const AUTORUBRIC: Format = Format {
    name: "autorubric",
    about: "autorubric (YAML, JSON): requirements with weights and options; judges may abstain",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read: read_autorubric,
};

const FIELDS: &str = "input     query:    text?\ncandidate response: text\n\n";

fn read_rubric(row: &Row<'_>) -> Result<Taken, Fault> {
    made(row, false)
}

fn read_autorubric(row: &Row<'_>) -> Result<Taken, Fault> {
    made(row, true)
}

/// A section's name, and its requirements.
type Section<'j> = (Option<String>, Vec<Part<'j>>);

fn sections<'j>(whole: &Part<'j>) -> Result<Vec<Section<'j>>, Fault> {
    if whole.json.is_array() {
        return Ok(vec![(None, whole.some()?)]);
    }
    if let Some(inner) = whole.any(&["rubric"]) {
        return sections(&inner);
    }
    if let Some(list) = whole.get("sections") {
        return list.some()?.iter().map(section).collect();
    }
    Ok(vec![(None, whole.need(&["criteria", "rubric", "sections"])?.some()?)])
}

fn section<'j>(part: &Part<'j>) -> Result<Section<'j>, Fault> {
    let name = part.any(&["name", "title"]).map(|name| name.word()).transpose()?;
    Ok((name, part.need(&["criteria", "items"])?.some()?))
}

fn made(row: &Row<'_>, abstain: bool) -> Result<Taken, Fault> {
    let mut list = String::new();
    let mut names = Names::new();
    let (mut positive, mut negative, mut items, mut options) = (0, 0, 0, Vec::new());
    for (name, parts) in sections(&row.part)? {
        let mut lines = String::new();
        for part in parts {
            let id = part.any(&["name", "id"]).map(|id| id.word()).transpose()?;
            let id = names.take(&id.unwrap_or_else(|| format!("item_{}", items + options.len() + 1)));
            let weight = part.get("weight");
            let points = weight.as_ref().map_or(Ok(Number::from(1_i64)), |weight| weight.number())?;
            if points.is_zero() {
                return Err(weight.unwrap_or(part).fault("a requirement of weight 0 changes nothing; leave it out"));
            }
            let text = part.need(&["requirement", "text"])?.text()?;
            if let Some(found) = part.get("options").filter(|_| abstain) {
                if points.is_negative() {
                    return Err(part.fault("a requirement with options and a negative weight cannot be expressed"));
                }
                options.push(Choice::read(&id, &text, &points, &found)?);
                continue;
            }
            *(if points.is_negative() { &mut negative } else { &mut positive }) += 1;
            items += 1;
            let item = Item { id: Some(id), points, ..Item::one(text) };
            lines.push_str(&draft::item_lines(&[item], if name.is_some() { "    " } else { "  " }));
        }
        match name {
            Some(name) if !lines.is_empty() => {
                let group = names.take(&name);
                let _ = write!(list, "  group {group} {} {{\n{lines}  }}\n", literal(&name));
            }
            _ => list.push_str(&lines),
        }
    }
    let optional = if abstain { ": bool?" } else { "" };
    let unknown = if abstain { ", unknown: skip" } else { "" };
    let mut text = FIELDS.to_owned();
    if items > 0 {
        let _ = write!(text, "checklist items{optional} {{\n{list}}}\n\n");
    }
    let mut taken = Taken::default();
    if options.is_empty() {
        if positive == 0 {
            // Every weight is negative: the score falls from 1 by the share of what is met.
            let _ = write!(text, "reduce taken = sum_points(items{unknown})\n\ntransform score = normalize(taken)\n");
        } else {
            let _ = write!(text, "reduce raw = points(items{unknown})\n\n");
            text.push_str("transform score = clamp(raw, to: score[0..1])\n");
            if negative == 0 {
                text = text.replace("reduce raw = points", "reduce score = points");
                text = text.replace("\ntransform score = clamp(raw, to: score[0..1])\n", "");
            }
        }
        if abstain && positive == 0 {
            taken.lost.push(
                "a list of negative weights only, some of them left out: the others keep their share here".into(),
            );
        }
    } else {
        if negative > 0 {
            return Err(row.part.fault("requirements with options beside negative weights cannot be expressed"));
        }
        let mut slots = String::new();
        let mut total = Number::from(0_i64);
        for choice in &options {
            text.push_str(&choice.criterion);
            let _ = writeln!(slots, "  {} weight {},", choice.value, choice.weight);
        }
        if items > 0 {
            for (_, parts) in sections(&row.part)? {
                for part in parts.iter().filter(|part| part.get("options").is_none()) {
                    total = &total + &part.get("weight").map_or(Ok(Number::from(1_i64)), |weight| weight.number())?;
                }
            }
            let _ = write!(text, "reduce met = points(items, unknown: skip)\n\n");
            let _ = writeln!(slots, "  met weight {total},");
            taken.lost.push(
                "an abstention among plain requirements beside ones with options: their joint weight stays".into(),
            );
        }
        let _ = write!(text, "reduce score = weighted_mean(\n{slots}  unknown: skip,\n)\n");
    }
    text.push_str("\nreadout pointwise = score\n");
    taken.programs.push(Named { name: row.stem.to_owned(), doc: String::new(), text });
    Ok(taken)
}

/// A requirement that is answered by one of several options.
struct Choice {
    criterion: String,
    /// The name of the node with its value from 0 to 1.
    value: String,
    weight: Number,
}

impl Choice {
    fn read(id: &str, text: &str, weight: &Number, options: &Part<'_>) -> Result<Choice, Fault> {
        let (mut labels, mut rows) = (Vec::new(), String::new());
        let list = options.some()?;
        if list.len() < 2 {
            return Err(options.fault("a requirement has at least two options"));
        }
        for option in list {
            let label = quote_label(&option.need(&["label"])?.word()?);
            let na = option.get("na").map(|na| na.flag()).transpose()?.unwrap_or(false);
            let value = if na {
                "unknown".to_owned()
            } else {
                let value = option.need(&["value"])?;
                let number = value.number()?;
                if number.is_negative() || number > Number::from(1_i64) {
                    return Err(value.fault("the value of an option lies between 0 and 1"));
                }
                number.to_string()
            };
            let _ = write!(rows, " {label} => {value},");
            labels.push(label);
        }
        let value = format!("{id}_value");
        let criterion = format!(
            "criterion {id}: choice({})? {{\n  ask {}\n}}\n\ntransform {value}: score[0..1]? = map({id}) {{{} }}\n\n",
            labels.join(", "),
            literal(text),
            rows.trim_end_matches(',')
        );
        Ok(Choice { criterion, value, weight: weight.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn flat_lists_sections_and_a_key() {
        let flat =
            json!([{"weight": 10, "requirement": "States the dose"}, {"weight": -5, "requirement": "Frightens"}]);
        for file in [flat.clone(), json!({"rubric": flat}), json!({"rubric": {"criteria": flat}})] {
            let text = clean(&read(&LLM_DATA, &file, Form::Own).unwrap().programs[0]);
            assert!(text.contains("clamp(raw, to: score[0..1])"), "{text}");
        }
        let file = json!({"sections": [{"name": "Form", "criteria": [{"requirement": "Short"}]},
            {"name": "Content", "criteria": [{"weight": 2.5, "requirement": "True"}]}]});
        let text = clean(&read(&LLM_DATA, &file, Form::Own).unwrap().programs[0]);
        assert!(text.contains("group Form \"Form\" {\n    +1 item_1 \"Short\"\n  }\n"), "{text}");
    }

    #[test]
    fn only_negative_weights_fall_from_one() {
        let file = json!([{"weight": -3, "requirement": "Insults"}, {"weight": -1, "requirement": "Shouts"}]);
        let text = clean(&read(&LLM_DATA, &file, Form::Own).unwrap().programs[0]);
        assert!(text.contains("transform score = normalize(taken)"), "{text}");
    }

    #[test]
    fn options_are_choices_and_not_applicable_is_unknown() {
        let file = json!({"criteria": [{"name": "tone", "weight": 2, "requirement": "How is the tone?", "options": [
            {"label": "warm", "value": 1}, {"label": "cold", "value": 0.0}, {"label": "none of it", "na": true}]},
            {"name": "true", "requirement": "Is it true?"}]});
        let text = clean(&read(&AUTORUBRIC, &file, Form::Own).unwrap().programs[0]);
        assert!(text.contains("\"none of it\" => unknown"), "{text}");
        let plain = json!([{"requirement": "Is it true?"}]);
        assert!(clean(&read(&AUTORUBRIC, &plain, Form::Own).unwrap().programs[0]).contains("items: bool?"));
    }
}
