//! What is taken as an answer.

use super::*;

#[test]
fn one_criterion_from_question_to_value() {
    let mut table = table(&criterion("criterion good: int[1..5] \"How good?\"", "good"), RECORD);
    let heard = table.run(|_, _| json!({"reason": "clear", "answer": 4}));
    assert_eq!(heard, [Heard::Conforms]);
    assert_eq!(table.value(0, "good"), "4");
    assert_eq!(table.leaf(0, "good").recorded, [json!({"value": 4, "reason": "clear", "by": "default"})]);
}

#[test]
fn what_does_not_conform_is_asked_again_and_then_missing() {
    let program = criterion("criterion good: int[1..5] \"How good?\"", "good");
    let mut asked = Vec::new();
    let mut ask = |answers: &[serde_json::Value]| {
        let mut table = table(&program, RECORD);
        let mut n = 0;
        asked.clear();
        let heard = table.run(|call, chat| {
            asked.push((call.attempt, chat.again.clone()));
            n += 1;
            json!({"reason": "", "answer": answers[n - 1]})
        });
        (heard.len(), table.value(0, "good"))
    };
    assert_eq!(ask(&[json!(7), json!("4"), json!(4)]), (3, "4".to_owned()));
    let (calls, value) = ask(&[json!(7), json!(8), json!(9)]);
    assert!(calls == 3 && value.starts_with("missing unparseable") && value.contains("from 1 to 5"), "{value}");
    let (attempt, again) = asked.last().unwrap();
    assert_eq!((*attempt, again.len()), (2, 2));
    // The conversation has one nonce, the one of this request.
    assert!(again[0].0.contains("nonce3") && again[1].1.contains("nonce3") && !again[0].0.contains("nonce1"));
    assert!(again[0].1.contains("`7` is not a value of int[1..5]"));
}

#[test]
fn samples_and_panels_are_pooled_whatever_order_they_come_in() {
    let program = criterion(
        "criterion good: int[1..5] { ask \"How good?\" judge llm(panel: [default, strong], samples: 2, combine: median) }",
        "good",
    );
    let answers = [5, 1, 4, 4];
    let of = |order: [usize; 4]| {
        let mut table = table(&program, RECORD);
        let calls = table.askings[0].calls();
        let samples: Vec<_> = calls.iter().map(|(_, call)| (call.alias().unwrap().name.clone(), call.sample)).collect();
        let expected = [("default", 0), ("default", 1), ("strong", 0), ("strong", 1)];
        assert_eq!(samples, expected.map(|(name, sample)| (name.to_owned(), sample)));
        for n in order {
            assert!(table.askings[0].done().is_none());
            let text = json!({"nonce": "x", "reason": "", "answer": answers[n]}).to_string();
            assert_eq!(table.askings[0].answered(calls[n].0, "x", Ok(&said("m", &text))), Heard::Conforms);
        }
        table.settle();
        (table.value(0, "good"), table.leaf(0, "good").recorded.clone())
    };
    let first = of([0, 1, 2, 3]);
    assert_eq!(first.0, "4");
    assert_eq!(first.1[0]["samples"].as_array().unwrap().len(), 4);
    assert_eq!(of([3, 1, 0, 2]), first);
}

#[test]
fn a_sample_that_fails_makes_the_judgment_missing_and_says_why() {
    let program = criterion("criterion good: bool { ask \"Good?\" judge llm(samples: 3) }", "good");
    for (kind, word) in [
        (FailureKind::Refused, "refused"),
        (FailureKind::Filtered, "filtered"),
        (FailureKind::Truncated, "truncated"),
        (FailureKind::NoCredit, "no_credit"),
        (FailureKind::Unauthorised, "rejected"),
        (FailureKind::Rejected, "rejected"),
        (FailureKind::Outage, "outage"),
        (FailureKind::Budget, "budget"),
        (FailureKind::Cancelled, "other"),
    ] {
        let mut table = table(&program, RECORD);
        for (n, (id, _)) in table.askings[0].calls().into_iter().enumerate() {
            let failure = Failure { kind, detail: "as told".to_owned(), usage: Usage::default() };
            let text = r#"{"nonce": "x", "reason": "", "answer": true}"#;
            let reply = said("m", text);
            table.askings[0].answered(id, "x", if n == 1 { Err(&failure) } else { Ok(&reply) });
        }
        table.settle();
        let value = table.value(0, "good");
        assert!(value.starts_with(&format!("missing {word}: ")), "{value}");
    }
}

