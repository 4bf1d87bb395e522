//! Asking what records lack: many calls at once, results in the order of the records, in bounded memory.
//!
//! A thread reads records; each that lacks something gets a task ([`record`]) that asks for it, call by call ([`call`]); the
//! loop of [`window`] lets records in while there is room, and hands them on, finished, in their order. Calls of earlier
//! records come first, because limits of servers serve whoever waited longest, and so does the budget. Nothing here knows dialects or prompts.
//!
//! A run ends early in three ways: somebody stops it (what is under way is waited for and stored, then it ends), the store
//! cannot be written (the same, with an error), or its budget is used up (what is not asked is missing with that reason, and
//! the run goes on, which costs nothing). Running it again goes on from there, because everything that was paid for is stored.

mod call;
mod command;
mod plan;
mod record;
mod task;
mod window;

pub use call::identity;
pub use command::Digests;
pub use plan::{Line, Planned, REPLY};
pub use record::asked;
pub use task::{Put, Turn};
pub use window::{Ended, Host, asks, lacks, run};

use super::ask::Asker;
use super::budget::Budget;
use super::config::{Alias, Config};
use super::store::{Store, StoreError};
use super::wire::{Client, Failure, FailureKind, Reply, Usage};
use crate::catalog::NodeId;
use crate::graph::Procedure;
use crate::run::engine::Engine;
use crate::run::lazy::Lazy;
use foldhash::HashMap;
use indexmap::IndexSet;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// After so many outages of a server in a row, each after all its retries, it is not asked any more in this run.
const OUTAGES: u32 = 20;

/// Everything that a run which asks has in common.
pub struct Judging {
    pub config: Config,
    pub client: Client,
    pub store: Option<Store>,
    pub budget: Budget,
    pub counts: Counts,
    /// Where images are that records name.
    folder: PathBuf,
    /// By the digests of their programs.
    askers: Mutex<HashMap<String, Known>>,
    lazy: bool,
    servers: Mutex<HashMap<String, Server>>,
    /// By alias, how many answers each model gave that was behind it, stored ones among them.
    answered: Mutex<BTreeMap<String, BTreeMap<String, u64>>>,
    /// Places for commands that run at once: one for each processor.
    commands: Semaphore,
    /// Of the files that verifiers are made of.
    pub digests: Digests,
    stopped: AtomicBool,
    stop: Notify,
    /// Some call is over, and there is room for another record.
    room: Notify,
    most_wanted: u64,
}

/// What asks for one program.
#[derive(Clone)]
pub struct Judges {
    pub judging: Arc<Judging>,
    pub asker: Arc<Asker>,
    /// What is asked first, where as little as possible is to be asked.
    pub lazy: Option<Arc<Lazy>>,
}

/// What was made for one program.
#[derive(Clone)]
struct Known {
    asker: Arc<Asker>,
    lazy: Option<Arc<Lazy>>,
}

/// What is known of an alias's server.
#[derive(Default)]
struct Server {
    outages: u32,
    /// Why it is not asked any more.
    given_up: Option<Failure>,
}

/// What happened so far.
#[derive(Debug, Default)]
pub struct Counts {
    /// Judgments that came out of the store.
    pub found: AtomicU64,
    /// Replies that did not conform, so that the question was put again.
    pub again: AtomicU64,
    /// Calls that ended without a judgment.
    pub failed: AtomicU64,
    /// Requests that are out.
    pub under_way: AtomicU64,
    /// Calls that records wait for.
    pub wanted: AtomicU64,
}

/// Why a record is not finished.
#[derive(Debug, Clone)]
pub enum Stop {
    /// Somebody stopped the run.
    Asked,
    /// Its answers cannot be kept.
    Store(StoreError),
}

/// The aliases that a program asks, each once.
#[must_use]
pub fn models(engine: &Engine) -> Vec<Arc<str>> {
    let mut models: IndexSet<Arc<str>> = IndexSet::new();
    for criterion in window::criteria(engine) {
        match &criterion.procedure {
            Procedure::Llm(llm) => models.extend(llm.models.iter().cloned()),
            Procedure::Cascade { first, second, .. } => {
                models.extend(first.models.iter().chain(&second.models).cloned())
            }
            _ => {}
        }
    }
    models.into_iter().collect()
}

impl Judging {
    /// `folder`: where images are that records name.
    #[must_use]
    pub fn new(config: Config, store: Option<Store>, budget: Budget, folder: PathBuf) -> Judging {
        let at_once: u64 = config.aliases.values().map(|alias| u64::from(alias.limits.concurrency)).sum();
        Judging {
            // Twice as many as can be out, so that there is always one to send when one comes back.
            most_wanted: at_once.saturating_mul(2).saturating_add(64),
            config,
            client: Client::new(),
            store,
            budget,
            counts: Counts::default(),
            folder,
            askers: Mutex::default(),
            lazy: false,
            servers: Mutex::default(),
            answered: Mutex::default(),
            commands: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
            digests: Digests::default(),
            stopped: AtomicBool::new(false),
            stop: Notify::new(),
            room: Notify::new(),
        }
    }

