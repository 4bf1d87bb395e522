//! Tags for criteria: assigned by a model, normalised, and clustered into a few dimensions that profiles can be drawn by.
//!
//! The way is Qworld's (arXiv 2603.23522, appendix D.1), where it is published; what is not (the stemmer, how much stems have
//! to overlap, which tag names a cluster) is decided here:
//!
//! 1. A model gives each criterion one to three tags, in batches ([`assign`]).
//! 2. Tags are normalised: NFKC, lower case, `_` and `-` as blanks, punctuation at the ends gone ([`normalised`]).
//! 3. Two tags are neighbours if half of their stems are the same, or if they are written nearly alike ([`cluster`]).
//! 4. Communities of greatest modularity, greedily, become dimensions, each called after its most frequent tag.
//! 5. Each criterion of a program gets the dimensions of its tags as `tag KEY "…"` ([`write()`]).
//!
//! Nothing here does I/O. Stems are English.

pub mod assign;
mod cluster;
mod write;

pub use cluster::{Dimension, clusters};
pub use write::{Place, places, write};

use unicode_normalization::UnicodeNormalization as _;

/// A tag as it is compared: in NFKC and lower case, runs of blanks, `_`, `-` and `/` as one blank, no punctuation at the ends.
/// Empty where nothing is left.
#[must_use]
pub fn normalised(tag: &str) -> String {
    let text: String =
        tag.nfkc().flat_map(char::to_lowercase).map(|c| if matches!(c, '_' | '-' | '/') { ' ' } else { c }).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn spellings_of_a_tag_are_one() {
        for tag in ["Patient-Safety", " patient_safety.", "patient  safety", "ＰＡＴＩＥＮＴ safety", "#patient/safety"]
        {
            assert_eq!(normalised(tag), "patient safety", "{tag}");
        }
        assert_eq!(normalised("C++"), "c");
        assert_eq!(normalised(" – "), "");
    }
}
