//! `rubric expand`: a rubric for each question, written by a model step by step.
//!
//! Questions are worked on many at a time and told in their order. Each has two files, which are written once it is done: the
//! program, and all stages as JSON. One that fails has its reason in `results.jsonl`, and the others go on.

mod forecast;

use super::author::{Told, Writing, cannot};
use super::forecast::Forecast;
use super::run::judging::{amount, spent};
use super::{BUDGET_ENDED, CommandResult, FAILED, JUDGE_FAILED, STOPPED, output};
use crate::author::{Author, Embedder, Unsaid, watched};
use crate::expand::{self, Expansion, Fault, Question, Settings, Why, input, program, stages};
use crate::import::names::Names;
use crate::judge::wire::{Failure, FailureKind};
use crate::number::Number;
use crate::source::files::{read_all, read_text};
use forecast::{Shape, left};
use miette::miette;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::JoinSet;

/// Write a rubric for each question: scenarios, perspectives and criteria, found by a model and reviewed (Qworld)
///
/// `DIR` gets for each question `NAME.rubric` and `NAME.json` (all stages), and `results.jsonl` with a line for each. Answers are
/// kept in the store: a run that was stopped, or that failed in part, goes on when it is run again. Exit code: 0 every
/// question has its rubric, 2 something could not be read or written, 4 some questions cannot be used, 5 because the model gave no
/// usable reply, 6 because the budget ended, 130 stopped by Ctrl-C.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The questions: a JSON list or JSON lines; `-` for standard input
    questions: PathBuf,
    /// The folder that the rubrics are written to
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Rounds that look for more scenarios
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=20))]
    scenario_rounds: u32,
    /// Rounds that look for more perspectives
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=20))]
    perspective_rounds: u32,
    /// Rounds that look for more criteria
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=20))]
    criterion_rounds: u32,
    /// How alike two texts are that say the same, from 0 to 1
    #[arg(long, value_name = "S", default_value_t = 0.8, value_parser = share)]
    threshold: f64,
    /// How likeness is measured: `lexical`, by letters, or a model that embeds, by its alias in rubric.toml
    #[arg(long, value_name = "lexical|ALIAS", default_value = LEXICAL)]
    similarity: String,
    /// Everything in one call for each question
    #[arg(long)]
    single: bool,
    /// Tell only what goes wrong
    #[arg(long)]
    quiet: bool,
    /// The longest reply, in tokens
    #[arg(long, value_name = "N", default_value_t = 16_384, help_heading = "The model", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_tokens: u32,
    /// The temperature of the model [default: its own]
    #[arg(long, value_name = "T", value_parser = amount, help_heading = "The model")]
    temperature: Option<Number>,
    #[command(flatten)]
    writing: Writing,
}

const EXAMPLES: &str = "\
Examples:
  rubric expand questions.jsonl -o rubrics/ --max-cost 2
  rubric expand questions.jsonl -o rubrics/ --single
  rubric expand questions.jsonl --plan
  rubric expand questions.jsonl -o rubrics/ --similarity vectors     [models.vectors] of rubric.toml embeds
  rubric expand questions.json -o rubrics/ --scenario-rounds 1 --perspective-rounds 1 --criterion-rounds 0

A question:
  {\"id\": \"fever\", \"question\": \"…\", \"web_content\": \"…\", \"image\": \"chart.png\"}     the last two may be left out";

/// The word for the similarity that needs no model.
const LEXICAL: &str = "lexical";

/// The most questions that are worked on at once.
const AT_ONCE: usize = 64;

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    number.ok_or_else(|| "write a number from 0 to 1, such as 0.8".to_owned())
}

