//! `rubric report`: results as a page to look into, a summary for a comment, test cases or annotations.

use super::eval::{Bootstrap, Reading};
use super::{CommandResult, FAULTS, output, record};
use crate::report::{Passing, Report, Wanted, gather, github, junit, markdown, page};
use miette::miette;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show results: one page with every record down to the quotes, or a summary, test cases, annotations for CI
///
/// Files are results of `rubric run -o`, traces of `rubric run --trace`, or both: the first trace belongs to the first run, and so
/// on. Without a trace the report knows what came out; with it, why. The page needs no network and no other file. Exit code: 0
/// it is written, 1 with `--pass`: some record does not pass or is not decided, 2 something could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Results and traces
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where it goes; `-` for standard output
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// What is written
    #[arg(long, value_enum, default_value = "html")]
    format: Format,
    /// Its title [default: the program's name]
    #[arg(long)]
    title: Option<String>,
    /// The readout that records are listed and compared by
    #[arg(long, value_name = "NAME")]
    readout: Option<String>,
    /// The records that were judged, to show their texts, and their lines in annotations
    #[arg(long, value_name = "RECORDS")]
    data: Option<PathBuf>,
    /// What passes: a bound such as `>= 4`, or words such as `good,excellent` [default: everything but false]
    #[arg(long, value_name = "RULE", value_parser = Passing::read, allow_hyphen_values = true)]
    pass: Option<Passing>,
    /// How many records are shown down to their judgments, the worst first
    #[arg(long, value_name = "N", default_value_t = 2000)]
    details: usize,
    /// A file of labels, or a tag of the results; as for `rubric eval`
    #[arg(long, value_name = "FILE|TAG")]
    labels: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bootstrap: Bootstrap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One page
    Html,
    /// A summary, for a comment
    Markdown,
    /// A test case for each record
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

const EXAMPLES: &str = "\
Examples:
  rubric report results.jsonl trace.jsonl --data essays.jsonl -o report.html
  rubric report results.jsonl trace.jsonl --labels teachers.csv -o report.html
  rubric report old.jsonl new.jsonl -o both.html                   two runs side by side
  rubric report results.jsonl trace.jsonl --format markdown >> \"$GITHUB_STEP_SUMMARY\"
  rubric report results.jsonl trace.jsonl --format junit --pass '>= 4' -o results.xml
  rubric report results.jsonl --data essays.jsonl --format github --pass good,excellent";

pub(crate) fn run(args: &Args) -> CommandResult {
    let labels = args.labels.as_ref().map(|labels| {
        let options = args.reading.options(labels, args.readout.clone(), args.bootstrap.plan());
        (options, labels.clone())
    });
    let wanted = Wanted {
        title: args.title.clone(),
        readout: args.readout.clone(),
        labels,
        data: args.data.clone(),
        details: args.details,
        passing: args.pass.clone(),
    };
    let report = gather(&args.files, &wanted, &record::open_program).map_err(|fault| {
        miette!(help = "a report is made of what `rubric run -o` and `rubric run --trace` wrote", "{fault}")
    })?;
    let text = match args.format {
        Format::Html => page(&report),
        Format::Markdown => markdown(&report),
        Format::Junit => junit(&report).map_err(|fault| miette!("{fault}"))?,
        Format::Github => github(&report),
    };
    output::write(Some(&args.output), &text)?;
    let fails = args.pass.is_some() && fails(&report);
    Ok(if fails { ExitCode::from(FAULTS) } else { ExitCode::SUCCESS })
}

/// Whether some row does not pass.
fn fails(report: &Report) -> bool {
    report.rows.iter().any(|row| row.present().any(|(_, cell)| cell.is_bad()))
}
