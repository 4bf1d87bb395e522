//! What is wrong with a configuration: all of it at once, each fault with its place in the file.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};
use regex::Regex;
use std::fmt::{self, Write};
use std::sync::LazyLock;

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
    /// Faults of a file. What looks like a secret in its text is not shown.
    #[must_use]
    pub fn in_file(name: &str, text: &str, problems: Vec<Problem>) -> ConfigError {
        let text = Some(NamedSource::new(name, without_secrets(text)).with_language("TOML"));
        ConfigError { place: format!("`{name}`"), text, problems }
    }

    /// A fault that stands in no text.
    #[must_use]
    pub fn of(place: &str, message: String, help: Option<String>) -> ConfigError {
        ConfigError { place: place.to_owned(), text: None, problems: vec![Problem { message, help, span: None }] }
    }

    /// Whether nothing could be read at all, rather than that what was read has mistakes.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.text.is_none()
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

/// The text of a file with stars for what may be a key or a password in it; of the same length, so that places stay true.
fn without_secrets(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut cover = |range: std::ops::Range<usize>| {
        if let Some(part) = bytes.get_mut(range) {
            part.fill(b'*');
        }
    };
    static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // What `key` is set to, and what stands before an `@` in an address.
        Regex::new(r#"\bkey["']?\s*=\s*["']*([^"'\n]*)|://([^/\s"'@]*)@"#).ok()
    });
    for found in SECRETS.iter().flat_map(|secrets| secrets.captures_iter(text)) {
        match (found.get(1), found.get(2)) {
            (Some(key), _) if !is_variable(key.as_str()) => cover(key.range()),
            (_, Some(user)) => cover(user.range()),
            _ => {}
        }
    }
    // Whole matches were covered, so no character was cut.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Whether a text is the name of a variable of the environment, rather than a key that was pasted in its place.
pub(super) fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        // A key is longer than any name, or has no capital at all.
        && text.len() <= 64
        && text.chars().any(|c| c.is_ascii_uppercase())
        && !["sk_", "hf_", "gsk_", "AIza"].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_the_text_are_covered_and_places_stay() {
        let text = "[models.ä]\nkey = \"sk-ü-123\"\nbase_url = \"https://me:pass@x.org\"\nkey = \"OPENAI_API_KEY\"\nmodel = \"m\" # key\n";
        let shown = without_secrets(text);
        assert_eq!(shown.len(), text.len());
        assert!(!shown.contains("123") && !shown.contains("pass") && shown.contains("OPENAI_API_KEY"), "{shown}");
        assert!(shown.contains("@x.org") && shown.contains("model = \"m\""), "{shown}");
        assert!(!without_secrets("a = { key='abcdefgh', x = 1 }\n\"key\" = abc").contains("abc"));
    }
}
