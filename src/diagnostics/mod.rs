//! One value for everything the checker has to say, and the sink that collects it.
//!
//! A [`Diagnostic`] has a stable [`Code`], a headline that is enough on its own, labelled spans, a help line and, where
//! there is one good one, a [`Fix`]. Renderers live in [`render`]; nothing else formats a diagnostic.

pub mod codes;
pub mod fixes;
pub mod pages;
pub mod render;

use crate::source::Span;

pub use crate::source::did_you_mean;
pub use codes::Code;

/// How much a diagnostic weighs. Only errors keep a program from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// A place and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A replacement of the bytes of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// A change that mends the mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "write `==`".
    pub title: String,
    pub edits: Vec<Edit>,
    /// Whether `--fix` may apply it unasked: it keeps what the author meant. Others are only shown.
    pub safe: bool,
}

/// One mistake, told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// One sentence in the author's words, without a full stop.
    pub headline: String,
    /// The place of the mistake first, then the places it conflicts with.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
    pub notes: Vec<String>,
    pub fix: Option<Fix>,
    /// What would have been accepted here, in words ("a name", "`ask`"); syntax errors only.
    pub expected: Vec<String>,
    /// The JSON pointer of the place, where the file is a JSON program.
    pub pointer: Option<String>,
}

impl Diagnostic {
    /// An error at `span`; `label` is shown at the place.
    #[must_use]
    pub fn error(code: Code, span: Span, headline: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            headline: headline.into(),
            labels: vec![Label { span, text: label.into() }],
            help: None,
            notes: Vec::new(),
            fix: None,
            expected: Vec::new(),
            pointer: None,
        }
    }

    /// A warning at `span`.
    #[must_use]
    pub fn warning(code: Code, span: Span, headline: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, headline, label) }
    }

    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: label.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    #[must_use]
    pub fn expected(mut self, expected: Vec<String>) -> Diagnostic {
        self.expected = expected;
        self
    }

    /// A fix that `--fix` applies.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Diagnostic {
        self.fix = Some(Fix { title: title.into(), edits, safe: true });
        self
    }

    /// A fix that is only shown.
    #[must_use]
    pub fn suggestion(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Diagnostic {
        self.fix = Some(Fix { title: title.into(), edits, safe: false });
        self
    }

    /// The place of the mistake.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels.first().map(|l| l.span).unwrap_or_default()
    }

    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Edit {
    #[must_use]
    pub fn new(span: Span, text: impl Into<String>) -> Edit {
        Edit { span, text: text.into() }
    }
}

/// Collects diagnostics; drops exact repetitions of one code at one place.
#[derive(Debug, Clone, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    #[must_use]
    pub fn new() -> Sink {
        Sink::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(Diagnostic::is_error)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, by file and place, one per code and place.
    #[must_use]
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|d| (d.span().file, d.span().start, d.span().end, d.code, d.severity));
        self.found.dedup_by(|b, a| a.code == b.code && a.span() == b.span());
        self.found
    }
}
