//! Ceilings are looked at before each call, and what they leave out is said.

use super::*;

#[test]
fn no_more_calls_are_made_than_allowed_and_whole_records_come_first() {
    let server = Server::start(judged);
    let place = Place::new(&server, 20, "");
    let ran = place.run("--max-calls 14");
    assert_eq!((ran.code, server.count()), (6, 14), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("The budget ended"), "{}", ran.out);
    let lines = place.lines("out.jsonl");
    assert_valid("result", &lines);
    let statuses: Vec<&str> = lines.iter().map(|line| line["status"].as_str().unwrap()).collect();
    assert_eq!(statuses[..7], ["decided"; 7]);
    assert_eq!(statuses[7..], ["budget_ended"; 13]);
    assert_eq!(lines[19]["missing"][0]["reason"], "budget");
    // What was paid for is used, and costs nothing more.
    let ran = place.run("--max-calls 26");
    assert_eq!((ran.code, server.count()), (0, 40), "{}", ran.out);
    assert!(ran.out.contains("26 calls, 14 from the store"), "{}", ran.out);
    assert_eq!(place.run("--max-calls 0").code, 0);
}

#[test]
fn no_more_is_spent_than_allowed() {
    // 100 tokens in, 10 out: 0.0012 a call. At most 50 tokens out are asked for.
    let price = "price = { input = 10, output = 20 }\nmax_tokens = 50\nconcurrency = 32";
    let server = Server::start(judged);
    let place = Place::new(&server, 50, price);
    let ran = place.run("--max-cost 0.05");
    assert_eq!(ran.code, 6, "{}{}", ran.out, ran.err);
    let calls = server.count();
    // Estimated at more than it costs, a call is refused somewhat before the ceiling, never beyond it.
    assert!((35..=41).contains(&calls), "{calls}: {}", ran.out);
    assert!(ran.out.contains(&format!("cost {}", calls as f64 * 12.0 / 10_000.0)), "{}", ran.out);
    let ran = place.run("--max-cost 100");
    assert_eq!((ran.code, server.count()), (0, 100), "{}", ran.out);
}

#[test]
fn a_ceiling_of_costs_needs_prices() {
    let server = Server::start(judged);
    let place = Place::new(&server, 2, "");
    let ran = place.run("--max-cost 1");
    assert!(ran.code == 2 && ran.err.contains("price"), "{}", ran.err);
    assert_eq!(server.count(), 0);
    for amount in ["-1", "x", "1,5"] {
        assert_eq!(place.run(&format!("--max-cost={amount}")).code, 2, "{amount}");
    }
}

#[test]
fn a_plan_asks_nobody_and_knows_what_is_stored() {
    let server = Server::start(judged);
    let place = Place::new(&server, 10, "price = { input = 10, output = 20 }");
    let plan = || place.rubric("plan answers.rubric --data data.jsonl");
    let ran = plan();
    assert_eq!((ran.code, server.count()), (0, 0), "{}", ran.err);
    assert!(ran.out.contains("10 records") && ran.out.contains("good") && ran.out.contains("harmful"), "{}", ran.out);
    assert!(!place.path(".rubric").exists());
    assert_eq!(place.run("--max-calls 6").code, 6);
    let ran = plan();
    let row = ran.out.lines().find(|line| line.contains("default")).unwrap();
    let cells: Vec<&str> = row.split(['│', '┆']).map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[..4], ["default", "20", "6", "14"], "{row}");
    assert_eq!(server.count(), 6);
    assert_eq!(place.run("").code, 0);
    assert!(plan().out.contains("About 0; at most 0"), "{}", plan().out);
}
