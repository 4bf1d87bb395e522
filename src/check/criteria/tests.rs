//! What bodies, judges and checklists become.

use super::{ChecklistDraft, Surroundings, checklist, criterion};
use crate::diagnostics::{Diagnostic, Sink};
use crate::graph::{self, Combine, Procedure, TemplatePart, View};
use crate::rules::Scope;
use crate::source::{FileId, Source};
use crate::syntax::{self, ast};
use crate::types::{Field, FieldKind, Role, Type, Value};

fn fields() -> Vec<Field> {
    let field = |name: &str, role, kind| Field { name: name.into(), role, kind, optional: false, doc: "".into() };
    vec![
        field("question", Role::Input, FieldKind::Text),
        field("items", Role::Input, FieldKind::Json),
        field("pair.left", Role::Candidate, FieldKind::Text),
        field("pair.right", Role::Candidate, FieldKind::Text),
    ]
}

/// Elaborates the declarations of `text`: criteria and checklists, under its default judge.
fn elaborate(text: &str) -> (Vec<(graph::Criterion, Type)>, Vec<ChecklistDraft>, Vec<Diagnostic>) {
    let source = Source::new(FileId(0), "test.rubric", None, format!("rubric test\n{text}"));
    let mut sink = Sink::new();
    let file = syntax::parse(&source, &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.finish());
    let fields = fields();
    let default = file.items.iter().find_map(|i| match &i.kind {
        ast::ItemKind::DefaultJudge(judge) => Some(judge),
        _ => None,
    });
    let (mut criteria, mut lists) = (Vec::new(), Vec::new());
    let mut around = Surroundings::new(&fields, &|_| None, default, Scope::JUDGE, &mut sink);
    for item in &file.items {
        match &item.kind {
            ast::ItemKind::Criterion(c) => criteria.extend(criterion(&mut around, c)),
            ast::ItemKind::Checklist(c) => lists.push(checklist(&mut around, c, 0)),
            _ => {}
        }
    }
    (criteria, lists, sink.finish())
}

fn one(text: &str) -> (graph::Criterion, Type) {
    let (mut criteria, _, found) = elaborate(text);
    assert!(found.is_empty(), "{found:?}");
    criteria.pop().unwrap()
}

fn llm(criterion: &graph::Criterion) -> &graph::Llm {
    match &criterion.procedure {
        Procedure::Llm(llm) => llm,
        other => panic!("{other:?}"),
    }
}

#[test]
fn defaults_follow_the_type() {
    for (ty, combine) in [
        ("bool", Combine::Majority),
        ("int[1..5]", Combine::Median),
        ("score[0..1]", Combine::Mean),
        ("ordinal(a < b)", Combine::Majority),
        ("choice(a, b)", Combine::Majority),
        ("set(a, b)", Combine::PerLabel),
        ("tally(a, b) max 3", Combine::PerLabel),
    ] {
        let (criterion, node) = one(&format!("criterion c: {ty} \"?\""));
        assert_eq!(llm(&criterion).combine, combine, "{ty}");
        assert_eq!(node.to_string(), ty);
        assert_eq!(criterion.sees.len(), 4);
        assert_eq!(*llm(&criterion).models, ["default".into()]);
    }
}

#[test]
fn mean_and_expected_change_the_node_but_not_the_question() {
    let (criterion, node) = one("criterion c: int[1..5]? \"?\" { judge llm(combine: expected) }");
    assert_eq!((criterion.ty.to_string(), node.to_string()), ("int[1..5]?".into(), "score[1..5]?".into()));
    let (_, node) = one("criterion c: bool \"?\" { judge human(combine: mean) }");
    assert_eq!(node, Type::UNIT);
}

#[test]
fn a_criterion_changes_only_what_it_names() {
    let text = "default judge llm(model: strong, samples: 3, evidence: required)\n\
                criterion c: int[1..5] \"?\" { judge llm(panel: [a, b], samples: 5) }";
    let llm = llm(&one(text).0).clone();
    assert_eq!((llm.samples, llm.evidence), (5, true));
    assert_eq!(*llm.models, ["a".into(), "b".into()]);
    let (criterion, _) = one("default judge human\ncriterion c: int[1..5] \"?\"");
    assert_eq!(criterion.procedure, Procedure::Human { combine: Combine::Median });
}

#[test]
fn swapped_orders_must_agree() {
    let (criterion, _) = one("criterion c: bool? \"?\" { judge llm(view: swapped) }");
    assert_eq!((llm(&criterion).view, llm(&criterion).combine), (View::Swapped, Combine::Unanimous));
}

#[test]
fn a_cascade_keeps_the_shared_parameters() {
    let text = "default judge llm(samples: 3)\ncriterion c: bool \"?\" \
                { judge llm(model: quick) else llm(model: strong) when confidence < 0.8 }";
    let Procedure::Cascade { first, second, threshold } = one(text).0.procedure else { panic!() };
    assert_eq!((first.samples, second.samples, threshold.exact()), (3, 3, "0.8".to_owned()));
    assert_eq!((&*first.models[0], &*second.models[0]), ("quick", "strong"));
}