#[test]
fn a_malformed_reply_of_a_server_is_asked_again() {
    let mut table = table(&criterion("criterion good: bool \"Good?\"", "good"), RECORD);
    let failure = Failure { kind: FailureKind::Malformed, detail: "no choices".to_owned(), usage: Usage::default() };
    for n in 0..=AGAIN {
        let (id, call) = table.askings[0].calls().remove(0);
        assert!(chat_of(&call, "x").again.is_empty());
        let heard = table.askings[0].answered(id, "x", Err(&failure));
        assert_eq!(matches!(heard, Heard::Again(_)), n < AGAIN, "{heard:?}");
        // What comes late, or twice, is not taken.
        let late = said("m", r#"{"nonce": "x", "reason": "", "answer": true}"#);
        assert!(matches!(table.askings[0].answered(id, "x", Ok(&late)), Heard::Failed(_)));
    }
    table.settle();
    assert!(table.value(0, "good").starts_with("missing unparseable: no choices"));
}

#[test]
fn both_orders_are_read_and_a_difference_is_unknown() {
    let program = criterion("criterion good: bool? { ask \"Is it the better one?\" judge llm(view: swapped) }", "good");
    let mut table = table(&program, PAIR);
    let mut shown = Vec::new();
    // A judge that always prefers what stands first.
    table.run(|_, chat| {
        let text = text_of(chat);
        shown.push(text.find("aaa") < text.find("bbb"));
        json!({"answers": {"A": {"reason": "first", "answer": "true"}, "B": {"reason": "", "answer": "false"}}})
    });
    assert_eq!(shown, [true, false]);
    assert_eq!((table.value(0, "good"), table.value(1, "good")), ("unknown".to_owned(), "unknown".to_owned()));
    let mut table = self::table(&program, PAIR);
    // A judge that looks.
    table.run(|_, chat| {
        let first = text_of(chat).find("aaa") < text_of(chat).find("bbb");
        let of = |a: bool| json!({"reason": "", "answer": if a == first { "true" } else { "false" }});
        json!({"answers": {"A": of(true), "B": of(false)}})
    });
    assert_eq!((table.value(0, "good"), table.value(1, "good")), ("true".to_owned(), "false".to_owned()));
}

#[test]
fn a_joint_call_shows_all_and_answers_only_for_what_is_missing() {
    let program = criterion("criterion good: int[1..5] { ask \"How good?\" judge llm(view: joint) }", "good");
    let record = PAIR.replace(r#""answer": "aaa""#, r#""answer": "aaa", "judgments": {"good": 1}"#);
    let mut table = table(&program, &record);
    let heard = table.run(|call, chat| {
        assert_eq!(call.candidate, None);
        assert!(text_of(chat).contains("Candidate B, to be judged"));
        json!({"answers": {"A": {"reason": "", "answer": 2}, "B": {"reason": "", "answer": 3}}})
    });
    assert_eq!(heard.len(), 1);
    assert_eq!((table.value(0, "good"), table.value(1, "good")), ("1".to_owned(), "3".to_owned()));
}

pub(super) const LIST: &str = r#"
criterion ok: bool "Fine?" { judge rule(true) }
checklist care {
  judge llm(batch: 2)
  +1 one "Is one"
  +1 two "Is two"
  -1 "Is three"
}
readout pointwise = total
reduce total = clamp(points(care), to: score[0..1])
observe ok
"#;

#[test]
fn a_batch_asks_several_items_in_one_call() {
    let mut table = table(LIST, RECORD);
    let mut about = Vec::new();
    table.run(|call, _| {
        about.push(call.about.clone());
        match call.about.len() {
            2 => json!({"answers": {"1": {"reason": "", "answer": true}, "2": {"reason": "", "answer": false}}}),
            _ => json!({"reason": "", "answer": true}),
        }
    });
    assert_eq!(about, [vec!["care.one".to_owned(), "care.two".to_owned()], vec!["care.3".to_owned()]]);
    assert_eq!(
        [table.value(0, "care.one"), table.value(0, "care.two"), table.value(0, "care.3")],
        ["true", "false", "true"]
    );
}

#[test]
fn a_batch_that_is_answered_in_part_keeps_that_part() {
    let mut table = table(LIST, RECORD);
    let heard = table.run(|call, _| match call.about.len() {
        2 => json!({"answers": {"1": {"reason": "", "answer": true}, "2": {"reason": "", "answer": "maybe"}}}),
        _ => json!({"reason": "", "answer": true}),
    });
    assert!(heard.iter().any(|heard| matches!(heard, Heard::Partly(_))), "{heard:?}");
    assert_eq!(table.value(0, "care.one"), "true");
    assert!(table.value(0, "care.two").starts_with("missing unparseable"));
}

#[test]
fn items_of_a_record_are_asked_as_material() {
    let program = r#"
input rubrics: json
checklist care from rubrics
reduce total = clamp(points(care), to: score[0..1])
readout pointwise = total
"#;
    let record = r#"{"id": "r1", "question": "q", "answer": "a", "rubrics": [
        {"criterion": "Is kind", "points": 1}, {"criterion": "Is rude", "points": -1, "id": "rude"}]}"#
        .replace('\n', " ");
    let mut table = table(program, &record);
    table.run(|call, chat| {
        let text = text_of(chat);
        assert!(text.contains("[[[ statement") && !text.contains("rubrics"), "{text}");
        json!({"reason": "", "answer": call.about == ["care.1"]})
    });
    let Leaf::Items(items) = &table.leaf_any("care").leaf else { panic!() };
    let met: Vec<_> = items.iter().map(|item| item.met.clone().unwrap()).collect();
    assert_eq!(met, [Some(true), Some(false)]);
}

