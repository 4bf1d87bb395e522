//! What commands have in common that ask a model outside of judging: who is asked, what may be spent, Ctrl-C, what is told.

use super::run::judging::{Asking, amount, money};
use super::{BUDGET_ENDED, JUDGE_FAILED, STOPPED, output, store};
use crate::author::{Ask, Author, Said, Unsaid, Watch, watched};
use crate::judge::budget::{Budget, Ceilings};
use crate::judge::config::Config;
use crate::judge::store::Store;
use crate::judge::wire::{Failure, FailureKind, Usage};
use crate::number::Number;
use miette::miette;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Options of commands that ask a model.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct Writing {
    /// Which model is asked: an alias of rubric.toml
    #[arg(long, value_name = "ALIAS", default_value = "default")]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Make at most so many calls
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// Spend at most so much, at the prices in rubric.toml
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(crate) max_cost: Option<Number>,
    /// Say how many calls it would make, of `expand` and `compile` with tokens and costs, and make none
    #[arg(long)]
    pub(crate) plan: bool,
}

impl Writing {
    /// The model, with its store and its budget. `beside` is a file or folder by which rubric.toml is found.
    ///
    /// # Errors
    /// Configuration or a store that cannot be used, a model that cannot be asked.
    pub(crate) fn open(&self, beside: &Path) -> miette::Result<Author> {
        let folder = if beside.is_dir() { Some(beside) } else { beside.parent() };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let config = Config::load(folder, self.asking.config.as_deref())?;
        let place = self.asking.store.clone().unwrap_or_else(|| store::default_place(folder));
        // A plan looks into a store that is there, and makes none.
        let kept = !self.asking.no_store && (!self.plan || place.exists());
        let store = if kept { Some(Store::open(&place)?) } else { None };
        // A plan that walks through the work is told of every call that is not stored that there is no budget for it.
        let budget = Budget::new(Ceilings {
            calls: if self.plan { Some(0) } else { self.max_calls },
            cost: self.max_cost.clone().filter(|_| !self.plan),
        });
        Author::open(config, &self.model, store, budget).map_err(|why| miette!("{why}"))
    }
}

/// How many of these asks are not stored, what they send, and the most that they can cost.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn planned(author: &Author, asks: &[Ask]) -> miette::Result<String> {
    let (mut stored, mut input, mut most) = (0_usize, 0, 0);
    for ask in asks {
        if author.knows(ask)? {
            stored += 1;
            continue;
        }
        let weight = author.weigh(ask).map_err(|failure| cannot(author, &failure))?;
        input += weight.input;
        most += weight.most_output;
    }
    let calls = asks.len() - stored;
    let mut text = format!(
        "{calls} call{} to `{}`, and {stored} that are stored; more where a reply does not conform\n",
        if calls == 1 { "" } else { "s" },
        author.alias().name
    );
    if calls > 0 {
        text += &format!("about {input} tokens are sent\n");
        text += &match &author.alias().price {
            None => UNPRICED.to_owned(),
            Some(price) => {
                let cost = price.cost(&Usage { input, output: most, ..Usage::default() });
                format!("At most {}, if every reply were as long as it may be.\n", money(&cost))
            }
        };
    }
    Ok(text)
}

/// What to say of costs where there is no price.
const UNPRICED: &str = "What it costs is not known: the model has no `price` in rubric.toml.\n";

/// That a request cannot be put to the model at all.
pub(crate) fn cannot(author: &Author, failure: &Failure) -> miette::Report {
    miette!("the model `{}` cannot be asked: {}", author.alias().name, failure.detail)
}

/// Tells that it was stopped.
pub(super) struct Told;

impl Watch for Told {
    fn stopping(&mut self, under_way: u64) {
        output::note(&format!(
            "stopping; {under_way} calls that are under way are waited for, because they are paid for (Ctrl-C again: at once)"
        ));
    }
}

/// Puts all of these asks at once and reads each reply with `read`, which is told the place of its ask. The outcomes stand in
/// the order of the asks; one that was never reached is [`Unsaid::Stopped`].
///
/// # Errors
/// The machine can run no calls at all.
pub(crate) fn all<T: Send + 'static>(
    author: &Author,
    asks: Vec<Ask>,
    read: impl Fn(usize, &str) -> Result<T, String> + Clone + Send + Sync + 'static,
) -> miette::Result<Vec<Result<Said<T>, Unsaid>>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| miette!("no calls can be made: {error}"))?;
    let mut outcomes: Vec<Result<Said<T>, Unsaid>> = asks.iter().map(|_| Err(Unsaid::Stopped)).collect();
    let work = async {
        let mut tasks = tokio::task::JoinSet::new();
        for (place, ask) in asks.into_iter().enumerate() {
            let (author, read) = (author.clone(), read.clone());
            tasks.spawn(async move { (place, author.ask(&ask, |text| read(place, text)).await) });
        }
        while let Some(done) = tasks.join_next().await {
            if let Ok((place, outcome)) = done
                && let Some(slot) = outcomes.get_mut(place)
            {
                *slot = outcome;
            }
        }
    };
    runtime.block_on(watched(author, work, &mut Told));
    runtime.shutdown_background();
    Ok(outcomes)
}

/// What was asked and spent, in a line.
pub(crate) fn spent(author: &Author) -> String {
    let judging = author.judging();
    let (calls, cost) = judging.budget.total();
    let found = judging.counts.found.load(Ordering::Relaxed);
    let cost = if cost.is_zero() { String::new() } else { format!(", cost {}", money(&cost)) };
    format!("asked: {calls} call{}, {found} from the store{cost}", if calls == 1 { "" } else { "s" })
}

/// The exit code that says why asks went unanswered; `None` where none did.
pub(crate) fn code<'a>(author: &Author, unsaid: impl IntoIterator<Item = &'a Unsaid>) -> Option<u8> {
    let of = |unsaid: &Unsaid| match unsaid {
        Unsaid::Stopped => STOPPED,
        Unsaid::Failed(failure) if failure.kind == FailureKind::Budget => BUDGET_ENDED,
        _ => JUDGE_FAILED,
    };
    let worst = unsaid.into_iter().map(of).max();
    if author.judging().is_stopped() { Some(STOPPED) } else { worst }
}
