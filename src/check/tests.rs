//! Tests of the checker as a whole: what nodes a text becomes, and that size does no harm.

use super::{Checked, check};
use crate::diagnostics::Code;
use crate::graph::{NodeKind, Origin, Program};
use crate::source::FileId;
use crate::source::files::Files;
use crate::types::Type;
use std::path::Path;

const HEAD: &str = "rubric example\n\ninput minor: flag\ninput minutes: number?\ncandidate answer: text\n\n\
    criterion a: score[0..1] \"a?\"\ncriterion b: score[0..1] \"b?\"\ncriterion bad: bool \"bad?\"\n\
    checklist care {\n  group safety weight 2 \"s\" {\n    +3 dose \"d\"\n    group deep weight 1 \"x\" { +1 \"y\" }\n  }\n  +1 kind \"k\"\n}\n\n";

fn checked(text: &str) -> Checked {
    let mut files = Files::memory(&[("example.rubric", text)]);
    check(&mut files, FileId(0))
}

/// The program of declarations behind [`HEAD`], of which `score` is read; what else there is is observed.
fn program(declarations: &str) -> Program {
    let text =
        format!("{HEAD}{declarations}\nreadout pointwise = score\nobserve a\nobserve b\nobserve bad\nobserve care\n");
    let checked = checked(&text);
    let found: Vec<_> = checked.diagnostics.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
    checked.program.unwrap_or_else(|| panic!("{found:?}"))
}

fn names(program: &Program, prefix: &str) -> Vec<String> {
    let under = |name: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
    program.nodes.iter().map(|n| n.name.to_string()).filter(|n| under(n)).collect()
}

fn ty(program: &Program, name: &str) -> String {
    let node = program.nodes.iter().find(|n| &*n.name == name);
    node.map_or_else(|| panic!("no node {name}"), |n| n.ty.to_string())
}

#[test]
fn nested_parts_are_called_after_parent_and_place() {
    let p = program("reduce score = mean(invert(a), clamp(a + b / 2, to: score[0..1]), b)");
    assert_eq!(names(&p, "score"), ["score.1", "score.2.x.right", "score.2.x", "score.2", "score"]);
    assert_eq!(ty(&p, "score.2.x"), "score[0..1.5]");
    assert_eq!(&*p.node(p.sink).unwrap().name, "score");
}

#[test]
fn triggers_conditions_and_unless() {
    let p = program("gate score = cap(mean(a, b), at: 0.5) unless bad and not care.dose and minor");
    assert_eq!(names(&p, "score"), ["score.base", "score.when.x.2", "score.when.x", "score.when", "score"]);
    assert_eq!(names(&p, "minor"), ["minor"]);
    let p = program("gate score = floor(a, at: 0.5) when a > b or b > 0.5");
    assert_eq!(names(&p, "score"), ["score.when.1", "score.when.2", "score.when", "score"]);
}

#[test]
fn every_node_comes_after_what_it_reads() {
    let p = program("reduce score = mean(later, a)\ntransform later = invert(latest)\nreduce latest = min(a, b)");
    for (at, node) in p.nodes.iter().enumerate() {
        if let NodeKind::Operator(operation) = &node.kind {
            assert!(operation.sources().all(|id| id.index() < at), "{}", node.name);
        }
    }
    assert_eq!(p.nodes.iter().filter(|n| &*n.name == "later").count(), 1);
}

#[test]
fn flags_are_shared_and_field_comparisons_are_named_by_place() {
    let p = program(
        "gate first_gate = cap(a, at: 0.5) when minor\ngate score = cap(first_gate, at: 0.4, unknown: passes) when minor or minutes >= 3",
    );
    assert_eq!(names(&p, "minor"), ["minor"]);
    let node = p.nodes.iter().find(|n| &*n.name == "score.when.2").unwrap();
    assert_eq!(node.ty, Type::BOOL.optional());
    assert!(matches!(&node.kind, NodeKind::Criterion(c) if c.origin == Origin::Implied));
}

