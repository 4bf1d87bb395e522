//! The summary of a run as tables.

use crate::run::result::Status;
use crate::run::summary::{Distribution, Summary};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use indexmap::IndexMap;
use std::fmt::Write as _;

/// Rows of a table that are shown; the rest is counted.
const MOST_ROWS: usize = 20;

/// The whole summary, ending in a line break.
pub(super) fn text(summary: &Summary) -> String {
    let mut out = String::new();
    let lines: u64 = summary.lines.iter().sum();
    let records = format!("{} record{}", summary.records, plural(summary.records));
    let each = Status::ALL.iter().filter(|status| summary.count(**status) > 0);
    let each =
        each.map(|status| format!("{} {}", summary.count(*status), status.in_words())).collect::<Vec<_>>().join(", ");
    let results = if lines == summary.records { String::new() } else { format!(", {lines} results") };
    let _ = writeln!(out, "{records}{results}: {}", if each.is_empty() { "nothing to judge" } else { &each });
    numbers(&summary.readouts, &mut out);
    words(&summary.readouts, &mut out);
    tags(summary, &mut out);
    let missing = summary.missing.iter().map(|(reason, n)| (reason.clone(), *n));
    ranked("Missing judgments", "reason", missing, &mut out);
    let criteria = summary.missing_criteria.iter().map(|(name, n)| (name.clone(), *n));
    if summary.missing_criteria.len() > 1 {
        ranked("Missing judgments by criterion", "criterion", criteria, &mut out);
    }
    let failed = summary.failed.iter().map(|(reason, n)| (reason.clone(), *n));
    ranked("Failed records", "reason", failed, &mut out);
    out
}

fn plural(n: u64) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    if !table.is_tty() {
        table.set_width(120);
    }
    table.set_header(header);
    table
}

/// Shows a table, its columns after the first aligned to the right.
fn show(title: &str, mut table: Table, out: &mut String) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let _ = writeln!(out, "\n{title}\n{table}");
}

fn numbers(readouts: &IndexMap<String, Distribution>, out: &mut String) {
    let header =
        ["readout", "n", "lowest", "quarter", "median", "three quarters", "highest", "mean", "abstained", "open"];
    let mut shown = table(&header);
    for (key, distribution) in readouts {
        let Some([lowest, lower, median, upper, highest, mean]) = distribution.numbers() else { continue };
        let n = distribution.decided.to_string();
        let (abstained, open) = (distribution.abstained.to_string(), distribution.open.to_string());
        shown.add_row([key.clone(), n, lowest, lower, median, upper, highest, mean, abstained, open]);
    }
    if !shown.is_empty() {
        show("Numbers", shown, out);
    }
}

fn words(readouts: &IndexMap<String, Distribution>, out: &mut String) {
    let mut shown = table(&["readout", "outcome", "n", "share"]);
    for (key, distribution) in readouts {
        let total = distribution.decided + distribution.abstained + distribution.open;
        let has_numbers = distribution.numbers().is_some();
        let mut rows: Vec<(String, u64)> = distribution.words.iter().map(|((_, word), n)| (word.clone(), *n)).collect();
        if rows.len() > MOST_ROWS {
            rows.sort_by_key(|row| std::cmp::Reverse(row.1));
            let rest = rows.split_off(MOST_ROWS).iter().map(|row| row.1).sum();
            rows.push(("(others)".to_owned(), rest));
        }
        if !has_numbers {
            rows.push(("abstained".to_owned(), distribution.abstained));
            rows.push(("open".to_owned(), distribution.open));
        }
        for (word, n) in rows.into_iter().filter(|(_, n)| *n > 0) {
            shown.add_row([key.clone(), word, n.to_string(), share(n, total)]);
        }
    }
    if !shown.is_empty() {
        show("Outcomes", shown, out);
    }
}

fn share(n: u64, total: u64) -> String {
    let tenths = (u128::from(n) * 1000 + u128::from(total) / 2).checked_div(u128::from(total)).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Per tag the statuses, and of the first readout the mean or the most frequent outcome.
fn tags(summary: &Summary, out: &mut String) {
    if summary.tags.is_empty() {
        return;
    }
    let first = summary.readouts.keys().next().cloned().unwrap_or_default();
    // What a run by people alone never comes to has no column of its own.
    let rare = |status: Status| matches!(status, Status::JudgeFailed | Status::BudgetEnded);
    let statuses: Vec<Status> =
        Status::ALL.into_iter().filter(|status| !rare(*status) || summary.count(*status) > 0).collect();
    let mut header = vec!["tag", "results"];
    header.extend(statuses.iter().map(|status| status.in_words()));
    header.push(&first);
    let mut shown = table(&header);
    for (name, tag) in summary.tags.iter().take(MOST_ROWS * 2) {
        let total: u64 = tag.lines.iter().sum();
        let mut row = vec![name.clone(), total.to_string()];
        row.extend(statuses.iter().map(|status| tag.lines.get(*status as usize).copied().unwrap_or(0).to_string()));
        row.push(tag.readouts.get(&first).map_or(String::new(), |distribution| match distribution.numbers() {
            Some([.., mean]) => format!("mean {mean}"),
            None => {
                let most = distribution.words.iter().max_by_key(|(_, n)| **n);
                most.map_or(String::new(), |((_, word), n)| format!("{word} {}", share(*n, distribution.decided)))
            }
        }));
        shown.add_row(row);
    }
    show("By tag", shown, out);
    if summary.tags.len() > MOST_ROWS * 2 {
        let _ = writeln!(out, "and {} more tags", summary.tags.len() - MOST_ROWS * 2);
    }
}

/// Counts, the most frequent first.
fn ranked(title: &str, what: &str, counts: impl Iterator<Item = (String, u64)>, out: &mut String) {
    let mut counts: Vec<(String, u64)> = counts.collect();
    if counts.is_empty() {
        return;
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = counts.len().saturating_sub(MOST_ROWS);
    let mut shown = table(&[what, "n"]);
    for (name, n) in counts.into_iter().take(MOST_ROWS) {
        shown.add_row([name, n.to_string()]);
    }
    show(title, shown, out);
    if more > 0 {
        let _ = writeln!(out, "and {more} more");
    }
}
