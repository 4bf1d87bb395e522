//! The procedures that answer a criterion, with every parameter and default, as data.

use super::table::ParamInfo;

/// A procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcedureInfo {
    pub word: &'static str,
    pub params: &'static [ParamInfo],
    pub doc: &'static str,
    pub example: &'static str,
}

/// The words of `combine:`.
pub const COMBINE: &[&str] = &["majority", "median", "mean", "min", "max", "unanimous", "expected"];

const COMBINE_PARAM: ParamInfo = ParamInfo::new(
    "combine",
    "how several samples become one judgment",
    Some(
        "bool, choice, ordinal: majority (ties: the lower value; of a choice unknown); int: median (the lower middle); \
         score: mean; set and tally: label by label; with view swapped: unanimous",
    ),
)
.words(COMBINE);

/// All of them. A cascade `A else B when confidence < t` joins two `llm`.
pub const PROCEDURES: &[ProcedureInfo] = &[
    ProcedureInfo {
        word: "llm",
        params: &[
            ParamInfo::new("model", "an alias that the configuration resolves", Some("default")),
            ParamInfo::new("panel", "several aliases in place of `model`; their samples are pooled", Some("none")),
            ParamInfo::new("samples", "how often each model is asked", Some("1")),
            COMBINE_PARAM,
            ParamInfo::new(
                "view",
                "what a call sees: one candidate; all of them; all of them, in both orders",
                Some("separate"),
            )
            .words(&["separate", "joint", "swapped"]),
            ParamInfo::new("evidence", "whether verbatim quotes must support the judgment", Some("none"))
                .words(&["none", "required"]),
            ParamInfo::new("reason", "whether the model explains itself, and when", Some("before"))
                .words(&["before", "after", "none"]),
            ParamInfo::new("order", "in which order the options are shown", Some("declared"))
                .words(&["declared", "shuffled"]),
            ParamInfo::new("each", "lists such parts of the candidate first, then asks of each", Some("none")),
            ParamInfo::new("temperature", "of sampling", Some("the model's")),
            ParamInfo::new("max_tokens", "the longest answer", Some("the model's")),
            ParamInfo::new("batch", "how many items of a checklist go into one call", Some("the model's")),
        ],
        doc: "A language model is asked.",
        example: "llm(samples: 3, combine: median, evidence: required)",
    },
    ProcedureInfo {
        word: "rule",
        params: &[],
        doc: "An expression over the record's fields is computed; no model.",
        example: "rule(word_count(answer) <= 250)",
    },
    ProcedureInfo {
        word: "verifier",
        params: &[],
        doc: "A command that the configuration names answers, JSON in and out.",
        example: "verifier(\"unit_tests\")",
    },
    ProcedureInfo {
        word: "human",
        params: &[COMBINE_PARAM],
        doc: "People judge; their recorded judgments are read.",
        example: "human(combine: majority)",
    },
    ProcedureInfo {
        word: "cascade",
        params: &[ParamInfo::new("confidence", "below this number the second is asked", None)],
        doc: "One `llm` answers, and another where the first is not sure; written `A else B when confidence < t`.",
        example: "llm(model: quick) else llm(model: strong) when confidence < 0.8",
    },
];

/// The entry of a procedure.
#[must_use]
pub fn procedure(word: &str) -> Option<&'static ProcedureInfo> {
    PROCEDURES.iter().find(|p| p.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_distinct_names_and_their_defaults_are_among_their_words() {
        for p in PROCEDURES {
            for (at, param) in p.params.iter().enumerate() {
                assert!(p.params[..at].iter().all(|q| q.name != param.name));
                if param.name != "combine" && !param.words.is_empty() {
                    assert!(param.default.is_some_and(|d| param.words.contains(&d)), "{}", param.name);
                }
            }
        }
        assert_eq!(procedure("llm").map(|p| p.params.len()), Some(12));
        assert_eq!(procedure("lln"), None);
    }
}
