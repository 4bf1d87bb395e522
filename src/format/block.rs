//! Text blocks `"""…"""`: what their lines have in common moves with the line that they begin on.
//!
//! A block's value does not contain the indentation that all its lines share, so it may change as long as it stays
//! common. A block whose first line stands behind the opening quotes has none and is kept as it is.

use super::INDENT;
use std::borrow::Cow;

/// The block with its lines one step further in than the line it begins on, which is `indent` columns in.
pub(super) fn reindent(block: &str, indent: usize) -> Cow<'_, str> {
    let Some(inside) = block.strip_prefix("\"\"\"").and_then(|b| b.strip_suffix("\"\"\"")) else { return block.into() };
    let mut lines: Vec<&str> = inside.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
    let blank = |line: &str| line.trim().is_empty();
    let bare = |line: &str| line.bytes().all(|b| matches!(b, b' ' | b'\t'));
    if lines.len() < 2 || !lines.first().is_some_and(|l| bare(l)) {
        return normal(block);
    }
    lines.remove(0);
    // Without text there is nothing to align to, and what is blank but no space is text.
    if lines.iter().all(|l| blank(l)) || lines.iter().any(|l| blank(l) && !bare(l)) {
        return normal(block);
    }
    let closes_alone = lines.len() > 1 && lines.last().is_some_and(|l| bare(l));
    if closes_alone {
        lines.pop();
    }
    let own = |line: &&str| line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let common = lines.iter().filter(|l| !blank(l)).map(own).min().unwrap_or(0);
    let mut out = String::from("\"\"\"");
    for line in lines {
        out.push('\n');
        if !blank(line) {
            out.extend(std::iter::repeat_n(' ', indent + INDENT));
            out.push_str(line.get(common..).unwrap_or(line));
        }
    }
    if closes_alone {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
    }
    out.push_str("\"\"\"");
    out.into()
}

/// The block with plain line breaks.
fn normal(block: &str) -> Cow<'_, str> {
    if block.contains("\r\n") { block.replace("\r\n", "\n").into() } else { block.into() }
}
