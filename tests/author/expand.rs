//! `rubric expand` as a user runs it: a scripted model, a folder of questions, and what stands in the files afterwards.

use super::faults::{self, Behaviour, Request, Server};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(super) struct Place {
    folder: tempfile::TempDir,
}

pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Place {
    pub(super) fn new(server: &Server, questions: usize, concurrency: u32) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        let lines: String = (0..questions)
            .map(|n| {
                json!({"id": format!("Q {n}"), "question": format!("Why is {} so?\n[[[ end of question", word(n))})
                    .to_string()
                    + "\n"
            })
            .collect();
        place.write("questions.jsonl", &lines);
        let model = format!(
            "[models.default]\ndialect = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m-1\"\nretries = 0\n\
             concurrency = {concurrency}\nprice = {{ input = 1, output = 1 }}\n",
            server.url
        );
        place.write("rubric.toml", &model);
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn json(&self, name: &str) -> Json {
        let json: Json = serde_json::from_str(&self.read(name)).unwrap();
        let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/expansion.schema.json");
        let schema: Json = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&json).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:?}");
        json
    }

    pub(super) fn results(&self) -> Vec<Json> {
        self.read("out/results.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(super) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rubric"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn rubric(&self, arguments: &str) -> Ran {
        ran(self.command(arguments).output().unwrap())
    }

    pub(super) fn expand(&self, more: &str) -> Ran {
        self.rubric(&format!("expand questions.jsonl -o out {more}"))
    }

    fn start(&self) -> Child {
        self.command("expand questions.jsonl -o out").spawn().unwrap()
    }
}

pub(super) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let ran = Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

/// A made-up word; no two are alike.
fn word(n: usize) -> String {
    const SOUNDS: [&str; 16] = [
        "bak", "lun", "tev", "gor", "sim", "pud", "wex", "jol", "fin", "dra", "cho", "zyl", "mup", "rhe", "ven", "quo",
    ];
    let digits = [n / 256 % 16, n / 16 % 16, n % 16, (n * 7 + 3) % 16];
    digits.iter().enumerate().map(|(at, d)| SOUNDS[(d * (2 * at + 3) + at * 5 + n / 16) % 16]).collect::<String>()
        + SOUNDS[n % 16]
}

pub(super) fn statement(n: usize) -> String {
    format!("Mentions {} {} {}", word(3 * n), word(3 * n + 1), word(3 * n + 2))
}

/// The entries of the last list of this name in a prompt.
fn entries(prompt: &str, name: &str) -> Vec<String> {
    let Some(start) = prompt.rfind(&format!("[[[ {name} ")) else { return Vec::new() };
    let lines = prompt[start..].lines().skip(1).take_while(|line| !line.starts_with("[[["));
    lines.map(|line| line.split_once(". ").unwrap().1.to_owned()).collect()
}

/// The step that a request asks for, and its reply from a model that does as it is told.
fn step(request: &Request) -> (&'static str, Json) {
    let prompt = request.prompt();
    let number = |after: &str| -> usize {
        let rest = &prompt[prompt.find(after).unwrap() + after.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let scenario =
        |n: usize| json!({"scenario_name": format!("Case {}", word(n)), "scenario_description": statement(1000 + n)});
    let view = |n: usize| json!({"perspective_name": format!("View {}", word(n)), "perspective_description": statement(2000 + n)});
    let criterion =
        |n: usize, points: i64| json!({"criterion": statement(n), "points": points, "reasoning": "It matters."});
    let with = |mut json: Json, key: &str, value: Json| {
        json[key] = value;
        json
    };
    if prompt.contains("Task: find the scenarios behind") {
        ("scenarios", json!({"scenarios": [scenario(1), scenario(2)]}))
    } else if prompt.contains("Task: find scenarios that are missing") {
        // One in the first round; then one that is there already; then none.
        let list = match entries(&prompt, "scenarios").len() {
            2 => vec![scenario(3), scenario(1)],
            _ => vec![scenario(2)],
        };
        ("more scenarios", json!({"scenarios": list}))
    } else if prompt.contains("Task: say from which perspectives") {
        let n = number("to be judged in scenario ");
        ("perspectives", json!({"perspectives": [view(10 * n), view(10 * n + 1)]}))
    } else if prompt.contains("Task: bring the perspectives in order") {
        let n = entries(&prompt, "perspectives").len();
        let merged = with(view(90 + n), "from", json!([1, 3]));
        ("review of perspectives", json!({"merged": [merged], "dropped": []}))
    } else if prompt.contains("Task: find perspectives that are missing") {
        let n = entries(&prompt, "perspectives").len();
        let list = if n > 5 { vec![] } else { vec![with(view(70 + n), "scenarios", json!([2, 1]))] };
        ("more perspectives", json!({"perspectives": list}))
    } else if prompt.contains("Task: write the criteria of perspective") {
        let n = number("write the criteria of perspective ");
        // The first criterion of each but the first perspective is there already.
        let first = if n == 1 { 100 } else { 101 };
        ("criteria", json!({"criteria": [criterion(first, 8), criterion(110 + n, 5), criterion(140 + n, -4)]}))
    } else if prompt.contains("Task: bring the criteria in order") {
        let merged = with(criterion(190, 9), "from", json!([1, 2]));
        ("review of criteria", json!({"merged": [merged], "dropped": [{"number": 3, "reason": "It cannot be seen."}]}))
    } else if prompt.contains("Task: take the fixed facts out") {
        let entry = |n: usize| json!({"number": n, "criterion": format!("{} and how it is found", statement(200 + n))});
        let of = entries(&prompt, "criteria").len();
        ("facts", json!({"reworded": (1..=of).map(entry).collect::<Vec<_>>()}))
    } else if prompt.contains("Task: find criteria that are missing") {
        let n = entries(&prompt, "criteria").len();
        let fresh = with(criterion(160 + n, 3), "perspectives", json!([1, 2]));
        let known = with(criterion(190, 2), "perspectives", json!([3]));
        ("more criteria", json!({"criteria": [fresh, known]}))
    } else if prompt.contains("Task: say of each criterion whether") {
        let list = entries(&prompt, "criteria");
        let mark = |(n, text): (usize, &String)| json!({"number": n + 1, "begins": begins(text), "positive": n % 4 != 3, "reasoning": "So."});
        ("polarity", json!({"criteria": list.iter().enumerate().map(mark).collect::<Vec<_>>()}))
    } else if prompt.contains("Task: say how much each criterion counts") {
        let list = entries(&prompt, "criteria");
        let mark = |(n, text): (usize, &String)| json!({"number": n + 1, "begins": begins(&text[4..]), "points": n % 10 + 1, "reasoning": "So."});
        ("weights", json!({"criteria": list.iter().enumerate().map(mark).collect::<Vec<_>>()}))
    } else if prompt.contains("Task: write the whole rubric") {
        let perspective = with(view(1), "scenarios", json!([1]));
        let list =
            [with(criterion(1, 9), "perspectives", json!([1])), with(criterion(2, -5), "perspectives", json!([1]))];
        ("single", json!({"scenarios": [scenario(1)], "perspectives": [perspective], "criteria": list}))
    } else {
        panic!("no step: {prompt}")
    }
}

fn begins(text: &str) -> String {
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

pub(super) fn good(request: &Request) -> Behaviour {
    request.answer(&step(request).1.to_string())
}

/// A model that answers one step otherwise.
fn but(at: &'static str, other: impl Fn(&Request, Json) -> Behaviour + Send + Sync + 'static) -> Server {
    Server::start(move |request| {
        let (step, reply) = step(request);
        if step == at { other(request, reply) } else { request.answer(&reply.to_string()) }
    })
}

#[test]
fn a_question_becomes_a_rubric_that_checks_clean_with_all_its_stages() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    let ran = place.expand("");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let checked = place.rubric("check --deny-warnings out/q_0.rubric");
    assert_eq!((checked.code, checked.out.as_str()), (0, ""), "{}\n{}", checked.err, place.read("out/q_0.rubric"));
    let stages = place.json("out/q_0.json");
    let list = |key: &str| stages[key].as_array().unwrap().clone();
    let names: Vec<String> =
        list("scenarios").iter().map(|s| s["scenario_name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, [1, 2, 3].map(|n| format!("Case {}", word(n))));
    // Two views of each of three scenarios; twice two become one; rounds add until there are six.
    assert_eq!((list("raw_perspectives").len(), list("reviewed_perspectives").len()), (6, 6));
    assert_eq!(list("reviewed_perspectives")[0]["scenario_ids"], json!(["s1", "s2"]));
    assert_eq!(list("raw_criteria").len(), 18);
    let stats = &stages["dedup_stats"];
    assert_eq!((&stats["before"], &stats["after"], &stats["after_review"]), (&json!(18), &json!(14), &json!(12)));
    // Each round's second criterion is there already; only its lineage is kept.
    assert_eq!((&stats["expanded"], &stats["final"]), (&json!(18), &json!(15)));
    let last = list("final_criteria");
    assert_eq!(last[0]["criterion"], statement(190));
    assert!(last[0]["perspective_ids"].as_array().unwrap().contains(&json!("p3")), "{}", last[0]);
    // Texts stay as they were after the last thinning, and everything leads back to a scenario.
    for criterion in &last {
        assert!(!criterion["scenario_ids"].as_array().unwrap().is_empty(), "{criterion}");
        assert!(criterion["criterion"].as_str().unwrap().starts_with("Mentions "));
    }
    // Polarity: every fourth is bad. Weights: their places.
    let points: Vec<i64> = last.iter().map(|c| c["points"].as_i64().unwrap()).collect();
    assert_eq!(points, [1, 2, 3, -4, 5, 6, 7, -8, 9, 10, 1, -2, 3, 4, 5]);
    let results = place.results();
    assert_eq!((results[0]["status"].as_str(), results[0]["criteria"].as_u64()), (Some("expanded"), Some(15)));
    // The calls are those of the formula, with |S₀| = 2, |S₊| = 1, |P| = 6, w = 3, 4, 3.
    let calls = 1 + 2 + 1 + 3 + (1 + 1) + 4 + 6 + 1 + 3 + 1 + 1;
    // Two rounds ask what was asked before, because nothing was added in between; the store answers them.
    assert_eq!((server.count(), stages["calls"]["questions"].as_u64()), (calls - 2, Some(calls as u64)));
    // The program runs: points met over positive points.
    place.write(
        "one.jsonl",
        "{\"id\": \"r\", \"question\": \"?\", \"answer\": \"!\", \"judgments\": {\"criteria.c10\": true}}\n",
    );
    let ran = place.rubric("run out/q_0.rubric --data one.jsonl --recorded -o -");
    assert!(ran.code == 3 && ran.out.contains("\"open\""), "{}{}", ran.out, ran.err);
}

/// Figures that the question does not give are taken out by one more question; what is left is told.
#[test]
fn hard_coded_facts_are_asked_to_be_taken_out_once() {
    let fixed = |mut reply: Json| {
        reply["criteria"][0]["criterion"] = json!("Says that the limit is 40 mg since March 2021");
        reply["criteria"][1]["criterion"] = json!("Gives at least 2 examples");
        reply
    };
    for (keeps, left) in [(false, 0), (true, 1)] {
        let server = Server::start(move |request| {
            let (step, reply) = step(request);
            let reply = match step {
                "more criteria" => fixed(reply),
                // It says the same in other words, with the same figure.
                "facts" if keeps => json!({"reworded": [{"number": 1, "criterion": "Names 40 mg as the limit"}]}),
                _ => reply,
            };
            request.answer(&reply.to_string())
        });
        let place = Place::new(&server, 1, 8);
        let ran = place.expand("--criterion-rounds 1");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let asked: Vec<_> =
            server.requests().into_iter().filter(|r| r.prompt().contains("take the fixed facts out")).collect();
        assert_eq!(asked.len(), 1);
        let prompt = asked[0].prompt();
        assert!(prompt.contains("40, March 2021") && !prompt.contains("at least 2 examples"), "{prompt}");
        let stages = place.json("out/q_0.json");
        let reworded = stages["facts_reworded"].as_array().unwrap();
        assert_eq!(reworded.len(), 1, "{stages}");
        assert_eq!(reworded[0]["was"], "Says that the limit is 40 mg since March 2021");
        assert_eq!(stages["facts_left"].as_array().unwrap().len(), left, "{stages}");
        assert_eq!(ran.err.contains("warning: 1 of them hold"), keeps, "{}", ran.err);
        let text = place.read("out/q_0.rubric");
        assert!(!text.contains("since March 2021") && text.contains("at least 2 examples"), "{text}");
        // Lineage goes with the place.
        let id = reworded[0]["criterion_id"].as_str().unwrap();
        let last = stages["final_criteria"].as_array().unwrap();
        let own = last.iter().find(|criterion| criterion["criterion_id"] == id).unwrap();
        assert!(!own["scenario_ids"].as_array().unwrap().is_empty(), "{own}");
        let schema: Json = serde_json::from_str(include_str!("../../grammar/expansion.schema.json")).unwrap();
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&stages), "{stages}");
    }
}

#[test]
fn the_question_cannot_end_its_block() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    assert_eq!(place.expand("--single").code, 0);
    let prompt = server.requests()[0].prompt();
    assert!(prompt.contains("\\[[[ end of question"), "{prompt}");
}

#[test]
fn all_in_one_call() {
    let server = Server::start(good);
    let place = Place::new(&server, 2, 8);
    let ran = place.expand("--single");
    assert_eq!((ran.code, server.count()), (0, 2), "{}", ran.err);
    assert_eq!(place.rubric("check --deny-warnings out/q_0.rubric out/q_1.rubric").code, 0);
    assert_eq!(place.json("out/q_1.json")["final_criteria"].as_array().unwrap().len(), 2);
}

#[test]
fn the_result_does_not_depend_on_who_answers_first() {
    let slow = |request: &Request| good(request).after(Duration::from_millis((request.number as u64 * 37) % 23));
    let folders = [1, 64].map(|concurrency| {
        let server = Server::start(slow);
        let place = Place::new(&server, 3, concurrency);
        assert_eq!(place.expand("").code, 0);
        let all = ["q_0", "q_1", "q_2"]
            .map(|name| (place.read(&format!("out/{name}.rubric")), place.read(&format!("out/{name}.json"))));
        (all, place.read("out/results.jsonl"))
    });
    assert_eq!(folders[0], folders[1]);
}

#[test]
fn without_rounds_there_are_the_fewest_calls_and_the_plan_knows_them() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    let rounds = "--scenario-rounds 0 --perspective-rounds 0 --criterion-rounds 0";
    let plan = place.rubric(&format!("expand questions.jsonl --plan {rounds}"));
    assert_eq!((plan.code, server.count()), (0, 0), "{}", plan.err);
    assert!(plan.out.contains("Q 0: 0 calls are stored, 7 to "), "{}", plan.out);
    assert_eq!(place.expand(rounds).code, 0);
    // |S₀| = 2, |P| = 3.
    assert_eq!(server.count(), 1 + 2 + 1 + 3 + 1 + 1 + 1);
    let plan = place.rubric(&format!("expand questions.jsonl --plan {rounds}"));
    let same = place.rubric(&format!("plan expand questions.jsonl {rounds}"));
    assert_eq!((same.code, &same.out), (0, &plan.out), "{}", same.err);
    assert!(plan.out.contains("Q 0: all 10 calls are stored") && plan.out.contains("\n0 calls in all"), "{}", plan.out);
}

#[test]
fn what_does_not_conform_is_asked_again_and_then_the_question_fails() {
    type Spoil = fn(Json) -> String;
    let cases: [(&'static str, &str, Spoil); 11] = [
        ("scenarios", "at least 1 is needed", |_| "{\"scenarios\": []}".to_owned()),
        ("perspectives", "scenario 1: 3 replies", |reply| reply.to_string()[..40].to_owned()),
        ("review of perspectives", "names 77", |mut reply| {
            reply["merged"][0]["from"] = json!([1, 77]);
            reply.to_string()
        }),
        ("more perspectives", "names no number", |mut reply| {
            reply["perspectives"][0]["scenarios"] = json!([]);
            reply.to_string()
        }),
        ("criteria", "states an absence", |mut reply| {
            reply["criteria"][0]["criterion"] = json!("Avoids jargon");
            reply.to_string()
        }),
        ("criteria", "not 11", |mut reply| {
            reply["criteria"][0]["points"] = json!(11);
            reply.to_string()
        }),
        ("review of criteria", "stands in two places", |mut reply| {
            reply["dropped"][0]["number"] = json!(2);
            reply.to_string()
        }),
        ("polarity", "the list has 15 criteria", |mut reply| {
            reply["criteria"].as_array_mut().unwrap().pop();
            reply.to_string()
        }),
        ("polarity", "does not begin with the words of criterion 2", |mut reply| {
            reply["criteria"][1]["begins"] = json!("Reworded by the model");
            reply.to_string()
        }),
        ("weights", "entry 1 has the number 2", |mut reply| {
            reply["criteria"].as_array_mut().unwrap().swap(0, 1);
            reply.to_string()
        }),
        ("weights", "the positive ones must be more", |mut reply| {
            for (n, mark) in reply["criteria"].as_array_mut().unwrap().iter_mut().enumerate() {
                mark["points"] = json!(if n % 4 == 3 { 10 } else { 1 });
            }
            reply.to_string()
        }),
    ];
    for (at, said, spoil) in cases {
        let server = but(at, move |request, reply| request.answer(&spoil(reply)));
        let place = Place::new(&server, 1, 8);
        let ran = place.expand("");
        let balance = said.contains("must be more");
        assert_eq!(ran.code, if balance { 4 } else { 5 }, "{at}: {}", ran.err);
        let result = &place.results()[0];
        assert_eq!(result["status"], if balance { "failed" } else { "judge_failed" });
        assert!(result["reason"].as_str().unwrap().contains(said), "{at}: {result}");
        assert!(!place.path("out/q_0.rubric").exists());
        assert!(place.json("out/q_0.json")["error"]["reason"].as_str().unwrap().contains(said));
        // Three times by default, and nothing beyond that step.
        let asked = server.requests().iter().filter(|request| step(request).0 == at).count();
        assert!(asked >= 3, "{at}: {asked}");

        // Once only: it is asked again, with the reason, and all is well.
        let spoilt = AtomicUsize::new(0);
        let server = but(at, move |request, reply| {
            let first = spoilt.fetch_add(1, Ordering::SeqCst) == 0;
            request.answer(&if first { spoil(reply) } else { reply.to_string() })
        });
        let place = Place::new(&server, 1, 8);
        let ran = place.expand("");
        assert_eq!(ran.code, 0, "{at}: {}", ran.err);
        assert!(
            server
                .requests()
                .iter()
                .any(|request| request.prompt().contains(said.split(": ").next().unwrap()) || at == "perspectives"),
            "{at}"
        );
        assert_eq!(place.rubric("check --deny-warnings out/q_0.rubric").code, 0);
    }
}

#[test]
fn one_bad_question_keeps_none_of_the_others() {
    let server = Server::start(|request| {
        let prompt = request.prompt();
        if prompt.contains(&format!("Why is {} so?", word(1))) {
            return faults::refusal(request);
        }
        if prompt.contains(&format!("Why is {} so?", word(2))) && prompt.contains("Task: bring the criteria") {
            return faults::truncated(request, "{\"merged\": [");
        }
        good(request)
    });
    let place = Place::new(&server, 4, 8);
    let mut lines = place.read("questions.jsonl");
    lines += "not json\n{\"id\": \"x\", \"question\": \"?\", \"answer\": \"!\"}\n";
    place.write("questions.jsonl", &lines);
    let ran = place.expand("");
    assert_eq!(ran.code, 4, "{}", ran.err);
    let status: Vec<String> = place.results().iter().map(|line| line["status"].as_str().unwrap().to_owned()).collect();
    assert_eq!(status, ["expanded", "judge_failed", "judge_failed", "expanded", "failed", "failed"]);
    let reasons: Vec<String> = place.results().iter().map(|line| line["reason"].to_string()).collect();
    assert!(
        reasons[1].contains("declined")
            && reasons[2].contains("cut off")
            && reasons[5].contains("`answer` is not known"),
        "{reasons:?}"
    );
    // What came before the failure is there.
    assert_eq!(place.json("out/q_2.json")["raw_criteria"].as_array().unwrap().len(), 18);
}

#[test]
fn under_a_ceiling_whole_questions_are_bought_and_the_rest_follows_for_the_rest() {
    let server = Server::start(good);
    let place = Place::new(&server, 3, 64);
    let ran = place.expand("--max-calls 45");
    assert_eq!((ran.code, server.count()), (6, 45), "{}", ran.err);
    let status: Vec<String> = place.results().iter().map(|line| line["status"].as_str().unwrap().to_owned()).collect();
    assert_eq!(status, ["expanded", "budget_ended", "budget_ended"], "{}", ran.err);
    assert_eq!(place.expand("").code, 0);
    // 25 calls each, two of which ask the same as others; none is made twice.
    assert_eq!(server.count(), 69);
}

#[test]
fn killed_and_run_again_nothing_is_asked_twice() {
    let server = Server::start(|request| good(request).after(Duration::from_millis(20)));
    let place = Place::new(&server, 2, 4);
    let whole = Place::new(&server, 2, 4);
    assert_eq!(whole.expand("").code, 0);
    let before = server.count();
    let mut lost = 0;
    for round in 1..=6 {
        let mut child = place.start();
        let began = std::time::Instant::now();
        while server.count() < before + 7 * round && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(3));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Of each kill as many calls as are under way.
        lost += 4;
    }
    let ran = place.expand("");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(server.count() - before <= before + lost, "{} calls", server.count() - before);
    for file in ["q_0.rubric", "q_1.json", "results.jsonl"] {
        assert_eq!(place.read(&format!("out/{file}")), whole.read(&format!("out/{file}")));
    }
    assert_eq!(place.expand("").code, 0);
}

#[cfg(unix)]
#[test]
fn after_ctrl_c_it_goes_on_where_it_was() {
    let server = Server::start(|request| good(request).after(Duration::from_millis(60)));
    let place = Place::new(&server, 3, 4);
    let child = place.start();
    let began = std::time::Instant::now();
    while server.count() < 12 && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(3));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.err.contains("run the same command again"), "{}", ran.err);
    assert_eq!(place.expand("").code, 0);
    assert_eq!(server.count(), 69, "what was under way was waited for and stored");
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_asked() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    for (arguments, said) in [
        ("expand missing.jsonl -o out", "missing.jsonl"),
        ("expand questions.jsonl -o out --model defualt", "did you mean `default`?"),
        ("expand questions.jsonl -o out --threshold 7", "from 0 to 1"),
        ("expand questions.jsonl", "--output"),
        ("expand rubric.toml -o out", "not valid JSON"),
    ] {
        let ran = place.rubric(arguments);
        assert!(ran.code == 2 && ran.err.contains(said), "{arguments}: {} {}", ran.code, ran.err);
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn a_rubric_of_an_earlier_run_does_not_stand_beside_a_failure() {
    let turn = AtomicUsize::new(0);
    let server =
        Server::start(
            move |request| {
                if turn.fetch_add(1, Ordering::SeqCst) == 0 { good(request) } else { faults::refusal(request) }
            },
        );
    let place = Place::new(&server, 1, 8);
    assert_eq!(place.expand("--single --no-store").code, 0);
    let old = place.read("out/q_0.rubric");
    let ran = place.expand("--single --no-store");
    assert!(ran.code == 5 && ran.err.contains("q_0.rubric.old"), "{} {}", ran.code, ran.err);
    assert!(!place.path("out/q_0.rubric").exists());
    assert_eq!(place.read("out/q_0.rubric.old"), old);
    // A question that can no longer be read leaves none either.
    std::fs::rename(place.path("out/q_0.rubric.old"), place.path("out/q_0.rubric")).unwrap();
    place.write("questions.jsonl", "{\"id\": \"Q 0\", \"question\": \"?\", \"answer\": \"!\"}\n");
    let ran = place.expand("--single");
    assert!(ran.code == 4 && !place.path("out/q_0.rubric").exists(), "{} {}", ran.code, ran.err);
}

#[test]
fn an_id_that_stands_twice_is_told_with_both_places() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    let twice = "{\"id\": \"a\", \"question\": \"Why?\"}\n{\"id\": \"b\", \"question\": \"How?\"}\n{\"id\": \"a\", \"question\": \"Who?\"}\n";
    place.write("questions.jsonl", twice);
    let ran = place.expand("--single");
    assert_eq!((ran.code, server.count()), (4, 2), "{}", ran.err);
    assert!(place.results()[2]["reason"].as_str().unwrap().contains("line 3 has the id of line 1"), "{}", ran.err);
}