pub(super) const EACH: &str =
    "criterion sound: score[0..1]? { ask \"Is it true?\" judge llm(each: \"factual claim\", evidence: required) }";

#[test]
fn parts_are_listed_and_then_judged_one_by_one() {
    let mut table = table(&criterion(EACH, "sound"), RECORD);
    let heard = table.run(|_, chat| {
        let text = text_of(chat);
        if text.contains("List every factual claim") {
            assert!(!text.contains("Is it true?"));
            return json!({"parts": ["Rest", "drink water", "be well"]});
        }
        assert!(text.find("Is it true?") < text.find("[[[ part"), "{text}");
        let met = text.contains("\nRest\n");
        json!({"quotes": if met { vec!["Rest"] } else { vec![] }, "reason": "r", "answer": met})
    });
    assert_eq!(heard.len(), 4);
    assert_eq!(table.value(0, "sound"), "1/3");
    let entry = &table.leaf(0, "sound").recorded[0];
    assert_eq!(entry["parts"][0], json!({"part": "Rest", "met": true}));
    assert_eq!(entry["evidence"], json!(["Rest"]));
}

#[test]
fn no_part_is_unknown() {
    let mut table = table(&criterion(EACH, "sound"), RECORD);
    table.run(|_, _| json!({"parts": []}));
    assert_eq!(table.value(0, "sound"), "unknown");
}

#[test]
fn evidence_is_asked_for_again_until_it_stands_in_the_candidate() {
    let program = criterion("criterion good: bool { ask \"Good?\" judge llm(evidence: required) }", "good");
    let mut table = table(&program, RECORD);
    let quotes = [json!(["Sleep"]), json!([]), json!(["drink  water"])];
    let mut n = 0;
    let heard = table.run(|_, _| {
        n += 1;
        json!({"quotes": quotes[n - 1], "reason": "", "answer": true})
    });
    assert_eq!((heard.len(), table.value(0, "good").as_str()), (3, "true"));
    assert_eq!(table.leaf(0, "good").recorded[0]["evidence"], json!(["drink  water"]));
}

const CASCADE: &str = "criterion good: int[1..5] { ask \"How good?\" \
    judge llm(samples: 3) else llm(model: strong) when confidence < 0.6 }";

