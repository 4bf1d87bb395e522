//! Tests of the importers.

use super::{dsg, names, paperbench};
use crate::diagnostics::Sink;
use crate::source::{FileId, Source};
use serde_json::json;

fn source(text: &str) -> Source {
    Source::new(FileId(0), "questions.csv", None, text)
}

const HEADER: &str = "item_id,text,proposition_id,dependency,category_broad,question_natural_language\n";

fn codes(rows: &str, mend: bool) -> Vec<(String, bool)> {
    let mut sink = Sink::new();
    dsg::questions(&source(&format!("{HEADER}{rows}")), mend, &mut sink);
    sink.finish().iter().map(|d| (d.code.to_string(), d.is_error())).collect()
}

#[test]
fn every_defect_of_a_graph_is_named() {
    let rows = "a,A cat,1,0,entity,Is there a cat?\na,A cat,2,2,entity,Is it red?\na,A cat,3,9,entity,Is it big?\n\
                a,A cat,4,\"1, left\",entity,Is it left?\nb,A dog,1,2,entity,Is there a dog?\nb,A dog,2,1,entity,Is it red?\n\
                c,A cow,1,0,entity,Is there a cow?\nc,A cow,1,0,entity,Is it red?\nc,A cow,x,0,entity,Is it big?\n";
    let expected = ["R1004", "R1003", "R1006", "R1005", "R1007", "R1002"];
    let found = codes(rows, false);
    assert_eq!(found.iter().map(|(c, _)| c.as_str()).collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|(_, error)| *error));
    // Mending drops edges; it does not make up questions.
    let mended = codes(rows, true);
    assert_eq!(mended.iter().map(|(_, error)| *error).collect::<Vec<_>>(), [false, false, false, false, true, true]);
}

#[test]
fn the_place_names_item_and_row() {
    let mut sink = Sink::new();
    dsg::questions(
        &source(&format!("{HEADER}a,A cat,1,0,entity,Is there a cat?\na,A cat,2,7,entity,Is it red?\n")),
        false,
        &mut sink,
    );
    let found = sink.finish();
    assert_eq!(found[0].headline, "item `a`, row 3: question 2 depends on question 7, which does not exist");
}

#[test]
fn a_missing_column_is_named_with_the_nearest() {
    let mut sink = Sink::new();
    let items = dsg::questions(
        &source("item_id,text,proposition_id,dependencies,question_natural_language\n"),
        false,
        &mut sink,
    );
    assert!(items.is_empty());
    let found = sink.finish();
    assert_eq!(found[0].code.to_string(), "R1001");
    assert!(found[0].help.as_deref().unwrap().contains("dependencies"));
}

#[test]
fn short_rows_are_told_not_skipped() {
    assert_eq!(codes("a,A cat,1\n", false), [("R1002".to_owned(), true)]);
}

#[test]
fn answers_become_judgments() {
    let mut sink = Sink::new();
    let items = dsg::questions(
        &source(&format!("{HEADER}a_1,A {{cat}},1,0,entity,Is there a cat?\na_1,A cat,2,1,entity,Is it red?\n")),
        false,
        &mut sink,
    );
    assert!(items[0].program().contains("gate on2 = veto(q2, to: false, unknown: passes) unless q1"));
    let given = source("t2i_model,item_id,question_id,answer\nm,a_1,1,yes bananas\n");
    let records = dsg::answers(&given, &items, &mut sink);
    assert!(sink.is_empty());
    assert_eq!(records[0]["judgments"], json!({"q1": false, "q2": "unknown"}));
    assert_eq!(records[0]["rubric"], "dsg_a_1");
    dsg::answers(&source("t2i_model,item_id,question_id,answer\nm,a_1,3,yes\n"), &items, &mut sink);
    assert_eq!(sink.finish()[0].code.to_string(), "R1009");
}

#[test]
fn a_tree_becomes_groups_and_items() {
    let tree = json!({"id": "root", "requirements": "All", "weight": 1, "sub_tasks": [
        {"id": "12-ab", "requirements": "Say \"{{x}}\"", "weight": 2, "sub_tasks": [
            {"id": "leaf", "requirements": "One", "weight": 3, "score": 1, "task_category": "Code Development"}]},
        {"id": "leaf", "requirements": "Two", "weight": 1, "score": 0.0}]});
    let found = paperbench::import(&tree, "my-paper").unwrap();
    assert_eq!(found.shape, [4, 2, 2]);
    assert!(found.program.contains("group n_12_ab weight 2 \"Say \\\"\\{\\{x}}\\\"\" {"), "{}", found.program);
    assert_eq!(found.record.unwrap()["judgments"], json!({"paper.leaf": true, "paper.leaf_2": false}));
    assert_eq!(found.inner, [("12-ab".to_owned(), "replication.n_12_ab".to_owned())]);
}

#[test]
fn faults_of_a_tree_have_a_path() {
    let tree = json!({"id": "root", "requirements": "All", "weight": 1, "sub_tasks": [
        {"id": "a", "requirements": "", "weight": 0, "sub_tasks": [{"id": "b", "requirements": "x", "score": 0.5}]}]});
    let errors = paperbench::import(&tree, "p").unwrap_err();
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[0].starts_with("the root > a: `weight`"), "{told:?}");
    assert!(told[2].starts_with("the root > a > b: `weight` is missing"), "{told:?}");
}

#[test]
fn braces_and_control_characters_stay_text() {
    assert_eq!(super::literal("a {b} \u{b} \"c\""), "\"a \\{b} \\u{b} \\\"c\\\"\"");
    let text = format!(
        "rubric p\ncandidate a: text\ncriterion c: bool {}\nreadout pointwise = c\n",
        super::literal("{{\u{b}}} \u{7f}\"")
    );
    let opened = crate::project::open_text("p", std::path::Path::new("."), text);
    assert!(opened.diagnostics.is_empty(), "{:?}", opened.diagnostics);
}

#[test]
fn foreign_names_become_names() {
    for (foreign, name) in
        [("whoops_5", "whoops_5"), ("5 cats", "n_5_cats"), ("not", "not_"), ("ß", "item"), ("first", "first_")]
    {
        assert_eq!(names::name_of(foreign), name);
    }
}
