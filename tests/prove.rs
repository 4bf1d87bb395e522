//! What the prover decides, on programs as authors write them: verdicts, counterexamples that are tests, and programs that a
//! plain search over intervals does not decide.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where something is not as it should be"
)]

#[path = "support/rubrics.rs"]
mod rubrics;

use rubric_lang::graph::Program;
use rubric_lang::project;
use rubric_lang::prove::{Budget, Counterexample, Verdict, prove};
use rubric_lang::run::spec::{Answer, Tester};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

fn open(text: &str) -> Arc<Program> {
    let opened = project::open_text("p.rubric", Path::new("."), text.to_owned());
    let errors: Vec<_> = opened.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    opened.program.unwrap()
}

/// Plenty of time, as tests run unoptimised and beside each other; the cases are what counts.
fn budget(boxes: u64) -> Budget {
    Budget { boxes, time: Duration::from_secs(60) }
}

fn verdicts(text: &str, boxes: u64) -> Vec<Verdict> {
    let program = open(text);
    program.requires.iter().map(|require| prove(&program, require, &budget(boxes))).collect()
}

/// Every requirement is proved within so many cases each.
fn proved(text: &str, boxes: u64) {
    let program = open(text);
    assert!(!program.requires.is_empty());
    for require in &program.requires {
        let verdict = prove(&program, require, &budget(boxes));
        assert!(verdict.is_proved(), "{}: {verdict:?}", require.text);
    }
}