    /// Asks as little as possible: one judgment after the other of each record, until nothing can change any more.
    #[must_use]
    pub fn lazily(mut self, lazy: bool) -> Judging {
        self.lazy = lazy;
        self
    }

    /// What asks for a program, once it is certain that its models can be asked within this budget; made once per program.
    ///
    /// # Errors
    /// Everything that is wrong, before anything is spent.
    pub fn judges(self: &Arc<Self>, engine: &Engine) -> Result<Judges, Vec<String>> {
        let lock = || self.askers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Known { asker, lazy }) = lock().get(&engine.digest).cloned() {
            return Ok(Judges { judging: Arc::clone(self), asker, lazy });
        }
        let asker = Arc::new(Asker::new(&engine.program, &self.config, &self.folder)?);
        let mut faults = Vec::new();
        for alias in models(engine).iter().filter_map(|name| self.config.aliases.get(&**name)) {
            faults.extend(self.budget.check(alias).err());
            faults.extend(self.client.ready(alias).err().map(|failure| failure.detail));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let lazy = self.lazy.then(|| Arc::new(Lazy::new(&engine.program, |leaf| self.cost(engine, leaf))));
        lock().insert(engine.digest.clone(), Known { asker: Arc::clone(&asker), lazy: lazy.clone() });
        Ok(Judges { judging: Arc::clone(self), asker, lazy })
    }

    /// Roughly what a judgment costs, to ask cheap ones first: the price of a usual call, of models without a price one for
    /// each call, and little for a command on this machine.
    fn cost(&self, engine: &Engine, leaf: NodeId) -> f64 {
        let usual = Usage { input: 500, output: 150, ..Usage::default() };
        let llm = match window::criterion(engine, leaf).map(|criterion| &criterion.procedure) {
            Some(Procedure::Llm(llm)) => llm,
            Some(Procedure::Cascade { first, .. }) => &**first,
            _ => return 0.001,
        };
        let priced = self.config.aliases.values().all(|alias| alias.price.is_some());
        let one = |name: &Arc<str>| {
            let price = self.config.aliases.get(&**name).and_then(|alias| alias.price.as_ref());
            price.filter(|_| priced).map_or(1.0, |price| price.cost(&usual).to_f64())
        };
        llm.models.iter().map(one).sum::<f64>() * f64::from(llm.samples)
    }

    /// Calls that records may wait for before no further record is let in.
    fn most_wanted(&self) -> u64 {
        self.most_wanted
    }

    /// Ends the run as soon as what is under way is over.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.stop.notify_waiters();
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Returns once the run is stopped.
    async fn stopped(&self) {
        let stop = self.stop.notified();
        tokio::pin!(stop);
        stop.as_mut().enable();
        if !self.is_stopped() {
            stop.await;
        }
    }

    async fn pause(&self, time: Duration) -> Result<(), Stop> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.stopped() => Err(Stop::Asked),
        }
    }

    /// Why an alias is not asked any more.
    fn given_up(&self, alias: &Alias) -> Option<Failure> {
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers.get(&alias.name).and_then(|server| server.given_up.clone())
    }

    /// The aliases that are not asked any more, and why.
    #[must_use]
    pub fn all_given_up(&self) -> Vec<(String, String)> {
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let given_up =
            servers.iter().filter_map(|(name, server)| Some((name.clone(), server.given_up.as_ref()?.detail.clone())));
        let mut all: Vec<(String, String)> = given_up.collect();
        all.sort();
        all
    }

    /// Aliases behind which more than one model answered, each with the models and how many answers they gave.
    #[must_use]
    pub fn models_changed(&self) -> Vec<(String, Vec<(String, u64)>)> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let several = answered.iter().filter(|(_, models)| models.len() > 1);
        several
            .map(|(alias, models)| (alias.clone(), models.iter().map(|(id, n)| (id.clone(), *n)).collect()))
            .collect()
    }

    /// Counts an answer of the model that a server says it is.
    fn count_model(&self, alias: &Alias, reply: &Reply) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let models = match answered.get_mut(&alias.name) {
            Some(models) => models,
            None => answered.entry(alias.name.clone()).or_default(),
        };
        match models.get_mut(&reply.model) {
            Some(count) => *count += 1,
            None => drop(models.insert(reply.model.clone(), 1)),
        }
    }

    /// Learns from what came of a call whether to ask the alias again.
    fn note(&self, alias: &Alias, reply: &Result<Reply, Failure>) {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let server = servers.entry(alias.name.clone()).or_default();
        match reply {
            // Neither passes by itself, and each further call would end the same.
            Err(failure) if matches!(failure.kind, FailureKind::NoCredit | FailureKind::Unauthorised) => {
                server.given_up = Some(failure.clone());
            }
            Err(failure) if failure.kind == FailureKind::Outage => {
                server.outages += 1;
                if server.outages >= OUTAGES && server.given_up.is_none() {
                    let detail = format!("{} (so {OUTAGES} times in a row; it is not asked any more)", failure.detail);
                    server.given_up = Some(call::failure(FailureKind::Outage, detail));
                }
            }
            _ => server.outages = 0,
        }
    }
}
