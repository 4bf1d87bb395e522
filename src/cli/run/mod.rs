//! `rubric run`: judges records from recorded judgments, by rules and by asking models; results, a trace, a summary.

pub(super) mod judging;
mod progress;

use super::{CommandResult, output, program, summary};
use crate::judge::schedule::{self, Ended, Host, Judges};
use crate::run::driver::{Done, Driver, Programs, Shard, write_results, write_trace};
use crate::run::engine::Engine;
use crate::run::judgment::file::JudgmentsFile;
use crate::run::record::{DataFormat, Records};
use crate::run::result::Status;
use crate::run::summary::Summary;
use crate::run::trace;
use judging::{Asking, Limits, Opener};
use miette::miette;
use progress::Progress;
use std::io::{self, Write};
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
    /// The records: JSON lines or a CSV table; `-` for standard input
    #[arg(long)]
    data: PathBuf,
    /// How the records are written; without it the name and the content tell
    #[arg(long, value_enum)]
    data_format: Option<Format>,
    /// More recorded judgments, one JSON line each
    #[arg(long)]
    judgments: Option<PathBuf>,
    /// Where the results go, one JSON line each; `-` for standard output
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Where the trace goes, from which `rubric replay` computes everything again
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Only a part of the records, such as 2/4: the second of four parts, which `rubric merge` puts together again
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// No summary
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    limits: Limits,
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
}

const EXAMPLES: &str = "\
Examples:
  rubric run essay.rubric --data essays.jsonl --judgments teachers.jsonl -o results.jsonl
  rubric run essay.rubric --data essays.csv -o - --trace trace.jsonl
  rubric run programs/ --data records.jsonl            each record names its program in `rubric`
  rubric run reply.rubric --data replies.jsonl --max-cost 5 -o results.jsonl
  rubric run essay.rubric --data essays.jsonl --recorded        asks nobody