fn broken(text: &str) -> (Arc<Program>, Counterexample) {
    let program = open(text);
    match prove(&program, &program.requires[0], &budget(10_000)) {
        Verdict::Disproved(found) => (program, found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_that_intervals_alone_do_not_decide() {
    for (name, text) in rubrics::HARD {
        let program = open(&text());
        for require in &program.requires {
            let verdict = prove(&program, require, &budget(200));
            assert!(verdict.is_proved(), "{name}: {}: {verdict:?}", require.text);
        }
    }
}

#[test]
fn every_requirement_of_the_programs_beside_the_project_is_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/programs");
    if !folder.exists() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return;
    }
    let mut count = 0;
    let files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in files.iter().filter(|path| path.extension().is_some_and(|e| e == "rubric")) {
        let program = project::open(file).unwrap().program.unwrap();
        for require in &program.requires {
            let verdict = prove(&program, require, &budget(1_000));
            assert!(verdict.is_proved(), "{}: {}: {verdict:?}", file.display(), require.text);
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} requirements");
}

/// The counterexample of a program's only requirement, pasted into it, is a test that fails where it should.
fn pasted(text: &str) {
    let (program, found) = broken(text);
    let test = found.test(&program, &program.requires[0]);
    let extended = format!("{text}\n{test}\n");
    let extended = open(&extended);
    let tests = &extended.tests;
    assert!(!tests.is_empty(), "{test}");
    let tester = Tester::new(&extended);
    let report = tester.run(tests.last().unwrap());
    assert_eq!(report.fault, None, "{test}");
    assert_eq!(report.expects.last().unwrap().answer, Answer::Fails, "{test}\n{report:#?}");
    for earlier in &tests[..tests.len() - 1] {
        assert!(tester.run(earlier).passed(), "{test}");
    }
}

#[test]
fn a_counterexample_is_a_test_that_fails() {
    let base = r#"rubric p
        input minor: flag
        input limit: number
        reference rules: json
        candidate answer: text
        criterion facts: int[1..5]? "Facts?"
        criterion grade: ordinal(bad < fair < good) "Grade?"
        criterion sound: score[0..1] "Sound?"
        criterion tone: choice(kind, "rather rude") "Tone?"
        criterion faults: tally(minor_one, major) max 3 "Faults?"
        criterion marks: set(x, y) "Marks?"
        criterion asked: int[1..3] { ask "Asked?" sees limit }
        checklist care { group g { +3 a "A" -2 b "B" } +1 "C" }
        checklist extra from rules
        reduce q = weighted_mean(normalize(grade) weight 2, sound weight 1, otherwise(normalize(facts), 0) weight 1,
          clamp(points(care), to: score[0..1]) weight 1, clamp(points(extra), to: score[0..1]) weight 1,
          clamp(1 - 0.2 * count_of(faults, major), to: score[0..1]) weight 1, normalize(asked) weight 1)
        gate r = veto(q) when tone == "rather rude" or has(marks, x)
        gate s = cap(r, at: 0.9) when minor or limit > 3
        readout pointwise = quantize(s, to: int[1..5])
        readout pointwise ok = pass(s, at: 0.5)
        readout pairwise = prefer(s, margin: 0.1, tie: by(grade))
    "#;
    for require in [
        "require { pointwise <= 4 }",
        "require { when facts == unknown: not ok }",
        "require { when tone == kind: not ok }",
        "require { when faults != unknown and has_x: pointwise == 1 }",
        "require { when first.grade == second.grade: pairwise == tie }",
        "require { when first.facts == unknown: pairwise != first, when second.s > 0.3: pairwise == second }",
        "require { when marks == unknown or points_care < 0: not ok }",
        "require decreasing(grade)",
        "require decreasing(care)",
        "require increasing(faults)",
        "require decreasing(asked)",
        "require increasing(minor)",
        "require { s < 0.999 }",
    ] {
        let extra =
            "transform has_x = has(marks, y)\nreduce points_care = points(care)\nobserve has_x observe points_care\n";
        let require = match require {
            r if r.contains("faults != unknown") => "require { when has_x: pointwise == 1 }",
            r if r.contains("marks == unknown") => "require { when points_care < 0: not ok }",
            r => r,
        };
        pasted(&format!("{base}{extra}{require}\n"));
    }
}

#[test]
fn ties_by_id_go_either_way() {
    let text = r#"rubric p candidate answer: text criterion q: int[1..3] "Q?"
        readout pairwise = prefer(q, tie: by_id) readout pointwise = q
    "#;
    pasted(&format!("{text}require {{ when first.q == second.q: pairwise == first }}"));
    pasted(&format!("{text}require {{ when first.q == second.q: pairwise == second }}"));
    proved(&format!("{text}require {{ when first.q == second.q: pairwise == first or pairwise == second }}"), 10);
}

#[test]
fn strict_bounds_are_exact() {
    let text = r#"rubric p candidate answer: text
        criterion a: score[0..1] "A?" criterion b: score[0..1] "B?" criterion i: int[0..4] "I?"
        reduce low = min(a, b) reduce middle = mean(a, b)
        readout pointwise = middle observe low observe i
    "#;
    proved(&format!("{text}require {{ when a > 0.3 and b > 0.3: low > 0.3 }}"), 20);
    proved(&format!("{text}require {{ when a > 0.3 and b >= 0.3: middle > 0.3 }}"), 20);
    proved(&format!("{text}require {{ when a < 0.5: middle < 0.75 }}"), 20);
    proved(&format!("{text}require {{ when i > 3: i == 4 }}"), 20);
    proved(&format!("{text}require reachable(middle > 0.9999999)"), 20);
    pasted(&format!("{text}require {{ when a > 0.3 and b >= 0.3: low > 0.3 }}"));
    pasted(&format!("{text}require {{ when a <= 0.5: middle < 0.75 }}"));
}

#[test]
fn what_abstains_is_neither_above_nor_below() {
    let text = r#"rubric p candidate answer: text
        criterion a: int[1..5]? "A?" readout pointwise = a readout pairwise = prefer(a)
    "#;
    pasted(&format!("{text}require {{ pointwise >= 1 }}"));
    pasted(&format!("{text}require {{ pointwise != 9 }}"));
    proved(&format!("{text}require {{ pointwise >= 1 or pointwise == unknown }}"), 10);
    proved(&format!("{text}require {{ when first.a == unknown: pairwise == unknown }}"), 10);
    pasted(&format!("{text}require {{ when first.a == unknown: pairwise != unknown }}"));
    proved(&format!("{text}require increasing(a)"), 10);
}

#[test]
fn criteria_that_see_no_candidate_are_the_same_for_both() {
    let text = r#"rubric p input question: text candidate answer: text
        criterion hard: int[1..5] { ask "How hard?" sees question }
        criterion good: int[1..5] "How good?"
        reduce s = sum(hard, good) readout pointwise = s readout pairwise = prefer(s)
    "#;
    proved(&format!("{text}require {{ first.hard == second.hard }}"), 10);
    proved(&format!("{text}require {{ when first.good > second.good: pairwise == first }}"), 50);
}

#[test]
fn comparisons_of_one_number_go_together() {
    let text = r#"rubric p input words: number input limit: number? candidate answer: text
        criterion q: score[0..1] "Q?"
        gate a = cap(q, at: 0.8) when words > 100
        gate b = cap(a, at: 0.5) when words > 200
        gate c = cap(b, at: 0.3, unknown: passes) when limit <= 3
        gate d = cap(c, at: 0.4, unknown: passes) when limit < 2
        readout pointwise = d
    "#;
    // What has over 200 words has over 100.
    proved(&format!("{text}observe a observe b require {{ when q == 0.9 and b == 0.5: a == 0.8 }}"), 60);
    proved(&format!("{text}require {{ pointwise != 0.4 or q == 0.4 }}"), 60);
    pasted(&format!("{text}require {{ when q > 0.9: pointwise > 0.9, when q == 1: pointwise == 1 }}"));
    pasted(&format!("{text}require {{ when q == 1: pointwise != 0.8 }}"));
}

#[test]
fn real_numbers_that_balance_each_other_are_decided() {
    let text = r#"rubric p candidate answer: text
        criterion a: score[0..1] "A?" criterion b: score[0..1] "B?" criterion c: score[0..10] "C?"
        criterion h: bool "H?" criterion i: int[1..5] "I?"
        reduce q = weighted_mean(a weight 2, b weight 1, normalize(c) weight 1, normalize(i) weight 1)
        gate f = cap(q, at: 0.3) when h
        readout pointwise = f readout pointwise stars = quantize(f, to: int[1..5])
        readout pairwise = prefer(f, margin: 0.02, tie: by(not h, a))
    "#;
    let same = "first.b == second.b and first.c == second.c and first.i == second.i and first.h == second.h";
    let above = "first.b >= second.b and first.c >= second.c and first.i >= second.i and (second.h or not first.h)";
    proved(&format!("{text}require {{ when {same} and first.a > second.a: pairwise != second }}"), 100);
    proved(&format!("{text}require {{ when {same} and first.a > second.a: first.f >= second.f }}"), 100);
    proved(&format!("{text}require {{ when {above} and first.a > second.a: pairwise != second }}"), 300);
    proved(&format!("{text}require {{ when {above} and first.a > second.a: first.stars >= second.stars }}"), 300);
    proved(&format!("{text}require {{ when first.h and not second.h and second.q > 0.3: pairwise == second }}"), 300);
    pasted(&format!("{text}require {{ when {same} and first.a > second.a: first.f > second.f }}"));
    pasted(&format!("{text}require {{ when {same} and first.a > second.a: first.stars > second.stars }}"));
    pasted(&format!("{text}require {{ when first.i > second.i and first.a >= second.a: pairwise != second }}"));
}

/// What balances is solved over all numbers, but only some sums of points can come about.
#[test]
fn a_counterexample_is_made_of_sums_that_items_can_come_to() {
    pasted(
        r#"rubric p candidate answer: text criterion a: int[0..2] "A?" criterion b: int[1..3] "B?" criterion h: bool "H?"
        checklist care { +1 i0 "A" +1 i1 "B" +1 i2 "C" +1 i3 "D" }
        transform aa = normalize(a) reduce s = points(care) transform s01 = clamp(s, to: score[0..1])
        reduce n = count(not care.i0)
        reduce q = weighted_mean(aa weight 1, normalize(b) weight 1, s01 weight 3)
        gate g1 = cap(q, at: 0.6) when care.i0
        gate g2 = floor(g1, at: 0.1) when h and b > 1
        readout pointwise = quantize(g2, to: int[1..5])
        readout pointwise raw = g2
        observe n
        require { raw > 6/12 or raw <= 1/12 or pointwise < 3 }
    "#,
    );
}

#[test]
fn a_type_that_is_written_wider_changes_no_clamp() {
    let text = r#"rubric p candidate answer: text criterion y: score[0..3] "Y?"
        transform x: score[0..2] = clamp(y, to: score[0..1]) readout pointwise = x
    "#;
    proved(
        &format!("{text}require reachable(y == 3 and x == 1)\nrequire {{ x <= 1 }}\nrequire {{ when y > 1: x == 1 }}"),
        20,
    );
}

#[test]
fn what_is_not_reachable_is_an_error_of_its_own() {
    let text = r#"rubric p candidate answer: text criterion q: int[1..3] "Q?" readout pointwise = q
        require reachable(pointwise == 3)
        require reachable(pointwise == 1 and q == 2)
    "#;
    let found = verdicts(text, 100);
    assert!(matches!(found[..], [Verdict::Proved { .. }, Verdict::Unreachable { .. }]), "{found:?}");
}

/// A mean of so many criteria, read as it is and in five steps.
fn wide(criteria: usize) -> String {
    let each: String = (0..criteria).map(|n| format!("criterion c{n}: int[1..5] \"C{n}?\"\n")).collect();
    let slots: Vec<String> = (0..criteria).map(|n| format!("normalize(c{n})")).collect();
    format!(
        "rubric wide candidate answer: text\n{each}reduce q = mean({})\nreadout pointwise = quantize(q, to: int[1..5])\n",
        slots.join(", ")
    )
}

#[test]
fn middle_values_of_wide_means_are_reached() {
    let text = format!(
        "{}require reachable(pointwise == 3)\nrequire reachable(q == 0.5)\n\
         require reachable(q > 0.4999 and q < 0.5001 and c7 == 2)\n",
        wide(1_000)
    );
    proved(&text, 3);
}

#[test]
fn the_time_is_looked_at_inside_a_case() {
    let program = open(&format!("{}require {{ q >= 0 or c1 == 2 and q > 1 }}\n", wide(3_000)));
    let verdict = |time| prove(&program, &program.requires[0], &Budget { boxes: 10, time });
    assert!(verdict(Duration::from_secs(60)).is_proved());
    match verdict(Duration::from_micros(1)) {
        Verdict::Undecided { boxes: 1, why } => assert!(why.contains("time"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// Two requirements without names are told apart by the tests that break them.
#[test]
fn counterexamples_can_be_pasted_together() {
    let text = r#"rubric p candidate answer: text criterion a: int[1..5] "A?" criterion b: bool "B?"
        gate g = cap(normalize(a), at: 0.5) when b
        readout pointwise = g readout pairwise = prefer(g, margin: 0.1)
        require { g <= 0.9 } require { when first.b: pairwise != first }
    "#;
    let program = open(text);
    let tests: Vec<String> = program
        .requires
        .iter()
        .map(|require| match prove(&program, require, &budget(1_000)) {
            Verdict::Disproved(found) => found.test(&program, require),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(tests[1].contains("// pairwise can go to candidate_1"), "{}", tests[1]);
    let pasted = open(&format!("{text}\n{}\n", tests.join("\n")));
    let tester = Tester::new(&pasted);
    for test in &pasted.tests {
        assert_eq!(tester.run(test).expects.last().unwrap().answer, Answer::Fails, "{}", test.name);
    }
}

#[test]
fn a_budget_that_is_too_small_is_said() {
    let text = r#"rubric p candidate answer: text criterion x: score[0..1] "X?"
        reduce y = x * (1 - x) readout pointwise = y require { pointwise <= 0.25 }
    "#;
    let found = verdicts(text, 30);
    assert!(matches!(&found[..], [Verdict::Undecided { boxes: 30, .. }]), "{found:?}");
}
