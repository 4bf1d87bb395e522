//! The sets: how each one's rows become programs and records.

use super::{Set, hbqrs};
use rubric_lang::diagnostics::Sink;
use rubric_lang::import::{dsg, paperbench};
use rubric_lang::source::{FileId, Source};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

type Maker = fn(&Path) -> Vec<Set>;

pub fn all() -> impl Iterator<Item = Set> {
    let makers: [(&str, Maker); 8] = [
        ("dsg", of_dsg),
        ("kqa", of_kqa),
        ("hellobench", of_hellobench),
        ("paperbench", of_paperbench),
        ("physics_grading", of_physics),
        ("khan_saq", of_khan),
        ("ttcw", of_ttcw),
        ("hbqrs", of_hbqrs),
    ];
    makers.into_iter().flat_map(|(name, make)| {
        let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
        if !folder.exists() {
            println!("{name}: SKIPPED, {} is not there", folder.display());
            return Vec::new();
        }
        make(&folder)
    })
}

fn lines(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "\\{").replace('\n', " "))
}

/// Questions with parents: a child counts only where its parents are yes.
fn of_dsg(folder: &Path) -> Vec<Set> {
    let source = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        Source::new(FileId::default(), name, None, text)
    };
    let mut sink = Sink::default();
    let items = dsg::questions(&source("questions.csv"), true, &mut sink);
    let mut records: HashMap<String, Vec<Json>> = HashMap::new();
    for mut record in dsg::answers(&source("answers_mplug_dsg.csv"), &items, &mut sink) {
        let rubric = record["rubric"].as_str().unwrap().to_owned();
        record.as_object_mut().unwrap().remove("rubric");
        records.entry(rubric).or_default().push(record);
    }
    let of = |wrap: fn(String) -> String| {
        items
            .iter()
            .filter_map(|item| Some((wrap(item.program()), "pointwise", records.get(&item.name)?.clone())))
            .collect()
    };
    let all_yes = |text: String| text.replace("readout pointwise = score", "readout pointwise = pass(score, at: 1)");
    vec![
        Set { name: "dsg: share of questions".to_owned(), parts: of(|text| text) },
        Set { name: "dsg: every question is met".to_owned(), parts: of(all_yes) },
    ]
}

/// Statements that an answer must make; one contradiction vetoes it.
fn of_kqa(folder: &Path) -> Vec<Set> {
    let mut answers: BTreeMap<(String, String), Vec<(bool, String)>> = BTreeMap::new();
    for row in lines(&folder.join("labels.jsonl")) {
        let key = (row["question_id"].to_string(), text(&row, "model").to_owned());
        let label = text(&row, "majority_label").to_lowercase();
        answers.entry(key).or_default().push((text(&row, "importance") == "Must_have", label));
    }
    let of = |readout: &str| {
        let with_must = answers.iter().filter(|(_, claims)| claims.iter().any(|(must, _)| *must));
        let part = |((question, model), claims): (&(String, String), &Vec<(bool, String)>)| {
            let mut program = "rubric kqa\ncandidate answer: text\n".to_owned();
            let mut judgments = Map::new();
            let (mut must, mut wrong) = (Vec::new(), Vec::new());
            for (n, (is_must, label)) in claims.iter().enumerate() {
                program.push_str(&format!(
                    "criterion s{n}: choice(entailment, neutral, contradiction) \"How does the answer stand to statement {n}?\"\n"
                ));
                judgments.insert(format!("s{n}"), json!(label));
                if *is_must {
                    must.push(format!("s{n} == entailment"));
                }
                wrong.push(format!("s{n} == contradiction"));
            }
            program.push_str(&format!(
                "reduce complete = fraction({})\ngate final = veto(complete) when {}\nreadout pointwise = {readout}\n",
                must.join(", "),
                wrong.join(" or ")
            ));
            (
                program,
                "pointwise",
                vec![json!({"id": format!("{question}-{model}"), "answer": "", "judgments": judgments})],
            )
        };
        with_must.map(part).collect()
    };
    vec![
        Set { name: "kqa: completeness, vetoed".to_owned(), parts: of("final") },
        Set { name: "kqa: at least half (our threshold)".to_owned(), parts: of("pass(final, at: 0.5)") },
    ]
}

