//! The pages of the codes (`docs/codes/RNNNN.md`), embedded so that `rubric explain` needs no files.

use super::Code;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page of a code, in Markdown.
#[must_use]
pub fn page(code: Code) -> Option<&'static str> {
    PAGES.iter().find(|(number, _)| *number == code.0).map(|(_, text)| *text)
}

/// Every page, in the order of the codes.
pub fn all() -> impl Iterator<Item = (Code, &'static str)> {
    PAGES.iter().map(|(number, text)| (Code(*number), *text))
}
