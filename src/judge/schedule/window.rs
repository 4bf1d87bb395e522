//! The loop of a run that asks: records in while there is room, results out in their order.

use super::{Judges, Judging, Stop, record};
use crate::catalog::NodeId;
use crate::graph::{Criterion, NodeKind, Procedure};
use crate::judge::store::StoreError;
use crate::run::Leaf;
use crate::run::driver::{Done, Driver, Prepared, Ready, finish};
use crate::run::engine::Engine;
use crate::run::judgment::Basis;
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How long calls that are under way are waited for once the run is stopped.
const GRACE: Duration = Duration::from_secs(30);
/// How often whoever watches is called.
const TICK: Duration = Duration::from_millis(250);
/// Records that are read ahead of the window.
const AHEAD: usize = 16;
/// The most records that wait for the first of them to be finished.
const MOST_RECORDS: usize = 4096;

/// Whoever runs it: where results go and what is to be asked.
pub trait Host<E> {
    /// Called for a record that lacks judgments of models or verifiers; `None`: nobody is asked in this run.
    ///
    /// # Errors
    /// The program cannot be asked; the run ends.
    fn judging(&mut self, engine: &Engine) -> Result<Option<Judges>, E>;

    /// The next record is done.
    ///
    /// # Errors
    /// It cannot be written; the run ends.
    fn done(&mut self, done: Done) -> Result<(), E>;

    /// Some time has gone by.
    fn tick(&mut self) {}

    /// Somebody stopped the run; so many calls are under way and are waited for.
    fn stopping(&mut self, _under_way: u64) {}
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// With the last record.
    Whole,
    /// Somebody stopped it.
    Stopped,
    /// The records cannot be read any further.
    Unreadable(io::Error),
    /// Answers cannot be kept.
    Store(StoreError),
}

enum Slot {
    Ready(Prepared),
    Task(JoinHandle<Result<Prepared, Stop>>),
}

/// Whether a record lacks something that models or verifiers are asked.
#[must_use]
pub fn lacks(ready: &Ready) -> bool {
    ready.judged.lists().flatten().any(|judged| {
        let missing = match &judged.leaf {
            Leaf::Known(_) => false,
            Leaf::Missing(_) => judged.recorded.iter().all(Json::is_null),
            Leaf::Items(items) => {
                let mut both = items.iter().zip(&judged.items);
                both.any(|(state, item)| state.met.is_err() && item.recorded.iter().all(Json::is_null))
            }
        };
        missing && judged.basis == Basis::Recorded && criterion(&ready.engine, judged.node).is_some_and(is_asked)
    })
}

/// Whether a program has criteria that models or verifiers are asked.
#[must_use]
pub fn asks(engine: &Engine) -> bool {
    criteria(engine).any(is_asked)
}

/// The criteria of a program's leaves.
pub(super) fn criteria(engine: &Engine) -> impl Iterator<Item = &Criterion> {
    engine.layout.leaves.iter().filter_map(|leaf| criterion(engine, *leaf))
}

pub(super) fn criterion(engine: &Engine, leaf: NodeId) -> Option<&Criterion> {
    match &engine.program.node(leaf)?.kind {
        NodeKind::Criterion(criterion) | NodeKind::Items { template: criterion, .. } => Some(criterion),
        NodeKind::Operator(_) => None,
    }
}

fn is_asked(criterion: &Criterion) -> bool {
    matches!(criterion.procedure, Procedure::Llm(_) | Procedure::Cascade { .. } | Procedure::Verifier { .. })
}

/// Runs over all records. The driver comes back where it has read all of them.
///
/// # Errors
/// What the host says; calls that were under way are waited for first, and stored.
pub async fn run<E>(driver: Driver, host: &mut impl Host<E>) -> Result<(Ended, Option<Driver>), E> {
    let (to_here, mut records) = mpsc::channel(AHEAD);
    let reader = std::thread::Builder::new().name("records".to_owned()).spawn(move || read(driver, &to_here));
    let reader = match reader {
        Ok(reader) => reader,
        Err(error) => return Ok((Ended::Unreadable(error), None)),
    };
    let (interrupted, interrupts) = mpsc::unbounded_channel();
    let listener = tokio::spawn(async move {
        // One task listens all the time, so that none is lost while the loop is busy.
        while tokio::signal::ctrl_c().await.is_ok() && interrupted.send(()).is_ok() {}
    });
    let mut state = Run {
        queue: VecDeque::new(),
        judging: None,
        admitted: 0,
        interrupts,
        read_all: false,
        stopping: None,
        ended: None,
    };
    let result = state.go(&mut records, host).await;
    state.drain().await;
    listener.abort();
    result?;
    drop(records);
    // What went wrong there must not look like the end of the records.
    let join = || reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let driver = state.read_all.then(join);
    Ok((state.ended.unwrap_or(Ended::Whole), driver))
}

