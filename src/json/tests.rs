//! What the reader makes of programs: round trips, and every kind of fault with its place.

use super::*;
use crate::graph::testing::sample;
use crate::source::FileId;

/// The codes, pointers and headlines of a text, and whether a program came of it.
fn read_text(text: &str) -> (Option<Program>, Vec<(Code, String, String)>) {
    let source = Source::new(FileId(0), "program.json", None, text);
    let mut sink = Sink::new();
    let program = read(&source, &mut sink);
    let told = sink.finish().into_iter();
    (program, told.map(|d| (d.code, d.pointer.unwrap_or_default(), d.headline)).collect())
}

/// The sample with one thing changed.
fn changed(edit: impl Fn(&mut serde_json::Value)) -> Vec<(Code, String)> {
    let mut json = crate::graph::json::value(&sample());
    json.as_object_mut().unwrap().shift_remove("digest");
    edit(&mut json);
    let (program, told) = read_text(&crate::graph::json::pretty(&json));
    assert_eq!(program.is_none(), !told.is_empty(), "{told:?}");
    told.into_iter().map(|(code, pointer, _)| (code, pointer)).collect()
}

fn one(code: Code, pointer: &str) -> Vec<(Code, String)> {
    vec![(code, pointer.to_owned())]
}

#[test]
fn what_is_written_is_read_back_whole() {
    let text = crate::graph::json::write(&sample());
    let (program, told) = read_text(&text);
    assert_eq!(told, vec![]);
    let program = program.unwrap();
    assert_eq!(crate::graph::json::write(&program), text);
}

#[test]
fn a_misspelt_key_is_one_fault() {
    let told = changed(|j| {
        let node = j["nodes"][6].as_object_mut().unwrap();
        let value = node.shift_remove("operator").unwrap();
        node.insert("opreator".into(), value);
    });
    assert_eq!(told, one(Code::JSON_UNKNOWN_KEY, "/nodes/6/opreator"));
    let told = changed(|j| {
        let p = j["nodes"][6]["parameters"].as_object_mut().unwrap();
        let value = p.shift_remove("weights").unwrap();
        p.insert("wieghts".into(), value);
    });
    assert_eq!(told.first(), Some(&(Code::JSON_PARAMETER, "/nodes/6/parameters/wieghts".to_owned())));
}

#[test]
fn edges_are_held_to_ports_and_slots() {
    let told = changed(|j| j["edges"][6]["port"] = "triger".into());
    assert_eq!(told, one(Code::JSON_PORT, "/edges/6/port"));
    let told = changed(|j| j["edges"][4]["slot"] = 3.into());
    assert_eq!(told, one(Code::JSON_SLOT, "/edges/4"));
    let told = changed(|j| j["edges"][4]["slot"] = 1.into());
    assert_eq!(told, one(Code::JSON_SLOT, "/edges/4"));
    let told = changed(|j| j["edges"][4]["source"] = "qualiti.2".into());
    assert_eq!(told, one(Code::JSON_UNKNOWN_NODE, "/edges/4/source"));
    let told = changed(|j| j["edges"][4]["operator"] = "harmful".into());
    assert_eq!(told.first(), Some(&(Code::JSON_PORT, "/edges/4/operator".to_owned())));
    let told = changed(|j| _ = j["edges"].as_array_mut().unwrap().remove(6));
    assert!(told.contains(&(Code::JSON_ARITY, "/nodes/7/operator".to_owned())), "{told:?}");
}

#[test]
fn weights_go_by_slot_and_points_by_item() {
    let told = changed(|j| j["nodes"][6]["parameters"]["weights"] = serde_json::json!([3]));
    assert_eq!(told, one(Code::JSON_WEIGHTS, "/nodes/6/parameters/weights"));
    let told = changed(|j| j["nodes"][5]["parameters"]["weights"] = serde_json::json!([10, 5]));
    assert_eq!(told, one(Code::JSON_CHECKLIST, "/nodes/5/parameters/weights/1"));
}

#[test]
fn a_cycle_is_printed_whole_and_all_else_is_still_checked() {
    let mut json = crate::graph::json::value(&sample());
    json["edges"][3]["source"] = "safe".into();
    json["nodes"][1]["type"] = "bol".into();
    let (_, told) = read_text(&json.to_string());
    let cycle = told.iter().find(|(code, _, _)| *code == Code::JSON_CYCLE).unwrap();
    assert_eq!(cycle.2, "nodes read each other in a circle: `quality` reads `safe` reads `quality`");
    assert!(told.iter().any(|(_, pointer, _)| pointer == "/nodes/1/type"), "{told:?}");
}