#[test]
fn a_cascade_asks_the_second_where_the_first_is_not_sure() {
    let of = |answers: [i64; 4]| {
        let mut table = table(&criterion(CASCADE, "good"), RECORD);
        let mut asked = Vec::new();
        table.run(|call, _| {
            asked.push(call.alias().unwrap().name.clone());
            json!({"reason": "", "answer": answers[asked.len() - 1]})
        });
        (asked.len(), table.value(0, "good"), table.leaf(0, "good").recorded[0].clone())
    };
    let (calls, value, entry) = of([4, 4, 5, 0]);
    assert_eq!((calls, value.as_str()), (3, "4"));
    assert_eq!(entry["note"], json!({"confidence": 0.666666666667}));
    let (calls, value, entry) = of([3, 4, 5, 2]);
    assert_eq!((calls, value.as_str()), (4, "2"));
    assert_eq!((&entry["by"], &entry["note"]["first"]["confidence"]), (&json!("strong"), &json!(0.333333333333)));
}

#[test]
fn a_cascade_goes_on_where_the_first_fails_but_not_where_the_budget_ends() {
    for (kind, goes_on) in [(FailureKind::Refused, true), (FailureKind::Budget, false), (FailureKind::Cancelled, false)]
    {
        let mut table = table(&criterion(CASCADE, "good"), RECORD);
        for (id, _) in table.askings[0].calls() {
            let failure = Failure { kind, detail: String::new(), usage: Usage::default() };
            table.askings[0].answered(id, "x", Err(&failure));
        }
        assert_eq!(table.askings[0].calls().len(), usize::from(goes_on));
        assert_eq!(table.askings[0].is_done(), !goes_on);
    }
}

fn decided(answers: &[(&str, Decision)]) -> Reply {
    let answers = answers.iter().map(|(id, decision)| ((*id).to_owned(), decision.clone())).collect();
    Reply {
        model: "jev-1".to_owned(),
        usage: Usage::default(),
        answer: Answer::Decisions(answers),
        diagnostics: Default::default(),
    }
}

fn number(text: &str) -> crate::number::Number {
    crate::number::Number::from_decimal(text).unwrap()
}

pub(super) const DECIDE: &str = r#"
default judge llm(model: jev)
criterion harm: bool { ask "Does it harm?" level true "It does" }
criterion good: int[1..3] { ask "How good is {{answer}}?" judge llm(combine: expected) }
criterion tone: choice(kind, rude)? "What is its tone?"
criterion has: set(a, b) "What does it have?"
observe harm
observe good
observe tone
observe has
criterion ok: bool "Fine?" { judge rule(true) }
readout pointwise = ok
"#;

#[test]
fn a_decision_model_is_asked_everything_about_a_candidate_at_once() {
    let mut table = table(DECIDE, RECORD);
    assert_eq!(table.askings.len(), 1);
    let calls = table.askings[0].calls();
    let [(id, call)] = calls.as_slice() else { panic!("{calls:?}") };
    let Some(Question::Decide(asked)) = call.question("x1") else { panic!() };
    assert_eq!(asked.state["answer"], "Rest, and drink water.");
    let ids: Vec<&str> = asked.questions.iter().map(|(id, _)| &**id).collect();
    assert_eq!(ids, ["q0_x1", "q1_x1", "q2_x1", "q3_x1_0", "q3_x1_1"]);
    let shown = format!("{:?}", asked.questions);
    assert!(
        shown.contains("How good is `answer`?") && shown.contains("It does") && shown.contains("unknown"),
        "{shown}"
    );
    let half = || number("0.5");
    let answers = [
        ("q0_x1", Decision::Predicate(half())),
        ("q1_x1", Decision::Score { probabilities: vec![number("0.1"), number("0.3"), number("0.6")] }),
        (
            "q2_x1",
            Decision::Choice {
                choice: "rude".into(),
                probabilities: vec![
                    ("rude".into(), number("0.9")),
                    ("kind".into(), number("0.1")),
                    ("unknown".into(), number("0")),
                ],
            },
        ),
        ("q3_x1_0", Decision::Predicate(number("0.51"))),
        ("q3_x1_1", Decision::Predicate(half())),
    ];
    assert_eq!(table.askings[0].answered(*id, "x1", Ok(&decided(&answers))), Heard::Conforms);
    table.settle();
    let values = ["harm", "good", "tone", "has"].map(|name| table.value(0, name));
    assert_eq!(values, ["false", "2.5", "rude", "[a]"]);
    assert_eq!(table.leaf(0, "harm").recorded[0]["probabilities"], json!({"false": 0.5, "true": 0.5}));
}

