//! Records and judgments in every form, and what they come to.

use crate::{GRADES, Place, assert_valid};
use serde_json::{Value as Json, json};

const RECORDS: &str = r#"{"id": "full", "question": "q", "minor": false, "answer": "Drink water.", "tags": {"topic": "rest"}, "judgments": {"accurate": {"values": [4, 5, 3]}, "complete": 0.7, "harmful": false, "serious": true, "care.asks": true, "care.2": false}}
{"id": "unknown", "question": "q", "minor": false, "answer": "x", "judgments": {"accurate": 5, "complete": "unknown", "harmful": false, "serious": true, "care.asks": true, "care.blames": true}}
{"id": "bounds", "question": "q", "minor": false, "answer": "x", "judgments": {"harmful": true, "serious": true, "accurate": 2, "complete": 0.1, "care.asks": {"missing": "on leave"}, "care.blames": false}}
{"id": "open", "question": "q", "minor": false, "answer": "x", "tags": {"topic": "rest"}, "judgments": {"serious": false, "accurate": null, "complete": 0.5, "harmful": false, "care.asks": true, "care.blames": false}}
{"id": "pair", "question": "q", "minor": true, "judgments": {"serious": true}, "candidates": [{"id": "a", "answer": "x", "judgments": {"accurate": 5, "complete": 1, "harmful": true, "care.asks": true, "care.blames": false}}, {"id": "b", "answer": "y", "judgments": {"accurate": 4, "complete": "unknown", "harmful": false, "care.asks": true, "care.blames": false}}]}
"#;

fn run(records: &str) -> Vec<Json> {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", records)]);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl --trace t.jsonl");
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let records: Vec<Json> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_valid("record", &records);
    assert_valid("result", &place.lines("out.jsonl"));
    assert_valid("trace", &place.lines("t.jsonl"));
    place.lines("out.jsonl")
}

