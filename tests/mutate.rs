//! `rubric mutate`: what survives is real, its suggested tests hold and notice it, and what is noticed is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use rubric_lang::graph::Program;
use rubric_lang::mutate::{self, Fate, Options, Report, mutate};
use rubric_lang::project;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn program(text: &str) -> Arc<Program> {
    let opened = project::open_text("test.rubric", Path::new("."), text.to_owned());
    let errors: Vec<_> = opened.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.headline.clone()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    opened.program.unwrap()
}

fn report(text: &str) -> Report {
    mutate(&program(text), &Options::default(), &mut |_, _| {})
}

fn changes(report: &Report, wanted: impl Fn(&Fate) -> bool) -> Vec<&str> {
    report.mutants.iter().filter(|m| wanted(&m.fate)).map(|m| m.what.as_str()).collect()
}

fn survives(fate: &Fate) -> bool {
    matches!(fate, Fate::Survives(_))
}

const GATED: &str = r#"
rubric gated
candidate answer: text
criterion quality: score[0..1] "?"
criterion harmful: bool "?"
gate final = cap(quality, at: 0.25) when harmful
readout pointwise verdict = pass(final, at: 0.5)
readout pointwise = final
"#;

#[test]
fn without_tests_every_mistake_survives_with_a_test_that_is_missing() {
    let found = report(GATED);
    let survivors = changes(&found, survives);
    for wanted in [
        "the gate is left out: `cap(quality, at: 0.25) when harmful` became `quality`",
        "`when harmful` became `unless harmful`",
        "`at: 0.25` became `at: 0.26`",
        "`at: 0.5` became `at: 0.51`",
    ] {
        assert!(survivors.contains(&wanted), "{wanted} is not among {survivors:#?}");
    }
    assert!(found.mutants.iter().all(|m| matches!(m.fate, Fate::Survives(Some(_)))), "{:#?}", found.mutants);
}

#[test]
fn a_test_notices_what_it_is_about() {
    let text =
        format!("{GATED}\ntest \"harm caps\" {{ given {{ quality: 1, harmful: true }} expect pointwise == 0.25 }}\n");
    let found = report(&text);
    let noticed = changes(&found, |fate| matches!(fate, Fate::Test(name) if &**name == "harm caps"));
    assert!(noticed.iter().any(|what| what.starts_with("the gate is left out")), "{noticed:#?}");
    assert!(noticed.contains(&"`at: 0.25` became `at: 0.26`"), "{noticed:#?}");
    let survivors = changes(&found, survives);
    assert!(survivors.iter().any(|what| what.starts_with("`at: 0.5` became")), "{survivors:#?}");
}

#[test]
fn thresholds_over_few_values_move_to_where_a_value_changes_its_side() {
    let found = report(
        "rubric r\ncandidate a: text\nchecklist c { +3 x \"?\" +4 y \"?\" -1 z \"?\" }\n\
         reduce s = sum_points(c)\nreadout pointwise ok = pass(s, at: 3)\nreadout pointwise = s\n",
    );
    let all = changes(&found, |_| true);
    // The sums are -1 0 2 3 4 6 7: at 4 the sum 3 passes no more, at 2 the sum 2 does.
    assert!(all.contains(&"`at: 3` became `at: 4`") && all.contains(&"`at: 3` became `at: 2`"), "{all:#?}");
}

