//! Every kind of failure, in every dialect: a reason with its kind, never an answer.

use super::faults::{self, Behaviour, Dialect, Request, Server};
use super::*;
use rubric_lang::judge::wire::FailureKind;
use std::time::Duration;

/// All dialects.
const ALL: [&str; 6] = ["openai", "anthropic", "gemini", "ollama", "systemone", "decisions"];

/// What becomes of a question to a server that always behaves so, with one repetition; and how often it was asked.
fn outcome(
    dialect: &str,
    more: &str,
    script: impl Fn(&Request) -> Behaviour + Send + Sync + 'static,
) -> (Failure, usize) {
    let server = Server::start(script);
    let alias = alias(dialect, &server.url, &format!("retries = 1\n{more}"));
    let failure = ask(&client(), &alias, &question(dialect)).expect_err(dialect);
    assert!(
        !failure.detail.contains(KEY) && !failure.detail.contains("0123456789abcdef"),
        "{dialect}: {}",
        failure.detail
    );
    assert!(failure.detail.chars().count() < 500 && !failure.detail.contains('\n'), "{}", failure.detail);
    (failure, server.count())
}

fn kind(dialect: &str, script: impl Fn(&Request) -> Behaviour + Send + Sync + 'static) -> (FailureKind, usize) {
    let (failure, count) = outcome(dialect, "", script);
    (failure.kind, count)
}

#[test]
fn a_refusal_a_filter_and_a_limit_of_tokens_are_told_apart_and_cost_what_they_cost() {
    for dialect in ["openai", "anthropic"] {
        assert_eq!(kind(dialect, faults::refusal), (FailureKind::Refused, 1), "{dialect}");
    }
    for dialect in ["openai", "gemini", "anthropic"] {
        assert_eq!(kind(dialect, faults::filtered), (FailureKind::Filtered, 1), "{dialect}");
    }
    for dialect in CHATS {
        // Whole JSON, by chance: it was cut off all the same.
        let (failure, count) = outcome(dialect, "", |r| faults::truncated(r, "{\"answer\": true}"));
        assert_eq!((failure.kind, count), (FailureKind::Truncated, 1), "{dialect}");
        assert_eq!((failure.usage.input, failure.usage.output), (100, 10), "{dialect}");
    }
}

#[test]
fn what_is_not_the_dialect_is_malformed() {
    for dialect in ALL {
        assert_eq!(kind(dialect, |_| faults::malformed()), (FailureKind::Malformed, 1), "{dialect}");
        assert_eq!(kind(dialect, |_| faults::no_json()), (FailureKind::Malformed, 1), "{dialect}");
        assert_eq!(kind(dialect, |_| Behaviour::json(&json!([]))), (FailureKind::Malformed, 1), "{dialect}");
        assert_eq!(kind(dialect, |_| Behaviour::json(&json!(null))), (FailureKind::Malformed, 1), "{dialect}");
        let empty = |_: &Request| Behaviour::Reply { status: 200, headers: Vec::new(), body: Vec::new() };
        assert_eq!(kind(dialect, empty), (FailureKind::Malformed, 1), "{dialect}");
    }
    for dialect in CHATS {
        assert_eq!(kind(dialect, |r| r.answer("  \n")), (FailureKind::Malformed, 1), "{dialect}");
    }
    let two = |r: &Request| {
        let mut reply = faults::text_reply(r.dialect(), "{}");
        let first = reply["choices"][0].clone();
        reply["choices"].as_array_mut().unwrap().push(first);
        Behaviour::json(&reply)
    };
    assert_eq!(kind("openai", two), (FailureKind::Malformed, 1));
    let unknown_end = |r: &Request| {
        let mut reply = faults::text_reply(r.dialect(), "{}");
        reply["choices"][0]["finish_reason"] = json!(null);
        Behaviour::json(&reply)
    };
    assert_eq!(kind("openai", unknown_end), (FailureKind::Malformed, 1));
}

#[test]
fn a_key_that_is_wrong_is_said_without_the_key() {
    for dialect in ALL {
        let (failure, count) = outcome(dialect, "", faults::wrong_key);
        assert_eq!((failure.kind, count), (FailureKind::Unauthorised, 1), "{dialect}");
        assert!(failure.detail.contains("[key]"), "{dialect}: {}", failure.detail);
    }
}

