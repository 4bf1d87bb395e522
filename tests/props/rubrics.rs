//! Requirements of random rubrics as authors write them, checklists and gates above all, against brute force over every
//! assignment: a verdict must be right, and there must be one.

use crate::dice::{Dice, rolls, times};
use crate::proofs::{assignments, holds, leaves_below};
use proptest::prelude::*;
use rubric_lang::graph::Program;
use rubric_lang::graph::spec::{Condition, RequireKind};
use rubric_lang::project;
use rubric_lang::prove::{Budget, Verdict, prove};
use std::path::Path;
use std::time::Duration;

/// A checklist and some criteria, sums over them, gates, and requirements with numbers near those that come about.
fn a_rubric(dice: &mut Dice) -> String {
    let optional = dice.one_in(2);
    let q = if optional { "?" } else { "" };
    let items = 3 + dice.below(3);
    let mut text = format!("rubric p\ncandidate answer: text\nchecklist care: bool{q} {{\n");
    for n in 0..items {
        let sign = if n > 0 && dice.one_in(3) { "-" } else { "+" };
        text += &format!("  {sign}{} i{n} \"Item {n}\"\n", 1 + dice.below(5));
    }
    text += "}\n";
    text += &format!("criterion a: int[0..2]{} \"A?\"\n", if dice.one_in(2) { "?" } else { "" });
    text += "criterion b: int[1..3] \"B?\"\ncriterion h: bool \"H?\"\n";
    let policy = |dice: &mut Dice, words: &[&str]| {
        if optional { format!(", unknown: {}", dice.pick(words)) } else { String::new() }
    };
    let all = ["skip", "propagate", "lowest", "highest", "true", "false"];
    let sum = match dice.below(3) {
        0 => format!("points(care{})", policy(dice, &all)),
        1 => format!("sum_points(care{})", policy(dice, &all)),
        _ => {
            let listed: Vec<String> = (0..items).map(|n| format!("care.i{n} weight {}", 1 + dice.below(3))).collect();
            format!("points({}{})", listed.join(", "), policy(dice, &all)).replace(" weight", " weight")
        }
    };
    // An item brings its own points, so weights stand behind plain bools only.
    let sum = if sum.contains("weight") { format!("points(care{})", policy(dice, &["skip", "lowest"])) } else { sum };
    text += &format!("reduce s = {sum}\n");
    text += "transform s01 = clamp(otherwise(s, 0), to: score[0..1])\n"
        .replace("otherwise(s, 0)", if may_be_unknown(&sum, optional) { "otherwise(s, 0)" } else { "s" })
        .as_str();
    let some: Vec<String> = (0..items).filter(|_| dice.one_in(2)).map(|n| format!("not care.i{n}")).collect();
    let counted = if some.is_empty() { "not care.i0".to_owned() } else { some.join(", ") };
    text += &format!("reduce n = count({counted}{})\n", policy(dice, &["skip", "propagate", "true", "false"]));
    text += "transform aa = otherwise(normalize(a), 0.5)\n"
        .replace(
            "otherwise(normalize(a), 0.5)",
            if text.contains("a: int[0..2]?") { "otherwise(normalize(a), 0.5)" } else { "normalize(a)" },
        )
        .as_str();
    text += &format!(
        "reduce q = weighted_mean(aa weight {}, normalize(b) weight {}, s01 weight {})\n",
        1 + dice.below(3),
        1 + dice.below(3),
        1 + dice.below(3)
    );
    let unknown = |dice: &mut Dice, may: bool| {
        if may { format!(", unknown: {}", dice.pick(&["fires", "passes"])) } else { String::new() }
    };
    let item = dice.below(items);
    text += &format!("gate g1 = cap(q, at: 0.{}{}) when care.i{item}\n", 2 + dice.below(6), unknown(dice, optional));
    text += &format!("gate g2 = floor(g1, at: 0.{}) when h and b > {}\n", 1 + dice.below(5), 1 + dice.below(2));
    text += "readout pointwise = quantize(g2, to: int[1..5])\nreadout pointwise raw = g2\nreadout pairwise = prefer(g2, margin: 0.1, tie: by(b))\n";
    text += "observe n\nobserve s\n";
    let part = |dice: &mut Dice| match dice.below(11) {
        0 => format!("s >= {}/{}", dice.below(5), 1 + dice.below(6)),
        1 => format!("s < {}/{}", dice.below(5), 1 + dice.below(6)),
        2 => format!("s == {}/{}", dice.below(9), 1 + dice.below(9)),
        3 => format!("raw > {}/12", dice.below(13)),
        4 => format!("raw <= {}/12", dice.below(13)),
        5 => format!("pointwise {} {}", dice.pick(&["<", "<=", ">", ">=", "==", "!="]), 1 + dice.below(5)),
        6 => format!("n {} {}", dice.pick(&["<", ">=", "=="]), dice.below(3)),
        7 => "h".to_owned(),
        8 => format!("care.i{}", dice.below(items)),
        9 => format!("b {} {}", dice.pick(&["<", ">", "=="]), 1 + dice.below(3)),
        _ => format!("a {} {}", dice.pick(&["<", ">", "=="]), dice.below(3)),
    };
    for _ in 0..6 {
        let (when, holds) = (part(dice), part(dice));
        text += &match dice.below(4) {
            0 => format!("require {{ when {when} and {}: {holds} }}\n", part(dice)),
            1 => format!("require {{ {when} or {holds} or {} }}\n", part(dice)),
            2 => format!("require reachable({when} and {holds} and not ({}))\n", part(dice)),
            _ => format!("require {{ when {when}: {holds} }}\n"),
        };
    }
    text
}

