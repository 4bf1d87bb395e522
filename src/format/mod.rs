//! One layout for every `.rubric` file: `rubric fmt`, and the editor's command of that name.
//!
//! The formatter moves blanks and line breaks, and nothing else: it prints the tokens that were written, in their order,
//! and adds or takes the comma behind the last element of a list. So it needs no tree, only brackets ([`tree`]): what fits
//! in [`WIDTH`] columns stands on one line, what does not is broken at its weakest joint ([`lay`]), and what is alike in
//! neighbouring lines is put into columns ([`align`]). Where an author has broken the line behind an opening bracket that
//! holds a list or statements, it stays broken. Blank lines stay, one at a time; none is added. Comments stay between the
//! tokens between which they were written ([`token`]).
//!
//! A file with syntax errors is left alone, slips that could be mended among them: those are for `rubric check --fix`.
//!
//! *Soundness.* What was printed is read again, and refused ([`Refusal::Changed`]) unless the parser gets the same tokens
//! with the same meaning, commas before a closing bracket aside, every comment stands between the same tokens, and every
//! text has its value. The automaton sees nothing else, so the tree is the same.
//!
//! It knows nothing of names, types or files.

mod align;
mod block;
mod lay;
mod token;
mod tree;

use crate::diagnostics::{Diagnostic, Sink};
use crate::source::{Source, SourceMap};
use crate::syntax::{self, token::Kind};

/// Columns of a line. Longer ones are left only where a single text, name or comment is longer.
pub const WIDTH: usize = 120;

/// Columns that each level is indented by.
pub const INDENT: usize = 2;

/// Why a file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It has syntax errors (or prose round the program): these.
    Syntax(Vec<Diagnostic>),
    /// The new text would not read as the old one does. Never seen; a fault of this module.
    Changed,
}

/// The text of a file in the one layout, without a byte order mark. Line ends are those of the first line.
///
/// # Errors
/// Where the file has syntax errors, or the new text would not mean the same.
pub fn format(source: &Source) -> Result<String, Refusal> {
    let mut sink = Sink::new();
    syntax::parse(source, &mut sink);
    let found = sink.finish();
    if !found.is_empty() {
        return Err(Refusal::Syntax(found));
    }
    let mut tokens = token::tokens(source);
    let tree = tree::tree(&mut tokens);
    let text = lay::print(tokens, &tree);
    let again = Source::new(source.id, &source.name, None, text.as_str());
    if !same(source, &again) {
        return Err(Refusal::Changed);
    }
    let windows = source.text().split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
    Ok(if windows { text.replace('\n', "\r\n") } else { text })
}

/// A program that was put together, laid out as [`format()`] does it; as it is where that refuses.
#[must_use]
pub fn laid_out(text: String) -> String {
    let mut map = SourceMap::new();
    let id = map.add("a program", None, text.as_str());
    map.get(id).and_then(|source| format(source).ok()).unwrap_or(text)
}

/// Whether two files read the same: their tokens, their comments, and that neither has faults.
fn same(one: &Source, other: &Source) -> bool {
    let mut sink = Sink::new();
    syntax::parse(other, &mut sink);
    sink.is_empty() && reading(one) == reading(other)
}

/// What is read of a file: kinds and texts. Commas before a closing bracket are left out, and comments stand behind the
/// commas beside them, where the layout puts them.
fn reading(source: &Source) -> Vec<(Kind, String)> {
    let mut out: Vec<(Kind, String)> = Vec::new();
    for token in syntax::tokens(source) {
        let text = source.text().get(token.start as usize..token.end as usize).unwrap_or("");
        let comment = |kind: Kind| matches!(kind, Kind::Comment | Kind::Doc);
        let behind = out.iter().rposition(|(kind, _)| !comment(*kind));
        match token.kind {
            Kind::Blank => continue,
            Kind::Comment | Kind::Doc => out.push((token.kind, text.trim_end().to_owned())),
            // Before the comments that follow the element.
            Kind::Comma => out.insert(behind.map_or(0, |at| at + 1), (Kind::Comma, String::new())),
            Kind::RParen | Kind::RSquare | Kind::RBrace => {
                if let Some(at) = behind.filter(|at| out.get(*at).is_some_and(|(kind, _)| *kind == Kind::Comma)) {
                    out.remove(at);
                }
                out.push((token.kind, text.to_owned()));
            }
            kind => out.push((kind, syntax::value_of(kind, text))),
        }
    }
    out
}
