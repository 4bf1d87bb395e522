//! `rubric quality`: a list of criteria against an expert's.

use super::author::{Writing, all, code, planned, spent};
use super::{CommandResult, FAULTS, output};
use crate::author::{Ask, Purpose, Unsaid};
use crate::judge::wire::Content;
use crate::quality::judged::{self, BATCH, Direction, Verdict};
use crate::quality::lists::{self, List};
use crate::quality::words::{Corpus, content, implicitness};
use crate::quality::{Measured, coverage, mean, uniqueness, valuable};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use miette::miette;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Criteria that are shown one by one, each way.
const MOST: usize = 12;

/// Measure a list of criteria against one that experts wrote: coverage, uniqueness, specificity, implicitness
///
/// Exit code: 0 measured, 1 some questions stand on one side only, 2 something could not be read or written, 5 the model
/// gave no verdicts, 6 the budget ended, 130 stopped.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The criteria to be measured: a program, a folder of programs, JSON, or text with one a line
    criteria: PathBuf,
    /// The experts' criteria, in any of these forms
    #[arg(long, value_name = "FILE")]
    experts: PathBuf,
    /// The question that both are for, where the files do not hold it
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// Ask no model: only what can be computed
    #[arg(long, conflicts_with_all = ["plan", "max_calls", "max_cost"])]
    computed: bool,
    /// Criteria in one call
    #[arg(long, value_name = "N", default_value_t = BATCH as u64, value_parser = clap::value_parser!(u64).range(1..=100))]
    batch: u64,
    /// How it is shown
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    #[command(flatten)]
    writing: Writing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table, and the criteria that are missing or unique
    Human,
    /// One JSON object (`grammar/quality.schema.json`)
    Json,
}

const EXAMPLES: &str = "\
Examples:
  rubric quality ours.rubric --experts experts.json --question 'How much paracetamol may a child take?'
  rubric quality expanded/ --experts experts.jsonl --model strong --max-calls 200
  rubric quality ours.txt --experts experts.txt --computed";

/// Texts of criteria, picked from a question's lists and what was found about them.
type Pick<'a> = &'a dyn Fn(&(List, List), &Measured) -> Vec<String>;

