//! Fourteen yes/no tests of stories: free text of two judges read by a rule, verdicts of three experts.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, path, run, stats, succeed};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn answers_in_free_text_against_experts() {
    let Some(folder) = data("ttcw") else { return };
    let mut expected = Expected::of(&folder);
    let units = experts(&mut expected, &folder);
    let truth: Vec<Json> = units.iter().map(|(id, passes)| json!({"id": id, "label": passes})).collect();
    let program = tests(&folder);
    let answers = json_lines(&folder.join("llm_judgments.jsonl"));
    for judge in ["gpt4", "cgpt"] {
        let mut stories: BTreeMap<&str, Map<String, Json>> = BTreeMap::new();
        for answer in answers.iter().filter(|answer| answer["judge"] == judge) {
            let story = stories.entry(answer["story_id"].as_str().unwrap()).or_default();
            story.insert(format!("t{}", answer["ttcw_idx"]), answer["response"].clone());
        }
        let starts = |word: &str| {
            let texts = stories.values().flat_map(Map::values);
            texts.filter(|text| text.as_str().unwrap().to_lowercase().starts_with(word)).count()
        };
        let (yes, no, all) = (starts("yes"), starts("no"), stories.values().map(Map::len).sum::<usize>());
        expected.check(&format!("{judge}.answers"), json!([yes, no, all - yes - no, units.len() - all]));
        let record =
            |(id, said): (&&str, &Map<String, Json>)| json!({"id": id, "answers": said, "story": "(elsewhere)"});
        let records: Vec<Json> = stories.iter().map(record).collect();
        let lines = run(&program.path().join("ttcw.rubric"), &records);
        let verdicts: Vec<Json> = lines
            .iter()
            .flat_map(|line| {
                (1..=14).map(|n| {
                    let id = format!("{} {n}", line["id"].as_str().unwrap());
                    json!({"id": id, "status": "decided", "readouts": {"pointwise": line["observed"][format!("tests.t{n}")]}})
                })
            })
            .collect();
        let report = eval(&verdicts, &Labels::Rows(&truth), &[]);
        let figures = &report["runs"][0]["figures"];
        for name in ["balanced_accuracy", "precision", "recall", "f1", "phi"] {
            expected.check(&format!("{judge}.{name}"), figure(figures, name));
        }
        let cell = |said: bool, true_one: bool| {
            verdicts
                .iter()
                .filter(|v| v["readouts"]["pointwise"] == said && units[v["id"].as_str().unwrap()] == true_one)
                .count()
        };
        let counts = json!([cell(true, true), cell(true, false), cell(false, true), cell(false, false)]);
        expected.check(&format!("{judge}.counts"), counts);
        let passed: Vec<Json> = lines
            .iter()
            .map(|line| {
                let tests = (1..=14).filter(|n| units[&format!("{} {n}", line["id"].as_str().unwrap())]);
                json!({"id": line["id"], "label": tests.count()})
            })
            .collect();
        let report = eval(&lines, &Labels::Rows(&passed), &[]);
        expected.check(&format!("{judge}.story_sum.pearson"), figure(&report["runs"][0]["figures"], "pearson"));
    }
    expected.prove(&crate::Evidence {
        exercises: "free text read by a rule, a checklist in four groups, votes of experts",
        program: "`tests/real/programs/ttcw_experts.rubric`, and a checklist of the fourteen tests written by the test",
        headlines: &["gpt4.balanced_accuracy", "gpt4.phi", "experts.fleiss"],
        left_out: &[],
    });
}

