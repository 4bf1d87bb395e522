//! `rubric run`: judges records from recorded judgments, by rules and by asking models; results, a trace, a summary.

pub(super) mod judging;
mod outputs;
pub(super) mod progress;

use super::{CommandResult, output, program, summary};
use crate::judge::schedule::{self, Ended, Host, Judges};
use crate::run::driver::{Done, Driver, Programs, RunOf, Shard};
use crate::run::engine::Engine;
use crate::run::judgment::file::JudgmentsFile;
use crate::run::record::{DataFormat, Records};
use crate::run::result::Status;
use crate::run::summary::Summary;
use judging::{Asking, Limits, Opener};
use miette::miette;
use outputs::Outputs;
use progress::Progress;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Judge records: every readout of every candidate, from recorded judgments, by rules and by asking models
///
/// Prints a summary; `-o` writes one JSON line per result. Models are asked for what is not recorded (`rubric.toml` says
/// which; `rubric plan` what it would cost), and what they answer is kept: a run that was stopped goes on when it is run
/// again. Exit code: 0 every record is decided or abstains, 1 the program has faults, 2 something could not be read or
/// written, 3 some records are open because judgments are missing, 4 some records failed, 5 because judges that were asked
/// gave no judgment, 6 because the budget ended, 130 stopped by Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program (`.rubric` or JSON), or a folder of programs of which each record names its own in `rubric`
    file: PathBuf,
    /// The records: JSON lines, a CSV table or Parquet; `-` for standard input
    #[arg(long)]
    data: PathBuf,
    /// How the records are written; without it the name and the content tell
    #[arg(long, value_enum)]
    data_format: Option<Format>,
    /// More recorded judgments, one JSON line each
    #[arg(long)]
    judgments: Option<PathBuf>,
    /// Where the results go: one JSON line each, or Parquet where the name ends in .parquet; `-` for standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Where the trace goes, from which `rubric replay` computes everything again
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Only a part of the records, such as 2/4: the second of four parts, which `rubric merge` puts together again
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Run so often over the records; models are asked anew each time. Each line of the results names its run, and the
    /// name of a trace gets its number (trace.1.jsonl)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: Option<u16>,
    /// No summary
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    limits: Limits,
    /// Ask as little as possible: of each record one judgment after the other, until no readout can change any more
    #[arg(long, conflicts_with = "recorded", help_heading = "Judging by models")]
    lazy: bool,
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    let shard = parts.and_then(|(number, of)| Shard::new(number, of));
    shard.ok_or_else(|| "write it as 1/4, the first of four parts; the first number is from 1 to the second".to_owned())
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Format {
    Jsonl,
    Csv,
    Tsv,
    Parquet,
}

const EXAMPLES: &str = "\
Examples:
  rubric run essay.rubric --data essays.jsonl --judgments teachers.jsonl -o results.jsonl
  rubric run essay.rubric --data essays.csv -o - --trace trace.jsonl
  rubric run programs/ --data records.jsonl            each record names its program in `rubric`
  rubric run reply.rubric --data replies.jsonl --max-cost 5 -o results.jsonl
  rubric run reply.rubric --data replies.jsonl --runs 3 -o results.jsonl --trace trace.jsonl
  rubric run essay.rubric --data essays.jsonl --recorded        asks nobody

