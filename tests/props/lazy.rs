//! Lazy runs over random programs: where one stops, every readout is what it is with all judgments; nobody could have known
//! with fewer than the floor.

use crate::dice::{Dice, rolls};
use crate::operations::a_value;
use crate::programs::a_program;
use proptest::prelude::*;
use rubric_lang::catalog::NodeId;
use rubric_lang::graph::{FieldId, Mode, NodeKind, Program, Readout, ReadoutKind, Tie};
use rubric_lang::number::{Number, Rounding};
use rubric_lang::run::Leaf;
use rubric_lang::run::engine::Engine;
use rubric_lang::run::judgment::{Basis, Judged, JudgedLeaf};
use rubric_lang::run::lazy::hindsight::{asked, floor};
use rubric_lang::run::lazy::{Lazy, Next, Want};
use rubric_lang::source::Span;
use rubric_lang::types::{Base, Field, FieldKind, Role, Type, Value};
use std::sync::Arc;

fn readout(program: &Program, mode: Mode, kind: ReadoutKind, ty: Type) -> Readout {
    Readout { mode, name: None, source: program.sink, kind, ty, span: Span::default() }
}

/// A random program with readouts that its sink allows; some criteria see the candidate, others are shared.
fn a_program_with_readouts(dice: &mut Dice) -> Program {
    let mut program = a_program(dice);
    program.fields.push(Field {
        name: "answer".into(),
        role: Role::Candidate,
        kind: FieldKind::Text,
        optional: true,
        doc: "".into(),
    });
    for node in &mut program.nodes {
        if let NodeKind::Criterion(criterion) = &mut node.kind
            && !dice.one_in(4)
        {
            criterion.sees.push(FieldId(0));
        }
    }
    let ty = program.nodes[program.sink.index()].ty.clone();
    let mut readouts = vec![readout(&program, Mode::Pointwise, ReadoutKind::Native, ty.clone())];
    if let Some((lo, hi)) = ty.interval() {
        let at = Value::Number(&(lo + hi) * &Number::ratio(1, 2).unwrap());
        readouts.push(readout(&program, Mode::Pointwise, ReadoutKind::Pass { at }, Type::BOOL));
        if lo < hi {
            let kind = ReadoutKind::Quantize { mode: Rounding::HalfUp };
            readouts.push(readout(&program, Mode::Pointwise, kind, Type::int(1, 3)));
        }
    }
    if !matches!(ty.base, Base::Choice(_) | Base::Set(_) | Base::Tally { .. }) {
        let tie = if dice.one_in(2) { Tie::Abstain } else { Tie::ById };
        let kind = ReadoutKind::Prefer { margin: Number::ZERO, tie };
        readouts.push(readout(&program, Mode::Pairwise, kind, ty));
    }
    // The native readout wants nearly everything; without it there is more to leave out.
    if readouts.len() > 1 && !dice.one_in(3) {
        readouts.remove(0);
    }
    for (at, readout) in readouts.iter_mut().enumerate() {
        readout.name = Some(format!("r{at}").into());
    }
    program.readouts = readouts;
    program
}

fn judged(engine: &Engine, dice: &mut Dice, candidates: usize) -> Judged {
    let mut of = |shared: bool| -> Vec<JudgedLeaf> {
        let wanted = engine.layout.leaves.iter().filter(|leaf| engine.layout.is_shared(**leaf) == shared);
        let one = |node: &NodeId| {
            let value = a_value(dice, &engine.program.nodes[node.index()].ty);
            let basis = Basis::Recorded;
            JudgedLeaf { node: *node, basis, recorded: vec![], rejected: None, items: vec![], leaf: Leaf::Known(value) }
        };
        wanted.map(one).collect()
    };
    Judged { shared: of(true), own: (0..candidates).map(|_| of(false)).collect() }
}

/// What is known where only some wants are.
fn only(full: &Judged, wants: &[Want]) -> Judged {
    let mut some = full.clone();
    let hide = |candidate: Option<usize>, leaves: &mut Vec<JudgedLeaf>| {
        for leaf in leaves {
            if !wants.contains(&Want { candidate, node: leaf.node, item: None }) {
                leaf.leaf = Leaf::Missing(rubric_lang::run::lazy::not_needed());
            }
        }
    };
    hide(None, &mut some.shared);
    for (candidate, own) in some.own.iter_mut().enumerate() {
        hide(Some(candidate), own);
    }
    some
}

fn check(rolls: Vec<u32>) -> Result<Option<(usize, usize, usize)>, TestCaseError> {
    let mut dice = Dice::new(rolls);
    let program = Arc::new(a_program_with_readouts(&mut dice));
    let engine = Engine::new(Arc::clone(&program));
    let candidates = 1 + dice.below(2);
    let ids = &["b", "a"][..candidates];
    let full = judged(&engine, &mut dice, candidates);
    let Ok(eager) = engine.outcomes("r", ids, &full) else { return Ok(None) };
    let lazy = Lazy::new(&program, |node| f64::from(node.0 % 3));
    let Ok(found) = asked(&lazy, &engine, "r", ids, &full, &|_| true) else { return Ok(None) };
    let early = only(&full, &found.wants);
    let outcomes = engine.outcomes("r", ids, &early).map_err(TestCaseError::fail)?;
    for (now, then) in outcomes.pointwise.iter().zip(&eager.pointwise) {
        for (now, then) in now.iter().zip(then) {
            prop_assert_eq!(&now.reading.outcome, &then.reading.outcome, "{:?}", program);
        }
    }
    for (now, then) in outcomes.compared.iter().zip(&eager.compared) {
        prop_assert_eq!(&now.reading.outcome, &then.reading.outcome, "{:?}", program);
    }
    prop_assert_eq!(lazy.next(&engine, "r", ids, &early, &|_| true), Ok(Next::Fixed));
    let least = floor(&engine, "r", ids, &full, &|_| true, &found.wants, 400).map_err(TestCaseError::fail)?;
    prop_assert!(least.fewest <= found.wants.len());
    Ok(Some((least.fewest, found.wants.len(), found.all)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_lazy_run_comes_to_what_an_eager_one_does(rolls in rolls(700)) {
        check(rolls)?;
    }
}

/// The property above is worth something only where something is left out.
#[test]
fn much_is_left_out() {
    let (mut fewest, mut asked, mut all) = (0, 0, 0);
    let mut state = 7_u32;
    for _ in 0..60 {
        let mut roll = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 7
        };
        let rolls = (0..700).map(|_| roll()).collect();
        if let Some((least, now, of)) = check(rolls).unwrap() {
            (fewest, asked, all) = (fewest + least, asked + now, all + of);
        }
    }
    assert!(fewest <= asked && asked < all * 3 / 4 && all > 300, "floor {fewest}, asked {asked} of {all}");
}
