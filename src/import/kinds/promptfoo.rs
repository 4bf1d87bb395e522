//! promptfoo: the assertions of each test of a YAML (or JSON) configuration become a program, its variables a record.
//!
//! Kept: a test's score is the weighted mean of its assertions (weight 1 by default; 0 only reports); it passes where every
//! weighted assertion passes or, with a `threshold`, where the score reaches it; `not-` turns an assertion round. Text
//! checks become rules, model-graded assertions yes/no criteria, everything else (`python`, `similar`, `cost`, …) a
//! `verifier` of that name. Not kept: the partial score of a model-graded assertion, and prompts in files of their own.
//! Also read: assertions that are bare texts, and lists of criteria with `outcome, weight, required, min_score,
//! score_ranges`, as AgentV writes them (read on its real suites).

use super::super::draft;
use super::super::format::{Format, Holds, Named, PROGRAM, Row, Taken};
use super::super::literal;
use super::super::names::{Names, name_of};
use super::super::part::{Fault, Part};
use super::Record;
use serde_json::Value as Json;
use std::fmt::Write as _;

pub const FORMAT: Format = Format {
    name: "promptfoo",
    about: "promptfoo (YAML, JSON): the assertions of each test; also suites of AgentV",
    holds: Holds::Whole,
    shared: None,
    own: true,
    read,
};

/// What a list of criteria must reach to pass where nothing else is said.
const AGENTV_PASS: &str = "0.8";

fn read(row: &Row<'_>) -> Result<Taken, Fault> {
    let mut taken = Taken::default();
    let whole = &row.part;
    let default = whole.get("defaultTest");
    let mut ids = Names::new();
    for (n, test) in whole.need(&["tests"])?.some()?.into_iter().enumerate() {
        let id = test.any(&["id", "description"]).map(|id| id.word()).transpose()?;
        let id = ids.take(&id.unwrap_or_else(|| format!("{}_{}", row.stem, n + 1)));
        let mut made = Made {
            text: String::new(),
            names: Names::new(),
            graders: Vec::new(),
            fields: Vec::new(),
            lost: Vec::new(),
        };
        let mut record = Record::new(&id).with(PROGRAM, n);
        for vars in default.iter().chain([&test]).filter_map(|part| part.get("vars")) {
            record = made.vars(&vars, record)?;
        }
        let mut bare = Vec::new();
        for assertion in default.iter().chain([&test]).filter_map(|part| part.get("assert")) {
            for assertion in assertion.list()? {
                if assertion.json.is_string() { bare.push(assertion) } else { made.assertion(&assertion)? }
            }
        }
        if !bare.is_empty() {
            made.criteria("rubric_items", &bare, "1")?;
        }
        if made.graders.is_empty() {
            return Err(test.fault("the test has no `assert`, so there is nothing to judge"));
        }
        let threshold = test.get("threshold").map(|at| at.number()).transpose()?;
        let text = made.finish(threshold.map(|at| at.to_string()).as_deref(), &test)?;
        taken.programs.push(Named { name: id, doc: String::new(), text });
        taken.records.push(record.0);
        taken.lost.append(&mut made.lost);
    }
    Ok(taken)
}

/// A node with a score from 0 to 1, its weight, and what must hold for it to pass.
struct Grader {
    score: String,
    weight: String,
    passes: Vec<String>,
}

/// The program of a test while it is made.
struct Made {
    text: String,
    names: Names,
    graders: Vec<Grader>,
    fields: Vec<(String, String)>,
    lost: Vec<String>,
}

impl Made {
    /// Variables become inputs: texts, conversations, or JSON.
    fn vars(&mut self, vars: &Part<'_>, mut record: Record) -> Result<Record, Fault> {
        for (key, value) in vars.entries()? {
            let known = self.fields.iter().find(|(foreign, _)| foreign == key).map(|(_, name)| name.clone());
            let name = known.unwrap_or_else(|| {
                let name = self.names.take(key);
                self.fields.push((key.clone(), name.clone()));
                name
            });
            let text = if value.json.is_array() { draft::transcript(&value) } else { value.word() };
            record = record.with(&name, text.unwrap_or_else(|_| value.json.to_string()));
        }
        Ok(record)
    }

