//! What an expansion consists of: scenarios, perspectives, criteria, and which came from which.
//!
//! Lists keep every stage; a place in a list (from 0) is what others refer to, and the ids that files show (`s1`, `p1`, `c1`;
//! `rp1`, `rc1` for raw ones) are these places counted from 1. Lineage is a set of places in the stage before; what is merged
//! has that of all its parts, so every final criterion leads back to its perspectives and scenarios.

use std::collections::BTreeSet;

/// The places in another list that something comes from.
pub type Places = BTreeSet<usize>;

/// A situation in which a good answer to the question would be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    pub name: String,
    pub description: String,
    /// 0: from the question itself; else the round that added it.
    pub round: u32,
}

impl Scenario {
    /// What it is compared by.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.name, self.description)
    }
}

/// A point of view from which answers are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Perspective {
    pub name: String,
    pub description: String,
    /// In the list of scenarios; at least one.
    pub scenarios: Places,
    /// In the list of raw perspectives; empty where a round added it after the review.
    pub raw: Places,
    /// 0: from scenarios; else the round that added it.
    pub round: u32,
}

impl Perspective {
    /// What it is compared by.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.name, self.description)
    }
}

/// Something that an answer does or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    pub text: String,
    /// From −10 to 10, not 0.
    pub points: i64,
    pub reasoning: String,
    /// In the list of reviewed perspectives; at least one.
    pub perspectives: Places,
    /// In the list of raw criteria; empty where a round added it after the review.
    pub raw: Places,
    /// 0: from perspectives; else the round that added it.
    pub round: u32,
}

/// Something that did not come further, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where: `scenario_expansion`, `perspective_review`, `criterion_dedup`, …
    pub stage: &'static str,
    pub text: String,
    pub reason: String,
}

/// How many criteria there were, before and after each thinning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dedup {
    /// Raw criteria.
    pub before: usize,
    pub after: usize,
    pub after_review: usize,
    /// With those that rounds added.
    pub expanded: usize,
    pub last: usize,
}

/// Everything that came of one question, as far as it came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expansion {
    pub scenarios: Vec<Scenario>,
    pub raw_perspectives: Vec<Perspective>,
    /// Reviewed, and those that rounds added.
    pub perspectives: Vec<Perspective>,
    pub raw_criteria: Vec<Criterion>,
    pub reviewed_criteria: Vec<Criterion>,
    /// The criteria with their final points; empty unless all steps are done.
    pub criteria: Vec<Criterion>,
    pub dropped: Vec<Dropped>,
    pub dedup: Dedup,
    /// Final criteria out of which facts were taken: place, and what each said before.
    pub reworded: Vec<(usize, String)>,
    /// Facts that stand hard-coded in final criteria: place, and the facts.
    pub facts: Vec<(usize, Vec<String>)>,
    pub calls: Calls,
    /// The models that answered, as their servers name them.
    pub models: BTreeSet<String>,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Questions that were put, each counted once.
    pub questions: u64,
    /// Replies that did not conform, so that a question was put again.
    pub again: u64,
}

impl Expansion {
    /// The scenarios that a criterion leads back to.
    #[must_use]
    pub fn scenarios_of(&self, criterion: &Criterion) -> Places {
        let perspectives = criterion.perspectives.iter().filter_map(|place| self.perspectives.get(*place));
        perspectives.flat_map(|perspective| perspective.scenarios.iter().copied()).collect()
    }

    /// The sums of the positive and of the negative points, both from 0 up.
    #[must_use]
    pub fn totals(criteria: &[Criterion]) -> (i64, i64) {
        let sum = |sign: i64| criteria.iter().map(|criterion| (criterion.points * sign).max(0)).sum();
        (sum(1), sum(-1))
    }
}