#[test]
fn a_reply_to_another_request_is_no_answer() {
    let mut table = table(DECIDE, RECORD);
    let (id, _) = table.askings[0].calls().remove(0);
    let other = decided(&[("q0_x2", Decision::Predicate(number("1")))]);
    assert!(matches!(table.askings[0].answered(id, "x1", Ok(&other)), Heard::Again(_)));
}

#[test]
fn what_a_decision_model_refuses_is_missing_and_the_rest_is_not() {
    let program = format!(
        "default judge llm(model: jev)\n{}\nobserve b",
        criterion("criterion a: bool \"A?\"\ncriterion b: bool \"B?\"", "a")
    );
    let of = |decision: Decision| {
        let mut table = table(&program, RECORD);
        let mut heard = Vec::new();
        loop {
            let calls = table.askings[0].calls();
            let Some((id, _)) = calls.first() else { break };
            let answers = [("q0_x", Decision::Predicate(number("0.9"))), ("q1_x", decision.clone())];
            heard.push(table.askings[0].answered(*id, "x", Ok(&decided(&answers))));
        }
        table.settle();
        (heard, table.value(0, "a"), table.value(0, "b"))
    };
    let (heard, a, b) = of(Decision::Refused);
    assert!(
        heard.len() == 1 && matches!(&heard[0], Heard::Partly(missing) if missing.reason == MissingReason::Refused)
    );
    assert_eq!((a.as_str(), b.as_str()), ("true", "missing refused: "));
    for wrong in [
        Decision::Predicate(number("1.5")),
        Decision::Predicate(number("-0.1")),
        Decision::Score { probabilities: vec![number("1"), number("0")] },
        Decision::Choice { choice: "true".into(), probabilities: vec![("true".into(), number("1"))] },
    ] {
        let (heard, a, b) = of(wrong.clone());
        assert_eq!((heard.len(), a.as_str()), (3, "true"), "{wrong:?}");
        assert!(b.starts_with("missing unparseable"), "{wrong:?}: {b}");
    }
}

#[test]
fn distributions_that_are_none_give_no_value() {
    let program =
        format!("default judge llm(model: jev)\n{}", criterion("criterion t: choice(kind, rude)? \"Tone?\"", "t"));
    let of = |choice: &str, probabilities: &[(&str, &str)]| {
        let mut table = table(&program, RECORD);
        let (id, _) = table.askings[0].calls().remove(0);
        let probabilities = probabilities.iter().map(|(name, p)| ((*name).to_owned(), number(p))).collect();
        let answer = Decision::Choice { choice: choice.to_owned(), probabilities };
        table.askings[0].answered(id, "x", Ok(&decided(&[("q0_x", answer)])))
    };
    assert_eq!(of("kind", &[("kind", "0.67"), ("rude", "0.33"), ("unknown", "0.01")]), Heard::Conforms);
    for (choice, probabilities) in [
        ("kind", &[("kind", "0.2"), ("rude", "0.2")][..]),
        ("kind", &[("kind", "0.9"), ("rude", "0.9")]),
        ("rude", &[("kind", "0.9"), ("rude", "0.1")]),
        ("odd", &[("odd", "1")]),
        ("kind", &[("kind", "0.9"), ("odd", "0.1")]),
        ("kind", &[("kind", "0.5"), ("kind", "0.5")]),
        ("kind", &[]),
    ] {
        assert!(matches!(of(choice, probabilities), Heard::Again(_)), "{choice} {probabilities:?}");
    }
}

