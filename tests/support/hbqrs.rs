//! HBQRS as a program: a bundle of the recorded set and its modules, with the recorded runs as records. For the test of its
//! published scores and the bench of lazy runs.
//!
//! The observed score: domains by points over means of their questions, what was not assessed left out; a ladder, of which a
//! step counts only on top of the lower ones; less penalties, each up to its cap; a hard gate that is missed leaves no
//! score.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A program over the final score (0 to 1, `final`), and a record for each run, with its published score.
pub struct Recorded {
    pub program: String,
    pub records: Vec<Json>,
    #[allow(dead_code, reason = "the bench runs the records and compares no score")]
    pub published: Vec<f64>,
}

/// A question of a module: its JSON, its weight with all factors above it, and the groups that it stands in.
pub type Question<'j> = (&'j Json, f64, Vec<&'j str>);

pub fn questions<'j>(nodes: &'j Json, factor: f64, groups: &[&'j str], into: &mut Vec<Question<'j>>) {
    for node in nodes.as_array().unwrap() {
        let weight = factor * node["weight"].as_f64().unwrap_or(1.0);
        if node["type"] == "group" {
            let inside: Vec<&str> = groups.iter().copied().chain(node["id"].as_str()).collect();
            questions(&node["children"], weight, &inside, into);
        } else {
            into.push((node, weight, groups.to_vec()));
        }
    }
}

pub fn lines(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap()
}

#[derive(Default)]
struct Writer {
    /// The criterion of each question, by its id.
    names: BTreeMap<String, String>,
    criteria: String,
    nodes: String,
    gates: Vec<String>,
}

impl Writer {
    fn criterion(&mut self, question: &Json) -> String {
        let next = format!("q{}", self.names.len());
        let id = text(question, "id").to_owned();
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let asked = text(question, "text").replace('\\', "\\\\").replace('"', "\\\"").replace('{', "\\{");
        writeln!(self.criteria, "criterion {next}: bool? \"{asked}\"").unwrap();
        self.names.insert(id, next.clone());
        next
    }

    /// What a component puts into a mean: names with weights.
    fn slots(&mut self, module: &Json, component: &Json, factor: f64) -> Vec<(String, f64)> {
        let listed = |key: &str| -> Vec<&str> {
            component[key].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
        };
        let (ids, groups) = (listed("include_question_ids"), listed("include_group_ids"));
        let mut all = Vec::new();
        questions(&module["tree"], factor, &[], &mut all);
        let (mut slots, mut ladder) = (Vec::new(), Vec::new());
        for (question, weight, above) in all {
            let taken = ids.contains(&text(question, "id")) || above.iter().any(|group| groups.contains(group));
            if !(taken || ids.is_empty() && groups.is_empty()) {
                continue;
            }
            match text(question, "question_type") {
                "scored" => slots.push((self.criterion(question), weight)),
                "hard_gate" => {
                    let name = self.criterion(question);
                    self.gates.push(name);
                }
                "subjective_threshold" => {
                    let step = text(question, "id").split("threshold_").nth(1).unwrap();
                    let step: u32 = step.split('_').next().unwrap().parse().unwrap();
                    ladder.push((step, self.criterion(question), weight));
                }
                _ => {}
            }
        }
        ladder.sort_by_key(|(step, ..)| *step);
        let mut below: Vec<String> = Vec::new();
        for (_, name, weight) in ladder {
            let step = if below.is_empty() { name.clone() } else { format!("step_{name}") };
            if !below.is_empty() {
                let lower = below.join(" and ");
                writeln!(self.nodes, "transform {step} = if {name} and not ({lower}) then false else {name}").unwrap();
            }
            below.push(format!("otherwise({name}, false)"));
            slots.push((step, weight));
        }
        slots
    }

    fn mean(&mut self, name: &str, slots: &[(String, f64)]) {
        let slots: Vec<String> = slots.iter().map(|(slot, w)| format!("normalize({slot}) weight {w:.6}")).collect();
        writeln!(self.nodes, "reduce {name} = weighted_mean({}, unknown: skip)", slots.join(", ")).unwrap();
    }
}

