//! `rubric ablate`: a program beside a flat weighted mean of the same judgments, and beside one holistic judgment.

use super::eval::{Bootstrap, Format, Reading};
use super::figures::{Style, interval, reasons, value};
use super::run::{open_data, open_judgments};
use super::{CommandResult, output, program};
use crate::diagnostics::render::clean::clean;
use crate::evaluate::ablation::{Ablation, Arm, Direct, Fault, ablate, as_json};
use crate::number::Number;
use crate::run::driver::{Driver, Programs};
use crate::run::engine::Engine;
use miette::miette;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Compare a program with a flat weighted mean of the same judgments, and with one holistic judgment
///
/// Every arm is measured against the labels on the same records, from recorded judgments; nobody is asked. The differences
/// have paired bootstrap intervals: where one holds 0, the labels do not tell the two apart. Exit code: 0 it is measured,
/// 1 the program has faults, 2 something could not be read, or there is nothing to compare.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program (`.rubric` or JSON)
    file: PathBuf,
    /// The records, with their judgments
    #[arg(long)]
    data: PathBuf,
    /// More recorded judgments, one JSON line each
    #[arg(long)]
    judgments: Option<PathBuf>,
    /// A file of labels, or a tag of the records; as for `rubric eval`
    #[arg(long, value_name = "FILE|TAG")]
    labels: String,
    /// The holistic judgment: a name under which it is recorded, or a file of results
    #[arg(long, value_name = "NAME|FILE")]
    direct: Option<String>,
    /// Another weight in the flat rule; below 0 it counts the other way round, 0 leaves the criterion out
    #[arg(long, value_name = "CRITERION=WEIGHT", value_parser = weight)]
    weight: Vec<(String, Number)>,
    /// The readout that is measured
    #[arg(long, value_name = "NAME")]
    readout: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// A pair whose label is a tie counts, and a tie is right for it; else it is left out
    #[arg(long)]
    count_ties: bool,
    #[command(flatten)]
    bootstrap: Bootstrap,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  rubric ablate essay.rubric --data essays.jsonl --labels teachers.csv
  rubric ablate essay.rubric --data essays.jsonl --labels grade --direct overall
  rubric ablate essay.rubric --data essays.jsonl --labels grade --direct holistic-results.jsonl --format markdown";

fn weight(text: &str) -> Result<(String, Number), String> {
    let parts = text
        .rsplit_once('=')
        .and_then(|(name, weight)| Some((name.trim().to_owned(), Number::from_exact(weight.trim()).ok()?)));
    parts.ok_or_else(|| "write it as CRITERION=WEIGHT, such as harmful=-2 or clear=1/2".to_owned())
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let ready = program::require(&args.file)?;
    let program = Arc::clone(&ready.program);
    let records = open_data(&args.data, None)?;
    let judgments = open_judgments(args.judgments.as_deref())?;
    let driver = Driver::new(Programs::One(Arc::new(Engine::new(ready.program))), records, judgments);
    let mut options = args.reading.options(&args.labels, args.readout.clone(), args.bootstrap.plan());
    options.count_ties = args.count_ties;
    let direct = args.direct.as_ref().map(|text| {
        let path = PathBuf::from(text);
        if path.is_file() { Direct::Results(path) } else { Direct::Recorded(text.clone()) }
    });
    let found = ablate(driver, &program, direct.as_ref(), &args.weight, &options).map_err(|fault| match fault {
        Fault::Input(fault) => super::eval::unreadable(&fault),
        Fault::Other(what) => miette!("there is no ablation: {what}"),
    })?;
    let text = match args.format.style() {
        None => format!("{:#}\n", as_json(&found, &options, &args.labels)),
        Some(style) => shown(&found, args, style),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn shown(found: &Ablation, args: &Args, style: Style) -> String {
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
