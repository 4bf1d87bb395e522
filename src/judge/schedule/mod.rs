//! Asking what records lack: many calls at once, results in the order of the records, in bounded memory.
//!
//! A thread reads records; each that lacks something gets a task ([`record`]) that asks for it, call by call ([`call`]); the
//! loop of [`window`] lets records in while there is room, and hands them on, finished, in their order. Calls of earlier
//! records come first, because limits of servers serve whoever waited longest. Nothing here knows dialects or prompts.
//!
//! A run ends early in three ways: somebody stops it (what is under way is waited for and stored, then it ends), the store
//! cannot be written (the same, with an error), or its budget is used up (what is not asked is missing with that reason, and
//! the run goes on, which costs nothing). Running it again goes on from there, because everything that was paid for is stored.

mod call;
mod plan;
mod record;
mod window;

pub use plan::{Line, Planned};
pub use window::{Ended, Sink, run};

use super::ask;
use super::budget::Budget;
use super::config::{Alias, Config};
use super::store::{Store, StoreError};
use super::wire::{Client, Failure, FailureKind, Reply};
use crate::run::engine::Engine;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// After so many outages of a server in a row, each after all its retries, it is not asked any more in this run.
const OUTAGES: u32 = 20;

/// Everything that a run which asks has in common.
pub struct Judging {
    pub config: Config,
    pub client: Client,
    pub store: Option<Store>,
    pub budget: Budget,
    pub counts: Counts,
    /// Programs that were found fit to be asked, by their digests.
    checked: Mutex<HashSet<String>>,
    servers: Mutex<HashMap<String, Server>>,
    stopped: AtomicBool,
    stop: Notify,
    /// Some call is over, so there may be room for another record.
    room: Notify,
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

impl Judging {
    #[must_use]
    pub fn new(config: Config, store: Option<Store>, budget: Budget) -> Judging {
        Judging {
            config,
            client: Client::new(),
            store,
            budget,
            counts: Counts::default(),
            checked: Mutex::default(),
            servers: Mutex::default(),
            stopped: AtomicBool::new(false),
            stop: Notify::new(),
            room: Notify::new(),
        }
    }

    /// Whether a program can be asked with this configuration and budget; looked at once per program.
    ///
    /// # Errors
    /// Everything that is wrong, before anything is spent.
    pub fn check(&self, engine: &Engine) -> Result<(), Vec<String>> {
        let lock = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if lock().contains(&engine.digest) {
            return Ok(());
        }
        ask::check(&engine.program, &self.config)?;
        let mut faults = Vec::new();
        for alias in ask::aliases(&engine.program, &self.config) {
            faults.extend(self.budget.check(&alias).err());
            faults.extend(self.client.ready(&alias).err().map(|failure| failure.detail));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        lock().insert(engine.digest.clone());
        Ok(())
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
