//! What goes out and what comes back when all is well: keys, waits, limits, and the parts of a reply.

use super::faults::{self, Behaviour, Server};
use super::*;
use rubric_lang::judge::wire::{Decision, Usage};
use rubric_lang::number::Number;
use std::time::{Duration, Instant};

#[test]
fn a_reply_is_read_in_every_dialect() {
    for dialect in CHATS {
        let server = Server::start(|r| r.conforming(&[("answer", json!(false))]));
        let alias = alias(dialect, &server.url, "");
        let reply = ask(&client(), &alias, &question(dialect)).unwrap();
        assert_eq!(text(&reply), r#"{"nonce":"n-7","answer":false}"#, "{dialect}");
        assert_eq!(reply.model, "served-1");
        let cached = if dialect == "ollama" { 0 } else { 60 };
        let cache_written = if dialect == "anthropic" { 10 } else { 0 };
        assert_eq!(reply.usage, Usage { input: 100, cached, cache_written, output: 10 }, "{dialect}");
        let request = &server.requests()[0];
        let (header, value) = match dialect {
            "anthropic" => ("x-api-key", KEY.to_owned()),
            "gemini" => ("x-goog-api-key", KEY.to_owned()),
            _ => ("authorization", format!("Bearer {KEY}")),
        };
        assert_eq!(request.headers.get(header), Some(&value), "{dialect}");
        assert!(!request.path.contains(KEY), "{}", request.path);
    }
}

#[test]
fn decisions_are_read_with_their_distributions() {
    for dialect in ["systemone", "decisions"] {
        let server = Server::start(faults::Request::decisions);
        let alias = alias(dialect, &server.url, "");
        let reply = ask(&client(), &alias, &question(dialect)).unwrap();
        let Answer::Decisions(decisions) = &reply.answer else { panic!("{reply:?}") };
        let number = |t: &str| Number::from_decimal(t).unwrap();
        assert_eq!(decisions["q0"], Decision::Predicate(number("0.9")));
        let Decision::Choice { choice, probabilities } = &decisions["q1"] else { panic!("{decisions:?}") };
        assert_eq!((choice.as_str(), probabilities[0].clone()), ("warm", ("warm".to_owned(), number("0.9"))));
        let Decision::Score { probabilities } = &decisions["q2"] else { panic!("{decisions:?}") };
        assert_eq!((probabilities.len(), &probabilities[2]), (3, &number("0.9")));
        assert_eq!((reply.model.as_str(), reply.usage.input), ("decider-1.0", 100));
    }
}

#[test]
fn a_refused_question_is_one_and_the_others_stand() {
    for dialect in ["systemone", "decisions"] {
        let server = Server::start(faults::refusal);
        let alias = alias(dialect, &server.url, "");
        let reply = ask(&client(), &alias, &question(dialect)).unwrap();
        let Answer::Decisions(decisions) = &reply.answer else { panic!("{reply:?}") };
        assert!(decisions.len() == 3 && decisions.values().all(|d| *d == Decision::Refused), "{decisions:?}");
    }
}

#[test]
fn log_probabilities_are_read_and_the_drawn_token_is_among_them() {
    let server = Server::start(|r| {
        let mut reply = faults::text_reply(r.dialect(), "4");
        reply["choices"][0]["logprobs"] = json!({"content": [{"token": "4", "logprob": -0.1,
            "top_logprobs": [{"token": "5", "logprob": -2.5}, {"token": "3", "logprob": -4}]}]});
        Behaviour::json(&reply)
    });
    let reply = ask(&client(), &alias("openai", &server.url, ""), &question("openai")).unwrap();
    let Answer::Text { logprobs, .. } = &reply.answer else { panic!("{reply:?}") };
    assert_eq!(logprobs[0].top, [("5".to_owned(), -2.5), ("3".to_owned(), -4.0), ("4".to_owned(), -0.1)]);
}

#[test]
fn what_the_model_thought_is_no_part_of_its_answer() {
    let server = Server::start(|r| {
        let mut reply = faults::text_reply(r.dialect(), "yes");
        if r.number == 0 {
            reply["content"].as_array_mut().unwrap().insert(0, json!({"type": "thinking", "thinking": "no"}));
        } else {
            let parts = reply["candidates"][0]["content"]["parts"].as_array_mut().unwrap();
            parts.insert(0, json!({"text": "no", "thought": true}));
        }
        Behaviour::json(&reply)
    });
    for dialect in ["anthropic", "gemini"] {
        let reply = ask(&client(), &alias(dialect, &server.url, ""), &question(dialect)).unwrap();
        assert_eq!(text(&reply), "yes", "{dialect}");
    }
}

#[test]
fn a_server_that_does_not_count_is_not_free() {
    let server = Server::start(|r| {
        let mut reply = faults::text_reply(r.dialect(), &"word ".repeat(80));
        reply.as_object_mut().unwrap().remove("usage");
        Behaviour::json(&reply)
    });
    let reply = ask(&client(), &alias("openai", &server.url, ""), &question("openai")).unwrap();
    assert!(reply.usage.input > 10 && reply.usage.output == 100, "{:?}", reply.usage);
}

#[test]
fn every_style_of_waiting_is_waited_for_and_no_longer() {
    type Headers = fn(jiff::Timestamp) -> Vec<(&'static str, String)>;
    let styles: [Headers; 5] = [
        |_| vec![("retry-after-ms", "120".to_owned())],
        |_| vec![("retry-after", "0.12".to_owned())],
        |_| {
            vec![("x-ratelimit-remaining-requests", "0".to_owned()), ("x-ratelimit-reset-requests", "120ms".to_owned())]
        },
        |soon| {
            vec![
                ("anthropic-ratelimit-tokens-remaining", "0".to_owned()),
                ("anthropic-ratelimit-tokens-reset", soon.to_string()),
            ]
        },
        |soon| {
            vec![("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", soon.as_millisecond().to_string())]
        },
    ];
    for style in styles {
        let server = Server::start(move |r| {
            let list = style(jiff::Timestamp::now() + Duration::from_millis(120));
            let list: Vec<(&str, &str)> = list.iter().map(|(k, v)| (*k, v.as_str())).collect();
            if r.number == 0 { faults::rate_limited(&list) } else { r.answer("yes") }
        });
        let start = Instant::now();
        ask(&client(), &alias("openai", &server.url, ""), &question("openai")).unwrap();
        let took = start.elapsed();
        assert!(
            took >= Duration::from_millis(100) && took < Duration::from_secs(4),
            "{took:?}: {:?}",
            style(jiff::Timestamp::now())
        );
        assert_eq!(server.count(), 2);
    }
}

#[test]
fn a_limit_that_is_used_up_holds_the_next_request() {
    let server = Server::start(|r| {
        let spent = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "300ms")];
        if r.number == 0 { r.answer("yes").with(&spent) } else { r.answer("yes") }
    });
    let (client, alias) = (client(), alias("openai", &server.url, ""));
    ask(&client, &alias, &question("openai")).unwrap();
    let start = Instant::now();
    ask(&client, &alias, &question("openai")).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(250), "{:?}", start.elapsed());
}