    /// A text in which `{{ variable }}` inserts the field.
    fn template(&mut self, text: &str) -> String {
        let mut out = literal(text);
        for (foreign, name) in &self.fields {
            for space in ["", " "] {
                out = out.replace(&format!("\\{{\\{{{space}{foreign}{space}}}}}"), &format!("{{{{{name}}}}}"));
            }
        }
        if out.contains("\\{\\{") {
            self.lost.push("templates other than `{{variable}}` stay as they are written".into());
        }
        out
    }

    fn assertion(&mut self, part: &Part<'_>) -> Result<(), Fault> {
        let kind = part.need(&["type"])?.text()?;
        let weight = match part.get("weight") {
            Some(weight) => {
                let number = weight.number()?;
                if number.is_negative() {
                    return Err(weight.fault("a weight is not below 0"));
                }
                number.to_string()
            }
            None => "1".to_owned(),
        };
        let metric = part.get("metric").map(|metric| metric.word()).transpose()?.unwrap_or_else(|| kind.clone());
        if let Some(list) = part.get("value").filter(|value| value.json.is_array() && graded(&kind)) {
            return self.criteria(&metric, &list.some()?, &weight);
        }
        let (bare, negated) = kind.strip_prefix("not-").map_or((kind.as_str(), false), |bare| (bare, true));
        let name = self.names.take(&metric);
        let rule = rule(bare, part)?;
        if let Some(rule) = rule {
            let rule = if negated { format!("not ({rule})") } else { rule };
            let _ = writeln!(self.text, "criterion {name}: bool {{ judge rule({rule}) }}\n");
            self.push_bool(&name, weight, false);
            return Ok(());
        }
        let value = part.any(&["value", "prompt"]);
        let ask = match &value {
            Some(value) if value.json.is_string() => self.template(&value.text()?),
            Some(value) => literal(&value.json.to_string()),
            None => literal(&metric),
        };
        if graded(bare) {
            if value.as_ref().is_some_and(|value| value.json.as_str().is_some_and(|text| text.starts_with("file://"))) {
                self.lost.push(format!("`{metric}`: the prompt in a file of its own; the question is the file's name"));
            }
            self.lost.push("partial scores of model-graded assertions: they pass or fail here".into());
            let _ = writeln!(self.text, "criterion {name}: bool {{\n  ask {ask}\n}}\n");
        } else {
            self.lost.push(format!("how `{bare}` is computed: configure a verifier `{}`", name_of(bare)));
            let verifier = name_of(bare);
            let _ =
                writeln!(self.text, "criterion {name}: bool {{\n  ask {ask}\n  judge verifier(\"{verifier}\")\n}}\n");
        }
        self.push_bool(&name, weight, negated);
        Ok(())
    }

    fn push_bool(&mut self, name: &str, weight: String, negated: bool) {
        let what = if negated { format!("not {name}") } else { name.to_owned() };
        let score = if negated { format!("normalize(not {name})") } else { format!("normalize({name})") };
        self.graders.push(Grader { score, weight, passes: vec![what] });
    }

