//! `increasing` and `decreasing`: whether the sink ever falls when a judgment rises.
//!
//! One pass backward over the whole program gives the sign of the sink in every leaf at once; most requirements end there.
//! Where a sign is mixed, two assignments are searched that differ in that leaf only, the second being higher in it and lower
//! in the sink. A box on which the sign is no longer mixed holds none.
//!
//! The sink being unknown in one of the two is no fall, nor is a leaf's being unknown in one of them a rise.

use super::domain::Domain;
use super::find::Query;
use super::problem::{Arg, At, Builder, Shared};
use super::require::{Broken, Counterexample, Verdict};
use super::search::{Budget, Outcome, Search};
use super::sign::Sign;
use super::witness::{self, Referee};
use crate::catalog::NodeId;
use crate::graph::spec::{Comparison, Condition, Operand, Require, Rising};
use crate::graph::{NodeKind, Program};
use crate::run::Leaf;
use crate::types::{Base, Value};
use std::time::Instant;

/// Whether the sink rises (or falls) with these leaves. Of a checklist's items a negative one is taken the other way round.
pub(super) fn prove(program: &Program, require: &Require, what: &Rising, rising: bool, budget: &Budget) -> Verdict {
    let started = Instant::now();
    let leaves = &what.leaves;
    let negative = if what.by_sign { negative_items(program) } else { Vec::new() };
    let wanted = |leaf: &NodeId| if rising != negative.contains(leaf) { Sign::Rising } else { Sign::Falling };
    let open: Vec<NodeId> = {
        let mut builder = Builder::new(program, &Shared::Unseen, Vec::new());
        let sink = builder.node(0, program.sink);
        let places: Vec<At> = leaves.iter().map(|leaf| builder.node(0, *leaf)).collect();
        let problem = builder.whole(sink);
        let starts: Vec<Domain> = problem.knots.iter().map(|knot| knot.start.clone()).collect();
        let forward = problem.forward_only(&starts);
        let signs = problem.signs(sink, &forward);
        let settled = |(leaf, at): (&NodeId, &At)| {
            let sign = signs.get(*at).map_or(Sign::Mixed, |(sign, _)| *sign);
            sign == Sign::Still || sign == wanted(leaf)
        };
        leaves.iter().zip(&places).filter(|pair| !settled(*pair)).map(|(leaf, _)| *leaf).collect()
    };
    let mut boxes = 1;
    let mut undecided = None;
    for leaf in open {
        let left =
            Budget { boxes: budget.boxes.saturating_sub(boxes), time: budget.time.saturating_sub(started.elapsed()) };
        let rises = wanted(&leaf) == Sign::Rising;
        let (found, looked) = fall(program, leaf, rises, &left);
        boxes += looked;
        match found {
            Ok(None) => {}
            Ok(Some(mut counterexample)) => {
                super::require::name(program, require, &mut counterexample.assignment);
                return Verdict::Disproved(counterexample);
            }
            Err(why) => undecided = Some(why),
        }
    }
    match undecided {
        Some(why) => Verdict::Undecided { boxes, why },
        None => Verdict::Proved { boxes },
    }
}

/// The leaves with which a node is proved never to rise, and in which it is not constant: what counts against it.
#[must_use]
pub fn against(program: &Program, of: NodeId) -> Vec<NodeId> {
    let leaves = (0_u32..).zip(&program.nodes).filter(|(_, node)| !matches!(node.kind, NodeKind::Operator(_)));
    let leaves: Vec<NodeId> = leaves.map(|(at, _)| NodeId(at)).collect();
    let mut builder = Builder::new(program, &Shared::Unseen, Vec::new());
    let goal = builder.node(0, of);
    let places: Vec<At> = leaves.iter().map(|leaf| builder.node(0, *leaf)).collect();
    let problem = builder.whole(goal);
    let starts: Vec<Domain> = problem.knots.iter().map(|knot| knot.start.clone()).collect();
    let signs = problem.signs(goal, &problem.forward_only(&starts));
    let falls = |at: &At| signs.get(*at).is_some_and(|(sign, _)| *sign == Sign::Falling);
    leaves.iter().zip(&places).filter(|(_, at)| falls(at)).map(|(leaf, _)| *leaf).collect()
}

