//! OpenRubrics: pairs with a rubric of hard rules and principles, judged with a gatekeeper first.
//!
//! The rubric is numbered text whose lines end in `[Hard Rule]` or `[Principle]`. The published judge looks for one hard
//! rule that decides, and weighs the rest only where it does not; its verdict is a model's. Here that is computed: the
//! response that meets more hard rules wins, and where they meet as many, the one that meets more principles. What
//! cannot be kept is the judge's own weighing of principles against each other. Keys: `instruction, response_a,
//! response_b, winner, rubric` (the card of OpenRubric-v2).

use super::super::draft::{self, Item};
use super::super::format::{Form, Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::Record;
use serde_json::{Value as Json, json};

pub const FORMAT: Format = Format {
    name: "openrubrics",
    about: "OpenRubrics (JSON lines): pairs with hard rules and principles",
    holds: Holds::Rows,
    shared: Some(shared),
    own: true,
    read,
};

const FIELDS: &str = "input     instruction: text\ncandidate response:    text\n";
const READOUT: &str =
    "\nreadout pointwise = rules_met\nreadout pairwise  = prefer(rules_met, tie: by(principles_met, else: tie))\n";

/// More rules than any rubric has.
const MOST: usize = 1000;

fn shared() -> Named {
    let text = format!(
        "{FIELDS}reference hard_rules: json\nreference principles: json\n\n\
         checklist hard from hard_rules\nchecklist soft from principles\n\n\
         transform rules_met      = clamp(sum_points(hard), to: score[0..{MOST}])\n\
         transform principles_met = clamp(sum_points(soft), to: score[0..{MOST}])\n{READOUT}"
    );
    Named { name: "openrubrics".into(), doc: "Hard rules decide; principles where they do not.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let id = row.id(&["id", "uuid"])?;
    let (hard, soft) = rules(&part.need(&["rubric"])?)?;
    let winner = part.need(&["winner"])?;
    let label = match winner.word()?.to_lowercase().as_str() {
        "a" | "response_a" | "response a" | "0" => "a",
        "b" | "response_b" | "response b" | "1" => "b",
        "tie" => "tie",
        other => return Err(winner.fault(format!("`{other}` names neither response A nor response B"))),
    };
    let mut record = Record::new(&id)
        .with("instruction", part.need(&["instruction"])?.text()?)
        .with(
            "candidates",
            json!([{"id": "a", "response": part.need(&["response_a"])?.text()?},
                {"id": "b", "response": part.need(&["response_b"])?.text()?}]),
        )
        .with("label", label)
        .maybe("tags", part.get("source").map(|source| source.word()).transpose()?)
        .0;
    let mut taken = Taken {
        lost: vec!["how the published judge weighs principles against each other: each counts alike here".into()],
        ..Taken::default()
    };
    match row.form {
        Form::Shared => {
            record.insert("hard_rules".into(), carried(&hard));
            record.insert("principles".into(), carried(&soft));
        }
        Form::Own => taken.programs.push(Named { name: id, doc: String::new(), text: own(&hard, &soft) }),
    }
    taken.records.push(record);
    Ok(taken)
}

fn carried(items: &[Item]) -> Json {
    draft::carried(items)
}

/// A program of a rubric; where it has rules of one sort only, these alone decide.
fn own(hard: &[Item], soft: &[Item]) -> String {
    let list = |name: &str, items: &[Item]| draft::checklist(name, items, false);
    match (hard.is_empty(), soft.is_empty()) {
        (false, false) => format!(
            "{FIELDS}\n{}\n{}\nreduce rules_met      = count(hard)\nreduce principles_met = count(soft)\n{READOUT}",
            list("hard", hard),
            list("soft", soft)
        ),
        (has_no_rules, _) => {
            let items = if has_no_rules { soft } else { hard };
            format!(
                "{FIELDS}\n{}\nreduce rules_met = count(rules)\n\nreadout pointwise = rules_met\nreadout pairwise  = \
                 prefer(rules_met)\n",
                list("rules", items)
            )
        }
    }
}

/// The hard rules and the principles of a rubric.
fn rules(rubric: &Part<'_>) -> Result<(Vec<Item>, Vec<Item>), Fault> {
    let text = rubric.text()?;
    let (mut hard, mut soft) = (Vec::new(), Vec::new());
    for (n, line) in text.lines().enumerate() {
        let line = line.trim().trim_end_matches(['*', '.']).trim_end();
        if line.is_empty() {
            continue;
        }
        let bare = |text: &str| {
            let text = text.trim().trim_start_matches(|c: char| c.is_ascii_digit());
            Item::one(text.trim_start_matches(['.', ')']).trim())
        };
        let lower = line.to_lowercase();
        // The marks are ASCII, so their lengths are the same in the line and in its lower case, counted from the end.
        let without = |mark: &str| lower.strip_suffix(mark).and_then(|_| line.get(..line.len() - mark.len()));
        if let Some(rule) = without("[hard rule]") {
            hard.push(bare(rule));
        } else if let Some(rule) = without("[principle]") {
            soft.push(bare(rule));
        } else {
            return Err(rubric.fault(format!("line {} ends in neither [Hard Rule] nor [Principle]", n + 1)));
        }
    }
    Ok((hard, soft))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn hard_rules_come_first() {
        clean(&shared());
        let mut row = json!({"instruction": "Write a limerick.", "response_a": "x", "response_b": "y", "winner": "A",
            "rubric": "1. The response has five lines. [Hard Rule]\n2. The response is witty. [Principle]\n"});
        let taken = read(&FORMAT, &row, Form::Own).unwrap();
        let text = clean(&taken.programs[0]);
        assert!(text.contains("+1 item_1 \"The response has five lines.\""), "{text}");
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["principles"][0]["criterion"], json!("The response is witty."));
        row["rubric"] = json!("1. Witty [Principle]");
        clean(&read(&FORMAT, &row, Form::Own).unwrap().programs[0]);
        row["rubric"] = json!("1. Witty");
        assert!(read(&FORMAT, &row, Form::Own).unwrap_err().to_string().contains("line 1 ends in neither"));
    }
}
