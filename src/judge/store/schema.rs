//! The tables of the store, and opening the file.
//!
//! Judgments are only added, and taken out by `rubric store gc` alone. `claim` holds what is being asked right now: who
//! has a key there is paying for it, so that nobody else does. A file of a later version is left alone.

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Marks the file as a store, in SQLite's header: "rubr".
const APPLICATION: i32 = 0x7275_6272;
/// The version of the tables.
const VERSION: i32 = 1;
/// How long one process waits for another's transaction. Transactions take milliseconds.
const BUSY: Duration = Duration::from_secs(30);

const TABLES: &str = "
CREATE TABLE judge (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  model TEXT NOT NULL,              -- as it was asked for
  UNIQUE (url, model)
);
CREATE TABLE program (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL
);
CREATE TABLE judgment (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,         -- 32 bytes: everything that the judge sees and how it is asked
  reply TEXT NOT NULL,              -- JSON
  nonce TEXT NOT NULL,              -- with which it was asked
  answered TEXT NOT NULL,           -- the model that answered, as the server says
  input INTEGER NOT NULL,           -- tokens
  cached INTEGER NOT NULL,
  cache_written INTEGER NOT NULL,
  output INTEGER NOT NULL,
  time INTEGER NOT NULL,            -- seconds since 1970
  judge INTEGER NOT NULL,
  program INTEGER NOT NULL,         -- the one that asked first
  criterion TEXT NOT NULL,
  record TEXT NOT NULL,
  candidate TEXT NOT NULL,
  sample INTEGER NOT NULL,
  about INTEGER NOT NULL,           -- digest of record, candidate, criterion
  system INTEGER NOT NULL,          -- digests of the parts of the request
  shared INTEGER NOT NULL,
  own INTEGER NOT NULL,
  form INTEGER NOT NULL,
  sampling INTEGER NOT NULL
);
CREATE INDEX judgment_about ON judgment (about);
CREATE TABLE claim (
  key BLOB PRIMARY KEY,
  owner INTEGER NOT NULL
) WITHOUT ROWID;
";

/// What went wrong with the store. Cheap to copy, because everybody who waits for one transaction is told.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
#[error("the judgment store `{}` {what}", path.display())]
#[diagnostic(help("{help}"))]
pub struct StoreError {
    path: Arc<PathBuf>,
    what: String,
    help: &'static str,
}

impl StoreError {
    pub(super) fn sql(path: &Arc<PathBuf>, error: &rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, NotADatabase, ReadOnly};
        let help = match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => "another program holds it for long; try again when that has ended",
            Some(DiskFull) => "make room on the disk and run again; what was stored is safe",
            Some(NotADatabase) => "it is no store; name another file with --store, or move this one away",
            Some(ReadOnly) => "you may not write there; name another file with --store",
            _ => "name another file with --store, or ask without a store by --no-store",
        };
        StoreError { path: Arc::clone(path), what: format!("cannot be used: {error}"), help }
    }

    pub(super) fn says(path: &Arc<PathBuf>, what: impl Into<String>, help: &'static str) -> StoreError {
        StoreError { path: Arc::clone(path), what: what.into(), help }
    }
}

/// Opens the file, and makes it and its folder where there is none.
pub(super) fn open(path: &Arc<PathBuf>) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        let made = std::fs::create_dir_all(folder).and_then(|()| ignored(folder));
        made.map_err(|error| {
            let what = format!("has no folder, and none can be made: {}", crate::source::in_words(&error));
            StoreError::says(path, what, "name another place with --store")
        })?;
    }
    patiently(path, || prepare(path))?
}

/// Does it again while another process is in the way. SQLite waits by itself for a transaction, but not where two processes
/// make the file, change its journal or end it at the same moment: then it says at once that the file is locked.
fn patiently<T>(path: &Arc<PathBuf>, attempt: impl Fn() -> rusqlite::Result<T>) -> Result<T, StoreError> {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    let begun = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        match attempt() {
            Ok(done) => return Ok(done),
            Err(error)
                if matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
                    && begun.elapsed() < BUSY =>
            {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(100));
            }
            Err(error) => return Err(StoreError::sql(path, &error)),
        }
    }
}

/// Opens the file and makes its tables where there are none. The inner error is one that waiting does not mend.
fn prepare(path: &Arc<PathBuf>) -> rusqlite::Result<Result<Connection, StoreError>> {
    let mut connection = Connection::open(path.as_path())?;
    connection.busy_timeout(BUSY)?;
    // Readers then go on while somebody writes. A process that is killed loses nothing that was stored; a machine that
    // loses its power may lose the last moments, never more.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Keys are digests, so each batch touches pages all over the file; the later the journal is copied into it, the more of
    // them are copied once. 16 MB at the most.
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0))?;
    match (application, version) {
        (APPLICATION, VERSION) => {}
        (APPLICATION, _) => {
            let what = format!("has version {version}, and this program reads version {VERSION}");
            return Ok(Err(StoreError::says(
                path,
                what,
                "name another file with --store, or use the later version of rubric",
            )));
        }
        (0, 0) if tables == 0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        _ => {
            return Ok(Err(StoreError::says(
                path,
                "is a database of something else",
                "name another file with --store; this one is left as it is",
            )));
        }
    }
    transaction.commit()?;
    Ok(Ok(connection))
}

/// A second connection to a store that [`open`] has made, for reading only.
pub(super) fn open_reader(path: &Arc<PathBuf>) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    patiently(path, || {
        let connection = Connection::open_with_flags(path.as_path(), flags)?;
        connection.busy_timeout(BUSY)?;
        Ok(connection)
    })
}

/// Keeps a new folder of its own out of version control.
fn ignored(folder: &Path) -> std::io::Result<()> {
    if folder.file_name().is_some_and(|name| name == ".rubric") {
        std::fs::write(folder.join(".gitignore"), "*\n")?;
    }
    Ok(())
}
