//! What was measured as tables, for a terminal or in Markdown.

use crate::cli::figures::{Style, four, interval, reasons, value};
use crate::diagnostics::render::clean::clean;
use crate::evaluate::figure::Measured;
use crate::evaluate::input::Task;
use crate::evaluate::report::{Baseline, Combine, Confusion, Counts, Grouped, Report, Run};
use std::fmt::Write as _;

/// Groups that are shown one by one.
const MOST_GROUPS: usize = 20;
/// Runs that have a column of their own.
const MOST_RUNS: usize = 6;

/// The whole report, ending in a line break.
pub(super) fn whole(report: &Report, labels: &str, style: Style) -> String {
    let mut out = String::new();
    let heading = format!("`{}` against `{labels}`", report.readout);
    match style {
        Style::Terminal => drop(writeln!(out, "{}", clean(&heading))),
        Style::Markdown => drop(writeln!(out, "## {}\n", clean(&heading))),
    }
    for run in &report.runs {
        let name = clean(&run.source.to_string()).into_owned();
        let _ = writeln!(out, "{name}: {}", counted(&run.counts));
        if style == Style::Markdown {
            out.push('\n');
        }
    }
    if report.annotators > 1 && report.combine != Combine::Each {
        let how = match report.combine {
            Combine::Mean => "the mean",
            Combine::Median => "the median",
            Combine::Majority | Combine::Each => "the majority",
        };
        let _ = writeln!(out, "the label is {how} of {} annotators", report.annotators);
    }
    match report.runs.as_slice() {
        [only] => one(report, only, style, &mut out),
        several => runs(report, several, style, &mut out),
    }
    for (number, run) in report.runs.iter().enumerate() {
        let which = if report.runs.len() > 1 { format!(", run {}", number + 1) } else { String::new() };
        if let Some(confusion) = &run.confusion {
            out.push_str(&style.heading(&format!("Confusion{which}: labels down, results across")));
            out.push_str(&matrix(confusion, style));
        }
        if let Some((pairs, incomplete, figures)) = &run.orders {
            out.push_str(&style.heading(&format!("Both orders{which}: {pairs} pairs")));
            out.push_str(&figure_table(figures, report, style));
            if *incomplete > 0 {
                let _ = writeln!(out, "{incomplete} pairs lack a valid verdict in one of the orders");
            }
        }
        for grouped in &run.groups {
            groups(report, grouped, &which, style, &mut out);
        }
    }
    for agreement in &report.agreement {
        let (of, units, raters) = (agreement.of, agreement.units, agreement.raters);
        out.push_str(&style.heading(&format!("Agreement of {raters} {of} over {units} units")));
        out.push_str(&figure_table(&agreement.figures, report, style));
        if agreement.complete < units {
            let _ = writeln!(out, "Fleiss κ is over the {} that all rated", agreement.complete);
        }
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {}", clean(note));
    }
    out
}

/// What came of the lines of a run, in a sentence.
fn counted(counts: &Counts) -> String {
    let labelled = counts.lines - counts.unlabelled;
    let mut out = format!("{} compared, of {} with a label", counts.compared, labelled);
    for (n, what) in [
        (counts.abstained, "abstained"),
        (counts.open, "open"),
        (counts.failed, "failed"),
        (counts.unlabelled, "without a label"),
        (counts.undecided_labels, "whose labels have no majority"),
        (counts.tied_labels, "whose label is a tie"),
        (counts.unused_labels, "labels of no result"),
    ] {
        if n > 0 {
            let _ = write!(out, ", {n} {what}");
        }
    }
    out
}

fn says(baseline: &Baseline, style: Style) -> String {
    format!("{}: {}", baseline.why, style.name(&baseline.says))
}

fn confidence(report: &Report) -> String {
    format!("{} %", four(report.plan.confidence * 100.0).trim_end_matches('0').trim_end_matches('.'))
}

/// One run: each figure, its interval, and the baselines.
fn one(report: &Report, run: &Run, style: Style, out: &mut String) {
    let mut header = vec!["figure".to_owned(), "value".into(), confidence(report)];
    header.extend(run.baselines.iter().map(|baseline| says(baseline, style)));
    let mut rows = Vec::new();
    for (at, one) in run.figures.iter().enumerate() {
        let mut row = vec![style.name(&one.figure.to_string()), value(one.value), interval(one.interval.as_ref())];
        row.extend(run.baselines.iter().map(|baseline| baseline.values.get(at).map_or(String::new(), |v| value(*v))));
        rows.push(row);
    }
    out.push_str(&style.heading(title(report.task)));
    out.push_str(&style.table(&header, &rows));
    out.push_str(&reasons(run.figures.iter()));
}

fn title(task: Task) -> &'static str {
    match task {
        Task::Points => "Numbers",
        Task::Classes | Task::Truth => "Classes",
        Task::Pairs => "Preferences",
    }
}

