//! bc038: the same outputs of an agent through two evaluators, three times each.

use crate::{Expected, data, json_lines, program, read, run, stats};
use serde_json::{Value as Json, json};

#[test]
fn false_passes_and_false_fails() {
    let (Some(folder), Some(program)) = (data("bc038"), program("bc038.rubric")) else { return };
    let mut expected = Expected::of(&folder);
    let corpus: Json = serde_json::from_str(&read(&folder.join("corpus.json"))).unwrap();
    let cases = corpus["cases"].as_array().unwrap();
    let wrong = |case: &Json| case["label"] == "wrong";
    expected.check("cases", json!([cases.len(), cases.iter().filter(|c| wrong(c)).count()]));
    let evaluations = json_lines(&folder.join("evaluations.jsonl"));
    for arm in ["naive", "phoenix"] {
        let of_arm: Vec<&Json> = evaluations.iter().filter(|e| e["arm"] == arm).collect();
        let verdicts = |wanted: Json| of_arm.iter().filter(|e| e["verdict_pass"] == wanted).count();
        expected.check(
            &format!("{arm}.verdicts"),
            json!([verdicts(json!(true)), verdicts(json!(false)), verdicts(Json::Null)]),
        );
        let repeats = |case: &Json| -> Vec<Json> {
            of_arm.iter().filter(|e| e["case_id"] == case["case_id"]).map(|e| e["verdict_pass"].clone()).collect()
        };
        let flips = cases.iter().filter(|c| repeats(c).windows(2).any(|w| w[0] != w[1])).count();
        expected.check(&format!("{arm}.flips"), flips);
        let records: Vec<Json> = cases
            .iter()
            .map(|case| {
                let mut record = json!({"id": case["case_id"], "judgments": {"passes": {"values": repeats(case)}}});
                for field in ["prompt", "trajectory", "output_contract", "reference_answer", "agent_output"] {
                    record[field] = case[field].clone();
                }
                record["tools"] = case["tools_offered"].clone();
                record
            })
            .collect();
        let passes: Vec<bool> =
            run(&program, &records).iter().map(|l| l["readouts"]["pointwise"].as_bool().unwrap()).collect();
        let both = || cases.iter().zip(&passes);
        let counts = [
            ("false_pass", both().filter(|(c, p)| wrong(c) && **p).count(), both().filter(|(c, _)| wrong(c)).count()),
            (
                "false_fail",
                both().filter(|(c, p)| !wrong(c) && !**p).count(),
                both().filter(|(c, _)| !wrong(c)).count(),
            ),
        ];
        for (name, events, total) in counts {
            expected.check(&format!("{arm}.{name}"), json!([events, total]));
            expected.check(&format!("{arm}.{name}.wilson"), json!(stats::wilson(events as f64, total as f64)));
        }
    }
    expected.prove(&crate::Evidence {
        exercises: "pass/fail verdicts, majority of three repeats, two judges on one corpus",
        program: "the shared program `bc038.rubric`",
        headlines: &["naive.false_pass", "phoenix.false_fail"],
        left_out: &[],
    });
}
