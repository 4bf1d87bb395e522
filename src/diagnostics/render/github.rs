//! Workflow commands of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`. Escaping as in the toolkit of the
//! runner: `%`, carriage return and line feed everywhere, `:` and `,` in properties.

use super::{Batch, Spot, word};
use crate::diagnostics::Diagnostic;
use crate::source::SourceMap;
use std::fmt::Write;

pub(super) fn render(batches: &[Batch<'_>]) -> String {
    let mut out = String::new();
    for batch in batches {
        for diagnostic in batch.diagnostics {
            command(batch.map, diagnostic, &mut out);
        }
    }
    out
}

fn command(map: &SourceMap, diagnostic: &Diagnostic, out: &mut String) {
    let _ = write!(out, "::{} ", word(diagnostic.severity));
    if let Some(spot) = Spot::of(map, diagnostic.span()) {
        let (start, end) = (spot.start, spot.end);
        let _ = write!(out, "file={},line={}", property(&spot.source.name), start.line);
        if end.line > start.line {
            let _ = write!(out, ",endLine={}", end.line);
        } else {
            // The runner takes columns only where they lie in one line.
            let _ = write!(out, ",col={},endColumn={}", start.column, end.column.max(start.column + 1));
        }
        out.push(',');
    }
    let title = format!("{} {}", diagnostic.code, diagnostic.code.title());
    let mut message = diagnostic.headline.clone();
    if let Some(help) = &diagnostic.help {
        let _ = write!(message, "\n{help}");
    }
    if let Some(pointer) = diagnostic.pointer.as_deref().filter(|p| !p.is_empty()) {
        let _ = write!(message, "\nat {pointer}");
    }
    let _ = writeln!(out, "title={}::{}", property(&title), data(&message));
}

/// A message.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_runner_would_take_for_syntax_is_escaped() {
        assert_eq!(data("50%\r\n: ,"), "50%25%0D%0A: ,");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
