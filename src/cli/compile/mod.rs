//! `rubric compile`: a language model writes the program of a policy, and the checker accepts it or not.
//!
//! This file reads what is asked for, `ask` puts the questions, `told` writes what came of them. All specifications are read
//! before the first call, so that a record with a key that it must not have costs nothing.

mod ask;
mod plan;
mod told;

use super::author::{Told, Writing};
use super::{BUDGET_ENDED, CommandResult, FAULTS, JUDGE_FAILED, STOPPED, output};
use crate::author::{Author, Unsaid, watched};
use crate::compile::answer::Form;
use crate::compile::provenance::Asked;
use crate::compile::records;
use crate::compile::specification::{Specification, Written};
use crate::compile::{Compiler, Next};
use crate::judge::wire::FailureKind;
use crate::source::files::read_text;
use miette::miette;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Let a language model write the program of a policy; the first that the checker accepts is taken
///
/// Every fault goes back to the model, as `rubric check --format repair` tells it. Where no attempt is a program, all of them
/// are written to `NAME.failure.json`, and nothing is guessed. Exit code: 0 compiled, 1 no attempt was a program or the input
/// has faults, 2 something could not be read, written or configured, 5 the model could not be asked, 6 a ceiling was
/// reached, 130 stopped by Ctrl-C.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The policy: Markdown or plain text; `-` for standard input
    #[arg(required_unless_present = "each", conflicts_with = "each")]
    policy: Option<PathBuf>,
    /// A program for each of these records: JSON lines with `id`, `rubric` and, as needed, `input`, `reference`, `contract`
    #[arg(long, value_name = "RECORDS", conflicts_with_all = ["task", "reference"])]
    each: Option<PathBuf>,
    /// Where the program goes (`-`: standard output); with --each the folder of the programs
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// How the program is written
    #[arg(long = "as", value_enum, default_value = "rubric")]
    form: Form,
    /// How often the model may mend its program
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=20))]
    repairs: u32,
    /// Show clause by clause what became which part of the program, and what became none (one more call)
    #[arg(long)]
    explain: bool,
    /// The task input, where the program is for this one only
    #[arg(long, value_name = "FILE", help_heading = "The task")]
    task: Option<PathBuf>,
    /// Material that a right answer can be held against
    #[arg(long, value_name = "FILE", help_heading = "The task")]
    reference: Option<PathBuf>,
    #[command(flatten)]
    contract: ContractArgs,
    /// The longest reply, in tokens: a program is longer than a judgment
    #[arg(long, value_name = "N", default_value_t = 8_192, help_heading = "The model")]
    max_tokens: u32,
    #[command(flatten)]
    writing: Writing,
}

/// What the task settles; the rest is left to the program. Held against the program as a fault of its own.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The task")]
struct ContractArgs {
    /// pointwise: one candidate; pairwise: two; listwise: two or more
    #[arg(long)]
    mode: Option<String>,
    /// The interval of the node that the readout reads, such as 0..1
    #[arg(long, value_name = "LO..HI", allow_hyphen_values = true)]
    interval: Option<String>,
    /// What the pointwise readout yields: a type, such as `int[1..5]`
    #[arg(long, value_name = "TYPE")]
    yields: Option<String>,
    /// How it rounds: half_up, half_down, half_even, down, up
    #[arg(long, value_name = "MODE")]
    quantise: Option<String>,
    /// How much higher a score must be to win
    #[arg(long, value_name = "NUMBER")]
    margin: Option<String>,
    /// What decides a tie: tie, abstain, first, by_id, by
    #[arg(long, value_name = "POLICY")]
    tie: Option<String>,
    /// The fields that records will have, as declarations
    #[arg(long, value_name = "DECLARATIONS")]
    fields: Option<String>,
    /// What the program is called
    #[arg(long, value_name = "WORD")]
    name: Option<String>,
}

