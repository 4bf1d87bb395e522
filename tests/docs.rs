//! The programs in the README and in `docs/` are real: each checks without a word, and its tests hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

use std::path::Path;
use std::process::Command;

#[test]
fn every_program_in_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let mut programs = 0;
    for page in ["README.md", "docs/language.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for (n, block) in text.split("```rubric\n").skip(1).enumerate() {
            let program = block.split("```").next().unwrap();
            let file = folder.path().join(format!("{}-{n}.rubric", page.replace('/', "-")));
            std::fs::write(&file, program).unwrap();
            for command in ["check", "test"] {
                let args: &[&str] = if command == "check" { &["check", "--deny-warnings"] } else { &["test"] };
                let output = Command::new(env!("CARGO_BIN_EXE_rubric")).args(args).arg(&file).output().unwrap();
                let said = [output.stdout, output.stderr].concat();
                assert!(output.status.success(), "{page}, program {}: {}", n + 1, String::from_utf8_lossy(&said));
            }
            programs += 1;
        }
    }
    assert!(programs >= 6, "no programs were found in the documentation");
}
