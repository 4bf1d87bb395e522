//! PandaLM: 999 pairs with three annotators each, ties among the verdicts.

use crate::{Expected, data, json_lines, program, run, stats};
use serde_json::{Value as Json, json};

const LABELS: [&str; 3] = ["tie", "first", "second"];

fn text(json: &Json) -> Json {
    // In six places the source has the JSON value true where a text belongs.
    json.as_str().map_or_else(|| Json::String(json.to_string()), |t| Json::String(t.to_owned()))
}

#[test]
fn majority_labels_and_the_judges_verdicts() {
    let (Some(folder), Some(one), Some(two)) =
        (data("pandalm"), program("pandalm.rubric"), program("pandalm-pairwise.rubric"))
    else {
        return;
    };
    let mut expected = Expected::of(&folder);
    let pairs = json_lines(&folder.join("pairs.jsonl"));
    expected.check("pairs", pairs.len());
    let label = |pair: &Json, n: usize| usize::try_from(pair[format!("annotator{n}")].as_u64().unwrap()).unwrap();
    let records: Vec<Json> = pairs
        .iter()
        .map(|p| {
            let values: Vec<&str> = (1..=3).map(|n| LABELS[label(p, n)]).collect();
            json!({
                "id": p["idx"], "instruction": text(&p["instruction"]), "context": text(&p["input"]),
                "pair": {"response1": text(&p["response1"]), "response2": text(&p["response2"])},
                "judgments": {"verdict": {"values": values}},
            })
        })
        .collect();
    let results = run(&one, &records);
    let truth: Vec<usize> = results
        .iter()
        .map(|l| LABELS.iter().position(|x| l["readouts"]["pointwise"] == *x).unwrap_or(usize::MAX))
        .collect();
    expected.check("no_majority", truth.iter().filter(|t| **t == usize::MAX).count());
    expected.check("labels", (0..3).map(|l| json!(truth.iter().filter(|t| **t == l).count())).collect::<Vec<_>>());

    // The same out of the pairwise program: each response judged better or not by three people.
    let records: Vec<Json> = pairs
        .iter()
        .map(|p| {
            let better = |response: usize| (1..=3).map(|n| json!(label(p, n) == response)).collect::<Vec<_>>();
            let candidate = |r: usize| json!({"id": r.to_string(), "response": text(&p[format!("response{r}")]), "judgments": {"better": {"values": better(r)}}});
            json!({"id": p["idx"], "instruction": text(&p["instruction"]), "candidates": [candidate(1), candidate(2)]})
        })
        .collect();
    let pairwise: Vec<usize> = run(&two, &records)
        .iter()
        .map(|l| match l["readouts"]["pairwise"]["winner"].as_str() {
            Some("1") => 1,
            Some("2") => 2,
            _ if l["readouts"]["pairwise"] == json!({"tie": true}) => 0,
            _ => panic!("{l}"),
        })
        .collect();
    assert_eq!(pairwise, truth, "both programs say who is better");

    let judged = json_lines(&folder.join("judgments.jsonl"));
    let verdict = |p: &Json| -> usize {
        let line = judged.iter().find(|j| j["idx"] == p["idx"]).unwrap();
        usize::try_from(line["result"].as_u64().unwrap()).unwrap()
    };
    let verdicts: Vec<usize> = pairs.iter().map(verdict).collect();
    expected.check(
        "verdicts",
        (0..3).map(|l| json!([l.to_string(), verdicts.iter().filter(|v| **v == l).count()])).collect::<Vec<_>>(),
    );
    let cell = |t: usize, v: usize| truth.iter().zip(&verdicts).filter(|(a, b)| **a == t && **b == v).count();
    let mut confusion = Vec::new();
    let (mut precision, mut recall, mut f1, mut right) = (0.0, 0.0, 0.0, 0);
    for t in 0..3 {
        let (hit, said, is) =
            (cell(t, t), (0..3).map(|x| cell(x, t)).sum::<usize>(), (0..3).map(|x| cell(t, x)).sum::<usize>());
        let (p, r) = (hit as f64 / said as f64, hit as f64 / is as f64);
        precision += p / 3.0;
        recall += r / 3.0;
        f1 += 2.0 * p * r / (p + r) / 3.0;
        right += hit;
        confusion.extend((0..3).map(|v| json!([t.to_string(), v.to_string(), cell(t, v)])));
    }
    expected.check("confusion", confusion);
    expected.check("pandalm-7b.accuracy", right as f64 / pairs.len() as f64);
    expected.check("pandalm-7b.macro_precision", precision);
    expected.check("pandalm-7b.macro_recall", recall);
    expected.check("pandalm-7b.macro_f1", f1);
    let column = |n: usize| pairs.iter().map(|p| label(p, n).to_string()).collect::<Vec<_>>();
    for (a, b) in [(1, 2), (1, 3), (2, 3)] {
        expected.check(&format!("annotators.{a}{b}.kappa"), stats::kappa(&column(a), &column(b)));
    }
    expected.prove(&crate::Evidence {
        exercises: "a preference with ties as a verdict, votes of three labels",
        program: "the shared program `pandalm.rubric`",
        headlines: &["pandalm-7b.accuracy", "pandalm-7b.macro_f1"],
        left_out: &[],
    });
}
