//! The client against `jevcompat mock`, a server that follows the published specification of `/v1/systemone` to the letter and
//! breaks one requirement at a time on purpose.
//!
//! `.ci/run` installs it (PyPI, version 0.1.1) and names it in `RUBRIC_JEVCOMPAT`; without that variable the test says that it
//! was skipped. Of every fault it is written down what has to become of it: a reason with its kind; the same judgments as
//! without the fault, where it breaks nothing that we use; or a warning of `doctor`, where no single reply can show it.

use super::*;
use rubric_lang::judge::config::Alias;
use rubric_lang::judge::doctor::examine;
use rubric_lang::judge::wire::FailureKind;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A mock, stopped when it is dropped.
struct Mock {
    child: Child,
    url: String,
}

impl Mock {
    fn start(program: &str, more: &[&str]) -> Mock {
        let mut child = Command::new(program)
            .args(["mock", "--port", "0"])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("it did not say where it listens: {line}"));
        Mock { url: url.trim_end_matches("/v1/systemone").to_owned(), child }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What has to become of a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wanted {
    /// Our usual question fails so.
    Fails(FailureKind),
    /// It breaks nothing that we use: the same judgments.
    Same,
    /// Our usual question is answered as without the fault; this one, which needs what is broken, fails so.
    SameBut(Trigger, FailureKind),
    /// No reply shows it; `doctor` asks twice and warns.
    Warned,
}

/// Questions that need more than the usual one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trigger {
    UnknownModel,
    ListState,
    OddIds,
    ExtraField,
    ManyOptions,
}

use FailureKind::{Malformed, Rejected, Unauthorised};
use Trigger::{ExtraField, ListState, ManyOptions, OddIds, UnknownModel};
use Wanted::{Fails, Same, SameBut, Warned};

/// Every fault of version 0.1.1.
const FAULTS: [(&str, Wanted); 47] = [
    ("wrong-route", Fails(Rejected)),
    ("xssi-200", Fails(Malformed)),
    ("plain-content-type", Same),
    ("text-errors", SameBut(UnknownModel, Rejected)),
    ("models-404", Same),
    ("auth-rejects-header", Fails(Unauthorised)),
    ("auth-x-api-key", Fails(Unauthorised)),
    ("auth-plain", Fails(Unauthorised)),
    ("auth-invalid-403-text", Fails(Unauthorised)),
    ("reject-array-state", SameBut(ListState, Rejected)),
    ("reject-jev-latest", Fails(Rejected)),
    ("first-question-only", Fails(Malformed)),
    ("strict-ids", SameBut(OddIds, Rejected)),
    ("nfd-keys", Fails(Malformed)),
    ("forbid-extra", SameBut(ExtraField, Rejected)),
    ("string-only-text", Same),
    ("noul-two-sided", Same),
    ("noul-needs-instructions", Same),
    ("no-null-description", Fails(Rejected)),
    ("cap-64", SameBut(ManyOptions, Rejected)),
    ("cap-5-levels", Fails(Rejected)),
    ("accept-map-score", Same),
    ("no-usage", Fails(Malformed)),
    ("float-usage", Fails(Malformed)),
    ("extra-answer", Fails(Malformed)),
    ("boolean-type", Fails(Malformed)),
    ("nan", Fails(Malformed)),
    ("unprefixed-extra", Same),
    ("noul-range", Fails(Malformed)),
    ("choice-no-confidence", Fails(Malformed)),
    ("choice-key-case", Fails(Malformed)),
    ("choice-sum", Fails(Malformed)),
    ("choice-second", Fails(Malformed)),
    ("score-no-legend", Fails(Malformed)),
    ("legend-1-based", Fails(Malformed)),
    ("score-keys-1-based", Fails(Malformed)),
    ("score-sum", Fails(Malformed)),
    ("score-argmax", Fails(Malformed)),
    ("confidence-over", Fails(Malformed)),
    ("confidence-margin", Same),
    ("500-on-unknown-type", Same),
    ("accept-boolean", Same),
    ("validation-400", SameBut(ManyOptions, Rejected)),
    ("error-flat", SameBut(UnknownModel, Rejected)),
    ("id-leaks", Warned),
    ("batch-leaks", Warned),
    ("order-leaks", Warned),
];

