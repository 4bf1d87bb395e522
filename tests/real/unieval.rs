//! Scores of a judge against people's: single dimensions, and what is made of two.

use crate::{Expected, Labels, data, eval, figure, json_lines, number, ours, run};
use serde_json::{Value as Json, json};

#[test]
fn dimensions_and_what_is_made_of_them() {
    let Some(folder) = data("unieval") else { return };
    let mut expected = Expected::of(&folder);
    for set in ["qags_cnndm", "qags_xsum"] {
        let rows = json_lines(&folder.join(set).with_extension("jsonl"));
        let records = records(&rows, |row| json!({"consistency": row["predict_scores"]["consistency"]}));
        let lines = run(&ours("unieval_qags.rubric"), &records);
        // A score outside of the declared type would have failed its record.
        expected.check(&format!("{set}.predictions_outside_0_1"), failed(&lines));
        expected.check(&format!("{set}.rows"), lines.len());
        let labels: Vec<Json> = labels(&rows, "consistency");
        figures(&mut expected, &format!("{set}.consistency"), &lines, "pointwise", &labels);
    }
    let rows = json_lines(&folder.join("sfres.jsonl"));
    let judged = records(
        &rows,
        |row| json!({"naturalness": row["predict_scores"]["naturalness"], "informativeness": row["predict_scores"]["informativeness"]}),
    );
    let lines = run(&ours("unieval_sfres.rubric"), &judged);
    expected.check("sfres.rows", lines.len());
    expected.check("sfres.predictions_outside_0_1", failed(&lines));
    let same = rows.iter().zip(&lines).filter(|(row, line)| {
        (number(&row["predict_scores"]["overall"]) - number(&line["readouts"]["pointwise"])).abs() < 1e-9
    });
    expected.check("sfres.overall_is_mean", same.count());
    let overall = labels(&rows, "overall");
    for dimension in ["informativeness", "naturalness"] {
        figures(&mut expected, &format!("sfres.{dimension}"), &lines, dimension, &labels(&rows, dimension));
    }
    for (name, node) in [("overall", "pointwise"), ("mean_of_dimensions", "pointwise"), ("min_of_dimensions", "least")]
    {
        figures(&mut expected, &format!("sfres.{name}"), &lines, node, &overall);
    }
    let human = records(
        &rows,
        |row| json!({"naturalness": row["scores"]["naturalness"], "informativeness": row["scores"]["informativeness"]}),
    );
    let lines = run(&ours("unieval_human.rubric"), &human);
    figures(&mut expected, "sfres.human_mean_of_dimensions", &lines, "pointwise", &overall);
    expected.prove(&crate::Evidence {
        exercises: "mean and minimum of dimensions against an overall score",
        program: "`unieval_qags.rubric`, `unieval_sfres.rubric` and `unieval_human.rubric` in `tests/real/programs`",
        headlines: &["qags_cnndm.consistency.spearman", "sfres.mean_of_dimensions.spearman"],
        left_out: &[],
    });
}

fn records(rows: &[Json], judgments: impl Fn(&Json) -> Json) -> Vec<Json> {
    let record = |(row, n): (&Json, usize)| json!({"id": n.to_string(), "source": row["source"], "output": row["system_output"], "judgments": judgments(row)});
    rows.iter().zip(0..).map(record).collect()
}

fn labels(rows: &[Json], dimension: &str) -> Vec<Json> {
    rows.iter().zip(0..).map(|(row, n)| json!({"id": n.to_string(), "label": row["scores"][dimension]})).collect()
}

fn failed(lines: &[Json]) -> usize {
    lines.iter().filter(|line| line["status"] == "failed").count()
}

/// Correlations of a readout, or of a node that is observed, with labels.
fn figures(expected: &mut Expected, name: &str, lines: &[Json], node: &str, labels: &[Json]) {
    let value =
        |line: &Json| if node == "pointwise" { line["readouts"][node].clone() } else { line["observed"][node].clone() };
    let said = |line: &Json| json!({"id": line["id"], "status": "decided", "readouts": {"pointwise": value(line)}});
    let results: Vec<Json> = lines.iter().map(said).collect();
    let report = eval(&results, &Labels::Rows(labels), &[]);
    for wanted in ["pearson", "spearman", "kendall"] {
        expected.check(&format!("{name}.{wanted}"), figure(&report["runs"][0]["figures"], wanted));
    }
}
