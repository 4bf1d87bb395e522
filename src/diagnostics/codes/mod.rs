//! The register of diagnostic codes. A code never changes its meaning and is never used again.
//!
//! | range | about | file |
//! | --- | --- | --- |
//! | `R01xx` | syntax | `syntax.rs` |
//! | `R02xx` | names and files | `names.rs` |
//! | `R03xx` | types and values | `types.rs` |
//! | `R04xx` | operators | `operators.rs` |
//! | `R05xx` | criteria, checklists, judges, rules | `criteria.rs`, `rules.rs` |
//! | `R06xx` | readouts and reachability | `readouts.rs` |
//! | `R07xx` | requirements and tests | `spec.rs` |
//! | `R08xx` | JSON programs | `json.rs` |
//! | `R09xx` | lints | `lints.rs` |
//! | `R10xx` | importers | `import.rs` |
//! | `R11xx` | proofs of requirements | `proof.rs` |
//! | `R12xx` | programs written for a task | `compile.rs` |
//!
//! `docs/codes/CODE.md` explains each; `rubric explain CODE` prints it.

use std::fmt;

/// A stable diagnostic code such as `R0101`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{:04}", self.0)
    }
}

/// Declares the codes of a range: `NAME = number, "title";`. The title is read by people in lists.
macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal;)*) => {
        use super::Code;
        impl Code {
            $(#[doc = $title] pub const $name: Code = Code($number);)*
        }
        /// The codes of this range with their titles, in order.
        pub(super) const CODES: &[(Code, &str)] = &[$((Code($number), $title),)*];
    };
}

mod compile;
mod criteria;
mod import;
mod json;
mod lints;
mod names;
mod operators;
mod proof;
mod readouts;
mod rules;
mod spec;
mod syntax;
mod types;

/// Every code with its title, in order.
pub fn all() -> impl Iterator<Item = (Code, &'static str)> {
    let ranges = [
        syntax::CODES,
        names::CODES,
        types::CODES,
        operators::CODES,
        criteria::CODES,
        rules::CODES,
        readouts::CODES,
        spec::CODES,
        json::CODES,
        lints::CODES,
        import::CODES,
        proof::CODES,
        compile::CODES,
    ];
    ranges.into_iter().flatten().copied()
}

impl Code {
    /// The title of this code.
    #[must_use]
    pub fn title(self) -> &'static str {
        all().find(|(code, _)| *code == self).map_or("", |(_, title)| title)
    }

    /// Reads `R0101` (any case).
    #[must_use]
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.strip_prefix(['R', 'r'])?;
        let number: u16 = digits.parse().ok()?;
        all().map(|(code, _)| code).find(|code| code.0 == number && digits.len() == 4)
    }
}
