//! Statements that an answer must make, labelled by three physicians; one contradiction vetoes an answer.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, run, stats};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn completeness_with_a_veto() {
    let Some(folder) = data("kqa") else { return };
    let mut expected = Expected::of(&folder);
    let questions = json_lines(&folder.join("questions.jsonl"));
    let statements = |key: &str| questions.iter().map(|q| q[key].as_array().unwrap().len()).sum::<usize>();
    expected.check("questions", json!([questions.len(), statements("Must_have"), statements("Nice_to_have")]));
    let labels = json_lines(&folder.join("labels.jsonl"));
    let mut answers: BTreeMap<(&str, u64), Vec<&Json>> = BTreeMap::new();
    for row in &labels {
        answers.entry((row["model"].as_str().unwrap(), row["question_id"].as_u64().unwrap())).or_default().push(row);
    }
    let out = tempfile::tempdir().unwrap();
    let (mut units, mut majorities) = (Vec::new(), Vec::new());
    let mut models: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for ((model, question), rows) in &answers {
        let (text, record) = answer(rows);
        let program = out.path().join("answer.rubric");
        fs::write(&program, text).unwrap();
        let line = run(&program, &[record]).remove(0);
        for (row, n) in rows.iter().zip(1..) {
            let id = format!("{model} {question} {n}");
            let said = &line["observed"][format!("s{n}")];
            majorities.push((said.clone(), row["majority_label"].as_str().unwrap().to_lowercase()));
            units.push(json!({"id": id, "status": "decided", "readouts": {"pointwise": said}, "row": row["labels"]}));
        }
        models.entry(model).or_default().push(line);
    }
    let same = majorities.iter().filter(|(ours, published)| ours == published).count();
    expected.check("majority_equal", json!([same, labels.len()]));
    let unanimous = |row: &&Json| row["labels"].as_array().unwrap().windows(2).all(|two| two[0] == two[1]);
    expected.check("unanimous", labels.iter().filter(unanimous).count());
    let ratings: Vec<Json> = units
        .iter()
        .flat_map(|unit| {
            let three = unit["row"].as_array().unwrap().iter().zip(["a", "b", "c"]);
            three.map(|(label, by)| json!({"id": unit["id"], "by": by, "label": label})).collect::<Vec<Json>>()
        })
        .collect();
    let report = eval(&units, &Labels::Rows(&ratings), &[]);
    expected.check("physicians.fleiss", figure(&report["agreement"][0]["figures"], "fleiss_kappa"));
    for (model, lines) in models {
        let with_must: Vec<&Json> = lines.iter().filter(|line| !line["readouts"]["pointwise"].is_null()).collect();
        expected.check(&format!("{model}.answers"), json!([lines.len(), with_must.len()]));
        let mean = |value: &dyn Fn(&Json) -> Json| {
            stats::mean(&with_must.iter().map(|line| number(&value(line))).collect::<Vec<f64>>())
        };
        expected.check(&format!("{model}.completeness"), mean(&|line| line["observed"]["complete"].clone()));
        expected.check(&format!("{model}.completeness_vetoed"), mean(&|line| line["readouts"]["pointwise"].clone()));
        let wrong: f64 = lines.iter().map(|line| number(&line["observed"]["contradictions"])).sum();
        expected.check(&format!("{model}.contradictions"), wrong);
    }
    expected.prove(&crate::Evidence {
        exercises: "votes over a choice, a fraction of statements of one importance, a veto by contradiction",
        program: "a program for each answer, written by the test",
        headlines: &["gpt4.completeness", "gpt4.completeness_vetoed", "physicians.fleiss"],
        left_out: &[],
    });
}

/// The program of an answer's statements, and what three physicians said of each.
fn answer(rows: &[&Json]) -> (String, Json) {
    let mut text = "rubric kqa\ninput question: text\ncandidate answer: text\n".to_owned();
    let (mut must, mut wrong, mut observed) = (Vec::new(), Vec::new(), String::new());
    let mut judgments = Map::new();
    for (row, n) in rows.iter().zip(1..) {
        let claim = Json::from(format!("How does the answer stand to this: {}", row["claim"].as_str().unwrap()));
        let claim = claim.to_string().replace('{', "\\{");
        text += &format!(
            "criterion s{n}: choice(entailment, neutral, contradiction) {claim} {{\n  judge human(combine: majority)\n}}\n"
        );
        let said: Vec<String> =
            row["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap().to_lowercase()).collect();
        judgments.insert(format!("s{n}"), json!({ "values": said }));
        if row["importance"] == "Must_have" {
            must.push(format!("s{n} == entailment"));
        }
        wrong.push(format!("s{n} == contradiction"));
        observed += &format!("observe s{n}\n");
    }
    text += &format!(
        "reduce complete = fraction({})\nreduce contradictions = count({})\n\
         gate final = veto(complete) when contradictions > 0\nreadout pointwise = final\nobserve complete\n\
         observe contradictions\n{observed}",
        must.join(", "),
        wrong.join(", ")
    );
    let record =
        json!({"id": "1", "question": rows[0]["question"], "answer": rows[0]["answer"], "judgments": judgments});
    (text, record)
}
