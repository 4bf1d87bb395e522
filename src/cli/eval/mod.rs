//! `rubric eval`: how well results agree with what people said.

mod text;

use super::figures::Style;
use super::{CommandResult, output};
use crate::evaluate::input::InputFault;
use crate::evaluate::input::labels::Wanted;
use crate::evaluate::json;
use crate::evaluate::measure::measure;
use crate::evaluate::report::{Combine, LabelSource, Options};
use crate::evaluate::resample::Plan;
use miette::miette;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure how well results agree with labels from people: agreement, errors, correlations, preferences, baselines
///
/// Every figure comes with a bootstrap interval and beside what a constant answer would have reached. What a readout
/// abstains from, leaves open or could not be run is counted and never becomes a number. Several files are several runs
/// over the same records. Exit code: 0 it is measured, 2 something could not be read, or there is nothing to compare.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files of results, one per run
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// A file of labels (JSON lines or a table with `id` and `label`; judgments; results), or a tag of the results
    #[arg(long, value_name = "FILE|TAG")]
    labels: String,
    /// The readout that is measured
    #[arg(long, value_name = "NAME")]
    readout: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// The figures by groups: a tag, `id` or `candidate`; may be given several times
    #[arg(long, value_name = "TAG")]
    group: Vec<String>,
    /// Of pairs that were judged in both orders: the tag that both have alike
    #[arg(long, value_name = "TAG", requires = "first")]
    pair: Option<String>,
    /// The tag that names the candidate that was shown first
    #[arg(long, value_name = "TAG", requires = "pair")]
    first: Option<String>,
    /// A pair whose label is a tie counts, and a tie is right for it; else it is left out
    #[arg(long)]
    count_ties: bool,
    #[command(flatten)]
    bootstrap: Bootstrap,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// How values and labels are read.
#[derive(Debug, clap::Args)]
pub(super) struct Reading {
    /// The field of the labels that holds the label; else `label`, `value`, or the readout of results
    #[arg(long, value_name = "NAME")]
    label_field: Option<String>,
    /// Of labels that are judgments: the criterion
    #[arg(long, value_name = "NAME")]
    criterion: Option<String>,
    /// The words of an ordinal, lowest first: they count as 0, 1, 2 …
    #[arg(long, value_delimiter = ',', value_name = "WORDS")]
    order: Vec<String>,
    /// Compare numbers as classes
    #[arg(long)]
    as_classes: bool,
    /// The class whose precision, recall and F1 are told; else `true`
    #[arg(long, value_name = "WORD")]
    positive: Option<String>,
    /// How labels of several annotators become one: mean for numbers, else majority
    #[arg(long, value_enum)]
    combine: Option<Combining>,
}

/// How intervals are made.
#[derive(Debug, clap::Args)]
pub(super) struct Bootstrap {
    /// Bootstrap resamples; 0 for no intervals
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    resamples: u32,
    /// Other resamples
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How much of the resamples the intervals hold
    #[arg(long, default_value_t = 0.95, value_name = "SHARE", value_parser = share)]
    confidence: f64,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Combining {
    Mean,
    Median,
    Majority,
    /// Every label is a row of its own
    Each,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Tables
    Human,
    /// One JSON object
    Json,
    /// Tables in Markdown
    Markdown,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "it is a share between 0 and 1, such as 0.95".to_owned())
}

impl Bootstrap {
    pub(super) fn plan(&self) -> Plan {
        Plan { resamples: self.resamples, seed: self.seed, confidence: self.confidence }
    }
}

impl Format {
    /// How tables are drawn; `None`: JSON.
    pub(super) fn style(self) -> Option<Style> {
        match self {
            Format::Human => Some(Style::Terminal),
            Format::Markdown => Some(Style::Markdown),
            Format::Json => None,
        }
    }
}

impl Reading {
    /// The options of a measurement, with nothing grouped.
    pub(super) fn options(&self, labels: &str, readout: Option<String>, plan: Plan) -> Options {
        let path = PathBuf::from(labels);
        // What looks like a file's name is one, so that a mistyped path is not taken for a tag.
        let is_file = path.exists() || labels.contains(['/', '\\', '.']) || labels == "-";
        Options {
            readout,
            labels: if is_file { LabelSource::File(path) } else { LabelSource::Tag(labels.to_owned()) },
            wanted: Wanted {
                field: self.label_field.clone(),
                criterion: self.criterion.clone(),
                readout: String::new(),
            },
            order: self.order.clone(),
            as_classes: self.as_classes,
            positive: self.positive.clone(),
            combine: self.combine.map(|combine| match combine {
                Combining::Mean => Combine::Mean,
                Combining::Median => Combine::Median,
                Combining::Majority => Combine::Majority,
                Combining::Each => Combine::Each,
            }),
            count_ties: false,
            groups: Vec::new(),
            orders: None,
            plan,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  rubric eval results.jsonl --labels people.csv
  rubric eval run1.jsonl run2.jsonl run3.jsonl --labels people.jsonl --format markdown
  rubric eval results.jsonl --labels human --group topic           labels are the tag `human`
  rubric eval results.jsonl --labels ann.jsonl --criterion overall  labels are judgments
  rubric eval results.jsonl --labels votes.csv --readout pairwise --pair pair --first shown_first

Labels:
  {\"id\": \"r1\", \"label\": 4, \"by\": \"ann\"}
  {\"id\": \"r2\", \"candidate\": \"b\", \"label\": 2}
  {\"id\": \"r3\", \"label\": \"b\"}                 of pairs: the preferred candidate, or \"tie\"";

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut options = args.reading.options(&args.labels, args.readout.clone(), args.bootstrap.plan());
    options.count_ties = args.count_ties;
    options.groups.clone_from(&args.group);
    options.orders = args.pair.clone().zip(args.first.clone());
    let report = measure(&args.results, &options).map_err(|fault| unreadable(&fault))?;
    let text = match args.format.style() {
        None => format!("{:#}\n", json::whole(&report, &args.labels)),
        Some(style) => text::whole(&report, &args.labels, style),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn unreadable(fault: &InputFault) -> miette::Report {
    miette!(
        help = "results come from `rubric run -o FILE`; `rubric eval --help` shows how labels are written",
        "{fault}"
    )
}
