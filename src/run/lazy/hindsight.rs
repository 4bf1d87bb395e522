//! Looking back at a record whose judgments are all known: how many of them a lazy run would have asked for, and how few would
//! have done.
//!
//! [`asked`] plays the run. [`floor`] looks for the smallest set of judgments that fixes every readout, known in advance as
//! no run can know it: from what the run asked for, whatever can be left out is left out; then smaller sets are tried,
//! smallest first, within a budget. Where the budget ends, the floor is what was found by leaving out, and says so.

use super::board::Board;
use super::{Lazy, Next, Want, lacks};
use crate::run::engine::Engine;
use crate::run::judgment::{Judged, JudgedLeaf};
use crate::run::leaf::{Leaf, Missing, MissingReason};

/// What a lazy run asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// In the order asked.
    pub wants: Vec<Want>,
    /// How many judgments there are to ask for.
    pub all: usize,
}

/// The fewest judgments that fix a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    pub fewest: usize,
    /// Whether fewer were ruled out, rather than not found.
    pub exact: bool,
}

/// Plays a lazy run over a record: `asks` says what is asked of judges; everything else that `judged` holds is known from the
/// start.
///
/// # Errors
/// Where a node cannot be computed: a sentence that names it.
pub fn asked(
    lazy: &Lazy,
    engine: &Engine,
    record: &str,
    ids: &[&str],
    judged: &Judged,
    asks: &dyn Fn(&Want) -> bool,
) -> Result<Asked, String> {
    let (mut hidden, all) = hide(judged, asks);
    let mut wants = Vec::new();
    // Each round reveals one, so there are never more rounds than wants.
    for _ in 0..=all.len() {
        match lazy.next(engine, record, ids, &hidden, asks)? {
            Next::Fixed | Next::Stuck => break,
            Next::Ask(list) => {
                let Some(first) = list.first() else { break };
                reveal(&mut hidden, judged, first);
                wants.push(*first);
            }
        }
    }
    Ok(Asked { wants, all: all.len() })
}

/// The fewest judgments that fix every readout of a record; `from` are some that do. `budget` is how many sets are tried.
///
/// # Errors
/// Where a node cannot be computed: a sentence that names it.
pub fn floor(
    engine: &Engine,
    record: &str,
    ids: &[&str],
    judged: &Judged,
    asks: &dyn Fn(&Want) -> bool,
    from: &[Want],
    budget: usize,
) -> Result<Floor, String> {
    let (hidden, all) = hide(judged, asks);
    let mut board = Board::new(engine, record, ids, &hidden)?;
    if board.is_fixed() {
        return Ok(Floor { fewest: 0, exact: true });
    }
    let known = |want: &Want| find(judged, want).map(|leaf| leaf.leaf.clone());
    // Left out one by one, what was asked last first.
    let mut kept: Vec<Want> = from.to_vec();
    for want in &kept {
        board.set(want, known(want).as_ref());
    }
    let mut tried = 0;
    for want in from.iter().rev() {
        board.set(want, None);
        tried += 1;
        if board.is_fixed() {
            kept.retain(|other| other != want);
        } else {
            board.set(want, known(want).as_ref());
        }
    }
    for want in &kept {
        board.set(want, None);
    }
    for size in 1..kept.len() {
        let mut chosen: Vec<usize> = (0..size).collect();
        for want in chosen.iter().filter_map(|at| all.get(*at)) {
            board.set(want, known(want).as_ref());
        }
        loop {
            tried += 1;
            if board.is_fixed() {
                return Ok(Floor { fewest: size, exact: true });
            }
            if tried > budget {
                return Ok(Floor { fewest: kept.len(), exact: false });
            }
            let before = chosen.clone();
            if !advance(&mut chosen, all.len()) {
                break;
            }
            for want in before.iter().filter(|at| !chosen.contains(at)).filter_map(|at| all.get(*at)) {
                board.set(want, None);
            }
            for want in chosen.iter().filter(|at| !before.contains(at)).filter_map(|at| all.get(*at)) {
                board.set(want, known(want).as_ref());
            }
        }
        for want in chosen.iter().filter_map(|at| all.get(*at)) {
            board.set(want, None);
        }
    }
    Ok(Floor { fewest: kept.len(), exact: true })
}

/// The next choice of as many places out of `all`; `false` after the last.
fn advance(chosen: &mut [usize], all: usize) -> bool {
    let size = chosen.len();
    for at in (0..size).rev() {
        let Some(place) = chosen.get(at).copied() else { return false };
        if place + (size - at) < all {
            for (n, slot) in chosen.iter_mut().skip(at).enumerate() {
                *slot = place + 1 + n;
            }
            return true;
        }
    }
    false
}

/// What is known without the judgments that are asked for, and those.
fn hide(judged: &Judged, asks: &dyn Fn(&Want) -> bool) -> (Judged, Vec<Want>) {
    let mut hidden = judged.clone();
    let mut wants = Vec::new();
    let mut of = |candidate: Option<usize>, leaves: &mut Vec<JudgedLeaf>| {
        for one in leaves {
            let mut want = Want { candidate, node: one.node, item: None };
            if let Leaf::Items(items) = &mut one.leaf {
                for (at, item) in items.iter_mut().enumerate() {
                    want.item = Some(at);
                    if item.met.is_ok() && asks(&want) {
                        item.met = Err(Missing::because(MissingReason::NotRecorded));
                        wants.push(want);
                    }
                }
            } else if !lacks(&one.leaf) && asks(&want) {
                one.leaf = Leaf::Missing(Missing::because(MissingReason::NotRecorded));
                wants.push(want);
            }
        }
    };
    of(None, &mut hidden.shared);
    for (candidate, own) in hidden.own.iter_mut().enumerate() {
        of(Some(candidate), own);
    }
    (hidden, wants)
}

fn find<'j>(judged: &'j Judged, want: &Want) -> Option<&'j JudgedLeaf> {
    let leaves = match want.candidate {
        None => &judged.shared,
        Some(candidate) => judged.own.get(candidate)?,
    };
    leaves.iter().find(|leaf| leaf.node == want.node)
}

fn reveal(hidden: &mut Judged, judged: &Judged, want: &Want) {
    let Some(full) = find(judged, want) else { return };
    let leaves = match want.candidate {
        None => Some(&mut hidden.shared),
        Some(candidate) => hidden.own.get_mut(candidate),
    };
    let Some(leaf) = leaves.and_then(|leaves| leaves.iter_mut().find(|leaf| leaf.node == want.node)) else { return };
    match (&mut leaf.leaf, &full.leaf, want.item) {
        (Leaf::Items(items), Leaf::Items(full), Some(at)) => {
            if let (Some(item), Some(full)) = (items.get_mut(at), full.get(at)) {
                item.met.clone_from(&full.met);
            }
        }
        (leaf, full, _) => leaf.clone_from(full),
    }
}