#[test]
fn a_tree_has_a_node_for_every_group() {
    let p = program("reduce score = tree(care)");
    assert_eq!(names(&p, "score"), ["score.safety.deep", "score.safety", "score"]);
    let NodeKind::Operator(operation) = &p.nodes[p.sink.index()].kind else { panic!() };
    let weights: Vec<String> = operation.params.weights.iter().map(ToString::to_string).collect();
    assert_eq!(weights, ["2", "1"]);
    assert_eq!(names(&p, "care"), ["care.dose", "care.2", "care.kind"]);
}

#[test]
fn bundles_are_items_with_their_points() {
    let p = program("reduce score = points(care.safety, bad weight -2)");
    let NodeKind::Operator(operation) = &p.nodes[p.sink.index()].kind else { panic!() };
    let weights: Vec<String> = operation.params.weights.iter().map(ToString::to_string).collect();
    assert_eq!(weights, ["3", "1", "-2"]);
    assert_eq!(ty(&p, "score"), "score[-0.5..1]");
}

#[test]
fn defines_unfold_into_nodes_of_their_own() {
    let p = program(
        "define soft(x: score[0..1]): score[0..1] = clamp(x * 2 - 1/2, to: score[0..1])\n\
         reduce score = mean(soft(mean(a, b)), soft(a / 2))",
    );
    assert_eq!(
        names(&p, "score"),
        [
            "score.1.x",
            "score.1.soft.x.left",
            "score.1.soft.x",
            "score.1",
            "score.2.x",
            "score.2.x.widened",
            "score.2.soft.x.left",
            "score.2.soft.x",
            "score.2",
            "score",
        ]
    );
}

#[test]
fn a_written_type_replaces_a_narrower_one() {
    let p = program("transform half: score[0..1] = a / 2\nreduce score = mean(half, b)");
    assert_eq!(ty(&p, "half"), "score[0..1]");
}

#[test]
fn libraries_bring_only_what_is_asked_for() {
    let mut files = Files::memory(&[
        (
            "main.rubric",
            "rubric main\nuse \"lib.rubric\" as lib\ncandidate answer: text\nreadout pointwise = lib.score\n",
        ),
        (
            "lib.rubric",
            "library lib\nuse \"base.rubric\" as base\ncriterion a: bool \"a?\"\ncriterion b: bool \"b?\"\n\
             checklist c { +1 x \"x\" +2 y \"y\" }\nreduce score = all(a, c.y, base.deep)\n",
        ),
        ("base.rubric", "library base\ncriterion deep: bool \"deep?\"\ncriterion other: bool \"other?\"\n"),
    ]);
    let checked = check(&mut files, FileId(0));
    assert_eq!(checked.diagnostics, []);
    let p = checked.program.unwrap();
    let names: Vec<&str> = p.nodes.iter().map(|n| &*n.name).collect();
    assert_eq!(names, ["lib.a", "lib.base.deep", "lib.c.y", "lib.score"]);
    assert_eq!(p.checklists.len(), 1);
    assert_eq!((&*p.checklists[0].name, p.checklists[0].items[0].number), ("lib.c", 2));
}

#[test]
fn a_library_alone_is_checked_whole() {
    let checked =
        checked("library lib\ncandidate answer: text\ncriterion a: int[5..1] \"a?\"\ntransform b = nomalize(a)\n");
    let codes: Vec<Code> = checked.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::EMPTY_RANGE, Code::UNKNOWN_OPERATOR]);
    assert!(checked.program.is_none());
}

#[test]
fn a_hundred_thousand_criteria_and_a_chain_as_long() {
    let mut text = String::from("rubric long\ncandidate answer: text\ncriterion c0: score[0..1] \"q\"\n");
    for at in 1..=100_000 {
        text.push_str(&format!("transform c{at} = invert(c{})\n", at - 1));
    }
    text.push_str("readout pointwise = c100000\n");
    let chain = checked(&text);
    assert_eq!(chain.diagnostics, []);
    assert_eq!(chain.program.map(|p| p.nodes.len()), Some(100_001));

    let mut text = String::from("rubric wide\ncandidate answer: text\n");
    for at in 0..100_000 {
        text.push_str(&format!("criterion c{at}: score[0..1] \"q\"\n"));
    }
    text.push_str("reduce score = mean(");
    for at in 0..100_000 {
        text.push_str(&format!("c{at}, "));
    }
    text.push_str(")\nreadout pointwise = score\n");
    let wide = checked(&text);
    assert_eq!(wide.diagnostics, []);
    assert_eq!(wide.program.map(|p| p.nodes.len()), Some(100_001));
}

