//! The programs that were written from the language's contract before there was a compiler: they check clean, and their
//! tests hold.

use crate::{path, present, shared, succeed};

#[test]
fn every_program_checks_clean_and_passes_its_tests() {
    let Some(folder) = present(shared().join("programs")) else { return };
    let mut programs: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "rubric"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 12, "only {} programs found", programs.len());
    for program in &programs {
        succeed(&["check", path(program)]);
        succeed(&["test", path(program)]);
    }
}
