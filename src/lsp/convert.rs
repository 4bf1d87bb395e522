//! Between spans and the protocol's positions, diagnostics and addresses.

use crate::diagnostics::{Diagnostic, Edit, Severity};
use crate::source::encoding::Encoding;
use crate::source::files::Files;
use crate::source::{Source, Span};
use lsp_types as lsp;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// Where the pages of the codes are.
const PAGES: &str = "https://github.com/rubric-lang/rubric-lang/blob/main/docs/codes";

pub(super) fn range(source: &Source, span: Span, encoding: Encoding) -> lsp::Range {
    let range = source.clamp(span);
    let place = |at: usize| {
        let (line, character) = source.place(u32::try_from(at).unwrap_or(u32::MAX), encoding);
        lsp::Position { line, character }
    };
    lsp::Range { start: place(range.start), end: place(range.end) }
}

pub(super) fn whole(source: &Source, encoding: Encoding) -> lsp::Range {
    range(source, Span::new(source.id, 0, source.text().len()), encoding)
}

/// The address of a file.
pub(super) fn address(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    url::Url::from_file_path(whole).map_or_else(|()| path.to_string_lossy().into_owned(), String::from)
}

/// The file of an address; `None` where it names none (a text that was never saved).
pub(super) fn path(address: &str) -> Option<PathBuf> {
    let path = url::Url::parse(address).ok()?.to_file_path().ok()?;
    Some(canonical(&path))
}

/// The path by which a file is known; of a file that does not exist yet, its folder's.
pub(super) fn canonical(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = path.parent().and_then(|f| f.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// A diagnostic of a file, without those labels that lie in texts without an address.
pub(super) fn diagnostic(files: &Files, found: &Diagnostic, own: &str, encoding: Encoding) -> Option<Json> {
    let source = files.get(found.span().file)?;
    let related: Vec<Json> = found
        .labels
        .iter()
        .skip(1)
        .filter_map(|label| {
            let source = files.get(label.span.file)?;
            let uri = if source.id == found.span().file { own.to_owned() } else { address(source.path.as_deref()?) };
            let location = json!({ "uri": uri, "range": range(source, label.span, encoding) });
            Some(json!({ "location": location, "message": label.text }))
        })
        .collect();
    let mut message = found.headline.clone();
    for more in found.help.iter().map(|help| format!("help: {help}")).chain(found.notes.iter().cloned()) {
        message.push('\n');
        message.push_str(&more);
    }
    Some(json!({
        "range": range(source, found.span(), encoding),
        "severity": if found.severity == Severity::Error { 1 } else { 2 },
        "code": found.code.to_string(),
        "codeDescription": { "href": format!("{PAGES}/{}.md", found.code) },
        "source": "rubric",
        "message": message,
        "relatedInformation": related,
    }))
}

/// The edits of one file as the protocol's.
pub(super) fn edits(source: &Source, edits: &[Edit], encoding: Encoding) -> Vec<Json> {
    let own = edits.iter().filter(|e| e.span.file == source.id);
    own.map(|e| json!({ "range": range(source, e.span, encoding), "newText": e.text })).collect()
}