#[test]
fn many_at_once_stay_below_the_cap_and_fewer_go_out_once_the_server_is_too_busy() {
    let server = Server::start(|r| {
        let answer = if r.number == 40 { faults::rate_limited(&[("retry-after-ms", "1")]) } else { r.answer("yes") };
        answer.after(Duration::from_millis(5))
    });
    let (client, alias) = (Arc::new(client()), alias("openai", &server.url, "concurrency = 30"));
    let rendered = Arc::new(render(&alias, &question("openai")).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..200 {
            let (client, alias, rendered) = (Arc::clone(&client), Arc::clone(&alias), Arc::clone(&rendered));
            tasks.push(tokio::spawn(async move { client.send(&alias, &rendered).await }));
        }
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    });
    assert_eq!(server.count(), 201);
    assert!(server.most_at_once() <= 30, "{}", server.most_at_once());
    assert!(client.load(&alias).window < 30, "{:?}", client.load(&alias));
}

#[test]
fn a_key_that_a_server_writes_into_its_answer_is_struck_out() {
    let server = Server::start(|r| r.answer(&format!("My key is {KEY}.")));
    let reply = ask(&client(), &alias("openai", &server.url, ""), &question("openai")).unwrap();
    assert_eq!(text(&reply), "My key is [key].");
}

#[test]
fn who_stops_waiting_gives_its_place_back() {
    let server = Server::start(|r| if r.number == 0 { Behaviour::Never } else { r.answer("yes") });
    let (client, alias) = (client(), alias("openai", &server.url, "concurrency = 1"));
    let rendered = render(&alias, &question("openai")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let first = tokio::time::timeout(Duration::from_millis(100), client.send(&alias, &rendered));
        assert!(first.await.is_err());
        let second = tokio::time::timeout(Duration::from_secs(5), client.send(&alias, &rendered));
        assert!(second.await.unwrap().is_ok());
    });
}