#[test]
fn what_nothing_uses_is_told_at_the_end_of_its_chain() {
    let told = changed(|j| {
        j["sink"] = "quality".into();
        j["readouts"][0]["source"] = "quality".into();
        j["readouts"][1]["source"] = "quality".into();
    });
    assert_eq!(told, one(Code::NEVER_USED, "/nodes/7/id"));
}

#[test]
fn a_changed_program_does_not_pass_under_its_old_digest() {
    let mut json = crate::graph::json::value(&sample());
    json["nodes"][7]["parameters"]["at"] = serde_json::json!(0.5);
    let (program, told) = read_text(&json.to_string());
    assert!(program.is_none());
    assert_eq!(told.into_iter().map(|(c, p, _)| (c, p)).collect::<Vec<_>>(), one(Code::JSON_DIGEST, "/digest"));
}

#[test]
fn types_are_inferred_and_compared() {
    let told = changed(|j| j["nodes"][6]["type"] = "score[0..0.5]".into());
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].1, "/nodes/6/type");
    let told = changed(|j| j["edges"][3]["source"] = "accurate".into());
    assert!(told.iter().any(|(_, pointer)| pointer == "/edges/3"), "{told:?}");
}

#[test]
fn many_faults_are_told_in_one_run() {
    let told = changed(|j| {
        j["fields"][0]["kind"] = "txt".into();
        j["nodes"][0]["levels"] = serde_json::json!([{"value": 9, "text": "x"}]);
        j["nodes"][1]["judge"] = serde_json::json!({"llm": {"sampels": 2}});
        j["readouts"][1]["tie"] = "frist".into();
        j["sink"] = 3.into();
    });
    let pointers: Vec<&str> = told.iter().map(|(_, p)| p.as_str()).collect();
    let wanted =
        ["/fields/0/kind", "/nodes/0/levels/0/value", "/nodes/1/judge/llm/sampels", "/sink", "/readouts/1/tie"];
    assert_eq!(pointers, wanted);
}

#[test]
fn nothing_makes_the_reader_panic() {
    let text = crate::graph::json::write(&sample());
    for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(7) {
        let (program, told) = read_text(&text[..cut]);
        assert!(program.is_none() && !told.is_empty());
    }
    let base = crate::graph::json::value(&sample());
    let mut paths = Vec::new();
    collect(&base, String::new(), &mut paths);
    let odd = [
        serde_json::json!(null),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!(-1.5),
        serde_json::json!("x"),
    ];
    for path in paths {
        for value in &odd {
            let mut json = base.clone();
            *json.pointer_mut(&path).unwrap() = value.clone();
            let (program, told) = read_text(&json.to_string());
            assert!(program.is_some() || !told.is_empty(), "{path} {value}: no program and no word about it");
        }
    }
}

fn collect(json: &serde_json::Value, at: String, out: &mut Vec<String>) {
    if !at.is_empty() {
        out.push(at.clone());
    }
    match json {
        serde_json::Value::Object(map) => {
            map.iter().for_each(|(k, v)| collect(v, format!("{at}/{k}"), out));
        }
        serde_json::Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| collect(v, format!("{at}/{i}"), out));
        }
        _ => {}
    }
}

/// What a JSON program is told to replace, it can replace: the text stays JSON, and the fault is gone.
#[test]
fn suggestions_keep_the_text_json() {
    let text = r#"{"format": "rubric-program/1", "rubric": "r",
      "fields": [{"name": "answer", "role": "candidate", "kind": "text"}], "candidate": "answer",
      "nodes": [
        {"id": "a", "kind": "criterion", "type": "score[0..1]", "ask": "Is \"it\" {{answr}}?", "sees": ["answer"], "judge": {"human": {"combine": "median"}}},
        {"id": "b", "kind": "criterion", "type": "bool", "ask": ["Is ", {"field": "anwser"}, "?"], "judge": {"human": {"combine": "majority"}}},
        {"id": "c", "kind": "criterion", "type": "bool", "ask": "Is it?", "sees": ["anser"], "judge": {"human": {"combine": "majority"}}}
      ],
      "edges": [], "sink": "a", "observe": ["b", "c"],
      "readouts": [{"mode": "pointwise", "kind": "native", "source": "a"}]}"#;
    let mut text = text.to_owned();
    let mut places = Vec::new();
    for _ in 0..6 {
        let source = Source::new(FileId(0), "program.json", None, text.as_str());
        let mut sink = Sink::new();
        read(&source, &mut sink);
        let Some((found, fix)) = sink.finish().into_iter().find_map(|d| Some((d.clone(), d.fix?))) else { break };
        let edit = &fix.edits[0];
        places.push(source.slice(edit.span).to_owned());
        text.replace_range(edit.span.range(), &edit.text);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{found:?}\n{text}");
    }
    assert_eq!(places, ["answr", "\"anwser\"", "\"anser\""]);
    let (program, told) = read_text(&text);
    assert!(program.is_some(), "{told:?}");
}