#[test]
fn a_long_circle_is_one_mistake() {
    let mut text = String::from("rubric long\ncandidate answer: text\n");
    for at in 0..20_000 {
        text.push_str(&format!("transform c{at} = invert(c{})\n", (at + 1) % 20_000));
    }
    text.push_str("readout pointwise = c0\n");
    let codes: Vec<Code> = checked(&text).diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::CYCLE]);
}

#[test]
fn deep_expressions_and_deep_definitions_do_not_overflow() {
    let nested = |depth: usize| format!("{}a{}", "invert(".repeat(depth), ")".repeat(depth));
    let p = program(&format!("transform score = {}", nested(150)));
    assert_eq!(names(&p, "score").len(), 150);
    let p = program(&format!("reduce score = clamp(a{}, to: score[0..1])", " + b".repeat(190)));
    assert_eq!(names(&p, "score").len(), 191);
    let p = program(&format!(
        "define deep(x: score[0..1]): score[0..1] = {}\ntransform score = {}",
        nested(140).replace('a', "x"),
        nested(60).replace('a', "deep(a)")
    ));
    assert_eq!(names(&p, "score").len(), 200);
    let defines: String = (1..200)
        .map(|at| format!("define d{at}(x: score[0..1]): score[0..1] = invert(invert(d{}(x)))\n", at - 1))
        .collect();
    let text = format!(
        "{HEAD}define d0(x: score[0..1]): score[0..1] = invert(x)\n{defines}transform score = d199({})\n\
         readout pointwise = score\nobserve b\nobserve bad\nobserve care\n",
        nested(100)
    );
    let codes: Vec<Code> = checked(&text).diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::DEFINE_TOO_DEEP]);
}

#[test]
fn the_shared_programs_are_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/programs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return;
    };
    let mut seen = 0;
    for path in entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "rubric")) {
        let (mut files, file) = Files::open(&path).unwrap();
        let checked = check(&mut files, file);
        let found: Vec<_> = checked.diagnostics.iter().map(|d| format!("{} {}", d.code, d.headline)).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        assert!(checked.program.is_some());
        seen += 1;
    }
    assert!(seen > 0);
}

/// A field that a text inserts under a wrong name is shown where it is named, and only that is replaced.
#[test]
fn a_wrong_hole_is_told_at_the_hole() {
    for (literal, written) in [
        ("\"🙂 \\n{{answr}}?\"", "answr"),
        ("\"{{answer}} {{ answr }}\"", " answr "),
        ("\"\"\"\n    One\n    \\\"{{answr}}\n  \"\"\"", "answr"),
    ] {
        let text =
            format!("rubric r\ncandidate answer: text\ncriterion a: score[0..1] {literal}\nreadout pointwise = a\n");
        let found = checked(&text).diagnostics;
        assert_eq!((found.len(), found[0].code), (1, Code::UNKNOWN_NAME), "{literal} {found:?}");
        let span = found[0].span();
        assert_eq!(&text[span.range()], written);
        let edit = &found[0].fix.as_ref().unwrap().edits[0];
        let mended = format!("{}{}{}", &text[..span.start as usize], edit.text, &text[span.end as usize..]);
        assert_eq!(edit.span, span);
        assert!(checked(&mended).diagnostics.is_empty(), "{mended}");
    }
}

#[test]
fn an_empty_hole_is_told_with_its_braces() {
    let text = "rubric r\ncandidate answer: text\ncriterion a: score[0..1] \"Is {{}} good?\"\nreadout pointwise = a\n";
    let found = checked(text).diagnostics;
    assert_eq!((found.len(), found[0].code, &text[found[0].span().range()]), (1, Code::BAD_HOLE, "{{}}"));
}