#[test]
fn a_key_that_is_missing_is_named_and_nothing_is_sent() {
    let server = Server::start(|r| r.conforming(&[]));
    let alias = alias("openai", &server.url, "");
    let client = Client::with_variables(|_| None);
    let failure = ask(&client, &alias, &question("openai")).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unauthorised);
    assert!(failure.detail.contains("TEST_KEY"), "{}", failure.detail);
    assert_eq!(client.ready(&alias).unwrap_err(), failure);
    assert_eq!(server.count(), 0);
}

#[test]
fn no_credit_is_not_asked_for_twice() {
    for dialect in ALL {
        assert_eq!(kind(dialect, faults::no_credit), (FailureKind::NoCredit, 1), "{dialect}");
    }
    assert_eq!(kind("openai", |_| faults::error_in_200(402)), (FailureKind::NoCredit, 1));
}

#[test]
fn what_may_pass_is_asked_again_and_then_an_outage() {
    for dialect in ALL {
        for fault in [faults::failing, faults::overloaded, || faults::error_in_200(502), || faults::rate_limited(&[])] {
            assert_eq!(kind(dialect, move |_| fault()), (FailureKind::Outage, 2), "{dialect}: {:?}", fault());
        }
    }
    assert_eq!(kind("openai", |_| Behaviour::Reset), (FailureKind::Outage, 2));
    assert_eq!(kind("anthropic", |r| faults::cut_off(r, "{}")), (FailureKind::Outage, 2));
    assert_eq!(kind("gemini", |_| Behaviour::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())), (FailureKind::Outage, 2));
}

#[test]
fn what_will_not_pass_is_not_asked_again() {
    for dialect in ALL {
        assert_eq!(kind(dialect, |_| faults::failing_over_field()), (FailureKind::Rejected, 1), "{dialect}");
    }
    let (failure, _) = outcome("systemone", "", |_| {
        Behaviour::status(422, &json!({"detail": [{"loc": ["body", "questions"], "msg": "too many", "type": "x"}]}))
    });
    assert!(failure.detail.contains("body.questions: too many"), "{}", failure.detail);
    let moved = |_: &Request| Behaviour::status(308, &json!({})).with(&[("location", "https://elsewhere.example/v1")]);
    let (failure, count) = outcome("openai", "", moved);
    assert_eq!((failure.kind, count), (FailureKind::Rejected, 1));
    assert!(failure.detail.contains("elsewhere.example"), "{}", failure.detail);
}

#[test]
fn time_and_size_are_limited() {
    for script in [|_: &Request| Behaviour::Never, |r: &Request| faults::drip(r, "{}", Duration::from_millis(20))] {
        let (failure, count) = outcome("openai", "timeout = \"150ms\"", script);
        assert_eq!((failure.kind, count), (FailureKind::Outage, 2));
        assert!(failure.detail.contains("within 0.15 seconds"), "{}", failure.detail);
    }
    let (failure, count) = outcome("openai", "max_reply = \"10 KB\"", |r| r.answer(&"x".repeat(20_000)));
    assert_eq!((failure.kind, count), (FailureKind::Malformed, 1));
    assert!(failure.detail.contains("10000 bytes"), "{}", failure.detail);
    let error = |_: &Request| Behaviour::Reply { status: 418, headers: Vec::new(), body: vec![b'x'; 300_000] };
    assert_eq!(kind("openai", error), (FailureKind::Rejected, 1));
}

#[test]
fn a_server_that_is_not_there_is_an_outage() {
    let gone = Server::start(|_| Behaviour::Never).url.clone();
    let alias = alias("openai", &gone, "retries = 0");
    let failure = ask(&client(), &alias, &question("openai")).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Outage);
    assert!(failure.detail.contains("cannot be reached"), "{}", failure.detail);
}

#[test]
fn a_wait_that_is_too_long_is_not_waited_for() {
    let (failure, count) = outcome("openai", "max_wait = \"2s\"", |_| faults::rate_limited(&[("retry-after", "3600")]));
    assert_eq!((failure.kind, count), (FailureKind::Outage, 1));
    assert!(failure.detail.contains("3600 seconds") && failure.detail.contains("max_wait"), "{}", failure.detail);
}

/// A reply to a decision request, changed.
fn changed(request: &Request, change: impl Fn(&mut serde_json::Value)) -> Behaviour {
    let Behaviour::Reply { body, .. } = request.decisions() else { panic!("no reply") };
    let mut json = serde_json::from_slice(&body).unwrap();
    change(&mut json);
    Behaviour::json(&json)
}

