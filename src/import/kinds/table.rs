//! A table (CSV, TSV) of criteria, as people keep them in spreadsheets; also JSON lines with the same keys.
//!
//! One program: a checklist with signed points, groups where a column `group` names them, and the score that HealthBench
//! has (points met over all positive points) or, where no points are positive, the share of 1 that is left. Columns:
//! `criterion` (or `requirement`, `question`, `text`), `points` (or `weight`; 1 where it is left out), `id` (or `name`),
//! `group` (or `section`, `category`); further columns become tags.

use super::super::draft::{self, Item};
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::literal;
use super::super::names::Names;
use super::super::part::Fault;
use crate::number::Number;
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "csv",
    about: "A table of criteria (CSV, TSV): columns criterion, points, id, group; others become tags",
    holds: Holds::Table,
    shared: None,
    own: true,
    read,
};

const TEXT: [&str; 4] = ["criterion", "requirement", "question", "text"];
const POINTS: [&str; 2] = ["points", "weight"];
const ID: [&str; 2] = ["id", "name"];
const GROUP: [&str; 3] = ["group", "section", "category"];

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let mut names = Names::new();
    let mut groups: Vec<(Option<String>, Vec<Item>)> = Vec::new();
    for (n, part) in row.part.some()?.into_iter().enumerate() {
        let filled = |keys: &[&str]| part.any(keys).filter(|cell| *cell.json != "");
        let points = filled(&POINTS).map_or(Ok(Number::from(1_i64)), |points| points.number())?;
        if points.is_zero() {
            return Err(part.fault("a criterion of 0 points changes nothing; leave it out"));
        }
        let id = filled(&ID).map(|id| id.word()).transpose()?.unwrap_or_else(|| format!("item_{}", n + 1));
        let mut item = Item { id: Some(names.take(&id)), points, ..Item::one(part.need(&TEXT)?.text()?) };
        for (key, cell) in part.entries()? {
            let known = TEXT.iter().chain(&POINTS).chain(&ID).chain(&GROUP).any(|known| known == key);
            if !known && !cell.json.is_null() && *cell.json != "" {
                item.tags.push((key.clone(), cell.word()?));
            }
        }
        let group = filled(&GROUP).map(|group| group.word()).transpose()?;
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, items)) => items.push(item),
            None => groups.push((group, vec![item])),
        }
    }
    let positive = groups.iter().any(|(_, items)| draft::has_positive(items));
    let mut text = "input     question: text?\ncandidate answer:   text\n\nchecklist items {\n".to_owned();
    for (group, items) in &groups {
        match group {
            None => text.push_str(&draft::item_lines(items, "  ")),
            Some(group) => {
                let name = names.take(group);
                let _ =
                    write!(text, "  group {name} {} {{\n{}  }}\n", literal(group), draft::item_lines(items, "    "));
            }
        }
    }
    text.push_str("}\n\n");
    if positive {
        text.push_str("reduce score = points(items)\n");
    } else {
        text.push_str("reduce taken = sum_points(items)\n\ntransform score = normalize(taken)\n");
    }
    text.push_str("\nreadout pointwise = score\n");
    Ok(Taken { programs: vec![Named { name: row.stem.to_owned(), doc: String::new(), text }], ..Taken::default() })
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn groups_points_and_tags() {
        let rows = json!([{"criterion": "Names the author", "points": "5", "id": "author", "group": "Facts", "axis": "accuracy"},
            {"criterion": "Insults", "points": "-3", "id": "", "group": "Tone", "axis": ""},
            {"criterion": "Names the year", "points": "", "id": "year", "group": "Facts", "axis": ""}]);
        let text = clean(&read(&FORMAT, &rows, Form::Own).unwrap().programs[0]);
        assert!(text.contains("    +5 author \"Names the author\" { tag axis \"accuracy\" }\n    +1 year"), "{text}");
        assert!(text.contains("    -3 item_2 \"Insults\""), "{text}");
        let bad = json!([{"criterion": "x", "points": "lots"}]);
        assert_eq!(read(&FORMAT, &bad, Form::Own).unwrap_err().key, "[0].points");
        let negative = json!([{"requirement": "Insults", "weight": -2}]);
        clean(&read(&FORMAT, &negative, Form::Own).unwrap().programs[0]);
    }
}
