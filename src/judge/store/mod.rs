//! The judgment store: what judges answered, so that nothing is paid twice.
//!
//! Resuming a run is running it again: what was answered before is found under its [`Identity`], everything else is asked.
//! Only conforming replies come here; a failure is never stored. Many processes may share a store: who is about to ask
//! *claims* the key first ([`Store::claim`]), so two of them do not pay for one judgment, and a process that is killed leaves
//! nothing behind that binds anybody ([`owner`]). A judgment is stored once [`Claim::put`] returns.
//!
//! Looking a judgment up takes a few microseconds and happens where it is asked for; one thread writes ([`writer`]).

mod identity;
pub mod look;
mod owner;
mod reply;
mod schema;
mod writer;

pub use identity::{Identity, Key, Parts, about};
pub use schema::StoreError;

use crate::judge::wire::{Reply, Usage};
use rusqlite::{Connection, OptionalExtension as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use writer::{Found, Message, Put, Writer};

/// A store that may be asked and written.
pub struct Store {
    path: Arc<PathBuf>,
    reader: Mutex<Connection>,
    to_writer: Option<mpsc::Sender<Message>>,
    writer: Option<JoinHandle<()>>,
}

/// A judgment that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub reply: Reply,
    /// The nonce of the request that it answers.
    pub nonce: String,
}

/// Whose judgment it is: kept beside it for people, no part of what makes it the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The digest of the program.
    pub program: Arc<str>,
    pub program_name: Arc<str>,
    /// The criterion, or the first of those that are asked together.
    pub criterion: Arc<str>,
    pub record: Arc<str>,
    /// Empty where there is one without an id, or none is seen.
    pub candidate: Arc<str>,
}

/// What became of an attempt to be the one who asks.
pub enum Claimed {
    /// It is there by now.
    Stored(Box<Stored>),
    /// Ask, and put the answer into it. Dropped, it lets others ask.
    Ours(Claim),
    /// Somebody is asking; look again in a while.
    Theirs,
}

/// The right to ask, which nobody else has meanwhile.
pub struct Claim {
    identity: Arc<Identity>,
    to_writer: mpsc::Sender<Message>,
    open: bool,
}

impl Store {
    /// Opens a store, and makes one where there is none.
    ///
    /// # Errors
    /// It cannot be made, read or written; it is something else; it is of a later version.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let path = Arc::new(path.to_owned());
        let writing = schema::open(&path)?;
        let reader = Mutex::new(schema::open_reader(&path)?);
        let writer = Writer::new(Arc::clone(&path), writing)?;
        let (to_writer, messages) = mpsc::channel();
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(move || writer.run(&messages));
        let thread =
            thread.map_err(|error| StoreError::says(&path, format!("has no thread to write: {error}"), "try again"))?;
        Ok(Store { path, reader, to_writer: Some(to_writer), writer: Some(thread) })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks a judgment up.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn find(&self, key: &Key) -> Result<Option<Stored>, StoreError> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        find_in(&reader, key).map_err(|error| StoreError::sql(&self.path, &error))
    }

    /// Asks for the right to ask.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub async fn claim(&self, identity: &Arc<Identity>) -> Result<Claimed, StoreError> {
        let to_writer = self.to_writer.as_ref().ok_or_else(|| self.closed())?;
        let (to, answer) = oneshot::channel();
        to_writer.send(Message::Claim(identity.key, to)).map_err(|_| self.closed())?;
        Ok(match answer.await.map_err(|_| self.closed())?? {
            Found::Stored(stored) => Claimed::Stored(stored),
            Found::Theirs => Claimed::Theirs,
            Found::Ours => {
                Claimed::Ours(Claim { identity: Arc::clone(identity), to_writer: to_writer.clone(), open: true })
            }
        })
    }

    fn closed(&self) -> StoreError {
        StoreError::says(&self.path, "is closed", "run again; what was stored is safe")
    }
}

impl Drop for Store {
    /// Waits until everything is written.
    fn drop(&mut self) {
        if let Some(to_writer) = self.to_writer.take() {
            // Claims that are still about must not keep it waiting.
            let _ = to_writer.send(Message::Close);
        }
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// An answer on its way into the store.
pub struct Putting {
    answer: Result<oneshot::Receiver<Result<(), StoreError>>, StoreError>,
}

impl Putting {
    /// Waits until the answer is safe.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub async fn done(self) -> Result<(), StoreError> {
        self.answer?.await.map_err(|_| no_writer())?
    }
}

fn no_writer() -> StoreError {
    StoreError::says(&Arc::default(), "is closed", "run again; what was stored is safe")
}

impl Claim {
    /// Stores the answer; it is safe once this returns.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub async fn put(self, asked: &Arc<Asked>, nonce: &str, reply: &Reply) -> Result<(), StoreError> {
        self.begin_put(Arc::clone(asked), nonce.to_owned(), reply, written(reply)).done().await
    }

    /// Hands the answer to the store; it is safe once [`Putting::done`] returns. `text`: the reply as [`written`] gives it.
    #[must_use]
    pub fn begin_put(mut self, asked: Arc<Asked>, nonce: String, reply: &Reply, text: String) -> Putting {
        let (to, answer) = oneshot::channel();
        let put = Box::new(Put {
            identity: Arc::clone(&self.identity),
            asked,
            nonce,
            text,
            model: reply.model.clone(),
            usage: reply.usage,
        });
        self.open = false;
        let sent = self.to_writer.send(Message::Put(put, to));
        Putting { answer: sent.map(|()| answer).map_err(|_| no_writer()) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.open {
            let _ = self.to_writer.send(Message::Release(self.identity.key));
        }
    }
}

/// What is kept of a reply, whatever was counted.
#[must_use]
pub fn written(reply: &Reply) -> String {
    reply::to_text(reply)
}

/// A digest of what a model answered; `text` is the reply as [`written`] gives it.
#[must_use]
pub fn digest(text: &str) -> String {
    Key(*blake3::hash(text.as_bytes()).as_bytes()).to_string()
}

/// What stands under a key.
enum Row {
    Stored(Box<Stored>),
    /// Something that this program did not write, or not like that.
    Unreadable,
    None,
}

/// Looks a judgment up in a connection or a transaction. What cannot be read is as good as absent.
fn find_in(connection: &Connection, key: &Key) -> rusqlite::Result<Option<Stored>> {
    Ok(match look_up(connection, key)? {
        Row::Stored(stored) => Some(*stored),
        Row::Unreadable | Row::None => None,
    })
}

fn look_up(connection: &Connection, key: &Key) -> rusqlite::Result<Row> {
    let mut select = connection
        .prepare_cached("SELECT reply, nonce, input, cached, cache_written, output FROM judgment WHERE key = ?1")?;
    let row = select.query_row([&key.0[..]], |row| {
        let count = |n: usize| row.get::<_, i64>(n).map(|n| u64::try_from(n).unwrap_or(0));
        let usage = Usage { input: count(2)?, cached: count(3)?, cache_written: count(4)?, output: count(5)? };
        let json = row.get_ref(0)?.as_str().ok().and_then(|text| serde_json::from_str(text).ok());
        let reply = json.and_then(|json| reply::from_json(&json, usage));
        Ok(match reply {
            Some(reply) => Row::Stored(Box::new(Stored { reply, nonce: row.get(1)? })),
            None => Row::Unreadable,
        })
    });
    Ok(row.optional()?.unwrap_or(Row::None))
}

#[cfg(test)]
mod tests;
