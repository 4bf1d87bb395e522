//! Every fault of a server ends as a reason why a judgment is missing. It is never a value, and it is never stored.

use super::*;
use std::time::Duration;

type Fault = fn(&Request) -> Behaviour;

#[test]
fn every_fault_has_its_reason_and_the_next_run_asks_again() {
    let faults: [(&str, &str, Fault); 18] = [
        ("refusal", "refused", |r| faults::refusal(r)),
        ("filter", "filtered", |r| faults::filtered(r)),
        ("cut off at its limit", "truncated", |r| {
            faults::truncated(r, &r.filled(&[("answer", json!(true))]).to_string())
        }),
        ("malformed", "unparseable", |_| faults::malformed()),
        ("no JSON", "unparseable", |_| faults::no_json()),
        ("prose", "unparseable", |r| r.answer("I would give it a 5, because it is harmful: true.")),
        ("wrong type", "unparseable", |r| r.conforming(&[("answer", json!("very"))])),
        ("out of scale", "unparseable", |r| r.conforming(&[("answer", json!(6))])),
        ("another nonce", "unparseable", |r| {
            let mut answer = r.filled(&[("answer", json!(true))]);
            answer["nonce"] = json!("0123456789abcdef");
            r.answer(&answer.to_string())
        }),
        ("no nonce", "unparseable", |r| r.answer(r#"{"reason": "fine", "answer": true}"#)),
        ("no credit", "no_credit", |r| faults::no_credit(r)),
        ("wrong key", "rejected", |r| faults::wrong_key(r)),
        ("rate limited", "outage", |_| faults::rate_limited(&[("retry-after-ms", "5")])),
        ("failing", "outage", |_| faults::failing()),
        ("overloaded", "outage", |_| faults::overloaded()),
        ("error in 200", "outage", |_| faults::error_in_200(502)),
        ("reset", "outage", |_| Behaviour::Reset),
        ("cut off", "outage", |r| faults::cut_off(r, "{}")),
    ];
    for (name, reason, fault) in faults {
        let server = Server::start(
            move |request| if wanted(request) == "r1 harmful" { fault(request) } else { judged(request) },
        );
        let place = Place::new(&server, 3, "");
        let ran = place.run("--trace trace.jsonl");
        assert_eq!(ran.code, 5, "{name}: {}{}", ran.out, ran.err);
        let lines = place.lines("out.jsonl");
        assert_valid("result", &lines);
        assert_eq!(lines[1]["status"], "judge_failed", "{name}: {}", lines[1]);
        let missing = lines[1]["missing"].as_array().unwrap();
        let harmful = missing.iter().find(|one| one["criterion"] == "harmful");
        assert_eq!(harmful.unwrap()["reason"], reason, "{name}: {}", lines[1]);
        // Others may fail with it where the fault is the account's; none is decided by it.
        assert!(!place.stored().contains("r1 harmful"), "{name}");
        assert_valid("trace", &place.lines("trace.jsonl"));
        assert_eq!(place.rubric("replay trace.jsonl").code, 0, "{name}");
        let toml = place.read("rubric.toml");
        let healthy = Server::start(judged);
        place.write("rubric.toml", toml.replace(&server.url, &healthy.url));
        // Another address is another judge: everything is asked of it.
        assert_eq!(place.run("").code, 0, "{name}");
        assert_eq!(healthy.count(), 6, "{name}");
        assert!(place.lines("out.jsonl").iter().all(|line| line["status"] == "decided"));
    }
}

#[test]
fn a_reply_out_of_form_is_asked_again_and_kept_under_the_first_question() {
    let server = Server::start(|request| match request.number {
        0 => request.answer("{\"answer\": 9}"),
        1 => request.answer("Sorry! It is a 4."),
        _ => judged(request),
    });
    let place = Place::new(&server, 1, "");
    let ran = place.run("");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(server.count(), 4);
    assert!(ran.out.contains("4 calls") && ran.out.contains("2 put again"), "{}", ran.out);
    let first = place.read("out.jsonl");
    assert_eq!(place.run("").code, 0);
    assert_eq!(server.count(), 4);
    assert_eq!(place.read("out.jsonl"), first);
}

#[test]
fn replies_that_are_swapped_between_requests_answer_neither() {
    // Each request gets what was meant for the one before it.
    let last = std::sync::Mutex::new(None::<Behaviour>);
    let server = Server::start(move |request| {
        let mine = judged(request);
        last.lock().unwrap().replace(mine).unwrap_or(Behaviour::Reset)
    });
    let place = Place::new(&server, 8, "");
    let ran = place.run("");
    assert_eq!(ran.code, 5, "{}{}", ran.out, ran.err);
    assert_eq!(place.stored(), BTreeSet::new());
    for line in place.lines("out.jsonl") {
        assert_eq!(line["missing"].as_array().unwrap().len(), 2, "{line}");
    }
}

#[test]
fn a_server_that_will_not_serve_is_not_asked_for_ever() {
    for fault in [faults::no_credit as Fault, faults::wrong_key as Fault] {
        let server = Server::start(fault);
        let place = Place::new(&server, 200, "concurrency = 4");
        assert_eq!(place.run("").code, 5);
        assert!(server.count() <= 16, "{}", server.count());
        assert_eq!(place.lines("out.jsonl").len(), 200);
    }
}

#[test]
fn a_server_that_never_answers_ends_in_time() {
    let server = Server::start(|request| if wanted(request) == "r0 good" { Behaviour::Never } else { judged(request) });
    let place = Place::with_timeout(&server, 2, "300ms");
    let began = std::time::Instant::now();
    let ran = place.run("");
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(began.elapsed() < Duration::from_secs(15));
    assert_eq!(place.lines("out.jsonl")[0]["missing"][0]["reason"], "outage");
}

#[test]
fn keys_are_nowhere() {
    let server = Server::start(|request| {
        let header = request.headers.get("authorization").cloned().unwrap_or_default();
        assert!(header.contains(KEY));
        if wanted(request).starts_with("r1") {
            Behaviour::status(400, &json!({"error": {"message": format!("bad key {header}")}}))
        } else {
            judged(request)
        }
    });
    let place = Place::new(&server, 3, "");
    assert_eq!(place.run("--trace trace.jsonl").code, 5);
    let mut files = 0;
    for entry in [place.path(""), place.path(".rubric")].iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let path = entry.unwrap().path();
        if path.is_file() {
            files += 1;
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()), "{}", path.display());
        }
    }
    assert!(files >= 6);
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is() {
    let server = Server::start(judged);
    let place = Place::new(&server, 3, "");
    place.write(
        "answers.rubric",
        PROGRAM.replace("\"How good is the answer?\"", "{\n  ask \"How good?\"\n  judge llm(model: clever)\n}"),
    );
    let ran = place.run("");
    assert!(ran.code == 2 && ran.err.contains("clever"), "{}", ran.err);
    assert_eq!(server.count(), 0);
    let ran = place.command("run answers.rubric --data data.jsonl").env_remove("TEST_KEY").output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    place.write("answers.rubric", PROGRAM);
    let ran =
        super::ran(place.command("run answers.rubric --data data.jsonl").env_remove("TEST_KEY").output().unwrap());
    assert!(ran.code == 2 && ran.err.contains("TEST_KEY"), "{}", ran.err);
    assert_eq!(server.count(), 0);
}

