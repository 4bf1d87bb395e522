//! HBQRS: a score of domains, ladders and penalties over 161 questions: as far as it was assessed, the least and the most that it can
//! be, how much was assessed, and what hard gates leave of it.
//!
//! Verdicts are `choice(yes, no, cannot_assess)?`; a question that does not apply is unknown and counts nowhere.

use crate::hbqrs_program::{lines, questions, text};
use crate::{Evidence, Expected, data, hbqrs_program, number, path, run, succeed};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;

#[test]
fn published_scores_follow_from_the_verdicts() {
    let Some(folder) = data("hbqrs") else { return };
    let mut expected = Expected::of(&folder);
    let modules: HashMap<String, Json> =
        lines(&folder.join("modules.jsonl")).into_iter().map(|m| (text(&m, "module_id").to_owned(), m)).collect();
    let (bundles, runs) = (lines(&folder.join("bundles.jsonl")), lines(&folder.join("short_story_runs.jsonl")));
    counts(&mut expected, &modules, &bundles);
    let bundle = bundles.iter().find(|bundle| bundle["bundle_id"] == runs[0]["bundle_id"]).unwrap();
    let mut writer = Writer::default();
    let program_text = writer.program(bundle, &modules);
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("hbqrs.rubric");
    fs::write(&program, program_text).unwrap();
    succeed(&["check", path(&program)]);
    let record = |run: &Json| {
        // What was not judged could not be assessed.
        let mut said: Map<String, Json> =
            writer.names.values().map(|name| (name.clone(), json!("cannot_assess"))).collect();
        for verdict in run["verdicts"].as_array().unwrap() {
            let Some(name) = writer.names.get(text(verdict, "question_id")) else { continue };
            let word = text(verdict, "verdict").to_lowercase();
            said.insert(name.clone(), json!(if word == "not_applicable" { "unknown" } else { &word }));
        }
        json!({"id": format!("{}.run{}", text(run, "arm"), run["run"]), "story": "(elsewhere)", "judgments": said})
    };
    let records: Vec<Json> = runs.iter().map(record).collect();
    let mut worst = 0.0_f64;
    for (line, run) in crate::run(&program, &records).iter().zip(&runs) {
        let name = line["id"].as_str().unwrap();
        let at = |node: String| number(&line["observed"][node]);
        let four = |value: f64| (value * 1e4).round() / 1e4;
        for (published, node, scale) in
            [("base_score", "base", 100.0), ("penalty_deduction", "penalty", 1.0), ("final_score", "final", 100.0)]
        {
            for bound in ["lower", "observed", "upper"] {
                let found = scale * at(format!("{node}_{bound}"));
                expected.check(&format!("{name}.{published}.{bound}"), four(found));
                worst = worst.max((found - number(&run["expected"][published][bound])).abs());
            }
        }
        expected.check(&format!("{name}.final_score.observed.unrounded"), at("percent".to_owned()));
        expected.check(&format!("{name}.coverage"), four(at("coverage".to_owned())));
        expected.check(&format!("{name}.status"), line["readouts"]["status"].as_str().unwrap().to_uppercase());
        // The gates leave the score that the other readout gives.
        assert_eq!(line["readouts"]["pointwise"], line["observed"]["final_observed"]);
    }
    expected.check("runs.max_error_below_rounding", worst <= 0.000_050_1);
    for arm in ["hbq_batched_24", "hbq_single_batch"] {
        let of: Vec<BTreeSet<(&str, &str)>> = runs
            .iter()
            .filter(|run| run["arm"] == arm)
            .map(|run| {
                let all = run["verdicts"].as_array().unwrap().iter();
                all.map(|v| (text(v, "question_id"), text(v, "verdict"))).collect()
            })
            .collect();
        expected.check(&format!("{arm}.runs_agree"), of[0].intersection(&of[1]).count());
    }
    expected.prove(&Evidence {
        exercises: "a whole published standard as one program of 161 criteria: domains in a weighted mean, not-applicable as unknown, a \
                    ladder of steps, capped penalties, hard gates, bounds, coverage, a status",
        program: "written by the test (`tests/real/hbqrs.rs`)",
        headlines: &["hbq_batched_24.run1.final_score.observed", "hbq_batched_24.run1.final_score.lower", "hbq_batched_24.run1.status"],
        left_out: &[],
    });
}