#[test]
fn holes_become_fields() {
    let (criterion, _) = one("criterion c: bool \"Is {{ pair.left }} an answer to \\{{question}}?\"");
    let shown: Vec<String> = criterion
        .ask
        .parts
        .iter()
        .map(|p| match p {
            TemplatePart::Text(text) => text.to_string(),
            TemplatePart::Field(id) => format!("<{}>", fields()[id.0 as usize].name),
        })
        .collect();
    assert_eq!(shown[..2], ["Is ".to_owned(), "<pair.left>".to_owned()]);
}

#[test]
fn seeing_a_record_is_seeing_its_parts() {
    let (criterion, _) = one("criterion c: bool \"?\" { sees pair, question }");
    let names: Vec<_> = criterion.sees.iter().map(|id| fields()[id.0 as usize].name.to_string()).collect();
    assert_eq!(names, ["pair.left", "pair.right", "question"]);
}

#[test]
fn levels_and_examples_are_values_of_the_type() {
    let text = "criterion c: int[-2..2]? \"?\" { level -2 \"bad\" level unknown \"cannot tell\" \
                example { question: \"q\", judgment: 1, because: \"b\" } }";
    let (criterion, _) = one(text);
    assert_eq!(criterion.levels[0].0, Value::Number((-2_i64).into()));
    assert_eq!(criterion.levels[1].0, Value::Unknown);
    assert_eq!(criterion.examples[0].judgment, Value::Number(1_i64.into()));
    assert_eq!(criterion.examples[0].fields[0].1, serde_json::json!("q"));
    let (criterion, _) = one("criterion c: tally(minor, major) max 3 \"?\" { level major \"bad\" }");
    assert_eq!(criterion.levels[0].0, Value::Tally([0, 1].into()));
}

#[test]
fn items_inherit_what_their_groups_say() {
    let text = "default judge llm(samples: 3)\nchecklist care: bool? {\n judge human\n tag axis \"tone\"\n\
                group a weight 2 { sees question\n tag axis \"safety\"\n +2 x \"X\" { tag kind \"k\" }\n\
                group b { -1 \"Y\" { judge llm(samples: 5) } } }\n +1 \"Z\" }";
    let (_, lists, found) = elaborate(text);
    assert!(found.is_empty(), "{found:?}");
    let list = &lists[0];
    let shown: Vec<_> = list
        .items
        .iter()
        .map(|i| (i.name.to_string(), i.points.exact(), i.group.map(|g| list.groups[g].id.to_string())))
        .collect();
    assert_eq!(
        shown,
        [
            ("care.x".into(), "2".into(), Some("a".into())),
            ("care.2".into(), "-1".into(), Some("b".into())),
            ("care.3".into(), "1".into(), None)
        ]
    );
    let criterion = |n: usize| list.items[n].criterion.clone().unwrap();
    assert_eq!(criterion(0).tags, [("axis".into(), "safety".into()), ("kind".into(), "k".into())]);
    assert_eq!(criterion(2).tags, [("axis".into(), "tone".into())]);
    assert_eq!(criterion(0).procedure, Procedure::Human { combine: Combine::Majority });
    assert_eq!(llm(&criterion(1)).samples, 5);
    assert_eq!((criterion(1).sees.len(), criterion(2).sees.len()), (1, 4));
    assert_eq!(list.groups[1].parent, Some(0));
    assert!(list.optional);
}

#[test]
fn items_that_come_with_a_record_do_not_see_each_other() {
    let (_, lists, found) = elaborate("checklist care from items { judge human }");
    assert!(found.is_empty(), "{found:?}");
    let from = lists[0].from.as_ref().unwrap();
    assert!(!from.template.sees.contains(&from.field));
}

#[test]
fn conflicts_are_told_before_any_call() {
    for (text, code) in [
        ("criterion c: bool \"?\" { judge llm(combine: unanimous) }", "R0512"),
        ("criterion c: bool \"?\" { judge llm(model: a, panel: [b]) }", "R0512"),
        ("criterion c: bool \"?\" { sees question judge llm(evidence: required) }", "R0512"),
        ("criterion c: bool? \"?\" { judge llm(each: \"claim\") }", "R0512"),
        ("criterion c: score[0..1]? \"?\" { judge llm(each: \"claim\", samples: 2) }", "R0512"),
        ("criterion c: score[0..1]? \"?\" { judge llm(each: \"claim\") else llm when confidence < 0.5 }", "R0512"),
        ("criterion c: int[1..5] \"?\" { judge human(combine: expected) }", "R0512"),
        ("criterion c: bool \"?\" { judge llm(a) else human when confidence < 0.5 }", "R0512"),
        ("criterion c: bool \"?\" { judge llm(samples: 3, samples: 5) }", "R0502"),
        ("criterion c: bool \"?\" { judge llm(confidence: 0.5) }", "R0509"),
        ("criterion c: bool \"?\" { judge llm(panel: []) }", "R0510"),
        ("criterion c: bool \"?\" { judge llm else llm when confidence < 2 }", "R0510"),
    ] {
        let (_, _, found) = elaborate(text);
        let codes: Vec<String> = found.iter().map(|d| d.code.to_string()).collect();
        assert_eq!(codes, [code], "{text}: {found:?}");
    }
}
