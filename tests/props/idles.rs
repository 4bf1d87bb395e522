//! Judgments that `check` says can never matter, against brute force: of two assignments that differ in such a judgment only,
//! every readout and every observed node must say the same.

use crate::dice::{Dice, rolls, times};
use crate::proofs::{assignments, leaves_below};
use proptest::prelude::*;
use rubric_lang::catalog::NodeId;
use rubric_lang::graph::{NodeKind, Program};
use rubric_lang::project;
use rubric_lang::prove::idle;
use rubric_lang::run::readout::readers;
use rubric_lang::types::Value;
use std::collections::HashMap;
use std::path::Path;

/// Sums of few judgments with thresholds behind them, where weights often are too small.
fn a_rubric(dice: &mut Dice) -> String {
    let mut text = "rubric p\ncandidate answer: text\nchecklist care {\n".to_owned();
    let items = 2 + dice.below(3);
    for n in 0..items {
        let sign = if n > 0 && dice.one_in(3) { "-" } else { "+" };
        text += &format!("  {sign}{} i{n} \"Item {n}\"\n", 1 + dice.below(7));
    }
    let q = if dice.one_in(3) { "?" } else { "" };
    text += &format!("}}\ncriterion a: int[0..2]{q} \"A?\"\ncriterion b: bool \"B?\"\ncriterion h: bool \"H?\"\n");
    text += "reduce s = points(care)\n";
    let from = dice.below(5);
    text +=
        &format!("transform s01: score[0..1] = clamp(s, to: score[0.{from}..{}])\n", dice.pick(&["0.6", "0.9", "1"]));
    let policy = if q.is_empty() { "" } else { dice.pick(&[", unknown: skip", ", unknown: lowest", ", unknown: 0.5"]) };
    let aa = "normalize(a)";
    let (x, y, z) = (1 + dice.below(9), 1 + dice.below(9), 1 + dice.below(9));
    text += &match dice.below(4) {
        0 => format!("reduce q = weighted_mean({aa} weight {x}, normalize(b) weight {y}, s01 weight {z}{policy})\n"),
        1 => format!("reduce q = mean({aa}, normalize(b), s01{policy})\n"),
        2 => format!("reduce q = weighted_mean({aa} weight {x}, max(s01, normalize(b)) weight {y}{policy})\n"),
        _ => format!(
            "reduce q = weighted_mean({aa} weight {x}, invert(normalize(b)) weight {y}, min(s01, normalize(b)) weight {z}{policy})\n"
        ),
    };
    let sure = q.is_empty() || [", unknown: lowest", ", unknown: 0.5"].contains(&policy);
    let r = if dice.one_in(3) && sure {
        text += "transform r = normalize(quantize(q, to: int[0..4]))\n";
        "r"
    } else {
        "q"
    };
    let gate = dice.below(4);
    let low = dice.below(8);
    text += &match gate {
        0 => format!("gate g = cap({r}, at: 0.{low}) when h\n"),
        1 => format!("gate g = floor({r}, at: 0.{low}) when h\n"),
        2 => format!("gate g = penalty({r}, by: 0.{low}) when h\n"),
        _ => {
            format!("gate g = veto({r}) when h and {}\n", if sure { format!("{r} < 0.{low}") } else { "b".to_owned() })
        }
    };
    text += &match dice.below(4) {
        0 => format!("readout pointwise = pass(g, at: 0.{})\n", 1 + dice.below(9)),
        1 => format!("readout pointwise = quantize(g, to: int[1..{}])\n", 2 + dice.below(4)),
        2 => format!("readout pointwise = bands(g) {{ below 0.{} => low, rest => high }}\n", 1 + dice.below(9)),
        _ => format!("transform late = clamp(g, to: score[0.{}..1])\nreadout pointwise = late\n", dice.below(9)),
    };
    if dice.one_in(2) {
        text += &format!("readout pointwise care_for_it = pass(s01, at: 0.{})\n", 1 + dice.below(9));
    }
    text
}

/// How many judgments were said not to matter.
fn check(rolls: Vec<u32>) -> Result<Option<u32>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let text = a_rubric(&mut dice);
    let opened = project::open_text("p.rubric", Path::new("."), text.clone());
    let Some(program) = opened.program else { return Ok(None) };
    let said: Vec<String> = idle(&program).into_iter().map(|found| found.headline).collect();
    let mut leaves: Vec<NodeId> = Vec::new();
    for root in program.readouts.iter().map(|r| r.source).chain([program.sink]) {
        leaves.extend(leaves_below(&program, root));
    }
    leaves.sort();
    leaves.dedup();
    let Some((all, _)) = assignments(&program, &leaves) else { return Ok(None) };
    let readers = readers(&program);
    let mut count = 0;
    for (at, node) in program.nodes.iter().enumerate() {
        let id = NodeId(u32::try_from(at).unwrap());
        let is_leaf = !matches!(node.kind, NodeKind::Operator(_));
        if !is_leaf || !said.contains(&format!("`{}` can never change what comes out", node.name)) {
            continue;
        }
        count += 1;
        let mut outcomes: HashMap<Vec<Value>, Vec<String>> = HashMap::new();
        for states in &all {
            let others = leaves.iter().filter(|leaf| **leaf != id).map(|leaf| states.value(*leaf).unwrap()).collect();
            let now: Vec<String> = readers.iter().map(|reader| format!("{:?}", reader.one(states).outcome)).collect();
            let before = outcomes.entry(others).or_insert_with(|| now.clone());
            prop_assert_eq!(&*before, &now, "`{}` matters\n{}", node.name, text);
        }
    }
    count += said.iter().filter(|headline| headline.starts_with("the weight of")).count() as u32;
    weights(&program, &said, &all, &text)?;
    Ok(Some(count))
}

/// A weight that cannot matter, of something that is read nowhere else, is that of nothing that matters.
fn weights(
    program: &Program,
    said: &[String],
    all: &[rubric_lang::run::evaluate::States],
    text: &str,
) -> Result<(), TestCaseError> {
    let readers = readers(program);
    // `s01` is read by q alone where there is no readout of its own.
    if !said.iter().any(|headline| headline == "the weight of `s01` in `q` can never matter")
        || text.contains("care_for_it")
    {
        return Ok(());
    }
    let named = |name: &str| program.nodes.iter().position(|node| &*node.name == name).map(|at| NodeId(at as u32));
    let others: Vec<NodeId> = ["a", "b", "h"].iter().filter_map(|name| named(name)).collect();
    let mut outcomes: HashMap<Vec<Value>, Vec<String>> = HashMap::new();
    for states in all {
        let key = others.iter().map(|id| states.value(*id).unwrap()).collect();
        let now: Vec<String> = readers.iter().map(|reader| format!("{:?}", reader.one(states).outcome)).collect();
        let before = outcomes.entry(key).or_insert_with(|| now.clone());
        prop_assert_eq!(&*before, &now, "the weight of s01 matters\n{}", text);
    }
    Ok(())
}

#[test]
fn what_is_said_never_to_matter_changes_nothing() {
    let config = ProptestConfig { cases: times(500), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let counted = std::cell::Cell::new((0, 0));
    let result = runner.run(&rolls(60), |rolls| {
        if let Some(found) = check(rolls)? {
            let (programs, judgments) = counted.get();
            counted.set((programs + 1, judgments + found));
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (programs, judgments) = counted.get();
    assert!(programs > 250 && judgments > 40, "{programs} programs, {judgments} judgments that do not matter");
}