A record:
  {\"id\": \"r1\", \"essay\": \"…\", \"judgments\": {\"clear\": 4, \"off_topic\": false}}
A line of the judgments:
  {\"id\": \"r1\", \"criterion\": \"clear\", \"value\": 4, \"by\": \"ann\"}";

pub(crate) fn run(args: &Args) -> CommandResult {
    check_paths(args)?;
    let programs = open_programs(&args.file)?;
    let records = open_data(&args.data, args.data_format)?;
    let judgments = open_judgments(args.judgments.as_deref())?;
    let bad_lines = told_faults(args, judgments.as_ref());
    let driver = Driver::new(programs, records, judgments).only(args.shard);
    let results = args.output.as_deref().map(|path| output::stream(Some(path))).transpose()?;
    let trace = match &args.trace {
        Some(path) => Some(trace::Writer::new(output::stream(Some(path))?).map_err(|error| trace_failed(args, error))?),
        None => None,
    };
    let opener = Opener::new(&args.asking, Some(&args.limits), &args.file, &args.data);
    let mut running = Running {
        args,
        opener,
        results,
        trace,
        progress: Progress::new(),
        summary: Summary::default(),
        buffer: Vec::new(),
    };
    let asks = !running.opener.is_recorded() && driver.programs().all().any(|engine| schedule::asks(engine));
    let (ended, driver) = if asks { asking(driver, &mut running)? } else { recorded(driver, &mut running)? };
    running.end(&ended, driver.as_ref(), bad_lines)
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
fn asking(driver: Driver, running: &mut Running<'_>) -> miette::Result<(Ended, Option<Driver>)> {
    running.progress.count(&running.args.data, running.args.shard.map_or(1, Shard::of));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| miette!("no calls can be made: {error}"))?;
    runtime.block_on(schedule::run(driver, running))
}

/// A run under way: where everything goes.
struct Running<'a> {
    args: &'a Args,
    opener: Opener<'a>,
    results: Option<Box<dyn Write>>,
    trace: Option<trace::Writer<Box<dyn Write>>>,
    progress: Progress,
    summary: Summary,
    buffer: Vec<u8>,
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
        if let Some(out) = &mut self.results {
            write_results(out.as_mut(), done, self.args.shard.is_some(), &mut self.buffer)
                .map_err(|error| output::failed(self.args.output.as_deref(), error))?;
        }
        if let Some(writer) = &mut self.trace {
            write_trace(writer, done).map_err(|error| trace_failed(self.args, error))?;
        }
        self.summary.add(done);
        Ok(())
    }

    /// Writes the end, and says what the run came to.
    fn end(mut self, ended: &Ended, driver: Option<&Driver>, bad_lines: bool) -> CommandResult {
        self.progress.end();
        let whole = matches!(ended, Ended::Whole);
        if let (true, Some(writer)) = (whole, &mut self.trace) {
            writer.end().map_err(|error| trace_failed(self.args, error))?;
        }
        if !self.args.quiet {
            let text = summary::text(&self.summary) + &self.opener.text();
            if uses_stdout(self.args) { output::note(text.trim_end()) } else { output::print(&text)? }
        }
        self.opener.tell_nobody(self.summary.missing.get("not_recorded").copied().unwrap_or(0));
        if let Some(file) = driver.and_then(Driver::judgments)
            && let (n @ 1.., Some(line)) = file.unused()
            && whole
            && self.args.shard.is_none()
        {
            let s = if n == 1 { "id in the judgments is" } else { "ids in the judgments are" };
            output::note(&format!("warning: {n} {s} of no record that was read (the first in line {line})"));
        }
        match ended {
            Ended::Whole => Ok(exit_code(&self.summary, bad_lines)),
            Ended::Stopped => {
                let kept = match self.opener.opened().and_then(|judging| judging.store.as_ref()) {
                    Some(store) => format!("what was answered is kept in `{}`", store.path().display()),
                    None => "no answers were kept".to_owned(),
                };
                let n = self.summary.records;
                let records = if n == 1 { "1 record is".to_owned() } else { format!("{n} records are") };
                output::note(&format!("stopped: {records} done; {kept}; run the same command again to go on"));
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

fn trace_failed(args: &Args, error: io::Error) -> miette::Report {
    output::failed(args.trace.as_deref(), error)
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

pub(super) const DATA_HELP: &str =
    "records are JSON lines such as {\"id\": \"r1\", FIELD: \"…\", \"judgments\": {CRITERION: 4}}, or a CSV table";

fn exit_code(summary: &Summary, bad_lines: bool) -> ExitCode {
    if summary.count(Status::Failed) > 0 || bad_lines {
        ExitCode::from(super::FAILED)
    } else if summary.count(Status::BudgetEnded) > 0 {
        ExitCode::from(super::BUDGET_ENDED)
    } else if summary.count(Status::JudgeFailed) > 0 {
        ExitCode::from(super::JUDGE_FAILED)
    } else if summary.count(Status::Open) > 0 {
        ExitCode::from(super::OPEN)
    } else {
        ExitCode::SUCCESS
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

fn uses_stdout(args: &Args) -> bool {
    [&args.output, &args.trace]
        .into_iter()
        .any(|path| path.as_deref().is_some_and(|path| output::is_stdout(Some(path))))
}

/// Refuses to write over what is read, and two outputs in one place.
fn check_paths(args: &Args) -> miette::Result<()> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let stdin = |path: &Path| path == Path::new("-");
    if stdin(&args.file) && stdin(&args.data) {
        return Err(miette!("the program and the records cannot both come from standard input"));
    }
    let outputs: Vec<&PathBuf> = [&args.output, &args.trace].into_iter().flatten().collect();
    for out in &outputs {
        let read = [Some(&args.file), Some(&args.data), args.judgments.as_ref()];
        if !stdin(out) && read.into_iter().flatten().any(|path| !stdin(path) && place(path) == place(out)) {
            return Err(miette!(
                help = "write to another file",
                "`{}` is read by this run; writing to it would destroy it",
                out.display()
            ));
        }
    }
    if let [a, b] = outputs.as_slice()
        && place(a) == place(b)
    {
        return Err(miette!("results and trace cannot both go to `{}`", a.display()));
    }
    Ok(())
}
