//! Faults: what is wrong with an application, or suspicious, and where.

use crate::diagnostics::Code;

/// Where a fault lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The application as a whole.
    Whole,
    /// A port (index in the operator's table entry) and its slot (from 0).
    Slot(usize, usize),
    /// The weight of a slot of port `x` (from 0).
    Weight(usize),
    /// A named parameter.
    Param(&'static str),
    /// The key of a table row (from 0).
    ArmKey(usize),
    /// The value of a table row (from 0).
    ArmValue(usize),
    /// The written type of the declaration.
    WrittenType,
}

/// Why an application is wrong, or (a lint) suspicious.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub warning: bool,
    pub place: Place,
    pub headline: String,
    pub label: String,
    pub help: Option<String>,
    /// A replacement for the text at `place`, where there is one good one: `(title, before, after)` to put around it.
    pub wrap: Option<(String, String, String)>,
}

impl Fault {
    #[must_use]
    pub fn error(code: Code, place: Place, headline: impl Into<String>, label: impl Into<String>) -> Fault {
        Fault { code, warning: false, place, headline: headline.into(), label: label.into(), help: None, wrap: None }
    }

    #[must_use]
    pub fn warning(code: Code, place: Place, headline: impl Into<String>, label: impl Into<String>) -> Fault {
        Fault { warning: true, ..Fault::error(code, place, headline, label) }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    /// A call of one argument to put around the text.
    #[must_use]
    pub fn wrap_in(mut self, word: &str) -> Fault {
        self.wrap = Some((format!("write `{word}(…)` around it"), format!("{word}("), ")".to_owned()));
        self
    }
}
