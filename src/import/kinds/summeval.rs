//! SummEval: summaries of 16 systems with experts' ratings of four dimensions.
//!
//! Kept: a dimension's score is the mean of its raters; the dimensions are readouts of their own (`overall`, their mean, is
//! ours: SummEval joins nothing). Keys: Yale-LILY/SummEval `id, model_id, decoded, text, expert_annotations[{coherence, …}]`,
//! or the means as neulab/BARTScore distributes them: `doc_id, system, summary, human{coherence, …}` (read on real rows).

use super::super::format::{Format, Holds, Named, Row, Taken};
use super::super::part::{Fault, Part};
use super::Record;
use crate::number::Number;
use serde_json::{Map, Value as Json, json};

pub const FORMAT: Format = Format {
    name: "summeval",
    about: "SummEval (JSON lines): summaries with experts' ratings of four dimensions, as records",
    holds: Holds::Rows,
    shared: Some(shared),
    own: false,
    read,
};

const DIMENSIONS: [(&str, &str); 4] = [
    ("coherence", "How well do the sentences of the summary form a whole?"),
    ("consistency", "Is everything in the summary borne out by the source?"),
    ("fluency", "How good is each sentence of the summary by itself?"),
    ("relevance", "Does the summary hold what matters in the source, and nothing else?"),
];

fn shared() -> Named {
    let mut text = "input     source:  text?\ncandidate summary: text\n\n".to_owned();
    let (mut names, mut readouts) = (Vec::new(), String::new());
    for (name, ask) in DIMENSIONS {
        text.push_str(&format!(
            "criterion {name}: score[1..5] {{\n  ask \"{ask}\"\n  judge human(combine: mean)\n}}\n\n"
        ));
        readouts.push_str(&format!("readout pointwise {name}_mean = {name}\n"));
        names.push(name);
    }
    text.push_str(&format!("reduce overall = mean({})\n\nreadout pointwise = overall\n{readouts}", names.join(", ")));
    Named { name: "summeval".into(), doc: "Means of the raters, by dimension.".into(), text }
}

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let part = &row.part;
    let (document, system) = (part.need(&["doc_id", "id"])?.word()?, part.need(&["system", "model_id"])?.word()?);
    let mut judgments = Map::new();
    for (name, _) in DIMENSIONS {
        let entry = if let Some(means) = part.get("human") {
            rating(&means.need(&[name])?)?
        } else {
            let raters = part.need(&["expert_annotations"])?.some()?;
            let values =
                raters.iter().map(|rater| rating(&rater.need(&[name])?)).collect::<Result<Vec<Json>, Fault>>()?;
            json!({"values": values})
        };
        judgments.insert(name.to_owned(), entry);
    }
    let record = Record::new(&format!("{document}/{system}"))
        .maybe("source", part.any(&["text", "source"]).map(|text| text.text()).transpose()?)
        .with("summary", part.need(&["summary", "decoded"])?.text()?)
        .with("tags", json!({"document": document, "system": system}))
        .with("judgments", judgments);
    Ok(Taken { records: vec![record.0], ..Taken::default() })
}

fn rating(part: &Part<'_>) -> Result<Json, Fault> {
    let number = part.number()?;
    if number < Number::from(1_i64) || number > Number::from(5_i64) {
        return Err(part.fault(format!("{number} is no rating from 1 to 5")));
    }
    Ok(part.json.clone())
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;

    #[test]
    fn raters_or_their_means() {
        clean(&shared());
        let means = json!({"doc_id": "d", "system": "M1", "summary": "s",
            "human": {"coherence": 3.3333333333, "consistency": 5.0, "fluency": 1, "relevance": 4}});
        let taken = read(&FORMAT, &means, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["id"], json!("d/M1"));
        assert_eq!(taken.records[0]["judgments"]["fluency"], json!(1));
        let one = json!({"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4});
        let mut raters = json!({"id": "d", "model_id": "M1", "decoded": "s", "expert_annotations": [one, one]});
        let taken = read(&FORMAT, &raters, Form::Shared).unwrap();
        assert_eq!(taken.records[0]["judgments"]["relevance"], json!({"values": [4, 4]}));
        raters["expert_annotations"][1]["relevance"] = json!(6);
        assert_eq!(read(&FORMAT, &raters, Form::Shared).unwrap_err().key, "expert_annotations[1].relevance");
    }
}