fn negative_items(program: &Program) -> Vec<NodeId> {
    let items = program.checklists.iter().flat_map(|list| &list.items);
    items.filter(|item| item.points.is_negative()).map(|item| item.node).collect()
}

type Fall = Result<Option<Counterexample>, String>;

/// Two assignments that differ in a leaf only, the second being higher in it, between which the sink goes the wrong way.
fn fall(program: &Program, leaf: NodeId, rises: bool, budget: &Budget) -> (Fall, u64) {
    let started = Instant::now();
    let shared = Shared::AllBut(vec![leaf]);
    let mut builder = Builder::new(program, &shared, Vec::new());
    let (low, high) = (builder.node(0, leaf), builder.node(1, leaf));
    let (before, after) = (builder.node(0, program.sink), builder.node(1, program.sink));
    let op = if rises { Comparison::Greater } else { Comparison::Less };
    let wrong = builder.compare(op, before, Arg::Knot(after));
    // A tally rises where no label's count falls; which is asked label by label, one rising at a time.
    let labels = match program.node(leaf).map(|node| &node.ty.base) {
        Some(Base::Tally { labels, .. }) => labels.len(),
        _ => 0,
    };
    let higher = if labels == 0 {
        builder.compare(Comparison::Less, low, Arg::Knot(high))
    } else {
        let each: Vec<At> = (0..labels).map(|label| builder.count_rises(low, high, label)).collect();
        builder.and(&each)
    };
    let goal = builder.and(&[higher, wrong]);
    let (problem, [low, high, sink]) = builder.finish_with(goal, [low, high, before]);
    // On a box over which the sink goes the right way there is no fall. The leaf runs over what it is in either of the two.
    let settled = |problem: &super::problem::Problem, forward: &[Domain]| {
        let (Some(a), Some(b)) = (forward.get(low), forward.get(high)) else { return false };
        let mut joint = forward.to_vec();
        if let Some(place) = joint.get_mut(low) {
            *place = a.clone().or(b.clone()).known_part();
        }
        let joint = problem.forward_only(&joint);
        let signs = problem.signs(sink, &joint);
        let sign = signs.get(low).map_or(Sign::Mixed, |(sign, _)| *sign);
        sign == Sign::Still || sign == if rises { Sign::Rising } else { Sign::Falling }
    };
    let mut search = Search::new(&problem, budget, started);
    search.settled = Some(&settled);
    let outcome = search.run();
    let boxes = search.boxes;
    let found = match outcome {
        Outcome::None => Ok(None),
        Outcome::Undecided(why) => Err(why),
        Outcome::Found(values) => {
            let node = |candidate| Operand::Node { candidate, node: program.sink };
            let op = if rises { Comparison::Greater } else { Comparison::Less };
            let condition = Condition::Compare { op, left: node(0), right: node(1) };
            let query = Query { condition: &condition, candidates: 2, shared, held: Vec::new() };
            let assignment = witness::assignment(program, &problem, &values, &query);
            let referee = Referee::new(program);
            let rises_in = |at: usize| assignment.leaves.get(at).and_then(|own| own.get(&leaf)).cloned();
            let higher =
                matches!((rises_in(0), rises_in(1)), (Some(Leaf::Known(a)), Some(Leaf::Known(b))) if below(&a, &b));
            if higher && referee.holds(&assignment, &condition) {
                let assignment = witness::confirm_keeping(program, &query, assignment, leaf);
                Ok(Some(Counterexample { assignment, broken: Broken::Order { leaf, falls: rises } }))
            } else {
                Err("an assignment that seemed to break it did not when it was computed in full".to_owned())
            }
        }
    };
    (found, boxes)
}

/// Whether one judgment is below another.
fn below(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => !a & b,
        (Value::Number(a), Value::Number(b)) => a < b,
        (Value::Label(a), Value::Label(b)) => a < b,
        (Value::Tally(a), Value::Tally(b)) => a != b && a.iter().zip(b.iter()).all(|(a, b)| a <= b),
        _ => false,
    }
}
