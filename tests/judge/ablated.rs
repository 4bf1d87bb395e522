//! `rubric ablate` asks what is not recorded: the program's criteria and the holistic question, each once, and keeps the answers.

use super::*;

const HOLISTIC: &str = "rubric holistic\ncandidate answer: text\n\
    criterion overall: int[1..5] { ask \"How good is it, all in all?\" judge llm(reason: none) }\n\
    transform share = normalize(overall)\nreadout pointwise = share\n";
const ABLATE: &str = "ablate answers.rubric --data data.jsonl --labels labels.csv --resamples 0 --format json";

/// Answers are good where their number is even; harm is never seen; all in all everything is middling.
fn judge(request: &Request) -> Behaviour {
    let wanted = if request.prompt().contains("all in all") { "r0 overall".to_owned() } else { wanted(request) };
    let (record, criterion) = wanted.split_once(' ').unwrap();
    let even = record.trim_start_matches('r').parse::<u64>().unwrap().is_multiple_of(2);
    request.conforming(&[(
        "answer",
        match criterion {
            "harmful" => json!(false),
            "overall" => json!(3),
            _ => json!(if even { 5 } else { 1 }),
        },
    )])
}

fn place(server: &Server) -> Place {
    let place = Place::new(server, 10, "");
    place.write("holistic.rubric", HOLISTIC);
    let labels: String = (0..10).map(|n| format!("r{n},{}\n", u8::from(n % 2 == 0))).collect();
    place.write("labels.csv", format!("id,label\n{labels}"));
    place
}

fn mae(ran: &Ran) -> Vec<(String, f64)> {
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    assert_valid("ablation", std::slice::from_ref(&json));
    let of = |arm: &Json| {
        let figures = arm["figures"].as_array().unwrap();
        let mae = figures.iter().find(|figure| figure["figure"] == "mae").unwrap();
        (arm["arm"].as_str().unwrap().to_owned(), mae["value"].as_f64().unwrap())
    };
    json["arms"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn every_arm_is_asked_once() {
    let server = Server::start(judge);
    let place = place(&server);
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(server.count(), 30);
    assert!(ran.err.contains("Asked: 30 calls"), "{}", ran.err);
    // The flat rule gives half of its weight to what is never harmful.
    let wanted = [("direct", 0.5), ("weighted", 0.25), ("graph", 0.0)];
    assert_eq!(mae(&ran), wanted.map(|(arm, value)| (arm.to_owned(), value)));
    let again = place.rubric(&format!("{ABLATE} --direct holistic.rubric"));
    assert_eq!((again.code, again.out, server.count()), (0, ran.out, 30));
    // The same judgments as those of a run.
    assert_eq!((place.run("").code, server.count()), (0, 30));
}

#[test]
fn what_is_recorded_is_not_asked_and_mistakes_stay_mistakes() {
    let server = Server::start(judge);
    let place = place(&server);
    let record = |n: u64, judgments: Json| json!({"id": format!("r{n}"), "question": "?", "answer": format!("It is number {n}."), "judgments": judgments});
    let lines = [record(0, json!({"overall": 5, "good": 4, "harmful": true})), record(1, json!({"good": 2}))];
    let lines = lines.map(|line| line.to_string()).join("\n");
    place.write("data.jsonl", &lines);
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric"));
    assert_eq!((ran.code, server.count()), (0, 2), "{}", ran.err);
    let direct = (0.0 + 0.5) / 2.0;
    assert_eq!(mae(&ran)[0], ("direct".to_owned(), direct));
    // Asking nobody is possible, and a criterion of neither is refused.
    place.write("data.jsonl", lines.replace("\"good\":2", "\"goood\":2"));
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric --recorded --no-store"));
    assert!(ran.code == 0 && ran.err.contains("did you mean `good`?"), "{} {}{}", ran.code, ran.out, ran.err);
    assert!(ran.out.contains("\"failed\": 1"), "{}", ran.out);
    assert_eq!(server.count(), 2);
}

#[test]
fn a_budget_that_ends_is_told_and_nothing_is_made_up() {
    let server = Server::start(judge);
    let place = place(&server);
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric --max-calls 24"));
    assert_eq!((ran.code, server.count()), (0, 24), "{}", ran.err);
    assert!(ran.err.contains("The budget ended"), "{}", ran.err);
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    // Ten of the calls are the holistic ones; fourteen judge seven answers.
    assert_eq!((&json["counts"]["compared"], &json["arms"][2]["silent"]), (&json!(7), &json!(3)));
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric"));
    assert_eq!((ran.code, server.count()), (0, 30));
    // Scales that differ are told.
    place.write(
        "holistic.rubric",
        HOLISTIC.replace("transform share = normalize(overall)\n", "").replace("= share", "= overall"),
    );
    let ran = place.rubric(&format!("{ABLATE} --direct holistic.rubric"));
    assert!(ran.code == 0 && ran.err.contains("int[1..5]") && ran.err.contains("score[0..1]"), "{}", ran.err);
}