A record:
  {\"id\": \"r1\", \"essay\": \"…\", \"judgments\": {\"clear\": 4, \"off_topic\": false}}
A line of the judgments:
  {\"id\": \"r1\", \"criterion\": \"clear\", \"value\": 4, \"by\": \"ann\"}";

pub(crate) fn run(args: &Args) -> CommandResult {
    outputs::check_paths(args)?;
    let programs = open_programs(&args.file)?;
    let mut opener = Opener::new(&args.asking, Some(&args.limits), &args.file, &args.data);
    opener.lazy = args.lazy;
    let asks = !opener.is_recorded() && programs.all().any(|engine| schedule::asks(engine));
    // One for all runs, because connections to servers live in it.
    let runtime = asks.then(|| tokio::runtime::Builder::new_multi_thread().enable_all().build()).transpose();
    let runtime = runtime.map_err(|error| miette!("no calls can be made: {error}"))?;
    let mut first = Some(open(args, &programs, None)?);
    let mut running = Running {
        args,
        opener,
        outputs: Outputs::open(args)?,
        progress: Progress::new(),
        summary: Summary::default(),
        bad_lines: first.as_ref().is_some_and(|driver| told_faults(args, driver.judgments())),
        not_recorded: 0,
        worst: 0,
    };
    let of = args.runs.map(u32::from);
    let mut ended = Ended::Whole;
    for number in 1..=of.unwrap_or(1) {
        let run = of.map(|of| RunOf { number, of });
        let driver = match first.take() {
            Some(driver) => driver.of_run(run),
            None => open(args, &programs, run)?,
        };
        running.opener.run = number - 1;
        running.outputs.begin(args, run)?;
        let (how, driver) = match &runtime {
            Some(runtime) => asking(runtime, driver, &mut running)?,
            None => recorded(driver, &mut running)?,
        };
        let whole = matches!(how, Ended::Whole);
        ended = how;
        running.end_run(whole, run, driver.as_ref())?;
        if !whole {
            break;
        }
    }
    running.end(&ended)
}

/// The records, ready to be run.
fn open(args: &Args, programs: &Programs, run: Option<RunOf>) -> miette::Result<Driver> {
    let records = open_data(&args.data, args.data_format)?;
    let judgments = open_judgments(args.judgments.as_deref())?;
    Ok(Driver::new(programs.clone(), records, judgments).only(args.shard).of_run(run))
}

/// Runs over what is recorded.
fn recorded(mut driver: Driver, running: &mut Running<'_>) -> miette::Result<(Ended, Option<Driver>)> {
    loop {
        match driver.next_record() {
            Ok(Some(done)) => running.write(&done)?,
            Ok(None) => return Ok((Ended::Whole, Some(driver))),
            Err(error) => return Ok((Ended::Unreadable(error), Some(driver))),
        }
        running.progress.step();
    }
}

/// Runs and asks for what is not recorded.
fn asking(
    runtime: &tokio::runtime::Runtime,
    driver: Driver,
    running: &mut Running<'_>,
) -> miette::Result<(Ended, Option<Driver>)> {
    let (parts, runs) = (running.args.shard.map_or(1, Shard::of), running.args.runs.map_or(1, u64::from));
    running.progress.count(&running.args.data, parts, runs);
    runtime.block_on(schedule::run(driver, running))
}

/// A command under way: where everything goes.
struct Running<'a> {
    args: &'a Args,
    opener: Opener<'a>,
    outputs: Outputs,
    progress: Progress,
    /// Of the run that is being made.
    summary: Summary,
    bad_lines: bool,
    /// Judgments that nobody recorded, of all runs.
    not_recorded: u64,
    /// The code that the runs so far end with.
    worst: u8,
}

impl Host<miette::Report> for Running<'_> {
    fn judging(&mut self, engine: &Engine) -> miette::Result<Option<Judges>> {
        self.opener.open(engine)
    }

    fn done(&mut self, done: Done) -> miette::Result<()> {
        self.write(&done)?;
        self.progress.step();
        Ok(())
    }

    fn tick(&mut self) {
        self.progress.tick(self.opener.opened().map(|judging| &**judging));
    }

    fn stopping(&mut self, under_way: u64) {
        self.progress.end();
        output::note(&format!(
            "stopping; {under_way} calls that are under way are waited for, because they are paid for (Ctrl-C again: at once)"
        ));
    }
}

