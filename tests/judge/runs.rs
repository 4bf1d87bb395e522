//! `--runs n`: models answer each run for itself, what they answered is kept apart, and results, traces, figures and flip rates know
//! the runs.

use super::*;
use std::collections::HashMap;
use std::sync::Mutex;

/// A judge that changes its mind about how good an answer is each time that it is asked, and never about harm.
fn fickle() -> impl Fn(&Request) -> Behaviour + Send + Sync + 'static {
    let asked: Mutex<HashMap<String, u64>> = Mutex::default();
    move |request: &Request| {
        let wanted = wanted(request);
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(wanted.clone()).or_default();
        *times += 1;
        let answer = match wanted.split_once(' ').unwrap() {
            (_, "harmful") => json!(false),
            _ => json!((*times - 1) % 5 + 1),
        };
        request.conforming(&[("answer", answer)])
    }
}

fn of_run(lines: &[Json], run: u64) -> Vec<Json> {
    let mut own: Vec<Json> = lines.iter().filter(|line| line["run"] == run).cloned().collect();
    own.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("run")));
    own
}

#[test]
fn each_run_asks_for_itself_and_a_second_command_asks_nothing() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 6, "");
    assert_eq!(place.run("").code, 0);
    let (single, first) = (place.lines("out.jsonl"), server.count());
    let ran = place.run("--runs 3 --trace trace.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Run 1 of 3") && ran.out.contains("Run 3 of 3"), "{}", ran.out);
    // The first of several runs is the single one, which was paid for.
    assert_eq!((first, server.count()), (12, 36));
    let lines = place.lines("out.jsonl");
    assert_valid("result", &lines);
    assert_eq!(of_run(&lines, 1), single);
    for run in 2..=3 {
        let own = of_run(&lines, run);
        assert_eq!(own.len(), 6);
        assert!(own.iter().zip(&single).all(|(own, single)| own["readouts"] != single["readouts"]), "{own:?}");
    }
    for run in 1..=3 {
        assert_eq!(place.rubric(&format!("replay trace.{run}.jsonl")).code, 0);
    }
    let (results, trace) = (place.read("out.jsonl"), place.read("trace.2.jsonl"));
    let ran = place.run("--runs 3 --trace trace.jsonl");
    assert_eq!((ran.code, server.count()), (0, 36), "{}", ran.err);
    assert_eq!((place.read("out.jsonl"), place.read("trace.2.jsonl")), (results, trace));
    // Asking as little as possible asks nothing else.
    let eager: Vec<Json> = place.lines("out.jsonl").iter().map(|line| line["readouts"].clone()).collect();
    assert_eq!((place.run("--runs 3 --lazy").code, server.count()), (0, 36));
    assert!(place.lines("out.jsonl").iter().zip(&eager).all(|(line, eager)| line["readouts"] == *eager));
    // Another run asks for itself alone.
    assert_eq!(place.run("--runs 4").code, 0);
    assert_eq!(server.count(), 48);
}

#[test]
fn a_plan_multiplies_and_knows_what_is_stored() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 5, "");
    assert_eq!(place.run("").code, 0);
    let plan = place.rubric("plan answers.rubric --data data.jsonl --runs 3");
    assert_eq!(plan.code, 0, "{}", plan.err);
    assert!(plan.out.starts_with("3 runs over 5 records"), "{}", plan.out);
    let row = plan.out.lines().find(|line| line.contains("default")).unwrap();
    let cells: Vec<&str> = row.split(['│', '┆']).map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[1..4], ["30", "10", "20"], "{row}");
    assert_eq!(place.run("--runs 3").code, 0);
    let plan = place.rubric("plan answers.rubric --data data.jsonl --runs 3");
    assert!(plan.out.lines().any(|line| line.contains("default") && line.contains("30")), "{}", plan.out);
    assert_eq!(server.count(), 30);
}

#[test]
fn samples_of_one_run_are_not_those_of_another() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 2, "");
    let program = PROGRAM.replace(
        "\"How good is the answer?\"",
        "\"How good is the answer?\" {\n  judge llm(samples: 3, combine: median)\n}",
    );
    place.write("answers.rubric", program);
    assert_eq!(place.run("--runs 2").code, 0);
    // Per record and run three samples of one criterion, one of the other.
    assert_eq!(server.count(), 2 * 2 * 4);
    let ran = place.rubric("store export");
    let mut samples: Vec<u64> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter(|line| line["record"] == "r0" && line["criterion"] == "good")
        .map(|line| line["sample"].as_u64().unwrap())
        .collect();
    samples.sort_unstable();
    assert_eq!(samples, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn flips_and_deviations_over_the_runs_of_one_file() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 4, "");
    let ran = place.run("--runs 2 --trace trace.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.rubric("diff trace.1.jsonl trace.2.jsonl --format json");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let diff: Json = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&diff["criteria"]["good"]["flip_rate"], &diff["criteria"]["harmful"]["flip_rate"]),
        (&json!(1.0), &json!(0.0))
    );
    let ran = place.rubric("diff out.jsonl --format json");
    let diff: Json = serde_json::from_str(&ran.out).unwrap();
    assert_valid("drift", std::slice::from_ref(&diff));
    assert_eq!(diff["files"], json!(["out.jsonl, run 1", "out.jsonl, run 2"]));
    assert_eq!((&diff["in_all"], &diff["readouts"]["pointwise"]["flip_rate"]), (&json!(4), &json!(1.0)));
    assert_eq!(diff["readouts"]["pointwise"]["mean_difference"], json!(0.25));
    // Labels are the first run's scores, which are all 0.
    place.write("labels.csv", "id,label\nr0,0\nr1,0\nr2,0\nr3,0\n");
    let ran = place.rubric("eval out.jsonl --labels labels.csv --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report: Json = serde_json::from_str(&ran.out).unwrap();
    assert_valid("evaluation", std::slice::from_ref(&report));
    assert_eq!((&report["runs"][0]["run"], &report["runs"][1]["run"]), (&json!(1), &json!(2)));
    let over = report["over_runs"].as_array().unwrap().iter().find(|one| one["figure"] == "mae").unwrap();
    assert_eq!(over["value"], json!(0.125));
    let deviation = over["deviation"].as_f64().unwrap();
    assert!((deviation - 0.25 / 2_f64.sqrt()).abs() < 1e-12, "{over}");
}

