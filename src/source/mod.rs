//! Files, byte spans and positions: the only place that turns one into another.
//!
//! A [`Span`] is a range of bytes in one file of a [`SourceMap`]. Whoever draws or prints a span asks the [`Source`] for a
//! [`Position`]; spans that lie outside the text, inside a character or the wrong way round are clamped there, so no
//! renderer ever sees them.

pub mod encoding;
mod error;
pub mod files;
mod nearest;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::{ReadError, UseError, in_words};
pub use nearest::did_you_mean;

/// A file of a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A range of bytes, `start..end`, in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: at(start), end: at(end) }
    }

    /// The smallest span that holds both; of `self`'s file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right after this one.
    #[must_use]
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place for people: lines and columns from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// One text with its name and its line starts.
#[derive(Debug, Clone)]
pub struct Source {
    pub id: FileId,
    /// As the user named it.
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    text: Arc<str>,
    lines: Arc<[u32]>,
    bom: bool,
}

impl Source {
    /// A byte order mark at the start is no part of the text: offsets count from after it, and [`Source::bom`] remembers it.
    #[must_use]
    pub fn new(id: FileId, name: &str, path: Option<&Path>, text: impl Into<Arc<str>>) -> Source {
        let whole: Arc<str> = text.into();
        let (text, bom) = match whole.strip_prefix('\u{feff}') {
            Some(rest) => (Arc::from(rest), true),
            None => (whole, false),
        };
        let lines = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1))
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
            .collect();
        Source { id, name: name.into(), path: path.map(Path::to_owned), text, lines, bom }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the file began with a byte order mark, which whoever writes it back puts there again.
    #[must_use]
    pub fn bom(&self) -> bool {
        self.bom
    }

    /// The span as a range of bytes that certainly lies in the text and on character boundaries.
    #[must_use]
    pub fn clamp(&self, span: Span) -> std::ops::Range<usize> {
        let at = |n: u32| self.text.floor_char_boundary((n as usize).min(self.text.len()));
        let (start, end) = (at(span.start), at(span.end));
        start..end.max(start)
    }

    /// The text of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(self.clamp(span)).unwrap_or("")
    }

    /// The number of lines, at least 1.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Line and column (both from 1, the column in characters) of a byte offset.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let offset = self.clamp(Span { file: self.id, start: offset, end: offset }).start;
        let line = self.line_of(offset);
        let start = self.line_start(line);
        let column = self.text.get(start..offset).unwrap_or("").chars().count() + 1;
        Position { line, column }
    }

    /// The text of a line (from 1) without its line break.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_start(line);
        let end = if line < self.lines.len() { self.line_start(line + 1) } else { self.text.len() };
        self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start as usize <= offset).max(1)
    }

    fn line_start(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).map_or(self.text.len(), |n| *n as usize)
    }
}

/// All files of one run of the checker: the program and the libraries it uses.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<Source>,
}

impl SourceMap {
    #[must_use]
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text and gives it the next id.
    pub fn add(&mut self, name: &str, path: Option<&Path>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Source::new(id, name, path, text));
        id
    }

    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }
}
