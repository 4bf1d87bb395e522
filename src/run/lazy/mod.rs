//! Which judgments to ask for first, and when to stop: the order that fixes a record's readouts soonest.
//!
//! While judgments are missing, the bounds of the nodes say what each readout may still become. A record is *fixed* once no
//! readout is open any more: whatever the missing judgments turn out to be, the readouts are what they would have been. Until
//! then, a [`Lazy`] ranks what may still be asked:
//!
//! 1. A walk from the open readouts down to the leaves, through nodes that are not fixed themselves, finds what can matter at
//!    all, and how large each leaf's part in the score is (weights, and for the trigger of a gate half of what it guards).
//! 2. The leaves with the largest parts are tried: each of their values (some, of a long scale) is supposed in turn, the
//!    bounds are computed again, and what that closes of the open readouts is averaged over the values.
//! 3. What a judgment closes is divided by what it costs, so that cheap models go first.
//!
//! The order is a guess, made without a candidate's text, and never changes an outcome; that a fixed record stays as it is
//! follows from the bounds. Binary fractions rank here, and nothing else.
//!
//! It does not know who answers or what a call is: several wants may be answered by one call, which is the caller's business.

mod board;
pub mod hindsight;
mod share;

use super::engine::Engine;
use super::judgment::Judged;
use super::leaf::{Leaf, Missing, MissingReason};
use crate::catalog::NodeId;
use crate::graph::{NodeKind, Program};
use crate::number::Number;
use crate::types::{Base, Type, Value};
use board::Board;
use std::cmp::Ordering;

/// Node evaluations that trying out may take per question asked.
const MOST_WORK: usize = 60_000;

/// Leaves that are tried out at the most.
const MOST_TRIED: usize = 24;

/// Something that may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Want {
    /// The candidate's place; `None`: a criterion that sees no candidate, asked once per record.
    pub candidate: Option<usize>,
    pub node: NodeId,
    /// The place of an item of a `checklist … from`.
    pub item: Option<usize>,
}

/// What to do next for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Every readout is what it would be with all judgments.
    Fixed,
    /// What can still matter, best first.
    Ask(Vec<Want>),
    /// Readouts are open, and nothing that may be asked can close them.
    Stuck,
}

/// What is asked first, for one program.
#[derive(Debug, Clone)]
pub struct Lazy {
    /// Per node, what a judgment costs, in any unit; never 0.
    cost: Vec<f64>,
    /// Per node, what is supposed of it.
    supposed: Vec<Vec<Value>>,
}

impl Lazy {
    /// `cost` is what a judgment of a leaf costs, in any unit; 0 counts as very little.
    #[must_use]
    pub fn new(program: &Program, cost: impl Fn(NodeId) -> f64) -> Lazy {
        let ids = (0..program.nodes.len()).map(|at| NodeId(u32::try_from(at).unwrap_or(u32::MAX)));
        let supposed = program.nodes.iter().map(|node| match &node.kind {
            NodeKind::Criterion(_) => suppositions(&node.ty),
            NodeKind::Items { template, .. } => suppositions(&template.ty),
            NodeKind::Operator(_) => Vec::new(),
        });
        let least = |cost: f64| if cost > 0.0 && cost.is_finite() { cost.max(1e-9) } else { 1e-9 };
        Lazy { cost: ids.map(|id| least(cost(id))).collect(), supposed: supposed.collect() }
    }

    /// What to ask next, given what is known of a record. `ids` are those of its candidates in their order (empty where the
    /// only one has none); `may` says what can be asked at all.
    ///
    /// # Errors
    /// Where a node cannot be computed: a sentence that names it.
    pub fn next(
        &self,
        engine: &Engine,
        record: &str,
        ids: &[&str],
        judged: &Judged,
        may: &dyn Fn(&Want) -> bool,
    ) -> Result<Next, String> {
        let mut board = Board::new(engine, record, ids, judged)?;
        if board.is_fixed() {
            return Ok(Next::Fixed);
        }
        let shares = board.shares();
        let mut wants: Vec<(f64, Want)> = board
            .missing()
            .filter(|want| may(want))
            .filter_map(|want| {
                let share = shares.of(&want);
                (share > 0.0).then(|| (share / self.cost_of(&want), want))
            })
            .collect();
        if wants.is_empty() {
            return Ok(Next::Stuck);
        }
        wants.sort_by(by_gain);
        let nodes = engine.program.nodes.len().max(1);
        let tried = (MOST_WORK / (nodes * 3)).min(MOST_TRIED).min(wants.len());
        if tried > 1 {
            let before = board.openness();
            for (gain, want) in wants.iter_mut().take(tried) {
                let closed =
                    board.closes(want, self.supposed.get(want.node.index()).map_or(&[][..], |all| all), before);
                // Where nothing that is tried closes anything, the parts in the score decide.
                *gain = closed / self.cost_of(want) + *gain * 1e-6;
            }
            if let Some(head) = wants.get_mut(..tried) {
                head.sort_by(by_gain);
            }
        }
        Ok(Next::Ask(wants.into_iter().map(|(_, want)| want).collect()))
    }

    fn cost_of(&self, want: &Want) -> f64 {
        self.cost.get(want.node.index()).copied().unwrap_or(1.0)
    }
}

/// The larger gain first; then in the order of the record, so that a run is the same every time.
fn by_gain(a: &(f64, Want), b: &(f64, Want)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

/// Values of a type that stand for all of them.
fn suppositions(ty: &Type) -> Vec<Value> {
    let number = |n: Number| Value::Number(n);
    let middle = |lo: &Number, hi: &Number| Number::ratio(1, 2).map(|half| &(lo + hi) * &half);
    let mut values = match &ty.base {
        Base::Bool | Base::Items => vec![Value::Bool(false), Value::Bool(true)],
        Base::Int { lo, hi } => match (hi - lo).to_i64() {
            Some(steps) if steps <= 6 => (0..=steps).map(|step| number(lo + &Number::int(step))).collect(),
            _ => vec![number(lo.clone()), number(hi.clone())],
        },
        Base::Score { lo, hi } => {
            let mut values = vec![number(lo.clone()), number(hi.clone())];
            values.extend(middle(lo, hi).map(number));
            values
        }
        Base::Ordinal(labels) | Base::Choice(labels) => {
            (0..u32::try_from(labels.len()).unwrap_or(u32::MAX)).take(8).map(Value::Label).collect()
        }
        Base::Set(labels) => {
            let all: Vec<u32> = (0..u32::try_from(labels.len()).unwrap_or(0)).collect();
            vec![Value::Set([].into()), Value::Set(all.into())]
        }
        Base::Tally { labels, max } => {
            vec![Value::Tally(vec![0; labels.len()].into()), Value::Tally(vec![*max; labels.len()].into())]
        }
        Base::Real => Vec::new(),
    };
    if ty.optional {
        values.push(Value::Unknown);
    }
    values
}

/// A judgment that was not asked for because it could not matter any more.
#[must_use]
pub fn not_needed() -> Missing {
    Missing { reason: MissingReason::NotNeeded, detail: String::new() }
}

/// Whether a leaf, or some item of it, is missing.
fn lacks(leaf: &Leaf) -> bool {
    match leaf {
        Leaf::Known(_) => false,
        Leaf::Missing(_) => true,
        Leaf::Items(items) => items.iter().any(|item| item.met.is_err()),
    }
}
