//! Where results and traces of a run go, and what must not be written over.
//!
//! Results of several runs stand in one file, each line with its run. A trace is of one run: of several, each has a file of its
//! own, whose name has the run's number before its ending.

use super::super::output::{self, ResultsOut};
use super::Args;
use crate::run::columns;
use crate::run::driver::{Done, Mark, RunOf, write_results, write_trace};
use crate::run::trace;
use miette::miette;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a command writes beside its summary.
pub(super) struct Outputs {
    results: Option<ResultsOut>,
    trace: Option<trace::Writer<Box<dyn Write>>>,
    mark: Mark,
    /// The trace that is being written.
    trace_path: Option<PathBuf>,
    buffer: Vec<u8>,
}

impl Outputs {
    pub(super) fn open(args: &Args) -> miette::Result<Outputs> {
        Ok(Outputs {
            results: args.output.as_deref().map(|path| output::results(Some(path))).transpose()?,
            trace: None,
            mark: Mark { placed: args.shard.is_some(), run: None },
            trace_path: None,
            buffer: Vec::new(),
        })
    }

    /// Begins a run.
    pub(super) fn begin(&mut self, args: &Args, run: Option<RunOf>) -> miette::Result<()> {
        self.mark.run = run.map(|run| run.number);
        let Some(path) = &args.trace else { return Ok(()) };
        let path = run.map_or_else(|| path.clone(), |run| numbered(path, run.number));
        let stream = output::stream(Some(&path))?;
        let writer = trace::Writer::new(stream).map_err(|error| output::failed(Some(&path), error))?;
        (self.trace, self.trace_path) = (Some(writer), Some(path));
        Ok(())
    }

    pub(super) fn write(&mut self, args: &Args, done: &Done) -> miette::Result<()> {
        if let Some(out) = &mut self.results {
            write_results(out, done, self.mark, &mut self.buffer)
                .map_err(|error| output::failed(args.output.as_deref(), error))?;
        }
        if let Some(writer) = &mut self.trace {
            write_trace(writer, done).map_err(|error| output::failed(self.trace_path.as_deref(), error))?;
        }
        Ok(())
    }

    /// Ends a run. `whole`: all records were run, which is what the end of a trace says.
    pub(super) fn end_run(&mut self, whole: bool) -> miette::Result<()> {
        if let (true, Some(writer)) = (whole, &mut self.trace) {
            writer.end().map_err(|error| output::failed(self.trace_path.as_deref(), error))?;
        }
        self.trace = None;
        Ok(())
    }

    /// Ends the results.
    pub(super) fn finish(&mut self, args: &Args) -> miette::Result<()> {
        let finished = self.results.take().map_or(Ok(()), ResultsOut::finish);
        finished.map_err(|error: io::Error| output::failed(args.output.as_deref(), error))
    }
}

/// The name of a run's trace: `trace.2.jsonl` of `trace.jsonl`.
fn numbered(path: &Path, run: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}.{run}{ending}"))
}

pub(super) fn uses_stdout(args: &Args) -> bool {
    [&args.output, &args.trace]
        .into_iter()
        .any(|path| path.as_deref().is_some_and(|path| output::is_stdout(Some(path))))
}

/// Refuses to write over what is read, and two outputs in one place.
pub(super) fn check_paths(args: &Args) -> miette::Result<()> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let stdin = |path: &Path| path == Path::new("-");
    if stdin(&args.file) && stdin(&args.data) {
        return Err(miette!("the program and the records cannot both come from standard input"));
    }
    if args.runs.is_some() && (stdin(&args.data) || stdin(&args.file)) {
        return Err(miette!(
            help = "save it to a file",
            "with `--runs` the program and the records are read again for each run, so neither can come from standard input"
        ));
    }
    let traces: Vec<PathBuf> = match (&args.trace, args.runs) {
        (None, _) => Vec::new(),
        (Some(trace), None) => vec![trace.clone()],
        (Some(trace), Some(_)) if stdin(trace) => {
            return Err(miette!("each of several runs has a trace of its own, so `--trace` must name a file"));
        }
        (Some(trace), Some(runs)) => (1..=u32::from(runs)).map(|run| numbered(trace, run)).collect(),
    };
    if let Some(trace) = args.trace.as_deref().filter(|trace| columns::is_named(trace)) {
        return Err(miette!(
            help = "name it `.jsonl`",
            "a trace is lines, each of which vouches for those before it; `{}` is named as Parquet",
            trace.display()
        ));
    }
    for out in args.output.iter().chain(&traces) {
        let read = [Some(&args.file), Some(&args.data), args.judgments.as_ref()];
        if !stdin(out) && read.into_iter().flatten().any(|path| !stdin(path) && place(path) == place(out)) {
            return Err(miette!(
                help = "write to another file",
                "`{}` is read by this run; writing to it would destroy it",
                out.display()
            ));
        }
    }
    if let Some(results) = &args.output
        && traces.iter().any(|trace| place(trace) == place(results))
    {
        return Err(miette!("results and trace cannot both go to `{}`", results.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_of_several_runs_has_the_number_before_its_ending() {
        assert_eq!(numbered(Path::new("out/trace.jsonl"), 2), Path::new("out/trace.2.jsonl"));
        assert_eq!(numbered(Path::new("trace"), 12), Path::new("trace.12"));
    }
}
