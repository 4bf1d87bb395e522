//! Importers: other people's rubric files become programs of this language, and their recorded judgments our records.
//!
//! Most formats are a row of the table [`format::FORMATS`] and a file of [`kinds`]: a function from a row of the foreign file,
//! which [`rows`] reads one after the other, to a program or a record. [`paperbench`] and [`dsg`], whose files are graphs,
//! stand apart. An importer reads text and returns text; it neither touches files nor prints. What is wrong in the input is told as
//! diagnostics that name the row or the node, never skipped in silence. Names of the source are kept as far as they can
//! be names here ([`names`]), so a result can be traced back to the row it came from.

pub mod draft;
pub mod dsg;
pub mod format;
pub mod kinds;
pub mod names;
pub mod paperbench;
pub mod part;
pub mod rows;

#[cfg(test)]
mod tests;

use crate::types::quote;

/// A text as a string literal in which no brace opens a hole.
fn literal(text: &str) -> String {
    // Piece by piece, since a character reference that `quote` writes has a brace of its own.
    let inner = |piece: &str| {
        let quoted = quote(piece);
        quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
    };
    format!("\"{}\"", text.split('{').map(inner).collect::<Vec<_>>().join("\\{"))
}

/// A text as doc comment lines.
fn doc(text: &str, indent: &str) -> String {
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| format!("{indent}/// {}\n", l.trim())).collect()
}
