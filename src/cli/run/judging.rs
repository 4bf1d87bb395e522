//! Who is asked in a run, what may be spent, where answers are kept: shared by `rubric run` and `rubric plan`.

use super::super::{output, store};
use crate::diagnostics::render::clean::clean;
use crate::judge::budget::{Budget, Ceilings};
use crate::judge::config::Config;
use crate::judge::schedule::{self, Judges, Judging};
use crate::judge::store::Store;
use crate::number::{Number, Rounding};
use crate::run::engine::Engine;
use miette::miette;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Options of commands that ask.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Judging by models")]
pub(crate) struct Asking {
    /// Use this rubric.toml instead of the one beside or above the program
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Where answers are kept [default: .rubric/store.sqlite in the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Keep no answers, and use none that are kept
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,
}

/// Ceilings of a run.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Judging by models")]
pub(crate) struct Limits {
    /// Ask nobody: use recorded judgments and rules only
    #[arg(long)]
    recorded: bool,
    /// Make at most so many calls; what is not asked is missing
    #[arg(long, value_name = "N", conflicts_with = "recorded")]
    max_calls: Option<u64>,
    /// Spend at most so much, at the prices in rubric.toml
    #[arg(long, value_name = "AMOUNT", value_parser = amount, conflicts_with = "recorded")]
    max_cost: Option<Number>,
}

pub(crate) fn amount(text: &str) -> Result<Number, String> {
    let number = Number::from_decimal(text).ok().filter(|number| !number.is_negative());
    number.ok_or_else(|| "write a number such as 2.50".to_owned())
}

/// Opens what is needed to ask, the first time that it is needed.
pub(crate) struct Opener<'a> {
    pub(crate) asking: &'a Asking,
    pub(crate) limits: Option<&'a Limits>,
    /// The program, or the folder of programs.
    pub(crate) program: &'a Path,
    /// Where images are that records name.
    images: PathBuf,
    /// From 0: the one of several runs that is made.
    pub(crate) run: u32,
    /// Ask as little as possible.
    pub(crate) lazy: bool,
    opened: Option<Arc<Judging>>,
    /// Why nobody is asked though somebody could be.
    pub(crate) nobody: Option<String>,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(asking: &'a Asking, limits: Option<&'a Limits>, program: &'a Path, data: &Path) -> Opener<'a> {
        let images = data.parent().unwrap_or(Path::new("")).to_owned();
        Opener { asking, limits, program, images, run: 0, lazy: false, opened: None, nobody: None }
    }

    /// Whether nobody is to be asked.
    pub(crate) fn is_recorded(&self) -> bool {
        self.limits.is_some_and(|limits| limits.recorded)
    }

    pub(crate) fn opened(&self) -> Option<&Arc<Judging>> {
        self.opened.as_ref()
    }

    /// What asks for this program; `None`: nobody is asked, and `nobody` says why.
    ///
    /// # Errors
    /// Configuration that cannot be read, a store that cannot be used, a program that these models cannot be asked.
    pub(crate) fn open(&mut self, engine: &Engine) -> miette::Result<Option<Judges>> {
        if self.is_recorded() || self.nobody.is_some() {
            return Ok(None);
        }
        let judging = match &self.opened {
            Some(judging) => Arc::clone(judging),
            None => match self.open_first(engine)? {
                Some(judging) => Arc::clone(self.opened.insert(judging)),
                None => return Ok(None),
            },
        };
        let judges = judging.judges(engine).map_err(|faults| {
            let list = faults.iter().map(|fault| format!("\n- {fault}")).collect::<String>();
            miette!(
                help = "nothing was asked; `--recorded` asks nobody and uses recorded judgments only",
                "the program `{}` cannot be judged as it is:{list}",
                engine.program.name
            )
        })?;
        Ok(Some(if self.run > 0 {
            Judges { asker: Arc::new(judges.asker.of_run(self.run)), ..judges }
        } else {
            judges
        }))
    }

    fn open_first(&mut self, engine: &Engine) -> miette::Result<Option<Arc<Judging>>> {
        let folder = if self.program.is_dir() { Some(self.program) } else { self.program.parent() };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let config = Config::load(folder, self.asking.config.as_deref())?;
        let models = schedule::models(engine);
        if let Some(model) = models.iter().find(|_| config.aliases.is_empty()) {
            let why = config.alias(model).err().unwrap_or_default();
            let wanted = self.limits.is_some_and(|limits| limits.max_calls.is_some() || limits.max_cost.is_some());
            if wanted || self.asking.config.is_some() || self.limits.is_none() {
                return Err(miette!("{why}"));
            }
            self.nobody = Some(why);
            return Ok(None);
        }
        let ceilings = self.limits.map_or_else(Ceilings::default, |limits| Ceilings {
            calls: limits.max_calls,
            cost: limits.max_cost.clone(),
        });
        let place = self.asking.store.clone().unwrap_or_else(|| store::default_place(folder));
        // A plan looks into a store that is there, and makes none.
        let kept = !self.asking.no_store && (self.limits.is_some() || place.exists());
        let keeps = !models.is_empty() || config.verifiers.values().any(|verifier| verifier.store);
        let store = if kept && keeps { Some(Store::open(&place)?) } else { None };
        Ok(Some(Arc::new(Judging::new(config, store, Budget::new(ceilings), self.images.clone()).lazily(self.lazy))))
    }

    /// What was asked and spent, for the summary; empty where nobody was asked.
    pub(crate) fn text(&self) -> String {
        self.opened.as_ref().map_or_else(String::new, |judging| spent(judging))
    }

    /// Warns where more than one model answered behind an alias: what was judged before and after is not by one judge.
    pub(crate) fn tell_models(&self) {
        for (alias, models) in self.opened.iter().flat_map(|judging| judging.models_changed()) {
            let each: Vec<String> =
                models.iter().map(|(model, n)| format!("{model} ({})", number(*n, "answer"))).collect();
            let text = format!(
                "warning: more than one model answered for `{alias}`: {}; `rubric store export` tells which said what",
                each.join(", ")
            );
            output::note(&clean(&text));
        }
    }

    /// What to say where nobody was asked for so many missing judgments.
    pub(crate) fn tell_nobody(&self, missing: u64) {
        if let (Some(why), 1..) = (&self.nobody, missing) {
            output::note(&format!(
                "note: {} not recorded, and nobody was asked: {why}",
                if missing == 1 { "1 judgment is".to_owned() } else { format!("{missing} judgments are") }
            ));
        }
    }
}

/// What was asked and spent, in words.
pub(crate) fn spent(judging: &Judging) -> String {
    let count = |n: &std::sync::atomic::AtomicU64| n.load(Ordering::Relaxed);
    let (calls, cost) = judging.budget.total();
    let mut text = format!("\nAsked: {}, {} from the store", number(calls, "call"), count(&judging.counts.found));
    for (n, what) in [(count(&judging.counts.again), "put again"), (count(&judging.counts.failed), "failed")] {
        if n > 0 {
            let _ = write!(text, ", {n} {what}");
        }
    }
    text.push('\n');
    let spent = judging.budget.spent();
    for (alias, spent) in &spent {
        let usage = spent.usage;
        let cached = if usage.cached > 0 { format!(" ({} from its cache)", usage.cached) } else { String::new() };
        let cost =
            spent.cost.as_ref().map_or_else(|| "no price is set".to_owned(), |cost| format!("cost {}", money(cost)));
        let _ = writeln!(
            text,
            "- {alias}: {}, {} tokens{cached} and {} in replies, {cost}",
            number(spent.calls, "call"),
            usage.input,
            usage.output
        );
    }
    if spent.len() > 1 && !cost.is_zero() {
        let _ = writeln!(text, "- together: cost {}", money(&cost));
    }
    for (alias, why) in judging.all_given_up() {
        let _ = writeln!(text, "- {alias} was given up: {why}");
    }
    if let Some(why) = judging.budget.ended() {
        let _ = writeln!(text, "The budget ended: {why}. Run again with more to go on from here.");
    }
    text
}

/// An amount with four places after the point.
pub(crate) fn money(amount: &Number) -> String {
    let rounded = amount.round_places(4, Rounding::HalfEven);
    if rounded.is_zero() && !amount.is_zero() { "below 0.0001".to_owned() } else { rounded.to_string() }
}

fn number(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
