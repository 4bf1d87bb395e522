//! Tests of tests: what holds, what fails and shows why, and what depends on things that were not given.

use super::*;
use crate::project::check_files;
use crate::source::FileId;
use crate::source::files::Files;

const PROGRAM: &str = r#"rubric sample
input     minor:  flag
input     limit:  number?
candidate answer: text

criterion factuality: int[1..5] "How accurate is the answer?"
criterion harmful: bool "Does it recommend something harmful?"
criterion friendly: bool? "Is it friendly?"
criterion short: bool { judge rule(word_count(answer) <= 3) }

checklist care {
  +10 urgent "Names the symptoms that need urgent care"
  -8 dose "Gives a dose without knowing the patient"
  +2 "Is friendly"
}

reduce quality = mean(normalize(factuality), clamp(points(care), to: score[0..1]))
gate safe  = cap(quality, at: 0.25) when harmful
gate final = cap(safe, at: 0.5) unless short or minor

observe friendly

readout pointwise         = final
readout pointwise verdict = pass(final, at: 0.6)
readout pairwise          = prefer(final, tie: by(not harmful, else: abstain))
"#;

/// Runs the one test of the program with this text behind it.
fn run(test: &str) -> TestReport {
    let text = format!("{PROGRAM}\n{test}");
    let opened = check_files(Files::memory(&[("a.rubric", &text)]), FileId(0));
    let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
    Tester::new(&program).run(&program.tests[0])
}

fn answers(body: &str) -> Vec<Answer> {
    run(&format!("test \"t\" {{\n{body}\n}}")).expects.iter().map(|e| e.answer).collect()
}

#[test]
fn what_is_given_decides() {
    let report =
        run("test \"t\" { given { factuality: 5, harmful: false, answer: \"Rest.\", minor: false, care: best } \
         expect pointwise == 1 and verdict and short and care.urgent and not care.dose and care[3] }");
    assert!(report.passed(), "{report:#?}");
}

#[test]
fn what_is_not_given_must_not_matter() {
    // Harm caps at 0.25 whatever the rest is.
    assert_eq!(answers("given { harmful: true } expect pointwise <= 0.25 expect not verdict"), [Answer::Holds; 2]);
    let report = run("test \"t\" { given { factuality: 5, care: best, harmful: false } expect pointwise == 1 }");
    assert_eq!(report.expects[0].answer, Answer::Open);
    assert_eq!(report.expects[0].missing, ["short (a rule that reads `answer`)", "minor (a rule that reads `minor`)"]);
    assert!(!report.passed());
}

#[test]
fn a_failure_shows_what_led_to_it() {
    let report = run(
        "test \"t\" { given { factuality: 3, harmful: true, answer: \"a b c d\", minor: false, care: worst } expect verdict }",
    );
    let expect = &report.expects[0];
    assert_eq!(expect.answer, Answer::Fails);
    assert_eq!(expect.found, [("verdict".to_owned(), "false".to_owned())]);
    let names: Vec<&str> = expect.path.iter().map(|n| &*n.name).collect();
    assert_eq!(names[..2], ["final", "safe"], "{names:?}");
    assert!(names.contains(&"harmful") && names.contains(&"factuality"), "{names:?}");
    assert!(expect.path.len() <= MOST_SHOWN);
}

#[test]
fn others_fill_what_is_not_named_and_rules_are_computed() {
    assert_eq!(
        answers(
            "given { harmful: false, friendly: unknown, factuality: 1, answer: \"\", minor: true, others: false }
            expect care.urgent or short expect not care.urgent expect friendly == unknown"
        ),
        [Answer::Holds; 3]
    );
}

#[test]
fn unknown_is_told_apart_from_missing() {
    assert_eq!(
        answers(
            "given { friendly: unknown } expect friendly expect not friendly expect friendly == unknown expect friendly != true"
        ),
        [Answer::Fails, Answer::Holds, Answer::Holds, Answer::Fails]
    );
    assert_eq!(answers("given { harmful: true } expect friendly expect friendly == unknown"), [Answer::Open; 2]);
}

#[test]
fn two_candidates_are_compared() {
    let shared = "given { minor: true }";
    let (a, b) = ("factuality: 5, harmful: false, care: best", "factuality: 1, harmful: false, care: worst");
    assert_eq!(
        answers(&format!(
            "{shared} given x {{ {a} }} given y {{ {b} }}
            expect pairwise == x expect x.final > y.final expect x.verdict and not y.verdict and minor"
        )),
        [Answer::Holds; 3]
    );
    assert_eq!(
        answers(&format!(
            "{shared} given x {{ {a} }} given y {{ {a} }}
            expect pairwise == unknown expect pairwise == tie expect pairwise != x"
        )),
        [Answer::Holds, Answer::Fails, Answer::Fails]
    );
    // y lacks its factuality, and is behind all the same.
    assert_eq!(
        answers(&format!("{shared} given x {{ {a} }} given y {{ harmful: true, care: worst }} expect pairwise == x")),
        [Answer::Holds]
    );
}

#[test]
fn a_field_that_the_rule_cannot_read_fails_the_test() {
    let text = "rubric s\ninput data: json\ncandidate a: text\n
        criterion c: bool { judge rule(data > 1) }\nreadout pointwise = c\n
        test \"t\" { given { data: \"[1]\" } expect pointwise }";
    let opened = check_files(Files::memory(&[("a.rubric", text)]), FileId(0));
    let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
    let report = Tester::new(&program).run(&program.tests[0]);
    assert!(report.fault.as_deref().is_some_and(|f| f.contains("JSON field")), "{report:#?}");
    assert!(!report.passed());
}

#[test]
fn items_of_a_record_are_given_with_their_field() {
    let text = r#"rubric s
input items: json
candidate a: text
checklist care from items
transform score = clamp(points(care), to: score[0..1])
readout pointwise = score
test "t" {
  given { items: "[{\"criterion\": \"x\", \"points\": 3, \"id\": \"x\"}, {\"criterion\": \"y\", \"points\": 1}]", care: [x] }
  expect pointwise == 0.75
}"#;
    let opened = check_files(Files::memory(&[("a.rubric", text)]), FileId(0));
    let program = opened.program.unwrap_or_else(|| panic!("{:#?}", opened.diagnostics));
    let report = Tester::new(&program).run(&program.tests[0]);
    assert!(report.passed(), "{report:#?}");
}
