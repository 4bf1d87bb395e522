//! What `rubric expand` says before it asks: calls, tokens and costs, held against what is made.

use super::expand::{Place, good};
use crate::faults::Server;
use serde_json::json;

#[test]
fn what_is_planned_holds_what_is_made() {
    for rounds in ["", "--scenario-rounds 1 --perspective-rounds 0 --criterion-rounds 2", "--single"] {
        let server = Server::start(good);
        let place = Place::new(&server, 2, 8);
        let plan = place.rubric(&format!("plan expand questions.jsonl {rounds}"));
        assert_eq!((plan.code, server.count()), (0, 0), "{}", plan.err);
        let line = plan.out.lines().find(|line| line.contains("calls in all")).unwrap();
        let numbers: Vec<u64> =
            line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
        let [low, about, high] = ["at least", "about", "at most"].map(|name| row(&plan.out, name));
        assert_eq!(place.expand(rounds).code, 0);
        let made: u64 = ["q_0", "q_1"]
            .map(|name| place.json(&format!("out/{name}.json"))["calls"]["questions"].as_u64().unwrap())
            .iter()
            .sum();
        match numbers[..] {
            [exact] => assert_eq!(exact, made, "{line}"),
            [low, high, about] => {
                assert!(low <= made && made <= high && low <= about && about <= high, "{line}: {made}");
            }
            _ => panic!("{line}"),
        }
        assert!(server.count() as u64 <= made);
        // Tokens of all requests with their forms, at four bytes each, what a store answered apart.
        let bytes: usize = server
            .requests()
            .iter()
            .map(|request| request.prompt().len() + request.schema().map_or(0, |schema| schema.to_string().len()))
            .sum();
        let input = bytes as f64 / 4.0;
        // What stands round the texts of a conversation is not counted there, and rounded for each call.
        assert!(low[1] <= input * 1.05 && input <= high[1] * 1.05, "{input} tokens\n{}", plan.out);
        assert!(low[2] <= about[2] && about[2] <= high[2] && low[2] > 0.0, "{}", plan.out);
        // 1 for a million tokens, as rubric.toml says.
        for row in [low, about, high] {
            assert!((row[3] - (row[1] + row[2]) / 1e6).abs() < 1e-4, "{row:?}");
        }
    }
}

/// The row of a plan's table that begins so: calls, tokens of requests and of replies, costs.
fn row(plan: &str, name: &str) -> [f64; 4] {
    let line = plan.lines().find(|line| line.starts_with(&format!("│ {name} "))).unwrap_or_else(|| panic!("{plan}"));
    let cells: Vec<f64> = line.split(['│', '┆']).filter_map(|cell| cell.trim().parse().ok()).collect();
    cells.try_into().unwrap_or_else(|cells| panic!("{cells:?}: {line}"))
}

#[test]
fn a_plan_weighs_the_question_and_what_is_stored() {
    let server = Server::start(good);
    let place = Place::new(&server, 1, 8);
    let short = place.rubric("plan expand questions.jsonl");
    // A context stands in every call, so it counts as often.
    let context = "word ".repeat(4_000);
    place.write("long.jsonl", &format!("{}\n", json!({"id": "Q 0", "question": "Why?", "web_content": context})));
    let long = place.rubric("plan expand long.jsonl");
    for name in ["at least", "about", "at most"] {
        let (short, long) = (row(&short.out, name), row(&long.out, name));
        assert_eq!(short[0], long[0]);
        let more = (long[1] - short[1]) / long[0];
        assert!((4_900.0..5_200.0).contains(&more), "{name}: {more} more tokens a call");
    }
    // Part of the way: fewer calls are left, and the next step is told.
    assert_eq!(place.expand("--max-calls 5").code, 6);
    let rest = place.rubric("plan expand questions.jsonl");
    assert!(rest.out.contains("5 calls are stored") && rest.out.contains("the next for"), "{}", rest.out);
    for name in ["at least", "about", "at most"] {
        assert_eq!(row(&rest.out, name)[0], row(&short.out, name)[0] - 5.0, "{}", rest.out);
    }
    // Without a price it is said that there is none.
    place.write("rubric.toml", &place.read("rubric.toml").replace("price = ", "# price = "));
    let ran = place.rubric("plan expand questions.jsonl");
    assert!(ran.code == 0 && ran.out.contains("has no `price`"), "{}{}", ran.out, ran.err);
}
