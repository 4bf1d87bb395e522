//! What is known of a leaf (a criterion, or the items of a `checklist … from`) for one candidate.

use crate::graph::Program;
use crate::number::Number;
use crate::types::Value;

/// The state of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum Leaf {
    /// A value of the node's type, `Unknown` included.
    Known(Value),
    Missing(Missing),
    /// The items of a `checklist … from`, some of which may be missing.
    Items(Vec<ItemState>),
}

/// One item of a `checklist … from`.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemState {
    pub id: String,
    pub points: Number,
    /// `Ok(None)` is unknown.
    pub met: Result<Option<bool>, Missing>,
}

/// Why there is no judgment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub reason: MissingReason,
    /// More about it, in words; may be empty.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MissingReason {
    /// No judgment was recorded.
    NotRecorded,
    /// A person has not judged yet.
    Pending,
    /// The judge declined to answer.
    Refused,
    /// A content filter held the answer back.
    Filtered,
    /// The answer ended at its limit of tokens.
    Truncated,
    /// The answer does not conform, also when asked again.
    Unparseable,
    /// The judge could not be reached, or was overloaded, after all retries.
    Outage,
    /// The account has no credit left.
    NoCredit,
    /// The server took neither the key nor, perhaps, the request: asking again as it is would be useless.
    Rejected,
    /// Not asked, because a ceiling of calls or costs was reached.
    Budget,
    /// Not asked, because every readout was fixed without it.
    NotNeeded,
    /// Recorded as missing with a reason of its own.
    Other,
}

impl MissingReason {
    pub const ALL: [MissingReason; 12] = [
        MissingReason::NotRecorded,
        MissingReason::Pending,
        MissingReason::Refused,
        MissingReason::Filtered,
        MissingReason::Truncated,
        MissingReason::Unparseable,
        MissingReason::Outage,
        MissingReason::NoCredit,
        MissingReason::Rejected,
        MissingReason::Budget,
        MissingReason::NotNeeded,
        MissingReason::Other,
    ];

    /// Whether a judge was asked and gave no judgment.
    #[must_use]
    pub fn is_judge_failure(self) -> bool {
        match self {
            MissingReason::Refused
            | MissingReason::Filtered
            | MissingReason::Truncated
            | MissingReason::Unparseable
            | MissingReason::Outage
            | MissingReason::NoCredit
            | MissingReason::Rejected => true,
            MissingReason::NotRecorded
            | MissingReason::Pending
            | MissingReason::Budget
            | MissingReason::NotNeeded
            | MissingReason::Other => false,
        }
    }

    /// The word in results, traces and recorded judgments.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            MissingReason::NotRecorded => "not_recorded",
            MissingReason::Pending => "pending",
            MissingReason::Refused => "refused",
            MissingReason::Filtered => "filtered",
            MissingReason::Truncated => "truncated",
            MissingReason::Unparseable => "unparseable",
            MissingReason::Outage => "outage",
            MissingReason::NoCredit => "no_credit",
            MissingReason::Rejected => "rejected",
            MissingReason::Budget => "budget",
            MissingReason::NotNeeded => "not_needed",
            MissingReason::Other => "other",
        }
    }
}

impl Missing {
    /// Missing for this reason, with nothing more to say about it.
    #[must_use]
    pub fn because(reason: MissingReason) -> Missing {
        Missing { reason, detail: String::new() }
    }
}

/// One entry per node of the program, nothing judged yet: what [`super::evaluate`] takes once the leaves are filled in.
#[must_use]
pub fn blank_leaves(program: &Program) -> Vec<Leaf> {
    vec![Leaf::Missing(Missing::because(MissingReason::NotRecorded)); program.nodes.len()]
}
