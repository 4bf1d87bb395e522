//! An ablation as tables.

use super::super::figures::{Style, interval, reasons, value};
use super::Args;
use crate::diagnostics::render::clean::clean;
use crate::evaluate::ablation::{Ablation, Arm};
use std::fmt::Write as _;

/// The arms beside each other, then the flat rule.
pub(super) fn shown(found: &Ablation, args: &Args, style: Style) -> String {
    let heading = clean(&format!("`{}` against `{}`", found.readout, args.labels)).into_owned();
    let mut out = match style {
        Style::Terminal => format!("{heading}: "),
        Style::Markdown => format!("## {heading}\n\n"),
    };
    let _ = write!(out, "{} compared, of {} with a label", found.compared, found.labelled);
    for (n, what) in [(found.unlabelled, "without a label"), (found.failed, "records failed")] {
        if n > 0 {
            let _ = write!(out, ", {n} {what}");
        }
    }
    out.push('\n');
    if let Some(fault) = &found.first_fault {
        let _ = writeln!(out, "the first that failed: {}", style.name(fault));
    }
    for (arm, _, silent) in found.arms.iter().filter(|(.., silent)| *silent > 0) {
        let _ = writeln!(out, "{} says nothing of {silent} labelled", arm.name());
    }
    let mut header = vec!["figure".to_owned()];
    header.extend(found.arms.iter().map(|(arm, ..)| arm.name().to_owned()));
    header.extend(found.differences.iter().map(|(arm, _)| format!("{} − {}", Arm::Graph.name(), arm.name())));
    let first = found.arms.first().map_or(&[][..], |(_, figures, _)| figures);
    let mut rows = Vec::new();
    for (at, one) in first.iter().enumerate() {
        let mut row = vec![style.name(&one.figure.to_string())];
        let lists = found.arms.iter().map(|(_, figures, _)| figures);
        for figures in lists.chain(found.differences.iter().map(|(_, figures)| figures)) {
            row.push(figures.get(at).map_or(String::new(), |one| match &one.interval {
                Some(found) => {
                    format!("{}\n({})", value(one.value), interval(Some(found))).replace('\n', break_of(style))
                }
                None => value(one.value),
            }));
        }
        rows.push(row);
    }
    out.push_str(&style.heading("The arms on the same records"));
    out.push_str(&style.table(&header, &rows));
    for (arm, figures, _) in &found.arms {
        for line in reasons(figures.iter()).lines() {
            let _ = writeln!(out, "{}: {line}", arm.name());
        }
    }
    let rule = found.rule.iter().map(|(name, weight, inverted)| {
        let turned = if *inverted { ", the other way round" } else { "" };
        format!("{} ({}{turned})", style.name(name), weight.exact())
    });
    let _ = writeln!(out, "\nWeighted: the mean of {}", rule.collect::<Vec<_>>().join(", "));
    if !found.left_out.is_empty() {
        let names: Vec<String> = found.left_out.iter().map(|name| style.name(name)).collect();
        let _ = writeln!(out, "without an order, and so left out: {}", names.join(", "));
    }
    out
}

/// How a cell goes on.
fn break_of(style: Style) -> &'static str {
    if style == Style::Markdown { " " } else { "\n" }
}