fn read(mut driver: Driver, to: &mpsc::Sender<io::Result<Prepared>>) -> Driver {
    while let Some(next) = driver.next_prepared().transpose() {
        let failed = next.is_err();
        if to.blocking_send(next).is_err() || failed {
            break;
        }
    }
    driver
}

struct Run {
    queue: VecDeque<Slot>,
    judging: Option<Arc<Judging>>,
    /// Records that were let in.
    admitted: u64,
    interrupts: mpsc::UnboundedReceiver<()>,
    read_all: bool,
    /// Until when calls are waited for.
    stopping: Option<Instant>,
    ended: Option<Ended>,
}

impl Run {
    async fn go<E>(
        &mut self,
        records: &mut mpsc::Receiver<io::Result<Prepared>>,
        host: &mut impl Host<E>,
    ) -> Result<(), E> {
        let mut tick = tokio::time::interval(TICK);
        loop {
            if self.queue.is_empty() && (self.read_all || self.stopping.is_some()) {
                return Ok(());
            }
            let room = !self.read_all && self.stopping.is_none() && self.has_room();
            let judging = self.judging.clone();
            let deadline = self.stopping.unwrap_or_else(Instant::now);
            tokio::select! {
                finished = front(&mut self.queue) => match finished {
                    Ok(prepared) => host.done(finish(prepared))?,
                    Err(Stop::Asked) => {
                        self.ended.get_or_insert(Ended::Stopped);
                        return Ok(());
                    }
                    Err(Stop::Store(error)) => {
                        self.ended = Some(Ended::Store(error));
                        return Ok(());
                    }
                },
                next = records.recv(), if room => match next {
                    None => self.read_all = true,
                    Some(Err(error)) => {
                        self.read_all = true;
                        self.ended = Some(Ended::Unreadable(error));
                    }
                    Some(Ok(prepared)) => self.admit(prepared, host)?,
                },
                () = room_again(judging.as_deref()), if !room && self.stopping.is_none() => {}
                Some(()) = self.interrupts.recv() => {
                    if self.stopping.is_some() {
                        // The second time: at once.
                        self.stopping = Some(Instant::now());
                    } else {
                        self.stopping = Some(Instant::now() + GRACE);
                        self.ended.get_or_insert(Ended::Stopped);
                        let under_way = judging.as_ref().map_or(0, |judging| judging.counts.under_way.load(Ordering::Relaxed));
                        host.stopping(under_way);
                        if let Some(judging) = judging {
                            judging.stop();
                        }
                    }
                }
                () = tokio::time::sleep_until(deadline), if self.stopping.is_some() => return Ok(()),
                _ = tick.tick() => host.tick(),
            }
        }
    }

    fn has_room(&self) -> bool {
        let Some(judging) = &self.judging else { return self.queue.len() < AHEAD };
        self.queue.len() < MOST_RECORDS && judging.counts.wanted.load(Ordering::SeqCst) < judging.most_wanted()
    }

    fn admit<E>(&mut self, prepared: Prepared, host: &mut impl Host<E>) -> Result<(), E> {
        let ready = match prepared {
            Prepared::Ready(ready) if lacks(&ready) => ready,
            done => {
                self.queue.push_back(Slot::Ready(done));
                return Ok(());
            }
        };
        self.admitted += 1;
        let slot = match host.judging(&ready.engine)? {
            None => Slot::Ready(Prepared::Ready(ready)),
            Some(judges) => {
                self.judging = Some(Arc::clone(&judges.judging));
                let wanted = record::Wanted::one(Arc::clone(&judges.judging), self.admitted);
                Slot::Task(tokio::spawn(record::judge(judges, wanted, ready)))
            }
        };
        self.queue.push_back(slot);
        Ok(())
    }

    /// Waits for what is under way, so that it is stored, and drops it where that takes too long.
    async fn drain(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        if let Some(judging) = &self.judging {
            judging.stop();
        }
        let deadline = self.stopping.unwrap_or_else(|| Instant::now() + GRACE);
        for slot in self.queue.drain(..) {
            let Slot::Task(mut task) = slot else { continue };
            tokio::select! {
                _ = &mut task => {}
                () = tokio::time::sleep_until(deadline) => task.abort(),
                Some(()) = self.interrupts.recv() => task.abort(),
            }
        }
    }
}

/// The first record of the queue, once it is done.
async fn front(queue: &mut VecDeque<Slot>) -> Result<Prepared, Stop> {
    let finished = match queue.front_mut() {
        None => std::future::pending().await,
        Some(Slot::Ready(_)) => None,
        Some(Slot::Task(task)) => Some(task.await),
    };
    match (queue.pop_front(), finished) {
        (Some(Slot::Ready(prepared)), _) => Ok(prepared),
        (_, Some(Ok(finished))) => finished,
        (_, Some(Err(error))) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        _ => Err(Stop::Asked),
    }
}

async fn room_again(judging: Option<&Judging>) {
    match judging {
        Some(judging) => judging.room.notified().await,
        None => std::future::pending().await,
    }
}