/// Says what it would ask: `rubric plan expand`, and `--plan`.
pub(crate) fn plan(args: &Args) -> CommandResult {
    let mut args = args.clone();
    args.writing.plan = true;
    run(&args)
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if args.output.is_none() && !args.writing.plan {
        let help = "`--output DIR` names it; `--plan` asks nobody and writes nothing";
        return Err(miette!(help = help, "it is not said where the rubrics go"));
    }
    let questions = read(args)?;
    let settings = Settings {
        scenario_rounds: args.scenario_rounds,
        perspective_rounds: args.perspective_rounds,
        criterion_rounds: args.criterion_rounds,
        threshold: args.threshold,
        similarity: Some(args.similarity.as_str()).filter(|word| *word != LEXICAL).map(Arc::from),
        max_tokens: args.max_tokens,
        temperature: args.temperature.clone(),
        single: args.single,
    };
    let author = open(args, &settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| miette!("no calls can be made: {error}"))?;
    let Some(folder) = args.output.as_deref().filter(|_| !args.writing.plan) else {
        let text = runtime.block_on(planned(&author, &questions, &settings))?;
        output::print(&text)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| output::failed(Some(folder), error))?;
    let mut run = Run {
        args,
        folder,
        settings: Arc::new(settings),
        names: names(&questions),
        lines: BTreeMap::new(),
        tally: Tally::default(),
        of: questions.len(),
    };
    let work = run.work(&author, questions);
    let ended = runtime.block_on(watched(&author, work, &mut Told));
    let whole = ended.transpose()?.is_some() && !author.judging().is_stopped();
    run.end(&author, whole)
}

fn read(args: &Args) -> miette::Result<Vec<Result<Question, input::Bad>>> {
    let path = args.questions.as_path();
    let (text, folder) = if path == Path::new("-") {
        (read_all(std::io::stdin().lock(), "standard input")?, Path::new("."))
    } else {
        (read_text(path, &path.to_string_lossy())?, path.parent().unwrap_or(Path::new(".")))
    };
    input::read(&text, folder).map_err(|why| {
        let help = "questions are a JSON list or JSON lines such as {\"id\": \"q1\", \"question\": \"…\"}";
        miette!(help = help, "the questions `{}` cannot be read: {why}", path.display())
    })
}

/// The model, with its store and its budget, once it is certain that the settings suit it.
fn open(args: &Args, settings: &Settings) -> miette::Result<Author> {
    let author = args.writing.open(&args.questions)?;
    if args.temperature.is_some() && !author.alias().capabilities.temperature {
        return Err(miette!("the model `{}` takes no temperature; leave `--temperature` out", args.writing.model));
    }
    if let Some(alias) = &settings.similarity {
        Embedder::open(&author, alias).map_err(|why| {
            let help = "`--similarity lexical` compares texts without a model";
            miette!(help = help, "`--similarity {alias}` cannot be used: {why}")
        })?;
    }
    Ok(author)
}

/// The names of the files of each question: their ids as far as they can be names.
fn names(questions: &[Result<Question, input::Bad>]) -> Vec<String> {
    let mut names = Names::new();
    // The file of results has its name already, and some file systems do not tell cases apart.
    names.take("results");
    let id = |question: &Result<Question, input::Bad>| match question {
        Ok(question) => question.id.to_lowercase(),
        Err(bad) => bad.id.to_lowercase(),
    };
    questions.iter().map(|question| names.take(&id(question))).collect()
}

/// What would be asked, found out from what is stored.
async fn planned(
    author: &Author,
    questions: &[Result<Question, input::Bad>],
    settings: &Settings,
) -> miette::Result<String> {
    let failed = |failure: Failure| cannot(author, &failure);
    let shapes = [Shape::least(), Shape::usual(settings), Shape::most(settings)];
    let mut steps = Vec::new();
    for shape in shapes {
        steps.push(forecast::steps(author, settings, shape).map_err(failed)?);
    }
    let mut text = String::new();
    let (mut model, mut vectors) = (Forecast::default(), Forecast::default());
    for (question, task) in questions.iter().zip(0..) {
        let question = match question {
            Ok(question) => question,
            Err(bad) => {
                text += &format!("{}: cannot be used: {}\n", bad.id, bad.reason);
                continue;
            }
        };
        let before = author.judging().counts.found.load(Ordering::Relaxed);
        let (_, fault) = expand::expand(author, question, settings, task).await;
        let stored = author.judging().counts.found.load(Ordering::Relaxed) - before;
        let next = match fault {
            None => {
                text += &format!("{}: all {stored} calls are stored\n", question.id);
                continue;
            }
            Some(Fault { why: Why::Unsaid(Unsaid::Store(error)), .. }) => return Err(error.into()),
            // That is what a plan is told of a call that it must not make.
            Some(Fault { why: Why::Unsaid(Unsaid::Failed(failure)), step }) if failure.kind == FailureKind::Budget => {
                step
            }
            Some(fault) => {
                text += &format!("{}: {stored} calls are stored; it cannot go on: {fault}\n", question.id);
                continue;
            }
        };
        let own = forecast::own(author, settings, question).map_err(failed)?;
        let [least, about, most] = [0, 1, 2].map(|at| steps.get(at).map(|s| left(s, stored, own)).unwrap_or_default());
        let chat = Forecast::new(least.model, about.model, most.model);
        let embedded = Forecast::new(least.vectors, about.vectors, most.vectors);
        let mut all = chat;
        all.add(&embedded);
        text += &format!("{}: {stored} calls are stored, {} to make, the next for {next}\n", question.id, all.calls());
        model.add(&chat);
        vectors.add(&embedded);
    }
    let mut all = model;
    all.add(&vectors);
    let one = (all.least.calls, all.most.calls) == (1, 1);
    let calls = if one { "1 call".to_owned() } else { format!("{} calls", all.calls()) };
    text += &format!("\n{calls} in all, and more where a reply has to be asked for again.\n");
    if all.most.calls > 0 {
        text += &model.table(author.alias());
        if let Some(alias) = &settings.similarity {
            let embedder = Embedder::open(author, alias).map_err(|why| miette!("{why}"))?;
            text += &vectors.table(embedder.alias());
        }
    }
    if !settings.single && all.most.calls > 0 {
        let more = if settings.similarity.is_some() { ", and those for vectors" } else { "" };
        text += &format!(
            "A question takes 1 + |S₀| + 1 + {} + |S₊| + 1 + {} + |P| + 1 + {} + facts + polarity + weights calls{more}; how many scenarios (S) and \
             perspectives (P) there are is not known before. \"About\" is for 13 scenarios, 26 perspectives and 60 criteria; \"at most\" for \
             as many and as long ones as replies may hold.\n",
            settings.scenario_rounds, settings.perspective_rounds, settings.criterion_rounds
        );
    }
    Ok(text)
}

