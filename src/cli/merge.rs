//! `rubric merge`: results or traces of several runs over parts of the same records as one.

use super::output::ResultsOut;
use super::{CommandResult, FAULTS, output};
use crate::run::merge::{Kind, Merge};
use miette::miette;
use std::path::PathBuf;
use std::process::ExitCode;

/// Put results, or traces, of several runs into one file
///
/// For the parts of a run that was shared out by `--shard`, or for a run that was resumed. Records that several files have
/// are taken once. Exit code: 0 merged, 1 the files do not belong together (different programs, different results of one
/// record), 2 something could not be read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files of results, or traces
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where the merged lines go, results as Parquet where the name ends in .parquet; `-` for standard output
    #[arg(short, long)]
    output: PathBuf,
    /// The files may be of several programs, as of a run of a folder
    #[arg(long)]
    several_programs: bool,
}

const EXAMPLES: &str = "\
Examples:
  rubric run essay.rubric --data essays.jsonl --shard 1/2 -o a.jsonl
  rubric run essay.rubric --data essays.jsonl --shard 2/2 -o b.jsonl
  rubric merge a.jsonl b.jsonl -o results.jsonl";

pub(crate) fn run(args: &Args) -> CommandResult {
    let place = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if !output::is_stdout(Some(&args.output)) && args.files.iter().any(|file| place(file) == place(&args.output)) {
        return Err(miette!(
            help = "write to another file",
            "`{}` is read; writing to it would destroy it",
            args.output.display()
        ));
    }
    if let Some(missing) = args.files.iter().find(|file| !file.is_file()) {
        let what = if missing.is_dir() { "is a folder" } else { "is not there" };
        return Err(miette!(help = "name files of results or traces", "`{}` {what}", missing.display()));
    }
    let merge = match Merge::read(&args.files, args.several_programs) {
        Ok(merge) => merge,
        Err(fault) => {
            output::note(&format!("error: {fault}"));
            return Ok(ExitCode::from(FAULTS));
        }
    };
    let mut out = match merge.kind() {
        Kind::Results => output::results(Some(&args.output))?,
        Kind::Traces => ResultsOut::Lines(output::stream(Some(&args.output))?),
    };
    let merged = merge.write(&mut out).map_err(|fault| miette!("{fault}"))?;
    let merged = merged.and_then(|merged| out.finish().map(|()| merged));
    let merged = merged.map_err(|error| output::failed(Some(&args.output), error))?;
    let kind = match merged.kind {
        Kind::Results => "results",
        Kind::Traces => "traces",
    };
    let mut said = format!("{} records in {kind} of {} files", merged.records, args.files.len());
    if merged.same > 0 {
        said += &format!("; {} stood there twice, in the same words", merged.same);
    }
    if merged.better > 0 {
        said += &format!("; of {} the file that leaves less open was taken", merged.better);
    }
    output::note(&said);
    Ok(ExitCode::SUCCESS)
}
