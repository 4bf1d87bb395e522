//! `rubric eval`, `ablate`, `diff`: figures against other implementations and by hand, and as a user runs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod annotate;
mod data;

use data::{Random, result, write};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn rubric(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rubric")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn validated(json: &Json, schema: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(schema);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(json).map(|e| format!("{} {e}", e.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{json:#}");
}

fn evaluated(folder: &Path, arguments: &[&str]) -> Json {
    let (code, out, err) = rubric(folder, &[&["eval", "--format", "json"], arguments].concat());
    assert_eq!(code, 0, "{err}");
    let json: Json = serde_json::from_str(&out).unwrap();
    validated(&json, "evaluation.schema.json");
    json
}

/// A figure of a list; `class` empty for those of no class.
fn of<'j>(figures: &'j Json, key: &str, class: &str) -> &'j Json {
    let found = figures.as_array().unwrap().iter();
    let mut found = found.filter(|one| one["figure"] == key && one["class"].as_str().unwrap_or("") == class);
    found.next().unwrap_or_else(|| panic!("no figure {key} {class}: {figures:#}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluate")
}

/// Everything that `reference.py` says, by case and figure.
type Reference = BTreeMap<String, BTreeMap<String, f64>>;

/// Compares what we say with the reference.
fn compare(folder: &Path, reference: &Reference) {
    let mut compared = 0;
    for (case, figures) in reference {
        let (results, labels) = (format!("{case}.results.jsonl"), format!("{case}.labels.jsonl"));
        let json = evaluated(folder, &[&results, "--labels", &labels, "--group", "system", "--resamples", "4000"]);
        let run = &json["runs"][0];
        for (name, expected) in figures {
            let words: Vec<&str> = name.split(' ').collect();
            let grouped = &run["groups"][0];
            let (found, tolerance) = match words.as_slice() {
                ["low", key] => (&of(&run["figures"], key, "")["interval"][0], 0.015),
                ["high", key] => (&of(&run["figures"], key, "")["interval"][1], 0.015),
                ["within", key] => (&of(&grouped["within"], key, "")["value"], 1e-9),
                ["skipped", key] => (&of(&grouped["within"], key, "")["skipped"], 0.0),
                ["between", key] => (&of(&grouped["between"], key, "")["value"], 1e-9),
                [key, "of", class] => (&of(&run["figures"], key, class)["value"], 1e-9),
                [key] if case.ends_with("raters") => (&of(&json["agreement"][0]["figures"], key, "")["value"], 1e-9),
                [key] => (
                    &of(&run["figures"], key, if ["precision", "recall", "f1"].contains(key) { "true" } else { "" })["value"],
                    1e-9,
                ),
                other => panic!("{other:?}"),
            };
            let found = found.as_f64().unwrap_or_else(|| panic!("{case}, {name}: {found}"));
            assert!((found - expected).abs() <= tolerance, "{case}, {name}: {found}, but the reference has {expected}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

/// With `RUBRIC_WRITE_GOLDEN=1`, what the other implementations say is kept for machines that do not have them: after a change of
/// `data.rs` or `reference.py`, with a Python in `RUBRIC_REFERENCE_PYTHON`.
#[test]
fn every_figure_is_what_other_implementations_say() {
    let folder = tempfile::tempdir().unwrap();
    data::all(folder.path());
    let write = std::env::var_os("RUBRIC_WRITE_GOLDEN").is_some();
    let golden: Reference =
        serde_json::from_str(&std::fs::read_to_string(root().join("golden.json")).unwrap()).unwrap();
    if !write {
        compare(folder.path(), &golden);
    }
    let Ok(python) = std::env::var("RUBRIC_REFERENCE_PYTHON") else {
        assert!(!write, "RUBRIC_WRITE_GOLDEN needs a Python in RUBRIC_REFERENCE_PYTHON");
        eprintln!(
            "!! SKIPPED: RUBRIC_REFERENCE_PYTHON names no Python with scipy, scikit-learn, krippendorff and statsmodels; \
             compared with what they said before"
        );
        return;
    };
    let output = Command::new(python).arg(root().join("reference.py")).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Reference = serde_json::from_slice(&output.stdout).unwrap();
    compare(folder.path(), &said);
    if write {
        std::fs::write(root().join("golden.json"), output.stdout).unwrap();
        return;
    }
    assert_eq!(said.keys().collect::<Vec<_>>(), golden.keys().collect::<Vec<_>>());
}

#[test]
fn what_is_not_decided_is_counted_and_never_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let open = json!({"id": "r4", "status": "open", "readouts": {"pointwise": {"open": {"from": 1, "to": 5}}}, "program": "b3:0"});
    let failed = json!({"id": "r5", "status": "failed", "line": 5, "reason": "no answer"});
    let mut lines: Vec<Json> = (1..=2).map(|n| result(&format!("r{n}"), &json!(n + 2), &json!({}))).collect();
    lines.extend([result("r3", &Json::Null, &json!({})), open, failed, result("r6", &json!(1), &json!({}))]);
    write(&path("results.jsonl"), &lines);
    std::fs::write(path("labels.csv"), "id,label\nr1,3\nr2,5\nr3,1\nr4,1\nr5,1\nr7,2\nr6,\n").unwrap();
    let json = evaluated(folder.path(), &["results.jsonl", "--labels", "labels.csv"]);
    let counts = &json["runs"][0]["counts"];
    let expected = json!({
        "lines": 6, "unlabelled": 1, "undecided_labels": 0, "tied_labels": 0, "abstained": 1, "open": 1, "failed": 1,
        "compared": 2, "unused_labels": 1,
    });
    assert_eq!(*counts, expected);
    assert_eq!(of(&json["runs"][0]["figures"], "mae", "")["value"], 0.5);
    let (code, out, _) = rubric(folder.path(), &["eval", "results.jsonl", "--labels", "labels.csv"]);
    assert_eq!(code, 0);
    assert!(out.contains("2 compared, of 5 with a label, 1 abstained, 1 open, 1 failed, 1 without a label"), "{out}");
    assert!(!out.contains("NaN"), "{out}");
}

fn verdict(id: &str, readout: &Json, pair: &str, first: &str) -> Json {
    json!({
        "id": id, "status": "decided", "readouts": {"pairwise": readout}, "tags": {"pair": pair, "first": first, "vote": "a"},
        "program": "b3:0",
    })
}

#[test]
fn preferences_count_ties_and_abstentions_as_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b, tie) = (json!({"winner": "a"}), json!({"winner": "b"}), json!({"tie": true}));
    let lines = [
        verdict("1", &a, "p", "a"),
        verdict("2", &a, "p", "b"),
        verdict("3", &a, "q", "a"),
        verdict("4", &b, "q", "b"),
        verdict("5", &tie, "r", "a"),
        verdict("6", &Json::Null, "r", "b"),
    ];
    write(&folder.path().join("results.jsonl"), &lines);
    // The labels are a tag.
    let arguments = ["results.jsonl", "--labels", "vote", "--pair", "pair", "--first", "first", "--resamples", "100"];
    let json = evaluated(folder.path(), &arguments);
    let run = &json["runs"][0];
    let value = |figures: &Json, key: &str| of(figures, key, "")["value"].as_f64().unwrap();
    assert_eq!(value(&run["figures"], "pairwise_accuracy"), 0.5);
    assert_eq!(value(&run["figures"], "valid_accuracy"), 0.75);
    assert!((value(&run["figures"], "coverage") - 4.0 / 6.0).abs() < 1e-12);
    assert!((value(&run["figures"], "tie_rate") - 1.0 / 6.0).abs() < 1e-12);
    assert!((value(&run["figures"], "invalid_rate") - 1.0 / 6.0).abs() < 1e-12);
    assert_eq!((run["orders"]["pairs"].as_u64(), run["orders"]["incomplete"].as_u64()), (Some(2), Some(1)));
    assert_eq!(value(&run["orders"]["figures"], "order_consistency"), 0.5);
    assert_eq!(value(&run["orders"]["figures"], "position_bias"), 0.5);
    assert_eq!(value(&run["orders"]["figures"], "first_rate"), 0.75);
    // Always what is shown first: right wherever `a` is.
    let first = run["baselines"].as_array().unwrap().iter().find(|one| one["baseline"] == "constant").unwrap();
    assert_eq!(value(&first["figures"], "pairwise_accuracy"), 0.5);
    // A label that is a tie is left out, unless it is to be counted.
    std::fs::write(folder.path().join("votes.csv"), "id,label\n1,a\n5,tie\n").unwrap();
    let left_out = evaluated(folder.path(), &["results.jsonl", "--labels", "votes.csv"]);
    assert_eq!(left_out["runs"][0]["counts"]["tied_labels"], 1);
    // Where it is not known what was shown first, the constant is the candidate whose id does.
    let constant = &left_out["runs"][0]["baselines"][1];
    assert_eq!((&constant["baseline"], &constant["says"]), (&json!("constant"), &json!("a")));
    assert_eq!(value(&constant["figures"], "pairwise_accuracy"), 1.0);
    let counted = evaluated(folder.path(), &["results.jsonl", "--labels", "votes.csv", "--count-ties"]);
    assert_eq!(value(&counted["runs"][0]["figures"], "pairwise_accuracy"), 1.0);
}

#[test]
fn shares_of_true_are_compared_between_groups() {
    let folder = tempfile::tempdir().unwrap();
    // Of each group: how many of four pass, and how many should.
    let groups = [("a", 0, 1), ("b", 2, 1), ("c", 4, 4), ("d", 3, 2)];
    let line = |(name, passed, should): &(&str, i32, i32), n: i32| {
        result(&format!("{name}{n}"), &json!(n < *passed), &json!({"system": name, "human": n < *should}))
    };
    let lines: Vec<Json> = groups.iter().flat_map(|group| (0..4).map(move |n| line(group, n))).collect();
    write(&folder.path().join("results.jsonl"), &lines);
    let json = evaluated(folder.path(), &["results.jsonl", "--labels", "human", "--group", "system"]);
    let between = &json["runs"][0]["groups"][0]["between"];
    let mean = |of: fn(&(&str, i32, i32)) -> i32| groups.iter().map(|g| f64::from(of(g))).sum::<f64>() / 4.0;
    let (x, y) = (mean(|g| g.1), mean(|g| g.2));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        groups.iter().map(|g| of(f64::from(g.1) - x, f64::from(g.2) - y)).sum()
    };
    let pearson = sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    let found = of(between, "pearson", "");
    assert!((found["value"].as_f64().unwrap() - pearson).abs() < 1e-9, "{found}");
    assert!(found["interval"][0].as_f64().unwrap() < pearson, "{found}");
    // Of five pairs of groups that differ in both, all go the same way; the sixth ties in the labels.
    assert!((of(between, "kendall", "")["value"].as_f64().unwrap() - 5.0 / 30_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn runs_have_a_mean_and_a_sample_deviation() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(5);
    for run in 1..=3 {
        let lines: Vec<Json> = (0..50)
            .map(|n| result(&format!("r{n}"), &json!((n + random.below(run + 1)) % 5), &json!({"label": n % 5})))
            .collect();
        write(&folder.path().join(format!("{run}.jsonl")), &lines);
    }
    let json = evaluated(folder.path(), &["1.jsonl", "2.jsonl", "3.jsonl", "--labels", "label", "--resamples", "50"]);
    let value = |run: usize| of(&json["runs"][run]["figures"], "mae", "")["value"].as_f64().unwrap();
    let values = [value(0), value(1), value(2)];
    let mean = values.iter().sum::<f64>() / 3.0;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    let over = of(&json["over_runs"], "mae", "");
    assert!((over["value"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert!((over["deviation"].as_f64().unwrap() - deviation).abs() < 1e-12);
    assert_eq!((&json["agreement"][0]["of"], &json["agreement"][0]["units"]), (&json!("runs"), &json!(50)));
    // The same seed gives the same text, with several threads too.
    let again = evaluated(folder.path(), &["1.jsonl", "2.jsonl", "3.jsonl", "--labels", "label", "--resamples", "50"]);
    assert_eq!(json, again);
    let (code, out, _) =
        rubric(folder.path(), &["eval", "1.jsonl", "2.jsonl", "3.jsonl", "--labels", "label", "--format", "markdown"]);
    assert!(code == 0 && out.contains("| MAE") && !out.contains('│'), "{out}");
}

#[test]
fn several_annotators_become_one_label() {
    let folder = tempfile::tempdir().unwrap();
    write(
        &folder.path().join("r.jsonl"),
        &[result("1", &json!("x"), &json!({})), result("2", &json!("y"), &json!({}))],
    );
    let labels = "id,by,label\n1,ann,x\n1,ben,x\n1,cid,y\n2,ann,x\n2,ben,y\n";
    std::fs::write(folder.path().join("l.csv"), labels).unwrap();
    let json = evaluated(folder.path(), &["r.jsonl", "--labels", "l.csv"]);
    let counts = &json["runs"][0]["counts"];
    assert_eq!((&counts["compared"], &counts["undecided_labels"]), (&json!(1), &json!(1)));
    let each = evaluated(folder.path(), &["r.jsonl", "--labels", "l.csv", "--combine", "each"]);
    assert_eq!(of(&each["runs"][0]["figures"], "accuracy", "")["value"], 0.6);
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let save = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(&folder.path().join("r.jsonl"), &[result("1", &json!(3), &json!({}))]);
    write(
        &folder.path().join("twice.jsonl"),
        &[result("1", &json!(3), &json!({})), result("1", &json!(4), &json!({}))],
    );
    let fault = |results: &str, labels: &str, more: &[&str]| {
        let (code, out, err) = rubric(folder.path(), &[&["eval", results, "--labels", labels], more].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        // Reports are wrapped to the width of a terminal.
        err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
    };
    let says = |found: String, wanted: &[&str]| {
        wanted.iter().for_each(|wanted| assert!(found.contains(wanted), "{found}\nlacks {wanted}"));
    };
    save("good.csv", "id,label\n1,3\n");
    says(fault("twice.jsonl", "good.csv", &[]), &["line 2", "stands in the file twice"]);
    save("words.csv", "id,label\n1,good\n");
    says(fault("r.jsonl", "words.csv", &[]), &["line 2", "no number", "--order"]);
    save("lable.csv", "id,lable\n1,3\n");
    says(fault("r.jsonl", "lable.csv", &[]), &["line 2", "`lable`"]);
    save("other.csv", "id,label\n9,3\n");
    says(fault("r.jsonl", "other.csv", &[]), &["none of its records has a label"]);
    save("two.csv", "id,label\n1,3\n1,4\n");
    says(fault("r.jsonl", "two.csv", &[]), &["line 3", "line 2", "`by`"]);
    save("criteria.jsonl", "{\"id\":1,\"criterion\":\"a\",\"value\":3}\n{\"id\":1,\"criterion\":\"b\",\"value\":3}\n");
    says(fault("r.jsonl", "criteria.jsonl", &[]), &["several criteria", "--criterion"]);
    says(fault("r.jsonl", "gone.csv", &[]), &["gone.csv"]);
    says(fault("r.jsonl", "label", &[]), &["has the tag `label`"]);
    says(fault("r.jsonl", "good.csv", &["--readout", "pointwiss"]), &["did you mean `pointwise`"]);
    save("cut.jsonl", "{\"id\": \"1\", \"status\": \"dec");
    says(fault("cut.jsonl", "good.csv", &[]), &["line 1", "cut off"]);
    save("empty.jsonl", "");
    says(fault("empty.jsonl", "good.csv", &[]), &["no readouts"]);
}

/// A class that looks like a number is still its own word.
#[test]
fn classes_that_look_like_numbers_keep_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<Json> = ["007", "1.50", "007"]
        .iter()
        .enumerate()
        .map(|(n, word)| result(&n.to_string(), &json!(word), &json!({})))
        .collect();
    write(&folder.path().join("r.jsonl"), &lines);
    std::fs::write(folder.path().join("l.jsonl"), "{\"id\": \"0\", \"label\": \"007\"}\n{\"id\": \"1\", \"label\": \"1.50\"}\n{\"id\": \"2\", \"label\": \"007\"}\n").unwrap();
    let json = evaluated(folder.path(), &["r.jsonl", "--labels", "l.jsonl"]);
    assert_eq!(json["runs"][0]["baselines"][0]["says"], "007");
    assert_eq!(json["runs"][0]["confusion"]["values"], json!(["007", "1.50"]));
}

#[test]
fn words_of_an_order_are_numbers_and_names_are_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<Json> = ["low", "mid", "high"]
        .iter()
        .enumerate()
        .map(|(n, word)| result(&format!("{n}"), &json!(word), &json!({"group": "a\u{1b}[31m|b"})))
        .collect();
    write(&folder.path().join("r.jsonl"), &lines);
    std::fs::write(folder.path().join("l.csv"), "id,label\n0,low\n1,high\n2,high\n").unwrap();
    let json = evaluated(folder.path(), &["r.jsonl", "--labels", "l.csv", "--order", "low,mid,high"]);
    assert!((of(&json["runs"][0]["figures"], "mae", "")["value"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    // Places are told as their words.
    assert_eq!(json["runs"][0]["confusion"]["values"], json!(["low", "mid", "high"]));
    assert_eq!(json["runs"][0]["baselines"][0]["says"], "high");
    let arguments = ["eval", "r.jsonl", "--labels", "l.csv", "--group", "group", "--format", "markdown"];
    let (code, out, _) = rubric(folder.path(), &arguments);
    assert!(code == 0 && !out.contains('\u{1b}') && out.contains("\\|b"), "{out}");
}

const GATED: &str = r#"
rubric gated
candidate answer: text
criterion accuracy: int[1..5] "?"
criterion tone: int[1..5]? "?"
criterion harmful: bool "?"
reduce quality = mean(normalize(accuracy), otherwise(normalize(tone), 0.5))
gate final = cap(quality, at: 0) when harmful
readout pointwise = quantize(final, to: int[1..5])
readout pairwise = prefer(final, margin: 0, tie: tie)
"#;

/// Records whose label is what the gated program says, so that the gate is worth something.
fn gated(folder: &Path) -> usize {
    let mut random = Random(9);
    let mut lines = Vec::new();
    for n in 0..120 {
        let (accuracy, tone, harmful) = (1 + random.below(5), 1 + random.below(5), random.below(4) == 0);
        let quality = (accuracy + tone) as f64 / 2.0;
        let label = if harmful { 1 } else { (quality + 0.5).floor() as u64 };
        let tone = if n % 10 == 0 { json!("unknown") } else { json!(tone) };
        let mut judgments = json!({"accuracy": accuracy, "tone": tone, "harmful": harmful, "overall": accuracy});
        if n % 40 == 7 {
            judgments.as_object_mut().unwrap().remove("accuracy");
        }
        lines.push(json!({"id": n, "answer": "a", "judgments": judgments, "tags": {"human": label}}));
    }
    write(&folder.join("data.jsonl"), &lines);
    std::fs::write(folder.join("gated.rubric"), GATED).unwrap();
    lines.len()
}

#[test]
fn an_ablation_compares_the_arms_on_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let rows = gated(folder.path());
    let arguments = [
        "ablate",
        "gated.rubric",
        "--data",
        "data.jsonl",
        "--readout",
        "pointwise",
        "--labels",
        "human",
        "--direct",
        "overall",
        "--format",
        "json",
    ];
    let (code, out, err) = rubric(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    let json: Json = serde_json::from_str(&out).unwrap();
    validated(&json, "ablation.schema.json");
    // Three records lack a judgment that both the graph and the flat rule need; the holistic one is there.
    assert_eq!(json["counts"]["compared"], rows - 3);
    assert_eq!(json["arms"][0]["silent"], 0);
    assert_eq!(json["arms"][1]["silent"], 3);
    let value = |list: &Json, key: &str| of(list, key, "")["value"].as_f64().unwrap();
    let [direct, weighted, graph] = [0, 1, 2].map(|arm| value(&json["arms"][arm]["figures"], "mae"));
    assert!(graph < weighted && graph < direct, "{graph} {weighted} {direct}");
    let difference = of(&json["differences"][1]["figures"], "mae", "");
    assert!((difference["value"].as_f64().unwrap() - (graph - weighted)).abs() < 1e-12);
    // The gate is worth something, and the labels are enough to tell.
    assert!(difference["interval"][1].as_f64().unwrap() < 0.0, "{difference}");
    // What counts against the score counts the other way round in the flat rule.
    let rule: Vec<(&str, bool)> = json["rule"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (part["criterion"].as_str().unwrap(), part["inverted"].as_bool().unwrap()))
        .collect();
    assert_eq!(rule, [("accuracy", false), ("harmful", true), ("tone", false)]);
    let first = ["ablate", "gated.rubric", "--data", "data.jsonl", "--readout", "pointwise", "--labels", "human"];
    let more = ["--direct", "overall", "--weight", "harmful=-3", "--resamples", "50"];
    let (code, out, err) = rubric(folder.path(), &[&first[..], &more].concat());
    assert!(code == 0 && out.contains("harmful (3, the other way round)"), "{out}{err}");
    // Without `--direct` what is recorded beside the program is a mistake, as in a run; and it is said which.
    let (code, _, err) = rubric(folder.path(), &first);
    assert!(code == 2 && err.contains("overall"), "{err}");
}

#[test]
fn the_flat_rule_by_hand_and_in_preferences() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gated.rubric"), GATED).unwrap();
    let candidate = |id: &str, accuracy: u64, harmful: bool| json!({"id": id, "answer": "x", "judgments": {"accuracy": accuracy, "tone": "unknown", "harmful": harmful}});
    // Flat: a (1 + 0) / 2, b (0.75 + 1) / 2; the graph caps `a` at 0.
    let record =
        json!({"id": 1, "candidates": [candidate("a", 5, true), candidate("b", 4, false)], "tags": {"vote": "b"}});
    write(&folder.path().join("pairs.jsonl"), &[record]);
    std::fs::write(folder.path().join("points.csv"), "id,candidate,label\n1,a,1\n1,b,5\n").unwrap();
    let ablated = |arguments: &[&str]| -> Json {
        let first = ["ablate", "gated.rubric", "--data", "pairs.jsonl", "--format", "json", "--resamples", "20"];
        let (code, out, err) = rubric(folder.path(), &[&first, arguments].concat());
        assert_eq!(code, 0, "{err}");
        let json = serde_json::from_str(&out).unwrap();
        validated(&json, "ablation.schema.json");
        json
    };
    let pairs = ablated(&["--labels", "vote", "--readout", "pairwise"]);
    assert_eq!(of(&pairs["arms"][0]["figures"], "pairwise_accuracy", "")["value"], 1.0);
    let points = ablated(&["--labels", "points.csv", "--readout", "pointwise"]);
    // Weighted says 3 of `a` (half of 1 to 5) and, of 4.5, 5 of `b`; the graph 1 and 4 ((0.75 + 0.5) / 2 of 1 to 5 is 3.5).
    assert_eq!(of(&points["arms"][0]["figures"], "mae", "")["value"], 1.0);
    assert_eq!(of(&points["arms"][1]["figures"], "mae", "")["value"], 0.5);
}

#[test]
fn drift_between_runs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gated.rubric"), GATED).unwrap();
    for (run, model) in [("a", "small-1"), ("b", "small-2"), ("c", "small-2")] {
        let line = |n: u64| {
            // The third record is judged otherwise in the second run, and not at all in the third.
            let accuracy = match (n, run) {
                (3, "b") => json!({"value": 2, "by": model}),
                (3, "c") => Json::Null,
                _ => json!({"value": 5, "by": model}),
            };
            json!({"id": n, "answer": "x", "judgments": {"accuracy": accuracy, "tone": 5, "harmful": false}})
        };
        write(&folder.path().join(format!("{run}.data")), &(1..=4).map(line).collect::<Vec<_>>());
        let data = format!("{run}.data");
        let (trace, results) = (format!("{run}.trace"), format!("{run}.jsonl"));
        let arguments = [
            "run",
            "gated.rubric",
            "--recorded",
            "--data-format",
            "jsonl",
            "--data",
            &data,
            "--trace",
            &trace,
            "-o",
            &results,
        ];
        let (code, _, err) = rubric(folder.path(), &arguments);
        assert_eq!(code, if run == "c" { 3 } else { 0 }, "{err}");
    }
    let diff = |arguments: &[&str]| -> (i32, Json, String) {
        let (code, out, err) = rubric(folder.path(), &[&["diff", "--format", "json"], arguments].concat());
        let json: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        validated(&json, "drift.schema.json");
        (code, json, err)
    };
    let (code, same, err) = diff(&["a.jsonl", "a.jsonl"]);
    assert_eq!((code, same["in_all"].as_u64(), err.as_str()), (0, Some(4), ""));
    let (code, json, _) = diff(&["a.jsonl", "b.jsonl"]);
    let score = &json["readouts"]["pointwise"];
    assert_eq!(
        (code, &score["compared"], &score["changed"], &score["flip_rate"]),
        (1, &json!(4), &json!(1), &json!(0.25))
    );
    assert_eq!(json["changes"][0]["id"], "3");
    let (_, json, err) = diff(&["a.trace", "b.trace", "c.trace"]);
    // Of record 3 only the first two runs say something; of the others every pair agrees.
    let accuracy = &json["criteria"]["accuracy"];
    assert_eq!(
        (&accuracy["compared"], &accuracy["changed"], &accuracy["one_only"]),
        (&json!(10), &json!(1), &json!(2))
    );
    assert!(err.contains("other models answered for `default`: small-1 → small-2 → small-2"), "{err}");
    let (code, _, err) = rubric(folder.path(), &["diff", "a.trace", "b.jsonl"]);
    assert!(code == 2 && err.contains("another kind"), "{err}");
    // A trace that was changed is not compared.
    let changed = std::fs::read_to_string(folder.path().join("a.trace")).unwrap().replacen("small-1", "small-9", 1);
    std::fs::write(folder.path().join("changed.trace"), changed).unwrap();
    let (code, _, err) = rubric(folder.path(), &["diff", "changed.trace", "b.trace"]);
    assert!(code == 2 && err.contains("changed"), "{err}");
}