fn may_be_unknown(sum: &str, optional: bool) -> bool {
    optional && (sum.contains("skip") || sum.contains("propagate"))
}

/// Whether some assignment makes the condition true.
fn possible(program: &Program, all: &[rubric_lang::run::evaluate::States], condition: &Condition) -> bool {
    all.iter().any(|states| holds(program, std::slice::from_ref(states), condition))
}

/// How many verdicts were compared.
fn check(rolls: Vec<u32>) -> Result<[u32; 2], TestCaseError> {
    let mut dice = Dice::new(rolls);
    let text = a_rubric(&mut dice);
    let opened = project::open_text("p.rubric", Path::new("."), text.clone());
    let Some(program) = opened.program else {
        // A condition that never fits its type, such as `n == 3` of two.
        let all: Vec<_> =
            opened.diagnostics.iter().filter(|d| d.is_error()).map(|d| (d.code.0, d.headline.clone())).collect();
        prop_assert!(all.iter().all(|(code, _)| *code / 100 == 7), "{all:?}\n{text}");
        return Ok([0; 2]);
    };
    let mut leaves = leaves_below(&program, program.sink);
    for node in &program.observed {
        leaves.extend(leaves_below(&program, *node));
    }
    leaves.sort();
    leaves.dedup();
    let Some((all, true)) = assignments(&program, &leaves) else { return Ok([0; 2]) };
    let mut counts = [0; 2];
    for require in &program.requires {
        let verdict = prove(&program, require, &Budget { boxes: 5_000, time: Duration::from_secs(30) });
        let so = match &require.kind {
            RequireKind::Always(clauses) => clauses.iter().all(|clause| {
                let broken = Condition::Not(Box::new(clause.holds.clone()));
                let condition = match &clause.when {
                    Some(when) => Condition::And(vec![when.clone(), broken]),
                    None => broken,
                };
                !possible(&program, &all, &condition)
            }),
            RequireKind::Reachable(condition) => possible(&program, &all, condition),
            _ => continue,
        };
        let said = match verdict {
            Verdict::Proved { .. } => true,
            Verdict::Disproved(_) | Verdict::Unreachable { .. } => false,
            Verdict::Undecided { why, .. } => {
                return Err(TestCaseError::fail(format!("undecided though finite: {}: {why}\n{text}", require.text)));
            }
        };
        prop_assert_eq!(said, so, "{}\n{}", require.text, text);
        counts[usize::from(so)] += 1;
    }
    Ok(counts)
}

#[test]
fn verdicts_on_rubrics_are_those_of_brute_force() {
    let config = ProptestConfig { cases: times(150), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let counted = std::cell::Cell::new([0; 2]);
    let result = runner.run(&rolls(200), |rolls| {
        let (old, new) = (counted.get(), check(rolls)?);
        counted.set([old[0] + new[0], old[1] + new[1]]);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let [broken, held] = counted.get();
    assert!(broken > 60 && held > 60, "{broken} broken, {held} held");
}