/// Several runs: mean and deviation of each figure, and the runs themselves.
fn runs(report: &Report, runs: &[Run], style: Style, out: &mut String) {
    let shown = if runs.len() <= MOST_RUNS { runs } else { &[] };
    let baselines = runs.first().map_or(&[][..], |run| &run.baselines);
    let mut header = vec!["figure".to_owned(), format!("mean of {} runs", runs.len()), "deviation".into()];
    header.extend((1..=shown.len()).map(|n| format!("run {n} ({})", confidence(report))));
    header.extend(baselines.iter().map(|baseline| says(baseline, style)));
    let mut rows = Vec::new();
    for (at, over) in report.over_runs.iter().enumerate() {
        let mean = if over.runs < runs.len() && over.mean.is_ok() {
            format!("{} (of {})", value(over.mean), over.runs)
        } else {
            value(over.mean)
        };
        let mut row = vec![style.name(&over.figure.to_string()), mean, over.deviation.map_or(String::new(), four)];
        for run in shown {
            let one = run.figures.iter().find(|one| one.figure == over.figure);
            row.push(one.map_or(String::new(), |one| match &one.interval {
                Some(found) => format!("{} ({})", value(one.value), interval(Some(found))),
                None => value(one.value),
            }));
        }
        row.extend(baselines.iter().map(|baseline| baseline.values.get(at).map_or(String::new(), |v| value(*v))));
        rows.push(row);
    }
    out.push_str(&style.heading(title(report.task)));
    out.push_str(&style.table(&header, &rows));
    for (number, run) in runs.iter().enumerate() {
        for line in reasons(run.figures.iter()).lines() {
            let _ = writeln!(out, "run {}: {line}", number + 1);
        }
    }
}

fn figure_table(figures: &[Measured], report: &Report, style: Style) -> String {
    let header = ["figure".to_owned(), "value".into(), confidence(report)];
    let row =
        |one: &Measured| vec![style.name(&one.figure.to_string()), value(one.value), interval(one.interval.as_ref())];
    let rows: Vec<Vec<String>> = figures.iter().map(row).collect();
    style.table(&header, &rows) + &reasons(figures.iter())
}

fn matrix(confusion: &Confusion, style: Style) -> String {
    let mut header = vec![String::new()];
    header.extend(confusion.values.iter().map(|value| style.name(value)));
    let row = |(name, counts): (&String, &Vec<u64>)| {
        let mut row = vec![style.name(name)];
        row.extend(counts.iter().map(u64::to_string));
        row
    };
    let rows: Vec<Vec<String>> = confusion.values.iter().zip(&confusion.rows).map(row).collect();
    style.table(&header, &rows)
}

fn groups(report: &Report, grouped: &Grouped, which: &str, style: Style, out: &mut String) {
    let field = style.name(&grouped.field);
    out.push_str(&style.heading(&format!("By `{field}`{which}: the mean of {} groups", grouped.groups.len())));
    let header = ["figure".to_owned(), "mean".into(), confidence(report), "groups".into(), "skipped".into()];
    let mut rows = Vec::new();
    for one in &grouped.within {
        rows.push(vec![
            style.name(&one.measured.figure.to_string()),
            value(one.measured.value),
            interval(one.measured.interval.as_ref()),
            one.groups.to_string(),
            one.skipped.to_string(),
        ]);
    }
    out.push_str(&style.table(&header, &rows));
    if grouped.within.iter().any(|one| one.skipped > 0) {
        out.push_str("skipped: groups in which the figure is undefined, as correlations with a constant are\n");
    }
    if grouped.without > 0 {
        let _ = writeln!(out, "{} rows have no `{field}`", grouped.without);
    }
    if !grouped.between.is_empty() {
        let of = if report.task == Task::Points { "means" } else { "shares of the positive class" };
        out.push_str(&style.heading(&format!("Between the groups of `{field}`{which}: correlations of their {of}")));
        out.push_str(&figure_table(&grouped.between, report, style));
    }
    if grouped.groups.len() <= MOST_GROUPS {
        let wanted: &[&str] = match report.task {
            Task::Points => &["exact_agreement", "mae", "spearman"],
            Task::Classes | Task::Truth => &["accuracy", "macro_f1", "kappa"],
            Task::Pairs => &["pairwise_accuracy", "valid_accuracy", "coverage"],
        };
        let places: Vec<(usize, String)> = grouped
            .within
            .iter()
            .enumerate()
            .filter(|(_, one)| wanted.contains(&one.measured.figure.key))
            .map(|(at, one)| (at, one.measured.figure.to_string()))
            .collect();
        let mut header = vec![field, "rows".into()];
        header.extend(places.iter().map(|(_, name)| name.clone()));
        let row = |group: &crate::evaluate::report::Group| {
            let mut row = vec![style.name(&group.name), group.rows.to_string()];
            row.extend(places.iter().map(|(at, _)| group.values.get(*at).map_or(String::new(), |v| value(*v))));
            row
        };
        let rows: Vec<Vec<String>> = grouped.groups.iter().map(row).collect();
        out.push_str(&style.heading("The groups"));
        out.push_str(&style.table(&header, &rows));
    }
}