/// The majority of three experts of each story and test, and how far they agree.
fn experts(expected: &mut Expected, folder: &std::path::Path) -> BTreeMap<String, bool> {
    let mut units: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    let mut origins: BTreeMap<String, String> = BTreeMap::new();
    for row in json_lines(&folder.join("human_annotations.jsonl")) {
        let id = format!("{} {}", row["story_id"].as_str().unwrap(), row["ttcw_idx"]);
        origins.insert(id.clone(), row["story_id"].as_str().unwrap().split_once('_').unwrap().1.to_owned());
        units.entry(id).or_default().push(row["binary_verdict"] == "Yes");
    }
    let record = |(id, values): (&String, &Vec<bool>)| json!({"id": id, "story": "(elsewhere)", "judgments": {"passes": {"values": values}, "share": {"values": values}}});
    let records: Vec<Json> = units.iter().map(record).collect();
    let lines = run(&ours("ttcw_experts.rubric"), &records);
    let majority: BTreeMap<String, bool> = lines
        .iter()
        .map(|line| (line["id"].as_str().unwrap().to_owned(), line["readouts"]["pointwise"].as_bool().unwrap()))
        .collect();
    let published = json_lines(&folder.join("human_majority.jsonl"));
    let same = published.iter().filter(|row| {
        majority[&format!("{} {}", row["story_id"].as_str().unwrap(), row["ttcw_idx"])]
            == (row["binary_verdict"] == "Yes")
    });
    expected.check("majority_equal", json!([same.count(), majority.len()]));
    for origin in ["NewYorker", "Claude", "GPT4", "GPT3.5"] {
        let of: Vec<f64> = lines
            .iter()
            .filter(|line| origins[line["id"].as_str().unwrap()] == origin)
            .map(|line| number(&line["observed"]["share"]))
            .collect();
        expected.check(&format!("pass_rate.{origin}"), stats::mean(&of));
    }
    let ratings = |wanted: &dyn Fn(&str) -> bool| -> Vec<Json> {
        let of = units.iter().filter(|(id, _)| wanted(id));
        of.flat_map(|(id, values)| {
            values.iter().zip(["a", "b", "c"]).map(move |(label, by)| json!({"id": id, "by": by, "label": label}))
        })
        .collect()
    };
    let kappa = |wanted: &dyn Fn(&str) -> bool| {
        let of: Vec<Json> = lines.iter().filter(|line| wanted(line["id"].as_str().unwrap())).cloned().collect();
        let report = eval(&of, &Labels::Rows(&ratings(wanted)), &[]);
        number(&figure(&report["agreement"][0]["figures"], "fleiss_kappa"))
    };
    expected.check("experts.fleiss", kappa(&|_| true));
    let each: Vec<f64> = (1..=14).map(|n| kappa(&|id: &str| id.ends_with(&format!(" {n}")))).collect();
    expected.check("experts.fleiss_mean_per_test", stats::mean(&each));
    majority
}

/// The fourteen tests as a checklist whose items read a judge's words by a rule: one that does not begin with yes is not passed.
fn tests(folder: &std::path::Path) -> tempfile::TempDir {
    let criteria: Vec<Json> = serde_json::from_str(&crate::read(&folder.join("criteria.json"))).unwrap();
    let mut groups: BTreeMap<&str, String> = BTreeMap::new();
    let mut observed = String::new();
    for criterion in &criteria {
        let n = &criterion["ttcw_idx"];
        let question = criterion["question"].to_string().replace('{', "\\{");
        *groups.entry(criterion["torrance_dimension"].as_str().unwrap()).or_default() += &format!(
            "    +1 t{n} {question} {{\n      judge rule(otherwise(matches(json_get(answers, \"/t{n}\"), \"^(?i)yes\"), false))\n    }}\n"
        );
        observed += &format!("observe tests.t{n}\n");
    }
    let groups: String =
        groups.iter().map(|(name, items)| format!("  group {} {{\n{items}  }}\n", name.to_lowercase())).collect();
    let text = format!(
        "rubric ttcw\ninput answers: json\ncandidate story: text\nchecklist tests {{\n{groups}}}\nreduce passed = count(tests)\n\
         readout pointwise = passed\n{observed}"
    );
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("ttcw.rubric");
    fs::write(&program, text).unwrap();
    succeed(&["check", path(&program)]);
    out
}
