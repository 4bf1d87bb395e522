//! Who is asking: a file beside the store that its process holds locked for as long as it lives.
//!
//! The system lets go of a lock when a process ends, however it ends. So a claim whose owner's file is not locked is void,
//! without clocks, and a run that was killed is taken over at once. (Locks do not reach across machines on every network
//! file system; nor does SQLite.)

use rand::RngExt as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Between the store's name and the owner's number.
const MARK: &str = "-run-";

/// This process, as other processes see it.
pub(super) struct Owner {
    pub(super) id: i64,
    path: PathBuf,
    /// Locked.
    file: File,
}

impl Owner {
    pub(super) fn new(store: &Path) -> io::Result<Owner> {
        let id: i64 = rand::rng().random();
        let path = place(store, id);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.lock()?;
        Ok(Owner { id, path, file })
    }

    /// Whether another owner's process has ended. Its file is then taken away.
    pub(super) fn has_ended(store: &Path, id: i64) -> bool {
        let path = place(store, id);
        let file = match OpenOptions::new().write(true).open(&path) {
            Ok(file) => file,
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        };
        match file.try_lock() {
            Ok(()) => {
                let _ = std::fs::remove_file(&path);
                true
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        }
    }

    /// Takes away the files of processes that have ended.
    pub(super) fn bury_files(store: &Path) {
        let Some(name) = store.file_name().map(|name| name.to_string_lossy().into_owned() + MARK) else { return };
        let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let id = entry.file_name().to_string_lossy().strip_prefix(&name).map(|id| u64::from_str_radix(id, 16));
            if let Some(Ok(id)) = id {
                Owner::has_ended(store, id.cast_signed());
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

fn place(store: &Path, id: i64) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!("{MARK}{id:016x}"));
    store.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_until_its_file_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.sqlite");
        let owner = Owner::new(&store).unwrap();
        let id = owner.id;
        assert!(!Owner::has_ended(&store, id));
        drop(owner);
        assert!(Owner::has_ended(&store, id));
        // Killed: the file is there, and nobody holds it.
        File::create(place(&store, 7)).unwrap();
        assert!(Owner::has_ended(&store, 7) && !place(&store, 7).exists());
    }
}