#[test]
fn recorded_asks_nobody() {
    let server = Server::start(judged);
    let place = Place::new(&server, 3, "");
    let ran = place.run("--recorded");
    assert_eq!((ran.code, server.count()), (3, 0), "{}", ran.err);
    assert!(!place.path(".rubric").exists());
    // What is recorded is not asked.
    let record = json!({"id": "r0", "question": "Why?", "answer": "It is number 0.", "judgments": {"good": 4, "harmful": false}});
    place.write("data.jsonl", record.to_string());
    assert_eq!((place.run("").code, server.count()), (0, 0));
    // Nor is what is recorded as missing: somebody has said why.
    place.write("data.jsonl", record.to_string().replace("\"good\":4", "\"good\":{\"missing\":\"refused\"}"));
    assert_eq!((place.run("").code, server.count()), (5, 0));
    assert!(!place.path(".rubric").exists());
}

#[test]
fn without_configuration_nobody_is_asked_and_it_is_said() {
    let server = Server::start(judged);
    let place = Place::new(&server, 2, "");
    std::fs::remove_file(place.path("rubric.toml")).unwrap();
    let run = |more: &str| {
        let mut command = place.command(&format!("run answers.rubric --data data.jsonl {more}"));
        command.env_clear().env("OLLAMA_HOST", "127.0.0.1:9");
        super::ran(command.output().unwrap())
    };
    let ran = run("");
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("4 judgments are not recorded, and nobody was asked"), "{}", ran.err);
    let ran = run("--max-calls 5");
    assert!(ran.code == 2 && ran.err.contains("rubric.toml"), "{}", ran.err);
}
