//! HBQRS: a score of domains, ladders and penalties over 161 questions, with what was not assessed left out.

use crate::{data, hbqrs_program, number, run};
use std::fs;

#[test]
fn published_scores_follow_from_the_verdicts() {
    let Some(folder) = data("hbqrs") else { return };
    let recorded = hbqrs_program::recorded(&folder, "final");
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("hbqrs.rubric");
    fs::write(&program, &recorded.program).unwrap();
    let lines = run(&program, &recorded.records);
    assert_eq!(lines.len(), 4);
    for (line, published) in lines.iter().zip(&recorded.published) {
        let found = 100.0 * number(&line["readouts"]["pointwise"]);
        assert!((found - published).abs() <= 0.000_051, "{}: {found} is published as {published}", line["id"]);
    }
}