/// Weighted questions; 75 of 100 is where the publishers' scale has its zero.
fn of_hellobench(folder: &Path) -> Vec<Set> {
    let read = |name: &str| -> Json { serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap() };
    let weights = read("weights.json");
    let mut records: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for row in lines(&folder.join("scores.jsonl")) {
        let scores = row["scores"].as_array().unwrap().iter().enumerate();
        let judgments: Map<String, Json> = scores.map(|(n, score)| (format!("q{n}"), score.clone())).collect();
        let id = format!("{}-{}", text(&row, "model"), text(&row, "id"));
        let list = records.entry(text(&row, "category").to_owned()).or_default();
        if list.iter().all(|record| record["id"] != json!(id)) {
            list.push(json!({"id": id, "answer": "", "judgments": judgments}));
        }
    }
    let of = |readout: &str| {
        let part = |(category, records): (&String, &Vec<Json>)| {
            let weights: Vec<String> = weights[category].as_array().unwrap().iter().map(Json::to_string).collect();
            let mut program = "rubric hello\ncandidate answer: text\n".to_owned();
            for n in 0..weights.len() {
                program.push_str(&format!("criterion q{n}: score[0..1] \"How far does the answer meet point {n}?\"\n"));
            }
            let slots: Vec<String> = weights.iter().enumerate().map(|(n, w)| format!("q{n} weight {w}")).collect();
            program.push_str(&format!(
                "reduce total = weighted_mean({})\nreadout pointwise = {readout}\n",
                slots.join(", ")
            ));
            (program, "pointwise", records.clone())
        };
        records.iter().map(part).collect()
    };
    vec![
        Set { name: "hellobench: weighted score".to_owned(), parts: of("total") },
        Set { name: "hellobench: at least 75".to_owned(), parts: of("pass(total, at: 0.75)") },
    ]
}

/// Trees of weighted requirements.
fn of_paperbench(folder: &Path) -> Vec<Set> {
    let mut files: Vec<PathBuf> =
        folder.join("graded").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let of = |readout: Option<&str>| {
        let part = |file: &PathBuf| {
            let tree: Json = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            let imported = paperbench::import(&tree, "paper").unwrap_or_else(|_| panic!("{}", file.display()));
            let mut program = imported.program.clone();
            if let Some(readout) = readout {
                let at = program.rfind("readout pointwise = ").unwrap();
                let node = program[at + 20..].lines().next().unwrap().to_owned();
                program.truncate(at);
                program.push_str(&format!("readout pointwise = {}\n", readout.replace("NODE", &node)));
            }
            (program, "pointwise", imported.record.clone().into_iter().collect())
        };
        files.iter().map(part).collect()
    };
    vec![
        Set { name: "paperbench: root of the tree".to_owned(), parts: of(None) },
        Set { name: "paperbench: at least half (our threshold)".to_owned(), parts: of(Some("pass(NODE, at: 0.5)")) },
    ]
}

/// Three items, each the majority of five runs.
fn of_physics(folder: &Path) -> Vec<Set> {
    let mut program = "rubric physics\ncandidate response: text\n".to_owned();
    for item in 0..3 {
        for run in 1..=5 {
            program.push_str(&format!(
                "criterion i{item}r{run}: bool \"Does the explanation meet item {item}? ({run})\"\n"
            ));
        }
        let runs: Vec<String> = (1..=5).map(|run| format!("i{item}r{run}")).collect();
        program.push_str(&format!("reduce item{item} = vote({}, tie: lowest)\n", runs.join(", ")));
    }
    program.push_str("reduce total = count(item0, item1, item2)\nreadout pointwise = total\n");
    let mut records = Vec::new();
    for row in lines(&folder.join("graded.jsonl")) {
        let mut judgments = Map::new();
        for judge in row["judge"].as_array().unwrap() {
            let Some(run) = text(judge, "prompt").rsplit_once("_run_").map(|(_, run)| run) else { continue };
            for (item, met) in judge["vector"].as_array().unwrap().iter().enumerate() {
                judgments.insert(format!("i{item}r{run}"), json!(met == 1));
            }
        }
        if judgments.len() == 15 {
            records.push(json!({"id": row["id"], "response": "", "judgments": judgments}));
        }
    }
    vec![Set { name: "physics_grading: items by five runs".to_owned(), parts: vec![(program, "pointwise", records)] }]
}