#[test]
fn shards_of_several_runs_merge_into_what_one_command_writes() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 12, "");
    assert_eq!(place.run("--runs 2").code, 0);
    for n in 1..=2 {
        assert_eq!(
            place.rubric(&format!("run answers.rubric --data data.jsonl --runs 2 --shard {n}/2 -o {n}.jsonl")).code,
            0
        );
    }
    let ran = place.rubric("merge 2.jsonl 1.jsonl -o merged.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.read("merged.jsonl"), place.read("out.jsonl"));
    assert_eq!(server.count(), 48);
}

#[test]
fn a_ceiling_holds_for_all_runs_together() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 4, "");
    let ran = place.run("--runs 3 --max-calls 12");
    assert_eq!((ran.code, server.count()), (6, 12), "{}{}", ran.out, ran.err);
    // What is left goes on where it stopped.
    assert_eq!(place.run("--runs 3").code, 0);
    assert_eq!(server.count(), 24);
}

#[test]
fn recorded_judgments_may_belong_to_a_run() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 1, "");
    place.write(
        "judgments.jsonl",
        "{\"id\": \"r0\", \"criterion\": \"good\", \"value\": 5, \"run\": 1}\n\
         {\"id\": \"r0\", \"criterion\": \"good\", \"value\": 1, \"run\": 2}\n\
         {\"id\": \"r0\", \"criterion\": \"harmful\", \"value\": false}\n",
    );
    let ran = place.run("--judgments judgments.jsonl --recorded --runs 2");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let said: Vec<Json> = place.lines("out.jsonl").iter().map(|line| line["readouts"]["pointwise"].clone()).collect();
    assert_eq!(said, [json!(1), json!(0)]);
    let ran = place.rubric("diff judgments.jsonl --format json");
    let diff: Json = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&diff["criteria"]["good"]["changed"], &diff["criteria"]["harmful"]["changed"]), (&json!(1), &json!(0)));
    // What belongs to a run that is not made is not lost without a word.
    for (more, words) in [("", "belongs to run 1, and there is one run; say `--runs`"), ("--runs 1", "say `--runs 2`")]
    {
        let ran = place.run(&format!("--judgments judgments.jsonl --recorded {more}"));
        assert_eq!(ran.code, 4, "{}", ran.err);
        let reason = place.lines("out.jsonl")[0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains(words), "{reason}");
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn what_several_runs_cannot_have_is_told() {
    let server = Server::start(fickle());
    let place = Place::new(&server, 2, "");
    let ran = place.rubric("run answers.rubric --data - --runs 2");
    assert!(ran.code == 2 && ran.err.contains("standard input"), "{}", ran.err);
    let ran = place.run("--runs 2 --trace -");
    assert!(ran.code == 2 && ran.err.contains("trace"), "{}", ran.err);
    assert_eq!(place.run("--runs 0").code, 2);
    assert_eq!(place.run("").code, 0);
    let ran = place.rubric("diff out.jsonl");
    assert!(ran.code == 2 && ran.err.contains("name another file"), "{}", ran.err);
    let mixed = place.read("out.jsonl").replacen("{\"id\"", "{\"run\":1,\"id\"", 1);
    place.write("mixed.jsonl", mixed);
    place.write("labels.csv", "id,label\nr0,0\nr1,0\n");
    let ran = place.rubric("eval mixed.jsonl --labels labels.csv");
    assert!(ran.code == 2 && ran.err.contains("some lines name a run"), "{}", ran.err);
}

/// What a server says once another model stands behind the same name.
fn of_another_model(request: &Request) -> Behaviour {
    let text =
        request.filled(&[("answer", if wanted(request).ends_with("harmful") { json!(false) } else { json!(3) })]);
    Behaviour::json(&json!({
        "id": "c1", "object": "chat.completion", "model": "served-2",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text.to_string()}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }))
}

#[test]
fn another_model_behind_an_alias_is_told_by_the_run_and_between_runs() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let fickle = fickle();
    let server = Server::start(move |request: &Request| {
        if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 6 {
            fickle(request)
        } else {
            of_another_model(request)
        }
    });
    let place = Place::new(&server, 3, "");
    let ran = place.run("");
    assert!(ran.code == 0 && !ran.err.contains("more than one model"), "{}", ran.err);
    // The first run comes out of the store, where the first model's answers are.
    let ran = place.run("--runs 2 --trace trace.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("more than one model answered for `default`: served-1 (6 answers), served-2 (6 answers)"),
        "{}",
        ran.err
    );
    let ran = place.rubric("diff trace.1.jsonl trace.2.jsonl");
    assert!(ran.err.contains("other models answered for `default`: served-1 → served-2"), "{}", ran.err);
}
