//! The report as Markdown, for a comment on a change: the counts, the agreement, what does not pass, the worst disagreements.

use super::text::number;
use super::{Report, Row};
use std::fmt::Write as _;

/// Rows of each list.
const MOST: usize = 10;
/// Characters of a reason.
const LONGEST: usize = 160;

/// The summary; ends in a line break.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut out = format!("## {}\n\n", cell(&report.title));
    let key = report.readouts.first().map_or("", String::as_str);
    out.push_str("| run | rows |");
    let statuses: Vec<_> = crate::run::result::Status::ALL
        .into_iter()
        .filter(|status| report.runs.iter().any(|run| run.counts.iter().any(|(own, _)| own == status)))
        .collect();
    for status in &statuses {
        let _ = write!(out, " {} |", status.in_words());
    }
    let passing = report.passing.as_ref();
    if let Some(passing) = passing {
        let _ = write!(out, " not {} |", cell(&passing.text()));
    }
    let _ = writeln!(out, " mean of `{}` |", cell(key));
    let columns = 3 + statuses.len() + usize::from(passing.is_some());
    let _ = writeln!(out, "| --- |{}", " ---: |".repeat(columns - 1));
    for run in &report.runs {
        let of = |status| run.counts.iter().find(|(own, _)| own == status).map_or(0, |(_, count)| *count);
        let all: u64 = run.counts.iter().map(|(_, count)| count).sum();
        let _ = write!(out, "| {} | {all} |", cell(&run.name));
        for status in &statuses {
            let _ = write!(out, " {} |", of(status));
        }
        if passing.is_some() {
            let _ = write!(out, " {} |", run.failing);
        }
        let _ =
            writeln!(out, " {} |", run.spread.mean().map_or_else(|| "–".to_owned(), |mean| number(&mean.to_string())));
    }
    if let Some(measured) = &report.measured {
        let _ = writeln!(out, "\n### Agreement with {}\n", cell(report.labels.as_deref().unwrap_or("the labels")));
        out.push_str("| figure |");
        for run in &measured.runs {
            let _ = write!(out, " {} |", cell(&run.source.to_string()));
        }
        let _ = writeln!(out, "\n| --- |{}", " ---: |".repeat(measured.runs.len()));
        for (at, one) in measured.runs.iter().take(1).flat_map(|run| &run.figures).enumerate() {
            let _ = write!(out, "| {} |", cell(&one.figure.to_string()));
            for run in &measured.runs {
                let said = run.figures.get(at).map_or(String::new(), |own| {
                    let value = own.value.map_or_else(|why| why.in_words().to_owned(), |value| format!("{value:.4}"));
                    let interval = own.interval.as_ref();
                    value + &interval.map_or(String::new(), |i| format!(" ({:.4} to {:.4})", i.low, i.high))
                });
                let _ = write!(out, " {said} |");
            }
            out.push('\n');
        }
    }
    let mut bad: Vec<&Row> = report.rows.iter().filter(|row| row.present().any(|(_, cell)| cell.is_bad())).collect();
    list("Not decided, or not passed", &mut bad, report, &mut out);
    let mut off: Vec<&Row> = report.rows.iter().filter(|row| row.off.is_some_and(|off| off > 0.0)).collect();
    off.sort_by(|a, b| b.off.unwrap_or(0.0).total_cmp(&a.off.unwrap_or(0.0)));
    list("Worst disagreements", &mut off, report, &mut out);
    for note in &report.notes {
        let _ = writeln!(out, "\nNote: {}", cell(note));
    }
    out
}

fn list(title: &str, rows: &mut Vec<&Row>, report: &Report, out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let _ = writeln!(out, "\n### {title}\n");
    out.push_str("| record |");
    for run in &report.runs {
        let _ = write!(out, " {} |", cell(&run.name));
    }
    if report.labels.is_some() {
        out.push_str(" label |");
    }
    let columns = 1 + report.runs.len() + usize::from(report.labels.is_some());
    let _ = writeln!(out, " why |\n|{}", " --- |".repeat(columns + 1));
    for row in rows {
        let _ = write!(out, "| {} |", cell(&row.name()));
        for own in &row.cells {
            let _ = write!(out, " {} |", own.as_ref().map_or_else(|| "–".to_owned(), |own| cell(&own.outcome())));
        }
        if report.labels.is_some() {
            let _ = write!(out, " {} |", cell(row.label.as_deref().unwrap_or("–")));
        }
        let _ = writeln!(out, " {} |", cell(&why(row)));
    }
    if more > 0 {
        let _ = writeln!(out, "\nand {more} more");
    }
}

/// Why a row is as it is, as shortly as it can be said.
pub(super) fn why(row: &Row) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (_, own) in row.present() {
        let mut fired: Vec<&str> = own.fired().collect();
        fired.dedup();
        if !fired.is_empty() {
            parts.push(format!("fired: {}", fired.join(", ")));
        }
        parts.extend(Some(own.why()).filter(|why| !why.is_empty()));
    }
    parts.dedup();
    let text = parts.join("; ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 1).collect::<String>() + "…"
}

/// A text in a cell of a table: one line, and nothing in it is markup, a mention, or a link.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // An invisible character keeps it from being a mention or a reference.
            '@' | '#' => out.extend([c, '\u{200B}']),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    // What looks like an address is none.
    out.replace("://", ":\u{200B}//").replace("www.", "www\u{200B}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_is_markup() {
        let hostile = "| <img src=x> [a](http://b) `x` @team #1 *b*\n- c www.evil.test";
        let escaped = cell(hostile);
        assert!(!escaped.contains(['<', '>', '\n']) && !escaped.contains("://"), "{escaped}");
        assert!(escaped.contains("\\|") && escaped.contains("\\[a\\]") && !escaped.contains("@team"), "{escaped}");
    }
}