/// The majority of three samples.
fn of_khan(folder: &Path) -> Vec<Set> {
    let program = "rubric khan\ncandidate response: text\n\
        criterion s1: bool \"Is the response correct? (1)\"\n\
        criterion s2: bool \"Is the response correct? (2)\"\n\
        criterion s3: bool \"Is the response correct? (3)\"\n\
        reduce correct = vote(s1, s2, s3, tie: lowest)\nreadout pointwise = correct\n";
    let mut records = Vec::new();
    for row in lines(&folder.join("llm_labels.jsonl")) {
        for (id, labels) in row["labels"].as_object().unwrap() {
            let labels = labels.as_array().unwrap();
            if labels.len() != 3 || labels.iter().any(|label| *label != 0 && *label != 1) {
                continue;
            }
            let judgments: Map<String, Json> =
                labels.iter().enumerate().map(|(n, label)| (format!("s{}", n + 1), json!(label == 1))).collect();
            let id = format!("{}-{}-{id}", text(&row, "judge"), text(&row, "rubric"));
            records.push(json!({"id": id, "response": "", "judgments": judgments}));
        }
    }
    vec![Set {
        name: "khan_saq: majority of three samples".to_owned(),
        parts: vec![(program.to_owned(), "pointwise", records)],
    }]
}

/// Fourteen tests of a story.
fn of_ttcw(folder: &Path) -> Vec<Set> {
    let criteria: Vec<Json> = serde_json::from_str(&fs::read_to_string(folder.join("criteria.json")).unwrap()).unwrap();
    let of = |readout: &str| {
        let mut program = "rubric ttcw\ncandidate story: text\n".to_owned();
        let mut names = Vec::new();
        for criterion in &criteria {
            let name = format!("t{}", criterion["ttcw_idx"]);
            program.push_str(&format!("criterion {name}: bool {}\n", quoted(text(criterion, "question"))));
            names.push(name);
        }
        program.push_str(&format!("reduce passed = count({})\nreadout pointwise = {readout}\n", names.join(", ")));
        let mut stories: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
        for row in lines(&folder.join("llm_judgments.jsonl")) {
            let yes = text(&row, "response").to_lowercase().starts_with("yes");
            let id = format!("{}-{}", text(&row, "judge"), text(&row, "story_id"));
            stories.entry(id).or_default().insert(format!("t{}", row["ttcw_idx"]), json!(yes));
        }
        let record =
            |(id, judgments): (String, Map<String, Json>)| json!({"id": id, "story": "", "judgments": judgments});
        vec![(program, "pointwise", stories.into_iter().map(record).collect())]
    };
    vec![
        Set { name: "ttcw: tests passed".to_owned(), parts: of("passed") },
        Set { name: "ttcw: at least half (our threshold)".to_owned(), parts: of("pass(passed, at: 7)") },
    ]
}

/// Domains, a ladder and penalties; what was not assessed is left out of its mean.
fn of_hbqrs(folder: &Path) -> Vec<Set> {
    let of = |name: &str, readout: &str| {
        let recorded = hbqrs::recorded(folder, readout);
        Set { name: format!("hbqrs: {name}"), parts: vec![(recorded.program, "pointwise", recorded.records)] }
    };
    vec![of("final score", "final"), of("at least 90 (our threshold)", "pass(final, at: 0.9)")]
}