/// One batch that is asked about.
struct Batch {
    pair: usize,
    direction: Direction,
    first: usize,
    count: usize,
    others: usize,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let ours = lists::read(&args.criteria).map_err(|why| miette!("{why}"))?;
    let experts = lists::read(&args.experts).map_err(|why| miette!("{why}"))?;
    let (mut pairs, alone) = lists::pair(ours, experts);
    if pairs.is_empty() {
        return Err(miette!(
            help = "give both the same `id`; the id of a program is its name",
            "no question stands in both files; those are {}",
            some(&alone)
        ));
    }
    for (ours, experts) in &mut pairs {
        let question = args.question.clone().or_else(|| ours.question.take()).or_else(|| experts.question.take());
        ours.question = question;
    }
    let (asks, batches) = asks(args, &pairs);
    let mut measured: Vec<Measured> = computed(&pairs);
    let (mut ended, mut told) = (None, String::new());
    if !args.computed {
        let author = args.writing.open(&args.criteria)?;
        if args.writing.plan {
            output::print(&planned(&author, &asks)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let shapes: Arc<[(Direction, usize, usize, usize)]> =
            batches.iter().map(|b| (b.direction, b.first, b.count, b.others)).collect();
        let outcomes = all(&author, asks, move |place, text| match shapes.get(place) {
            Some((direction, first, count, others)) => judged::read(*direction, text, *first, *count, *others),
            None => Err("nobody asked for it".to_owned()),
        })?;
        let unsaid: Vec<&Unsaid> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        if let Some(first) = unsaid.first() {
            output::note(&format!(
                "{} of {} calls gave no verdicts, so coverage and uniqueness are not known; the first: {first}",
                unsaid.len(),
                outcomes.len()
            ));
        }
        ended = code(&author, unsaid);
        told = spent(&author);
        if ended.is_none() {
            for (batch, outcome) in batches.iter().zip(outcomes) {
                let (Some(one), Ok(said)) = (measured.get_mut(batch.pair), outcome) else { continue };
                let verdicts =
                    if batch.direction == Direction::Coverage { &mut one.coverage } else { &mut one.uniqueness };
                verdicts.extend(said.value);
            }
        }
    }
    let text = match args.format {
        Format::Human => human(&pairs, &measured),
        Format::Json => format!("{:#}\n", as_json(&pairs, &measured, &alone)),
    };
    output::print(&text)?;
    if !alone.is_empty() {
        output::note(&format!("left out, because they stand on one side only: {}", some(&alone)));
    }
    if !told.is_empty() {
        output::note(&told);
    }
    Ok(match ended {
        Some(code) => ExitCode::from(code),
        None if !alone.is_empty() => ExitCode::from(FAULTS),
        None => ExitCode::SUCCESS,
    })
}

fn some(ids: &[String]) -> String {
    let shown: Vec<String> = ids.iter().take(8).map(|id| format!("`{id}`")).collect();
    let more = ids.len().saturating_sub(shown.len());
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// What is asked: both directions of every question, in batches.
fn asks(args: &Args, pairs: &[(List, List)]) -> (Vec<Ask>, Vec<Batch>) {
    let size = usize::try_from(args.batch).unwrap_or(BATCH);
    let (mut asks, mut batches) = (Vec::new(), Vec::new());
    for (pair, (ours, experts)) in pairs.iter().enumerate() {
        for (direction, asked, others) in [(Direction::Coverage, experts, ours), (Direction::Uniqueness, ours, experts)]
        {
            let system = judged::system(direction);
            let shared: Arc<str> = judged::shared(ours.question.as_deref(), &others.criteria).into();
            for (n, batch) in asked.criteria.chunks(size).enumerate() {
                let first = n * size + 1;
                let step = if direction == Direction::Coverage { "coverage" } else { "uniqueness" };
                let purpose = Purpose { command: "quality".into(), step: step.into(), about: ours.id.as_str().into() };
                let mut ask = Ask::new(purpose, Arc::clone(&system), judged::batch(batch, first));
                ask.shared = vec![Content::Text(Arc::clone(&shared))];
                ask.schema = Some(judged::schema(direction));
                asks.push(ask);
                batches.push(Batch { pair, direction, first, count: batch.len(), others: others.criteria.len() });
            }
        }
    }
    (asks, batches)
}

/// What needs no model. The corpus is everything that was read.
fn computed(pairs: &[(List, List)]) -> Vec<Measured> {
    let mut corpus = Corpus::default();
    for criterion in pairs.iter().flat_map(|(ours, experts)| ours.criteria.iter().chain(&experts.criteria)) {
        corpus.add(&criterion.text);
    }
    let specific = |list: &List| list.criteria.iter().map(|one| corpus.specificity(&one.text)).collect();
    pairs
        .iter()
        .map(|(ours, experts)| Measured {
            id: ours.id.clone(),
            coverage: Vec::new(),
            uniqueness: Vec::new(),
            specificity: [specific(ours), specific(experts)],
            implicitness: ours.question.as_deref().map(|question| {
                let words = content(question);
                [ours, experts].map(|list| list.criteria.iter().map(|one| implicitness(&one.text, &words)).collect())
            }),
        })
        .collect()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

fn human(pairs: &[(List, List)], measured: &[Measured]) -> String {
    let of = |side: usize, pick: &dyn Fn(&Measured) -> Option<[Vec<f64>; 2]>| {
        let values: Vec<f64> = measured
            .iter()
            .filter_map(pick)
            .filter_map(|mut sides| sides.get_mut(side).map(std::mem::take))
            .flatten()
            .collect();
        number(mean(&values))
    };
    let specificity = |one: &Measured| Some(one.specificity.clone());
    let implicitness = |one: &Measured| one.implicitness.clone();
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(["", "ours", "the experts'"]);
    let count = |pick: fn(&(List, List)) -> &List| {
        pairs.iter().map(|pair| pick(pair).criteria.len()).sum::<usize>().to_string()
    };
    table.add_row(["criteria".to_owned(), count(|pair| &pair.0), count(|pair| &pair.1)]);
    table.add_row(["coverage of the experts' criteria".to_owned(), number(coverage(measured)), String::new()]);
    table.add_row(["uniqueness".to_owned(), number(uniqueness(measured)), String::new()]);
    table.add_row(["unique and worth having".to_owned(), number(valuable(measured)), String::new()]);
    table.add_row(["specificity".to_owned(), of(0, &specificity), of(1, &specificity)]);
    table.add_row(["implicitness".to_owned(), of(0, &implicitness), of(1, &implicitness)]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut out = format!("{table}\n");
    let mut list = |title: &str, texts: Vec<String>| {
        if texts.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{title}");
        for text in texts.iter().take(MOST) {
            let _ = writeln!(out, "- {text}");
        }
        if texts.len() > MOST {
            let _ = writeln!(out, "and {} more; `--format json` has all", texts.len() - MOST);
        }
    };
    let named = |pick: Pick<'_>| -> Vec<String> {
        let each = pairs.iter().zip(measured).flat_map(|(pair, one)| {
            let id = if pairs.len() > 1 { format!("{}: ", one.id) } else { String::new() };
            pick(pair, one).into_iter().map(move |text| format!("{id}{text}"))
        });
        each.collect()
    };
    let lacking = |list: &List, verdicts: &[Verdict], keep: &dyn Fn(&Verdict) -> bool| -> Vec<String> {
        let both = list.criteria.iter().zip(verdicts);
        both.filter(|(_, verdict)| keep(verdict)).map(|(criterion, _)| criterion.text.clone()).collect()
    };
    list("Not covered by ours", named(&|pair, one| lacking(&pair.1, &one.coverage, &|v| v.by.is_empty())));
    list(
        "Unique to ours and worth having",
        named(&|pair, one| lacking(&pair.0, &one.uniqueness, &|v| v.by.is_empty() && v.valuable)),
    );
    list(
        "Unique to ours and not worth having",
        named(&|pair, one| lacking(&pair.0, &one.uniqueness, &|v| v.by.is_empty() && !v.valuable)),
    );
    out
}

fn as_json(pairs: &[(List, List)], measured: &[Measured], alone: &[String]) -> Json {
    let side = |list: &List, one: &Measured, side: usize, verdicts: &[Verdict], unique: bool| -> Vec<Json> {
        let each = list.criteria.iter().enumerate().map(|(n, criterion)| {
            let verdict = verdicts.get(n).map(|verdict| {
                let mut json = json!({ "by": verdict.by, "why": verdict.why });
                if let (true, Json::Object(map)) = (unique, &mut json) {
                    map.insert("valuable".to_owned(), verdict.valuable.into());
                }
                json
            });
            json!({
                "criterion": criterion.text,
                "points": criterion.points,
                "covered": verdict,
                "specificity": one.specificity.get(side).and_then(|all| all.get(n)),
                "implicitness": one.implicitness.as_ref().and_then(|both| both.get(side)).and_then(|all| all.get(n)),
            })
        });
        each.collect()
    };
    let questions: Vec<Json> = pairs
        .iter()
        .zip(measured)
        .map(|((ours, experts), one)| {
            let alone = std::slice::from_ref(one);
            json!({
                "id": one.id,
                "coverage": coverage(alone),
                "uniqueness": uniqueness(alone),
                "valuable": valuable(alone),
                "criteria": side(ours, one, 0, &one.uniqueness, true),
                "experts": side(experts, one, 1, &one.coverage, false),
            })
        })
        .collect();
    let pooled = |at: usize, pick: &dyn Fn(&Measured) -> Option<&[Vec<f64>; 2]>| {
        mean(measured.iter().filter_map(pick).filter_map(|sides| sides.get(at)).flatten())
    };
    json!({
        "format": "rubric-quality/1",
        "coverage": coverage(measured),
        "uniqueness": uniqueness(measured),
        "valuable": valuable(measured),
        "specificity": { "criteria": pooled(0, &|one| Some(&one.specificity)), "experts": pooled(1, &|one| Some(&one.specificity)) },
        "implicitness": { "criteria": pooled(0, &|one| one.implicitness.as_ref()), "experts": pooled(1, &|one| one.implicitness.as_ref()) },
        "alone": alone,
        "questions": questions,
    })
}