#[test]
fn what_a_server_says_about_how_it_decided_is_kept() {
    for dialect in ["systemone", "decisions"] {
        let server = Server::start(|request| {
            changed(request, |json| {
                json["diagnostics"] = json!({
                    "q0": {"label_mass": 0.97, "argmax_is_label": true, "text": "sk-is-no-number", "list": [1]},
                    "q2": {"text": "nothing that is kept"},
                    "q9": {"label_mass": 0.1},
                    "q1": 3,
                });
            })
        });
        let reply = ask(&client(), &alias(dialect, &server.url, ""), &question(dialect)).unwrap();
        let kept: Vec<(&str, serde_json::Value)> =
            reply.diagnostics.iter().map(|(id, said)| (id.as_str(), json!(said))).collect();
        assert_eq!(kept, [("q0", json!({"label_mass": 0.97, "argmax_is_label": true}))], "{dialect}");
    }
}

#[test]
fn decisions_that_answer_something_else_are_malformed() {
    type Change = fn(&mut serde_json::Value);
    let systemone: [(&str, Change); 15] = [
        ("left out", |j| drop(j["answers"].as_object_mut().unwrap().remove("q1"))),
        ("another's answer", |j| {
            let answer = j["answers"].as_object_mut().unwrap().remove("q1").unwrap();
            j["answers"]["q9"] = answer;
        }),
        ("one more", |j| j["answers"]["q9"] = json!({"type": "noul", "noul": 0.5})),
        ("answers swapped", |j| {
            let (a, b) = (j["answers"]["q0"].clone(), j["answers"]["q2"].clone());
            j["answers"]["q0"] = b;
            j["answers"]["q2"] = a;
        }),
        ("no number", |j| j["answers"]["q0"]["noul"] = json!("0.9")),
        ("above 1", |j| j["answers"]["q0"]["noul"] = json!(1.2)),
        ("negative", |j| j["answers"]["q1"]["probabilities"]["warm"] = json!(-0.1)),
        ("null", |j| j["answers"]["q0"]["noul"] = json!(null)),
        ("another label", |j| {
            let p = j["answers"]["q1"]["probabilities"].as_object_mut().unwrap();
            let warm = p.remove("warm").unwrap();
            p.insert("Warm".to_owned(), warm);
        }),
        ("a label too many", |j| j["answers"]["q1"]["probabilities"]["x"] = json!(0.0)),
        ("not the most probable", |j| j["answers"]["q1"]["choice"] = json!("cold")),
        ("no option", |j| j["answers"]["q1"]["choice"] = json!("lukewarm")),
        ("not whole", |j| j["answers"]["q2"]["probabilities"]["2"] = json!(0.5)),
        ("not the expectation", |j| j["answers"]["q2"]["score"] = json!(0.4)),
        ("another legend", |j| j["answers"]["q2"]["legend"]["0"] = json!("3: Clear")),
    ];
    for (what, change) in systemone {
        assert_eq!(kind("systemone", move |r| changed(r, change)), (FailureKind::Malformed, 1), "{what}");
    }
    let decisions: [(&str, Change); 7] = [
        ("left out", |j| drop(j["answers"].as_array_mut().unwrap().pop())),
        ("another's answer", |j| j["answers"][0]["name"] = json!("q9")),
        ("twice", |j| {
            let first = j["answers"][0].clone();
            j["answers"].as_array_mut().unwrap().push(first);
        }),
        ("names swapped", |j| {
            j["answers"][0]["name"] = json!("q1");
            j["answers"][1]["name"] = json!("q0");
        }),
        ("above 1", |j| j["answers"][0]["probability"] = json!(7)),
        ("a level twice", |j| j["answers"][2]["probabilities"][0]["value"] = json!(1)),
        ("without name", |j| j["answers"][0]["name"] = json!(null)),
    ];
    for (what, change) in decisions {
        assert_eq!(kind("decisions", move |r| changed(r, change)), (FailureKind::Malformed, 1), "{what}");
    }
}

#[test]
fn answers_of_types_to_come_are_skipped() {
    let server = Server::start(|r| {
        changed(r, |j| j["answers"].as_array_mut().unwrap().push(json!({"type": "ranking", "name": "later"})))
    });
    let alias = alias("decisions", &server.url, "");
    assert!(ask(&client(), &alias, &question("decisions")).is_ok());
    assert_eq!(server.requests()[0].dialect(), Dialect::Decisions);
}