impl Running<'_> {
    fn write(&mut self, done: &Done) -> miette::Result<()> {
        self.outputs.write(self.args, done)?;
        self.summary.add(done);
        Ok(())
    }

    fn tell(&self, text: &str) -> miette::Result<()> {
        if self.args.quiet {
            return Ok(());
        }
        if outputs::uses_stdout(self.args) {
            output::note(text.trim_end());
            return Ok(());
        }
        output::print(text)
    }

    /// Writes the end of a run, and says what it came to.
    fn end_run(&mut self, whole: bool, run: Option<RunOf>, driver: Option<&Driver>) -> miette::Result<()> {
        self.progress.end();
        self.outputs.end_run(whole)?;
        let title = run.map_or(String::new(), |run| {
            format!("{}Run {} of {}\n", if run.number > 1 { "\n" } else { "" }, run.number, run.of)
        });
        self.tell(&(title + &summary::text(&self.summary)))?;
        if let Some(file) = driver.and_then(Driver::judgments)
            && let (n @ 1.., Some(line)) = file.unused()
            && whole
            && self.args.shard.is_none()
            && run.is_none_or(|run| run.number == 1)
        {
            let s = if n == 1 { "id in the judgments is" } else { "ids in the judgments are" };
            output::note(&format!("warning: {n} {s} of no record that was read (the first in line {line})"));
        }
        self.not_recorded += self.summary.missing.get("not_recorded").copied().unwrap_or(0);
        // The first of these comes before the others.
        let order = [super::FAILED, super::BUDGET_ENDED, super::JUDGE_FAILED, super::OPEN];
        let code = code(&self.summary, self.bad_lines);
        self.worst = order.into_iter().find(|one| [code, self.worst].contains(one)).unwrap_or(0);
        if whole {
            self.summary = Summary::default();
        }
        Ok(())
    }

    /// Says what all runs came to together.
    fn end(mut self, ended: &Ended) -> CommandResult {
        self.outputs.finish(self.args)?;
        let spent = self.opener.text();
        if !spent.is_empty() {
            self.tell(&spent)?;
        }
        self.opener.tell_nobody(self.not_recorded);
        self.opener.tell_models();
        match ended {
            Ended::Whole => Ok(ExitCode::from(self.worst)),
            Ended::Stopped => {
                let kept = match self.opener.opened().and_then(|judging| judging.store.as_ref()) {
                    Some(store) => format!("what was answered is kept in `{}`", store.path().display()),
                    None => "no answers were kept".to_owned(),
                };
                let n = self.summary.records;
                let records = if n == 1 { "1 record is".to_owned() } else { format!("{n} records are") };
                let of =
                    if self.args.runs.is_some() { format!(" of run {}", self.opener.run + 1) } else { String::new() };
                output::note(&format!("stopped: {records} done{of}; {kept}; run the same command again to go on"));
                Ok(ExitCode::from(super::STOPPED))
            }
            Ended::Unreadable(error) => Err(miette!(
                help = "what was done up to there is written; mend the file and run again",
                "the records `{}` cannot be read any further: {error}",
                self.args.data.display()
            )),
            Ended::Store(error) => Err(error.clone().into()),
        }
    }
}

/// The program at a path, or the programs of a folder.
pub(super) fn open_programs(path: &Path) -> miette::Result<Programs> {
    if path.is_dir() {
        let several = program::require_folder(path)?.into_iter();
        let several = several.map(|(name, ready)| (name, Arc::new(Engine::new(ready.program))));
        return Ok(Programs::Several(several.collect()));
    }
    Ok(Programs::One(Arc::new(Engine::new(program::require(path)?.program))))
}

pub(super) fn open_data(path: &Path, format: Option<Format>) -> miette::Result<Records> {
    let format = format.map(|format| match format {
        Format::Jsonl => DataFormat::Jsonl,
        Format::Csv => DataFormat::Csv,
        Format::Tsv => DataFormat::Tsv,
        Format::Parquet => DataFormat::Parquet,
    });
    Records::open(path, format)
        .map_err(|fault| miette!(help = DATA_HELP, "the records `{}` cannot be read: {fault}", path.display()))
}

pub(super) fn open_judgments(path: Option<&Path>) -> miette::Result<Option<JudgmentsFile>> {
    let open = |path: &Path| {
        JudgmentsFile::open(path).map_err(|fault| miette!("the judgments `{}` cannot be read: {fault}", path.display()))
    };
    path.map(open).transpose()
}

pub(super) const DATA_HELP: &str = "records are JSON lines such as {\"id\": \"r1\", FIELD: \"…\", \"judgments\": {CRITERION: 4}}, a CSV table, or Parquet";

/// What one run ends with.
fn code(summary: &Summary, bad_lines: bool) -> u8 {
    if summary.count(Status::Failed) > 0 || bad_lines {
        super::FAILED
    } else if summary.count(Status::BudgetEnded) > 0 {
        super::BUDGET_ENDED
    } else if summary.count(Status::JudgeFailed) > 0 {
        super::JUDGE_FAILED
    } else if summary.count(Status::Open) > 0 {
        super::OPEN
    } else {
        0
    }
}

/// Shows the lines of the judgments file that belong to no record; whether there are any.
fn told_faults(args: &Args, judgments: Option<&JudgmentsFile>) -> bool {
    const MOST: usize = 10;
    let faults = judgments.map_or(&[][..], |file| &file.faults);
    let name = args.judgments.as_deref().unwrap_or(Path::new("")).display();
    for (line, fault) in faults.iter().take(MOST) {
        output::note(&format!("error: {name}, line {line}: {fault}; the line is left out"));
    }
    if faults.len() > MOST {
        output::note(&format!("error: {name}: {} more such lines", faults.len() - MOST));
    }
    !faults.is_empty()
}