#[test]
fn values_unknown_bounds_and_pairs() {
    let lines = run(RECORDS);
    let of = |id: &str, candidate: Option<&str>| {
        let found =
            lines.iter().find(|line| line["id"] == id && line.get("candidate").and_then(Json::as_str) == candidate);
        found.unwrap().clone()
    };
    // (3/4 + 0.7 + 1) / 3
    let full = of("full", None);
    assert_eq!(full["readouts"].to_string(), r#"{"pointwise":0.816666666667,"verdict":true}"#);
    assert_eq!(full["status"], "decided");
    assert_eq!(full["tags"], json!({"topic": "rest"}));
    assert_eq!(full["observed"].to_string(), r#"{"quality":0.816666666667}"#);
    // (1 + 0.5 + 1/2) / 3
    assert_eq!(of("unknown", None)["readouts"].to_string(), r#"{"pointwise":0.666666666667,"verdict":true}"#);
    // The quality is open between 7/60 and 27/60, which the cap leaves open below 0.25; the verdict is decided.
    let bounds = of("bounds", None);
    assert_eq!(bounds["status"], "open");
    assert_eq!(bounds["readouts"]["verdict"], false);
    assert_eq!(bounds["decided_by_bounds"], json!(["verdict"]));
    assert_eq!(bounds["bounds"]["final"].to_string(), r#"{"lo":0.116666666667,"hi":0.25}"#);
    assert_eq!(bounds["missing"], json!([{"criterion": "care.asks", "reason": "other", "detail": "on leave"}]));
    let open = of("open", None);
    assert_eq!(open["missing"], json!([{"criterion": "accurate", "reason": "pending"}]));
    assert_eq!(open["readouts"]["pointwise"]["open"].to_string(), r#"{"lo":0.5,"hi":0.833333333333}"#);
    assert_eq!(of("pair", Some("a"))["readouts"]["pointwise"].to_string(), "0.25");
    assert_eq!(of("pair", None)["readouts"], json!({"pairwise": {"winner": "b"}}));
}

#[test]
fn a_table_says_the_same_as_lines() {
    let table = "id,question,minor,answer,judgments.accurate,judgments.complete,judgments.harmful,judgments.serious,\
                 judgments.care.asks,judgments.care.blames,tags.topic\n\
                 full,q,FALSE,Drink water.,\"{\"\"values\"\": [4, 5, 3]}\",0.7,false,true,true,false,rest\n";
    let place = Place::new(&[("p.rubric", GRADES), ("r.csv", table)]);
    assert_eq!(place.rubric("run p.rubric --data r.csv -o out.jsonl").code, 0);
    assert_eq!(place.lines("out.jsonl")[0], run(RECORDS)[0]);
}

#[test]
fn judgments_in_a_file_may_stand_in_any_order() {
    let mut records = String::new();
    let mut lines = Vec::new();
    for text in RECORDS.lines() {
        let mut record: Json = serde_json::from_str(text).unwrap();
        let id = record["id"].clone();
        let mut take = |holder: &mut Json, candidate: Option<Json>| {
            let Some(Json::Object(judgments)) = holder.as_object_mut().unwrap().remove("judgments") else { return };
            for (criterion, entry) in judgments.into_iter().filter(|(_, entry)| !entry.is_null()) {
                let mut line = if entry.is_object() { entry } else { json!({"value": entry}) };
                line["id"] = id.clone();
                line["criterion"] = criterion.into();
                if let Some(candidate) = &candidate {
                    line["candidate"] = candidate.clone();
                }
                lines.push(line);
            }
        };
        take(&mut record, None);
        for candidate in record.get_mut("candidates").and_then(Json::as_array_mut).into_iter().flatten() {
            let id = candidate["id"].clone();
            take(candidate, Some(id));
        }
        records.push_str(&format!("{record}\n"));
    }
    assert_valid("judgment", &lines);
    let text = |lines: &[Json]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", &records)]);
    // Steps through the lines that share no factor with their number reach each of them once.
    for step in [1, 7, 11] {
        let shuffled: Vec<Json> = (0..lines.len()).map(|n| lines[n * step % lines.len()].clone()).collect();
        place.write("j.jsonl", text(&shuffled));
        let ran = place.rubric("run p.rubric --data r.jsonl --judgments j.jsonl -o out.jsonl");
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert_eq!(place.lines("out.jsonl"), run(RECORDS), "step {step}");
    }
}

#[test]
fn items_come_with_the_record() {
    let program = r#"
rubric healthy
input question: text
reference rubrics: json
candidate answer: text
checklist items from rubrics
transform score = clamp(points(items), to: score[0..1])
readout pointwise = score
"#;
    let record = r#"{"id": 1, "question": "q", "answer": "a", "rubrics": [{"criterion": "x", "points": 5, "tags": ["a"]}, {"criterion": "y", "points": 3, "id": "why"}, {"criterion": "z", "points": -2}], "judgments": {"items.1": true, "items.why": false, "items.3": true}}
{"id": 2, "question": "q", "answer": "a", "rubrics": [{"criterion": "x", "points": 5}], "judgments": {"items.2": true}}
{"id": 3, "question": "q", "answer": "a", "rubrics": [{"criterion": "x", "points": 5}, {"criterion": "y", "points": 5}], "judgments": {"items.2": true}}
"#;
    let place = Place::new(&[("p.rubric", program), ("r.jsonl", record)]);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl --trace t.jsonl");
    assert_eq!(ran.code, 4, "{}", ran.err);
    let lines = place.lines("out.jsonl");
    assert_eq!(lines[0]["readouts"]["pointwise"].to_string(), "0.375");
    assert!(lines[1]["reason"].as_str().unwrap().contains("has no item `2`"));
    assert_eq!(lines[2]["readouts"]["pointwise"]["open"].to_string(), r#"{"lo":0.5,"hi":1}"#);
    assert_eq!(lines[2]["missing"], json!([{"criterion": "items.1", "reason": "not_recorded"}]));
    assert_valid("trace", &place.lines("t.jsonl"));
    let again = place.rubric("replay t.jsonl");
    assert_eq!(again.code, 0, "{}", again.err);
}

/// Items that the judge may leave open need a policy as written ones do, and it acts. A list may be empty, or have nothing
/// positive: then there are no points to have, but none of them is a score of its own.
#[test]
fn items_of_the_record_may_be_unknown_or_none() {
    let program = |unknown: &str| {
        format!(
            "rubric open\nreference rubrics: json\ncandidate answer: text\nchecklist items: bool? from rubrics\n\
             transform share = clamp(points(items{unknown}), to: score[0..1])\n\
             transform sum = clamp(sum_points(items{unknown}), to: score[-9..9])\nobserve sum\n\
             readout pointwise = share\n"
        )
    };
    let item = |points: i32, id: &str| format!(r#"{{"criterion": "{id}?", "points": {points}, "id": "{id}"}}"#);
    let record = |id: u32, items: &[String], judgments: &str| {
        let items = items.join(", ");
        format!(r#"{{"id": {id}, "answer": "x", "rubrics": [{items}], "judgments": {{{judgments}}}}}"#) + "\n"
    };
    let records = record(1, &[item(5, "a"), item(3, "b")], r#""items.a": true, "items.b": "unknown""#)
        + &record(2, &[item(-5, "a")], r#""items.a": true"#)
        + &record(3, &[], "")
        + &record(4, &[item(-5, "a")], "");
    let place = Place::new(&[("p.rubric", &program(", unknown: skip")), ("r.jsonl", &records)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 0);
    let lines = place.lines("out.jsonl");
    assert_eq!((&lines[0]["readouts"]["pointwise"], &lines[0]["observed"]["sum"]), (&json!(1), &json!(5)));
    assert_eq!((&lines[1]["readouts"]["pointwise"], &lines[1]["observed"]["sum"]), (&json!(null), &json!(-5)));

    let place = Place::new(&[("p.rubric", &program(", unknown: false")), ("r.jsonl", &records)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 4);
    let lines = place.lines("out.jsonl");
    assert_eq!(lines[0]["readouts"]["pointwise"], 0.625);
    for failed in &lines[1..] {
        let reason = failed["reason"].as_str().unwrap();
        assert!(reason.contains("`share.x`") && reason.contains("positive points"), "{reason}");
    }

    let place = Place::new(&[("p.rubric", &program(""))]);
    let checked = place.rubric("check p.rubric --format concise");
    assert!(checked.out.matches("R0411").count() == 2, "{}", checked.out);

    let sums = program(", unknown: false")
        .replace("= share", "= sum")
        .replace("observe sum", "")
        .replace("transform share = clamp(points(items, unknown: false), to: score[0..1])", "");
    let place = Place::new(&[("p.rubric", &sums), ("r.jsonl", &records)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 3);
    let lines = place.lines("out.jsonl");
    let got: Vec<&Json> = lines.iter().map(|line| &line["readouts"]["pointwise"]).take(3).collect();
    assert_eq!(got, [&json!(5), &json!(-5), &json!(0)]);
}

/// Two of three votes are unknown and settled together as the highest: the missing one cannot change that.
#[test]
fn a_vote_with_unknown_slots_is_decided_by_its_bounds() {
    let program = "rubric v\ncandidate answer: text\ncriterion a: bool? \"A?\"\ncriterion b: bool? \"B?\"\n\
                   criterion c: bool? \"C?\"\nreduce v = vote(a, b, c, tie: lowest, unknown: highest)\n\
                   readout pointwise = v\n";
    let record = r#"{"id": 1, "answer": "x", "judgments": {"b": "unknown", "c": "unknown"}}"#;
    let place = Place::new(&[("p.rubric", program), ("r.jsonl", record)]);
    assert_eq!(place.rubric("run p.rubric --data r.jsonl -o out.jsonl").code, 0);
    let lines = place.lines("out.jsonl");
    assert_eq!(lines[0]["readouts"]["pointwise"], true);
    assert_eq!(lines[0]["decided_by_bounds"], json!(["pointwise"]));
}

/// Where the first vote is unknown it is one for 0, else one for 2: 1 lies between and is not voted for, so 2 wins either way.
#[test]
fn a_vote_does_not_win_because_it_lies_between_two_that_may_be_cast() {
    let program = "rubric v\ncandidate answer: text\ncriterion a: int[0..2] \"A?\"\ncriterion b: int[0..2] \"B?\"\n\
                   criterion c: int[0..2] \"C?\"\ncriterion off: bool \"Off?\"\ngate masked = mask(a) when off\n\
                   reduce v = vote(masked, b, c, tie: highest, unknown: 0)\nreadout pointwise = v\n";
    let record = r#"{"id": 1, "answer": "x", "judgments": {"a": 2, "b": 1, "c": 2}}"#;
    let place = Place::new(&[("p.rubric", program), ("r.jsonl", record)]);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = place.lines("out.jsonl");
    assert_eq!(lines[0]["readouts"]["pointwise"], 2);
    assert_eq!(lines[0]["decided_by_bounds"], json!(["pointwise"]));
}

#[test]
fn a_criterion_that_does_not_apply_is_unknown() {
    let program = r#"
rubric applies
input skills: text
candidate answer: text
criterion logic: int[1..5]? {
  ask "Is it sound?"
  applies rule(contains(skills, "logic"))
}
transform score = otherwise(logic, 1)
readout pointwise = score
"#;
    let records = "{\"id\": 1, \"skills\": \"style\", \"answer\": \"a\"}\n\
                   {\"id\": 2, \"skills\": \"logic\", \"answer\": \"a\", \"judgments\": {\"logic\": 3}}\n\
                   {\"id\": 3, \"skills\": \"style\", \"answer\": \"a\", \"judgments\": {\"logic\": 3}}\n";
    let place = Place::new(&[("p.rubric", program), ("r.jsonl", records)]);
    let ran = place.rubric("run p.rubric --data r.jsonl -o out.jsonl --trace t.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let scores: Vec<String> = place.lines("out.jsonl").iter().map(|l| l["readouts"]["pointwise"].to_string()).collect();
    assert_eq!(scores, ["1", "3", "1"]);
    assert_eq!(place.rubric("replay t.jsonl").code, 0);
}

#[test]
fn a_folder_of_programs() {
    let one = |name: &str| {
        format!("rubric {name}\ncandidate answer: text\ncriterion c: bool \"Is it good?\"\nreadout pointwise = c\n")
    };
    let place = Place::new(&[("ps/a.rubric", &one("first_one")), ("ps/sub/b.rubric", &one("second_one"))]);
    place.write(
        "r.jsonl",
        "{\"id\": 1, \"rubric\": \"first_one\", \"answer\": \"x\", \"judgments\": {\"c\": true}}\n\
         {\"id\": 2, \"rubric\": \"second_one\", \"answer\": \"x\", \"judgments\": {\"c\": false}}\n\
         {\"id\": 3, \"rubric\": \"secnd_one\", \"answer\": \"x\", \"judgments\": {\"c\": false}}\n\
         {\"id\": 4, \"answer\": \"x\", \"judgments\": {\"c\": false}}\n",
    );
    let ran = place.rubric("run ps --data r.jsonl -o out.jsonl --trace t.jsonl");
    assert_eq!(ran.code, 4, "{}", ran.err);
    let lines = place.lines("out.jsonl");
    assert_eq!((&lines[0]["readouts"]["pointwise"], &lines[1]["readouts"]["pointwise"]), (&json!(true), &json!(false)));
    assert!(lines[2]["reason"].as_str().unwrap().contains("did you mean `second_one`"));
    assert!(lines[3]["reason"].as_str().unwrap().contains("name one in `rubric`"));
    assert_eq!(place.rubric("replay t.jsonl").code, 0);
}

#[test]
fn the_summary_goes_where_the_results_do_not() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.jsonl", RECORDS)]);
    let ran = place.rubric("run p.rubric --data r.jsonl");
    assert!(ran.out.starts_with("5 records, 7 results: 5 decided, 2 open\n"), "{}", ran.out);
    assert!(ran.out.contains("topic=rest") && ran.out.contains("median"), "{}", ran.out);
    let ran = place.rubric("run p.rubric --data r.jsonl -o -");
    assert_eq!(ran.out.lines().count(), 7);
    assert!(ran.err.contains("5 records"));
    assert!(place.rubric("run p.rubric --data r.jsonl --quiet").out.is_empty());
}
