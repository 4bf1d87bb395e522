//! `rubric run` and `rubric replay` as a user runs them: records and recorded judgments in, results, traces, exit codes out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod bad_input;
#[cfg(feature = "parquet")]
mod columns;
mod merge;
mod records;
mod replays;

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A grade, a danger and a bundle: decided by caps, compared in pairs.
pub const GRADES: &str = r#"
rubric grades

input question: text
input minor: flag
candidate answer: text

criterion accurate: int[1..5] {
  ask "How accurate is the answer?"
  judge human(combine: median)
}
criterion complete: score[0..1]? "Is the answer complete?"
criterion harmful: bool "Could the answer do harm?"
criterion short: bool { judge rule(word_count(answer) <= 5) }
criterion serious: bool {
  ask "Is the question about something serious?"
  sees question
}
checklist care {
  +2 asks "Asks back"
  -1 blames "Blames the patient"
}

reduce quality = mean(
  normalize(accurate),
  otherwise(complete, 0.5),
  clamp(points(care), to: score[0..1]),
)
gate safe = cap(quality, at: 0.25) when harmful and serious
gate final = cap(safe, at: 0.75) unless short or minor

observe quality

readout pointwise = final
readout pointwise verdict = pass(final, at: 0.5)
readout pairwise = prefer(final, margin: 0.01, tie: by(not harmful, accurate))
"#;

/// A folder that is gone after the test.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What a command did.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn lines(&self, name: &str) -> Vec<Json> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs the binary in the folder. Nobody is asked, whatever the environment has keys for.
    pub fn rubric(&self, arguments: &str) -> Ran {
        let recorded = arguments.starts_with("run ").then_some("--recorded");
        let output: Output = Command::new(env!("CARGO_BIN_EXE_rubric"))
            .args(arguments.split_whitespace().chain(recorded))
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A program that was built without Parquet says so, and neither reads nor writes anything.
#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_that_is_not_built_in_is_told() {
    let place = Place::new(&[("p.rubric", GRADES), ("r.parquet", "PAR1 PAR1"), ("r.jsonl", "{\"id\": \"a\"}\n")]);
    for command in
        ["run p.rubric --data r.parquet", "run p.rubric --data r.jsonl -o out.parquet", "diff r.parquet r.jsonl"]
    {
        let ran = place.rubric(command);
        assert!(ran.code == 2 && ran.err.contains("built without"), "{command}: {}", ran.err);
    }
    assert!(!place.path("out.parquet").exists());
}

/// Holds a line against a published schema.
pub fn assert_valid(schema: &str, lines: &[Json]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar").join(format!("{schema}.schema.json"));
    let schema: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in lines {
        let faults: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{line}\n{faults:#?}");
    }
}