#[test]
fn every_kind_of_mistake_is_made() {
    let text = r#"
rubric all
candidate answer: text
criterion a: int[1..5] "?"
criterion b: int[1..5]? "?"
criterion c: bool? "?"
criterion d: choice(x, y, z) "?"
criterion e: score[0..1] "?"
checklist care { +5 good "?" -2 bad "?" +1 fine "?" }
transform inverse = invert(e)
transform mapped = map(d) { x => 0, y => 1, rest => 0.5 }
transform banded = bands(e) { below 0.4 => low, rest => high }
reduce voted = vote(a, a_again, tie: lowest)
transform a_again = clamp(a, to: int[1..5])
reduce mixed = weighted_mean(normalize(a) weight 3, inverse weight 2, mapped weight 1, clamp(points(care), to: score[0..1]) weight 1)
reduce known = mean(normalize(b), e, unknown: skip)
reduce worst = min(mixed, known)
reduce less = if voted > 3 and a < 5 then worst else known
gate g1 = floor(less, at: 0.1) when c(unknown: fires)
gate final = veto(g2) unless banded == high
readout pointwise = final
"#
    .replace("gate g1 = floor(less, at: 0.1) when c(unknown: fires)", "gate g1 = floor(less, at: 0.1, unknown: fires) when c")
    .replace("veto(g2)", "veto(g2, to: 0)")
    .replace("gate final", "gate g2 = penalty(g1, by: 0.2) when care.bad\ngate final");
    let found = report(&text);
    let all = changes(&found, |_| true).join("\n");
    for wanted in [
        "`invert` is left out",
        "the weights of `normalize(a)` (3) and `inverse` (2) are exchanged",
        "the points of `care.good` became -5 instead of +5",
        "the points of `care.good` (+5) and `care.bad` (-2) are exchanged",
        "`unknown: skip` became `unknown: lowest`",
        "`unknown: fires` became `unknown: passes`",
        "`tie: lowest` became `tie: highest`",
        "`below 0.4` became `below 0.41`",
        "the results of rows 1 and 2",
        "`min` became `max`",
        "`and` became `or`",
        "`>` became `>=`",
        "`then` and `else` of",
        "`by: 0.2` became",
        "`at: 0.1` became",
        "`3` became `4`",
    ] {
        assert!(all.contains(wanted), "`{wanted}` is not among:\n{all}");
    }
    // `c` is `bool?`: whatever stands behind it is typed again.
    assert!(!found.mutants.is_empty() && found.tried == found.listed);
}

/// With all its suggested tests a program still holds, and nothing survives any more.
fn closes(name: &str, text: &str) {
    let mut text = text.to_owned();
    // A moved threshold has a second step where the first is noticed, so a second round may be needed.
    for round in 0..6 {
        let program = program(&text);
        assert_eq!(mutate::failing(&program), Vec::<Arc<str>>::new(), "{name}, round {round}\n{text}");
        let found = mutate(&program, &Options::default(), &mut |_, _| {});
        let before = text.len();
        let mut names = std::collections::HashSet::new();
        for mutant in found.survivors() {
            let Fate::Survives(Some(missing)) = &mutant.fate else { panic!("{name}: {mutant:?} has no test") };
            if missing.open.is_empty() && names.insert(missing.test.lines().next().unwrap().to_owned()) {
                text.push_str(&missing.test.replacen("test \"", &format!("test \"{round} "), 1));
                text.push('\n');
            }
        }
        if text.len() == before {
            let left: Vec<_> = found.survivors().map(|m| &m.what).collect();
            let open = found.survivors().all(|m| matches!(&m.fate, Fate::Survives(Some(s)) if !s.open.is_empty()));
            assert!(left.is_empty() || open, "{name}: {left:#?}");
            return;
        }
    }
    panic!("{name}: something always survives");
}

#[test]
fn suggested_tests_hold_and_notice() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for name in ["clinical/answer", "code-review/review", "essay/essay", "summary/summary", "support/reply"] {
        let text = std::fs::read_to_string(examples.join(format!("{name}.rubric"))).unwrap();
        closes(name, &text);
    }
    closes("gated", GATED);
}

#[test]
fn items_that_come_with_the_record_get_their_field() {
    closes(
        "from",
        "rubric r\ncandidate a: text\ninput list: json\nchecklist c from list\n\
         transform s = clamp(points(c), to: score[0..1])\nreadout pointwise ok = pass(s, at: 0.5)\n\
         readout pointwise = s\n",
    );
}

#[test]
fn a_sample_is_the_same_for_the_same_seed_and_large_programs_end() {
    let items: String = (0..1200).map(|n| format!("  +{} \"item {n}\"\n", n % 7 + 1)).collect();
    let text = format!(
        "rubric r\ncandidate a: text\nchecklist c {{\n{items}}}\nreduce s = points(c)\n\
         readout pointwise ok = pass(s, at: 0.5)\nreadout pointwise = s\n"
    );
    let program = program(&text);
    let options = Options { most: 4, ..Options::default() };
    let one = mutate(&program, &options, &mut |_, _| {});
    let again = mutate(&program, &options, &mut |_, _| {});
    assert_eq!(changes(&one, |_| true), changes(&again, |_| true));
    assert!(one.tried == 4 && one.listed > 2000, "{} of {}", one.tried, one.listed);
}

