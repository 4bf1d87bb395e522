//! HelpSteer2: five attributes from 0 to 4 that people gave, and preferences between two responses.
//!
//! Kept: the attributes are recorded judgments by people (in `disagreements/` lists, which are samples); nothing joins them
//! into one score there, so `helpfulness` is the sink and the others are readouts of their own. A preference from −3 to 3 is
//! a label; 0 is a tie, above 0 the second response is better. Keys: the data set's card: `prompt, response, helpfulness,
//! correctness, coherence, complexity, verbosity`; `response_1, response_2, preference_strength`. No real row was read.

use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::Record;
use serde_json::{Map, Value as Json, json};

pub const FORMAT: Format = Format {
    name: "helpsteer2",
    about: "HelpSteer2 (JSON lines): responses with five human ratings, as records",
    holds: Holds::Rows,
    shared: Some(shared),
    own: false,
    read,
};

pub const PREFERENCE: Format = Format {
    name: "helpsteer2-preference",
    about: "HelpSteer2 preferences (JSON lines): pairs of responses with a preference, as records",
    holds: Holds::Rows,
    shared: Some(shared_preference),
    own: false,
    read: read_preference,
};

const ATTRIBUTES: [(&str, &str); 5] = [
    ("helpfulness", "How helpful is the response to the prompt?"),
    ("correctness", "Are all facts that matter there, and none of them wrong?"),
    ("coherence", "How consistent and clear is the response?"),
    ("complexity", "How much expertise does it take to write the response?"),
    ("verbosity", "How much detail is there, compared to what the prompt asks for?"),
];

const FIELDS: &str = "input     prompt:   text\ncandidate response: text\n\n";

fn shared() -> Named {
    let mut text = FIELDS.to_owned();
    for (name, ask) in ATTRIBUTES {
        text.push_str(&format!(
            "criterion {name}: int[0..4] {{\n  ask \"{ask}\"\n  judge human(combine: median)\n}}\n\n"
        ));
    }
    text.push_str("readout pointwise = helpfulness\n");
    for (name, _) in ATTRIBUTES.iter().skip(1) {
        text.push_str(&format!("readout pointwise {name}_rating = {name}\n"));
    }
    Named { name: "helpsteer2".into(), doc: "Attributes from 0 to 4; nothing joins them.".into(), text }
}

fn shared_preference() -> Named {
    let text = format!(
        "{FIELDS}criterion helpfulness: int[0..4] \"{}\"\n\nreadout pointwise = helpfulness\nreadout pairwise  = \
         prefer(helpfulness)\n",
        ATTRIBUTES.first().map_or("", |(_, ask)| ask)
    );
    Named { name: "helpsteer2_preference".into(), doc: "Prefers the more helpful response.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let mut judgments = Map::new();
    for (name, _) in ATTRIBUTES {
        let given = part.need(&[name])?;
        let entry = if given.json.is_array() {
            let values = given.some()?.iter().map(rating).collect::<Result<Vec<Json>, Fault>>()?;
            json!({"values": values})
        } else {
            rating(&given)?
        };
        judgments.insert(name.to_owned(), entry);
    }
    let record = Record::new(&row.id(&["id"])?)
        .with("prompt", part.need(&["prompt"])?.text()?)
        .with("response", part.need(&["response"])?.text()?)
        .with("judgments", judgments);
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

fn rating(part: &Part<'_>) -> Result<Json, Fault> {
    match part.whole_number()? {
        value @ 0..=4 => Ok(json!(value)),
        other => Err(part.fault(format!("{other} is no rating from 0 to 4"))),
    }
}

fn read_preference(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let strength = part.need(&["preference_strength"])?;
    let number = strength.whole_number()?;
    let winner = match number {
        -3..=-1 => "response_1",
        0 => "tie",
        1..=3 => "response_2",
        other => return Err(strength.fault(format!("{other} is no strength from -3 to 3"))),
    };
    let response =
        |key: &str| -> Result<Json, Fault> { Ok(json!({"id": key, "response": part.need(&[key])?.text()?})) };
    let record = Record::new(&row.id(&["id"])?)
        .with("prompt", part.need(&["prompt"])?.text()?)
        .with("candidates", vec![response("response_1")?, response("response_2")?])
        .with("label", winner)
        .with("tags", json!({"strength": number.abs()}));
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn ratings_are_judgments_and_preferences_labels() {
        clean(&shared());
        clean(&shared_preference());
        let mut row = json!({"prompt": "Hi", "response": "Hello", "helpfulness": 4, "correctness": [4, 3], "coherence": 4,
            "complexity": 0, "verbosity": 1});
        let taken = read(&FORMAT, &row, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["judgments"]["correctness"], json!({"values": [4, 3]}));
        row["verbosity"] = json!(5);
        assert_eq!(read(&FORMAT, &row, Form::Shared).unwrap_err().key, "verbosity");
        let pair = json!({"prompt": "Hi", "response_1": "a", "response_2": "b", "preference_strength": -2});
        let taken = read(&PREFERENCE, &pair, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["label"], json!("response_1"));
    }
}