impl ContractArgs {
    fn written(&self) -> Written {
        Written {
            mode: self.mode.clone(),
            interval: self.interval.clone(),
            output: self.yields.clone(),
            quantise: self.quantise.clone(),
            margin: self.margin.clone(),
            tie: self.tie.clone(),
            fields: self.fields.clone(),
            name: self.name.clone(),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  rubric compile policy.md -o policy.rubric
  rubric compile policy.md -o policy.rubric --yields 'int[1..5]' --explain --max-calls 10
  rubric compile pairs.md -o pairs.rubric --mode pairwise --margin 0.02 --tie abstain
  rubric compile policy.md -o policy.rubric --fields 'input question: text  candidate answer: text'
  rubric compile --each tasks.jsonl -o programs/
  rubric compile policy.md --plan

A record of --each:
  {\"id\": \"q1\", \"input\": \"Why is the sky blue?\", \"rubric\": [\"Names scattering\", \"Is short\"], \"contract\": {\"output\": \"int[1..5]\"}}";

/// One program that is wanted.
struct Wanted {
    /// What it is about, for the store: an id or the name of a file.
    about: Arc<str>,
    specification: Specification,
    output: Option<PathBuf>,
}

/// Says what it would ask: `rubric plan compile`, and `--plan`.
pub(crate) fn plan(args: &Args) -> CommandResult {
    let mut args = args.clone();
    args.writing.plan = true;
    run(&args)
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if args.output.is_none() && !args.writing.plan {
        let help = "`--output OUT` names it; `--plan` asks nobody and writes nothing";
        return Err(miette!(help = help, "it is not said where the program goes"));
    }
    let Some(wanted) = read(args)? else { return Ok(ExitCode::from(FAULTS)) };
    let author = open(args)?;
    if let (Some(folder), Some(_), false) = (&args.output, &args.each, args.writing.plan) {
        std::fs::create_dir_all(folder).map_err(|error| output::failed(Some(folder), error))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| miette!("no calls can be made: {error}"))?;
    if args.writing.plan {
        output::print(&runtime.block_on(plan::text(args, &author, wanted))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let asked = Asked { alias: author.alias().name.clone(), model: author.alias().model.clone() };
    let mut tally = told::Tally::default();
    let work =
        ask::all(args, &author, wanted, |wanted, finished| told::one(args, &asked, wanted, finished, &mut tally));
    let ended = runtime.block_on(watched(&author, work, &mut Told));
    runtime.shutdown_background();
    match ended {
        Some(result) => result?,
        None => tally.stopped = true,
    }
    tally.stopped |= author.judging().is_stopped();
    told::end(args, &author, &tally);
    Ok(ExitCode::from(match &tally {
        tally if tally.stopped => STOPPED,
        tally if tally.unasked.as_ref().is_some_and(|kind| *kind == FailureKind::Budget) => BUDGET_ENDED,
        tally if tally.unasked.is_some() => JUDGE_FAILED,
        tally if tally.failed > 0 => FAULTS,
        _ => return Ok(ExitCode::SUCCESS),
    }))
}

/// What is wanted; `None` where the records have faults, which have been told.
fn read(args: &Args) -> miette::Result<Option<Vec<Wanted>>> {
    let written = args.contract.written();
    if let Some(records) = &args.each {
        return each(args, records, &written);
    }
    let Some(policy) = &args.policy else { return Ok(None) };
    let rubric = text(policy)?;
    if rubric.trim().is_empty() {
        miette::bail!(help = "write down what makes a candidate good", "`{}` says nothing", policy.display());
    }
    let contract = written.read().map_err(|why| miette!("{why}"))?;
    let task = args.task.as_deref().map(text).transpose()?.map(serde_json::Value::from);
    let reference = args.reference.as_deref().map(text).transpose()?.map(Arc::from);
    let specification = Specification { task, rubric: rubric.into(), reference, contract };
    let about = policy.to_string_lossy().into();
    Ok(Some(vec![Wanted { about, specification, output: args.output.clone() }]))
}

fn text(path: &Path) -> miette::Result<String> {
    if path == Path::new("-") {
        let text = crate::source::files::read_all(std::io::stdin().lock(), crate::project::STDIN)?;
        return Ok(text);
    }
    Ok(read_text(path, &path.to_string_lossy())?)
}

fn each(args: &Args, records: &Path, written: &Written) -> miette::Result<Option<Vec<Wanted>>> {
    let lines = text(records)?;
    let (mut wanted, mut ids) = (Vec::new(), HashMap::new());
    let mut faults = 0;
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let found = records::instance(line, written).and_then(|found| {
            // Some file systems do not tell cases apart.
            match ids.entry(found.id.to_lowercase()) {
                Entry::Occupied(first) => Err(format!("the id `{}` stands in line {} before", found.id, first.get())),
                Entry::Vacant(place) => {
                    place.insert(number + 1);
                    Ok(found)
                }
            }
        });
        match found {
            Ok(found) => {
                let name = format!("{}.{}", found.id, args.form.ending());
                let output = args.output.as_ref().map(|folder| folder.join(name));
                wanted.push(Wanted { about: found.id.into(), specification: found.specification, output });
            }
            Err(why) => {
                faults += 1;
                output::note(&format!("{}:{}: {why}", records.display(), number + 1));
            }
        }
    }
    if faults > 0 {
        let s = if faults == 1 { "1 record has" } else { &format!("{faults} records have") };
        output::note(&format!("{s} faults; nobody was asked"));
        return Ok(None);
    }
    if wanted.is_empty() {
        miette::bail!(help = "write one JSON object a line", "`{}` holds no records", records.display());
    }
    Ok(Some(wanted))
}

/// The model, with its store and its budget.
fn open(args: &Args) -> miette::Result<Author> {
    let beside = args.policy.as_deref().or(args.each.as_deref()).unwrap_or(Path::new("."));
    args.writing.open(beside)
}

/// What became of one program that was wanted.
struct Finished {
    compiler: Compiler,
    explained: Option<Result<told::Explained, Unsaid>>,
    /// Why it could not be asked for any further.
    ended: Option<Unsaid>,
}

impl Finished {
    fn is_accepted(&self) -> bool {
        matches!(self.compiler.next(), Next::Accepted(_))
    }
}
