//! `rubric run`: judges records with recorded judgments and rules; results, a trace, a summary.

use super::{CommandResult, output, program, summary};
use crate::run::driver::{Driver, Programs, Shard, write_results, write_trace};
use crate::run::engine::Engine;
use crate::run::judgment::file::JudgmentsFile;
use crate::run::record::{DataFormat, Records};
use crate::run::result::Status;
use crate::run::summary::Summary;
use crate::run::trace;
use miette::miette;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Judge records: every readout of every candidate, from recorded judgments and rules
///
/// Prints a summary; `-o` writes one JSON line per result. Exit code: 0 every record is decided or abstains, 1 the program
/// has faults, 2 something could not be read or written, 3 some records are open because judgments are missing, 4 some
/// records failed.
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
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    let shard = parts.and_then(|(number, of)| Shard::new(number, of));
    shard.ok_or_else(|| "write it as 1/4, the first of four parts; the first number is from 1 to the second".to_owned())
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Jsonl,
    Csv,
    Tsv,
}

const EXAMPLES: &str = "\
Examples:
  rubric run essay.rubric --data essays.jsonl --judgments teachers.jsonl -o results.jsonl
  rubric run essay.rubric --data essays.csv -o - --trace trace.jsonl
  rubric run programs/ --data records.jsonl            each record names its program in `rubric`

A record:
  {\"id\": \"r1\", \"essay\": \"…\", \"judgments\": {\"clear\": 4, \"off_topic\": false}}
A line of the judgments:
  {\"id\": \"r1\", \"criterion\": \"clear\", \"value\": 4, \"by\": \"ann\"}";

pub(crate) fn run(args: &Args) -> CommandResult {
    check_paths(args)?;
    let programs = if args.file.is_dir() {
        let several = program::require_folder(&args.file)?.into_iter();
        Programs::Several(several.map(|(name, ready)| (name, Arc::new(Engine::new(ready.program)))).collect())
    } else {
        Programs::One(Arc::new(Engine::new(program::require(&args.file)?.program)))
    };
    let format = args.data_format.map(|format| match format {
        Format::Jsonl => DataFormat::Jsonl,
        Format::Csv => DataFormat::Csv,
        Format::Tsv => DataFormat::Tsv,
    });
    let records = Records::open(&args.data, format)
        .map_err(|fault| miette!(help = DATA_HELP, "the records `{}` cannot be read: {fault}", args.data.display()))?;
    let judgments = args.judgments.as_ref().map(|path| {
        JudgmentsFile::open(path).map_err(|fault| miette!("the judgments `{}` cannot be read: {fault}", path.display()))
    });
    let judgments = judgments.transpose()?;
    let bad_lines = told_faults(args, judgments.as_ref());
    let mut driver = Driver::new(programs, records, judgments).only(args.shard);
    let mut results = args.output.as_deref().map(|path| output::stream(Some(path))).transpose()?;
    let trace_to = |error| output::failed(args.trace.as_deref(), error);
    let mut trace = match &args.trace {
        Some(path) => Some(trace::Writer::new(output::stream(Some(path))?).map_err(trace_to)?),
        None => None,
    };
    let mut progress = Progress::new();
    let mut summary = Summary::default();
    let mut buffer = Vec::new();
    let broken = loop {
        let done = match driver.next_record() {
            Ok(Some(done)) => done,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        if let Some(out) = &mut results {
            write_results(out.as_mut(), &done, &mut buffer)
                .map_err(|error| output::failed(args.output.as_deref(), error))?;
        }
        if let Some(writer) = &mut trace {
            write_trace(writer, &done).map_err(trace_to)?;
        }
        summary.add(&done);
        progress.step();
    };
    progress.end();
    if broken.is_none()
        && let Some(writer) = &mut trace
    {
        writer.end().map_err(trace_to)?;
    }
    if !args.quiet {
        let text = summary::text(&summary);
        if uses_stdout(args) { output::note(text.trim_end()) } else { output::print(&text)? }
    }
    if let Some(file) = driver.judgments()
        && let (n @ 1.., Some(line)) = file.unused()
        && broken.is_none()
        && args.shard.is_none()
    {
        let s = if n == 1 { "id in the judgments is" } else { "ids in the judgments are" };
        output::note(&format!("warning: {n} {s} of no record that was read (the first in line {line})"));
    }
    if let Some(error) = broken {
        return Err(miette!(
            help = "what was done up to there is written; mend the file and run again",
            "the records `{}` cannot be read any further: {error}",
            args.data.display()
        ));
    }
    Ok(exit_code(&summary, bad_lines))
}

const DATA_HELP: &str =
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

/// Progress on a terminal's standard error, once a run takes longer than a second.
struct Progress {
    began: Instant,
    bar: Option<indicatif::ProgressBar>,
    done: u64,
}

impl Progress {
    fn new() -> Progress {
        Progress { began: Instant::now(), bar: None, done: 0 }
    }

    fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        } else if self.done.is_multiple_of(64)
            && self.began.elapsed() > Duration::from_secs(1)
            && io::stderr().is_terminal()
        {
            let bar = indicatif::ProgressBar::new_spinner();
            let style = indicatif::ProgressStyle::with_template("{spinner} {human_pos} records, {per_sec}, {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
            self.bar = Some(bar);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