/// The older form of the program, which the bench of lazy runs uses, gives the same scores.
#[test]
fn what_is_assessed_alone_gives_the_same_scores() {
    let Some(folder) = data("hbqrs") else { return };
    let recorded = hbqrs_program::recorded(&folder, "final");
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("hbqrs.rubric");
    fs::write(&program, &recorded.program).unwrap();
    let lines = run(&program, &recorded.records);
    assert_eq!(lines.len(), 4);
    for (line, published) in lines.iter().zip(&recorded.published) {
        let found = 100.0 * number(&line["readouts"]["pointwise"]);
        assert!((found - published).abs() <= 0.000_051, "{}: {found} is published as {published}", line["id"]);
    }
}

fn counts(expected: &mut Expected, modules: &HashMap<String, Json>, bundles: &[Json]) {
    expected.check("modules", modules.len());
    expected.check("bundles", bundles.len());
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for module in modules.values() {
        let mut all = Vec::new();
        questions(&module["tree"], 1.0, &[], &mut all);
        all.iter().for_each(|(question, ..)| *types.entry(text(question, "question_type")).or_default() += 1);
    }
    for (name, count) in types {
        expected.check(&format!("questions.{name}"), count);
    }
    let hundred = |bundle: &&Json| {
        bundle["domains"].as_array().unwrap().iter().map(|domain| number(&domain["points"])).sum::<f64>() == 100.0
    };
    expected.check("points_sum_100", bundles.iter().filter(hundred).count());
}

#[derive(Default)]
struct Writer {
    /// The criterion of each question, by its id.
    names: BTreeMap<String, String>,
    criteria: String,
    nodes: String,
    /// Verdicts for which a node says whether they are yes, where they were assessed.
    assessed: BTreeSet<String>,
    gates: Vec<String>,
}

const TYPE: &str = "choice(yes, no, cannot_assess)?";

impl Writer {
    fn criterion(&mut self, question: &Json) -> String {
        let next = format!("q{}", self.names.len());
        let id = text(question, "id").to_owned();
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let asked = question["text"].to_string().replace('{', "\\{");
        writeln!(self.criteria, "criterion {next}: {TYPE} {asked}").unwrap();
        self.names.insert(id, next.clone());
        next
    }