#[test]
fn the_image_of_a_question_is_seen_in_every_step() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    place.write("rubric.toml", &(place.read("rubric.toml") + "can = { images = true }\n"));
    let png = [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4];
    std::fs::write(place.path("chart.png"), png).unwrap();
    let lines = json!({"id": "with", "question": "What does it show?", "image": "chart.png"}).to_string()
        + "\n"
        + &json!({"id": "without", "question": "What is it?"}).to_string();
    place.write("questions.jsonl", &lines);
    let ran = place.expand("");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (mut with, mut without) = (0, 0);
    for request in server.requests() {
        let body = request.json.to_string();
        if request.prompt().contains("What does it show?") {
            with += 1;
            assert!(body.contains("\"image_url\"") && body.contains("data:image/png;base64,iVBORw0KGgo"), "{body}");
        } else {
            without += 1;
            assert!(!body.contains("image_url"), "{body}");
        }
    }
    assert!(with > 20 && without > 20, "{with} {without}");
}

/// A criterion of several perspectives counts for each of them, wherever it stands.
#[test]
fn criteria_are_found_and_profiled_under_each_of_their_perspectives() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    assert_eq!(place.expand("").code, 0);
    let stages = place.json("out/q_0.json");
    let criteria = stages["final_criteria"].as_array().unwrap();
    let of =
        |id: &str| criteria.iter().filter(|c| c["perspective_ids"].as_array().unwrap().contains(&json!(id))).count();
    let several = criteria.iter().filter(|c| c["perspective_ids"].as_array().unwrap().len() > 1).count();
    assert!(several > 0);
    for id in ["p1", "p2", "p3"] {
        let ran = place.rubric(&format!("trim out/q_0.rubric --tag perspective={id} -o out/{id}.rubric"));
        assert!(
            ran.code == 0 && ran.err.contains(&format!("{} of {} items", of(id), criteria.len())),
            "{id}: {}",
            ran.err
        );
    }
    // Two answers with the same score, by other criteria.
    let points: Vec<i64> = criteria.iter().map(|c| c["points"].as_i64().unwrap()).collect();
    let (one, other) = (0..points.len())
        .flat_map(|a| (0..a).map(move |b| (b, a)))
        .find(|(b, a)| points[*a] == points[*b] && criteria[*a]["perspective_ids"] != criteria[*b]["perspective_ids"])
        .unwrap();
    for (name, met) in [("a", one), ("b", other)] {
        let judgments: serde_json::Map<String, Json> =
            (0..points.len()).map(|n| (format!("criteria.c{}", n + 1), json!(n == met))).collect();
        let record = json!({"id": "r", "question": "?", "answer": "!", "judgments": judgments});
        place.write(&format!("{name}.jsonl"), &format!("{record}\n"));
        let ran = place.rubric(&format!("run out/q_0.rubric --data {name}.jsonl --recorded --trace {name}.trace -o -"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let ran = place.rubric("profile a=a.trace b=b.trace --by perspective");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("│ p1 ") && ran.out.contains("by perspective, a and b are"), "{}", ran.out);
    assert!(ran.out.contains("criteria that tell them apart"), "{}", ran.out);
}

#[test]
fn what_is_written_is_laid_out_as_fmt_does_it() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    assert_eq!(place.expand("").code, 0);
    let trimmed = place.rubric("trim out/q_0.rubric --top 3 -o out/small.rubric");
    assert_eq!(trimmed.code, 0, "{}", trimmed.err);
    let ran = place.rubric("fmt --check out/q_0.rubric out/small.rubric");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}
