//! `rubric grammar`: every correct program of the project is a sentence, as three engines of constrained decoding judge it.
//!
//! `.ci/run` installs them (PyPI: lark, llguidance, xgrammar) and names their Python in `RUBRIC_GRAMMAR_ENGINES`; without that
//! variable the test says that it was skipped. That sentences of the grammar pass the parser is tested beside the code.

use rubric_lang::compile::grammar::{Notation, text};
use rubric_lang::diagnostics::Code;
use rubric_lang::project;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What no program is, and yet begins like one.
const FAULTY: [&str; 6] = [
    "rubric x\nreadout pointwise = 1 +",
    "rubric x\ncriterion not: bool",
    "rubric x\ncriterion a bool \"Q\"",
    "rubricx\ncandidate a: text",
    "rubric x\ncandidate a: text\ngate g = cap(a, at: 1) if b",
    "rubric x\ncandidate a: text }",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every `.rubric` file without an error and with nothing round it: examples, annotated programs, shared ones where they are.
fn correct() -> Vec<PathBuf> {
    let mut found = vec![root().join("src/cli/new.rubric"), root().join("tests/json/everything.rubric")];
    for folder in ["examples", "tests/ui", "tests/stages", "../shared/programs"] {
        let folder = root().join(folder);
        if !folder.exists() {
            println!("!! SKIPPED: {} is not there", folder.display());
            continue;
        }
        for path in project::programs_below(&folder).unwrap() {
            let is_text = path.extension().is_some_and(|e| e == "rubric");
            let opened = project::open(&path).unwrap();
            let alone = !opened.diagnostics.iter().any(|d| d.code == Code::AROUND);
            if is_text && alone && !opened.has_errors() {
                found.push(path);
            }
        }
    }
    found
}

fn ask(python: &str, engine: &str, grammar: &Path, files: &[PathBuf]) -> Vec<String> {
    let output = Command::new(python)
        .arg(root().join("tests/compile/engine.py"))
        .args([engine, grammar.to_str().unwrap()])
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{engine}: {}", String::from_utf8_lossy(&output.stderr));
    let said: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(said.len(), files.len(), "{engine}");
    said
}

#[test]
fn engines_take_every_correct_program_and_no_faulty_one() {
    let Ok(python) = std::env::var("RUBRIC_GRAMMAR_ENGINES") else {
        println!("!! SKIPPED: RUBRIC_GRAMMAR_ENGINES is not set; `.ci/run` installs the engines");
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let correct = correct();
    assert!(correct.len() > 30, "only {} programs were found", correct.len());
    let faulty: Vec<PathBuf> = (0..FAULTY.len()).map(|n| place.path().join(format!("faulty-{n}.rubric"))).collect();
    faulty.iter().zip(FAULTY).for_each(|(path, text)| std::fs::write(path, text).unwrap());
    for (engine, notation) in [("llguidance", Notation::Lark), ("xgrammar", Notation::Gbnf), ("lark", Notation::Lark)] {
        let grammar = place.path().join(engine);
        std::fs::write(&grammar, text(notation)).unwrap();
        // Lark tries all that a text could be, which takes its time.
        let small = |path: &&PathBuf| engine != "lark" || path.metadata().unwrap().len() < 3_000;
        let files: Vec<PathBuf> = correct.iter().filter(small).cloned().collect();
        let refused: Vec<String> =
            ask(&python, engine, &grammar, &files).into_iter().filter(|line| line.starts_with("no ")).collect();
        assert!(refused.is_empty(), "{engine} refuses {} of {}: {refused:#?}", refused.len(), files.len());
        let taken: Vec<String> =
            ask(&python, engine, &grammar, &faulty).into_iter().filter(|line| line.starts_with("yes ")).collect();
        // Blanks are ignored in the notation of Lark, so `rubricx` reads as two words.
        let lenient = usize::from(notation == Notation::Lark);
        assert!(taken.len() <= lenient, "{engine} takes {taken:#?}");
    }
}
