//! The policies of `examples/policies`: each has a program beside it that the checker accepts without a word, whose
//! requirements are proved and whose tests hold, and that keeps the clauses that a reader would look for first.

use rubric_lang::compile::explain;
use rubric_lang::graph::{NodeKind, Procedure};
use rubric_lang::project;
use rubric_lang::prove::{self, Budget};
use rubric_lang::run::spec::Tester;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn policies() -> Vec<(PathBuf, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/policies");
    let mut all: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    let (texts, programs): (Vec<PathBuf>, Vec<PathBuf>) = all.into_iter().partition(|p| p.extension().unwrap() == "md");
    let pairs: Vec<_> = texts.into_iter().map(|text| (text.clone(), text.with_extension("rubric"))).collect();
    assert_eq!(programs, pairs.iter().map(|(_, program)| program.clone()).collect::<Vec<_>>());
    pairs
}

#[test]
fn every_policy_has_a_program_that_holds() {
    let pairs = policies();
    assert!(pairs.len() >= 10, "{}", pairs.len());
    for (policy, program) in pairs {
        let text = std::fs::read_to_string(&policy).unwrap();
        let words = text.split_whitespace().count();
        assert!((150..=500).contains(&words), "{}: {words} words", policy.display());
        assert!(explain::clauses(&text).len() >= 10, "{}", policy.display());

        let opened = project::open(&program).unwrap();
        let shown = program.display();
        let compiled = opened.program.clone().unwrap_or_else(|| panic!("{shown}: {:#?}", opened.diagnostics));
        let proofs = prove::check(&compiled, &Budget { boxes: 100_000, time: Duration::from_secs(60) });
        let found: Vec<String> =
            opened.diagnostics.iter().chain(&proofs).map(|d| format!("{} {}", d.code, d.headline)).collect();
        assert!(found.is_empty(), "{shown}: {found:#?}");

        assert!(compiled.requires.len() >= 3, "{shown} requires little");
        assert!(compiled.tests.len() >= 2, "{shown} has hardly a test");
        let tester = Tester::new(&compiled);
        for test in &compiled.tests {
            assert!(tester.run(test).passed(), "{shown}: {}", test.name);
        }
        assert!(!compiled.doc.is_empty(), "{shown} does not say what it is");
        // A question that names no field and asks nothing is no question.
        for node in &compiled.nodes {
            let NodeKind::Criterion(criterion) = &node.kind else { continue };
            let asks = !matches!(criterion.procedure, Procedure::Rule(_));
            assert!(!asks || !criterion.ask.parts.is_empty(), "{shown}: {} asks nothing", node.name);
        }
    }
}
