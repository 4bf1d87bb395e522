//! The one thread that writes: claims and judgments that come together are one transaction.
//!
//! While a transaction is committed the next messages gather, so the batch grows with the load: a thousand calls in flight
//! cost a few transactions, and a single one waits for nothing.

use super::identity::{Identity, Key};
use super::owner::Owner;
use super::schema::StoreError;
use super::{Asked, Row, Stored, look_up};
use crate::judge::wire::Usage;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime};
use tokio::sync::oneshot;

/// The most messages of one transaction.
const MOST: usize = 2000;

pub(super) enum Message {
    Claim(Key, oneshot::Sender<Result<Found, StoreError>>),
    Release(Key),
    Put(Box<Put>, oneshot::Sender<Result<(), StoreError>>),
    /// Nothing more comes that has to be waited for.
    Close,
}

/// What became of a claim.
pub(super) enum Found {
    Stored(Box<Stored>),
    Ours,
    /// Somebody, here or in another process, is asking.
    Theirs,
}

pub(super) struct Put {
    pub(super) identity: Arc<Identity>,
    pub(super) asked: Arc<Asked>,
    pub(super) nonce: String,
    /// The reply without its usage.
    pub(super) text: String,
    /// That answered, as the server says.
    pub(super) model: String,
    pub(super) usage: Usage,
}

pub(super) struct Writer {
    path: Arc<PathBuf>,
    connection: Connection,
    owner: Owner,
    /// Keys that this process has claimed.
    ours: HashSet<Key>,
    judges: HashMap<(String, String), i64>,
    programs: HashMap<String, i64>,
}

/// An answer that is sent once its transaction is committed.
enum Answer {
    Claim(oneshot::Sender<Result<Found, StoreError>>, Found),
    Put(oneshot::Sender<Result<(), StoreError>>),
    None,
}

impl Writer {
    pub(super) fn new(path: Arc<PathBuf>, connection: Connection) -> Result<Writer, StoreError> {
        let owner = Owner::new(&path).map_err(|error| {
            let what = format!("cannot be used: {}", crate::source::in_words(&error));
            StoreError::says(&path, what, "you must be able to write into its folder; or name another with --store")
        })?;
        let writer =
            Writer { path, connection, owner, ours: HashSet::new(), judges: HashMap::new(), programs: HashMap::new() };
        writer.bury().map_err(|error| StoreError::sql(&writer.path, &error))?;
        Ok(writer)
    }

    /// Takes away the claims and files of processes that have ended.
    fn bury(&self) -> rusqlite::Result<()> {
        Owner::bury_files(&self.path);
        let mut owners = self.connection.prepare("SELECT DISTINCT owner FROM claim")?;
        let owners = owners.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
        for owner in owners.into_iter().filter(|owner| Owner::has_ended(&self.path, *owner)) {
            self.connection.execute("DELETE FROM claim WHERE owner = ?1", [owner])?;
        }
        Ok(())
    }

    /// Writes until the store is closed.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        loop {
            let first = match messages.recv_timeout(Duration::from_secs(60)) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let batch: Vec<Message> = std::iter::once(first).chain(messages.try_iter()).take(MOST).collect();
            let closes = batch.iter().any(|message| matches!(message, Message::Close));
            self.write(batch);
            if closes {
                break;
            }
        }
        let _ = self.connection.execute("DELETE FROM claim WHERE owner = ?1", [self.owner.id]);
    }

    fn write(&mut self, batch: Vec<Message>) {
        let mut answers = Vec::with_capacity(batch.len());
        let mut tried = HashSet::new();
        let done = self.transact(batch, &mut answers, &mut tried);
        match done {
            Ok(()) => {
                for answer in answers {
                    match answer {
                        Answer::Claim(to, found) => drop(to.send(Ok(found))),
                        Answer::Put(to) => drop(to.send(Ok(()))),
                        Answer::None => {}
                    }
                }
            }
            Err(error) => {
                // Nothing of the batch is stored, and everybody who waits for it is told.
                let error = StoreError::sql(&self.path, &error);
                self.ours.retain(|key| !tried.contains(key));
                // Numbers of texts that were new in it are not there either.
                self.judges.clear();
                self.programs.clear();
                for answer in answers {
                    match answer {
                        Answer::Claim(to, _) => drop(to.send(Err(error.clone()))),
                        Answer::Put(to) => drop(to.send(Err(error.clone()))),
                        Answer::None => {}
                    }
                }
            }
        }
    }

    fn transact(
        &mut self,
        batch: Vec<Message>,
        answers: &mut Vec<Answer>,
        tried: &mut HashSet<Key>,
    ) -> rusqlite::Result<()> {
        let Writer { path, connection, owner, ours, judges, programs } = self;
        // Every message has its answer in the list before anything can fail, so that nobody waits for ever.
        let mut work = Vec::with_capacity(batch.len());
        for message in batch {
            match message {
                Message::Claim(key, to) => {
                    answers.push(Answer::Claim(to, Found::Theirs));
                    work.push(Work::Claim(key));
                }
                Message::Release(key) => {
                    answers.push(Answer::None);
                    work.push(Work::Release(key));
                }
                Message::Close => {}
                Message::Put(put, to) => {
                    answers.push(Answer::Put(to));
                    work.push(Work::Put(put));
                }
            }
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut ended: HashMap<i64, bool> = HashMap::new();
        for (work, answer) in work.into_iter().zip(answers.iter_mut()) {
            match work {
                Work::Claim(key) => {
                    let found = claim(&transaction, key, owner.id, ours, |id| {
                        *ended.entry(id).or_insert_with(|| Owner::has_ended(path, id))
                    })?;
                    if matches!(found, Found::Ours) {
                        ours.insert(key);
                        tried.insert(key);
                    }
                    if let Answer::Claim(_, answer) = answer {
                        *answer = found;
                    }
                }
                Work::Release(key) => {
                    release(&transaction, key, owner.id)?;
                    ours.remove(&key);
                }
                Work::Put(put) => {
                    store(&transaction, &put, judges, programs)?;
                    release(&transaction, put.identity.key, owner.id)?;
                    ours.remove(&put.identity.key);
                }
            }
        }
        transaction.commit()
    }
}