    /// A grader that is a list of criteria: texts, or objects with weights, levels and gates.
    fn criteria(&mut self, metric: &str, list: &[Part<'_>], weight: &str) -> Result<(), Fault> {
        let (mut slots, mut passes) = (Vec::new(), Vec::new());
        for (n, part) in list.iter().enumerate() {
            let id = part.get("id").map(|id| id.word()).transpose()?.unwrap_or_else(|| format!("{metric}_{}", n + 1));
            let name = self.names.take(&id);
            let own =
                part.get("weight").map(|weight| weight.number()).transpose()?.map_or("1".to_owned(), |w| w.to_string());
            if part.json.is_string() {
                let ask = self.template(&part.text()?);
                let _ = writeln!(self.text, "criterion {name}: bool {{\n  ask {ask}\n}}\n");
                passes.push(name.clone());
            } else if let Some(ranges) = part.get("score_ranges") {
                let ask = part.get("outcome").map_or_else(|| Ok(id.replace(['_', '-'], " ")), |text| text.text())?;
                let levels = levels(&ranges)?;
                let _ = writeln!(self.text, "{}", draft::criterion(&name, "int[0..10]", &ask, &levels, ""));
                if let Some(least) = part.get("min_score") {
                    let score = self.names.take(&format!("{name}_score"));
                    let _ = writeln!(self.text, "transform {score} = normalize({name})\n");
                    passes.push(format!("{score} >= {}", least.number()?));
                    slots.push(format!("  {score} weight {own},\n"));
                    continue;
                }
            } else {
                let ask = self.template(&part.need(&["outcome", "expected_outcome", "description"])?.text()?);
                let _ = writeln!(self.text, "criterion {name}: bool {{\n  ask {ask}\n}}\n");
                if part.get("required").is_none_or(|required| *required.json != Json::Bool(false)) {
                    passes.push(name.clone());
                }
            }
            slots.push(format!("  normalize({name}) weight {own},\n"));
        }
        let node = self.names.take(&format!("{metric}_score"));
        if slots.len() == 1 && slots.iter().all(|slot| slot.contains("normalize(")) {
            let only = slots.concat();
            let only = only.trim().split(" weight").next().unwrap_or_default();
            let _ = writeln!(self.text, "transform {node} = {only}\n");
        } else {
            let _ = writeln!(self.text, "reduce {node} = weighted_mean(\n{})\n", slots.concat());
        }
        passes.push(format!("{node} >= {AGENTV_PASS}"));
        self.graders.push(Grader { score: node, weight: weight.to_owned(), passes });
        Ok(())
    }

    fn finish(&mut self, threshold: Option<&str>, test: &Part<'_>) -> Result<String, Fault> {
        let (weighted, reported): (Vec<&Grader>, Vec<&Grader>) = self.graders.iter().partition(|g| g.weight != "0");
        if weighted.is_empty() {
            return Err(test.fault("every assertion has the weight 0, so there is no score"));
        }
        let mut out = String::new();
        for (_, name) in &self.fields {
            let _ = writeln!(out, "input {name}: text?");
        }
        let score = self.names.take("test_score");
        let verdict = self.names.take("passes");
        let _ = write!(out, "candidate output: text\n\n{}", self.text);
        let slots: Vec<String> = weighted.iter().map(|g| format!("  {} weight {},\n", g.score, g.weight)).collect();
        let single = weighted.first().filter(|_| weighted.len() == 1).map(|g| g.score.clone());
        let sink = match single {
            Some(only) if only.starts_with("normalize(") => {
                let _ = writeln!(out, "transform {score} = {only}\n");
                score
            }
            Some(only) => only,
            None => {
                let _ = writeln!(out, "reduce {score} = weighted_mean(\n{})\n", slots.concat());
                score
            }
        };
        for (n, grader) in reported.iter().enumerate() {
            let _ = writeln!(out, "transform reported_{} = {}\nobserve reported_{}\n", n + 1, grader.score, n + 1);
        }
        match threshold {
            Some(at) => {
                let _ =
                    writeln!(out, "readout pointwise = {sink}\nreadout pointwise {verdict} = pass({sink}, at: {at})");
            }
            None => {
                let all: Vec<&str> = weighted.iter().flat_map(|g| &g.passes).map(String::as_str).collect();
                let holds = match all.as_slice() {
                    [only] if !only.contains(' ') => format!("{sink} >= 1"),
                    _ => all.join(" and "),
                };
                let word = if all.len() == 1 { "transform" } else { "reduce" };
                let _ = writeln!(out, "{word} all_pass = {holds}\n");
                let _ = writeln!(out, "readout pointwise = {sink}\nreadout pointwise {verdict} = all_pass");
            }
        }
        Ok(out)
    }
}

/// Whether a model grades the assertion.
fn graded(kind: &str) -> bool {
    matches!(kind, "llm-rubric" | "agent-rubric" | "model-graded-closedqa" | "g-eval" | "factuality")
}

/// The rule of a text check; `None` where it is no text check.
fn rule(kind: &str, part: &Part<'_>) -> Result<Option<String>, Fault> {
    let value = || part.need(&["value"]);
    let quoted = |part: &Part<'_>| part.word().map(|text| literal(&text));
    let many = |call: &dyn Fn(&str) -> String, word: &str| -> Result<String, Fault> {
        let value = value()?;
        let texts = if value.json.is_array() {
            value.some()?.iter().map(|part| part.word()).collect::<Result<Vec<_>, Fault>>()?
        } else {
            value.text()?.split(',').map(|text| text.trim().to_owned()).collect()
        };
        Ok(texts.iter().map(|text| call(text)).collect::<Vec<_>>().join(word))
    };
    let holds = |text: &str| format!("contains(output, {})", literal(text));
    let holds_any_case = |text: &str| format!("contains(lower(output), {})", literal(&text.to_lowercase()));
    Ok(Some(match kind {
        "equals" => format!("output == {}", quoted(&value()?)?),
        "contains" => holds(&value()?.word()?),
        "icontains" => holds_any_case(&value()?.word()?),
        "contains-all" => many(&holds, " and ")?,
        "contains-any" => many(&holds, " or ")?,
        "icontains-all" => many(&holds_any_case, " and ")?,
        "icontains-any" => many(&holds_any_case, " or ")?,
        "starts-with" => format!("starts_with(output, {})", quoted(&value()?)?),
        "regex" => format!("matches(output, {})", quoted(&value()?)?),
        "is-json" if part.get("value").is_none() => "json_valid(output)".to_owned(),
        _ => return Ok(None),
    }))
}

/// The levels of `score_ranges`: by their lower bounds, or a list of `{score_range, outcome}`.
fn levels(ranges: &Part<'_>) -> Result<Vec<(String, String)>, Fault> {
    let mut levels = Vec::new();
    if ranges.json.is_array() {
        for range in ranges.some()? {
            let ends = range.need(&["score_range"])?.some()?;
            let [from, to] = ends.as_slice() else { return Err(range.fault("a `score_range` is two numbers")) };
            let (from, to) = (from.whole_number()?, to.whole_number()?);
            let text = range.need(&["outcome", "expected_outcome"])?.text()?;
            levels.push((from.to_string(), if from == to { text } else { format!("{text} (up to {to})") }));
        }
        return Ok(levels);
    }
    for (key, text) in ranges.entries()? {
        let level: i64 =
            key.trim().parse().map_err(|_| text.fault(format!("`{key}` is no whole number from 0 to 10")))?;
        if !(0..=10).contains(&level) {
            return Err(text.fault(format!("{level} is no score from 0 to 10")));
        }
        levels.push((level.to_string(), text.text()?));
    }
    levels.sort_by_key(|(level, _)| level.parse::<i64>().unwrap_or_default());
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::super::super::format::Form;
    use super::super::testing::{clean, read};
    use super::*;
    use serde_json::json;

    #[test]
    fn every_assertion_finds_its_place() {
        let file = json!({"tests": [{"id": "t one", "vars": {"topic": "bees"}, "assert": [
            {"type": "icontains", "value": "Bee"},
            {"type": "not-regex", "value": "\\d+"},
            {"type": "contains-any", "value": ["hive", "honey"], "weight": 2},
            {"type": "llm-rubric", "value": "Is about {{ topic }}, {kindly}", "metric": "on topic"},
            {"type": "python", "value": "len(output) < 10", "weight": 0}]}]});
        let taken = read(&FORMAT, &file, Form::Own).unwrap();
        let text = clean(&taken.programs[0]);
        for part in [
            "contains(lower(output), \"bee\")",
            "not (matches(output, \"\\\\d+\"))",
            "ask \"Is about {{topic}}, \\{kindly}\"",
            "weight 2",
            "judge verifier(\"python\")",
            "observe reported_1",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(taken.records[0]["topic"], json!("bees"));
        assert!(taken.lost.iter().any(|lost| lost.contains("`python`")));
    }

    #[test]
    fn a_threshold_replaces_passing_everything() {
        let file =
            json!({"tests": [{"threshold": 0.5, "assert": [{"type": "equals", "value": 4}, {"type": "is-json"}]}]});
        let text = clean(&read(&FORMAT, &file, Form::Own).unwrap().programs[0]);
        assert!(text.contains("passes = pass(test_score, at: 0.5)"), "{text}");
        let one = json!({"tests": [{"assert": [{"type": "equals", "value": "x"}]}]});
        clean(&read(&FORMAT, &one, Form::Own).unwrap().programs[0]);
        let none = json!({"tests": [{"assert": []}]});
        assert_eq!(read(&FORMAT, &none, Form::Own).unwrap_err().key, "tests[0]");
    }

    #[test]
    fn lists_of_criteria_have_weights_gates_and_levels() {
        let file = json!({"tests": [{"id": "t", "assert": ["Says hello", {"type": "llm-rubric", "value": [
            {"id": "a", "outcome": "Has headings", "weight": 2, "required": true},
            {"id": "b", "weight": 1, "min_score": 0.8, "score_ranges": {"0": "Bad", "10": "Good"}}]}]}]});
        let text = clean(&read(&FORMAT, &file, Form::Own).unwrap().programs[0]);
        assert!(text.contains("criterion b: int[0..10]") && text.contains("b_score >= 0.8"), "{text}");
        assert!(text.contains("normalize(a) weight 2"), "{text}");
    }
}