/// The usual question: every type, a scale of six, labels with capitals and accents, an option without description.
fn usual() -> Decide {
    let mut decide = decide();
    let text = |t: &str| Some(t.to_owned());
    decide.questions[1].1 = DecideQuestion::Choice {
        instructions: "Which tone?".into(),
        options: vec![("Wärme".into(), text("Kind words")), ("Kälte".into(), None), ("Neutral".into(), None)],
    };
    let levels = (1..=6).map(|n| (n.to_string(), Some(format!("Level {n}")))).collect();
    decide.questions[2].1 = DecideQuestion::Score { instructions: "How clear?".into(), levels };
    decide
}

fn changed(trigger: Trigger, alias: &Alias) -> (Alias, Decide) {
    let (mut alias, mut decide) = (alias.clone(), usual());
    match trigger {
        UnknownModel => alias.model = "nobody-1".to_owned(),
        ListState => decide.state = json!(["Is water wet?", "Yes."]),
        OddIds => decide.questions[0].0 = "größe 1".into(),
        ExtraField => drop(alias.extra.insert("x_trace".to_owned(), json!(true))),
        ManyOptions => {
            // One more than a faulty server takes, or than any server takes.
            let options = (0..100).map(|n| (format!("o{n}"), Some(format!("Option {n}")))).collect();
            decide.questions[1].1 = DecideQuestion::Choice { instructions: "Which?".into(), options };
        }
    }
    (alias, decide)
}

#[test]
fn every_fault_is_a_reason_or_changes_nothing() {
    let Ok(program) = std::env::var("RUBRIC_JEVCOMPAT") else {
        eprintln!("!! SKIPPED: jevcompat is not installed; `.ci/run` installs it and sets RUBRIC_JEVCOMPAT");
        return;
    };
    let listed = Command::new(&program).args(["mock", "--list-faults"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, FAULTS.map(|(name, _)| name), "the faults of this version are others");

    let clean = Mock::start(&program, &[]);
    let right = ask(&client(), &alias("systemone", &clean.url, "retries = 0"), &Question::Decide(usual())).unwrap();
    for (name, wanted) in FAULTS {
        let (mut more, mut own) = (vec!["--fault", name], alias("systemone", "http://x", "retries = 0"));
        match name {
            "auth-x-api-key" => more.extend(["--key", KEY]),
            "auth-plain" => {
                more.extend(["--key", KEY]);
                Arc::make_mut(&mut own).key = None;
            }
            "auth-invalid-403-text" => more.extend(["--key", "another-key"]),
            _ => {}
        }
        let mock = Mock::start(&program, &more);
        Arc::make_mut(&mut own).base_url = mock.url.clone();
        let found = ask(&client(), &own, &Question::Decide(usual()));
        match wanted {
            Fails(kind) => {
                let failure = found.expect_err(name);
                assert_eq!(failure.kind, kind, "{name}: {}", failure.detail);
                assert!(!failure.detail.is_empty() && !failure.detail.contains(KEY), "{name}: {}", failure.detail);
            }
            Same => assert_eq!(found.as_ref().expect(name).answer, right.answer, "{name}"),
            SameBut(trigger, kind) => {
                assert_eq!(found.as_ref().expect(name).answer, right.answer, "{name}");
                let (alias, decide) = changed(trigger, &own);
                let failure = match name {
                    // What our own check keeps from every server has to be sent past it.
                    "validation-400" => sent_raw(&alias),
                    _ => ask(&client(), &alias, &Question::Decide(decide)).expect_err(name),
                };
                assert_eq!(failure.kind, kind, "{name}: {}", failure.detail);
            }
            Warned => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let finding = runtime.block_on(examine(&client(), &own));
                assert!(finding.answer.is_ok(), "{name}: {finding:?}");
                assert!(finding.warnings.iter().any(|w| w.contains("depend on the ids")), "{name}: {finding:?}");
            }
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let finding = runtime.block_on(examine(&client(), &alias("systemone", &clean.url, "retries = 0")));
    assert!(finding.answer.is_ok() && finding.warnings.is_empty(), "{finding:?}");
}

/// What becomes of a request that the server finds wrong.
fn sent_raw(alias: &Alias) -> Failure {
    let mut rendered = render(alias, &Question::Decide(usual())).unwrap();
    rendered.body = br#"{"model": "jev-latest", "state": "x", "questions": {}}"#.to_vec().into();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client().send(alias, &rendered)).unwrap_err()
}