enum Work {
    Claim(Key),
    Release(Key),
    Put(Box<Put>),
}

fn claim(
    transaction: &Transaction<'_>,
    key: Key,
    owner: i64,
    ours: &HashSet<Key>,
    mut has_ended: impl FnMut(i64) -> bool,
) -> rusqlite::Result<Found> {
    if ours.contains(&key) {
        return Ok(Found::Theirs);
    }
    // Most keys are new, and whoever claims has just looked.
    let mut new = transaction.prepare_cached(
        "INSERT INTO claim (key, owner) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM judgment WHERE key = ?1)
         ON CONFLICT DO NOTHING",
    )?;
    if new.execute(params![&key.0[..], owner])? == 1 {
        return Ok(Found::Ours);
    }
    match look_up(transaction, &key)? {
        Row::Stored(stored) => return Ok(Found::Stored(stored)),
        // It would be asked again for ever.
        Row::Unreadable => {
            transaction.prepare_cached("DELETE FROM judgment WHERE key = ?1")?.execute([&key.0[..]])?;
        }
        Row::None => {}
    }
    let mut insert =
        transaction.prepare_cached("INSERT INTO claim (key, owner) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    if insert.execute(params![&key.0[..], owner])? == 1 {
        return Ok(Found::Ours);
    }
    let mut select = transaction.prepare_cached("SELECT owner FROM claim WHERE key = ?1")?;
    let other: i64 = select.query_row([&key.0[..]], |row| row.get(0))?;
    if other != owner && !has_ended(other) {
        return Ok(Found::Theirs);
    }
    let mut update = transaction.prepare_cached("UPDATE claim SET owner = ?2 WHERE key = ?1")?;
    update.execute(params![&key.0[..], owner])?;
    Ok(Found::Ours)
}

fn release(transaction: &Transaction<'_>, key: Key, owner: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM claim WHERE key = ?1 AND owner = ?2")?
        .execute(params![&key.0[..], owner])?;
    Ok(())
}

fn store(
    transaction: &Transaction<'_>,
    put: &Put,
    judges: &mut HashMap<(String, String), i64>,
    programs: &mut HashMap<String, i64>,
) -> rusqlite::Result<()> {
    let Put { identity, asked, nonce, text, model: answered, usage } = put;
    let Identity { key, url, model, sample, parts, is_command: _ } = &**identity;
    let judge = named(judges, (url.clone(), model.clone()), || {
        transaction.execute("INSERT OR IGNORE INTO judge (url, model) VALUES (?1, ?2)", [url, model])?;
        transaction.query_row("SELECT id FROM judge WHERE url = ?1 AND model = ?2", [url, model], |row| row.get(0))
    })?;
    let program = named(programs, asked.program.to_string(), || {
        let (digest, name) = (&*asked.program, &*asked.program_name);
        transaction.execute("INSERT OR IGNORE INTO program (digest, name) VALUES (?1, ?2)", [digest, name])?;
        transaction.query_row("SELECT id FROM program WHERE digest = ?1", [digest], |row| row.get(0))
    })?;
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    // What stands there already stays: an answer never changes once somebody may have used it.
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO judgment (key, reply, nonce, answered, input, cached, cache_written, output, time, judge,
         program, criterion, record, candidate, sample, about, system, shared, own, form, sampling)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
    )?;
    insert.execute(params![
        &key.0[..],
        text,
        nonce,
        answered,
        number(usage.input),
        number(usage.cached),
        number(usage.cache_written),
        number(usage.output),
        number(time),
        judge,
        program,
        &*asked.criterion,
        &*asked.record,
        &*asked.candidate,
        sample,
        super::identity::about(&asked.record, &asked.candidate, &asked.criterion),
        parts.system,
        parts.shared,
        parts.own,
        parts.form,
        parts.sampling,
    ])?;
    Ok(())
}

/// The number of a text that many judgments share.
fn named<K: std::hash::Hash + Eq>(
    known: &mut HashMap<K, i64>,
    key: K,
    find: impl FnOnce() -> rusqlite::Result<i64>,
) -> rusqlite::Result<i64> {
    if let Some(id) = known.get(&key) {
        return Ok(*id);
    }
    let id = find()?;
    known.insert(key, id);
    Ok(id)
}