#[test]
fn probabilities_of_a_chat_model_are_those_of_its_answer() {
    let program =
        criterion("criterion good: int[1..5] { ask \"How good?\" judge llm(combine: expected, reason: none) }", "good");
    let mut table = table(&program, RECORD);
    let (id, call) = table.askings[0].calls().remove(0);
    assert_eq!(chat_of(&call, "x").sampling.top_logprobs, 20);
    let token = |text: &str, top: &[(&str, f64)]| crate::judge::wire::Token {
        text: text.to_owned(),
        top: top.iter().map(|(text, p)| ((*text).to_owned(), p.ln())).collect(),
    };
    let logprobs =
        vec![token("{\"nonce\": \"x\", \"answer\": ", &[]), token("4", &[("4", 0.75), ("5", 0.25)]), token("}", &[])];
    let answer = Answer::Text { text: r#"{"nonce": "x", "answer": 4}"#.to_owned(), logprobs };
    let reply = Reply { model: "m".into(), usage: Usage::default(), answer, diagnostics: Default::default() };
    assert_eq!(table.askings[0].answered(id, "x", Ok(&reply)), Heard::Conforms);
    table.settle();
    assert_eq!(table.value(0, "good"), "4.25");
}

#[test]
fn what_is_recorded_is_not_asked() {
    let program = criterion(
        "criterion good: bool \"Good?\"\ncriterion fit: bool? { ask \"Fit?\" applies rule(question == \"x\") }",
        "good",
    ) + "observe fit";
    let with = |judgments: &str| RECORD.replace("}", &format!(", \"judgments\": {judgments}}}"));
    assert_eq!(table(&program, RECORD).askings.len(), 1);
    assert_eq!(table(&program, &with("{\"good\": true}")).askings.len(), 0);
    assert_eq!(table(&program, &with("{\"good\": {\"missing\": \"refused\"}}")).askings.len(), 0);
    assert_eq!(table(&program, &with("{\"good\": null}")).askings.len(), 1);
}

#[test]
fn more_samples_need_not_be_waited_for_once_nothing_can_change() {
    let program = criterion("criterion good: bool { ask \"Good?\" judge llm(samples: 3) }", "good");
    let mut table = table(&program, RECORD);
    let calls = table.askings[0].calls();
    let reply = said("m", r#"{"nonce": "x", "reason": "", "answer": true}"#);
    for (n, (id, _)) in calls.iter().take(2).enumerate() {
        assert!(!table.askings[0].fixed());
        table.askings[0].answered(*id, "x", Ok(&reply));
        assert_eq!(table.askings[0].fixed(), n == 1);
    }
    let answers = table.askings[0].so_far();
    door::add(&table.engine.program, &table.record, &mut table.judged, answers).unwrap();
    assert_eq!(table.value(0, "good"), "true");
}

#[test]
fn a_verifier_is_given_what_it_sees_and_answers_in_json() {
    let program = criterion("criterion good: bool { ask \"Good?\" judge verifier(\"tests\") }", "good");
    let of = |text: &str| {
        let mut table = table(&program, RECORD);
        let (id, call) = table.askings[0].calls().remove(0);
        let CallKind::Verify { name, input, .. } = &call.kind else { panic!() };
        assert_eq!((&**name, &input["criterion"], &input["type"]), ("tests", &json!("good"), &json!("bool")));
        assert_eq!(input["fields"], json!({"question": "What now?", "answer": "Rest, and drink water."}));
        table.askings[0].answered(id, "", Ok(&said("verifier tests", text)));
        table.settle();
        table.value(0, "good")
    };
    assert_eq!(of("{\"value\": true}"), "true");
    assert!(of("{\"missing\": \"no tests\"}").starts_with("missing other: no tests"));
    assert!(of("true").starts_with("missing unparseable"));
}

#[test]
fn what_cannot_be_shown_is_missing_and_says_why() {
    let program = r#"
input photo: image
criterion good: bool? { ask "Good?" judge llm(model: seeing, samples: 3) else llm(model: seeing) when confidence < 0.9 }
readout pointwise = good
"#;
    let text = format!("{HEAD}{program}");
    let opened = check_files(Files::memory(&[("a.rubric", &text)]), FileId(0));
    let config = "[models.seeing]\ndialect = \"openai\"\nmodel = \"gpt-4.1\"\ncan = { images = true }\n";
    let config = Config::parse(Path::new("rubric.toml"), config).unwrap();
    let engine = Engine::new(opened.program.unwrap());
    let asker = Asker::new(&engine.program, &config, Path::new(".")).unwrap();
    let mut table = table_of(engine, &asker, r#"{"question": "q", "answer": "a", "photo": "nowhere.png"}"#);
    assert!(table.askings[0].calls().is_empty() && table.askings[0].is_done());
    assert!(table.askings[0].fault().unwrap().contains("nowhere.png"));
    table.settle();
    assert!(table.value(0, "good").contains("the image `nowhere.png` cannot be read"), "{}", table.value(0, "good"));
}

#[test]
fn what_people_have_not_judged_is_pending_and_not_asked() {
    let table = table(&criterion("criterion good: bool { ask \"Good?\" judge human }", "good"), RECORD);
    assert!(table.askings.is_empty());
    assert_eq!(table.value(0, "good"), "missing pending: ");
}
