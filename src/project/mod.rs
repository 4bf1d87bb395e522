//! From a path to a program: reads a `.rubric` text or a JSON program (told apart by content), checks it, and keeps files
//! and diagnostics together so that they can be shown.
//!
//! It prints nothing and decides nothing about exit codes; `cli` does.

mod around;
mod fix;
mod folder;
mod trim;

use crate::check;
use crate::diagnostics::{Diagnostic, Sink};
use crate::graph::Program;
use crate::json;
use crate::source::files::{self, Files};
use crate::source::{FileId, ReadError};
use std::path::Path;
use std::sync::Arc;

pub use fix::{Fixed, fix};
pub use folder::{Folder, FolderError, open_folder, programs_below};
pub use trim::{Keep, Trimmed, trim};

/// What messages call standard input.
pub const STDIN: &str = "<stdin>";

/// A file that was read and checked.
#[derive(Debug, Clone)]
pub struct Opened {
    pub files: Files,
    /// The file that was named.
    pub file: FileId,
    /// `None` where there are errors, and of a library.
    pub program: Option<Arc<Program>>,
    /// By file and place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Opened {
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// How many errors, and how many warnings.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        (errors, self.diagnostics.len() - errors)
    }
}

/// Reads and checks the program at `path`; `-` is standard input, whose `use` is relative to the current folder.
///
/// # Errors
/// Where the file cannot be read as text.
pub fn open(path: &Path) -> Result<Opened, ReadError> {
    if path == Path::new("-") {
        let text = files::read_all(std::io::stdin().lock(), STDIN)?;
        return Ok(open_text(STDIN, Path::new("."), text));
    }
    let (files, file) = Files::open(path)?;
    Ok(check_files(files, file))
}

/// Checks a text that stands in no file; `use` is relative to `folder`.
#[must_use]
pub fn open_text(name: &str, folder: &Path, text: String) -> Opened {
    let (files, file) = Files::text(name, folder, text);
    check_files(files, file)
}

/// Checks a file that is already loaded, whether it is a `.rubric` text or a JSON program.
#[must_use]
pub fn check_files(mut files: Files, file: FileId) -> Opened {
    let alone = files.get(file).and_then(around::json_alone);
    let json = files.get(file).filter(|source| is_json(source.text()));
    let (program, diagnostics) = match (alone, json) {
        (Some((source, found)), _) => {
            let mut sink = Sink::new();
            sink.push(found);
            let program = json::read(&source, &mut sink);
            (program, sink.finish())
        }
        (None, Some(source)) => {
            let mut sink = Sink::new();
            let program = json::read(source, &mut sink);
            (program, sink.finish())
        }
        (None, None) => {
            let checked = check::check(&mut files, file);
            (checked.program, checked.diagnostics)
        }
    };
    Opened { files, file, program: program.map(Arc::new), diagnostics }
}

/// Whether a text is a JSON program rather than a `.rubric` text, which never begins with a brace.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}
