//! `rubric ablate`: a program beside a flat weighted mean of the same judgments, and beside one holistic judgment.

mod runner;
mod text;

use super::eval::{Bootstrap, Format, Reading};
use super::run::judging::{Asking, Limits};
use super::run::{open_data, open_judgments};
use super::{CommandResult, output, program};
use crate::diagnostics::render::clean::clean;
use crate::evaluate::ablation::{Ablation, Ablator, Fault, Holistic, Other, as_json, chosen, of_results};
use crate::evaluate::report::Options;
use crate::graph::{Program, Readout};
use crate::number::Number;
use crate::run::driver::{Done, Driver, Programs};
use crate::run::engine::Engine;
use miette::miette;
use runner::Runner;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Compare a program with a flat weighted mean of the same judgments, and with one holistic judgment
///
/// Every arm is measured against the labels on the same records. What is not recorded is asked, as in `rubric run`; what is
/// kept of a run before costs nothing. The differences have paired bootstrap intervals: where one holds 0, the labels do
/// not tell the two apart. Exit code: 0 it is measured, 1 the program has faults, 2 something could not be read, or there is
/// nothing to compare, 130 stopped by Ctrl-C.
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
    /// The holistic judgment: a program that asks for it (FILE.rubric), results of one, or the name of a criterion, or one
    /// under which it is recorded beside the program
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
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    limits: Limits,
}

const EXAMPLES: &str = "\
Examples:
  rubric ablate essay.rubric --data essays.jsonl --labels teachers.csv
  rubric ablate essay.rubric --data essays.jsonl --labels grade --direct overall
  rubric ablate essay.rubric --data essays.jsonl --labels grade --direct holistic.rubric --max-cost 2
  rubric ablate essay.rubric --data essays.jsonl --labels grade --direct holistic-results.jsonl --format markdown";

fn weight(text: &str) -> Result<(String, Number), String> {
    let parts = text
        .rsplit_once('=')
        .and_then(|(name, weight)| Some((name.trim().to_owned(), Number::from_exact(weight.trim()).ok()?)));
    parts.ok_or_else(|| "write it as CRITERION=WEIGHT, such as harmful=-2 or clear=1/2".to_owned())
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let engine = Arc::new(Engine::new(program::require(&args.file)?.program));
    let mut options = args.reading.options(&args.labels, args.readout.clone(), args.bootstrap.plan());
    options.count_ties = args.count_ties;
    let mut runner = Runner::new(args);
    let found = match args.measured(&engine, &options, &mut runner)? {
        Some(found) => found,
        None => return runner.stopped(),
    };
    let text = match args.format.style() {
        None => {
            // The JSON object counts them.
            if let Some(fault) = &found.first_fault {
                output::note(&clean(&format!("{} records failed; the first: {fault}", found.failed)));
            }
            format!("{:#}\n", as_json(&found, &options, &args.labels))
        }
        Some(style) => text::shown(&found, args, style),
    };
    output::print(&text)?;
    runner.end();
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Runs the program over the records, and the holistic one before it; `None`: somebody stopped it.
    fn measured(
        &self,
        engine: &Arc<Engine>,
        options: &Options,
        runner: &mut Runner<'_>,
    ) -> miette::Result<Option<Ablation>> {
        let (mut aside, mut beside) = (None, None);
        let holistic = match self.direct.as_deref() {
            None => Holistic::None,
            Some(direct) => match direct_of(direct) {
                Direct::Named => match engine.layout.find_leaf(direct) {
                    Some(leaf) => Holistic::Criterion(leaf),
                    None => {
                        aside = Some(direct.to_owned());
                        Holistic::Aside
                    }
                },
                Direct::Results(path) => {
                    let readout = measured_readout(&engine.program, options)?;
                    Holistic::Results(of_results(path, readout.key()).map_err(|fault| super::eval::unreadable(&fault))?)
                }
                Direct::Program(path) => {
                    if self.data.as_os_str() == "-" {
                        return Err(miette!(
                            "the records are read twice, once for each program; save them to a file, and name it in `--data`"
                        ));
                    }
                    let wanted = measured_readout(&engine.program, options)?;
                    let other = Arc::new(Engine::new(program::require(path)?.program));
                    let mut says = Other::new(&other.program, wanted).map_err(|fault| nothing(&fault))?;
                    if let Some(own) = says.readout(&other.program).filter(|own| own.ty != wanted.ty) {
                        output::note(&format!(
                            "warning: `{}` yields {}, and `{}` of the holistic program {}: errors compare them as they are",
                            wanted.key(),
                            wanted.ty,
                            own.key(),
                            own.ty
                        ));
                    }
                    let driver = self.driver(&other)?.beside(Arc::clone(engine));
                    let mut add = |done: &Done| {
                        says.add(done);
                        Ok(())
                    };
                    if runner.run(driver, &mut add)?.is_none() {
                        return Ok(None);
                    }
                    beside = Some(other);
                    says.finish()
                }
            },
        };
        // Before anybody is asked: labels that cannot be read, or a readout that is not measured.
        let mut ablator = Ablator::new(&engine.program, holistic, &self.weight, options.clone()).map_err(failed)?;
        let mut driver = self.driver(engine)?.setting_aside(aside);
        if let Some(other) = beside {
            driver = driver.beside(other);
        }
        let Some(driver) = runner.run(driver, &mut |done| ablator.add(done).map_err(failed))? else { return Ok(None) };
        if let Some((line, fault)) = driver.judgments().and_then(|file| file.faults.first()) {
            return Err(nothing(&format!("the judgments, line {line}: {fault}")));
        }
        ablator.finish().map(Some).map_err(failed)
    }

    fn driver(&self, engine: &Arc<Engine>) -> miette::Result<Driver> {
        let records = open_data(&self.data, None)?;
        let judgments = open_judgments(self.judgments.as_deref())?;
        Ok(Driver::new(Programs::One(Arc::clone(engine)), records, judgments))
    }
}

/// What is meant by `--direct`.
enum Direct<'a> {
    Named,
    Results(&'a Path),
    Program(&'a Path),
}

fn direct_of(text: &str) -> Direct<'_> {
    let path = Path::new(text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rubric" | "json") => Direct::Program(path),
        _ if path.is_file() => Direct::Results(path),
        _ => Direct::Named,
    }
}

fn measured_readout<'p>(program: &'p Program, options: &Options) -> miette::Result<&'p Readout> {
    let found = chosen(program, options.readout.as_deref());
    found.map_err(|fault| nothing(&fault))
}

fn nothing(what: &str) -> miette::Report {
    miette!("there is no ablation: {what}")
}

fn failed(fault: Fault) -> miette::Report {
    match fault {
        Fault::Input(fault) => super::eval::unreadable(&fault),
        Fault::Other(what) => nothing(&what),
    }
}
