//! Why a file could not be read, in words that say what to do.

use std::path::PathBuf;

/// A file that the user named could not be read.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum ReadError {
    #[error("`{path}` does not exist")]
    NotFound {
        path: String,
        /// What to do; names a file with a similar name where there is one.
        #[help]
        help: String,
    },
    #[error("`{path}` is a folder, not a file")]
    #[diagnostic(help("name a file in it, such as `{path}/NAME.rubric`"))]
    Directory { path: String },
    #[error("`{path}` is empty")]
    #[diagnostic(help("a program begins with `rubric NAME`; `rubric new NAME` writes one to start from"))]
    Empty { path: String },
    #[error("`{path}` is not UTF-8 text: line {line}, column {column} (byte {offset}) cannot be read")]
    NotUtf8 {
        path: String,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// Of the first byte that is no UTF-8, from 0.
        offset: usize,
        #[help]
        help: String,
    },
    #[error("`{path}` is larger than {} MB", most / 1_000_000)]
    #[diagnostic(help("split it into libraries, and bring them in with `use \"…\" as …`"))]
    TooLarge { path: String, most: u64 },
    #[error("`{path}` could not be read: {}", in_words(error))]
    #[diagnostic(help("check that the file is there and that you may read it"))]
    Unreadable { path: String, error: std::io::Error },
}

/// A file that a program names (`use "…"`) could not be brought in.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum UseError {
    #[error("`{path}` is an absolute path")]
    #[diagnostic(help("write it relative to the file that uses it, with `/` between folders"))]
    Absolute { path: String },
    #[error("`{path}` lies outside the project (`{}`)", shown(root))]
    #[diagnostic(help(
        "copy the file into the project; the project is the nearest folder above with a `rubric.toml` (or a `.git`), else \
         the program's own folder"
    ))]
    Outside { path: String, root: PathBuf },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Read(#[from] ReadError),
}

/// What an error of the system means for whoever named the file. The path is said by the caller.
#[must_use]
pub fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "you have no permission".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is no folder".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        _ => error.to_string(),
    }
}

fn shown(root: &std::path::Path) -> std::borrow::Cow<'_, str> {
    root.to_string_lossy()
}

impl ReadError {
    /// The error of bytes that are no UTF-8.
    #[must_use]
    pub fn not_utf8(path: &str, bytes: &[u8], offset: usize) -> ReadError {
        let before = String::from_utf8_lossy(bytes.get(..offset).unwrap_or_default());
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").trim_start_matches('\u{feff}').chars().count() + 1;
        let help = if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
            "the file seems to be UTF-16: save it again with the encoding UTF-8"
        } else {
            "save the file again with the encoding UTF-8"
        };
        ReadError::NotUtf8 { path: path.to_owned(), line, column, offset, help: help.to_owned() }
    }

    /// What to do about it, in words.
    #[must_use]
    pub fn what_to_do(&self) -> String {
        miette::Diagnostic::help(self).map(|h| h.to_string()).unwrap_or_default()
    }
}

impl UseError {
    /// What to do about it, in words.
    #[must_use]
    pub fn what_to_do(&self) -> String {
        miette::Diagnostic::help(self).map(|h| h.to_string()).unwrap_or_default()
    }
}
