//! What is wrong with a configuration: all of it at once, each fault with its place in the file.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};
use std::fmt::{self, Write};

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub struct ConfigError {
    /// What the file is called; for what no file says, another word.
    place: String,
    text: Option<NamedSource<String>>,
    problems: Vec<Problem>,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub help: Option<String>,
    /// Bytes of the file.
    pub span: Option<std::ops::Range<usize>>,
}

impl ConfigError {
    /// Faults of a file.
    #[must_use]
    pub fn in_file(name: &str, text: &str, problems: Vec<Problem>) -> ConfigError {
        let text = Some(NamedSource::new(name, text.to_owned()).with_language("TOML"));
        ConfigError { place: format!("`{name}`"), text, problems }
    }

    /// A fault that stands in no text.
    #[must_use]
    pub fn of(place: &str, message: String, help: Option<String>) -> ConfigError {
        ConfigError { place: place.to_owned(), text: None, problems: vec![Problem { message, help, span: None }] }
    }

    /// All faults, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.as_slice() {
            [one] => write!(f, "{}: {}", self.place, one.message),
            many => write!(f, "{} has {} mistakes", self.place, many.len()),
        }
    }
}

impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self.problems.as_slice() {
            [one] => one.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>),
            many => {
                let mut all = String::new();
                for help in many.iter().filter_map(|p| p.help.as_deref()) {
                    if !all.lines().any(|line| line == help) {
                        let _ = writeln!(all, "{help}");
                    }
                }
                (!all.is_empty()).then(|| Box::new(all.trim_end().to_owned()) as Box<dyn fmt::Display>)
            }
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.text.as_ref()?;
        Some(Box::new(self.problems.iter().filter_map(|p| {
            let span = p.span.clone()?;
            Some(LabeledSpan::new_with_span(Some(p.message.clone()), SourceSpan::from((span.start, span.len()))))
        })))
    }
}
