//! The types an author can write, and the kinds of fields, as data.

use crate::types::FieldKind;

/// A type, or a kind of field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceInfo {
    pub word: &'static str,
    /// As an author writes it.
    pub form: &'static str,
    pub doc: &'static str,
    pub example: &'static str,
}

/// The judgment types.
pub const TYPES: &[SpaceInfo] = &[
    SpaceInfo { word: "bool", form: "bool", doc: "Yes or no; false < true.", example: "bool" },
    SpaceInfo { word: "int", form: "int[a..b]", doc: "A whole number from a to b.", example: "int[1..5]" },
    SpaceInfo {
        word: "score",
        form: "score[a..b]",
        doc: "An exact number from a to b, both included.",
        example: "score[0..1]",
    },
    SpaceInfo {
        word: "ordinal",
        form: "ordinal(a < b < …)",
        doc: "One label of a list that has an order, lowest first.",
        example: "ordinal(poor < fair < good)",
    },
    SpaceInfo {
        word: "choice",
        form: "choice(a, b, …)",
        doc: "One label of a list without an order.",
        example: "choice(agree, disagree, neither)",
    },
    SpaceInfo {
        word: "set",
        form: "set(a, b, …)",
        doc: "Any labels of a list, none and all included.",
        example: "set(bias, insult, threat)",
    },
    SpaceInfo {
        word: "tally",
        form: "tally(a, b, …) max n",
        doc: "For each label how often it was marked in the candidate, from 0 to n.",
        example: "tally(minor, major) max 50",
    },
    SpaceInfo { word: "?", form: "T?", doc: "The type T, or unknown: the judge may abstain.", example: "int[1..5]?" },
];

/// The kinds of fields; `?` behind one means that it may be missing.
pub const FIELD_KINDS: &[SpaceInfo] = &[
    SpaceInfo { word: FieldKind::Text.word(), form: "text", doc: "A text.", example: "candidate answer: text" },
    SpaceInfo {
        word: FieldKind::Chat.word(),
        form: "chat",
        doc: "A list of turns, each with `role` and `content`.",
        example: "input dialogue: chat",
    },
    SpaceInfo { word: FieldKind::Json.word(), form: "json", doc: "Any JSON value.", example: "reference facts: json?" },
    SpaceInfo { word: FieldKind::Number.word(), form: "number", doc: "A number.", example: "input price: number" },
    SpaceInfo {
        word: FieldKind::Flag.word(),
        form: "flag",
        doc: "true or false; stands wherever a bool may.",
        example: "input minor: flag",
    },
    SpaceInfo { word: FieldKind::Image.word(), form: "image", doc: "A picture.", example: "candidate picture: image" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_field_is_there() {
        assert_eq!(FIELD_KINDS.len(), FieldKind::ALL.len());
        assert!(FieldKind::ALL.iter().all(|k| FIELD_KINDS.iter().any(|i| i.word == k.word())));
    }
}
