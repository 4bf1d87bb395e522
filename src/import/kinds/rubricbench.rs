//! RubricBench: an instruction, two responses, which of them people prefer, and instance-specific items as lines of text.
//!
//! Kept: items are the lines of `rubrics` that are not blank, all of one weight; the response with more items met is
//! preferred, and a tie stays a tie. `label` 0 means that response A is preferred, 1 B. Keys: the data set's card
//! (`case_id, instruction, response_a, response_b, label, rubrics, source, domain`) and appendix B of arXiv 2603.01562.

use super::super::draft::Item;
use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::Fault;
use super::{Record, Scheme, with_items};
use serde_json::json;

pub const FORMAT: Format = Format {
    name: "rubricbench",
    about: "RubricBench (JSON lines, CSV): pairs with a preference and a list of items",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     instruction: text\ncandidate response:    text\n";
const READOUTS: &str = "readout pointwise = met\nreadout pairwise  = prefer(met)\n";

fn shared() -> Named {
    let text = format!(
        "{FIELDS}reference rubric_items: json\n\nchecklist items from rubric_items\n\n\
         transform met = clamp(points(items), to: score[0..1])\n\n{READOUTS}"
    );
    Named { name: "rubricbench".into(), doc: "Prefers the response that meets more items.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["case_id", "id"])?;
    let rubrics = part.need(&["rubrics", "rubric"])?;
    let lines = rubrics.text()?;
    let items: Vec<Item> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(Item::one).collect();
    let label = part.need(&["label"])?;
    let winner = match label.whole_number()? {
        0 => "a",
        1 => "b",
        other => return Err(label.fault(format!("{other} is neither 0 (A is preferred) nor 1 (B is)"))),
    };
    let record = Record::new(&id)
        .with("instruction", part.need(&["instruction"])?.text()?)
        .with(
            "candidates",
            json!([{"id": "a", "response": part.need(&["response_a"])?.text()?},
                {"id": "b", "response": part.need(&["response_b"])?.text()?}]),
        )
        .with("label", winner)
        .maybe("tags", part.any(&["domain", "source"]).map(|tag| tag.word()).transpose()?);
    let own = format!("reduce met = fraction(items)\n\n{READOUTS}");
    Ok(with_items(row, &Scheme { fields: FIELDS, own: &own, abstain: false }, &id, "", &items, record))
}

#[cfg(test)]
mod tests {
    use super::super::super::draft;
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn lines_are_items_and_the_label_is_the_winner() {
        clean(&shared());
        let mut row = json!({"case_id": "c9", "instruction": "Sum up.", "response_a": "x", "response_b": "y", "label": 1,
            "rubrics": "Is short\n\n  Names the author \n", "source": "s", "domain": "chat"});
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        assert_eq!(
            taken.records[0]["rubric_items"],
            draft::carried(&[Item::one("Is short"), Item::one("Names the author")])
        );
        assert_eq!(taken.records[0]["label"], json!("b"));
        clean(&read(&FORMAT, &row, Form::Own).unwrap().programs[0]);
        row["label"] = json!(2);
        assert!(read(&FORMAT, &row, Form::Own).unwrap_err().to_string().contains("neither 0"));
    }
}
