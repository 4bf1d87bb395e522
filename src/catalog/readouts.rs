//! The readouts: how a sink's value becomes what the outside sees, as data.

use super::table::{MODE, ParamInfo};

/// A readout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadoutInfo {
    pub word: &'static str,
    /// `pointwise`, `pairwise` or `listwise`.
    pub mode: &'static str,
    pub params: &'static [ParamInfo],
    /// What the rows of its `{ … }` are, in words.
    pub table: Option<&'static str>,
    /// What it yields, in words.
    pub result: &'static str,
    pub doc: &'static str,
    pub example: &'static str,
}

const MARGIN: ParamInfo = ParamInfo::new("margin", "how much higher a score must be to win, at least 0", Some("0"));

const TIE: ParamInfo = ParamInfo::new(
    "tie",
    "what is said where none is higher by the margin: `by(a, not b, …, else: abstain)` compares other nodes in order",
    Some("tie"),
)
.words(&["tie", "abstain", "first", "by_id", "by"]);

/// All of them.
pub const READOUTS: &[ReadoutInfo] = &[
    ReadoutInfo {
        word: "final",
        mode: "pointwise",
        params: &[],
        table: None,
        result: "the type of the node",
        doc: "The value as it is; a bare name says the same.",
        example: "readout pointwise = final(quality)",
    },
    ReadoutInfo {
        word: "rescale",
        mode: "pointwise",
        params: &[ParamInfo::new("to", "the new type", None)],
        table: None,
        result: "the type `to`",
        doc: "The value on another interval.",
        example: "readout pointwise = rescale(quality, to: score[0..100])",
    },
    ReadoutInfo {
        word: "quantize",
        mode: "pointwise",
        params: &[ParamInfo::new("to", "the new type: an int", None), MODE],
        table: None,
        result: "the type `to`",
        doc: "The value rescaled, then rounded to whole numbers.",
        example: "readout pointwise = quantize(quality, to: int[1..5])",
    },
    ReadoutInfo {
        word: "bands",
        mode: "pointwise",
        params: &[],
        table: Some("`below NUMBER => label`, ascending, then `rest => label`"),
        result: "the ordinal of the labels in the order written",
        doc: "The name of the band that the value lies in.",
        example: "readout pointwise grade = bands(quality) { below 0.5 => fail, rest => pass }",
    },
    ReadoutInfo {
        word: "pass",
        mode: "pointwise",
        params: &[ParamInfo::new("at", "the lowest value that passes", None)],
        table: None,
        result: "bool",
        doc: "Whether the value is at least `at`.",
        example: "readout pointwise verdict = pass(quality, at: 0.6)",
    },
    ReadoutInfo {
        word: "prefer",
        mode: "pairwise",
        params: &[MARGIN, TIE],
        table: None,
        result: "the id of one of the two candidates, tie, or an abstention",
        doc: "The candidate whose value is higher by more than the margin.",
        example: "readout pairwise = prefer(quality, margin: 0.02, tie: abstain)",
    },
    ReadoutInfo {
        word: "ranking",
        mode: "listwise",
        params: &[ParamInfo::new(
            "tie",
            "equal values share a rank (1 2 2 4), or `by(…)` compares other nodes in order",
            Some("shared"),
        )
        .words(&["shared", "by"])],
        table: None,
        result: "a rank for each candidate",
        doc: "All candidates from the highest value down.",
        example: "readout listwise = ranking(quality)",
    },
    ReadoutInfo {
        word: "best",
        mode: "listwise",
        params: &[MARGIN, TIE],
        table: None,
        result: "the id of one candidate, tie, or an abstention",
        doc: "The candidate whose value is above all others by more than the margin.",
        example: "readout listwise = best(quality, tie: by_id)",
    },
];

/// The entry of a readout.
#[must_use]
pub fn readout(word: &str) -> Option<&'static ReadoutInfo> {
    READOUTS.iter().find(|r| r.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_of_its_mode_and_word() {
        for r in READOUTS {
            assert!(r.example.starts_with(&format!("readout {}", r.mode)));
            assert!(r.example.contains(&format!("= {}(", r.word)));
        }
        assert!(readout("prefer").is_some() && readout("pick").is_none());
    }
}