/// What became of the questions.
#[derive(Debug, Default)]
struct Tally {
    expanded: usize,
    failed: usize,
    unsaid: usize,
    budget: usize,
}

struct Run<'a> {
    args: &'a Args,
    folder: &'a Path,
    settings: Arc<Settings>,
    names: Vec<String>,
    /// The lines of the results, by the places of the questions.
    lines: BTreeMap<usize, Json>,
    tally: Tally,
    of: usize,
}

impl Run<'_> {
    /// Works on all questions, the first ones first.
    async fn work(&mut self, author: &Author, questions: Vec<Result<Question, input::Bad>>) -> miette::Result<()> {
        let mut waiting: VecDeque<(usize, Result<Question, input::Bad>)> = questions.into_iter().enumerate().collect();
        let mut out: JoinSet<(usize, Question, Expansion, Option<Fault>)> = JoinSet::new();
        loop {
            while out.len() < AT_ONCE
                && !author.judging().is_stopped()
                && let Some((at, question)) = waiting.pop_front()
            {
                match question {
                    Err(bad) => self.bad(at, &bad)?,
                    Ok(question) => {
                        let (author, settings) = (author.clone(), Arc::clone(&self.settings));
                        let task = at as u64;
                        let turn = author.turn(task);
                        out.spawn(async move {
                            let (expansion, fault) = expand::expand(&author, &question, &settings, task).await;
                            drop(turn);
                            (at, question, expansion, fault)
                        });
                    }
                }
            }
            match out.join_next().await {
                None => return Ok(()),
                Some(Ok((at, question, expansion, fault))) => self.done(at, &question, &expansion, fault)?,
                Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Some(Err(_)) => {}
            }
        }
    }

    /// Gives the rubric of an earlier run another name, because it is none of this one: nobody is to take it for that.
    fn set_aside(&self, name: &str) -> miette::Result<()> {
        let old = self.folder.join(format!("{name}.rubric"));
        if old.is_file() {
            let aside = self.folder.join(format!("{name}.rubric.old"));
            std::fs::rename(&old, &aside).map_err(|error| output::failed(Some(&old), error))?;
            output::note(&format!("the rubric of an earlier run is now `{}`", aside.display()));
        }
        Ok(())
    }

    fn bad(&mut self, at: usize, bad: &input::Bad) -> miette::Result<()> {
        let name = self.names.get(at).cloned().unwrap_or_default();
        self.set_aside(&name)?;
        self.tally.failed += 1;
        output::note(&format!("{}: failed: {}", bad.id, bad.reason));
        self.lines.insert(at, json!({"id": bad.id, "status": "failed", "reason": bad.reason}));
        Ok(())
    }

    /// Writes what became of a question.
    fn done(
        &mut self,
        at: usize,
        question: &Question,
        expansion: &Expansion,
        fault: Option<Fault>,
    ) -> miette::Result<()> {
        let name = self.names.get(at).cloned().unwrap_or_default();
        let made = match &fault {
            None => program::program(question, expansion),
            Some(_) => Ok(String::new()),
        };
        let fault = fault.or_else(|| {
            let why = made.as_ref().err()?.clone();
            Some(Fault { step: "program".to_owned(), why: Why::Unusable(why) })
        });
        if let Some(Fault { why: Why::Unsaid(unsaid), .. }) = &fault {
            match unsaid {
                // It is gone on with when the command runs again.
                Unsaid::Stopped => return Ok(()),
                Unsaid::Store(error) => return Err(error.clone().into()),
                _ => {}
            }
        }
        let file = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        if fault.is_some() {
            self.set_aside(&name)?;
        }
        let written = stages::json(question, &self.settings, expansion, fault.as_ref());
        output::write(Some(&file("json")), &format!("{written:#}\n"))?;
        let stages = format!("{name}.json");
        let line = match (&fault, made) {
            (None, Ok(text)) => {
                output::write(Some(&file("rubric")), &text)?;
                self.tally.expanded += 1;
                self.tell(question, expansion);
                json!({"id": question.id, "status": "expanded", "program": format!("{name}.rubric"), "stages": stages,
                       "criteria": expansion.criteria.len()})
            }
            (Some(fault), _) => {
                let status = self.count(fault);
                output::note(&format!("{}: {status}: {fault}", question.id));
                json!({"id": question.id, "status": status, "stages": stages, "reason": fault.to_string()})
            }
            (None, Err(_)) => return Ok(()),
        };
        self.lines.insert(at, line);
        Ok(())
    }

    fn count(&mut self, fault: &Fault) -> &'static str {
        let (count, word) = match &fault.why {
            Why::Unusable(_) => (&mut self.tally.failed, "failed"),
            Why::Unsaid(Unsaid::Failed(failure)) if failure.kind == FailureKind::Budget => {
                (&mut self.tally.budget, "budget_ended")
            }
            Why::Unsaid(_) => (&mut self.tally.unsaid, "judge_failed"),
        };
        *count += 1;
        word
    }

    fn tell(&self, question: &Question, expansion: &Expansion) {
        if self.args.quiet {
            return;
        }
        let (positive, negative) = Expansion::totals(&expansion.criteria);
        let mut text = format!(
            "{}: {}, {}, {} (+{positive}, -{negative})",
            question.id,
            count(expansion.scenarios.len(), "scenario", "scenarios"),
            count(expansion.perspectives.len(), "perspective", "perspectives"),
            count(expansion.criteria.len(), "criterion", "criteria")
        );
        if let Some((place, facts)) = expansion.facts.first() {
            text += &format!(
                "; warning: {} of them hold figures or dates, such as c{}: {}",
                expansion.facts.len(),
                place + 1,
                facts.join(", ")
            );
        }
        output::note(&format!("[{} of {}] {text}", self.lines.len() + 1, self.of));
    }

    /// Writes the results and says what it came to.
    fn end(self, author: &Author, whole: bool) -> CommandResult {
        let lines: String = self.lines.values().map(|line| format!("{line}\n")).collect();
        output::write(Some(&self.folder.join("results.jsonl")), &lines)?;
        if !self.args.quiet {
            let mut text = format!(
                "{} of {} questions have a rubric in `{}`",
                self.tally.expanded,
                self.of,
                self.folder.display()
            );
            let counts = [
                (self.tally.failed, "cannot be used"),
                (self.tally.unsaid, "got no usable reply"),
                (self.tally.budget, "lack budget"),
            ];
            for (n, what) in counts.iter().filter(|(n, _)| *n > 0) {
                text += &format!("; {n} {what}");
            }
            output::note(&format!("{text}\n{}", spent(author.judging()).trim_end()));
        }
        if !whole {
            output::note("stopped; run the same command again to go on");
            return Ok(ExitCode::from(STOPPED));
        }
        Ok(match self.tally {
            Tally { failed: 1.., .. } => ExitCode::from(FAILED),
            Tally { budget: 1.., .. } => ExitCode::from(BUDGET_ENDED),
            Tally { unsaid: 1.., .. } => ExitCode::from(JUDGE_FAILED),
            Tally { .. } => ExitCode::SUCCESS,
        })
    }
}

/// A number of things, in words.
fn count(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}
