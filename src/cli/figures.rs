//! Figures and tables as people read them: what `rubric eval`, `ablate` and `diff` show alike.

use crate::diagnostics::render::clean::clean;
use crate::evaluate::figure::{Interval, Measured, Reckoned};
use comfy_table::{CellAlignment, Table, presets};

/// How tables are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Terminal,
    Markdown,
}

impl Style {
    /// A heading.
    pub(super) fn heading(self, text: &str) -> String {
        match self {
            Style::Terminal => format!("\n{}\n", clean(text)),
            Style::Markdown => format!("\n### {}\n\n", clean(text)),
        }
    }

    /// A name out of a file, in one line and without what harms a terminal or a table.
    pub(super) fn name(self, text: &str) -> String {
        let text = clean(text).replace(['\n', '\r', '\t'], " ");
        if self == Style::Markdown { text.replace('|', "\\|") } else { text }
    }

    /// A table, its columns after the first aligned to the right.
    pub(super) fn table(self, header: &[String], rows: &[Vec<String>]) -> String {
        let mut table = Table::new();
        table.load_style(match self {
            Style::Terminal => presets::UTF8_FULL_CONDENSED,
            Style::Markdown => presets::ASCII_MARKDOWN,
        });
        table.set_header(header);
        for row in rows {
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!("{table}\n")
    }
}

/// A value at four decimals, or a dash.
pub(super) fn value(value: Reckoned) -> String {
    value.map_or_else(|_| "–".to_owned(), four)
}

/// A number at four decimals.
pub(super) fn four(value: f64) -> String {
    let text = format!("{value:.4}");
    // What rounds to nothing has no sign.
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}

pub(super) fn interval(interval: Option<&Interval>) -> String {
    interval.map_or_else(String::new, |i| format!("{} to {}", four(i.low), four(i.high)))
}

/// Why figures are undefined, and whose intervals are of fewer resamples, one line each.
pub(super) fn reasons<'a>(figures: impl Iterator<Item = &'a Measured>) -> String {
    let mut out = String::new();
    for one in figures {
        if let Err(why) = one.value {
            out.push_str(&format!("{}: undefined, {}\n", clean(&one.figure.to_string()), why.in_words()));
        } else if let Some(Interval { undefined: n @ 1.., .. }) = one.interval {
            out.push_str(&format!("{}: undefined in {n} resamples\n", clean(&one.figure.to_string())));
        }
    }
    out
}
