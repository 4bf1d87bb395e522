//! A folder of programs, each found by its own name (`rubric NAME`), and the files below a folder.

use super::{Opened, open};
use crate::source::ReadError;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders nested deeper than this are not looked into.
const DEEPEST: usize = 64;

/// The programs of a folder.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// By the name that the program gives itself. None of them has errors.
    pub programs: BTreeMap<String, Opened>,
    /// Those that have errors, in the order of their paths.
    pub faulty: Vec<Opened>,
}

/// Why a folder of programs could not be opened.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum FolderError {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Read(#[from] ReadError),
    #[error("two programs are called `{name}`: `{first}` and `{second}`")]
    #[diagnostic(help("give one of them another name after `rubric`; a record names its program by it"))]
    SameName { name: String, first: String, second: String },
    #[error("there is no program in `{path}`")]
    #[diagnostic(help("programs end in `.rubric`; a JSON program in `.json`"))]
    Empty { path: String },
    #[error("`{path}` could not be read: {source}")]
    #[diagnostic(help("check that the folder is there and that you may read it"))]
    Unreadable { path: String, source: std::io::Error },
}

/// Opens every program below a folder. Libraries are left out; programs with errors are in [`Folder::faulty`].
///
/// # Errors
/// Where the folder or a program cannot be read, two programs have one name, or there is none.
pub fn open_folder(path: &Path) -> Result<Folder, FolderError> {
    let mut folder = Folder::default();
    for file in programs_below(path)? {
        if file.extension().is_some_and(|e| e == "json") && !looks_like_a_program(&file) {
            continue;
        }
        let opened = open(&file)?;
        if opened.has_errors() {
            folder.faulty.push(opened);
            continue;
        }
        let Some(program) = &opened.program else { continue };
        let name = program.name.to_string();
        if let Some(first) = folder.programs.get(&name) {
            let shown = |o: &Opened| o.files.get(o.file).map(|s| s.name.to_string()).unwrap_or_default();
            return Err(FolderError::SameName { name, first: shown(first), second: shown(&opened) });
        }
        folder.programs.insert(name, opened);
    }
    if folder.programs.is_empty() && folder.faulty.is_empty() {
        return Err(FolderError::Empty { path: path.to_string_lossy().into_owned() });
    }
    Ok(folder)
}

/// The `.rubric` and `.json` files below a folder, sorted; hidden files and folders are left out, symbolic links to
/// folders are not followed.
///
/// # Errors
/// Where a folder cannot be read.
pub fn programs_below(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let hidden = |e: &walkdir::DirEntry| e.depth() > 0 && e.file_name().to_string_lossy().starts_with('.');
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(path).max_depth(DEEPEST).into_iter().filter_entry(|e| !hidden(e)) {
        let entry = entry.map_err(|error| FolderError::Unreadable {
            path: error.path().unwrap_or(path).to_string_lossy().into_owned(),
            source: error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links")),
        })?;
        let named = entry.path().extension().is_some_and(|e| e == "rubric" || e == "json");
        if named && entry.path().is_file() {
            found.push(entry.into_path());
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a `.json` file begins as a JSON program does; data may lie in the same folder.
fn looks_like_a_program(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(4096).read_to_end(&mut start));
    let text = String::from_utf8_lossy(&start);
    read.is_ok() && text.contains("\"rubric\"") && text.contains("\"format\"")
}