    /// What a component puts into a mean: verdicts with weights.
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
                let raised = format!("otherwise({name} == yes, false) and not ({lower})");
                writeln!(self.nodes, "transform {step}: {TYPE} = if {raised} then no else {name}").unwrap();
            }
            below.push(format!("otherwise({name} == yes, false)"));
            slots.push((step, weight));
        }
        slots
    }

    /// Four means over the same verdicts: `cannot_assess` as no, left out, as yes; and, of what `covers` a part of the whole, how much was assessed.
    fn means(&mut self, name: &str, slots: &[(String, f64)], covers: bool) {
        for (slot, _) in slots {
            if self.assessed.insert(slot.clone()) {
                writeln!(
                    self.nodes,
                    "gate assessed_{slot} = mask({slot} == yes, unknown: passes) when {slot} == cannot_assess"
                )
                .unwrap();
            }
        }
        let mean = |of: &dyn Fn(&str) -> String| {
            let slots: Vec<String> = slots.iter().map(|(s, w)| format!("normalize({}) weight {w:.6}", of(s))).collect();
            format!("weighted_mean({}, unknown: skip)", slots.join(", "))
        };
        let variants = [
            ("lower", mean(&|s| format!("{s} == yes"))),
            ("observed", mean(&|s| format!("assessed_{s}"))),
            ("upper", mean(&|s| format!("{s} != no"))),
            ("coverage", mean(&|s| format!("{s} != cannot_assess"))),
        ];
        for (variant, mean) in variants.into_iter().take(if covers { 4 } else { 3 }) {
            writeln!(self.nodes, "reduce {name}_{variant} = {mean}").unwrap();
        }
    }

    fn program(&mut self, bundle: &Json, modules: &HashMap<String, Json>) -> String {
        let list = |json: &Json| -> Vec<Json> { json.as_array().cloned().unwrap_or_default() };
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut domains = Vec::new();
        for domain in list(&bundle["domains"]) {
            let mut slots = Vec::new();
            for component in list(&domain["components"]) {
                let module = text(&component, "module_id");
                used.insert(module.to_owned());
                slots.extend(self.slots(&modules[module], &component, number(&component["weight"])));
            }
            let name = format!("domain_{}", text(&domain, "domain_id"));
            self.means(&name, &slots, true);
            domains.push((name, domain["points"].to_string()));
        }
        let mut penalties = Vec::new();
        for (penalty, at) in list(&bundle["penalty_modules"]).iter().zip(0..) {
            let module = text(penalty, "module_id");
            used.insert(module.to_owned());
            let slots = self.slots(&modules[module], &Json::Null, 1.0);
            self.means(&format!("clean_{at}"), &slots, false);
            penalties.push((format!("clean_{at}"), penalty["cap_points"].to_string()));
        }
        for module in list(&bundle["module_ids"]).iter().filter_map(Json::as_str).filter(|m| !used.contains(*m)) {
            let mut all = Vec::new();
            questions(&modules[module]["tree"], 1.0, &[], &mut all);
            for (question, ..) in all.into_iter().filter(|(question, ..)| question["question_type"] == "hard_gate") {
                let name = self.criterion(question);
                self.gates.push(name);
            }
        }
        let mut nodes = String::new();
        let mut observed = String::new();
        // The least that is left is the least base less the most that is deducted.
        for (bound, other) in [("lower", "upper"), ("observed", "observed"), ("upper", "lower")] {
            let slots: Vec<String> =
                domains.iter().map(|(name, points)| format!("{name}_{bound} weight {points}")).collect();
            writeln!(nodes, "reduce base_{bound} = weighted_mean({}, unknown: skip)", slots.join(", ")).unwrap();
            let deducted = |clean: &str| -> String {
                let each: Vec<String> =
                    penalties.iter().map(|(name, cap)| format!("{cap} * (1 - otherwise({name}_{clean}, 1))")).collect();
                if each.is_empty() { "0".to_owned() } else { each.join(" + ") }
            };
            // A clean share that is high deducts little.
            writeln!(nodes, "reduce penalty_{bound} = {}", deducted(other)).unwrap();
            writeln!(
                nodes,
                "transform final_{bound} = clamp(otherwise(base_{bound}, 0) - penalty_{other} / 100, to: score[0..1])"
            )
            .unwrap();
            write!(observed, "observe base_{bound}\nobserve penalty_{bound}\nobserve final_{bound}\n").unwrap();
        }
        let slots: Vec<String> =
            domains.iter().map(|(name, points)| format!("{name}_coverage weight {points}")).collect();
        writeln!(nodes, "reduce covered = weighted_mean({}, unknown: skip)", slots.join(", ")).unwrap();
        writeln!(nodes, "transform coverage = otherwise(covered, 0)\nobserve coverage\nreduce percent = final_observed * 100\nobserve percent").unwrap();
        let any = |verdict: &str| -> String {
            let each: Vec<String> =
                self.gates.iter().map(|gate| format!("otherwise({gate} == {verdict}, false)")).collect();
            each.join(", ")
        };
        let least = &bundle["coverage_policy"]["minimum_weighted_coverage"];
        let below = text(&bundle["coverage_policy"], "below_threshold_status").to_lowercase();
        let (missed, open) = if self.gates.is_empty() {
            (String::new(), String::new())
        } else {
            writeln!(
                nodes,
                "reduce gate_missed = any({})\nreduce gate_open = any({})",
                any("no"),
                any("cannot_assess")
            )
            .unwrap();
            writeln!(nodes, "gate final = mask(final_observed) when gate_missed or gate_open").unwrap();
            ("  gate_missed => ineligible,\n".to_owned(), "  gate_open => unresolved,\n".to_owned())
        };
        let score = if self.gates.is_empty() { "final_observed" } else { "final" };
        writeln!(
            nodes,
            "reduce state: choice(scored, {below}, unresolved, ineligible) = decide {{\n{missed}{open}  coverage < {least} \
             => {below},\n  rest => scored,\n}}"
        )
        .unwrap();
        format!(
            "rubric hbqrs\ncandidate story: text\n{}{}{nodes}readout pointwise = {score}\nreadout pointwise status = state\n{observed}",
            self.criteria, self.nodes
        )
    }
}
