//! Fields: what a record holds, task inputs, references, and the candidate that is judged.

use std::sync::Arc;

/// Which part of a record a field belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Task input x.
    Input,
    /// Fixed reference material z.
    Reference,
    /// What is judged; one value per candidate of a record.
    Candidate,
}

/// What a field's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldKind {
    Text,
    /// `[{role, content}]`.
    Chat,
    Json,
    Number,
    Flag,
    Image,
}

impl FieldKind {
    pub const ALL: [FieldKind; 6] =
        [FieldKind::Text, FieldKind::Chat, FieldKind::Json, FieldKind::Number, FieldKind::Flag, FieldKind::Image];

    /// The word an author writes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Chat => "chat",
            FieldKind::Json => "json",
            FieldKind::Number => "number",
            FieldKind::Flag => "flag",
            FieldKind::Image => "image",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<FieldKind> {
        FieldKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A declared field. The parts of a candidate record `pair { response1: text, … }` are fields named `pair.response1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: Arc<str>,
    pub role: Role,
    pub kind: FieldKind,
    /// Whether it may be missing from a record (`text?`).
    pub optional: bool,
    /// Doc comment, for hovers and reports; never sent to a judge.
    pub doc: Arc<str>,
}