/// Reads the set. `readout` is what the program reads out (`final`, or something over it).
pub fn recorded(folder: &Path, readout: &str) -> Recorded {
    let modules: HashMap<String, Json> =
        lines(&folder.join("modules.jsonl")).into_iter().map(|m| (text(&m, "module_id").to_owned(), m)).collect();
    let runs = lines(&folder.join("short_story_runs.jsonl"));
    let bundles = lines(&folder.join("bundles.jsonl"));
    let bundle = bundles.iter().find(|bundle| bundle["bundle_id"] == runs[0]["bundle_id"]).unwrap();
    let list = |json: &Json| -> Vec<Json> { json.as_array().cloned().unwrap_or_default() };

    let mut writer = Writer::default();
    let mut used: HashSet<String> = HashSet::new();
    let mut domains = Vec::new();
    for domain in list(&bundle["domains"]) {
        let mut slots = Vec::new();
        for component in list(&domain["components"]) {
            let module = text(&component, "module_id");
            used.insert(module.to_owned());
            slots.extend(writer.slots(&modules[module], &component, component["weight"].as_f64().unwrap()));
        }
        let name = format!("domain_{}", text(&domain, "domain_id"));
        writer.mean(&name, &slots);
        domains.push(format!("{name} weight {}", domain["points"]));
    }
    let mut penalties = String::new();
    for (at, penalty) in list(&bundle["penalty_modules"]).iter().enumerate() {
        let module = text(penalty, "module_id");
        used.insert(module.to_owned());
        let slots = writer.slots(&modules[module], &Json::Null, 1.0);
        writer.mean(&format!("clean_{at}"), &slots);
        write!(penalties, " - {} / 100 * (1 - otherwise(clean_{at}, 1))", penalty["cap_points"]).unwrap();
    }
    for module in list(&bundle["module_ids"]).iter().filter_map(Json::as_str).filter(|module| !used.contains(*module)) {
        let mut all = Vec::new();
        questions(&modules[module]["tree"], 1.0, &[], &mut all);
        for (question, ..) in all.into_iter().filter(|(question, ..)| question["question_type"] == "hard_gate") {
            let name = writer.criterion(question);
            writer.gates.push(name);
        }
    }
    let domains = domains.join(", ");
    let mut program = format!("rubric hbqrs\ncandidate story: text\n{}{}", writer.criteria, writer.nodes);
    writeln!(program, "reduce base = weighted_mean({domains}, unknown: skip)").unwrap();
    writeln!(program, "transform earned = clamp(otherwise(base, 0){penalties}, to: score[0..1])").unwrap();
    let missed: Vec<String> = writer.gates.iter().map(|gate| format!("not otherwise({gate}, true)")).collect();
    if missed.is_empty() {
        program = program.replace("transform earned =", "transform final =");
    } else {
        writeln!(program, "gate final = mask(earned) when {}", missed.join(" or ")).unwrap();
    }
    writeln!(program, "readout pointwise = {readout}").unwrap();

    let mut records = Vec::new();
    let mut published = Vec::new();
    for run in &runs {
        let mut said: Map<String, Json> = writer.names.values().map(|name| (name.clone(), json!("unknown"))).collect();
        for verdict in list(&run["verdicts"]) {
            let Some(name) = writer.names.get(text(&verdict, "question_id")) else { continue };
            match text(&verdict, "verdict") {
                "YES" => drop(said.insert(name.clone(), json!(true))),
                "NO" => drop(said.insert(name.clone(), json!(false))),
                _ => {}
            }
        }
        let id = format!("{}-{}", text(run, "arm"), run["run"]);
        records.push(json!({ "id": id, "story": "", "judgments": said }));
        published.push(run["expected"]["final_score"]["observed"].as_f64().unwrap());
    }
    Recorded { program, records, published }
}
