//! How commands get at a program: read, checked, its mistakes shown; none of them runs a program that has errors.

use super::output;
use crate::diagnostics::render::{self, Batch, Format, Look};
use crate::graph::Program;
use crate::project::{self, Opened};
use crate::source::FileId;
use crate::source::files::Files;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The program has faults, which have been shown. Ends a command with exit code 1 without another word.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the program has faults")]
pub(crate) struct Faulty;

/// A program without errors.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    pub(crate) files: Files,
    pub(crate) file: FileId,
    pub(crate) program: Arc<Program>,
}

/// The program at `path` (`-`: standard input). Shows its diagnostics on standard error.
///
/// # Errors
/// A report where it cannot be read; [`Faulty`] where it has errors.
pub(crate) fn require(path: &Path) -> miette::Result<Ready> {
    ready(project::open(path)?)
}

/// The programs of a folder by their names.
///
/// # Errors
/// A report where it cannot be read; [`Faulty`] where one has errors.
pub(crate) fn require_folder(path: &Path) -> miette::Result<BTreeMap<String, Ready>> {
    let folder = project::open_folder(path)?;
    for opened in &folder.faulty {
        show(opened);
    }
    if !folder.faulty.is_empty() {
        return Err(Faulty.into());
    }
    folder.programs.into_iter().map(|(name, opened)| Ok((name, ready(opened)?))).collect()
}

/// The program of what was opened. Shows its diagnostics on standard error.
///
/// # Errors
/// [`Faulty`] where it has errors; a report where it is a library.
pub(crate) fn ready(opened: Opened) -> miette::Result<Ready> {
    if opened.has_errors() {
        show(&opened);
        return Err(Faulty.into());
    }
    let name = opened.files.get(opened.file).map(|s| s.name.to_string()).unwrap_or_default();
    let (_, warnings) = opened.counts();
    if warnings > 0 {
        let s = if warnings == 1 { "" } else { "s" };
        output::note(&format!("{name}: {warnings} warning{s}; `rubric check {name}` shows them"));
    }
    match opened.program {
        Some(program) => Ok(Ready { files: opened.files, file: opened.file, program }),
        None => Err(miette::miette!(
            help = "name a program that brings it in with `use`",
            "`{name}` is a library, which has no score of its own"
        )),
    }
}

fn show(opened: &Opened) {
    let batch = [Batch { map: opened.files.map(), diagnostics: &opened.diagnostics }];
    let look = Look { colours: output::colours_on_stderr(), width: output::width() };
    output::note(render::render(Format::Human, &batch, look).trim_end());
}