fn rubric(arguments: &[&str], stdin: &str) -> (i32, String, String) {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_says_where_and_what_and_ends_with_1_where_something_survives() {
    let (code, out, _) = rubric(&["mutate", "-"], GATED);
    assert_eq!(code, 1);
    assert!(out.contains("SURVIVES <stdin>:6 final: the gate is left out"), "{out}");
    assert!(out.contains("expect verdict"), "{out}");

    let (code, out, _) = rubric(&["mutate", "-", "--format", "json"], GATED);
    assert_eq!(code, 1);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let schema =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/mutants.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let faults: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");

    let single = "rubric r\ncandidate a: text\ncriterion q: bool \"?\"\nreadout pointwise = q\n";
    assert_eq!(rubric(&["mutate", "-"], single).0, 0);
}

#[test]
fn bad_input_is_told_in_words() {
    let failing = format!("{GATED}\ntest \"wrong\" {{ given {{ quality: 1, harmful: true }} expect verdict }}\n");
    let (code, _, err) = rubric(&["mutate", "-"], &failing);
    assert_eq!(code, 1);
    assert!(err.contains("1 test fails before anything is changed (`wrong`)"), "{err}");
    let (code, _, err) = rubric(&["mutate", "-"], "rubric r\n");
    assert_eq!(code, 1, "{err}");
    let (code, _, err) = rubric(&["mutate", "/no/such/file.rubric"], "");
    assert_eq!(code, 2, "{err}");
    let (code, _, err) = rubric(&["mutate", "-", "--most", "0"], GATED);
    assert!(code == 2 && err.contains("--most"), "{err}");
}

#[test]
fn requirements_notice_too_and_the_same_program_does_not_count() {
    let text = format!("{GATED}\nrequire \"harm never passes\" {{ when harmful: not verdict }}\n");
    let found = report(&text);
    let by = |name: &str| changes(&found, |fate| matches!(fate, Fate::Requirement(n) if n == name));
    let noticed = by("harm never passes");
    assert!(noticed.iter().any(|what| what.starts_with("the gate is left out")), "{noticed:#?}");
    assert!(noticed.contains(&"`when harmful` became `unless harmful`"), "{noticed:#?}");

    // Without the readout of the number, a cap at 0.26 or 0.24 passes just as little: the same program, up to 0.5.
    let text = "rubric r\ncandidate a: text\ncriterion q: score[0..1] \"?\"\ncriterion h: bool \"?\"\n\
                gate final = cap(q, at: 0.25) when h\nreadout pointwise = pass(final, at: 0.5)\n";
    let found = report(text);
    let same = changes(&found, |fate| *fate == Fate::Same);
    assert!(same.iter().any(|what| what.starts_with("`at: 0.25` became")), "{:#?}", found.mutants);
    assert!(found.mutants.iter().all(|m| m.fate != Fate::Alike), "{:#?}", found.mutants);
}

/// A number used twice, whose bound is touched exactly once the gate is gone: the prover cannot tell.
const TOUCHED: &str = r#"
rubric touched
candidate answer: text
criterion x: score[0..1] "?"
criterion h: bool "?"
reduce z = x * (1 - x)
gate g = cap(clamp(z, to: score[0..1]), at: 0.2) when h
readout pointwise = g
require "low" { when h: g <= 0.25 }
"#;

#[test]
fn a_requirement_that_cannot_be_decided_any_more_is_told_apart() {
    let found = report(TOUCHED);
    let gone = found.mutants.iter().find(|m| m.what.starts_with("the gate is left out")).unwrap();
    assert!(matches!(&gone.fate, Fate::Undecided(name, Some(_)) if name == "low"), "{gone:#?}");
    assert!(found.survivors().all(|m| m.what != gone.what));
    let (code, out, err) = rubric(&["mutate", "-"], TOUCHED);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("UNDECIDED ") && out.contains("of which a requirement could not be decided"), "{out}");
    assert!(out.contains("whether the requirement `low` still holds could not be decided"), "{out}");
}

#[test]
fn the_prover_finds_what_the_search_does_not() {
    // One of 2^18 answers has exactly the points that only the moved threshold lets pass.
    let items: String = (0..18).map(|n| format!("  +{} i{n} \"?\"\n", 1_u64 << n)).collect();
    let text = format!(
        "rubric r\ncandidate a: text\nchecklist c {{\n{items}}}\nreduce s = sum_points(c)\n\
         readout pointwise = if_not\ntransform if_not = s == 174762\n"
    );
    let found = report(&text);
    let turned = found.mutants.iter().find(|m| m.what.starts_with("`174762` became")).unwrap();
    assert!(matches!(turned.fate, Fate::Survives(Some(_))), "{turned:#?}");
}
