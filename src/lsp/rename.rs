//! References and renames over all files of the project.
//!
//! A rename stands only if the files then mean the same: after it every file must have the diagnostics that it had, and
//! the new name must stand exactly where the old one stood. So a name that collides, or that would be captured by a label,
//! a parameter or an item of another thing, is refused.

use super::convert;
use super::worker::{Failure, Worker};
use crate::ide::Snapshot;
use crate::ide::names::{self, Occurrence};
use crate::project::{self, Opened};
use crate::source::Source;
use crate::source::files::{self, Files, Overlay, project_root};
use lsp_server::ErrorCode;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of a project that are looked through.
const MOST_FILES: usize = 2_000;

/// A place in a file on disk or in the editor.
type At = (PathBuf, u32, u32);

/// A file of the project with its names.
pub(super) struct Project {
    pub files: Vec<(PathBuf, Snapshot)>,
}

/// Every `.rubric` file of the project in which a file lies, as it is in the editor.
pub(super) fn project(of: &Path, overlay: &Overlay) -> Project {
    let folder = of.parent().unwrap_or(Path::new("."));
    let root = project_root(folder);
    let mut paths: Vec<PathBuf> = project::programs_below(&root).unwrap_or_default();
    paths.retain(|p| p.extension().is_some_and(|e| e == "rubric"));
    paths.truncate(MOST_FILES);
    let mut paths: Vec<PathBuf> = paths.iter().map(|p| convert::canonical(p)).collect();
    paths.extend(overlay.keys().filter(|p| p.starts_with(&root)).cloned());
    paths.push(of.to_owned());
    paths.sort();
    paths.dedup();
    let read = |path: PathBuf| {
        let text = match overlay.get(&path) {
            Some(text) => text.to_string(),
            None => files::read_text(&path, &path.to_string_lossy()).ok()?,
        };
        let (files, file) = Files::over(&path, &text, Arc::clone(overlay));
        let opened = Opened { files, file, program: None, diagnostics: Vec::new() };
        Some((path, Snapshot::new(opened, None)))
    };
    Project { files: paths.into_iter().filter_map(read).collect() }
}

fn at(snapshot: &Snapshot, span: crate::source::Span) -> Option<At> {
    let source = snapshot.opened.files.get(span.file)?;
    Some((convert::canonical(source.path.as_deref()?), span.start, span.end))
}

impl Project {
    /// Where a thing is named, by file; each file speaks for itself only.
    pub fn named(&self, target: &At) -> Vec<(&Path, &Source, Vec<Occurrence>)> {
        let mut found = Vec::new();
        for (path, snapshot) in &self.files {
            let Some(source) = snapshot.source() else { continue };
            let own: Vec<Occurrence> = names::occurrences(snapshot)
                .into_iter()
                .filter(|o| o.span.file == source.id && at(snapshot, o.target).as_ref() == Some(target))
                .collect();
            if !own.is_empty() {
                found.push((path.as_path(), source, own));
            }
        }
        found
    }
}

/// What a place in a text names, and where that is declared.
pub(super) fn target(snapshot: &Snapshot, offset: u32) -> Option<(Occurrence, At)> {
    let all = names::occurrences(snapshot);
    let found = names::at(&all, snapshot.opened.file, offset)?.clone();
    let at = at(snapshot, found.target)?;
    Some((found, at))
}

/// The codes of what is wrong in a file.
fn codes(path: &Path, text: &str, overlay: &Overlay) -> Vec<String> {
    let (files, file) = Files::over(path, text, Arc::clone(overlay));
    project::check_files(files, file).diagnostics.iter().map(|d| d.code.to_string()).collect()
}

/// The edits of a rename by address.
pub(super) fn rename(worker: &Worker, uri: &str, offset: u32, new: &str) -> Result<Json, Failure> {
    let refused = |text: String| (ErrorCode::RequestFailed, text);
    if !names::is_name(new) {
        return Err(refused(format!(
            "`{new}` cannot be a name: it must be one word that the language does not keep for itself"
        )));
    }
    let snapshot = worker.snapshot(uri)?;
    let (found, target) = target(&snapshot, offset).ok_or_else(|| refused("there is no name here".to_owned()))?;
    let path = convert::path(uri).ok_or_else(|| refused("save the file before you rename".to_owned()))?;
    let overlay = worker.overlay();
    let project = project(&path, &overlay);
    let named = project.named(&target);
    let mut after: HashMap<PathBuf, Arc<str>> = overlay.as_ref().clone();
    let mut changes: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (path, source, places) in &named {
        let mut text = source.text().to_owned();
        for place in places.iter().rev() {
            text.replace_range(source.clamp(place.span), new);
        }
        after.insert((*path).to_owned(), text.into());
        let edit = |o: &Occurrence| json!({ "range": convert::range(source, o.span, worker.encoding), "newText": new });
        let open = worker.documents.keys().find(|uri| convert::path(uri).as_deref() == Some(*path)).cloned();
        changes.insert(open.unwrap_or_else(|| convert::address(path)), places.iter().map(edit).collect());
    }
    let after: Overlay = Arc::new(after);
    // All files, since one that does not change may use one that does.
    for (path, snapshot) in &project.files {
        let Some(source) = snapshot.source() else { continue };
        let text = after.get(path).map_or(source.text(), |text| &**text);
        let (before, now) = (codes(path, source.text(), &overlay), codes(path, text, &after));
        if before != now {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let more =
                now.iter().find(|code| !before.contains(code)).map_or_else(String::new, |code| format!(" ({code})"));
            return Err(refused(format!(
                "`{}` cannot be called `{new}`: `{name}` would then mean something else{more}",
                found.name
            )));
        }
    }
    // The new name stands where the old one stood, and nowhere else.
    let counts = |p: &Project, target: &At| p.named(target).iter().map(|(_, _, o)| o.len()).collect::<Vec<_>>();
    let moved = moved(&named, &target, new);
    if counts(&self::project(&path, &after), &moved) != counts(&project, &target) {
        return Err(refused(format!(
            "`{}` cannot be called `{new}`: that already stands for something else",
            found.name
        )));
    }
    Ok(json!({ "changes": changes }))
}

/// Where the declaration stands after the rename: edits before it in its file have moved it.
fn moved(named: &[(&Path, &Source, Vec<Occurrence>)], target: &At, new: &str) -> At {
    let length = u32::try_from(new.len()).unwrap_or(u32::MAX);
    let own = named.iter().filter(|(path, ..)| **path == *target.0).flat_map(|(_, _, places)| places);
    let before = own.filter(|o| o.span.end <= target.1);
    let start = before.fold(target.1, |at, o| (at + length).saturating_sub(o.span.end - o.span.start));
    (target.0.clone(), start, start + length)
}
